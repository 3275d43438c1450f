{-# LANGUAGE OverloadedStrings #-}

-- |
-- Module      : Ashlar.Jobs.Internal.Scripts
-- Description : What Redis does in one step
--
-- The steps of the engine that must happen as a whole, as scripts that Redis runs. It runs nothing
-- else meanwhile, and a script's changes are in its append-only file together or not at all.
--
-- The keys of a job begin with @ashlar-jobs:{NAME}:@. The braces keep them on one node of a
-- cluster.
--
-- [@state@] hash: @session@, @batches@, @records@, @closed@, @stored@, @collected@
-- [@schemas@] hash: fingerprint in hexadecimal to schema
-- [@tasks@] stream with the consumer group @workers@: the batches that are not done, with the
-- fields @n@ (number) and @b@ (bytes)
-- [@space@] list: has an element when a batch was done that the submitter has not noticed
-- [@result:N@] list of one element: the result of the batch with number N. It is a list, because
-- Redis has a command that waits for one. An empty element ends the job.
-- [@aside@] hash: N@:batch@ and N@:failure@ of the batches that were set aside
-- [@workers@] hash: the name of a worker to the number of its results
module Ashlar.Jobs.Internal.Scripts
  ( openScript,
    addScript,
    closeScript,
    claimScript,
    setIdleScript,
    storeScript,
    acknowledgeScript,
    releaseScript,
  )
where

import Data.ByteString (ByteString)
import qualified Data.ByteString.Char8 as C

-- The stream and its group, if they do not exist.
createGroup :: ByteString -> ByteString
createGroup key =
  C.concat
    [ "if redis.call('EXISTS', " <> key <> ") == 0 then ",
      "redis.call('XGROUP', 'CREATE', " <> key <> ", 'workers', '0', 'MKSTREAM') end"
    ]

-- | Keys: state, tasks. The next session, batches, records, closed.
openScript :: ByteString
openScript =
  C.unlines
    [ createGroup "KEYS[2]",
      "local s = redis.call('HINCRBY', KEYS[1], 'session', 1)",
      "local v = redis.call('HMGET', KEYS[1], 'batches', 'records', 'closed')",
      "return {s, tonumber(v[1] or 0), tonumber(v[2] or 0), tonumber(v[3] or 0)}"
    ]

-- | Keys: state, tasks. Arguments: session, limit, number, records, bytes. 0 if it was added, 1 if
-- there are too many, 2 if another submitter has begun, 3 if batches are missing.
addScript :: ByteString
addScript =
  C.unlines
    [ "local v = redis.call('HMGET', KEYS[1], 'session', 'batches')",
      "if v[1] ~= ARGV[1] then return 2 end",
      "local next, n = tonumber(v[2] or 0), tonumber(ARGV[3])",
      "if n < next then return 0 end",
      "if n > next then return 3 end",
      "if redis.call('XLEN', KEYS[2]) >= tonumber(ARGV[2]) then return 1 end",
      "redis.call('XADD', KEYS[2], '*', 'n', ARGV[3], 'b', ARGV[5])",
      "redis.call('HSET', KEYS[1], 'batches', n + 1, 'records', ARGV[4])",
      "return 0"
    ]

-- | Keys: state, the result after the last. Arguments: session, number. Returns as the one before.
closeScript :: ByteString
closeScript =
  C.unlines
    [ "local v = redis.call('HMGET', KEYS[1], 'session', 'batches', 'closed')",
      "if v[1] ~= ARGV[1] then return 2 end",
      "if tonumber(v[2] or 0) ~= tonumber(ARGV[2]) then return 3 end",
      "if v[3] then return 0 end",
      "redis.call('HSET', KEYS[1], 'closed', 1)",
      "redis.call('RPUSH', KEYS[2], '')",
      "return 0"
    ]

-- | Keys: tasks, state. Arguments: worker, idle time. A batch that has been idle: id, attempt,
-- number, bytes. Otherwise one number: 1 if nothing will come, else 0.
claimScript :: ByteString
claimScript =
  C.unlines
    [ createGroup "KEYS[1]",
      "while true do",
      "  local p = redis.call('XPENDING', KEYS[1], 'workers', 'IDLE', ARGV[2], '-', '+', 1)[1]",
      "  if not p then break end",
      "  local c = redis.call('XCLAIM', KEYS[1], 'workers', ARGV[1], ARGV[2], p[1])[1]",
      "  if c then return {p[1], p[4] + 1, c[2][2], c[2][4]} end",
      "  redis.call('XACK', KEYS[1], 'workers', p[1])",
      "end",
      "if redis.call('HEXISTS', KEYS[2], 'closed') == 0 then return {0} end",
      "if redis.call('XLEN', KEYS[1]) > 0 then return {0} end",
      "return {1}"
    ]

-- | Keys: tasks. Arguments: worker, id, idle time, attempt.
setIdleScript :: ByteString
setIdleScript =
  C.unlines
    [ "local p = redis.call('XPENDING', KEYS[1], 'workers', ARGV[2], ARGV[2], 1)[1]",
      "if p and p[2] == ARGV[1] then",
      "  redis.call('XCLAIM', KEYS[1], 'workers', ARGV[1], 0, ARGV[2],",
      "    'IDLE', ARGV[3], 'RETRYCOUNT', ARGV[4], 'JUSTID')",
      "end",
      "return 0"
    ]

-- | Keys: state, result, workers. Arguments: number, bytes, worker. 1 if it is kept.
storeScript :: ByteString
storeScript =
  C.unlines
    [ "local collected = tonumber(redis.call('HGET', KEYS[1], 'collected') or 0)",
      "if tonumber(ARGV[1]) < collected then return 0 end",
      "if redis.call('EXISTS', KEYS[2]) == 1 then return 0 end",
      "redis.call('RPUSH', KEYS[2], ARGV[2])",
      "redis.call('HINCRBY', KEYS[1], 'stored', 1)",
      "redis.call('HINCRBY', KEYS[3], ARGV[3], 1)",
      "return 1"
    ]

-- | Keys: tasks, space. Arguments: id.
acknowledgeScript :: ByteString
acknowledgeScript =
  C.unlines
    [ "redis.call('XACK', KEYS[1], 'workers', ARGV[1])",
      "redis.call('XDEL', KEYS[1], ARGV[1])",
      "if redis.call('EXISTS', KEYS[2]) == 0 then redis.call('RPUSH', KEYS[2], '') end",
      "return 0"
    ]

-- | Keys: state, result. Arguments: number.
releaseScript :: ByteString
releaseScript =
  C.unlines
    [ "local collected = tonumber(redis.call('HGET', KEYS[1], 'collected') or 0)",
      "if tonumber(ARGV[1]) >= collected then",
      "  redis.call('HSET', KEYS[1], 'collected', tonumber(ARGV[1]) + 1)",
      "end",
      "redis.call('DEL', KEYS[2])",
      "return 0"
    ]
