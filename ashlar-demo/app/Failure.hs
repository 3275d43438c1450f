{-# LANGUAGE DerivingStrategies #-}

-- |
-- Module      : Failure
-- Description : Ending with a message
module Failure
  ( Failure (..),
    failure,
    reportingFailures,
  )
where

import Control.Exception
import System.Exit (ExitCode (..), exitWith)
import System.IO (hPutStrLn, stderr)

-- | Why the program ends.
newtype Failure = Failure String
  deriving stock (Show)

instance Exception Failure where
  displayException (Failure message) = message

-- | End with a message.
failure :: String -> IO a
failure = throwIO . Failure

-- | Run the program. An exception becomes a message on stderr, after the given name, and exit code
-- 1.
reportingFailures :: String -> IO a -> IO a
reportingFailures who act =
  act
    `catches` [ -- The runtime handles these two itself.
                Handler (\e -> throwIO (e :: ExitCode)),
                Handler (\e -> throwIO (e :: SomeAsyncException)),
                Handler $ \e -> do
                  hPutStrLn stderr (who ++ ": " ++ displayException (e :: SomeException))
                  exitWith (ExitFailure 1)
              ]
