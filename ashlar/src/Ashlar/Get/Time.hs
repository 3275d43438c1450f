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

import Ashlar.Internal.Get.Time
import Prelude ()
