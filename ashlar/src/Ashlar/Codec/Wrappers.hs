{-# LANGUAGE DataKinds #-}
{-# LANGUAGE DeriveTraversable #-}
{-# LANGUAGE DerivingStrategies #-}
{-# LANGUAGE FlexibleContexts #-}
{-# LANGUAGE GADTs #-}
{-# LANGUAGE ScopedTypeVariables #-}
{-# LANGUAGE Trustworthy #-}
{-# LANGUAGE TypeOperators #-}
{-# LANGUAGE UndecidableInstances #-}
-- Unfoldings must not be eta-expanded: Note [Generic methods] in "Ashlar.Internal.Codec.Derive".
{-# OPTIONS_GHC -fno-do-lambda-eta-expansion #-}

-- |
-- Module      : Ashlar.Codec.Wrappers
-- Description : Newtypes that choose another format
--
-- There are wrappers for numbers that take few bytes if they are small, numbers with the most
-- significant byte first, short lengths, and ByteStrings that are copies. Use a wrapper as the type
-- of a field, or derive an instance of your own with @DerivingVia@:
--
-- >>> :set -XDerivingVia
-- >>> newtype Port = Port Word16 deriving stock Show deriving Codec via BigEndian Word16
-- >>> encode (Port 8080)
-- "\US\144"
--
-- Each value still has exactly one encoding. Decoding refuses any other bytes. The format of
-- 'Foreign.Storable.Storable' is in "Ashlar.Codec.Unsafe".
module Ashlar.Codec.Wrappers
  ( -- * Numbers of few bytes
    Varint (..),
    Zigzag (..),
    VarintNumber,

    -- * Byte order
    BigEndian (..),
    HostEndian (..),
    ByteOrdered (..),

    -- * Lengths of few bytes
    Compact (..),
    Counted (counted, sizeCounted, putCounted, putCompact, getCounted),

    -- * Memory of their own
    Copied (..),
    Copyable,

    -- * Characters
    UTF16 (..),
    ScalarValue (..),
  )
where

import Ashlar.Internal.Codec.Class
import Ashlar.Internal.Codec.Fixed
import Ashlar.Internal.Codec.Instances.Strings (Copied (..), Copyable, ScalarValue (..), UTF16 (..))
import Ashlar.Internal.Codec.Layouts
import Ashlar.Internal.Codec.Length
import Ashlar.Internal.Codec.Outline (Count (Itself), compactly)
import Ashlar.Internal.Get.Core (Get)
import qualified Ashlar.Internal.Prim.Scalar as P
import Ashlar.Prim.Varint (unZigzag64, zigzag64)
import Data.Int (Int16, Int32, Int64, Int8)
import Data.Word (Word16, Word32, Word64, Word8)
import qualified GHC.ByteOrder as ByteOrder
import GHC.TypeLits (ErrorMessage (..), TypeError)
import Numeric.Natural (Natural)

-- | A number in unsigned LEB128 (the varint of Protocol Buffers): one byte below 128,
-- two below 16,384, up to ten. A negative number is written as 64 bits in two's complement and so
-- takes ten bytes: use 'Zigzag' for these. Decoding refuses numbers that do not fit the type.
--
-- >>> encode (Varint (300 :: Int))
-- "\172\STX"
newtype Varint a = Varint {getVarintNumber :: a}
  deriving stock (Eq, Ord, Show, Functor, Foldable, Traversable)

instance VarintNumber a => Codec (Varint a) where
  layout = bytesAfter 1 Itself 0
  size (Varint n) = varintSize (fromIntegral n)
  put (Varint n) = putVarint (fromIntegral n)
  get = Varint <$> getVarintAs fromIntegral (\w -> fits w (fromIntegral w))
  {-# INLINE size #-}
  {-# INLINE put #-}
  {-# INLINE get #-}

-- | A number as the 'Varint' of its position in 0, -1, 1, -2, 2 and so on: one byte from -64 to 63.
--
-- >>> encode (Zigzag (-3 :: Int))
-- "\ENQ"
newtype Zigzag a = Zigzag {getZigzagNumber :: a}
  deriving stock (Eq, Ord, Show, Functor, Foldable, Traversable)

instance VarintNumber a => Codec (Zigzag a) where
  layout = bytesAfter 1 Itself 0
  size (Zigzag n) = varintSize (zigzag64 (fromIntegral n))
  put (Zigzag n) = putVarint (zigzag64 (fromIntegral n))

  -- (A type without a sign refuses odd words: they stand for negative numbers.)
  get = Zigzag <$> getVarintAs (number . fromIntegral) (\w -> fits (unZigzag64 w) (number w))
    where
      number w = fromIntegral (unZigzag64 w)
  {-# INLINE size #-}
  {-# INLINE put #-}
  {-# INLINE get #-}

-- The second number, if converting the first to it has lost nothing.
fits :: (Integral w, Integral a) => w -> a -> Either String a
fits w n
  | fromIntegral n == w = Right n
  | otherwise = Left "a varint that does not fit its type"
{-# INLINE fits #-}

-- | Numbers of at most 64 bits.
class Integral a => VarintNumber a

instance VarintNumber Word8

instance VarintNumber Word16

instance VarintNumber Word32

instance VarintNumber Word64

instance VarintNumber Word

instance VarintNumber Int8

instance VarintNumber Int16

instance VarintNumber Int32

instance VarintNumber Int64

instance VarintNumber Int

-- (Why equations: "Ashlar.Internal.Codec.Instances.Base".)
instance
  TypeError
    ( 'ShowType Integer ':<>: 'Text " has no largest number, and a varint has at most 64 bits."
        ':$$: 'Text "Leave out the wrapper: small numbers take few bytes anyway. Or use Int."
    )
    ~ '() =>
  VarintNumber Integer

instance
  TypeError
    ( 'ShowType Natural ':<>: 'Text " has no largest number, and a varint has at most 64 bits."
        ':$$: 'Text "Leave out the wrapper: small numbers take few bytes anyway. Or use Int."
    )
    ~ '() =>
  VarintNumber Natural

-- | A number with the most significant byte first ("network order").
--
-- >>> encode (BigEndian (258 :: Word16))
-- "\SOH\STX"
newtype BigEndian a = BigEndian {getBigEndian :: a}
  deriving stock (Eq, Ord, Show, Functor, Foldable, Traversable)

instance ByteOrdered a => Codec (BigEndian a) where
  layout = Fix (fixedMap getBigEndian BigEndian fixedBE)
  size _ = fixedSize (fixedBE :: Fixed a)
  put (BigEndian x) = putFixed fixedBE x
  get = BigEndian <$> getFixed fixedBE
  {-# INLINE layout #-}
  {-# INLINE size #-}
  {-# INLINE put #-}
  {-# INLINE get #-}

-- | A number in the byte order of the machine, for programs on the same machine only: another
-- machine may read another number. On a little-endian machine it is the usual format.
newtype HostEndian a = HostEndian {getHostEndian :: a}
  deriving stock (Eq, Ord, Show, Functor, Foldable, Traversable)

instance ByteOrdered a => Codec (HostEndian a) where
  layout = Fix (fixedMap getHostEndian HostEndian fixedHost)
  size _ = fixedSize (fixedHost :: Fixed a)
  put (HostEndian x) = putFixed fixedHost x
  get = HostEndian <$> getFixed fixedHost
  {-# INLINE layout #-}
  {-# INLINE size #-}
  {-# INLINE put #-}
  {-# INLINE get #-}

fixedHost :: ByteOrdered a => Fixed a
fixedHost = case ByteOrder.targetByteOrder of
  ByteOrder.LittleEndian -> fixedLE
  ByteOrder.BigEndian -> fixedBE
{-# INLINE fixedHost #-}

-- | Numbers of constant size. One byte has no order: for 'Word8' and 'Int8' the compiler says so.
class ByteOrdered a where
  -- | Least significant byte first.
  fixedLE :: Fixed a

  -- | Most significant byte first.
  fixedBE :: Fixed a

instance ByteOrdered Word16 where
  fixedLE = fixedWord16LE
  fixedBE = fixedScalar False P.word16BE
  {-# INLINE fixedLE #-}
  {-# INLINE fixedBE #-}

instance ByteOrdered Word32 where
  fixedLE = fixedWord32LE
  fixedBE = fixedScalar False P.word32BE
  {-# INLINE fixedLE #-}
  {-# INLINE fixedBE #-}

instance ByteOrdered Word64 where
  fixedLE = fixedWord64LE
  fixedBE = fixedScalar False P.word64BE
  {-# INLINE fixedLE #-}
  {-# INLINE fixedBE #-}

instance ByteOrdered Int16 where
  fixedLE = fixedInt16LE
  fixedBE = fixedScalar False P.int16BE
  {-# INLINE fixedLE #-}
  {-# INLINE fixedBE #-}

instance ByteOrdered Int32 where
  fixedLE = fixedInt32LE
  fixedBE = fixedScalar False P.int32BE
  {-# INLINE fixedLE #-}
  {-# INLINE fixedBE #-}

instance ByteOrdered Int64 where
  fixedLE = fixedInt64LE
  fixedBE = fixedScalar False P.int64BE
  {-# INLINE fixedLE #-}
  {-# INLINE fixedBE #-}

-- | 8 bytes on every machine.
instance ByteOrdered Word where
  fixedLE = fixedWord
  fixedBE = fixedChecked fromIntegral narrow (fixedBE :: Fixed Word64)
  {-# INLINE fixedLE #-}
  {-# INLINE fixedBE #-}

-- | 8 bytes on every machine.
instance ByteOrdered Int where
  fixedLE = fixedInt
  fixedBE = fixedChecked fromIntegral narrow (fixedBE :: Fixed Int64)
  {-# INLINE fixedLE #-}
  {-# INLINE fixedBE #-}

instance ByteOrdered Float where
  fixedLE = fixedFloatLE
  fixedBE = fixedScalar False P.floatBE
  {-# INLINE fixedLE #-}
  {-# INLINE fixedBE #-}

instance ByteOrdered Double where
  fixedLE = fixedDoubleLE
  fixedBE = fixedScalar False P.doubleBE
  {-# INLINE fixedLE #-}
  {-# INLINE fixedBE #-}

instance
  TypeError
    ('ShowType Word8 ':<>: 'Text " is one byte, which has no order. Leave out the wrapper.")
    ~ '() =>
  ByteOrdered Word8
  where
  fixedLE = fixedWord8
  fixedBE = fixedWord8

instance
  TypeError
    ('ShowType Int8 ':<>: 'Text " is one byte, which has no order. Leave out the wrapper.")
    ~ '() =>
  ByteOrdered Int8
  where
  fixedLE = fixedInt8
  fixedBE = fixedInt8

-- | A string, list, vector, map or set with its length as a 'Varint': one byte instead of eight, up
-- to a length of 127. Lengths inside its elements still take eight bytes.
--
-- There are instances of 'Counted' for lists, @NonEmpty@, 'Data.Text.Text' and ByteStrings (strict,
-- lazy and short), the four kinds of vector, the arrays of @primitive@, @Map@, @IntMap@, @Set@,
-- @IntSet@, @Seq@ and 'Copied'. The package @ashlar-instances@ has those for @HashMap@ and
-- @HashSet@.
--
-- >>> encode (Compact ("ab" :: Text))
-- "\STXab"
newtype Compact a = Compact {getCompact :: a}
  deriving stock (Eq, Ord, Show, Functor, Foldable, Traversable)

instance (Codec a, Counted a) => Codec (Compact a) where
  layout = maybe (Var 1) (varying 1 . compactly decoder) (layoutOutline (layout :: Layout a))
    where
      decoder = () <$ (get :: Get (Compact a))
  size (Compact x) = varintSize (fromIntegral (counted x)) + sizeCounted x
  put (Compact x) = putCompact x
  get = compactLength >>= \n -> Compact <$> getCounted n
  {-# INLINE size #-}
  {-# INLINE put #-}
  {-# INLINE get #-}
