{-# LANGUAGE BangPatterns #-}
{-# LANGUAGE Trustworthy #-}

-- |
-- Module      : Ashlar.Get.Feed
-- Description : Input that is pushed: decoders that are fed
--
-- For programs that get input when it arrives, and not when the decoder asks for it, such as event
-- loops. The decoder suspends when it needs more input, and resumes with the next chunk. It
-- suspends only if it cannot continue, and ends as soon as it can.
--
-- For a stream of values, use 'Values'. Each chunk gives the values that it completes:
--
-- >>> import Ashlar.Get.Feed
-- >>> let (as, s1) = runGetValues getWord16be `feedValues` "\0\1\0\2\0"
-- >>> let (bs, s2) = s1 `feedValues` "\3\0\4"
-- >>> (as, bs)
-- ([1,2],[3,4])
-- >>> case feedValuesEnd s2 of (_, ValuesDone at) -> print at; _ -> putStrLn "not done"
-- 8
--
-- For a single value, use 'Feed', in 'IO':
--
-- >>> :{
-- newFeed getWord32be >>= \f0 -> feed f0 "\0\0" >>= \f1 -> feed f1 "\1\2\3" >>= \f2 -> case f2 of
--   FeedDone rest _ w -> print (w, rest)
--   _ -> putStrLn "not done"
-- :}
-- (258,"\ETX")
--
-- To suspend and resume takes some 0.5 µs, and copies the decoder's stack. A decoder with a deep
-- stack, as that of a list by recursion (@(:) \<$> p \<*> rest@, 'Control.Monad.replicateM'), goes
-- on in a thread of its own, which takes some 5 µs for each chunk, however deep it is. So large
-- chunks are cheaper (all that a socket returned, not single lines), and
-- 'Ashlar.Get.Combinators.count' needs no stack.
--
-- Memory is constant, however long the stream. A 'Values' keeps the bytes of the value that has
-- begun, so each state can be resumed any number of times. A 'Feed' keeps only the bytes that the
-- decoder itself needs, but each state can be resumed only once. The pure 'Ashlar.Get.Decoder' of a
-- single value can be resumed any number of times, but keeps its input, up to 64 MiB.
--
-- Do not interrupt a decoder under GHC's non-moving collector, nor under the compacting one of GHC
-- 9.0: see the known gaps in @docs/safety.md@.
module Ashlar.Get.Feed
  ( -- * Many values
    Values (..),
    runGetValues,
    feedValues,
    feedSlice,
    feedValuesEnd,

    -- ** Pulled in any monad
    pullValues,
    foldValues,

    -- * One value
    Feed (..),
    newFeed,
    feed,
    feedEndOfInput,
  )
where

import Ashlar.Internal.Get.Budget (startBudget)
import Ashlar.Internal.Get.Bytes (ifReadsNothing, isEmpty)
import Ashlar.Internal.Get.Chunks
import Ashlar.Internal.Get.Core
import Ashlar.Internal.Get.Env
import Ashlar.Internal.Get.Error
import Ashlar.Internal.Get.Failure (Failures (..))
import Ashlar.Internal.Get.Limits (streamBytes, streamEnd)
import Ashlar.Internal.Get.Path (unknownPart)
import Ashlar.Internal.Get.Record (setFailures, setHeldEnd)
import Ashlar.Internal.Get.Run (Early (..), beforeInput)
import Ashlar.Internal.Get.Source (readsNothing)
import Ashlar.Internal.Mem.Cells
import Ashlar.Internal.Mem.Check (unsafeDrop)
import Control.Exception (evaluate, throwIO)
import Control.Monad (unless, when)
import Data.Bits (complement)
import Data.ByteString (ByteString)
import qualified Data.ByteString as S
import Data.IORef (IORef, atomicModifyIORef', newIORef, readIORef, writeIORef)
import Data.Int (Int64)
import Data.Maybe (isNothing, maybeToList)
import System.IO.Unsafe (unsafePerformIO)

-- | A decoder that is being fed.
data Feed a
  = -- | It has failed: the input that it has not read, the offset of that input, and the error.
    FeedFail !ByteString !Int64 DecodeError
  | -- | It needs the next chunk, or 'Nothing' at the end of the input. An empty chunk changes
    -- nothing. Use it once: a second use throws an 'Control.Exception.IOException'.
    --
    -- If an exception ends the action, asynchronous or thrown by a value in the decoder, the
    -- decoder is lost.
    FeedPartial (Maybe ByteString -> IO (Feed a))
  | -- | It has ended: the input that it has not read, the offset of that input, and the result.
    FeedDone !ByteString !Int64 a

-- | Start a decoder, and run it until it needs input. It may hold 64 MiB, and
-- 'Ashlar.Get.withBudget' sets another limit.
newFeed :: Get a -> IO (Feed a)
newFeed g =
  evaluate (beforeInput streamBytes g) >>= \early -> case early of
    Made a -> pure (FeedDone S.empty 0 a)
    NeedsInput -> fed (Waiting (\chunk -> start (maybeToList chunk) (isNothing chunk)))
    Failed -> start [] False >>= fed
  where
    start = begin streamBytes g 0

fed :: Fed a -> IO (Feed a)
fed progress = case progress of
  Finished rest at (Left e) -> pure (FeedFail rest at e)
  Finished rest at (Right a) -> pure (FeedDone rest at a)
  Waiting go -> do
    used <- newIORef False
    let resume chunk
          | maybe False S.null chunk = pure (FeedPartial resume)
          | otherwise = do
            again <- atomicModifyIORef' used (\u -> (True, u))
            when again $
              throwIO $
                userError "Ashlar.Get.Feed: a state of a decoder was resumed for the second time"
            go chunk >>= fed
    pure (FeedPartial resume)

-- | Resume with a chunk. If the decoder has ended already, the chunk is appended to the input that
-- it has not read, which copies both. So check whether it has ended before you feed it a long
-- stream.
feed :: Feed a -> ByteString -> IO (Feed a)
feed state bs = case state of
  FeedPartial resume -> resume (Just bs)
  FeedFail rest at e -> pure (FeedFail (rest <> bs) at e)
  FeedDone rest at a -> pure (FeedDone (rest <> bs) at a)

-- | Resume without more input. The result is not 'FeedPartial'.
feedEndOfInput :: Feed a -> IO (Feed a)
feedEndOfInput state = case state of
  FeedPartial resume -> resume Nothing
  _ -> pure state

-- Note [Values in one coroutine]
-- ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
-- Starting a coroutine and suspending one both cost far more than decoding a small value. So one
-- coroutine decodes all values, in a loop, and suspends only where a chunk ends. It adds each value
-- to a variable, together with the offset after it, by one write. So at every moment the variable
-- has the values that are complete, and the offset of the next one. (Benchmarks "pushed values".)
--
-- A state keeps the bytes from that offset on, which makes it a pure value. Its first use resumes
-- the coroutine. A later use, or one after an exception has ended the coroutine, starts a new
-- coroutine at that offset, on the bytes that have been kept.
--
-- Tried and dropped: keeping no bytes, as 'Ashlar.Get.Feed.Feed' does. Then each state could be
-- used only once, an exception would lose the stream, and the bytes returned with an error would
-- begin in the middle of a value.

-- | Values that follow one another in input that is pushed.
--
-- The offset is that after the last complete value, and the bytes are those from there on. The
-- values before that offset are exactly those that have been returned.
--
-- This is a pure value. Each state can be used any number of times, by any threads, with different
-- input each time.
data Values a
  = -- | The next value could not be decoded. The offset is where it begins.
    ValuesFail !ByteString !Int64 DecodeError
  | -- | More input is needed. The argument is the next chunk, or 'Nothing' at the end of the input.
    -- The result is the values that it completes, and the next state. An empty chunk changes
    -- nothing.
    ValuesPartial ByteString !Int64 (Maybe ByteString -> ([a], Values a))
  | -- | The input ended after a value, at this offset.
    ValuesDone !Int64

-- | Decode one value after another from input that is pushed.
--
-- Each value has a budget of its own, and may take 64 MiB ('Ashlar.Get.budgetBytes'). Offsets in
-- errors count from the start of the input. A value that reads nothing is an error, because the
-- stream would never end.
--
-- >>> import Ashlar.Get.Feed
-- >>> let (as, state) = runGetValues getWord16be `feedValues` "\0\1\0\2\0"
-- >>> let (bs, end) = state `feedValues` "\3\0"
-- >>> (as, bs)
-- ([1,2],[3])
-- >>> case feedValuesEnd end of (_, ValuesFail rest at e) -> print (rest, at, errorReason e)
-- ("\NUL",6,MissingInput 2 1)
runGetValues :: Get a -> Values a
runGetValues g = waiting g (Held 0 []) (pure Nothing)

-- | Give a chunk, and get the values that it completes and the next state. Forcing the pair decodes
-- them.
--
-- An exception that the decoder throws is thrown where the pair is forced. The state before it can
-- be used again. After an asynchronous exception, the pair can be forced again, and continues, as
-- all pure values do.
--
-- After an error, the chunk is appended to the bytes that were not decoded, which copies both.
-- After the end of the input, the chunk is dropped.
feedValues :: Values a -> ByteString -> ([a], Values a)
feedValues state bs = case state of
  ValuesPartial _ _ resume -> resume (Just bs)
  ValuesFail rest at e -> ([], ValuesFail (rest <> bs) at e)
  ValuesDone _ -> ([], state)

-- | 'feedValues' of the first 32 KiB of a chunk, and the bytes that are left. A long chunk may
-- complete millions of values, so whoever hands on values feeds it slice by slice. After an error,
-- and after the end, nothing is left.
--
-- >>> import Ashlar.Get.Feed
-- >>> import qualified Data.ByteString as S
-- >>> let ((values, _), left) = runGetValues getWord16be `feedSlice` S.replicate 100000 1
-- >>> (length values, S.length left)
-- (16384,67232)
feedSlice :: Values a -> ByteString -> (([a], Values a), ByteString)
feedSlice state bs = case state of
  ValuesPartial {} -> (feedValues state (S.take 32768 bs), S.drop 32768 bs)
  _ -> (feedValues state bs, S.empty)

-- | End the input. The next state is not 'ValuesPartial'. It is a 'ValuesFail' if the input ends
-- within a value.
feedValuesEnd :: Values a -> ([a], Values a)
feedValuesEnd state = case state of
  ValuesPartial _ _ resume -> resume Nothing
  _ -> ([], state)

-- | Take one chunk from an action of any monad, and return the values that it completes, which may
-- be none, and the next state. An empty chunk is the end of the input. If the values have ended,
-- the action does not run.
--
-- Nothing is decoded before the pair is forced. So if this throws an exception, the action has
-- thrown it, or it was asynchronous and interrupted the action. No values are lost: use the same
-- state again.
--
-- >>> import Ashlar.Get.Feed
-- >>> import Data.ByteString (ByteString)
-- >>> let chunk = (["read a chunk"], "\0\1\0\2\0" :: ByteString)
-- >>> fst <$> pullValues chunk (runGetValues getWord16be)
-- (["read a chunk"],[1,2])
pullValues :: Monad m => m ByteString -> Values a -> m ([a], Values a)
pullValues next state = case state of
  ValuesPartial _ _ resume -> do
    bs <- next
    pure (resume (if S.null bs then Nothing else Just bs))
  _ -> pure ([], state)
{-# INLINEABLE pullValues #-}

-- | Take chunks until the values end, and fold the values from the left, in any monad. The
-- accumulator is forced at each step. The final state says how the values ended, and is not
-- 'ValuesPartial'.
--
-- If an exception or the monad itself ends the fold, accumulator and state are lost. To keep them,
-- call 'pullValues' in a loop of your own.
--
-- In conduit, @foldValues (fold \<$> await) (\\_ a -> yield a) ()@ yields each value. (Remove empty
-- chunks from the stream before, because one would end the values.)
--
-- >>> import Ashlar.Get.Feed
-- >>> import Data.ByteString (ByteString)
-- >>> import Data.IORef (atomicModifyIORef', newIORef)
-- >>> chunks <- newIORef ["\1\0\2", "\0\3" :: ByteString]
-- >>> let next = atomicModifyIORef' chunks (\l -> (drop 1 l, mconcat (take 1 l)))
-- >>> (total, end) <- foldValues next (\n w -> pure (n + w)) 0 (runGetValues getWord16le)
-- >>> case end of ValuesFail rest at _ -> print (total, rest, at); _ -> print total
-- (3,"\ETX",4)
foldValues ::
  Monad m =>
  -- | The next chunk, and an empty one at the end.
  m ByteString ->
  (b -> a -> m b) ->
  b ->
  Values a ->
  m (b, Values a)
foldValues next f = go
  where
    go acc state = case state of
      ValuesPartial {} -> do
        bs <- next
        if S.null bs then batch S.empty acc (feedValuesEnd state) else feeding acc state bs
      _ -> pure (acc, state)
    feeding acc state bs
      | S.null bs = go acc state
      | otherwise = case feedSlice state bs of (fedBy, left) -> batch left acc fedBy
    batch left !acc (as, later) = case as of
      a : more -> f acc a >>= \acc' -> batch left acc' (more, later)
      [] -> feeding acc later left
{-# INLINE foldValues #-}

-- The bytes after the last complete value: the offset of the first, and the chunks, the last first.
data Held = Held !Int [ByteString]

heldBytes :: Held -> ByteString
heldBytes (Held _ chunks) = S.concat (reverse chunks)

-- The values that the coroutine has decoded, the last first, each with the offset after it.
data Batch a = NoValues | Decoded a !Int (Batch a)

batchValues :: Batch a -> [a]
batchValues = go []
  where
    go acc batch = case batch of
      NoValues -> acc
      Decoded a _ older -> go (a : acc) older

-- The bytes after the values of a batch.
heldAfter :: Batch a -> Held -> Held
heldAfter batch held@(Held from chunks) = case batch of
  NoValues -> held
  Decoded _ at _ ->
    let !left = go [] (from + sum (map S.length chunks)) chunks
        -- 'later' has the chunks after 'end', in order. The others end at 'end', the last first.
        go later end (bs : older)
          | at < end =
            let start = end - S.length bs
             in if at <= start
                  then go (bs : later) start older
                  else -- The offset lies within the chunk.
                    reverse (unsafeDrop (at - start) bs : later)
        go later _ _ = reverse later
     in Held at left

-- A suspended loop, and the variable that it writes to: Note [Values in one coroutine].
data Loop a = Loop !(IORef (Batch a)) (Maybe ByteString -> IO (Fed ()))

-- A state that needs input. The action returns the suspended loop once, and then 'Nothing'.
waiting :: Get a -> Held -> IO (Maybe (Loop a)) -> Values a
waiting g held@(Held at chunks) takeLoop = state
  where
    state = ValuesPartial (heldBytes held) (fromIntegral at) resume
    resume chunk
      | maybe False S.null chunk = ([], state)
      -- Not the dupable form: only one thread may go on.
      | otherwise = unsafePerformIO $ do
        mine <- takeLoop
        let now = Held at (maybe chunks (: chunks) chunk)
            isLast = isNothing chunk
        case mine of
          Just (Loop batch go) -> go chunk >>= advanced g batch now
          Nothing -> startLoop g now isLast

-- Start a loop on the held bytes.
startLoop :: Get a -> Held -> Bool -> IO ([a], Values a)
startLoop g held@(Held at chunks) isLast = do
  batch <- newIORef NoValues
  begin streamBytes (loop batch g) at (reverse chunks) isLast >>= advanced g batch held

-- The values and the next state, when the loop has been suspended or has ended.
advanced :: Get a -> IORef (Batch a) -> Held -> Fed () -> IO ([a], Values a)
advanced g batch held progress = do
  decoded <- readIORef batch
  writeIORef batch NoValues
  let !left@(Held from _) = heldAfter decoded held
      at = fromIntegral from
      -- The state is forced, or it would keep all chunks alive.
      handOut !state = pure (batchValues decoded, state)
  case progress of
    Waiting go -> do
      first <- newIORef (Just (Loop batch go))
      handOut (waiting g left (atomicModifyIORef' first (\mine -> (Nothing, mine))))
    Finished _ _ (Right ()) -> handOut (ValuesDone at)
    Finished _ _ (Left e) -> handOut (ValuesFail (heldBytes left) at e)

-- Decode values up to the end of the input, and add them to the variable.
loop :: IORef (Batch a) -> Get a -> Get ()
loop batch g = go
  where
    go = do
      beginValue
      end <- isEmpty
      unless end $ do
        a <- ifReadsNothing (const readsNothing) g
        now <- here
        effect (readIORef batch >>= \older -> writeIORef batch (Decoded a now older))
        go

-- Reset the budget and the failures, so that each value is decoded as by a run of its own.
beginValue :: Get ()
beginValue = step $ \c env -> do
  startBudget c True
  at <- position c
  setHeldEnd c (complement (streamEnd at streamBytes))
  putInt c partCell unknownPart
  setFailures env NoFailures
{-# NOINLINE beginValue #-}
