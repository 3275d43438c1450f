{-# LANGUAGE MagicHash #-}

-- |
-- Module      : Ashlar.Schema.Internal.Evolution.Output
-- Description : Where translated bytes go
--
-- Note [Bytes that nobody sent]
-- ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
-- A translation may write more than it reads: numbers widen to eight times their size, elements of
-- no bytes gain a default, and a default may be large. So eight bytes of untrusted input could ask
-- for any amount of memory. Elements of no bytes are steps of the budget, as everywhere. Of the
-- bytes written, eight for each byte read are free, and 256 more. Each 64 beyond that are a step.
-- So the default budget allows 64 MiB of them. A factor alone would refuse honest data: small
-- records that gain a long default. A limit on the output alone would ignore the size of the input.
-- (The bytes of a budget limit what is read, and are checked there.)
--
-- Writing a byte counts nothing. The output seems to end at a checkpoint: first after 256 bytes,
-- then at twice as many, and so on. There the bytes written are compared with those read. (They do
-- not depend on how the input was cut into chunks, so neither does the result.)
module Ashlar.Schema.Internal.Evolution.Output
  ( Out (..),
    newOut,
    freeBytes,
    reserve,
    bytesWritten,
    outStart,
    outCursor,
    outEnd,
    outTarget,
    outSource,
    ensureFor,
    Moved (..),
    finished,
    sourceOf,
  )
where

import Ashlar.Internal.Get.Core
import Ashlar.Internal.Get.Limits (spend)
import Ashlar.Internal.Mem (copyRange, keepAlive, newBuffer, sliceBuffer)
import Ashlar.Internal.Mem.Cells
import Control.Monad (unless, when)
import Data.Bits (unsafeShiftR)
import Data.ByteString (ByteString)
import Data.IORef
import Data.Word (Word8)
import Foreign.ForeignPtr (ForeignPtr)
import Foreign.ForeignPtr.Unsafe (unsafeForeignPtrToPtr)
import Foreign.Ptr (Ptr, minusPtr, plusPtr)
import GHC.Exts (keepAlive#)

-- | The output of a translation: its cells, its buffer, and the ranges to move at the end.
data Out = Out Cells !(IORef (ForeignPtr Word8)) !(IORef [Moved])

-- | A range of the output to move at the end: where it begins and ends, and its groups in today's
-- order. Each group has its own beginning and end, and the ranges inside of it, the last one first.
data Moved = Moved !Int !Int [(Int, Int, [Moved])]

-- | The address of the next byte.
outCursor :: Cell (Ptr Word8)
outCursor = Cell 0

-- | The address after the last byte that may be written without a check.
outEnd :: Cell (Ptr Word8)
outEnd = Cell 1

-- | The address of the first byte.
outStart :: Cell (Ptr Word8)
outStart = Cell 2

-- How many bytes the buffer has.
outCapacity :: Cell Int
outCapacity = Cell 3

-- How many bytes may be written before they are compared with those read.
outCheckpoint :: Cell Int
outCheckpoint = Cell 4

-- The offset in the input at which the value begins.
outFrom :: Cell Int
outFrom = Cell 5

-- How many steps have been counted.
outCharged :: Cell Int
outCharged = Cell 6

-- | In a run that looks for the origin of a byte: its number among those written. Otherwise -1.
outTarget :: Cell Int
outTarget = Cell 7

-- | The offset in the input that the byte comes from, or -1.
outSource :: Cell Int
outSource = Cell 8

-- | New output, given the size of its first buffer, and the byte to look for, or -1.
newOut :: Int -> Int -> (Out -> Get r) -> Get r
newOut firstBytes target act = do
  from <- here
  out@(Out _ ref _) <- effect $
    withCells (cellsUpTo outSource) $ \o -> do
      buffer <- newBuffer firstBytes
      ref <- newIORef buffer
      moved <- newIORef []
      let start = unsafeForeignPtrToPtr buffer
          first = min firstBytes freeBytes
      putPtr o outCursor start
      putPtr o outEnd (start `plusPtr` (if target >= 0 then min target first else first))
      putPtr o outStart start
      putInt o outCapacity firstBytes
      putInt o outCheckpoint freeBytes
      putInt o outFrom from
      putInt o outCharged 0
      putInt o outTarget target
      putInt o outSource (-1)
      pure (Out o ref moved)
  kept ref (act out)

-- Keep something alive while a decoder runs.
kept :: x -> Get r -> Get r
kept x (Get g) = Get (\p c env s -> keepAlive# x s (g p c env))
{-# INLINE kept #-}

-- | How many bytes may be written before they are compared with those read. Output of one value
-- begins with a buffer of this size.
freeBytes :: Int
freeBytes = 256

-- | How many bytes have been written.
bytesWritten :: Out -> IO Int
bytesWritten (Out o _ _) = do
  p <- getPtr o outCursor
  start <- getPtr o outStart
  pure (p `minusPtr` start)
{-# INLINE bytesWritten #-}

-- | Make sure of n bytes of free space, and return its address. The flag says if they are copies of
-- the n bytes at the cursor of the input, which have arrived. Otherwise, all come from the first of
-- these, and none of these counts as read.
reserve :: Bool -> Out -> Int -> Get (Ptr Word8)
reserve copies out@(Out o _ _) n = do
  enough <- effect $ do
    p <- getPtr o outCursor
    e <- getPtr o outEnd
    pure $! e `minusPtr` p >= n
  unless enough $
    if copies then ensureFor id n out n else ensureFor (const 0) 0 out n
  effect (getPtr o outCursor)
{-# INLINE reserve #-}

-- | Make sure of n bytes of free space. The function returns the origin of one of them, counted
-- from the cursor of the input. The number is that of the bytes there that the step reads. They
-- have arrived, and the cursor passes them afterwards.
ensureFor :: (Int -> Int) -> Int -> Out -> Int -> Get ()
ensureFor origin reading out@(Out o ref _) n = do
  used <- effect (bytesWritten out)
  target <- effect (getInt o outTarget)
  when (target >= 0 && used + n > target) $ do
    at <- here
    effect (putInt o outSource (at + origin (target - used)))
    failed
  checkpoint <- effect (getInt o outCheckpoint)
  when (used + n > checkpoint) $ do
    charge o reading (used + n)
    effect (putInt o outCheckpoint (max (2 * checkpoint) (used + n)))
  effect $ do
    capacity <- getInt o outCapacity
    when (used + n > capacity) $ do
      let larger = max (used + n) (if capacity < 1048576 then 4 * capacity else 2 * capacity)
      old <- getPtr o outStart
      buffer <- newBuffer larger
      let start = unsafeForeignPtrToPtr buffer
      -- The old buffer is alive: it is in the reference until the next line.
      keepAlive ref (copyRange start old used)
      writeIORef ref buffer
      putPtr o outStart start
      putPtr o outCursor (start `plusPtr` used)
      putInt o outCapacity larger
    now <- getPtr o outStart
    full <- getInt o outCapacity
    next <- getInt o outCheckpoint
    let end = min full next
    putPtr o outEnd (now `plusPtr` (if target >= 0 then min target end else end))
{-# NOINLINE ensureFor #-}

-- Note [Bytes that nobody sent].
charge :: Cells -> Int -> Int -> Get ()
charge o reading total = do
  from <- effect (getInt o outFrom)
  at <- here
  charged <- effect (getInt o outCharged)
  let free = 8 * (at + reading - from) + freeBytes
      due = (total - free) `unsafeShiftR` 6
  when (total > free && due > charged) $ do
    spend " steps to fill in what old data lack" (due - charged)
    effect (putInt o outCharged due)

-- | The bytes in their final order.
finished :: Out -> IO ByteString
finished out@(Out o ref movedRef) = do
  n <- bytesWritten out
  buffer <- readIORef ref
  start <- getPtr o outStart
  moved <- readIORef movedRef
  case moved of
    [] -> pure (sliceBuffer buffer start (start `plusPtr` n))
    _ -> do
      final <- newBuffer n
      let to = unsafeForeignPtrToPtr final
          go p (a, b) = p `plusPtr` (b - a) <$ copyRange p (start `plusPtr` a) (b - a)
          each p ranges = case ranges of
            [] -> pure p
            r : rest -> go p r >>= \p' -> each p' rest
      end <- keepAlive ref (keepAlive final (each to (pieces 0 n (reverse moved))))
      pure (sliceBuffer final to end)

-- | Where in the output a byte of the final order was written.
sourceOf :: Out -> Int -> IO Int
sourceOf out@(Out _ _ movedRef) k = do
  n <- bytesWritten out
  moved <- readIORef movedRef
  let find left ranges = case ranges of
        [] -> n
        (a, b) : rest
          | left < b - a -> a + left
          | otherwise -> find (left - (b - a)) rest
  pure (find k (pieces 0 n (reverse moved)))

-- The ranges of the output in their final order. Linear: each range inside is looked at once.
pieces :: Int -> Int -> [Moved] -> [(Int, Int)]
pieces low high moved = go low high moved []
  where
    go a b ms rest = case ms of
      [] -> (a, b) : rest
      Moved from to groups : more ->
        (a, from) : foldr (\(x, y, inner) -> go x y (reverse inner)) (go to b more rest) groups
