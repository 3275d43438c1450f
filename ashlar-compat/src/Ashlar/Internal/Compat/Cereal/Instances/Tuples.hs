{-# LANGUAGE ScopedTypeVariables #-}
{-# OPTIONS_GHC -Wno-orphans #-}
-- See Note [Fusing puts] in "Ashlar.Internal.Builder.Put".
{-# OPTIONS_GHC -fno-do-lambda-eta-expansion #-}

-- |
-- Module      : Ashlar.Internal.Compat.Cereal.Instances.Tuples
-- Description : Tuples in cereal's format
--
-- One part after another.
module Ashlar.Internal.Compat.Cereal.Instances.Tuples () where

import Ashlar.Internal.Builder.Put ()
import Ashlar.Internal.Compat.Cereal.Class
import Ashlar.Internal.Get.Core ()

-- | The 2 parts.
instance (Serialize a, Serialize b) => Serialize (a, b) where
  put (a, b) = put a *> put b
  get = (,) <$> get <*> get
  {-# INLINE put #-}
  {-# INLINE get #-}

-- | The 3 parts.
instance (Serialize a, Serialize b, Serialize c) => Serialize (a, b, c) where
  put (a, b, c) = put a *> put b *> put c
  get = (,,) <$> get <*> get <*> get
  {-# INLINE put #-}
  {-# INLINE get #-}

-- | The 4 parts.
instance (Serialize a, Serialize b, Serialize c, Serialize d) => Serialize (a, b, c, d) where
  put (a, b, c, d) = put a *> put b *> put c *> put d
  get = (,,,) <$> get <*> get <*> get <*> get
  {-# INLINE put #-}
  {-# INLINE get #-}

-- | The 5 parts.
instance
  ( Serialize a,
    Serialize b,
    Serialize c,
    Serialize d,
    Serialize e
  ) =>
  Serialize (a, b, c, d, e)
  where
  put (a, b, c, d, e) = put a *> put b *> put c *> put d *> put e
  get = (,,,,) <$> get <*> get <*> get <*> get <*> get
  {-# INLINE put #-}
  {-# INLINE get #-}

-- | The 6 parts.
instance
  ( Serialize a,
    Serialize b,
    Serialize c,
    Serialize d,
    Serialize e,
    Serialize f
  ) =>
  Serialize (a, b, c, d, e, f)
  where
  put (a, b, c, d, e, f) = put a *> put b *> put c *> put d *> put e *> put f
  get = (,,,,,) <$> get <*> get <*> get <*> get <*> get <*> get
  {-# INLINE put #-}
  {-# INLINE get #-}

-- | The 7 parts.
instance
  ( Serialize a,
    Serialize b,
    Serialize c,
    Serialize d,
    Serialize e,
    Serialize f,
    Serialize g
  ) =>
  Serialize (a, b, c, d, e, f, g)
  where
  put (a, b, c, d, e, f, g) = put a *> put b *> put c *> put d *> put e *> put f *> put g
  get = (,,,,,,) <$> get <*> get <*> get <*> get <*> get <*> get <*> get
  {-# INLINE put #-}
  {-# INLINE get #-}

-- | The 8 parts.
instance
  ( Serialize a,
    Serialize b,
    Serialize c,
    Serialize d,
    Serialize e,
    Serialize f,
    Serialize g,
    Serialize h
  ) =>
  Serialize (a, b, c, d, e, f, g, h)
  where
  put (a, b, c, d, e, f, g, h) =
    put a *> put b *> put c *> put d *> put e
      *> put f
      *> put g
      *> put h
  get = (,,,,,,,) <$> get <*> get <*> get <*> get <*> get <*> get <*> get <*> get
  {-# INLINE put #-}
  {-# INLINE get #-}

-- | The 9 parts.
instance
  ( Serialize a,
    Serialize b,
    Serialize c,
    Serialize d,
    Serialize e,
    Serialize f,
    Serialize g,
    Serialize h,
    Serialize i
  ) =>
  Serialize (a, b, c, d, e, f, g, h, i)
  where
  put (a, b, c, d, e, f, g, h, i) =
    put a *> put b *> put c *> put d *> put e
      *> put f
      *> put g
      *> put h
      *> put i
  get = (,,,,,,,,) <$> get <*> get <*> get <*> get <*> get <*> get <*> get <*> get <*> get
  {-# INLINE put #-}
  {-# INLINE get #-}

-- | The 10 parts.
instance
  ( Serialize a,
    Serialize b,
    Serialize c,
    Serialize d,
    Serialize e,
    Serialize f,
    Serialize g,
    Serialize h,
    Serialize i,
    Serialize j
  ) =>
  Serialize (a, b, c, d, e, f, g, h, i, j)
  where
  put (a, b, c, d, e, f, g, h, i, j) =
    put a *> put b *> put c *> put d *> put e
      *> put f
      *> put g
      *> put h
      *> put i
      *> put j
  get = (,,,,,,,,,) <$> get <*> get <*> get <*> get <*> get <*> get <*> get <*> get <*> get <*> get
  {-# INLINE put #-}
  {-# INLINE get #-}
