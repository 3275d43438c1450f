{-# LANGUAGE DeriveAnyClass #-}
{-# LANGUAGE DeriveGeneric #-}
{-# LANGUAGE DerivingStrategies #-}
{-# OPTIONS_GHC -Wno-orphans #-}

-- |
-- Module      : Types
-- Description : The data that is encoded and decoded, with derived instances
--
-- All instances are derived with Generics, for each library as its documentation shows.
module Types
  ( SomeData (..),
    someData,
    Tree (..),
    tree,
  )
where

import Ashlar.Codec (Codec)
import Data.Binary (Binary)
import qualified Data.Binary as Binary
import Data.Int (Int64)
import Data.Serialize (Serialize)
import qualified Data.Serialize as Cereal
import Data.Store (Store)
import Data.Text (Text)
import qualified Data.Text.Encoding as T
import qualified Data.Vector as V
import qualified Data.Vector.Unboxed as U
import Data.Word (Word8)
import GHC.Generics (Generic)

-- | The record of store's own benchmark.
data SomeData = SomeData !Int64 !Word8 !Double
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec, Store, Binary, Serialize)

-- | This many records.
someData :: Int -> V.Vector SomeData
someData n =
  V.generate n (\i -> SomeData (fromIntegral i * 7919) (fromIntegral i) (fromIntegral i / 3))

-- | A binary tree with numbers at its nodes.
data Tree = Leaf | Node Tree Int Tree
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec, Store, Binary, Serialize)

-- | A balanced tree of this many nodes.
tree :: Int -> Tree
tree n
  | n <= 0 = Leaf
  | otherwise = Node (tree half) n (tree (n - 1 - half))
  where
    half = (n - 1) `div` 2

-- binary and cereal have no instances for vectors. These convert to lists, as the packages that
-- provide such instances do.

instance Binary a => Binary (V.Vector a) where
  put v = Binary.put (V.length v) >> V.mapM_ Binary.put v
  get = Binary.get >>= \n -> V.replicateM n Binary.get

instance Serialize a => Serialize (V.Vector a) where
  put v = Cereal.put (V.length v) >> V.mapM_ Cereal.put v
  get = Cereal.get >>= \n -> V.replicateM n Cereal.get

instance (U.Unbox a, Binary a) => Binary (U.Vector a) where
  put v = Binary.put (U.length v) >> U.mapM_ Binary.put v
  get = Binary.get >>= \n -> U.replicateM n Binary.get

instance (U.Unbox a, Serialize a) => Serialize (U.Vector a) where
  put v = Cereal.put (U.length v) >> U.mapM_ Cereal.put v
  get = Cereal.get >>= \n -> U.replicateM n Cereal.get

-- cereal has no instance for text, nor does any library that Debian packages.
instance Serialize Text where
  put = Cereal.put . T.encodeUtf8
  get = T.decodeUtf8 <$> Cereal.get
