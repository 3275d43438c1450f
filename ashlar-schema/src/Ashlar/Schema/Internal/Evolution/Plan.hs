-- |
-- Module      : Ashlar.Schema.Internal.Evolution.Plan
-- Description : Decoders of old data
module Ashlar.Schema.Internal.Evolution.Plan
  ( planned,
    programBetween,
    translating,
    Unknown (..),
  )
where

import Ashlar.Codec (Get)
import Ashlar.Internal.Get.Core (step)
import Ashlar.Schema.Internal.Describe (Description (..))
import Ashlar.Schema.Internal.Evolution.Compile
import Ashlar.Schema.Internal.Evolution.Inner
import Ashlar.Schema.Internal.Evolution.Match
import Ashlar.Schema.Internal.Evolution.Mismatch
import Ashlar.Schema.Internal.Evolution.Op
import Ashlar.Schema.Internal.Fingerprint
import Ashlar.Schema.Internal.Schema
import Data.ByteString (ByteString)

-- | A decoder of values of an old schema, given today's description and decoder.
planned :: Unknown -> Description -> Get a -> Schema -> Either Mismatch (Get a)
planned unknown new today old = maybe today decoding <$> programBetween unknown old new
  where
    decoding p = let translate = compiled p in step (\c env -> translated translate today c env)
{-# NOINLINE planned #-}

-- | What turns old bytes into new ones. 'Nothing' if the bytes are the same, and today's decoder
-- refuses all that is to be refused.
programBetween :: Unknown -> Schema -> Description -> Either Mismatch (Maybe Program)
programBetween unknown old new
  | schemaFingerprint old == schemaFingerprint (descriptionSchema new) = Right Nothing
  | otherwise = do
    p <- program unknown old new
    if isIdentity p
      then Right Nothing
      else maybe (Right (Just p)) Left (unreadable p)

-- | The new bytes of a value.
translating :: Program -> Get ByteString
translating p = let translate = compiled p in step (\c env -> translatedBytes translate c env)
