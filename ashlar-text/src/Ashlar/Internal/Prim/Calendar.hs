-- |
-- Module      : Ashlar.Internal.Prim.Calendar
-- Description : Dates and times of day as text, in memory
--
-- The dates are those of the years 0000 to 9999, which have four digits.
--
-- Note [Counting days from March]
-- ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
-- If years begin in March, the leap day is the last day of a year. Then the number of days before a
-- month is a linear function of the month, rounded down, and the number of days before a year is a
-- function of the year and the centuries. (Howard Hinnant, "chrono-compatible low-level date
-- algorithms", 2013.) 400 years have 146,097 days. Days are counted from March of the year -400, so
-- that no number is negative. The functions of @time@ are slower: they work with 'Integer's and
-- lists of months. (Benchmarks "1000 UTCTimes".)
module Ashlar.Internal.Prim.Calendar
  ( -- * Dates
    firstDay,
    lastDay,
    writeDay,
    dayOf,
    lengthOfMonth,

    -- * Times of day
    writeTimeOfDay,
    picosPerSecond,
  )
where

import Ashlar.Internal.Mem (peekHost, pokeHost, pokeLE)
import Ashlar.Internal.Prim.Decimal (asCharacters, digits2, digits4, digits8, quotRem1e8)
import Data.Bits (unsafeShiftL, (.&.), (.|.))
import Data.Word (Word16, Word64, Word8)
import Foreign.Ptr (Ptr, plusPtr)

-- | The first day of the year 0000 and the last of 9999, as Modified Julian Days.
firstDay, lastDay :: Int
firstDay = -678941
lastDay = 2973483

-- The number of days from March of the year -400 to the Modified Julian Day 0.
toMarch :: Int
toMarch = 678881 + 146097

-- | Write the date of a Modified Julian Day from 'firstDay' to 'lastDay', as @YYYY-MM-DD@: 10 bytes
-- must be writable.
writeDay :: Int -> Ptr Word8 -> IO ()
writeDay day p = do
  pokeLE p $
    asCharacters (digits4 (number year) .|. digits2 (number month) `unsafeShiftL` 40)
      - hyphen `unsafeShiftL` 32
      - hyphen `unsafeShiftL` 56
  pokeLE (p `plusPtr` 8) (fromIntegral (asCharacters (digits2 (number dayOfMonth))) :: Word16)
  where
    -- A hyphen is this much less than '0'.
    hyphen = 0x30 - 0x2D
    number :: Int -> Word64
    number = fromIntegral
    -- See Note [Counting days from March].
    (era, dayOfEra) = (day + toMarch) `quotRem` 146097
    yearOfEra =
      (dayOfEra - dayOfEra `quot` 1460 + dayOfEra `quot` 36524 - dayOfEra `quot` 146096) `quot` 365
    dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra `quot` 4 - yearOfEra `quot` 100)
    fromMarch = (5 * dayOfYear + 2) `quot` 153
    dayOfMonth = dayOfYear - (153 * fromMarch + 2) `quot` 5 + 1
    month = if fromMarch < 10 then fromMarch + 3 else fromMarch - 9
    year = 400 * (era - 1) + yearOfEra + (if month <= 2 then 1 else 0)

-- | The Modified Julian Day of a date: year from 0 to 9999, month and day, which must exist.
dayOf :: Int -> Int -> Int -> Int
dayOf y month dayOfMonth = 146097 * era + dayOfEra - toMarch
  where
    -- See Note [Counting days from March].
    year = y + 400 - (if month <= 2 then 1 else 0)
    (era, yearOfEra) = year `quotRem` 400
    fromMarch = if month > 2 then month - 3 else month + 9
    dayOfYear = (153 * fromMarch + 2) `quot` 5 + dayOfMonth - 1
    dayOfEra = 365 * yearOfEra + yearOfEra `quot` 4 - yearOfEra `quot` 100 + dayOfYear

-- | The days of a month, from 1 to 12, of a year that is not negative.
lengthOfMonth :: Int -> Int -> Int
lengthOfMonth year month
  | month == 2 = if leap then 29 else 28
  | month == 4 || month == 6 || month == 9 || month == 11 = 30
  | otherwise = 31
  where
    leap = year .&. 3 == 0 && (year `rem` 100 /= 0 || year `rem` 400 == 0)

-- | The picoseconds of a second.
picosPerSecond :: Word64
picosPerSecond = 1000000000000

-- | Write a time of day: @HH:MM:SS@, and the fraction of a second without zeros at its end, if it
-- is not 0. Return the address after it. 21 bytes must be writable. Hour, minute and second have
-- two digits at most.
writeTimeOfDay ::
  Word64 ->
  Word64 ->
  Word64 ->
  -- | Picoseconds, less than a second.
  Word64 ->
  Ptr Word8 ->
  IO (Ptr Word8)
writeTimeOfDay hour minute second picos p = do
  pokeLE p $
    asCharacters
      ( digits2 hour
          .|. digits2 minute `unsafeShiftL` 24
          .|. digits2 second `unsafeShiftL` 48
      )
      + colon `unsafeShiftL` 16
      + colon `unsafeShiftL` 40
  if picos == 0
    then pure (p `plusPtr` 8)
    else do
      let (high, low) = quotRem1e8 picos
      pokeHost (p `plusPtr` 8) (0x2E :: Word8)
      -- Eight bytes, of which the next write replaces four.
      pokeLE (p `plusPtr` 9) (asCharacters (digits4 high))
      pokeLE (p `plusPtr` 13) (asCharacters (digits8 low))
      withoutZeros (p `plusPtr` 21)
  where
    -- A colon is this much more than '0'.
    colon = 0x3A - 0x30
    -- Ends, because one of the digits is not 0.
    withoutZeros end = do
      c <- peekHost (end `plusPtr` (-1))
      if c == (0x30 :: Word8) then withoutZeros (end `plusPtr` (-1)) else pure end
