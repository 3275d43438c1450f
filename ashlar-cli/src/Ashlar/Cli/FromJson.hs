{-# LANGUAGE MultiWayIf #-}

-- |
-- Module      : Ashlar.Cli.FromJson
-- Description : Values of a schema, from JSON
module Ashlar.Cli.FromJson
  ( fromJson,
    Wrong,
    wrong,
    inside,
    wrongText,
    oneOf,
  )
where

import Ashlar.Cli.Json
import Ashlar.Get (Budget (..), Get, defaultBudget, runGetWhole, withBudget)
import qualified Ashlar.Get.Decimal as D
import qualified Ashlar.Get.Hex as Hex
import Ashlar.Get.Parse (bytes, decimal, double, float, hexadecimal, signed)
import qualified Ashlar.Get.Time as Time
import Ashlar.Schema hiding (part, whole)
import Ashlar.Schema.Internal.Check (isWhole, shortened)
import Ashlar.Schema.Internal.Costs (isOrdered, unorderedIn)
import Ashlar.Schema.Internal.Diff (wholeRange)
import Ashlar.Schema.Internal.Json.Values
import Ashlar.Schema.Internal.Value
import Control.Applicative ((<|>))
import Control.Monad (zipWithM)
import Data.ByteString (ByteString)
import qualified Data.ByteString as B
import qualified Data.ByteString.Char8 as C
import qualified Data.IntSet as IS
import qualified Data.List as List
import qualified Data.Map.Strict as M
import qualified Data.Set as Set
import Data.Text (Text)
import qualified Data.Text as T
import qualified Data.Text.Encoding as T
import Data.Time.Calendar (Day (toModifiedJulianDay))
import qualified Data.Vector as V

-- How to make a value.
type Reading = Json -> Either Wrong Value

-- | Where no value can be made, and why.
data Wrong = Wrong [String] String

wrong :: String -> Either Wrong a
wrong = Left . Wrong []

-- | In a part of a value.
inside :: String -> Either Wrong a -> Either Wrong a
inside part = either (\(Wrong path why) -> Left (Wrong (part : path) why)) Right

-- | In words.
wrongText :: Wrong -> String
wrongText (Wrong path why) = if null path then why else concat path ++ ": " ++ why

-- | A value of a shape, from JSON of the form that 'valueToJson' writes. Members of a record come
-- in any order, and may be left out if they are optional. Sets and maps, too, come in any order, if
-- that of their keys is known. A list of characters may be a string.
--
-- What a schema says besides the forms and the ranges of numbers is not checked: decode the value.
--
-- Apply it to the shapes and to a shape once for many values.
fromJson :: Shapes -> Shape -> Json -> Either Wrong Value
fromJson shapes = shapeOf
  where
    s = shapesSchema shapes
    definitions = V.map definitionOf (schemaDefinitions s)
    unordered = unorderedIn s

    shapeOf :: Shape -> Reading
    shapeOf shape = case bareShape shapes shape of
      Packed inner -> fmap InPacked . shapeOf inner
      Unpacked inner -> fmap InPlain . shapeOf inner
      Leaf l -> leaf l
      Between _ _ l -> leaf l
      Ratio inner -> ratio (bareShape shapes inner)
      Optional inner -> optional (mayBeNull shapes inner) (shapeOf inner)
      Tuple ss -> fmap (Several . V.fromList) . several (map shapeOf ss)
      List n inner -> fmap (Elements n . V.fromList) . listOf inner
      NonEmpty n inner -> fmap (Elements n . V.fromList) . listOf inner
      Set n inner -> fmap (Elements n . V.fromList . ascending inner id) . array (shapeOf inner)
      Map n k x -> fmap (Entries n . V.fromList . ascending k fst) . entries (shapeOf k) (shapeOf x)
      Array i inner -> indexed (shapeOf i) (shapeOf inner)
      Constant bs -> constant bs
      Reference i
        | IS.member i (valueless shapes) -> \_ -> wrong "the type has no values"
        | otherwise -> definitions V.! i
      Opaque _ _ (Just n) -> raw n
      Opaque name _ _ -> \_ -> wrong ("the format " ++ T.unpack name ++ " is not described")
      Irregular name -> \_ -> wrong ("the type " ++ T.unpack name ++ " is not described so deep")

    -- (A list of characters may be a string, as others write it.)
    listOf inner = case bareShape shapes inner of
      Leaf Character -> characters (shapeOf inner)
      Leaf ScalarCharacter -> characters (shapeOf inner)
      _ -> array (shapeOf inner)

    ascending :: Shape -> (a -> Value) -> [a] -> [a]
    ascending shape key
      | isOrdered unordered shape = List.sortBy (\x y -> compareValues (key x) (key y))
      | otherwise = id

    definitionOf d = case (definitionForm d, definitionConstructors d) of
      (Sum, cs) -> alternatives cs
      (Newtype, [Constructor _ _ [f]]) -> shapeOf (fieldShape f)
      (_, [c]) -> fmap (Fields c) . fieldsOf c
      _ -> \_ -> wrong ("the type " ++ T.unpack (definitionName d) ++ " has no values")

    alternatives cs = choose
      where
        known = M.fromList [(constructorName c, (i, c, fieldsOf c)) | (i, c) <- zip [0 ..] cs]
        choose json = case json of
          JString name -> do
            (i, c, _) <- chosen name
            if null (constructorFields c)
              then Right (Tagged (length cs) i c V.empty)
              else wrong ("the constructor " ++ shortened name ++ " has fields")
          JObject [(name, body)] -> do
            (i, c, fields) <- chosen name
            if null (constructorFields c)
              then wrong ("the constructor " ++ shortened name ++ " has no fields")
              else Tagged (length cs) i c <$> inside ('.' : T.unpack name) (fields body)
          _ -> expected "the name of a constructor, or an object of one" json
        chosen name = maybe (unknown name) Right (M.lookup name known)
        unknown name = wrong ("no constructor " ++ shortened name ++ oneOf (M.keys known))

    fieldsOf c
      | isPositional c = fmap V.fromList . several (map (shapeOf . fieldShape) fields)
      | otherwise = \json -> case json of
        JObject members
          | (other, _) : _ <- filter ((`Set.notMember` known) . fst) members ->
            wrong ("no field " ++ shortened other ++ oneOf names)
          | otherwise -> V.fromList <$> mapM (member (M.fromList members)) readers
        _ -> expected "an object" json
      where
        fields = constructorFields c
        names = map fieldName fields
        known = Set.fromList names
        readers = map readerOf fields
        readerOf (Field name shape) = (name, mayBeNull shapes shape, shapeOf shape)
        member members (name, mayMiss, reader) = case M.lookup name members of
          Just json -> inside ('.' : T.unpack name) (reader json)
          Nothing
            | mayMiss -> inside ('.' : T.unpack name) (reader JNull)
            | otherwise -> wrong ("the field " ++ T.unpack name ++ " is missing")

-- | The names that there are, or some of them.
oneOf :: [Text] -> String
oneOf names
  | null names = ""
  | otherwise = "; there is " ++ List.intercalate ", " (map shortened (take 50 names)) ++ more
  where
    more = if null (drop 50 names) then "" else ", and others"

expected :: String -> Json -> Either Wrong a
expected what json = wrong (what ++ " expected, not " ++ found)
  where
    found = case json of
      JNull -> "null"
      JBool _ -> "a truth value"
      JNumber n -> C.unpack (B.take 40 n)
      JString t -> show (T.take 40 t)
      JSurrogate _ -> "a surrogate"
      JArray _ -> "an array"
      JObject _ -> "an object"
      JEntries _ -> "an object with a surrogate for a name"

optional :: Bool -> Reading -> Reading
optional inArray reader json = case json of
  JNull -> Right (Perhaps Nothing)
  JArray [x] | inArray -> Perhaps . Just <$> reader x
  _
    | inArray -> expected "null or an array of one value" json
    | otherwise -> Perhaps . Just <$> reader json

array :: (Json -> Either Wrong a) -> Json -> Either Wrong [a]
array reader json = case json of
  JArray xs -> zipWithM (\i x -> inside (element i) (reader x)) [0 ..] xs
  _ -> expected "an array" json

-- The same of characters, each of which is a string of one.
characters :: Reading -> Json -> Either Wrong [Value]
characters reader json = case json of
  JString t -> mapM (reader . JString . T.singleton) (T.unpack t)
  JSurrogate _ -> (: []) <$> reader json
  JArray _ -> array reader json
  _ -> expected "a string or an array of characters" json

element :: Int -> String
element i = '[' : shows i "]"

several :: [Reading] -> Json -> Either Wrong [Value]
several readers json = case json of
  JArray xs | length xs == length readers -> sequence (zipWith3 one [0 ..] readers xs)
  JArray xs -> wrong (show (length readers) ++ " values expected, not " ++ show (length xs))
  _ -> expected "an array" json
  where
    one i reader x = inside (element i) (reader x)

entries :: Reading -> Reading -> Json -> Either Wrong [(Value, Value)]
entries key reader json = case json of
  JObject members -> mapM keyed [(Left k, x) | (k, x) <- members]
  JEntries members -> mapM keyed members
  _ -> array pair json
  where
    keyed (k, x) = (,) <$> key (either JString JSurrogate k) <*> inside (shown k) (reader x)
    shown k = "{" ++ show (either T.unpack pure k) ++ "}"
    pair xs =
      several [key, reader] xs >>= \both -> case both of
        [k, x] -> Right (k, x)
        _ -> expected "a pair" xs

indexed :: Reading -> Reading -> Reading
indexed index reader json = case json of
  JObject members
    | [Just low, Just high, Just xs] <- map (`lookup` members) names,
      length members == length names ->
      Indexed
        <$> inside ".from" (index low)
        <*> inside ".to" (index high)
        <*> (V.fromList <$> inside ".elements" (array reader xs))
  _ -> expected "an object of from, to and elements" json
  where
    names = map T.pack ["from", "to", "elements"]

constant :: ByteString -> Reading
constant bs json =
  hex json >>= \found ->
    if found == bs then Right (Raw bs) else wrong "other bytes than those that a constant has"

raw :: Int -> Reading
raw n json =
  hex json >>= \found ->
    if B.length found == n then Right (Raw found) else wrong (show n ++ " bytes expected")

hex :: Json -> Either Wrong ByteString
hex json = case json of
  JString t -> either (\_ -> expected what json) Right (Hex.decodeHex (T.encodeUtf8 t))
  _ -> expected what json
  where
    what = "bytes in hexadecimal"

ratio :: Shape -> Reading
ratio shape json = case (shape, json) of
  (Leaf l, JString t) -> of' l t
  (Between _ _ l, JString t) -> of' l t
  _ -> expected "a fraction in a string" json
  where
    of' l t = case T.splitOn (T.pack "/") t of
      [n, d] -> Fraction l <$> (exact n >>= ranged l) <*> (exact d >>= ranged l)
      _ -> expected "a fraction" json
    exact t = maybe (expected "a fraction" json) Right (integer t)

-- A value without parts.
leaf :: Leaf -> Reading
leaf l json = case (l, json) of
  (Unit, JArray []) -> Right (Several V.empty)
  (Boolean, JBool b) -> Right (Truth b)
  (Character, JSurrogate c) -> Right (Letter l c)
  (_, JString t) -> orExpected (Right <$> leafFromText l t)
  (_, JNumber n) -> orExpected (numberOf l n)
  _ -> orExpected Nothing
  where
    orExpected = maybe (expected (leafName l) json) (>>= checked)
    checked v = case v of
      Whole _ n -> v <$ ranged l n
      _ -> Right v

leafName :: Leaf -> String
leafName l = case l of
  Unit -> "[]"
  Boolean -> "true or false"
  Character -> "a character"
  ScalarCharacter -> "a character"
  Float32 -> "a number"
  Float64 -> "a number"
  Float32BE -> "a number"
  Float64BE -> "a number"
  FixedPoint n -> "a decimal number of units of 1/" ++ show n
  Duration -> "seconds, of 12 places at most,"
  Date -> "a date"
  Bytes _ -> "bytes in hexadecimal"
  ByteArray _ -> "bytes in hexadecimal"
  Utf8 _ -> "a text"
  Utf16 -> "a text"
  _ -> "a whole number"

-- In the range of its type.
ranged :: Leaf -> Integer -> Either Wrong Integer
ranged l n
  | maybe False (n <) low || maybe False (n >) high = wrong (take 40 (show n) ++ " is out of range")
  | otherwise = Right n
  where
    (low, high) = wholeRange l

-- A leaf from a string.
leafFromText :: Leaf -> Text -> Maybe Value
leafFromText l t = case l of
  Utf8 _ -> Just (Written l t)
  Utf16 -> Just (Written l t)
  Bytes _ -> blob
  ByteArray _ -> blob
  Character -> letter
  ScalarCharacter -> letter
  Date | Just d <- parsed Time.day utf8 -> Just (Whole l (toModifiedJulianDay d))
  FixedPoint units | [n, d] <- T.splitOn (T.pack "/") t -> do
    n' <- integer n
    d' <- integer d
    if d' == toInteger units then Just (Whole l n') else Nothing
  Float32 -> Binary32 l <$> special
  Float32BE -> Binary32 l <$> special
  Float64 -> Binary64 l <$> special
  Float64BE -> Binary64 l <$> special
  -- Large numbers.
  _ | isWhole l, not (T.null t), T.any (== 'x') (T.take 3 t) -> Whole l <$> integer t
  _ -> Nothing
  where
    utf8 = T.encodeUtf8 t
    blob = either (const Nothing) (Just . Blob l) (Hex.decodeHex utf8)
    letter = case T.unpack t of
      [c] -> Just (Letter l c)
      _ -> Nothing
    special :: Fractional a => Maybe a
    special = lookup (T.unpack t) [("NaN", 0 / 0), ("Infinity", 1 / 0), ("-Infinity", -1 / 0)]

