{-# LANGUAGE ScopedTypeVariables #-}
{-# OPTIONS_GHC -Wno-orphans #-}

-- |
-- Module      : Ashlar.Codec.Instances.Vector
-- Description : Formats of vectors
--
-- Each is a number of elements and the elements, whatever the kind of vector.
--
-- Note [Vectors copied whole]
-- ~~~~~~~~~~~~~~~~~~~~~~~~~~~
-- Storable and primitive vectors hold their elements in memory as the format
-- has them, if the element's format says so ('fixedPlain': numbers, on a
-- little-endian machine). Then a vector is written and read by copying.
--
-- A newtype may take the format from the type that it wraps (by
-- @deriving newtype Codec@), and have a 'S.Storable' or 'P.Prim' instance of its own.
-- So it is looked at, too: its size, on which safety depends, and whether it reads a
-- sample of bytes as the value that the format writes as these bytes. (Test "a
-- newtype with another layout in memory".)
module Ashlar.Codec.Instances.Vector () where

import Ashlar.Builder.Bytes
import Ashlar.Builder.Core
import Ashlar.Codec.Class
import Ashlar.Codec.Elements
import Ashlar.Codec.Format
import Ashlar.Codec.Length
import Ashlar.Get.Vectors
import qualified Data.ByteString.Internal as B
import Data.Primitive.ByteArray (copyByteArrayToPtr, newByteArray, readByteArray, writeByteArray)
import qualified Data.Primitive.Types as Prim
import qualified Data.Vector as V
import qualified Data.Vector.Generic as G
import qualified Data.Vector.Primitive as P
import qualified Data.Vector.Storable as S
import qualified Data.Vector.Unboxed as U
import Data.Word (Word8)
import Foreign.ForeignPtr (castForeignPtr)
import Foreign.Marshal.Alloc (allocaBytes)
import Foreign.Ptr (Ptr, castPtr)
import Foreign.Storable (peek, peekByteOff, pokeByteOff, sizeOf)
import System.IO.Unsafe (unsafeDupablePerformIO)

sizeVector :: forall v a. (G.Vector v a, Codec a) => v a -> Int
sizeVector v = sizeElements (layout :: Layout a) (G.length v) (G.foldl' (\n x -> n + size x) 0 v)
{-# INLINE sizeVector #-}

putVector :: (G.Vector v a, Codec a) => v a -> Builder
-- The number is between 0 and the length.
putVector v = putIndexed (G.length v) (G.unsafeIndexM v)
{-# INLINE putVector #-}

-- | The number of elements, and the elements.
instance Codec a => Codec (V.Vector a) where
  layout = Var lengthSize
  size = sizeVector
  put = putVector
  get = getVector
  {-# INLINE size #-}
  {-# INLINE put #-}
  {-# INLINE get #-}

-- | As a boxed vector.
instance (Codec a, U.Unbox a) => Codec (U.Vector a) where
  layout = Var lengthSize
  size = sizeVector
  put = putVector
  get = getVector
  {-# INLINE size #-}
  {-# INLINE put #-}
  {-# INLINE get #-}

-- | As a boxed vector; copied as memory where the element has the same bytes there.
instance (Codec a, S.Storable a) => Codec (S.Vector a) where
  layout = Var lengthSize
  size = sizeVector
  put v = case layout :: Layout a of
    Fix f | plainStorable f -> append (putLength (S.length v)) (byteString bytes)
      where
        bytes = case S.unsafeToForeignPtr0 v of
          (fp, n) -> B.fromForeignPtr (castForeignPtr fp) 0 (n * fixedSize f)
    _ -> putVector v
  get = case layout :: Layout a of
    -- Such elements are numbers, which take some bytes.
    Fix f | plainStorable f -> getLength >>= \n -> getStretches (fixedSize f) n (copyToStorable (fixedSize f))
    _ -> getVector
  {-# INLINE size #-}
  {-# INLINE put #-}
  {-# INLINE get #-}

-- | As a boxed vector; copied as memory where the element has the same bytes there.
instance (Codec a, P.Prim a) => Codec (P.Vector a) where
  layout = Var lengthSize
  size = sizeVector
  put v@(P.Vector start n arr) = case layout :: Layout a of
    Fix f | plainPrim f -> append (putLength n) $ action $ \c k ->
      copyPieces c k (n * fixedSize f) $ \p off len ->
        -- Offset and length stay within the vector, as copyPieces promises.
        copyByteArrayToPtr p arr (start * fixedSize f + off) len
    _ -> putVector v
  get = case layout :: Layout a of
    Fix f | plainPrim f -> getLength >>= \n -> getStretches (fixedSize f) n (copyToPrimitive (fixedSize f))
    _ -> getVector
  {-# INLINE size #-}
  {-# INLINE put #-}
  {-# INLINE get #-}

plainStorable :: S.Storable a => Fixed a -> Bool
plainStorable f =
  fixedPlain f && sizeOf (valueOf f) == fixedSize f && unsafeDupablePerformIO probe
  where
    -- Each buffer has as many bytes as both formats.
    probe = allocaBytes (fixedSize f) $ \p -> do
      pokeSample p (fixedSize f)
      peek (castPtr p) >>= writesSample f
{-# INLINE plainStorable #-}

plainPrim :: P.Prim a => Fixed a -> Bool
plainPrim f =
  fixedPlain f && Prim.sizeOf (valueOf f) == fixedSize f && unsafeDupablePerformIO probe
  where
    probe = do
      arr <- newByteArray (fixedSize f)
      mapM_ (\i -> writeByteArray arr i (sampleByte i)) [0 .. fixedSize f - 1]
      readByteArray arr 0 >>= writesSample f
{-# INLINE plainPrim #-}

-- A value that is not looked at.
valueOf :: Fixed a -> a
valueOf _ = errorWithoutStackTrace "Ashlar.Codec: sizeOf looked at its argument"

sampleByte :: Int -> Word8
sampleByte i = fromIntegral (i + 1)

pokeSample :: Ptr Word8 -> Int -> IO ()
pokeSample p n = mapM_ (\i -> pokeByteOff p i (sampleByte i)) [0 .. n - 1]

-- Does the format write this value as the sample?
writesSample :: Fixed a -> a -> IO Bool
writesSample f x = allocaBytes (fixedSize f) $ \p -> do
  fixedWrite f p x
  written <- mapM (peekByteOff p) [0 .. fixedSize f - 1]
  pure (written == map sampleByte [0 .. fixedSize f - 1])
