-- |
-- Module      : Page
-- Description : The report as a page
module Page
  ( page,
    Section (..),
    sections,
    summaryRows,
    Exhibit (..),
  )
where

import Data.List (nub, sortOn)
import Draw
import Html
import Results
import Statistics
import Text.Printf (printf)

-- | A picture with its table.
data Exhibit = Exhibit
  { exhibitTitle :: String,
    exhibitPicture :: Html,
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
  [rowExhibit (title ++ ": ratios") rows | not (null rows)]
    ++ [ curveExhibit t axis (points t axis)
         | (t, axis) <- nub [(t, a) | r <- results, Curve t a _ <- [resultPicture r]]
       ]
    ++ [barExhibit r | r <- results, resultPicture r == Bars]
  where
    rows = [r | r <- results, resultPicture r == Row]
    points t axis =
      [(x, r) | r <- results, Curve t' a x <- [resultPicture r], (t', a) == (t, axis)]

rowExhibit :: String -> [Result] -> Exhibit
rowExhibit title results =
  Exhibit title picture detailHeader $
    concatMap detailed results
  where
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
  ["workload", "library", "time", "speed", "ours / theirs", "runs", "allocated", "peak", "output"]

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
      maybe "" (amount . fromIntegral) (libraryOutput l)
    ]
    | (ours, l, x) <- zip3 (True : repeat False) (resultLibraries r) (others r)
  ]

-- Of the ratios of the runs.
range :: Ratio -> String
range = uncurry (printf "%.2f to %.2f") . ratioRange

curveExhibit :: String -> String -> [(Double, Result)] -> Exhibit
curveExhibit title axis points =
  Exhibit title picture (axis : concat [[l, l ++ ", ours / this"] | l <- libraries]) rows
  where
    libraries = nub (concatMap (map libraryName . resultLibraries . snd) points)
    sorted = sortOn fst points
    times r = [(ratioLibrary x, x) | x <- others r]
    picture =
      curves
        title
        (axis, count)
        ("time", duration)
        [ Series l [(x, ratioTime t) | (x, r) <- sorted, Just t <- [lookup l (times r)]]
          | l <- libraries
        ]
    rows = [count x : concat [cells (lookup l (times r)) | l <- libraries] | (x, r) <- sorted]
    cells = maybe ["", ""] (\t -> [duration (ratioTime t), printf "%.2f" (ratioBest t)])

barExhibit :: Result -> Exhibit
barExhibit r =
  Exhibit
    (resultName r)
    (bars (resultName r) "time" duration [(ratioLibrary x, ratioTime x) | x <- others r])
    detailHeader
    (detailed r)

duration :: Double -> String
duration t
  | t < 1000 = digits t ++ " ns"
  | t < 1.0e6 = digits (t / 1.0e3) ++ " \181s"
  | t < 1.0e9 = digits (t / 1.0e6) ++ " ms"
  | otherwise = digits (t / 1.0e9) ++ " s"

amount :: Double -> String
amount b
  | b < 1000 = digits b ++ " B"
  | b < 1.0e6 = digits (b / 1.0e3) ++ " kB"
  | b < 1.0e9 = digits (b / 1.0e6) ++ " MB"
  | otherwise = digits (b / 1.0e9) ++ " GB"

count :: Double -> String
count x
  | x < 1000 = digits x
  | x < 1.0e6 = digits (x / 1.0e3) ++ "k"
  | x < 1.0e9 = digits (x / 1.0e6) ++ "M"
  | otherwise = digits (x / 1.0e9) ++ "G"

table :: String -> [String] -> [[String]] -> Html
table caption header rows =
  element
    "div"
    [("class", "scroll")]
    [ element
        "table"
        []
        [ element "caption" [] [text caption],
          element "thead" [] [row "th" header],
          element "tbody" [] (map (row "td") rows)
        ]
    ]
  where
    row cell cells = element "tr" [] [element cell [] [text c] | c <- cells]

-- | The page, complete in itself.
page :: [Report] -> String
page reports =
  "<!DOCTYPE html>\n"
    ++ render
      ( element
          "html"
          [("lang", "en")]
          [ element
              "head"
              []
              [ raw "<meta charset=\"utf-8\">",
                raw "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">",
                raw "<meta name=\"color-scheme\" content=\"light dark\">",
                element "title" [] [text "Ashlar: measurements"],
                element "style" [] [raw (style ++ colours)]
              ],
            element "body" [] (concat [heading, behind, inShort, families])
          ]
      )
    ++ "\n"
  where
    heading =
      element "h1" [] [text "Ashlar: measurements"] :
      [element "p" [] [text (reportName r ++ ". " ++ reportMachine r ++ ".")] | r <- reports]
        ++ [element "p" [] [text method]]
    behind =
      element "h2" [] [text "Where Ashlar is slower"] :
        [ if null lost
            then element "p" [] [text ("Nowhere on " ++ reportName r ++ ".")]
            else
              table
                ("Slower than a competitor: " ++ reportName r)
                ["workload", "competitor", "ours / theirs", "runs"]
                lost
          | r <- reports,
            let lost =
                  [ [resultName x, ratioLibrary q, printf "%.2f" (ratioBest q), range q]
                    | (x, q) <- losses (reportResults r)
                  ]
        ]
    inShort =
      [ element "h2" [] [text "In short"],
        table
          "Geometric means of our time divided by a competitor's"
          ["family", "compiler", "ratios", "geometric mean", "worst", "workload"]
          (summaryRows reports)
      ]
    families = concatMap section (sections reports)
    section (Section title each) = element "h2" [] [text title] : concatMap exhibit each
    exhibit e =
      [ element "h3" [] [text (exhibitTitle e)],
        element "figure" [] [exhibitPicture e],
        element
          "details"
          []
          [ element "summary" [] [text "The figures"],
            table (exhibitTitle e) (exhibitHeader e) (exhibitRows e)
          ]
      ]
    method =
      "Less than 1 is faster. All libraries take turns at a workload in one process; the least CPU \
      \time counts, of several processes where \8220runs\8221 shows a range. Allocation is \
      \Haskell's. The peak is that of a process that does the work once. Programs of other \
      \languages are measured whole, less their start."

-- | For each family and compiler: the number of ratios, their mean, and the worst of them.
summaryRows :: [Report] -> [[String]]
summaryRows reports =
  [ [ family,
      reportName report,
      show (summaryCount s),
      printf "%.2f" (summaryMean s),
      printf "%.2f, %s" (ratioBest worst) (ratioLibrary worst),
      name
    ]
    | (family, each) <- byFamily reports,
      (report, results) <- zip reports each,
      Just s <- [summary results],
      let (name, worst) = summaryWorst s
  ]

style :: String
style =
  ":root{color-scheme:light dark}\
  \body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:auto;padding:0 1rem;\
  \background:#fff;color:#1b1f24}\
  \figure{margin:0;overflow-x:auto}figure svg{width:100%;min-width:34rem;height:auto}\
  \.scroll{overflow-x:auto}table{border-collapse:collapse;font-size:.85rem;\
  \font-variant-numeric:tabular-nums}caption{text-align:left;font-weight:600;padding:.4rem 0}\
  \td,th{text-align:left;padding:.15rem .6rem .15rem 0;border-bottom:1px solid #8884;\
  \white-space:nowrap}td:first-child{white-space:normal;min-width:14rem}\
  \summary{cursor:pointer;padding:.3rem 0}\
  \@media(prefers-color-scheme:dark){body{background:#14171a;color:#e6e8eb}}"
