{-# LANGUAGE DeriveAnyClass #-}
{-# LANGUAGE DeriveGeneric #-}
{-# LANGUAGE DerivingStrategies #-}

-- |
-- Module      : Workloads.Records
-- Description : Records, enumerations and parameterised types, with derived instances
module Workloads.Records (recordWorkloads) where

import qualified Ashlar.Codec as A
import Ashlar.Codec.Wrappers (Compact (..), UTF16 (..), Varint (..))
import Data.Binary (Binary)
import qualified Data.Binary as Binary
import qualified Data.ByteString as S
import qualified Data.ByteString.Lazy as L
import Data.Serialize (Serialize)
import qualified Data.Serialize as Cereal
import Data.Store (Store)
import qualified Data.Store as Store
import Data.Text (Text)
import qualified Data.Text as T
import qualified Data.Vector as V
import Data.Word (Word16, Word32, Word64, Word8)
import GHC.Generics (Generic)
import Input (right)
import Types
import Workload

-- | Fields of both kinds.
data Person = Person
  { _number :: !Int,
    _firstName :: !Text,
    _lastName :: !Text,
    _email :: !Text,
    _weekday :: !Weekday,
    _visits :: !Int,
    _latitude :: !Double,
    _longitude :: !Double
  }
  deriving stock (Eq, Show, Generic)
  deriving anyclass (A.Codec, Store, Binary, Serialize)

-- | An enumeration.
data Weekday = Monday | Tuesday | Wednesday | Thursday | Friday | Saturday | Sunday
  deriving stock (Eq, Show, Enum, Bounded, Generic)
  deriving anyclass (A.Codec, Store, Binary, Serialize)

-- | With a parameter.
data Pair a = Pair !a !a
  deriving stock (Eq, Show, Generic)
  deriving anyclass (A.Codec, Store, Binary, Serialize)

-- | Numbers of 31 bytes together.
data Numbers = Numbers !Word64 !Word64 !Word64 !Word32 !Word16 !Word8
  deriving stock (Eq, Show, Generic)
  deriving anyclass (A.Codec, Store, Binary, Serialize)

-- | The same fields in the plain format and in wrappers.
data Plain = Plain !Int !Text !Text !Text !Int !Double
  deriving stock (Eq, Show, Generic)
  deriving anyclass (A.Codec)

data Short
  = Short !(Varint Int) !(Compact Text) !(Compact Text) !(Compact Text) !(Varint Int) !Double
  deriving stock (Eq, Show, Generic)
  deriving anyclass (A.Codec)

data Wide = Wide !Int !UTF16 !UTF16 !UTF16 !Int !Double
  deriving stock (Eq, Show, Generic)
  deriving anyclass (A.Codec)

plain :: Person -> Plain
plain (Person i a b c _ n x _) = Plain i a b c n x

short :: Person -> Short
short (Person i a b c _ n x _) =
  Short (Varint i) (Compact a) (Compact b) (Compact c) (Varint n) x

wide :: Person -> Wide
wide (Person i a b c _ n x _) = Wide i (UTF16 a) (UTF16 b) (UTF16 c) n x

person :: Int -> Person
person i =
  Person
    { _number = i,
      _firstName = names !! (i `mod` length names),
      _lastName = T.pack (show i) <> names !! (i * 7 `mod` length names),
      _email = names !! (i * 3 `mod` length names) <> T.pack ("." ++ show i ++ "@example.org"),
      _weekday = toEnum (i `mod` 7),
      _visits = i * 31,
      _latitude = fromIntegral i / 7,
      _longitude = negate (fromIntegral i / 11)
    }
  where
    names =
      map T.pack ["Ada", "Blaise", "Charles", "Donald", "Edsger", "Friedrich", "Grace", "J\246rg"]

-- | All of them.
recordWorkloads :: [Workload]
recordWorkloads =
  concat
    [ bothWays "1000 records" (map person [1 .. 1000]),
      bothWays "one record" (person 1),
      bothWays "one record of 31 bytes" (Numbers 1 2 3 4 5 6),
      bothWays "a list of 1000 records of 31 bytes" [Numbers i 2 3 4 5 6 | i <- [1 .. 1000]],
      bothWays
        "Vector of 10000 of an enumeration"
        (V.generate 10000 (\i -> toEnum (i `mod` 7) :: Weekday)),
      bothWays "Vector of 10000 Pair Int" (V.generate 10000 (\i -> Pair i (i * 7919))),
      besidePlain "1000 records with Varint and Compact" (map short people) (map plain people),
      besidePlain "1000 records with UTF16" (map wide people) (map plain people),
      [ sizeAlone "Vector of 10000 SomeData" (someData 10000),
        sizeAlone "1000 records" (map person [1 .. 1000]),
        sizeAlone "Tree of 10000" (tree 10000),
        sizeAlone
          "Vector of 10000 of an enumeration"
          (V.generate 10000 (\i -> toEnum (i `mod` 7) :: Weekday)),
        sizeAlone "Vector of 10000 Pair Int" (V.generate 10000 (\i -> Pair i i))
      ]
    ]
  where
    people = map person [1 .. 1000]

-- A format of ours, compared with our plain one.
besidePlain :: (A.Codec a, A.Codec b) => String -> a -> b -> [Workload]
besidePlain name x y =
  [ Workload
      ("encode " ++ name)
      [("ashlar", apply A.encode x), ("ashlar, plain format", apply A.encode y)],
    Workload
      ("decode " ++ name)
      [ ("ashlar", apply (\bs -> right (A.decode bs) `asTypeOf` x) (A.encode x)),
        ("ashlar, plain format", apply (\bs -> right (A.decode bs) `asTypeOf` y) (A.encode y))
      ]
  ]
{-# INLINE besidePlain #-}

-- Encode and decode a value. Inlined, so that each library's code is compiled for the type, as in a
-- user's program.
bothWays :: (A.Codec a, Store a, Serialize a, Binary a) => String -> a -> [Workload]
bothWays name x =
  [ outputs
      [ ("ashlar", S.length (A.encode x)),
        ("store", S.length (Store.encode x)),
        ("cereal", S.length (Cereal.encode x)),
        ("binary", fromIntegral (L.length (Binary.encode x)))
      ]
      $ Workload
        ("encode " ++ name)
        [ ("ashlar", apply A.encode x),
          ("store", apply Store.encode x),
          ("cereal", apply Cereal.encode x),
          ("binary", apply (L.toStrict . Binary.encode) x)
        ],
    Workload
      ("decode " ++ name)
      [ ("ashlar", apply (\bs -> right (A.decode bs) `asTypeOf` x) (A.encode x)),
        ("store", apply (\bs -> right (Store.decode bs) `asTypeOf` x) (Store.encode x)),
        ("cereal", apply (\bs -> right (Cereal.decode bs) `asTypeOf` x) (Cereal.encode x)),
        ("binary", apply (\bs -> Binary.decode bs `asTypeOf` x) (Binary.encode x))
      ]
  ]
{-# INLINE bothWays #-}

-- The size, compared with encoding.
sizeAlone :: A.Codec a => String -> a -> Workload
sizeAlone name x =
  Workload
    ("size of " ++ name)
    [ ("ashlar", apply A.encodedSize x),
      ("ashlar, encode", apply (S.length . A.encode) x)
    ]
{-# INLINE sizeAlone #-}
