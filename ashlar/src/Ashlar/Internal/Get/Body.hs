{-# LANGUAGE BangPatterns #-}
{-# LANGUAGE DerivingStrategies #-}

-- |
-- Module      : Ashlar.Internal.Get.Body
-- Description : Bodies of messages that a peer sends, with a limit
module Ashlar.Internal.Get.Body
  ( BodyError (..),
    decodeLimited,
    foldLimited,
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
    "Ashlar: the body " ++ case e of
      BodyTooLarge limit -> "has more than " ++ show limit ++ " bytes"
      BodyInvalid reason -> "is invalid: " ++ displayException reason

-- | Decode a body, up to its end.
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

-- | The bytes up to the limit, and then, if there are more, an exception. So whether a decoder gets
-- there does not depend on how the body is cut into chunks.
limitedSource :: Int64 -> IO S.ByteString -> IO Source
limitedSource limit read' = do
  leftRef <- newIORef (max 0 limit)
  newSource $ do
    left <- readIORef leftRef
    -- Less than 0: the last chunk was cut off.
    when (left < 0) $ throwIO OverLimit
    bs <- read'
    let after = left - fromIntegral (S.length bs)
    writeIORef leftRef after
    unless (S.null bs || left > 0) $ throwIO OverLimit
    pure $! if after < 0 then S.take (fromIntegral left) bs else bs

-- Never leaves this module.
data OverLimit = OverLimit
  deriving stock (Show)

instance Exception OverLimit
