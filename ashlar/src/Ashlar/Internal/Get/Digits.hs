-- |
-- Module      : Ashlar.Internal.Get.Digits
-- Description : The parts of numbers in ASCII, for other modules
--
-- A number that lies in one chunk is read in a loop of its own. These are for all others, and to
-- find out what is wrong and where.
module Ashlar.Internal.Get.Digits
  ( -- * Bytes
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
  )
where

import Ashlar.Internal.Get.Bytes (skip)
import Ashlar.Internal.Get.Core
import Ashlar.Internal.Get.Choice (lookAhead)
import Ashlar.Internal.Get.NextByte
import Ashlar.Internal.Get.Scan
import Data.ByteString (ByteString)
import qualified Data.ByteString as S
import Data.Maybe (fromMaybe)
import Data.Word (Word64, Word8)
import Prelude hiding (takeWhile)

isDigit :: Word8 -> Bool
isDigit w = w - 48 < 10
{-# INLINE isDigit #-}

isSign :: Word8 -> Bool
isSign w = w == 45 || w == 43
{-# INLINE isSign #-}

-- | The value of a digit, in bases up to 16; 16 if it is none.
digitValue :: Word8 -> Word64
digitValue w
  | w - 48 < 10 = fromIntegral (w - 48)
  | letter - 97 < 6 = fromIntegral (letter - 87)
  | otherwise = 16
  where
    letter = if w - 65 < 26 then w + 32 else w
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

-- | The digits after a point, or none.
fractionDigits :: Get ByteString
fractionDigits =
  fromMaybe S.empty <$> ifFollows (== 46) digitNext (skip 1 *> takeWhile isDigit)

-- | An exponent: whether its sign is a minus, and its digits, or none.
exponentDigits :: Get (Bool, ByteString)
exponentDigits = fromMaybe (False, S.empty) <$> ifFollows isLetter signedDigitNext (skip 1 *> power)
  where
    isLetter i = i == 101 || i == 69
    power = (,) <$> minusSign <*> takeWhile isDigit
    signedDigitNext =
      nextCode >>= \i -> if i == 45 || i == 43 then skip 1 *> digitNext else digitNext

digitNext :: Get Bool
digitNext = (\i -> i >= 48 && i < 58) <$> nextCode

-- What begins with one byte, if something follows that one. To look for it never fails: so errors
-- are the same as when the quick path did not look.
ifFollows :: (Int -> Bool) -> Get Bool -> Get a -> Get (Maybe a)
ifFollows this follows p = do
  i <- nextCode
  found <- if this i then lookAhead (skip 1 *> follows) else pure False
  if found then Just <$> p else pure Nothing
