-- |
-- Module      : Ashlar.Codec.Combinators
-- Description : Instances written by hand, once for both directions
--
-- Most instances are derived. This is for those that are not: where the format is
-- given, where not every value that the fields can have is valid, or where numbers of
-- constructors must stay the same while the type changes.
--
-- A 'Format' says how values are written and read, in one expression, so that the two
-- cannot drift apart. The instance of its type is taken from it:
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
-- >>> either (putStrLn . displayException) print (decode (encode ("Oslo" :: Text, -300 :: Double)) :: Either DecodeError Reading)
-- at byte 12, in Reading.celsius: colder than can be
--   00000000  04 00 00 00 00 00 00 00 4f 73 6c 6f 00 00 00 00   |........Oslo....|
--                                                 ^^ ^^ ^^ ^^
--   00000010  00 c0 72 c0                                       |..r.|
--
-- The pragma is what makes it as fast as a derived instance: with it, nothing of the
-- 'Format' is left when the program runs.
--
-- Errors say the path to the field, from the names that are given here.
--
-- Records and variants have the bytes that derived instances have: a record is its
-- fields one after the other; a variant is a tag, which counts the alternatives from 0,
-- in one byte (two for more than 256), and what belongs to the alternative.
--
-- Some of the names are common words ('fixed', 'field', 'end'): import this module qualified,
-- or with a list.
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
  )
where

import Ashlar.Internal.Codec.Class (HasFormat (format))
import Ashlar.Internal.Codec.Derive (derivedFormat)
import Ashlar.Internal.Codec.Format
import Ashlar.Internal.Codec.Record
import Ashlar.Internal.Codec.Variant
