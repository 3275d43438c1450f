{-# LANGUAGE BangPatterns #-}
{-# LANGUAGE MagicHash #-}
{-# LANGUAGE UnboxedTuples #-}

-- |
-- Module      : Ashlar.Internal.Prim.ParseFloating
-- Description : Floating-point numbers from decimal text in memory
--
-- Note [Nearest binary numbers]
-- ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
-- A decimal @w * 10^q@ is rounded to the nearest floating-point number, and to the even one of two
-- that are equally near. The algorithm is that of Michael Eisel and Daniel Lemire: Lemire, \"Number
-- parsing at a gigabyte per second\", 2021. @w@ is shifted until its first bit is set, and
-- multiplied by the first 64 bits of 10^q. The upper half of the product has all bits of the result
-- and the bit that rounds it. If the bits below those are all set, a carry could change them, and
-- @w@ is multiplied by the next 64 bits of 10^q, too. This is always enough, for every @w@ below
-- 2^64 and every @q@: Noble Mushtak and Daniel Lemire, \"Fast number parsing without fallback\",
-- 2022. The proof is about powers that are rounded down, except 10^(-27) to 10^(-1), which are
-- rounded up. In the table all powers are rounded up; 'truncatedLow' corrects that.
--
-- A decimal is exactly halfway between two numbers only if it has few bits. For a double @q@ is
-- then from -4 to 23, and for a float from -17 to 10. There, the product is exact or nearly so. If
-- the bits that were cut off are 0, the decimal was halfway, and is rounded to even. (Tests
-- "numbers as text, read".)
--
-- If @w@ and @10^(-q)@ are exact in floating point, their quotient is rounded only once, by the
-- division: William Clinger, \"How to read floating point numbers accurately\", 1990. For numbers
-- of a few digits a division is faster than the product of 128 bits (benchmark "1000 doubles of 3
-- digits").
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

    -- * The nearest number
    Binary,
    binary32,
    binary64,
    nearest,
    isQuotient,
    quotientDouble,
    quotientFloat,
    significandAndExponent,
  )
where

import Ashlar.Internal.Mem (peekHost)
import Ashlar.Internal.Mem.Check (slot)
import Ashlar.Internal.Prim.Core (timesHigh, timesWide)
import Ashlar.Internal.Prim.Tables
import Data.Bits
  ( complement,
    countLeadingZeros,
    finiteBitSize,
    unsafeShiftL,
    unsafeShiftR,
    (.&.),
    (.|.),
  )
import Data.Word (Word8, byteSwap64)
import Foreign.Ptr (minusPtr, plusPtr)
import GHC.ByteOrder (ByteOrder (..), targetByteOrder)
import GHC.Exts (Double (D#), Int (I#), Ptr (Ptr), indexDoubleOffAddr#, indexWord64OffAddr#)
import GHC.Float (castWord64ToDouble, double2Float)
import GHC.Word (Word64 (W64#))

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

-- | A format of IEEE 754.
data Binary = Binary
  { -- | The number of bits of the significand that are stored: all but the first.
    significandBits :: !Int,
    -- | The exponent that is stored as 0.
    leastExponent :: !Int,
    -- | The stored exponent of infinity.
    infinite :: !Int,
    -- | Below this power of ten all numbers of up to 64 bits are rounded to 0.
    zeroBelow :: !Int,
    -- | Above this power of ten all numbers but 0 are infinite.
    infiniteAbove :: !Int,
    -- | Between these powers of ten numbers can lie halfway.
    halfwayFrom, halfwayTo :: !Int,
    -- | The greatest power of ten that is exact, negated.
    leastExact :: !Int
  }

-- | The format of 'Float'.
binary32 :: Binary
binary32 = Binary 23 (-127) 0xFF (-65) 38 (-17) 10 (-10)
{-# INLINE binary32 #-}

-- | The format of 'Double'.
binary64 :: Binary
binary64 = Binary 52 (-1023) 0x7FF (-342) 308 (-4) 23 (-22)
{-# INLINE binary64 #-}

infinityBits :: Binary -> Word64
infinityBits b = fromIntegral (infinite b) `unsafeShiftL` significandBits b
{-# INLINE infinityBits #-}

-- | The bits of the number that is nearest to @w * 10^q@.
nearest ::
  Binary ->
  -- | @w@
  Word64 ->
  -- | @q@
  Int ->
  Word64
nearest b w q
  | w == 0 || q < zeroBelow b = 0
  | q > infiniteAbove b = infinityBits b
  | otherwise = case approximated cut (w `unsafeShiftL` zeros) q of
    (# hi, lo #) -> rounded b q zeros hi lo
  where
    zeros = countLeadingZeros w
    -- The low bits of the upper half that do not decide. Above them are a 0 that may come first,
    -- the first bit of the significand, its stored bits, and a bit for rounding.
    cut = 61 - significandBits b
{-# INLINE nearest #-}

-- The first 128 bits of the product of a number and 10^q. If one of the lowest n bits of the upper
-- half is 0, the lower bits of the power do not matter.
approximated :: Int -> Word64 -> Int -> (# Word64, Word64 #)
approximated n w q = case timesWide w (powerHigh q) of
  (# hi, lo #)
    | hi .&. mask /= mask -> (# hi, lo #)
    | otherwise ->
      let more = timesHigh w (truncatedLow q)
          !lo' = lo + more
       in (# if lo' < more then hi + 1 else hi, lo' #)
  where
    mask = (1 `unsafeShiftL` n) - 1
{-# INLINE approximated #-}

-- The lower 64 bits of a power, rounded down, except for 10^(-27) to 10^(-1).
truncatedLow :: Int -> Word64
truncatedLow q
  | q >= -27 && q < 0 = powerLow q
  -- No entry ends in 64 bits of 0. (Test "the table of powers".)
  | otherwise = powerLow q - 1
{-# INLINE truncatedLow #-}

-- The bits of the number, from the product of its decimal shifted to the left and a power.
rounded ::
  Binary ->
  -- | The power of ten.
  Int ->
  -- | By how many bits the number was shifted.
  Int ->
  -- | The upper 64 bits of the product.
  Word64 ->
  -- | The lower 64 bits of the product.
  Word64 ->
  Word64
rounded b q zeros hi !lo
  | e > 0 = normal
  | e <= -63 = 0
  -- Subnormal: such a number is never halfway.
  | otherwise = halve (m `unsafeShiftR` (1 - e))
  where
    -- 1 if the first bit of the product is set, else 0.
    first = fromIntegral (hi `unsafeShiftR` 63) :: Int
    -- floor (log2 (10^q)) + 63, and so on: the exponent as it is stored.
    e = ((q * 217706) `unsafeShiftR` 16) + 63 + first - zeros - leastExponent b
    shift = first + 61 - significandBits b
    -- The significand with one more bit.
    m = hi `unsafeShiftR` shift
    halve x = (x + (x .&. 1)) `unsafeShiftR` 1
    normal
      | sum' >= infinityBits b = infinityBits b
      | otherwise = sum'
      where
        -- The first bit of the significand is not stored: it adds 1 to the exponent. So does
        -- rounding the significand up to a power of two.
        sum' = (fromIntegral (e - 1) `unsafeShiftL` significandBits b) + halve even'
        even'
          | isHalfway = m .&. complement 1
          | otherwise = m
        isHalfway =
          lo <= 1 && m .&. 3 == 1 && q >= halfwayFrom b && q <= halfwayTo b
            && (m `unsafeShiftL` shift) == hi
{-# INLINE rounded #-}

-- | From the bits of a positive, finite number: @m@ and @k@ such that the number is @m * 2^k@.
significandAndExponent :: Binary -> Word64 -> (Word64, Int)
significandAndExponent b bits
  | e == 0 = (fraction, 1 + least)
  | otherwise = (fraction + (1 `unsafeShiftL` significandBits b), e + least)
  where
    e = fromIntegral (bits `unsafeShiftR` significandBits b) :: Int
    fraction = bits .&. ((1 `unsafeShiftL` significandBits b) - 1)
    least = leastExponent b - significandBits b

-- | Is @w * 10^q@ a quotient of two exact numbers, which the machine rounds once?
--
-- 'False' on 32-bit machines: an 'Int' cannot hold such a @w@, and the x87 first rounds to a
-- significand of 64 bits.
isQuotient ::
  Binary ->
  -- | @w@
  Word64 ->
  -- | @q@
  Int ->
  Bool
isQuotient b w q =
  finiteBitSize (0 :: Int) == 64
    && q <= 0
    && q >= leastExact b
    && w <= 1 `unsafeShiftL` (significandBits b + 1)
{-# INLINE isQuotient #-}

-- | @w * 10^q@ where 'isQuotient' holds.
quotientDouble :: Word64 -> Int -> Double
quotientDouble w q = fromIntegral (asInt w) / powerOfTen (negate q)
{-# INLINE quotientDouble #-}

-- | @w * 10^q@ where 'isQuotient' holds.
quotientFloat :: Word64 -> Int -> Float
quotientFloat w q = fromIntegral (asInt w) / double2Float (powerOfTen (negate q))
{-# INLINE quotientFloat #-}

-- (The conversion of an 'Int' to floating point is one instruction.)
asInt :: Word64 -> Int
asInt = fromIntegral
{-# INLINE asInt #-}

-- 10^n for n from 0 to 22, all of which are exact.
powerOfTen :: Int -> Double
powerOfTen i = case (powersOfTen, targetByteOrder, slot "in the table" "powerOfTen" 23 i) of
  (Ptr a, LittleEndian, I# n) -> D# (indexDoubleOffAddr# a n)
  (Ptr a, BigEndian, I# n) -> castWord64ToDouble (byteSwap64 (W64# (indexWord64OffAddr# a n)))
{-# INLINE powerOfTen #-}

-- The least significant byte of each is the first.
powersOfTen :: Ptr Double
powersOfTen =
  Ptr
    "\
    \\x00\x00\x00\x00\x00\x00\xf0\x3f\x00\x00\x00\x00\x00\x00\x24\x40\
    \\x00\x00\x00\x00\x00\x00\x59\x40\x00\x00\x00\x00\x00\x40\x8f\x40\
    \\x00\x00\x00\x00\x00\x88\xc3\x40\x00\x00\x00\x00\x00\x6a\xf8\x40\
    \\x00\x00\x00\x00\x80\x84\x2e\x41\x00\x00\x00\x00\xd0\x12\x63\x41\
    \\x00\x00\x00\x00\x84\xd7\x97\x41\x00\x00\x00\x00\x65\xcd\xcd\x41\
    \\x00\x00\x00\x20\x5f\xa0\x02\x42\x00\x00\x00\xe8\x76\x48\x37\x42\
    \\x00\x00\x00\xa2\x94\x1a\x6d\x42\x00\x00\x40\xe5\x9c\x30\xa2\x42\
    \\x00\x00\x90\x1e\xc4\xbc\xd6\x42\x00\x00\x34\x26\xf5\x6b\x0c\x43\
    \\x00\x80\xe0\x37\x79\xc3\x41\x43\x00\xa0\xd8\x85\x57\x34\x76\x43\
    \\x00\xc8\x4e\x67\x6d\xc1\xab\x43\x00\x3d\x91\x60\xe4\x58\xe1\x43\
    \\x40\x8c\xb5\x78\x1d\xaf\x15\x44\x50\xef\xe2\xd6\xe4\x1a\x4b\x44\
    \\x92\xd5\x4d\x06\xcf\xf0\x80\x44"#
