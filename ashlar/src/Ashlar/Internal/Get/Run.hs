{-# LANGUAGE BangPatterns #-}
{-# LANGUAGE MagicHash #-}
{-# LANGUAGE ScopedTypeVariables #-}
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
    runInPlace,
    inMemory,

    -- * Lazy input
    runGetLazy,
    runGetLazyWhole,
    runGetOrFail,

    -- * For other modules
    Early (..),
    beforeInput,
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
import Ashlar.Internal.Get.Bytes (endOfInput)
import Ashlar.Internal.Get.Core
import Ashlar.Internal.Get.Env
import Ashlar.Internal.Get.Error
import Ashlar.Internal.Get.Failure
import Ashlar.Internal.Get.Limits (streamBytes, streamEnd)
import Ashlar.Internal.Get.Path
import Ashlar.Internal.Get.Record (enterFirstSegment, heldBetween, unread)
import Ashlar.Internal.Get.Scan (Scanned (..), takeScanned)
import Ashlar.Internal.Mem (withBytesQuick)
import Ashlar.Internal.Mem.Cells
import Ashlar.Internal.Mem.Check (unsafeTake)
import Control.Exception (evaluate)
import Data.ByteString (ByteString)
import qualified Data.ByteString as S
import qualified Data.ByteString.Internal as B
import qualified Data.ByteString.Lazy as L
import qualified Data.ByteString.Lazy.Internal as L
import Data.Either (fromLeft)
import Data.IORef (IORef, newIORef, readIORef, writeIORef)
import Data.Int (Int64)
import Data.Word (Word8)
import Foreign.Ptr (Ptr, minusPtr, plusPtr)
import GHC.Exts
  ( Int (I#),
    Ptr (Ptr),
    isTrue#,
    lazy,
    plusAddr#,
    reallyUnsafePtrEquality#,
    runRW#,
    touch#,
    unsafeCoerce#,
  )
import GHC.ForeignPtr (ForeignPtr (..))
import GHC.IO (IO (..), unIO)
import System.IO.Unsafe (unsafeDupablePerformIO, unsafePerformIO)

-- | Run a decoder as a traced run, whose cells and input are set up. The cursor is in its cell
-- before and after.
--
-- A run reads segments at addresses, so @touch#@ keeps them alive. GHC does not drop it, because it
-- cannot see that an unknown decoder never returns.
runIn :: Cells -> Input -> Get a -> IO (Either DecodeError a)
runIn c input g = IO $ \s0 -> case unIO (getPtr c cursorCell) s0 of
  (# s1, Ptr p0 #) -> case unGet g p0 c (Env input OfRun noMarks Top) s1 of
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
  -- | How many bytes the run may hold at first, or 'maxBound': Note [What is held] in
  -- "Ashlar.Internal.Get.Limits".
  Int ->
  IO ()
startStream c input offset bytes = do
  current <- segmentCurrent <$> readIORef (inputSegments input)
  startCells c True offset maxBound (streamEnd offset bytes) current

startCells ::
  Cells ->
  -- Is the run traced?
  Bool ->
  -- The offset at which the current segment begins.
  Int ->
  -- The offset at which the input seems to end, or 'maxBound'.
  Int ->
  -- The value of 'heldCell'.
  Int ->
  -- The current segment.
  ByteString ->
  IO ()
startCells c traced offset limit held current = do
  enterFirstSegment c offset limit held current
  putInt c partCell unknownPart
  startBudget c traced
{-# INLINE startCells #-}

-- | Decode from a strict 'ByteString'. Bytes after the value are ignored: 'runGetWhole' refuses
-- them, 'runGetRest' returns them.
--
-- Forcing an error runs the decoder a second time, which takes as long as the first run. Until
-- then, the error keeps the input alive, whose memory must not be overwritten. If decoders run
-- others on a part of their input and force the error, n levels of such parts take time in
-- proportion to the square of n ('Ashlar.Get.isolate' has no such runs). The same holds for
-- 'runGetWhole', 'runGetRest' and 'runGetWith'.
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

-- | 'runGet', also returning the bytes after the value.
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
-- A decoder of adjacent numbers, of one token, or of nothing never goes back or waits, and whether
-- it fails is known before it begins. On strict input it needs neither cells nor an environment. So
-- rules run such a decoder directly on the memory. Runs that fail are left to 'runWithCells'. The
-- rules match before phase 1, while GHC can still see what the decoder is. (Benchmarks "one run on
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

-- Run a decoder of adjacent numbers.
runFixed ::
  -- | Is the length of the input right, given that and the length of the numbers? False if the
  -- input is shorter.
  (Int -> Int -> Bool) ->
  Int ->
  Widths ->
  (Ptr Word8 -> IO a) ->
  ByteString ->
  Either DecodeError a
runFixed right n parts rd bs
  -- The bytes are there, and reading them always returns.
  | S.length bs `right` n = unsafeDupablePerformIO (withBytesQuick bs (\p _ -> Right <$> rd p))
  | otherwise = wrongLength n parts bs
{-# INLINE runFixed #-}

-- | Run a decoder of constant size that reads at an address, without setting up a run.
--
-- Such a decoder does not move the cursor. Of the cells it reads only the one that says whether the
-- run is traced. So all such runs share one array ('scratch'), which says no, and nobody reads what
-- they write there. A decoder of a plain number touches no cell. It gets a dummy, because GHC would
-- not drop the read of 'scratch'. (Allocation test "fields in place: nothing".)
runInPlace ::
  forall a.
  -- | Is it a plain number?
  Bool ->
  -- | Its bytes.
  Int ->
  -- | Reads them, without moving the cursor.
  (Ptr Word8 -> Get a) ->
  -- | The same as a decoder, for input that is refused.
  Get a ->
  -- | Bytes after the value are ignored.
  ByteString ->
  Either DecodeError a
runInPlace plain n rd g bs = case attempted () of
  (# a | #) -> Right a
  -- The string stands here alone, so it is made only for an error.
  (# | _ #) -> runWithCells g bs
  where
    attempted :: () -> (# a| (# #) #)
    attempted _
      | S.length bs < n = (# | (##) #)
      | plain = at (unsafeCoerce# ())
      | otherwise = case scratch of Account c -> at c
    {-# INLINE attempted #-}
    -- The bytes are there.
    at :: Cells -> (# a| (# #) #)
    at c = case B.toForeignPtr bs of
      (ForeignPtr a0 contents, I# off, _) ->
        let p = plusAddr# a0 off
            reading s0 = case unGet (rd (Ptr p)) p c noInput s0 of
              (# s1, _, r #) -> case touch# contents s1 of s2 -> (# s2, r #)
         in case runRW# reading of (# _, r #) -> r
    {-# INLINE at #-}
{-# INLINE runInPlace #-}

-- | 'unsafeDupablePerformIO' for an action that only reads memory. GHC sees the constructor of the
-- result. ('unsafeDupablePerformIO' hides it.)
inMemory :: IO a -> a
inMemory (IO m) = case runRW# m of (# _, a #) -> a
{-# INLINE inMemory #-}

-- The environment, at which only a traced run looks. A constant: it is made before anybody knows
-- whether the decoder fails.
noInput :: Env
noInput = InputOnly S.empty
{-# NOINLINE noInput #-}

-- (Cells without a box cannot be at the top of a module.)
scratch :: Account
scratch = unsafePerformIO . withCells cellCount $ \c ->
  startCells c False 0 0 maxBound S.empty >> IO (\s -> (# s, Account c #))
{-# NOINLINE scratch #-}

-- The error for input that is shorter or longer than the numbers. It does not depend on their
-- values.
wrongLength :: Int -> Widths -> ByteString -> Either DecodeError a
wrongLength n parts = runWithCells (succeedsAgain <$ (skipFixed n parts *> endOfInput))
{-# NOINLINE wrongLength #-}

-- Run a decoder that takes the bytes that a scanner accepts.
--
-- The scanner may never return, if a predicate does not. If GHC saw that, it would drop the
-- @touch#@ with which 'withBytesQuick' keeps the string alive. So 'lazy' hides the scanner until no
-- such analysis follows. (@keepAlive#@ would do, but from GHC 9.2 on it is a call with two
-- closures.)
runScanned ::
  (ByteString -> s -> r) ->
  s ->
  (s -> Ptr Word8 -> Ptr Word8 -> IO (Scanned s)) ->
  ByteString ->
  Either DecodeError r
runScanned result s0 scanner bs = unsafeDupablePerformIO $
  withBytesQuick bs $ \p n -> do
    Scanned q s <- lazy scanner s0 p (p `plusPtr` n)
    -- The scanner stops in the range, or at its end.
    let !taken = unsafeTake (q `minusPtr` p) bs
    pure (Right (result taken s))
{-# INLINE runScanned #-}

-- The dupable form is enough: if two threads evaluate the result, each has cells of its own.
runWithCells :: Get a -> ByteString -> Either DecodeError a
runWithCells g bs = unsafeDupablePerformIO (smallRun g bs)
{-# NOINLINE runWithCells #-}

-- A run as in Note [A small run]. The limit is the end of the input, so a decoder finds the end
-- without reading the segments.
--
-- 'lazy' hides that this function is strict in the string. Otherwise the caller would unpack the
-- string, and this function would have to box it again. (So callers force the string themselves.)
smallRun :: Get a -> ByteString -> IO (Either DecodeError a)
smallRun g boxed = do
  within <- withinSecond g
  if within then tracedRun g boxed else untracedRun g boxed
{-# INLINE smallRun #-}

untracedRun :: Get a -> ByteString -> IO (Either DecodeError a)
untracedRun g boxed = withCells cellCount $ \c -> do
  let !bs = lazy boxed
  startCells c False 0 (S.length bs) maxBound bs
  IO $ \s0 -> case unIO (getPtr c cursorCell) s0 of
    (# s1, Ptr p0 #) -> case unGet g p0 c (InputOnly bs) s1 of
      (# s2, _, result #) -> case touch# bs s2 of
        s3 -> case result of
          (# a | #) -> (# s3, Right a #)
          (# | _ #) -> (# s3, Left (strictError g bs) #)

-- | How a run before there is any input ended.
data Early a
  = Made a
  | -- | It needs input.
    NeedsInput
  | Failed

-- | Run a decoder before there is any input: Note [Before there is input] in
-- "Ashlar.Internal.Get.Decoder".
beforeInput ::
  -- | How many bytes the run may hold, or 'maxBound'.
  Int ->
  Get a ->
  Early a
beforeInput bytes g = unsafeDupablePerformIO $
  withCells cellCount $ \c -> do
    startCells c False 0 maxBound (streamEnd 0 bytes) S.empty
    IO $ \s0 -> case unIO (getPtr c cursorCell) s0 of
      (# s1, Ptr p0 #) -> case unGet g p0 c NoInput s1 of
        (# s2, _, (# a | #) #) -> (# s2, Made a #)
        (# s2, _, (# | _ #) #) -> unIO (notMade c) s2
  where
    notMade c = do
      over <- isOver c
      left <- getInt c stepsCell
      pure (if over && left >= 0 then NeedsInput else Failed)
{-# NOINLINE beforeInput #-}

-- The error of a run that has failed, found by a second, traced run: Note [Traced runs].
strictError :: Get a -> ByteString -> DecodeError
strictError g bs =
  fromLeft succeedsAgain (unsafeDupablePerformIO (asSecond (tracedRun g bs)))
{-# NOINLINE strictError #-}

tracedRun :: Get a -> ByteString -> IO (Either DecodeError a)
tracedRun g bs = do
  input <- strictInput bs
  withCells cellCount $ \c -> do
    startCells c True 0 (S.length bs) maxBound bs
    runIn c input g
{-# NOINLINE tracedRun #-}

-- Note [Second runs]
-- ~~~~~~~~~~~~~~~~~~
-- A decoder may run another one on a part of its input, and look at its error. Each level then runs
-- the levels inside of it twice, and the second run of each does that again: time exponential in
-- the number of levels, which the sender of the input chooses. So what begins within a second run
-- is traced from the start, and need not run again. That leaves quadratic time. (Test "decoders
-- that look at the errors of others".)
--
-- A variable of the process says whether there is a second run. Another thread may find it set,
-- too. Its run has the same result, but takes a little longer. The variable is the number of runs
-- that may begin before it is reset, because an exception may end the second run.
secondRuns :: IORef Int
secondRuns = unsafePerformIO (newIORef 0)
{-# NOINLINE secondRuns #-}

-- The argument is what asks, so that nobody gets the answer to another one.
withinSecond :: a -> IO Bool
withinSecond _ = readIORef secondRuns >>= \n -> if n > 0 then oneMore n else pure False
{-# INLINE withinSecond #-}

-- 'withinSecond' where GHC might share the answer.
asked :: a -> IO Bool
asked = withinSecond
{-# NOINLINE asked #-}

oneMore :: Int -> IO Bool
oneMore n = True <$ (writeIORef secondRuns $! n - 1)
{-# NOINLINE oneMore #-}

asSecond :: IO a -> IO a
asSecond act = do
  before <- readIORef secondRuns
  writeIORef secondRuns 1000
  act <* writeIORef secondRuns before

succeedsAgain :: a
succeedsAgain =
  errorWithoutStackTrace
    "Ashlar.Get: a decoder that failed succeeds when run again: was the input's memory written?"

-- | The error of a traced run that has failed.
errorOf :: Cells -> Input -> IO DecodeError
errorOf c input = do
  e <- toError <$> readIORef (inputFailures input)
  let (from, to) = excerptRange (errorOffset e) (S.length (errorFound e))
  (start, bytes) <- heldBetween c input (fromIntegral from) (fromIntegral to)
  evaluate e {errorExcerpt = Excerpt (fromIntegral start) bytes}
{-# NOINLINE errorOf #-}

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
runLazy bytes f g lbs = case runStrict measured <$> strict of
  Just (Right (used, a)) -> f (Right a) (L.drop (fromIntegral used) lbs) (fromIntegral used)
  Just (Left _) ->
    let Ended result rest at = unsafePerformIO (asSecond (evaluate (runChunks bytes g lbs)))
     in f (Left (fromLeft succeedsAgain result)) rest at
  Nothing -> case runChunks bytes g lbs of Ended result rest at -> f result rest at
  where
    strict = if unsafeDupablePerformIO (asked lbs) then Nothing else onlyChunk lbs
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
