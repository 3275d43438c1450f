-- |
-- Module      : Main
-- Description : The tool ashlar
module Main (main) where

import Ashlar.Cli (runCli, standardHandles)
import GHC.IO.Encoding (mkTextEncoding, setFileSystemEncoding)
import System.Environment (getArgs)
import System.Exit (exitWith)

main :: IO ()
main = do
  -- Names of files and of fields are UTF-8, whatever the locale says.
  mkTextEncoding "UTF-8//ROUNDTRIP" >>= setFileSystemEncoding
  handles <- standardHandles
  getArgs >>= runCli handles >>= exitWith
