{-# LANGUAGE FlexibleInstances #-}
{-# LANGUAGE MagicHash #-}
{-# LANGUAGE UnboxedTuples #-}
-- See Note [Fusing puts].
{-# OPTIONS_GHC -fno-do-lambda-eta-expansion #-}

-- |
-- Module      : Ashlar.Internal.Builder.Put
-- Description : The type of puts: a value, and a builder beside it
--
-- Note [A pair without a pair]
-- ~~~~~~~~~~~~~~~~~~~~~~~~~~~~
-- A put is a value and a builder, and using one does not force the other:
-- @fst (runPutM (pure 3 <* undefined))@ is 3. @binary@ and @cereal@ have a record of the two. But
-- then each call of a function that returns a put allocates a record, and a closure for its
-- builder. Builders as a monoid allocate nothing: they are functions.
--
-- So a put is a function, too, with an argument that says what is wanted. If that is the value
-- alone, nothing is written and no builder is forced. If it is both, the put writes its bytes and
-- returns its value. A function that returns a put tests this once; within it the compiler knows
-- the answer.
--
-- The price: forcing the value of an 'Ashlar.Put.runPutM' before its last byte is made runs the put
-- twice. Afterwards the value is saved ('valueBeside'). Without that, n nested ones would take 2^n
-- runs.
--
-- Puts are about as fast as builders as a monoid, and several times faster than a record of the
-- same builders. Also tried: passing the cells and the sink as arguments of their own, beside one
-- that says what is wanted. That is slower at -O1 and -O2.
--
-- Note [Fusing puts]
-- ~~~~~~~~~~~~~~~~~~
-- Rules append the builders of adjacent puts while a program is compiled, so that their writes
-- share a reservation as they do with @<>@ (Note [Fusing reservations] in
-- "Ashlar.Internal.Builder.Core").
-- @putBuilder a >> putBuilder b@ becomes @putBuilder (a <> b)@, also if something follows.
--
-- * The rules are stated for functions of this module, to which the methods of the
--   classes are bound. These functions are unfolded in phase 0.
-- * Each put of "Ashlar.Put" is unfolded by a rule of its own. With an INLINE pragma
--   alone, only the first of adjacent puts was unfolded.
-- * The modules here are compiled with @-fno-do-lambda-eta-expansion@, or the rules
--   would find lambdas around what they look for.
--
-- The inspection tests ("checks of the free space, in the monad") hold this in place.
module Ashlar.Internal.Builder.Put
  ( PutM,
    Put,
    putBuilder,
    value,
    execPut,
    valueBeside,
  )
where

import Ashlar.Internal.Builder.Core
import Ashlar.Internal.Mem.Cells
import Control.Monad.Fix (MonadFix (..))
import qualified Data.Semigroup as Semigroup
import GHC.Exts (RealWorld, State#, newMutVar#, oneShot, readMutVar#, runRW#, writeMutVar#)

-- | Bytes, and beside them a value.
--
-- The two do not wait for each other. '>>=' puts the bytes one after the other, and
-- passes on the value lazily.
newtype PutM a = PutM (Expectation -> State# RealWorld -> (# State# RealWorld, a #))

-- | Bytes only.
type Put = PutM ()

-- | What is wanted of a put: its value alone, or its value and its bytes
-- (Note [A pair without a pair]). The cells and the sink are those of the builder that writes the
-- bytes. For the value alone, nothing may be done to the state of the world.
data Expectation
  = Value
  | Both Cells Sink

-- | Run a put.
with :: PutM a -> Expectation -> State# RealWorld -> (# State# RealWorld, a #)
with (PutM f) = f
{-# INLINE with #-}

-- | The value alone.
value :: PutM a -> a
value m = case runRW# (with m Value) of (# _, a #) -> a
{-# INLINE value #-}

-- | The bytes of a builder.
putBuilder :: Builder -> Put
putBuilder (Builder b) = PutM $ \w s -> case w of
  Value -> (# s, () #)
  Both c k -> case b c k s of s' -> (# s', () #)
{-# INLINE [0] putBuilder #-}

-- | The bytes alone, as a builder.
execPut :: PutM a -> Builder
execPut m = Builder $ \c k s -> case with m (Both c k) s of (# s', _ #) -> s'
{-# INLINE [0] execPut #-}

-- | The value, and the bytes as a builder. When a run of the builder ends, it saves the value: then
-- nothing is computed again, and what the put refers to can be collected.
valueBeside :: PutM a -> (a, Builder)
valueBeside m = case runRW# (newMutVar# (value m)) of
  (# _, saved #) ->
    ( case runRW# (readMutVar# saved) of (# _, a #) -> a,
      Builder $ \c k s -> case with m (Both c k) s of
        (# s', a #) -> writeMutVar# saved a s'
    )
{-# INLINE valueBeside #-}

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

-- | The same bytes, and () as the value without evaluating the put. (Where bytes are
-- written, the put's own () is returned: replacing it would turn a tail call into a call.)
plain :: Put -> Put
plain m = PutM $ \w s -> case w of
  Value -> (# s, () #)
  _ -> with m w s
{-# INLINE [0] plain #-}

-- | The same put, which is not forced before it runs. So a rule that leaves out what precedes a put
-- forces nothing. (Test "sequencing forces neither side".)
delayedPut :: PutM a -> PutM a
delayedPut m = PutM (oneShot (\w -> oneShot (\s -> with m w s)))
{-# INLINE [0] delayedPut #-}

-- | One put after the other, as '<>' appends builders.
appendPut :: Put -> Put -> Put
appendPut m n = andThen m (plain n)
{-# INLINE [0] appendPut #-}

{-# RULES
"appendPut" [~0] forall m n. appendPut m n = andThen m (plain n)
"putBuilder/putBuilder" [~0] forall a b.
  andThen (putBuilder a) (putBuilder b) =
    putBuilder (append a b)
"putBuilder/putBuilder/rest" [~0] forall a b m.
  andThen (putBuilder a) (andThen (putBuilder b) m) =
    andThen (putBuilder (append a b)) m
"andThen/right" [~0] forall l m n. andThen (andThen l m) n = andThen l (andThen m n)
"andThen/bind" [~0] forall l m f. bind (andThen l m) f = andThen l (bind m f)
"putBuilder/bind" [~0] forall a f. bind (putBuilder a) f = andThen (putBuilder a) (f ())
"putBuilder/returning" [~0] forall a. andThen (putBuilder a) (returning ()) = putBuilder a
"returning/andThen" [~0] forall a m. andThen (returning a) m = delayedPut m
"returning/bind" [~0] forall a f. bind (returning a) f = delayedPut (f a)
"andThen/delayed-left" [~0] forall m n. andThen (delayedPut m) n = andThen m n
"andThen/delayed-right" [~0] forall m n. andThen m (delayedPut n) = andThen m n
"bind/delayed" [~0] forall m f. bind (delayedPut m) f = bind m f
"delayed/putBuilder" [~0] forall a. delayedPut (putBuilder a) = putBuilder a
"delayed/returning" [~0] forall a. delayedPut (returning a) = returning a
"delayed/andThen" [~0] forall m n. delayedPut (andThen m n) = andThen m n
"delayed/bind" [~0] forall m f. delayedPut (bind m f) = bind m f
"delayed/plain" [~0] forall m. delayedPut (plain m) = plain m
"plain/delayed" [~0] forall m. plain (delayedPut m) = plain m
"plain/putBuilder" [~0] forall a. plain (putBuilder a) = putBuilder a
"plain/returning" [~0] forall a. plain (returning a) = returning ()
"plain/andThen" [~0] forall m n. plain (andThen m n) = andThen m (plain n)
"plain/plain" [~0] forall m. plain (plain m) = plain m
"execPut/putBuilder" [~0] forall a. execPut (putBuilder a) = a
"execPut/putBuilder/rest" [~0] forall a m.
  execPut (andThen (putBuilder a) m) =
    append a (execPut m)
"execPut/returning" [~0] forall a. execPut (returning a) = empty
"execPut/delayed" [~0] forall m. execPut (delayedPut m) = execPut m
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

-- | The value is computed without writing bytes, so it may be used before the put that
-- makes it. Each 'mfix' inside of it is then computed once more, so n of them, one in the other,
-- take time in proportion to n squared. "Ashlar.Builder.Section" writes the length of a part before
-- it, in one run.
instance MonadFix PutM where
  mfix f = let m = f (value m) in m
  {-# INLINE mfix #-}

-- | The bytes of one after those of the other. 'Semigroup.stimes' is the loop that it is
-- for builders: @stimes 0@ is 'mempty', and a negative number is an error when the bytes
-- are made.
instance Semigroup (PutM ()) where
  (<>) = appendPut
  {-# INLINE (<>) #-}
  stimes n m = putBuilder (Semigroup.stimes n (execPut m))

instance Monoid (PutM ()) where
  mempty = returning ()
  {-# INLINE mempty #-}
  mconcat = foldr appendPut (returning ())
  {-# INLINE mconcat #-}
