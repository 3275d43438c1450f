{-# OPTIONS_GHC -Wno-orphans #-}

-- |
-- Module      : Ashlar.Internal.Codec.Instances.Strings
-- Description : Formats of strings of bytes and of text
--
-- Each is the number of bytes, and the bytes. Text is in UTF-8.
module Ashlar.Internal.Codec.Instances.Strings () where

import Ashlar.Internal.Builder.Batches
import Ashlar.Internal.Builder.Bytes
import Ashlar.Internal.Builder.Core (Builder, append)
import Ashlar.Internal.Builder.Strings
import Ashlar.Internal.Codec.Class
import Ashlar.Internal.Codec.Fixed (getFixed)
import Ashlar.Internal.Codec.Length
import Ashlar.Internal.Codec.Varint
import Ashlar.Internal.Get.Bytes
import Ashlar.Internal.Get.Strings
import Ashlar.Internal.Mem (maxForeignCopy, pokeLE)
import Ashlar.Internal.Prim.Text (bytesPerUnit, lengthUnits, utf8LengthOf, writeUtf8)
import Ashlar.Internal.Prim.Varint.Groups (writeUnsigned64)
import Data.Bits (unsafeShiftR, (.|.))
import qualified Data.ByteString as S
import qualified Data.ByteString.Lazy as L
import qualified Data.ByteString.Short as SBS
import qualified Data.Text as T
import qualified Data.Text.Lazy as TL
import Data.Word (Word64, Word8)
import Foreign.Marshal.Utils (moveBytes)
import Foreign.Ptr (plusPtr)

-- | The number of bytes, and the bytes. Decoding returns a slice of the input if the bytes are in
-- one chunk. The slice keeps that chunk alive: 'Ashlar.Codec.Wrappers.Copied' does not.
instance Codec S.ByteString where
  layout = Var lengthSize
  size bs = lengthSize + S.length bs
  put bs = append (putLength (S.length bs)) (chunk bs)
  get = getLength >>= getByteString

instance Counted S.ByteString where
  counted = S.length
  sizeCounted = S.length
  putCounted = chunk
  getCounted = getByteString

-- | As a strict 'S.ByteString'. Decoding returns slices of the input's chunks, which it keeps
-- alive.
instance Codec L.ByteString where
  layout = Var lengthSize
  size bs = lengthSize + counted bs
  put bs = append (putLength (counted bs)) (lazyByteString bs)
  get = getLength >>= getCounted

instance Counted L.ByteString where
  counted bs = announced (L.length bs)
  sizeCounted = counted
  putCounted = lazyByteString
  getCounted n = getLazyByteString (fromIntegral n)

-- | As a strict 'S.ByteString'. Decoding copies the bytes.
instance Codec SBS.ShortByteString where
  layout = Var lengthSize
  size bs = lengthSize + SBS.length bs
  put bs = append (putLength (SBS.length bs)) (shortByteString bs)
  get = getLength >>= getCounted

instance Counted SBS.ShortByteString where
  counted = SBS.length
  sizeCounted = SBS.length
  putCounted = shortByteString
  getCounted = getShortByteString

-- | The number of bytes in UTF-8, and these bytes, with every version of @text@. Decoding refuses
-- invalid UTF-8.
instance Codec T.Text where
  layout = Var lengthSize
  size t = lengthSize + utf8LengthOf t
  put = putText

  -- 'getLength' inlined, which makes records of texts faster to read.
  get = getFixed lengthFormat >>= getTextUtf8

-- If the free space holds the longest encoding of the text, one pass writes the text, and then its
-- length in front of it.
putText :: T.Text -> Builder
putText t = atOnceOr longer lengthSize fits $ \p -> do
  -- No unit takes more bytes than bytesPerUnit. (Their product could overflow on 32 bits.)
  len <- writeUtf8 (p `plusPtr` lengthSize) t 0 (lengthUnits t)
  pokeLE p (fromIntegral len :: Word64)
  pure (p `plusPtr` (lengthSize + len))
  where
    longer = append (putLength (utf8LengthOf t)) (textUtf8 t)
    fits free = lengthUnits t <= free `quot` bytesPerUnit
{-# NOINLINE putText #-}

instance Counted T.Text where
  counted = utf8LengthOf
  sizeCounted = utf8LengthOf
  putCounted = textUtf8

  -- Where a unit is a byte, the number of bytes is known, and two builders do the same.
  putCompact t
    | bytesPerUnit == 1 = putCompactDefault t
    | otherwise = putCompactText t
  getCounted = getTextUtf8

-- As 'putText', with a length whose own size is not known before. It is written as if the text were
-- ASCII. If it is not, the length is written once more, and the text moved if the two lengths do
-- not take the same number of bytes.
putCompactText :: T.Text -> Builder
putCompactText t = atOnceOr (putCompactDefault t) mostForLength fits $ \p -> do
  -- The longest length has free bytes, and so has the longest encoding after it.
  from <- writeUnsigned64 (fromIntegral n) p
  len <- writeUtf8 from t 0 n
  let width = varintSize (fromIntegral len)
  if len == n
    then pure ()
    else do
      let to = p `plusPtr` width
      if to == from then pure () else moveBytes to from len
      writeLength p len
  pure (p `plusPtr` (width + len))
  where
    n = lengthUnits t
    fits free = n <= min mostUnits (free `quot` bytesPerUnit)
    mostForLength = 10
    -- One foreign call moves at most three bytes for each: Note [Foreign copies] in
    -- "Ashlar.Internal.Mem".
    mostUnits = maxForeignCopy `quot` 3
    -- No more bytes than the length has: the text follows.
    writeLength p len
      | len < 0x80 = pokeLE p (fromIntegral len :: Word8)
      | otherwise = do
        pokeLE p (fromIntegral len .|. 0x80 :: Word8)
        writeLength (p `plusPtr` 1) (len `unsafeShiftR` 7)
{-# NOINLINE putCompactText #-}

-- | As a strict 'T.Text'.
instance Codec TL.Text where
  layout = Var lengthSize
  size t = lengthSize + lazyLength t
  put t = append (putLength (lazyLength t)) (lazyTextUtf8 t)
  get = getLength >>= getCounted

instance Counted TL.Text where
  counted = lazyLength
  sizeCounted = lazyLength
  putCounted = lazyTextUtf8
  getCounted n = TL.fromStrict <$> getTextUtf8 n

lazyLength :: TL.Text -> Int
lazyLength = announced . TL.foldlChunks (\n t -> n + fromIntegral (utf8LengthOf t)) 0
