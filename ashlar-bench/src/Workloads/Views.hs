{-# LANGUAGE DataKinds #-}
{-# LANGUAGE DeriveAnyClass #-}
{-# LANGUAGE DeriveGeneric #-}
{-# LANGUAGE DerivingStrategies #-}
{-# LANGUAGE ForeignFunctionInterface #-}
{-# LANGUAGE ScopedTypeVariables #-}
{-# LANGUAGE TypeApplications #-}

-- |
-- Module      : Workloads.Views
-- Description : One field of many records, in place
--
-- The others decode all of a record. Binary and cereal would take tens of times as long.
module Workloads.Views (viewWorkloads) where

import qualified Ashlar.Codec as A
import Ashlar.View (View)
import qualified Ashlar.View as View
import qualified Data.ByteString as S
import qualified Data.ByteString.Unsafe as S
import Data.Int (Int32, Int64)
import qualified Data.Store as Store
import Data.Text (Text)
import qualified Data.Text as T
import qualified Data.Vector as V
import Data.Word (Word8)
import Foreign.C.Types (CDouble (..), CSize (..))
import Foreign.Ptr (Ptr, castPtr, plusPtr)
import GHC.Generics (Generic)
import Input (right)
import System.IO.Unsafe (unsafeDupablePerformIO)
import Workload

data Point = Point {_number :: !Int64, _kind :: !Int32, _x :: !Double, y :: !Double}
  deriving stock (Generic)
  deriving anyclass (A.Codec, Store.Store)

data Named = Named {_name :: !Text, _note :: !Text, amount :: !Double}
  deriving stock (Generic)
  deriving anyclass (A.Codec, Store.Store)

-- | All of them.
viewWorkloads :: [Workload]
viewWorkloads =
  [ same
      "sum of one field of 1000000 records of constant size, in place"
      [ ("ashlar", \(bs, _) -> inPlace @Point (View.field @"y") bs),
        ("ashlar, decode", \(bs, _) -> decoded y bs),
        ("C", \(bs, _) -> loop bs),
        ("store", \(_, bs) -> V.foldl' (\acc p -> acc + y p) 0 (right (Store.decode bs)))
      ]
      (A.encode points, Store.encode points),
    same
      "sum of one field behind two texts of 100000 records, in place"
      [ ("ashlar", \(bs, _) -> inPlace @Named (View.field @"amount") bs),
        ("ashlar, decode", \(bs, _) -> decoded amount bs),
        ("store", \(_, bs) -> V.foldl' (\acc r -> acc + amount r) 0 (right (Store.decode bs)))
      ]
      (A.encode names, Store.encode names)
  ]
  where
    points = V.generate 1000000 (\i -> Point (fromIntegral i) 1 2 (fromIntegral i))
    names = V.generate 100000 (\i -> Named (T.pack (show i)) (T.pack "a text of some length") 1)

inPlace :: forall a. A.Codec a => (View a -> View Double) -> S.ByteString -> Double
inPlace part bs = View.foldElements add 0 (elementsOf (right (View.view bs)))
  where
    add acc v = acc + right (View.decodeView (part v))
    elementsOf :: View (V.Vector a) -> View (V.Vector a)
    elementsOf v = v
{-# INLINE inPlace #-}

decoded :: A.Codec a => (a -> Double) -> S.ByteString -> Double
decoded part bs = V.foldl' (\acc r -> acc + part r) 0 (right (A.decode bs))
{-# INLINE decoded #-}

-- The same numbers at their addresses.
loop :: S.ByteString -> Double
loop bs = unsafeDupablePerformIO . S.unsafeUseAsCString bs $ \p -> do
  let points = (S.length bs - 8) `quot` 28
  CDouble total <- sumStrided (castPtr p `plusPtr` 28) (fromIntegral points) 28
  pure total

foreign import ccall unsafe "ashlar_bench_sum_strided"
  sumStrided :: Ptr Word8 -> CSize -> CSize -> IO CDouble
