{-# LANGUAGE OverloadedStrings #-}

-- |
-- Module      : Tests.Postgres
-- Description : The client for PostgreSQL against a server, and against hostile ones
module Tests.Postgres (tests) where

import Ashlar.Builder
import Ashlar.Get
import Control.Exception (ArithException (..), displayException, throw, try)
import Control.Monad (void)
import Data.Bifunctor (first)
import Data.ByteString (ByteString)
import qualified Data.ByteString as S
import qualified Data.ByteString.Char8 as C
import Data.Either (isLeft)
import Data.Int (Int64)
import qualified Data.List as List
import Data.Text (Text)
import qualified Data.Text as T
import FakeServer
import Postgres
import Postgres.Protocol (message)
import System.Timeout (timeout)
import Test.Tasty
import Test.Tasty.HUnit
import Test.Tasty.QuickCheck

-- | Given the folder of a server's socket.
tests :: FilePath -> TestTree
tests folder =
  testGroup
    "PostgreSQL"
    [ commands connected,
      prepared connected,
      copies connected,
      trouble connected folder,
      hostile
    ]
  where
    connected = withPostgres (settingsFor folder "postgres")

settingsFor :: FilePath -> ByteString -> Settings
settingsFor folder = Settings (folder ++ "/.s.PGSQL.5432") "ashlar"

type Connected = (Postgres -> IO ()) -> IO ()

-- The result, or the message of the problem.
succeeds :: IO (Either Problem a) -> IO a
succeeds act = act >>= either (assertFailure . displayException) pure

refusedWith :: String -> IO (Either Problem a) -> IO ()
refusedWith expected act = do
  r <- act
  case r of
    Left (Refused e) ->
      assertBool (displayException e) (expected `List.isInfixOf` displayException e)
    Left e -> assertFailure (displayException e)
    Right _ -> assertFailure "it was not refused"

-- The connection is in order.
works :: Postgres -> IO ()
works postgres = do
  r <- succeeds (simpleQuery postgres "SELECT 1 AS one")
  r @?= [Result ["one"] [[Just "1"]] "SELECT 1"]

commands :: Connected -> TestTree
commands connected =
  testGroup
    "commands in SQL"
    [ testCase "several at once" . connected $ \postgres -> do
        r <-
          succeeds . simpleQuery postgres $
            "CREATE TEMP TABLE bricks (n int, name text); \
            \INSERT INTO bricks VALUES (1, 'brick'), (2, NULL), (3, ''); \
            \SELECT * FROM bricks ORDER BY n; SELECT FROM bricks WHERE n > 9; ;"
        r
          @?= [ Result [] [] "CREATE TABLE",
                Result [] [] "INSERT 0 3",
                Result
                  ["n", "name"]
                  [[Just "1", Just "brick"], [Just "2", Nothing], [Just "3", Just ""]]
                  "SELECT 3",
                Result [] [] "SELECT 0"
              ],
      testCase "an empty command" . connected $ \postgres -> do
        r <- succeeds (simpleQuery postgres "")
        r @?= [Result [] [] ""],
      testCase "a notice, and a copy" . connected $ \postgres -> do
        r <-
          succeeds . simpleQuery postgres $
            "DO $$ BEGIN RAISE NOTICE 'look'; END $$; COPY (SELECT 1) TO STDOUT; SELECT 2 AS two"
        r @?= [Result [] [] "DO", Result [] [] "COPY 1", Result ["two"] [[Just "2"]] "SELECT 1"],
      testCase "errors" . connected $ \postgres -> do
        refusedWith "ERROR 42601: syntax error" (simpleQuery postgres "SELEKT 1")
        refusedWith "ERROR 22012: division by zero" (simpleQuery postgres "SELECT 1; SELECT 1/0")
        _ <- succeeds (simpleQuery postgres "CREATE TEMP TABLE t (n int)")
        refusedWith "use copyIn" (simpleQuery postgres "COPY t FROM STDIN")
        works postgres
    ]

-- What is sent as arguments, and comes back.
type Values = (Int64, Maybe Text, Double, ByteString, Bool)

arguments :: Values -> [Maybe Builder]
arguments (n, t, x, bs, b) =
  [ Just (int64BE n),
    textUtf8 <$> t,
    Just (doubleBE x),
    Just (byteString bs),
    Just (word8 (if b then 1 else 0))
  ]

values :: Row Values
values =
  (,,,,) <$> column getInt64be
    <*> nullable getRemainingTextUtf8
    <*> column getDoublebe
    <*> column getRemainingByteString
    <*> column ((/= 0) <$> getWord8)

anyValues :: Gen Values
anyValues = (,,,,) <$> arbitrary <*> text <*> arbitrary <*> (S.pack <$> arbitrary) <*> arbitrary
  where
    text = oneof [pure Nothing, Just . T.pack . filter (/= '\0') . getUnicodeString <$> arbitrary]

prepared :: Connected -> TestTree
prepared connected =
  testGroup
    "prepared queries"
    [ testCase "values come back" . connected $ \postgres -> do
        statement <-
          succeeds $
            prepare
              postgres
              "echo"
              "SELECT $1::int8, $2::text, $3::float8 AS x, $4::bytea, $5::bool"
        statementColumns statement @?= ["int8", "text", "x", "bytea", "bool"]
        sent <- generate (vectorOf 500 anyValues)
        one <- mapM (\v -> succeeds (query postgres statement (arguments v) values)) (take 50 sent)
        concat one @?= take 50 sent
        all' <- succeeds (queries postgres statement (map arguments sent) values)
        concat all' @?= sent,
      testCase "many rows" . connected $ \postgres -> do
        statement <-
          succeeds (prepare postgres "" "SELECT n, n * n FROM generate_series(1, $1::int8) n")
        rows <-
          succeeds . query postgres statement [Just (int64BE 100000)] $
            (,) <$> column getInt64be <*> column getInt64be
        rows @?= [(n, n * n) | n <- [1 .. 100000]],
      testCase "10,000 inserts in one round trip" . connected $ \postgres -> do
        _ <- succeeds (simpleQuery postgres "CREATE TEMP TABLE t (n int8 UNIQUE)")
        insert <- succeeds (prepare postgres "insert" "INSERT INTO t VALUES ($1)")
        let inserts ns = queries postgres insert [[Just (int64BE n)] | n <- ns] (pure ())
        _ <- succeeds (inserts [1 .. 10000])
        -- All or nothing.
        refusedWith "ERROR 23505: duplicate key" (inserts [20000, 20001, 1, 20002])
        r <- succeeds (simpleQuery postgres "SELECT count(*) AS n FROM t")
        r @?= [Result ["n"] [[Just "10000"]] "SELECT 1"],
      testCase "an error after the answer" . connected $ \postgres -> do
        _ <-
          succeeds . simpleQuery postgres $
            "CREATE TEMP TABLE t (n int8 UNIQUE DEFERRABLE INITIALLY DEFERRED)"
        insert <- succeeds (prepare postgres "insert" "INSERT INTO t VALUES ($1), ($1)")
        refusedWith "duplicate key" (query postgres insert [Just (int64BE 1)] (pure ()))
        works postgres,
      testCase "errors" . connected $ \postgres -> do
        refusedWith "does not exist" (prepare postgres "bad" "SELECT nothing")
        statement <- succeeds (prepare postgres "half" "SELECT 10 / $1::int4")
        refusedWith "division by zero" (query postgres statement [Just (int32BE 0)] (pure ()))
        refusedWith "ERROR 08P01" (query postgres statement [] (pure ()))
        refusedWith "ERROR 22P03" (query postgres statement [Just (int64BE 0)] (pure ()))
        five <- succeeds (query postgres statement [Just (int32BE 2)] (column getInt32be))
        five @?= [5],
      testCase "rows that are not what was expected" . connected $ \postgres -> do
        statement <-
          succeeds (prepare postgres "null" "SELECT NULL::int4, 7 FROM generate_series(1, 3)")
        let asked g = either displayException show <$> query postgres statement [] g
            says part r = assertBool r (part `List.isInfixOf` r)
        asked (column getInt32be) >>= says "in column: NULL"
        asked (nullable getInt32be) >>= says "a row cannot be decoded"
        asked (nullable getInt32be <* column getInt64be) >>= says "8 bytes needed, 4 left"
        asked (nullable getInt32be <* column getInt16be) >>= says "2 of 4 bytes were not read"
        works postgres
    ]

copies :: Connected -> TestTree
copies connected =
  testGroup
    "copies"
    [ testCase "text, in and out" . connected $ \postgres -> do
        create postgres
        tag <-
          succeeds . copyIn postgres "COPY t FROM STDIN" $
            foldMap (\n -> intDec n <> "\tbrick " <> intDec n <> char7 '\n') [1 .. 100000]
        tag @?= "COPY 100000"
        size <- succeeds (copyOut postgres "COPY t TO STDOUT" (\n bs -> pure (n + S.length bs)) 0)
        size @?= sum [2 * length (show n) + 8 | n <- [1 .. 100000 :: Int]],
      testCase "binary, in and out" . connected $ \postgres -> do
        create postgres
        let rows = [(n, if even n then Nothing else Just (T.pack (show n))) | n <- [1 .. 20000]]
            sent = binaryRows [[Just (int64BE n), textUtf8 <$> t] | (n, t) <- rows]
            pair = (,) <$> column getInt64be <*> nullable getRemainingTextUtf8
        _ <- succeeds (copyIn postgres "COPY t FROM STDIN (FORMAT binary)" sent)
        let out = copyRows postgres "COPY t TO STDOUT (FORMAT binary)"
        back <- succeeds (out pair (\rs r -> pure (r : rs)) [])
        reverse back @?= rows
        -- Of the wrong type, and of too few columns.
        wrong <- out (column getInt32be) (\n _ -> pure (n + 1)) (0 :: Int)
        assertBool (either displayException show wrong) (isLeft wrong)
        works postgres,
      testCase "an empty copy" . connected $ \postgres -> do
        create postgres
        tag <- succeeds (copyIn postgres "COPY t FROM STDIN" mempty)
        out <- succeeds (copyOut postgres "COPY t TO STDOUT" (\n _ -> pure (n + 1)) (0 :: Int))
        (tag, out) @?= ("COPY 0", 0),
      testCase "the server refuses a row" . connected $ \postgres -> do
        create postgres
        refusedWith "invalid input syntax" . copyIn postgres "COPY t FROM STDIN" $
          "brick\tbrick\n" <> foldMap (\n -> intDec n <> "\tx\n") [1 .. 100000]
        works postgres,
      testCase "a value in the builder throws" . connected $ \postgres -> do
        create postgres
        r <-
          try . copyIn postgres "COPY t FROM STDIN" $
            foldMap (\n -> intDec n <> "\tx\n") [1 .. 100000] <> intDec (throw Overflow)
        first (== Overflow) (() <$ r) @?= Left True
        rows <- succeeds (simpleQuery postgres "SELECT count(*) AS n FROM t")
        rows @?= [Result ["n"] [[Just "0"]] "SELECT 1"],
      testCase "commands that do not copy are refused" . connected $ \postgres -> do
        refusedWith "syntax error" (copyIn postgres "COPY" "1")
        let ignore () _ = pure ()
        refusedWith "does not exist" (copyOut postgres "COPY nothing TO STDOUT" ignore ())
        works postgres
    ]
  where
    create postgres =
      void . succeeds $ simpleQuery postgres "CREATE TEMP TABLE t (n int8, name text)"

trouble :: Connected -> FilePath -> TestTree
trouble connected folder =
  testGroup
    "connections"
    [ testCase "no such database" $ do
        r <- try (withPostgres (settingsFor folder "nothing") pure)
        brokenBy "FATAL 3D000: database \"nothing\" does not exist" (() <$ r),
      testCase "the server ends the connection" . connected $ \postgres -> do
        r <- simpleQuery postgres "SELECT pg_terminate_backend(pg_backend_pid())"
        again' <- simpleQuery postgres "SELECT 1"
        brokenBy "57P01: terminating connection" r
        brokenBy "57P01: terminating connection" again',
      testCase "after a timeout, the connection is not used again" . connected $ \postgres -> do
        late <- timeout 50000 (simpleQuery postgres "SELECT pg_sleep(5)")
        maybe (pure ()) (const (assertFailure "an answer")) late
        simpleQuery postgres "SELECT 1" >>= brokenBy "interrupted"
    ]

brokenBy :: String -> Either Problem a -> IO ()
brokenBy expected r = case r of
  Left (Broken e) -> assertBool (displayException e) (expected `List.isInfixOf` displayException e)
  Left e -> assertFailure (displayException e)
  Right _ -> assertFailure "no problem"

hostile :: TestTree
hostile =
  testGroup
    "hostile servers"
    [ testGroup
        "the answer to a new client"
        [ testCase name $ do
            (r, silent) <- withAnswer message answer (`newPostgres` settingsFor "" "postgres")
            brokenBy expected (() <$ r)
            assertBool "something was sent after the failure" silent
          | (name, answer, expected) <-
              [ ("nothing", "", "it has closed the connection"),
                ("HTTP", "HTTP/1.1 400 Bad Request\r\n", "bytes"),
                ("another letter", "x\0\0\0\4", "a message cannot begin with 'x'"),
                ("a length below 4", "R\0\0\0\3", "a length below 4"),
                ("a negative length", "R\255\255\255\255", "a length below 4"),
                ("a huge length", "d\127\255\255\255brick", "needed"),
                ("cut off", "R\0\0\0\8\0\0", "needed"),
                ("too long", "R\0\0\0\6\0\0", "4 bytes needed, 2 left"),
                ("a password", "R\0\0\0\8\0\0\0\3", "a request for a password, of kind 3"),
                ("out of turn", "D\0\0\0\6\0\0", "out of turn"),
                ("an error without end", "E\0\0\0\9SERR\0", "1 byte needed, 0 left"),
                ("an error without fields", "E\0\0\0\5\0", "the server has ended the connection"),
                ("a fatal error", "E\0\0\0\xdSFATAL\0\0Z\0\0\0\5I", "FATAL"),
                ("65,535 columns", "T\0\0\0\6\255\255", "a negative number"),
                ("32,767 columns", "T\0\0\0\6\127\255", "needed"),
                ("never ready", "R\0\0\0\8\0\0\0\0", "it has closed the connection")
              ]
        ],
      testCase "an answer cut off anywhere" $ do
        let whole = "R\0\0\0\8\0\0\0\0S\0\0\0\8a\0b\0Z\0\0\0\5I"
            connects bs = fst <$> withAnswer message bs (`newPostgres` settingsFor "" "postgres")
        rs <- mapM (\n -> connects (S.take n whole)) [0 .. S.length whole]
        map isLeft rs @?= replicate (S.length whole) True ++ [False],
      testProperty "a message takes as many bytes as it says" $ \(Positive n) ->
        forAll (elements "RSKNAZTnDCIEGHdc12tXx") $ \kind ->
          forAll (S.pack <$> resize n arbitrary) $ \body ->
            let size = toStrictByteString (int32BE (4 + fromIntegral (S.length body)))
                r = runGetRest message (C.singleton kind <> size <> body <> "and more")
             in classify (isLeft r) "malformed" $
                  either (const (property True)) ((=== "and more") . snd) r
    ]
