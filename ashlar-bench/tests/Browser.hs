-- |
-- Module      : Browser
-- Description : A page, as Chromium shows it
module Browser (isShown) where

import Control.Exception (bracket)
import Control.Monad (forM_)
import Data.List (isInfixOf, isPrefixOf, tails)
import Page
import Results
import System.Directory (removeDirectoryRecursive)
import System.Exit (ExitCode (..))
import System.FilePath ((</>))
import System.Process (readProcess, readProcessWithExitCode)
import Test.Tasty.HUnit

-- | Chromium loads the page, which needs nothing else, and has every table, row and picture.
isShown :: [Report] -> Assertion
isShown reports = bracket temporary removeDirectoryRecursive $ \folder -> do
  let html = page reports
  forM_ ["src=", "href=", "url(", "@import", "<script"] $ \word ->
    assertBool ("the page has " ++ word) (not (word `isInfixOf` html))
  writeUtf8 (folder </> "index.html") html
  dom <- domOf folder
  let exhibits = concatMap sectionExhibits (sections reports)
      has s = assertBool ("missing: " ++ s) (s `isInfixOf` dom)
      summaries = summaryRows reports
  forM_ (sections reports) $ \s -> has ("<h2>" ++ shown (sectionTitle s) ++ "</h2>")
  forM_ exhibits $ \e -> do
    has ("<title>" ++ shown (exhibitTitle e) ++ "</title><desc>")
    has ("<caption>" ++ shown (exhibitTitle e) ++ "</caption>")
    forM_ (exhibitHeader e : exhibitRows e) $ \cells -> do
      let line tag = concat ["<" ++ tag ++ ">" ++ shown c ++ "</" ++ tag ++ ">" | c <- cells]
      has (line (if cells == exhibitHeader e then "th" else "td"))
  forM_ summaries $ \cells -> has (concat ["<td>" ++ shown c ++ "</td>" | c <- cells])
  occurrences "<svg " dom @?= length exhibits
  occurrences "<table>" dom @?= length exhibits + length (filter loses reports) + 1
  occurrences "<h2>Where Ashlar is slower</h2>" dom @?= 1
  assertBool "there is something to show" (length exhibits >= 4 && length summaries >= 4)
  where
    temporary = concat . lines <$> readProcess "mktemp" ["-d"] ""
    loses r = any (("<script>" `isInfixOf`) . resultName) (reportResults r)

-- The page as Chromium has it after loading.
domOf :: FilePath -> IO String
domOf folder = do
  (code, dom, said) <-
    readProcessWithExitCode
      "timeout"
      ( ["--kill-after=5", "120", "chromium", "--headless", "--no-sandbox", "--disable-gpu"]
          ++ ["--disable-dev-shm-usage", "--host-resolver-rules=MAP * ~NOTFOUND"]
          ++ ["--user-data-dir=" ++ folder </> "profile", "--dump-dom"]
          ++ ["file://" ++ folder </> "index.html"]
      )
      ""
  case code of
    ExitSuccess -> pure dom
    ExitFailure n -> assertFailure ("chromium: " ++ show n ++ "\n" ++ said)

-- Text as Chromium writes it.
shown :: String -> String
shown = concatMap $ \c -> case c of
  '&' -> "&amp;"
  '<' -> "&lt;"
  '>' -> "&gt;"
  _ -> [c]

occurrences :: String -> String -> Int
occurrences word = length . filter (word `isPrefixOf`) . tails
