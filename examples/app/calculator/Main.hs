-- |
-- Module      : Main
-- Description : A calculator, and who asks it
--
-- > calculator-example serve /tmp/calculator.sock &
-- > calculator-example ask /tmp/calculator.sock 'Number 6 :*: Number 7'
module Main (main) where

import Calculator
import Control.Exception (bracket)
import Network.Socket
import System.Environment (getArgs)
import System.Exit (die)
import Text.Read (readMaybe)

main :: IO ()
main = do
  args <- getArgs
  case args of
    ["serve", path] -> withUnix $ \listener -> do
      bind listener (SockAddrUnix path)
      listen listener 16
      serve listener
    ["ask", path, question]
      | Just expression <- readMaybe question -> withUnix $ \sock -> do
        connect sock (SockAddrUnix path)
        answer <- withCalculator sock (\c -> ask c expression)
        maybe (die "the server has ended") print answer
    _ -> die "usage: calculator-example serve SOCKET, or: ask SOCKET EXPRESSION"
  where
    withUnix = bracket (socket AF_UNIX Stream defaultProtocol) close
