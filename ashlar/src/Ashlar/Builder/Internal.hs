-- |
-- Module      : Ashlar.Builder.Internal
-- Description : Making primitives of one's own
--
-- What a primitive needs that this library does not have: to write a bounded
-- number of bytes at an address.
--
-- A primitive from a function in C that writes at most 20 bytes, and returns
-- how many:
--
-- > foreign import ccall unsafe "format_number" c_format :: Ptr Word8 -> Int64 -> IO Int
-- >
-- > formatted :: Int64 -> Builder
-- > formatted x = withPtr 20 (\p -> plusPtr p <$> c_format p x)
module Ashlar.Builder.Internal
  ( Builder,

    -- * Writing at an address
    withPtr,
    PokedOutside (..),
    storable,
    ensure,

    -- * Primitives as values
    -- $prims
    FixedPrim,
    fixedPrim,
    size,
    runF,
    BoundedPrim,
    boundedPrim,
    sizeBound,
    runB,
    toB,
    primFixed,
    primBounded,
  )
where

import Ashlar.Builder.Core
import Ashlar.Builder.Poke
import Ashlar.Builder.Primitive
import Ashlar.Prim.Bounded

-- $prims
-- How to write a value, together with the number of bytes that it takes: what
-- 'primFixed' and 'primBounded' make builders of, and what is given to functions that have to
-- know the number beforehand. The names are those of
-- @Data.ByteString.Builder.Prim.Internal@.
