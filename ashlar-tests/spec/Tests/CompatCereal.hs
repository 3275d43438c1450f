{-# LANGUAGE FlexibleContexts #-}
{-# LANGUAGE OverloadedStrings #-}
{-# LANGUAGE ScopedTypeVariables #-}
{-# LANGUAGE TypeApplications #-}
-- One copy of the properties for all types.
{-# OPTIONS_GHC -fno-specialise #-}

-- |
-- Module      : Tests.CompatCereal
-- Description : The class of Data.Serialize against the package's
module Tests.CompatCereal (tests) where

import qualified Ashlar.Compat.Cereal as Ours
import Data.Array (Array)
import Data.Array.Unboxed (UArray)
import Data.Bits (finiteBitSize)
import qualified Data.ByteString as S
import qualified Data.ByteString.Lazy as L
import Data.Either (isLeft)
import Data.IntMap (IntMap)
import Data.IntSet (IntSet)
import Data.Map (Map)
import qualified Data.Map as Map
import Data.Proxy (Proxy (..))
import Data.Sequence (Seq)
import qualified Data.Serialize as Theirs
import Data.Set (Set)
import qualified Data.Set as Set
import Data.Word (Word64, Word8)
import Test.Tasty
import Test.Tasty.HUnit
import Test.Tasty.QuickCheck
import Tests.Arbitrary ()
import Tests.Compat.Agree
import Tests.Compat.Enumerations
import Tests.Compat.Types
import Tests.Compat.Values

tests :: TestTree
tests =
  testGroup
    "the class Serialize, as in cereal"
    [ testGroup "each instance, against cereal's" instances,
      testGroup "derived instances, against cereal's" derivedInstances,
      testGroup "what is stricter than cereal" stricter,
      testGroup "where cereal loses values" lossy,
      testGroup "hostile input" hostile,
      testGroup "every way to run" runners,
      testCase "lists of numbers are as lazy as there" lazyLists
    ]

lazyLists :: Assertion
lazyLists = do
  sameChunks @Int [1, 600, 5000, 40000] Ours.encodeLazy Theirs.encodeLazy
  sameChunks @Word8 [1, 5000, 100000] Ours.encodeLazy Theirs.encodeLazy

encodeTheirs :: Theirs.Serialize a => a -> L.ByteString
encodeTheirs = Theirs.encodeLazy

-- Ours and cereal's, given which bytes ours may refuse.
by ::
  (Ours.Serialize a, Theirs.Serialize a, Show a) =>
  (L.ByteString -> Bool) ->
  Damage ->
  String ->
  Gen a ->
  TestTree
by = same (ours, theirs) (ours, theirs)

ours :: Ours.Serialize a => Library a
ours = Library Ours.encodeLazy $ \bytes -> fmap L.length <$> Ours.runGetLazyState Ours.get bytes

theirs :: Theirs.Serialize a => Library a
theirs = Library Theirs.encodeLazy $ \bytes ->
  fmap (fromIntegral . S.length) <$> Theirs.runGetState Theirs.get (L.toStrict bytes) 0

instances :: [TestTree]
instances =
  commonInstances (by (const False))
    ++ [ by (const False) Damaged "IntMap" (arbitrary @(IntMap String)),
         by (const False) Damaged "IntSet" (arbitrary @IntSet)
       ]

derivedInstances :: [TestTree]
derivedInstances =
  commonDerived (by (const False))

refuses :: forall a. Ours.Serialize a => String -> Proxy a -> L.ByteString -> TestTree
refuses title _ bytes = testCase title $ case Ours.decodeLazy bytes of
  Left _ -> pure ()
  Right (_ :: a) -> assertFailure "read"

stricter :: [TestTree]
stricter =
  [ refuses "no constructors" (Proxy @Empty) "ab",
    refuses "Ratio: over 0" (Proxy @Rational) (encodeTheirs (1 :: Integer, 0 :: Integer)),
    refuses "Array: too many elements" (Proxy @(Array Int Int)) $
      encodeTheirs ((0 :: Int, 0 :: Int), [1, 2 :: Int]),
    refuses "Array: too few elements" (Proxy @(Array Int Int)) $
      encodeTheirs ((0 :: Int, 2 :: Int), [1, 2 :: Int])
  ]

-- The number of constructors overflows in the one byte that it is given there.
lossy :: [TestTree]
lossy =
  [ testProperty "256 constructors" $ \(x :: E256) ->
      Ours.decode (Ours.encode x) === Right x
        .&&. encodeTheirs x === encodeTheirs (0 :: Word8) <> L.drop 1 (Ours.encodeLazy x)
        .&&. isLeft (decoded (theirs @E256) (encodeTheirs x))
  ]

-- The heap of this program is limited.
hostile :: [TestTree]
hostile =
  [ refuses "list of numbers" (Proxy @[Word64]) huge,
    refuses "list of nothing" (Proxy @[()]) huge,
    refuses "list of lists" (Proxy @[[Int]]) huge,
    refuses "string" (Proxy @String) huge,
    refuses "map of nothing" (Proxy @(Map () ())) huge,
    refuses "set of nothing" (Proxy @(Set ())) huge,
    refuses "map" (Proxy @(Map Int Int)) huge,
    refuses "sequence of nothing" (Proxy @(Seq ())) huge,
    refuses "ByteString" (Proxy @S.ByteString) huge,
    refuses "Integer" (Proxy @Integer) ("\1\1" <> huge),
    refuses "a negative number of elements" (Proxy @[()]) (encodeTheirs (-1 :: Int)),
    refuses "a map of a negative number" (Proxy @(Map () ())) (encodeTheirs (-1 :: Int)),
    refuses "array" (Proxy @(UArray Int Word8)) (encodeTheirs (0 :: Int, maxBound :: Int) <> huge),
    refuses "array of bounds that overflow" (Proxy @(Array (Int, Int) Word8)) $
      encodeTheirs (((0, 0), (most, most)) :: ((Int, Int), (Int, Int)), [] :: [Word8]),
    refuses "nested newtypes: Maybe" (Proxy @Chain) (L.replicate 3000000 1),
    refuses "nested newtypes: lists" (Proxy @Nest) $
      L.concat (replicate 300000 (encodeTheirs (1 :: Int))),
    refuses "nested values" (Proxy @Tree2) (L.concat (replicate 3000000 "\1\0\0\0")),
    testCase "as many levels as the budget has" $
      isLeft (Ours.decode (Ours.encode (nested 99998)) :: Either String Tree2) @?= False
  ]
  where
    most = 2 ^ (finiteBitSize (0 :: Int) `div` 2) - 1
    huge = encodeTheirs (maxBound `div` 2 :: Int)

runners :: [TestTree]
runners =
  [ testProperty "maps of keys in any order, some twice" $ \(pairs :: [(Word8, Int)]) ->
      let decoded' x = Ours.decodeLazy (encodeTheirs x)
       in decoded' pairs === Right (Map.fromList pairs)
            .&&. (Map.valid <$> (decoded' pairs :: Either String (Map Word8 Int))) === Right True
            .&&. decoded' (map fst pairs) === Right (Set.fromList (map fst pairs)),
    testProperty "encode and encodeLazy" $ \(x :: Mixed) ->
      Ours.encode x === Theirs.encode x .&&. Ours.encodeLazy x === Theirs.encodeLazy x,
    testProperty "decode and decodeLazy" $ \(x :: Mixed) ->
      Ours.decode (Theirs.encode x) === Right x
        .&&. Ours.decodeLazy (Theirs.encodeLazy x) === Right x,
    testProperty "expect" $ \(x :: Word8) (y :: Word8) ->
      isLeft (Ours.runGet (Ours.expect x) (Theirs.encode y))
        === isLeft (Theirs.runGet (Theirs.expect x) (Theirs.encode y)),
    testProperty "numbers of IEEE 754" $ \x y ->
      Ours.runPut (ieeeOurs x y) === Theirs.runPut (ieeeTheirs x y)
        .&&. Ours.runGet gets (Theirs.runPut (ieeeTheirs x y)) === Right (x, x, y, y)
  ]
  where
    ieeeOurs x y =
      Ours.putFloat32le x *> Ours.putFloat32be x *> Ours.putFloat64le y *> Ours.putFloat64be y
    ieeeTheirs x y =
      Theirs.putFloat32le x
        *> Theirs.putFloat32be x
        *> Theirs.putFloat64le y
        *> Theirs.putFloat64be y
    gets =
      (,,,) <$> Ours.getFloat32le <*> Ours.getFloat32be <*> Ours.getFloat64le <*> Ours.getFloat64be
