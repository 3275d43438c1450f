{-# LANGUAGE DeriveAnyClass #-}
{-# LANGUAGE DeriveGeneric #-}
{-# LANGUAGE DerivingStrategies #-}

-- |
-- Module      : Datasets.Mk48
-- Description : What a game of ships sends to its players
module Datasets.Mk48 (Update, updates) where

import Ashlar.Codec (Codec)
import Control.Monad (replicateM)
import Data.Binary (Binary)
import qualified Data.ByteString as S
import Data.Int (Int16, Int8)
import Data.Serialize (Serialize)
import Data.Store (Store)
import qualified Data.Vector as V
import qualified Data.Vector.Unboxed as U
import Data.Word (Word16, Word32, Word8)
import Datasets.Generator
import GHC.Generics (Generic)
import Types ()

data EntityType
  = ArleighBurke
  | Bismarck
  | Clemenceau
  | Fletcher
  | G5
  | Iowa
  | Kolkata
  | Osa
  | Yasen
  | Zubr
  deriving stock (Eq, Show, Enum, Generic)
  deriving anyclass (Codec, Store, Binary, Serialize)

data Position = Position !Float !Float
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec, Store, Binary, Serialize)

data Transform = Transform
  { _altitude :: !Int8,
    _angle :: !Word16,
    _position :: !Position,
    _velocity :: !Int16
  }
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec, Store, Binary, Serialize)

data Guidance = Guidance
  { _guidanceAngle :: !Word16,
    _submerge :: !Bool,
    _guidanceVelocity :: !Int16
  }
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec, Store, Binary, Serialize)

data Contact = Contact
  { _damage :: !Word8,
    _entityId :: !Word32,
    _entityType :: !(Maybe EntityType),
    _guidance :: !Guidance,
    _playerId :: !(Maybe Word16),
    _reloads :: !(U.Vector Bool),
    _transform :: !Transform,
    _turretAngles :: !(U.Vector Word16)
  }
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec, Store, Binary, Serialize)

data TerrainUpdate = TerrainUpdate !Int8 !Int8 !S.ByteString
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec, Store, Binary, Serialize)

-- | What changed.
data Update = Update
  { _contacts :: !(V.Vector Contact),
    _score :: !Word32,
    _worldRadius :: !Float,
    _terrainUpdates :: !(V.Vector TerrainUpdate)
  }
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec, Store, Binary, Serialize)

-- | 1,000 of them.
updates :: V.Vector Update
updates = generated (vectorOf 1000 1001 update)

update :: Generator Update
update = do
  playerCount <- int32 200 400
  offset <- floatBetween (-50) 50
  let radius = sqrt (fromIntegral playerCount * 15000) + offset
      terrainRadius = ceiling (radius / 1600)
  contacts <- many 20 40 (contact (fromIntegral playerCount))
  share <- float
  extra <- int32 0 50
  let score = truncate (share * share * (share * share) * 5000) + fromIntegral extra
  Update contacts score radius <$> many 3 10 (terrain terrainRadius)
  where
    many from to g = int32 from to >>= \n -> V.replicateM (fromIntegral n) g

contact :: Word16 -> Generator Contact
contact playerCount = do
  (entityType, weapons, turrets) <- weighted fleet
  visible <- chance 0.7
  let whenVisible g = if visible then Just <$> g else pure Nothing
  undamaged <- if visible then chance 0.6 else pure False
  damage <- if undamaged then pure 0 else small 0 200
  entityId <- int32 0 (fromIntegral playerCount * 20)
  guidance <- Guidance <$> word16 <*> submerged entityType <*> velocity
  playerId <- whenVisible (small 0 playerCount)
  reloads <- whenVisible (doubleBetween 0 1 >>= replicateM weapons . chance)
  transform <- Transform <$> altitude entityType <*> word16 <*> position <*> velocity
  turretAngles <- whenVisible (word16 >>= replicateM turrets . turretAngle)
  pure
    Contact
      { _damage = damage,
        _entityId = fromIntegral entityId,
        _entityType = if visible then Just entityType else Nothing,
        _guidance = guidance,
        _playerId = playerId,
        _reloads = maybe U.empty U.fromList reloads,
        _transform = transform,
        _turretAngles = maybe U.empty U.fromList turretAngles
      }
  where
    position = Position <$> floatBetween (-750) 750 <*> floatBetween (-750) 750
    turretAngle base = do
      near <- chance 0.75
      if near then (\x -> base + fromIntegral (x :: Int16)) <$> small (-200) 200 else word16

-- Each with its weapons, its turrets and how frequent it is.
fleet :: V.Vector ((EntityType, Int, Int), Float)
fleet =
  V.fromList
    [ ((ArleighBurke, 20, 1), 2.14),
      ((Bismarck, 10, 4), 0.52),
      ((Clemenceau, 16, 4), 0.97),
      ((Fletcher, 18, 4), 1.46),
      ((G5, 2, 0), 13.16),
      ((Iowa, 28, 3), 1.55),
      ((Kolkata, 15, 1), 0.83),
      ((Osa, 6, 2), 7.25),
      ((Yasen, 14, 0), 4.06),
      ((Zubr, 11, 3), 12.92)
    ]

submerged :: EntityType -> Generator Bool
submerged entityType = if entityType == Yasen then chance 0.9 else pure False

altitude :: EntityType -> Generator Int8
altitude entityType = submerged entityType >>= \deep -> if deep then small (-120) (-35) else pure 0

-- Forward, still or back.
velocity :: Generator Int16
velocity = do
  kind <- int32 0 100
  case () of
    _
      | kind < 80 -> small 140 900
      | kind < 90 -> pure 0
      | otherwise -> small (-225) (-35)

terrain :: Int8 -> Generator TerrainUpdate
terrain radius = do
  new <- chance 0.02
  x <- small (-radius) radius
  y <- small (-radius) radius
  TerrainUpdate x y . S.pack . V.toList
    <$> if new then vectorOf 900 1100 word8 else vectorOf 3 9 word8
