{-# LANGUAGE DerivingStrategies #-}
{-# LANGUAGE OverloadedStrings #-}

-- |
-- Module      : Tests.Json
-- Description : JSON is valid, and has the values that were written
module Tests.Json (tests, Sample (..)) where

import Ashlar.File hiding (Outcome)
import Ashlar.File.Described
import Ashlar.Schema (Described)
import Data.Bits (shiftL)
import qualified Data.ByteString as B
import Data.Char (chr, isControl, isDigit, isHexDigit, isSpace, ord)
import Data.Fixed (Fixed (MkFixed))
import qualified Data.Map.Strict as M
import qualified Data.Set as S
import qualified Data.Text as T
import Data.Time.Calendar (Day (ModifiedJulianDay), showGregorian)
import Numeric (readHex, showHex)
import System.FilePath ((</>))
import Test.Tasty
import Test.Tasty.HUnit
import Test.Tasty.QuickCheck
import Tests.Run
import Tests.Types

tests :: TestTree
tests =
  testGroup
    "JSON"
    [ localOption (QuickCheckTests 50) . localOption (QuickCheckMaxSize 30) $
        testProperty "JSON has the values that were written" asWritten,
      testCase "NaN and infinities" special,
      testCase "large numbers" large
    ]

-- A number is as it is written.
data J = Null | Bool Bool | Number String | String String | Array [J] | Object [(String, J)]
  deriving stock (Eq, Show)

-- RFC 8259, and nothing else.
parse :: String -> Maybe J
parse s = case value (blank s) of
  Just (j, rest) | all isSpace rest -> Just j
  _ -> Nothing

blank :: String -> String
blank = dropWhile (`elem` (" \t\r\n" :: String))

value :: String -> Maybe (J, String)
value s = case s of
  'n' : 'u' : 'l' : 'l' : r -> Just (Null, r)
  't' : 'r' : 'u' : 'e' : r -> Just (Bool True, r)
  'f' : 'a' : 'l' : 's' : 'e' : r -> Just (Bool False, r)
  '"' : r -> do
    (t, r') <- string r
    Just (String t, r')
  '[' : r -> case blank r of
    ']' : r' -> Just (Array [], r')
    r' -> do
      (xs, r'') <- several ']' value r'
      Just (Array xs, r'')
  '{' : r -> case blank r of
    '}' : r' -> Just (Object [], r')
    r' -> do
      (xs, r'') <- several '}' member r'
      Just (Object xs, r'')
  _ -> numberOf s
  where
    member r = case blank r of
      '"' : r' -> do
        (k, r'') <- string r'
        case blank r'' of
          ':' : r3 -> do
            (x, r4) <- value (blank r3)
            Just ((k, x), r4)
          _ -> Nothing
      _ -> Nothing

several :: Char -> (String -> Maybe (a, String)) -> String -> Maybe ([a], String)
several end one s = do
  (x, r) <- one (blank s)
  case blank r of
    ',' : r' -> do
      (xs, r'') <- several end one r'
      Just (x : xs, r'')
    c : r' | c == end -> Just ([x], r')
    _ -> Nothing

string :: String -> Maybe (String, String)
string s = case s of
  '"' : r -> Just ("", r)
  '\\' : 'u' : r -> do
    (u, r') <- hexUnit r
    if u >= 0xD800 && u < 0xDC00
      then case r' of
        '\\' : 'u' : r2
          | Just (v, r3) <- hexUnit r2, v >= 0xDC00, v < 0xE000 -> more (joined u v) r3
        _ -> more (chr u) r'
      else more (chr u) r'
  '\\' : c : r -> do
    c' <- lookup c (zip "\"\\/bfnrt" "\"\\/\b\f\n\r\t")
    more c' r
  c : r | not (isControl c) || c > '\x1F' -> more c r
  _ -> Nothing
  where
    more c r = do
      (t, r') <- string r
      Just (c : t, r')
    joined u v = chr (0x10000 + ((u - 0xD800) `shiftL` 10) + (v - 0xDC00))
    hexUnit r = case splitAt 4 r of
      (h, r') | length h == 4, all isHexDigit h, [(n, "")] <- readHex h -> Just (n, r')
      _ -> Nothing

numberOf :: String -> Maybe (J, String)
numberOf s = do
  let (sign, r0) = span (== '-') s
      (before, r1) = span isDigit r0
  if length sign > 1 || null before || (length before > 1 && take 1 before == "0")
    then Nothing
    else do
      (fraction, r2) <- case r1 of
        '.' : r -> let (d, r') = span isDigit r in if null d then Nothing else Just ('.' : d, r')
        _ -> Just ("", r1)
      (exponent', r3) <- case r2 of
        e : r
          | e `elem` ("eE" :: String) ->
            let (sg, r') = splitAt (if take 1 r `elem` ["-", "+"] then 1 else 0) r
                (d, r'') = span isDigit r'
             in if null d then Nothing else Just (e : sg ++ d, r'')
        _ -> Just ("", r2)
      Just (Number (sign ++ before ++ fraction ++ exponent'), r3)

-- By hand, from the type.
expected :: All -> J
expected x =
  Object
    [ ("whole", int (whole x)),
      ("word", int (word x)),
      ("float", floating (float x)),
      ("double", floating (double x)),
      ("truth", Bool (truth x)),
      ("letter", String [letter x]),
      ("text", String (T.unpack (text x))),
      ("bytes", String (concatMap hex (B.unpack (bytes x)))),
      ("fixed", Number (show (fixed x))),
      ("day", String (showGregorian (day x))),
      ("perhaps", maybe Null int (perhaps x)),
      ("twice", maybe Null (\m -> Array [maybe Null Bool m]) (twice x)),
      ("pair", Array [int (fst (pair x)), String (T.unpack (snd (pair x)))]),
      ("unit", Array []),
      ("set", Array (map int (S.toList (set x)))),
      ("byText", Object [(T.unpack k, int n) | (k, n) <- M.toList (byText x)]),
      ("byNumber", Array [Array [int k, String (T.unpack t)] | (k, t) <- M.toList (byNumber x)]),
      ("mixed", Array (map ofMixed (mixed x)))
    ]
  where
    hex w = let h = showHex w "" in replicate (2 - length h) '0' ++ h
    ofMixed m = case m of
      None -> String "None"
      One a -> Object [("One", Array [int a])]
      Two a b -> Object [("Two", Array [int a, Bool b])]
      Named a b -> Object [("Named", Object [("first", int a), ("second", ofMixed b)])]

int :: (Integral a) => a -> J
int n = Number (show (toInteger n))

floating :: (RealFloat a, Show a) => a -> J
floating d
  | isNaN d || isInfinite d = String (show d)
  | otherwise = Number (show d)

-- | With the values of all forms.
newtype Sample = Sample All
  deriving stock (Show)

instance Arbitrary Sample where
  arbitrary =
    Sample
      <$> ( All
              <$> oneof [arbitrary, (* 2 ^ (70 :: Int)) <$> arbitrary]
              <*> arbitrary
              <*> arbitrary
              <*> oneof [arbitrary, elements [0 / 0, 1 / 0, -1 / 0, -0.0, 1e300]]
              <*> arbitrary
              <*> character
              <*> texts
              <*> (B.pack <$> arbitrary)
              <*> (MkFixed <$> arbitrary)
              <*> (ModifiedJulianDay <$> arbitrary)
              <*> arbitrary
              <*> arbitrary
              <*> ((,) <$> arbitrary <*> texts)
              <*> pure ()
              <*> (S.fromList <$> arbitrary)
              <*> (M.fromList <$> listOf ((,) <$> texts <*> arbitrary))
              <*> (M.fromList <$> listOf ((,) <$> arbitrary <*> texts))
              <*> listOf mixtures
          )
    where
      character =
        chr <$> oneof [choose (0, 0x2FF), choose (0xE000, 0x10FFFF), choose (0x2000, 0x2070)]
      texts = T.pack <$> listOf character
      mixtures =
        oneof
          [ pure None,
            One <$> arbitrary,
            Two <$> arbitrary <*> arbitrary,
            Named <$> arbitrary <*> (One <$> arbitrary)
          ]

asJson :: Described a => [a] -> IO [String]
asJson xs = inFolder $ \folder -> do
  writeRecords described (folder </> "records") xs
  printed (ashlar folder ["show", "--json", folder </> "records"])

asWritten :: [Sample] -> Property
asWritten samples = ioProperty $ do
  let xs = [x | Sample x <- samples]
  got <- asJson xs
  pure . counterexample (unlines got) $
    map parse got === map (Just . expected) xs
      .&&. conjoin [counterexample (show c) (ord c >= 32 && not (isControl c)) | c <- concat got]

special :: Assertion
special = do
  got <- asJson [0 / 0, 1 / 0, -1 / 0, -0.0, 1.0e-2 :: Double]
  got @?= ["\"NaN\"", "\"Infinity\"", "\"-Infinity\"", "-0.0", "1.0e-2"]

large :: Assertion
large = do
  let most = 2 ^ (4096 :: Int) :: Integer
  got <- asJson [most - 1, most, negate most, 2 ^ (53 :: Int) + 1]
  got
    @?= [ show (most - 1),
          hexadecimal "" most,
          hexadecimal "-" most,
          "9007199254740993"
        ]
  where
    -- In whole words of 64 bits, of which there are a power of two.
    hexadecimal sign n = "\"" ++ sign ++ "0x" ++ replicate (2048 - 1025) '0' ++ showHex n "" ++ "\""
