{-# LANGUAGE AllowAmbiguousTypes #-}
{-# LANGUAGE ScopedTypeVariables #-}
{-# LANGUAGE TypeApplications #-}
{-# OPTIONS_GHC -Wno-orphans #-}

-- |
-- Module      : Ashlar.Schema.Internal.Instances.Tuples
-- Description : Tuples
module Ashlar.Schema.Internal.Instances.Tuples () where

import Ashlar.Schema.Internal.ByHand
import Ashlar.Schema.Internal.Describe
import Ashlar.Schema.Internal.Types

tuple :: [Part] -> Describe a
tuple = describing Tuple

element :: forall a. Described a => Part
element = part @a mempty

instance
  (Described a, Described b) =>
  Described (a, b)
  where
  describe = tuple [element @a, element @b]

instance
  (Described a, Described b, Described c) =>
  Described (a, b, c)
  where
  describe = tuple [element @a, element @b, element @c]

instance
  (Described a, Described b, Described c, Described d) =>
  Described (a, b, c, d)
  where
  describe = tuple [element @a, element @b, element @c, element @d]

instance
  (Described a, Described b, Described c, Described d, Described e) =>
  Described (a, b, c, d, e)
  where
  describe = tuple [element @a, element @b, element @c, element @d, element @e]

instance
  (Described a, Described b, Described c, Described d, Described e, Described f) =>
  Described (a, b, c, d, e, f)
  where
  describe = tuple [element @a, element @b, element @c, element @d, element @e, element @f]

instance
  (Described a, Described b, Described c, Described d, Described e, Described f, Described g) =>
  Described (a, b, c, d, e, f, g)
  where
  describe =
    tuple [element @a, element @b, element @c, element @d, element @e, element @f, element @g]

instance
  ( Described a,
    Described b,
    Described c,
    Described d,
    Described e,
    Described f,
    Described g,
    Described h
  ) =>
  Described (a, b, c, d, e, f, g, h)
  where
  describe =
    tuple
      [ element @a,
        element @b,
        element @c,
        element @d,
        element @e,
        element @f,
        element @g,
        element
          @h
      ]

instance
  ( Described a,
    Described b,
    Described c,
    Described d,
    Described e,
    Described f,
    Described g,
    Described h,
    Described i
  ) =>
  Described (a, b, c, d, e, f, g, h, i)
  where
  describe =
    tuple
      [ element @a,
        element @b,
        element @c,
        element @d,
        element @e,
        element @f,
        element @g,
        element
          @h,
        element @i
      ]

instance
  ( Described a,
    Described b,
    Described c,
    Described d,
    Described e,
    Described f,
    Described g,
    Described h,
    Described i,
    Described j
  ) =>
  Described (a, b, c, d, e, f, g, h, i, j)
  where
  describe =
    tuple
      [ element @a,
        element @b,
        element @c,
        element @d,
        element @e,
        element @f,
        element @g,
        element
          @h,
        element @i,
        element @j
      ]

instance
  ( Described a,
    Described b,
    Described c,
    Described d,
    Described e,
    Described f,
    Described g,
    Described h,
    Described i,
    Described j,
    Described k
  ) =>
  Described (a, b, c, d, e, f, g, h, i, j, k)
  where
  describe =
    tuple
      [ element @a,
        element @b,
        element @c,
        element @d,
        element @e,
        element @f,
        element @g,
        element
          @h,
        element @i,
        element @j,
        element @k
      ]

instance
  ( Described a,
    Described b,
    Described c,
    Described d,
    Described e,
    Described f,
    Described g,
    Described h,
    Described i,
    Described j,
    Described k,
    Described l
  ) =>
  Described (a, b, c, d, e, f, g, h, i, j, k, l)
  where
  describe =
    tuple
      [ element @a,
        element @b,
        element @c,
        element @d,
        element @e,
        element @f,
        element @g,
        element
          @h,
        element @i,
        element @j,
        element @k,
        element @l
      ]

instance
  ( Described a,
    Described b,
    Described c,
    Described d,
    Described e,
    Described f,
    Described g,
    Described h,
    Described i,
    Described j,
    Described k,
    Described l,
    Described m
  ) =>
  Described (a, b, c, d, e, f, g, h, i, j, k, l, m)
  where
  describe =
    tuple
      [ element @a,
        element @b,
        element @c,
        element @d,
        element @e,
        element @f,
        element @g,
        element
          @h,
        element @i,
        element @j,
        element @k,
        element @l,
        element @m
      ]

instance
  ( Described a,
    Described b,
    Described c,
    Described d,
    Described e,
    Described f,
    Described g,
    Described h,
    Described i,
    Described j,
    Described k,
    Described l,
    Described m,
    Described n
  ) =>
  Described (a, b, c, d, e, f, g, h, i, j, k, l, m, n)
  where
  describe =
    tuple
      [ element @a,
        element @b,
        element @c,
        element @d,
        element @e,
        element @f,
        element @g,
        element
          @h,
        element @i,
        element @j,
        element @k,
        element @l,
        element @m,
        element @n
      ]

instance
  ( Described a,
    Described b,
    Described c,
    Described d,
    Described e,
    Described f,
    Described g,
    Described h,
    Described i,
    Described j,
    Described k,
    Described l,
    Described m,
    Described n,
    Described o
  ) =>
  Described (a, b, c, d, e, f, g, h, i, j, k, l, m, n, o)
  where
  describe =
    tuple
      [ element @a,
        element @b,
        element @c,
        element @d,
        element @e,
        element @f,
        element @g,
        element
          @h,
        element @i,
        element @j,
        element @k,
        element @l,
        element @m,
        element @n,
        element @o
      ]
