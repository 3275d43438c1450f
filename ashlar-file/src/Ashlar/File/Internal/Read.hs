{-# LANGUAGE DeriveTraversable #-}
{-# LANGUAGE DerivingStrategies #-}

-- |
-- Module      : Ashlar.File.Internal.Read
-- Description : Reading records in order
module Ashlar.File.Internal.Read
  ( foldRecords,
    foldRecordsWith,
    foldFilesWith,
    foldBytesWith,
    foldSourceWith,
    RecordStream (..),
    lazyRecords,
    recordsToEither,
  )
where

import Ashlar.Codec (Codec)
import Ashlar.File.Internal.Damage
import Ashlar.File.Internal.Fold
import Ashlar.File.Internal.Input
import Ashlar.File.Internal.Joined
import Ashlar.File.Internal.Locate
import Ashlar.File.Internal.Open
import Ashlar.File.Internal.Options
import Ashlar.File.Internal.Records (synchronously)
import Ashlar.File.Internal.Scan
import Ashlar.File.Internal.System
import Ashlar.File.Internal.Type
import Ashlar.Get (Source)
import Control.Exception (SomeException (..), bracket, mask, mask_, onException, throw)
import Data.ByteString (ByteString)
import Data.IORef
  ( IORef,
    atomicModifyIORef',
    mkWeakIORef,
    modifyIORef',
    newIORef,
    readIORef,
    writeIORef,
  )
import Data.Maybe (isNothing)
import Data.Void (absurd)
import System.IO.Unsafe (unsafeInterleaveIO)

-- | Fold the records of a file from the left, in constant memory. The accumulator is forced at each
-- step.
--
-- Damage ends the fold, and so does a tail that is cut off. 'foldRecordsWith' keeps the
-- accumulator, can stop early, and can go on after damage. A file that does not exist throws an
-- 'IOException'.
foldRecords ::
  Codec a =>
  RecordType a ->
  FilePath ->
  -- | Given the accumulator and a record: the next accumulator.
  (b -> a -> IO b) ->
  b ->
  IO (Either Damage b)
foldRecords ty path f b = finished <$> foldReading reading path (\acc x -> Right <$> f acc x) b
  where
    reading = readingOf defaultReadOptions ty
{-# INLINE foldRecords #-}

finished :: Outcome b b -> Either Damage b
finished outcome = case outcome of
  Ended _ b -> Right b
  Stopped _ b -> Right b
  Damaged _ _ damage -> Left damage

-- | 'foldRecords' from any record on. It can stop early, and returns the accumulator with the
-- damage. Where the file is damaged, it goes on if the options say so.
--
-- Throws 'IOException' if the file cannot be opened or read.
foldRecordsWith ::
  Codec a =>
  ReadOptions ->
  RecordType a ->
  FilePath ->
  -- | Given the accumulator and a record: stop with a result, or go on with an accumulator.
  (b -> a -> IO (Either c b)) ->
  b ->
  IO (Outcome c b)
foldRecordsWith options ty = foldReading (readingOf options ty)
{-# INLINE foldRecordsWith #-}

foldReading :: Reading a -> FilePath -> (b -> a -> IO (Either c b)) -> b -> IO (Outcome c b)
foldReading reading path f b =
  bracket (openToRead path) closeFile $ \fd ->
    fileInput path fd >>= \input -> foldInput reading input f b
{-# NOINLINE foldReading #-}

foldInput :: Reading a -> Input -> (b -> a -> IO (Either c b)) -> b -> IO (Outcome c b)
foldInput reading input f b = do
  opened <- openInput reading input
  case opened of
    Left damage -> pure (Damaged 0 b damage)
    Right o -> do
      start <- startOf reading o
      begin (Fold reading f) o start b >>= foldOn (Fold reading f)
{-# NOINLINE foldInput #-}

-- Where to begin: the file that has the first record ('readFrom'), the position of its first block,
-- and the position of the block to begin with. 'Nothing' to begin with the first file, and to look
-- for the record there if nobody knows where the input ends.
startOf :: Reading a -> Opened a -> IO (Maybe (Scan, Position, Position))
startOf reading opened = case inputLength (scanInput (openedScan opened)) of
  Just measured | from > 0 -> do
    size <- measured
    parts <- partsOf (openedScan opened) (posOffset (openedStart opened)) size
    let part = partWith parts from
        scan = partScan part
    index <- readIndex scan (partEnd part)
    (at, record) <-
      locate scan (partStart part) (partEnd part) (fst <$> index) (from - scanBefore scan)
    let first = startAt (partStart part) (partFirst part)
        pos = startAt at (max (partFirst part) record)
    -- (If the header is damaged, the first blocks may be lost, too.)
    pure (Just (scan, first, pos {posGap = isNothing (scanHeader scan)}))
  _ -> pure Nothing
  where
    from = readFrom (readingOptions reading)

-- | 'foldRecordsWith' of several files, one after another. All have the same type, and the numbers
-- of the records begin at 0 in each. 'readFrom' applies to the first file only.
--
-- Damage ends the fold, unless the options say to go on, and says which file it is in.
foldFilesWith ::
  Codec a =>
  ReadOptions ->
  -- | The type that records are read as.
  RecordType a ->
  -- | The files, in order.
  [FilePath] ->
  -- | Given the accumulator and a record: stop with a result, or go on with an accumulator.
  (b -> a -> IO (Either c b)) ->
  -- | The first accumulator.
  b ->
  IO (Outcome c b)
foldFilesWith options ty =
  foldReadings (readingOf options ty) (readingOf options {readFrom = 0} ty)
{-# INLINE foldFilesWith #-}

foldReadings ::
  Reading a -> Reading a -> [FilePath] -> (b -> a -> IO (Either c b)) -> b -> IO (Outcome c b)
foldReadings first others paths f b = case paths of
  [] -> pure (Ended 0 b)
  path : rest -> do
    outcome <- foldReading first path f b
    case outcome of
      Ended _ b' | _ : _ <- rest -> foldReadings others others rest f b'
      _ -> pure outcome
{-# NOINLINE foldReadings #-}

-- | 'foldRecordsWith' of a file that is in memory. Blocks are not copied, so 'viewed' records lie
-- in these bytes, unless they were compressed.
--
-- The bytes may be those of a file that is mapped, as by @mmapFileByteString@ of the package
-- @mmap@. Nobody must write to such a file, or cut it off, until the last view of it is gone: the
-- checksums would be those of other bytes, and the operating system ends a process that reads where
-- the file has ended.
--
-- >>> import Ashlar.File
-- >>> import qualified Data.ByteString as S
-- >>> let line = fixedType "line" :: RecordType Text
-- >>> writeRecords line "lines" ["one", "two"]
-- >>> bytes <- S.readFile "lines"
-- >>> let add acc x = pure (Right (x : acc)) :: IO (Either () [Text])
-- >>> foldBytesWith defaultReadOptions line "lines" bytes add []
-- Ended 2 ["two","one"]
foldBytesWith ::
  Codec a =>
  ReadOptions ->
  RecordType a ->
  -- | A name for errors.
  FilePath ->
  -- | The file.
  ByteString ->
  -- | Given the accumulator and a record: stop with a result, or go on with an accumulator.
  (b -> a -> IO (Either c b)) ->
  b ->
  IO (Outcome c b)
foldBytesWith options ty name bytes = foldInput (readingOf options ty) (bytesInput name bytes)
{-# INLINE foldBytesWith #-}

-- | 'foldRecordsWith' of a file that comes from elsewhere, such as a pipe or a socket. The source
-- is read to its end, unless the fold stops. What it has after that is lost.
--
-- A 'Ashlar.Get.DecodeError' of the source itself is thrown.
foldSourceWith ::
  Codec a =>
  ReadOptions ->
  RecordType a ->
  -- | A name for errors.
  FilePath ->
  Source ->
  (b -> a -> IO (Either c b)) ->
  b ->
  IO (Outcome c b)
foldSourceWith options ty name source f b =
  sourceInput name source >>= \input -> foldInput (readingOf options ty) input f b
{-# INLINE foldSourceWith #-}

-- | The records of a file, up to its end or to damage. To fold one ('Foldable') ignores the damage.
data RecordStream a
  = -- | A record, and what follows.
    NextRecord a (RecordStream a)
  | -- | The file ends here.
    EndOfRecords
  | -- | The next record cannot be read.
    BrokenRecords Damage
  deriving stock (Eq, Show, Functor, Foldable, Traversable)

-- | All the records, or the damage. The list is complete before it is returned.
recordsToEither :: RecordStream a -> Either Damage [a]
recordsToEither = go []
  where
    go acc stream = case stream of
      NextRecord a rest -> go (a : acc) rest
      EndOfRecords -> Right (reverse acc)
      BrokenRecords damage -> Left damage

-- | The records of a file as a lazy list. It is read, block by block, as the list is forced, and
-- closed at its end, or when the list is garbage. If the list is consumed as it comes, this takes
-- constant memory.
--
-- The usual warnings about lazy input hold: 'IOException's come from pure code, and the file must
-- not be replaced before the list is consumed. If a thread that forces the list is interrupted, the
-- list can be forced again. 'foldRecords' has none of these.
lazyRecords ::
  Codec a =>
  ReadOptions ->
  -- | The type that records are read as.
  RecordType a ->
  FilePath ->
  IO (RecordStream a)
lazyRecords options ty = lazyReading (readingOf options ty)
{-# INLINE lazyRecords #-}

lazyReading :: Reading a -> FilePath -> IO (RecordStream a)
lazyReading reading path = mask $ \restore -> do
  fd <- openToRead path
  opened <- restore (fileInput path fd >>= openInput reading) `onException` closeFile fd
  case opened of
    Left damage -> BrokenRecords damage <$ closeFile fd
    Right o -> do
      start <- restore (startOf reading o) `onException` closeFile fd
      open <- newIORef (Just fd)
      _ <- mkWeakIORef open (closeOnce open)
      let fold = Fold reading (\ref x -> Right ref <$ modifyIORef' ref (x :))
      none <- newIORef []
      restore (begin fold o start none) `onException` closeOnce open >>= following fold open
  where
    following fold open progress = case progress of
      -- Read the next block when the list is forced to its end so far.
      Onward place ref -> reversed <$> readIORef ref <*> unsafeInterleaveIO (block fold open place)
      Done outcome -> do
        closeOnce open
        case outcome of
          Ended _ ref -> (`reversed` EndOfRecords) <$> readIORef ref
          Stopped _ end -> absurd end
          Damaged _ ref damage -> (`reversed` BrokenRecords damage) <$> readIORef ref
    -- An interrupted block is read anew when the list is forced again. (Test "an interrupted lazy
    -- list".) Of one with a record whose decoder throws, those before it come first.
    block fold open place = do
      ref <- newIORef []
      result <- synchronously (writeIORef ref [] >> foldBlock fold place ref)
      case result of
        Right next -> following fold open next
        Left (SomeException e) -> do
          closeOnce open
          (`reversed` throw e) <$> readIORef ref
    -- This does not force the rest.
    reversed xs rest = case xs of
      [] -> rest
      x : others -> reversed others (NextRecord x rest)
{-# NOINLINE lazyReading #-}

closeOnce :: IORef (Maybe OpenFile) -> IO ()
closeOnce open = mask_ $ atomicModifyIORef' open (\fd -> (Nothing, fd)) >>= mapM_ closeFile
