-- |
-- Module      : Exhibits
-- Description : What the report shows of each family
module Exhibits
  ( Exhibit (..),
    Section (..),
    sections,
    summaries,
    range,
  )
where

import Data.List (intercalate, nub, sortOn, transpose)
import Data.List.NonEmpty (NonEmpty (..))
import Draw
import Html
import Published
import Results
import Statistics
import Text.Printf (printf)

-- | A picture with its table.
data Exhibit = Exhibit
  { exhibitTitle :: String,
    exhibitPicture :: Html,
    -- | Is the picture higher than a screen?
    exhibitIsHigh :: Bool,
    -- | What must be known to read it.
    exhibitNote :: String,
    exhibitHeader :: [String],
    exhibitRows :: [[String]]
  }

-- | A family in one report.
data Section = Section
  { sectionTitle :: String,
    sectionExhibits :: [Exhibit]
  }

-- | All pictures and tables, in their order.
sections :: [Report] -> [Section]
sections reports =
  [ Section title (exhibits title results)
    | (family, each) <- byFamily reports,
      (report, results) <- zip reports each,
      not (null results),
      let title = if length reports > 1 then family ++ " (" ++ reportName report ++ ")" else family
  ]

exhibits :: String -> [Result] -> [Exhibit]
exhibits title results =
  notedOnce $
    [rowExhibit (title ++ ": ratios") rows | not (null rows)]
      ++ concat
        [ curveExhibit t axis points :
            [boxExhibit t axis points | any (isBoxes . resultPicture . snd) points]
          | (t, axis) <- nub [(t, a) | r <- results, Just (t, a, _) <- [place r]],
            let points = [(x, r) | r <- results, Just (t', a, x) <- [place r], (t', a) == (t, axis)]
        ]
      ++ [barExhibit r | r <- results, resultPicture r == Bars]
  where
    rows = [r | r <- results, resultPicture r == Row]
    place r = case resultPicture r of
      Curve t a x -> Just (t, a, x)
      Boxes t a x -> Just (t, a, x)
      _ -> Nothing
    isBoxes p = case p of
      Boxes {} -> True
      _ -> False

-- Without notes that stand above.
notedOnce :: [Exhibit] -> [Exhibit]
notedOnce = go []
  where
    go seen each = case each of
      e : rest
        | exhibitNote e `elem` seen -> e {exhibitNote = ""} : go seen rest
        | otherwise -> e : go (exhibitNote e : seen) rest
      [] -> []

rowExhibit :: String -> [Result] -> Exhibit
rowExhibit title results = Exhibit title picture (length results > 20) "" header rows
  where
    (header, rows) = filled (detailHeader, concatMap detailed results)
    libraries = nub (concatMap (map ratioLibrary . drop 1 . others) results)
    picture =
      dots title "our time divided by theirs" libraries $
        [ Mark
            (resultName r)
            [ (i, ratioBest x, ratioRange x)
              | x <- drop 1 (others r),
                (i, l) <- zip [0 ..] libraries,
                l == ratioLibrary x
            ]
          | r <- results
        ]

detailHeader :: [String]
detailHeader =
  ["workload", "library", "time", "speed", "ours / theirs", "runs", "allocated", "peak"]
    ++ ["output", "zlib'd"]

-- A line for each library.
detailed :: Result -> [[String]]
detailed r =
  [ [ if ours then resultName r else "",
      libraryName l,
      duration (ratioTime x),
      speed (resultSize r) (ratioTime x),
      if ours then "" else printf "%.2f" (ratioBest x),
      if ours then "" else range x,
      maybe "" amount (libraryAllocated l),
      maybe "" amount (libraryPeak l),
      maybe "" whole (libraryOutput l),
      maybe "" whole (libraryZlib l)
    ]
    | (ours, l, x) <- zip3 (True : repeat False) (resultLibraries r) (others r)
  ]

-- Without the columns in which nothing stands.
filled :: ([String], [[String]]) -> ([String], [[String]])
filled (header, rows) = (kept header, map kept rows)
  where
    used = map (not . all null) (transpose rows)
    kept cells = [cell | (cell, True) <- zip cells used]

-- Of the ratios of the runs.
range :: Ratio -> String
range r
  | least == greatest = ""
  | otherwise = least ++ "\8211" ++ greatest
  where
    (least, greatest) = both (printf "%.2f") (ratioRange r)
    both f (a, b) = (f a, f b) :: (String, String)

