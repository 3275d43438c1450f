{-# OPTIONS_GHC -fno-do-lambda-eta-expansion #-}

-- |
-- Module      : Ashlar.Schema.Internal.Evolution.Inner
-- Description : Decoding what has been translated
--
-- Note [Errors of translated values]
-- ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
-- The decoder of the new bytes is a part of the run that reads the old ones, as in
-- Note [A decoder on other bytes] in "Ashlar.Internal.Get.Strings". Its errors are about old bytes.
-- They are made in traced runs, in which the old bytes of the value are kept. After a failure, the
-- value is translated twice more: once to find out where the byte of the error was written, before
-- fields were moved, and once up to there. So translating keeps no record of what came from where.
module Ashlar.Schema.Internal.Evolution.Inner
  ( translated,
    translatedBytes,
    oneAfterAnother,
  )
where

import Ashlar.Get (attempt, endOfInput, lookAhead, lookAheadE)
import Ashlar.Internal.Get.Core
import Ashlar.Internal.Get.Env
import Ashlar.Internal.Get.Failure
import Ashlar.Internal.Get.Limits (setOver)
import Ashlar.Internal.Get.Record (failuresSoFar, setFailures)
import Ashlar.Internal.Get.Strings (onBytes)
import Ashlar.Internal.Mem.Cells
import Ashlar.Schema.Internal.Evolution.Extent (Run)
import Ashlar.Schema.Internal.Evolution.Output
import Control.Applicative ((<|>))
import Control.Monad (when)
import Data.ByteString (ByteString)
import Data.IORef (readIORef)
import qualified Data.List as List
import Data.Maybe (fromMaybe)

-- | Translate a value, given the size of the first buffer, and decode the new bytes. The decoder
-- must read them to their end.
translated :: Int -> Run -> Get a -> Get a
translated size translate g = do
  traced <- inspect (\c _ _ -> isTraced c)
  if traced
    then tracedly size translate toItsEnd
    else
      translatedBytes size translate >>= other toItsEnd >>= \outcome -> case outcome of
        Right x -> pure x
        Left _ -> failed
  where
    toItsEnd = g <* endOfInput

-- | Translate a value.
translatedBytes :: Int -> Run -> Get ByteString
translatedBytes size translate =
  newOut size (-1) (\out -> translate out *> effect (finished out))

-- | Translate n values. After each, read what follows, given how many bytes the value took.
oneAfterAnother :: (Int -> Get ()) -> Int -> Run -> Run
oneAfterAnother after count translate out = go count
  where
    go n
      | n <= 0 = pure ()
      | otherwise = do
        before <- here
        translate out
        now <- here
        after (now - before)
        go (n - 1)

-- Run a decoder on the new bytes. If it fails, these are its failures.
other :: Get a -> ByteString -> Get (Either Failures a)
other = onBytes 0 (,) (\_ _ _ input -> readIORef (inputFailures input))

-- 'translated' in a traced run: Note [Errors of translated values].
tracedly :: Int -> Run -> Get a -> Get a
tracedly size translate g = do
  steps <- stepsLeft
  outcome <- lookAheadE (translatedBytes size translate >>= other g)
  case outcome of
    Right x -> pure x
    Left found -> do
      left <- stepsLeft
      -- Even if the budget has been used up, this may look for origins.
      over <- inspect (\c _ _ -> isOver c)
      when over $ inspect (\c _ _ -> setOver False c)
      let failures = listed found
          offsets = List.nub (map failureOffset failures)
      origins <- mapM (originOf translate steps) offsets
      -- The steps that this took are not steps of the value.
      setSteps left
      -- Failures before the end of the budget do not matter.
      when over $ inspect (\c env _ -> setOver True c *> setFailures env NoFailures)
      step (\_ env -> mapM_ (recorded env (zip offsets origins)) (reverse failures))
      failed
  where
    recorded env origins f = do
      before <- failuresSoFar env
      let at = fromMaybe 0 (lookup (failureOffset f) origins)
          moved = f {failureReach = at, failureOffset = at, failureFound = nothingFound}
      setFailures env (addFailure moved before)

stepsLeft :: Get Int
stepsLeft = inspect $ \c env _ -> case budgetAccount c env of Account own -> getInt own stepsCell

setSteps :: Int -> Get ()
setSteps n = inspect $ \c env _ -> case budgetAccount c env of Account own -> putInt own stepsCell n

-- The offset of the old byte that a new byte comes from. The value begins at the cursor, and has
-- been translated before, with as many steps. (A commit of a decoder in the program must not give
-- up the choices here.)
originOf :: Run -> Int -> Int -> Get Int
originOf translate steps k = do
  setSteps steps
  -- Where in the output the byte was written, before fields were moved.
  place <-
    lookAhead $
      newOut freeBytes maxBound (\out -> attempt (translate out) *> effect (sourceOf out k))
        <|> pure 0
  setSteps steps
  lookAhead $
    newOut freeBytes place $ \out@(Out o _ _) ->
      (attempt (translate out) *> here) <|> do
        at <- effect (getInt o outSource)
        if at >= 0 then pure at else here
