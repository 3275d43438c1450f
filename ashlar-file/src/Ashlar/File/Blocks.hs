{-# LANGUAGE DerivingStrategies #-}
{-# LANGUAGE Trustworthy #-}

-- |
-- Module      : Ashlar.File.Blocks
-- Description : The blocks of a file, without the type of its records
--
-- For tools that check, show or copy files whose types they do not have. "Ashlar.File" is for
-- programs that have the type.
module Ashlar.File.Blocks
  ( -- * Headers
    FileHeader (..),
    BlockHeader (..),
    Kind (..),
    readHeader,
    blockHeaderBytes,

    -- * Blocks
    foldBlocks,
    foldBlocksAnyway,
    Event (..),
    Block (..),
    blockEnd,
    blockRecords,
  )
where

import Ashlar.File.Internal.After
import Ashlar.File.Internal.Damage
import Ashlar.File.Internal.Input
import Ashlar.File.Internal.Layout
import Ashlar.File.Internal.Open (goingOn)
import Ashlar.File.Internal.Options
import Ashlar.File.Internal.Records
import Ashlar.File.Internal.Scan
import Ashlar.File.Internal.System
import Ashlar.File.Internal.Type (Compression (..))
import Control.Exception (bracket)
import Data.ByteString (ByteString)
import qualified Data.ByteString as S
import Data.Int (Int64)
import qualified Data.List as List

-- | Read the header of a file, in constant time.
readHeader :: FilePath -> IO (Either Damage FileHeader)
readHeader path = bracket (openToRead path) closeFile $ \fd -> do
  header <- fileInput path fd >>= readFileHeader
  pure (either (Left . Damage path 0 Nothing 0) Right header)

-- | What a scan of a file meets.
data Event
  = -- | A file begins at this offset: the first one, or one that was joined to it. Blocks refer to
    -- its header ('blockFile'). 'Nothing' if the header is damaged. The event comes again when the
    -- scan returns to a file from another one that was found in a damaged block.
    FileBegins !Int64 !(Maybe FileHeader)
  | -- | A block whose checksums are right. After an index, it may have the offset of that index: a
    -- writer that appends cuts the index off.
    WholeBlock !Block
  | -- | Damage, and what is passed over because of it. 'readResync' makes no difference.
    LostBlocks !Lost
  deriving stock (Eq, Show)

-- | Fold the blocks of a file from the left, in constant memory, and go on after damage, and in
-- files that were joined to it. Only the limits of the options are used. The bodies of blocks are
-- not expanded or decoded.
--
-- 'Left' if it is no such file, if its header is damaged, or if it was replaced meanwhile.
foldBlocks ::
  ReadOptions ->
  FilePath ->
  -- | Given the accumulator and what comes next: the next accumulator.
  (b -> Event -> IO b) ->
  b ->
  IO (Either Damage b)
foldBlocks options path f b = do
  folded <- foldFile False options path f b
  pure (folded >>= maybe (Left (Damage path 0 Nothing 0 WrongHeader)) Right)

-- | 'foldBlocks' of a file whose header may be damaged. Then the first event is what was lost with
-- it. 'Nothing' if no block follows.
foldBlocksAnyway ::
  ReadOptions -> FilePath -> (b -> Event -> IO b) -> b -> IO (Either Damage (Maybe b))
foldBlocksAnyway = foldFile True

foldFile ::
  Bool -> ReadOptions -> FilePath -> (b -> Event -> IO b) -> b -> IO (Either Damage (Maybe b))
foldFile anyway options path f b0 = bracket (openToRead path) closeFile $ \fd -> do
  input <- fileInput path fd
  header <- readFileHeader input
  let limit = readBlockLimit options
      damage = Damage path 0 Nothing 0
  case header of
    Right h ->
      fmap Just
        <$> entering (scanOf input limit (fileMarker h) (Just h)) (firstIn (startAt 0 0) 0 h) b0
    Left cause
      | anyway -> do
        found <- withoutHeader input limit
        case found of
          Nothing -> pure (Right Nothing)
          Just (scan, pos) -> do
            b <- f b0 (LostBlocks (goingOn (damage cause) False scan pos))
            fmap Just <$> entering scan pos b
      | otherwise -> pure (Left (damage cause))
  where
    entering scan pos acc = do
      acc' <- f acc (FileBegins (scanBase scan) (scanHeader scan))
      go scan pos $! acc'
    go scan pos acc = do
      step <- nextBlock scan pos
      case step of
        StepEnd -> ended scan pos acc
        StepBlock block next -> whole scan block next acc
        StepFile scan' pos' -> entering scan' pos' acc
        StepDamaged cause resume -> do
          let damage = damageIn scan pos (posRecord pos) cause
          found <- blockOrAfter scan pos cause resume
          case found of
            Left (block, next) -> whole scan block next acc
            Right (NextEnd end) -> do
              acc' <- f acc (LostBlocks (Lost damage (offsetIn scan end) Nothing False))
              acc' `seq` ended scan pos {posOffset = end} acc'
            Right (Next scan' pos') -> do
              let other = not (isSameFile scan scan')
              acc' <- f acc (LostBlocks (goingOn damage other scan' pos'))
              acc' `seq` (if other then entering else go) scan' pos' acc'
    whole scan block next acc = do
      acc' <- f acc (WholeBlock block)
      go scan next $! acc'
    ended scan pos acc = do
      same <- inputSame (scanInput scan) (offsetIn scan (posSettled pos))
      pure (if same then Right acc else Left (damageIn scan pos (posRecord pos) Replaced))

-- | The body of a block, expanded: its records, one after another. A record of no bytes is a byte
-- that is 0.
blockRecords :: ReadOptions -> FileHeader -> Block -> IO (Either Cause ByteString)
blockRecords options header block =
  case expanderOf of
    Nothing | blockCompressed h -> pure (Left (UnknownCompression name))
    compression -> expanded compression (readExpansionLimit options) h (blockBody block)
  where
    h = blockHeader block
    name = fileCompression header
    expanderOf
      | S.null name = Nothing
      | otherwise = List.find ((== name) . compressionName) (readCompressions options)
