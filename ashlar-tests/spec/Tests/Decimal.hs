{-# LANGUAGE DataKinds #-}
{-# LANGUAGE OverloadedStrings #-}
{-# LANGUAGE PolyKinds #-}
{-# LANGUAGE ScopedTypeVariables #-}

-- |
-- Module      : Tests.Decimal
-- Description : Exact decimal numbers and UUIDs as text
module Tests.Decimal (tests) where

import Ashlar.Builder
import qualified Ashlar.Builder.Decimal as B
import qualified Ashlar.Builder.UUID as B
import Ashlar.Get
import qualified Ashlar.Get.Decimal as D
import qualified Ashlar.Get.UUID as U
import Control.Exception (evaluate)
import qualified Data.ByteString as S
import qualified Data.ByteString.Char8 as C
import Data.Char (isHexDigit, toUpper)
import Data.Fixed
import Data.Int (Int64)
import Data.Word (Word64)
import System.Timeout (timeout)
import Test.Tasty
import Test.Tasty.HUnit
import Test.Tasty.QuickCheck hiding (Fixed)
import Tests.Everywhere
import Tests.Scan (agreesAt, failsAt, inChunksOf)
import Text.Printf (printf)

tests :: TestTree
tests =
  testGroup
    "exact decimal numbers and UUIDs as text"
    [ testProperty "Uni" (fixedPoint :: Fixed E0 -> Property),
      testProperty "Deci" (fixedPoint :: Deci -> Property),
      testProperty "Centi" (fixedPoint :: Centi -> Property),
      testProperty "Pico" (fixedPoint :: Pico -> Property),
      testProperty "Fixed 3" (fixedPoint :: Fixed 3 -> Property),
      testProperty "parts of 1,000" (fixedPoint :: Fixed 1000 -> Property),
      testProperty "parts of 1,001" (fixedPoint :: Fixed 1001 -> Property),
      testProperty "25 decimal places" (fixedPoint :: Fixed 10000000000000000000000000 -> Property),
      testProperty "fixed: any text" fixedText,
      testProperty "scaled: written and read" scaledBothWays,
      testProperty "scaled: any text" scaledText,
      testCase "scaled: limits" scaledLimits,
      testProperty "UUIDs" uuids,
      testProperty "UUIDs with something wrong" wrongUuids
    ]

anyInteger :: Gen Integer
anyInteger =
  oneof
    [ choose (-2000, 2000),
      choose (-(10 ^ (20 :: Int)), 10 ^ (20 :: Int)),
      (\n k -> n * 10 ^ k) <$> choose (-99, 99) <*> choose (0, 40 :: Int)
    ]

fixedPoint :: HasResolution a => Fixed a -> Property
fixedPoint like = withMaxSuccess 20 $
  forAll anyInteger $ \n ->
    let x = MkFixed n `asTypeOf` like
        text = C.pack (show x)
     in throughSinks text (B.fixed x)
          .&&. either (error . show) id (runGet D.fixed text) === x
          .&&. agreesAt D.fixed (text <> more) (Right (x, ";"))
  where
    -- Another digit after the point makes the same number.
    more = if C.elem '.' (C.pack (show like)) then "0;" else ";"

-- Few different bytes, so that many texts are numbers.
anyText :: Gen S.ByteString
anyText = C.pack <$> (choose (0, 8) >>= \n -> vectorOf n (elements "0125.+-eE;"))

-- The sign, the digits before and after the point, and the rest, by lists.
parts :: S.ByteString -> Maybe (Bool, String, String, String)
parts bs = case C.unpack bs of
  '-' : s -> digitsOf True s
  '+' : s -> digitsOf False s
  s -> digitsOf False s
  where
    digitsOf negative s = case span isDecimal s of
      ("", _) -> Nothing
      (whole, '.' : more@(c : _))
        | isDecimal c,
          (part, rest) <- span isDecimal more ->
          Just (negative, whole, part, rest)
      (whole, rest) -> Just (negative, whole, "", rest)

isDecimal :: Char -> Bool
isDecimal = (`elem` ("0123456789" :: String))

-- The offset at which a number without digits is refused.
afterSign :: S.ByteString -> Int64
afterSign bs = if C.take 1 bs `elem` ["-", "+"] then 1 else 0

fixedText :: Property
fixedText = forAll anyText $ \bs ->
  agreesAt (D.fixed :: Get Centi) bs $ case parts bs of
    Nothing -> Left (afterSign bs)
    Just (negative, whole, part, rest)
      | any (/= '0') (drop 2 part) ->
        Left
          ( afterSign bs + fromIntegral (length whole) + 3
              + fromIntegral (length (takeWhile (== '0') (drop 2 part)))
          )
      | otherwise ->
        let n = read (whole ++ take 2 (part ++ "00"))
         in Right (MkFixed (if negative then negate n else n), C.pack rest)

scaledBothWays :: Property
scaledBothWays = forAll (oneof [anyInteger, choose (-9, 9)]) $ \n ->
  forAll (oneof [choose (-12, 12), choose (-400, 400), elements [maxBound, minBound]]) $ \e ->
    let text = toStrictByteString (B.scaled n e)
     in throughSinks text (B.scaled n e)
          .&&. counterexample (show text) (S.length text < 60)
          .&&. case runGet (D.scaled <* endOfInput) text of
            Right (n', e') -> counterexample (show (n', e')) (same (n, e) (n', e'))
            -- The zeros at the end of the number are left out, so the exponent is larger.
            Left err -> counterexample (show err) (e == maxBound && n `rem` 10 == 0)
  where
    same (0, _) (n', _) = n' == 0
    same (n, e) (n', e') =
      let least = min (toInteger e) (toInteger e')
          up k m = if toInteger m - k > 1000 then 0 else 10 ^ (toInteger m - k) :: Integer
       in n * up least e == n' * up least e'

scaledText :: Property
scaledText = forAll anyText $ \bs ->
  agreesAt D.scaled bs $ case parts bs of
    Nothing -> Left (afterSign bs)
    Just (negative, whole, part, rest) ->
      let n = read (whole ++ part)
          (power, rest') = case rest of
            c : '-' : more@(d : _) | c `elem` ("eE" :: String), isDecimal d -> number negate more
            c : '+' : more@(d : _) | c `elem` ("eE" :: String), isDecimal d -> number id more
            c : more@(d : _) | c `elem` ("eE" :: String), isDecimal d -> number id more
            _ -> (0, rest)
          number f s = let (ds, r) = span isDecimal s in (f (read ds), r)
       in Right ((if negative then negate n else n, power - length part), C.pack rest')

scaledLimits :: Assertion
scaledLimits = do
  runGet D.scaled "-1e0999999" @?= Right (-1, 999999)
  runGet D.scaled "-1.5E-12345678" @?= Right (-15, -12345679)
  runGet D.scaled ("1e" <> C.pack (show most)) @?= Right (1, most)
  failsAt 1 (runGet (getWord8 *> D.scaled) ("x1e" <> C.pack (show (toInteger most + 1))))
  failsAt 0 (runGet D.scaled ("1e1" <> S.replicate 100000 0x30))
  runGet D.scaled ("1e" <> S.replicate 100000 0x30 <> "7") @?= Right (1, 7)
  runGet D.scaled ("1.5e-" <> C.pack (show most)) @?= Right (15, minBound)
  failsAt 0 (runGet D.scaled ("1.55e-" <> C.pack (show most)))
  -- Zeros at the end of the fraction need no smaller exponent.
  runGet D.scaled ("1.0e" <> C.pack (show least)) @?= Right (1, least)
  runGet D.scaled ("-1.500e" <> C.pack (show (least + 1))) @?= Right (-15, least)
  runGet D.scaled ("12.000e" <> C.pack (show (least + 1))) @?= Right (12, least + 1)
  failsAt 0 (runGet D.scaled ("1.0e" <> C.pack (show (toInteger least - 1))))
  failsAt 0 (runGet D.scaled ("1.050e" <> C.pack (show (least + 1))))
  -- The digits of a large number take less than quadratic time.
  let digits = S.replicate 1000000 0x37
      end = either (const 0) ((`mod` 1000) . fst) (runGet D.scaled digits)
  r <- timeout 120000000 (evaluate end)
  r @?= Just 777
  where
    most = maxBound :: Int
    least = minBound :: Int

uuids :: Word64 -> Word64 -> Property
uuids small1 small2 = withMaxSuccess 10 $
  forAll (elements [1, 0x0123456789ABCDEF, maxBound]) $ \k ->
    let (high, low) = (small1 * k, small2 * (k + 2))
        digits = printf "%016x" high ++ printf "%016x" low
        group from n = take n (drop from digits)
        text =
          C.pack $
            concat [group 0 8, "-", group 8 4, "-", group 12 4, "-", group 16 4, "-", group 20 12]
     in throughSinks text (B.uuid high low)
          .&&. runGet U.uuid text === Right (high, low)
          .&&. agreesAt U.uuid (C.map toUpper text <> "0") (Right ((high, low), "0"))

-- Every byte at every index.
wrongUuids :: Property
wrongUuids = withMaxSuccess 300 $
  forAll (choose (0, 35)) $ \i -> forAll arbitrary $ \c ->
    let good = C.pack "01234567-89aB-cDef-0123-456789abcdef"
        text = S.take i good <> S.cons c (S.drop (i + 1) good)
        right = if C.index good i == '-' then c == 0x2D else isHexDigit (toEnum (fromIntegral c))
        wanted = if right then Right () else Left (fromIntegral i)
        offset = either (Left . errorOffset) Right
     in offset (runGet (() <$ U.uuid) text) === wanted
          .&&. offset (runGetLazy (() <$ U.uuid) (inChunksOf 5 text)) === wanted
          .&&. runGet U.uuid text === runGetLazy U.uuid (inChunksOf 1 text)
          .&&. offset (runGet (() <$ U.uuid) (S.take i good)) === Left (fromIntegral i)
