-- |
-- Module      : Ashlar.Internal.Compat.Remaining
-- Description : What decoders of binary and cereal can see, and ours cannot
--
-- Both libraries have decoders whose meaning depends on more than the input and the
-- place in it: on where an isolated part began (binary's offsets count from there), and
-- on how much has arrived, or was announced (cereal's @remaining@).
-- Ours must not depend on the latter (INV-G2), so this is for "Ashlar.Compat" alone.
--
-- Note [What a run knows]
-- ~~~~~~~~~~~~~~~~~~~~~~~
-- It stands in the context, which has what is around a decoder, and is scoped as that is:
-- going back out of an isolated part needs no care. To look for it takes time in
-- proportion to the labels around.
module Ashlar.Internal.Compat.Remaining
  ( -- * Offsets, as in binary
    isolateCounting,
    bytesCounted,
    restLength,

    -- * What has arrived, as in cereal
    announcing,
    heldOr,
    heldHere,
    ensured,
  )
where

import Ashlar.Internal.Get.Bytes (slice)
import Ashlar.Internal.Get.Core
import Ashlar.Internal.Get.Env
import Ashlar.Internal.Get.Input
import Ashlar.Internal.Get.Label (isolateOr)
import Ashlar.Internal.Get.LookAhead (lookAhead)
import Ashlar.Internal.Get.Path (Context (..))
import Ashlar.Internal.Mem.Cells
import Data.ByteString (ByteString)
import qualified Data.ByteString as S
import Data.Int (Int64)
import Foreign.Ptr (minusPtr)

within :: Context -> Get a -> Get a
within context (Get p) = Get (\c env -> p c env {envContext = context})

-- | 'Ashlar.Get.isolate', for which 'bytesCounted' begins at 0. Bytes that it does not read
-- are not called missing, whether they are there or not: to know that, it would have to
-- ask for more input than binary's.
isolateCounting :: Int -> Get a -> Get a
isolateCounting n p = isolateOr (\_ _ _ leftOver -> pure leftOver) n $ do
  (at, context) <- step (\c env -> (\at -> (at, envContext env)) <$> position c)
  within (CountedFrom at context) p

-- | Bytes read since the innermost 'isolateCounting' began.
bytesCounted :: Get Int64
bytesCounted = step $ \c env -> position c >>= \at -> pure $! fromIntegral (at - start (envContext env))
  where
    start context = case context of
      Top -> 0
      Labelled _ outer -> start outer
      Expecting _ _ outer -> start outer
      Inside _ _ outer -> start outer
      InsideSpan _ outer -> start outer
      CountedFrom at _ -> at
      Announced _ outer -> start outer

-- | How many bytes are left to the end of the input, or of the innermost @isolate@.
-- All of them are asked for, and kept.
restLength :: Get Int
restLength = lookAhead $
  step $ \c env -> do
    from <- position c
    let go = do
          getPtr c endCell >>= putPtr c cursorCell
          more <- moreInput c (envInput env)
          if more then go else position c >>= \at -> pure $! at - from
    go

-- | Run a decoder on input that is fed, of which so many bytes are announced in all (-1: it
-- is not known how many).
announcing :: Int -> Get a -> Get a
announcing n p = step (\_ env -> pure (Announced n (envContext env))) >>= \context -> within context p

-- | How many bytes are left as far as they have arrived, or were announced. What is given
-- counts where that makes no difference: inside an @isolate@, and in a run whose input is
-- there as a whole.
heldOr :: Get Int -> Get Int
heldOr p = do
  limit <- step (\c _ -> getInt c limitCell)
  known <- step (\_ env -> pure (announcement (envContext env)))
  case known of
    Just total
      | limit == maxBound -> if total < 0 then heldHere else step (\c _ -> position c >>= \at -> pure $! total - at)
    _ -> p
  where
    announcement context = case context of
      Top -> Nothing
      Labelled _ outer -> announcement outer
      Expecting _ _ outer -> announcement outer
      Inside _ _ outer -> announcement outer
      InsideSpan _ outer -> announcement outer
      CountedFrom _ outer -> announcement outer
      Announced n _ -> Just n

-- | How many bytes have arrived and not been read, up to the end of the innermost @isolate@.
heldHere :: Get Int
heldHere = step $ \c env -> do
  at <- position c
  limit <- getInt c limitCell
  chunks <- unread c (envInput env)
  -- Forced, because the chunks must not be kept.
  pure $! min (limit - at) (sum (map S.length chunks))

-- | At least so many bytes, which are not read: those up to the end of the chunk.
ensured :: Int -> Get ByteString
ensured n = step $ \c env -> do
  p <- need c env (max 0 n)
  e <- getPtr c endCell
  bs <- slice c env (e `minusPtr` p)
  -- The slice is from the open segment.
  bs <$ putPtr c cursorCell p
