-- |
-- Module      : Ashlar.Get.Feed
-- Description : Decoders that are fed, in IO
--
-- For programs that get their input chunk by chunk, and not when the decoder asks
-- for it: an event loop, say. The decoder stops where it needs more, and is
-- resumed with the next chunk. It stops only if it cannot go on otherwise, and ends
-- as soon as it can.
--
-- >>> import Ashlar.Get.Feed
-- >>> :{
-- newFeed getWord32be >>= \f0 -> feed f0 "\0\0" >>= \f1 -> feed f1 "\1\2\3" >>= \f2 -> case f2 of
--   FeedDone rest _ w -> print (w, rest)
--   _ -> putStrLn "not done"
-- :}
-- (258,"\ETX")
--
-- Each time it stops, the decoder's stack is put away, and it is put back when it goes on.
-- So a stop takes time in proportion to how deeply the decoder is nested just then. Where it
-- is not, that is about a microsecond; but before GHC 9.6, each level takes some 15 ns, and
-- 360 ns if it is inside of an alternative (20,000 levels of input that came byte by byte took
-- 5 s, and 145 s). Hostile input can nest as deeply as the budget allows. If that is a concern, feed larger chunks
-- (what a socket returned at once, and not line by line), or give the decoder a budget of
-- fewer levels ('Ashlar.Get.withBudget'), a hundred, say.
--
-- This takes constant memory, besides what the decoder itself needs. For that, a
-- state can be resumed only once. There is the pure 'Ashlar.Get.Decoder' for what
-- has to be resumed more often, which keeps all of the input.
module Ashlar.Get.Feed
  ( Feed (..),
    newFeed,
    feed,
    feedEndOfInput,
  )
where

import Ashlar.Internal.Get.Core (Get)
import Ashlar.Internal.Get.Error
import Ashlar.Internal.Get.Suspend
import Control.Exception (throwIO)
import Control.Monad (when)
import Data.ByteString (ByteString)
import qualified Data.ByteString as S
import Data.IORef (atomicModifyIORef', newIORef)
import Data.Int (Int64)

-- | A decoder that is being fed.
--
-- @since 0.1.0.0
data Feed a
  = -- | It has failed: what it had not read, the offset at which that begins, and
    -- why.
    FeedFail !ByteString !Int64 DecodeError
  | -- | It needs the next chunk, or to know that there is none ('Nothing'). Use
    -- this once: to do so again is an 'Control.Exception.IOException'. An empty
    -- chunk changes nothing.
    --
    -- If this is ended by an exception, of a value in the decoder or an asynchronous
    -- one, the decoder is lost.
    FeedPartial (Maybe ByteString -> IO (Feed a))
  | -- | It has ended: what it had not read, the offset at which that begins, and
    -- the result.
    FeedDone !ByteString !Int64 a

-- | Start a decoder, and run it until it needs input.
--
-- @since 0.1.0.0
newFeed :: Get a -> IO (Feed a)
newFeed g = begin g [] False >>= fed

fed :: Fed a -> IO (Feed a)
fed progress = case progress of
  Finished rest at (Left e) -> pure (FeedFail rest at e)
  Finished rest at (Right a) -> pure (FeedDone rest at a)
  Lost -> throwIO (userError "Ashlar.Get.Feed: the decoder was interrupted, and cannot be taken up")
  Waiting go -> do
    used <- newIORef False
    let resume chunk
          | maybe False S.null chunk = pure (FeedPartial resume)
          | otherwise = do
            again <- atomicModifyIORef' used (\u -> (True, u))
            when again $ throwIO (userError "Ashlar.Get.Feed: a state of a decoder was resumed for the second time")
            go chunk >>= fed
    pure (FeedPartial resume)

-- | Go on with a chunk. If the decoder has ended already, the chunk is added to
-- what it had not read, which is copied for that: look whether it has ended before you feed
-- it a long stream.
--
-- @since 0.1.0.0
feed :: Feed a -> ByteString -> IO (Feed a)
feed state bs = case state of
  FeedPartial resume -> resume (Just bs)
  FeedFail rest at e -> pure (FeedFail (rest <> bs) at e)
  FeedDone rest at a -> pure (FeedDone (rest <> bs) at a)

-- | Go on without more input. The result is not 'FeedPartial'.
--
-- @since 0.1.0.0
feedEndOfInput :: Feed a -> IO (Feed a)
feedEndOfInput state = case state of
  FeedPartial resume -> resume Nothing
  _ -> pure state
