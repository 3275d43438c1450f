{-# LANGUAGE DataKinds #-}
{-# LANGUAGE DeriveAnyClass #-}
{-# LANGUAGE DeriveGeneric #-}
{-# LANGUAGE DerivingStrategies #-}
{-# LANGUAGE ScopedTypeVariables #-}
{-# LANGUAGE TypeApplications #-}

-- |
-- Module      : Views
-- Description : What reading in place takes
module Views (fieldsInPlace) where

import Ashlar.Codec
import Ashlar.View (View)
import qualified Ashlar.View as View
import Control.Exception (evaluate)
import qualified Data.ByteString as S
import Data.Int (Int32)
import Data.Text (Text)
import qualified Data.Text as T
import GHC.Generics (Generic)
import Measure
import Test.Tasty.HUnit

-- Nothing for each element: neither behind fields of constant size, nor behind texts, nor where a
-- value may be refused.
fieldsInPlace :: Assertion
fieldsInPlace = do
  nothingForEach $ \n ->
    evaluate (encode [Point 1 (fromIntegral i) True | i <- [1 .. n]]) >>= allocatedBy points
  nothingForEach $ \n ->
    evaluate (encode [Named (T.pack (show i)) T.empty 1 | i <- [1 .. n]]) >>= allocatedBy named
  where
    points = summed @Point (View.foldElements point 0)
    point acc v = acc + value (View.field @"y" v) + flags v
    flags :: View Point -> Double
    flags v = if value (View.field @"flag" v) then 1 else 0
    named = summed @Named (View.foldElements amounts 0)
    amounts :: Double -> View Named -> Double
    amounts acc v = acc + value (View.field @"amount" v)
    {-# NOINLINE points #-}
    {-# NOINLINE named #-}

summed :: forall a. Codec a => (View [a] -> Double) -> S.ByteString -> Double
summed f bs = either (const 0) f (View.view bs)
{-# INLINE summed #-}

value :: Codec a => View a -> a
value v = either (error . show) id (View.decodeView v)
{-# INLINE value #-}

data Point = Point {_x :: Int32, y :: Double, flag :: Bool}
  deriving stock (Generic)
  deriving anyclass (Codec)

data Named = Named {_name :: Text, _note :: Text, amount :: Double}
  deriving stock (Generic)
  deriving anyclass (Codec)
