-- |
-- Module      : Main
-- Description : The tool ashlar
module Main (main) where

import Ashlar.Cli (handleFlush, runCli, standardHandles)
import Control.Concurrent (myThreadId)
import Control.Exception
import Control.Monad (forM_, when)
import GHC.IO.Encoding (mkTextEncoding, setFileSystemEncoding)
import System.Environment (getArgs)
import System.Exit (exitWith)
import System.Posix.Signals
import System.Timeout (timeout)

main :: IO ()
main = do
  -- Names of files and of fields are UTF-8, whatever the locale says.
  mkTextEncoding "UTF-8//ROUNDTRIP" >>= setFileSystemEncoding
  handles <- standardHandles
  endedBy [sigTERM, sigHUP] (handleFlush handles) (getArgs >>= runCli handles >>= exitWith)

newtype Ended = Ended Signal

instance Show Ended where
  show (Ended signal) = "signal " ++ show signal

instance Exception Ended where
  toException = asyncExceptionToException
  fromException = asyncExceptionFromException

-- These signals end the program, as Ctrl-C does: first files that are not complete are removed, and
-- results so far are written, unless nobody takes them for a second. (A signal that is ignored
-- stays so: nohup.)
endedBy :: [Signal] -> IO () -> IO () -> IO ()
endedBy signals writeResults act = do
  this <- myThreadId
  forM_ signals $ \signal -> do
    before <- installHandler signal (CatchOnce (throwTo this (Ended signal))) Nothing
    when (isIgnored before) (() <$ installHandler signal Ignore Nothing)
  act `catch` \(Ended signal) -> do
    _ <- installHandler signal Default Nothing
    _ <- timeout 1000000 writeResults
    raiseSignal signal
  where
    isIgnored handler = case handler of
      Ignore -> True
      _ -> False
