{-# LANGUAGE MagicHash #-}
{-# LANGUAGE UnboxedTuples #-}
-- Unfoldings must not be eta-expanded: see Note [Generic methods].
{-# OPTIONS_GHC -fno-do-lambda-eta-expansion #-}

-- |
-- Module      : Ashlar.Codec.Writing
-- Description : Runs of fields of constant size, written with one check
--
-- How the fields of a constructor are written. It is put together while the compiler
-- inlines a derived instance, from the last field to the first, so that nothing is
-- there twice: what is known of the fields behind decides about the one before.
module Ashlar.Codec.Writing
  ( Writing,
    noFields,
    constantBefore,
    variableBefore,
    written,
    writeRun,
  )
where

import Ashlar.Builder.Core
import Ashlar.Codec.Format
import Data.Word (Word8)
import GHC.Exts (Int (I#), Int#, Ptr, RealWorld, State#, (+#), (<=#))
import GHC.IO (IO (..), unIO)
import Foreign.Ptr (plusPtr)

-- | How fields, the last of a constructor, are written: how many bytes the first of them
-- take, up to one of variable size; what writes these so far behind an address; and
-- what writes the rest. (The number is unboxed for the reason given at
-- 'Ashlar.Codec.Layout.Width'.)
data Writing = Writing Int# (Ptr Word8 -> Int# -> State# RealWorld -> (# State# RealWorld, () #)) Builder

-- | None.
noFields :: Writing
noFields = Writing 0# (\_ _ s -> (# s, () #)) empty
{-# INLINE noFields #-}

-- | A field of constant size before others. No more than so many bytes are written with
-- one check.
constantBefore :: Int# -> Fixed a -> a -> Writing -> Writing
constantBefore most f x rest@(Writing n write behind) = case fixedSize f of
  I# width -> case width +# n <=# most of
    1# -> Writing (width +# n) (\p off s -> case field p off s of (# s', _ #) -> write p (off +# width) s') behind
    _ -> Writing width field (written rest)
  where
    field p off = unIO (fixedWrite f (p `plusPtr` I# off) x)
    {-# INLINE field #-}
{-# INLINE constantBefore #-}

-- | A field of variable size before others.
variableBefore :: Builder -> Writing -> Writing
variableBefore field rest = Writing 0# (\_ _ s -> (# s, () #)) (append field (written rest))
{-# INLINE variableBefore #-}

-- | Write the fields.
written :: Writing -> Builder
written (Writing n write behind) = case n of
  0# -> behind
  _ -> append (ensure (I# n) (\p -> IO (\s -> case write p 0# s of (# s', _ #) -> (# s', p `plusPtr` I# n #)))) behind
{-# INLINE written #-}

-- | Write the bytes at the beginning to this address.
writeRun :: Writing -> Ptr Word8 -> IO ()
writeRun (Writing _ write _) p = IO (write p 0#)
{-# INLINE writeRun #-}
