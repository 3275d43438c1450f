{-# LANGUAGE DeriveTraversable #-}
{-# LANGUAGE DerivingStrategies #-}
{-# LANGUAGE ScopedTypeVariables #-}
{-# LANGUAGE Unsafe #-}

-- |
-- Module      : Ashlar.Codec.Unsafe
-- Description : Values as they are in memory, and values at an address
--
-- 'AsStorable' calls functions that can break memory: the methods of 'Storable'. 'fixedWrite' does
-- so if there are too few bytes at its address.
module Ashlar.Codec.Unsafe
  ( AsStorable (..),
    fixedWrite,
  )
where

import Ashlar.Internal.Builder.Bytes (byteString)
import Ashlar.Internal.Codec.Class
import Ashlar.Internal.Codec.Fixed (fixedWrite)
import Ashlar.Internal.Get.Bytes (getByteString)
import Ashlar.Internal.Get.Fail
import Ashlar.Internal.Mem (copyRange)
import qualified Data.ByteString as S
import qualified Data.ByteString.Unsafe as S
import Foreign.Marshal.Alloc (allocaBytesAligned)
import Foreign.Marshal.Utils (fillBytes)
import Foreign.Ptr (castPtr)
import Foreign.Storable (Storable (..))
import System.IO.Unsafe (unsafeDupablePerformIO)

-- | The bytes that 'Storable' has in memory, for C structures on this machine. They depend on the
-- machine. Gaps between fields are written as zeros.
--
-- Decoding writes the value again, and refuses it unless that gives the same bytes. So it refuses a
-- 'Bool' that is neither 0 nor 1, and a gap that is not zero.
--
-- Do not use it on untrusted input. The 'Storable' instance must write and read no more bytes than
-- it says, and must read valid values. That of 'Char' reads numbers above U+10FFFF. If its 'peek'
-- throws, so does decoding: that of 'Data.Ratio.Ratio' does if the denominator is 0.
--
-- >>> import Foreign.C.Types (CInt)
-- >>> decode (encode (AsStorable (7 :: CInt))) :: Either DecodeError (AsStorable CInt)
-- Right (AsStorable {getStorable = 7})
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

-- A value that nobody may force.
undefinedOf :: a
undefinedOf = errorWithoutStackTrace "Ashlar.Codec: sizeOf or alignment looked at its argument"

-- The memory is cleared first.
storableBytes :: Storable a => AsStorable a -> S.ByteString
storableBytes (AsStorable x) = unsafeDupablePerformIO $
  allocaBytesAligned n (alignment x) $ \p -> do
    fillBytes p 0 n
    poke p x
    S.packCStringLen (castPtr p, n)
  where
    n = sizeOf x

-- The value of exactly the bytes of the type. They may not be aligned, so they are copied.
fromStorableBytes :: forall a. Storable a => S.ByteString -> AsStorable a
fromStorableBytes bs = unsafeDupablePerformIO $
  allocaBytesAligned (S.length bs) (alignment (undefinedOf :: a)) $ \p -> do
    S.unsafeUseAsCStringLen bs (\(src, n) -> copyRange (castPtr p) (castPtr src) n)
    AsStorable <$> peek p
