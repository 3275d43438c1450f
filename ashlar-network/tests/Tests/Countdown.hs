{-# LANGUAGE DerivingStrategies #-}
-- A gigabyte of it would take a minute.
{-# OPTIONS_GHC -O1 #-}

-- |
-- Module      : Tests.Countdown
-- Description : A message of any size that takes no memory
module Tests.Countdown (Countdown (..), large) where

import Ashlar.Builder (word64LE)
import Ashlar.Codec
import Ashlar.Get (skip)
import Ashlar.Network.Messages

-- | A value of many bytes that is made while it is sent.
newtype Countdown = Countdown Int
  deriving stock (Eq, Show)

instance Codec Countdown

instance HasFormat Countdown where
  format = byHand 8 sizeOf putDown getDown
    where
      sizeOf (Countdown n) = 8 + 8 * n
      putDown (Countdown n) = word64LE (fromIntegral n) <> go n
      go :: Int -> Builder
      go 0 = mempty
      go n = word64LE (fromIntegral n) <> go (n - 1)
      getDown = do
        n <- get
        Countdown n <$ skip (8 * n)

large :: RecordType Countdown
large = fixedType "large"
