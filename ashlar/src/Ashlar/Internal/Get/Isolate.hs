{-# LANGUAGE UnboxedTuples #-}

-- |
-- Module      : Ashlar.Internal.Get.Isolate
-- Description : Decoders to which the input ends early
module Ashlar.Internal.Get.Isolate
  ( isolate,
    isolateAtMost,
    isolateOr,
  )
where

import Ashlar.Internal.Get.Core
import Ashlar.Internal.Get.Env
import Ashlar.Internal.Get.Error
import Ashlar.Internal.Get.Fail
import Ashlar.Internal.Get.Failure
import Ashlar.Internal.Get.Input
import Ashlar.Internal.Get.Limits
import Ashlar.Internal.Get.Refuse
import Ashlar.Internal.Get.Segments
import Ashlar.Internal.Mem.Cells
import GHC.IO (unIO)

-- | @isolate n p@ runs @p@ on the next @n@ bytes alone: to @p@ the input ends there. Fails if @p@
-- does, if @n@ is negative, or if @p@ leaves bytes over. Where the input ends before them, they are
-- missing.
--
-- >>> runGet (isolate 2 getWord16le) "abc"
-- Right 25185
-- >>> either (print . errorReason) print (runGet (isolate 2 getWord8) "abc")
-- Invalid "isolate: 1 of 2 bytes were not read"
--
-- @since 0.1.0.0
isolate :: Int -> Get a -> Get a
isolate = isolateOr $ \c env left leftOver -> do
  more <- moreInput c env
  pure $! if more then leftOver else MissingInput left 0

-- | @isolateAtMost n p@ runs @p@ with at most the next @n@ bytes: to @p@ the input ends after them.
-- What @p@ leaves over comes next. Fails if @p@ does, or if @n@ is negative.
--
-- This bounds what @p@ may read, whatever lengths the input announces. The value that it makes of
-- the bytes may take more memory than they do.
--
-- >>> runGetRest (isolateAtMost 3 (getWord8 *> getWord8)) "abcd"
-- Right (98,"cd")
-- >>> either (print . errorReason) print (runGet (isolateAtMost 3 getWord32be) "abcd")
-- MissingInput 4 3
--
-- @since 0.1.0.0
isolateAtMost :: Int -> Get a -> Get a
isolateAtMost n =
  limited "isolateAtMost: negative number of bytes" n (\_ _ _ -> pure ()) (\_ _ _ -> pure ())

-- | 'isolate', given the reason to fail where bytes were not read.
isolateOr ::
  -- | The reason, given how many bytes were not read, and the reason if they are there.
  (Cells -> Env -> Int -> Reason -> IO Reason) ->
  Int ->
  Get a ->
  Get a
isolateOr reason n = limited "isolate: negative number of bytes" n announce $ \c env left ->
  if left == 0
    then pure ()
    else do
      now <- position c
      let message = "isolate: " ++ show left ++ " of " ++ show n ++ " bytes were not read"
      why <- reason c env left (Invalid message)
      failWith c env now now nothingFound why
{-# INLINE isolateOr #-}

-- A decoder to which the input ends after n bytes.
limited ::
  -- The message if n is negative.
  String ->
  Int ->
  -- What to do at the beginning, given n, if the input seems to end before that.
  (Cells -> Env -> Int -> IO ()) ->
  -- What to do at the end, given how many of the n bytes were not read.
  (Cells -> Env -> Int -> IO ()) ->
  Get a ->
  Get a
limited negative n atStart atEnd (Get p)
  | n < 0 = invalid negative
  | otherwise = Get $ \c env s0 -> case unIO (enter c env) s0 of
    (# s1, Entered at limit inner #) -> case p c inner s1 of
      (# s2, a #) -> case unIO (leave c env at limit) s2 of (# s3, _ #) -> (# s3, a #)
  where
    enter c env = do
      at <- position c
      limit <- getInt c limitCell
      -- Compared so that nothing overflows.
      if n < limit - at
        then Entered at limit env <$ setLimit c (at + n)
        else do
          atStart c env n
          -- The outer limit stays in force.
          Entered at limit <$> isolated c env limit (streamEnd at n)
    leave c env at limit = do
      now <- position c
      setLimit c limit
      atEnd c env (n - (now - at))
{-# INLINE limited #-}

-- The offset and the limit where it began, and the environment inside.
data Entered = Entered !Int !Int !Env
