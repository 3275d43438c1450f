{-# LANGUAGE ScopedTypeVariables #-}

-- |
-- Module      : Main
-- Description : A server of messages among peers that mean harm
--
-- @scripts/load messages@ runs it. The clients are two processes of this program: good ones, and
-- others.
module Main (main) where

import Ashlar.Network.Messages
import Control.Concurrent
import Control.Exception
import Control.Monad (forever, unless)
import Data.IORef
import qualified Data.Map.Strict as M
import Good (good)
import Hostile (hostile)
import Network.Socket
import Protocol
import System.Environment (getArgs)
import System.Exit (die)
import System.IO
import Text.Printf (printf)
import Usage

main :: IO ()
main = do
  hSetBuffering stdout LineBuffering
  args <- getArgs
  case args of
    ["server", connections, seconds] -> run (read connections) (read seconds)
    ["good", port, count, seconds] -> good (read port) (read count) (read seconds)
    ["hostile", port, count, seconds] -> hostile (read port) (read count) (read seconds)
    _ -> die "usage: server CONNECTIONS SECONDS"

-- What the server has seen.
data Seen = Seen
  { -- | How connections have ended.
    seenEnds :: !(IORef (M.Map String Int)),
    -- | Questions that nobody has asked.
    seenInvented :: !(IORef Int)
  }

run :: Int -> Int -> IO ()
run wanted seconds = withChecks $ \check -> do
  connections <- affordable wanted
  let goods = connections `div` 5
  seen <- Seen <$> newIORef M.empty <*> newIORef 0
  bracket listening close $ \listener -> withServer seen listener $ do
    port <- fromIntegral <$> socketPort listener
    underLoad
      check
      seconds
      (() <$ clients check "good" port 20 2)
      (show goods ++ " good peers", fmap read . clients check "good" port goods)
      ( show (connections - goods) ++ " others",
        clients check "hostile" port (connections - goods)
      )
    putStrLn "-- how connections ended at the server"
    readIORef (seenEnds seen) >>= mapM_ (\(end, n) -> printf "%8d  %s\n" n end) . M.toList
    invented <- readIORef (seenInvented seen)
    check "no question that nobody asked" (invented == 0)

listening :: IO Socket
listening = bracketOnError (socket AF_INET Stream defaultProtocol) close $ \s -> do
  bind s (SockAddrInet 0 (tupleToHostAddress (127, 0, 0, 1)))
  s <$ listen s 1024

withServer :: Seen -> Socket -> IO a -> IO a
withServer seen listener = bracket (forkIO (serve seen listener)) killThread . const

serve :: Seen -> Socket -> IO ()
serve seen listener = forever . mask_ $ do
  (s, _) <- accept listener
  forkIOWithUnmask $ \unmask -> do
    end <- try (unmask (answering s))
    note (either cause (const "an end") end)
  where
    note end = atomicModifyIORef' (seenEnds seen) (\m -> (M.insertWith (+) end 1 m, ()))
    answering s = do
      -- Or the system keeps megabytes of what a peer does not read.
      setSocketOption s SendBuffer 65536
      transport <- socketTransport s
      withConnection serverOptions answers questions transport $ \c -> forMessages c $ \q -> do
        unless (q == questionOf (serial q)) $
          atomicModifyIORef' (seenInvented seen) (\n -> (n + 1, ()))
        send c (answerTo q)
    cause e = case fromException e of
      Just (TimedOut phase) -> "TimedOut " ++ show phase
      Just (e' :: ConnectionError) -> takeWhile (/= ' ') (show e')
      Nothing -> show e
