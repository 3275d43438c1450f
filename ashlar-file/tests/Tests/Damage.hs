{-# LANGUAGE DerivingStrategies #-}
{-# LANGUAGE OverloadedStrings #-}

-- |
-- Module      : Tests.Damage
-- Description : Reading files that were damaged
module Tests.Damage (tests) where

import Ashlar.File
import Ashlar.File.Blocks
import Ashlar.File.Internal.Layout (magic)
import Ashlar.Get (newSource)
import Control.Exception (try)
import Control.Monad (forM)
import qualified Data.ByteString as S
import Data.IORef (atomicModifyIORef', modifyIORef', newIORef, readIORef)
import Data.Int (Int64)
import qualified Data.List as List
import Data.Maybe (isJust, mapMaybe)
import Data.Word (Word8)
import Test.Tasty
import Test.Tasty.QuickCheck
import Tests.Damaged
import Tests.Files
import Tests.Random

tests :: TestTree
tests =
  testGroup "damage" . map (localOption (QuickCheckMaxSize 20)) $
    [ testProperty "each byte flipped: found, and no other block is lost" flipped,
      testProperty "truncated at each byte: all whole blocks are read" truncated,
      testProperty "truncated in a block that is too large: reading ends there" endsInLarge,
      testProperty "bytes lost, inserted or overwritten: no other block is lost" edited,
      testProperty "as many bytes lost as the next blocks have: these are found" hidden,
      testProperty "bytes of two blocks lost: no other block is lost" twice,
      testProperty "blocks swapped, lost or repeated" rearranged,
      testProperty "single records of a damaged file" singles,
      testProperty "a source says the same as a file" sources,
      testProperty "a file in memory says the same as on the disk" inMemory,
      testProperty "a file that does not exist" notAFile
    ]

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
          expected = without f (maybe [] pure block)
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

-- The block is one byte too large, so it is passed over, as others may be.
endsInLarge :: Settings -> NonEmptyList Row -> NonNegative Int -> NonNegative Int -> Property
endsInLarge settings (NonEmpty xs) (NonNegative k) (NonNegative n) = with settings xs $ \f -> do
  let b = fileBlocks f !! (k `mod` length (fileBlocks f))
      from = fromIntegral (blockAt b) + blockHeaderBytes
      size = from + n `mod` (fromIntegral (blockEnd b) - from)
      bytes = S.take size (fileBytes f)
      largeOf block = max (blockStored (blockHeader block)) (blockExpanded (blockHeader block))
      options = reading {readBlockLimit = largeOf b - 1}
      kept = [c | c <- fileBlocks f, blockAt c < blockAt b, largeOf c < largeOf b]
      end lost = lostTo <$> take 1 (reverse lost)
      fold source ref =
        foldSourceWith
          options {readResync = Just (\l -> modifyIORef' ref (l :))}
          rowType
          "records"
          source
          (\acc x -> pure (Right (x : acc)))
          [] ::
          IO (Outcome () [Row])
  withBytesIn bytes $ \path -> do
    (outcome, lost) <- resynced options rowType path
    events <- foldBlocks options path (\acc e -> pure (e : acc)) []
    rest <- newIORef bytes
    source <- newSource (atomicModifyIORef' rest (\left -> (S.drop 50 left, S.take 50 left)))
    seen <- newIORef []
    fromSource <- fold source seen
    lostInSource <- reverse <$> readIORef seen
    pure $
      conjoin
        [ strictly outcome === (concatMap (rowsOf f) kept, Nothing),
          end lost === [fromIntegral size],
          [lostTo l | Right (LostBlocks l : _) <- [events]] === [fromIntegral size],
          reverse (fst (strictly fromSource)) === concatMap (rowsOf f) kept,
          end lostInSource === [fromIntegral size]
        ]

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
        [ (b, fromIntegral (blockAt b) + blockHeaderBytes, n)
          | b : later <- List.tails blocks,
            next <- later,
            let n = fromIntegral (blockEnd next - blockEnd b),
            n <= blockStored (blockHeader b)
        ]
  fmap conjoin . forM cuts $ \(b, from, n) ->
    withBytesIn (S.take from bytes <> S.drop (from + n) bytes) $ \path -> do
      (outcome, lost) <- resynced reading rowType path
      found <- withReader reading rowType path $ \reader ->
        forM [0 .. length xs - 1] (readAt reader . fromIntegral)
      withAppender (writing settings) rowType path (`writeMany` xs)
      (appended, _) <- resynced reading rowType path
      let others = without f [b]
          single = either (const Nothing) id
      pure . counterexample (show (blockAt b, n, lost)) $
        conjoin
          [ fst (strictly outcome) === others,
            length lost === 1,
            fmap (mapMaybe single) found === Right others,
            -- Blocks that are whole are not cut off.
            fst (strictly appended) === others ++ xs
          ]

-- The second block begins inside of what the header of the first one announces, and so on.
twice ::
  Settings -> NonEmptyList Row -> NonNegative Int -> NonNegative Int -> Positive Int -> Property
twice settings (NonEmpty xs) (NonNegative j) (NonNegative k) (Positive n) =
  with settings xs $ \f -> do
    let blocks = fileBlocks f
        hit = List.nub [blocks !! (i `mod` length blocks) | i <- [j, k]]
        new = S.take (fileStart f) (fileBytes f) <> S.concat (map bytesOf blocks)
        bytesOf b
          | b `elem` hit = S.take bodyFrom whole <> S.drop (bodyFrom + lost b) whole
          | otherwise = whole
          where
            whole = S.take (size b) (S.drop (fromIntegral (blockAt b)) (fileBytes f))
        size b = fromIntegral (blockEnd b - blockAt b)
        lost b = 1 + n `mod` max 1 (size b - bodyFrom)
        bodyFrom = blockHeaderBytes
    withBytesIn new $ \path -> do
      (outcome, _) <- resynced reading rowType path
      pure (fst (strictly outcome) === without f hit)

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

inMemory :: Settings -> NonEmptyList Row -> NonNegative Int -> NonNegative Int -> Bool -> Property
inMemory settings (NonEmpty xs) (NonNegative k) (NonNegative first) whole =
  with settings xs $ \f -> do
    let bytes
          | whole = fileBytes f
          | otherwise = flipAt (k `mod` S.length (fileBytes f)) 4 (fileBytes f)
        options = reading {readFrom = fromIntegral (first `mod` (length xs + 2))}
        onwards = options {readResync = Just (const (pure ()))}
        add acc x = pure (Right (x : acc)) :: IO (Either () [Row])
        singly reader =
          (,) <$> recordCount reader
            <*> forM [-1 .. fromIntegral (length xs)] (readAt reader)
    withBytesIn bytes $ \path -> do
      fromDisk <- mapM (\o -> foldRecordsWith o rowType path add []) [options, onwards]
      fromMemory <- mapM (\o -> foldBytesWith o rowType path bytes add []) [options, onwards]
      single <- withReader onwards rowType path singly
      reader <- bytesReader onwards rowType path bytes
      singleInMemory <- traverse singly reader
      pure (fromMemory === fromDisk .&&. singleInMemory === single)

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
        .&&. case appended :: Either Damage () of
          -- Zeros are what a power failure leaves of a new file.
          Right () -> property (all (== 0) ws)
          Left d -> damageCause d === NotAFile .&&. any (/= 0) ws .&&. unchanged === S.pack ws
    Just (TruncatedHeader _ _) -> property (S.take 8 (S.pack ws) `S.isPrefixOf` magic)
    other -> counterexample (show other) False
