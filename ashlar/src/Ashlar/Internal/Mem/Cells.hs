{-# LANGUAGE BangPatterns #-}
{-# LANGUAGE MagicHash #-}
{-# LANGUAGE RoleAnnotations #-}
{-# LANGUAGE UnboxedTuples #-}

-- |
-- Module      : Ashlar.Internal.Mem.Cells
-- Description : A few mutable machine words, without boxing; short copies to and from arrays
--
-- The state of a running builder or decoder that changes all the time: the cursor, the end of
-- the buffer, some counters. It lives in a mutable byte array of words. So an unknown function
-- gets all of it as one pointer, and reading or writing a word allocates nothing.
--
-- Note [The cursor is in memory]
-- ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
-- A builder has its cursor and the end of its buffer in cells. The obvious design passes both from
-- step to step in registers. But for every call of an unknown function with a pointer and two
-- addresses, GHC builds a partial application on the heap. For pointers and the state token it has
-- ready-made code. With registers, JSON values, appends through unknown functions, and ByteStrings
-- by @foldMap@ are much slower. Where everything is inlined, the two designs are about equal,
-- because the processor forwards a store to a load of the same word. Only small trees, and loops of
-- single numbers, are faster with registers. (Benchmarks "JSON", "strings: … by foldMap".)
--
-- Also tried: the cursor alone as argument and result, and stored in its cell for exceptions. Loops
-- of single numbers take 0.75 to 0.85 of the time, still more than bytestring's. But builders in a
-- list take 1.8 times as long if the caller is compiled at -O1, pairs over a class 1.4 to 1.7
-- times, appends through unknown functions 1.3 to 1.6 times. (GHC 9.0.2 and 9.10.3. Benchmarks "put
-- … in groups of 1", "stored: 10000 builders in a list", "builders by unknown functions".)
--
-- A decoder has its cursor in a register, and the end in a cell: Note [A failure is a value] in
-- "Ashlar.Internal.Get.Type".
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

    -- * Short copies to and from arrays
    copyShortTo,
    copyShortFrom,
  )
where

import Ashlar.Internal.Mem (peekHost, pokeHost)
import Ashlar.Internal.Mem.Check
import Data.Bits ((.|.))
import Data.Primitive.ByteArray (ByteArray (..), MutableByteArray (..))
import Data.Word (Word16, Word32, Word64, Word8)
import Foreign.Ptr (Ptr, plusPtr)
import GHC.Exts
  ( Int (I#),
    MutableByteArray#,
    Ptr (Ptr),
    RealWorld,
    indexWord8Array#,
    indexWord8ArrayAsWord16#,
    indexWord8ArrayAsWord32#,
    indexWord8ArrayAsWord64#,
    newByteArray#,
    readAddrArray#,
    readIntArray#,
    writeAddrArray#,
    writeIntArray#,
    writeWord8Array#,
    writeWord8ArrayAsWord16#,
    writeWord8ArrayAsWord32#,
    writeWord8ArrayAsWord64#,
  )
import GHC.IO (IO (..), unIO)
import GHC.Word (Word16 (W16#), Word32 (W32#), Word64 (W64#), Word8 (W8#))

-- | The cells of one run.
type Cells = MutableByteArray# RealWorld

-- | The index of a cell, from 0 on, that holds a value of type @a@: an address or an 'Int'.
--
-- INV-M1: In each kind of array (a builder's, a decoder's, a packed value's) a cell has one type,
-- and is written before it is read. So an address is never read as an 'Int'. Only a checked build
-- checks that an array has this cell, and that the cursor in the first cell is not after the end
-- in the second.
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

-- Short copies between arrays and addresses, by words that overlap at the end: Note [Short copies]
-- in "Ashlar.Internal.Mem".

-- | Copy n >= 1 bytes to the beginning of an array. Returns their bitwise or, as far as bit 7 of
-- each byte is concerned: it is set in one of the result's bytes if a byte is not ASCII.
copyShortTo ::
  -- | The destination, of at least @n@ bytes.
  MutableByteArray RealWorld ->
  -- | The source: @n@ bytes must be readable.
  Ptr Word8 ->
  -- | @n@, positive.
  Int ->
  IO Word64
copyShortTo (MutableByteArray arr) p n
  | broken "own memory" "copyShortTo" (n > 0) [("bytes", n)] = pure 0
  | lackingMutableArray "copyShortTo" (MutableByteArray arr) 0 n = pure 0
  | n >= 8 = words8 0 0
  | n >= 4 = do
    a <- peekHost p
    b <- peekHost (p `plusPtr` (n - 4))
    write32 0 a
    write32 (n - 4) b
    pure (fromIntegral (a .|. b :: Word32))
  | n >= 2 = do
    a <- peekHost p
    b <- peekHost (p `plusPtr` (n - 2))
    write16 0 a
    write16 (n - 2) b
    pure (fromIntegral (a .|. b :: Word16))
  | otherwise = do
    a@(W8# b) <- peekHost p
    IO (\s -> (# writeWord8Array# arr 0# b s, fromIntegral a #))
  where
    -- Whole words while more than one is left, then the last 8 bytes, which are always there.
    words8 !i !bits
      | i + 8 < n = do
        w <- peekHost (p `plusPtr` i)
        write64 i w
        words8 (i + 8) (bits .|. w)
      | otherwise = do
        w <- peekHost (p `plusPtr` (n - 8))
        write64 (n - 8) w
        pure (bits .|. w)
    write64 (I# i) (W64# w) = IO (\s -> (# writeWord8ArrayAsWord64# arr i w s, () #))
    write32 (I# i) (W32# w) = IO (\s -> (# writeWord8ArrayAsWord32# arr i w s, () #))
    write16 (I# i) (W16# w) = IO (\s -> (# writeWord8ArrayAsWord16# arr i w s, () #))
{-# INLINE copyShortTo #-}

-- | Copy bytes of an array.
copyShortFrom ::
  -- | The source.
  ByteArray ->
  -- | The first byte: the array has @n@ bytes from there on.
  Int ->
  -- | The destination: @n@ bytes must be writable.
  Ptr Word8 ->
  -- | @n@, not negative.
  Int ->
  IO ()
copyShortFrom (ByteArray arr) from p n
  | lackingArray "copyShortFrom" (ByteArray arr) from n = pure ()
  | n >= 8 = words8 0
  | n >= 4 = pokeHost p (read32 0) >> pokeHost (p `plusPtr` (n - 4)) (read32 (n - 4))
  | n >= 2 = pokeHost p (read16 0) >> pokeHost (p `plusPtr` (n - 2)) (read16 (n - 2))
  | n == 1 = pokeHost p (case from of I# i -> W8# (indexWord8Array# arr i))
  | otherwise = pure ()
  where
    words8 !i
      | i + 8 < n = pokeHost (p `plusPtr` i) (read64 i) >> words8 (i + 8)
      | otherwise = pokeHost (p `plusPtr` (n - 8)) (read64 (n - 8))
    read64 i = case from + i of I# j -> W64# (indexWord8ArrayAsWord64# arr j)
    read32 i = case from + i of I# j -> W32# (indexWord8ArrayAsWord32# arr j)
    read16 i = case from + i of I# j -> W16# (indexWord8ArrayAsWord16# arr j)
{-# INLINE copyShortFrom #-}
