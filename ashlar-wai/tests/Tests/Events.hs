{-# LANGUAGE OverloadedStrings #-}

-- |
-- Module      : Tests.Events
-- Description : Events reach the client before the response ends
--
-- The server waits after each event until the client has received it. So if one were held back, the
-- test would not end.
module Tests.Events (tests) where

import Ashlar.Builder
import Ashlar.Builder.Extra (flush)
import Ashlar.Wai
import Control.Concurrent
import Control.Exception (BlockedIndefinitelyOnMVar (..), catch, finally)
import Control.Monad (forM_)
import qualified Data.ByteString as S
import qualified Data.ByteString.Builder as B
import qualified Data.ByteString.Char8 as S8
import Network.HTTP.Client (brConsume, brRead, responseBody, withResponse)
import Network.HTTP.Types (status200)
import Network.Wai (Application, StreamingBody, responseStream)
import System.IO (Handle, hSetBinaryMode)
import System.IO.Unsafe (unsafePerformIO)
import System.Process
import System.Timeout (timeout)
import Test.Tasty
import Test.Tasty.HUnit
import Tests.Server

tests :: TestTree
tests =
  testGroup "events arrive before the response ends" $
    [ testCase "headers before the first event" (headers serving),
      testCase "headers before the first event, through nginx" (headers servingBehindNginx),
      testCase "FlushAfter: an event does not wait for the value of the next one" notHeldUp,
      testCase "FlushAfter: a program that was told of its own deadlock goes on" recovered
    ]
      ++ [ testGroup
             name
             [ testCase "http-client" (serving `streams` httpClient $ body),
               testCase "curl" (serving `streams` curlClient $ body),
               testCase "http-client through nginx" (nginx `streams` httpClient $ body),
               testCase "curl through nginx" (nginx `streams` curlClient $ body)
             ]
           | (name, body) <-
               [ ("FlushEachPart", parts FlushEachPart),
                 ("FlushAfter", parts (FlushAfter 5000)),
                 ("flush in a builder", oneBuilder)
               ]
         ]
  where
    nginx = servingBehindNginx

count :: Int
count = 5

event :: Int -> Builder
event n = "data: " <> intDec n <> "\n\n"

-- Bodies that wait after each event.
parts :: FlushPolicy -> IO () -> StreamingBody
parts policy wait =
  streamParts policy (\write -> forM_ [1 .. count] (\n -> write (event n) >> wait))

oneBuilder :: IO () -> StreamingBody
oneBuilder wait = streamBuilder (foldMap (\n -> event n <> flush <> waiting n) [1 .. count])
  where
    waiting n = byteString (unsafePerformIO (S.replicate (n * 0) 0 <$ wait))
    {-# NOINLINE waiting #-}

-- The first part is empty. The server waits until the client has the headers.
headers :: Server -> Assertion
headers server = do
  confirmed <- newEmptyMVar
  let app _ respond =
        respond $
          responseStream status200 [] $
            streamParts FlushEachPart (\write -> write mempty >> takeMVar confirmed >> write "end")
  server app $ \port -> withClient $ \manager -> do
    request <- requestTo port "/"
    withResponse request manager $ \response -> do
      putMVar confirmed ()
      chunks <- brConsume (responseBody response)
      mconcat chunks @?= "end"

-- The value of the second event waits until the first has gone to the server.
notHeldUp :: Assertion
notHeldUp = do
  gone <- newEmptyMVar
  sent <- newMVar mempty
  let send b = modifyMVar_ sent (pure . (<> b)) >> putMVar gone ()
      waits = byteString (unsafePerformIO ("two" <$ takeMVar gone))
  ended <-
    timeout 20000000 . runBody send $
      streamParts (FlushAfter 1000) (\write -> write "one" >> write waits >> takeMVar gone)
  ended @?= Just ()
  bytes <- readMVar sent
  B.toLazyByteString bytes @?= "onetwo"
  where
    runBody send body = body send (pure ())

recovered :: Assertion
recovered = do
  sent <- newMVar mempty
  let send b = modifyMVar_ sent (pure . (<> b))
  done <- newEmptyMVar
  -- (In a thread that nobody else knows, or GHC would not tell it.)
  _ <- forkIO (streamParts (FlushAfter 1000) body send (pure ()) `finally` putMVar done ())
  takeMVar done
  bytes <- readMVar sent
  B.toLazyByteString bytes @?= "onetwo"
  where
    body write = do
      write "one"
      (newEmptyMVar >>= takeMVar) `catch` \BlockedIndefinitelyOnMVar -> pure ()
      () <- write "two"
      threadDelay 10000

type Server = Application -> (Int -> IO ()) -> IO ()

-- Given the port, and what to do with each chunk that has arrived.
type Client = Int -> (S.ByteString -> IO ()) -> IO ()

streams :: Server -> Client -> (IO () -> StreamingBody) -> Assertion
streams server client body = do
  confirmed <- newEmptyMVar
  received <- newMVar S.empty
  let app _ respond = respond (responseStream status200 [] (body (takeMVar confirmed)))
      arrived bs = do
        before <- takeMVar received
        let now = before <> bs
        putMVar received now
        -- One confirmation for each event that is complete.
        mapM_ (const (putMVar confirmed ())) [events before + 1 .. events now]
  server app (`client` arrived)
  whole <- readMVar received
  whole @?= toStrictByteString (foldMap event [1 .. count])
  where
    events bs = S.count 10 bs `div` 2

httpClient :: Client
httpClient port arrived = withClient $ \manager -> do
  request <- requestTo port "/"
  withResponse request manager $ \response -> do
    let go = do
          bs <- brRead (responseBody response)
          if S.null bs then pure () else arrived bs >> go
    go

curlClient :: Client
curlClient port arrived = do
  let run =
        (proc "curl" ["-sN", "-m", "30", "http://127.0.0.1:" <> show port <> "/"])
          { std_out = CreatePipe,
            close_fds = True
          }
  withCreateProcess run $ \_ out _ process -> do
    mapM_ (\h -> hSetBinaryMode h True >> go h) out `finally` waitForProcess process
  where
    go :: Handle -> IO ()
    go h = S.hGetSome h 4096 >>= \bs -> if S8.null bs then pure () else arrived bs >> go h
