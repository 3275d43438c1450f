{-# LANGUAGE BangPatterns #-}
{-# LANGUAGE ScopedTypeVariables #-}

-- |
-- Module      : Ashlar.Internal.Codec.Elements
-- Description : Many values of one type, one after another
--
-- The loops of lists and vectors. Elements of constant size are written and read in spans of as
-- many elements as the buffer holds, each in a tight loop without checks.
module Ashlar.Internal.Codec.Elements
  ( sizeElements,
    putElements,
    putList,
    putIndexed,
    putIndexedBare,
    getList,
    getListOf,
    getVector,
    getSuccessive,
    elementsFrom,

    -- * In ascending order
    putMap,
    putIntMap,
    putSet,
    putIntSet,
    getMap,
    getIntMap,
    getSet,
    getIntSet,
  )
where

import Ashlar.Internal.Builder.Core
import Ashlar.Internal.Codec.Class
import Ashlar.Internal.Codec.Fixed
import Ashlar.Internal.Codec.Length
import Ashlar.Internal.Codec.ReadFields (amongElements, atElement, getElement)
import Ashlar.Internal.Get.Bytes (available)
import Ashlar.Internal.Get.Core
import Ashlar.Internal.Get.Fail
import Ashlar.Internal.Get.Path (Names (..), Part (..))
import Ashlar.Internal.Get.Vectors
import Ashlar.Internal.Mem (plusCount, timesCount)
import Ashlar.Internal.Mem.Cells
import Ashlar.Internal.Mem.Check (unsafeGrow, unsafeNew, unsafeWrite)
import Data.Bits (finiteBitSize)
import qualified Data.Foldable as F
import qualified Data.IntMap.Strict as IM
import qualified Data.IntSet as IS
import qualified Data.Map.Internal as M (Map (Bin, Tip))
import qualified Data.Map.Strict as M
import qualified Data.Set as Set
import qualified Data.Set.Internal as Set (Set (Bin, Tip))
import qualified Data.Vector as V
import qualified Data.Vector.Generic as G
import qualified Data.Vector.Generic.Mutable as GM
import qualified Data.Vector.Unboxed as U
import Data.Word (Word8)
import Foreign.Ptr (Ptr, minusPtr, plusPtr)

-- | The bytes of n elements.
sizeElements ::
  Layout a ->
  -- | n.
  Int ->
  -- | The sum of their sizes. Not forced where the size is constant.
  Int ->
  Int
sizeElements elements n sizes = case elements of
  Fix f -> n `timesCount` fixedSize f
  Var _ -> sizes
{-# INLINE sizeElements #-}

-- | Write elements.
putElements :: (Foldable t, Codec a) => t a -> Builder
putElements = F.foldr (\x rest -> append (put x) rest) empty
{-# INLINE putElements #-}

-- | Write the elements of a list. Where they have constant size, the cursor stays in a register, as
-- in Note [Loops over elements].
putList :: forall a. Codec a => [a] -> Builder
putList xs = case layout :: Layout a of
  Fix f -> action (\c k -> putListFixed f xs c k)
  Var _ -> putElements xs
{-# INLINE putList #-}

putListFixed :: Fixed a -> [a] -> Cells -> Sink -> IO ()
putListFixed f xs0 c k = spanFrom xs0
  where
    width = fixedSize f
    spanFrom [] = pure ()
    spanFrom xs = do
      p <- getPtr c cursorCell
      e <- getPtr c endCell
      rest <- write e p xs
      case rest of
        [] -> pure ()
        _ -> askMore c k width width >> spanFrom rest
    write !e !p xs = case xs of
      x : rest | e `minusPtr` p >= width -> fixedWrite f p x >> write e (p `plusPtr` width) rest
      _ -> xs <$ putPtr c cursorCell p
{-# INLINE putListFixed #-}

-- | Write a number of elements, and the elements.
putIndexed ::
  forall a.
  Codec a =>
  -- | The number of elements.
  Int ->
  -- | The element at an index, from 0 on. An action, so that it can look up an element without
  -- forcing it. It must have no effect.
  (Int -> IO a) ->
  Builder
putIndexed n at = case layout of
  Fix f
    | fixedSize f > 0 -> action $ \c k -> do
      -- The request for the number covers the elements too, so the sink learns at once what is to
      -- come.
      p <- reserveFor c k lengthSize (plusCount lengthSize (elementsSize n (fixedSize f)))
      fixedWrite lengthFormat p n
      putPtr c cursorCell (p `plusPtr` lengthSize)
      putSpans f n at c k
    | otherwise -> putLength n
  Var _ -> append (putLength n) (putEach n at)
{-# INLINE putIndexed #-}

-- | 'putIndexed' without the number.
putIndexedBare :: forall a. Codec a => Int -> (Int -> IO a) -> Builder
putIndexedBare n at = case layout of
  Fix f
    | fixedSize f > 0 -> action (putSpans f n at)
    | otherwise -> empty
  Var _ -> putEach n at
{-# INLINE putIndexedBare #-}

putEach :: Codec a => Int -> (Int -> IO a) -> Builder
putEach n at = putFrom 0
  where
    putFrom i
      | i >= n = empty
      | otherwise = action (\c k -> at i >>= \x -> runOn (append (put x) (putFrom (i + 1))) c k)
{-# INLINE putEach #-}

-- The bytes of n elements of a size, as an announcement. (Elements may be one and the same value in
-- memory, so on 32 bits their product may be no 'Int'.)
elementsSize :: Int -> Int -> Int
elementsSize n width
  | finiteBitSize n == 64 = n * width
  | otherwise = n `timesCount` width
{-# INLINE elementsSize #-}

-- Write elements of constant size, at least one byte each.
--
-- Note [Loops over elements]
-- ~~~~~~~~~~~~~~~~~~~~~~~~~~
-- The inner loop is a function with its three variables as arguments, called by the outer one. Two
-- variants are slower in the benchmark "encode a Vector of SomeData": the end of the span as a free
-- variable, and two loops that call each other, so that they become one.
putSpans :: Fixed a -> Int -> (Int -> IO a) -> Cells -> Sink -> IO ()
putSpans f n at c k = go 0
  where
    width = fixedSize f
    go !i
      | i >= n = pure ()
      | otherwise = do
        p <- getPtr c cursorCell
        e <- getPtr c endCell
        let fit = (e `minusPtr` p) `quot` width
            end = if n - i <= fit then n else i + fit
        if fit <= 0
          then askMore c k width (elementsSize (n - i) width) >> go i
          else write p i end >>= putPtr c cursorCell >> go end
    -- The elements from i up to end fit into the free space.
    write :: Ptr Word8 -> Int -> Int -> IO (Ptr Word8)
    write !p !i !end
      | i >= end = pure p
      | otherwise = do
        x <- at i
        fixedWrite f p x
        write (p `plusPtr` width) (i + 1) end
{-# INLINE putSpans #-}

-- | Read a list of n elements.
--
-- Note [Lists by way of vectors]
-- ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
-- A list is built from its end, but its input starts at the beginning. If all elements are there,
-- and none can be refused, they are read from the last to the first. This is fastest. Where an
-- element may be refused, the first such element must make the error, so the elements are collected
-- in order: few of them in a list that is reversed, many in a vector. A vector takes a third of the
-- list's memory and the garbage collector does not move it, so it beats reversing a long list.
getList :: forall a. Codec a => Int -> Get [a]
getList n = case layout :: Layout a of
  Fix f | fixedPlain f -> do
    m <- readable f n
    if m == n
      then -- All elements are in memory, so this does not overflow.
        consume (n * fixedSize f) (\p -> fromEnd f p)
      else collected
  _ -> collected
  where
    collected
      | n <= 64 = chargeEmpties (leastSize (layout :: Layout a)) n >> few
      | otherwise = V.foldr' (:) [] <$> getVector n
    few = case layout :: Layout a of
      Fix f -> collect n (\i -> getElement n i f)
      Var _ -> amongElements n (collect n (\i -> atElement i >> get))
    -- Read the elements from the last down to that at p. (The format is not an argument of the
    -- loop, so GHC knows what the loop reads.)
    fromEnd :: Fixed a -> Ptr Word8 -> Get [a]
    fromEnd f p = go (n - 1) []
      where
        -- From index i down to 0.
        go !i acc
          | i < 0 = pure acc
          | otherwise =
            fixedRead f (p `plusPtr` (i * fixedSize f)) >>= \x -> x `seq` go (i - 1) (x : acc)
    {-# INLINE fromEnd #-}
{-# INLINE getList #-}

-- Read n elements, each given its index.
collect :: Int -> (Int -> Get a) -> Get [a]
collect n element = go 0 []
  where
    go !i acc
      | i >= n = pure (reverse acc)
      | otherwise = element i >>= \x -> x `seq` go (i + 1) (x : acc)
{-# INLINE collect #-}

-- | Read a list of n elements by a decoder.
getListOf :: Int -> Get a -> Get [a]
getListOf n g
  | n <= 64 = amongElements n (collect n (\i -> atElement i >> g))
  | otherwise = V.foldr' (:) [] <$> getSuccessive n (\_ -> g)
{-# INLINE getListOf #-}

-- | The elements from index i on, of n.
elementsFrom :: Int -> Int -> Fixed a -> Names
elementsFrom i n f = OfElements i n (ConstantPart (fixedSize f) (fixedNames f))
{-# INLINE elementsFrom #-}

-- How many of n elements are in the current segment.
readable :: Fixed a -> Int -> Get Int
readable f n
  | fixedSize f == 0 = pure n
  | otherwise = (\bytes -> min n (bytes `quot` fixedSize f)) <$> available
{-# INLINE readable #-}

-- | Read a vector of n elements. Its memory grows as they arrive.
getVector :: forall v a. (G.Vector v a, Codec a) => Int -> Get (v a)
getVector 0 = pure G.empty
getVector n = do
  let least = leastSize (layout :: Layout a)
  chargeEmpties least n
  first <- case layout :: Layout a of
    Fix _ -> firstCapacity least n
    -- Such elements may be vectors themselves. If each allocated what the rest of the input could
    -- hold, the memory would be quadratic.
    Var _ -> pure (min n 4)
  let filled = runGetST (unsafeNew first >>= fill 0)
  case layout :: Layout a of
    Fix _ -> filled
    Var _ -> amongElements n filled
  where
    -- The first i of n elements have been read.
    fill :: Int -> G.Mutable v s a -> GetST s (v a)
    fill !i v
      | i >= n = G.unsafeFreeze v
      | i >= GM.length v = unsafeGrow v (growthOf n i) >>= fill i
      | otherwise = case layout of
        Var _ -> one i v (atElement i >> get)
        Fix f -> do
          m <- liftGet (readable f (GM.length v - i))
          if m <= 0
            then one i v (getElement n i f)
            else do
              let end = i + m
                  -- The elements from k up to end are at p, and the vector has slots for them.
                  readOn !p !k
                    | k >= end = pure ()
                    | otherwise = do
                      x <- liftGet (fixedRead f p)
                      x `seq` unsafeWrite v k x
                      readOn (p `plusPtr` fixedSize f) (k + 1)
              insideSpanST (elementsFrom i n f) (consumeST (m * fixedSize f) (\p -> readOn p i))
              fill end v
    -- i is less than the vector's length.
    one :: Int -> G.Mutable v s a -> Get a -> GetST s (v a)
    one i v g = liftGet g >>= \x -> x `seq` (unsafeWrite v i x >> fill (i + 1) v)
{-# INLINE getVector #-}

-- | Read a vector of n elements, each by a decoder that gets the element before.
getSuccessive :: G.Vector v a => Int -> (Maybe a -> Get a) -> Get (v a)
getSuccessive n element =
  amongElements n (getEach n (\i before -> atElement i >> element before))
{-# INLINE getSuccessive #-}

-- The entries of maps and sets. Each function is given the writers or readers of keys and values.
-- Readers refuse keys that do not ascend strictly.

-- | Write the entries of a map. This walk along the tree allocates nothing. A fold that appends
-- builders allocates for each entry.
putMap :: (k -> Builder) -> (v -> Builder) -> M.Map k v -> Builder
putMap putKey putValue m0 = action $ \c s ->
  let go m = case m of
        M.Tip -> pure ()
        M.Bin _ k v left right -> go left >> runOn (append (putKey k) (putValue v)) c s >> go right
   in go m0
{-# INLINE putMap #-}

-- | Write the elements of a set.
putSet :: (a -> Builder) -> Set.Set a -> Builder
putSet putElement set0 = action $ \c s ->
  let go set = case set of
        Set.Tip -> pure ()
        Set.Bin _ x left right -> go left >> runOn (putElement x) c s >> go right
   in go set0
{-# INLINE putSet #-}

-- | Write the entries of a map.
putIntMap :: (Int -> Builder) -> (v -> Builder) -> IM.IntMap v -> Builder
putIntMap putKey putValue =
  IM.foldrWithKey (\k v rest -> append (putKey k) (append (putValue v) rest)) empty
{-# INLINE putIntMap #-}

-- | Write the elements of a set.
putIntSet :: (Int -> Builder) -> IS.IntSet -> Builder
putIntSet putElement = IS.foldr (\x rest -> append (putElement x) rest) empty
{-# INLINE putIntSet #-}

-- Note [Trees built in order]
-- ~~~~~~~~~~~~~~~~~~~~~~~~~~~
-- Entries arrive in the order of their keys, and their number is known. So the decoder builds a
-- balanced tree as they arrive: the left half, the root, the right half. Sizes of siblings differ
-- by at most one, which is balanced enough for @containers@. The tests check 'M.valid'. Collecting
-- the entries in a list for 'M.fromDistinctAscList' is several times slower. If the announced
-- number is too large, the recursion is still no deeper than the number has bits.
--
-- The key before the root is the last of the left half. The decoder finds it by walking down the
-- right edge of that half: one step on average. Also tried: returning the last key with each tree,
-- which allocates for each. (Allocation test "sets and maps".)

-- The last key before a subtree, if there is one.
data Below k = Nothing' | Below !k

-- | Read n entries.
getMap :: forall k v. Ord k => Get k -> Get v -> Int -> Get (M.Map k v)
getMap getKey getValue count = amongElements count (build 0 count Nothing')
  where
    -- The number of the first entry, and how many there are.
    build :: Int -> Int -> Below k -> Get (M.Map k v)
    build !i !n before
      | n <= 0 = pure M.Tip
      | otherwise = do
        let root = i + n `quot` 2
        left <- build i (n `quot` 2) before
        atElement root
        k <- getAbove getKey (maybe before (Below . fst) (M.lookupMax left))
        v <- getValue
        right <- v `seq` build (root + 1) (n - n `quot` 2 - 1) (Below k)
        pure $! M.Bin n k v left right
{-# INLINE getMap #-}

-- | Read n elements.
getSet :: forall a. Ord a => Get a -> Int -> Get (Set.Set a)
getSet getKey count = amongElements count (build 0 count Nothing')
  where
    build :: Int -> Int -> Below a -> Get (Set.Set a)
    build !i !n before
      | n <= 0 = pure Set.Tip
      | otherwise = do
        let root = i + n `quot` 2
        left <- build i (n `quot` 2) before
        atElement root
        x <- getAbove getKey (maybe before Below (Set.lookupMax left))
        right <- build (root + 1) (n - n `quot` 2 - 1) (Below x)
        pure $! Set.Bin n x left right
{-# INLINE getSet #-}

-- Read a key. It must be above the one before.
getAbove :: Ord k => Get k -> Below k -> Get k
getAbove getKey before = do
  at <- here
  k <- getKey
  if k `seq` isAbove k before then pure k else invalidFrom at "keys that do not ascend"
{-# INLINE getAbove #-}

isAbove :: Ord k => k -> Below k -> Bool
isAbove k before = case before of
  Nothing' -> True
  Below b -> b < k
{-# INLINE isAbove #-}

-- The shape of IntMap and IntSet depends on the bits of the keys.

-- | Read n entries. A few at a time make a map, and neighbouring maps are joined: the union of maps
-- whose keys do not overlap only looks at their edges. (One list of all entries, made from a
-- vector, would have every entry on the heap twice. Benchmark "decode IntMap Int of 100000".)
getIntMap :: forall v. Get Int -> Get v -> Int -> Get (IM.IntMap v)
getIntMap getKey getValue count = amongElements count (build 0 count Nothing')
  where
    build :: Int -> Int -> Below Int -> Get (IM.IntMap v)
    build !i !n before
      | n <= 16 = few i (i + n) before []
      | otherwise = do
        let half = n `quot` 2
        left <- build i half before
        right <- build (i + half) (n - half) (maybe before (Below . fst) (IM.lookupMax left))
        pure $! IM.union left right
    -- Read the entries with indices from i up to end. The list has those before, the last first.
    few :: Int -> Int -> Below Int -> [(Int, v)] -> Get (IM.IntMap v)
    few !i !end before entries
      | i >= end = pure $! IM.fromDistinctAscList (reverse entries)
      | otherwise = do
        k <- atElement i >> getAbove getKey before
        v <- getValue
        v `seq` few (i + 1) end (Below k) ((k, v) : entries)
{-# INLINE getIntMap #-}

-- | Read n elements. They pass through a vector, and then a lazy list that is never whole in
-- memory.
getIntSet :: Get Int -> Int -> Get IS.IntSet
getIntSet getKey n =
  (\v -> IS.fromDistinctAscList (U.toList v))
    <$> getSuccessive n (\before -> getAbove getKey (maybe Nothing' Below before))
{-# INLINE getIntSet #-}
