{-# LANGUAGE OverloadedStrings #-}

-- |
-- Module      : Tests.Time
-- Description : Dates and times as text, against the functions of time
module Tests.Time (tests) where

import Ashlar.Builder
import qualified Ashlar.Builder.Time as B
import Ashlar.Get
import qualified Ashlar.Get.Time as T
import Control.Exception (displayException, evaluate, try)
import Control.Monad (forM_)
import qualified Data.ByteString as S
import qualified Data.ByteString.Char8 as C
import Data.Fixed (Fixed (MkFixed))
import Data.Int (Int64)
import Data.Time
import Data.Time.Format.ISO8601 (ISO8601, iso8601ParseM, iso8601Show)
import Test.Tasty
import Test.Tasty.HUnit
import Test.Tasty.QuickCheck
import Tests.Everywhere
import Tests.Scan (agrees, agreesAt)
import Tests.Splits

tests :: TestTree
tests =
  testGroup
    "dates and times as text"
    [ testCase "days of 10,000 years" manyDays,
      testCase "the last days of February" leapYears,
      testProperty "Day" (bothWays anyDay B.day T.day id),
      testProperty "TimeOfDay" (bothWays anyTime B.timeOfDay T.timeOfDay id),
      testProperty "LocalTime" (bothWays anyLocal B.localTime T.localTime id),
      testProperty "TimeZone" (bothWays anyZone B.timeZone T.timeZone timeZoneMinutes),
      testProperty "ZonedTime" $
        bothWays (ZonedTime <$> anyLocal <*> anyZone) B.zonedTime T.zonedTime zoned,
      testProperty "UTCTime" (bothWays anyUtc B.utcTime T.utcTime id),
      testProperty "a time of any zone, in UTC" inUtc,
      testProperty "days beyond four digits" farDays,
      testProperty "what is out of range is refused, and all else is read again" outOfRange,
      testCase "errors of what is out of range" outOfRangeErrors,
      testProperty "what is wrong is found wherever chunks end" mutated,
      testCase "other ways to write them" otherWays,
      testProperty "offsets of errors" errors
    ]

written :: Builder -> S.ByteString
written = toStrictByteString

-- The years 0000 to 9999 have four digits, which is all that time writes.
anyDay :: Gen Day
anyDay =
  oneof
    [ ModifiedJulianDay <$> choose (-678941, 2973483),
      (\y (m, d) -> fromGregorian y m d)
        <$> elements [0, 1, 4, 99, 100, 400, 1600, 1900, 1970, 2000, 2023, 2024, 9999]
          <*> elements [(1, 1), (2, 28), (2, 29), (3, 1), (12, 31)]
    ]

anyPicos :: Integer -> Gen Integer
anyPicos most =
  oneof
    [ choose (0, most),
      (\s n k -> s * second + n * 10 ^ k `mod` second)
        <$> choose (0, most `div` second)
        <*> choose (0, 999)
        <*> choose (0, 11 :: Int)
    ]
  where
    second = 10 ^ (12 :: Int)

anyTime :: Gen TimeOfDay
anyTime =
  TimeOfDay <$> choose (0, 23) <*> choose (0, 59) <*> (MkFixed <$> anyPicos 60999999999999)

anyLocal :: Gen LocalTime
anyLocal = LocalTime <$> anyDay <*> anyTime

anyZone :: Gen TimeZone
anyZone = minutesToTimeZone <$> oneof [choose (-1439, 1439), elements [0, 60, -60, -1, 1]]

anyUtc :: Gen UTCTime
anyUtc = UTCTime <$> anyDay <*> (picosecondsToDiffTime <$> picos)
  where
    picos = oneof [anyPicos 86399999999999999, (86400 * 10 ^ (12 :: Int) +) <$> choose (0, 10)]

zoned :: ZonedTime -> (LocalTime, Int)
zoned (ZonedTime t z) = (t, timeZoneMinutes z)

-- What time writes is what we write and read, on every split.
bothWays ::
  (ISO8601 a, Show a, Eq b, Show b) => Gen a -> (a -> Builder) -> Get a -> (a -> b) -> Property
bothWays gen build get seen = withMaxSuccess 20 $
  forAll gen $ \x -> forAll (elements ["", ";"]) $ \rest ->
    let text = C.pack (iso8601Show x)
     in throughSinks text (build x) .&&. agrees (seen <$> get) (text <> rest) (Just (seen x, rest))

leapYears :: Assertion
leapYears = forM_ [0 .. 9999] $ \year ->
  forM_ [28 .. 30] $ \n -> do
    let text = C.pack (replicate (4 - length (show year)) '0' ++ show year ++ "-02-" ++ show n)
    either (const Nothing) Just (runGet T.day text) @?= fromGregorianValid year 2 n

manyDays :: Assertion
manyDays = forM_ [-678941, -678941 + 61 .. 2973483] $ \n -> do
  let d = ModifiedJulianDay n
      text = C.pack (showGregorian d)
  (written (B.day d) == text && either (const False) (== d) (runGet T.day text)) @? show d

inUtc :: Property
inUtc = forAll anyLocal $ \t -> forAll anyZone $ \z ->
  let leap = todSec (localTimeOfDay t) >= 60
      expected = localTimeToUTC z t
      atEnd = utctDayTime expected >= 86400
      text = written (B.zonedTime (ZonedTime t z))
   in either (const Nothing) Just (runGet T.utcTime text)
        === if leap && not atEnd then Nothing else Just expected

farDays :: Integer -> Property
farDays n = forAll (elements [1, 1000, 10 ^ (9 :: Int), 10 ^ (30 :: Int)]) $ \k ->
  let d = ModifiedJulianDay (n * k * 1000)
      text = C.pack (showGregorian d)
   in throughSinks text (B.day d) .&&. either (error . show) id (runGet T.day text) === d

-- Numbers in their ranges and around them.
outOfRange :: Property
outOfRange =
  forAll around $ \h -> forAll around $ \m -> forAll anySeconds $ \s ->
    forAll (oneof [anyDay, ModifiedJulianDay . (* 10 ^ (9 :: Int)) <$> arbitrary]) $ \d ->
      forAll anyDiff $ \t -> forAll anyMinutes $ \z ->
        let time = TimeOfDay h m s
            timely = h >= 0 && h < 24 && m >= 0 && m < 60 && s >= 0 && s < 61
            zone = minutesToTimeZone z
            zonedIn = abs (toInteger z) < 1440
         in conjoin
              [ refusedOr timely (B.NoSuchTimeOfDay time) (B.timeOfDay time) (T.timeOfDay, time),
                refusedOr
                  timely
                  (B.NoSuchTimeOfDay time)
                  (B.localTime (LocalTime d time))
                  (T.localTime, LocalTime d time),
                refusedOr
                  zonedIn
                  (B.NoSuchTimeZone z)
                  (B.timeZone zone)
                  (timeZoneMinutes <$> T.timeZone, z),
                refusedOr
                  (timely && zonedIn)
                  (if timely then B.NoSuchTimeZone z else B.NoSuchTimeOfDay time)
                  (B.zonedTime (ZonedTime (LocalTime d time) zone))
                  (zoned <$> T.zonedTime, (LocalTime d time, z)),
                refusedOr
                  (t >= 0 && t < 86401)
                  (B.NoSuchTimeOfUTC t)
                  (B.utcTime (UTCTime d t))
                  (T.utcTime, UTCTime d t)
              ]
  where
    around = oneof [choose (-2, 62), choose (22, 25), arbitrary]
    anyMinutes = oneof [around, (* 60) <$> around, elements [minBound, maxBound]]
    anySeconds = MkFixed <$> oneof [anyPicos 61000000000001, choose (-10, 10), arbitrary]
    anyDiff =
      picosecondsToDiffTime
        <$> oneof [anyPicos 86401000000000001, choose (-10, 10), (* 10 ^ (12 :: Int)) <$> arbitrary]

-- If a value is in range, what is written is read. Otherwise it is refused.
refusedOr ::
  (Eq a, Show a) => Bool -> B.TimeOutOfRange -> Builder -> (Get a, a) -> Property
refusedOr inRange e b (get, x) = ioProperty $ do
  result <- try (evaluate (written b))
  pure $ case result of
    Right bytes -> (inRange, runGet (get <* endOfInput) bytes) === (True, Right x)
    Left e' -> (inRange, e') === (False, e)

