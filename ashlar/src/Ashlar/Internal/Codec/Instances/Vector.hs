{-# LANGUAGE MagicHash #-}
{-# LANGUAGE ScopedTypeVariables #-}
{-# LANGUAGE TypeApplications #-}
{-# OPTIONS_GHC -Wno-orphans #-}

-- |
-- Module      : Ashlar.Internal.Codec.Instances.Vector
-- Description : Formats of vectors
--
-- Each kind of vector is the number of elements, and the elements.
--
-- Note [Vectors copied whole]
-- ~~~~~~~~~~~~~~~~~~~~~~~~~~~
-- If the element's format says so ('fixedPlain': numbers, on a little-endian machine), storable and
-- primitive vectors have the bytes of the format in memory. Such vectors are written and read by
-- copying.
--
-- A newtype may take its format from the type that it wraps, by @deriving newtype Codec@, and have
-- a 'S.Storable' or 'P.Prim' instance of its own. So that instance is checked, too: its size, on
-- which safety depends, and whether it reads a sample of bytes as a value that the format writes as
-- the same bytes. (Test "a newtype with another layout in memory".)
--
-- The answer depends on the type alone, and the sample takes longer than copying a short vector. So
-- 'plainStorable' and 'plainPrim' get no value, and are not inlined: where the type is known, GHC
-- makes their call a constant of the program. GHC 9.10 does not in a derived decoder, so rules
-- answer for numbers. (Allocation tests "a storable vector: its bytes, and no sample of its memory"
-- and "records with an unboxed vector".)
module Ashlar.Internal.Codec.Instances.Vector () where

import Ashlar.Internal.Builder.Bytes
import Ashlar.Internal.Builder.Core
import Ashlar.Internal.Codec.Class
import Ashlar.Internal.Codec.Elements
import Ashlar.Internal.Codec.Fixed
import Ashlar.Internal.Codec.Layouts
import Ashlar.Internal.Codec.Length
import Ashlar.Internal.Coroutine.Thunk (newThunk, tryThunk)
import Ashlar.Internal.Get.Core (Get)
import Ashlar.Internal.Get.Vectors
import Ashlar.Internal.Mem (copyFromArray)
import Ashlar.Internal.Mem.Check (unsafeIndexM)
import qualified Data.ByteString.Internal as B
import Data.Int (Int16, Int32, Int64, Int8)
import Data.Primitive.ByteArray (newByteArray, readByteArray, writeByteArray)
import qualified Data.Primitive.Types as Prim
import qualified Data.Vector as V
import qualified Data.Vector.Generic as G
import qualified Data.Vector.Primitive as P
import qualified Data.Vector.Storable as S
import qualified Data.Vector.Unboxed as U
import qualified Data.Vector.Unboxed.Base as U
import Data.Word (Word16, Word32, Word64, Word8)
import Foreign.ForeignPtr (castForeignPtr)
import Foreign.Marshal.Alloc (allocaBytes)
import Foreign.Ptr (Ptr, castPtr)
import Foreign.Storable (peek, peekByteOff, pokeByteOff, sizeOf)
import GHC.Exts (Proxy#, proxy#)
import System.IO.Unsafe (unsafeDupablePerformIO)

sizeVector :: forall v a. (G.Vector v a, Codec a) => v a -> Int
sizeVector v = sizeElements (layout :: Layout a) (G.length v) (G.foldl' (\n x -> n + size x) 0 v)
{-# INLINE sizeVector #-}

putVector, putVectorBare :: (G.Vector v a, Codec a) => v a -> Builder
-- 'putIndexed' passes indices below the length.
putVector v = putIndexed (G.length v) (unsafeIndexM v)
putVectorBare v = putIndexedBare (G.length v) (unsafeIndexM v)
{-# INLINE putVector #-}
{-# INLINE putVectorBare #-}

-- | The number of elements, and the elements.
instance Codec a => Codec (V.Vector a) where
  layout = counting @a
  size = sizePrefixed
  put = putVector
  get = getPrefixed
  {-# INLINEABLE size #-}
  {-# INLINEABLE put #-}
  {-# INLINEABLE get #-}

instance Codec a => Counted (V.Vector a) where
  counted = V.length
  sizeCounted = sizeVector
  putCounted = putVectorBare
  getCounted = getVector
  {-# INLINE sizeCounted #-}
  {-# INLINE putCounted #-}
  {-# INLINE getCounted #-}

-- | As a boxed vector.
instance (Codec a, U.Unbox a) => Codec (U.Vector a) where
  layout = counting @a
  size = sizePrefixed
  put = putUnboxed
  get = getPrefixed
  {-# INLINEABLE size #-}
  {-# INLINEABLE put #-}
  {-# INLINEABLE get #-}

instance (Codec a, U.Unbox a) => Counted (U.Vector a) where
  counted = U.length
  sizeCounted = sizeVector
  putCounted = putVectorBare
  getCounted = getUnboxed
  {-# INLINE sizeCounted #-}
  {-# INLINE putCounted #-}
  {-# INLINE getCounted #-}

-- | As a boxed vector. It is copied where its memory has the bytes of the format.
instance (Codec a, S.Storable a) => Codec (S.Vector a) where
  layout = counting @a
  size = sizePrefixed
  put v = case layout :: Layout a of
    Fix f | plainStorable (proxy# :: Proxy# a) -> append (putLength (S.length v)) (putStorable f v)
    _ -> putVector v
  get = getPrefixed
  {-# INLINEABLE size #-}
  {-# INLINEABLE put #-}
  {-# INLINEABLE get #-}

instance (Codec a, S.Storable a) => Counted (S.Vector a) where
  counted = S.length
  sizeCounted = sizeVector
  putCounted v = case layout :: Layout a of
    Fix f | plainStorable (proxy# :: Proxy# a) -> putStorable f v
    _ -> putVectorBare v
  getCounted n = case layout :: Layout a of
    -- Such elements are numbers, so none is empty.
    Fix f
      | plainStorable (proxy# :: Proxy# a) ->
        getInSpans (inElements n f) noStorables (fixedSize f) n (copyToStorable (fixedSize f))
    _ -> getVector n
  {-# INLINE sizeCounted #-}
  {-# INLINE putCounted #-}
  {-# INLINE getCounted #-}

-- Inside a span of elements of a vector of n, from index i on. Errors are those of a boxed vector.
inElements :: Int -> Fixed a -> Int -> GetST s () -> GetST s ()
inElements n f i = insideSpanST (elementsFrom i n f)
{-# INLINE inElements #-}

-- Write the memory of a vector, which has the bytes of the format.
putStorable :: S.Storable a => Fixed a -> S.Vector a -> Builder
putStorable f v = chunk bytes
  where
    bytes = case S.unsafeToForeignPtr0 v of
      (fp, _) -> B.fromForeignPtr (castForeignPtr fp) 0 (G.length v * fixedSize f)
{-# INLINE putStorable #-}

-- | As a boxed vector. It is copied where its memory has the bytes of the format.
instance (Codec a, P.Prim a) => Codec (P.Vector a) where
  layout = counting @a
  size = sizePrefixed
  put v = case layout :: Layout a of
    Fix f | plainPrim (proxy# :: Proxy# a) -> append (putLength (P.length v)) (putPrimitive f v)
    _ -> putVector v
  get = getPrefixed
  {-# INLINEABLE size #-}
  {-# INLINEABLE put #-}
  {-# INLINEABLE get #-}

instance (Codec a, P.Prim a) => Counted (P.Vector a) where
  counted = P.length
  sizeCounted = sizeVector
  putCounted v = case layout :: Layout a of
    Fix f | plainPrim (proxy# :: Proxy# a) -> putPrimitive f v
    _ -> putVectorBare v
  getCounted n = case layout :: Layout a of
    Fix f
      | plainPrim (proxy# :: Proxy# a) ->
        getInSpans (inElements n f) P.empty (fixedSize f) n (copyToPrimitive (fixedSize f))
    _ -> getVector n
  {-# INLINE sizeCounted #-}
  {-# INLINE putCounted #-}
  {-# INLINE getCounted #-}

-- 'putStorable' for a primitive vector.
putPrimitive :: Fixed a -> P.Vector a -> Builder
putPrimitive f (P.Vector start n arr) = action $ \c k ->
  copyBatches c k (n * fixedSize f) $ \p off len ->
    -- 'copyBatches' promises that offset and length stay within the vector.
    copyFromArray p arr (start * fixedSize f + off) len
{-# INLINE putPrimitive #-}

-- Note [Unboxed vectors as memory]
-- ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
-- The memory of an unboxed vector is known only where its type is known. So rules replace the loops
-- by copying for the types whose memory is the format's, which is faster. Where the compiler does
-- not see the type, the loops write the same bytes. (Test "unboxed vectors have the bytes of
-- lists".)

putUnboxed :: (U.Unbox a, Codec a) => U.Vector a -> Builder
putUnboxed = putVector
{-# INLINE [1] putUnboxed #-}

getUnboxed :: (U.Unbox a, Codec a) => Int -> Get (U.Vector a)
getUnboxed = getVector
{-# INLINE [1] getUnboxed #-}

{-# RULES
"putUnboxed/Int" putUnboxed = \(U.V_Int v) -> put v
"putUnboxed/Int8" putUnboxed = \(U.V_Int8 v) -> put v
"putUnboxed/Int16" putUnboxed = \(U.V_Int16 v) -> put v
"putUnboxed/Int32" putUnboxed = \(U.V_Int32 v) -> put v
"putUnboxed/Int64" putUnboxed = \(U.V_Int64 v) -> put v
"putUnboxed/Word" putUnboxed = \(U.V_Word v) -> put v
"putUnboxed/Word8" putUnboxed = \(U.V_Word8 v) -> put v
"putUnboxed/Word16" putUnboxed = \(U.V_Word16 v) -> put v
"putUnboxed/Word32" putUnboxed = \(U.V_Word32 v) -> put v
"putUnboxed/Word64" putUnboxed = \(U.V_Word64 v) -> put v
"putUnboxed/Float" putUnboxed = \(U.V_Float v) -> put v
"putUnboxed/Double" putUnboxed = \(U.V_Double v) -> put v
"getUnboxed/Int" getUnboxed = fmap U.V_Int . getCounted
"getUnboxed/Int8" getUnboxed = fmap U.V_Int8 . getCounted
"getUnboxed/Int16" getUnboxed = fmap U.V_Int16 . getCounted
"getUnboxed/Int32" getUnboxed = fmap U.V_Int32 . getCounted
"getUnboxed/Int64" getUnboxed = fmap U.V_Int64 . getCounted
"getUnboxed/Word" getUnboxed = fmap U.V_Word . getCounted
"getUnboxed/Word8" getUnboxed = fmap U.V_Word8 . getCounted
"getUnboxed/Word16" getUnboxed = fmap U.V_Word16 . getCounted
"getUnboxed/Word32" getUnboxed = fmap U.V_Word32 . getCounted
"getUnboxed/Word64" getUnboxed = fmap U.V_Word64 . getCounted
"getUnboxed/Float" getUnboxed = fmap U.V_Float . getCounted
"getUnboxed/Double" getUnboxed = fmap U.V_Double . getCounted
  #-}

-- Do elements have the bytes of their format in memory? Note [Vectors copied whole].

plainStorable :: forall a. (Codec a, S.Storable a) => Proxy# a -> Bool
plainStorable _ = case layout :: Layout a of
  Fix f ->
    fixedPlain f
      && sizeOf (valueOf f) == fixedSize f
      && unsafeDupablePerformIO (orElse False (probe f))
  Var _ -> False
  where
    -- Each buffer has as many bytes as both formats.
    probe f = allocaBytes (fixedSize f) $ \p -> do
      pokeSample p (fixedSize f)
      peek (castPtr p) >>= writesSample f
{-# NOINLINE plainStorable #-}

-- Run an action, or return the value if the action throws: the sample need not be a value of the
-- type.
orElse :: a -> IO a -> IO a
orElse x act = newThunk act >>= tryThunk >>= either (\_ -> pure x) pure

plainPrim :: forall a. (Codec a, P.Prim a) => Proxy# a -> Bool
plainPrim _ = case layout :: Layout a of
  Fix f ->
    fixedPlain f
      && Prim.sizeOf (valueOf f) == fixedSize f
      && unsafeDupablePerformIO (orElse False (probe f))
  Var _ -> False
  where
    probe f = do
      arr <- newByteArray (fixedSize f)
      mapM_ (\i -> writeByteArray arr i (sampleByte i)) [0 .. fixedSize f - 1]
      readByteArray arr 0 >>= writesSample f
{-# NOINLINE plainPrim #-}

-- 'plainStorable' and 'plainPrim' for the types in the rules below. Their instances of 'S.Storable'
-- and 'P.Prim' are known, so no sample is needed.
plainNumber :: forall a. Codec a => Proxy# a -> Bool
plainNumber _ = case layout :: Layout a of
  Fix f -> fixedPlain f
  Var _ -> False
{-# INLINE plainNumber #-}

{-# RULES
"plainStorable/Int" plainStorable = plainNumber :: Proxy# Int -> Bool
"plainStorable/Int8" plainStorable = plainNumber :: Proxy# Int8 -> Bool
"plainStorable/Int16" plainStorable = plainNumber :: Proxy# Int16 -> Bool
"plainStorable/Int32" plainStorable = plainNumber :: Proxy# Int32 -> Bool
"plainStorable/Int64" plainStorable = plainNumber :: Proxy# Int64 -> Bool
"plainStorable/Word" plainStorable = plainNumber :: Proxy# Word -> Bool
"plainStorable/Word8" plainStorable = plainNumber :: Proxy# Word8 -> Bool
"plainStorable/Word16" plainStorable = plainNumber :: Proxy# Word16 -> Bool
"plainStorable/Word32" plainStorable = plainNumber :: Proxy# Word32 -> Bool
"plainStorable/Word64" plainStorable = plainNumber :: Proxy# Word64 -> Bool
"plainStorable/Float" plainStorable = plainNumber :: Proxy# Float -> Bool
"plainStorable/Double" plainStorable = plainNumber :: Proxy# Double -> Bool
"plainPrim/Int" plainPrim = plainNumber :: Proxy# Int -> Bool
"plainPrim/Int8" plainPrim = plainNumber :: Proxy# Int8 -> Bool
"plainPrim/Int16" plainPrim = plainNumber :: Proxy# Int16 -> Bool
"plainPrim/Int32" plainPrim = plainNumber :: Proxy# Int32 -> Bool
"plainPrim/Int64" plainPrim = plainNumber :: Proxy# Int64 -> Bool
"plainPrim/Word" plainPrim = plainNumber :: Proxy# Word -> Bool
"plainPrim/Word8" plainPrim = plainNumber :: Proxy# Word8 -> Bool
"plainPrim/Word16" plainPrim = plainNumber :: Proxy# Word16 -> Bool
"plainPrim/Word32" plainPrim = plainNumber :: Proxy# Word32 -> Bool
"plainPrim/Word64" plainPrim = plainNumber :: Proxy# Word64 -> Bool
"plainPrim/Float" plainPrim = plainNumber :: Proxy# Float -> Bool
"plainPrim/Double" plainPrim = plainNumber :: Proxy# Double -> Bool
  #-}

-- A value that nobody may force.
valueOf :: Fixed a -> a
valueOf _ = errorWithoutStackTrace "Ashlar.Codec: sizeOf looked at its argument"

sampleByte :: Int -> Word8
sampleByte i = fromIntegral (i + 1)

pokeSample :: Ptr Word8 -> Int -> IO ()
pokeSample p n = mapM_ (\i -> pokeByteOff p i (sampleByte i)) [0 .. n - 1]

-- Does the format write the value as the bytes of the sample?
writesSample :: Fixed a -> a -> IO Bool
writesSample f x = allocaBytes (fixedSize f) $ \p -> do
  fixedWrite f p x
  bytes <- mapM (peekByteOff p) [0 .. fixedSize f - 1]
  pure (bytes == map sampleByte [0 .. fixedSize f - 1])
