{-# LANGUAGE ScopedTypeVariables #-}
{-# OPTIONS_GHC -Wno-orphans #-}

-- |
-- Module      : Ashlar.Codec.Instances.Data
-- Description : Formats of tuples, sums and lists
--
-- These are derived, but for the list. (In a module of their own: that for numbers
-- turns eta-expansion off, and with that GHC 9.0.2 panics on the derived reader of
-- a triple.)
module Ashlar.Codec.Instances.Data () where

import Ashlar.Codec.Class
import Ashlar.Codec.Elements
import Ashlar.Codec.Length (lengthSize)

-- Tuples are their elements one after the other; sums have a tag.

instance Codec Ordering

instance Codec a => Codec (Maybe a)

instance (Codec a, Codec b) => Codec (Either a b)

instance (Codec a, Codec b) => Codec (a, b)

instance (Codec a, Codec b, Codec c) => Codec (a, b, c)

instance (Codec a, Codec b, Codec c, Codec d) => Codec (a, b, c, d)

instance (Codec a, Codec b, Codec c, Codec d, Codec e) => Codec (a, b, c, d, e)

instance (Codec a, Codec b, Codec c, Codec d, Codec e, Codec f) => Codec (a, b, c, d, e, f)

instance (Codec a, Codec b, Codec c, Codec d, Codec e, Codec f, Codec g) => Codec (a, b, c, d, e, f, g)

-- | The number of elements, and the elements.
instance Codec a => Codec [a] where
  layout = Var lengthSize
  size xs = sizeElements (layout :: Layout a) (length xs) (sum (map size xs))
  put xs = putElements (length xs) xs
  get = getList
  {-# INLINABLE size #-}
  {-# INLINABLE put #-}
  {-# INLINABLE get #-}
