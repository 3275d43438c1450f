{-# LANGUAGE DeriveTraversable #-}
{-# LANGUAGE DerivingStrategies #-}
{-# LANGUAGE ScopedTypeVariables #-}

-- |
-- Module      : Ashlar.Internal.Codec.Wrappers.Strings
-- Description : Text, characters and memory in other formats
module Ashlar.Internal.Codec.Wrappers.Strings
  ( UTF16 (..),
    ScalarValue (..),
    AsStorable (..),
  )
where

import Ashlar.Internal.Builder.Bytes (byteString)
import Ashlar.Internal.Builder.Core
import Ashlar.Internal.Codec.Class
import Ashlar.Internal.Codec.Fixed
import Ashlar.Internal.Codec.Instances.Base ()
import Ashlar.Internal.Codec.Length
import Ashlar.Internal.Get.Bytes (getByteString)
import Ashlar.Internal.Get.Refuse
import Ashlar.Internal.Mem (copyRange, pokeLE)
import Data.Bits (unsafeShiftR, (.&.))
import qualified Data.ByteString as S
import qualified Data.ByteString.Internal as B
import qualified Data.ByteString.Unsafe as S
import Data.Char (ord)
import qualified Data.Text as T
import qualified Data.Text.Encoding as T
import Data.Word (Word16, Word8)
import Foreign.Marshal.Alloc (allocaBytesAligned)
import Foreign.Marshal.Utils (fillBytes)
import Foreign.Ptr (castPtr, plusPtr)
import Foreign.Storable (Storable (..))
import System.IO.Unsafe (unsafeDupablePerformIO)

-- | Text in UTF-16, as @store@ writes it with @text@ before version 2, on a
-- little-endian machine: the number of units of 16 bits, and these, least significant
-- byte first. Surrogates that are not in pairs are refused.
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
  put (UTF16 t) = append (putLength (utf16Length t)) (T.foldr (\c rest -> append (utf16Char c) rest) empty t)
  get = getLength >>= \n -> UTF16 <$> refine utf16Text (if n > maxBound `quot` 2 then invalid "a length that does not fit" else getByteString (2 * n))

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

-- A text from an even number of bytes.
utf16Text :: S.ByteString -> Either String T.Text
utf16Text bs
  | paired 0 = Right $! T.decodeUtf16LE bs
  | otherwise = Left "invalid UTF-16"
  where
    paired i
      | i >= S.length bs = True
      | isHalf 0xD8 i = i + 2 < S.length bs && isHalf 0xDC (i + 2) && paired (i + 4)
      | otherwise = not (isHalf 0xDC i) && paired (i + 2)
    -- The unit at an even index, which is less than the length, which is even.
    isHalf :: Word8 -> Int -> Bool
    isHalf high i = S.unsafeIndex bs (i + 1) .&. 0xFC == high

-- | A character that is not a surrogate: reading one is refused. (Those of a plain
-- 'Char' are not, because GHC's file names contain them.)
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

-- | The bytes that 'Storable' has in memory, for the structures of C on this machine.
-- They depend on the machine; gaps between fields are written as zeros.
--
-- What is read is written again to see whether that gives the same bytes; if not, it is
-- refused. So a 'Bool' that is neither 0 nor 1, or a gap that is not zero, does not come in.
--
-- The 'Storable' instance is trusted: to write and to read no more bytes than it says,
-- and to read valid values. (That of 'Char' reads numbers above U+10FFFF.) So this is not
-- for input from strangers.
--
-- @since 0.1.0.0
newtype AsStorable a = AsStorable {getStorable :: a}
  deriving stock (Eq, Ord, Show, Functor, Foldable, Traversable)

instance Storable a => Codec (AsStorable a) where
  layout = Var (sizeOf (undefinedOf :: a))
  size _ = sizeOf (undefinedOf :: a)
  put x = byteString (storableBytes x)
  get = refine check (getByteString (sizeOf (undefinedOf :: a)))
    where
      check bs
        | storableBytes x == bs = Right x
        | otherwise = Left "bytes that are not those of a value in memory"
        where
          x = fromStorableBytes bs

-- A value that is not looked at.
undefinedOf :: a
undefinedOf = errorWithoutStackTrace "Ashlar.Codec: sizeOf or alignment looked at its argument"

-- The memory is aligned for any type, and cleared first.
storableBytes :: Storable a => AsStorable a -> S.ByteString
storableBytes (AsStorable x) = B.unsafeCreate (sizeOf x) $ \p -> do
  fillBytes p 0 (sizeOf x)
  poke (castPtr p) x

-- From as many bytes as the type has. A copy, because they may not be aligned.
fromStorableBytes :: forall a. Storable a => S.ByteString -> AsStorable a
fromStorableBytes bs = unsafeDupablePerformIO $
  allocaBytesAligned (S.length bs) (alignment (undefinedOf :: a)) $ \p -> do
    S.unsafeUseAsCStringLen bs (\(src, n) -> copyRange (castPtr p) (castPtr src) n)
    AsStorable <$> peek p
