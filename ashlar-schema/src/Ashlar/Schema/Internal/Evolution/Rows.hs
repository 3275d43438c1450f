{-# LANGUAGE BangPatterns #-}

-- |
-- Module      : Ashlar.Schema.Internal.Evolution.Rows
-- Description : Frequent steps as numbers
--
-- Most steps of a program copy numbers and strings, and write defaults and tags. Each of these is a
-- row of a table: its kind and two numbers. Loops over such tables are in
-- "Ashlar.Schema.Internal.Evolution.Straight" and "Ashlar.Schema.Internal.Evolution.Gather".
module Ashlar.Schema.Internal.Evolution.Rows
  ( isSimple,
    isRow,
    Row (..),
    Pools (..),
    rowsOf,
    rowTable,
  )
where

import Ashlar.Schema.Internal.Evolution.Op
import Ashlar.Schema.Internal.Evolution.Table
import Ashlar.Schema.Internal.Types (Length (..))
import qualified Data.ByteString as B
import qualified Data.List as List
import Data.Maybe (isJust)
import Data.Primitive.PrimArray
import Data.Word (Word8)

-- | May a step stand in a table? It has a row of its own, or is of constant size.
isSimple :: Op -> Bool
isSimple op = isRow op || isJust (constantRead op)

-- | Has a step a row of its own?
isRow :: Op -> Bool
isRow op = case op of
  Copy _ -> True
  Skip _ -> True
  Put _ -> True
  Block Length64 (Just Length64) 0 width -> width > 0
  Switch _ width _ alternatives -> isJust (tagsOf width alternatives)
  _ -> False

-- | The kind of a step, and two numbers:
--
-- * 0: copy that many bytes;
-- * 1: leave out that many bytes;
-- * 2: write that many bytes, from this index of 'poolDefaults' on;
-- * 3: copy a count and as many elements, of that many bytes each;
-- * 4: a tag: how many there are, and the index of the first in 'poolTags' and 'poolSizes';
-- * 5: another step.
data Row = Row !Int !Int !Int

-- | What the rows refer to.
data Pools = Pools
  { poolDefaults :: !(PrimArray Word8),
    -- | The new tags.
    poolTags :: !(PrimArray Word8),
    -- | How many bytes follow each, which stay.
    poolSizes :: !(PrimArray Int)
  }

-- | The rows of some lists of steps.
rowsOf :: [[Op]] -> ([[Row]], Pools)
rowsOf list = (rows, Pools (primArrayFromList defaults) (pooled fst) (pooled snd))
  where
    rows = snd (List.mapAccumL (List.mapAccumL row) (0, 0) list)
    defaults = concat [B.unpack bs | Put bs <- concat list]
    pooled f = primArrayFromList (map f (concatMap tagged (concat list)))
    tagged op = case op of
      Switch _ width _ alternatives -> maybe [] tagRows (tagsOf width alternatives)
      _ -> []
    -- The first argument is how much of the pools the rows before take: defaults, and tags.
    row :: (Int, Int) -> Op -> ((Int, Int), Row)
    row at@(!before, !tagsBefore) op = case op of
      Copy n -> (at, Row 0 n 0)
      Skip n -> (at, Row 1 n 0)
      Put bs -> ((before + B.length bs, tagsBefore), Row 2 (B.length bs) before)
      Block _ _ _ width | isRow op -> (at, Row 3 width 0)
      Switch {}
        | isRow op ->
          let n = length (tagged op) in ((before, tagsBefore + n), Row 4 n tagsBefore)
      _ -> (at, Row 5 0 0)

-- | Rows as one array.
rowTable :: [Row] -> PrimArray Int
rowTable rows = primArrayFromList (concat [[kind, a, b] | Row kind a b <- rows])
