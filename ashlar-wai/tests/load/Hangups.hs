{-# LANGUAGE OverloadedStrings #-}

-- |
-- Module      : Hangups
-- Description : Clients that hang up, stop reading, or lie
module Hangups (hangups) where

import Control.Concurrent
import Control.Exception
import Control.Monad (forM, forM_, unless, when)
import qualified Data.ByteString as S
import Data.IORef
import qualified Data.IntSet as I
import GHC.Clock (getMonotonicTimeNSec)
import Network.Socket
import Network.Socket.ByteString (recv, sendAll)
import System.Exit (exitFailure)
import Tests.Server (rawRequest)
import Text.Printf (printf)
import Usage

-- | A number of clients for some seconds. One in four hangs up in a small response, at one byte
-- after the other; one in a request; one in a large response, which it may not read; and one lies.
-- It is a failure if a lie is not answered as it should be.
hangups :: Int -> Int -> Int -> IO ()
hangups port count seconds = do
  begun <- getMonotonicTimeNSec
  wrong <- newIORef (0 :: Int)
  total <- S.length <$> rawRequest port drip
  inResponse <- newOffsets (total + 1)
  inRequest <- newOffsets (S.length post + 1)
  others <- newIORef (0 :: Int)
  let end = begun + fromIntegral seconds * 1000000000
      loop dice act = do
        now <- getMonotonicTimeNSec
        when (now < end) $ do
          handle gone (bracket (dial port) close (act dice))
          roll dice 500 >>= sleep
          loop dice act
      client i dice = loop dice $ case i `mod` (4 :: Int) of
        0 -> \_ s -> at inResponse $ \n -> sendAll s drip >> readUpTo n s >> abrupt dice s
        1 -> \_ s -> at inRequest $ \n -> sendAll s (S.take n post) >> abrupt dice s
        2 -> large
        _ -> \_ s -> lie dice s >>= \right -> unless right (modify wrong)
      modify ref = atomicModifyIORef' ref (\n -> (n + 1, ()))
      large dice s = do
        modify others
        sendAll s "GET /large HTTP/1.1\r\nHost: localhost\r\n\r\n"
        n <- roll dice 5000000
        pause <- roll dice 2
        when (pause == 1) $ sleep 3000
        readUpTo n s
        abrupt dice s
  stopped <- forM [1 .. count] $ \i -> do
    var <- newEmptyMVar
    dice <- newDice (i * 15485863)
    var <$ forkIO (client i dice `finally` putMVar var ())
  mapM_ takeMVar stopped
  showOffsets "small response" inResponse
  showOffsets "request" inRequest
  readIORef others >>= printf "%8d  hung up in a large response\n"
  bad <- readIORef wrong
  when (bad > 0) $ printf "%d answers to lies were wrong\n" bad >> exitFailure
  where
    gone :: IOException -> IO ()
    gone _ = pure ()
    abrupt dice s = do
      n <- roll dice 2
      when (n == 1) $ setSockOpt s Linger (StructLinger 1 0)

-- | Says of an answer whether it is right.
lie :: Dice -> Socket -> IO Bool
lie dice s = do
  kind <- roll dice 5
  case kind of
    0 -> answered "413" "Content-Length: 1152921504606846976\r\n\r\n"
    1 -> answered "400" "Content-Length: 7\r\n\r\n1234567"
    2 -> do
      sendAll s (start <> "Transfer-Encoding: chunked\r\n\r\nfffffffffffffff\r\n")
      sendAll s (S.replicate 60000 0)
      True <$ sleep 3000
    3 -> do
      forM_ (S.unpack (S.take 10 post)) $ \w -> sendAll s (S.singleton w) >> sleep 1000
      pure True
    _ -> do
      n <- roll dice (S.length post)
      k <- (+ 1) <$> roll dice 255
      let (before, rest) = S.splitAt n post
      sendAll s (before <> S.map (+ fromIntegral k) (S.take 1 rest) <> S.drop 1 rest)
      True <$ sleep 500
  where
    answered status body = do
      sendAll s (start <> body)
      answer <- recv s 65536
      pure (S.isPrefixOf ("HTTP/1.1 " <> status) answer)

start, post, drip :: S.ByteString
start = "POST /numbers HTTP/1.1\r\nHost: localhost\r\n"
post = start <> "Content-Length: 40\r\n\r\n" <> S.replicate 40 1
drip = "GET /drip HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"

-- Read this number of bytes, or to the end.
readUpTo :: Int -> Socket -> IO ()
readUpTo n s = when (n > 0) $ do
  bytes <- recv s (min n 65536)
  unless (S.null bytes) (readUpTo (n - S.length bytes) s)

-- | Where clients hang up: how many offsets there are, how often one has, and at which.
data Offsets = Offsets !Int !(IORef Int) !(IORef I.IntSet)

newOffsets :: Int -> IO Offsets
newOffsets size = Offsets size <$> newIORef 0 <*> newIORef I.empty

-- | At the next one.
at :: Offsets -> (Int -> IO ()) -> IO ()
at (Offsets size turn done) act = do
  n <- atomicModifyIORef' turn (\k -> (k + 1, k `mod` size))
  act n
  atomicModifyIORef' done (\set -> (I.insert n set, ()))

showOffsets :: String -> Offsets -> IO ()
showOffsets what (Offsets size turn done) = do
  n <- readIORef turn
  set <- readIORef done
  printf "%8d  hung up in a %s, at %d of its %d offsets\n" n what (I.size set) size
