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
-- The compiler checks the names in a change against the type as it is now. The error for a name
-- that cannot be right names the type and the field. (To the compiler, the constraints that do this
-- are redundant.)
module Ashlar.Schema.Internal.Change
  ( Change,
    added,
    renamed,
    dropped,
    converted,
    convertedEither,
    renamedConstructor,
    droppedConstructor,
    unknownConstructors,

    -- * What is checked
    HasFieldNow,
    FieldNow,
    NoFieldNow,
    HasConstructorNow,
    NoConstructorNow,
  )
where

import Ashlar.Codec (Codec, encode, get)
import Ashlar.Get.Combinators (refine)
import Ashlar.Schema.Internal.Describe
import Data.Kind (Constraint, Type)
import Data.Proxy (Proxy (..))
import Data.Text (Text)
import qualified Data.Text as T
import GHC.Generics
import GHC.TypeLits (AppendSymbol, ErrorMessage (..), KnownSymbol, Symbol, TypeError, symbolVal)

nameOf :: forall name. KnownSymbol name => Text
nameOf = T.pack (symbolVal (Proxy :: Proxy name))

-- | A field that values of older versions lack, and its value in these. A field without a name goes
-- by its position: @added \@"2" True@. If the type has several constructors, the constructor comes
-- first: @added \@"Paid.2" True@. It may come before the names of fields in the same way, here and
-- below.
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
added ::
  forall field a t.
  (KnownSymbol field, HasFieldNow field a, FieldNow field a ~ 'Just t, Codec t) =>
  t ->
  Change a
added x = Change (Added (nameOf @field) (encode x))

-- | A field that had another name: @renamed \@"qty" \@"count"@. The type must have the new name,
-- and not the old one.
renamed ::
  forall old new a.
  (KnownSymbol old, KnownSymbol new, HasFieldNow new a, NoFieldNow old a) =>
  Change a
renamed = Change (Renamed (nameOf @old) (nameOf @new))

-- | A field that the type no longer has. Reading older values skips it.
dropped :: forall field a. (KnownSymbol field, NoFieldNow field a) => Change a
dropped = Change (Dropped (nameOf @field))

-- | A field that had another type, and how to make today's value from the old one:
--
-- > converted @"price" (\cents -> fromIntegral (cents :: Int64) / 100 :: Double)
--
-- Elements of a list, keys and values of a map and the like have no names. Convert the field that
-- they are in:
--
-- > converted @"tags" (map Tag :: [Text] -> [Tag])
--
-- If there is no such field, for instance because the decoded type is a list, put a newtype around
-- it and convert its field. Several conversions of one field may have different old types.
--
-- The old type must not contain today's type. If the evolution of a recursive @T@ converts its
-- field from a @[T]@, each @T@ in it has that field to convert again, and planning ends with the
-- mismatch that the schemas are too large to be compared. Keep the old type, and convert from that:
--
-- > converted @"next" (fmap fromOld . listToMaybe :: [Old.T] -> Maybe T)
--
-- The function must be total. 'convertedEither' can refuse a value.
converted ::
  forall field a t old.
  (KnownSymbol field, HasFieldNow field a, FieldNow field a ~ 'Just t, Codec t, Described old) =>
  (old -> t) ->
  Change a
converted f =
  Change (Converted (nameOf @field) (described @old) ((\x -> encode (f x)) <$> get))

-- | 'converted' if not every old value can be today's. A value for which the function returns a
-- message is refused with that ('Ashlar.Get.Invalid') at its first byte, as by
-- 'Ashlar.Codec.refined'. So what reads on after a record that is refused passes over this one. (An
-- exception in the function of 'converted' would end the fold.)
--
-- @'converted' f@ is @convertedEither ('Right' . f)@.
--
-- >>> :set -XDeriveAnyClass -XDeriveGeneric -XDataKinds
-- >>> import Ashlar.Schema.Evolution (plan)
-- >>> data Old = Old { item :: Text, ages :: [Int] } deriving (Generic, Codec, Described)
-- >>> let youngest xs = if null xs then Left "nobody" else Right (minimum xs :: Int)
-- >>> :{
-- data Now = Now { item :: Text, ages :: Int } deriving (Show, Generic, Codec)
-- instance Described Now where
--   evolution = [convertedEither @"ages" youngest]
-- :}
--
-- >>> let Right getNow = plan @Now (schema @Old)
-- >>> runGetWhole getNow (encode (Old "brick" [7, 5]))
-- Right (Now {item = "brick", ages = 5})
-- >>> either (putStrLn . summarizeError) print (runGetWhole getNow (encode (Old "brick" [])))
-- at byte 13: nobody
convertedEither ::
  forall field a t old.
  (KnownSymbol field, HasFieldNow field a, FieldNow field a ~ 'Just t, Codec t, Described old) =>
  -- | Today's value, or what is wrong with the old one.
  (old -> Either String t) ->
  Change a
convertedEither f =
  Change (Converted (nameOf @field) (described @old) (refine (\x -> encode <$> f x) get))

-- | A constructor that had another name: @renamedConstructor \@"Square" \@"Box"@. The type must
-- have the new name, and not the old one.
renamedConstructor ::
  forall old new a.
  (KnownSymbol old, KnownSymbol new, HasConstructorNow new a, NoConstructorNow old a) =>
  Change a
renamedConstructor = Change (RenamedConstructor (nameOf @old) (nameOf @new))

-- | A constructor that the type no longer has. Reading an older value that has it fails.
droppedConstructor ::
  forall constructor a.
  (KnownSymbol constructor, NoConstructorNow constructor a) =>
  Change a
droppedConstructor = Change (DroppedConstructor (nameOf @constructor))

-- | The type has this field.
type HasFieldNow field a = Present "field" field a (IsJust (FieldNow field a))

-- | The type does not have this field.
type NoFieldNow field a = Absent "field" field a (IsJust (FieldNow field a))

-- | The type of a field, by its name in an evolution: the name of the field, or its position if it
-- has none. The name of its constructor and a point may come first. Before a position they must, if
-- there are several constructors.
type FieldNow name a = InType name (Rep a)

-- | The constructor for values whose own constructor neither the type nor its evolution names: that
-- of a newer program, or one that is gone. Fields that both constructors have keep their values,
-- others are skipped, and 'added' gives the rest.
--
-- >>> :set -XDeriveAnyClass -XDeriveGeneric -XDataKinds
-- >>> import Ashlar.Schema.Evolution (planSkipping)
-- >>> data Newer = Red | Green | Blue deriving (Generic, Codec, Described)
-- >>> let newer = map encode [Green, Blue]
-- >>> :{
-- data Colour = Red | Green | Other deriving (Show, Generic, Codec)
-- instance Described Colour where
--   evolution = [unknownConstructors @"Other"]
-- :}
--
-- >>> let Right getColour = planSkipping @Colour (schema @Newer)
-- >>> traverse (runGetWhole getColour) newer
-- Right [Green,Other]
--
-- It has no effect in keys of maps and in sets, because such values would lose their order. If the
-- value is encoded again, it has the constructor that it has become.
unknownConstructors ::
  forall constructor a.
  (KnownSymbol constructor, HasConstructorNow constructor a) =>
  Change a
unknownConstructors = Change (UnknownConstructors (nameOf @constructor))

-- | The type has this constructor.
type HasConstructorNow name a = Present "constructor" name a (HasConstructorNamed name (Rep a))

-- | The type does not have this constructor.
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

type family InType (name :: Symbol) (f :: Type -> Type) :: Maybe Type where
  InType name (D1 m (C1 c f)) = InConstructors name 'True (C1 c f)
  InType name (D1 m f) = InConstructors name 'False f

-- @alone@: is it the only constructor?
type family InConstructors (name :: Symbol) (alone :: Bool) (f :: Type -> Type) :: Maybe Type where
  InConstructors name alone (f :+: g) =
    OrElse (InConstructors name alone f) (InConstructors name alone g)
  InConstructors name alone (C1 ('MetaCons con x r) f) =
    InFields name (AppendSymbol con ".") alone (Next '[]) (Listed f '[])
  InConstructors name alone f = 'Nothing

-- @con@ is what may come before a name, @at@ the position of the first field.
type family
  InFields (name :: Symbol) (con :: Symbol) (alone :: Bool) (at :: [Symbol]) (fs :: [NamedType]) ::
    Maybe Type
  where
  InFields name con alone at '[] = 'Nothing
  InFields name con alone at ('( 'Just n, t) ': fs) =
    OrElse
      (When (Or (Same name n) (Same name (AppendSymbol con n))) t)
      (InFields name con alone (Next at) fs)
  InFields name con 'True at ('( 'Nothing, t) ': fs) =
    OrElse
      (When (Or (Same name (Digits at)) (Same name (AppendSymbol con (Digits at)))) t)
      (InFields name con 'True (Next at) fs)
  InFields name con 'False at ('( 'Nothing, t) ': fs) =
    OrElse
      (When (Same name (AppendSymbol con (Digits at))) t)
      (InFields name con 'False (Next at) fs)

type NamedType = (Maybe Symbol, Type)

-- Put the fields before others.
type family Listed (f :: Type -> Type) (rest :: [NamedType]) :: [NamedType] where
  Listed (f :*: g) rest = Listed f (Listed g rest)
  Listed (S1 ('MetaSel n u s l) (K1 i t)) rest = '(n, t) ': rest
  Listed f rest = rest

-- A position is its digits, the last one first.
type family Next (at :: [Symbol]) :: [Symbol] where
  Next '[] = '["1"]
  Next ("0" ': ds) = "1" ': ds
  Next ("1" ': ds) = "2" ': ds
  Next ("2" ': ds) = "3" ': ds
  Next ("3" ': ds) = "4" ': ds
  Next ("4" ': ds) = "5" ': ds
  Next ("5" ': ds) = "6" ': ds
  Next ("6" ': ds) = "7" ': ds
  Next ("7" ': ds) = "8" ': ds
  Next ("8" ': ds) = "9" ': ds
  Next ("9" ': ds) = "0" ': Next ds

type family Digits (at :: [Symbol]) :: Symbol where
  Digits '[] = ""
  Digits (d ': ds) = AppendSymbol (Digits ds) d

type family HasConstructorNamed (name :: Symbol) (f :: Type -> Type) :: Bool where
  HasConstructorNamed name (D1 c f) = HasConstructorNamed name f
  HasConstructorNamed name (f :+: g) = Or (HasConstructorNamed name f) (HasConstructorNamed name g)
  HasConstructorNamed name (C1 ('MetaCons name x r) f) = 'True
  HasConstructorNamed name f = 'False

type family Or (a :: Bool) (b :: Bool) :: Bool where
  Or 'True b = 'True
  Or 'False b = b

type family Same (a :: Symbol) (b :: Symbol) :: Bool where
  Same a a = 'True
  Same a b = 'False

type family When (b :: Bool) (t :: Type) :: Maybe Type where
  When 'True t = 'Just t
  When 'False t = 'Nothing

type family OrElse (a :: Maybe Type) (b :: Maybe Type) :: Maybe Type where
  OrElse ('Just t) b = 'Just t
  OrElse 'Nothing b = b

type family IsJust (m :: Maybe Type) :: Bool where
  IsJust ('Just t) = 'True
  IsJust 'Nothing = 'False
