{-# LANGUAGE DeriveAnyClass #-}
{-# LANGUAGE DeriveGeneric #-}
{-# LANGUAGE DerivingStrategies #-}

-- |
-- Module      : Ashlar.Schema.Internal.Types
-- Description : What a schema can say
--
-- The terms are closed: a program that knows them can read the data of any schema. None of them
-- holds the name of a module or a package, so a schema survives when types move.
--
-- All types are 'Codec's, and @format.md@ of this package lists their bytes. The derived formats
-- of this module follow the order of the constructors here: add new ones at the end.
module Ashlar.Schema.Internal.Types
  ( Definition (..),
    Form (..),
    ValueOrder (..),
    Constructor (..),
    Field (..),
    Shape (..),
    Leaf (..),
    Number (..),
    Length (..),
    numberSize,
    packedLeaf,
    inAnyFormat,
    shapesIn,
    mapShapes,
    fieldShapes,
    overShapes,
  )
where

import Ashlar.Codec (Codec)
import Data.ByteString (ByteString)
import Data.Text (Text)
import GHC.Generics (Generic)
import Numeric.Natural (Natural)

-- | A type with constructors.
data Definition = Definition
  { -- | The name of the type, without its parameters and its module. Names need not differ: two
    -- instances of one type have a definition each.
    definitionName :: Text,
    definitionForm :: Form,
    definitionOrder :: ValueOrder,
    definitionConstructors :: [Constructor]
  }
  deriving stock (Eq, Ord, Show, Generic)
  deriving anyclass (Codec)

-- | How a value shows which constructor it has.
data Form
  = -- | A newtype: one constructor with one field, and the bytes of that field.
    Newtype
  | -- | One constructor. Its fields stand one after the other, with no tag.
    Record
  | -- | The number of the constructor from 0, in one byte, or in two (least significant first) if
    -- there are more than 256 constructors. The fields follow. Without constructors there are no
    -- values.
    Sum
  deriving stock (Eq, Ord, Show, Enum, Bounded, Generic)
  deriving anyclass (Codec)

-- | How the 'Ord' instance of a type orders values. A schema needs it for the keys of maps and the
-- elements of sets only.
data ValueOrder
  = -- | Not known. A decoder by schema does not check the order of such keys.
    Unordered
  | -- | That of a derived instance: by constructor, then by the fields from left to right.
    ByParts
  deriving stock (Eq, Ord, Show, Enum, Bounded, Generic)
  deriving anyclass (Codec)

-- | A constructor.
data Constructor = Constructor
  { constructorName :: Text,
    -- | Is its tag no longer in use? Decoding refuses the tag of a retired constructor.
    constructorRetired :: Bool,
    constructorFields :: [Field]
  }
  deriving stock (Eq, Ord, Show, Generic)
  deriving anyclass (Codec)

-- | A field. Without a name, its position is its name, from @1@. No Haskell field has such a name.
data Field = Field
  { fieldName :: Text,
    fieldShape :: Shape
  }
  deriving stock (Eq, Ord, Show, Generic)
  deriving anyclass (Codec)

-- | The format of a type.
data Shape
  = Leaf Leaf
  | -- | A whole number from the first bound to the second, both included.
    Between Integer Integer Leaf
  | -- | Two whole numbers: numerator and denominator, which is positive, in lowest terms.
    Ratio Shape
  | -- | A byte 0, or a byte 1 and a value: @Maybe@.
    Optional Shape
  | -- | Two or more values, one after the other.
    Tuple [Shape]
  | -- | A length, and as many elements: lists, vectors, sequences and arrays without an index.
    List Length Shape
  | -- | A list with at least one element.
    NonEmpty Length Shape
  | -- | A list whose elements ascend strictly.
    Set Length Shape
  | -- | A length, and as many entries: a key and a value each. The keys ascend strictly.
    Map Length Shape Shape
  | -- | An array: the lower and the upper bound of the first shape, the number of elements in
    -- eight bytes, and the elements of the second.
    Array Shape Shape
  | -- | Always these bytes.
    Constant ByteString
  | -- | The definition with this number.
    Reference Int
  | -- | A format that is not described: a name, a version, and the number of bytes if it is
    -- constant.
    Opaque Text Int (Maybe Int)
  | -- | A type that contains itself at ever larger types (polymorphic recursion) is described down
    -- to some depth. This stands for the rest. It has the name of the type there.
    Irregular Text
  | -- | The packed format of 'Ashlar.Codec.Packed.Packed', for a shape and all in it. Inside of
    -- another packed shape it changes nothing.
    Packed Shape
  | -- | Inside of a packed shape: a part that is not packed ('Ashlar.Codec.Packed.Unpacked').
    Unpacked Shape
  deriving stock (Eq, Ord, Show, Generic)
  deriving anyclass (Codec)

-- | A format without parts.
data Leaf
  = -- | No bytes: @()@.
    Unit
  | -- | Constant size, least significant byte first. 'Int' is 'Int64', 'Word' is 'Word64'.
    Number Number
  | -- | Constant size, most significant byte first.
    BigEndian Number
  | -- | Unsigned LEB128; a negative number as 64 bits in two's complement.
    Varint Number
  | -- | Unsigned LEB128 of the position in 0, -1, 1, -2, 2 and so on.
    Zigzag Number
  | -- | IEEE 754, 4 bytes, least significant first.
    Float32
  | -- | IEEE 754, 8 bytes, least significant first.
    Float64
  | -- | 'Float32', most significant byte first.
    Float32BE
  | -- | 'Float64', most significant byte first.
    Float64BE
  | -- | A byte, 0 or 1.
    Boolean
  | -- | The code point in 4 bytes; surrogates are allowed.
    Character
  | -- | A 'Character' that is no surrogate.
    ScalarCharacter
  | -- | 'Integer'.
    BigInteger
  | -- | 'Natural'.
    BigNatural
  | -- | The number of its smallest units as an 'Integer', and how many of these make 1:
    -- @Data.Fixed@.
    FixedPoint Natural
  | -- | The Modified Julian Day as an 'Integer'.
    Date
  | -- | Picoseconds as an 'Integer'.
    Duration
  | -- | A length, and as many bytes.
    Bytes Length
  | -- | Like 'Bytes', but ordered by the length first, then by the bytes: @ByteArray@.
    ByteArray Length
  | -- | The number of bytes, and text in UTF-8.
    Utf8 Length
  | -- | The number of units in eight bytes, and text in UTF-16, least significant byte first.
    Utf16
  deriving stock (Eq, Ord, Show, Generic)
  deriving anyclass (Codec)

-- | Whole numbers of constant size: unsigned and signed, and their bits.
data Number = W8 | W16 | W32 | W64 | I8 | I16 | I32 | I64
  deriving stock (Eq, Ord, Show, Enum, Bounded, Generic)
  deriving anyclass (Codec)

-- | How a length is written.
data Length
  = -- | In eight bytes, least significant first; not negative.
    Length64
  | -- | In unsigned LEB128, at most 2^63 - 1.
    LengthVarint
  deriving stock (Eq, Ord, Show, Enum, Bounded, Generic)
  deriving anyclass (Codec)

-- | The bytes of a number of constant size.
numberSize :: Number -> Int
numberSize n = case n of
  W8 -> 1
  W16 -> 2
  W32 -> 4
  W64 -> 8
  I8 -> 1
  I16 -> 2
  I32 -> 4
  I64 -> 8

-- | How a leaf is written in a packed value: a number of 16 bits or more in LEB128, and so is the
-- length of text and of bytes. All others are as they are.
packedLeaf :: Leaf -> Leaf
packedLeaf l = case l of
  Number n
    | n `elem` [W16, W32, W64] -> Varint n
    | n `elem` [I16, I32, I64] -> Zigzag n
  Bytes _ -> Bytes LengthVarint
  ByteArray _ -> ByteArray LengthVarint
  Utf8 _ -> Utf8 LengthVarint
  _ -> l

-- | A shape, whether it is packed or not.
inAnyFormat :: Shape -> Shape
inAnyFormat shape = case shape of
  Packed inner -> inAnyFormat inner
  Unpacked inner -> inAnyFormat inner
  _ -> shape

-- | The shapes directly inside of a shape, from left to right.
shapesIn :: Shape -> [Shape]
shapesIn shape = case shape of
  Leaf _ -> []
  Between {} -> []
  Ratio s -> [s]
  Optional s -> [s]
  Tuple ss -> ss
  List _ s -> [s]
  NonEmpty _ s -> [s]
  Set _ s -> [s]
  Map _ k v -> [k, v]
  Array i s -> [i, s]
  Constant _ -> []
  Reference _ -> []
  Opaque {} -> []
  Irregular _ -> []
  Packed s -> [s]
  Unpacked s -> [s]

-- | Change the shapes directly inside of a shape.
mapShapes :: (Shape -> Shape) -> Shape -> Shape
mapShapes f shape = case shape of
  Leaf _ -> shape
  Between {} -> shape
  Ratio s -> Ratio (f s)
  Optional s -> Optional (f s)
  Tuple ss -> Tuple (map f ss)
  List n s -> List n (f s)
  NonEmpty n s -> NonEmpty n (f s)
  Set n s -> Set n (f s)
  Map n k v -> Map n (f k) (f v)
  Array i s -> Array (f i) (f s)
  Constant _ -> shape
  Reference _ -> shape
  Opaque {} -> shape
  Irregular _ -> shape
  Packed s -> Packed (f s)
  Unpacked s -> Unpacked (f s)

-- | The shapes of all fields of a definition.
fieldShapes :: Definition -> [Shape]
fieldShapes d = [fieldShape f | c <- definitionConstructors d, f <- constructorFields c]

-- | Change the shapes of all fields of a definition.
overShapes :: (Shape -> Shape) -> Definition -> Definition
overShapes f d =
  d
    { definitionConstructors =
        [ c {constructorFields = [x {fieldShape = f (fieldShape x)} | x <- constructorFields c]}
          | c <- definitionConstructors d
        ]
    }
