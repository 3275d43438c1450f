{-# LANGUAGE OverloadedStrings #-}

-- |
-- Module      : Main
-- Description : The clients beside hedis, attoparsec and libpq: CPU time of this process, and time
--
-- Each figure is the least of five rounds.
module Main (main) where

import Ashlar.Builder (intDec)
import qualified Ashlar.Builder as A
import Ashlar.Get (getInt64be, getRemainingTextUtf8)
import Control.Concurrent.Async (concurrently)
import Control.Exception (bracket, evaluate)
import Control.Monad (forM, forM_, replicateM)
import qualified Data.Attoparsec.ByteString as P
import qualified Data.Attoparsec.ByteString.Char8 as P (decimal)
import Data.Bits (shiftL, (.|.))
import Data.ByteString (ByteString)
import qualified Data.ByteString as S
import qualified Data.ByteString.Builder as B
import qualified Data.ByteString.Char8 as C
import qualified Data.ByteString.Lazy as L
import Data.Int (Int64)
import Data.Maybe (fromMaybe)
import Data.Text (Text)
import Data.Text.Encoding (decodeUtf8)
import qualified Database.PostgreSQL.LibPQ as Q
import qualified Database.Redis as Hedis
import GHC.Clock (getMonotonicTime)
import Network.Socket
import Network.Socket.ByteString (recv)
import Network.Socket.ByteString.Lazy (sendAll)
import Postgres
import qualified Redis
import Servers
import System.CPUTime (getCPUTime)
import Text.Printf (printf)

main :: IO ()
main = do
  withRedisServer redisFigures
  withPostgresServer postgresFigures

-- Run each five times, in turn.
figures :: String -> [(String, IO Int)] -> IO ()
figures work runs = do
  rounds <- replicateM 5 . forM runs $ \(_, act) -> do
    cpu <- getCPUTime
    start <- getMonotonicTime
    n <- act >>= evaluate
    end <- getMonotonicTime
    cpu' <- getCPUTime
    pure (fromIntegral (cpu' - cpu) / 1e9 :: Double, (end - start) * 1000, n)
  putStrLn work
  forM_ (zip [0 ..] runs) $ \(i, (name, _)) -> do
    let mine = map (!! i) rounds
        (cpu, time) = (minimum [c | (c, _, _) <- mine], minimum [t | (_, t, _) <- mine])
    printf "  %-24s %7.1f ms of CPU, %7.1f ms, %d\n" name cpu time (maximum [n | (_, _, n) <- mine])

redisFigures :: FilePath -> IO ()
redisFigures path = Redis.withRedis path Redis.RESP2 (const (pure ())) $ \redis -> do
  hedis <- Hedis.connect Hedis.defaultConnectInfo {Hedis.connectPort = Hedis.UnixSocket path}
  bracket (socket AF_UNIX Stream defaultProtocol) close $ \sock -> do
    connect sock (SockAddrUnix path)
    figures
      "100,000 SET, pipelined"
      [ ("ashlar", Redis.pipeline redis sets >>= orFail ok),
        ("bytestring, attoparsec", attoparsecPipeline sock sets),
        ("hedis", Hedis.runRedis hedis (length <$> mapM (uncurry Hedis.set) pairs))
      ]
  where
    pairs = [(C.pack ("key:" ++ show n), C.pack (show n)) | n <- [1 .. 100000 :: Int]]
    sets = [["SET", k, v] | (k, v) <- pairs]
    ok rs = length [() | Redis.Simple "OK" <- rs]

-- The same commands and replies, by the usual means. (Inlined, it would send in all rounds what was
-- built in the first.)
attoparsecPipeline :: Socket -> [[ByteString]] -> IO Int
attoparsecPipeline sock commands =
  snd <$> concurrently (sendAll sock (B.toLazyByteString (foldMap command commands))) (go 0 "" 0)
  where
    command args = counted '*' (length args) <> foldMap bulk args
    bulk s = counted '$' (S.length s) <> B.byteString s <> "\r\n"
    counted kind n = B.char7 kind <> B.intDec n <> "\r\n"
    total = length commands
    go :: Int -> ByteString -> Int -> IO Int
    go n rest done
      | n == total = pure done
      | otherwise = do
        r <- P.parseWith (recv sock 32768) reply rest
        case r of
          P.Done rest' a -> go (n + 1) rest' (if a == Left "OK" then done + 1 else done)
          _ -> fail "no reply"
    reply :: P.Parser (Either ByteString Int)
    reply = do
      kind <- P.anyWord8
      case kind of
        0x2B -> Left <$> P.takeWhile (/= 13) <* P.string "\r\n"
        0x3A -> Right <$> P.decimal <* P.string "\r\n"
        _ -> fail "another reply"
{-# NOINLINE attoparsecPipeline #-}

postgresFigures :: FilePath -> IO ()
postgresFigures folder =
  withPostgres (Settings (folder ++ "/.s.PGSQL.5432") "ashlar" "postgres") $ \postgres ->
    bracket (Q.connectdb connection) Q.finish $ \pq -> do
      statement <- prepare postgres "rows" rowsQuery >>= orFail id
      _ <- Q.prepare pq "rows" rowsQuery Nothing
      figures
        "100,000 rows of two numbers and a text, in binary"
        [ ("ashlar", query postgres statement [] row >>= orFail total),
          ("libpq", total <$> libpqRows pq)
        ]
      forM_ ["ours", "theirs"] $ \t -> do
        _ <- simpleQuery postgres ("CREATE TABLE " <> t <> " (n int8, name text)") >>= orFail id
        pure ()
      figures
        "COPY of 100,000 rows from text"
        [ ("ashlar", ashlarCopy postgres 100000),
          ("libpq, bytestring", libpqCopy pq 100000)
        ]
  where
    connection = "host=" <> C.pack folder <> " user=ashlar dbname=postgres"
    rowsQuery = "SELECT n, n * n, 'brick number ' || n FROM generate_series(1, 100000::int8) n"
    row = (,,) <$> column getInt64be <*> column getInt64be <*> column getRemainingTextUtf8
    total :: [(Int64, Int64, Text)] -> Int
    total = length . filter (\(a, b, t) -> a * a == b && t /= "")

ashlarCopy :: Postgres -> Int -> IO Int
ashlarCopy postgres count = copyIn postgres "COPY ours FROM STDIN" rows >>= orFail S.length
  where
    rows = foldMap (\n -> intDec n <> "\tbrick " <> intDec n <> A.char7 '\n') [1 .. count]
{-# NOINLINE ashlarCopy #-}

libpqRows :: Q.Connection -> IO [(Int64, Int64, Text)]
libpqRows pq = do
  r <- Q.execPrepared pq "rows" [] Q.Binary >>= maybe (fail "no result") pure
  n <- Q.ntuples r
  forM [0 .. n - 1] $ \i -> do
    a <- cell r i 0
    b <- cell r i 1
    t <- cell r i 2
    let row = (number a, number b, decodeUtf8 t)
    pure row
  where
    cell r i j = fromMaybe "" <$> Q.getvalue' r i j
    number = S.foldl' (\acc w -> acc `shiftL` 8 .|. fromIntegral w) 0

libpqCopy :: Q.Connection -> Int -> IO Int
libpqCopy pq count = do
  _ <- Q.exec pq "COPY theirs FROM STDIN"
  mapM_ (Q.putCopyData pq) (L.toChunks (B.toLazyByteString rows))
  _ <- Q.putCopyEnd pq Nothing
  r <- Q.getResult pq >>= maybe (fail "no result") pure
  tag <- Q.cmdStatus r
  _ <- Q.getResult pq
  pure (S.length (fromMaybe "" tag))
  where
    rows = foldMap (\n -> B.intDec n <> "\tbrick " <> B.intDec n <> B.char7 '\n') [1 .. count]
{-# NOINLINE libpqCopy #-}

orFail :: Show e => (a -> b) -> Either e a -> IO b
orFail f = either (fail . show) (pure . f)
