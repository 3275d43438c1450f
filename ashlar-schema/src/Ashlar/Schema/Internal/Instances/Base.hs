{-# LANGUAGE FlexibleContexts #-}
{-# LANGUAGE PolyKinds #-}
{-# LANGUAGE ScopedTypeVariables #-}
{-# LANGUAGE TypeApplications #-}
{-# OPTIONS_GHC -Wno-orphans #-}

-- |
-- Module      : Ashlar.Schema.Internal.Instances.Base
-- Description : Numbers, characters, strings, Maybe, Either and lists
module Ashlar.Schema.Internal.Instances.Base () where

import Ashlar.Schema.Internal.ByHand
import Ashlar.Schema.Internal.Check (isWhole)
import Ashlar.Schema.Internal.Describe
import Ashlar.Schema.Internal.Types
import qualified Data.ByteString as B
import qualified Data.ByteString.Lazy as L
import qualified Data.ByteString.Short as SBS
import Data.Complex (Complex)
import Data.Fixed (Fixed (MkFixed), HasResolution, resolution)
import Data.Int (Int16, Int32, Int64, Int8)
import Data.List.NonEmpty (NonEmpty)
import Data.Proxy (Proxy)
import qualified Data.Ratio as Ratio
import qualified Data.Text as T
import qualified Data.Text.Lazy as TL
import Data.Typeable (Typeable)
import Data.Version (Version)
import Data.Void (Void)
import Data.Word (Word16, Word32, Word64, Word8)
import GHC.Fingerprint (Fingerprint)
import Numeric.Natural (Natural)

leaf :: Leaf -> Describe a
leaf l = plainly (Leaf l)

instance Described () where
  describe = leaf Unit

instance Described Word8 where
  describe = leaf (Number W8)

instance Described Word16 where
  describe = leaf (Number W16)

instance Described Word32 where
  describe = leaf (Number W32)

instance Described Word64 where
  describe = leaf (Number W64)

instance Described Word where
  describe = leaf (Number W64)

instance Described Int8 where
  describe = leaf (Number I8)

instance Described Int16 where
  describe = leaf (Number I16)

instance Described Int32 where
  describe = leaf (Number I32)

instance Described Int64 where
  describe = leaf (Number I64)

instance Described Int where
  describe = leaf (Number I64)

instance Described Float where
  describe = leaf Float32

instance Described Double where
  describe = leaf Float64

instance Described Bool where
  describe = leaf Boolean

instance Described Char where
  describe = leaf Character

instance Described Integer where
  describe = leaf BigInteger

instance Described Natural where
  describe = leaf BigNatural

instance (Integral a, Described a) => Described (Ratio.Ratio a) where
  describe = shapedInside ratio (describe @a)
    where
      ratio shape = case shape of
        Leaf l | isWhole l -> Ratio shape
        Between {} -> Ratio shape
        _ -> unnamedShape @(Ratio.Ratio a)

instance (Typeable k, Typeable e, HasResolution e) => Described (Fixed (e :: k)) where
  describe = leaf (FixedPoint (fromInteger (resolution (MkFixed 0 :: Fixed e))))

-- | Two parts, with no order.
instance Described a => Described (Complex a) where
  describe = libraryDescription

instance Described Ordering where
  describe = orderedByParts libraryDescription

-- | No bytes.
instance (Typeable k, Typeable a) => Described (Proxy (a :: k)) where
  describe = leaf Unit

instance Described Void where
  describe = libraryDescription

-- | Versions are ordered by their numbers only.
instance Described Version where
  describe = libraryDescription

instance Described Fingerprint where
  describe = orderedByParts libraryDescription

instance Described a => Described (Maybe a) where
  describe = shaped Optional (describe @a)

instance (Described a, Described b) => Described (Either a b) where
  describe = orderedByParts libraryDescription

instance Described a => Described [a] where
  describe = shaped (List Length64) (describe @a)

instance Described a => Described (NonEmpty a) where
  describe = shaped (NonEmpty Length64) (describe @a)

instance Described B.ByteString where
  describe = leaf (Bytes Length64)

instance Described L.ByteString where
  describe = leaf (Bytes Length64)

instance Described SBS.ShortByteString where
  describe = leaf (Bytes Length64)

instance Described T.Text where
  describe = leaf (Utf8 Length64)

instance Described TL.Text where
  describe = leaf (Utf8 Length64)
