{-# LANGUAGE BangPatterns #-}

-- |
-- Module      : Ashlar.Schema.Internal.Evolution.Straight
-- Description : Frequent steps, side by side
--
-- Note [Straight runs]
-- ~~~~~~~~~~~~~~~~~~~~
-- Most steps of a program copy numbers and strings, and write defaults and tags. Where several
-- stand side by side, they become rows of a table, and one loop that has the cursors in registers.
-- If the input or the output has too few bytes for a row, or the row is invalid, the loop stores
-- the cursors and does the step as it would be done alone. So nothing is checked in two ways, and
-- the loop never fails itself.
module Ashlar.Schema.Internal.Evolution.Straight
  ( isSimple,
    Straight,
    straightOf,
    runStraight,
    straightGroups,
    runGroups,
  )
where

import Ashlar.Internal.Get.Env
import Ashlar.Internal.Mem (peekHost, peekLE, pokeHost)
import Ashlar.Internal.Mem.Cells
import Ashlar.Schema.Internal.Evolution.Extent
import Ashlar.Schema.Internal.Evolution.Op
import Ashlar.Schema.Internal.Evolution.Output
import Ashlar.Schema.Internal.Evolution.Permute
import Ashlar.Schema.Internal.Evolution.Table
import Ashlar.Schema.Internal.Types (Length (..))
import qualified Data.ByteString as B
import Data.Int (Int64)
import Data.Maybe (isJust)
import Data.Primitive.PrimArray
import Data.Primitive.SmallArray
import Data.Word (Word8)
import Foreign.Ptr (Ptr, minusPtr, plusPtr)
import GHC.Exts (RealWorld)
import System.IO.Unsafe (unsafePerformIO)

-- | May a step be a row?
isSimple :: Op -> Bool
isSimple op = case op of
  Block Length64 (Just Length64) 0 width -> width > 0
  Switch _ width _ alternatives -> isJust (tagsOf width alternatives)
  _ -> isJust (constantRead op)

-- | Some steps.
data Straight = Straight
  { -- | Of each its kind and two numbers.
    _rows :: !(PrimArray Int),
    -- | The defaults.
    _defaults :: !(PrimArray Word8),
    -- | The new tags, and how many bytes follow each.
    _tags :: !(PrimArray Word8),
    _sizes :: !(PrimArray Int),
    -- | Each step as it is done alone.
    _alone :: !(SmallArray Code)
  }

-- What a row does.
copies, skips, puts, strings, tags, marks, others :: Int
copies = 0
skips = 1
puts = 2
strings = 3
tags = 4
marks = 5
others = 6

-- | The rows of some simple steps, given how to do a step alone.
straightOf :: (Op -> Code) -> [Op] -> Straight
straightOf alone ops = rowsOf [(Just op, alone op) | op <- ops]

-- | The rows of groups of simple steps. After each group, the place in the output is noted.
straightGroups :: (Op -> Code) -> [[Op]] -> Straight
straightGroups alone list =
  rowsOf (concat [[(Just op, alone op) | op <- ops] ++ [(Nothing, nothing)] | ops <- list])
  where
    nothing = Code (\_ _ _ -> pure ())

-- 'Nothing' notes the place.
rowsOf :: [(Maybe Op, Code)] -> Straight
rowsOf steps =
  Straight
    (primArrayFromList (rows 0 0 0 ops))
    (primArrayFromList (concat [B.unpack bs | Just (Put bs) <- ops]))
    (primArrayFromList (map fst alternatives))
    (primArrayFromList (map snd alternatives))
    (smallArrayFromList (map snd steps))
  where
    ops = map fst steps
    alternatives = concatMap tagged ops
    tagged op = case op of
      Just (Switch _ width _ each) -> maybe [] tagRows (tagsOf width each)
      _ -> []
    rows :: Int -> Int -> Int -> [Maybe Op] -> [Int]
    rows !marked !pooled !sized list = case list of
      [] -> []
      op : rest -> case op of
        Nothing -> marks : marked : 0 : rows (marked + 1) pooled sized rest
        Just (Copy n) -> copies : n : 0 : rows marked pooled sized rest
        Just (Skip n) -> skips : n : 0 : rows marked pooled sized rest
        Just (Put bs) ->
          puts : B.length bs : pooled : rows marked (pooled + B.length bs) sized rest
        Just (Block _ _ _ width) -> strings : width : 0 : rows marked pooled sized rest
        Just (Switch {}) ->
          let n = length (tagged op) in tags : n : sized : rows marked pooled (sized + n) rest
        _ -> others : 0 : 0 : rows marked pooled sized rest

-- | Do some steps n times.
runStraight :: Straight -> Int -> Run
runStraight straight n c env out
  | n <= 0 = pure ()
  | otherwise = rowsRun straight noMarks n c env out

-- Nothing is ever written to it.
noMarks :: MutablePrimArray RealWorld Int
noMarks = unsafePerformIO (newPrimArray 0)
{-# NOINLINE noMarks #-}

-- | Do groups of steps, and put what they write into another order: the numbers of the groups.
runGroups :: Straight -> PrimArray Int -> Run
runGroups straight wanted c env out = do
  from <- written out
  ends <- newPrimArray (sizeofPrimArray wanted)
  rowsRun straight ends 1 c env out
  bounds <- unsafeFreezePrimArray ends
  arranged bounds wanted from [] c env out

rowsRun :: Straight -> MutablePrimArray RealWorld Int -> Int -> Run
rowsRun (Straight rows defaults new sizes alone) !ends !times c env out@(Out o _ _) = start times 0
  where
    start !k !i = do
      p <- getPtr c cursorCell
      e <- getPtr c endCell
      q <- getPtr o outCursor
      f <- getPtr o outEnd
      go e f k i p q
    -- The ends of the input and of the output, how many times are left, the row, and the cursors.
    go :: Ptr Word8 -> Ptr Word8 -> Int -> Int -> Ptr Word8 -> Ptr Word8 -> IO ()
    go !e !f !k !i !p !q
      | i >= sizeofPrimArray rows =
        if k > 1 then go e f (k - 1) 0 p q else putPtr c cursorCell p >> putPtr o outCursor q
      | otherwise = do
        let a = indexPrimArray rows (i + 1)
            b = indexPrimArray rows (i + 2)
            left = e `minusPtr` p
            space = f `minusPtr` q
        case indexPrimArray rows i of
          0 | left >= a && space >= a -> do
            copyFew q p a
            go e f k (i + 3) (p `plusPtr` a) (q `plusPtr` a)
          1 | left >= a -> go e f k (i + 3) (p `plusPtr` a) q
          2 | space >= a -> do
            copyPrimArrayToPtr q defaults b a
            go e f k (i + 3) p (q `plusPtr` a)
          3 | left >= 8 -> do
            n <- peekLE p :: IO Int64
            let most = if a == 1 then left - 8 else (left - 8) `quot` a
                size = 8 + fromIntegral n * a
            if n >= 0 && n <= fromIntegral most && space >= size
              then do
                copyFew q p size
                go e f k (i + 3) (p `plusPtr` size) (q `plusPtr` size)
              else single k i p q
          4 | left >= 1 -> do
            t <- fromIntegral <$> (peekHost p :: IO Word8)
            let n = 1 + indexPrimArray sizes (b + t)
            if t < a && left >= n && space >= n
              then do
                pokeHost q (indexPrimArray new (b + t))
                copyFew (q `plusPtr` 1) (p `plusPtr` 1) (n - 1)
                go e f k (i + 3) (p `plusPtr` n) (q `plusPtr` n)
              else single k i p q
          5 -> do
            begin <- getPtr o outStart
            writePrimArray ends a (q `minusPtr` begin)
            go e f k (i + 3) p q
          _ -> single k i p q
    -- The step alone, and what follows it.
    single !k !i !p !q = do
      putPtr c cursorCell p
      putPtr o outCursor q
      case indexSmallArray alone (i `quot` 3) of
        Code r -> r c env out
      start k (i + 3)
{-# NOINLINE rowsRun #-}
