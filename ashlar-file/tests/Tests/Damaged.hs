-- |
-- Module      : Tests.Damaged
-- Description : Files to be damaged
module Tests.Damaged
  ( File (..),
    made,
    madeAs,
    with,
    rowsOf,
    blockOf,
    without,
    wholeBefore,
    flipAt,
  )
where

import Ashlar.File
import Ashlar.File.Blocks
import Data.Bits (xor)
import qualified Data.ByteString as S
import qualified Data.List as List
import Data.Word (Word8)
import Test.Tasty.QuickCheck
import Tests.Files
import Tests.Random

-- | A file of random records, its bytes, and where its blocks begin.
data File = File
  { fileSettings :: Settings,
    fileRows :: [Row],
    fileBytes :: S.ByteString,
    -- | The blocks, and the offset of the first one.
    fileBlocks :: [Block],
    fileStart :: Int
  }

instance Show File where
  show f = show (fileSettings f, fileRows f, map blockAt (fileBlocks f), S.length (fileBytes f))

-- | Write one.
made :: Settings -> [Row] -> IO File
made = madeAs rowType

-- | Write one of another type.
madeAs :: RecordType Row -> Settings -> [Row] -> IO File
madeAs ty settings xs = inFile $ \path -> do
  withWriter (writing settings) ty path (`writeMany` xs)
  bytes <- S.readFile path
  got <- foldBlocks defaultReadOptions path (\acc e -> pure (e : acc)) []
  let blocks = [b | WholeBlock b <- either (const []) reverse got]
      size = sum (map (\b -> blockHeaderBytes + blockStored (blockHeader b)) blocks)
  pure (File settings xs bytes blocks (S.length bytes - size))

onFile :: (File -> IO Property) -> Settings -> [Row] -> Property
onFile prop settings xs = ioProperty $ do
  -- Several blocks.
  f <- made settings {settingsBlock = 1 + settingsBlock settings `mod` 150} xs
  counterexample (show f) <$> prop f

-- | A property of a file of several blocks.
with :: Settings -> [Row] -> (File -> IO Property) -> Property
with settings xs prop = onFile prop settings xs

-- | The records of a block.
rowsOf :: File -> Block -> [Row]
rowsOf f b = List.genericTake n (List.genericDrop (blockFirst (blockHeader b)) (fileRows f))
  where
    n = blockCount (blockHeader b)

-- | The block that an offset lies in.
blockOf :: File -> Int -> Maybe Block
blockOf f i =
  List.find (\b -> blockAt b <= at && at < blockEnd b) (fileBlocks f)
  where
    at = fromIntegral i

-- | The records of all blocks but some.
without :: File -> [Block] -> [Row]
without f bs = concat [rowsOf f c | c <- fileBlocks f, blockAt c `notElem` map blockAt bs]

-- | Change some bits of a byte.
flipAt :: Int -> Word8 -> S.ByteString -> S.ByteString
flipAt i w bytes = S.take i bytes <> S.pack [S.index bytes i `xor` w] <> S.drop (i + 1) bytes

-- | The records in blocks that end before an offset.
wholeBefore :: File -> Int -> [Row]
wholeBefore f i = concat [rowsOf f b | b <- fileBlocks f, blockEnd b <= fromIntegral i]
