-- |
-- Module      : Competitors.Builders
-- Description : mason, fast-builder and text-builder-linear
module Competitors.Builders (competitors) where

import qualified Data.ByteString.FastBuilder as Fast
import qualified Data.Text.Builder.Linear as Linear
import qualified Data.Vector.Storable as V
import qualified Mason.Builder as Mason
import Workload
import Workloads.Appends (someWords)
import Workloads.Digits (allLengths)

-- | Work of workloads, by their names.
competitors :: [(String, (String, IO ()))]
competitors =
  concat
    [ [ ("regularConcat-" ++ show n, ("mason", apply mason (someWords n))),
        ("regularConcat-" ++ show n, ("fast-builder", apply fast (someWords n)))
      ]
      | n <- [100, 10000]
    ]
    ++ [ ( "write 1000 Int64 of all lengths, decimal",
           ("text-builder-linear", apply linear allLengths)
         )
       ]
  where
    -- Mason's builders are polymorphic: foldMap has no type for them.
    mason = Mason.toStrictByteString . foldr (\bs rest -> Mason.byteString bs <> rest) mempty
    fast = Fast.toStrictByteString . foldMap Fast.byteString
    linear = Linear.runBuilder . V.foldr number mempty
    number x rest = Linear.fromDec x <> Linear.fromChar ' ' <> rest
