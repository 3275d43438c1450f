-- |
-- Module      : Ashlar.Cli
-- Description : The tool ashlar
--
-- @ashlar@ shows, checks, compares, copies and mends files of records ("Ashlar.File"), without the
-- program that wrote them, and files of values one after another, given their schema. It makes such
-- files of those of binary, cereal and store.
--
-- It is safe on untrusted files: memory is bounded by the size of a block, which is limited, and
-- nothing that is shown can steer a terminal.
module Ashlar.Cli
  ( runCli,
    Handles (..),
    standardHandles,
    commandNames,
  )
where

import Ashlar.Cli.Console hiding (Failure (..))
import qualified Ashlar.Cli.Console as Console
import Ashlar.Cli.Convert (convert)
import Ashlar.Cli.Copier (Target (..))
import Ashlar.Cli.Copy
import Ashlar.Cli.Input
import Ashlar.Cli.Options
import Ashlar.Cli.Schemas
import Ashlar.Cli.Show
import Ashlar.Cli.Split
import Ashlar.Cli.Stat
import Ashlar.Cli.Verify
import Ashlar.File (FileLocked)
import Control.Exception (IOException, catch, displayException, handleJust, throwIO)
import GHC.IO.Exception (IOErrorType (ResourceVanished), IOException (ioe_type))
import Options.Applicative
  ( ParserResult (..),
    defaultPrefs,
    execCompletion,
    execParserPure,
    renderFailure,
  )
import System.Exit (ExitCode (..))
import System.IO (hFlush)

-- | Run the tool: 0 if all is well, 1 if something is damaged or different, 2 if the command is
-- wrong, or a file cannot be opened or written. If nobody reads the output any more, it ends
-- with 0.
--
-- @since 0.1.0.0
runCli ::
  Handles ->
  -- | The arguments, without the name of the program.
  [String] ->
  IO ExitCode
runCli hs args = ending (flushed act)
  where
    act = case execParserPure defaultPrefs commandLine args of
      Success command -> perform hs command
      CompletionInvoked completion -> do
        execCompletion completion "ashlar" >>= putText (handleOut hs)
        pure ExitSuccess
      Failure failure -> case renderFailure failure "ashlar" of
        (text, ExitSuccess) -> ExitSuccess <$ putText (handleOut hs) (text ++ "\n")
        (text, _) -> ExitFailure 2 <$ putText (handleErr hs) (text ++ "\n")
    flushed run = run <* hFlush (handleOut hs)
    ending run = handleJust vanished pure (reported hs run)
    vanished e = if ioe_type e == ResourceVanished then Just ExitSuccess else Nothing

-- What stops a command is a message and a code, but for an output that nobody reads any more.
reported :: Handles -> IO ExitCode -> IO ExitCode
reported hs run =
  run
    `catch` (\(Console.Failure code message) -> code <$ complain hs message)
    `catch` (\e -> ExitFailure 2 <$ complain hs (displayException (e :: FileLocked)))
    `catch` system
  where
    system :: IOException -> IO ExitCode
    system e
      | ioe_type e == ResourceVanished = throwIO e
      | otherwise = ExitFailure 2 <$ complain hs (displayException e)

perform :: Handles -> Command -> IO ExitCode
perform hs command = case command of
  SchemaCommand style path -> showSchema hs style path
  ShowCommand style selection schema path -> inputOf schema path >>= showValues hs style selection
  QueryCommand style selection schema path steps ->
    inputOf schema path >>= inFile >>= queryValues hs style selection steps
  VerifyCommand selection schema paths -> do
    given <- mapM loadSchema schema
    maximum <$> mapM (reported hs . verifyFile selection given) paths
  DiffCommand old new -> diffFiles hs old new
  CatCommand selection force mixed schema out paths -> case schema of
    Nothing -> catFiles selection (Target out force) mixed paths
    Just s -> loadSchema s >>= \s' -> catValues hs selection (Target out force) s' paths
  ConvertCommand selection force partial old schema out path -> do
    given <- loadSchema schema
    convert hs selection (Target out force) partial old given path
  RepairCommand selection force schema out path -> do
    given <- mapM loadSchema schema
    repair hs selection (Target out force) given path
  SplitCommand selection force by prefix path -> splitFile hs selection force by prefix path
  StatCommand selection schema path
    | isStandardInput path -> Console.failed "stat does not read the standard input"
    | otherwise -> inputOf schema path >>= stat hs selection
  where
    inFile input = case input of
      RecordFile path
        | isStandardInput path ->
          Console.failed "only show reads records from the standard input; save them to a file"
      _ -> pure input
    verifyFile selection given path =
      maybe (inputOf Nothing path >>= inFile) (pure . BareFile path) given >>= verify hs selection
