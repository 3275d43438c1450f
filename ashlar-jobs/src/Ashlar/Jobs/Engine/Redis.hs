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
-- Redis must not evict keys (@maxmemory-policy noeviction@), and should keep an append-only file:
-- with @appendfsync always@ it loses nothing, with @everysec@ the last second if its host stops, or
-- two if it is killed while its disk is slow.
-- Without that file, a restart loses what came after the last snapshot. 'Ashlar.Jobs.submit' warns
-- of settings that lose data. While Redis is restarted, all functions wait ('redisPatience').
module Ashlar.Jobs.Engine.Redis
  ( Redis,
    withRedis,
    RedisOptions (..),
    defaultRedisOptions,
    redisEngine,
  )
where

import Ashlar.Jobs.Engine
import Ashlar.Jobs.Internal.Exception
import Ashlar.Jobs.Internal.Name (newRunId)
import Ashlar.Jobs.Internal.Replies
import Ashlar.Jobs.Internal.Scripts
import Ashlar.Jobs.Internal.Settings
import Control.Concurrent (threadDelay)
import Control.Exception
import Control.Monad (unless, void, when)
import Data.ByteString (ByteString)
import qualified Data.ByteString as S
import qualified Data.ByteString.Char8 as C
import Data.Char (isDigit, isHexDigit)
import Data.Int (Int64)
import Data.Maybe (fromMaybe)
import Data.Text (Text)
import qualified Data.Text.Encoding as T
import qualified Database.Redis as R
import GHC.Clock (getMonotonicTime)
import Network.TLS (TLSException)
import System.Timeout (timeout)

-- | How to reach Redis.
data RedisOptions = RedisOptions
  { -- | Host, port or Unix socket, password, database, and how many connections there may be. There
    -- are two pools of this size. A worker may use one connection of each, so
    -- 'R.connectMaxConnections' must be at least the number of workers of the process.
    redisConnect :: !R.ConnectInfo,
    -- | How many microseconds one command waits for something to happen. The default is a second,
    -- and some commands take whole seconds. It may take this long until a worker notices that
    -- another has died, or that the job is done.
    redisWait :: !Int,
    -- | How many microseconds Redis may be unreachable, or silent, before 'Unreachable' is thrown,
    -- or out of memory, before 'EngineFailed' is. 'Ashlar.Jobs.worker' and 'Ashlar.Jobs.collect'
    -- wait this long for somebody to begin to submit. The default is a minute. A command that
    -- has no reply after a quarter of this time is sent again, once, on another connection.
    redisPatience :: !Int,
    -- | The most bytes of a batch or a result. The default is 512 MiB, which is what Redis takes
    -- unless its @proto-max-bulk-len@ says something else. Redis breaks the connection if it gets
    -- more. Less than 64 KiB counts as that.
    redisMaxBytes :: !Int
  }

-- | Port 6379 of this host, at most 50 connections in each pool, waits of a second, a minute of
-- patience, and at most 512 MiB.
defaultRedisOptions :: RedisOptions
defaultRedisOptions = RedisOptions R.defaultConnectInfo 1000000 60000000 536870912

-- | Connections to a server. A command that waits has a connection to itself, so those come from a
-- pool of their own, and can never hold up the signs of life of a worker.
data Redis = Redis
  { redisOptions :: !RedisOptions,
    quickly :: !R.Connection,
    waiting :: !R.Connection
  }

-- | With connections to a server. They are made when they are needed, and closed when the action
-- ends. A wrong password is an 'R.ConnectError' of the first command.
withRedis :: RedisOptions -> (Redis -> IO a) -> IO a
withRedis options action =
  bracket (R.connect info) R.disconnect $ \a ->
    bracket (R.connect info) R.disconnect $ \b -> action (Redis options a b)
  where
    info = redisConnect options

-- | Run commands, and again while Redis cannot be reached, is starting, or cannot write. So they
-- must be such that the second time does no harm.
--
-- Replies are read lazily by hedis, but not later than the end of 'R.runRedis'. A reply may be cut
-- off there, by an exception of ours. The pool then closes the connection.
perform ::
  Redis ->
  (Redis -> R.Connection) ->
  -- | How many microseconds a reply may take.
  Int ->
  -- | What silence means: a result, or that the commands are sent again, and how many microseconds
  -- the reply may take then.
  Either a Int ->
  R.Redis (Either R.Reply a) ->
  IO a
