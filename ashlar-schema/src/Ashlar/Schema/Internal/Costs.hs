-- |
-- Module      : Ashlar.Schema.Internal.Costs
-- Description : What is known of a schema's values before there are any
--
-- Note [Work without bytes]
-- ~~~~~~~~~~~~~~~~~~~~~~~~~
-- An untrusted schema may ask for any work for few bytes: a record of a thousand units, or thirty
-- records of two fields each, of which each contains the next one twice. So the least parts
-- ('costParts') and bytes ('costBytes') of a value are computed for each definition. Parts that may
-- be missing, and constructors of a sum, are values of their own. If there are at most 64 parts for
-- each byte, the work is linear in the bytes and is not counted. Otherwise each part counts as a
-- step of the budget, and so does each part of an element of no bytes. No type that anybody has
-- written comes near that, except for those whose values have no bytes. Sizes in the packed format
-- are in bits: a byte is eight units there. The bytes may come after the parts, and need not be
-- there. So sizes are cut off, and pay for 2^20 parts at most.
module Ashlar.Schema.Internal.Costs
  ( Cost (..),
    fair,
    fairWith,
    fairTogether,
    Costs,
    Least (..),
    leastToday,
    costOfAll,
    costs,
    costsBy,
    costOf,
    endlessIn,
    tagSize,
    leastLeaf,
    unorderedIn,
    isOrdered,
  )
where

import Ashlar.Schema.Internal.Schema
import Ashlar.Schema.Internal.Types
import Ashlar.Schema.Internal.Unwrap
import qualified Data.ByteString as B
import qualified Data.IntMap.Strict as IM
import qualified Data.IntSet as IS
import qualified Data.List as List
import qualified Data.Vector as V

-- | The least number of parts and bytes of a value. In the packed format, of parts and bits.
data Cost = Cost {costParts :: !Int, costBytes :: !Int}

-- | Are there few parts for the bytes? Note [Work without bytes].
fair :: Costs -> Cost -> Bool
fair known = fairWith known 0

-- | 'fair' for a value that comes with this many bytes or bits besides its own.
fairWith :: Costs -> Int -> Cost -> Bool
fairWith (Costs least _) more (Cost parts bytes) =
  leastUnits least * parts <= 64 * (more + bytes)

-- | 'fair' for values of these shapes, one after another.
fairTogether :: Costs -> [Shape] -> Bool
fairTogether known = fair known . together known

-- Sums are cut off, so they do not overflow.
plus :: Cost -> Cost -> Cost
plus (Cost a b) (Cost c d) = Cost (min 0x1000000 (a + c)) (min mostSize (b + d))

-- What is larger counts as this, in bytes or bits: Note [Work without bytes].
mostSize :: Int
mostSize = 0x4000

-- | The least size of what formats write in different ways.
data Least = Least
  { -- | How many units of size are a byte: one, or eight.
    leastUnits :: Int,
    leastOfLeaf :: Leaf -> Int,
    -- | The size of a number of elements.
    leastOfLength :: Length -> Int,
    -- | The size of the number of elements of an array.
    leastOfArrayLength :: Int,
    -- | The size of a tag, given the number of constructors.
    leastOfTag :: Int -> Int,
    -- | Is a packed value in another format than what is around it?
    leastApart :: Bool
  }

-- | The costs of all definitions of a schema, and the least sizes that they are computed from.
data Costs = Costs Least (V.Vector Cost)

-- | The costs in today's format.
costs :: Schema -> Costs
costs = costsBy leastToday

-- | The least bytes in today's format.
leastToday :: Least
leastToday = Least 1 leastLeaf counted 8 tagSize True
  where
    counted len = case len of
      Length64 -> 8
      LengthVarint -> 1

-- | The costs in another format.
costsBy :: Least -> Schema -> Costs
costsBy least s = known
  where
    known = Costs least (V.imap cost (schemaDefinitions s))
    cost i d = case (definitionForm d, definitionConstructors d) of
      (Sum, cs) -> Cost 1 (leastOfTag least (length cs))
      (_, _)
        -- No value is finite.
        | IS.member i endless -> Cost 0x1000000 0
        | otherwise -> costOfAll known (fieldShapes d)
    endless = endlessIn s

