{-# LANGUAGE OverloadedStrings #-}

-- |
-- Module      : Tests.File
-- Description : Files of records with compressed blocks
module Tests.File (tests) where

import Ashlar.File
import qualified Ashlar.Zlib as Zlib
import Ashlar.Zlib.File
import qualified Codec.Compression.Zlib as Z
import Control.Exception (displayException)
import Data.Bits (complementBit)
import qualified Data.ByteString as S
import qualified Data.ByteString.Lazy as L
import Data.Either (isLeft)
import Data.IORef (modifyIORef, newIORef, readIORef)
import Data.Int (Int64)
import System.FilePath ((</>))
import System.IO.Temp (withSystemTempDirectory)
import System.Mem (getAllocationCounter, setAllocationCounter)
import Test.Tasty
import Test.Tasty.QuickCheck
import Tests.Random (modelOf, rowOf)

tests :: TestTree
tests =
  testGroup
    "files of records"
    [ testProperty "what is written and appended is read, at any levels" roundTrip,
      testProperty "the bytes are those of zlib, both ways" bothWays,
      testProperty "a higher level takes fewer bytes" levels,
      testProperty "truncated after each byte, and bytes after the end: refused" . once $
        conjoin
          [ counterexample (show bad) (isLeft (expand (S.length text) bad))
            | bad <- [S.take n packed | n <- [0 .. S.length packed - 1]] ++ [packed <> "\0"]
          ],
      -- (No checksum covers the bits that fill the last byte of the deflate stream.)
      testProperty "each bit flipped: refused, or the same bytes" . once $
        conjoin
          [ counterexample (show (i, bit)) $
              either (const True) (== text) (expand (S.length text) (flipped i bit))
            | i <- [0 .. S.length packed - 1],
              bit <- [0 .. 7]
          ],
      testProperty "a wrong number of bytes is reported" . forAll (choose (0, 2000)) $
        \n -> case expand n packed of
          Left why ->
            why === "it expands to more than " ++ show n ++ " bytes" .&&. n < S.length text
          Right bytes -> bytes === text .&&. n >= S.length text,
      testProperty "any bytes in place of a compressed block" $ \ws n ->
        either (const True) ((<= abs n) . S.length) (expand (abs n) (S.pack ws)),
      testProperty "a block that is damaged, with a right checksum: it alone is lost" damaged,
      testProperty "a bomb takes no more memory than its block says" (once bomb)
    ]
  where
    text = S.concat (map rowOf [1 .. 50])
    packed = compressBody (zlibBlocks 6) text
    flipped i bit = case S.splitAt i packed of
      (start, end) ->
        start <> maybe S.empty (\(w, rest) -> S.cons (complementBit w bit) rest) (S.uncons end)

expand :: Int -> S.ByteString -> Either String S.ByteString
expand = expandBody (zlibBlocks 6)

ty :: RecordType S.ByteString
ty = fixedType "bytes"

inFile :: (FilePath -> IO a) -> IO a
inFile act = withSystemTempDirectory "ashlar" (\d -> act (d </> "records"))

writing :: Compression -> Int -> WriteOptions
writing c size = defaultWriteOptions {writeCompression = Just c, writeBlockSize = size}

reading :: ReadOptions
reading = defaultReadOptions {readCompressions = [zlibBlocks 1]}

-- All records, and the damage that ended the fold.
readAll :: ReadOptions -> FilePath -> IO ([S.ByteString], Maybe Damage)
readAll options path = do
  outcome <- foldRecordsWith options ty path (\xs x -> pure (Right (x : xs))) []
  pure $ case outcome :: Outcome () [S.ByteString] of
    Ended _ xs -> (reverse xs, Nothing)
    Stopped _ () -> ([], Nothing)
    Damaged _ xs d -> (reverse xs, Just d)

level :: Gen Int
level = choose (-1, 10)

roundTrip :: [[Int]] -> [[Int]] -> Positive Int -> Property
roundTrip xs ys (Positive size) =
  forAll level $ \i -> forAll level $ \j -> ioProperty . inFile $ \path -> do
    withWriter (writing (zlibBlocks i) (50 * size)) ty path (`writeMany` old)
    withAppender (writing (zlibBlocks j) (50 * size)) ty path (`writeMany` new)
    got <- readAll reading path
    singles <- withReader reading ty path $ \reader ->
      mapM (readAt reader) [0 .. fromIntegral (length (old ++ new)) - 1]
    pure $
      got === (old ++ new, Nothing)
        .&&. singles === Right (map (Right . Just) (old ++ new))
  where
    old = map record xs
    new = map record ys
    record = S.concat . map rowOf

bothWays :: Property
bothWays = withMaxSuccess 60 . forAll level $ \i pieces ->
  let model = modelOf pieces
      body = L.toStrict model
   in Z.decompress (L.fromStrict (compressBody (zlibBlocks i) body)) === model
        .&&. expand (S.length body) (L.toStrict (Z.compress model)) === Right body

levels :: Property
levels = once (counterexample (show sizes) (and (zipWith (>) sizes (drop 1 sizes))))
  where
    sizes = [S.length (compressBody (zlibBlocks i) text) | i <- [0, 1, 9]]
    text = S.concat (map rowOf [1 .. 10000])

-- The writer's compression leaves out the last byte of the block that has a certain row. The
-- checksum is that of what it gives.
damaged :: Positive Int -> Property
damaged (Positive size) = forAll (choose (0, 900)) $ \k -> ioProperty . inFile $ \path -> do
  withWriter (writing (torn (rowOf k)) (100 * size)) ty path (`writeMany` rows)
  found <- newIORef []
  (got, end) <- readAll reading {readResync = Just (\l -> modifyIORef found (l :))} path
  (before, stopped) <- readAll reading path
  lost <- readIORef found
  let gone = concat [[from .. to - 1] | l <- lost, let (from, to) = range l]
  pure $
    end === Nothing
      .&&. got === [row | (n, row) <- zip [0 ..] rows, n `notElem` gone]
      .&&. counterexample (show lost) (k `elem` gone && length gone <= 7 * size)
      .&&. map (damageCause . lostDamage) lost === [WrongExpansion tooShort]
      .&&. fmap damageCause stopped === Just (WrongExpansion tooShort)
      .&&. before === take (minimum gone) rows
  where
    rows = map rowOf [0 .. 999]
    torn row = (zlibBlocks 6) {compressBody = \body -> tear row body (packed body)}
    tear row body = if row `S.isInfixOf` body then S.init else id
    packed = compressBody (zlibBlocks 6)
    range l =
      (fromIntegral (damageRecord (lostDamage l)), maybe 1000 fromIntegral (lostNext l))
    tooShort = displayException Zlib.Truncated

bomb :: Property
bomb = ioProperty . inFile $ \path -> do
  withWriter (writing bombs 100000) ty path (`write` body)
  (n, (got, end)) <- allocated (readAll reading path)
  pure $
    got === []
      .&&. fmap damageCause end === Just (WrongExpansion why)
      .&&. counterexample (show n) (n < 1000000)
  where
    body = S.replicate 100000 7
    bombs = (zlibBlocks 6) {compressBody = const (compressBody (zlibBlocks 6) zeros)}
    zeros = S.replicate 33554432 0
    -- A block has the lengths of its records, too.
    why = "it expands to more than " ++ show (S.length body + 8) ++ " bytes"

-- How many bytes an action allocates.
allocated :: IO a -> IO (Int64, a)
allocated act = do
  setAllocationCounter maxBound
  r <- act
  now <- getAllocationCounter
  pure (maxBound - now, r)
