{-# LANGUAGE DeriveAnyClass #-}
{-# LANGUAGE DeriveGeneric #-}
{-# LANGUAGE DerivingStrategies #-}
{-# LANGUAGE GeneralizedNewtypeDeriving #-}

-- |
-- Module      : Tests.Compat.Types
-- Description : Types whose instances are derived for binary, for cereal and for ours
module Tests.Compat.Types
  ( Plain (..),
    Empty,
    Unit (..),
    Mixed (..),
    Two (..),
    Three (..),
    Five (..),
    Seventeen (..),
    Tree2 (..),
    Rose (..),
    Perfect (..),
    Wrapped (..),
    ByNewtype (..),
    Chain,
    Nest,
    nested,
  )
where

import qualified Ashlar.Compat.Binary as B
import qualified Ashlar.Compat.Cereal as C
import Data.Binary (Binary)
import Data.Int (Int16, Int64, Int8)
import qualified Data.Map as Map
import Data.Serialize (Serialize)
import Data.Word (Word16, Word32, Word64, Word8)
import GHC.Generics (Generic)
import Test.QuickCheck

-- | Numbers alone, which are read with one check.
data Plain = Plain {p1 :: Word16, p2 :: Int64, p3 :: Char, p4 :: Bool, p5 :: Double, p6 :: Int8}
  deriving stock (Eq, Show, Generic)
  deriving anyclass (B.Binary, C.Serialize, Binary, Serialize)

instance Arbitrary Plain where
  arbitrary =
    Plain <$> arbitrary <*> arbitrary <*> arbitrary <*> arbitrary <*> arbitrary <*> arbitrary

data Empty
  deriving stock (Generic)
  deriving anyclass (B.Binary, Binary, C.Serialize, Serialize)

data Unit = Unit
  deriving stock (Eq, Show, Generic)
  deriving anyclass (B.Binary, C.Serialize, Binary, Serialize)

instance Arbitrary Unit where
  arbitrary = pure Unit

data Mixed = Mixed
  { name :: String,
    counts :: Map.Map Int [Word32],
    rest :: Maybe (Either Integer (Word8, Ordering)),
    other :: Two
  }
  deriving stock (Eq, Show, Generic)
  deriving anyclass (B.Binary, C.Serialize, Binary, Serialize)

instance Arbitrary Mixed where
  arbitrary = Mixed <$> arbitrary <*> arbitrary <*> arbitrary <*> arbitrary

data Two = No | Yes Word32 Int
  deriving stock (Eq, Show, Generic)
  deriving anyclass (B.Binary, C.Serialize, Binary, Serialize)

instance Arbitrary Two where
  arbitrary = oneof [pure No, Yes <$> arbitrary <*> arbitrary]

data Three a b = ThreeA a | ThreeB {_three1 :: b, _three2 :: a} | ThreeC
  deriving stock (Eq, Show, Generic)
  deriving anyclass (B.Binary, C.Serialize, Binary, Serialize)

instance (Arbitrary a, Arbitrary b) => Arbitrary (Three a b) where
  arbitrary = oneof [ThreeA <$> arbitrary, ThreeB <$> arbitrary <*> arbitrary, pure ThreeC]

data Five = F1 | F2 Word8 | F3 Word8 Word16 | F4 [Five] | F5 {_f5 :: Word64, _f6 :: ()}
  deriving stock (Eq, Show, Generic)
  deriving anyclass (B.Binary, C.Serialize, Binary, Serialize)

instance Arbitrary Five where
  arbitrary = sized $ \n ->
    oneof
      [ pure F1,
        F2 <$> arbitrary,
        F3 <$> arbitrary <*> arbitrary,
        F4 <$> resize (n `div` 3) arbitrary,
        F5 <$> arbitrary <*> arbitrary
      ]

-- | More constructors than have code of their own.
data Seventeen
  = S1 Word8
  | S2
  | S3 Int16 Bool
  | S4
  | S5 [Seventeen]
  | S6
  | S7
  | S8 Char
  | S9
  | S10
  | S11
  | S12
  | S13
  | S14
  | S15 String
  | S16 Word64 Word8 Word8
  | S17 Seventeen
  deriving stock (Eq, Show, Generic)
  deriving anyclass (B.Binary, C.Serialize, Binary, Serialize)

instance Arbitrary Seventeen where
  arbitrary = sized $ \n ->
    oneof
      [ S1 <$> arbitrary,
        S3 <$> arbitrary <*> arbitrary,
        S5 <$> resize (n `div` 3) arbitrary,
        S8 <$> arbitrary,
        elements [S2, S4, S6, S7, S9, S10, S11, S12, S13, S14],
        S15 <$> arbitrary,
        S16 <$> arbitrary <*> arbitrary <*> arbitrary,
        S17 <$> resize (n `div` 2) arbitrary
      ]

data Tree2 = Leaf | Branch Tree2 Int16 Tree2
  deriving stock (Eq, Show, Generic)
  deriving anyclass (B.Binary, C.Serialize, Binary, Serialize)

instance Arbitrary Tree2 where
  arbitrary = sized tree
    where
      tree n
        | n <= 0 = pure Leaf
        | otherwise = do
          i <- chooseInt (0, n - 1)
          Branch <$> tree i <*> arbitrary <*> tree (n - 1 - i)

-- | A number of levels.
nested :: Int -> Tree2
nested n = iterate (\t -> Branch Leaf 1 t) Leaf !! n

data Rose a = Rose a [Rose a]
  deriving stock (Eq, Show, Generic)
  deriving anyclass (B.Binary, C.Serialize, Binary, Serialize)

instance Arbitrary a => Arbitrary (Rose a) where
  arbitrary = sized $ \n -> Rose <$> arbitrary <*> resize (n `div` 4) arbitrary

-- | Not regular.
data Perfect a = Zero a | Succ (Perfect (a, a))
  deriving stock (Eq, Show, Generic)
  deriving anyclass (B.Binary, C.Serialize, Binary, Serialize)

instance Arbitrary a => Arbitrary (Perfect a) where
  arbitrary = sized $ \n ->
    if n < 8 then Zero <$> arbitrary else Succ <$> resize (n `div` 2) arbitrary

newtype Wrapped f a = Wrapped {wrapped :: f a}
  deriving stock (Eq, Show, Generic)
  deriving anyclass (B.Binary, C.Serialize, Binary, Serialize)

instance Arbitrary (f a) => Arbitrary (Wrapped f a) where
  arbitrary = Wrapped <$> arbitrary

newtype ByNewtype = ByNewtype Word32
  deriving stock (Eq, Show)
  deriving newtype (B.Binary, C.Serialize, Binary, Serialize, Arbitrary)

-- | Types that contain themselves, with the instances of what they are made of.
newtype Chain = Chain (Maybe Chain)
  deriving newtype (B.Binary, C.Serialize)

newtype Nest = Nest [Nest]
  deriving newtype (B.Binary, C.Serialize)
