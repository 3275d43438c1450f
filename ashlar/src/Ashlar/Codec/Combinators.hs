{-# LANGUAGE Trustworthy #-}

-- |
-- Module      : Ashlar.Codec.Combinators
-- Description : Instances written by hand, once for both directions
--
-- Most instances are derived. This module is for the others: formats that somebody else has
-- specified, and constructors whose tags must stay the same while the type changes.
--
-- A 'Format' describes writing and reading in one expression, so the two cannot drift apart. The
-- instance follows from it:
--
-- >>> :set -XDeriveAnyClass
-- >>> :{
-- data Reading = Reading { station :: Text, celsius :: Double }
--   deriving (Show, Codec)
-- instance HasFormat Reading where
--   format =
--     record "Reading" $
--       Reading
--         <$> field "station" station codec
--         <*> field "celsius" celsius (satisfying "colder than can be" (>= -273.15) codec)
--   {-# INLINE format #-}
-- :}
--
-- >>> decode (encode (Reading "Oslo" 4)) :: Either DecodeError Reading
-- Right (Reading {station = "Oslo", celsius = 4.0})
-- >>> let cold = encode ("Oslo" :: Text, -300 :: Double)
-- >>> either (putStrLn . displayException) print (decode cold :: Either DecodeError Reading)
-- at byte 12, in Reading.celsius: colder than can be
--   00000000  04 00 00 00 00 00 00 00 4f 73 6c 6f 00 00 00 00   |........Oslo....|
--                                                 ^^ ^^ ^^ ^^
--   00000010  00 c0 72 c0                                       |..r.|
--
-- The INLINE pragma makes it as fast as a derived instance: nothing of the 'Format' is left when
-- the program runs.
--
-- Errors show the path to the field, with the names given here.
--
-- Records and variants have the bytes of derived instances. A record is its fields, one after the
-- other. A variant is a tag and the fields of the alternative. The tag counts the alternatives from
-- 0, in one byte, or in two if there are more than 256.
--
-- = Values of constant size
--
-- A 'Fixed' writes and reads the values of a type that all take the same number of bytes. You make
-- one from the numbers of this module and by combining them, so its size always agrees with the
-- bytes it writes. The library reserves memory for many values at once, and 'fixed' of it is as
-- fast as a derived instance.
--
-- These formats write the least significant byte first. For the opposite order, see @fixedBE@ of
-- "Ashlar.Codec.Wrappers".
--
-- >>> let named = fixedPair fst snd (,) fixedWord16LE fixedDoubleLE
-- >>> toStrictByteString (putFixed named (7, 1))
-- "\a\NUL\NUL\NUL\NUL\NUL\NUL\NUL\240?"
-- >>> runGet (getFixed named) "\a\NUL\NUL\NUL\NUL\NUL\NUL\NUL\240?"
-- Right (7,1.0)
--
-- Some names are common words ('fixed', 'field', 'end'): import this module qualified, or with an
-- import list.
module Ashlar.Codec.Combinators
  ( -- * Formats
    Format,
    codec,
    fixed,

    -- ** From formats to instances
    HasFormat (format),
    derivedFormat,
    byHand,
    fromPutGet,
    formatLayout,
    formatSize,
    formatPut,
    formatGet,

    -- * Other types, fewer values
    bijection,
    refined,
    satisfying,
    constant,

    -- * Records
    Fields,
    record,
    field,
    both,

    -- * Variants
    Cases,
    Encoding,
    variant,
    constructor,
    alternative,
    retired,
    end,

    -- * Values of constant size
    Fixed,
    Layout (Fix, Var),
    fixedSize,
    putFixed,
    getFixed,

    -- ** Numbers
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

    -- ** Putting them together
    fixedUnit,
    fixedPair,
    fixedMap,
    fixedChecked,
  )
where

import Ashlar.Internal.Codec.Class (HasFormat (format), Layout (Fix, Var))
import Ashlar.Internal.Codec.Derive (derivedFormat)
import Ashlar.Internal.Codec.Fixed
import Ashlar.Internal.Codec.Format
import Ashlar.Internal.Codec.Variant
