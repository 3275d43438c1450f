{-# LANGUAGE DeriveAnyClass #-}
{-# LANGUAGE DeriveGeneric #-}
{-# LANGUAGE DerivingStrategies #-}
{-# LANGUAGE OverloadedStrings #-}
{-# LANGUAGE TemplateHaskell #-}
{-# OPTIONS_GHC -ddump-simpl -ddump-to-file -dsuppress-all -dsuppress-uniques #-}
-- Without common subexpressions, so that a function does not become another name of a method.
{-# OPTIONS_GHC -fno-cse #-}
{-# OPTIONS_GHC -fplugin Test.Inspection.Plugin #-}

-- |
-- Module      : Subjects
-- Description : Builders and instances whose Core the tests inspect
--
-- The compiler writes the Core of this module to a file next to its other output, where the tests
-- find it. Each subject is one top-level function.
module Subjects
  ( adjacent,
    leftNested,
    beforeUnknown,
    bytesBetween,
    manyFields,
    tooMany,
    textFields,
    listed,
    folded,
    mixedFields,
    oneOfSome,
    ofVariableLength,
    asInMemory,
    asPrimitives,
    combinedPrimitives,
    byMethods,
    byOwnName,
    pointFree,
    byteOrders,
    byteStrings,
    SomeData (..),
    Mixed (..),
    Sum (..),
    Some (..),
    withoutGenerics,
  )
where

import Ashlar.Builder
import Ashlar.Builder.Extra (int64Host)
import Ashlar.Builder.Html (charHtmlUtf8)
import Ashlar.Builder.Padded
import Ashlar.Builder.Prim (BoundedPrim, FixedPrim, (>$<), (>*<))
import qualified Ashlar.Builder.Prim as P
import Ashlar.Builder.Unsafe (storable)
import Ashlar.Builder.Varint
import qualified Ashlar.ByteOrder as Order
import Ashlar.Codec
import Ashlar.Compat.Varint (prefixVarInt)
import Ashlar.Internal.Codec.Class (formatPut)
import Data.ByteString (ByteString)
import Data.Int (Int64)
import Data.Text (Text)
import Data.Word (Word16, Word32, Word64, Word8)
import GHC.Generics (Generic)
import Test.Inspection (Result, hasNoGenerics, inspectTest)

-- | Three writes side by side.
adjacent :: Word8 -> Word32 -> Word64 -> Builder
adjacent x y z = word8 x <> word32LE y <> word64BE z

-- | The same, appended to the left.
leftNested :: Word8 -> Word32 -> Word64 -> Builder
leftNested x y z = (word8 x <> word32BE y) <> word64LE z

-- | Before a builder of unknown size.
beforeUnknown :: Word8 -> Word32 -> Word64 -> Builder -> Builder
beforeUnknown x y z rest = word8 x <> word32LE y <> word64LE z <> rest

-- | Around a string of unknown size.
bytesBetween :: Word8 -> Word32 -> ByteString -> Word64 -> Builder
bytesBetween x y bs z = word8 x <> word32LE y <> byteString bs <> word64LE z <> word8 x

-- | Formats of variable length.
ofVariableLength :: Word8 -> Word64 -> Int64 -> Char -> Word -> Builder
ofVariableLength u x y c z =
  word8 u <> word64Varint x <> int64Zigzag y <> int64LEB128 y <> charHtmlUtf8 c
    <> varint prefixVarInt z
    <> word8 u

-- | Values as they are in memory.
asInMemory :: Word8 -> Word64 -> Double -> Builder
asInMemory u x y = word8 u <> storable x <> storable y

-- | Primitives, alone and combined, and a user's primitive that is used twice.
asPrimitives :: Word8 -> Word32 -> Char -> Builder
asPrimitives x y c =
  P.primFixed entry (x, y) <> P.primBounded P.charUtf8 c <> P.primFixed entry (x, y)
    <> P.primBounded either' (Just y)
  where
    either' = P.condB (== Nothing) P.emptyB (maybe (0, 0) ((,) 1) >$< P.liftFixedToBounded entry)

-- A user's primitive, at top level.
entry :: FixedPrim (Word8, Word32)
entry = P.word8 >*< P.word32LE

-- | A primitive that a function makes from another.
combinedPrimitives :: Word32 -> Word64 -> Builder
combinedPrimitives x y = P.primBounded (twice P.word32Dec) x <> P.primBounded (twice P.word64Dec) y
  where
    twice :: BoundedPrim a -> BoundedPrim a
    twice prim = (\z -> (z, z)) >$< prim >*< prim
    {-# INLINE twice #-}

-- | A user's class, whose methods are other names for primitives.
class Encode a where
  encode' :: a -> Builder

instance Encode Word8 where
  encode' = word8

instance Encode Word32 where
  encode' = word32BE

instance Encode Int where
  encode' = intDec

-- | With the methods of the class.
byMethods :: Word8 -> Word32 -> Int -> Builder
byMethods x y z = encode' x <> encode' y <> encode' z <> encode' x

-- A user's own name for a primitive. Each use is unfolded only while it is small.
own :: Int -> Builder
own = word64LE . fromIntegral

-- | With that name, more often than once.
byOwnName :: Int -> Builder
byOwnName x = own x <> own (x + 1) <> own (x + 2) <> own (x + 3)

-- | A composition of functions.
pointFree :: Word8 -> Builder
pointFree = (<> word16LE 3) . word8

-- | Byte order chosen at run time, and 24 bits.
byteOrders :: Order.ByteOrder -> Word16 -> Word32 -> Double -> Builder
byteOrders order x y z =
  Order.word16 order x <> Order.word24 order y <> word24BE y <> Order.double order z

-- | Literals of ByteStrings, one reservation from GHC 9.6 on.
byteStrings :: Word8 -> Builder
byteStrings x = byteString "name" <> word8 x <> byteString "another" <> byteString "third"

-- | Writes of all kinds.
manyFields :: Word8 -> Double -> Char -> Int64 -> Builder
manyFields a b c d = mempty <> word8 a <> doubleBE b <> (charUtf8 c <> (int64Host d <> mempty))

-- | 33 writes of 8 bytes. 264 bytes exceed one reservation.
tooMany :: Word64 -> Builder
tooMany x =
  word64LE x <> word64LE x <> word64LE x
    <> word64LE x
    <> word64LE x
    <> word64LE x
    <> word64LE x
    <> word64LE x
    <> word64LE x
    <> word64LE x
    <> word64LE x
    <> word64LE x
    <> word64LE x
    <> word64LE x
    <> word64LE x
    <> word64LE x
    <> word64LE x
    <> word64LE x
    <> word64LE x
    <> word64LE x
    <> word64LE x
    <> word64LE x
    <> word64LE x
    <> word64LE x
    <> word64LE x
    <> word64LE x
    <> word64LE x
    <> word64LE x
    <> word64LE x
    <> word64LE x
    <> word64LE x
    <> word64LE x
    <> word64LE x

-- | Numbers as text.
textFields :: Int -> Double -> Word -> Builder
textFields x y z = char7 '-' <> intDec x <> doubleDec y <> wordHex z <> wordDecPadded 2 z

-- | 'mconcat' of a literal list.
listed :: Word8 -> Word32 -> Word64 -> Builder
listed x y z = mconcat [word8 x, word32LE y, word64LE z]

-- | In a fold.
folded :: [SomeData] -> Builder
folded = foldr (\(SomeData a b c) rest -> int64LE a <> word8 b <> doubleLE c <> rest) mempty

-- | All fields of fixed size.
data SomeData = SomeData !Int64 !Word8 !Double
  deriving stock (Generic)
  deriving anyclass (Codec)

-- | Fields of both kinds.
data Mixed = Mixed !Int64 Word8 Text !Word32 Bool
  deriving stock (Generic)
  deriving anyclass (Codec)

-- | Several constructors, recursive.
data Sum = End | One !Int64 Sum | Two Word8 Bool Sum | Three Text
  deriving stock (Generic)
  deriving anyclass (Codec)

-- | Several constructors, all with fields. It has no instance, because GHC would replace the equal
-- code below with a reference to the instance.
data Some = First !Int64 Sum | Second Word8 Bool Sum | Third Text
  deriving stock (Generic)

putSomeData :: SomeData -> Builder
putSomeData = put

getSomeData :: Get SomeData
getSomeData = get

putMixed :: Mixed -> Builder
putMixed = put

getMixed :: Get Mixed
getMixed = get

putSum :: Sum -> Builder
putSum = put

getSum :: Get Sum
getSum = get

sizeSum :: Sum -> Int
sizeSum = size

-- | The derived writer: a number and a byte, a text, two more fields.
mixedFields :: Mixed -> Builder
mixedFields x = formatPut derivedFormat x

-- | The derived writer: for each of three constructors, its tag and the fields before the variable
-- one.
oneOfSome :: Some -> Builder
oneOfSome x = formatPut derivedFormat x

-- | Whether the code of each derived function mentions the types of the generic representation.
withoutGenerics :: [(String, Result)]
withoutGenerics =
  [ ("putSomeData", $(inspectTest (hasNoGenerics 'putSomeData))),
    ("getSomeData", $(inspectTest (hasNoGenerics 'getSomeData))),
    ("putMixed", $(inspectTest (hasNoGenerics 'putMixed))),
    ("getMixed", $(inspectTest (hasNoGenerics 'getMixed))),
    ("putSum", $(inspectTest (hasNoGenerics 'putSum))),
    ("getSum", $(inspectTest (hasNoGenerics 'getSum))),
    ("sizeSum", $(inspectTest (hasNoGenerics 'sizeSum)))
  ]
