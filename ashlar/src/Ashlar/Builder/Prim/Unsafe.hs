{-# LANGUAGE Unsafe #-}

-- |
-- Module      : Ashlar.Builder.Prim.Unsafe
-- Description : Making and running primitives, unchecked
--
-- A primitive is a number of bytes @n@, and a function that writes @n@ bytes, or at most @n@, at an
-- address. This module makes primitives and takes them apart.
--
-- Nothing checks the function. If it writes more, memory is corrupted. If it writes fewer bytes
-- than a fixed primitive's size, the output has bytes that nobody wrote, which may be secrets. It
-- may run more than once, and in several threads, and must write the same bytes each time.
--
-- >>> import Ashlar.Builder
-- >>> import qualified Ashlar.Builder.Prim as P
-- >>> import Ashlar.Builder.Prim.Unsafe
-- >>> import Foreign.Storable (poke)
-- >>> let byte = fixedPrim 1 (\x p -> poke p (fromIntegral (fromEnum x)))
-- >>> toLazyByteString (P.primMapListFixed byte [False, True])
-- "\NUL\SOH"
--
-- The names are those of @Data.ByteString.Builder.Prim.Internal@, without @storableToF@: it would
-- leave between the fields of a value the bytes that the buffer held before. 'Monoidal' is the
-- class of this library's primitives, not bytestring's.
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

    -- * A bounded number of bytes
    BoundedPrim,
    boundedPrim,
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
  )
where

import Ashlar.Internal.Prim.Combinators
import Ashlar.Internal.Prim.Core
