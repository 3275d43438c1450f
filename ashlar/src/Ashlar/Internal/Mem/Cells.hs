{-# LANGUAGE MagicHash #-}
{-# LANGUAGE RoleAnnotations #-}
{-# LANGUAGE UnboxedTuples #-}

-- |
-- Module      : Ashlar.Internal.Mem.Cells
-- Description : A few mutable machine words, read and written without boxing
--
-- The state of a running builder or decoder that changes all the time: the cursor, the end of
-- the buffer, some counters. It lives in a mutable byte array of words. So an unknown function
-- gets all of it as one pointer, and to read or write a word allocates nothing.
--
-- Note [The cursor is in memory]
-- ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
-- The obvious design passes cursor and end from step to step in registers. It wins where
-- everything inlines and loses where anything does not. GHC has ready-made code for calling an
-- unknown function with pointers and the state token. For a pointer and two addresses it builds
-- a partial application on the heap, for every call. With registers, JSON values, appends
-- through unknown functions, ByteStrings by @foldMap@ and decoders taken from a list are much
-- slower. Where everything is known, the two designs are about equal, except for small trees, which
-- registers favour. The processor forwards a store to a load of the same word. (Benchmarks "JSON",
-- "strings by foldMap", "Getters from a list".)
module Ashlar.Internal.Mem.Cells
  ( -- * Arrays of cells
    Cells,
    withCells,

    -- * Cells
    Cell (..),
    cellsUpTo,
    getPtr,
    putPtr,
    getInt,
    putInt,

    -- * The cells that builders and decoders have
    cursorCell,
    endCell,
  )
where

import Ashlar.Internal.Mem.Check
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
  )
import GHC.IO (IO (..), unIO)

-- | The cells of one run.
type Cells = MutableByteArray# RealWorld

-- | The number of a cell, counted from 0, that holds a value of type @a@: an address or an
-- 'Int'.
--
-- INV-M1: each number has one type, in the builders' cells and in the decoders'. So an address
-- is never read as a number. Nothing checks that an array has a cell of this number, but for a
-- checked build. There the first two cells must be a cursor and the end after it, in either.
newtype Cell a = Cell Int

type role Cell nominal

-- | Run an action with fresh cells, which are not initialised.
withCells ::
  -- | How many.
  Int ->
  (Cells -> IO r) ->
  IO r
withCells n act = case cellBytes n of
  I# bytes -> IO $ \s0 -> case newByteArray# bytes s0 of
    (# s1, cells #) -> case noneWritten cells n >> act cells of IO m -> m s1
{-# INLINE withCells #-}

-- | How many cells there are up to this one, for 'withCells'.
cellsUpTo :: Cell a -> Int
cellsUpTo (Cell i) = i + 1
{-# INLINE cellsUpTo #-}

-- | Read an address.
getPtr :: Cells -> Cell (Ptr Word8) -> IO (Ptr Word8)
getPtr cells (Cell (I# i)) = IO $ \s0 -> case unIO (readsPtr cells i) s0 of
  (# s1, _ #) -> case readAddrArray# cells (cellIndex i) s1 of (# s2, a #) -> (# s2, Ptr a #)
{-# INLINE getPtr #-}

-- | Write an address.
putPtr :: Cells -> Cell (Ptr Word8) -> Ptr Word8 -> IO ()
putPtr cells (Cell (I# i)) (Ptr a) = IO $ \s0 -> case unIO (writesPtr cells i) s0 of
  (# s1, _ #) -> (# writeAddrArray# cells (cellIndex i) a s1, () #)
{-# INLINE putPtr #-}

-- | Read a number.
getInt :: Cells -> Cell Int -> IO Int
getInt cells (Cell (I# i)) = IO $ \s0 -> case unIO (readsInt cells i) s0 of
  (# s1, _ #) -> case readIntArray# cells (cellIndex i) s1 of (# s2, n #) -> (# s2, I# n #)
{-# INLINE getInt #-}

-- | Write a number.
putInt :: Cells -> Cell Int -> Int -> IO ()
putInt cells (Cell (I# i)) (I# n) = IO $ \s0 -> case unIO (writesInt cells i) s0 of
  (# s1, _ #) -> (# writeIntArray# cells (cellIndex i) n s1, () #)
{-# INLINE putInt #-}

-- | The address of the next byte to write or to read. A builder keeps it here. A decoder has it as
-- an argument, and here only while an action on its cells runs ('Ashlar.Internal.Get.Core.step').
cursorCell :: Cell (Ptr Word8)
cursorCell = Cell 0
{-# INLINE cursorCell #-}

-- | The address after the last byte that may be written or read without asking for more.
endCell :: Cell (Ptr Word8)
endCell = Cell 1
{-# INLINE endCell #-}
