{-# LANGUAGE OverloadedStrings #-}

-- |
-- Module      : Tests.Redis
-- Description : The client for Redis against a server, and against hostile ones
module Tests.Redis (tests) where

import Ashlar.Builder
import Ashlar.Get
import Control.Concurrent.Async (mapConcurrently)
import Control.Exception (displayException)
import qualified Data.ByteString as S
import qualified Data.ByteString.Char8 as C
import Data.Either (isLeft)
import Data.IORef
import qualified Data.List as List
import FakeServer
import Redis
import System.Directory (listDirectory)
import System.Timeout (timeout)
import Test.Tasty
import Test.Tasty.HUnit
import Test.Tasty.QuickCheck
import Wire

-- | Given the socket of a server.
tests :: FilePath -> TestTree
tests server =
  testGroup
    "Redis"
    [ againstServer server,
      testGroup
        "replies"
        [ testProperty "decode . encode" . forAll anyReply $ \r ->
            runGetWhole reply (toStrictByteString (encoded r)) === Right r,
          testProperty "cut off anywhere" . forAll anyReply $ \r ->
            let bs = toStrictByteString (encoded r)
             in conjoin [isLeft (runGet reply (S.take n bs)) | n <- [0 .. S.length bs - 1]]
        ],
      hostile
    ]

againstServer :: FilePath -> TestTree
againstServer server =
  testGroup
    "a server"
    [ testCase "RESP2" . inRESP2 $ \redis -> do
        _ <- call redis ["FLUSHALL"]
        replies <- pipeline redis commands
        either (Left . displayException) Right replies
          @?= Right
            [ Simple "OK",
              Number 15,
              Bulk "15",
              Array [Bulk "15", Nil],
              Failed "ERR wrong number of arguments for 'incr' command",
              Number 2,
              Array [Bulk "brick", Bulk "12", Bulk "slate", Bulk "\0\r\n"],
              Array [Number 1, Array [Bulk "a", Array []], Nil],
              Bulk "3.5"
            ],
      testCase "RESP3" . withRedis server RESP3 (const (pure ())) $ \redis -> do
        _ <- call redis ["FLUSHALL"]
        replies <- pipeline redis (commands ++ richer)
        either (Left . displayException) (Right . drop 5) replies
          @?= Right
            [ Number 2,
              Map [(Bulk "brick", Bulk "12"), (Bulk "slate", Bulk "\0\r\n")],
              Array [Number 1, Array [Bulk "a", Array []], Nil],
              Float 3.5,
              Number 1,
              Set [Bulk "a"],
              Boolean True,
              BigNumber 1234567999999999999999999999999999999,
              Verbatim "txt" "This is a verbatim\nstring"
            ],
      testCase "pushes between replies" $ do
        pushes <- newIORef []
        withRedis server RESP3 (\p -> modifyIORef pushes (p :)) $ \redis -> do
          replies <-
            pipeline
              redis
              [["CLIENT", "TRACKING", "ON"], ["GET", "k"], ["SET", "k", "1"], ["GET", "k"]]
          either (Left . displayException) Right replies
            @?= Right [Simple "OK", Nil, Simple "OK", Bulk "1"]
        readIORef pushes >>= (@?= [[Bulk "invalidate", Array [Bulk "k"]]]),
      testCase "100,000 commands, and 64 MB both ways at once" . inRESP2 $ \redis -> do
        let large = S.replicate 1000000 120
            numbers = map (C.pack . show) [1 .. 100000 :: Int]
            many = [["SET", S.take 2 n, n] | n <- numbers]
        replies <- pipeline redis many
        fmap (all (== Simple "OK")) (either (const Nothing) Just replies) @?= Just True
        echoed <- pipeline redis (replicate 64 ["ECHO", large])
        fmap (all (== Bulk large)) (either (const Nothing) Just echoed) @?= Just True,
      testCase "threads share a connection" . inRESP2 $ \redis -> do
        answers <- mapConcurrently (\n -> call redis ["ECHO", C.pack (show n)]) [1 .. 200 :: Int]
        [r | Right r <- answers] @?= [Bulk (C.pack (show n)) | n <- [1 .. 200 :: Int]],
      testCase "after a timeout, the connection is not used again" . inRESP2 $ \redis -> do
        late <- timeout 50000 (call redis ["BLPOP", "nothing", "0"])
        maybe (pure ()) (const (assertFailure "an answer")) late
        next <- call redis ["PING"]
        case next of
          Left (Interrupted _) -> pure ()
          other -> assertFailure (show other)
    ]
  where
    inRESP2 = withRedis server RESP2 (const (pure ())) :: (Redis -> IO ()) -> IO ()
    commands =
      [ ["SET", "bricks", "12"],
        ["INCRBY", "bricks", "3"],
        ["GET", "bricks"],
        ["MGET", "bricks", "slates"],
        ["INCR"],
        ["HSET", "h", "brick", "12", "slate", "\0\r\n"],
        ["HGETALL", "h"],
        ["EVAL", "return {1, {'a', {}}, false}", "0"],
        ["ZINCRBY", "z", "3.5", "m"]
      ]
    richer =
      [ ["SADD", "s", "a"],
        ["SMEMBERS", "s"],
        ["DEBUG", "PROTOCOL", "true"],
        ["DEBUG", "PROTOCOL", "bignum"],
        ["DEBUG", "PROTOCOL", "verbatim"]
      ]

hostile :: TestTree
hostile =
  testGroup
    "hostile servers"
    [ testCase "no descriptor is left over" $ do
        let descriptors = length <$> listDirectory "/proc/self/fd"
            fails = withAnswer reply "*-2\r\n" $ \wire -> do
              redis <- newRedis wire RESP3 (const (pure ()))
              either (const (pure ())) (const (assertFailure "no failure")) redis
        before <- descriptors
        mapM_ (const fails) [1 .. 100 :: Int]
        descriptors >>= (@?= before),
      testGroup "the connection is not used again" distrusted
    ]

distrusted :: [TestTree]
distrusted =
  [ testCase name $ do
      ((first, second), silent) <- withAnswer reply answer $ \wire -> do
        Right redis <- newRedis wire RESP2 (const (pure ()))
        (,) <$> call redis ["PING"] <*> call redis ["PING"]
      let message = either displayException show
      assertBool (message first) (expected `List.isInfixOf` message first)
      (isLeft first, message second) @?= (True, message first)
      assertBool "something was sent after the failure" silent
    | (name, answer, expected) <-
        [ ("HTTP", "HTTP/1.1 400 Bad Request\r\n", "a reply cannot begin with 'H'"),
          ("nothing", "", "it has closed the connection"),
          ("cut off", "$5\r\nbri", "5 bytes needed, 3 left"),
          ("no end of line", "$2\r\nbrick\r\n", "expected \"\\r\\n\""),
          ("a huge string", "$9000000000000000000\r\nbrick\r\n", "000 bytes needed, 7 left"),
          ("a billion replies", "*1000000000\r\n:1\r\n", "1 byte needed, 0 left"),
          ("a length that overflows", "$99999999999999999999\r\n", "at byte 1"),
          ("a negative length", "*-2\r\n", "a negative length"),
          ("nested arrays", S.concat (replicate 200000 "*1\r\n"), "nested"),
          ("nested maps", S.concat (replicate 200000 "%1\r\n"), "nested"),
          ("nested attributes", S.concat (replicate 200000 "|0\r\n"), "nested"),
          ("no number", ":twelve\r\n", "at byte 1"),
          ("a strange boolean", "#x\r\n", "neither t nor f"),
          ("a strange double", ",1.5x\r\n", "at byte"),
          ("a text without format", "=2\r\nab\r\n", "a verbatim string without a format")
        ]
  ]

anyReply :: Gen Reply
anyReply = sized go
  where
    go n = if n <= 1 then leaf else oneof [leaf, inner (n `div` 4)]
    inner n =
      oneof
        [ Array <$> few (go n),
          Map <$> few ((,) <$> go n <*> go n),
          Set <$> few (go n),
          Push <$> few (go n)
        ]
    few g = choose (0, 4) >>= \k -> vectorOf k g
    leaf =
      oneof
        [ Simple <$> text,
          Failed <$> text,
          Number <$> arbitrary,
          Bulk . S.pack <$> arbitrary,
          pure Nil,
          Boolean <$> arbitrary,
          Float <$> oneof [arbitrary, elements [1 / 0, -1 / 0]],
          BigNumber . (* (10 ^ (30 :: Int))) <$> arbitrary,
          Verbatim "txt" <$> text
        ]
    text = C.pack . filter (`notElem` ("\r\n" :: String)) <$> listOf (choose (' ', '~'))

-- As a server writes it.
encoded :: Reply -> Builder
encoded r = case r of
  Simple s -> "+" <> byteString s <> end
  Failed s -> "-" <> byteString s <> end
  Number n -> ":" <> intDec n <> end
  Bulk s -> "$" <> string s
  Nil -> "_" <> end
  Array rs -> "*" <> many rs
  Boolean b -> (if b then "#t" else "#f") <> end
  Float x
    | isInfinite x -> (if x > 0 then ",inf" else ",-inf") <> end
    | otherwise -> "," <> doubleDec x <> end
  BigNumber n -> "(" <> integerDec n <> end
  Verbatim format s -> "=" <> string (format <> ":" <> s)
  Map kvs -> "%" <> intDec (length kvs) <> end <> foldMap (\(k, v) -> encoded k <> encoded v) kvs
  Set rs -> "~" <> many rs
  Push rs -> ">" <> many rs
  where
    end = "\r\n"
    string s = intDec (S.length s) <> end <> byteString s <> end
    many rs = intDec (length rs) <> end <> foldMap encoded rs
