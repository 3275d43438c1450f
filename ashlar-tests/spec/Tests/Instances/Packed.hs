{-# LANGUAGE OverloadedStrings #-}
-- The instances are those of the library. Here each law of each would be specialised, which takes
-- minutes.
{-# OPTIONS_GHC -O0 #-}

-- |
-- Module      : Tests.Instances.Packed
-- Description : The packed format of every type that has one
module Tests.Instances.Packed (packed) where

import Ashlar.Codec.Laws (Samples (..))
import Ashlar.Codec.Packed
import Ashlar.Codec.Wrappers
import Data.Array (Array, listArray)
import Data.Array.Unboxed (UArray)
import qualified Data.Array.Unboxed as Unboxed
import qualified Data.ByteString as S
import qualified Data.ByteString.Lazy as L
import qualified Data.ByteString.Short as SBS
import Data.Complex (Complex (..))
import Data.Functor.Identity (Identity (..))
import Data.Int
import qualified Data.IntMap as IntMap
import qualified Data.IntSet as IntSet
import Data.List.NonEmpty (NonEmpty (..))
import qualified Data.Map as Map
import Data.Monoid (Sum (..))
import qualified Data.Primitive as Prim
import Data.Ratio (Ratio, (%))
import qualified Data.Sequence as Seq
import qualified Data.Set as Set
import qualified Data.Text as T
import qualified Data.Text.Lazy as TL
import Data.Time.Calendar (CalendarDiffDays (..), Day (..), DayOfWeek (..))
import Data.Time.Clock (UTCTime (..), UniversalTime (..))
import Data.Time.Clock.System (SystemTime (..))
import Data.Time.Clock.TAI (addAbsoluteTime, taiEpoch)
import Data.Time.LocalTime
import Data.Tree (Tree (..))
import qualified Data.Vector as V
import qualified Data.Vector.Primitive as P
import qualified Data.Vector.Storable as SV
import qualified Data.Vector.Unboxed as U
import Data.Word
import Numeric.Natural (Natural)
import Test.QuickCheck
import Tests.Arbitrary ()
import Tests.Instances.Time (diffTime, localTime, timeOfDay, timeZone, zonedTime)
import Tests.Instances.Type

packed :: Section
packed =
  Section
    "Packed"
    [ pack "Bool" [False, True],
      pack "Ordering" [LT, EQ, GT],
      pack "()" [()],
      pack "Word8" [200 :: Word8],
      numbers "Word16" [0, 127, 128, maxBound :: Word16],
      numbers "Word32" [maxBound :: Word32],
      numbers "Word64" [300, maxBound :: Word64],
      numbers "Word" [300 :: Word],
      pack "Int8" [-1 :: Int8],
      numbers "Int16" [-1, 1, minBound :: Int16],
      numbers "Int32" [64 :: Int32],
      numbers "Int64" [-64, minBound :: Int64],
      numbers "Int" [-3 :: Int],
      pack "Float" [1 :: Float],
      pack "Double" [1 :: Double],
      pack "Char" ['a', '\228', '\x1F600'],
      pack "Integer" [-300 :: Integer],
      from "Natural" (fromInteger . abs <$> arbitrary) [300 :: Natural],
      pack "Rational" [-1 % 300 :: Rational],
      pack "Ratio Int" [300 % 7 :: Ratio Int],
      pack "Complex Double" [1 :+ 2 :: Complex Double],
      from "Day" (ModifiedJulianDay <$> arbitrary) [ModifiedJulianDay 59000],
      from "DayOfWeek" (elements [Monday .. Sunday]) [Monday, Sunday],
      from
        "UTCTime"
        (UTCTime <$> (ModifiedJulianDay <$> arbitrary) <*> (fromInteger <$> choose (0, 86400)))
        [UTCTime (ModifiedJulianDay 59000) 1],
      from
        "UniversalTime"
        (ModJulianDate <$> arbitrary)
        [ModJulianDate (1 % 2)],
      from "AbsoluteTime" ((`addAbsoluteTime` taiEpoch) <$> diffTime) [addAbsoluteTime 1 taiEpoch],
      from
        "SystemTime"
        (MkSystemTime <$> arbitrary <*> choose (0, 1999999999))
        [MkSystemTime (-1) 300],
      from "TimeOfDay" timeOfDay [TimeOfDay 23 59 60.5],
      from "LocalTime" localTime [LocalTime (ModifiedJulianDay 60369) midday],
      from "TimeZone" timeZone [TimeZone 60 False "CET"],
      Golden
        "Packed ZonedTime"
        (packedSamples zonedTime)
        [Packed $ ZonedTime (LocalTime (ModifiedJulianDay 60369) midday) (TimeZone 60 False "CET")],
      from "CalendarDiffDays" (CalendarDiffDays <$> arbitrary <*> arbitrary) [CalendarDiffDays 1 2],
      from
        "CalendarDiffTime"
        (CalendarDiffTime <$> arbitrary <*> (realToFrac <$> diffTime))
        [CalendarDiffTime 1 2],
      pack "Strict.ByteString" ["ab" :: S.ByteString],
      pack "Lazy.ByteString" ["ab" :: L.ByteString],
      pack "ShortByteString" ["ab" :: SBS.ShortByteString],
      pack "Text" ["\228" :: T.Text],
      pack "Lazy.Text" ["\228" :: TL.Text],
      pack "String" ["a\228" :: String],
      from "UTF16" (UTF16 . T.pack . filter (< '\xD800') <$> arbitrary) [UTF16 "a"],
      from "ScalarValue" (ScalarValue <$> choose ('\0', '\xD7FF')) [ScalarValue '\228'],
      from "Copied ByteString" (Copied <$> arbitrary) [Copied ("ab" :: S.ByteString)],
      from "Varint Int" (Varint <$> arbitrary) [Varint (300 :: Int)],
      from "Zigzag Int" (Zigzag <$> arbitrary) [Zigzag (-3 :: Int)],
      from "BigEndian Word16" (BigEndian <$> arbitrary) [BigEndian (258 :: Word16)],
      from "Compact [Int]" (Compact <$> arbitrary) [Compact [1, -1 :: Int]],
      from "Unpacked [Int16]" (Unpacked <$> arbitrary) [Unpacked [1 :: Int16]],
      from
        "(Bool, Packed Bool)"
        ((,) <$> arbitrary <*> (Packed <$> arbitrary))
        [(True, Packed True)],
      pack "Maybe Bool" [Nothing, Just True],
      pack "Either Int Bool" [Left 1, Right False :: Either Int Bool],
      pack "(Bool, Word16, Bool)" [(True, 300, True) :: (Bool, Word16, Bool)],
      from "Identity Int" (Identity <$> arbitrary) [Identity (1 :: Int)],
      from "Sum Int" (Sum <$> arbitrary) [Sum (1 :: Int)],
      pack "[()]" [[(), ()]],
      pack "[Bool]" [[True, False, True, True, False, False, True, False, True]],
      pack "[Int]" [[1, -1, 300] :: [Int]],
      from "NonEmpty Bool" ((:|) <$> arbitrary <*> arbitrary) [True :| [False]],
      pack "Vector Bool" [V.fromList [True, True, False]],
      pack "Unboxed.Vector Bool" [U.fromList [True, True, False]],
      pack "Storable.Vector Int16" [SV.fromList [1, 2 :: Int16]],
      pack "Primitive.Vector Int16" [P.fromList [1, 2 :: Int16]],
      from
        "ByteArray"
        (Prim.byteArrayFromList <$> (arbitrary :: Gen [Word8]))
        [Prim.byteArrayFromList [1, 2 :: Word8]],
      pack "Seq Bool" [Seq.fromList [True, False]],
      pack "Map Word16 Bool" [Map.fromList [(1, True), (2, False)] :: Map.Map Word16 Bool],
      pack "IntMap Bool" [IntMap.fromList [(-1, True)]],
      pack "Set Bool" [Set.fromList [False, True]],
      pack "IntSet" [IntSet.fromList [-1, 300]],
      from
        "Array Word8 Bool"
        ( (\xs -> listArray (0, fromIntegral (length xs) - 1) xs) . take 200 . (True :)
            <$> arbitrary
        )
        [listArray (1, 2) [True, False] :: Array Word8 Bool],
      from
        "UArray Word8 Int"
        ( (\xs -> Unboxed.listArray (0, fromIntegral (length xs) - 1) xs) . take 200 . (0 :)
            <$> arbitrary
        )
        [Unboxed.listArray (1, 2) [1, 2] :: UArray Word8 Int],
      pack "Tree Bool" [Node True [Node False []]]
    ]
  where
    packedSamples (Samples gen shrunk shown same) =
      Samples
        (Packed <$> gen)
        (map Packed . shrunk . getPacked)
        (shown . getPacked)
        (\x y -> same (getPacked x) (getPacked y))
    pack name = from name arbitrary
    from name gen = made ("Packed " ++ argument name) (Packed <$> gen) . map Packed
    argument name
      | ' ' `elem` name && take 1 name `notElem` ["(", "["] = "(" ++ name ++ ")"
      | otherwise = name
    numbers name =
      from name (oneof [arbitrary, arbitraryBoundedIntegral, elements [minBound, 63, 64]])
