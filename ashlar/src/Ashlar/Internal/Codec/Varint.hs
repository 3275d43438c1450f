-- |
-- Module      : Ashlar.Internal.Codec.Varint
-- Description : Variable-length numbers in formats of Codec
--
-- Unsigned LEB128 ("Ashlar.Prim.Varint"). Each number has one encoding: reading refuses a zero byte
-- at the end, except in the number 0, and numbers that do not fit 64 bits.
module Ashlar.Internal.Codec.Varint
  ( varintSize,
    putVarint,
    getVarint,
    getVarintAs,
  )
where

import Ashlar.Internal.Builder.Core
import Ashlar.Internal.Get.Core (Get)
import qualified Ashlar.Internal.Get.Varint as Get
import Ashlar.Internal.Prim.Varint.Groups (writeUnsigned64)
import qualified Ashlar.Internal.Prim.Varint.LEB128 as P
import qualified Ashlar.Internal.Prim.Varint.Type as P
import Data.Word (Word64, Word8)

-- | The bytes that a number takes, from 1 to 10.
varintSize :: Word64 -> Int
varintSize = P.varintSize P.word64LEB128
{-# INLINE varintSize #-}

-- | Write a number.
putVarint :: Word64 -> Builder
putVarint n = ensureAfter (evaluated n) 10 (\p -> writeUnsigned64 n p)
{-# INLINE [0] putVarint #-}

-- Adjacent numbers share a check: Note [Fusing reservations] in "Ashlar.Internal.Builder.Core".
{-# RULES
"putVarint" [~0] forall n. putVarint n = ensureAfter (evaluated n) 10 (\p -> writeUnsigned64 n p)
  #-}

-- | Read a number.
getVarint :: Get Word64
getVarint = Get.getVarint P.word64LEB128
{-# INLINE getVarint #-}

-- | Read a number, and convert it. The second function may refuse it. The first is for those of one
-- byte that the second accepts.
getVarintAs :: (Word8 -> a) -> (Word64 -> Either String a) -> Get a
getVarintAs = Get.getConverted
{-# INLINE getVarintAs #-}