perform redis pool time silence commands = do
  end <- (+ fromIntegral patience / 1000000) <$> getMonotonicTime
  go end 0 time
  where
    patience = redisPatience (redisOptions redis)
    go end pause limit = do
      reply <- attempt limit
      case reply of
        Right (Just (Right a)) -> pure a
        Right (Just (Left (R.Error e)))
          | starting e -> later end pause limit (Unreachable (C.unpack e))
          | full e -> later end pause limit (EngineFailed (C.unpack e))
          | otherwise -> throwIO (EngineFailed (C.unpack e))
        Right (Just (Left other)) -> throwIO (EngineFailed (take 200 (show other)))
        Right Nothing ->
          either pure (\next -> later end pause next (Unreachable "no reply")) silence
        Left why -> later end pause limit (Unreachable why)
    -- The first time at once: the connection may have been an old one.
    later end pause limit why = do
      now <- getMonotonicTime
      when (now > end) (throwIO why)
      threadDelay pause
      go end (longerPause pause) limit
    attempt limit =
      (Right <$> timeout limit (R.runRedis (pool redis) commands))
        `catches` [ Handler (\e -> pure (Left (displayException (e :: IOException)))),
                    Handler (\e -> pure (Left (displayException (e :: TLSException)))),
                    Handler (\e -> pure (Left (displayException (e :: R.ConnectionLostException)))),
                    Handler (\e -> pure (Left (displayException (e :: R.ConnectTimeout))))
                  ]

