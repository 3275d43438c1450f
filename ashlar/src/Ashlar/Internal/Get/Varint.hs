-- |
-- Module      : Ashlar.Internal.Get.Varint
-- Description : The decoder of a varint format
--
-- Note [Numbers of one byte]
-- ~~~~~~~~~~~~~~~~~~~~~~~~~~
-- Most numbers in such formats are small. One of a single byte is read in code, like a
-- 'Ashlar.Get.getWord8' with a comparison. All others are read by a call.
module Ashlar.Internal.Get.Varint
  ( getVarint,
    getConverted,
  )
where

import Ashlar.Internal.Get.Core
import Ashlar.Internal.Get.Env
import Ashlar.Internal.Get.Error
import Ashlar.Internal.Get.Fail (refine)
import Ashlar.Internal.Get.Failure (peekFound)
import Ashlar.Internal.Mem (peekHost)
import Ashlar.Internal.Mem.Cells
import Ashlar.Internal.Prim.Varint.BigEndian (readBigEndian, readGitOffset, readSQLite)
import Ashlar.Internal.Prim.Varint.Groups
import Ashlar.Internal.Prim.Varint.Prefix (readPrefixed)
import Ashlar.Internal.Prim.Varint.Type
import Ashlar.Internal.Prim.Varint.VLQ (readSignAndMagnitude)
import Data.Either (isRight)
import Data.Word (Word64, Word8)
import Foreign.Ptr (Ptr, minusPtr)

-- | A number in a varint format. The strict decoders of "Ashlar.Get.Varint" are this one, each for
-- a format of "Ashlar.Prim.Varint".
--
-- >>> import Ashlar.Get.Varint (getVarint)
-- >>> import qualified Ashlar.Prim.Varint as P
-- >>> runGet (getVarint P.int32Zigzag) "\ETX"
-- Right (-2)
getVarint :: Varint a -> Get a
getVarint format = startingWith alone short long (coded code)
  where
    ReadHalf alone short code long = varintRead format
{-# INLINE getVarint #-}

-- | An unsigned number of 64 bits in LEB128, converted. One that is refused fails with a message at
-- its first byte.
getConverted ::
  -- | What a number of one byte is, if it is accepted.
  (Word8 -> a) ->
  -- | What any number is.
  (Word64 -> Either String a) ->
  Get a
getConverted short check = startingWith alone short id (refine check longest)
  where
    longest = longUnsigned Shortest 0 maxBound
    alone b = b < 0x80 && isRight (check (fromIntegral b))
{-# INLINE getConverted #-}

-- A number: what a single byte is, for those bytes of which a predicate holds; what all
-- others are, made of what is read. It is forced.
startingWith :: (Word8 -> Bool) -> (Word8 -> a) -> (w -> a) -> Get w -> Get a
startingWith alone short long readLong = do
  need 1
  b <- inspect (\_ _ p -> peekHost p)
  if alone b
    then moveBy 1 *> (pure $! short b)
    else readLong >>= \x -> pure $! long x
{-# INLINE startingWith #-}

-- One decoder for each code: Note [A code is no function] in "Ashlar.Internal.Prim.Varint.Type".
coded :: Code -> Get Word64
coded code = case code of
  Unsigned form (Range toZero greatest) -> longUnsigned form toZero greatest
  Signed form (Range toZero greatest) -> longSigned form toZero greatest
  BigEndian form (Range toZero greatest) -> longBigEndian form toZero greatest
  SignAndMagnitude (Range toZero greatest) -> longSignAndMagnitude toZero greatest
  Prefixed greatest -> longPrefixed greatest
  GitOffset greatest -> longGitOffset greatest
  SQLite -> longSQLite
  Lenient -> longLenient
{-# INLINE coded #-}

longUnsigned, longSigned, longBigEndian :: Form -> Word64 -> Word64 -> Get Word64
longUnsigned form toZero greatest = reading (readUnsigned form (Range toZero greatest))
longSigned form toZero greatest = reading (readSigned form (Range toZero greatest))
longBigEndian form toZero greatest = reading (readBigEndian form (Range toZero greatest))
{-# NOINLINE longUnsigned #-}
{-# NOINLINE longSigned #-}
{-# NOINLINE longBigEndian #-}

longSignAndMagnitude :: Word64 -> Word64 -> Get Word64
longSignAndMagnitude toZero greatest = reading (readSignAndMagnitude (Range toZero greatest))
{-# NOINLINE longSignAndMagnitude #-}

longGitOffset :: Word64 -> Get Word64
longGitOffset greatest = reading (readGitOffset greatest)
{-# NOINLINE longGitOffset #-}

longSQLite :: Get Word64
longSQLite = reading readSQLite
{-# NOINLINE longSQLite #-}

longPrefixed :: Word64 -> Get Word64
longPrefixed greatest = reading (readPrefixed greatest)
{-# NOINLINE longPrefixed #-}

longLenient :: Get Word64
longLenient = reading readLenient
{-# NOINLINE longLenient #-}

-- The number that a function reads at the cursor. The function is given the bytes that are readable
-- there, and is called again when it needs more.
reading :: (Ptr Word8 -> Int -> IO Decoded) -> Get Word64
reading rd = go
  where
    go = do
      decoded <- inspect (\c _ p -> getPtr c endCell >>= \e -> rd p (e `minusPtr` p))
      case decoded of
        Decoded n x -> x <$ moveBy n
        -- More than there are, so this comes to an end.
        Needs n -> need n *> go
        Overlong n -> refused n "a varint that is not in its shortest form"
        TooLarge n -> refused n "a varint that does not fit its type"
        NegativeZero n -> refused n "a varint of negative zero"
        TooLong n -> refused n ("a varint of more than " ++ show n ++ " bytes")
{-# INLINE reading #-}

-- Fail because of a number that is refused.
refused ::
  -- Its bytes, which are there.
  Int ->
  String ->
  Get a
refused n message = do
  at <- here
  found <- inspect (\_ _ p -> peekFound p n)
  failWith (at + n) at found (Invalid message)
{-# NOINLINE refused #-}
