{-# LANGUAGE PolyKinds #-}
-- Unfoldings must not be eta-expanded: Note [Generic methods] in "Ashlar.Internal.Codec.Derive".
{-# OPTIONS_GHC -Wno-orphans -fno-do-lambda-eta-expansion #-}

-- |
-- Module      : Ashlar.Internal.Codec.Instances.PackedLeaves
-- Description : The packed format of types without parts
module Ashlar.Internal.Codec.Instances.PackedLeaves () where

import Ashlar.Codec.Wrappers
import Ashlar.Internal.Builder.Core
import Ashlar.Internal.Codec.Bits
import Ashlar.Internal.Codec.Class
import Ashlar.Internal.Codec.Instances.Base ()
import Ashlar.Internal.Codec.Instances.Containers ()
import Ashlar.Internal.Codec.Instances.Numbers ()
import Ashlar.Internal.Codec.Instances.Strings (scalarValue)
import Ashlar.Internal.Codec.Length
import Ashlar.Internal.Codec.Pack
import Ashlar.Internal.Get.Core
import Ashlar.Internal.Get.Fail (refine)
import qualified Data.ByteString as S
import qualified Data.ByteString.Lazy as L
import qualified Data.ByteString.Short as SBS
import Data.Char (chr, ord)
import Data.Fixed (Fixed)
import Data.Int (Int16, Int32, Int64, Int8)
import Data.Primitive.ByteArray (ByteArray)
import qualified Data.Text as T
import qualified Data.Text.Lazy as TL
import Data.Time.Calendar (CalendarDiffDays, Day, DayOfWeek)
import Data.Time.Clock (DiffTime, NominalDiffTime, UTCTime, UniversalTime)
import Data.Time.Clock.TAI (AbsoluteTime)
import Data.Time.LocalTime (CalendarDiffTime, LocalTime, TimeOfDay)
import Data.Word (Word16, Word32, Word64, Word8)
import Numeric.Natural (Natural)

-- Parts that are as in the plain format.

-- A part in the plain format of another type.
putAs :: Codec b => (a -> b) -> Pool -> a -> Builder
putAs there _ x = put (there x)
{-# INLINE putAs #-}

getAs :: Codec b => (b -> a) -> Get a
getAs back = get >>= \x -> pure $! back x
{-# INLINE getAs #-}

instance Pack Word8 where
  packing = putAs id
  unpacking = getAs id
  mayBeEmpty _ = -1
  {-# INLINE packing #-}
  {-# INLINE unpacking #-}

instance Pack Int8 where
  packing = putAs id
  unpacking = getAs id
  mayBeEmpty _ = -1
  {-# INLINE packing #-}
  {-# INLINE unpacking #-}

instance Pack Float where
  packing = putAs id
  unpacking = getAs id
  mayBeEmpty _ = -1
  {-# INLINE packing #-}
  {-# INLINE unpacking #-}

instance Pack Double where
  packing = putAs id
  unpacking = getAs id
  mayBeEmpty _ = -1
  {-# INLINE packing #-}
  {-# INLINE unpacking #-}

instance Pack Integer where
  packing = putAs id
  unpacking = getAs id
  mayBeEmpty _ = -1
  {-# INLINE packing #-}
  {-# INLINE unpacking #-}

instance Pack Natural where
  packing = putAs id
  unpacking = getAs id
  mayBeEmpty _ = -1
  {-# INLINE packing #-}
  {-# INLINE unpacking #-}

instance Pack Day where
  packing = putAs id
  unpacking = getAs id
  mayBeEmpty _ = -1
  {-# INLINE packing #-}
  {-# INLINE unpacking #-}

instance Pack DiffTime where
  packing = putAs id
  unpacking = getAs id
  mayBeEmpty _ = -1
  {-# INLINE packing #-}
  {-# INLINE unpacking #-}

instance Pack NominalDiffTime where
  packing = putAs id
  unpacking = getAs id
  mayBeEmpty _ = -1
  {-# INLINE packing #-}
  {-# INLINE unpacking #-}

instance Pack UTCTime where
  packing = putAs id
  unpacking = getAs id
  mayBeEmpty _ = -1
  {-# INLINE packing #-}
  {-# INLINE unpacking #-}

instance Pack UniversalTime where
  packing = putAs id
  unpacking = getAs id
  mayBeEmpty _ = -1
  {-# INLINE packing #-}
  {-# INLINE unpacking #-}

instance Pack AbsoluteTime where
  packing = putAs id
  unpacking = getAs id
  mayBeEmpty _ = -1
  {-# INLINE packing #-}
  {-# INLINE unpacking #-}

instance Pack TimeOfDay where
  packing = putAs id
  unpacking = getAs id
  mayBeEmpty _ = -1
  {-# INLINE packing #-}
  {-# INLINE unpacking #-}

instance Pack LocalTime where
  packing = putAs id
  unpacking = getAs id
  mayBeEmpty _ = -1
  {-# INLINE packing #-}
  {-# INLINE unpacking #-}

instance Pack CalendarDiffDays where
  packing = putAs id
  unpacking = getAs id
  mayBeEmpty _ = -1
  {-# INLINE packing #-}
  {-# INLINE unpacking #-}

instance Pack CalendarDiffTime where
  packing = putAs id
  unpacking = getAs id
  mayBeEmpty _ = -1
  {-# INLINE packing #-}
  {-# INLINE unpacking #-}

instance Pack UTF16 where
  packing = putAs id
  unpacking = getAs id
  mayBeEmpty _ = -1
  {-# INLINE packing #-}
  {-# INLINE unpacking #-}

instance Pack (Fixed e) where
  packing = putAs id
  unpacking = getAs id
  mayBeEmpty _ = -1
  {-# INLINE packing #-}
  {-# INLINE unpacking #-}

instance VarintNumber a => Pack (Varint a) where
  packing = putAs id
  unpacking = getAs id
  mayBeEmpty _ = -1
  {-# INLINE packing #-}
  {-# INLINE unpacking #-}

instance VarintNumber a => Pack (Zigzag a) where
  packing = putAs id
  unpacking = getAs id
  mayBeEmpty _ = -1
  {-# INLINE packing #-}
  {-# INLINE unpacking #-}

instance ByteOrdered a => Pack (BigEndian a) where
  packing = putAs id
  unpacking = getAs id
  mayBeEmpty _ = -1
  {-# INLINE packing #-}
  {-# INLINE unpacking #-}

instance ByteOrdered a => Pack (HostEndian a) where
  packing = putAs id
  unpacking = getAs id
  mayBeEmpty _ = -1
  {-# INLINE packing #-}
  {-# INLINE unpacking #-}

-- Numbers, and strings with their lengths.

instance Pack Word16 where
  packing = putAs Varint
  unpacking = getAs getVarintNumber
  mayBeEmpty _ = -1
  {-# INLINE packing #-}
  {-# INLINE unpacking #-}

instance Pack Word32 where
  packing = putAs Varint
  unpacking = getAs getVarintNumber
  mayBeEmpty _ = -1
  {-# INLINE packing #-}
  {-# INLINE unpacking #-}

instance Pack Word64 where
  packing = putAs Varint
  unpacking = getAs getVarintNumber
  mayBeEmpty _ = -1
  {-# INLINE packing #-}
  {-# INLINE unpacking #-}

instance Pack Word where
  packing = putAs Varint
  unpacking = getAs getVarintNumber
  mayBeEmpty _ = -1
  {-# INLINE packing #-}
  {-# INLINE unpacking #-}

instance Pack Int16 where
  packing = putAs Zigzag
  unpacking = getAs getZigzagNumber
  mayBeEmpty _ = -1
  {-# INLINE packing #-}
  {-# INLINE unpacking #-}

instance Pack Int32 where
  packing = putAs Zigzag
  unpacking = getAs getZigzagNumber
  mayBeEmpty _ = -1
  {-# INLINE packing #-}
  {-# INLINE unpacking #-}

instance Pack Int64 where
  packing = putAs Zigzag
  unpacking = getAs getZigzagNumber
  mayBeEmpty _ = -1
  {-# INLINE packing #-}
  {-# INLINE unpacking #-}

instance Pack Int where
  packing = putAs Zigzag
  unpacking = getAs getZigzagNumber
  mayBeEmpty _ = -1
  {-# INLINE packing #-}
  {-# INLINE unpacking #-}

instance Pack S.ByteString where
  packing = putAs Compact
  unpacking = getAs getCompact
  mayBeEmpty _ = -1
  {-# INLINE packing #-}
  {-# INLINE unpacking #-}

instance Pack L.ByteString where
  packing = putAs Compact
  unpacking = getAs getCompact
  mayBeEmpty _ = -1
  {-# INLINE packing #-}
  {-# INLINE unpacking #-}

instance Pack SBS.ShortByteString where
  packing = putAs Compact
  unpacking = getAs getCompact
  mayBeEmpty _ = -1
  {-# INLINE packing #-}
  {-# INLINE unpacking #-}

instance Pack T.Text where
  packing = putAs Compact
  unpacking = getAs getCompact
  mayBeEmpty _ = -1
  {-# INLINE packing #-}
  {-# INLINE unpacking #-}

instance Pack TL.Text where
  packing = putAs Compact
  unpacking = getAs getCompact
  mayBeEmpty _ = -1
  {-# INLINE packing #-}
  {-# INLINE unpacking #-}

instance Pack ByteArray where
  packing = putAs Compact
  unpacking = getAs getCompact
  mayBeEmpty _ = -1
  {-# INLINE packing #-}
  {-# INLINE unpacking #-}

instance Copyable a => Pack (Copied a) where
  packing = putAs Compact
  unpacking = getAs getCompact
  mayBeEmpty _ = -1
  {-# INLINE packing #-}
  {-# INLINE unpacking #-}

-- | The code point in LEB128.
instance Pack Char where
  packing _ c = putVarint (fromIntegral (ord c))
  unpacking = getVarintAs (chr . fromIntegral) toChar
    where
      toChar w
        | w <= 0x10FFFF = Right (chr (fromIntegral w))
        | otherwise = Left ("a Char is at most 1114111, not " ++ show w)
  mayBeEmpty _ = -1
  {-# INLINE packing #-}
  {-# INLINE unpacking #-}

-- | As a 'Char'. Decoding refuses surrogates.
instance Pack ScalarValue where
  packing pool (ScalarValue c) = packing pool c
  unpacking = refine scalarValue unpacking
  mayBeEmpty _ = -1

-- | A symbol of 8, of which the first stands for no day: a schema has it as a constructor that is
-- retired.
instance Pack DayOfWeek where
  packing pool d = putSymbol pool 8 (fromEnum d)
  unpacking = refine day (getSymbol 8)
    where
      day n = if n == 0 then Left "DayOfWeek: not from 1 to 7" else Right (toEnum n)
  mayBeEmpty _ = -1

-- | One bit.
instance Pack Bool where
  packing pool b = putSymbol pool 2 (if b then 1 else 0)
  unpacking = (== 1) <$> getSymbol 2
  mayBeEmpty _ = -1
  {-# INLINE packing #-}
  {-# INLINE unpacking #-}
