{-# LANGUAGE OverloadedStrings #-}

-- |
-- Module      : Hostile
-- Description : Peers that are slow, silent, cut off, damaged, or lie
module Hostile (hostile) where

import Ashlar.Builder (toStrictByteString, word32LE, word64LE)
import Ashlar.Codec (encode)
import Ashlar.File.Crc32c (crc32c)
import Ashlar.Network.Internal.Handshake (hello, verdict)
import Ashlar.Network.Messages
import Ashlar.Schema hiding (Part)
import Control.Concurrent
import Control.Exception
import Control.Monad (forM, forM_, replicateM_, when)
import qualified Data.ByteString as S
import Data.IORef
import qualified Data.Map.Strict as M
import qualified Data.Vector as V
import GHC.Clock (getMonotonicTimeNSec)
import GHC.Fingerprint (Fingerprint (..))
import Network.Socket
import Network.Socket.ByteString (recv, sendAll)
import Protocol
import System.Exit (exitFailure)
import System.Timeout (timeout)
import Text.Printf (printf)
import Usage

-- | A number of peers for some seconds. Each does a random harm, waits until the server has closed
-- the connection, and does another one. It is a failure if the server does not.
hostile :: Int -> Int -> Int -> IO ()
hostile port count seconds = do
  begun <- getMonotonicTimeNSec
  done <- newIORef M.empty
  let end = begun + fromIntegral seconds * 1000000000
      note what = atomicModifyIORef' done (\m -> (M.insertWith (+) what (1 :: Int) m, ()))
      harm what act = do
        ended <- timeout 120000000 (handle gone (bracket (dial port) close act))
        note (maybe ("NOT ENDED: " ++ what) (const what) ended)
      gone :: IOException -> IO ()
      gone _ = pure ()
      peer i dice = do
        now <- getMonotonicTimeNSec
        when (now < end) $ do
          if i <= (16 :: Int)
            then do
              harm "a schema that costs" (\s -> sendAll s costly >> drained s)
              roll dice 4000 >>= sleep
            else do
              (what, act) <- (harms !!) <$> roll dice (length harms)
              harm what (act dice)
              roll dice 1000 >>= sleep
          peer i dice
  stopped <- forM [1 .. count] $ \i -> do
    var <- newEmptyMVar
    dice <- newDice (i * 104729)
    var <$ forkIO ((roll dice 5000 >>= sleep >> peer i dice) `finally` putMVar var ())
  mapM_ takeMVar stopped
  all' <- M.toList <$> readIORef done
  forM_ all' $ \(what, n) -> printf "%8d  %s\n" n what
  when (any ((== "NOT") . take 3 . fst) all') exitFailure

-- Read until the server has closed the connection.
drained :: Socket -> IO ()
drained s = do
  bytes <- recv s 65536
  if S.null bytes then pure () else drained s

-- What a peer does with a new connection. It returns when the server has closed it, or closes it.
harms :: [(String, Dice -> Socket -> IO ())]
harms =
  [ ("silent from the start", sends ""),
    ("silent after its hello", sends (S.take (S.length start - 4) start)),
    ("a handshake, a byte each second", slowly start),
    ("a message, a byte each second", \dice s -> sendAll s start >> slowly question dice s),
    ("another protocol", sends "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"),
    ("cut off", cutOff),
    ("a byte changed", damaged),
    ("a message of 2^32 - 2 bytes", sends (start <> little 4294967294)),
    ("a schema of 2^32 - 1 bytes", sends (S.take 28 start <> little 4294967295 <> zeros 60000)),
    ("a list of 2^60 parts", sends (start <> framed (one <> S.replicate 8 0 <> lie))),
    ("a text of 2^60 bytes", sends (start <> framed (one <> lie))),
    ("a message without its last byte", sends (start <> withheld)),
    ("a schema without its last byte", sends (S.take 28 start <> withheld)),
    ("no answer is read", neverReads)
  ]
  where
    withheld = little 65536 <> zeros 65535
    one = encode (1 :: Int)
    sends bytes _ s = sendAll s bytes >> drained s
    slowly bytes _ s = do
      forM_ (S.unpack bytes) $ \w -> sendAll s (S.singleton w) >> sleep 1000
      drained s
    cutOff dice s = do
      n <- roll dice (S.length conversation)
      sendAll s (S.take n conversation)
      abrupt <- roll dice 2
      when (abrupt == 1) $ setSockOpt s Linger (StructLinger 1 0)
    damaged dice s = do
      n <- roll dice (S.length conversation)
      k <- (+ 1) <$> roll dice 255
      let (before, rest) = S.splitAt n conversation
      sendAll s (before <> S.map (+ fromIntegral k) (S.take 1 rest) <> S.drop 1 rest)
      drained s
    neverReads _ s = do
      setSocketOption s RecvBuffer 4096
      let asks = sendAll s start >> replicateM_ 100 (sendAll s largeQuestion)
      -- By then the server should have given up.
      _ <- timeout 20000000 ((asks `catch` gone) >> threadDelay maxBound)
      drained s
    gone :: IOException -> IO ()
    gone _ = pure ()
    zeros n = S.replicate n 0
    lie = toStrictByteString (word64LE (2 ^ (60 :: Int))) <> zeros 60000
    largeQuestion = framed (encode (questionOf 7))

-- What a good peer says before its messages, one of these, and all.
start, question, conversation :: S.ByteString
start = hello True questions <> verdict Nothing
question = framed (encode (questionOf 42))
conversation = start <> question <> framed (encode (questionOf 123)) <> "\255\255\255\255"

little :: Integer -> S.ByteString
little n = toStrictByteString (word32LE (fromIntegral n))

-- A message with a good checksum.
framed :: S.ByteString -> S.ByteString
framed message = bytes <> toStrictByteString (word32LE (crc32c bytes))
  where
    bytes = little (fromIntegral (S.length message)) <> message

-- The hello with the schema that costs most, of all that we have tried: many units in a tuple
-- that is none.
costly :: S.ByteString
costly = hello True questions {typeSchema = schemaOf 32000, typeFingerprint = Fingerprint 1 2}
  where
    schemaOf n =
      encode . Schema (Reference 0) . V.singleton $
        Definition "Question" Record ByParts [Constructor "Question" False (fields n)]
    fields n =
      [ Field "serial" (Leaf (Number I64)),
        Field "text" (Leaf (Utf8 Length64)),
        Field "parts" (Tuple (replicate n (Leaf Unit)))
      ]
