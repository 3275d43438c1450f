{-# LANGUAGE Safe #-}

-- |
-- Module      : Ashlar.Compat.Binary.Builder
-- Description : Data.Binary.Builder, by import
--
-- Every name of "Data.Binary.Builder", as of @binary@ 0.8.9, with its type and meaning. Only the
-- import must change. The builders are those of "Ashlar.Builder", which has many more names.
--
-- >>> import qualified Ashlar.Compat.Binary.Builder as BB
-- >>> BB.toLazyByteString (BB.putWord16be 258 <> BB.singleton 3)
-- "\SOH\STX\ETX"
module Ashlar.Compat.Binary.Builder
  ( Builder,
    toLazyByteString,

    -- * Making builders
    empty,
    singleton,
    append,
    fromByteString,
    fromLazyByteString,
    fromShortByteString,

    -- * Flushing
    flush,

    -- * Most significant byte first
    putWord16be,
    putWord32be,
    putWord64be,
    putInt16be,
    putInt32be,
    putInt64be,

    -- * Least significant byte first
    putWord16le,
    putWord32le,
    putWord64le,
    putInt16le,
    putInt32le,
    putInt64le,

    -- * The machine's own order and size
    putWordhost,
    putWord16host,
    putWord32host,
    putWord64host,
    putInthost,
    putInt16host,
    putInt32host,
    putInt64host,

    -- * Characters
    putCharUtf8,
    putStringUtf8,
  )
where

import Ashlar.Builder (Builder, toLazyByteString)
import qualified Ashlar.Builder as B
import Ashlar.Builder.Extra (flush)
import qualified Ashlar.Builder.Extra as E
import qualified Data.ByteString as S
import qualified Data.ByteString.Lazy as L
import Data.ByteString.Short (ShortByteString)
import Data.Int (Int16, Int32, Int64)
import Data.Word (Word16, Word32, Word64, Word8)

-- | No bytes.
empty :: Builder
empty = mempty
{-# INLINE empty #-}

-- | The bytes of the first builder, then those of the second.
append :: Builder -> Builder -> Builder
append = (<>)
{-# INLINE append #-}

-- | One byte.
singleton :: Word8 -> Builder
singleton w = B.word8 w
{-# INLINE singleton #-}

-- | The bytes of a strict ByteString: a long one is not copied, as by 'B.byteString'.
fromByteString :: S.ByteString -> Builder
fromByteString bs = B.byteString bs
{-# INLINE fromByteString #-}

-- | The bytes of a lazy ByteString, each chunk as by 'fromByteString'.
fromLazyByteString :: L.ByteString -> Builder
fromLazyByteString bs = B.lazyByteString bs
{-# INLINE fromLazyByteString #-}

-- | The bytes of a 'ShortByteString', copied.
fromShortByteString :: ShortByteString -> Builder
fromShortByteString bs = B.shortByteString bs
{-# INLINE fromShortByteString #-}

-- | A 16-bit number, most significant byte first.
putWord16be :: Word16 -> Builder
putWord16be w = B.word16BE w
{-# INLINE putWord16be #-}

-- | A 32-bit number, most significant byte first.
putWord32be :: Word32 -> Builder
putWord32be w = B.word32BE w
{-# INLINE putWord32be #-}

-- | A 64-bit number, most significant byte first.
putWord64be :: Word64 -> Builder
putWord64be w = B.word64BE w
{-# INLINE putWord64be #-}

-- | A 16-bit number, most significant byte first.
putInt16be :: Int16 -> Builder
putInt16be i = B.int16BE i
{-# INLINE putInt16be #-}

-- | A 32-bit number, most significant byte first.
putInt32be :: Int32 -> Builder
putInt32be i = B.int32BE i
{-# INLINE putInt32be #-}

-- | A 64-bit number, most significant byte first.
putInt64be :: Int64 -> Builder
putInt64be i = B.int64BE i
{-# INLINE putInt64be #-}

-- | A 16-bit number, least significant byte first.
putWord16le :: Word16 -> Builder
putWord16le w = B.word16LE w
{-# INLINE putWord16le #-}

-- | A 32-bit number, least significant byte first.
putWord32le :: Word32 -> Builder
putWord32le w = B.word32LE w
{-# INLINE putWord32le #-}

-- | A 64-bit number, least significant byte first.
putWord64le :: Word64 -> Builder
putWord64le w = B.word64LE w
{-# INLINE putWord64le #-}

-- | A 16-bit number, least significant byte first.
putInt16le :: Int16 -> Builder
putInt16le i = B.int16LE i
{-# INLINE putInt16le #-}

-- | A 32-bit number, least significant byte first.
putInt32le :: Int32 -> Builder
putInt32le i = B.int32LE i
{-# INLINE putInt32le #-}

-- | A 64-bit number, least significant byte first.
putInt64le :: Int64 -> Builder
putInt64le i = B.int64LE i
{-# INLINE putInt64le #-}

-- | A 'Word', in the machine's byte order and size.
putWordhost :: Word -> Builder
putWordhost w = E.wordHost w
{-# INLINE putWordhost #-}

-- | A 16-bit number, in the machine's byte order.
putWord16host :: Word16 -> Builder
putWord16host w = E.word16Host w
{-# INLINE putWord16host #-}

-- | A 32-bit number, in the machine's byte order.
putWord32host :: Word32 -> Builder
putWord32host w = E.word32Host w
{-# INLINE putWord32host #-}

-- | A 64-bit number, in the machine's byte order.
putWord64host :: Word64 -> Builder
putWord64host w = E.word64Host w
{-# INLINE putWord64host #-}

-- | An 'Int', in the machine's byte order and size.
putInthost :: Int -> Builder
putInthost i = E.intHost i
{-# INLINE putInthost #-}

-- | A 16-bit number, in the machine's byte order.
putInt16host :: Int16 -> Builder
putInt16host i = E.int16Host i
{-# INLINE putInt16host #-}

-- | A 32-bit number, in the machine's byte order.
putInt32host :: Int32 -> Builder
putInt32host i = E.int32Host i
{-# INLINE putInt32host #-}

-- | A 64-bit number, in the machine's byte order.
putInt64host :: Int64 -> Builder
putInt64host i = E.int64Host i
{-# INLINE putInt64host #-}

-- | A character in UTF-8.
putCharUtf8 :: Char -> Builder
putCharUtf8 c = B.charUtf8 c
{-# INLINE putCharUtf8 #-}

-- | A string in UTF-8.
putStringUtf8 :: String -> Builder
putStringUtf8 str = B.stringUtf8 str
{-# INLINE putStringUtf8 #-}
