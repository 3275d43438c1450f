{-# LANGUAGE DerivingStrategies #-}
{-# LANGUAGE GeneralizedNewtypeDeriving #-}
{-# LANGUAGE StandaloneDeriving #-}
{-# OPTIONS_GHC -Wno-orphans #-}

-- |
-- Module      : Ashlar.Internal.Codec.Instances.Time
-- Description : Formats of dates, times and durations
--
-- All are exact: a number of days, and a number of picoseconds, both of any size. Decoding refuses
-- what the documentation of the types excludes, such as the hour 24 or a time of day of more than
-- 86,401 seconds.
module Ashlar.Internal.Codec.Instances.Time () where

import Ashlar.Internal.Codec.Class
import Ashlar.Internal.Codec.Format
import Ashlar.Internal.Codec.Instances.Base ()
import Ashlar.Internal.Codec.Instances.Numbers ()
import Ashlar.Internal.Codec.Instances.Structures ()
import Ashlar.Internal.Codec.Record
import Data.Fixed (Pico)
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
import Data.Word (Word8)

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
