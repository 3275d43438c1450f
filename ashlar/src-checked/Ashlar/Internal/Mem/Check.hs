{-# LANGUAGE MagicHash #-}
{-# LANGUAGE UnboxedTuples #-}
-- The tests are many, and the rest of a checked build is often not optimised.
{-# OPTIONS_GHC -O1 #-}

-- |
-- Module      : Ashlar.Internal.Mem.Check
-- Description : Tests of internal preconditions
--
-- What the flag @checked@ of the package adds. Each function throws 'AssertionFailed' if what it
-- tests does not hold. The module of the same name in @src-unchecked@ describes them.
--
-- Note [Writes on trial]
-- ~~~~~~~~~~~~~~~~~~~~~~
-- A write that has reserved n bytes runs in memory of its own, of the same alignment, between bytes
-- of a known value. Afterwards these must be as before, the address that it returns must be at most
-- n bytes after the first, and the bytes in between must have been written. Then they are copied to
-- where they belong. So one byte too far is found also where it is overwritten later, or where it
-- hits free space. A byte that still has the known value may have been written or not. Then the
-- write runs once more, between bytes of another value.
--
-- A write of more than 64 KiB runs in place, and only its address is tested.
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

import Control.Exception (AssertionFailed (..), throw, throwIO)
import Control.Monad (unless, when)
import Control.Monad.Primitive (PrimMonad, PrimState)
import Data.Array.Base (IArray, numElements)
import qualified Data.Array.Base as Base
import Data.ByteString (ByteString)
import qualified Data.ByteString as S
import qualified Data.ByteString.Internal as B
import qualified Data.ByteString.Unsafe as Unsafe
import Data.Ix (Ix)
import Data.List (intercalate)
import Data.Primitive.Array (Array, sizeofArray)
import qualified Data.Primitive.Array as Primitive
import Data.Primitive.ByteArray
  ( ByteArray,
    MutableByteArray (..),
    getSizeofMutableByteArray,
    mutableByteArrayContents,
    sizeofByteArray,
  )
import Data.Primitive.SmallArray (SmallArray, sizeofSmallArray)
import qualified Data.Primitive.SmallArray as Primitive
import qualified Data.Vector.Generic as G
import qualified Data.Vector.Generic.Mutable as GM
import Data.Word (Word8)
import Foreign.ForeignPtr (ForeignPtr)
import Foreign.ForeignPtr.Unsafe (unsafeForeignPtrToPtr)
import Foreign.Marshal.Alloc (allocaBytesAligned)
import Foreign.Marshal.Utils (copyBytes, fillBytes)
import Foreign.Ptr (Ptr, minusPtr, nullPtr, plusPtr)
import Foreign.Storable (peekByteOff)
import GHC.Exts
  ( Int (I#),
    Int#,
    MutableByteArray#,
    Ptr (Ptr),
    RealWorld,
    readAddrArray#,
    readIntArray#,
    writeIntArray#,
    (*#),
    (+#),
  )
import GHC.ForeignPtr (ForeignPtr (..), ForeignPtrContents (..))
import GHC.IO (IO (..))
import System.IO.Unsafe (unsafeDupablePerformIO)

-- | Does this build check? A constant.
checkedBuild :: Bool
checkedBuild = True

-- What is thrown, given the name of an invariant (one of "Ashlar.Internal.Builder.Core", of
-- "Ashlar.Internal.Get.Env" or of "Ashlar.Internal.Mem.Cells", or one of the words that
-- @docs/safety.md@ explains), who found that it does not hold, and the numbers that do not agree.
violated :: String -> String -> [(String, Int)] -> AssertionFailed
violated name whose numbers =
  AssertionFailed $
    "Ashlar: invariant violated: " ++ name ++ ": " ++ whose ++ " ("
      ++ intercalate ", " [what ++ " " ++ show n | (what, n) <- numbers]
      ++ ")"

-- | A condition.
check :: String -> String -> Bool -> [(String, Int)] -> IO ()
check name whose true numbers =
  unless true $ throwIO (violated name whose numbers)

-- | 'check' as a guard, which is never true.
broken :: String -> String -> Bool -> [(String, Int)] -> Bool
broken name whose true numbers = not true && throw (violated name whose numbers)

-- | An index, from 0 to below a number of elements.
slot :: String -> String -> Int -> Int -> Int
slot name whose n i
  | i >= 0 && i < n = i
  | otherwise = throw (violated name whose [("index", i), ("elements", n)])

-- | A function that writes at most n bytes: Note [Writes on trial].
within ::
  String -> String -> Int -> (Ptr Word8 -> IO (Ptr Word8)) -> Ptr Word8 -> IO (Ptr Word8)
within name whose n write p
  | n > 65536 = do
    q <- write p
    q <$ atMost (q `minusPtr` p)
  | n < 0 = failed "negative size" [("size", n)]
  | otherwise = allocaBytesAligned (n + 3 * margin) margin $ \memory -> do
    used <- trial memory 0xA5
    suspect <- find (== 0xA5) (start memory) 0 used
    when (suspect < used) $
      allocaBytesAligned (n + 3 * margin) margin $ \other -> do
        again <- trial other 0x5A
        compareBoth memory other suspect (min used again)
    copyBytes p (start memory) used
    pure (p `plusPtr` used)
  where
    -- At least this many bytes are before and after. Addresses keep their alignment.
    margin = 64
    start :: Ptr Word8 -> Ptr Word8
    start memory = memory `plusPtr` (margin + (p `minusPtr` nullPtr) `mod` margin)
    failed :: String -> [(String, Int)] -> IO r
    failed what numbers = throwIO (violated name (whose ++ ": " ++ what) numbers)
    atMost used =
      unless (used >= 0 && used <= n) $
        failed "more bytes than reserved" [("reserved", n), ("written", used)]
    trial memory byte = do
      fillBytes memory byte (n + 3 * margin)
      q <- write (start memory)
      let used = q `minusPtr` start memory
          intact from to = do
            i <- find (/= byte) (start memory) from to
            when (i < to) $
              failed "a store outside of what was reserved" [("reserved", n), ("byte", i)]
      atMost used
      intact (-margin) 0
      intact n (n + margin)
      pure used
    compareBoth memory other i to = when (i < to) $ do
      one <- peekByteOff (start memory) i :: IO Word8
      two <- peekByteOff (start other) i :: IO Word8
      when (one == 0xA5 && two == 0x5A) $
        failed "a byte was not written" [("byte", i), ("of", to)]
      compareBoth memory other (i + 1) to

-- The first of the bytes between two offsets for which a predicate holds, or the second offset.
find :: (Word8 -> Bool) -> Ptr Word8 -> Int -> Int -> IO Int
find is p = go
  where
    go i to
      | i >= to = pure to
      | otherwise = do
        byte <- peekByteOff p i
        if is byte then pure i else go (i + 1) to

-- | A function that writes exactly n bytes.
exactly :: String -> String -> Int -> (Ptr Word8 -> IO ()) -> Ptr Word8 -> IO ()
exactly name whose n write p = () <$ within name whose n (\q -> (q `plusPtr` n) <$ write q) p

-- | 'within' and 'exactly' for functions of a value and an address.
withinEach ::
  String -> String -> Int -> (a -> Ptr Word8 -> IO (Ptr Word8)) -> a -> Ptr Word8 -> IO (Ptr Word8)
withinEach name whose n write x = within name whose n (write x)

exactlyEach :: String -> String -> Int -> (a -> Ptr Word8 -> IO ()) -> a -> Ptr Word8 -> IO ()
exactlyEach name whose n write x = exactly name whose n (write x)

-- | 'exactly' for a function of an address and a value.
filling :: String -> String -> Int -> (Ptr Word8 -> a -> IO ()) -> Ptr Word8 -> a -> IO ()
filling name whose n write p x = exactly name whose n (`write` x) p

-- | The first n bytes.
unsafeTake :: Int -> ByteString -> ByteString
unsafeTake n bs = Unsafe.unsafeTake (cut "unsafeTake" n bs) bs

-- | All but the first n bytes.
unsafeDrop :: Int -> ByteString -> ByteString
unsafeDrop n bs = Unsafe.unsafeDrop (cut "unsafeDrop" n bs) bs

cut :: String -> Int -> ByteString -> Int
cut whose n bs = slot "in the chunk" whose (S.length bs + 1) n

-- | The byte at an index.
unsafeIndex :: ByteString -> Int -> Word8
unsafeIndex bs i = Unsafe.unsafeIndex bs (slot "in slots" "unsafeIndex" (S.length bs) i)

-- | The slice of a buffer from an offset on, of a length.
sliceIn :: ForeignPtr Word8 -> Int -> Int -> ByteString
sliceIn fp@(ForeignPtr _ contents) off n
  | n >= 0 && before >= 0 && n <= size - before = B.fromForeignPtr fp off n
  | otherwise =
    throw $
      violated "in the chunk" "sliceBuffer" [("from", before), ("length", n), ("buffer", size)]
  where
    from = unsafeForeignPtrToPtr fp `plusPtr` off
    (before, size)
      -- The buffer of no bytes. (Its contents are an error.)
      | fp == B.nullForeignPtr = (0, 0)
      | PlainPtr array <- contents =
        ( from `minusPtr` (mutableByteArrayContents (MutableByteArray array) :: Ptr Word8),
          mutableSize (MutableByteArray array)
        )
      -- Memory of the user's, whose size only the user knows.
      | otherwise = (0, n)

-- | Does an array lack some of n bytes from an offset on?
lackingArray :: String -> ByteArray -> Int -> Int -> Bool
lackingArray whose array = lacking whose (sizeofByteArray array)

-- | The same for an array that is being written.
lackingMutableArray :: String -> MutableByteArray RealWorld -> Int -> Int -> Bool
lackingMutableArray whose array = lacking whose (mutableSize array)

-- The size at the moment of the test.
mutableSize :: MutableByteArray RealWorld -> Int
mutableSize array = unsafeDupablePerformIO (getSizeofMutableByteArray array)
{-# NOINLINE mutableSize #-}

lacking :: String -> Int -> Int -> Int -> Bool
lacking whose size off n =
  broken
    "own memory"
    (whose ++ ": outside of the array")
    (off >= 0 && n >= 0 && n <= size && off <= size - n)
    [("from", off), ("bytes", n), ("array", size)]

-- In a checked build a cell has two words: its value, and the kind of that value.

-- | The bytes of n cells.
cellBytes :: Int -> Int
cellBytes n = 16 * n

-- | Where the word of a cell is in the array, in machine words.
cellIndex :: Int# -> Int#
cellIndex i = 2# *# i

none, address, number :: Int
none = 0
address = 0x61646472
number = 0x6E756D62

-- | Mark n cells as not written yet.
noneWritten :: MutableByteArray# RealWorld -> Int -> IO ()
noneWritten cells n = mapM_ (\(I# i) -> setKind cells i none) [0 .. n - 1]

kindOf :: MutableByteArray# RealWorld -> Int# -> IO Int
kindOf cells i = do
  size <- getSizeofMutableByteArray (MutableByteArray cells)
  check
    "INV-M1"
    "a cell that the array does not have"
    (I# i >= 0 && cellBytes (I# i + 1) <= size)
    [("cell", I# i), ("bytes", size)]
  IO $ \s -> case readIntArray# cells (cellIndex i +# 1#) s of (# s', n #) -> (# s', I# n #)

setKind :: MutableByteArray# RealWorld -> Int# -> Int -> IO ()
setKind cells i (I# n) = IO $ \s -> (# writeIntArray# cells (cellIndex i +# 1#) n s, () #)

-- | A cell is about to be read as an address. The first two are the cursor and the end, and the
-- cursor is at most the end (INV-B1, INV-G1).
readsPtr :: MutableByteArray# RealWorld -> Int# -> IO ()
readsPtr cells i = do
  holds cells i address
  when (I# i <= 1) $ do
    ready <- all (== address) <$> mapM (\(I# j) -> kindOf cells j) [0, 1]
    when ready $ do
      p <- addressIn 0
      e <- addressIn 1
      check
        "INV-B1, INV-G1"
        "the cursor is after the end"
        (e `minusPtr` p >= 0)
        [("end - cursor", e `minusPtr` p)]
  where
    addressIn :: Int -> IO (Ptr Word8)
    addressIn (I# j) = IO $ \s -> case readAddrArray# cells (cellIndex j) s of
      (# s', a #) -> (# s', Ptr a #)

-- | A cell is about to be read as a number.
readsInt :: MutableByteArray# RealWorld -> Int# -> IO ()
readsInt cells i = holds cells i number

-- | A cell is about to be written, an address or a number.
writesPtr, writesInt :: MutableByteArray# RealWorld -> Int# -> IO ()
writesPtr cells i = becomes cells i address
writesInt cells i = becomes cells i number

holds :: MutableByteArray# RealWorld -> Int# -> Int -> IO ()
holds cells i kind = do
  now <- kindOf cells i
  check
    "INV-M1"
    (if now == none then "a cell that was not written is read" else "a cell of the other kind")
    (now == kind)
    [("cell", I# i)]

becomes :: MutableByteArray# RealWorld -> Int# -> Int -> IO ()
becomes cells i kind = do
  now <- kindOf cells i
  check "INV-M1" "a cell of the other kind is written" (now == none || now == kind) [("cell", I# i)]
  setKind cells i kind

-- | An element of a vector.
unsafeIndexM :: (G.Vector v a, Monad m) => v a -> Int -> m a
unsafeIndexM v i = G.unsafeIndexM v (slot "in slots" "unsafeIndexM" (G.length v) i)
{-# INLINE unsafeIndexM #-}

-- | A new vector. Its length is not negative.
unsafeNew :: (PrimMonad m, GM.MVector v a) => Int -> m (v (PrimState m) a)
unsafeNew n = GM.unsafeNew (slot "own memory" "unsafeNew" maxBound n)
{-# INLINE unsafeNew #-}

-- | A vector that is larger by a number of elements, which is positive.
unsafeGrow ::
  (PrimMonad m, GM.MVector v a) => v (PrimState m) a -> Int -> m (v (PrimState m) a)
unsafeGrow v n = GM.unsafeGrow v (1 + slot "own memory" "unsafeGrow" maxBound (n - 1))
{-# INLINE unsafeGrow #-}

-- | Write an element of a vector.
unsafeWrite :: (PrimMonad m, GM.MVector v a) => v (PrimState m) a -> Int -> a -> m ()
unsafeWrite v i = GM.unsafeWrite v (slot "in slots" "unsafeWrite" (GM.length v) i)
{-# INLINE unsafeWrite #-}

-- | An element of an array, by its number.
unsafeAt :: (IArray a e, Ix i) => a i e -> Int -> e
unsafeAt a i = Base.unsafeAt a (slot "in slots" "unsafeAt" (numElements a) i)
{-# INLINE unsafeAt #-}

-- | An element of an array.
indexArrayM :: Monad m => Array a -> Int -> m a
indexArrayM a i = Primitive.indexArrayM a (slot "in slots" "indexArrayM" (sizeofArray a) i)
{-# INLINE indexArrayM #-}

-- | An element of a small array.
indexSmallArrayM :: Monad m => SmallArray a -> Int -> m a
indexSmallArrayM a i =
  Primitive.indexSmallArrayM a (slot "in slots" "indexSmallArrayM" (sizeofSmallArray a) i)
{-# INLINE indexSmallArrayM #-}
