-- |
-- Module      : Usage
-- Description : What a server takes while it runs, and whether that grows
--
-- The server is the program that calls this. Its clients are other processes.
module Usage
  ( -- * The server
    underLoad,

    -- * The clients
    affordable,
    clients,
    dial,
    sleep,
    Latency,
    latency,

    -- * Checks
    Check,
    withChecks,

    -- * Random numbers
    Dice,
    newDice,
    roll,
  )
where

import Control.Concurrent (forkIO, killThread, newEmptyMVar, putMVar, takeMVar, threadDelay)
import Control.Exception (bracketOnError, finally)
import Control.Monad (forever, unless, when)
import Data.Bits (shiftR)
import Data.IORef
import Data.List (sort)
import Data.Word (Word64)
import GHC.Stats (gc, gcdetails_live_bytes, getRTSStats)
import Network.Socket
import System.Environment (getExecutablePath)
import System.Exit
import System.Posix.Resource
import System.Process (readProcessWithExitCode)
import Tests.InUse (inUse)
import Text.Printf (printf)

data Usage = Usage
  { usageDescriptors :: !Int,
    usageThreads :: !Int,
    -- | Bytes on the heap, after a collection.
    usageLive :: !Int,
    -- | Bytes that the process has in memory.
    usageResident :: !Int
  }

usageNow :: IO Usage
usageNow = do
  -- (This collects.)
  (descriptors, threads) <- inUse
  live <- gcdetails_live_bytes . gc <$> getRTSStats
  status <- readFile "/proc/self/status"
  let resident = sum [1024 * read n | ["VmRSS:", n, _] <- map words (lines status)]
  pure $! Usage descriptors threads (fromIntegral live) resident

-- | Put the server of this program under load: for a quarter of these seconds by good clients
-- alone, and then among others. Check that the server does not grow, and that nothing is left.
underLoad ::
  Check ->
  Int ->
  -- | For what is made once.
  IO () ->
  -- | Who the good ones are, and what they do for so many seconds.
  (String, Int -> IO Latency) ->
  -- | The same of the others. What they have to say is printed.
  (String, Int -> IO String) ->
  IO ()
underLoad check seconds warmUp (goods, load) (others, harm) = do
  warmUp
  threadDelay 1000000
  before <- usageNow

  let alone = max 10 (seconds `div` 4)
  printf "-- %s, for %d s\n" goods alone
  (without, _) <- sampled alone (load alone)

  printf "-- with %s, for %d s\n" others seconds
  rest <- newEmptyMVar
  _ <- forkIO (harm seconds >>= putMVar rest)
  (with, samples) <- sampled seconds (load seconds)
  takeMVar rest >>= putStr

  showLatency "without the others" without
  showLatency "with the others" with
  judge check 256 before samples

-- | Run an action that takes so many seconds, and look what the server uses, but not at the
-- beginning, when clients arrive.
sampled :: Int -> IO a -> IO (a, [Usage])
sampled seconds act = do
  samples <- newIORef []
  stopped <- newEmptyMVar
  putStrLn "descriptors   live MiB   resident MiB"
  let look = do
        threadDelay (max 1 (seconds `div` 30) * 1000000)
        now <- usageNow
        modifyIORef' samples (now :)
        let (live, resident) = (mib (usageLive now), mib (usageResident now))
        printf "%11d %10.1f %14.1f\n" (usageDescriptors now) live resident
  watcher <- forkIO (forever look `finally` putMVar stopped ())
  a <- act `finally` (killThread watcher >> takeMVar stopped)
  (,) a . reverse <$> readIORef samples

mib :: Int -> Double
mib n = fromIntegral n / 1048576

-- | Check what was used, given the KiB that are allowed for each connection, and what was used
-- before the clients came. The most memory is compared with the most connections. Now they have
-- gone.
judge :: Check -> Int -> Usage -> [Usage] -> IO ()
judge check most before samples = do
  let top f = maximum (f before : map f samples) - f before
      each = mib (top usageLive) * 1024 / fromIntegral (max 1 (top usageDescriptors))
  printf "-- live memory for each connection: at most %.1f KiB\n" each
  check (printf "at most %d KiB for each connection" most) (each <= fromIntegral most)
  check "live memory does not grow" (not (grows (map usageLive samples)))
  (same, after) <- settled before
  let left f = f after - f before
  check
    ( printf
        "left are %d descriptors, %d threads, %d bytes"
        (left usageDescriptors)
        (left usageThreads)
        (left usageLive)
    )
    same

