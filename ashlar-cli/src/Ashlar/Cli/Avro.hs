{-# LANGUAGE OverloadedStrings #-}
{-# LANGUAGE ScopedTypeVariables #-}

-- |
-- Module      : Ashlar.Cli.Avro
-- Description : Values as Avro
--
-- By the specification of Avro 1.11: <https://avro.apache.org/docs/1.11.1/specification/>.
--
-- Note [Types of Avro]
-- ~~~~~~~~~~~~~~~~~~~~
-- Avro has numbers of 32 and 64 bits with a sign. Those that need more are texts, as in JSON, and
-- so are fractions, decimals, durations and characters. A date is a @date@.
--
-- A constructor of a sum is a record. A sum is a union of them, or an @enum@ if no constructor has
-- fields. A union must not be in another, so a @Maybe@ of a sum or of a @Maybe@ has a record around
-- its value. A union has no name by which it could contain itself, so such a sum is a record of one
-- field. Tuples, entries of maps whose keys are no texts, and arrays with indices are records.
--
-- A name has letters, digits and underscores, and a type has one of its own. So names are changed
-- where they must be.
module Ashlar.Cli.Avro
  ( avroSchema,
    avroOf,
    Sync,
    syncOf,
    putFileHeader,
    putBlock,
  )
where

import Ashlar.Builder
import Ashlar.Builder.Escape (jsonEscaping, textUtf8Escaped)
import Ashlar.Builder.Varint (int64Zigzag)
import Ashlar.Cli.Csv (plainText)
import Ashlar.Cli.FromJson (Wrong, wrong)
import Ashlar.Schema hiding (part, recordOf)
import Ashlar.Schema.Internal.Check (isWhole)
import Ashlar.Schema.Internal.Diff (wholeRange)
import Ashlar.Schema.Internal.Json.Values
import Ashlar.Schema.Internal.Scalar (commas)
import Ashlar.Schema.Internal.Types (fieldShapes, shapesIn)
import Control.Monad (zipWithM)
import Control.Monad.Trans.Class (lift)
import Control.Monad.Trans.State.Strict (StateT, evalStateT, gets, modify')
import Data.ByteString (ByteString)
import qualified Data.ByteString as B
import Data.Char (isAlphaNum, isAscii, isDigit)
import Data.Graph (SCC (CyclicSCC), stronglyConnComp)
import Data.Int (Int32, Int64)
import qualified Data.IntMap.Strict as IM
import qualified Data.IntSet as IS
import qualified Data.Set as Set
import Data.Text (Text)
import qualified Data.Text as T
import qualified Data.Text.Encoding as T
import qualified Data.Vector as V
import Data.Word (Word64)

-- What a shape is in Avro. A schema and a value go by the same answer.
data Kind
  = -- | Nothing.
    KNull
  | KBoolean
  | KInt
  | KLong
  | KFloat
  | KDouble
  | KDate
  | KBytes
  | -- | Its text.
    KText
  | -- | A value or none, and does the value need a record around it?
    KOptional Bool Shape
  | -- | Parts with names.
    KParts Text [(Text, Shape)]
  | KArray Shape
  | -- | A map by text.
    KMap Shape Shape
  | -- | As many bytes.
    KFixed Int
  | KEnum Int Definition
  | -- | A union of records, and whether it is in a record, because it contains itself.
    KUnion Bool Int Definition
  | KRecord Int Definition
  | -- | An array of keys and values.
    KEntries Shape Shape
  | -- | What has no description.
    KUnknown Text

-- | The definitions that contain themselves.
recursiveIn :: Schema -> IS.IntSet
recursiveIn s =
  IS.fromList . concat $
    [is | CyclicSCC is <- stronglyConnComp [(i, i, uses d) | (i, d) <- zip [0 ..] definitions]]
  where
    definitions = V.toList (schemaDefinitions s)
    uses = concatMap references . fieldShapes
    references shape = case shape of
      Reference i -> [i]
      _ -> concatMap references (shapesIn shape)

kindOf :: Shapes -> IS.IntSet -> Shape -> Kind
kindOf shapes recursive shape = case bareShape shapes shape of
  Leaf l -> leafKind l (wholeRange l)
  Between low high l -> leafKind l (Just low, Just high)
  Ratio _ -> KText
  Optional inner -> KOptional (isUnion (kindOf shapes recursive inner)) inner
  Tuple ss -> KParts "Tuple" (zip positions ss)
  List _ inner -> KArray inner
  NonEmpty _ inner -> KArray inner
  Set _ inner -> KArray inner
  Map _ k x
    | Leaf l <- bareShape shapes k, isText l -> KMap k x
    | otherwise -> KEntries k x
  Array i inner -> KParts "Array" [("from", i), ("to", i), ("elements", List Length64 inner)]
  Constant bs -> fixed (B.length bs)
  Opaque _ _ (Just n) -> fixed n
  Opaque name _ _ -> KUnknown name
  Irregular name -> KUnknown name
  Reference i
    | definitionForm d /= Sum -> KRecord i d
    | all (null . constructorFields) cs && not (null cs) -> KEnum i d
    | otherwise -> KUnion (IS.member i recursive) i d
    where
      d = schemaDefinitions (shapesSchema shapes) V.! i
      cs = definitionConstructors d
  where
    fixed n = if n == 0 then KNull else KFixed n
    isUnion kind = case kind of
      KOptional _ _ -> True
      KUnion isWrapped _ _ -> not isWrapped
      -- Two of it are one.
      KNull -> True
      _ -> False

positions :: [Text]
positions = map (T.pack . show) [1 :: Int ..]

isText :: Leaf -> Bool
isText l = case l of
  Utf8 _ -> True
  Utf16 -> True
  Character -> True
  ScalarCharacter -> True
  _ -> False

leafKind :: Leaf -> (Maybe Integer, Maybe Integer) -> Kind
leafKind l range = case l of
  Unit -> KNull
  Boolean -> KBoolean
  Float32 -> KFloat
  Float32BE -> KFloat
  Float64 -> KDouble
  Float64BE -> KDouble
  Bytes _ -> KBytes
  ByteArray _ -> KBytes
  Date -> KDate
  FixedPoint _ -> KText
  Duration -> KText
  _
    | isWhole l, (Just low, Just high) <- range -> whole' low high
    | otherwise -> KText
  where
    whole' low high
      | low >= least (0 :: Int32) && high <= most (0 :: Int32) = KInt
      | low >= least (0 :: Int64) && high <= most (0 :: Int64) = KLong
      | otherwise = KText

least, most :: forall a. (Bounded a, Integral a) => a -> Integer
least _ = toInteger (minBound :: a)
most _ = toInteger (maxBound :: a)

-- The names of types, and what stands for the definitions that have been seen.
data Names = Names !(Set.Set Text) !(IM.IntMap Builder)

type Naming = StateT Names (Either Wrong)

-- | A schema as one of Avro, in JSON. Fails if a part of it has no description.
avroSchema :: Shapes -> Either Wrong Builder
avroSchema shapes = evalStateT (typeOf (schemaRoot (shapesSchema shapes))) (Names reserved IM.empty)
  where
    recursive = recursiveIn (shapesSchema shapes)
    reserved =
      Set.fromList . T.words $
        "null boolean int long float double bytes string record enum array map union fixed"

    typeOf :: Shape -> Naming Builder
    typeOf shape = case kindOf shapes recursive shape of
      KNull -> pure (string "null")
      KBoolean -> pure (string "boolean")
      KInt -> pure (string "int")
      KLong -> pure (string "long")
      KFloat -> pure (string "float")
      KDouble -> pure (string "double")
      KBytes -> pure (string "bytes")
      KText -> pure (string "string")
      KDate -> pure (typed "int" [("logicalType", string "date")])
      KOptional isWrapped inner -> do
        t <- if isWrapped then record "Just" [("value", inner)] else typeOf inner
        pure (array [string "null", t])
      KParts name ps -> record name ps
      KArray inner -> (\t -> typed "array" [("items", t)]) <$> typeOf inner
      KMap _ inner -> (\t -> typed "map" [("values", t)]) <$> typeOf inner
      KEntries k x ->
        (\t -> typed "array" [("items", t)]) <$> record "Entry" [("key", k), ("value", x)]
      KFixed n -> do
        name <- fresh "Fixed"
        pure (typed "fixed" [("name", string name), ("size", intDec n)])
      KUnknown name -> lift (wrong ("the format " ++ T.unpack name ++ " is not described"))
      KEnum i d -> once i $ do
        name <- fresh (definitionName d)
        let symbols = distinct (map constructorName (definitionConstructors d))
            t = typed "enum" [("name", string name), ("symbols", array (map string symbols))]
        pure (string name, pure t)
      KRecord i d -> once i $ do
        name <- fresh (definitionName d)
        pure (string name, fields name (concatMap namedFields (definitionConstructors d)))
      KUnion isWrapped i d -> once i $ do
        name <- if isWrapped then Just <$> fresh (definitionName d) else pure Nothing
        names <- mapM (fresh . constructorName) (definitionConstructors d)
        let records = zipWith fields names (map namedFields (definitionConstructors d))
            union = array <$> sequence records
            wrapped n u = typed "record" [("name", string n), ("fields", array [value u])]
            value u = object [("name", string "value"), ("type", u)]
        pure $ case name of
          Just n -> (string n, wrapped n <$> union)
          Nothing -> (array (map string names), union)

    -- A definition: what stands for it, and itself, which is there once.
    once :: Int -> Naming (Builder, Naming Builder) -> Naming Builder
    once i make = do
      seen <- gets (\(Names _ known) -> IM.lookup i known)
      case seen of
        Just name -> pure name
        Nothing -> do
          (name, definition) <- make
          modify' (\(Names used known) -> Names used (IM.insert i name known))
          definition

    record name ps = fresh name >>= \name' -> fields name' ps

    fields name ps = do
      types <- mapM (typeOf . snd) ps
      let field n t = object [("name", string n), ("type", t)]
          inside' = zipWith field (distinct (map fst ps)) types
      pure (typed "record" [("name", string name), ("fields", array inside')])

    namedFields c = [(fieldName f, fieldShape f) | f <- constructorFields c]

-- A name that no type has yet.
fresh :: Text -> Naming Text
fresh name = do
  used <- gets (\(Names used _) -> used)
  let name' = unlike used (identifier name)
  name' <$ modify' (\(Names _ known) -> Names (Set.insert name' used) known)

-- Identifiers that differ.
distinct :: [Text] -> [Text]
distinct = go Set.empty
  where
    go used names = case names of
      [] -> []
      name : rest ->
        let name' = unlike used (identifier name) in name' : go (Set.insert name' used) rest

unlike :: Set.Set Text -> Text -> Text
unlike used name = case filter (`Set.notMember` used) (name : map numbered [2 :: Int ..]) of
  name' : _ -> name'
  [] -> name
  where
    numbered i = name <> "_" <> T.pack (show i)

identifier :: Text -> Text
identifier name
  | T.null name || isDigit (T.head name) = T.cons '_' safe
  | otherwise = safe
  where
    safe = T.map (\c -> if isAscii c && isAlphaNum c then c else '_') name

typed :: Text -> [(Text, Builder)] -> Builder
typed name members = object (("type", string name) : members)

object :: [(Text, Builder)] -> Builder
object members =
  char7 '{' <> commas (char7 ',') [string k <> char7 ':' <> x | (k, x) <- members] <> char7 '}'

array :: [Builder] -> Builder
array xs = char7 '[' <> commas (char7 ',') xs <> char7 ']'

string :: Text -> Builder
string t = char7 '"' <> textUtf8Escaped jsonEscaping t <> char7 '"'

-- | How to write a value in Avro. Fails for a date that is none there. Apply it to the shapes once
-- for many values.
avroOf :: Shapes -> Value -> Either Wrong Builder
avroOf shapes = valueOf (schemaRoot (shapesSchema shapes))
  where
    recursive = recursiveIn (shapesSchema shapes)
    definitions = V.imap (\i _ -> writer (Reference i)) (schemaDefinitions (shapesSchema shapes))

    valueOf shape = case bareShape shapes shape of
      Reference i -> definitions V.! i
      _ -> writer shape

    writer :: Shape -> Value -> Either Wrong Builder
    writer shape = case kindOf shapes recursive shape of
      KNull -> \_ -> Right mempty
      KBoolean -> \v -> Right (case v of Truth b -> word8 (if b then 1 else 0); _ -> mempty)
      KInt -> Right . number
      KLong -> Right . number
      KFloat -> \v -> Right (case v of Binary32 _ x -> floatLE x; _ -> mempty)
      KDouble -> \v -> Right (case v of Binary64 _ x -> doubleLE x; _ -> mempty)
      KBytes -> \v -> Right (case v of Blob _ bs -> counted bs; _ -> mempty)
      KText -> Right . text shape
      KDate -> date
      KOptional _ inner ->
        let write = valueOf inner
         in \v -> case v of
              Perhaps (Just x) -> (long 1 <>) <$> write x
              _ -> Right (long 0)
      KParts _ ps -> \v -> case v of
        Several xs -> parts (map (valueOf . snd) ps) (V.toList xs)
        Indexed low high xs ->
          parts (map (valueOf . snd) ps) [low, high, Elements Length64 xs]
        _ -> Right mempty
      KArray inner -> \v -> case v of
        Elements _ xs -> blocks (valueOf inner) xs
        _ -> Right mempty
      KMap k inner -> entries (Right . text k) (valueOf inner)
      KEntries k inner -> entries (valueOf k) (valueOf inner)
      KFixed _ -> \v -> Right (case v of Raw bs -> byteString bs; _ -> mempty)
      KUnknown name -> \_ -> wrong ("the format " ++ T.unpack name ++ " is not described")
      KEnum _ _ -> \v -> Right (case v of Tagged _ i _ _ -> long (toInteger i); _ -> mempty)
      KUnion _ _ d ->
        let writers = V.fromList (map fieldWriters (definitionConstructors d))
         in \v -> case v of
              Tagged _ i _ xs
                | Just ws <- writers V.!? i -> (long (toInteger i) <>) <$> parts ws (V.toList xs)
              _ -> Right mempty
      KRecord _ d ->
        let ws = concatMap fieldWriters (definitionConstructors d)
         in \v -> case v of
              Fields _ xs -> parts ws (V.toList xs)
              -- A newtype.
              _ -> parts ws [v]

    fieldWriters c = map (valueOf . fieldShape) (constructorFields c)
    parts ws xs = mconcat <$> zipWithM ($) ws xs
    text shape = let json = jsonOf shapes shape in counted . plainText json

    entries key value v = case v of
      Entries _ xs -> blocks (\(k, x) -> (<>) <$> key k <*> value x) xs
      _ -> Right mempty

-- One block of elements, and the end.
blocks :: (a -> Either Wrong Builder) -> V.Vector a -> Either Wrong Builder
blocks write xs
  | V.null xs = Right (long 0)
  | otherwise = do
    written <- mapM write (V.toList xs)
    Right (long (toInteger (V.length xs)) <> mconcat written <> long 0)

number :: Value -> Builder
number v = case v of
  Whole _ n -> long n
  _ -> mempty

long :: Integer -> Builder
long = int64Zigzag . fromInteger

counted :: ByteString -> Builder
counted bs = long (toInteger (B.length bs)) <> byteString bs

-- Days since 1970.
date :: Value -> Either Wrong Builder
date v = case v of
  Whole _ n
    | days >= least (0 :: Int32) && days <= most (0 :: Int32) -> Right (long days)
    | otherwise -> wrong ("day " ++ show n ++ " is no date of Avro")
    where
      days = n - 40587
  _ -> Right mempty

-- | What stands between blocks: 16 bytes.
newtype Sync = Sync ByteString

-- | From random numbers.
syncOf :: Word64 -> Word64 -> Sync
syncOf a b = Sync (toStrictByteString (word64BE a <> word64BE b))

-- | The header of a file, given the schema in JSON.
putFileHeader :: Sync -> ByteString -> Builder
putFileHeader (Sync sync) json =
  byteString "Obj\1" <> long 2 <> entry "avro.codec" "null" <> entry "avro.schema" json <> long 0
    <> byteString sync
  where
    entry k x = counted (T.encodeUtf8 k) <> counted x

-- | A block of as many values, which are these bytes.
putBlock :: Sync -> Int -> ByteString -> Builder
putBlock (Sync sync) n bs = long (toInteger n) <> counted bs <> byteString sync
