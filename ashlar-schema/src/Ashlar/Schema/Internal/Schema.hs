{-# LANGUAGE DeriveAnyClass #-}
{-# LANGUAGE DeriveGeneric #-}
{-# LANGUAGE DerivingStrategies #-}

-- |
-- Module      : Ashlar.Schema.Internal.Schema
-- Description : A format as a value
module Ashlar.Schema.Internal.Schema
  ( Schema (..),
    definitionAt,
    plainSchema,
    plainShape,
    checkSchema,
  )
where

import Ashlar.Codec (Codec, HasFormat (format), derivedFormat, refined)
import Ashlar.Schema.Internal.Check (checkTerms)
import Ashlar.Schema.Internal.Types
import qualified Data.Vector as V
import GHC.Generics (Generic)

-- | The format of a type as a value: the shape of its values, and the definitions that the shape
-- refers to.
--
-- The definitions are numbered in the order of the first visit, from the root, depth first. So
-- equal types have equal schemas.
--
-- Decoding a schema refuses those that no type has: see @checkSchema@. So a decoded one can be
-- used without further checks.
data Schema = Schema
  { schemaRoot :: Shape,
    schemaDefinitions :: V.Vector Definition
  }
  deriving stock (Eq, Ord, Show, Generic)
  deriving anyclass (Codec)

-- | The derived format. Decoding refuses what 'checkSchema' refuses.
instance HasFormat Schema where
  format = refined id checkSchema derivedFormat

-- | Refuse a schema that no type has, with a message that says why. Takes time in proportion to
-- the size of the schema. Decoding does this, so only schemas made by hand need it. It refuses:
--
-- * a reference without a definition, or a definition that nothing refers to;
-- * numbers that are not those of the first visit;
-- * a newtype that does not have one constructor with one field, a record that does not have one
--   constructor, a sum with more than 65,536;
-- * two constructors of one definition, or two fields of one constructor, with one name;
-- * a tuple of fewer than two values, bounds without numbers or in the wrong order;
-- * an array within the index of another;
-- * shapes that are nested more than 100 deep, not counting references;
-- * a schema whose essence, the bytes of which are hashed for its fingerprint, has more than 1 GiB.
--
-- A type without finite values, such as @data T = T T@, has a schema like any other.
checkSchema :: Schema -> Either String Schema
checkSchema s = s <$ checkTerms (schemaRoot s) (schemaDefinitions s)

-- | The schema of the same values in the plain format: none of its shapes is packed.
plainSchema :: Schema -> Schema
plainSchema s =
  Schema (plainShape (schemaRoot s)) (V.map (overShapes plainShape) (schemaDefinitions s))

-- | A shape of the 'plainSchema'.
plainShape :: Shape -> Shape
plainShape shape = case shape of
  Packed inner -> plainShape inner
  Unpacked inner -> plainShape inner
  _ -> mapShapes plainShape shape

-- | The definition with this number, if there is one.
definitionAt :: Schema -> Int -> Maybe Definition
definitionAt s i = schemaDefinitions s V.!? i
