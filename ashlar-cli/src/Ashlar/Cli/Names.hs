-- |
-- Module      : Ashlar.Cli.Names
-- Description : Names in the source of another language
module Ashlar.Cli.Names
  ( Used,
    used,
    unlike,
    allUnlike,
    repeated,
  )
where

import Ashlar.Schema (Definition (..))
import qualified Data.List as List
import qualified Data.Map.Strict as M
import Data.Text (Text)
import qualified Data.Text as T

-- | The names that have been given, each with the number to try next if it is asked for again.
newtype Used = Used (M.Map Text Int)

-- | These only.
used :: [Text] -> Used
used names = Used (M.fromList [(name, 2) | name <- names])

-- | The name if it is new, or with the first of @_2@, @_3@ and so on after it that is.
unlike :: Used -> Text -> (Used, Text)
unlike (Used names) name = maybe (Used (M.insert name 2 names), name) go (M.lookup name names)
  where
    go i
      | M.member new names = go (i + 1)
      | otherwise = (Used (M.insert new 2 (M.insert name (i + 1) names)), new)
      where
        new = T.concat [name, T.pack ('_' : show i)]

-- | Names that differ, one after another.
allUnlike :: [Text] -> [Text]
allUnlike = snd . List.mapAccumL unlike (used [])

-- | The names of definitions. One that others have, too, is followed by the definition's number.
repeated :: [Definition] -> [Text]
repeated definitions = zipWith named [0 :: Int ..] names
  where
    names = map definitionName definitions
    counts = M.fromListWith (+) [(name, 1 :: Int) | name <- names]
    named i name
      | M.findWithDefault 0 name counts > 1 = T.concat [name, T.pack ('_' : show i)]
      | otherwise = name
