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
    Handles,
    newHandles,
    handleFlush,
    standardHandles,
    commandNames,
  )
where

import Ashlar.Cli.Console hiding (Failure (..))
import qualified Ashlar.Cli.Console as Console
import Ashlar.Cli.Convert (convert)
import Ashlar.Cli.Copy
import Ashlar.Cli.Export (exportText)
import Ashlar.Cli.Files
import Ashlar.Cli.Import (importText)
import Ashlar.Cli.Input
import Ashlar.Cli.Load
import Ashlar.Cli.Options
import Ashlar.Cli.Schemas
import Ashlar.Cli.Show
import Ashlar.Cli.Split
import Ashlar.Cli.Stat
import Ashlar.Cli.Verify
import Control.Exception
  ( Handler (..),
    SomeAsyncException,
    SomeException (..),
    catches,
    displayException,
    throwIO,
  )
import Data.Maybe (maybeToList)
import Options.Applicative
  ( ParserResult (..),
    execCompletion,
    execParserPure,
    prefs,
    renderFailure,
    showHelpOnEmpty,
  )
import System.Exit (ExitCode (..))

-- | Run the tool. The exit status is
--
-- * 0 if all is well,
-- * 1 if something is damaged or different,
-- * 2 if the command is wrong, or if something cannot be opened, read as it was asked for, or
--   written. Results that cannot be written are among that, however short they are.
--
-- If nobody reads the results any more, as in @ashlar show orders | head@, a command that only
-- shows values ends there, with 0 if nothing was wrong until then. Any other goes on, and its
-- status is the same as if somebody did.
runCli ::
  Handles ->
  -- | The arguments, without the name of the program.
  [String] ->
  IO ExitCode
runCli hs args = ending hs . reported hs $
  case execParserPure (prefs showHelpOnEmpty) commandLine args of
    Success command -> perform hs command
    CompletionInvoked completion -> do
      execCompletion completion "ashlar" >>= putText hs
      pure ExitSuccess
    Failure failure -> case renderFailure failure "ashlar" of
      (text, ExitSuccess) -> ExitSuccess <$ putText hs (text ++ "\n")
      (text, _) -> ExitFailure 2 <$ usage hs text

-- What stops a command is a message and a status.
reported :: Handles -> IO ExitCode -> IO ExitCode
reported hs run =
  run
    `catches` [ Handler (\(Console.Failure code message) -> code <$ complain hs message),
                Handler (\e -> throwIO (e :: ResultsLost)),
                Handler (\code -> pure (code :: ExitCode)),
                Handler (\e -> throwIO (e :: SomeAsyncException)),
                -- (Shown without the backtrace that GHC 9.10 adds.)
                Handler (\(SomeException e) -> ExitFailure 2 <$ complain hs (displayException e))
              ]

perform :: Handles -> Command -> IO ExitCode
perform hs command = case command of
  SchemaCommand style path -> showSchema hs style path
  ShowCommand style selection schema path ->
    inputOf schema path >>= showValues (stopping hs) style selection
  QueryCommand style selection schema path steps ->
    inputOf schema path >>= queryValues (stopping hs) style selection steps
  VerifyCommand selection schema paths -> do
    readOnce (maybeToList schema ++ paths)
    given <- mapM loadSchema schema
    maximum <$> mapM (reported hs . verifyFile selection given) paths
  DiffCommand old new -> diffFiles hs old new
  CatCommand selection force mixed schema out paths -> do
    readOnce (maybeToList schema ++ paths)
    case schema of
      Nothing -> catFiles hs selection (Target out force hs) mixed paths
      Just s -> loadSchema s >>= \s' -> catValues hs selection (Target out force hs) s' paths
  ConvertCommand selection force partial from schema out path -> do
    readOnce (maybeToList schema ++ [path])
    given <- maybe (throwIO noSchema) loadSchema schema
    says <- besides out
    let target = Target out force hs
    case from of
      FromOld old -> convert says selection target partial old given path
      FromText text -> importText says selection target partial text given path
      FromCsvList -> failed "csv knows no --list: a file is one table"
  ExportCommand selection force text schema out path -> do
    says <- besides out
    inputOf schema path >>= exportText says selection (Target out force hs) text
  RepairCommand selection force schema out path -> do
    given <- mapM loadSchema schema
    says <- besides out
    repair says selection (Target out force hs) given path
  SplitCommand selection force by prefix path -> splitFile hs selection force by prefix path
  StatCommand selection schema path -> inputOf schema path >>= stat hs selection
  where
    verifyFile selection given path =
      maybe (inputOf Nothing path) (pure . BareFile path) given >>= verify hs selection
    noSchema =
      Console.Failure (ExitFailure 2) "convert --from needs the type of the values: --schema"
    -- Where a command says what it has written.
    besides out = if isStandard out then toMessages hs else pure hs
