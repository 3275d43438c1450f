-- |
-- Module      : Ashlar.Cli.Names
-- Description : Names in the source of another language
module Ashlar.Cli.Names
  ( Given,
    given,
    fresh,
    freshAll,
    repeated,
  )
where

import Ashlar.Schema (Definition (..))
import qualified Data.List as List
import qualified Data.Map.Strict as M
import qualified Data.Set as S
import Data.Text (Text)
import qualified Data.Text as T

-- | The names that have been given.
newtype Given = Given (S.Set Text)

-- | These only.
given :: [Text] -> Given
given = Given . S.fromList

-- | A name that is new: with as many underscores at its end as that takes.
fresh :: Given -> Text -> (Given, Text)
fresh (Given names) name
  | S.member name names = fresh (Given names) (T.snoc name '_')
  | otherwise = (Given (S.insert name names), name)

-- | New names, one after another.
freshAll :: Given -> [Text] -> (Given, [Text])
freshAll = List.mapAccumL fresh

-- | The names of definitions. One that others have, too, is followed by the definition's number.
repeated :: [Definition] -> [Text]
repeated definitions = zipWith named [0 :: Int ..] names
  where
    names = map definitionName definitions
    counts = M.fromListWith (+) [(name, 1 :: Int) | name <- names]
    named i name
      | M.findWithDefault 0 name counts > 1 = T.concat [name, T.pack ('_' : show i)]
      | otherwise = name
