{-# LANGUAGE DerivingStrategies #-}
{-# LANGUAGE OverloadedStrings #-}

-- |
-- Module      : Postgres
-- Description : A minimal client for PostgreSQL
--
-- Simple and prepared queries, binary results, and copies both ways, over a Unix socket where the
-- server trusts its users. No passwords, no TLS.
module Postgres
  ( -- * Connections
    Postgres,
    Settings (..),
    withPostgres,
    newPostgres,
    Problem (..),
    ServerError (..),

    -- * Commands in SQL
    simpleQuery,
    Result (..),

    -- * Prepared queries
    Statement (..),
    prepare,
    query,
    queries,

    -- ** Rows
    Row,
    column,
    nullable,

    -- * Copies
    copyIn,
    copyOut,

    -- ** In binary
    binaryRows,
    copyRows,
  )
where

import Ashlar.Builder
import Ashlar.Get
import Ashlar.Get.Parse (bytes)
import Control.Applicative (many)
import Control.Exception
import Control.Monad (replicateM)
import Data.ByteString (ByteString)
import qualified Data.ByteString as S
import qualified Data.ByteString.Lazy as L
import Data.IORef
import Data.Maybe (isJust)
import Postgres.Protocol
import Wire

-- | A connection.
newtype Postgres = Postgres (Wire Message)

-- | Where the server is, and as whom to connect.
data Settings = Settings
  { -- | The path of its Unix socket, such as @/run/postgresql/.s.PGSQL.5432@.
    socketPath :: FilePath,
    userName :: ByteString,
    databaseName :: ByteString
  }

-- | What went wrong.
data Problem
  = -- | The connection cannot be used any more.
    Broken Failure
  | -- | The server has refused the command. The connection is in order.
    Refused ServerError
  | -- | A row is not what was expected. The connection is in order.
    BadRow DecodeError
  deriving stock (Show)

instance Exception Problem where
  displayException problem = case problem of
    Broken e -> displayException e
    Refused e -> displayException e
    BadRow e -> "a row cannot be decoded: " ++ displayException e

-- | Connect, and disconnect in the end.
withPostgres :: Settings -> (Postgres -> IO a) -> IO a
withPostgres settings use = withUnixSocket message (socketPath settings) $ \wire -> do
  postgres <- newPostgres wire settings >>= either throwIO pure
  use postgres `finally` exchange wire (send wire terminate)

-- | Introduce ourselves.
newPostgres :: Wire Message -> Settings -> IO (Either Problem Postgres)
newPostgres wire settings =
  answered wire (startup (userName settings) (databaseName settings)) $ \next -> do
    first <- next
    case first of
      Authentication 0 -> pure (Postgres wire)
      Authentication n -> throwIO (ProtocolError ("a request for a password, of kind " ++ show n))
      other -> outOfTurn other

-- | What a command in SQL has returned, as text.
data Result = Result
  { resultColumns :: [ByteString],
    resultRows :: [[Maybe ByteString]],
    -- | Such as @SELECT 2@.
    resultTag :: ByteString
  }
  deriving stock (Eq, Show)

-- | Run commands in SQL, separated by semicolons: a result for each.
simpleQuery :: Postgres -> ByteString -> IO (Either Problem [Result])
simpleQuery (Postgres wire) sql = decoded <$> answered wire (simple sql) (results [])
  where
    results done next = do
      m <- next
      case m of
        Ready -> pure (sequence (reverse done))
        RowDescription names -> do
          (rows, tag) <- rowsOf (many (nullable getRemainingByteString)) next
          results (((\rs -> Result names rs tag) <$> rows) : done) next
        Complete tag -> results (Right (Result [] [] tag) : done) next
        CopyInResponse -> send wire (copyFail "use copyIn") >> results done next
        _ | m `elem` [CopyOutResponse, CopyDone] -> results done next
        CopyData _ -> results done next
        _ -> outOfTurn m

-- | A statement of this name, with these columns.
data Statement = Statement
  { statementName :: ByteString,
    statementColumns :: [ByteString]
  }
  deriving stock (Eq, Show)

-- | Prepare a statement under a name. Arguments are @$1@, @$2@ and so on.
prepare :: Postgres -> ByteString -> ByteString -> IO (Either Problem Statement)
prepare (Postgres wire) name sql =
  answered wire (parse name sql <> describe name <> sync) $ \next -> do
    step next
    step next
    columns <- next
    case columns of
      RowDescription names -> pure (Statement name names)
      NoRows -> pure (Statement name [])
      other -> outOfTurn other

-- | Run a statement on its arguments, which are binary, as are the columns of its rows.
query :: Postgres -> Statement -> [Maybe Builder] -> Row a -> IO (Either Problem [a])
query postgres statement arguments g = fmap concat <$> queries postgres statement [arguments] g

-- | Run a statement many times, in one transaction and one round trip.
queries :: Postgres -> Statement -> [[Maybe Builder]] -> Row a -> IO (Either Problem [[a]])
queries (Postgres wire) statement arguments g =
  decoded
    <$> answered
      wire
      (foldMap (\as -> bind (statementName statement) as <> execute) arguments <> sync)
      (\next -> sequence <$> replicateM (length arguments) (step next >> fst <$> rowsOf g next))

-- | Decodes the columns of a row, one after the other.
type Row = Get

-- | A column that is never @NULL@. The decoder must read all of it.
column :: Get a -> Row a
column g = label "column" (nullable g >>= maybe (fail "NULL") pure)

-- | A column, or 'Nothing' for @NULL@.
nullable :: Get a -> Row (Maybe a)
nullable g = do
  n <- getInt32be
  if n == -1 then pure Nothing else Just <$> isolate (fromIntegral n) g

-- The rows that come, up to the command's tag. If one cannot be decoded, the others are passed.
rowsOf :: Row a -> IO Message -> IO (Either DecodeError [a], ByteString)
rowsOf g next = go (Right [])
  where
    go acc = do
      m <- next
      case m of
        DataRow bs -> do
          let acc' = acc >>= \rows -> (: rows) <$> runGetWhole (getInt16be *> g) bs
          acc' `seq` go acc'
        Complete tag -> pure (reverse <$> acc, tag)
        _ -> outOfTurn m

complete :: IO Message -> IO ByteString
complete next = snd <$> rowsOf (pure ()) next

step :: IO Message -> IO ()
step next = next >>= \m -> if m == Step then pure () else outOfTurn m

decoded :: Either Problem (Either DecodeError a) -> Either Problem a
decoded r = r >>= either (Left . BadRow) Right

outOfTurn :: Message -> IO a
outOfTurn m = throwIO (ProtocolError (take 80 (show m) ++ " out of turn"))

-- | Send what a builder makes to a @COPY .. FROM STDIN@, in constant memory. If a value in the
-- builder throws, nothing is copied, and the connection is in order. Returns the command's tag.
copyIn :: Postgres -> ByteString -> Builder -> IO (Either Problem ByteString)
copyIn (Postgres wire) sql contents = do
  thrown <- newIORef Nothing
  r <- answered wire (simple sql) $ \next -> do
    m <- next
    if m == CopyInResponse then pure () else outOfTurn m
    sent <- try (send wire (foldMap copyData (L.toChunks (toLazyByteString contents))))
    case sent of
      Right () -> send wire copyDone
      Left e
        | ofConnection e -> throwIO e
        | otherwise -> do
          writeIORef thrown (Just e)
          send wire (copyFail "the client has failed")
    complete next
  readIORef thrown >>= maybe (pure r) throwIO
  where
    -- Not an exception of a value in the builder.
    ofConnection e = isJust (fromException e :: Maybe SomeAsyncException) || isFailure e
    isFailure e = isJust (fromException e :: Maybe Failure)

-- | Fold the chunks of a @COPY .. TO STDOUT@ as they come. The action must not use the connection.
copyOut :: Postgres -> ByteString -> (a -> ByteString -> IO a) -> a -> IO (Either Problem a)
copyOut postgres sql f a = copying postgres sql (go a)
  where
    go acc next = do
      chunk <- next
      if S.null chunk then pure acc else f acc chunk >>= \acc' -> acc' `seq` go acc' next

-- | Fold the rows of a @COPY .. TO STDOUT (FORMAT binary)@ as they come.
copyRows :: Postgres -> ByteString -> Row r -> (a -> r -> IO a) -> a -> IO (Either Problem a)
copyRows postgres sql g f a = do
  r <- copying postgres sql $ \next -> do
    source <- newSource next
    header <- getFrom source (bytes signature *> getInt32be *> getInt32be >>= skip . fromIntegral)
    either (pure . Left) (const (rows source a)) header
  pure (r >>= either (Left . BadRow) Right)
  where
    rows source acc = do
      next <- getFrom source tuple
      case next of
        Left e -> pure (Left e)
        Right Nothing -> pure (Right acc)
        Right (Just r) -> f acc r >>= \acc' -> acc' `seq` rows source acc'
    tuple = getInt16be >>= \n -> if n == -1 then pure Nothing else Just <$> g

signature :: ByteString
signature = "PGCOPY\n\255\r\n\0"

-- | Rows for a @COPY .. FROM STDIN (FORMAT binary)@.
binaryRows :: Foldable f => f [Maybe Builder] -> Builder
binaryRows rows = byteString signature <> int32BE 0 <> int32BE 0 <> foldMap one rows <> int16BE (-1)
  where
    one cells = int16BE (fromIntegral (length cells)) <> foldMap value cells

-- Run an action that takes the chunks of a copy. It gets an empty one at the end, and may stop
-- early.
copying :: Postgres -> ByteString -> (IO ByteString -> IO a) -> IO (Either Problem a)
copying (Postgres wire) sql use = answered wire (simple sql) $ \next -> do
  m <- next
  if m == CopyOutResponse then pure () else outOfTurn m
  ended <- newIORef False
  let chunk = readIORef ended >>= \end -> if end then pure S.empty else next >>= taken
      taken m' = case m' of
        CopyData bs -> if S.null bs then chunk else pure bs
        CopyDone -> S.empty <$ writeIORef ended True
        _ -> outOfTurn m'
      rest = chunk >>= \bs -> if S.null bs then pure () else rest
  a <- use chunk
  rest
  a <$ complete next

-- Send, and read the answer, given an action that returns the next message. The answer goes up to
-- the server's being ready for the next command, also after an error.
answered :: Wire Message -> Builder -> (IO Message -> IO a) -> IO (Either Problem a)
answered wire request answer =
  fmap (either (Left . Broken) id) . exchange wire . receiveAll wire request $ do
    ready <- newIORef False
    let next = do
          m <- receive wire
          case m of
            Refusal e -> throwIO e
            Notice -> next
            Ready -> m <$ writeIORef ready True
            _ -> pure m
        -- An error may also come after the answer, as that of a constraint which is checked last.
        settled r = do
          end <- readIORef ready
          case r of
            Left e | severity e /= "ERROR" -> throwIO (EndedByServer (displayException e))
            _ | end -> pure (either (Left . Refused) Right r)
            Left _ -> (try next :: IO (Either ServerError Message)) >> settled r
            Right _ -> try next >>= either (settled . Left) (const (settled r))
    try (answer next) >>= settled
