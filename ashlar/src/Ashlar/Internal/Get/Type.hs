{-# LANGUAGE BangPatterns #-}
{-# LANGUAGE MagicHash #-}
{-# LANGUAGE UnboxedSums #-}
{-# LANGUAGE UnboxedTuples #-}
-- No eta-expansion: Note [Rules for decoders] in "Ashlar.Internal.Get.Core".
{-# OPTIONS_GHC -fno-do-lambda-eta-expansion #-}

-- |
-- Module      : Ashlar.Internal.Get.Type
-- Description : The type of decoders, sequencing, actions on their state, and failing
--
-- A decoder is a function. It takes the address of the next byte, and returns the address after the
-- bytes that it has read, and a value or a failure. Where it needs more bytes than are at hand, it
-- asks the source for them. The code after it continues as if they had been there.
--
-- Note [A failure is a value]
-- ~~~~~~~~~~~~~~~~~~~~~~~~~~~
-- A failure is one alternative of a decoder's result, and has no content. In a traced run, the
-- decoder records the reason before it fails ("Ashlar.Internal.Get.Record"). A run installs no
-- handlers. So foreign exceptions, synchronous or not, pass through it as through any lazy value,
-- and GHC freezes and resumes it as any other.
--
-- A primitive returns the failure in the branch in which it has found it. After inlining, GHC knows
-- in each branch what the code after the primitive would test. So a test of the result remains
-- only after a call of a decoder that was not inlined.
--
-- The cursor is an argument and a result, in a register. The end is in a cell, because it rarely
-- changes. Tried and dropped, on GHC 9.0.2 and 9.10.3:
--
-- * Cursor and end in cells. Choices take up to 1.6 times as long.
-- * The end in a register, too. It gains nothing, because calls of unknown functions get longer.
-- * A failure as an exception. Choices take 2 to 4.5 times as long, because each installs a
--   handler. And an asynchronous exception that a handler catches makes the run begin again.
--
-- (Benchmarks of the family "Parsing".)
--
-- Note [What follows is a join point]
-- ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
-- A result is a tuple with a sum inside. Where a decoder has branches, GHC makes one join point of
-- all that follows. It would take the sum, and test it again, although each branch knows which
-- alternative it is. So what follows a success is a function of its own (@next#@), which is not
-- inlined before phase 0. The test of the sum is then small, is copied into each branch, and
-- vanishes there. (Inspection tests "checks of the bytes left".
-- Without it, a derived tree takes a quarter longer to decode.)
--
-- Note [Actions on the cells]
-- ~~~~~~~~~~~~~~~~~~~~~~~~~~~
-- Slow paths read and change the state of a run in 'IO'. 'step' writes the cursor to its cell
-- before such an action, and reads the cell afterwards. Such an action cannot fail. Code that may
-- fail must be a decoder.
module Ashlar.Internal.Get.Type
  ( Get (..),
    Result,
    pureGet,
    mapGet,
    apGet,
    lift2Get,
    thenGet,
    beforeGet,
    bindGet,

    -- * Actions
    effect,
    inspect,
    step,
    moveTo,
    cursor,
    inEnv,
    enclosed,

    -- * Failing
    failed,
    failingBy,
    failAt,
    failWith,
    invalid,
  )
where

import Ashlar.Internal.Get.Env
import Ashlar.Internal.Get.Error
import Ashlar.Internal.Get.Failure
import Ashlar.Internal.Get.Record
import Ashlar.Internal.Mem.Cells
import Control.Applicative (Applicative (..))
import Data.Word (Word8)
import GHC.Exts (Addr#, Ptr (Ptr), RealWorld, State#)
import GHC.IO (IO (..), unIO)
import Prelude hiding (Applicative (..))

-- | A decoder of values of type @a@.
--
-- A decoder may be run any number of times. 'fmap' and '<*>' do not force the values they work on.
--
-- By intention a decoder cannot perform 'IO': a run is a pure function of its input. For mutable
-- state there is "Ashlar.Get.ST".
newtype Get a = Get {unGet :: Addr# -> Cells -> Env -> State# RealWorld -> Result a}

-- | How a decoder ends: the cursor, and a value or a failure. After a failure the cursor is where
-- the decoder failed.
type Result a = (# State# RealWorld, Addr#, (# a| (# #) #) #)

-- Note [Methods that are called unknown]
-- ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
-- A program over a class of monads, or in a transformer, calls the compiled code of the methods. As
-- for builders (Note [Unknown calls] in "Ashlar.Internal.Builder.Core"), each such call would make
-- a partial application, and running the decoder another. So the compiled code of the methods
-- returns closures ('closedGet'), and rules unfold calls of known methods. The methods are other
-- names of functions that are not inlined, because a rule fires in every context: with INLINE
-- methods, GHC left a call of 'pure' at the end of a loop. (Inspection test "recordsAdded".)
--
-- A list over a class of monads takes half of the time on GHC 9.10.3, and 0.9 of it on 9.0.2.
-- (Allocation test "a monad that is not known". Benchmarks "over a class of monads".)

-- | The same decoder. GHC does not see that, so a function that returns it returns a closure.
closedGet :: Get a -> Get a
closedGet g = g
{-# NOINLINE closedGet #-}

mapMethod :: (a -> b) -> Get a -> Get b
mapMethod f g = closedGet (mapGet f g)
{-# NOINLINE mapMethod #-}

constMethod :: a -> Get b -> Get a
constMethod a g = closedGet (mapGet (\_ -> a) g)
{-# NOINLINE constMethod #-}

pureMethod :: a -> Get a
pureMethod a = closedGet (pureGet a)
{-# NOINLINE pureMethod #-}

apMethod :: Get (a -> b) -> Get a -> Get b
apMethod f g = closedGet (apGet f g)
{-# NOINLINE apMethod #-}

lift2Method :: (a -> b -> r) -> Get a -> Get b -> Get r
lift2Method h f g = closedGet (lift2Get h f g)
{-# NOINLINE lift2Method #-}

thenMethod :: Get a -> Get b -> Get b
thenMethod f g = closedGet (thenGet f g)
{-# NOINLINE thenMethod #-}

beforeMethod :: Get a -> Get b -> Get a
beforeMethod f g = closedGet (beforeGet f g)
{-# NOINLINE beforeMethod #-}

bindMethod :: Get a -> (a -> Get b) -> Get b
bindMethod g k = closedGet (bindGet g k)
{-# NOINLINE bindMethod #-}

{-# RULES
"mapMethod" forall f g. mapMethod f g = mapGet f g
"constMethod" forall a g. constMethod a g = mapGet (\_ -> a) g
"pureMethod" forall a. pureMethod a = pureGet a
"apMethod" forall f g. apMethod f g = apGet f g
"lift2Method" forall h f g. lift2Method h f g = lift2Get h f g
"thenMethod" forall f g. thenMethod f g = thenGet f g
"beforeMethod" forall f g. beforeMethod f g = beforeGet f g
"bindMethod" forall g k. bindMethod g k = bindGet g k
  #-}

instance Functor Get where
  fmap = mapMethod
  {-# INLINE fmap #-}
  (<$) = constMethod
  {-# INLINE (<$) #-}

instance Applicative Get where
  pure = pureMethod
  {-# INLINE pure #-}
  (<*>) = apMethod
  {-# INLINE (<*>) #-}
  liftA2 = lift2Method
  {-# INLINE liftA2 #-}
  (*>) = thenMethod
  {-# INLINE (*>) #-}
  (<*) = beforeMethod
  {-# INLINE (<*) #-}

instance Monad Get where
  (>>=) = bindMethod
  {-# INLINE (>>=) #-}
  (>>) = (*>)
  {-# INLINE (>>) #-}

instance MonadFail Get where
  fail = invalid
  {-# INLINE fail #-}

instance Semigroup a => Semigroup (Get a) where
  a <> b = (<>) <$> a <*> b
  {-# INLINE (<>) #-}

instance Monoid a => Monoid (Get a) where
  mempty = pure mempty
  {-# INLINE mempty #-}

pureGet :: a -> Get a
pureGet a = Get (\p _ _ s -> (# s, p, (# a | #) #))
{-# INLINE CONLIKE [1] pureGet #-}

mapGet :: (a -> b) -> Get a -> Get b
mapGet f (Get g) = Get $ \p0 c env s0 -> case g p0 c env s0 of
  (# s1, p1, (# a | #) #) -> (# s1, p1, (# f a | #) #)
  (# s1, p1, (# | _ #) #) -> (# s1, p1, (# | (##) #) #)
{-# INLINE [1] mapGet #-}

-- The @next#@ of 'apGet' and those below: Note [What follows is a join point].

apGet :: Get (a -> b) -> Get a -> Get b
apGet (Get f) (Get g) = Get $ \p0 c env s0 ->
  let next# h p s = case g p c env s of
        (# s2, p2, (# a | #) #) -> (# s2, p2, (# h a | #) #)
        (# s2, p2, (# | _ #) #) -> (# s2, p2, (# | (##) #) #)
      {-# NOINLINE [0] next# #-}
   in case f p0 c env s0 of
        (# s1, p1, (# h | #) #) -> next# h p1 s1
        (# s1, p1, (# | _ #) #) -> (# s1, p1, (# | (##) #) #)
{-# INLINE [1] apGet #-}

-- Makes one thunk for the result, where 'mapGet' and 'apGet' make two. Only callers that know no
-- more than the class reach it; a rule turns all others into those two.
lift2Get :: (a -> b -> r) -> Get a -> Get b -> Get r
lift2Get h (Get f) (Get g) = Get $ \p0 c env s0 ->
  let next# a p s = case g p c env s of
        (# s2, p2, (# b | #) #) -> (# s2, p2, (# h a b | #) #)
        (# s2, p2, (# | _ #) #) -> (# s2, p2, (# | (##) #) #)
      {-# NOINLINE [0] next# #-}
   in case f p0 c env s0 of
        (# s1, p1, (# a | #) #) -> next# a p1 s1
        (# s1, p1, (# | _ #) #) -> (# s1, p1, (# | (##) #) #)
{-# INLINE [1] lift2Get #-}

thenGet :: Get a -> Get b -> Get b
thenGet (Get f) (Get g) = Get $ \p0 c env s0 ->
  let next# p s = g p c env s
      {-# NOINLINE [0] next# #-}
   in case f p0 c env s0 of
        (# s1, p1, (# _ | #) #) -> next# p1 s1
        (# s1, p1, (# | _ #) #) -> (# s1, p1, (# | (##) #) #)
{-# INLINE [1] thenGet #-}

-- The first decoder, then the second, with the value of the first. By 'mapGet' and 'apGet', GHC
-- 9.10 would allocate the function that ignores the second value. (Allocation test "s-expressions
-- by alternatives".)
beforeGet :: Get a -> Get b -> Get a
beforeGet f g = bindGet f (\a -> mapGet (\_ -> a) g)
{-# INLINE [1] beforeGet #-}

bindGet :: Get a -> (a -> Get b) -> Get b
bindGet (Get f) k = Get $ \p0 c env s0 ->
  let next# a p s = unGet (k a) p c env s
      {-# NOINLINE [0] next# #-}
   in case f p0 c env s0 of
        (# s1, p1, (# a | #) #) -> next# a p1 s1
        (# s1, p1, (# | _ #) #) -> (# s1, p1, (# | (##) #) #)
{-# INLINE [1] bindGet #-}

-- | An action that neither reads nor changes the state of the run.
effect :: IO a -> Get a
effect (IO act) = Get $ \p _ _ s -> case act s of (# s', a #) -> (# s', p, (# a | #) #)
{-# INLINE effect #-}

-- | An action that is given the cursor, and does not move it.
inspect :: (Cells -> Env -> Ptr Word8 -> IO a) -> Get a
inspect f = Get $ \p c env s -> case unIO (f c env (Ptr p)) s of
  (# s', a #) -> (# s', p, (# a | #) #)
{-# INLINE inspect #-}

-- | An action on the cells and the environment, which finds the cursor in its cell and may move it
-- there: Note [Actions on the cells]. It must keep INV-G1 to INV-G3 and have no other effect.
step :: (Cells -> Env -> IO a) -> Get a
step f = Get $ \p c env s0 -> case unIO (putPtr c cursorCell (Ptr p) >> f c env) s0 of
  (# s1, a #) -> case unIO (getPtr c cursorCell) s1 of
    (# s2, Ptr p' #) -> (# s2, p', (# a | #) #)
{-# INLINE step #-}

-- | Move the cursor to an address between itself and the end.
moveTo :: Ptr Word8 -> Get ()
moveTo (Ptr p) = Get (\_ _ _ s -> (# s, p, (# () | #) #))
{-# INLINE moveTo #-}

-- | The address of the next byte.
cursor :: Get (Ptr Word8)
cursor = inspect (\_ _ p -> pure p)
{-# INLINE cursor #-}

-- | Run a decoder in another environment.
inEnv :: (Env -> Env) -> Get a -> Get a
inEnv change (Get g) = Get (\p c env -> g p c (change env))
{-# INLINE inEnv #-}

-- | Run a decoder between two others. The first says what it has changed. The last, which must not
-- fail, changes that back, whether the decoder succeeds or fails.
enclosed :: Get x -> (x -> Get ()) -> (x -> Get a) -> Get a
enclosed (Get enter) leave inside = Get $ \p0 c env s0 -> case enter p0 c env s0 of
  (# s1, p1, (# x | #) #) -> case unGet (inside x) p1 c env s1 of
    (# s2, p2, result #) -> case unGet (leave x) p2 c env s2 of
      (# s3, p3, _ #) -> (# s3, p3, result #)
  (# s1, p1, (# | _ #) #) -> (# s1, p1, (# | (##) #) #)
{-# INLINE enclosed #-}

-- | Fail. In a traced run, the reason must have been recorded.
failed :: Get a
failed = Get (\p _ _ s -> (# s, p, (# | (##) #) #))
{-# INLINE failed #-}

-- | Fail. In a traced run, first record the reason by the action, which is given the cursor.
failingBy :: (Ptr Word8 -> Cells -> Env -> IO ()) -> Get a
failingBy why = Get $ \p c env s0 -> case unIO (isTraced c) s0 of
  (# s1, False #) -> (# s1, p, (# | (##) #) #)
  (# s1, True #) -> case unIO (putPtr c cursorCell (Ptr p) >> why (Ptr p) c env) s1 of
    (# s2, _ #) -> (# s2, p, (# | (##) #) #)
{-# INLINE failingBy #-}

-- | Fail at an address in the current segment.
failAt ::
  Ptr Word8 ->
  -- | How many bytes there the decoder has examined. All are before the end. The number must not
  -- depend on how the input was cut (INV-G2).
  Int ->
  Reason ->
  Get a
failAt p n reason = Get (failAt# p n reason)
{-# INLINE failAt #-}

-- (These functions take all their arguments explicitly, because nothing is eta-expanded here. They
-- are strict in the environment, which callers often make just for the failure. A thunk for it
-- would make all the code around it check for heap.)
failAt# ::
  Ptr Word8 -> Int -> Reason -> Addr# -> Cells -> Env -> State# RealWorld -> Result a
failAt# p n reason p0 c !env s0 = failing (recordAt c env p n reason) p0 c s0
{-# NOINLINE failAt# #-}

-- | Fail at an offset, which may be far before the cursor.
failWith ::
  -- | The reach: the offset up to which the decoder had come.
  Int ->
  -- | The offset.
  Int ->
  -- | The bytes there.
  Found ->
  Reason ->
  Get a
failWith reach offset found reason = Get (failWith# reach offset found reason)
{-# INLINE failWith #-}

failWith# ::
  Int -> Int -> Found -> Reason -> Addr# -> Cells -> Env -> State# RealWorld -> Result a
failWith# reach offset found reason p0 c !env s0 =
  failing (record c env reach offset found reason) p0 c s0
{-# NOINLINE failWith# #-}

-- | Fail at the cursor with a message.
invalid :: String -> Get a
invalid message = Get (invalid# message)
{-# INLINE invalid #-}

invalid# :: String -> Addr# -> Cells -> Env -> State# RealWorld -> Result a
invalid# message p0 c !env s0 =
  failing (recordAt c env (Ptr p0) 0 (Invalid message)) p0 c s0
{-# NOINLINE invalid# #-}

-- Put the cursor into its cell, record the reason, and fail.
failing :: IO () -> Addr# -> Cells -> State# RealWorld -> Result a
failing why p c s0 = case unIO (putPtr c cursorCell (Ptr p) >> why) s0 of
  (# s1, _ #) -> (# s1, p, (# | (##) #) #)
{-# INLINE failing #-}
