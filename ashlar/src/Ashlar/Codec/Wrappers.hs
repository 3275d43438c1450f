-- |
-- Module      : Ashlar.Codec.Wrappers
-- Description : Newtypes that choose another format
--
-- For fields whose format is to be another than that of their type: numbers that take
-- few bytes if they are small, numbers with the most significant byte first, short
-- lengths.
--
-- As the type of a field, or for a type of one's own by @DerivingVia@:
--
-- >>> :set -XDerivingVia
-- >>> newtype Port = Port Word16 deriving stock Show deriving Codec via BigEndian Word16
-- >>> encode (Port 8080)
-- "\US\144"
--
-- With these, too, each value has one encoding, and all else is refused.
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
    Counted (..),

    -- * Characters
    UTF16 (..),
    ScalarValue (..),

    -- * Memory
    AsStorable (..),
  )
where

import Ashlar.Internal.Codec.Length (Counted (..))
import Ashlar.Internal.Codec.Wrappers.Numbers
import Ashlar.Internal.Codec.Wrappers.Strings
