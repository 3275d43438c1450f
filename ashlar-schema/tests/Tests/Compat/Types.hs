{-# LANGUAGE DeriveAnyClass #-}
{-# LANGUAGE DeriveGeneric #-}
{-# LANGUAGE DerivingStrategies #-}
{-# OPTIONS_GHC -Wno-orphans -Wno-partial-fields #-}

-- |
-- Module      : Tests.Compat.Types
-- Description : Types that have had other formats
module Tests.Compat.Types
  ( Point (..),
    Name (..),
    Suit (..),
    Never,
    Drawing (..),
    Rose (..),
    Wide (..),
    Wrapped (..),
    unwrap,
    Bare (..),
  )
where

import Ashlar.Codec (Codec)
import Ashlar.Codec.Wrappers
import qualified Ashlar.Compat.Store as Stand
import Ashlar.Schema (Described (..), derivedDescription, orderedByParts)
import Data.Binary (Binary)
import Data.ByteString (ByteString)
import Data.Int (Int16, Int32, Int64, Int8)
import Data.Map (Map)
import Data.Serialize (Serialize (..))
import Data.Set (Set)
import Data.Text (Text)
import qualified Data.Text.Encoding as T
import Data.Word (Word16, Word32, Word64, Word8)
import GHC.Generics (Generic)

data Point = Point {px :: Int16, py :: Word32}
  deriving stock (Eq, Ord, Show, Generic)
  deriving anyclass (Codec, Binary, Serialize, Stand.Store)

instance Described Point where
  describe = orderedByParts derivedDescription

newtype Name = Name Text
  deriving stock (Eq, Ord, Show, Generic)
  deriving anyclass (Codec, Described, Binary, Serialize, Stand.Store)

data Suit = Clubs | Diamonds | Hearts
  deriving stock (Eq, Ord, Show, Generic)
  deriving anyclass (Codec, Binary, Serialize, Stand.Store)

instance Described Suit where
  describe = orderedByParts derivedDescription

data Never
  deriving stock (Generic)
  deriving anyclass (Codec, Described, Binary, Serialize, Stand.Store)

-- | A recursive sum.
data Drawing = Dot | Circle Double | Line {from :: Point, to :: Point} | Group Name [Drawing]
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec, Described, Binary, Serialize, Stand.Store)

-- | A recursive newtype.
newtype Rose = Rose [Rose]
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec, Described, Binary, Serialize, Stand.Store)

-- | More fields than the derivations unfold.
data Wide = Wide
  { w1 :: Int64,
    w2 :: Float,
    w3 :: Bool,
    w4 :: Char,
    w5 :: (),
    w6 :: Maybe (Maybe Suit),
    w7 :: (Word8, Name, [Int32]),
    w8 :: Map Point [Text],
    w9 :: Set Suit,
    w10 :: Either ByteString Word64,
    w11 :: String
  }
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec, Described, Binary, Serialize, Stand.Store)

-- | Today's type, and what it was before.
data Wrapped = Wrapped
  { a1 :: Varint Word32,
    a2 :: Zigzag Int64,
    a3 :: BigEndian Int16,
    a4 :: Compact Text,
    a5 :: UTF16,
    a6 :: ScalarValue,
    a7 :: Compact (Map Int8 Bool),
    a8 :: BigEndian Double,
    a9 :: Varint Int8,
    a10 :: Zigzag Word16,
    a11 :: Compact [Word8],
    a12 :: Compact ByteString,
    a13 :: BigEndian Float,
    a14 :: [BigEndian Word64]
  }
  deriving stock (Generic)
  deriving anyclass (Codec, Described)

data Bare
  = Bare
      Word32
      Int64
      Int16
      Text
      Text
      Char
      (Map Int8 Bool)
      Double
      Int8
      Word16
      [Word8]
      ByteString
      Float
      [Word64]
  deriving stock (Generic)
  deriving anyclass (Binary, Serialize, Stand.Store)

unwrap :: Wrapped -> Bare
unwrap x =
  Bare
    (getVarintNumber (a1 x))
    (getZigzagNumber (a2 x))
    (getBigEndian (a3 x))
    (getCompact (a4 x))
    (getUTF16 (a5 x))
    (getScalarValue (a6 x))
    (getCompact (a7 x))
    (getBigEndian (a8 x))
    (getVarintNumber (a9 x))
    (getZigzagNumber (a10 x))
    (getCompact (a11 x))
    (getCompact (a12 x))
    (getBigEndian (a13 x))
    (map getBigEndian (a14 x))

-- | As in the package cereal-text.
instance Serialize Text where
  put t = put (T.encodeUtf8 t)
  get = get >>= either (fail . show) pure . T.decodeUtf8'
