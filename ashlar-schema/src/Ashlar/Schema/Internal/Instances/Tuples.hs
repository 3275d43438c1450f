{-# LANGUAGE AllowAmbiguousTypes #-}
{-# LANGUAGE ConstraintKinds #-}
{-# LANGUAGE ScopedTypeVariables #-}
{-# LANGUAGE TypeApplications #-}
{-# OPTIONS_GHC -Wno-orphans #-}

-- |
-- Module      : Ashlar.Schema.Internal.Instances.Tuples
-- Description : Tuples
--
-- The elements of a large tuple are those of its halves.
module Ashlar.Schema.Internal.Instances.Tuples () where

import Ashlar.Schema.Internal.ByHand
import Ashlar.Schema.Internal.Describe
import Ashlar.Schema.Internal.Types

element :: forall a. Described a => Part
element = part @a mempty

halves :: forall x y a. (Described x, Described y) => Describe a
halves = describing (Tuple . concatMap elements) [element @x, element @y]
  where
    elements shape = case shape of
      Tuple shapes -> shapes
      _ -> [shape]

type Two a b = (Described a, Described b)

type Four a b c d = (Two a b, Two c d)

type Eight a b c d e f g h = (Four a b c d, Four e f g h)

instance Two a b => Described (a, b) where
  describe = describing Tuple [element @a, element @b]

instance (Two a b, Described c) => Described (a, b, c) where
  describe = describing Tuple [element @a, element @b, element @c]

instance Four a b c d => Described (a, b, c, d) where
  describe = halves @(a, b) @(c, d)

instance (Four a b c d, Described e) => Described (a, b, c, d, e) where
  describe = halves @(a, b, c) @(d, e)

instance (Four a b c d, Two e f) => Described (a, b, c, d, e, f) where
  describe = halves @(a, b, c) @(d, e, f)

instance (Four a b c d, Two e f, Described g) => Described (a, b, c, d, e, f, g) where
  describe = halves @(a, b, c, d) @(e, f, g)

instance Eight a b c d e f g h => Described (a, b, c, d, e, f, g, h) where
  describe = halves @(a, b, c, d) @(e, f, g, h)

instance (Eight a b c d e f g h, Described i) => Described (a, b, c, d, e, f, g, h, i) where
  describe = halves @(a, b, c, d, e) @(f, g, h, i)

instance (Eight a b c d e f g h, Two i j) => Described (a, b, c, d, e, f, g, h, i, j) where
  describe = halves @(a, b, c, d, e) @(f, g, h, i, j)

instance
  (Eight a b c d e f g h, Two i j, Described k) =>
  Described (a, b, c, d, e, f, g, h, i, j, k)
  where
  describe = halves @(a, b, c, d, e, f) @(g, h, i, j, k)

instance
  (Eight a b c d e f g h, Four i j k l) =>
  Described (a, b, c, d, e, f, g, h, i, j, k, l)
  where
  describe = halves @(a, b, c, d, e, f) @(g, h, i, j, k, l)

instance
  (Eight a b c d e f g h, Four i j k l, Described m) =>
  Described (a, b, c, d, e, f, g, h, i, j, k, l, m)
  where
  describe = halves @(a, b, c, d, e, f, g) @(h, i, j, k, l, m)

instance
  (Eight a b c d e f g h, Four i j k l, Two m n) =>
  Described (a, b, c, d, e, f, g, h, i, j, k, l, m, n)
  where
  describe = halves @(a, b, c, d, e, f, g) @(h, i, j, k, l, m, n)

instance
  (Eight a b c d e f g h, Four i j k l, Two m n, Described o) =>
  Described (a, b, c, d, e, f, g, h, i, j, k, l, m, n, o)
  where
  describe = halves @(a, b, c, d, e, f, g, h) @(i, j, k, l, m, n, o)
