{-# LANGUAGE OverloadedStrings #-}

-- |
-- Module      : Tests.Repair
-- Description : Appending to files that were damaged, and schemas in them
module Tests.Repair (tests) where

import Ashlar.Codec (get)
import Ashlar.File
import Ashlar.File.Blocks
import Ashlar.File.Internal.Layout (fileHeaderBytes)
import Control.Exception (try)
import Control.Monad (forM)
import qualified Data.ByteString as S
import Data.Word (Word16, Word8)
import Test.Tasty
import Test.Tasty.QuickCheck
import Tests.Damaged
import Tests.Files
import Tests.Random

tests :: TestTree
tests =
  testGroup "repair" . map (localOption (QuickCheckMaxSize 20)) $
    [ testProperty "truncated at each byte: appending goes on after the last whole block" repaired,
      testProperty "a byte flipped: appending loses no other block" flippedBefore,
      testProperty "a byte of the last block flipped: appending cuts that off" flippedAtEnd,
      testProperty "a tail of any bytes: appending cuts it off" tails,
      testProperty "a copy of the file in its own records" ownCopy,
      testProperty "zeros, or a part of a header: the file is begun anew" unfinished,
      testProperty "a header that is damaged before a block: nothing is changed" damagedHeader,
      testProperty "records whose schema block is lost" schemaLost,
      testProperty "records after a lost schema block have one of their own" schemaAgain,
      testProperty "bytes lost before a schema: its records are read" schemaMoved
    ]

repaired :: Settings -> [Row] -> NonEmptyList Row -> Property
repaired settings xs (NonEmpty ys) = withMaxSuccess 5 . with settings xs $ \f ->
  fmap conjoin . forM [0 .. S.length (fileBytes f)] $ \i ->
    withBytesIn (S.take i (fileBytes f)) $ \path -> do
      withAppender (writing (fileSettings f)) rowType path (`writeMany` ys)
      got <- readAll reading rowType path
      let expected = wholeBefore f i ++ ys
      pure . counterexample ("length " ++ show i) $
        got === Ended (fromIntegral (length expected)) expected

flippedBefore :: Settings -> NonEmptyList Row -> [Row] -> Large Word16 -> Property
flippedBefore settings (NonEmpty xs) ys (Large k) = with settings xs $ \f -> do
  let i = fileStart f + fromIntegral k `mod` (S.length (fileBytes f) - fileStart f)
  withBytesIn (flipAt i 16 (fileBytes f)) $ \path -> do
    withAppender (writing (fileSettings f)) rowType path (`writeMany` ys)
    (outcome, _) <- resynced reading rowType path
    pure (fst (strictly outcome) === without f (maybe [] pure (blockOf f i)) ++ ys)

-- Nothing is appended after a block that cannot be read. (An index would be the last block.)
flippedAtEnd :: Settings -> NonEmptyList Row -> [Row] -> Large Word16 -> Property
flippedAtEnd settings (NonEmpty xs) ys (Large k) =
  with settings {settingsIndex = False} xs $ \f -> do
    let end = last (fileBlocks f)
        at = fromIntegral (blockAt end)
        i = at + fromIntegral k `mod` (S.length (fileBytes f) - at)
    withBytesIn (flipAt i 16 (fileBytes f)) $ \path -> do
      withAppender (writing (fileSettings f)) rowType path (`writeMany` ys)
      got <- readAll reading rowType path
      let expected = without f [end] ++ ys
      pure (got === Ended (fromIntegral (length expected)) expected)

tails :: Settings -> [Row] -> [Row] -> [Word8] -> Property
tails settings xs ys ws = with settings xs $ \f ->
  withBytesIn (fileBytes f <> S.pack ws) $ \path -> do
    withAppender (writing (fileSettings f)) rowType path (`writeMany` ys)
    got <- readAll reading rowType path
    pure (got === Ended (fromIntegral (length (xs ++ ys))) (xs ++ ys))

-- What a power failure leaves of a new file: zeros, or a header in which parts are zeros.
unfinished :: Settings -> NonNegative Int -> NonNegative Int -> [Row] -> Property
unfinished settings (NonNegative n) (NonNegative k) ys = with settings [] $ \f -> do
  let header = S.take (fileStart f) (fileBytes f)
      arrived = 16 + k `mod` (S.length header - 16)
      torn = S.take arrived header <> S.replicate (S.length header - arrived) 0
  conjoin <$> mapM begunAnew [S.replicate n 0, torn, torn <> S.replicate n 0]
  where
    begunAnew bytes = withBytesIn bytes $ \path -> do
      withAppender (writing settings) rowType path (`writeMany` ys)
      got <- readAll reading rowType path
      pure (got === Ended (fromIntegral (length ys)) ys)

damagedHeader :: Settings -> NonEmptyList Row -> Property
damagedHeader settings (NonEmpty xs) = with settings xs $ \f ->
  fmap conjoin . forM [0, fileStart f - 1] $ \i ->
    withBytesIn (S.replicate i 0 <> S.drop i (flipAt i 1 (fileBytes f))) $ \path -> do
      before <- S.readFile path
      r <- try (withAppender (writing (fileSettings f)) rowType path (`writeMany` xs))
      now <- S.readFile path
      let refused = either damageCause (const NotABlock) r `elem` [NotAFile, WrongHeader]
      pure (refused .&&. before === now)

-- Records that contain the file itself. What is searched for from its end is not found in them.
ownCopy :: Property
ownCopy = withMaxSuccess 20 . forAll (choose (1, 300)) $ \cut -> ioProperty . inFile $ \path -> do
  let ty = fixedType "backup" :: RecordType S.ByteString
      options = defaultWriteOptions {writeIndex = False, writeBlockSize = 10}
  withWriter options ty path (`writeMany` ["a", "b"])
  copy <- S.readFile path
  header <- S.take 58 <$> S.readFile path
  withAppender options ty path (`writeMany` ["c", copy, copy <> copy])
  before <- S.readFile path
  -- The tail is whole, or cut off in the block that has the copies. These cannot be told from files
  -- that were joined to one whose writer was killed. So they are not cut off.
  let torn = S.take (S.length before - cut) before
  S.writeFile path torn
  short <- try (withAppender options ty path (`writeMany` ["d"]))
  unchanged <- S.readFile path
  S.writeFile path before
  withAppender options ty path (`writeMany` ["d"])
  whole <- readAll reading ty path
  single <- withReader reading ty path (\reader -> mapM (readAt reader) [0 .. 6])
  let expected = ["a", "b", "c", copy, copy <> copy, "d"]
  pure $
    conjoin
      [ whole === Ended 6 expected,
        single === Right (map (Right . Just) expected ++ [Right Nothing]),
        counterexample (show short) $ case short of
          -- The header of a copy may be cut off, or its only block.
          Right () -> property (S.length copy * 2 - cut < S.length header)
          Left d
            | AnotherFile other <- damageCause d ->
              property (otherRecords other `elem` [0, 2])
          _ -> property False,
        property (unchanged == torn || short == Right ())
      ]

evolving :: String -> RecordType Word8
evolving name = (fixedType name) {typeEvolved = \_ _ -> Right (evolvedBy get)}

-- Records of three types. The schema of the second one is damaged.
schemaLost :: NonEmptyList Word8 -> NonEmptyList Word8 -> NonEmptyList Word8 -> Property
schemaLost (NonEmpty as) (NonEmpty bs) (NonEmpty cs) = ioProperty . inFile $ \path -> do
  appendRecords (evolving "a") path as
  appendRecords (evolving "b") path bs
  appendRecords (evolving "c") path cs
  got <- foldBlocks defaultReadOptions path (\acc e -> pure (e : acc)) []
  bytes <- S.readFile path
  let schemas = [b | WholeBlock b <- either (const []) reverse got, isSchema b]
      at = maximum (map (fromIntegral . blockEnd) (take 1 schemas)) - 1
      isSchema b = blockKind (blockHeader b) == Schema
  S.writeFile path (flipAt at 1 bytes)
  (strict, damage) <- strictly <$> readAll reading (evolving "c") path
  (outcome, lost) <- resynced reading (evolving "c") path
  -- Who has the second type needs no schema of it.
  (second, _) <- resynced reading (evolving "b") path
  pure $
    conjoin
      [ length schemas === 2,
        strict === as,
        fmap damageCause damage === Just WrongChecksum,
        fst (strictly outcome) === as ++ cs,
        map (damageCause . lostDamage) lost === [WrongChecksum, UnknownSchema],
        fst (strictly second) === as ++ bs ++ cs
      ]

-- Later types can read what is appended, but not the records whose schema was lost.
schemaAgain :: NonEmptyList Word8 -> NonEmptyList Word8 -> NonEmptyList Word8 -> Property
schemaAgain (NonEmpty as) (NonEmpty bs) (NonEmpty cs) = ioProperty . inFile $ \path -> do
  appendRecords (evolving "a") path as
  before <- S.length <$> S.readFile path
  appendRecords (evolving "b") path bs
  S.readFile path >>= S.writeFile path . flipAt (before + blockHeaderBytes) 1
  appendRecords (evolving "b") path cs
  (same, _) <- resynced reading (evolving "b") path
  (other, lost) <- resynced reading (evolving "c") path
  pure $
    conjoin
      [ fst (strictly same) === as ++ bs ++ cs,
        fst (strictly other) === as ++ cs,
        map (damageCause . lostDamage) lost === [WrongChecksum, UnknownSchema]
      ]

-- Records of two types, where bytes of the first block are lost. What refers to the second schema
-- does so by the offset that it had.
schemaMoved :: NonEmptyList Word8 -> NonEmptyList Word8 -> Positive Int -> Property
schemaMoved (NonEmpty as) (NonEmpty bs) (Positive n) = ioProperty . inFile $ \path -> do
  appendRecords (evolving "a") path as
  appendRecords (evolving "b") path bs
  Right h <- readHeader path
  bytes <- S.readFile path
  let at = fileHeaderBytes h + blockHeaderBytes
      lost = 1 + n `mod` length as
      new = S.take at bytes <> S.drop (at + lost) bytes
      body = S.take (length as) . S.drop at
  S.writeFile path new
  (outcome, damage) <- resynced reading (evolving "c") path
  -- If the bytes that follow are the same, it is the second block that has lost bytes.
  pure $ body new /= body bytes ==> fst (strictly outcome) === bs .&&. length damage === 1
