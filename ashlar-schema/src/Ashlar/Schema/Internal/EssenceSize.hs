-- |
-- Module      : Ashlar.Schema.Internal.EssenceSize
-- Description : How many bytes an essence has, before there is one
--
-- A newtype is unwrapped at each of its uses, and what it wraps may have any number of bytes: those
-- of a constant or of a name. So an essence may have far more bytes than its schema.
module Ashlar.Schema.Internal.EssenceSize
  ( essenceSize,
    mostEssence,
  )
where

import Ashlar.Codec (encodedSize)
import Ashlar.Schema.Internal.Types
import Ashlar.Schema.Internal.Unwrap
import qualified Data.IntSet as IS
import qualified Data.List as List
import qualified Data.Text as T
import qualified Data.Vector as V

-- | How many bytes the essence of a schema may have: 1 GiB.
mostEssence :: Int
mostEssence = 1073741824

-- | The number of bytes of a schema's essence, given its root and its definitions, but no more than
-- one above 'mostEssence'. Takes time in proportion to the size of the schema.
essenceSize :: Shape -> V.Vector Definition -> Int
essenceSize root definitions =
  sumOf (bare root : encodedSize (V.empty :: V.Vector Definition) : map whole (visited root))
  where
    known = unwrapping definitions
    isLeft i = case known V.! i of
      Reference j -> i == j
      _ -> False
    -- What stands for a reference. The vector is lazy, and no newtype that is unwrapped waits for
    -- itself.
    sizes = V.imap sized definitions
    sized i d = case wrappedBy d of
      Just inner | not (isLeft i) -> bare inner
      _ -> encodedSize (Reference i)
    -- A shape without its newtypes.
    bare :: Shape -> Int
    bare shape = case shape of
      Reference i -> sizes V.! i
      _ -> around encodedSize (mapShapes (const hole)) shape (shapesIn shape)
    whole i
      | isLeft i = around encodedSize (overShapes (const hole) . nameless) d (fieldShapes d)
      | otherwise = 0
      where
        d = definitions V.! i
        nameless x = x {definitionName = T.empty, definitionOrder = Unordered}
    -- The size of something, in which holes can stand for its shapes.
    around size emptied x shapes =
      sumOf (size (emptied x) - length shapes * encodedSize hole : map bare shapes)
    hole = Leaf Unit
    visited shape = IS.toList (go IS.empty [shape])
    go seen shapes = case shapes of
      [] -> seen
      Reference i : rest
        | IS.member i seen -> go seen rest
        | otherwise -> go (IS.insert i seen) (fieldShapes (definitions V.! i) ++ rest)
      shape : rest -> go seen (shapesIn shape ++ rest)

-- A sum that does not overflow.
sumOf :: [Int] -> Int
sumOf = List.foldl' (\a b -> if b > mostEssence - a then mostEssence + 1 else a + b) 0
