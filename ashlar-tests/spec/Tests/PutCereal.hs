{-# LANGUAGE RankNTypes #-}

-- |
-- Module      : Tests.PutCereal
-- Description : Puts against those of cereal
module Tests.PutCereal (tests) where

import qualified Ashlar.Builder as B
import qualified Ashlar.Compat.Cereal.IEEE754 as Ours
import qualified Ashlar.Compat.Cereal.Put as Ours
import Control.Exception (ErrorCall, evaluate, try)
import Data.Array (Array, listArray)
import Data.Array.Unboxed (UArray)
import qualified Data.Array.Unboxed as U
import qualified Data.ByteString as S
import qualified Data.ByteString.Lazy as L
import qualified Data.ByteString.Short as SBS
import Data.Int (Int16)
import qualified Data.IntMap as IntMap
import qualified Data.IntSet as IntSet
import qualified Data.Map as Map
import qualified Data.Sequence as Seq
import qualified Data.Serialize.IEEE754 as Theirs
import qualified Data.Serialize.Put as Theirs
import qualified Data.Set as Set
import Data.Tree (Tree (..))
import Data.Word (Word16, Word32, Word8)
import GHC.Float (castWord32ToFloat, castWord64ToDouble)
import Test.Tasty
import Test.Tasty.HUnit
import Test.Tasty.QuickCheck

tests :: TestTree
tests =
  testGroup
    "Put, as in cereal"
    [ testGroup "each put, against cereal's" eachPut,
      testGroup "containers, against cereal's" containers,
      testCase "every way to run a put" runs,
      testCase "a length prefix" nested,
      testCase "the value without the elements" laziness
    ]

same :: Show a => Gen a -> String -> (a -> Ours.Put) -> (a -> Theirs.Put) -> TestTree
same gen name ours theirs =
  testProperty name $ forAll gen $ \x -> Ours.runPut (ours x) === Theirs.runPut (theirs x)

eachPut :: [TestTree]
eachPut =
  [ same number "putWord8" Ours.putWord8 Theirs.putWord8,
    same number "putInt8" Ours.putInt8 Theirs.putInt8,
    same number "putWord16be" Ours.putWord16be Theirs.putWord16be,
    same number "putWord32be" Ours.putWord32be Theirs.putWord32be,
    same number "putWord64be" Ours.putWord64be Theirs.putWord64be,
    same number "putInt16be" Ours.putInt16be Theirs.putInt16be,
    same number "putInt32be" Ours.putInt32be Theirs.putInt32be,
    same number "putInt64be" Ours.putInt64be Theirs.putInt64be,
    same number "putWord16le" Ours.putWord16le Theirs.putWord16le,
    same number "putWord32le" Ours.putWord32le Theirs.putWord32le,
    same number "putWord64le" Ours.putWord64le Theirs.putWord64le,
    same number "putInt16le" Ours.putInt16le Theirs.putInt16le,
    same number "putInt32le" Ours.putInt32le Theirs.putInt32le,
    same number "putInt64le" Ours.putInt64le Theirs.putInt64le,
    same number "putWordhost" Ours.putWordhost Theirs.putWordhost,
    same number "putWord16host" Ours.putWord16host Theirs.putWord16host,
    same number "putWord32host" Ours.putWord32host Theirs.putWord32host,
    same number "putWord64host" Ours.putWord64host Theirs.putWord64host,
    same number "putInthost" Ours.putInthost Theirs.putInthost,
    same number "putInt16host" Ours.putInt16host Theirs.putInt16host,
    same number "putInt32host" Ours.putInt32host Theirs.putInt32host,
    same number "putInt64host" Ours.putInt64host Theirs.putInt64host,
    same float "putFloat32le" Ours.putFloat32le Theirs.putFloat32le,
    same float "putFloat32be" Ours.putFloat32be Theirs.putFloat32be,
    same double "putFloat64le" Ours.putFloat64le Theirs.putFloat64le,
    same double "putFloat64be" Ours.putFloat64be Theirs.putFloat64be,
    same bytes "putByteString" Ours.putByteString Theirs.putByteString,
    same
      (L.fromChunks <$> listOf bytes)
      "putLazyByteString"
      Ours.putLazyByteString
      Theirs.putLazyByteString,
    same
      (SBS.toShort <$> bytes)
      "putShortByteString"
      Ours.putShortByteString
      Theirs.putShortByteString
  ]
  where
    bytes = S.pack <$> listOf arbitrary
    float = oneof [arbitrary, castWord32ToFloat <$> arbitraryBoundedIntegral]
    double = oneof [arbitrary, castWord64ToDouble <$> arbitraryBoundedIntegral]

number :: (Bounded a, Integral a) => Gen a
number = frequency [(3, arbitraryBoundedIntegral), (1, elements [minBound, maxBound, 0, 1])]

containers :: [TestTree]
containers =
  [ same arbitrary "putTwoOf" (Ours.putTwoOf w8 w16) (Theirs.putTwoOf w8' w16'),
    same arbitrary "putListOf" (Ours.putListOf w16) (Theirs.putListOf w16'),
    same
      (array <$> arbitrary)
      "putIArrayOf"
      (Ours.putIArrayOf i16 w8)
      (Theirs.putIArrayOf i16' w8'),
    same
      (unboxed <$> arbitrary)
      "putIArrayOf, unboxed"
      (Ours.putIArrayOf i16 w16)
      (Theirs.putIArrayOf i16' w16'),
    same (Seq.fromList <$> arbitrary) "putSeqOf" (Ours.putSeqOf w16) (Theirs.putSeqOf w16'),
    same (sized tree) "putTreeOf" (Ours.putTreeOf w16) (Theirs.putTreeOf w16'),
    same (Map.fromList <$> arbitrary) "putMapOf" (Ours.putMapOf w16 w8) (Theirs.putMapOf w16' w8'),
    same
      (IntMap.fromList <$> arbitrary)
      "putIntMapOf"
      (Ours.putIntMapOf int w8)
      (Theirs.putIntMapOf int' w8'),
    same (Set.fromList <$> arbitrary) "putSetOf" (Ours.putSetOf w16) (Theirs.putSetOf w16'),
    same
      (IntSet.fromList <$> arbitrary)
      "putIntSetOf"
      (Ours.putIntSetOf int)
      (Theirs.putIntSetOf int'),
    same arbitrary "putMaybeOf" (Ours.putMaybeOf w16) (Theirs.putMaybeOf w16'),
    same arbitrary "putEitherOf" (Ours.putEitherOf w16 w8) (Theirs.putEitherOf w16' w8'),
    same
      arbitrary
      "putNested"
      (Ours.putNested int . Ours.putListOf w16)
      (Theirs.putNested int' . Theirs.putListOf w16'),
    same
      arbitrary
      "one in another"
      (Ours.putListOf (Ours.putMaybeOf (Ours.putTwoOf w8 (Ours.putListOf w16))))
      (Theirs.putListOf (Theirs.putMaybeOf (Theirs.putTwoOf w8' (Theirs.putListOf w16'))))
  ]
  where
    w8 = Ours.putWord8
    w8' = Theirs.putWord8
    w16 = Ours.putWord16le
    w16' = Theirs.putWord16le
    i16 = Ours.putInt16be
    i16' = Theirs.putInt16be
    int = Ours.putWord32be . fromIntegral
    int' = Theirs.putWord32be . fromIntegral
    array :: [Word8] -> Array Int16 Word8
    array xs = listArray (-3, fromIntegral (length xs) - 4) xs
    unboxed :: [Word16] -> UArray Int16 Word16
    unboxed xs = U.listArray (5, fromIntegral (length xs) + 4) xs
    tree :: Int -> Gen (Tree Word16)
    tree n =
      Node <$> arbitrary
        <*> (choose (0, 4) >>= \k -> vectorOf (if n <= 1 then 0 else k) (tree (n `div` 4)))

runs :: Assertion
runs = do
  let p = Ours.putWord8 1 >> Ours.flush >> Ours.putBuilder (B.word16BE 2) >> pure 'x'
      right = S.pack [1, 0, 2]
  Ours.runPut (() <$ p) @?= right
  Ours.runPutM p @?= ('x', right)
  Ours.runPutLazy (() <$ p) @?= L.fromStrict right
  Ours.runPutMLazy p @?= ('x', L.fromStrict right)
  let (x, b) = Ours.runPutMBuilder p
  (x, B.toStrictByteString b) @?= ('x', right)
  B.toStrictByteString (Ours.execPut p) @?= right

nested :: Assertion
nested =
  S.unpack
    ( Ours.runPut
        ( Ours.putNested
            (Ours.putWord32be . fromIntegral)
            ( Ours.putWord16be (5 :: Word16)
                >> Ours.putNested (Ours.putWord8 . fromIntegral) (Ours.putWord32le (7 :: Word32))
            )
        )
    )
    @?= [0, 0, 0, 7, 0, 5, 4, 7, 0, 0, 0]

-- The value does not need the elements.
laziness :: Assertion
laziness = do
  let unit :: (forall a. Ours.Putter a -> Ours.Putter [a]) -> IO (Either ErrorCall ())
      unit list =
        try (evaluate (fst (Ours.runPutM (list (undefined :: Ours.Putter Word8) undefined))))
  unit Ours.putListOf >>= (@?= Right ())
  fst (Ours.runPutM (Ours.putNested undefined undefined >> pure 'x')) @?= 'x'
