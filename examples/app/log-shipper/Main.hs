-- |
-- Module      : Main
-- Description : Send the lines of standard input as logs, or receive them
--
-- > log-shipper-example receive /tmp/logs.sock &
-- > ping localhost | log-shipper-example send /tmp/logs.sock
module Main (main) where

import Control.Exception (bracket)
import qualified Data.ByteString.Char8 as C
import qualified Data.Text.Lazy as TL
import qualified Data.Text.Lazy.IO as TL
import Data.Time (getCurrentTime)
import LogShipper
import Network.Socket
import System.Environment (getArgs)
import System.Exit (die)

main :: IO ()
main = do
  args <- getArgs
  case args of
    ["send", path] -> withUnix $ \sock -> do
      connect sock (SockAddrUnix path)
      withShipper sock $ \shipper -> TL.getContents >>= mapM_ (logged shipper) . TL.lines
    ["receive", path] -> withUnix $ \listener -> do
      bind listener (SockAddrUnix path)
      listen listener 1
      bracket (fst <$> accept listener) close $ \sock ->
        receiveLines sock (const C.putStrLn) () >>= either (die . show) pure
    _ -> die "usage: log-shipper-example send SOCKET, or: receive SOCKET"
  where
    withUnix = bracket (socket AF_UNIX Stream defaultProtocol) close
    logged shipper line = do
      now <- getCurrentTime
      ship shipper (logLine (Record now (TL.toStrict line) []))
