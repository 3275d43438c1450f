{-# LANGUAGE OverloadedStrings #-}

-- |
-- Module      : Tests.Site
-- Description : The application, by warp and http-client
module Tests.Site (tests) where

import Ashlar.Builder (toLazyByteString)
import Ashlar.Codec (decode, encode)
import Control.Concurrent.MVar
import Control.Monad (forM_)
import qualified Data.ByteString as S
import qualified Data.ByteString.Lazy as L
import qualified Data.ByteString.Lazy.Char8 as LC
import Data.Int (Int64)
import qualified Data.Text as T
import Network.HTTP.Client hiding (path, port)
import Network.Wai (Application)
import Network.Wai.Handler.Warp (testWithApplication)
import Site
import Test.Tasty
import Test.Tasty.HUnit

tests :: TestTree
tests =
  testGroup
    "site"
    [ testCase "a table" . served noEvents $ \request -> do
        response <- request "/table/20000" id httpLbs
        let rows = LC.lines (responseBody response)
        length rows @?= 20001
        take 3 rows @?= ["number,square,root\r", "1,1,1.0\r", "2,4,1.4142135623730951\r"]
        last rows @?= LC.init (toLazyByteString (tableRow 20000)),
      testCase "an event arrives before the next is there" $ do
        events <- newEmptyMVar
        served (takeMVar events) $ \request -> request "/events" id $ \r manager ->
          withResponse r manager $ \response -> do
            forM_ ["one", "two", "three"] $ \name -> do
              putMVar events (Just (Event name ["first", "second"]))
              bytes <- untilBlank (responseBody response) ""
              bytes @?= "event: " <> bytesOf name <> "\ndata: first\ndata: second\n\n"
            putMVar events Nothing
            rest <- brRead (responseBody response)
            rest @?= "",
      testCase "a sum" . served noEvents $ \request -> do
        let numbers = [1 .. 1000] :: [Int64]
            post body r = r {method = "POST", requestBody = RequestBodyBS body}
        response <- request "/sum" (post (encode numbers)) httpLbs
        decode (L.toStrict (responseBody response)) @?= Right (sum numbers)
        statuses <-
          mapM
            (\body -> responseStatus <$> request "/sum" (post body) httpLbs)
            [S.drop 1 (encode numbers), encode (replicate 200000 (1 :: Int64))]
        map fromEnum statuses @?= [400, 413],
      testCase "other paths are not found" . served noEvents $ \request -> do
        response <- request "/table/many" id httpLbs
        fromEnum (responseStatus response) @?= 404
    ]
  where
    noEvents = pure Nothing
    bytesOf = L.toStrict . LC.pack . T.unpack

-- | Run the application, and give what sends a request to it.
served ::
  IO (Maybe Event) ->
  ((String -> (Request -> Request) -> (Request -> Manager -> IO a) -> IO a) -> IO b) ->
  IO b
served nextEvent act = testWithApplication (pure (site nextEvent :: Application)) $ \port -> do
  manager <- newManager defaultManagerSettings
  act $ \path change run -> do
    request <- parseRequest ("http://127.0.0.1:" ++ show port ++ path)
    run (change request) manager

-- | What a body has up to an empty line.
untilBlank :: BodyReader -> S.ByteString -> IO S.ByteString
untilBlank body before
  | "\n\n" `S.isSuffixOf` before = pure before
  | otherwise = do
    bs <- brRead body
    if S.null bs then pure before else untilBlank body (before <> bs)
