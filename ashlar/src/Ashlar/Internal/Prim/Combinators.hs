{-# LANGUAGE MagicHash #-}

-- |
-- Module      : Ashlar.Internal.Prim.Combinators
-- Description : Primitives from primitives
--
-- The combinators of @Data.ByteString.Builder.Prim@. Sizes are added up while a
-- program is compiled: @word8 '>*<' word32LE@ is a primitive of 5 bytes, and a
-- builder of it makes one check for them.
--
-- Note [Sizes that add up]
-- ~~~~~~~~~~~~~~~~~~~~~~~~
-- A pair takes the sum of two sizes. A sum that overflowed would be negative,
-- every check of the room left would hold, and the write would run off the buffer.
-- So it is an error. The test is made of the machine's own operators, which GHC
-- decides on literals before its rules for builders are tried; those of 'Int' are
-- unfolded too late (Note [Fusing reservations] in "Ashlar.Internal.Builder.Core").
-- (Tests "a pair that is too large is refused", and "checks of the room left in the
-- buffer" among the inspection tests.)
module Ashlar.Internal.Prim.Combinators
  ( -- * Both kinds
    (>$<),
    (>*<),
    Monoidal (..),

    -- * Exactly so many bytes
    emptyF,
    contramapF,
    pairF,

    -- * At most so many bytes
    emptyB,
    contramapB,
    pairB,
    eitherB,
    condB,
    liftFixedToBounded,
  )
where

import Ashlar.Internal.Prim.Core
import Data.Functor.Contravariant (Contravariant, (>$<))
import Foreign.Ptr (plusPtr)
import GHC.Exts (Int (I#), isTrue#, (+#), (<#), (>=#))

-- | Primitives that can be put side by side.
--
-- @since 0.1.0.0
class Contravariant f => Monoidal f where
  -- | Two values, one after the other: '>*<'.
  --
  -- @since 0.1.0.0
  pair :: f a -> f b -> f (a, b)

instance Monoidal FixedPrim where
  pair = pairF
  {-# INLINE pair #-}

instance Monoidal BoundedPrim where
  pair = pairB
  {-# INLINE pair #-}

infixr 5 >*<

-- | Two values, one after the other.
--
-- >>> toLazyByteString (P.primFixed (P.word8 P.>*< P.word16LE) (1, 2))
-- "\SOH\STX\NUL"
--
-- An error if the sum of the sizes is larger than an 'Int'.
--
-- @since 0.1.0.0
(>*<) :: Monoidal f => f a -> f b -> f (a, b)
(>*<) = pair
{-# INLINE (>*<) #-}

-- The sum of two sizes, neither of which is negative.
plus :: Int -> Int -> Int
plus (I# m) (I# n) = if isTrue# ((m +# n) <# 0#) then tooLarge else I# (m +# n)
{-# INLINE plus #-}

tooLarge :: Int
tooLarge = errorWithoutStackTrace "Ashlar.Builder.Prim: the size of a pair of primitives is too large for an Int"
{-# NOINLINE tooLarge #-}

-- The larger of two sizes.
larger :: Int -> Int -> Int
larger (I# m) (I# n) = if isTrue# (m >=# n) then I# m else I# n
{-# INLINE larger #-}

-- | Nothing, for any value, which is not forced.
--
-- @since 0.1.0.0
emptyF :: FixedPrim a
emptyF = fixedPrim 0 (\_ _ -> pure ())
{-# INLINE emptyF #-}

-- | Two values, one after the other: '>*<' for fixed sizes.
--
-- @since 0.1.0.0
pairF :: FixedPrim a -> FixedPrim b -> FixedPrim (a, b)
-- Both halves are given the bytes that the sum is for.
pairF a b = fixedPrim (size a `plus` size b) (\(x, y) p -> runF a x p >> runF b y (p `plusPtr` size a))
{-# INLINE pairF #-}

-- | Nothing, for any value, which is not forced.
--
-- @since 0.1.0.0
emptyB :: BoundedPrim a
emptyB = boundedPrim 0 (\_ p -> pure p)
{-# INLINE emptyB #-}

-- | Two values, one after the other: '>*<' for bounded sizes.
--
-- @since 0.1.0.0
pairB :: BoundedPrim a -> BoundedPrim b -> BoundedPrim (a, b)
-- The first half leaves at least what the second may take.
pairB a b = boundedPrim (sizeBound a `plus` sizeBound b) (\(x, y) p -> runB a x p >>= runB b y)
{-# INLINE pairB #-}

-- | One primitive or the other, for the two sides of an 'Either'.
--
-- @since 0.1.0.0
eitherB :: BoundedPrim a -> BoundedPrim b -> BoundedPrim (Either a b)
-- The bound of both is the larger one, here and below.
eitherB a b = boundedPrim (sizeBound a `larger` sizeBound b) (\x p -> either (`a'` p) (`b'` p) x)
  where
    a' = runB a
    b' = runB b
{-# INLINE eitherB #-}

-- | The first primitive for values for which the test holds, and the second for
-- the others.
--
-- >>> let latin1 = P.condB (<= '\xFF') (fromIntegral . fromEnum P.>$< P.liftFixedToBounded P.word8) P.emptyB
-- >>> toLazyByteString (P.primMapListBounded latin1 "a\8364\&b")
-- "ab"
--
-- @since 0.1.0.0
condB :: (a -> Bool) -> BoundedPrim a -> BoundedPrim a -> BoundedPrim a
condB test yes no =
  boundedPrim (sizeBound yes `larger` sizeBound no) (\x p -> if test x then runB yes x p else runB no x p)
{-# INLINE condB #-}

-- | A fixed number of bytes is a bound.
--
-- @since 0.1.0.0
liftFixedToBounded :: FixedPrim a -> BoundedPrim a
liftFixedToBounded = toB
{-# INLINE liftFixedToBounded #-}
