-- |
-- Module      : Main
-- Description : The tool ashlar
module Main (main) where

import Ashlar.Cli (runCli, standardHandles)
import System.Environment (getArgs)
import System.Exit (exitWith)

main :: IO ()
main = do
  handles <- standardHandles
  getArgs >>= runCli handles >>= exitWith
