{-# LANGUAGE ForeignFunctionInterface #-}

-- |
-- Module      : Ashlar.File.Internal.Crc32c.Bulk
-- Description : CRC-32C of bytes in memory, in C
--
-- With the cabal flag @pure-haskell@ a module of the same name does this in Haskell.
module Ashlar.File.Internal.Crc32c.Bulk
  ( fastest,
    byTables,
    hasInstruction,
  )
where

import Data.Word (Word32, Word8)
import Foreign.C.Types (CInt (..), CSize (..))
import Foreign.Ptr (Ptr)
import System.IO.Unsafe (unsafeDupablePerformIO)

-- | The checksum of some bytes and n more, given that of the former, by the instruction if the
-- processor has one, else by tables. A call keeps the garbage collector of other threads waiting.
fastest ::
  Word32 ->
  -- | The first byte.
  Ptr Word8 ->
  -- | The number of bytes, all readable.
  Int ->
  IO Word32
fastest before from n = c_crc32c before from (fromIntegral n)

-- | The same by tables, on any processor.
byTables :: Word32 -> Ptr Word8 -> Int -> IO Word32
byTables before from n = c_crc32c_tables before from (fromIntegral n)

-- | Has this processor an instruction for it? The module without C does not ask, and has 'Nothing'.
hasInstruction :: Maybe Bool
hasInstruction = Just (unsafeDupablePerformIO c_has_instruction /= 0)

foreign import ccall unsafe "ashlar_crc32c"
  c_crc32c :: Word32 -> Ptr Word8 -> CSize -> IO Word32

foreign import ccall unsafe "ashlar_crc32c_tables"
  c_crc32c_tables :: Word32 -> Ptr Word8 -> CSize -> IO Word32

foreign import ccall unsafe "ashlar_crc32c_has_instruction"
  c_has_instruction :: IO CInt
