{-# LANGUAGE OverloadedStrings #-}

-- |
-- Module      : Ashlar.Cli.Avro
-- Description : Values as Avro
--
-- By the specification of Avro 1.11: <https://avro.apache.org/docs/1.11.1/specification/>.
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
import Ashlar.Builder.Varint (int64Zigzag)
import Ashlar.Cli.Avro.Kind
import Ashlar.Cli.Csv (plainText)
import Ashlar.Cli.FromJson (Wrong, wrong)
import Ashlar.Cli.Names (Used, allUnlike, unlike, used)
import Ashlar.Schema hiding (part, recordOf)
import Ashlar.Schema.Internal.Check (shortened)
import Ashlar.Schema.Internal.Json (array, object, string)
import Ashlar.Schema.Internal.Json.Values
import Control.Monad (zipWithM)
import Control.Monad.Trans.Class (lift)
import Control.Monad.Trans.State.Strict (StateT, evalStateT, get, gets, modify', put)
import Data.ByteString (ByteString)
import qualified Data.ByteString as B
import Data.Char (isAlphaNum, isAscii, isDigit)
import Data.Int (Int32)
import qualified Data.IntMap.Strict as IM
import Data.Text (Text)
import qualified Data.Text as T
import qualified Data.Text.Encoding as T
import qualified Data.Vector as V
import Data.Word (Word64)

-- The names of types, what stands for the definitions that have been seen, and how many types may
-- still be written.
data Names = Names !Used !(IM.IntMap Builder) !Int

type Naming = StateT Names (Either Wrong)

-- | A schema as one of Avro, in JSON. Fails if a part of it has no description.
avroSchema :: Shapes -> Either Wrong Builder
avroSchema shapes = evalStateT (typeOf (schemaRoot (shapesSchema shapes))) noNames
  where
    noNames = Names (used reserved) IM.empty mostTypes
    reserved =
      T.words "null boolean int long float double bytes string record enum array map union fixed"
    kind = kindOf shapes

    -- A newtype is what it wraps, each time. So those of two others each, and so on, would take
    -- exponential time.
    mostTypes = 100000
    typeOf :: Shape -> Naming Builder
    typeOf shape = do
      Names names known left <- get
      if left == 0
        then lift (wrong ("more than " ++ show mostTypes ++ " types in Avro"))
        else put (Names names known (left - 1)) >> ofKind (kind shape)

    ofKind :: Kind -> Naming Builder
    ofKind found = case found of
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
      KUnknown name -> lift (wrong ("the format " ++ shortened name ++ " is not described"))
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
      seen <- gets (\(Names _ known _) -> IM.lookup i known)
      case seen of
        Just name -> pure name
        Nothing -> do
          (name, definition) <- make
          modify' (\(Names names known left) -> Names names (IM.insert i name known) left)
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
  Names names known left <- get
  let (names', name') = unlike names (identifier name)
  name' <$ put (Names names' known left)

-- Identifiers that differ.
distinct :: [Text] -> [Text]
distinct = allUnlike . map identifier

identifier :: Text -> Text
identifier name
  | T.null name || isDigit (T.head name) = T.cons '_' safe
  | otherwise = safe
  where
    safe = T.map (\c -> if isAscii c && isAlphaNum c then c else '_') name

typed :: Text -> [(Builder, Builder)] -> Builder
typed name members = object (("type", string name) : members)

-- | How to write a value in Avro. Fails for a date that is none there. Apply it to the shapes once
-- for many values.
avroOf :: Shapes -> Value -> Either Wrong Builder
avroOf shapes = valueOf (schemaRoot (shapesSchema shapes))
  where
    kind = kindOf shapes
    toJson = jsonOf shapes
    definitions = V.imap (\i _ -> writer (Reference i)) (schemaDefinitions (shapesSchema shapes))

    valueOf shape = case bareShape shapes shape of
      Reference i -> definitions V.! i
      _ -> writer shape

    writer :: Shape -> Value -> Either Wrong Builder
    writer shape = case kind shape of
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
      KUnknown name -> \_ -> wrong ("the format " ++ shortened name ++ " is not described")
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
    text shape = let json = toJson shape in counted . plainText json

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
    | days `isIn` (0 :: Int32) -> Right (long days)
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
