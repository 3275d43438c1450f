{-# LANGUAGE DeriveAnyClass #-}
{-# LANGUAGE DeriveGeneric #-}
{-# LANGUAGE DerivingStrategies #-}
{-# LANGUAGE OverloadedStrings #-}

-- |
-- Module      : Datasets.Log
-- Description : Requests, as a web server logs them
module Datasets.Log (Log, logs) where

import Ashlar.Codec (Codec)
import Data.Binary (Binary)
import Data.Serialize (Serialize)
import Data.Store (Store)
import Data.Text (Text)
import qualified Data.Text as T
import qualified Data.Vector as V
import Data.Word (Word16, Word64, Word8)
import Datasets.Generator
import GHC.Generics (Generic)
import Types ()

-- | An IP address.
data Address = Address !Word8 !Word8 !Word8 !Word8
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec, Store, Binary, Serialize)

-- | A request.
data Log = Log
  { _address :: !Address,
    _identity :: !Text,
    _userId :: !Text,
    _date :: !Text,
    _request :: !Text,
    _code :: !Word16,
    _size :: !Word64
  }
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec, Store, Binary, Serialize)

-- | 10,000 of them.
logs :: V.Vector Log
logs = generated (vectorOf 10000 10001 logged)

logged :: Generator Log
logged = do
  date <- dated
  request <- T.unwords <$> sequence [oneOf methods, oneOf routes, oneOf protocols]
  address <- Address <$> word8 <*> word8 <*> word8 <*> word8
  userId <- oneOf users
  code <- oneOf codes
  Log address "-" userId date request code . fromIntegral <$> below 100000000

dated :: Generator Text
dated = do
  day <- int32 1 29
  month <- oneOf months
  year <- int32 1970 2022
  time <- sequence [int32 0 24, int32 0 60, int32 0 60]
  zone <- oneOf zones
  pure $
    T.intercalate "/" [shown day, month, T.intercalate ":" (map shown (year : time))]
      <> " "
      <> zone
  where
    shown = T.pack . show

users, months, zones, methods, routes, protocols :: V.Vector Text
users = V.fromList (T.words "- alice bob carmen david eric frank george harry")
months = V.fromList (T.words "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec")
zones = V.fromList [sign <> two h <> "00" | (sign, h) <- offsets]
  where
    offsets = [("-", -h) | h <- [-12 .. -1 :: Int]] ++ [("+", h) | h <- [0 .. 12]]
    two = T.justifyRight 2 '0' . T.pack . show
methods = V.fromList ["GET", "POST", "PUT", "UPDATE", "DELETE"]
routes =
  V.fromList
    [ "/favicon.ico",
      "/css/index.css",
      "/css/font-awsome.min.css",
      "/img/logo-full.svg",
      "/img/splash.jpg",
      "/api/login",
      "/api/logout"
    ]
protocols = V.fromList ["HTTP/1.0", "HTTP/1.1", "HTTP/2", "HTTP/3"]

-- The codes of HTTP.
codes :: V.Vector Word16
codes =
  V.fromList $
    concat
      [ [100 .. 103],
        [200 .. 208] ++ [226],
        [300 .. 308],
        [400 .. 418] ++ [421 .. 426] ++ [428, 429, 431, 451],
        [500 .. 508] ++ [510, 511]
      ]
