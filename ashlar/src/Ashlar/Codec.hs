-- |
-- Module      : Ashlar.Codec
-- Description : One class for exact size, encoding and decoding
--
-- Values to bytes and back, by one class that is derived:
--
-- >>> :set -XDeriveGeneric -XDeriveAnyClass
-- >>> data Order = Order { item :: Text, count :: Int } deriving (Show, Generic, Codec)
-- >>> encodedSize (Order "brick" 12)
-- 21
-- >>> decode (encode (Order "brick" 12)) :: Either DecodeError Order
-- Right (Order {item = "brick", count = 12})
--
-- Decoding is safe on input from strangers: no length in it is believed before
-- the bytes have arrived, and every value is checked (UTF-8, tags of
-- constructors, order of keys).
--
-- The format has the least significant byte first; 'Int', 'Word' and lengths
-- take eight bytes. All of it is written down in @docs/format.md@, and stays as it is within a
-- major version of this library.
--
-- A derived format changes with its type. Put the number of a version before what you
-- keep ('Ashlar.Codec.Combinators.constant').
--
-- 'get' and 'put' are a decoder and a builder like any other: @runGetOrFail get@ of
-- "Ashlar.Get" decodes a value at the beginning of a lazy ByteString, and
-- @foldFrom source get@ all values that a 'Source' has.
--
-- * "Ashlar.Codec.Combinators": instances by hand, once for both directions
-- * "Ashlar.Codec.Fixed": formats of constant size by hand
-- * "Ashlar.Codec.Wrappers": newtypes that choose another format
-- * "Ashlar.Codec.Laws", in the package ashlar-laws: tests for instances of your own
module Ashlar.Codec
  ( -- * The class
    Codec (..),
    Layout (Fix, Var),
    leastSize,
    GCodec,
    genericLayout,
    genericSize,
    genericPut,
    genericGet,

    -- * Encoding
    encode,
    encodeLazy,
    hEncode,
    encodeFile,
    encodedSize,
    Builder,

    -- * Decoding
    decode,
    decodeRest,
    decodeLazy,
    hDecode,
    decodeFile,
    Get,
    DecodeError (..),
    Reason (..),
    Excerpt (..),

    -- ** Many values
    decodeFrom,
    Source,
    newSource,
    handleSource,

    -- ** Within a budget
    decodeWith,
    decodeLazyWith,
    hDecodeWith,
    decodeFromWith,
    Budget (..),
    defaultBudget,
  )
where

import Ashlar.Internal.Builder.Core (Builder)
import Ashlar.Internal.Codec.Class
import Ashlar.Internal.Codec.Instances.Arrays ()
import Ashlar.Internal.Codec.Instances.Base ()
import Ashlar.Internal.Codec.Instances.Containers ()
import Ashlar.Internal.Codec.Instances.Newtypes ()
import Ashlar.Internal.Codec.Instances.Numbers ()
import Ashlar.Internal.Codec.Instances.Strings ()
import Ashlar.Internal.Codec.Instances.Structures ()
import Ashlar.Internal.Codec.Instances.Time ()
import Ashlar.Internal.Codec.Instances.Tuples ()
import Ashlar.Internal.Codec.Instances.Vector ()
import Ashlar.Internal.Codec.Run
import Ashlar.Internal.Get.Budget
import Ashlar.Internal.Get.Core (Get)
import Ashlar.Internal.Get.Error
import Ashlar.Internal.Get.Source (Source, handleSource, newSource)
