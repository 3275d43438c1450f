-- |
-- Module      : Ashlar.Internal.Compat.CerealArrival
-- Description : How much input has arrived, as cereal's decoders can see it
--
-- In @cereal@ the results of @remaining@ and similar decoders depend on how much input has arrived,
-- or was announced. Ours must not depend on that (INV-G2), so this is for @Ashlar.Compat@ alone.
--
-- The context of a decoder holds the announced number of bytes. Finding it takes time proportional
-- to the number of labels around.
module Ashlar.Internal.Compat.CerealArrival
  ( announcing,
    heldOr,
    heldHere,
    ensured,
  )
where

import Ashlar.Internal.Get.Bytes (available, slice)
import Ashlar.Internal.Get.Core
import Ashlar.Internal.Get.Env
import Ashlar.Internal.Get.Path (Context (..), innermost)
import Ashlar.Internal.Get.Record (unread)
import Ashlar.Internal.Mem.Cells
import Data.ByteString (ByteString)
import qualified Data.ByteString as S

-- | Run a decoder on input that is fed.
announcing ::
  -- | The number of bytes announced for all of the input, or -1 if it is not known.
  Int ->
  Get a ->
  Get a
announcing n = inEnv (inContext (Announced n))

-- | The number of bytes that are left of the announced ones, or of those that have arrived.
heldOr ::
  -- | The answer where arrival makes no difference: inside an @isolate@, and in a run whose whole
  -- input is in memory.
  Get Int ->
  Get Int
heldOr p = do
  limit <- inspect (\c _ _ -> getInt c limitCell)
  known <- inspect (\_ env _ -> pure (innermost announced (envContext env)))
  case known of
    Just total
      | limit == maxBound -> if total < 0 then heldHere else here >>= \at -> pure $! total - at
    _ -> p
  where
    announced (Announced n _) = Just n
    announced _ = Nothing

-- | The number of bytes that have arrived and not been read, up to the end of the innermost
-- @isolate@.
heldHere :: Get Int
heldHere = step $ \c env -> do
  at <- position c
  limit <- getInt c limitCell
  chunks <- unread c (envInput env)
  -- Forced, because the chunks must not be kept.
  pure $! min (limit - at) (sum (map S.length chunks))

-- | Demand n bytes, and return what is unread up to the end of the chunk. It remains unread.
ensured :: Int -> Get ByteString
ensured n = do
  need (max 0 n)
  p <- cursor
  bs <- available >>= slice
  -- The slice is from the current segment.
  bs <$ moveTo p
