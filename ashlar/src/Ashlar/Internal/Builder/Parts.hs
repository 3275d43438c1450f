-- |
-- Module      : Ashlar.Internal.Builder.Parts
-- Description : Builders that are written one after another, through one buffer
module Ashlar.Internal.Builder.Parts
  ( Parts,
    newParts,
    append,
    takeLast,
  )
where

import Ashlar.Internal.Builder.Buffer
import Ashlar.Internal.Builder.Core hiding (append)
import Ashlar.Internal.Builder.Run (runBuilderWith)
import Ashlar.Internal.Mem (keepAlive)
import Data.ByteString (ByteString)
import Data.IORef
import Data.Word (Word8)
import Foreign.Ptr (Ptr, nullPtr)

-- | The open buffer, the address up to which it has been written, and the chunks before it, the
-- last first. One thread may use it at a time.
newtype Parts = Parts (IORef State)

data State = State !Open !(Ptr Word8) ![ByteString]

-- | No bytes. Nothing is allocated for the buffer yet.
newParts :: IO Parts
newParts = Parts <$> newIORef (State noBuffer nullPtr [])

-- | Write a builder, and return the chunks that are complete, the first first. None is empty.
--
-- If the builder throws, the parts before it are as they were, but 'append' and 'takeLast' return
-- the chunks that it had completed before those of the next builder. So whoever catches that
-- exception must not use the parts again.
append :: Parts -> Builder -> IO [ByteString]
append parts@(Parts ref) b = keepAlive ref $ do
  State open from _ <- readIORef ref
  end <- runBuilderWith sink (restFrom open from) b
  State now _ chunks <- readIORef ref
  writeIORef ref (State now end [])
  pure (reverse chunks)
  where
    sink = Sink $ \request p -> do
      endChunk parts p
      State open _ chunks <- readIORef ref
      case request of
        More n _ -> do
          new <- newOpen (max n 32768)
          writeIORef ref (State new (openFrom new) chunks)
        Insert bs -> writeIORef ref (State open p (bs : chunks))
        Flush -> pure ()
      (\(State now at _) -> restFrom now at) <$> readIORef ref

-- | What has been written and not been returned, which may be empty.
takeLast :: Parts -> IO [ByteString]
takeLast parts@(Parts ref) = do
  State _ p _ <- readIORef ref
  endChunk parts p
  State open at chunks <- readIORef ref
  chunks <$ writeIORef ref (State open at [])

-- What was written up to an address is a chunk. The rest of the buffer stays in use.
endChunk :: Parts -> Ptr Word8 -> IO ()
endChunk (Parts ref) p = do
  State open _ chunks <- readIORef ref
  let more = if p == openFrom open then chunks else written open p : chunks
  writeIORef ref $! State (handedOut open p) p more
