-- |
-- Module      : Rows.BinaryBuilder
-- Description : The functions of binary's Builder, which have other names here
module Rows.BinaryBuilder (rows) where

import qualified Ashlar.Builder as A
import qualified Ashlar.Builder.Extra as A
import Builders
import Data.Binary.Builder (Builder)
import qualified Data.Binary.Builder as B
import Samples (Sample)

is :: Sample a => String -> (a -> A.Builder) -> (a -> Builder) -> Row
is = row ours theirs

rows :: [Row]
rows =
  [ is "empty" (\() -> mempty) (\() -> B.empty),
    is
      "append"
      (\(x, y) -> A.byteString x <> A.word8 y)
      (\(x, y) -> B.append (B.fromByteString x) (B.singleton y)),
    is "flush" (\() -> A.flush) (\() -> B.flush),
    is "singleton" A.word8 B.singleton,
    is "fromByteString" A.byteString B.fromByteString,
    is "fromLazyByteString" A.lazyByteString B.fromLazyByteString,
    is "fromShortByteString" A.shortByteString B.fromShortByteString,
    is "putCharUtf8" A.charUtf8 B.putCharUtf8,
    is "putStringUtf8" A.stringUtf8 B.putStringUtf8,
    is
      "toLazyByteString"
      (A.lazyByteString . A.toLazyByteString . A.stringUtf8)
      (B.fromLazyByteString . B.toLazyByteString . B.putStringUtf8),
    is "putWord16be" A.word16BE B.putWord16be,
    is "putWord16le" A.word16LE B.putWord16le,
    is "putWord16host" A.word16Host B.putWord16host,
    is "putWord32be" A.word32BE B.putWord32be,
    is "putWord32le" A.word32LE B.putWord32le,
    is "putWord32host" A.word32Host B.putWord32host,
    is "putWord64be" A.word64BE B.putWord64be,
    is "putWord64le" A.word64LE B.putWord64le,
    is "putWord64host" A.word64Host B.putWord64host,
    is "putWordhost" A.wordHost B.putWordhost,
    is "putInt16be" A.int16BE B.putInt16be,
    is "putInt16le" A.int16LE B.putInt16le,
    is "putInt16host" A.int16Host B.putInt16host,
    is "putInt32be" A.int32BE B.putInt32be,
    is "putInt32le" A.int32LE B.putInt32le,
    is "putInt32host" A.int32Host B.putInt32host,
    is "putInt64be" A.int64BE B.putInt64be,
    is "putInt64le" A.int64LE B.putInt64le,
    is "putInt64host" A.int64Host B.putInt64host,
    is "putInthost" A.intHost B.putInthost
  ]
