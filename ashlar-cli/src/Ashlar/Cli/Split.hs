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
import Control.Exception
  ( SomeException,
    catch,
    finally,
    fromException,
    mask_,
    onException,
    throwIO,
  )
import Control.Monad (forM_, unless, when)
import qualified Data.ByteString as B
import Data.IORef
import Data.Int (Int64)
import System.Directory (doesPathExist)
import System.Exit (ExitCode (..))

-- | Where a file ends.
data SplitBy
  = -- | After this number of records.
    EachRecords Int64
  | -- | Before the block with which it would have more bytes. It has one block at least.
    EachBytes Int64
  | -- | Where another file begins, that was joined.
    EachFile

-- | Copy the records of a file to several: PREFIX.0001, PREFIX.0002 and so on, to PREFIX.9999.
-- Damage ends it. So does a file that exists, if it may not be replaced. Says whether the file with
-- the next number exists.
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
  current <- newIORef (Nothing :: Maybe Part)
  -- What the next file has in its header.
  begins <- newIORef header
  let next = mask_ $ do
        n <- (+ 1) <$> readIORef files
        -- The names of more would not be in the order of the records, and 'cat' PREFIX.* would not.
        when (n > 9999) $
          failed (prefix ++ ".9999: the last file, and more records follow; put more into each")
        file <- pending (Target (numbered n) force hs) [path]
        h <- readIORef begins
        (fd, copier) <- naming file (started file h) `onException` abandoned file
        writeIORef current (Just (Part file h fd copier))
        copier <$ writeIORef files n
      numbered n = prefix ++ "." ++ replicate (4 - length (show n)) '0' ++ show n
      started file h = do
        fd <- openToWrite (pendingFile file)
        copier <- begin fd h `onException` closeFile fd
        pure (fd, copier)
      copierNow = readIORef current >>= maybe next (pure . partCopier)
      -- A file that cannot be written is given up. Those before it stay.
      inCurrent act = do
        found <- readIORef current
        forM_ found $ \(Part file _ _ _) -> naming file act `onException` giveUp
      giveUp = leave $ \(Part file _ fd _) -> closeFile fd `finally` abandoned file
      close = leave $ \(Part file _ fd copier) -> do
        naming file (finish copier `finally` closeFile fd) `onException` abandoned file
        settled file
      leave act = mask_ $ do
        found <- readIORef current
        writeIORef current Nothing
        forM_ found act
      put schema h body = do
        copier <- copierNow
        inCurrent (putRecords copier schema h body)
        modifyIORef' records (+ fromIntegral (blockCount h))
      -- A file that was joined may be compressed in another way than the one that is written.
      whole schemas schema b = do
        _ <- copierNow
        part <- readIORef current
        let name = fileCompression (headerNow schemas)
            alike = maybe True ((== name) . fileCompression . partHeader) part
        if alike || not (blockCompressed (blockHeader b))
          then put schema (blockHeader b) (blockBody b)
          else do
            body <- blockRecords (readOptions selection) (headerNow schemas) b
            case body of
              Right bytes -> put schema (blockHeader b) {blockCompressed = False} bytes
              Left cause -> stopped b cause
      copy schemas event = case event of
        LostBlocks lost -> stoppedBy (lostDamage lost)
        FileBegins from begun -> do
          case by of
            EachFile -> do
              when (from > 0) close
              forM_ begun (writeIORef begins)
              () <$ copierNow
            _ -> pure ()
          pure (withFile from begun schemas)
        WholeBlock b -> do
          let h = blockHeader b
              schemas' = withBlock b schemas
          when (blockKind h == Records) $ case schemaAt schemas' b of
            Nothing -> stopped b UnknownSchema
            Just schema -> case by of
              EachRecords most -> counted schemas' schema most b
              EachBytes most -> sized schemas' schema most b
              EachFile -> whole schemas' schema b
          pure schemas'
      sized schemas schema most b = do
        found <- readIORef current
        case found of
          Just part -> do
            end <- readIORef (copierTail (partCopier part))
            let size
                  | fileCompression (headerNow schemas) == fileCompression header =
                    B.length (blockBody b)
                  | otherwise = blockExpanded (blockHeader b)
            bytes <- sizeWith (partCopier part) schema (blockHeader b) size
            when (tailRecords end > 0 && bytes > most) close
          Nothing -> pure ()
        whole schemas schema b
      counted schemas schema most b = do
        copier <- copierNow
        end <- readIORef (copierTail copier)
        let h = blockHeader b
            left = most - tailRecords end
        if fromIntegral (blockCount h) <= left
          then do
            whole schemas schema b
            when (fromIntegral (blockCount h) == left) close
          else do
            body <- blockRecords (readOptions selection) (headerNow schemas) b
            case (body, decoderAt schemas b) of
              (Right bytes, Just (Right g)) ->
                inParts (cutting b g) schema most left h {blockCompressed = False} bytes
              (Left cause, _) -> stopped b cause
              (_, Just (Left why)) -> stopped b (WrongType why)
              (_, Nothing) -> stopped b UnknownSchema
      inParts cut schema most left h bytes
        | fromIntegral (blockCount h) < left = unless (blockCount h == 0) (put schema h bytes)
        | otherwise = do
          let n = fromIntegral left
          size <- cut n bytes
          put schema h {blockCount = n} (B.take size bytes)
          close
          inParts cut schema most most h {blockCount = blockCount h - n} (B.drop size bytes)
      cutting b g n bytes =
        wholeRecords g n bytes >>= \found -> case found of
          (m, size, _) | m == n -> pure size
          (_, _, e) -> stopped b (maybe WrongCount BadRecord e)
      stopped :: Block -> Cause -> IO a
      stopped b = stoppedBy . Damage path (blockAt b) (Just (blockNumber b)) (blockRecord b)
  result <-
    (foldBlocks (readOptions selection) path copy (decodersOf header) <* close) `catch` \e -> do
      -- After damage, the records before it are kept. A signal leaves no unfinished file.
      maybe giveUp (\(Failure _ _) -> close) (fromException e)
      throwIO (e :: SomeException)
  either stoppedBy (const (pure ())) result
  n <- readIORef files
  when (n == 0) (copierNow >> close)
  total <- readIORef records
  made <- readIORef files
  say hs (path ++ ": " ++ count total "record" ++ " in " ++ count (fromIntegral made) "file")
  -- Whoever joins them by a pattern would have its records, too.
  older <- doesPathExist (numbered (made + 1))
  when older $ say hs (numbered (made + 1) ++ ": it was there before, and is none of these")
  pure ExitSuccess

-- A file that is being written, and its header.
data Part = Part Pending FileHeader OpenFile Copier

partCopier :: Part -> Copier
partCopier (Part _ _ _ copier) = copier

partHeader :: Part -> FileHeader
partHeader (Part _ h _ _) = h
