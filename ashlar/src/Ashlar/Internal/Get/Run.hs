{-# LANGUAGE BangPatterns #-}
{-# LANGUAGE MagicHash #-}
{-# LANGUAGE UnboxedSums #-}
{-# LANGUAGE UnboxedTuples #-}

-- |
-- Module      : Ashlar.Internal.Get.Run
-- Description : Running decoders on input in memory
module Ashlar.Internal.Get.Run
  ( -- * Strict input
    runGet,
    runGetWhole,
    runGetRest,
    runGetWith,

    -- * Lazy input
    runGetLazy,
    runGetLazyWhole,
    runGetOrFail,

    -- * For other modules
    startStream,
    runIn,
    runLazy,
    runOrFail,
    errorOf,
    forceNext,
    nextOf,
  )
where

import Ashlar.Internal.Get.Budget
import Ashlar.Internal.Get.Core
import Ashlar.Internal.Get.Env
import Ashlar.Internal.Get.Error
import Ashlar.Internal.Get.Failure
import Ashlar.Internal.Get.Limits (streamBytes, streamEnd)
import Ashlar.Internal.Get.Numbers (endOfInput)
import Ashlar.Internal.Get.Path
import Ashlar.Internal.Get.Record (heldBetween, enterFirstSegment, unread)
import Ashlar.Internal.Get.Scan (Scanned (..), takeScanned)
import Ashlar.Internal.Mem (withBytesQuick)
import Ashlar.Internal.Mem.Cells
import Ashlar.Internal.Mem.Check (unsafeTake)
import Control.Exception (evaluate)
import Data.ByteString (ByteString)
import qualified Data.ByteString as S
import qualified Data.ByteString.Lazy as L
import qualified Data.ByteString.Lazy.Internal as L
import Data.Either (fromLeft)
import Data.IORef (IORef, newIORef, readIORef, writeIORef)
import Data.Int (Int64)
import Data.Word (Word8)
import Foreign.Ptr (Ptr, minusPtr, plusPtr)
import GHC.Exts (Ptr (Ptr), isTrue#, lazy, reallyUnsafePtrEquality#, touch#)
import GHC.IO (IO (..), unIO)
import System.IO.Unsafe (unsafeDupablePerformIO, unsafePerformIO)

-- | Run a decoder, and find out why it failed if it did. The cursor is in its cell, before and
-- after.
--
-- Segments are read at addresses, and kept alive here. (A decoder that is not known may return. So
-- the compiler does not drop what comes after it.)
runIn :: Cells -> Input -> Get a -> IO (Either DecodeError a)
runIn c input g = IO $ \s0 -> case unIO (getPtr c cursorCell) s0 of
  (# s1, Ptr p0 #) -> case unGet g p0 c (Env input OfRun Top) s1 of
    (# s2, p1, result #) -> case unIO (putPtr c cursorCell (Ptr p1)) s2 of
      (# s3, _ #) -> case touch# (inputSegments input) s3 of
        s4 -> case result of
          (# a | #) -> (# s4, Right a #)
          (# | _ #) -> unIO (Left <$> errorOf c input) s4
{-# NOINLINE runIn #-}

-- | Set up the cells for a run whose input is not in memory.
startStream ::
  Cells ->
  Input ->
  -- | The offset at which the current segment begins.
  Int ->
  -- | How many bytes it may hold at first, or 'maxBound': Note [What is held] in
  -- "Ashlar.Internal.Get.Limits".
  Int ->
  IO ()
startStream c input offset bytes = do
  open <- segmentCurrent <$> readIORef (inputSegments input)
  startCells c True offset maxBound (streamEnd offset bytes) open

-- Set up the cells that each run has.
startCells ::
  Cells ->
  -- Is it traced?
  Bool ->
  -- The offset at which the current segment begins.
  Int ->
  -- The offset at which the input seems to end, or 'maxBound'.
  Int ->
  -- What 'heldCell' has.
  Int ->
  ByteString ->
  IO ()
startCells c traced offset limit held open = do
  enterFirstSegment c offset limit held open
  putInt c partCell unknownPart
  startBudget c traced
{-# INLINE startCells #-}

-- | Decode from a strict 'ByteString'. Bytes that are left over are ignored:
-- 'runGetWhole' refuses them, 'runGetRest' returns them.
--
-- Forcing an error runs the decoder again, to find out what it says. So an error that is not forced
-- costs nothing. One that is forced takes as long as the run did. Until then, the error keeps the
-- input alive, so do not overwrite its memory before. A decoder that runs another one on a part of
-- its input and forces the error pays for both runs, at each level of such parts
-- ('Ashlar.Get.isolate' does not). The same holds for 'runGetWhole', 'runGetRest' and 'runGetWith'.
--
-- >>> runGet getWord16be "\1\2\3"
-- Right 258
-- >>> either (putStrLn . displayException) print (runGet getWord16be "\1")
-- at byte 0: 2 bytes needed, 1 left
--   00000000  01                                                |.|
--             ^^
runGet :: Get a -> ByteString -> Either DecodeError a
runGet g = \ !bs -> runStrict g bs
{-# INLINE runGet #-}

-- | 'runGet' of all of the input: the decoder must read it to its end.
--
-- >>> either (print . errorReason) print (runGetWhole getWord16be "\1\2\3")
-- TrailingInput
runGetWhole :: Get a -> ByteString -> Either DecodeError a
runGetWhole g = \ !bs -> runAll g bs
{-# INLINE runGetWhole #-}

-- | 'runGet', also returning the bytes that are left over.
--
-- >>> runGetRest getWord16be "\1\2\3"
-- Right (258,"\ETX")
runGetRest :: Get a -> ByteString -> Either DecodeError (a, ByteString)
runGetRest g !bs = runStrict (g >>= \a -> here >>= \used -> pure $! rest a used) bs
  where
    rest a used = let !left = S.drop used bs in (a, left)
{-# INLINE runGetRest #-}

-- | 'runGet' within a budget other than 'defaultBudget'. For the other ways to run a decoder, use
-- 'withBudget' on it.
runGetWith ::
  -- | The limits on levels, steps, and bytes of input.
  Budget ->
  Get a ->
  ByteString ->
  Either DecodeError a
runGetWith budget g = runGet (withBudget budget g)
{-# INLINE runGetWith #-}

-- Note [A run of one step]
-- ~~~~~~~~~~~~~~~~~~~~~~~~
-- Numbers side by side, a token, or no input at all: such a decoder neither goes back nor waits,
-- and whether it fails is known before it begins. On strict input it needs neither cells nor an
-- environment. So rules run it on the memory itself. They match before phase 1, where it is
-- known what the decoder is, and leave runs that fail to the general way. (Benchmarks "one run on
-- 16 bytes", "one run of a decoder that reads nothing", "one run: takeWhile at the end of the
-- input". Allocation test "a strict run of one step: its result". Tests "runs of one step".)
runStrict, runAll :: Get a -> ByteString -> Either DecodeError a
runStrict g bs = runWithCells g bs
runAll g bs = runWithCells (g <* endOfInput) bs
{-# INLINE [1] runStrict #-}
{-# INLINE [1] runAll #-}

{-# RULES
"run/pure" [~1] forall a bs. runStrict (pureGet a) bs = Right a
"run/fixed" [~1] forall n ps rd bs.
  runStrict (fixedGet n ps rd) bs =
    runFixed (>=) n ps rd bs
"runAll/fixed" [~1] forall n ps rd bs.
  runAll (fixedGet n ps rd) bs =
    runFixed (==) n ps rd bs
"run/scanned" [~1] forall f s scanner bs.
  runStrict (takeScanned f s scanner) bs =
    runScanned f s scanner bs
  #-}

-- Numbers side by side.
runFixed ::
  -- | Is the length of the input right, given that of the numbers? It is not shorter then.
  (Int -> Int -> Bool) ->
  Int ->
  Widths ->
  (Ptr Word8 -> IO a) ->
  ByteString ->
  Either DecodeError a
runFixed right n parts rd bs
  -- The bytes are there, and to read them always returns.
  | S.length bs `right` n = unsafeDupablePerformIO (withBytesQuick bs (\p _ -> Right <$> rd p))
  | otherwise = wrongLength n parts bs
{-# INLINE runFixed #-}

-- The input is not as long as the numbers. So it does not matter what they are.
wrongLength :: Int -> Widths -> ByteString -> Either DecodeError a
wrongLength n parts = runWithCells (succeedsAgain <$ (skipFixed n parts *> endOfInput))
{-# NOINLINE wrongLength #-}

-- The bytes that a scanner wants.
--
-- It may not return, if a predicate does not. A compiler that finds so would drop what
-- 'withBytesQuick' does afterwards to keep the string alive, but 'lazy' hides the scanner until no
-- such analysis follows. (@keepAlive#@ is a call from GHC 9.2 on, with two closures.)
runScanned ::
  (ByteString -> s -> r) ->
  s ->
  (s -> Ptr Word8 -> Ptr Word8 -> IO (Scanned s)) ->
  ByteString ->
  Either DecodeError r
runScanned result s0 scanner bs = unsafeDupablePerformIO $
  withBytesQuick bs $ \p n -> do
    Scanned q s <- lazy scanner s0 p (p `plusPtr` n)
    -- It stops in the range, or at its end.
    let !taken = unsafeTake (q `minusPtr` p) bs
    pure (Right (result taken s))
{-# INLINE runScanned #-}

-- The dupable form is enough: two threads that evaluate the result have a state each.
runWithCells :: Get a -> ByteString -> Either DecodeError a
runWithCells g bs = unsafeDupablePerformIO (smallRun g bs)
{-# NOINLINE runWithCells #-}

-- A run as in Note [A small run]. Its limit is where the input ends, so the end is seen without
-- looking at the segments.
--
-- The string stays in its box, for 'lazy' hides from the compiler that it is taken apart. Otherwise
-- the caller would unpack it, to be packed again here. (So callers force it themselves.)
smallRun :: Get a -> ByteString -> IO (Either DecodeError a)
smallRun g boxed = withCells cellCount $ \c -> do
  let !bs = lazy boxed
  startCells c False 0 (S.length bs) maxBound bs
  IO $ \s0 -> case unIO (getPtr c cursorCell) s0 of
    (# s1, Ptr p0 #) -> case unGet g p0 c (InputOnly bs) s1 of
      (# s2, _, result #) -> case touch# bs s2 of
        s3 -> case result of
          (# a | #) -> (# s3, Right a #)
          (# | _ #) -> (# s3, Left (strictError g bs) #)

-- The error of a run, found out by another run: Note [Traced runs].
strictError :: Get a -> ByteString -> DecodeError
strictError g bs = fromLeft succeedsAgain $
  unsafeDupablePerformIO $ do
    input <- strictInput bs
    withCells cellCount $ \c -> do
      startCells c True 0 (S.length bs) maxBound bs
      runIn c input g
{-# NOINLINE strictError #-}

succeedsAgain :: a
succeedsAgain =
  errorWithoutStackTrace
    "Ashlar.Get: a decoder that failed succeeds when run again: was the input's memory written?"

-- | The error of a run that has failed.
errorOf :: Cells -> Input -> IO DecodeError
errorOf c input = do
  e <- toError <$> readIORef (inputFailures input)
  let (from, to) = excerptRange (errorOffset e) (S.length (errorFound e))
  (start, bytes) <- heldBetween c input (fromIntegral from) (fromIntegral to)
  evaluate e {errorExcerpt = Excerpt (fromIntegral start) bytes}
{-# NOINLINE errorOf #-}

-- | Decode from a lazy 'L.ByteString'. Its first chunk is forced at once, each other one when the
-- decoder gets there. All are released when it has passed them. Bytes that are left over are
-- ignored, and not forced.
--
-- The decoder may hold 64 MiB of input at once, and its first chunk: what it has passed does not
-- count. More is an 'OverBudget' error. 'withBudget' around the decoder sets another limit
-- ('budgetBytes').
--
-- Input of one chunk, as 'L.fromStrict' makes it, is decoded as 'runGet' does it: forcing an error
-- runs the decoder again.
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

-- | 'runGetLazy', also returning the bytes that are left over, and the offset at which they begin.
-- If the decoder fails, that is where it was in the end, which may be before the offset of the
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
-- A run on lazy input cannot begin again, because its input is released as it goes. So it is
-- traced. A run on strict input is not, and takes half the time where decoders often fail.
--
-- So if the input is one chunk and nothing after it, as 'L.fromStrict' makes it, the decoder runs
-- on the chunk. What comes after the chunk must not be forced before the decoder gets there.
-- Therefore we only compare its address with that of 'L.Empty': it never is the same by mistake.
-- Where the end is a thunk, or an indirection that the next garbage collection removes, the run is
-- a lazy one.
--
-- If the decoder fails, the lazy run finds out why, and where it was in the end, when somebody
-- asks. It must not run before. A decoder that runs another one on a part of its input, and fails
-- as that did, would double the time at each level.
--
-- (Benchmark "brackets, 100 KB, one chunk". 'Tests.Splits' runs each decoder both ways. Test "a
-- decoder that fails in a nested run is run once".)
--
-- The lazy run has a limit on what it holds. But the first chunk is in memory, and it may hold
-- that: so both runs have the same result.
onlyChunk :: L.ByteString -> Maybe ByteString
onlyChunk lbs = case lbs of
  L.Chunk bs rest | isTrue# (reallyUnsafePtrEquality# rest L.Empty) -> Just bs
  _ -> Nothing

-- | Run a decoder on lazy input.
runLazy ::
  -- | How many bytes it may hold, or 'maxBound'.
  Int ->
  -- | Make the result from the value or the error, the bytes left over, and the offset at which
  -- they begin. All are lazy.
  (Either DecodeError a -> L.ByteString -> Int64 -> r) ->
  Get a ->
  L.ByteString ->
  r
runLazy bytes f g lbs = case runStrict measured <$> onlyChunk lbs of
  Just (Right (used, a)) -> f (Right a) (L.drop (fromIntegral used) lbs) (fromIntegral used)
  Just (Left _) ->
    let (result, rest, at) = runChunks bytes g lbs
     in f (Left (fromLeft succeedsAgain result)) rest at
  Nothing -> case runChunks bytes g lbs of (result, rest, at) -> f result rest at
  where
    measured = g >>= \a -> here >>= \ !used -> pure (used, a)
{-# NOINLINE runLazy #-}

runChunks :: Int -> Get a -> L.ByteString -> (Either DecodeError a, L.ByteString, Int64)
runChunks bytes g lbs = unsafePerformIO $ do
  chunks <- newIORef lbs
  input <- newInput newSegments (pure False) (forceNext chunks) (nextOf chunks)
  withCells cellCount $ \c -> do
    -- The first chunk is in memory: Note [A lazy ByteString of one chunk].
    startStream c input 0 (max bytes (firstOf lbs))
    result <- runIn c input g
    at <- position c
    rest <- unread c input
    notTaken <- readIORef chunks
    pure (result, foldr L.chunk notTaken rest, fromIntegral at)
  where
    firstOf chunks = case chunks of
      L.Chunk bs _ -> S.length bs
      L.Empty -> 0
{-# NOINLINE runChunks #-}

-- | Force the next chunk of a lazy 'L.ByteString' and drop the empty chunks before it. A lazy
-- 'L.ByteString' should have no empty chunks, but some libraries make them. An empty chunk does not
-- end a stream.
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
