{-# LANGUAGE Trustworthy #-}
-- No eta-expansion: Note [Rules for decoders] in "Ashlar.Internal.Get.Core".
{-# OPTIONS_GHC -fno-do-lambda-eta-expansion #-}

-- |
-- Module      : Ashlar.Get.ByteOrder
-- Description : Numbers whose byte order is known at run time
--
-- For formats whose first bytes say which byte order they have, like TIFF and pcap. If the order is
-- known beforehand, use the decoders of "Ashlar.Get" whose names end in @le@ and @be@.
--
-- >>> import qualified Ashlar.Get.ByteOrder as O
-- >>> let order = (\mark -> if mark == 0x4949 then O.LittleEndian else O.BigEndian) <$> getWord16be
-- >>> let header = order >>= \o -> (,) <$> O.getWord16 o <*> O.getWord32 o
-- >>> runGet header "II*\0\8\0\0\0"
-- Right (42,8)
-- >>> runGet header "MM\0*\0\0\0\8"
-- Right (42,8)
--
-- Adjacent numbers share one check of the bytes left, as in "Ashlar.Get". Each then tests the
-- order.
module Ashlar.Get.ByteOrder
  ( ByteOrder (..),

    -- * Words
    getWord16,
    getWord24,
    getWord32,
    getWord64,

    -- * Integers in two's complement
    getInt16,
    getInt24,
    getInt32,
    getInt64,

    -- * IEEE 754
    getFloat,
    getDouble,
  )
where

import Ashlar.Internal.Get.Core
import Ashlar.Internal.Prim.Scalar (Scalar (..))
import qualified Ashlar.Internal.Prim.Scalar as P
import Data.Int (Int16, Int32, Int64)
import Data.Word (Word16, Word32, Word64)
import GHC.ByteOrder (ByteOrder (..))

-- A scalar in one of two formats of the same size.
--
-- The order is tested only where the number is read, outside of which its size is known. So rules
-- can join the number with its neighbours. For the same reason the functions below do not name
-- their argument: GHC then inlines them even if they are not applied.
ordered :: Scalar a -> Scalar a -> ByteOrder -> Get a
ordered little big order =
  fixedGet (scalarSize little) (OneWidth (scalarSize little)) $ \p -> case order of
    LittleEndian -> scalarRead little p
    BigEndian -> scalarRead big p
{-# INLINE ordered #-}

-- | A number of 16 bits: 2 bytes.
getWord16 :: ByteOrder -> Get Word16
getWord16 = ordered P.word16LE P.word16BE
{-# INLINE getWord16 #-}

-- | A number of 24 bits: 3 bytes.
getWord24 :: ByteOrder -> Get Word32
getWord24 = ordered P.word24LE P.word24BE
{-# INLINE getWord24 #-}

-- | A number of 32 bits: 4 bytes.
getWord32 :: ByteOrder -> Get Word32
getWord32 = ordered P.word32LE P.word32BE
{-# INLINE getWord32 #-}

-- | A number of 64 bits: 8 bytes.
getWord64 :: ByteOrder -> Get Word64
getWord64 = ordered P.word64LE P.word64BE
{-# INLINE getWord64 #-}

-- | A number of 16 bits in two's complement: 2 bytes.
getInt16 :: ByteOrder -> Get Int16
getInt16 = ordered P.int16LE P.int16BE
{-# INLINE getInt16 #-}

-- | A number of 24 bits in two's complement: 3 bytes.
getInt24 :: ByteOrder -> Get Int32
getInt24 = ordered P.int24LE P.int24BE
{-# INLINE getInt24 #-}

-- | A number of 32 bits in two's complement: 4 bytes.
getInt32 :: ByteOrder -> Get Int32
getInt32 = ordered P.int32LE P.int32BE
{-# INLINE getInt32 #-}

-- | A number of 64 bits in two's complement: 8 bytes.
getInt64 :: ByteOrder -> Get Int64
getInt64 = ordered P.int64LE P.int64BE
{-# INLINE getInt64 #-}

-- | The 4 bytes of an IEEE 754 number. A NaN keeps its payload.
getFloat :: ByteOrder -> Get Float
getFloat = ordered P.floatLE P.floatBE
{-# INLINE getFloat #-}

-- | The 8 bytes of an IEEE 754 number. A NaN keeps its payload.
getDouble :: ByteOrder -> Get Double
getDouble = ordered P.doubleLE P.doubleBE
{-# INLINE getDouble #-}
