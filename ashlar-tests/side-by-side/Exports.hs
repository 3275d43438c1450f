-- |
-- Module      : Exports
-- Description : Whether every function of the libraries has a row
--
-- The compiler tells what the modules export. Without one of this version on the path, nothing is
-- tested here.
module Exports (Table (..), complete) where

import Data.Char (isUpper)
import Data.List (isPrefixOf, nub)
import Data.Version (showVersion)
import System.Directory (findExecutable)
import System.Exit (ExitCode (..))
import System.Info (fullCompilerVersion)
import System.Process (readProcessWithExitCode)

-- | Rows for modules of a library.
data Table = Table
  { modules :: [String],
    -- | The names of the rows. The first word of each is a function.
    rowNames :: [String],
    -- | The functions without a row of their own: with the reason.
    without :: [(String, String)]
  }

-- | A line for each function that has no row, and for each exception that needs none.
complete :: [Table] -> IO [String]
complete tables = do
  ghc <- findExecutable "ghc"
  (_, version, _) <- maybe (pure (ExitFailure 1, "", "")) (\g -> run g ["--numeric-version"] "") ghc
  if concat (lines version) /= showVersion fullCompilerVersion
    then pure []
    else do
      (_, out, _) <-
        run "ghc" ["--interactive", "-ignore-dot-ghci", "-v0", "-package-env", "-"] script
      pure (check (functions (lines out)))
  where
    run = readProcessWithExitCode
    script =
      unlines
        (nub (tables >>= modules) >>= \m -> ["putStrLn \"== " ++ m ++ "\"", ":browse " ++ m])
    check exports =
      [ m ++ "." ++ f ++ " has no row"
        | table <- tables,
          (m, f) <- exports,
          m `elem` modules table,
          f `notElem` known table
      ]
        ++ ["only " ++ show (length exports) ++ " exports were found" | length exports < 300]
    known table = concatMap (take 1 . words) (rowNames table) ++ map fst (without table)

-- | The functions in the output of @:browse@, with their modules.
functions :: [String] -> [(String, String)]
functions = go ""
  where
    go m ls = case ls of
      ('=' : '=' : ' ' : m') : more -> go m' more
      l : more
        | " " `isPrefixOf` l || null l || declares l -> go m more
        | otherwise -> (m, unqualified (takeWhile (/= ' ') l)) : go m more
      [] -> []
    declares l = takeWhile (/= ' ') l `elem` ["type", "data", "newtype", "class", "pattern"]
    -- Such as bytestring-0.11.5.3:Data.ByteString.Builder.ASCII.intDec, or (Data.Prim.>*<).
    unqualified name = case break (== ':') name of
      (package, ':' : more) | '-' `elem` package -> unqualified more
      _ -> bare (filter (`notElem` "()") name)
    bare name = case break (== '.') name of
      (c : _, '.' : more) | isUpper c, not (null more) -> bare more
      _ -> name
