{-# LANGUAGE Trustworthy #-}

-- |
-- Module      : Ashlar.Codec.Fixed
-- Description : Formats in which every value takes the same number of bytes
--
-- A 'Fixed' writes and reads the values of a type that all take the same number of bytes. You make
-- one from the formats of this module and by combining them, so its size always agrees with the
-- bytes it writes. The library reserves memory for many values at once, and an instance of
-- 'Ashlar.Codec.Codec' written with a 'Fixed' is as fast as a derived one.
--
-- These formats write the least significant byte first. For the opposite order, see @fixedBE@ of
-- "Ashlar.Codec.Wrappers".
--
-- >>> let named = fixedPair fst snd (,) fixedWord16LE fixedDoubleLE
-- >>> toStrictByteString (putFixed named (7, 1))
-- "\a\NUL\NUL\NUL\NUL\NUL\NUL\NUL\240?"
-- >>> runGet (getFixed named) "\a\NUL\NUL\NUL\NUL\NUL\NUL\NUL\240?"
-- Right (7,1.0)
module Ashlar.Codec.Fixed
  ( Fixed,
    fixedSize,
    Layout (Fix, Var),

    -- * Using one
    putFixed,
    getFixed,

    -- * Numbers
    fixedWord8,
    fixedWord16LE,
    fixedWord32LE,
    fixedWord64LE,
    fixedInt8,
    fixedInt16LE,
    fixedInt32LE,
    fixedInt64LE,
    fixedWord,
    fixedInt,
    fixedFloatLE,
    fixedDoubleLE,

    -- * Putting formats together
    fixedUnit,
    fixedPair,
    fixedMap,
    fixedChecked,
  )
where

import Ashlar.Internal.Codec.Class (Layout (Fix, Var))
import Ashlar.Internal.Codec.Fixed
