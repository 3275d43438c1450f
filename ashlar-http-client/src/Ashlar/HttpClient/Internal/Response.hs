-- |
-- Module      : Ashlar.HttpClient.Internal.Response
-- Description : Response bodies read by decoders
module Ashlar.HttpClient.Internal.Response
  ( decodeBody,
    foldBody,
    httpDecode,
    BodyError (..),
  )
where

import Ashlar.Get (Get)
import Ashlar.Http.Body
import Data.Int (Int64)
import Network.HTTP.Client (BodyReader, Manager, Request, Response, responseBody, withResponse)

-- | Send a request, and decode the body of the response, whatever its status: see 'decodeBody'. A
-- request of 'Network.HTTP.Client.parseUrlThrow' throws if the status is not 2xx.
--
-- Throws 'Network.HTTP.Client.HttpException', as 'withResponse' does.
httpDecode ::
  Request ->
  Manager ->
  -- | The limit in bytes.
  Int64 ->
  Get a ->
  IO (Response (Either BodyError a))
httpDecode request manager limit g =
  withResponse request manager $ \response -> (<$ response) <$> decodeBody limit g response

-- | Decode the body of a response as it arrives. It is an error if bytes follow the value.
--
-- The limit counts the bytes of the body, after decompression. The value itself may take 64 MiB,
-- and 'Ashlar.Get.withBudget' sets another limit. What is wrong with the body is a 'BodyError'.
-- Exceptions of the connection are passed on, and so are those of a body that is cut off.
--
-- Use it within 'Network.HTTP.Client.withResponse'. If the body has not been read to its end, that
-- closes the connection.
decodeBody ::
  -- | The limit in bytes.
  Int64 ->
  Get a ->
  Response BodyReader ->
  IO (Either BodyError a)
decodeBody limit g response = decodeLimited limit (responseBody response) g

-- | Decode values up to the end of the body as they arrive, and fold them from the left, in
-- constant memory. The accumulator is forced at each step. The limits are those of 'decodeBody', so
-- each value may take 64 MiB.
--
-- An error comes with the accumulator of the values before it. A value that reads nothing is an
-- error.
foldBody ::
  -- | The limit in bytes.
  Int64 ->
  Get a ->
  -- | Given the accumulator and the next value: the next accumulator.
  (b -> a -> IO b) ->
  b ->
  Response BodyReader ->
  IO (Either (BodyError, b) b)
foldBody limit g f b response = foldLimited limit (responseBody response) g f b
