-- |
-- Module      : Ashlar.Internal.Compat.CerealArrival
-- Description : How much input has arrived, as cereal's decoders can see it
--
-- In @cereal@ the meaning of @remaining@ and its like depends on how much input has arrived, or was
-- announced. Ours must not depend on that (INV-G2), so this is for "Ashlar.Compat" alone.
--
-- The context holds what was announced. Finding it takes time proportional to the number of labels
-- around.
module Ashlar.Internal.Compat.CerealArrival
  ( announcing,
    heldOr,
    heldHere,
    ensured,
  )
where

import Ashlar.Internal.Get.Core
import Ashlar.Internal.Get.Env
import Ashlar.Internal.Get.Numbers (available, slice)
import Ashlar.Internal.Get.Path (Context (..), innermost)
import Ashlar.Internal.Get.Record (unread)
import Ashlar.Internal.Mem.Cells
import Data.ByteString (ByteString)
import qualified Data.ByteString as S

-- | Run a decoder on input that is fed.
announcing ::
  -- | How many bytes are announced in all, or -1.
  Int ->
  Get a ->
  Get a
announcing n = inEnv (inContext (Announced n))

-- | How many bytes are left as far as they have arrived, or were announced.
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

-- | How many bytes have arrived and not been read, up to the end of the innermost @isolate@.
heldHere :: Get Int
heldHere = step $ \c env -> do
  at <- position c
  limit <- getInt c limitCell
  chunks <- unread c (envInput env)
  -- Forced, because the chunks must not be kept.
  pure $! min (limit - at) (sum (map S.length chunks))

-- | At least n bytes, which are not read: those up to the end of the chunk.
ensured :: Int -> Get ByteString
ensured n = do
  need (max 0 n)
  p <- cursor
  bs <- available >>= slice
  -- The slice is from the open segment.
  bs <$ moveTo p
