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
    zlib,
    readAll,
    resynced,
    strictly,
  )
where

import Ashlar.Codec (Codec)
import Ashlar.File
import qualified Codec.Compression.Zlib as Zlib
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
    settingsZlib :: Bool
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
      writeCompression = if settingsZlib s then Just zlib else Nothing
    }

reading :: ReadOptions
reading = defaultReadOptions {readCompressions = [zlib]}

zlib :: Compression
zlib = Compression "zlib" (whole Zlib.compress) (\n -> Right . whole (most n . Zlib.decompress))
  where
    whole f = L.toStrict . f . L.fromStrict
    most n = L.take (fromIntegral n + 1)

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
