{-# LANGUAGE DeriveAnyClass #-}
{-# LANGUAGE DeriveGeneric #-}
{-# LANGUAGE DerivingStrategies #-}
{-# OPTIONS_GHC -O1 #-}

-- |
-- Module      : Tests.Derived
-- Description : Types of every shape, with derived instances
--
-- The first ones are those of docs/format.md. Their instances are optimised, as users' are.
module Tests.Derived
  ( Record (..),
    AllFixed (..),
    Shape (..),
    Colour (..),
    Tree (..),
    Rose (..),
    Pair (..),
    Wrapper (..),
    Unit (..),
    Never,
    Perfect (..),
    Towers (..),
    Expression (..),
    Binding (..),
    Phantom (..),
    Nest (..),
    Endless (..),
    Chain (..),
  )
where

import Ashlar.Codec (Codec)
import Ashlar.Schema (Described)
import Data.Int (Int32, Int64)
import Data.Map (Map)
import Data.Text (Text)
import Data.Word (Word16, Word8)
import GHC.Generics (Generic)

data Record = Record
  { first :: !Int32,
    second :: Word8,
    name :: Text,
    flag :: !Bool,
    marks :: [Word16],
    table :: !(Map Int Text),
    last' :: Double
  }
  deriving stock (Generic)
  deriving anyclass (Codec, Described)

data AllFixed = AllFixed !Int64 Word8 Double (Bool, Colour)
  deriving stock (Generic)
  deriving anyclass (Codec, Described)

data Shape
  = Point
  | Circle Double
  | Polygon [(Double, Double)]
  | Named Text Shape
  | Both Shape Shape
  deriving stock (Generic)
  deriving anyclass (Codec, Described)

data Colour = Red | Green | Blue
  deriving stock (Generic)
  deriving anyclass (Codec, Described)

data Tree a = Leaf | Node (Tree a) a (Tree a)
  deriving stock (Generic)
  deriving anyclass (Codec, Described)

data Rose a = Rose a [Rose a]
  deriving stock (Generic)
  deriving anyclass (Codec, Described)

data Pair a = Pair a a
  deriving stock (Generic)
  deriving anyclass (Codec, Described)

newtype Wrapper = Wrapper Text
  deriving stock (Generic)
  deriving anyclass (Codec, Described)

data Unit = Unit
  deriving stock (Generic)
  deriving anyclass (Codec, Described)

-- | No values.
data Never
  deriving stock (Generic)
  deriving anyclass (Codec, Described)

-- | Polymorphic recursion.
data Perfect a = Zero a | Succ (Perfect (Pair a))
  deriving stock (Generic)

instance Codec a => Codec (Perfect a)

instance Described a => Described (Perfect a)

-- | Polymorphic recursion in two types.
data Towers a = Top | Higher a (Maybe (Pair (Towers [a]))) (Towers (Maybe a))
  deriving stock (Generic)

instance Codec a => Codec (Towers a)

instance Described a => Described (Towers a)

-- | Mutual recursion.
data Expression = Literal Int | Variable Text | Let [Binding] Expression
  deriving stock (Generic)
  deriving anyclass (Codec, Described)

data Binding = Binding {bound :: Text, value :: Expression}
  deriving stock (Generic)
  deriving anyclass (Codec, Described)

-- | The parameter is not used.
newtype Phantom a = Phantom {real :: Word16}
  deriving stock (Generic)
  deriving anyclass (Codec, Described)

-- | A recursive newtype.
newtype Nest = Nest [Nest]
  deriving stock (Generic)
  deriving anyclass (Codec, Described)

-- | Without finite values.
data Endless = Endless Word8 Endless
  deriving stock (Generic)
  deriving anyclass (Codec, Described)

-- | Four types of one type constructor inside of each other: no polymorphic recursion.
newtype Chain = Chain (Either Int (Either Int (Either [Int] (Either [Maybe Int] Colour))))
  deriving stock (Generic)
  deriving anyclass (Codec, Described)
