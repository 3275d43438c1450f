{-# LANGUAGE DerivingStrategies #-}
{-# LANGUAGE ScopedTypeVariables #-}

-- |
-- Module      : Ashlar.Internal.Codec.Wrappers.Strings
-- Description : Text and characters in other formats
module Ashlar.Internal.Codec.Wrappers.Strings
  ( UTF16 (..),
    ScalarValue (..),
  )
where

import Ashlar.Internal.Builder.Bytes
import Ashlar.Internal.Builder.Core
import Ashlar.Internal.Codec.Class
import Ashlar.Internal.Codec.Fixed
import Ashlar.Internal.Codec.Instances.Base ()
import Ashlar.Internal.Codec.Length
import Ashlar.Internal.Get.Core
import Ashlar.Internal.Get.Error
import Ashlar.Internal.Get.Fail
import Ashlar.Internal.Get.Failure (nothingFound)
import Ashlar.Internal.Get.Numbers (getByteString)
import Ashlar.Internal.Mem (pokeLE)
import Ashlar.Internal.Mem.Check (unsafeIndex)
import Ashlar.Internal.Prim.Text
import Data.Bits (unsafeShiftR, (.&.))
import qualified Data.ByteString as S
import Data.Char (ord)
import qualified Data.Text as T
import qualified Data.Text.Encoding as T
import Data.Word (Word16, Word64, Word8)
import Foreign.Ptr (plusPtr)
import GHC.ByteOrder (ByteOrder (..), targetByteOrder)

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
  layout = Var lengthSize
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
  Fix f -> fixedChecked getScalarValue check f
  Var _ -> errorWithoutStackTrace "Ashlar.Codec: characters have a constant size"
  where
    check c
      | c >= '\xD800' && c <= '\xDFFF' = Left "a surrogate"
      | otherwise = Right (ScalarValue c)
{-# INLINE fixedScalarValue #-}
