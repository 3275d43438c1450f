{-# LANGUAGE Trustworthy #-}

-- |
-- Module      : Ashlar.Get.Feed
-- Description : Input that is pushed: decoders that are fed
--
-- For programs that receive input when it arrives and not when the decoder asks for it, such as
-- event loops. The decoder suspends when it needs more, and resumes with the next chunk. It
-- suspends only if it cannot go on, and ends as soon as it can.
--
-- A stream of values is a 'Values'. Each chunk gives the values that it completes:
--
-- >>> import Ashlar.Get.Feed
-- >>> let (as, s1) = runGetValues getWord16be `feedValues` "\0\1\0\2\0"
-- >>> let (bs, s2) = s1 `feedValues` "\3\0\4"
-- >>> (as, bs)
-- ([1,2],[3,4])
-- >>> case feedValuesEnd s2 of (_, ValuesDone at) -> print at; _ -> putStrLn "not done"
-- 8
--
-- A single value is a 'Feed', in 'IO':
--
-- >>> :{
-- newFeed getWord32be >>= \f0 -> feed f0 "\0\0" >>= \f1 -> feed f1 "\1\2\3" >>= \f2 -> case f2 of
--   FeedDone rest _ w -> print (w, rest)
--   _ -> putStrLn "not done"
-- :}
-- (258,"\ETX")
--
-- Suspending copies the decoder's stack, and resuming copies it back. So each takes time
-- proportional to how deeply the decoder is nested at that point. Before GHC 9.6, levels inside an
-- alternative cost many times as much as others. A budget limits how many levels may be suspended
-- in all ('Ashlar.Get.budgetSteps'), so that untrusted input costs less than a second. Values
-- nested more deeply than some tens of levels should be fed in larger chunks (all that a socket
-- returned, not single lines), or get a larger budget ('Ashlar.Get.withBudget').
--
-- Memory is constant, however long the stream. A 'Values' keeps the bytes of the value that has
-- begun, and so can be used any number of times. A 'Feed' keeps nothing that the decoder does not
-- need itself. In return, each state can be resumed only once. The pure 'Ashlar.Get.Decoder' of a
-- single value can be resumed any number of times, and keeps all of its input.
--
-- Do not interrupt a decoder under GHC's non-moving collector, nor under the compacting one of GHC
-- 9.0: see the known gaps in @docs/safety.md@.
module Ashlar.Get.Feed
  ( -- * Many values
    Values (..),
    runGetValues,
    feedValues,
    feedValuesEnd,

    -- ** Pulled in any monad
    pullValues,
    foldValues,

    -- * One value
    Feed (..),
    newFeed,
    feed,
    feedEndOfInput,
  )
where

import Ashlar.Internal.Get.Core (Get)
import Ashlar.Internal.Get.Decoder
import Ashlar.Internal.Get.Error
import Ashlar.Internal.Get.Limits (streamBytes)
import Ashlar.Internal.Get.Values
import Control.Exception (throwIO)
import Control.Monad (when)
import Data.ByteString (ByteString)
import qualified Data.ByteString as S
import Data.IORef (atomicModifyIORef', newIORef)
import Data.Int (Int64)

-- | A decoder that is being fed.
data Feed a
  = -- | It has failed: the input that it has not read, the offset of that input, and the error.
    FeedFail !ByteString !Int64 DecodeError
  | -- | It needs the next chunk. 'Nothing' means the end of the input, and an empty chunk changes
    -- nothing. Use it once: a second use throws an 'Control.Exception.IOException'.
    --
    -- If an exception ends it, thrown by a value in the decoder or asynchronously, the decoder is
    -- lost.
    FeedPartial (Maybe ByteString -> IO (Feed a))
  | -- | It has ended: the input that it has not read, the offset of that input, and the result.
    FeedDone !ByteString !Int64 a

-- | Start a decoder, and run it until it needs input. It may hold 64 MiB, and
-- 'Ashlar.Get.withBudget' sets another limit.
newFeed :: Get a -> IO (Feed a)
newFeed g = begin streamBytes g 0 [] False >>= fed

fed :: Fed a -> IO (Feed a)
fed progress = case progress of
  Finished rest at (Left e) -> pure (FeedFail rest at e)
  Finished rest at (Right a) -> pure (FeedDone rest at a)
  Waiting go -> do
    used <- newIORef False
    let resume chunk
          | maybe False S.null chunk = pure (FeedPartial resume)
          | otherwise = do
            again <- atomicModifyIORef' used (\u -> (True, u))
            when again $
              throwIO $
                userError "Ashlar.Get.Feed: a state of a decoder was resumed for the second time"
            go chunk >>= fed
    pure (FeedPartial resume)

-- | Resume with a chunk. If the decoder has ended already, the chunk is appended to the input that
-- it has not read, which copies both. So check whether it has ended before you feed it a long
-- stream.
feed :: Feed a -> ByteString -> IO (Feed a)
feed state bs = case state of
  FeedPartial resume -> resume (Just bs)
  FeedFail rest at e -> pure (FeedFail (rest <> bs) at e)
  FeedDone rest at a -> pure (FeedDone (rest <> bs) at a)

-- | Resume without more input. The result is not 'FeedPartial'.
feedEndOfInput :: Feed a -> IO (Feed a)
feedEndOfInput state = case state of
  FeedPartial resume -> resume Nothing
  _ -> pure state
