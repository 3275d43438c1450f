{-# LANGUAGE OverloadedStrings #-}

-- |
-- Module      : Ashlar.Cli.Verify
-- Description : verify
module Ashlar.Cli.Verify
  ( verify,
  )
where

import Ashlar.Cli.Blocks
import Ashlar.Cli.Console
import Ashlar.Cli.Ending
import Ashlar.Cli.Files
import Ashlar.Cli.Input
import Ashlar.File
import Ashlar.File.Blocks
import Ashlar.Schema (getValue)
import Control.Monad (void, when)
import qualified Data.ByteString as B
import Data.IORef (newIORef, readIORef, writeIORef)
import Data.Int (Int64)
import Data.Maybe (fromMaybe)
import qualified Data.Text as T
import System.Exit (ExitCode)

-- | Check a file: its structure, its checksums, and its values by their schema. Says what is
-- damaged, and goes on after it.
verify :: Handles -> Selection -> Input -> IO ExitCode
verify hs selection input = case input of
  BareFile path _ -> do
    (n, end) <-
      foldInput hs selection input (void . getValue) (\n _ -> pure (n + 1)) (0 :: Int64)
    verdict hs path end (count n "value")
  RecordFile path -> do
    needFile "verify" path
    size <- fromMaybe 0 <$> fileSizeOf path
    withProgress hs size (verifyRecords hs selection path)

data Found = Found
  { foundSchemas :: !Decoders,
    foundFiles :: !Int64,
    foundBlocks :: !Int64,
    foundRecords :: !Int64,
    foundEnding :: !Ending
  }

verifyRecords :: Handles -> Selection -> FilePath -> Progress -> IO ExitCode
verifyRecords hs selection path watched = do
  header <- readHeader path
  unread <- newIORef Nothing
  let step header' found event = case event of
        LostBlocks lost -> do
          say hs (lostText lost)
          pure found {foundEnding = max (endingOf (lostDamage lost)) (foundEnding found)}
        FileBegins at begun -> do
          let first = fileFingerprint header'
              other = maybe False ((/= first) . fileFingerprint) begun
          when (at > 0) . say hs $
            path ++ ": another file begins at byte " ++ show at
              ++ (if other then ", of another type" else "")
          pure
            found
              { foundSchemas = withFile at begun (foundSchemas found),
                foundFiles = foundFiles found + 1
              }
        WholeBlock b -> do
          progress watched (blockEnd b)
          let found' =
                found
                  { foundSchemas = withBlock b (foundSchemas found),
                    foundBlocks = foundBlocks found + 1
                  }
          if blockKind (blockHeader b) == Records then records found' b else pure found'
      records found b = do
        let h = blockHeader b
            wrong :: Int -> Cause -> IO Found
            wrong n cause = do
              let first = blockRecord b + fromIntegral n
                  damage = Damage path (blockAt b) (Just (blockNumber b)) first cause
              say hs (damageText damage)
              pure
                found
                  { foundEnding = max (endingOf damage) (foundEnding found),
                    foundRecords = foundRecords found + fromIntegral n
                  }
            right = pure found {foundRecords = foundRecords found + fromIntegral (blockCount h)}
        case decoderAt (foundSchemas found) b of
          Nothing -> wrong 0 UnknownSchema
          Just (Left why) -> writeIORef unread (Just why) >> right
          Just (Right g) -> do
            body <- blockRecords (readOptions selection) (headerNow (foundSchemas found)) b
            case body of
              Left (UnknownCompression name)
                | not (B.null name) ->
                  writeIORef unread (Just ("compressed by " ++ show name)) >> right
              Left cause -> wrong 0 cause
              Right bytes ->
                wholeRecords g (blockCount h) bytes >>= \decoded -> case decoded of
                  (n, _, Just e) -> wrong n (BadRecord e)
                  (n, at, Nothing)
                    | at == B.length bytes -> right
                    | otherwise -> wrong n WrongCount
  case header of
    Left damage -> do
      say hs (damageText damage)
      pure (exitOf (endingOf damage))
    Right h -> do
      result <- foldBlocks (readOptions selection) path (step h) (Found (decodersOf h) 0 0 0 Fine)
      case result of
        Left damage -> exitOf (endingOf damage) <$ say hs (damageText damage)
        Right found -> do
          why <- readIORef unread
          mapM_ (\w -> say hs (path ++ ": values were not checked: " ++ w)) why
          verdict hs path (foundEnding found) $
            count (foundRecords found) "record" ++ " in " ++ count (foundBlocks found) "block"
              ++ (if foundFiles found > 1 then " of " ++ count (foundFiles found) "file" else "")

verdict :: Handles -> FilePath -> Ending -> String -> IO ExitCode
verdict hs path end what = do
  putLines hs [T.concat [T.pack (oneLine path), ": ", word, ", ", T.pack what, T.pack which]]
  pure (exitOf end)
  where
    word = case end of
      Fine -> inColour hs Green "ok"
      WithDamage -> inColour hs Red "damaged"
      Refused -> inColour hs Yellow "not checked as a whole"
    which = if end == Fine then "" else " readable"
