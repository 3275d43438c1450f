-- |
-- Module      : Ashlar.File.Internal.Entries
-- Description : The index, while a file is written
module Ashlar.File.Internal.Entries
  ( Entries,
    noEntries,
    addEntry,
    entryList,
    countEntries,
    entriesOf,
    mostEntries,
  )
where

import Ashlar.File.Internal.Layout (Entry)
import qualified Data.List as List

-- | Where blocks begin: all of them, or of many blocks every second, fourth, and so on. So it takes
-- constant memory.
data Entries = Entries
  { -- | One in this number of blocks has an entry.
    _stride :: !Int,
    -- | How many blocks come before the next one that gets an entry.
    _wait :: !Int,
    _count :: !Int,
    -- | The last one first.
    _entries :: [Entry]
  }

-- | The most entries that are kept.
mostEntries :: Int
mostEntries = 65536

-- | No blocks.
noEntries :: Entries
noEntries = Entries 1 0 0 []

-- | One more block.
addEntry :: Entry -> Entries -> Entries
addEntry e (Entries stride wait n es)
  | wait > 0 = Entries stride (wait - 1) n es
  | n < mostEntries = Entries stride (stride - 1) (n + 1) (e : es)
  | otherwise = addEntry e (Entries (2 * stride) 0 (length kept) kept)
  where
    -- The first block of the file stays.
    kept = List.foldl' (flip (:)) [] (everySecond (List.reverse es))
    everySecond (x : _ : rest) = x : everySecond rest
    everySecond rest = rest

-- | The entries, in order.
entryList :: Entries -> [Entry]
entryList (Entries _ _ _ es) = List.reverse es

-- | How many there are.
countEntries :: Entries -> Int
countEntries (Entries _ _ n _) = n

-- | From entries in order.
entriesOf :: [Entry] -> Entries
entriesOf = List.foldl' (flip addEntry) noEntries
