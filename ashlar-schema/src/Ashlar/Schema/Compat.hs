{-# LANGUAGE AllowAmbiguousTypes #-}
{-# LANGUAGE DerivingStrategies #-}
{-# LANGUAGE OverloadedStrings #-}
{-# LANGUAGE ScopedTypeVariables #-}
{-# LANGUAGE Trustworthy #-}
{-# LANGUAGE TypeApplications #-}

-- |
-- Module      : Ashlar.Schema.Compat
-- Description : Decoding by a schema what binary, cereal or store have written
--
-- The bytes that binary, cereal or store write for a type follow from its structure, if its
-- instance is derived. The schema of the type's 'Ashlar.Codec.Codec' describes that structure. So a
-- program that has the schema can turn old data into today's format, without the type:
--
-- >>> :set -XDeriveAnyClass -XDeriveGeneric
-- >>> import qualified Ashlar.Compat.Binary as Binary
-- >>> :{
-- data Order = Order { item :: Text, count :: Int }
--   deriving (Generic, Codec, Described, Binary.Binary)
-- :}
--
-- >>> let Right old = getValueOf Binary (schema @Order)
-- >>> let Right value = runGetLazy old (Binary.encode (Order "brick" 12))
-- >>> toStrictByteString (putValue value) == encode (Order "brick" 12)
-- True
--
-- The tool @ashlar convert@ does this for files.
--
-- __What is known:__ derived instances, and those that the packages have for the types of base,
-- containers, bytestring and text. A vector is read as a list, as the instances of
-- vector-binary-instances, cereal-vector and store write it, and a newtype of this library
-- (@Varint@, @BigEndian@, @Compact@ and so on) as the type that it wraps.
--
-- __What a schema does not say:__
--
-- * If the instance was written by hand, its bytes may be anything. They are refused, or read as
--   another value. So compare some values of the result with what they should be.
-- * Cereal has no instance for @Text@. It is read as that of cereal-text writes it: the number of
--   bytes, and UTF-8.
-- * Store writes memory. Numbers and lengths are read as those of a 64-bit machine with the byte
--   order of this one, and @Text@ as that of the version of text that this program is built with.
--   An unboxed vector of tuples looks like a list, but store writes it in another way.
-- * A hash map is a map in today's format, whose keys ascend. Where its old instance wrote them in
--   another order, they are refused.
-- * If keys do not ascend, and their type is not 'Ashlar.Schema.orderedByParts', nobody notices
--   before the type decodes the result, and refuses it. Only damage or an instance by hand makes
--   such bytes.
--
-- __What is refused before the first value:__
--
-- * what is described by hand: formats that are 'Ashlar.Schema.opaque', bytes that are always the
--   same, sums with a constructor that is no longer in use, or with only one; and irregular types;
-- * types without an instance, or whose bytes in store are not known here: dates, durations and
--   @ByteArray@s; in cereal @NonEmpty@ and @Fixed@; in store @Integer@, @Natural@ and @Fixed@;
-- * in store, arrays whose indices are not numbers, characters, 'Bool's or tuples of these: the
--   number of elements follows from the bounds only;
-- * sums of 256 or 65,536 constructors in binary and cereal, which write all of them as number 0,
--   and of more than 255 in store, which derives no such instance.
module Ashlar.Schema.Compat
  ( Format (..),
    getValueOf,
    getLengthOf,
    Unreadable (..),
    describeUnreadable,
  )
where

import qualified Ashlar.Compat.Binary as Binary
import qualified Ashlar.Compat.Cereal as Cereal
import qualified Ashlar.Compat.Store as Store
import Ashlar.Get (Get, getByteString, getTextUtf8)
import Ashlar.Get.Combinators (refine)
import Ashlar.Schema.Internal.Costs (Least (..), leastLeaf, tagSize)
import Ashlar.Schema.Internal.Decode
import Ashlar.Schema.Internal.Schema
import Ashlar.Schema.Internal.Types
import Ashlar.Schema.Internal.Value
import Data.ByteString (ByteString)
import qualified Data.ByteString as B
import Data.Int (Int16, Int32, Int64, Int8)
import qualified Data.Map.Strict as M
import Data.Text (Text)
import qualified Data.Text as T
import qualified Data.Vector as V
import Data.Word (Word16, Word32, Word64, Word8)
import Numeric.Natural (Natural)

-- | The package that has written the bytes.
data Format = Binary | Cereal | Store
  deriving stock (Eq, Ord, Show, Enum, Bounded)

-- | A part of a schema whose bytes in a format are not known.
data Unreadable = Unreadable
  { -- | The type, the constructor if the type has more than one, and the field: @Order.due@,
    -- @Channel.Shop.town@. Empty for the root of the schema.
    unreadablePath :: Text,
    unreadableWhy :: Text
  }
  deriving stock (Eq, Ord, Show)

-- | A description in one line.
describeUnreadable :: Unreadable -> Text
describeUnreadable (Unreadable path why)
  | T.null path = why
  | otherwise = T.concat [path, ": ", why]

-- | 'getValue' in the format of another library: a decoder of what the library has written for the
-- type of a schema. Or all parts of the schema that it cannot read, at least one.
--
-- The value is one of the schema, as far as 'getValue' checks that, so 'putValue' writes it in
-- today's format. The decoder refuses what 'getValue' refuses: keys that do not ascend, fractions
-- that are not in lowest terms, a tag of @Maybe@ or @Either@ that is neither 0 nor 1, a @Text@ of
-- negative length. The libraries write none of these. Otherwise it accepts the bytes that
-- "Ashlar.Compat.Binary", "Ashlar.Compat.Cereal" and "Ashlar.Compat.Store" accept.
--
-- Like 'getValue' it takes time in proportion to the size of the schema, once. Neither the schema
-- nor the bytes need be trusted, if 'checkSchema' accepts the schema.
getValueOf :: Format -> Schema -> Either [Unreadable] (Get Value)
getValueOf format s = case unreadable format s of
  [] -> Right (getValueBy (readerOf format) s)
  found -> Left found

readerOf :: Format -> Reader
readerOf format =
  today
    { -- Larger bounds would not hold in all three formats on every machine.
      readerLeast = Least 1 (min 1 . leastLeaf) (const 1) 0 tagSize True,
      readLeaf = either (fail . T.unpack) id . leafGet format,
      readTag = \count ->
        if count <= 256
          then fromIntegral <$> by @Word8 format
          else fromIntegral <$> by @Word16 format,
      readLength = const (getLengthOf format),
      readMapLength = \_ ->
        if format == Store then markerGet >> getLengthOf format else getLengthOf format,
      readLengthAfterBounds = case format of
        Store -> maybe (fail "an array of unknown size") indices
        _ -> const (getLengthOf format),
      readsFirstApart = format == Store
    }
  where
    indices n
      | n > toInteger (maxBound :: Int) = fail "bounds of an array that overflow"
      | otherwise = pure (fromInteger n)

-- A value in a format for which all three packages have an instance.
by :: forall a. (Binary.Binary a, Cereal.Serialize a, Store.Store a) => Format -> Get a
by format = case format of
  Binary -> Binary.get
  Cereal -> Cereal.get
  Store -> Store.peek

-- | Read the number of elements of a list, which comes before them. Then the elements can be read
-- one by one. The number is not negative, but otherwise untrusted.
getLengthOf :: Format -> Get Int
getLengthOf format = refine natural (by @Int format)
  where
    natural n
      | n < 0 = Left ("negative length " ++ show n)
      | otherwise = Right n

-- Read what store writes before the number of elements of a map. An empty map begins with it.
markerGet :: Get ()
markerGet =
  getByteString (B.length marker) >>= \found ->
    if found == marker then pure () else fail "Expected marker for ascending Map / IntMap"
  where
    marker = B.take 4 (Store.encode (M.empty :: M.Map () ()))

-- How to read a leaf, or why that is not known.
leafGet :: Format -> Leaf -> Either Text (Get Value)
leafGet format l = case l of
  Unit -> Right (pure (Several V.empty))
  Number n -> Right (number n)
  BigEndian n -> Right (number n)
  Varint n -> Right (number n)
  Zigzag n -> Right (number n)
  Float32 -> Right (Binary32 l <$> by format)
  Float32BE -> Right (Binary32 l <$> by format)
  Float64 -> Right (Binary64 l <$> by format)
  Float64BE -> Right (Binary64 l <$> by format)
  Boolean -> Right (Truth <$> by format)
  Character -> Right (Letter l <$> by format)
  ScalarCharacter -> Right (Letter l <$> refine scalar (by format))
  BigInteger -> case format of
    Store -> none "Integer"
    _ -> Right (wholeGet (Binary.get @Integer))
  BigNatural -> case format of
    Store -> none "Natural"
    _ -> Right (wholeGet (Binary.get @Natural))
  FixedPoint _ -> case format of
    Binary -> Right (wholeGet (Binary.get @Integer))
    _ -> none "Fixed"
  Date -> none "dates"
  Duration -> none "durations"
  Bytes _ -> Right (Blob l <$> by @ByteString format)
  ByteArray _ -> none "ByteArray"
  Utf8 _ -> Right (Written l <$> text)
  Utf16 -> Right (Written l <$> text)
  where
    wholeGet :: Integral n => Get n -> Get Value
    wholeGet g = (\n -> Whole l (toInteger n)) <$> g
    number n = case n of
      W8 -> wholeGet (by @Word8 format)
      W16 -> wholeGet (by @Word16 format)
      W32 -> wholeGet (by @Word32 format)
      W64 -> wholeGet (by @Word64 format)
      I8 -> wholeGet (by @Int8 format)
      I16 -> wholeGet (by @Int16 format)
      I32 -> wholeGet (by @Int32 format)
      I64 -> wholeGet (by @Int64 format)
    text = case format of
      Store -> Store.peek
      _ -> getLengthOf format >>= getTextUtf8
    scalar c
      | c >= '\xD800' && c <= '\xDFFF' = Left "a surrogate"
      | otherwise = Right c
    none what = Left (unknown format what)

unknown :: Format -> Text -> Text
unknown format what = T.concat ["the bytes of ", what, " in ", packageName format, " are not known"]

packageName :: Format -> Text
packageName format = case format of
  Binary -> "binary"
  Cereal -> "cereal"
  Store -> "store"

-- The parts of a schema that cannot be read.
unreadable :: Format -> Schema -> [Unreadable]
unreadable format s =
  shapeIn [] (schemaRoot s) ++ concatMap definition (V.toList (schemaDefinitions s))
  where
    definition d =
      [ Unreadable (pathOf [definitionName d]) why
        | definitionForm d == Sum,
          why <- sumIn (definitionConstructors d)
      ]
        ++ concat
          [ shapeIn path (fieldShape f)
            | c <- definitionConstructors d,
              f <- constructorFields c,
              let path
                    | definitionForm d == Sum =
                      [definitionName d, constructorName c, fieldName f]
                    | otherwise = [definitionName d, fieldName f]
          ]
    sumIn cs =
      ["its constructor " <> shortened (constructorName c) <> gone | c <- cs, constructorRetired c]
        ++ case length cs of
          1 -> ["a sum of one constructor, which is described by hand"]
          n
            | format == Store && n > 255 -> ["store derives no instance for so many constructors"]
            | format /= Store && (n == 256 || n == 65536) ->
              [packageName format <> " writes all of " <> count n <> " constructors as number 0"]
            | otherwise -> []
    gone = " is no longer in use, and may not have had its number"
    count = T.pack . show
    shapeIn path shape = map (Unreadable (pathOf path)) (here shape) ++ inside
      where
        inside = concatMap (shapeIn path) (shapesIn shape)
    here shape = case shape of
      Leaf l -> leafIn l
      Between _ _ l -> leafIn l
      NonEmpty _ _
        | format == Cereal -> [unknown format "NonEmpty"]
      Array i _
        | format == Store && not (isPlain i) ->
          ["store does not write how many elements an array has, and its indices do not say it"]
      Constant _ -> ["bytes that are always the same, which are described by hand"]
      Opaque name _ _ -> ["the format " <> shortened name <> " is not described"]
      Irregular name -> ["the irregular type " <> shortened name <> " is not described"]
      Packed _ -> ["the packed format, which only Ashlar has"]
      _ -> []
    leafIn l = either (: []) (const []) (leafGet format l)
    pathOf = T.intercalate "." . map shortened
    -- Names of an untrusted schema may be long.
    shortened = T.take 100
