{-# LANGUAGE OverloadedStrings #-}

-- |
-- Module      : Tests.ReadFloating
-- Description : Floating-point numbers from text, against exact arithmetic
module Tests.ReadFloating (tests) where

import Ashlar.Get
import qualified Ashlar.Get.Parse as P
import Ashlar.Internal.Prim.NearestBinary
import Control.Exception (evaluate)
import Control.Monad (forM_)
import Data.Bits (shiftR, xor)
import qualified Data.ByteString as S
import qualified Data.ByteString.Char8 as C
import Data.Char (digitToInt, isDigit)
import qualified Data.List as List
import Data.Ratio ((%))
import Data.Word (Word64)
import GHC.Float (castDoubleToWord64, castFloatToWord32, castWord32ToFloat, castWord64ToDouble)
import Numeric (showEFloat)
import System.Timeout (timeout)
import Test.Tasty
import Test.Tasty.HUnit
import Test.Tasty.QuickCheck
import Tests.Scan (agrees, inChunksOf)

tests :: TestTree
tests =
  testGroup
    "numbers as text, read"
    [ testCase "all powers of ten" $
        forM_ [-350 .. 310 :: Int] $ \e ->
          forM_ significands $ \w -> bothHold (w ++ "e" ++ show e),
      testProperty "random numbers with 1 to 25 digits" $
        forAll anyDouble $ \x ->
          conjoin [both (showEFloat (Just n) x "") | n <- [0 .. 24]],
      testProperty "random floats with 1 to 25 digits" $
        forAll anyFloat $ \x ->
          conjoin [both (showEFloat (Just n) x "") | n <- [0 .. 24]],
      testProperty "halfway between two doubles" $
        forAll anyDouble $ \x ->
          halfway x (castWord64ToDouble (castDoubleToWord64 x + 1)),
      testProperty "halfway between two floats" $
        forAll anyFloat $ \x ->
          halfway x (castWord32ToFloat (castFloatToWord32 x + 1)),
      testProperty "halfway to infinity" $
        once $
          aroundHalfway (2 ^ (1024 :: Int) - 2 ^ (970 :: Int))
            .&&. aroundHalfway (2 ^ (128 :: Int) - 2 ^ (103 :: Int)),
      testCase "hard cases" $ mapM_ bothHold hardCases,
      testProperty "on every split" $
        withMaxSuccess 50 $
          forAll (shortText `suchThat` ((< 12) . length)) $ \s ->
            -- What follows is no part of the number.
            forAll (elements ["", ";", "e", ".", "e+", "E-x"]) $ \end ->
              agrees P.double (C.pack (s ++ end)) (Just (model s, C.pack end))
                .&&. agrees P.float (C.pack (s ++ end)) (Just (model s, C.pack end)),
      testCase "the exact comparison is rare" rare,
      testCase "floats: hostile numbers" hostile,
      testGroup
        "laws"
        [ testProperty "random decimals, 1,000 at a time" $ \seed ->
            firstWrong [s | s <- map decimalText (take 1000 (randoms seed)), not (readsAll s)],
          testProperty "random significands and powers, 1,000 at a time" $ \seed ->
            firstWrong
              [ (w, q)
                | (w, q) <- take 1000 (pairs (randoms seed)),
                  let r = decimalValue (toInteger w) q,
                  nearest binary64 w q /= castDoubleToWord64 (fromRational r)
                    || nearest binary32 w q /= fromIntegral (castFloatToWord32 (fromRational r))
              ],
          testProperty "19 digits and the next 19 are read as neighbours" $ \seed ->
            firstWrong
              [ (w, q)
                | (w0, q) <- take 1000 (pairs (randoms seed)),
                  let w = 1000000000000000000 + w0 `mod` 9000000000000000000,
                  nearest binary64 (w + 1) q - nearest binary64 w q > 1
                    || nearest binary32 (w + 1) q - nearest binary32 w q > 1
              ]
        ]
    ]

significands :: [String]
significands = ["1", "9", "1.0000000000000002", "9.999999999999999", "18446744073709551615"]

-- | What a text stands for, in exact arithmetic.
exactValue :: String -> Rational
exactValue s = case s of
  '-' : more -> negate (exactValue more)
  '+' : more -> exactValue more
  _ ->
    let (whole, more) = span isDigit s
        (fraction, more') = case more of
          '.' : ds -> span isDigit ds
          _ -> ("", more)
        power = case more' of
          _ : '-' : ds -> negate (wholeValue ds)
          _ : '+' : ds -> wholeValue ds
          _ : ds -> wholeValue ds
          "" -> 0
     in decimalValue (wholeValue (whole ++ fraction)) (fromInteger power - length fraction)

wholeValue :: String -> Integer
wholeValue = List.foldl' (\n c -> n * 10 + toInteger (digitToInt c)) 0

decimalValue :: Integer -> Int -> Rational
decimalValue w q
  | q >= 0 = fromInteger (w * 10 ^ q)
  | otherwise = w % (10 ^ negate q)

-- The nearest number; 'fromRational' knows no negative zero.
model :: RealFloat a => String -> a
model s = case s of
  '-' : more -> negate (model more)
  _ -> fromRational (exactValue s)

-- At the end of strict input, before another byte, and in chunks.
readsAs :: Eq b => Get a -> (a -> b) -> a -> C.ByteString -> Bool
readsAs g bits x bs =
  all
    (either (const False) ((== bits x) . bits))
    [ runGetWhole g bs,
      runGet (g <* P.word8 44) (bs <> ","),
      runGetLazyWhole g (inChunksOf 3 bs)
    ]

readsAll :: String -> Bool
readsAll s =
  readsAs P.double castDoubleToWord64 (model s) bs && readsAs P.float castFloatToWord32 (model s) bs
  where
    bs = C.pack s

both :: String -> Property
both s = counterexample s (readsAll s)

bothHold :: String -> Assertion
bothHold s = assertBool s (readsAll s)

firstWrong :: Show a => [a] -> Property
firstWrong wrong = case wrong of
  [] -> property True
  x : _ -> counterexample (show x) False

-- Finite and positive. Every exponent is equally likely, which makes many subnormal or nearly so.
anyDouble :: Gen Double
anyDouble =
  oneof
    [ castWord64ToDouble <$> choose (0, 0x7FEFFFFFFFFFFFFE),
      castWord64ToDouble <$> choose (0, 0x0020000000000000),
      -- Halfway numbers of few digits.
      fromIntegral <$> (choose (2 ^ (53 :: Int), 2 ^ (62 :: Int)) :: Gen Word64)
    ]

anyFloat :: Gen Float
anyFloat =
  oneof
    [ castWord32ToFloat <$> choose (0, 0x7F7FFFFE),
      castWord32ToFloat <$> choose (0, 0x01000000),
      fromIntegral <$> (choose (2 ^ (24 :: Int), 2 ^ (62 :: Int)) :: Gen Word64)
    ]

halfway :: RealFloat a => a -> a -> Property
halfway x y = aroundHalfway ((toRational x + toRational y) / 2)

-- A number whose denominator is a power of two, with all its digits: exactly, and a little less and
-- a little more. A little is one in the last digit, or after many zeros.
aroundHalfway :: Rational -> Property
aroundHalfway r =
  conjoin
    [ both (written n k),
      both (written (n - 1) k),
      both (written (n + 1) k),
      both (written (n * 10 ^ (40 :: Int) + 1) (k + 40)),
      both (written (n * 10 ^ (900 :: Int) + 1) (k + 900)),
      both (written (n * 10 ^ (40 :: Int) - 1) (k + 40))
    ]
  where
    (n, k) = wholeDigits 0 r
    wholeDigits i q
      | q == fromInteger (round q) = (round q :: Integer, i)
      | otherwise = wholeDigits (i + 1 :: Int) (q * 10)
    -- With a point and with an exponent in turn.
    written m i
      | even i = show m ++ "e-" ++ show i
      | otherwise =
        let (whole, fraction) = splitAt (length padded - i) padded
            padded = replicate (i + 1 - length (show m)) '0' ++ show m
         in whole ++ "." ++ fraction

-- Numbers that other programs have read wrongly or not at all, or that are close to halfway.
hardCases :: [String]
hardCases =
  [ "2.2250738585072011e-308",
    "2.2250738585072012e-308",
    "2.2250738585072014e-308",
    "0.00022250738585072012e-304",
    "2.2250738585072011360574097967091319759348195463516456480234261097248222220210769455165295\
    \239081350879141491589130396211068700864386945946455276572074078206217433799881410632673292\
    \535522868813721490129811224514518898490572223072852551331557550159143974763979834118019993\
    \239625482890171070818506906306666559949382757725720157630626906633326475653000092458883164\
    \330377797918696120494973903778297049050510806099407302629371289589500035837999672072543043\
    \602840788957717961509455167482434710307026091446215722898802581825451803257070188608721131\
    \280795122334262883686223215037756666225039825343359745688844239002654981983854879482922068\
    \947216898310996983658468140228542433306603398508864458040010349339704275671864433837704860\
    \37861622771738545623065874679014086723327636718751234567890123456789012345678901e-308",
    "4.9406564584124654e-324",
    "2.4703282292062327208299439643411068618252990130716238221279284125033775364e-324",
    "2.4703282292062327208299439643411068618252990130716238221279284125033775363e-324",
    "2.4703282292062328e-324",
    "6.631236846766476e-316",
    "3.2378839133029012895883524125015321748630094867e-319",
    "1.7976931348623157e308",
    "1.7976931348623158e308",
    "1.7976931348623159e308",
    "179769313486231580793728971405303415079934132710037826936173778980444968292764750946649017\
    \977587207096330286416692887910946555547851940402630657488671505820681908902000708383676273\
    \854845817711531764475730270069855571366959622842914819860834936475292719074168444365510704\
    \342711559699508093042880177904174497791",
    "9007199254740992.999999999999999999999",
    "9007199254740993",
    "9007199254740993.0000000000000000000001",
    "9007199254740991.4999999999999999999999999999999995",
    "1.00000000000000011102230246251565404236316680908203124",
    "1.00000000000000011102230246251565404236316680908203125",
    "1.00000000000000011102230246251565404236316680908203126",
    "0.500000000000000166533453693773481063544750213623046875",
    "0.500000000000000166533453693773481063544750213623046876",
    "1.0e23",
    "8.41e21",
    "5.708990770823839524233143877797980545530986496e45",
    "7.2057594037927933e16",
    "1090544144181609348835077142190",
    "30078505129381147446200",
    "1777820000000000000001",
    "3.518437208883201171875e13",
    "62.5364939768271845828",
    "8.10109172351e-10",
    "1.5e-5",
    "89255.0e-22",
    "104110013277974872254e-225",
    "12345e-330",
    "358416272e-33",
    "9.5e-3",
    "16777217",
    "16777216.99999999999999999999",
    "16777217.00000000000000000001",
    "33554435",
    "8388614.5",
    "1.00000017881393432617187499",
    "1.000000178813934326171875",
    "1.00000017881393432617187501",
    "1.17549428e-38",
    "1.1754942106924410754870294448492873488270524287458933338571745305715888704756189042655023\
    \513361810131e-38",
    "1.401298464324817e-45",
    "7.006492321624085354618647916449580656401309709382578858785341419448955413429303e-46",
    "7.006492321624085354618647916449580656401309709382578858785341419448955413429304e-46",
    "3.4028234663852886e38",
    "3.40282356779733661637539395458142568447e38",
    "3.40282356779733661637539395458142568448e38",
    "340282356779733642748073463979561713663.9",
    "0.0e999",
    "-0.0",
    "-0e-999",
    "000000000000000000000000000000000000000000000000000012345678901234567890.5",
    "0.00000000000000000000000000000000000000000000000000000000000000000000012345678901234567890"
  ]

-- Random numbers that are cheap to make. (The mixing function is that of SplitMix.)
randoms :: Word64 -> [Word64]
randoms seed = map mix (iterate (+ 0x9E3779B97F4A7C15) (seed * 0xD1342543DE82EF95))
  where
    mix x0 =
      let x1 = (x0 `xor` (x0 `shiftR` 30)) * 0xBF58476D1CE4E5B9
          x2 = (x1 `xor` (x1 `shiftR` 27)) * 0x94D049BB133111EB
       in x2 `xor` (x2 `shiftR` 31)

-- A significand of any number of bits, and a power of ten.
pairs :: [Word64] -> [(Word64, Int)]
pairs rs = case rs of
  a : b : more -> (a `shiftR` shift, power) : pairs more
    where
      shift = fromIntegral (b `mod` 64)
      power = fromIntegral ((b `shiftR` 8) `mod` 670) - 350
  _ -> []

-- A number of 1 to 40 digits, perhaps with a point, perhaps with an exponent, from one random word.
decimalText :: Word64 -> String
decimalText r = insertPoint (take n ds) ++ power
  where
    ds = concatMap show (randoms r)
    n = 1 + fromIntegral (r `mod` (if even (r `shiftR` 7) then 19 else 40)) :: Int
    at = fromIntegral ((r `shiftR` 12) `mod` 41) :: Int
    insertPoint s
      | at > 0 && at < n = take at s ++ "." ++ drop at s
      | otherwise = s
    power = case (r `shiftR` 20) `mod` 4 of
      0 -> ""
      1 -> "e" ++ show (fromIntegral ((r `shiftR` 24) `mod` 60) - 30 :: Int)
      _ -> "E" ++ show (fromIntegral ((r `shiftR` 24) `mod` 700) - 360 :: Int)

shortText :: Gen String
shortText = do
  sign <- elements ["", "-", "+"]
  whole <- listOf1 digit
  fraction <- oneof [pure "", ('.' :) <$> listOf1 digit]
  power <- oneof [pure "", exponentOfTen]
  pure (sign ++ whole ++ fraction ++ power)
  where
    digit = elements ['0' .. '9']
    exponentOfTen = do
      letter <- elements "eE"
      sign <- elements ["", "-", "+"]
      n <- choose (0, 40 :: Int)
      pure (letter : sign ++ show n)

-- Of random numbers of more than 19 digits.
rare :: Assertion
rare = assertBool (show compared) (compared > 0 && compared < 200)
  where
    compared = length (filter ambiguous (take 10000 (pairs (randoms 1))))
    ambiguous (w0, q) =
      let w = 1000000000000000000 + w0 `mod` 9000000000000000000
       in nearest binary64 w q /= nearest binary64 (w + 1) q

hostile :: Assertion
hostile = do
  floatOf "1e1000000000" >>= (@?= 1 / 0)
  floatOf "1e-99999999999999999999999999" >>= (@?= 0)
  floatOf "0e99999999999999999999999999" >>= (@?= 0)
  floatOf long >>= (@?= 1 / 0)
  floatOf (long <> "e-999999") >>= (@?= 7.7777777)
  floatOf ("1." <> S.map (const 48) long <> "1") >>= (@?= 1)
  floatOf ("16777217." <> S.map (const 48) long <> "1") >>= (@?= 16777218)
  floatOf ("16777217." <> S.map (const 48) long <> "0") >>= (@?= 16777216)
  where
    long = S.replicate 1000000 55
    floatOf :: C.ByteString -> IO Float
    floatOf bs =
      timeout 120000000 (evaluate (either (const (-1)) id (runGet P.float bs)))
        >>= maybe (assertFailure "too long") pure
