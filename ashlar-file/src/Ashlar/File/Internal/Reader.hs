-- |
-- Module      : Ashlar.File.Internal.Reader
-- Description : Single records by their numbers
module Ashlar.File.Internal.Reader
  ( Reader,
    withReader,
    readAt,
    recordCount,
  )
where

import Ashlar.Codec (Codec, Layout (Fix, Var), layout)
import Ashlar.Codec.Fixed (Fixed, fixedSize)
import Ashlar.File.Internal.Damage
import Ashlar.File.Internal.Fold
import Ashlar.File.Internal.Input
import Ashlar.File.Internal.Layout
import Ashlar.File.Internal.Locate
import Ashlar.File.Internal.Options
import Ashlar.File.Internal.Records
import Ashlar.File.Internal.Scan
import Ashlar.File.Internal.System
import Ashlar.File.Internal.Type
import Control.Exception (bracket)
import Data.ByteString (ByteString)
import qualified Data.ByteString as S
import Data.IORef (IORef, newIORef, readIORef, writeIORef)
import Data.Int (Int64)
import System.Posix.Types (Fd)

-- | An open file whose records are read by their numbers. Any number of threads may use it.
--
-- @since 0.1.0.0
data Reader a = Reader
  { readerReading :: !(Reading a),
    readerOpened :: !(Opened a),
    readerFd :: !Fd,
    -- | How many bytes each record takes in today's format, if that is constant.
    readerWidth :: !(Maybe Int),
    -- | The body of the index, once it has been looked for.
    readerIndex :: !(IORef (Maybe (Maybe ByteString))),
    -- | The schema of the block that was read last.
    readerSchemas :: !(IORef (Schemas a)),
    -- | The block that was read last.
    readerLast :: !(IORef (Maybe (Loaded a)))
  }

-- A block that has been read and expanded.
data Loaded a = Loaded !Int64 !BlockHeader !ByteString !(Decode a)

-- | A reader of an open file.
openReader :: Reading a -> Maybe Int -> FilePath -> Fd -> IO (Either Damage (Reader a))
openReader reading width path fd = do
  opened <- openInput reading (fileInput path fd)
  case opened of
    Left damage -> pure (Left damage)
    Right o ->
      Right
        <$> ( Reader reading o fd width
                <$> newIORef Nothing
                <*> newIORef (inAnyOrder (openedSchemas o))
                <*> newIORef Nothing
            )

-- | Open a file to read records by their numbers. The options 'readFrom' and 'readWholeTail' have
-- no meaning here. With 'readResync', a damaged header does not matter.
--
-- @since 0.1.0.0
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
  opened <- openReader (readingOf options ty) (widthOf ty layout) path fd
  traverse act opened
{-# INLINE withReader #-}

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
-- twenty. Records of constant size are found in a block at once. Of others, all before it are
-- decoded. The last block is kept, for the next record may be in it.
--
-- What is not looked at is not checked. If the block of the record is damaged, it is a 'Damage'
-- without the block's number.
--
-- @since 0.1.0.0
readAt :: Reader a -> Int64 -> IO (Either Damage (Maybe a))
readAt reader i
  | i < 0 = pure (Right Nothing)
  | otherwise = do
    recent <- readIORef (readerLast reader)
    case recent of
      Just loaded@(Loaded _ h _ _) | within h -> pure (Just <$> recordOf reader loaded i)
      _ -> do
        size <- fileLength (readerFd reader)
        index <- indexOf reader size
        (at, _) <- locate scan (openedStart opened) size index i
        walk Nothing at
  where
    opened = readerOpened reader
    scan = openedScan opened
    input = scanInput scan
    within h = blockFirst h <= i && i < nextRecordOf h
    damage at cause = Left (Damage (inputName input) at Nothing i cause)
    -- From block to block, by their headers. If what stands after a block was not written next,
    -- bytes were lost or inserted: see Note [After damage].
    walk before at = do
      header <- headerAt scan at
      case header of
        Just h | maybe True ((`writtenNext` h) . snd) before -> arrived WrongNumber at h
        _ -> do
          found <- searchBlock scan (maybe at fst before + 1) maxBound
          case found of
            -- No block follows: it is the end, or a tail that is cut off.
            Left _ -> pure (Right Nothing)
            Right (at', h) -> arrived (const NotABlock) at' h
      where
        arrived cause at' h
          | i < blockFirst h = pure (damage at (cause (blockFirst h)))
          | blockKind h == Records && within h = load at' h
          | otherwise = walk (Just (at', h)) (endOf at' h)
    load at h = do
      step <- nextBlock scan (startAt at (blockFirst h))
      case step of
        StepBlock b _ -> do
          schemas <- readIORef (readerSchemas reader)
          (schemas', getter) <- getterOf (readerReading reader) scan schemas at h
          body <-
            expanded
              (openedCompression opened)
              (readExpansionLimit (readingOptions (readerReading reader)))
              h
              (blockBody b)
          case (,) <$> getter <*> body of
            Left cause -> pure (damage at cause)
            Right (decode, bytes) -> do
              let loaded = Loaded at h bytes decode
              writeIORef (readerSchemas reader) (inAnyOrder schemas')
              writeIORef (readerLast reader) (Just loaded)
              pure (Just <$> recordOf reader loaded i)
        -- Somebody is writing it, or was killed then.
        StepDamaged (Truncated _ _) _ -> pure (Right Nothing)
        StepDamaged cause _ -> pure (damage at cause)
        StepEnd -> pure (Right Nothing)

-- A record of a block that has it.
recordOf :: Reader a -> Loaded a -> Int64 -> Either Damage a
recordOf reader (Loaded at h bytes decode) i =
  go start (recordsOf decode (start + 1) (S.drop skipped bytes))
  where
    inBlock = fromIntegral (i - blockFirst h) :: Int
    today = blockFingerprint h == readingFingerprint (readerReading reader)
    (start, skipped) = case readerWidth reader of
      Just n | today -> (0, n * inBlock)
      _ -> (inBlock, 0)
    go n records = case records of
      Some k xs more
        | n >= k -> go (n - k) more
        | x : _ <- drop n xs -> Right x
      -- The record before may be refused, if it is known where it ends.
      Refused _ _ (Just more) | n > 0 -> go (n - 1) more
      Refused e _ _ -> Left $! damage (BadRecord $! shiftError skipped e)
      _ -> Left (damage WrongCount)
    damage = Damage (inputName (scanInput (openedScan (readerOpened reader)))) at Nothing i

-- The index, which is read once. Without one, it is looked for again: somebody may write it.
indexOf :: Reader a -> Int64 -> IO (Maybe ByteString)
indexOf reader size = do
  known <- readIORef (readerIndex reader)
  case known of
    Just index -> pure index
    Nothing -> do
      index <- readIndex (openedScan (readerOpened reader)) size
      writeIORef (readerIndex reader) (Just (fst <$> index))
      pure (fst <$> index)

-- | How many records the file has now, up to the last whole block. It takes constant time, unless
-- the tail is damaged.
--
-- @since 0.1.0.0
recordCount :: Reader a -> IO Int64
recordCount reader = do
  size <- fileLength (readerFd reader)
  index <- readIndex scan size
  case index of
    Just (_, footer) -> pure (footerRecords footer)
    Nothing -> maybe 0 (nextRecordOf . snd) <$> lastBlock scan (openedStart opened) size
  where
    opened = readerOpened reader
    scan = openedScan opened
