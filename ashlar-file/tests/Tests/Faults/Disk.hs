-- |
-- Module      : Tests.Faults.Disk
-- Description : What a power failure leaves of a folder
--
-- A program ran with @faults/record.c@ and left a record of what it did. This module replays it up
-- to some entry, and makes what may be on the disk after a power failure there:
--
-- * A file has what it had when it was last synced. Of each sector that was written since, any
--   version may have arrived, independently of other sectors. So writes may arrive in any order, in
--   part, or not at all. The size is any that the file has had since. What did not arrive is zeros.
-- * A folder has the names that it had when it was last synced, and any of the changes since.
-- * A sync that fails decides what has arrived, and forgets the rest, as Linux does.
module Tests.Faults.Disk
  ( Entry,
    readEntries,
    Disk,
    diskWith,
    replay,
    marksFile,
    marks,
    powerFailure,
  )
where

import Ashlar.Get
  ( Get,
    getByteString,
    getInt32host,
    getInt64host,
    getWord32host,
    getWord8,
    isEmpty,
    runGet,
  )
import Control.Monad (foldM)
import Data.ByteString (ByteString)
import qualified Data.ByteString as S
import qualified Data.ByteString.Char8 as C
import qualified Data.List as List
import qualified Data.Map.Strict as Map
import Data.Maybe (catMaybes, fromMaybe)
import Test.QuickCheck (Gen, elements, frequency, sublistOf)

-- | What the program did: a letter, a descriptor, a number, and a string.
data Entry = Entry Char Int Int ByteString

-- | The record of @faults/record.c@.
readEntries :: ByteString -> [Entry]
readEntries = either (error . show) id . runGet entries
  where
    entries = do
      end <- isEmpty
      if end then pure [] else (:) <$> entry <*> entries
    entry :: Get Entry
    entry =
      Entry . toEnum . fromIntegral
        <$> getWord8
        <*> (fromIntegral <$> getInt32host)
        <*> (fromIntegral <$> getInt64host)
        <*> (getWord32host >>= getByteString . fromIntegral)

-- | A folder, as the program sees it, and as the disk has it.
data Disk = Disk
  { names, syncedNames :: Map.Map FilePath Int,
    -- | Changes of names that have not been synced, the last one first. 'Nothing' removes a name.
    changedNames :: [[(FilePath, Maybe Int)]],
    -- | The files by number.
    contents :: Map.Map Int File,
    -- | Open files and folders.
    descriptors :: Map.Map Int (Maybe Int),
    -- | What was written to 'marksFile', the last one first.
    written :: [ByteString]
  }

-- | A file: as it is, as it was synced, and since then, the last one first: which sectors each
-- change has touched, and what the file was afterwards.
data File = File ByteString ByteString [((Int, Int), ByteString)]

-- | A folder whose files are on the disk.
diskWith :: [(FilePath, ByteString)] -> Disk
diskWith files =
  Disk
    { names = named,
      syncedNames = named,
      changedNames = [],
      contents = Map.fromList (zip [0 ..] [File bytes bytes [] | (_, bytes) <- files]),
      descriptors = Map.empty,
      written = []
    }
  where
    named = Map.fromList (zip (map fst files) [0 ..])

-- | The name of a file in which the program says how far it is. No disk has it.
marksFile :: FilePath
marksFile = "marks"

-- | The lines of 'marksFile'.
marks :: Disk -> [String]
marks = lines . C.unpack . S.concat . reverse . written

