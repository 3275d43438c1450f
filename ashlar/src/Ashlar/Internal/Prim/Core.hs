{-# LANGUAGE MagicHash #-}
{-# LANGUAGE ScopedTypeVariables #-}
{-# LANGUAGE UnboxedTuples #-}

-- |
-- Module      : Ashlar.Internal.Prim.Core
-- Description : The types of primitives, combinators, and what writers of numbers share
--
-- A primitive is a number of bytes, exact or an upper bound, and a function that writes a
-- value into them. A builder of a primitive reserves that many bytes and calls the function. The
-- compiler adds up the sizes: @word8 '>*<' word32LE@ is a primitive of 5 bytes, and a builder of it
-- reserves them with one check.
--
-- The names are those of @Data.ByteString.Builder.Prim.Internal@.
--
-- Note [Sizes that add up]
-- ~~~~~~~~~~~~~~~~~~~~~~~~
-- A pair takes the sum of two sizes. If that sum overflowed, it would be negative, every check
-- of the free space would succeed, and the write would run off the buffer. So an overflow is an
-- error. The test uses the machine's own operators, because GHC decides those on literals
-- before it tries the rules for builders. The operators of 'Int' are unfolded too late (Note
-- [Fusing reservations] in "Ashlar.Internal.Builder.Core"). The test "a pair that is too large
-- is refused" covers this, and the inspection tests count the checks that remain.
module Ashlar.Internal.Prim.Core
  ( -- * Fixed size
    Size,
    FixedPrim,
    fixedPrim,
    size,
    runF,
    emptyF,
    contramapF,
    pairF,

    -- * Bounded size
    BoundedPrim,
    boundedPrim,
    sizeBound,
    runB,
    emptyB,
    contramapB,
    pairB,
    eitherB,
    condB,
    toB,
    liftFixedToBounded,

    -- * Both kinds
    (>$<),
    (>*<),
    Monoidal (..),

    -- * Values as they lie in memory
    storableReserved,
    storableWrite,
    storableToF,

    -- * What writers of numbers share
    Write#,
    write#,
    callWrite,
    timesWide,
    timesHigh,
    timesHalves,
  )
where

import Ashlar.Internal.Mem (copyRange, fillRange, moveDown, pokeHost)
import Ashlar.Internal.Mem.Check
import Data.Bits (finiteBitSize, unsafeShiftL, unsafeShiftR, (.&.), (.|.))
import Data.Functor.Contravariant (Contravariant (..), (>$<))
import Data.Word (Word16, Word32, Word64, Word8)
import Foreign.Marshal.Alloc (allocaBytes)
import Foreign.Ptr (Ptr, minusPtr, nullPtr, plusPtr)
import Foreign.Storable (Storable, alignment, sizeOf)
import GHC.Exts
  ( Addr#,
    Int (I#),
    Ptr (Ptr),
    RealWorld,
    State#,
    Word (W#),
    isTrue#,
    timesWord2#,
    (+#),
    (<#),
    (>=#),
  )
import GHC.IO (IO (..))

-- | A number of bytes.
type Size = Int

-- Refuses a negative size, which would move a builder's cursor backwards. For a literal, the
-- compiler decides the test, as in Note [Sizes that add up].
checked :: Int -> Int
checked (I# n) = if isTrue# (n <# 0#) then negative else I# n
{-# INLINE checked #-}

negative :: Int
negative = errorWithoutStackTrace "Ashlar.Builder.Prim: a primitive of negative size"
{-# NOINLINE negative #-}

-- | How to write values that all take the same number of bytes.
data FixedPrim a = FixedPrim !Int (a -> Ptr Word8 -> IO ())

-- | A primitive of fixed size, from the function that writes its values.
--
-- Nothing checks the function. If it writes anything outside of its @n@ bytes, it corrupts
-- memory.
fixedPrim ::
  -- | @n@, the size of a value in bytes. A negative size is an error.
  Size ->
  -- | Write a value at the given address: exactly @n@ bytes.
  (a -> Ptr Word8 -> IO ()) ->
  FixedPrim a
fixedPrim n = FixedPrim (checked n) . exactlyEach "bound" "fixedPrim" n
{-# INLINE fixedPrim #-}

-- | The number of bytes that every value takes.
size :: FixedPrim a -> Size
size (FixedPrim n _) = n
{-# INLINE size #-}

-- | Write a value at an address, where 'size' bytes must be writable.
runF :: FixedPrim a -> a -> Ptr Word8 -> IO ()
runF (FixedPrim _ write) = write
{-# INLINE runF #-}

-- | Apply a function to the value, then write the result.
-- 'Data.Functor.Contravariant.>$<' for fixed sizes.
contramapF :: (b -> a) -> FixedPrim a -> FixedPrim b
contramapF f (FixedPrim n write) = FixedPrim n (\x p -> write (f x) p)
{-# INLINE contramapF #-}

instance Contravariant FixedPrim where
  contramap = contramapF
  {-# INLINE contramap #-}

-- | How to write values that take at most a given number of bytes.
data BoundedPrim a = BoundedPrim !Int (a -> Ptr Word8 -> IO (Ptr Word8))

-- | A primitive of bounded size, from the function that writes its values.
--
-- Nothing checks the function. If it writes anything outside of its @n@ bytes, it corrupts
-- memory.
boundedPrim ::
  -- | @n@, the most bytes that a value takes. A negative bound is an error.
  Size ->
  -- | Write a value at the given address: at most @n@ bytes. Return the address after the value.
  -- The bytes from there up to the bound may be overwritten.
  (a -> Ptr Word8 -> IO (Ptr Word8)) ->
  BoundedPrim a
boundedPrim n = BoundedPrim (checked n) . withinEach "bound" "boundedPrim" n
{-# INLINE boundedPrim #-}

-- | The most bytes that a value takes.
sizeBound :: BoundedPrim a -> Size
sizeBound (BoundedPrim n _) = n
{-# INLINE sizeBound #-}

-- | Write a value at an address, where 'sizeBound' bytes must be writable. Return the address
-- after the value.
runB :: BoundedPrim a -> a -> Ptr Word8 -> IO (Ptr Word8)
runB (BoundedPrim _ write) = write
{-# INLINE runB #-}

-- | Apply a function to the value, then write the result.
-- 'Data.Functor.Contravariant.>$<' for bounded sizes.
contramapB :: (b -> a) -> BoundedPrim a -> BoundedPrim b
contramapB f (BoundedPrim n write) = BoundedPrim n (\x p -> write (f x) p)
{-# INLINE contramapB #-}

instance Contravariant BoundedPrim where
  contramap = contramapB
  {-# INLINE contramap #-}

-- | Forget that the size is exact. Every fixed size is a bound.
toB :: FixedPrim a -> BoundedPrim a
toB (FixedPrim n write) = BoundedPrim n (\x p -> write x p >> pure (p `plusPtr` n))
{-# INLINE toB #-}

-- Write functions that are called, not inlined.
--
-- Writing a number as text takes dozens of instructions. User code should call them, not contain
-- them. But a function that returns a pointer in 'IO' allocates a box for it, unless GHC inlines
-- the function. So these functions have unboxed types.

-- | Write a value at an address, and return the address after it.
type Write# a = a -> Addr# -> State# RealWorld -> (# State# RealWorld, Addr# #)

-- GHC inlines both functions as soon as they have one argument. So the compiled writer takes value,
-- address and state, and callWrite calls it with all three.

-- | Defines a function that is marked NOINLINE.
write# :: (a -> Ptr Word8 -> IO (Ptr Word8)) -> Write# a
write# f = \x p s -> case f x (Ptr p) of IO m -> case m s of (# s', Ptr q #) -> (# s', q #)
{-# INLINE write# #-}

-- | Calls a function that 'write#' defines.
callWrite :: Write# a -> a -> Ptr Word8 -> IO (Ptr Word8)
callWrite f = \x (Ptr p) -> IO (\s -> case f x p s of (# s', q #) -> (# s', Ptr q #))
{-# INLINE callWrite #-}

-- Products of 128 bits, from factors of 64.

-- | The high and the low 64 bits of a product.
timesWide :: Word64 -> Word64 -> (# Word64, Word64 #)
timesWide x y
  -- A 64-bit machine has an instruction for this, and the conversions cost nothing. The
  -- compiler decides the condition.
  | finiteBitSize (0 :: Word) == 64 = timesWord (fromIntegral x) (fromIntegral y)
  | otherwise = timesHalves x y
{-# INLINE timesWide #-}

-- | The high 64 bits of a product.
timesHigh :: Word64 -> Word64 -> Word64
timesHigh x y = case timesWide x y of (# hi, _ #) -> hi
{-# INLINE timesHigh #-}

timesWord :: Word -> Word -> (# Word64, Word64 #)
timesWord (W# x) (W# y) = case timesWord2# x y of
  (# hi, lo #) -> (# fromIntegral (W# hi), fromIntegral (W# lo) #)
{-# INLINE timesWord #-}

-- | 'timesWide' for 32-bit machines, by long multiplication of halves. No sum overflows: each is
-- at most (2^32 - 1)^2 + 2 (2^32 - 1) = 2^64 - 1.
timesHalves :: Word64 -> Word64 -> (# Word64, Word64 #)
timesHalves x y = (# hi, (middle' `unsafeShiftL` 32) .|. lower bottom #)
  where
    bottom = lower x * lower y
    middle = upper x * lower y + upper bottom
    middle' = lower x * upper y + lower middle
    hi = upper x * upper y + upper middle + upper middle'
    upper z = z `unsafeShiftR` 32
    lower z = z .&. 0xFFFFFFFF

-- | Primitives that can be written one after the other.
class Contravariant f => Monoidal f where
  -- | Write two values, one after the other. The same as '>*<'.
  pair :: f a -> f b -> f (a, b)

instance Monoidal FixedPrim where
  pair = pairF
  {-# INLINE pair #-}

instance Monoidal BoundedPrim where
  pair = pairB
  {-# INLINE pair #-}

infixr 5 >*<

-- | Write two values, one after the other.
--
-- >>> toLazyByteString (P.primFixed (P.word8 P.>*< P.word16LE) (1, 2))
-- "\SOH\STX\NUL"
--
-- It is an error if the sum of the sizes does not fit an 'Int'.
(>*<) :: Monoidal f => f a -> f b -> f (a, b)
(>*<) = pair
{-# INLINE (>*<) #-}

-- The sum of two sizes, neither of which is negative.
plus :: Int -> Int -> Int
plus (I# m) (I# n) = if isTrue# ((m +# n) <# 0#) then tooLarge else I# (m +# n)
{-# INLINE plus #-}

tooLarge :: Int
tooLarge =
  errorWithoutStackTrace
    "Ashlar.Builder.Prim: the size of a pair of primitives is too large for an Int"
{-# NOINLINE tooLarge #-}

larger :: Int -> Int -> Int
larger (I# m) (I# n) = if isTrue# (m >=# n) then I# m else I# n
{-# INLINE larger #-}

-- | Write nothing. The value is not forced.
emptyF :: FixedPrim a
emptyF = fixedPrim 0 (\_ _ -> pure ())
{-# INLINE emptyF #-}

-- | Write two values, one after the other. '>*<' for fixed sizes.
pairF :: FixedPrim a -> FixedPrim b -> FixedPrim (a, b)
-- Each half writes at most its own share of the sum.
pairF a b =
  fixedPrim
    (size a `plus` size b)
    (\(x, y) p -> runF a x p >> runF b y (p `plusPtr` size a))
{-# INLINE pairF #-}

-- | Write nothing. The value is not forced.
emptyB :: BoundedPrim a
emptyB = boundedPrim 0 (\_ p -> pure p)
{-# INLINE emptyB #-}

-- | Write two values, one after the other. '>*<' for bounded sizes.
pairB :: BoundedPrim a -> BoundedPrim b -> BoundedPrim (a, b)
-- The first half leaves at least as many bytes as the second may write.
pairB a b = boundedPrim (sizeBound a `plus` sizeBound b) (\(x, y) p -> runB a x p >>= runB b y)
{-# INLINE pairB #-}

-- | Write a 'Left' with the first primitive, a 'Right' with the second.
eitherB :: BoundedPrim a -> BoundedPrim b -> BoundedPrim (Either a b)
-- The larger bound suffices for either primitive. The same holds for condB.
eitherB a b = boundedPrim (sizeBound a `larger` sizeBound b) (\x p -> either (`a'` p) (`b'` p) x)
  where
    a' = runB a
    b' = runB b
{-# INLINE eitherB #-}

-- | Write values that pass the test with the first primitive, all others with the second.
--
-- >>> let byte = fromIntegral . fromEnum P.>$< P.liftFixedToBounded P.word8
-- >>> let latin1 = P.condB (<= '\xFF') byte P.emptyB
-- >>> toLazyByteString (P.primMapListBounded latin1 "a\8364\&b")
-- "ab"
condB :: (a -> Bool) -> BoundedPrim a -> BoundedPrim a -> BoundedPrim a
condB test yes no =
  boundedPrim
    (sizeBound yes `larger` sizeBound no)
    (\x p -> if test x then runB yes x p else runB no x p)
{-# INLINE condB #-}

-- | Forget that the size is exact. The name that bytestring gives to 'toB'.
liftFixedToBounded :: FixedPrim a -> BoundedPrim a
liftFixedToBounded = toB
{-# INLINE liftFixedToBounded #-}

-- | The bytes to reserve for a value of this size at the next address of this alignment.
storableReserved :: Int -> Int -> Int
storableReserved bytes align
  | bytes >= 0 && bytes <= maxBound - gap = bytes + gap
  | otherwise = errorWithoutStackTrace "Ashlar.Builder: storable with an impossible size"
  where
    gap = max 1 align - 1
{-# INLINE storableReserved #-}

-- Note [Storable at any address]
-- ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
-- A number may be written at any address (Note [Unaligned access]). But the 'poke' of an unknown
-- type may be a C function, compiled to instructions that need the alignment it asks for. So it
-- writes at the next address of this alignment, and the bytes are then moved down by less than the
-- alignment. They are cleared first. Otherwise bytes that 'poke' does not write would show what the
-- memory held: the output would depend on the sink (INV-B4) and leak data.

-- | Write a value. The size and the alignment are the arguments of 'storableReserved'.
storableWrite :: Storable a => Int -> Int -> a -> Ptr Word8 -> IO (Ptr Word8)
storableWrite bytes align0 x p = do
  clear q bytes
  pokeHost q x
  -- Both ranges lie within the bytes that were reserved.
  if gap == 0 then pure () else moveDown p q bytes
  pure (p `plusPtr` bytes)
  where
    gap = gapBefore (max 1 align0) p
    q = p `plusPtr` gap
{-# INLINE storableWrite #-}

-- | A value as by 'Ashlar.Builder.Unsafe.storable', as a primitive of 'sizeOf' bytes.
--
-- >>> import Ashlar.Builder.Prim.Unsafe (storableToF)
-- >>> toLazyByteString (P.primMapListFixed storableToF [1, 2 :: Word8])
-- "\SOH\STX"
storableToF :: forall a. Storable a => FixedPrim a
storableToF = fixedPrim bytes $ \x p -> case gapBefore align p of
  0 -> clear p bytes >> pokeHost p x
  -- Note [Storable at any address]. Unlike in 'storableWrite', no bytes are reserved for the gap.
  _ -> allocaBytes (storableReserved bytes align) $ \q0 -> do
    let q = q0 `plusPtr` gapBefore align q0
    clear q bytes
    pokeHost q x
    copyRange p q bytes
  where
    bytes = sizeOf (undefined :: a)
    align = max 1 (alignment (undefined :: a))
{-# INLINE storableToF #-}

-- Bytes from an address to the next one of this alignment.
gapBefore :: Int -> Ptr Word8 -> Int
gapBefore align p
  | align .&. (align - 1) == 0 = negate address .&. (align - 1)
  | otherwise = negate address `mod` align
  where
    address = p `minusPtr` nullPtr
{-# INLINE gapBefore #-}

clear :: Ptr Word8 -> Int -> IO ()
clear p n
  | n == 1 = pokeHost p (0 :: Word8)
  | n == 2 = pokeHost p (0 :: Word16)
  | n == 4 = pokeHost p (0 :: Word32)
  | n == 8 = pokeHost p (0 :: Word64)
  | otherwise = fillRange p 0 n
{-# INLINE clear #-}