-- A whole number in decimal, or as @0x@ and hexadecimal digits.
integer :: Text -> Maybe Integer
integer t
  | T.take 1 t == T.pack "+" = Nothing
  | otherwise = parsed (withBudget ofText (signed large)) utf8 <|> parsed (signed decimal) utf8
  where
    large = bytes (C.pack "0x") *> hexadecimal
    -- Hexadecimal digits take linear time, so there may be as many as the text has.
    ofText = defaultBudget {budgetSteps = max (budgetSteps defaultBudget) (B.length utf8)}
    utf8 = T.encodeUtf8 t

parsed :: Get a -> ByteString -> Maybe a
parsed g = either (const Nothing) Just . runGetWhole g

-- A leaf from a number of JSON.
numberOf :: Leaf -> ByteString -> Maybe (Either Wrong Value)
numberOf l n = case l of
  Float32 -> finite Binary32 <$> parsed float n
  Float32BE -> finite Binary32 <$> parsed float n
  Float64 -> finite Binary64 <$> parsed double n
  Float64BE -> finite Binary64 <$> parsed double n
  FixedPoint units | units > 0 -> Right . Whole l <$> scaled (toInteger units)
  Duration -> Right . Whole l <$> scaled (10 ^ (12 :: Int))
  _ | isWhole l -> Right . Whole l <$> scaled 1
  _ -> Nothing
  where
    finite :: RealFloat a => (Leaf -> a -> Value) -> a -> Either Wrong Value
    finite make x
      | isInfinite x = wrong (C.unpack (B.take 40 n) ++ " is out of range")
      | otherwise = Right (make l x)
    -- As many units, if that is a whole number. (Powers are computed only if the number is no
    -- longer for them by much.)
    scaled units = do
      (m, e) <- parsed D.scaled n
      let q = (m * units) `quotRem` (10 ^ negate (min 0 e))
          most = B.length n + 1000
      if
          | m == 0 -> Just 0
          | e < negate most || e > most || snd q /= 0 -> Nothing
          | otherwise -> Just (fst q * 10 ^ max 0 e)
