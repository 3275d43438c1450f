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

    -- * For other modules
    Early (..),
    beforeInput,
    startStream,
    runIn,
    runStrict,
    errorOf,
    succeedsAgain,
    withinSecond,
    asSecond,
  )
where

import Ashlar.Internal.Get.Budget
import Ashlar.Internal.Get.Bytes (endOfInput)
import Ashlar.Internal.Get.Core
import Ashlar.Internal.Get.Env
import Ashlar.Internal.Get.Error
import Ashlar.Internal.Get.Failure
import Ashlar.Internal.Get.Limits (streamEnd)
import Ashlar.Internal.Get.Path
import Ashlar.Internal.Get.Record (enterFirstSegment, heldBetween)
import Ashlar.Internal.Get.Scan (Scanned (..), takeScanned)
import Ashlar.Internal.Mem (withBytesQuick)
import Ashlar.Internal.Mem.Cells
import Ashlar.Internal.Mem.Check (unsafeTake)
import Control.Exception (evaluate)
import Data.ByteString (ByteString)
import qualified Data.ByteString as S
import qualified Data.ByteString.Internal as B
import Data.Either (fromLeft)
import Data.IORef (IORef, atomicModifyIORef', newIORef, readIORef)
import Data.Word (Word8)
import Foreign.Ptr (Ptr, minusPtr, plusPtr)
import GHC.Exts
  ( Int (I#),
    Ptr (Ptr),
    lazy,
    plusAddr#,
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
  within <- withinSecond
  if within then tracedRun g boxed else untracedRun g boxed
{-# INLINE smallRun #-}

untracedRun :: Get a -> ByteString -> IO (Either DecodeError a)
untracedRun g boxed =
  let !bs = lazy boxed
   in untraced (InputOnly bs) (S.length bs) maxBound bs g Right $ \_ ->
        pure (Left (strictError g bs))

-- An untraced run.
untraced ::
  Env ->
  -- | The offset at which the input ends, or 'maxBound'.
  Int ->
  -- | The value of 'heldCell'.
  Int ->
  -- | The input.
  ByteString ->
  Get a ->
  -- | The result from the value.
  (a -> r) ->
  -- | The result of a run that has failed.
  (Cells -> IO r) ->
  IO r
untraced env limit held bs g made notMade = withCells cellCount $ \c -> do
  startCells c False 0 limit held bs
  IO $ \s0 -> case unIO (getPtr c cursorCell) s0 of
    (# s1, Ptr p0 #) -> case unGet g p0 c env s1 of
      (# s2, _, result #) -> case touch# bs s2 of
        s3 -> case result of
          (# a | #) -> (# s3, made a #)
          (# | _ #) -> unIO (notMade c) s3
{-# INLINE untraced #-}

-- | How a run before there is any input ended.
data Early a
  = Made a
  | -- | It needs input.
    NeedsInput
  | Failed

-- | Run a decoder before there is any input: Note [Before there is input] in
-- "Ashlar.Internal.Get.Chunks".
beforeInput ::
  -- | How many bytes the run may hold, or 'maxBound'.
  Int ->
  Get a ->
  Early a
beforeInput bytes g =
  unsafeDupablePerformIO (untraced NoInput maxBound (streamEnd 0 bytes) S.empty g Made notMade)
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
  input <- strictInput 0 bs
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
-- too. Its run has the same result, but takes a little longer. An exception may end a second run
-- without resetting the variable. So each second run allows a number of runs within it, and the
-- variable is the number that is left. The runs of other threads count, too, so the number is
-- large. (After 1,000, levels beyond that had second runs again. With 20,000, other threads used
-- them up.)
secondRuns :: IORef Int
secondRuns = unsafePerformIO (newIORef 0)
{-# NOINLINE secondRuns #-}

runsWithin :: Int
runsWithin = 1000000

-- Take away from the number of runs that are left.
fewer :: Int -> IO ()
fewer k = atomicModifyIORef' secondRuns (\n -> (max 0 (n - k), ()))
{-# NOINLINE fewer #-}

-- | Does this run begin within a second one?
withinSecond :: IO Bool
withinSecond = do
  n <- readIORef secondRuns
  if n > 0 then True <$ fewer 1 else pure False
{-# INLINE withinSecond #-}

-- | Perform an action as a second run.
asSecond :: IO a -> IO a
asSecond act = do
  atomicModifyIORef' secondRuns (\n -> (min (100 * runsWithin) (n + runsWithin), ()))
  act <* fewer runsWithin

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
