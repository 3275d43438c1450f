{-# LANGUAGE DeriveAnyClass #-}
{-# LANGUAGE DeriveGeneric #-}
{-# LANGUAGE DerivingStrategies #-}

-- |
-- Module      : Workloads.Packed
-- Description : The packed format, beside the plain one
--
-- The types are like those of haskell-perf's benchmark of serialization: small integers and
-- enumerations, and trees of them.
module Workloads.Packed (packedWorkloads) where

import qualified Ashlar.Codec as A
import Ashlar.Codec.Packed (Pack, Packed (..))
import Data.Binary (Binary)
import qualified Data.Binary as Binary
import qualified Data.ByteString as S
import qualified Data.ByteString.Lazy as L
import Data.Store (Store)
import qualified Data.Store as Store
import qualified Data.Text as T
import GHC.Generics (Generic)
import Input (right)
import Workload

data Direction = North | South | Center | East | West
  deriving stock (Eq, Show, Enum, Bounded, Generic)
  deriving anyclass (A.Codec, Pack, Store, Binary)

data BinTree a = Fork (BinTree a) (BinTree a) | Leaf a
  deriving stock (Eq, Show, Generic)
  deriving anyclass (A.Codec, Pack, Store, Binary)

data Price = Low | Medium | High | VeryHigh
  deriving stock (Eq, Show, Enum, Bounded, Generic)
  deriving anyclass (A.Codec, Pack, Store, Binary)

data Level = Small | Middle | Large
  deriving stock (Eq, Show, Enum, Bounded, Generic)
  deriving anyclass (A.Codec, Pack, Store, Binary)

-- | Seven enumerations and two small integers.
data Car = Car
  { _buying :: !Price,
    _maintenance :: !Price,
    _doors :: !Int,
    _persons :: !Int,
    _luggage :: !Level,
    _safety :: !Level,
    _class :: !Price,
    _new :: !Bool,
    _sold :: !Bool
  }
  deriving stock (Eq, Show, Generic)
  deriving anyclass (A.Codec, Pack, Store, Binary)

-- | Mostly text.
data Person = Person
  { _number :: !Int,
    _name :: !T.Text,
    _email :: !T.Text,
    _active :: !Bool,
    _latitude :: !Double
  }
  deriving stock (Eq, Show, Generic)
  deriving anyclass (A.Codec, Pack, Store, Binary)

cars :: [Car]
cars =
  [ Car b m d p l s (toEnum ((fromEnum b + p) `mod` 4)) (odd d) (even p)
    | b <- [minBound ..],
      m <- [minBound ..],
      d <- [2 .. 5],
      p <- [2, 4, 5],
      l <- [minBound ..],
      s <- [minBound ..]
  ]

-- | A tree of 2^n leaves, each made from its number.
treeOf :: (Int -> a) -> Int -> BinTree a
treeOf leaf = go 0
  where
    go i n
      | n == 0 = Leaf (leaf i)
      | otherwise = Fork (go (2 * i) (n - 1)) (go (2 * i + 1) (n - 1))

-- | Different at every place, and small more often than large.
scattered :: Int -> Int
scattered i = (i * 2654435761 `mod` 4294967296) `div` (1 + i `mod` 1000)

direction :: Int -> Direction
direction i = toEnum (scattered i `mod` 5)

person :: Int -> Person
person i =
  Person
    { _number = i,
      _name = T.pack ("name" ++ show i),
      _email = T.pack (show i ++ "@example.org"),
      _active = odd i,
      _latitude = fromIntegral i / 7
    }

-- | All of them.
packedWorkloads :: [Workload]
packedWorkloads =
  concat
    [ sideBySide "a tree of 4096 directions" (treeOf direction 12),
      sideBySide "a list of 10000 directions" (map direction [1 .. 10000]),
      sideBySide "1728 cars" cars,
      sideBySide "a tree of 4096 Ints" (treeOf scattered 12),
      sideBySide "one car" (head' cars),
      sideBySide "1000 records with texts" (map person [1 .. 1000])
    ]
  where
    head' xs = case xs of
      x : _ -> x
      [] -> error "there are cars"

sideBySide :: (A.Codec a, Pack a, Store a, Binary a) => String -> a -> [Workload]
sideBySide name x =
  [ outputs
      [ ("ashlar, packed", S.length (A.encode (Packed x))),
        ("ashlar, plain", S.length (A.encode x)),
        ("store", S.length (Store.encode x)),
        ("binary", fromIntegral (L.length (Binary.encode x)))
      ]
      $ Workload
        ("pack " ++ name)
        [ ("ashlar, packed", apply (A.encode . Packed) x),
          ("ashlar, plain", apply A.encode x),
          ("store", apply Store.encode x),
          ("binary", apply (L.toStrict . Binary.encode) x)
        ],
    Workload
      ("unpack " ++ name)
      [ ( "ashlar, packed",
          apply (\bs -> getPacked (right (A.decode bs)) `asTypeOf` x) (A.encode (Packed x))
        ),
        ("ashlar, plain", apply (\bs -> right (A.decode bs) `asTypeOf` x) (A.encode x)),
        ("store", apply (\bs -> right (Store.decode bs) `asTypeOf` x) (Store.encode x)),
        ("binary", apply (\bs -> Binary.decode bs `asTypeOf` x) (Binary.encode x))
      ]
  ]
{-# INLINE sideBySide #-}
