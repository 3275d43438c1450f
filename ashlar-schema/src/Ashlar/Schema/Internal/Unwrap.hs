-- |
-- Module      : Ashlar.Schema.Internal.Unwrap
-- Description : Newtypes as what they wrap
module Ashlar.Schema.Internal.Unwrap
  ( unwrapping,
    unwrapped,
    recursiveNewtypes,
    cyclic,
    references,
    wrappedBy,
  )
where

import Ashlar.Schema.Internal.Types
import Data.Graph (SCC (..), stronglyConnComp)
import qualified Data.IntSet as IS
import qualified Data.List as List
import qualified Data.Vector as V

-- | What to write in place of a reference to each of these definitions: the shape that a newtype
-- wraps, in which all newtypes are unwrapped, and a reference to anything else.
--
-- A newtype stays a reference if it is recursive, or if what it wraps has more than 100 shapes:
-- @newtype A = A (B, B); newtype B = B (C, C)@ and so on would have no bound. Takes time in
-- proportion to the size of the schema.
unwrapping :: V.Vector Definition -> V.Vector Shape
unwrapping definitions = known
  where
    known = V.map fst unwrappedOnes
    unwrappedOnes = V.imap sized definitions
    -- Each with the number of its shapes. The vector is lazy, and no newtype waits for itself.
    sized i d = case wrappedBy d of
      Just inner
        | not (IS.member i recursive),
          n <- sizeOf inner,
          n <= 100 ->
          (unwrapped known inner, n)
      _ -> (Reference i, 1)
    sizeOf :: Shape -> Int
    sizeOf shape = case shape of
      Reference i -> snd (unwrappedOnes V.! i)
      _ -> List.foldl' (\n sh -> min 101 (n + sizeOf sh)) 1 (shapesIn shape)
    recursive = recursiveNewtypes definitions

-- | The newtypes that wrap themselves, by way of other newtypes only.
recursiveNewtypes :: V.Vector Definition -> IS.IntSet
recursiveNewtypes definitions =
  cyclic
    [ (i, references inner)
      | (i, d) <- V.toList (V.indexed definitions),
        Just inner <- [wrappedBy d]
    ]

-- | The nodes of a graph that are on a cycle.
cyclic :: [(Int, [Int])] -> IS.IntSet
cyclic graph =
  IS.fromList
    (concat [is | CyclicSCC is <- stronglyConnComp [(i, i, next) | (i, next) <- graph]])

-- | A shape without its newtypes, given what 'unwrapping' makes of its schema's.
unwrapped :: V.Vector Shape -> Shape -> Shape
unwrapped known shape = case shape of
  Reference i -> known V.! i
  _ -> mapShapes (unwrapped known) shape

-- | What a newtype wraps.
wrappedBy :: Definition -> Maybe Shape
wrappedBy d = case d of
  Definition _ Newtype _ [Constructor _ _ [Field _ inner]] -> Just inner
  _ -> Nothing

-- | The definitions that a shape refers to.
references :: Shape -> [Int]
references shape = case shape of
  Reference i -> [i]
  _ -> concatMap references (shapesIn shape)
