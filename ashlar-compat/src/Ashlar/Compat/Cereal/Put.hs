{-# LANGUAGE Trustworthy #-}
-- See Note [Fusing puts] in "Ashlar.Internal.Builder.Put".
{-# OPTIONS_GHC -fno-do-lambda-eta-expansion #-}

-- |
-- Module      : Ashlar.Compat.Cereal.Put
-- Description : Data.Serialize.Put, by import
--
-- Every name of "Data.Serialize.Put", as of @cereal@ 0.5.8, with its type and meaning: the same
-- bytes. Only the import must change. The builders in the types of 'putBuilder' and 'execPut' are
-- those of "Ashlar.Builder".
--
-- The constructor of 'PutM' is not exported. @cereal@ exports it, but not the type of its content.
module Ashlar.Compat.Cereal.Put
  ( -- * Puts
    Put,
    PutM,
    Putter,

    -- * Running puts
    runPut,
    runPutM,
    runPutLazy,
    runPutMLazy,
    runPutMBuilder,

    -- * From and to builders
    putBuilder,
    execPut,

    -- * Ending a chunk
    flush,

    -- * Bytes and strings of bytes
    putWord8,
    putInt8,
    putByteString,
    putLazyByteString,
    putShortByteString,

    -- * Most significant byte first
    putWord16be,
    putWord32be,
    putWord64be,
    putInt16be,
    putInt32be,
    putInt64be,

    -- * Least significant byte first
    putWord16le,
    putWord32le,
    putWord64le,
    putInt16le,
    putInt32le,
    putInt64le,

    -- * The machine's own order and size
    putWordhost,
    putWord16host,
    putWord32host,
    putWord64host,
    putInthost,
    putInt16host,
    putInt32host,
    putInt64host,

    -- * Containers
    putTwoOf,
    putListOf,
    putIArrayOf,
    putSeqOf,
    putTreeOf,
    putMapOf,
    putIntMapOf,
    putSetOf,
    putIntSetOf,
    putMaybeOf,
    putEitherOf,
    putNested,
  )
where

import Ashlar.Internal.Builder.Core (Builder)
import Ashlar.Internal.Builder.Lazy (toLazyByteString)
import Ashlar.Internal.Builder.Loops ()
import Ashlar.Internal.Builder.Numbers (word64BE)
import Ashlar.Internal.Builder.Put (valueBeside)
import Ashlar.Internal.Builder.Strict (toStrictByteString)
import Ashlar.Put hiding (runPut, runPutM)
import Data.Array.IArray (IArray, Ix, bounds, elems)
import Data.ByteString (ByteString)
import qualified Data.ByteString as S
import qualified Data.ByteString.Lazy as L
import Data.Foldable (traverse_)
import Data.IntMap (IntMap)
import qualified Data.IntMap as IntMap
import Data.IntSet (IntSet)
import qualified Data.IntSet as IntSet
import Data.Map (Map)
import qualified Data.Map as Map
import Data.Sequence (Seq)
import Data.Set (Set)
import qualified Data.Set as Set
import Data.Tree (Tree (..))

-- | How to put a value of a type.
type Putter a = a -> Put

-- | The bytes of a put, in one strict 'ByteString'.
runPut :: Put -> ByteString
runPut m = toStrictByteString (execPut m)
{-# INLINE runPut #-}

-- | The value of a put and its bytes. Each is computed when it is forced. If the value is forced
-- first, the put runs for it alone, and once more for the bytes.
runPutM :: PutM a -> (a, ByteString)
runPutM m = toStrictByteString <$> valueBeside m
{-# INLINE runPutM #-}

-- | The bytes of a put, made as they are consumed.
runPutLazy :: Put -> L.ByteString
runPutLazy m = toLazyByteString (execPut m)
{-# INLINE runPutLazy #-}

-- | The value of a put and its bytes, made as they are consumed. If the value is forced before the
-- last byte has been made, the put runs for it alone, and once more for the bytes.
runPutMLazy :: PutM a -> (a, L.ByteString)
runPutMLazy m = toLazyByteString <$> valueBeside m
{-# INLINE runPutMLazy #-}

-- | The value of a put and its bytes as a builder. If the value is forced before the builder has
-- been run to its end, the put runs for it alone.
runPutMBuilder :: PutM a -> (a, Builder)
runPutMBuilder = valueBeside
{-# INLINE runPutMBuilder #-}

-- | The first, then the second.
putTwoOf :: Putter a -> Putter b -> Putter (a, b)
putTwoOf pa pb (a, b) = pa a >> pb b
{-# INLINE putTwoOf #-}

-- The number of elements as a number of 64 bits, most significant byte first, then
-- the elements. If only the value is wanted, which is (), nothing counts the elements.
counted :: Foldable f => Putter a -> f a -> Builder
counted pa xs = word64BE (fromIntegral (length xs)) <> execPut (traverse_ pa xs)
{-# INLINE counted #-}

-- | The length as a number of 64 bits, most significant byte first, then the
-- elements.
putListOf :: Putter a -> Putter [a]
putListOf pa xs = putBuilder (counted pa xs)
{-# INLINE putListOf #-}

-- | The bounds, then the elements as by 'putListOf'.
putIArrayOf :: (Ix i, IArray a e) => Putter i -> Putter e -> Putter (a i e)
putIArrayOf pix pe a = putTwoOf pix pix (bounds a) >> putListOf pe (elems a)
{-# INLINE putIArrayOf #-}

-- | As the list of its elements.
putSeqOf :: Putter a -> Putter (Seq a)
putSeqOf pa xs = putBuilder (counted pa xs)
{-# INLINE putSeqOf #-}

-- | The root, then the list of its subtrees.
putTreeOf :: Putter a -> Putter (Tree a)
putTreeOf pa = go
  where
    go (Node x ts) = pa x >> putListOf go ts
{-# INLINE putTreeOf #-}

-- | As the list of its pairs, in ascending order.
putMapOf :: Putter k -> Putter a -> Putter (Map k a)
putMapOf pk pa m = putListOf (putTwoOf pk pa) (Map.toAscList m)
{-# INLINE putMapOf #-}

-- | As the list of its pairs, in ascending order.
putIntMapOf :: Putter Int -> Putter a -> Putter (IntMap a)
putIntMapOf pix pa m = putListOf (putTwoOf pix pa) (IntMap.toAscList m)
{-# INLINE putIntMapOf #-}

-- | As the list of its elements, in ascending order.
putSetOf :: Putter a -> Putter (Set a)
putSetOf pa m = putListOf pa (Set.toAscList m)
{-# INLINE putSetOf #-}

-- | As the list of its elements, in ascending order.
putIntSetOf :: Putter Int -> Putter IntSet
putIntSetOf pix m = putListOf pix (IntSet.toAscList m)
{-# INLINE putIntSetOf #-}

-- | A byte 0, or a byte 1 and the value.
putMaybeOf :: Putter a -> Putter (Maybe a)
putMaybeOf pa m = case m of
  Nothing -> putWord8 0
  Just a -> putWord8 1 >> pa a
{-# INLINE putMaybeOf #-}

-- | A byte 0 and the value on the left, or a byte 1 and the value on the right.
putEitherOf :: Putter a -> Putter b -> Putter (Either a b)
putEitherOf pa pb m = case m of
  Left a -> putWord8 0 >> pa a
  Right b -> putWord8 1 >> pb b
{-# INLINE putEitherOf #-}

-- | The number of bytes of a put, then its bytes.
--
-- >>> import qualified Data.ByteString as S
-- >>> S.unpack (runPut (putNested (putWord8 . fromIntegral) (putWord16be 5)))
-- [2,0,5]
putNested :: Putter Int -> Put -> Put
putNested putLen putVal = do
  let bs = runPut putVal
  putLen (S.length bs)
  putByteString bs
