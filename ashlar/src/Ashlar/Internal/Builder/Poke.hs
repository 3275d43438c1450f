{-# LANGUAGE DerivingStrategies #-}
{-# LANGUAGE ScopedTypeVariables #-}

-- |
-- Module      : Ashlar.Internal.Builder.Poke
-- Description : Builders from functions that write at an address
module Ashlar.Internal.Builder.Poke
  ( withPtr,
    PokedOutside (..),
    atCursor,
    storable,
    storables,
    storableToF,
  )
where

import Ashlar.Internal.Builder.Core
import Ashlar.Internal.Builder.Loops (primMapListBounded)
import Ashlar.Internal.Mem
import Ashlar.Internal.Mem.Cells
import Ashlar.Internal.Prim.Core (FixedPrim, boundedPrim, fixedPrim)
import Control.Exception (Exception (..), throwIO)
import Data.Bits ((.&.))
import Data.Word (Word16, Word32, Word64, Word8)
import Foreign.Marshal.Alloc (allocaBytes)
import Foreign.Marshal.Utils (copyBytes)
import Foreign.Ptr (Ptr, minusPtr, nullPtr, plusPtr)
import Foreign.Storable (Storable, alignment, sizeOf)

-- | The bytes that a function writes into memory.
--
-- If it returns an address before the first byte or after the last, 'PokedOutside' is thrown, and
-- nothing that it wrote is output. By then it may have written outside of the reserved bytes.
-- 'ensure' does not test the address, and shares its check of the free space with its neighbours.
--
-- The function runs each time the builder runs. It must write the same bytes each time, and have no
-- other effect.
--
-- >>> import Ashlar.Builder.Unsafe (withPtr)
-- >>> import Foreign (plusPtr, poke)
-- >>> withPtr 2 (\p -> plusPtr p 1 <$ poke p 65)
-- "A"
withPtr ::
  -- | The bytes to reserve. A negative number is an error, and a sink may refuse more than 256.
  Int ->
  -- | Write at most that many bytes at this address, and return the address after the last.
  (Ptr Word8 -> IO (Ptr Word8)) ->
  Builder
withPtr n write
  | n < 0 = errorWithoutStackTrace "Ashlar.Builder: withPtr with a negative number of bytes"
  | otherwise = action $ \c k -> do
    p <- reserve c k n
    p' <- write p
    let used = p' `minusPtr` p
    if used >= 0 && used <= n then putPtr c cursorCell p' else throwIO (PokedOutside n used)

-- | A function given to 'withPtr' returned an address outside the memory that it may write.
data PokedOutside = PokedOutside
  { -- | Bytes that were reserved for it.
    pokedReserved :: !Int,
    -- | Bytes from the first reserved byte to the address that it returned.
    pokedBytes :: !Int
  }
  deriving stock (Eq, Show)

instance Exception PokedOutside where
  displayException (PokedOutside reserved used) =
    "Ashlar.Builder: a function that may write " ++ show reserved ++ " bytes returned the address "
      ++ show used
      ++ " bytes after the first of them"

-- | Call a function with the address of the next byte. The builder goes on at the address that the
-- function returns.
--
-- Use it with a sink of your own, for instance to note where a value ends, or to write out the
-- buffer and go on at its beginning. The address must be in the free space that the sink has given
-- last. Nothing tests that. The function runs each time the builder runs.
--
-- How many bytes each of two strings has:
--
-- >>> import Ashlar.Builder.Sink
-- >>> import Ashlar.Builder.Unsafe (atCursor)
-- >>> import Data.IORef
-- >>> import Foreign (allocaBytes, minusPtr, plusPtr)
-- >>> :{
-- allocaBytes 64 $ \p -> do
--   ends <- newIORef []
--   let noted = atCursor (\q -> q <$ modifyIORef ends (q `minusPtr` p :))
--       sink = Sink (\_ q -> pure (FreeSpace q (p `plusPtr` 64)))
--   _ <- runBuilderWith sink (FreeSpace p (p `plusPtr` 64)) ("brick" <> noted <> "mortar" <> noted)
--   readIORef ends
-- :}
-- [11,5]
atCursor :: (Ptr Word8 -> IO (Ptr Word8)) -> Builder
atCursor f = action $ \c _ -> getPtr c cursorCell >>= f >>= putPtr c cursorCell
{-# INLINE atCursor #-}

-- | A value as it lies in memory: 'sizeOf' bytes, in the machine's byte order.
--
-- The value's 'Foreign.Storable.poke' gets an address of the alignment that it asks for. Bytes that
-- it does not write, such as the padding of a C structure, are 0.
--
-- This costs more than the builders of numbers: the bytes are cleared first, they may be moved, and
-- @'alignment' - 1@ more bytes are reserved than written.
--
-- >>> import Ashlar.Builder.Unsafe (storable)
-- >>> storable (7 :: Word8)
-- "\a"
storable :: Storable a => a -> Builder
storable x =
  ensure (storableReserved (sizeOf x) (alignment x)) (storableWrite (sizeOf x) (alignment x) x)
{-# INLINE [0] storable #-}

-- See Note [Fusing reservations].
{-# RULES
"storable" [~0] forall x.
  storable x =
    ensure (storableReserved (sizeOf x) (alignment x)) (storableWrite (sizeOf x) (alignment x) x)
  #-}

-- | The values of a list, each as by 'storable', in one loop. The list is forced as the output gets
-- there, and may be infinite.
--
-- >>> import Ashlar.Builder.Unsafe (storables)
-- >>> storables [1, 2, 3 :: Word8]
-- "\SOH\STX\ETX"
storables :: Storable a => [a] -> Builder
storables xs = case xs of
  [] -> empty
  -- Size and alignment are the same for all values of the type.
  x : _ -> primMapListBounded (boundedPrim (storableReserved size align) write) xs
    where
      write = storableWrite size align
      size = sizeOf x
      align = alignment x
{-# INLINE storables #-}

-- | A value as by 'storable', as a primitive of 'sizeOf' bytes.
--
-- >>> import Ashlar.Builder.Prim.Unsafe (storableToF)
-- >>> toLazyByteString (P.primMapListFixed storableToF [1, 2 :: Word8])
-- "\SOH\STX"
storableToF :: forall a. Storable a => FixedPrim a
storableToF = fixedPrim size $ \x p -> case gapBefore align p of
  0 -> clear p size >> pokeHost p x
  -- Unlike in 'storableWrite', no bytes are reserved for the gap.
  _ -> allocaBytes (size + align - 1) $ \q0 -> do
    let q = q0 `plusPtr` gapBefore align q0
    clear q size
    pokeHost q x
    copyBytes p q size
  where
    size = sizeOf (undefined :: a)
    align = max 1 (alignment (undefined :: a))
{-# INLINE storableToF #-}

-- The bytes to reserve for a value of this size at the next address of this alignment.
storableReserved :: Int -> Int -> Int
storableReserved size align
  | size >= 0 && size <= maxBound - gap = size + gap
  | otherwise = errorWithoutStackTrace "Ashlar.Builder: storable with an impossible size"
  where
    gap = max 1 align - 1
{-# INLINE storableReserved #-}

-- Note [Storable at any address]
-- ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
-- A number may be written at any address (Note [Unaligned access]). But the 'poke' of an unknown
-- type may be a C function, compiled to instructions that need the alignment it asks for. So it
-- writes at the next address of this alignment, and the bytes are then moved down by less than the
-- alignment. They are cleared first. Otherwise bytes that 'poke' does not write would show what the
-- memory held: the output would depend on the sink (INV-B4) and leak data.
storableWrite :: Storable a => Int -> Int -> a -> Ptr Word8 -> IO (Ptr Word8)
storableWrite size align0 x p = do
  clear q size
  pokeHost q x
  -- Both ranges lie within the bytes that were reserved.
  if gap == 0 then pure () else moveDown p q size
  pure (p `plusPtr` size)
  where
    gap = gapBefore (max 1 align0) p
    q = p `plusPtr` gap
{-# INLINE storableWrite #-}

-- Bytes from an address to the next one of this alignment.
gapBefore :: Int -> Ptr Word8 -> Int
gapBefore align p
  | align .&. (align - 1) == 0 = negate address .&. (align - 1)
  | otherwise = negate address `mod` align
  where
    address = p `minusPtr` nullPtr
{-# INLINE gapBefore #-}

clear :: Ptr Word8 -> Int -> IO ()
clear p n
  | n == 1 = pokeHost p (0 :: Word8)
  | n == 2 = pokeHost p (0 :: Word16)
  | n == 4 = pokeHost p (0 :: Word32)
  | n == 8 = pokeHost p (0 :: Word64)
  | otherwise = fillRange p 0 n
{-# INLINE clear #-}
