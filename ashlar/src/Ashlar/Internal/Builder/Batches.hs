-- |
-- Module      : Ashlar.Internal.Builder.Batches
-- Description : Long values, written at once or in batches that fit into the free space
module Ashlar.Internal.Builder.Batches
  ( inBatches,
    inBatchesMoving,
    eachFits,
    atOnceOr,
  )
where

import Ashlar.Internal.Builder.Core
import Ashlar.Internal.Mem.Cells
import Ashlar.Internal.Mem.Check
import Data.Word (Word8)
import Foreign.Ptr (Ptr, minusPtr)

-- | Write units number 0 to @total - 1@ in batches.
--
-- The loop of every builder that writes a known number of units, such as the bytes of a string:
-- reserve space for one unit, see how many fit, write this batch, and continue after it.
inBatches ::
  Cells ->
  Sink ->
  -- | @total@, the number of units.
  Int ->
  -- | The bytes to reserve for a batch: enough for one unit, so that every round makes progress.
  Int ->
  -- | @likely left@ is how many bytes are likely to come from the @left@ units that remain; not
  -- less than are reserved.
  (Int -> Int) ->
  -- | @fitting off free@ is the number of units from unit @off@ on that surely fit into @free@
  -- bytes. It must be positive, and at most the number that remains.
  (Int -> Int -> Int) ->
  -- | @write p off n@ writes @n@ units from unit @off@ on at @p@, where they fit as @fitting@ said,
  -- and returns the address after them.
  (Ptr Word8 -> Int -> Int -> IO (Ptr Word8)) ->
  IO ()
inBatches c k total least likely fitting write =
  inBatchesMoving c k total least likely fitting $ \free p off n ->
    within "batch" "inBatches" free (\q -> write q off n) p
{-# INLINE inBatches #-}

-- | 'inBatches' for a write that moves the cursor itself. It is also given the bytes of free space.
inBatchesMoving ::
  Cells ->
  Sink ->
  Int ->
  Int ->
  (Int -> Int) ->
  (Int -> Int -> Int) ->
  (Int -> Ptr Word8 -> Int -> Int -> IO (Ptr Word8)) ->
  IO ()
inBatchesMoving c k total least likely fitting write = go 0
  where
    go off
      | off >= total = pure ()
      | otherwise = do
        p <- reserveFor c k least (likely (total - off))
        e <- getPtr c endCell
        let free = e `minusPtr` p
            n = fitting off free
        check
          "batch"
          "inBatches"
          (0 < n && n <= total - off)
          [("units", n), ("left", total - off), ("free", free)]
        p' <- write free p off n
        putPtr c cursorCell p'
        go (off + n)
{-# INLINE inBatchesMoving #-}

-- | How many units fit, for 'inBatches', where each takes at most the same number of bytes.
eachFits ::
  -- | The most units of a batch.
  Int ->
  -- | The number of units.
  Int ->
  -- | The most bytes of a unit.
  Int ->
  -- | The first unit of the batch.
  Int ->
  -- | The bytes of free space.
  Int ->
  Int
eachFits most total bound off free = min (min most (total - off)) (free `quot` bound)
{-# INLINE eachFits #-}

-- | Write at once if the free space is large enough, and with another builder if it is not.
atOnceOr ::
  -- | The other builder, which writes the same bytes.
  Builder ->
  -- | The bytes of what comes first, such as a length. Not negative.
  Int ->
  -- | Does the rest fit into this number of bytes? It is not negative.
  (Int -> Bool) ->
  -- | Write everything at this address, where it fits, and return the address after it.
  (Ptr Word8 -> IO (Ptr Word8)) ->
  Builder
atOnceOr other first fits write = action $ \c k -> do
  p <- getPtr c cursorCell
  e <- getPtr c endCell
  let free = e `minusPtr` p - first
  if free >= 0 && fits free
    then write p >>= putPtr c cursorCell
    else runOn other c k
{-# INLINE atOnceOr #-}
