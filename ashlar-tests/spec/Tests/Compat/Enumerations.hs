{-# LANGUAGE AllowAmbiguousTypes #-}
{-# LANGUAGE DataKinds #-}
{-# LANGUAGE DerivingStrategies #-}
{-# LANGUAGE FlexibleInstances #-}
{-# LANGUAGE ScopedTypeVariables #-}
{-# LANGUAGE TypeApplications #-}
{-# LANGUAGE TypeFamilies #-}
{-# LANGUAGE TypeOperators #-}
{-# LANGUAGE UndecidableInstances #-}
-- The code of a type of 256 constructors takes minutes to optimise, with every library. GHC 9.6
-- runs out of ticks even without.
{-# OPTIONS_GHC -O0 -fsimpl-tick-factor=1000 #-}

-- |
-- Module      : Tests.Compat.Enumerations
-- Description : Types of as many constructors as one byte tells apart, and one more
--
-- What libraries see of a type are its 'Generic' functions, which are written by hand here:
-- a declaration of that many constructors takes minutes to compile.
module Tests.Compat.Enumerations
  ( E256,
    E257,
  )
where

import qualified Ashlar.Compat.Binary as B
import qualified Ashlar.Compat.Cereal as C
import Data.Binary (Binary)
import Data.Kind (Type)
import Data.Serialize (Serialize)
import GHC.Generics hiding (Constructor)
import Test.QuickCheck
import Tests.Halves

-- | The constructor with this number, of those in the type.
newtype Constructor (f :: Type -> Type) = Constructor Int
  deriving stock (Eq, Show)

class Numbered f where
  count :: Int
  numbered :: Int -> f p
  number :: f p -> Int

instance (Numbered f, Numbered g) => Numbered (f :+: g) where
  count = count @f + count @g
  numbered i
    | i < count @f = L1 (numbered i)
    | otherwise = R1 (numbered (i - count @f))
  number x = case x of
    L1 y -> number y
    R1 y -> count @f + number y

instance Numbered (M1 C c U1) where
  count = 1
  numbered _ = M1 U1
  number _ = 0

instance Numbered f => Generic (Constructor f) where
  type Rep (Constructor f) = D1 ('MetaData "Constructor" "Enumerations" "spec" 'False) f
  from (Constructor i) = M1 (numbered i)
  to (M1 x) = Constructor (number x)

instance Numbered f => Arbitrary (Constructor f) where
  arbitrary = Constructor <$> chooseInt (0, count @f - 1)

type R1' = C1 ('MetaCons "C" 'PrefixI 'False) U1

-- One more than 128.
type R129 =
  R64 R1' :+: (R32 R1' :+: (R16 R1' :+: (R8 R1' :+: (R4 R1' :+: (R2 R1' :+: (R1' :+: R2 R1'))))))

type E256 = Constructor (R2 (R128 R1'))

type E257 = Constructor (R128 R1' :+: R129)

instance B.Binary E256

instance B.Binary E257

instance C.Serialize E256

instance C.Serialize E257

instance Binary E256

instance Binary E257

instance Serialize E256

instance Serialize E257
