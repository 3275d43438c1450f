{-# LANGUAGE BangPatterns #-}
{-# LANGUAGE MagicHash #-}
{-# LANGUAGE UnboxedTuples #-}
{-# OPTIONS_GHC -fno-do-lambda-eta-expansion #-}

-- |
-- Module      : Ashlar.Internal.Get.Core
-- Description : The type of decoders, sequencing, and demanding input
--
-- A decoder is an action that moves a cursor through the input. Where it needs more bytes than
-- there are, it asks for them in the middle of the action, and the code that follows does not know.
-- A failure is an exception that never leaves a run, so on success nothing is tested.
--
-- Note [Direct style]
-- ~~~~~~~~~~~~~~~~~~~
-- Two other designs lose. A result that is either a value or an error, with code that joins again
-- after asking for input, boxes every field. Keeping the code after the check out of line avoids
-- that, but slows down sums of numbers. A loop back to the check is peeled and copied by the
-- compiler. (Allocation test "decode: 40 bytes for each element".)
module Ashlar.Internal.Get.Core
  ( Get (..),
    step,
    pureGet,

    -- * Numbers of constant size
    fixedGet,
    skipFixed,
    Widths (..),

    -- * Demands on the next byte
    guardedGet,
    Expectation (..),
    takeByte,
    advance,
    nextIs,
    nextByte,

    -- * Making sure of input
    need,
    consume,
    consumeShared,
    consumeSharedOr,
    shared,

    -- * Where the decoder is
    here,
  )
where

import Ashlar.Internal.Get.Env
import Ashlar.Internal.Get.Fail
import Ashlar.Internal.Get.Input
import Ashlar.Internal.Mem (peekHost)
import Ashlar.Internal.Mem.Cells
import Ashlar.Internal.Mem.Check
import Control.Monad (when)
import Data.Word (Word8)
import Foreign.Ptr (minusPtr, plusPtr)
import GHC.Exts (Ptr (Ptr), RealWorld, State#)
import GHC.IO (IO (..), unIO)

-- | A decoder of values of type @a@.
--
-- A decoder may be run any number of times. 'fmap' and '<*>' do not force the values they work on.
--
-- By intention a decoder cannot perform 'IO': a run is a pure function of its input. For mutable
-- state there is "Ashlar.Get.ST".
--
-- @since 0.1.0.0
newtype Get a = Get {unGet :: Cells -> Env -> State# RealWorld -> (# State# RealWorld, a #)}

-- | A decoder from an action on the cells and the environment. The action must keep INV-G1 to
-- INV-G3 and have no other effect.
step :: (Cells -> Env -> IO a) -> Get a
step f = Get (\c env -> unIO (f c env))
{-# INLINE step #-}

instance Functor Get where
  fmap = mapGet
  {-# INLINE fmap #-}
  a <$ g = mapGet (\_ -> a) g
  {-# INLINE (<$) #-}

instance Applicative Get where
  pure = pureGet
  {-# INLINE pure #-}
  (<*>) = apGet
  {-# INLINE (<*>) #-}
  (*>) = thenGet
  {-# INLINE (*>) #-}
  p <* q = apGet (mapGet (\a _ -> a) p) q
  {-# INLINE (<*) #-}

instance Monad Get where
  (>>=) = bindGet
  {-# INLINE (>>=) #-}
  (>>) = (*>)
  {-# INLINE (>>) #-}

instance MonadFail Get where
  fail message = step (\c env -> failInvalid c env message)
  {-# INLINE fail #-}

instance Semigroup a => Semigroup (Get a) where
  a <> b = (<>) <$> a <*> b
  {-# INLINE (<>) #-}

instance Monoid a => Monoid (Get a) where
  mempty = pure mempty
  {-# INLINE mempty #-}

-- Note [Rules for decoders]
-- ~~~~~~~~~~~~~~~~~~~~~~~~~
-- Rewrite rules work out two things while a program is compiled. For them the functions below are
-- not unfolded before phase 1, and no decoder is eta-expanded.
--
-- First, numbers side by side, joined by @\<*>@ and its like, share one check of how many bytes are
-- left ('fixedGet'). If there are too few, the error is that of the first number that lacks bytes,
-- as without the rule: the width of each is known ('Widths').
--
-- Second, what a decoder demands of the next byte ('guardedGet') moves to its front, from where a
-- choice can take it. The choice tests the byte before it installs a handler, and nothing is thrown
-- if the byte is refused.
--
-- This module and the others that define such decoders ("Ashlar.Internal.Get.Alternative",
-- "Ashlar.Internal.Get.Bytes", "Ashlar.Internal.Get.NextByte", "Ashlar.Internal.Get.Numbers") are
-- compiled with @-fno-do-lambda-eta-expansion@. Without it the unfolding of an exported decoder is
-- a lambda, in which the rules find no 'fixedGet'.
--
-- Neither changes a result or an error, so whether rules fire (at -O0 they do not) only shows in
-- the time taken. (The suites run at -O0 and -O2; inspection tests "checks of the bytes left, in
-- decoders", allocation test "a choice that the next byte decides".)
--
-- The rules make structures of a few bytes several times as fast, and groups of numbers as fast as
-- a loop in C (benchmarks "side by side", "structures of four Word8" and "brackets"). They fire
-- before phase 1, also where a decoder has been given a name of its own by then: for that
-- 'fixedGet' and 'guardedGet' are CONLIKE. In the monad numbers are not joined: to look for the
-- second below a lambda, rules would have to match it, which GHC can from 9.10 on.

pureGet :: a -> Get a
pureGet a = Get (\_ _ s -> (# s, a #))
{-# INLINE CONLIKE [1] pureGet #-}

mapGet :: (a -> b) -> Get a -> Get b
mapGet f (Get g) = Get $ \c env s -> case g c env s of (# s', a #) -> (# s', f a #)
{-# INLINE [1] mapGet #-}

apGet :: Get (a -> b) -> Get a -> Get b
apGet (Get f) (Get g) = Get $ \c env s -> case f c env s of
  (# s', h #) -> case g c env s' of (# s'', a #) -> (# s'', h a #)
{-# INLINE [1] apGet #-}

thenGet :: Get a -> Get b -> Get b
thenGet (Get f) (Get g) = Get $ \c env s -> case f c env s of (# s', _ #) -> g c env s'
{-# INLINE [1] thenGet #-}

bindGet :: Get a -> (a -> Get b) -> Get b
bindGet (Get f) k = Get $ \c env s -> case f c env s of (# s', a #) -> unGet (k a) c env s'
{-# INLINE [1] bindGet #-}

{-# RULES
"map/pure" forall f a. mapGet f (pureGet a) = pureGet (f a)
"ap/pure" forall f g. apGet (pureGet f) g = mapGet f g
"map/fixed" forall f n ps r.
  mapGet f (fixedGet n ps r) =
    fixedGet n (mapped ps) (\p -> mapIO f (r p))
"ap/fixed" forall n ps r m qs t.
  apGet (fixedGet n ps r) (fixedGet m qs t) =
    fixedGet (n + m) (Both ps qs) (\p -> apIO (r p) (t (p `plusPtr` n)))
"then/fixed" forall n ps r m qs t.
  thenGet (fixedGet n ps r) (fixedGet m qs t) =
    fixedGet (n + m) (Both ps qs) (\p -> r p *> t (p `plusPtr` n))
"bind/number" forall n m r k.
  bindGet (fixedGet n (OneNumber m) r) k =
    bindNumber n r k
"map/guarded" forall f t w g.
  mapGet f (guardedGet t w g) =
    guardedGet t w (mapGet f g)
"ap/guarded" forall t w g h.
  apGet (guardedGet t w g) h =
    guardedGet t w (apGet g h)
"then/guarded" forall t w g h.
  thenGet (guardedGet t w g) h =
    guardedGet t w (thenGet g h)
"bind/guarded" forall t w g k.
  bindGet (guardedGet t w g) k =
    guardedGet t w (bindGet g k)
  #-}

-- Lazy in the value, as 'mapGet' and 'apGet' are.
mapIO :: (a -> b) -> IO a -> IO b
mapIO f m = IO $ \s -> case unIO m s of (# s', a #) -> (# s', f a #)
{-# INLINE mapIO #-}

apIO :: IO (a -> b) -> IO a -> IO b
apIO m n = IO $ \s -> case unIO m s of
  (# s', f #) -> case unIO n s' of (# s'', a #) -> (# s'', f a #)
{-# INLINE apIO #-}

-- | How many bytes each of several numbers takes, in their order. None is negative.
data Widths
  = -- | One number, as it was read: to force it costs nothing.
    OneNumber Int
  | -- | What a function makes of a number.
    OneWidth Int
  | Both Widths Widths

-- The same numbers, when a function has been applied to them.
mapped :: Widths -> Widths
mapped parts = case parts of
  OneNumber n -> OneWidth n
  _ -> parts
{-# INLINE mapped #-}

-- | Read numbers of constant size.
fixedGet ::
  -- | How many bytes they take in all.
  Int ->
  -- | How many bytes each of them takes.
  Widths ->
  -- | Read them, given the address of the first byte. It must not read beyond the last.
  (Ptr Word8 -> IO a) ->
  Get a
fixedGet n parts rd = case parts of
  Both _ _ -> consumeSharedOr (demandWidths parts) n rd'
  _ -> consume n rd'
  where
    rd' p = step (\_ _ -> rd p)
{-# INLINE CONLIKE [1] fixedGet #-}

-- Note [A number in the monad]
-- ~~~~~~~~~~~~~~~~~~~~~~~~~~~~
-- Both branches of a check go on with the reading (Note [One copy after the check]). The code that
-- follows the number is a join point, unless it is small, and takes the number. It gets it in a box
-- if it does not force it before it reads on, as most code does not. SpecConstr removes such boxes,
-- but gives up inside of the second. So the code that follows begins by forcing the number. It has
-- been read, so this changes nothing else, and the join point takes it unboxed.
--
-- The compiler must not see that this is superfluous, nor copy the code, before phase 0, for then
-- nothing is left of it when it finds out what is strict. (Tried in vain: to force the number
-- outside of a function of its own, which is done away with where the branches are copied; one join
-- point for the reading and all that follows, with which loops of one number take half as long
-- again. Allocation test "numbers in the monad: nothing". Benchmark "10000 structs of four Word8,
-- Monad, added up".)
bindNumber :: Int -> (Ptr Word8 -> IO a) -> (a -> Get b) -> Get b
bindNumber n rd k = Get $ \c env s0 ->
  let rest a s = case settled a of !a' -> unGet (k a') c env s
      {-# NOINLINE [0] rest #-}
   in case unGet (consume n (\p -> step (\_ _ -> rd p))) c env s0 of
        (# s1, a #) -> rest a s1
{-# INLINE [1] bindNumber #-}

-- The identity, until phase 0.
settled :: a -> a
settled a = a
{-# INLINE [0] settled #-}

-- | Leave out numbers of constant size: how many bytes they take in all, and each of them. It fails
-- as reading them does.
skipFixed :: Int -> Widths -> Get ()
skipFixed n parts = step (\c env -> demandWidths parts c env n >> advanceBy c n)

-- Demand all the bytes that the numbers take. If there are too few, read the numbers that are
-- there, and fail as the next one does.
demandWidths :: Widths -> Cells -> Env -> Int -> IO ()
demandWidths parts c env n = do
  check "INV-G1" "the widths of numbers" (sum (sizes parts []) == n) [("bytes", n)]
  left <- atHand c env n
  if left >= n then pure () else go left (sizes parts [])
  where
    sizes (OneNumber k) rest = k : rest
    sizes (OneWidth k) rest = k : rest
    sizes (Both a b) rest = sizes a (sizes b rest)
    go left (k : rest) | k <= left = advanceBy c k >> go (left - k) rest
    go _ (k : _) = demand c env k
    go _ [] = pure ()
{-# NOINLINE demandWidths #-}

-- Move the cursor over bytes that are there.
advanceBy :: Cells -> Int -> IO ()
advanceBy c n = do
  inSegment "advanceBy" c n
  getPtr c cursorCell >>= \p -> putPtr c cursorCell (p `plusPtr` n)
{-# INLINE advanceBy #-}

-- | The next byte, which must be there. ('guardedGet' has found out.)
takeByte :: Get Word8
takeByte =
  step (\c _ -> inSegment "takeByte" c 1 >> getPtr c cursorCell >>= peekHost) <* advance
{-# INLINE takeByte #-}

-- | Move the cursor over a byte that is there.
advance :: Get ()
advance = step (\c _ -> advanceBy c 1)
{-# INLINE advance #-}

-- | A decoder that begins with a demand on the next byte.
guardedGet ::
  -- | Is the byte accepted?
  (Word8 -> Bool) ->
  -- | Its names, for errors.
  Expectation ->
  -- | Decode that byte and all that follows. This runs only where the byte is there and accepted.
  Get a ->
  Get a
guardedGet accepts wanted (Get g) = Get $ \c env s0 -> case unIO (nextIs accepts c env) s0 of
  (# s1, True #) -> g c env s1
  (# s1, False #) -> unIO (refuseByte c env wanted >> throwFailed) s1
{-# INLINE CONLIKE [1] guardedGet #-}

-- | Is there a next byte, and is it accepted?
nextIs :: (Word8 -> Bool) -> Cells -> Env -> IO Bool
nextIs accepts c env = do
  i <- nextByte c env
  pure (i >= 0 && accepts (fromIntegral i))
{-# INLINE nextIs #-}

-- | The next byte as a number, or -1 at the end of the input.
nextByte :: Cells -> Env -> IO Int
nextByte c env = do
  p <- getPtr c cursorCell
  e <- getPtr c endCell
  if p /= e then byteAt p else nextByteOn c env
{-# INLINE nextByte #-}

-- At least one byte must lie at the address.
byteAt :: Ptr Word8 -> IO Int
byteAt p = (fromIntegral :: Word8 -> Int) <$> peekHost p
{-# INLINE byteAt #-}

nextByteOn :: Cells -> Env -> IO Int
nextByteOn c env = do
  more <- moreInput c env
  if more then getPtr c cursorCell >>= byteAt else pure (-1)
{-# NOINLINE nextByteOn #-}

-- | Demand that n bytes (not negative) lie between cursor and end, and return the address of the
-- first of them.
--
-- Everything but the comparison is one call out of line.
need :: Cells -> Env -> Int -> IO (Ptr Word8)
need c env n = do
  check "INV-G1" "need: negative number of bytes" (n >= 0) [("bytes", n)]
  p <- getPtr c cursorCell
  e <- getPtr c endCell
  if e `minusPtr` p >= n then pure p else demand c env n >> getPtr c cursorCell
{-# INLINE need #-}

-- | Demand n bytes (not negative) and read them. The cursor stands before them meanwhile, and after
-- them when that is done.
consume ::
  Int ->
  -- | Read them, given the address of the first. It must not read beyond the last.
  (Ptr Word8 -> Get a) ->
  Get a
consume n rd = Get $ \c env s0 -> case unIO (need c env n) s0 of
  (# s1, p #) -> case unGet (rd p) c env s1 of
    (# s2, a #) -> case unIO (stillAt p c n >> putPtr c cursorCell (p `plusPtr` n)) s2 of
      (# s3, _ #) -> (# s3, a #)
{-# INLINE consume #-}

-- In a checked build: the cursor is at this address, and the bytes are there.
stillAt :: Ptr Word8 -> Cells -> Int -> IO ()
stillAt p c n = when checkedBuild $ do
  now <- getPtr c cursorCell
  check "INV-G1" "the cursor has moved" (now == p) [("bytes", now `minusPtr` p)]
  inSegment "consume" c n
{-# INLINE stillAt #-}

-- | 'consume' for what is read with more code, or is a product.
--
-- Note [One copy after the check]
-- ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
-- Both branches of a check go on with the reading. The compiler copies that if it is small, and
-- puts only what comes after it into a join point, which takes the value that was read. This is the
-- best for a number, which is passed unboxed. A product would be boxed. Here the reading itself is
-- the join point, and all code after it becomes part of it, which makes sums of numbers slower. The
-- inspection tests check that no product is left in derived instances.
consumeShared :: Int -> (Ptr Word8 -> Get a) -> Get a
consumeShared = consumeSharedOr demand
{-# INLINE consumeShared #-}

-- | 'consumeShared', given what demands the bytes where they are not at hand.
consumeSharedOr :: (Cells -> Env -> Int -> IO ()) -> Int -> (Ptr Word8 -> Get a) -> Get a
consumeSharedOr more n rd = shared more n $ \p -> Get $ \c env s0 -> case unGet (rd p) c env s0 of
  (# s1, x #) -> case unIO (stillAt p c n >> putPtr c cursorCell (p `plusPtr` n)) s1 of
    (# s2, _ #) -> (# s2, x #)
{-# INLINE consumeSharedOr #-}

-- | Demand bytes, and read them with code that is not copied: Note [One copy after the check]. The
-- cursor is not moved.
shared ::
  -- | Demand them where they are not at hand.
  (Cells -> Env -> Int -> IO ()) ->
  -- | How many (at least 1).
  Int ->
  (Ptr Word8 -> Get a) ->
  Get a
shared more n rest = Get $ \c env s0 ->
  let read# a s = unGet (rest (Ptr a)) c env s
      {-# NOINLINE read# #-}
   in case unIO (getPtr c cursorCell) s0 of
        (# s1, p@(Ptr a) #) -> case unIO (getPtr c endCell) s1 of
          (# s2, e #)
            | e `minusPtr` p >= n -> read# a s2
            | otherwise -> case unIO (more c env n >> getPtr c cursorCell) s2 of
              (# s3, Ptr a' #) -> read# a' s3
{-# INLINE shared #-}

-- | The offset of the next byte.
here :: Get Int
here = step (\c _ -> position c)
{-# INLINE here #-}
