{-# LANGUAGE ConstraintKinds #-}
{-# LANGUAGE FlexibleContexts #-}
{-# LANGUAGE OverloadedStrings #-}
{-# LANGUAGE RankNTypes #-}
{-# LANGUAGE ScopedTypeVariables #-}
{-# LANGUAGE TypeApplications #-}
{-# OPTIONS_GHC -Wno-orphans #-}
-- One copy of the properties for all types.
{-# OPTIONS_GHC -fno-specialise #-}

-- |
-- Module      : Tests.CompatBinary
-- Description : The class of Data.Binary against the package's
module Tests.CompatBinary (tests) where

import qualified Ashlar.Compat.Binary as Ours
import Control.Exception (ErrorCall, evaluate, try)
import Data.Array (Array, listArray)
import Data.Array.Unboxed (UArray)
import qualified Data.Array.Unboxed as U
import qualified Data.Binary as Theirs
import qualified Data.ByteString as S
import qualified Data.ByteString.Lazy as L
import qualified Data.ByteString.Short as SBS
import Data.Complex (Complex)
import Data.Fixed (Centi)
import Data.Functor.Identity (Identity)
import Data.Int (Int16, Int32, Int64, Int8)
import Data.IntMap (IntMap)
import Data.IntSet (IntSet)
import Data.List.NonEmpty (NonEmpty (..))
import Data.Map (Map)
import qualified Data.Monoid as M
import Data.Proxy (Proxy (..), asProxyTypeOf)
import Data.Ratio ((%))
import qualified Data.Semigroup as Semi
import Data.Sequence (Seq)
import Data.Set (Set)
import qualified Data.Text as T
import qualified Data.Text.Lazy as TL
import Data.Tree (Tree)
import Data.Version (Version)
import Data.Void (Void)
import Data.Word (Word16, Word32, Word64, Word8)
import GHC.Fingerprint (Fingerprint (..))
import Numeric.Natural (Natural)
import System.Directory (getTemporaryDirectory, removeFile)
import System.IO (hClose, openTempFile)
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
    "the class Binary, as in binary"
    [ testGroup "each instance, against binary's" instances,
      testGroup "derived instances, against binary's" derivedInstances,
      testGroup "what is stricter than binary" stricter,
      testGroup "where binary loses values" lossy,
      testGroup "hostile input" hostile,
      testGroup "files" files
    ]

type Both a = (Ours.Binary a, Theirs.Binary a, Show a)

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
    [ testProperty "the same bytes" . forAll gen $ \x -> Ours.encode x === Theirs.encode x,
      testProperty "the same bytes as a list" . forAll (resize 12 (listOf gen)) $ \xs ->
        Ours.encode xs === Theirs.encode xs,
      testProperty "their bytes are read" . forAll gen $ \x ->
        forAll (rechunked (Theirs.encode x)) $ \bytes ->
          ours bytes === theirs bytes .&&. ours bytes =/= Refused,
      testProperty "their lists are read" . forAll (listUpTo 80 gen) $ \xs ->
        forAll (rechunked (Theirs.encode xs)) $ \bytes ->
          oursOf (Proxy @[a]) bytes === theirsOf (Proxy @[a]) bytes,
      testProperty "damaged bytes" . forAll gen $ \x ->
        forAll (damage (Theirs.encode x) >>= rechunked) $ \bytes ->
          agree (mayRefuse bytes) (ours bytes) (theirs bytes)
    ]
  where
    ours = oursOf (Proxy @a)
    theirs = theirsOf (Proxy @a)

oursOf :: forall a. (Ours.Binary a, Show a) => Proxy a -> L.ByteString -> Outcome
oursOf _ bytes = outcome $ case Ours.decodeOrFail bytes of
  Left _ -> Nothing
  Right (left, _, x) -> Just (x :: a, L.length left)

theirsOf :: forall a. (Theirs.Binary a, Show a) => Proxy a -> L.ByteString -> Outcome
theirsOf _ bytes = outcome $ case Theirs.decodeOrFail bytes of
  Left _ -> Nothing
  Right (left, _, x) -> Just (x :: a, L.length left)

each :: forall a. (Both a, Arbitrary a) => String -> Proxy a -> TestTree
each title _ = by damaged (const False) title (arbitrary :: Gen a)

-- Of damaged bytes, binary might not come to an end.
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
    each "NonEmpty" (Proxy @(NonEmpty Int)),
    each "Ratio Integer" (Proxy @Rational),
    by damaged (const False) "Ratio Word16" ((%) <$> number @Word16 <*> choose (1, maxBound)),
    each "Complex" (Proxy @(Complex Double)),
    each "Fixed" (Proxy @Centi),
    each "Version" (Proxy @Version),
    by damaged (const False) "Fingerprint" (Fingerprint <$> arbitrary <*> arbitrary),
    each "strict ByteString" (Proxy @S.ByteString),
    each "lazy ByteString" (Proxy @L.ByteString),
    each "ShortByteString" (Proxy @SBS.ShortByteString),
    each "strict Text" (Proxy @T.Text),
    each "lazy Text" (Proxy @TL.Text),
    each "Map" (Proxy @(Map Word8 Int16)),
    each "Set" (Proxy @(Set Int8)),
    by damaged (unordered (Proxy @[(Int, String)]) (map fst)) "IntMap" $
      arbitrary @(IntMap String),
    by damaged (unordered (Proxy @[Int]) id) "IntSet" (arbitrary @IntSet),
    each "Seq" (Proxy @(Seq Word16)),
    each "Tree" (Proxy @(Tree Word8)),
    cut "Array" (array <$> arbitrary),
    cut "Array of two dimensions" (square <$> arbitrary),
    cut "UArray" (unboxed <$> arbitrary),
    each "Identity" (Proxy @(Identity Int)),
    each "Dual" (Proxy @(M.Dual Int)),
    each "All" (Proxy @M.All),
    each "Any" (Proxy @M.Any),
    each "Sum" (Proxy @(M.Sum Int16)),
    each "Product" (Proxy @(M.Product Int32)),
    each "Data.Monoid.First" (Proxy @(M.First Word8)),
    each "Data.Monoid.Last" (Proxy @(M.Last Word8)),
    each "Alt" (Proxy @(M.Alt Maybe Word8)),
    by damaged (const False) "Min" (Semi.Min <$> number @Int),
    by damaged (const False) "Max" (Semi.Max <$> number @Int),
    by damaged (const False) "Data.Semigroup.First" (Semi.First <$> number @Int),
    by damaged (const False) "Data.Semigroup.Last" (Semi.Last <$> number @Int),
    by damaged (const False) "WrappedMonoid" (Semi.WrapMonoid <$> arbitrary @String),
    by damaged (const False) "Arg" (Semi.Arg <$> number @Word16 <*> arbitrary @String),
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
    each "257 constructors" (Proxy @E257),
    testCase "no constructors" $ case Ours.decodeOrFail "ab" of
      Right (left, at, _ :: Empty) -> (left, at) @?= ("ab", 0)
      Left _ -> assertFailure "refused"
  ]

instance Arbitrary a => Arbitrary (NonEmpty a) where
  arbitrary = (:|) <$> arbitrary <*> arbitrary

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

-- Do the bytes have keys that do not ascend?
unordered :: Theirs.Binary a => Proxy a -> (a -> [Int]) -> L.ByteString -> Bool
unordered proxy keys bytes = case Theirs.decodeOrFail bytes of
  Right (_, _, x) -> let ks = keys (x `asProxyTypeOf` proxy) in or (zipWith (>=) ks (drop 1 ks))
  Left _ -> False

refuses :: forall a. Ours.Binary a => String -> Proxy a -> L.ByteString -> TestTree
refuses title _ bytes = testCase title $ case Ours.decodeOrFail bytes of
  Left _ -> pure ()
  Right (_, _, _ :: a) -> assertFailure "read"

stricter :: [TestTree]
stricter =
  [ refuses "IntMap: keys that do not ascend" (Proxy @(IntMap Int)) $
      Theirs.encode [(2 :: Int, 0 :: Int), (1, 0)],
    refuses "IntSet: elements that do not ascend" (Proxy @IntSet) (Theirs.encode [2, 2 :: Int]),
    refuses "Ratio: over 0" (Proxy @Rational) (Theirs.encode (1 :: Integer, 0 :: Integer)),
    refuses "Array: too many elements" (Proxy @(Array Int Int)) $
      Theirs.encode ((0 :: Int, 0 :: Int), [1, 2 :: Int]),
    refuses "Array: too few elements" (Proxy @(Array Int Int)) $
      Theirs.encode ((0 :: Int, 2 :: Int), [1, 2 :: Int]),
    refuses "Void" (Proxy @Void) "abc"
  ]

-- The number of constructors overflows in the one byte that it is given there.
lossy :: [TestTree]
lossy =
  [ testProperty "256 constructors" $ \(x :: E256) ->
      Ours.decode (Ours.encode x) === x
        .&&. Theirs.encode x === Theirs.encode (0 :: Word8) <> L.drop 1 (Ours.encode x)
        .&&. theirsOf (Proxy @E256) (Theirs.encode x) === Refused
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
    refuses "a negative number of elements" (Proxy @[()]) (Theirs.encode (-1 :: Int)),
    refuses "a map of a negative number" (Proxy @(Map () ())) (Theirs.encode (-1 :: Int)),
    refuses "array" (Proxy @(UArray Int Word8)) (Theirs.encode (0 :: Int, maxBound :: Int) <> huge),
    refuses "array of bounds that overflow" (Proxy @(Array (Int, Int) Word8)) $
      Theirs.encode (((0, 0), (most, most)) :: ((Int, Int), (Int, Int)), [] :: [Word8]),
    refuses "nested values" (Proxy @Tree2) (L.concat (replicate 3000000 "\1\0\0\0")),
    testCase "as many levels as the budget has" $
      case Ours.decodeOrFail (Ours.encode (nested 99998)) of
        Right (_, _, t :: Tree2) -> t @?= nested 99998
        Left _ -> assertFailure "refused"
  ]
  where
    most = 2 ^ (32 :: Int) - 1
    huge = Theirs.encode (maxBound `div` 2 :: Int)

files :: [TestTree]
files =
  [ testProperty "what is written is read" $ \(xs :: [Mixed]) -> ioProperty . temporary $
      \path -> do
        Ours.encodeFile path xs
        bytes <- L.fromStrict <$> S.readFile path
        ys <- Ours.decodeFile path
        pure (bytes === Theirs.encode xs .&&. ys === xs),
    testCase "an error" . temporary $ \path -> do
      S.writeFile path "\2"
      result <- Ours.decodeFileOrFail path
      theirs <- Theirs.decodeFileOrFail path
      result @?= (theirs :: Either (Int64, String) Bool)
      thrown <- try (Ours.decodeFile path >>= evaluate)
      case thrown of
        Left e -> takeWhile (/= '\n') (show (e :: ErrorCall)) @?= "Could not map value 2 to Bool"
        Right b -> assertFailure (show (b :: Bool))
  ]

temporary :: (FilePath -> IO a) -> IO a
temporary act = do
  dir <- getTemporaryDirectory
  (path, h) <- openTempFile dir "binary"
  hClose h
  x <- act path
  x <$ removeFile path
