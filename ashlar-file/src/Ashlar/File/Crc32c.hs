{-# LANGUAGE Trustworthy #-}

-- |
-- Module      : Ashlar.File.Crc32c
-- Description : The checksum CRC-32C
--
-- The checksum of the blocks of a file. It finds every error of up to 32 adjacent bits, and three
-- flipped bits anywhere in a block of 32 KiB. It is no protection against forgery.
module Ashlar.File.Crc32c
  ( crc32c,
    crc32cAfter,
  )
where

import Ashlar.File.Internal.Crc32c
