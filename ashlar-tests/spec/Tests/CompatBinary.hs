{-# LANGUAGE FlexibleContexts #-}
{-# LANGUAGE OverloadedStrings #-}
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
import qualified Ashlar.Compat.Binary.Builder as OursB
import Ashlar.Compat.Binary.Put (execPut)
import Control.Exception (ErrorCall, evaluate, try)
import Data.Array (Array)
import Data.Array.Unboxed (UArray)
import qualified Data.Binary as Theirs
import qualified Data.Binary.Builder as TheirsB
import Data.Bits (finiteBitSize)
import qualified Data.ByteString as S
import qualified Data.ByteString.Lazy as L
import qualified Data.ByteString.Short as SBS
import Data.Complex (Complex)
import Data.Either (isLeft)
import Data.Fixed (Centi)
import Data.Functor.Identity (Identity)
import Data.Int (Int64, Int8)
import Data.IntMap (IntMap)
import Data.IntSet (IntSet)
import Data.List.NonEmpty (NonEmpty (..))
import Data.Map (Map)
import qualified Data.Monoid as M
import Data.Proxy (Proxy (..), asProxyTypeOf)
import qualified Data.Semigroup as Semi
import Data.Sequence (Seq)
import Data.Set (Set)
import qualified Data.Text as T
import qualified Data.Text.Lazy as TL
import Data.Version (Version)
import Data.Void (Void)
import Data.Word (Word16, Word32, Word64, Word8)
import GHC.Fingerprint (Fingerprint (..))
import GHC.Real (Ratio (..))
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
import Tests.Compat.Values
import Tests.Guarded (guarded)

tests :: TestTree
tests =
  testGroup
    "the class Binary, as in binary"
    [ testGroup "each instance, against binary's" instances,
      testGroup "derived instances, against binary's" derivedInstances,
      testGroup "what is stricter than binary" stricter,
      testGroup "where binary loses values" lossy,
      testGroup "hostile input" hostile,
      testCase "Void fails as in binary" $
        either Just (const Nothing) (Ours.decodeOrFail @Void "abc")
          @?= either Just (const Nothing) (Theirs.decodeOrFail @Void "abc"),
      testGroup "files" files,
      testProperty "each builder, against binary's" builders,
      testGroup "in the memory that was reserved" reserved,
      testCase "long lists of numbers" longLists,
      testCase "lists of numbers are as lazy as there" lazyLists
    ]

reserved :: [TestTree]
reserved =
  [ testProperty "Integer" (fits @Integer),
    testProperty "large Integer" (\n k -> fits (n * 2 ^ (k `mod` 200 :: Word8) :: Integer)),
    testProperty "Natural" (fits . (fromInteger . abs :: Integer -> Natural)),
    testProperty "Double" (fits @Double),
    testProperty "Float" (fits @Float),
    testProperty "String" (fits @String),
    testProperty "[Int]" (fits @[Int]),
    testProperty "Map" (fits @(Map Word8 Integer))
  ]
  where
    fits :: forall a. (Ours.Binary a, Theirs.Binary a) => a -> Property
    fits x = guarded (L.toStrict (Theirs.encode x)) (execPut (Ours.put x))

-- Ours and binary's, given which bytes ours may refuse.
by ::
  (Ours.Binary a, Theirs.Binary a, Show a) =>
  (L.ByteString -> Bool) ->
  Damage ->
  String ->
  Gen a ->
  TestTree
by = same (ours, theirs) (ours, theirs)

ours :: Ours.Binary a => Library a
ours = Library Ours.encode (read' . Ours.decodeOrFail)

theirs :: Theirs.Binary a => Library a
theirs = Library Theirs.encode (read' . Theirs.decodeOrFail)

read' :: Either (b, c, String) (L.ByteString, Int64, a) -> Either String (a, Int64)
read' = either (\(_, _, message) -> Left message) (\(left, _, x) -> Right (x, L.length left))

instances :: [TestTree]
instances =
  commonInstances (by (const False))
    ++ [ by (const False) Damaged "NonEmpty" (arbitrary @(NonEmpty Int)),
         by (const False) Damaged "Complex" (arbitrary @(Complex Double)),
         by (const False) Damaged "Fixed" (arbitrary @Centi),
         by (const False) Damaged "Version" (arbitrary @Version),
         by (const False) Damaged "Fingerprint" (Fingerprint <$> arbitrary <*> arbitrary),
         by (const False) Damaged "strict Text" (arbitrary @T.Text),
         by (const False) Damaged "lazy Text" (arbitrary @TL.Text),
         by (unordered (Proxy @[(Int, String)]) (map fst)) Damaged "IntMap" $
           arbitrary @(IntMap String),
         by (unordered (Proxy @[Int]) id) Damaged "IntSet" (arbitrary @IntSet),
         by (const False) Damaged "Identity" (arbitrary @(Identity Int)),
         by (const False) Damaged "Alt" (arbitrary @(M.Alt Maybe Word8)),
         by (const False) Damaged "Min" (Semi.Min <$> number @Int),
         by (const False) Damaged "Max" (Semi.Max <$> number @Int),
         by (const False) Damaged "Data.Semigroup.First" (Semi.First <$> number @Int),
         by (const False) Damaged "Data.Semigroup.Last" (Semi.Last <$> number @Int),
         by (const False) Damaged "WrappedMonoid" (Semi.WrapMonoid <$> arbitrary @String),
         by (const False) Damaged "Arg" (Semi.Arg <$> number @Word16 <*> arbitrary @String)
       ]

derivedInstances :: [TestTree]
derivedInstances =
  commonDerived (by (const False))

instance Arbitrary a => Arbitrary (NonEmpty a) where
  arbitrary = (:|) <$> arbitrary <*> arbitrary

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
    refuses "no constructors" (Proxy @Empty) "ab",
    refuses "Ratio: over 0" (Proxy @Rational) (Theirs.encode (1 :: Integer, 0 :: Integer)),
    refuses "Array: too many elements" (Proxy @(Array Int Int)) $
      Theirs.encode ((0 :: Int, 0 :: Int), [1, 2 :: Int]),
    refuses "Array: too few elements" (Proxy @(Array Int Int)) $
      Theirs.encode ((0 :: Int, 2 :: Int), [1, 2 :: Int])
  ]

-- The number of constructors overflows in the one byte that it is given there.
lossy :: [TestTree]
lossy =
  [ testProperty "256 constructors" $ \(x :: E256) ->
      Ours.decode (Ours.encode x) === x
        .&&. Theirs.encode x === Theirs.encode (0 :: Word8) <> L.drop 1 (Ours.encode x)
        .&&. isLeft (decoded (theirs @E256) (Theirs.encode x))
  ]

-- The heap of this program is limited.
hostile :: [TestTree]
hostile =
  [ refuses "a character after the last" (Proxy @Char) (L.pack [0xF4, 0x90, 0x80, 0x80]),
    refuses "list of numbers" (Proxy @[Word64]) huge,
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
    refuses "nested newtypes: Maybe" (Proxy @Chain) (L.replicate 3000000 1),
    refuses "nested newtypes: lists" (Proxy @Nest) $
      L.concat (replicate 300000 (Theirs.encode (1 :: Int))),
    refuses "Ratio: terms out of range" (Proxy @[Ratio Int8]) $
      Theirs.encode [(minBound, -1) :: (Int8, Int8)],
    testCase "Ratio: the least number" $
      Ours.decode (Theirs.encode (minBound :: Int8, 127 :: Int8)) @?= ((-128) :% 127 :: Ratio Int8),
    testCase "as many levels as the budget has" $
      case Ours.decodeOrFail (Ours.encode (nested 99998)) of
        Right (_, _, t :: Tree2) -> t @?= nested 99998
        Left _ -> assertFailure "refused"
  ]
  where
    most = 2 ^ (finiteBitSize (0 :: Int) `div` 2) - 1
    huge = Theirs.encode (maxBound `div` 2 :: Int)

builders :: Word64 -> [Word8] -> String -> Property
builders n ws str =
  conjoin
    [ counterexample title (OursB.toLazyByteString b === TheirsB.toLazyByteString his)
      | (title, b, his) <- named
    ]
  where
    bs = S.pack ws
    lbs = L.fromChunks [bs, bs]
    sbs = SBS.toShort bs
    to :: Num a => Word64 -> a
    to = fromIntegral
    named =
      [ ("empty", OursB.empty, TheirsB.empty),
        ("singleton", OursB.singleton (to n), TheirsB.singleton (to n)),
        ( "append",
          OursB.append (OursB.fromByteString bs) (OursB.singleton 1),
          TheirsB.append (TheirsB.fromByteString bs) (TheirsB.singleton 1)
        ),
        ("flush", OursB.singleton 1 <> OursB.flush, TheirsB.singleton 1 <> TheirsB.flush),
        ("fromLazyByteString", OursB.fromLazyByteString lbs, TheirsB.fromLazyByteString lbs),
        ("fromShortByteString", OursB.fromShortByteString sbs, TheirsB.fromShortByteString sbs),
        ("putCharUtf8", foldMap OursB.putCharUtf8 str, foldMap TheirsB.putCharUtf8 str),
        ("putStringUtf8", OursB.putStringUtf8 str, TheirsB.putStringUtf8 str),
        ("putWord16be", OursB.putWord16be (to n), TheirsB.putWord16be (to n)),
        ("putWord32be", OursB.putWord32be (to n), TheirsB.putWord32be (to n)),
        ("putWord64be", OursB.putWord64be n, TheirsB.putWord64be n),
        ("putInt16be", OursB.putInt16be (to n), TheirsB.putInt16be (to n)),
        ("putInt32be", OursB.putInt32be (to n), TheirsB.putInt32be (to n)),
        ("putInt64be", OursB.putInt64be (to n), TheirsB.putInt64be (to n)),
        ("putWord16le", OursB.putWord16le (to n), TheirsB.putWord16le (to n)),
        ("putWord32le", OursB.putWord32le (to n), TheirsB.putWord32le (to n)),
        ("putWord64le", OursB.putWord64le n, TheirsB.putWord64le n),
        ("putInt16le", OursB.putInt16le (to n), TheirsB.putInt16le (to n)),
        ("putInt32le", OursB.putInt32le (to n), TheirsB.putInt32le (to n)),
        ("putInt64le", OursB.putInt64le (to n), TheirsB.putInt64le (to n)),
        ("putWord16host", OursB.putWord16host (to n), TheirsB.putWord16host (to n)),
        ("putWord32host", OursB.putWord32host (to n), TheirsB.putWord32host (to n)),
        ("putWord64host", OursB.putWord64host n, TheirsB.putWord64host n),
        ("putInt16host", OursB.putInt16host (to n), TheirsB.putInt16host (to n)),
        ("putInt32host", OursB.putInt32host (to n), TheirsB.putInt32host (to n)),
        ("putInt64host", OursB.putInt64host (to n), TheirsB.putInt64host (to n)),
        ("putWordhost", OursB.putWordhost (to n), TheirsB.putWordhost (to n)),
        ("putInthost", OursB.putInthost (to n), TheirsB.putInthost (to n))
      ]

-- Around the sizes of buffers and chunks.
longLists :: Assertion
longLists = mapM_ agrees [n + d | n <- [508, 1022, 15870, 31742, 200000], d <- [-2 .. 2]]
  where
    agrees n = do
      let ws = map fromIntegral [1 .. n] :: [Word64]
          bs = map fromIntegral [1 .. 8 * n] :: [Word8]
      Ours.encode ws @?= Theirs.encode ws
      Ours.decode (Theirs.encode ws) @?= ws
      Ours.encode (n :: Int, bs) @?= Theirs.encode (n, bs)

-- What is handed over before an element that throws, and a list whose end depends on its beginning.
lazyLists :: Assertion
lazyLists = do
  sameChunks @Int [1, 600, 5000, 40000] Ours.encode Theirs.encode
  sameChunks @Word8 [1, 5000, 100000] Ours.encode Theirs.encode
  sameChunks @Word32 [1, 1100, 60000] Ours.encode Theirs.encode
  let out = Ours.encode ([1 .. 2000] ++ [fromIntegral (L.index out 15)] :: [Int])
  L.length out @?= 16016

files :: [TestTree]
files =
  [ testProperty "encodeFile and decodeFile" $ \(xs :: [Mixed]) -> ioProperty . temporary $
      \path -> do
        Ours.encodeFile path xs
        bytes <- L.fromStrict <$> S.readFile path
        ys <- Ours.decodeFile path
        pure (bytes === Theirs.encode xs .&&. ys === xs),
    testCase "decodeFileOrFail of a damaged file" . temporary $ \path -> do
      S.writeFile path "\2"
      result <- Ours.decodeFileOrFail path
      expected <- Theirs.decodeFileOrFail path
      result @?= (expected :: Either (Int64, String) Bool)
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
