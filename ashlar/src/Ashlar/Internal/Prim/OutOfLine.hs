{-# LANGUAGE MagicHash #-}
{-# LANGUAGE UnboxedTuples #-}

-- |
-- Module      : Ashlar.Internal.Prim.OutOfLine
-- Description : Write halves that are called and not inlined
--
-- The write half of a number as text is some dozens of instructions. A user's code
-- should call it and not contain it. But a function that returns a pointer in 'IO'
-- allocates a box for it when it is called (GHC sees through the box only where it
-- inlines), so the functions that are called are made of unboxed types here.
module Ashlar.Internal.Prim.OutOfLine
  ( Write#,
    write#,
    callWrite,
  )
where

import Data.Word (Word8)
import GHC.Exts (Addr#, Ptr (Ptr), RealWorld, State#)
import GHC.IO (IO (..))

-- | Write a value at an address, and return the address behind it.
type Write# a = a -> Addr# -> State# RealWorld -> (# State# RealWorld, Addr# #)

-- Both are unfolded with their first argument alone, so that a definition has all
-- three parameters of its own, and a call all three arguments.

-- | For the definition of a function that is marked NOINLINE.
write# :: (a -> Ptr Word8 -> IO (Ptr Word8)) -> Write# a
write# f = \x p s -> case f x (Ptr p) of IO m -> case m s of (# s', Ptr q #) -> (# s', q #)
{-# INLINE write# #-}

-- | For its calls.
callWrite :: Write# a -> a -> Ptr Word8 -> IO (Ptr Word8)
callWrite f = \x (Ptr p) -> IO (\s -> case f x p s of (# s', q #) -> (# s', Ptr q #))
{-# INLINE callWrite #-}
