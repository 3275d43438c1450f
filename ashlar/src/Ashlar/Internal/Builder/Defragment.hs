-- |
-- Module      : Ashlar.Internal.Builder.Defragment
-- Description : Merging the small chunks of a lazy ByteString
--
-- A lazy ByteString of many small chunks costs more than its bytes: each chunk takes
-- some words of its own, and everything that is done for each chunk (a system call, a
-- call of a compressor) is done often. Here small neighbours are merged, and
-- large chunks are left as they are.
module Ashlar.Internal.Builder.Defragment
  ( defragment,
    defragmentWith,
  )
where

import Ashlar.Internal.Mem
import Data.ByteString (ByteString)
import qualified Data.ByteString as S
import qualified Data.ByteString.Internal as B
import qualified Data.ByteString.Lazy.Internal as L
import Data.Word (Word8)
import Foreign.Ptr (Ptr, plusPtr)

-- | The same bytes, where chunks of less than 4 KiB are merged into chunks of up to
-- 32 KiB.
--
-- >>> :set -XOverloadedStrings
-- >>> import Ashlar.Builder.Extra
-- >>> import qualified Data.ByteString.Lazy as L
-- >>> L.toChunks (defragment (L.fromChunks ["many", " ", "little", " ", "ones"]))
-- ["many little ones"]
--
-- @since 0.1.0.0
defragment :: L.ByteString -> L.ByteString
defragment = defragmentWith 4096 32768

-- | @defragmentWith least most@ merges chunks of less than @least@ bytes into
-- chunks of at most @most@ bytes.
--
-- A chunk of @least@ bytes and more is shared with the input, and so is a
-- smaller one that has no small neighbour, or none that fits. All others are copied once. The
-- result is made as it is consumed, and the input may be infinite: for each chunk of the
-- result, just the input is forced that it is made of, and at most one chunk
-- behind that. If forcing the input throws, so does the chunk of the result that it would
-- have gone into.
--
-- If @least@ or @most@ is not positive, nothing is merged. No chunk of the result is
-- empty.
--
-- @since 0.1.0.0
defragmentWith :: Int -> Int -> L.ByteString -> L.ByteString
defragmentWith least most = go
  where
    go L.Empty = L.Empty
    go input@(L.Chunk bs rest)
      | S.null bs = go rest
      | small bs = group (S.length bs) 1 input rest
      | otherwise = L.Chunk bs (go rest)

    small bs = S.length bs < least

    -- A group of small chunks, so many bytes and chunks up to now; where it begins; and what
    -- follows. Empty chunks do not count.
    group :: Int -> Int -> L.ByteString -> L.ByteString -> L.ByteString
    group total count begin rest
      | total >= most = merged total count begin rest
      | otherwise = case rest of
        L.Chunk bs rest'
          | S.null bs -> group total count begin rest'
          -- No overflow: both are less than the largest Int.
          | small bs && S.length bs <= most - total -> group (total + S.length bs) (count + 1) begin rest'
        _ -> merged total count begin rest

    merged total count begin rest = L.Chunk (if count == 1 then firstOf begin else copied total begin) (go rest)

-- The first chunk.
firstOf :: L.ByteString -> ByteString
firstOf (L.Chunk bs _) = bs
firstOf L.Empty = S.empty

-- The first so many bytes, which end with a chunk.
copied :: Int -> L.ByteString -> ByteString
copied total begin = B.unsafeCreate total (\p -> fill p total begin)

-- Copy the first so many bytes. Only their chunks are looked at, and these have been forced,
-- so nothing here can throw.
fill :: Ptr Word8 -> Int -> L.ByteString -> IO ()
fill p n input
  | n <= 0 = pure ()
  | otherwise = case input of
    L.Empty -> pure ()
    L.Chunk bs rest -> do
      let len = S.length bs
      -- The chunks that are copied have n bytes together, and so much room is left.
      withBytesQuick bs (\src _ -> if len <= 16 then copyShort p src len else copyRange p src len)
      fill (p `plusPtr` len) (n - len) rest
