{-# LANGUAGE Trustworthy #-}

-- |
-- Module      : Ashlar.Compat.Binary.Get
-- Description : Data.Binary.Get, by import
--
-- Every name of "Data.Binary.Get" (as of @binary@ 0.8.9) with its type and its meaning.
-- Only the line that imports it must change. 'Get' is that of "Ashlar.Get", so all other
-- decoders of this library can be used beside these.
--
-- >>> import qualified Ashlar.Compat.Binary.Get as B
-- >>> B.runGetOrFail (B.label "size" B.getWord16be) "\1"
-- Left ("\SOH",0,"not enough bytes\nsize")
--
-- The few things that differ are in @docs/porting.md@. In short: if all alternatives fail, the
-- message is that of the one that got farthest; 'Control.Applicative.many' ends where its
-- decoder reads nothing; and if 'skip' or a lazy string runs into the end, the bytes that it
-- has passed are not given back.
module Ashlar.Compat.Binary.Get
  ( -- * Decoders
    Get,

    -- * Running decoders
    runGet,
    runGetOrFail,
    ByteOffset,

    -- ** Input that is pushed
    Decoder (..),
    runGetIncremental,
    pushChunk,
    pushChunks,
    pushEndOfInput,

    -- * The offset in the input
    skip,
    isEmpty,
    bytesRead,

    -- * Around other decoders
    isolate,
    lookAhead,
    lookAheadM,
    lookAheadE,
    label,

    -- * Bytes
    getByteString,
    getShortByteString,
    getLazyByteString,
    getLazyByteStringNul,
    getRemainingLazyByteString,

    -- * One byte
    getWord8,
    getInt8,

    -- * Most significant byte first
    getWord16be,
    getWord32be,
    getWord64be,
    getInt16be,
    getInt32be,
    getInt64be,
    getFloatbe,
    getDoublebe,

    -- * Least significant byte first
    getWord16le,
    getWord32le,
    getWord64le,
    getInt16le,
    getInt32le,
    getInt64le,
    getFloatle,
    getDoublele,

    -- * The machine's own order and size
    getWordhost,
    getWord16host,
    getWord32host,
    getWord64host,
    getInthost,
    getInt16host,
    getInt32host,
    getInt64host,
    getFloathost,
    getDoublehost,

    -- * Deprecated in binary
    runGetState,
    remaining,
    getBytes,
  )
where

import Ashlar.Internal.Compat.BinaryOffsets
import Ashlar.Internal.Get.Bytes (isEmpty)
import qualified Ashlar.Internal.Get.Bytes as G
import Ashlar.Internal.Get.Choice
import qualified Ashlar.Internal.Get.Chunks as G
import Ashlar.Internal.Get.Core
import Ashlar.Internal.Get.Error
import Ashlar.Internal.Get.Fail (label)
import Ashlar.Internal.Get.Numbers
import Ashlar.Internal.Get.Strings hiding (getShortByteString)
import qualified Ashlar.Internal.Get.Strings as G
import Data.ByteString (ByteString)
import qualified Data.ByteString as S
import qualified Data.ByteString.Lazy as L
import Data.ByteString.Short (ShortByteString)
import Data.Int (Int64)
import qualified Data.List as List

-- | A number of bytes from the start.
type ByteOffset = Int64

-- | Decode from a lazy 'L.ByteString'. An error is thrown as an 'Control.Exception.ErrorCall'.
-- 'runGetOrFail', and the functions of "Ashlar.Get", return it instead.
--
-- >>> import qualified Ashlar.Compat.Binary.Get as B
-- >>> B.runGet B.getWord16be "\1\2\3"
-- 258
runGet :: Get a -> L.ByteString -> a
runGet = G.runLazy maxBound (\result _ _ -> either (thrown "runGet") id result)
{-# INLINE runGet #-}

-- | 'runGet', which also returns what was not read, and the offset at which that begins. On
-- failure, a message takes the place of the value.
runGetOrFail ::
  Get a ->
  L.ByteString ->
  Either (L.ByteString, ByteOffset, String) (L.ByteString, ByteOffset, a)
runGetOrFail g lbs =
  either (\(rest, at, e) -> Left (rest, at, message e)) Right (G.runOrFail maxBound g lbs)
{-# INLINE runGetOrFail #-}

-- | 'runGet', which also returns what was not read, and the offset at which that begins. The
-- offset of the first byte is given.
runGetState :: Get a -> L.ByteString -> ByteOffset -> (a, L.ByteString, ByteOffset)
runGetState g lbs before = case G.runOrFail maxBound g lbs of
  Left (_, _, e) -> thrown "runGetState" e
  Right (rest, at, a) -> (a, rest, before + at)
{-# DEPRECATED runGetState "Use runGetIncremental, or Ashlar.Get.runGetOrFail" #-}

thrown :: String -> DecodeError -> a
thrown function e =
  errorWithoutStackTrace $
    "Ashlar.Compat.Binary.Get." ++ function ++ " at position "
      ++ show (errorOffset e)
      ++ ": "
      ++ message e

-- As in binary: the message of 'fail', and after it a line for each label around.
message :: DecodeError -> String
message e = List.intercalate "\n" (what : errorLabels e)
  where
    what = case errorReason e of
      MissingInput _ _ -> "not enough bytes"
      NoAlternative -> "Data.Binary.Get(Alternative).empty"
      _ -> reasonText e

-- | A decoder that is fed its input chunk by chunk. As with 'G.Decoder', each state can be used
-- any number of times. For that a 'Partial' keeps the input, up to 64 MiB: after these it can be
-- used once. A second use decodes all of it again.
data Decoder a
  = -- | It has failed: what it had not read, the offset at which that begins, and
    -- a message.
    Fail !ByteString !ByteOffset String
  | -- | It needs the next chunk, or to know that there is none ('Nothing').
    Partial (Maybe ByteString -> Decoder a)
  | -- | It has ended: what it had not read, the offset at which that begins, and
    -- the result.
    Done !ByteString !ByteOffset a

-- | Start a decoder.
runGetIncremental :: Get a -> Decoder a
runGetIncremental g = go (G.incremental maxBound g)
  where
    go state = case state of
      G.Fail rest at e -> Fail rest at (message e)
      G.Partial resume -> Partial (go . resume)
      G.Done rest at a -> Done rest at a

-- | Go on with a chunk. If the decoder has ended already, the chunk is added to
-- what it had not read.
pushChunk :: Decoder a -> ByteString -> Decoder a
pushChunk state bs = case state of
  Partial resume -> resume (Just bs)
  Fail rest at e -> Fail (rest <> bs) at e
  Done rest at a -> Done (rest <> bs) at a

-- | Go on with the chunks of a lazy 'L.ByteString'.
pushChunks :: Decoder a -> L.ByteString -> Decoder a
pushChunks state lbs = go state (L.toChunks lbs)
  where
    go d bss = case (d, bss) of
      (_, []) -> d
      (Partial resume, bs : more) -> go (resume (Just bs)) more
      (Fail rest at e, _) -> Fail (S.concat (rest : bss)) at e
      (Done rest at a, _) -> Done (S.concat (rest : bss)) at a

-- | Go on without more input. The result is not 'Partial'.
pushEndOfInput :: Decoder a -> Decoder a
pushEndOfInput state = case state of
  Partial resume -> resume Nothing
  _ -> state

-- | Skip @n@ bytes, or none if @n@ is negative.
skip :: Int -> Get ()
skip n = G.skip (max 0 n)
{-# INLINE skip #-}

-- | Bytes read so far: from the start of the stream, or of the innermost 'isolate'.
bytesRead :: Get Int64
bytesRead = bytesCounted

-- | @isolate n p@ runs @p@ on the next @n@ bytes alone. In @p@, 'bytesRead' begins at 0. Fails if
-- @p@ does, if @n@ is negative, or if @p@ leaves bytes over.
isolate :: Int -> Get a -> Get a
isolate = isolateCounting

-- | @n@ bytes, or none if @n@ is negative. A slice of the input if they lie in one
-- chunk, as with 'G.getByteString'.
getByteString :: Int -> Get ByteString
getByteString n = G.getByteString (max 0 n)
{-# INLINE getByteString #-}

-- | @n@ bytes, or none if @n@ is negative, copied into memory that is not pinned.
getShortByteString :: Int -> Get ShortByteString
getShortByteString n = G.getShortByteString (max 0 n)
{-# INLINE getShortByteString #-}

-- | @n@ bytes, or none if @n@ is negative. Its chunks are slices of those of the
-- input.
getLazyByteString :: Int64 -> Get L.ByteString
getLazyByteString n = G.getLazyByteString (max 0 n)
{-# INLINE getLazyByteString #-}

-- | The number of bytes up to the end of the input, or of the innermost 'isolate'. Asks for all
-- input up to there, and keeps it.
remaining :: Get Int64
remaining = restLength >>= \n -> pure $! fromIntegral n
{-# DEPRECATED
  remaining
  "This keeps all of the input in memory. Use isEmpty, or getRemainingLazyByteString"
  #-}

-- | 'getByteString'.
getBytes :: Int -> Get ByteString
getBytes = getByteString
{-# DEPRECATED getBytes "Use getByteString" #-}
