{-# LANGUAGE OverloadedStrings #-}

-- |
-- Module      : Ashlar.Schema.Internal.Json.Values
-- Description : Values as JSON
--
-- 'valueToJson' lists the form of each type.
module Ashlar.Schema.Internal.Json.Values
  ( valueToJson,
    jsonOf,
    Shapes (..),
    shapesOf,
    isPositional,
  )
where

import Ashlar.Builder
import Ashlar.Schema.Internal.Scalar
import Ashlar.Schema.Internal.Schema
import Ashlar.Schema.Internal.Types
import Ashlar.Schema.Internal.Unwrap (cyclic, unwrapping, wrappedBy)
import Ashlar.Schema.Internal.Value
import Data.ByteString (ByteString)
import qualified Data.IntSet as IS
import Data.Maybe (fromMaybe)
import qualified Data.Text as T
import qualified Data.Vector as V

-- | A value of a schema as JSON, in UTF-8. Apply it to the schema once for many values.
--
-- * Whole numbers are numbers with all their digits. Some programs read those of more than 2^53 as
--   a 'Double' and round them. Those of more than 4,096 bits are strings in hexadecimal.
-- * Floating-point numbers are numbers; @\"NaN\"@, @\"Infinity\"@ and @\"-Infinity\"@ are strings.
-- * Decimals of fixed precision are numbers; fractions, dates, texts and characters are strings.
-- * Bytes are strings in hexadecimal.
-- * 'Nothing' is @null@. 'Just' is its value, or an array of it where that may be @null@, too.
-- * Tuples, lists and sets are arrays. A map is an object if its keys are texts or characters, or
--   else an array of pairs.
-- * A record is an object, or an array if its fields have no names. A constructor of a sum without
--   fields is its name, as a string; one with fields is an object with that name and the fields.
--
-- The value must be one of the schema. Where it is not, the JSON says something else of it.
--
-- >>> :set -XTypeApplications
-- >>> import Ashlar.Schema
-- >>> let pairs = schema @(Int, Maybe Bool)
-- >>> let Right value = runGet (getValue pairs) (encode (7 :: Int, Just True))
-- >>> toStrictByteString (valueToJson pairs value)
-- "[7,true]"
valueToJson :: Schema -> Value -> Builder
valueToJson s = jsonOf (shapesOf s) (schemaRoot s)

-- | The shapes of a schema, without newtypes.
data Shapes = Shapes
  { shapesSchema :: Schema,
    -- | A shape that is no newtype, unless that is recursive or wraps much.
    bareShape :: Shape -> Shape,
    -- | May the JSON of a value be @null@? It is an optional one, whatever newtypes are around it.
    mayBeNull :: Shape -> Bool,
    -- | Newtypes that wrap nothing but themselves, and so have no values.
    valueless :: IS.IntSet,
    -- | Is the JSON of every value a string? The keys of maps are names then.
    isName :: Shape -> Bool
  }

-- | Looked up once for each schema.
shapesOf :: Schema -> Shapes
shapesOf s = Shapes s bare nullable around named
  where
    known = unwrapping (schemaDefinitions s)
    bare shape = case shape of
      Reference i -> known V.! i
      _ -> shape
    inside = V.map wrappedBy (schemaDefinitions s)
    around =
      cyclic
        [ (i, [j | Just (Reference j) <- [inAnyFormat <$> x]])
          | (i, x) <- V.toList (V.indexed inside)
        ]
    -- Each waits for the next, and none for itself.
    nullables = V.imap (\i x -> IS.notMember i around && maybe False nullable x) inside
    nullable shape = case inAnyFormat (bare (inAnyFormat shape)) of
      Optional _ -> True
      Reference i -> nullables V.! i
      _ -> False
    named shape = case inAnyFormat (bare (inAnyFormat shape)) of
      Leaf l -> case l of
        Utf8 _ -> True
        Utf16 -> True
        Character -> True
        ScalarCharacter -> True
        _ -> False
      _ -> False

-- | How to write the values of a shape. Keep it for many values.
jsonOf :: Shapes -> Shape -> Value -> Builder
jsonOf shapes = shapeOf
  where
    definitions = V.map definitionOf (schemaDefinitions (shapesSchema shapes))

    shapeOf :: Shape -> Value -> Builder
    shapeOf shape = case bareShape shapes shape of
      Optional inner -> optional (mayBeNull shapes inner) (shapeOf inner)
      Tuple ss -> list (map shapeOf ss)
      List _ inner -> elements (shapeOf inner)
      NonEmpty _ inner -> elements (shapeOf inner)
      Set _ inner -> elements (shapeOf inner)
      Map _ k x
        | isName shapes k -> object (shapeOf k) (shapeOf x)
        | otherwise -> pairs (shapeOf k) (shapeOf x)
      Array i inner -> indexed (shapeOf i) (shapeOf inner)
      Reference i -> definitions V.! i
      Packed inner -> shapeOf inner . fromFormats
      Unpacked inner -> shapeOf inner . fromFormats
      _ -> scalar

    definitionOf d = case (definitionForm d, definitionConstructors d) of
      (Sum, cs) ->
        let alternatives = V.fromList (map alternative cs)
         in \value -> case value of
              Tagged _ i _ xs | Just write <- alternatives V.!? i -> write xs
              _ -> scalar value
      (Newtype, [Constructor _ _ [f]]) -> shapeOf (fieldShape f)
      (_, [c]) ->
        let write = fieldsOf c
         in \value -> case value of
              Fields _ xs -> write xs
              _ -> scalar value
      _ -> scalar
    alternative c
      | null (constructorFields c) = \_ -> prefix
      | otherwise = \xs -> byteString before <> write xs <> char7 '}'
      where
        prefix = byteString (toStrictByteString (quoted (constructorName c)))
        before = toStrictByteString (char7 '{' <> prefix <> char7 ':')
        write = fieldsOf c
    fieldsOf c
      | isPositional c = \xs -> char7 '[' <> separated writers xs <> char7 ']'
      | otherwise =
        let named = V.fromList (zipWith withKey (constructorFields c) (V.toList writers))
         in \xs -> char7 '{' <> separated named xs <> char7 '}'
      where
        writers = V.fromList (map (shapeOf . fieldShape) (constructorFields c))
        withKey f write =
          let key = toStrictByteString (quoted (fieldName f) <> char7 ':') :: ByteString
           in \x -> byteString key <> write x
    separated fs xs = commas (char7 ',') (V.toList (V.zipWith ($) fs xs))

-- | Have the fields no names? Not if there are none.
isPositional :: Constructor -> Bool
isPositional c =
  not (null fields) && and (zipWith (\i f -> fieldName f == position i) [1 ..] fields)
  where
    fields = constructorFields c
    position i = T.pack (show (i :: Int))

optional :: Bool -> (Value -> Builder) -> Value -> Builder
optional inArray write value = case value of
  Perhaps Nothing -> "null"
  Perhaps (Just x)
    | inArray -> char7 '[' <> write x <> char7 ']'
    | otherwise -> write x
  _ -> scalar value

list :: [Value -> Builder] -> Value -> Builder
list writers value = case value of
  Several xs ->
    char7 '[' <> commas (char7 ',') (zipWith ($) writers (V.toList xs)) <> char7 ']'
  _ -> scalar value

elements :: (Value -> Builder) -> Value -> Builder
elements write value = case value of
  Elements _ xs -> array write xs
  _ -> scalar value

array :: (a -> Builder) -> V.Vector a -> Builder
array write xs = char7 '[' <> commas (char7 ',') (map write (V.toList xs)) <> char7 ']'

object, pairs, indexed :: (Value -> Builder) -> (Value -> Builder) -> Value -> Builder
object key write value = case value of
  Entries _ xs ->
    char7 '{'
      <> commas (char7 ',') [key k <> char7 ':' <> write x | (k, x) <- V.toList xs]
      <> char7 '}'
  _ -> scalar value
pairs key write value = case value of
  Entries _ xs ->
    array (\(k, x) -> char7 '[' <> key k <> char7 ',' <> write x <> char7 ']') xs
  _ -> scalar value
indexed index write value = case value of
  Indexed low high xs ->
    "{\"from\":" <> index low <> ",\"to\":" <> index high <> ",\"elements\":" <> array write xs
      <> char7 '}'
  _ -> scalar value

-- What has no parts.
scalar :: Value -> Builder
scalar value = case value of
  Whole l n -> case l of
    FixedPoint units
      | Just b <- decimal n (toInteger units) -> b
      | otherwise -> string (wholeNumber n <> char7 '/' <> wholeNumber (toInteger units))
    Date -> maybe (number n) string (date n)
    Duration -> fromMaybe (number n) (decimal n 1000000000000)
    _ -> number n
  Fraction _ n d -> string (wholeNumber n <> char7 '/' <> wholeNumber d)
  Binary32 _ x -> float (isNaN x || isInfinite x) (floatDec x)
  Binary64 _ x -> float (isNaN x || isInfinite x) (doubleDec x)
  Truth b -> if b then "true" else "false"
  Letter _ c -> quotedChar c
  Written _ t -> quoted t
  Blob _ bs -> string (hexadecimal bs)
  Raw bs -> string (hexadecimal bs)
  Several xs | V.null xs -> "[]"
  -- All others have a shape with parts.
  _ -> "null"
  where
    number n = if isExact n then integerDec n else string (wholeNumber n)
    string b = char7 '"' <> b <> char7 '"'
    float special b = if special then string b else b
