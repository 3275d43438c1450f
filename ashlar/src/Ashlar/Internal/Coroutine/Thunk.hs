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
    frozenStack,
    hasThrown,
  )
where

import Control.Exception (ErrorCall (..), SomeException, evaluate, throwIO, try)
import Data.IORef (atomicModifyIORef', newIORef)
import Data.Maybe (isJust)
import Foreign.Ptr (minusPtr, plusPtr)
import GHC.Exts
  ( Addr#,
    Any,
    Int (I#),
    Ptr (..),
    RealWorld,
    State#,
    addr2Int#,
    addrToAny#,
    andI#,
    anyToAddr#,
    closureSize#,
    eqAddr#,
    int2Addr#,
    notI#,
    readAddrOffAddr#,
    unpackClosure#,
  )
import GHC.Exts.Heap (Box (..), ClosureType (..), StgInfoTable (..), asBox, peekItbl)
import GHC.Exts.Heap.Constants (tAG_MASK)
import GHC.IO (IO (..), unIO)
import System.IO.Unsafe (unsafeDupablePerformIO, unsafePerformIO)
import Unsafe.Coerce (unsafeCoerce)

-- | A thunk in a box, so that passing it on does not evaluate it.
data Thunk a = Thunk a

-- | Turn an action into a thunk. Only one evaluation may use the thunk, and that must not run in
-- two threads. So the dupable form is enough.
newThunk :: IO a -> IO (Thunk a)
newThunk io = IO $ \s0 -> case unIO (unevaluated io) s0 of (# s1, x #) -> (# s1, Thunk x #)
{-# INLINE newThunk #-}

-- (Where the box is taken apart at once, it is not built.)
unevaluated :: IO a -> IO a
unevaluated io = pure (unsafeDupablePerformIO io)
{-# NOINLINE unevaluated #-}

-- Note [What became of a thunk]
-- ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
-- When an exception ends the evaluation of a thunk, GHC overwrites the thunk. After a synchronous
-- exception it is an indirection to a closure that raises the exception again. After an
-- asynchronous one it is an indirection to the frozen stack, or unchanged if its evaluation had not
-- begun. The info tables show which. They are read only after a foreign exception has been caught,
-- or to shorten a long chain of indirections.
--
-- The closure that raises has the type of an ordinary thunk, but an info table of its own, whose
-- address is found by a sample.
--
-- The functions that debuggers use to inspect the heap are not used, because they print to stderr
-- if they do not know a closure, and end the program if it is larger than a megabyte, as a frozen
-- stack may be. And an indirection can lead to any closure: if two thunks end together, GHC makes
-- one an indirection to the other, and that one leads to the thread that evaluates it, or to a
-- queue of the threads that wait for it. So the functions here read only info tables and the
-- targets of indirections. (Tests "what a thunk leads to" and "pushed far inside".)

-- | The frozen stack of a thunk that an asynchronous exception has interrupted. Forcing the stack
-- resumes the thunk.
frozenStack :: Thunk a -> IO (Maybe (Thunk a))
frozenStack (Thunk x) = do
  End (Box end) _ kind <- withoutIndirections (asBox x)
  pure $ case kind of
    -- The thunk has become an indirection to the stack, so the stack has the type of the thunk.
    AP_STACK -> Just (Thunk (unsafeCoerce end))
    _ -> Nothing

-- | Has a synchronous exception ended the evaluation of a thunk? 'False' if the heap does not look
-- as expected.
hasThrown :: Thunk a -> IO Bool
hasThrown thunk = do
  now <- thunkInfo thunk
  pure (isJust now && now == raiseInfo)
{-# NOINLINE hasThrown #-}

-- The address of the info table of a thunk, if it has not become something else.
thunkInfo :: Thunk a -> IO (Maybe (Ptr ()))
thunkInfo (Thunk x) = do
  End _ info kind <- withoutIndirections (asBox x)
  pure (if kind >= THUNK && kind <= THUNK_STATIC then Just info else Nothing)

-- The info table of the closures that raise: Note [What became of a thunk].
raiseInfo :: Maybe (Ptr ())
raiseInfo = unsafePerformIO $ do
  sample@(Thunk x) <- newThunk (throwIO (ErrorCall "Ashlar.Internal.Coroutine.Thunk: sample"))
  _ <- try (evaluate x) :: IO (Either SomeException ())
  thunkInfo sample
{-# NOINLINE raiseInfo #-}

-- The end of a chain of indirections: a closure, the address of its info table, and its type.
data End = End !Box !(Ptr ()) !ClosureType

withoutIndirections :: Box -> IO End
withoutIndirections box = do
  info <- infoOf box
  kind <- tipe <$> peekItbl (info `plusPtr` tableOffset)
  if kind == BLACKHOLE || kind == IND || kind == IND_STATIC
    then barrier >> target info box >>= withoutIndirections
    else pure (End box info kind)

-- The address in the first word of a closure.
infoOf :: Box -> IO (Ptr ())
infoOf (Box x) = IO $ \s0 -> case infoOf# x s0 of (# s1, info #) -> (# s1, Ptr info #)

-- Nothing is allocated between asking for the address of a closure and reading there, here and in
-- 'target#'. So the garbage collector does not run, and the closure does not move.
infoOf# :: Any -> State# RealWorld -> (# State# RealWorld, Addr# #)
infoOf# x s0 = case anyToAddr# x s0 of
  (# s1, tagged #) -> readAddrOffAddr# (untagged tagged) 0# s1
{-# NOINLINE infoOf# #-}

-- The target of an indirection, given its info table. If the garbage collector has meanwhile
-- removed the indirection, its own argument.
target :: Ptr () -> Box -> IO Box
target (Ptr info) (Box x) = IO $ \s0 -> case target# info headerWords x s0 of
  (# s1, y #) -> (# s1, Box y #)

target# :: Addr# -> Int -> Any -> State# RealWorld -> (# State# RealWorld, Any #)
target# info (I# payload) x s0 = case anyToAddr# x s0 of
  (# s1, tagged #) -> case untagged tagged of
    a -> case readAddrOffAddr# a 0# s1 of
      (# s2, now #) -> case eqAddr# now info of
        1# -> case readAddrOffAddr# a payload s2 of
          (# s3, to #) -> case addrToAny# to of (# y #) -> (# s3, y #)
        _ -> (# s2, x #)
{-# NOINLINE target# #-}

untagged :: Addr# -> Addr#
untagged a = case tAG_MASK of I# mask -> int2Addr# (addr2Int# a `andI#` notI# mask)
{-# INLINE untagged #-}

-- A memory barrier. A thread that makes an indirection writes its target before its info table.
-- Here they are read in the opposite order, which only x86 guarantees without a barrier.
barrier :: IO ()
barrier = newIORef () >>= \ref -> atomicModifyIORef' ref (\() -> ((), ()))
{-# NOINLINE barrier #-}

-- The words before the target of an indirection: more than one in a profiled program.
headerWords :: Int
headerWords = case Just () of sample -> I# (closureSize# sample) - 1
{-# NOINLINE headerWords #-}

-- The address of a closure's info table minus the address in the closure's first word. It is not 0
-- if GHC has put the table before the code.
tableOffset :: Int
tableOffset = unsafePerformIO $ do
  let sample = Just ()
  info <- infoOf (asBox sample)
  pure $! case unpackClosure# sample of (# table, _, _ #) -> Ptr table `minusPtr` info
{-# NOINLINE tableOffset #-}
