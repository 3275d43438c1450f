{-# LANGUAGE BangPatterns #-}
{-# LANGUAGE Trustworthy #-}

-- |
-- Module      : Ashlar.Get.Time
-- Description : Decoders for dates and times in ISO 8601
--
-- The types of @time@, as RFC 3339 and ISO 8601 write them. "Ashlar.Builder.Time" writes them, by
-- the same names: import both qualified. The names are those of @attoparsec-iso8601@.
module Ashlar.Get.Time
  ( day,
    timeOfDay,
    localTime,
    timeZone,
    zonedTime,
    utcTime,
  )
where

import Ashlar.Internal.Get.Ascii
import Ashlar.Internal.Get.Bytes (skip)
import Ashlar.Internal.Get.Core
import Ashlar.Internal.Get.Env
import Ashlar.Internal.Get.Fail
import Ashlar.Internal.Get.NextByte
import Ashlar.Internal.Get.Scan
import Ashlar.Internal.Mem (peekHost)
import Ashlar.Internal.Mem.Cells
import Ashlar.Internal.Prim.Calendar
import Control.Monad ((<$!>))
import qualified Data.ByteString as S
import Data.Fixed (Fixed (MkFixed))
import Data.Time.Calendar (Day (..), fromGregorian, gregorianMonthLength)
import Data.Time.Clock (UTCTime (..), picosecondsToDiffTime)
import Data.Time.LocalTime
  ( LocalTime (..),
    TimeOfDay (..),
    TimeZone (..),
    ZonedTime (..),
    minutesToTimeZone,
    utc,
  )
import Data.Word (Word64, Word8)
import Foreign.Ptr (Ptr, minusPtr, plusPtr)
import Prelude hiding (takeWhile)

-- Note [Dates that lie in one chunk]
-- ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
-- Nearly all dates have four digits for the year, lie in one chunk, and exist. These are read at
-- once, and so are times of day with seconds. All others are read byte by byte, which also finds
-- what is wrong with them and where.

-- | A date: @YYYY-MM-DD@. The year may have more than four digits, and a sign before them. A date
-- that does not exist is refused. The error is at the number that is out of range.
--
-- >>> import qualified Ashlar.Get.Time as T
-- >>> runGet T.day "2024-02-29"
-- Right 2024-02-29
-- >>> either (putStrLn . summarizeError) print (runGet T.day "2023-02-29")
-- at byte 8: no such day in this month
day :: Get Day
day = step quickDay >>= \n -> if n == noDay then slowDay else pure $! dayNumber n

dayNumber :: Int -> Day
dayNumber n = ModifiedJulianDay (toInteger n)

-- 'quickDay' has found no date.
noDay :: Int
noDay = minBound

-- Read a date, and return its Modified Julian Day, or read nothing and return 'noDay'.
quickDay :: Cells -> Env -> IO Int
quickDay c _ = do
  p <- getPtr c cursorCell
  e <- getPtr c endCell
  if e `minusPtr` p < 10
    then pure noDay
    else do
      -- All of these are among the 10 bytes.
      high <- twoAt p 0
      low <- twoAt p 2
      dash1 <- byteOf p 4
      month <- twoAt p 5
      dash2 <- byteOf p 7
      n <- twoAt p 8
      let year = 100 * high + low
          exists =
            high >= 0 && low >= 0 && dash1 == 0x2D && dash2 == 0x2D && month >= 1 && month <= 12
              && n >= 1
              && n <= lengthOfMonth year month
      if exists
        then dayOf year month n <$ putPtr c cursorCell (p `plusPtr` 10)
        else pure noDay

-- The number of the two digits at an index, or a negative number.
twoAt :: Ptr Word8 -> Int -> IO Int
twoAt p i = do
  a <- byteOf p i
  b <- byteOf p (i + 1)
  pure (if a - 48 < 10 && b - 48 < 10 then 10 * fromIntegral a + fromIntegral b - 528 else -1000)
{-# INLINE twoAt #-}

byteOf :: Ptr Word8 -> Int -> IO Word8
byteOf p i = peekHost (p `plusPtr` i)
{-# INLINE byteOf #-}

slowDay :: Get Day
slowDay = do
  sign <- optionIf (\w -> w == 43 || w == 45) anyWord8
  digits <- takeWhile isDigit
  if S.length digits < 4 then noDigit else pure ()
  size <- numberOf digits
  let year = if sign == Just 45 then negate size else size
  _ <- hyphen
  month <- twoUpTo 1 12 "no such month"
  _ <- hyphen
  n <- twoUpTo 1 (gregorianMonthLength year month) "no such day in this month"
  pure $! fromGregorian year month n
  where
    hyphen = word8 0x2D

-- Two digits that make a number in a range.
twoUpTo :: Int -> Int -> String -> Get Int
twoUpTo least most message = do
  at <- here
  n <- twoDigits
  if n >= least && n <= most then pure n else invalidFrom at message

-- | A time of day: @HH:MM:SS@ or @HH:MM@. The seconds may have a fraction, whose digits after the
-- twelfth must be 0. The second may be 60, for a leap second.
--
-- >>> import qualified Ashlar.Get.Time as T
-- >>> runGet T.timeOfDay "07:05:03.25"
-- Right 07:05:03.25
-- >>> either (putStrLn . summarizeError) print (runGet T.timeOfDay "24:00:00")
-- at byte 0: no such hour
timeOfDay :: Get TimeOfDay
timeOfDay = do
  Clock h m picos <- clock
  pure $! TimeOfDay h m (MkFixed picos)

-- Hour and minute, and the picoseconds of the minute.
data Clock = Clock !Int !Int !Integer

clock :: Get Clock
clock =
  step quickSeconds >>= \n ->
    if n < 0
      then slowClock
      else do
        let (minutes, s) = n `quotRem` 64
            (h, m) = minutes `quotRem` 64
        withFraction h m s

-- Read the fraction of a second that may follow.
withFraction :: Int -> Int -> Int -> Get Clock
withFraction h m s = do
  picos <- picosAfterPoint
  -- Evaluated: a thunk would keep the digits, and so the input.
  pure $! Clock h m (wholeSeconds + picos)
  where
    wholeSeconds = toInteger s * toInteger picosPerSecond

-- Read a time, and return hour, minute and second, with 6 bits each for the last two, or read
-- nothing and return -1. See Note [Dates that lie in one chunk].
quickSeconds :: Cells -> Env -> IO Int
quickSeconds c _ = do
  p <- getPtr c cursorCell
  e <- getPtr c endCell
  if e `minusPtr` p < 8
    then pure (-1)
    else do
      -- All of these are among the 8 bytes.
      h <- twoAt p 0
      colon1 <- byteOf p 2
      m <- twoAt p 3
      colon2 <- byteOf p 5
      s <- twoAt p 6
      let exists =
            h >= 0 && h < 24 && colon1 == 0x3A
              && m >= 0
              && m < 60
              && colon2 == 0x3A
              && s >= 0
              && s < 61
      if exists
        then ((h * 64 + m) * 64 + s) <$ putPtr c cursorCell (p `plusPtr` 8)
        else pure (-1)

slowClock :: Get Clock
slowClock = do
  h <- twoUpTo 0 23 "no such hour"
  _ <- colon
  m <- twoUpTo 0 59 "no such minute"
  i <- nextCode
  if i /= 0x3A
    then pure (Clock h m 0)
    else do
      skip 1
      twoUpTo 0 60 "no such second" >>= withFraction h m
  where
    colon = word8 0x3A

-- The picoseconds of a fraction, if there is one.
picosAfterPoint :: Get Integer
picosAfterPoint =
  nextCode >>= \i ->
    if i /= 0x2E
      then pure 0
      else do
        skip 1
        at <- here
        digits <- someDigits
        let (picos, after) = S.splitAt 12 digits
            value = S.foldl' (\acc w -> 10 * acc + fromIntegral (w - 48)) 0 picos :: Word64
        case S.findIndex (/= 48) after of
          Just k -> invalidFrom (at + 12 + k) "a fraction of a picosecond"
          Nothing -> pure $! toInteger (value * 10 ^ (12 - S.length picos))

-- | A date and a time of day, with a @T@, a @t@ or a space between them.
localTime :: Get LocalTime
localTime = do
  date <- day
  separator
  time <- timeOfDay
  pure $! LocalTime date time

separator :: Get ()
separator =
  guardedGet (\w -> w == 0x54 || w == 0x74 || w == 0x20) (Expectation ["'T' or a space"]) advance

-- | The difference from UTC: @+HH:MM@, @+HHMM@, @+HH@, the same with @-@, or @Z@ or @z@ for 'utc'.
--
-- >>> import qualified Ashlar.Get.Time as T
-- >>> runGet T.timeZone "-01:30"
-- Right -0130
timeZone :: Get TimeZone
timeZone = zoneOr utc minutesToTimeZone

-- The first argument is for UTC by name, the second for a difference in minutes.
-- (The result is evaluated, as in all of these: a thunk would keep what it is made of.)
zoneOr :: a -> (Int -> a) -> Get a
zoneOr named ahead =
  guardedGet begins (Expectation ["'Z', '+' or '-'"]) $
    takeByte >>= \w -> case w of
      43 -> ahead <$!> difference
      45 -> ahead . negate <$!> difference
      _ -> pure named
  where
    begins w = w == 0x5A || w == 0x7A || w == 43 || w == 45
    difference = do
      h <- twoUpTo 0 23 "no such hour"
      i <- nextCode
      if i == 0x3A
        then skip 1 *> minutesAfter h
        else if i >= 48 && i < 58 then minutesAfter h else pure $! 60 * h
    minutesAfter h = (60 * h +) <$!> twoUpTo 0 59 "no such minute"

-- | A 'localTime', and its 'timeZone'.
zonedTime :: Get ZonedTime
zonedTime = do
  time <- localTime
  zone <- timeZone
  pure $! ZonedTime time zone

-- | A 'localTime' and its 'timeZone', as the time in UTC. A second 60 is accepted only as the last
-- of a day in UTC.
--
-- >>> import qualified Ashlar.Get.Time as T
-- >>> runGet T.utcTime "2024-02-29T12:00:00+01:00"
-- Right 2024-02-29 11:00:00 UTC
utcTime :: Get UTCTime
utcTime = do
  ModifiedJulianDay n <- day
  separator
  at <- here
  Clock h m picos <- clock
  ahead <- zoneOr 0 id
  let (days, minutes) = (60 * h + m - ahead) `divMod` 1440
      !date = ModifiedJulianDay (n + toInteger days)
      !time = picosecondsToDiffTime (toInteger minutes * 60000000000000 + picos)
  if picos >= 60000000000000 && minutes /= 1439
    then invalidFrom at "a leap second within a day"
    else pure $! UTCTime date time
