{-# LANGUAGE AllowAmbiguousTypes #-}
{-# LANGUAGE FlexibleContexts #-}
{-# LANGUAGE OverloadedStrings #-}
{-# LANGUAGE ScopedTypeVariables #-}
{-# LANGUAGE TypeApplications #-}
{-# OPTIONS_GHC -Wno-orphans #-}

-- |
-- Module      : Ashlar.Schema.Internal.Instances.Wrappers
-- Description : Newtypes that choose another format
--
-- A wrapper changes the shape of what it wraps, which may be a newtype of the user. If it does not
-- know the shape, the wrapper is opaque.
module Ashlar.Schema.Internal.Instances.Wrappers () where

import Ashlar.Codec.Packed (Pack)
import qualified Ashlar.Codec.Packed as Packed
import Ashlar.Codec.Unsafe (AsStorable)
import Ashlar.Codec.Wrappers
  ( ByteOrdered,
    Compact,
    Copied,
    Copyable,
    Counted,
    HostEndian,
    ScalarValue,
    UTF16,
    VarintNumber,
  )
import qualified Ashlar.Codec.Wrappers as Wrappers
import Ashlar.Schema.Internal.ByHand
import Ashlar.Schema.Internal.Describe
import Ashlar.Schema.Internal.Types
import Data.Maybe (fromMaybe)
import Data.Typeable (Typeable)
import Foreign.Storable (Storable (sizeOf))
import qualified GHC.ByteOrder as ByteOrder

wrapping :: forall b a. (Described a, Described b) => (Shape -> Maybe Shape) -> Describe a
wrapping f = shapedInside (\shape -> fromMaybe (unnamedShape @a) (f shape)) (describe @b)

bigEndian :: Shape -> Maybe Shape
bigEndian shape = case shape of
  Leaf (Number n) -> Just (Leaf (BigEndian n))
  Leaf Float32 -> Just (Leaf Float32BE)
  Leaf Float64 -> Just (Leaf Float64BE)
  _ -> Nothing

instance (VarintNumber a, Described a) => Described (Wrappers.Varint a) where
  describe = wrapping @a $ \shape -> case shape of
    Leaf (Number n) -> Just (Leaf (Varint n))
    _ -> Nothing

instance (VarintNumber a, Described a) => Described (Wrappers.Zigzag a) where
  describe = wrapping @a $ \shape -> case shape of
    Leaf (Number n) -> Just (Leaf (Zigzag n))
    _ -> Nothing

instance (ByteOrdered a, Described a) => Described (Wrappers.BigEndian a) where
  describe = wrapping @a bigEndian

-- | The byte order of this machine, so this schema differs between machines, like the bytes.
instance (ByteOrdered a, Described a) => Described (HostEndian a) where
  describe = neverPacked . wrapping @a $ case ByteOrder.targetByteOrder of
    ByteOrder.BigEndian -> bigEndian
    ByteOrder.LittleEndian -> \shape -> shape <$ bigEndian shape

instance (Counted a, Described a) => Described (Compact a) where
  describe = wrapping @a $ \shape -> case shape of
    Leaf (Bytes Length64) -> Just (Leaf (Bytes LengthVarint))
    Leaf (ByteArray Length64) -> Just (Leaf (ByteArray LengthVarint))
    Leaf (Utf8 Length64) -> Just (Leaf (Utf8 LengthVarint))
    List Length64 s -> Just (List LengthVarint s)
    NonEmpty Length64 s -> Just (NonEmpty LengthVarint s)
    Set Length64 s -> Just (Set LengthVarint s)
    Map Length64 k v -> Just (Map LengthVarint k v)
    _ -> Nothing

-- | All of it in the packed format.
instance (Pack a, Described a) => Described (Packed.Packed a) where
  describe = shapedVia @a Packed

-- | Inside of that, a part in the plain format.
instance Described a => Described (Packed.Unpacked a) where
  describe = shapedVia @a Unpacked

instance (Copyable a, Described a) => Described (Copied a) where
  describe = shapedVia @a id

instance Described UTF16 where
  describe = plainly (Leaf Utf16)

instance Described ScalarValue where
  describe = plainly (Leaf ScalarCharacter)

-- | Bytes that are not described.
instance (Storable a, Typeable a) => Described (AsStorable a) where
  describe = plainly $ case unnamedShape @(AsStorable a) of
    Opaque name version _ -> Opaque name version (Just (sizeOf (noValue :: a)))
    shape -> shape
    where
      noValue = errorWithoutStackTrace "Ashlar.Schema: sizeOf looked at its argument"
