{-# LANGUAGE AllowAmbiguousTypes #-}
{-# LANGUAGE DataKinds #-}
{-# LANGUAGE FlexibleContexts #-}
{-# LANGUAGE FlexibleInstances #-}
{-# LANGUAGE MagicHash #-}
{-# LANGUAGE PolyKinds #-}
{-# LANGUAGE RankNTypes #-}
{-# LANGUAGE ScopedTypeVariables #-}
{-# LANGUAGE TypeApplications #-}
{-# LANGUAGE TypeFamilies #-}
{-# LANGUAGE TypeOperators #-}
{-# LANGUAGE UndecidableInstances #-}

-- |
-- Module      : Ashlar.Internal.Codec.Places
-- Description : Where the fields of a type begin
--
-- A field is looked up in the representation of its type while the program is compiled. What is
-- left for the run is how many bytes precede it: a constant, or an outline to pass over.
module Ashlar.Internal.Codec.Places
  ( Of,
    Parts,
    Named,
    Numbered,
    PartType,
    FieldType,
    Before (..),
    Tagged (..),
    OwnFields (..),
    Constructors (..),
    Position,
  )
where

import Ashlar.Internal.Builder.Strict (toStrictByteString)
import Ashlar.Internal.Codec.Class
import Ashlar.Internal.Codec.Fixed (plusSize)
import Ashlar.Internal.Codec.Variant (Count, GCount (..))
import Ashlar.Internal.Get.Run (runGetRest)
import Data.ByteString (ByteString)
import qualified Data.ByteString as S
import Data.IntMap (IntMap)
import Data.Kind (Type)
import Data.List.NonEmpty (NonEmpty)
import Data.Map (Map)
import Data.Proxy (Proxy (..))
import Data.Sequence (Seq)
import Data.Set (Set)
import Data.Text (Text)
import qualified Data.Vector as V
import GHC.Exts (Int (I#), Int#, andI#)
import GHC.Generics
import GHC.TypeLits

-- | Stands for the values of @a@ with the constructor of this name, in the type of a view. It has
-- no values itself.
data Of (con :: Symbol) a

-- | The fields of a type with one constructor, or of one of several: their names, which may be
-- empty, and their types.
type family Parts t :: [(Symbol, Type)] where
  Parts (Of con a) = IfGeneric (Rep a) (NotGeneric a) (PartsOf con a (Rep a))
  Parts [a] = Contained [a]
  Parts (NonEmpty a) = Contained (NonEmpty a)
  Parts (V.Vector a) = Contained (V.Vector a)
  Parts (Seq a) = Contained (Seq a)
  Parts (Set a) = Contained (Set a)
  Parts (Map k v) = Contained (Map k v)
  Parts (IntMap v) = Contained (IntMap v)
  Parts Int = Undivided Int
  Parts Integer = Undivided Integer
  Parts Double = Undivided Double
  Parts Char = Undivided Char
  Parts Text = Undivided Text
  Parts ByteString = Undivided ByteString
  Parts a = IfGeneric (Rep a) (NotGeneric a) (OnlyParts a (Rep a))

-- The errors for types whose representations would mislead, or for which there is none.
type family Contained a :: k where
  Contained a =
    TypeError
      ( 'ShowType a ':<>: 'Text " is a container, without fields. Use index, elements or"
          ':$$: 'Text "foldElements, and lookup or keys for a map."
      )

type family Undivided a :: k where
  Undivided a = TypeError ('ShowType a ':<>: 'Text " has no fields. Use decodeView.")

type family NotGeneric a :: k where
  NotGeneric a =
    TypeError
      ( 'ShowType a ':<>: 'Text " has no instance of Generic, so its fields are unknown. Derive it,"
          ':$$: 'Text "or use decodeView."
      )

-- Without an instance the representation cannot be reduced, and neither can this. Then GHC shows
-- the error among its arguments.
type family IfGeneric (f :: Type -> Type) (otherwise :: k) (found :: k) :: k where
  IfGeneric (D1 m f) otherwise found = found

type family OnlyParts a (f :: Type -> Type) :: [(Symbol, Type)] where
  OnlyParts a (D1 m (C1 c f)) = Fields f
  OnlyParts a (D1 m V1) = '[]
  OnlyParts a (D1 m f) =
    TypeError
      ( 'ShowType a
          ':<>: 'Text " has several constructors. Choose one by constructor @\"...\". There are:"
          ':$$: 'Text "  "
          ':<>: Listed (ConNames f)
      )

type family PartsOf (con :: Symbol) a (f :: Type -> Type) :: [(Symbol, Type)] where
  PartsOf con a (D1 m f) = OrNoSuch con a f (InSum con f)

type family InSum (con :: Symbol) (f :: Type -> Type) :: Maybe [(Symbol, Type)] where
  InSum con (f :+: g) = OrElse (InSum con f) (InSum con g)
  InSum con (C1 ('MetaCons con fix r) f) = 'Just (Fields f)
  InSum con f = 'Nothing

type family OrElse (x :: Maybe k) (y :: Maybe k) :: Maybe k where
  OrElse ('Just x) y = 'Just x
  OrElse 'Nothing y = y

type family OrNoSuch (con :: Symbol) a (f :: Type -> Type) (x :: Maybe [(Symbol, Type)]) where
  OrNoSuch con a f ('Just x) = x
  OrNoSuch con a f 'Nothing = NoSuch con a f

-- The error for a constructor that the type does not have.
type family NoSuch (con :: Symbol) a (f :: Type -> Type) :: k where
  NoSuch con a f =
    TypeError
      ( 'ShowType a ':<>: 'Text " has no constructor " ':<>: 'Text con ':<>: 'Text ". There are:"
          ':$$: 'Text "  "
          ':<>: Listed (ConNames f)
      )

type family Fields (f :: Type -> Type) :: [(Symbol, Type)] where
  Fields U1 = '[]
  Fields (f :*: g) = Fields f ++ Fields g
  Fields (S1 ('MetaSel ('Just name) u s l) (K1 i a)) = '[ '(name, a)]
  Fields (S1 ('MetaSel 'Nothing u s l) (K1 i a)) = '[ '("", a)]

type family (xs :: [k]) ++ (ys :: [k]) :: [k] where
  '[] ++ ys = ys
  (x ': xs) ++ ys = x ': (xs ++ ys)

type family ConNames (f :: Type -> Type) :: [Symbol] where
  ConNames (f :+: g) = ConNames f ++ ConNames g
  ConNames (C1 ('MetaCons con fix r) f) = '[con]
  ConNames V1 = '[]

type family Names (ps :: [(Symbol, Type)]) :: [Symbol] where
  Names '[] = '[]
  Names ('("", a) ': ps) = "(without a name)" ': Names ps
  Names ('(name, a) ': ps) = name ': Names ps

type family Listed (names :: [Symbol]) :: ErrorMessage where
  Listed '[] = 'Text "none"
  Listed '[name] = 'Text name
  Listed (name ': names) = 'Text name ':<>: 'Text ", " ':<>: Listed names

-- | The type of the field of this name, and the types of the fields before it, the last one first.
type family Named (name :: Symbol) t :: (Type, [Type]) where
  Named name t = FindName name t '[] (Parts t) (Parts t)

type family FindName (name :: Symbol) t (before :: [Type]) ps (all :: [(Symbol, Type)]) where
  FindName name t before ('(name, a) ': ps) all = '(a, before)
  FindName name t before ('(other, a) ': ps) all = FindName name t (a ': before) ps all
  FindName name t before '[] all =
    TypeError
      ( 'ShowType t ':<>: 'Text " has no field " ':<>: 'Text name ':<>: 'Text ". There are:"
          ':$$: 'Text "  "
          ':<>: Listed (Names all)
      )

-- | The same for the field with this number, counted from 1.
type family Numbered (n :: Nat) t :: (Type, [Type]) where
  Numbered n t = FindNumber n n t '[] (Parts t)

type family FindNumber (n :: Nat) (left :: Nat) t (before :: [Type]) ps where
  FindNumber n 0 t before ps =
    TypeError ('Text "The fields of " ':<>: 'ShowType t ':<>: 'Text " are numbered from 1.")
  FindNumber n 1 t before ('(name, a) ': ps) = '(a, before)
  FindNumber n left t before ('(name, a) ': ps) = FindNumber n (left - 1) t (a ': before) ps
  FindNumber n left t before '[] =
    TypeError
      ( 'ShowType t ':<>: 'Text " has no field number " ':<>: 'ShowType n
          ':<>: 'Text ". The last is "
          ':<>: 'ShowType (n - left)
          ':<>: 'Text "."
      )

-- | The type of a field that was found.
type family PartType (found :: (Type, [Type])) :: Type where
  PartType '(a, before) = a

-- | The type of the field of this name.
type FieldType (name :: Symbol) t = PartType (Named name t)

-- | What precedes a field, given what was found.
class Before (found :: (Type, [Type])) where
  -- | Its 'Width'.
  beforeWidth :: Int# -> Width

  -- | Fold the types of its parts, from the first to the last.
  foldBefore :: (forall t. Codec t => Proxy t -> r -> r) -> r -> r

instance Before '(a, '[]) where
  beforeWidth asks = Width asks 1# 0#
  {-# INLINE beforeWidth #-}
  foldBefore _ r = r
  {-# INLINE foldBefore #-}

instance (Codec t, Before '(a, ts)) => Before '(a, t ': ts) where
  beforeWidth asks = case beforeWidth @'(a, ts) asks of
    Width asks' constant m -> case widthOf (layout :: Layout t) asks' of
      Width asks'' constant' n -> case plusSize (I# m) (I# n) of
        I# mn -> Width asks'' (constant `andI#` constant') mn
  {-# INLINE beforeWidth #-}
  foldBefore f r = f (Proxy :: Proxy t) (foldBefore @'(a, ts) f r)
  {-# INLINE foldBefore #-}

-- | What a view needs to know of a type before its fields.
class Tagged t where
  -- | The bytes of the tag: 0, 1 or 2.
  tagBytes :: Int

  -- | Are the bytes those of the fields, as the type declares them?
  ownFields :: Bool

instance
  (Generic a, Codec a, Constructors (Rep a), OwnFields (Rep a)) =>
  Tagged (Of con a)
  where
  tagBytes = constructorTag @(Rep a)
  {-# INLINE tagBytes #-}
  ownFields = areOwn (from :: a -> Rep a ())
  {-# INLINE ownFields #-}

instance {-# OVERLAPPABLE #-} (Generic a, Codec a, OwnFields (Rep a)) => Tagged a where
  tagBytes = 0
  {-# INLINE tagBytes #-}
  ownFields = areOwn (from :: a -> Rep a ())
  {-# INLINE ownFields #-}

-- | Whether the bytes of a type are those of its fields.
--
-- The layout knows if a format is derived, but not for which type: an instance of a newtype that is
-- derived via another type has that type's layout. So for newtypes some bytes are tried. (The
-- instance of a @data@ type could come from the same type with other parameters. That would not be
-- noticed.)
class OwnFields (f :: Type -> Type) where
  -- | Given the conversion of a value.
  areOwn :: Codec a => (a -> f ()) -> Bool

instance OwnFields (D1 ('MetaData name m pkg 'False) f) where
  areOwn (_ :: a -> g) = hasOwnFields (layout :: Layout a)
  {-# INLINE areOwn #-}

instance Codec t => OwnFields (D1 ('MetaData name m pkg 'True) (C1 c (S1 s (K1 i t)))) where
  areOwn conversion = sameFormat (\x -> case conversion x of M1 (M1 (M1 (K1 y))) -> y)
  {-# INLINE areOwn #-}

-- Does the second type write the bytes that the first one reads? Some are tried.
sameFormat :: (Codec a, Codec b) => (a -> b) -> Bool
sameFormat inner = all same [zeros 64, S.pack [1 .. 64], S.replicate 64 128, little, big]
  where
    zeros n = S.replicate n 0
    -- A length of 2 and an element, a length of 1 with the most significant byte first.
    little = S.pack [2, 0, 0, 0, 0, 0, 0, 0, 97] <> zeros 55
    big = zeros 7 <> S.singleton 1 <> S.replicate 56 3
    same bytes = case runGetRest get bytes of
      Left _ -> True
      Right (x, rest) -> toStrictByteString (put (inner x)) <> rest == bytes
{-# NOINLINE sameFormat #-}

-- | The constructors of a representation.
class Constructors (f :: Type -> Type) where
  -- | The bytes of the tag: 0, 1 or 2.
  constructorTag :: Int

  constructorNames :: [String]

instance (GCount f, ConstructorNames f) => Constructors (D1 m f) where
  constructorTag = case gCount @f of
    1 -> 0
    n -> if n <= 256 then 1 else 2
  {-# INLINE constructorTag #-}
  constructorNames = namesOf @f []

class ConstructorNames (f :: Type -> Type) where
  namesOf :: [String] -> [String]

instance (ConstructorNames f, ConstructorNames g) => ConstructorNames (f :+: g) where
  namesOf rest = namesOf @f (namesOf @g rest)

instance KnownSymbol con => ConstructorNames (C1 ('MetaCons con fix r) f) where
  namesOf rest = symbolVal (Proxy :: Proxy con) : rest

-- | The number of a constructor, from 0.
type family Position (con :: Symbol) a :: Nat where
  Position con [a] = Contained [a]
  Position con (NonEmpty a) = Contained (NonEmpty a)
  Position con a = IfGeneric (Rep a) (NotGeneric a) (IndexIn con a (Rep a))

type family IndexIn (con :: Symbol) a (f :: Type -> Type) :: Nat where
  IndexIn con a (D1 m f) = OrMissing con a f (IndexOf con f 0)

-- By the tree of the sum: a list of some hundred constructors would exceed GHC's limit.
type family IndexOf (con :: Symbol) (f :: Type -> Type) (n :: Nat) :: Maybe Nat where
  IndexOf con (f :+: g) n = OrElse (IndexOf con f n) (IndexOf con g (n + Count f))
  IndexOf con (C1 ('MetaCons con fix r) f) n = 'Just n
  IndexOf con f n = 'Nothing

type family OrMissing (con :: Symbol) a (f :: Type -> Type) (x :: Maybe Nat) :: Nat where
  OrMissing con a f ('Just n) = n
  OrMissing con a f 'Nothing = NoSuch con a f
