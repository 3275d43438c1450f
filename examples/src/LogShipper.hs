{-# LANGUAGE DerivingStrategies #-}
{-# LANGUAGE OverloadedStrings #-}

-- |
-- Module      : LogShipper
-- Description : Logs as JSON lines, compressed by gzip, over a socket
--
-- Threads log by fast-logger's 'LogStr' or by builders. One other thread compresses and sends. What
-- was logged leaves as soon as nothing more waits.
module LogShipper
  ( -- * Records
    Record (..),
    logLine,
    logStr,

    -- * Sending
    Shipper,
    withShipper,
    ship,
    shipLogStr,

    -- * Receiving
    receiveLines,
  )
where

import Ashlar.Builder
import Ashlar.Builder.Escape (jsonEscaping, textUtf8Escaped)
import Ashlar.Builder.Time (utcTime)
import Ashlar.Get
import Ashlar.Get.Parse (takeTillByte)
import Ashlar.Zlib
import Control.Concurrent.Async (Async, pollSTM, wait, withAsync)
import Control.Concurrent.STM
import Control.Exception (throwIO)
import Control.Monad (when)
import Data.ByteString (ByteString)
import Data.Text (Text)
import Data.Time (UTCTime)
import Network.Socket
import Network.Socket.ByteString (recv, sendAll)
import System.Log.FastLogger (LogStr, fromLogStr, toLogStr)

-- | What is logged.
data Record = Record
  { recordTime :: UTCTime,
    recordMessage :: Text,
    recordFields :: [(Text, Text)]
  }
  deriving stock (Eq, Show)

-- | A line of JSON.
logLine :: Record -> Builder
logLine r = "{\"time\":\"" <> utcTime (recordTime r) <> char7 '"' <> foldMap member fields <> "}\n"
  where
    fields = ("message", recordMessage r) : recordFields r
    member (key, text) = char7 ',' <> string key <> char7 ':' <> string text
    string text = char7 '"' <> textUtf8Escaped jsonEscaping text <> char7 '"'

-- | The same for fast-logger. It takes the length of each line, so the line is made here.
logStr :: Record -> LogStr
logStr = toLogStr . toStrictByteString . logLine

-- | A queue of what waits, and the thread that sends it.
data Shipper = Shipper (TBQueue (Maybe Builder)) (Async ())

-- | Log to a socket. When the action has returned, all that it has logged is sent, and the
-- compressed stream gets its end. The socket belongs to the shipper meanwhile.
withShipper :: Socket -> (Shipper -> IO a) -> IO a
withShipper sock act = do
  queue <- newTBQueueIO 1024
  withAsync (sending queue sock) $ \sender -> do
    a <- act (Shipper queue sender)
    shipMaybe (Shipper queue sender) Nothing
    a <$ wait sender

-- | Log what a builder makes. It runs in the thread that sends. Waits while 1,024 others wait. If
-- sending has failed, this throws the same exception.
ship :: Shipper -> Builder -> IO ()
ship shipper = shipMaybe shipper . Just

-- | Log a line of fast-logger's, as a @LogCallback@ does.
shipLogStr :: Shipper -> LogStr -> IO ()
shipLogStr shipper = ship shipper . byteString . fromLogStr

shipMaybe :: Shipper -> Maybe Builder -> IO ()
shipMaybe (Shipper queue sender) next = do
  ended <- atomically $ do
    ended <- pollSTM sender
    case ended of
      Nothing -> Nothing <$ writeTBQueue queue next
      Just r -> pure (Just r)
  maybe (pure ()) (either throwIO pure) ended

-- Compress and send up to the first Nothing. Flush when the queue is empty.
sending :: TBQueue (Maybe Builder) -> Socket -> IO ()
sending queue sock = withCompressor gzip (sendAll sock) go
  where
    go compressor = do
      next <- atomically (readTBQueue queue)
      case next of
        Nothing -> pure ()
        Just line -> do
          write compressor line
          idle <- atomically (isEmptyTBQueue queue)
          when idle (flush compressor)
          go compressor

-- | Fold the lines that come from a shipper, as they come. A stream without its end is an exception
-- ('ZlibError'), after all of its lines.
receiveLines :: Socket -> (a -> ByteString -> IO a) -> a -> IO (Either DecodeError a)
receiveLines sock f a = do
  source <- decompressSource Gzip limit (recv sock 32768)
  foldFrom source line f a
  where
    line = takeTillByte 10 <* getWord8
    -- Logs repeat themselves, and never end.
    limit = defaultLimit {limitBytes = maxBound, limitRatio = 1000}
