{-# LANGUAGE DerivingStrategies #-}
{-# LANGUAGE GeneralizedNewtypeDeriving #-}
{-# LANGUAGE AllowAmbiguousTypes #-}
{-# LANGUAGE OverloadedStrings #-}
{-# LANGUAGE ScopedTypeVariables #-}
{-# LANGUAGE TypeApplications #-}
{-# OPTIONS_GHC -Wno-orphans #-}

-- |
-- Module      : Tests.Codec
-- Description : Round trips, sizes, truncation and mutation of every instance
module Tests.Codec (tests) where

import Ashlar.Builder.Extra (safeStrategy, toLazyByteStringWith)
import Ashlar.Codec
import Ashlar.Get (newSource)
import Control.Exception (bracket)
import qualified Data.ByteString as S
import qualified Data.ByteString.Lazy as L
import qualified Data.ByteString.Short as SBS
import Data.Int
import Data.IntMap (IntMap)
import Data.IntSet (IntSet)
import Data.IORef
import Data.Map (Map)
import qualified Data.Map as M
import qualified Data.Primitive.Types as Prim
import Data.Sequence (Seq)
import Data.Set (Set)
import qualified Data.Text as T
import qualified Data.Text.Lazy as TL
import qualified Data.Vector as V
import qualified Data.Vector.Primitive as P
import qualified Data.Vector.Storable as SV
import qualified Data.Vector.Unboxed as U
import Data.Word
import Foreign.Ptr (castPtr)
import Foreign.Storable (Storable (..))
import GHC.Float (castWord64ToDouble)
import System.Directory (getTemporaryDirectory, removeFile)
import System.IO
import Test.Tasty
import Test.Tasty.HUnit
import Test.Tasty.QuickCheck hiding (Large, Small)
import Tests.Derived hiding (first, name)
import Tests.Failures
import Tests.Splits (splits)

tests :: TestTree
tests =
  testGroup
    "Codec"
    [ testGroup
        "laws (INV-C1, INV-C2), truncation, mutation"
        [ laws @Word8 "Word8",
          laws @Word16 "Word16",
          laws @Word32 "Word32",
          laws @Word64 "Word64",
          laws @Word "Word",
          laws @Int8 "Int8",
          laws @Int16 "Int16",
          laws @Int32 "Int32",
          laws @Int64 "Int64",
          laws @Int "Int",
          laws @Float "Float",
          laws @Double "Double",
          laws @Bool "Bool",
          laws @Char "Char",
          laws @() "()",
          laws @Ordering "Ordering",
          laws @(Word8, Int) "(,)",
          laws @(Word8, T.Text, Bool) "(,,)",
          laws @(Int, Int, Int, Int) "(,,,)",
          laws @(Int, Bool, Int, Char, [Int]) "(,,,,)",
          laws @(Int, Bool, Int, Char, Int, Int) "(,,,,,)",
          laws @(Int, Bool, Int, Char, Int, (), T.Text) "(,,,,,,)",
          laws @(Maybe Int) "Maybe",
          laws @(Maybe (Maybe ())) "Maybe of Maybe",
          laws @(Either Int T.Text) "Either",
          laws @[Int32] "list, fixed",
          laws @[T.Text] "list, variable",
          laws @[()] "list of ()",
          laws @[[Bool]] "list of lists",
          laws @S.ByteString "ByteString",
          laws @L.ByteString "lazy ByteString",
          laws @SBS.ShortByteString "ShortByteString",
          laws @T.Text "Text",
          laws @TL.Text "lazy Text",
          laws @(V.Vector Int32) "Vector, fixed",
          laws @(V.Vector T.Text) "Vector, variable",
          laws @(V.Vector (Pair Bool)) "Vector, validated",
          laws @(V.Vector ()) "Vector of ()",
          laws @(U.Vector Int) "unboxed Vector",
          laws @(U.Vector (Word8, Bool)) "unboxed Vector of pairs",
          laws @(SV.Vector Double) "storable Vector",
          laws @(SV.Vector Char) "storable Vector, validated",
          laws @(P.Vector Word16) "primitive Vector",
          laws @(P.Vector Char) "primitive Vector, validated",
          laws @(Map Int T.Text) "Map",
          laws @(Map T.Text [Int]) "Map of texts",
          laws @(Set Int16) "Set",
          laws @(Set T.Text) "Set of texts",
          laws @(IntMap Bool) "IntMap",
          laws @IntSet "IntSet",
          laws @(Seq Int) "Seq",
          laws @Record "a record",
          laws @AllFixed "a record of fixed size",
          laws @Shape "a sum",
          laws @Colour "an enumeration",
          laws @(Tree Int) "a recursive type",
          laws @(Rose T.Text) "a type recursive through lists",
          laws @(Pair Int) "a parameterised type, fixed",
          laws @(Pair T.Text) "a parameterised type, variable",
          laws @Wrapper "a newtype",
          laws @Unit "one constructor without fields"
        ],
      testCase "260 constructors" manyConstructors,
      testCase "a type without constructors" noConstructors,
      testCase "layouts" layouts,
      testCase "NaN keeps its payload" nan,
      testCase "a newtype with another layout in memory" otherLayouts,
      testCase "golden bytes" golden,
      testCase "Handles" handles,
      testCase "values one after another" several
    ]

laws :: forall a. (Arbitrary a, Show a, Eq a, Codec a) => String -> TestTree
laws name =
  testGroup
    name
    [ testProperty "decode . encode" $ \(x :: a) -> decode (encode x) === Right x,
      testProperty "size" $ \(x :: a) -> encodedSize x === S.length (encode x),
      testProperty "layout" $ \(x :: a) -> agrees (layout :: Layout a) (S.length (encode x)),
      testProperty "lazy, on every split" $ \(Short' (x :: a)) ->
        let bs = encode x
         in encodeLazy x === L.fromStrict bs
              .&&. toLazyByteStringWith (safeStrategy 1 3) L.empty (put x) === L.fromStrict bs
              .&&. conjoin [decodeLazy (L.fromChunks pieces) === Right x | pieces <- take 1000 (splits bs)],
      testProperty "every truncation" $ \(Short' (x :: a)) -> truncated x,
      testProperty "trailing bytes" $ \(Short' (x :: a)) ->
        (decode (encode x <> "x") :: Either DecodeError a)
          === Left (failure (fromIntegral (encodedSize x)) [] TrailingInput ["the end of the input"] "x"),
      testProperty "mutations are refused, or are what they decode to" $ \(Short' (x :: a)) (i :: NonNegative Int) (w :: Word8) ->
        canonical @a (mutate (getNonNegative i) w (encode x)),
      testProperty "random bytes are refused, or are what they decode to" $ \ws ->
        canonical @a (S.pack ws)
    ]

agrees :: Layout a -> Int -> Property
agrees l n = case l of
  Fix _ -> leastSize l === n
  Var least -> counterexample (show (least, n)) (least <= n)

-- A value whose encoding is short.
newtype Short' a = Short' a
  deriving stock (Show)

instance Arbitrary a => Arbitrary (Short' a) where
  arbitrary = Short' <$> scale (`div` 8) arbitrary
  shrink (Short' x) = map Short' (shrink x)

-- Of any beginning of an encoding an error says that input is missing: what it
-- says to be left ends where the input does, and is less than what was needed.
truncated :: forall a. Codec a => a -> Property
truncated x = conjoin [missing n (decode (S.take n bs)) .&&. same n | n <- [0 .. S.length bs - 1]]
  where
    bs = encode x
    missing :: Int -> Either DecodeError a -> Property
    missing n r = counterexample ("of the first " ++ show n) $ case r of
      Left DecodeError {errorOffset = offset, errorReason = MissingInput needed left} ->
        fromIntegral offset + left === n .&&. counterexample "enough" (needed > left)
      Left e -> counterexample (show e) False
      Right _ -> counterexample "decoded" False
    -- In chunks it is the same error.
    same n =
      either Just (const Nothing) (decodeLazy (L.fromChunks (map S.singleton (S.unpack (S.take n bs)))) :: Either DecodeError a)
        === either Just (const Nothing) (decode (S.take n bs) :: Either DecodeError a)

mutate :: Int -> Word8 -> S.ByteString -> S.ByteString
mutate i w bs
  | S.null bs = bs
  | otherwise = let (a, b) = S.splitAt (i `mod` S.length bs) bs in a <> S.cons w (S.drop 1 b)

-- There is one encoding of each value: what decodes is the encoding of what it
-- decodes to. (And nothing crashes or hangs.)
canonical :: forall a. Codec a => S.ByteString -> Property
canonical bs = case decode bs of
  Left DecodeError {errorOffset = offset} -> counterexample "offset" (offset >= 0 && offset <= fromIntegral (S.length bs))
  Right (x :: a) -> encode x === bs

manyConstructors :: Assertion
manyConstructors = do
  length bigs @?= 260
  mapM_ (\(i, b) -> encode b @?= S.pack [fromIntegral (i `mod` 256), fromIntegral (i `div` 256 :: Int)]) (zip [0 ..] bigs)
  mapM_ (\b -> decode (encode b) @?= Right b) bigs
  (decode (S.pack [4, 1]) :: Either DecodeError Big) @?= Left (failure 0 [] (Invalid "constructor 260 of a type that has 260") [] (S.pack [4, 1]))

noConstructors :: Assertion
noConstructors = do
  (decode "" :: Either DecodeError Never) @?= failing 0 (Invalid "a value of a type without constructors")
  (decode (encode ([] :: [Never])) :: Either DecodeError [Never]) @?= Right []

layouts :: Assertion
layouts = do
  fixed (layout :: Layout AllFixed) @?= Just 19
  fixed (layout :: Layout (Pair Int)) @?= Just 16
  fixed (layout :: Layout (Pair T.Text)) @?= Nothing
  fixed (layout :: Layout Colour) @?= Just 1
  fixed (layout :: Layout Big) @?= Just 2
  fixed (layout :: Layout Unit) @?= Just 0
  fixed (layout :: Layout (Tree ())) @?= Nothing
  fixed (layout :: Layout (Int, (Word8, Bool))) @?= Just 10
  leastSize (layout :: Layout Record) @?= 4 + 1 + 8 + 1 + 8 + 8 + 8
  where
    fixed l = case l of
      Fix _ -> Just (leastSize l)
      Var _ -> Nothing

-- Formats taken over from Word64 and Word16, with Storable and Prim instances that
-- have less, more, and the same bytes in another order.
newtype Small = Small Word64
  deriving newtype (Eq, Show, Codec)

instance Storable Small where
  sizeOf _ = 1
  alignment _ = 1
  peek p = Small . fromIntegral <$> (peek (castPtr p) :: IO Word8)
  poke p (Small w) = poke (castPtr p) (fromIntegral w :: Word8)

newtype Large = Large Word16
  deriving newtype (Eq, Show, Codec)

instance Storable Large where
  sizeOf _ = 8
  alignment _ = 8
  peek p = Large . fromIntegral <$> (peek (castPtr p) :: IO Word64)
  poke p (Large w) = poke (castPtr p) (fromIntegral w :: Word64)

newtype Swapped = Swapped Word16
  deriving newtype (Eq, Show, Codec)

instance Storable Swapped where
  sizeOf _ = 2
  alignment _ = 2
  peek p = Swapped . byteSwap16 <$> peek (castPtr p)
  poke p (Swapped w) = poke (castPtr p) (byteSwap16 w)

otherLayouts :: Assertion
otherLayouts = do
  same (map Small [1 .. 100])
  same (map Large [1 .. 100])
  same (map Swapped [1 .. 100])
  where
    same :: (Show a, Eq a, Codec a, Storable a) => [a] -> Assertion
    same xs = do
      let v = SV.fromList xs
      encode v @?= encode (V.fromList xs)
      decode (encode v) @?= Right v

nan :: Assertion
nan = do
  let x = castWord64ToDouble 0x7FF80000DEADBEEF
  encode x @?= S.pack [0xEF, 0xBE, 0xAD, 0xDE, 0, 0, 0xF8, 0x7F]
  (encode <$> (decode (encode x) :: Either DecodeError Double)) @?= Right (encode x)

-- The format, byte by byte.
golden :: Assertion
golden = do
  encode (1 :: Word8, -2 :: Int16, 3 :: Word32, -4 :: Int64) @?= "\1\xFE\xFF\3\0\0\0\xFC\xFF\xFF\xFF\xFF\xFF\xFF\xFF"
  encode (5 :: Int, 6 :: Word) @?= "\5\0\0\0\0\0\0\0\6\0\0\0\0\0\0\0"
  encode (1.5 :: Float, -2 :: Double) @?= "\0\0\xC0\x3F\0\0\0\0\0\0\0\xC0"
  encode (True, False, 'a', '\x1F600') @?= "\1\0a\0\0\0\0\xF6\1\0"
  encode () @?= ""
  encode (Just LT, Nothing :: Maybe Int, Left 1 :: Either Word8 (), Right () :: Either Word8 ()) @?= "\1\0\0\0\1\1"
  encode [1, 2 :: Word8] @?= "\2\0\0\0\0\0\0\0\1\2"
  encode ("ab" :: S.ByteString) @?= "\2\0\0\0\0\0\0\0ab"
  encode ("ab" :: L.ByteString) @?= "\2\0\0\0\0\0\0\0ab"
  encode ("\228\x1F600" :: T.Text) @?= "\6\0\0\0\0\0\0\0\xC3\xA4\xF0\x9F\x98\x80"
  encode (V.fromList [1, 2 :: Word16]) @?= "\2\0\0\0\0\0\0\0\1\0\2\0"
  encode (U.fromList [(1, True) :: (Word8, Bool)]) @?= "\1\0\0\0\0\0\0\0\1\1"
  encode (SV.fromList [1 :: Word16]) @?= "\1\0\0\0\0\0\0\0\1\0"
  encode (P.fromList [1 :: Word16]) @?= "\1\0\0\0\0\0\0\0\1\0"
  encode (Polygon [(0, 0)]) @?= "\2\1\0\0\0\0\0\0\0" <> S.replicate 16 0
  encode [Red, Green, Blue] @?= "\3\0\0\0\0\0\0\0\0\1\2"
  encode (Node Leaf (7 :: Word8) Leaf) @?= "\1\0\7\0"
  encode (M.fromList [(3, 4), (1, 2)] :: Map Word8 Word8) @?= "\2\0\0\0\0\0\0\0\1\2\3\4"

handles :: Assertion
handles = do
  dir <- getTemporaryDirectory
  let x = [Named "n" (Both Point (Circle 1)) | _ <- [1 .. 5000 :: Int]]
  bracket (openBinaryTempFile dir "ashlar") (\(path, h) -> hClose h >> removeFile path) $ \(path, h) -> do
    hEncode h x
    hClose h
    bs <- S.readFile path
    bs == encode x @?= True
    r <- withBinaryFile path ReadMode hDecode
    (r == Right x) @?= True
    S.appendFile path "x"
    trailing <- withBinaryFile path ReadMode hDecode :: IO (Either DecodeError [Shape])
    either errorReason (const (Invalid "decoded")) trailing @?= TrailingInput

several :: Assertion
several = do
  rest <- newIORef (map S.singleton (S.unpack (encode (1 :: Int) <> encode ("ab" :: T.Text) <> encode True)))
  source <- newSource (atomicModifyIORef rest (\ps -> case ps of p : more -> (more, p); [] -> ([], S.empty)))
  decodeFrom source >>= (@?= Right (1 :: Int))
  decodeFrom source >>= (@?= Right ("ab" :: T.Text))
  decodeFrom source >>= (@?= Right True)
  (decodeFrom source :: IO (Either DecodeError Bool)) >>= (@?= failing 19 (MissingInput 1 0))

-- Instances of QuickCheck for the types of other packages.

instance Arbitrary S.ByteString where
  arbitrary = S.pack <$> arbitrary

instance Arbitrary L.ByteString where
  arbitrary = L.fromChunks . map S.pack <$> scale (`div` 4) arbitrary

instance Arbitrary SBS.ShortByteString where
  arbitrary = SBS.pack <$> arbitrary

instance Arbitrary T.Text where
  arbitrary = T.pack <$> arbitrary

instance Arbitrary TL.Text where
  arbitrary = TL.fromChunks <$> scale (`div` 4) arbitrary

instance Arbitrary a => Arbitrary (V.Vector a) where
  arbitrary = V.fromList <$> arbitrary

instance (Arbitrary a, U.Unbox a) => Arbitrary (U.Vector a) where
  arbitrary = U.fromList <$> arbitrary

-- A slice, so that the vector does not begin where its memory does.
instance (Arbitrary a, Storable a) => Arbitrary (SV.Vector a) where
  arbitrary = SV.drop 1 . SV.fromList <$> arbitrary

instance (Arbitrary a, Prim.Prim a) => Arbitrary (P.Vector a) where
  arbitrary = P.drop 1 . P.fromList <$> arbitrary
