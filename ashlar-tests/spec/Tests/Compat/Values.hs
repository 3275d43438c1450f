{-# LANGUAGE ConstraintKinds #-}
{-# LANGUAGE FlexibleContexts #-}
{-# LANGUAGE RankNTypes #-}
{-# LANGUAGE TypeApplications #-}
-- One copy of the properties for all types.
{-# OPTIONS_GHC -fno-specialise #-}

-- |
-- Module      : Tests.Compat.Values
-- Description : Types that binary and cereal have in common, and values of them
module Tests.Compat.Values
  ( Both,
    Damage (..),
    commonInstances,
    commonDerived,
    number,
  )
where

import qualified Ashlar.Compat.Binary as B
import qualified Ashlar.Compat.Cereal as C
import Data.Array (Array, listArray)
import Data.Array.Unboxed (UArray)
import qualified Data.Array.Unboxed as U
import Data.Binary (Binary)
import qualified Data.ByteString as S
import qualified Data.ByteString.Lazy as L
import qualified Data.ByteString.Short as SBS
import Data.Int (Int16, Int32, Int64, Int8)
import Data.Map (Map)
import qualified Data.Monoid as M
import Data.Ratio ((%))
import Data.Sequence (Seq)
import Data.Serialize (Serialize)
import Data.Set (Set)
import Data.Tree (Tree)
import Data.Word (Word16, Word32, Word64, Word8)
import Numeric.Natural (Natural)
import Test.QuickCheck
import Test.Tasty (TestTree)
import Tests.Arbitrary ()
import Tests.Compat.Agree (Damage (..))
import Tests.Compat.Enumerations
import Tests.Compat.Types

-- | Instances of ours and of theirs, for both libraries.
type Both a = (B.Binary a, Binary a, C.Serialize a, Serialize a, Show a)

-- | The instances that both libraries have.
commonInstances :: (forall a. Both a => Damage -> String -> Gen a -> TestTree) -> [TestTree]
commonInstances how =
  [ how Damaged "Word8" (arbitrary @Word8),
    how Damaged "Word16" (number @Word16),
    how Damaged "Word32" (number @Word32),
    how Damaged "Word64" (number @Word64),
    how Damaged "Word" (number @Word),
    how Damaged "Int8" (arbitrary @Int8),
    how Damaged "Int16" (number @Int16),
    how Damaged "Int32" (number @Int32),
    how Damaged "Int64" (number @Int64),
    how Damaged "Int" (number @Int),
    how Damaged "Integer" integer,
    how Damaged "Natural" (fromInteger . abs <$> integer :: Gen Natural),
    how Damaged "Double" (floating @Double),
    how Damaged "Float" (floating @Float),
    how Damaged "Char" character,
    how Damaged "String" (listOf character),
    how Damaged "Bool" (arbitrary @Bool),
    how Damaged "Ordering" (arbitrary @Ordering),
    how Cut "()" (pure ()),
    how Damaged "Maybe" (arbitrary @(Maybe Word16)),
    how Damaged "Either" (arbitrary @(Either Int String)),
    how Damaged "list of lists" (arbitrary @[[Word8]]),
    how Damaged "Ratio Integer" (arbitrary @Rational),
    how Damaged "Ratio Word16" ((%) <$> number @Word16 <*> choose (1, maxBound)),
    how Damaged "strict ByteString" (arbitrary @S.ByteString),
    how Damaged "lazy ByteString" (arbitrary @L.ByteString),
    how Damaged "ShortByteString" (arbitrary @SBS.ShortByteString),
    how Damaged "Map" (arbitrary @(Map Word8 Int16)),
    how Damaged "Set" (arbitrary @(Set Int8)),
    how Damaged "Seq" (arbitrary @(Seq Word16)),
    how Damaged "Tree" (arbitrary @(Tree Word8)),
    how Cut "Array" (array <$> arbitrary),
    how Cut "Array of two dimensions" (square <$> arbitrary),
    how Cut "UArray" (unboxed <$> arbitrary),
    how Damaged "Dual" (arbitrary @(M.Dual Int)),
    how Damaged "All" (arbitrary @M.All),
    how Damaged "Any" (arbitrary @M.Any),
    how Damaged "Sum" (arbitrary @(M.Sum Int16)),
    how Damaged "Product" (arbitrary @(M.Product Int32)),
    how Damaged "Data.Monoid.First" (arbitrary @(M.First Word8)),
    how Damaged "Data.Monoid.Last" (arbitrary @(M.Last Word8)),
    how Damaged "(,)" (arbitrary @(Word8, Int)),
    how Damaged "(,,)" (arbitrary @(Word8, Int, Char)),
    how Damaged "(,,,)" (arbitrary @(Word8, Int, Char, Bool)),
    how Damaged "(,,,,)" (arbitrary @(Word8, Int, Char, Bool, Word16)),
    how Damaged "(,,,,,)" (arbitrary @(Word8, Int, Char, Bool, Word16, String)),
    how Damaged "(,,,,,,)" (arbitrary @(Word8, Int, Char, Bool, Word16, String, Int8)),
    how Damaged "(,,,,,,,)" (arbitrary @(Word8, Int, Char, Bool, Word16, String, Int8, Word32)),
    how Damaged "(,,,,,,,,)" $
      arbitrary @(Word8, Int, Char, Bool, Word16, String, Int8, Word32, Integer),
    how Damaged "(,,,,,,,,,)" $
      arbitrary @(Word8, Int, Char, Bool, Word16, String, Int8, Word32, Integer, Maybe Int)
  ]

-- | Instances that are derived.
commonDerived :: (forall a. Both a => Damage -> String -> Gen a -> TestTree) -> [TestTree]
commonDerived how =
  [ how Damaged "numbers alone" (arbitrary @Plain),
    how Cut "one constructor without fields" (pure Unit),
    how Damaged "a record" (arbitrary @Mixed),
    how Damaged "two constructors" (arbitrary @Two),
    how Damaged "three, with parameters" (arbitrary @(Three Int String)),
    how Damaged "five, recursive" (arbitrary @Five),
    how Damaged "seventeen" (arbitrary @Seventeen),
    how Damaged "a tree" (arbitrary @Tree2),
    how Damaged "a rose tree" (arbitrary @(Rose Word8)),
    how Damaged "not regular" (arbitrary @(Perfect Word8)),
    how Damaged "a newtype over a functor" (arbitrary @(Wrapped Maybe Int)),
    how Damaged "by newtype" (arbitrary @ByNewtype),
    how Damaged "257 constructors" (arbitrary @E257)
  ]

-- | Any number, often one at the border of its type.
number :: (Bounded a, Integral a) => Gen a
number = frequency [(3, arbitraryBoundedIntegral), (1, elements [minBound, maxBound, 0, 1])]

integer :: Gen Integer
integer = do
  bits <- elements [0, 7, 8, 31, 32, 33, 56, 62, 63, 64, 65, 127, 128, 200]
  n <- (+) <$> choose (-2, 2) <*> pure (2 ^ (bits :: Int))
  m <- choose (0, 2 ^ bits)
  elements [n, negate n, m, negate m]

floating :: (RealFloat a, Arbitrary a) => Gen a
floating =
  frequency
    [ (3, arbitrary),
      (1, elements [0, -0.0, 1 / 0, -1 / 0, 0 / 0, 1, -1, 5.0e-324, -1.0e-310, 1.0e-40, 3.0e38]),
      (2, encodeFloat <$> arbitrary <*> choose (-1080, 1030))
    ]

character :: Gen Char
character =
  frequency
    [ (3, arbitrary),
      (1, elements "\0a\x7F\x80\x7FF\x800\xD7FF\xD800\xDFFF\xFFFF\x10000\x10FFFF")
    ]

array :: [Word16] -> Array Int Word16
array xs = listArray (-1, length xs - 2) xs

square :: [Word16] -> Array (Int, Word8) Word16
square xs = listArray ((0, 1), (length xs `div` 3 - 1, 3)) xs

unboxed :: [Word32] -> UArray Word8 Word32
unboxed xs = U.listArray (1, fromIntegral (length xs)) xs
