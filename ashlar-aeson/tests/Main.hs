{-# LANGUAGE DeriveAnyClass #-}
{-# LANGUAGE DeriveGeneric #-}
{-# LANGUAGE DerivingStrategies #-}
{-# LANGUAGE OverloadedStrings #-}

-- |
-- Module      : Main
-- Description : JSON, byte for byte aeson's
module Main (main) where

import Ashlar.Aeson
import Ashlar.Builder hiding (scientific)
import Ashlar.Builder.Sink
import Control.Exception (ArithException (..), evaluate, throw, try)
import Data.Aeson (ToJSON, Value (..), encode, toJSON)
import qualified Data.Aeson.Encoding as Encoding
import qualified Data.Aeson.Key as Key
import qualified Data.Aeson.KeyMap as KeyMap
import qualified Data.ByteString as S
import qualified Data.ByteString.Lazy as L
import qualified Data.ByteString.Lazy.Char8 as C
import Data.IORef
import Data.Map (Map)
import Data.Scientific (Scientific, base10Exponent, coefficient, fromFloatDigits, scientific)
import qualified Data.Text as T
import qualified Data.Vector as V
import Foreign (Ptr, Word8, castPtr, minusPtr, plusPtr)
import Foreign.Marshal.Alloc (free, mallocBytes)
import GHC.Generics (Generic)
import System.Mem (getAllocationCounter, setAllocationCounter)
import Test.Tasty
import Test.Tasty.QuickCheck

main :: IO ()
main =
  defaultMain . localOption (QuickCheckTests 1000) $
    testGroup "aeson" [values, numbers, texts, instances]

-- All ways to write a builder give these bytes.
writes :: Builder -> L.ByteString -> Property
writes b expected =
  conjoin
    [ counterexample "lazy" (toLazyByteString b === expected),
      counterexample "strict" (toStrictByteString b === L.toStrict expected),
      counterexample "small buffers" $
        forAll (choose (1, 64)) (\n -> ioProperty ((=== L.toStrict expected) <$> inBuffersOf n b))
    ]

-- The bytes through buffers of this size, or the least one that the builder takes.
inBuffersOf :: Int -> Builder -> IO S.ByteString
inBuffersOf size builder = do
  done <- newIORef []
  current <- newIORef =<< mallocBytes size
  let keep bs = modifyIORef' done (bs :)
      written :: Ptr Word8 -> IO ()
      written p = do
        start <- readIORef current
        S.packCStringLen (castPtr start, p `minusPtr` start) >>= keep
        free start
      next n = do
        start <- mallocBytes n
        writeIORef current start
        pure (FreeSpace start (start `plusPtr` n))
      sink = Sink $ \request p -> do
        written p
        case request of
          More least _ -> next (max least size)
          Insert bs -> keep bs >> next size
          Flush -> next size
  start <- readIORef current
  runBuilderWith sink (FreeSpace start (start `plusPtr` size)) builder >>= written
  S.concat . reverse <$> readIORef done

values :: TestTree
values =
  testGroup
    "values"
    [ testProperty "jsonValue, against aeson" . forAll value $ \v -> jsonValue v `writes` encode v,
      testProperty "json, against aeson" . forAll value $ \v -> json v `writes` encode v,
      testProperty "jsonValue at every buffer size" . withMaxSuccess 50 . forAll value $ \v ->
        conjoin
          [ ioProperty ((=== L.toStrict (encode v)) <$> inBuffersOf n (jsonValue v))
            | n <- [1 .. 80]
          ],
      testProperty "nested 100000 times" . once $
        let deep = iterate (Array . V.singleton) Null !! 100000
         in toLazyByteString (jsonValue deep) == encode deep,
      testProperty "an exception in a value surfaces" . once . ioProperty $ do
        let bad = Array (V.fromList [Null, throw Overflow])
        r <- try (evaluate (toStrictByteString (jsonValue bad)))
        pure (either (=== Overflow) (counterexample "no exception" . (=== "")) r)
    ]

value :: Gen Value
value = scale (min 60) (sized go)
  where
    go n
      | n <= 1 = leaf
      | otherwise =
        oneof
          [ leaf,
            Array . V.fromList <$> (parts n >>= mapM go),
            Object . KeyMap.fromList <$> (parts n >>= mapM (\m -> (,) <$> key <*> go m))
          ]
    parts n = choose (0, 6) >>= \k -> pure (replicate k (n `div` max 1 k))
    key = Key.fromText <$> text
    leaf = oneof [pure Null, Bool <$> arbitrary, Number <$> number, String <$> text]

text :: Gen T.Text
text = T.pack <$> listOf (frequency [(4, choose ('\0', '\x7F')), (1, arbitraryUnicodeChar)])

number :: Gen Scientific
number =
  oneof
    [ fromIntegral <$> (arbitrary :: Gen Int),
      fromFloatDigits <$> (arbitrary :: Gen Double),
      scientific <$> digits <*> oneof [choose (-30, 30), elements limits]
    ]
  where
    digits = do
      n <- oneof [choose (0, 12), choose (15, 22), choose (0, 400)] :: Gen Int
      ten <- choose (0, n)
      -- With zeros at the end.
      c <- choose (0, 10 ^ (n - ten)) :: Gen Integer
      elements [c * 10 ^ ten, negate c * 10 ^ ten, c * 10 ^ ten + 1]

-- Exponents around which the notation changes, and hostile ones.
limits :: [Int]
limits =
  [0, 1, 1023, 1024, 1025, 1026]
    ++ map negate [0, 1, 6, 7, 8, 1023, 1024, 1025]
    ++ concat [[n, negate n] | n <- [1000000000, 999999999999]]
    ++ concat [[minBound + n, maxBound - n] | n <- [0 .. 24]]

numbers :: TestTree
numbers =
  testGroup
    "numbers"
    [ testProperty "any number, against aeson" . withMaxSuccess 20000 . forAll number $ \x ->
        counterexample (show (coefficient x, base10Exponent x)) $
          jsonScientific x `writes` encode (Number x),
      testProperty "numbers at the limits of their types" . once . conjoin $
        [ jsonScientific x `writes` encode (Number x)
          | c <- [0, 1, 5, 9, 10, 12, 100, 120, 99999999, 123456789] ++ aroundWord,
            sign <- [id, negate],
            e <- [-50 .. 12] ++ limits,
            let x = scientific (sign c) e
        ],
      testProperty "a huge exponent takes no time and no memory" . once . ioProperty $ do
        let coefficients = [1, -15, 10 ^ (25 :: Int)]
            exponents = [1000000000, minBound, maxBound]
            hostile = scientific <$> coefficients <*> exponents
        setAllocationCounter maxBound
        n <- evaluate (sum (map (S.length . toStrictByteString . jsonScientific) hostile))
        left <- getAllocationCounter
        let allocated = maxBound - left
        pure (n < 40 * length hostile .&&. counterexample (show allocated) (allocated < 100000)),
      testProperty "doubles" $ \x -> json (x :: Double) `writes` encode x,
      testProperty "floats" $ \x -> json (x :: Float) `writes` encode x,
      testProperty "special doubles" . once . conjoin $
        [ json x `writes` encode x .&&. jsonValue (toJSON x) `writes` encode (toJSON x)
          | x <- special
        ]
    ]
  where
    special =
      [0, -0.0, 1 / 0, -1 / 0, 0 / 0, 5.0e-324, 1.7976931348623157e308]
        ++ [1e23, 0.1, 0.01, 1e7, 9999999] ::
        [Double]
    -- Where the coefficient no longer fits into a machine word, or has a 20th digit.
    aroundWord =
      10 ^ (40 :: Int) :
      concat [[n - 1, n, n + 1] | n <- [10 ^ (19 :: Int), 2 ^ (63 :: Int), 2 ^ (64 :: Int)]]

texts :: TestTree
texts =
  testGroup
    "texts"
    [ testProperty "any text, against aeson" . forAll text $ \t -> jsonText t `writes` encode t,
      testProperty "object keys" . forAll text $ \t -> jsonKey (Key.fromText t) `writes` encode t,
      testProperty "every character" . once $
        let t = T.pack [minBound .. maxBound]
         in toLazyByteString (jsonText t) == encode t,
      testProperty "every character of ASCII, alone" . once . conjoin $
        [jsonText (T.singleton c) `writes` encode (T.singleton c) | c <- ['\0' .. '\x80']],
      testProperty "every slice of a text" . forAll text $ \t n m ->
        let part = T.take n (T.drop m t) in jsonText part `writes` encode part
    ]

data Shape = Circle Point Double | Named T.Text [Point] | Nowhere
  deriving stock (Generic, Show)
  deriving anyclass (ToJSON)

data Point = Point {across :: Int, down :: Maybe Float}
  deriving stock (Generic, Show)
  deriving anyclass (ToJSON)

shape :: Gen Shape
shape = oneof [Circle <$> point <*> arbitrary, Named <$> text <*> listOf point, pure Nowhere]
  where
    point = Point <$> arbitrary <*> arbitrary

instances :: TestTree
instances =
  testGroup
    "instances"
    [ testProperty "a derived instance" . forAll (listOf shape) $ \x -> json x `writes` encode x,
      testProperty "maps" $ \x -> json (x :: Map Int (Maybe Bool)) `writes` encode x,
      testProperty "tuples of values" . forAll ((,) <$> value <*> value) $ \x ->
        json x `writes` encode x,
      testProperty "an Encoding" . forAll (listOf ((,) <$> text <*> shape)) $ \xs ->
        let e = Encoding.dict Encoding.text (Encoding.text . T.pack . show) foldrPairs xs
         in jsonEncoding e `writes` Encoding.encodingToLazyByteString e,
      testProperty "an endless list, as far as it is needed" . once $
        C.take 100000 (toLazyByteString (json naturals)) === C.take 100000 (encode naturals)
    ]
  where
    naturals = [0 :: Int ..]
    foldrPairs f = foldr (uncurry f)
