{-# LANGUAGE Trustworthy #-}

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
-- Decoding is safe on untrusted input: it believes no length before the bytes have arrived, and it
-- checks every value: UTF-8, tags of constructors, order of keys.
--
-- The least significant byte comes first. 'Int', 'Word' and lengths take eight bytes.
-- @docs/format.md@ describes all formats. They do not change within a major version of this
-- library. A @String@ is a list of characters of four bytes each: prefer @Text@, which is UTF-8.
--
-- A 'Data.ByteString.ByteString' that is decoded is a slice of its input, and keeps the input's
-- memory alive. What outlives a large input, as its key in a map, is better a
-- 'Ashlar.Codec.Wrappers.Copied' ByteString, or a @ShortByteString@, or @Text@: these are copies.
--
-- A derived format changes with its type. Put a version number before data that you keep: see
-- 'Ashlar.Codec.Combinators.constant'.
--
-- 'get' and 'put' are a decoder and a builder like any other. @runGetOrFail get@ of "Ashlar.Get"
-- decodes a value at the beginning of a lazy ByteString. @foldFrom source get@ decodes all values
-- of a 'Source'.
--
-- The class has no methods to override, so a type has the same format wherever it occurs. The
-- one thing that an instance may choose is its 'format':
--
-- >>> newtype Flag = Flag Bool
-- >>> instance Codec Flag where get = fail "never"
-- ...
-- ...get... is not a (visible) method of class ...Codec...
-- ...
--
-- * 'HasFormat': instances that refine the derived format, or replace it
-- * "Ashlar.Codec.Combinators": formats by hand, once for both directions
-- * "Ashlar.Codec.Fixed": formats of constant size by hand
-- * "Ashlar.Codec.Wrappers": newtypes that choose another format
-- * "Ashlar.Codec.Laws", in the package ashlar-laws: tests for instances of your own
module Ashlar.Codec
  ( -- * The class
    Codec,
    put,
    get,
    size,
    layout,
    Layout (Fix, Var),
    leastSize,

    -- * Instances with a format of their own
    HasFormat (format),
    Format,
    derivedFormat,
    GCodec,
    codec,
    satisfying,
    refined,
    byHand,
    fromPutGet,

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
    decodeFileWith,
    Get,
    DecodeError (..),
    Reason (..),
    Excerpt (..),
    summarizeError,

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
  ( Codec,
    Format,
    HasFormat (format),
    Layout (Fix, Var),
    codec,
    leastSize,
  )
import qualified Ashlar.Internal.Codec.Class as Class
import Ashlar.Internal.Codec.Derive (GCodec, derivedFormat)
import Ashlar.Internal.Codec.Format (byHand, fromPutGet, refined, satisfying)
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

-- Functions, not methods: see Note [The shape of the class].

-- | Write a value: the bytes of 'encode', as a builder.
--
-- >>> toStrictByteString (put 'a' <> put True)
-- "a\NUL\NUL\NUL\SOH"
put :: Codec a => a -> Builder
put = Class.put
{-# INLINE put #-}

-- | Read a value, and leave what follows it.
--
-- >>> runGet ((,) <$> get <*> getWord8) "a\NUL\NUL\NUL\SOH" :: Either DecodeError (Char, Word8)
-- Right ('a',1)
get :: Codec a => Get a
get = Class.get
{-# INLINE get #-}

-- | The exact number of bytes that 'put' writes: the same as 'encodedSize'.
size :: Codec a => a -> Int
size = Class.size
{-# INLINE size #-}

-- | 'Fix' if all values take the same number of bytes, else 'Var'. A derived format is 'Fix' if
-- the type has a single constructor whose fields are all 'Fix', or if no constructor has fields.
layout :: Codec a => Layout a
layout = Class.layout
{-# INLINE layout #-}
