{-# LANGUAGE BangPatterns #-}

-- |
-- Module      : Ashlar.Schema.Internal.Evolution.Permute
-- Description : Fields that stand in another order
--
-- Note [Fields in another order]
-- ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
-- Groups are written in their old order and moved afterwards. For a recursive type, moving bytes
-- again at each level would take quadratic time. So only ranges of up to 4,096 bytes are moved at
-- once, by way of free space. Longer ones are noted, and moved in one pass at the end.
module Ashlar.Schema.Internal.Evolution.Permute
  ( permuted,
  )
where

import Ashlar.Internal.Get.Core (effect)
import Ashlar.Internal.Mem (copyRange)
import Ashlar.Internal.Mem.Cells
import Ashlar.Schema.Internal.Evolution.Extent
import Ashlar.Schema.Internal.Evolution.Output
import Control.Monad (unless)
import Data.IORef
import Data.Primitive.PrimArray
import Data.Primitive.SmallArray
import Data.Word (Word8)
import Foreign.Ptr (Ptr, plusPtr)

-- | Write groups, given in their old order, and their numbers in the new order:
-- Note [Fields in another order].
permuted :: SmallArray Code -> PrimArray Int -> Run
permuted !runs !wanted out@(Out _ _ movedRef) = do
  before <- effect (readIORef movedRef)
  unless (null before) $ effect (writeIORef movedRef [])
  from <- effect (bytesWritten out)
  ends <- effect (newPrimArray count)
  let go !i
        | i >= count = pure ()
        | otherwise = case indexSmallArray runs i of
          Code r -> do
            r out
            effect (bytesWritten out >>= writePrimArray ends i)
            go (i + 1)
  go 0
  bounds <- effect (unsafeFreezePrimArray ends)
  inside <- effect (readIORef movedRef)
  unless (null before && null inside) $ effect (writeIORef movedRef before)
  arranged bounds wanted from inside out
  where
    count = sizeofSmallArray runs
{-# NOINLINE permuted #-}

-- | Put groups into their new order, or note that, given where they end, where the first one
-- begins, and the noted ranges inside of them.
arranged :: PrimArray Int -> PrimArray Int -> Int -> [Moved] -> Run
arranged !bounds !wanted !from inside out@(Out o _ movedRef) = do
  target <- effect (getInt o outTarget)
  if size <= 4096 && null inside && target < 0
    then do
      _ <- reserve False out size
      effect $ do
        start <- getPtr o outStart
        let old = start `plusPtr` from
        inOrder bounds wanted from old (old `plusPtr` size) 0
        copyRange old (old `plusPtr` size) size
    else effect (modifyIORef' movedRef (Moved from (from + size) ordered :))
  where
    count = sizeofPrimArray wanted
    size = endOf bounds from (count - 1) - from
    -- The groups in their new order.
    ordered =
      let each = smallArrayFromList (distributed inside (count - 1) [])
       in [ (endOf bounds from (i - 1), endOf bounds from i, indexSmallArray each i)
            | i <- primArrayToList wanted
          ]
    -- The noted ranges inside of each group. The last group comes first, as the last range does.
    distributed ranges i rest
      | i < 0 = rest
      | otherwise =
        let (here, earlier) = span (\(Moved a _ _) -> a >= endOf bounds from (i - 1)) ranges
         in distributed earlier (i - 1) (here : rest)
{-# NOINLINE arranged #-}

-- Where a group ends, given where the first one begins. It begins where the one before it ends.
endOf :: PrimArray Int -> Int -> Int -> Int
endOf bounds from i = if i < 0 then from else indexPrimArray bounds i
{-# INLINE endOf #-}

-- Copy groups, given where the first one is in the output.
inOrder :: PrimArray Int -> PrimArray Int -> Int -> Ptr Word8 -> Ptr Word8 -> Int -> IO ()
inOrder !bounds !wanted !from !old !to !i
  | i >= sizeofPrimArray wanted = pure ()
  | otherwise = do
    let group = indexPrimArray wanted i
        at = endOf bounds from (group - 1)
        n = endOf bounds from group - at
    copyFew to (old `plusPtr` (at - from)) n
    inOrder bounds wanted from old (to `plusPtr` n) (i + 1)
