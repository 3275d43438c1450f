{-# LANGUAGE MagicHash #-}
{-# LANGUAGE UnboxedTuples #-}
-- The unsafeDupablePerformIO of newThunk must be neither shared nor floated out.
{-# OPTIONS_GHC -fno-cse -fno-full-laziness #-}
-- No coverage: it wraps each mention of a variable in a new thunk, and 'hasThrown' would look at
-- that one.
{-# OPTIONS_GHC -fno-hpc #-}

-- |
-- Module      : Ashlar.Internal.Coroutine.Thunk
-- Description : An action as a thunk, which can be frozen; passing on foreign exceptions
--
-- An asynchronous exception discards the work of an action, but freezes that of a thunk.
--
-- Note [Exceptions that are not ours]
-- ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
-- The handlers around suspended computations, and around builders with a user's sink, also catch
-- foreign exceptions. They must not rethrow a foreign asynchronous exception, such as a timeout, as
-- a synchronous one: a thunk under evaluation would keep the timeout as its value for good.
-- Instead, the handler throws it to its own thread. So it stays asynchronous and freezes the thunk.
-- When the thunk is forced again, the work resumes after the throw.
--
-- A handler is not told how an exception was thrown. The type of the exception does not say it:
-- 'throwTo' takes any exception, and users throw types of their own. So the code in such a handler
-- is evaluated as a thunk. A synchronous exception becomes the value of the thunk, an asynchronous
-- one does not ('hasThrown').
--
-- (Decoders have no handlers: Note [A failure is a value] in "Ashlar.Internal.Get.Type".)
--
-- One limit: 'Control.Exception.bracket' and its like rethrow every exception synchronously. So a
-- pure value that runs one of them in 'System.IO.Unsafe.unsafePerformIO' keeps the exception
-- ('Ashlar.Builder.writeFile', 'Ashlar.Get.runGetFile'). GHC's own library does the same.
--
-- Tried and dropped: deciding by the type alone. Pure values then kept asynchronous exceptions of
-- types that are usually synchronous.
--
-- Note [Thrown outside of the handler]
-- ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
-- A handler runs with asynchronous exceptions masked. If it rethrows a synchronous exception, an
-- outer 'catch' restores the masking state. But @catchSTM@ does not (GHC 9.0.2): a thread that
-- caught a value's exception there stayed masked for good. So our handlers return such an
-- exception, and it is thrown after they have returned.
--
-- For the same reason, nothing inside a run may catch and rethrow
-- ('Control.Exception.try', 'Control.Exception.finally').
--
-- The tests "catchSTM sees an exception of a value", "an interrupted decode can be forced
-- again" and those of the groups "the masking state" and "exceptions that are not ours" cover both
-- notes.
module Ashlar.Internal.Coroutine.Thunk
  ( -- * Thunks
    Thunk (..),
    newThunk,
    frozenStack,
    hasThrown,

    -- * Foreign exceptions
    passOn,
    tryThunk,
    throwOn,
    throwHere,
    rethrow,
    Step (..),
  )
where

import Control.Exception
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
    killThread#,
    myThreadId#,
    notI#,
    raiseIO#,
    readAddrOffAddr#,
    unpackClosure#,
  )
import GHC.Exts.Heap (Box (..), ClosureType (..), StgInfoTable (..), asBox, peekItbl)
import GHC.Exts.Heap.Constants (tAG_MASK)
import GHC.IO (IO (..), noDuplicate, unIO)
import System.IO.Unsafe (unsafeDupablePerformIO, unsafePerformIO)
import Unsafe.Coerce (unsafeCoerce)

-- | A thunk in a box, so that passing it on does not evaluate it.
data Thunk a = Thunk a

-- | Turn an action into a thunk. Only one evaluation may use the thunk, in one thread. So
-- 'unsafeDupablePerformIO' is enough.
newThunk :: IO a -> IO (Thunk a)
newThunk io = IO $ \s0 -> case unIO (unevaluated io) s0 of (# s1, x #) -> (# s1, Thunk x #)
{-# INLINE newThunk #-}

-- (Apart from 'newThunk', which is inlined: a caller that takes the 'Thunk' apart builds no box.)
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
untagged a = case tAG_MASK of I# tag -> int2Addr# (addr2Int# a `andI#` notI# tag)
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

-- | Handle a foreign exception that ended the evaluation of a thunk. An asynchronous one is thrown
-- again at once.
passOn ::
  -- | The thunk. The handler must enclose its whole evaluation.
  Thunk r ->
  -- | The exception.
  SomeException ->
  -- | For a synchronous exception: make sure that it is thrown after the handler has returned
  -- (Note [Thrown outside of the handler]).
  IO a ->
  -- | For an asynchronous exception: what to do when the evaluation that it froze is resumed.
  IO a ->
  IO a
passOn thunk e synchronous again = do
  thrown <- hasThrown thunk
  if thrown then synchronous else throwOn e again

-- | Evaluate a thunk, or return the synchronous exception that it throws. An asynchronous one is
-- thrown again. If the evaluation that it froze is resumed, so is the thunk.
tryThunk :: Thunk a -> IO (Either SomeException a)
tryThunk thunk@(Thunk x) = do
  outcome <-
    (Just . Right <$> evaluate x)
      `catch` \e -> passOn thunk e (pure (Just (Left e))) (pure Nothing)
  maybe (tryThunk thunk) pure outcome

-- | Throw an exception as an asynchronous one.
throwOn ::
  SomeException ->
  -- | What to do when the evaluation that it froze is resumed.
  IO a ->
  IO a
-- Two threads may resume the evaluation at the same time. Only one of them may go on.
throwOn e again = throwHere e >> noDuplicate >> again

-- | Throw an asynchronous exception to the thread that runs this, and return when the
-- evaluation that it froze is forced again.
--
-- This asks for the thread, and then throws. A foreign exception between these two steps could
-- freeze the evaluation there, and another thread that resumes it would then throw to this one. So
-- both steps run with exceptions masked.
throwHere :: SomeException -> IO ()
throwHere e = mask_ $
  IO $ \s0 -> case myThreadId# s0 of
    (# s1, me #) -> (# killThread# me e s1, () #)

-- | Throw an exception that was caught, unchanged. (From GHC 9.10 on, 'throwIO' would add another
-- backtrace.)
rethrow :: SomeException -> IO a
rethrow e = IO (raiseIO# e)

-- Suspended computations, for "Ashlar.Internal.Coroutine". Each GHC compiles one of two modules
-- "Ashlar.Internal.Coroutine.Suspend", so what they share is here.

-- | What a computation that can be suspended has come to.
data Step o i r
  = -- | It is suspended. It hands out a value, and resumes when it is given one. It must be resumed
    -- at most once.
    Yielded o (i -> IO (Step o i r))
  | -- | It has returned its result.
    Ended r
