{-# LANGUAGE BangPatterns #-}
{-# LANGUAGE OverloadedStrings #-}

-- |
-- Module      : Ashlar.Cli.Input
-- Description : Files of records, and files of bare values
module Ashlar.Cli.Input
  ( -- * Schemas
    loadSchema,
    SchemaFile (..),
    schemaFile,
    lastSchema,
    schemaOf,
    FileSchema (..),
    schemasOf,

    -- * Values
    Input (..),
    inputOf,
    inputPath,
    Selection (..),
    everything,
    readOptions,
    ourCompression,
    within,
    foldInput,
    schemasIn,

    -- * Values one after another
    Values (..),
    withValues,
    brokenValue,
    valueAt,
  )
where

import Ashlar.Cli.Console
import Ashlar.Cli.Ending
import Ashlar.Cli.Files
import Ashlar.Codec
  ( Codec,
    DecodeError (..),
    Get,
    HasFormat (format),
    Reason (..),
    decode,
    summarizeError,
  )
import Ashlar.Codec.Combinators (byHand)
import Ashlar.File
import Ashlar.File.Blocks (BlockHeader (..), FileHeader (..), Kind (..))
import Ashlar.File.Internal.After
import Ashlar.File.Internal.Input (inputFetch)
import qualified Ashlar.File.Internal.Input as F
import Ashlar.File.Internal.Layout (magic)
import Ashlar.File.Internal.Scan
import Ashlar.Get
  ( Budget (..),
    Folded (..),
    Source,
    defaultBudget,
    foldFromUntil,
    handleSource,
    newSource,
    withBudget,
  )
import Ashlar.Schema (Schema)
import Ashlar.Zlib.File (zlibBlocks)
import Control.Exception (catch, throwIO)
import Control.Monad (unless, when)
import Data.ByteString (ByteString)
import qualified Data.ByteString as B
import Data.IORef (modifyIORef', newIORef, readIORef)
import Data.Int (Int64)
import qualified Data.List as List
import Data.Maybe (fromMaybe)
import GHC.Fingerprint (Fingerprint (..))

-- | What a file or a stream has that a command takes for schemas.
data SchemaFile
  = -- | A file of records has them.
    InRecords [FileSchema]
  | -- | All of its bytes are one.
    AllOf ByteString

-- | Read the schemas of a file of records, or a schema that is stored alone.
schemaFile :: FilePath -> IO SchemaFile
schemaFile path = withBlocks path $ \input -> do
  start <- inputFetch input 0 (B.length magic)
  if start == magic
    then InRecords <$> schemasFrom input
    else do
      bytes <- inputFetch input 0 (schemaLimit + 1)
      when (B.length bytes > schemaLimit) $ failed (path ++ ": too large for a schema")
      pure (AllOf bytes)
  where
    schemaLimit = 16777216

-- | The bytes of a schema: of the last one, if the type of the records has changed.
lastSchema :: SchemaFile -> ByteString
lastSchema found = case found of
  InRecords schemas -> List.foldl' (\_ one -> fileSchemaBytes one) B.empty schemas
  AllOf bytes -> bytes

-- | The schema of a file, which is one of records or just a schema.
loadSchema :: FilePath -> IO Schema
loadSchema path = do
  found <- schemaFile path
  either (failed . ((path ++ ": ") ++)) pure (schemaOf (lastSchema found))

-- | A schema from its bytes, or why it is none.
schemaOf :: ByteString -> Either String Schema
schemaOf bytes = case decode bytes of
  Right s -> Right s
  Left e -> Left ("no schema that can be read: " ++ summarizeError e)

-- | A schema of a file of records.
data FileSchema = FileSchema
  { -- | The number of the first record that may have it.
    fileSchemaFrom :: !Int64,
    fileSchemaFingerprint :: !Fingerprint,
    fileSchemaBytes :: !ByteString
  }

-- | The schemas of a file of records, in order. Only the headers of blocks are read. What is
-- damaged is passed over. It fails if they have more than 64 MiB.
schemasOf :: FilePath -> IO [FileSchema]
schemasOf path = withBlocks path schemasFrom

schemasFrom :: F.Input -> IO [FileSchema]
schemasFrom input = do
  header <- readFileHeader input
  case header of
    Left cause -> stoppedBy (Damage path 0 Nothing 0 cause)
    Right h -> do
      let scan = scanOf input (readBlockLimit defaultReadOptions) (fileMarker h) (Just h)
      inFileOf (67108864 :: Int) scan (firstIn (startAt 0 0) 0 h) []
  where
    path = F.inputName input
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
data Input
  = -- | A file of records.
    RecordFile FilePath
  | -- | Values of this schema, one after another.
    BareFile FilePath Schema

-- | The input that options ask for: the schema of bare values, if there is one, and the file. A
-- stream without a schema is one of records.
inputOf :: Maybe FilePath -> FilePath -> IO Input
inputOf schemaPath path = case schemaPath of
  Just s -> readOnce [s, path] >> BareFile path <$> loadSchema s
  Nothing -> do
    stream <- isStream path
    start <- if stream then pure magic else withInput path (`B.hGet` B.length magic)
    if start == magic
      then pure (RecordFile path)
      else failed (notRecords path)

-- | The name of the file.
inputPath :: Input -> FilePath
inputPath input = case input of
  RecordFile path -> path
  BareFile path _ -> path

-- | The schemas of an input that can be known before it is read: none for a stream of records.
-- Those that cannot be read are left out.
schemasIn :: Input -> IO [Schema]
schemasIn input = case input of
  BareFile _ s -> pure [s]
  RecordFile path -> do
    stream <- isStream path
    found <- if stream then pure [] else schemasOf path
    pure [s | Right s <- map (schemaOf . fileSchemaBytes) found]

-- | Which values are wanted.
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
everything :: Selection
everything = Selection 0 Nothing False (readBlockLimit defaultReadOptions)

-- | How to read a file: compressed blocks too, if the name of the compression is @zlib@, as that of
-- @zlibBlocks@ of the package ashlar-zlib. (That package needs network and more, so the tool calls
-- zlib itself.)
readOptions :: Selection -> ReadOptions
readOptions selection =
  defaultReadOptions
    { readFrom = selectFrom selection,
      readCompressions = [ours],
      readBlockLimit = selectLimit selection
    }

-- | The name of the one compression that the tool knows.
ourCompression :: B.ByteString
ourCompression = compressionName ours

ours :: Compression
ours = zlibBlocks 6

-- | A decoder that refuses values of more bytes. (Those of blocks are limited with them.)
within :: Selection -> Get a -> Get a
within selection g
  | selectLimit selection == selectLimit everything = g
  | otherwise = withBudget defaultBudget {budgetBytes = Just (selectLimit selection)} g

-- A record that is read by its schema.
newtype Foreign x = Foreign x

instance Codec (Foreign x)

-- Nothing is written, and no record has today's format.
instance HasFormat (Foreign x) where
  format = byHand 1 (const 0) (const mempty) (fail "a fingerprint that no schema has")

-- | Fold values from the left, in constant memory. Damage is reported.
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
      stream <- isStream path
      outcome <-
        (`catch` unread something) $
          if stream
            then withInput path $ \h -> do
              source <- handleSource h
              foldSourceWith (options something) records path source stepRecord (Acc 0 b0)
            else watchingRecords hs selection path $ \watched ->
              let step acc x = watched (accCount acc) >> stepRecord acc x
               in foldRecordsWith (options something) records path step (Acc 0 b0)
      case outcome of
        Ended _ acc -> (,) (accResult acc) <$> readIORef something
        Stopped _ acc -> (,) (accResult acc) <$> readIORef something
        Damaged _ acc damage -> do
          complain hs (if isForeign damage then notRecords path else damageText damage)
          (,) (accResult acc) . max (endingOf damage) <$> readIORef something
    BareFile path s -> do
      (result, end, text) <- withValues hs path $ \values -> do
        let getter = within selection (prepare s)
        folded <- foldFromUntil (valuesSource values) getter stepBare (Acc 0 b0)
        case folded of
          FoldEnded _ acc -> pure (accResult acc, Fine, "")
          FoldStopped _ acc -> pure (accResult acc, Fine, "")
          FoldFailed offset acc e -> do
            (end, text) <- brokenValue selection values path (accCount acc) offset e
            pure (accResult acc, end, text)
      unless (end == Fine) (complain hs text)
      pure (result, end)
  where
    -- Nobody reads the results any more, but something may have been wrong with those before.
    unread something e = do
      end <- readIORef something
      if end == Fine then throwIO (e :: ResultsLost) else throwIO (exitOf end)
    options something =
      (readOptions selection)
        { readResync =
            if selectKeepGoing selection
              then Just $ \lost -> do
                modifyIORef' something (max (endingOf (lostDamage lost)))
                complain hs (lostText lost)
              else Nothing
        }
    records = recordsBy prepare
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

-- Records that are read by their schema.
recordsBy :: (Schema -> Get x) -> RecordType (Foreign x)
recordsBy prepare =
  RecordType
    { typeSchema = B.empty,
      typeFingerprint = Fingerprint 0 0,
      typeEvolved = \bytes _ -> do
        s <- schemaOf bytes
        Right (evolvedBy (Foreign <$> prepare s)),
      typePass = Nothing
    }

-- Show how far the records of a file have been read. The action tells how many that are. Its bytes
-- are taken to be spread evenly over them.
watchingRecords :: Handles -> Selection -> FilePath -> ((Int64 -> IO ()) -> IO a) -> IO a
watchingRecords hs selection path act
  | isWatched hs = do
    size <- fromMaybe 0 <$> fileSizeOf path
    counted <-
      withReader (readOptions selection) (recordsBy (const (pure ()))) path recordCount
        `catch` (pure . Left)
    let each = case counted of
          Right n | n > 0 -> fromIntegral size / fromIntegral n :: Double
          -- The fold says what is wrong.
          _ -> 0
    withProgress hs size $ \watched ->
      act (\n -> progress watched (truncate (each * fromIntegral n)))
  | otherwise = act (\_ -> pure ())

-- | Values one after another.
data Values = Values
  { valuesSource :: Source,
    -- | Are there more bytes after an offset than this number? It reads no further than it must,
    -- and what it reads is gone.
    valuesMore :: Int64 -> Int64 -> IO Bool
  }

-- | Read the values of a file or a stream, and show how far that has got. Say what is wrong with
-- them afterwards.
withValues :: Handles -> FilePath -> (Values -> IO a) -> IO a
withValues hs path act = withInput path $ \h -> do
  size <- fromMaybe 0 <$> fileSizeOf path
  withProgress hs size $ \watched -> do
    arrived <- newIORef 0
    let next = do
          bytes <- B.hGetSome h 32768
          modifyIORef' arrived (+ fromIntegral (B.length bytes))
          bytes <$ (readIORef arrived >>= progress watched)
        more offset n = do
          now <- readIORef arrived
          if now - offset > n
            then pure True
            else next >>= \bytes -> if B.null bytes then pure False else more offset n
    source <- newSource next
    act (Values source more)

-- | A value that cannot be decoded, given its number, its offset, and why: is that damage, or does
-- the value have more bytes than the limit? It may if there are as many.
brokenValue ::
  Selection -> Values -> FilePath -> Int64 -> Int64 -> DecodeError -> IO (Ending, String)
brokenValue selection values path n offset e = do
  refused <-
    if overBytes
      then valuesMore values offset (fromIntegral (selectLimit selection))
      else pure False
  pure $
    if refused
      then (Refused, value ++ ", has more than " ++ most ++ " bytes; say --limit to read it")
      else (WithDamage, value ++ ", cannot be decoded: " ++ reasonOf e)
  where
    value = valueAt path n offset
    most = show (selectLimit selection)
    overBytes = case errorReason e of
      OverBudget text -> ("more than " ++ most ++ " bytes") `List.isPrefixOf` text
      _ -> False

-- | The value with a number, which begins at an offset.
valueAt :: FilePath -> Int64 -> Int64 -> String
valueAt path n offset =
  path ++ ": value " ++ show n ++ ", which begins at byte " ++ show offset

-- How many values there were, and the accumulator.
data Acc b = Acc {accCount :: !Int64, accResult :: !b}
