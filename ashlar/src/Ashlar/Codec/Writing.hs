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
    Rest,
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
data Writing rest = Writing Int# (Ptr Word8 -> Int# -> State# RealWorld -> (# State# RealWorld, () #)) rest

-- | What writes the rest: a builder, or nothing, where all of the fields have a constant
-- size.
--
-- (Also tried: to leave out of account a builder that is not needed. Where an argument is
-- not needed, GHC 9.6.6 puts rubbish in its place, and if that is a function whose result
-- is a state, as builders are, it panics: "expectOnly: cgLit". Derived instances of
-- types with parameters met this.)
class Rest rest where
  noRest :: rest
  -- | Bytes of this number, by this function, in front of others.
  run :: Int -> (Ptr Word8 -> IO (Ptr Word8)) -> rest -> rest
  field :: Builder -> rest -> rest

instance Rest Builder where
  noRest = empty
  {-# INLINE noRest #-}
  run n write rest = append (ensure n write) rest
  {-# INLINE run #-}
  field b rest = append b rest
  {-# INLINE field #-}

instance Rest () where
  noRest = ()
  {-# INLINE noRest #-}
  run _ _ _ = ()
  {-# INLINE run #-}
  field _ _ = ()
  {-# INLINE field #-}

-- | None.
noFields :: Rest rest => Writing rest
noFields = Writing 0# (\_ _ s -> (# s, () #)) noRest
{-# INLINE noFields #-}

-- | A field of constant size before others. No more than so many bytes are written with
-- one check.
constantBefore :: Rest rest => Int# -> Fixed a -> a -> Writing rest -> Writing rest
constantBefore most f x rest@(Writing n write behind) = case fixedSize f of
  I# width -> case width +# n <=# most of
    1# -> Writing (width +# n) (\p off s -> case this p off s of (# s', _ #) -> write p (off +# width) s') behind
    _ -> Writing width this (written rest)
  where
    this p off = unIO (fixedWrite f (p `plusPtr` I# off) x)
    {-# INLINE this #-}
{-# INLINE constantBefore #-}

-- | A field of variable size before others.
variableBefore :: Rest rest => Builder -> Writing rest -> Writing rest
variableBefore b rest = Writing 0# (\_ _ s -> (# s, () #)) (field b (written rest))
{-# INLINE variableBefore #-}

-- | Write the fields.
written :: Rest rest => Writing rest -> rest
written (Writing n write behind) = case n of
  0# -> behind
  _ -> run (I# n) (\p -> IO (\s -> case write p 0# s of (# s', _ #) -> (# s', p `plusPtr` I# n #))) behind
{-# INLINE written #-}

-- | Write the bytes at the beginning to this address.
writeRun :: Writing () -> Ptr Word8 -> IO ()
writeRun (Writing _ write _) p = IO (write p 0#)
{-# INLINE writeRun #-}
