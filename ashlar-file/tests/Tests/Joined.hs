{-# LANGUAGE DerivingStrategies #-}
{-# LANGUAGE OverloadedStrings #-}

-- |
-- Module      : Tests.Joined
-- Description : Files that were joined to one
--
-- Each is whole, cut off, or has a damaged byte, and has rows or records of another type.
module Tests.Joined (tests) where

import Ashlar.Codec (get)
import Ashlar.File
import Ashlar.File.Blocks
import Ashlar.File.Internal.Layout (fileHeaderBytes)
import Ashlar.Get (newSource)
import Control.Exception (try)
import Control.Monad (forM)
import qualified Data.ByteString as S
import Data.IORef (atomicModifyIORef', modifyIORef', newIORef, readIORef)
import Data.Int (Int64)
import qualified Data.List as List
import Data.Maybe (isJust, mapMaybe)
import Data.Word (Word8)
import System.FilePath ((</>))
import Test.Tasty
import Test.Tasty.QuickCheck
import Tests.Damaged
import Tests.Files
import Tests.Random

tests :: TestTree
tests =
  testGroup "joined files" . map (localOption (QuickCheckMaxSize 12)) $
    [ testProperty "whole files of one type are read as one file" readOn,
      testProperty "a type that has changed is read on" evolvedOn,
      testProperty "another type stops reading and is counted, or is passed over" otherType,
      testProperty "any joined files: nothing is lost but damaged blocks" allFound,
      testProperty "any joined files: all ways to read them agree" allAgree,
      testProperty "any joined files: up to the first damage" upToDamage,
      testProperty "any joined files: appending loses no whole block" appended,
      testProperty "whole files: appending is refused, with what follows" refused,
      testProperty "a file that a record contains is not read, whatever byte is damaged" contained,
      testProperty "bytes lost in a block that contains a file: no other block is lost" suspended,
      testProperty "a file is cut off within a block's marker: the next is read" (once cutMarker),
      testProperty "a file and its own backup: no record is read twice" ownBackup,
      testProperty "headers of files in one another take linear time" (once hostileHeaders)
    ]

-- What happened to a file.
data Harm = None | Cut Int | Flip Int Word8
  deriving stock (Show)

data Piece = Piece Settings [Row] Bool Harm
  deriving stock (Show)

instance Arbitrary Harm where
  arbitrary =
    oneof
      [pure None, Cut <$> choose (0, 100000), Flip <$> choose (0, 100000) <*> choose (1, 255)]
  shrink h = case h of
    None -> []
    _ -> [None]

instance Arbitrary Piece where
  arbitrary =
    Piece
      <$> (small <$> arbitrary)
      <*> arbitrary
      <*> frequency [(4, pure False), (1, pure True)]
      <*> arbitrary
    where
      small s = s {settingsBlock = 1 + settingsBlock s `mod` 150}
  shrink (Piece s xs o h) =
    [Piece s xs o h' | h' <- shrink h]
      ++ [Piece s xs False h | o]
      ++ [Piece s xs' o h | xs' <- shrinkList (const []) xs]
      ++ [Piece s' xs o h | s' <- shrink s]

-- A piece as it is written, its bytes after what happened to it, and its blocks.
data Made = Made
  { madeOther :: Bool,
    madeFile :: File,
    madeHarm :: Harm,
    madeBytes :: S.ByteString
  }

instance Show Made where
  show m = show (madeOther m, madeFile m, madeHarm m, S.length (madeBytes m))

otherRows :: RecordType Row
otherRows = fixedType "other"

make :: Piece -> IO Made
make (Piece settings xs other harm) = do
  f <- if other then madeAs otherRows settings xs else made settings xs
  let bytes = fileBytes f
      n = S.length bytes
  pure $ case harm of
    None -> Made other f None bytes
    Cut k -> Made other f (Cut (cutAt (k `mod` n))) (S.take (cutAt (k `mod` n)) bytes)
    -- (The version, which is another thing.)
    Flip k w
      | k `mod` n `elem` [8 .. 11] -> Made other f None bytes
      | otherwise -> Made other f (Flip (k `mod` n) w) (flipAt (k `mod` n) w bytes)
  where
    cutAt i = if i `elem` [8 .. 11] then 12 else i

-- The rows in whole blocks.
wholeRows :: Made -> [Row]
wholeRows m = case madeHarm m of
  None -> fileRows f
  Cut i -> wholeBefore f i
  Flip i _ -> without f (maybe [] pure (blockOf f i))
  where
    f = madeFile m

headerHit :: Made -> Bool
headerHit m = case madeHarm m of
  None -> False
  Cut i -> i < fileStart (madeFile m)
  Flip i _ -> i < fileStart (madeFile m)

-- Does the file end where its last block says, or its header if it has no blocks?
endsWhole :: Made -> Bool
endsWhole m = case madeHarm m of
  None -> True
  Cut i -> i == fileStart f || any (\b -> blockEnd b == fromIntegral i) (fileBlocks f)
  -- (The size of the last block.)
  Flip i _ -> case reverse (fileBlocks f) of
    b : _ -> fromIntegral i - blockAt b `notElem` [12 .. 15]
    [] -> not (headerHit m)
  where
    f = madeFile m

-- The rows that are found, whatever is damaged. A file whose header is damaged is found if the one
-- before it ends where it says, or if nothing is found before it.
model :: [Made] -> [Row]
model = go True . dropWhile nothingFound
  where
    go _ [] = []
    go known (m : ms)
      | headerHit m && not known = go False ms
      | otherwise = (if madeOther m then [] else wholeRows m) ++ go (endsWhole m) ms

-- Does neither a header nor a block show that there is a file?
nothingFound :: Made -> Bool
nothingFound m =
  headerHit m && case madeHarm m of
    Flip _ _ -> null (fileBlocks (madeFile m))
    _ -> True

-- A file that is cut off, and files after it that have as many bytes as it lost, may be one block.
-- So may be what follows a damaged size.
ambiguous :: [Made] -> Bool
ambiguous ms =
  or
    [ missing (madeFile m) (madeHarm m) `elem` sums
      | m : later <- List.tails ms,
        let sums = drop 1 (scanl (+) 0 (map (S.length . madeBytes) later))
    ]
  where
    -- What is missing of a block.
    missing f harm = case harm of
      Cut i -> maybe (-1) (\b -> fromIntegral (blockEnd b) - i) (blockOf f i)
      _ -> -1

-- If the first file is of another type, nothing is read. It is the first of which a header is
-- found, or a block.
wrongFirst :: [Made] -> Bool
wrongFirst ms = case dropWhile nothingFound ms of
  m : _ -> madeOther m && not (headerHit m)
  [] -> True

joinedBy :: [Piece] -> ([Made] -> FilePath -> IO Property) -> Property
joinedBy pieces prop = ioProperty $ do
  -- (A file that is cut off at its start is not there.)
  ms <- filter (not . S.null . madeBytes) <$> mapM make pieces
  -- A block of a cut file may be complete by bytes of the next one: that is as long as they differ.
  withBytesIn (S.concat (map madeBytes ms)) $ \path ->
    if ambiguous ms then pure (property Discard) else counterexample (show ms) <$> prop ms path

readOn :: [(Settings, [Row])] -> NonNegative Int64 -> Positive Int -> Property
readOn files (NonNegative k) (Positive chunk) =
  joinedBy [Piece s xs False None | (s, xs) <- (Settings 100 True False, []) : files] $
    \ms path -> do
      let xs = concatMap (fileRows . madeFile) ms
          n = List.genericLength xs
          from = k `mod` (n + 2)
      strict <- readAll reading rowType path
      later <- readAll reading {readFrom = from} rowType path
      stream <- lazyRecords reading rowType path
      sourced <- fromSource reading chunk path
      single <- withReader reading rowType path $ \r ->
        (,) <$> recordCount r <*> mapM (readAt r) ([n, n - 1 .. 0] ++ [0 .. n])
      let there = map Just xs ++ [Nothing]
      pure $
        conjoin
          [ strict === Ended n xs,
            later === Ended n (List.genericDrop from xs),
            recordsToEither stream === Right xs,
            sourced === Ended n xs,
            single === Right (n, map Right (reverse there ++ there))
          ]

fromSource :: ReadOptions -> Int -> FilePath -> IO (Outcome () [Row])
fromSource options chunk path = do
  bytes <- S.readFile path
  rest <- newIORef bytes
  source <- newSource (atomicModifyIORef' rest (\b -> (S.drop chunk b, S.take chunk b)))
  outcome <- foldSourceWith options rowType path source (\acc x -> pure (Right (x : acc))) []
  pure $ case outcome of
    Ended n xs -> Ended n (reverse xs)
    Stopped n () -> Stopped n ()
    Damaged n xs d -> Damaged n (reverse xs) d

evolvedOn :: Settings -> [Row] -> [Row] -> Property
evolvedOn settings xs ys = joinedBy [Piece s' xs False None, Piece s' ys True None] $ \_ path -> do
  let ty = rowType {typeEvolved = \_ _ -> Right (evolvedBy get)}
      n = List.genericLength (xs ++ ys)
  strict <- readAll reading ty path
  single <- withReader reading ty path (\r -> mapM (readAt r) [0 .. n])
  pure $
    strict === Ended n (xs ++ ys)
      .&&. single === Right (map (Right . Just) (xs ++ ys) ++ [Right Nothing])
  where
    s' = settings {settingsBlock = 1 + settingsBlock settings `mod` 150}

otherType :: Settings -> [Row] -> [Row] -> [Row] -> Property
otherType settings xs ys zs =
  joinedBy [Piece s xs False None, Piece s ys True None, Piece s zs False None] $ \ms path -> do
    let sizes = map (fromIntegral . S.length . fileBytes . madeFile) ms :: [Int64]
        (at, to) = (sum (take 1 sizes), sum (take 2 sizes))
        (nx, ny, nz) = (List.genericLength xs, List.genericLength ys, List.genericLength zs)
    strict <- readAll reading rowType path
    (outcome, lost) <- resynced reading rowType path
    single <- withReader reading rowType path (\r -> mapM (readAt r) [0 .. nx + ny + nz])
    pure $
      conjoin
        [ case strict of
            Damaged n got d ->
              (n, got, damageOffset d, damageRecord d) === (nx, xs, at, nx) .&&. about ny d
            _ -> counterexample (show strict) False,
          outcome === Ended (nx + ny + nz) (xs ++ zs),
          [(lostTo l, lostNext l, lostOther l) | l <- lost] === [(to, Just (nx + ny), True)],
          conjoin (map (about ny . lostDamage) lost),
          case single of
            Right found ->
              conjoin
                [ List.genericTake nx found === map (Right . Just) xs,
                  conjoin [either (about ny) (const (property False)) r | r <- slice nx ny found],
                  List.genericDrop (nx + ny) found === map (Right . Just) zs ++ [Right Nothing]
                ]
            Left d -> counterexample (show d) False
        ]
  where
    s = settings {settingsBlock = 1 + settingsBlock settings `mod` 150}
    slice a n = List.genericTake n . List.genericDrop a
    about n d = case damageCause d of
      AnotherFile other ->
        (otherRecords other, fileSchema <$> otherHeader other) === (n, Just "other")
      cause -> counterexample (show cause) False

allFound :: [Piece] -> Property
allFound pieces = joinedBy pieces $ \ms path -> do
  (outcome, lost) <- resynced reading rowType path
  pure . counterexample (show lost) $
    if wrongFirst ms then property True else fst (strictly outcome) === model ms

allAgree :: [Piece] -> Positive Int -> NonNegative Int64 -> Property
allAgree pieces (Positive chunk) (NonNegative k) = joinedBy pieces $ \ms path -> do
  let options = reading {readResync = Just (const (pure ()))}
  (outcome, lost) <- resynced reading rowType path
  strict <- readAll reading rowType path
  stream <- lazyRecords reading rowType path
  sourceStrict <- fromSource reading chunk path
  sourceLost <- newIORef []
  sourced <-
    fromSource reading {readResync = Just (\l -> modifyIORef' sourceLost (l :))} chunk path
  fromSourceLost <- reverse <$> readIORef sourceLost
  single <- withReader options rowType path $ \r -> do
    n <- recordCount r
    (,) n <$> mapM (readAt r) [0 .. n]
  let size = case outcome of
        Ended n _ -> n
        Stopped n () -> n
        Damaged n _ _ -> n
      from = k `mod` (size + 2)
  later <- readAll options {readFrom = from} rowType path
  pure . counterexample (show lost) $
    conjoin
      [ sourceStrict === strict,
        (sourced, fromSourceLost) === (outcome, lost),
        recordsToEither stream === either' strict,
        if wrongFirst ms
          then property True
          else case single of
            Left d -> outcome === Damaged 0 [] d
            Right (n, found) ->
              conjoin
                [ counterexample "count" (n === size),
                  counterexample (show found) $
                    mapMaybe (either (const Nothing) id) found === fst (strictly outcome),
                  counterexample ("from " ++ show from) $
                    fst (strictly later)
                      === mapMaybe (either (const Nothing) id) (List.genericDrop from found)
                ]
      ]
  where
    either' outcome = case outcome of
      Damaged _ _ d -> Left d
      _ -> Right (fst (strictly outcome))

upToDamage :: [Piece] -> Property
upToDamage pieces = joinedBy pieces $ \ms path -> do
  (got, damage) <- strictly <$> readAll reading rowType path
  (lenient, _) <- strictly <$> readAll reading {readWholeTail = False} rowType path
  pure $
    conjoin
      [ got === first ms,
        lenient === got,
        -- What ends without damage is whole.
        property (isJust damage || all sound ms)
      ]
  where
    first [] = []
    first (m : ms)
      | madeOther m = []
      | sound m = fileRows' m ++ first ms
      | headerHit m = []
      | otherwise = case madeHarm m of
        Flip i _ -> wholeBefore (madeFile m) i
        _ -> wholeRows m
    -- Without the blocks after a cut that nothing shows.
    fileRows' = wholeRows
    sound m =
      not (madeOther m) && not (headerHit m) && case madeHarm m of
        None -> True
        Cut _ -> endsWhole m
        Flip _ _ -> False

appended :: [Piece] -> [Row] -> Property
appended pieces new = joinedBy pieces $ \ms path -> do
  before <- S.readFile path
  (old, _) <- resynced reading rowType path
  result <- try (withAppender (writing (settingsOf ms)) rowType path (`writeMany` new))
  afterwards <- S.readFile path
  (now, _) <- resynced reading rowType path
  pure $ case result of
    Left d -> counterexample (show (d :: Damage)) (afterwards === before)
    Right () -> fst (strictly now) === fst (strictly old) ++ new
  where
    settingsOf ms = case ms of
      m : _ -> fileSettings (madeFile m)
      [] -> Settings 100 True False

refused :: [Row] -> NonEmptyList (Settings, [Row]) -> Property
refused xs (NonEmpty files) =
  joinedBy (Piece plain xs False None : [Piece s ys (odd (length ys)) None | (s, ys) <- files]) $
    \ms path -> do
      before <- S.readFile path
      result <- try (withAppender (writing plain) rowType path (`writeMany` xs))
      afterwards <- S.readFile path
      let at = sum (map (S.length . fileBytes . madeFile) (take 1 ms))
          count = List.genericLength (fileRows (madeFile (ms !! 1)))
      pure $
        afterwards === before .&&. case result of
          Left d
            | AnotherFile other <- damageCause d ->
              (damageOffset d, otherRecords other) === (fromIntegral at, count)
          _ -> counterexample (show result) False
  where
    plain = Settings 100 True False

bytesType :: RecordType S.ByteString
bytesType = fixedType "bytes"

-- The blocks of a file whose records contain another file of the same type.
containing :: Int -> IO (S.ByteString, [S.ByteString], Int)
containing k = inDirectory $ \directory -> do
  let inner = directory </> "inner"
      outer = directory </> "outer"
      options = defaultWriteOptions {writeBlockSize = 40, writeIndex = False}
  withWriter options bytesType inner (`writeMany` ["x", S.replicate 50 1, "y"])
  copy <- S.readFile inner
  let records = ["a", S.replicate (k `mod` 60) 2, S.replicate 3 0 <> copy <> "end", copy, "b", "c"]
  withWriter options bytesType outer (`writeMany` records)
  bytes <- S.readFile outer
  header <- readHeader outer
  pure (bytes, records, either (const 0) fileHeaderBytes header)

-- But for the size of a block: then nobody knows where the block ends.
contained :: NonNegative Int -> Property
contained (NonNegative k) = withMaxSuccess 3 . ioProperty $ do
  (bytes, records, start) <- containing k
  fmap conjoin . forM [start .. S.length bytes - 1] $ \i ->
    withBytesIn (flipAt i 1 bytes) $ \path -> do
      (outcome, _) <- resynced defaultReadOptions bytesType path
      pure . counterexample (show i) $ case outcome of
        Ended _ got -> property (got `List.isSubsequenceOf` records || inSize i bytes)
        _ -> property False
  where
    -- Is it the size in the header of a block?
    inSize i bytes =
      any (\at -> i - at `elem` [12 .. 15]) (List.elemIndices True (marks bytes))
    marks bytes =
      [S.take 8 (S.drop i bytes) == S.take 8 (S.drop 16 bytes) | i <- [0 .. S.length bytes - 1]]

suspended :: NonNegative Int -> NonNegative Int -> Property
suspended (NonNegative k) (NonNegative j) = withMaxSuccess 30 . ioProperty $ do
  (bytes, records, start) <- containing k
  -- Bytes of a block that contains a file.
  let at = start + j `mod` (S.length bytes - start)
  withBytesIn (S.take at bytes <> S.drop (at + 1) bytes) $ \path -> do
    (outcome, lost) <- resynced defaultReadOptions bytesType path
    let got = fst (strictly outcome)
    pure . counterexample (show (at, lost)) $
      property (length (filter (`elem` got) (List.nub records)) >= length (List.nub records) - 3)
        .&&. property (at > S.length bytes - 160 || last got == "c")

-- Bytes of the second file stand where the size of the block would be. They must not be taken for
-- one: with 5 bytes of the marker they read 266, so a file of 333 bytes would end where the block
-- does.
cutMarker :: Property
cutMarker = ioProperty $ do
  (bytes, _, start) <- containing 0
  fmap conjoin . forM [(k, n) | k <- [1 .. 11], n <- [190 .. 200]] $ \(k, n) -> do
    let record = S.replicate n 120
    next <- inFile $ \path ->
      withWriter defaultWriteOptions {writeIndex = False} bytesType path (`writeMany` [record])
        >> S.readFile path
    withBytesIn (S.take (start + k) bytes <> next) $ \path -> do
      (outcome, _) <- resynced defaultReadOptions bytesType path
      pure . counterexample (show (k, n)) $ fst (strictly outcome) === [record]

-- A file cut off, and after it a copy from later.
ownBackup :: [Row] -> [Row] -> NonNegative Int -> Property
ownBackup xs ys (NonNegative k) = ioProperty . inFile $ \path -> do
  let options = defaultWriteOptions {writeBlockSize = 60, writeIndex = False}
  withWriter options rowType path (`writeMany` xs)
  withAppender options rowType path (`writeMany` ys)
  bytes <- S.readFile path
  header <- readHeader path
  let start = either (const 0) fileHeaderBytes header
      cut = start + k `mod` (S.length bytes - start + 1)
  S.writeFile path (S.take cut bytes <> bytes)
  (outcome, lost) <- resynced reading rowType path
  let got = fst (strictly outcome)
      zs = xs ++ ys
  pure . counterexample (show lost) $
    -- (Cut off after a block, it is another file.)
    if null lost
      then property (zs `List.isSuffixOf` got && got `List.isPrefixOf` (got ++ zs))
      else got === zs

-- 64 KiB of headers that announce as much as they may.
hostileHeaders :: Property
hostileHeaders = ioProperty $ do
  f <- made (Settings 50 False False) [Row 1 "a" [] Nothing]
  g <- made (Settings 50 False False) [Row 2 "b" [] Nothing]
  let one = S.take 12 (fileBytes f) <> S.pack [0, 0, 255, 0] <> S.replicate 8 7
  withBytesIn (fileBytes f <> "x" <> S.concat (replicate 20000 one) <> fileBytes g) $ \path -> do
    (outcome, _) <- resynced reading rowType path
    pure (fst (strictly outcome) === fileRows f ++ fileRows g)
