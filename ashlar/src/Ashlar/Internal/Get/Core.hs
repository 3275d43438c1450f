{-# LANGUAGE BangPatterns #-}
{-# LANGUAGE MagicHash #-}
{-# LANGUAGE UnboxedSums #-}
{-# LANGUAGE UnboxedTuples #-}
-- No eta-expansion: Note [Rules for decoders]. The rules are about functions of
-- "Ashlar.Internal.Get.Type".
{-# OPTIONS_GHC -Wno-orphans -fno-do-lambda-eta-expansion #-}

-- |
-- Module      : Ashlar.Internal.Get.Core
-- Description : Decoders of numbers and of the next byte, and the rules that join them
--
-- All other decoders are made of these, and of the functions of "Ashlar.Internal.Get.Type".
module Ashlar.Internal.Get.Core
  ( Get (..),
    Result,

    -- * Actions
    effect,
    inspect,
    step,
    moveTo,
    cursor,
    inEnv,
    here,

    -- * Failing
    failed,
    failingBy,
    failAt,
    failWith,
    failInvalid,

    -- * Numbers of constant size
    pureGet,
    fixedGet,
    skipFixed,
    Widths (..),

    -- * Demands on the next byte
    guardedGet,
    Expectation (..),
    takeByte,
    advance,
    moveBy,
    tested,
    nextCode,

    -- * Making sure of input
    need,
    consume,
    consumeShared,
    consumeSharedOr,
    shared,
  )
where

import Ashlar.Internal.Get.Env
import Ashlar.Internal.Get.Input
import Ashlar.Internal.Get.Record
import Ashlar.Internal.Get.Type
import Ashlar.Internal.Mem (peekHost)
import Ashlar.Internal.Mem.Cells
import Ashlar.Internal.Mem.Check
import Control.Monad (when)
import Data.Word (Word8)
import Foreign.Ptr (minusPtr, plusPtr)
import GHC.Exts (Addr#, Int (I#), Int#, Ptr (Ptr), RealWorld, State#)
import GHC.IO (IO (..), unIO)

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
-- choice can take it. The choice tests the byte before it opens, and nothing is recorded of an open
-- choice if the byte is refused.
--
-- This module and the others that define such decoders ("Ashlar.Internal.Get.Choice",
-- "Ashlar.Internal.Get.Numbers", "Ashlar.Internal.Get.NextByte", "Ashlar.Internal.Get.Numbers") are
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

{-# RULES
"map/pure" forall f a. mapGet f (pureGet a) = pureGet (f a)
"lift2" forall f g h. lift2Get f g h = apGet (mapGet f g) h
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
  = -- | One number, as it was read. It is evaluated.
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
  Both _ _ -> consumeSharedOr (demandWidths parts n) n (\p -> effect (rd p))
  _ -> consume n (\p -> effect (rd p))
{-# INLINE CONLIKE [1] fixedGet #-}

-- Note [A number in the monad]
-- ~~~~~~~~~~~~~~~~~~~~~~~~~~~~
-- Both branches of a check go on with the reading (Note [One copy after the check]). The code that
-- follows the number is a join point, unless it is small, and takes the number. It gets it in a box
-- if it does not force it before it reads on, as most code does not: that may fail, and a failure
-- does not force it. SpecConstr removes such boxes, but gives up inside of the second. So the code
-- that follows begins by forcing the number. It has been read, so this changes nothing else, and
-- the join point takes it unboxed.
--
-- The compiler must not see that this is superfluous, nor copy the code, before phase 0, for then
-- nothing is left of it when it finds out what is strict. (Tried in vain: to force the number
-- outside of a function of its own, which is done away with where the branches are copied; one join
-- point for the reading and all that follows, with which loops of one number take half as long
-- again. Allocation test "numbers in the monad: nothing". Benchmark "10000 structs of four Word8,
-- Monad, added up".)
bindNumber :: Int -> (Ptr Word8 -> IO a) -> (a -> Get b) -> Get b
bindNumber n rd k = Get $ \p0 c env s0 ->
  let rest a p s = case settled a of !a' -> unGet (k a') p c env s
      {-# NOINLINE [0] rest #-}
   in case unGet (consume n (\p -> effect (rd p))) p0 c env s0 of
        (# s1, p1, (# a | #) #) -> rest a p1 s1
        (# s1, p1, (# | _ #) #) -> (# s1, p1, (# | (##) #) #)
{-# INLINE [1] bindNumber #-}

-- The identity, until phase 0.
settled :: a -> a
settled a = a
{-# INLINE [0] settled #-}

-- | Leave out numbers of constant size: how many bytes they take in all, and each of them. It fails
-- as reading them does.
skipFixed :: Int -> Widths -> Get ()
skipFixed n parts = demandWidths parts n *> moveBy n

-- Demand all the bytes that the numbers take. If there are too few, read the numbers that are
-- there, and fail as the next one does.
demandWidths :: Widths -> Int -> Get ()
demandWidths parts n = do
  effect (check "INV-G1" "the widths of numbers" (sum widths == n) [("bytes", n)])
  left <- atHand n
  if left >= n then pure () else go left widths
  where
    widths = sizes parts []
    sizes (OneNumber k) rest = k : rest
    sizes (OneWidth k) rest = k : rest
    sizes (Both a b) rest = sizes a (sizes b rest)
    go left (k : rest) | k <= left = moveBy k *> go (left - k) rest
    go _ (k : _) = demand k
    go _ [] = pure ()
{-# NOINLINE demandWidths #-}

-- | Move the cursor over n bytes that are there.
moveBy :: Int -> Get ()
moveBy n = readingBy n (\_ -> pure ())
{-# INLINE moveBy #-}

-- The same, reading them.
readingBy :: Int -> (Ptr Word8 -> IO a) -> Get a
readingBy n rd = Get $ \p c _ s0 -> case unIO (thereAre c (Ptr p) n >> rd (Ptr p)) s0 of
  (# s1, x #) -> case Ptr p `plusPtr` n of Ptr p' -> (# s1, p', (# x | #) #)
{-# INLINE readingBy #-}

-- In a checked build: n bytes are between an address in the open segment and the end.
thereAre :: Cells -> Ptr Word8 -> Int -> IO ()
thereAre c p n = when checkedBuild (putPtr c cursorCell p >> inSegment "readingBy" c n)
{-# INLINE thereAre #-}

-- | The next byte, which must be there. ('guardedGet' has found out.)
takeByte :: Get Word8
takeByte = readingBy 1 peekHost
{-# INLINE takeByte #-}

-- | Move the cursor over a byte that is there.
advance :: Get ()
advance = moveBy 1
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
guardedGet accepts wanted g = tested accepts wanted g failed
{-# INLINE CONLIKE [1] guardedGet #-}

-- | If the next byte is there and accepted, the first decoder. If not, record that, and go on with
-- the second.
tested :: (Word8 -> Bool) -> Expectation -> Get a -> Get a -> Get a
tested accepts wanted (Get g) (Get other) = Get $ \p0 c env s0 ->
  let yes# p s = g p c env s
      {-# NOINLINE [0] yes# #-}
      no# p s = case unIO (isTraced c) s of
        (# s1, False #) -> other p c env s1
        (# s1, True #) -> case refuse# wanted p c env s1 of s2 -> other p c env s2
      {-# NOINLINE [0] no# #-}
   in case nextByte# p0 c env s0 of
        (# s1, p1, b #)
          | I# b >= 0 && accepts (fromIntegral (I# b)) -> yes# p1 s1
          | I# b == overdrawn -> (# s1, p1, (# | (##) #) #)
          | otherwise -> no# p1 s1
{-# INLINE tested #-}

refuse# :: Expectation -> Addr# -> Cells -> Env -> State# RealWorld -> State# RealWorld
refuse# wanted p c env s0 = case unGet (step (\c' env' -> refuseByte c' env' wanted)) p c env s0 of
  (# s1, _, _ #) -> s1
{-# NOINLINE refuse# #-}

-- The next byte; or 'endsHere'; or 'overdrawn', if that is a failure.
nextByte# :: Addr# -> Cells -> Env -> State# RealWorld -> (# State# RealWorld, Addr#, Int# #)
nextByte# a c env s0 = case unIO (getPtr c endCell) s0 of
  (# s1, e #)
    | Ptr a /= e -> case unIO (byteAt (Ptr a)) s1 of (# s2, I# b #) -> (# s2, a, b #)
    | otherwise -> nextByteOn# a c env s1
{-# INLINE nextByte# #-}

-- At least one byte must lie at the address.
byteAt :: Ptr Word8 -> IO Int
byteAt p = (fromIntegral :: Word8 -> Int) <$> peekHost p
{-# INLINE byteAt #-}

nextByteOn# :: Addr# -> Cells -> Env -> State# RealWorld -> (# State# RealWorld, Addr#, Int# #)
nextByteOn# a c env s0 = case unGet moreInput a c env s0 of
  (# s1, a1, (# True | #) #) -> case unIO (byteAt (Ptr a1)) s1 of (# s2, I# b #) -> (# s2, a1, b #)
  (# s1, a1, (# False | #) #) -> case endsHere of I# b -> (# s1, a1, b #)
  (# s1, a1, (# | _ #) #) -> case overdrawn of I# b -> (# s1, a1, b #)
{-# NOINLINE nextByteOn# #-}

-- In place of a byte: the input ends here; or it goes on, and a budget does not.
endsHere, overdrawn :: Int
endsHere = -1
overdrawn = -2

-- | The next byte as a number, which is not read; or -1 at the end of the input.
nextCode :: Get Int
nextCode = Get $ \p0 c env s0 -> case nextByte# p0 c env s0 of
  (# s1, p, b #)
    | I# b == overdrawn -> (# s1, p, (# | (##) #) #)
    | otherwise -> (# s1, p, (# I# b | #) #)
{-# INLINE nextCode #-}

-- | Demand that n bytes (not negative) lie between cursor and end.
--
-- Everything but the comparison is one call out of line.
need :: Int -> Get ()
need n = Get $ \p c env s0 -> case available# n c p s0 of
  (# s1, True #) -> (# s1, p, (# () | #) #)
  (# s1, False #) -> unGet (demand n) p c env s1
{-# INLINE need #-}

available# :: Int -> Cells -> Addr# -> State# RealWorld -> (# State# RealWorld, Bool #)
available# n c p s0 = case unIO notNegative s0 of
  (# s1, _ #) -> case unIO (getPtr c endCell) s1 of (# s2, e #) -> (# s2, e `minusPtr` Ptr p >= n #)
  where
    notNegative = check "INV-G1" "need: negative number of bytes" (n >= 0) [("bytes", n)]
{-# INLINE available# #-}

-- | Demand n bytes (not negative) and read them. The cursor stands before them meanwhile, and after
-- them when that is done.
consume ::
  Int ->
  -- | Read them, given the address of the first. It must not read beyond the last.
  (Ptr Word8 -> Get a) ->
  Get a
consume n rd = Get $ \p0 c env s0 -> case available# n c p0 s0 of
  (# s1, True #) -> unGet (readAt n rd (Ptr p0)) p0 c env s1
  (# s1, False #) -> case unGet (demand n) p0 c env s1 of
    (# s2, p, (# _ | #) #) -> unGet (readAt n rd (Ptr p)) p c env s2
    (# s2, p, (# | _ #) #) -> (# s2, p, (# | (##) #) #)
{-# INLINE consume #-}

-- Read n bytes at the cursor, which is given as an address, too.
readAt :: Int -> (Ptr Word8 -> Get a) -> Ptr Word8 -> Get a
readAt n rd p = Get $ \p0 c env s0 -> case unGet (rd p) p0 c env s0 of
  (# s1, _, (# x | #) #) -> case p `plusPtr` n of Ptr p1 -> (# s1, p1, (# x | #) #)
  (# s1, p1, (# | _ #) #) -> (# s1, p1, (# | (##) #) #)
{-# INLINE readAt #-}

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
consumeShared n = consumeSharedOr (demand n) n
{-# INLINE consumeShared #-}

-- | 'consumeShared', given what demands the bytes where they are not at hand.
consumeSharedOr :: Get () -> Int -> (Ptr Word8 -> Get a) -> Get a
consumeSharedOr more n rd = shared more n (readAt n rd)
{-# INLINE consumeSharedOr #-}

-- | Demand bytes, and read them with code that is not copied: Note [One copy after the check]. The
-- cursor is not moved.
shared ::
  -- | Demand them where they are not at hand.
  Get () ->
  -- | How many (at least 1).
  Int ->
  (Ptr Word8 -> Get a) ->
  Get a
shared (Get more) n rest = Get $ \p0 c env s0 ->
  let read# p s = unGet (rest (Ptr p)) p c env s
      {-# NOINLINE read# #-}
   in case available# n c p0 s0 of
        (# s1, True #) -> read# p0 s1
        (# s1, False #) -> case more p0 c env s1 of
          (# s2, p, (# _ | #) #) -> read# p s2
          (# s2, p, (# | _ #) #) -> (# s2, p, (# | (##) #) #)
{-# INLINE shared #-}
