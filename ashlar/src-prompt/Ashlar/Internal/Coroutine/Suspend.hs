{-# LANGUAGE MagicHash #-}
{-# LANGUAGE UnboxedTuples #-}

-- |
-- Module      : Ashlar.Internal.Coroutine.Suspend
-- Description : A computation that can be suspended in the middle (GHC 9.6 on)
--
-- A computation in 'IO' that suspends itself to hand out a value, and later resumes with an
-- answer. There are two implementations. This one uses the delimited continuations of GHC 9.6 and
-- later. The other, in @src-freeze@, is for older versions.
--
-- Note [Delimited continuations]
-- ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
-- @control0#@ captures the stack up to the prompt. It cannot cross a frame that updates a thunk
-- or runs a transaction, so no such frame may lie between 'suspend' and the prompt. None does: a
-- builder or decoder calls 'suspend' from its own code, which runs directly under 'start' or a
-- resumption. These two may be called from anywhere, even from a thunk that is forced inside
-- @atomically@ or @mask@ (tests "in odd places" of the group "lazy output").
--
-- A continuation does not copy the mutable state that it refers to. So it must not be resumed
-- twice, although GHC would allow it.
module Ashlar.Internal.Coroutine.Suspend (start) where

import Ashlar.Internal.Coroutine.Thunk (Step (..))
import GHC.Exts
  ( PromptTag#,
    RealWorld,
    State#,
    control0#,
    lazy,
    newByteArray#,
    prompt#,
    unsafeCoerce#,
  )
import GHC.IO (IO (..), unIO)

-- | Run a computation until it first suspends, or to its end.
--
-- An exception of the computation surfaces in 'start', or in the resumption that reaches it.
start ::
  -- | The computation. Its argument suspends it. Only the computation itself may call that
  -- function, and not from a thunk.
  ((o -> IO i) -> IO r) ->
  IO (Step o i r)
start body = IO $ \s0 -> case newTag s0 of
  (# s1, tag #) -> delimited tag (Ended <$> body (suspend tag)) s1

-- Note [Tags of two words]
-- ~~~~~~~~~~~~~~~~~~~~~~~~
-- @newPromptTag#@ allocates an object of one word. The compacting collector needs two words: it
-- marks the second word of an object that moves to the next block. After an object of one word,
-- this mark hits the following object, which corrupts the heap. (Seen on 9.10.3. The
-- debugging runtime says @ASSERTION FAILED: file rts/sm/Compact.c, line 901@.) That collector
-- runs with @+RTS -c@, and also with @-M@ once 30% of the limit is in use. Tags are only
-- compared by address, so any other object serves as one.
newTag :: State# RealWorld -> (# State# RealWorld, PromptTag# a #)
newTag s0 = case newByteArray# 8# s0 of
  (# s1, array #) -> (# s1, unsafeCoerce# array #)

-- Note [Delimited continuations].
suspend :: PromptTag# (Step o i r) -> o -> IO i
suspend tag o = IO $
  control0# tag $ \continue s ->
    -- The captured stack took the prompt with it. Resuming puts it back.
    (# s, Yielded o (\i -> IO (delimited tag (IO (continue (unIO (pure i)))))) #)

-- Note [A prompt around something that never ends]
-- ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
-- GHC takes @prompt#@ to be strict in its action. If it sees that the action never returns (an
-- infinite builder, or one that throws), it concludes that the prompt does not return either, and
-- drops the code after it. But the prompt does return when the action suspends, and the program
-- then continued in unrelated code. (Seen on 9.6.6 at -O2: the length of a lazy ByteString was an
-- address.) So 'lazy' hides the action from the analysis. The tests "an exception surfaces where it
-- is reached" and "an infinite builder" cover this.
delimited :: PromptTag# a -> IO a -> State# RealWorld -> (# State# RealWorld, a #)
delimited tag act = prompt# tag (unIO (lazy act))
