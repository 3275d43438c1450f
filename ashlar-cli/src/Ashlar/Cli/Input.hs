{-# LANGUAGE BangPatterns #-}
{-# LANGUAGE DerivingStrategies #-}
{-# LANGUAGE OverloadedStrings #-}

-- |
-- Module      : Ashlar.Cli.Input
-- Description : Files of records, and files of bare values
module Ashlar.Cli.Input
  ( -- * Schemas
    loadSchema,
    schemaOf,
    isRecordFile,
    FileSchema (..),
    schemasOf,

    -- * Values
    Input (..),
    inputOf,
    inputPath,
    isStandardInput,
    Selection (..),
    everything,
    readOptions,
    within,
    withInput,
    Ending (..),
    foldInput,
    schemasIn,

    -- * Damage
    brokenValue,
    damageText,
    lostText,
  )
where

import Ashlar.Cli.Console
import Ashlar.Codec (Codec, DecodeError, Get, HasFormat (format), decode, summarizeError)
import Ashlar.Codec.Combinators (byHand)
import Ashlar.File
import Ashlar.File.Blocks (BlockHeader (..), FileHeader (..), Kind (..))
import Ashlar.File.Internal.After
import Ashlar.File.Internal.Input (fileInput)
import Ashlar.File.Internal.Layout (magic)
import Ashlar.File.Internal.Scan
import Ashlar.File.Internal.System (closeFile, openToRead)
import Ashlar.Get
  ( Budget (..),
    Folded (..),
    defaultBudget,
    hFoldGetUntil,
    handleSource,
    withBudget,
  )
import Ashlar.Schema (Schema)
import qualified Codec.Compression.Zlib as Zlib
import Control.Exception (bracket, displayException)
import Data.ByteString (ByteString)
import qualified Data.ByteString as B
import qualified Data.ByteString.Lazy as L
import Data.IORef (newIORef, readIORef, writeIORef)
import Data.Int (Int64)
import GHC.Fingerprint (Fingerprint (..))
import System.IO
  ( Handle,
    IOMode (ReadMode),
    hFileSize,
    hSetBinaryMode,
    stdin,
    withBinaryFile,
  )

-- | Does a file begin as a file of records does?
--
-- @since 0.1.0.0
isRecordFile :: FilePath -> IO Bool
isRecordFile path =
  withBinaryFile path ReadMode $ \h -> (== magic) <$> B.hGet h (B.length magic)

-- | The schema of a file, which is one of records or just a schema.
--
-- @since 0.1.0.0
loadSchema :: FilePath -> IO Schema
loadSchema path = do
  bytes <- schemaBytes
  either (failed . (prefix ++)) pure (schemaOf bytes)
  where
    prefix = path ++ ": "
    schemaBytes = do
      records <- isRecordFile path
      if records
        then do
          schemas <- schemasOf path
          pure (maybe B.empty fileSchemaBytes (lastOf schemas))
        else withBinaryFile path ReadMode $ \h -> do
          size <- hFileSize h
          if size > 16777216
            then failed (prefix ++ "too large for a schema")
            else B.hGetContents h
    lastOf = foldl (\_ x -> Just x) Nothing

-- | A schema from its bytes, or why it is none.
--
-- @since 0.1.0.0
schemaOf :: ByteString -> Either String Schema
schemaOf bytes = case decode bytes of
  Right s -> Right s
  Left e -> Left ("no schema that can be read: " ++ summarizeError e)

-- | A schema of a file of records.
--
-- @since 0.1.0.0
data FileSchema = FileSchema
  { -- | The number of the first record that may have it.
    fileSchemaFrom :: !Int64,
    fileSchemaFingerprint :: !Fingerprint,
    fileSchemaBytes :: !ByteString
  }

-- | The schemas of a file, in order. Only the headers of blocks are read. What is damaged is passed
-- over. It fails if they have more than 64 MiB.
--
-- @since 0.1.0.0
schemasOf :: FilePath -> IO [FileSchema]
schemasOf path = bracket (openToRead path) closeFile $ \fd -> do
  input <- fileInput path fd
  header <- readFileHeader input
  case header of
    Left cause -> failed (displayException (Damage path 0 Nothing 0 cause))
    Right h -> do
      let scan = scanOf input (readBlockLimit defaultReadOptions) (fileMarker h) (Just h)
      inFileOf (67108864 :: Int) scan (firstIn (startAt 0 0) 0 h) []
  where
    inFileOf left scan pos found = case scanHeader scan of
      -- (Files of one type have been joined.)
      Just h
        | latest : _ <- found,
          fileSchemaFingerprint latest == fileFingerprint h ->
          go left scan pos found
        | otherwise -> do
          let one = FileSchema (recordIn scan 0) (fileFingerprint h) (fileSchema h)
          left' <- afford left (fileSchema h)
          go left' scan pos (one : found)
      Nothing -> go left scan pos found
    go !left scan !pos found = do
      step <- skimBlock scan pos
      case step of
        StepBlock b next
          | blockKind (blockHeader b) == Schema -> do
            whole <- nextBlock scan pos {posAhead = B.empty}
            case whole of
              StepBlock s _ -> do
                let h = blockHeader s
                    one = FileSchema (blockRecord s) (blockFingerprint h) (blockBody s)
                left' <- afford left (blockBody s)
                go left' scan next (one : found)
              _ -> go left scan next {posGap = True} found
          | otherwise -> go left scan next found
        StepFile scan' pos' -> inFileOf left scan' pos' found
        StepEnd -> pure (reverse found)
        StepDamaged _ resume -> do
          next <- passOver scan pos resume
          case next of
            NextEnd _ -> pure (reverse found)
            Next scan' pos'
              | isSameFile scan scan' -> go left scan' pos' found
              | otherwise -> inFileOf left scan' pos' found
    -- One of no bytes takes some memory, too.
    afford left bytes
      | cost > left = failed (path ++ ": schemas of more than 64 MiB")
      | otherwise = pure (left - cost)
      where
        cost = B.length bytes + 1024

-- | Where values come from.
--
-- @since 0.1.0.0
data Input
  = -- | A file of records.
    RecordFile FilePath
  | -- | Values of this schema, one after another.
    BareFile FilePath Schema

-- | The input that options ask for: the schema of bare values, if there is one, and the file.
--
-- @since 0.1.0.0
inputOf :: Maybe FilePath -> FilePath -> IO Input
inputOf schemaPath path = case schemaPath of
  Just s -> BareFile path <$> loadSchema s
  Nothing -> do
    records <- if isStandardInput path then pure True else isRecordFile path
    if records
      then pure (RecordFile path)
      else
        failed
          (path ++ ": not a file of records; say --schema FILE if it has values one after another")

-- | Is it the name of the standard input?
--
-- @since 0.1.0.0
isStandardInput :: FilePath -> Bool
isStandardInput = (== "-")

-- | Run an action with a file, or the standard input.
--
-- @since 0.1.0.0
withInput :: FilePath -> (Handle -> IO a) -> IO a
withInput path act
  | isStandardInput path = hSetBinaryMode stdin True >> act stdin
  | otherwise = withBinaryFile path ReadMode act

-- | The name of the file.
--
-- @since 0.1.0.0
inputPath :: Input -> FilePath
inputPath input = case input of
  RecordFile path -> path
  BareFile path _ -> path

-- | All schemas of an input. Those that cannot be read are left out.
--
-- @since 0.1.0.0
schemasIn :: Input -> IO [Schema]
schemasIn input = case input of
  BareFile _ s -> pure [s]
  RecordFile path -> do
    found <- schemasOf path
    pure [s | Right s <- map (schemaOf . fileSchemaBytes) found]

-- | Which values are wanted.
--
-- @since 0.1.0.0
data Selection = Selection
  { -- | The number of the first.
    selectFrom :: !Int64,
    -- | How many.
    selectCount :: !(Maybe Int64),
    -- | Go on after damage?
    selectKeepGoing :: !Bool,
    -- | The most bytes of a value, and of a block.
    selectLimit :: !Int
  }

-- | All values, up to the first damage.
--
-- @since 0.1.0.0
everything :: Selection
everything = Selection 0 Nothing False (readBlockLimit defaultReadOptions)

-- | How to read a file: compressed blocks too, if the name of the compression is @zlib@, as that of
-- @zlibBlocks@ of the package ashlar-zlib. (That package needs network and more, so the tool calls
-- zlib itself.)
--
-- @since 0.1.0.0
readOptions :: Selection -> ReadOptions
readOptions selection =
  defaultReadOptions
    { readFrom = selectFrom selection,
      readCompressions = [zlib],
      readBlockLimit = selectLimit selection
    }
  where
    zlib = Compression "zlib" (whole Zlib.compress) expand
    -- (What is too much shows as one byte more.)
    expand n = Right . whole (L.take (fromIntegral n + 1) . Zlib.decompress)
    whole f = L.toStrict . f . L.fromStrict

-- | A decoder that refuses values of more bytes. (Those of blocks are limited with them.)
--
-- @since 0.1.0.0
within :: Selection -> Get a -> Get a
within selection g
  | selectLimit selection == selectLimit everything = g
  | otherwise = withBudget defaultBudget {budgetBytes = Just (selectLimit selection)} g

-- | How reading ended.
--
-- @since 0.1.0.0
data Ending
  = -- | Without damage.
    Fine
  | -- | With damage, which was reported.
    WithDamage
  deriving stock (Eq, Show)

-- A record that is read by its schema.
newtype Foreign x = Foreign x

instance Codec (Foreign x)

-- Nothing is written, and no record has today's format.
instance HasFormat (Foreign x) where
  format = byHand 1 (const 0) (const mempty) (fail "a fingerprint that no schema has")

-- | Fold values from the left, in constant memory. Damage is reported.
--
-- @since 0.1.0.0
foldInput ::
  Handles ->
  Selection ->
  Input ->
  -- | How to read a value, given its schema. It is asked once for each schema.
  (Schema -> Get x) ->
  (b -> x -> IO b) ->
  b ->
  IO (b, Ending)
foldInput hs selection input prepare f b0
  | selectCount selection == Just 0 = pure (b0, Fine)
  | otherwise = case input of
    RecordFile path -> do
      something <- newIORef Fine
      outcome <-
        if isStandardInput path
          then do
            hSetBinaryMode stdin True
            source <- handleSource stdin
            foldSourceWith (options something) records path source stepRecord (Acc 0 b0)
          else foldRecordsWith (options something) records path stepRecord (Acc 0 b0)
      case outcome of
        Ended _ acc -> (,) (accResult acc) <$> readIORef something
        Stopped _ acc -> (,) (accResult acc) <$> readIORef something
        Damaged _ acc damage -> do
          complain hs (damageText damage)
          pure (accResult acc, WithDamage)
    BareFile path s -> withInput path $ \h -> do
      folded <- hFoldGetUntil h (within selection (prepare s)) stepBare (Acc 0 b0)
      case folded of
        FoldEnded _ acc -> pure (accResult acc, Fine)
        FoldStopped _ acc -> pure (accResult acc, Fine)
        FoldFailed offset acc e -> do
          complain hs (brokenValue path (accCount acc) offset e)
          pure (accResult acc, WithDamage)
  where
    options something =
      (readOptions selection)
        { readResync =
            if selectKeepGoing selection
              then Just (\lost -> writeIORef something WithDamage >> complain hs (lostText lost))
              else Nothing
        }
    records =
      RecordType
        { typeSchema = B.empty,
          typeFingerprint = Fingerprint 0 0,
          typeEvolved = \bytes _ -> do
            s <- schemaOf bytes
            Right (evolvedBy (Foreign <$> prepare s)),
          typePass = Nothing
        }
    stepRecord acc (Foreign x) = chosen acc x
    stepBare acc x
      | accCount acc < selectFrom selection = pure (Right acc {accCount = accCount acc + 1})
      | otherwise = chosen acc x
    chosen (Acc n b) x = do
      b' <- f b x
      let acc = Acc (n + 1) b'
      pure (if isLast (n + 1) then Left acc else Right acc)
    -- (Bare values that were passed over count.)
    isLast n = maybe False (\k -> n - passedOver >= k) (selectCount selection)
    passedOver = case input of
      RecordFile _ -> 0
      BareFile _ _ -> selectFrom selection

-- | A value that cannot be decoded: its number, its offset, and why.
--
-- @since 0.1.0.0
brokenValue :: FilePath -> Int64 -> Int64 -> DecodeError -> String
brokenValue path n offset e =
  path ++ ": value " ++ show n ++ ", which begins at byte " ++ show offset
    ++ ", cannot be decoded: "
    ++ summarizeError e

-- How many values there were, and the accumulator.
data Acc b = Acc {accCount :: !Int64, accResult :: !b}

-- | Damage, in one line.
--
-- @since 0.1.0.0
damageText :: Damage -> String
damageText damage = case damageCause damage of
  BadRecord e ->
    damageFile damage ++ ": at byte " ++ show (damageOffset damage)
      ++ maybe "" (\n -> " (block " ++ show n ++ ")") (damageBlock damage)
      ++ ", from record "
      ++ show (damageRecord damage)
      ++ " on: "
      ++ summarizeError e
  _ -> displayException damage

-- | Damage, and what was lost because of it.
--
-- @since 0.1.0.0
lostText :: Lost -> String
lostText (Lost damage to next other) =
  damageText damage ++ "; " ++ case next of
    Nothing -> "nothing follows"
    Just n
      | other && n > damageRecord damage ->
        "at least " ++ lost n ++ ", going on in another file at byte " ++ show to
      | other -> "perhaps records lost, going on in another file at byte " ++ show to
      | n > damageRecord damage -> lost n ++ ", going on at byte " ++ show to
      | otherwise -> "no records lost, going on at byte " ++ show to
  where
    lost n = count (n - damageRecord damage) "record" ++ " lost"
