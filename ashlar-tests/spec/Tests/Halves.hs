{-# LANGUAGE TypeOperators #-}

-- |
-- Module      : Tests.Halves
-- Description : Representations of types of many constructors
--
-- Each is a sum of one constructor, as often as its name says, in halves as the compiler makes
-- them.
module Tests.Halves
  ( R2,
    R4,
    R8,
    R16,
    R32,
    R64,
    R128,
  )
where

import GHC.Generics ((:+:))

type R2 c = c :+: c

type R4 c = R2 (R2 c)

type R8 c = R2 (R4 c)

type R16 c = R2 (R8 c)

type R32 c = R2 (R16 c)

type R64 c = R2 (R32 c)

type R128 c = R2 (R64 c)
