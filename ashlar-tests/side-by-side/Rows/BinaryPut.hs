-- |
-- Module      : Rows.BinaryPut
-- Description : The functions of binary's Put
module Rows.BinaryPut (rows) where

import qualified Ashlar.Builder as A (byteString)
import qualified Ashlar.Compat.Binary.Put as A
import Builders
import Data.Binary.Put (Put)
import qualified Data.Binary.Put as B
import qualified Data.ByteString.Builder as B (byteString)
import Samples (Sample)

is :: Sample a => String -> (a -> A.Put) -> (a -> Put) -> Row
is =
  row
    (through A.execPut A.putBuilder A.runPut ours)
    (through B.execPut B.putBuilder B.runPut theirs)

rows :: [Row]
rows =
  [ is "flush" (\() -> A.flush) (\() -> B.flush),
    is "putBuilder" (A.putBuilder . A.byteString) (B.putBuilder . B.byteString),
    is
      "runPutM"
      (A.putLazyByteString . snd . A.runPutM . A.putByteString)
      (B.putLazyByteString . snd . B.runPutM . B.putByteString),
    is "putByteString" A.putByteString B.putByteString,
    is "putCharUtf8" A.putCharUtf8 B.putCharUtf8,
    is "putDoublebe" A.putDoublebe B.putDoublebe,
    is "putDoublehost" A.putDoublehost B.putDoublehost,
    is "putDoublele" A.putDoublele B.putDoublele,
    is "putFloatbe" A.putFloatbe B.putFloatbe,
    is "putFloathost" A.putFloathost B.putFloathost,
    is "putFloatle" A.putFloatle B.putFloatle,
    is "putInt16be" A.putInt16be B.putInt16be,
    is "putInt16host" A.putInt16host B.putInt16host,
    is "putInt16le" A.putInt16le B.putInt16le,
    is "putInt32be" A.putInt32be B.putInt32be,
    is "putInt32host" A.putInt32host B.putInt32host,
    is "putInt32le" A.putInt32le B.putInt32le,
    is "putInt64be" A.putInt64be B.putInt64be,
    is "putInt64host" A.putInt64host B.putInt64host,
    is "putInt64le" A.putInt64le B.putInt64le,
    is "putInt8" A.putInt8 B.putInt8,
    is "putInthost" A.putInthost B.putInthost,
    is "putLazyByteString" A.putLazyByteString B.putLazyByteString,
    is "putShortByteString" A.putShortByteString B.putShortByteString,
    is "putStringUtf8" A.putStringUtf8 B.putStringUtf8,
    is "putWord16be" A.putWord16be B.putWord16be,
    is "putWord16host" A.putWord16host B.putWord16host,
    is "putWord16le" A.putWord16le B.putWord16le,
    is "putWord32be" A.putWord32be B.putWord32be,
    is "putWord32host" A.putWord32host B.putWord32host,
    is "putWord32le" A.putWord32le B.putWord32le,
    is "putWord64be" A.putWord64be B.putWord64be,
    is "putWord64host" A.putWord64host B.putWord64host,
    is "putWord64le" A.putWord64le B.putWord64le,
    is "putWord8" A.putWord8 B.putWord8,
    is "putWordhost" A.putWordhost B.putWordhost
  ]
