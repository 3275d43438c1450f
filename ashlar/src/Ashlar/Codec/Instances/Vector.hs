{-# LANGUAGE RankNTypes #-}
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
module Ashlar.Codec.Instances.Vector () where

import Ashlar.Builder.Bytes
import Ashlar.Builder.Core
import Ashlar.Codec.Class
import Ashlar.Codec.Elements
import Ashlar.Codec.Fixed
import Ashlar.Codec.Length
import Ashlar.Get.Bytes (available)
import Ashlar.Get.Core
import Ashlar.Get.Mutable
import Ashlar.Mem (copyRange)
import Control.Monad.Primitive (unsafeIOToPrim)
import qualified Data.ByteString.Internal as B
import Data.Primitive.ByteArray (copyByteArrayToPtr)
import Data.Primitive.Ptr (copyPtrToMutableByteArray)
import qualified Data.Vector as V
import qualified Data.Vector.Generic as G
import qualified Data.Vector.Generic.Mutable as GM
import qualified Data.Vector.Primitive as P
import qualified Data.Vector.Primitive.Mutable as PM
import qualified Data.Vector.Storable as S
import qualified Data.Vector.Storable.Mutable as SM
import qualified Data.Vector.Unboxed as U
import Data.Word (Word8)
import Foreign.ForeignPtr (castForeignPtr)
import Foreign.ForeignPtr.Unsafe (unsafeForeignPtrToPtr)
import Foreign.Ptr (Ptr, castPtr)

sizeVector :: forall v a. (G.Vector v a, Codec a) => v a -> Int
sizeVector v = sizeElements (layout :: Layout a) (G.length v) (G.foldl' (\n x -> n + size x) 0 v)
{-# INLINE sizeVector #-}

putVector :: (G.Vector v a, Codec a) => v a -> Builder
-- The number is between 0 and the length.
putVector v = putIndexed (G.length v) (G.unsafeIndexM v)
{-# INLINE putVector #-}

instance Codec a => Codec (V.Vector a) where
  layout = Var lengthSize
  size = sizeVector
  put = putVector
  get = getVector
  {-# INLINE size #-}
  {-# INLINE put #-}
  {-# INLINE get #-}

instance (Codec a, U.Unbox a) => Codec (U.Vector a) where
  layout = Var lengthSize
  size = sizeVector
  put = putVector
  get = getVector
  {-# INLINE size #-}
  {-# INLINE put #-}
  {-# INLINE get #-}

instance (Codec a, S.Storable a) => Codec (S.Vector a) where
  layout = Var lengthSize
  size = sizeVector
  put v = case layout :: Layout a of
    Fix f | fixedPlain f -> append (putLength (S.length v)) (byteString bytes)
      where
        bytes = case S.unsafeToForeignPtr0 v of
          (fp, n) -> B.fromForeignPtr (castForeignPtr fp) 0 (n * fixedSize f)
    _ -> putVector v
  get = case layout :: Layout a of
    Fix f | fixedPlain f -> getCopied f $ \p i n v ->
      case SM.unsafeToForeignPtr0 (SM.unsafeSlice i n v) of
        -- The vector stays alive: it is returned in the end.
        (fp, _) -> unsafeIOToPrim (copyRange (castPtr (unsafeForeignPtrToPtr fp)) p (n * fixedSize f))
    _ -> getVector
  {-# INLINE size #-}
  {-# INLINE put #-}
  {-# INLINE get #-}

instance (Codec a, P.Prim a) => Codec (P.Vector a) where
  layout = Var lengthSize
  size = sizeVector
  put v@(P.Vector start n arr) = case layout :: Layout a of
    Fix f | fixedPlain f -> append (putLength n) $ action $ \c k ->
      copyPieces c k (n * fixedSize f) $ \p off len ->
        -- Offset and length stay within the vector, as copyPieces promises.
        copyByteArrayToPtr p arr (start * fixedSize f + off) len
    _ -> putVector v
  get = case layout :: Layout a of
    Fix f | fixedPlain f -> getCopied f $ \p i n v ->
      case PM.unsafeSlice i n v of
        PM.MVector start _ arr -> copyPtrToMutableByteArray arr start (castPtr p `asElementsOf` v) n
    _ -> getVector
  {-# INLINE size #-}
  {-# INLINE put #-}
  {-# INLINE get #-}

-- Read a vector by copying. The function is given an address where elements
-- lie, the number of the first of them in the vector, how many they are, and
-- the vector, which has room for them.
getCopied ::
  G.Vector v a =>
  Fixed a ->
  (forall s. Ptr Word8 -> Int -> Int -> G.Mutable v s a -> GetST s ()) ->
  Get (v a)
getCopied f copy = do
  n <- getLength
  first <- firstCapacity (fixedSize f) n
  runGetST (GM.unsafeNew first >>= fill n 0)
  where
    fill n i v
      | i >= n = G.unsafeFreeze v
      | i >= GM.length v = GM.unsafeGrow v (growthOf n i) >>= fill n i
      | otherwise = do
          bytes <- liftGet available
          -- One element at least: where it lies in two chunks, it is brought
          -- together.
          let m = max 1 (min (GM.length v - i) (bytes `quot` fixedSize f))
          consumeST (m * fixedSize f) (\p -> copy p i m v)
          fill n (i + m) v
{-# INLINE getCopied #-}

asElementsOf :: Ptr a -> v a -> Ptr a
asElementsOf p _ = p
