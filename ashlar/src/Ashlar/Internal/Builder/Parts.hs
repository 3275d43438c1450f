-- |
-- Module      : Ashlar.Internal.Builder.Parts
-- Description : Builders that are written one after another, through one buffer
module Ashlar.Internal.Builder.Parts
  ( Parts,
    newParts,
    append,
    Made (..),
    takeLast,
  )
where

import Ashlar.Internal.Builder.Buffer
import Ashlar.Internal.Builder.Bytes (NextChunk (..), nextChunk)
import Ashlar.Internal.Builder.Core hiding (append)
import Ashlar.Internal.Builder.Lazy (BuilderStatus, PendingRequest (..), Status (..), runToRequest)
import Ashlar.Internal.Mem (keepAlive)
import Data.ByteString (ByteString)
import Data.IORef
import Data.Word (Word8)
import Foreign.Ptr (Ptr, nullPtr)

-- | The open buffer, and the address up to which it has been written. One thread may use it at a
-- time.
newtype Parts = Parts (IORef State)

data State = State !Open !(Ptr Word8)

-- | What a builder has made so far.
data Made
  = -- | All that is not in the buffer has been returned.
    AllMade
  | -- | A chunk, which is not empty, and what comes next. That action must be run once, before the
    -- parts are used again, or never.
    Made !ByteString (IO Made)

-- | No bytes. Nothing is allocated for the buffer yet.
newParts :: IO Parts
newParts = Parts <$> newIORef (State noBuffer nullPtr)

-- | Write a builder up to its first chunk that is complete. The builder goes on when the next one
-- is asked for.
--
-- If the builder throws, the parts before it are as they were.
append :: Parts -> Builder -> IO Made
append parts@(Parts ref) b = do
  State open _ <- readIORef ref
  if openSize open == 0 then newBufferOf 0 parts else pure ()
  inBuffer parts (runToRequest b)

-- The size of a buffer.
partsSize :: Int
partsSize = 32768

newBufferOf :: Int -> Parts -> IO ()
newBufferOf n (Parts ref) = do
  open <- newOpen (max n partsSize)
  writeIORef ref (State open (openFrom open))

-- Run or resume a builder in the rest of the buffer.
inBuffer :: Parts -> (FreeSpace -> IO BuilderStatus) -> IO Made
inBuffer parts@(Parts ref) go = do
  State open from <- readIORef ref
  status <- keepAlive (openBuffer open) (go (restFrom open from))
  case status of
    Completed p -> AllMade <$ writeIORef ref (State open p)
    Suspended (PendingRequest request p _) resume -> do
      let goOn = inBuffer parts resume
      written' <- takeWritten parts p
      before written' $ case request of
        More n _ -> newBufferOf n parts >> goOn
        Inserting bs following -> pure (Made bs (passOn parts following goOn))
        Flush -> goOn

-- The chunks of a lazy string after one that was inserted.
passOn :: Parts -> Following -> IO Made -> IO Made
passOn parts following goOn = do
  next <- nextChunk 0 following
  case next of
    InsertNext bs -> pure (Made bs (passOn parts following goOn))
    _ -> goOn

before :: Maybe ByteString -> IO Made -> IO Made
before bytes rest = maybe rest (\bs -> pure (Made bs rest)) bytes

-- | What has been written and not been returned.
takeLast :: Parts -> IO (Maybe ByteString)
takeLast parts@(Parts ref) = do
  State _ p <- readIORef ref
  takeWritten parts p

-- What was written up to an address. The rest of the buffer stays in use.
takeWritten :: Parts -> Ptr Word8 -> IO (Maybe ByteString)
takeWritten (Parts ref) p = do
  State open _ <- readIORef ref
  writeIORef ref (State (handedOut open p) p)
  pure (if p == openFrom open then Nothing else Just $! written open p)
