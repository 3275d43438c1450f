-- |
-- Module      : Ashlar.Compat.Cereal
-- Description : Data.Serialize.Get and Data.Serialize.Put, by import
--
-- What "Ashlar.Compat.Cereal.Get" and "Ashlar.Compat.Cereal.Put" export: what
-- "Data.Serialize" does, but for its class. In the place of that there is
-- "Ashlar.Codec".
module Ashlar.Compat.Cereal
  ( module Ashlar.Compat.Cereal.Get,
    module Ashlar.Compat.Cereal.Put,
  )
where

import Ashlar.Compat.Cereal.Get
import Ashlar.Compat.Cereal.Put
