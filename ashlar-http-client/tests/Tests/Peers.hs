{-# LANGUAGE OverloadedStrings #-}

-- |
-- Module      : Tests.Peers
-- Description : Bodies between http-client and warp
module Tests.Peers (tests) where

import Ashlar.Builder
import Ashlar.Codec
import Ashlar.Get
import Ashlar.HttpClient
import Control.Concurrent
import Control.Exception (SomeException, try)
import Control.Monad (forM, forM_, replicateM, replicateM_)
import qualified Data.ByteString as S
import qualified Data.ByteString.Builder as B
import qualified Data.ByteString.Lazy as L
import Data.IORef
import GHC.Stats (RTSStats (max_live_bytes), getRTSStats, getRTSStatsEnabled)
import Network.HTTP.Client hiding (path, port)
import Network.HTTP.Types
import Network.Wai (Application, responseLBS, responseStream)
import qualified Network.Wai as Wai
import Test.Tasty
import Test.Tasty.HUnit
import Tests.InUse
import Tests.Server

tests :: TestTree
tests =
  testGroup
    "against warp"
    [ testCase "bodies of all kinds, there and back" echo,
      testCase "a redirect sends the body again" redirect,
      testCase "a large body in constant memory, twice" constantMemory,
      testCase "a stream of values, decoded as they arrive" asTheyArrive,
      testCase "a slow reader holds the builder back" slowReader,
      testCase "200 requests at once, and no descriptor or thread is left" manyAtOnce
    ]

-- The body, as it was sent.
application :: Application
application request respond = case Wai.rawPathInfo request of
  "/echo" -> do
    body <- Wai.strictRequestBody request
    respond (responseLBS status200 [("X-Length", lengthOf)] body)
  "/moved" -> do
    _ <- Wai.strictRequestBody request
    respond (responseLBS status307 [("Location", "/echo")] "")
  "/count" -> do
    let go n = Wai.getRequestBodyChunk request >>= \bs -> if S.null bs then pure n else add n bs
        add n bs = let m = n + S.length bs in m `seq` go m
    n <- go 0
    respond (responseLBS status200 [] (L.fromStrict (encode n)))
  _ -> respond (responseLBS status404 [] "")
  where
    lengthOf = case Wai.requestBodyLength request of
      Wai.ChunkedBody -> "chunked"
      Wai.KnownLength n -> toStrictByteString (word64Dec n)

numbers :: Int -> Builder
numbers n = foldMap (word32BE . fromIntegral) [1 .. n]

echo :: Assertion
echo = serving application $ \port -> withClient 10 $ \manager ->
  forM_ [0, 1, 1000, 100000] $ \n -> do
    let bytes = toLazyByteString (numbers n)
        list = [1 .. n]
        check body said expected = do
          response <- post port "/echo" body >>= \r -> httpLbs r manager
          lookup "X-Length" (responseHeaders response) @?= Just said
          assertBool "the same bytes" (responseBody response == expected)
        decimal = toStrictByteString . intDec
    check (bodyBuilder (numbers n)) "chunked" bytes
    check (bodySized (4 * fromIntegral n) (numbers n)) (decimal (4 * n)) bytes
    check (bodyEncoded list) (decimal (8 + 8 * n)) (encodeLazy list)
    -- Bodies are appended, as those of multipart forms are.
    let ends = RequestBodyBS
        appended = ends "before" <> bodyEncoded list <> bodySized 1 "-" <> ends "after"
    check appended (decimal (20 + 8 * n)) ("before" <> encodeLazy list <> "-after")
    -- And decoded.
    request <- post port "/echo" (bodyEncoded list)
    decoded <- httpDecode request manager 10000000 get
    responseBody decoded @?= Right list

redirect :: Assertion
redirect = serving application $ \port -> withClient 10 $ \manager ->
  forM_ [bodyBuilder (numbers 50000), bodySized 200000 (numbers 50000)] $ \body -> do
    response <- post port "/moved" body >>= \r -> httpLbs r manager
    assertBool "the same bytes" (responseBody response == toLazyByteString (numbers 50000))

-- The body must not be kept for the next attempt.
constantMemory :: Assertion
constantMemory = serving application $ \port -> withClient 10 $ \manager -> do
  let n = 12000000
      body = bodySized (4 * fromIntegral n) (numbers n)
  request <- post port "/count" body
  replicateM_ 2 $ do
    counted <- httpDecode request manager 8 get
    responseBody counted @?= Right (4 * n)
  enabled <- getRTSStatsEnabled
  assertBool "run with +RTS -T" enabled
  most <- max_live_bytes <$> getRTSStats
  -- The body has 48 MB.
  assertBool (show most <> " bytes live") (most < 16000000)

-- The server waits for each value to be confirmed before it sends the next.
asTheyArrive :: Assertion
asTheyArrive = do
  confirmed <- newEmptyMVar
  let app _ respond = respond $
        responseStream status200 [] $ \write flush ->
          forM_ [1 .. 20] $ \n -> do
            write (B.word32BE n) >> flush
            takeMVar confirmed
            -- The next is cut in two.
            write (B.word16BE 0) >> flush >> write (B.word16BE 7) >> flush
            takeMVar confirmed
  serving app $ \port -> withClient 10 $ \manager -> do
    request <- requestTo port "/"
    total <-
      withResponse request manager $
        foldBody 1000 getWord32be (\n w -> n + w <$ putMVar confirmed ()) 0
    total @?= Right (210 + 20 * 7)

slowReader :: Assertion
slowReader = do
  made <- newIORef (0 :: Int)
  proceed <- newEmptyMVar
  let app request respond = do
        _ <- takeMVar proceed
        bytes <- Wai.strictRequestBody request
        respond (responseLBS status200 [] (encodeLazy (fromIntegral (L.length bytes) :: Int)))
      total = 64 * 1024 * 1024
      part = S.replicate 65536 1
      parts = go 1
      go n = if n > total `div` 65536 then mempty else counted n <> go (n + 1)
      counted n = byteString part <> byteString (markMade made n)
  serving app $ \port -> withClient 10 $ \manager -> do
    request <- post port "/" (bodyBuilder parts)
    answer <- newEmptyMVar
    _ <- forkIO (httpDecode request manager 8 get >>= putMVar answer . responseBody)
    settled made
    ahead <- readIORef made
    assertBool (show ahead <> " parts ahead of the reader") (ahead * 65536 < total `div` 2)
    putMVar proceed ()
    takeMVar answer >>= (@?= Right total)
  where
    settled ref = do
      before <- readIORef ref
      threadDelay 200000
      now <- readIORef ref
      if before == now && now > 0 then pure () else settled ref

manyAtOnce :: Assertion
manyAtOnce = serving application $ \port -> withClient 0 $ \manager -> do
  _ <- requestTo port "/" >>= \r -> httpLbs r manager
  leavesNothing . replicateM_ 2 $ do
    results <- replicateM 200 newEmptyMVar
    forM_ (zip [1 :: Int ..] results) $ \(n, result) -> forkIO $ do
      answer <- try (post port "/echo" (bodyEncoded [n, n]) >>= \r -> httpDecode r manager 100 get)
      putMVar result (either (\e -> Left (show (e :: SomeException))) (Right . responseBody) answer)
    answers <- forM results takeMVar
    answers @?= [Right (Right [n, n]) | n <- [1 .. 200 :: Int]]
