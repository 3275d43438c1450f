-- |
-- Module      : Main
-- Description : Coverage-guided fuzzing
--
-- Built with GHC's program coverage (@scripts/fuzz --guided@). Without it, the program runs the
-- same cases, faster, but nothing guides it: it mutates the inputs that a guided run has saved.
module Main (main) where

import Control.Exception (evaluate)
import Control.Monad
import Cost
import Coverage
import qualified Data.ByteString as S
import qualified Data.ByteString.Char8 as C
import Data.Foldable (toList)
import Data.IORef
import Data.List (isInfixOf)
import qualified Data.Map as Map
import OneInput
import Search
import System.Environment (getArgs)
import System.Exit
import System.IO
import Tests.Fuzz.Target

-- The options, and what they are without any.
data Arguments = Arguments
  { options :: Options,
    only :: String,
    seed :: Int,
    mixFolder :: FilePath,
    listUnreached :: Bool,
    costTries :: Maybe Int,
    loadFrom, saveTo :: Maybe FilePath
  }

usage :: String
usage =
  unlines
    [ "usage: fuzz [OPTION]...",
      "  --seconds N      for so long; the default is 60",
      "  --only TEXT      only targets with this in their names",
      "  --seed N         of the random numbers",
      "  --size N         the largest size of an input; the default is 300",
      "  --findings DIR   where findings are written; the default is fuzz/regressions",
      "  --load FILE      begin with these inputs, too",
      "  --save FILE      write the corpus",
      "  --mix DIR        where the compiler has written what each tick is",
      "  --unreached      list what was not reached",
      "  --cost N         search for the most expensive inputs instead, N for each target and size"
    ]

parse :: [String] -> Arguments -> Maybe Arguments
parse args a = case args of
  [] -> Just a
  "--unreached" : more -> parse more a {listUnreached = True}
  "--cost" : s : more | Just n <- number s -> parse more a {costTries = Just n}
  "--only" : s : more -> parse more a {only = s}
  "--mix" : s : more -> parse more a {mixFolder = s}
  "--load" : s : more -> parse more a {loadFrom = Just s}
  "--save" : s : more -> parse more a {saveTo = Just s}
  "--findings" : s : more -> parse more a {options = (options a) {optionFindings = s}}
  "--seconds" : s : more
    | Just n <- number s -> parse more a {options = (options a) {optionSeconds = n}}
  "--size" : s : more | Just n <- number s -> parse more a {options = (options a) {optionSize = n}}
  "--seed" : s : more | Just n <- number s -> parse more a {seed = n}
  _ -> Nothing
  where
    number s = case reads s of
      [(n, "")] -> Just n
      _ -> Nothing

main :: IO ()
main = do
  hSetBuffering stderr LineBuffering
  args <- getArgs
  case parse args (Arguments defaultOptions "" 1 ".hpc" False Nothing Nothing Nothing) of
    Nothing -> hPutStr stderr usage >> exitWith (ExitFailure 2)
    Just a -> fuzz a

fuzz :: Arguments -> IO ()
fuzz a = do
  ticks <- startCoverage
  seedRandom (fromIntegral (seed a))
  deadlyCases (optionFindings (options a) ++ "/deadly.txt")
  let targets = [t | t <- allTargets, only a `isInfixOf` targetName t]
  when (null targets) (die ("no target has " ++ only a ++ " in its name"))
  forM_ (costTries a) $ \n -> costs n targets >> exitSuccess
  saved <- maybe (pure Map.empty) load (loadFrom a)
  _ <- evaluate (sum (map S.length (concat (Map.elems saved))))
  running <- forM targets $ \t -> do
    let inputs = Map.findWithDefault [] (targetName t) saved
    r <- start ticks t inputs
    pure (r, inputs)
  cases <- rounds (options a) running
  forM_ (saveTo a) $ \file -> writeFile file "" >> mapM_ (save file . fst) running
  when (ticks > 0) (report (mixFolder a) (listUnreached a))
  found <- concat <$> mapM (readIORef . findings . fst) running
  putStrLn $
    show cases ++ " cases of " ++ show (length running) ++ " targets, "
      ++ show (length found)
      ++ " findings"
  unless (null found) exitFailure

-- A line for each input: the target and the bytes, as Haskell shows them.
load :: FilePath -> IO (Map.Map String [S.ByteString])
load file = do
  text <- readFile file
  pure . Map.fromListWith (flip (++)) $
    [(name, [C.pack bs]) | line <- lines text, (name, bs) <- [read line]]

save :: FilePath -> Running -> IO ()
save file r = do
  inputs <- toList <$> readIORef (corpus r)
  appendFile file (unlines [show (targetName (target r), C.unpack bs) | bs <- inputs])
