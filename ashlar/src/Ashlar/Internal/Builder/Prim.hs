-- |
-- Module      : Ashlar.Internal.Builder.Prim
-- Description : Builders from primitives
--
-- A builder checks the free space for a primitive's bound once, then writes. Neighbours share one
-- check: Note [Fusing reservations] in "Ashlar.Internal.Builder.Core".
module Ashlar.Internal.Builder.Prim
  ( primFixed,
    primBounded,
    primStrict,
  )
where

import Ashlar.Internal.Builder.Core
import Ashlar.Internal.Prim.Core

-- | A value, written by a primitive of fixed size.
primFixed :: FixedPrim a -> a -> Builder
primFixed prim x = primBounded (toB prim) x
{-# INLINE [0] primFixed #-}

-- | A value, written by a primitive of bounded size.
primBounded :: BoundedPrim a -> a -> Builder
-- The write has the free space that was reserved.
primBounded prim x = ensure (sizeBound prim) (runB prim x)
{-# INLINE [0] primBounded #-}

-- | 'primBounded' of a primitive that evaluates its argument. So it can be evaluated first.
primStrict :: BoundedPrim a -> a -> Builder
primStrict prim x = ensureAfter (evaluated x) (sizeBound prim) (runB prim x)
{-# INLINE [0] primStrict #-}

{-# RULES
"primFixed" [~0] forall prim x. primFixed prim x = primBounded (toB prim) x
"primBounded" [~0] forall prim x.
  primBounded prim x =
    ensure (sizeBound prim) (runB prim x)
"primStrict" [~0] forall prim x.
  primStrict prim x =
    ensureAfter (evaluated x) (sizeBound prim) (runB prim x)
  #-}
