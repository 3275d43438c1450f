{-# LANGUAGE DerivingStrategies #-}

-- |
-- Module      : Tests.Run
-- Description : Running the tool in a folder of its own
module Tests.Run
  ( inFolder,
    Outcome (..),
    ashlar,
    ashlarColoured,
    withStdin,
    gives,
    printed,
    flipAt,
  )
where

import Ashlar.Cli
import Control.Concurrent.MVar (MVar, newMVar, withMVar)
import Control.Exception (bracket)
import qualified Data.ByteString as B
import qualified Data.Text as T
import qualified Data.Text.Encoding as T
import GHC.IO.Handle (hDuplicate, hDuplicateTo)
import System.Exit (ExitCode (..))
import System.FilePath ((</>))
import System.IO
import System.IO.Temp (withSystemTempDirectory)
import System.IO.Unsafe (unsafePerformIO)
import Test.Tasty.HUnit

-- | Run an action with the path of an empty folder, which is removed afterwards.
inFolder :: (FilePath -> IO a) -> IO a
inFolder = withSystemTempDirectory "ashlar-cli"

-- | What the tool has printed, and how it ended.
data Outcome = Outcome
  { outcomeCode :: ExitCode,
    outcomeOut :: String,
    outcomeErr :: String
  }
  deriving stock (Eq, Show)

-- | Run the tool. Its output lies beside the folder.
ashlar :: FilePath -> [String] -> IO Outcome
ashlar = run False

-- | The same, as on a terminal.
ashlarColoured :: FilePath -> [String] -> IO Outcome
ashlarColoured = run True

-- | Change one byte of a file.
flipAt :: FilePath -> Int -> IO ()
flipAt path i = do
  bytes <- B.readFile path
  let (before, rest) = B.splitAt i bytes
  B.writeFile path (B.concat [before, B.map (+ 1) (B.take 1 rest), B.drop 1 rest])

run :: Bool -> FilePath -> [String] -> IO Outcome
run colours folder args = do
  code <- withBinaryFile out WriteMode $ \o -> withBinaryFile err WriteMode $ \e ->
    newHandles o e colours False >>= \hs -> runCli hs args
  Outcome code <$> contents out <*> contents err
  where
    out = folder </> ".out"
    err = folder </> ".err"
    contents path = filterPath . T.unpack . T.decodeUtf8 <$> B.readFile path
    -- Paths of the folder are shown without it.
    filterPath = T.unpack . T.replace (T.pack (folder ++ "/")) T.empty . T.pack

-- | Run an action whose standard input is this. Tests in other threads wait, because the process
-- has only one.
withStdin :: Handle -> IO a -> IO a
withStdin h act = withMVar stdinInUse $ \() ->
  bracket (hDuplicate stdin) back (\_ -> hDuplicateTo h stdin >> act)
  where
    back old = hDuplicateTo old stdin >> hClose old

stdinInUse :: MVar ()
stdinInUse = unsafePerformIO (newMVar ())
{-# NOINLINE stdinInUse #-}

-- | The tool is to end with a code, and to print lines: results and messages.
gives :: HasCallStack => IO Outcome -> (Int, [String], [String]) -> Assertion
gives act (code, out, err) = do
  outcome <- act
  outcome @?= Outcome expected (unlines out) (unlines err)
  where
    expected = if code == 0 then ExitSuccess else ExitFailure code

-- | The results of a run that must be fine.
printed :: HasCallStack => IO Outcome -> IO [String]
printed act = do
  Outcome code out err <- act
  err @?= ""
  code @?= ExitSuccess
  pure (lines out)
