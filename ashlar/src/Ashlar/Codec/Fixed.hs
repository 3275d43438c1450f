-- |
-- Module      : Ashlar.Codec.Fixed
-- Description : Formats in which every value takes the same number of bytes
--
-- A 'Fixed' describes how the values of a type are written and read, if all of
-- them take the same number of bytes. It can be made only from the formats of
-- this module and by putting such formats together. So its size and what it
-- writes cannot disagree, memory can be reserved for many values at once, and an
-- instance of 'Ashlar.Codec.Codec' written with it is as fast as a derived one.
--
-- Here the least significant byte comes first. Most significant byte first: @fixedBE@ of
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

import Ashlar.Internal.Codec.Fixed
