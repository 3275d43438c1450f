-- |
-- Module      : Ashlar.Network.Internal.Gather
-- Description : A builder's bytes as lists of chunks
--
-- What a builder writes into a buffer, and the ByteStrings that it inserts, are collected, so that
-- one system call takes them all.
module Ashlar.Network.Internal.Gather
  ( gather,
    Memory (..),
  )
where

import Ashlar.Builder (Builder)
import Ashlar.Builder.Buffer
import Ashlar.Builder.Sink
import Control.Monad (unless, when)
import Data.ByteString (ByteString)
import qualified Data.ByteString as S
import Data.IORef (modifyIORef', newIORef, readIORef, writeIORef)
import Foreign.Ptr (minusPtr)

-- | What becomes of a buffer whose bytes have been delivered, and when inserted ByteStrings are.
data Memory
  = -- | It is written again. The action must not keep the chunks. An inserted ByteString is
    -- delivered before the builder goes on, which may wait for an answer to it.
    Reused
  | -- | It is left to the action. Several inserted ByteStrings are delivered together. This is for
    -- a message, which the peer can answer when it has all of it.
    Kept

-- The chunks that have not been delivered, the last first, their number, and their bytes.
data Pending = Pending [ByteString] !Int !Int

-- | Run a builder, and deliver its chunks in order. A list is not empty, and nor is a chunk.
-- Returns the number of bytes.
--
-- Chunks are delivered when the buffer of 64 KiB is full, after an inserted ByteString (or when 128
-- KiB or 64 chunks wait, if the memory is 'Kept'), at a flush, and at the end. The first buffer has
-- 4 KiB, and its bytes wait for those of the second.
gather :: Memory -> ([ByteString] -> IO ()) -> Builder -> IO Int
gather memory send b = do
  first <- newOpen firstSize
  ref <- newIORef first
  pendingRef <- newIORef (Pending [] 0 0)
  countRef <- newIORef 0
  let add bs = unless (S.null bs) . modifyIORef' pendingRef $ \(Pending chunks k n) ->
        Pending (bs : chunks) (k + 1) (n + S.length bs)
      collect p = do
        open <- readIORef ref
        when (p `minusPtr` openFrom open > 0) $ add (written open p)
        writeIORef ref $! handedOut open p
      deliver = do
        Pending chunks _ n <- readIORef pendingRef
        -- Before the action runs: should it throw, nothing is sent twice.
        writeIORef pendingRef (Pending [] 0 0)
        unless (null chunks) (send (reverse chunks))
        modifyIORef' countRef (+ n)
      again p = case memory of
        Reused -> modifyIORef' ref emptied >> wholeSpace <$> readIORef ref
        Kept -> (`restFrom` p) <$> readIORef ref
      sink = Sink $ \request p -> do
        collect p
        case request of
          Flush -> deliver >> again p
          Insert bs -> do
            add bs
            Pending _ k n <- readIORef pendingRef
            if k >= 64 || n >= 131072 || atOnce
              then deliver >> again p
              else (`restFrom` p) <$> readIORef ref
          More n _ -> do
            open <- readIORef ref
            let isFirst = openSize open < size
            unless isFirst deliver
            case memory of
              Reused | not isFirst && n <= openSize open -> pure ()
              _ -> newOpen (max n size) >>= writeIORef ref
            modifyIORef' ref emptied
            wholeSpace <$> readIORef ref
  keepAlive ref (runBuilderWith sink (wholeSpace first) b >>= collect)
  deliver
  readIORef countRef
  where
    atOnce = case memory of
      Reused -> True
      Kept -> False
    firstSize = 4096
    size = 65536
