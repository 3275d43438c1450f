{-# LANGUAGE FlexibleContexts #-}
{-# LANGUAGE ScopedTypeVariables #-}
{-# LANGUAGE TypeApplications #-}
{-# OPTIONS_GHC -Wno-orphans #-}

-- |
-- Module      : Ashlar.Internal.Compat.Binary.Instances.Containers
-- Description : Strings, texts, maps, sets, sequences, trees and arrays in binary's format
module Ashlar.Internal.Compat.Binary.Instances.Containers () where

import Ashlar.Internal.Builder.Bytes (announced, atOnceOr, chunk, lazyByteString, shortByteString)
import Ashlar.Internal.Builder.Core
import Ashlar.Internal.Builder.Put
import Ashlar.Internal.Builder.Strings (lazyTextUtf8, textUtf8)
import Ashlar.Internal.Compat.Binary.Class
import Ashlar.Internal.Compat.Binary.Instances.Base ()
import Ashlar.Internal.Compat.Binary.Instances.Tuples ()
import Ashlar.Internal.Compat.Elements
import Ashlar.Internal.Compat.Generic (levelled)
import Ashlar.Internal.Get.Budget (deeper)
import Ashlar.Internal.Get.Bytes (getByteString, getLazyByteString)
import Ashlar.Internal.Get.Core
import Ashlar.Internal.Get.Strings (getShortByteString, getTextUtf8)
import Ashlar.Internal.Mem (pokeBE)
import Ashlar.Internal.Prim.Text (bytesPerUnit, lengthUnits, utf8LengthOf, writeUtf8)
import Data.Array (Array)
import Data.Array.IArray (IArray, Ix)
import Data.Array.Unboxed (UArray)
import qualified Data.ByteString as S
import qualified Data.ByteString.Lazy as L
import qualified Data.ByteString.Short as SBS
import qualified Data.IntMap as IM
import qualified Data.IntSet as IS
import qualified Data.Map as M
import qualified Data.Sequence as Seq
import qualified Data.Set as Set
import qualified Data.Text as T
import qualified Data.Text.Lazy as TL
import Data.Tree (Tree (..))
import Data.Word (Word64)
import Foreign.Ptr (plusPtr)

-- | The number of bytes, and the bytes. The result of reading is a slice of the input if it
-- lies in one chunk. As in @binary@, a negative number counts as 0.
instance Binary S.ByteString where
  put bs = putBuilder (append (putCount (S.length bs)) (chunk bs))
  get = getCount >>= \n -> getByteString (max 0 n)

-- | As a strict one. The result of reading consists of slices of the input's chunks.
instance Binary L.ByteString where
  put bs = putBuilder (append (putCount (announced (L.length bs))) (lazyByteString bs))
  get = getCount >>= \n -> getLazyByteString (fromIntegral (max 0 n))

-- | As a strict 'S.ByteString'; a copy.
instance Binary SBS.ShortByteString where
  put bs = putBuilder (append (putCount (SBS.length bs)) (shortByteString bs))
  get = getCount >>= \n -> getShortByteString (max 0 n)

-- | The bytes in UTF-8 as a 'S.ByteString': the format of the instance in the package
-- @text@. Other bytes are refused.
instance Binary T.Text where
  put t = putBuilder (putText t)
  get = getCount >>= \n -> getTextUtf8 (max 0 n)

-- | As a strict text.
instance Binary TL.Text where
  put t = putBuilder (append (putCount (lazyLength t)) (lazyTextUtf8 t))
    where
      lazyLength = announced . TL.foldlChunks (\n c -> n + fromIntegral (utf8LengthOf c)) 0
  get = TL.fromStrict <$> get

-- If there is free space for the longest encoding of the text, the text is written first, and
-- then its length is filled in.
putText :: T.Text -> Builder
putText t = atOnceOr longer 8 fits $ \p -> do
  -- No unit takes more bytes than bytesPerUnit. (Their product could overflow on 32 bits.)
  len <- writeUtf8 (p `plusPtr` 8) t 0 (lengthUnits t)
  pokeBE p (fromIntegral len :: Word64)
  pure (p `plusPtr` (8 + len))
  where
    longer = append (putCount (utf8LengthOf t)) (textUtf8 t)
    fits free = lengthUnits t <= free `quot` bytesPerUnit
{-# NOINLINE putText #-}

-- | As the list of its pairs, by ascending key. As in @binary@ 0.8, whose instance does not
-- know the order, reading does not compare keys: for untrusted input, check 'M.valid'.
instance (Binary k, Binary v) => Binary (M.Map k v) where
  put m = putBuilder (append (putCount (M.size m)) (putMapEntries put put m))
  get = levelled (isFlat @k && isFlat @v) (getCount >>= getMapEntries get get)
  {-# INLINEABLE put #-}
  {-# INLINEABLE get #-}

-- | As the list of its elements, ascending. Reading does not compare them: see 'M.Map'.
instance Binary a => Binary (Set.Set a) where
  put s = putBuilder (append (putCount (Set.size s)) (putSetElements put s))
  get = levelled (isFlat @a) (getCount >>= getSetElements get)
  {-# INLINEABLE put #-}
  {-# INLINEABLE get #-}

-- | As a 'M.Map' with keys of type 'Int'. Keys that do not ascend are refused.
instance Binary v => Binary (IM.IntMap v) where
  put m = putBuilder (append (putCount (IM.size m)) (putIntMapEntries put m))
  get = do
    list <- get
    if ascending fst list then pure $! IM.fromDistinctAscList list else notAscending
  {-# INLINEABLE put #-}
  {-# INLINEABLE get #-}

-- | As a 'Set.Set' of 'Int'. Elements that do not ascend are refused.
instance Binary IS.IntSet where
  put s = put (IS.toAscList s)
  get = do
    list <- get
    if ascending id list then pure $! IS.fromDistinctAscList list else notAscending

notAscending :: Get a
notAscending = invalid "keys that do not ascend"
{-# NOINLINE notAscending #-}

-- | As the list of its elements, which are not forced when they are read.
instance Binary a => Binary (Seq.Seq a) where
  put s = putBuilder (putElements put s)
  get =
    levelled (isFlat @a) $
      getCount >>= \n -> getElementsLazily n get >>= \xs -> pure $! Seq.fromList xs
  {-# INLINEABLE put #-}
  {-# INLINEABLE get #-}

-- | The root, and the list of the trees below it. Trees that are nested more deeply than
-- the budget of the run allows are refused.
instance Binary a => Binary (Tree a) where
  put (Node x ts) = put x *> put ts
  get = deeper (Node <$> get <*> get)
  {-# INLINEABLE put #-}
  {-# INLINEABLE get #-}

-- | The bounds, and the list of the elements. There must be as many as the bounds enclose.
instance (Binary i, Ix i, Binary e) => Binary (Array i e) where
  put = putArray put put
  get = levelled (isFlat @e) (getArray get getList)
  {-# INLINEABLE put #-}
  {-# INLINEABLE get #-}

-- | As an 'Array'.
instance (Binary i, Ix i, Binary e, IArray UArray e) => Binary (UArray i e) where
  put = putArray put put
  get = levelled (isFlat @e) (getArray get getList)
  {-# INLINEABLE put #-}
  {-# INLINEABLE get #-}