-- | Do what was recorded, in a folder of this path.
replay :: FilePath -> Disk -> [Entry] -> Gen Disk
replay folder = foldM step
  where
    step d (Entry op fd number bytes) = case op of
      'O'
        | path == "" -> pure d {descriptors = Map.insert fd Nothing (descriptors d)}
        | otherwise -> pure (opened d fd path (number == 1))
      'C' -> pure d {descriptors = Map.delete fd (descriptors d)}
      'W'
        | fileOf d fd == Map.lookup marksFile (names d) -> pure d {written = bytes : written d}
        | otherwise -> pure (change d fd (number, number + S.length bytes) (write number bytes))
      'T' -> pure (change d fd (number, maxBound) (resized number))
      'S' -> pure $ case Map.lookup fd (descriptors d) of
        Just Nothing -> d {syncedNames = names d, changedNames = []}
        _ -> onFile d fd (\file@(File now _ _) -> File now (flushed file) [])
      'F' -> case fileOf d fd >>= \n -> (,) n <$> Map.lookup n (contents d) of
        Just (n, file@(File now _ _)) -> do
          arrived <- survives file
          pure d {contents = Map.insert n (File now arrived []) (contents d)}
        Nothing -> pure d
      'U' -> pure (renamed d [(path, Nothing)])
      'R' -> pure (renamed d [(a, Nothing), (b, Map.lookup a (names d))])
      'L' -> pure (renamed d [(b, Map.lookup a (names d))])
      _ -> error ("unknown entry " ++ show op)
      where
        path = inFolder bytes
        a = inFolder (C.takeWhile (/= '\0') bytes)
        b = inFolder (S.drop 1 (C.dropWhile (/= '\0') bytes))
    inFolder = drop (length folder + 1) . C.unpack
    opened d fd path truncated = case Map.lookup path (names d) of
      Just n
        | truncated -> change there fd (0, maxBound) (const S.empty)
        | otherwise -> there
        where
          there = d {descriptors = Map.insert fd (Just n) (descriptors d)}
      Nothing ->
        (renamed d [(path, Just new)])
          { contents = Map.insert new (File S.empty S.empty []) (contents d),
            descriptors = Map.insert fd (Just new) (descriptors d)
          }
        where
          new = Map.size (contents d)
    change d fd touched f = onFile d fd $ \(File now synced since) ->
      let now' = f now
          most = max (S.length now) (S.length now')
          whole (from, to) = (from, if to == maxBound then most else to)
       in File now' synced ((whole touched, now') : since)
    onFile d fd f = d {contents = maybe id (Map.adjust f) (fileOf d fd) (contents d)}
    fileOf d fd = fromMaybe Nothing (Map.lookup fd (descriptors d))
    renamed d changes =
      d {names = changed (names d) changes, changedNames = changes : changedNames d}
    write at bytes now =
      S.concat [resized at (S.take at now), bytes, S.drop (at + S.length bytes) now]

resized :: Int -> ByteString -> ByteString
resized n bytes = S.take n bytes <> S.replicate (n - S.length bytes) 0

changed :: Map.Map FilePath Int -> [(FilePath, Maybe Int)] -> Map.Map FilePath Int
changed = List.foldl' (\m (path, n) -> Map.alter (const n) path m)

-- | What may be on the disk after a power failure.
powerFailure :: Disk -> Gen [(FilePath, ByteString)]
powerFailure d = do
  let since = reverse (changedNames d)
  kept <- frequency [(1, pure []), (2, pure since), (2, sublistOf since)]
  let left = Map.delete marksFile (List.foldl' changed (syncedNames d) kept)
  fmap catMaybes . mapM file $ Map.toList left
  where
    file (path, n) = traverse (fmap ((,) path) . survives) (Map.lookup n (contents d))

-- What the disk has after a sync. What an earlier one has lost is not written again.
flushed :: File -> ByteString
flushed file@(File now _ _) = resized (S.length now) (S.concat (map last (versions file)))

-- What arrives of a file without a sync.
survives :: File -> Gen ByteString
survives file@(File _ synced since) = do
  size <- elements (S.length synced : map (S.length . snd) since)
  let sectors = versions file
  torn <-
    frequency
      [ (1, pure (concatMap (take 1) sectors)),
        (1, pure (map last sectors)),
        (4, mapM elements sectors)
      ]
  -- Often all arrives, or nothing does.
  frequency [(1, pure synced), (1, pure (flushed file)), (6, pure (resized size (S.concat torn)))]

-- Of each sector what it had at the last sync, and after each change of it, in order.
versions :: File -> [[ByteString]]
versions (File _ synced since) =
  [ map (sector at) (synced : [now | ((from, to), now) <- reverse since, from < at + 512, to > at])
    | at <- [0, 512 .. maximum (S.length synced : map (S.length . snd) since) - 1]
  ]
  where
    sector at = resized 512 . S.take 512 . S.drop at
