{-# LANGUAGE AllowAmbiguousTypes #-}
{-# LANGUAGE ExistentialQuantification #-}
{-# LANGUAGE OverloadedStrings #-}
{-# LANGUAGE ScopedTypeVariables #-}
{-# LANGUAGE TypeApplications #-}

-- |
-- Module      : Tests.Compat
-- Description : Decoding by a schema, beside the libraries that have written the bytes
--
-- The bytes of binary and cereal are those of the packages. The bytes of store are those of
-- "Ashlar.Compat.Store". (The suite of ashlar-cli has the package itself.)
module Tests.Compat (tests) where

import Ashlar.Builder (toStrictByteString)
import Ashlar.Codec (decode, encode)
import qualified Ashlar.Compat.Store as Stand
import Ashlar.Get (Budget (..), DecodeError (..), defaultBudget, runGetWhole, runGetWith)
import Ashlar.Schema
import Ashlar.Schema.Compat
import Control.Exception (evaluate)
import Data.Array (Array)
import qualified Data.Binary as Binary
import qualified Data.ByteString as B
import qualified Data.ByteString.Lazy as L
import Data.ByteString.Short (ShortByteString)
import Data.Complex (Complex)
import Data.Either (fromLeft, isLeft, isRight)
import Data.Fixed (Centi)
import Data.Int (Int16, Int32, Int64, Int8)
import Data.IntMap (IntMap)
import Data.IntSet (IntSet)
import Data.List.NonEmpty (NonEmpty)
import Data.Map (Map)
import Data.Monoid (Sum)
import Data.Proxy (Proxy (..))
import Data.Ratio (Ratio)
import Data.Sequence (Seq)
import qualified Data.Serialize as Cereal
import Data.Set (Set)
import Data.Text (Text)
import qualified Data.Text as T
import qualified Data.Text.Lazy as TL
import Data.Time.Calendar (Day, DayOfWeek)
import Data.Time.Clock (NominalDiffTime)
import Data.Tree (Tree)
import Data.Typeable (tyConModule, typeRep, typeRepTyCon)
import qualified Data.Vector as V
import Data.Version (Version)
import Data.Word (Word16, Word32, Word64, Word8)
import GHC.Conc (getAllocationCounter, setAllocationCounter)
import Numeric.Natural (Natural)
import Test.Tasty
import Test.Tasty.HUnit
import Test.Tasty.QuickCheck hiding (Large, NonEmpty)
import Tests.Compat.Large
import Tests.Compat.Types
import Tests.Generate

tests :: TestTree
tests =
  testGroup
    "schemas for other libraries"
    [ testGroup "binary" (sides Binary),
      testGroup "cereal" (sides Cereal),
      testGroup "store" (sides Store),
      testGroup "wrappers of today" wrapped,
      testGroup "what cannot be read" refusals,
      testGroup "cost no more than the budget" costs,
      testProperty "any bytes for a random schema" anyBytes
    ]
  where
    sides format = [side old | old@(Old f _ _) <- olds, f == format]

-- A type with an old format: what the library writes, and how it reads all of some bytes.
data Old
  = forall a.
    Described a =>
    Old Format (a -> B.ByteString) (B.ByteString -> Maybe a)

binary :: forall a. (Described a, Binary.Binary a) => Old
binary = Old Binary (L.toStrict . Binary.encode) readAll
  where
    readAll bytes = case Binary.decodeOrFail (L.fromStrict bytes) of
      Right (rest, _, x :: a) | L.null rest -> Just x
      _ -> Nothing

cereal :: forall a. (Described a, Cereal.Serialize a) => Old
cereal = Old Cereal Cereal.encode readAll
  where
    readAll bytes = case Cereal.runGetState Cereal.get bytes 0 of
      Right (x :: a, rest) | B.null rest -> Just x
      _ -> Nothing

store :: forall a. (Described a, Stand.Store a) => Old
store = Old Store Stand.encode readAll
  where
    readAll bytes = either (const Nothing) Just (Stand.decode bytes :: Either Stand.PeekException a)

-- A type in all libraries, or in all but one.
inAll ::
  forall a. (Described a, Binary.Binary a, Cereal.Serialize a, Stand.Store a) => [Old]
inAll = [binary @a, cereal @a, store @a]

notStore :: forall a. (Described a, Binary.Binary a, Cereal.Serialize a) => [Old]
notStore = [binary @a, cereal @a]

notCereal :: forall a. (Described a, Binary.Binary a, Stand.Store a) => [Old]
notCereal = [binary @a, store @a]

-- A type that has an Int, which is the schema's in store only where it has 64 bits.
withInt ::
  forall a. (Described a, Binary.Binary a, Cereal.Serialize a, Stand.Store a) => [Old]
withInt = if (maxBound :: Int) < 2147483648 then notStore @a else inAll @a

olds :: [Old]
olds =
  concat
    [ inAll @(),
      inAll @Bool,
      inAll @Char,
      inAll @Word8,
      inAll @Word16,
      inAll @Word32,
      inAll @Word64,
      inAll @Int8,
      inAll @Int16,
      inAll @Int32,
      inAll @Int64,
      inAll @Float,
      inAll @Double,
      inAll @String,
      inAll @Text,
      inAll @B.ByteString,
      inAll @L.ByteString,
      inAll @ShortByteString,
      inAll @(Maybe (Maybe Bool)),
      inAll @(Either Word8 Text),
      inAll @(Word16, Text),
      inAll @(Word8, Text, Bool, Char, Int16, Maybe Int8, [Bool]),
      inAll @[[Int16]],
      inAll @(Map Int16 Text),
      inAll @(Map (Maybe Text) (Map Char Bool)),
      inAll @(Set Word8),
      inAll @(Seq Point),
      inAll @(Array Int16 Word8),
      inAll @(Array (Bool, Char) Text),
      inAll @(Ratio Word16),
      inAll @(Sum Int16),
      inAll @Point,
      inAll @Name,
      inAll @Suit,
      inAll @Drawing,
      inAll @Rose,
      inAll @Wide,
      withInt @Int,
      withInt @Word,
      withInt @(IntMap Text),
      withInt @IntSet,
      notStore @Integer,
      notStore @Natural,
      notStore @(Ratio Integer),
      notStore @Ordering,
      notStore @(Tree Int16),
      notStore @Large,
      notCereal @(NonEmpty Int16),
      notCereal @(Complex Float),
      [binary @Centi, binary @TL.Text, binary @Version],
      [store @(NonEmpty [Bool]), store @(V.Vector Text)]
    ]

-- The decoder of a schema that can be read.
reader :: Format -> Schema -> B.ByteString -> Either DecodeError B.ByteString
reader format s = case getValueOf format s of
  Left found -> error (show found)
  Right g -> fmap (toStrictByteString . putValue) . runGetWhole g

side :: Old -> TestTree
side (Old format write readAll) = sideOf format write readAll

sideOf ::
  forall a.
  Described a =>
  Format ->
  (a -> B.ByteString) ->
  (B.ByteString -> Maybe a) ->
  TestTree
sideOf format write readAll =
  testGroup
    -- (With the module, because there are two of some names.)
    (show ty ++ ", " ++ tyConModule (typeRepTyCon ty))
    [ testProperty "old bytes become today's bytes" . generated $ \bytes ->
        -- (Binary does not keep NaN.)
        counterexample (show bytes) $ Just (encode <$> readAll bytes) === Just (today bytes),
      testProperty "truncated bytes are refused" . generated $ \bytes ->
        let n = B.length bytes
         in conjoin
              [ counterexample (show i) (isLeft (byFormat (B.take i bytes)))
                | i <- if n < 100 then [0 .. n - 1] else map (n -) [1, 2, 5, 50] ++ [n `quot` 2]
              ],
      testProperty "changed bytes are refused, or read as the library reads them" . generated $
        \bytes -> forAll (mutations bytes) $ \changed ->
          case byFormat changed of
            Left e -> property (errorOffset e <= fromIntegral (B.length changed))
            Right new -> Just new === (encode <$> readAll changed)
    ]
  where
    ty = typeRep (Proxy @a)
    s = schema @a
    byFormat = reader format s
    today = either (const Nothing) Just . byFormat
    generated check = case genValue s of
      Nothing -> property False
      Just gen -> forAll gen $ \v -> case decode (toStrictByteString (putValue v)) of
        Left e -> counterexample (show e) False
        Right (x :: a) -> check (write x)

-- What has been a plain number or text.
wrapped :: [TestTree]
wrapped =
  [ against Binary (L.toStrict . Binary.encode),
    against Cereal Cereal.encode,
    against Store Stand.encode
  ]
  where
    against format write = testProperty (show format) $ case genValue s of
      Nothing -> property False
      Just gen -> forAll gen $ \v ->
        let new = toStrictByteString (putValue v)
            old = either (error . show) (write . unwrap) (decode new)
         in -- (NaN has many forms, and none in binary.)
            counterexample (show v) (nan v || reader format s old == Right new)
    s = schema @Wrapped
    nan v = case v of
      Binary32 _ x -> isNaN x || isNegativeZero x
      Binary64 _ x -> isNaN x || isNegativeZero x
      Fields _ vs -> any nan vs
      _ -> False

refusals :: [TestTree]
refusals =
  [ refused [Binary ..] "a day" (schema @[Day]) "dates",
    refused [Binary ..] "a duration" (schema @NominalDiffTime) "durations",
    refused [Binary ..] "a sum with a number that is not in use" (schema @DayOfWeek) "DayOfWeek",
    refused [Binary ..] "opaque" (Schema (Opaque "Odd" 1 (Just 8)) V.empty) "Odd",
    refused [Binary ..] "irregular" (Schema (Irregular "Perfect") V.empty) "Perfect",
    refused [Binary ..] "always the same bytes" (Schema (Constant "PNG") V.empty) "the same",
    refused [Binary ..] "ByteArray" (Schema (Leaf (ByteArray Length64)) V.empty) "ByteArray",
    refused [Binary ..] "a sum of one" (sumOf 1) "one constructor",
    refused [Cereal] "NonEmpty" (schema @(NonEmpty Bool)) "NonEmpty",
    refused [Cereal, Store] "Fixed" (schema @Centi) "Fixed",
    refused [Store] "Integer" (schema @(Map Integer ())) "Integer",
    refused [Store] "Natural" (schema @Natural) "Natural",
    refused [Store] "bounds" (Schema (Between 0 9 BigInteger) V.empty) "Integer",
    refused [Store] "an array by texts" (Schema (Array text text) V.empty) "indices",
    refused [Store] "an array by Maybe" (Schema (Array (Optional text) text) V.empty) "indices",
    refused [Binary, Cereal] "256 constructors" (sumOf 256) "number 0",
    refused [Binary, Cereal] "65,536 constructors" (sumOf 65536) "number 0",
    refused [Store] "256 constructors, in store" (sumOf 256) "so many",
    testCase "255 constructors can be read" $
      mapM_ (\format -> isRight (getValueOf format (sumOf 255)) @?= True) [Binary ..],
    testCase "every unreadable field is named, with its path" $
      map describeUnreadable (fromLeft [] (getValueOf Store order))
        @?= [ "Order.due: the bytes of dates in store are not known",
              "Channel.Shop.till: the bytes of Natural in store are not known"
            ]
  ]
  where
    text = Leaf (Utf8 Length64)
    sumOf n =
      Schema
        (Reference 0)
        (V.fromList [Definition "S" Sum ByParts [Constructor (name i) False [] | i <- [1 .. n]]])
    name i = T.pack ("C" ++ show (i :: Int))
    order =
      Schema
        (Reference 0)
        ( V.fromList
            [ Definition
                "Order"
                Record
                ByParts
                [ Constructor
                    "Order"
                    False
                    [Field "due" (Optional (Leaf Date)), Field "channel" (Reference 1)]
                ],
              Definition
                "Channel"
                Sum
                ByParts
                [ Constructor "Web" False [],
                  Constructor "Shop" False [Field "till" (Leaf BigNatural)]
                ]
            ]
        )

refused :: [Format] -> String -> Schema -> T.Text -> TestTree
refused formats name s word = testCase name $ do
  mapM_ (\f -> assertBool (show f) (checkSchema s == Right s)) formats
  sequence_ [assertBool (show f ++ show (texts f)) (expected f (texts f)) | f <- [Binary ..]]
  where
    texts f = map describeUnreadable (fromLeft [] (getValueOf f s))
    expected f found
      | f `elem` formats = any (word `T.isInfixOf`) found
      | otherwise = not (any (word `T.isInfixOf`) found)

-- Untrusted schemas and bytes.
costs :: [TestTree]
costs =
  [ bounded "a list of arrays of no bytes" Store (list (Array unit unit)) (B.replicate 7 1),
    bounded "a list of units" Binary (list unit) "\1",
    bounded "a list of units, in store" Store (list unit) (B.replicate 7 1),
    bounded "a NonEmpty of itself" Store (newtypeOf (NonEmpty Length64)) "",
    bounded "a length that the input does not have" Cereal (list (Leaf Character)) "\1",
    bounded "a negative length" Binary (list (Leaf Character)) "\255",
    bounded "an array of bounds that overflow" Store (arrayOf w64 unit) $
      B.replicate 8 0 <> B.replicate 8 255
  ]
  where
    unit = Leaf Unit
    w64 = Leaf (Number W64)
    list inner = Schema (List Length64 inner) V.empty
    arrayOf i inner = Schema (Array i inner) V.empty
    newtypeOf f =
      Schema
        (Reference 0)
        ( V.fromList
            [ Definition
                "T"
                Newtype
                ByParts
                [Constructor "T" False [Field "1" (f (Reference 0))]]
            ]
        )

-- The bytes at the beginning, and zeros.
bounded :: String -> Format -> Schema -> B.ByteString -> TestTree
bounded name format s start = testCase name $ do
  checkSchema s @?= Right s
  let g = either (error . show) id (getValueOf format s)
      bytes = start <> B.replicate (32 - B.length start) 0
  setAllocationCounter 0
  result <- evaluate (runGetWith small g bytes)
  left <- getAllocationCounter
  assertBool (either show (const "decoded") result) (isLeft result)
  assertBool (show (negate left) ++ " bytes") (negate left < 400000000)

small :: Budget
small = defaultBudget {budgetSteps = 10000, budgetDepth = 10000}

anyBytes :: Property
anyBytes =
  forAll genSchema $ \s -> forAll (elements [Binary ..]) $ \format ->
    forAll (B.pack <$> listOf (oneof [choose (0, 2), arbitrary])) $ \bytes ->
      case getValueOf format s of
        Left found -> property (not (null found || any (T.null . unreadableWhy) found))
        Right g -> classify True "read" $ case runGetWith small g bytes of
          Left e -> property (errorOffset e <= fromIntegral (B.length bytes))
          Right v -> case runGetWhole (getValue s) (toStrictByteString (putValue v)) of
            Right v' -> toStrictByteString (putValue v') === toStrictByteString (putValue v)
            Left e -> counterexample (show e) False
