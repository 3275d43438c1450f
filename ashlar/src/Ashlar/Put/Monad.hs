{-# LANGUAGE FlexibleInstances #-}
{-# LANGUAGE MagicHash #-}
{-# LANGUAGE UnboxedTuples #-}
-- See Note [Fusing puts].
{-# OPTIONS_GHC -fno-do-lambda-eta-expansion #-}

-- |
-- Module      : Ashlar.Put.Monad
-- Description : The type of puts: a value, and a builder beside it
--
-- Note [A pair without a pair]
-- ~~~~~~~~~~~~~~~~~~~~~~~~~~~~
-- A put is a value and a builder, and whoever wants one of them need not touch the
-- other: @fst (runPutM (pure 3 <* undefined))@ is 3. @binary@ and @cereal@ have a
-- record of the two. But then each call of a function that returns a put builds a
-- record, and a closure for the builder in it, which the builder as a monoid does
-- not: it is a function, and calls of it are calls.
--
-- So a put is a function here, too, which is told what is wanted. For the value alone,
-- nothing is written and no builder is looked at, and a value comes from as few steps as
-- it would with a record. For the bytes, the put writes them and then returns the
-- value for those that come after it. Each function that returns a put asks this
-- once; where several puts stand in a row the compiler knows the answer.
--
-- What is lost: with 'runPutM', a value that is expensive is made twice if the bytes
-- depend on it, once on each side.
--
-- Measured (GHC 9.0.2, user code at -O1; times in µs: the builder as a monoid, this, a
-- record with our builder, @binary@): tree of 32,767 nodes 80, 91, 310, 1,400; @mapM_@ over a list of
-- 100,000 numbers 280, 320, 790, 1,600; @forM_@ over @[1 .. 100000]@ 64, 117, 690, 1,120; the
-- same with five writes out of line each time 470, 470, 1,700, 3,500. At -O2 all four of this one's times
-- are the monoid's within 10%, but the last (540, since GHC builds the argument anew for
-- each call there).
-- Also tried: the two parts of the argument as arguments of their own, with a third
-- that says what is wanted (2 to 30% slower at -O1).
--
-- Note [Fusing puts]
-- ~~~~~~~~~~~~~~~~~~
-- Builders that meet in a @do@ block are appended while the program is compiled, so
-- that fixed writes share a reservation as they do with @<>@ (Note [Fusing
-- reservations] in "Ashlar.Builder.Core"): rules turn @putBuilder a >> putBuilder b@ into
-- @putBuilder (a <> b)@, also with something behind. They are stated for functions of this module, not for the
-- methods of the classes, and these are unfolded in phase 0. Each put of
-- "Ashlar.Put" is unfolded by a rule of its own: by its INLINE pragma alone, only the
-- first of several was.
module Ashlar.Put.Monad
  ( PutM,
    Put,
    putBuilder,
    value,
    execPut,
  )
where

import Ashlar.Builder.Core
import Ashlar.Mem.Cells
import Control.Monad.Fix (MonadFix (..))
import qualified Data.Semigroup as Semigroup
import GHC.Exts (RealWorld, State#, runRW#)

-- | A value of type @a@, and bytes: the monad in which bytes are written one after
-- the other.
--
-- The value is had without the bytes, and in the order of the code: '>>=' passes on
-- values lazily, and the laws of the monad hold.
--
-- @since 0.1.0.0
newtype PutM a = PutM (Wanted -> State# RealWorld -> (# State# RealWorld, a #))

-- | Bytes only.
--
-- @since 0.1.0.0
type Put = PutM ()

-- | What is wanted of a put: nothing but its value; or both, the bytes being written
-- by way of the two arguments of a builder. Only the second may do anything to the
-- state of the world.
data Wanted
  = Value
  | Both Cells Sink

-- | Run a put.
with :: PutM a -> Wanted -> State# RealWorld -> (# State# RealWorld, a #)
with (PutM f) = f
{-# INLINE with #-}

-- | The value alone.
value :: PutM a -> a
value m = case runRW# (with m Value) of (# _, a #) -> a
{-# INLINE value #-}

-- | The bytes of a builder.
--
-- @since 0.1.0.0
putBuilder :: Builder -> Put
putBuilder (Builder b) = PutM $ \w s -> case w of
  Value -> (# s, () #)
  Both c k -> (# b c k s, () #)
{-# INLINE [0] putBuilder #-}

-- | The bytes alone, as a builder.
--
-- @since 0.1.0.0
execPut :: PutM a -> Builder
execPut m = Builder $ \c k s -> case with m (Both c k) s of (# s', _ #) -> s'
{-# INLINE [0] execPut #-}

-- | A value, and no bytes.
returning :: a -> PutM a
returning a = PutM (\_ s -> (# s, a #))
{-# INLINE [0] returning #-}

-- | One put after the other, with the value of the second.
andThen :: PutM a -> PutM b -> PutM b
andThen m n = PutM $ \w s ->
  case (case w of Value -> s; _ -> case with m w s of (# s', _ #) -> s') of
    s' -> with n w s'
{-# INLINE [0] andThen #-}

-- | One put after the other, the second made from the value of the first.
bind :: PutM a -> (a -> PutM b) -> PutM b
bind m f = PutM $ \w s ->
  case (case w of Value -> (# s, value m #); _ -> with m w s) of
    (# s', a #) -> with (f a) w s'
{-# INLINE [0] bind #-}

-- | A put whose value is () without looking. (For the bytes nobody looks at it, or
-- the last of many puts in a row could not be a jump.)
plain :: Put -> Put
plain m = PutM $ \w s -> case w of
  Value -> (# s, () #)
  _ -> with m w s
{-# INLINE [0] plain #-}

-- | As the builders are appended.
appendPut :: Put -> Put -> Put
appendPut m n = andThen m (plain n)
{-# INLINE [0] appendPut #-}

{-# RULES
"appendPut" [~0] forall m n. appendPut m n = andThen m (plain n)
"putBuilder/putBuilder" [~0] forall a b. andThen (putBuilder a) (putBuilder b) = putBuilder (append a b)
"putBuilder/putBuilder/rest" [~0] forall a b m.
  andThen (putBuilder a) (andThen (putBuilder b) m) = andThen (putBuilder (append a b)) m
"andThen/right" [~0] forall l m n. andThen (andThen l m) n = andThen l (andThen m n)
"andThen/bind" [~0] forall l m f. bind (andThen l m) f = andThen l (bind m f)
"putBuilder/bind" [~0] forall a f. bind (putBuilder a) f = andThen (putBuilder a) (f ())
"putBuilder/returning" [~0] forall a. andThen (putBuilder a) (returning ()) = putBuilder a
"returning/andThen" [~0] forall a m. andThen (returning a) m = m
"returning/bind" [~0] forall a f. bind (returning a) f = f a
"plain/putBuilder" [~0] forall a. plain (putBuilder a) = putBuilder a
"plain/returning" [~0] forall a. plain (returning a) = returning ()
"plain/andThen" [~0] forall m n. plain (andThen m n) = andThen m (plain n)
"plain/plain" [~0] forall m. plain (plain m) = plain m
"execPut/putBuilder" [~0] forall a. execPut (putBuilder a) = a
"execPut/putBuilder/rest" [~0] forall a m. execPut (andThen (putBuilder a) m) = append a (execPut m)
"execPut/returning" [~0] forall a. execPut (returning a) = empty
  #-}

instance Functor PutM where
  fmap f m = PutM $ \w s -> case w of
    Value -> (# s, f (value m) #)
    _ -> case with m w s of (# s', a #) -> (# s', f a #)
  {-# INLINE fmap #-}

instance Applicative PutM where
  pure = returning
  {-# INLINE pure #-}
  m <*> n = PutM $ \w s -> case w of
    Value -> (# s, value m (value n) #)
    _ -> case with m w s of
      (# s1, f #) -> case with n w s1 of
        (# s2, a #) -> (# s2, f a #)
  {-# INLINE (<*>) #-}
  (*>) = andThen
  {-# INLINE (*>) #-}

instance Monad PutM where
  (>>=) = bind
  {-# INLINE (>>=) #-}
  (>>) = (*>)
  {-# INLINE (>>) #-}

-- | The value is there before the bytes, so it may be used ahead of where it is made.
instance MonadFix PutM where
  mfix f = let m = f (value m) in m
  {-# INLINE mfix #-}

-- | As the monoid of builders.
instance Semigroup (PutM ()) where
  (<>) = appendPut
  {-# INLINE (<>) #-}
  stimes = Semigroup.stimesMonoid

instance Monoid (PutM ()) where
  mempty = returning ()
  {-# INLINE mempty #-}
  mconcat = foldr appendPut (returning ())
  {-# INLINE mconcat #-}
