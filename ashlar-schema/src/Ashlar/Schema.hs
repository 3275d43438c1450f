{-# LANGUAGE AllowAmbiguousTypes #-}
{-# LANGUAGE ScopedTypeVariables #-}
{-# LANGUAGE Trustworthy #-}
{-# LANGUAGE TypeApplications #-}

-- |
-- Module      : Ashlar.Schema
-- Description : Formats as values
--
-- A 'Schema' is the format of a type, as a value. Store it beside data that outlives the program,
-- compare it with that of another version, print it, or decode by it without the type.
--
-- Derive 'Described' beside 'Codec':
--
-- >>> :set -XDeriveAnyClass -XDeriveGeneric
-- >>> data Item = Item { name :: Text, price :: Double } deriving (Generic, Codec, Described)
-- >>> data Order = Order { number :: Int, items :: [Item] } deriving (Generic, Codec, Described)
-- >>> import qualified Data.Text.IO as T
-- >>> T.putStr (describeSchema (schema @Order))
-- Order
-- <BLANKLINE>
-- data Order = Order { number :: Int64, items :: [Item] }
-- <BLANKLINE>
-- data Item = Item { name :: Text, price :: Double }
--
-- A schema has the names of types, constructors and fields, and the formats of the leaves. It has
-- no names of modules or packages, so it stays the same when a type moves. It is a 'Codec' itself.
-- Its bytes are canonical, and @format.md@ of this package lists them.
--
-- The 'fingerprint' is 128 bits for a schema. It does not depend on the names of types, nor on
-- newtypes. So equal fingerprints mean equal bytes, and equal names of constructors and fields.
--
-- >>> newtype Name = Name Text deriving (Generic, Codec, Described)
-- >>> fingerprint @Name == fingerprint @Text
-- True
-- >>> fingerprint @Int32 == fingerprint @Int64
-- False
--
-- A program that has the schema needs no type to decode:
--
-- >>> let bytes = encode (Order 7 [Item "brick" 0.75])
-- >>> let Right value = runGet (getValue (schema @Order)) bytes
-- >>> toStrictByteString (putValue value) == bytes
-- True
--
-- "Ashlar.Schema.Compat" decodes by a schema what binary, cereal or store have written.
--
-- __Formats by hand.__ A derived description is that of a derived format. The instance of a type
-- with a 'Ashlar.Codec.format' of its own describes it by hand, with 'recordOf', 'variantOf', 'as',
-- 'whole' or 'exactly'. What they cannot say is 'opaque'. If a schema does not describe the bytes,
-- later readers see other values. @Ashlar.Schema.Laws@ of the package ashlar-laws finds that.
--
-- __Untrusted schemas.__ Decoding a schema refuses those that no type has. All functions here take
-- time and memory in proportion to the schemas, and 'getValue' in proportion to the bytes and the
-- budget, whatever the schema says.
--
-- Some constructors have the names of other types (@Varint@, @BigEndian@, @Set@): import this
-- module qualified, or with an import list.
module Ashlar.Schema
  ( -- * Described types
    Described (..),
    Describe,
    schema,
    fingerprint,

    -- * Schemas
    Schema (..),
    Definition (..),
    Form (..),
    ValueOrder (..),
    Constructor (..),
    Field (..),
    Shape (..),
    Leaf (..),
    Number (..),
    Length (..),
    definitionAt,
    schemaFingerprint,
    essence,
    checkSchema,

    -- * For people and other programs
    describeSchema,
    schemaToJson,

    -- * Differences
    diffSchemas,
    Difference (..),
    What (..),
    describeDifference,

    -- * Values without their types
    Value (..),
    getValue,
    putValue,
    plainSchema,
    getPlainValue,

    -- * Values as JSON
    valueToJson,
    getJsonLine,
    getJsonLineWithin,

    -- * Descriptions by hand
    derivedDescription,
    orderedByParts,
    as,
    opaque,
    whole,
    exactly,
    packed,
    recordOf,
    variantOf,
    part,
    partBy,
    caseOf,
    retiredCase,
    Part,
    Case,

    -- * Evolution
    Change,
    added,
    renamed,
    dropped,
    converted,
    convertedEither,
    renamedConstructor,
    droppedConstructor,
    unknownConstructors,
  )
where

import Ashlar.Schema.Internal.ByHand
import Ashlar.Schema.Internal.Change
import Ashlar.Schema.Internal.Decode
import Ashlar.Schema.Internal.Describe
import Ashlar.Schema.Internal.Diff
import Ashlar.Schema.Internal.Fingerprint
import Ashlar.Schema.Internal.Instances.Base ()
import Ashlar.Schema.Internal.Instances.Containers ()
import Ashlar.Schema.Internal.Instances.Newtypes ()
import Ashlar.Schema.Internal.Instances.Time ()
import Ashlar.Schema.Internal.Instances.Tuples ()
import Ashlar.Schema.Internal.Instances.Wrappers ()
import Ashlar.Schema.Internal.Json
import Ashlar.Schema.Internal.Json.Transcode (getJsonLine, getJsonLineWithin)
import Ashlar.Schema.Internal.Json.Values (valueToJson)
import Ashlar.Schema.Internal.Schema
import Ashlar.Schema.Internal.Text
import Ashlar.Schema.Internal.Types
import Ashlar.Schema.Internal.Value
import GHC.Fingerprint (Fingerprint)

-- | The schema of a type. Computed anew at each use: keep it where it is used often.
schema :: forall a. Described a => Schema
schema = descriptionSchema (described @a)

-- | 128 bits for the format of a type: the 'schemaFingerprint' of its 'schema'. It does not depend
-- on the compiler, its version, or the machine. Computed anew at each use, like 'schema'.
--
-- Newtypes and the names of types do not count. Nor does what a schema does not say: the
-- conditions of a 'Ashlar.Codec.satisfying', an order of keys by an 'Ord' instance by hand, and the
-- format with an 'opaque' name. Their decoders check all values, whatever the fingerprint.
--
-- Wrappers count, also where they change no byte: the fingerprints of @Packed (Compact [Int])@ and
-- @Packed [Int]@ differ. 'Ashlar.Schema.Evolution.plan' reads the values of one as the other.
fingerprint :: forall a. Described a => Fingerprint
fingerprint = schemaFingerprint (schema @a)
