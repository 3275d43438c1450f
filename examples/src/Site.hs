{-# LANGUAGE OverloadedStrings #-}

-- |
-- Module      : Site
-- Description : A WAI application: a long table, events, and values
--
-- Nothing is held in memory, however long an answer is or how slow a client.
module Site (site, tableRow, Event (..), event) where

import Ashlar.Builder
import Ashlar.Codec (get)
import Ashlar.Get (Get)
import Ashlar.Wai
import Data.Int (Int64)
import Data.Text (Text)
import qualified Data.Text as T
import Network.HTTP.Types
import Network.Wai (Application, pathInfo, requestMethod, responseLBS, responseStream)
import Text.Read (readMaybe)

-- | An event of a stream that browsers read (HTML, section 9.2).
data Event = Event {eventName :: Text, eventLines :: [Text]}

-- | An event as it is sent.
event :: Event -> Builder
event (Event name ls) = "event: " <> textUtf8 name <> "\n" <> foldMap line ls <> "\n"
  where
    line l = "data: " <> textUtf8 l <> "\n"

-- | A row of the table: a number, its square and its square root.
tableRow :: Int64 -> Builder
tableRow n =
  int64Dec n <> char7 ',' <> int64Dec (n * n) <> char7 ',' <> doubleDec (sqrt (fromIntegral n))
    <> "\r\n"

-- | Given the next event, or 'Nothing' at the end:
--
-- * @GET \/table\/1000000@: a table of that many rows
-- * @GET \/events@: the events, each of which is sent at once. The empty part sends the headers.
-- * @POST \/sum@: the sum of an encoded list of numbers, encoded; of a megabyte at most
site :: IO (Maybe Event) -> Application
site nextEvent request respond = case (requestMethod request, pathInfo request) of
  ("GET", ["table", rows])
    | Just n <- readMaybe (T.unpack rows) ->
      respond . responseStream status200 [(hContentType, "text/csv")] $
        streamBuilder ("number,square,root\r\n" <> foldMap tableRow [1 .. n])
  ("GET", ["events"]) ->
    respond . responseStream status200 [(hContentType, "text/event-stream")] $
      streamParts FlushEachPart $ \write ->
        let go = nextEvent >>= mapM_ (\e -> write (event e) >> go)
         in write mempty >> go
  ("POST", ["sum"]) ->
    decodeBody 1000000 (get :: Get [Int64]) request >>= \body -> respond $ case body of
      Right numbers -> responseEncoded status200 [] (sum numbers)
      Left e -> responseLBS (bodyErrorStatus e) [] ""
  _ -> respond (responseLBS status404 [] "")
