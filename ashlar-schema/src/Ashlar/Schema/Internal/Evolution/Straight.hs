{-# LANGUAGE BangPatterns #-}

-- |
-- Module      : Ashlar.Schema.Internal.Evolution.Straight
-- Description : Frequent steps, side by side
--
-- Note [Straight runs]
-- ~~~~~~~~~~~~~~~~~~~~
-- Adjacent simple steps become rows of a table. One loop runs the rows, with the cursors in
-- registers. If the input or the output has too few bytes for a row, or its input is invalid, the
-- loop stores the cursors and runs the step alone. So nothing is checked in two ways, and the loop
-- never fails itself.
module Ashlar.Schema.Internal.Evolution.Straight
  ( Straight,
    straightOf,
    runStraight,
  )
where

import Ashlar.Internal.Get.Core (Get, cursor, effect, inspect)
import Ashlar.Internal.Mem (peekHost, peekLE, pokeHost)
import Ashlar.Internal.Mem.Cells
import Ashlar.Schema.Internal.Evolution.Extent
import Ashlar.Schema.Internal.Evolution.Op
import Ashlar.Schema.Internal.Evolution.Output
import Ashlar.Schema.Internal.Evolution.Rows
import Data.Int (Int64)
import Data.Primitive.PrimArray
import Data.Primitive.SmallArray
import Data.Word (Word8)
import Foreign.Ptr (Ptr, minusPtr, plusPtr)

-- | Some steps.
data Straight = Straight
  { -- | The rows.
    _rows :: !(PrimArray Int),
    _pools :: !Pools,
    -- | Each step as it is run alone.
    _alone :: !(SmallArray Code)
  }

-- | The rows of some simple steps, given how to run a step alone.
straightOf :: (Op -> Code) -> [Op] -> Straight
straightOf alone ops =
  Straight (rowTable (concat rows)) pools (smallArrayFromList (map alone ops))
  where
    (rows, pools) = rowsOf [ops]

-- | Run some steps n times: Note [Straight runs].
runStraight :: Straight -> Int -> Run
runStraight straight n out
  | n <= 0 = pure ()
  | otherwise = rowsRun straight n out

rowsRun :: Straight -> Int -> Run
rowsRun (Straight rows (Pools defaults new sizes) alone) !times out@(Out o _ _) = start times 0
  where
    start !k !i = do
      p <- cursor
      e <- inspect (\c _ _ -> getPtr c endCell)
      q <- effect (getPtr o outCursor)
      f <- effect (getPtr o outEnd)
      go e f k i p q
    -- The ends of the input and of the output, how many times are left, the row, and the cursors.
    go :: Ptr Word8 -> Ptr Word8 -> Int -> Int -> Ptr Word8 -> Ptr Word8 -> Get ()
    go !e !f !k !i !p !q
      | i >= sizeofPrimArray rows =
        if k > 1 then go e f (k - 1) 0 p q else advanced p out q
      | otherwise =
        let a = indexPrimArray rows (i + 1)
            b = indexPrimArray rows (i + 2)
            left = e `minusPtr` p
            space = f `minusPtr` q
         in case indexPrimArray rows i of
              0 | left >= a && space >= a -> do
                effect (copyFew q p a)
                go e f k (i + 3) (p `plusPtr` a) (q `plusPtr` a)
              1 | left >= a -> go e f k (i + 3) (p `plusPtr` a) q
              2 | space >= a -> do
                effect (copyPrimArrayToPtr q defaults b a)
                go e f k (i + 3) p (q `plusPtr` a)
              3 | left >= 8 -> do
                n <- effect (peekLE p :: IO Int64)
                let most = if a == 1 then left - 8 else (left - 8) `quot` a
                    size = 8 + fromIntegral n * a
                if n >= 0 && n <= fromIntegral most && space >= size
                  then do
                    effect (copyFew q p size)
                    go e f k (i + 3) (p `plusPtr` size) (q `plusPtr` size)
                  else single k i p q
              4 | left >= 1 -> do
                t <- effect (fromIntegral <$> (peekHost p :: IO Word8))
                let n = 1 + indexPrimArray sizes (b + t)
                if t < a && left >= n && space >= n
                  then do
                    effect $ do
                      pokeHost q (indexPrimArray new (b + t))
                      copyFew (q `plusPtr` 1) (p `plusPtr` 1) (n - 1)
                    go e f k (i + 3) (p `plusPtr` n) (q `plusPtr` n)
                  else single k i p q
              _ -> single k i p q
    single !k !i !p !q = do
      advanced p out q
      case indexSmallArray alone (i `quot` 3) of
        Code r -> r out
      start k (i + 3)
{-# NOINLINE rowsRun #-}
