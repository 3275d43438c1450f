{-# LANGUAGE RankNTypes #-}
{-# LANGUAGE Trustworthy #-}

-- |
-- Module      : Ashlar.Pipes
-- Description : Builders and decoders as pipes
--
-- Values to a stream of bytes and back, in constant memory. A 'DecodeError' is a result, and is not
-- thrown.
--
-- >>> import Ashlar.Codec (get, put)
-- >>> import Ashlar.Pipes
-- >>> import Pipes
-- >>> import qualified Pipes.Prelude as P
-- >>> let squares = fromValues put (each [n * n | n <- [1 .. 1000 :: Int]])
-- >>> P.sum (() <$ toValues get squares) :: IO Int
-- 333833500
--
-- A stream of bytes may be cut into chunks anywhere. Empty chunks change nothing.
module Ashlar.Pipes
  ( -- * Builders
    fromBuilder,
    fromValues,

    -- * Decoders
    getFirst,
    toValues,
  )
where

import Ashlar.Builder (Builder)
import Ashlar.Builder.Extra (toLazyByteStringWith, untrimmedStrategy)
import Ashlar.Builder.Parts
import Ashlar.Get
import Ashlar.Get.Feed
import Data.ByteString (ByteString)
import qualified Data.ByteString as S
import qualified Data.ByteString.Lazy as L
import qualified Data.ByteString.Lazy.Internal as L (ByteString (..))
import Pipes

-- | The bytes of a builder, in chunks of 32 KiB. The first one has 4 KiB.
--
-- The builder runs as far as chunks are asked for, and leaves nothing running if the stream ends
-- early. Each run of the producer runs it anew. An exception of a value is thrown in the monad,
-- when the chunk is made that would have contained the value.
fromBuilder :: Monad m => Builder -> Producer' ByteString m ()
fromBuilder b = lift (pure b) >>= go . toLazyByteStringWith (untrimmedStrategy 4096 32768) L.empty
  where
    go chunks = do
      now <- forced chunks
      case now of
        L.Empty -> pure ()
        L.Chunk bs rest -> yield bs >> go rest
-- Each run has the builder from the monad, which is unknown here. So its output is a value of this
-- run, and no other run can share it. Inlined, it could.
{-# NOINLINE fromBuilder #-}

-- Evaluate in the monad, where an exception can be caught.
forced :: Monad m => a -> Proxy x' x y' y m a
forced v = lift (v `seq` pure v)

-- | Values to bytes, by a function to builders, such as 'Ashlar.Codec.put'.
--
-- The bytes of many values make a chunk of 32 KiB. It is passed on when it is full, at the end of
-- the stream, and at a 'Ashlar.Builder.Extra.flush' or an inserted ByteString in a builder. A
-- builder runs as far as chunks are asked for, so it may have any number of bytes.
--
-- An exception of a value is thrown in the monad. Bytes that have not been passed on are lost.
--
-- This is a function of a producer and not a pipe, because a pipe does not see the end of its
-- input.
fromValues :: MonadIO m => (a -> Builder) -> Producer a m r -> Producer' ByteString m r
fromValues f values = liftIO newParts >>= \parts -> go parts values
  where
    go parts producer = do
      step <- lift (next producer)
      case step of
        Left r -> r <$ (liftIO (takeLast parts) >>= mapM_ yield)
        Right (a, more) -> do
          passOn (append parts (f a))
          go parts more
    passOn act = do
      made <- liftIO act
      case made of
        AllMade -> pure ()
        Made bs rest -> yield bs >> passOn rest
{-# INLINEABLE fromValues #-}

-- | Decode one value, and return it with the rest of the stream. After an error, that begins after
-- the bytes that the decoder had read.
--
-- With 'Control.Monad.Trans.State.Strict.StateT' this is a parser of pipes-parse.
--
-- The decoder may hold 64 MiB, and 'Ashlar.Get.withBudget' sets another limit. Up to 64 MiB of the
-- value that it has passed are held besides, because a monad may use a state twice
-- ('Ashlar.Get.Decoder'). Offsets in errors count from where this begins.
--
-- >>> import Ashlar.Get
-- >>> import Ashlar.Pipes
-- >>> import Pipes
-- >>> import qualified Pipes.Prelude as P
-- >>> (value, rest) <- getFirst getWord16be (each ["\1", "\2\3", "\4"])
-- >>> either (const 0) id value
-- 258
-- >>> P.toListM rest
-- ["\ETX","\EOT"]
getFirst ::
  Monad m =>
  Get a ->
  Producer ByteString m r ->
  m (Either DecodeError a, Producer ByteString m r)
getFirst g = go (runGetIncremental g)
  where
    go state producer = do
      now <- state `seq` pure state
      case now of
        Partial resume -> do
          step <- next producer
          case step of
            Left r -> go (resume Nothing) (pure r)
            Right (bs, more) -> go (resume (Just bs)) more
        Done rest _ a -> pure (Right a, before rest producer)
        Fail rest _ e -> pure (Left e, before rest producer)
{-# INLINEABLE getFirst #-}

before :: Monad m => ByteString -> Producer ByteString m r -> Producer ByteString m r
before bs producer
  | S.null bs = producer
  | otherwise = yield bs >> producer

-- | Decode one value after another, to the end of the stream. An error comes with the rest of the
-- stream, which begins with the value that could not be decoded.
--
-- One suspended decoder makes all values that 32 KiB of a chunk complete at once. If the consumer
-- stops early, what follows its last value is lost. So are values before one that throws an
-- exception. To take some values and then something else, repeat 'getFirst'. The budget is for each
-- value, which may take 64 MiB. A value that reads nothing is an error.
--
-- >>> import Ashlar.Get
-- >>> import Ashlar.Pipes
-- >>> import Pipes
-- >>> runEffect (for (() <$ toValues getWord16be (each ["\0\1\0", "\2"])) (lift . print))
-- 1
-- 2
toValues ::
  Monad m =>
  Get a ->
  Producer ByteString m r ->
  Producer' a m (Either (DecodeError, Producer ByteString m r) r)
toValues g stream = go stream (runGetValues g)
  where
    go producer state = case state of
      -- The stream has ended, and only its result is left.
      ValuesDone _ -> Right <$> lift (runEffect (for producer discard))
      ValuesFail rest _ e -> pure (Left (e, before rest producer))
      ValuesPartial {} -> do
        step <- lift (next producer)
        case step of
          Left r -> passOn (feedValuesEnd state) >>= go (pure r)
          Right (bs, more) -> feeding more state bs
    feeding producer state bs
      | S.null bs = go producer state
      | otherwise = case feedSlice state bs of
        (fed, left) -> passOn fed >>= \following -> feeding producer following left
    passOn fed = forced fed >>= \(values, following) -> following <$ mapM_ yield values
{-# INLINEABLE toValues #-}
