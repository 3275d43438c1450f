-- |
-- Module      : Ashlar.Schema.Internal.Check
-- Description : Is this the schema of a type?
module Ashlar.Schema.Internal.Check
  ( checkTerms,
    isWhole,
    doubled,
    shortened,
  )
where

import Ashlar.Schema.Internal.EssenceSize
import Ashlar.Schema.Internal.Types
import Control.Monad (unless, when)
import qualified Data.IntSet as IS
import Data.Maybe (isNothing)
import qualified Data.Set as Set
import Data.Text (Text)
import qualified Data.Text as T
import qualified Data.Vector as V

-- | How deep shapes may be nested in one another, not counting references.
mostNested :: Int
mostNested = 100

-- | How many constructors a sum may have: the tags of two bytes.
mostConstructors :: Int
mostConstructors = 65536

-- | Check the root and the definitions: see @checkSchema@.
checkTerms :: Shape -> V.Vector Definition -> Either String ()
checkTerms root definitions = do
  checkShape "the root" root
  V.mapM_ checkDefinition definitions
  visited <- visit (V.length definitions) definitions root
  unless (visited == V.length definitions) (Left "a definition that nothing refers to")
  checkIndices root definitions
  when (essenceSize root definitions > mostEssence) $
    Left "a schema whose essence has more than 1 GiB"

-- Check that no array is part of an index. An array has two indices, so the work for arrays within
-- the indices of others would double with each. (No type of indices has one.)
checkIndices :: Shape -> V.Vector Definition -> Either String ()
checkIndices root definitions = go IS.empty (concatMap indices (root : allFields))
  where
    allFields = concatMap fieldShapes (V.toList definitions)
    indices shape = case shape of
      Array i a -> i : indices a
      _ -> concatMap indices (shapesIn shape)
    go :: IS.IntSet -> [Shape] -> Either String ()
    go seen shapes = case shapes of
      [] -> Right ()
      Array _ _ : _ -> Left "an array within the index of an array"
      Reference i : rest
        | IS.member i seen -> go seen rest
        | otherwise -> go (IS.insert i seen) (fieldShapes (definitions V.! i) ++ rest)
      shape : rest -> go seen (shapesIn shape ++ rest)

-- Check that the definitions are numbered in the order of the first visit, depth first: a new
-- number is always the least that has not been seen. Returns how many definitions were visited. The
-- list of what is still to visit keeps the stack small, however long the chain of references is.
visit :: Int -> V.Vector Definition -> Shape -> Either String Int
visit count definitions root = go 0 [root]
  where
    go :: Int -> [Shape] -> Either String Int
    go seen shapes = case shapes of
      [] -> Right seen
      Reference i : rest
        | i < 0 || i >= count -> Left ("a reference to definition " ++ show i)
        | i < seen -> go seen rest
        | i == seen -> go (seen + 1) (fieldShapes (definitions V.! i) ++ rest)
        | otherwise -> Left "definitions that are not in the order of the first visit"
      shape : rest -> go seen (shapesIn shape ++ rest)

checkDefinition :: Definition -> Either String ()
checkDefinition d = do
  case (definitionForm d, definitionConstructors d) of
    (Newtype, [Constructor _ False [_]]) -> Right ()
    (Newtype, _) -> bad "a newtype without its one field"
    (Record, [Constructor _ False _]) -> Right ()
    (Record, _) -> bad "a record without its one constructor"
    (Sum, cs) ->
      when (length (take (mostConstructors + 1) cs) > mostConstructors) $
        bad "too many constructors"
  unless (distinct (map constructorName (definitionConstructors d))) $
    bad "two constructors with one name"
  mapM_ checkConstructor (definitionConstructors d)
  where
    bad message = Left (name ++ ": " ++ message)
    name = shortened (definitionName d)
    checkConstructor c = do
      when (constructorRetired c && not (null (constructorFields c))) $
        bad "a retired constructor with fields"
      unless (distinct (map fieldName (constructorFields c))) $
        bad (shortened (constructorName c) ++ ": two fields with one name")
      mapM_
        (\f -> checkShape (name ++ "." ++ shortened (fieldName f)) (fieldShape f))
        (constructorFields c)

distinct :: [Text] -> Bool
distinct = isNothing . doubled

-- | The first name that occurs twice.
doubled :: Ord a => [a] -> Maybe a
doubled = go Set.empty
  where
    go seen names = case names of
      [] -> Nothing
      n : rest
        | Set.member n seen -> Just n
        | otherwise -> go (Set.insert n seen) rest

-- | A name in a message. Names may be long, messages must not be.
shortened :: Text -> String
shortened = T.unpack . T.take 100

checkShape :: String -> Shape -> Either String ()
checkShape place = go mostNested
  where
    go :: Int -> Shape -> Either String ()
    go left shape
      | left <= 0 = bad ("shapes nested more than " ++ show mostNested ++ " deep")
      | otherwise = checkOne shape >> mapM_ (go (left - 1)) (shapesIn shape)
    checkOne shape = case shape of
      Tuple parts -> when (null (drop 1 parts)) (bad "a tuple of fewer than two values")
      Between low high leaf
        | not (isWhole leaf) -> bad "bounds of what is no whole number"
        | low > high -> bad "bounds that enclose no number"
        | otherwise -> Right ()
      Ratio inner -> case inner of
        Leaf l | isWhole l -> Right ()
        Between {} -> Right ()
        _ -> bad "a fraction of what are no whole numbers"
      Opaque _ _ (Just n) -> when (n < 0) (bad "a negative size")
      _ -> Right ()
    bad message = Left (place ++ ": " ++ message)

-- | Does it stand for whole numbers?
isWhole :: Leaf -> Bool
isWhole leaf = case leaf of
  Number _ -> True
  BigEndian _ -> True
  Varint _ -> True
  Zigzag _ -> True
  BigInteger -> True
  BigNatural -> True
  FixedPoint _ -> True
  Date -> True
  Duration -> True
  _ -> False
