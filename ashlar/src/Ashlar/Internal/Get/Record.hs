{-# LANGUAGE BangPatterns #-}

-- |
-- Module      : Ashlar.Internal.Get.Record
-- Description : Recording why a decoder fails
--
-- A failure of a decoder says nothing. What there is to say is recorded before, and only in traced
-- runs. These are the actions for that, which find the cursor in its cell.
module Ashlar.Internal.Get.Record
  ( recordAt,
    record,
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
import Data.IORef (readIORef, writeIORef)
import Data.Word (Word8)
import Foreign.Ptr (Ptr, minusPtr, plusPtr)
import GHC.Exts (lazy)

-- | Record a failure at an address in the open segment, if the run is traced.
recordAt ::
  Cells ->
  Env ->
  Ptr Word8 ->
  -- | How many bytes there the decoder has examined.
  Int ->
  Reason ->
  IO ()
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
  -- At once, because the bytes may be gone when the run ends.
  remember env failure (min 16 n) (peekFound p n)
{-# NOINLINE recordIn #-}

-- | Record a failure at an offset, if the run is traced.
record ::
  Cells ->
  Env ->
  -- | The reach.
  Int ->
  -- | The offset.
  Int ->
  -- | The bytes there.
  Found ->
  Reason ->
  IO ()
record c env !reach !offset !found !reason = whenTraced c $ do
  part <- getInt c partCell
  let failure =
        Failure
          { failureReach = reach,
            failureOffset = offset,
            failureFound = nothingFound,
            failureContext = envContext env,
            failurePart = part,
            failureAhead = 0,
            failureSize = 0,
            failureReason = reason
          }
  remember env failure (foundLength found) (pure found)
{-# NOINLINE record #-}

-- Add a failure, with the bytes that it found, unless that changes nothing.
remember :: Env -> Failure -> Int -> IO Found -> IO ()
remember env failure n find = do
  farthest <- failuresSoFar env
  if addsNothing failure n farthest
    then pure ()
    else find >>= \found -> setFailures env (addFailure failure {failureFound = found} farthest)
{-# INLINE remember #-}

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
