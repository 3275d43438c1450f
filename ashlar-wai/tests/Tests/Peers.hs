{-# LANGUAGE OverloadedStrings #-}

-- |
-- Module      : Tests.Peers
-- Description : Bodies between warp and http-client, curl, nginx and plain sockets
module Tests.Peers (tests) where

import Ashlar.Builder
import Ashlar.Codec
import Ashlar.Get
import Ashlar.Wai
import Control.Concurrent
import Control.Exception
import Control.Monad (forM, forM_, replicateM, replicateM_, unless)
import qualified Data.ByteString as S
import qualified Data.ByteString.Char8 as S8
import qualified Data.ByteString.Lazy as L
import Data.IORef
import Data.Maybe (isJust)
import Network.HTTP.Client hiding (path, port)
import Network.HTTP.Types
import Network.Wai (Application, responseLBS, responseStream)
import qualified Network.Wai as Wai
import System.Exit (ExitCode (..))
import Test.Tasty
import Test.Tasty.HUnit
import Tests.InUse
import Tests.Lengths (Lie (..))
import Tests.Server

tests :: TestTree
tests =
  testGroup "against peers" $
    [ testGroup
        name
        [ testCase "large bodies, both ways" (server `exchanges` largeEcho),
          testCase "a body over the limit: 413" (server `exchanges` overLimit),
          testCase "an invalid body: 400" (server `exchanges` invalid)
        ]
      | (name, server) <- [("warp", serving), ("nginx before warp", servingBehindNginx)]
    ]
      ++ [ testCase "known lengths" knownLengths,
           testCase "a wrong size is not sent" wrongSize,
           testCase "an exception in a streamed body: the client sees that it is cut off" cutOff,
           testCase "an exception in a body in memory: 500" serverError,
           testCase "an exception in a decoder: 500" decoderError,
           testCase "truncated requests" truncated,
           testCase "a slow reader holds the builder back" slowReader,
           testCase "abandoned bodies end, and no descriptor or thread is left" abandoned,
           testCase "200 requests at once, and no descriptor or thread is left" manyAtOnce
         ]

type Server = Application -> (Int -> IO ()) -> IO ()

exchanges :: Server -> (Int -> Manager -> Assertion) -> Assertion
exchanges server client = server application (\port -> withClient (client port))

-- One application for most tests, by path.
application :: Application
application request respond = case Wai.rawPathInfo request of
  -- The numbers of the body, one greater each.
  "/numbers" -> do
    body <- foldBody 50000000 getWord32be (\n w -> pure $! n + fromIntegral w) (0 :: Int) request
    respond $ case body of
      Left (e, _) -> responseLBS (bodyErrorStatus e) [] ""
      Right total -> responseStream status200 [] (streamBuilder (intDec total <> rest))
  "/pair" -> do
    body <- decodeBody 1000 get request
    respond $ case body of
      Left e -> responseLBS (bodyErrorStatus e) [] ""
      Right (a, b) -> responseEncoded status200 [] (b :: [Int], a :: Int)
  "/list" -> respond (responseEncoded status200 [("Content-Length", "1")] [1 .. 20000 :: Int])
  "/strict" -> respond (responseStrict status200 [] "abc")
  "/lie" -> respond (responseEncoded status200 [] (Lie 100000 200000))
  "/lie-short" -> respond (responseEncoded status200 [] (Lie 200000 100000))
  "/bottom" -> respond (responseStream status200 [] (streamBuilder (ones 100000 <> broken)))
  "/bottom-strict" -> evaluate (responseStrict status200 [] (ones 10 <> broken)) >>= respond
  "/bottom-encoded" -> evaluate (responseEncoded status200 [] (error "?" :: Int)) >>= respond
  "/bottom-get" -> do
    body <- decodeBody 1000 (getWord8 >> throw Overflow) request
    respond (responseLBS (either bodyErrorStatus (\() -> status200) body) [] "")
  _ -> respond (responseLBS status404 [] "")
  where
    rest = "\n" <> foldMap word32BE [1 .. 1000000]
    broken = word8 (throw Overflow)

ones :: Int -> Builder
ones n = foldMap (const (word8 1)) [1 .. n]

post :: Int -> String -> RequestBody -> IO Request
post port path body = do
  request <- requestTo port path
  pure request {method = "POST", requestBody = body}

largeEcho :: Int -> Manager -> Assertion
largeEcho port manager = forM_ [True, False] $ \known -> do
  let bytes = toLazyByteString (foldMap word32BE [1 .. 1000000])
      chunks = newIORef (L.toChunks bytes) >>= \ref -> pure (atomicModifyIORef' ref pop)
      pop bss = (drop 1 bss, mconcat (take 1 bss))
      body
        | known = RequestBodyLBS bytes
        | otherwise = RequestBodyStreamChunked (\send -> chunks >>= send)
  response <- post port "/numbers" body >>= \request -> httpLbs request manager
  responseStatus response @?= status200
  assertBool "the same bytes" (responseBody response == "500000500000\n" <> bytes)

overLimit :: Int -> Manager -> Assertion
overLimit port manager = do
  known <- post port "/pair" (RequestBodyLBS (L.replicate 1001 0)) >>= status manager
  known @?= status413
  chunked <- post port "/pair" (RequestBodyStreamChunked (endless 1100)) >>= status manager
  chunked @?= status413
  -- curl asks before it sends. The body is a list of 1,016 bytes.
  (code, out) <-
    curl
      [ "-H",
        "Expect: 100-continue",
        "-o",
        "/dev/null",
        "-w",
        "%{http_code} %{size_upload}",
        "--data-binary",
        replicate 1001 'x',
        "http://127.0.0.1:" <> show port <> "/pair"
      ]
  code @?= ExitSuccess
  S8.take 3 out @?= "413"
  where
    -- A list that is announced to have as many elements as may be, in chunks of 100 bytes.
    endless n send = do
      left <- newIORef (n :: Int)
      send $ do
        now <- readIORef left
        writeIORef left (now - 100)
        pure (if now <= 0 then "" else if now == n then start else S.replicate 100 0)
    start = S.take 100 (encode (1 :: Int, 200 :: Int) <> S.replicate 100 0)

invalid :: Int -> Manager -> Assertion
invalid port manager = do
  let good = L.fromStrict (encode ((1, [2, 3]) :: (Int, [Int])))
  fine <- post port "/pair" (RequestBodyLBS good) >>= \r -> httpLbs r manager
  decodeLazy (responseBody fine) @?= Right ([2, 3] :: [Int], 1 :: Int)
  short <- post port "/pair" (RequestBodyLBS (L.take 20 good)) >>= status manager
  short @?= status400
  long <- post port "/pair" (RequestBodyLBS (good <> "x")) >>= status manager
  long @?= status400

status :: Manager -> Request -> IO Status
status manager request = responseStatus <$> httpLbs request manager

knownLengths :: Assertion
knownLengths = exchanges serving $ \port manager -> do
  list <- requestTo port "/list" >>= \r -> httpLbs r manager
  decodeLazy (responseBody list) @?= Right [1 .. 20000 :: Int]
  lengthsOf list @?= ["160008"]
  short <- requestTo port "/strict" >>= \r -> httpLbs r manager
  responseBody short @?= "abc"
  lengthsOf short @?= ["3"]
  where
    lengthsOf response = [v | (k, v) <- responseHeaders response, k == "Content-Length"]

-- No bytes beyond the length, and no whole response if there are too few.
wrongSize :: Assertion
wrongSize = exchanges serving $ \port _ -> do
  long <- rawExchange port "GET /lie HTTP/1.1\r\nHost: a\r\n\r\n"
  assertBool "at most what was announced" (S.count 1 (bodyOf long) <= 100000)
  (code, _) <- curl ["http://127.0.0.1:" <> show port <> "/lie-short"]
  code @?= ExitFailure 18
  where
    bodyOf = snd . S.breakSubstring "\r\n\r\n"

cutOff :: Assertion
cutOff = exchanges serving $ \port manager -> do
  (code, out) <- curl ["http://127.0.0.1:" <> show port <> "/bottom"]
  assertBool ("curl: " <> show code) (code /= ExitSuccess)
  assertBool "a prefix" (S.all (== 1) out)
  outcome <- requestTo port "/bottom" >>= \r -> try (httpLbs r manager)
  case outcome of
    Left e -> assertBool (show e) (isJust (fromException e :: Maybe HttpException))
    Right _ -> assertFailure "the response seems to be whole"
  -- The server goes on.
  again <- requestTo port "/strict" >>= status manager
  again @?= status200

serverError :: Assertion
serverError = exchanges serving $ \port manager -> do
  strict <- requestTo port "/bottom-strict" >>= status manager
  strict @?= status500
  encoded <- requestTo port "/bottom-encoded" >>= status manager
  encoded @?= status500

decoderError :: Assertion
decoderError = exchanges serving $ \port manager -> do
  failed <- post port "/bottom-get" (RequestBodyBS "abc") >>= status manager
  failed @?= status500

-- A value that is cut off is an error. (To warp, a body in chunks ends where the connection does.)
truncated :: Assertion
truncated = do
  outcome <- newEmptyMVar
  let app request respond = do
        body <- try (decodeBody 1000 get request)
        putMVar outcome (either (\e -> Left (show (e :: SomeException))) Right body)
        respond (responseLBS status200 [] "")
      value = encode ("abc" :: S.ByteString)
      bodies =
        ("Content-Length: 100\r\n\r\n" <> value) :
          ["Transfer-Encoding: chunked\r\n\r\n" <> S.take n chunked | n <- [0 .. 3 + 10]]
      chunked = "b\r\n" <> value <> "\r\n0\r\n\r\n"
  serving app $ \port -> forM_ bodies $ \body -> do
    _ <- rawExchange port ("POST / HTTP/1.1\r\nHost: a\r\n" <> body)
    end <- takeMVar outcome
    case end of
      Right (Right bytes) ->
        assertFailure (show body <> " was taken for " <> show (bytes :: S.ByteString))
      _ -> pure ()

-- While the client does not read, the builder stops.
slowReader :: Assertion
slowReader = do
  made <- newIORef (0 :: Int)
  let total = 64 * 1024 * 1024
      part = S.replicate 65536 1
      app _ respond = respond $
        responseStream status200 [] $
          streamParts FlushNever $ \write ->
            forM_ [1 .. total `div` 65536] $ \n ->
              write (byteString part) >> writeIORef made (n * 65536)
  serving app $ \port -> withClient $ \manager -> do
    request <- requestTo port "/"
    withResponse request manager $ \response -> do
      _ <- brRead (responseBody response)
      settled made
      ahead <- readIORef made
      assertBool (show ahead <> " bytes ahead of the reader") (ahead < total `div` 2)
      rest <- brConsume (responseBody response)
      assertBool "all of it" (sum (map S.length rest) > total - 65536 * 2)
  where
    settled ref = do
      before <- readIORef ref
      threadDelay 200000
      now <- readIORef ref
      unless (before == now && now > 0) (settled ref)

-- The client closes the connection after the first bytes. The server's thread comes to an end,
-- whatever the policy.
abandoned :: Assertion
abandoned = forM_ [FlushNever, FlushEachPart, FlushAfter 1000] $ \policy -> do
  ended <- newEmptyMVar
  let app _ respond =
        respond (responseStream status200 [] (streamParts policy endless))
          `catch` \e -> putMVar ended (show (e :: SomeException)) >> throwIO e
      endless write = mapM_ (\_ -> write (byteString (S.replicate 10000 1))) [1 :: Int ..]
  serving app $ \port -> withClient $ \manager -> do
    let abandon = do
          request <- requestTo port "/"
          withResponse request manager (\response -> () <$ brRead (responseBody response))
          () <$ takeMVar ended
    -- Once for the threads that a server keeps.
    abandon
    leavesNothing (replicateM_ 5 abandon)

manyAtOnce :: Assertion
manyAtOnce = exchanges serving $ \port manager -> do
  warm <- requestTo port "/strict" >>= status manager
  warm @?= status200
  leavesNothing . replicateM_ 2 $ do
    results <- replicateM 200 newEmptyMVar
    forM_ (zip [1 ..] results) $ \(n, result) -> forkIO $ do
      let value = (n, replicate 50 n) :: (Int, [Int])
      answer <- try $ do
        request <- post port "/pair" (RequestBodyBS (encode value))
        decodeLazy . responseBody <$> httpLbs request manager
      putMVar result (either (\e -> Left (show (e :: SomeException))) Right answer)
    answers <- forM results takeMVar
    answers @?= [Right (Right (replicate 50 n, n)) | n <- [1 .. 200 :: Int]]
