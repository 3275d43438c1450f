{-# LANGUAGE OverloadedStrings #-}

-- |
-- Module      : Main
-- Description : Five commands to a Redis, in one round trip
--
-- > redis-server --port 0 --unixsocket /tmp/redis.sock &
-- > redis-example /tmp/redis.sock
module Main (main) where

import Control.Exception (displayException)
import Redis
import System.Environment (getArgs)
import System.Exit (die)

main :: IO ()
main = do
  args <- getArgs
  case args of
    [path] -> withRedis path RESP3 (\push -> putStrLn ("a push: " ++ show push)) session
    _ -> die "usage: redis-example SOCKET"

session :: Redis -> IO ()
session redis = do
  replies <-
    pipeline
      redis
      [ ["SET", "bricks", "12"],
        ["INCRBY", "bricks", "3"],
        ["MGET", "bricks", "slates"],
        ["HSET", "prices", "brick", "0.75"],
        ["HGETALL", "prices"],
        ["INCR"]
      ]
  either (die . displayException) (mapM_ print) replies
