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
    IsEnum,
    GEnum (..),
  )
where

import Ashlar.Internal.Codec.Fixed
import Ashlar.Internal.Get.Core
import Ashlar.Internal.Get.Path
import Ashlar.Internal.Get.Refuse
import Data.Kind (Type)
import Data.Word (Word8)
import Foreign.Ptr (Ptr)
import GHC.Exts (Int (I#), (<=#))
import GHC.Generics
import GHC.TypeLits (AppendSymbol, Symbol)

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

-- | Does no constructor have fields?
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
  gNumber :: Int -> f p -> Int
  gNumbered :: Int -> Int -> f p

instance (GEnum f, GEnum g, GCount f) => GEnum (f :+: g) where
  gNumber i x = case x of
    L1 y -> gNumber i y
    R1 y -> gNumber (i + gCount @f) y
  {-# INLINE gNumber #-}
  gNumbered i tag
    | tag < i + gCount @f = L1 (gNumbered i tag)
    | otherwise = R1 (gNumbered (i + gCount @f) tag)
  {-# INLINE gNumbered #-}

instance GEnum (C1 c U1) where
  gNumber i _ = i
  {-# INLINE gNumber #-}
  gNumbered _ _ = M1 U1
  {-# INLINE gNumbered #-}
