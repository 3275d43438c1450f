-- |
-- Module      : Ashlar.Internal.Builder.Strict
-- Description : All of a builder's bytes in one strict value
--
-- One sink, 'growing', collects the bytes in memory. The drivers differ in what they make of them.
module Ashlar.Internal.Builder.Strict
  ( -- * Drivers
    toStrictByteString,
    toShortByteString,
    toByteArray,

    -- * Bytes that are kept
    prebuilt,

    -- * The sink
    Output (..),
    noOutput,
    growing,
    chunksUpTo,
  )
where

import Ashlar.Internal.Builder.Buffer
import Ashlar.Internal.Builder.Bytes (byteString)
import Ashlar.Internal.Builder.Core
import Ashlar.Internal.Mem
import Data.ByteString (ByteString)
import qualified Data.ByteString as S
import Data.ByteString.Short (ShortByteString)
import qualified Data.ByteString.Short.Internal as SBS
import Data.IORef (IORef, newIORef, readIORef, writeIORef)
import Data.Primitive.ByteArray
  ( ByteArray (..),
    newByteArray,
    shrinkMutableByteArray,
    unsafeFreezeByteArray,
  )
import Data.Word (Word8)
import Foreign.Ptr (Ptr, minusPtr, plusPtr)
import System.IO.Unsafe (unsafeDupablePerformIO)

-- | The bytes in one strict 'ByteString'.
--
-- Linear in the number of bytes. The buffer has 128 bytes at first, then 4 KiB, and doubles by
-- copying up to 64 KiB. Longer output is kept in chunks of 64 KiB, or as large as a builder announces,
-- and concatenated at the end. At most a quarter of the result's memory is
-- unused, or 128 bytes. If the builder is a single ByteString of 8 KiB or more, the result is that
-- ByteString.
--
-- @since 0.1.0.0
toStrictByteString :: Builder -> ByteString
toStrictByteString = collected $ \output p ->
  let end = written (outputOpen output) p
      result
        | not (inOneBuffer output) = S.concat (chunksUpTo p output)
        | wasteful output p = S.copy end
        | otherwise = end
   in pure $! result

