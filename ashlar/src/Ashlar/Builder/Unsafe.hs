{-# LANGUAGE DerivingStrategies #-}
{-# LANGUAGE Unsafe #-}

-- |
-- Module      : Ashlar.Builder.Unsafe
-- Description : Builders from functions that write at an address, unchecked
--
-- For what this library has no builder for: your own function writes a bounded number of
-- bytes at an address. "Ashlar.Builder.Prim.Unsafe" makes primitives of such functions.
-- 'fromWriter' is for actions that write builders.
--
-- A builder from a function in C that writes at most 20 bytes, and returns
-- how many:
--
-- > foreign import ccall unsafe "format_number" c_format :: Ptr Word8 -> Int64 -> IO Int
-- >
-- > formatted :: Int64 -> Builder
-- > formatted x = withPtr 20 (\p -> plusPtr p <$> c_format p x)
module Ashlar.Builder.Unsafe
  ( Builder,

    -- * Writing at an address
    withPtr,
    PokedOutside (..),
    storable,
    storables,
    ensure,
    atCursor,

    -- * Writing by an action
    fromWriter,
  )
where

import Ashlar.Internal.Builder.Core
import Ashlar.Internal.Builder.Loops (primMapListBounded)
import Ashlar.Internal.Mem.Cells
import Ashlar.Internal.Prim.Core (boundedPrim, storableReserved, storableWrite)
import Control.Exception (Exception (..), throwIO)
import Data.Word (Word8)
import Foreign.Ptr (Ptr, minusPtr)
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

-- See Note [Fusing reservations] in "Ashlar.Internal.Builder.Core".
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

-- | A builder from an action that writes builders one after another: for a library that turns the
-- bytes of one builder into those of another, as compression does.
--
-- The action runs each time the builder runs, within pure code, as those of
-- 'System.IO.Unsafe.unsafePerformIO' do. It must have no effect but to write its bytes, the same
-- each time.
--
-- Write only from this action and its thread, and not after it has returned: then the memory is
-- gone. The output may be made while it is consumed, so a write may take any time, and may never
-- return. So nothing that must be released or restored may be open meanwhile: no
-- 'Control.Exception.bracket', 'Control.Exception.mask' or 'Control.Exception.catch' around it,
-- and no lock. A builder of this kind does not share its reservation with its neighbours.
--
-- >>> import Ashlar.Builder.Unsafe (fromWriter)
-- >>> fromWriter (\write -> mapM_ (write . intDec) [1, 2, 3])
-- "123"
fromWriter ::
  -- | Given the function that writes a builder.
  ((Builder -> IO ()) -> IO ()) ->
  Builder
fromWriter act = action (\c k -> act (\b -> runOn b c k))
