{-# LANGUAGE AllowAmbiguousTypes #-}
{-# LANGUAGE ScopedTypeVariables #-}
{-# LANGUAGE TypeApplications #-}

-- |
-- Module      : Ashlar.Schema
-- Description : Formats as values
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

    -- * Descriptions by hand
    derivedDescription,
    orderedByParts,
    as,
    opaque,
    whole,
    exactly,
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
    renamedConstructor,
    droppedConstructor,
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
import Ashlar.Schema.Internal.Schema
import Ashlar.Schema.Internal.Text
import Ashlar.Schema.Internal.Types
import Ashlar.Schema.Internal.Value
import GHC.Fingerprint (Fingerprint)

-- | The schema of a type. Computed anew at each use: keep it where it is used often.
--
-- @since 0.1.0.0
schema :: forall a. Described a => Schema
schema = descriptionSchema (described @a)

-- | 128 bits for the format of a type: the 'schemaFingerprint' of its 'schema'. It does not depend
-- on the compiler, its version, or the machine. Computed anew at each use, like 'schema'.
--
-- Types whose values have the same bytes and the same names of fields and constructors have equal
-- fingerprints. Newtypes and the names of types do not count.
--
-- @since 0.1.0.0
fingerprint :: forall a. Described a => Fingerprint
fingerprint = schemaFingerprint (schema @a)
