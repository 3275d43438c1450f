{-# LANGUAGE DerivingStrategies #-}

-- |
-- Module      : Ashlar.File.Internal.Damage
-- Description : What may be wrong with a file
module Ashlar.File.Internal.Damage
  ( Damage (..),
    Cause (..),
    causeText,
    OtherFile (..),
    Lost (..),
  )
where

import Ashlar.Codec (DecodeError)
import Ashlar.File.Internal.Layout (FileHeader)
import Control.Exception (Exception (..))
import Data.ByteString (ByteString)
import qualified Data.ByteString as S
import Data.Int (Int64)
import Data.Word (Word16)

-- | What is wrong with a file, and where.
data Damage = Damage
  { -- | The file, or a name for its source.
    damageFile :: !FilePath,
    -- | Where it is: the offset of the header or block. If files were joined, all offsets and
    -- numbers count from the beginning of the first one.
    damageOffset :: !Int64,
    -- | The number of the block, counted from 0 where reading began. 'Nothing' for the header of
    -- the file, and where a block was looked up by the number of a record.
    damageBlock :: !(Maybe Int64),
    -- | The number of the first record that is missing because of it.
    damageRecord :: !Int64,
    -- | What is wrong.
    damageCause :: !Cause
  }
  deriving stock (Eq, Show)

-- | What is wrong with a header or a block.
data Cause
  = -- | It does not begin like a file of records.
    NotAFile
  | -- | A later version of this package wrote it: the version of the format.
    LaterVersion !Word16
  | -- | The file ends in its header: how many bytes that has at least, and how many there are.
    TruncatedHeader !Int !Int
  | -- | The checksum of the header is wrong, or lengths in it do not fit.
    WrongHeader
  | -- | The records cannot be read as values of this type: why.
    WrongType String
  | -- | The function of a compression with this name was not given.
    UnknownCompression !ByteString
  | -- | No block begins where one should.
    NotABlock
  | -- | Another file begins here, and cannot be read as a continuation of this one.
    AnotherFile !OtherFile
  | -- | The file was cut off or written over while it was read.
    Replaced
  | -- | The checksum of the block's header is wrong, or numbers in it do not fit.
    WrongBlockHeader
  | -- | The file ends in this block, as it does after the writer was killed, or while it is
    -- writing: how many bytes it has at least, and how many there are.
    Truncated !Int !Int
  | -- | The checksum of the body is wrong.
    WrongChecksum
  | -- | The body is larger than the reader allows: its bytes, and the limit.
    TooLarge !Int !Int
  | -- | The body could not be expanded: why.
    WrongExpansion String
  | -- | The block begins with this record, and not with the one that comes next. Either the
    -- records have been read before, or blocks are missing before it.
    WrongNumber !Int64
  | -- | The block says that it has another number of records than it can have.
    WrongCount
  | -- | The schema of its records is lost.
    UnknownSchema
  | -- | A record could not be decoded. The offset of the error counts from the beginning of the
    -- block's body.
    BadRecord DecodeError
  deriving stock (Eq, Show)

-- | A whole file that follows another one.
data OtherFile = OtherFile
  { -- | Its header, which has the fingerprint and the schema of its records. 'Nothing' if the
    -- header is damaged.
    otherHeader :: !(Maybe FileHeader),
    -- | How many records it has, with those that are damaged.
    otherRecords :: !Int64,
    -- | Why these are not read.
    otherReason :: String
  }
  deriving stock (Eq, Show)

instance Exception Damage where
  displayException d =
    damageFile d ++ ": at byte " ++ show (damageOffset d) ++ block ++ ", from record "
      ++ show (damageRecord d)
      ++ " on: "
      ++ causeText (damageCause d)
    where
      block = maybe "" (\n -> " (block " ++ show n ++ ")") (damageBlock d)

-- | A cause in words.
causeText :: Cause -> String
causeText cause = case cause of
  NotAFile -> "not a file of records"
  LaterVersion v -> "version " ++ show v ++ " of the format, which is not known"
  TruncatedHeader needed left -> "the file ends in its header" ++ missing needed left
  WrongHeader -> "the header of the file is damaged"
  WrongType why -> "another type: " ++ why
  UnknownCompression name ->
    "compressed by " ++ show (S.take 100 name) ++ ", for which no function was given"
  NotABlock -> "no block begins here"
  AnotherFile other ->
    "another file begins here, which has " ++ show (otherRecords other)
      ++ (if otherRecords other == 1 then " record" else " records")
      ++ ": "
      ++ otherReason other
  Replaced -> "the file was cut off or written over while it was read"
  WrongBlockHeader -> "the header of the block is damaged"
  Truncated needed left -> "the file ends in this block" ++ missing needed left
  WrongChecksum -> "wrong checksum"
  TooLarge size limit ->
    "a block of " ++ show size ++ " bytes, where " ++ show limit ++ " are allowed"
  WrongExpansion why -> "the block cannot be expanded: " ++ why
  WrongNumber n -> "the block begins with record " ++ show n
  WrongCount -> "wrong number of records in the block"
  UnknownSchema -> "the schema of the records is lost"
  BadRecord e -> displayException e
  where
    missing needed left = ": " ++ show needed ++ " bytes needed, " ++ show left ++ " left"

-- | What was passed over because of damage.
data Lost = Lost
  { -- | Why. Its offset is the first that was passed over.
    lostDamage :: !Damage,
    -- | The offset at which reading goes on. It is that of the file's end if no whole block
    -- follows, and that of the same block if only a record in it is passed over.
    lostTo :: !Int64,
    -- | The number of the next record that is read. 'Nothing' if no record follows.
    lostNext :: !(Maybe Int64),
    -- | Does reading go on in another file that was joined to this one? Then the numbers do not
    -- tell how many records were lost.
    lostOther :: !Bool
  }
  deriving stock (Eq, Show)
