{-# LANGUAGE DeriveAnyClass #-}
{-# LANGUAGE DeriveGeneric #-}
{-# LANGUAGE DerivingStrategies #-}
{-# LANGUAGE OverloadedStrings #-}

-- |
-- Module      : Datasets.Minecraft
-- Description : What a game saves of its players
module Datasets.Minecraft (Player, players) where

import Ashlar.Codec (Codec)
import Data.Binary (Binary)
import Data.Int (Int32, Int64, Int8)
import Data.Serialize (Serialize)
import Data.Store (Store)
import Data.Text (Text)
import qualified Data.Text as T
import qualified Data.Vector as V
import Data.Word (Word16, Word32, Word8)
import Datasets.Generator
import GHC.Generics (Generic)
import Types ()

data GameType = Survival | Creative | Adventure | Spectator
  deriving stock (Eq, Show, Enum, Generic)
  deriving anyclass (Codec, Store, Binary, Serialize)

data Item = Item
  { _count :: !Int8,
    _slot :: !Word8,
    _itemId :: !Text
  }
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec, Store, Binary, Serialize)

data Abilities = Abilities
  { _walkSpeed :: !Float,
    _flySpeed :: !Float,
    _mayFly :: !Bool,
    _flying :: !Bool,
    _isInvulnerable :: !Bool,
    _mayBuild :: !Bool,
    _instaBuild :: !Bool
  }
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec, Store, Binary, Serialize)

data Point = Point !Double !Double !Double
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec, Store, Binary, Serialize)

data Rotation = Rotation !Float !Float
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec, Store, Binary, Serialize)

data UniqueId = UniqueId !Word32 !Word32 !Word32 !Word32
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec, Store, Binary, Serialize)

data Entity = Entity
  { _entityId :: !Text,
    _position :: !Point,
    _motion :: !Point,
    _rotation :: !Rotation,
    _fallDistance :: !Float,
    _fire :: !Word16,
    _air :: !Word16,
    _onGround :: !Bool,
    _noGravity :: !Bool,
    _invulnerable :: !Bool,
    _portalCooldown :: !Int32,
    _unique :: !UniqueId,
    _customName :: !(Maybe Text),
    _customNameVisible :: !Bool,
    _silent :: !Bool,
    _glowing :: !Bool
  }
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec, Store, Binary, Serialize)

data Vehicle = Vehicle !UniqueId !Entity
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec, Store, Binary, Serialize)

data RecipeBook = RecipeBook
  { _recipes :: !(V.Vector Text),
    _toBeDisplayed :: !(V.Vector Text),
    _filteringCraftable :: !Bool,
    _guiOpen :: !Bool,
    _furnaceFilteringCraftable :: !Bool,
    _furnaceGuiOpen :: !Bool,
    _blastingFurnaceFilteringCraftable :: !Bool,
    _blastingFurnaceGuiOpen :: !Bool,
    _smokerFilteringCraftable :: !Bool,
    _smokerGuiOpen :: !Bool
  }
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec, Store, Binary, Serialize)

-- | A player.
data Player = Player
  { _gameType :: !GameType,
    _previousGameType :: !GameType,
    _score :: !Int64,
    _dimension :: !Text,
    _selectedItemSlot :: !Word32,
    _selectedItem :: !Item,
    _spawnDimension :: !(Maybe Text),
    _spawnX :: !Int64,
    _spawnY :: !Int64,
    _spawnZ :: !Int64,
    _spawnForced :: !(Maybe Bool),
    _sleepTimer :: !Word16,
    _foodExhaustion :: !Float,
    _foodSaturation :: !Float,
    _foodTickTimer :: !Word32,
    _xpLevel :: !Word32,
    _xpPart :: !Float,
    _xpTotal :: !Int32,
    _xpSeed :: !Int32,
    _inventory :: !(V.Vector Item),
    _enderItems :: !(V.Vector Item),
    _abilities :: !Abilities,
    _enteredNether :: !(Maybe Point),
    _rootVehicle :: !(Maybe Vehicle),
    _leftShoulder :: !(Maybe Entity),
    _rightShoulder :: !(Maybe Entity),
    _seenCredits :: !Bool,
    _recipeBook :: !RecipeBook
  }
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec, Store, Binary, Serialize)

-- | 500 of them.
players :: V.Vector Player
players = generated (vectorOf 500 501 player)

player :: Generator Player
player =
  Player <$> gameType <*> gameType
    <*> int64
    <*> dimension
    <*> word32
    <*> item
    <*> optional dimension
    <*> int64
    <*> int64
    <*> int64
    <*> optional coin
    <*> word16
    <*> float
    <*> float
    <*> word32
    <*> word32
    <*> float
    <*> (fromIntegral <$> word32)
    <*> (fromIntegral <$> word32)
    <*> vectorOf 0 40 item
    <*> vectorOf 0 27 item
    <*> abilities
    <*> optional point
    <*> optional (Vehicle <$> unique <*> entity)
    <*> optional entity
    <*> optional entity
    <*> coin
    <*> recipeBook
  where
    gameType = toEnum . fromIntegral <$> int32 0 4
    int64 = fromIntegral <$> word64
    dimension = oneOf (V.fromList ["overworld", "nether", "end"])

item :: Generator Item
item = Item <$> (fromIntegral <$> word32) <*> word8 <*> oneOf names
  where
    names = V.fromList (T.words "dirt stone pickaxe sand gravel shovel chestplate steak")

abilities :: Generator Abilities
abilities = Abilities <$> float <*> float <*> coin <*> coin <*> coin <*> coin <*> coin

point :: Generator Point
point = Point <$> double <*> double <*> double

unique :: Generator UniqueId
unique = UniqueId <$> word32 <*> word32 <*> word32 <*> word32

entity :: Generator Entity
entity =
  Entity <$> oneOf kinds
    <*> point
    <*> point
    <*> (Rotation <$> float <*> float)
    <*> float
    <*> word16
    <*> word16
    <*> coin
    <*> coin
    <*> coin
    <*> (fromIntegral <$> word32)
    <*> unique
    <*> optional (oneOf names)
    <*> coin
    <*> coin
    <*> coin
  where
    kinds = V.fromList (T.words "cow sheep zombie skeleton spider creeper parrot bee")
    names = V.fromList (T.words "rainbow princess steve johnny missy coward fairy howard")

recipeBook :: Generator RecipeBook
recipeBook =
  RecipeBook <$> vectorOf 0 30 recipe <*> vectorOf 0 10 recipe
    <*> coin
    <*> coin
    <*> coin
    <*> coin
    <*> coin
    <*> coin
    <*> coin
    <*> coin
  where
    recipe = oneOf names
    names =
      V.fromList
        ["pickaxe", "torch", "bow", "crafting table", "furnace", "shears", "arrow", "tnt"]
