{-# LANGUAGE DerivingStrategies #-}

-- |
-- Module      : Ashlar.Internal.Get.Body
-- Description : Bodies of messages that a peer sends, with a limit
module Ashlar.Internal.Get.Body
  ( BodyError (..),
    limitedBody,
  )
where

import Ashlar.Internal.Get.Error (DecodeError)
import Ashlar.Internal.Get.Source (Source, newSource)
import Control.Exception (Exception (..), throwIO, try)
import Control.Monad (unless, when)
import qualified Data.ByteString as S
import Data.IORef (newIORef, readIORef, writeIORef)
import Data.Int (Int64)

-- | Why the body of a request or a response was refused.
--
-- @since 0.1.0.0
data BodyError
  = -- | It has more bytes than this limit.
    BodyTooLarge !Int64
  | -- | It could not be decoded.
    BodyInvalid DecodeError
  deriving stock (Eq, Show)

instance Exception BodyError where
  displayException e = case e of
    BodyTooLarge limit -> "the body has more than " ++ show limit ++ " bytes"
    BodyInvalid reason -> displayException reason

-- | Run a decoder on a body. It gets the bytes up to the limit, and then, if there are more, an
-- exception. So whether it gets there does not depend on how the body is cut into chunks.
limitedBody ::
  -- | The limit in bytes.
  Int64 ->
  -- | Its next chunk. An empty one is its end.
  IO S.ByteString ->
  (Source -> IO (Either DecodeError b)) ->
  IO (Either BodyError b)
limitedBody limit read' act = do
  leftRef <- newIORef (max 0 limit)
  let next = do
        left <- readIORef leftRef
        -- Less than 0: the last chunk was cut off.
        when (left < 0) $ throwIO OverLimit
        bs <- read'
        let after = left - fromIntegral (S.length bs)
        writeIORef leftRef after
        unless (S.null bs || left > 0) $ throwIO OverLimit
        pure $! if after < 0 then S.take (fromIntegral left) bs else bs
  either (\OverLimit -> Left (BodyTooLarge limit)) (either (Left . BodyInvalid) Right)
    <$> try (newSource next >>= act)

-- Never leaves 'limitedBody'.
data OverLimit = OverLimit
  deriving stock (Show)

instance Exception OverLimit
