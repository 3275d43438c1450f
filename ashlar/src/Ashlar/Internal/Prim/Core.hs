{-# LANGUAGE MagicHash #-}

-- |
-- Module      : Ashlar.Internal.Prim.Core
-- Description : Writing values of a fixed or bounded number of bytes
--
-- The write half of a format, as a value: how many bytes it takes (exactly, or at
-- most), and the function that writes them. Reserving so much room and then calling
-- the function is all that a builder of such a format does.
--
-- The names are those of @Data.ByteString.Builder.Prim.Internal@.
module Ashlar.Internal.Prim.Core
  ( -- * Exactly so many bytes
    Size,
    FixedPrim,
    fixedPrim,
    size,
    runF,
    contramapF,

    -- * At most so many bytes
    BoundedPrim,
    boundedPrim,
    sizeBound,
    runB,
    contramapB,
    toB,
  )
where

import Data.Functor.Contravariant (Contravariant (..))
import Data.Word (Word8)
import Foreign.Ptr (Ptr, plusPtr)
import GHC.Exts (Int (I#), isTrue#, (<#))

-- | A number of bytes.
--
-- @since 0.1.0.0
type Size = Int

-- A size, which is refused if it is negative: builders would go backwards. The
-- test of a literal is decided while a program is compiled, as in
-- Note [Sizes that add up] in "Ashlar.Internal.Prim.Combinators".
checked :: Int -> Int
checked (I# n) = if isTrue# (n <# 0#) then negative else I# n
{-# INLINE checked #-}

negative :: Int
negative = errorWithoutStackTrace "Ashlar.Builder.Prim: a primitive of negative size"
{-# NOINLINE negative #-}

-- | How to write values of a type that all take the same number of bytes.
--
-- @since 0.1.0.0
data FixedPrim a = FixedPrim !Int (a -> Ptr Word8 -> IO ())

-- | @fixedPrim n write@ writes each value by @write@, which must write exactly @n@ bytes
-- at the address that it is given. Nothing checks that it does; if it writes others,
-- memory is corrupted. A negative @n@ is an error.
--
-- @since 0.1.0.0
fixedPrim :: Size -> (a -> Ptr Word8 -> IO ()) -> FixedPrim a
fixedPrim n = FixedPrim (checked n)
{-# INLINE fixedPrim #-}

-- | Bytes that a value takes.
--
-- @since 0.1.0.0
size :: FixedPrim a -> Size
size (FixedPrim n _) = n
{-# INLINE size #-}

-- | Write a value: 'size' bytes must be writable.
--
-- @since 0.1.0.0
runF :: FixedPrim a -> a -> Ptr Word8 -> IO ()
runF (FixedPrim _ write) = write
{-# INLINE runF #-}

-- | Apply a function to the value, then write the result:
-- 'Data.Functor.Contravariant.>$<' for fixed sizes.
--
-- @since 0.1.0.0
contramapF :: (b -> a) -> FixedPrim a -> FixedPrim b
contramapF f (FixedPrim n write) = FixedPrim n (\x p -> write (f x) p)
{-# INLINE contramapF #-}

instance Contravariant FixedPrim where
  contramap = contramapF
  {-# INLINE contramap #-}

-- | How to write values of a type that take at most some number of bytes.
--
-- @since 0.1.0.0
data BoundedPrim a = BoundedPrim !Int (a -> Ptr Word8 -> IO (Ptr Word8))

-- | @boundedPrim n write@ writes each value by @write@, which must write at most @n@
-- bytes at the address that it is given, and return the address behind them. Nothing
-- checks that it does; if it writes more, memory is corrupted. A negative @n@ is an
-- error.
--
-- @since 0.1.0.0
boundedPrim :: Size -> (a -> Ptr Word8 -> IO (Ptr Word8)) -> BoundedPrim a
boundedPrim n = BoundedPrim (checked n)
{-# INLINE boundedPrim #-}

-- | The most bytes that a value takes.
--
-- @since 0.1.0.0
sizeBound :: BoundedPrim a -> Size
sizeBound (BoundedPrim n _) = n
{-# INLINE sizeBound #-}

-- | Write a value, and return the address behind it: 'sizeBound' bytes must be
-- writable.
--
-- @since 0.1.0.0
runB :: BoundedPrim a -> a -> Ptr Word8 -> IO (Ptr Word8)
runB (BoundedPrim _ write) = write
{-# INLINE runB #-}

-- | Apply a function to the value, then write the result:
-- 'Data.Functor.Contravariant.>$<' for bounded sizes.
--
-- @since 0.1.0.0
contramapB :: (b -> a) -> BoundedPrim a -> BoundedPrim b
contramapB f (BoundedPrim n write) = BoundedPrim n (\x p -> write (f x) p)
{-# INLINE contramapB #-}

instance Contravariant BoundedPrim where
  contramap = contramapB
  {-# INLINE contramap #-}

-- | A fixed number of bytes is a bound.
--
-- @since 0.1.0.0
toB :: FixedPrim a -> BoundedPrim a
toB (FixedPrim n write) = BoundedPrim n (\x p -> write x p >> pure (p `plusPtr` n))
{-# INLINE toB #-}
