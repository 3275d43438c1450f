{-# LANGUAGE DataKinds #-}
{-# LANGUAGE DerivingStrategies #-}
{-# LANGUAGE OverloadedStrings #-}
{-# LANGUAGE TypeApplications #-}

-- |
-- Module      : Tests.Model
-- Description : Files against lists of records
module Tests.Model (tests) where

import Ashlar.Codec
import Ashlar.Codec.Packed (Packed (..))
import Ashlar.File
import Ashlar.File.Blocks
import Ashlar.File.Internal.Entries (entriesOf, entryList, mostEntries)
import Ashlar.File.Internal.Layout (Entry (..))
import qualified Ashlar.Get as Get
import Ashlar.View (View, decodeView, field, viewBytes)
import Control.Exception (try)
import Control.Monad (forM, forM_)
import qualified Data.ByteString as S
import qualified Data.ByteString.Unsafe as S
import Data.IORef (atomicModifyIORef', newIORef)
import Data.Int (Int64)
import qualified Data.List as List
import Data.Word (Word16, Word32, Word8)
import Foreign.Ptr (minusPtr)
import System.FilePath ((</>))
import System.IO.MMap (mmapFileByteString)
import System.Mem (getAllocationCounter, setAllocationCounter)
import Test.Tasty
import Test.Tasty.QuickCheck
import Tests.Files
import Tests.Random

tests :: TestTree
tests =
  testGroup "files, against lists" . map (localOption (QuickCheckMaxSize 30)) $
    [ testProperty "what was written is read" writtenIsRead,
      testProperty "reading from any record on" fromAnyRecord,
      testProperty "a fold that stops early" earlyStop,
      testProperty "single records, read by number" singleRecords,
      testProperty "single records of constant size" numbers,
      testProperty "records of no bytes" units,
      testProperty "single records of a large file" largeFile,
      testProperty "an index of limited size" indexSize,
      testProperty "records as a lazy list" asLazyList,
      testProperty "records as views" asViews,
      testProperty "views of a file in memory lie in it" (viewsIn S.readFile),
      testProperty "a record by its number, after others that are refused" afterRefused,
      testProperty "reading from a record on, after others that are refused" fromAfterRefused,
      testProperty "views of a mapped file lie in the mapping" (viewsIn mapped),
      testProperty "records from a source" fromSource,
      testProperty "several files, folded one after another" severalFiles,
      testProperty "blocks are as large as they should be" blockSizes,
      testProperty "large and small records" largeAndSmall,
      testProperty "any block that a writer compresses is one that readers expand" expandable,
      testProperty "appending after many blocks of constant size: no more memory" (once manyBlocks),
      testProperty "a record that is too large" (once tooLarge),
      testProperty "a packed record that is nearly too large" (once nearlyTooLarge),
      testProperty "a writer is closed afterwards" (once closed),
      testProperty "another type is refused" (once anotherType),
      testProperty "records of a type that has changed" changedType,
      testProperty "equal records with a given marker make equal files" equalFiles
    ]

-- What may be done with a writer.
data Act
  = One Row
  | Many [Row]
  | Flush
  | Sync
  | Reopen
  deriving stock (Show)

instance Arbitrary Act where
  arbitrary =
    frequency
      [ (4, One <$> arbitrary),
        (4, Many <$> arbitrary),
        (2, pure Flush),
        (1, pure Sync),
        (1, pure Reopen)
      ]
  shrink act = case act of
    Many xs -> Many <$> shrink xs
    One x -> One <$> shrink x
    _ -> []

rows :: [Act] -> [Row]
rows = concatMap $ \act -> case act of
  One x -> [x]
  Many xs -> xs
  _ -> []

-- Write a file by these actions. Each session after the first one appends.
perform :: Settings -> FilePath -> [Act] -> IO ()
perform settings path acts = case break isReopen acts of
  (now, later) -> do
    withAppender (writing settings) rowType path $ \w -> forM_ now $ \act -> case act of
      One x -> write w x
      Many xs -> writeMany w xs
      Flush -> flush w
      Sync -> sync w
      Reopen -> pure ()
    case later of
      _ : rest -> perform settings path rest
      [] -> pure ()
  where
    isReopen act = case act of
      Reopen -> True
      _ -> False

acted :: Settings -> [Act] -> (FilePath -> [Row] -> IO Property) -> Property
acted settings acts prop = written' prop settings acts

-- A property of a file that was written by random actions.
written' :: (FilePath -> [Row] -> IO Property) -> Settings -> [Act] -> Property
written' prop settings acts = ioProperty . inFile $ \path -> do
  perform settings path acts
  prop path (rows acts)

writtenIsRead :: Settings -> [Act] -> Property
writtenIsRead = written' $ \path xs -> do
  got <- readAll reading rowType path
  pure (got === Ended (size' xs) xs)

size' :: [a] -> Int64
size' = List.genericLength

fromAnyRecord :: Settings -> [Act] -> NonNegative Int64 -> Property
fromAnyRecord settings acts (NonNegative k) = acted settings acts $ \path xs -> do
  let from = k `mod` (size' xs + 3)
  got <- readAll reading {readFrom = from} rowType path
  pure (got === Ended (size' xs) (List.genericDrop from xs))

earlyStop :: Settings -> [Act] -> NonNegative Int -> Property
earlyStop settings acts (NonNegative k) = acted settings acts $ \path xs -> do
  let most = k `mod` (length xs + 1)
      step acc x = pure (if length acc + 1 >= most then Left (x : acc) else Right (x : acc))
  got <- foldRecordsWith reading rowType path step []
  pure $
    if null xs
      then got === Ended 0 []
      else
        let n = max 1 most
         in got === Stopped (fromIntegral n) (reverse (take n xs))

singleRecords :: Settings -> [Act] -> Property
singleRecords = written' $ \path xs -> do
  got <- withReader reading rowType path $ \reader -> do
    n <- recordCount reader
    found <- forM ([-1 .. size' xs + 1] ++ [size' xs, size' xs - 1 .. 0]) (readAt reader)
    pure (n, found)
  let there = map Just xs
      expected = map Right ([Nothing] ++ there ++ [Nothing, Nothing, Nothing] ++ reverse there)
  pure (got === Right (size' xs, expected))

numbers :: Settings -> [Word32] -> Property
numbers = constantRecords

units :: Settings -> [()] -> Property
units = constantRecords

constantRecords :: (Codec a, Eq a, Show a) => Settings -> [a] -> Property
constantRecords settings xs = ioProperty . inFile $ \path -> do
  withWriter (writing settings) ty path (`writeMany` xs)
  got <- withReader reading ty path (\reader -> forM [0 .. size' xs] (readAt reader))
  inOrder <- readAll reading ty path
  pure $
    got === Right (map (Right . Just) xs ++ [Right Nothing])
      .&&. inOrder === Ended (size' xs) xs
  where
    ty = fixedType "constant"

-- Some megabytes, in blocks of all sizes, so that a block is searched for by bisection.
largeFile :: Bool -> [NonNegative Int] -> Int -> NonNegative Int -> Property
largeFile index looks seed (NonNegative hit) = withMaxSuccess 30 . ioProperty . inFile $ \path -> do
  let ty = fixedType "bytes" :: RecordType S.ByteString
      options = defaultWriteOptions {writeBlockSize = 9000, writeIndex = index}
      n = 2000 :: Int
      row i = S.replicate ((i * (7 + abs seed `mod` 1000)) `mod` 2003) (fromIntegral i)
      wanted = take 40 ([k `mod` n | NonNegative k <- looks] ++ [0, n - 1, n `div` 3, hit `mod` n])
  withWriter options ty path $ \w -> forM_ [0 .. n - 1] $ \i -> do
    write w (row i)
    if i `mod` 31 == seed `mod` 31 then flush w else pure ()
  single <- withReader defaultReadOptions ty path $ \reader ->
    (,) <$> recordCount reader <*> forM wanted (readAt reader . fromIntegral)
  let from = n - 1 - hit `mod` n
  rest <- readAll defaultReadOptions {readFrom = fromIntegral from} ty path
  -- One byte is damaged.
  bytes <- S.readFile path
  let at = 100 + (hit * 104729) `mod` (S.length bytes - 100)
      (front, back) = S.splitAt at bytes
  S.writeFile path (front <> S.map (+ 1) (S.take 1 back) <> S.drop 1 back)
  damaged <- withReader defaultReadOptions ty path $ \reader ->
    forM wanted (readAt reader . fromIntegral)
  let right i r = case r of
        Right (Just x) -> x == row i
        Right Nothing -> i > n - 40
        Left _ -> True
      lost = [i | (i, Left _) <- zip wanted (either (const []) id damaged)]
  pure $
    conjoin
      [ single === Right (fromIntegral n, map (Right . Just . row) wanted),
        rest === Ended (fromIntegral n) (map row [from .. n - 1]),
        property (either (const False) (and . zipWith right wanted) damaged),
        -- They are in one block, which has 31 records at most.
        counterexample (show lost) (null lost || maximum lost - minimum lost < 31)
      ]

-- The first block always has an entry, and the others are spread evenly.
indexSize :: Property
indexSize = withMaxSuccess 5 . forAll (choose (1, 300000)) $ \n ->
  let entries = entryList (entriesOf [Entry i (2 * i) | i <- [0 .. n - 1]])
      gaps = zipWith (-) (drop 1 offsets) offsets
      offsets = map entryOffset entries
   in conjoin
        [ property (length entries <= mostEntries),
          property (fromIntegral (length entries) >= min n 32768),
          take 1 entries === [Entry 0 0],
          property (all (\(a, b) -> b == 2 * a) [(entryOffset e, entryFirst e) | e <- entries]),
          property (length (List.nub (take 1000 gaps)) <= 1 && all (> 0) gaps)
        ]

asLazyList :: Settings -> [Act] -> Property
asLazyList = written' $ \path xs -> do
  stream <- lazyRecords reading rowType path
  first <- lazyRecords reading rowType path
  pure (recordsToEither stream === Right xs .&&. take 1 (foldr (:) [] first) === take 1 xs)

asViews :: Settings -> [Act] -> Property
asViews = written' $ \path xs -> do
  got <- readAll reading (viewed rowType) path
  pure $ case got of
    Ended _ views -> map seen views === [(Right x, Right (rowNotes x)) | x <- xs]
    _ -> counterexample (show got) False
  where
    seen :: View Row -> (Either Get.DecodeError Row, Either Get.DecodeError [Word16])
    seen v = (decodeView v, decodeView (field @"rowNotes" v))

mapped :: FilePath -> IO S.ByteString
mapped path = mmapFileByteString path Nothing

viewsIn :: (FilePath -> IO S.ByteString) -> [Row] -> Property
viewsIn bytesOf xs = ioProperty . inFile $ \path -> do
  withWriter defaultWriteOptions rowType path (`writeMany` xs)
  bytes <- bytesOf path
  let add acc v = pure (Right (viewBytes v : acc)) :: IO (Either () [S.ByteString])
  got <- foldBytesWith defaultReadOptions (viewed rowType) path bytes add []
  reader <- bytesReader defaultReadOptions (viewed rowType) path bytes
  let byNumber r = mapM (fmap (fmap (fmap viewBytes)) . readAt r) [0 .. size' xs]
  numbered <- either (pure . pure . Left) byNumber reader
  let begins bs = S.unsafeUseAsCString bs pure
      liesIn start bs = do
        at <- (`minusPtr` start) <$> begins bs
        pure (at >= 0 && at + S.length bs <= S.length bytes)
  case got of
    Ended _ views -> do
      start <- begins bytes
      inside <- mapM (liesIn start) views
      pure $
        conjoin
          [ reverse views === map encode xs,
            inside === map (const True) xs,
            numbered === map (Right . Just . encode) xs ++ [Right Nothing]
          ]
    _ -> pure (counterexample (show got) False)

-- A byte of 2 is no Bool.
afterRefused :: [(Word8, [Word8])] -> Property
afterRefused drawn = ioProperty . inFile $ \path -> do
  let xs = [(w `mod` 3, bytes) | (w, bytes) <- drawn]
      expected (w, bytes) = if w < 2 then Just (Just (w == 1, bytes)) else Nothing
  writeRecords (fixedType "flags" :: RecordType (Word8, [Word8])) path xs
  got <-
    withReader defaultReadOptions (fixedType "flags" :: RecordType (Bool, [Word8])) path $ \r ->
      mapM (readAt r) [0 .. size' xs - 1]
  pure (fmap (map (either (const Nothing) Just)) got === Right (map expected xs))

-- Those before the first record that is asked for are neither reported nor the end.
fromAfterRefused :: [(Word8, [Word8])] -> NonNegative Int64 -> Property
fromAfterRefused drawn (NonNegative k) = ioProperty . inFile $ \path -> do
  let ty = fixedType "flags" :: RecordType (Bool, [Word8])
      passing = ty {typePass = Just (skipValue @(Bool, [Word8]))}
      from = k `mod` (size' drawn + 1)
      numbered = List.genericDrop from (zip [0 ..] drawn)
      isRefused (_, (w, _)) = w > 1
      value (_, (w, bytes)) = (w == 1, bytes)
      options = defaultReadOptions {readFrom = from}
  writeRecords (fixedType "flags") path drawn
  (outcome, lost) <- resynced options passing path
  strict <- readAll options passing path
  pure $
    conjoin
      [ outcome === Ended (size' drawn) (map value (filter (not . isRefused) numbered)),
        map (damageRecord . lostDamage) lost === map fst (filter isRefused numbered),
        case break isRefused numbered of
          (accepted, []) -> strict === Ended (size' drawn) (map value accepted)
          (accepted, (n, _) : _) ->
            let (got, damage) = strictly strict
             in (got, damageRecord <$> damage) === (map value accepted, Just n)
      ]

fromSource :: Settings -> [Act] -> Positive Int -> NonNegative Int64 -> Property
fromSource settings acts (Positive chunk) (NonNegative k) = acted settings acts $ \path xs -> do
  bytes <- S.readFile path
  rest <- newIORef bytes
  source <- Get.newSource (atomicModifyIORef' rest (\b -> (S.drop chunk b, S.take chunk b)))
  let from = k `mod` (size' xs + 2)
      add acc x = pure (Right (x : acc))
  got <- foldSourceWith reading {readFrom = from} rowType "source" source add []
  pure (got === (Ended (size' xs) (reverse (List.genericDrop from xs)) :: Outcome () [Row]))

severalFiles :: Settings -> [[Row]] -> Property
severalFiles settings parts = ioProperty . inDirectory $ \directory -> do
  paths <- forM (zip [0 :: Int ..] parts) $ \(i, xs) -> do
    let path = directory </> show i
    path <$ withWriter (writing settings) rowType path (`writeMany` xs)
  got <- foldFilesWith reading rowType paths (\acc x -> pure (Right (x : acc))) []
  let lastCount = if null parts then 0 else size' (last parts)
  pure (got === (Ended lastCount (reverse (concat parts)) :: Outcome () [Row]))

-- A block ends as soon as it is large enough, and a record is not taken apart.
blockSizes :: Positive Int -> [Row] -> Property
blockSizes (Positive n) xs = ioProperty . inFile $ \path -> do
  withWriter defaultWriteOptions {writeBlockSize = n} rowType path (`writeMany` xs)
  got <- foldBlocks defaultReadOptions path (\acc e -> pure (e : acc)) []
  let headers = [blockHeader b | WholeBlock b <- events]
      sizes = [blockExpanded h | h <- headers, blockKind h == Records]
      events = either (const []) reverse got
      largest = maximum (0 : map encodedSize xs)
  pure $
    counterexample (show sizes) $
      sum sizes === sum (map encodedSize xs)
        .&&. property (all (\s -> s < n + 1024 || s <= largest) sizes)
        .&&. property (all (>= n) (drop 1 (reverse sizes)) || largest > 1024)

-- Strings that are inserted, and lists that are written element by element, of all sizes around
-- those of blocks and buffers.
largeAndSmall :: Positive Int -> [Either (NonNegative Int) (NonNegative Int)] -> Property
largeAndSmall (Positive n) sizes = ioProperty . inFile $ \path -> do
  let options = defaultWriteOptions {writeBlockSize = 100 * n}
      ty = fixedType "either" :: RecordType (Either S.ByteString [Word16])
      xs = zipWith record [0 ..] sizes
      record i choice = case choice of
        Left (NonNegative k) -> Left (S.replicate (k * k * k) i)
        Right (NonNegative k) -> Right (replicate (k * k) (fromIntegral i))
  withWriter options ty path $ \w -> do
    writeMany w (take 5 xs)
    mapM_ (write w) (drop 5 xs)
  got <- readAll defaultReadOptions ty path
  single <- withReader defaultReadOptions ty path (\r -> forM [0 .. size' xs - 1] (readAt r))
  pure (got === Ended (size' xs) xs .&&. single === Right (map (Right . Just) xs))

-- The compression cuts off zeros at the end.
expandable :: NonNegative (Large Word16) -> Property
expandable (NonNegative (Large n)) = ioProperty . inFile $ \path -> do
  let cutting =
        Compression
          { compressionName = "zeros",
            compressBody = S.dropWhileEnd (== 0),
            expandBody = \m bytes -> Right (bytes <> S.replicate (m - S.length bytes) 0)
          }
      ty = fixedType "zeros" :: RecordType S.ByteString
      zeros = S.replicate (fromIntegral n) 0
      small = S.length (S.dropWhileEnd (== 0) (encode zeros))
      large = encodedSize zeros
      options = defaultReadOptions {readCompressions = [cutting]}
  withWriter defaultWriteOptions {writeCompression = Just cutting} ty path (`write` zeros)
  got <- readAll options ty path
  blocks <- foldBlocks options path (\acc e -> pure (e : acc)) []
  let compressed = [blockCompressed (blockHeader b) | Right es <- [blocks], WholeBlock b <- es]
  pure $
    conjoin
      [ got === Ended 1 [zeros],
        -- The index comes first.
        compressed === [False, small < large && large `div` 1100 <= small]
      ]

-- No header is read but those at the end.
manyBlocks :: Property
manyBlocks = ioProperty . inFile $ \path -> do
  let ty = fixedType "numbers" :: RecordType Int64
      appending n = do
        withWriter defaultWriteOptions {writeBlockSize = 8} ty path (`writeMany` [1 .. n])
        setAllocationCounter maxBound
        appendRecords ty path []
        left <- getAllocationCounter
        pure (maxBound - left)
  few <- appending 2000
  many <- appending 20000
  pure (counterexample (show (few, many)) (many < 2 * few))

tooLarge :: Property
tooLarge = ioProperty . inFile $ \path -> do
  let options = defaultWriteOptions {writeBlockSize = 100, writeRecordLimit = 5000}
      ty = fixedType "bytes" :: RecordType S.ByteString
      -- With 8 bytes for its length.
      large = S.replicate 4993 1
      fits = S.replicate 4992 2
  r <- withWriter options ty path $ \w -> do
    write w "a"
    a <- try (write w large)
    write w fits
    b <- try (writeMany w ["b", large, "c"])
    n <- written w
    pure (limit a, limit b, n)
  got <- readAll defaultReadOptions ty path
  pure (r === (Left 5000, Left 5000, 3) .&&. got === Ended 3 ["a", fits, "b"])
  where
    limit r = either (Left . recordLimit) Right (r :: Either RecordTooLarge ())

-- The numbers follow a bit, which is open until the end.
nearlyTooLarge :: Property
nearlyTooLarge = ioProperty . inFile $ \path -> do
  let options = defaultWriteOptions {writeBlockSize = 100, writeRecordLimit = 5000}
      ty = fixedType "packed" :: RecordType (Packed (Bool, [Int]))
      record n = Packed (True, replicate n 1)
      -- Besides the numbers, a byte of bits and their count in two bytes.
      large = record 5500
      fits = record 4900
  r <- withWriter options ty path $ \w -> do
    a <- try (write w large)
    write w fits
    pure (either recordLimit (const 0) (a :: Either RecordTooLarge ()))
  got <- readAll defaultReadOptions ty path
  pure (r === 5000 .&&. got === Ended 1 [fits])

closed :: Property
closed = ioProperty . inFile $ \path -> do
  w <- withWriter defaultWriteOptions rowType path pure
  let row = Row 1 "" [] Nothing
  rs <- sequence [try (write w row), try (flush w), try (writeMany w [row])]
  got <- readAll defaultReadOptions rowType path
  pure (rs === replicate 3 (Left WriterClosed) .&&. got === Ended 0 [])

anotherType :: Property
anotherType = ioProperty . inFile $ \path -> do
  writeRecords rowType path [Row 1 "" [] Nothing]
  before <- S.readFile path
  let other = fixedType "other" :: RecordType Int
  folded <- foldRecords other path (\n _ -> pure (n + 1)) (0 :: Int)
  appended <- try (appendRecords other path [1])
  opened <- withReader defaultReadOptions other path (const (pure ()))
  afterwards <- S.readFile path
  let wrong r = case r of
        Left d -> case damageCause d of
          WrongType _ -> True
          _ -> False
        Right _ -> False
  pure (wrong (() <$ folded) && wrong appended && wrong opened && before == afterwards)

-- The first version of a type, and the second one, which reads the first.
newtype Old = Old Word16
  deriving stock (Eq, Show)

instance Codec Old

instance HasFormat Old where
  format = byHand 2 (const 2) (\(Old w) -> put w) (Old <$> get)

oldType :: RecordType Old
oldType = fixedType "old"

newType :: RecordType Row
newType =
  (fixedType "new")
    { typeEvolved = \schema _ ->
        if schema == "old" then Right (evolvedBy (older <$> get)) else Left "neither old nor new"
    }

older :: Old -> Row
older (Old w) = Row (fromIntegral w) "old" [] Nothing

changedType :: Settings -> [Word16] -> [[Row]] -> Property
changedType settings olds news = ioProperty . inFile $ \path -> do
  withWriter (writing settings) oldType path (`writeMany` map Old olds)
  forM_ news $ \xs -> withAppender (writing settings) newType path (`writeMany` xs)
  let xs = map (older . Old) olds ++ concat news
  got <- readAll reading newType path
  single <- withReader reading newType path (\reader -> forM [0 .. size' xs - 1] (readAt reader))
  refused <- try (withAppender (writing settings) oldType path (const (pure ())))
  let isRefused = case refused of
        -- What this type cannot read begins after the old records.
        Left d -> case damageCause d of
          WrongType _ -> damageRecord d == size' olds
          _ -> False
        Right () -> null news
  pure (got === Ended (size' xs) xs .&&. single === Right (map (Right . Just) xs) .&&. isRefused)

equalFiles :: [Row] -> Property
equalFiles xs = ioProperty . inDirectory $ \directory -> do
  let options = defaultWriteOptions {writeMarker = Just 7, writeBlockSize = 200}
      make name = do
        withWriter options rowType (directory </> name) (`writeMany` xs)
        S.readFile (directory </> name)
  a <- make "a"
  b <- make "b"
  pure (a === b)
