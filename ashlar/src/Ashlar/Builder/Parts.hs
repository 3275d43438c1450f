{-# LANGUAGE DerivingStrategies #-}
{-# LANGUAGE MagicHash #-}
{-# LANGUAGE Trustworthy #-}
{-# LANGUAGE UnboxedTuples #-}
-- No coverage: it wraps each mention of a variable in a new thunk, and 'hasThrown' would look at
-- that one.
{-# OPTIONS_GHC -fno-hpc #-}

-- |
-- Module      : Ashlar.Builder.Parts
-- Description : The chunks of builders one by one, for streaming libraries
--
-- A stream of values becomes a stream of chunks: each value is written by a builder, through one
-- buffer of 32 KiB. So the bytes of many small values make a chunk, and a large value makes many.
-- A builder runs only when a chunk is asked for. When the consumer stops, nothing is left running.
--
-- As an example, a stream of a library whose streams are lists of steps, from an action that gives
-- the next value:
--
-- >>> import Ashlar.Builder.Parts
-- >>> import Data.IORef
-- >>> import qualified Data.ByteString as S
-- >>> import Data.Maybe (listToMaybe)
-- >>> :{
-- let chunksFrom :: IO (Maybe a) -> (a -> Builder) -> (S.ByteString -> IO ()) -> IO ()
--     chunksFrom next put' yield = newParts >>= values
--       where
--         values parts = do
--           value <- next
--           case value of
--             Just a -> append parts (put' a) >>= made >> values parts
--             Nothing -> takeLast parts >>= mapM_ yield
--         made AllMade = pure ()
--         made (Made bs rest) = yield bs >> rest >>= made
-- in do
--   values <- newIORef [1 .. 20000]
--   let next = atomicModifyIORef' values (\l -> (drop 1 l, listToMaybe l))
--   chunksFrom next int64LE (print . S.length)
-- :}
-- 32768
-- 32768
-- 32768
-- 32768
-- 28928
--
-- @ashlar-conduit@ and @ashlar-pipes@ are made of this module.
module Ashlar.Builder.Parts
  ( Parts,
    newParts,
    append,
    Made (..),
    takeLast,
    PartsMisused (..),
  )
where

import Ashlar.Builder.Buffer
import Ashlar.Internal.Builder.Bytes (NextChunk (..), nextChunk)
import Ashlar.Internal.Builder.Core hiding (append)
import Ashlar.Internal.Builder.Lazy
import Ashlar.Internal.Builder.Loops ()
import Ashlar.Internal.Coroutine.Thunk (Thunk (..), newThunk, passOn, rethrow)
import Control.Exception (Exception (..), SomeException, catch, evaluate, throwIO)
import Data.Bits ((.&.))
import Data.ByteString (ByteString)
import Data.IORef
import Data.Primitive.ByteArray
  ( MutableByteArray (..),
    newByteArray,
    readByteArray,
    writeByteArray,
  )
import Data.Word (Word8)
import Foreign.Ptr (Ptr, nullPtr)
import Foreign.Storable (sizeOf)
import GHC.Exts (Int (I#), RealWorld, casIntArray#, fetchAddIntArray#)
import GHC.IO (IO (..))

-- | Builders that are written one after another, through one buffer, for one stream. A use that
-- would mix two builders throws 'PartsMisused'.
data Parts = Parts !(MutableByteArray RealWorld) !(IORef State)

-- The open buffer, and the address up to which it has been written.
data State = State !Open !(Ptr Word8)

-- A run takes a builder up to its next chunk, and has a number. The phase, in the first word of the
-- array, is changed by compare-and-swap. So if threads use the parts at the same time, only one
-- gets the buffer. The second word counts the runs.
type Phase = Int

-- All builders have ended.
ended :: Phase
ended = 0

-- The run of this number has ended with a chunk, whose action resumes the builder.
waiting :: Int -> Phase
waiting n = 4 * n + 1

-- The run of this number goes on, and nobody else may use the buffer.
running :: Int -> Phase
running n = 4 * n + 2

-- An exception has ended the run of this number. The next builder may begin. Until one does, this
-- run may be resumed, if it was frozen.
broken :: Int -> Phase
broken n = 4 * n + 3

-- Is it this phase, of any run?
is :: Phase -> (Int -> Phase) -> Bool
is phase of' = phase .&. 3 == of' 0
{-# INLINE is #-}

-- | What a builder has made so far.
data Made
  = -- | The builder has ended. All its bytes have been returned, except those in the buffer.
    AllMade
  | -- | A chunk, which is not empty, and an action that makes what comes next. Until the action has
    -- been run, the parts cannot be used. It must not be run twice.
    Made !ByteString (IO Made)

-- | The parts were not used as one stream. Thrown by 'append', 'takeLast' and the actions of chunks
-- before they change anything.
data PartsMisused
  = -- | The action of a chunk was run a second time, or after its builder had thrown.
    ChunkPassed
  | -- | 'append' or 'takeLast' was called while the builder before had chunks left.
    BuilderUnfinished
  | -- | A builder is running: in another thread, or the one whose value uses the parts.
    PartsInUse
  deriving stock (Eq, Show)

instance Exception PartsMisused where
  displayException misused =
    "Ashlar.Builder.Parts: " ++ case misused of
      ChunkPassed ->
        "what follows a chunk was asked for a second time, or after its builder had thrown"
      BuilderUnfinished -> "the parts were used while the builder before had chunks left"
      PartsInUse -> "the parts were used while a builder ran in them"

-- | No bytes. Nothing is allocated for the buffer yet.
newParts :: IO Parts
newParts = do
  phase <- newByteArray (2 * sizeOf ended)
  writeByteArray phase 0 ended
  writeByteArray phase 1 (0 :: Int)
  Parts phase <$> newIORef (State noBuffer nullPtr)

-- | Write a builder, up to its first complete chunk. A chunk is complete when the buffer is full,
-- at a 'Ashlar.Builder.Extra.flush', and at an inserted ByteString, which is a chunk of its own.
-- The builder goes on when the next chunk is asked for. Most builders are short and complete no
-- chunk.
--
-- If a value in the builder throws, the exception comes from 'append' or from the action of a
-- chunk. What the builder has written since the last chunk is dropped, what others have written
-- before it stays, and the parts can be used again. The same holds if the thread is interrupted,
-- unless the builder had ended.
append :: Parts -> Builder -> IO Made
append parts@(Parts _ ref) b = run parts mayBegin $ \n -> do
  State open _ <- readIORef ref
  if openSize open == 0 then newBufferOf 0 parts else pure ()
  inBuffer parts n (runToRequest b)

-- | The bytes that were written and have not been returned. Use it at the end of the stream, or to
-- flush the stream. The rest of the buffer stays in use.
takeLast :: Parts -> IO (Maybe ByteString)
takeLast parts@(Parts _ ref) = run parts mayBegin $ \n -> do
  State _ p <- readIORef ref
  takeWritten parts p <* become parts n ended

mayBegin :: Phase -> Maybe PartsMisused
mayBegin phase
  | phase `is` waiting = Just BuilderUnfinished
  | phase `is` running = Just PartsInUse
  | otherwise = Nothing

-- May the run of this number, which has ended with a chunk, be followed by the builder's next run?
mayGoOn :: Int -> Phase -> Maybe PartsMisused
mayGoOn n phase
  | phase == waiting n = Nothing
  | phase `is` running = Just PartsInUse
  | otherwise = Just ChunkPassed

-- May the run of this number, which was frozen, be resumed?
mayResume :: Int -> Phase -> Maybe PartsMisused
mayResume n phase = if phase == broken n then Nothing else Just PartsInUse

-- Perform a run, unless the phase forbids it. The action gets its number and sets the next phase.
--
-- The run is a thunk, so that the handler can tell exceptions of values from asynchronous ones
-- (Note [Exceptions that are not ours]). The handler gives the buffer back in either case. If the
-- thunk was frozen and is forced again, it takes the buffer again, unless another run has had it.
run :: Parts -> (Phase -> Maybe PartsMisused) -> (Int -> IO a) -> IO a
run parts@(Parts phase _) forbids act = do
  n <- nextNumber phase
  thunk <- newThunk (claim parts forbids n >>= maybe (Right <$> act n) (pure . Left))
  runNumber parts n thunk

runNumber :: Parts -> Int -> Thunk (Either PartsMisused a) -> IO a
runNumber parts n thunk@(Thunk result) = do
  outcome <-
    (Returned <$> evaluate result) `catch` \e -> do
      -- The run may have been interrupted before it took the buffer.
      held <- change parts (running n) (broken n)
      passOn thunk e (pure (Raised e)) (pure (Resumed held))
  case outcome of
    Returned (Right a) -> pure a
    Returned (Left misused) -> throwIO misused
    Raised e -> rethrow e
    Resumed held -> do
      misused <- if held then claim parts (mayResume n) n else pure Nothing
      maybe (runNumber parts n thunk) throwIO misused

data Outcome a
  = Returned (Either PartsMisused a)
  | -- | To be thrown again after the handler has returned.
    Raised SomeException
  | -- | The thunk was frozen and is forced again. Did the run have the buffer?
    Resumed Bool

-- Take the buffer for the run of this number, unless the phase forbids it.
claim :: Parts -> (Phase -> Maybe PartsMisused) -> Int -> IO (Maybe PartsMisused)
claim parts@(Parts phase _) forbids n = do
  now <- readByteArray phase 0
  case forbids now of
    Nothing -> do
      changed <- change parts now (running n)
      if changed then pure Nothing else claim parts forbids n
    misused -> pure misused

-- Change the phase from one to another, unless it is a third one by now.
change :: Parts -> Phase -> Phase -> IO Bool
change (Parts (MutableByteArray phase) _) from@(I# from#) (I# to#) =
  IO $ \s0 -> case casIntArray# phase 0# from# to# s0 of
    (# s1, before #) -> (# s1, I# before == from #)

nextNumber :: MutableByteArray RealWorld -> IO Int
nextNumber (MutableByteArray phase) =
  IO $ \s0 -> case fetchAddIntArray# phase 1# 1# s0 of (# s1, n #) -> (# s1, I# n #)

-- The functions below are for the run that has the buffer.

-- End this run: set the next phase.
become :: Parts -> Int -> Phase -> IO ()
become parts n next = () <$ change parts (running n) next

partsSize :: Int
partsSize = 32768

newBufferOf :: Int -> Parts -> IO ()
newBufferOf n (Parts _ ref) = do
  open <- newOpen (max n partsSize)
  writeIORef ref (State open (openFrom open))

-- Run or resume a builder in the rest of the buffer.
inBuffer :: Parts -> Int -> (FreeSpace -> IO BuilderStatus) -> IO Made
inBuffer parts@(Parts _ ref) n go = do
  State open from <- readIORef ref
  status <- keepAlive (openBuffer open) (go (restFrom open from))
  case status of
    Completed p -> do
      writeIORef ref (State open p)
      AllMade <$ become parts n ended
    Suspended (PendingRequest request p) _ resume -> do
      bytes <- takeWritten parts p
      let goOn n' = inBuffer parts n' resume
      maybe ($ n) (made parts n) bytes $ case request of
        More least _ -> \n' -> newBufferOf least parts >> goOn n'
        Inserting bs following -> \n' -> made parts n' bs (passOnChunks parts following goOn)
        Flush -> goOn

-- End this run with a chunk. The next run begins with the given action.
made :: Parts -> Int -> ByteString -> (Int -> IO Made) -> IO Made
made parts n bs next = Made bs (run parts (mayGoOn n) next) <$ become parts n (waiting n)

-- Hand out the chunks of a lazy string after one that was inserted, without resuming the builder.
passOnChunks :: Parts -> Following -> (Int -> IO Made) -> Int -> IO Made
passOnChunks parts following goOn n = do
  next <- nextChunk 0 following
  case next of
    InsertNext bs -> made parts n bs (passOnChunks parts following goOn)
    _ -> goOn n

-- Hand out what was written up to an address. The rest of the buffer stays in use.
takeWritten :: Parts -> Ptr Word8 -> IO (Maybe ByteString)
takeWritten (Parts _ ref) p = do
  State open _ <- readIORef ref
  writeIORef ref (State (handedOut open p) p)
  -- Forced, or it would hold the buffer.
  pure $! if p == openFrom open then Nothing else Just $! written open p
