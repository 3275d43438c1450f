{-# LANGUAGE DerivingStrategies #-}

-- |
-- Module      : Ashlar.File.Internal.Block
-- Description : The block that is being written
--
-- Note [The open block]
-- ~~~~~~~~~~~~~~~~~~~~~
-- Builders write straight into the buffer of the open block, after space for its header. After each
-- record 'endRecord' compares the cursor with the address at which the block is large enough, and
-- that is all, but for noting where the next record begins. So records are written as fast as the
-- elements of a list. What was noted says what to drop if a value throws in the middle of a record.
--
-- If a record does not fit, the records before it are written as a block, and its first part moves
-- to the beginning of the buffer. If that does not help, the buffer grows.
--
-- Invariants:
--
-- [INV-F1] body <= start <= end of the buffer. Between body and start there are 'countSlot' whole
--   records.
-- [INV-F2] What is between body and start is in no block of the file, and all records before are.
module Ashlar.File.Internal.Block
  ( OpenBlock,
    newOpenBlock,
    closeOpenBlock,
    openRecords,
    writeOpen,
    flushOpen,
    BlockLimits (..),
    RecordTooLarge (..),
    WriterClosed (..),
    OpenBytes (..),
    Deliver,
    endRecord,
  )
where

import Ashlar.Builder (Builder)
import Ashlar.File.Internal.Layout (blockHeaderBytes)
import Ashlar.Internal.Builder.Core
  ( FreeSpace (..),
    Request (..),
    Sink (..),
    action,
    cursorCell,
    reserve,
  )
import Ashlar.Internal.Builder.Run (runBuilderWith)
import Ashlar.Internal.Mem (copyRange, keepAlive, moveDown, newBuffer, pokeHost, withBytes)
import Ashlar.Internal.Mem.Cells (getPtr, putPtr)
import Control.Exception (Exception (..), mask_, throwIO)
import Control.Monad (when)
import qualified Data.ByteString as S
import Data.IORef (IORef, newIORef, readIORef, writeIORef)
import Data.Primitive.ByteArray
  ( MutableByteArray,
    newByteArray,
    readByteArray,
    writeByteArray,
  )
import Data.Word (Word8)
import Foreign.ForeignPtr (ForeignPtr)
import Foreign.ForeignPtr.Unsafe (unsafeForeignPtrToPtr)
import Foreign.Ptr (Ptr, minusPtr, nullPtr, plusPtr)
import GHC.Exts (RealWorld)

-- | The bytes of a block that is complete.
data OpenBytes = OpenBytes
  { -- | Space for the header, and after it the body.
    openAt :: !(Ptr Word8),
    -- | How many bytes the body has.
    openSize :: !Int,
    -- | How many records.
    openCount :: !Int
  }

-- | Writes a block into the file, all of it or nothing. If it throws, it has written nothing.
type Deliver = OpenBytes -> IO ()

-- | How large blocks and records may be.
data BlockLimits = BlockLimits
  { -- | A block with as many bytes is complete.
    limitBlock :: !Int,
    -- | The most bytes of a record.
    limitRecord :: !Int
  }

-- | The open block of a writer. One thread may use it at a time.
data OpenBlock = OpenBlock
  { openBuffer :: !(IORef (ForeignPtr Word8, Int)),
    -- | 0: the address of the record being written. 1: from this cursor on the block is complete.
    -- 2: how many whole records there are.
    openSlots :: !(MutableByteArray RealWorld),
    openLimits :: !BlockLimits,
    openDeliver :: Deliver
  }

startSlot, stopSlot, countSlot :: Int
startSlot = 0
stopSlot = 1
countSlot = 2

-- | A block without records.
newOpenBlock :: BlockLimits -> Deliver -> IO OpenBlock
newOpenBlock limits act = do
  slots <- newByteArray 24
  ref <- newIORef (error "newOpenBlock", 0)
  let open = OpenBlock ref slots limits act
  freshBuffer open
  pure open

-- Bytes after a block that is complete, for the end of its last record.
slack :: Int
slack = 1024

-- A buffer of the usual size. What the old one holds is dropped.
freshBuffer :: OpenBlock -> IO ()
freshBuffer open = do
  let size = blockHeaderBytes + limitBlock (openLimits open) + slack
  buffer <- newBuffer size
  writeIORef (openBuffer open) (buffer, size)
  writeByteArray (openSlots open) countSlot (0 :: Int)
  settle open (unsafeForeignPtrToPtr buffer) 0

-- The next record begins so many bytes after the beginning of the body.
settle :: OpenBlock -> Ptr Word8 -> Int -> IO ()
settle open base used = do
  let body = base `plusPtr` blockHeaderBytes
  writeByteArray (openSlots open) startSlot (body `plusPtr` used :: Ptr Word8)
  writeByteArray (openSlots open) stopSlot (body `plusPtr` most :: Ptr Word8)
  where
    most = limitBlock (openLimits open)

-- | How many records the block has.
openRecords :: OpenBlock -> IO Int
openRecords open = readByteArray (openSlots open) countSlot

-- | No record can be written any more.
closeOpenBlock :: OpenBlock -> IO ()
closeOpenBlock open = do
  writeIORef (openBuffer open) (error "closeOpenBlock", 0)
  writeByteArray (openSlots open) countSlot (0 :: Int)
  writeByteArray (openSlots open) startSlot nullPtr

-- | A record has more bytes than the writer's options allow.
--
-- @since 0.1.0.0
data RecordTooLarge = RecordTooLarge
  { -- | Its bytes, at least.
    recordBytes :: !Int,
    -- | The most it may have.
    recordLimit :: !Int
  }
  deriving stock (Eq, Show)

instance Exception RecordTooLarge where
  displayException (RecordTooLarge n limit) =
    "Ashlar.File: a record of at least " ++ show n ++ " bytes, where " ++ show limit
      ++ " are allowed"

-- | A writer was used after it was closed.
--
-- @since 0.1.0.0
data WriterClosed = WriterClosed
  deriving stock (Eq, Show)

instance Exception WriterClosed where
  displayException WriterClosed = "Ashlar.File: the writer is closed"

-- | Run a builder of records, each of which ends by 'endRecord'. If it throws, what was written of
-- the last record is dropped.
writeOpen :: OpenBlock -> Builder -> IO ()
writeOpen open b = do
  start <- readByteArray (openSlots open) startSlot
  when (start == nullPtr) (throwIO WriterClosed)
  (buffer, size) <- readIORef (openBuffer open)
  let end = unsafeForeignPtrToPtr buffer `plusPtr` size
  keepAlive open $
    () <$ runBuilderWith (sinkOf open) (FreeSpace start end) b
{-# INLINE writeOpen #-}

-- | The end of a record.
endRecord :: OpenBlock -> Builder
endRecord open = action $ \c k -> do
  let slots = openSlots open
  start <- readByteArray slots startSlot
  now <- getPtr c cursorCell
  -- A record of no bytes has one that is 0, so that no file says more records than it has bytes.
  p <-
    if now /= start
      then pure now
      else do
        at <- reserve c k 1
        pokeHost at (0 :: Word8)
        pure (at `plusPtr` 1)
  putPtr c cursorCell p
  stop <- readByteArray slots stopSlot
  count <- readByteArray slots countSlot
  if p < stop
    then do
      writeByteArray slots startSlot (p :: Ptr Word8)
      writeByteArray slots countSlot (count + 1 :: Int)
    else do
      begin <- complete open p (count + 1)
      putPtr c cursorCell begin
{-# INLINE endRecord #-}

-- Write the block up to an address. Returns the address of the next record. If that fails, the last
-- record is not in the open block, and the others are.
--
-- The end of the buffer stays, so the builder may go on.
complete :: OpenBlock -> Ptr Word8 -> Int -> IO (Ptr Word8)
complete open p count = do
  (buffer, _) <- readIORef (openBuffer open)
  let base = unsafeForeignPtrToPtr buffer
  start <- readByteArray (openSlots open) startSlot
  tooLarge open (p `minusPtr` (start :: Ptr Word8))
  deliver open base (p `minusPtr` base - blockHeaderBytes) count
  pure (base `plusPtr` blockHeaderBytes)
{-# NOINLINE complete #-}

-- Write so many bytes as a block, after which there are no records.
deliver :: OpenBlock -> Ptr Word8 -> Int -> Int -> IO ()
deliver open base size count = mask_ $ do
  keepAlive open (openDeliver open (OpenBytes base size count))
  writeByteArray (openSlots open) countSlot (0 :: Int)
  settle open base 0

tooLarge :: OpenBlock -> Int -> IO ()
tooLarge open n = when (n > limit) $ throwIO (RecordTooLarge n limit)
  where
    limit = limitRecord (openLimits open)

-- | Write what the block has, if it has anything. A buffer that grew for a large record is given
-- up.
flushOpen :: OpenBlock -> IO ()
flushOpen open = do
  start <- readByteArray (openSlots open) startSlot
  when (start == nullPtr) (throwIO WriterClosed)
  count <- openRecords open
  (buffer, size) <- readIORef (openBuffer open)
  when (count > 0) $ do
    let base = unsafeForeignPtrToPtr buffer
    deliver open base (start `minusPtr` base - blockHeaderBytes) count
  when (size > 4 * (limitBlock (openLimits open) + slack)) $ freshBuffer open

-- The sink of builders that write records.
sinkOf :: OpenBlock -> Sink
sinkOf open = Sink $ \request p -> case request of
  Flush -> do
    (buffer, size) <- readIORef (openBuffer open)
    pure (FreeSpace p (unsafeForeignPtrToPtr buffer `plusPtr` size))
  More n _ -> makeSpace open p n
  Insert bytes -> do
    FreeSpace to end <- makeSpace open p (S.length bytes)
    withBytes bytes (copyRange to)
    pure (FreeSpace (to `plusPtr` S.length bytes) end)
{-# NOINLINE sinkOf #-}

-- Free space for n bytes more of the record that has been written up to an address.
makeSpace :: OpenBlock -> Ptr Word8 -> Int -> IO FreeSpace
makeSpace open p n = do
  (buffer, size) <- readIORef (openBuffer open)
  start <- readByteArray (openSlots open) startSlot
  count <- openRecords open
  let base = unsafeForeignPtrToPtr buffer
      body = base `plusPtr` blockHeaderBytes
      written = p `minusPtr` start
      needed = if written > maxBound - n then maxBound else written + n
  tooLarge open needed
  if (base `plusPtr` size) `minusPtr` p >= n
    then pure (FreeSpace p (base `plusPtr` size))
    else
      if count > 0
        then do
          -- The records before this one are a block. This one moves to their place.
          deliver open base (start `minusPtr` body) count
          when (written > 0) $ moveDown body start written
          makeSpace open (body `plusPtr` written) n
        else do
          let most = limitRecord (openLimits open)
              size' = blockHeaderBytes + max needed (min most (2 * size)) + slack
          larger <- newBuffer size'
          let base' = unsafeForeignPtrToPtr larger
              body' = base' `plusPtr` blockHeaderBytes
          keepAlive larger . keepAlive buffer $ copyRange body' body written
          writeIORef (openBuffer open) (larger, size')
          settle open base' 0
          pure (FreeSpace (body' `plusPtr` written) (base' `plusPtr` size'))
{-# NOINLINE makeSpace #-}
