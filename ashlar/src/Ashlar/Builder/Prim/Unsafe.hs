-- |
-- Module      : Ashlar.Builder.Prim.Unsafe
-- Description : Making and running primitives, unchecked
--
-- What primitives are: a number of bytes, and a function that writes so many, or at
-- most so many, at an address. Here are the ways to make one of these and to take it
-- apart.
--
-- Nothing checks that a function writes what it says. If it writes more, memory is
-- corrupted. If it writes fewer bytes than a fixed primitive's size, the output has
-- bytes that nobody wrote, which may be secrets. It may be run more than once, and by
-- several threads, and must write the same bytes each time.
--
-- >>> import Ashlar.Builder
-- >>> import qualified Ashlar.Builder.Prim as P
-- >>> import Ashlar.Builder.Prim.Unsafe
-- >>> import Foreign.Storable (poke)
-- >>> let byte = fixedPrim 1 (\x p -> poke p (fromIntegral (fromEnum x)))
-- >>> toLazyByteString (P.primMapListFixed byte [False, True])
-- "\NUL\SOH"
--
-- The names are those of @Data.ByteString.Builder.Prim.Internal@. (Its @storableToF@ is
-- not here: the bytes between the fields of a value would be those that were in the buffer
-- before. 'Monoidal' is the class of this library's own primitives, not bytestring's.)
module Ashlar.Builder.Prim.Unsafe
  ( -- * Exactly so many bytes
    Size,
    FixedPrim,
    fixedPrim,
    size,
    runF,
    emptyF,
    contramapF,
    pairF,

    -- * At most so many bytes
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
