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
    Written (..),
    writingValues,
  )
where

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
import Ashlar.Schema (Schema, Value, getValue, putValue, schemaFingerprint)
import Control.Exception (throwIO)
import Control.Monad (forM, forM_, unless, when)
import qualified Data.ByteString as B
import Data.IORef (newIORef, readIORef, writeIORef)
import System.Exit (ExitCode (..))

-- | One file of the records of all. Damage ends it.
--
-- @since 0.1.0.0
catFiles ::
  -- | The most bytes of a block.
  Selection ->
  Target ->
  -- | May their types differ?
  Bool ->
  [FilePath] ->
  IO ExitCode
catFiles selection target mixed paths = do
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
      ExitSuccess <$ toNewFile target paths h (\copier -> mapM_ (uncurry (copyAll copier)) headers)
  where
    copyAll copier path h = do
      r <- foldBlocks (readOptions selection) path (copyBlock copier) (decodersOf h)
      either stoppedBy (const (pure ())) r
    copyBlock copier schemas event = case event of
      LostBlocks lost -> stoppedBy (lostDamage lost)
      WholeBlock b -> do
        let h = blockHeader b
            schemas' = withBlock b schemas
        when (blockKind h == Records) $ case schemaAt schemas' h of
          Nothing -> damaged ("the schema of the block at byte " ++ show (blockAt b) ++ " is lost")
          Just schema -> putRecords copier schema h (blockBody b)
        pure schemas'

-- | A value, which is written.
--
-- @since 0.1.0.0
newtype Written = Written Value

instance Codec Written

-- Nothing is read.
instance HasFormat Written where
  format = byHand 1 (const 0) (\(Written v) -> putValue v) (fail "not read")

-- | Write a file of values, given their schema.
--
-- @since 0.1.0.0
writingValues :: Selection -> Schema -> FilePath -> (Writer Written -> IO a) -> IO a
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
--
-- @since 0.1.0.0
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
    writtenOf s = Written <$> getValue s

-- | Copy what is readable of a damaged file: whole blocks, and of a block with a record that cannot
-- be decoded those before it. Says what was lost.
--
-- @since 0.1.0.0
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
      foldBlocks (readOptions selection) path step b >>= either stoppedBy (pure . snd)
    (Left damage, Nothing)
      | endingOf damage == Refused && not (isForeign damage) -> stoppedBy damage
      | otherwise ->
        damaged (damageText damage ++ "; say --schema SCHEMA to go on without the header")
    (Left damage, Just s) -> do
      start <- findBlocks (readOptions selection) path
      case start of
        Nothing -> damaged (damageText damage ++ "; there are no blocks of records")
        Just (marker, at, first) -> do
          let header = FileHeader marker (schemaFingerprint s) B.empty (encode s)
              lost = LostBlocks (Lost damage at (Just first))
          repairWith hs selection target path header $ \step b ->
            step b lost >>= foldBlocksFrom (readOptions selection) path marker at step

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
  kept <- toNewFile target [path] header $ \copier -> do
    let lose text = writeIORef lostSome True >> say hs text
        step schemas event = case event of
          LostBlocks lost
            -- What is not damaged is not left out.
            | endingOf (lostDamage lost) == Refused -> stoppedBy (lostDamage lost)
            | otherwise -> schemas <$ lose (lostText lost)
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
        body <- blockRecords (readOptions selection) header b
        case body of
          Left (UnknownCompression _) -> putRecords copier schema h (blockBody b)
          Left cause -> lose (problem 0 cause)
          Right bytes -> case wholeRecords g (blockCount h) bytes of
            (n, at, e)
              | n == blockCount h && at == B.length bytes ->
                putRecords copier schema h (blockBody b)
              | otherwise -> do
                lose (problem n (maybe WrongCount BadRecord e))
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
