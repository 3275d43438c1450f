{-# LANGUAGE Trustworthy #-}

-- |
-- Module      : Ashlar.Wai
-- Description : Bodies of requests and responses in WAI
--
-- Response bodies made by builders, and request bodies read by decoders, for servers such as warp.
--
-- A server of events, each of which is sent at once:
--
-- > {-# LANGUAGE OverloadedStrings #-}
-- > import Ashlar.Builder
-- > import Ashlar.Wai
-- > import Control.Concurrent (threadDelay)
-- > import Control.Monad (forM_)
-- > import Network.HTTP.Types (status200)
-- > import Network.Wai (Application, responseStream)
-- >
-- > clock :: Application
-- > clock _ respond = respond $
-- >   responseStream status200 [("Content-Type", "text/event-stream")] $
-- >     streamParts FlushEachPart $ \write ->
-- >       forM_ [1 ..] $ \n -> do
-- >         write ("data: " <> intDec n <> "\n\n")
-- >         threadDelay 1000000
--
-- A service whose requests and answers are encoded values, here for some
-- @priceOf :: Order -> Double@:
--
-- > import Ashlar.Codec (get)
-- > import Network.Wai (responseLBS)
-- >
-- > service :: Application
-- > service request respond =
-- >   decodeBody 1000000 get request >>= \body -> respond $ case body of
-- >     Right order -> responseEncoded status200 [] (priceOf order)
-- >     Left e -> responseLBS (bodyErrorStatus e) [] ""
--
-- Everything runs in constant memory and waits for a slow peer, in either direction. A value that
-- is decoded takes memory in proportion to its bytes while these arrive, and up to 192 bytes for
-- each chunk: a peer may make each byte a chunk.
module Ashlar.Wai
  ( -- * Responses

    -- ** Of unknown length

    -- | For 'Network.Wai.responseStream'.
    streamBuilder,
    streamParts,
    FlushPolicy (..),
    BodyBroken (..),
    BodyEnded (..),

    -- ** Of known length
    responseStrict,
    responseEncoded,
    WrongBodyLength (..),

    -- * Requests
    decodeBody,
    foldBody,
    BodyError (..),
    bodyErrorStatus,
  )
where

import Ashlar.Wai.Internal.Request
import Ashlar.Wai.Internal.Response
