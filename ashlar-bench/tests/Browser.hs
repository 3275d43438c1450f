-- |
-- Module      : Browser
-- Description : A page, as Chromium shows it
module Browser (isShown, fitsPhones) where

import Control.Exception (bracket)
import Control.Monad (forM_)
import Data.List (isInfixOf, isPrefixOf, tails)
import Exhibits
import Page (page)
import Results
import System.Directory (removeDirectoryRecursive)
import System.Exit (ExitCode (..))
import System.FilePath ((</>))
import System.Process (readProcess, readProcessWithExitCode)
import Test.Tasty.HUnit

-- | Chromium loads the page, which needs nothing else, and has every table, row and picture.
isShown :: [Report] -> Assertion
isShown reports = inFolder $ \folder -> do
  let html = page reports
  forM_ ["src=", "href=", "url(", "@import", "<script"] $ \word ->
    assertBool ("the page has " ++ word) (not (word `isInfixOf` html))
  dom <- domOf folder [] html
  let exhibits = concatMap sectionExhibits (sections reports)
      has s = assertBool ("missing: " ++ s) (s `isInfixOf` dom)
      short = snd (summaries reports)
  forM_ (sections reports) $ \s -> has ("<h2>" ++ shown (sectionTitle s) ++ "</h2>")
  forM_ exhibits $ \e -> do
    has ("<title>" ++ shown (exhibitTitle e) ++ "</title><desc>")
    has ("<caption>" ++ shown (exhibitTitle e) ++ "</caption>")
    forM_ (exhibitHeader e : exhibitRows e) $ \cells -> do
      let line tag = concat ["<" ++ tag ++ ">" ++ shown c ++ "</" ++ tag ++ ">" | c <- cells]
      has (line (if cells == exhibitHeader e then "th" else "td"))
  forM_ short $ \cells -> has (concat ["<td>" ++ shown c ++ "</td>" | c <- cells])
  has ">GB/s, more is faster (logarithmic)</text>"
  assertBool "losses come first" (comesBefore "Where Ashlar is slower" "<svg" dom)
  forM_ (filter (not . null . exhibitNote) exhibits) $ \e ->
    has ("<figcaption>" ++ shown (exhibitNote e) ++ "</figcaption>")
  assertBool "a picture has a note" (not (all (null . exhibitNote) exhibits))
  occurrences "<svg " dom @?= length exhibits
  occurrences "<table>" dom @?= length exhibits + length (filter loses reports) + 1
  occurrences "<h2>Where Ashlar is slower</h2>" dom @?= 1
  assertBool "there is something to show" (length exhibits >= 4 && length short >= 3)
  where
    loses r = any (("<script>" `isInfixOf`) . resultName) (reportResults r)

-- | On a narrow screen, the page scrolls down only: what is wider scrolls by itself.
fitsPhones :: [Report] -> Assertion
fitsPhones reports = inFolder $ \folder -> do
  dom <- domOf folder ["--window-size=390,844"] (page reports ++ script)
  case [drop 12 t | t <- tails dom, "data-width=\"" `isPrefixOf` t] of
    t : _ | [screen, content] <- words (takeWhile (/= '"') t) -> do
      assertBool ("a narrow screen: " ++ screen) (read screen <= (500 :: Int))
      read content @?= (read screen :: Int)
    _ -> assertFailure "no width"
  where
    script =
      "<script>document.querySelectorAll('details').forEach(d=>{d.open=true});\
      \const e=document.documentElement;\
      \document.body.dataset.width=e.clientWidth+' '+e.scrollWidth</script>"

inFolder :: (FilePath -> IO a) -> IO a
inFolder = bracket temporary removeDirectoryRecursive
  where
    temporary = concat . lines <$> readProcess "mktemp" ["-d"] ""

-- A page as Chromium has it after loading.
domOf :: FilePath -> [String] -> String -> IO String
domOf folder options html = do
  writeUtf8 (folder </> "index.html") html
  (code, dom, said) <-
    readProcessWithExitCode
      "timeout"
      ( ["--kill-after=5", "120", "chromium", "--headless", "--no-sandbox", "--disable-gpu"]
          ++ ["--disable-dev-shm-usage", "--host-resolver-rules=MAP * ~NOTFOUND"]
          ++ ["--user-data-dir=" ++ folder </> "profile", "--dump-dom"]
          ++ options
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

comesBefore :: String -> String -> String -> Bool
comesBefore first second s = case filter (\t -> any (`isPrefixOf` t) [first, second]) (tails s) of
  found : _ -> first `isPrefixOf` found
  [] -> False
