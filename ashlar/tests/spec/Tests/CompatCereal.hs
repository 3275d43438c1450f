{-# LANGUAGE ConstraintKinds #-}
{-# LANGUAGE FlexibleContexts #-}
{-# LANGUAGE OverloadedStrings #-}
{-# LANGUAGE RankNTypes #-}
{-# LANGUAGE ScopedTypeVariables #-}
{-# LANGUAGE TypeApplications #-}
-- One copy of the properties for all types.
{-# OPTIONS_GHC -fno-specialise #-}

-- |
-- Module      : Tests.CompatCereal
-- Description : The class of Data.Serialize against the package's
module Tests.CompatCereal (tests) where

import qualified Ashlar.Compat.Cereal as Ours
import Data.Array (Array, listArray)
import Data.Array.Unboxed (UArray)
import qualified Data.Array.Unboxed as U
import qualified Data.ByteString as S
import qualified Data.ByteString.Lazy as L
import qualified Data.ByteString.Short as SBS
import Data.Either (isLeft)
import Data.Int (Int16, Int32, Int64, Int8)
import Data.IntMap (IntMap)
import Data.IntSet (IntSet)
import Data.Map (Map)
import qualified Data.Monoid as M
import Data.Proxy (Proxy (..))
import Data.Ratio ((%))
import Data.Sequence (Seq)
import qualified Data.Serialize as Theirs
import Data.Set (Set)
import Data.Tree (Tree)
import Data.Word (Word16, Word32, Word64, Word8)
import Numeric.Natural (Natural)
import Test.Tasty
import Test.Tasty.HUnit
import Test.Tasty.QuickCheck
import Tests.Arbitrary ()
import Tests.Compat.Agree
import Tests.Compat.Enumerations
import Tests.Compat.Types

tests :: TestTree
tests =
  testGroup
    "the class Serialize, as in cereal"
    [ testGroup "each instance, against cereal's" instances,
      testGroup "derived instances, against cereal's" derivedInstances,
      testGroup "what is stricter than cereal" stricter,
      testGroup "where cereal loses values" lossy,
      testGroup "hostile input" hostile,
      testGroup "every way to run" runners
    ]

encodeTheirs :: Theirs.Serialize a => a -> L.ByteString
encodeTheirs = Theirs.encodeLazy

type Both a = (Ours.Serialize a, Theirs.Serialize a, Show a)

-- The same bytes; the value again, however they are cut; and the same outcome of damaged
-- bytes, which the first function makes. The second one says which bytes ours may refuse.
by ::
  forall a.
  Both a =>
  (L.ByteString -> Gen L.ByteString) ->
  (L.ByteString -> Bool) ->
  String ->
  Gen a ->
  TestTree
by damage mayRefuse title gen =
  testGroup
    title
    [ testProperty "the same bytes" . forAll gen $ \x -> Ours.encodeLazy x === encodeTheirs x,
      testProperty "the same bytes as a list" . forAll (resize 12 (listOf gen)) $ \xs ->
        Ours.encodeLazy xs === encodeTheirs xs,
      testProperty "their bytes are read" . forAll gen $ \x ->
        forAll (rechunked (encodeTheirs x)) $ \bytes ->
          ours bytes === theirs bytes .&&. ours bytes =/= Refused,
      testProperty "their lists are read" . forAll (listUpTo 80 gen) $ \xs ->
        forAll (rechunked (encodeTheirs xs)) $ \bytes ->
          oursOf (Proxy @[a]) bytes === theirsOf (Proxy @[a]) bytes,
      testProperty "damaged bytes" . forAll gen $ \x ->
        forAll (damage (encodeTheirs x) >>= rechunked) $ \bytes ->
          agree (mayRefuse bytes) (ours bytes) (theirs bytes)
    ]
  where
    ours = oursOf (Proxy @a)
    theirs = theirsOf (Proxy @a)

oursOf :: forall a. (Ours.Serialize a, Show a) => Proxy a -> L.ByteString -> Outcome
oursOf _ bytes = outcome $ case Ours.runGetLazyState Ours.get bytes of
  Left _ -> Nothing
  Right (x, left) -> Just (x :: a, L.length left)

theirsOf :: forall a. (Theirs.Serialize a, Show a) => Proxy a -> L.ByteString -> Outcome
theirsOf _ bytes = outcome $ case Theirs.runGetState Theirs.get (L.toStrict bytes) 0 of
  Left _ -> Nothing
  Right (x, left) -> Just (x :: a, fromIntegral (S.length left))

each :: forall a. (Both a, Arbitrary a) => String -> Proxy a -> TestTree
each title _ = by damaged (const False) title (arbitrary :: Gen a)

-- Of damaged bytes, cereal might not come to an end.
cut :: Both a => String -> Gen a -> TestTree
cut = by cutShort (const False)

instances :: [TestTree]
instances =
  [ each "Word8" (Proxy @Word8),
    by damaged (const False) "Word16" (number @Word16),
    by damaged (const False) "Word32" (number @Word32),
    by damaged (const False) "Word64" (number @Word64),
    by damaged (const False) "Word" (number @Word),
    each "Int8" (Proxy @Int8),
    by damaged (const False) "Int16" (number @Int16),
    by damaged (const False) "Int32" (number @Int32),
    by damaged (const False) "Int64" (number @Int64),
    by damaged (const False) "Int" (number @Int),
    by damaged (const False) "Integer" integer,
    by damaged (const False) "Natural" (fromInteger . abs <$> integer :: Gen Natural),
    by damaged (const False) "Double" (floating @Double),
    by damaged (const False) "Float" (floating @Float),
    by damaged (const False) "Char" character,
    by damaged (const False) "String" (listOf character),
    each "Bool" (Proxy @Bool),
    each "Ordering" (Proxy @Ordering),
    cut "()" (pure ()),
    each "Maybe" (Proxy @(Maybe Word16)),
    each "Either" (Proxy @(Either Int String)),
    each "list of lists" (Proxy @[[Word8]]),
    each "Ratio Integer" (Proxy @Rational),
    by damaged (const False) "Ratio Word16" ((%) <$> number @Word16 <*> choose (1, maxBound)),
    each "strict ByteString" (Proxy @S.ByteString),
    each "lazy ByteString" (Proxy @L.ByteString),
    each "ShortByteString" (Proxy @SBS.ShortByteString),
    each "Map" (Proxy @(Map Word8 Int16)),
    each "Set" (Proxy @(Set Int8)),
    each "IntMap" (Proxy @(IntMap String)),
    each "IntSet" (Proxy @IntSet),
    each "Seq" (Proxy @(Seq Word16)),
    each "Tree" (Proxy @(Tree Word8)),
    cut "Array" (array <$> arbitrary),
    cut "Array of two dimensions" (square <$> arbitrary),
    cut "UArray" (unboxed <$> arbitrary),
    each "Dual" (Proxy @(M.Dual Int)),
    each "All" (Proxy @M.All),
    each "Any" (Proxy @M.Any),
    each "Sum" (Proxy @(M.Sum Int16)),
    each "Product" (Proxy @(M.Product Int32)),
    each "Data.Monoid.First" (Proxy @(M.First Word8)),
    each "Data.Monoid.Last" (Proxy @(M.Last Word8)),
    each "(,)" (Proxy @(Word8, Int)),
    each "(,,)" (Proxy @(Word8, Int, Char)),
    each "(,,,)" (Proxy @(Word8, Int, Char, Bool)),
    each "(,,,,)" (Proxy @(Word8, Int, Char, Bool, Word16)),
    each "(,,,,,)" (Proxy @(Word8, Int, Char, Bool, Word16, String)),
    each "(,,,,,,)" (Proxy @(Word8, Int, Char, Bool, Word16, String, Int8)),
    each "(,,,,,,,)" (Proxy @(Word8, Int, Char, Bool, Word16, String, Int8, Word32)),
    each "(,,,,,,,,)" (Proxy @(Word8, Int, Char, Bool, Word16, String, Int8, Word32, Integer)),
    each "(,,,,,,,,,)" $
      Proxy @(Word8, Int, Char, Bool, Word16, String, Int8, Word32, Integer, Maybe Int)
  ]

derivedInstances :: [TestTree]
derivedInstances =
  [ each "numbers alone" (Proxy @Plain),
    cut "one constructor without fields" (pure Unit),
    each "a record" (Proxy @Mixed),
    each "two constructors" (Proxy @Two),
    each "three, with parameters" (Proxy @(Three Int String)),
    each "five, recursive" (Proxy @Five),
    each "a tree" (Proxy @Tree2),
    each "a rose tree" (Proxy @(Rose Word8)),
    each "not regular" (Proxy @(Perfect Word8)),
    each "a newtype over a functor" (Proxy @(Wrapped Maybe Int)),
    each "by newtype" (Proxy @ByNewtype),
    each "255 constructors" (Proxy @E255),
    each "257 constructors" (Proxy @E257)
  ]

-- Of few or many values, each of which is small.
listUpTo :: Int -> Gen a -> Gen [a]
listUpTo most gen = chooseInt (0, most) >>= \n -> resize 8 (vectorOf n gen)

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

refuses :: forall a. Ours.Serialize a => String -> Proxy a -> L.ByteString -> TestTree
refuses title _ bytes = testCase title $ case Ours.decodeLazy bytes of
  Left _ -> pure ()
  Right (_ :: a) -> assertFailure "read"

stricter :: [TestTree]
stricter =
  [ refuses "Ratio: over 0" (Proxy @Rational) (encodeTheirs (1 :: Integer, 0 :: Integer)),
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
        .&&. theirsOf (Proxy @E256) (encodeTheirs x) === Refused
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
    refuses "nested values" (Proxy @Tree2) (L.concat (replicate 3000000 "\1\0\0\0")),
    testCase "as many levels as the budget has" $
      isLeft (Ours.decode (Ours.encode (nested 99998)) :: Either String Tree2) @?= False
  ]
  where
    most = 2 ^ (32 :: Int) - 1
    huge = encodeTheirs (maxBound `div` 2 :: Int)

runners :: [TestTree]
runners =
  [ testProperty "encode and encodeLazy" $ \(x :: Mixed) ->
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
