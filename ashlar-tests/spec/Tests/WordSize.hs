{-# LANGUAGE OverloadedStrings #-}

-- |
-- Module      : Tests.WordSize
-- Description : More than 2 GiB
--
-- Lengths and offsets that an @Int@ of 32 bits does not hold. There they must be refused, and with
-- 64 bits they must be right. The bytes are the same chunk many times, so little memory is needed.
module Tests.WordSize (tests) where

import Ashlar.Builder
import Ashlar.Builder.Section
import Ashlar.Codec (decode, put)
import Ashlar.Codec.Combinators
  ( Fixed,
    fixedChecked,
    fixedMap,
    fixedPair,
    fixedWord8,
    getFixed,
    putFixed,
  )
import Ashlar.Get
import Control.Exception
import Control.Monad (replicateM_, void, when)
import Data.Bits (finiteBitSize)
import qualified Data.ByteString as S
import qualified Data.ByteString.Lazy as L
import Data.Int (Int64)
import Data.List (isInfixOf)
import qualified Data.Text as T
import qualified Data.Text.Lazy as TL
import Data.Word (Word8)
import Test.Tasty
import Test.Tasty.HUnit
import Tests.Derived (Perfect)

tests :: TestTree
tests =
  testGroup
    "more than 2 GiB"
    [ testGroup
        "a stream"
        [ testCase name (stream decoder)
          | (name, decoder) <-
              [ ("skipped", replicateM_ 33 (skip chunkSize)),
                ("to its end", void getRemainingLazyByteString),
                ("in numbers", replicateM_ 33 (skip (chunkSize - 4) *> getWord32be)),
                ("after look-ahead", replicateM_ 33 (lookAhead getWord8 *> skip chunkSize))
              ]
        ],
      testCase "a stream in a loop up to its end" looped,
      testCase "a string in a stream" string,
      testCase "the length of a section" lengthOfSection,
      testCase "the length of a lazy ByteString" lazyByteStringLength,
      testCase "the length of a lazy Text" lazyTextLength,
      testCase "a format of constant size, read" fixedRead,
      testCase "a format of constant size, written" fixedWritten,
      testCase "a derived type of constant size, in another" derived
    ]

narrow :: Bool
narrow = finiteBitSize (0 :: Int) == 32

chunkSize :: Int
chunkSize = 64 * 1024 * 1024

-- 33 chunks, 2,112 MiB, of zeros.
long :: L.ByteString
long = L.fromChunks (replicate 33 (S.replicate chunkSize 0))

longLength :: Int64
longLength = 33 * fromIntegral chunkSize

-- The decoder reads all of the stream.
stream :: Get () -> Assertion
stream decoder = case runGetLazy (anyBytes (decoder *> bytesRead)) long of
  Left e | narrow -> saysTooLong e
  Right n | not narrow -> n @?= longLength
  other -> assertFailure (show other)

anyBytes :: Get a -> Get a
anyBytes = withBudget defaultBudget {budgetBytes = Just maxBound}

saysTooLong :: DecodeError -> Assertion
saysTooLong e = case errorReason e of
  Invalid message | "stream of more than" `isInfixOf` message -> pure ()
  _ -> assertFailure (displayException e)

-- The end of what can be counted must not seem to be the end.
looped :: Assertion
looped = case runGetLazy (anyBytes (go 0)) long of
  Left e | narrow -> saysTooLong e
  Right n | not narrow -> n @?= 33
  other -> assertFailure (show other)
  where
    go :: Int -> Get Int
    go n = do
      end <- isEmpty
      if end then pure n else skip chunkSize *> go (n + 1)

-- With 64 bits it would take as much memory.
string :: Assertion
string = when narrow $ case runGetLazy (anyBytes getByteStringNul) ones of
  Left e -> saysTooLong e
  Right s -> assertFailure (show (S.length s))
  where
    ones = L.fromChunks (replicate 33 (S.replicate chunkSize 1))

lengthOfSection :: Assertion
lengthOfSection = do
  r <- try (evaluate (L.take 5 (toLazyByteString (lengthPrefixedVarint (lazyByteString long)))))
  case r of
    Left (SectionTooLong _ _) | narrow -> pure ()
    Right prefix | not narrow -> prefix @?= L.take 5 (toLazyByteString (varint longLength))
    other -> assertFailure (show other)
  where
    -- Seven bits a byte, the lowest first.
    varint n
      | n < 128 = word8 (fromIntegral n)
      | otherwise = word8 (fromIntegral (n `mod` 128 + 128)) <> varint (n `div` 128)

lazyByteStringLength :: Assertion
lazyByteStringLength = beginsWithLength (put long)

lazyTextLength :: Assertion
lazyTextLength = beginsWithLength (put (TL.fromChunks (replicate 33 (T.replicate chunkSize "a"))))

beginsWithLength :: Builder -> Assertion
beginsWithLength b = do
  r <- try (evaluate (L.take 8 (toLazyByteString b)))
  case r of
    Left (ErrorCall _) | narrow -> pure ()
    Right prefix | not narrow -> prefix @?= toLazyByteString (int64LE longLength)
    other -> assertFailure (show other)

-- The byte is refused, so that reading ends at once.
refused :: Fixed ()
refused = fixedChecked (const 0) (const (Left "refused")) fixedWord8

doubled :: Int -> Fixed () -> Fixed ()
doubled n f = iterate (\g -> fixedPair id id (\_ _ -> ()) g g) f !! n

-- With 32 bits there is as much input as the size says, at which sums are cut off.
enough :: S.ByteString
enough = S.replicate (if narrow then 2 ^ (28 :: Int) else 1000) 0

fixedRead :: Assertion
fixedRead = do
  tooLarge (runGet (getFixed (doubled 40 refused)) enough)
  tooLarge (runGet (getFixed (doubled 70 refused)) enough)
  -- That is not too large.
  either errorReason (const NoAlternative) (runGet (getFixed (doubled 5 refused)) enough)
    @?= Invalid "refused"

tooLarge :: Show a => Either DecodeError a -> Assertion
tooLarge r = case errorReason <$> either Just (const Nothing) r of
  Just (Invalid message) | narrow, "constant size" `isInfixOf` message -> pure ()
  Just (MissingInput _ _) | not narrow -> pure ()
  _ -> assertFailure (show r)

-- With 64 bits no buffer is large enough, which is not tried here.
fixedWritten :: Assertion
fixedWritten = when narrow $ do
  r <- try (evaluate (toStrictByteString (putFixed (doubled 40 byte) ())))
  case r of
    Left e -> "constant size" `isInfixOf` show (e :: IOException) @? show e
    Right bs -> assertFailure (show (S.length bs))
  where
    byte = fixedMap (const 0) (const ()) fixedWord8

-- Thirty levels, and the fields of the innermost.
derived :: Assertion
derived =
  tooLarge (void (decode input :: Either DecodeError (Perfect Word8)))
  where
    input = S.replicate 30 1 <> S.singleton 0 <> enough
