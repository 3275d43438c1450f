-- |
-- Module      : Main
-- Description : Results as pages, tables and comparisons
module Main (main) where

import Compare
import Data.Char (toLower)
import Draw (alone)
import Exhibits
import Markdown
import Page
import Results
import System.Directory (createDirectoryIfMissing)
import System.Environment (getArgs)
import System.Exit (die, exitFailure)
import System.FilePath ((</>))
import System.IO (hSetEncoding, stdout, utf8)

main :: IO ()
main = do
  hSetEncoding stdout utf8
  arguments <- getArgs
  case arguments of
    "page" : folder : paths@(_ : _) -> do
      reports <- readAll paths
      createDirectoryIfMissing True folder
      writeReports (folder </> "results.json") reports
      writeUtf8 (folder </> "results.csv") (csv reports)
      writeUtf8 (folder </> "index.html") (page reports)
    ["compare", old, new] -> do
      (said, slower) <- compared <$> readReports old <*> readReports new
      putStr said
      if slower then exitFailure else pure ()
    ["readme", readme, folder, path] -> do
      reports <- readReports path
      pictures <- mapM (write folder) (readmePictures (sections reports))
      rewrite readme "summary" (summaryTable reports pictures)
      rewrite (folder </> "benchmarks.md") "tables" (tables reports)
    _ ->
      die
        "usage: ashlar-report page FOLDER RESULTS...\n\
        \       ashlar-report compare OLD NEW\n\
        \       ashlar-report readme README FOLDER RESULTS"
  where
    readAll paths = together . concat <$> mapM readReports paths
    rewrite path name new = do
      old <- readUtf8 path
      length old `seq` writeUtf8 path (between (markers name) new old)
    markers name =
      ( "<!-- " ++ name ++ ": make bench-readme writes from here",
        "<!-- end of the " ++ name ++ " -->"
      )
    write folder (name, e) = do
      files <- mapM (writeTheme folder name (exhibitPicture e)) [minBound ..]
      pure (exhibitTitle e, files)
    writeTheme folder name picture theme = do
      let path = folder </> name ++ "-" ++ map toLower (show theme) ++ ".svg"
      writeUtf8 path (alone theme picture)
      pure (theme, path)
