{-# LANGUAGE Trustworthy #-}

-- |
-- Module      : Ashlar.Builder.Extra
-- Description : More control over how builders are run
--
-- The names are those of "Data.ByteString.Builder.Extra", and three more: 'prebuilt', 'defragment'
-- and 'defragmentWith'.
module Ashlar.Builder.Extra
  ( -- * Lazy output with buffers of chosen sizes
    toLazyByteStringWith,
    AllocationStrategy,
    safeStrategy,
    untrimmedStrategy,
    smallChunkSize,
    defaultChunkSize,

    -- * To copy or to insert
    byteStringCopy,
    byteStringInsert,
    byteStringThreshold,
    lazyByteStringCopy,
    lazyByteStringInsert,
    lazyByteStringThreshold,

    -- * Bytes that are kept
    prebuilt,

    -- * Ends of chunks
    flush,

    -- * Merging the chunks of lazy output
    defragment,
    defragmentWith,

    -- * Running step by step
    BufferWriter,
    Next (..),
    runBuilder,

    -- * The machine's own order and size
    intHost,
    int16Host,
    int32Host,
    int64Host,
    wordHost,
    word16Host,
    word32Host,
    word64Host,
    floatHost,
    doubleHost,
  )
where

import Ashlar.Builder.Bytestring (toBytestringBuilder)
import Ashlar.Internal.Builder.Bytes
import Ashlar.Internal.Builder.Core (Builder, closed)
import Ashlar.Internal.Builder.Lazy
import Ashlar.Internal.Builder.Loops ()
import Ashlar.Internal.Builder.Numbers (scalar)
import Ashlar.Internal.Builder.Strict (prebuilt)
import Ashlar.Internal.Mem
import qualified Ashlar.Internal.Prim.Scalar as P
import Data.ByteString (ByteString)
import qualified Data.ByteString as S
import Data.ByteString.Builder.Extra (BufferWriter, Next (..))
import qualified Data.ByteString.Builder.Extra as B
import qualified Data.ByteString.Internal as B
import Data.ByteString.Lazy.Internal (defaultChunkSize, smallChunkSize)
import qualified Data.ByteString.Lazy.Internal as L
import Data.Int (Int16, Int32, Int64)
import Data.Word (Word16, Word32, Word64, Word8)
import Foreign.Ptr (Ptr, plusPtr)

-- | A builder as a function that fills a buffer, given by its address and size. It returns how many
-- bytes it has written, and what to do next. The types are bytestring's own.
--
-- Each function that it returns may be called more than once, and by several threads, as with
-- 'toBytestringBuilder'. A buffer smaller than it asked for makes it ask again.
--
-- A buffer of 4 bytes takes the first 4 of 17, and the next step asks for at least one byte:
--
-- >>> :set -XOverloadedStrings
-- >>> import Ashlar.Builder
-- >>> import Ashlar.Builder.Extra
-- >>> import Foreign (allocaBytes)
-- >>> let step = runBuilder (byteString "copied in batches")
-- >>> (n, next) <- allocaBytes 4 (\p -> step p 4)
-- >>> case next of { More least _ -> (n, least); _ -> (n, 0) }
-- (4,1)
runBuilder :: Builder -> BufferWriter
runBuilder b = B.runBuilder (toBytestringBuilder b)

-- Merging the small chunks of a lazy ByteString.
--
-- A lazy ByteString of many small chunks costs more than its bytes: each chunk takes some words,
-- and whatever is done for each chunk, such as a system call or a call of a compressor, is done
-- often. These functions merge small neighbours and leave large chunks as they are.
--
-- They work on the output of any builder, ours or another's. Our own lazy output has small chunks
-- only where a program asks for them, by flushing or inserting.

-- | The same bytes, with chunks of less than 4 KiB merged into chunks of up to 32 KiB.
--
-- >>> :set -XOverloadedStrings
-- >>> import Ashlar.Builder.Extra
-- >>> import qualified Data.ByteString.Lazy as L
-- >>> L.toChunks (defragment (L.fromChunks ["many", " ", "little", " ", "ones"]))
-- ["many little ones"]
defragment :: L.ByteString -> L.ByteString
defragment = defragmentWith 4096 32768

-- | The same bytes, with small chunks merged.
--
-- Chunks that are not small are shared with the input. So are small ones without a small neighbour
-- that fits. All others are copied once. If one of the sizes is not positive, nothing is merged. No
-- chunk of the result is empty.
--
-- The result is made as it is consumed, and the input may be infinite. A chunk of the result forces
-- only the input that it is made of, and at most one chunk more. If forcing the input throws, the
-- chunk of the result that would contain it throws.
defragmentWith ::
  -- | Chunks of fewer bytes are small.
  Int ->
  -- | The most bytes of a chunk that is made by merging.
  Int ->
  L.ByteString ->
  L.ByteString
defragmentWith least most = go
  where
    go L.Empty = L.Empty
    go input@(L.Chunk bs rest)
      | S.null bs = go rest
      | small bs = group (S.length bs) 1 input rest
      | otherwise = L.Chunk bs (go rest)

    small bs = S.length bs < least

    -- Collect small chunks: their bytes and their number so far, where they begin, and what
    -- follows. Empty chunks do not count.
    group :: Int -> Int -> L.ByteString -> L.ByteString -> L.ByteString
    group total count begin rest
      | total >= most = merged total count begin rest
      | otherwise = case rest of
        L.Chunk bs rest'
          | S.null bs -> group total count begin rest'
          -- No overflow: both are less than the largest Int.
          | small bs && S.length bs <= most - total ->
            group (total + S.length bs) (count + 1) begin rest'
        _ -> merged total count begin rest

    merged total count begin rest = L.Chunk whole (go rest)
      where
        whole = if count == 1 then firstOf begin else copied total begin

firstOf :: L.ByteString -> ByteString
firstOf (L.Chunk bs _) = bs
firstOf L.Empty = S.empty

-- The first @total@ bytes, which end with a chunk.
copied :: Int -> L.ByteString -> ByteString
copied total begin = B.unsafeCreate total (\p -> fill p total begin)

-- Copy the first @n@ bytes. It reads only their chunks, which have been forced, so nothing here can
-- throw.
fill :: Ptr Word8 -> Int -> L.ByteString -> IO ()
fill p n input
  | n <= 0 = pure ()
  | otherwise = case input of
    L.Empty -> pure ()
    L.Chunk bs rest -> do
      let len = S.length bs
      -- The chunks that remain to be copied have n bytes together, and n bytes are free.
      withBytesQuick bs (\src _ -> if len <= 16 then copyShort p src len else copyRange p src len)
      fill (p `plusPtr` len) (n - len) rest

{-# RULES
"word16Host" [2] forall x. word16Host x = scalar P.word16Host x
"word32Host" [2] forall x. word32Host x = scalar P.word32Host x
"word64Host" [2] forall x. word64Host x = scalar P.word64Host x
"wordHost" [2] forall x. wordHost x = scalar P.wordHost x
"int16Host" [2] forall x. int16Host x = scalar P.int16Host x
"int32Host" [2] forall x. int32Host x = scalar P.int32Host x
"int64Host" [2] forall x. int64Host x = scalar P.int64Host x
"intHost" [2] forall x. intHost x = scalar P.intHost x
"floatHost" [2] forall x. floatHost x = scalar P.floatHost x
"doubleHost" [2] forall x. doubleHost x = scalar P.doubleHost x
  #-}

-- | A number of 16 bits, in the byte order of this machine: 2 bytes.
word16Host :: Word16 -> Builder
word16Host x = closed (scalar P.word16Host x)
{-# NOINLINE word16Host #-}

-- | A number of 32 bits, in the byte order of this machine: 4 bytes.
word32Host :: Word32 -> Builder
word32Host x = closed (scalar P.word32Host x)
{-# NOINLINE word32Host #-}

-- | A number of 64 bits, in the byte order of this machine: 8 bytes.
word64Host :: Word64 -> Builder
word64Host x = closed (scalar P.word64Host x)
{-# NOINLINE word64Host #-}

-- | A number of this machine's word size, in the byte order of this machine.
wordHost :: Word -> Builder
wordHost x = closed (scalar P.wordHost x)
{-# NOINLINE wordHost #-}

-- | A number of 16 bits in two's complement, in the byte order of this machine: 2 bytes.
int16Host :: Int16 -> Builder
int16Host x = closed (scalar P.int16Host x)
{-# NOINLINE int16Host #-}

-- | A number of 32 bits in two's complement, in the byte order of this machine: 4 bytes.
int32Host :: Int32 -> Builder
int32Host x = closed (scalar P.int32Host x)
{-# NOINLINE int32Host #-}

-- | A number of 64 bits in two's complement, in the byte order of this machine: 8 bytes.
int64Host :: Int64 -> Builder
int64Host x = closed (scalar P.int64Host x)
{-# NOINLINE int64Host #-}

-- | A number in two's complement of this machine's word size, in the byte order of this machine.
intHost :: Int -> Builder
intHost x = closed (scalar P.intHost x)
{-# NOINLINE intHost #-}

-- | The 4 bytes of an IEEE 754 number, in the byte order of this machine. A NaN keeps its payload.
floatHost :: Float -> Builder
floatHost x = closed (scalar P.floatHost x)
{-# NOINLINE floatHost #-}

-- | The 8 bytes of an IEEE 754 number, in the byte order of this machine. A NaN keeps its payload.
doubleHost :: Double -> Builder
doubleHost x = closed (scalar P.doubleHost x)
{-# NOINLINE doubleHost #-}
