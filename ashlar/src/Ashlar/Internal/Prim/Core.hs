{-# LANGUAGE MagicHash #-}

-- |
-- Module      : Ashlar.Internal.Prim.Core
-- Description : The types of primitives: FixedPrim and BoundedPrim
--
-- A primitive is a number of bytes, exact or an upper bound, and a function that writes a
-- value into them. A builder of a primitive reserves that many bytes and calls the function.
--
-- The names are those of @Data.ByteString.Builder.Prim.Internal@.
module Ashlar.Internal.Prim.Core
  ( -- * Fixed size
    Size,
    FixedPrim,
    fixedPrim,
    size,
    runF,
    contramapF,

    -- * Bounded size
    BoundedPrim,
    boundedPrim,
    sizeBound,
    runB,
    contramapB,
    toB,
  )
where

import Ashlar.Internal.Mem.Check
import Data.Functor.Contravariant (Contravariant (..))
import Data.Word (Word8)
import Foreign.Ptr (Ptr, plusPtr)
import GHC.Exts (Int (I#), isTrue#, (<#))

-- | A number of bytes.
type Size = Int

-- Refuses a negative size, which would move a builder's cursor backwards. For a literal, the
-- compiler decides the test, as in Note [Sizes that add up] in
-- "Ashlar.Internal.Prim.Combinators".
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
