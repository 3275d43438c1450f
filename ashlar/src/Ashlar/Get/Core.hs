{-# LANGUAGE MagicHash #-}
{-# LANGUAGE UnboxedTuples #-}

-- |
-- Module      : Ashlar.Get.Core
-- Description : The type of decoders, sequencing, and making sure of input
--
-- A decoder is an action that moves a cursor through the input. Where it needs
-- more bytes than there are, it asks for them in the middle of the action; the
-- code that follows does not know. A failure is an exception that never leaves
-- a run, so the path on which all is well tests nothing.
--
-- Note [Direct style]
-- ~~~~~~~~~~~~~~~~~~~
-- Two other designs were tried (GHC 9.0.2; a vector of 10,000 records of three
-- fields takes 49 µs in this style). A result that is either a value or an
-- error, with code that joins again after asking for input, boxes every field:
-- 98 µs and twice the memory, unless the code after the check is kept out of
-- line, and then sums of numbers suffer. A loop back to the check is peeled
-- and copied by the compiler. (Allocation test "decode: 40 bytes for each element".)
module Ashlar.Get.Core
  ( Get (..),
    step,
    need,
    consume,
    consumeShared,
    failHere,
    failExpecting,
    invalid,
    invalidAt,
    invalidFrom,
  )
where

import Ashlar.Get.Env
import Ashlar.Get.Error
import Ashlar.Get.Failure
import Ashlar.Get.Input
import Ashlar.Get.Place
import Ashlar.Mem.Cells
import Control.Monad (ap)
import Data.Word (Word8)
import Foreign.Ptr (minusPtr, plusPtr)
import GHC.Exts (Ptr (Ptr), RealWorld, State#)
import GHC.IO (unIO)

-- | A decoder of values of type @a@.
--
-- A decoder may be run any number of times. 'fmap' and '<*>' do not force the
-- values they work on.
--
-- There is no way to perform 'IO' in a decoder, by intention: a run of it is
-- a pure function of its input. For mutable state there is "Ashlar.Get.ST".
newtype Get a = Get {unGet :: Cells -> Env -> State# RealWorld -> (# State# RealWorld, a #)}

-- | A decoder from an action on the cells and the environment. The action must
-- keep INV-G1 to INV-G3 and have no other effect.
step :: (Cells -> Env -> IO a) -> Get a
step f = Get (\c env -> unIO (f c env))
{-# INLINE step #-}

instance Functor Get where
  fmap f (Get g) = Get $ \c env s -> case g c env s of (# s', a #) -> (# s', f a #)
  {-# INLINE fmap #-}
  a <$ Get g = Get $ \c env s -> case g c env s of (# s', _ #) -> (# s', a #)
  {-# INLINE (<$) #-}

instance Applicative Get where
  pure a = Get (\_ _ s -> (# s, a #))
  {-# INLINE pure #-}
  (<*>) = ap
  {-# INLINE (<*>) #-}
  Get f *> Get g = Get $ \c env s -> case f c env s of (# s', _ #) -> g c env s'
  {-# INLINE (*>) #-}

instance Monad Get where
  Get f >>= k = Get $ \c env s -> case f c env s of (# s', a #) -> unGet (k a) c env s'
  {-# INLINE (>>=) #-}
  (>>) = (*>)
  {-# INLINE (>>) #-}

instance MonadFail Get where
  fail = invalid
  {-# INLINE fail #-}

instance Semigroup a => Semigroup (Get a) where
  a <> b = (<>) <$> a <*> b
  {-# INLINE (<>) #-}

instance Monoid a => Monoid (Get a) where
  mempty = pure mempty
  {-# INLINE mempty #-}

-- | Make sure that so many bytes (not negative) lie between cursor and end.
--
-- Everything but the comparison is one call out of line.
--
-- Returns the address of the first of them.
need :: Cells -> Env -> Int -> IO (Ptr Word8)
need c env n = do
  p <- getPtr c cursorCell
  e <- getPtr c endCell
  if e `minusPtr` p >= n then pure p else demand c env n >> getPtr c cursorCell
{-# INLINE need #-}

-- | Read so many bytes (not negative): the function is given the address of
-- the first of them, and must not read beyond the last. The cursor stands
-- before them while it runs, and behind them afterwards.
consume :: Int -> (Ptr Word8 -> Get a) -> Get a
consume n rd = Get $ \c env s0 -> case unIO (need c env n) s0 of
  (# s1, p #) -> case unGet (rd p) c env s1 of
    (# s2, a #) -> case unIO (putPtr c cursorCell (p `plusPtr` n)) s2 of
      (# s3, _ #) -> (# s3, a #)
{-# INLINE consume #-}

-- | 'consume' for what is read with more code, or is a product.
--
-- Note [One copy behind the check]
-- ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
-- Both branches of a check go on with the reading. The compiler copies that if
-- it is small, and puts only what comes after it into a join point, which takes
-- the value that was read. This is the best for a number, which is passed
-- unboxed: a sum of 10,000 takes 6.9 µs. A product would be boxed. Here the
-- reading itself is the join point, and all that follows becomes part of it;
-- a sum would take 10.9 µs so (GHC 9.0.2). The inspection tests see to it that
-- no product is left in derived instances.
consumeShared :: Int -> (Ptr Word8 -> Get a) -> Get a
consumeShared n rd = Get $ \c env s0 ->
  let read# a s1 = case unGet (rd (Ptr a)) c env s1 of
        (# s2, x #) -> case unIO (putPtr c cursorCell (Ptr a `plusPtr` n)) s2 of
          (# s3, _ #) -> (# s3, x #)
      {-# NOINLINE read# #-}
   in case unIO (getPtr c cursorCell) s0 of
        (# s1, p@(Ptr a) #) -> case unIO (getPtr c endCell) s1 of
          (# s2, e #)
            | e `minusPtr` p >= n -> read# a s2
            | otherwise -> case unIO (demand c env n >> getPtr c cursorCell) s2 of
                (# s3, Ptr a' #) -> read# a' s3
{-# INLINE consumeShared #-}

-- | Fail at the cursor, having looked at none of the bytes there.
failHere :: Reason -> Get a
failHere reason = step $ \c env -> do
  p <- getPtr c cursorCell
  failAt c env p 0 reason

-- | Fail at the cursor, where so many bytes lie before the end that the decoder has
-- looked at (which must not depend on how the input is cut), for something else
-- with this name was expected.
failExpecting :: String -> Int -> Reason -> Get a
failExpecting name n reason = step $ \c env -> do
  p <- getPtr c cursorCell
  at <- position c
  failAt c env {envContext = Expecting name at (envContext env)} p n reason
{-# NOINLINE failExpecting #-}

-- | Fail at the cursor with a message.
invalid :: String -> Get a
invalid message = failHere (Invalid message)
{-# NOINLINE invalid #-}

-- | Fail at an address that 'consume' gave, or behind it, with a message about so
-- many bytes there, all of them among those that 'consume' was asked for.
invalidAt :: Ptr Word8 -> Int -> String -> Get a
invalidAt p n message = step (\c env -> failAt c env p n (Invalid message))
{-# NOINLINE invalidAt #-}

-- | Fail with a message about what was read from this offset on.
invalidFrom :: Int -> String -> Get a
invalidFrom at message = step $ \c env -> do
  reach <- position c
  failWith c env reach at nothingFound (Invalid message)
{-# NOINLINE invalidFrom #-}
