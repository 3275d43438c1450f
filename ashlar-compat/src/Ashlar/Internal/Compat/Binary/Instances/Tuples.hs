{-# LANGUAGE ScopedTypeVariables #-}
{-# OPTIONS_GHC -Wno-orphans #-}
-- See Note [Fusing puts] in "Ashlar.Internal.Builder.Put".
{-# OPTIONS_GHC -fno-do-lambda-eta-expansion #-}

-- |
-- Module      : Ashlar.Internal.Compat.Binary.Instances.Tuples
-- Description : Tuples in binary's format
--
-- One part after another.
module Ashlar.Internal.Compat.Binary.Instances.Tuples () where

import Ashlar.Internal.Builder.Put ()
import Ashlar.Internal.Compat.Binary.Class
import Ashlar.Internal.Get.Core ()

-- | The 2 parts.
instance (Binary a, Binary b) => Binary (a, b) where
  put (a, b) = put a *> put b
  get = (,) <$> get <*> get
  {-# INLINE put #-}
  {-# INLINE get #-}

-- | The 3 parts.
instance (Binary a, Binary b, Binary c) => Binary (a, b, c) where
  put (a, b, c) = put a *> put b *> put c
  get = (,,) <$> get <*> get <*> get
  {-# INLINE put #-}
  {-# INLINE get #-}

-- | The 4 parts.
instance (Binary a, Binary b, Binary c, Binary d) => Binary (a, b, c, d) where
  put (a, b, c, d) = put a *> put b *> put c *> put d
  get = (,,,) <$> get <*> get <*> get <*> get
  {-# INLINE put #-}
  {-# INLINE get #-}

-- | The 5 parts.
instance (Binary a, Binary b, Binary c, Binary d, Binary e) => Binary (a, b, c, d, e) where
  put (a, b, c, d, e) = put a *> put b *> put c *> put d *> put e
  get = (,,,,) <$> get <*> get <*> get <*> get <*> get
  {-# INLINE put #-}
  {-# INLINE get #-}

-- | The 6 parts.
instance
  ( Binary a,
    Binary b,
    Binary c,
    Binary d,
    Binary e,
    Binary f
  ) =>
  Binary (a, b, c, d, e, f)
  where
  put (a, b, c, d, e, f) = put a *> put b *> put c *> put d *> put e *> put f
  get = (,,,,,) <$> get <*> get <*> get <*> get <*> get <*> get
  {-# INLINE put #-}
  {-# INLINE get #-}

-- | The 7 parts.
instance
  ( Binary a,
    Binary b,
    Binary c,
    Binary d,
    Binary e,
    Binary f,
    Binary g
  ) =>
  Binary (a, b, c, d, e, f, g)
  where
  put (a, b, c, d, e, f, g) = put a *> put b *> put c *> put d *> put e *> put f *> put g
  get = (,,,,,,) <$> get <*> get <*> get <*> get <*> get <*> get <*> get
  {-# INLINE put #-}
  {-# INLINE get #-}

-- | The 8 parts.
instance
  ( Binary a,
    Binary b,
    Binary c,
    Binary d,
    Binary e,
    Binary f,
    Binary g,
    Binary h
  ) =>
  Binary (a, b, c, d, e, f, g, h)
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
  ( Binary a,
    Binary b,
    Binary c,
    Binary d,
    Binary e,
    Binary f,
    Binary g,
    Binary h,
    Binary i
  ) =>
  Binary (a, b, c, d, e, f, g, h, i)
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
  ( Binary a,
    Binary b,
    Binary c,
    Binary d,
    Binary e,
    Binary f,
    Binary g,
    Binary h,
    Binary i,
    Binary j
  ) =>
  Binary (a, b, c, d, e, f, g, h, i, j)
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
