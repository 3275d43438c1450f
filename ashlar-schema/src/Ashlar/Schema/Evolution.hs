{-# LANGUAGE AllowAmbiguousTypes #-}
{-# LANGUAGE DataKinds #-}
{-# LANGUAGE DerivingStrategies #-}
{-# LANGUAGE FlexibleContexts #-}
{-# LANGUAGE ScopedTypeVariables #-}
{-# LANGUAGE Trustworthy #-}
{-# LANGUAGE TypeApplications #-}

-- |
-- Module      : Ashlar.Schema.Evolution
-- Description : Reading data of older versions of a type
--
-- Data outlive the program that wrote them. Keep the schema of a type beside its data. Then a
-- later version of the program reads them as the type that it has by then. What has changed is
-- written beside the type:
--
-- >>> :set -XDeriveAnyClass -XDeriveGeneric -XDataKinds
-- >>> :{
-- data Old = Old { item :: Text, qty :: Int32, note :: Text }
--   deriving (Generic, Codec, Described)
-- :}
--
-- >>> :{
-- data Order = Order { channel :: Text, item :: Text, count :: Int64 }
--   deriving (Show, Generic, Codec)
-- instance Described Order where
--   evolution = [added @"channel" "web", renamed @"qty" @"count", dropped @"note"]
-- :}
--
-- >>> let old = encode (Old "brick" 12 "urgent")
-- >>> let Right getOrder = plan @Order (schema @Old)
-- >>> runGetWhole getOrder old
-- Right (Order {channel = "web", item = "brick", count = 12})
--
-- Here is what may change:
--
-- +-----------------------------------------------+----------------------------------------------+
-- | change                                        | what to write                                |
-- +===============================================+==============================================+
-- | fields or constructors in another order       | nothing: they go by name                     |
-- +-----------------------------------------------+----------------------------------------------+
-- | a field is new                                | @added \@"channel" "web"@                    |
-- +-----------------------------------------------+----------------------------------------------+
-- | a field has another name                      | @renamed \@"qty" \@"count"@                  |
-- +-----------------------------------------------+----------------------------------------------+
-- | a field is gone                               | @dropped \@"note"@                           |
-- +-----------------------------------------------+----------------------------------------------+
-- | a field has another type                      | @converted \@"price" fromCents@              |
-- +-----------------------------------------------+----------------------------------------------+
-- | the same, but some values cannot be today's   | @convertedEither \@"pets" notEmpty@          |
-- +-----------------------------------------------+----------------------------------------------+
-- | a constructor is new                          | nothing                                      |
-- +-----------------------------------------------+----------------------------------------------+
-- | a constructor has another name                | @renamedConstructor \@"Void" \@"Cancelled"@  |
-- +-----------------------------------------------+----------------------------------------------+
-- | a constructor is gone                         | @droppedConstructor \@"Lost"@                |
-- +-----------------------------------------------+----------------------------------------------+
-- | newer programs may have other constructors    | @unknownConstructors \@"Other"@              |
-- +-----------------------------------------------+----------------------------------------------+
-- | a number is wider: @Int32@ to @Int64@,        | nothing                                      |
-- | @Word16@ to @Int32@, @Int@ to @Integer@,      |                                              |
-- | @Float@ to @Double@, wider bounds; or written |                                              |
-- | in another way: @Int@ to @Varint Int@         |                                              |
-- +-----------------------------------------------+----------------------------------------------+
-- | a whole number of up to 53 bits is a          | nothing                                      |
-- | @Double@, one of up to 24 bits a @Float@:     |                                              |
-- | @Int32@ to @Double@, @Word16@ to @Float@      |                                              |
-- +-----------------------------------------------+----------------------------------------------+
-- | @a@ is a @Maybe a@, a @[a]@ or a @NonEmpty a@ | nothing                                      |
-- +-----------------------------------------------+----------------------------------------------+
-- | a @NonEmpty a@, a @Set a@ or a @Maybe a@ is a | nothing                                      |
-- | @[a]@, a @Map k a@ is a @[(k, a)]@            |                                              |
-- +-----------------------------------------------+----------------------------------------------+
-- | a @Text@ is a @String@, or a @UTF16@          | nothing                                      |
-- +-----------------------------------------------+----------------------------------------------+
-- | a newtype is new or gone                      | nothing                                      |
-- +-----------------------------------------------+----------------------------------------------+
-- | a list, a string or a map is @Compact@, or is | nothing                                      |
-- | no longer                                     |                                              |
-- +-----------------------------------------------+----------------------------------------------+
--
-- A change that could lose something needs @converted@: an @Int@ has 64 bits, of which a @Double@
-- holds 53; a @String@ may have surrogates, which a @Text@ cannot; the encoding of a @Text@ as a
-- @ByteString@ would be a guess; and a list may have equal elements, which a set or a map cannot.
--
-- These changes may be at any depth, in recursive types too. Fields without names go by their
-- position: @converted \@"2"@, and in a type of several constructors @converted \@"Paid.2"@. What
-- has no name at all, such as an element of a list, is converted with the field that it is in. The
-- name of a record's only constructor does not matter, nor do names of types.
--
-- Keys of maps, elements of sets and indices of arrays stay in order, so only numbers in them may
-- become wider, and enumerations in them may get constructors at the end. A type that contains
-- itself at ever larger types, and a format that is not described, must not change.
--
-- A change that is not in the table is a 'Mismatch', which says what to write, and in the evolution
-- of which type. It is found when the decoder is made, not when a value is read. If a field has
-- conversions, and the data fit the old type of none, it says what does not fit that of one.
--
-- A name that was dropped and comes back for something else matches silently, if the types allow
-- it. Choose another one.
module Ashlar.Schema.Evolution
  ( -- * Reading old data
    plan,
    planSkipping,
    planMany,
    planManySkipping,
    planField,
    Mismatch (..),
    Misfit (..),
    Advice (..),
    Suggestion (..),
    describeMismatch,
    summarizeMismatch,

    -- * Old bytes to new bytes
    translation,

    -- * Types that stay compatible
    compatibleSchema,
    Direction (..),
  )
where

import Ashlar.Codec (Codec, Get, get)
import Ashlar.Schema.Internal.Describe
import Ashlar.Schema.Internal.Evolution.Mismatch
import Ashlar.Schema.Internal.Evolution.Plan
import Ashlar.Schema.Internal.Schema
import Ashlar.View (FieldType, View)
import Data.ByteString (ByteString)
import Data.Proxy (Proxy (..))
import qualified Data.Text as T
import Data.Typeable (typeRep)
import qualified Data.Vector as V
import GHC.TypeLits (KnownSymbol, symbolVal)

-- | A decoder of values that were written with an older schema of the type.
--
-- Applied to a schema, it makes the decoder once. Keep it for many values. If the schema has the
-- fingerprint of the type, or if the changes do not show in the bytes, it is 'get'. Otherwise it
-- translates the old bytes of a value to new ones, and runs 'get' on these.
--
-- Decoding refuses what a decoder of the old type refuses, with two exceptions. Of parts that are
-- left out it reads only the extent, to skip them, unless they are packed. Elements of a set that
-- is read as a list, and entries of a map that is read as a list of pairs, may be in any order, and
-- equal. A value with a constructor that was dropped fails, and so does one that the function of a
-- 'Ashlar.Schema.convertedEither' refuses. The offset of an error is that in the old bytes.
--
-- A value is translated as a whole. So its new bytes are held until it is decoded, and its old
-- bytes, too, where input comes in chunks.
--
-- Schema and bytes may be untrusted, but the schema must be one that
-- 'Ashlar.Schema.checkSchema' accepts, as all are that were decoded. Time and memory are
-- proportional to the old bytes and the budget: each nesting is a level, and each 64 bytes written,
-- beyond eight for each byte read and 256, are a step ('Ashlar.Get.budgetSteps'). An element
-- without bytes, old and new, is two steps if a value is translated: so @()@ may be in a list
-- 524,288 times.
--
-- >>> :set -XDeriveAnyClass -XDeriveGeneric
-- >>> data Item = Item { name :: Text, count :: Int } deriving (Show, Generic, Codec, Described)
-- >>> data Before = Before { name :: Text } deriving (Generic, Codec, Described)
-- >>> either print (const (pure ())) (plan @Item (schema @Before))
-- Item.count: the field is new; give it a default with added @"count" in the evolution of Item
plan ::
  forall a.
  Described a =>
  -- | The schema that the values were written with.
  Schema ->
  Either Mismatch (Get a)
plan = planned RefuseUnknown (described @a) get
-- Inlined, so that 'get' is that of the type.
{-# INLINE plan #-}

-- | 'plan' for a program that reads newer data than it knows: fields that the type does not have
-- are skipped, and values with a constructor that it does not have fail, unless
-- 'Ashlar.Schema.unknownConstructors' says what they become.
--
-- >>> :set -XDeriveAnyClass -XDeriveGeneric
-- >>> data Newer = Red | Green | Blue deriving (Generic, Codec, Described)
-- >>> let colours = map encode [Green, Blue]
-- >>> data Colour = Red | Green deriving (Show, Generic, Codec, Described)
-- >>> let Right getColour = planSkipping @Colour (schema @Newer)
-- >>> let showResult = either (putStrLn . summarizeError) print
-- >>> mapM_ (showResult . runGetWhole getColour) colours
-- Green
-- at byte 0: constructor Blue, which the type does not have
planSkipping ::
  forall a.
  Described a =>
  -- | The schema that the values were written with.
  Schema ->
  Either Mismatch (Get a)
planSkipping = planned SkipUnknown (described @a) get
{-# INLINE planSkipping #-}

-- | 'plan' for a number of values, one after another: faster than one by one, because they are
-- translated together. They have one budget. If one of them fails, all do.
--
-- > planMany (const (pure ())) old = fmap (flip replicateM) (plan old)
planMany ::
  forall a.
  Described a =>
  -- | Read what follows a value, given how many bytes that took.
  (Int -> Get ()) ->
  -- | The schema that the values were written with.
  Schema ->
  Either Mismatch (Int -> Get [a])
planMany = plannedMany RefuseUnknown (described @a) get
{-# INLINE planMany #-}

-- | 'planMany' for a program that reads newer data than it knows, as 'planSkipping'.
--
-- > planManySkipping (const (pure ())) old = fmap (flip replicateM) (planSkipping old)
planManySkipping ::
  forall a.
  Described a =>
  -- | Read what follows a value, given how many bytes that took.
  (Int -> Get ()) ->
  -- | The schema that the values were written with.
  Schema ->
  Either Mismatch (Int -> Get [a])
planManySkipping = plannedMany SkipUnknown (described @a) get
{-# INLINE planManySkipping #-}

-- | 'plan' for one field of a record, as a view. It passes over all other fields, which need not
-- fit: so the field of a value is read at a part of the cost, and of values that 'plan' refuses,
-- too. The view has a copy of the field's bytes, as today's type has them. If the description of
-- the type has no field of this name, because its format is not derived, that is a 'Mismatch'.
--
-- >>> :set -XDeriveAnyClass -XDeriveGeneric -XDataKinds
-- >>> import Ashlar.View (decodeView)
-- >>> data Old = Old { qty :: Int32, note :: Text } deriving (Generic, Codec, Described)
-- >>> data Order = Order { by :: Text, count :: Int64 } deriving (Generic, Codec)
-- >>> instance Described Order where evolution = [renamed @"qty" @"count"]
-- >>> let Right getCount = planField @"count" @Order (schema @Old)
-- >>> decodeView <$> runGetWhole getCount (encode (Old 12 "urgent"))
-- Right (Right 12)
-- >>> either print (const (pure ())) (planField @"by" @Order (schema @Old))
-- Order.by: the field is new; give it a default with added @"by" in the evolution of Order
planField ::
  forall name a.
  (Described a, KnownSymbol name, Codec (FieldType name a)) =>
  -- | The schema that the values were written with.
  Schema ->
  Either Mismatch (Get (View (FieldType name a)))
planField old = case onlyField name (described @a) of
  Just one -> planned SkipUnknown one get old
  Nothing -> Left (Mismatch path what Nothing)
  where
    name = T.pack (symbolVal (Proxy @name))
    what = NotDescribed name
    path = T.concat [typeName (typeRep (Proxy @a)), T.singleton '.', name]

-- | A decoder of old values that returns their new bytes. 'Nothing' if the old bytes are the new
-- ones. It checks no more than it must: decode the new bytes before you trust them.
translation ::
  forall a.
  Described a =>
  -- | The schema that the values were written with.
  Schema ->
  Either Mismatch (Maybe (Get ByteString))
translation old = fmap translating <$> programBetween RefuseUnknown old (described @a)

-- | Who must be able to read the other's data.
data Direction
  = -- | Today's program reads old data.
    Backward
  | -- | An old program reads today's data with 'planSkipping', and there are no constructors that
    -- it does not know.
    Forward
  | -- | Both.
    Full
  deriving stock (Eq, Show, Enum, Bounded)

-- | Is today's type compatible with a schema that was kept? For test suites, so that a change that
-- breaks old data is found before it is released. Only the schema of an old program is known, and
-- not its 'evolution'.
--
-- @Ashlar.Schema.Released@ of the package ashlar-laws keeps the schemas of releases in files.
--
-- >>> :set -XDeriveAnyClass -XDeriveGeneric
-- >>> data Colour = Red | Green deriving (Generic, Codec, Described)
-- >>> data Colours = Red | Green | Blue deriving (Generic, Codec, Described)
-- >>> compatibleSchema @Colours Backward (schema @Colour)
-- Right ()
-- >>> either (print . mismatchWhat) print (compatibleSchema @Colours Forward (schema @Colour))
-- ConstructorIsUnknown "Blue"
compatibleSchema ::
  forall a.
  Described a =>
  Direction ->
  -- | The schema that was kept.
  Schema ->
  Either Mismatch ()
compatibleSchema direction old = case direction of
  Backward -> backward
  Forward -> forward
  Full -> backward >> forward
  where
    new = described @a
    backward = () <$ programBetween RefuseUnknown old new
    -- (No advice: the old program cannot be changed any more.)
    forward =
      either (\m -> Left m {mismatchAdvice = Nothing}) (\_ -> Right ()) $
        programBetween SkipFields (descriptionSchema new) known
    known = Description old (V.map (const []) (schemaDefinitions old))
