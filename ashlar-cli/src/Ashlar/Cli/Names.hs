-- |
-- Module      : Ashlar.Cli.Names
-- Description : Names in the source of another language
module Ashlar.Cli.Names
  ( Used,
    used,
    unlike,
    repeated,
    optionalNewtypes,
  )
where

import Ashlar.Schema
import qualified Data.IntMap.Strict as IM
import qualified Data.IntSet as IS
import qualified Data.Map.Strict as M
import Data.Text (Text)
import qualified Data.Text as T
import qualified Data.Vector as V

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

-- | The newtypes of optional values, whatever newtypes are in between.
optionalNewtypes :: V.Vector Definition -> IS.IntSet
optionalNewtypes definitions = go IS.empty [i | (i, Optional _) <- wrapped]
  where
    wrapped =
      [ (i, plainShape (fieldShape f))
        | (i, Definition _ Newtype _ [Constructor _ _ [f]]) <- V.toList (V.indexed definitions)
      ]
    around = IM.fromListWith (++) [(j, [i]) | (i, Reference j) <- wrapped]
    go seen is = case is of
      [] -> seen
      i : rest
        | IS.member i seen -> go seen rest
        | otherwise -> go (IS.insert i seen) (IM.findWithDefault [] i around ++ rest)
    plainShape shape = case shape of
      Packed inner -> plainShape inner
      Unpacked inner -> plainShape inner
      _ -> shape

-- | The names of definitions. One that others have, too, is followed by the definition's number.
repeated :: [Definition] -> [Text]
repeated definitions = zipWith named [0 :: Int ..] names
  where
    names = map definitionName definitions
    counts = M.fromListWith (+) [(name, 1 :: Int) | name <- names]
    named i name
      | M.findWithDefault 0 name counts > 1 = T.concat [name, T.pack ('_' : show i)]
      | otherwise = name
