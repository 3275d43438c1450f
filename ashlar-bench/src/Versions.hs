{-# LANGUAGE DataKinds #-}
{-# LANGUAGE DeriveAnyClass #-}
{-# LANGUAGE DeriveGeneric #-}
{-# LANGUAGE DerivingStrategies #-}
{-# LANGUAGE DuplicateRecordFields #-}
{-# LANGUAGE OverloadedStrings #-}
{-# LANGUAGE TypeApplications #-}

-- |
-- Module      : Versions
-- Description : A type, and what it may become
module Versions
  ( Old (..),
    oldOrders,
    Wider (..),
    WithField (..),
    WithoutField (..),
    Reordered (..),
    Move (..),
    moves,
  )
where

import Ashlar.Codec (Codec)
import Ashlar.Schema (Described (..), added, dropped)
import Data.Int (Int32, Int64)
import Data.Text (Text)
import qualified Data.Text as T
import Data.Word (Word8)
import GHC.Generics (Generic)

-- | As the records were.
data Old = Old
  { ident :: !Int,
    total :: !Double,
    customer :: !Text,
    ref :: !(Maybe Int),
    address :: !Address,
    status :: !Status,
    counts :: ![Int],
    quantity :: !Int32,
    gift :: !Bool,
    note :: !Text
  }
  deriving stock (Generic)
  deriving anyclass (Codec, Described)

-- | A number is wider.
data Wider = Wider
  { ident :: !Int,
    total :: !Double,
    customer :: !Text,
    ref :: !(Maybe Int),
    address :: !Address,
    status :: !Status,
    counts :: ![Int],
    quantity :: !Int64,
    gift :: !Bool,
    note :: !Text
  }
  deriving stock (Generic)
  deriving anyclass (Codec, Described)

-- | A field was added.
data WithField = WithField
  { ident :: !Int,
    total :: !Double,
    customer :: !Text,
    channel :: !Int,
    ref :: !(Maybe Int),
    address :: !Address,
    status :: !Status,
    counts :: ![Int],
    quantity :: !Int32,
    gift :: !Bool,
    note :: !Text
  }
  deriving stock (Generic)
  deriving anyclass (Codec)

instance Described WithField where
  evolution = [added @"channel" (7 :: Int)]

-- | A field was dropped.
data WithoutField = WithoutField
  { ident :: !Int,
    total :: !Double,
    customer :: !Text,
    ref :: !(Maybe Int),
    address :: !Address,
    status :: !Status,
    counts :: ![Int],
    quantity :: !Int32,
    gift :: !Bool
  }
  deriving stock (Generic)
  deriving anyclass (Codec)

instance Described WithoutField where
  evolution = [dropped @"note"]

-- | All fields stand in another order.
data Reordered = Reordered
  { note :: !Text,
    gift :: !Bool,
    quantity :: !Int32,
    counts :: ![Int],
    status :: !Status,
    address :: !Address,
    ref :: !(Maybe Int),
    customer :: !Text,
    total :: !Double,
    ident :: !Int
  }
  deriving stock (Generic)
  deriving anyclass (Codec, Described)

data Address = Address {street :: !Text, number :: !Int32, city :: !Text}
  deriving stock (Generic)
  deriving anyclass (Codec, Described)

data Status = New | Paid | Shipped | Cancelled
  deriving stock (Enum, Generic)
  deriving anyclass (Codec, Described)

-- | This many records, of some 120 bytes each.
oldOrders :: Int -> [Old]
oldOrders n =
  [ Old
      i
      (fromIntegral i * 1.5)
      (T.pack ("customer " ++ show i))
      (if even i then Just i else Nothing)
      (Address (T.pack ("street " ++ show (i `mod` 100))) (fromIntegral i) "Amsterdam")
      (toEnum (i `mod` 4))
      (take (i `mod` 4) [i ..])
      (fromIntegral (i `mod` 10))
      (odd i)
      "some note"
    | i <- [1 .. n]
  ]

-- | Sums of a few bytes.
data Move = Stay | Up !Word8 | Down !Word8 | To !Word8 !Word8
  deriving stock (Generic)
  deriving anyclass (Codec, Described)

-- | This many of them.
moves :: Int -> [Move]
moves n = take n (cycle [Stay, Up 3, Down 7, To 1 2, Up 1])
