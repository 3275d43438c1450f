{-# LANGUAGE DerivingStrategies #-}

-- |
-- Module      : Draw
-- Description : Pictures in SVG
--
-- Each picture has a title and a description for those who cannot see it. Colours are classes,
-- which 'colours' defines, so that one picture serves light and dark pages.
module Draw
  ( Series (..),
    Mark (..),
    curves,
    dots,
    bars,
    Group (..),
    boxes,
    Theme (..),
    alone,
    colours,
    ticks,
    digits,
  )
where

import Data.List (sort)
import Html
import Numeric (showFFloat)
import Results (Box (..))
import Text.Printf (printf)

-- | A name, and points of two positive coordinates.
data Series = Series String [(Double, Double)]

-- | A row of 'dots': a name, and for some series a positive number with its range.
data Mark = Mark String [(Int, Double, (Double, Double))]

-- Narrow enough for a phone, where it must not scroll, and wide enough for a curve.
width :: Double
width = 520

-- Of a picture of this height: everything inside of it.
svg :: String -> String -> Double -> [Html] -> Html
svg title description height content =
  element
    "svg"
    [ ("xmlns", "http://www.w3.org/2000/svg"),
      ("viewBox", "0 0 " ++ number width ++ " " ++ number height),
      ("role", "img"),
      ("aria-label", title)
    ]
    (element "title" [] [text title] : element "desc" [] [text description] : content)

number :: Double -> String
number = printf "%.1f"

label :: String -> Double -> Double -> String -> Html
label anchor x y s =
  element "text" [("x", number x), ("y", number y), ("text-anchor", anchor)] [text s]

line :: String -> (Double, Double) -> (Double, Double) -> Html
line kind (x, y) (x', y') =
  element
    "line"
    [("class", kind), ("x1", number x), ("y1", number y), ("x2", number x'), ("y2", number y')]
    []

series :: Int -> String
series i = "s" ++ show (i `mod` 8)

dot :: Int -> Double -> Double -> String -> Html
dot i x y said =
  element
    "circle"
    [("class", series i), ("cx", number x), ("cy", number y), ("r", "3.5")]
    [element "title" [] [text said]]

-- The names of the series, the first of this number, in rows from this height on. With the height
-- below.
legend :: Int -> Double -> [String] -> (Html, Double)
legend first top names = (mconcat (map entry placed), maximum (top : bottoms))
  where
    placed = go first 20 (top + 16) names
    go _ _ _ [] = []
    go i x y (name : rest)
      | x > 20 && x + long > width - 10 = go i 20 (y + 18) (name : rest)
      | otherwise = (i, x, y, name) : go (i + 1) (x + long) y rest
      where
        long = 26 + 7 * fromIntegral (length name)
    bottoms = [y + 18 | (_, _, y, _) <- placed]
    entry (i, x, y, name) = dot i x (y - 4) name <> label "start" (x + 8) y name

-- | The numbers that an axis of a logarithmic scale shows, from a positive number to a greater one:
-- the powers of ten, or more if these are few.
ticks :: Double -> Double -> [Double]
ticks from to
  | length tens >= 3 = every ((length tens + 7) `div` 8) tens
  | otherwise = filter inside [m * 10 ^^ e | e <- range, m <- [1, 2, 5]]
  where
    range = [floor (logBase 10 from) .. ceiling (logBase 10 to)] :: [Int]
    tens = filter inside [10 ^^ e | e <- range]
    inside x = x >= from * 0.999 && x <= to * 1.001
    every n xs = case xs of
      x : _ -> x : every n (drop n xs)
      [] -> []

-- | Curves with logarithmic axes: a title, what the axes are, how to show numbers of each.
curves :: String -> (String, Double -> String) -> (String, Double -> String) -> [Series] -> Html
curves title (xName, showX) (yName, showY) each =
  svg title description (bottom + 44) (grid ++ zipWith curve [0 ..] each ++ [names, axes])
  where
    description =
      printf
        "%s by %s, on logarithmic scales, for %s."
        yName
        xName
        (commas [name | Series name _ <- each])
    points = concat [ps | Series _ ps <- each]
    (left, right, height) = (64, width - 14, 280)
    (names, top) = legend 0 0 [name | Series name _ <- each]
    bottom = top + 10 + height
    (xs, ys) = (map fst points, map snd points)
    across = scale (minimum xs) (maximum xs) left right
    upward = scale (minimum ys) (maximum ys) bottom (top + 10)
    at (x, y) = (across x, upward y)
    grid =
      [ line "grid" (left, upward y) (right, upward y)
          <> label "end" (left - 6) (upward y + 4) (showY y)
        | y <- ticks (minimum ys) (maximum ys)
      ]
        ++ [ line "grid" (across x, top + 10) (across x, bottom)
               <> label "middle" (across x) (bottom + 16) (showX x)
             | x <- ticks (minimum xs) (maximum xs)
           ]
    axes =
      label "middle" 285 (bottom + 36) (logarithmic xName)
        <> label "start" 4 (top + 4) (logarithmic yName)
    curve i (Series name ps) =
      element
        "polyline"
        [ ("class", series i),
          ("points", unwords [number x ++ "," ++ number y | (x, y) <- map at (sort ps)])
        ]
        []
        <> mconcat
          [ dot i x y (printf "%s, %s: %s" name (showX (fst p)) (showY (snd p)))
            | p <- ps,
              let (x, y) = at p
          ]

-- Where a number is, on a logarithmic scale.
scale :: Double -> Double -> Double -> Double -> Double -> Double
scale from to start end x
  | to <= from = (start + end) / 2
  | otherwise = start + (end - start) * log (x / from) / log (to / from)

-- | A row of marks for each name, which stands before them, on a logarithmic axis around 1. The
-- first colour is left for us.
dots :: String -> String -> [String] -> [Mark] -> Html
dots title axis libraries rows =
  svg title description (bottom + 40) (names : grid ++ zipWith row [0 ..] rows ++ [below])
  where
    description =
      printf "%s on a logarithmic scale, one row for each of %d workloads." axis (length rows)
    (names, top) = legend 1 0 libraries
    bottom = top + 14 + 30 * fromIntegral (length rows)
    values = concat [[a, b, v] | Mark _ marks <- rows, (_, v, (a, b)) <- marks]
    least = max 0.001 (minimum (0.5 : values))
    greatest = maximum (2 : values)
    (left, right) = (262, width - 16)
    across = scale least greatest left right . max least
    grid =
      [ line (if x == 1 then "one" else "grid") (across x, top) (across x, bottom)
          <> label "middle" (across x) (bottom + 16) (shown x)
        | x <- ticks least greatest
      ]
    below = label "middle" ((left + right) / 2) (bottom + 34) (logarithmic axis)
    row :: Int -> Mark -> Html
    row n (Mark name marks) =
      mconcat (zipWith (label "end" (left - 14)) (lineHeights (length halves)) halves)
        <> mconcat
          [ line ("range " ++ series (i + 1)) (across a, y) (across b, y)
              <> dot (i + 1) (across v) y (printf "%s, %s: %.2f" name (libraries !! i) v)
            | (i, v, (a, b)) <- marks
          ]
      where
        y = top + 24 + 30 * fromIntegral n
        halves = inLines 36 name
        lineHeights k = [y + 4 + 13 * (i - (fromIntegral k - 1) / 2) | i <- [0 ..]]
    shown = digits

logarithmic :: String -> String
logarithmic axis = axis ++ " (logarithmic)"

-- A name in at most two lines of so many characters, broken at a space where there is one.
inLines :: Int -> String -> [String]
inLines most name
  | length name <= most = [name]
  | otherwise = [first, shortened (dropWhile (== ' ') (drop (length first) name))]
  where
    start = take (most + 1) name
    first = case dropWhile (/= ' ') (reverse start) of
      ' ' : before -> reverse before
      _ -> take most name
    shortened s = if length s > most then take (most - 1) s ++ "\8230" else s

-- | A bar for each name, and how to show its number. Those of the second list are hollow.
bars :: String -> String -> (Double -> String) -> [(String, Double)] -> [(String, Double)] -> Html
bars title axis shown solid hollow =
  svg title description (20 + 24 * fromIntegral (length each)) (zipWith bar [0 ..] each)
  where
    each = solid ++ hollow
    description =
      printf "%s: %s." axis (commas [printf "%s %s" name (shown v) | (name, v) <- each])
    greatest = maximum (map snd each)
    bar :: Int -> (String, Double) -> Html
    bar n (name, v) =
      label "end" 192 (y + 14) name
        <> element
          "rect"
          [ ("class", series (min n 1) ++ (if n < length solid then "" else " hollow")),
            ("x", "200"),
            ("y", number y),
            ("width", number (max 1 (230 * v / greatest))),
            ("height", "18")
          ]
          []
        <> label "start" (208 + 230 * v / greatest) (y + 14) (shown v)
      where
        y = 10 + 24 * fromIntegral n

-- | Boxes side by side: a name, and for some series five quantiles.
data Group = Group String [(Int, Box)]

-- | A row for each box, on a logarithmic axis: from the least to the greatest a line, between the
-- quartiles a box, at the median a stroke. The first series is ours.
boxes :: String -> String -> (Double -> String) -> [String] -> [Group] -> Html
boxes title axis shown libraries groups =
  svg title description (bottom + 40) (names : grid ++ zipWith group starts groups ++ [below])
  where
    description =
      printf "%s, with quartiles, for %d groups of %s." axis (length groups) (commas libraries)
    (names, top) = legend 0 0 libraries
    starts = scanl (+) (top + 14) [10 + 14 * fromIntegral (length each) | Group _ each <- groups]
    bottom = last starts
    every = [b | Group _ each <- groups, (_, b) <- each]
    (least, greatest) = (minimum (map boxLeast every), maximum (map boxGreatest every))
    (left, right) = (64, width - 14)
    across = scale least greatest left right
    grid =
      [ line "grid" (across x, top + 6) (across x, bottom)
          <> label "middle" (across x) (bottom + 16) (shown x)
        | x <- ticks least greatest
      ]
    below = label "middle" 285 (bottom + 34) (logarithmic axis)
    group y (Group name each) =
      label "end" (left - 8) (y + 7 * fromIntegral (length each) + 4) name
        <> mconcat (zipWith (single name) [y + 7 + 14 * k | k <- [0 ..]] each)
    single :: String -> Double -> (Int, Box) -> Html
    single name y (i, b) =
      element
        "g"
        [("class", series i)]
        [ element "title" [] [text (printf "%s, %s: %s" name (libraries !! i) (quantiles b))],
          line "whisker" (across (boxLeast b), y) (across (boxGreatest b), y),
          element
            "rect"
            [ ("class", "quartiles"),
              ("x", number (across (boxLower b))),
              ("y", number (y - 4.5)),
              ("width", number (max 1 (across (boxUpper b) - across (boxLower b)))),
              ("height", "9")
            ]
            [],
          line "median" (across (boxMedian b), y - 6) (across (boxMedian b), y + 6)
        ]
    quantiles b =
      commas (map shown [boxLeast b, boxLower b, boxMedian b, boxUpper b, boxGreatest b])

-- | A number that is not negative, in three significant digits at least, without zeros at the
-- end of a fraction.
digits :: Double -> String
digits x
  | '.' `elem` fixed = trimmed fixed
  | otherwise = fixed
  where
    fixed = showFFloat (Just (max 0 (min 9 places))) x ""
    places = if x <= 0 then 0 else 2 - floor (logBase 10 x) :: Int
    trimmed = reverse . dropWhile (== '.') . dropWhile (== '0') . reverse

commas :: [String] -> String
commas names = foldr1 (\a b -> a ++ ", " ++ b) (names ++ ["nothing else" | null names])

-- | The background that a picture is made for.
data Theme = Light | Dark
  deriving stock (Eq, Show, Enum, Bounded)

-- | A picture as a file of its own.
alone :: Theme -> Html -> String
alone theme picture = start ++ "<style>" ++ themed theme ++ "</style>" ++ end ++ "\n"
  where
    (start, end) = splitAt (1 + length (takeWhile (/= '>') shown)) shown
    shown = render picture

-- | The style of the pictures in a page, which follows the reader's theme.
colours :: String
colours = themed Light ++ "@media(prefers-color-scheme:dark){" ++ palette Dark ++ "}"

themed :: Theme -> String
themed theme =
  "svg{font:13px system-ui,sans-serif}svg text{fill:currentColor}\
  \svg .grid{stroke:#8886;stroke-width:.6}svg .one{stroke:currentColor;stroke-width:1.4}\
  \svg polyline{fill:none!important;stroke-width:1.8}svg .range{stroke-width:3;opacity:.45}\
  \svg .hollow{fill-opacity:.15}svg .whisker{stroke-width:1.2}svg .quartiles{fill-opacity:.3}\
  \svg .median{stroke-width:2.4}"
    ++ palette theme

palette :: Theme -> String
palette theme = "svg{color:" ++ ink ++ "}" ++ concat (zipWith one [0 :: Int ..] (words hues))
  where
    (ink, hues) = case theme of
      Light -> ("#1b1f24", "#0b62c4 #c2410c #15803d #a21caf #b45309 #0e7490 #be123c #57534e")
      Dark -> ("#e6e8eb", "#6cb2ff #ff9a62 #67d58a #e793f5 #f0b54d #5fd0e3 #ff8ca3 #b8b2ac")
    one i c = printf "svg .s%d{fill:%s;stroke:%s}" i c c
