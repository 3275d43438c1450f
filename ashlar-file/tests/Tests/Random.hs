{-# LANGUAGE DeriveAnyClass #-}
{-# LANGUAGE DeriveGeneric #-}
{-# LANGUAGE DerivingStrategies #-}
{-# LANGUAGE OverloadedStrings #-}

-- |
-- Module      : Tests.Random
-- Description : Records, options, and ways to read
module Tests.Random
  ( Row (..),
    rowType,
    Settings (..),
    writing,
    reading,
    runs,
    readAll,
    resynced,
    strictly,
  )
where

import Ashlar.Codec (Codec)
import Ashlar.File
import qualified Data.ByteString as S
import qualified Data.ByteString.Lazy as L
import Data.IORef (modifyIORef', newIORef, readIORef)
import qualified Data.Text as T
import Data.Word (Word16)
import GHC.Generics (Generic)
import Test.QuickCheck

-- | A record of variable size.
data Row = Row
  { rowNumber :: Int,
    rowName :: T.Text,
    rowNotes :: [Word16],
    rowFlag :: Maybe Bool
  }
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec)

instance Arbitrary Row where
  arbitrary = Row <$> arbitrary <*> (T.pack <$> arbitrary) <*> arbitrary <*> arbitrary
  shrink (Row n t ws f) = [Row n t ws' f | ws' <- shrink ws] ++ [Row n "" ws f | not (T.null t)]

rowType :: RecordType Row
rowType = fixedType "row"

-- | How a file is written.
data Settings = Settings
  { settingsBlock :: Int,
    settingsIndex :: Bool,
    settingsRuns :: Bool
  }
  deriving stock (Eq, Show)

instance Arbitrary Settings where
  arbitrary =
    Settings
      <$> frequency [(3, choose (1, 600)), (1, choose (600, 40000))]
      <*> arbitrary
      <*> arbitrary
  shrink (Settings n i z) =
    [Settings 100 i z | n /= 100] ++ [Settings n False z | i] ++ [Settings n i False | z]

writing :: Settings -> WriteOptions
writing s =
  defaultWriteOptions
    { writeBlockSize = settingsBlock s,
      writeIndex = settingsIndex s,
      writeCompression = if settingsRuns s then Just runs else Nothing
    }

reading :: ReadOptions
reading = defaultReadOptions {readCompressions = [runs]}

-- | Each run of a byte is its length and the byte.
runs :: Compression
runs = Compression "runs" small large
  where
    small = S.concat . map run . concatMap cut . S.group
    run bytes = S.cons (fromIntegral (S.length bytes)) (S.take 1 bytes)
    cut bytes
      | S.length bytes <= 255 = [bytes]
      | otherwise = S.take 255 bytes : cut (S.drop 255 bytes)
    -- One byte too many is enough to see that there are too many.
    large n bytes
      | odd (S.length bytes) = error "an odd number of bytes"
      | S.any (== 0) (S.pack (everySecond (S.unpack bytes))) = Left "a run of no bytes"
      | otherwise = Right (L.toStrict (L.take (fromIntegral n + 1) (expandAll bytes)))
    expandAll bytes = case S.unpack (S.take 2 bytes) of
      [n, w] -> L.fromStrict (S.replicate (fromIntegral n) w) <> expandAll (S.drop 2 bytes)
      _ -> L.empty
    everySecond (x : _ : rest) = x : everySecond rest
    everySecond rest = rest

-- | All records, and how the fold ended.
readAll :: Codec a => ReadOptions -> RecordType a -> FilePath -> IO (Outcome () [a])
readAll options ty path = inOrder <$> foldRecordsWith options ty path add []
  where
    add acc x = pure (Right (x : acc))
    inOrder outcome = case outcome of
      Ended n xs -> Ended n (reverse xs)
      Stopped n () -> Stopped n ()
      Damaged n xs d -> Damaged n (reverse xs) d

-- | All records that can be read, with what was lost.
resynced :: Codec a => ReadOptions -> RecordType a -> FilePath -> IO (Outcome () [a], [Lost])
resynced options ty path = do
  lost <- newIORef []
  outcome <- readAll options {readResync = Just (\l -> modifyIORef' lost (l :))} ty path
  (,) outcome . reverse <$> readIORef lost

-- | All records up to damage, and the damage.
strictly :: Outcome () [a] -> ([a], Maybe Damage)
strictly outcome = case outcome of
  Ended _ xs -> (xs, Nothing)
  Stopped _ () -> ([], Nothing)
  Damaged _ xs d -> (xs, Just d)
