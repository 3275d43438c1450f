{-# LANGUAGE Trustworthy #-}

-- |
-- Module      : Ashlar.Compat.Cereal
-- Description : Data.Serialize, by import
--
-- Every name of "Data.Serialize" (as of @cereal@ 0.5.8) with its type and its meaning: the
-- class, its derivation, its instances and their bytes, and what
-- "Ashlar.Compat.Cereal.Get", "Ashlar.Compat.Cereal.Put" and
-- "Ashlar.Compat.Cereal.IEEE754" export. Only the line that imports it must change.
-- Instances stay as they are, derived or written by hand.
--
-- >>> import qualified Ashlar.Compat.Cereal as C
-- >>> import qualified Data.ByteString as S
-- >>> S.unpack (C.encode (Just 'a', 258 :: Word16))
-- [1,97,1,2]
-- >>> C.decode (S.pack [1, 97, 1, 2]) :: Either String (Maybe Char, Word16)
-- Right (Just 'a',258)
--
-- Decoding is as safe as "Ashlar.Get": memory is in proportion to the input, elements that
-- take no bytes and nested values of derived types are counted against a budget
-- ('Ashlar.Get.defaultBudget'). An instance of a recursive type that is written by hand
-- counts its levels with 'Ashlar.Get.deeper'.
--
-- The things that differ are in @docs/porting.md@.
module Ashlar.Compat.Cereal
  ( -- * The class
    Serialize (put, get),

    -- * Encode and decode
    encode,
    encodeLazy,
    decode,
    decodeLazy,
    expect,

    -- * Puts and decoders
    module Ashlar.Compat.Cereal.Get,
    module Ashlar.Compat.Cereal.Put,
    module Ashlar.Compat.Cereal.IEEE754,

    -- * Derivation
    GSerializePut (gPut),
    GSerializeGet (gGet),
  )
where

import Ashlar.Compat.Cereal.Get
import Ashlar.Compat.Cereal.IEEE754
import Ashlar.Compat.Cereal.Put
import Ashlar.Internal.Compat.Cereal.Class
import Ashlar.Internal.Compat.Cereal.Instances.Base ()
import Ashlar.Internal.Compat.Cereal.Instances.Containers ()
import Ashlar.Internal.Compat.Cereal.Instances.Tuples ()
import Control.Applicative (empty)
import Data.ByteString (ByteString)
import qualified Data.ByteString.Lazy as L

-- | The bytes of a value, in one strict 'ByteString'.
encode :: Serialize a => a -> ByteString
encode x = runPut (put x)
{-# INLINE encode #-}

-- | The bytes of a value, made as they are consumed.
encodeLazy :: Serialize a => a -> L.ByteString
encodeLazy x = runPutLazy (put x)
{-# INLINE encodeLazy #-}

-- | Decode a value. Bytes that are left over are ignored.
decode :: Serialize a => ByteString -> Either String a
decode bs = runGet get bs
{-# INLINE decode #-}

-- | Decode a value, forcing chunks as the decoder gets there. Bytes that are left over are
-- ignored.
decodeLazy :: Serialize a => L.ByteString -> Either String a
decodeLazy lbs = runGetLazy get lbs
{-# INLINE decodeLazy #-}

-- | Read a value, and fail unless it is this one.
--
-- >>> import qualified Ashlar.Compat.Cereal as C
-- >>> C.runGet (C.expect (7 :: Word8)) "\7"
-- Right 7
expect :: (Eq a, Serialize a) => a -> Get a
expect x = get >>= \y -> if x == y then pure x else empty
{-# INLINE expect #-}
