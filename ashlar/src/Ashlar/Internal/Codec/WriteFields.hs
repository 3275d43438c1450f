{-# LANGUAGE MagicHash #-}
{-# LANGUAGE UnboxedTuples #-}
-- Unfoldings must not be eta-expanded: see Note [Generic methods].
{-# OPTIONS_GHC -fno-do-lambda-eta-expansion #-}

-- |
-- Module      : Ashlar.Internal.Codec.WriteFields
-- Description : Spans of fields of constant size, written with one check
--
-- How the fields of a constructor are written. It is put together while the compiler
-- inlines a derived instance, from the last field to the first, so that nothing is
-- there twice: what is known of the fields behind decides about the one before.
module Ashlar.Internal.Codec.WriteFields
  ( Writing,
    Rest,
    noFields,
    constantBefore,
    variableBefore,
    written,
    putShared,
    writeSpan,
  )
where

import Ashlar.Internal.Builder.Core
import Ashlar.Internal.Codec.Fixed
import Data.Word (Word8)
import Foreign.Ptr (plusPtr)
import GHC.Exts (Int (I#), Int#, Ptr, RealWorld, State#, negateInt#, (+#), (<=#))
import GHC.IO (IO (..), unIO)

-- | How fields of a constructor, the last of them, are written, given the constructor: how
-- many bytes the first of them take, up to one of variable size; what writes these in
-- front of an address; and what writes the rest. The sizes do not depend on the value, so
-- nothing has to be known of it to see where the checks are. (The number is unboxed for the
-- reason given at 'Ashlar.Internal.Codec.Layout.Width'.)
data Writing s rest = Writing Int# (s -> Ptr Word8 -> State# RealWorld -> (# State# RealWorld, () #)) (s -> rest)

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
  spanOf :: Int -> (Ptr Word8 -> IO (Ptr Word8)) -> rest -> rest

  before :: Builder -> rest -> rest

instance Rest Builder where
  noRest = empty
  {-# INLINE noRest #-}
  spanOf n write rest = append (ensureShared n write) rest
  {-# INLINE spanOf #-}
  before b rest = append b rest
  {-# INLINE before #-}

instance Rest () where
  noRest = ()
  {-# INLINE noRest #-}
  spanOf _ _ _ = ()
  {-# INLINE spanOf #-}
  before _ _ = ()
  {-# INLINE before #-}

-- | None.
noFields :: Rest rest => Writing s rest
noFields = Writing 0# (\_ _ s -> (# s, () #)) (\_ -> noRest)
{-# INLINE noFields #-}

-- | A field of constant size before others. No more than so many bytes are written with
-- one check.
constantBefore :: Rest rest => Int# -> Fixed a -> (s -> a) -> Writing s rest -> Writing s rest
constantBefore most f field rest@(Writing n write behind) = case fixedSize f of
  I# width -> case width +# n <=# most of
    1# -> Writing (width +# n) (\x end s -> case this x n end s of (# s', _ #) -> write x end s') behind
    _ -> Writing width (\x end s -> this x 0# end s) (\x -> written rest x)
  where
    this x following end = case fixedSize f of
      I# width -> unIO (fixedWrite f (end `plusPtr` I# (negateInt# (width +# following))) (field x))
    {-# INLINE this #-}
{-# INLINE constantBefore #-}

-- | A field of variable size before others.
variableBefore :: Rest rest => (s -> Builder) -> Writing s rest -> Writing s rest
variableBefore field rest = Writing 0# (\_ _ s -> (# s, () #)) (\x -> before (field x) (written rest x))
{-# INLINE variableBefore #-}

-- | Write the fields.
written :: Rest rest => Writing s rest -> s -> rest
written (Writing n write behind) = \x -> case n of
  0# -> behind x
  _ -> spanOf (I# n) (\p -> let end = p `plusPtr` I# n in IO (\s -> case write x end s of (# s', _ #) -> (# s', end #))) (behind x)
{-# INLINE written #-}

-- | Write the bytes at the beginning to this address.
writeSpan :: Writing s () -> s -> Ptr Word8 -> IO ()
writeSpan (Writing n write _) x p = IO (write x (p `plusPtr` I# n))
{-# INLINE writeSpan #-}

-- | Write a value in a format that is large: 'putFixed' without copies.
putShared :: Fixed a -> a -> Builder
putShared f x = ensureShared (fixedSize f) (\p -> (p `plusPtr` fixedSize f) <$ fixedWrite f p x)
{-# INLINE putShared #-}
