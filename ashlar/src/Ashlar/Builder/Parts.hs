{-# LANGUAGE DerivingStrategies #-}
{-# LANGUAGE Trustworthy #-}
-- Coverage would put a new thunk around each mention of a thunk that a handler looks at.
{-# OPTIONS_GHC -fno-hpc #-}

-- |
-- Module      : Ashlar.Builder.Parts
-- Description : The chunks of builders one by one, for streaming libraries
--
-- A stream of values becomes a stream of chunks: each value is written by a builder, through one
-- buffer of 32 KiB. So the bytes of many small values make a chunk, and a large value makes many.
-- A builder runs only as far as chunks are asked for. Nothing is left running when nobody asks.
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
import Ashlar.Internal.Coroutine.Exception (passOn, rethrow)
import Ashlar.Internal.Coroutine.Thunk (Thunk (..), newThunk)
import Control.Exception (Exception (..), SomeException, catch, evaluate, throwIO)
import Data.ByteString (ByteString)
import Data.IORef
import Data.Word (Word8)
import Foreign.Ptr (Ptr, nullPtr)

-- | Builders that are written one after another, through one buffer. They belong to one stream, and
-- nobody else may use them meanwhile: what would mix two builders throws 'PartsMisused'.
newtype Parts = Parts (IORef State)

-- What happens now, the open buffer, and the address up to which it has been written.
data State = State !Phase !Open !(Ptr Word8)

data Phase
  = -- | All builders have ended.
    Ended
  | -- | The run of this name has ended with a chunk, whose action resumes the builder.
    Waiting !Name
  | -- | The run of this name goes on, and nobody else may use the buffer.
    Running !Name
  | -- | An exception has ended the run of this name. The next builder may begin. Until one does, a
    -- run that was frozen may be resumed.
    Broken !Name

-- A run takes a builder up to its next chunk. Each has a name of its own.
type Name = IORef ()

-- | What a builder has made so far.
data Made
  = -- | The builder has ended. All that is not in the buffer has been returned.
    AllMade
  | -- | A chunk, which is not empty, and what comes next. That action must be run once, before the
    -- parts are used again, or never. Then they cannot be used any more.
    Made !ByteString (IO Made)

-- | The parts were not used as one stream. Thrown by 'append', 'takeLast' and the actions of chunks
-- before they change anything.
data PartsMisused
  = -- | The action of a chunk was run a second time, or after its builder had thrown.
    ChunkPassed
  | -- | 'append' or 'takeLast' was called while the builder before had chunks left.
    BuilderUnfinished
  | -- | A builder runs: in another thread, or the one whose value does this.
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
newParts = Parts <$> newIORef (State Ended noBuffer nullPtr)

-- | Write a builder, up to its first chunk that is complete: when the buffer is full, at a
-- 'Ashlar.Builder.Extra.flush', and at an inserted ByteString, which is a chunk of its own. The
-- builder goes on when the next chunk is asked for. Most are short, and make none.
--
-- If a value in the builder throws, this does, or the action of a chunk. What the builder has
-- written since the last chunk is dropped, what others have written before it stays, and the parts
-- can be used again. The same holds if the thread is interrupted, unless the builder had ended.
append :: Parts -> Builder -> IO Made
append parts b = run parts mayBegin $ \name -> do
  State _ open _ <- now parts
  if openSize open == 0 then newBufferOf 0 parts else pure ()
  inBuffer parts name (runToRequest b)

-- | What has been written and not been returned: at the end of the stream, or when it is to be
-- flushed. The rest of the buffer stays in use.
takeLast :: Parts -> IO (Maybe ByteString)
takeLast (Parts ref) = do
  outcome <- atomicModifyIORef' ref $ \state@(State phase open p) -> case mayBegin phase of
    Nothing -> (State Ended (handedOut open p) p, Right (Taken open p))
    Just misused -> (state, Left misused)
  case outcome of
    Left misused -> throwIO misused
    Right (Taken open p) -> pure (taken open p)

-- A buffer, and the address up to which it is taken.
data Taken = Taken !Open !(Ptr Word8)

-- May a builder begin?
mayBegin :: Phase -> Maybe PartsMisused
mayBegin phase = case phase of
  Ended -> Nothing
  Broken _ -> Nothing
  Waiting _ -> Just BuilderUnfinished
  Running _ -> Just PartsInUse

-- May the builder go on that has ended the run of this name with a chunk?
mayGoOn :: Name -> Phase -> Maybe PartsMisused
mayGoOn name phase = case phase of
  Waiting last' | last' == name -> Nothing
  Running _ -> Just PartsInUse
  _ -> Just ChunkPassed

-- Run a builder up to its next chunk, unless the phase forbids it. The action is given the name of
-- the run, and sets the next phase.
--
-- It is a thunk, so that the handler can tell an exception of a value from an asynchronous one
-- (Note [Exceptions that are not ours]). The handler gives the buffer back in either case. If the
-- thunk was frozen and is forced again, it takes the buffer again, which it may if nobody else has.
run :: Parts -> (Phase -> Maybe PartsMisused) -> (Name -> IO Made) -> IO Made
run parts@(Parts ref) forbids act = do
  name <- newIORef ()
  thunk <- newThunk (claim ref forbids name >>= maybe (Right <$> act name) (pure . Left))
  runNamed parts name thunk

runNamed :: Parts -> Name -> Thunk (Either PartsMisused Made) -> IO Made
runNamed parts@(Parts ref) name thunk@(Thunk result) = do
  outcome <-
    (Returned <$> evaluate result) `catch` \e -> do
      held <- release
      passOn thunk e (pure (Raised e)) (pure (Resumed held))
  case outcome of
    Returned (Right result') -> pure result'
    Returned (Left misused) -> throwIO misused
    Raised e -> rethrow e
    Resumed held -> do
      misused <- if held then claim ref (mayResume name) name else pure Nothing
      maybe (runNamed parts name thunk) throwIO misused
  where
    -- Did this run have the buffer? It may have been interrupted before or after that.
    release = atomicModifyIORef' ref $ \state@(State phase open p) -> case phase of
      Running holder | holder == name -> (State (Broken name) open p, True)
      _ -> (state, False)

-- How an attempt came out: with a result, an exception to be thrown after the handler has returned,
-- or frozen and forced again, with whether it had the buffer.
data Outcome = Returned (Either PartsMisused Made) | Raised SomeException | Resumed Bool

mayResume :: Name -> Phase -> Maybe PartsMisused
mayResume name phase = case phase of
  Broken last' | last' == name -> Nothing
  _ -> Just PartsInUse

-- Take the buffer, in one step, unless the phase forbids it.
claim :: IORef State -> (Phase -> Maybe PartsMisused) -> Name -> IO (Maybe PartsMisused)
claim ref forbids name = atomicModifyIORef' ref $ \state@(State phase open p) ->
  case forbids phase of
    Nothing -> (State (Running name) open p, Nothing)
    misused -> (state, misused)

-- The functions below are for who has the buffer. Nobody else changes the state then.

now :: Parts -> IO State
now (Parts ref) = readIORef ref

-- The phase after this run.
become :: Parts -> Phase -> IO ()
become (Parts ref) phase = do
  State _ open p <- readIORef ref
  writeIORef ref (State phase open p)

-- The size of a buffer.
partsSize :: Int
partsSize = 32768

newBufferOf :: Int -> Parts -> IO ()
newBufferOf n (Parts ref) = do
  open <- newOpen (max n partsSize)
  State phase _ _ <- readIORef ref
  writeIORef ref (State phase open (openFrom open))

-- Run or resume a builder in the rest of the buffer.
inBuffer :: Parts -> Name -> (FreeSpace -> IO BuilderStatus) -> IO Made
inBuffer parts@(Parts ref) name go = do
  State _ open from <- now parts
  status <- keepAlive (openBuffer open) (go (restFrom open from))
  case status of
    Completed p -> AllMade <$ writeIORef ref (State Ended open p)
    Suspended (PendingRequest request p _) resume -> do
      let goOn name' = inBuffer parts name' resume
      State phase _ _ <- now parts
      writeIORef ref (State phase (handedOut open p) p)
      maybe ($ name) (made parts name) (taken open p) $ case request of
        More n _ -> \name' -> newBufferOf n parts >> goOn name'
        Inserting bs following -> \name' -> made parts name' bs (passedOn parts following goOn)
        Flush -> goOn

-- A chunk, and the next run.
made :: Parts -> Name -> ByteString -> (Name -> IO Made) -> IO Made
made parts name bs next = Made bs (run parts (mayGoOn name) next) <$ become parts (Waiting name)

-- The chunks of a lazy string after one that was inserted.
passedOn :: Parts -> Following -> (Name -> IO Made) -> Name -> IO Made
passedOn parts following goOn name = do
  next <- nextChunk 0 following
  case next of
    InsertNext bs -> made parts name bs (passedOn parts following goOn)
    _ -> goOn name

-- What was written up to an address, unless that is nothing.
taken :: Open -> Ptr Word8 -> Maybe ByteString
taken open p
  | p == openFrom open = Nothing
  | otherwise = Just $! written open p
