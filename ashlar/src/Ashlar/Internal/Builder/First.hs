-- |
-- Module      : Ashlar.Internal.Builder.First
-- Description : The first buffer of a run, small and with the cells in it
--
-- Note [Small first buffers]
-- ~~~~~~~~~~~~~~~~~~~~~~~~~~
-- Most runs write a few bytes: a number, a key, a short response. A run begins in a buffer of
-- 'firstSize' bytes. It is one object with the two cells of the run, which stand before the bytes, so
-- one allocation serves both. All else that only longer output needs is made by the first request:
-- the record of the output so far, and a larger buffer, into which the bytes are copied.
--
-- Lazy output goes on in that larger buffer without suspending, whatever is asked of the sink. So
-- where its chunks end does not depend on the small buffer.
--
-- Tried and dropped: a first buffer of 4 KiB for lazy output. It is a large object of GHC's, which
-- takes longer to allocate than a short response to write. Copying the bytes of a small buffer to
-- their size takes half as long again as writing one number. (Allocation tests "one number, strict"
-- and "a short response, lazy". Benchmarks "one Int" and "a map of 10".)
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
import Data.Primitive.ByteArray
  ( MutableByteArray (..),
    mutableByteArrayContents,
    newPinnedByteArray,
  )
import Data.Word (Word8)
import Foreign.Ptr (plusPtr)
import GHC.Exts (Ptr (Ptr))
import GHC.ForeignPtr (ForeignPtr (..), ForeignPtrContents (..))

-- | The cells of one run, and then its first buffer.
--
-- The builder writes the buffer by its address, so the value must be kept alive while it does.
data First = First {firstCells :: Cells}

-- | The bytes of a first buffer.
firstSize :: Int
firstSize = 128
{-# INLINE firstSize #-}

-- The bytes of the two cells: at most eight each.
cellBytes :: Int
cellBytes = 8 * cellsUpTo endCell
{-# INLINE cellBytes #-}

-- | Cells and a buffer, not initialised.
newFirst :: IO First
newFirst = do
  MutableByteArray c <- newPinnedByteArray (cellBytes + firstSize)
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

-- | 'runBuilderWith' in a first buffer.
runInFirst :: First -> Sink -> Builder -> IO (Ptr Word8)
runInFirst first@(First c) k b = do
  putPtr c cursorCell (firstFrom first)
  putPtr c endCell (firstFrom first `plusPtr` firstSize)
  runOn b c k
  getPtr c cursorCell
{-# INLINE runInFirst #-}
