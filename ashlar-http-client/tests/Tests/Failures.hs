{-# LANGUAGE OverloadedStrings #-}

-- |
-- Module      : Tests.Failures
-- Description : What fails, fails where it can be seen, and its connection is not used again
module Tests.Failures (tests) where

import Ashlar.Builder
import Ashlar.Codec (Codec, HasFormat (..), get)
import qualified Ashlar.Codec as Codec (byHand)
import Ashlar.Get
import Ashlar.HttpClient
import Control.Concurrent
import Control.Exception
import Control.Monad (forM_, void)
import qualified Data.ByteString as S
import Data.IORef
import Data.Word (Word8)
import Network.HTTP.Client hiding (path, port)
import Test.Tasty
import Test.Tasty.HUnit
import Tests.InUse
import Tests.Server

tests :: TestTree
tests =
  testGroup
    "failures"
    [ testCase "an exception in a request body reaches the caller" throwingBody,
      testCase "an exception in the size of a request body: nothing is sent" throwingSize,
      testCase "a body of another length is not sent as a whole" wrongLength,
      testCase "a negative length is refused before anything is sent" negativeLength,
      testCase "a response without content has none, whatever length it says" noContent,
      testCase "a response over the limit, or invalid: its connection is closed" refused,
      testCase "a response that is read to its end: its connection is kept" kept,
      testCase "a response that is cut off" cutOff,
      testCase "an exception of a decoder or a step closes the connection" throwingDecoder,
      testCase "a request that is interrupted" interrupted
    ]

-- A server that gives each GET the same answer, and no other request any. It counts connections,
-- and keeps what each has received.
recording :: S.ByteString -> (Int -> IO [S.ByteString] -> IO a) -> IO a
recording answer act = do
  seen <- newMVar []
  let serve receive send = do
        mine <- newIORef S.empty
        modifyMVar_ seen (pure . (mine :))
        let loop request = do
              bs <- receive
              modifyIORef' mine (<> bs)
              let now = request <> bs
                  isWhole = "GET" `S.isPrefixOf` now && "\r\n\r\n" `S.isSuffixOf` now
              if S.null bs
                then pure ()
                else if isWhole then send answer >> loop S.empty else loop now
        loop S.empty
  byHand serve (\port -> act port (readMVar seen >>= mapM readIORef . reverse))

-- This number of connections, and no more.
counts :: IO [S.ByteString] -> Int -> Assertion
counts seen n = do
  eventually ((>= n) . length <$> seen)
  connections <- seen
  length connections @?= n

ok :: S.ByteString -> S.ByteString
ok body =
  "HTTP/1.1 200 OK\r\nContent-Length: " <> toStrictByteString (intDec (S.length body)) <> "\r\n\r\n"
    <> body

throwingBody :: Assertion
throwingBody = recording (ok "fine") $ \port seen -> withClient 10 $ \manager -> do
  -- Also on a connection that has been used before, where http-client tries some requests again.
  fine port manager
  forM_ [0, 100000] $ \n -> do
    io <- sending manager port (bodyBuilder (ones n <> word8 (throw (userError "a"))))
    io @?= Left (BodyException (userError "a"))
    fine port manager
    plain <- sending manager port (bodySized 200000 (ones n <> word8 (throw Overflow)))
    plain @?= Left Overflow
    fine port manager
  encoded <- sending manager port (bodyEncoded (throw (userError "b") :: Int))
  encoded @?= Left (BodyException (userError "b"))
  fine port manager
  -- The first, and another one after each failure.
  seen `counts` 6
  where
    fine port manager = do
      answer <- requestTo port "/" >>= \r -> httpDecode r manager 10 (getByteString 4)
      responseBody answer @?= Right "fine"

-- http-client finds the size, so it passes the exception on in its own way.
throwingSize :: Assertion
throwingSize = recording (ok "fine") $ \port seen -> withClient 10 $ \manager -> do
  outcome <- sending manager port (bodyEncoded (throw (userError "b") :: [Int]))
  case outcome of
    Left (HttpExceptionRequest _ (InternalException e)) -> fromException e @?= Just (userError "b")
    _ -> assertFailure "another outcome"
  requests <- seen
  forM_ requests (@?= "")
  other <- sending manager port (bodyEncoded (throw Overflow :: [Int]))
  other @?= Left Overflow

sending :: Exception e => Manager -> Int -> RequestBody -> IO (Either e ())
sending manager port body = try (post port "/" body >>= \r -> void (httpLbs r manager))

ones :: Int -> Builder
ones n = foldMap (const (word8 1)) [1 .. n]

wrongLength :: Assertion
wrongLength = recording (ok "") $ \port seen -> withClient 10 $ \manager -> do
  long <- sending manager port (bodySized 100000 (ones 100001))
  either (\e -> lengthAnnounced e @?= 100000) assertSent long
  short <- sending manager port (bodySized 100001 (ones 100000))
  short @?= Left (WrongBodyLength 100001 100000)
  seen `counts` 2
  -- Bodies that are built before they are sent, of a type whose size is wrong.
  forM_ [10, 5] $ \n -> do
    wrong <- sending manager port (bodyEncoded (WrongSize n))
    wrong @?= Left (WrongBodyLength 7 (fromIntegral n))
  requests <- seen
  forM_ requests $ \bytes -> assertBool "no byte too many" (S.count 1 bytes <= 100000)
  where
    assertSent () = assertFailure "the request was sent"

newtype WrongSize = WrongSize Int

instance Codec WrongSize

instance HasFormat WrongSize where
  format = Codec.byHand 0 (const 7) (\(WrongSize n) -> ones n) (pure (WrongSize 0))

negativeLength :: Assertion
negativeLength = recording (ok "fine") $ \port seen -> withClient 10 $ \manager ->
  forM_ [-1, minBound] $ \n -> forM_ ["POST", "PUT", "GET", "HEAD", "CONNECT"] $ \m -> do
    request <- post port "/" (bodySized n (ones 5))
    refused' <- try (httpLbs request {method = m} manager)
    either (@?= WrongBodyLength n 0) (const (assertFailure "it was sent")) refused'
    -- The server has got nothing, if there was a connection at all.
    requests <- seen
    forM_ requests (@?= "")

-- To HEAD, and with 204 and 304, the length is not that of content (RFC 9112, 6.3). The connection
-- is kept, and the next response begins right after it.
noContent :: Assertion
noContent = forM_ answers $ \(m, answer) ->
  byHand (twice answer) $ \port -> withClient 10 $ \manager -> do
    request <- requestTo port "/"
    empty <- httpDecode request {method = m} manager 10 (pure ())
    responseBody empty @?= Right ()
    next <- httpDecode request manager 10 (getByteString 4)
    responseBody next @?= Right "fine"
  where
    twice answer receive send = receive >> send answer >> receive >> send (ok "fine")
    answers =
      [ (m, "HTTP/1.1 " <> code <> "\r\n" <> headers <> "\r\n")
        | (m, code) <-
            [("GET", "204 No Content"), ("GET", "304 Not Modified"), ("POST", "204 No Content")]
              ++ [("HEAD", code) | code <- ["200 OK", "404 Not Found", "304 Not Modified"]],
          headers <- ["", "Content-Length: 0\r\n", "Content-Length: 5\r\n"],
          -- Without a length, the content of a 200 would go on to the end of the connection.
          m /= "HEAD" || headers /= ""
      ]

-- More than can have been read when the decoder stops.
large :: S.ByteString
large = ok (S.replicate 1000000 0)

refused :: Assertion
refused = recording large $ \port seen -> withClient 10 $ \manager -> do
  over <- requestTo port "/" >>= \r -> httpDecode r manager 99 (skip 100)
  responseBody over @?= Left (BodyTooLarge 99)
  invalid <- requestTo port "/" >>= \r -> httpDecode r manager 100 (get :: Get Word8)
  either reason (const Nothing) (responseBody invalid) @?= Just TrailingInput
  request <- requestTo port "/"
  folded <- withResponse request manager (foldBody 100 (satisfy (> 0)) step ())
  either (reason . fst) (const Nothing) folded @?= Just Unexpected
  seen `counts` 3
  where
    step () _ = pure ()
    reason e = case e of
      BodyInvalid why -> Just (errorReason why)
      BodyTooLarge _ -> Nothing

kept :: Assertion
kept = recording (ok (S.replicate 100 0)) $ \port seen -> withClient 10 $ \manager -> do
  forM_ [1 :: Int .. 5] $ \_ -> do
    decoded <- requestTo port "/" >>= \r -> httpDecode r manager 100 (skip 100)
    responseBody decoded @?= Right ()
    request <- requestTo port "/"
    folded <- withResponse request manager (foldBody 100 getWord8 (\n _ -> pure (n + 1)) 0)
    folded @?= Right (100 :: Int)
  seen `counts` 1

-- The connection ends within the body, and http-client says so.
cutOff :: Assertion
cutOff = forM_ bodies $ \body -> byHand (answering body) $ \port -> withClient 10 $ \manager -> do
  request <- requestTo port "/"
  decoded <- try (httpDecode request manager 1000 (skip 10))
  assertFails (responseBody <$> decoded)
  folded <- try (withResponse request manager (foldBody 1000 getWord8 (\() _ -> pure ()) ()))
  assertFails folded
  where
    answering body receive send = receive >> send ("HTTP/1.1 200 OK\r\n" <> body)
    bodies = "Content-Length: 10\r\n\r\nabc" : map ("Transfer-Encoding: chunked\r\n\r\n" <>) chunked
    chunked = ["5\r\nabc", "3\r\nabc\r\n", "3\r\nabc\r\n5", "3\r\nabc"]
    assertFails outcome = case outcome of
      Left (HttpExceptionRequest _ _) -> pure ()
      Left e -> assertFailure (show e)
      Right (Left _) -> pure ()
      Right (Right ()) -> assertFailure "the response seems to be whole"

throwingDecoder :: Assertion
throwingDecoder = recording large $ \port seen -> withClient 10 $ \manager -> do
  decoder <- requestTo port "/" >>= \r -> try (httpDecode r manager 9 (getWord8 >> throw Overflow))
  either (@?= Overflow) (\response -> assertFailure (show (() <$ response))) (void <$> decoder)
  request <- requestTo port "/"
  step <- try (withResponse request manager (foldBody 9 getWord8 stepThrows ()))
  step @?= Left Overflow
  seen `counts` 2
  where
    stepThrows () _ = throwIO Overflow

-- Killed while the body is sent, and while the response is awaited.
interrupted :: Assertion
interrupted = recording (ok "fine") $ \port seen -> withClient 10 $ \manager -> do
  waiting <- newEmptyMVar
  let request = post port "/" (bodyBuilder (ones 100000))
  forM_ [1 :: Int .. 3] $ \_ -> do
    before <- length <$> seen
    ended <- newEmptyMVar
    let run = putMVar waiting () >> request >>= \r -> httpLbs r manager
    thread <- forkFinally run (putMVar ended)
    takeMVar waiting
    eventually ((> before) . length <$> seen)
    killThread thread
    outcome <- takeMVar ended
    either (\e -> show e @?= "thread killed") (\_ -> assertFailure "an answer") outcome
  answer <- requestTo port "/" >>= \r -> httpDecode r manager 10 (getByteString 4)
  responseBody answer @?= Right "fine"
  seen `counts` 4
