{-# LANGUAGE MagicHash #-}
{-# LANGUAGE UnboxedTuples #-}

-- |
-- Module      : Ashlar.Internal.Coroutine
-- Description : A computation that can be suspended in the middle (GHC 9.6 on)
--
-- A computation in 'IO' that stops to hand out a value, and goes on when it is
-- told to. Two implementations have this interface; this one uses the
-- delimited continuations that GHC has from version 9.6 on, and the other, in
-- @src-freeze@, is for the versions before.
--
-- Note [Delimited continuations]
-- ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
-- @control0#@ captures the stack up to the prompt, so nothing of the user's
-- may lie in between: it cannot cross the frames that update a thunk or run a
-- transaction. Nothing does: 'suspend' is called from within the steps of a
-- builder or decoder, which are run directly under 'start' and 'resume'. Both
-- may themselves be called from anywhere, also from a thunk that is forced
-- inside @atomically@ or @mask@ (tests "in odd places" of the group "lazy output").
--
-- The continuation does not copy the mutable state it points to, so it must
-- not be resumed twice, although GHC would allow it.
module Ashlar.Internal.Coroutine
  ( Status (..),
    start,
    suspendsByFreezing,
    shortened,
  )
where

import Ashlar.Internal.Coroutine.Status
import Ashlar.Internal.Coroutine.Thunk
import GHC.Exts (PromptTag#, RealWorld, State#, control0#, lazy, newByteArray#, prompt#, unsafeCoerce#)
import GHC.IO (IO (..), unIO)

-- | Whether a computation suspends by an exception that its own handlers see. It
-- does not here; but nothing may be evaluated as a thunk between 'start' and
-- where it suspends.
suspendsByFreezing :: Bool
suspendsByFreezing = False

-- | A thunk that has been frozen once more than so often, in a form that does not get slower
-- to enter with each time. Nothing needs to be done here: only foreign exceptions freeze a
-- thunk.
shortened :: Int -> Thunk r -> IO (Thunk r)
shortened _ = pure

-- | Run a computation up to its first suspension, or its end. The function
-- that it is given suspends it; it may be called only by the computation
-- itself, and not from a thunk.
--
-- An exception of the computation is an exception of 'start' or of the
-- resumption during which it was thrown.
start :: ((o -> IO i) -> IO r) -> IO (Status o i r)
start body = IO $ \s0 -> case newTag s0 of
  (# s1, tag #) -> delimited tag (Completed <$> body (suspend tag)) s1

-- Note [Tags of two words]
-- ~~~~~~~~~~~~~~~~~~~~~~~~
-- @newPromptTag#@ allocates an object of one word. The compacting collector needs two: it
-- marks the second word of an object that goes to the next block, and with one
-- word, that is the mark of the object behind. The heap is corrupted (seen on 9.10.3; the
-- debugging runtime says @ASSERTION FAILED: file rts/sm/Compact.c, line 901@). That collector is not
-- only at work with @+RTS -c@, but also with @-M@, as soon as 30 % of the limit
-- are in use. Tags are but compared by address, so any other object will do.
newTag :: State# RealWorld -> (# State# RealWorld, PromptTag# a #)
newTag s0 = case newByteArray# 8# s0 of
  (# s1, array #) -> (# s1, unsafeCoerce# array #)

suspend :: PromptTag# (Status o i r) -> o -> IO i
suspend tag o = IO $
  control0# tag $ \continue s ->
    -- The prompt is gone with the captured stack, and is put back on resuming.
    (# s, Suspended o (\i -> IO (delimited tag (IO (continue (unIO (pure i)))))) #)

-- Note [A prompt around something that never ends]
-- ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
-- GHC takes @prompt#@ to be strict in its action: if it sees that the action never
-- ends normally (an infinite builder, or one that throws), it concludes that the
-- prompt does not return either, and drops the code behind it. But the prompt does
-- return when the action suspends, and then the program ran into whatever lay
-- there (seen on 9.6.6 at -O2: the length of a lazy ByteString was an address).
-- 'lazy' hides the action from the analysis. (Tests "an exception surfaces where
-- it is reached" and "an infinite builder".)
delimited :: PromptTag# a -> IO a -> State# RealWorld -> (# State# RealWorld, a #)
delimited tag act = prompt# tag (unIO (lazy act))
