{-# LANGUAGE Trustworthy #-}

-- |
-- Module      : Ashlar.Builder.Time
-- Description : Dates and times in ISO 8601
--
-- The types of @time@, as RFC 3339 and ISO 8601 write them. "Ashlar.Get.Time" reads them, by the
-- same names: import both qualified.
module Ashlar.Builder.Time
  ( day,
    timeOfDay,
    localTime,
    timeZone,
    zonedTime,
    utcTime,
  )
where

import Ashlar.Internal.Builder.Time
import Prelude ()
