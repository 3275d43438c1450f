{-# LANGUAGE OverloadedStrings #-}

-- |
-- Module      : Ashlar.Jobs.Internal.Settings
-- Description : Settings of Redis that lose data
module Ashlar.Jobs.Internal.Settings
  ( infoSections,
    configSettings,
    warningsOf,
  )
where

import Control.Applicative ((<|>))
import Data.ByteString (ByteString)
import qualified Data.ByteString.Char8 as C
import Data.Maybe (catMaybes, isNothing)
import Data.Text (Text)
import qualified Data.Text.Encoding as T
import qualified Data.Text.Encoding.Error as T

-- | Sections of @INFO@, which is often allowed where @CONFIG GET@ is not.
infoSections :: [ByteString]
infoSections = ["memory", "persistence"]

-- | What is asked of @CONFIG GET@.
configSettings :: [ByteString]
configSettings = ["maxmemory", "maxmemory-policy", "appendonly", "appendfsync"]

-- | A sentence for each setting that loses data, given the sections of 'infoSections' and the
-- 'configSettings', as far as Redis tells. If it tells nothing, that is the only sentence.
warningsOf :: [Maybe ByteString] -> [Maybe ByteString] -> [Text]
warningsOf sections settings
  | all isNothing sections && all isNothing settings =
    ["Redis does not say how it keeps data: it allows neither INFO nor CONFIG GET"]
  | otherwise = map (T.decodeUtf8With T.lenientDecode) (catMaybes [eviction, file, sync])
  where
    info =
      map (fmap (C.drop 1) . C.break (== ':')) . C.lines . C.filter (/= '\r') $
        C.unlines (catMaybes sections)
    config = [(k, v) | (k, Just v) <- zip configSettings settings]
    limit = lookup "maxmemory" config <|> lookup "maxmemory" info
    policy = lookup "maxmemory-policy" config <|> lookup "maxmemory_policy" info
    hasFile = lookup "appendonly" config <|> (yes <$> lookup "aof_enabled" info)
    yes n = if n == "0" then "no" else "yes"
    -- The others remove only keys that expire, which those of a job do not.
    eviction = case policy of
      Just p
        | "allkeys-" `C.isPrefixOf` p && limit /= Just "0" ->
          Just $
            "maxmemory-policy is " <> p <> ": Redis removes batches and results when it is full"
      _ -> Nothing
    file = case hasFile of
      Just "no" ->
        Just "appendonly is no: a restart of Redis loses what came after its last snapshot"
      _ -> Nothing
    sync = case lookup "appendfsync" config of
      Just s
        | hasFile /= Just "no" && s /= "always" ->
          Just ("appendfsync is " <> s <> ": if " <> loses s)
      _ -> Nothing
    -- While a sync takes long, Redis keeps what it has confirmed in memory, for two seconds.
    loses s
      | s == "everysec" = "Redis is killed or its host stops, it may lose the last two seconds"
      | otherwise = "its host stops, Redis loses what the host had not written yet"
