{-# LANGUAGE OverloadedStrings #-}
{-# LANGUAGE ScopedTypeVariables #-}

-- |
-- Module      : Main
-- Description : An application under load, among clients that hang up
--
-- @scripts/load http@ runs it. The clients are wrk, and a process of this program for those that
-- mean harm.
module Main (main) where

import Ashlar.Builder
import Ashlar.Get (getWord32be)
import Ashlar.Wai
import Control.Concurrent (threadDelay)
import Control.Exception (evaluate)
import Control.Monad (forM_)
import Hangups (hangups)
import Network.HTTP.Types
import Network.Wai (Application, rawPathInfo, responseLBS, responseStream)
import System.Environment (getArgs)
import System.Exit (die)
import System.IO
import System.Process (readProcess)
import Tests.Server (serving, servingBehindNginx)
import Text.Printf (printf)
import Usage

main :: IO ()
main = do
  hSetBuffering stdout LineBuffering
  args <- getArgs
  case args of
    ["server", script, seconds] -> withChecks $ \check -> do
      run check "warp" (serving application) script (read seconds)
      run check "nginx before warp" (servingBehindNginx application) script (read seconds)
    ["hangups", port, count, seconds] -> hangups (read port) (read count) (read seconds)
    _ -> die "usage: server SCRIPT SECONDS"

application :: Application
application request respond = case rawPathInfo request of
  -- How many numbers there are in the body, as many lines, and their sum.
  "/numbers" -> do
    body <- foldBody 1000000 getWord32be count (0 :: Int, 0 :: Int) request
    respond $ case body of
      Left (e, _) -> responseLBS (bodyErrorStatus e) [] ""
      Right (n, total) ->
        responseStream status200 [] . streamBuilder $
          line n <> foldMap (\i -> line (7 * i)) [1 .. n] <> line total
  -- A few bytes at a time.
  "/drip" -> respond . responseStream status200 [] . streamParts FlushEachPart $ \write ->
    forM_ [1 .. 20] $ \i -> write (line i) >> threadDelay 2000
  -- 4 MB.
  "/large" ->
    respond . responseStream status200 [] . streamBuilder $
      foldMap word32BE [1 .. 1000000]
  _ -> respond (responseLBS status404 [] "")
  where
    line n = intDec n <> "\n"
    -- (The fold evaluates the pair alone.)
    count (n, total) w = do
      n' <- evaluate (n + 1)
      (,) n' <$> evaluate (total + fromIntegral w)

run :: Check -> String -> ((Int -> IO ()) -> IO ()) -> FilePath -> Int -> IO ()
run check title server script seconds = server $ \port -> do
  let load :: Int -> IO Latency
      load time = do
        out <-
          readProcess
            "wrk"
            ["-t1", "-c200", "-d" ++ show time ++ "s", "--timeout", "60s", "-s", script, url]
            ""
        case [map read ns | "load" : ns <- map words (lines out)] of
          [[n, median, most, wrong, failed :: Int]] -> do
            check (printf "%d wrong answers, and %d failures" wrong failed) (wrong + failed == 0)
            pure (n, 1000 * fromIntegral median, 1000 * fromIntegral most)
          _ -> fail out
      url = "http://127.0.0.1:" ++ show port ++ "/numbers"
      others = clients check "hangups" port
  underLoad
    check
    seconds
    (load 2 >> () <$ others 8 2)
    (title ++ ": 200 connections of wrk", load)
    ("200 others", others 200)
