-- |
-- Module      : Main
-- Description : Compressed streams
module Main (main) where

import Test.Tasty
import qualified Tests.Compress
import qualified Tests.Decompress

main :: IO ()
main = defaultMain (testGroup "zlib" [Tests.Compress.tests, Tests.Decompress.tests])
