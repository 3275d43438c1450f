{-# LANGUAGE MagicHash #-}
{-# LANGUAGE UnboxedTuples #-}
-- The unsafeDupablePerformIO of newThunk must be neither shared nor floated out.
{-# OPTIONS_GHC -fno-cse -fno-full-laziness #-}
-- Coverage would put a new thunk around each mention of a thunk that a handler looks at.
{-# OPTIONS_GHC -fno-hpc #-}

-- |
-- Module      : Ashlar.Internal.Coroutine.Thunk
-- Description : An action as a thunk, which can be frozen
--
-- An asynchronous exception discards the work of an action, but freezes that of a thunk: see
-- Note [Exceptions that are not ours] in "Ashlar.Internal.Coroutine.Exception".
module Ashlar.Internal.Coroutine.Thunk
  ( Thunk (..),
    newThunk,
    newThunkRight,
    frozenStack,
    hasThrown,
  )
where

import Control.Exception (ErrorCall (..), SomeException, evaluate, throwIO, try)
import Data.Maybe (isJust)
import GHC.Exts (Int (I#), Ptr (..), closureSize#, unpackClosure#)
import GHC.Exts.Heap
  ( Box (..),
    Closure,
    GenClosure (..),
    asBox,
    getBoxedClosureData,
  )
import GHC.IO (IO (..), unIO)
import System.IO.Unsafe (unsafeDupablePerformIO, unsafePerformIO)
import Unsafe.Coerce (unsafeCoerce)

-- | A thunk in a box, so that passing it on does not evaluate it.
data Thunk a = Thunk a

-- | Turn an action into a thunk. Only one evaluation may know it, and that evaluation must not
-- run in two threads. Therefore the dupable form is enough.
newThunk :: IO a -> IO (Thunk a)
newThunk io = IO $ \s0 -> case unIO (unevaluated io) s0 of (# s1, x #) -> (# s1, Thunk x #)
{-# INLINE newThunk #-}

-- (Where the box is taken apart at once, it is not built.)
unevaluated :: IO a -> IO a
unevaluated io = pure (unsafeDupablePerformIO io)
{-# NOINLINE unevaluated #-}

-- | @'newThunk' (Right '<$>' io)@, which evaluates no result, without a closure for @Right@.
newThunkRight :: IO a -> IO (Thunk (Either e a))
newThunkRight io = IO $ \s0 -> case unIO (unevaluatedRight io) s0 of
  (# s1, x #) -> (# s1, Thunk x #)
{-# INLINE newThunkRight #-}

unevaluatedRight :: IO a -> IO (Either e a)
unevaluatedRight io = pure (unsafeDupablePerformIO (Right <$> io))
{-# NOINLINE unevaluatedRight #-}

-- Note [What became of a thunk]
-- ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
-- When an exception ends the evaluation of a thunk, GHC overwrites the thunk. After a synchronous
-- exception it is an indirection to a closure that raises the exception again. After an
-- asynchronous one it is an indirection to the frozen stack, or still as it was if its evaluation
-- had not begun. The functions that debuggers use to inspect the heap show which. They are slow,
-- so they run only where a foreign exception has been caught.
--
-- The closure that raises has no constructor of its own in these functions. But it has an info
-- table of its own, which a sample shows.

-- | The frozen stack of a thunk that an asynchronous exception has interrupted. To force it is to
-- resume the thunk.
frozenStack :: Thunk a -> IO (Maybe (Thunk a))
frozenStack (Thunk x) = do
  end <- withoutIndirections (asBox x)
  pure $ case end of
    -- Entering it resumes the thunk that became an indirection to it, so it has its type.
    (Box frozen, Nothing) -> Just (Thunk (unsafeCoerce frozen))
    (Box frozen, Just APStackClosure {}) -> Just (Thunk (unsafeCoerce frozen))
    _ -> Nothing

-- | Has the evaluation of a thunk ended by a synchronous exception? If the heap does not look as
-- expected: no.
hasThrown :: Thunk a -> IO Bool
hasThrown thunk = do
  now <- thunkInfo thunk
  pure (isJust now && now == raiseInfo)
{-# NOINLINE hasThrown #-}

-- The address of the info table of a thunk that is still to be evaluated.
thunkInfo :: Thunk a -> IO (Maybe (Ptr ()))
thunkInfo (Thunk x) = do
  (Box thunk, closure) <- withoutIndirections (asBox x)
  pure $ case closure of
    Just ThunkClosure {} -> case unpackClosure# thunk of (# address, _, _ #) -> Just (Ptr address)
    _ -> Nothing

-- The info table of all thunks that have thrown.
raiseInfo :: Maybe (Ptr ())
raiseInfo = unsafePerformIO $ do
  sample@(Thunk x) <- newThunk (throwIO (ErrorCall "Ashlar.Internal.Coroutine.Thunk: sample"))
  _ <- try (evaluate x) :: IO (Either SomeException ())
  thunkInfo sample
{-# NOINLINE raiseInfo #-}

-- The end of a chain of indirections. Nothing instead of a large closure, which is a frozen stack:
-- the functions that inspect the heap copy the closure, and GHC ends the program if the copy does
-- not fit into a megabyte. (Test "pushed far inside".)
withoutIndirections :: Box -> IO (Box, Maybe Closure)
withoutIndirections box@(Box x)
  | I# (closureSize# x) > 4096 = pure (box, Nothing)
  | otherwise = do
    closure <- getBoxedClosureData box
    case closure of
      BlackholeClosure {indirectee = next} -> withoutIndirections next
      IndClosure {indirectee = next} -> withoutIndirections next
      _ -> pure (box, Just closure)
