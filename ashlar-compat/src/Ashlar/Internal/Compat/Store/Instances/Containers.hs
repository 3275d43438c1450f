{-# LANGUAGE FlexibleContexts #-}
{-# LANGUAGE ScopedTypeVariables #-}
{-# LANGUAGE TypeApplications #-}
{-# OPTIONS_GHC -Wno-orphans #-}

-- |
-- Module      : Ashlar.Internal.Compat.Store.Instances.Containers
-- Description : Strings, texts and containers in store's format
--
-- A container is its number of elements as an 'Int', and the elements. A map has a marker in
-- front; an array has its bounds in place of the number.
module Ashlar.Internal.Compat.Store.Instances.Containers () where

import Ashlar.Internal.Builder.Bytes (announced, chunk, lazyByteString, shortByteString)
import Ashlar.Internal.Builder.Put
import Ashlar.Internal.Codec.Length (agree)
import Ashlar.Internal.Compat.Elements (ascending, getElements, putEach)
import Ashlar.Internal.Compat.Store.Class
import Ashlar.Internal.Compat.Store.Instances.Base ()
import Ashlar.Internal.Get.Budget (deeper)
import Ashlar.Internal.Get.Bytes
import Ashlar.Internal.Get.Core
import Ashlar.Internal.Get.Numbers
import Ashlar.Internal.Get.Strings (getByteStringCopy, getShortByteString, getTextUtf8)
import Ashlar.Internal.Prim.Text (bytesPerUnit, lengthUnits)
import Ashlar.Put
import Data.Array (Array)
import Data.Array.IArray (IArray, Ix, bounds, elems, inRange, listArray, rangeSize)
import Data.Array.Unboxed (UArray)
import qualified Data.ByteString as S
import qualified Data.ByteString.Lazy as L
import qualified Data.ByteString.Short as SBS
import qualified Data.Foldable as F
import qualified Data.IntMap as IM
import qualified Data.IntSet as IS
import Data.List.NonEmpty (NonEmpty (..))
import qualified Data.Map as M
import qualified Data.Sequence as Seq
import qualified Data.Set as Set
import qualified Data.Text as T
import qualified Data.Text.Encoding as T
import qualified Data.Text.Encoding.Error as T
import qualified Data.Vector as V
import Data.Word (Word32)
import Foreign.Storable (sizeOf)
import GHC.ByteOrder (ByteOrder (..), targetByteOrder)

-- The bytes of a number of elements: those of an 'Int' in memory.
countSize :: Int
countSize = sizeOf (0 :: Int)

sizeElements :: forall t a. (Foldable t, Store a) => Size (t a)
sizeElements = VarSize $ \xs -> case size @a of
  ConstSize n -> countSize + n * F.length xs
  VarSize f -> F.foldl' (\n x -> n + f x) countSize xs
{-# INLINE sizeElements #-}

pokeElements :: (Foldable t, Store a) => t a -> Poke ()
pokeElements xs = poke (F.length xs) *> putBuilder (putEach poke xs)
{-# INLINE pokeElements #-}

-- A type may contain itself through a list, so a list counts as a level.
peekElements :: Store a => Peek [a]
peekElements = deeper (peek >>= \n -> getElements n peek)
{-# INLINE peekElements #-}

instance Store a => Store [a] where
  size = sizeElements
  poke = pokeElements
  peek = peekElements
  {-# INLINEABLE size #-}
  {-# INLINEABLE poke #-}
  {-# INLINEABLE peek #-}

instance Store a => Store (Seq.Seq a) where
  size = sizeElements
  poke = pokeElements
  peek = Seq.fromList <$> peekElements
  {-# INLINEABLE size #-}
  {-# INLINEABLE poke #-}
  {-# INLINEABLE peek #-}

instance Store a => Store (V.Vector a) where
  size = sizeElements
  poke = pokeElements
  peek = V.fromList <$> peekElements
  {-# INLINEABLE size #-}
  {-# INLINEABLE poke #-}
  {-# INLINEABLE peek #-}

-- | Elements that do not ascend are refused.
instance (Ord a, Store a) => Store (Set.Set a) where
  size = sizeElements
  poke = pokeElements
  peek =
    peekElements >>= \xs ->
      if ascending id xs then pure $! Set.fromDistinctAscList xs else unordered
  {-# INLINEABLE size #-}
  {-# INLINEABLE poke #-}
  {-# INLINEABLE peek #-}

unordered :: Get a
unordered = invalid "keys that do not ascend"
{-# NOINLINE unordered #-}

-- | As a 'Set.Set' of 'Int'.
instance Store IS.IntSet where
  size = VarSize (\s -> countSize * (1 + IS.size s))
  poke s = poke (IS.toAscList s)
  peek = peek >>= \xs -> if ascending id xs then pure $! IS.fromDistinctAscList xs else unordered

mapMarker :: Word32
mapMarker = 1217678090

pokeMarker :: Poke ()
pokeMarker = putWord32host mapMarker

-- | Read the marker. Anything else is refused.
peekMarker :: Peek ()
peekMarker =
  getWord32host >>= \mark ->
    if mark == mapMarker then pure () else invalid "Expected marker for ascending Map / IntMap"

-- | A marker of 4 bytes, and the pairs by ascending key. Keys that do not ascend are refused.
instance (Ord k, Store k, Store v) => Store (M.Map k v) where
  size = VarSize (\m -> 4 + countSize + M.foldlWithKey' (\n k v -> n + getSize k + getSize v) 0 m)
  poke m = pokeMarker *> poke (M.size m) *> putBuilder (putEach poke (M.toAscList m))
  peek =
    peekMarker *> peekElements >>= \xs ->
      if ascending fst xs then pure $! M.fromDistinctAscList xs else unordered
  {-# INLINEABLE size #-}
  {-# INLINEABLE poke #-}
  {-# INLINEABLE peek #-}

-- | As a 'M.Map' with keys of type 'Int'.
instance Store v => Store (IM.IntMap v) where
  size = VarSize (IM.foldl' (\n v -> n + countSize + getSize v) (4 + countSize))
  poke m = pokeMarker *> poke (IM.size m) *> putBuilder (putEach poke (IM.toAscList m))
  peek =
    peekMarker *> peekElements >>= \xs ->
      if ascending fst xs then pure $! IM.fromDistinctAscList xs else unordered
  {-# INLINEABLE size #-}
  {-# INLINEABLE poke #-}
  {-# INLINEABLE peek #-}

-- | The first element, and the list of the others.
instance Store a => Store (NonEmpty a) where
  size = combineSize (\(x :| _) -> x) (\(_ :| xs) -> xs)
  poke (x :| xs) = poke x *> poke xs
  peek = (:|) <$> peek <*> peek
  {-# INLINEABLE size #-}
  {-# INLINEABLE poke #-}
  {-# INLINEABLE peek #-}

-- | The bounds, and the elements.
instance (Ix i, Store i, Store e) => Store (Array i e) where
  size = sizeArray
  poke = pokeArray
  peek = peekArray
  {-# INLINEABLE size #-}
  {-# INLINEABLE poke #-}
  {-# INLINEABLE peek #-}

-- | As an 'Array'.
instance (Ix i, IArray UArray e, Store i, Store e) => Store (UArray i e) where
  size = sizeArray
  poke = pokeArray
  peek = peekArray
  {-# INLINEABLE size #-}
  {-# INLINEABLE poke #-}
  {-# INLINEABLE peek #-}

sizeArray :: (Ix i, IArray a e, Store i, Store e) => Size (a i e)
sizeArray = VarSize (\a -> getSize (bounds a) + sum (map getSize (elems a)))
{-# INLINE sizeArray #-}

pokeArray :: (Ix i, IArray a e, Store i, Store e) => a i e -> Poke ()
pokeArray a = poke (bounds a) *> putBuilder (putEach poke (elems a))
{-# INLINE pokeArray #-}

-- The bounds are not trusted: the elements are read first.
peekArray :: (Ix i, IArray a e, Store i, Store e) => Peek (a i e)
peekArray = deeper $ do
  bs <- peek
  let n = if inRange bs (snd bs) then rangeSize bs else 0
  xs <- getElements n peek
  if agree bs n then pure $! listArray bs xs else invalid "the bounds of the array overflow"
{-# INLINE peekArray #-}

-- | The number of bytes, and the bytes. The result of reading is a copy, as in store.
instance Store S.ByteString where
  size = VarSize (\bs -> countSize + S.length bs)
  poke bs = poke (S.length bs) *> putBuilder (chunk bs)
  peek = peek >>= getByteStringCopy

-- | As a strict 'S.ByteString', so the result of reading is one chunk.
instance Store L.ByteString where
  size = VarSize (\bs -> countSize + announced (L.length bs))
  poke bs = poke (announced (L.length bs)) *> putBuilder (lazyByteString bs)
  peek = peek >>= \bs -> pure $! L.fromStrict bs

instance Store SBS.ShortByteString where
  size = VarSize (\bs -> countSize + SBS.length bs)
  poke bs = poke (SBS.length bs) *> putBuilder (shortByteString bs)
  peek = peek >>= getShortByteString

-- | The memory of a text. With @text@ before version 2, that is the number of units of 16 bits,
-- and the units, as @store@ wrote it then. From version 2 on, it is the number of bytes, and
-- UTF-8. Malformed text is refused.
instance Store T.Text where
  size = VarSize (\t -> countSize + unitSize * lengthUnits t)
  poke t = poke (lengthUnits t) *> putByteString (if unitSize == 1 then T.encodeUtf8 t else utf16 t)
    where
      utf16 = if targetByteOrder == LittleEndian then T.encodeUtf16LE else T.encodeUtf16BE
  peek
    | unitSize == 1 = peek >>= getTextUtf8
    | otherwise = do
      n <- peek
      if n < 0 || n > maxBound `quot` 2 then invalid "negative length" else pure ()
      bs <- getByteString (2 * n)
      let t = utf16 bs
      if 2 * lengthUnits t == S.length bs then pure t else invalid "invalid UTF-16"
    where
      -- Leaves out malformed units, so the text is shorter if there are any.
      utf16
        | targetByteOrder == LittleEndian = T.decodeUtf16LEWith T.ignore
        | otherwise = T.decodeUtf16BEWith T.ignore

-- Bytes in a unit of the memory of a text.
unitSize :: Int
unitSize = if bytesPerUnit == 1 then 1 else 2
