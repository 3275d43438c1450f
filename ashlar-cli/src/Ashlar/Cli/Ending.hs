{-# LANGUAGE DerivingStrategies #-}

-- |
-- Module      : Ashlar.Cli.Ending
-- Description : Exit statuses: what is damage, and what is refused
module Ashlar.Cli.Ending
  ( Ending (..),
    exitOf,
    endingOf,
    isForeign,
    stoppedBy,
    unlessPartial,

    -- * In words
    reasonOf,
    damageText,
    lostText,
    notRecords,
    notRecordsButSchema,
  )
where

import Ashlar.Cli.Console
import Ashlar.Codec (DecodeError, summarizeError)
import Ashlar.File
import Ashlar.File.Internal.Layout (magic)
import Control.Exception (displayException, throwIO)
import qualified Data.ByteString as B
import Data.Maybe (isJust)
import qualified Data.Text as T
import System.Exit (ExitCode (..))

-- | How reading ended. The worse comes later.
data Ending
  = -- | Without damage.
    Fine
  | -- | With damage, which was reported.
    WithDamage
  | -- | Something was not read that is not damaged, which was reported.
    Refused
  deriving stock (Eq, Ord, Show)

-- | The exit status.
exitOf :: Ending -> ExitCode
exitOf end = case end of
  Fine -> ExitSuccess
  WithDamage -> ExitFailure 1
  Refused -> ExitFailure 2

-- | Is it damage, or something else that the tool cannot read? A file that was cut off or written
-- over while it was read is damaged: what was read of it is no file.
endingOf :: Damage -> Ending
endingOf damage = case damageCause damage of
  _ | isForeign damage -> Refused
  LaterVersion _ -> Refused
  WrongType _ -> Refused
  -- (A header that names none is wrong about a block that is compressed.)
  UnknownCompression name | not (B.null name) -> Refused
  -- It is whole. Its type or its compression is not known.
  AnotherFile other | isJust (otherHeader other) -> Refused
  -- The header of a block has a checksum. That of a file is read by its length.
  TooLarge _ _ | isJust (damageBlock damage) -> Refused
  _ -> WithDamage

-- | Does it begin in another way than a file of records?
isForeign :: Damage -> Bool
isForeign damage = case damageCause damage of
  NotAFile -> True
  -- (What follows a file was joined to it.)
  TruncatedHeader _ left -> damageOffset damage == 0 && left < B.length magic
  _ -> False

-- | The command ends because of this.
stoppedBy :: Damage -> IO a
stoppedBy damage = throwIO (Failure (exitOf (endingOf damage)) (damageText damage))

-- | What is wrong with the input, if anything is, ends the command, unless the part before it is
-- wanted. Given how the input ended, and what to say of it.
unlessPartial :: Handles -> Bool -> (Ending, String) -> IO ()
unlessPartial hs partial (end, message)
  | end == Fine = pure ()
  | partial = complain hs message
  | otherwise = throwIO (Failure (exitOf end) message)

-- | Why a value cannot be decoded, in one line, without what the library says to programmers.
reasonOf :: DecodeError -> String
reasonOf = T.unpack . fst . T.breakOn (T.pack "; withBudget") . T.pack . summarizeError

-- | Damage, in one line.
damageText :: Damage -> String
damageText damage = case damageCause damage of
  BadRecord e ->
    damageFile damage ++ ": at byte " ++ show (damageOffset damage)
      ++ maybe "" (\n -> " (block " ++ show n ++ ")") (damageBlock damage)
      ++ ", from record "
      ++ show (damageRecord damage)
      ++ " on: "
      ++ reasonOf e
  _ -> displayException damage

-- | Damage, and what was lost because of it.
lostText :: Lost -> String
lostText (Lost damage to next other) =
  damageText damage ++ "; " ++ case next of
    Nothing -> "nothing follows"
    Just n
      | other && n > damageRecord damage ->
        "at least " ++ records n ++ ", going on in another file at byte " ++ show to
      | other -> "perhaps records" ++ gone ++ ", going on in another file at byte " ++ show to
      | n > damageRecord damage -> records n ++ ", going on at byte " ++ show to
      | otherwise -> "no records" ++ gone ++ ", going on at byte " ++ show to
  where
    records n = count (n - damageRecord damage) "record" ++ gone
    gone = if endingOf damage == WithDamage then " lost" else " passed over"

-- | A file of records was expected.
notRecords :: FilePath -> String
notRecords path =
  path ++ ": not a file of records; say --schema FILE if it has values one after another"

-- | The same, of a file that is a schema.
notRecordsButSchema :: FilePath -> String
notRecordsButSchema path =
  path ++ ": a schema, not a file of records; ashlar schema " ++ path ++ " shows it"