outOfRangeErrors :: Assertion
outOfRangeErrors =
  map
    displayException
    [ B.NoSuchTimeOfDay (TimeOfDay (-1) 59 59.5),
      B.NoSuchTimeZone 1440,
      B.NoSuchTimeOfUTC 86401
    ]
    @?= map
      ("Ashlar.Builder.Time: " <>)
      [ "a time of day of -1 hours, 59 minutes and 59.5 seconds is out of range",
        "a time zone of 1440 minutes is out of range",
        "86401s after midnight are out of range"
      ]

-- Bytes are changed, so most of these are wrong. All ways to run a decoder agree. Where time's
-- parser accepts the text, so do we.
mutated :: Property
mutated = withMaxSuccess 50 $
  forAll anyUtc $ \x -> forAll arbitrary $ \(i, k) -> forAll (elements "0159-:.TZ+ ;") $ \c ->
    let good = written (B.utcTime x)
        at = i `mod` (S.length good + 1)
        text = S.take at good <> C.cons c (S.drop (at + k `mod` 3) good)
        theirs = iso8601ParseM (C.unpack text) :: Maybe UTCTime
        ours = runGet (T.utcTime <* endOfInput) text
     in onEverySplit T.utcTime text (runGet T.utcTime text)
          .&&. case (theirs, ours) of
            -- It drops digits after the twelfth, and counts a leap second within a day as the next
            -- minute.
            (_, Left DecodeError {errorReason = Invalid message})
              | message `elem` ["a fraction of a picosecond", "a leap second within a day"] ->
                property True
            (Just y, _) | utctDayTime y < 86400 -> ours === Right y
            _ -> property True

