{-# LANGUAGE DerivingStrategies #-}
{-# LANGUAGE OverloadedStrings #-}

-- |
-- Module      : Ashlar.Cli.Path
-- Description : Parts of values, by their paths
--
-- > .items[].price     the prices of all items
-- > .items[0]          the first item
-- > .shape.Circle      the shapes that are circles
-- > .stock{}           the values of a map; {key} for its keys, {"brick"} for that of a key
-- > .point.1           the first of a tuple, or of fields without names
--
-- A path goes through 'Maybe' and newtypes, which have no step of their own. What is not there has
-- no results.
--
-- Note [Following a path]
-- ~~~~~~~~~~~~~~~~~~~~~~~
-- A path is compiled once for a schema: there is a table of the definitions for each step. So this
-- takes time in proportion to the schema times the path, whatever an untrusted schema refers to.
-- Which constructor a value has is looked up, and not tried. Newtypes and 'Maybe' make no step, so
-- a newtype that comes back to itself by way of these only has no parts.
module Ashlar.Cli.Path
  ( Step (..),
    Path,
    parsePath,
    showPath,
    Follow,
    follow,
    stepsAt,
    narrowing,
  )
where

import Ashlar.Cli.Json (escape)
import Ashlar.Codec (Get)
import Ashlar.Schema
import Ashlar.Schema.Internal.Describe (Description (..), pruned)
import Ashlar.Schema.Internal.Evolution.Plan (Unknown (..), planned)
import Ashlar.Schema.Internal.Json.Values
import Ashlar.Schema.Internal.Types (shapesIn)
import Ashlar.Schema.Internal.Unwrap (cyclic, references, wrappedBy)
import Data.Char (isDigit)
import qualified Data.IntMap.Strict as IM
import qualified Data.IntSet as IS
import qualified Data.List as List
import Data.Maybe (fromMaybe, isJust)
import Data.Text (Text)
import qualified Data.Text as T
import qualified Data.Text.Encoding as T
import qualified Data.Vector as V

-- | From a value to some of its parts.
data Step
  = -- | A field, or the fields of a constructor.
    Named Text
  | -- | All elements.
    Each
  | -- | An element, counted from 0.
    At Int
  | -- | All values of a map.
    EachValue
  | -- | All keys.
    EachKey
  | -- | The value of a key that is a text.
    ValueOf Text
  deriving stock (Eq, Ord, Show)

-- | Steps, from the outermost value.
type Path = [Step]

-- | Read a path.
parsePath :: Text -> Either String Path
parsePath t
  | t == "." || T.null t = Right []
  | otherwise = go (if T.any (`elem` (".[{" :: String)) (T.take 1 t) then t else T.cons '.' t)
  where
    go rest = case T.uncons rest of
      Nothing -> Right []
      Just ('.', r)
        | Just ('"', _) <- T.uncons r -> do
          (name, r') <- quotedText r
          (Named name :) <$> go r'
        | otherwise -> named (T.span (`notElem` (".[]{}\"" :: String)) r)
      Just ('[', r) -> do
        let (inside, r') = T.break (== ']') r
        after <- closed r'
        step <-
          if T.null inside
            then Right Each
            else
              if T.all isDigit inside && T.length inside < 10
                then Right (At (read (T.unpack inside)))
                else Left ("not the number of an element: " ++ T.unpack inside)
        (step :) <$> go after
      Just ('{', r)
        | Just ('"', _) <- T.uncons r -> do
          (key, r') <- quotedText r
          after <- closed r'
          (ValueOf key :) <$> go after
        | otherwise -> do
          let (inside, r') = T.break (== '}') r
          after <- closed r'
          step <- case inside of
            "" -> Right EachValue
            "key" -> Right EachKey
            _ -> Left ("neither {}, {key} nor {\"text\"}: {" ++ T.unpack inside ++ "}")
          (step :) <$> go after
      Just _ -> Left ("neither ., [ nor {: " ++ T.unpack rest)
    named (name, r)
      | not (T.null name) = (Named name :) <$> go r
      -- The point at the beginning of @.[]@.
      | T.any (`elem` ("[{" :: String)) (T.take 1 r) = go r
      | otherwise = Left "a name is missing after a point"
    closed r = case T.uncons r of
      Just (c, after) | c == ']' || c == '}' -> Right after
      _ -> Left "a bracket is not closed"
    -- A string in quotation marks, with the escapes of JSON: names are shown with them.
    quotedText r = inQuotes [] (T.drop 1 r)
    inQuotes acc r = case T.uncons r of
      Just ('"', after) -> Right (T.pack (reverse acc), after)
      Just ('\\', after)
        | Right (c, after') <- escape (T.encodeUtf8 after) ->
          inQuotes (c : acc) (T.decodeUtf8 after')
        | Just (c, after') <- T.uncons after -> inQuotes (c : acc) after'
      Just (c, after) -> inQuotes (c : acc) after
      Nothing -> Left "a quotation mark is missing"

-- | A path as it is written.
showPath :: Path -> Text
showPath steps = if null steps then "." else T.concat (map one steps)
  where
    one step = case step of
      Named n
        | T.any (`elem` (".[]{}\"" :: String)) n || T.null n -> "." <> inQuotes n
        | otherwise -> "." <> n
      Each -> "[]"
      At i -> T.concat ["[", T.pack (show i), "]"]
      EachValue -> "{}"
      EachKey -> "{key}"
      ValueOf k -> T.concat ["{", inQuotes k, "}"]
    inQuotes n = T.concat ["\"", T.concatMap quote n, "\""]
    quote c = if c `elem` ("\"\\" :: String) then T.pack ['\\', c] else T.singleton c

-- | The results in a value.
type Follow r = Value -> [r]

-- | What to do at the end of a path, given a shape, and then the path: Note [Following a path].
-- 'Nothing' if no value of the schema has such a part.
follow :: Shapes -> (Shape -> Value -> r) -> Path -> Maybe (Follow r)
follow shapes end path = toShape 0 (schemaRoot (shapesSchema shapes))
  where
    steps = V.fromList path
    definitions = schemaDefinitions (shapesSchema shapes)
    -- For the number of steps that have been made, and a definition.
    table =
      V.generate (length path + 1) $ \n ->
        V.imap (toDefinition n) definitions

    endless = cyclic newtypes
    newtypes =
      [ (i, [k])
        | (i, Just inner) <- V.toList (V.indexed (V.map wrappedBy definitions)),
          Reference k <- [throughMaybe inner]
      ]
    throughMaybe shape = case shape of
      Optional inner -> throughMaybe inner
      _ -> shape

    toShape n shape = case bareShape shapes shape of
      Reference i -> table V.! n V.! i
      bare -> case steps V.!? n of
        Nothing -> Just (\x -> [end bare x])
        Just step -> stepIn n step bare

    stepIn n step bare = case (bare, step) of
      (Optional inner, _) -> fmap ifPresent (toShape n inner)
      (Tuple ss, Named name)
        | Just i <- position name, i < length ss -> fmap (partAt i) (toShape (n + 1) (ss !! i))
      (List _ inner, _) | isElement -> elementsOf inner
      (NonEmpty _ inner, _) | isElement -> elementsOf inner
      (Set _ inner, _) | isElement -> elementsOf inner
      (Array _ inner, _) | isElement -> elementsOf inner
      (Map _ _ x, EachValue) -> entriesOf snd <$> toShape (n + 1) x
      (Map _ k _, EachKey) -> entriesOf fst <$> toShape (n + 1) k
      (Map _ k x, ValueOf key) | isText (bareShape shapes k) -> lookupKey key <$> toShape (n + 1) x
      _ -> Nothing
      where
        isElement = case step of
          Each -> True
          At _ -> True
          _ -> False
        elementsOf inner = elements step <$> toShape (n + 1) inner
        isText shape = case shape of
          Leaf (Utf8 _) -> True
          Leaf Utf16 -> True
          _ -> False

    toDefinition n i d = case (definitionForm d, definitionConstructors d, steps V.!? n) of
      (Newtype, [Constructor _ _ [f]], step)
        | isJust step && IS.member i endless -> Nothing
        | IS.member i (valueless shapes) -> Just (\x -> [end shape x])
        | otherwise -> toShape n (fieldShape f)
      (_, _, Nothing) -> Just (\x -> [end shape x])
      (Sum, cs, Just (Named name)) -> bySum n shape name cs
      (_, [c], Just (Named name)) -> (\k -> fields k) <$> toField n name c
      _ -> Nothing
      where
        shape = Reference i
        fields k value = case value of
          Fields _ xs -> k xs
          _ -> []

    -- The field with a name.
    toField n name c = case List.findIndex ((== name) . fieldName) (constructorFields c) of
      Just i ->
        (\k xs -> maybe [] k (xs V.!? i))
          <$> toShape (n + 1) (fieldShape (constructorFields c !! i))
      Nothing -> Nothing

    bySum n shape name cs
      | any isJust alternatives = Just $ \value -> case value of
        Tagged _ i _ xs -> maybe [] (\k -> k value xs) (fromMaybe Nothing (byTag V.!? i))
        _ -> []
      | otherwise = Nothing
      where
        byTag = V.fromList alternatives
        alternatives = map alternative cs
        isConstructor = any ((== name) . constructorName) cs
        alternative c
          | constructorName c == name = inside c
          | isConstructor = Nothing
          | otherwise = (\k _ xs -> k xs) <$> toField n name c
        -- After the name of a constructor: its fields, or the value.
        inside c = case steps V.!? (n + 1) of
          Nothing -> Just (\value _ -> [end shape value])
          Just (Named field) -> (\k _ xs -> k xs) <$> toField (n + 1) field c
          Just _ -> Nothing

position :: Text -> Maybe Int
position name
  | not (T.null name) && T.all isDigit name && T.length name < 6 && n > 0 = Just (n - 1)
  | otherwise = Nothing
  where
    n = read (T.unpack name)

ifPresent :: Follow r -> Follow r
ifPresent k value = case value of
  Perhaps (Just x) -> k x
  _ -> []

partAt :: Int -> Follow r -> Follow r
partAt i k value = case value of
  Several xs -> maybe [] k (xs V.!? i)
  _ -> []

elements :: Step -> Follow r -> Follow r
elements step k value = case value of
  Elements _ xs -> chosen xs
  Indexed _ _ xs -> chosen xs
  _ -> []
  where
    chosen xs = case step of
      At i -> maybe [] k (xs V.!? i)
      _ -> concatMap k (V.toList xs)

entriesOf :: ((Value, Value) -> Value) -> Follow r -> Follow r
entriesOf side k value = case value of
  Entries _ xs -> concatMap (k . side) (V.toList xs)
  _ -> []

lookupKey :: Text -> Follow r -> Follow r
lookupKey key k value = case value of
  Entries _ xs -> concat [k x | (Written _ t, x) <- V.toList xs, t == key]
  _ -> []

-- | The steps that can be made after a path, at most some dozens.
stepsAt :: Shapes -> Path -> [Step]
stepsAt shapes path =
  take 40 (filter (\s -> isJust (follow shapes (\_ _ -> ()) (path ++ [s]))) candidates)
  where
    candidates = [Each, EachValue, EachKey] ++ map Named names
    names =
      take 2000 . List.nub . take 2000 $
        concat
          [ constructorName c : map fieldName (constructorFields c)
            | d <- take 200 (V.toList (schemaDefinitions (shapesSchema shapes))),
              c <- definitionConstructors d
          ]
          ++ map (T.pack . show) [1 .. 9 :: Int]

-- | What is left of a schema if all fields beside a path are left out, and how to read that: the
-- plan of a type without these fields, which passes over them. If there is no such plan, all is
-- read.
--
-- > follow whole path value == follow narrow path narrowValue
narrowing :: Path -> Schema -> (Schema, Get Value)
narrowing path s = case planned SkipUnknown narrow (getPlainValue (descriptionSchema narrow)) s of
  Right g -> (descriptionSchema narrow, g)
  Left _ -> (s, getPlainValue s)
  where
    narrow = narrowed path s

-- The schema without fields beside the path. Constructors whose fields have no names keep them all.
-- A definition may be reached after several numbers of steps, and keeps what any of them needs.
narrowed :: Path -> Schema -> Description
narrowed path s =
  pruned (schemaRoot s) (IM.fromList (V.toList (V.imap (\i d -> (i, (left i d, []))) definitions)))
  where
    definitions = schemaDefinitions s
    steps = V.fromList path
    -- Behind the last step everything is needed.
    behind = V.length steps

    left i d = case IM.lookup i reached of
      Nothing -> d
      Just numbers ->
        let needed = IS.fromList [k | n <- IS.toList numbers, (k, _, _) <- fieldsAt n d]
            without j c =
              c {constructorFields = [f | (k, f) <- numbered j c, IS.member k needed]}
         in d {definitionConstructors = zipWith without [0 ..] (definitionConstructors d)}

    -- The definitions that are reached, each with the numbers of steps after which they are.
    reached = go IM.empty (toShape 0 (schemaRoot s))
      where
        go seen found = case found of
          [] -> seen
          (i, n) : rest
            | maybe False (IS.member n) (IM.lookup i seen) -> go seen rest
            | otherwise ->
              go
                (IM.insertWith IS.union i (IS.singleton n) seen)
                (concat [toShape m x | (_, m, x) <- fieldsAt n (definitions V.! i)] ++ rest)

    -- The definitions that a shape leads to, after n steps.
    toShape n shape = case (shape, steps V.!? n) of
      (_, Nothing) -> [(i, behind) | i <- references shape]
      (Reference i, _) -> [(i, n)]
      (Optional inner, _) -> toShape n inner
      (Packed inner, _) -> toShape n inner
      (Unpacked inner, _) -> toShape n inner
      (Tuple ss, Just (Named name)) ->
        let after i = if Just i == position name then n + 1 else behind
         in concat (zipWith (toShape . after) [0 ..] ss)
      (Map _ k x, Just EachKey) -> toShape (n + 1) k ++ toShape behind x
      (Map _ k x, _) -> toShape behind k ++ toShape (n + 1) x
      (Array i inner, _) -> toShape behind i ++ toShape (n + 1) inner
      (_, _) -> concatMap (toShape (n + 1)) (shapesIn shape)

    -- The fields of a definition that are needed after n steps: their numbers, and the steps after
    -- which they are reached.
    fieldsAt n d = case (definitionForm d, steps V.!? n) of
      (_, Nothing) -> concat (zipWith (allAt behind) [0 ..] cs)
      (Newtype, _) -> concat (zipWith (allAt n) [0 ..] cs)
      (Sum, Just (Named name))
        | any ((== name) . constructorName) cs ->
          concat [ofConstructor j c | (j, c) <- zip [0 ..] cs, constructorName c == name]
      (_, Just (Named name)) -> concat (zipWith (named name (n + 1)) [0 ..] cs)
      _ -> []
      where
        cs = definitionConstructors d
        ofConstructor = case steps V.!? (n + 1) of
          Just (Named name) -> named name (n + 2)
          _ -> allAt behind
    allAt m j c = [(k, m, fieldShape f) | (k, f) <- numbered j c]
    named name m j c =
      [ (k, if fieldName f == name then m else behind, fieldShape f)
        | (k, f) <- numbered j c,
          fieldName f == name || isPositional c
      ]
    -- The fields of the constructor with a number, numbered in turn.
    numbered j c = zip [j * 65536 ..] (constructorFields c) :: [(Int, Field)]
