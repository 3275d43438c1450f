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
  )
where

import Ashlar.Codec (DecodeError)
import Ashlar.File.Crc32c (crc32c)
import Ashlar.Internal.Builder.Buffer
import Ashlar.Internal.Mem (copyRange, keepAlive, peekLE, withBytes, withBytesQuick)
import Ashlar.Network.Internal.Error
import Ashlar.Network.Internal.Link
import Ashlar.Network.Internal.Transport
import Control.Concurrent.MVar
import Control.Exception
import Control.Monad (when)
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
    inHeld :: !(IORef Held),
    -- | Whether the peer has said that no more messages follow.
    inEnded :: !(IORef Bool)
  }

data Held
  = -- | A chunk of the transport.
    Chunk !ByteString
  | -- | A buffer of ours, and the address after the last byte.
    Grown !Open !(Ptr Word8)

newIncoming :: Link -> IO Incoming
newIncoming link =
  Incoming link <$> newMVar () <*> newIORef (Chunk S.empty) <*> newIORef False

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
        else fetch inc n >> go

-- | The next message, decoded. 'Nothing' if the peer has said that no more follow.
--
-- If this is interrupted, the message has not been taken.
receiveFrame ::
  Incoming ->
  -- | Whether messages have checksums.
  Bool ->
  (ByteString -> Either DecodeError a) ->
  IO (Maybe a)
receiveFrame inc summed decoded = mask $ \unmask -> withMVarMasked (inLock inc) $ \() -> do
  ended <- readIORef (inEnded inc)
  if ended then pure Nothing else next unmask
  where
    link = inLink inc
    options = linkOptions link
    limit = optionsMessageLimit options
    next unmask = do
      usable link
      bytes <- heldBytes <$> readIORef (inHeld inc)
      frame <- frameIn bytes
      case frame of
        Whole n -> taken unmask n bytes
        NoMore -> do
          writeIORef (inEnded inc) True
          pure Nothing
        Missing k -> do
          when (S.null bytes) (fetch inc k)
          timed link (optionsMessageTime options) Receiving fill
          next unmask
    fill = do
      bytes <- heldBytes <$> readIORef (inHeld inc)
      frame <- frameIn bytes
      case frame of
        Missing k -> fetch inc k >> fill
        _ -> pure ()
    taken unmask n bytes = do
      let body = S.take n (S.drop 4 bytes)
      when summed $ do
        expected <- withBytesQuick (S.drop (n + 4) bytes) (\p _ -> peekLE p)
        when (crc32c (S.take (n + 4) bytes) /= expected) (failWith link WrongChecksum)
      result <- unmask (evaluate (decoded body))
      case result of
        Left e -> failWith link (InvalidMessage e)
        Right a -> Just a <$ passBytes inc (n + trailer + 4)
    trailer = if summed then 4 else 0
    frameIn bytes
      | S.length bytes < 4 = pure (Missing 4)
      | otherwise = do
        announced <- withBytesQuick bytes (\p _ -> peekLE p) :: IO Word32
        let n = fromIntegral announced
            whole = n + trailer + 4
        if announced == maxBound
          then pure NoMore
          else
            if n < 0 || n > limit
              then failWith link (TooLong announced limit)
              else pure (if S.length bytes < whole then Missing whole else Whole n)

-- What the bytes that have arrived begin with.
data Frame
  = -- | Less than a message: at least this number of bytes is needed.
    Missing !Int
  | -- | A message of this number of bytes.
    Whole !Int
  | NoMore

-- Drop bytes that have been used.
passBytes :: Incoming -> Int -> IO ()
passBytes inc n = do
  held <- readIORef (inHeld inc)
  writeIORef (inHeld inc) $! case held of
    Chunk bs -> Chunk (S.drop n bs)
    Grown open end -> Grown (handedOut open (openFrom open `plusPtr` n)) end

-- Wait for more bytes. Of these and those at hand, a number is needed. An interruption loses none.
fetch :: Incoming -> Int -> IO ()
fetch inc needed = do
  -- A transport that always has bytes never waits.
  allowInterrupt
  held <- readIORef (inHeld inc)
  outcome <- try (transportReceive (linkTransport link))
  case outcome of
    Left e -> case fromException e of
      Just async -> throwIO (async :: SomeAsyncException)
      Nothing -> failFor link e
    Right bs
      | S.null bs -> failWith link (PeerClosed (S.length (heldBytes held)))
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
