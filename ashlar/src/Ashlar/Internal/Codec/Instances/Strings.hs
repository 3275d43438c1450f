{-# OPTIONS_GHC -Wno-orphans #-}

-- |
-- Module      : Ashlar.Internal.Codec.Instances.Strings
-- Description : Formats of strings of bytes and of text
--
-- Each is a number of bytes and the bytes; text is in UTF-8.
module Ashlar.Internal.Codec.Instances.Strings () where

import Ashlar.Internal.Builder.Bytes
import Ashlar.Internal.Builder.Core
import Ashlar.Internal.Builder.Strings
import Ashlar.Internal.Codec.Class
import Ashlar.Internal.Codec.Fixed (getFixed)
import Ashlar.Internal.Codec.Length
import Ashlar.Internal.Get.Bytes
import Ashlar.Internal.Get.Strings
import Ashlar.Internal.Mem (pokeLE)
import Ashlar.Internal.Mem.Cells
import Ashlar.Internal.Prim.Text (bytesPerUnit, lengthUnits, utf8LengthOf, writeUtf8)
import qualified Data.ByteString as S
import qualified Data.ByteString.Lazy as L
import qualified Data.ByteString.Short as SBS
import qualified Data.Text as T
import qualified Data.Text.Lazy as TL
import Data.Word (Word64)
import Foreign.Ptr (minusPtr, plusPtr)

-- | The number of bytes, and the bytes. What is decoded is a slice of the input
-- where that was in one chunk, and keeps that chunk alive.
instance Codec S.ByteString where
  layout = Var lengthSize
  size bs = lengthSize + S.length bs
  put bs = append (putLength (S.length bs)) (byteString bs)
  get = getLength >>= getByteString

instance Counted S.ByteString where
  counted = S.length
  sizeCounted = S.length
  putCounted = byteString
  getCounted = getByteString

-- | As a strict one. What is decoded consists of slices of the input's chunks.
instance Codec L.ByteString where
  layout = Var lengthSize
  size bs = lengthSize + counted bs
  put bs = append (putLength (counted bs)) (lazyByteString bs)
  get = getLength >>= getCounted

instance Counted L.ByteString where
  counted bs = fromIntegral (L.length bs)
  sizeCounted = counted
  putCounted = lazyByteString
  getCounted n = getLazyByteString (fromIntegral n)

-- | As a strict 'S.ByteString'; a copy.
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

-- | The number of bytes in UTF-8, and these bytes, whatever the version of @text@
-- has in memory. Anything but UTF-8 is refused.
instance Codec T.Text where
  layout = Var lengthSize
  size t = lengthSize + utf8LengthOf t
  put = putText

  -- As 'getLength', but in line: records of texts are read faster (GHC 9.0.2).
  get = getFixed lengthFormat >>= getTextUtf8

-- Where there is room for the longest that the text can be, it is written before its
-- length, which is known then.
putText :: T.Text -> Builder
putText t = action $ \c k -> do
  p <- getPtr c cursorCell
  e <- getPtr c endCell
  if lengthSize + bytesPerUnit * lengthUnits t <= e `minusPtr` p
    then do
      -- No unit takes more bytes than bytesPerUnit.
      len <- writeUtf8 (p `plusPtr` lengthSize) t 0 (lengthUnits t)
      pokeLE p (fromIntegral len :: Word64)
      putPtr c cursorCell (p `plusPtr` (lengthSize + len))
    else runOn (append (putLength (utf8LengthOf t)) (textUtf8 t)) c k
{-# NOINLINE putText #-}

instance Counted T.Text where
  counted = utf8LengthOf
  sizeCounted = utf8LengthOf
  putCounted = textUtf8
  getCounted = getTextUtf8

-- | As a strict text.
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
lazyLength = TL.foldlChunks (\n t -> n + utf8LengthOf t) 0
