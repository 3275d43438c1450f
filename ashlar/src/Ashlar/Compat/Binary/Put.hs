-- |
-- Module      : Ashlar.Compat.Binary.Put
-- Description : Data.Binary.Put, by import
--
-- Every name of "Data.Binary.Put" (as of @binary@ 0.8.9) with its type and its meaning:
-- the same bytes, as lazily. Only the line that imports it must change. The builders,
-- in the types of 'putBuilder' and 'execPut', are those of "Ashlar.Builder".
--
-- (The constructor of 'PutM' is not exported. @binary@ exports it, but not the type of
-- what is in it.)
module Ashlar.Compat.Binary.Put
  ( -- * Puts
    Put,
    PutM,

    -- * Running puts
    runPut,
    runPutM,

    -- * From and to builders
    putBuilder,
    execPut,

    -- * Ending a chunk
    flush,

    -- * Bytes
    putWord8,
    putInt8,

    -- * Strings of bytes
    putByteString,
    putLazyByteString,
    putShortByteString,

    -- * Most significant byte first
    putWord16be,
    putWord32be,
    putWord64be,
    putInt16be,
    putInt32be,
    putInt64be,
    putFloatbe,
    putDoublebe,

    -- * Least significant byte first
    putWord16le,
    putWord32le,
    putWord64le,
    putInt16le,
    putInt32le,
    putInt64le,
    putFloatle,
    putDoublele,

    -- * The machine's own order and size
    putWordhost,
    putWord16host,
    putWord32host,
    putWord64host,
    putInthost,
    putInt16host,
    putInt32host,
    putInt64host,
    putFloathost,
    putDoublehost,

    -- * Text in UTF-8
    putCharUtf8,
    putStringUtf8,
  )
where

import Ashlar.Put
