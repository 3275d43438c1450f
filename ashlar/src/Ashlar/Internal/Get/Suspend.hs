-- |
-- Module      : Ashlar.Internal.Get.Suspend
-- Description : Decoders that stop when they need input
--
-- The engine of "Ashlar.Get.Feed" and 'Ashlar.Get.Decoder'. The decoder runs as a coroutine that
-- suspends only where it waits for the next chunk ('inputPrepare').
--
-- Note [The chunk comes first]
-- ~~~~~~~~~~~~~~~~~~~~~~~~~~~~
-- The chunk is not handed over by resuming. It is written to a variable before, and the decoder
-- looks there before it suspends. So it cannot be lost if an exception strikes just after the
-- decoder has been resumed.
module Ashlar.Internal.Get.Suspend
  ( Fed (..),
    begin,
  )
where

import Ashlar.Internal.Coroutine
import Ashlar.Internal.Get.Core (Get)
import Ashlar.Internal.Get.Env
import Ashlar.Internal.Get.Error
import Ashlar.Internal.Get.Run
import Ashlar.Internal.Get.Segments
import Ashlar.Internal.Mem.Cells
import Control.Monad (join)
import Data.ByteString (ByteString)
import qualified Data.ByteString as S
import Data.IORef (newIORef, readIORef, writeIORef)
import Data.Int (Int64)
import Data.Maybe (maybeToList)

-- | How far a decoder has come that is fed its input.
data Fed a
  = -- | It needs a chunk, which is not empty, or the end of the input. To be resumed at most once.
    Waiting (Maybe ByteString -> IO (Fed a))
  | -- | It has ended: the bytes that it had not read, the offset at which they begin, and the
    -- result.
    Finished !ByteString !Int64 (Either DecodeError a)

-- What has been handed over and not been taken: chunks, and whether these are the last ones.
data Pending = Pending [ByteString] !Bool

-- | Start a decoder, and run it until it needs more.
begin ::
  -- | How many bytes the value may take, or 'maxBound'.
  Int ->
  Get a ->
  -- | The offset of the first byte.
  Int ->
  -- | The first chunks. None is empty.
  [ByteString] ->
  -- | Are these all?
  Bool ->
  IO (Fed a)
begin bytes g offset chunks isLast = do
  pending <- newIORef (Pending chunks isLast)
  suspension <- newIORef (pure ())
  let suspends = (\(Pending bss end) -> null bss && not end) <$> readIORef pending
      prepare = suspends >>= \it -> if it then join (readIORef suspension) else pure ()
      next = do
        Pending bss end <- readIORef pending
        case bss of
          bs : more -> bs <$ writeIORef pending (Pending more end)
          [] -> pure S.empty
  input <- newInput newSegments suspends prepare next
  withCells streamCellCount $ \c -> do
    startStream c input offset bytes
    let status progress = case progress of
          Suspended () go -> pure $
            Waiting $ \chunk -> do
              writeIORef pending (Pending (maybeToList chunk) (null chunk))
              go () >>= status
          Completed result -> do
            at <- position c
            held <- unread c input
            Pending more _ <- readIORef pending
            pure $! Finished (S.concat (held ++ more)) (fromIntegral at) result
    start (\yield -> writeIORef suspension (yield ()) >> runIn c input g) >>= status
