{-# LANGUAGE AllowAmbiguousTypes #-}
{-# LANGUAGE DerivingStrategies #-}
{-# LANGUAGE ScopedTypeVariables #-}
{-# LANGUAGE TypeApplications #-}

-- |
-- Module      : Ashlar.Schema.Evolution
-- Description : Reading data of older versions of a type
module Ashlar.Schema.Evolution
  ( -- * Reading old data
    plan,
    planSkipping,
    Mismatch (..),
    Misfit (..),
    describeMismatch,

    -- * Old bytes to new bytes
    translation,

    -- * Checking that types stay compatible
    compatible,
    Direction (..),
  )
where

import Ashlar.Codec (Get, get)
import Ashlar.Internal.Get.Core (step)
import Ashlar.Schema.Internal.Describe
import Ashlar.Schema.Internal.Evolution.Compile
import Ashlar.Schema.Internal.Evolution.Inner
import Ashlar.Schema.Internal.Evolution.Match
import Ashlar.Schema.Internal.Evolution.Mismatch
import Ashlar.Schema.Internal.Evolution.Op
import Ashlar.Schema.Internal.Fingerprint
import Ashlar.Schema.Internal.Schema
import Data.ByteString (ByteString)
import qualified Data.Vector as V

plan :: forall a. Described a => Schema -> Either Mismatch (Get a)
plan old = planned RefuseUnknown (described @a) get old
{-# INLINE plan #-}

planSkipping :: forall a. Described a => Schema -> Either Mismatch (Get a)
planSkipping old = planned SkipUnknown (described @a) get old
{-# INLINE planSkipping #-}

planned :: Unknown -> Description -> Get a -> Schema -> Either Mismatch (Get a)
planned unknown new today old = do
  p <- programBetween unknown old new
  pure $ case p of
    Nothing -> today
    Just changes -> let r = compiled changes in step (\c env -> translated r today c env)
{-# NOINLINE planned #-}

-- 'Nothing' if nothing changes.
programBetween :: Unknown -> Schema -> Description -> Either Mismatch (Maybe Program)
programBetween unknown old new
  | schemaFingerprint old == schemaFingerprint (descriptionSchema new) = Right Nothing
  | otherwise = do
    p <- program unknown old new
    if isIdentity p
      then Right Nothing
      else maybe (Right (Just p)) Left (unreadable p)

translation :: forall a. Described a => Schema -> Either Mismatch (Maybe (Get ByteString))
translation old = do
  p <- programBetween RefuseUnknown old (described @a)
  pure (fmap (\changes -> let r = compiled changes in step (\c env -> translatedBytes r c env)) p)

data Direction
  = Backward
  | Forward
  | Full
  deriving stock (Eq, Show, Enum, Bounded)

compatible :: forall a. Described a => Direction -> Schema -> Either Mismatch ()
compatible direction old = case direction of
  Backward -> backward
  Forward -> forward
  Full -> backward >> forward
  where
    new = described @a
    backward = () <$ programBetween RefuseUnknown old new
    forward = () <$ programBetween SkipFields (descriptionSchema new) (Description old (V.map (const []) (schemaDefinitions old)))
