{-# LANGUAGE Unsafe #-}

-- |
-- Module      : Ashlar.Builder.Unsafe
-- Description : Making primitives of one's own
--
-- For what this library has no builder for: write a bounded number of bytes at an
-- address, by a function of your own. Such a function as a value, together with its
-- bound, is a primitive; those are made in "Ashlar.Builder.Prim.Unsafe".
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
  )
where

import Ashlar.Internal.Builder.Core
import Ashlar.Internal.Builder.Loops ()
import Ashlar.Internal.Builder.Poke
