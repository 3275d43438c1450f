{-# LANGUAGE DerivingStrategies #-}

-- |
-- Module      : Options
-- Description : The command line
module Options
  ( Options (..),
    Command (..),
    Work (..),
    parseOptions,
  )
where

import Ashlar.Jobs.Engine.Redis
import Data.Int (Int64)
import Data.Text (Text)
import qualified Data.Text as T
import qualified Data.Text.Encoding as T
import qualified Database.Redis as R
import Options.Applicative

data Options = Options
  { optionRedis :: RedisOptions,
    optionJob :: Text,
    optionRounds :: Int,
    optionCommand :: Command
  }

data Command
  = -- | Submit this number of records.
    Submit Int64
  | -- | Work.
    DoWork Work
  | -- | Show progress, collect, and compare with one process: the number of records.
    Watch Int64
  | -- | Measure with this number of records.
    Measure Int64
  | -- | Delete the job.
    Forget

-- | How a worker works.
data Work = Work
  { workName :: Maybe Text,
    -- | After how many milliseconds a dead worker's batch is taken.
    workIdleTime :: Int,
    -- | What is measured: by this word.
    workKind :: Maybe String
  }
  deriving stock (Eq, Show)

parseOptions :: IO Options
parseOptions =
  customExecParser (prefs showHelpOnEmpty) $
    info
      (options <**> helper)
      (fullDesc <> progDesc "Apply a function to many records, on many machines, over Redis.")

options :: Parser Options
options = Options <$> redis <*> jobOption <*> rounds <*> commands
  where
    redis = connecting <$> host <*> port <*> optional socket <*> optional password
    connecting h p s secret =
      defaultRedisOptions
        { redisConnect =
            R.defaultConnectInfo
              { R.connectHost = h,
                R.connectPort = maybe (R.PortNumber (fromInteger p)) R.UnixSocket s,
                R.connectAuth = T.encodeUtf8 . T.pack <$> secret
              }
        }
    host = strOption (named "host" "HOST" "host of Redis" <> byDefault "localhost")
    port = option auto (named "port" "PORT" "its port" <> byDefault 6379)
    socket = strOption (named "socket" "PATH" "its Unix socket, in place of host and port")
    password = strOption (named "password" "PASSWORD" "its password")
    jobOption = T.pack <$> strOption (named "job" "NAME" "the name of the job" <> byDefault "demo")
    rounds = option auto (named "rounds" "N" "work for each record" <> byDefault 200)
    named l m h = long l <> metavar m <> help h

commands :: Parser Command
commands =
  hsubparser $
    sub "submit" "submit records; if it was stopped, it continues" (Submit <$> count)
      <> sub "work" "apply the function until the job is done" (DoWork <$> work)
      <> sub "watch" "collect, show progress, and compare with one process" (Watch <$> count)
      <> sub "measure" "measure the throughput, and that of the engine alone" (Measure <$> count)
      <> sub "forget" "delete the job" (pure Forget)
  where
    sub word description p = command word (info p (progDesc description))
    count = argument auto (metavar "RECORDS" <> byDefault 1000000)
    work = Work <$> optional name <*> idle <*> optional kind
    name = strOption (long "name" <> metavar "NAME" <> help "the name of this worker")
    idle = option auto (long "idle" <> metavar "MS" <> byDefault 30000 <> help "time to a claim")
    kind = strOption (long "kind" <> internal)

byDefault :: (HasValue f, Show a) => a -> Mod f a
byDefault x = value x <> showDefault
