-- |
-- Module      : Ashlar.Internal.Builder.Decimal
-- Description : Builders for whole numbers in decimal
--
-- The formats are those of "Ashlar.Internal.Prim.Decimal". Numbers of any size are in
-- "Ashlar.Internal.Builder.Integers".
module Ashlar.Internal.Builder.Decimal
  ( word8Dec,
    word16Dec,
    word32Dec,
    word64Dec,
    wordDec,
    int8Dec,
    int16Dec,
    int32Dec,
    int64Dec,
    intDec,
  )
where

import Ashlar.Internal.Builder.Core
import Ashlar.Internal.Builder.Prim
import qualified Ashlar.Internal.Prim.Decimal as P
import Data.Int (Int16, Int32, Int64, Int8)
import Data.Word (Word16, Word32, Word64, Word8)

-- See Note [Fusing reservations].
{-# RULES
"word8Dec" [~0] forall x. word8Dec x = primStrict P.word8Dec x
"word16Dec" [~0] forall x. word16Dec x = primStrict P.word16Dec x
"word32Dec" [~0] forall x. word32Dec x = primStrict P.word32Dec x
"word64Dec" [~0] forall x. word64Dec x = primStrict P.word64Dec x
"wordDec" [~0] forall x. wordDec x = primStrict P.wordDec x
"int8Dec" [~0] forall x. int8Dec x = primStrict P.int8Dec x
"int16Dec" [~0] forall x. int16Dec x = primStrict P.int16Dec x
"int32Dec" [~0] forall x. int32Dec x = primStrict P.int32Dec x
"int64Dec" [~0] forall x. int64Dec x = primStrict P.int64Dec x
"intDec" [~0] forall x. intDec x = primStrict P.intDec x
  #-}

-- | A number of 8 bits in decimal: 1 to 3 digits.
word8Dec :: Word8 -> Builder
word8Dec x = primStrict P.word8Dec x
{-# INLINE [0] word8Dec #-}

-- | A number of 16 bits in decimal: 1 to 5 digits.
word16Dec :: Word16 -> Builder
word16Dec x = primStrict P.word16Dec x
{-# INLINE [0] word16Dec #-}

-- | A number of 32 bits in decimal: 1 to 10 digits.
word32Dec :: Word32 -> Builder
word32Dec x = primStrict P.word32Dec x
{-# INLINE [0] word32Dec #-}

-- | A number of 64 bits in decimal: 1 to 20 digits.
word64Dec :: Word64 -> Builder
word64Dec x = primStrict P.word64Dec x
{-# INLINE [0] word64Dec #-}

-- | A number of the machine's word size in decimal.
--
-- >>> toStrictByteString (wordDec 1234)
-- "1234"
wordDec :: Word -> Builder
wordDec x = primStrict P.wordDec x
{-# INLINE [0] wordDec #-}

-- | A number of 8 bits in decimal: 1 to 3 digits, after a minus sign if it is negative.
int8Dec :: Int8 -> Builder
int8Dec x = primStrict P.int8Dec x
{-# INLINE [0] int8Dec #-}

-- | A number of 16 bits in decimal: 1 to 5 digits, after a minus sign if it is negative.
int16Dec :: Int16 -> Builder
int16Dec x = primStrict P.int16Dec x
{-# INLINE [0] int16Dec #-}

-- | A number of 32 bits in decimal: 1 to 10 digits, after a minus sign if it is negative.
int32Dec :: Int32 -> Builder
int32Dec x = primStrict P.int32Dec x
{-# INLINE [0] int32Dec #-}

-- | A number of 64 bits in decimal: 1 to 19 digits, after a minus sign if it is negative.
int64Dec :: Int64 -> Builder
int64Dec x = primStrict P.int64Dec x
{-# INLINE [0] int64Dec #-}

-- | A number of the machine's word size in decimal, after a minus sign if it is
-- negative.
--
-- >>> toStrictByteString (intDec (-42))
-- "-42"
intDec :: Int -> Builder
intDec x = primStrict P.intDec x
{-# INLINE [0] intDec #-}
