{-# LANGUAGE OverloadedStrings #-}

-- |
-- Module      : Tests.LogShipper
-- Description : Logs that are compressed and sent
module Tests.LogShipper (tests) where

import Ashlar.Builder
import Ashlar.Get (DecodeError)
import Ashlar.Zlib (ZlibError)
import Control.Concurrent.Async
import Control.Concurrent.MVar
import Control.Exception
import Control.Monad (forM_, forever)
import Data.Aeson (decodeStrict, object, (.=))
import Data.ByteString (ByteString)
import qualified Data.ByteString as S
import qualified Data.ByteString.Char8 as C
import qualified Data.List as List
import Data.Text (Text)
import qualified Data.Text as T
import Data.Time (UTCTime (..), fromGregorian)
import LogShipper
import Network.Socket
import Network.Socket.ByteString (recv)
import System.IO (IOMode (..), withBinaryFile)
import System.IO.Temp (withSystemTempDirectory)
import System.Log.FastLogger (LogType' (..), withFastLogger)
import System.Process (readProcess)
import System.Timeout (timeout)
import Test.Tasty
import Test.Tasty.HUnit
import Test.Tasty.QuickCheck

tests :: TestTree
tests =
  testGroup
    "log shipper"
    [ testProperty "a line is JSON" $ \(UnicodeString message) (UnicodeString extra) ->
        let fields = [("extra", T.pack extra)]
            r = (record 0) {recordMessage = T.pack message, recordFields = fields}
         in decodeStrict (toStrictByteString (logLine r))
              === Just
                ( object
                    [ "time" .= ("2026-11-23T00:00:00Z" :: Text),
                      "message" .= recordMessage r,
                      "extra" .= T.pack extra
                    ]
                ),
      testCase "lines of many threads" $ do
        (_, r) <- between (`withShipper` manyThreads) (\sock -> receiveLines sock keep [])
        fmap List.sort r @?= Right (List.sort expected),
      testCase "lines of fast-logger" $ do
        let logging shipper =
              withFastLogger (LogCallback (shipLogStr shipper) (pure ())) $ \logger ->
                forM_ [1 .. 1000] (logger . logStr . record)
        (_, r) <- between (`withShipper` logging) (\sock -> receiveLines sock keep [])
        fmap reverse r @?= Right [C.init (lineOf n) | n <- [1 .. 1000]],
      testCase "a line leaves before the next is logged" $ do
        arrived <- newEmptyMVar
        let logging shipper = forM_ [1 .. 5] $ \n -> do
              ship shipper (logLine (record n))
              soon (takeMVar arrived) >>= (@?= C.init (lineOf n))
        (_, r) <- between (`withShipper` logging) $ \sock ->
          receiveLines sock (\() line -> putMVar arrived line) ()
        r @?= Right (),
      testCase "zcat reads it" . withSystemTempDirectory "logs" $ \folder -> do
        let path = folder ++ "/log.gz"
            saving sock = withBinaryFile path WriteMode $ \h ->
              let go = recv sock 4096 >>= \bs -> if S.null bs then pure () else S.hPut h bs >> go
               in go
        _ <- between (`withShipper` (\s -> forM_ [1 .. 300] (ship s . logLine . record))) saving
        text <- readProcess "zcat" [path] ""
        C.pack text @?= S.concat (map lineOf [1 .. 300]),
      testCase "the receiver goes away: who logs gets an exception" $ do
        (r, _) <- between (\sock -> try (withShipper sock endless)) (`recv` 1)
        either (const (pure ())) (\() -> assertFailure "no exception") (r :: Either IOException ()),
      testCase "an exception: the stream has no end" $ do
        let logging shipper = ship shipper (logLine (record 1)) >> throwIO Overflow
        (sent, received) <-
          between
            (\sock -> try (withShipper sock logging))
            (\sock -> try (receiveLines sock keep []))
        sent @?= (Left Overflow :: Either ArithException ())
        either (const (pure ())) (assertFailure . show) (incomplete received)
    ]
  where
    keep lines' line = pure (line : lines')
    manyThreads shipper =
      forConcurrently_ [0 .. 9] $ \t ->
        forM_ [1 .. 1000] (\n -> ship shipper (logLine (record (1000 * t + n))))
    expected = map (C.init . lineOf) [1 .. 10000]
    incomplete r = r :: Either ZlibError (Either DecodeError [ByteString])
    endless shipper = forever (ship shipper (logLine (record 1))) :: IO ()

record :: Int -> Record
record n =
  Record
    { recordTime = UTCTime (fromGregorian 2026 11 23) 0,
      recordMessage = "request \"" <> T.pack (show n) <> "\"",
      recordFields = [("path", "/bricks")]
    }

lineOf :: Int -> ByteString
lineOf = toStrictByteString . logLine . record

-- Run both ends of a connection. Each socket is closed when its end returns.
between :: (Socket -> IO a) -> (Socket -> IO b) -> IO (a, b)
between one other = do
  (a, b) <- socketPair AF_UNIX Stream defaultProtocol
  soon (concurrently (one a `finally` close a) (other b `finally` close b))

-- For what would wait for ever if something is wrong.
soon :: IO a -> IO a
soon act = timeout 20000000 act >>= maybe (assertFailure "it waits for ever") pure
