{-# LANGUAGE Trustworthy #-}

-- |
-- Module      : Ashlar.Compat.Cereal.Get
-- Description : Data.Serialize.Get, by import
--
-- Every name of "Data.Serialize.Get" (as of @cereal@ 0.5.8) with its type and its meaning.
-- Only the line that imports it must change. 'Get' is that of "Ashlar.Get", so all other
-- decoders of this library can be used beside these.
--
-- >>> import qualified Ashlar.Compat.Cereal.Get as C
-- >>> C.runGet (C.getListOf C.getWord16be) "\0\0\0\0\0\0\0\2\0\1\0\2"
-- Right [1,2]
-- >>> either putStrLn print (C.runGet (C.label "size" C.getWord16be) "\1")
-- at byte 0, in size: 2 bytes needed, 1 left
--   00000000  01                                                |.|
--             ^^
--
-- @docs/porting.md@ lists what differs. In short: the text of errors; what depends in cereal by
-- mistake on how the input is cut, such as 'bytesRead' after 'lookAhead'; and protection against
-- untrusted input. The depth of trees is limited, an array must have the size of its bounds, and
-- elements that take no bytes are counted against a budget.
module Ashlar.Compat.Cereal.Get
  ( -- * Decoders
    Get,

    -- * Running decoders
    runGet,
    runGetLazy,
    runGetState,
    runGetLazyState,

    -- ** Input that is fed
    Result (..),
    runGetPartial,
    runGetChunk,

    -- * The offset in the input
    ensure,
    isolate,
    label,
    skip,
    uncheckedSkip,
    lookAhead,
    lookAheadM,
    lookAheadE,
    uncheckedLookAhead,
    bytesRead,
    remaining,
    isEmpty,

    -- * Bytes
    getBytes,
    getByteString,
    getLazyByteString,
    getShortByteString,

    -- * One byte
    getWord8,
    getInt8,

    -- * Most significant byte first
    getWord16be,
    getWord32be,
    getWord64be,
    getInt16be,
    getInt32be,
    getInt64be,

    -- * Least significant byte first
    getWord16le,
    getWord32le,
    getWord64le,
    getInt16le,
    getInt32le,
    getInt64le,

    -- * The machine's own order and size
    getWordhost,
    getWord16host,
    getWord32host,
    getWord64host,

    -- * Containers
    getTwoOf,
    getListOf,
    getIArrayOf,
    getTreeOf,
    getSeqOf,
    getMapOf,
    getIntMapOf,
    getSetOf,
    getIntSetOf,
    getMaybeOf,
    getEitherOf,
    getNested,
  )
where

import Ashlar.Get.Combinators (count)
import Ashlar.Internal.Codec.Instances.Strings (copyLazy)
import Ashlar.Internal.Codec.Length (agree)
import Ashlar.Internal.Compat.BinaryOffsets (restLength)
import Ashlar.Internal.Compat.CerealArrival
import Ashlar.Internal.Get.Budget
import qualified Ashlar.Internal.Get.Bytes as G
import Ashlar.Internal.Get.Choice
import Ashlar.Internal.Get.Chunks (Decoder)
import qualified Ashlar.Internal.Get.Chunks as G
import Ashlar.Internal.Get.Core hiding (Result)
import Ashlar.Internal.Get.Fail
import Ashlar.Internal.Get.Numbers
import qualified Ashlar.Internal.Get.Run as G
import Ashlar.Internal.Get.Strings (getByteStringCopy, getNested, getShortByteString)
import Control.Exception (displayException)
import Data.Array.IArray (IArray, Ix, listArray)
import Data.Bifunctor (first)
import Data.ByteString (ByteString)
import qualified Data.ByteString as S
import qualified Data.ByteString.Lazy as L
import Data.Int (Int64)
import Data.IntMap (IntMap)
import qualified Data.IntMap as IntMap
import Data.IntSet (IntSet)
import qualified Data.IntSet as IntSet
import Data.Map (Map)
import qualified Data.Map as Map
import Data.Sequence (Seq)
import qualified Data.Sequence as Seq
import Data.Set (Set)
import qualified Data.Set as Set
import Data.Tree (Tree (..))

-- | Decode from a strict 'ByteString'. Bytes that are left over are ignored.
runGet :: Get a -> ByteString -> Either String a
runGet g bs = first displayException (G.runGet g bs)
{-# INLINE runGet #-}

-- | Decode from a lazy 'L.ByteString', whose chunks are forced as the decoder gets there.
runGetLazy :: Get a -> L.ByteString -> Either String a
runGetLazy g lbs = first displayException (G.runLazy maxBound (\result _ _ -> result) g lbs)
{-# INLINE runGetLazy #-}

-- | 'runGet' that begins at the given index, and also returns the bytes that are left over.
runGetState :: Get a -> ByteString -> Int -> Either String (a, ByteString)
runGetState g bs from = first displayException (G.runGetRest g (S.drop from bs))
{-# INLINE runGetState #-}

-- | 'runGetLazy', also returning the bytes that are left over.
runGetLazyState :: Get a -> L.ByteString -> Either String (a, L.ByteString)
runGetLazyState g lbs = case G.runOrFail maxBound g lbs of
  Left (_, _, e) -> Left (displayException e)
  Right (rest, _, a) -> Right (a, rest)
{-# INLINE runGetLazyState #-}

-- | A decoder that is fed its input chunk by chunk. As with 'Decoder', each state can be used
-- any number of times. For that a 'Partial' keeps the input, up to 64 MiB: after these it can be
-- used once. A second use decodes all of it again.
data Result r
  = -- | It has failed: why, and what it had not read.
    Fail String ByteString
  | -- | It needs the next chunk, or to know that there is none: an empty one.
    Partial (ByteString -> Result r)
  | -- | It has ended: the result, and what it had not read.
    Done r ByteString

instance Show r => Show (Result r) where
  show result = case result of
    Fail e _ -> "Fail " ++ show e
    Partial _ -> "Partial _"
    Done r rest -> "Done " ++ show r ++ " " ++ show rest

instance Functor Result where
  fmap f result = case result of
    Fail e rest -> Fail e rest
    Partial resume -> Partial (fmap f . resume)
    Done r rest -> Done (f r) rest

-- | Start a decoder on the first chunk. The number of bytes after it is not known.
runGetPartial :: Get a -> ByteString -> Result a
runGetPartial g = runGetChunk g Nothing

-- | Start a decoder on the first chunk.
runGetChunk ::
  Get a ->
  -- | The bytes after the chunk, if their number is known. Only 'remaining' and 'isEmpty' depend on
  -- it.
  Maybe Int ->
  ByteString ->
  Result a
runGetChunk g after bs = fed (G.incrementalOn maxBound (announcing total g) bs)
  where
    total = maybe (-1) (S.length bs +) after

fed :: Decoder a -> Result a
fed state = case state of
  G.Fail rest _ e -> Fail (displayException e) rest
  G.Partial resume -> Partial (\bs -> fed (resume (if S.null bs then Nothing else Just bs)))
  G.Done rest _ a -> Done a rest

-- | Fail if fewer than @n@ bytes are left. The result is what has not been read, up to the end of
-- the chunk. It remains to be read.
ensure :: Int -> Get ByteString
ensure = ensured

-- | Skip @n@ bytes, or none if @n@ is negative.
skip :: Int -> Get ()
skip n = G.skip (max 0 n)
{-# INLINE skip #-}

-- | Skip @n@ bytes, or what has arrived, if that is less.
uncheckedSkip :: Int -> Get ()
uncheckedSkip n = unchecked n >>= skip

-- | @n@ bytes, or what has arrived, if that is less. They remain to be read.
uncheckedLookAhead :: Int -> Get ByteString
uncheckedLookAhead n = lookAhead (unchecked n >>= \m -> G.getByteString (max 0 m))

-- | Bytes read so far.
bytesRead :: Get Int
bytesRead = here

-- | The number of bytes that are left, up to the end of the innermost 'isolate' or of the input. If
-- the input is fed, only the bytes count that have arrived or were announced.
remaining :: Get Int
remaining = heldOr restLength

-- | Does the input (or the innermost 'isolate') end here? If the input is fed and its length was
-- not announced, this is 'True' where what has arrived ends.
isEmpty :: Get Bool
isEmpty = heldOr (G.isEmpty >>= \end -> pure $! if end then 0 else 1) >>= \n -> pure $! n <= 0

-- | @n@ bytes: a slice of the input if they lie in one chunk. A negative number fails.
getBytes :: Int -> Get ByteString
getBytes = G.getByteString

-- | @n@ bytes, copied. A negative number fails.
getByteString :: Int -> Get ByteString
getByteString = getByteStringCopy

-- | @n@ bytes, copied. A negative number fails.
getLazyByteString :: Int64 -> Get L.ByteString
getLazyByteString n = G.getLazyByteString n >>= \bs -> pure $! copyLazy bs

-- | The first, then the second.
getTwoOf :: Get a -> Get b -> Get (a, b)
getTwoOf ga gb = (,) <$> ga <*> gb
{-# INLINE getTwoOf #-}

-- A number of elements. It must fit an 'Int': there cannot be more elements.
getCount :: Get Int
getCount = getWord64be >>= \n -> pure $! fromIntegral (min n (fromIntegral (maxBound :: Int)))

-- | The length as a number of 64 bits, most significant byte first, then the elements, each
-- of which is forced.
getListOf :: Get a -> Get [a]
getListOf g = getCount >>= \n -> count n (g >>= \a -> a `seq` pure a)
{-# INLINE getListOf #-}

-- | The bounds, then the elements as by 'getListOf'. Fails if there are not as many as the
-- bounds enclose.
getIArrayOf :: (Ix i, IArray a e) => Get i -> Get e -> Get (a i e)
getIArrayOf gix ge = do
  bounds <- getTwoOf gix gix
  at <- here
  es <- getListOf ge
  if agree bounds (length es)
    then pure (listArray bounds es)
    else invalidFrom at "an array with another number of elements than its bounds"
{-# INLINE getIArrayOf #-}

-- | As the list of its elements, which are not forced.
getSeqOf :: Get a -> Get (Seq a)
getSeqOf g = getCount >>= \n -> count n g >>= \as -> pure $! Seq.fromList as
{-# INLINE getSeqOf #-}

-- | The root, then the list of its subtrees. Fails if trees are nested more deeply than the budget
-- of the run allows.
getTreeOf :: Get a -> Get (Tree a)
getTreeOf g = go
  where
    go = deeper (Node <$> g <*> getListOf go)
{-# INLINE getTreeOf #-}

-- | As the list of its pairs, in any order. Of equal keys, the last one counts.
getMapOf :: Ord k => Get k -> Get a -> Get (Map k a)
getMapOf gk ga = Map.fromList <$> getListOf (getTwoOf gk ga)
{-# INLINE getMapOf #-}

-- | As the list of its pairs, in any order. Of equal keys, the last one counts.
getIntMapOf :: Get Int -> Get a -> Get (IntMap a)
getIntMapOf gk ga = IntMap.fromList <$> getListOf (getTwoOf gk ga)
{-# INLINE getIntMapOf #-}

-- | As the list of its elements, in any order.
getSetOf :: Ord a => Get a -> Get (Set a)
getSetOf g = Set.fromList <$> getListOf g
{-# INLINE getSetOf #-}

-- | As the list of its elements, in any order.
getIntSetOf :: Get Int -> Get IntSet
getIntSetOf g = IntSet.fromList <$> getListOf g
{-# INLINE getIntSetOf #-}

-- | A byte, and the value unless the byte is 0.
getMaybeOf :: Get a -> Get (Maybe a)
getMaybeOf g = getWord8 >>= \tag -> if tag == 0 then pure Nothing else Just <$> g
{-# INLINE getMaybeOf #-}

-- | A byte, and the value on the left if the byte is 0, else the one on the right.
getEitherOf :: Get a -> Get b -> Get (Either a b)
getEitherOf ga gb = getWord8 >>= \tag -> if tag == 0 then Left <$> ga else Right <$> gb
{-# INLINE getEitherOf #-}
