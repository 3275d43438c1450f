-- |
-- Module      : Ashlar.Get.Mismatch
-- Description : Failing because the bytes are not those that were expected
--
-- Each function here fails at the cursor or before it, having looked at some
-- bytes. How many must not depend on how the input is cut (INV-G2).
module Ashlar.Get.Mismatch
  ( unexpected,
    expected,
    missing,
    invalidSince,
  )
where

import Ashlar.Get.Core
import Ashlar.Get.Env
import Ashlar.Get.Error

-- | Fail at the cursor, where so many bytes lie before the end that the decoder
-- has looked at and does not want.
unexpected :: Int -> Get a
unexpected _ = invalid "unexpected input"
{-# NOINLINE unexpected #-}

-- | 'unexpected', with a name for what should stand there.
expected :: String -> Int -> Get a
expected name _ = invalid ("expected " ++ name)
{-# NOINLINE expected #-}

-- | Fail at the cursor, where so many bytes were needed and so many are left.
missing :: Int -> Int -> Get a
missing needed left = failHere (MissingInput needed left)
{-# NOINLINE missing #-}

-- | Fail with a message about what was read from this offset on.
invalidSince :: Int -> String -> Get a
invalidSince at message = step (\_ env -> failWith env at (Invalid message))
{-# NOINLINE invalidSince #-}
