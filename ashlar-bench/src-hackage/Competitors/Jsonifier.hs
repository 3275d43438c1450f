-- |
-- Module      : Competitors.Jsonifier
-- Description : jsonifier
module Competitors.Jsonifier (competitors) where

import qualified Data.Aeson as Aeson
import qualified Data.Aeson.Key as Key
import qualified Data.Aeson.KeyMap as KeyMap
import qualified Jsonifier as J
import Shapes (document)
import Workload

-- | Work of workloads, by their names.
competitors :: [(String, (String, IO ()))]
competitors = [("json: 60 KB, strict", ("jsonifier", apply (J.toByteString . json) document))]

json :: Aeson.Value -> J.Json
json value = case value of
  Aeson.Object o -> J.object [(Key.toText k, json v) | (k, v) <- KeyMap.toList o]
  Aeson.Array a -> J.array (fmap json a)
  Aeson.String t -> J.textString t
  Aeson.Number x -> J.scientificNumber x
  Aeson.Bool b -> J.bool b
  Aeson.Null -> J.null