-- | The definitions whose values always contain another one of the definition, and so have no end.
endlessIn :: Schema -> IS.IntSet
endlessIn s =
  cyclic
    [ (i, concatMap certain (fieldShapes d))
      | (i, d) <- V.toList (V.indexed (schemaDefinitions s)),
        definitionForm d /= Sum
    ]

-- The definitions of which every value of a shape contains a value.
certain :: Shape -> [Int]
certain shape = case shape of
  Reference i -> [i]
  Tuple ss -> concatMap certain ss
  Array i _ -> certain i
  Packed s -> certain s
  Unpacked s -> certain s
  _ -> []

-- | The cost of a shape, given those of the definitions.
costOf :: Costs -> Shape -> Cost
costOf known@(Costs least definitions) shape = case shape of
  Leaf l -> Cost 1 (leastOfLeaf least l)
  Between _ _ l -> Cost 1 (leastOfLeaf least l)
  Ratio inner -> twice (costOf known inner)
  Optional _ -> Cost 1 (leastOfTag least 2)
  Tuple ss -> costOfAll known ss
  List len _ -> counted len
  NonEmpty len _ -> counted len
  Set len _ -> counted len
  Map len _ _ -> counted len
  Array i _ -> twice (costOf known i) `plus` Cost 1 (leastOfArrayLength least)
  Constant bs -> Cost 1 (sizeOf (B.length bs))
  Reference i -> definitions V.! i
  Opaque _ _ size -> Cost 1 (maybe 0 sizeOf size)
  Irregular _ -> Cost 1 0
  -- (A packed value without bytes counts as a step.)
  Packed inner
    | leastApart least -> Cost 1 1
    | otherwise -> costOf known inner
  Unpacked inner -> costOf known inner
  where
    twice c = plus c c
    counted len = Cost 1 (leastOfLength least len)
    sizeOf n = min mostSize (leastUnits least * min mostSize n)

-- | The cost of a value with parts of these shapes.
costOfAll :: Costs -> [Shape] -> Cost
costOfAll known shapes = plus (Cost 1 0) (together known shapes)

-- The cost of values of these shapes.
together :: Costs -> [Shape] -> Cost
together known = List.foldl' (\c shape -> plus c (costOf known shape)) (Cost 0 0)

-- | The bytes of a tag, given the number of constructors.
tagSize :: Int -> Int
tagSize count
  | count == 0 = 0
  | count <= 256 = 1
  | otherwise = 2

-- | The least number of bytes of a leaf.
leastLeaf :: Leaf -> Int
leastLeaf l = case l of
  Unit -> 0
  Number n -> numberSize n
  BigEndian n -> numberSize n
  Float32 -> 4
  Float64 -> 8
  Float32BE -> 4
  Float64BE -> 8
  Character -> 4
  ScalarCharacter -> 4
  Bytes Length64 -> 8
  ByteArray Length64 -> 8
  Utf8 Length64 -> 8
  Utf16 -> 8
  _ -> 1

-- | The definitions whose order, or that of a part, is not known.
unorderedIn :: Schema -> IS.IntSet
unorderedIn s = go IS.empty [i | (i, d) <- numbered, isUnordered d]
  where
    numbered = V.toList (V.indexed (schemaDefinitions s))
    isUnordered d =
      definitionOrder d == Unordered || not (all (isOrdered IS.empty) (fieldShapes d))
    -- For each definition, those that have it as a part.
    users =
      IM.fromListWith
        (++)
        [(j, [i]) | (i, d) <- numbered, j <- concatMap references (fieldShapes d)]
    go seen is = case is of
      [] -> seen
      i : rest
        | IS.member i seen -> go seen rest
        | otherwise -> go (IS.insert i seen) (IM.findWithDefault [] i users ++ rest)

-- | Is the order of such values known, given the definitions whose order is not?
isOrdered :: IS.IntSet -> Shape -> Bool
isOrdered unordered shape = case shape of
  Reference i -> not (IS.member i unordered)
  Array _ _ -> False
  Opaque {} -> False
  Irregular _ -> False
  _ -> all (isOrdered unordered) (shapesIn shape)
