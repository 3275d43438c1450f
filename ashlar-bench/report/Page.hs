-- |
-- Module      : Page
-- Description : The report as a page
module Page (page) where

import Data.List (isInfixOf, nub)
import Draw (colours)
import Exhibits
import Html
import Results
import Statistics
import Text.Printf (printf)

-- Of this class: "wide" tables scroll, "short" ones wrap.
table :: String -> String -> [String] -> [[String]] -> Html
table kind caption header rows =
  element
    "div"
    [("class", kind)]
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
            element "body" [] (concat [heading, behind, inShort, explained, families])
          ]
      )
    ++ "\n"
  where
    heading =
      element "h1" [] [text "Ashlar: measurements"] :
        [element "p" [] [text (reportName r ++ ". " ++ reportMachine r ++ ".")] | r <- reports]
    explained =
      element "h2" [] [text "How it was measured"] : [element "p" [] [text p] | p <- method]
    behind = element "h2" [] [text "Where Ashlar is slower"] : concatMap slower reports
    slower r =
      element "p" [] [text (reportName r ++ ": " ++ lossesSaid r ++ ".")] :
      [ table "short" ("Slower than a competitor: " ++ reportName r) lossHeader (take 10 lost)
        | not (null lost)
      ]
        ++ [ element
               "details"
               []
               [ element "summary" [] [text (printf "%d more" (length lost - 10))],
                 table "short" ("The others: " ++ reportName r) lossHeader (drop 10 lost)
               ]
             | length lost > 10
           ]
      where
        lost =
          [ [printf "%.2f" (ratioBest q), ratioLibrary q, resultName x, range q]
            | (x, q) <- losses (reportResults r)
          ]
    lossHeader = ["ours / theirs", "competitor", "workload", "runs"]
    inShort =
      [ element "h2" [] [text "In short"],
        uncurry
          (table "short" "Geometric means of our time divided by a competitor's")
          (summaries reports)
      ]
    families = narrow ++ concatMap section (sections reports)
    narrow =
      [ element
          "p"
          []
          [ text
              "No figures of 32-bit x86 here. On a Debian machine, COMPILERS=bookworm/i386 \
              \make bench-report adds them."
          ]
        | not (any (("i386" `isInfixOf`) . reportName) reports)
      ]
    section (Section title each) = element "h2" [] [text title] : concatMap exhibit each
    exhibit e =
      [ element "h3" [] [text (exhibitTitle e)],
        if exhibitIsHigh e
          then element "details" [] [element "summary" [] [text "The picture"], figure e]
          else figure e,
        element
          "details"
          []
          [ element "summary" [] [text "The figures"],
            table "wide" (exhibitTitle e) (exhibitHeader e) (exhibitRows e)
          ]
      ]
    figure e =
      element
        "figure"
        []
        ( exhibitPicture e :
            [element "figcaption" [] [text (exhibitNote e)] | not (null (exhibitNote e))]
        )
    method =
      [ "Less than 1 is faster. All libraries take turns at a workload in one process, up to 30 \
        \rounds of at least a millisecond. \8220Time\8221 is the CPU time of the fastest round, \
        \because all that disturbs a round makes it slower, and \8220ours / theirs\8221 is the \
        \quotient of two such times. Each workload runs in several processes, as a quotient also \
        \depends on where a process has its code and its data: \8220runs\8221 is the range. The \
        \boxes show how the rounds differ. criterion fits a line through the rounds of one library \
        \after the other, so that other load on the machine counts against some: the \
        \benchmark \8220criterion\8221 runs the same work so.",
        "Allocation is Haskell's. The peak is that of a process that does the work once. Programs \
        \of other languages are measured whole, less their start."
      ]

-- How often a competitor is faster, in words.
lossesSaid :: Report -> String
lossesSaid r
  | lost == 0 = printf "nowhere, in %d workloads with a competitor" compared
  | otherwise = printf "in %d of %d workloads with a competitor, the worst first" lost compared
  where
    lost = length (nub (map (key . fst) (losses (reportResults r))))
    compared = length (filter hasCompetitor (reportResults r))
    hasCompetitor x = not (all (isLimit . ratioLibrary) (drop 1 (others x)))
    key x = (resultFamily x, resultName x)

style :: String
style =
  ":root{color-scheme:light dark}\
  \body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:auto;padding:0 1rem;\
  \background:#fff;color:#1b1f24}\
  \figure{margin:0}figure svg{width:100%;max-width:42rem;height:auto}\
  \.wide{overflow-x:auto}table{border-collapse:collapse;font-size:.85rem;\
  \font-variant-numeric:tabular-nums}caption{text-align:left;font-weight:600;padding:.4rem 0}\
  \td,th{text-align:left;padding:.15rem .6rem .15rem 0;border-bottom:1px solid #8884;\
  \vertical-align:top}.wide td,.wide th{white-space:nowrap}.wide td:first-child{white-space:normal;\
  \min-width:12rem}.short{overflow-wrap:break-word}\
  \summary{cursor:pointer;padding:.3rem 0}figcaption{font-size:.85rem;opacity:.8}\
  \@media(prefers-color-scheme:dark){body{background:#14171a;color:#e6e8eb}}"
