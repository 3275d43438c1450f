{-# LANGUAGE DerivingStrategies #-}
{-# LANGUAGE ScopedTypeVariables #-}
{-# OPTIONS_GHC -Wno-orphans #-}

-- |
-- Module      : Ashlar.Internal.Codec.Instances.Strings
-- Description : Formats of strings of bytes and of text, and of characters by wrappers
--
-- A string is its number of bytes, and the bytes. Text is in UTF-8. 'Copied' values do not keep the
-- input. 'UTF16' is the number of units and the units, and a 'ScalarValue' is a character.
module Ashlar.Internal.Codec.Instances.Strings
  ( Copied (..),
    Copyable (..),
    copyLazy,
    UTF16 (..),
    ScalarValue (..),
    scalarValue,
  )
where

import Ashlar.Internal.Builder.Bytes
import Ashlar.Internal.Builder.Core
import Ashlar.Internal.Builder.Strings
import Ashlar.Internal.Codec.Class
import Ashlar.Internal.Codec.Fixed
import Ashlar.Internal.Codec.Instances.Base ()
import Ashlar.Internal.Codec.Layouts
import Ashlar.Internal.Codec.Length
import Ashlar.Internal.Codec.Outline (Count (..))
import Ashlar.Internal.Get.Bytes (getByteString, getLazyByteString)
import Ashlar.Internal.Get.Core
import Ashlar.Internal.Get.Error
import Ashlar.Internal.Get.Fail
import Ashlar.Internal.Get.Failure (nothingFound)
import Ashlar.Internal.Get.Strings
import Ashlar.Internal.Mem (maxForeignCopy, pokeLE)
import Ashlar.Internal.Mem.Check (unsafeIndex)
import Ashlar.Internal.Prim.Text
import Ashlar.Internal.Prim.Varint.Groups (writeUnsigned64)
import Data.Bits (unsafeShiftR, (.&.), (.|.))
import qualified Data.ByteString as S
import qualified Data.ByteString.Lazy as L
import qualified Data.ByteString.Short as SBS
import Data.Char (ord)
import qualified Data.Text as T
import qualified Data.Text.Encoding as T
import qualified Data.Text.Lazy as TL
import Data.Word (Word16, Word64, Word8)
import Foreign.Marshal.Utils (moveBytes)
import Foreign.Ptr (plusPtr)
import GHC.ByteOrder (ByteOrder (..), targetByteOrder)

-- | The number of bytes, and the bytes. Decoding returns a slice of the input if the bytes are in
-- one chunk. The slice keeps that chunk alive: 'Ashlar.Codec.Wrappers.Copied' does not.
instance Codec S.ByteString where
  layout = bytesAfter lengthSize Length 1
  size = sizePrefixed
  put = putPrefixed
  get = getPrefixed

instance Counted S.ByteString where
  counted = S.length
  sizeCounted = S.length
  putCounted = chunk
  getCounted = getByteString

-- | As a strict 'S.ByteString'. Decoding returns slices of the input's chunks, which it keeps
-- alive.
instance Codec L.ByteString where
  layout = bytesAfter lengthSize Length 1
  size = sizePrefixed
  put = putPrefixed
  get = getPrefixed

instance Counted L.ByteString where
  counted bs = announced (L.length bs)
  sizeCounted = counted
  putCounted = lazyByteString
  getCounted n = getLazyByteString (fromIntegral n)

-- | As a strict 'S.ByteString'. Decoding copies the bytes.
instance Codec SBS.ShortByteString where
  layout = bytesAfter lengthSize Length 1
  size = sizePrefixed
  put = putPrefixed
  get = getPrefixed

instance Counted SBS.ShortByteString where
  counted = SBS.length
  sizeCounted = SBS.length
  putCounted = shortByteString
  getCounted = getShortByteString

-- | The number of bytes in UTF-8, and these bytes, with every version of @text@. Decoding refuses
-- invalid UTF-8.
instance Codec T.Text where
  layout = bytesAfter lengthSize Length 1
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
  layout = bytesAfter lengthSize Length 1
  size = sizePrefixed
  put = putPrefixed
  get = getPrefixed

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
  layout = bytesAfter lengthSize Length 1
  size (Copied x) = size x
  put (Copied x) = put x
  get = get >>= \x -> pure $! Copied (copyOf x)

instance Copyable a => Counted (Copied a) where
  counted (Copied x) = counted x
  sizeCounted (Copied x) = sizeCounted x
  putCounted (Copied x) = putCounted x
  getCounted n = getCounted n >>= \x -> pure $! Copied (copyOf x)

-- | Text in UTF-16: the number of units of 16 bits, and the units, least significant byte first.
-- Decoding refuses unpaired surrogates. @store@ writes this format on a little-endian machine, with
-- @text@ before version 2.
--
-- >>> encode (UTF16 "a")
-- "\SOH\NUL\NUL\NUL\NUL\NUL\NUL\NULa\NUL"
newtype UTF16 = UTF16 {getUTF16 :: T.Text}
  deriving stock (Eq, Ord, Show)

-- Note [UTF-16]
-- ~~~~~~~~~~~~~
-- Before version 2, @text@ has UTF-16 in memory. Then encoding is a copy, and decoding a copy and a
-- check for unpaired surrogates. From version 2 on, C code converts (@cbits/utf16.c@). The obvious
-- program, with a builder for each character and the decoder of @text@, takes several times as long
-- with either version. It still runs on machines with the most significant byte first, and for
-- texts of more units than one foreign call may take. (Benchmark "UTF16". The tests "UTF-16 of any
-- length" meet all limits.)
instance Codec UTF16 where
  layout = bytesAfter lengthSize Length 2
  size (UTF16 t) = lengthSize + 2 * utf16LengthOf t
  put (UTF16 t) = putUtf16 t
  get = getLength >>= \n -> UTF16 <$> getUtf16 n

-- If the free space holds the longest encoding of the text, one pass writes the text, and then its
-- length in front of it.
putUtf16 :: T.Text -> Builder
putUtf16 t = atOnceOr longer lengthSize fits $ \p -> do
  -- All units fit at once.
  bytes <- writeUtf16 (p `plusPtr` lengthSize) t 0 n
  pokeLE p (fromIntegral (bytes `quot` 2) :: Word64)
  pure (p `plusPtr` (lengthSize + bytes))
  where
    n = lengthUnits t
    longer = append (putLength (utf16LengthOf t)) (textUtf16 t)
    fits free = n <= free `quot` 2 && n <= maxForeignUnits && littleEndian
{-# NOINLINE putUtf16 #-}

-- Write the units, least significant byte first.
textUtf16 :: T.Text -> Builder
textUtf16 t
  | littleEndian = action $ \c k ->
    inBatches c k (lengthUnits t) 8 (\left -> max 8 (2 * left)) (utf16UnitsThatFit t) $ \p off n ->
      plusPtr p <$> writeUtf16 p t off n
  | otherwise = T.foldr (\x rest -> append (utf16Char x) rest) empty t

littleEndian :: Bool
littleEndian = case targetByteOrder of
  LittleEndian -> True
  BigEndian -> False
{-# INLINE littleEndian #-}

utf16Char :: Char -> Builder
utf16Char c = ensure 4 $ \p ->
  if n < 0x10000
    then (p `plusPtr` 2) <$ pokeLE p (fromIntegral n :: Word16)
    else do
      pokeLE p (fromIntegral (0xD7C0 + (n `unsafeShiftR` 10)) :: Word16)
      pokeLE (p `plusPtr` 2) (fromIntegral (0xDC00 + (n .&. 0x3FF)) :: Word16)
      pure (p `plusPtr` 4)
  where
    n = ord c

-- Read a text of n units.
getUtf16 :: Int -> Get T.Text
getUtf16 n
  | n > maxBound `quot` 2 = invalid "a length that does not fit"
  | n > 0 && n <= maxForeignUnits && littleEndian = consume (2 * n) $ \p ->
    effect (decodeUtf16At p n) >>= maybe (unpaired n) pure
  | otherwise = refine utf16Text (getByteString (2 * n))

-- Fail, with the cursor before n units.
unpaired :: Int -> Get a
unpaired n = do
  at <- here
  failWith (at + 2 * n) at nothingFound (Invalid invalidUtf16)
{-# NOINLINE unpaired #-}

invalidUtf16 :: String
invalidUtf16 = "invalid UTF-16"

-- The text of an even number of bytes.
utf16Text :: S.ByteString -> Either String T.Text
utf16Text bs
  | paired 0 = Right $! T.decodeUtf16LE bs
  | otherwise = Left invalidUtf16
  where
    paired i
      | i >= S.length bs = True
      | isHalf 0xD8 i = i + 2 < S.length bs && isHalf 0xDC (i + 2) && paired (i + 4)
      | otherwise = not (isHalf 0xDC i) && paired (i + 2)
    -- The index is even and less than the length, which is even, too. So the next byte exists.
    isHalf :: Word8 -> Int -> Bool
    isHalf high i = unsafeIndex bs (i + 1) .&. 0xFC == high

-- | A character that is not a surrogate: decoding refuses surrogates. The instance of 'Char' allows
-- them, because GHC's file names contain them.
newtype ScalarValue = ScalarValue {getScalarValue :: Char}
  deriving stock (Eq, Ord, Show)

instance Codec ScalarValue where
  layout = Fix fixedScalarValue
  size _ = fixedSize fixedScalarValue
  put = putFixed fixedScalarValue
  get = getFixed fixedScalarValue
  {-# INLINE layout #-}
  {-# INLINE size #-}
  {-# INLINE put #-}
  {-# INLINE get #-}

fixedScalarValue :: Fixed ScalarValue
fixedScalarValue = case layout of
  Fix f -> fixedChecked getScalarValue scalarValue f
  Var _ -> errorWithoutStackTrace "Ashlar.Codec: characters have a constant size"
{-# INLINE fixedScalarValue #-}

-- | A character, unless it is a surrogate.
scalarValue :: Char -> Either String ScalarValue
scalarValue c
  | c >= '\xD800' && c <= '\xDFFF' = Left "a surrogate"
  | otherwise = Right (ScalarValue c)
{-# INLINE scalarValue #-}
