{-# LANGUAGE DataKinds #-}
{-# LANGUAGE TypeFamilies #-}
{-# LANGUAGE TypeOperators #-}
{-# LANGUAGE UndecidableInstances #-}
{-# OPTIONS_GHC -fno-do-lambda-eta-expansion #-}

-- |
-- Module      : Ashlar.Internal.Compat.Sum
-- Description : The numbers of constructors, as binary and cereal write them
--
-- Both libraries write a constructor as its number, counted from 0, the most significant byte
-- first. It takes 1, 2 or 4 bytes, as the number of constructors demands.
module Ashlar.Internal.Compat.Sum
  ( GCount (..),
    SumArity,
    tag,
    getTag,
  )
where

import Ashlar.Internal.Builder.Core (Builder)
import Ashlar.Internal.Builder.Numbers (word16BE, word32BE, word8)
import Ashlar.Internal.Codec.Variant (GCount (..))
import Ashlar.Internal.Get.Core
import Ashlar.Internal.Get.Numbers
import Data.Kind (Type)
import GHC.Generics (C1, type (:+:))
import GHC.TypeLits (Nat, type (+))

-- | The number of constructors.
type family SumArity (f :: Type -> Type) :: Nat where
  SumArity (C1 c f) = 1
  SumArity (f :+: g) = SumArity f + SumArity g

-- | The number of a constructor (the second argument), given how many there are.
tag :: Int -> Int -> Builder
tag count i
  | count <= 256 = word8 (fromIntegral i)
  | otherwise = wideTag count i
{-# INLINE tag #-}

-- Out of line, as 'getWideTag': code for it in each constructor takes long to compile.
wideTag :: Int -> Int -> Builder
wideTag count i
  | count <= 65536 = word16BE (fromIntegral i)
  | otherwise = word32BE (fromIntegral i)
{-# NOINLINE wideTag #-}

-- | The number of a constructor, given how many there are. Fails on any other number.
getTag :: Int -> Get Int
getTag count = (if count <= 256 then fromIntegral <$> getWord8 else getWideTag count) >>= known
  where
    known i = if i < count then pure i else unknown
    {-# INLINE known #-}
{-# INLINE getTag #-}

getWideTag :: Int -> Get Int
getWideTag count
  | count <= 65536 = fromIntegral <$> getWord16be
  | otherwise = fromIntegral <$> getWord32be
{-# NOINLINE getWideTag #-}

unknown :: Get a
unknown = invalid "Unknown encoding for constructor"
{-# NOINLINE unknown #-}
