{-# LANGUAGE DerivingStrategies #-}
{-# LANGUAGE TypeApplications #-}

-- |
-- Module      : Tests.Child
-- Description : The executable itself, as a child of a shell
module Tests.Child
  ( Child (..),
    shell,
    unread,
    statusOf,
    samples,
  )
where

import Ashlar.Codec (encode)
import Ashlar.File hiding (Outcome)
import Ashlar.File.Described
import Ashlar.Schema (schema)
import Control.Exception (bracket)
import qualified Data.Binary as Binary
import qualified Data.ByteString as B
import qualified Data.ByteString.Lazy as L
import Data.Int (Int64)
import qualified Data.Text as T
import qualified Data.Text.Encoding as T
import System.Directory (createDirectory, doesFileExist)
import System.Environment (getEnvironment, getExecutablePath)
import System.Exit (ExitCode (..))
import System.FilePath (takeDirectory, (</>))
import System.IO
import System.Posix.IO (closeFd, createPipe, fdToHandle)
import System.Process hiding (createPipe, shell)
import Tests.Types

-- | How a child ended, and what it has printed.
data Child = Child
  { childStatus :: Int,
    childOut :: B.ByteString,
    childErr :: String
  }
  deriving stock (Eq, Show)

-- | Run a script in a folder. The first word @ashlar@ of a command is the executable.
shell :: FilePath -> String -> IO Child
shell folder script =
  withBinaryFile (folder </> ".err") WriteMode $ \err ->
    withBinaryFile (folder </> ".out") WriteMode $ \out -> do
      command <- scriptIn folder script
      code <- runIn command {std_out = UseHandle out, std_err = UseHandle err}
      ended folder code

-- | Run a script whose standard output is a pipe that nobody reads.
unread :: FilePath -> String -> IO Child
unread folder script = do
  B.writeFile (folder </> ".out") B.empty
  (readEnd, writeEnd) <- createPipe
  closeFd readEnd
  withBinaryFile (folder </> ".err") WriteMode $ \err ->
    bracket (fdToHandle writeEnd) hClose $ \out -> do
      command <- scriptIn folder script
      code <- runIn command {std_out = UseHandle out, std_err = UseHandle err}
      ended folder code

runIn :: CreateProcess -> IO ExitCode
runIn command = withCreateProcess command (\_ _ _ process -> waitForProcess process)

ended :: FilePath -> ExitCode -> IO Child
ended folder code = do
  out <- B.readFile (folder </> ".out")
  err <- T.unpack . T.decodeUtf8 <$> B.readFile (folder </> ".err")
  pure (Child (statusOf code) out err)

-- | An exit status as a number.
statusOf :: ExitCode -> Int
statusOf code = case code of
  ExitSuccess -> 0
  ExitFailure n -> n

scriptIn :: FilePath -> String -> IO CreateProcess
scriptIn folder script = do
  tool <- executable
  variables <- filter ((`notElem` ["TOOL", "TMPDIR"]) . fst) <$> getEnvironment
  pure
    (proc "sh" ["-c", "ashlar() { command \"$TOOL\" \"$@\"; }\n" ++ script])
      { cwd = Just folder,
        env = Just (("TOOL", tool) : ("TMPDIR", folder </> "tmp") : variables),
        close_fds = True
      }

-- It is built with this suite, and lies beside it: the first of .../x/ashlar/build/ashlar/ashlar
-- and .../t/spec/build/spec/spec. If not, cabal has put it into the path.
executable :: IO FilePath
executable = do
  this <- getExecutablePath
  let package = iterate takeDirectory this !! 5
      beside = package </> "x" </> "ashlar" </> "build" </> "ashlar" </> "ashlar"
  there <- doesFileExist beside
  pure (if there then beside else "ashlar")

-- | Files for children: an empty one, a good one, a long one whose values take more than any
-- buffer, a damaged
-- one, one with a record of 100,000 bytes, one of another type, and values one after another with
-- their schemas.
samples :: FilePath -> IO ()
samples folder = do
  mapM_ (createDirectory . (folder </>)) ["tmp", "directory"]
  B.writeFile (file "empty") B.empty
  writeRecords described (file "good") orders
  writeRecords described (file "long") [0 .. 50000 :: Int64]
  withWriter defaultWriteOptions {writeBlockSize = 64} described (file "damaged") $ \w ->
    writeMany w [1 .. 98 :: Int64]
  flipped (file "damaged") 300
  writeRecords described (file "long.damaged") [0 .. 200000 :: Int64]
  flipped (file "long.damaged") 300
  writeRecords described (file "big") [large]
  writeRecords described (file "numbers") [1 .. 5 :: Int64]
  joined "joined" ["good", "good"]
  joined "long.joined" ["long", "long"]
  joined "joined.types" ["good", "long", "good"]
  joined "joined.damaged" ["numbers", "damaged", "numbers"]
  -- The file that follows has another version of the format, or an unknown compression.
  good <- B.readFile (file "good")
  B.writeFile (file "joined.later") (good <> B.take 8 good <> B.pack [9] <> B.drop 9 good)
  let unknown = Compression (T.encodeUtf8 (T.pack "unknown")) (B.take 10) (\_ _ -> Left "")
      options = defaultWriteOptions {writeCompression = Just unknown}
  withWriter options described (file "unknown") $ \w ->
    writeMany w (replicate 100 (head orders))
  joined "joined.unknown" ["good", "unknown"]
  -- The file that follows ends in its header.
  B.writeFile (file "joined.cut") (good <> B.take 6 good)
  B.writeFile (file "order.schema") (encode (schema @Order))
  B.writeFile (file "text.schema") (encode (schema @T.Text))
  B.writeFile (file "values") (B.concat (map encode orders))
  B.writeFile (file "values.damaged") (B.concat (map encode orders) <> B.singleton 1)
  B.writeFile (file "values.big") (encode large)
  -- A length that the file does not have.
  B.writeFile (file "values.short") (B.take 1000 (encode large))
  L.writeFile (file "old") (foldMap Binary.encode [1 .. 20 :: Int64])
  L.writeFile (file "old.big") (Binary.encode large)
  L.writeFile (file "old.damaged") (foldMap Binary.encode [1 .. 20 :: Int64] <> L.pack [1])
  B.writeFile (file "number.schema") (encode (schema @Int64))
  where
    file = (folder </>)
    joined to parts = mapM (B.readFile . file) parts >>= B.writeFile (file to) . B.concat
    large = T.replicate 100000 (T.pack "x")
    flipped path i = do
      (before, rest) <- B.splitAt i <$> B.readFile path
      B.writeFile path (before <> B.map (+ 1) (B.take 1 rest) <> B.drop 1 rest)
