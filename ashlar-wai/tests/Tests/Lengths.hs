{-# LANGUAGE DerivingStrategies #-}
{-# LANGUAGE OverloadedStrings #-}

-- |
-- Module      : Tests.Lengths
-- Description : Which lengths are announced, by status and method, as RFC 9110 and 9112 say
module Tests.Lengths (tests, Lie (..)) where

import Ashlar.Builder
import Ashlar.Codec (Codec, HasFormat (..), byHand)
import Ashlar.Wai
import Control.Exception (try)
import Control.Monad (forM_, unless)
import qualified Data.ByteString as S
import qualified Data.ByteString.Builder as B
import qualified Data.ByteString.Char8 as S8
import qualified Data.ByteString.Lazy as L
import Data.Char (toLower)
import Data.IORef
import Data.Maybe (fromMaybe, isJust)
import Network.HTTP.Types
import Network.Wai (Application, Response, responseHeaders, responseToStream)
import qualified Network.Wai as Wai
import System.Exit (ExitCode (..))
import Test.Tasty
import Test.Tasty.HUnit
import Test.Tasty.QuickCheck
import Tests.Server

tests :: TestTree
tests =
  testGroup
    "lengths by status and method"
    [ testProperty "a length is announced where the RFC allows it, and is right" announced,
      testProperty "a body that may not be sent is not built" notBuilt,
      testProperty "a wrong size is an exception, and no byte beyond it is sent" wrongSize,
      testGroup
        "on the wire"
        [ testCase "each response ends where the next one begins" (serving application framed),
          testCase "a stream is sent in chunks, or not at all" (serving application streamed),
          testCase "1xx has no length and no content" (serving application interim),
          testCase "CONNECT that is refused has its length" (serving application connect),
          testCase "curl: a connection is used again after each" (serving application viaCurl),
          testCase "curl through nginx" (servingBehindNginx application viaNginx)
        ]
    ]

-- What an application may answer with: three ways to make it.
data Body = Strict | Encoded | Long
  deriving stock (Bounded, Enum, Eq, Show)

bodies :: [Body]
bodies = [minBound .. maxBound]

-- The bytes of a body.
bytesOf :: Body -> S.ByteString
bytesOf body = case body of
  Strict -> "abc"
  Encoded -> "\3\0\0\0\0\0\0\0abc"
  Long -> toStrictByteString (word64LE 100000) <> S.replicate 100000 120

response :: Body -> Status -> ResponseHeaders -> Response
response body status headers = case body of
  Strict -> responseStrict status headers "abc"
  Encoded -> responseEncoded status headers ("abc" :: S.ByteString)
  Long -> responseEncoded status headers (S.replicate 100000 120)

-- The lengths that a response may announce, given those that the application states.
allowed :: Int -> Body -> [S.ByteString] -> [S.ByteString]
allowed code body stated
  | code < 200 || code == 204 = []
  | code == 205 = ["0"]
  | code == 304 = stated
  | otherwise = [S8.pack (show (S.length (bytesOf body)))]

content :: Int -> Body -> S.ByteString
content code body
  | code < 200 || code `elem` [204, 205, 304] = ""
  | otherwise = bytesOf body

codes :: [Int]
codes = [100 .. 103] ++ [199 .. 206] ++ [226, 300, 301, 304, 307, 400, 404, 416, 426, 500, 599]

announced :: Property
announced =
  forAll (elements codes) $ \code -> forAll (elements bodies) $ \body ->
    forAll (sublistOf ["7", "0"]) $ \stated ->
      forAll (elements ["Content-Length", "content-length"]) $ \name -> ioProperty $ do
        let headers = [(name, n) | n <- stated] ++ [("X-Other", "y")]
            r = response body (mkStatus code "") headers
        bytes <- bodyOf r
        pure $
          lookupAll hContentLength r === allowed code body stated
            .&&. lookupAll "X-Other" r === ["y"]
            .&&. bytes === content code body
  where
    lookupAll name r = [v | (k, v) <- responseHeaders r, k == name]

bodyOf :: Response -> IO S.ByteString
bodyOf r = do
  sent <- newIORef mempty
  sending sent r
  sentTo sent

sending :: IORef B.Builder -> Response -> IO ()
sending sent r = with (\body -> body (\b -> modifyIORef' sent (<> b)) (pure ()))
  where
    (_, _, with) = responseToStream r

sentTo :: IORef B.Builder -> IO S.ByteString
sentTo sent = L.toStrict . B.toLazyByteString <$> readIORef sent

-- | A value whose instance says one size and has another.
data Lie = Lie Int Int

instance Codec Lie

instance HasFormat Lie where
  format = byHand 0 (\(Lie said _) -> said) written (pure (Lie 0 0))
    where
      written (Lie _ is) = foldMap (const (word8 1)) [1 .. is]

-- Up to 64 KiB are built before anything is sent, and more is streamed.
wrongSize :: Property
wrongSize =
  forAll (elements [0, 1, 7, 65535, 65536, 65537, 100000]) $ \said ->
    forAll (max 0 . (said +) <$> elements [-7, -1, 0, 1, 100000]) $ \is -> ioProperty $ do
      sent <- newIORef mempty
      outcome <- try (sending sent (responseEncoded status200 [] (Lie said is)))
      bytes <- sentTo sent
      pure $
        S.length bytes <= said
          .&&. (said > 65536 || S.null bytes || said == is)
          .&&. case outcome of
            Right () -> said === is .&&. S.length bytes === said
            Left (WrongBodyLength announced' built) ->
              announced' === fromIntegral said .&&. compare built announced' === compare is said

notBuilt :: Property
notBuilt = forAll (elements [100, 101, 204, 205, 304]) $ \code -> ioProperty $ do
  strict <- bodyOf (responseStrict (mkStatus code "") [] (error "built"))
  encoded <- bodyOf (responseEncoded (mkStatus code "") [] (error "built" :: Int))
  pure (strict === "" .&&. encoded === "")

-- /CODE/BODY. With ?length, a length is stated.
application :: Application
application request' respond = respond $ case S8.split '/' (Wai.rawPathInfo request') of
  ["", code, name]
    | Just (n, "") <- S8.readInt code,
      [body] <- [b | b <- bodies, S8.pack (show b) == name] ->
      response body (mkStatus n "x") stated
    | Just (n, "") <- S8.readInt code,
      name == "Streamed" ->
      Wai.responseStream (mkStatus n "x") [] (streamBuilder "abc")
  _ -> responseStrict status405 [] "not here"
  where
    stated = [(hContentLength, "17") | not (S.null (Wai.rawQueryString request'))]

-- The status, the headers and what follows them.
parsed :: S.ByteString -> (Int, [(String, S.ByteString)], S.ByteString)
parsed bytes = (code, map header (drop 1 ls), S.drop 4 rest)
  where
    (top, rest) = S.breakSubstring "\r\n\r\n" bytes
    ls = map (S8.filter (/= '\r')) (S8.lines top)
    code = maybe 0 fst (S8.readInt (S.drop 9 (S.concat (take 1 ls))))
    header l = let (k, v) = S8.break (== ':') l in (map toLower (S8.unpack k), S8.drop 2 v)

lengthsIn :: [(String, S.ByteString)] -> [S.ByteString]
lengthsIn headers = [v | ("content-length", v) <- headers]

-- By RFC 9112, 6.3: how many bytes of content follow the headers.
contentLength :: S.ByteString -> Int -> [(String, S.ByteString)] -> Int
contentLength method code headers
  | method == "HEAD" || code < 200 || code `elem` [204, 304] = 0
  | otherwise = maybe 0 fst (S8.readInt (fromMaybe "0" (lookup "content-length" headers)))

framed :: Int -> Assertion
framed port =
  forM_ ["GET", "HEAD", "POST"] $ \method -> forM_ (filter (>= 200) codes) $ \code ->
    forM_ bodies $ \body -> forM_ ["", "?length"] $ \query -> do
      let path = "/" <> S8.pack (show code) <> "/" <> S8.pack (show body) <> query
          both = request method path "" <> request "GET" "/other" "Connection: close\r\n"
          stated = ["17" | query /= ""]
      bytes <- rawExchange port both
      let (status, headers, rest) = parsed bytes
          n = contentLength method code headers
          (status', _, last') = parsed (S.drop n rest)
          shown = show (method, path, S.take 300 bytes)
      assertEqual shown code status
      assertEqual shown (allowed code body stated) (lengthsIn headers)
      assertEqual shown Nothing (lookup "transfer-encoding" headers)
      if method == "HEAD"
        then assertEqual shown 0 n
        else assertEqual shown (content code body) (S.take n rest)
      -- The next response begins there, and nothing follows it.
      assertEqual shown (405, "not here") (status', last')

request :: S.ByteString -> S.ByteString -> S.ByteString -> S.ByteString
request method path headers =
  method <> " " <> path <> " HTTP/1.1\r\nHost: a\r\n" <> headers
    <> (if method == "POST" then "Content-Length: 0\r\n" else "")
    <> "\r\n"

-- (A server does not know that a 205 has no content.)
streamed :: Int -> Assertion
streamed port =
  forM_ ["GET", "HEAD", "POST"] $ \method ->
    forM_ (filter (\code -> code >= 200 && code /= 205) codes) $ \code -> do
      let path = "/" <> S8.pack (show code) <> "/Streamed"
          none = method == "HEAD" || code `elem` [204, 304]
      bytes <-
        rawExchange port $
          request method path "" <> request "GET" "/other" "Connection: close\r\n"
      let (status, headers, sent) = parsed bytes
          -- The size of a chunk may begin with zeros.
          rest = if none then sent else S8.dropWhile (== '0') sent
          body = if none then "" else "3\r\nabc\r\n0\r\n\r\n"
          next = S.drop (S.length body) rest
          (status', _, last') = parsed next
          shown = show (method, path, bytes)
      assertEqual shown (code, [], body) (status, lengthsIn headers, S.take (S.length body) rest)
      unless (method == "HEAD") $
        assertEqual shown (not none) (isJust (lookup "transfer-encoding" headers))
      -- (warp closes the connection after HEAD.)
      assertBool shown (method == "HEAD" && S.null next || (status', last') == (405, "not here"))

interim :: Int -> Assertion
interim port =
  forM_ [101, 102, 103, 199 :: Int] $ \code -> forM_ bodies $ \body ->
    forM_ ["GET", "HEAD"] $ \method -> do
      let path = "/" <> S8.pack (show code) <> "/" <> S8.pack (show body) <> "?length"
      bytes <- rawExchange port (request method path "Connection: close\r\n")
      let (status, headers, rest) = parsed bytes
      (status, lengthsIn headers, lookup "transfer-encoding" headers, rest)
        @?= (code, [], Nothing, "")

connect :: Int -> Assertion
connect port = do
  bytes <- rawExchange port "CONNECT a:80 HTTP/1.1\r\nHost: a:80\r\nConnection: close\r\n\r\n"
  let (status, headers, rest) = parsed bytes
  (status, lengthsIn headers, rest) @?= (405, ["8"], "not here")

-- One call of curl for all. How many connections it has made says if it could use them again.
viaCurl :: Int -> Assertion
viaCurl port = forM_ [False, True] $ \onlyHead -> do
  let cases = [(code, body) | code <- filter (>= 200) codes, body <- bodies]
      size code body = if onlyHead then 0 else S.length (content code body)
  (exit, out) <- curl (curlArguments port onlyHead cases)
  exit @?= ExitSuccess
  S8.lines out
    @?= [ S8.pack (unwords [show code, show (size code body), if first then "1" else "0"])
          | ((code, body), first) <- zip cases (True : repeat False)
        ]

curlArguments :: Int -> Bool -> [(Int, Body)] -> [String]
curlArguments port onlyHead cases =
  ["-w", "%{http_code} %{size_download} %{num_connects}\\n"]
    ++ ["-I" | onlyHead]
    ++ concat [["-o", "/dev/null", url] | url <- urls]
  where
    urls =
      ["http://127.0.0.1:" <> show port <> "/" <> show c <> "/" <> show b | (c, b) <- cases]

-- nginx sends what it has got, and no length where none may be.
viaNginx :: Int -> Assertion
viaNginx port = forM_ ["GET", "HEAD"] $ \method -> do
  forM_ cases $ \(code, body) -> do
    let path = "/" <> S8.pack (show code) <> "/" <> S8.pack (show body)
    bytes <- rawRequest port (request method path "Connection: close\r\n")
    let (status, headers, rest) = parsed bytes
        shown = show (method, path, S.take 300 bytes)
        expected = if method == "HEAD" then "" else content code body
    assertEqual shown (code, expected) (status, rest)
    assertEqual shown (allowed code body []) (lengthsIn headers)
  (exit, out) <- curl (curlArguments port (method == "HEAD") cases)
  (exit, map (take 1 . S8.words) (S8.lines out))
    @?= (ExitSuccess, [[S8.pack (show code)] | (code, _) <- cases])
  where
    statuses = filter (`notElem` [199, 226, 599]) (filter (>= 200) codes)
    cases = [(code, body) | code <- statuses, body <- bodies]
