{-# LANGUAGE Trustworthy #-}

-- |
-- Module      : Ashlar.Compat.Binary
-- Description : Data.Binary, by import
--
-- Every name of "Data.Binary" (as of @binary@ 0.8.8) with its type and its meaning: the
-- class, its derivation, its instances and their bytes. Only the lines that import
-- "Data.Binary", "Data.Binary.Get" and "Data.Binary.Put" must change, to this module,
-- "Ashlar.Compat.Binary.Get" and "Ashlar.Compat.Binary.Put". Instances stay as they are,
-- derived or written by hand.
--
-- >>> import qualified Ashlar.Compat.Binary as B
-- >>> import qualified Data.ByteString.Lazy as L
-- >>> L.unpack (B.encode (Just 'a', 258 :: Word16))
-- [1,97,1,2]
-- >>> B.decode (L.pack [1, 97, 1, 2]) :: (Maybe Char, Word16)
-- (Just 'a',258)
--
-- 'Get' and 'Put' are those of "Ashlar.Get" and "Ashlar.Put", so all other decoders and
-- builders of this library can be used in instances.
--
-- The instances of @binary@ are here, except those for 'Type.Reflection.TypeRep' and its parts.
-- So are those for the two types of the package @text@, which belong to @binary@'s class.
-- Instances from other packages, such as @vector-binary-instances@, are not.
--
-- Decoding is as safe as "Ashlar.Get". Memory is in proportion to the input. Elements that take
-- no bytes, and values nested in containers and derived types, are counted against a budget
-- ('Ashlar.Get.defaultBudget'). An instance of a recursive type that is written by hand
-- counts its levels with 'Ashlar.Get.deeper'.
--
-- The few things that differ are in @docs/porting.md@.
module Ashlar.Compat.Binary
  ( -- * The class
    Binary (put, get, putList),

    -- * Derivation
    GBinaryGet (gget),
    GBinaryPut (gput),

    -- * Puts and decoders
    Get,
    Put,
    putWord8,
    getWord8,

    -- * Encode and decode
    encode,
    decode,
    decodeOrFail,

    -- * Files
    encodeFile,
    decodeFile,
    decodeFileOrFail,

    -- * Types of words
    module Data.Word,
  )
where

import Ashlar.Compat.Binary.Get
import Ashlar.Compat.Binary.Put
import Ashlar.Internal.Builder.RunIO (writeFile)
import Ashlar.Internal.Compat.Binary.Class
import Ashlar.Internal.Compat.Binary.Instances.Base ()
import Ashlar.Internal.Compat.Binary.Instances.Containers ()
import Ashlar.Internal.Compat.Binary.Instances.Newtypes ()
import Ashlar.Internal.Compat.Binary.Instances.Option ()
import Ashlar.Internal.Compat.Binary.Instances.Tuples ()
import Control.Exception (evaluate)
import qualified Data.ByteString.Lazy as L
import Data.Word
import System.IO (IOMode (ReadMode), withBinaryFile)
import Prelude hiding (writeFile)

-- | The bytes of a value, made as they are consumed.
encode :: Binary a => a -> L.ByteString
encode x = runPut (put x)
{-# INLINE encode #-}

-- | Decode a value. Bytes that are left over are ignored. Throws an 'Control.Exception.ErrorCall'
-- if the bytes are invalid; 'decodeOrFail' returns the message instead.
decode :: Binary a => L.ByteString -> a
decode lbs = runGet get lbs
{-# INLINE decode #-}

-- | Decode a value. Also returns what was not read, and the offset at which that begins. On
-- failure, a message takes the place of the value.
--
-- >>> import qualified Ashlar.Compat.Binary as B
-- >>> fmap (\(_, _, b) -> b :: Bool) (B.decodeOrFail "\2")
-- Left ("",1,"Could not map value 2 to Bool")
decodeOrFail ::
  Binary a =>
  L.ByteString ->
  Either (L.ByteString, ByteOffset, String) (L.ByteString, ByteOffset, a)
decodeOrFail lbs = runGetOrFail get lbs
{-# INLINE decodeOrFail #-}

-- | Write the bytes of a value to a file, which is made or emptied first.
encodeFile :: Binary a => FilePath -> a -> IO ()
encodeFile path x = writeFile path (execPut (put x))
{-# INLINE encodeFile #-}

-- | Decode a value from a file. Throws an 'Control.Exception.ErrorCall' if the bytes are invalid,
-- and an 'Control.Exception.IOException' if the file cannot be read.
--
-- As in binary, it reads as much of the file as the value takes, up to the whole file, and there is
-- no limit in bytes. For untrusted files use 'Ashlar.Codec.decodeFile' with
-- 'Ashlar.Compat.Formats.BinaryFormat', which takes 64 MiB at most, or
-- 'Ashlar.Codec.decodeFileWith', which takes a limit. Both refuse bytes after the value.
decodeFile :: Binary a => FilePath -> IO a
decodeFile path =
  decodeFileOrFail path
    >>= either (\(_, message) -> evaluate (errorWithoutStackTrace message)) pure

-- | Decode a value from a file, in chunks. If it fails: the offset where the decoder stopped, and a
-- message. What is left of the file is not read.
--
-- There is no limit in bytes, as with 'decodeFile'. 'Ashlar.Get.runGetFile' has one of 64 MiB, and
-- 'Ashlar.Get.withBudget' around its decoder sets another.
decodeFileOrFail :: Binary a => FilePath -> IO (Either (ByteOffset, String) a)
decodeFileOrFail path = withBinaryFile path ReadMode $ \h -> do
  lbs <- L.hGetContents h
  -- All that is read is read before the file is closed.
  evaluate $ case runGetOrFail get lbs of
    Left (_, at, message) -> Left (at, message)
    Right (_, _, x) -> Right x
