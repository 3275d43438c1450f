-- |
-- Module      : Main
-- Description : Compressed streams
module Main (main) where

import Test.Tasty
import qualified Tests.Compress
import qualified Tests.Decompress
import qualified Tests.File

main :: IO ()
main =
  defaultMain $
    testGroup "zlib" [Tests.Compress.tests, Tests.Decompress.tests, Tests.File.tests]
