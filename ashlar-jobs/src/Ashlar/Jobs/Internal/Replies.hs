{-# LANGUAGE OverloadedStrings #-}

-- |
-- Module      : Ashlar.Jobs.Internal.Replies
-- Description : What Redis replies
module Ashlar.Jobs.Internal.Replies
  ( addedOf,
    lostOf,
    progressOf,
    statusFrom,
    asideOf,
    pairs,
    unexpected,

    -- * Errors that pass
    starting,
    full,
    longerPause,

    -- * Bytes
    number,
    integers,
    dec,
    escaped,
    chunksOf,
  )
where

import Ashlar.Jobs.Engine
import Ashlar.Jobs.Internal.Exception
import Control.Exception (throwIO)
import Data.ByteString (ByteString)
import qualified Data.ByteString as S
import qualified Data.ByteString.Char8 as C
import Data.Int (Int64)
import qualified Data.List as List
import qualified Data.Map.Strict as M
import qualified Data.Text.Encoding as T
import qualified Data.Text.Encoding.Error as T
import qualified Database.Redis as R

-- | What became of a batch.
addedOf :: R.Reply -> IO Added
addedOf reply = case reply of
  R.Integer 0 -> pure Added
  R.Integer 1 -> pure Full
  R.Integer 2 -> pure Superseded
  other -> unexpected other

-- | What a script says is missing.
lostOf :: ByteString -> Maybe JobException
lostOf why = case C.words why of
  ["LOST", "tasks"] -> Just lostTasks
  ["LOST", "from", n] -> Just (lostFrom (number n))
  ["LOST", "batch", n] -> Just (lostBatch (number n))
  _ -> Nothing

-- | Of session, batches, records, closed.
progressOf :: [Int64] -> Progress
progressOf numbers = case numbers of
  [session, batches, records, closed] -> Progress session batches records (closed > 0)
  _ -> Progress 0 0 0 False

-- | The numbers of a reply.
integers :: [R.Reply] -> [Int64]
integers replies = [fromInteger n | R.Integer n <- replies]

-- | Given the length of the stream, and the fields of the state.
statusFrom :: Int -> [(ByteString, ByteString)] -> Status
statusFrom waitingOrInWork fields =
  Status
    { statusProgress = progressOf (map field ["session", "batches", "records", "closed"]),
      statusTasks = waitingOrInWork,
      statusStored = field "stored",
      statusCollected = field "collected",
      statusAside = fromIntegral (field "aside"),
      statusLost = max 0 (field "batches" - field "stored" - fromIntegral waitingOrInWork),
      statusWorkers =
        List.sort
          [ (T.decodeUtf8With T.lenientDecode w, number k)
            | (f, k) <- fields,
              Just w <- [S.stripPrefix "worker:" f]
          ]
    }
  where
    field f = maybe 0 number (lookup f fields)

-- | What was set aside, by number, given the fields.
asideOf :: [(ByteString, ByteString)] -> [Aside]
asideOf fields =
  List.sortOn
    asideNumber
    [ Aside (number n) batch (M.findWithDefault S.empty (n <> ":failure") found)
      | (field, batch) <- fields,
        (n, ":batch") <- [C.break (== ':') field]
    ]
  where
    found = M.fromList fields

-- | Of names and values.
pairs :: [a] -> [(a, a)]
pairs (a : b : rest) = (a, b) : pairs rest
pairs _ = []

-- | Throws 'EngineFailed'.
unexpected :: R.Reply -> IO a
unexpected reply = throwIO (EngineFailed ("an unexpected reply: " ++ take 200 (show reply)))

-- | It will be there in a moment, or another server in its place. (Before Redis 7, the text of an
-- error inside of a script stands within that of another.)
starting :: ByteString -> Bool
starting e =
  any (`S.isPrefixOf` e) ["LOADING", "BUSY", "MASTERDOWN", "TRYAGAIN", "CLUSTERDOWN", "UNBLOCKED"]
    || "READONLY You can't write" `S.isInfixOf` e

-- | A collector or a person may make space.
full :: ByteString -> Bool
full e = any (`S.isInfixOf` e) ["OOM command not allowed", "MISCONF Redis"]

-- | How many microseconds pass before a command is sent again, given how many did the last time.
longerPause :: Int -> Int
longerPause time = min 1000000 (2 * time + 20000)

-- | A number that Redis keeps as text.
number :: ByteString -> Int64
number = maybe 0 (fromIntegral . fst) . C.readInteger

-- | A number in decimal, or a fingerprint in hexadecimal.
dec :: Show a => a -> ByteString
dec = C.pack . show

-- | A pattern that only these bytes match.
escaped :: ByteString -> ByteString
escaped = C.concatMap $ \c ->
  if c `elem` ("\\*?[]" :: String) then C.pack ['\\', c] else C.singleton c

-- | Lists of at most as many elements.
chunksOf :: Int -> [a] -> [[a]]
chunksOf _ [] = []
chunksOf n xs = let (a, b) = splitAt n xs in a : chunksOf n b
