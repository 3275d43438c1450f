{-# LANGUAGE OverloadedStrings #-}
{-# LANGUAGE Safe #-}

-- |
-- Module      : Ashlar.Zlib.File
-- Description : Compressed files of records
--
-- A 'Compression' for "Ashlar.File". Each block is compressed on its own, so single records are
-- still found by their numbers, and damage does not spread.
--
-- >>> import Ashlar.File
-- >>> import Ashlar.Zlib.File
-- >>> let zlib = zlibBlocks 6
-- >>> let line = fixedType "line" :: RecordType Text
-- >>> let options = defaultWriteOptions {writeCompression = Just zlib, writeBlockSize = 1000000}
-- >>> withWriter options line "lines" (`writeMany` replicate 10000 "a line of a log")
-- >>> import qualified Data.ByteString as S
-- >>> size <- S.length <$> S.readFile "lines"
-- >>> size < 2000
-- True
-- >>> let reading = defaultReadOptions {readCompressions = [zlib]}
-- >>> withReader reading line "lines" (\reader -> readAt reader 9999)
-- Right (Right (Just "a line of a log"))
module Ashlar.Zlib.File
  ( zlibBlocks,
  )
where

import Ashlar.Builder (byteString)
import Ashlar.File (Compression (..))
import Ashlar.Zlib
import Control.Exception (displayException)
import Data.Bifunctor (bimap)
import qualified Data.ByteString.Lazy as L

-- | Blocks in the format 'Zlib', under the name @zlib@, which the tool @ashlar@ of the package
-- ashlar-cli reads, too. The level matters for writing only.
--
-- Compression gains from larger blocks: see 'Ashlar.File.writeBlockSize'. To read a single record
-- expands its block.
--
-- A body that is damaged is refused, as is one that ends early, one with bytes after its end, and
-- one that expands to more bytes than its block says. No more than these and 32 KiB are made of it.
-- So memory stays within the limits of 'Ashlar.File.ReadOptions', which come first.
--
-- The package ashlar-jobs takes it, too, as its @jobCompression@.
--
-- >>> import Ashlar.Zlib.File
-- >>> import Ashlar.File (Compression (..))
-- >>> expandBody (zlibBlocks 9) 5 (compressBody (zlibBlocks 1) "brick")
-- Right "brick"
-- >>> expandBody (zlibBlocks 9) 4 (compressBody (zlibBlocks 1) "brick")
-- Left "it expands to more than 4 bytes"
zlibBlocks ::
  -- | The level, as 'paramsLevel': 6 is a good one.
  Int ->
  Compression
zlibBlocks level = Compression "zlib" small large
  where
    small = L.toStrict . compress (Params Zlib level) . byteString
    large n = bimap refusal L.toStrict . decompress Zlib (exactly n) . L.fromStrict
    -- (The reader has compared the ratio of the sizes already.)
    exactly n = Limit {limitBytes = fromIntegral n, limitRatio = maxBound}
    refusal e = case e of
      TooLarge n -> "it expands to more than " ++ show n ++ " bytes"
      _ -> displayException e
