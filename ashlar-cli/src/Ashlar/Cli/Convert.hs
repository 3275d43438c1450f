-- |
-- Module      : Ashlar.Cli.Convert
-- Description : convert
module Ashlar.Cli.Convert
  ( Old (..),
    convert,
  )
where

import Ashlar.Builder (byteString, toStrictByteString)
import Ashlar.Cli.Console
import Ashlar.Cli.Copy (Encoded (..), writingValues)
import Ashlar.Cli.Ending
import Ashlar.Cli.Files
import Ashlar.Cli.Input
import Ashlar.Codec (summarizeError)
import Ashlar.File (RecordTooLarge, write)
import Ashlar.Get
  ( Budget (..),
    Folded (..),
    Source,
    attemptFrom,
    bytesRead,
    defaultBudget,
    foldFromUntil,
    runGet,
  )
import Ashlar.Schema (Schema, putValue)
import Ashlar.Schema.Compat
import Control.Exception (catch, displayException)
import Control.Monad (replicateM_, when)
import qualified Data.ByteString as B
import Data.Int (Int64)
import qualified Data.Text as T
import System.Exit (ExitCode (..))

-- | How a file was written.
data Old = Old
  { -- | By which library.
    oldFormat :: Format,
    -- | Is it one list?
    oldIsList :: Bool
  }

-- | Turn a file of another library into one of records. If it is damaged there is no new file,
-- unless part of it is wanted.
convert ::
  Handles ->
  -- | The most bytes of a value.
  Selection ->
  Target ->
  -- | Are the values before damage wanted?
  Bool ->
  Old ->
  Schema ->
  FilePath ->
  IO ExitCode
convert hs selection target partial old schema path = case getValueOf (oldFormat old) schema of
  Left found -> do
    mapM_ (complain hs . T.unpack . describeUnreadable) found
    pure (ExitFailure 2)
  Right g -> making target [path] $ \out -> do
    (done, found) <- withValues hs "is a file of records already" path $ \values -> do
      let source = valuesSource values
      announced <- if oldIsList old then Just <$> announcedIn source else pure Nothing
      let isWhole done = Just (doneRecords done) == fmap fst announced
      folded <- writingValues selection schema out $ \w -> do
        let one done (value, end)
              | isWhole done = pure (Left done)
              | otherwise = do
                write w (Encoded (putValue value)) `catch` tooLarge done
                pure (Right (Done (doneRecords done + 1) end))
        start <- case (announced, runGet g B.empty) of
          -- Values that take no bytes. There are none of them after the end of the input. Together,
          -- they have one budget.
          (Just (n, end), Right value) -> do
            let bytes = toStrictByteString (putValue value)
            when (n > mostEmpty) $ tooMany n (", where " ++ show mostEmpty ++ " are allowed")
            either (\e -> tooMany n (": " ++ summarizeError e)) pure $
              runGet (replicateM_ (fromIntegral n) g) B.empty
            Done n end <$ replicateM_ (fromIntegral n) (write w (Encoded (byteString bytes)))
          _ -> pure (Done 0 (maybe 0 snd announced))
        foldFromUntil source (within selection ((,) <$> g <*> bytesRead)) one start
      case folded of
        FoldEnded _ d -> pure (d, maybe fine (missing d . fst) announced)
        FoldStopped _ d -> pure (d, surplus d)
        FoldFailed at d e
          | isWhole d -> pure (d, surplus d)
          | otherwise ->
            (,) d . maybeList d <$> brokenValue selection values path (doneRecords d) at e
    unlessPartial hs partial found
    say hs $
      path ++ ": " ++ count (doneRecords done) "record" ++ " from " ++ count (doneBytes done) "byte"
    pure (exitOf (fst found))
  where
    fine = (Fine, "")
    -- With the offset after it.
    announcedIn :: Source -> IO (Int64, Int64)
    announcedIn source = do
      found <- attemptFrom source ((,) <$> getLengthOf (oldFormat old) <*> bytesRead)
      case found of
        Left e ->
          damaged (path ++ ": the length of the list cannot be decoded: " ++ summarizeError e)
        Right (n, end) -> pure (fromIntegral n, end)
    -- If a list is read as single values, its length is taken for a part of the first. So that one
    -- fails as a rule, or the next.
    maybeList done found = case found of
      (WithDamage, text)
        | doneRecords done < 2 && not (oldIsList old) ->
          (WithDamage, text ++ "; say --list if the file is one list")
      _ -> found
    missing done n
      | n == doneRecords done = fine
      | otherwise =
        (,) WithDamage $
          path ++ ": a list of " ++ count n "value" ++ " ends after " ++ show (doneRecords done)
    -- As in a list that is a part of a value.
    mostEmpty = fromIntegral (budgetSteps defaultBudget)
    tooMany :: Int64 -> String -> IO ()
    tooMany n why =
      damaged (path ++ ": a list of " ++ count n "value" ++ " of no bytes" ++ why)
    surplus done =
      (,) WithDamage $
        path ++ ": bytes after the list of " ++ count (doneRecords done) "value" ++ ", from byte "
          ++ show (doneBytes done)
          ++ " on"
    tooLarge :: Done -> RecordTooLarge -> IO ()
    tooLarge done e =
      failed (path ++ ": value " ++ show (doneRecords done) ++ ": " ++ displayException e)

-- What has been converted: how many values, and where they end.
data Done = Done {doneRecords :: !Int64, doneBytes :: !Int64}
