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

-- |
-- Module      : Ashlar.Internal.Codec.Tag
-- Description : The numbers of constructors, and enumerations
--
-- What a derived instance needs to know of a sum without asking its fields.
module Ashlar.Internal.Codec.Tag
  ( GCount (..),
    tagFormat,
    FieldNames,
    SumKind (..),
    KnownWidth (..),
    KindOf,
    GEnum (..),
  )
where

import Ashlar.Internal.Codec.Fixed
import Ashlar.Internal.Get.Core
import Ashlar.Internal.Get.Fail
import Ashlar.Internal.Get.Path
import Data.Kind (Type)
import Data.Word (Word8)
import Foreign.Ptr (Ptr)
import GHC.Exts (Int (I#), (<=#))
import GHC.Generics
import GHC.TypeLits (AppendSymbol, CmpNat, Nat, Symbol, type (+))

-- | The names of a constructor's fields, each followed by a space. Empty if it is no record. The
-- compiler makes one string of all names, because each string is code.
type family FieldNames (c :: Meta) (f :: Type -> Type) :: Symbol where
  FieldNames ('MetaCons con fix 'False) f = ""
  FieldNames ('MetaCons con fix 'True) f = Selectors f

type family Selectors (f :: Type -> Type) :: Symbol where
  Selectors (f :*: g) = AppendSymbol (Selectors f) (Selectors g)
  Selectors (S1 ('MetaSel ('Just name) u s l) f) = AppendSymbol name " "

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

-- | What a sum is like.
data SumKind
  = -- | No constructor has fields.
    Enumeration
  | -- | Up to 16 constructors.
    Small
  | -- | More: does the tag have one byte or two? See Note [Large sums] in
    -- "Ashlar.Internal.Codec.Derive.Sums".
    Large TagWidth

data TagWidth = Narrow | Wide

-- | What this sum is like.
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

-- | The number of a constructor without fields, and back. The first 'Int' is the number of the
-- first constructor.
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
