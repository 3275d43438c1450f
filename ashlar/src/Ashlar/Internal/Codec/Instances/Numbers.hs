{-# LANGUAGE DerivingStrategies #-}
{-# LANGUAGE GeneralizedNewtypeDeriving #-}
{-# LANGUAGE MagicHash #-}
{-# LANGUAGE PolyKinds #-}
{-# LANGUAGE ScopedTypeVariables #-}
{-# LANGUAGE StandaloneDeriving #-}
{-# LANGUAGE UnboxedTuples #-}
{-# OPTIONS_GHC -Wno-orphans #-}

-- |
-- Module      : Ashlar.Internal.Codec.Instances.Numbers
-- Description : Formats of Integer, Natural, numbers made of others, dates and times
module Ashlar.Internal.Codec.Instances.Numbers
  ( getRatio,
  )
where

import Ashlar.Internal.Builder.Bytes (shortByteString)
import Ashlar.Internal.Builder.Core
import Ashlar.Internal.Codec.Class
import Ashlar.Internal.Codec.Derive
import Ashlar.Internal.Codec.Format
import Ashlar.Internal.Codec.Instances.Base ()
import Ashlar.Internal.Codec.Instances.Structures ()
import Ashlar.Internal.Codec.Layouts
import Ashlar.Internal.Codec.Length (getVarint, putVarint, varintSize)
import Ashlar.Internal.Codec.Outline (Count (..))
import Ashlar.Internal.Get.Budget (spendFraction)
import Ashlar.Internal.Get.Core
import Ashlar.Internal.Get.Fail
import Ashlar.Internal.Mem
import Ashlar.Internal.Prim.Scalar
  ( fromWord64,
    magnitudeBytes,
    magnitudeOf,
    magnitudeSize,
    peekMagnitude,
    peekShort,
    wordBytes,
  )
import Data.Bits (unsafeShiftR, (.&.))
import Data.Complex (Complex (..))
import Data.Fixed (Fixed (MkFixed), Pico)
import Data.Ratio (Ratio, denominator, numerator)
import Data.Time.Calendar (CalendarDiffDays (..), Day (..), DayOfWeek (..))
import Data.Time.Clock
  ( DiffTime,
    NominalDiffTime,
    UTCTime (..),
    UniversalTime (..),
    diffTimeToPicoseconds,
    nominalDiffTimeToSeconds,
    picosecondsToDiffTime,
    secondsToNominalDiffTime,
  )
import Data.Time.Clock.System (SystemTime (..))
import Data.Time.Clock.TAI (AbsoluteTime, addAbsoluteTime, diffAbsoluteTime, taiEpoch)
import Data.Time.LocalTime
  ( CalendarDiffTime (..),
    LocalTime (..),
    TimeOfDay (..),
    TimeZone (..),
    ZonedTime (..),
  )
import Data.Word (Word64, Word8)
import Foreign.Ptr (plusPtr)
import GHC.Exts (Int (I#))
import GHC.Num.Integer (Integer (IS), integerFromNatural, integerGcd, integerToNatural)
import GHC.Real (Ratio ((:%)))
import Numeric.Natural (Natural)

-- | A header in unsigned LEB128, and the magnitude, least significant byte first. The header is
-- twice the number of bytes of the magnitude, plus one if the number is negative. Each number has
-- one encoding: decoding refuses a magnitude whose last byte is 0, and a negative zero.
instance Codec Integer where
  layout = bytesAfter 1 Doubled 1
  size n = varintSize (header n) + magnitudeSize n
  put n = putMagnitude (header n) n
  get = do
    h <- getVarint
    m <- getMagnitude (h `unsafeShiftR` 1)
    if h .&. 1 == 0
      then pure m
      else if m == 0 then invalid "Integer: a negative zero" else pure $! negate m

header :: Integer -> Word64
header n = 2 * fromIntegral (magnitudeSize n) + (if n < 0 then 1 else 0)
{-# INLINE header #-}

-- | The number of bytes in unsigned LEB128, and the bytes, least significant first. The last byte
-- is not 0.
instance Codec Natural where
  layout = bytesAfter 1 Varint 1
  size n = varintSize (fromIntegral bytes) + bytes
    where
      bytes = magnitudeSize (integerFromNatural n)
  put n = putMagnitude (fromIntegral (magnitudeSize i)) i
    where
      i = integerFromNatural n
  get = do
    h <- getVarint
    m <- getMagnitude h
    -- A magnitude is not negative.
    pure $! integerToNatural m

-- Write a header, and the magnitude of a number.
putMagnitude :: Word64 -> Integer -> Builder
putMagnitude h n = case n of
  IS i -> ensure 9 $ \p -> do
    -- A number this small has at most 8 bytes, so its header has one. Whatever comes next
    -- overwrites the surplus bytes.
    let w = magnitudeOf (I# i)
    pokeHost p (fromIntegral h :: Word8)
    pokeLE (p `plusPtr` 1) w
    pure (p `plusPtr` (1 + wordBytes w))
  _ -> append (putVarint h) (shortByteString (magnitudeBytes n))

-- Read a magnitude of n bytes.
getMagnitude :: Word64 -> Get Integer
getMagnitude n
  | n == 0 = pure 0
  | n <= 8 = consume (fromIntegral n) $ \p ->
    effect (peekShort p (fromIntegral n)) >>= \w ->
      minimal p (w `unsafeShiftR` (8 * (fromIntegral n - 1)) /= 0) (fromWord64 w)
  | n > fromIntegral (maxBound :: Int) = invalid "Integer: more bytes than there can be"
  | otherwise = consume bytes $ \p -> do
    final <- effect (peekHost (p `plusPtr` (bytes - 1)))
    if final == (0 :: Word8)
      then minimal p False 0
      else effect (peekMagnitude p bytes)
  where
    bytes = fromIntegral n :: Int
    minimal p ok m =
      if ok then pure m else invalidAt p (fromIntegral n) "Integer: more bytes than needed"

-- | The numerator and the denominator. Decoding refuses a fraction that is not in lowest terms, or
-- whose denominator is not positive.
--
-- Checking that two large numbers have no common divisor takes more than linear time. So fractions
-- whose numbers both have more than 4,096 bytes count against the budget
-- ('Ashlar.Get.budgetSteps').
instance (Integral a, Codec a) => Codec (Ratio a) where
  layout = formatLayout ratio
  size = formatSize ratio
  put = formatPut ratio
  get = formatGet ratio
  {-# INLINEABLE layout #-}
  {-# INLINEABLE size #-}
  {-# INLINEABLE put #-}
  {-# INLINEABLE get #-}

ratio :: (Integral a, Codec a) => Format (Ratio a)
ratio = refined (\r -> (numerator r, denominator r)) checkRatio (charged (both codec codec))
  where
    -- (The layout is not charged: numbers of constant size are small.)
    charged (Format l n p g) = Format l n p (chargedRatio g)
{-# INLINE ratio #-}

chargedRatio :: Integral a => Get (a, a) -> Get (a, a)
chargedRatio g = g >>= \(x, y) -> (x, y) <$ spendFraction (toInteger x) (toInteger y)
{-# INLINE chargedRatio #-}

checkRatio :: Integral a => (a, a) -> Either String (Ratio a)
checkRatio (n, d)
  | d <= 0 = Left "Ratio: the denominator is not positive"
  -- (Where 'gcd' is not specialised to Integer it is Euclid's algorithm, of quadratic time.
  -- Test "Rational" of the group on growth.)
  | integerGcd (toInteger n) (toInteger d) == 1 = Right (n :% d)
  | otherwise = Left "Ratio: not in lowest terms"
{-# INLINE checkRatio #-}

-- | Read a fraction, given the decoder of its two numbers.
getRatio :: Integral a => Get (a, a) -> Get (Ratio a)
getRatio g = refine checkRatio (chargedRatio g)
{-# INLINE getRatio #-}

-- | The number as a count of its smallest units.
deriving newtype instance Codec (Fixed e)

-- | The real part and the imaginary part.
instance Codec a => Codec (Complex a) where
  layout = genericLayout
  size = genericSize layout
  put = genericPut layout
  get = genericGet layout
  {-# INLINEABLE layout #-}
  {-# INLINEABLE size #-}
  {-# INLINEABLE put #-}
  {-# INLINEABLE get #-}

-- Formats of dates, times and durations.
--
-- All are exact: a number of days, and a number of picoseconds, both of any size. Decoding refuses
-- what the documentation of the types excludes, such as the hour 24 or a time of day of more than
-- 86,401 seconds.

-- | The Modified Julian Day: 'Integer' days since 1858-11-17.
deriving newtype instance Codec Day

-- | The Modified Julian Date in UT1, as a 'Rational'.
deriving newtype instance Codec UniversalTime

-- | Picoseconds, as an 'Integer'.
instance Codec DiffTime

instance HasFormat DiffTime where
  format = bijection diffTimeToPicoseconds picosecondsToDiffTime codec
  {-# INLINE format #-}

-- | Picoseconds, as an 'Integer'.
instance Codec NominalDiffTime

instance HasFormat NominalDiffTime where
  format = bijection nominalDiffTimeToSeconds secondsToNominalDiffTime codec
  {-# INLINE format #-}

-- | The 'Day', and the 'DiffTime' since midnight: at least 0 and less than 86,401 seconds. The last
-- second is for leap seconds. Decoding refuses any other time.
instance Codec UTCTime

instance HasFormat UTCTime where
  format =
    record "UTCTime" $
      UTCTime
        <$> field "utctDay" utctDay codec
        <*> field "utctDayTime" utctDayTime (satisfying "UTCTime: not a time of a day" ofDay codec)
    where
      ofDay t = t >= 0 && t < 86401
  {-# INLINE format #-}

-- | TAI: the time since the Modified Julian Day 0, as a 'DiffTime'.
instance Codec AbsoluteTime

instance HasFormat AbsoluteTime where
  format = bijection (`diffAbsoluteTime` taiEpoch) (`addAbsoluteTime` taiEpoch) codec
  {-# INLINE format #-}

-- | Seconds since 1970 as 64 bits, and nanoseconds as 32 bits. Nanoseconds from 1,000,000,000 on
-- are in a leap second. Decoding refuses 2,000,000,000 and more.
instance Codec SystemTime

instance HasFormat SystemTime where
  format =
    record "SystemTime" $
      MkSystemTime
        <$> field "systemSeconds" systemSeconds codec
        <*> field
          "systemNanoseconds"
          systemNanoseconds
          (satisfying "SystemTime: more than two seconds" (< 2000000000) codec)
  {-# INLINE format #-}

-- | The hour from 0 to 23 and the minute from 0 to 59, one byte each, and the seconds as 'Pico', at
-- least 0 and less than 61. Decoding refuses any other. An hour or minute that does not fit its
-- byte is written as 255.
instance Codec TimeOfDay

instance HasFormat TimeOfDay where
  format =
    record "TimeOfDay" $
      TimeOfDay
        <$> field "todHour" todHour (upTo 23 "TimeOfDay: the hour is above 23")
        <*> field "todMin" todMin (upTo 59 "TimeOfDay: the minute is above 59")
        <*> field
          "todSec"
          todSec
          (satisfying "TimeOfDay: the seconds are not of a minute" ofMinute codec)
    where
      ofMinute s = s >= 0 && s < (61 :: Pico)
  {-# INLINE format #-}

upTo :: Word8 -> String -> Format Int
upTo greatest message = refined toByte fromByte codec
  where
    fromByte b = if b <= greatest then Right (fromIntegral b) else Left message
    toByte :: Int -> Word8
    toByte n = if n < 0 || n > 255 then 255 else fromIntegral n
{-# INLINE upTo #-}

-- | The 'Day', and the 'TimeOfDay'.
instance Codec LocalTime

instance HasFormat LocalTime where
  format =
    record "LocalTime" $
      LocalTime <$> field "localDay" localDay codec <*> field "localTimeOfDay" localTimeOfDay codec
  {-# INLINE format #-}

-- | The minutes ahead of UTC, whether it is for summer only, and its name.
instance Codec TimeZone

instance HasFormat TimeZone where
  format =
    record "TimeZone" $
      TimeZone
        <$> field "timeZoneMinutes" timeZoneMinutes codec
        <*> field "timeZoneSummerOnly" timeZoneSummerOnly codec
        <*> field "timeZoneName" timeZoneName codec
  {-# INLINE format #-}

-- | The 'LocalTime', and the 'TimeZone'.
instance Codec ZonedTime

instance HasFormat ZonedTime where
  format =
    record "ZonedTime" $
      ZonedTime
        <$> field "zonedTimeToLocalTime" zonedTimeToLocalTime codec
        <*> field "zonedTimeZone" zonedTimeZone codec
  {-# INLINE format #-}

-- | Months and days, as 'Integer's.
instance Codec CalendarDiffDays

instance HasFormat CalendarDiffDays where
  format =
    record "CalendarDiffDays" $
      CalendarDiffDays <$> field "cdMonths" cdMonths codec <*> field "cdDays" cdDays codec
  {-# INLINE format #-}

-- | Months as an 'Integer', and a 'NominalDiffTime'.
instance Codec CalendarDiffTime

instance HasFormat CalendarDiffTime where
  format =
    record "CalendarDiffTime" $
      CalendarDiffTime <$> field "ctMonths" ctMonths codec <*> field "ctTime" ctTime codec
  {-# INLINE format #-}

-- | One byte, from 1 for Monday to 7 for Sunday. Decoding refuses any other.
instance Codec DayOfWeek

instance HasFormat DayOfWeek where
  format = refined toByte fromByte codec
    where
      toByte :: DayOfWeek -> Word8
      toByte = fromIntegral . fromEnum
      fromByte b
        | b >= 1 && b <= 7 = Right (toEnum (fromIntegral b))
        | otherwise = Left "DayOfWeek: not from 1 to 7"
  {-# INLINE format #-}
