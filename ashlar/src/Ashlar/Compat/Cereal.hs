{-# LANGUAGE Safe #-}

-- |
-- Module      : Ashlar.Compat.Cereal
-- Description : Data.Serialize without its class, by import
--
-- Every name that "Data.Serialize" exports beside its class. In place of the class there is
-- "Ashlar.Codec".
module Ashlar.Compat.Cereal
  ( module Ashlar.Compat.Cereal.Get,
    module Ashlar.Compat.Cereal.Put,
    module Ashlar.Compat.Cereal.IEEE754,
  )
where

import Ashlar.Compat.Cereal.Get
import Ashlar.Compat.Cereal.IEEE754
import Ashlar.Compat.Cereal.Put
