{-# LANGUAGE BangPatterns #-}
{-# LANGUAGE Trustworthy #-}

-- |
-- Module      : Ashlar.Builder.Base64
-- Description : Bytes in Base64
--
-- Base64 (RFC 4648): four characters for three bytes. There are two alphabets, whose last two
-- characters are @+@ and @/@, or @-@ and @_@ for URLs and names of files. Padding with @=@ fills up
-- the last group of four. "Ashlar.Get.Base64" reads all of them.
--
-- >>> import Ashlar.Builder.Base64
-- >>> toStrictByteString ("Basic " <> byteStringBase64 "user:password")
-- "Basic dXNlcjpwYXNzd29yZA=="
--
-- Many groups are converted at once. A builder writes them directly into the buffer.
module Ashlar.Builder.Base64
  ( -- * Builders
    byteStringBase64,
    byteStringBase64Unpadded,
    byteStringBase64Url,
    byteStringBase64UrlUnpadded,

    -- * Builders for lazy ByteStrings
    lazyByteStringBase64,
    lazyByteStringBase64Unpadded,
    lazyByteStringBase64Url,
    lazyByteStringBase64UrlUnpadded,

    -- * In memory
    encodeBase64,
    encodeBase64Unpadded,
    encodeBase64Url,
    encodeBase64UrlUnpadded,

    -- * Chunk by chunk
    encodeBase64Lazy,
    encodeBase64UnpaddedLazy,
    encodeBase64UrlLazy,
    encodeBase64UrlUnpaddedLazy,
  )
where

import Ashlar.Internal.Builder.Bytes (eachFits, inBatches)
import Ashlar.Internal.Builder.Core
import Ashlar.Internal.Mem
import Ashlar.Internal.Mem.Check (unsafeDrop, unsafeTake)
import Ashlar.Internal.Prim.Base64
import Data.ByteString (ByteString)
import qualified Data.ByteString as S
import qualified Data.ByteString.Internal as S
import qualified Data.ByteString.Lazy as L
import qualified Data.ByteString.Lazy.Internal as L
import Data.Word (Word8)
import Foreign.Ptr (Ptr, plusPtr)

-- | The bytes of a strict 'ByteString' in Base64, with padding.
--
-- >>> toStrictByteString (byteStringBase64 "Hello")
-- "SGVsbG8="
byteStringBase64 :: ByteString -> Builder
byteStringBase64 = inBase64 (Variant Standard True)

-- | 'byteStringBase64' without padding.
byteStringBase64Unpadded :: ByteString -> Builder
byteStringBase64Unpadded = inBase64 (Variant Standard False)

-- | The bytes of a strict 'ByteString' in Base64 for URLs and names of files, with padding.
--
-- >>> toStrictByteString (byteStringBase64Url "\xFB\xFF")
-- "-_8="
byteStringBase64Url :: ByteString -> Builder
byteStringBase64Url = inBase64 (Variant ForUrls True)

-- | 'byteStringBase64Url' without padding, as in JSON Web Tokens.
--
-- >>> toStrictByteString (byteStringBase64UrlUnpadded "\xFB\xFF")
-- "-_8"
byteStringBase64UrlUnpadded :: ByteString -> Builder
byteStringBase64UrlUnpadded = inBase64 (Variant ForUrls False)

-- | The bytes of a lazy 'L.ByteString' in Base64, with padding at the end. The output does not
-- depend on where the chunks are cut. They are forced one by one, as the output gets there. The
-- output comes in full buffers, so its first chunk may need many chunks of input.
-- 'encodeBase64Lazy' makes one of each.
lazyByteStringBase64 :: L.ByteString -> Builder
lazyByteStringBase64 = lazyInBase64 (Variant Standard True)

-- | 'lazyByteStringBase64' without padding.
lazyByteStringBase64Unpadded :: L.ByteString -> Builder
lazyByteStringBase64Unpadded = lazyInBase64 (Variant Standard False)

-- | 'lazyByteStringBase64' for URLs and names of files.
lazyByteStringBase64Url :: L.ByteString -> Builder
lazyByteStringBase64Url = lazyInBase64 (Variant ForUrls True)

-- | 'lazyByteStringBase64Url' without padding.
lazyByteStringBase64UrlUnpadded :: L.ByteString -> Builder
lazyByteStringBase64UrlUnpadded = lazyInBase64 (Variant ForUrls False)

inBase64 :: Variant -> ByteString -> Builder
inBase64 v bs = action $ \c k ->
  inBatches c k groups 4 (\left -> 4 * min mostGroups left) (eachFits mostGroups groups 4) $
    \p off count -> withBytesQuick bs $ \src n ->
      -- All groups but the last are whole. Four bytes are free for each.
      writeBase64 v p (src `plusPtr` (3 * off)) (min (3 * count) (n - 3 * off))
  where
    groups = groupsOf (S.length bs)

lazyInBase64 :: Variant -> L.ByteString -> Builder
lazyInBase64 v = foldGroups each (inBase64 v)
  where
    each group more rest = inBase64 v group `append` inBase64 v more `append` rest

-- A right fold over the chunks. Of each chunk that ends a group: this group, if it began in another
-- chunk, and the whole groups after it. At the end: the bytes that make no whole group.
foldGroups :: (ByteString -> ByteString -> r -> r) -> (ByteString -> r) -> L.ByteString -> r
foldGroups each end = go S.empty
  where
    -- At most two bytes are carried over.
    go !carried chunks = case chunks of
      L.Empty -> end carried
      L.Chunk bs rest
        | n < wanted -> go (carried <> bs) rest
        -- The wanted bytes are there, and the whole groups are among the bytes after them.
        | otherwise ->
          let after = unsafeDrop wanted bs
              whole = 3 * ((n - wanted) `quot` 3)
           in each
                (carried <> unsafeTake wanted bs)
                (unsafeTake whole after)
                (go (unsafeDrop whole after) rest)
        where
          n = S.length bs
          wanted = if S.null carried then 0 else 3 - S.length carried

-- | Base64 with padding, in memory of its size.
--
-- >>> encodeBase64 "Hello"
-- "SGVsbG8="
encodeBase64 :: ByteString -> ByteString
encodeBase64 = asBase64 (Variant Standard True)

-- | Base64 without padding.
encodeBase64Unpadded :: ByteString -> ByteString
encodeBase64Unpadded = asBase64 (Variant Standard False)

-- | Base64 for URLs and names of files, with padding.
encodeBase64Url :: ByteString -> ByteString
encodeBase64Url = asBase64 (Variant ForUrls True)

-- | Base64 for URLs and names of files, without padding.
encodeBase64UrlUnpadded :: ByteString -> ByteString
encodeBase64UrlUnpadded = asBase64 (Variant ForUrls False)

asBase64 :: Variant -> ByteString -> ByteString
asBase64 v bs = inMemory v (S.length bs) (writeAll v bs)

-- | Base64 with padding at the end. The output does not depend on where the chunks are cut.
--
-- Each chunk of input that ends a group makes a chunk of output before the next one is forced. (Up
-- to two bytes are carried over.)
--
-- >>> import qualified Data.ByteString.Lazy as L
-- >>> L.take 4 (encodeBase64Lazy ("Hello" <> undefined))
-- "SGVs"
encodeBase64Lazy :: L.ByteString -> L.ByteString
encodeBase64Lazy = lazyAsBase64 (Variant Standard True)

-- | 'encodeBase64Lazy' without padding.
encodeBase64UnpaddedLazy :: L.ByteString -> L.ByteString
encodeBase64UnpaddedLazy = lazyAsBase64 (Variant Standard False)

-- | 'encodeBase64Lazy' for URLs and names of files.
encodeBase64UrlLazy :: L.ByteString -> L.ByteString
encodeBase64UrlLazy = lazyAsBase64 (Variant ForUrls True)

-- | 'encodeBase64UrlLazy' without padding.
encodeBase64UrlUnpaddedLazy :: L.ByteString -> L.ByteString
encodeBase64UrlUnpaddedLazy = lazyAsBase64 (Variant ForUrls False)

lazyAsBase64 :: Variant -> L.ByteString -> L.ByteString
lazyAsBase64 v = foldGroups (\group more -> L.chunk (both group more)) (L.fromStrict . asBase64 v)
  where
    both group more =
      inMemory v (S.length group + S.length more) $ \p -> writeAll v group p >>= writeAll v more

-- Memory for n bytes in Base64, and a function that writes them.
inMemory :: Variant -> Int -> (Ptr Word8 -> IO (Ptr Word8)) -> ByteString
inMemory v n write = case base64Length v n of
  -- Four bytes are writable for each group, also for one that is not whole.
  Just len -> S.unsafeCreateUptoN (4 * groupsOf n) (\p -> len <$ write p)
  Nothing -> errorWithoutStackTrace "Ashlar.Builder.Base64: the result would be too long"

writeAll :: Variant -> ByteString -> Ptr Word8 -> IO (Ptr Word8)
writeAll v bs p = withBytesQuick bs (writeBase64 v p)
