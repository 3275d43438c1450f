{-# LANGUAGE MagicHash #-}
-- Unfoldings must not be eta-expanded: see Note [Generic methods].
{-# OPTIONS_GHC -fno-do-lambda-eta-expansion #-}

-- |
-- Module      : Ashlar.Codec.Pending
-- Description : Runs of fields of constant size, written with one check
--
-- What a derived writer carries from field to field, while the compiler inlines it.
module Ashlar.Codec.Pending
  ( Pending,
    nothing,
    written,
    pendingWith,
  )
where

import Ashlar.Builder.Core
import Ashlar.Codec.Format
import Data.Word (Word8)
import Foreign.Ptr (Ptr, plusPtr)
import GHC.Exts (Int (I#), isTrue#, (+#), (<=#), (==#))

-- | Bytes that are still to be written: their number, a constant, and how.
data Pending = Pending !Int (Ptr Word8 -> IO ())

-- | None.
nothing :: Pending
nothing = Pending 0 (\_ -> pure ())
{-# INLINE nothing #-}

-- | Write them now.
written :: Pending -> Builder
written (Pending n@(I# n#) write)
  | isTrue# (n# ==# 0#) = empty
  | otherwise = ensure n (\p -> (p `plusPtr` n) <$ write p)
{-# INLINE written #-}

-- | One more value; together no more than the rules would merge.
pendingWith :: Pending -> Fixed a -> a -> (Pending -> Builder) -> Builder
pendingWith pending@(Pending n@(I# n#) write) f x k = case fixedSize f of
  I# size#
    | isTrue# (n# +# size# <=# 256#) ->
        k (Pending (n + fixedSize f) (\p -> write p >> fixedWrite f (p `plusPtr` n) x))
    | otherwise -> append (written pending) (k (Pending (fixedSize f) (\p -> fixedWrite f p x)))
{-# INLINE pendingWith #-}
