{-# LANGUAGE BangPatterns #-}
{-# LANGUAGE UnboxedTuples #-}

-- |
-- Module      : Ashlar.Get.Run
-- Description : Running decoders on input from various sources
module Ashlar.Get.Run
  ( -- * Input in memory
    runGet,
    runGetRest,
    runGetLazy,

    -- * Input from elsewhere
    Source,
    newSource,
    handleSource,
    getFrom,
    foldFrom,
    hRunGet,
  )
where

import Ashlar.Exception (passOn)
import Ashlar.Get.Bytes (isEmpty)
import Ashlar.Get.Core
import Ashlar.Get.Env
import Ashlar.Get.Error
import Ashlar.Get.Input
import Ashlar.Get.Nested
import Ashlar.Get.Place
import Ashlar.Mem (keepAlive)
import Ashlar.Mem.Cells
import Control.Exception (catch, evaluate)
import Control.Monad (when)
import Data.ByteString (ByteString)
import qualified Data.ByteString as S
import qualified Data.ByteString.Lazy as L
import qualified Data.ByteString.Lazy.Internal as L
import Data.IORef (IORef, modifyIORef', newIORef, readIORef, writeIORef)
import GHC.IO (IO (..))
import System.IO (Handle)
import System.IO.Unsafe (unsafeDupablePerformIO, unsafePerformIO)

-- | Elements of no size, like those of @[()]@, that one run may decode: eight
-- bytes of input could announce any number of them.
emptiesBudget :: Int
emptiesBudget = 1048576

-- | Levels of nested values that one run may decode.
depthBudget :: Int
depthBudget = 100000

newInput :: IO () -> IO ByteString -> Segments -> IO Input
newInput prepare next segments = Input prepare next <$> newIORef segments <*> newIORef (DecodeError 0 [] (Invalid "no failure"))

-- Set up the cells for an input whose open segment begins at this offset, and say
-- whether the run is traced.
withInput :: Bool -> Input -> Int -> (Cells -> Env -> IO r) -> IO r
withInput traced input offset act = keepAlive input $
  withCells cellCount $ \c -> do
    open <- segmentOpen <$> readIORef (inputSegments input)
    openFirst c offset open
    putInt c emptiesCell emptiesBudget
    putInt c placeCell somewhere
    startDepth c traced depthBudget
    putInt c retraceCell 0
    act c (Env input depthBudget Top)
{-# INLINE withInput #-}

-- | Decode from a strict 'ByteString'. Bytes that are left over are ignored:
-- put 'Ashlar.Get.endOfInput' at the end of the decoder if there should be none.
--
-- >>> runGet getWord16be "\1\2\3"
-- Right 258
-- >>> runGet (getWord16be <* endOfInput) "\1\2\3"
-- Left (DecodeError {errorOffset = 2, errorLabels = [], errorReason = TrailingInput})
--
-- @since 0.1.0.0
runGet :: Get a -> ByteString -> Either DecodeError a
runGet = runStrict (\_ a -> a)
{-# INLINE runGet #-}

-- | 'runGet', also returning the bytes that are left over.
--
-- >>> runGetRest getWord16be "\1\2\3"
-- Right (258,"\ETX")
--
-- @since 0.1.0.0
runGetRest :: Get a -> ByteString -> Either DecodeError (a, ByteString)
runGetRest g bs = runStrict (\used a -> (a, S.drop used bs)) g bs
{-# INLINE runGetRest #-}

-- The function is given the number of bytes that were read.
runStrict :: (Int -> a -> r) -> Get a -> ByteString -> Either DecodeError r
runStrict f g bs = unsafeDupablePerformIO (run False)
  where
    -- The dupable form is enough: two threads that evaluate the result have a
    -- state each. An evaluation that was frozen starts again from the beginning.
    run traced = do
      input <- newInput (pure ()) (pure S.empty) newSegments {segmentOpen = bs, segmentsEnded = True}
      outcome <- withInput traced input 0 $ \c env ->
        IO $ \s0 -> case catching c env g s0 of
          (# s1, Succeeded, a #) -> case position c of
            IO m -> case m s1 of (# s2, used #) -> (# s2, Right (Right (f used a)) #)
          (# s1, HasFailed, _ #) -> case failureOf c input of IO m -> m s1
          (# s1, TakenUpAgain, _ #) -> (# s1, Left traced #)
      either run pure outcome
    -- The failure, or that it must be run again, and whether traced.
    failureOf c input = do
      again <- getInt c retraceCell
      if again == 1 then pure (Left True) else Right . Left <$> (readIORef (inputFailure input) >>= evaluate)
{-# NOINLINE runStrict #-}

-- | Decode from a lazy 'L.ByteString', whose chunks are forced as the decoder
-- gets there, and dropped when it has passed them. Bytes that are left over
-- are ignored, and not forced.
--
-- @since 0.1.0.0
runGetLazy :: Get a -> L.ByteString -> Either DecodeError a
runGetLazy g lbs = unsafePerformIO $ do
  rest <- newIORef lbs
  input <- newInput (() <$ (readIORef rest >>= evaluate)) (nextChunk rest) newSegments
  frozen input $ withInput True input 0 $ \c env -> IO (unGet g c env)
{-# NOINLINE runGetLazy #-}

nextChunk :: IORef L.ByteString -> IO ByteString
nextChunk ref = do
  lbs <- readIORef ref
  case lbs of
    L.Empty -> pure S.empty
    L.Chunk bs rest -> bs <$ writeIORef ref rest

-- Run a decoder that cannot be started again, because what it has read is gone.
--
-- The run is a thunk of its own. If an asynchronous exception strikes, it is
-- frozen; and if somebody takes up the evaluation that was interrupted, it goes
-- on where it was.
frozen :: Input -> IO a -> IO (Either DecodeError a)
frozen input act = do
  Run run <- newRun act
  let force = ((\(Value a) -> Just (Right a)) <$> evaluate run) `catch` stopped
      stopped e
        | isFailed e = Just . Left <$> readIORef (inputFailure input)
        | otherwise = passOn e (pure Nothing)
      loop = force >>= maybe loop pure
  loop

-- A run as a thunk; the boxes keep it and its result from being forced early.
data Run a = Run (Value a)

data Value a = Value a

newRun :: IO a -> IO (Run a)
newRun act = pure (Run (unsafePerformIO (Value <$> act)))
{-# NOINLINE newRun #-}

-- | Input that is read piece by piece, by one decoder after another. It
-- remembers what has been taken from where it comes and not been read yet.
--
-- It must not be used by two threads at the same time (which is noticed in most
-- cases, and is an 'Control.Exception.IOException').
--
-- @since 0.1.0.0
data Source = Source !Input !(IORef Int)

-- | A source from an action that returns the next chunk of any size, and an
-- empty one at the end. It is called only when a decoder cannot go on without
-- it, with asynchronous exceptions masked, and not again after it has returned
-- an empty chunk. An exception of it leaves the source unusable.
--
-- @since 0.1.0.0
newSource :: IO ByteString -> IO Source
newSource next = Source <$> newInput (pure ()) next newSegments <*> newIORef 0

-- | A source that reads from a 'Handle', at most 32 KiB at a time. It waits
-- only until there is something to read.
--
-- @since 0.1.0.0
handleSource :: Handle -> IO Source
handleSource h = newSource (S.hGetSome h 32768)

-- | Decode the next value of a source. Offsets in errors count from the start
-- of the source; the limit for elements of no size is for each call.
--
-- After an error the source stands where the decoder failed. A source whose
-- decoder was ended by an exception, or is still running, cannot be used:
-- that is an 'Control.Exception.IOException'.
--
-- @since 0.1.0.0
getFrom :: Source -> Get a -> IO (Either DecodeError a)
getFrom (Source input offsetRef) g = do
  offset <- readIORef offsetRef
  when (offset == busy) $ ioError (userError "Ashlar.Get: source in use, or left by an exception")
  writeIORef offsetRef busy
  withInput True input offset $ \c env -> do
    result <- frozen input (IO (unGet g c env))
    -- Keep what was not read as what comes next.
    at <- position c
    rest <- unread c input
    modifyIORef' (inputSegments input) $ \now ->
      newSegments {segmentsComing = rest, segmentsEnded = segmentsEnded now}
    writeIORef offsetRef at
    pure result
  where
    -- In place of the offset while a decoder runs.
    busy = -1

-- | Decode values one after another until the source ends, and fold them from
-- the left, in constant memory. The accumulator is forced at each step.
--
-- The decoder must read at least one byte each time, or this does not end. An
-- error, or an exception of the action, ends it; the source then stands where the
-- decoder failed, or behind the last value.
--
-- @since 0.1.0.0
foldFrom :: Source -> Get a -> (b -> a -> IO b) -> b -> IO (Either DecodeError b)
foldFrom source g f = go
  where
    go !acc = do
      next <- getFrom source (isEmpty >>= \end -> if end then pure Nothing else Just <$> g)
      case next of
        Left e -> pure (Left e)
        Right Nothing -> pure (Right acc)
        Right (Just a) -> f acc a >>= go
{-# INLINE foldFrom #-}

-- | Decode one value from a 'Handle'. What has been read from the Handle behind
-- the value, at most 32 KiB, is lost: use a 'Source' to read on.
--
-- @since 0.1.0.0
hRunGet :: Handle -> Get a -> IO (Either DecodeError a)
hRunGet h g = handleSource h >>= \source -> getFrom source g