-- | The same bytes, computed once and kept: for a constant that many outputs contain.
--
-- The builder runs when the result is first run or forced. It must not be infinite. If a value in
-- it throws, so does every output with it.
--
-- Give the result a name at top level that is not inlined. GHC would move it into the builder in
-- which it stands, and compute it in each run:
--
-- > header :: Builder
-- > header = prebuilt ("Server: " <> stringUtf8 name <> "\r\n")
-- > {-# NOINLINE header #-}
--
-- >>> prebuilt ("x = " <> intDec 7)
-- "x = 7"
--
-- @since 0.1.0.0
prebuilt :: Builder -> Builder
-- This lambda is not marked oneShot, so the bytes stay outside of it: Note [Builders run once].
prebuilt b = case toStrictByteString b of
  bytes -> Builder (\c k s -> case byteString bytes of Builder f -> f c k s)
{-# NOINLINE prebuilt #-}

-- | The bytes in a 'ShortByteString', as by 'toByteArray'.
--
-- >>> toShortByteString (word16BE 0x4142 <> "C")
-- "ABC"
--
-- @since 0.1.0.0
toShortByteString :: Builder -> ShortByteString
toShortByteString b = case toByteArray b of ByteArray bytes -> SBS.SBS bytes

-- | The bytes in a 'ByteArray' of their size.
--
-- Linear in the number of bytes, which are collected as by 'toStrictByteString' and then copied
-- once. The result is not pinned, so it does not fragment the heap. A result of 4 KiB or more,
-- which the garbage collector would not move in any case, is the buffer itself, if at most a
-- quarter of it is unused.
--
-- @since 0.1.0.0
toByteArray :: Builder -> ByteArray
toByteArray = collected $ \output p -> do
  let open = outputOpen output
      n = outputCount output `plusCount` (p `minusPtr` openFrom open)
  if inOneBuffer output && n >= largeObject && not (wasteful output p)
    then do
      -- The buffer was made for this run, and no part of it has been handed out.
      let array = bufferArray (openBuffer open)
      shrinkMutableByteArray array n
      unsafeFreezeByteArray array
    else do
      array <- if n < maxBound then newByteArray n else tooLong
      -- The chunks have n bytes together.
      gather array 0 (chunksUpTo p output)
      unsafeFreezeByteArray array
  where
    -- Copy the chunks to an array that has space for them, from an offset on.
    gather array off (bs : rest) = do
      withBytesQuick bs (copyToArray array off)
      gather array (off + S.length bs) rest
    gather _ _ [] = pure ()

-- GHC does not move objects of more than eight tenths of a block of 4 KiB.
largeObject :: Int
largeObject = 4096

-- Run a builder, and make something of its output and the address after its last byte.
collected :: (Output -> Ptr Word8 -> IO r) -> Builder -> r
collected use b =
  -- The dupable form is enough: two threads that both evaluate the result have buffers of their
  -- own.
  unsafeDupablePerformIO $ do
    first <- newOpen 128
    ref <- newIORef (Output [] 0 first)
    keepAlive ref $ do
      p <- runBuilderWith (growing ref) (wholeSpace first) b
      output <- readIORef ref
      use output p
{-# INLINE collected #-}

-- | The output so far. If there are no chunks, nothing of the open buffer has been handed out.
data Output = Output
  { -- | The chunks that are complete, the last first.
    outputChunks :: ![ByteString],
    -- | The number of their bytes, by 'plusCount'.
    outputCount :: !Int,
    outputOpen :: !Open
  }

-- | No output yet. The first request allocates the buffer, because it may tell how much is needed.
noOutput :: Output
noOutput = Output [] 0 noBuffer

-- | All chunks in order, the last of them up to this address in the open buffer, which must not be
-- written any more.
chunksUpTo :: Ptr Word8 -> Output -> [ByteString]
chunksUpTo p (Output chunks _ open) = reverse (written open p : chunks)

-- All bytes are in the open buffer.
inOneBuffer :: Output -> Bool
inOneBuffer = null . outputChunks

-- More than a quarter of the open buffer, and more than 128 bytes, lie after this address.
wasteful :: Output -> Ptr Word8 -> Bool
wasteful (Output _ _ open) p = slack > 128 && slack > openSize open `quot` 4
  where
    slack = freeBytes (restFrom open p)

-- Note [Growing]
-- ~~~~~~~~~~~~~~
-- The first buffer is allocated before the builder runs, and is not trimmed. Asking for it at the
-- first write, and copying the result to its size, takes more than twice as long for one number.
-- Growing to 1 KiB instead of 4 KiB, or by a factor of 4, changes nothing.
--
-- A buffer with at most 32 KiB in it is copied into a larger one. A larger one is left as it is,
-- and the chunks are concatenated at the end. So each byte is copied once. Doubling copies it once
-- or twice, and often once more to trim the result.
--
-- Also tried: realloc, which moves the pages of a huge buffer instead of copying it. It is faster
-- at
-- 100 MB, but several times slower between 64 KB and 1 MB, where most outputs are.
regrownTo :: Int
regrownTo = 65536

-- | The sink that collects the output in memory.
growing :: IORef Output -> Sink
growing ref = Sink $ \request p -> do
  output <- readIORef ref
  case request of
    Flush -> pure (restFrom (outputOpen output) p)
    -- The rest of the open buffer stays in use.
    Insert bs -> restFrom (outputOpen output) p <$ writeIORef ref (insert bs (cut p output))
    More n wanted -> enlarged ref output p n wanted

-- What was written up to this address becomes a chunk.
cut :: Ptr Word8 -> Output -> Output
cut p output@(Output chunks count open)
  | p == openFrom open = output
  | otherwise =
    Output
      (written open p : chunks)
      (count `plusCount` (p `minusPtr` openFrom open))
      (handedOut open p)

insert :: ByteString -> Output -> Output
insert bs (Output chunks count open) = Output (bs : chunks) (count `plusCount` S.length bs) open

-- The sum of two numbers of bytes, or 'maxBound' if it is larger. The same ByteString may be inserted
-- again and again, so on 32 bits there can be more bytes than memory holds.
plusCount :: Int -> Int -> Int
plusCount m n = if n > maxBound - m then maxBound else m + n

tooLong :: a
tooLong = errorWithoutStackTrace "Ashlar.Builder: the bytes are too many for an array"
{-# NOINLINE tooLong #-}

enlarged :: IORef Output -> Output -> Ptr Word8 -> Int -> Int -> IO FreeSpace
enlarged ref output@(Output chunks _ open) p n wanted
  | null chunks && used <= regrownTo `quot` 2 = do
    new <- newOpen (max (used + wanted) sizeAfter)
    -- Both hold the used bytes; the old one stays alive until replaced.
    copyRange (openFrom new) (openFrom open) used
    writeIORef ref (Output [] 0 new)
    pure (restFrom new (openFrom new `plusPtr` used))
  | otherwise = do
    let Output chunks' count _ = cut p output
    new <- newOpen (max wanted (max 4096 (min regrownTo count)))
    writeIORef ref (Output chunks' count new)
    pure (wholeSpace new)
  where
    size = openSize open
    used = p `minusPtr` openFrom open
    sizeAfter
      | wanted > n = 2 * size
      | otherwise = max 4096 (2 * size)
