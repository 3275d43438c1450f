{-# LANGUAGE BangPatterns #-}
{-# LANGUAGE MagicHash #-}
{-# LANGUAGE UnboxedSums #-}
{-# LANGUAGE UnboxedTuples #-}
-- No eta-expansion: Note [Rules for decoders]. The rules are orphans: they rewrite functions of
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
    enclosed,
    here,

    -- * Failing
    failed,
    failingBy,
    failAt,
    failWith,
    invalid,

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
-- Rewrite rules optimise decoders in two ways.
--
-- First, adjacent numbers, joined by @\<*>@ and its like, share one check of how many bytes are
-- left ('fixedGet'). 'Widths' has the width of each number. So if bytes are missing, the error is
-- that of the first number that lacks bytes, as without the rule.
--
-- Second, a demand on the next byte ('guardedGet') moves to the front of a decoder, where a choice
-- finds it. The choice tests the byte first, and opens no choice point if the byte is refused.
--
-- The rules change no result and no error. Whether they fire (at -O0 they do not) only shows in the
-- time taken. (The suites run at -O0 and -O2. Inspection tests "checks of the bytes left, in
-- decoders". Allocation test "a choice that the next byte decides".)
--
-- The rules match before phase 1. Until then the functions below are not unfolded. 'fixedGet' and
-- 'guardedGet' are CONLIKE, so rules also match where such a decoder is bound to a variable. The
-- modules that define such decoders are compiled with @-fno-do-lambda-eta-expansion@: otherwise the
-- unfolding of an exported decoder is a lambda, in which the rules find no 'fixedGet'.
--
-- Structures of a few bytes become several times as fast, and groups of numbers as fast as a loop
-- in C (benchmarks "structs of four Word8" and "brackets"). Numbers in a @do@
-- block are not joined: a rule would have to match the second number below a lambda, which GHC
-- supports from 9.10 on.

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
"before/pure" forall a g. beforeGet (pureGet a) g = mapGet (\_ -> a) g
"before/fixed" forall n ps r m qs t.
  beforeGet (fixedGet n ps r) (fixedGet m qs t) =
    fixedGet (n + m) (Both ps qs) (\p -> r p <* t (p `plusPtr` n))
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
"before/guarded" forall t w g h.
  beforeGet (guardedGet t w g) h =
    guardedGet t w (beforeGet g h)
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

-- | The widths in bytes of adjacent numbers, in their order. None is negative.
data Widths
  = -- | One number, exactly as it was read. The reader returns it evaluated.
    OneNumber Int
  | -- | One value that a function made of a number. It may be a thunk.
    OneWidth Int
  | Both Widths Widths

-- The widths after a function has been applied to the numbers.
mapped :: Widths -> Widths
mapped parts = case parts of
  OneNumber n -> OneWidth n
  _ -> parts
{-# INLINE mapped #-}

-- | Read adjacent numbers of constant size.
fixedGet ::
  -- | How many bytes they take in all.
  Int ->
  -- | How many bytes each of them takes.
  Widths ->
  -- | Read them, given the address of the first byte. It must not read beyond the last byte.
  (Ptr Word8 -> IO a) ->
  Get a
fixedGet n parts rd = case parts of
  Both _ _ -> consumeSharedOr (demandWidths parts n) n (\p -> effect (rd p))
  _ -> consume n (\p -> effect (rd p))
{-# INLINE CONLIKE [1] fixedGet #-}

-- Note [A number in the monad]
-- ~~~~~~~~~~~~~~~~~~~~~~~~~~~~
-- The code after a number is a join point that takes the number, because both branches of the check
-- continue there (Note [One copy after the check]). GHC passes the number unboxed only if that code
-- forces it on every path. Most code does not: it reads on first, which may fail, and a failure
-- does not force the number. SpecConstr could remove the boxes, but gives up inside the second such
-- join point. So the code after the number begins by forcing it, and the demand analysis removes
-- the box instead. The number has been read and is
-- evaluated already, so this changes nothing else.
--
-- GHC must not drop this superfluous force, nor copy the code, before phase 0: the demand analysis
-- would no longer find it. 'opaqueUntilPhase0' and the NOINLINE of @next#@ prevent that.
--
-- Tried and dropped: a force outside of @next#@, which GHC removes where it copies the branches;
-- one join point for the reading and all the code after it, with which loops of one number take
-- half as long again. (Allocation test "numbers in the monad: nothing". Benchmark "10000 structs of
-- four Word8, Monad, added up".)
bindNumber :: Int -> (Ptr Word8 -> IO a) -> (a -> Get b) -> Get b
bindNumber n rd k = Get $ \p0 c env s0 ->
  let next# a p s = case opaqueUntilPhase0 a of !a' -> unGet (k a') p c env s
      {-# NOINLINE [0] next# #-}
   in case unGet (consume n (\p -> effect (rd p))) p0 c env s0 of
        (# s1, p1, (# a | #) #) -> next# a p1 s1
        (# s1, p1, (# | _ #) #) -> (# s1, p1, (# | (##) #) #)
{-# INLINE [1] bindNumber #-}

-- The identity, which GHC cannot see before phase 0.
opaqueUntilPhase0 :: a -> a
opaqueUntilPhase0 a = a
{-# INLINE [0] opaqueUntilPhase0 #-}

-- | Skip the numbers of a 'fixedGet', and fail as reading them would.
skipFixed :: Int -> Widths -> Get ()
skipFixed n parts = demandWidths parts n *> moveBy n

-- Demand the bytes of all the numbers. If there are too few, skip the numbers that are there, and
-- fail as the next one would.
demandWidths :: Widths -> Int -> Get ()
demandWidths parts n = do
  effect (check "INV-G1" "the widths of numbers" (sum widths == n) [("bytes", n)])
  left <- atHand n
  if left >= n then pure () else go left widths
  where
    widths = sizes parts []
    sizes (OneNumber k) after = k : after
    sizes (OneWidth k) after = k : after
    sizes (Both a b) after = sizes a (sizes b after)
    go left (k : more) | k <= left = moveBy k *> go (left - k) more
    go _ (k : _) = demand k
    go _ [] = pure ()
{-# NOINLINE demandWidths #-}

-- | Move the cursor over n bytes, which must lie before the end.
moveBy :: Int -> Get ()
moveBy n = readingBy n (\_ -> pure ())
{-# INLINE moveBy #-}

-- Read n bytes, which must lie before the end, and move the cursor over them.
readingBy :: Int -> (Ptr Word8 -> IO a) -> Get a
readingBy n rd = Get $ \p c _ s0 -> case unIO (thereAre c (Ptr p) n >> rd (Ptr p)) s0 of
  (# s1, x #) -> case Ptr p `plusPtr` n of Ptr p' -> (# s1, p', (# x | #) #)
{-# INLINE readingBy #-}

-- In a checked build: check that n bytes lie between an address in the current segment and the end.
thereAre :: Cells -> Ptr Word8 -> Int -> IO ()
thereAre c p n = when checkedBuild (putPtr c cursorCell p >> inSegment "readingBy" c n)
{-# INLINE thereAre #-}

-- | Read the next byte, which must be there. For use inside 'guardedGet', which has made sure.
takeByte :: Get Word8
takeByte = readingBy 1 peekHost
{-# INLINE takeByte #-}

-- | Step over a byte that 'guardedGet' has checked.
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

-- | Run the first decoder if the next byte is there and accepted. Otherwise record the refusal and
-- run the second.
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
          | I# b == overBudgetHere -> (# s1, p1, (# | (##) #) #)
          | otherwise -> no# p1 s1
{-# INLINE tested #-}

refuse# :: Expectation -> Addr# -> Cells -> Env -> State# RealWorld -> State# RealWorld
refuse# wanted p c env s0 = case unGet (step (\c' env' -> refuseByte c' env' wanted)) p c env s0 of
  (# s1, _, _ #) -> s1
{-# NOINLINE refuse# #-}

-- The next byte, or 'noNextByte', or 'overBudgetHere'. In the last case the failure is recorded.
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
  (# s1, a1, (# False | #) #) -> case noNextByte of I# b -> (# s1, a1, b #)
  (# s1, a1, (# | _ #) #) -> case overBudgetHere of I# b -> (# s1, a1, b #)
{-# NOINLINE nextByteOn# #-}

-- What 'nextByte#' returns in place of a byte: the input ends here; the input goes on, but the
-- budget does not.
noNextByte, overBudgetHere :: Int
noNextByte = -1
overBudgetHere = -2

-- | The next byte as a number, or -1 at the end of the input. It is not read.
nextCode :: Get Int
nextCode = Get $ \p0 c env s0 -> case nextByte# p0 c env s0 of
  (# s1, p, b #)
    | I# b == overBudgetHere -> (# s1, p, (# | (##) #) #)
    | otherwise -> (# s1, p, (# I# b | #) #)
{-# INLINE nextCode #-}

-- | Demand n bytes (not negative): afterwards they lie between cursor and end.
--
-- Only the comparison is inlined. All else is one call.
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

-- | Demand n bytes (not negative) and read them. The cursor moves only after they have been read.
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

-- Read n bytes at the address, which is the cursor, and then move over them.
readAt :: Int -> (Ptr Word8 -> Get a) -> Ptr Word8 -> Get a
readAt n rd p = Get $ \p0 c env s0 -> case unGet (rd p) p0 c env s0 of
  (# s1, _, (# x | #) #) -> case p `plusPtr` n of Ptr p1 -> (# s1, p1, (# x | #) #)
  (# s1, p1, (# | _ #) #) -> (# s1, p1, (# | (##) #) #)
{-# INLINE readAt #-}

-- | 'consume' for values that take more code to read, and for products.
--
-- Note [One copy after the check]
-- ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
-- Both branches of a check continue with the reading. If the reading is small, GHC copies it into
-- both, and only the code after it becomes a join point, which takes the value. That is best for a
-- number, which is passed unboxed, but a product would be boxed. So 'consumeShared' makes the
-- reading itself the join point, and all code after it is part of that. This makes sums of numbers
-- slower. The inspection tests check that no product is left in derived instances.
consumeShared :: Int -> (Ptr Word8 -> Get a) -> Get a
consumeShared n = consumeSharedOr (demand n) n
{-# INLINE consumeShared #-}

-- | 'consumeShared', given the decoder that demands the bytes where they are not at hand.
consumeSharedOr :: Get () -> Int -> (Ptr Word8 -> Get a) -> Get a
consumeSharedOr more n rd = shared more n (readAt n rd)
{-# INLINE consumeSharedOr #-}

-- | Demand bytes, and read them with code that is not copied: Note [One copy after the check]. This
-- does not move the cursor.
shared ::
  -- | Demand the bytes where they are not at hand.
  Get () ->
  -- | How many bytes (at least 1).
  Int ->
  (Ptr Word8 -> Get a) ->
  Get a
shared (Get more) n rd = Get $ \p0 c env s0 ->
  let read# p s = unGet (rd (Ptr p)) p c env s
      {-# NOINLINE read# #-}
   in case available# n c p0 s0 of
        (# s1, True #) -> read# p0 s1
        (# s1, False #) -> case more p0 c env s1 of
          (# s2, p, (# _ | #) #) -> read# p s2
          (# s2, p, (# | _ #) #) -> (# s2, p, (# | (##) #) #)
{-# INLINE shared #-}
