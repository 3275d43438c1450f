-- |
-- Module      : Ashlar.File.Internal.Input
-- Description : Bytes by offsets, from files, from memory, and from sources
module Ashlar.File.Internal.Input
  ( Input (..),
    inputFetch,
    inputForget,
    inFile,
    fileInput,
    bytesInput,
    sourceInput,
  )
where

import Ashlar.File.Internal.Layout (blockHeaderBytes)
import Ashlar.File.Internal.System
import Ashlar.Get
  ( Budget (..),
    Source,
    defaultBudget,
    getFrom,
    getRemainingByteString,
    isolateAtMost,
    withBudget,
  )
import Control.Exception (throwIO)
import Control.Monad (when)
import Data.ByteString (ByteString)
import qualified Data.ByteString as S
import Data.IORef (newIORef, readIORef, writeIORef)
import Data.Int (Int64)

-- | Where the bytes of a file come from.
data Input = Input
  { -- | A name for errors.
    inputName :: !FilePath,
    -- | The offset at which the file begins. It is 0 for the first of several files that were
    -- joined.
    inputBase :: !Int64,
    -- | Bytes from an offset on, which counts from the beginning of the first file: fewer than
    -- asked for only where the last one ends. None if the offset was forgotten.
    inputBytes :: !(Int64 -> Int -> IO ByteString),
    -- | How many bytes after a block to fetch with it: 0 if a read could wait for them.
    inputAhead :: !Int,
    -- | How many bytes there are now, in all files. 'Nothing' if nobody knows before the end.
    inputLength :: !(Maybe (IO Int64)),
    -- | Promise that no byte before an offset will be asked for any more.
    inputPassed :: !(Int64 -> IO ()),
    -- | Does the file still begin as it did, and does it have all bytes before an offset?
    inputSame :: !(Int64 -> IO Bool)
  }

-- | Bytes from an offset in the file on: fewer than asked for only where the last file ends. None
-- from an offset that no file has.
inputFetch :: Input -> Int64 -> Int -> IO ByteString
inputFetch input offset n
  | offset < 0 = pure S.empty
  -- (A sum that is too large is negative.)
  | otherwise = inputBytes input (inputBase input + offset) n

-- | Promise that no byte before an offset in the file will be asked for any more.
inputForget :: Input -> Int64 -> IO ()
inputForget input offset = inputPassed input (inputBase input + offset)

-- | The file that begins at an offset in this one.
inFile :: Int64 -> Input -> Input
inFile offset input = input {inputBase = inputBase input + offset}

-- | An open file, which forgets nothing.
fileInput :: FilePath -> OpenFile -> IO Input
fileInput path fd = do
  -- The first bytes, when they have been fetched. The marker is in there, which is chosen at random
  -- for each file.
  first <- newIORef S.empty
  let fetch offset n = do
        bytes <- readAtMost fd offset n
        known <- readIORef first
        when (S.null known && offset == 0 && S.length bytes >= begins) $
          writeIORef first $! S.copy (S.take begins bytes)
        pure bytes
  pure
    Input
      { inputName = path,
        inputBase = 0,
        inputBytes = fetch,
        inputAhead = blockHeaderBytes,
        inputLength = Just (fileLength fd),
        inputPassed = const (pure ()),
        inputSame = \end -> do
          size <- fileLength fd
          now <- readAtMost fd 0 begins
          was <- readIORef first
          pure (size >= end && was `S.isPrefixOf` now)
      }
  where
    begins = 24

-- | A file in memory.
bytesInput ::
  -- | A name for errors.
  FilePath ->
  ByteString ->
  Input
bytesInput name bytes =
  Input
    { inputName = name,
      inputBase = 0,
      inputBytes = \offset n -> pure (if offset < size then slice offset n else S.empty),
      inputAhead = 0,
      inputLength = Just (pure size),
      inputPassed = const (pure ()),
      inputSame = \end -> pure (size >= end)
    }
  where
    size = fromIntegral (S.length bytes)
    slice offset n = S.take n (S.drop (fromIntegral offset) bytes)

-- | What a 'Source' has from here on. It keeps what was fetched until that is forgotten.
sourceInput ::
  -- | A name for errors.
  FilePath ->
  Source ->
  IO Input
sourceInput name source = do
  -- The bytes that are held, and the offset of the first.
  held <- newIORef (0, S.empty)
  let forget offset = do
        (start, bytes) <- readIORef held
        let passed = fromIntegral (max 0 (min (offset - start) (fromIntegral (S.length bytes))))
        writeIORef held (start + fromIntegral passed, S.drop passed bytes)
        leaveOut offset
      -- Bytes that have not been fetched yet are left out without being held together.
      leaveOut offset = do
        (start, bytes) <- readIORef held
        if S.null bytes && start < offset
          then do
            more <- takeFrom (fromIntegral (min 65536 (offset - start)))
            writeIORef held (start + fromIntegral (S.length more), S.empty)
            if S.null more then pure () else leaveOut offset
          else pure ()
      -- Hold the bytes up to an offset, if there are as many.
      arrive to = do
        (start, bytes) <- readIORef held
        let missing = to - (start + fromIntegral (S.length bytes))
        if missing <= 0
          then pure ()
          else do
            more <- takeFrom (fromIntegral missing)
            writeIORef held (start, bytes <> more)
      takeFrom n = do
        -- The reader's limit holds, which may be greater than that of a source.
        result <- getFrom source (withBudget unlimited (isolateAtMost n getRemainingByteString))
        either throwIO pure result
      fetch offset n = do
        forgotten <- (offset <) . fst <$> readIORef held
        if forgotten
          then pure S.empty
          else do
            arrive (offset + fromIntegral n)
            (start, bytes) <- readIORef held
            pure (S.take n (dropped (offset - start) bytes))
      dropped n bytes
        | n > fromIntegral (S.length bytes) = S.empty
        | otherwise = S.drop (fromIntegral n) bytes
  pure (Input name 0 fetch 0 Nothing forget (const (pure True)))
  where
    unlimited = defaultBudget {budgetBytes = Just maxBound}
