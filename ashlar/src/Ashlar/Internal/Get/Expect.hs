-- |
-- Module      : Ashlar.Internal.Get.Expect
-- Description : Failing because the bytes are not those that were expected
--
-- Each function here fails at the cursor, having looked at some bytes. How many must
-- not depend on how the input is cut (INV-G2).
module Ashlar.Internal.Get.Expect
  ( unexpected,
    expected,
    missing,
  )
where

import Ashlar.Internal.Get.Core
import Ashlar.Internal.Get.Env
import Ashlar.Internal.Get.Error
import Ashlar.Internal.Get.Input
import Ashlar.Internal.Mem.Cells

-- | Fail at the cursor, where the decoder has looked at so many bytes, and does not
-- want them.
unexpected :: Int -> Get a
unexpected n =
  together n >>= \m -> step $ \c env -> do
    p <- getPtr c cursorCell
    failAt c env p m Unexpected
{-# NOINLINE unexpected #-}

-- | 'unexpected', with a name for what should stand there.
expected :: String -> Int -> Get a
expected name n = together n >>= \m -> failExpecting name m Unexpected
{-# NOINLINE expected #-}

-- | Fail at the cursor, where so many bytes were needed and so many are left.
missing :: Int -> Int -> Get a
missing needed left =
  together left >>= \m -> step $ \c env -> do
    p <- getPtr c cursorCell
    failAt c env p m (MissingInput needed left)
{-# NOINLINE missing #-}

-- Bring so many bytes that are there, but no more than an error shows, into one
-- segment: they may have been looked at in several. Returns their number.
together :: Int -> Get Int
together n = step $ \c env -> m <$ lookAt c env m
  where
    m = min 16 n
