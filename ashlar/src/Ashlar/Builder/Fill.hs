-- |
-- Module      : Ashlar.Builder.Fill
-- Description : Running a builder through memory that is given piece by piece
--
-- A driver for whoever owns the memory, and asks for as many bytes as there is room
-- for: it fills the space it is given, stops, and goes on in the next one. What is
-- not wanted in that way comes as a lazy 'L.ByteString'.
module Ashlar.Builder.Fill
  ( Filled (..),
    Remainder,
    fill,
    fillOn,
    remainderChunks,
  )
where

import Ashlar.Builder.Buffer
import Ashlar.Builder.Core
import Ashlar.Builder.Lazy
import Ashlar.Coroutine
import Ashlar.Mem
import qualified Data.ByteString.Lazy as L
import qualified Data.ByteString.Lazy.Internal as L
import Data.IORef (IORef, newIORef, readIORef, writeIORef)
import Data.Word (Word8)
import Foreign.Ptr (Ptr, nullPtr)

-- | What became of a builder that was to fill a space.
data Filled
  = -- | All the rest fitted; the address behind its last byte.
    Fitted !(Ptr Word8)
  | -- | The address up to which the space was written, what the builder asked for
    -- there, and what comes behind (behind the ByteString, for an 'Insert').
    Overflowed !(Ptr Word8) !Request Remainder

-- | The part of a builder that has not been run yet. It must be run at most once, by
-- 'fillOn' or 'remainderChunks', and by 'fillOn' only with exceptions masked just as
-- they were before: otherwise a thread of its own might run it
-- (Note [Freezing] in "Ashlar.Coroutine"), and still write when its caller has been
-- interrupted and the memory is gone.
data Remainder = Remainder !(IORef Place) (Maybe Space -> IO (Step Yield (Maybe Space) Chunks))

-- How far the given space has been written, and the last request, when the
-- computation last stopped or ended in given space; and its own buffers, from the
-- moment on when it was given no more.
data Place = Place !(Ptr Word8) !Request !(Maybe Own)

data Own = Own !(IORef Open) !Sink

-- | Run a builder from its beginning, into a space. It is not touched any more when
-- this has returned.
--
-- Each call has a computation of its own, so a builder can be run any number of times.
fill :: Builder -> Space -> IO Filled
fill b space = do
  placeRef <- newIORef (Place nullPtr Flush Nothing)
  step <- start $ \yield -> keepAlive placeRef $ do
    p <- runBuilderWith (placeSink placeRef yield) space b
    Place _ _ own <- readIORef placeRef
    case own of
      Nothing -> id <$ writeIORef placeRef (Place p Flush Nothing)
      Just (Own ref _) -> chunk <$> takeWritten ownStrategy ref p
  filled placeRef step

-- | Go on in another space. It must have as many bytes as the last request asked for.
fillOn :: Remainder -> Space -> IO Filled
fillOn (Remainder placeRef go) space = go (Just space) >>= filled placeRef

-- | What comes behind, made as it is consumed.
remainderChunks :: Remainder -> L.ByteString
remainderChunks (Remainder _ go) = chunksOf L.empty (go Nothing)

filled :: IORef Place -> Step Yield (Maybe Space) Chunks -> IO Filled
filled placeRef step = do
  Place p request _ <- readIORef placeRef
  pure $ case step of
    Suspended _ go -> Overflowed p request (Remainder placeRef go)
    Ended _ -> Fitted p

ownStrategy :: AllocationStrategy
ownStrategy = safeStrategy L.defaultChunkSize L.defaultChunkSize

placeSink :: IORef Place -> (Yield -> IO (Maybe Space)) -> Sink
placeSink placeRef yield = Sink $ \request p -> do
  Place _ _ own <- readIORef placeRef
  case own of
    Just (Own _ (Sink answer)) -> answer request p
    Nothing -> do
      writeIORef placeRef (Place p request Nothing)
      next <- yield (Yield id (pure ()))
      case next of
        Just space -> pure space
        Nothing -> do
          ref <- newIORef noBuffer
          sink@(Sink answer) <- lazySink ownStrategy ref yield
          writeIORef placeRef (Place p request (Just (Own ref sink)))
          -- The given space is not ours any more, and an inserted string has been
          -- handed out.
          case request of
            Insert _ -> answer Flush nullPtr
            _ -> answer request nullPtr