-- | Do these bytes grow? The last quarter is compared with the second, because in the first one
-- the clients arrive.
grows :: [Int] -> Bool
grows ns = n > 0 && mean (drop (3 * n) ns) > 1.25 * mean (take n (drop n ns)) + 4000000
  where
    n = length ns `div` 4
    mean xs = fromIntegral (sum xs) / fromIntegral (length xs) :: Double

-- | Wait until no more descriptors and threads are there than before, and at most a megabyte more.
-- After a minute, return what there is.
settled :: Usage -> IO (Bool, Usage)
settled before = go (60 :: Int)
  where
    go left = do
      now <- usageNow
      let same =
            usageDescriptors now <= usageDescriptors before
              && usageThreads now <= usageThreads before
              && usageLive now <= usageLive before + 1000000
      if same || left == 0 then pure (same, now) else threadDelay 1000000 >> go (left - 1)

-- | As many connections as there are descriptors for, and at most these.
affordable :: Int -> IO Int
affordable wanted = do
  limit <- softLimit <$> getResourceLimit ResourceOpenFiles
  let n = case limit of
        ResourceLimit most -> min wanted (fromIntegral most - 200)
        _ -> wanted
  if n < 100 then die "too few descriptors: see ulimit -n" else pure n

-- | Run clients in another process of this program: who they are, the port, how many, and for how
-- many seconds. Returns what they print.
clients :: Check -> String -> Int -> Int -> Int -> IO String
clients check who port count seconds = do
  self <- getExecutablePath
  (code, out, err) <- readProcessWithExitCode self (who : map show [port, count, seconds]) ""
  putStr err
  check (who ++ " clients ended well") (code == ExitSuccess)
  pure out

-- | A connection to a port of this machine.
dial :: Int -> IO Socket
dial port = bracketOnError (socket AF_INET Stream defaultProtocol) close $ \s ->
  s <$ connect s (SockAddrInet (fromIntegral port) (tupleToHostAddress (127, 0, 0, 1)))

sleep :: Int -> IO ()
sleep milliseconds = threadDelay (milliseconds * 1000)

-- | How many, the median, and what 99.9 % do not exceed, in nanoseconds.
type Latency = (Int, Word64, Word64)

latency :: [Word64] -> Latency
latency ns = (n, at 500, at 999)
  where
    sorted = sort ns
    n = length ns
    at k = case drop (min (n - 1) (n * k `div` 1000)) sorted of
      x : _ -> x
      [] -> 0

showLatency :: String -> Latency -> IO ()
showLatency title (n, median, most) =
  printf "-- %s: %d answers, median %.2f ms, 99.9 %% %.2f ms\n" title n (ms median) (ms most)
  where
    ms t = fromIntegral t / 1000000 :: Double

-- | Says what was checked, and whether it was right.
type Check = String -> Bool -> IO ()

-- | Checks, and a failure of the program if one was not right.
withChecks :: (Check -> IO ()) -> IO ()
withChecks act = do
  failed <- newIORef False
  act $ \what right -> do
    putStrLn ((if right then "ok: " else "FAILED: ") ++ what)
    unless right (writeIORef failed True)
  bad <- readIORef failed
  when bad exitFailure

-- | Random numbers.
newtype Dice = Dice (IORef Word64)

newDice :: Int -> IO Dice
newDice = fmap Dice . newIORef . fromIntegral

-- | One from 0 to below n.
roll :: Dice -> Int -> IO Int
roll (Dice ref) n = do
  x <- (\s -> s * 6364136223846793005 + 1442695040888963407) <$> readIORef ref
  writeIORef ref x
  pure (fromIntegral (x `shiftR` 33) `mod` n)
