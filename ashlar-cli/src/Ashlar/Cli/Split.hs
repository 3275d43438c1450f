-- |
-- Module      : Ashlar.Cli.Split
-- Description : split
module Ashlar.Cli.Split
  ( SplitBy (..),
    splitFile,
  )
where

import Ashlar.Cli.Blocks
import Ashlar.Cli.Console
import Ashlar.Cli.Copier
import Ashlar.Cli.Ending
import Ashlar.Cli.Files
import Ashlar.Cli.Input
import Ashlar.File
import Ashlar.File.Blocks
import Ashlar.File.Internal.Append (Tail (..))
import Ashlar.File.Internal.System
import Control.Exception (finally, mask_, onException)
import Control.Monad (forM_, unless, when)
import qualified Data.ByteString as B
import Data.IORef
import Data.Int (Int64)
import System.Exit (ExitCode (..))
import System.Posix.Types (Fd)

-- | Where a file ends.
--
-- @since 0.1.0.0
data SplitBy
  = -- | After this number of records.
    EachRecords Int64
  | -- | Before the block with which it would have more bytes. It has one block at least.
    EachBytes Int64

-- | Copy the records of a file to several: PREFIX.0001, PREFIX.0002 and so on. Damage ends it. So
-- does a file that exists, if it may not be replaced.
--
-- @since 0.1.0.0
splitFile ::
  Handles ->
  -- | The most bytes of a block.
  Selection ->
  -- | May the files exist?
  Bool ->
  SplitBy ->
  -- | The prefix.
  FilePath ->
  FilePath ->
  IO ExitCode
splitFile hs selection force by prefix path = do
  when (isStandard prefix) $
    failed "-: split writes several files, which cannot go to the standard output"
  needFile "split" path
  header <- readHeader path >>= either stoppedBy pure
  files <- newIORef (0 :: Int)
  records <- newIORef 0
  current <- newIORef (Nothing :: Maybe (Pending, Fd, Copier))
  let next = mask_ $ do
        n <- (+ 1) <$> readIORef files
        let digits = show n
            target = prefix ++ "." ++ replicate (4 - length digits) '0' ++ digits
        file <- pending (Target target force hs) [path]
        (fd, copier) <- naming file (started file) `onException` abandoned file
        writeIORef current (Just (file, fd, copier))
        copier <$ writeIORef files n
      started file = do
        fd <- openToWrite (pendingFile file)
        copier <- begin fd header `onException` closeFile fd
        pure (fd, copier)
      copierNow = readIORef current >>= maybe next (\(_, _, copier) -> pure copier)
      -- A file that cannot be written is given up. Those before it stay.
      inCurrent act = do
        found <- readIORef current
        forM_ found $ \(file, fd, _) ->
          naming file act `onException` mask_ (writeIORef current Nothing >> given file fd)
      given file fd = closeFile fd `finally` abandoned file
      close = mask_ $ do
        found <- readIORef current
        writeIORef current Nothing
        forM_ found $ \(file, fd, copier) -> do
          naming file (finish copier `finally` closeFile fd) `onException` abandoned file
          settled file
      put schema h body = do
        copier <- copierNow
        inCurrent (putRecords copier schema h body)
        modifyIORef' records (+ fromIntegral (blockCount h))
      copy header' schemas event = case event of
        LostBlocks lost -> stoppedBy (lostDamage lost)
        WholeBlock b -> do
          let h = blockHeader b
              schemas' = withBlock b schemas
          when (blockKind h == Records) $ case schemaAt schemas' h of
            Nothing -> damaged ("the schema of the block at byte " ++ at b ++ " is lost")
            Just schema -> case by of
              EachRecords most -> counted header' schemas' schema most b
              EachBytes most -> sized schema most b
          pure schemas'
      sized schema most b = do
        found <- readIORef current
        case found of
          Just (_, _, copier) -> do
            end <- readIORef (copierTail copier)
            let bytes = fromIntegral (blockHeaderBytes + B.length (blockBody b))
            when (tailRecords end > 0 && tailOffset end + bytes > most) close
          Nothing -> pure ()
        put schema (blockHeader b) (blockBody b)
      counted header' schemas schema most b = do
        copier <- copierNow
        end <- readIORef (copierTail copier)
        let h = blockHeader b
            left = most - tailRecords end
        if fromIntegral (blockCount h) <= left
          then do
            put schema h (blockBody b)
            when (fromIntegral (blockCount h) == left) close
          else do
            body <- blockRecords (readOptions selection) header' b
            case (body, decoderAt schemas h) of
              (Right bytes, Just (Right g)) ->
                inParts (cutting g) schema most left h {blockCompressed = False} bytes
              _ -> damaged ("the block at byte " ++ at b ++ " cannot be decoded")
      inParts cut schema most left h bytes
        | fromIntegral (blockCount h) < left = unless (blockCount h == 0) (put schema h bytes)
        | otherwise = do
          let n = fromIntegral left
          size <- cut n bytes
          put schema h {blockCount = n} (B.take size bytes)
          close
          inParts cut schema most most h {blockCount = blockCount h - n} (B.drop size bytes)
      cutting g n bytes = case wholeRecords g n bytes of
        (m, size, _) | m == n -> pure size
        _ -> damaged "a record cannot be decoded"
      at b = show (blockAt b)
  result <-
    foldBlocks (readOptions selection) path (copy header) (decodersOf header) `finally` close
  either stoppedBy (const (pure ())) result
  n <- readIORef files
  when (n == 0) (copierNow >> close)
  total <- readIORef records
  made <- readIORef files
  say hs (path ++ ": " ++ count total "record" ++ " in " ++ count (fromIntegral made) "file")
  pure ExitSuccess
