{-# LANGUAGE BangPatterns #-}
{-# LANGUAGE DerivingStrategies #-}
{-# LANGUAGE Trustworthy #-}

-- |
-- Module      : Ashlar.Http.Body
-- Description : Bodies of requests and responses
--
-- What servers and clients have in common. A received body is decoded as it arrives, within a
-- limit. A sent body must have the length that its header says. The packages @ashlar-wai@ and
-- @ashlar-http-client@ use this module.
--
-- >>> import Ashlar.Http.Body
-- >>> import qualified Data.ByteString as S
-- >>> import Data.IORef
-- >>> :{
-- let chunks bss = do
--       left <- newIORef (bss :: [S.ByteString])
--       pure (atomicModifyIORef' left (\l -> (drop 1 l, if null l then mempty else head l)))
-- :}
--
-- >>> next <- chunks ["\0\0", "\1\2"]
-- >>> decodeLimited 4 next getWord32be
-- Right 258
-- >>> longer <- chunks ["\0\0", "\1\2", "more"]
-- >>> decodeLimited 4 longer getWord32be
-- Left (BodyTooLarge 4)
module Ashlar.Http.Body
  ( -- * Bodies that are received
    decodeLimited,
    foldLimited,
    BodyError (..),

    -- * Bodies that are sent
    WrongBodyLength (..),
  )
where

import Ashlar.Internal.Get.Bytes (endOfInput)
import Ashlar.Internal.Get.Core (Get)
import Ashlar.Internal.Get.Error (DecodeError)
import Ashlar.Internal.Get.Limits (asValue)
import Ashlar.Internal.Get.Source (Source, getFrom, newSource, nextOrEnd)
import Control.Exception (Exception (..), throwIO, try)
import Control.Monad (unless, when)
import qualified Data.ByteString as S
import Data.IORef (newIORef, readIORef, writeIORef)
import Data.Int (Int64)

-- | Why the body of a request or a response was refused.
data BodyError
  = -- | It has more bytes than this limit.
    BodyTooLarge !Int64
  | -- | It could not be decoded.
    BodyInvalid DecodeError
  deriving stock (Eq, Show)

instance Exception BodyError where
  displayException e =
    "Ashlar.Http.Body: the body " ++ case e of
      BodyTooLarge limit -> "has more than " ++ show limit ++ " bytes"
      BodyInvalid reason -> "is invalid: " ++ displayException reason

-- | Decode a body, up to its end. The budgets of "Ashlar.Get" also apply. An exception of the
-- action is passed on.
decodeLimited ::
  -- | The limit in bytes.
  Int64 ->
  -- | Its next chunk. An empty one is its end.
  IO S.ByteString ->
  Get a ->
  IO (Either BodyError a)
decodeLimited limit next g = do
  source <- limitedSource limit next
  getLimited limit source (g <* endOfInput)

-- | Decode the values of a body, and fold them. An error comes with the accumulator up to there.
-- Memory holds one value, and the accumulator.
foldLimited ::
  -- | The limit in bytes.
  Int64 ->
  -- | Its next chunk. An empty one is its end.
  IO S.ByteString ->
  Get a ->
  (b -> a -> IO b) ->
  b ->
  IO (Either (BodyError, b) b)
foldLimited limit next g f b = limitedSource limit next >>= \source -> go source b
  where
    go source !acc = do
      outcome <- getLimited limit source (nextOrEnd g)
      case outcome of
        Left e -> pure (Left (e, acc))
        Right Nothing -> pure (Right acc)
        Right (Just a) -> f acc a >>= go source
{-# INLINE foldLimited #-}

getLimited :: Int64 -> Source -> Get a -> IO (Either BodyError a)
getLimited limit source g =
  either (\OverLimit -> Left (BodyTooLarge limit)) (either (Left . BodyInvalid) Right)
    <$> try (getFrom source (asValue g))

-- | The bytes up to the limit, and after them an exception, if there are more. So whether a decoder
-- meets the exception does not depend on how the body is cut into chunks.
limitedSource :: Int64 -> IO S.ByteString -> IO Source
limitedSource limit read' = do
  leftRef <- newIORef (max 0 limit)
  newSource $ do
    left <- readIORef leftRef
    -- If it is negative, the last chunk was cut off at the limit.
    when (left < 0) $ throwIO OverLimit
    bs <- read'
    let after = left - fromIntegral (S.length bs)
    writeIORef leftRef after
    unless (S.null bs || left > 0) $ throwIO OverLimit
    pure $! if after < 0 then S.take (fromIntegral left) bs else bs

-- Caught by 'getLimited'.
data OverLimit = OverLimit
  deriving stock (Show)

instance Exception OverLimit

-- | A body does not have the number of bytes that its header says. It is that of a builder with a
-- wrong length, or of a value whose instance of @Codec@ is wrong about its size.
data WrongBodyLength = WrongBodyLength
  { -- | What the header says.
    lengthAnnounced :: !Int64,
    -- | How many bytes were built. If that is more than announced, there may be further bytes.
    lengthBuilt :: !Int64
  }
  deriving stock (Eq, Show)

instance Exception WrongBodyLength where
  displayException (WrongBodyLength announced built) =
    "Ashlar.Http.Body: the body: " ++ show announced ++ " bytes announced, " ++ show built
      ++ " built"
