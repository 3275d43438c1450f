{-# LANGUAGE DerivingStrategies #-}
{-# OPTIONS_GHC -O1 #-}

-- |
-- Module      : Search
-- Description : Mutates what reaches new parts of the library
--
-- Each target has a corpus: inputs that reached something that no earlier one had reached. A round
-- mutates some of them. An input for which something does not hold is a finding, which is minimised
-- and written as a regression file.
module Search
  ( Options (..),
    defaultOptions,
    Running (..),
    start,
    rounds,
    outcome,
    minimised,
  )
where

import Control.Concurrent (forkIO, myThreadId, threadDelay)
import Control.Exception
import Control.Monad
import Coverage
import qualified Data.ByteString as S
import Data.IORef
import Data.Int (Int64)
import Data.List (isPrefixOf)
import Data.Maybe (isNothing)
import qualified Data.Sequence as Seq
import Data.Word (Word64)
import GHC.Clock (getMonotonicTime)
import GHC.Conc (disableAllocationLimit, enableAllocationLimit, setAllocationCounter)
import Mutate
import System.CPUTime (getCPUTime)
import System.IO
import Test.QuickCheck (generate)
import Tests.Fuzz.Regression
import Tests.Fuzz.Target

-- | What the command line says.
data Options = Options
  { optionSeconds :: Double,
    -- | The largest size of an input.
    optionSize :: Int,
    -- | Where findings go.
    optionFindings :: FilePath,
    -- | How many bytes a case may allocate, and how many more for each byte of input.
    optionAllocation :: (Int64, Int64)
  }

-- | A minute, and inputs of up to 300 bytes.
defaultOptions :: Options
defaultOptions = Options 60 300 "fuzz/regressions" (30000000, 500000)

-- | A target, what its cases have reached, and its corpus.
data Running = Running
  { target :: Target,
    seen :: Seen,
    corpus :: IORef (Seq.Seq S.ByteString),
    findings :: IORef [Regression]
  }

-- | With nothing reached, given the number of ticks. Without ticks nothing can be new, so all
-- inputs that are known are mutated.
start :: Int -> Target -> [S.ByteString] -> IO Running
start ticks t saved =
  Running t <$> newSeen ticks <*> newIORef (Seq.fromList inputs) <*> newIORef []
  where
    inputs = S.empty : if ticks == 0 then targetSeeds t ++ saved else []

newtype TooLong = TooLong ()
  deriving stock (Show)

instance Exception TooLong

-- | Run rounds until the time is over. Returns the number of cases.
rounds :: Options -> [(Running, [S.ByteString])] -> IO Int
rounds options running = do
  cases <- newIORef 0
  watched <- watch cases
  begin <- getMonotonicTime
  forM_ running $ \(r, saved) -> do
    enterTarget (targetName (target r))
    forM_ (targetSeeds (target r) ++ saved ++ [S.empty]) $ \bs ->
      replicateM_ 4 (runCase options cases r bs)
  let go n = do
        forM_ running $ \(r, _) -> do
          now <- getMonotonicTime
          when (now < begin + optionSeconds options) (aRound options cases r)
        now <- getMonotonicTime
        when (now - begin < optionSeconds options) $ do
          when (n `mod` 8 == (0 :: Int)) $ do
            done <- readIORef cases
            inputs <- sum <$> mapM (fmap length . readIORef . corpus . fst) running
            reported <- sum <$> mapM (fmap length . readIORef . findings . fst) running
            hPutStrLn stderr $
              show (round (now - begin) :: Int) ++ " s: " ++ show done ++ " cases, "
                ++ show inputs
                ++ " inputs, "
                ++ show reported
                ++ " findings"
          go (n + 1)
  go 0
  writeIORef watched False
  readIORef cases

-- Throw at this thread if a case takes five seconds of processor time.
watch :: IORef Int -> IO (IORef Bool)
watch cases = do
  me <- myThreadId
  running <- newIORef True
  stillAlive
  let go before since = do
        threadDelay 1000000
        now <- readIORef cases
        spent <- getCPUTime
        on <- readIORef running
        when on $ do
          stillAlive
          let late = now == before && spent - since > 5000000000000
          when late (throwTo me (TooLong ()))
          go now (if late || now /= before then spent else since)
  _ <- getCPUTime >>= forkIO . go (-1)
  pure running

-- Some cases, and more while they reach something new.
aRound :: Options -> IORef Int -> Running -> IO ()
aRound options cases r = do
  enterTarget (targetName (target r))
  let go n = when (n > (0 :: Int)) $ do
        bs <- nextInput options r
        new <- runCase options cases r bs
        go (if new then n + 16 else n - 1)
  go 32

nextInput :: Options -> Running -> IO S.ByteString
nextInput options r = do
  inputs <- readIORef (corpus r)
  let member = Seq.index inputs <$> below (length inputs)
  kind <- below 64
  case (kind, targetRandom (target r)) of
    (0, _) -> anyBytes
    (1, Just gen) -> generate gen
    (2, Just gen) -> generate gen >>= \bs -> member >>= mutated (optionSize options) bs
    _ -> join (mutated (optionSize options) <$> member <*> member)

-- Does it reach something new?
runCase :: Options -> IORef Int -> Running -> S.ByteString -> IO Bool
runCase options cases r bs = do
  modifyIORef' cases (+ 1)
  seed <- random
  result <- outcome options (target r) seed bs
  (news, _) <- takeTicks (Just (seen r))
  mapM_ (found options r seed bs) result
  when (news > 0 && isNothing result) $ modifyIORef' (corpus r) (Seq.|> bs)
  pure (news > 0)

-- | What is wrong with the case, if anything is.
outcome :: Options -> Target -> Word64 -> S.ByteString -> IO (Maybe String)
outcome options t seed bs = do
  let (constant, each) = optionAllocation options
  setAllocationCounter (constant + each * fromIntegral (S.length bs))
  enableAllocationLimit
  result <- try (enterCase bs (check seed t bs))
  disableAllocationLimit
  case result of
    Right problem -> pure problem
    Left e -> case (fromException e, fromException e, fromException e) of
      (Just AllocationLimitExceeded, _, _) -> pure (Just "allocates too much")
      (_, Just (TooLong ()), _) -> pure (Just "takes too long")
      (_, _, Just UserInterrupt) -> throwIO UserInterrupt
      _ -> pure (Just ("throws " ++ takeWhile (/= '\n') (show e)))

found :: Options -> Running -> Word64 -> S.ByteString -> String -> IO ()
found options r seed bs problem = do
  known <- readIORef (findings r)
  unless (any ((== problem) . regressionProblem) known || length known > 4) $ do
    hPutStrLn stderr (targetName (target r) ++ ": " ++ problem ++ ": " ++ show bs)
    smaller <- minimised (fails problem) bs
    let regression = Regression (targetName (target r)) problem seed smaller
    modifyIORef (findings r) (regression :)
    hPutStrLn stderr ("  minimised: " ++ show smaller)
    writeRegression (optionFindings options) regression
  where
    fails what input =
      maybe False (takeWhile (/= ':') what `isPrefixOf`) <$> outcome options (target r) seed input

-- | Shorter bytes, and more zeros among them, for which this is still true. Tries a few thousand.
minimised :: (S.ByteString -> IO Bool) -> S.ByteString -> IO S.ByteString
minimised holds = shorter 1024
  where
    shorter size bs
      | size == 0 = simpler 0 bs
      | otherwise = without size 0 bs >>= shorter (size `div` 2)
    without :: Int -> Int -> S.ByteString -> IO S.ByteString
    without size at bs
      | at >= S.length bs = pure bs
      | otherwise = do
        let candidate = S.take at bs <> S.drop (at + size) bs
        ok <- holds candidate
        if ok then without size at candidate else without size (at + size) bs
    simpler at bs
      | at >= S.length bs = pure bs
      | S.index bs at == 0 = simpler (at + 1) bs
      | otherwise = do
        let candidate = S.take at bs <> S.cons 0 (S.drop (at + 1) bs)
        ok <- holds candidate
        simpler (at + 1) (if ok then candidate else bs)
