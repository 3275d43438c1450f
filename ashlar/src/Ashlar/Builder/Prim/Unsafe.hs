{-# LANGUAGE Unsafe #-}

-- |
-- Module      : Ashlar.Builder.Prim.Unsafe
-- Description : Making and running primitives, unchecked
--
-- A primitive is a number of bytes @n@, and a function that writes @n@ bytes, or at most @n@, at an
-- address. This module makes primitives and takes them apart.
--
-- Nothing checks the function. If it writes more, memory is corrupted. If it writes fewer bytes
-- than a fixed primitive's size, the output contains what the memory held before, which may be
-- secret. The function may run more than once, and in several threads, and must write the same
-- bytes each time.
--
-- >>> import Ashlar.Builder
-- >>> import qualified Ashlar.Builder.Prim as P
-- >>> import Ashlar.Builder.Prim.Unsafe
-- >>> import Foreign.Storable (poke)
-- >>> let byte = fixedPrim 1 (\x p -> poke p (fromIntegral (fromEnum x)))
-- >>> toLazyByteString (P.primMapListFixed byte [False, True])
-- "\NUL\SOH"
--
-- This module has all names of @Data.ByteString.Builder.Prim.Internal@. 'Monoidal' is the class of
-- this library's primitives, not bytestring's.
module Ashlar.Builder.Prim.Unsafe
  ( -- * A fixed number of bytes
    Size,
    FixedPrim,
    fixedPrim,
    size,
    runF,
    emptyF,
    contramapF,
    pairF,
    storableToF,

    -- * A bounded number of bytes
    BoundedPrim,
    boundedPrim,
    boudedPrim,
    sizeBound,
    runB,
    emptyB,
    contramapB,
    pairB,
    eitherB,
    condB,
    toB,
    liftFixedToBounded,

    -- * Both kinds
    (>$<),
    (>*<),
    Monoidal (..),

    -- * The size of a word
    caseWordSize_32_64,
  )
where

import Ashlar.Internal.Prim.Core
import Data.Bits (finiteBitSize)
import Data.Word (Word8)
import Foreign.Ptr (Ptr)

-- | 'boundedPrim', as bytestring once misspelt it.
boudedPrim :: Int -> (a -> Ptr Word8 -> IO (Ptr Word8)) -> BoundedPrim a
boudedPrim = boundedPrim
{-# INLINE boudedPrim #-}
{-# DEPRECATED boudedPrim "Use boundedPrim" #-}

-- | The first value where a 'Word' has 32 bits, the second where it has 64.
--
-- >>> import Ashlar.Builder.Prim.Unsafe
-- >>> caseWordSize_32_64 4 8 == sizeBound (P.liftFixedToBounded P.wordHost)
-- True
caseWordSize_32_64 ::
  -- | For 32 bits.
  a ->
  -- | For 64 bits.
  a ->
  a
caseWordSize_32_64 on32 on64 = if finiteBitSize (0 :: Word) == 32 then on32 else on64
{-# INLINE caseWordSize_32_64 #-}
