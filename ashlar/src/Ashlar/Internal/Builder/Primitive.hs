-- |
-- Module      : Ashlar.Internal.Builder.Primitive
-- Description : Builders from primitives and from scalars
--
-- A builder checks the free space for a primitive's bound once, then writes. Neighbours share one
-- check: Note [Fusing reservations] in "Ashlar.Internal.Builder.Core".
module Ashlar.Internal.Builder.Primitive
  ( scalar,
    primFixed,
    primBounded,
    primStrict,
  )
where

import Ashlar.Internal.Builder.Core
import Ashlar.Internal.Mem.Check
import Ashlar.Internal.Prim.Core
import Ashlar.Internal.Prim.Scalar (Scalar (..))
import Data.Word (Word8)
import Foreign.Ptr (Ptr, plusPtr)

-- | A value in a format of constant size. Neighbours share one check of the free space.
scalar :: Scalar a -> a -> Builder
scalar format x = ensureAfter (evaluated x) (scalarSize format) (scalarStep format x)
{-# INLINE [0] scalar #-}

-- Writes scalarSize bytes, which 'scalar' has reserved.
scalarStep :: Scalar a -> a -> Ptr Word8 -> IO (Ptr Word8)
scalarStep format x p = do
  filling "bound" "scalar" (scalarSize format) (scalarWrite format) p x
  pure (p `plusPtr` scalarSize format)
{-# INLINE scalarStep #-}

-- | A value, written by a primitive of fixed size.
primFixed :: FixedPrim a -> a -> Builder
primFixed prim x = closed (primBounded (toB prim) x)
{-# NOINLINE primFixed #-}

-- | A value, written by a primitive of bounded size.
primBounded :: BoundedPrim a -> a -> Builder
-- The primitive writes at most its bound, which is reserved.
primBounded prim x = closed (ensure (sizeBound prim) (runB prim x))
{-# NOINLINE primBounded #-}

-- | 'primBounded' of a primitive that is strict in its argument, which is evaluated before the
-- check of the free space.
primStrict :: BoundedPrim a -> a -> Builder
primStrict prim x = ensureAfter (evaluated x) (sizeBound prim) (runB prim x)
{-# INLINE [0] primStrict #-}

{-# RULES
"scalar" [~0] forall format x.
  scalar format x =
    ensureAfter (evaluated x) (scalarSize format) (scalarStep format x)
"primFixed" [2] forall prim x. primFixed prim x = primBounded (toB prim) x
"primBounded" [2] forall prim x.
  primBounded prim x =
    ensure (sizeBound prim) (runB prim x)
"primStrict" [~0] forall prim x.
  primStrict prim x =
    ensureAfter (evaluated x) (sizeBound prim) (runB prim x)
  #-}
