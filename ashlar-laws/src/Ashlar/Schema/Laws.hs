{-# LANGUAGE FlexibleContexts #-}
{-# LANGUAGE ScopedTypeVariables #-}
{-# LANGUAGE Trustworthy #-}
{-# LANGUAGE TypeApplications #-}

-- |
-- Module      : Ashlar.Schema.Laws
-- Description : The laws of Described, as properties
--
-- A schema that says something else than the bytes makes old data unreadable, or readable as other
-- values. It does so where @Described@ is derived, and the type has a 'format' of its own. With
-- tasty, for a type that derives @Described@:
--
-- > testProperties "Order" (describedLaws (Proxy :: Proxy Order))
--
-- and for one that has a 'describe' of its own:
--
-- > testProperty "Order" (schemaReads (samples :: Samples Order))
module Ashlar.Schema.Laws
  ( describedLaws,
    describedLawsFor,
    schemaReads,
    derivedAgrees,
  )
where

import Ashlar.Builder (toStrictByteString)
import Ashlar.Codec
import Ashlar.Codec.Combinators (formatPut)
import Ashlar.Codec.Laws (Samples (..), samples)
import Ashlar.Get (runGetWhole)
import Ashlar.Schema
import Ashlar.Schema.Internal.Describe (GDescribed, describedAs)
import Ashlar.Schema.Internal.Edit (Description (..))
import Control.Exception (displayException)
import Data.Proxy (Proxy)
import GHC.Generics (Generic (..))
import Test.QuickCheck

-- | All laws for a type, each with its name.
describedLaws ::
  forall a.
  (Arbitrary a, Show a, Eq a, Generic a, GCodec (Rep a), GDescribed (Rep a), Described a) =>
  Proxy a ->
  [(String, Property)]
describedLaws _ = describedLawsFor (samples :: Samples a)

-- | All laws for the values given.
describedLawsFor ::
  (Generic a, GCodec (Rep a), GDescribed (Rep a), Described a) =>
  Samples a ->
  [(String, Property)]
describedLawsFor s =
  [ ("the schema reads what is written", schemaReads s),
    ("a derived description is that of the derived format", derivedAgrees s)
  ]

-- | What the type has written is read by its schema alone, and is written again as the same bytes.
--
-- No schema reads types with an 'opaque' format of variable size, or with polymorphic recursion.
schemaReads :: forall a. Described a => Samples a -> Property
schemaReads s = forAllShrinkShow (sampleGen s) (sampleShrink s) (sampleShow s) $ \x ->
  case runGetWhole byItsSchema (encode x) of
    Left e -> counterexample (displayException e) False
    Right value -> toStrictByteString (putValue value) === encode x
  where
    byItsSchema = getValue (schema @a)

-- | If the description is the derived one, the type writes the derived format. It does not if it
-- has a 'format' of its own. Then 'describe' it, too.
derivedAgrees ::
  forall a.
  (Generic a, GCodec (Rep a), GDescribed (Rep a), Described a) =>
  Samples a ->
  Property
derivedAgrees s = forAllShrinkShow (sampleGen s) (sampleShrink s) (sampleShow s) $ \x ->
  derived /= schema @a
    .||. counterexample
      "the description is derived, but not the format"
      (encode x === toStrictByteString (formatPut derivedFormat x))
  where
    derived = descriptionSchema (describedAs (derivedDescription @a))
