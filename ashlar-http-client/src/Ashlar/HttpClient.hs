{-# LANGUAGE Trustworthy #-}

-- |
-- Module      : Ashlar.HttpClient
-- Description : Bodies of requests and responses in http-client
--
-- Request bodies made by builders, and response bodies read by decoders. For a type @Order@ with an
-- instance of 'Ashlar.Codec.Codec':
--
-- > {-# LANGUAGE OverloadedStrings #-}
-- > import Ashlar.Codec
-- > import Ashlar.HttpClient
-- > import Network.HTTP.Client
-- >
-- > price :: Manager -> Order -> IO (Either BodyError Double)
-- > price manager order = do
-- >   request <- parseUrlThrow "http://localhost:3000/price"
-- >   let post = request {method = "POST", requestBody = bodyEncoded order}
-- >   responseBody <$> httpDecode post manager 1000000 get
--
-- Everything runs in constant memory and waits for a slow peer, in either direction. A value that
-- is decoded takes memory in proportion to its bytes while these arrive, and up to 192 bytes for
-- each chunk: a peer may make each byte a chunk.
module Ashlar.HttpClient
  ( -- * Requests
    bodyBuilder,
    bodySized,
    bodyEncoded,
    BodyException (..),
    WrongBodyLength (..),

    -- * Responses
    httpDecode,
    decodeBody,
    foldBody,
    BodyError (..),
  )
where

import Ashlar.HttpClient.Internal.Request
import Ashlar.HttpClient.Internal.Response
