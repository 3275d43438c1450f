{-# LANGUAGE OverloadedStrings #-}
{-# LANGUAGE TypeApplications #-}
{-# OPTIONS_GHC -Wno-orphans #-}

-- |
-- Module      : Ashlar.Schema.Internal.Instances.Time
-- Description : Dates, times and durations
module Ashlar.Schema.Internal.Instances.Time () where

import Ashlar.Schema.Internal.ByHand
import Ashlar.Schema.Internal.Describe
import Ashlar.Schema.Internal.Instances.Base ()
import Ashlar.Schema.Internal.Types
import Data.Fixed (Pico)
import Data.Int (Int64)
import Data.Text (Text)
import Data.Time.Calendar (CalendarDiffDays, Day, DayOfWeek)
import Data.Time.Clock (DiffTime, NominalDiffTime, UTCTime, UniversalTime)
import Data.Time.Clock.System (SystemTime)
import Data.Time.Clock.TAI (AbsoluteTime)
import Data.Time.LocalTime (CalendarDiffTime, LocalTime, TimeOfDay, TimeZone, ZonedTime)
import Data.Word (Word32, Word8)

instance Described Day where
  describe = plainly (Leaf Date)

instance Described DiffTime where
  describe = plainly (Leaf Duration)

instance Described NominalDiffTime where
  describe = plainly (Leaf Duration)

instance Described UniversalTime where
  describe = wrapper @Rational "UniversalTime"

instance Described AbsoluteTime where
  describe = wrapper @DiffTime "AbsoluteTime"

instance Described UTCTime where
  describe =
    orderedByParts $
      recordOf
        "UTCTime"
        [ part @Day "utctDay",
          partBy "utctDayTime" (whole @DiffTime 0 (86401 * second - 1))
        ]

instance Described SystemTime where
  describe =
    orderedByParts $
      recordOf
        "SystemTime"
        [ part @Int64 "systemSeconds",
          partBy "systemNanoseconds" (whole @Word32 0 1999999999)
        ]

instance Described TimeOfDay where
  describe =
    orderedByParts $
      recordOf
        "TimeOfDay"
        [ partBy "todHour" (whole @Word8 0 23),
          partBy "todMin" (whole @Word8 0 59),
          partBy "todSec" (whole @Pico 0 (61 * second - 1))
        ]

instance Described LocalTime where
  describe =
    orderedByParts $
      recordOf "LocalTime" [part @Day "localDay", part @TimeOfDay "localTimeOfDay"]

instance Described TimeZone where
  describe =
    orderedByParts $
      recordOf
        "TimeZone"
        [ part @Int "timeZoneMinutes",
          part @Bool "timeZoneSummerOnly",
          part @String "timeZoneName"
        ]

instance Described ZonedTime where
  describe =
    recordOf
      "ZonedTime"
      [part @LocalTime "zonedTimeToLocalTime", part @TimeZone "zonedTimeZone"]

instance Described CalendarDiffDays where
  describe =
    orderedByParts $
      recordOf "CalendarDiffDays" [part @Integer "cdMonths", part @Integer "cdDays"]

instance Described CalendarDiffTime where
  describe =
    orderedByParts $
      recordOf "CalendarDiffTime" [part @Integer "ctMonths", part @NominalDiffTime "ctTime"]

-- | The tag 0 is not in use.
instance Described DayOfWeek where
  describe =
    orderedByParts $
      variantOf "DayOfWeek" (retiredCase "" : map (\d -> caseOf d []) days)
    where
      days =
        ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"] :: [Text]

-- In picoseconds.
second :: Integer
second = 1000000000000
