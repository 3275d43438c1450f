{-# LANGUAGE AllowAmbiguousTypes #-}
{-# LANGUAGE DataKinds #-}
{-# LANGUAGE DeriveAnyClass #-}
{-# LANGUAGE DeriveGeneric #-}
{-# LANGUAGE DerivingStrategies #-}
{-# LANGUAGE DuplicateRecordFields #-}
{-# LANGUAGE GeneralizedNewtypeDeriving #-}
{-# LANGUAGE OverloadedStrings #-}
{-# LANGUAGE ScopedTypeVariables #-}
{-# LANGUAGE TypeApplications #-}

-- |
-- Module      : Tests.Evolution.Converted
-- Description : Values that a conversion refuses, and data that no conversion reads
module Tests.Evolution.Converted (tests) where

import Ashlar.Codec
import Ashlar.Codec.Packed (Packed (..), Unpacked (..))
import Ashlar.Get
import Ashlar.Schema hiding (Packed, Unpacked)
import Ashlar.Schema.Evolution
import qualified Data.ByteString as B
import qualified Data.ByteString.Lazy as L
import Data.Int (Int16, Int32, Int64)
import qualified Data.Map as M
import Data.Ratio (Ratio, (%))
import Data.Text (Text)
import qualified Data.Text as T
import Data.Time.Calendar (Day (..))
import Data.Time.Clock (DiffTime, UTCTime (..))
import Data.Word (Word16, Word8)
import GHC.Generics (Generic)
import Test.Tasty
import Test.Tasty.HUnit
import Test.Tasty.QuickCheck

tests :: TestTree
tests =
  testGroup
    "evolution: conversions"
    [ testProperty "one that never refuses is converted" neverRefuses,
      testProperty "a value that is refused, and its offset" refusing,
      testCase "a value that is refused, among many" amongMany,
      testCase "a value of another type that is translated first" translatedFirst,
      testProperty "a value that already has today's type is not converted" alreadyToday,
      testGroup "data that no conversion reads" unread
    ]

data Old = Old {item :: Text, ages :: [Int32], rest :: Int16}
  deriving stock (Generic)
  deriving anyclass (Codec, Described)

data Converted = Converted {rest :: Int32, ages :: Int64, item :: Text}
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec)

instance Described Converted where
  evolution = [converted @"ages" (sum . map (fromIntegral @Int32))]

data Either' = Either' {rest :: Int32, ages :: Int64, item :: Text}
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec)

instance Described Either' where
  evolution = [convertedEither @"ages" (Right . sum . map (fromIntegral @Int32))]

data Youngest = Youngest {rest :: Int32, ages :: Int64, item :: Text}
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec)

instance Described Youngest where
  evolution = [convertedEither @"ages" youngest]

youngest :: [Int32] -> Either String Int64
youngest xs = if null xs then Left "nobody" else Right (fromIntegral (minimum xs))

made :: Either Mismatch a -> a
made = either (error . show) id

neverRefuses :: String -> [Int32] -> Int16 -> Property
neverRefuses name xs k =
  fmap (\(Either' a b c) -> Converted a b c) (runGetWhole (made (plan (schema @Old))) bytes)
    === runGetWhole (made (plan (schema @Old))) bytes
  where
    bytes = encode (Old (T.pack name) xs k)

-- However the input comes.
refusing :: String -> [Int32] -> Int16 -> Property
refusing name xs k = forAll (choose (1, 9)) $ \width ->
  map brief [runGetWhole g bytes, runGetLazyWhole g (L.fromChunks (cut width bytes))]
    === replicate 2 model
  where
    g = made (plan @Youngest (schema @Old))
    t = T.pack name
    bytes = encode (Old t xs k)
    model = case youngest xs of
      Left why -> Left (fromIntegral (encodedSize t), Invalid why)
      Right age -> Right (Youngest (fromIntegral k) age t)
    brief = either (\e -> Left (errorOffset e, errorReason e)) Right
    cut w bs = if B.null bs then [] else let (a, b) = B.splitAt w bs in a : cut w b

-- The offset is that of the ages of the second.
amongMany :: Assertion
amongMany = do
  brief (runGetWhole g (encode [Old "a" [3, 2] 1, Old "b" [] 2])) @?= Left (44, Invalid "nobody")
  brief (runGetWhole g (encode [Old "a" [3, 2] 1])) @?= Right [Youngest 1 2 "a"]
  where
    g = made (plan @[Youngest] (schema @[Old]))
    brief = either (\e -> Left (errorOffset e, errorReason e)) Right

data Short = Short {item :: Text, ages :: [Int16], rest :: Int16}
  deriving stock (Generic)
  deriving anyclass (Codec, Described)

-- The old type of the conversion has wider numbers than the data.
translatedFirst :: Assertion
translatedFirst = do
  brief (Short "ab" [5, 4] 3) @?= Right (Youngest 3 4 "ab")
  brief (Short "ab" [] 3) @?= Left (10, Invalid "nobody")
  where
    brief =
      either (\e -> Left (errorOffset e, errorReason e)) Right
        . runGetWhole (made (plan @Youngest (schema @Short)))
        . encode

-- Each could be read as the old type of its conversion.
newtype Percent = Percent Word8
  deriving stock (Eq, Show)
  deriving newtype (Codec)

instance Described Percent where
  describe = whole @Word8 0 100

type Mixed = Packed (Word16, Unpacked Word16)

data Moment = Moment {utctDay :: Day, utctDayTime :: DiffTime}
  deriving stock (Generic)
  deriving anyclass (Codec, Described)

data Fields1 = Fields1 {share :: Percent, time :: UTCTime, odds :: Ratio Int16, both :: Mixed}
  deriving stock (Show, Generic)
  deriving anyclass (Codec, Described)

data Fields2 = Fields2
  { share :: Percent,
    time :: UTCTime,
    odds :: Ratio Int16,
    both :: Mixed,
    note :: Text
  }
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec)

instance Described Fields2 where
  evolution =
    [ added @"note" "",
      converted @"share" (\x -> Percent (round (100 * x :: Double))),
      converted @"time" (\(Moment day t) -> UTCTime day (t / 2)),
      converted @"odds" (fromRational . negate),
      converted @"both" (\(Packed (a, b)) -> Packed (a + 1, Unpacked (fromIntegral (b :: Int64))))
    ]

alreadyToday :: Property
alreadyToday = forAll fields $ \x@(Fields1 a b c d) ->
  runGetWhole (made (plan (schema @Fields1))) (encode x) === Right (Fields2 a b c d "")
  where
    fields = Fields1 <$> percent <*> moment <*> ratio <*> mixed
    percent = Percent <$> choose (0, 100)
    moment = UTCTime <$> (ModifiedJulianDay <$> arbitrary) <*> (fromInteger <$> choose (0, 86400))
    ratio = (%) <$> choose (-99, 99) <*> choose (1, 99)
    mixed = (\a b -> Packed (a, Unpacked b)) <$> arbitrary <*> arbitrary

data Inside1 = Inside1 {q :: Int, y :: Bool}
  deriving stock (Generic)
  deriving anyclass (Codec, Described)

data Inside2 = Inside2 {q :: Int, y :: Bool, z :: Bool}
  deriving stock (Generic)
  deriving anyclass (Codec, Described)

data Whole1 = Whole1 {ins :: [Inside1], n :: Int}
  deriving stock (Generic)
  deriving anyclass (Codec, Described)

data Whole2 = Whole2 {ins :: M.Map Int Inside2, n :: Int}
  deriving stock (Generic)
  deriving anyclass (Codec)

size' :: Whole2 -> Int
size' (Whole2 xs _) = M.size xs

numbered :: [Inside2] -> M.Map Int Inside2
numbered xs = M.fromList (zip [0 ..] xs)

instance Described Whole2 where
  evolution = [converted @"ins" numbered]

-- Of two conversions, the old type of the second is more like the data.
data Whole3 = Whole3 {ins :: M.Map Int Inside2, n :: Int}
  deriving stock (Generic)
  deriving anyclass (Codec)

instance Described Whole3 where
  evolution =
    [ converted @"ins" (\t -> M.singleton (T.length t) (Inside2 0 True True)),
      converted @"ins" numbered
    ]

-- A conversion that reads its data by another one.
data Outer = Outer {wholes :: Int, more :: Bool}
  deriving stock (Generic)
  deriving anyclass (Codec)

instance Described Outer where
  evolution = [converted @"wholes" size']

data Outer1 = Outer1 {wholes :: Whole1, more :: Bool}
  deriving stock (Generic)
  deriving anyclass (Codec, Described)

newtype Numbered = Numbered (M.Map Int Inside2)
  deriving stock (Generic)
  deriving anyclass (Codec)

instance Described Numbered where
  evolution = [converted @"1" numbered]

-- The record itself could become today's, if it had the same fields.
data Deeper = Deeper {part' :: Inside2, inner :: Bool}
  deriving stock (Generic)
  deriving anyclass (Codec)

instance Described Deeper where
  evolution = [converted @"part'" (\w -> Inside2 (size' w) True True)]

data Deeper1 = Deeper1 {part' :: Whole1, inner :: Bool}
  deriving stock (Generic)
  deriving anyclass (Codec, Described)

-- The field is a record of which a part has changed. The conversion is for older data.
data Plain = Plain {part' :: Inside2, inner :: Bool}
  deriving stock (Generic)
  deriving anyclass (Codec)

instance Described Plain where
  evolution = [converted @"part'" (\k -> Inside2 k True True)]

data Plain1 = Plain1 {part' :: Inside1, inner :: Bool}
  deriving stock (Generic)
  deriving anyclass (Codec, Described)

data Choice = First Int | Second Text Int64
  deriving stock (Generic)
  deriving anyclass (Codec)

instance Described Choice where
  evolution =
    [ renamedConstructor @"First1" @"First",
      renamedConstructor @"Second1" @"Second",
      converted @"Second.2" (\t -> fromIntegral (T.length t))
    ]

data Choice1 = First1 Int | Second1 Text Bool
  deriving stock (Generic)
  deriving anyclass (Codec, Described)

unread :: [TestTree]
unread =
  [ says @Whole2 @Whole1
      "a part of the old type"
      "Whole2.ins[].z (read by converted @\"ins\"): the field is new; give it a default with added \
      \@\"z\" in the evolution of Inside2",
    says @Whole3 @Whole1
      "the old type that is most like the data"
      "Whole3.ins[].z (read by converted @\"ins\"): the field is new; give it a default with added \
      \@\"z\" in the evolution of Inside2",
    says @Numbered @[Inside1]
      "a newtype outside of all fields"
      "value[].z (read by converted @\"1\"): the field is new; give it a default with added \
      \@\"z\" in the evolution of Inside2",
    says @Outer @Outer1
      "a conversion in a conversion"
      "Outer.wholes.ins[].z (read by converted @\"wholes\") (read by converted @\"ins\"): the \
      \field is new; give it a default with added @\"z\" in the evolution of Inside2",
    says @Deeper @Deeper1
      "a record whose procedure fails later"
      "Deeper.part'.ins[].z (read by converted @\"part'\") (read by converted @\"ins\"): the field \
      \is new; give it a default with added @\"z\" in the evolution of Inside2",
    says @Plain @Plain1
      "a conversion for other data, of a record that fits in part"
      "Plain.part'.z: the field is new; give it a default with added @\"z\" in the evolution of \
      \Inside2",
    says @Choice @Choice1
      "a field without a name, and the old type as a whole"
      "Choice.Second.2 (read by converted @\"Second.2\"): Bool cannot become Text; say how with \
      \converted @\"Second.2\" in the evolution of Choice",
    testCase "what does not fit, as a value" $
      either (\m -> Just (mismatchPath m, mismatchWhat m)) (const Nothing) planned'
        @?= Just ("Whole2.ins[].z", InConversion "ins" (FieldIsNew "z")),
    testCase "a field that fits without its conversion" $
      fmap (const ()) (plan @Converted (schema @Converted)) @?= Right ()
  ]
  where
    planned' = plan @Whole2 (schema @Whole1)

says ::
  forall new old. (Described new, Described old) => String -> Text -> TestTree
says name text =
  testCase name $ either describeMismatch (const "a plan") (plan @new (schema @old)) @?= text
