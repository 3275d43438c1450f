{-# LANGUAGE UnboxedSums #-}
{-# LANGUAGE UnboxedTuples #-}
{-# OPTIONS_GHC -fno-do-lambda-eta-expansion #-}

-- |
-- Module      : Ashlar.Schema.Internal.Evolution.Inner
-- Description : Decoding what has been translated
--
-- Note [A decoder on other bytes]
-- ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
-- The decoder of the new bytes is a part of the run that reads the old ones: it has the same
-- levels, the same steps, and the same path. Only its input is another one, so it has cells of its
-- own. It fails as any decoder does.
--
-- Its errors are about old bytes. They are made in traced runs, in which the old bytes of the value
-- are kept. After a failure, the value is translated twice more: once to find out where the byte of
-- the error was written, before fields were moved, and once up to there. So translating keeps no
-- record of what came from where.
module Ashlar.Schema.Internal.Evolution.Inner
  ( translated,
    translatedBytes,
    oneAfterAnother,
  )
where

import Ashlar.Get (endOfInput)
import Ashlar.Internal.Get.Catch
import Ashlar.Internal.Get.ChoicePoint
import Ashlar.Internal.Get.Core
import Ashlar.Internal.Get.Env
import Ashlar.Internal.Get.Fail
import Ashlar.Internal.Get.Failure
import Ashlar.Internal.Get.Limits (limitsOf)
import Ashlar.Internal.Get.Segments (openFirst)
import Ashlar.Internal.Mem (keepAlive)
import Ashlar.Internal.Mem.Cells
import Ashlar.Schema.Internal.Evolution.Extent (Run)
import Ashlar.Schema.Internal.Evolution.Output
import Data.ByteString (ByteString)
import qualified Data.ByteString as B
import Data.IORef (readIORef)
import qualified Data.List as List
import Data.Maybe (fromMaybe)
import GHC.IO (IO (..), unIO)

-- | Translate a value, and decode the new bytes, which the decoder must read to their end. Given is
-- how many bytes to have space for at first.
translated :: Int -> Run -> Get a -> Cells -> Env -> IO a
translated size translate g = \c env -> do
  traced <- isTraced c
  if traced
    then tracedly size translate whole c env
    else do
      bs <- translatedBytes size translate c env
      onBytes bs c env (\c' env' -> IO (unGet whole c' env'))
  where
    whole = g <* endOfInput

-- | Translate a value.
translatedBytes :: Int -> Run -> Cells -> Env -> IO ByteString
translatedBytes size translate c env =
  newOut c size (-1) $ \out -> translate c env out >> finished out

-- | Translate a number of values, and what follows each of them, given how many bytes it took.
oneAfterAnother :: (Int -> Get ()) -> Int -> Run -> Run
oneAfterAnother after count translate c env out = go count
  where
    go n
      | n <= 0 = pure ()
      | otherwise = do
        before <- position c
        translate c env out
        now <- position c
        _ <- IO (unGet (after (now - before)) c env)
        go (n - 1)

-- Run a decoder on other bytes.
onBytes :: ByteString -> Cells -> Env -> (Cells -> Env -> IO a) -> IO a
onBytes bs c env act = do
  input <-
    newInput
      (const (pure ()))
      (pure B.empty)
      newSegments {segmentOpen = bs, segmentsEnded = True}
  limits <- limitsOf c env
  mode <- getInt c inPlaceCell
  levels <- getInt c levelsCell
  part <- getInt c partCell
  keepAlive (inputSegments input) $
    withCells cellCount $ \own -> do
      openFirst own 0 (B.length bs) bs
      putInt own inPlaceCell (if mode == goesOnInPlace then goesOnInPlace else beginsAgain)
      putInt own levelsCell levels
      putInt own partCell part
      putInt own stepsCell 0
      putInt own overCell 0
      let unlimited =
            limits
              { limitBytes = maxBound,
                limitEnd = maxBound,
                limitIsolate = maxBound,
                limitCells = own
              }
      act own (Env input (Own (budgetCells c env) unlimited) (envContext env))

tracedly :: Int -> Run -> Get a -> Cells -> Env -> IO a
tracedly size translate g c env = do
  steps <- getInt (budgetCells c env) stepsCell
  point <- openLookAhead c
  bs <- translatedBytes size translate c env
  result <- onBytes bs c env $ \own inner -> do
    r <- caught own inner g
    case r of
      Right x -> pure (Right x)
      Left stop -> do
        failures <- readIORef (inputFailures (envInput inner))
        pure (Left (stop, listed failures))
  case result of
    Right x -> x <$ closeLookAhead c point
    Left (HasFailed, failures) -> do
      left <- getInt (budgetCells c env) stepsCell
      let offsets = List.nub (map failureOffset failures)
      origins <- mapM (originOf translate c env point steps) offsets
      -- The steps of these are not those of the value.
      putInt (budgetCells c env) stepsCell left
      goBack c env point
      closeLookAhead c point
      mapM_ (record (zip offsets origins)) (reverse failures)
      throwFailed
    Left (stop, _) -> failAgain stop
  where
    record origins f = do
      so <- failuresSoFar env
      let at = fromMaybe 0 (lookup (failureOffset f) origins)
          moved = f {failureReach = at, failureOffset = at, failureFound = nothingFound}
      setFailures env (addFailure moved so)

-- The latest first.
listed :: Failures -> [Failure]
listed failures = case inFull failures of
  Failures f _ older -> f : listed older
  _ -> []

caught :: Cells -> Env -> Get a -> IO (Either Stop a)
caught c env g = IO $ \s0 -> case catching c env g s0 of
  (# s1, (# a | #) #) -> (# s1, Right a #)
  (# s1, (# | stop #) #) -> (# s1, Left stop #)

-- The offset of the old byte that a new byte comes from.
originOf :: Run -> Cells -> Env -> ChoicePoint -> Int -> Int -> IO Int
originOf translate c env point steps k = do
  -- Where it was written, before fields were moved.
  again
  place <- newOut c freeBytes maxBound $ \out -> do
    r <- caught c env (attempt out)
    case r of
      Right () -> sourceOf out k
      -- It did not fail the first time.
      Left _ -> pure 0
  again
  newOut c freeBytes place $ \out@(Out o _ _) -> do
    r <- caught c env (attempt out)
    case r of
      Right () -> position c
      Left HasFailed -> do
        at <- getInt o outSource
        pure (if at >= 0 then at else pointOffset point)
      Left stop -> failAgain stop
  where
    attempt out = Get (\c' env' -> unIO (translate c' env' out))
    again = goBack c env point >> putInt (budgetCells c env) stepsCell steps
