{-# LANGUAGE DerivingStrategies #-}

-- |
-- Module      : Ashlar.Internal.Builder.Poke
-- Description : Builders from functions that write at an address
module Ashlar.Internal.Builder.Poke
  ( withPtr,
    PokedOutside (..),
    storable,
    storables,
  )
where

import Ashlar.Internal.Builder.Core
import Ashlar.Internal.Builder.Loops (primMapListBounded)
import Ashlar.Internal.Mem
import Ashlar.Internal.Mem.Cells
import Ashlar.Internal.Prim.Core (boundedPrim)
import Control.Exception (Exception (..), throwIO)
import Data.Bits ((.&.))
import Data.Word (Word16, Word32, Word64, Word8)
import Foreign.Marshal.Utils (fillBytes)
import Foreign.Ptr (Ptr, minusPtr, nullPtr, plusPtr)
import Foreign.Storable (Storable, alignment, sizeOf)

-- | @withPtr n write@ is what @write@ writes: at most @n@ bytes, from the address on that
-- it is given. It returns the address behind the last byte it wrote.
--
-- @n@ may be 0 and need not be small, but a sink may refuse more than 256. A negative
-- @n@ is an error. If @write@ returns an address in front of the first byte or behind
-- the last, 'PokedOutside' is thrown, and nothing of what it wrote is output. (By then
-- it may have written outside: memory that is not ours cannot be guarded.) 'ensure' is
-- the same without the tests, and shares its check of the room left with its neighbours.
--
-- @write@ is run each time the builder is run. It must write the same bytes each time,
-- and nothing else may observe that it was run.
--
-- >>> import Ashlar.Builder.Unsafe (withPtr)
-- >>> import Foreign (plusPtr, poke)
-- >>> withPtr 2 (\p -> plusPtr p 1 <$ poke p 65)
-- "A"
--
-- @since 0.1.0.0
withPtr :: Int -> (Ptr Word8 -> IO (Ptr Word8)) -> Builder
withPtr n write
  | n < 0 = errorWithoutStackTrace "Ashlar.Builder: withPtr with a negative number of bytes"
  | otherwise = action $ \c k -> do
    p <- reserve c k n
    p' <- write p
    let used = p' `minusPtr` p
    if used >= 0 && used <= n then putPtr c cursorCell p' else throwIO (PokedOutside n used)

-- | A function given to 'withPtr' returned an address outside of the memory that it
-- may write.
--
-- @since 0.1.0.0
data PokedOutside = PokedOutside
  { -- | Bytes that it may write.
    pokedReserved :: !Int,
    -- | Bytes from where it may write up to the address that it returned.
    pokedBytes :: !Int
  }
  deriving stock (Eq, Show)

instance Exception PokedOutside where
  displayException (PokedOutside room used) =
    "Ashlar.Builder: a function that may write " ++ show room ++ " bytes returned the address "
      ++ show used
      ++ " bytes behind the first of them"

-- | A value as it lies in memory: 'sizeOf' bytes, in the machine's byte order.
--
-- The value may come to lie at any address; its 'Foreign.Storable.poke' is given one that
-- has the alignment it asks for, and the bytes are moved from there. Bytes that it leaves
-- out, such as the padding of a C structure, are 0.
--
-- All this has its price next to the builders of numbers: the bytes are cleared first,
-- they may be moved, and @'alignment' - 1@ bytes more are reserved than are written.
--
-- >>> import Ashlar.Builder.Unsafe (storable)
-- >>> storable (7 :: Word8)
-- "\a"
--
-- @since 0.1.0.0
storable :: Storable a => a -> Builder
storable x = ensure (storableReserved (sizeOf x) (alignment x)) (storableWrite (sizeOf x) (alignment x) x)
{-# INLINE [0] storable #-}

-- See Note [Fusing reservations].
{-# RULES
"storable" [~0] forall x.
  storable x =
    ensure (storableReserved (sizeOf x) (alignment x)) (storableWrite (sizeOf x) (alignment x) x)
  #-}

-- | The values of a list, each as by 'storable', in one loop. The list is forced as the
-- output gets there, and may be infinite.
--
-- >>> import Ashlar.Builder.Unsafe (storables)
-- >>> storables [1, 2, 3 :: Word8]
-- "\SOH\STX\ETX"
--
-- @since 0.1.0.0
storables :: Storable a => [a] -> Builder
storables xs = case xs of
  [] -> empty
  -- Size and alignment belong to the type, and any value of it tells them.
  x : _ -> primMapListBounded (boundedPrim (storableReserved size align) (storableWrite size align)) xs
    where
      size = sizeOf x
      align = alignment x
{-# INLINE storables #-}

-- Room for a value of this size behind the next address of this alignment.
storableReserved :: Int -> Int -> Int
storableReserved size align
  | size >= 0 && size <= maxBound - gap = size + gap
  | otherwise = errorWithoutStackTrace "Ashlar.Builder: storable with an impossible size"
  where
    gap = max 1 align - 1
{-# INLINE storableReserved #-}

-- Note [Storable at any address]
-- ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
-- A number may be written at any address (Note [Unaligned access]), but the 'poke' of a
-- type that we do not know may be a function in C, compiled to instructions that need
-- the alignment it asks for. So it writes at the next address with this alignment, and
-- the bytes are moved down from there by less than the alignment. Before that they are
-- cleared: what 'poke' leaves out would be whatever the memory held before, which would
-- make the output depend on the sink (INV-B4), and give away what is no one's business.
storableWrite :: Storable a => Int -> Int -> a -> Ptr Word8 -> IO (Ptr Word8)
storableWrite size align0 x p = do
  clear q size
  pokeHost q x
  -- Downwards, within the bytes that were reserved.
  if gap == 0 then pure () else moveDown p q size
  pure (p `plusPtr` size)
  where
    align = max 1 align0
    address = p `minusPtr` nullPtr
    gap
      | align .&. (align - 1) == 0 = negate address .&. (align - 1)
      | otherwise = negate address `mod` align
    q = p `plusPtr` gap
{-# INLINE storableWrite #-}

-- Write so many zeros.
clear :: Ptr Word8 -> Int -> IO ()
clear p n
  | n == 1 = pokeHost p (0 :: Word8)
  | n == 2 = pokeHost p (0 :: Word16)
  | n == 4 = pokeHost p (0 :: Word32)
  | n == 8 = pokeHost p (0 :: Word64)
  | otherwise = fillBytes p 0 n
{-# INLINE clear #-}
