-- What wrk asks, and how it compares the answers: see Http.hs.
local expected, requests, threads, turn = {}, {}, {}, 0
wrong = 0

function setup(thread)
  table.insert(threads, thread)
end

function init()
  for _, n in ipairs({0, 1, 60, 2000}) do
    local words, lines = {}, {}
    for i = 1, n do
      words[i] = string.char(0, 0, math.floor(i / 256), i % 256)
      lines[i] = 7 * i .. "\n"
    end
    expected[n] = n .. "\n" .. table.concat(lines) .. n * (n + 1) / 2 .. "\n"
    table.insert(requests, wrk.format("POST", "/numbers", {}, table.concat(words)))
  end
end

function request()
  turn = turn % #requests + 1
  return requests[turn]
end

function response(status, headers, body)
  if status ~= 200 or body ~= expected[tonumber(body:match("^%d+"))] then
    wrong = wrong + 1
  end
end

-- Milliseconds before the next request.
function delay()
  return math.random(0, 400)
end

function done(summary, latency)
  local e, bad = summary.errors, 0
  for _, thread in ipairs(threads) do
    bad = bad + thread:get("wrong")
  end
  io.write(string.format("load %d %d %d %d %d\n", summary.requests, latency:percentile(50),
    latency:percentile(99.9), bad, e.connect + e.read + e.write + e.status + e.timeout))
end
