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
import Ashlar.Cli.Input
import Ashlar.File
import Ashlar.File.Blocks
import Ashlar.Schema (getValue)
import Control.Monad (void, when)
import qualified Data.ByteString as B
import Data.IORef (newIORef, readIORef, writeIORef)
import Data.Int (Int64)
import qualified Data.Text as T
import System.Exit (ExitCode (..))
import System.IO (IOMode (ReadMode), hFileSize, withBinaryFile)

-- | Check a file: its structure, its checksums, and its values by their schema. Says what is
-- damaged, and goes on after it.
--
-- @since 0.1.0.0
verify :: Handles -> Selection -> Input -> IO ExitCode
verify hs selection input = case input of
  BareFile path _ -> do
    (n, ending) <-
      foldInput hs selection input (void . getValue) (\n _ -> pure (n + 1)) (0 :: Int64)
    verdict hs path (ending == Fine) (count n "value")
  RecordFile path -> do
    size <- withBinaryFile path ReadMode hFileSize
    withProgress hs (fromInteger size) (verifyRecords hs selection path)

data Found = Found
  { foundSchemas :: !Decoders,
    foundFiles :: !Int64,
    foundBlocks :: !Int64,
    foundRecords :: !Int64,
    foundDamage :: !Int
  }

verifyRecords :: Handles -> Selection -> FilePath -> Progress -> IO ExitCode
verifyRecords hs selection path watched = do
  header <- readHeader path
  unread <- newIORef Nothing
  let step header' found event = case event of
        LostBlocks lost -> do
          say hs (lostText lost)
          pure found {foundDamage = foundDamage found + 1}
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
              say hs . damageText $
                Damage path (blockAt b) (Just (blockNumber b)) (blockRecord b + toInt64 n) cause
              pure
                found
                  { foundDamage = foundDamage found + 1,
                    foundRecords = foundRecords found + fromIntegral n
                  }
            right = pure found {foundRecords = foundRecords found + fromIntegral (blockCount h)}
        case decoderAt (foundSchemas found) b of
          Nothing -> wrong 0 UnknownSchema
          Just (Left why) -> writeIORef unread (Just why) >> right
          Just (Right g) -> do
            body <- blockRecords (readOptions selection) (headerNow (foundSchemas found)) b
            case body of
              Left (UnknownCompression name) ->
                writeIORef unread (Just ("compressed by " ++ show name)) >> right
              Left cause -> wrong 0 cause
              Right bytes -> case wholeRecords g (blockCount h) bytes of
                (n, _, Just e) -> wrong n (BadRecord e)
                (n, at, Nothing)
                  | at == B.length bytes -> right
                  | otherwise -> wrong n WrongCount
  case header of
    Left damage -> do
      say hs (damageText damage)
      pure (ExitFailure 1)
    Right h -> do
      result <- foldBlocks (readOptions selection) path (step h) (Found (decodersOf h) 0 0 0 0)
      case result of
        Left damage -> ExitFailure 1 <$ say hs (damageText damage)
        Right found -> do
          why <- readIORef unread
          mapM_ (\w -> say hs (path ++ ": values were not checked: " ++ w)) why
          verdict hs path (foundDamage found == 0) $
            count (foundRecords found) "record" ++ " in " ++ count (foundBlocks found) "block"
              ++ (if foundFiles found > 1 then " of " ++ count (foundFiles found) "file" else "")

toInt64 :: Int -> Int64
toInt64 = fromIntegral

verdict :: Handles -> FilePath -> Bool -> String -> IO ExitCode
verdict hs path fine what = do
  putLines
    hs
    [ T.concat
        [ T.pack (oneLine path),
          ": ",
          if fine then inColour hs Green "ok" else inColour hs Red "damaged",
          ", ",
          T.pack what,
          if fine then "" else " readable"
        ]
    ]
  pure (if fine then ExitSuccess else ExitFailure 1)
