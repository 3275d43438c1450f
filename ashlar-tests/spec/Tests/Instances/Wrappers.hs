{-# LANGUAGE OverloadedStrings #-}

-- |
-- Module      : Tests.Instances.Wrappers
-- Description : The instances of wrappers
module Tests.Instances.Wrappers (wrappers) where

import Ashlar.Codec.Laws (Samples (..))
import Ashlar.Codec.Unsafe (AsStorable (..))
import Ashlar.Codec.Wrappers
import qualified Data.ByteString as S
import qualified Data.ByteString.Lazy as L
import qualified Data.ByteString.Short as SBS
import Data.Foldable (toList)
import Data.Int
import qualified Data.IntMap as IntMap
import qualified Data.IntSet as IntSet
import Data.List.NonEmpty (NonEmpty (..))
import qualified Data.Map as Map
import qualified Data.Primitive as Prim
import qualified Data.Sequence as Seq
import qualified Data.Set as Set
import qualified Data.Text as T
import qualified Data.Text.Lazy as TL
import qualified Data.Vector as V
import qualified Data.Vector.Primitive as P
import qualified Data.Vector.Storable as SV
import qualified Data.Vector.Unboxed as U
import Data.Word
import Test.QuickCheck
import Tests.Arbitrary ()
import Tests.Instances.Type

wrappers :: Section
wrappers =
  Section
    "Wrappers"
    [ made
        "Varint Word16"
        (Varint <$> wide)
        [Varint 0, Varint 127, Varint 128, Varint maxBound :: Varint Word16],
      made "Varint Word64" (Varint <$> wide) [Varint maxBound :: Varint Word64],
      made "Varint Int8" (Varint <$> wide) [Varint 1, Varint (-1) :: Varint Int8],
      made "Varint Int" (Varint <$> wide) [Varint 300 :: Varint Int],
      made "Zigzag Word8" (Zigzag <$> wide) [Zigzag 2, Zigzag maxBound :: Zigzag Word8],
      made "Zigzag Word32" (Zigzag <$> wide) [Zigzag maxBound :: Zigzag Word32],
      made "Zigzag Int8" (Zigzag <$> wide) [Zigzag minBound, Zigzag 1 :: Zigzag Int8],
      made
        "Zigzag Int"
        (Zigzag <$> wide)
        [Zigzag (-1), Zigzag 64, Zigzag (-2147483648) :: Zigzag Int],
      made "BigEndian Word16" (BigEndian <$> arbitrary) [BigEndian (258 :: Word16)],
      made "BigEndian Word32" (BigEndian <$> wide) [BigEndian (16909060 :: Word32)],
      made "BigEndian Word64" (BigEndian <$> wide) [BigEndian (258 :: Word64)],
      made "BigEndian Word" (BigEndian <$> wide) [BigEndian (258 :: Word)],
      made "BigEndian Int16" (BigEndian <$> wide) [BigEndian (-2 :: Int16)],
      made "BigEndian Int32" (BigEndian <$> wide) [BigEndian (-2 :: Int32)],
      made "BigEndian Int64" (BigEndian <$> wide) [BigEndian (-2 :: Int64)],
      made "BigEndian Int" (BigEndian <$> wide) [BigEndian (1 :: Int)],
      made "BigEndian Float" (BigEndian <$> arbitrary) [BigEndian (1 :: Float)],
      made "BigEndian Double" (BigEndian <$> arbitrary) [BigEndian (1 :: Double)],
      -- Their bytes depend on the machine.
      made "HostEndian Word32" (HostEndian <$> wide) ([] :: [HostEndian Word32]),
      made "HostEndian Int" (HostEndian <$> wide) ([] :: [HostEndian Int]),
      made "AsStorable Int" (AsStorable <$> wide) ([] :: [AsStorable Int]),
      made "AsStorable Bool" (AsStorable <$> arbitrary) ([] :: [AsStorable Bool]),
      made "Copied ByteString" (Copied <$> arbitrary) [Copied ("ab" :: S.ByteString)],
      made "Copied Lazy.ByteString" (Copied <$> arbitrary) [Copied ("ab" :: L.ByteString)],
      compactFrom
        "Compact (Copied ByteString)"
        (Copied <$> arbitrary)
        [Copied ("ab" :: S.ByteString)],
      compact "Compact ByteString" ["ab" :: S.ByteString],
      compact "Compact Lazy.ByteString" ["ab" :: L.ByteString],
      compact "Compact ShortByteString" ["ab" :: SBS.ShortByteString],
      compact "Compact Text" ["\228" :: T.Text],
      compact "Compact Lazy.Text" ["\228" :: TL.Text],
      compact "Compact [Int16]" [[1, 2] :: [Int16]],
      compact "Compact [()]" [[(), ()]],
      compactFrom "Compact (NonEmpty Bool)" ((:|) <$> arbitrary <*> arbitrary) [True :| [False]],
      compact "Compact (Vector Int16)" [V.fromList [1, 2 :: Int16]],
      compact "Compact (Vector Text)" [V.fromList ["a" :: T.Text]],
      compact "Compact (Unboxed.Vector Int16)" [U.fromList [1, 2 :: Int16]],
      compact "Compact (Storable.Vector Int16)" [SV.fromList [1, 2 :: Int16]],
      compact "Compact (Primitive.Vector Int16)" [P.fromList [1, 2 :: Int16]],
      compactFrom
        "Compact ByteArray"
        (Prim.byteArrayFromList <$> (arbitrary :: Gen [Word8]))
        [Prim.byteArrayFromList [1, 2 :: Word8]],
      compactShown
        Prim.primArrayToList
        "Compact (PrimArray Int16)"
        (Prim.primArrayFromList <$> arbitrary)
        [Prim.primArrayFromList [1, 2 :: Int16]],
      compactShown
        toList
        "Compact (Array Word8)"
        (Prim.arrayFromList <$> arbitrary)
        [Prim.arrayFromList [1, 2 :: Word8]],
      compactShown
        toList
        "Compact (SmallArray Text)"
        (Prim.smallArrayFromList <$> arbitrary)
        [Prim.smallArrayFromList ["a" :: T.Text]],
      compact "Compact (Map Word8 Bool)" [Map.fromList [(1, True) :: (Word8, Bool)]],
      compact "Compact (IntMap Bool)" [IntMap.fromList [(1, True)]],
      compact "Compact (Set Word8)" [Set.fromList [1, 2 :: Word8]],
      compact "Compact IntSet" [IntSet.fromList [1]],
      compact "Compact (Seq Word8)" [Seq.fromList [1, 2 :: Word8]],
      made
        "UTF16"
        ( UTF16 . T.pack
            <$> listOf (oneof [arbitrary, choose ('\xE000', maxBound)])
        )
        [UTF16 "a\x1F600"],
      made
        "ScalarValue"
        (ScalarValue <$> (arbitrary `suchThat` \c -> c < '\xD800' || c > '\xDFFF'))
        [ScalarValue 'a']
    ]
  where
    compact name = compactFrom name arbitrary
    compactFrom name gen = made name (Compact <$> gen) . map Compact
    -- The Show instances of arrays depend on the version of primitive.
    compactShown list name gen =
      Golden name (Samples (Compact <$> gen) (const []) (show . fmap list) (==)) . map Compact
    wide :: (Arbitrary a, Bounded a, Integral a) => Gen a
    wide = oneof [arbitrary, arbitraryBoundedIntegral, elements [minBound, maxBound, 127, 64, 63]]
