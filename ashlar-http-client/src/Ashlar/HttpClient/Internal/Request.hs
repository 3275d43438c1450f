{-# LANGUAGE DerivingStrategies #-}
-- Each attempt runs the builder anew: its output must not be shared.
{-# OPTIONS_GHC -fno-cse -fno-full-laziness #-}

-- |
-- Module      : Ashlar.HttpClient.Internal.Request
-- Description : Request bodies made by builders
--
-- Note [Chunks that are pulled]
-- ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
-- http-client pulls a body chunk by chunk, and may stop at any point. A lazy ByteString does that:
-- the builder runs as far as the next chunk, and then is a value, which the garbage collector frees
-- if nobody asks for more. Nobody has to end a thread or free a lock. After an exception the same
-- chunk is asked for again, and throws again, so the body never seems to end early.
--
-- Exceptions need care. http-client drops an 'IOException' that is thrown while a body is sent,
-- because the server may have answered early and closed the connection, and goes on to wait for the
-- response. It tries the request again if the connection had been used before. Both would be wrong
-- if the exception came from a value of the builder, so that is thrown as a 'BodyException'. Then
-- http-client closes the connection and passes the exception on. This is done in IO. A pure value
-- would keep a foreign exception, such as a timeout, and throw it in each later attempt.
--
-- The length of 'bodyEncoded' is a pure value all the same. 'RequestBodyIO' would find it in IO,
-- but http-client cannot join two such bodies, as it does for a form of several parts: that is a
-- call of 'error'.
module Ashlar.HttpClient.Internal.Request
  ( bodyBuilder,
    bodySized,
    bodyEncoded,
    BodyException (..),
    WrongBodyLength (..),
  )
where

import Ashlar.Builder
import Ashlar.Builder.Extra (toLazyByteStringWith, untrimmedStrategy)
import Ashlar.Codec (Codec, encodedSize, put)
import Ashlar.Http.Body (WrongBodyLength (..))
import Control.Exception
import Control.Monad (when)
import qualified Data.ByteString as S
import qualified Data.ByteString.Builder as B (byteString)
import qualified Data.ByteString.Builder.Internal as B (BuildStep, builder, runBuilderWith)
import qualified Data.ByteString.Lazy as L
import qualified Data.ByteString.Lazy.Internal as L (ByteString (..))
import Data.IORef (newIORef, readIORef, writeIORef)
import Data.Int (Int64)
import Network.HTTP.Client (GivesPopper, Popper, RequestBody (..))

-- | A request body from a builder, in constant memory. Its length is not known, so it is sent with
-- @Transfer-Encoding: chunked@.
--
-- The builder runs once for each attempt and each redirect. It runs as far as chunks are asked for,
-- and leaves nothing running if the request ends early. An exception of a value ends the request,
-- and its connection is closed. An 'IOException' is thrown as a 'BodyException'.
bodyBuilder :: Builder -> RequestBody
bodyBuilder b = RequestBodyStreamChunked (\send -> popper b >>= send)

-- | 'bodyBuilder' of a known number of bytes, which is sent as @Content-Length@.
--
-- If the builder has another number of bytes, 'WrongBodyLength' ends the request, and its
-- connection is closed. No byte is sent beyond the length. No builder has a negative number of
-- bytes, so such a request is refused before anything is sent.
bodySized ::
  -- | The length in bytes.
  Int64 ->
  Builder ->
  RequestBody
bodySized n b
  -- The builder need not run for this.
  | n < 0 = throw (WrongBodyLength n 0)
  | otherwise = RequestBodyStream n (exactly n b)

-- | A request body that is the encoding of a value, with its @Content-Length@. Up to 32 KiB are
-- built before anything is sent. A longer body is sent as by 'bodySized'.
--
-- http-client asks for the size itself, before it sends anything. So an 'IOException' that a value
-- throws while its size is found is no 'BodyException': http-client tries again if the connection
-- had been used before, and then throws it within an 'Network.HTTP.Client.HttpException'. Evaluate
-- 'encodedSize' of the value first, and it is thrown there.
bodyEncoded :: Codec a => a -> RequestBody
bodyEncoded a
  | n >= 0 && n <= 32768 = RequestBodyBuilder (fromIntegral n) (B.builder built)
  | otherwise = bodySized (fromIntegral n) (put a)
  where
    n = encodedSize a
    built :: B.BuildStep r -> B.BuildStep r
    built k range = do
      bs <- evaluated (toStrictByteString (put a))
      let len = S.length bs
      when (len /= n) $ throwIO (WrongBodyLength (fromIntegral n) (fromIntegral len))
      B.runBuilderWith (B.byteString bs) k range

-- A new popper. See Note [Chunks that are pulled].
popper :: Builder -> IO Popper
popper b = do
  ref <- newIORef (toLazyByteStringWith (untrimmedStrategy 4096 32768) L.empty b)
  pure $ do
    chunks <- readIORef ref >>= evaluated
    case chunks of
      L.Empty -> pure S.empty
      L.Chunk bs rest -> bs <$ writeIORef ref rest
{-# NOINLINE popper #-}

exactly :: Int64 -> Builder -> GivesPopper ()
exactly n b send = do
  next <- popper b
  leftRef <- newIORef n
  send $ do
    left <- readIORef leftRef
    bs <- next
    let now = left - fromIntegral (S.length bs)
    when (now < 0 || S.null bs && now > 0) $ throwIO (WrongBodyLength n (n - now))
    bs <$ writeIORef leftRef now

-- Evaluate what a builder makes.
evaluated :: a -> IO a
evaluated x = evaluate x `catch` \e -> throwIO (BodyException e)

-- | A value of a request body has thrown this exception.
--
-- http-client takes an 'IOException' for one of the connection, and would wait for the response or
-- send the request again. All other exceptions are passed on as they are.
newtype BodyException = BodyException IOException
  deriving stock (Eq, Show)

instance Exception BodyException where
  displayException (BodyException e) =
    "Ashlar.HttpClient: the request body: " ++ displayException e
