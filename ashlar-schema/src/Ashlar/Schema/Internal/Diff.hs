{-# LANGUAGE DerivingStrategies #-}
{-# LANGUAGE OverloadedStrings #-}

-- |
-- Module      : Ashlar.Schema.Internal.Diff
-- Description : What is different between two schemas
module Ashlar.Schema.Internal.Diff
  ( Difference (..),
    What (..),
    diffSchemas,
    describeDifference,
    wholeRange,
  )
where

import Ashlar.Schema.Internal.Fingerprint
import Ashlar.Schema.Internal.Schema
import Ashlar.Schema.Internal.Text
import Ashlar.Schema.Internal.Types
import Ashlar.Schema.Internal.Unwrap
import qualified Data.IntMap.Strict as IM
import qualified Data.List as List
import qualified Data.Map.Strict as M
import qualified Data.Set as S
import Data.Text (Text)
import qualified Data.Text as T

-- | A difference, and the path to it: @Order.items[].price@.
data Difference = Difference
  { differencePath :: Text,
    differenceWhat :: What
  }
  deriving stock (Eq, Ord, Show)

-- | What is different. Shapes are as 'describeSchema' shows them, the old one first.
data What
  = -- | A field, and its shape.
    FieldAdded Text Text
  | FieldDropped Text Text
  | -- | A guess: a field of the same shape at the same position.
    FieldRenamed Text Text
  | -- | The fields that both have, in the old and in the new order.
    FieldsReordered [Text] [Text]
  | ConstructorAdded Text
  | ConstructorDropped Text
  | -- | A guess: a constructor with the same fields at the same position.
    ConstructorRenamed Text Text
  | -- | A constructor whose tag is no longer in use.
    ConstructorRetired Text
  | -- | A constructor whose tag is in use again.
    ConstructorRestored Text
  | ConstructorsReordered [Text] [Text]
  | -- | A number whose range includes that of the old one.
    Widened Text Text
  | -- | A @Maybe@ of what was there.
    MadeOptional Text Text
  | -- | Anything else.
    Changed Text Text
  deriving stock (Eq, Ord, Show)

-- | A difference in one line.
describeDifference :: Difference -> Text
describeDifference (Difference path what) = T.concat [path, ": ", message]
  where
    message = case what of
      FieldAdded name shape -> T.concat ["field ", name, " added: ", shape]
      FieldDropped name shape -> T.concat ["field ", name, " dropped: ", shape]
      FieldRenamed old new -> T.concat ["field ", old, " renamed to ", new, "?"]
      FieldsReordered old new -> T.concat ["fields reordered: ", list old, " to ", list new]
      ConstructorAdded name -> T.concat ["constructor ", name, " added"]
      ConstructorDropped name -> T.concat ["constructor ", name, " dropped"]
      ConstructorRenamed old new -> T.concat ["constructor ", old, " renamed to ", new, "?"]
      ConstructorRetired name -> T.concat ["constructor ", name, " retired"]
      ConstructorRestored name -> T.concat ["constructor ", name, " in use again"]
      ConstructorsReordered old new ->
        T.concat ["constructors reordered: ", list old, " to ", list new]
      Widened old new -> T.concat ["widened: ", old, " to ", new]
      MadeOptional old new -> T.concat ["made optional: ", old, " to ", new]
      Changed old new -> T.concat ["changed: ", old, " to ", new]
    list = T.intercalate ", "

-- | What is different between an old and a new schema. Newtypes do not count, nor do the names of
-- types. A pair of definitions is compared once, at the first path to it. Where an old definition
-- has become more than 16 new ones, the others count as changed. Schemas have no differences if
-- their fingerprints are equal, and only then. If nothing else shows the difference (two types of
-- the same format have become one), the whole value counts as changed.
--
-- >>> :set -XDeriveAnyClass -XDeriveGeneric
-- >>> data Old = Order { qty :: Int32, note :: Text } deriving (Generic, Codec, Described)
-- >>> let old = schema @Old
-- >>> data New = Order { quantity :: Int32, price :: Double } deriving (Generic, Codec, Described)
-- >>> mapM_ (print . describeDifference) (diffSchemas old (schema @New))
-- "Old: field qty renamed to quantity?"
-- "Old: field note dropped: Text"
-- "Old: field price added: Double"
diffSchemas ::
  -- | The old one.
  Schema ->
  -- | The new one.
  Schema ->
  [Difference]
diffSchemas old new
  | null differences && not (sameFingerprint old new) =
    [Difference "value" (Changed (text0 root0) (text1 root1))]
  | otherwise = differences
  where
    differences = reverse (stateFound (shapes "value" root0 root1 start))
    start = State IM.empty []
    root0 = schemaRoot old
    root1 = schemaRoot new
    bare0 = unwrapped (unwrapping (schemaDefinitions old))
    bare1 = unwrapped (unwrapping (schemaDefinitions new))
    text0 = describeShape (definitionNames old) . bare0
    text1 = describeShape (definitionNames new) . bare1

    shapes :: Text -> Shape -> Shape -> State -> State
    shapes path a b = bareShapes path (bare0 a) (bare1 b)

    bareShapes path a b st = case (a, b) of
      (Reference i, Reference j) -> definitionPair path i j st
      (Ratio x, Ratio y) -> shapes path x y st
      (Packed x, Packed y) -> shapes path x y st
      (Unpacked x, Unpacked y) -> shapes path x y st
      (Optional x, Optional y) -> shapes path x y st
      (Tuple xs, Tuple ys)
        | length xs == length ys ->
          List.foldl'
            (\s (i, x, y) -> shapes (T.concat [path, ".", T.pack (show i)]) x y s)
            st
            (zip3 [1 :: Int ..] xs ys)
      (List m x, List n y) | m == n -> elements x y
      (NonEmpty m x, NonEmpty n y) | m == n -> elements x y
      (NonEmpty m x, List n y) | m == n -> elements' changed x y
      (Set m x, Set n y) | m == n -> elements x y
      (Map m k x, Map n l y)
        | m == n -> shapes (path <> "{}") x y (shapes (path <> "{key}") k l st)
      (Array i x, Array j y) -> elements' (shapes (path <> "[index]") i j st) x y
      (Leaf x, Leaf y) | x == y -> st
      (_, Optional y)
        | text0 a == text1 y -> shapes path a y (found path (MadeOptional (text0 a) (text1 b)) st)
      _
        | not (hasReference a), a == b -> st
        | isWider a b -> found path (Widened (text0 a) (text1 b)) st
        | otherwise -> changed
      where
        changed = found path (Changed (text0 a) (text1 b)) st
        elements = elements' st
        elements' s x y = shapes (path <> "[]") x y s

    definitionPair :: Text -> Int -> Int -> State -> State
    definitionPair path i j st
      | S.member j partners = st
      | S.size partners >= mostPartners = changed
      | otherwise = case (definitionAt old i, definitionAt new j) of
        (Just d, Just e)
          | isTagged d /= isTagged e -> changed
          | otherwise -> constructors (pathOf path d) d e st'
        _ -> st'
      where
        partners = IM.findWithDefault S.empty i (statePairs st)
        st' = st {statePairs = IM.insert i (S.insert j partners) (statePairs st)}
        changed = found path (Changed (text0 (Reference i)) (text1 (Reference j))) st'
        isTagged d = definitionForm d == Sum

    -- The path begins with the name of the root's type.
    pathOf path d = if path == "value" then definitionName d else path

    constructors :: Text -> Definition -> Definition -> State -> State
    constructors path d e st =
      case (definitionForm d, definitionConstructors d, definitionConstructors e) of
        (Sum, cs, ds) ->
          let matched = match constructorName (constructorText text0) (constructorText text1) cs ds
              st1 =
                List.foldl' (\s w -> found path w s) st (concatMap differs (matchedPairs matched))
              differs (c, x) =
                [ ConstructorRenamed (constructorName c) (constructorName x)
                  | constructorName c /= constructorName x
                ]
                  ++ case (constructorRetired c, constructorRetired x) of
                    (False, True) -> [ConstructorRetired (constructorName x)]
                    (True, False) -> [ConstructorRestored (constructorName x)]
                    _ -> []
              st2 =
                List.foldl' (\s w -> found path w s) st1 $
                  [ConstructorDropped (constructorName c) | c <- matchedDropped matched]
                    ++ [ConstructorAdded (constructorName c) | c <- matchedAdded matched]
                    ++ reordered ConstructorsReordered matched
           in List.foldl'
                (\s (c, x) -> fields (T.concat [path, ".", constructorName c]) c x s)
                st2
                (matchedPairs matched)
        (_, [c], [x])
          | constructorName c /= constructorName x ->
            fields
              path
              c
              x
              (found path (ConstructorRenamed (constructorName c) (constructorName x)) st)
          | otherwise -> fields path c x st
        _ -> st
    constructorText text c =
      T.intercalate "," [fieldName f <> ":" <> text (fieldShape f) | f <- constructorFields c]

    fields :: Text -> Constructor -> Constructor -> State -> State
    fields path c x st = List.foldl' inside st1 (matchedPairs matched)
      where
        matched =
          match
            fieldName
            (text0 . fieldShape)
            (text1 . fieldShape)
            (constructorFields c)
            (constructorFields x)
        st1 =
          List.foldl' (\s w -> found path w s) st $
            [ FieldRenamed (fieldName f) (fieldName g)
              | (f, g) <- matchedPairs matched,
                fieldName f /= fieldName g
            ]
              ++ [FieldDropped (fieldName f) (text0 (fieldShape f)) | f <- matchedDropped matched]
              ++ [FieldAdded (fieldName f) (text1 (fieldShape f)) | f <- matchedAdded matched]
              ++ reordered FieldsReordered matched
        inside s (f, g) = shapes (T.concat [path, ".", fieldName f]) (fieldShape f) (fieldShape g) s

data State = State
  { -- The new definitions that each old one has been compared with.
    statePairs :: !(IM.IntMap (S.Set Int)),
    -- The last one first.
    stateFound :: [Difference]
  }

-- With how many new definitions an old one is compared at most. Untrusted schemas may have all
-- combinations.
mostPartners :: Int
mostPartners = 16

found :: Text -> What -> State -> State
found path what st = st {stateFound = Difference path what : stateFound st}

data Matched a = Matched
  { -- In the old order.
    matchedPairs :: [(a, a)],
    matchedDropped :: [a],
    matchedAdded :: [a],
    -- Those that both have by name, in the old and in the new order.
    matchedOrders :: ([Text], [Text])
  }

-- Pair what is alike: by name, and the others by shape and by the number of common names before.
match :: (a -> Text) -> (a -> Text) -> (a -> Text) -> [a] -> [a] -> Matched a
match name text0 text1 old new =
  Matched
    { matchedPairs = [(a, b) | (a, Just b) <- zip old partners],
      matchedDropped = [a | (a, Nothing) <- zip old partners],
      matchedAdded = [b | b <- new, S.notMember (name b) taken],
      matchedOrders = (map name (filter (isIn newNames) old), map name (filter (isIn oldNames) new))
    }
  where
    oldNames = M.fromList [(name a, a) | a <- old]
    newNames = M.fromList [(name b, b) | b <- new]
    isIn names a = M.member (name a) names
    spots isCommon =
      snd . List.mapAccumL (\n a -> (if isCommon a then n + 1 else n, (n, a))) (0 :: Int)
    candidates =
      M.fromListWith
        (\later earlier -> earlier ++ later)
        [ ((n, text1 b), [b])
          | (n, b) <- spots (isIn oldNames) new,
            not (isIn oldNames b)
        ]
    partners = snd (List.mapAccumL partner candidates (spots (isIn newNames) old))
    partner left (n, a) = case M.lookup (name a) newNames of
      Just b -> (left, Just b)
      Nothing -> case M.lookup (n, text0 a) left of
        Just (b : rest) -> (M.insert (n, text0 a) rest left, Just b)
        _ -> (left, Nothing)
    taken = S.fromList [name b | Just b <- partners]

reordered :: ([Text] -> [Text] -> What) -> Matched a -> [What]
reordered what m = [what old new | old /= new]
  where
    (old, new) = matchedOrders m

hasReference :: Shape -> Bool
hasReference shape = case shape of
  Reference _ -> True
  _ -> any hasReference (shapesIn shape)

-- Are both numbers, and is each value of the first one a value of the second?
isWider :: Shape -> Shape -> Bool
isWider a b = case (a, b) of
  (Leaf Float32, Leaf Float64) -> True
  (Leaf Float32BE, Leaf Float64BE) -> True
  _ -> case (rangeOf a, rangeOf b) of
    (Just (k, low, high), Just (l, low', high')) ->
      (k == l || k == Size && l == Any) && low' `below` low && high `above` high'
    _ -> False
  where
    below x y = maybe True (\m -> maybe False (m <=) y) x
    above x = maybe True (\m -> maybe False (<= m) x)

-- How whole numbers are written.
data Encoding = Size | SizeBE | Short | ShortSigned | Any | Scaled Leaf
  deriving stock (Eq)

rangeOf :: Shape -> Maybe (Encoding, Maybe Integer, Maybe Integer)
rangeOf shape = case shape of
  Leaf l -> do
    k <- encodingOf l
    let (low, high) = wholeRange l
    Just (k, low, high)
  Between low high l -> do
    k <- encodingOf l
    Just (k, Just low, Just high)
  _ -> Nothing

encodingOf :: Leaf -> Maybe Encoding
encodingOf l = case l of
  Number _ -> Just Size
  BigEndian _ -> Just SizeBE
  Varint _ -> Just Short
  Zigzag _ -> Just ShortSigned
  BigInteger -> Just Any
  BigNatural -> Just Any
  FixedPoint _ -> Just (Scaled l)
  Date -> Just (Scaled l)
  Duration -> Just (Scaled l)
  _ -> Nothing

-- | The least and the greatest whole number of a leaf, if there are such.
wholeRange :: Leaf -> (Maybe Integer, Maybe Integer)
wholeRange l = case l of
  Number n -> numberRange n
  BigEndian n -> numberRange n
  Varint n -> numberRange n
  Zigzag n -> numberRange n
  BigNatural -> (Just 0, Nothing)
  _ -> (Nothing, Nothing)
  where
    numberRange n = case n of
      W8 -> unsigned 8
      W16 -> unsigned 16
      W32 -> unsigned 32
      W64 -> unsigned 64
      I8 -> signed 8
      I16 -> signed 16
      I32 -> signed 32
      I64 -> signed 64
    unsigned, signed :: Int -> (Maybe Integer, Maybe Integer)
    unsigned bits = (Just 0, Just (2 ^ bits - 1))
    signed bits = (Just (negate (2 ^ (bits - 1))), Just (2 ^ (bits - 1) - 1))
