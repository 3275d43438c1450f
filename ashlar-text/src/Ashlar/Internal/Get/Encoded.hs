-- |
-- Module      : Ashlar.Internal.Get.Encoded
-- Description : Decoders for bytes that are encoded as text
--
-- What the decoders of Base64 and hexadecimal share: how many characters are read, where the bytes
-- go, and the error. An 'Encoding' says how characters become bytes.
module Ashlar.Internal.Get.Encoded
  ( Encoding (..),
    Refusal (..),
    getEncoded,
    decodedFrom,
    decodeEncoded,
    decodeInto,
  )
where

import Ashlar.Internal.Get.Bytes (foundIn, getByteString)
import Ashlar.Internal.Get.Core
import Ashlar.Internal.Get.Error
import Ashlar.Internal.Get.Run (runGet)
import Ashlar.Internal.Mem
import Ashlar.Internal.Mem.Check (unsafeDrop)
import Data.ByteString (ByteString)
import qualified Data.ByteString as S
import Data.Word (Word8)
import Foreign.ForeignPtr.Unsafe (unsafeForeignPtrToPtr)
import Foreign.Ptr (Ptr)
import System.IO.Unsafe (unsafeDupablePerformIO)

-- | How characters become bytes.
data Encoding = Encoding
  { -- | The most bytes that n characters stand for.
    encodingBytes :: Int -> Int,
    -- | Decode characters, all of which are readable. The first argument is where the bytes go:
    -- 'encodingBytes' of them are writable. Returns the address after the last byte.
    encodingRead :: Ptr Word8 -> Ptr Word8 -> Int -> IO (Either Refusal (Ptr Word8)),
    -- | The message for a negative number of characters.
    encodingNegative :: String
  }

-- | Why characters are refused.
data Refusal = Refusal
  { -- | The index of the refused character, or the number of characters for their end.
    refusedIndex :: !Int,
    -- | How many characters from there on the error shows: 1, or 0 at the end.
    refusedBytes :: !Int,
    -- | The message.
    refusedWhy :: String
  }

-- | The bytes that @n@ characters stand for.
getEncoded :: Encoding -> Int -> Get ByteString
getEncoded encoding n
  | n < 0 = invalid (encodingNegative encoding)
  | otherwise = here >>= \at -> getByteString n >>= decodedFrom encoding at

-- | The bytes that characters stand for. The characters have been read, and begin at the given
-- offset.
decodedFrom :: Encoding -> Int -> ByteString -> Get ByteString
decodedFrom encoding at characters =
  effect (decodeInto encoding characters) >>= \result -> case result of
    Right bs -> pure bs
    Left (Refusal i shown message) -> do
      -- The index is at most the length.
      found <- foundIn (S.take shown (unsafeDrop i characters))
      failWith (at + S.length characters) (at + i) found (Invalid message)

-- | The bytes that a whole string stands for. If they are refused, the decoder runs to make the
-- error.
decodeEncoded :: Encoding -> ByteString -> Either DecodeError ByteString
decodeEncoded encoding characters = case unsafeDupablePerformIO (decodeInto encoding characters) of
  Right bs -> Right bs
  Left _ -> runGet (getEncoded encoding (S.length characters)) characters

-- | The bytes that characters stand for, in memory of their own.
decodeInto :: Encoding -> ByteString -> IO (Either Refusal ByteString)
decodeInto encoding characters = do
  let n = S.length characters
  buffer <- newBuffer (encodingBytes encoding n)
  let p = unsafeForeignPtrToPtr buffer
  -- n characters are readable, and encodingBytes n bytes writable.
  result <- withBytesQuick characters (\src _ -> encodingRead encoding p src n)
  pure $! case result of
    Right end -> Right $! sliceBuffer buffer p end
    Left refusal -> Left refusal
