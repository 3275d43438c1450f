{-# LANGUAGE AllowAmbiguousTypes #-}
{-# LANGUAGE ConstraintKinds #-}
{-# LANGUAGE DataKinds #-}
{-# LANGUAGE FlexibleContexts #-}
{-# LANGUAGE ScopedTypeVariables #-}
{-# LANGUAGE TypeApplications #-}
{-# LANGUAGE TypeFamilies #-}
{-# LANGUAGE TypeOperators #-}
{-# LANGUAGE UndecidableInstances #-}
{-# OPTIONS_GHC -Wno-redundant-constraints #-}

-- |
-- Module      : Ashlar.Schema.Internal.Change
-- Description : How a type differs from what it was
--
-- Each function is checked against the type as it is now. A name that cannot be right is an error
-- of the compiler, which names the type and the field. (The constraints that do this are redundant
-- to the compiler.)
module Ashlar.Schema.Internal.Change
  ( Change,
    added,
    renamed,
    dropped,
    converted,
    renamedConstructor,
    droppedConstructor,

    -- * What is checked
    HasFieldNow,
    NoFieldNow,
    HasConstructorNow,
    NoConstructorNow,
  )
where

import Ashlar.Codec (Codec, encode, get)
import Ashlar.Schema.Internal.Describe
import Data.Kind (Constraint, Type)
import Data.Proxy (Proxy (..))
import Data.Text (Text)
import qualified Data.Text as T
import GHC.Generics
import GHC.Records (HasField)
import GHC.TypeLits (ErrorMessage (..), KnownSymbol, Symbol, TypeError, symbolVal)

nameOf :: forall name. KnownSymbol name => Text
nameOf = T.pack (symbolVal (Proxy :: Proxy name))

-- | A field that values of older versions lack, and its value in these.
--
-- >>> :set -XDeriveAnyClass -XDeriveGeneric
-- >>> :{
-- data Order = Order { number :: Int, channel :: Text } deriving (Generic, Codec)
-- instance Described Order where
--   evolution = [added @"channel" "web"]
-- :}
--
-- >>> :{
-- data Parcel = Parcel { weight :: Int } deriving (Generic, Codec)
-- instance Described Parcel where
--   evolution = [added @"wieght" (0 :: Int)]
-- :}
-- ...
-- ...Parcel has no field wieght, of which its evolution speaks...
-- ...
--
-- @since 0.1.0.0
added ::
  forall field a t.
  (KnownSymbol field, HasFieldNow field a, HasField field a t, Codec t) =>
  t ->
  Change a
added x = Change (Added (nameOf @field) (encode x))

-- | A field that had another name: @renamed \@"qty" \@"count"@. The type must have the new name,
-- and not the old one.
--
-- @since 0.1.0.0
renamed ::
  forall old new a.
  (KnownSymbol old, KnownSymbol new, HasFieldNow new a, NoFieldNow old a) =>
  Change a
renamed = Change (Renamed (nameOf @old) (nameOf @new))

-- | A field that is no more. Reading older values skips it. The type must not have it.
--
-- @since 0.1.0.0
dropped :: forall field a. (KnownSymbol field, NoFieldNow field a) => Change a
dropped = Change (Dropped (nameOf @field))

-- | A field that had another type, and how to make today's value of the old one:
--
-- > converted @"price" (\cents -> fromIntegral (cents :: Int64) / 100 :: Double)
--
-- @since 0.1.0.0
converted ::
  forall field a t old.
  (KnownSymbol field, HasFieldNow field a, HasField field a t, Codec t, Described old) =>
  (old -> t) ->
  Change a
converted f =
  Change (Converted (nameOf @field) (described @old) ((\x -> encode (f x)) <$> get))

-- | A constructor that had another name: @renamedConstructor \@"Square" \@"Box"@. The type must
-- have the new name, and not the old one.
--
-- @since 0.1.0.0
renamedConstructor ::
  forall old new a.
  (KnownSymbol old, KnownSymbol new, HasConstructorNow new a, NoConstructorNow old a) =>
  Change a
renamedConstructor = Change (RenamedConstructor (nameOf @old) (nameOf @new))

-- | A constructor that is no more. Reading an older value that has it fails. The type must not
-- have it.
--
-- @since 0.1.0.0
droppedConstructor ::
  forall constructor a.
  (KnownSymbol constructor, NoConstructorNow constructor a) =>
  Change a
droppedConstructor = Change (DroppedConstructor (nameOf @constructor))

-- | The type has this field.
--
-- @since 0.1.0.0
type HasFieldNow field a = Present "field" field a (HasFieldNamed field (Rep a))

-- | It has not.
--
-- @since 0.1.0.0
type NoFieldNow field a = Absent "field" field a (HasFieldNamed field (Rep a))

-- | The type has this constructor.
--
-- @since 0.1.0.0
type HasConstructorNow name a = Present "constructor" name a (HasConstructorNamed name (Rep a))

-- | It has not.
--
-- @since 0.1.0.0
type NoConstructorNow name a = Absent "constructor" name a (HasConstructorNamed name (Rep a))

type family Absent (what :: Symbol) (name :: Symbol) (a :: Type) (there :: Bool) :: Constraint where
  Absent what name a 'False = ()
  Absent what name a 'True =
    TypeError
      ( 'ShowType a ':<>: 'Text " still has the " ':<>: 'Text what ':<>: 'Text " "
          ':<>: 'Text name
          ':<>: 'Text ", so its evolution cannot say that it is gone."
      )

type family
  Present (what :: Symbol) (name :: Symbol) (a :: Type) (there :: Bool) ::
    Constraint
  where
  Present what name a 'True = ()
  Present what name a 'False =
    TypeError
      ( 'ShowType a ':<>: 'Text " has no " ':<>: 'Text what ':<>: 'Text " "
          ':<>: 'Text name
          ':<>: 'Text ", of which its evolution speaks."
      )

type family HasFieldNamed (name :: Symbol) (f :: Type -> Type) :: Bool where
  HasFieldNamed name (D1 c f) = HasFieldNamed name f
  HasFieldNamed name (C1 c f) = HasFieldNamed name f
  HasFieldNamed name (f :*: g) = Or (HasFieldNamed name f) (HasFieldNamed name g)
  HasFieldNamed name (f :+: g) = Or (HasFieldNamed name f) (HasFieldNamed name g)
  HasFieldNamed name (S1 ('MetaSel ('Just name) u s l) f) = 'True
  HasFieldNamed name f = 'False

type family HasConstructorNamed (name :: Symbol) (f :: Type -> Type) :: Bool where
  HasConstructorNamed name (D1 c f) = HasConstructorNamed name f
  HasConstructorNamed name (f :+: g) = Or (HasConstructorNamed name f) (HasConstructorNamed name g)
  HasConstructorNamed name (C1 ('MetaCons name x r) f) = 'True
  HasConstructorNamed name f = 'False

type family Or (a :: Bool) (b :: Bool) :: Bool where
  Or 'True b = 'True
  Or 'False b = b
