{-# LANGUAGE BangPatterns #-}
{-# LANGUAGE MagicHash #-}

-- |
-- Module      : Ashlar.Internal.Get.Fail
-- Description : Failing, and recording why
--
-- To fail is to throw an exception that says nothing. What there is to say is recorded before, and
-- only in traced runs. These are the actions for that; "Ashlar.Internal.Get.Refuse" has the
-- decoders.
--
-- Note [One exception for all failures]
-- ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
-- Building an exception with offset and labels for every failure would make backtracking far more
-- expensive. So there is only one, and handlers recognise it by its address, which is much faster
-- than comparing types. They compare types only if the addresses differ, so nothing depends on
-- equal addresses. (Benchmark "many with an alternative".)
--
-- Note [Code that ends in a failure]
-- ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
-- GHC assumes that code that ends in an exception rarely runs. It moves such code out of the way,
-- and builds closures for what the code needs. So strict functions that return do all the work, and
-- are not inlined into the code that fails. Otherwise failing alternatives take much longer (the
-- same benchmark).
module Ashlar.Internal.Get.Fail
  ( -- * The exception
    failureException,
    isFailure,
    throwFailed,

    -- * Failing
    failAt,
    failWith,
    failInvalid,

    -- * Recording
    Expectation (..),
    refuseByte,
    failuresSoFar,
    setFailures,
  )
where

import Ashlar.Internal.Get.Env
import Ashlar.Internal.Get.Error
import Ashlar.Internal.Get.Failure
import Ashlar.Internal.Get.Path
import Ashlar.Internal.Mem (peekHost)
import Ashlar.Internal.Mem.Cells
import Control.Exception (Exception, SomeException, fromException, toException)
import Data.IORef (readIORef, writeIORef)
import Data.Maybe (isJust)
import Data.Word (Word8)
import Foreign.Ptr (Ptr, minusPtr, plusPtr)
import GHC.Exts (isTrue#, lazy, raiseIO#, reallyUnsafePtrEquality#)
import GHC.IO (IO (..))

-- | Thrown to fail. It never leaves a run of a decoder.
data DecoderFailed = DecoderFailed

instance Show DecoderFailed where
  show DecoderFailed = "Ashlar.Get: failure outside of a run"

instance Exception DecoderFailed

-- | The one exception that all failures throw: Note [One exception for all failures].
failureException :: SomeException
failureException = toException DecoderFailed
{-# NOINLINE failureException #-}

-- | Is this exception a failure of a decoder?
isFailure :: SomeException -> Bool
isFailure e =
  isTrue# (reallyUnsafePtrEquality# e failureException)
    || isJust (fromException e :: Maybe DecoderFailed)

-- | Fail. Why has been recorded, if the run is traced.
--
-- (Not by @throwIO@. From GHC 9.10 on that adds a backtrace, which allocates, and makes another
-- exception of this one, which 'isFailure' then does not know by its address.)
throwFailed :: IO a
throwFailed = IO (raiseIO# failureException)
{-# INLINE throwFailed #-}

-- | Fail at an address in the open segment.
failAt ::
  Cells ->
  Env ->
  Ptr Word8 ->
  -- | How many bytes there the decoder has examined. All are before the end. The number must not
  -- depend on how the input was cut (INV-G2).
  Int ->
  Reason ->
  IO a
failAt c env p n reason = recordAt c env p n reason >> throwFailed
{-# NOINLINE failAt #-}

-- | Fail at an offset, which may be far before the cursor.
failWith ::
  Cells ->
  Env ->
  -- | The reach: the offset up to which the decoder had come.
  Int ->
  -- | The offset.
  Int ->
  -- | The bytes there.
  Found ->
  Reason ->
  IO a
failWith c env reach offset found reason = record c env reach offset found reason >> throwFailed
{-# NOINLINE failWith #-}

-- | Fail at the cursor with a message.
failInvalid :: Cells -> Env -> String -> IO a
failInvalid c env message = do
  p <- getPtr c cursorCell
  failAt c env p 0 (Invalid message)
{-# NOINLINE failInvalid #-}

-- | Record a failure at an address, if the run is traced: see 'failAt'.
recordAt :: Cells -> Env -> Ptr Word8 -> Int -> Reason -> IO ()
recordAt c env !p !n !reason = whenTraced c $ do
  part <- getInt c partCell
  case reason of
    MissingInput _ left
      | Cut before width <- cutField (envContext env) part left ->
        -- As many bytes lie there as are left.
        recordIn part c env (p `plusPtr` before) (n - before) (MissingInput width (left - before))
    _ -> recordIn part c env p n reason
{-# NOINLINE recordAt #-}

recordIn :: PartNumber -> Cells -> Env -> Ptr Word8 -> Int -> Reason -> IO ()
recordIn !part c env !p !n !reason = do
  offset <- offsetOf c p
  cursor <- getPtr c cursorCell
  let !ahead = p `minusPtr` cursor
      !reach = max offset (offset - ahead)
      failure =
        Failure
          { failureReach = reach,
            failureOffset = offset,
            failureFound = nothingFound,
            failureContext = envContext env,
            failurePart = part,
            failureAhead = ahead,
            failureSize = n,
            failureReason = reason
          }
  farthest <- readIORef (inputFailures (envInput env))
  if addsNothing failure (min 16 n) farthest
    then pure ()
    else do
      -- At once, because the bytes may be gone when the run ends.
      found <- if n <= 0 then pure nothingFound else peekFound p n
      setFailures env (addFailure failure {failureFound = found} farthest)
{-# NOINLINE recordIn #-}

record :: Cells -> Env -> Int -> Int -> Found -> Reason -> IO ()
record c env !reach !offset !found !reason = whenTraced c $ do
  part <- getInt c partCell
  let failure =
        Failure
          { failureReach = reach,
            failureOffset = offset,
            failureFound = found,
            failureContext = envContext env,
            failurePart = part,
            failureAhead = 0,
            failureSize = 0,
            failureReason = reason
          }
  farthest <- readIORef (inputFailures (envInput env))
  if addsNothing failure (foundLength found) farthest
    then pure ()
    else setFailures env (addFailure failure farthest)
{-# NOINLINE record #-}

-- | The names of a byte that is demanded, the innermost first.
newtype Expectation = Expectation [String]

-- | Record that the next byte is not accepted or not there, if the run is traced.
refuseByte :: Cells -> Env -> Expectation -> IO ()
refuseByte c env (Expectation names) = whenTraced c $ do
  at <- position c
  farthest <- failuresSoFar env
  -- Most are not worth the trouble.
  if at < reachSoFar farthest
    then pure ()
    else do
      p <- getPtr c cursorCell
      e <- getPtr c endCell
      if p == e
        then recordAt c env p 0 (MissingInput 1 0)
        else
          if at == reachSoFar farthest
            then recordAt c (inTraced (expectingAt at) env) p 1 Unexpected
            else do
              part <- getInt c partCell
              -- A byte lies there.
              byte <- peekHost p
              setFailures env (Refusal at byte part (envContext env) names)
  where
    expectingAt at context = foldr (`Expecting` at) context names
{-# NOINLINE refuseByte #-}

-- | What has been recorded of failures.
failuresSoFar :: Env -> IO Failures
failuresSoFar env = case lazy env of
  Env input _ _ -> readIORef (inputFailures input)
  -- Not traced.
  Whole _ -> pure NoFailures
{-# NOINLINE failuresSoFar #-}

-- | Forget all recorded failures but these.
setFailures :: Env -> Failures -> IO ()
setFailures env !failures = case env of
  Env input _ _ -> writeIORef (inputFailures input) failures
  Whole _ -> pure ()
{-# INLINE setFailures #-}