-- | The engine of the job with this name, which should be its 'Ashlar.Jobs.jobName'. Its functions
-- throw 'Unreachable' and 'EngineFailed', too.
redisEngine :: Redis -> Text -> Engine
redisEngine redis name =
  Engine
    { engineMaxBytes = redisMaxBytes (redisOptions redis),
      engineCurrent = current,
      engineOpen = open,
      engineJoin = join',
      engineSaveSchema = \r f bytes -> void (script r saveSchemaScript [schemas r] [dec f, bytes]),
      engineSchema = \r f -> do
        (run, schema) <- quick $ do
          a <- R.hget state "run"
          b <- R.hget (schemas r) (dec f)
          pure ((,) <$> a <*> b)
        if run == Just (runId r) then pure schema else gone r,
      engineAdd = \r n -> do
        let numbers = [newSession n, fromIntegral (newLimit n), newNumber n, newRecords n]
        added <-
          script r addScript [tasks r] (map dec numbers ++ [newBytes n]) >>= addedOf
        case added of
          Full -> Full <$ wait (R.blpop [space r] seconds)
          _ -> pure added,
      engineClose = \r session n ->
        script r closeScript [tasks r, result r n] [dec session, dec n] >>= addedOf,
      engineTake = takeNext,
      engineHold = \r worker d hold -> do
        reply <-
          script
            r
            holdScript
            [tasks r, notes r]
            [ T.encodeUtf8 worker,
              deliveryId d,
              dec (milliseconds (holdIdle hold)),
              maybe S.empty dec (holdAttempt hold),
              dec (deliveryNumber d),
              maybe "0" (const "1") (holdNote hold),
              fromMaybe S.empty (holdNote hold)
            ]
        pure (reply == R.Integer 1),
      engineStore = \r worker n bytes kept -> do
        let more = maybe [] (\a -> [asideBatch a, asideFailure a]) kept
        reply <-
          script
            r
            storeScript
            [result r n, aside r]
            ([dec n, bytes, T.encodeUtf8 worker] ++ more)
        pure (reply == R.Integer 1),
      engineAcknowledge = \r d ->
        void $
          script
            r
            acknowledgeScript
            [tasks r, space r, notes r]
            [deliveryId d, dec (deliveryNumber d)],
      engineCollected = \r -> do
        fields <- quick (R.hmget state ["run", "collected"])
        case fields of
          [Just run, n] | run == runId r -> pure (maybe 0 number n)
          _ -> gone r,
      engineResult = resultOf,
      engineRelease = \r n ->
        void (script r releaseScript [tasks r, result r n] [dec n, key r "result:"]),
      engineAside = \r -> do
        (fields, counted) <- quick $ do
          a <- R.hgetall (aside r)
          b <- R.hmget state ["run", "aside"]
          pure ((,) <$> a <*> b)
        case counted of
          [Just run, n]
            | run == runId r -> do
              let found = asideOf fields
                  expected = maybe 0 (fromIntegral . number) n
              when (length found < expected) (throwIO (lostAside (length found) expected))
              pure found
          _ -> gone r,
      engineStatus = statusOf,
      engineForget = forgetRun,
      engineWarnings = warnings
    }
  where
    prefix = "ashlar-jobs:{" <> T.encodeUtf8 name <> "}:"
    state = prefix <> "state"
    key r k = prefix <> runId r <> ":" <> k
    schemas r = key r "schemas"
    tasks r = key r "tasks"
    notes r = key r "notes"
    space r = key r "space"
    aside r = key r "aside"
    forgotten r = key r "forgotten"
    result r n = key r ("result:" <> dec n)
    -- To Redis, 0 is for ever.
    waited = max 1 (redisWait (redisOptions redis))
    seconds = fromIntegral (roundedUp 1000000 waited)
    milliseconds = roundedUp 1000
    roundedUp unit time = (time + unit - 1) `div` unit

    -- Whoever waits for a reply sends nothing, so it is never told that the other end is gone:
    -- Redis on a new host, or after a power failure. The rest is for a reply that takes long.
    quick = perform redis quickly quarter (Right (3 * quarter))
    quarter = max 1000000 (redisPatience (redisOptions redis) `div` 4)
    -- Its callers go on with a command that does not wait.
    wait :: R.Redis (Either R.Reply (Maybe a)) -> IO (Maybe a)
    wait = perform redis waiting (waited + 1000000 + quarter) (Left Nothing)
    eval :: ByteString -> [ByteString] -> [ByteString] -> IO R.Reply
    eval code keys arguments = quick (failing <$> R.eval code (state : keys) arguments)
    failing reply = case reply of
      Right e@(R.Error _) -> Left e
      _ -> reply

    -- A script that needs a run.
    script :: Run -> ByteString -> [ByteString] -> [ByteString] -> IO R.Reply
    script r code keys arguments = do
      reply <- eval code keys (runId r : arguments)
      case reply of
        R.SingleLine "GONE" -> gone r
        R.SingleLine why | Just lost <- lostOf why -> throwIO lost
        _ -> pure reply

    gone :: Run -> IO a
    gone r = do
      (there, known) <- quick $ do
        a <- R.hget state "run"
        b <- R.exists (forgotten r)
        pure ((,) <$> a <*> b)
      throwIO $
        if known then Forgotten else maybe lostJob (const lostToAnother) there

    current = do
      fields <- quick (R.hmget state ["run", "about", "session", "batches", "records", "closed"])
      pure $ case fields of
        Just run : about : numbers ->
          Just (Run run (fromMaybe S.empty about), progressOf (map (maybe 0 number) numbers))
        _ -> Nothing

    open about = do
      there <- quick (R.hget state "run")
      run <- maybe newRunId pure there
      let r = Run run about
      reply <-
        eval openScript [tasks r, forgotten r] [run, about, maybe "0" (const "1") there]
      case reply of
        R.MultiBulk (Just [s, b, n, c, R.Bulk (Just about')]) ->
          pure (Run run about', progressOf (integers [s, b, n, c]))
        R.Integer 1 -> open about
        R.SingleLine why | Just lost <- lostOf why -> throwIO lost
        other -> unexpected other

    join' old = do
      end <- (+ fromIntegral (redisPatience (redisOptions redis)) / 1000000) <$> getMonotonicTime
      let look = do
            there <- current
            now <- getMonotonicTime
            case there of
              Just (run, _) | fmap runId old /= Just (runId run) -> pure run
              _
                | now > end -> throwIO NotSubmitted
                | otherwise -> threadDelay (min 100000 waited) >> look
      look

    takeNext r worker idle = do
      reply <-
        script r claimScript [tasks r, notes r] [T.encodeUtf8 worker, dec (milliseconds idle)]
      case reply of
        R.MultiBulk
          (Just [R.Bulk (Just i), R.Integer a, R.Bulk (Just n), R.Bulk (Just b), R.Bulk note]) ->
            pure (Taken (Delivery i (number n) (fromInteger a) b (fromMaybe S.empty note)))
        R.MultiBulk (Just (R.Integer 1 : _)) -> pure Finished
        R.MultiBulk (Just (R.Integer _ : fields)) -> do
          new <-
            wait . groupMade $
              R.xreadGroupOpts
                "workers"
                (T.encodeUtf8 worker)
                [(tasks r, ">")]
                R.defaultXreadOpts
                  { R.block = Just (fromIntegral (milliseconds waited)),
                    R.recordCount = Just 1
                  }
          pure $ case new of
            Just [R.XReadResponse _ [R.StreamsRecord i [("n", n), ("b", b)]]] ->
              Taken (Delivery i (number n) 1 b S.empty)
            _ -> NothingYet (progressOf (integers fields))
        other -> unexpected other

    -- The job may be forgotten just now, or lost. The next call says which.
    groupMade command = do
      reply <- command
      pure $ case reply of
        Left (R.Error e) | any (`S.isPrefixOf` e) ["NOGROUP", "UNBLOCKED"] -> Right Nothing
        _ -> reply

    -- Results must not pass through a script, which would copy them.
    resultOf r n = do
      (fields, there) <- quick $ do
        a <- R.hmget state ["run", "session", "batches", "records", "closed"]
        b <- R.lindex (result r n) 0
        pure ((,) <$> a <*> b)
      case fields of
        Just run : numbers
          | run == runId r, Just bytes <- there -> pure (stored numbers bytes)
          | run == runId r -> do
            -- What there is may be all that there will be.
            before <- awaited r n
            case before of
              NotYet _ -> do
                found <- wait $ do
                  now <- R.lindex (result r n) 0
                  -- From the list to itself. Redis refuses that while its memory is full.
                  later <- R.brpoplpush (result r n) (result r n) seconds
                  pure (maybe later (Right . Just) (either (const Nothing) id now))
                maybe (awaited r n) (pure . stored numbers) found
              _ -> pure before
        _ -> gone r
    stored numbers bytes
      | S.null bytes = Ended
      | otherwise = Stored (progressOf (map (maybe 0 number) numbers)) bytes
    awaited r n = do
      reply <- script r awaitScript [tasks r, result r n] [dec n]
      case reply of
        R.MultiBulk (Just (R.Integer kind : fields)) -> pure $ case kind of
          1 -> Released
          2 -> Ended
          _ -> NotYet (progressOf (integers fields))
        other -> unexpected other

    statusOf = do
      reply <- eval statusScript [] [prefix]
      case reply of
        R.MultiBulk (Just []) -> pure (statusFrom 0 [])
        R.MultiBulk (Just [R.Integer n, R.MultiBulk (Just fields)]) ->
          pure (statusFrom (fromInteger n) (pairs [b | R.Bulk (Just b) <- fields]))
        other -> unexpected other

    forgetRun expected = do
      reply <- eval forgetScript [] [prefix, maybe S.empty runId expected]
      case reply of
        R.MultiBulk (Just [R.Bulk (Just run), R.Integer a, R.Integer b]) -> do
          let results = map (result (Run run S.empty)) [fromInteger a .. fromInteger b :: Int64]
          mapM_ (quick . R.del) (chunksOf 1000 results)
        -- Something may be left of runs whose state was lost.
        _ -> when (null expected) (scan R.cursor0)
    -- A key of another run than this one. (The name of another job may begin with this one's
    -- prefix.)
    leftOver there k = case S.splitAt 32 <$> S.stripPrefix prefix k of
      Nothing -> False
      Just (run, part) ->
        Just run /= there
          && C.all isHexDigit run
          && ( part `elem` [":schemas", ":tasks", ":notes", ":space", ":aside"]
                 || maybe False (C.all isDigit) (S.stripPrefix ":result:" part)
             )
    scan cursor = do
      ((next, keys), there) <- quick $ do
        a <- R.scanOpts cursor (R.ScanOpts (Just (escaped prefix <> "*")) (Just 1000))
        -- Afterwards: a run that has just begun is there before its keys.
        b <- R.hget state "run"
        pure ((,) <$> a <*> b)
      let left = filter (leftOver there) keys
      unless (null left) (void (quick (R.del left)))
      unless (next == R.cursor0) (scan next)

    -- What may not be asked is left out.
    warnings = warningsOf <$> mapM asked infoSections <*> mapM setting configSettings
    asked section = allowed (R.infoSection section)
    setting s = (>>= lookup s) <$> allowed (R.configGet s)
    allowed :: R.Redis (Either R.Reply a) -> IO (Maybe a)
    allowed command = quick (either refused (Right . Just) <$> command)
    refused reply = case reply of
      R.Error e
        | not (starting e) ->
          Right Nothing
      _ -> Left reply
