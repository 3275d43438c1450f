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
    inHeld,
    passBytes,
    fetch,
  )
where

import Ashlar.Codec (DecodeError)
import Ashlar.File.Internal.Crc32c (Method (..), crc32cOf)
import Ashlar.Internal.Builder.Buffer
import Ashlar.Internal.Mem (copyRange, keepAlive, peekLE, withBytes, withBytesQuick)
import Ashlar.Network.Internal.Error
import Ashlar.Network.Internal.Link
import Ashlar.Network.Internal.Transport
import Control.Concurrent.MVar
import Control.Exception
import Control.Monad (unless, when)
import Data.Bits (Bits, shiftL, (.|.))
import Data.ByteString (ByteString)
import qualified Data.ByteString as S
import Data.IORef (IORef, newIORef, readIORef, writeIORef)
import Data.Word (Word32, Word8)
import Foreign.ForeignPtr.Unsafe (unsafeForeignPtrToPtr)
import Foreign.Ptr (Ptr, minusPtr, plusPtr)

-- | The bytes that have arrived and have not been taken.
data Incoming = Incoming
  { inLink :: !Link,
    -- | Held while a message is received.
    inLock :: !(MVar ()),
    inHeld :: !(IORef Held)
  }

data Held
  = -- | A chunk of the transport.
    Chunk !ByteString
  | -- | A buffer of ours, and the address after the last byte.
    Grown !Open !(Ptr Word8)

newIncoming :: Link -> IO Incoming
newIncoming link =
  Incoming link <$> newMVar () <*> newIORef (Chunk S.empty)

heldBytes :: Held -> ByteString
heldBytes held = case held of
  Chunk bs -> bs
  Grown open end -> written open end

-- | The next n bytes. (For the handshake.)
takeBytes :: Incoming -> Int -> IO ByteString
takeBytes inc n = mask_ . withMVarMasked (inLock inc) $ \() -> do
  usable (inLink inc)
  go
  where
    go = do
      bytes <- heldBytes <$> readIORef (inHeld inc)
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
  (ByteString -> Either DecodeError a) ->
  IO (Maybe a)
receiveFrame inc summed decoded = mask $ \unmask -> do
  takeMVar (inLock inc)
  result <- next unmask `onException` putMVar (inLock inc) ()
  putMVar (inLock inc) ()
  pure result
  where
    next unmask = do
      bytes <- heldBytes <$> readIORef (inHeld inc)
      frame <- frameIn inc summed bytes
      case frame of
        Whole n -> do
          usable (inLink inc)
          when summed (checkFrame inc n bytes)
          let result = decoded (S.take n (S.drop 4 bytes))
          -- Small ones take so little time that they need not be interrupted.
          when (n > 65536) (() <$ unmask (evaluate result))
          case result of
            Left e -> failWith (inLink inc) (InvalidMessage e)
            Right a -> Just a <$ passBytes inc (frameBytes summed n)
        NoMore -> pure Nothing
        Missing _ -> usable (inLink inc) >> fillUp inc summed >> next unmask
{-# INLINE receiveFrame #-}

-- | The number of bytes of a message with what stands around it.
frameBytes :: Bool -> Int -> Int
frameBytes summed n = if summed then n + 8 else n + 4

frameIn :: Incoming -> Bool -> ByteString -> IO Frame
frameIn inc summed bytes
  | S.length bytes < 4 = pure (Missing 4)
  | otherwise = do
    announced <- withBytesQuick bytes (\p _ -> peekLE p) :: IO Word32
    let n = fromIntegral announced
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

-- Compare the checksum of a message of this number of bytes.
checkFrame :: Incoming -> Int -> ByteString -> IO ()
checkFrame inc n bytes = do
  same <- withBytesQuick bytes $ \p _ -> do
    expected <- peekLE (p `plusPtr` (n + 4))
    (expected ==) <$> crc32cOf Fastest 0 p (n + 4)
  unless same (failWith (inLink inc) InvalidChecksum)

-- Wait for a message. Its first byte may take any time.
fillUp :: Incoming -> Bool -> IO ()
fillUp inc summed = do
  bytes <- heldBytes <$> readIORef (inHeld inc)
  when (S.null bytes) (fetch inc 0 4)
  timed (inLink inc) (optionsMessageTime (linkOptions (inLink inc))) Receiving fill
  where
    fill = do
      bytes <- heldBytes <$> readIORef (inHeld inc)
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

-- | Drop bytes that have been used.
passBytes :: Incoming -> Int -> IO ()
passBytes inc n = do
  held <- readIORef (inHeld inc)
  writeIORef (inHeld inc) $! case held of
    Chunk bs -> Chunk (S.drop n bs)
    Grown open end -> Grown (handedOut open (openFrom open `plusPtr` n)) end

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
  held <- readIORef (inHeld inc)
  outcome <- try (transportReceive (linkTransport link))
  case outcome of
    Left e -> case fromException e of
      Just async -> throwIO (async :: SomeAsyncException)
      Nothing -> failFor link e
    Right bs
      | S.null bs -> failWith link (PeerClosed (passed + S.length (heldBytes held)))
      | otherwise -> append needed held bs >>= writeIORef (inHeld inc)
  where
    link = inLink inc

append :: Int -> Held -> ByteString -> IO Held
append needed held bs = case held of
  _ | S.null before -> pure (Chunk bs)
  Grown open end | S.length bs <= freeAfter open end -> Grown open <$> put open end bs
  _ -> do
    open <- newOpen (max size (min needed (2 * size)))
    middle <- put open (openFrom open) before
    Grown open <$> put open middle bs
  where
    before = heldBytes held
    size = S.length before + S.length bs
    put open p from = keepAlive (openBuffer open) $ do
      withBytes from (copyRange p)
      pure (p `plusPtr` S.length from)
    freeAfter open p = openSize open - (p `minusPtr` unsafeForeignPtrToPtr (openBuffer open))

-- | A number of all these bytes, the least significant first.
number :: (Num a, Bits a) => ByteString -> a
number = S.foldr (\w n -> n `shiftL` 8 .|. fromIntegral w) 0
