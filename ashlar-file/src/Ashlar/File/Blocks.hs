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
    Event (..),
    Block (..),
    blockEnd,
    blockRecords,
  )
where

import Ashlar.File.Internal.Damage
import Ashlar.File.Internal.Input
import Ashlar.File.Internal.Layout
import Ashlar.File.Internal.Options
import Ashlar.File.Internal.Records
import Ashlar.File.Internal.Scan
import Ashlar.File.Internal.System
import Ashlar.File.Internal.Type (Compression (..))
import Control.Exception (bracket)
import Data.ByteString (ByteString)
import qualified Data.ByteString as S
import qualified Data.List as List

-- | The header of a file. It takes constant time.
--
-- @since 0.1.0.0
readHeader :: FilePath -> IO (Either Damage FileHeader)
readHeader path = bracket (openToRead path) closeFile $ \fd -> do
  header <- readFileHeader (fileInput path fd)
  pure (either (Left . Damage path 0 Nothing 0) Right header)

-- | What a scan of a file meets.
--
-- @since 0.1.0.0
data Event
  = -- | A block whose checksums are right.
    WholeBlock !Block
  | -- | Damage, and what is passed over because of it. It is met also without 'readResync'.
    LostBlocks !Lost
  deriving stock (Eq, Show)

-- | Fold the blocks of a file from the left, in constant memory, and go on after damage. Only the
-- limits of the options are used. The bodies of blocks are not expanded or decoded.
--
-- 'Left' if it is no such file, or if its header is damaged.
--
-- @since 0.1.0.0
foldBlocks ::
  ReadOptions ->
  FilePath ->
  -- | Given the accumulator and what comes next: the next accumulator.
  (b -> Event -> IO b) ->
  b ->
  IO (Either Damage (FileHeader, b))
foldBlocks options path f b0 = bracket (openToRead path) closeFile $ \fd -> do
  let input = fileInput path fd
  header <- readFileHeader input
  case header of
    Left cause -> pure (Left (Damage path 0 Nothing 0 cause))
    Right h -> do
      let scan = Scan input (fileMarker h) (readBlockLimit options)
          go pos acc = do
            step <- nextBlock scan pos
            case step of
              StepEnd -> pure acc
              StepBlock block next -> f acc (WholeBlock block) >>= \acc' -> acc' `seq` go next acc'
              StepDamaged cause resume -> do
                next <- passOver scan pos resume
                let damage = Damage path (posOffset pos) (Just (posBlock pos)) (posRecord pos) cause
                case next of
                  Left end -> f acc (LostBlocks (Lost damage end Nothing))
                  Right (pos', n) -> do
                    acc' <- f acc (LostBlocks (Lost damage (posOffset pos') (Just n)))
                    acc' `seq` go pos' acc'
      Right . (,) h <$> go (startAt (fromIntegral (fileHeaderBytes h)) 0) b0

-- | The body of a block, expanded: its records, one after another. A record of no bytes is a byte
-- that is 0.
--
-- @since 0.1.0.0
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
