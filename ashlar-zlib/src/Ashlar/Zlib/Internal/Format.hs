{-# LANGUAGE DerivingStrategies #-}

-- |
-- Module      : Ashlar.Zlib.Internal.Format
-- Description : The three formats of zlib
module Ashlar.Zlib.Internal.Format
  ( Format (..),
    Params (..),
    gzip,
    zlib,
    raw,
  )
where

-- | What stands around the compressed bytes.
data Format
  = -- | A header, a CRC-32 and a length (RFC 1952), as the program @gzip@ writes it. The header has
    -- no time and no name, so equal bytes give equal files.
    Gzip
  | -- | A header of two bytes and an Adler-32 (RFC 1950). HTTP calls it @deflate@.
    Zlib
  | -- | Nothing (RFC 1951). Damage is found only by chance.
    Raw
  deriving stock (Eq, Show, Enum, Bounded)

-- | How to compress.
data Params = Params
  { paramsFormat :: !Format,
    -- | From 1, the fastest, to 9, the smallest. 0 does not compress. A number outside of this
    -- range counts as the nearest in it.
    paramsLevel :: !Int
  }
  deriving stock (Eq, Show)

-- | 'Gzip' at level 6.
gzip :: Params
gzip = Params Gzip 6

-- | 'Zlib' at level 6.
zlib :: Params
zlib = Params Zlib 6

-- | 'Raw' at level 6.
raw :: Params
raw = Params Raw 6
