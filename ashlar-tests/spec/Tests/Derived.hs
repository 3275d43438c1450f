{-# LANGUAGE DeriveAnyClass #-}
{-# LANGUAGE DeriveGeneric #-}
{-# LANGUAGE DerivingStrategies #-}

-- |
-- Module      : Tests.Derived
-- Description : Types of every shape, with derived instances
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
    Inside (..),
    Around (..),
    Wrapped (..),
    Doubled (..),
    Eight (..),
    Twice (..),
    Nested (..),
  )
where

import Ashlar.Codec (Codec)
import Data.Functor.Identity (Identity)
import Data.Functor.Product (Product)
import Data.Int (Int32, Int64)
import Data.Map (Map)
import Data.Text (Text)
import qualified Data.Text as T
import qualified Data.Vector as V
import Data.Word (Word16, Word64, Word8)
import GHC.Generics (Generic)
import Test.QuickCheck

-- | Fields of constant and of variable size, strict and lazy.
data Record = Record
  { first :: !Int32,
    second :: Word8,
    name :: Text,
    flag :: !Bool,
    marks :: [Word16],
    table :: !(Map Int Text),
    last' :: Double
  }
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec)

instance Arbitrary Record where
  arbitrary =
    Record
      <$> arbitrary
        <*> arbitrary
        <*> text
        <*> arbitrary
        <*> few arbitrary
        <*> scale (`div` 4) (fmap (fmap T.pack) arbitrary)
        <*> arbitrary

text :: Gen Text
text = T.pack <$> few arbitrary

few :: Gen a -> Gen [a]
few g = choose (0, 5) >>= \n -> vectorOf n g

-- | All fields are of constant size, and so is the record.
data AllFixed = AllFixed !Int64 Word8 !Double (Bool, Colour)
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec)

instance Arbitrary AllFixed where
  arbitrary = AllFixed <$> arbitrary <*> arbitrary <*> arbitrary <*> arbitrary

-- | Several constructors with different fields.
data Shape
  = Point
  | Circle !Double
  | Polygon [(Double, Double)]
  | Named Text Shape
  | Both Shape Shape
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec)

instance Arbitrary Shape where
  arbitrary = sized go
    where
      go n
        | n <= 1 = oneof [pure Point, Circle <$> arbitrary, Polygon <$> few arbitrary]
        | otherwise =
          oneof
            [ go 1,
              Named <$> text <*> go (n `div` 2),
              Both <$> go (n `div` 2) <*> go (n `div` 2)
            ]

-- | An enumeration.
data Colour = Red | Green | Blue
  deriving stock (Eq, Ord, Show, Enum, Bounded, Generic)
  deriving anyclass (Codec)

instance Arbitrary Colour where
  arbitrary = arbitraryBoundedEnum

-- | Recursive.
data Tree a = Leaf | Node (Tree a) a (Tree a)
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec)

instance Arbitrary a => Arbitrary (Tree a) where
  arbitrary = sized go
    where
      go n
        | n <= 1 = pure Leaf
        | otherwise =
          frequency [(1, pure Leaf), (3, Node <$> go (n `div` 2) <*> arbitrary <*> go (n `div` 2))]

-- | Recursive through a list.
data Rose a = Rose a [Rose a]
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec)

instance Arbitrary a => Arbitrary (Rose a) where
  arbitrary = sized go
    where
      go n = Rose <$> arbitrary <*> (choose (0, min 4 n) >>= \k -> vectorOf k (go (n `div` 4)))

-- | With a parameter.
data Pair a = Pair a a
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec)

instance Arbitrary a => Arbitrary (Pair a) where
  arbitrary = Pair <$> arbitrary <*> arbitrary

-- | A newtype.
newtype Wrapper = Wrapper Text
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec)

instance Arbitrary Wrapper where
  arbitrary = Wrapper <$> text

-- | One constructor without fields: no bytes.
data Unit = Unit
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec)

instance Arbitrary Unit where
  arbitrary = pure Unit

-- | No constructors.
data Never
  deriving stock (Generic)
  deriving anyclass (Codec)

instance Show Never where
  showsPrec _ x = x `seq` id

instance Eq Never where
  x == _ = x `seq` True

-- | The size doubles at each level.
data Perfect a = Zero a | Succ (Perfect (a, a))
  deriving stock (Generic)
  deriving anyclass (Codec)

-- | The sizes grow by a factor of eight at each level, in adjacent constructors.
data Towers a
  = Nine a a a a a a a a a String
  | Sixteen a a a a a a a a a a a a a a a a Word64 Word64 Word64 String
  | Higher (Towers (a, a, a, a, a, a, a, a))
  deriving stock (Generic)
  deriving anyclass (Codec)

-- | Vectors of vectors of vectors.
newtype Nested = Nested (V.Vector Nested)
  deriving stock (Generic)
  deriving anyclass (Codec)

-- | None of these has a finite value.
data Inside = Inside Around
  deriving stock (Generic)
  deriving anyclass (Codec)

-- | See 'Inside'.
data Around = Around Inside ()
  deriving stock (Generic)
  deriving anyclass (Codec)

-- | See 'Inside'.
newtype Wrapped = Wrapped Wrapped
  deriving stock (Generic)
  deriving anyclass (Codec)

-- | See 'Inside'.
data Doubled a = Doubled (Doubled (a, a))
  deriving stock (Generic)
  deriving anyclass (Codec)

-- | See 'Inside'.
newtype Eight = Eight (Word8, Word8, Word8, Word8, Word8, Word8, Word8, Eight)
  deriving stock (Generic)
  deriving anyclass (Codec)

-- | See 'Inside'.
newtype Twice = Twice (Product Identity Identity Twice)
  deriving stock (Generic)
  deriving anyclass (Codec)
