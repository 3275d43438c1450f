-- |
-- Module      : Ashlar.Internal.Get.Suspend
-- Description : Decoders that stop when they need input
--
-- What is behind "Ashlar.Get.Feed" and 'Ashlar.Get.Decoder'. The decoder runs as
-- a coroutine, whose only suspension is in what prepares the next chunk
-- ('inputPrepare').
--
-- Note [The chunk comes first]
-- ~~~~~~~~~~~~~~~~~~~~~~~~~~~~
-- The chunk is not handed over by resuming. It is written to a variable before,
-- and the decoder looks there before it suspends. So it cannot be lost if an
-- exception strikes just after the decoder has been resumed, and what prepares a
-- chunk can be run again, as it must.
module Ashlar.Internal.Get.Suspend
  ( Progress (..),
    begin,
  )
where

import Ashlar.Internal.Coroutine
import Ashlar.Internal.Get.Catch
import Ashlar.Internal.Get.Core (Get)
import Ashlar.Internal.Get.Env
import Ashlar.Internal.Get.Error
import Ashlar.Internal.Get.Input
import Ashlar.Internal.Get.Run
import Ashlar.Internal.Mem.Cells
import Control.Monad (join, when)
import Data.ByteString (ByteString)
import qualified Data.ByteString as S
import Data.IORef (newIORef, readIORef, writeIORef)
import Data.Int (Int64)
import Data.Maybe (maybeToList)

-- | How far a decoder has come.
data Progress a
  = -- | It has failed: what it had not read, where that begins, and why.
    Failed !ByteString !Int64 DecodeError
  | -- | It needs a chunk, which is not empty, or the end of the input. To be
    -- resumed at most once.
    Waiting (Maybe ByteString -> IO (Progress a))
  | -- | It has ended: what it had not read, where that begins, and the result.
    Finished !ByteString !Int64 a
  | -- | It was interrupted, the evaluation was taken up, and it would have to begin
    -- again from the start.
    Lost

-- What has been handed over and not been taken: chunks, and whether these are the
-- last ones.
data Pending = Pending [ByteString] !Bool

-- | Start a decoder on chunks (none of them empty), which may be the last ones, and
-- run it until it needs more.
begin :: Get a -> [ByteString] -> Bool -> IO (Progress a)
begin g chunks isLast = do
  pending <- newIORef (Pending chunks isLast)
  suspension <- newIORef (pure ())
  let prepare = do
        Pending bss end <- readIORef pending
        when (null bss && not end) $ join (readIORef suspension)
      next = do
        Pending bss end <- readIORef pending
        case bss of
          bs : more -> bs <$ writeIORef pending (Pending more end)
          [] -> pure S.empty
  input <- newInput prepare next newSegments
  withCells cellCount $ \c -> do
    startCells c input 0
    -- A prompt must not have thunks above it.
    putInt c inPlaceCell (if suspendsByFreezing then 1 else 0)
    let advance act = do
          r <- inPlace act
          case r of
            Returned (Suspended () go) -> pure $
              Waiting $ \chunk -> do
                writeIORef pending (Pending (maybeToList chunk) (null chunk))
                advance (go ())
            Returned (Completed a) -> uncurry Finished <$> left <*> pure a
            Missed -> uncurry Failed <$> left <*> errorOf c input
            _ -> pure Lost
        left = do
          at <- position c
          held <- unread c input
          Pending more _ <- readIORef pending
          pure (S.concat (held ++ more), fromIntegral at)
    advance $
      start $ \yield -> do
        writeIORef suspension (yield ())
        runIn c input g
