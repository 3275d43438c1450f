-- |
-- Module      : Main
-- Description : A wrong assertion of GHC's debugging runtime, without this library
--
-- A thread throws to one that has exceptions masked, and waits until that unmasks them. It uses
-- base alone. On GHC 9.0.2 with @-debug@ and one capability, the runtime stops with "ASSERTION
-- FAILED: file rts/Messages.h, line 29": the message must be locked, but with one capability
-- nothing is locked. With two capabilities, and on GHC 9.10.3, the program ends well.
module Main (main) where

import Control.Concurrent
import Control.Exception
import Control.Monad (replicateM_)

main :: IO ()
main = do
  ready <- newEmptyMVar
  done <- newEmptyMVar
  thread <- mask_ $
    forkIOWithUnmask $ \unmask -> do
      putMVar ready ()
      replicateM_ 1000 yield
      result <- try (unmask (pure ()))
      putMVar done (either (`seq` ()) id (result :: Either AsyncException ()))
  takeMVar ready
  killThread thread
  takeMVar done
