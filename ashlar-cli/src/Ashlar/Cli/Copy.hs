-- |
-- Module      : Ashlar.Cli.Copy
-- Description : cat and repair
--
-- Blocks are copied as they are, with new headers. So compressed blocks, and those whose schema is
-- not described, can be copied, too.
module Ashlar.Cli.Copy
  ( Target (..),
    catFiles,
    catValues,
    repair,
  )
where

import Ashlar.Cli.Blocks
import Ashlar.Cli.Console
import Ashlar.Cli.Input
import Ashlar.Codec (Codec, HasFormat (format), encode)
import Ashlar.Codec.Combinators (byHand)
import Ashlar.File
import Ashlar.File.Blocks
import Ashlar.File.Internal.Append (Tail (..), appendBlock, headerOf)
import Ashlar.File.Internal.Entries (addEntry, entryList, noEntries)
import Ashlar.File.Internal.Layout
  ( Entry (..),
    Footer (..),
    fileHeaderBytes,
    putFileHeader,
    putIndex,
  )
import Ashlar.File.Internal.Records (shiftError)
import Ashlar.File.Internal.System
import Ashlar.Internal.Mem (withBytes)
import Ashlar.Schema (Schema, Value, putValue, schemaFingerprint)
import Control.Exception (IOException, bracket, catch, onException)
import Control.Monad (foldM, forM, forM_, unless, when)
import Data.ByteString (ByteString)
import qualified Data.ByteString as B
import Data.IORef (IORef, modifyIORef', newIORef, readIORef, writeIORef)
import GHC.Fingerprint (Fingerprint)
import System.Directory (doesPathExist, removeFile)
import System.Exit (ExitCode (..))
import System.Posix.Types (Fd)

-- | A file to write.
--
-- @since 0.1.0.0
data Target = Target
  { targetPath :: FilePath,
    -- | May it exist?
    targetForce :: Bool
  }

data Copier = Copier Fd (IORef Tail)

copierTail :: Copier -> IORef Tail
copierTail (Copier _ end) = end

-- Make a new file, given what it is made of. If that fails, it is removed.
making :: Target -> [FilePath] -> IO a -> IO a
making (Target path force) inputs act = do
  there <- doesPathExist path
  when there $ do
    -- (Under whatever name: there are hard links.)
    same <- mapM (sameFile path) inputs
    when (or same) $ failed (path ++ ": is an input, too")
    unless force $ failed (path ++ ": exists; say --force to replace it")
  act `onException` unless there (removeFile path `catch` ignored)
  where
    -- It was not made: what failed before says why.
    ignored :: IOException -> IO ()
    ignored _ = pure ()

-- Copy to a new file with this header.
toNewFile :: Target -> [FilePath] -> FileHeader -> (Copier -> IO a) -> IO a
toNewFile target inputs header act =
  making target inputs . bracket (openToWrite (targetPath target)) closeFile $ \fd -> do
    marker <- randomWord
    let bytes = putFileHeader header {fileMarker = marker}
    truncateTo fd 0
    withBytes bytes (writeAll fd 0)
    let start = fromIntegral (fileHeaderBytes header)
    end <- newIORef (Tail marker start 0 (fileFingerprint header) 0 noEntries)
    result <- act (Copier fd end)
    putEnd (Copier fd end)
    result <$ toDisk fd

-- The index.
putEnd :: Copier -> IO ()
putEnd (Copier fd ref) = do
  end <- readIORef ref
  let body = putIndex (entryList (tailEntries end)) (Footer (tailRecords end) (tailOffset end))
  appendBlock fd end (headerOf end Index 0 body) body

append :: Copier -> BlockHeader -> ByteString -> IO ()
append (Copier fd ref) header body = do
  end <- readIORef ref
  appendBlock fd end header body
  let size = blockHeaderBytes + B.length body
  writeIORef ref $! end {tailOffset = tailOffset end + fromIntegral size}

-- Records of another type follow.
putSchema :: Copier -> Fingerprint -> ByteString -> IO ()
putSchema copier fingerprint schema = do
  modifyIORef' (copierTail copier) $ \end ->
    end {tailFingerprint = fingerprint, tailSchemaAt = tailOffset end}
  end <- readIORef (copierTail copier)
  append copier (headerOf end Ashlar.File.Blocks.Schema 0 schema) schema

-- Copy some records: the stored body, and the header that it had.
putRecords :: Copier -> ByteString -> BlockHeader -> ByteString -> IO ()
putRecords copier schema h body = do
  before <- readIORef (copierTail copier)
  unless (tailFingerprint before == blockFingerprint h) $
    putSchema copier (blockFingerprint h) schema
  end <- readIORef (copierTail copier)
  append
    copier
    (headerOf end Records (blockCount h) body)
      { blockCompressed = blockCompressed h,
        blockExpanded = if blockCompressed h then blockExpanded h else B.length body
      }
    body
  modifyIORef' (copierTail copier) $ \e ->
    e
      { tailRecords = tailRecords e + fromIntegral (blockCount h),
        tailEntries = addEntry (Entry (tailOffset end) (tailRecords end)) (tailEntries e)
      }

-- | One file of the records of all. Damage ends it.
--
-- @since 0.1.0.0
catFiles ::
  Target ->
  -- | May their types differ?
  Bool ->
  [FilePath] ->
  IO ExitCode
catFiles target mixed paths = do
  headers <- forM paths $ \path ->
    readHeader path >>= either (damaged . damageText) (\h -> pure (path, h))
  case headers of
    [] -> failed "no files"
    (path, h) : rest -> do
      forM_ rest $ \(path', h') -> do
        unless (fileCompression h == fileCompression h') $
          failed (path' ++ ": compressed in another way than " ++ path)
        unless (mixed || fileFingerprint h == fileFingerprint h') $
          failed (path' ++ ": of another type than " ++ path ++ "; say --mixed to allow it")
      ExitSuccess <$ toNewFile target paths h (\copier -> mapM_ (uncurry (copyAll copier)) headers)
  where
    copyAll copier path h = do
      r <- foldBlocks defaultReadOptions path (copyBlock copier) (decodersOf h)
      either (damaged . damageText) (const (pure ())) r
    copyBlock copier schemas event = case event of
      LostBlocks lost -> damaged (damageText (lostDamage lost))
      WholeBlock b -> do
        let h = blockHeader b
            schemas' = withBlock b schemas
        when (blockKind h == Records) $ case schemaAt schemas' h of
          Nothing -> damaged ("the schema of the block at byte " ++ show (blockAt b) ++ " is lost")
          Just schema -> putRecords copier schema h (blockBody b)
        pure schemas'

-- A value, which is written.
newtype Written = Written Value

instance Codec Written

-- Nothing is read.
instance HasFormat Written where
  format = byHand 1 (const 0) (\(Written v) -> putValue v) (fail "not read")

-- | A file of records from files of bare values.
--
-- @since 0.1.0.0
catValues :: Handles -> Target -> Schema -> [FilePath] -> IO ExitCode
catValues hs target schema paths =
  making target paths $
    withWriter defaultWriteOptions ty (targetPath target) $ \w -> do
      let one ok input
            | not ok = pure False
            | otherwise = do
              (_, ending) <-
                foldInput hs everything (BareFile input schema) (const Written) (const (write w)) ()
              pure (ending == Fine)
      fine <- foldM one True paths
      pure (if fine then ExitSuccess else ExitFailure 1)
  where
    ty =
      RecordType
        { typeSchema = encode schema,
          typeFingerprint = schemaFingerprint schema,
          typeEvolved = \_ _ -> Left "not read"
        }

-- | Copy what is readable of a damaged file: whole blocks, and of a block with a record that cannot
-- be decoded those before it. Says what was lost.
--
-- @since 0.1.0.0
repair ::
  Handles ->
  Target ->
  -- | The schema of the records, if the file's header is lost.
  Maybe Schema ->
  FilePath ->
  IO ExitCode
repair hs target given path = do
  found <- readHeader path
  case (found, given) of
    (Right header, _) -> repairWith hs target path header $ \step b ->
      foldBlocks defaultReadOptions path step b >>= either (damaged . damageText) (pure . snd)
    (Left damage, Nothing) ->
      damaged (damageText damage ++ "; say --schema SCHEMA to go on without the header")
    (Left damage, Just s) -> do
      start <- findBlocks path
      case start of
        Nothing -> damaged (damageText damage ++ "; there are no blocks of records")
        Just (marker, at, first) -> do
          let header = FileHeader marker (schemaFingerprint s) B.empty (encode s)
              lost = LostBlocks (Lost damage at (Just first))
          repairWith hs target path header $ \step b ->
            step b lost >>= foldBlocksFrom path marker at step

-- The same, given the header and how to fold the blocks.
repairWith ::
  Handles ->
  Target ->
  FilePath ->
  FileHeader ->
  ((Decoders -> Event -> IO Decoders) -> Decoders -> IO Decoders) ->
  IO ExitCode
repairWith hs target path header folded = do
  lostSome <- newIORef False
  kept <- toNewFile target [path] header $ \copier -> do
    let lose text = writeIORef lostSome True >> say hs text
        step schemas event = case event of
          LostBlocks lost -> schemas <$ lose (lostText lost)
          WholeBlock b -> do
            let schemas' = withBlock b schemas
            when (blockKind (blockHeader b) == Records) $ records copier lose schemas' b
            pure schemas'
    _ <- folded step (decodersOf header)
    tailRecords <$> readIORef (copierTail copier)
  lost <- readIORef lostSome
  say hs (path ++ ": " ++ count kept "record" ++ " kept" ++ if lost then "" else ", none lost")
  pure (if lost then ExitFailure 1 else ExitSuccess)
  where
    records copier lose schemas b = case (schemaAt schemas h, decoderAt schemas h) of
      (Just schema, Just (Right g)) -> do
        body <- blockRecords defaultReadOptions header b
        case body of
          Left (UnknownCompression _) -> putRecords copier schema h (blockBody b)
          Left cause -> lose (problem 0 cause)
          Right bytes -> case wholeRecords g (blockCount h) bytes of
            (n, at, e)
              | n == blockCount h && at == B.length bytes ->
                putRecords copier schema h (blockBody b)
              | otherwise -> do
                lose (problem n (maybe WrongCount (BadRecord . shiftError at) e))
                when (n > 0) $
                  putRecords
                    copier
                    schema
                    h {blockCount = n, blockCompressed = False}
                    (B.take at bytes)
      (Just schema, _) -> putRecords copier schema h (blockBody b)
      _ -> lose (problem 0 UnknownSchema)
      where
        h = blockHeader b
        problem n cause =
          damageText
            (Damage path (blockAt b) (Just (blockNumber b)) (blockFirst h + fromIntegral n) cause)
            ++ "; "
            ++ count (fromIntegral (blockCount h - n)) "record"
            ++ " lost"
