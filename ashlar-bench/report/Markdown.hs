-- |
-- Module      : Markdown
-- Description : Reports as tables in Markdown
module Markdown
  ( tables,
    summaryTable,
    readmePictures,
    between,
  )
where

import Data.Char (isDigit)
import Data.List (intercalate, isPrefixOf, nub, transpose)
import Draw (Theme (..))
import Exhibits
import Html (escape)
import Results
import Statistics
import Text.Printf (printf)

-- | A table for each family, with a column for each report, and one of geometric means.
--
-- Workloads that differ in one number share a row, with the figures in their order.
tables :: [Report] -> String
tables reports = unlines (intercalate [""] (meanTable : map familyTable (byFamily reports)))
  where
    columns = map reportName reports
    header first = [row (first : columns), row ("---" : map (const "---") columns)]
    familyTable (family, results) =
      ("### " ++ family) :
      "" :
      header "work"
        ++ [ row (rowName names : map (cell names) results)
             | names <- merged (nub (concatMap (map resultName) results))
           ]
    cell names results = figures [r | name <- names, r <- results, resultName r == name]
    -- Our own rows compare two ways of ours.
    meanTable =
      "### Geometric means of all workloads" :
      "" :
      header "library"
        ++ [ row (library : map (meanOf library) allMeans)
             | library <- nub [l | ms <- allMeans, (l, n, _) <- ms, n >= 3],
               take 6 library /= "ashlar"
           ]
      where
        allMeans = map (means . reportResults) reports
    meanOf library ms =
      concat [printf "%s, %d workloads" (quotient m) n | (l, n, m) <- ms, l == library]

-- | The summary of the README: for each family the mean for each compiler, and the worst of all.
-- After it the pictures, each with its title and its files for light and for dark pages. Hackage
-- shows the README, too, so the files have whole addresses.
summaryTable :: [Report] -> [(String, [(Theme, FilePath)])] -> String
summaryTable reports pictures =
  unlines $
    row header :
    row (map (const "---") header) :
    map row rows ++ concatMap shown pictures
  where
    (header, rows) = summaries reports
    shown (title, files) =
      ["", title ++ ":", "", "<picture>"]
        ++ [ "  <source media=\"(prefers-color-scheme: dark)\" srcset=\"" ++ path ++ "\">"
             | (Dark, path) <- files
           ]
        ++ [ "  <img alt=\"" ++ escape title ++ "\" src=\"" ++ path ++ "\">"
             | (Light, path) <- files
           ]
        ++ ["</picture>"]

-- | The two pictures of the README, with the names of their files, without what tells the themes
-- apart: those of two titles, or others where they are missing.
readmePictures :: [Section] -> [(FilePath, Exhibit)]
readmePictures each = zip ["benchmark-1", "benchmark-2"] (favourites ++ rest)
  where
    (favourites, rest) =
      ( concat [take 1 (filter ((== title) . exhibitTitle) exhibits) | title <- titles],
        filter ((`notElem` titles) . exhibitTitle) exhibits
      )
    titles = ["Encode a Vector of SomeData", "Decode a Vector of SomeData"]
    exhibits = concatMap sectionExhibits each

-- | Replace the lines between two that begin so. Text without them stays as it is.
between :: (String, String) -> String -> String -> String
between (start, end) new old = unlines (go (lines old))
  where
    go ls = case break (start `isPrefixOf`) ls of
      (before, opening : after)
        | (_, closing : rest) <- break (end `isPrefixOf`) after ->
          before ++ opening : "" : lines new ++ "" : closing : rest
      _ -> ls

row :: [String] -> String
row cells = "| " ++ intercalate " | " cells ++ " |"

-- Adjacent names that differ in one number, and in the same one.
merged :: [String] -> [[String]]
merged = foldr add []
  where
    add name groups = case groups of
      group@(next : _) : rest
        | alike (name : group) -> (name : group) : rest
        | otherwise -> [name] : (next : drop 1 group) : rest
      _ -> [name] : groups
    alike names =
      let columns = transpose (map words names)
          differing = filter ((> 1) . length . nub) columns
       in length (nub (map (length . words) names)) == 1
            && length differing == 1
            && all (all isNumber) differing
    isNumber word = not (null word) && all isDigit (filter (/= ',') word)

rowName :: [String] -> String
rowName names = unwords (map joined (transpose (map words names)))
  where
    joined column = case nub column of
      [word] -> word
      different -> intercalate " / " (map (filter (/= ',')) different) ++ comma different
    comma different = if any (elem ',') different then "," else ""

-- Our speed where it is known, and our time divided by that of each other library.
figures :: [Result] -> String
figures results = intercalate ", " (ours ++ map ratios libraries)
  where
    libraries = nub [ratioLibrary r | x <- results, r <- drop 1 (others x)]
    ours = [s | s <- [intercalate " / " (filter (not . null) (map ourSpeed results))], not (null s)]
    ourSpeed x = concat [speed (resultSize x) (ratioTime r) | r <- take 1 (others x)]
    ratios library =
      library ++ " "
        ++ intercalate
          " / "
          [shown r | x <- results, r <- drop 1 (others x), ratioLibrary r == library]
    shown r = quotient (ratioBest r) ++ spread (ratioRange r)
    -- Where the runs differ by more than a fifth.
    spread (least, greatest)
      | greatest > 1.2 * least = " (" ++ quotient least ++ " to " ++ quotient greatest ++ ")"
      | otherwise = ""

quotient :: Double -> String
quotient x
  | x < 0.005 = "0.00"
  | otherwise = printf "%.2f" x
