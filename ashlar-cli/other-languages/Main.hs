{-# LANGUAGE OverloadedStrings #-}

-- |
-- Module      : Main
-- Description : Files that programs in other languages read and write
--
-- Records of random schemas. The programs are those of the folders @python@ and @js@.
module Main (main) where

import Ashlar.Builder (toStrictByteString)
import Ashlar.Cli (newHandles, runCli)
import Ashlar.Codec (encode)
import Ashlar.File
import Ashlar.Get (runGetWhole)
import Ashlar.Schema hiding (Record)
import Ashlar.Zlib.File (zlibBlocks)
import Control.Monad (forM, forM_)
import qualified Data.ByteString as B
import qualified Data.ByteString.Char8 as C
import Data.List (isInfixOf)
import Records
import System.Environment (getEnvironment)
import System.Exit (ExitCode (..))
import System.FilePath ((<.>), (</>))
import System.IO (IOMode (..), withBinaryFile)
import System.IO.Temp (withSystemTempDirectory)
import System.Process
import Test.Tasty
import Test.Tasty.QuickCheck
import Tests.Generate

main :: IO ()
main =
  defaultMain $
    testGroup
      "other languages"
      [ ofLanguage "python" python,
        ofLanguage "javascript" javascript,
        testProperty "Avro's library reads what convert writes" (few readsAvro)
      ]
  where
    ofLanguage name language =
      testGroup
        name
        [ testProperty "shows what was written" (few (showsAll language)),
          testProperty "writes what it has read" (few (copies language))
        ]
    few = withMaxSuccess 3

-- | How to run the programs of a language.
data Language = Language
  { languageEnvironment :: [(String, String)],
    -- | The tool.
    languageTool :: (FilePath, [String]),
    -- | A program that is given files, schemas and the names of copies, in threes.
    languageCopy :: (FilePath, [String])
  }

python :: Language
python =
  Language
    [("PYTHONPATH", ".." </> "python" </> "src")]
    ("python3", ["-m", "ashlar"])
    ("python3", ["other-languages" </> "copy_records.py"])

-- (Its modules are compiled: npm run build.)
javascript :: Language
javascript =
  Language
    []
    ("node", [".." </> "js" </> "dist" </> "cli.js"])
    ("node", ["other-languages" </> "copy_records.mjs"])

-- | A file: its schema, the bytes of its records, and how it was written.
data File = File Schema [B.ByteString] WriteOptions

-- | The files that a test needs, so that a program starts seldom.
someFiles :: Gen [File]
someFiles = vectorOf 8 one
  where
    one = do
      s <- genSchema
      case genValue s of
        Nothing -> one
        Just values -> do
          n <- choose (0, 30)
          found <- vectorOf n values
          size <- elements [1, 100, 32768]
          index <- arbitrary
          compressed <- arbitrary
          pure . File s (map (toStrictByteString . putValue) found) $
            defaultWriteOptions
              { writeBlockSize = size,
                writeIndex = index,
                writeCompression = if compressed then Just (zlibBlocks 6) else Nothing
              }

-- | The lines of JSON of the records.
linesOf :: File -> B.ByteString
linesOf (File s records _) =
  B.concat [either (error . show) id (runGetWhole (getJsonLine s) r) | r <- records]

-- | The tool shows the same JSON.
showsAll :: Language -> Property
showsAll language = forAllBlind someFiles $ \files -> ioProperty . withWritten files $ \paths ->
  fmap conjoin . forM (zip files paths) $ \(file@(File s _ _), (path, _)) -> do
    let (program, arguments) = languageTool language
    (code, out, err) <- run language program (arguments ++ ["show", "--json", path])
    pure . counterexample (show s) . counterexample err $
      (code, C.lines out) === (ExitSuccess, C.lines (linesOf file))

-- | Files that are written by a program have the same records.
copies :: Language -> Property
copies language = forAllBlind someFiles $ \files -> ioProperty . withWritten files $ \paths -> do
  let (program, arguments) = languageCopy language
      threes = concat [[path, schemaPath, path <.> "copy"] | (path, schemaPath) <- paths]
  (code, out, err) <- run language program (arguments ++ threes)
  same <- forM (zip files paths) $ \(File s records _, (path, _)) ->
    if code == ExitSuccess
      then do
        found <- readBack s (path <.> "copy")
        pure (counterexample (show s) (found === Right records))
      else pure (property True)
  pure (counterexample err (conjoin (((code, out) === (ExitSuccess, "")) : same)))

-- | The values in Avro are those in JSON. (The interpreter is the one that Debian has Avro for.)
readsAvro :: Property
readsAvro = forAllBlind someFiles $ \files -> ioProperty . withWritten files $ \paths -> do
  results <- forM paths $ \(path, _) -> do
    json <- convert path "json"
    avro <- convert path "avro"
    pure (avro, [path <.> "json", path <.> "avro"] <$ json)
  let pairs = concat [names | (Right (), Right names) <- results]
  (code, out, err) <- run python "/usr/bin/python3" (("other-languages" </> "same_avro.py") : pairs)
  pure . counterexample err $
    (code, out) === (ExitSuccess, "")
      .&&. conjoin [counterexample why (refusal why) | (Left why, _) <- results]
  where
    convert path form = withSystemTempDirectory "other-languages" $ \folder -> do
      let err = folder </> "err"
          command = ["convert", "--to", form, "-o", path <.> form, path]
      code <- withBinaryFile err WriteMode $ \e ->
        newHandles e e False False >>= \hs -> runCli hs command
      if code == ExitSuccess then pure (Right ()) else Left <$> readFile err
    -- What Avro cannot say.
    refusal why = any (`isInfixOf` why) ["is not described", "is no date of Avro"]

-- | Write files, and their schemas beside them, and run an action with the paths of both.
withWritten :: [File] -> ([(FilePath, FilePath)] -> IO a) -> IO a
withWritten files act = withSystemTempDirectory "other-languages" $ \folder -> do
  let paths = [(path, path <.> "schema") | i <- [1 .. length files], path <- [folder </> show i]]
  forM_ (zip files paths) $ \(File s records options, (path, schemaPath)) -> do
    B.writeFile schemaPath (encode s)
    withWriter options (recordsBy s) path (\w -> mapM_ (write w . Record) records)
  act paths

-- | Run a program. Returns what it has printed, to both outputs.
run :: Language -> FilePath -> [String] -> IO (ExitCode, B.ByteString, String)
run language program arguments = withSystemTempDirectory "other-languages" $ \folder -> do
  inherited <- getEnvironment
  let set = languageEnvironment language
      environment = set ++ [v | v@(name, _) <- inherited, name `notElem` map fst set]
      out = folder </> "out"
      err = folder </> "err"
  code <- withBinaryFile out WriteMode $ \o -> withBinaryFile err WriteMode $ \e -> do
    let process =
          (proc program arguments)
            { env = Just environment,
              std_out = UseHandle o,
              std_err = UseHandle e
            }
    withCreateProcess process (\_ _ _ handle -> waitForProcess handle)
  (,,) code <$> B.readFile out <*> (C.unpack <$> B.readFile err)
