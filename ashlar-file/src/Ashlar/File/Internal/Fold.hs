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
    openFile,
    goingOn,
    Outcome (..),
    Fold (..),
    begin,
    foldOn,
    Place,
    Progress (..),
    foldBlock,

    -- * Schemas
    Schemas,
    inAnyOrder,
    getterOf,
  )
where

import Ashlar.Codec (Codec, get)
import Ashlar.File.Internal.After
import Ashlar.File.Internal.Damage
import Ashlar.File.Internal.Input
import Ashlar.File.Internal.Joined
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

-- | The schema of a file's header.
firstSchema :: Reading a -> FileHeader -> Schemas a
firstSchema reading h = withSchema reading 0 (headerEnd h) (fileFingerprint h) (fileSchema h)

-- | Where the header is damaged. No block refers to this one.
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

-- | A file, given the position of its first block; or why it cannot be read.
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

-- | What is passed from block to block.
data Fold a c b = Fold
  { foldHow :: !(Reading a),
    foldStep :: b -> a -> IO (Either c b)
  }

-- What became of the records of a block.
data Scanned c b
  = Went b
  | -- The number of the next record.
    Halted !Int64 c
  | -- The same.
    Broke !Int64 b Cause

-- | Between two blocks: the file, the schema of its last block, the same of files to which reading
-- may return, and where in the file.
data Place a = Place !(Opened a) !(Schemas a) [(Opened a, Schemas a)] !Position

-- | Where a fold begins. It reports what was wrong with the header.
begin ::
  Fold a c b ->
  -- | The first file.
  Opened a ->
  -- | The file that has the first record, and where to begin in it.
  Maybe (Scan, Position, Position) ->
  b ->
  IO (Progress a c b)
begin (Fold reading _) opened located b = do
  mapM_ (reporting reading) (openedLost opened)
  let first = Place opened (openedSchemas opened) []
  case located of
    Nothing -> pure (Onward (first (openedStart opened)) b)
    Just (scan, start, pos)
      | isSameFile scan (openedScan opened) -> pure (Onward (first pos) b)
      | otherwise -> do
        entered <- inOther reading (first start) Nothing scan start b
        pure $ case entered of
          Onward (Place o schemas outer _) b'
            | isSameFile scan (openedScan o) -> Onward (Place o schemas outer pos) b'
          _ -> entered

-- Forced, so that who keeps it does not keep the block.
reporting :: Reading a -> Lost -> IO ()
reporting reading !lost = maybe (pure ()) (\act -> act lost) (readResync (readingOptions reading))

-- | What became of a fold.
data Progress a c b
  = Done (Outcome c b)
  | Onward !(Place a) b

-- | Fold all records that follow.
foldOn :: Fold a c b -> Progress a c b -> IO (Outcome c b)
foldOn fold so = case so of
  Done outcome -> pure outcome
  Onward place acc -> foldBlock fold place acc >>= foldOn fold

-- | The end, if it is that of the file that was opened.
ended :: Scan -> Position -> b -> IO (Progress a c b)
ended scan pos acc = do
  same <- inputSame (scanInput scan) (offsetIn scan (posOffset pos))
  let record = recordIn scan (posRecord pos)
  pure . Done $
    if same
      then Ended record acc
      else Damaged record acc (damageIn scan pos (posRecord pos) Replaced)

-- | Go on in another file, perhaps because of damage. If it cannot be read, that is damage, too.
inOther ::
  Reading a -> Place a -> Maybe Damage -> Scan -> Position -> b -> IO (Progress a c b)
inOther reading (Place opened schemas0 outer _) = go
  where
    go why scan pos acc = case List.find (isSameFile scan . openedScan . fst) places of
      -- Back from a file that one of its records may contain.
      Just (o, schemas) -> do
        report
        pure (Onward (Place o {openedScan = scan} schemas places pos) acc)
      Nothing -> case openFile reading scan pos of
        Right o -> report >> pure (Onward (Place o (openedSchemas o) places pos) acc)
        Left cause -> do
          (n, next) <- restOf scan pos
          let other = OtherFile (scanHeader scan) n (causeText cause)
              damage = damageIn scan pos {posOffset = 0} 0 (AnotherFile other)
          case readResync (readingOptions reading) of
            Nothing -> pure (Done (Damaged (recordIn scan 0) acc damage))
            Just _ -> do
              report
              case next of
                NextEnd end -> do
                  reporting reading (Lost damage (offsetIn scan end) Nothing False)
                  ended scan pos {posOffset = end, posRecord = n} acc
                Next scan' pos' -> go (Just damage) scan' pos' acc
      where
        report = mapM_ (\damage -> reporting reading (goingOn damage True scan pos)) why
        places = List.filter mayReturn ((opened, schemas0) : outer)
        mayReturn (o, _) =
          isSameFile (openedScan o) scan
            || List.any (isSameFile (openedScan o) . fst) (scanOuter scan)

