{-# LANGUAGE MagicHash #-}
{-# LANGUAGE UnboxedTuples #-}
-- Unfoldings must not be eta-expanded: see Note [Generic methods].
{-# OPTIONS_GHC -fno-do-lambda-eta-expansion #-}

-- |
-- Module      : Ashlar.Internal.Codec.WriteFields
-- Description : Spans of fields of constant size, written with one check
--
-- The compiler assembles the writer of a constructor while it inlines a derived instance. It goes
-- from the last field to the first: what it knows of the fields after a field decides about that
-- field, so no code is there twice.
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

-- | How the last fields of a constructor are written:
--
-- * The bytes of the first span: all fields before the first one of variable size. They do not
--   depend on the value, so the compiler sees where the checks are.
--   'Ashlar.Internal.Codec.Layout.Width' says why the number is unboxed.
-- * A function that writes the span in front of an address.
-- * The writer of the rest.
data Writing s rest
  = Writing Int# (s -> Ptr Word8 -> State# RealWorld -> (# State# RealWorld, () #)) (s -> rest)

-- | The writer of the rest: a builder, or nothing if all fields have constant size.
--
-- Tried and dropped: an unused builder instead of nothing. GHC 9.6.6 replaces an unused argument by
-- a placeholder. If the argument is a function that returns a state, as builders are, it panics
-- ("expectOnly: cgLit"). Derived instances of types with parameters met this.
class Rest rest where
  noRest :: rest

  -- | Write n bytes with a function, before the rest.
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

-- | No fields.
noFields :: Rest rest => Writing s rest
noFields = Writing 0# (\_ _ s -> (# s, () #)) (\_ -> noRest)
{-# INLINE noFields #-}

-- | A field of constant size before others.
constantBefore ::
  Rest rest =>
  -- | The most bytes written with one check.
  Int# ->
  Fixed a ->
  (s -> a) ->
  Writing s rest ->
  Writing s rest
constantBefore most f field rest@(Writing n write after) = case fixedSize f of
  I# width -> case width +# n <=# most of
    1# ->
      Writing
        (width +# n)
        (\x end s -> case this x n end s of (# s', _ #) -> write x end s')
        after
    _ -> Writing width (\x end s -> this x 0# end s) (\x -> written rest x)
  where
    this x following end = case fixedSize f of
      I# width -> unIO (fixedWrite f (end `plusPtr` I# (negateInt# (width +# following))) (field x))
    {-# INLINE this #-}
{-# INLINE constantBefore #-}

-- | A field of variable size before others.
variableBefore :: Rest rest => (s -> Builder) -> Writing s rest -> Writing s rest
variableBefore field rest =
  Writing 0# (\_ _ s -> (# s, () #)) (\x -> before (field x) (written rest x))
{-# INLINE variableBefore #-}

-- | Write the fields.
written :: Rest rest => Writing s rest -> s -> rest
written (Writing n write after) = \x -> case n of
  0# -> after x
  _ ->
    spanOf
      (I# n)
      ( \p ->
          let end = p `plusPtr` I# n
           in IO (\s -> case write x end s of (# s', _ #) -> (# s', end #))
      )
      (after x)
{-# INLINE written #-}

-- | Write the first span to an address.
writeSpan :: Writing s () -> s -> Ptr Word8 -> IO ()
writeSpan (Writing n write _) x p = IO (write x (p `plusPtr` I# n))
{-# INLINE writeSpan #-}

-- | 'putFixed' without copies of its code, for large formats.
putShared :: Fixed a -> a -> Builder
putShared f x = ensureShared (fixedSize f) (\p -> (p `plusPtr` fixedSize f) <$ fixedWrite f p x)
{-# INLINE putShared #-}
