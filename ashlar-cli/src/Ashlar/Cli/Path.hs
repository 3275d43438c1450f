{-# LANGUAGE DerivingStrategies #-}
{-# LANGUAGE OverloadedStrings #-}

-- |
-- Module      : Ashlar.Cli.Path
-- Description : Parts of values, by their paths
--
-- > .items[].price     the prices of all items
-- > .items[0]          the first item
-- > .shape.Circle      the shapes that are circles
-- > .stock{}           the values of a map; {key} for its keys
-- > .stock{"brick"}     the value of a key: a text, or a character; also {-1} and {Red}
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
    MapKey (..),
    Path,
    parsePath,
    showPath,
    Follow,
    follow,
    stepsAt,
    position,
  )
where

import Ashlar.Cli.Json (escape)
import Ashlar.Schema
import Ashlar.Schema.Internal.Check (isWhole)
import Ashlar.Schema.Internal.Json.Values
import Ashlar.Schema.Internal.Unwrap (cyclic, wrappedBy)
import Data.Char (isAlphaNum, isDigit, isUpper)
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
  | -- | The value of a key.
    ValueOf MapKey
  deriving stock (Eq, Ord, Show)

-- | A key of a map.
data MapKey
  = -- | A text, or a character.
    TextKey Text
  | -- | A whole number.
    WholeKey Integer
  | -- | A constructor without fields.
    ConstructorKey Text
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
          (ValueOf (TextKey key) :) <$> go after
        | otherwise -> do
          let (inside, r') = T.break (== '}') r
          after <- closed r'
          step <- case inside of
            "" -> Right EachValue
            "key" -> Right EachKey
            _ | Just key <- keyIn inside -> Right (ValueOf key)
            _ ->
              Left
                ( "neither {}, {key}, {\"text\"}, {42} nor {Constructor}: {" ++ T.unpack inside
                    ++ "}"
                )
          (step :) <$> go after
      Just _ -> Left ("neither ., [ nor {: " ++ T.unpack rest)
    named (name, r)
      | not (T.null name) = (Named name :) <$> go r
      -- The point at the beginning of @.[]@.
      | T.any (`elem` ("[{" :: String)) (T.take 1 r) = go r
      | otherwise = Left "a name is missing after a point"
    -- A key that is no text. (More digits would take more than linear time.)
    keyIn inside
      | isNumber && T.length inside <= 1000 = Just (WholeKey (read (T.unpack inside)))
      | isConstructor inside = Just (ConstructorKey inside)
      | otherwise = Nothing
      where
        digits = fromMaybe inside (T.stripPrefix "-" inside)
        isNumber = not (T.null digits) && T.all isDigit digits
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
      ValueOf k -> T.concat ["{", shownKey k, "}"]
    shownKey k = case k of
      TextKey t -> inQuotes t
      WholeKey n -> T.pack (show n)
      ConstructorKey name -> name
    inQuotes n = T.concat ["\"", T.concatMap quote n, "\""]
    quote c = if c `elem` ("\"\\" :: String) then T.pack ['\\', c] else T.singleton c

-- Can it be the name of a constructor?
isConstructor :: Text -> Bool
isConstructor name = T.any isUpper (T.take 1 name) && T.all isPart name
  where
    isPart c = isAlphaNum c || c == '_' || c == '\''

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
      (Map _ k x, ValueOf key)
        | Just isKey <- keyOf (bareShape shapes k) key -> lookupKey isKey <$> toShape (n + 1) x
      _ -> Nothing
      where
        isElement = case step of
          Each -> True
          At _ -> True
          _ -> False
        elementsOf inner = elements step <$> toShape (n + 1) inner

    -- Is a value of a shape this key? 'Nothing' if none can be.
    keyOf :: Shape -> MapKey -> Maybe (Value -> Bool)
    keyOf shape key = case (shape, key) of
      (Between _ _ l, _) -> keyOf (Leaf l) key
      (Leaf l, TextKey t)
        | isText l -> Just $ \value -> case value of
          Written _ t' -> t' == t
          Letter _ c -> T.singleton c == t
          _ -> False
      (Leaf l, WholeKey n)
        | isWhole l && not (isScaled l) -> Just $ \value -> case value of
          Whole _ n' -> n' == n
          _ -> False
      (Leaf Boolean, ConstructorKey name)
        | name `elem` ["False", "True"] -> Just $ \value -> case value of
          Truth b -> b == (name == "True")
          _ -> False
      (Reference i, ConstructorKey name)
        | any (\c -> constructorName c == name && null (constructorFields c)) (constructorsOf i) ->
          Just $ \value -> case value of
            Tagged _ _ c _ -> constructorName c == name
            _ -> False
      _ -> Nothing
    constructorsOf i = definitionConstructors (definitions V.! i)
    isText l = case l of
      Utf8 _ -> True
      Utf16 -> True
      Character -> True
      ScalarCharacter -> True
      _ -> False
    -- (What is shown of it is no whole number.)
    isScaled l = case l of
      FixedPoint _ -> True
      Date -> True
      Duration -> True
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
        isAlternative = any ((== name) . constructorName) cs
        alternative c
          | constructorName c == name = inside c
          | isAlternative = Nothing
          | otherwise = (\k _ xs -> k xs) <$> toField n name c
        -- After the name of a constructor: its fields, or the value.
        inside c = case steps V.!? (n + 1) of
          Nothing -> Just (\value _ -> [end shape value])
          Just (Named field) -> (\k _ xs -> k xs) <$> toField (n + 1) field c
          Just _ -> Nothing

-- | The number, from 0, of the part that a name stands for.
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

lookupKey :: (Value -> Bool) -> Follow r -> Follow r
lookupKey isKey k value = case value of
  Entries _ xs -> concat [k x | (key, x) <- V.toList xs, isKey key]
  _ -> []

-- | The steps that can be made after a path, at most some dozens.
stepsAt :: Shapes -> Path -> [Step]
stepsAt shapes path =
  take 40 (filter (\s -> isJust (follow shapes (\_ _ -> ()) (path ++ [s]))) candidates)
  where
    candidates =
      [Each, EachValue, EachKey] ++ map Named names
        ++ map (ValueOf . ConstructorKey) ("False" : "True" : filter isConstructor names)
    names =
      take 2000 . List.nub . take 2000 $
        concat
          [ constructorName c : map fieldName (constructorFields c)
            | d <- take 200 (V.toList (schemaDefinitions (shapesSchema shapes))),
              c <- definitionConstructors d
          ]
          ++ map (T.pack . show) [1 .. 9 :: Int]