-- | Fold the records of a block.
foldBlock :: Fold a c b -> Place a -> b -> IO (Progress a c b)
foldBlock (Fold reading f) place@(Place opened schemas0 outer pos0) b = do
  step <- nextBlock scan pos0
  case step of
    StepEnd -> ended scan pos0 b
    StepFile scan' pos -> inOther reading place Nothing scan' pos b
    StepDamaged cause resume
      | onlyTail cause,
        Nothing <- readResync options -> do
        next <- passOver scan pos0 resume
        case next of
          Next scan' _ | not (isSameFile scan scan') -> pure (Done (damagedAt b cause))
          _ -> ended scan pos0 b
      | otherwise -> damaged b cause (posRecord pos0) (passOver scan pos0 resume) schemas0
    StepBlock block next -> inBlock (blockHeader block) block next
  where
    options = readingOptions reading
    scan = openedScan opened
    from = readFrom options

    inBlock h block next = case blockKind h of
      Records
        | recordIn scan (posRecord next) <= from -> pure (Onward (onward schemas0 next) b)
        | otherwise -> do
          (schemas, getter) <- getterOf reading scan schemas0 (posOffset pos0) h
          case getter of
            Left cause@(WrongType _) ->
              pure (Done (Damaged first b (damageAt (blockFirst h) cause)))
            Left cause -> damaged b cause (blockFirst h) (onwards next) schemas
            Right decode -> do
              scanned <- records decode h (blockBody block)
              case scanned of
                Went b' -> pure (Onward (onward schemas next) b')
                Halted n c -> pure (Done (Stopped n c))
                Broke n b' cause ->
                  damaged b' cause (n - scanBefore scan) (onwards next) schemas
      Schema ->
        let schemas =
              withSchema
                reading
                -- (Bytes before it may have been lost.)
                (blockOffset h)
                (posOffset next)
                (blockFingerprint h)
                (blockBody block)
         in pure (Onward (onward schemas next) b)
      _ -> pure (Onward (onward schemas0 next) b)
      where
        first = blockRecord block

    onward schemas = Place opened schemas outer
    onwards next = pure (Next scan next {posGap = True})

    damageAt = damageIn scan pos0

    damagedAt acc cause =
      Damaged (recordIn scan (posRecord pos0)) acc (damageAt (posRecord pos0) cause)

    -- Is it a tail that is cut off, as it may be? Nothing must follow.
    onlyTail cause = case cause of
      Truncated _ _ -> not (readWholeTail options)
      TruncatedHeader _ _ -> not (readWholeTail options)
      _ -> False

    -- Report damage and go on, or stop. The number is that of a record of this file.
    damaged acc cause record toNext schemas
      | Nothing <- readResync options = pure (Done (Damaged (recordIn scan record) acc damage))
      | otherwise = do
        next <- toNext
        case next of
          NextEnd end -> do
            unless (onlyTail cause) $
              reporting reading (Lost damage (offsetIn scan end) Nothing False)
            ended scan pos0 {posOffset = end, posRecord = record} acc
          Next scan' pos
            | isSameFile scan scan' -> do
              reporting reading (goingOn damage False scan' pos)
              pure (Onward (Place opened schemas outer pos) acc)
            | otherwise -> inOther reading place (Just damage) scan' pos acc
      where
        damage = damageAt record cause

    records decode h body = do
      whole <- expanded (openedCompression opened) (readExpansionLimit options) h body
      case whole of
        Left cause -> pure (Broke (recordIn scan (blockFirst h)) b cause)
        Right bytes ->
          go (recordIn scan (blockFirst h)) (recordsOf decode (blockCount h) bytes) b

    go n found !acc = case found of
      Some k xs more -> each n xs acc (go (n + fromIntegral k) more)
      Refused e _ more
        | Just report <- readResync options,
          Just rest <- more -> do
          let damage = damageAt (n - scanBefore scan) (BadRecord e)
          report $! Lost damage (offsetIn scan (posOffset pos0)) (Just (n + 1)) False
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
