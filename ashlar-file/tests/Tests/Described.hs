{-# LANGUAGE DataKinds #-}
{-# LANGUAGE DeriveAnyClass #-}
{-# LANGUAGE DeriveGeneric #-}
{-# LANGUAGE DerivingStrategies #-}
{-# LANGUAGE DuplicateRecordFields #-}
{-# LANGUAGE OverloadedStrings #-}
{-# LANGUAGE TypeApplications #-}

-- |
-- Module      : Tests.Described
-- Description : Files of types that describe themselves
module Tests.Described (tests) where

import Ashlar.Codec
  ( Codec,
    HasFormat (..),
    decode,
    derivedFormat,
    satisfying,
    summarizeError,
  )
import Ashlar.File
import Ashlar.File.Blocks (FileHeader (..), readHeader)
import Ashlar.File.Described
import Ashlar.Schema
  ( Described (..),
    added,
    convertedEither,
    droppedConstructor,
    fingerprint,
    renamed,
    renamedConstructor,
    schema,
  )
import Control.Exception (displayException, try)
import qualified Data.ByteString as S
import Data.Either (isLeft)
import Data.Int (Int64)
import Data.List (isInfixOf)
import Data.Maybe (listToMaybe, mapMaybe)
import GHC.Generics (Generic)
import Test.Tasty
import Test.Tasty.QuickCheck
import Tests.Files
import qualified Tests.Newer as Newer
import Tests.Random (resynced, strictly)

tests :: TestTree
tests =
  localOption (QuickCheckTests 30) . localOption (QuickCheckMaxSize 30) $
    testGroup
      "types that describe themselves"
      [ testProperty "what is written is read, also by types of the same format" roundTrip,
        testProperty "records of an older type are read as today's" older,
        testProperty "the header has the schema and its fingerprint" schemaInHeader,
        testProperty "another format is refused, with the path to what is different" refused,
        testProperty "what is no schema is refused" noSchema,
        testProperty "a dropped constructor: reading on loses these records alone" droppedRecords,
        testProperty "a new condition: reading on loses these records alone" conditions,
        testProperty "a conversion that refuses: reading on loses these records alone" conversions,
        testProperty "newer data: unknown fields are skipped" unknownFields,
        testProperty "newer data: reading on loses unknown constructors alone" unknownConstructors,
        testProperty "newer data: an old and a new program append to one file" bothAppend,
        testProperty "newer data: what the type needs must be there" missingField
      ]

data Item price = Item {name :: String, price :: price}
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec, Described)

data Order price = Order {number :: Int64, items :: [Item price]}
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec, Described)

newtype Euro = Euro Double
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec, Described)

type Plain = (Int64, [(String, Double)])

orders :: [Plain] -> [Order Double]
orders = map (\(n, is) -> Order n [Item s p | (s, p) <- is])

-- All records.
readAll :: Codec a => RecordType a -> FilePath -> IO (Either Damage [a])
readAll ty path = fmap reverse <$> foldRecords ty path (\xs x -> pure (x : xs)) []

roundTrip :: [Plain] -> [Plain] -> Property
roundTrip xs ys = ioProperty . inFile $ \path -> do
  writeRecords described path (orders xs)
  appendRecords described path [fmap' Euro o | o <- orders ys]
  doubles <- readAll described path
  euros <- readAll described path
  let expected = orders (xs ++ ys)
  pure (doubles === Right expected .&&. euros === Right (map (fmap' Euro) expected))
  where
    fmap' f (Order n is) = Order n [Item s (f p) | Item s p <- is]

-- An order as it is later.
data Later = Later {channel :: String, items :: [Item Double], count :: Integer}
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec)

instance Described Later where
  evolution = [added @"channel" "web", renamed @"number" @"count"]

older :: [Plain] -> [(String, Plain)] -> Property
older xs ys = ioProperty . inFile $ \path -> do
  writeRecords described path (orders xs)
  appendRecords described path [later c n is | (c, (n, is)) <- ys]
  r <- readAll described path
  pure (r === Right ([later "web" n is | (n, is) <- xs] ++ [later c n is | (c, (n, is)) <- ys]))
  where
    later c n is = Later c [Item s p | (s, p) <- is] (fromIntegral n)

schemaInHeader :: [Plain] -> Property
schemaInHeader xs = ioProperty . inFile $ \path -> do
  writeRecords described path (orders xs)
  header <- readHeader path
  let stored = either (const Nothing) Just header
  pure $
    (decode . fileSchema <$> stored) === Just (Right (schema @(Order Double)))
      .&&. (fileFingerprint <$> stored) === Just (fingerprint @(Order Double))

refused :: [Plain] -> Property
refused xs = ioProperty . inFile $ \path -> do
  writeRecords described path (orders xs)
  before <- S.readFile path
  let float = described :: RecordType (Order Float)
  r <- readAll float path
  appended <- try (appendRecords float path []) :: IO (Either Damage ())
  afterwards <- S.readFile path
  pure $
    case r of
      Left (Damage _ 0 _ 0 (WrongType why)) ->
        counterexample why $
          "Order.items[].price: Double cannot become Float" `isInfixOf` why
            && isLeft appended
            && before == afterwards
      _ -> counterexample "accepted" False

noSchema :: String -> Property
noSchema text = ioProperty . inFile $ \path -> do
  writeRecords (fixedType text) path [1 :: Int64]
  r <- readAll (described :: RecordType Int64) path
  pure $ case r of
    Left (Damage _ 0 _ 0 (WrongType why)) ->
      counterexample why ("the schema of the records cannot be read" `isInfixOf` why)
    _ -> counterexample "accepted" False

data Event = Login Int64 | Debug String | Logout String
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec, Described)

instance Arbitrary Event where
  arbitrary = oneof [Login <$> arbitrary, Debug <$> arbitrary, Logout <$> arbitrary]

-- An event as it is later.
data LaterEvent = In Integer | Out String
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec)

instance Described LaterEvent where
  evolution =
    [ renamedConstructor @"Login" @"In",
      renamedConstructor @"Logout" @"Out",
      droppedConstructor @"Debug"
    ]

droppedRecords :: Positive Int -> [Event] -> Property
droppedRecords size xs = losesAlone described size xs later
  where
    later x = case x of
      Login n -> Just (In (fromIntegral n))
      Debug _ -> Nothing
      Logout s -> Just (Out s)

newtype Short = Short String
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec, Described)

instance HasFormat Short where
  format = satisfying "long" (\(Short s) -> length s < 5) derivedFormat

conditions :: Positive Int -> [String] -> Property
conditions size xs =
  losesAlone described size xs (\s -> if length s < 5 then Just (Short s) else Nothing)

newtype Initial = Initial Char
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec)

instance Described Initial where
  evolution = [convertedEither @"1" (maybe (Left "no letters") Right . listToMaybe @Char)]

conversions :: Positive Int -> [String] -> Property
conversions size xs = losesAlone described size xs (fmap Initial . listToMaybe)

-- What is read of records of one type as records of another, given what becomes of each.
losesAlone ::
  (Described a, Described b, Eq b, Show b) =>
  RecordType b ->
  Positive Int ->
  [a] ->
  (a -> Maybe b) ->
  Property
losesAlone ty (Positive size) xs later = ioProperty . inFile $ \path -> do
  let options = defaultWriteOptions {writeBlockSize = 10 * size}
  withWriter options described path (`writeMany` xs)
  (outcome, lost) <- resynced defaultReadOptions ty path
  singles <- withReader defaultReadOptions ty path $ \reader ->
    mapM (readAt reader) [0 .. fromIntegral (length xs) - 1]
  let gone = [n | (n, x) <- zip [0 ..] xs, null (mapMaybe later [x])]
  pure $
    strictly outcome === (mapMaybe later xs, Nothing)
      .&&. map (damageRecord . lostDamage) lost === gone
      .&&. map lostNext lost === map (Just . (+ 1)) gone
      .&&. fmap (map (either (const Nothing) id)) singles === Right (map later xs)

-- An entry, of which "Tests.Newer" has a newer version.
data Entry = Entry {number :: Integer, event :: Event, items :: [Item Double]}
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec, Described)

-- What this program knows of a newer entry.
known :: Newer.Entry -> Maybe Entry
known (Newer.Entry _ is e n) = (\e' -> Entry n e' [Item s p | Newer.Item p _ s <- is]) <$> event'
  where
    event' = case e of
      Newer.Login k -> Just (Login k)
      Newer.Debug s -> Just (Debug s)
      Newer.Logout s -> Just (Logout s)
      Newer.Failure _ -> Nothing

unknownFields :: [Newer.Entry] -> Property
unknownFields xs = ioProperty . inFile $ \path -> do
  writeRecords described path xs
  skipping <- readAll describedSkipping path
  strict <- readAll (described :: RecordType Entry) path
  pure $
    refusedFor "Entry: the data have a field note" strict
      .&&. case break (null . known) xs of
        (_, []) -> skipping === Right (mapMaybe known xs)
        (before, _) -> case skipping of
          Left d@(Damage _ _ _ n (BadRecord e)) ->
            n === fromIntegral (length before)
              .&&. summarizeError e `contains` "constructor Failure, which the type does not have"
              .&&. displayException d `contains` "constructor Failure"
          _ -> counterexample (show skipping) False

unknownConstructors :: Positive Int -> [Newer.Entry] -> Property
unknownConstructors size xs = losesAlone describedSkipping size xs known

-- Each program appends, and each reads what both have written.
bothAppend :: [Newer.Entry] -> [Newer.Entry] -> Property
bothAppend xs ys = ioProperty . inFile $ \path -> do
  appendRecords described path new
  appendRecords describedSkipping path old
  olds <- readAll describedSkipping path
  news <- readAll described path
  pure $
    olds === Right (mapMaybe known new ++ old)
      .&&. news === Right (new ++ map back (filter isKnown ys))
  where
    new = filter isKnown xs
    old = mapMaybe known ys
    isKnown = not . null . known
    back (Newer.Entry _ is e n) = Newer.Entry "none" [i {Newer.weight = 0} | i <- is] e n

data Demanding = Demanding {number :: Integer, channel :: String}
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec, Described)

missingField :: [Newer.Entry] -> Property
missingField xs = ioProperty . inFile $ \path -> do
  writeRecords described path xs
  r <- readAll (describedSkipping :: RecordType Demanding) path
  pure (refusedFor "Demanding.channel: the field is new" r)

-- Nothing is read, and the reason has this in it.
refusedFor :: Show a => String -> Either Damage [a] -> Property
refusedFor part r = case r of
  Left (Damage _ 0 _ 0 (WrongType why)) -> why `contains` part
  _ -> counterexample (show r) False

contains :: String -> String -> Property
contains text part = counterexample text (part `isInfixOf` text)
