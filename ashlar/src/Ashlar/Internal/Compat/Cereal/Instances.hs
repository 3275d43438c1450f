{-# LANGUAGE DerivingStrategies #-}
{-# LANGUAGE FlexibleContexts #-}
{-# LANGUAGE GeneralizedNewtypeDeriving #-}
{-# LANGUAGE ScopedTypeVariables #-}
{-# LANGUAGE StandaloneDeriving #-}
{-# LANGUAGE TypeApplications #-}
{-# OPTIONS_GHC -Wno-orphans #-}
-- See Note [Fusing puts] in "Ashlar.Internal.Builder.Put".
{-# OPTIONS_GHC -fno-do-lambda-eta-expansion #-}

-- |
-- Module      : Ashlar.Internal.Compat.Cereal.Instances
-- Description : Types of base, bytestring, containers and array in cereal's format
module Ashlar.Internal.Compat.Cereal.Instances () where

import Ashlar.Internal.Builder.Bytes (byteString, lazyByteString, shortByteString)
import Ashlar.Internal.Builder.Core
import Ashlar.Internal.Builder.Put
import Ashlar.Internal.Builder.Strings (stringUtf8)
import Ashlar.Internal.Compat.Cereal.Class
import Ashlar.Internal.Compat.Cereal.Tuples ()
import Ashlar.Internal.Compat.Elements
import Ashlar.Internal.Compat.Numbers
import Ashlar.Internal.Get.ArrayBounds (agree)
import Ashlar.Internal.Get.Budget (deeper)
import Ashlar.Internal.Get.Bytes (getLazyByteString)
import Ashlar.Internal.Get.Core
import Ashlar.Internal.Get.Numbers
import Ashlar.Internal.Get.Progress (here)
import Ashlar.Internal.Get.Strings (getByteStringCopy, getShortByteString)
import Ashlar.Put
import Data.Array (Array)
import Data.Array.IArray (IArray, Ix, bounds, elems, listArray, rangeSize)
import Data.Array.Unboxed (UArray)
import qualified Data.ByteString as S
import qualified Data.ByteString.Lazy as L
import qualified Data.ByteString.Short as SBS
import Data.Int (Int16, Int32, Int64, Int8)
import qualified Data.IntMap as IM
import qualified Data.IntSet as IS
import qualified Data.Map as M
import qualified Data.Monoid as Monoid
import Data.Ratio (Ratio, denominator, numerator, (%))
import qualified Data.Sequence as Seq
import qualified Data.Set as Set
import Data.Tree (Tree (..))
import Data.Word (Word16, Word32, Word64, Word8)
import Numeric.Natural (Natural)

-- | No bytes.
instance Serialize () where
  put () = mempty
  get = pure ()
  isFlat = True
  {-# INLINE put #-}
  {-# INLINE get #-}
  {-# INLINE isFlat #-}

-- | One byte: 0 or 1. Others are refused.
instance Serialize Bool where
  put b = putWord8 (if b then 1 else 0)
  get =
    getWord8 >>= \w -> case w of
      0 -> pure False
      1 -> pure True
      _ -> notOf "Bool" w
  isFlat = True
  {-# INLINE put #-}
  {-# INLINE get #-}
  {-# INLINE isFlat #-}

-- | One byte: 0, 1 or 2. Others are refused.
instance Serialize Ordering where
  put o = putWord8 (fromIntegral (fromEnum o))
  get =
    getWord8 >>= \w -> case w of
      0 -> pure LT
      1 -> pure EQ
      2 -> pure GT
      _ -> notOf "Ordering" w
  isFlat = True
  {-# INLINE put #-}
  {-# INLINE get #-}
  {-# INLINE isFlat #-}

notOf :: String -> Word8 -> Get a
notOf name w = invalid ("Could not map value " ++ show w ++ " to " ++ name)
{-# NOINLINE notOf #-}

-- | One byte.
instance Serialize Word8 where
  put = putWord8
  get = getWord8
  putList xs = putBuilder (putNumbers id xs)
  getList = getNumbers (id :: Word8 -> Word8)
  isFlat = True
  {-# INLINE put #-}
  {-# INLINE get #-}
  {-# INLINE isFlat #-}

-- | 2 bytes, most significant first.
instance Serialize Word16 where
  put = putWord16be
  get = getWord16be
  putList xs = putBuilder (putNumbers id xs)
  getList = getNumbers (id :: Word16 -> Word16)
  isFlat = True
  {-# INLINE put #-}
  {-# INLINE get #-}
  {-# INLINE isFlat #-}

-- | 4 bytes, most significant first.
instance Serialize Word32 where
  put = putWord32be
  get = getWord32be
  putList xs = putBuilder (putNumbers id xs)
  getList = getNumbers (id :: Word32 -> Word32)
  isFlat = True
  {-# INLINE put #-}
  {-# INLINE get #-}
  {-# INLINE isFlat #-}

-- | 8 bytes, most significant first.
instance Serialize Word64 where
  put = putWord64be
  get = getWord64be
  putList xs = putBuilder (putNumbers id xs)
  getList = getNumbers (id :: Word64 -> Word64)
  isFlat = True
  {-# INLINE put #-}
  {-# INLINE get #-}
  {-# INLINE isFlat #-}

-- | One byte, in two's complement.
instance Serialize Int8 where
  put = putInt8
  get = getInt8
  putList xs = putBuilder (putNumbers id xs)
  getList = getNumbers (id :: Int8 -> Int8)
  isFlat = True
  {-# INLINE put #-}
  {-# INLINE get #-}
  {-# INLINE isFlat #-}

-- | 2 bytes in two's complement, most significant first.
instance Serialize Int16 where
  put = putInt16be
  get = getInt16be
  putList xs = putBuilder (putNumbers id xs)
  getList = getNumbers (id :: Int16 -> Int16)
  isFlat = True
  {-# INLINE put #-}
  {-# INLINE get #-}
  {-# INLINE isFlat #-}

-- | 4 bytes in two's complement, most significant first.
instance Serialize Int32 where
  put = putInt32be
  get = getInt32be
  putList xs = putBuilder (putNumbers id xs)
  getList = getNumbers (id :: Int32 -> Int32)
  isFlat = True
  {-# INLINE put #-}
  {-# INLINE get #-}
  {-# INLINE isFlat #-}

-- | 8 bytes in two's complement, most significant first.
instance Serialize Int64 where
  put = putInt64be
  get = getInt64be
  putList xs = putBuilder (putNumbers id xs)
  getList = getNumbers (id :: Int64 -> Int64)
  isFlat = True
  {-# INLINE put #-}
  {-# INLINE get #-}
  {-# INLINE isFlat #-}

-- | As a 'Word64': 8 bytes, most significant first.
instance Serialize Word where
  put x = putWord64be (fromIntegral x)
  get = fromIntegral <$> getWord64be
  putList xs = putBuilder (putNumbers (fromIntegral :: Word -> Word64) xs)
  getList = getNumbers (fromIntegral :: Word64 -> Word)
  isFlat = True
  {-# INLINE put #-}
  {-# INLINE get #-}
  {-# INLINE isFlat #-}

-- | As a 'Int64': 8 bytes, most significant first.
instance Serialize Int where
  put x = putInt64be (fromIntegral x)
  get = fromIntegral <$> getInt64be
  putList xs = putBuilder (putNumbers (fromIntegral :: Int -> Int64) xs)
  getList = getNumbers (fromIntegral :: Int64 -> Int)
  isFlat = True
  {-# INLINE put #-}
  {-# INLINE get #-}
  {-# INLINE isFlat #-}

-- | A byte 0 and 4 bytes if it fits 32 bits, else a byte 1, a byte for the sign, and the list
-- of the bytes of the magnitude, least significant first.
instance Serialize Integer where
  put n = putBuilder (putInteger n)
  get = getInteger
  isFlat = True
  {-# INLINE put #-}
  {-# INLINE isFlat #-}

-- | A byte 0 and 8 bytes if it fits 64 bits, else a byte 1 and the list of its bytes, least
-- significant first.
instance Serialize Natural where
  put n = putBuilder (putNatural n)
  get = getNatural
  isFlat = True
  {-# INLINE put #-}
  {-# INLINE isFlat #-}

-- | 8 bytes of IEEE 754, most significant first.
instance Serialize Double where
  put = putDoublebe
  get = getDoublebe
  isFlat = True
  {-# INLINE put #-}
  {-# INLINE get #-}
  {-# INLINE isFlat #-}

-- | 4 bytes of IEEE 754, most significant first.
instance Serialize Float where
  put = putFloatbe
  get = getFloatbe
  isFlat = True
  {-# INLINE put #-}
  {-# INLINE get #-}
  {-# INLINE isFlat #-}

-- | UTF-8. A string is the number of its characters, and the characters. Reading checks
-- less than UTF-8 demands, as in @cereal@.
instance Serialize Char where
  put = putCharUtf8
  get = getChar8
  putList str = putBuilder (append (putCount (length str)) (stringUtf8 str))
  getList n = getCharacters n getChar8
  isFlat = True
  {-# INLINE put #-}
  {-# INLINE get #-}
  {-# INLINE isFlat #-}

getChar8 :: Get Char
getChar8 = getCharLenient

-- | The numerator and the denominator. One that is 0 is refused.
instance (Serialize a, Integral a) => Serialize (Ratio a) where
  put r = put (numerator r) *> put (denominator r)
  get = do
    n <- get
    d <- get
    -- Not forced: of numbers with bounds, that can be an exception.
    if d == 0 then invalid "a fraction over 0" else pure (n % d)
  isFlat = isFlat @a
  {-# INLINE put #-}
  {-# INLINE get #-}
  {-# INLINE isFlat #-}

-- | The number of elements as an 'Int', and the elements.
instance Serialize a => Serialize [a] where
  put = putList
  get = getCount >>= getList
  {-# INLINE put #-}
  {-# INLINE get #-}

-- | A byte 0; or a byte 1 and the value. When read, any other byte is as 1.
instance Serialize a => Serialize (Maybe a) where
  put m = case m of
    Nothing -> putWord8 0
    Just x -> putWord8 1 *> put x
  get = getWord8 >>= \w -> if w == 0 then pure Nothing else Just <$> get
  isFlat = isFlat @a
  {-# INLINE put #-}
  {-# INLINE get #-}
  {-# INLINE isFlat #-}

-- | A byte 0 and the value on the left, or a byte 1 and the value on the right. When read,
-- any other byte is as 1.
instance (Serialize a, Serialize b) => Serialize (Either a b) where
  put e = case e of
    Left x -> putWord8 0 *> put x
    Right y -> putWord8 1 *> put y
  get = getWord8 >>= \w -> if w == 0 then Left <$> get else Right <$> get
  isFlat = isFlat @a && isFlat @b
  {-# INLINE put #-}
  {-# INLINE get #-}
  {-# INLINE isFlat #-}

deriving newtype instance Serialize a => Serialize (Monoid.Dual a)

deriving newtype instance Serialize Monoid.All

deriving newtype instance Serialize Monoid.Any

deriving newtype instance Serialize a => Serialize (Monoid.Sum a)

deriving newtype instance Serialize a => Serialize (Monoid.Product a)

deriving newtype instance Serialize a => Serialize (Monoid.First a)

deriving newtype instance Serialize a => Serialize (Monoid.Last a)

-- | The number of bytes, and the bytes. What is read is a copy.
instance Serialize S.ByteString where
  put bs = putBuilder (append (putCount (S.length bs)) (byteString bs))
  get = getCount >>= getByteStringCopy

-- | As a strict one.
instance Serialize L.ByteString where
  put bs = putBuilder (append (putCount (fromIntegral (L.length bs))) (lazyByteString bs))
  get = getCount >>= \n -> L.fromStrict . L.toStrict <$> getLazyByteString (fromIntegral n)

-- | As a strict 'S.ByteString'.
instance Serialize SBS.ShortByteString where
  put bs = putBuilder (append (putCount (SBS.length bs)) (shortByteString bs))
  get = getCount >>= getShortByteString

-- | As the list of its pairs, by ascending key. They are read in any order. Of equal keys,
-- the last one counts.
instance (Ord k, Serialize k, Serialize v) => Serialize (M.Map k v) where
  put m = putBuilder (append (putCount (M.size m)) (putMapEntries put put m))
  get = getCount >>= getMapEntries get get >>= \m -> pure $! inOrder m
    where
      -- The tree has its entries as they came.
      inOrder m = if increasing (M.keys m) then m else M.fromList (M.toList m)
  {-# INLINEABLE put #-}
  {-# INLINEABLE get #-}

-- | As the list of its elements, ascending. They are read in any order.
instance (Ord a, Serialize a) => Serialize (Set.Set a) where
  put s = putBuilder (append (putCount (Set.size s)) (putSetElements put s))
  get = getCount >>= getSetElements get >>= \s -> pure $! inOrder s
    where
      inOrder s = if increasing (Set.toList s) then s else Set.fromList (Set.toList s)
  {-# INLINEABLE put #-}
  {-# INLINEABLE get #-}

increasing :: Ord a => [a] -> Bool
increasing xs = and (zipWith (<) xs (drop 1 xs))
{-# INLINE increasing #-}

-- | As a 'M.Map' with keys of type 'Int'.
instance Serialize v => Serialize (IM.IntMap v) where
  put m = putBuilder (append (putCount (IM.size m)) (IM.foldrWithKey entry empty m))
    where
      entry k v rest = append (execPut (put k)) (append (execPut (put v)) rest)
  get = do
    list <- get
    pure $! if ascending fst list then IM.fromDistinctAscList list else IM.fromList list
  {-# INLINEABLE put #-}
  {-# INLINEABLE get #-}

-- | As a 'Set.Set' of 'Int'.
instance Serialize IS.IntSet where
  put s = put (IS.toAscList s)
  get = do
    list <- get
    pure $! if ascending id list then IS.fromDistinctAscList list else IS.fromList list

-- | As the list of its elements, which are not forced when they are read.
instance Serialize a => Serialize (Seq.Seq a) where
  put s = putBuilder (putElements put s)
  get = getCount >>= \n -> getElementsLazily n get >>= \xs -> pure $! Seq.fromList xs
  {-# INLINEABLE put #-}
  {-# INLINEABLE get #-}

-- | The root, and the list of the trees below it. Trees that are nested more deeply than
-- the budget of the run allows are refused.
instance Serialize a => Serialize (Tree a) where
  put (Node x ts) = put x *> put ts
  get = deeper (Node <$> get <*> get)
  {-# INLINEABLE put #-}
  {-# INLINEABLE get #-}

-- | The bounds, and the list of the elements. Another number of them than the bounds enclose
-- is refused.
instance (Serialize i, Ix i, Serialize e) => Serialize (Array i e) where
  put = putArray
  get = getArray
  {-# INLINEABLE put #-}
  {-# INLINEABLE get #-}

-- | As an 'Array'.
instance (Serialize i, Ix i, Serialize e, IArray UArray e) => Serialize (UArray i e) where
  put = putArray
  get = getArray
  {-# INLINEABLE put #-}
  {-# INLINEABLE get #-}

putArray :: (Serialize i, Ix i, Serialize e, IArray a e) => a i e -> Put
putArray a =
  put (bounds a) *> putBuilder (append (putCount (rangeSize (bounds a))) (putEach put (elems a)))
{-# INLINE putArray #-}

getArray :: (Serialize i, Ix i, Serialize e, IArray a e) => Get (a i e)
getArray = do
  bs <- get
  at <- here
  n <- getCount
  xs <- getList n
  if agree bs n
    then pure $! listArray bs xs
    else invalidFrom at "an array with another number of elements than its bounds"
{-# INLINE getArray #-}
