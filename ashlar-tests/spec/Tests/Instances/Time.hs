-- |
-- Module      : Tests.Instances.Time
-- Description : The instances for dates and times
module Tests.Instances.Time
  ( times,
    diffTime,
    timeOfDay,
    localTime,
    timeZone,
    zonedTime,
  )
where

import Ashlar.Codec.Laws (Samples (..))
import Data.Fixed (Pico)
import Data.Ratio ((%))
import Data.Time.Calendar
import Data.Time.Clock
import Data.Time.Clock.System (SystemTime (..))
import Data.Time.Clock.TAI (addAbsoluteTime, taiEpoch)
import Data.Time.LocalTime
import Test.QuickCheck
import Tests.Instances.Type

times :: Section
times =
  Section
    "Dates and times"
    [ made "Day" day [ModifiedJulianDay 0, fromGregorian 2024 2 29],
      made "DayOfWeek" (elements [Monday .. Sunday]) [Monday, Sunday],
      made "DiffTime" diffTime [1.5],
      made "NominalDiffTime" (secondsToNominalDiffTime . realToFrac <$> diffTime) [-1],
      made
        "UTCTime"
        utcTime
        [ UTCTime (ModifiedJulianDay 60369) 3600,
          UTCTime (ModifiedJulianDay 57753) 86400.5
        ],
      made
        "UniversalTime"
        (ModJulianDate <$> ((\n d -> n % (1 + abs d)) <$> arbitrary <*> arbitrary))
        [ModJulianDate (1 % 2)],
      made "AbsoluteTime" ((`addAbsoluteTime` taiEpoch) <$> diffTime) [addAbsoluteTime 1 taiEpoch],
      made "SystemTime" (MkSystemTime <$> arbitrary <*> choose (0, 1999999999)) [MkSystemTime 1 2],
      made "TimeOfDay" timeOfDay [TimeOfDay 23 59 60.5],
      made "LocalTime" localTime [LocalTime (ModifiedJulianDay 60369) midday],
      made "TimeZone" timeZone [TimeZone 60 False "CET"],
      Golden
        "ZonedTime"
        zonedTime
        [ ZonedTime
            (LocalTime (ModifiedJulianDay 60369) midday)
            (TimeZone 60 False "CET")
        ],
      made "CalendarDiffDays" (CalendarDiffDays <$> arbitrary <*> arbitrary) [CalendarDiffDays 1 2],
      made
        "CalendarDiffTime"
        (CalendarDiffTime <$> arbitrary <*> (realToFrac <$> diffTime))
        [CalendarDiffTime 1 2]
    ]

day :: Gen Day
day = ModifiedJulianDay <$> oneof [choose (0, 100000), choose (-(2 ^ (80 :: Int)), 2 ^ (80 :: Int))]

diffTime :: Gen DiffTime
diffTime = picosecondsToDiffTime <$> oneof [arbitrary, choose (-(2 ^ (80 :: Int)), 2 ^ (80 :: Int))]

utcTime :: Gen UTCTime
utcTime = UTCTime <$> day <*> (picosecondsToDiffTime <$> choose (0, 86401 * 10 ^ (12 :: Int) - 1))

timeOfDay :: Gen TimeOfDay
timeOfDay = TimeOfDay <$> choose (0, 23) <*> choose (0, 59) <*> seconds
  where
    seconds =
      (\n -> fromRational (n % 10 ^ (12 :: Int))) <$> choose (0, 61 * 10 ^ (12 :: Int) - 1) ::
        Gen Pico

localTime :: Gen LocalTime
localTime = LocalTime <$> day <*> timeOfDay

timeZone :: Gen TimeZone
timeZone = TimeZone <$> arbitrary <*> arbitrary <*> arbitrary

-- It has no Eq instance.
zonedTime :: Samples ZonedTime
zonedTime = Samples (ZonedTime <$> localTime <*> timeZone) (const []) show same
  where
    same (ZonedTime a x) (ZonedTime b y) = (a, x) == (b, y)
