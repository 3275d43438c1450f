{-# LANGUAGE BangPatterns #-}
{-# LANGUAGE ScopedTypeVariables #-}

-- |
-- Module      : Ashlar.Internal.Compat.Elements
-- Description : Containers in the formats of binary and cereal
--
-- In both libraries a container is the number of its elements, in 64 bits with the most
-- significant byte first, and the elements.
--
-- Note [Counts in untrusted input]
-- ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
-- A count is never trusted. Memory grows with the elements that have been read, and an
-- element that reads nothing is charged to the budget of the run for empty elements. A
-- negative count fails at once; the loops of both libraries would go on until the input
-- ends, and for ever if the elements take no bytes.
--
-- Note [Loops apart]
-- ~~~~~~~~~~~~~~~~~~
-- The instances are compiled with @-fno-do-lambda-eta-expansion@ (Note [Fusing puts] in
-- "Ashlar.Internal.Builder.Put"). Loops are not: without eta-expansion each round allocates
-- closures, and GHC 9.0.2 panics on the loops over vectors in 'getVectorOf'. So loops are
-- here and in "Ashlar.Internal.Compat.Lists", and the instances that inline them are in
-- modules without that option.
module Ashlar.Internal.Compat.Elements
  ( -- * Counts
    putCount,
    getCount,

    -- * Numbers of constant size
    putNumbers,
    getNumbers,

    -- * Any elements
    putElements,
    putEach,
    getElements,
    getElementsLazily,

    -- * Maps and sets
    putMapEntries,
    putSetElements,
    putIntMapEntries,
    getMapEntries,
    getSetElements,
    ascending,

    -- * Arrays
    putArray,
    getArray,
  )
where

import Ashlar.Get.Combinators (count)
import Ashlar.Internal.Builder.Core
import Ashlar.Internal.Builder.Numbers (int64BE)
import Ashlar.Internal.Builder.Put (Put, execPut, putBuilder)
import Ashlar.Internal.Codec.Fixed (narrow)
import Ashlar.Internal.Codec.Length (agree)
import Ashlar.Internal.Get.Budget (chargeRound)
import Ashlar.Internal.Get.Bytes (available)
import Ashlar.Internal.Get.Core
import Ashlar.Internal.Get.Fail
import Ashlar.Internal.Get.Numbers (getInt64be)
import Ashlar.Internal.Get.Vectors (NumberElement, getVectorBE, getVectorOf)
import Ashlar.Internal.Mem (Number, peekBE, pokeBE)
import Ashlar.Internal.Mem.Cells
import Data.Array.IArray (IArray, Ix, bounds, elems, listArray, rangeSize)
import Data.Bits (finiteBitSize)
import qualified Data.Foldable as F
import qualified Data.IntMap as IM
import qualified Data.Map.Internal as M (Map (Bin, Tip))
import qualified Data.Set.Internal as Set (Set (Bin, Tip))
import qualified Data.Vector as V
import qualified Data.Vector.Primitive as P
import Data.Word (Word8)
import Foreign.Ptr (Ptr, minusPtr, plusPtr)
import Foreign.Storable (sizeOf)

-- | A number of elements: 64 bits, most significant byte first.
putCount :: Int -> Builder
putCount n = int64BE (fromIntegral n)
{-# INLINE putCount #-}

-- | A number of elements. It may be negative and must not be trusted:
-- Note [Counts in untrusted input]. Where an 'Int' has 32 bits, not every number fits.
getCount :: Get Int
getCount
  | finiteBitSize (0 :: Int) == 64 = fromIntegral <$> getInt64be
  | otherwise = getInt64be >>= either invalid pure . narrow
{-# INLINE getCount #-}

negative :: Int -> Get a
negative n = invalid ("negative number of elements: " ++ show n)
{-# NOINLINE negative #-}

-- | The number of elements of a list, and each as a number of constant size. The list is counted
-- before an element is evaluated, as in both libraries. (Test "lists of numbers are as lazy as
-- there".)
putNumbers :: forall a w. (Number w, Num w) => (a -> w) -> [a] -> Builder
putNumbers toNumber xs0 = append (putCount n0) (action (\c k -> remaining c k n0 xs0))
  where
    n0 = length xs0
    width = sizeOf (0 :: w)
    -- Write the n elements that are left.
    remaining :: Cells -> Sink -> Int -> [a] -> IO ()
    remaining c k !n xs = case xs of
      [] -> pure ()
      _ -> do
        -- All elements have cells in memory, so the product does not overflow.
        p <- reserveFor c k width (n * width)
        e <- getPtr c endCell
        (p', rest) <- fill e p xs
        putPtr c cursorCell p'
        remaining c k (n - (p' `minusPtr` p) `quot` width) rest
    -- Write as many elements as there is free space for.
    fill :: Ptr Word8 -> Ptr Word8 -> [a] -> IO (Ptr Word8, [a])
    fill !e !p xs = case xs of
      x : rest | e `minusPtr` p >= width -> do
        pokeBE p (toNumber x)
        fill e (p `plusPtr` width) rest
      _ -> pure (p, xs)
{-# INLINE putNumbers #-}

-- | A list of n numbers of constant size. If all bytes are at hand, the list is made from its end,
-- without a check for each element. Otherwise the numbers are collected in a vector, which grows as
-- they arrive.
getNumbers :: forall w a. NumberElement w => (w -> a) -> Int -> Get [a]
getNumbers fromNumber n
  | n < 0 = negative n
  | otherwise = do
    bytes <- available
    if n <= bytes `quot` width
      then consume (n * width) (\p -> effect (fromEnd p (n - 1) []))
      else P.foldr' (\w rest -> strictly (fromNumber w) rest) [] <$> vector
  where
    width = sizeOf (0 :: w)
    vector = getVectorBE n :: Get (P.Vector w)
    strictly !x rest = x : rest
    -- The elements from number i down lie at p.
    fromEnd :: Ptr Word8 -> Int -> [a] -> IO [a]
    fromEnd !p !i acc
      | i < 0 = pure acc
      | otherwise = do
        w <- peekBE (p `plusPtr` (i * width))
        let !x = fromNumber w
        fromEnd p (i - 1) (x : acc)
{-# INLINE getNumbers #-}

-- | The number of elements, and each by a put.
putElements :: Foldable t => (a -> Put) -> t a -> Builder
putElements p xs = append (putCount (F.length xs)) (putEach p xs)
{-# INLINE putElements #-}

-- | Write each element with a put.
putEach :: Foldable t => (a -> Put) -> t a -> Builder
putEach p xs = action $ \c k ->
  F.foldr (\x rest -> runOn (execPut (p x)) c k >> rest) (pure ()) xs
{-# INLINE putEach #-}

-- | A list of n elements, each of which is forced.
getElements :: Int -> Get a -> Get [a]
getElements n p
  | n > 64 = V.foldr' (:) [] <$> getVectorOf n p
  | n < 0 = negative n
  | otherwise = count n (p >>= \x -> x `seq` pure x)
{-# NOINLINE getElements #-}

-- | A list of n elements, which are not forced.
getElementsLazily :: Int -> Get a -> Get [a]
getElementsLazily n p
  | n < 0 = negative n
  | otherwise = count n p
{-# NOINLINE getElementsLazily #-}

-- | The entries of a map, by ascending key. (A walk along the tree, as here, allocates
-- nothing.)
putMapEntries :: (k -> Put) -> (v -> Put) -> M.Map k v -> Builder
putMapEntries pk pv m0 = action (\c s -> go c s m0)
  where
    go c s m = case m of
      M.Tip -> pure ()
      M.Bin _ k v left right -> do
        go c s left
        runOn (append (execPut (pk k)) (execPut (pv v))) c s
        go c s right
{-# INLINE putMapEntries #-}

-- | The elements of a set, ascending.
putSetElements :: (a -> Put) -> Set.Set a -> Builder
putSetElements p m0 = action (\c s -> go c s m0)
  where
    go c s m = case m of
      Set.Tip -> pure ()
      Set.Bin _ x left right -> go c s left >> runOn (execPut (p x)) c s >> go c s right
{-# INLINE putSetElements #-}

-- | The entries of an 'IM.IntMap', by ascending key.
putIntMapEntries :: (v -> Put) -> IM.IntMap v -> Builder
putIntMapEntries p m = action $ \c s ->
  let entry k v rest = runOn (append (putCount k) (execPut (p v))) c s >> rest
   in IM.foldrWithKey entry (pure ()) m
{-# INLINE putIntMapEntries #-}

-- | A map of n entries, in the order in which they arrive: nothing checks that they ascend. The
-- tree is built as they arrive: see Note [Trees built in order] in
-- "Ashlar.Internal.Codec.Elements".
getMapEntries :: forall k v. Get k -> Get v -> Int -> Get (M.Map k v)
getMapEntries gk gv n0
  | n0 < 0 = negative n0
  | otherwise = build n0
  where
    build :: Int -> Get (M.Map k v)
    build n
      | n <= 0 = pure M.Tip
      | otherwise = do
        left <- build (n `quot` 2)
        before <- here
        k <- gk
        v <- gv
        after <- here
        if after == before then chargeRound else pure ()
        right <- build (n - n `quot` 2 - 1)
        pure $! M.Bin n k v left right
{-# INLINE getMapEntries #-}

-- | A set of n elements, in the order in which they arrive: nothing checks that they ascend.
getSetElements :: forall a. Get a -> Int -> Get (Set.Set a)
getSetElements g n0
  | n0 < 0 = negative n0
  | otherwise = build n0
  where
    build :: Int -> Get (Set.Set a)
    build n
      | n <= 0 = pure Set.Tip
      | otherwise = do
        left <- build (n `quot` 2)
        before <- here
        x <- g
        after <- here
        if after == before then chargeRound else pure ()
        right <- build (n - n `quot` 2 - 1)
        pure $! Set.Bin n x left right
{-# INLINE getSetElements #-}

-- | Is each key greater than the one before?
ascending :: Ord k => (a -> k) -> [a] -> Bool
ascending key xs = case xs of
  [] -> True
  x : rest -> go (key x) rest
  where
    go !before ys = case ys of
      [] -> True
      y : more -> before < key y && go (key y) more
{-# INLINE ascending #-}

-- | The bounds, the number of elements, and the elements.
putArray :: (Ix i, IArray a e) => ((i, i) -> Put) -> (e -> Put) -> a i e -> Put
putArray putBounds p a =
  putBounds (bounds a)
    *> putBuilder (append (putCount (rangeSize (bounds a))) (putEach p (elems a)))
{-# INLINE putArray #-}

-- | An array. It must have as many elements as its bounds enclose.
getArray ::
  (Ix i, IArray a e) =>
  -- | The bounds.
  Get (i, i) ->
  -- | A number of elements, each of which is forced.
  (Int -> Get [e]) ->
  Get (a i e)
getArray getBounds get = do
  bs <- getBounds
  at <- here
  n <- getCount
  xs <- get n
  if agree bs n
    then pure $! listArray bs xs
    else invalidFrom at "an array with another number of elements than its bounds"
{-# INLINE getArray #-}
