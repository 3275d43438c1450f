-- |
-- Module      : Ashlar.Internal.Prim.Base64Groups
-- Description : Groups of four characters of Base64, in C
--
-- @cbits/base64.c@. With the cabal flag @pure-haskell@ a module of the same name has the same
-- functions in Haskell.
--
-- The garbage collector waits for a foreign call, so callers pass a limited number of bytes, as in
-- Note [Foreign copies] in "Ashlar.Internal.Mem".
module Ashlar.Internal.Prim.Base64Groups
  ( base64Encode,
    base64Decode,
    base64Characters,
  )
where

import Ashlar.Internal.Prim.Alphabet
import Data.Word (Word8)
import Foreign.C.Types (CInt (..), CSize (..))
import Foreign.Ptr (Ptr)

-- | Write n groups of four characters, from groups of three bytes at the second address.
base64Encode :: Alphabet -> Ptr Word8 -> Ptr Word8 -> Int -> IO ()
base64Encode alphabet dst src n = c_base64_encode dst src (fromIntegral n) (codeOf alphabet)
{-# INLINE base64Encode #-}

-- | Decode n groups of four characters, up to the first that has a character outside of the
-- alphabet. Return the number of groups before it. Three bytes must be writable for each of the n,
-- and those after the result may be overwritten.
base64Decode :: Alphabet -> Ptr Word8 -> Ptr Word8 -> Int -> IO Int
base64Decode alphabet dst src n =
  fromIntegral <$> c_base64_decode dst src (fromIntegral n) (codeOf alphabet)
{-# INLINE base64Decode #-}

-- | The number of leading characters of the alphabet among n, which must be readable.
base64Characters :: Alphabet -> Ptr Word8 -> Int -> IO Int
base64Characters alphabet p n =
  fromIntegral <$> c_base64_span p (fromIntegral n) (codeOf alphabet)
{-# INLINE base64Characters #-}

codeOf :: Alphabet -> CInt
codeOf Standard = 0
codeOf ForUrls = 1

foreign import ccall unsafe "ashlar_base64_encode"
  c_base64_encode :: Ptr Word8 -> Ptr Word8 -> CSize -> CInt -> IO ()

foreign import ccall unsafe "ashlar_base64_decode"
  c_base64_decode :: Ptr Word8 -> Ptr Word8 -> CSize -> CInt -> IO CSize

foreign import ccall unsafe "ashlar_base64_span"
  c_base64_span :: Ptr Word8 -> CSize -> CInt -> IO CSize
