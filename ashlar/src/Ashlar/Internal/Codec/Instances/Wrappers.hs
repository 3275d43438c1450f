{-# LANGUAGE DeriveTraversable #-}
{-# LANGUAGE DerivingStrategies #-}
{-# LANGUAGE ScopedTypeVariables #-}
{-# OPTIONS_GHC -fno-do-lambda-eta-expansion #-}

-- |
-- Module      : Ashlar.Internal.Codec.Instances.Wrappers
-- Description : Text and characters in other formats
module Ashlar.Internal.Codec.Instances.Wrappers
  ( UTF16 (..),
    ScalarValue (..),
    Varint (..),
    Zigzag (..),
    VarintNumber,
    BigEndian (..),
    HostEndian (..),
    ByteOrdered (..),
    Compact (..),
  )
where

import Ashlar.Internal.Builder.Bytes (atOnceOr,   inBatches,  )
import Ashlar.Internal.Builder.Core
import Ashlar.Internal.Codec.Class
import Ashlar.Internal.Codec.Fixed
import Ashlar.Internal.Codec.Instances.Base ()
import Ashlar.Internal.Codec.Length
import Ashlar.Internal.Get.Core
import Ashlar.Internal.Get.Error
import Ashlar.Internal.Get.Fail
import Ashlar.Internal.Get.Failure (nothingFound)
import Ashlar.Internal.Get.Numbers (getByteString)
import Ashlar.Internal.Mem (pokeLE)
import Ashlar.Internal.Mem.Check (unsafeIndex)
import qualified Ashlar.Internal.Prim.Scalar as P
import Ashlar.Internal.Prim.Text
import Ashlar.Internal.Prim.Varint.LEB128 (unZigzag64, zigzag64)
import Data.Bits (unsafeShiftR, (.&.))
import qualified Data.ByteString as S
import Data.Char (ord)
import Data.Int (Int16, Int32, Int64, Int8)
import qualified Data.Text as T
import qualified Data.Text.Encoding as T
import Data.Word (Word16, Word32, Word64, Word8)
import Foreign.Ptr (plusPtr)
import qualified GHC.ByteOrder as ByteOrder

-- | Text in UTF-16: the number of units of 16 bits, and the units, least significant byte first.
-- Decoding refuses unpaired surrogates. @store@ writes this format on a little-endian machine, with
-- @text@ before version 2.
--
-- >>> encode (UTF16 "a")
-- "\SOH\NUL\NUL\NUL\NUL\NUL\NUL\NULa\NUL"
newtype UTF16 = UTF16 {getUTF16 :: T.Text}
  deriving stock (Eq, Ord, Show)

-- Note [UTF-16]
-- ~~~~~~~~~~~~~
-- Before version 2, text has UTF-16 in memory. Then encoding is a copy, and decoding a copy and a
-- check for surrogates without a partner. From version 2 on, C code converts (@cbits/utf16.c@). The
-- obvious program, with a builder for each character and the decoder of text, takes several times
-- as long, on both. On machines with the most significant byte first, and for texts of more units
-- than one foreign call may take, that program still runs. (Benchmark "UTF16". The tests "UTF-16 of
-- any length" meet all limits.)
instance Codec UTF16 where
  layout = Var lengthSize
  size (UTF16 t) = lengthSize + 2 * utf16LengthOf t
  put (UTF16 t) = putUtf16 t
  get = getLength >>= \n -> UTF16 <$> getUtf16 n

-- If the free space holds the longest encoding of the text, one pass writes the text, and then its
-- length in front of it.
putUtf16 :: T.Text -> Builder
putUtf16 t = atOnceOr longer lengthSize roomFor $ \p -> do
  -- All units fit at once.
  bytes <- writeUtf16 (p `plusPtr` lengthSize) t 0 n
  pokeLE p (fromIntegral (bytes `quot` 2) :: Word64)
  pure (p `plusPtr` (lengthSize + bytes))
  where
    n = lengthUnits t
    longer = append (putLength (utf16LengthOf t)) (textUtf16 t)
    roomFor free = n <= free `quot` 2 && n <= maxForeignUnits && littleEndian
{-# NOINLINE putUtf16 #-}

-- The units, least significant byte first.
textUtf16 :: T.Text -> Builder
textUtf16 t
  | littleEndian = action $ \c k ->
    inBatches c k (lengthUnits t) 8 (\left -> max 8 (2 * left)) (utf16UnitsThatFit t) $ \p off n ->
      plusPtr p <$> writeUtf16 p t off n
  | otherwise = T.foldr (\x rest -> append (utf16Char x) rest) empty t

littleEndian :: Bool
littleEndian = case ByteOrder.targetByteOrder of
  ByteOrder.LittleEndian -> True
  ByteOrder.BigEndian -> False
{-# INLINE littleEndian #-}

utf16Char :: Char -> Builder
utf16Char c = ensure 4 $ \p ->
  if n < 0x10000
    then (p `plusPtr` 2) <$ pokeLE p (fromIntegral n :: Word16)
    else do
      pokeLE p (fromIntegral (0xD7C0 + (n `unsafeShiftR` 10)) :: Word16)
      pokeLE (p `plusPtr` 2) (fromIntegral (0xDC00 + (n .&. 0x3FF)) :: Word16)
      pure (p `plusPtr` 4)
  where
    n = ord c

-- A text of n units.
getUtf16 :: Int -> Get T.Text
getUtf16 n
  | n > maxBound `quot` 2 = invalid "a length that does not fit"
  | n > 0 && n <= maxForeignUnits && littleEndian = consume (2 * n) $ \p ->
    effect (decodeUtf16At p n) >>= maybe (unpaired n) pure
  | otherwise = refine utf16Text (getByteString (2 * n))

-- Fail, with the cursor before n units.
unpaired :: Int -> Get a
unpaired n = do
  at <- here
  failWith (at + 2 * n) at nothingFound (Invalid invalidUtf16)
{-# NOINLINE unpaired #-}

invalidUtf16 :: String
invalidUtf16 = "invalid UTF-16"

-- The text of an even number of bytes.
utf16Text :: S.ByteString -> Either String T.Text
utf16Text bs
  | paired 0 = Right $! T.decodeUtf16LE bs
  | otherwise = Left invalidUtf16
  where
    paired i
      | i >= S.length bs = True
      | isHalf 0xD8 i = i + 2 < S.length bs && isHalf 0xDC (i + 2) && paired (i + 4)
      | otherwise = not (isHalf 0xDC i) && paired (i + 2)
    -- The index is even and less than the length, which is even, too. So the next byte exists.
    isHalf :: Word8 -> Int -> Bool
    isHalf high i = unsafeIndex bs (i + 1) .&. 0xFC == high

-- | A character that is not a surrogate: decoding refuses surrogates. The instance of 'Char' allows
-- them, because GHC's file names contain them.
newtype ScalarValue = ScalarValue {getScalarValue :: Char}
  deriving stock (Eq, Ord, Show)

instance Codec ScalarValue where
  layout = Fix fixedScalarValue
  size _ = fixedSize fixedScalarValue
  put = putFixed fixedScalarValue
  get = getFixed fixedScalarValue
  {-# INLINE layout #-}
  {-# INLINE size #-}
  {-# INLINE put #-}
  {-# INLINE get #-}

fixedScalarValue :: Fixed ScalarValue
fixedScalarValue = case layout of
  Fix f -> fixedChecked getScalarValue check f
  Var _ -> errorWithoutStackTrace "Ashlar.Codec: characters have a constant size"
  where
    check c
      | c >= '\xD800' && c <= '\xDFFF' = Left "a surrogate"
      | otherwise = Right (ScalarValue c)
{-# INLINE fixedScalarValue #-}

-- Unfoldings must not be eta-expanded: see Note [Generic methods].

-- |
-- Module      : Ashlar.Internal.Codec.Instances.Wrappers
-- SECTION Numbers and lengths in other formats

-- | A number in unsigned LEB128 (the varint of Protocol Buffers): one byte below 128,
-- two below 16,384, up to ten. A negative number is written as 64 bits in two's complement and so
-- takes ten bytes: use 'Zigzag' for these. Decoding refuses numbers that do not fit the type.
--
-- >>> encode (Varint (300 :: Int))
-- "\172\STX"
newtype Varint a = Varint {getVarintNumber :: a}
  deriving stock (Eq, Ord, Show, Functor, Foldable, Traversable)

instance VarintNumber a => Codec (Varint a) where
  layout = Var 1
  size (Varint n) = varintSize (fromIntegral n)
  put (Varint n) = putVarint (fromIntegral n)
  get = Varint <$> getVarintAs fromIntegral (\w -> fits w (fromIntegral w))
  {-# INLINE size #-}
  {-# INLINE put #-}
  {-# INLINE get #-}

-- | A number as the 'Varint' of its position in 0, -1, 1, -2, 2 and so on: one byte from -64 to 63.
--
-- >>> encode (Zigzag (-3 :: Int))
-- "\ENQ"
newtype Zigzag a = Zigzag {getZigzagNumber :: a}
  deriving stock (Eq, Ord, Show, Functor, Foldable, Traversable)

instance VarintNumber a => Codec (Zigzag a) where
  layout = Var 1
  size (Zigzag n) = varintSize (zigzag64 (fromIntegral n))
  put (Zigzag n) = putVarint (zigzag64 (fromIntegral n))

  -- (A type without a sign has no number for every second byte.)
  get = Zigzag <$> getVarintAs (number . fromIntegral) (\w -> fits (unZigzag64 w) (number w))
    where
      number w = fromIntegral (unZigzag64 w)
  {-# INLINE size #-}
  {-# INLINE put #-}
  {-# INLINE get #-}

-- The second number was made of the first. Is it still the same?
fits :: (Integral w, Integral a) => w -> a -> Either String a
fits w n
  | fromIntegral n == w = Right n
  | otherwise = Left "a varint that does not fit its type"
{-# INLINE fits #-}

-- | Numbers of at most 64 bits.
class Integral a => VarintNumber a

instance VarintNumber Word8

instance VarintNumber Word16

instance VarintNumber Word32

instance VarintNumber Word64

instance VarintNumber Word

instance VarintNumber Int8

instance VarintNumber Int16

instance VarintNumber Int32

instance VarintNumber Int64

instance VarintNumber Int

-- | Most significant byte first ("network order").
--
-- >>> encode (BigEndian (258 :: Word16))
-- "\SOH\STX"
newtype BigEndian a = BigEndian {getBigEndian :: a}
  deriving stock (Eq, Ord, Show, Functor, Foldable, Traversable)

instance ByteOrdered a => Codec (BigEndian a) where
  layout = Fix (fixedMap getBigEndian BigEndian fixedBE)
  size _ = fixedSize (fixedBE :: Fixed a)
  put (BigEndian x) = putFixed fixedBE x
  get = BigEndian <$> getFixed fixedBE
  {-# INLINE layout #-}
  {-# INLINE size #-}
  {-# INLINE put #-}
  {-# INLINE get #-}

-- | In the byte order of the machine, to share with programs on the same machine only: another
-- machine may read another number. On a little-endian machine it is the usual format.
newtype HostEndian a = HostEndian {getHostEndian :: a}
  deriving stock (Eq, Ord, Show, Functor, Foldable, Traversable)

instance ByteOrdered a => Codec (HostEndian a) where
  layout = Fix (fixedMap getHostEndian HostEndian fixedHost)
  size _ = fixedSize (fixedHost :: Fixed a)
  put (HostEndian x) = putFixed fixedHost x
  get = HostEndian <$> getFixed fixedHost
  {-# INLINE layout #-}
  {-# INLINE size #-}
  {-# INLINE put #-}
  {-# INLINE get #-}

fixedHost :: ByteOrdered a => Fixed a
fixedHost = case ByteOrder.targetByteOrder of
  ByteOrder.LittleEndian -> fixedLE
  ByteOrder.BigEndian -> fixedBE
{-# INLINE fixedHost #-}

-- | Numbers of constant size. 'Word8' and 'Int8' have no byte order, and no instance.
class ByteOrdered a where
  -- | Least significant byte first.
  fixedLE :: Fixed a

  -- | Most significant byte first.
  fixedBE :: Fixed a

instance ByteOrdered Word16 where
  fixedLE = fixedWord16LE
  fixedBE = fixedScalar False P.word16BE
  {-# INLINE fixedLE #-}
  {-# INLINE fixedBE #-}

instance ByteOrdered Word32 where
  fixedLE = fixedWord32LE
  fixedBE = fixedScalar False P.word32BE
  {-# INLINE fixedLE #-}
  {-# INLINE fixedBE #-}

instance ByteOrdered Word64 where
  fixedLE = fixedWord64LE
  fixedBE = fixedScalar False P.word64BE
  {-# INLINE fixedLE #-}
  {-# INLINE fixedBE #-}

instance ByteOrdered Int16 where
  fixedLE = fixedInt16LE
  fixedBE = fixedScalar False P.int16BE
  {-# INLINE fixedLE #-}
  {-# INLINE fixedBE #-}

instance ByteOrdered Int32 where
  fixedLE = fixedInt32LE
  fixedBE = fixedScalar False P.int32BE
  {-# INLINE fixedLE #-}
  {-# INLINE fixedBE #-}

instance ByteOrdered Int64 where
  fixedLE = fixedInt64LE
  fixedBE = fixedScalar False P.int64BE
  {-# INLINE fixedLE #-}
  {-# INLINE fixedBE #-}

-- | 8 bytes on every machine.
instance ByteOrdered Word where
  fixedLE = fixedWord
  fixedBE = fixedChecked fromIntegral narrow (fixedBE :: Fixed Word64)
  {-# INLINE fixedLE #-}
  {-# INLINE fixedBE #-}

-- | 8 bytes on every machine.
instance ByteOrdered Int where
  fixedLE = fixedInt
  fixedBE = fixedChecked fromIntegral narrow (fixedBE :: Fixed Int64)
  {-# INLINE fixedLE #-}
  {-# INLINE fixedBE #-}

instance ByteOrdered Float where
  fixedLE = fixedFloatLE
  fixedBE = fixedScalar False P.floatBE
  {-# INLINE fixedLE #-}
  {-# INLINE fixedBE #-}

instance ByteOrdered Double where
  fixedLE = fixedDoubleLE
  fixedBE = fixedScalar False P.doubleBE
  {-# INLINE fixedLE #-}
  {-# INLINE fixedBE #-}

-- The numbers of one byte, -64 to 127, fit every type, so only the others are checked.

compactLength :: Get Int
compactLength = getVarintAs fromIntegral toLength
  where
    toLength w
      | w <= fromIntegral (maxBound :: Int) = Right (fromIntegral w)
      | otherwise = Left "a length that does not fit"
{-# INLINE compactLength #-}

-- | A string, list, vector, map or set with its length as a 'Varint': one byte instead of eight, up
-- to a length of 127. Lengths inside its elements still take eight bytes.
--
-- There are instances of 'Counted' for lists, @NonEmpty@, 'Data.Text.Text' and ByteStrings (strict,
-- lazy and short), the four kinds of vector, the arrays of @primitive@, @Map@, @IntMap@, @Set@,
-- @IntSet@ and @Seq@. The package @ashlar-instances@ has those for @HashMap@ and @HashSet@.
--
-- >>> encode (Compact ("ab" :: Text))
-- "\STXab"
newtype Compact a = Compact {getCompact :: a}
  deriving stock (Eq, Ord, Show, Functor, Foldable, Traversable)

instance Counted a => Codec (Compact a) where
  layout = Var 1
  size (Compact x) = varintSize (fromIntegral (counted x)) + sizeCounted x
  put (Compact x) = putCompact x
  get = compactLength >>= \n -> Compact <$> getCounted n
  {-# INLINE size #-}
  {-# INLINE put #-}
  {-# INLINE get #-}
