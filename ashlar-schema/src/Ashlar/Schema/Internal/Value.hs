{-# LANGUAGE DerivingStrategies #-}

-- |
-- Module      : Ashlar.Schema.Internal.Value
-- Description : Values without their types
module Ashlar.Schema.Internal.Value
  ( Value (..),
    putValue,
    fromFormats,
    compareValues,
    indicesBetween,
  )
where

import Ashlar.Builder (Builder, byteString, word16LE, word8)
import Ashlar.Codec (put)
import Ashlar.Codec.Packed ()
import Ashlar.Codec.Wrappers (Compact (..), ScalarValue (..), UTF16 (..))
import qualified Ashlar.Codec.Wrappers as Wrappers
import Ashlar.Internal.Codec.Bits (Pool, putSymbol, withBits)
import Ashlar.Internal.Codec.Pack (packing)
import Ashlar.Schema.Internal.Types
import Data.ByteString (ByteString)
import qualified Data.ByteString as B
import Data.Int (Int16, Int32, Int64, Int8)
import qualified Data.List as List
import Data.Text (Text)
import qualified Data.Vector as V
import Data.Word (Word16, Word32, Word64, Word8)
import Numeric.Natural (Natural)

-- | A value, as a schema describes it. It has what is needed to encode it again: the formats of its
-- parts, and the names of its constructors and fields. Newtypes are what they wrap.
data Value
  = -- | A whole number, and its format.
    Whole Leaf !Integer
  | -- | A fraction: the format of both numbers, the numerator, and the denominator.
    Fraction Leaf !Integer !Integer
  | -- | A number of 4 bytes, and its format: 'Float32' or 'Float32BE'.
    Binary32 Leaf !Float
  | -- | A number of 8 bytes, and its format: 'Float64' or 'Float64BE'.
    Binary64 Leaf !Double
  | Truth !Bool
  | -- | A character, and its format: 'Character' or 'ScalarCharacter'.
    Letter Leaf !Char
  | -- | Text, and its format: 'Utf8' or 'Utf16'.
    Written Leaf !Text
  | -- | Bytes, and their format: 'Bytes' or 'ByteArray'.
    Blob Leaf !ByteString
  | -- | A value, or none: @Maybe@.
    Perhaps !(Maybe Value)
  | -- | A tuple. That of no values is @()@.
    Several !(V.Vector Value)
  | -- | A list, a vector or a set.
    Elements Length !(V.Vector Value)
  | -- | A map, as its keys and values.
    Entries Length !(V.Vector (Value, Value))
  | -- | An array: the lower bound, the upper bound, and the elements.
    Indexed !Value !Value !(V.Vector Value)
  | -- | A value of a record: its constructor, and a value for each field.
    Fields Constructor !(V.Vector Value)
  | -- | A value of a sum: how many constructors there are, the number of this one, the constructor,
    -- and a value for each field.
    Tagged !Int !Int Constructor !(V.Vector Value)
  | -- | Bytes that are always the same, or whose format is not described.
    Raw !ByteString
  | -- | A value in the packed format, with all in it.
    InPacked !Value
  | -- | Inside of that: a value that is not packed.
    InPlain !Value
  deriving stock (Eq, Show)

-- | Write a value: what 'Ashlar.Schema.getValue' has read gives the same bytes. A value made by
-- hand that is not one of its schema gives other bytes, which decoding may refuse.
putValue :: Value -> Builder
putValue value = case value of
  Whole l n -> putWhole l n
  Fraction l n d -> putWhole l n <> putWhole l d
  Binary32 l x -> case l of
    Float32BE -> put (Wrappers.BigEndian x)
    _ -> put x
  Binary64 l x -> case l of
    Float64BE -> put (Wrappers.BigEndian x)
    _ -> put x
  Truth b -> put b
  Letter l c -> case l of
    ScalarCharacter -> put (ScalarValue c)
    _ -> put c
  Written l t -> case l of
    Utf16 -> put (UTF16 t)
    Utf8 LengthVarint -> put (Compact t)
    _ -> put t
  Blob l bs -> case l of
    Bytes LengthVarint -> put (Compact bs)
    ByteArray LengthVarint -> put (Compact bs)
    _ -> put bs
  Perhaps m -> case m of
    Nothing -> word8 0
    Just x -> word8 1 <> putValue x
  Several xs -> foldMap putValue xs
  Elements len xs -> putCount len (V.length xs) <> foldMap putValue xs
  Entries len xs ->
    putCount len (V.length xs) <> foldMap (\(k, x) -> putValue k <> putValue x) xs
  Indexed low high xs ->
    putValue low <> putValue high <> putCount Length64 (V.length xs) <> foldMap putValue xs
  Fields _ xs -> foldMap putValue xs
  Tagged count i _ xs
    | count > 256 -> word16LE (fromIntegral i) <> foldMap putValue xs
    | otherwise -> word8 (fromIntegral i) <> foldMap putValue xs
  Raw bs -> byteString bs
  InPacked x -> withBits (`packValue` x)
  InPlain x -> putValue x

-- Write a value as a part of a packed one.
packValue :: Pool -> Value -> Builder
packValue pool value = case value of
  Whole l n -> packWhole l n
  Fraction l n d -> packWhole l n <> packWhole l d
  Truth b -> packing pool b
  Letter _ c -> packing pool c
  Written l t -> putValue (Written (packedLeaf l) t)
  Blob l bs -> putValue (Blob (packedLeaf l) bs)
  Perhaps m -> case m of
    Nothing -> putSymbol pool 2 0
    Just x -> putSymbol pool 2 1 <> packValue pool x
  Several xs -> foldMap (packValue pool) xs
  Elements _ xs -> putCount LengthVarint (V.length xs) <> foldMap (packValue pool) xs
  Entries _ xs ->
    putCount LengthVarint (V.length xs)
      <> foldMap (\(k, x) -> packValue pool k <> packValue pool x) xs
  Indexed low high xs ->
    packValue pool low <> packValue pool high <> putCount LengthVarint (V.length xs)
      <> foldMap (packValue pool) xs
  Fields _ xs -> foldMap (packValue pool) xs
  Tagged count i _ xs -> putSymbol pool n (if 0 <= i && i < n then i else 0) <> rest
    where
      -- (A value that is made by hand may have any of both.)
      n = max 1 (min 65536 count)
      rest = foldMap (packValue pool) xs
  InPacked x -> packValue pool x
  _ -> putValue value

packWhole :: Leaf -> Integer -> Builder
packWhole = putWhole . packedLeaf

-- | A value that is not packed, given one that may be. Its parts may still be packed.
fromFormats :: Value -> Value
fromFormats value = case value of
  InPacked x -> fromFormats x
  InPlain x -> fromFormats x
  _ -> value

putCount :: Length -> Int -> Builder
putCount len n = case len of
  Length64 -> put n
  LengthVarint -> put (Wrappers.Varint n)

putWhole :: Leaf -> Integer -> Builder
putWhole l n = case l of
  Number k -> case k of
    W8 -> put (fromInteger n :: Word8)
    W16 -> put (fromInteger n :: Word16)
    W32 -> put (fromInteger n :: Word32)
    W64 -> put (fromInteger n :: Word64)
    I8 -> put (fromInteger n :: Int8)
    I16 -> put (fromInteger n :: Int16)
    I32 -> put (fromInteger n :: Int32)
    I64 -> put (fromInteger n :: Int64)
  BigEndian k -> case k of
    W8 -> put (fromInteger n :: Word8)
    I8 -> put (fromInteger n :: Int8)
    W16 -> put (Wrappers.BigEndian (fromInteger n :: Word16))
    W32 -> put (Wrappers.BigEndian (fromInteger n :: Word32))
    W64 -> put (Wrappers.BigEndian (fromInteger n :: Word64))
    I16 -> put (Wrappers.BigEndian (fromInteger n :: Int16))
    I32 -> put (Wrappers.BigEndian (fromInteger n :: Int32))
    I64 -> put (Wrappers.BigEndian (fromInteger n :: Int64))
  -- In two's complement, whatever the type.
  Varint _ -> put (Wrappers.Varint (fromInteger n :: Word64))
  Zigzag k
    -- The largest numbers of 64 bits without a sign wrap around, as those of the type do.
    | k == W64 -> put (Wrappers.Zigzag (fromInteger n :: Word64))
    | otherwise -> put (Wrappers.Zigzag (fromInteger n :: Int64))
  BigNatural -> put (fromInteger (max 0 n) :: Natural)
  _ -> put n

-- | The order of two values of one shape, if all types in it are ordered by their parts.
compareValues :: Value -> Value -> Ordering
compareValues x y = case (x, y) of
  (Whole _ a, Whole _ b) -> compare a b
  (Fraction _ a b, Fraction _ c d) -> compare (a * d) (c * b)
  (Binary32 _ a, Binary32 _ b) -> compare a b
  (Binary64 _ a, Binary64 _ b) -> compare a b
  (Truth a, Truth b) -> compare a b
  (Letter _ a, Letter _ b) -> compare a b
  (Written _ a, Written _ b) -> compare a b
  (Blob l a, Blob _ b) -> case l of
    ByteArray _ -> compare (B.length a) (B.length b) <> compare a b
    _ -> compare a b
  (Perhaps a, Perhaps b) -> case (a, b) of
    (Nothing, Nothing) -> EQ
    (Nothing, Just _) -> LT
    (Just _, Nothing) -> GT
    (Just a', Just b') -> compareValues a' b'
  (Several a, Several b) -> comparing' a b
  (Elements _ a, Elements _ b) -> comparing' a b
  (Entries _ a, Entries _ b) -> lexical pairs (V.toList a) (V.toList b)
  (Fields _ a, Fields _ b) -> comparing' a b
  (Tagged _ i _ a, Tagged _ j _ b) -> compare i j <> comparing' a b
  (Raw a, Raw b) -> compare a b
  (InPacked a, InPacked b) -> compareValues a b
  (InPlain a, InPlain b) -> compareValues a b
  _ -> EQ
  where
    comparing' a b = lexical compareValues (V.toList a) (V.toList b)
    pairs (k, a) (l, b) = compareValues k l <> compareValues a b

lexical :: (a -> a -> Ordering) -> [a] -> [a] -> Ordering
lexical f = go
  where
    go as bs = case (as, bs) of
      ([], []) -> EQ
      ([], _) -> LT
      (_, []) -> GT
      (a : as', b : bs') -> f a b <> go as' bs'

-- | How many indices there are between two bounds, if their type is one of base. A result beyond
-- any 'Int' may be too small: the product of the sizes of a wide tuple would take quadratic time.
indicesBetween :: Value -> Value -> Maybe Integer
indicesBetween low high = case (low, high) of
  (Whole _ a, Whole _ b) -> Just (enclosed a b)
  (Truth a, Truth b) -> Just (enclosed (number a) (number b))
  (Letter _ a, Letter _ b) -> Just (enclosed (number a) (number b))
  (Several a, Several b) ->
    enclosedByAll <$> sequence (V.toList (V.zipWith indicesBetween a b))
  _ -> Nothing
  where
    enclosedByAll sizes
      | 0 `elem` sizes = 0
      | otherwise = List.foldl' (\n m -> min (2 ^ (64 :: Int)) (n * m)) 1 sizes
    enclosed a b = max 0 (b - a + 1)
    number :: Enum e => e -> Integer
    number = toInteger . fromEnum
