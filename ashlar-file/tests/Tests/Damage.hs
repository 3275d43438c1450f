{-# LANGUAGE DerivingStrategies #-}
{-# LANGUAGE OverloadedStrings #-}

-- |
-- Module      : Tests.Damage
-- Description : Files that were damaged
module Tests.Damage (tests) where

import Ashlar.Codec (get)
import Ashlar.File
import Ashlar.File.Blocks
import Ashlar.File.Internal.Layout (magic)
import Ashlar.Get (newSource)
import Control.Exception (try)
import Control.Monad (forM)
import Data.Bits (xor)
import qualified Data.ByteString as S
import Data.IORef (atomicModifyIORef', newIORef)
import Data.Int (Int64)
import qualified Data.List as List
import Data.Maybe (isJust)
import Data.Word (Word8)
import Test.Tasty
import Test.Tasty.QuickCheck
import Tests.Files
import Tests.Random

tests :: TestTree
tests =
  testGroup "damage" . map (localOption (QuickCheckMaxSize 20)) $
    [ testProperty "each byte flipped: found, and no other block is lost" flipped,
      testProperty "truncated at each byte: all whole blocks are read" truncated,
      testProperty "truncated at each byte: appending goes on after the last whole block" repaired,
      testProperty "a byte flipped: appending loses no other block" flippedBefore,
      testProperty "bytes lost, inserted or overwritten: no other block is lost" edited,
      testProperty "as many bytes lost as the next blocks have: these are found" hidden,
      testProperty "blocks swapped, lost or repeated" rearranged,
      testProperty "two files, one after the other" (once concatenated),
      testProperty "single records of a damaged file" singles,
      testProperty "a source says the same as a file" sources,
      testProperty "a tail of any bytes: appending cuts it off" tails,
      testProperty "a copy of the file in its own records" ownCopy,
      testProperty "a schema that is lost" schemaLost,
      testProperty "no such file" notAFile
    ]

-- A file of random records, its bytes, and where its blocks begin.
data File = File
  { fileSettings :: Settings,
    fileRows :: [Row],
    fileBytes :: S.ByteString,
    -- | The blocks, and the offset of the first one.
    fileBlocks :: [Block],
    fileStart :: Int
  }

instance Show File where
  show f = show (fileSettings f, fileRows f, map blockAt (fileBlocks f), S.length (fileBytes f))

made :: Settings -> [Row] -> IO File
made settings xs = inFile $ \path -> do
  withWriter (writing settings) rowType path (`writeMany` xs)
  bytes <- S.readFile path
  got <- foldBlocks defaultReadOptions path (\acc e -> pure (e : acc)) []
  let blocks = [b | WholeBlock b <- either (const []) (reverse . snd) got]
      size = sum (map (\b -> blockHeaderBytes + blockStored (blockHeader b)) blocks)
  pure (File settings xs bytes blocks (S.length bytes - size))

onFile :: (File -> IO Property) -> Settings -> [Row] -> Property
onFile prop settings xs = ioProperty $ do
  -- Several blocks.
  f <- made settings {settingsBlock = 1 + settingsBlock settings `mod` 150} xs
  counterexample (show f) <$> prop f

with :: Settings -> [Row] -> (File -> IO Property) -> Property
with settings xs prop = onFile prop settings xs

-- The records of a block.
rowsOf :: File -> Block -> [Row]
rowsOf f b = List.genericTake n (List.genericDrop (blockFirst (blockHeader b)) (fileRows f))
  where
    n = blockCount (blockHeader b)

-- The block that an offset lies in.
blockOf :: File -> Int -> Maybe Block
blockOf f i =
  List.find (\b -> blockAt b <= at && at < blockEnd b) (fileBlocks f)
  where
    at = fromIntegral i

without :: File -> Maybe Block -> [Row]
without f b = concat [rowsOf f c | c <- fileBlocks f, Just (blockAt c) /= fmap blockAt b]

flipAt :: Int -> Word8 -> S.ByteString -> S.ByteString
flipAt i w bytes = S.take i bytes <> S.pack [S.index bytes i `xor` w] <> S.drop (i + 1) bytes

isPrefix :: [Row] -> [Row] -> Property
isPrefix xs ys = xs === take (length xs) ys

flipped :: Settings -> [Row] -> Property
flipped settings xs = withMaxSuccess 5 . forAll (choose (1, 255)) $ \w -> with settings xs $ \f ->
  fmap conjoin . forM [0 .. S.length (fileBytes f) - 1] $ \i ->
    withBytesIn (flipAt i w (fileBytes f)) $ \path -> do
      (got, damage) <- strictly <$> readAll reading rowType path
      (outcome, lost) <- resynced reading rowType path
      let block = blockOf f i
          hit = fmap (blockKind . blockHeader) block
          before = concat [rowsOf f b | b <- fileBlocks f, blockEnd b <= fromIntegral i]
          nextRow = fromIntegral (length before) :: Int64
          -- If the header of the file is damaged, its compression is not known.
          header = i < fileStart f
          expected = without f block
      pure . counterexample ("byte " ++ show i ++ ", in " ++ show (fmap blockAt block)) $
        conjoin
          [ counterexample "up to the damage" (got === before),
            counterexample "damage" $ case damage of
              Nothing -> property False
              Just d ->
                damageRecord d === nextRow
                  .&&. (damageOffset d <$ block) === fmap blockAt block,
            counterexample "after the damage" $
              if header
                then case strictly outcome of
                  -- There may be no block to find.
                  (_, Just _) -> property (null (fileBlocks f) || i `elem` [8 .. 11])
                  (ys, Nothing) -> ys === fileRows f
                else fst (strictly outcome) === expected .&&. length lost === 1,
            counterexample (show lost) $
              property (hit /= Just Records || header || lostRange lost == fmap range block)
          ]
  where
    range b = (blockAt b, blockEnd b)
    lostRange lost = case lost of
      [l] -> Just (damageOffset (lostDamage l), lostTo l)
      _ -> Nothing

-- How many records there are in blocks that end before an offset.
wholeBefore :: File -> Int -> [Row]
wholeBefore f i = concat [rowsOf f b | b <- fileBlocks f, blockEnd b <= fromIntegral i]

truncated :: Settings -> [Row] -> Property
truncated settings xs = withMaxSuccess 8 . with settings xs $ \f ->
  fmap conjoin . forM [0 .. S.length (fileBytes f)] $ \i ->
    withBytesIn (S.take i (fileBytes f)) $ \path -> do
      (got, damage) <- strictly <$> readAll reading rowType path
      lenient <- readAll reading {readWholeTail = False} rowType path
      live <- resynced reading {readWholeTail = False} rowType path
      let whole = wholeBefore f i
          boundary =
            i == fileStart f || any (\b -> blockEnd b == fromIntegral i) (fileBlocks f)
      pure . counterexample ("length " ++ show i) $
        conjoin
          [ got === whole,
            case fmap damageCause damage of
              Nothing -> property boundary
              Just (Truncated _ _) -> property (not boundary && i > fileStart f)
              Just (TruncatedHeader _ n) -> n === i .&&. property (i < fileStart f)
              Just cause -> counterexample (show cause) False,
            if i < fileStart f
              then property True
              else
                lenient === Ended (fromIntegral (length whole)) whole
                  .&&. live === (lenient, [])
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

flippedBefore :: Settings -> NonEmptyList Row -> [Row] -> NonNegative Int -> Property
flippedBefore settings (NonEmpty xs) ys (NonNegative k) = with settings xs $ \f -> do
  let i = fileStart f + k `mod` (S.length (fileBytes f) - fileStart f)
  withBytesIn (flipAt i 16 (fileBytes f)) $ \path -> do
    withAppender (writing (fileSettings f)) rowType path (`writeMany` ys)
    (outcome, _) <- resynced reading rowType path
    pure (fst (strictly outcome) === without f (blockOf f i) ++ ys)

-- A change of some bytes.
data Edit = Edit Int Int [Word8]
  deriving stock (Show)

instance Arbitrary Edit where
  arbitrary =
    Edit <$> choose (0, 1000000) <*> frequency [(1, pure 0), (3, choose (0, 200))] <*> arbitrary
  shrink (Edit i n ws) = [Edit i n' ws | n' <- shrink n] ++ [Edit i n ws' | ws' <- shrink ws]

edited :: Settings -> NonEmptyList Row -> Edit -> Property
edited settings (NonEmpty xs) (Edit at n ws) = with settings xs $ \f -> do
  let bytes = fileBytes f
      -- The header stays: without it the compression is not known.
      i = fileStart f + at `mod` (S.length bytes - fileStart f)
      new = S.take i bytes <> S.pack ws <> S.drop (i + n) bytes
      from = fromIntegral i
      to = fromIntegral (i + n)
      -- A block is not touched if nothing between its ends was changed.
      kept = [b | b <- fileBlocks f, blockEnd b <= from || blockAt b >= to && (from <= blockAt b)]
  withBytesIn new $ \path -> do
    (got, damage) <- strictly <$> readAll reading rowType path
    (outcome, lost) <- resynced reading rowType path
    let ys = fst (strictly outcome)
        expected = concatMap (rowsOf f) kept
    pure . counterexample (show (i, lost)) $
      conjoin
        [ isPrefix got (fileRows f),
          counterexample "damage" (property (new == bytes || isJust damage || shorter f new)),
          -- A block that was written over by itself may be whole.
          counterexample (show (map rowNumber ys, map rowNumber expected)) $
            property (expected `List.isSubsequenceOf` ys && ys `List.isSubsequenceOf` fileRows f)
        ]
  where
    -- Whole blocks at the end are gone: that is no damage.
    shorter f new =
      new `S.isPrefixOf` fileBytes f
        && S.length new `elem` (fileStart f : map (fromIntegral . blockEnd) (fileBlocks f))

-- What is left of a damaged block and the blocks after it have as many bytes together as its header
-- announces. So a later block begins where this one should end, or the file ends there.
hidden :: Settings -> NonEmptyList Row -> Property
hidden settings (NonEmpty xs) = with settings xs $ \f -> do
  let blocks = fileBlocks f
      bytes = fileBytes f
      cuts =
        [ (b, bodyAt b, n)
          | b : later <- List.tails blocks,
            next <- later,
            let n = fromIntegral (blockEnd next - blockEnd b),
            n <= blockStored (blockHeader b)
        ]
  fmap conjoin . forM cuts $ \(b, from, n) ->
    withBytesIn (S.take from bytes <> S.drop (from + n) bytes) $ \path -> do
      (outcome, lost) <- resynced reading rowType path
      pure . counterexample (show (blockAt b, n, lost)) $
        fst (strictly outcome) === without f (Just b) .&&. length lost === 1
  where
    bodyAt b = fromIntegral (blockAt b) + blockHeaderBytes

rearranged :: Settings -> NonEmptyList Row -> NonNegative Int -> NonNegative Int -> Property
rearranged settings (NonEmpty xs) (NonNegative a) (NonNegative b) = with settings xs $ \f -> do
  let blocks = fileBlocks f
      n = length blocks
      i = a `mod` n
      j = b `mod` n
      bytesOf k = slice (blocks !! k)
      slice x = S.take (fromIntegral (blockEnd x - blockAt x)) (following x)
      following x = S.drop (fromIntegral (blockAt x)) (fileBytes f)
      orders =
        [ [if k == i then j else if k == j then i else k | k <- [0 .. n - 1]],
          [k | k <- [0 .. n - 1], k /= i],
          concat [if k == i then [k, k] else [k] | k <- [0 .. n - 1]],
          concat [if k == i then [k, j] else [k] | k <- [0 .. n - 1]]
        ]
  fmap conjoin . forM orders $ \order ->
    withBytesIn (S.take (fileStart f) (fileBytes f) <> S.concat (map bytesOf order)) $ \path -> do
      (got, _) <- strictly <$> readAll reading rowType path
      (outcome, lost) <- resynced reading rowType path
      let expected = ascending 0 [blocks !! k | k <- order]
      pure . counterexample (show (order, lost)) $
        isPrefix got (fileRows f)
          .&&. fst (strictly outcome) === concatMap (rowsOf f) expected
          .&&. property (not (null lost) || fst (strictly outcome) `List.isPrefixOf` fileRows f)
  where
    -- The blocks that begin with a record that was not read before.
    ascending _ [] = []
    ascending next (x : rest)
      | blockFirst h >= next = x : ascending (blockFirst h + fromIntegral (blockCount h)) rest
      | otherwise = ascending next rest
      where
        h = blockHeader x

concatenated :: Property
concatenated = ioProperty $ do
  f <- made (Settings 50 True False) [Row i "a" [] Nothing | i <- [1 .. 10]]
  g <- made (Settings 50 False False) [Row i "b" [] Nothing | i <- [1 .. 10]]
  withBytesIn (fileBytes f <> fileBytes g) $ \path -> do
    (got, damage) <- strictly <$> readAll reading rowType path
    (outcome, lost) <- resynced reading rowType path
    pure $
      (got, fmap damageCause damage, fmap damageOffset damage)
        === (fileRows f, Just AnotherFile, Just (fromIntegral (S.length (fileBytes f))))
        .&&. fst (strictly outcome)
        === fileRows f
        .&&. map lostTo lost
        === [fromIntegral (S.length (fileBytes f <> fileBytes g))]

singles :: Settings -> NonEmptyList Row -> NonNegative Int -> Property
singles settings (NonEmpty xs) (NonNegative k) = with settings xs $ \f -> do
  let i = fileStart f + k `mod` (S.length (fileBytes f) - fileStart f)
      lost = maybe [] numbers (blockOf f i)
      numbers b = [blockFirst h .. blockFirst h + fromIntegral (blockCount h) - 1]
        where
          h = blockHeader b
  withBytesIn (flipAt i 1 (fileBytes f)) $ \path -> do
    got <- withReader reading rowType path $ \reader ->
      forM [0 .. length xs - 1] (readAt reader . fromIntegral)
    pure $ case got of
      Left d -> counterexample (show d) False
      Right found -> conjoin (zipWith3 (right lost) [0 ..] found (fileRows f))
  where
    right lost n found x
      -- The last block may have been taken for a tail that is cut off.
      | n `elem` lost = property (found == Right Nothing || either (const True) (const False) found)
      | otherwise = found === Right (Just x)

sources :: Settings -> NonEmptyList Row -> NonNegative Int -> Positive Int -> Property
sources settings (NonEmpty xs) (NonNegative k) (Positive chunk) = with settings xs $ \f -> do
  let bytes = flipAt (k `mod` S.length (fileBytes f)) 4 (fileBytes f)
  rest <- newIORef bytes
  second <- newIORef bytes
  let next ref = newSource (atomicModifyIORef' ref (\b -> (S.drop chunk b, S.take chunk b)))
      fold options ref = do
        source <- next ref
        foldSourceWith options rowType "records" source (\acc x -> pure (Right (x : acc))) []
  withBytesIn bytes $ \path -> do
    strict <- readAll reading rowType path
    (lenient, _) <- resynced reading rowType path
    fromSource <- fold reading rest
    resync <- fold reading {readResync = Just (const (pure ()))} second
    pure $
      named fromSource === named (backwards strict)
        .&&. named resync === named (backwards lenient)
  where
    backwards outcome = case outcome of
      Ended n ys -> Ended n (reverse ys)
      Stopped n () -> Stopped n ()
      Damaged n ys d -> Damaged n (reverse ys) d
    named :: Outcome () [Row] -> Outcome () [Row]
    named outcome = case outcome of
      Damaged n ys d -> Damaged n ys d {damageFile = ""}
      _ -> outcome

tails :: Settings -> [Row] -> [Row] -> [Word8] -> Property
tails settings xs ys ws = with settings xs $ \f ->
  withBytesIn (fileBytes f <> S.pack ws) $ \path -> do
    withAppender (writing (fileSettings f)) rowType path (`writeMany` ys)
    got <- readAll reading rowType path
    pure (got === Ended (fromIntegral (length (xs ++ ys))) (xs ++ ys))

-- Records that contain the file itself. What is searched for from its end is not found in them.
ownCopy :: Property
ownCopy = withMaxSuccess 20 . forAll (choose (1, 300)) $ \cut -> ioProperty . inFile $ \path -> do
  let ty = fixedType "backup" :: RecordType S.ByteString
      options = defaultWriteOptions {writeIndex = False, writeBlockSize = 10}
  withWriter options ty path (`writeMany` ["a", "b"])
  copy <- S.readFile path
  withAppender options ty path (`writeMany` ["c", copy, copy <> copy])
  before <- S.readFile path
  -- The tail is whole, or cut off in the block that has the copies.
  S.writeFile path (S.take (S.length before - cut) before)
  withAppender options ty path (`writeMany` ["d"])
  short <- readAll reading ty path
  S.writeFile path before
  withAppender options ty path (`writeMany` ["d"])
  whole <- readAll reading ty path
  single <- withReader reading ty path (\reader -> mapM (readAt reader) [0 .. 6])
  let expected = ["a", "b", "c", copy, copy <> copy, "d"]
  pure $
    conjoin
      [ whole === Ended 6 expected,
        single === Right (map (Right . Just) expected ++ [Right Nothing]),
        short === Ended 5 ["a", "b", "c", copy, "d"]
      ]

notAFile :: [Word8] -> Property
notAFile ws = ioProperty . withBytesIn (S.pack ws) $ \path -> do
  (got, damage) <- strictly <$> readAll reading rowType path
  (outcome, _) <- resynced reading rowType path
  appended <- try (appendRecords rowType path [])
  unchanged <- S.readFile path
  pure $ case fmap damageCause damage of
    Just NotAFile ->
      got === []
        .&&. fst (strictly outcome) === []
        .&&. either damageCause (const WrongHeader) (appended :: Either Damage ()) === NotAFile
        .&&. unchanged === S.pack ws
    Just (TruncatedHeader _ _) -> property (S.take 8 (S.pack ws) `S.isPrefixOf` magic)
    other -> counterexample (show other) False

-- Records of three types. The schema of the second one is damaged.
schemaLost :: NonEmptyList Word8 -> NonEmptyList Word8 -> NonEmptyList Word8 -> Property
schemaLost (NonEmpty as) (NonEmpty bs) (NonEmpty cs) = ioProperty . inFile $ \path -> do
  let evolving name = (fixedType name) {typeEvolved = \_ _ -> Right get} :: RecordType Word8
  appendRecords (evolving "a") path as
  appendRecords (evolving "b") path bs
  appendRecords (evolving "c") path cs
  got <- foldBlocks defaultReadOptions path (\acc e -> pure (e : acc)) []
  bytes <- S.readFile path
  let schemas = [b | WholeBlock b <- either (const []) (reverse . snd) got, isSchema b]
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
