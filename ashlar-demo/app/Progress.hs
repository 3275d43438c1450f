-- |
-- Module      : Progress
-- Description : A line that shows the progress
module Progress
  ( withProgress,
  )
where

import Control.Concurrent (forkIOWithUnmask, killThread, threadDelay)
import Control.Exception (bracket)
import Control.Monad (forever)
import System.IO (Handle, hFlush, hIsTerminalDevice, hPutStr, hTell, stderr)

-- | Show the progress of an action on a file, if stderr is a terminal. The action must leave the
-- Handle open.
--
-- This reads the Handle's position five times a second, which costs nothing measurable.
withProgress :: String -> Handle -> IO a -> IO a
withProgress what h act = do
  terminal <- hIsTerminalDevice stderr
  if terminal then bracket start stop (const act) else act
  where
    start = forkIOWithUnmask $ \unmask -> unmask $
      forever $ do
        at <- hTell h
        say (what ++ ": " ++ show (at `quot` 1000000) ++ " MB")
        threadDelay 200000
    stop thread = killThread thread >> say ""
    -- Erase to the end of the line, and stay at its start.
    say line = hPutStr stderr ("\r" ++ line ++ "\ESC[K\r") >> hFlush stderr
