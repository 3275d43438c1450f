{-# LANGUAGE DerivingStrategies #-}
{-# LANGUAGE GeneralizedNewtypeDeriving #-}
{-# LANGUAGE StandaloneDeriving #-}
{-# OPTIONS_GHC -Wno-orphans #-}

-- |
-- Module      : Ashlar.Internal.Codec.Instances.Time
-- Description : Formats of dates, times and durations
--
-- All are exact: days are a number of days, and seconds a number of picoseconds, both
-- of any size. What the types' documentation excludes (the hour 24, a
-- time of day of more than 86,401 seconds) is refused when it is read.
--
-- (The methods are written out, where one's own types would use @ByFormat@: that takes an
-- instance of @HasFormat@, which everyone would see.)
module Ashlar.Internal.Codec.Instances.Time () where

import Ashlar.Codec.Combinators
import Ashlar.Internal.Codec.Class
import Ashlar.Internal.Codec.Instances.Base ()
import Ashlar.Internal.Codec.Instances.Numbers ()
import Ashlar.Internal.Codec.Instances.Structures ()
import Data.Fixed (Pico)
import Data.Time.Calendar (CalendarDiffDays (..), Day (..), DayOfWeek (..))
import Data.Time.Clock (DiffTime, NominalDiffTime, UTCTime (..), UniversalTime (..), diffTimeToPicoseconds, nominalDiffTimeToSeconds, picosecondsToDiffTime, secondsToNominalDiffTime)
import Data.Time.Clock.System (SystemTime (..))
import Data.Time.Clock.TAI (AbsoluteTime, addAbsoluteTime, diffAbsoluteTime, taiEpoch)
import Data.Time.LocalTime (CalendarDiffTime (..), LocalTime (..), TimeOfDay (..), TimeZone (..), ZonedTime (..))
import Data.Word (Word8)

-- | The Modified Julian Day: 'Integer' days since 1858-11-17.
deriving newtype instance Codec Day

-- | The day of UT1 and the fraction of it, as a 'Rational' Modified Julian Date.
deriving newtype instance Codec UniversalTime

-- | Picoseconds, as an 'Integer'.
instance Codec DiffTime where
  layout = formatLayout diffTime
  size = formatSize diffTime
  put = formatPut diffTime
  get = formatGet diffTime

diffTime :: Format DiffTime
diffTime = bijection diffTimeToPicoseconds picosecondsToDiffTime codec
{-# INLINE diffTime #-}

-- | Picoseconds, as an 'Integer'.
instance Codec NominalDiffTime where
  layout = formatLayout nominalDiffTime
  size = formatSize nominalDiffTime
  put = formatPut nominalDiffTime
  get = formatGet nominalDiffTime

nominalDiffTime :: Format NominalDiffTime
nominalDiffTime = bijection nominalDiffTimeToSeconds secondsToNominalDiffTime codec
{-# INLINE nominalDiffTime #-}

-- | The 'Day', and the 'DiffTime' since midnight: 0 or more and less than 86,401
-- seconds, where the last second is there for leap seconds. Others are refused.
instance Codec UTCTime where
  layout = formatLayout utcTime
  size = formatSize utcTime
  put = formatPut utcTime
  get = formatGet utcTime

utcTime :: Format UTCTime
utcTime =
  record "UTCTime" $
    UTCTime
      <$> field "utctDay" utctDay codec
      <*> field "utctDayTime" utctDayTime (satisfying "UTCTime: not a time of a day" (\t -> t >= 0 && t < 86401) codec)
{-# INLINE utcTime #-}

-- | TAI: the time since the Modified Julian Day 0, as a 'DiffTime'.
instance Codec AbsoluteTime where
  layout = formatLayout absoluteTime
  size = formatSize absoluteTime
  put = formatPut absoluteTime
  get = formatGet absoluteTime

absoluteTime :: Format AbsoluteTime
absoluteTime = bijection (`diffAbsoluteTime` taiEpoch) (`addAbsoluteTime` taiEpoch) codec
{-# INLINE absoluteTime #-}

-- | Seconds since 1970 as 64 bits, and nanoseconds as 32 bits, less than
-- 2,000,000,000 (from 1,000,000,000 on they are in a leap second). Others are refused.
instance Codec SystemTime where
  layout = formatLayout systemTime
  size = formatSize systemTime
  put = formatPut systemTime
  get = formatGet systemTime

systemTime :: Format SystemTime
systemTime =
  record "SystemTime" $
    MkSystemTime
      <$> field "systemSeconds" systemSeconds codec
      <*> field "systemNanoseconds" systemNanoseconds (satisfying "SystemTime: more than two seconds" (< 2000000000) codec)
{-# INLINE systemTime #-}

-- | Hour and minute, one byte each, and the seconds as 'Pico': from 0 to 23, from 0 to
-- 59, and 0 or more and less than 61. Others are refused; an hour or minute that is
-- no such byte is written as 255.
instance Codec TimeOfDay where
  layout = formatLayout timeOfDay
  size = formatSize timeOfDay
  put = formatPut timeOfDay
  get = formatGet timeOfDay

timeOfDay :: Format TimeOfDay
timeOfDay =
  record "TimeOfDay" $
    TimeOfDay
      <$> field "todHour" todHour (upTo 23 "TimeOfDay: the hour is above 23")
      <*> field "todMin" todMin (upTo 59 "TimeOfDay: the minute is above 59")
      <*> field "todSec" todSec (satisfying "TimeOfDay: the seconds are not of a minute" (\s -> s >= 0 && s < (61 :: Pico)) codec)
{-# INLINE timeOfDay #-}

upTo :: Word8 -> String -> Format Int
upTo greatest message = refined toByte (\b -> if b <= greatest then Right (fromIntegral b) else Left message) codec
  where
    toByte :: Int -> Word8
    toByte n = if n < 0 || n > 255 then 255 else fromIntegral n
{-# INLINE upTo #-}

-- | The 'Day', and the 'TimeOfDay'.
instance Codec LocalTime where
  layout = formatLayout localTime
  size = formatSize localTime
  put = formatPut localTime
  get = formatGet localTime

localTime :: Format LocalTime
localTime = record "LocalTime" (LocalTime <$> field "localDay" localDay codec <*> field "localTimeOfDay" localTimeOfDay codec)
{-# INLINE localTime #-}

-- | The minutes that it is ahead of UTC, whether it is in summer only, and its name.
instance Codec TimeZone where
  layout = formatLayout timeZone
  size = formatSize timeZone
  put = formatPut timeZone
  get = formatGet timeZone

timeZone :: Format TimeZone
timeZone =
  record "TimeZone" $
    TimeZone
      <$> field "timeZoneMinutes" timeZoneMinutes codec
      <*> field "timeZoneSummerOnly" timeZoneSummerOnly codec
      <*> field "timeZoneName" timeZoneName codec
{-# INLINE timeZone #-}

-- | The 'LocalTime', and the 'TimeZone'.
instance Codec ZonedTime where
  layout = formatLayout zonedTime
  size = formatSize zonedTime
  put = formatPut zonedTime
  get = formatGet zonedTime

zonedTime :: Format ZonedTime
zonedTime =
  record "ZonedTime" $
    ZonedTime
      <$> field "zonedTimeToLocalTime" zonedTimeToLocalTime codec
      <*> field "zonedTimeZone" zonedTimeZone codec
{-# INLINE zonedTime #-}

-- | Months and days, as 'Integer's.
instance Codec CalendarDiffDays where
  layout = formatLayout calendarDiffDays
  size = formatSize calendarDiffDays
  put = formatPut calendarDiffDays
  get = formatGet calendarDiffDays

calendarDiffDays :: Format CalendarDiffDays
calendarDiffDays = record "CalendarDiffDays" (CalendarDiffDays <$> field "cdMonths" cdMonths codec <*> field "cdDays" cdDays codec)
{-# INLINE calendarDiffDays #-}

-- | Months as an 'Integer', and a 'NominalDiffTime'.
instance Codec CalendarDiffTime where
  layout = formatLayout calendarDiffTime
  size = formatSize calendarDiffTime
  put = formatPut calendarDiffTime
  get = formatGet calendarDiffTime

calendarDiffTime :: Format CalendarDiffTime
calendarDiffTime = record "CalendarDiffTime" (CalendarDiffTime <$> field "ctMonths" ctMonths codec <*> field "ctTime" ctTime codec)
{-# INLINE calendarDiffTime #-}

-- | One byte, from 1 for Monday to 7 for Sunday; others are refused.
instance Codec DayOfWeek where
  layout = formatLayout dayOfWeek
  size = formatSize dayOfWeek
  put = formatPut dayOfWeek
  get = formatGet dayOfWeek

dayOfWeek :: Format DayOfWeek
dayOfWeek = refined toByte fromByte codec
  where
    toByte :: DayOfWeek -> Word8
    toByte = fromIntegral . fromEnum
    fromByte b
      | b >= 1 && b <= 7 = Right (toEnum (fromIntegral b))
      | otherwise = Left "DayOfWeek: not from 1 to 7"
{-# INLINE dayOfWeek #-}
