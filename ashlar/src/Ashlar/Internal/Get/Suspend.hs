-- |
-- Module      : Ashlar.Internal.Get.Suspend
-- Description : Decoders that stop when they need input
--
-- The engine of "Ashlar.Get.Feed" and 'Ashlar.Get.Decoder'. The decoder runs as a coroutine that
-- suspends only in what prepares the next chunk ('inputPrepare').
--
-- Note [The chunk comes first]
-- ~~~~~~~~~~~~~~~~~~~~~~~~~~~~
-- The chunk is not handed over by resuming. It is written to a variable before, and the decoder
-- looks there before it suspends. So it cannot be lost if an exception strikes just after the
-- decoder has been resumed, and what prepares a chunk can be run again, as it must.
module Ashlar.Internal.Get.Suspend
  ( Fed (..),
    begin,
    throwAsItWas,
  )
where

import Ashlar.Internal.Coroutine
import Ashlar.Internal.Coroutine.Exception (Suspect, rethrow, throwSuspect)
import Ashlar.Internal.Get.Catch
import Ashlar.Internal.Get.Core (Get)
import Ashlar.Internal.Get.Env
import Ashlar.Internal.Get.Error
import Ashlar.Internal.Get.Run
import Ashlar.Internal.Get.Segments
import Ashlar.Internal.Mem.Cells
import Control.Exception (Exception, fromException, throwIO)
import Control.Monad (join, when)
import Data.ByteString (ByteString)
import qualified Data.ByteString as S
import Data.IORef (newIORef, readIORef, writeIORef)
import Data.Int (Int64)
import Data.Maybe (isNothing, maybeToList)

-- | How far a decoder has come that is fed its input.
data Fed a
  = -- | It needs a chunk, which is not empty, or the end of the input. To be resumed at most once.
    Waiting (Maybe ByteString -> IO (Fed a))
  | -- | It has ended: the bytes that it had not read, the offset at which they begin, and the
    -- result.
    Finished !ByteString !Int64 (Either DecodeError a)
  | -- | A foreign exception ended it, and it would have to begin again from the start. If the
    -- exception is still to be thrown ('throwAsItWas'), this is it.
    Lost (Maybe Suspect)

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
  let prepare charge = do
        Pending bss end <- readIORef pending
        when (null bss && not end) $ charge >> join (readIORef suspension)
      next = do
        Pending bss end <- readIORef pending
        case bss of
          bs : more -> bs <$ writeIORef pending (Pending more end)
          [] -> pure S.empty
  input <- newInput prepare next newSegments
  withCells streamCellCount $ \c -> do
    startStream c input offset bytes
    -- A prompt must not have thunks above it.
    putInt c inPlaceCell (if suspendsByFreezing then goesOnInPlace else beginsAgain)
    let advance act = do
          r <- inPlace act
          case r of
            Right (Suspended () go) -> pure $
              Waiting $ \chunk -> do
                writeIORef pending (Pending (maybeToList chunk) (null chunk))
                advance (go ())
            Right (Completed a) -> finished (Right a)
            Left HasFailed -> errorOf c input >>= finished . Left
            Left (MustRestart suspect) -> pure (Lost suspect)
            Left stop -> failAgain stop
        finished result = do
          at <- position c
          held <- unread c input
          Pending more _ <- readIORef pending
          pure $! Finished (S.concat (held ++ more)) (fromIntegral at) result
    advance $
      start $ \yield -> do
        writeIORef suspension (yield ())
        runIn c input g

-- | Throw an exception that ended a decoder, which may have been asynchronous. On the same chunks,
-- a run in place throws it again if it was synchronous. Else that run comes to an end, or to the
-- end of the chunks.
throwAsItWas ::
  -- | As those of 'begin'.
  Int ->
  Get a ->
  Int ->
  [ByteString] ->
  Bool ->
  Suspect ->
  IO ()
throwAsItWas bytes g offset chunks isLast suspect = do
  pending <- newIORef chunks
  let next = do
        bss <- readIORef pending
        case bss of
          bs : more -> bs <$ writeIORef pending more
          [] -> if isLast then pure S.empty else throwIO Exhausted
  input <- newInput (const (pure ())) next newSegments
  again <- withCells streamCellCount $ \c -> do
    startStream c input offset bytes
    inPlace (runIn c input g)
  case again of
    Left (Raised e) | isNothing (fromException e :: Maybe Exhausted) -> rethrow e
    _ -> throwSuspect suspect (pure ())

-- Thrown where the chunks end. It never leaves 'throwAsItWas'.
data Exhausted = Exhausted

instance Show Exhausted where
  show Exhausted = "Ashlar.Get: the chunks have ended"

instance Exception Exhausted
