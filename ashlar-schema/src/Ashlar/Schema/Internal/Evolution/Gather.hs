{-# LANGUAGE BangPatterns #-}

-- |
-- Module      : Ashlar.Schema.Internal.Evolution.Gather
-- Description : Fields that stand in another order, copied once
--
-- Note [Measured first]
-- ~~~~~~~~~~~~~~~~~~~~~
-- Groups of simple steps need not be written before they are moved. A first loop only measures the
-- input: where each step reads, how many bytes all of them write, and whether all is there and
-- valid. A second loop copies ranges of the input to their places and checks nothing. What stays
-- side by side is one range.
--
-- If the first loop finds bytes that are missing or invalid, nothing has been written yet. Then the
-- groups are written in their old order and moved, as others are. So errors are found in one place,
-- with the offsets of the old order. Both ways charge the same: this one demands as much free space
-- as the other, twice the bytes, and neither charges anything within the free space.
--
-- (Benchmark "all fields are reordered". Writing first and moving copies each byte three times.)
module Ashlar.Schema.Internal.Evolution.Gather
  ( Gather,
    gatherOf,
    gathered,
  )
where

import Ashlar.Internal.Get.Core (Get, step)
import Ashlar.Internal.Mem (peekHost, peekLE, pokeHost)
import Ashlar.Internal.Mem.Cells
import Ashlar.Schema.Internal.Evolution.Extent
import Ashlar.Schema.Internal.Evolution.Op
import Ashlar.Schema.Internal.Evolution.Output
import Ashlar.Schema.Internal.Evolution.Rows
import Data.Int (Int64)
import Data.List (mapAccumL)
import Data.Maybe (mapMaybe)
import Data.Primitive.PrimArray
import Data.Primitive.SmallArray
import Data.Word (Word8)
import Foreign.Ptr (Ptr, minusPtr, plusPtr)

-- | Groups of steps.
data Gather = Gather
  { -- | The rows in the old order.
    _measured :: !(PrimArray Int),
    -- | The pieces in the new order, each with its kind and two numbers.
    _placed :: !(PrimArray Int),
    _pools :: !Pools
  }

data Piece
  = -- The bytes of the rows from the first on and before the second.
    Range !Int !Int
  | -- That many bytes, from this index of 'poolDefaults' on.
    Default !Int !Int
  | -- The bytes of this row. The new tag is in 'poolTags', at this index for the first one.
    Retagged !Int !Int

-- | Groups in their old order, and their numbers in the new one. 'Nothing' if a step is not simple
-- enough.
gatherOf :: [[Op]] -> [Int] -> Maybe Gather
gatherOf list order
  | all (all isRow) list = Just (Gather (rowTable (concat rows)) (pieceTable placed) pools)
  | otherwise = Nothing
  where
    (rows, pools) = rowsOf list
    -- Each row with its number.
    each = smallArrayFromList (snd (mapAccumL (mapAccumL numbered) 0 rows))
    numbered i row = (i + 1, (i, row))
    placed = side (concatMap (mapMaybe piece . indexSmallArray each) order)
    piece (i, Row kind a b) = case kind of
      1 -> Nothing
      2 -> Just (Default a b)
      4
        | or [indexPrimArray (poolTags pools) (b + t) /= fromIntegral t | t <- [0 .. a - 1]] ->
          Just (Retagged i b)
      _ -> Just (Range i (i + 1))
    -- Ranges that lie side by side are one.
    side pieces = case pieces of
      Range a b : Range c d : rest | b == c -> side (Range a d : rest)
      p : rest -> p : side rest
      [] -> []

pieceTable :: [Piece] -> PrimArray Int
pieceTable pieces = primArrayFromList (concatMap numbers pieces)
  where
    numbers piece = case piece of
      Range a b -> [0, a, b]
      Default n at -> [1, n, at]
      Retagged i at -> [2, i, at]

-- | Write groups in their new order: Note [Measured first]. 'False' if nothing has been done: they
-- must be written in their old order and moved.
gathered :: Gather -> Out -> Get Bool
gathered (Gather measured placed pools) (Out o _ _) = step $ \c _ -> do
  p <- getPtr c cursorCell
  e <- getPtr c endCell
  q <- getPtr o outCursor
  f <- getPtr o outEnd
  target <- getInt o outTarget
  -- The addresses are at the end of the free space for as long as this takes.
  let starts = f `plusPtr` negate (8 * (count + 1)) :: Starts
      space = starts `minusPtr` q
  n <-
    if target >= 0 || space < 0
      then pure (-1)
      else measure measured count (poolSizes pools) starts p e
  if n >= 0 && n <= space && n <= (f `minusPtr` q) `quot` 2
    then do
      place placed pools starts q
      peekStart starts count >>= putPtr c cursorCell
      putPtr o outCursor (q `plusPtr` n)
      pure True
    else pure False
  where
    count = sizeofPrimArray measured `quot` 3
{-# NOINLINE gathered #-}

-- Addresses in the input, eight bytes apart.
type Starts = Ptr Word8

peekStart :: Starts -> Int -> IO (Ptr Word8)
peekStart starts i = peekHost (starts `plusPtr` (8 * i))
{-# INLINE peekStart #-}

pokeStart :: Starts -> Int -> Ptr Word8 -> IO ()
pokeStart starts i = pokeHost (starts `plusPtr` (8 * i))
{-# INLINE pokeStart #-}

-- Store where each row begins to read, and where the last one ends. Returns how many bytes the rows
-- write, or -1 if they cannot be placed.
measure :: PrimArray Int -> Int -> PrimArray Int -> Starts -> Ptr Word8 -> Ptr Word8 -> IO Int
measure !rows !count !sizes !starts !from !end = go 0 from 0
  where
    go :: Int -> Ptr Word8 -> Int -> IO Int
    go !i !p !n = do
      pokeStart starts i p
      if i >= count
        then pure n
        else do
          let a = indexPrimArray rows (3 * i + 1)
              b = indexPrimArray rows (3 * i + 2)
              left = end `minusPtr` p
          case indexPrimArray rows (3 * i) of
            0 | left >= a -> go (i + 1) (p `plusPtr` a) (n + a)
            1 | left >= a -> go (i + 1) (p `plusPtr` a) n
            -- (All of these together have no more bytes than the program.)
            2 -> go (i + 1) p (n + a)
            3 | left >= 8 -> do
              k <- peekLE p :: IO Int64
              let most = if a == 1 then left - 8 else (left - 8) `quot` a
                  size = 8 + fromIntegral k * a
              if k >= 0 && k <= fromIntegral most
                then go (i + 1) (p `plusPtr` size) (n + size)
                else pure (-1)
            4 | left >= 1 -> do
              t <- fromIntegral <$> (peekHost p :: IO Word8)
              let size = 1 + indexPrimArray sizes (b + t)
              if t < a && left >= size then go (i + 1) (p `plusPtr` size) (n + size) else pure (-1)
            _ -> pure (-1)
{-# NOINLINE measure #-}

-- Write what has been measured. All input is there and valid, and there is enough free space.
place :: PrimArray Int -> Pools -> Starts -> Ptr Word8 -> IO ()
place !pieces (Pools defaults new _) !starts = go 0
  where
    go :: Int -> Ptr Word8 -> IO ()
    go !i !q
      | i >= sizeofPrimArray pieces = pure ()
      | otherwise = do
        let a = indexPrimArray pieces (i + 1)
            b = indexPrimArray pieces (i + 2)
        case indexPrimArray pieces i of
          0 -> do
            p <- peekStart starts a
            end <- peekStart starts b
            let n = end `minusPtr` p
            copyFew q p n
            go (i + 3) (q `plusPtr` n)
          1 -> copyPrimArrayToPtr q defaults b a >> go (i + 3) (q `plusPtr` a)
          _ -> do
            p <- peekStart starts a
            end <- peekStart starts (a + 1)
            t <- fromIntegral <$> (peekHost p :: IO Word8)
            let n = end `minusPtr` p
            pokeHost q (indexPrimArray new (b + t))
            copyFew (q `plusPtr` 1) (p `plusPtr` 1) (n - 1)
            go (i + 3) (q `plusPtr` n)
{-# NOINLINE place #-}
