{-# LANGUAGE DerivingStrategies #-}
{-# LANGUAGE OverloadedStrings #-}
{-# LANGUAGE Trustworthy #-}

-- |
-- Module      : Ashlar.Jobs.Engine.Redis
-- Description : An engine on a Redis server
--
-- An engine on Redis 6.2 or later, for any number of hosts. Batches are in a stream, and workers
-- are the consumers of its group.
--
-- Redis must not evict keys, and should keep an append-only file: with @appendfsync always@ it
-- loses nothing, with @everysec@ the last second if its host stops. While it is restarted, all
-- functions wait ('redisPatience').
module Ashlar.Jobs.Engine.Redis
  ( Redis,
    withRedis,
    RedisOptions (..),
    defaultRedisOptions,
    redisEngine,
  )
where

import Ashlar.Jobs.Engine
import Ashlar.Jobs.Internal.Job (JobException (..))
import Ashlar.Jobs.Internal.Scripts
import Control.Concurrent (threadDelay)
import Control.Exception
import Control.Monad (void)
import Data.ByteString (ByteString)
import qualified Data.ByteString as S
import qualified Data.ByteString.Char8 as C
import Data.Int (Int64)
import qualified Data.List as List
import Data.Maybe (fromMaybe)
import Data.Text (Text)
import qualified Data.Text.Encoding as T
import qualified Data.Text.Encoding.Error as T
import qualified Database.Redis as R
import GHC.Clock (getMonotonicTime)
import System.Timeout (timeout)

-- | How to reach Redis.
--
-- @since 0.1.0.0
data RedisOptions = RedisOptions
  { -- | Host, port or Unix socket, password, database, and how many connections there may be. There
    -- are two pools of this size. A worker may use one connection of each, so
    -- 'R.connectMaxConnections' must be at least the number of workers of the process.
    redisConnect :: !R.ConnectInfo,
    -- | How many microseconds one command waits for something to happen. The default is a second,
    -- and some commands take whole seconds. It may take this long until a worker notices that
    -- another has died, or that the job is done.
    redisWait :: !Int,
    -- | How many microseconds Redis may be unreachable, or silent, before 'Unreachable' is thrown.
    -- The default is a minute.
    redisPatience :: !Int
  }

-- | Port 6379 of this host, at most 50 connections in each pool, waits of a second, and a minute of
-- patience.
--
-- @since 0.1.0.0
defaultRedisOptions :: RedisOptions
defaultRedisOptions = RedisOptions R.defaultConnectInfo 1000000 60000000

-- | Connections to a server. A command that waits has a connection to itself, so those come from a
-- pool of their own, and can never hold up the signs of life of a worker.
--
-- @since 0.1.0.0
data Redis = Redis
  { redisOptions :: !RedisOptions,
    quickly :: !R.Connection,
    waiting :: !R.Connection
  }

-- | With connections to a server. They are made when they are needed, and closed when the action
-- ends. A wrong password is an 'R.ConnectError' of the first command.
--
-- @since 0.1.0.0
withRedis :: RedisOptions -> (Redis -> IO a) -> IO a
withRedis options action =
  bracket (R.connect info) R.disconnect $ \a ->
    bracket (R.connect info) R.disconnect $ \b -> action (Redis options a b)
  where
    info = redisConnect options

-- | Run commands, and again while Redis cannot be reached or is starting. So they must be such that
-- the second time does no harm.
--
-- Replies are read lazily by hedis, but not later than the end of 'R.runRedis'. A reply may be cut
-- off there, by an exception of ours. The pool then closes the connection.
perform ::
  Redis ->
  (Redis -> R.Connection) ->
  -- | How many microseconds the commands themselves wait.
  Int ->
  R.Redis (Either R.Reply a) ->
  IO a
perform redis pool time commands = do
  end <- (+ fromIntegral patience / 1000000) <$> getMonotonicTime
  go end 0
  where
    patience = redisPatience (redisOptions redis)
    go end failed = do
      reply <- attempt
      case reply of
        Right (Just (Right a)) -> pure a
        Right (Just (Left (R.Error e)))
          | starting e -> later end failed (C.unpack e)
          | otherwise -> throwIO (EngineFailed (C.unpack e))
        Right (Just (Left other)) -> throwIO (EngineFailed (take 200 (show other)))
        Right Nothing -> later end failed "no reply"
        Left why -> later end failed why
    -- The first time at once: the connection may have been an old one.
    later end failed why = do
      now <- getMonotonicTime
      if now > end then throwIO (Unreachable why) else pure ()
      threadDelay (min 1000000 (failed * 20000))
      go end (2 * failed + 1)
    attempt =
      (Right <$> timeout (time + max 1000000 patience) (R.runRedis (pool redis) commands))
        `catches` [ Handler (\e -> pure (Left (displayException (e :: IOException)))),
                    Handler (\e -> pure (Left (displayException (e :: R.ConnectionLostException)))),
                    Handler (\e -> pure (Left (displayException (e :: R.ConnectTimeout))))
                  ]
    starting e = any (`S.isPrefixOf` e) ["LOADING", "BUSY", "MASTERDOWN", "TRYAGAIN", "CLUSTERDOWN"]

-- | The engine of the job with this name, which should be its 'Ashlar.Jobs.jobName'. Its functions
-- throw 'Unreachable' and 'EngineFailed'.
--
-- @since 0.1.0.0
redisEngine :: Redis -> Text -> Engine
redisEngine redis name =
  Engine
    { engineSaveSchema = \f bytes -> void (quick (R.hset schemas (hex f) bytes)),
      engineSchema = \f -> quick (R.hget schemas (hex f)),
      engineOpen = do
        reply <- script openScript [state, tasks] []
        case reply of
          R.MultiBulk (Just [R.Integer s, R.Integer b, R.Integer r, R.Integer c]) ->
            pure (Progress (fromInteger s) (fromInteger b) (fromInteger r) (c > 0))
          other -> unexpected other,
      engineAdd = \n -> do
        let numbers = [newSession n, fromIntegral (newLimit n), newNumber n, newRecords n]
        reply <- script addScript [state, tasks] (map dec numbers ++ [newBytes n])
        added <- addedOf reply
        case added of
          Full -> Full <$ wait (R.blpop [space] seconds)
          _ -> pure added,
      engineClose = \session n ->
        script closeScript [state, result n] [dec session, dec n] >>= addedOf,
      engineTake = takeNext,
      engineSetIdle = \worker d idle attempt ->
        void $
          script
            setIdleScript
            [tasks]
            [T.encodeUtf8 worker, deliveryId d, dec (milliseconds idle), dec attempt],
      engineStore = \worker n bytes -> do
        reply <- script storeScript [state, result n, workers] [dec n, bytes, T.encodeUtf8 worker]
        pure (reply == R.Integer 1),
      engineSetAside = \(Aside n batch failure) ->
        void . quick $
          R.hmset aside [(dec n <> ":batch", batch), (dec n <> ":failure", failure)],
      engineAcknowledge = \d -> void (script acknowledgeScript [tasks, space] [deliveryId d]),
      engineCollected = collected,
      engineResult = resultOf,
      engineRelease = \n -> void (script releaseScript [state, result n] [dec n]),
      engineAside = asideOf <$> quick (R.hgetall aside),
      engineStatus = statusOf,
      engineForget = do
        s <- statusOf
        let numbers = [statusCollected s .. progressBatches (statusProgress s)]
        mapM_ (quick . R.del . map result) (chunksOf 1000 numbers)
        void (quick (R.del [state, schemas, tasks, space, aside, workers]))
    }
  where
    key k = "ashlar-jobs:{" <> T.encodeUtf8 name <> "}:" <> k
    state = key "state"
    schemas = key "schemas"
    tasks = key "tasks"
    space = key "space"
    aside = key "aside"
    workers = key "workers"
    result n = key ("result:" <> dec n)
    -- To Redis, 0 is for ever.
    waited = max 1 (redisWait (redisOptions redis))
    seconds = fromIntegral (roundedUp 1000000 waited)
    milliseconds = roundedUp 1000
    roundedUp unit time = (time + unit - 1) `div` unit

    quick = perform redis quickly 0
    wait = perform redis waiting (waited + 1000000)
    script :: ByteString -> [ByteString] -> [ByteString] -> IO R.Reply
    script code keys arguments = quick (failing <$> R.eval code keys arguments)
    failing reply = case reply of
      Right e@(R.Error _) -> Left e
      _ -> reply

    takeNext worker idle = do
      reply <- script claimScript [tasks, state] [T.encodeUtf8 worker, dec (milliseconds idle)]
      case reply of
        R.MultiBulk (Just [R.Bulk (Just i), R.Integer a, R.Bulk (Just n), R.Bulk (Just b)]) ->
          pure (Taken (Delivery i (number n) (fromInteger a) b))
        R.MultiBulk (Just [R.Integer 0]) -> do
          new <-
            wait . groupMade $
              R.xreadGroupOpts
                "workers"
                (T.encodeUtf8 worker)
                [(tasks, ">")]
                R.defaultXreadOpts
                  { R.block = Just (fromIntegral (milliseconds waited)),
                    R.recordCount = Just 1
                  }
          pure $ case new of
            Just [R.XReadResponse _ [R.StreamsRecord i [("n", n), ("b", b)]]] ->
              Taken (Delivery i (number n) 1 b)
            _ -> NothingYet
        R.MultiBulk (Just [R.Integer 1]) -> pure Finished
        other -> unexpected other

    -- The job may be forgotten just now.
    groupMade command = do
      reply <- command
      pure $ case reply of
        Left (R.Error e) | any (`S.isPrefixOf` e) ["NOGROUP", "UNBLOCKED"] -> Right Nothing
        _ -> reply

    resultOf n = do
      there <- quick (R.lindex (result n) 0)
      -- From the list to itself.
      found <- maybe (wait (R.brpoplpush (result n) (result n) seconds)) (pure . Just) there
      case found of
        Just bytes -> pure (if S.null bytes then Ended else Stored bytes)
        Nothing -> (\c -> if n < c then Released else NotYet) <$> collected

    collected = maybe 0 number <$> quick (R.hget state "collected")

    asideOf fields =
      List.sortOn
        asideNumber
        [ Aside (number n) batch (fromMaybe S.empty (lookup (n <> ":failure") fields))
          | (field, batch) <- fields,
            (n, ":batch") <- [C.break (== ':') field]
        ]

    statusOf = do
      (s, n, held, ws) <- quick $ do
        a <- R.hgetall state
        b <- R.xlen tasks
        c <- R.hlen aside
        d <- R.hgetall workers
        pure ((,,,) <$> a <*> b <*> c <*> d)
      let field f = maybe 0 number (lookup f s)
      pure
        Status
          { statusProgress =
              Progress (field "session") (field "batches") (field "records") (field "closed" > 0),
            statusTasks = fromInteger n,
            statusStored = field "stored",
            statusCollected = field "collected",
            statusAside = fromInteger held `div` 2,
            statusWorkers =
              List.sort [(T.decodeUtf8With T.lenientDecode w, number k) | (w, k) <- ws]
          }

addedOf :: R.Reply -> IO Added
addedOf reply = case reply of
  R.Integer 0 -> pure Added
  R.Integer 1 -> pure Full
  R.Integer 2 -> pure Superseded
  R.Integer 3 -> pure Missing
  other -> unexpected other

unexpected :: R.Reply -> IO a
unexpected reply = throwIO (EngineFailed ("an unexpected reply: " ++ take 200 (show reply)))

-- | A number that Redis keeps as text.
number :: ByteString -> Int64
number = maybe 0 (fromIntegral . fst) . C.readInt

dec :: Show a => a -> ByteString
dec = C.pack . show

hex :: Show a => a -> ByteString
hex = C.pack . show

chunksOf :: Int -> [a] -> [[a]]
chunksOf _ [] = []
chunksOf n xs = let (a, b) = splitAt n xs in a : chunksOf n b
