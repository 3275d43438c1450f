{-# LANGUAGE OverloadedStrings #-}

-- |
-- Module      : Ashlar.Cli.Input
-- Description : Files of records, and files of bare values
module Ashlar.Cli.Input
  ( -- * Values
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
import Ashlar.Cli.Load
import Ashlar.Codec (Codec, DecodeError (..), Get, HasFormat (format), Reason (..))
import Ashlar.Codec.Combinators (byHand)
import Ashlar.File
import Ashlar.File.Internal.Layout (Prefix (..), filePrefix, getFileHeader, magic, prefixBytes)
import Ashlar.File.Internal.Scan (headerLimit)
import Ashlar.Get
  ( Budget (..),
    Folded (..),
    Source,
    attemptFrom,
    defaultBudget,
    foldFromUntil,
    getByteString,
    handleSource,
    lookAhead,
    newSource,
    withBudget,
  )
import qualified Ashlar.Get.Parse as Parse
import Ashlar.Schema (Schema)
import Ashlar.Zlib.File (zlibBlocks)
import Control.Exception (catch, throwIO)
import Control.Monad (unless, when)
import qualified Data.ByteString as B
import Data.IORef (modifyIORef', newIORef, readIORef)
import Data.Int (Int64)
import qualified Data.List as List
import Data.Maybe (fromMaybe, isJust)
import GHC.Fingerprint (Fingerprint (..))
import System.IO (Handle, hIsSeekable)

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
      else do
        isOne <- isSchema path
        failed (if isOne then notRecordsButSchema path else notRecords path)

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
-- @zlibBlocks@ of the package ashlar-zlib.
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
              seekable <- hIsSeekable h
              source <- if seekable then handleSource h else newSource (promptly hs h)
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
      (result, end, text) <- withValues hs notBare path $ \values -> do
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
    notBare = "is a file of records, which has a schema of its own; leave out --schema"
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
-- them afterwards. It fails if they are a file of records: its header and its checksums would be
-- taken for values.
withValues ::
  Handles ->
  -- | What to say of a file of records.
  String ->
  FilePath ->
  (Values -> IO a) ->
  IO a
withValues hs ofRecords path act = withInput path $ \h -> do
  size <- fromMaybe 0 <$> fileSizeOf path
  withProgress hs size $ \watched -> do
    arrived <- newIORef 0
    let next hs' = do
          chunk <- promptly hs' h
          modifyIORef' arrived (+ fromIntegral (B.length chunk))
          chunk <$ (readIORef arrived >>= progress watched)
        more offset n = do
          now <- readIORef arrived
          if now - offset > n
            then pure True
            else further >>= \chunk -> if B.null chunk then pure False else more offset n
        -- There is something to say of the value, whoever reads the results.
        further = next hs {handleStops = False}
    source <- newSource (next hs)
    records <- beginsRecords source
    when records $ failed (path ++ ": " ++ ofRecords)
    act (Values source more)

-- The next bytes. Before this waits for them, the results so far are written: the program at the
-- other end may go on for long. (At the end, there may be something to say of the last ones.)
promptly :: Handles -> Handle -> IO B.ByteString
promptly hs h = do
  there <- B.hGetNonBlocking h size
  if B.null there then waiting else pure there
  where
    size = 32768
    waiting = do
      handleFlush hs
      chunk <- B.hGetSome h size
      chunk <$ unless (B.null chunk) (unlessLost hs)

-- Does a file of records begin here? All bytes are still there afterwards. Values may begin with
-- the same bytes, but not with a whole header and its checksum.
beginsRecords :: Source -> IO Bool
beginsRecords source = (== Right True) <$> attemptFrom source (lookAhead header)
  where
    -- (A short value in a stream must not wait for more bytes, so these are looked at one by one.)
    header = do
      mapM_ (Parse.bytes . B.singleton) (B.unpack magic)
      start <- (magic <>) <$> getByteString (prefixBytes - B.length magic)
      case filePrefix start of
        Prefix n
          | n >= prefixBytes && n <= headerLimit ->
            isJust . getFileHeader . (start <>) <$> getByteString (n - prefixBytes)
        _ -> pure False

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
