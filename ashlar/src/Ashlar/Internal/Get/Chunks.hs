{-# LANGUAGE BangPatterns #-}
{-# LANGUAGE DerivingStrategies #-}
{-# LANGUAGE MagicHash #-}
-- The decoder of runGetIncremental must not be shared with others by accident.
{-# OPTIONS_GHC -fno-cse -fno-full-laziness #-}

-- |
-- Module      : Ashlar.Internal.Get.Chunks
-- Description : Running decoders on chunks: of lazy input, and pushed
--
-- Both ways to run call 'overChunks'. They differ in how they get the next chunk. Lazy input is a
-- list of chunks, which is forced. A decoder that is pushed its input ('begin', the engine of
-- "Ashlar.Get.Feed" and 'Decoder') is a coroutine that suspends only to wait for the next chunk
-- ('inputPrepare').
--
-- Note [The chunk comes first]
-- ~~~~~~~~~~~~~~~~~~~~~~~~~~~~
-- A chunk is put into a variable before the decoder is resumed, and is not an argument of the
-- resumption. The decoder looks into the variable before it suspends. So the chunk is not lost if
-- an exception strikes just after the decoder has been resumed.
--
-- Note [Before there is input]
-- ~~~~~~~~~~~~~~~~~~~~~~~~~~~~
-- A decoder may need no input, so it has to run before there is any. Most ask for their first byte
-- at once. So this is a small run (Note [A small run] in "Ashlar.Internal.Get.Env"), and a decoder
-- that asks for input is given up ('Ashlar.Internal.Get.Limits.giveUp'): it has done nothing worth
-- keeping, and begins anew with the first chunk.
--
-- Slower: to start a coroutine at once; to end the decoder by an exception. Tried and dropped: a
-- small run on the first 512 bytes as well. What it decodes of a message that goes on is decoded
-- again, and a decoder that runs another one on a part of its input would double the time at each
-- level. A variable can keep those inside from doing the same. Then a message of 4 bytes takes 0.5
-- of the time (0.8 on GHC 9.10.3), and one in two parts 1.3. (Test "a decoder in a nested run is
-- run once". Benchmark "10000 messages of 4 to 20 bytes, each with a decoder of its own, pushed".)
module Ashlar.Internal.Get.Chunks
  ( -- * Lazy input
    runGetLazy,
    runGetLazyWhole,
    runGetOrFail,
    runLazy,
    runOrFail,
    forceNext,
    nextOf,

    -- * Pushed input
    Fed (..),
    begin,

    -- ** As pure values
    Decoder (..),
    runGetIncremental,
    incremental,
    incrementalOn,
    pushChunk,
    pushChunks,
    pushEndOfInput,
  )
where

import Ashlar.Internal.Coroutine
import Ashlar.Internal.Get.Bytes (endOfInput)
import Ashlar.Internal.Get.Core
import Ashlar.Internal.Get.Env
import Ashlar.Internal.Get.Error
import Ashlar.Internal.Get.Limits (streamBytes)
import Ashlar.Internal.Get.Record (unread)
import Ashlar.Internal.Get.Run
import Ashlar.Internal.Mem.Cells
import Control.Exception (evaluate)
import Control.Monad (when, (<=<))
import Data.ByteString (ByteString)
import qualified Data.ByteString as S
import qualified Data.ByteString.Lazy as L
import qualified Data.ByteString.Lazy.Internal as L
import Data.Either (fromLeft)
import Data.IORef (IORef, atomicModifyIORef', newIORef, readIORef, writeIORef)
import Data.Int (Int64)
import Data.Maybe (catMaybes, isNothing, maybeToList)
import GHC.Exts (isTrue#, reallyUnsafePtrEquality#)
import System.IO.Unsafe (unsafeDupablePerformIO, unsafePerformIO)

-- How a run ended: its result, the segments that were not read, and the offset at which they begin.
data Ended a = Ended (Either DecodeError a) [ByteString] !Int

-- Run a decoder on chunks.
overChunks ::
  -- | The first chunk, or an empty string. It is the first segment, because fetching it would take
  -- longer than decoding a few bytes. (Benchmarks "a run for each value of 20 bytes, lazy" and
  -- "pushed".)
  ByteString ->
  -- | Run before each other chunk.
  IO () ->
  -- | The next chunk, or an empty one at the end.
  IO ByteString ->
  -- | The offset of the first byte.
  Int ->
  -- | How many bytes the decoder may hold, or 'maxBound'.
  Int ->
  Get a ->
  IO (Ended a)
overChunks first prepare next offset bytes g = withCells cellCount $ \c -> do
  input <- newInput (oneSegment (offset + S.length first) first) prepare next
  startStream c input offset bytes
  result <- runIn c input g
  at <- position c
  rest <- unread c input
  pure (Ended result rest at)

-- | Decode from a lazy 'L.ByteString'. Its first chunk is forced at once, each other chunk when the
-- decoder gets there. Chunks are released when the decoder has passed them. Chunks after the value
-- are ignored, and not forced.
--
-- The decoder may hold its first chunk or 64 MiB of input at once, not counting the bytes that it
-- has passed. More is an 'OverBudget' error. 'Ashlar.Get.withBudget' around the decoder sets
-- another limit ('Ashlar.Get.budgetBytes').
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
      let (result, rest, at) = unsafePerformIO (asSecond (evaluate (runChunks bytes g lbs)))
       in f (Left (fromLeft succeedsAgain result)) rest at
    Nothing -> case runChunks bytes g lbs of (result, rest, at) -> f result rest at
  where
    measured = g >>= \a -> here >>= \ !used -> pure (used, a)
{-# NOINLINE runLazy #-}

runChunks :: Int -> Get a -> L.ByteString -> (Either DecodeError a, L.ByteString, Int64)
runChunks bytes g lbs = unsafePerformIO $ do
  chunks <- newIORef others
  -- The first chunk is in memory: Note [A lazy ByteString of one chunk].
  let held = max bytes (S.length first)
  Ended result rest at <- overChunks first (forceNext chunks) (nextOf chunks) 0 held g
  notTaken <- readIORef chunks
  pure (result, foldr L.chunk notTaken rest, fromIntegral at)
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

-- | The state of a decoder that is fed.
data Fed a
  = -- | It needs a chunk, which must not be empty, or 'Nothing' at the end of the input. It must be
    -- resumed at most once.
    Waiting (Maybe ByteString -> IO (Fed a))
  | -- | It has ended: the bytes that it had not read, the offset at which they begin, and the
    -- result.
    Finished !ByteString !Int64 (Either DecodeError a)

-- The chunks that the decoder has been given and has not taken, and whether these are the last
-- ones.
data Pending = Pending [ByteString] !Bool

-- | Start a decoder in a coroutine, and run it until it needs more.
begin ::
  -- | How many bytes the decoder may hold, or 'maxBound'.
  Int ->
  Get a ->
  -- | The offset of the first byte.
  Int ->
  -- | The first chunks. None is empty.
  [ByteString] ->
  -- | Are these all the chunks?
  Bool ->
  IO (Fed a)
begin bytes g offset chunks isLast = do
  let (first, others) = case chunks of
        bs : more -> (bs, more)
        [] -> (S.empty, [])
  pending <- newIORef (Pending others isLast)
  let next = do
        Pending bss end <- readIORef pending
        case bss of
          bs : more -> bs <$ writeIORef pending (Pending more end)
          [] -> pure S.empty
      decoding yield = do
        let prepare = do
              Pending bss end <- readIORef pending
              when (null bss && not end) (yield ())
        Ended result rest at <- overChunks first prepare next offset bytes g
        Pending more _ <- readIORef pending
        pure $! Finished (S.concat (rest ++ more)) (fromIntegral at) result
      status progress = case progress of
        Suspended () _ go -> pure $
          Waiting $ \chunk -> do
            -- Note [The chunk comes first].
            writeIORef pending (Pending (maybeToList chunk) (null chunk))
            go () >>= status
        Completed fed -> pure fed
  startDeep decoding >>= status

-- | A decoder that is fed its input chunk by chunk.
--
-- This is a pure value: each state can be used any number of times, by any threads, with different
-- input each time. The first use of a 'Partial' continues where the decoder stopped. A later use
-- runs the decoder again from the start, on all chunks so far, which a 'Partial' keeps for that. It
-- does not keep more than 64 MiB: after these, a second use of a state is an 'error'.
-- "Ashlar.Get.Feed" has decoders that keep nothing and are used once. It also says how long
-- suspending takes, which is the same here.
data Decoder a
  = -- | It has failed: the bytes that it had not read, the offset at which they begin, and why.
    Fail !ByteString !Int64 DecodeError
  | -- | It needs the next chunk, or 'Nothing' at the end of the input. An empty chunk changes
    -- nothing.
    Partial (Maybe ByteString -> Decoder a)
  | -- | It has ended: the bytes that it had not read, the offset at which they begin, and the
    -- result.
    Done !ByteString !Int64 a

-- | Start a decoder. It stops for input only if it cannot continue without, and ends as soon as it
-- can. It may hold 64 MiB of input at once. 'Ashlar.Get.withBudget' sets another limit.
--
-- >>> let fed = runGetIncremental getWord16be `pushChunk` "\1" `pushChunk` "\2\3"
-- >>> case fed of Done rest at w -> print (rest, at, w); _ -> putStrLn "not done"
-- ("\ETX",2,258)
runGetIncremental :: Get a -> Decoder a
runGetIncremental = incremental streamBytes
{-# INLINE runGetIncremental #-}

-- | 'runGetIncremental' of a decoder that may hold n bytes, or any number if that is 'maxBound'.
incremental :: Int -> Get a -> Decoder a
incremental bytes g = incrementalOn bytes g S.empty
{-# INLINE incremental #-}

-- | 'incremental' of a decoder that begins when the first chunk is there, which may be empty.
incrementalOn :: Int -> Get a -> ByteString -> Decoder a
incrementalOn bytes g bs
  | S.null bs = case beforeInput bytes g of
    Made a -> Done S.empty 0 a
    NeedsInput -> Partial unbegun
    Failed -> running []
  | otherwise = running [Just bs]
  where
    running chunks = unsafePerformIO (began bytes g chunks (foldr andThen (History 0 []) chunks))
    unbegun chunk
      | maybe False S.null chunk = Partial unbegun
      | otherwise = running [chunk]
{-# NOINLINE incrementalOn #-}

-- What a decoder has been fed: its chunks, the last first, and the memory of those that were fed to
-- a 'Partial'. Or they were too many to be kept, so that a peer who sends a long value does not
-- decide how much memory it takes.
data History = History !Int [Maybe ByteString] | TooLong

-- The history with another chunk. A short one is copied, because it may be a slice of a large
-- buffer. Each chunk takes some 160 bytes beside its own. (Test "what a state keeps of short
-- chunks".)
andThen :: Maybe ByteString -> History -> History
andThen chunk history = case history of
  History n chunks | m <= streamBytes - n -> kept `seq` History (n + m) (kept : chunks)
  _ -> TooLong
  where
    m = 160 + maybe 0 S.length chunk
    kept = case chunk of
      Just bs | S.length bs < 4096, !short <- S.copy bs -> Just short
      _ -> chunk

-- Run a decoder from the start.
anew :: Int -> Get a -> History -> IO (Decoder a)
anew bytes g history = case history of
  History _ chunks -> began bytes g (reverse chunks) history
  TooLong ->
    errorWithoutStackTrace
      "Ashlar.Get: a Partial was used for the second time, after more than 64 MiB of input"

-- Run it on these chunks.
began :: Int -> Get a -> [Maybe ByteString] -> History -> IO (Decoder a)
began bytes g chunks history =
  begin bytes g 0 (catMaybes chunks) (any isNothing chunks) >>= decoder bytes g history

decoder :: Int -> Get a -> History -> Fed a -> IO (Decoder a)
decoder bytes g history progress = case progress of
  Finished rest at (Left e) -> pure (Fail rest at e)
  Finished rest at (Right a) -> pure (Done rest at a)
  Waiting go -> do
    first <- newIORef (Just go)
    let resume chunk
          | maybe False S.null chunk = Partial resume
          -- Not the dupable form: only one thread may go on.
          | otherwise = unsafePerformIO $ do
            mine <- atomicModifyIORef' first (\m -> (Nothing, m))
            let !fed = chunk `andThen` history
            maybe (anew bytes g fed) (decoder bytes g fed <=< ($ chunk)) mine
    pure (Partial resume)

-- | Resume with a chunk. If the decoder has ended already, the chunk is appended to the bytes that
-- it had not read, which copies both. For many chunks, 'pushChunks' copies only once.
pushChunk :: Decoder a -> ByteString -> Decoder a
pushChunk state bs = case state of
  Partial resume -> resume (Just bs)
  Fail rest at e -> Fail (rest <> bs) at e
  Done rest at a -> Done (rest <> bs) at a

-- | Resume with the chunks of a lazy 'L.ByteString'. Chunks are not forced before they are needed.
-- When the decoder ends, the others are forced and appended to the bytes that it had not read.
pushChunks :: Decoder a -> L.ByteString -> Decoder a
pushChunks state lbs = go state (L.toChunks lbs)
  where
    go d bss = case (d, bss) of
      (_, []) -> d
      (Partial resume, bs : more) -> go (resume (Just bs)) more
      (Fail rest at e, _) -> Fail (S.concat (rest : bss)) at e
      (Done rest at a, _) -> Done (S.concat (rest : bss)) at a

-- | Resume without more input. The result is not 'Partial'.
pushEndOfInput :: Decoder a -> Decoder a
pushEndOfInput state = case state of
  Partial resume -> resume Nothing
  _ -> state
