{-# LANGUAGE BangPatterns #-}
{-# LANGUAGE DerivingStrategies #-}

-- |
-- Module      : Ashlar.File.Internal.Fold
-- Description : The records of a file, in order
module Ashlar.File.Internal.Fold
  ( Reading (..),
    readingOf,
    Opened (..),
    openInput,
    Outcome (..),
    Fold (..),
    foldFrom,
    Place,
    begin,
    Progress (..),
    foldBlock,

    -- * Schemas
    Schemas,
    inAnyOrder,
    getterOf,
  )
where

import Ashlar.Codec (Codec, get)
import Ashlar.File.Internal.Damage
import Ashlar.File.Internal.Input
import Ashlar.File.Internal.Layout
import Ashlar.File.Internal.Options
import Ashlar.File.Internal.Records
import Ashlar.File.Internal.Scan
import Ashlar.File.Internal.Type
import Ashlar.Get (Budget, Get, withBudget)
import Control.Monad (unless)
import Data.ByteString (ByteString)
import qualified Data.ByteString as S
import Data.Int (Int64)
import qualified Data.List as List
import Data.Maybe (isJust)
import GHC.Fingerprint (Fingerprint)

-- | How to read records of type @a@.
data Reading a = Reading
  { readingOptions :: !ReadOptions,
    readingFingerprint :: !Fingerprint,
    -- | Records of today's type.
    readingToday :: !(Decode a),
    -- | Records of another schema.
    readingEvolved :: ByteString -> Fingerprint -> Either String (Decode a)
  }

-- | How to read records of a type. It is inlined, so that the decoder is known in its loop.
readingOf :: Codec a => ReadOptions -> RecordType a -> Reading a
readingOf options ty =
  Reading
    { readingOptions = options,
      readingFingerprint = typeFingerprint ty,
      -- (Two loops, in which the decoder is known.)
      readingToday = passingBy (within budget <$> typePass ty) $ case budget of
        Nothing -> decodeBy get
        Just b -> decodeBy (withBudget b get),
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

-- | How a fold of a file ended. Each case has the number of the next record.
--
-- @since 0.1.0.0
data Outcome c b
  = -- | The file ended after a whole block. The accumulator.
    Ended !Int64 b
  | -- | The action stopped it after a record, with this result.
    Stopped !Int64 c
  | -- | The accumulator up to the damage, and the damage.
    Damaged !Int64 b Damage
  deriving stock (Eq, Show)

-- Note [Schemas in order]
-- ~~~~~~~~~~~~~~~~~~~~~~~
-- Records refer to the last schema before them, so those of later records never come before those
-- of earlier ones. A fold holds a file to this. Otherwise blocks of some bytes could have large
-- schemas read again and again, or schemas that lie in one another. What is not found is not
-- searched for again, either.

-- | The schema that records refer to: the offset that it was written at, the offset before which
-- none is looked up, its fingerprint, and how to read the records, or what is wrong with it.
data Schemas a = Schemas !Int64 !Int64 !Fingerprint (Either Cause (Decode a))

-- | The schema of the header. 'Nothing' if that is damaged.
firstSchema :: Reading a -> Maybe FileHeader -> Schemas a
firstSchema reading header = case header of
  Just h ->
    withSchema reading 0 (headerEnd h) (fileFingerprint h) (fileSchema h)
  -- No block refers to it.
  Nothing -> Schemas (-1) 0 (readingFingerprint reading) (Right (readingToday reading))

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

-- | How to read the records of a block, and its schema if that was looked up. Given is the schema
-- of the last block that has been looked at.
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
  -- It comes before the block, and see Note [Schemas in order].
  | blockSchemaAt h >= here || blockSchemaAt h < passed = pure (known, Left UnknownSchema)
  | otherwise = do
    -- It was passed over, or this block was looked up.
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
    -- | The offset of the first block.
    openedStart :: !Int64,
    -- | What was wrong with the header, if reading goes on.
    openedLost :: !(Maybe Lost)
  }

-- | Read the header of a file.
openInput :: Reading a -> Input -> IO (Either Damage (Opened a))
openInput reading input = do
  header <- readFileHeader input
  case header of
    Right h -> pure $ do
      let schemas@(Schemas _ _ _ decode) = firstSchema reading (Just h)
      compression <- either (Left . damage) Right (compressionOf (fileCompression h))
      _ <- either (Left . damage) Right decode
      Right (opened (fileMarker h) schemas compression (headerEnd h) Nothing)
    Left cause
      | goesOn cause,
        Just _ <- readResync (readingOptions reading) -> do
        marker <- anyMarker input
        case marker of
          Nothing -> pure (Left (damage cause))
          Just m -> do
            found <- searchBlock (scanOf m) 0 maxBound
            pure $ case found of
              Left _ -> Left (damage cause)
              Right (at, b) ->
                Right . opened m (firstSchema reading Nothing) anyCompression at . Just $
                  Lost (damage cause) at (Just (blockFirst b))
      | otherwise -> pure (Left (damage cause))
  where
    options = readingOptions reading
    damage = Damage (inputName input) 0 Nothing 0
    scanOf marker = Scan input marker (readBlockLimit options)
    opened = Opened . scanOf
    goesOn cause = case cause of
      LaterVersion _ -> False
      _ -> True
    compressionOf name
      | S.null name = Right Nothing
      | otherwise = case List.find ((== name) . compressionName) (readCompressions options) of
        Nothing -> Left (UnknownCompression name)
        found -> Right found
    anyCompression = case readCompressions options of
      c : _ -> Just c
      [] -> Nothing

-- | What is passed from block to block.
data Fold a c b = Fold
  { foldHow :: !(Reading a),
    foldOpened :: !(Opened a),
    foldStep :: b -> a -> IO (Either c b)
  }

-- What became of the records of a block.
data Scanned c b
  = Went b
  | -- The number of the next record.
    Halted !Int64 c
  | -- The same.
    Broke !Int64 b Cause

-- | Between two blocks.
data Place a = Place !(Schemas a) !Position

-- | Where a fold begins, given the position. It reports what was wrong with the header.
begin :: Fold a c b -> Position -> IO (Place a)
begin (Fold reading opened _) start = do
  mapM_ (reporting reading) (openedLost opened)
  pure (Place (openedSchemas opened) start {posGap = posGap start || isJust (openedLost opened)})

-- Forced, so that who keeps it does not keep the block.
reporting :: Reading a -> Lost -> IO ()
reporting reading !lost = maybe (pure ()) (\act -> act lost) (readResync (readingOptions reading))

-- | What became of a fold.
data Progress a c b
  = Done (Outcome c b)
  | Onward !(Place a) b

-- | Fold the records from a position on.
foldFrom :: Fold a c b -> Position -> b -> IO (Outcome c b)
foldFrom fold start b = begin fold start >>= \place -> go place b
  where
    go place !acc = do
      progress <- foldBlock fold place acc
      case progress of
        Done outcome -> pure outcome
        Onward place' acc' -> go place' acc'

-- | Fold the records of a block.
foldBlock :: Fold a c b -> Place a -> b -> IO (Progress a c b)
foldBlock (Fold reading opened f) (Place schemas0 pos0) b = do
  step <- nextBlock scan pos0
  case step of
    StepEnd -> pure (Done (Ended (posRecord pos0) b))
    StepDamaged cause resume
      | onlyTail cause,
        Nothing <- readResync options ->
        pure (Done (Ended (posRecord pos0) b))
      | otherwise -> damaged b cause (posRecord pos0) (passOver scan pos0 resume) schemas0
    StepBlock block next -> inBlock (blockHeader block) block next
  where
    options = readingOptions reading
    scan = openedScan opened
    from = readFrom options

    inBlock h block next = case blockKind h of
      Records
        | posRecord next <= from -> pure (Onward (Place schemas0 next) b)
        | otherwise -> do
          (schemas, getter) <- getterOf reading scan schemas0 (blockAt block) h
          case getter of
            Left cause@(WrongType _) -> pure (Done (Damaged first b (damageAt first cause)))
            Left cause -> damaged b cause first (onwards next) schemas
            Right decode -> do
              scanned <- records decode h (blockBody block)
              case scanned of
                Went b' -> pure (Onward (Place schemas next) b')
                Halted n c -> pure (Done (Stopped n c))
                Broke n b' cause -> damaged b' cause n (onwards next) schemas
      Schema ->
        let schemas =
              withSchema
                reading
                -- (Bytes before it may have been lost.)
                (blockOffset h)
                (blockEnd block)
                (blockFingerprint h)
                (blockBody block)
         in pure (Onward (Place schemas next) b)
      _ -> pure (Onward (Place schemas0 next) b)
      where
        first = blockFirst h

    onwards next = pure (Right (next {posGap = True}, posRecord next))

    damageAt = Damage (inputName (scanInput scan)) (posOffset pos0) (Just (posBlock pos0))

    -- Is it a tail that is cut off, as it may be? Nothing must follow.
    onlyTail cause = case cause of
      Truncated _ _ -> not (readWholeTail options)
      _ -> False

    -- Report damage and go on, or stop.
    damaged acc cause record toNext schemas
      | Nothing <- readResync options = pure (Done (Damaged record acc damage))
      | otherwise = do
        next <- toNext
        case next of
          Left end -> do
            unless (onlyTail cause) $ reporting reading (Lost damage end Nothing)
            pure (Done (Ended record acc))
          Right (pos, n) -> do
            reporting reading (Lost damage (posOffset pos) (Just n))
            pure (Onward (Place schemas pos) acc)
      where
        damage = damageAt record cause

    records decode h body = do
      whole <- expanded (openedCompression opened) (readExpansionLimit options) h body
      case whole of
        Left cause -> pure (Broke (blockFirst h) b cause)
        Right bytes -> go (blockFirst h) (recordsOf decode (blockCount h) bytes) b

    go n found !acc = case found of
      Some k xs more -> each n xs acc (go (n + fromIntegral k) more)
      Refused e _ more
        | Just report <- readResync options,
          Just rest <- more -> do
          report $! Lost (damageAt n (BadRecord e)) (posOffset pos0) (Just (n + 1))
          go (n + 1) rest acc
        | otherwise -> pure (Broke n acc (BadRecord e))
      NoMore rest -> pure (if S.null rest then Went acc else Broke n acc WrongCount)

    each !n xs !acc next = case xs of
      [] -> next acc
      x : rest
        | n < from -> each (n + 1) rest acc next
        | otherwise -> do
          r <- f acc x
          case r of
            Left c -> pure (Halted (n + 1) c)
            Right acc' -> each (n + 1) rest acc' next
