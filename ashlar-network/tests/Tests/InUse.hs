-- |
-- Module      : Tests.InUse
-- Description : What a process has in use
module Tests.InUse (inUse, leavesNothing, eventually) where

import Control.Concurrent (threadDelay)
import System.Directory (listDirectory)
import System.Mem (performGC)

-- | How many descriptors are open, and how many threads of this process have not ended.
inUse :: IO (Int, Int)
inUse = (,) <$> (length <$> listDirectory "/proc/self/fd") <*> (performGC >> threadCount)

foreign import ccall unsafe "ashlar_thread_count" threadCount :: IO Int

-- | Run an action, and wait until it has left no descriptor open and no thread running.
leavesNothing :: IO a -> IO a
leavesNothing act = do
  (descriptors, threads) <- inUse
  a <- act
  a <$ eventually ((\(d, t) -> d <= descriptors && t <= threads) <$> inUse)

-- | Wait until a condition holds. It does in a moment, or the test fails.
eventually :: IO Bool -> IO ()
eventually condition = go (2000 :: Int)
  where
    go 0 = ioError (userError "a condition did not come true within 20 seconds")
    go n = condition >>= \now -> if now then pure () else threadDelay 10000 >> go (n - 1)
