{-# LANGUAGE DeriveAnyClass #-}
{-# LANGUAGE DeriveGeneric #-}
{-# LANGUAGE DerivingStrategies #-}

-- |
-- Module      : Tests.Convert
-- Description : Records of other libraries
module Tests.Convert (tests) where

import Ashlar.Builder (hPutBuilder)
import Ashlar.Codec (Codec, Get, get, put)
import Ashlar.Compat.Binary (Binary)
import Ashlar.Compat.Cereal (Serialize)
import Ashlar.Compat.Formats
import Ashlar.Compat.Store (Store)
import Ashlar.File
import Ashlar.File.Convert
import Ashlar.Get (Folded (..))
import qualified Data.Binary as Binary
import qualified Data.ByteString as S
import qualified Data.ByteString.Lazy as L
import Data.IORef
import Data.Int (Int64)
import GHC.Generics (Generic)
import System.IO
import Test.Tasty
import Test.Tasty.QuickCheck
import Tests.Files

data Entry = Entry Int String | Gap
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec, Binary, Binary.Binary, Serialize, Store)

instance Arbitrary Entry where
  arbitrary = oneof [Entry <$> arbitrary <*> arbitrary, pure Gap]

entries :: RecordType Entry
entries = fixedType "entry"

tests :: TestTree
tests =
  testGroup
    "files of other libraries"
    [ testProperty "are converted, up to what is damaged" converted,
      testProperty "progress is reported" withProgress
    ]

-- By binary itself. (Tests of ashlar compare the three formats with those of their libraries.)
converted :: [Entry] -> Property
converted xs = forAll (choose (0, 10)) $ \lost -> ioProperty . inDirectory $ \folder -> do
  let bytes = L.toStrict (foldMap Binary.encode xs)
      whole = length (takeWhile (<= S.length bytes - lost) (drop 1 (scanl (+) 0 sizes)))
      sizes = map (fromIntegral . L.length . Binary.encode) xs
      old = folder ++ "/old"
      new = folder ++ "/new"
  S.writeFile old (S.take (S.length bytes - lost) bytes)
  result <- withBinaryFile old ReadMode $ \h ->
    convertHandle quietly (fromBinaryFormat <$> get) entries h new
  read' <- foldRecords entries new (\acc x -> pure (x : acc)) []
  let end = sum (take whole sizes)
      atEnd = end == max 0 (S.length bytes - lost)
  pure $
    read' === Right (reverse (take whole xs)) .&&. case result of
      FoldEnded at n -> (at, n, atEnd) === (fromIntegral end, fromIntegral whole, True)
      FoldFailed at n _ -> (at, n, atEnd) === (fromIntegral end, fromIntegral whole, False)
      FoldStopped _ _ -> property False

-- In the formats of the other two, as our own classes write them.
withProgress :: Property
withProgress = once . ioProperty . inDirectory $ \folder -> do
  calls <- newIORef []
  let xs = [Entry n (show n) | n <- [1 .. 10000]]
      new = folder ++ "/new"
      via :: Codec b => (Entry -> b) -> Get Entry -> IO ()
      via to g = do
        withBinaryFile (folder ++ "/old") WriteMode (`hPutBuilder` foldMap (put . to) xs)
        withBinaryFile (folder ++ "/old") ReadMode $ \h ->
          convertHandle (\n -> modifyIORef calls (n :)) g entries h new >>= \r -> case r of
            FoldEnded _ 10000 -> pure ()
            _ -> fail (show r)
  via CerealFormat (fromCerealFormat <$> get)
  via StoreFormat (fromStoreFormat <$> get)
  read' <- foldRecords entries new (\n _ -> pure (n + 1)) (0 :: Int64)
  seen <- readIORef calls
  pure (read' === Right 10000 .&&. reverse seen === [4096, 8192, 4096, 8192])
