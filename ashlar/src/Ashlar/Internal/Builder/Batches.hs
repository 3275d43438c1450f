-- |
-- Module      : Ashlar.Internal.Builder.Batches
-- Description : Something long, as much at a time as fits
--
-- The loop of every builder that turns a known number of units (bytes of a string, units
-- of a text) into output: make room for one at least, see how many fit, write these, and
-- go on behind them.
module Ashlar.Internal.Builder.Batches
  ( inBatches,
    eachFits,
  )
where

import Ashlar.Internal.Builder.Core
import Ashlar.Internal.Mem.Cells
import Data.Word (Word8)
import Foreign.Ptr (Ptr, minusPtr)

-- | @inBatches c k total least likely fitting write@ writes the units from 0 to below
-- @total@, piece by piece.
--
-- * @least@ bytes are reserved for a piece, so that it has one unit at least, and every
--   round makes progress.
-- * @likely left@ is the number of bytes, not less than @least@, that are likely to come
--   where so many units are left.
-- * @fitting off room@ is the number of units, from unit @off@ on, that surely fit into
--   @room@ bytes. It must be positive, and not more than are left.
-- * @write p off n@ writes @n@ units from unit @off@ on, and returns the address behind
--   them. It is called with what @fitting@ has said: there is room at @p@ for these units.
inBatches :: Cells -> Sink -> Int -> Int -> (Int -> Int) -> (Int -> Int -> Int) -> (Ptr Word8 -> Int -> Int -> IO (Ptr Word8)) -> IO ()
inBatches c k total least likely fitting write = go 0
  where
    go off
      | off >= total = pure ()
      | otherwise = do
        p <- reserveFor c k least (likely (total - off))
        e <- getPtr c endCell
        let n = fitting off (e `minusPtr` p)
        p' <- write p off n
        putPtr c cursorCell p'
        go (off + n)
{-# INLINE inBatches #-}

-- | @eachFits most total bound@ tells how many units fit ('inBatches') where each takes at
-- most @bound@ bytes, and no piece is to have more than @most@.
eachFits :: Int -> Int -> Int -> Int -> Int -> Int
eachFits most total bound off room = min (min most (total - off)) (room `quot` bound)
{-# INLINE eachFits #-}
