{-# LANGUAGE UnboxedTuples #-}

-- |
-- Module      : Ashlar.Internal.Builder.First
-- Description : The first buffer of a run, small and with the cells in it
--
-- Note [Small first buffers]
-- ~~~~~~~~~~~~~~~~~~~~~~~~~~
-- Most runs write a few bytes: a number, a key, a short response. A run begins in a buffer of
-- 'firstSize' bytes. It is one object with the two cells of the run, which stand before the bytes,
-- so one allocation serves both. All else that only longer output needs is made by the first
-- request: the record of the output so far, and a larger buffer, into which the bytes are copied.
--
-- Lazy output goes on in that larger buffer without suspending, whatever is asked of the sink. So
-- where its chunks end does not depend on the small buffer.
--
-- Tried and dropped: a first buffer of 4 KiB for lazy output. It is a large object of GHC's, which
-- takes longer to allocate than a short response to write. Copying the bytes of a small buffer to
-- their size takes half as long again as writing one number. (Allocation tests "one number, strict"
-- and "a short response, lazy". Benchmarks "short: one Integer" and "short: a map of 10".)
module Ashlar.Internal.Builder.First
  ( First (..),
    newFirst,
    firstOpen,
    firstSize,
    runInFirst,
  )
where

import Ashlar.Internal.Builder.Buffer
import Ashlar.Internal.Builder.Core
import Ashlar.Internal.Mem.Cells
import qualified Ashlar.Internal.Mem.Check as Check
import Data.Primitive.ByteArray
  ( MutableByteArray (..),
    mutableByteArrayContents,
    newPinnedByteArray,
  )
import Data.Word (Word8)
import Foreign.Ptr (plusPtr)
import GHC.Exts (Ptr (Ptr), lazy)
import GHC.ForeignPtr (ForeignPtr (..), ForeignPtrContents (..))
import GHC.IO (IO (..))

-- | The cells of one run, and then its first buffer.
data First = First {firstCells :: Cells}

-- | The bytes of a first buffer.
firstSize :: Int
firstSize = 128
{-# INLINE firstSize #-}

-- The bytes of the two cells: at most eight each.
cellBytes :: Int
cellBytes = Check.cellBytes (cellsUpTo endCell)
{-# INLINE cellBytes #-}

-- | Cells and a buffer, not initialised.
newFirst :: IO First
newFirst = do
  MutableByteArray c <- newPinnedByteArray (cellBytes + firstSize)
  Check.noneWritten c (cellsUpTo endCell)
  pure (First c)
{-# INLINE newFirst #-}

firstFrom :: First -> Ptr Word8
firstFrom (First c) = mutableByteArrayContents (MutableByteArray c) `plusPtr` cellBytes
{-# INLINE firstFrom #-}

-- | The buffer, of which nothing has been handed out.
firstOpen :: First -> Open
firstOpen first@(First c) = case firstFrom first of
  from@(Ptr a) -> Open (ForeignPtr a (PlainPtr c)) firstSize from
{-# INLINE firstOpen #-}

-- | 'Ashlar.Internal.Builder.Run.runBuilderWith' in a first buffer.
--
-- The buffer lives while the builder runs, because the cells are read after that. A compiler that
-- finds that the builder never returns would drop what comes after it, but 'lazy' hides the builder
-- until no such analysis follows. ('Ashlar.Internal.Mem.keepAlive' would allocate a closure, on GHC
-- 9.10.) So what a caller uses after this call lives as long.
runInFirst :: First -> Sink -> Builder -> IO (Ptr Word8)
runInFirst first@(First c) k (Builder b) = do
  putPtr c cursorCell (firstFrom first)
  putPtr c endCell (firstFrom first `plusPtr` firstSize)
  IO (\s -> (# lazy b c k s, () #))
  getPtr c cursorCell
{-# INLINE runInFirst #-}
