-- |
-- Module      : Ashlar.Cli.Copy
-- Description : cat and repair
--
-- Blocks are copied as they are, with new headers. So compressed blocks, and those whose schema is
-- not described, can be copied, too.
module Ashlar.Cli.Copy
  ( catFiles,
    catValues,
    repair,

    -- * Files of values
    Encoded (..),
    writingValues,
  )
where

import Ashlar.Builder (Builder)
import Ashlar.Cli.Blocks
import Ashlar.Cli.Console
import Ashlar.Cli.Copier
import Ashlar.Cli.Ending
import Ashlar.Cli.Files
import Ashlar.Cli.Input
import Ashlar.Codec (Codec, HasFormat (format), encode)
import Ashlar.Codec.Combinators (byHand)
import Ashlar.File
import Ashlar.File.Blocks
import Ashlar.File.Internal.Append (Tail (..))
import Ashlar.Schema (Schema, getValue, putValue, schemaFingerprint)
import Control.Exception (throwIO)
import Control.Monad (forM, forM_, unless, when)
import qualified Data.ByteString as B
import Data.IORef (modifyIORef', newIORef, readIORef, writeIORef)
import Data.Int (Int64)
import Data.Maybe (fromMaybe)
import System.Exit (ExitCode (..))

-- | One file of the records of all. Damage ends it.
catFiles ::
  Handles ->
  -- | The most bytes of a block.
  Selection ->
  Target ->
  -- | May their types differ?
  Bool ->
  [FilePath] ->
  IO ExitCode
catFiles hs selection target mixed paths = do
  mapM_ (needFile "cat") paths
  headers <- forM paths $ \path -> readHeader path >>= either stoppedBy (\h -> pure (path, h))
  case headers of
    [] -> failed "no files"
    (path, h) : rest -> do
      forM_ rest $ \(path', h') -> do
        unless (fileCompression h == fileCompression h') $
          failed (path' ++ ": compressed in another way than " ++ path)
        unless (mixed || fileFingerprint h == fileFingerprint h') $
          failed (path' ++ ": of another type than " ++ path ++ "; say --mixed to allow it")
      sizes <- mapM (fmap (fromMaybe 0) . fileSizeOf) paths
      ExitSuccess
        <$ toNewFile
          target
          paths
          h
          ( \copier -> withProgress hs (sum sizes) $ \watched ->
              forM_ (zip headers (scanl (+) 0 sizes)) $ \((path', h'), before) ->
                copyAll copier (progress watched . (before +)) path' h'
          )
  where
    copyAll copier done path h = do
      r <- foldBlocks (readOptions selection) path (copyBlock copier done path h) (decodersOf h)
      either stoppedBy (const (pure ())) r
    copyBlock copier done path h schemas event = case event of
      LostBlocks lost -> stoppedBy (lostDamage lost)
      FileBegins at header -> do
        let other why = failed (path ++ ": the file at byte " ++ show at ++ " is " ++ why)
        forM_ header $ \h' -> do
          unless (fileCompression h == fileCompression h') $ other "compressed in another way"
          unless (mixed || fileFingerprint h == fileFingerprint h') $
            other "of another type; say --mixed to allow it"
        pure (withFile at header schemas)
      WholeBlock b -> do
        let schemas' = withBlock b schemas
        when (blockKind (blockHeader b) == Records) $ case schemaAt schemas' b of
          Nothing ->
            stoppedBy $
              Damage path (blockAt b) (Just (blockNumber b)) (blockRecord b) UnknownSchema
          Just schema -> putRecords copier schema (blockHeader b) (blockBody b)
        schemas' <$ done (blockEnd b)

-- | The bytes of a value, which are written.
newtype Encoded = Encoded Builder

instance Codec Encoded

-- Nothing is read.
instance HasFormat Encoded where
  format = byHand 1 (const 0) (\(Encoded bytes) -> bytes) (fail "not read")

-- | Write a file of values, given their schema.
writingValues :: Selection -> Schema -> FilePath -> (Writer Encoded -> IO a) -> IO a
writingValues selection schema = withWriter options ty
  where
    options = defaultWriteOptions {writeRecordLimit = max 67108864 (selectLimit selection)}
    ty =
      RecordType
        { typeSchema = encode schema,
          typeFingerprint = schemaFingerprint schema,
          typeEvolved = \_ _ -> Left "not read",
          typePass = Nothing
        }

-- | A file of records from files of bare values. If one is damaged there is no new file.
catValues :: Handles -> Selection -> Target -> Schema -> [FilePath] -> IO ExitCode
catValues hs selection target schema paths =
  making target paths $ \out ->
    writingValues selection schema out $ \w -> do
      forM_ paths $ \path -> do
        (_, end) <- foldInput hs selection (BareFile path schema) writtenOf (const (write w)) ()
        unless (end == Fine) . throwIO $
          Failure (exitOf end) (targetPath target ++ ": not written")
      pure ExitSuccess
  where
    writtenOf s = Encoded . putValue <$> getValue s

-- | Copy what is readable of a damaged file: whole blocks, and of a block with a record that cannot
-- be decoded those before it. Says what was lost.
repair ::
  Handles ->
  -- | The most bytes of a block.
  Selection ->
  Target ->
  -- | The schema of the records, if the file's header is lost.
  Maybe Schema ->
  FilePath ->
  IO ExitCode
repair hs selection target given path = do
  needFile "repair" path
  found <- readHeader path
  case (found, given) of
    (Right header, _) -> repairWith hs selection target path header $ \step b ->
      foldBlocks (readOptions selection) path step b >>= either stoppedBy pure
    (Left damage, Nothing)
      | endingOf damage == Refused && not (isForeign damage) -> stoppedBy damage
      | otherwise ->
        damaged (damageText damage ++ "; say --schema SCHEMA to go on without the header")
    (Left damage, Just s) -> do
      let header = FileHeader 0 (schemaFingerprint s) B.empty (encode s)
      repairWith hs selection target path header $ \step b -> do
        folded <- foldBlocksAnyway (readOptions selection) path step b
        either
          (damaged . damageText)
          (maybe (damaged (damageText damage ++ "; there are no blocks of records")) pure)
          folded

-- The same, given the header and how to fold the blocks.
repairWith ::
  Handles ->
  Selection ->
  Target ->
  FilePath ->
  FileHeader ->
  ((Decoders -> Event -> IO Decoders) -> Decoders -> IO Decoders) ->
  IO ExitCode
repairWith hs selection target path header folded = do
  lostSome <- newIORef False
  files <- newIORef (0 :: Int64)
  kept <- toNewFile target [path] header $ \copier -> do
    let lose text = writeIORef lostSome True >> say hs text
        step schemas event = case event of
          LostBlocks lost
            -- What is not damaged is not left out. (Without its first bytes the header is damaged,
            -- if the schema is given.)
            | endingOf damage == Refused && not (isForeign damage && damageOffset damage == 0) ->
              stoppedBy damage
            | otherwise -> schemas <$ lose (lostText lost)
            where
              damage = lostDamage lost
          FileBegins at begun -> withFile at begun schemas <$ modifyIORef' files (+ 1)
          WholeBlock b -> do
            let schemas' = withBlock b schemas
            when (blockKind (blockHeader b) == Records) $ records copier lose schemas' b
            pure schemas'
    _ <- folded step (decodersOf header)
    tailRecords <$> readIORef (copierTail copier)
  lost <- readIORef lostSome
  n <- readIORef files
  let from = if n > 1 then " of " ++ count n "file" else ""
  say hs $
    path ++ ": " ++ count kept "record" ++ from ++ " kept"
      ++ (if lost then "" else ", none lost")
  pure (if lost then ExitFailure 1 else ExitSuccess)
  where
    records copier lose schemas b = case (schemaAt schemas b, decoderAt schemas b) of
      (Just schema, decoder) -> do
        body <- blockRecords (readOptions selection) (headerNow schemas) b
        case (body, decoder) of
          (Right bytes, Just (Right g)) ->
            wholeRecords g (blockCount h) bytes >>= \found -> case found of
              (n, at, e)
                | n == blockCount h && at == B.length bytes -> whole schema bytes
                | otherwise -> do
                  lose (problem n (maybe WrongCount BadRecord e))
                  when (n > 0) $ expandedTo schema h {blockCount = n} (B.take at bytes)
          (Right bytes, _) -> whole schema bytes
          (Left (UnknownCompression name), _)
            | B.null name -> lose (problem 0 (UnknownCompression name))
            | likeFirst schemas -> putRecords copier schema h (blockBody b)
            | otherwise ->
              failed $
                damageText (damageAt 0 (UnknownCompression name))
                  ++ "; split --files copies each file to one of its own"
          (Left cause, Just (Right _)) -> lose (problem 0 cause)
          (Left cause, _)
            | likeFirst schemas -> putRecords copier schema h (blockBody b)
            | otherwise -> lose (problem 0 cause)
      _ -> lose (problem 0 UnknownSchema)
      where
        h = blockHeader b
        -- A file that was joined may be compressed in another way than the new one says.
        whole schema bytes
          | likeFirst schemas = putRecords copier schema h (blockBody b)
          | otherwise = expandedTo schema h bytes
        expandedTo schema h' = putRecords copier schema h' {blockCompressed = False}
        damageAt n =
          Damage path (blockAt b) (Just (blockNumber b)) (blockRecord b + fromIntegral (n :: Int))
        problem n cause =
          damageText (damageAt n cause)
            ++ "; "
            ++ count (fromIntegral (blockCount h - n)) "record"
            ++ " lost"
    likeFirst schemas = fileCompression (headerNow schemas) == fileCompression header
