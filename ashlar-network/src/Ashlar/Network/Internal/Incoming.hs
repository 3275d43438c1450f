{-# LANGUAGE BangPatterns #-}

-- |
-- Module      : Ashlar.Network.Internal.Incoming
-- Description : Messages that arrive in chunks of any size
--
-- A message that lies within a chunk is decoded there. Otherwise its chunks are collected in a
-- buffer, which grows with the bytes that arrive and not with those that are announced.
module Ashlar.Network.Internal.Incoming
  ( Incoming,
    newIncoming,
    takeBytes,
    receiveFrame,
    number,

    -- * For other modules
    inLink,
    inLock,
    heldBytes,
    passBytes,
    passMessage,
    fetch,
  )
where

import Ashlar.Builder.Buffer
import Ashlar.Builder.Sink (FreeSpace (..), freeBytes)
import Ashlar.File.Internal.Crc32c (Method (..), crc32cOf)
import Ashlar.Get (DecodeError, Get, runGet)
import Ashlar.Network.Internal.Error
import Ashlar.Network.Internal.Link
import Ashlar.Network.Internal.Transport
import Control.Concurrent.MVar
import Control.Exception
import Control.Monad (unless, when)
import Data.Bits (Bits, shiftL, unsafeShiftL, (.|.))
import Data.ByteString (ByteString)
import qualified Data.ByteString as S
import Data.ByteString.Internal (toForeignPtr)
import Data.ByteString.Unsafe (unsafeIndex)
import Data.IORef (IORef, newIORef, readIORef, writeIORef)
import Data.Primitive.ByteArray
  ( MutableByteArray,
    newByteArray,
    readByteArray,
    writeByteArray,
  )
import Data.Word (Word32, Word8)
import Foreign.Ptr (Ptr, plusPtr)
import Foreign.Storable (sizeOf)
import GHC.Clock (getMonotonicTimeNSec)
import GHC.Exts (RealWorld)
import GHC.ForeignPtr (unsafeWithForeignPtr)

-- | The bytes that have arrived. Some of them have been taken.
data Incoming = Incoming
  { inLink :: !Link,
    -- | Held while a message is received.
    inLock :: !(MVar ()),
    inHeld :: !(IORef Held),
    -- | How many of the bytes have been taken. They are fewer than all, unless there are none.
    inTaken :: !(MutableByteArray RealWorld),
    -- | How many microseconds the message that has begun has been waited for, by calls that were
    -- interrupted.
    inWaited :: !(IORef Int)
  }

data Held
  = -- | A chunk of the transport.
    Chunk !ByteString
  | -- | A buffer of ours, and the address after the last byte.
    Grown !Open !(Ptr Word8)

newIncoming :: Link -> IO Incoming
newIncoming link = do
  lock <- newMVar ()
  held <- newIORef (Chunk S.empty)
  taken <- newByteArray (sizeOf (0 :: Int))
  writeByteArray taken 0 (0 :: Int)
  Incoming link lock held taken <$> newIORef 0

-- | The bytes that have not been taken.
heldBytes :: Incoming -> IO ByteString
heldBytes inc = do
  held <- readIORef (inHeld inc)
  taken <- readByteArray (inTaken inc) 0
  pure (S.drop taken (allBytes held))
{-# INLINE heldBytes #-}

allBytes :: Held -> ByteString
allBytes held = case held of
  Chunk bs -> bs
  Grown open end -> written open end
{-# INLINE allBytes #-}

-- | The next n bytes. (For the handshake.)
takeBytes :: Incoming -> Int -> IO ByteString
takeBytes inc n = mask_ . withMVarMasked (inLock inc) $ \() -> do
  usable (inLink inc)
  go
  where
    go = do
      bytes <- heldBytes inc
      if S.length bytes >= n
        then S.take n bytes <$ passBytes inc n
        else fetch inc 0 n >> go

-- | The next message, decoded. 'Nothing' if the peer has said that no more follow.
--
-- If this is interrupted, the message has not been taken.
receiveFrame ::
  Incoming ->
  -- | Whether messages have checksums.
  Bool ->
  -- | Reads the message to its end.
  Get a ->
  IO (Maybe a)
receiveFrame inc summed getter = mask $ \unmask -> do
  takeMVar (inLock inc)
  result <- takeFrame inc summed getter unmask `onException` putMVar (inLock inc) ()
  putMVar (inLock inc) ()
  pure result

takeFrame ::
  Incoming ->
  Bool ->
  Get a ->
  (IO (Either DecodeError a) -> IO (Either DecodeError a)) ->
  IO (Maybe a)
takeFrame inc summed getter unmask = next
  where
    next = do
      bytes <- heldBytes inc
      frame <- frameIn inc summed bytes
      case frame of
        Whole n -> do
          usable (inLink inc)
          when summed (checkFrame inc n bytes)
          let !message = S.take n (S.drop 4 bytes)
          -- A small one takes so little time that it need not be interrupted meanwhile. What
          -- arrives meanwhile interrupts after it, or the message would be lost when the mask ends.
          result <-
            if n <= 65536
              then pure $! runGet getter message
              else unmask (evaluate (runGet getter message))
          case result of
            Left e -> failWith (inLink inc) (InvalidMessage e)
            Right a -> do
              allowInterrupt
              Just a <$ passMessage inc (frameBytes summed n)
        NoMore -> pure Nothing
        Missing _ -> usable (inLink inc) >> fillUp inc summed >> next
{-# NOINLINE takeFrame #-}

-- | The number of bytes of a message with what stands around it.
frameBytes :: Bool -> Int -> Int
frameBytes summed n = if summed then n + 8 else n + 4

frameIn :: Incoming -> Bool -> ByteString -> IO Frame
frameIn inc summed bytes
  | S.length bytes < 4 = pure (Missing 4)
  | otherwise = do
    let announced = word32At 0 bytes
        n = fromIntegral announced
        whole = frameBytes summed n
    if announced == maxBound
      then pure NoMore
      else
        if n < 0 || n > limit
          then usable link >> failWith link (TooLong announced limit)
          else pure (if S.length bytes < whole then Missing whole else Whole n)
  where
    link = inLink inc
    -- So that no sum with what stands around a message overflows, on 32 bits either.
    limit = min 0x7FFFFF00 (optionsMessageLimit (linkOptions link))
{-# INLINE frameIn #-}

-- Compare the checksum of a message of this number of bytes.
checkFrame :: Incoming -> Int -> ByteString -> IO ()
checkFrame inc n bytes = do
  -- (The action always returns.)
  actual <- unsafeWithForeignPtr memory $ \start ->
    crc32cOf Fastest 0 (start `plusPtr` off) (n + 4)
  let same = word32At (n + 4) bytes == actual
  unless same (failWith (inLink inc) InvalidChecksum)
  where
    (memory, off, _) = toForeignPtr bytes
{-# INLINE checkFrame #-}

-- Wait for a message. Its first byte may take any time.
fillUp :: Incoming -> Bool -> IO ()
fillUp inc summed = do
  bytes <- heldBytes inc
  when (S.null bytes) (fetch inc 0 4)
  inTime fill
  where
    inTime act
      | limit < 0 = act
      | otherwise = do
        waited <- readIORef (inWaited inc)
        begun <- getMonotonicTimeNSec
        timed (inLink inc) (max 0 (limit - waited)) Receiving act `onException` do
          now <- getMonotonicTimeNSec
          writeIORef (inWaited inc) $! waited + fromIntegral ((now - begun) `quot` 1000)
    limit = optionsMessageTime (linkOptions (inLink inc))
    fill = do
      bytes <- heldBytes inc
      frame <- frameIn inc summed bytes
      case frame of
        Missing k -> fetch inc 0 k >> fill
        _ -> pure ()
{-# NOINLINE fillUp #-}

-- What the bytes that have arrived begin with.
data Frame
  = -- | Less than a message: at least this number of bytes is needed.
    Missing !Int
  | -- | A message of this number of bytes.
    Whole !Int
  | NoMore

-- | Take n bytes of a message, or all. From here on it is not waited for.
passMessage :: Incoming -> Int -> IO ()
passMessage inc n = writeIORef (inWaited inc) 0 >> passBytes inc n
{-# INLINE passMessage #-}

-- | Take n bytes. There are as many. When all have been taken, their memory is given up.
passBytes :: Incoming -> Int -> IO ()
passBytes inc n = do
  held <- readIORef (inHeld inc)
  taken <- readByteArray (inTaken inc) 0
  let taken' = taken + n
  if taken' < S.length (allBytes held)
    then writeByteArray (inTaken inc) 0 taken'
    else hold inc (Chunk S.empty) 0
{-# INLINE passBytes #-}

-- What is held from now on, and how many of its bytes have been taken. Exceptions must be masked.
hold :: Incoming -> Held -> Int -> IO ()
hold inc held taken = do
  writeIORef (inHeld inc) held
  writeByteArray (inTaken inc) 0 taken
{-# NOINLINE hold #-}

-- | Wait for more bytes. An interruption loses none.
fetch ::
  Incoming ->
  -- | How many bytes of the message have been dropped.
  Int ->
  -- | How many bytes are needed, of these and those at hand.
  Int ->
  IO ()
fetch inc passed needed = do
  -- A transport that always has bytes never waits.
  allowInterrupt
  outcome <- try (transportReceive (linkTransport link))
  case outcome of
    Left e -> case fromException e of
      Just async -> throwIO (async :: SomeAsyncException)
      Nothing -> failFor link e
    Right bs
      | S.null bs -> do
        held <- heldBytes inc
        failWith link (PeerClosed (passed + S.length held))
      | otherwise -> append inc needed bs
  where
    link = inLink inc

append :: Incoming -> Int -> ByteString -> IO ()
append inc needed bs = do
  before <- heldBytes inc
  held <- readIORef (inHeld inc)
  taken <- readByteArray (inTaken inc) 0
  case held of
    _ | S.null before -> hold inc (Chunk bs) 0
    Grown open end | S.length bs <= freeAfter open end -> do
      end' <- put open end bs
      hold inc (Grown open end') taken
    _ -> do
      let size = S.length before + S.length bs
      open <- newOpen (max size (min needed (2 * size)))
      middle <- put open (openFrom open) before
      end <- put open middle bs
      hold inc (Grown open end) 0
  where
    put open p from = do
      FreeSpace end _ <- keepAlive open (insertCopy (restFrom open p) from)
      pure end
    freeAfter open p = freeBytes (restFrom open p)

-- | The number in four bytes from an index on, the least significant first. There are as many.
word32At :: Int -> ByteString -> Word32
word32At i bytes = byte 0 .|. byte 1 .|. byte 2 .|. byte 3
  where
    byte k = fromIntegral (unsafeIndex bytes (i + k)) `unsafeShiftL` (8 * k) :: Word32
{-# INLINE word32At #-}

-- | A number of all these bytes, the least significant first.
number :: (Num a, Bits a) => ByteString -> a
number = S.foldr (\w n -> n `shiftL` 8 .|. fromIntegral w) 0
