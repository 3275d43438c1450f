{-# LANGUAGE BangPatterns #-}

-- |
-- Module      : Ashlar.Internal.Get.Source
-- Description : Running decoders on input that is read piece by piece
module Ashlar.Internal.Get.Source
  ( -- * One value
    hRunGet,
    hRunGetWhole,
    runGetFile,
    runGetFileWhole,
    runGetIO,
    runGetIOWhole,

    -- * Many values
    Source,
    newSource,
    handleSource,
    getFrom,
    foldFrom,
    hFoldGet,

    -- * For other modules
    sourceOf,
    nextOrEnd,
  )
where

import Ashlar.Internal.Get.Bytes (endOfInput, isEmpty)
import Ashlar.Internal.Get.Core
import Ashlar.Internal.Get.Env
import Ashlar.Internal.Get.Error
import Ashlar.Internal.Get.Failure
import Ashlar.Internal.Get.Input
import Ashlar.Internal.Get.Refuse
import Ashlar.Internal.Get.Run
import Ashlar.Internal.Mem.Cells
import Control.Monad (when)
import Data.ByteString (ByteString)
import qualified Data.ByteString as S
import Data.IORef (IORef, atomicModifyIORef', atomicWriteIORef, modifyIORef', newIORef, writeIORef)
import System.IO (Handle, IOMode (..), withBinaryFile)

-- | Input that is read piece by piece, by one decoder after another. It
-- remembers what has been taken from where it comes and not been read yet.
--
-- It must not be used by two threads at the same time: to do so is an
-- 'Control.Exception.IOException' in the one that comes second.
--
-- @since 0.1.0.0
data Source = Source !Input !(IORef Int)

-- | A source from an action that returns the next chunk of any size, and an
-- empty one at the end. It is called only when a decoder cannot go on without
-- it, with asynchronous exceptions masked, and not again after it has returned
-- an empty chunk. An exception of it leaves the source unusable.
--
-- >>> import Data.ByteString (ByteString)
-- >>> import Data.IORef (atomicModifyIORef', newIORef)
-- >>> pieces <- newIORef ["\1\0\2", "\0\3" :: ByteString]
-- >>> let next = atomicModifyIORef' pieces (\l -> (drop 1 l, mconcat (take 1 l)))
-- >>> source <- newSource next
-- >>> getFrom source getWord16le
-- Right 1
-- >>> foldFrom source getWord8 (\n w -> pure (n + fromIntegral w)) (0 :: Int)
-- Right 5
--
-- @since 0.1.0.0
newSource :: IO ByteString -> IO Source
newSource = sourceOf (pure ())

-- | A source with an action to be run, unmasked, before each of those that return a
-- chunk. It may be run again if it is interrupted.
sourceOf :: IO () -> IO ByteString -> IO Source
sourceOf prepare next = Source <$> newInput prepare next newSegments <*> newIORef 0

-- | A source that reads from a 'Handle', at most 32 KiB at a time. It waits
-- only until there is something to read.
--
-- @since 0.1.0.0
handleSource :: Handle -> IO Source
handleSource h = newSource (S.hGetSome h 32768)

-- | Decode the next value of a source. Offsets in errors count from the start
-- of the source; the budget is for each call.
--
-- After an error the source stands where the decoder was in the end, which may be
-- before the offset of the error. A source whose
-- decoder was ended by an exception, or is still running, cannot be used:
-- that is an 'Control.Exception.IOException'.
--
-- @since 0.1.0.0
getFrom :: Source -> Get a -> IO (Either DecodeError a)
getFrom (Source input offsetRef) g = do
  -- In one step: if two threads could get in, one of them would drop the bytes that the
  -- other reads.
  offset <- atomicModifyIORef' offsetRef (\now -> (busy, now))
  when (offset == busy) $ ioError (userError "Ashlar.Get: source in use, or left by an exception")
  writeIORef (inputFailures input) NoFailures
  withCells cellCount $ \c -> do
    startCells c input offset
    result <- inPlaceOr c input (runIn c input g)
    -- Keep what was not read as what comes next.
    at <- position c
    rest <- unread c input
    modifyIORef' (inputSegments input) $ \now ->
      newSegments {segmentsComing = rest, segmentsEnded = segmentsEnded now}
    -- Behind all that has been written before: the next may be another thread.
    atomicWriteIORef offsetRef $! at
    pure result
  where
    -- In place of the offset while a decoder runs.
    busy = -1

-- | Decode values one after another until the source ends, and fold them from
-- the left, in constant memory. The accumulator is forced at each step.
--
-- The decoder must read at least one byte each time; a value that reads nothing is an
-- error, because there would be no end of them. An
-- error, or an exception of the action, ends it; the source then stands where the
-- decoder failed, or behind the last value.
--
-- @since 0.1.0.0
foldFrom :: Source -> Get a -> (b -> a -> IO b) -> b -> IO (Either DecodeError b)
foldFrom source g f = go
  where
    go !acc = do
      next <- getFrom source (nextOrEnd g)
      case next of
        Left e -> pure (Left e)
        Right Nothing -> pure (Right acc)
        Right (Just a) -> f acc a >>= go
{-# INLINE foldFrom #-}

-- | The next value, if the input does not end here. It must read something, or there would
-- be no end of values.
nextOrEnd :: Get a -> Get (Maybe a)
nextOrEnd g = isEmpty >>= \end -> if end then pure Nothing else next
  where
    next = do
      before <- here
      a <- g
      now <- here
      if now == before then invalid "a value that reads nothing, of which there is no end" else pure (Just a)
    {-# INLINE next #-}
{-# INLINE nextOrEnd #-}

-- | Decode one value from a 'Handle'. What has been read from the Handle behind
-- the value, at most 32 KiB, is lost: use a 'Source' to read on. What goes wrong with the
-- Handle is an 'Control.Exception.IOException'.
--
-- @since 0.1.0.0
hRunGet :: Handle -> Get a -> IO (Either DecodeError a)
hRunGet h g = handleSource h >>= \source -> getFrom source g

-- | 'hRunGet' of all there is to read, to the end.
--
-- @since 0.1.0.0
hRunGetWhole :: Handle -> Get a -> IO (Either DecodeError a)
hRunGetWhole h g = hRunGet h (g <* endOfInput)

-- | Decode all the values that can be read from a 'Handle', and fold them: see
-- 'foldFrom'.
--
-- @since 0.1.0.0
hFoldGet :: Handle -> Get a -> (b -> a -> IO b) -> b -> IO (Either DecodeError b)
hFoldGet h g f b = handleSource h >>= \source -> foldFrom source g f b

-- | Decode one value from the beginning of a file. If it cannot be read, that is an
-- 'Control.Exception.IOException'.
--
-- @since 0.1.0.0
runGetFile :: FilePath -> Get a -> IO (Either DecodeError a)
runGetFile path g = withBinaryFile path ReadMode (\h -> hRunGet h g)

-- | 'runGetFile' of all of the file.
--
-- @since 0.1.0.0
runGetFileWhole :: FilePath -> Get a -> IO (Either DecodeError a)
runGetFileWhole path g = runGetFile path (g <* endOfInput)

-- | Decode one value from what an action returns, piece by piece: see
-- 'newSource'. What the decoder leaves of the last piece is lost.
--
-- >>> import Data.ByteString (ByteString)
-- >>> import Data.IORef (atomicModifyIORef', newIORef)
-- >>> pieces <- newIORef ["\1\0\2", "\0\3" :: ByteString]
-- >>> let next = atomicModifyIORef' pieces (\l -> (drop 1 l, mconcat (take 1 l)))
-- >>> runGetIO next getWord32le
-- Right 131073
--
-- @since 0.1.0.0
runGetIO :: IO ByteString -> Get a -> IO (Either DecodeError a)
runGetIO next g = newSource next >>= \source -> getFrom source g

-- | 'runGetIO' of all there is, up to the first empty piece.
--
-- @since 0.1.0.0
runGetIOWhole :: IO ByteString -> Get a -> IO (Either DecodeError a)
runGetIOWhole next g = runGetIO next (g <* endOfInput)
