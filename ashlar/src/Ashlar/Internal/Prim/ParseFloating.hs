{-# LANGUAGE BangPatterns #-}
{-# LANGUAGE MagicHash #-}

-- |
-- Module      : Ashlar.Internal.Prim.ParseFloating
-- Description : Floating-point numbers from decimal text in memory
--
-- Note [More than 19 digits]
-- ~~~~~~~~~~~~~~~~~~~~~~~~~~
-- 19 digits fit into a word, and Note [Nearest binary numbers] is about those. A longer number lies
-- between two such decimals: @w@, its first 19 digits, and @w + 1@. If both are rounded to the same
-- number, that is the result. Otherwise the decimal is compared with what lies halfway between the
-- two results, in exact integers. For a double, less than one number in 100 needs that. (Test "the
-- exact comparison is rare".)
--
-- Untrusted text can hold numbers of any length. So only 800 digits take part in the comparison,
-- and whether a later digit is not 0. That is enough: a number halfway between two doubles has at
-- most 767 digits. The exponent of ten is bounded, because the two results differ: beyond the table
-- both are 0, or both infinite. All else is one pass over the text. (Test "numbers of a million
-- digits, huge exponents".)
module Ashlar.Internal.Prim.ParseFloating
  ( scanNumber,
    addDigit,
    nearestOfDigits,
  )
where

import Ashlar.Internal.Mem (peekHost)
import Ashlar.Internal.Prim.NearestBinary
import Data.Bits ((.&.), (.|.))
import Data.Word (Word64, Word8)
import Foreign.Ptr (Ptr, minusPtr, plusPtr)
import GHC.Exts (Int (I#))

-- | Scan the longest number without sign: digits, perhaps a point and digits, perhaps an exponent.
scanNumber ::
  -- | Where the text begins.
  Ptr Word8 ->
  -- | Where the memory ends.
  Ptr Word8 ->
  -- | The result if there is no digit.
  IO r ->
  -- | The result, given: the address after the number; the address of the last byte that was
  -- examined, or the end of memory; the address after the digits; their value modulo 2^64, without
  -- the point; the power of ten of the last digit.
  (Ptr Word8 -> Ptr Word8 -> Ptr Word8 -> Word64 -> Int -> IO r) ->
  IO r
scanNumber start e none done =
  digits start e 0 $ \p1 x1 ->
    if p1 == start
      then none
      else do
        next <- byteAt p1 e
        if next /= point
          then withExponent p1 x1 0
          else do
            let fraction = p1 `plusPtr` 1
            digits fraction e x1 $ \p2 x2 ->
              if p2 == fraction
                then done p1 p2 p1 x1 0
                else withExponent p2 x2 (fraction `minusPtr` p2)
  where
    withExponent p x q = do
      letter <- byteAt p e
      if letter .|. 32 /= 101
        then done p p p x q
        else do
          sign <- byteAt (p `plusPtr` 1) e
          -- (A function, because an address that is chosen would be boxed.)
          let digitsFrom !ds = exponentDigits ds e $ \p3 n ->
                if p3 == ds
                  then done p p3 p x q
                  else done p3 p3 p x (if sign == 45 then q - n else q + n)
          if sign == 45 || sign == 43
            then digitsFrom (p `plusPtr` 2)
            else digitsFrom (p `plusPtr` 1)
{-# INLINE scanNumber #-}

-- The byte at an address, or 0 at the end.
byteAt :: Ptr Word8 -> Ptr Word8 -> IO Word8
byteAt p e = if p == e then pure 0 else peekHost p
{-# INLINE byteAt #-}

-- Scan digits. The continuation gets the address after them, and the value of @before@ followed by
-- them. (The loops have the end as a free variable: Note [Scanning chunks] in
-- "Ashlar.Internal.Get.Scan". Eight digits at a time would make long fractions a little faster, and
-- short ones a little slower.)
digits :: Ptr Word8 -> Ptr Word8 -> Word64 -> (Ptr Word8 -> Word64 -> IO r) -> IO r
digits start e before done = go start before
  where
    go !p !acc
      | p == e = done p acc
      | otherwise = do
        -- p is before the end.
        w <- peekHost p
        let v = w - 48 :: Word8
        if v < 10 then go (p `plusPtr` 1) (acc * 10 + fromIntegral v) else done p acc
{-# INLINE digits #-}

-- Scan the digits of an exponent. The continuation gets the address after them and their value.
-- (Unboxed by hand: GHC 9.10 passes on the box that 'addDigit' may return.)
exponentDigits :: Ptr Word8 -> Ptr Word8 -> (Ptr Word8 -> Int -> IO r) -> IO r
exponentDigits start e done = go start 0#
  where
    go !p n
      | p == e = done p (I# n)
      | otherwise = do
        -- p is before the end.
        w <- peekHost p
        if w - 48 < (10 :: Word8)
          then case addDigit (I# n) w of I# n' -> go (p `plusPtr` 1) n'
          else done p (I# n)
{-# INLINE exponentDigits #-}

-- | Add a digit, given as a character, to an exponent. An exponent that is larger than any number
-- of digits in memory does not change, so that sums do not overflow.
addDigit :: Int -> Word8 -> Int
addDigit n w
  | n < maxBound `quot` 20 = n * 10 + fromIntegral w - 48
  | otherwise = n
{-# INLINE addDigit #-}

-- | The bits of the number that is nearest to a decimal of any length. The digits may have a point
-- between them or at either end. See Note [More than 19 digits].
nearestOfDigits ::
  Binary ->
  -- | Where the digits begin.
  Ptr Word8 ->
  -- | Where they end.
  Ptr Word8 ->
  -- | The power of ten of the last digit.
  Int ->
  IO Word64
nearestOfDigits b start end q = leading start
  where
    leading !p
      | p == end = pure 0
      | otherwise = do
        -- p is before the end.
        w <- peekHost p
        if w == 48 || w == point then leading (p `plusPtr` 1) else upTo 19 p end 0 (decided p)
    decided first p w = do
      more <- countDigits p end
      let !q' = q + more
          !below = nearest b w q'
          above = nearest b (w + 1) q'
      if more == 0 || below == above then pure below else halfway b below first end q
{-# NOINLINE nearestOfDigits #-}

point :: Word8
point = 46

-- Take at most n digits, and skip a point. The continuation gets the address after them, and the
-- value of @before@ followed by them.
upTo ::
  Int -> Ptr Word8 -> Ptr Word8 -> Word64 -> (Ptr Word8 -> Word64 -> IO r) -> IO r
upTo most start end before done = go most start before
  where
    go n !p !acc
      | n == 0 || p == end = done p acc
      | otherwise = do
        -- p is before the end.
        w <- peekHost p
        if w == point
          then go n (p `plusPtr` 1) acc
          else go (n - 1 :: Int) (p `plusPtr` 1) (acc * 10 + fromIntegral (w - 48))
{-# INLINE upTo #-}

-- The number of digits, not counting a point.
countDigits :: Ptr Word8 -> Ptr Word8 -> IO Int
countDigits start end = go start
  where
    go !p
      | p == end = pure (end `minusPtr` start)
      | otherwise = do
        -- p is before the end.
        w <- peekHost p
        if w == point then pure (end `minusPtr` start - 1) else go (p `plusPtr` 1)

-- Compare digits with what lies halfway between a number and the next one, and return the nearer of
-- the two, or the even one.
halfway ::
  Binary ->
  -- The bits of the number.
  Word64 ->
  -- The first digit that is not 0.
  Ptr Word8 ->
  -- Where the digits end.
  Ptr Word8 ->
  -- The power of ten of the last digit.
  Int ->
  IO Word64
halfway b below first end q = kept (800 :: Int) first 0
  where
    -- Takes 18 digits at a time, so that there are few large products.
    kept most !p !acc =
      upTo 18 p end 0 $ \p' w -> do
        n <- countDigits p p'
        let acc' = acc * 10 ^ n + toInteger w
        if n < 18 || most <= 18 then decided p' acc' else kept (most - 18) p' acc'
    decided p x = do
      dropped <- countDigits p end
      more <- anyNonZero p end
      let e = q + dropped
      pure
        $! case if more then compared (x * 10 + 1) (e - 1) else compared x e of
          LT -> below
          EQ -> below + (below .&. 1)
          GT -> below + 1
    -- The numbers are m * 2^k and (m + 1) * 2^k.
    (m, k) = significandAndExponent b below
    compared x e = compare (x * 10 ^ max 0 e * 2 ^ max 0 (1 - k)) (middle * 10 ^ max 0 (negate e))
    middle = (2 * toInteger m + 1) * 2 ^ max 0 (k - 1)
{-# NOINLINE halfway #-}

-- Is one of the digits not 0?
anyNonZero :: Ptr Word8 -> Ptr Word8 -> IO Bool
anyNonZero start end = go start
  where
    go !p
      | p == end = pure False
      | otherwise = do
        w <- peekHost p
        if w == 48 || w == point then go (p `plusPtr` 1) else pure True
