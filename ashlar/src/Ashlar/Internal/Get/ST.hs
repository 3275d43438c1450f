{-# LANGUAGE DerivingStrategies #-}
{-# LANGUAGE GeneralizedNewtypeDeriving #-}
{-# LANGUAGE MagicHash #-}
{-# LANGUAGE RankNTypes #-}
{-# LANGUAGE RoleAnnotations #-}
{-# LANGUAGE TypeFamilies #-}
{-# LANGUAGE UnboxedTuples #-}

-- |
-- Module      : Ashlar.Internal.Get.ST
-- Description : Mutable state inside a decoder
--
-- The type of "Ashlar.Get.ST", and what only the library itself may do with it.
module Ashlar.Internal.Get.ST
  ( GetST,
    runGetST,
    liftGet,
    labelST,
    isolateST,
    lookAheadST,
    deeperST,
    consumeST,
    insideSpanST,
  )
where

import Ashlar.Internal.Get.Budget (deeper, isolate)
import Ashlar.Internal.Get.Choice (lookAhead)
import Ashlar.Internal.Get.Core
import Ashlar.Internal.Get.Fail (insideSpan, label)
import Ashlar.Internal.Get.Path (Names)
import Control.Applicative (Alternative)
import Control.Monad (MonadPlus)
import Control.Monad.Primitive (PrimMonad (..))
import Data.Word (Word8)
import Foreign.Ptr (Ptr)
import GHC.Exts (RealWorld, State#, unsafeCoerce#)
import GHC.IO (IO (..))

-- | A decoder with mutable state that belongs to the thread of state @s@.
--
-- 'Control.Applicative.<|>' goes back in the input, and does /not/ undo what the failed decoder has
-- written.
newtype GetST s a = GetST (Get a)
  deriving newtype (Functor, Applicative, Monad, MonadFail, Alternative, MonadPlus)

-- The state must not be exchanged for another by coercion.
type role GetST nominal representational

instance PrimMonad (GetST s) where
  type PrimState (GetST s) = s

  -- A run of the decoder is one thread of state. State tokens of all types are the same thing, and
  -- the type of this one cannot leave 'runGetST'.
  primitive f = GetST (effect (IO (asRealWorld f)))
  {-# INLINE primitive #-}

asRealWorld :: (State# s -> (# State# s, a #)) -> State# RealWorld -> (# State# RealWorld, a #)
asRealWorld = unsafeCoerce#
{-# INLINE asRealWorld #-}

-- | A decoder that uses mutable state inside. Nothing of the state is visible from outside, because
-- @s@ is not known there.
runGetST :: (forall s. GetST s a) -> Get a
runGetST g = case g of GetST get -> get
{-# INLINE runGetST #-}

-- | Use a decoder without state among those with state.
liftGet :: Get a -> GetST s a
liftGet = GetST
{-# INLINE liftGet #-}

-- A decoder with state must not be turned into one without, which could be run elsewhere. So there
-- is no function that takes any @Get a -> Get b@.

-- | 'Ashlar.Get.label' for a decoder with state.
labelST :: String -> GetST s a -> GetST s a
labelST name (GetST get) = GetST (label name get)
{-# INLINE labelST #-}

-- | 'Ashlar.Get.isolate' for a decoder with state.
isolateST :: Int -> GetST s a -> GetST s a
isolateST n (GetST get) = GetST (isolate n get)
{-# INLINE isolateST #-}

-- | 'Ashlar.Get.lookAhead' for a decoder with state, whose writes stay.
lookAheadST :: GetST s a -> GetST s a
lookAheadST (GetST get) = GetST (lookAhead get)
{-# INLINE lookAheadST #-}

-- | 'Ashlar.Get.deeper' for a decoder with state.
deeperST :: GetST s a -> GetST s a
deeperST (GetST get) = GetST (deeper get)
{-# INLINE deeperST #-}

-- | 'insideSpan' for a decoder with state.
insideSpanST :: Names -> GetST s a -> GetST s a
insideSpanST names (GetST get) = GetST (insideSpan names get)
{-# INLINE insideSpanST #-}

-- | 'consume' with mutable state; it has the same demands.
consumeST :: Int -> (Ptr Word8 -> GetST s a) -> GetST s a
consumeST n rd = GetST (consume n (\p -> case rd p of GetST get -> get))
{-# INLINE consumeST #-}
