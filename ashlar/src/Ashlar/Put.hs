{-# LANGUAGE Trustworthy #-}
-- See Note [Fusing puts] in "Ashlar.Internal.Builder.Put".
{-# OPTIONS_GHC -fno-do-lambda-eta-expansion #-}

-- |
-- Module      : Ashlar.Put
-- Description : Builders as a monad
--
-- The monadic form of "Ashlar.Builder". A 'Put' is a builder that @do@ appends to others. A 'PutM'
-- also has a value.
--
-- >>> import Ashlar.Put
-- >>> import qualified Data.ByteString.Lazy as L
-- >>> :{
-- L.unpack . runPut $ do
--   putWord8 1
--   putWord16be 2
--   mapM_ putWord8 [3, 4]
-- :}
-- [1,0,2,3,4]
--
-- The names and types are those of "Data.Binary.Put", except that builders are those of
-- "Ashlar.Builder"; the puts of 24 bits are added. Puts are as lazy as there, and about as fast as
-- builders appended by @<>@: in a @do@ block, too, adjacent writes share one check of the free
-- space, and loops by '>>', 'mapM_' and 'Control.Monad.replicateM_' need no stack. Loops that
-- collect values, such as 'mapM', 'Control.Monad.replicateM' and @<*@, take stack for each element.
-- As lazy output, they are not made in constant memory, and a million elements take seconds.
module Ashlar.Put
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
    putWord24be,
    putWord32be,
    putWord64be,
    putInt16be,
    putInt24be,
    putInt32be,
    putInt64be,
    putFloatbe,
    putDoublebe,

    -- * Least significant byte first
    putWord16le,
    putWord24le,
    putWord32le,
    putWord64le,
    putInt16le,
    putInt24le,
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

import Ashlar.Builder.Extra
  ( doubleHost,
    floatHost,
    int16Host,
    int32Host,
    int64Host,
    intHost,
    word16Host,
    word32Host,
    word64Host,
    wordHost,
  )
import Ashlar.Internal.Builder.Bytes (byteString, lazyByteString, shortByteString)
import qualified Ashlar.Internal.Builder.Bytes as Builder
import Ashlar.Internal.Builder.Constant ()
import Ashlar.Internal.Builder.Lazy (toLazyByteString)
import Ashlar.Internal.Builder.Loops ()
import Ashlar.Internal.Builder.Numbers
import Ashlar.Internal.Builder.Put
import Ashlar.Internal.Builder.Strings (charUtf8, stringUtf8)
import Data.ByteString (ByteString)
import qualified Data.ByteString.Lazy as L
import Data.ByteString.Short (ShortByteString)
import Data.Int (Int16, Int32, Int64, Int8)
import Data.Word (Word16, Word32, Word64, Word8)

-- | The bytes of a put, made as they are consumed ('toLazyByteString').
runPut :: Put -> L.ByteString
runPut m = toLazyByteString (execPut m)
{-# INLINE runPut #-}

-- | The value of a put and its bytes. Each is computed when it is forced. If the value is forced
-- before the last byte has been made, the put runs for it alone, and once more for the bytes. So if
-- n puts are nested, and each uses the value of the next before its bytes, there are 2^n runs.
-- "Ashlar.Builder.Section" writes lengths before bytes in one run.
--
-- >>> fst (runPutM (pure 3 <* putWord8 undefined))
-- 3
runPutM :: PutM a -> (a, L.ByteString)
runPutM m = toLazyByteString <$> valueBeside m
{-# INLINE runPutM #-}

-- | End the chunk of the output here.
flush :: Put
flush = putBuilder Builder.flush
{-# INLINE flush #-}

-- Each put is unfolded by a rule: Note [Fusing puts] in "Ashlar.Internal.Builder.Put".

{-# RULES
"putWord8" [~0] forall x. putWord8 x = putBuilder (word8 x)
"putInt8" [~0] forall x. putInt8 x = putBuilder (int8 x)
"putByteString" [~0] forall x. putByteString x = putBuilder (byteString x)
"putLazyByteString" [~0] forall x. putLazyByteString x = putBuilder (lazyByteString x)
"putShortByteString" [~0] forall x. putShortByteString x = putBuilder (shortByteString x)
"putWord16be" [~0] forall x. putWord16be x = putBuilder (word16BE x)
"putWord24be" [~0] forall x. putWord24be x = putBuilder (word24BE x)
"putWord32be" [~0] forall x. putWord32be x = putBuilder (word32BE x)
"putWord64be" [~0] forall x. putWord64be x = putBuilder (word64BE x)
"putInt16be" [~0] forall x. putInt16be x = putBuilder (int16BE x)
"putInt24be" [~0] forall x. putInt24be x = putBuilder (int24BE x)
"putInt32be" [~0] forall x. putInt32be x = putBuilder (int32BE x)
"putInt64be" [~0] forall x. putInt64be x = putBuilder (int64BE x)
"putFloatbe" [~0] forall x. putFloatbe x = putBuilder (floatBE x)
"putDoublebe" [~0] forall x. putDoublebe x = putBuilder (doubleBE x)
"putWord16le" [~0] forall x. putWord16le x = putBuilder (word16LE x)
"putWord24le" [~0] forall x. putWord24le x = putBuilder (word24LE x)
"putWord32le" [~0] forall x. putWord32le x = putBuilder (word32LE x)
"putWord64le" [~0] forall x. putWord64le x = putBuilder (word64LE x)
"putInt16le" [~0] forall x. putInt16le x = putBuilder (int16LE x)
"putInt24le" [~0] forall x. putInt24le x = putBuilder (int24LE x)
"putInt32le" [~0] forall x. putInt32le x = putBuilder (int32LE x)
"putInt64le" [~0] forall x. putInt64le x = putBuilder (int64LE x)
"putFloatle" [~0] forall x. putFloatle x = putBuilder (floatLE x)
"putDoublele" [~0] forall x. putDoublele x = putBuilder (doubleLE x)
"putWordhost" [~0] forall x. putWordhost x = putBuilder (wordHost x)
"putWord16host" [~0] forall x. putWord16host x = putBuilder (word16Host x)
"putWord32host" [~0] forall x. putWord32host x = putBuilder (word32Host x)
"putWord64host" [~0] forall x. putWord64host x = putBuilder (word64Host x)
"putInthost" [~0] forall x. putInthost x = putBuilder (intHost x)
"putInt16host" [~0] forall x. putInt16host x = putBuilder (int16Host x)
"putInt32host" [~0] forall x. putInt32host x = putBuilder (int32Host x)
"putInt64host" [~0] forall x. putInt64host x = putBuilder (int64Host x)
"putFloathost" [~0] forall x. putFloathost x = putBuilder (floatHost x)
"putDoublehost" [~0] forall x. putDoublehost x = putBuilder (doubleHost x)
"putCharUtf8" [~0] forall x. putCharUtf8 x = putBuilder (charUtf8 x)
"putStringUtf8" [~0] forall x. putStringUtf8 x = putBuilder (stringUtf8 x)
  #-}

-- | One byte.
putWord8 :: Word8 -> Put
putWord8 x = putBuilder (word8 x)
{-# INLINE [0] putWord8 #-}

-- | One byte, in two's complement.
putInt8 :: Int8 -> Put
putInt8 x = putBuilder (int8 x)
{-# INLINE [0] putInt8 #-}

-- | The bytes of a strict 'ByteString': copied below 8 KiB, from there on handed to
-- the output as they are.
putByteString :: ByteString -> Put
putByteString x = putBuilder (byteString x)
{-# INLINE [0] putByteString #-}

-- | The bytes of a lazy 'L.ByteString', each chunk as by 'putByteString'. Chunks are
-- forced as the output gets there.
putLazyByteString :: L.ByteString -> Put
putLazyByteString x = putBuilder (lazyByteString x)
{-# INLINE [0] putLazyByteString #-}

-- | The bytes of a 'ShortByteString', copied.
putShortByteString :: ShortByteString -> Put
putShortByteString x = putBuilder (shortByteString x)
{-# INLINE [0] putShortByteString #-}

-- | A number of 16 bits, most significant byte first: 2 bytes.
putWord16be :: Word16 -> Put
putWord16be x = putBuilder (word16BE x)
{-# INLINE [0] putWord16be #-}

-- | A number of 24 bits, most significant byte first: 3 bytes.
-- The 8 highest bits of the argument are ignored.
putWord24be :: Word32 -> Put
putWord24be x = putBuilder (word24BE x)
{-# INLINE [0] putWord24be #-}

-- | A number of 32 bits, most significant byte first: 4 bytes.
putWord32be :: Word32 -> Put
putWord32be x = putBuilder (word32BE x)
{-# INLINE [0] putWord32be #-}

-- | A number of 64 bits, most significant byte first: 8 bytes.
putWord64be :: Word64 -> Put
putWord64be x = putBuilder (word64BE x)
{-# INLINE [0] putWord64be #-}

-- | A number of 16 bits, most significant byte first: 2 bytes.
putInt16be :: Int16 -> Put
putInt16be x = putBuilder (int16BE x)
{-# INLINE [0] putInt16be #-}

-- | A number of 24 bits in two's complement, most significant byte first: 3 bytes.
-- The 8 highest bits of the argument are ignored.
putInt24be :: Int32 -> Put
putInt24be x = putBuilder (int24BE x)
{-# INLINE [0] putInt24be #-}

-- | A number of 32 bits, most significant byte first: 4 bytes.
putInt32be :: Int32 -> Put
putInt32be x = putBuilder (int32BE x)
{-# INLINE [0] putInt32be #-}

-- | A number of 64 bits, most significant byte first: 8 bytes.
putInt64be :: Int64 -> Put
putInt64be x = putBuilder (int64BE x)
{-# INLINE [0] putInt64be #-}

-- | An IEEE 754 number, most significant byte first: 4 bytes.
putFloatbe :: Float -> Put
putFloatbe x = putBuilder (floatBE x)
{-# INLINE [0] putFloatbe #-}

-- | An IEEE 754 number, most significant byte first: 8 bytes.
putDoublebe :: Double -> Put
putDoublebe x = putBuilder (doubleBE x)
{-# INLINE [0] putDoublebe #-}

-- | A number of 16 bits, least significant byte first: 2 bytes.
putWord16le :: Word16 -> Put
putWord16le x = putBuilder (word16LE x)
{-# INLINE [0] putWord16le #-}

-- | A number of 24 bits, least significant byte first: 3 bytes.
-- The 8 highest bits of the argument are ignored.
putWord24le :: Word32 -> Put
putWord24le x = putBuilder (word24LE x)
{-# INLINE [0] putWord24le #-}

-- | A number of 32 bits, least significant byte first: 4 bytes.
putWord32le :: Word32 -> Put
putWord32le x = putBuilder (word32LE x)
{-# INLINE [0] putWord32le #-}

-- | A number of 64 bits, least significant byte first: 8 bytes.
putWord64le :: Word64 -> Put
putWord64le x = putBuilder (word64LE x)
{-# INLINE [0] putWord64le #-}

-- | A number of 16 bits, least significant byte first: 2 bytes.
putInt16le :: Int16 -> Put
putInt16le x = putBuilder (int16LE x)
{-# INLINE [0] putInt16le #-}

-- | A number of 24 bits in two's complement, least significant byte first: 3 bytes.
-- The 8 highest bits of the argument are ignored.
putInt24le :: Int32 -> Put
putInt24le x = putBuilder (int24LE x)
{-# INLINE [0] putInt24le #-}

-- | A number of 32 bits, least significant byte first: 4 bytes.
putInt32le :: Int32 -> Put
putInt32le x = putBuilder (int32LE x)
{-# INLINE [0] putInt32le #-}

-- | A number of 64 bits, least significant byte first: 8 bytes.
putInt64le :: Int64 -> Put
putInt64le x = putBuilder (int64LE x)
{-# INLINE [0] putInt64le #-}

-- | An IEEE 754 number, least significant byte first: 4 bytes.
putFloatle :: Float -> Put
putFloatle x = putBuilder (floatLE x)
{-# INLINE [0] putFloatle #-}

-- | An IEEE 754 number, least significant byte first: 8 bytes.
putDoublele :: Double -> Put
putDoublele x = putBuilder (doubleLE x)
{-# INLINE [0] putDoublele #-}

-- | A 'Word' in the machine's own byte order and size: 4 or 8 bytes.
putWordhost :: Word -> Put
putWordhost x = putBuilder (wordHost x)
{-# INLINE [0] putWordhost #-}

-- | A number of 16 bits in the machine's own byte order: 2 bytes.
putWord16host :: Word16 -> Put
putWord16host x = putBuilder (word16Host x)
{-# INLINE [0] putWord16host #-}

-- | A number of 32 bits in the machine's own byte order: 4 bytes.
putWord32host :: Word32 -> Put
putWord32host x = putBuilder (word32Host x)
{-# INLINE [0] putWord32host #-}

-- | A number of 64 bits in the machine's own byte order: 8 bytes.
putWord64host :: Word64 -> Put
putWord64host x = putBuilder (word64Host x)
{-# INLINE [0] putWord64host #-}

-- | An 'Int' in the machine's own byte order and size: 4 or 8 bytes.
putInthost :: Int -> Put
putInthost x = putBuilder (intHost x)
{-# INLINE [0] putInthost #-}

-- | A number of 16 bits in the machine's own byte order: 2 bytes.
putInt16host :: Int16 -> Put
putInt16host x = putBuilder (int16Host x)
{-# INLINE [0] putInt16host #-}

-- | A number of 32 bits in the machine's own byte order: 4 bytes.
putInt32host :: Int32 -> Put
putInt32host x = putBuilder (int32Host x)
{-# INLINE [0] putInt32host #-}

-- | A number of 64 bits in the machine's own byte order: 8 bytes.
putInt64host :: Int64 -> Put
putInt64host x = putBuilder (int64Host x)
{-# INLINE [0] putInt64host #-}

-- | An IEEE 754 number in the machine's own byte order: 4 bytes.
putFloathost :: Float -> Put
putFloathost x = putBuilder (floatHost x)
{-# INLINE [0] putFloathost #-}

-- | An IEEE 754 number in the machine's own byte order: 8 bytes.
putDoublehost :: Double -> Put
putDoublehost x = putBuilder (doubleHost x)
{-# INLINE [0] putDoublehost #-}

-- | A character in UTF-8: 1 to 4 bytes. A surrogate is written as the three bytes its
-- number would have.
putCharUtf8 :: Char -> Put
putCharUtf8 x = putBuilder (charUtf8 x)
{-# INLINE [0] putCharUtf8 #-}

-- | The characters of a string in UTF-8. A literal is copied as bytes (with
-- optimisation).
putStringUtf8 :: String -> Put
putStringUtf8 x = putBuilder (stringUtf8 x)
{-# INLINE [0] putStringUtf8 #-}
