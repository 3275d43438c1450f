-- |
-- Module      : Ashlar.File.Internal.Reader
-- Description : Single records by their numbers
module Ashlar.File.Internal.Reader
  ( Reader,
    withReader,
    bytesReader,
    readAt,
    recordCount,
  )
where

import Ashlar.Codec (Codec, layout)
import Ashlar.Codec.Combinators (Fixed, Layout (Fix, Var), fixedSize)
import Ashlar.File.Internal.After
import Ashlar.File.Internal.Damage
import Ashlar.File.Internal.Input
import Ashlar.File.Internal.Joined
import Ashlar.File.Internal.Layout
import Ashlar.File.Internal.Locate
import Ashlar.File.Internal.Open
import Ashlar.File.Internal.Options
import Ashlar.File.Internal.Records
import Ashlar.File.Internal.Scan
import Ashlar.File.Internal.System
import Ashlar.File.Internal.Type
import Control.Exception (SomeException (..), bracket, throwIO)
import Data.ByteString (ByteString)
import qualified Data.ByteString as S
import Data.IORef (IORef, atomicModifyIORef', newIORef, readIORef, writeIORef)
import Data.Int (Int64)
import Data.List.NonEmpty (NonEmpty)
import qualified Data.List.NonEmpty as NonEmpty
import Data.Maybe (fromMaybe)

-- | A file whose records are read by their numbers. Any number of threads may use it.
data Reader a = Reader
  { readerReading :: !(Reading a),
    readerOpened :: !(Opened a),
    -- | How many bytes the file has now.
    readerLength :: !(IO Int64),
    -- | How many bytes each record takes in today's format, if that is constant.
    readerWidth :: !(Maybe Int),
    readerKnown :: !(IORef Known),
    -- | The body of the index of a file, once it has been looked for, and where that file begins.
    readerIndex :: !(IORef (Maybe (Int64, Maybe ByteString))),
    -- | The schema of the block that was read last, and its file.
    readerSchemas :: !(IORef (Opened a, Schemas a)),
    -- | The block that was read last.
    readerLast :: !(IORef (Maybe (Loaded a)))
  }

-- What is known of the files that were joined.
data Known = Known
  { -- | How many bytes they had together when they were last looked at.
    knownSize :: !Int64,
    -- | The files then.
    knownParts :: !(NonEmpty Part),
    -- | The most records that they ever had together.
    knownRecords :: !Int64
  }

-- A block that has been read and expanded: its offset, and the number of its first record.
data Loaded a = Loaded !Int64 !Int64 !BlockHeader !ByteString !(Decode a)

-- The action tells how many bytes the input has now.
openReader :: Reading a -> Maybe Int -> IO Int64 -> Input -> IO (Either Damage (Reader a))
openReader reading width measured input = do
  opened <- openInput reading input
  case opened of
    Left damage -> pure (Left damage)
    Right o -> do
      size <- measured
      parts <- partsOfOpened o size
      Right
        <$> ( Reader reading o measured width
                <$> newIORef (Known size parts (lastRecord parts))
                <*> newIORef Nothing
                <*> newIORef (o, inAnyOrder (openedSchemas o))
                <*> newIORef Nothing
            )

partsOfOpened :: Opened a -> Int64 -> IO (NonEmpty Part)
partsOfOpened o = partsOf (openedScan o) (posOffset (openedStart o))

-- | Open a file to read records by their numbers. The options 'readFrom' and 'readWholeTail' have
-- no meaning here. With 'readResync', a damaged header does not matter.
withReader ::
  Codec a =>
  ReadOptions ->
  -- | The type that records are read as.
  RecordType a ->
  FilePath ->
  -- | What to do with the reader, which must not be used afterwards.
  (Reader a -> IO r) ->
  IO (Either Damage r)
withReader options ty path act = bracket (openToRead path) closeFile $ \fd -> do
  input <- fileInput path fd
  opened <- openReader (readingOf options ty) (widthOf ty layout) (fileLength fd) input
  traverse act opened
{-# INLINE withReader #-}

-- | A reader of a file that is in memory, or mapped. The options are those of 'withReader', and the
-- conditions those of 'Ashlar.File.foldBytesWith'. A block is not copied, but its checksum is
-- computed when it is first read.
--
-- >>> import Ashlar.File
-- >>> import qualified Data.ByteString as S
-- >>> let line = fixedType "line" :: RecordType Text
-- >>> writeRecords line "lines" ["one", "two"]
-- >>> bytes <- S.readFile "lines"
-- >>> Right reader <- bytesReader defaultReadOptions line "lines" bytes
-- >>> readAt reader 1
-- Right (Just "two")
bytesReader ::
  Codec a =>
  ReadOptions ->
  -- | The type that records are read as.
  RecordType a ->
  -- | A name for errors.
  FilePath ->
  -- | The file.
  ByteString ->
  IO (Either Damage (Reader a))
bytesReader options ty name bytes =
  openReader (readingOf options ty) (widthOf ty layout) (pure size) (bytesInput name bytes)
  where
    size = fromIntegral (S.length bytes)
{-# INLINE bytesReader #-}

widthOf :: RecordType a -> Layout a -> Maybe Int
widthOf _ l = case l of
  Fix f -> Just (max 1 (fixedSize' f))
  Var _ -> Nothing
  where
    fixedSize' :: Fixed a -> Int
    fixedSize' = fixedSize

-- | The record with a number, counted from 0. 'Nothing' if the file ends before it.
--
-- It takes time that is logarithmic in the size of the file, and linear in that of a block. Blocks
-- of constant size, and files with an index, need one look at the header of a block, others some
-- twenty. Records of constant size are found in a block at once. Of others, those before it are
-- passed over ('Ashlar.Codec.skipValue'), or decoded where their type is an older one. The last
-- block is kept, for the next record may be in it.
--
-- So a record that is refused before this one does not matter, if its lengths and tags are right.
-- If its writer has written a wrong length, this may be another record than a fold would find.
--
-- Blocks that are not read are not checked. If the block of the record is damaged, the result is a
-- 'Damage' without the block's number. So it is if the file was cut off or written over since it
-- was opened.
--
-- If files were joined, the headers of all blocks are read once, when the reader is opened.
readAt :: Reader a -> Int64 -> IO (Either Damage (Maybe a))
readAt reader i
  | i < 0 = pure (Right Nothing)
  | otherwise = do
    recent <- readIORef (readerLast reader)
    case recent of
      Just loaded@(Loaded _ first h _ _)
        | first <= i && i - first < fromIntegral (blockCount h) ->
          fmap Just <$> recordOf reader loaded i
      _ -> do
        now <- knownNow reader
        let parts = knownParts now
            part = partWith parts i
            isLast = partScan part `isSameFile` partScan (NonEmpty.last parts)
        readIn reader part (if isLast then Nothing else Just (partEnd part)) i >>= \found ->
          case found of
            Right Nothing -> do
              whole <- hasAll reader now
              pure (if whole then found else Left (damageAt reader (knownSize now) i Replaced))
            _ -> pure found

damageAt :: Reader a -> Int64 -> Int64 -> Cause -> Damage
damageAt reader offset = Damage name offset Nothing
  where
    name = inputName (scanInput (openedScan (readerOpened reader)))

-- The files as they are now.
knownNow :: Reader a -> IO Known
knownNow reader = do
  size <- readerLength reader
  known <- readIORef (readerKnown reader)
  if knownSize known == size
    then pure known
    else do
      parts <- partsOfOpened (readerOpened reader) size
      -- (Two threads may do this. The first may have found more records.)
      atomicModifyIORef' (readerKnown reader) $ \before ->
        let now = Known size parts (max (knownRecords before) (lastRecord parts)) in (now, now)

-- Is it still the file that was opened, with all records that it ever had? It may have become
-- smaller by an index. See Note [Where an index was] in "Ashlar.File.Internal.Scan".
hasAll :: Reader a -> Known -> IO Bool
hasAll reader known = do
  same <- inputSame input (knownSize known)
  begins <- if same then pure True else inputSame input 0
  if begins then complete <$> (if same then pure known else knownNow reader) else pure False
  where
    input = scanInput (openedScan (readerOpened reader))
    complete now = lastRecord (knownParts now) >= knownRecords now

-- Read a record of one of the files, given where that ends, if another one follows.
readIn :: Reader a -> Part -> Maybe Int64 -> Int64 -> IO (Either Damage (Maybe a))
readIn reader part end i = do
  index <- indexOf reader part
  (at, _) <- locate scan (partStart part) (partEnd part) index own
  walk Nothing at
  where
    scan = partScan part
    reading = readerReading reader
    -- Its number in the file.
    own = i - scanBefore scan
    within h = blockFirst h <= own && own < nextRecordOf h
    damage at cause = Left (damageAt reader (offsetIn scan at) i cause)
    ends = maybe (Right Nothing) (\at -> damage at NotABlock) end
    -- Walk from block to block, by their headers. If the block after another one was not written
    -- next, bytes were lost or inserted: see Note [After damage].
    walk before at = do
      header <- if maybe False (at >=) end then pure Nothing else headerAt scan at
      case header of
        Just h | maybe True ((`writtenNext` h) . snd) before -> arrived WrongNumber at h
        _ -> do
          found <- searchBlock scan (maybe at fst before + 1) (fromMaybe maxBound end)
          case found of
            -- No block follows: it is the end, or a tail that is cut off.
            Left _ -> pure ends
            Right (at', h) -> arrived (const NotABlock) at' h
      where
        arrived cause at' h
          | own < blockFirst h =
            pure (damage at (cause (recordIn scan (blockFirst h))))
          | blockKind h == Records && within h = load at' h
          | otherwise = walk (Just (at', h)) (endOf at' h)
    load at h = do
      step <- nextBlock scan (startAt at (blockFirst h))
      case step of
        StepBlock b _ -> do
          recent <- readIORef (readerSchemas reader)
          case inFileOf recent of
            Left cause -> pure (otherType cause)
            Right (opened, schemas) -> do
              (schemas', getter) <- getterOf reading scan schemas at h
              body <-
                expanded
                  (openedCompression opened)
                  (readExpansionLimit (readingOptions reading))
                  h
                  (blockBody b)
              case (,) <$> getter <*> body of
                Left cause -> pure (damage at cause)
                Right (decode, bytes) -> do
                  let loaded = Loaded (blockAt b) (blockRecord b) h bytes decode
                  writeIORef (readerSchemas reader) (opened, inAnyOrder schemas')
                  writeIORef (readerLast reader) (Just loaded)
                  fmap Just <$> recordOf reader loaded i
        -- The block is being written, or its writer was killed.
        StepDamaged (Truncated _ _) _ -> pure ends
        StepDamaged cause _ -> pure (damage at cause)
        _ -> pure ends
    inFileOf recent@(opened, _)
      | isSameFile scan (openedScan opened) = Right recent
      | otherwise = do
        o <- openFile reading scan (startAt (partStart part) (partFirst part))
        Right (o, inAnyOrder (openedSchemas o))
    otherType cause =
      Left . damageAt reader (scanBase scan) i . AnotherFile $
        OtherFile (scanHeader scan) (partNext part) (causeText cause)

-- A record of a block that has it.
recordOf :: Reader a -> Loaded a -> Int64 -> IO (Either Damage a)
recordOf reader (Loaded at first h bytes decode) i =
  go start (recordsOf decode (start + 1) (S.drop skipped bytes))
  where
    inBlock = fromIntegral (i - first) :: Int
    today = blockFingerprint h == readingFingerprint (readerReading reader)
    (start, skipped)
      | not today = (inBlock, 0)
      | Just n <- readerWidth reader = (0, n * inBlock)
      | Just rest <- afterRecords (readingPast (readerReading reader)) inBlock bytes =
        (0, S.length bytes - S.length rest)
      | otherwise = (inBlock, 0)
    go n found =
      found >>= \records -> case records of
        Some k xs more
          | n >= k -> go (n - k) more
          | x : _ <- drop n xs -> pure (Right x)
        -- A record before this one may be refused, if it is known where it ends.
        Refused _ _ (Just more) | n > 0 -> go (n - 1) more
        Refused e _ _ -> pure (Left $! damage (BadRecord $! shiftError skipped e))
        Threw _ (Just more) | n > 0 -> go (n - 1) more
        Threw (SomeException e) _ -> throwIO e
        _ -> pure (Left (damage WrongCount))
    damage = damageAt reader at i

-- The index of a file, which is read once.
indexOf :: Reader a -> Part -> IO (Maybe ByteString)
indexOf reader part = do
  known <- readIORef (readerIndex reader)
  case known of
    Just (base, index) | base == scanBase scan -> pure index
    _ -> do
      index <- fmap fst <$> readIndex scan (partEnd part)
      writeIORef (readerIndex reader) (Just (scanBase scan, index))
      pure index
  where
    scan = partScan part

-- | How many records the file has now, up to the last whole block. It takes constant time, unless
-- the tail is damaged, or files were joined.
--
-- Throws a 'Damage' if the file was cut off or written over since it was opened.
recordCount :: Reader a -> IO Int64
recordCount reader = do
  now <- knownNow reader
  whole <- hasAll reader now
  if whole
    then pure (lastRecord (knownParts now))
    else throwIO (damageAt reader (knownSize now) 0 Replaced)
