-- |
-- Module      : Main
-- Description : Statistics, pages and comparisons
--
-- Statistics and escaping agree with naive models. A page made from @tests\/results.json@ shows all
-- its tables and pictures in Chromium.
module Main (main) where

import Browser
import Compare
import Data.Aeson (decode, encode)
import Data.Char (isDigit)
import qualified Data.List as List
import Data.Maybe (isJust)
import Draw
import Exhibits
import Html
import Markdown
import Random
import Results
import Statistics
import Test.Tasty
import Test.Tasty.HUnit
import Test.Tasty.QuickCheck
import Text.Printf (printf)

main :: IO ()
main = do
  reports <- readReports "tests/results.json"
  defaultMain . testGroup "report" $
    [ numbers,
      comparisons reports,
      files,
      markup,
      markdown reports,
      testCase "Chromium shows every table and picture" (isShown reports),
      testCase "nothing is wider than a phone" (fitsPhones reports)
    ]

numbers :: TestTree
numbers =
  testGroup
    "statistics"
    [ testProperty "the geometric mean is the root of the product" $
        forAll (resize 20 (listOf1 positive)) $ \xs ->
          geometricMean xs ~= (product xs ** (1 / fromIntegral (length xs))),
      testProperty "the median has as many numbers below as above" $
        forAll (listOf1 positive) $ \xs ->
          let m = median xs
           in length (filter (< m) xs) <= length xs `div` 2
                && length (filter (> m) xs) <= length xs `div` 2
                && m >= minimum xs
                && m <= maximum xs,
      testProperty "the quartiles split each half" $
        forAll (listOf1 positive) $ \xs ->
          let Box least lower middle upper greatest = box xs
              count = fromIntegral . length :: [Double] -> Double
              atMost q part = count (filter part xs) <= q * count xs + 0.25
           in conjoin
                [ least === minimum xs,
                  greatest === maximum xs,
                  middle === median xs,
                  property (least <= lower && lower <= middle && middle <= upper),
                  property (upper <= greatest),
                  property (atMost 0.25 (< lower) && atMost 0.75 (> lower)),
                  property (atMost 0.25 (> upper) && atMost 0.75 (< upper))
                ],
      testProperty "ratios are of the least times" $
        forAll result $ \r ->
          let ours = concatMap libraryTimes (take 1 (resultLibraries r))
           in map ratioBest (others r)
                === [ head' (List.sort ours) / head' (List.sort (libraryTimes l))
                      | l <- resultLibraries r
                    ],
      testProperty "the range has a ratio for each run" $
        forAll result $ \r ->
          let (ours, theirs) = (times 0, times 1)
              times n = concatMap libraryTimes (take 1 (drop n (resultLibraries r)))
              each = List.sort [ours !! i / theirs !! i | i <- [0 .. length ours - 1]]
           in [ratioRange x | x <- take 1 (drop 1 (others r))] === [(head' each, last each)],
      testProperty "a family's summary is of its competitors" $
        forAll (resize 20 (listOf result)) $ \rs ->
          let ratios = concatMap competing rs
           in case summary rs of
                Nothing -> ratios === []
                Just s ->
                  summaryCount s === length ratios
                    .&&. ratioBest (snd (summaryWorst s)) === maximum ratios
                    .&&. summaryMean s
                    ~= (exp (sum (map log ratios)) ** (1 / fromIntegral (length ratios))),
      testProperty "losses are all ratios above 1, the worst first" $
        forAll (resize 20 (listOf result)) $ \rs ->
          map (ratioBest . snd) (losses rs)
            === reverse
              (List.sort [q | q <- concatMap competing rs, q > 1]),
      testProperty "noise is the greatest excess over a least time" $
        forAll library $ \l ->
          noise l
            ~= maximum
              ( 1.05 :
                [t / s | t <- libraryTimes l, s <- libraryTimes l]
                  ++ [m / t | (m, t) <- zip (libraryMedians l) (libraryTimes l)]
              )
            - 1,
      testProperty "the ticks of an axis are inside, from 2 to 9 of them" $
        forAll ((,) <$> positive <*> choose (10, 1.0e9)) $ \(from, factor) ->
          let ts = ticks from (from * factor)
           in counterexample (show ts) $
                all (\t -> t >= from * 0.998 && t <= from * factor * 1.002) ts
                  && length ts `elem` [2 .. 9]
                  && and (zipWith (<) ts (drop 1 ts)),
      testProperty "digits keep a thousandth" $
        forAll (choose (0.001, 1.0e6)) $ \x ->
          all (\c -> isDigit c || c == '.') (digits x)
            && abs (read (padded (digits x)) - x) <= x * 0.006
    ]
  where
    head' = minimum . take 1
    competing r = [ratioBest x | x <- drop 1 (others r), ratioLibrary x /= "memcpy"]
    padded s = if '.' `elem` s then s else s ++ ".0"

comparisons :: [Report] -> TestTree
comparisons reports =
  testGroup
    "comparisons"
    [ testProperty "nothing is slower than itself" $
        forAll report $ \r -> not (any isSlower (changes r r)),
      testProperty "a machine that slows all down changes nothing" $
        forAll report $ \r ->
          forAll (choose (1, 100)) $ \factor ->
            not (any isSlower (changes r (mapReport (const (scaled factor)) r))),
      testProperty "what is slower by twice the noise is found" $
        forAll (report `suchThat` (not . null . reportResults)) $ \r ->
          let slow x = [scaled (1 + 2 * (worst x * worst x)) l | l <- take 1 x] ++ drop 1 x
              worst x = product [1 + noise l | l <- x]
           in all isSlower (changes r (mapLibraries slow r)),
      testProperty "what allocates twice as much is found" $
        forAll (report `suchThat` (not . null . reportResults)) $ \r ->
          let more l = l {libraryAllocated = (* 2) <$> libraryAllocated l}
              grown = mapLibraries (\x -> map more (take 1 x) ++ drop 1 x) r
              matters c = maybe False ((> 100) . fst) (changeAllocated c)
           in map isSlower (changes r grown) === map matters (changes r grown),
      testCase "the same reports" $ snd (compared reports reports) @?= False,
      testCase "a slower report" $
        snd (compared reports (map (mapReport slowest) reports)) @?= True
    ]
  where
    slowest n = if n == 0 then scaled 3 else id

files :: TestTree
files =
  testGroup
    "files"
    [ testProperty "JSON holds all results" $
        forAll (resize 6 (listOf report)) $ \rs -> decode (encode rs) === Just (rs :: [Report]),
      testProperty "CSV holds the names" $
        forAll (resize 6 (listOf report)) $ \rs ->
          map (take 4) (drop 1 (readCsv (csv rs)))
            === [ [reportName r, resultFamily x, resultName x, libraryName l]
                  | r <- rs,
                    x <- reportResults r,
                    l <- resultLibraries x
                ],
      testProperty "reports of a compiler are joined" $
        forAll (resize 6 (listOf report)) $ \rs ->
          List.sort (map reportName (together rs)) === List.nub (List.sort (map reportName rs))
    ]

markup :: TestTree
markup =
  testGroup
    "HTML"
    [ testProperty "escaped text has no markup" $ \s ->
        all (`notElem` "<>\"'") (escape s),
      testProperty "escaped text stands for itself" $
        forAll (listOf (oneof [arbitrary, elements "<>&\"';a#"])) $ \s ->
          unescaped (escape s) === s,
      testProperty "elements nest" $
        forAll (listOf1 (elements "ab<&")) $ \s ->
          render (element "p" [("title", s)] [text s, raw "<br>"])
            === "<p title=\"" ++ escape s ++ "\">" ++ escape s ++ "<br></p>"
    ]

markdown :: [Report] -> TestTree
markdown reports =
  testGroup
    "Markdown"
    [ testCase "what is between two marks is replaced" $
        between ("<!-- a", "<!-- b") "new\n" "x\n<!-- a 1\nold\n<!-- b\ny\n"
          @?= "x\n<!-- a 1\n\nnew\n\n<!-- b\ny\n",
      testProperty "replacing a second time changes nothing" $
        forAll (listOf (elements ["x", "<!-- a", "<!-- b", ""])) $ \ls ->
          let done = between ("<!-- a", "<!-- b") "new" (unlines ls)
           in between ("<!-- a", "<!-- b") "new" done === done,
      testCase "the README has a row for each family with a competitor" $
        List.sort [takeWhile (/= '|') (drop 2 l) | l <- drop 2 (lines (summaryTable reports []))]
          @?= List.sort
            [ family ++ " "
              | (family, each) <- byFamily reports,
                any (isJust . summary) each
            ],
      testProperty "the worst of a row is the worst of all compilers" $
        forAll (resize 4 (listOf1 report)) $ \rs ->
          let worst = [q | r <- rs, (_, x) <- take 1 (losses (reportResults r)), q <- [ratioBest x]]
              table = summaryTable rs []
           in not (null worst)
                ==> property ((printf "%.2f" (maximum worst) ++ ", ") `List.isInfixOf` table),
      testCase "two pictures, each for light and for dark" $
        length (readmePictures (sections reports)) @?= 2,
      testCase "pictures are named by their paths in the repository" $
        let table = summaryTable reports [("P", [(Light, "docs/l.svg"), (Dark, "docs/d.svg")])]
         in map (`List.isInfixOf` table) ["=\"docs/l.svg\"", "=\"docs/d.svg\""] @?= [True, True],
      testCase "a picture that is requested alone is for one theme" $
        case readmePictures (sections reports) of
          (_, e) : _ -> do
            let light = alone Light (exhibitPicture e)
                dark = alone Dark (exhibitPicture e)
            assertBool "the themes differ" (light /= dark)
            assertBool "no other theme" (not (any ("@media" `List.isInfixOf`) [light, dark]))
            assertBool "the light one has light colours" ("#0b62c4" `List.isInfixOf` light)
            assertBool "the dark one has dark colours" ("#6cb2ff" `List.isInfixOf` dark)
          [] -> assertFailure "no picture"
    ]

-- | Equal but for rounding.
(~=) :: Double -> Double -> Property
x ~= y = counterexample (show (x, y)) (abs (x - y) <= 1.0e-9 * max 1 (abs y))

infix 4 ~=

-- Lines and cells of a file of comma-separated values.
readCsv :: String -> [[String]]
readCsv "" = []
readCsv s = cells s
  where
    cells from = case cell from of
      (c, ',' : rest) -> case cells rest of
        line : more -> (c : line) : more
        [] -> [[c, ""]]
      (c, _ : rest) -> [c] : readCsv rest
      (c, "") -> [[c]]
    cell ('"' : rest) = quoted rest
    cell from = break (`elem` ",\n") from
    quoted ('"' : '"' : rest) = let (c, r) = quoted rest in ('"' : c, r)
    quoted ('"' : rest) = ("", rest)
    quoted (x : rest) = let (c, r) = quoted rest in (x : c, r)
    quoted "" = ("", "")

-- What a browser makes of text with entities.
unescaped :: String -> String
unescaped s = case s of
  '&' : rest
    | (entity, ';' : more) <- break (== ';') rest,
      Just c <- lookup entity known ->
      c : unescaped more
  c : rest -> c : unescaped rest
  "" -> ""
  where
    known = [("amp", '&'), ("lt", '<'), ("gt", '>'), ("quot", '"'), ("#39", '\'')]
