{-# LANGUAGE OverloadedStrings #-}

-- |
-- Module      : Ashlar.Jobs.Internal.Scripts
-- Description : What Redis does in one step
--
-- The steps of the engine that must happen as a whole, as scripts that Redis runs. It runs nothing
-- else meanwhile, and a script's changes are in its append-only file together or not at all.
--
-- The keys of a job begin with @ashlar-jobs:{NAME}:@. The braces keep them on one node of a
-- cluster. All but the first also have the name of the run, so what is left of one run can never
-- be taken for another's.
--
-- [@state@] hash: @run@, @about@, @session@, @batches@, @records@, @closed@, @stored@, @collected@,
-- @aside@ (the number of batches with records that were set aside), and @worker:NAME@ for the
-- number of results of each worker
-- [@RUN:schemas@] hash: fingerprint in hexadecimal to schema
-- [@RUN:tasks@] stream with the consumer group @workers@: the batches that are not done, with the
-- fields @n@ (number) and @b@ (bytes). The entry of batch N is N+1@-0@.
-- [@RUN:notes@] hash: N to what is kept with the delivery of a batch
-- [@RUN:space@] list: has an element when a batch was done that the submitter has not noticed
-- [@RUN:result:N@] list of one element: the result of the batch with number N. It is a list,
-- because Redis has a command that waits for one. An empty element ends the job.
-- [@RUN:aside@] hash: N@:batch@ and N@:failure@ of what was set aside
-- [@RUN:forgotten@] exists for a day after the run was forgotten
--
-- A script with a run returns the status @GONE@ if that is not in @state@, and @LOST ...@ if other
-- data of it are missing. It has changed nothing then.
--
-- When its memory is full, Redis refuses a script at its first command that needs memory, but lets
-- one go on that has begun to change data. So scripts that make space begin with that.
module Ashlar.Jobs.Internal.Scripts
  ( openScript,
    saveSchemaScript,
    addScript,
    closeScript,
    claimScript,
    holdScript,
    storeScript,
    acknowledgeScript,
    awaitScript,
    releaseScript,
    statusScript,
    forgetScript,
  )
where

import Data.ByteString (ByteString)
import qualified Data.ByteString.Char8 as C

-- State and the run that should be there are the first key and the first argument of each. These
-- fields are numbers.
withRun :: [ByteString] -> [ByteString] -> ByteString
withRun fields code =
  C.unlines $
    [ "local v = redis.call('HMGET', KEYS[1], 'run'"
        <> C.concat [", '" <> f <> "'" | f <- fields]
        <> ")",
      "if v[1] ~= ARGV[1] then return {ok='GONE'} end"
    ]
      ++ [ "local " <> f <> " = tonumber(v[" <> C.pack (show i) <> "] or 0)"
           | (f, i) <- zip fields [2 :: Int ..]
         ]
      ++ code

-- The stream of what there is to do must be there.
needsTasks :: ByteString -> ByteString
needsTasks key = "if redis.call('EXISTS', " <> key <> ") == 0 then return {ok='LOST tasks'} end"

-- The submitter with a session, the third argument.
inSession :: [ByteString]
inSession =
  [ "if session > tonumber(ARGV[2]) then return 2 end",
    "if session < tonumber(ARGV[2]) then return {ok='LOST from ' .. batches} end"
  ]

-- | Keys: state, tasks, forgotten. Arguments: a run, about, and 1 if the run was there before, or 0
-- if it is made if there is none. 1 if there is another run, or if this one is there no more. Else
-- session, batches, records, closed, about.
--
-- A run that is gone does not come back: others may still keep or delete results of it.
openScript :: ByteString
openScript =
  C.unlines
    [ "local run = redis.call('HGET', KEYS[1], 'run')",
      "if run and run ~= ARGV[1] then return 1 end",
      "if not run and (ARGV[3] == '1' or redis.call('EXISTS', KEYS[3]) == 1) then return 1 end",
      "if run then",
      "  " <> needsTasks "KEYS[2]",
      "else",
      "  redis.call('HSET', KEYS[1], 'run', ARGV[1], 'about', ARGV[2])",
      "  redis.call('XGROUP', 'CREATE', KEYS[2], 'workers', '0', 'MKSTREAM')",
      "end",
      "local s = redis.call('HINCRBY', KEYS[1], 'session', 1)",
      "local v = redis.call('HMGET', KEYS[1], 'batches', 'records', 'closed', 'about')",
      "return {s, tonumber(v[1] or 0), tonumber(v[2] or 0), tonumber(v[3] or 0), v[4] or ''}"
    ]

-- | Keys: state, schemas. Arguments: run, fingerprint, schema.
saveSchemaScript :: ByteString
saveSchemaScript = withRun [] ["redis.call('HSET', KEYS[2], ARGV[2], ARGV[3])", "return 0"]

-- | Keys: state, tasks. Arguments: run, session, limit, number, records, bytes. 0 if it was added,
-- 1 if there are too many, 2 if another submitter has begun.
addScript :: ByteString
addScript =
  withRun ["session", "batches"] $
    inSession
      ++ [ needsTasks "KEYS[2]",
           "local n = tonumber(ARGV[4])",
           "if n < batches then return 0 end",
           "if n > batches then return {ok='LOST from ' .. batches} end",
           "if redis.call('XLEN', KEYS[2]) >= tonumber(ARGV[3]) then return 1 end",
           "redis.call('XADD', KEYS[2], (n + 1) .. '-0', 'n', ARGV[4], 'b', ARGV[6])",
           "redis.call('HSET', KEYS[1], 'batches', n + 1, 'records', ARGV[5])",
           "return 0"
         ]

-- | Keys: state, tasks, the result after the last. Arguments: run, session, number. Returns as the
-- one before.
closeScript :: ByteString
closeScript =
  withRun ["session", "batches", "closed"] $
    inSession
      ++ [ needsTasks "KEYS[2]",
           "if batches ~= tonumber(ARGV[3]) then return {ok='LOST from ' .. batches} end",
           "if closed > 0 then return 0 end",
           "redis.call('HSET', KEYS[1], 'closed', 1)",
           "redis.call('RPUSH', KEYS[3], '')",
           "return 0"
         ]

-- | Keys: state, tasks, notes. Arguments: run, worker, idle time. A batch that has been idle: id,
-- attempt, number, bytes, note. Otherwise 1 if nothing will come, else 0; and the fields.
claimScript :: ByteString
claimScript =
  withRun
    ["session", "batches", "records", "closed"]
    [ needsTasks "KEYS[2]",
      "while true do",
      "  local p = redis.call('XPENDING', KEYS[2], 'workers', 'IDLE', ARGV[3], '-', '+', 1)[1]",
      "  if not p then break end",
      "  local c = redis.call('XCLAIM', KEYS[2], 'workers', ARGV[2], ARGV[3], p[1])[1]",
      "  if c then",
      "    local note = redis.call('HGET', KEYS[3], c[2][2])",
      "    return {p[1], p[4] + 1, c[2][2], c[2][4], note or ''}",
      "  end",
      "  redis.call('XACK', KEYS[2], 'workers', p[1])",
      "end",
      "local done = 0",
      "if closed > 0 and redis.call('XLEN', KEYS[2]) == 0 then done = 1 end",
      "return {done, session, batches, records, closed}"
    ]

-- | Keys: state, tasks, notes. Arguments: run, worker, id, idle time, attempt or nothing, number,
-- whether there is a note, the note. 1 if the worker has the delivery.
holdScript :: ByteString
holdScript =
  withRun
    []
    [ needsTasks "KEYS[2]",
      "local p = redis.call('XPENDING', KEYS[2], 'workers', ARGV[3], ARGV[3], 1)[1]",
      "if not p or p[2] ~= ARGV[2] then return 0 end",
      "local attempt = ARGV[5] == '' and p[4] or ARGV[5]",
      "redis.call('XCLAIM', KEYS[2], 'workers', ARGV[2], 0, ARGV[3],",
      "  'IDLE', ARGV[4], 'RETRYCOUNT', attempt, 'JUSTID')",
      "if ARGV[7] == '1' then redis.call('HSET', KEYS[3], ARGV[6], ARGV[8]) end",
      "return 1"
    ]

-- | Keys: state, result, aside. Arguments: run, number, bytes, worker, and the two parts of what is
-- set aside. 1 if it is kept.
storeScript :: ByteString
storeScript =
  withRun
    ["batches", "collected", "stored"]
    [ "local n = tonumber(ARGV[2])",
      "if n >= batches then return {ok='LOST from ' .. batches} end",
      "if n < collected then return 0 end",
      "if redis.call('EXISTS', KEYS[2]) == 1 then return 0 end",
      "redis.call('RPUSH', KEYS[2], ARGV[3])",
      -- One that was lost may be stored again.
      "if stored < batches then",
      "  redis.call('HINCRBY', KEYS[1], 'stored', 1)",
      "  redis.call('HINCRBY', KEYS[1], 'worker:' .. ARGV[4], 1)",
      "end",
      "if ARGV[5] then",
      "  local new = redis.call('HSET', KEYS[3],",
      "    ARGV[2] .. ':batch', ARGV[5], ARGV[2] .. ':failure', ARGV[6])",
      "  if new > 0 then redis.call('HINCRBY', KEYS[1], 'aside', 1) end",
      "end",
      "return 1"
    ]

-- | Keys: state, tasks, space, notes. Arguments: run, id, number.
acknowledgeScript :: ByteString
acknowledgeScript =
  withRun
    []
    [ "if redis.call('EXISTS', KEYS[2]) == 1 then",
      "  redis.call('XACK', KEYS[2], 'workers', ARGV[2])",
      "  redis.call('XDEL', KEYS[2], ARGV[2])",
      "end",
      "redis.call('HDEL', KEYS[4], ARGV[3])",
      "if redis.call('EXISTS', KEYS[3]) == 0 then redis.call('RPUSH', KEYS[3], '') end",
      "return 0"
    ]

-- | Keys: state, tasks, result. Arguments: run, number. What there is of a result: 1 if it has been
-- released, 2 if the job ends before it, else 0; and the fields.
awaitScript :: ByteString
awaitScript =
  withRun
    ["session", "batches", "records", "closed", "collected"]
    [ "local n, kind = tonumber(ARGV[2]), 0",
      "if n < collected then kind = 1",
      "elseif n > batches then return {ok='LOST from ' .. batches}",
      "elseif n == batches then if closed > 0 then kind = 2 end",
      "elseif redis.call('EXISTS', KEYS[3]) == 0 then",
      "  " <> needsTasks "KEYS[2]",
      "  local id = (n + 1) .. '-0'",
      "  if #redis.call('XRANGE', KEYS[2], id, id) == 0 then",
      "    return {ok='LOST batch ' .. ARGV[2]}",
      "  end",
      "end",
      "return {kind, session, batches, records, closed}"
    ]

-- | Keys: state, tasks, result. Arguments: run, number, the beginning of the keys of results.
--
-- Results that are missing were there before Redis went back to an old state.
releaseScript :: ByteString
releaseScript =
  withRun
    ["batches", "collected", "stored"]
    [ "local n = tonumber(ARGV[2])",
      "if n >= batches then return {ok='LOST from ' .. batches} end",
      "local missing = 1 - redis.call('DEL', KEYS[3])",
      "if n < collected then return 0 end",
      "for i = collected, n - 1 do",
      "  missing = missing + 1 - redis.call('DEL', ARGV[3] .. i)",
      "end",
      "if missing > 0 then",
      "  redis.call('HSET', KEYS[1], 'stored', math.min(batches, stored + missing))",
      "  for _, e in ipairs(redis.call('XRANGE', KEYS[2], '-', (n + 1) .. '-0')) do",
      "    redis.call('XACK', KEYS[2], 'workers', e[1])",
      "    redis.call('XDEL', KEYS[2], e[1])",
      "  end",
      "end",
      "redis.call('HSET', KEYS[1], 'collected', n + 1)",
      "return 0"
    ]

-- | Keys: state. Arguments: the beginning of all keys. Nothing, or the length of the stream and the
-- fields of the state.
statusScript :: ByteString
statusScript =
  C.unlines
    [ "local run = redis.call('HGET', KEYS[1], 'run')",
      "if not run then return {} end",
      "local tasks = redis.call('XLEN', ARGV[1] .. run .. ':tasks')",
      "return {tasks, redis.call('HGETALL', KEYS[1])}"
    ]

-- | Keys: state. Arguments: the beginning of all keys, the run or nothing. Deletes all but the
-- results. Returns the run, and the numbers of the first and the last result.
forgetScript :: ByteString
forgetScript =
  C.unlines
    [ "local v = redis.call('HMGET', KEYS[1], 'run', 'collected', 'batches')",
      "if not v[1] or (ARGV[2] ~= '' and ARGV[2] ~= v[1]) then return {} end",
      "redis.call('DEL', KEYS[1])",
      "local p = ARGV[1] .. v[1] .. ':'",
      "for _, k in ipairs({'schemas', 'tasks', 'notes', 'space', 'aside'}) do",
      "  redis.call('DEL', p .. k)",
      "end",
      "redis.call('SET', p .. 'forgotten', '', 'EX', 86400)",
      "return {v[1], tonumber(v[2] or 0), tonumber(v[3] or 0)}"
    ]
