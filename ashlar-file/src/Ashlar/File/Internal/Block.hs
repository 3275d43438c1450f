{-# LANGUAGE BangPatterns #-}
{-# LANGUAGE DerivingStrategies #-}
-- The loop of 'moveRange' allocates nothing. By default GHC would make no point in it at which it
-- can be interrupted, and at which a collection of garbage can begin.
{-# OPTIONS_GHC -fno-omit-yields #-}

-- |
-- Module      : Ashlar.File.Internal.Block
-- Description : The block that is being written
--
-- Note [The open block]
-- ~~~~~~~~~~~~~~~~~~~~~
-- Builders write straight into the buffer of the open block, after space for its header. After each
-- record, 'endRecord' only compares the cursor with the address at which the block is large enough,
-- and notes where the next record begins. So records are written as fast as the elements of a list.
-- If a value throws in the middle of a record, the note says what to drop.
--
-- Records of constant size take less time. Each is written where the one before it ends, without a
-- builder: there is free space for it as long as the block is not complete. Only the note changes
-- with each of them.
--
-- If a record does not fit, the records before it are written as a block, and its first part moves
-- to the beginning of the buffer. If that is not enough, the buffer grows.
--
-- Invariants:
--
-- [INV-F1] The body of the open block begins with whole records: 'wholeSlot' has their number and
--   that of their bytes. They are in no block of the file, and all records before them are.
-- [INV-F2] 'bodySlot' and 'stopSlot' lie in the buffer of 'openBuffer'. The whole records end
--   before 'stopSlot', and that is at least 'slack' bytes before the end of the buffer.
--
-- An asynchronous exception may strike between any two steps. So one word holds both the bytes and
-- the number of the records, and other values that must agree are changed with exceptions masked.
module Ashlar.File.Internal.Block
  ( OpenBlock (openBuffer),
    newOpenBlock,
    closeOpenBlock,
    openRecords,
    addRecords,
    flushOpen,
    BlockLimits (..),
    RecordTooLarge (..),
    WriterClosed (..),
    CompleteBlock (..),
    Deliver,
  )
where

import Ashlar.Builder (Builder)
import Ashlar.Builder.Buffer (keepAlive)
import Ashlar.Builder.Sink (FreeSpace (..), Request (..), Sink (..), runBuilderWith)
import Ashlar.Builder.Unsafe (atCursor)
import Ashlar.Codec (Codec, layout, put)
import Ashlar.Codec.Combinators (Fixed, Layout (Fix), fixedSize)
import Ashlar.Codec.Unsafe (fixedWrite)
import Ashlar.File.Internal.Layout (blockHeaderBytes)
import Control.Exception (Exception (..), mask_, throwIO)
import Control.Monad (when)
import Data.Bits (unsafeShiftL, unsafeShiftR, (.&.), (.|.))
import qualified Data.ByteString as S
import qualified Data.ByteString.Internal as S (mallocByteString)
import qualified Data.ByteString.Unsafe as S
import Data.IORef (IORef, newIORef, readIORef, writeIORef)
import Data.Primitive.ByteArray
  ( MutableByteArray,
    newByteArray,
    readByteArray,
    writeByteArray,
  )
import Data.Word (Word64, Word8)
import Foreign.ForeignPtr (ForeignPtr)
import Foreign.ForeignPtr.Unsafe (unsafeForeignPtrToPtr)
import Foreign.Marshal.Utils (moveBytes)
import Foreign.Ptr (Ptr, castPtr, minusPtr, nullPtr, plusPtr)
import Foreign.Storable (poke)
import GHC.Exts (RealWorld)

-- | A block that is complete, in memory.
data CompleteBlock = CompleteBlock
  { -- | Space for the header, and after it the body.
    completeAt :: !(Ptr Word8),
    -- | How many bytes the body has.
    completeSize :: !Int,
    -- | How many records.
    completeCount :: !Int
  }

-- | Writes a block into the file, all of it or nothing. If it throws, it has written nothing.
type Deliver = CompleteBlock -> IO ()

-- | How large blocks and records may be. A block may have 1 byte to 1 GiB, and a record as many at
-- least: numbers outside of that count as the nearest inside ('newOpenBlock').
data BlockLimits = BlockLimits
  { -- | A block with as many bytes is complete.
    limitBlock :: !Int,
    -- | The most bytes of a record.
    limitRecord :: !Int
  }

-- | The open block of a writer. One thread may use it at a time.
data OpenBlock = OpenBlock
  { openBuffer :: !(IORef (ForeignPtr Word8, Int)),
    -- | 'bodySlot', 'stopSlot' and 'wholeSlot'.
    openSlots :: !(MutableByteArray RealWorld),
    openLimits :: !BlockLimits,
    openDeliver :: Deliver
  }

-- The address of the body, or null if the block is closed; and the address at which the block is
-- complete.
bodySlot, stopSlot :: Int
bodySlot = 0
stopSlot = 1

-- The bytes of the whole records, times 2^32, plus their number. Neither has more than 31 bits.
wholeSlot :: Int
wholeSlot = 2

setWhole :: OpenBlock -> Int -> Int -> IO ()
setWhole open bytes count =
  writeByteArray
    (openSlots open)
    wholeSlot
    (fromIntegral bytes `unsafeShiftL` 32 .|. fromIntegral count :: Word64)
{-# INLINE setWhole #-}

wholeBytes, wholeCount :: Word64 -> Int
wholeBytes w = fromIntegral (w `unsafeShiftR` 32)
wholeCount w = fromIntegral (w .&. 0xFFFFFFFF)
{-# INLINE wholeBytes #-}
{-# INLINE wholeCount #-}

getWhole :: OpenBlock -> IO Word64
getWhole open = readByteArray (openSlots open) wholeSlot
{-# INLINE getWhole #-}

getBody :: OpenBlock -> IO (Ptr Word8)
getBody open = readByteArray (openSlots open) bodySlot
{-# INLINE getBody #-}

-- The address of the body, if the block is not closed.
bodyUnlessClosed :: OpenBlock -> IO (Ptr Word8)
bodyUnlessClosed open = do
  body <- getBody open
  if body == nullPtr then throwIO WriterClosed else pure body

-- | A block without records: Note [The open block].
newOpenBlock :: BlockLimits -> Deliver -> IO OpenBlock
newOpenBlock (BlockLimits block record) act = do
  slots <- newByteArray 24
  ref <- newIORef (error "newOpenBlock", 0)
  -- 'writeFixed' and 'wholeSlot' rely on these.
  let block' = max 1 (min 0x40000000 block)
      record' = max block' (min 0x7FFFFFFF record)
      open = OpenBlock ref slots (BlockLimits block' record') act
  freshBuffer open
  pure open

-- Bytes of the buffer after the address at which the block is complete, for the end of its last
-- record.
slack :: Int
slack = 1024

-- Use a new buffer of the usual size. What the old one holds is dropped.
freshBuffer :: OpenBlock -> IO ()
freshBuffer open = do
  let size = blockHeaderBytes + limitBlock (openLimits open) + slack
  buffer <- S.mallocByteString size
  mask_ $ do
    setWhole open 0 0
    useBuffer open buffer size

-- Go on in this buffer. Exceptions must be masked.
useBuffer :: OpenBlock -> ForeignPtr Word8 -> Int -> IO ()
useBuffer open buffer size = do
  let body = unsafeForeignPtrToPtr buffer `plusPtr` blockHeaderBytes
  writeIORef (openBuffer open) (buffer, size)
  writeByteArray (openSlots open) bodySlot (body :: Ptr Word8)
  writeByteArray (openSlots open) stopSlot (body `plusPtr` most :: Ptr Word8)
  where
    most = limitBlock (openLimits open)

-- | How many records the block has.
openRecords :: OpenBlock -> IO Int
openRecords open = wholeCount <$> getWhole open

-- | Close the block: no record can be written any more.
closeOpenBlock :: OpenBlock -> IO ()
closeOpenBlock open = mask_ $ do
  writeByteArray (openSlots open) bodySlot nullPtr
  setWhole open 0 0
  writeIORef (openBuffer open) (error "closeOpenBlock", 0)

-- | A record has more bytes than the writer's options allow.
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
data WriterClosed = WriterClosed
  deriving stock (Eq, Show)

instance Exception WriterClosed where
  displayException WriterClosed = "Ashlar.File: the writer is closed"

-- | Add records, one after another. If it throws, what was written of the last one is dropped.
addRecords :: Codec a => OpenBlock -> [a] -> IO ()
addRecords open xs = case layout of
  Fix f | fixedSize f > 0 && fixedSize f <= slack -> writeFixed open f xs
  _ -> writeOpen open (foldr (\x rest -> put x <> (endRecord open <> rest)) mempty xs)
{-# INLINE addRecords #-}

-- Run a builder of records, each of which ends by 'endRecord'.
writeOpen :: OpenBlock -> Builder -> IO ()
writeOpen open b = do
  body <- bodyUnlessClosed open
  whole <- getWhole open
  (buffer, size) <- readIORef (openBuffer open)
  let from = body `plusPtr` wholeBytes whole
      end = unsafeForeignPtrToPtr buffer `plusPtr` size
  keepAlive open $
    () <$ runBuilderWith (sinkOf open) (FreeSpace from end) b
{-# INLINE writeOpen #-}

-- Write records of constant size, given their format, which takes 1 to 'slack' bytes.
writeFixed :: OpenBlock -> Fixed a -> [a] -> IO ()
writeFixed open f xs = do
  body <- bodyUnlessClosed open
  stop <- readByteArray (openSlots open) stopSlot
  whole <- getWhole open
  let size = fixedSize f
      record x next !p !w = do
        fixedWrite f p x
        let p' = p `plusPtr` size
            w' = w + fromIntegral size `unsafeShiftL` 32 + 1
        if p' < stop
          then writeByteArray (openSlots open) wholeSlot w' >> next p' w'
          else complete open p' (wholeCount w') >>= \from -> next from 0
  keepAlive open $
    foldr record (\_ _ -> pure ()) xs (body `plusPtr` wholeBytes whole) (whole :: Word64)
{-# INLINE writeFixed #-}

-- The end of a record.
endRecord :: OpenBlock -> Builder
endRecord open = atCursor $ \now -> do
  whole <- getWhole open
  body <- getBody open
  -- A record of no bytes gets a byte that is 0. So no file announces more records than bytes. There
  -- is space for it (INV-F2).
  p <-
    if now /= body `plusPtr` wholeBytes whole
      then pure now
      else (now `plusPtr` 1) <$ poke now 0
  let count = wholeCount whole + 1
  stop <- readByteArray (openSlots open) stopSlot
  if p < stop
    then p <$ setWhole open (p `minusPtr` body) count
    else complete open p count
{-# INLINE endRecord #-}

-- Write the block up to an address. Returns the address of the next record. If that fails, the last
-- record is not in the open block, and the others are.
--
-- A block of more than one record must not be larger than a record may be, because that is what
-- readers allow. If it would be, the last record becomes a block of its own.
--
-- The end of the buffer stays, so the builder may go on.
complete :: OpenBlock -> Ptr Word8 -> Int -> IO (Ptr Word8)
complete open p count = do
  body <- getBody open
  whole <- getWhole open
  let size = p `minusPtr` body
      begun = size - wholeBytes whole
  tooLarge open begun
  if size > limitRecord (openLimits open) && wholeCount whole > 0
    then do
      deliver open body (wholeBytes whole) (wholeCount whole)
      moveRange body (body `plusPtr` wholeBytes whole) begun
      deliver open body begun 1
    else deliver open body size count
  pure body
{-# NOINLINE complete #-}

-- Write the first n bytes of the body as a block. Then the open block has no records.
deliver :: OpenBlock -> Ptr Word8 -> Int -> Int -> IO ()
deliver open body size count = mask_ $ do
  keepAlive open $
    openDeliver open (CompleteBlock (body `plusPtr` negate blockHeaderBytes) size count)
  setWhole open 0 0

tooLarge :: OpenBlock -> Int -> IO ()
tooLarge open n = when (n > limit) $ throwIO (RecordTooLarge n limit)
  where
    limit = limitRecord (openLimits open)

-- | Write what the block has, if it has anything. A buffer that grew for a large record is given
-- up.
flushOpen :: OpenBlock -> IO ()
flushOpen open = do
  body <- bodyUnlessClosed open
  whole <- getWhole open
  (_, size) <- readIORef (openBuffer open)
  when (wholeCount whole > 0) $ deliver open body (wholeBytes whole) (wholeCount whole)
  when (size > 4 * (limitBlock (openLimits open) + slack)) $ freshBuffer open

-- The sink of builders that write records.
sinkOf :: OpenBlock -> Sink
sinkOf open = Sink $ \request p -> case request of
  Flush -> do
    (buffer, size) <- readIORef (openBuffer open)
    pure (FreeSpace p (unsafeForeignPtrToPtr buffer `plusPtr` size))
  -- A packed value may ask for twice the bytes that it has for certain.
  More n _ -> makeSpace open p (n `quot` 2) n
  Insert bytes -> do
    FreeSpace to end <- makeSpace open p (S.length bytes) (S.length bytes)
    S.unsafeUseAsCStringLen bytes (\(from, n) -> moveRange to (castPtr from) n)
    pure (FreeSpace (to `plusPtr` S.length bytes) end)
{-# NOINLINE sinkOf #-}

-- Free space for n bytes more of the record that has been written up to an address. The record is
-- too large if it has no space for the least of them that will be written.
makeSpace :: OpenBlock -> Ptr Word8 -> Int -> Int -> IO FreeSpace
makeSpace open p least n = do
  (buffer, size) <- readIORef (openBuffer open)
  body <- getBody open
  whole <- getWhole open
  let end = unsafeForeignPtrToPtr buffer `plusPtr` size
      from = body `plusPtr` wholeBytes whole
      begun = p `minusPtr` from
      plus m = if begun > maxBound - m then maxBound else begun + m
      needed = plus n
  tooLarge open (plus least)
  if end `minusPtr` p >= n
    then pure (FreeSpace p end)
    else
      if wholeCount whole > 0
        then do
          -- The records before this one are a block. This one moves to their place.
          deliver open body (wholeBytes whole) (wholeCount whole)
          moveRange body from begun
          makeSpace open (body `plusPtr` begun) least n
        else do
          let most = limitRecord (openLimits open)
              size' = blockHeaderBytes + max needed (min most (2 * size)) + slack
          larger <- S.mallocByteString size'
          let base' = unsafeForeignPtrToPtr larger
              body' = base' `plusPtr` blockHeaderBytes
          keepAlive larger . keepAlive buffer $ moveRange body' body begun
          mask_ (useBuffer open larger size')
          pure (FreeSpace (body' `plusPtr` begun) (base' `plusPtr` size'))
{-# NOINLINE makeSpace #-}

-- Copy bytes, the first ones first: the destination may overlap the source if it is below it. While
-- a foreign call runs, no thread can collect garbage. So each copies at most 64 KiB.
moveRange :: Ptr Word8 -> Ptr Word8 -> Int -> IO ()
moveRange to from n = when (n > 0) $ do
  moveBytes to from step
  moveRange (to `plusPtr` step) (from `plusPtr` step) (n - step)
  where
    step = min n 65536
