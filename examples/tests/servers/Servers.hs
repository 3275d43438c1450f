-- |
-- Module      : Servers
-- Description : Servers for the tests, each with a folder of its own
--
-- They listen on Unix sockets only. Each ends when its function returns or throws, and also when
-- this program is killed: a shell waits until this program's end of a pipe is closed, however that
-- happens.
module Servers
  ( withRedisServer,
    withPostgresServer,
  )
where

import Control.Concurrent (threadDelay)
import Control.Exception (IOException, bracket, try)
import Control.Monad (void)
import Data.Char (isDigit)
import qualified Data.List as List
import Network.Socket
import System.Directory (doesDirectoryExist, listDirectory)
import System.IO (hClose)
import System.IO.Temp (withSystemTempDirectory)
import System.Posix.Files (setFileMode, setOwnerAndGroup)
import System.Posix.User
import System.Process

-- | Start a Redis. The function gets the path of its socket.
withRedisServer :: (FilePath -> IO a) -> IO a
withRedisServer use = withSystemTempDirectory "redis" $ \folder -> do
  let path = folder ++ "/socket"
      options =
        ["--port", "0", "--unixsocket", path, "--save", "", "--dir", folder]
          ++ ["--enable-debug-command", "local"]
  running "TERM" (folder ++ "/log") ("redis-server" : options) $
    patiently (connects path) >> use path

-- | Start a PostgreSQL, as the user @postgres@ if this program runs as root, which it refuses. The
-- function gets the folder of the socket. There is a superuser @ashlar@, who needs no password.
withPostgresServer :: (FilePath -> IO a) -> IO a
withPostgresServer use = withSystemTempDirectory "postgres" $ \folder -> do
  user <- getEffectiveUserName
  asUser <-
    if user /= "root"
      then pure id
      else do
        entry <- getUserEntryForName "postgres"
        setOwnerAndGroup folder (userID entry) (userGroupID entry)
        setFileMode folder 0o755
        pure (["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"] ++)
  programs <- postgresPrograms
  let cluster = folder ++ "/data"
      initdb =
        ["-D", cluster, "-A", "trust", "-U", "ashlar", "-E", "UTF8", "--locale=C", "--no-sync"]
      options = ["-D", cluster, "-k", folder, "-c", "listen_addresses=", "-c", "fsync=off"]
  callQuietly folder (asUser ((programs ++ "/initdb") : initdb))
  running "INT" (folder ++ "/log") (asUser ((programs ++ "/postgres") : options)) $
    patiently (callProcess (programs ++ "/pg_isready") ["-q", "-h", folder]) >> use folder

-- The newest version.
postgresPrograms :: IO FilePath
postgresPrograms = do
  let parent = "/usr/lib/postgresql"
  there <- doesDirectoryExist parent
  versions <- if there then listDirectory parent else pure []
  case List.sortOn (negate . (read :: String -> Int)) (filter (all isDigit) versions) of
    newest : _ -> pure (parent ++ "/" ++ newest ++ "/bin")
    [] -> fail "there is no PostgreSQL in /usr/lib/postgresql"

callQuietly :: FilePath -> [String] -> IO ()
callQuietly folder arguments = case arguments of
  program : rest -> void (readCreateProcess (proc program rest) {cwd = Just folder} "")
  [] -> pure ()

-- Run a server during an action. Its output goes to a file.
running :: String -> FilePath -> [String] -> IO a -> IO a
running signal logFile arguments act = bracket start stop (const act)
  where
    script =
      "log=$1; shift; \"$@\" >\"$log\" 2>&1 </dev/null & server=$!; read -r _; kill -"
        ++ signal
        ++ " $server; wait $server"
    start =
      createProcess
        (proc "sh" (["-c", script, "sh", logFile] ++ arguments))
          { std_in = CreatePipe,
            close_fds = True,
            new_session = True
          }
    stop (input, _, _, sh) = mapM_ hClose input >> void (waitForProcess sh)

-- Try until it works: for 20 seconds.
patiently :: IO () -> IO ()
patiently act = go (1000 :: Int)
  where
    go left = do
      r <- try act
      case r :: Either IOException () of
        Right () -> pure ()
        Left e
          | left == 0 -> ioError e
          | otherwise -> threadDelay 20000 >> go (left - 1)

connects :: FilePath -> IO ()
connects path =
  bracket (socket AF_UNIX Stream defaultProtocol) close (`connect` SockAddrUnix path)
