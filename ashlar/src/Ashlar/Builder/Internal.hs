-- |
-- Module      : Ashlar.Builder.Internal
-- Description : Making primitives of one's own
--
-- What a primitive needs that this library does not have: to write a bounded
-- number of bytes at an address. Nothing checks that it keeps its bound.
--
-- A primitive from a function in C that writes at most 20 bytes, and returns
-- how many:
--
-- > foreign import ccall unsafe "format_number" c_format :: Ptr Word8 -> Int64 -> IO Int
-- >
-- > formatted :: Int64 -> Builder
-- > formatted x = ensure 20 (\p -> plusPtr p <$> c_format p x)
module Ashlar.Builder.Internal
  ( Builder,
    ensure,
  )
where

import Ashlar.Builder.Core
