{-# LANGUAGE BangPatterns #-}
{-# LANGUAGE MagicHash #-}

-- |
-- Module      : Ashlar.Internal.Get.RunLazy
-- Description : Running decoders on lazy input
module Ashlar.Internal.Get.RunLazy
  ( runGetLazy,
    runGetLazyWhole,
    runGetOrFail,

    -- * For other modules
    runLazy,
    runOrFail,
    forceNext,
    nextOf,
  )
where

import Ashlar.Internal.Get.Bytes (endOfInput)
import Ashlar.Internal.Get.Core
import Ashlar.Internal.Get.Env
import Ashlar.Internal.Get.Error
import Ashlar.Internal.Get.Limits (streamBytes)
import Ashlar.Internal.Get.Record (unread)
import Ashlar.Internal.Get.Run
import Ashlar.Internal.Mem.Cells
import Control.Exception (evaluate)
import Data.ByteString (ByteString)
import qualified Data.ByteString as S
import qualified Data.ByteString.Lazy as L
import qualified Data.ByteString.Lazy.Internal as L
import Data.Either (fromLeft)
import Data.IORef (IORef, newIORef, readIORef, writeIORef)
import Data.Int (Int64)
import GHC.Exts (isTrue#, reallyUnsafePtrEquality#)
import System.IO.Unsafe (unsafeDupablePerformIO, unsafePerformIO)

-- | Decode from a lazy 'L.ByteString'. Its first chunk is forced at once, each other chunk when the
-- decoder gets there. Chunks are released when the decoder has passed them. Chunks after the value
-- are ignored, and not forced.
--
-- The decoder may hold its first chunk or 64 MiB of input at once, not counting the bytes that it
-- has passed. More is an 'OverBudget' error. 'withBudget' around the decoder sets another limit
-- ('budgetBytes').
--
-- Input of one chunk, as 'L.fromStrict' makes it, is decoded as by 'runGet': forcing an error runs
-- the decoder again.
--
-- Do not interrupt it under GHC's non-moving collector, nor under the compacting one of GHC 9.0:
-- see the known gaps in @docs/safety.md@.
runGetLazy :: Get a -> L.ByteString -> Either DecodeError a
runGetLazy = runLazy streamBytes (\result _ _ -> result)
{-# INLINE runGetLazy #-}

-- | 'runGetLazy' of all of the input: the decoder must read it to its end.
runGetLazyWhole :: Get a -> L.ByteString -> Either DecodeError a
runGetLazyWhole g = runGetLazy (g <* endOfInput)
{-# INLINE runGetLazyWhole #-}

-- | 'runGetLazy', also returning the bytes that were not read, and the offset at which they begin.
-- After an error, they begin where the decoder stopped, which may be before the offset of the
-- error.
--
-- >>> either (const Nothing) Just (runGetOrFail getWord16be "\1\2\3")
-- Just ("\ETX",2,258)
runGetOrFail ::
  Get a ->
  L.ByteString ->
  Either (L.ByteString, Int64, DecodeError) (L.ByteString, Int64, a)
runGetOrFail = runOrFail streamBytes
{-# INLINE runGetOrFail #-}

-- | 'runGetOrFail' of a decoder that may hold n bytes, or any number if that is 'maxBound'.
runOrFail ::
  Int ->
  Get a ->
  L.ByteString ->
  Either (L.ByteString, Int64, DecodeError) (L.ByteString, Int64, a)
runOrFail bytes = runLazy bytes $ \result rest at ->
  either (\e -> Left (rest, at, e)) (\a -> Right (rest, at, a)) result
{-# INLINE runOrFail #-}

-- Note [A lazy ByteString of one chunk]
-- ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
-- A run on lazy input cannot be repeated, because its input is released as it goes. So it is
-- traced. An untraced run takes half the time where decoders often fail.
--
-- So if the input is a single chunk, as 'L.fromStrict' makes it, the decoder runs on that chunk as
-- strict input. The tail after the chunk must not be forced before the decoder gets there. So its
-- address is compared with that of 'L.Empty', which can never be equal by mistake. If the tail is a
-- thunk, or an indirection that the next garbage collection removes, the run is a lazy one.
--
-- If the strict run fails, a lazy run finds the error and where the decoder stopped, but not before
-- these are forced. Otherwise, a decoder that runs another one on a part of its input, and fails if
-- that fails, would double the time at each level.
--
-- Both runs have the same result, because the lazy run may always hold the first chunk.
-- (Benchmark "brackets, 100 KB, one chunk". 'Tests.Splits' runs each decoder both ways. Test "a
-- decoder in a nested run is run once".)
onlyChunk :: L.ByteString -> Maybe ByteString
onlyChunk lbs = case lbs of
  L.Chunk bs rest | isTrue# (reallyUnsafePtrEquality# rest L.Empty) -> Just bs
  _ -> Nothing

-- | Run a decoder on lazy input.
runLazy ::
  -- | How many bytes the run may hold, or 'maxBound'.
  Int ->
  -- | Make the result from the value or the error, the bytes that were not read, and the offset at
  -- which they begin. All three are lazy.
  (Either DecodeError a -> L.ByteString -> Int64 -> r) ->
  Get a ->
  L.ByteString ->
  r
runLazy bytes f g lbs = unsafeDupablePerformIO $ do
  within <- withinSecond
  let strict = if within then Nothing else onlyChunk lbs
  pure $! case runStrict measured <$> strict of
    Just (Right (used, a)) -> f (Right a) (L.drop (fromIntegral used) lbs) (fromIntegral used)
    Just (Left _) ->
      let Ended result rest at = unsafePerformIO (asSecond (evaluate (runChunks bytes g lbs)))
       in f (Left (fromLeft succeedsAgain result)) rest at
    Nothing -> case runChunks bytes g lbs of Ended result rest at -> f result rest at
  where
    measured = g >>= \a -> here >>= \ !used -> pure (used, a)
{-# NOINLINE runLazy #-}

-- How a run ended: its result, the bytes that were not read, and the offset at which they begin.
data Ended a = Ended (Either DecodeError a) L.ByteString Int64

runChunks :: Int -> Get a -> L.ByteString -> Ended a
runChunks bytes g lbs = unsafePerformIO $ do
  chunks <- newIORef others
  -- The first chunk is the first segment, because fetching it would take longer than decoding a few
  -- bytes. (Benchmark "a run for each value of 20 bytes, lazy".)
  let segments = newSegments {segmentCurrent = first}
  input <- newInput segments (forceNext chunks) (nextOf chunks)
  withCells cellCount $ \c -> do
    -- The first chunk is in memory: Note [A lazy ByteString of one chunk].
    startStream c input 0 (max bytes (S.length first))
    result <- runIn c input g
    at <- position c
    rest <- unread c input
    notTaken <- readIORef chunks
    pure (Ended result (foldr L.chunk notTaken rest) (fromIntegral at))
  where
    -- (An empty chunk is handed back, as by binary. There should be none.)
    (first, others) = case lbs of
      L.Chunk bs rest | not (S.null bs) -> (bs, rest)
      _ -> (S.empty, lbs)
{-# NOINLINE runChunks #-}

-- | Force the next chunk of a lazy 'L.ByteString' and drop the empty chunks before it. (There
-- should be none, but some libraries make them.)
forceNext :: IORef L.ByteString -> IO ()
forceNext ref = readIORef ref >>= \lbs -> evaluate (nonEmpty lbs) >>= writeIORef ref
  where
    nonEmpty lbs = case lbs of
      L.Chunk bs rest | S.null bs -> nonEmpty rest
      _ -> lbs

-- | The next chunk of a lazy 'L.ByteString', which 'forceNext' has forced, or an empty one at its
-- end.
nextOf :: IORef L.ByteString -> IO ByteString
nextOf ref = do
  lbs <- readIORef ref
  case lbs of
    L.Empty -> pure S.empty
    L.Chunk bs rest -> bs <$ writeIORef ref rest
