{-# LANGUAGE MultiWayIf #-}

-- |
-- Module      : Ashlar.Internal.Compat.CerealArrival
-- Description : How much input has arrived, as cereal's decoders can see it
--
-- In @cereal@ the results of @remaining@ and similar decoders depend on how much input has arrived,
-- or was announced. Ours must not depend on that (INV-G2), so this is for @Ashlar.Compat@ alone.
module Ashlar.Internal.Compat.CerealArrival
  ( announcing,
    heldOr,
    unchecked,
    ensured,
  )
where

import Ashlar.Internal.Get.Bytes (available, slice)
import Ashlar.Internal.Get.Core
import Ashlar.Internal.Get.Env
import Ashlar.Internal.Get.Input (heldAhead)
import Ashlar.Internal.Mem.Cells
import Data.ByteString (ByteString)

-- | Run a decoder on input that is fed.
announcing ::
  -- | The number of bytes announced for all of the input, or -1 if it is not known.
  Int ->
  Get a ->
  Get a
announcing n = inEnv (inMarks (\m -> m {markAnnounced = n}))

-- | The number of bytes that are left of the announced ones, or of those that have arrived.
heldOr ::
  -- | The answer where arrival makes no difference: inside an @isolate@, and in a run whose whole
  -- input is in memory.
  Get Int ->
  Get Int
heldOr p = do
  limit <- inspect (\c _ _ -> getInt c limitCell)
  total <- inspect (\_ env _ -> pure $! markAnnounced (envMarks env))
  if
      | limit /= maxBound || total == notFed -> p
      | total < 0 -> heldAhead
      | otherwise -> here >>= \at -> pure $! total - at

-- | At most n of the bytes that are there: those that have arrived, and, as cereal's @isolate@ has
-- demanded them, all up to the end of an @isolate@.
unchecked :: Int -> Get Int
unchecked n = do
  limit <- inspect (\c _ _ -> getInt c limitCell)
  if limit == maxBound
    then min n <$> heldAhead
    else here >>= \at -> pure $! min n (limit - at)

-- | Demand n bytes, and return what is unread up to the end of the chunk. It remains unread.
ensured :: Int -> Get ByteString
ensured n = do
  need (max 0 n)
  p <- cursor
  bs <- available >>= slice
  -- The slice is from the current segment.
  bs <$ moveTo p