curveExhibit :: String -> String -> [(Double, Result)] -> Exhibit
curveExhibit title axis points =
  Exhibit title picture False "" (axis : concat [[l, l ++ ", ours / this"] | l <- libraries]) rows
  where
    libraries = nub (concatMap (map libraryName . resultLibraries . snd) points)
    sorted = sortOn fst points
    times r = [(ratioLibrary x, x) | x <- others r]
    picture =
      curves
        title
        (axis, count)
        vertical
        [ Series l [(x, height (ratioTime t)) | (x, r) <- sorted, Just t <- [lookup l (times r)]]
          | l <- libraries
        ]
    -- Throughput, where all points are of as many bytes.
    (vertical, height) = case nub (map (resultSize . snd) points) of
      [Bytes n] -> (("GB/s, more is faster", digits), \t -> fromIntegral n / t)
      _ -> (("time", duration), id)
    rows = [count x : concat [cells (lookup l (times r)) | l <- libraries] | (x, r) <- sorted]
    cells = maybe ["", ""] (\t -> [duration (ratioTime t), printf "%.2f" (ratioBest t)])

-- How the rounds differ: all times as quotients with our median.
boxExhibit :: String -> String -> [(Double, Result)] -> Exhibit
boxExhibit title axis points =
  Exhibit boxTitle picture (length rows > 40) "" (axis : "library" : columns) rows
  where
    boxTitle = title ++ ": how the rounds differ"
    columns = ["least", "lower quartile", "median", "upper quartile", "greatest"]
    libraries = nub (concatMap (map libraryName . resultLibraries . snd) points)
    groups =
      [ (count x, [(i, b) | (i, l) <- zip [0 ..] libraries, Just b <- [lookup l boxed]])
        | (x, r) <- sortOn fst points,
          let each = [(libraryName l, b) | l <- resultLibraries r, Just b <- [libraryBox l]],
          ours : _ <- [map (boxMedian . snd) each],
          let boxed = [(l, quotientBox ours b) | (l, b) <- each]
      ]
    picture =
      boxes boxTitle "time divided by our median" digits libraries (map (uncurry Group) groups)
    rows =
      [ name : libraries !! i : map (printf "%.2f" . ($ b)) quantiles
        | (name, each) <- groups,
          (i, b) <- each
      ]
    quantiles = [boxLeast, boxLower, boxMedian, boxUpper, boxGreatest]
    quotientBox by (Box a b c d e) = Box (a / by) (b / by) (c / by) (d / by) (e / by)

barExhibit :: Result -> Exhibit
barExhibit r =
  Exhibit
    (resultName r)
    (bars (resultName r) "time" duration measured (map named theirs))
    False
    (if null theirs then "" else publishedNote)
    header
    rows
  where
    measured = [(ratioLibrary x, ratioTime x) | x <- others r]
    theirs = published (resultName r)
    named p = (publishedLibrary p, publishedTime p)
    (header, rows) = filled (detailHeader, detailed r ++ map row theirs)
    row p =
      ["", publishedLibrary p, duration (publishedTime p), "", "", "", "", ""]
        ++ [whole (publishedOutput p), whole (publishedZlib p)]

-- A number of bytes, exactly.
whole :: Int -> String
whole n = reverse (intercalate "," (pieces (reverse (show n))))
  where
    pieces s = case splitAt 3 s of
      (piece, "") -> [piece]
      (piece, rest) -> piece : pieces rest

duration, amount, count :: Double -> String
duration = inUnits (" ns" :| [" \181s", " ms", " s"])
amount = inUnits (" B" :| [" kB", " MB", " GB"])
count = inUnits ("" :| ["k", "M", "G"])

-- A number of the first unit. Each of the others is a thousand of the one before.
inUnits :: NonEmpty String -> Double -> String
inUnits (unit :| larger) x = case larger of
  next : rest | x >= 1000 -> inUnits (next :| rest) (x / 1000)
  _ -> digits x ++ unit

-- | For each family the mean for each compiler, and the worst of all, with a header.
summaries :: [Report] -> ([String], [[String]])
summaries reports =
  ( "family" : map reportName reports ++ ["worst", "workload"],
    [ family : map mean each ++ [printf "%.2f, %s" (ratioBest ratio) (ratioLibrary ratio), name]
      | (family, each) <- byFamily reports,
        Just (name, ratio) <- [summaryWorst <$> summary (concat each)]
    ]
  )
  where
    mean results = maybe "" (printf "%.2f" . summaryMean) (summary results)
