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

import Ashlar.Internal.Builder.Core
import Ashlar.Internal.Codec.Class
import Ashlar.Internal.Codec.Fixed
import Ashlar.Internal.Codec.Instances.Base ()
import Ashlar.Internal.Codec.Length
import Ashlar.Internal.Get.Bytes (getByteString)
import Ashlar.Internal.Get.Refuse
import Ashlar.Internal.Mem (pokeLE)
import Data.Bits (unsafeShiftR, (.&.))
import qualified Data.ByteString as S
import qualified Data.ByteString.Unsafe as S
import Data.Char (ord)
import qualified Data.Text as T
import qualified Data.Text.Encoding as T
import Data.Word (Word16, Word8)
import Foreign.Ptr (plusPtr)

-- | Text in UTF-16: the number of units of 16 bits, and the units, least significant byte first.
-- Decoding refuses unpaired surrogates. @store@ writes this format on a little-endian machine, with
-- @text@ before version 2.
--
-- >>> encode (UTF16 "a")
-- "\SOH\NUL\NUL\NUL\NUL\NUL\NUL\NULa\NUL"
--
-- @since 0.1.0.0
newtype UTF16 = UTF16 {getUTF16 :: T.Text}
  deriving stock (Eq, Ord, Show)

instance Codec UTF16 where
  layout = Var lengthSize
  size (UTF16 t) = lengthSize + 2 * utf16Length t
  put (UTF16 t) =
    append (putLength (utf16Length t)) (T.foldr (\c rest -> append (utf16Char c) rest) empty t)
  get = getLength >>= \n -> UTF16 <$> refine utf16Text (units n)
    where
      units n
        | n > maxBound `quot` 2 = invalid "a length that does not fit"
        | otherwise = getByteString (2 * n)

utf16Length :: T.Text -> Int
utf16Length = T.foldl' (\n c -> if c < '\x10000' then n + 1 else n + 2) 0

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

-- The text of an even number of bytes.
utf16Text :: S.ByteString -> Either String T.Text
utf16Text bs
  | paired 0 = Right $! T.decodeUtf16LE bs
  | otherwise = Left "invalid UTF-16"
  where
    paired i
      | i >= S.length bs = True
      | isHalf 0xD8 i = i + 2 < S.length bs && isHalf 0xDC (i + 2) && paired (i + 4)
      | otherwise = not (isHalf 0xDC i) && paired (i + 2)
    -- The index is even and less than the length, which is even, too. So the next byte exists.
    isHalf :: Word8 -> Int -> Bool
    isHalf high i = S.unsafeIndex bs (i + 1) .&. 0xFC == high

-- | A character that is not a surrogate: decoding refuses surrogates. The instance of 'Char' allows
-- them, because GHC's file names contain them.
--
-- @since 0.1.0.0
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
