{-# LANGUAGE MagicHash #-}
-- Unfoldings must not be eta-expanded: Note [Generic methods] in "Ashlar.Internal.Codec.Derive".
{-# OPTIONS_GHC -fno-do-lambda-eta-expansion #-}

-- |
-- Module      : Ashlar.Internal.Codec.Fixed
-- Description : Formats in which every value takes the same number of bytes
--
-- What "Ashlar.Codec.Combinators" exports of them, and functions for the library alone.
--
-- A 'Fixed' is made only from the formats of this module and by combining them. So its size, its
-- write half and its read half always agree, and memory can be reserved for many values at once.
module Ashlar.Internal.Codec.Fixed
  ( Fixed,
    fixedSize,

    -- * Using one
    putFixed,
    getFixed,

    -- * Numbers
    fixedWord8,
    fixedWord16LE,
    fixedWord32LE,
    fixedWord64LE,
    fixedInt8,
    fixedInt16LE,
    fixedInt32LE,
    fixedInt64LE,
    fixedWord,
    fixedInt,
    fixedFloatLE,
    fixedDoubleLE,

    -- * Putting formats together
    fixedUnit,
    fixedPair,
    fixedMap,
    fixedChecked,

    -- * For the library itself
    narrow,
    plusSize,
    isCutOff,
    unlessCutOff,
    cutOffMessage,
    fixedWrite,
    fixedRead,
    fixedPlain,
    fixedNames,
    fixedNamed,
    fixedScalar,
    fixedRaw,
  )
where

import Ashlar.Internal.Builder.Core
import Ashlar.Internal.Get.Core
import Ashlar.Internal.Get.Fail
import Ashlar.Internal.Get.Path
import Ashlar.Internal.Mem.Check
import Ashlar.Internal.Prim.Scalar (Scalar (..))
import qualified Ashlar.Internal.Prim.Scalar as P
import Data.Bits (finiteBitSize)
import Data.Int (Int16, Int32, Int64, Int8)
import Data.Word (Word16, Word32, Word64, Word8)
import Foreign.Ptr (Ptr, plusPtr)
import GHC.ByteOrder (ByteOrder (..), targetByteOrder)
import GHC.Exts (Int (I#), Int#, andI#, negateInt#, orI#, (+#), (>#))

-- | A format in which every value of type @a@ takes the same number of bytes.
data Fixed a = Fixed Int# Bool Names (Ptr Word8 -> a -> IO ()) (Ptr Word8 -> Get a)

-- Functions, not fields: with a field, anyone could update the size alone.

-- | The number of bytes that each value takes.
fixedSize :: Fixed a -> Int
fixedSize (Fixed n _ _ _ _) = I# n
{-# INLINE fixedSize #-}

-- | Does the format have the bytes that 'Foreign.Storable.Storable' and @Prim@ have in memory, and
-- are all bytes valid? Then many values are copied at once.
fixedPlain :: Fixed a -> Bool
fixedPlain (Fixed _ plain _ _ _) = plain
{-# INLINE fixedPlain #-}

-- | What errors say of the type.
fixedNames :: Fixed a -> Names
fixedNames (Fixed _ _ names _ _) = names
{-# INLINE fixedNames #-}

-- | The same format with other names for errors.
fixedNamed :: Names -> Fixed a -> Fixed a
fixedNamed names (Fixed n plain _ write rd) = Fixed n plain names write rd
{-# INLINE fixedNamed #-}

-- | A format from its halves. The two must agree.
fixedRaw ::
  -- | The size: n bytes.
  Int ->
  -- | What errors say of the type.
  Names ->
  -- | Writes exactly n bytes.
  (Ptr Word8 -> a -> IO ()) ->
  -- | Reads n bytes, without moving the cursor.
  (Ptr Word8 -> Get a) ->
  Fixed a
fixedRaw (I# n) = Fixed n False
{-# INLINE fixedRaw #-}

-- | Write a value at an address: exactly 'fixedSize' bytes, which must be writable. Use it for a
-- buffer of your own, where 'putFixed' would mean a run of a builder for each value.
--
-- >>> import Ashlar.Codec.Combinators
-- >>> import Ashlar.Codec.Unsafe (fixedWrite)
-- >>> import qualified Data.ByteString.Internal as B
-- >>> B.create (fixedSize fixedWord16LE) (\p -> fixedWrite fixedWord16LE p 258)
-- "\STX\SOH"
fixedWrite :: Fixed a -> Ptr Word8 -> a -> IO ()
fixedWrite (Fixed n _ _ write _) = filling "bound" "fixedWrite" (I# n) write
{-# INLINE fixedWrite #-}

-- | Read exactly 'fixedSize' bytes at an address. They must be in the current segment. The cursor
-- does not move.
fixedRead :: Fixed a -> Ptr Word8 -> Get a
fixedRead (Fixed _ _ _ _ rd) = rd
{-# INLINE fixedRead #-}

-- | Write a value in a format.
putFixed :: Fixed a -> a -> Builder
putFixed format x = ensure (fixedSize format) $ \p ->
  (p `plusPtr` fixedSize format) <$ fixedWrite format p x
{-# INLINE putFixed #-}

-- | Read a value in a format.
getFixed :: Fixed a -> Get a
getFixed format = consume (fixedSize format) (fixedRead format)
{-# INLINE getFixed #-}

-- | The format of a scalar. The flag says whether this machine has the same bytes in memory.
fixedScalar :: Bool -> Scalar a -> Fixed a
fixedScalar plain format = case scalarSize format of
  I# n -> Fixed n plain Nameless (scalarWrite format) (\p -> effect (scalarRead format p))
{-# INLINE fixedScalar #-}

-- Does this machine have the least significant byte first in memory, like the formats below?
plainLE :: Bool
plainLE = case targetByteOrder of
  LittleEndian -> True
  BigEndian -> False
{-# INLINE plainLE #-}

-- | One byte.
fixedWord8 :: Fixed Word8
fixedWord8 = fixedScalar True P.word8

-- | One byte, in two's complement.
fixedInt8 :: Fixed Int8
fixedInt8 = fixedScalar True P.int8

-- | A number of 16 bits, least significant byte first.
fixedWord16LE :: Fixed Word16
fixedWord16LE = fixedScalar plainLE P.word16LE

-- | A number of 32 bits, least significant byte first.
fixedWord32LE :: Fixed Word32
fixedWord32LE = fixedScalar plainLE P.word32LE

-- | A number of 64 bits, least significant byte first.
fixedWord64LE :: Fixed Word64
fixedWord64LE = fixedScalar plainLE P.word64LE

-- | A number of 16 bits in two's complement, least significant byte first.
fixedInt16LE :: Fixed Int16
fixedInt16LE = fixedScalar plainLE P.int16LE

-- | A number of 32 bits in two's complement, least significant byte first.
fixedInt32LE :: Fixed Int32
fixedInt32LE = fixedScalar plainLE P.int32LE

-- | A number of 64 bits in two's complement, least significant byte first.
fixedInt64LE :: Fixed Int64
fixedInt64LE = fixedScalar plainLE P.int64LE

-- | The 4 bytes of an IEEE 754 number, least significant first.
fixedFloatLE :: Fixed Float
fixedFloatLE = fixedScalar plainLE P.floatLE

-- | The 8 bytes of an IEEE 754 number, least significant first.
fixedDoubleLE :: Fixed Double
fixedDoubleLE = fixedScalar plainLE P.doubleLE

-- | A 'Word' as 64 bits, least significant byte first, on every machine. Where words have 32 bits,
-- reading a number above 'maxBound' fails.
fixedWord :: Fixed Word
fixedWord
  -- A literal pattern: Int's own operator is unfolded too late.
  | I# 64# <- finiteBitSize (0 :: Word) = fixedScalar plainLE P.wordAs64LE
  | otherwise = fixedChecked fromIntegral narrow fixedWord64LE

-- | An 'Int' as 64 bits in two's complement, least significant byte first, on every machine. Where
-- an 'Int' has 32 bits, reading a number beyond its bounds fails.
fixedInt :: Fixed Int
fixedInt
  | I# 64# <- finiteBitSize (0 :: Int) = fixedScalar plainLE P.intAs64LE
  | otherwise = fixedChecked fromIntegral narrow fixedInt64LE

-- | A number of 64 bits as a word of the machine. Where words have 32 bits, not every number fits.
narrow :: (Integral a, Integral b) => a -> Either String b
narrow n
  | fromIntegral m == n = Right m
  | otherwise = Left (outOfBounds (toInteger n))
  where
    m = fromIntegral n
{-# INLINE narrow #-}

outOfBounds :: Integer -> String
outOfBounds n = "number out of bounds: " ++ show n
{-# NOINLINE outOfBounds #-}

-- | The sum of two sizes, cut off at a number of bytes that no memory has. A type that doubles at
-- each level (@data Perfect a = Zero a | Succ (Perfect (a, a))@) has formats of any size, and a sum
-- that overflowed would pass every check.
plusSize :: Int -> Int -> Int
plusSize (I# m) (I# n) = case sizeLimit of
  -- Both are at most the limit, so the sum does not overflow. If it is above the limit, all its
  -- bits are set, and the mask leaves those of the limit. Why no branch: Note [Generic methods].
  I# limit -> I# (((m +# n) `orI#` negateInt# ((m +# n) ># limit)) `andI#` limit)
{-# INLINE plusSize #-}

-- The limit of 'plusSize'. All its bits are set, so it is also a mask.
sizeLimit :: Int
sizeLimit = maxBound `quot` 8

-- | Has a sum of sizes been cut off at a size that memory could have? That happens on 32 bits only.
-- On 64 bits no buffer and no input is ever that large, and the answer is 'False'. The function has
-- no pragma, so that GHC inlines this answer elsewhere, and not the code as it stands here.
-- (@scripts/compile-times --check@.)
isCutOff :: Int -> Bool
isCutOff n = finiteBitSize n < 64 && n >= sizeLimit

-- | A format of this size. If the size has been cut off, a format that only fails: the halves of
-- the given one would go beyond the size. (The size is an argument, so that the format occurs once,
-- and is inlined at once.)
unlessCutOff :: Int -> Fixed a -> Fixed a
unlessCutOff n f = if isCutOff n then neverUsed else f
{-# INLINE unlessCutOff #-}

neverUsed :: Fixed a
neverUsed =
  fixedRaw
    sizeLimit
    Nameless
    (\_ _ -> ioError (userError ("Ashlar.Codec: " ++ cutOffMessage)))
    (\p -> invalidAt p 0 cutOffMessage)
{-# NOINLINE neverUsed #-}

cutOffMessage :: String
cutOffMessage = "a type of constant size that takes more bytes than this machine can handle"
{-# NOINLINE cutOffMessage #-}

-- | No bytes, for a type of one value.
fixedUnit :: a -> Fixed a
fixedUnit x = Fixed 0# False Nameless (\_ _ -> pure ()) (\_ -> pure x)
{-# INLINE fixedUnit #-}

-- | One value after another.
fixedPair ::
  -- | The first part.
  (c -> a) ->
  -- | The second part.
  (c -> b) ->
  -- | The whole, from its parts.
  (a -> b -> c) ->
  -- | The format of the first part.
  Fixed a ->
  -- | The format of the second part.
  Fixed b ->
  Fixed c
fixedPair left right both a b =
  -- Each half has the bytes of its own format.
  unlessCutOff n $
    fixedRaw
      n
      Nameless
      (\p x -> fixedWrite a p (left x) >> fixedWrite b (p `plusPtr` fixedSize a) (right x))
      ( \p ->
          fixedRead a p >>= \x ->
            fixedRead b (p `plusPtr` fixedSize a) >>= \y -> pure (both x y)
      )
  where
    n = plusSize (fixedSize a) (fixedSize b)
{-# INLINE fixedPair #-}

-- | The format of one type for another that corresponds to it.
--
-- The two functions must undo each other. If they do not, values come back changed, and nothing
-- worse happens.
fixedMap ::
  -- | For writing.
  (b -> a) ->
  -- | For reading.
  (a -> b) ->
  Fixed a ->
  Fixed b
fixedMap there back f =
  fixedRaw (fixedSize f) (fixedNames f) (\p x -> fixedWrite f p (there x)) $ \p ->
    fixedRead f p >>= \x -> pure (back x)
{-# INLINE fixedMap #-}

-- | The format of one type for another that corresponds to some of its values. Reading any other
-- value fails with the message that the function returns ('Ashlar.Get.Invalid').
--
-- The law of @'fixedChecked' there back@ is @back (there x) == 'Right' x@.
fixedChecked ::
  -- | For writing.
  (b -> a) ->
  -- | For reading: a value, or what is wrong with it.
  (a -> Either String b) ->
  Fixed a ->
  Fixed b
fixedChecked there back f =
  fixedRaw (fixedSize f) (fixedNames f) (\p x -> fixedWrite f p (there x)) $ \p ->
    fixedRead f p >>= \x -> either (invalidAt p (fixedSize f)) pure (back x)
{-# INLINE fixedChecked #-}
