{-# LANGUAGE OverloadedStrings #-}

-- |
-- Module      : Tests.Instances.Containers
-- Description : The instances for strings, containers, vectors and arrays
module Tests.Instances.Containers (strings, containers, vectors, arrays) where

import Ashlar.Codec (Codec)
import Ashlar.Codec.Laws (Samples (..))
import Data.Array (Array)
import Data.Array.IArray (listArray)
import Data.Array.Unboxed (UArray)
import qualified Data.ByteString as S
import qualified Data.ByteString.Lazy as L
import qualified Data.ByteString.Short as SBS
import qualified Data.Foldable as F
import Data.Int
import qualified Data.IntMap as IntMap
import qualified Data.IntSet as IntSet
import qualified Data.Map as Map
import qualified Data.Primitive.Array as Primitive
import Data.Primitive.ByteArray (ByteArray, byteArrayFromList)
import Data.Primitive.PrimArray (primArrayFromList, primArrayToList)
import Data.Primitive.SmallArray (smallArrayFromList)
import qualified Data.Sequence as Seq
import qualified Data.Set as Set
import qualified Data.Text as T
import qualified Data.Text.Lazy as TL
import Data.Tree (Tree (..))
import qualified Data.Vector as V
import qualified Data.Vector.Primitive as P
import qualified Data.Vector.Storable as SV
import qualified Data.Vector.Unboxed as U
import Data.Word
import Test.QuickCheck
import Tests.Arbitrary ()
import Tests.Derived (Pair (..))
import Tests.Instances.Type

strings :: Section
strings =
  Section
    "Strings"
    [ is "ByteString" ["", "ab" :: S.ByteString],
      is "Lazy.ByteString" ["ab" :: L.ByteString],
      is "ShortByteString" ["ab" :: SBS.ShortByteString],
      is "Text" ["ab", "\228\x1F600" :: T.Text],
      is "Lazy.Text" ["ab" :: TL.Text]
    ]

containers :: Section
containers =
  Section
    "Maps, sets, sequences, trees"
    [ is "Map Word8 Bool" [Map.fromList [(2, True), (1, False)] :: Map.Map Word8 Bool],
      is "Map Text Word8" [Map.fromList [("a", 1), ("", 2)] :: Map.Map T.Text Word8],
      is "IntMap Word8" [IntMap.fromList [(1, 2), (-1, 3)] :: IntMap.IntMap Word8],
      is "Set Int16" [Set.fromList [1, -1] :: Set.Set Int16],
      is "Set Text" [Set.fromList ["b", "a"] :: Set.Set T.Text],
      is "IntSet" [IntSet.fromList [2, 1]],
      is "Seq Word8" [Seq.fromList [1, 2] :: Seq.Seq Word8],
      is "Seq Text" [Seq.fromList ["a"] :: Seq.Seq T.Text],
      made "Tree Word8" tree [Node 1 [Node 2 [], Node 3 []] :: Tree Word8]
    ]
  where
    tree = sized (\n -> go (min 30 n))
    go :: Int -> Gen (Tree Word8)
    go n = Node <$> arbitrary <*> (choose (0, min 3 n) >>= \k -> vectorOf k (go (n `div` 4)))

vectors :: Section
vectors =
  Section
    "Vectors"
    [ is "Vector Word16" [V.fromList [1, 2 :: Word16]],
      is "Vector Text" [V.fromList ["a" :: T.Text]],
      is "Vector (Pair Bool)" [V.fromList [Pair True False]],
      is "Vector ()" [V.fromList [(), ()]],
      is "Unboxed.Vector Int" [U.fromList [1 :: Int]],
      is "Unboxed.Vector (Word8, Bool)" [U.fromList [(1, True) :: (Word8, Bool)]],
      is "Storable.Vector Word16" [SV.fromList [1, 2 :: Word16]],
      is "Storable.Vector Double" [SV.fromList [1 :: Double]],
      is "Storable.Vector Char" [SV.fromList ['a']],
      is "Primitive.Vector Word16" [P.fromList [1, 2 :: Word16]],
      is "Primitive.Vector Char" [P.fromList ['a']]
    ]

arrays :: Section
arrays =
  Section
    "Arrays"
    [ made "Array Word8 Text" boxed [listArray (1, 2) ["a", ""], listArray (1, 0) []],
      made
        "Array (Word8, Bool) Word8"
        (rows <$> choose (0, 9) <*> infiniteList)
        [rows 1 [1, 2, 3, 4]],
      made "Array (Word8, Bool, Ordering, Word8) ()" (pure points) [],
      made "UArray Int8 Int" unboxed [listArray (-1, 0) [1, 2]],
      made "UArray Word8 Bool" bools [listArray (0, 2) [True, False, True]],
      made "ByteArray" bytes [byteArrayFromList [1, 2 :: Word8]],
      asList
        "PrimArray Word16"
        primArrayToList
        (primArrayFromList <$> arbitrary)
        [primArrayFromList [1, 2 :: Word16]],
      asList
        "PrimArray Char"
        primArrayToList
        (primArrayFromList <$> arbitrary)
        [primArrayFromList ['a']],
      asList
        "Primitive.Array Word16"
        F.toList
        (Primitive.arrayFromList <$> arbitrary)
        [Primitive.arrayFromList [1, 2 :: Word16]],
      asList
        "Primitive.Array Text"
        F.toList
        (Primitive.arrayFromList <$> arbitrary)
        [Primitive.arrayFromList ["a" :: T.Text]],
      asList
        "SmallArray Word16"
        F.toList
        (smallArrayFromList <$> arbitrary)
        [smallArrayFromList [1, 2 :: Word16]]
    ]
  where
    -- Their Show instances depend on the version of primitive.
    asList :: (Codec a, Eq a, Show b) => String -> (a -> b) -> Gen a -> [a] -> Golden
    asList name elements' gen = Golden name (Samples gen (const []) (show . elements') (==))
    boxed =
      from (\l n -> listArray (l, l + n)) <$> choose (0, 200) <*> arbitrary ::
        Gen (Array Word8 T.Text)
    unboxed =
      from (\l n -> listArray (l, l + n)) <$> choose (-100, 50) <*> arbitrary ::
        Gen (UArray Int8 Int)
    bools =
      (\bs -> listArray (0, fromIntegral (length bs) - 1) bs)
        <$> (arbitrary `suchThat` (not . null)) ::
        Gen (UArray Word8 Bool)
    bytes = byteArrayFromList <$> (arbitrary :: Gen [Word8]) :: Gen ByteArray
    rows :: Word8 -> [Word8] -> Array (Word8, Bool) Word8
    rows n = listArray ((0, False), (n, True))
    points = listArray minMax (repeat ()) :: Array (Word8, Bool, Ordering, Word8) ()
    minMax = ((3, False, EQ, 1), (5, True, GT, 2))
    -- At least one element. The first index is given.
    from :: Num i => (i -> i -> [e] -> a) -> i -> NonEmptyList e -> a
    from make l (NonEmpty xs) = make l (fromIntegral (length few - 1)) few
      where
        few = take 50 xs
