{-# LANGUAGE DeriveAnyClass #-}
{-# LANGUAGE DeriveGeneric #-}
{-# LANGUAGE DerivingStrategies #-}
{-# LANGUAGE TemplateHaskell #-}
-- Such types take minutes to optimise, with every library.
{-# OPTIONS_GHC -O0 #-}

-- |
-- Module      : Tests.Compat.Enumerations
-- Description : Types of as many constructors as one byte tells apart, and one more or less
module Tests.Compat.Enumerations
  ( E255,
    E256,
    E257,
  )
where

import Tests.Compat.Large (enumeration)

enumeration "E255" 255
enumeration "E256" 256
enumeration "E257" 257
