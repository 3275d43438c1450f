-- |
-- Module      : Main
-- Description : A million numbers to standard output, and their checksum to standard error
module Main (main) where

import Ashlar.Builder
import Checksum
import qualified Data.ByteString as S
import Numeric (showHex)
import System.IO (hPutStrLn, stderr, stdout)

main :: IO ()
main = do
  checksum <- checksummed (S.hPut stdout) (foldMap line [1 .. 1000000])
  hPutStrLn stderr ("CRC-32C " ++ showHex checksum "")
  where
    line n = intDec n <> char7 '\n'
