{-# LANGUAGE Trustworthy #-}

-- |
-- Module      : Ashlar.Builder.Varint
-- Description : Variable-length integers (varints): LEB128, Protocol Buffers
--
-- Variable-length encodings of integers: small numbers take fewer bytes. Each number is written in
-- as few bytes as its format allows. "Ashlar.Prim.Varint" has the formats as values, which know the
-- size of a number. "Ashlar.Get.Varint" reads them.
--
-- >>> import Ashlar.Builder.Varint
-- >>> word64Varint 300
-- "\172\STX"
module Ashlar.Builder.Varint
  ( -- * Any format
    varint,

    -- * LEB128
    -- $leb128
    word16LEB128,
    word32LEB128,
    word64LEB128,
    wordLEB128,
    int16LEB128,
    int32LEB128,
    int64LEB128,
    intLEB128,

    -- * Protocol Buffers
    -- $protobuf
    word32Varint,
    word64Varint,
    wordVarint,
    int32Varint,
    int64Varint,
    intVarint,
    int32Zigzag,
    int64Zigzag,
    intZigzag,
  )
where

import Ashlar.Internal.Builder.Core
import Ashlar.Internal.Builder.Loops ()
import Ashlar.Internal.Builder.Numbers (primBounded)
import Ashlar.Prim.Varint (Varint, varintPrim)
import qualified Ashlar.Prim.Varint as P
import Data.Int (Int16, Int32, Int64)
import Data.Word (Word16, Word32, Word64)

-- | A number in a format of "Ashlar.Prim.Varint", or of @Ashlar.Compat.Varint@ in @ashlar-compat@.
-- 'Ashlar.Get.Varint.getVarint' reads it.
--
-- >>> import qualified Ashlar.Prim.Varint as P
-- >>> varint P.word64Varint 300
-- "\172\STX"
varint :: Varint a -> a -> Builder
varint format x = primBounded (varintPrim format) x
{-# INLINE [0] varint #-}

-- See Note [Fusing reservations] in "Ashlar.Internal.Builder.Core".
{-# RULES
"varint" [~0] forall format x. varint format x = primBounded (varintPrim format) x
"word16LEB128" [2] forall x. word16LEB128 x = varint P.word16LEB128 x
"word32LEB128" [2] forall x. word32LEB128 x = varint P.word32LEB128 x
"word64LEB128" [2] forall x. word64LEB128 x = varint P.word64LEB128 x
"wordLEB128" [2] forall x. wordLEB128 x = varint P.wordLEB128 x
"int16LEB128" [2] forall x. int16LEB128 x = varint P.int16LEB128 x
"int32LEB128" [2] forall x. int32LEB128 x = varint P.int32LEB128 x
"int64LEB128" [2] forall x. int64LEB128 x = varint P.int64LEB128 x
"intLEB128" [2] forall x. intLEB128 x = varint P.intLEB128 x
"word32Varint" [2] forall x. word32Varint x = varint P.word32Varint x
"word64Varint" [2] forall x. word64Varint x = varint P.word64Varint x
"wordVarint" [2] forall x. wordVarint x = varint P.wordVarint x
"int32Varint" [2] forall x. int32Varint x = varint P.int32Varint x
"int64Varint" [2] forall x. int64Varint x = varint P.int64Varint x
"intVarint" [2] forall x. intVarint x = varint P.intVarint x
"int32Zigzag" [2] forall x. int32Zigzag x = varint P.int32Zigzag x
"int64Zigzag" [2] forall x. int64Zigzag x = varint P.int64Zigzag x
"intZigzag" [2] forall x. intZigzag x = varint P.intZigzag x
  #-}

-- $leb128
-- Little Endian Base 128, as in DWARF (version 5, section 7.6) and WebAssembly. Each byte has seven
-- bits, the least significant first. Its highest bit is set if another byte follows. A signed
-- number is in two's complement, in as few bytes as tell its sign.

-- $protobuf
-- The integers of Protocol Buffers. A varint is unsigned LEB128. A negative number is extended to
-- 64 bits, and takes 10 bytes. Zigzag writes the index in the sequence 0, -1, 1, -2, 2 and so on,
-- which is short for numbers near 0.

-- | A number in unsigned LEB128: 1 to 3 bytes.
word16LEB128 :: Word16 -> Builder
word16LEB128 x = varint P.word16LEB128 x
{-# INLINE [0] word16LEB128 #-}

-- | A number in unsigned LEB128: 1 to 5 bytes.
word32LEB128 :: Word32 -> Builder
word32LEB128 x = varint P.word32LEB128 x
{-# INLINE [0] word32LEB128 #-}

-- | A number in unsigned LEB128: 1 to 10 bytes.
--
-- >>> word64LEB128 624485
-- "\229\142&"
word64LEB128 :: Word64 -> Builder
word64LEB128 x = varint P.word64LEB128 x
{-# INLINE [0] word64LEB128 #-}

-- | A number in unsigned LEB128: 1 to 10 bytes.
wordLEB128 :: Word -> Builder
wordLEB128 x = varint P.wordLEB128 x
{-# INLINE [0] wordLEB128 #-}

-- | A number in signed LEB128: 1 to 3 bytes.
int16LEB128 :: Int16 -> Builder
int16LEB128 x = varint P.int16LEB128 x
{-# INLINE [0] int16LEB128 #-}

-- | A number in signed LEB128: 1 to 5 bytes.
int32LEB128 :: Int32 -> Builder
int32LEB128 x = varint P.int32LEB128 x
{-# INLINE [0] int32LEB128 #-}

-- | A number in signed LEB128: 1 to 10 bytes.
--
-- >>> int64LEB128 (-123456)
-- "\192\187x"
int64LEB128 :: Int64 -> Builder
int64LEB128 x = varint P.int64LEB128 x
{-# INLINE [0] int64LEB128 #-}

-- | A number in signed LEB128: 1 to 10 bytes.
intLEB128 :: Int -> Builder
intLEB128 x = varint P.intLEB128 x
{-# INLINE [0] intLEB128 #-}

-- | A number as @uint32@: 1 to 5 bytes.
--
-- >>> word32Varint 300
-- "\172\STX"
word32Varint :: Word32 -> Builder
word32Varint x = varint P.word32Varint x
{-# INLINE [0] word32Varint #-}

-- | A number as @uint64@: 1 to 10 bytes.
word64Varint :: Word64 -> Builder
word64Varint x = varint P.word64Varint x
{-# INLINE [0] word64Varint #-}

-- | A number as @uint64@: 1 to 10 bytes.
wordVarint :: Word -> Builder
wordVarint x = varint P.wordVarint x
{-# INLINE [0] wordVarint #-}

-- | A number as @int32@ or @enum@: 1 to 5 bytes, or 10 if negative.
int32Varint :: Int32 -> Builder
int32Varint x = varint P.int32Varint x
{-# INLINE [0] int32Varint #-}

-- | A number as @int64@: 1 to 9 bytes, or 10 if negative.
int64Varint :: Int64 -> Builder
int64Varint x = varint P.int64Varint x
{-# INLINE [0] int64Varint #-}

-- | A number as @int64@: 1 to 9 bytes, or 10 if negative.
intVarint :: Int -> Builder
intVarint x = varint P.intVarint x
{-# INLINE [0] intVarint #-}

-- | A number as @sint32@: 1 to 5 bytes.
--
-- >>> int32Zigzag (-1)
-- "\SOH"
int32Zigzag :: Int32 -> Builder
int32Zigzag x = varint P.int32Zigzag x
{-# INLINE [0] int32Zigzag #-}

-- | A number as @sint64@: 1 to 10 bytes.
int64Zigzag :: Int64 -> Builder
int64Zigzag x = varint P.int64Zigzag x
{-# INLINE [0] int64Zigzag #-}

-- | A number as @sint64@: 1 to 10 bytes.
intZigzag :: Int -> Builder
intZigzag x = varint P.intZigzag x
{-# INLINE [0] intZigzag #-}
