{-# LANGUAGE Trustworthy #-}

-- |
-- Module      : Ashlar.Zlib
-- Description : Compressed output and input
--
-- gzip, zlib and raw deflate for builders and decoders, in constant memory.
--
-- >>> import Ashlar.Zlib
-- >>> let page = foldMap (\n -> "<li>" <> intDec n <> "</li>\n") [1 .. 100 :: Int]
-- >>> let bytes = compress gzip page
-- >>> decompress Gzip defaultLimit bytes == Right (toLazyByteString page)
-- True
--
-- 'compressed' is a builder of the compressed bytes, so it stacks on any sink:
--
-- >>> import System.IO (IOMode (..), withBinaryFile)
-- >>> withBinaryFile "page.gz" WriteMode (\h -> hPutBuilder h (compressed gzip page))
--
-- 'decompressSource' is a source for the decoders of "Ashlar.Get". It has a limit, because a short
-- input can expand a thousandfold:
--
-- >>> import qualified Data.ByteString as S
--
-- >>> :{
-- withBinaryFile "page.gz" ReadMode $ \h -> do
--   source <- decompressSource Gzip defaultLimit (S.hGetSome h 32768)
--   getFrom source (getByteString 7)
-- :}
-- Right "<li>1</"
--
-- == Incomplete streams
--
-- If a value in a builder throws, what was compressed before goes out, and the stream gets no end.
-- A reader gets these bytes and then 'Truncated'. It never takes them for the whole.
module Ashlar.Zlib
  ( -- * Formats
    Format (..),
    Params (..),
    gzip,
    zlib,
    raw,

    -- * Compressing
    compressed,
    compress,

    -- ** Builder by builder
    Compressor,
    withCompressor,
    write,
    flush,
    CompressorClosed (..),

    -- * Decompressing
    decompressSource,
    decompressed,
    decompress,
    getDecompressed,
    Limit (..),
    defaultLimit,
    ZlibError (..),
  )
where

import Ashlar.Zlib.Internal.Compress
import Ashlar.Zlib.Internal.Decompress
import Ashlar.Zlib.Internal.Format
