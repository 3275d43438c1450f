{-# LANGUAGE DeriveAnyClass #-}
{-# LANGUAGE DeriveGeneric #-}
{-# LANGUAGE DerivingStrategies #-}

-- |
-- Module      : Datasets.Mesh
-- Description : Triangles in space
module Datasets.Mesh (Triangle, mesh) where

import Ashlar.Codec (Codec)
import Data.Binary (Binary)
import Data.Serialize (Serialize)
import Data.Store (Store)
import qualified Data.Vector as V
import Datasets.Generator
import GHC.Generics (Generic)
import Types ()

-- | A point or a direction.
data Vector3 = Vector3 !Float !Float !Float
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec, Store, Binary, Serialize)

-- | Three corners and the normal.
data Triangle
  = Triangle
      {-# UNPACK #-} !Vector3
      {-# UNPACK #-} !Vector3
      {-# UNPACK #-} !Vector3
      {-# UNPACK #-} !Vector3
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec, Store, Binary, Serialize)

-- | 125,000 of them.
mesh :: V.Vector Triangle
mesh = generated (vectorOf 125000 125001 (Triangle <$> vector <*> vector <*> vector <*> vector))
  where
    vector = Vector3 <$> float <*> float <*> float
