-- |
-- Module      : Ashlar.Get
-- Description : Decoders: bytes to values
--
-- Decoders that read from any source, piece by piece where it has to be, that
-- may go back ('Control.Applicative.<|>', 'Control.Applicative.many', 'lookAhead'), and say exactly what was wrong and
-- where.
--
-- >>> let point = (,) <$> getInt32be <*> label "y" getInt32be
-- >>> runGet point "\0\0\0\1\0\0\0\2"
-- Right (1,2)
-- >>> either (putStrLn . displayException) print (runGet point "\0\0\0\1\0\0")
-- at byte 4, in y: 4 bytes needed, 2 left
--
-- For text protocols and mixed formats there are more decoders in "Ashlar.Get.Parse",
-- whose names, those of attoparsec, partly clash with the Prelude's; and loops and
-- choices for any decoder in "Ashlar.Get.Combinators".
--
-- The names are those of "Data.Binary.Get", with two differences: what runs a
-- decoder returns 'Either' instead of throwing, and takes the decoder first
-- and the input last.
module Ashlar.Get
  ( -- * Decoders
    Get,

    -- * Running decoders
    runGet,
    runGetRest,
    runGetLazy,
    hRunGet,

    -- ** Many values from one source
    Source,
    newSource,
    handleSource,
    getFrom,
    foldFrom,

    -- ** Errors
    DecodeError (..),
    Reason (..),

    -- * Bytes
    getByteString,
    getByteStringCopy,
    getShortByteString,
    getByteStringNul,
    getRemainingByteString,
    getLazyByteString,
    getLazyByteStringNul,
    getRemainingLazyByteString,
    skip,

    -- ** Text
    getTextUtf8,
    getRemainingTextUtf8,

    -- * The place in the input
    bytesRead,
    isEmpty,
    endOfInput,

    -- * Around other decoders
    label,
    isolate,
    getNested,
    lookAhead,

    -- * Many values
    getVectorLE,
    getVectorBE,
    getVectorHost,
    getVectorOf,
    NumberVector,
    NumberElement,

    -- * One byte
    getWord8,
    getInt8,

    -- * Least significant byte first
    getWord16le,
    getWord32le,
    getWord64le,
    getInt16le,
    getInt32le,
    getInt64le,
    getFloatle,
    getDoublele,

    -- * Most significant byte first
    getWord16be,
    getWord32be,
    getWord64be,
    getInt16be,
    getInt32be,
    getInt64be,
    getFloatbe,
    getDoublebe,

    -- * The machine's own order and size
    getWordhost,
    getWord16host,
    getWord32host,
    getWord64host,
    getInthost,
    getInt16host,
    getInt32host,
    getInt64host,
    getFloathost,
    getDoublehost,
  )
where

import Ashlar.Get.Alternative
import Ashlar.Get.Bytes
import Ashlar.Get.Core
import Ashlar.Get.Error
import Ashlar.Get.Numbers
import Ashlar.Get.Run
import Ashlar.Get.Strings
import Ashlar.Get.Vectors
