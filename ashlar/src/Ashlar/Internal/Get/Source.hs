{-# LANGUAGE BangPatterns #-}
{-# LANGUAGE DerivingStrategies #-}

-- |
-- Module      : Ashlar.Internal.Get.Source
-- Description : Running decoders on input that is read chunk by chunk
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
    SourceBusy (..),
    getFrom,
    attemptFrom,
    nextOrEnd,

    -- * Folds
    foldFrom,
    hFoldGet,
    Folded (..),
    foldFromUntil,
    hFoldGetUntil,

    -- * For other modules
    sourceOf,
    readsNothing,
  )
where

import Ashlar.Internal.Coroutine.Thunk
import Ashlar.Internal.Get.Bytes (endOfInput, ifReadsNothing, isEmpty)
import Ashlar.Internal.Get.Core
import Ashlar.Internal.Get.Env
import Ashlar.Internal.Get.Error
import Ashlar.Internal.Get.Failure
import Ashlar.Internal.Get.Limits (asValue, streamBytes)
import Ashlar.Internal.Get.Record (onlyThese, returnHome, rewind, unread)
import Ashlar.Internal.Get.Run
import Ashlar.Internal.Mem.Cells
import Control.Exception
  ( Exception (..),
    IOException,
    SomeException,
    evaluate,
    mask,
    throwIO,
    try,
  )
import Control.Monad (join)
import Data.ByteString (ByteString)
import qualified Data.ByteString as S
import Data.IORef
  ( IORef,
    atomicModifyIORef',
    atomicWriteIORef,
    modifyIORef',
    newIORef,
    readIORef,
    writeIORef,
  )
import Data.Int (Int64)
import System.IO
  ( Handle,
    IOMode (..),
    SeekMode (..),
    hFileSize,
    hIsSeekable,
    hSeek,
    hTell,
    withBinaryFile,
  )

-- | Input that is read chunk by chunk, by one decoder after another. It keeps the bytes of a chunk
-- that a decoder has not read for the next decoder.
--
-- Two threads must not use a source at the same time. The second one gets 'SourceBusy'.
data Source = Source
  { sourceInput :: !Input,
    sourceState :: !(IORef State)
  }

-- Whether the source can be used.
data State
  = -- It can: the offset of the next byte.
    Free !Int
  | -- It cannot, because a decoder runs, or has been ended by an exception: the offset at which the
    -- decoder began.
    Busy !Int

-- | A 'Source' cannot be used, because a decoder that began at this offset has not finished. Either
-- it still runs in another thread, or an exception has ended it in the middle of its value, as
-- 'System.Timeout.timeout' does. After an exception, 'attemptFrom' leaves the source usable.
newtype SourceBusy = SourceBusy Int64
  deriving stock (Eq, Show)

instance Exception SourceBusy where
  displayException (SourceBusy at) =
    "Ashlar.Get: the source is in use, or an exception ended its decoder, which began at byte "
      ++ show at

-- Mark the source as busy, and return the offset of the next byte. This is one atomic step: if two
-- threads could take the source, one of them would drop the bytes that the other reads.
takeSource :: Source -> IO Int
takeSource source = do
  before <- atomicModifyIORef' (sourceState source) $ \now -> case now of
    Free at -> (Busy at, now)
    Busy _ -> (now, now)
  case before of
    Free at -> at <$ writeIORef (inputFailures (sourceInput source)) NoFailures
    Busy at -> throwIO (SourceBusy (fromIntegral at))

-- Free the source after a decoder. The next byte is the one at the cursor. The first unread segment
-- becomes the current one, so the next decoder need not ask for it. (Asking would take a quarter of
-- the time of a small value: benchmark "pushed values", the row of the Source.)
giveBack :: Source -> Cells -> IO ()
giveBack source c = do
  let input = sourceInput source
  at <- position c
  rest <- unread c input
  modifyIORef' (inputSegments input) (onlyThese rest)
  -- After all other writes, because another thread may take the source at once.
  free source at

-- Free the source before all bytes that it holds, the first of which has this offset.
giveBackAll :: Source -> Int -> IO ()
giveBackAll source at = do
  let input = sourceInput source
  returnHome input
  modifyIORef' (inputSegments input) rewind
  free source at

free :: Source -> Int -> IO ()
free source at = atomicWriteIORef (sourceState source) $! Free at

-- | A source from an action that returns the next chunk, of any size, and an empty one at the end.
--
-- The action runs only when a decoder cannot continue without a chunk, with asynchronous exceptions
-- masked, and not again after it has returned an empty chunk. If it throws, that ends the decoder.
-- Whether the source can be used again depends on what ran the decoder ('getFrom', 'attemptFrom').
--
-- >>> import Data.ByteString (ByteString)
-- >>> import Data.IORef (atomicModifyIORef', newIORef)
-- >>> chunks <- newIORef ["\1\0\2", "\0\3" :: ByteString]
-- >>> let next = atomicModifyIORef' chunks (\l -> (drop 1 l, mconcat (take 1 l)))
-- >>> source <- newSource next
-- >>> getFrom source getWord16le
-- Right 1
-- >>> foldFrom source getWord8 (\n w -> pure (n + fromIntegral w)) (0 :: Int)
-- Right 5
newSource :: IO ByteString -> IO Source
newSource = sourceOf (pure ())

-- | A source like that of 'newSource'.
sourceOf ::
  -- | Run before each chunk, unmasked. It may be run again if it is interrupted.
  IO () ->
  -- | The next chunk.
  IO ByteString ->
  IO Source
sourceOf prepare next =
  Source <$> newInput (oneSegment 0 S.empty) prepare next <*> newIORef (Free 0)

-- | A source that reads from a 'Handle', at most 32 KiB at a time. It waits only until there is
-- something to read. Offsets count from the position of the Handle. If the Handle can seek,
-- 'Ashlar.Get.atOffset' seeks instead of reading.
handleSource :: Handle -> IO Source
handleSource h = seeking <$> newSource (S.hGetSome h 32768)
  where
    seeking source = source {sourceInput = (sourceInput source) {inputSeeker = handleSeeker h}}

-- How to seek in a Handle. (It does not seek if the size is 0: files in @/proc@ say that they are
-- empty, and are not.)
handleSeeker :: Handle -> Int -> IO (Maybe Seeker)
handleSeeker h next = do
  can <- hIsSeekable h
  -- (Devices say that they can seek, but have no size.)
  size <- if can then either noSize id <$> try (hFileSize h) else pure 0
  if size == 0
    then pure Nothing
    else do
      start <- subtract (fromIntegral next) <$> hTell h
      let maxOffset = toInteger (maxBound :: Int)
      pure . Just $
        Seeker
          { seekTo = \to -> hSeek h AbsoluteSeek (start + fromIntegral to),
            -- No offset is greater than an Int.
            seekEnd = fromIntegral . min maxOffset . subtract start <$> hFileSize h
          }
  where
    noSize :: IOException -> Integer
    noSize _ = 0

-- | Decode the next value of a source. Offsets in errors count from the start of the source. Each
-- call has a budget of its own: it may hold 64 MiB of input at once, not counting the bytes that it
-- has passed, or what 'Ashlar.Get.withBudget' around the decoder allows ('Ashlar.Get.budgetBytes').
--
-- After an error, the source is where the decoder stopped, which may be before the offset of the
-- error. Bytes that have been passed are not kept. So if an exception ends the decoder, the source
-- cannot be used again: each use throws 'SourceBusy'. Use 'attemptFrom' to try again.
getFrom :: Source -> Get a -> IO (Either DecodeError a)
getFrom source g = do
  offset <- takeSource source
  withCells cellCount $ \c -> do
    startStream c (sourceInput source) offset streamBytes
    result <- runIn c (sourceInput source) g
    giveBack source c
    pure result

-- | 'getFrom' that takes a complete value or nothing. After an error or an exception, the source is
-- where the value begins, and can be used again. (Within a jump to an offset of a file, it must
-- seek back for that. If it cannot, each later use throws 'SourceBusy'.)
--
-- So after a 'System.Timeout.timeout' the next attempt decodes the value from its beginning. For
-- that, the bytes of a value are kept until it is decoded. A timeout that strikes when the value
-- has just been decoded loses it, as with any action. @'Control.Exception.mask_' (timeout n
-- (attemptFrom source g))@ loses nothing: the timeout can only interrupt waiting for input.
--
-- >>> import Data.ByteString (ByteString)
-- >>> import Data.IORef (atomicModifyIORef', newIORef)
-- >>> chunks <- newIORef [pure "\1", ioError (userError "not now"), pure "\2" :: IO ByteString]
-- >>> source <- newSource (join (atomicModifyIORef' chunks (\l -> (drop 1 l, head l))))
-- >>> import Control.Exception (IOException, try)
-- >>> try (attemptFrom source getWord16be) :: IO (Either IOException (Either DecodeError Word16))
-- Left user error (not now)
-- >>> attemptFrom source getWord16be
-- Right 258
attemptFrom :: Source -> Get a -> IO (Either DecodeError a)
attemptFrom source g = join $
  mask $ \unmask -> do
    offset <- takeSource source
    withCells cellCount $ \c -> do
      startStream c input offset streamBytes
      -- Keep all bytes from here on, even after a commit.
      putInt c keepCell offset
      putInt c releaseCell offset
      -- If the decoder throws, its thunk throws again when it is forced. If the thread is
      -- interrupted, the thunk is only frozen. 'hasThrown' tells which.
      decoded@(Thunk run) <- newThunk (runIn c input g)
      ended <- try (unmask (evaluate run))
      case ended of
        Right (Right a) -> pure (Right a) <$ giveBack source c
        Right (Left e) -> pure (Left e) <$ giveBackAll source offset
        Left e -> do
          -- If the source cannot seek back, it remains busy. The decoder's exception is thrown.
          _ <- try (giveBackAll source offset) :: IO (Either SomeException ())
          thrown <- hasThrown decoded
          -- If a lazy value runs this and an asynchronous exception freezes it, forcing the value
          -- again makes another attempt.
          pure (if thrown then rethrow e else throwOn e (attemptFrom source g))
  where
    input = sourceInput source

-- | Decode values one after another until the source ends, and fold them from the left, in constant
-- memory. The accumulator is forced at each step. Each value may take 64 MiB
-- ('Ashlar.Get.budgetBytes').
--
-- A value that reads nothing is an error, because the fold would never end. An error ends the fold,
-- and the source is where the decoder failed. An exception of the action ends the fold, too, and
-- the source is after the last value. To keep the accumulator, or to stop early, use
-- 'foldFromUntil'.
--
-- >>> import Data.ByteString (ByteString)
-- >>> import Data.IORef (atomicModifyIORef', newIORef)
-- >>> chunks <- newIORef ["\0\1\0", "\2\0\3" :: ByteString]
-- >>> source <- newSource (atomicModifyIORef' chunks (\l -> (drop 1 l, mconcat (take 1 l))))
-- >>> foldFrom source getWord16be (\total n -> pure (total + n)) 0
-- Right 6
foldFrom ::
  Source ->
  -- | A decoder of one value.
  Get a ->
  -- | Given the accumulator and a value: the next accumulator.
  (b -> a -> IO b) ->
  -- | The first accumulator.
  b ->
  IO (Either DecodeError b)
foldFrom source g f = go
  where
    go !acc = do
      next <- getFrom source (nextOrEnd g)
      case next of
        Left e -> pure (Left e)
        Right Nothing -> pure (Right acc)
        Right (Just a) -> f acc a >>= go
{-# INLINE foldFrom #-}

-- | The next value, or 'Nothing' if the input ends before its first byte. A value that is cut off
-- is an error.
--
-- A value that reads nothing is an error, too, because a loop over such values would never end. In
-- input that is not in memory, the value may take 64 MiB ('Ashlar.Get.budgetBytes').
--
-- >>> runGetRest (nextOrEnd getWord16be) "\1\2\3"
-- Right (Just 258,"\ETX")
-- >>> runGet (nextOrEnd getWord16be) ""
-- Right Nothing
-- >>> either (print . errorReason) print (runGet (nextOrEnd getWord16be) "\3")
-- MissingInput 2 1
--
-- This is how to read values one by one from a 'Source': @'getFrom' source ('nextOrEnd' g)@. (For
-- input that is pushed, "Ashlar.Get.Feed" does it.)
nextOrEnd :: Get a -> Get (Maybe a)
nextOrEnd g = isEmpty >>= \end -> if end then pure Nothing else next
  where
    next = Just <$> ifReadsNothing (const readsNothing) (asValue g)
    {-# INLINE next #-}
{-# INLINE nextOrEnd #-}

-- | Fail, because a value has read nothing.
readsNothing :: Get a
readsNothing = invalid "a value that reads nothing, of which there is no end"
{-# NOINLINE readsNothing #-}

-- | How a fold of a 'Source' ended. Each case has the offset after the last complete value, where
-- the source is.
data Folded c b
  = -- | The source ended after a value: the accumulator.
    FoldEnded !Int64 b
  | -- | The action stopped the fold after a value: its result.
    FoldStopped !Int64 c
  | -- | The next value could not be decoded: the accumulator so far, and the error.
    FoldFailed !Int64 b DecodeError
  deriving stock (Eq, Show)

-- | 'foldFrom' that can stop early, and that returns the accumulator if a value cannot be decoded.
-- The accumulator is forced at each step.
--
-- Values are taken by 'attemptFrom'. So the source remains before a value that cannot be decoded,
-- and can be used again even if an exception ends the fold.
--
-- >>> import Data.ByteString (ByteString)
-- >>> import Data.IORef (atomicModifyIORef', newIORef)
-- >>> chunks <- newIORef ["\1\0\2", "\0\3" :: ByteString]
-- >>> source <- newSource (atomicModifyIORef' chunks (\l -> (drop 1 l, mconcat (take 1 l))))
-- >>> let upTo limit n x = pure (if x > limit then Left x else Right (n + x))
-- >>> foldFromUntil source getWord16le (upTo 1) 0
-- FoldStopped 4 2
-- >>> foldFromUntil source getWord8 (upTo 9) 0
-- FoldEnded 5 3
foldFromUntil ::
  Source ->
  -- | A decoder of one value.
  Get a ->
  -- | Given the accumulator and a value: stop with a result, or go on with an accumulator.
  (b -> a -> IO (Either c b)) ->
  -- | The first accumulator.
  b ->
  IO (Folded c b)
foldFromUntil source g f b = do
  state <- readIORef (sourceState source)
  case state of
    Free at -> go at b
    Busy at -> throwIO (SourceBusy (fromIntegral at))
  where
    go !at !acc = do
      next <- attemptFrom source ((,) <$> nextOrEnd g <*> here)
      case next of
        Left e -> pure (FoldFailed (fromIntegral at) acc e)
        Right (Nothing, _) -> pure (FoldEnded (fromIntegral at) acc)
        Right (Just a, now) -> f acc a >>= either (pure . FoldStopped (fromIntegral now)) (go now)
{-# INLINE foldFromUntil #-}

-- | Decode one value from a 'Handle'. Up to 32 KiB after the value may have been read from the
-- Handle, and are lost: use a 'Source' to read on. Errors of the Handle are
-- 'Control.Exception.IOException's. The decoder may hold 64 MiB, as with 'getFrom'.
hRunGet :: Handle -> Get a -> IO (Either DecodeError a)
hRunGet h g = handleSource h >>= \source -> getFrom source g

-- | 'hRunGet' of the whole Handle: the decoder must read it to its end.
hRunGetWhole :: Handle -> Get a -> IO (Either DecodeError a)
hRunGetWhole h g = hRunGet h (g <* endOfInput)

-- | Decode all the values of a 'Handle', and fold them: see 'foldFrom'. An error loses the
-- accumulator. 'hFoldGetUntil' keeps it, with the offset after the last complete value.
--
-- >>> import System.IO (IOMode (ReadMode), withBinaryFile)
-- >>> Ashlar.Builder.writeFile "numbers" (foldMap word16BE [1, 2, 3])
-- >>> let add total n = pure (total + n)
-- >>> withBinaryFile "numbers" ReadMode (\h -> hFoldGet h getWord16be add 0)
-- Right 6
hFoldGet ::
  -- | Read to its end, 32 KiB at a time.
  Handle ->
  -- | A decoder of one value.
  Get a ->
  -- | Given the accumulator and a value: the next accumulator.
  (b -> a -> IO b) ->
  -- | The first accumulator.
  b ->
  IO (Either DecodeError b)
hFoldGet h g f b = handleSource h >>= \source -> foldFrom source g f b

-- | 'foldFromUntil' of a 'Handle'. Up to 32 KiB after the last value may have been read from the
-- Handle, and are lost: use a 'Source' to read on.
hFoldGetUntil ::
  -- | Read 32 KiB at a time.
  Handle ->
  -- | A decoder of one value.
  Get a ->
  -- | Given the accumulator and a value: stop with a result, or go on with an accumulator.
  (b -> a -> IO (Either c b)) ->
  -- | The first accumulator.
  b ->
  IO (Folded c b)
hFoldGetUntil h g f b = handleSource h >>= \source -> foldFromUntil source g f b

-- | Decode one value from the beginning of a file. Throws an 'Control.Exception.IOException' if the
-- file cannot be read. The decoder may hold 64 MiB, as with 'getFrom'.
runGetFile :: FilePath -> Get a -> IO (Either DecodeError a)
runGetFile path g = withBinaryFile path ReadMode (\h -> hRunGet h g)

-- | 'runGetFile' of the whole file: the decoder must read it to its end.
runGetFileWhole :: FilePath -> Get a -> IO (Either DecodeError a)
runGetFileWhole path g = runGetFile path (g <* endOfInput)

-- | Decode one value from the chunks that an action returns: see 'newSource'. Bytes of the last
-- chunk that the decoder does not read are lost. The decoder may hold 64 MiB, as with 'getFrom'.
--
-- >>> import Data.ByteString (ByteString)
-- >>> import Data.IORef (atomicModifyIORef', newIORef)
-- >>> chunks <- newIORef ["\1\0\2", "\0\3" :: ByteString]
-- >>> let next = atomicModifyIORef' chunks (\l -> (drop 1 l, mconcat (take 1 l)))
-- >>> runGetIO next getWord32le
-- Right 131073
runGetIO :: IO ByteString -> Get a -> IO (Either DecodeError a)
runGetIO next g = newSource next >>= \source -> getFrom source g

-- | 'runGetIO' of all chunks: the decoder must read them up to the first empty one.
runGetIOWhole :: IO ByteString -> Get a -> IO (Either DecodeError a)
runGetIOWhole next g = runGetIO next (g <* endOfInput)
