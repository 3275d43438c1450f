{-# LANGUAGE Trustworthy #-}

-- |
-- Module      : Ashlar.Conduit
-- Description : Builders and decoders as conduits
--
-- Values to a stream of bytes and back, in constant memory:
--
-- >>> import Ashlar.Codec (get, put)
-- >>> import Ashlar.Conduit
-- >>> import Conduit
-- >>> let squares = yieldMany [n * n | n <- [1 .. 1000 :: Int]] .| conduitPut put
-- >>> runConduit (squares .| conduitGet get .| sumC) :: IO Int
-- 333833500
--
-- Functions that end in @Either@ return a 'DecodeError'. The others throw it.
--
-- The stream may be cut into chunks anywhere. Empty chunks change nothing.
--
-- Sinks leave what follows their value in the stream. 'conduitGet' cannot if the consumer of its
-- values stops early, so use 'sinkGet' where something else follows the values.
module Ashlar.Conduit
  ( -- * Builders
    sourceBuilder,
    conduitPut,

    -- * Decoders
    sinkGet,
    sinkGetEither,
    conduitGet,
    conduitGetEither,
  )
where

import Ashlar.Builder (Builder)
import Ashlar.Builder.Extra (toLazyByteStringWith, untrimmedStrategy)
import Ashlar.Builder.Parts
import Ashlar.Get
import Ashlar.Get.Feed
import Control.Monad (unless)
import Control.Monad.Catch (MonadThrow, throwM)
import Control.Monad.Primitive (PrimMonad, unsafeIOToPrim)
import Control.Monad.Trans.Class (lift)
import Data.ByteString (ByteString)
import qualified Data.ByteString as S
import qualified Data.ByteString.Lazy as L
import qualified Data.ByteString.Lazy.Internal as L (ByteString (..))
import Data.Conduit

-- | The bytes of a builder, in chunks of 32 KiB. The first one has 4 KiB.
--
-- The builder runs as far as chunks are asked for, and leaves nothing running if the stream ends
-- early. Each run of the conduit runs it anew. An exception of a value is thrown in the monad, when
-- the chunk is made that would have contained the value.
--
-- >>> import Ashlar.Builder
-- >>> import Ashlar.Conduit
-- >>> import Conduit
-- >>> import Data.ByteString (ByteString)
-- >>> runConduit (sourceBuilder (foldMap intDec [1 ..]) .| takeCE 15 .| foldC) :: IO ByteString
-- "123456789101112"
sourceBuilder :: Monad m => Builder -> ConduitT i ByteString m ()
sourceBuilder b = lift (pure b) >>= go . toLazyByteStringWith (untrimmedStrategy 4096 32768) L.empty
  where
    go chunks = do
      now <- forced chunks
      case now of
        L.Empty -> pure ()
        L.Chunk bs rest -> yield bs >> go rest
-- Each run has the builder from the monad, which is unknown here. So its output is a value of this
-- run, and no other run can share it. Inlined, it could.
{-# NOINLINE sourceBuilder #-}

-- Leave bytes in the stream. (No empty chunk: 'await' would return it.)
unread :: ByteString -> ConduitT ByteString o m ()
unread rest = unless (S.null rest) (leftover rest)

-- Evaluate in the monad, where an exception can be caught.
forced :: Monad m => a -> ConduitT i o m a
forced x = lift (x `seq` pure x)

-- | Values to bytes, by a function to builders, such as 'Ashlar.Codec.put'. For a stream of
-- builders that is 'id'.
--
-- The bytes of many values make a chunk of 32 KiB. It is passed on when it is full, at the end of
-- the stream, and at a 'Ashlar.Builder.Extra.flush' or an inserted ByteString in a builder. A
-- builder runs as far as chunks are asked for, so it may have any number of bytes.
--
-- An exception of a value is thrown in the monad. Bytes that have not been passed on are lost.
--
-- >>> import Ashlar.Builder
-- >>> import Ashlar.Conduit
-- >>> import Conduit
-- >>> import Data.ByteString (ByteString)
-- >>> runConduit (yieldMany [1, 2, 3] .| conduitPut word16BE .| foldC) :: IO ByteString
-- "\NUL\SOH\NUL\STX\NUL\ETX"
conduitPut :: PrimMonad m => (a -> Builder) -> ConduitT a ByteString m ()
conduitPut f = lift (unsafeIOToPrim newParts) >>= go
  where
    go parts = do
      next <- await
      case next of
        Nothing -> lift (unsafeIOToPrim (takeLast parts)) >>= mapM_ yield
        Just a -> passOn (append parts (f a)) >> go parts
    passOn act = do
      made <- lift (unsafeIOToPrim act)
      case made of
        AllMade -> pure ()
        Made bs rest -> yield bs >> passOn rest
{-# INLINEABLE conduitPut #-}

-- | Decode one value, and leave what follows it in the stream. A 'DecodeError' is
-- thrown.
--
-- >>> import Ashlar.Conduit
-- >>> import Ashlar.Get
-- >>> import Conduit
-- >>> import Data.ByteString (ByteString)
-- >>> let pair = (,) <$> sinkGet getWord16be <*> foldC
-- >>> runConduit (yieldMany ["\1", "\2\3", "\4" :: ByteString] .| pair) :: IO (Word16, ByteString)
-- (258,"\ETX\EOT")
sinkGet :: MonadThrow m => Get a -> ConduitT ByteString o m a
sinkGet g = sinkGetEither g >>= either throwM pure
{-# INLINEABLE sinkGet #-}

-- | 'sinkGet' that returns the error. It leaves what follows the bytes that the decoder had read.
--
-- The decoder may hold 64 MiB, and 'Ashlar.Get.withBudget' sets another limit. Up to 64 MiB of the
-- value that it has passed are held besides, because a monad may use a state twice
-- ('Ashlar.Get.Decoder'). Offsets in errors count from where this begins.
sinkGetEither :: Monad m => Get a -> ConduitT ByteString o m (Either DecodeError a)
sinkGetEither g = go (runGetIncremental g)
  where
    go state = do
      now <- forced state
      case now of
        Partial resume -> await >>= go . resume
        Done rest _ a -> Right a <$ unread rest
        Fail rest _ e -> Left e <$ unread rest
{-# INLINEABLE sinkGetEither #-}

-- | Decode one value after another, to the end of the stream. An error is thrown after the values
-- before it have been passed on.
--
-- If the consumer stops early, as @takeC@ does, what this has read is lost, which depends on the
-- chunks: conduits that are fused leave nothing in the stream. To take some values and then
-- something else, repeat 'sinkGet'.
--
-- >>> import Ashlar.Conduit
-- >>> import Ashlar.Get
-- >>> import Conduit
-- >>> import Data.ByteString (ByteString)
-- >>> let chunks = yieldMany ["\0\1\0", "\2\0\3" :: ByteString]
-- >>> runConduit (chunks .| conduitGet getWord16be .| sinkList) :: IO [Word16]
-- [1,2,3]
-- >>> import Control.Monad (replicateM)
-- >>> let two = (,) <$> replicateM 2 (sinkGet getWord16be) <*> foldC
-- >>> runConduit (chunks .| two) :: IO ([Word16], ByteString)
-- ([1,2],"\NUL\ETX")
conduitGet :: MonadThrow m => Get a -> ConduitT ByteString a m ()
conduitGet g = conduitGetEither g >>= either throwM pure
{-# INLINEABLE conduitGet #-}

-- | 'conduitGet' that returns the error. The bytes from the beginning of the value that could not
-- be decoded are left in the stream. 'fuseBoth' gets the result out of a pipeline.
--
-- One suspended decoder makes all values that 32 KiB of a chunk complete at once. If the consumer
-- stops early, what this has read is lost, as in 'conduitGet'. So are values before one that throws
-- an exception. The budget is for each value, which may take 64 MiB. A value that reads nothing is
-- an error.
--
-- >>> import Ashlar.Conduit
-- >>> import Ashlar.Get
-- >>> import Conduit
-- >>> import Data.ByteString (ByteString)
-- >>> let input = yield ("\0\1\0" :: ByteString)
-- >>> let values = fuseBoth (conduitGetEither getWord16be) sinkList
-- >>> (end, list) <- runConduit (input .| values) :: IO (Either DecodeError (), [Word16])
-- >>> (either errorReason (const NoAlternative) end, list)
-- (MissingInput 2 1,[1])
conduitGetEither :: Monad m => Get a -> ConduitT ByteString a m (Either DecodeError ())
conduitGetEither g = go (runGetValues g)
  where
    go state = case state of
      ValuesDone _ -> pure (Right ())
      ValuesFail rest _ e -> Left e <$ unread rest
      ValuesPartial {} -> await >>= maybe (passOn (feedValuesEnd state) >>= go) (feeding state)
    feeding state bs
      | S.null bs = go state
      | otherwise = case feedSlice state bs of
        (fed, left) -> passOn fed >>= \next -> feeding next left
    passOn fed = forced fed >>= \(values, next) -> next <$ mapM_ yield values
{-# INLINEABLE conduitGetEither #-}
