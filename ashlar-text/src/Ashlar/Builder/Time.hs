{-# LANGUAGE DerivingStrategies #-}
{-# LANGUAGE Trustworthy #-}

-- |
-- Module      : Ashlar.Builder.Time
-- Description : Dates and times in ISO 8601
--
-- The types of @time@, as RFC 3339 and ISO 8601 write them. "Ashlar.Get.Time" reads them, by the
-- same names: import both qualified.
--
-- The types have values that are no times, such as the hour 25 or the minute -1. No standard has
-- text for these and no decoder reads them, so their builders throw 'TimeOutOfRange' when they run.
module Ashlar.Builder.Time
  ( day,
    timeOfDay,
    localTime,
    timeZone,
    zonedTime,
    utcTime,
    TimeOutOfRange (..),
  )
where

import Ashlar.Internal.Builder.Core
import Ashlar.Internal.Builder.Decimal (integerDec)
import Ashlar.Internal.Builder.Hex (intDecPadded)
import Ashlar.Internal.Builder.Strings (char7)
import Ashlar.Internal.Mem (pokeHost)
import Ashlar.Internal.Prim.Calendar
import Control.Exception (Exception (..), throwIO)
import Control.Monad (unless)
import Data.Fixed (Fixed (MkFixed), showFixed)
import Data.Time.Calendar (Day (..), toGregorian)
import Data.Time.Clock (DiffTime, UTCTime (..), diffTimeToPicoseconds)
import Data.Time.LocalTime
  ( LocalTime (..),
    TimeOfDay (..),
    TimeZone (..),
    ZonedTime (..),
    timeToTimeOfDay,
  )
import Data.Word (Word64, Word8)
import Foreign.Ptr (Ptr, plusPtr)

-- | A date as @YYYY-MM-DD@. A year after 9999 has more digits, and one before 0000 a minus sign.
--
-- >>> import qualified Ashlar.Builder.Time as T
-- >>> import Data.Time.Calendar (fromGregorian)
-- >>> toStrictByteString (T.day (fromGregorian 2024 2 29))
-- "2024-02-29"
day :: Day -> Builder
day d = action $ \c k -> case commonDay d of
  Just n -> runOn (ensure 10 (\p -> (p `plusPtr` 10) <$ writeDay n p)) c k
  Nothing -> runOn (longDay d) c k

-- | A time of day as @HH:MM:SS@, and the fraction of the second if it is not 0, in up to 12 digits.
--
-- The hour is from 0 to 23, the minute from 0 to 59, and the second at least 0 and less than 61.
-- Throws 'NoSuchTimeOfDay' for other numbers.
--
-- >>> import qualified Ashlar.Builder.Time as T
-- >>> import Data.Time.LocalTime (TimeOfDay (..))
-- >>> toStrictByteString (T.timeOfDay (TimeOfDay 7 5 3.25))
-- "07:05:03.25"
timeOfDay :: TimeOfDay -> Builder
timeOfDay t = action $ \c k -> case clockIn t of
  Just clock -> runOn (ensure clockBound (writeClock clock)) c k
  Nothing -> throwIO (NoSuchTimeOfDay t)

-- | Date and time of day, with a @T@ between them. Throws 'NoSuchTimeOfDay' as 'timeOfDay' does.
localTime :: LocalTime -> Builder
localTime (LocalTime d t) = action $ \c k -> case commonDay d of
  Just n | Just clock <- clockIn t -> runOn (ensure (11 + clockBound) (writeBoth n clock)) c k
  _ -> runOn (day d <> char7 'T' <> timeOfDay t) c k

-- | The difference from UTC as @+HH:MM@ or @-HH:MM@. The name is left out. Throws 'NoSuchTimeZone'
-- for a difference of 24 hours or more.
timeZone :: TimeZone -> Builder
timeZone z = action $ \c k -> do
  unless (ahead > -1440 && ahead < 1440) $ throwIO (NoSuchTimeZone ahead)
  runOn (sign <> intDecPadded 2 hours <> char7 ':' <> intDecPadded 2 minutes) c k
  where
    ahead = timeZoneMinutes z
    sign = char7 (if ahead < 0 then '-' else '+')
    (hours, minutes) = abs ahead `quotRem` 60

-- | A 'localTime', and its 'timeZone'. Throws what these throw.
--
-- >>> import qualified Ashlar.Builder.Time as T
-- >>> import Data.Time
-- >>> let noon = LocalTime (fromGregorian 2024 2 29) midday
-- >>> toStrictByteString (T.zonedTime (ZonedTime noon (minutesToTimeZone (-90))))
-- "2024-02-29T12:00:00-01:30"
zonedTime :: ZonedTime -> Builder
zonedTime (ZonedTime t z) = localTime t <> timeZone z

-- | A time in UTC, as a 'localTime' and @Z@. The last second of a day may be a leap second, which
-- is @23:59:60@. Throws 'NoSuchTimeOfUTC' if the time is negative, or 86,401 seconds or more.
--
-- >>> import qualified Ashlar.Builder.Time as T
-- >>> import Data.Time
-- >>> toStrictByteString (T.utcTime (UTCTime (fromGregorian 2016 12 31) 86400.5))
-- "2016-12-31T23:59:60.5Z"
utcTime :: UTCTime -> Builder
utcTime (UTCTime d t) = action $ \c k -> do
  unless (picos >= 0 && picos < 86401000000000000) $ throwIO (NoSuchTimeOfUTC t)
  case commonDay d of
    Just n -> runOn (ensure (12 + clockBound) (writeUtc n)) c k
    Nothing -> runOn (day d <> char7 'T' <> timeOfDay (timeToTimeOfDay t) <> char7 'Z') c k
  where
    picos = diffTimeToPicoseconds t
    writeUtc n p = do
      end <- writeBoth n (clockOf (fromInteger picos)) p
      (end `plusPtr` 1) <$ pokeHost end (0x5A :: Word8)

-- | A value is not a time, because a part of it is negative or too large.
data TimeOutOfRange
  = NoSuchTimeOfDay !TimeOfDay
  | -- | The minutes ahead of UTC.
    NoSuchTimeZone !Int
  | -- | The time since midnight.
    NoSuchTimeOfUTC !DiffTime
  deriving stock (Eq, Show)

instance Exception TimeOutOfRange where
  displayException e = "Ashlar.Builder.Time: " ++ what ++ " out of range"
    where
      what = case e of
        NoSuchTimeOfDay (TimeOfDay h m s) ->
          "a time of day of " ++ show h ++ " hours, " ++ show m ++ " minutes and "
            ++ showFixed True s
            ++ " seconds is"
        NoSuchTimeZone ahead -> "a time zone of " ++ show ahead ++ " minutes is"
        NoSuchTimeOfUTC t -> show t ++ " after midnight are"

-- The Modified Julian Day of a date whose year has four digits.
commonDay :: Day -> Maybe Int
commonDay (ModifiedJulianDay n)
  | n >= toInteger firstDay && n <= toInteger lastDay = Just (fromInteger n)
  | otherwise = Nothing
{-# INLINE commonDay #-}

-- Hour, minute, second and picosecond, all in their ranges.
data Clock = Clock !Word64 !Word64 !Word64 !Word64

clockIn :: TimeOfDay -> Maybe Clock
clockIn (TimeOfDay h m (MkFixed picos))
  | h >= 0 && h < 24 && m >= 0 && m < 60 && picos >= 0 && picos < 61000000000000 =
    case fromInteger picos `quotRem` picosPerSecond of
      (s, rest) -> Just (Clock (fromIntegral h) (fromIntegral m) s rest)
  | otherwise = Nothing
{-# INLINE clockIn #-}

-- The time of day for picoseconds, less than 86,401 seconds.
clockOf :: Word64 -> Clock
clockOf picos
  | seconds >= 86400 = Clock 23 59 60 rest
  | otherwise = Clock h m s rest
  where
    (seconds, rest) = picos `quotRem` picosPerSecond
    (minutes, s) = seconds `quotRem` 60
    (h, m) = minutes `quotRem` 60

-- The most bytes of a time of day whose numbers are in their ranges.
clockBound :: Int
clockBound = 21

writeClock :: Clock -> Ptr Word8 -> IO (Ptr Word8)
writeClock (Clock h m s rest) = writeTimeOfDay h m s rest

writeBoth :: Int -> Clock -> Ptr Word8 -> IO (Ptr Word8)
writeBoth n clock p = do
  writeDay n p
  pokeHost (p `plusPtr` 10) (0x54 :: Word8)
  writeClock clock (p `plusPtr` 11)

longDay :: Day -> Builder
longDay d = sign <> digits <> char7 '-' <> intDecPadded 2 month <> char7 '-' <> intDecPadded 2 n
  where
    (year, month, n) = toGregorian d
    sign = if year < 0 then char7 '-' else mempty
    digits
      | abs year < 10000 = intDecPadded 4 (fromInteger (abs year))
      | otherwise = integerDec (abs year)
