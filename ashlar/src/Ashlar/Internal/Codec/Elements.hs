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
  )
where

import Ashlar.Internal.Builder.Core
import Ashlar.Internal.Codec.Class
import Ashlar.Internal.Codec.Fixed
import Ashlar.Internal.Codec.Length
import Ashlar.Internal.Codec.ReadFields (amongElements, atElement, getElement)
import Ashlar.Internal.Get.Bytes (available)
import Ashlar.Internal.Get.Core
import Ashlar.Internal.Get.Path (Names (..), Part (..))
import Ashlar.Internal.Get.Vectors
import Ashlar.Internal.Mem.Cells
import Ashlar.Internal.Mem.Check (unsafeGrow, unsafeNew, unsafeWrite)
import qualified Data.Foldable as F
import qualified Data.Vector as V
import qualified Data.Vector.Generic as G
import qualified Data.Vector.Generic.Mutable as GM
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
  Fix f -> n * fixedSize f
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
      -- come. All elements are in memory, so the multiplication does not overflow.
      p <- reserveFor c k lengthSize (lengthSize + n * fixedSize f)
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
          then askMore c k width ((n - i) * width) >> go i
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
