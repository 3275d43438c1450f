{-# LANGUAGE MagicHash #-}

-- |
-- Module      : Ashlar.Internal.Mem.Check
-- Description : Tests of internal preconditions, which an ordinary build does not have
--
-- Every function here does nothing and is gone after inlining, or is that of another package. The
-- module of the same name in @src-checked@ has the tests. The flag @checked@ of the package
-- chooses.
module Ashlar.Internal.Mem.Check
  ( checkedBuild,

    -- * Conditions
    check,
    broken,
    slot,

    -- * Writes
    within,
    withinEach,
    exactlyEach,
    filling,

    -- * Slices of ByteStrings
    unsafeTake,
    unsafeDrop,
    unsafeIndex,
    sliceIn,

    -- * Arrays of bytes
    lackingArray,
    lackingMutableArray,

    -- * Elements by index
    unsafeIndexM,
    unsafeNew,
    unsafeGrow,
    unsafeWrite,
    unsafeAt,
    indexArrayM,
    indexSmallArrayM,

    -- * Cells
    cellBytes,
    cellIndex,
    noneWritten,
    readsPtr,
    writesPtr,
    readsInt,
    writesInt,
  )
where

import Data.Array.Base (unsafeAt)
import qualified Data.ByteString.Internal as B
import Data.ByteString.Unsafe (unsafeDrop, unsafeIndex, unsafeTake)
import Data.Primitive.Array (indexArrayM)
import Data.Primitive.ByteArray (ByteArray, MutableByteArray)
import Data.Primitive.SmallArray (indexSmallArrayM)
import Data.Vector.Generic (unsafeIndexM)
import Data.Vector.Generic.Mutable (unsafeGrow, unsafeNew, unsafeWrite)
import Data.Word (Word8)
import Foreign.ForeignPtr (ForeignPtr)
import Foreign.Ptr (Ptr)
import GHC.Exts (Int#, MutableByteArray#, RealWorld)

-- | Does this build check? A constant.
checkedBuild :: Bool
checkedBuild = False
{-# INLINE checkedBuild #-}

-- | The invariant's name, what is wrong if the condition is false, the condition, and the numbers
-- to show.
check :: String -> String -> Bool -> [(String, Int)] -> IO ()
check _ _ _ _ = pure ()
{-# INLINE check #-}

-- | 'check' as the first guard of a pure function. It is never true.
broken :: String -> String -> Bool -> [(String, Int)] -> Bool
broken _ _ _ _ = False
{-# INLINE broken #-}

-- | An index, at least 0 and below the number of elements.
slot ::
  -- | The invariant.
  String ->
  -- | The function that uses the index.
  String ->
  -- | The number of elements.
  Int ->
  Int ->
  Int
slot _ _ _ i = i
{-# INLINE slot #-}

-- | A function that writes at most n bytes at an address and returns the address after them.
within ::
  -- | The invariant.
  String ->
  -- | The function that has reserved the bytes.
  String ->
  -- | n.
  Int ->
  (Ptr Word8 -> IO (Ptr Word8)) ->
  Ptr Word8 ->
  IO (Ptr Word8)
within _ _ _ write = write
{-# INLINE within #-}

-- | 'within' for a function of a value and an address.
withinEach ::
  String -> String -> Int -> (a -> Ptr Word8 -> IO (Ptr Word8)) -> a -> Ptr Word8 -> IO (Ptr Word8)
withinEach _ _ _ write = write
{-# INLINE withinEach #-}

-- | For a function that writes exactly n bytes.
exactlyEach :: String -> String -> Int -> (a -> Ptr Word8 -> IO ()) -> a -> Ptr Word8 -> IO ()
exactlyEach _ _ _ write = write
{-# INLINE exactlyEach #-}

-- | The same for a function of an address and a value.
filling :: String -> String -> Int -> (Ptr Word8 -> a -> IO ()) -> Ptr Word8 -> a -> IO ()
filling _ _ _ write = write
{-# INLINE filling #-}

-- | The slice of a buffer from an offset on, of a length.
sliceIn :: ForeignPtr Word8 -> Int -> Int -> B.ByteString
sliceIn = B.fromForeignPtr
{-# INLINE sliceIn #-}

-- | A guard like 'broken': does an array lack some of n bytes from an offset on?
lackingArray :: String -> ByteArray -> Int -> Int -> Bool
lackingArray _ _ _ _ = False
{-# INLINE lackingArray #-}

-- | The same for an array that is being written.
lackingMutableArray :: String -> MutableByteArray RealWorld -> Int -> Int -> Bool
lackingMutableArray _ _ _ _ = False
{-# INLINE lackingMutableArray #-}

-- | The bytes of n cells.
cellBytes :: Int -> Int
cellBytes n = 8 * n
{-# INLINE cellBytes #-}

-- | Where the word of a cell is in the array, in words.
cellIndex :: Int# -> Int#
cellIndex i = i
{-# INLINE cellIndex #-}

-- | Mark n cells as not written yet.
noneWritten :: MutableByteArray# RealWorld -> Int -> IO ()
noneWritten _ _ = pure ()
{-# INLINE noneWritten #-}

-- | A cell is about to be read or written.
readsPtr, writesPtr, readsInt, writesInt :: MutableByteArray# RealWorld -> Int# -> IO ()
readsPtr _ _ = pure ()
writesPtr _ _ = pure ()
readsInt _ _ = pure ()
writesInt _ _ = pure ()
{-# INLINE readsPtr #-}
{-# INLINE writesPtr #-}
{-# INLINE readsInt #-}
{-# INLINE writesInt #-}
