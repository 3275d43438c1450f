{-# LANGUAGE ScopedTypeVariables #-}
{-# LANGUAGE TypeApplications #-}

-- |
-- Module      : Ashlar.File.Internal.Open
-- Description : How to read a file: its header, its schemas, its compression
module Ashlar.File.Internal.Open
  ( Reading (..),
    readingOf,
    Opened (..),
    openInput,
    openFile,
    goingOn,

    -- * Schemas
    Schemas,
    withSchema,
    inAnyOrder,
    getterOf,
  )
where

import Ashlar.Codec (Codec, get, skipValue)
import Ashlar.File.Internal.After
import Ashlar.File.Internal.Damage
import Ashlar.File.Internal.Input
import Ashlar.File.Internal.Layout
import Ashlar.File.Internal.Options
import Ashlar.File.Internal.Records
import Ashlar.File.Internal.Scan
import Ashlar.File.Internal.Type
import Ashlar.Get (Budget, Get, withBudget)
import Data.ByteString (ByteString)
import qualified Data.ByteString as S
import Data.Int (Int64)
import qualified Data.List as List
import GHC.Fingerprint (Fingerprint)

-- | How to read records of type @a@.
data Reading a = Reading
  { readingOptions :: !ReadOptions,
    readingFingerprint :: !Fingerprint,
    -- | Records of today's type.
    readingToday :: !(Decode a),
    -- | Passes over one of them.
    readingPast :: !(Get ()),
    -- | Records of another schema.
    readingEvolved :: ByteString -> Fingerprint -> Either String (Decode a)
  }

-- | How to read records of a type. It is inlined, so that the decoder is known in its loop.
readingOf :: forall a. Codec a => ReadOptions -> RecordType a -> Reading a
readingOf options ty =
  Reading
    { readingOptions = options,
      readingFingerprint = typeFingerprint ty,
      -- (Two cases, so that GHC knows the decoder in the loop of each.)
      readingToday = passingBy (within budget <$> typePass ty) $ case budget of
        Nothing -> decodeBy get
        Just b -> decodeBy (withBudget b get),
      readingPast = within budget (skipValue @a),
      readingEvolved = \schema fingerprint -> decodeOld budget <$> typeEvolved ty schema fingerprint
    }
  where
    budget = readBudget options
{-# INLINE readingOf #-}

decodeOld :: Maybe Budget -> Evolved a -> Decode a
decodeOld budget (Evolved g many pass) =
  passingBy (within budget <$> pass) $
    maybe (decodeBy (within budget g)) (decodeMany . (within budget .)) many
{-# NOINLINE decodeOld #-}

within :: Maybe Budget -> Get a -> Get a
within budget g = maybe g (`withBudget` g) budget

-- Note [Schemas in order]
-- ~~~~~~~~~~~~~~~~~~~~~~~
-- Records refer to the last schema before them, so the schemas of later records never come before
-- those of earlier ones. A fold refuses a file that breaks this rule. Otherwise small blocks could
-- make it read large schemas again and again, or schemas inside one another. Nor does a fold search
-- again for a schema that it has not found.

-- | The schema that records refer to: the offset that it was written at, the offset before which
-- none is looked up, its fingerprint, and how to read the records, or what is wrong with it.
data Schemas a = Schemas !Int64 !Int64 !Fingerprint (Either Cause (Decode a))

-- | The schema of a file's header.
firstSchema :: Reading a -> FileHeader -> Schemas a
firstSchema reading h = withSchema reading 0 (headerEnd h) (fileFingerprint h) (fileSchema h)

-- | The schema to begin with if the header is damaged. No block refers to it.
todaysSchema :: Reading a -> Schemas a
todaysSchema reading = Schemas (-1) 0 (readingFingerprint reading) (Right (readingToday reading))

-- | A schema, its fingerprint, the offset that its block was written at, and where that ends.
withSchema :: Reading a -> Int64 -> Int64 -> Fingerprint -> ByteString -> Schemas a
withSchema reading at end fingerprint schema =
  Schemas at end fingerprint $
    if fingerprint == readingFingerprint reading
      then Right (readingToday reading)
      else either (Left . WrongType) Right (readingEvolved reading schema fingerprint)

-- | The same schema, where blocks are read in any order.
inAnyOrder :: Schemas a -> Schemas a
inAnyOrder (Schemas at _ fingerprint decode) = Schemas at 0 fingerprint decode

-- | How to read the records of a block, and the schema for the blocks after it: the given one,
-- which is that of the last block, or the one of this block if it had to be looked up.
getterOf ::
  Reading a ->
  Scan ->
  Schemas a ->
  -- | The offset of the block.
  Int64 ->
  BlockHeader ->
  IO (Schemas a, Either Cause (Decode a))
getterOf reading scan known@(Schemas at passed fingerprint decode) here h
  | blockFingerprint h == readingFingerprint reading = pure (known, Right (readingToday reading))
  | blockSchemaAt h == at && blockFingerprint h == fingerprint = pure (known, decode)
  -- A schema comes before the block, and in order: Note [Schemas in order].
  | blockSchemaAt h >= here || blockSchemaAt h < passed = pure (known, Left UnknownSchema)
  | otherwise = do
    -- The schema was passed over, or this block was looked up by a record's number.
    (end, fetched) <- if from == 0 then headerSchema <$> readFileHeader input else blockSchema
    let schemas@(Schemas _ _ _ found) = case fetched of
          Just schema -> withSchema reading from end (blockFingerprint h) schema
          Nothing -> Schemas from end (blockFingerprint h) (Left UnknownSchema)
    pure (schemas, found)
  where
    from = blockSchemaAt h
    input = scanInput scan
    headerSchema header = case header of
      Right fh | fileFingerprint fh == blockFingerprint h -> (headerEnd fh, Just (fileSchema fh))
      _ -> (1, Nothing)
    blockSchema = do
      header <- headerAt scan from
      case header of
        Just b | blockKind b == Schema && blockFingerprint b == blockFingerprint h -> do
          step <- nextBlock scan (startAt from 0) {posGap = True}
          pure . (,) (endOf from b) $ case step of
            StepBlock block _ -> Just (blockBody block)
            _ -> Nothing
        _ -> pure (from + 1, Nothing)

headerEnd :: FileHeader -> Int64
headerEnd = fromIntegral . fileHeaderBytes

-- | A file whose header has been read.
data Opened a = Opened
  { openedScan :: !Scan,
    openedSchemas :: !(Schemas a),
    openedCompression :: !(Maybe Compression),
    -- | The first block.
    openedStart :: !Position,
    -- | What was wrong with the header, if reading goes on.
    openedLost :: !(Maybe Lost)
  }

-- | Read the header of a file.
openInput :: Reading a -> Input -> IO (Either Damage (Opened a))
openInput reading input = do
  header <- readFileHeader input
  case header of
    Right h -> do
      let scan = scanOf input limit (fileMarker h) (Just h)
          start = startAt (headerEnd h) 0
      pure (either (Left . damage) Right (openFile reading scan start))
    Left cause
      | goesOn cause,
        Just _ <- readResync (readingOptions reading) -> do
        found <- withoutHeader input limit
        pure $ case found of
          Nothing -> Left (damage cause)
          Just (scan, start) -> do
            opened <- either (Left . damage) Right (openFile reading scan start)
            Right opened {openedLost = Just (goingOn (damage cause) False scan start)}
      | otherwise -> pure (Left (damage cause))
  where
    limit = readBlockLimit (readingOptions reading)
    damage = Damage (inputName input) 0 Nothing 0
    goesOn cause = case cause of
      LaterVersion _ -> False
      _ -> True

-- | Open a file, given the position of its first block. 'Left' says why it cannot be read.
openFile :: Reading a -> Scan -> Position -> Either Cause (Opened a)
openFile reading scan start = case scanHeader scan of
  Nothing -> Right (Opened scan (todaysSchema reading) anyCompression start Nothing)
  Just h -> do
    let schemas@(Schemas _ _ _ decode) = firstSchema reading h
    compression <- compressionOf (fileCompression h)
    Opened scan schemas compression start Nothing <$ decode
  where
    options = readingOptions reading
    compressionOf name
      | S.null name = Right Nothing
      | otherwise = case List.find ((== name) . compressionName) (readCompressions options) of
        Nothing -> Left (UnknownCompression name)
        found -> Right found
    anyCompression = case readCompressions options of
      c : _ -> Just c
      [] -> Nothing

-- | What was lost, given where reading goes on, and whether that is another file.
goingOn :: Damage -> Bool -> Scan -> Position -> Lost
goingOn damage other scan pos =
  Lost damage to (Just (recordIn scan (posRecord pos))) other
  where
    to
      -- (The header is not lost.)
      | posRecord pos == 0, Just h <- scanHeader scan, posOffset pos == headerEnd h = scanBase scan
      | otherwise = offsetIn scan (posOffset pos)
