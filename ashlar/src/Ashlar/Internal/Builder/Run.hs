-- |
-- Module      : Ashlar.Internal.Builder.Run
-- Description : Running a builder with a sink
module Ashlar.Internal.Builder.Run
  ( runBuilderWith,
    runBuilderSaving,
  )
where

import Ashlar.Internal.Builder.Core
import Ashlar.Internal.Coroutine.Exception (rethrow, tryThunk)
import Ashlar.Internal.Coroutine.Thunk
import Ashlar.Internal.Mem.Cells
import Control.Exception (IOException, catch)
import Data.Word (Word8)
import Foreign.Ptr (Ptr)

-- | Run a builder, beginning in the given free space. Returns the address after the last byte
-- written into the free space that was open at the end.
--
-- The memory of each free space must stay alive until the sink is asked for the next. The last must
-- stay alive until this action has returned.
runBuilderWith ::
  -- | Asked for more free space, and for all else that the builder needs.
  Sink ->
  -- | Where the builder begins.
  FreeSpace ->
  Builder ->
  IO (Ptr Word8)
runBuilderWith k (FreeSpace from to) b = withCells (cellsUpTo endCell) $ \c -> do
  putPtr c cursorCell from
  putPtr c endCell to
  runOn b c k
  getPtr c cursorCell
{-# INLINE runBuilderWith #-}

-- | 'runBuilderWith', with an action to perform if a value in the builder throws. Its argument is
-- the address up to which the open buffer has been written. If the action fails too, the value's
-- exception is thrown.
--
-- The builder runs as a thunk. So an asynchronous exception is told from one of a value, and if
-- this run is part of a pure value, it can be resumed (Note [Exceptions that are not ours]).
runBuilderSaving :: (Ptr Word8 -> IO ()) -> Sink -> FreeSpace -> Builder -> IO (Ptr Word8)
runBuilderSaving save k (FreeSpace from to) b = withCells (cellsUpTo endCell) $ \c -> do
  putPtr c cursorCell from
  putPtr c endCell to
  outcome <- newThunk (runOn b c k) >>= tryThunk
  case outcome of
    Right () -> getPtr c cursorCell
    Left e -> ((getPtr c cursorCell >>= save) `catch` lessUrgent) >> rethrow e
  where
    lessUrgent :: IOException -> IO ()
    lessUrgent _ = pure ()
