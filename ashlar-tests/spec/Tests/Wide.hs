{-# LANGUAGE AllowAmbiguousTypes #-}
{-# LANGUAGE DataKinds #-}
{-# LANGUAGE DeriveAnyClass #-}
{-# LANGUAGE DerivingStrategies #-}
{-# LANGUAGE FlexibleInstances #-}
{-# LANGUAGE ScopedTypeVariables #-}
{-# LANGUAGE TypeApplications #-}
{-# LANGUAGE TypeFamilies #-}
{-# LANGUAGE TypeOperators #-}
-- The code of 300 constructors takes minutes to optimise. GHC 9.6 counts its ticks even at -O0, and
-- gives up at the default factor.
{-# OPTIONS_GHC -O0 -fsimpl-tick-factor=2000 #-}

-- |
-- Module      : Tests.Wide
-- Description : A type of 300 constructors with fields, whose representation is not balanced
--
-- What the library sees of a type are its 'Generic' functions, which are written by hand here.
module Tests.Wide (Wide (..)) where

import Ashlar.Codec (Codec)
import Data.Text (Text)
import qualified Data.Text as T
import Data.Word (Word8)
import GHC.Generics
import Test.QuickCheck
import Tests.Halves

-- | The number of the constructor, and its fields.
data Wide = Wide Int Word8 Text
  deriving stock (Eq, Show)
  deriving anyclass (Codec)

instance Arbitrary Wide where
  arbitrary = Wide <$> chooseInt (0, 299) <*> arbitrary <*> (T.pack <$> resize 5 arbitrary)

instance Generic Wide where
  type Rep Wide = D1 ('MetaData "Wide" "Tests.Wide" "spec" 'False) R300
  from (Wide i n t) = M1 (numbered i n t)
  to (M1 x) = number Wide x

class Numbered f where
  count :: Int
  numbered :: Int -> Word8 -> Text -> f p
  number :: (Int -> Word8 -> Text -> a) -> f p -> a

instance (Numbered f, Numbered g) => Numbered (f :+: g) where
  count = count @f + count @g
  numbered i n t
    | i < count @f = L1 (numbered i n t)
    | otherwise = R1 (numbered (i - count @f) n t)
  number k x = case x of
    L1 y -> number k y
    R1 y -> number (\i -> k (count @f + i)) y

instance Numbered R1' where
  count = 1
  numbered _ n t = M1 (M1 (K1 n) :*: M1 (K1 t))
  number k (M1 (M1 (K1 n) :*: M1 (K1 t))) = k 0 n t

type R1' = C1 ('MetaCons "C" 'PrefixI 'False) (Field Word8 :*: Field Text)

type Field a = S1 LazyField (K1 R a)

type LazyField = 'MetaSel 'Nothing 'NoSourceUnpackedness 'NoSourceStrictness 'DecidedLazy

type R300 =
  R1' :+: (R1' :+: ((((R128 R1' :+: R8 R1') :+: R1') :+: R1') :+: (R128 R1' :+: R32 R1')))
