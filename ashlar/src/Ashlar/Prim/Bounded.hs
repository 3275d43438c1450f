-- |
-- Module      : Ashlar.Prim.Bounded
-- Description : Writing values of a fixed or bounded number of bytes
--
-- The write half of a format, as a value: how many bytes it takes (exactly, or at
-- most), and the function that writes them. Reserving so much room and then calling
-- the function is all that a builder of such a format does.
--
-- The names are those of @Data.ByteString.Builder.Prim.Internal@.
module Ashlar.Prim.Bounded
  ( -- * Exactly so many bytes
    FixedPrim,
    fixedPrim,
    size,
    runF,

    -- * At most so many bytes
    BoundedPrim,
    boundedPrim,
    sizeBound,
    runB,
    toB,
  )
where

import Data.Word (Word8)
import Foreign.Ptr (Ptr, plusPtr)

-- | How to write values of a type that all take the same number of bytes.
data FixedPrim a = FixedPrim !Int (a -> Ptr Word8 -> IO ())

-- | From the number of bytes, and a function that writes just so many at an
-- address. Nothing checks that it does.
fixedPrim :: Int -> (a -> Ptr Word8 -> IO ()) -> FixedPrim a
fixedPrim = FixedPrim
{-# INLINE CONLIKE fixedPrim #-}

-- | Bytes that a value takes.
size :: FixedPrim a -> Int
size (FixedPrim n _) = n
{-# INLINE CONLIKE size #-}

-- | Write a value: 'size' bytes must be writable.
runF :: FixedPrim a -> a -> Ptr Word8 -> IO ()
runF (FixedPrim _ write) = write
{-# INLINE CONLIKE runF #-}

-- | How to write values of a type that take at most some number of bytes.
data BoundedPrim a = BoundedPrim !Int (a -> Ptr Word8 -> IO (Ptr Word8))

-- | From the largest number of bytes, and a function that writes at most so many
-- at an address, and returns the address behind them. Nothing checks that it does.
boundedPrim :: Int -> (a -> Ptr Word8 -> IO (Ptr Word8)) -> BoundedPrim a
boundedPrim = BoundedPrim
{-# INLINE CONLIKE boundedPrim #-}

-- | The most bytes that a value takes.
sizeBound :: BoundedPrim a -> Int
sizeBound (BoundedPrim n _) = n
{-# INLINE CONLIKE sizeBound #-}

-- | Write a value, and return the address behind it: 'sizeBound' bytes must be
-- writable.
runB :: BoundedPrim a -> a -> Ptr Word8 -> IO (Ptr Word8)
runB (BoundedPrim _ write) = write
{-# INLINE CONLIKE runB #-}

-- | A fixed number of bytes is a bound.
toB :: FixedPrim a -> BoundedPrim a
toB (FixedPrim n write) = BoundedPrim n (\x p -> write x p >> pure (p `plusPtr` n))
{-# INLINE CONLIKE toB #-}
