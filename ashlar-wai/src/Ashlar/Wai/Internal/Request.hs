-- |
-- Module      : Ashlar.Wai.Internal.Request
-- Description : Request bodies read by decoders
module Ashlar.Wai.Internal.Request
  ( decodeBody,
    foldBody,
    BodyError (..),
    bodyErrorStatus,
  )
where

import Ashlar.Get (Get)
import Ashlar.Http.Body
import Data.Int (Int64)
import Network.HTTP.Types (Status, status400, status413)
import Network.Wai (Request, RequestBodyLength (..), getRequestBodyChunk, requestBodyLength)

-- | The status to answer with: 413 for a body that is too large, 400 for one that is invalid.
bodyErrorStatus :: BodyError -> Status
bodyErrorStatus e = case e of
  BodyTooLarge _ -> status413
  BodyInvalid _ -> status400

-- | Decode the body of a request as it arrives. It is an error if bytes follow the value.
--
-- The limit counts the bytes of the body. If the request announces more, nothing is read. The value
-- itself may take 64 MiB, and 'Ashlar.Get.withBudget' sets another limit. What is wrong with the
-- body is a 'BodyError'. Exceptions of the server, for instance if the client is gone, are passed
-- on.
decodeBody ::
  -- | The limit in bytes.
  Int64 ->
  Get a ->
  Request ->
  IO (Either BodyError a)
decodeBody limit g request
  | announcesMore limit request = pure (Left (BodyTooLarge limit))
  | otherwise = decodeLimited limit (getRequestBodyChunk request) g

-- | Decode values up to the end of the body as they arrive, and fold them from the left, in
-- constant memory. The accumulator is forced at each step. The limits are those of 'decodeBody', so
-- each value may take 64 MiB.
--
-- An error comes with the accumulator of the values before it. A value that reads nothing is an
-- error.
--
-- A body that is sent in chunks may be cut off between two values. Servers may not tell that from
-- its end (warp 3.3 does not), so let the stream say where it ends if that matters.
foldBody ::
  -- | The limit in bytes.
  Int64 ->
  Get a ->
  -- | Given the accumulator and the next value: the next accumulator.
  (b -> a -> IO b) ->
  b ->
  Request ->
  IO (Either (BodyError, b) b)
foldBody limit g f b request
  | announcesMore limit request = pure (Left (BodyTooLarge limit, b))
  | otherwise = foldLimited limit (getRequestBodyChunk request) g f b

announcesMore :: Int64 -> Request -> Bool
announcesMore limit request = case requestBodyLength request of
  KnownLength n -> toInteger n > toInteger (max 0 limit)
  ChunkedBody -> False