otherWays :: Assertion
otherWays = do
  runGet T.timeOfDay "12:30" @?= Right (TimeOfDay 12 30 0)
  runGet T.timeOfDay "12:30:01.1234567890120" @?= Right (TimeOfDay 12 30 1.123456789012)
  runGet T.localTime "2024-01-02t03:04:05" @?= Right at345
  runGet T.localTime "2024-01-02 03:04:05" @?= Right at345
  runGet T.day "+12024-01-02" @?= Right (fromGregorian 12024 1 2)
  runGet T.day "-0001-01-02" @?= Right (fromGregorian (-1) 1 2)
  forM_ [("Z", 0), ("z", 0), ("+01:30", 90), ("+0130", 90), ("-01", -60), ("-00:00", 0)] $
    \(zone, minutes) -> do
      timeZoneMinutes <$> runGet T.timeZone zone @?= Right minutes
      runGet T.utcTime ("2024-01-02T03:04:05" <> zone)
        @?= Right (localTimeToUTC (minutesToTimeZone minutes) at345)
  timeZoneName <$> runGet T.timeZone "Z" @?= Right "UTC"
  where
    at345 = LocalTime (fromGregorian 2024 1 2) (TimeOfDay 3 4 5)

errors :: Property
errors =
  once $
    conjoin
      [ counterexample (show text) (agreesAt (() <$ T.utcTime <* endOfInput) text (Left at))
        | (text, at) <- cases
      ]
  where
    cases :: [(S.ByteString, Int64)]
    cases =
      [ ("", 0),
        ("2024", 4),
        ("202-01-01", 3),
        ("2024-1-01T00:00:00Z", 6),
        ("2024-00-01T00:00:00Z", 5),
        ("2024-13-01T00:00:00Z", 5),
        ("2024-01-00T00:00:00Z", 8),
        ("2024-02-30T00:00:00Z", 8),
        ("2023-02-29T00:00:00Z", 8),
        ("2024-01-01", 10),
        ("2024-01-01X00:00:00Z", 10),
        ("2024-01-01T24:00:00Z", 11),
        ("2024-01-01T00:60:00Z", 14),
        ("2024-01-01T00:00:61Z", 17),
        ("2024-01-01T00:00:60Z", 11),
        ("2024-01-01T00:00:0", 18),
        ("2024-01-01T00:00:00.Z", 20),
        ("2024-01-01T00:00:00.0000000000001Z", 32),
        ("2024-01-01T00:00:00", 19),
        ("2024-01-01T00:00:00+24:00", 20),
        ("2024-01-01T00:00:00+01:60", 23),
        ("2024-01-01T00:00:00+01:", 23),
        ("2024-01-01T00:00:00Zx", 20)
      ]
