{-# LANGUAGE MagicHash #-}
{-# LANGUAGE UnboxedTuples #-}

-- |
-- Module      : Ashlar.Internal.Prim.Combinators
-- Description : Combinators that build primitives from primitives, and padding
--
-- The combinators of @Data.ByteString.Builder.Prim@. The compiler adds up the sizes:
-- @word8 '>*<' word32LE@ is a primitive of 5 bytes, and a builder of it reserves them with one
-- check.
--
-- Note [Sizes that add up]
-- ~~~~~~~~~~~~~~~~~~~~~~~~
-- A pair takes the sum of two sizes. If that sum overflowed, it would be negative, every check
-- of the free space would succeed, and the write would run off the buffer. So an overflow is an
-- error. The test uses the machine's own operators, because GHC decides those on literals
-- before it tries the rules for builders. The operators of 'Int' are unfolded too late (Note
-- [Fusing reservations] in "Ashlar.Internal.Builder.Core"). The test "a pair that is too large
-- is refused" covers this, and the inspection tests count the checks that remain.
module Ashlar.Internal.Prim.Combinators
  ( -- * Both kinds
    (>$<),
    (>*<),
    Monoidal (..),

    -- * Fixed size
    emptyF,
    contramapF,
    pairF,

    -- * Bounded size
    emptyB,
    contramapB,
    pairB,
    eitherB,
    condB,
    liftFixedToBounded,
    word64DecAtLeast,
    int64DecAtLeast,
    rightAlign,
  )
where

import Ashlar.Internal.Prim.Core
import Ashlar.Internal.Prim.Decimal
import Data.Functor.Contravariant (Contravariant, (>$<))
import Data.Int (Int64)
import Data.Word (Word64, Word8)
import Foreign.Marshal.Utils (fillBytes, moveBytes)
import Foreign.Ptr (Ptr, minusPtr, plusPtr)
import GHC.Exts (Int (I#), isTrue#, (+#), (<#), (>#), (>=#))

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

-- Decimal numbers with leading zeros.

-- | A number in decimal, with leading zeros up to a minimum number of digits. Longer numbers
-- are not cut.
--
-- >>> toLazyByteString (P.primMapListBounded (P.word64DecAtLeast 3) [7, 12345])
-- "00712345"
word64DecAtLeast ::
  -- | The least number of digits.
  Int ->
  BoundedPrim Word64
word64DecAtLeast n = boundedPrim (atLeast20 n) (callWrite (writeAtLeast n))
{-# INLINE word64DecAtLeast #-}

-- | A signed number in decimal, with leading zeros up to a minimum number of characters. Longer
-- numbers are not cut.
--
-- >>> toLazyByteString (P.primMapListBounded (P.int64DecAtLeast 4) [-7, 7])
-- "-0070007"
int64DecAtLeast ::
  -- | The least number of characters. A minus sign counts, and comes before the zeros.
  Int ->
  BoundedPrim Int64
int64DecAtLeast n = boundedPrim (atLeast20 n) (callWrite (writeSignedAtLeast n))
{-# INLINE int64DecAtLeast #-}

-- The bound of 'word64DecAtLeast' and 'int64DecAtLeast': n bytes, or 20 if that is more. The
-- longest number has 20 digits, and the longest negative one a sign and 19 digits. For a literal,
-- GHC decides the comparison, as in Note [Sizes that add up].
atLeast20 :: Int -> Int
atLeast20 (I# n) = if isTrue# (n ># 20#) then I# n else 20
{-# INLINE atLeast20 #-}

writeAtLeast :: Int -> Write# Word64
writeAtLeast n = write# $ \x p ->
  if n <= 8 && x < 100000000
    then writeFrom (64 - 8 * max 1 n) x p
    else callWrite writeWord64 x p >>= rightAlign 0x30 n p
{-# NOINLINE writeAtLeast #-}

writeSignedAtLeast :: Int -> Write# Int64
writeSignedAtLeast n = write# $ \x p ->
  if x < 0
    then withSign (callWrite (writeAtLeast (max 1 n - 1))) x p
    else callWrite (writeAtLeast n) (fromIntegral x) p
{-# NOINLINE writeSignedAtLeast #-}

-- | Pad on the left what was just written, and return its new end. If it is wide enough already,
-- do nothing.
rightAlign ::
  -- | The byte to pad with.
  Word8 ->
  -- | The width @n@. It may be any number.
  Int ->
  -- | Where the written bytes start: @n@ bytes must be writable from here on.
  Ptr Word8 ->
  -- | Their end.
  Ptr Word8 ->
  IO (Ptr Word8)
rightAlign filler n p p'
  -- Compared first, because n - len overflows for some negative n. Below, len < n: the bytes
  -- from p to p + n are all that is written.
  | len >= n = pure p'
  | otherwise = do
    moveBytes (p `plusPtr` (n - len)) p len
    fillBytes p filler (n - len)
    pure (p `plusPtr` n)
  where
    len = p' `minusPtr` p
