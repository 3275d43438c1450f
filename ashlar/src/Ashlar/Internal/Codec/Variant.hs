{-# LANGUAGE AllowAmbiguousTypes #-}
{-# LANGUAGE BangPatterns #-}
{-# LANGUAGE DataKinds #-}
{-# LANGUAGE FlexibleInstances #-}
{-# LANGUAGE MagicHash #-}
{-# LANGUAGE ScopedTypeVariables #-}
{-# LANGUAGE TypeApplications #-}
{-# LANGUAGE TypeFamilies #-}
{-# LANGUAGE TypeOperators #-}
{-# LANGUAGE UndecidableInstances #-}
-- Unfoldings must not be eta-expanded: Note [Generic methods] in "Ashlar.Internal.Codec.Derive".
{-# OPTIONS_GHC -fno-do-lambda-eta-expansion #-}

-- |
-- Module      : Ashlar.Internal.Codec.Variant
-- Description : Formats of types with several constructors, and the numbers of constructors
module Ashlar.Internal.Codec.Variant
  ( Cases,
    Encoding,
    variant,
    constructor,
    alternative,
    retired,
    end,
    GCount (..),
    tagFormat,
    FieldNames,
    ofConstructor,
    SumKind (..),
    KnownWidth (..),
    KindOf,
    Count,
    GEnum (..),
  )
where

import Ashlar.Internal.Builder.Core
import Ashlar.Internal.Codec.Class
import Ashlar.Internal.Codec.Fixed
import Ashlar.Internal.Codec.Format
import Ashlar.Internal.Codec.ReadFields
import Ashlar.Internal.Get.Budget
import Ashlar.Internal.Get.Core
import Ashlar.Internal.Get.Fail
import Ashlar.Internal.Get.Path
import Data.Kind (Type)
import Data.Proxy (Proxy (..))
import Data.Word (Word8)
import Foreign.Ptr (Ptr)
import GHC.Exts (Int (I#), (<=#))
import GHC.Generics
import GHC.TypeLits (AppendSymbol, CmpNat, KnownSymbol, Nat, Symbol, symbolVal, type (+))

-- | What to write for a value: the tag of its alternative, the size of its fields, and their
-- builder. Only the arguments that 'variant' passes to the deciding function make it.
data Encoding = Encoding Int Int Builder

-- | Alternatives of a variant of type @s@. @m@ is the type of the function that decides
-- between them. The first 'Int' of each function is the tag of the first alternative.
data Cases s m = Cases
  { casesCount :: Int,
    -- | Is each of them only a tag?
    casesPlain :: Bool,
    -- | What the deciding function says of a value.
    casesEncode :: Int -> m -> s -> Encoding,
    -- | Is this tag still in use?
    casesCheck :: Int -> Int -> Either String Int,
    -- | The value of the alternative with this tag, if all are only tags.
    casesValue :: Int -> Int -> Either String s,
    -- | Read what follows this tag, in a type of this name.
    casesGet :: String -> Int -> Int -> Get s
  }

-- | A type with several constructors.
--
-- The deciding function gets one argument for each alternative, in their order, and then the value.
-- So the compiler warns if it forgets a constructor. Decoding fails if no alternative has the tag.
--
-- >>> import Ashlar.Codec.Combinators
-- >>> :{
-- data Shape = Point | Circle Double | Box Double Double deriving Show
-- shape :: Format Shape
-- shape =
--   variant "Shape" decide $
--     constructor "Point" Point $
--       alternative "Circle" Circle codec $
--         alternative "Box" (uncurry Box) codec end
--   where
--     decide point circle box s = case s of
--       Point -> point
--       Circle r -> circle r
--       Box a b -> box (a, b)
-- :}
--
-- >>> toStrictByteString (formatPut shape (Circle 1))
-- "\SOH\NUL\NUL\NUL\NUL\NUL\NUL\240?"
-- >>> runGet (formatGet shape) "\SOH\NUL\NUL\NUL\NUL\NUL\NUL\240?"
-- Right (Circle 1.0)
variant ::
  -- | The name of the type, for errors.
  String ->
  -- | Which alternative writes a value: a function of all alternatives and the value.
  m ->
  -- | The alternatives. The tag of each is its position, from 0 on.
  Cases s m ->
  Format s
variant name decide cases
  | casesPlain cases = fixed (fixedChecked (\s -> tagOf (encoding s)) (casesValue cases 0) tag)
  | otherwise =
    Format
      (Var (fixedSize tag))
      (\s -> case encoding s of Encoding _ n _ -> fixedSize tag + n)
      (\s -> case encoding s of Encoding i _ p -> append (putFixed tag i) p)
      (getNamed tag >>= casesGet cases name 0)
  where
    tag =
      fixedNamed (OfType name) $
        fixedChecked id (casesCheck cases 0) (tagFormat name (casesCount cases))
    encoding = casesEncode cases 0 decide
    tagOf (Encoding i _ _) = i
{-# INLINE variant #-}

-- | An alternative without fields.
constructor ::
  -- | Its name.
  String ->
  -- | Its value.
  s ->
  -- | The alternatives after it.
  Cases s m ->
  Cases s (Encoding -> m)
constructor _ value rest =
  Cases
    { casesCount = 1 + casesCount rest,
      casesPlain = casesPlain rest,
      casesEncode = \i decide -> casesEncode rest (i + 1) (decide (Encoding i 0 empty)),
      casesCheck = \i tag -> casesCheck rest (i + 1) tag,
      casesValue = \i tag -> if tag == i then Right value else casesValue rest (i + 1) tag,
      casesGet = \ty i tag -> if tag == i then pure value else casesGet rest ty (i + 1) tag
    }
{-# INLINE constructor #-}

-- | An alternative with fields.
alternative ::
  -- | Its name.
  String ->
  -- | Make the value from the fields.
  (a -> s) ->
  -- | The format of the fields. Several fields are a tuple or a @record@.
  Format a ->
  -- | The alternatives after it.
  Cases s m ->
  Cases s ((a -> Encoding) -> m)
alternative con make f rest =
  -- The format is not forced: that of a recursive type asks for its own layout.
  Cases
    { casesCount = 1 + casesCount rest,
      casesPlain = False,
      casesEncode = \i decide ->
        casesEncode rest (i + 1) (decide (\x -> Encoding i (formatSize f x) (formatPut f x))),
      casesCheck = \i tag -> casesCheck rest (i + 1) tag,
      casesValue = \i tag -> casesValue rest (i + 1) tag,
      casesGet = \name i tag ->
        if tag == i
          then getAlternative name con f >>= \x -> x `seq` (pure $! make x)
          else casesGet rest name (i + 1) tag
    }
{-# INLINE alternative #-}

-- Read the fields of an alternative, given the names of the type and of the alternative.
getAlternative :: String -> String -> Format a -> Get a
getAlternative name con (Format l _ _ g) = case l of
  Fix f ->
    getNamed $
      fixedNamed (OfConstructor name con "" [ConstantPart (fixedSize f) (fixedNames f)]) f
  Var _ -> nested (OfConstructor name con "" [VariablePart]) (getPart 0 g)
{-# INLINE getAlternative #-}

-- | A tag that is no longer in use. The alternatives after it keep their tags. Reading it fails
-- with a message that names it.
--
-- >>> import Ashlar.Codec.Combinators
-- >>> let cases = constructor "Off" False (retired "Unknown" (constructor "On" True end))
-- >>> let bit = variant "Bit" (\off on b -> if b then on else off) cases
-- >>> toStrictByteString (formatPut bit True)
-- "\STX"
-- >>> either (print . errorReason) print (runGet (formatGet bit) "\1")
-- Invalid "constructor Unknown, which is no longer in use"
retired :: String -> Cases s m -> Cases s m
retired name rest =
  Cases
    { casesCount = 1 + casesCount rest,
      casesPlain = casesPlain rest,
      casesEncode = \i decide -> casesEncode rest (i + 1) decide,
      casesCheck = \i tag ->
        if tag == i then Left (isRetired name) else casesCheck rest (i + 1) tag,
      casesValue = \i tag -> casesValue rest (i + 1) tag,
      casesGet = \ty i tag -> casesGet rest ty (i + 1) tag
    }
{-# INLINE retired #-}

isRetired :: String -> String
isRetired name = "constructor " ++ name ++ ", which is no longer in use"
{-# NOINLINE isRetired #-}

-- | No more alternatives.
end :: Cases s (s -> Encoding)
end =
  Cases
    { casesCount = 0,
      casesPlain = True,
      casesEncode = \_ decide -> decide,
      casesCheck = \_ tag -> Right tag,
      -- The tag has been checked.
      casesValue = \_ _ -> Left "no such constructor",
      casesGet = \_ _ _ -> invalid "no such constructor"
    }
{-# INLINE end #-}

-- What a derived instance needs to know of a sum without asking its fields: the number of its
-- constructors, and whether it is an enumeration.

-- | The names of a constructor's fields, each followed by a space. Empty if it is no record. All
-- names are one string, because each string is code.
type family FieldNames (c :: Meta) (f :: Type -> Type) :: Symbol where
  FieldNames ('MetaCons con fix 'False) f = ""
  FieldNames ('MetaCons con fix 'True) f = Selectors f

type family Selectors (f :: Type -> Type) :: Symbol where
  Selectors (f :*: g) = AppendSymbol (Selectors f) (Selectors g)
  Selectors (S1 ('MetaSel ('Just name) u s l) f) = AppendSymbol name " "

-- | What errors say of a constructor, given the name of the type.
ofConstructor ::
  forall con fields. (KnownSymbol con, KnownSymbol fields) => String -> [Part] -> Names
ofConstructor name =
  OfConstructor name (symbolVal (Proxy :: Proxy con)) (symbolVal (Proxy :: Proxy fields))
{-# INLINE ofConstructor #-}

-- | The number of constructors.
class GCount (f :: Type -> Type) where
  gCount :: Int

instance (GCount f, GCount g) => GCount (f :+: g) where
  gCount = gCount @f + gCount @g
  {-# INLINE gCount #-}

instance GCount (C1 c f) where
  gCount = 1
  {-# INLINE gCount #-}

-- | The number of a constructor: one byte, or two for more than 256 constructors.
tagFormat ::
  -- | The name of the type.
  String ->
  -- | The number of constructors.
  Int ->
  Fixed Int
tagFormat name count@(I# n) = case n <=# 256# of
  1# -> checked (fixedMap fromIntegral fromIntegral fixedWord8)
  _ -> checked (fixedMap fromIntegral fromIntegral fixedWord16LE)
  where
    checked f =
      fixedRaw (fixedSize f) Nameless (fixedWrite f) $ \p ->
        fixedRead f p >>= \i -> if i < count then pure i else unknownTag p name count i
    {-# INLINE checked #-}
{-# INLINE tagFormat #-}

-- A function of its own: a branch that allocates would make all of the code around it check for
-- heap.
unknownTag :: Ptr Word8 -> String -> Int -> Int -> Get a
unknownTag p name !count !i = invalidAt p (if count <= 256 then 1 else 2) message
  where
    message =
      "constructor tag " ++ show i ++ ", but " ++ name ++ " has " ++ case count of
        0 -> "no constructors"
        1 -> "1 constructor (tag 0)"
        2 -> "2 constructors (tags 0 and 1)"
        _ -> show count ++ " constructors (tags 0 to " ++ show (count - 1) ++ ")"
{-# NOINLINE unknownTag #-}

-- | The kinds of sums.
data SumKind
  = -- | No constructor has fields.
    Enumeration
  | -- | Up to 16 constructors.
    Small
  | -- | More: does the tag have one byte or two? See Note [Large sums] in
    -- "Ashlar.Internal.Codec.Derive.Sums".
    Large TagWidth

data TagWidth = Narrow | Wide

-- | The kind of this sum.
type family KindOf (f :: Type -> Type) :: SumKind where
  KindOf f = Sized (IsEnum f) (CmpNat (Count f) 17) (CmpNat (Count f) 257)

type family Sized (enum :: Bool) (large :: Ordering) (wide :: Ordering) :: SumKind where
  Sized 'True large wide = 'Enumeration
  Sized 'False 'LT wide = 'Small
  Sized 'False large 'LT = 'Large 'Narrow
  Sized 'False large wide = 'Large 'Wide

type family Count (f :: Type -> Type) :: Nat where
  Count (f :+: g) = Count f + Count g
  Count f = 1

-- | The bytes of a tag.
class KnownWidth (width :: TagWidth) where
  tagWidth :: Int

instance KnownWidth 'Narrow where
  tagWidth = 1
  {-# INLINE tagWidth #-}

instance KnownWidth 'Wide where
  tagWidth = 2
  {-# INLINE tagWidth #-}

type family IsEnum (f :: Type -> Type) :: Bool where
  IsEnum (f :+: g) = And (IsEnum f) (IsEnum g)
  IsEnum (C1 c U1) = 'True
  IsEnum (C1 c f) = 'False

type family And (a :: Bool) (b :: Bool) :: Bool where
  And 'True b = b
  And 'False _ = 'False

-- | The constructors of an enumeration, by number. The first argument is the number of the first
-- one.
class GEnum (f :: Type -> Type) where
  gEnumCount :: Int
  gNumber :: Int -> f p -> Int
  gNumbered :: Int -> Int -> f p

instance (GEnum f, GEnum g) => GEnum (f :+: g) where
  gEnumCount = gEnumCount @f + gEnumCount @g
  {-# INLINE gEnumCount #-}
  gNumber i x = case x of
    L1 y -> gNumber i y
    R1 y -> gNumber (i + gEnumCount @f) y
  {-# INLINE gNumber #-}
  gNumbered i tag
    | tag < i + gEnumCount @f = L1 (gNumbered i tag)
    | otherwise = R1 (gNumbered (i + gEnumCount @f) tag)
  {-# INLINE gNumbered #-}

instance GEnum (C1 c U1) where
  gEnumCount = 1
  {-# INLINE gEnumCount #-}
  gNumber i _ = i
  {-# INLINE gNumber #-}
  gNumbered _ _ = M1 U1
  {-# INLINE gNumbered #-}
