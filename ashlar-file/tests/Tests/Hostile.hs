{-# LANGUAGE OverloadedStrings #-}

-- |
-- Module      : Tests.Hostile
-- Description : Files that somebody made to do harm
--
-- All checksums are right.
module Tests.Hostile (tests) where

import Ashlar.Builder (int64LE, toStrictByteString, word32LE)
import Ashlar.Codec (encode, get)
import Ashlar.File
import Ashlar.File.Blocks (readHeader)
import Ashlar.File.Crc32c
import Ashlar.File.Internal.Layout
import Ashlar.File.Internal.Scan (endOf, nextRecordOf)
import Ashlar.Get (newSource)
import Control.Exception (throw, try)
import Data.Bits (finiteBitSize)
import qualified Data.ByteString as S
import Data.IORef (atomicModifyIORef', newIORef)
import Data.Int (Int64)
import Data.Word (Word64, Word8)
import GHC.Fingerprint (fingerprintString)
import System.Mem (getAllocationCounter, setAllocationCounter)
import Test.Tasty
import Test.Tasty.QuickCheck
import Tests.Files
import Tests.Random

tests :: TestTree
tests =
  testGroup
    "hostile files"
    [ testProperty "any headers: an answer, in little memory" anyHeaders,
      testProperty "a length of 4 GiB is not allocated" (once hugeLength),
      testProperty "the end of a block of 2 GiB" blockEnds,
      testProperty "the number after the last record of a block" lastNumber,
      testProperty "more records than bytes" (once hugeCount),
      testProperty "fewer records than bytes" (once smallCount),
      testProperty "a header of 4 GiB" (once hugeHeader),
      testProperty "an expansion without end" (once bomb),
      testProperty "a block that cannot be expanded" notExpanded,
      testProperty "an index that lies: the record, or damage" lyingIndex,
      testProperty "an index of blocks that a record contains" (once indexOfCopy),
      testProperty "headers in one another take linear time" (once nested),
      testProperty "a batch has no more of a budget than a record" (once batch),
      testProperty "schemas are read once" (once alternating)
    ]

ty :: RecordType [Word8]
ty = fixedType "bytes"

marker :: Word64
marker = 0x0123456789ABCDEF

header :: S.ByteString -> FileHeader
header name = FileHeader marker (typeFingerprint ty) name (typeSchema ty)

start :: S.ByteString
start = putFileHeader (header "")

block :: BlockHeader
block =
  BlockHeader
    { blockMarker = marker,
      blockKind = Records,
      blockCompressed = False,
      blockStored = 0,
      blockExpanded = 0,
      blockCount = 1,
      blockFirst = 0,
      blockFingerprint = typeFingerprint ty,
      blockSchemaAt = 0,
      blockOffset = fromIntegral (S.length start),
      blockChecksum = 0
    }

withBody :: BlockHeader -> S.ByteString -> S.ByteString
withBody h body =
  encodeBlockHeader
    h {blockStored = S.length body, blockExpanded = S.length body, blockChecksum = crc32c body}
    <> body

-- How many bytes an action allocates.
allocated :: IO a -> IO (Int64, a)
allocated act = do
  setAllocationCounter maxBound
  r <- act
  now <- getAllocationCounter
  pure (maxBound - now, r)

-- All ways to open a file, and how much they allocate at most.
tryAll :: FilePath -> IO Int64
tryAll path = do
  before <- S.readFile path
  (a, _) <- allocated (readAll limited ty path)
  (b, _) <- allocated (resynced limited ty path)
  (c, _) <- allocated . withReader limited ty path $ \reader ->
    recordCount reader >> mapM (readAt reader) [0, 1, 7, maxBound]
  (d, _) <- allocated (readAll limited {readFrom = 1000000007} ty path)
  (f, _) <- allocated (fromSource >>= \s -> foldSourceWith limited ty "s" s ignoring ())
  (e, _) <- allocated (try (appendRecords ty path [[1]]) :: IO (Either Damage ()))
  S.writeFile path before
  pure (maximum [a, b, c, d, e, f])
  where
    fromSource = S.readFile path >>= \bytes -> newIORef [bytes] >>= \ref -> newSource (chunk ref)
    ignoring _ _ = pure (Right ()) :: IO (Either () ())
    chunk ref = atomicModifyIORef' ref (\l -> (drop 1 l, mconcat (take 1 l)))
    limited = reading {readBlockLimit = 100000}

anyHeaders :: [(Header, [Word8])] -> Property
anyHeaders parts = withMaxSuccess 300 . ioProperty . withBytesIn bytes $ \path -> do
  n <- tryAll path
  pure (counterexample (show n) (n < 20000000 + 2000 * fromIntegral (S.length bytes)))
  where
    bytes = start <> S.concat (zipWith part [0 :: Int ..] parts)
    part i (Header h, ws)
      | even i = encodeBlockHeader h <> S.pack ws
      -- This one is right but for what it says of its records.
      | otherwise = withBody (modest h) (S.pack ws)
    modest h = h {blockFirst = min 100 (blockFirst h), blockCount = blockCount h `mod` 9}

newtype Header = Header BlockHeader

instance Show Header where
  show (Header h) = show h

instance Arbitrary Header where
  arbitrary = do
    kind <- elements [Records, Records, Schema, Index, Unknown 9]
    stored <- size
    same <- arbitrary
    expandedTo <- if same then pure stored else size
    count <- size
    first <- oneof [pure 0, choose (0, 100), choose (0, maxBound)]
    at <- elements [0, fromIntegral (S.length start), 1000, maxBound]
    compressed <- arbitrary
    known <- arbitrary
    pure . Header $
      block
        { blockKind = kind,
          blockCompressed = compressed,
          blockStored = stored,
          blockExpanded = expandedTo,
          blockCount = count,
          blockFirst = first,
          blockSchemaAt = at,
          blockOffset = at,
          blockFingerprint = if known then typeFingerprint ty else fingerprintString "?"
        }
    where
      size = oneof [choose (0, 20), choose (0, 100000), elements [maxWord, maxWord - 1]]
      maxWord = cutOff 4294967295

-- A number of 32 bits that is written. Where an Int has as many, it may be negative.
cutOff :: Int64 -> Int
cutOff = fromIntegral

-- What an Int of 64 bits can hold, and one of 32 bits cannot: the header is refused there.
wide :: Cause -> Cause
wide cause = if finiteBitSize (0 :: Int) == 32 then WrongBlockHeader else cause

blockEnds :: Property
blockEnds = forAll (choose (2147483392, 2147483900)) $ \n ->
  let bytes = encodeBlockHeader block {blockStored = cutOff n, blockExpanded = cutOff n}
   in case anyBlockStart bytes of
        Nothing -> n + 144 > fromIntegral (maxBound :: Int)
        Just h -> endOf 5 h == 5 + 72 + n

-- It is no overflow.
lastNumber :: Property
lastNumber = forAll near $ \n ->
  case anyBlockStart (encodeBlockHeader block {blockFirst = n, blockCount = 1000000}) of
    Nothing -> property (n > maxBound - 4294967296)
    Just h -> property (nextRecordOf h > n)
  where
    near = oneof [choose (maxBound - n, maxBound) | n <- [2 * 4294967296, 1000000]]

hugeLength :: Property
hugeLength = ioProperty . withBytesIn bytes $ \path -> do
  (n, got) <- allocated (readAll reading {readBlockLimit = maxBound} ty path)
  pure $
    case got of
      Damaged 0 [] d -> damageCause d === wide (Truncated (m + 72) (72 + 5))
      other -> counterexample (show other) False
      .&&. counterexample (show n) (n < 2000000)
  where
    bytes = start <> encodeBlockHeader block {blockStored = m, blockExpanded = m} <> "12345"
    m = cutOff 4294967295

hugeCount :: Property
hugeCount = ioProperty . withBytesIn bytes $ \path -> do
  (n, got) <- allocated (readAll reading (fixedType "bytes" :: RecordType ()) path)
  pure $
    case got of
      Damaged 0 [] d -> damageCause d === wide WrongCount
      other -> counterexample (show other) False
      .&&. counterexample (show n) (n < 2000000)
  where
    bytes = start <> withBody block {blockCount = cutOff 4000000000} "\0\0\0"

smallCount :: Property
smallCount = ioProperty . withBytesIn bytes $ \path -> do
  (got, damage) <- strictly <$> readAll reading ty path
  pure (got === [[1]] .&&. (damageCause <$> damage) === Just WrongCount)
  where
    bytes = start <> withBody block {blockCount = 1} (encode [1 :: Word8] <> encode [2 :: Word8])

hugeHeader :: Property
hugeHeader = ioProperty . withBytesIn bytes $ \path -> do
  (n, got) <- allocated (readAll reading ty path)
  pure $
    case got of
      Damaged 0 [] d -> damageCause d === TooLarge most 16777216
      other -> counterexample (show other) False
      .&&. counterexample (show n) (n < 2000000)
  where
    bytes = S.take 12 start <> "\255\255\255\255" <> S.drop 16 start
    most = fromIntegral (min 4294967295 (fromIntegral (maxBound :: Int)) :: Int64)

-- A block that is expanded to 32 MiB.
bomb :: Property
bomb = ioProperty . withBytesIn bytes $ \path -> do
  (n, got) <- allocated (readAll reading ty path)
  (m, small) <- allocated (readAll reading {readBlockLimit = 100000} ty path)
  (_, short) <- allocated (readAll reading {readExpansionLimit = 1} ty path)
  -- What is thrown is shown, and not where that was.
  torn <- readAll reading {readCompressions = [runs {expandBody = throwing}]} ty path
  pure $
    conjoin
      [ cause got === Just (WrongExpansion "another number of bytes than the block says"),
        cause torn === Just (WrongExpansion "user error (torn)"),
        cause small === Just (TooLarge 1000000 100000),
        cause short === Just (TooLarge 1000000 (S.length body)),
        counterexample (show (n, m)) (n < 40000000 && m < 2000000)
      ]
  where
    bytes =
      putFileHeader (header "runs")
        <> encodeBlockHeader
          block
            { blockCompressed = True,
              blockStored = S.length body,
              blockExpanded = 1000000,
              blockChecksum = crc32c body
            }
        <> body
    body = compressBody runs (S.replicate 33554432 0)
    throwing _ _ = throw (userError "torn")
    cause outcome = damageCause <$> snd (strictly outcome)

lyingIndex :: [(Int64, Int64)] -> Int64 -> Property
lyingIndex lies total' = ioProperty . inFile $ \path -> do
  let xs = [[fromIntegral i] | i <- [0 .. 99 :: Int]] :: [[Word8]]
      options =
        defaultWriteOptions
          { writeBlockSize = 50,
            writeIndex = False,
            writeMarker = Just marker
          }
  withWriter options ty path (`writeMany` xs)
  bytes <- S.readFile path
  S.writeFile path (indexed lies (abs total') bytes)
  got <- withReader reading ty path (\reader -> mapM (readAt reader) [0 .. 99])
  pure $ case got of
    Left d -> counterexample (show d) False
    Right found -> found === map (Right . Just) xs

-- The file with an index of these entries, and this number of records.
indexed :: [(Int64, Int64)] -> Int64 -> S.ByteString -> S.ByteString
indexed entries n bytes = bytes <> withBody index body
  where
    at = fromIntegral (S.length bytes)
    footer = toStrictByteString (int64LE n <> int64LE at <> "ASHLARIX" <> word32LE 0)
    body =
      toStrictByteString (foldMap (\(a, b) -> int64LE a <> int64LE b) entries)
        <> footer
        <> toStrictByteString (word32LE (crc32c footer))
    index = block {blockKind = Index, blockCount = 0, blockFirst = n, blockOffset = at}

-- The block in the record is whole, but for its own offset.
indexOfCopy :: Property
indexOfCopy = ioProperty . withBytesIn bytes $ \path -> do
  got <- withReader reading ty path (\reader -> mapM (readAt reader) [0 .. 9])
  pure (got === Right (map (Right . Just) records))
  where
    copy = withBody block {blockFirst = 5, blockOffset = 0} (encode [99 :: Word8])
    records = S.unpack copy : [[i] | i <- [1 .. 9]]
    bytes = indexed [(at, 5)] 10 file
    at = fromIntegral (S.length (fst (S.breakSubstring copy file)))
    file = foldl appended start (zip [0 ..] records)
    appended before (n, record) =
      before
        <> withBody
          block {blockFirst = n, blockOffset = fromIntegral (S.length before)}
          (encode record)

-- Each of many headers says that all that follows is its body. All of these together have 9 GB.
nested :: Property
nested = ioProperty . withBytesIn bytes $ \path -> do
  (n, _) <- allocated (resynced reading ty path)
  (m, ()) <- allocated (withReader reading ty path recordCount >> pure ())
  pure (counterexample (show (n, m)) (n < 400 * size && m < 4000000000))
  where
    count = 16000 :: Int
    size = fromIntegral (S.length bytes) :: Int64
    bytes =
      start
        <> S.concat
          [ encodeBlockHeader block {blockStored = rest, blockExpanded = rest, blockChecksum = 1}
            | i <- [1 .. count],
              let rest = blockHeaderBytes * (count - i)
          ]

-- Records of 8 bytes that are lists of 600,000 elements.
batch :: Property
batch = ioProperty . inFile $ \path -> do
  let units = fixedType "units" :: RecordType [()]
      xs = replicate 600000 ()
      stop _ x = pure (Left (length x)) :: IO (Either Int ())
  writeRecords units path [xs]
  (one, _) <- allocated (foldRecordsWith reading units path stop ())
  writeRecords units path (replicate 20 xs)
  (n, outcome) <- allocated (foldRecordsWith reading units path stop ())
  whole <- readAll reading units path
  pure $
    conjoin
      [ outcome === Stopped 1 600000,
        map length (fst (strictly whole)) === replicate 20 600000,
        counterexample (show (one, n)) (n < 6 * one)
      ]

-- Small blocks whose records have one or the other of two large schemas.
alternating :: Property
alternating = ioProperty . withBytesIn bytes $ \path -> do
  (n, (outcome, lost)) <- allocated (resynced reading anyType path)
  found <- withReader reading anyType path (`readAt` 3)
  pure $
    conjoin
      [ outcome === Ended 200 (concat [[[fromIntegral i]] | i <- [1, 3 .. 199 :: Int]]),
        length lost === 100,
        found === Right (Right (Just [3])),
        counterexample (show n) (n < 40000000)
      ]
  where
    anyType :: RecordType [Word8]
    anyType = ty {typeEvolved = \_ _ -> Right (evolvedBy get)}
    size = 3000000
    schema i at =
      withBody
        block {blockKind = Schema, blockCount = 0, blockFingerprint = print' i, blockOffset = at}
        (S.replicate size (fromIntegral i))
    print' i = fingerprintString (show (i :: Int))
    at1 = fromIntegral (S.length start) :: Int64
    at2 = at1 + fromIntegral (blockHeaderBytes + size)
    bytes = start <> schema 0 at1 <> schema 1 at2 <> S.concat (map record [0 .. 199])
    record i =
      withBody
        block
          { blockFirst = fromIntegral i,
            blockFingerprint = print' (i `mod` 2),
            blockSchemaAt = if even i then at1 else at2
          }
        (encode [fromIntegral i :: Word8])

-- The checksum is right, and the compressed bytes are any.
notExpanded :: [Word8] -> Word8 -> Property
notExpanded ws n = ioProperty . inFile $ \path -> do
  withWriter defaultWriteOptions {writeCompression = Just runs} rowType path (const (pure ()))
  before <- S.readFile path
  Right h <- readHeader path
  let body = S.pack ws
      expanding =
        BlockHeader
          { blockMarker = fileMarker h,
            blockKind = Records,
            blockCompressed = True,
            blockStored = S.length body,
            blockExpanded = 1 + fromIntegral n,
            blockCount = 1,
            blockFirst = 0,
            blockFingerprint = fileFingerprint h,
            blockSchemaAt = 0,
            blockOffset = 0,
            blockChecksum = crc32c body
          }
  S.writeFile path (S.take (fileHeaderBytes h) before <> encodeBlockHeader expanding <> body)
  (got, damage) <- strictly <$> readAll reading {readExpansionLimit = 300} rowType path
  pure $
    got === [] .&&. case damageCause <$> damage of
      Just (WrongExpansion _) -> property True
      Just (BadRecord _) -> property True
      Just (TooLarge _ _) -> property (null ws)
      other -> counterexample (show other) False
