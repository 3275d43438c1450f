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
import Ashlar.Internal.Get.Failure
import Ashlar.Internal.Get.Input
import Ashlar.Internal.Get.Limits
import Ashlar.Internal.Get.Refuse
import Ashlar.Internal.Get.Segments
import Ashlar.Internal.Mem.Cells

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
isolate = isolateOr (\left leftOver -> (\more -> if more then leftOver else MissingInput left 0) <$> moreInput)

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
  limited "isolateAtMost: negative number of bytes" n (\_ -> pure ()) (\_ -> pure ())

-- | 'isolate', given the reason to fail where bytes were not read.
isolateOr ::
  -- | The reason, given how many bytes were not read, and the reason if they are there.
  (Int -> Reason -> Get Reason) ->
  Int ->
  Get a ->
  Get a
isolateOr reason n = limited "isolate: negative number of bytes" n announce $ \left ->
  if left == 0
    then pure ()
    else do
      now <- here
      let message = "isolate: " ++ show left ++ " of " ++ show n ++ " bytes were not read"
      reason left (Invalid message) >>= failWith now now nothingFound
{-# INLINE isolateOr #-}

-- A decoder to which the input ends after n bytes.
limited ::
  -- The message if n is negative.
  String ->
  Int ->
  -- What to do at the beginning, given n, if the input seems to end before that.
  (Int -> Get ()) ->
  -- What to do at the end, given how many of the n bytes were not read.
  (Int -> Get ()) ->
  Get a ->
  Get a
limited negative n atStart atEnd p
  | n < 0 = invalid negative
  | otherwise = do
    at <- here
    limit <- inspect (\c _ _ -> getInt c limitCell)
    -- Compared so that nothing overflows.
    a <-
      if n < limit - at
        then step (\c _ -> setLimit c (at + n)) *> p
        else do
          atStart n
          -- The outer limit stays in force.
          inner <- inspect (\c env _ -> isolated c env limit (streamEnd at n))
          inEnv (const inner) p
    now <- here
    -- (After a failure, the choice that goes back does this.)
    step (\c _ -> setLimit c limit)
    atEnd (n - (now - at))
    pure a
{-# INLINE limited #-}
