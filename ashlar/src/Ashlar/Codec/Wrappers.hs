{-# LANGUAGE Trustworthy #-}

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
    Counted (counted, sizeCounted, putCounted, getCounted),

    -- * Memory of their own
    Copied (..),
    Copyable,

    -- * Characters
    UTF16 (..),
    ScalarValue (..),
  )
where

import Ashlar.Internal.Codec.Instances.Strings (Copied (..), Copyable, ScalarValue (..), UTF16 (..))
import Ashlar.Internal.Codec.Length (Counted (..))
import Ashlar.Internal.Codec.Wrappers.Numbers
