{-# LANGUAGE BangPatterns #-}
{-# LANGUAGE ScopedTypeVariables #-}

-- |
-- Module      : Ashlar.Internal.Get.Ascii
-- Description : Decoders for integers written in ASCII, and for the parts of other numbers
--
-- The names are attoparsec's. Unlike there, an integer that its type cannot hold is an error.
--
-- Note [Untrusted digits]
-- ~~~~~~~~~~~~~~~~~~~~~~~
-- Untrusted text may have numbers of any length. Up to 19 decimal or 16 hexadecimal digits are read
-- in a register. More are read as an 'Integer' by halves, which takes much less than quadratic
-- time, and is only done if the type could hold the result: a type that cannot hold 2^256 gets no
-- more than 80 digits. (Test "numbers of a million digits, huge exponents".)
module Ashlar.Internal.Get.Ascii
  ( decimal,
    signedDecimal,
    signed,
    hexadecimal,

    -- * Bytes
    isDigit,
    isSign,
    digitValue,

    -- * Part by part
    noDigit,
    twoDigits,
    minusSign,
    someDigits,
    fractionDigits,
    exponentDigits,
    numberOf,
  )
where

import Ashlar.Internal.Get.Budget (spendDigits)
import Ashlar.Internal.Get.Bytes (skip)
import Ashlar.Internal.Get.Choice (lookAhead)
import Ashlar.Internal.Get.Core
import Ashlar.Internal.Get.Fail
import Ashlar.Internal.Get.NextByte
import Ashlar.Internal.Get.Scan
import Ashlar.Internal.Mem (peekHost)
import Data.Bits (unsafeShiftR, (.&.))
import Data.ByteString (ByteString)
import qualified Data.ByteString as S
import Data.Maybe (fromMaybe)
import Data.Word (Word64, Word8)
import Foreign.Ptr (Ptr, minusPtr, plusPtr)
import Prelude hiding (takeWhile)

-- | A number without sign, of at least one decimal digit. If the type cannot hold it, the error is
-- 'Ashlar.Get.Invalid' at its first digit.
--
-- >>> import qualified Ashlar.Get.Parse as P
-- >>> runGetRest (P.decimal :: Get Int) "0123x"
-- Right (123,"x")
-- >>> either errorReason (const TrailingInput) (runGet (P.decimal :: Get Word8) "256")
-- Invalid "number out of range"
decimal :: Integral a => Get a
decimal = quickly 10 inRange (slowUnsigned 10)
{-# INLINE decimal #-}

-- 'decimal' or 'hexadecimal', without the quick path.
slowUnsigned :: Integral a => Int -> Get a
slowUnsigned base = here >>= \at -> slowDigits base >>= largeInRange at id base
{-# NOINLINE slowUnsigned #-}

-- | 'decimal' with an optional sign (@-@ or @+@) before it. It reads all numbers of the type, even
-- 'minBound'. (Do not use it for @Natural@, where a negative number is an arithmetic exception of
-- the value.)
--
-- >>> import qualified Ashlar.Get.Parse as P
-- >>> runGet (P.signedDecimal :: Get Int8) "-128"
-- Right (-128)
signedDecimal :: Integral a => Get a
signedDecimal =
  nextCode >>= \i -> case i of
    45 -> here >>= \at -> skip 1 *> quickly 10 inRangeNegated (slowSigned at negate)
    43 -> here >>= \at -> skip 1 *> quickly 10 inRange (slowSigned at id)
    _ -> decimal
{-# INLINE signedDecimal #-}

-- The digits after a sign, given the offset of the sign.
slowSigned :: Integral a => Int -> (Integer -> Integer) -> Get a
slowSigned at sign = slowDigits 10 >>= largeInRange at sign 10
{-# NOINLINE slowSigned #-}

-- | A number with an optional sign (@-@ or @+@) before it, given a decoder of numbers without sign.
-- (Instead of @'signed' 'decimal'@, use 'signedDecimal', which can read 'minBound', and refuses
-- numbers that the type cannot hold.)
--
-- The number is negated by its type's 'negate'. So do not use this for types without negative
-- numbers: those of fixed size wrap around, as with attoparsec, and a @Natural@ is an arithmetic
-- exception of the value.
--
-- >>> import qualified Ashlar.Get.Parse as P
-- >>> runGet (P.signed P.hexadecimal :: Get Int) "-ff"
-- Right (-255)
-- >>> runGet (P.signed P.decimal :: Get Word8) "-1"
-- Right 255
-- >>> either (print . errorReason) print (runGet (P.signedDecimal :: Get Word8) "-1")
-- Invalid "number out of range"
signed :: Num a => Get a -> Get a
signed p =
  optionIf isSign anyWord8 >>= \sign -> case sign of
    Just 45 -> negate <$> p
    _ -> p
{-# INLINE signed #-}

-- | A number without sign, of at least one hexadecimal digit in either case. If the type cannot
-- hold it, the error is 'Ashlar.Get.Invalid' at its first digit.
--
-- >>> import qualified Ashlar.Get.Parse as P
-- >>> runGet (P.hexadecimal :: Get Word16) "fF0"
-- Right 4080
hexadecimal :: Integral a => Get a
hexadecimal = quickly 16 inRange (slowUnsigned 16)
{-# INLINE hexadecimal #-}

-- Read a number in a base (10 or 16). This takes the quick path if all its digits lie in one chunk,
-- are too few to overflow, and make a number of the type. Otherwise it runs the slow decoder from
-- the same offset.
quickly :: Word64 -> (Word64 -> Maybe a) -> Get a -> Get a
quickly base inType slow = do
  Range p e <- range
  Digits q w <- effect (digitRun base p e 0 (\q w -> pure (Digits q w)))
  -- Numbers of 19 and of 16 digits fit into 64 bits without sign.
  complete <- if q == e then inspect (\c env _ -> endsAt c env e) else pure True
  if complete && q /= p && q `minusPtr` p < (if base == 10 then 20 else 17)
    then maybe slow (<$ moveTo q) (inType w)
    else slow
{-# INLINE quickly #-}

-- Where digits end, and their value.
data Digits = Digits !(Ptr Word8) !Word64

-- Read digits in a base up to an end, and continue with their value, given the value of the digits
-- before them. (For the form of the loop see Note [Scanning chunks].)
digitRun :: Word64 -> Ptr Word8 -> Ptr Word8 -> Word64 -> (Ptr Word8 -> Word64 -> IO r) -> IO r
digitRun base start e before done = go start before
  where
    go !p !acc
      | p == e = done p acc
      | otherwise = do
        -- p is before the end.
        v <- value <$> peekHost p
        if v < base then go (p `plusPtr` 1) (acc * base + v) else done p acc
    value w
      | base == 10 = fromIntegral (w - 48)
      | otherwise = digitValue w
{-# INLINE digitRun #-}

-- Convert a number, and a negated number, to its type, if that can hold it.
inRange, inRangeNegated :: Integral a => Word64 -> Maybe a
inRange w
  | x >= 0, fromIntegral x == w = Just x
  | otherwise = Nothing
  where
    x = fromIntegral w
-- Compared as 64 bits in two's complement.
inRangeNegated w
  | x <= 0, fromIntegral x == negate w = Just x
  | otherwise = Nothing
  where
    x = negate (fromIntegral w)
{-# INLINE inRange #-}
{-# INLINE inRangeNegated #-}

-- Read at least one digit in a base (10 or 16). Returns the digits without leading zeros.
slowDigits :: Int -> Get ByteString
slowDigits base = do
  bs <- takeWhile (\w -> digitValue w < fromIntegral base)
  if S.null bs then noDigit else pure (S.dropWhile (== 48) bs)

-- Convert digits to a number of its type, or fail at the offset if the type cannot hold it:
-- Note [Untrusted digits].
largeInRange :: forall a. Integral a => Int -> (Integer -> Integer) -> Int -> ByteString -> Get a
largeInRange at sign base ds
  | S.length ds > 80 && not unbounded = outOfRange
  | otherwise = spendDigits (S.length ds) >> if toInteger x == n then pure x else outOfRange
  where
    n = sign (fromDigits base ds)
    x = fromInteger n :: a
    unbounded = toInteger (fromInteger (2 ^ (256 :: Int)) :: a) == 2 ^ (256 :: Int)
    outOfRange = invalidFrom at "number out of range"

-- | The number that decimal digits stand for, 0 if there are none. Many digits take steps. The
-- number is evaluated: a thunk would keep the digits, and so the input.
numberOf :: ByteString -> Get Integer
numberOf digits = spendDigits (S.length ds) >> (pure $! fromDigits 10 ds)
  where
    ds = S.dropWhile (== 48) digits

-- The number that digits stand for, by halves.
fromDigits :: Int -> ByteString -> Integer
fromDigits base bs
  | n <= 16 = S.foldl' (\acc w -> acc * toInteger base + toInteger (digitValue w)) 0 bs
  | otherwise = fromDigits base high * toInteger base ^ (n - half) + fromDigits base low
  where
    n = S.length bs
    half = n `quot` 2
    (high, low) = S.splitAt half bs

-- The parts of numbers. They are for numbers that lie in more than one chunk, and for errors. The
-- quick paths have loops of their own.

isDigit :: Word8 -> Bool
isDigit w = w - 48 < 10
{-# INLINE isDigit #-}

isSign :: Word8 -> Bool
isSign w = w == 45 || w == 43
{-# INLINE isSign #-}

-- | The value of a digit, in bases up to 16. 16 if the byte is not a digit.
--
-- No branch tells letters from digits, which alternate at random in hexadecimal numbers. With a
-- branch, numbers of 16 digits took three times as long. (GHC 9.0.2 and 9.10.3. Benchmark "up to 19
-- digits, hexadecimal".)
digitValue :: Word8 -> Word64
digitValue w
  | fromZero < 55 && odd (digits `unsafeShiftR` fromIntegral fromZero) =
    -- A letter, in either case, has bit 6, and its low bits count from 1.
    fromIntegral ((w .&. 15) + 9 * (w `unsafeShiftR` 6))
  | otherwise = 16
  where
    fromZero = w - 48
    -- One bit for each of 0 to 9, A to F, and a to f.
    digits = 0x007E0000007E03FF :: Word64
{-# INLINE digitValue #-}

-- | Fail, because no digit is next.
noDigit :: Get a
noDigit = refused "a digit"

-- | The number that two digits make.
twoDigits :: Get Int
twoDigits = (\a b -> 10 * value a + value b) <$> digit <*> digit
  where
    digit = guardedGet isDigit (Expectation ["a digit"]) takeByte
    value w = fromIntegral w - 48

-- | An optional sign: is it a minus?
minusSign :: Get Bool
minusSign = (== Just 45) <$> optionIf isSign anyWord8

-- | Digits, at least one.
someDigits :: Get ByteString
someDigits = takeWhile isDigit >>= \ds -> if S.null ds then noDigit else pure ds

-- | A point and the digits after it, or nothing. Returns the digits.
fractionDigits :: Get ByteString
fractionDigits =
  fromMaybe S.empty <$> ifFollows (== 46) digitNext (skip 1 *> takeWhile isDigit)

-- | An exponent, or nothing. Returns whether its sign is a minus, and its digits.
exponentDigits :: Get (Bool, ByteString)
exponentDigits = fromMaybe (False, S.empty) <$> ifFollows isLetter signedDigitNext (skip 1 *> power)
  where
    isLetter i = i == 101 || i == 69
    power = (,) <$> minusSign <*> takeWhile isDigit
    signedDigitNext =
      nextCode >>= \i -> if i == 45 || i == 43 then skip 1 *> digitNext else digitNext

digitNext :: Get Bool
digitNext = (\i -> i >= 48 && i < 58) <$> nextCode

-- Run a decoder if the predicate holds of the next byte, and the test succeeds after that byte. The
-- test must not fail, because a failure would appear in errors, and the quick path records none.
ifFollows :: (Int -> Bool) -> Get Bool -> Get a -> Get (Maybe a)
ifFollows this follows p = do
  i <- nextCode
  found <- if this i then lookAhead (skip 1 *> follows) else pure False
  if found then Just <$> p else pure Nothing
