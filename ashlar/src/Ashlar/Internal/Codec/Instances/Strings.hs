{-# LANGUAGE DerivingStrategies #-}
{-# LANGUAGE ScopedTypeVariables #-}
{-# OPTIONS_GHC -Wno-orphans #-}

-- |
-- Module      : Ashlar.Internal.Codec.Instances.Strings
-- Description : Formats of strings of bytes and of text, also those that do not keep the input
--
-- Each is the number of bytes, and the bytes. Text is in UTF-8.
module Ashlar.Internal.Codec.Instances.Strings
  ( Copied (..),
    Copyable (..),
    copyLazy,
  )
where

import Ashlar.Internal.Builder.Bytes
import Ashlar.Internal.Builder.Core (Builder, append)
import Ashlar.Internal.Builder.Strings
import Ashlar.Internal.Codec.Class
import Ashlar.Internal.Codec.Fixed (getFixed)
import Ashlar.Internal.Codec.Length
import Ashlar.Internal.Get.Core ()
import Ashlar.Internal.Get.Numbers (getByteString, getLazyByteString)
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

  -- This is 'getLength', inlined. It makes records of texts faster to read.
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

-- As 'putText', with the length as a varint, whose size depends on the text. First it writes the
-- length that the text has if it is ASCII. If that turns out wrong, it writes the length again, and
-- moves the text if the two lengths do not take the same number of bytes.
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
    -- One foreign call moves the text, at most three bytes for each unit: Note [Foreign copies] in
    -- "Ashlar.Internal.Mem".
    mostUnits = maxForeignCopy `quot` 3
    -- Writes no byte after the length: there is the text.
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

-- ByteStrings that do not keep the input alive.
--
-- Note [Slices and copies]
-- ~~~~~~~~~~~~~~~~~~~~~~~~
-- A ByteString is decoded as a slice of its chunk. A copy takes 2.6 times as long as a slice for 20
-- or 100 bytes, and 12 times for 1,000 bytes (GHC 9.0.2, a list of them). A rule that copied what
-- is much smaller than its chunk would slow down the decoding of all strings of a large file, which
-- is where slices pay. And only the program knows whether it keeps one key of a record or all of
-- it. (Tests "what a decoded string keeps alive".)

-- | A ByteString that is copied when it is decoded, so that it does not keep the input's memory
-- alive. It has the format of the ByteString.
--
-- Use it for what outlives the rest of its input by far: the key of a large record, say. A copy
-- takes more time than a slice. @ShortByteString@ and @Text@ are copies anyway.
--
-- >>> import Data.ByteString (ByteString)
-- >>> encode (Copied ("ab" :: ByteString))
-- "\STX\NUL\NUL\NUL\NUL\NUL\NUL\NULab"
-- >>> decode "\STX\NUL\NUL\NUL\NUL\NUL\NUL\NULab" :: Either DecodeError (Copied ByteString)
-- Right (Copied {getCopied = "ab"})
newtype Copied a = Copied {getCopied :: a}
  deriving stock (Eq, Ord, Show)

-- | Strict and lazy ByteStrings.
class (Codec a, Counted a) => Copyable a where
  -- | The same bytes in memory of their own.
  copyOf :: a -> a

instance Copyable S.ByteString where
  copyOf = S.copy

instance Copyable L.ByteString where
  copyOf = copyLazy

-- | The same bytes in one chunk of their own.
copyLazy :: L.ByteString -> L.ByteString
copyLazy lbs = case L.toChunks lbs of
  [bs] -> L.fromStrict (S.copy bs)
  _ -> L.fromStrict (L.toStrict lbs)

instance Copyable a => Codec (Copied a) where
  layout = Var (leastSize (layout :: Layout a))
  size (Copied x) = size x
  put (Copied x) = put x
  get = get >>= \x -> pure $! Copied (copyOf x)

instance Copyable a => Counted (Copied a) where
  counted (Copied x) = counted x
  sizeCounted (Copied x) = sizeCounted x
  putCounted (Copied x) = putCounted x
  getCounted n = getCounted n >>= \x -> pure $! Copied (copyOf x)
