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

-- | What there is to say about the end of the program.
newtype Failure = Failure String
  deriving stock (Show)

instance Exception Failure where
  displayException (Failure message) = message

-- | End with a message.
failure :: String -> IO a
failure = throwIO . Failure

-- | Run the program. An exception becomes a message on stderr, behind the name of
-- who is at work, and exit code 1.
reportingFailures :: String -> IO a -> IO a
reportingFailures who act =
  act
    `catches` [ -- The runtime itself knows what to do about these two.
                Handler (\e -> throwIO (e :: ExitCode)),
                Handler (\e -> throwIO (e :: SomeAsyncException)),
                Handler $ \e -> do
                  hPutStrLn stderr (who ++ ": " ++ displayException (e :: SomeException))
                  exitWith (ExitFailure 1)
              ]
