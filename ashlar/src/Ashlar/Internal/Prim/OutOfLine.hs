{-# LANGUAGE MagicHash #-}
{-# LANGUAGE UnboxedTuples #-}

-- |
-- Module      : Ashlar.Internal.Prim.OutOfLine
-- Description : Write functions that are called, not inlined
--
-- Writing a number as text takes dozens of instructions. User code should call them, not contain
-- them. But a function that returns a pointer in 'IO' allocates a box for it, unless GHC inlines
-- the function. So the types here are unboxed.
module Ashlar.Internal.Prim.OutOfLine
  ( Write#,
    write#,
    callWrite,
  )
where

import Data.Word (Word8)
import GHC.Exts (Addr#, Ptr (Ptr), RealWorld, State#)
import GHC.IO (IO (..))

-- | Write a value at an address, and return the address after it.
type Write# a = a -> Addr# -> State# RealWorld -> (# State# RealWorld, Addr# #)

-- Both functions are unfolded with their first argument alone. So a definition by write# has all
-- three parameters, and callWrite passes all three arguments.

-- | Defines a function that is marked NOINLINE.
write# :: (a -> Ptr Word8 -> IO (Ptr Word8)) -> Write# a
write# f = \x p s -> case f x (Ptr p) of IO m -> case m s of (# s', Ptr q #) -> (# s', q #)
{-# INLINE write# #-}

-- | Calls a function that 'write#' defines.
callWrite :: Write# a -> a -> Ptr Word8 -> IO (Ptr Word8)
callWrite f = \x (Ptr p) -> IO (\s -> case f x p s of (# s', q #) -> (# s', Ptr q #))
{-# INLINE callWrite #-}
