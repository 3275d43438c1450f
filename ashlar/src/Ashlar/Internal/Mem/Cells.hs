{-# LANGUAGE MagicHash #-}
{-# LANGUAGE UnboxedTuples #-}

-- |
-- Module      : Ashlar.Internal.Mem.Cells
-- Description : A few mutable machine words, read and written without boxing
--
-- The state of a running builder or decoder that changes all the time: the
-- cursor, the end of the buffer, some counters. It lives in a mutable byte
-- array of words, so that an unknown function can be handed all of it as one
-- pointer, and reading or writing a word allocates nothing.
--
-- Note [The cursor is in memory]
-- ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
-- The obvious design passes cursor and end from step to step in registers.
-- It wins where everything inlines and loses where anything does not: GHC has
-- ready-made code for calling an unknown function with pointers and the state
-- token, but for a pointer and two addresses it builds a partial application
-- on the heap for every call. With GHC 9.0.2 a JSON value took 117 µs with
-- registers and 78 µs with memory, 100 appends through unknown functions 36
-- and 18 µs, 10,000 ByteStrings by foldMap 147 and 51 µs, 10,000 decoders
-- taken from a list 147 and 26 µs; where everything is known, the two are
-- within a few percent of each other, but for small trees (164 against
-- 221 ns for a Fibonacci tree). A store followed by a load of the same word
-- is forwarded inside the processor.
module Ashlar.Internal.Mem.Cells
  ( Cells,
    withCells,
    getPtr,
    putPtr,
    getInt,
    putInt,
  )
where

import Data.Word (Word8)
import GHC.Exts
  ( Int (I#),
    MutableByteArray#,
    Ptr (Ptr),
    RealWorld,
    newByteArray#,
    readAddrArray#,
    readIntArray#,
    writeAddrArray#,
    writeIntArray#,
    (*#),
  )
import GHC.IO (IO (..))

-- | Mutable words, numbered from 0.
type Cells = MutableByteArray# RealWorld

-- | Run an action with so many fresh cells, not initialised.
withCells :: Int -> (Cells -> IO r) -> IO r
withCells (I# n) act = IO $ \s0 -> case newByteArray# (8# *# n) s0 of
  (# s1, cells #) -> case act cells of IO m -> m s1
{-# INLINE withCells #-}

-- | Read an address. The number of the cell is not checked, here and below.
getPtr :: Cells -> Int -> IO (Ptr Word8)
getPtr cells (I# i) = IO $ \s -> case readAddrArray# cells i s of (# s', a #) -> (# s', Ptr a #)
{-# INLINE getPtr #-}

-- | Write an address.
putPtr :: Cells -> Int -> Ptr Word8 -> IO ()
putPtr cells (I# i) (Ptr a) = IO $ \s -> (# writeAddrArray# cells i a s, () #)
{-# INLINE putPtr #-}

-- | Read a number.
getInt :: Cells -> Int -> IO Int
getInt cells (I# i) = IO $ \s -> case readIntArray# cells i s of (# s', n #) -> (# s', I# n #)
{-# INLINE getInt #-}

-- | Write a number.
putInt :: Cells -> Int -> Int -> IO ()
putInt cells (I# i) (I# n) = IO $ \s -> (# writeIntArray# cells i n s, () #)
{-# INLINE putInt #-}
