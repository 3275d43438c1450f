{-# LANGUAGE BangPatterns #-}
{-# LANGUAGE OverloadedStrings #-}

-- |
-- Module      : Tests.Checksum
-- Description : The sink of one's own
module Tests.Checksum (tests) where

import Ashlar.Builder
import Ashlar.File.Crc32c (crc32c)
import Checksum
import qualified Data.ByteString as S
import Data.IORef
import Test.Tasty
import Test.Tasty.QuickCheck

tests :: TestTree
tests =
  testGroup
    "a sink of one's own"
    [ testProperty "passes all bytes, and their checksum" $ \seed large ->
        forAll (choose (0, 3000)) $ \n -> ioProperty $ do
          passed <- newIORef []
          let numbers = foldMap (\i -> int64LE i <> intDec (fromIntegral i)) [seed .. seed + n]
              -- Long enough to be inserted, and not copied.
              inserted = byteString (S.replicate 20000 (fromIntegral seed))
              builder = numbers <> (if large then inserted else mempty) <> "end" <> numbers
          let keep bs = let !kept = S.copy bs in modifyIORef passed (kept :)
          checksum <- checksummed keep builder
          bytes <- S.concat . reverse <$> readIORef passed
          pure (property (bytes == toStrictByteString builder) .&&. checksum === crc32c bytes)
    ]
