-- |
-- Module      : Main
-- Description : A server of a table and of events
--
-- > site-example 8080 &
-- > curl localhost:8080/table/5
-- > curl localhost:8080/events
module Main (main) where

import Control.Concurrent (threadDelay)
import qualified Data.Text as T
import Data.Time (getCurrentTime)
import Network.Wai.Handler.Warp (run)
import Site
import System.Environment (getArgs)
import System.Exit (die)

main :: IO ()
main = do
  args <- getArgs
  case args of
    [port] -> run (read port) (site tick)
    _ -> die "usage: site-example PORT"
  where
    tick = do
      threadDelay 1000000
      now <- getCurrentTime
      pure (Just (Event (T.pack "tick") [T.pack (show now)]))
