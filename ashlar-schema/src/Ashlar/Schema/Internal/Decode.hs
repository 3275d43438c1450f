{-# LANGUAGE BangPatterns #-}
{-# LANGUAGE OverloadedStrings #-}
{-# LANGUAGE ScopedTypeVariables #-}
-- The decoder of a schema is made once: see 'getValue'.
{-# OPTIONS_GHC -fno-do-lambda-eta-expansion #-}

-- |
-- Module      : Ashlar.Schema.Internal.Decode
-- Description : Decoding by a schema alone
module Ashlar.Schema.Internal.Decode
  ( getValue,
    getPlainValue,
    getExpanded,

    -- * In any format
    Reader (..),
    today,
    getValueBy,
    isPlain,
  )
where

import Ashlar.Codec (Get)
import Ashlar.Get (getByteString, getWord16le, getWord8)
import Ashlar.Get.Combinators (refine)
import Ashlar.Internal.Codec.Bits (getSymbol, getWithBits)
import Ashlar.Internal.Codec.Elements (getSuccessive)
import Ashlar.Internal.Codec.Length (chargeEmpties, getLength)
import Ashlar.Internal.Codec.ReadFields (getPart)
import Ashlar.Internal.Get.Budget (chargedIfEmpty, nested, spendEmpties, spendFraction)
import Ashlar.Internal.Get.Core (here)
import Ashlar.Internal.Get.Fail (invalidFrom)
import Ashlar.Internal.Get.Path (Names (..), Part (..))
import Ashlar.Schema.Internal.Check (isWhole, shortened)
import Ashlar.Schema.Internal.Costs
import Ashlar.Schema.Internal.Decode.Leaves
import Ashlar.Schema.Internal.Schema
import Ashlar.Schema.Internal.Types
import Ashlar.Schema.Internal.Value
import qualified Data.ByteString as B
import qualified Data.IntSet as IS
import qualified Data.Vector as V

-- | How to read what differs between formats.
data Reader = Reader
  { readerLeast :: Least,
    readLeaf :: Leaf -> Get Value,
    -- | The number of a constructor, given how many there are.
    readTag :: Int -> Get Int,
    -- | How many elements follow: not negative, but otherwise untrusted.
    readLength :: Length -> Get Int,
    -- | The same for a map.
    readMapLength :: Length -> Get Int,
    -- | The same for an array, given how many indices its bounds enclose, if that is known.
    readLengthAfterBounds :: Maybe Integer -> Get Int,
    -- | Does the first element of a @NonEmpty@ come before the number of the others?
    readsFirstApart :: Bool,
    -- | Charge elements that have no bytes, and announce others, given the least bytes of an
    -- element, and their number. Of elements without bytes it is that of all their parts.
    readCharge :: Int -> Int -> Get ()
  }

-- | Read a value by its schema alone.
--
-- It refuses what the decoder of the type refuses, as far as the schema says so. A schema does not
-- say: the conditions of a 'Ashlar.Codec.satisfying' that are no bounds; the order of keys of types
-- that are not 'Ashlar.Schema.orderedByParts'; the number of indices between the bounds of an
-- array, if they are not numbers, characters, 'Bool's, or tuples of these. An opaque format of
-- constant size is read as bytes. One of variable size, and the depths of an irregular type, fail.
--
-- Applied to a schema, it makes a decoder once, in time that is linear in its size. Keep that
-- decoder for many values. The schema must be one that 'checkSchema' accepts, as all are that were
-- decoded. It may be untrusted, like the bytes: decoding takes time and memory in proportion to the
-- bytes and the budget, whatever the schema. (The factor is large: 12,000 bytes of memory for a
-- byte, if somebody made the schema for that.)
getValue :: Schema -> Get Value
getValue = getMarked InPacked InPlain

-- | 'getValue', but as a value of the 'plainSchema': no part of it says that it was packed.
--
-- For a schema that packs nothing it is 'getValue'.
getPlainValue :: Schema -> Get Value
getPlainValue = getMarked id id

-- Given what to make of a packed value, and of one that stays plain inside of it.
getMarked :: (Value -> Value) -> (Value -> Value) -> Schema -> Get Value
getMarked inPacked inPlain s = plain (schemaRoot s)
  where
    plain = shapesBy today (fmap inPacked . chargedIfEmpty . getWithBits . packedPart) unpacked s
    packedPart = shapesBy packed (fmap inPacked . packedPart) unpacked s
    unpacked shape = inPlain <$> plain shape

-- | The format of 'Codec'.
today :: Reader
today =
  Reader
    { readerLeast = leastToday,
      readLeaf = leafGet,
      readTag = \count ->
        if count <= 256 then fromIntegral <$> getWord8 else fromIntegral <$> getWord16le,
      readLength = countGet,
      readMapLength = countGet,
      readLengthAfterBounds = const getLength,
      readsFirstApart = False,
      readCharge = chargeEmpties
    }

-- | Read a value of the schema from bytes that are not packed, whatever the schema says.
getExpanded :: Schema -> Get Value
getExpanded s = plain (schemaRoot s)
  where
    plain = shapesBy reader (fmap InPacked . plain) (fmap InPlain . plain) s
    reader = today {readerLeast = leastToday {leastApart = False}}

-- The format of 'Ashlar.Codec.Packed.Packed'. The least sizes are in bits, of which numbers and
-- lengths have eight.
packed :: Reader
packed =
  Reader
    { readerLeast =
        Least
          8
          (\l -> if l == Boolean then 1 else 8 * min 1 (leastLeaf l))
          (const 8)
          8
          (\count -> if count > 1 then 1 else 0)
          False,
      readLeaf = packedGet,
      readTag = getSymbol,
      readLength = \_ -> countGet LengthVarint,
      readMapLength = \_ -> countGet LengthVarint,
      readLengthAfterBounds = \_ -> countGet LengthVarint,
      readsFirstApart = False,
      readCharge = \bits n -> if bits == 0 then spendEmpties n else pure ()
    }

-- | 'getValue' in another format, which does not know 'Packed'.
getValueBy :: Reader -> Schema -> Get Value
getValueBy reader s = shapesBy reader unknown unknown s (schemaRoot s)
  where
    unknown _ = fail "the packed format is not known here"

-- The decoders of all shapes of a schema, given those of a shape that is packed, and of one that is
-- not.
shapesBy ::
  Reader -> (Shape -> Get Value) -> (Shape -> Get Value) -> Schema -> Shape -> Get Value
shapesBy reader inPacked inPlain s = uncovered
  where
    definitions = schemaDefinitions s
    known = costsBy (readerLeast reader) s
    endless = endlessIn s
    unordered = unorderedIn s
    -- The definitions as parts of a value whose cost is fair, and as other parts.
    coveredOnes = V.imap (definitionGet covered) definitions
    uncoveredOnes = V.imap (definitionGet uncovered) definitions

    -- Read a shape. 'uncovered' counts its parts against the budget unless their cost is fair.
    covered, uncovered :: Shape -> Get Value
    covered = shapeGet (coveredOnes V.!) covered
    uncovered shape
      | fair known (costOf known shape) = covered shape
      | otherwise = spendEmpties (ownParts shape) >> shapeGet (uncoveredOnes V.!) uncovered shape
    -- Read a shape that comes with a byte or a bit besides its own.
    beside :: Shape -> Get Value
    beside shape
      | fairWith known 1 (costOf known shape) = covered shape
      | otherwise = uncovered shape
    -- Read one of these shapes, of which an element is. If they have no bytes, 'chargeElements' has
    -- counted the parts of what has 'fewParts'.
    inElement :: [Shape] -> Shape -> Get Value
    inElement shapes
      | costBytes (costOfAll known shapes) == 0 =
        \shape -> if fewParts shape then covered shape else uncovered shape
      | fairTogether known shapes = covered
      | otherwise = uncovered
    fewParts :: Shape -> Bool
    fewParts shape = costParts (costOf known shape) <= 64

    definitionGet :: (Shape -> Get Value) -> Int -> Definition -> Get Value
    definitionGet field i d = case (definitionForm d, definitionConstructors d) of
      (Newtype, [Constructor _ _ [Field _ inner]])
        | IS.member i endless -> nested (OfType name) (field inner)
        | otherwise -> field inner
      (Sum, cs) -> sumGet name cs
      (_, [c]) ->
        nested
          (OfFields name [(shortened (fieldName f), VariablePart) | f <- constructorFields c])
          (Fields c <$> fieldsGet getPart field (map fieldShape (constructorFields c)))
      _ -> fail (name ++ ": not a definition")
      where
        name = shortened (definitionName d)

    sumGet :: String -> [Constructor] -> Get Value
    sumGet name cs
      | count == 0 = fail (name ++ " has no values")
      | otherwise = do
        at <- here
        tag <- tagGet
        case alternatives V.!? tag of
          Nothing -> invalidFrom at (name ++ ": there is no constructor " ++ show tag)
          Just g -> g
      where
        count = length cs
        tagGet = readTag reader count
        alternatives = V.fromList (zipWith alternative [0 ..] cs)
        alternative :: Int -> Constructor -> Get Value
        alternative i c
          | constructorRetired c =
            fail ("constructor " ++ con ++ ", which is no longer in use")
          | null fields = pure (Tagged count i c V.empty)
          | otherwise =
            nested (OfConstructor name con names (map (const VariablePart) fields)) $
              Tagged count i c <$> (charge >> fieldsGet getPart field (map fieldShape fields))
          where
            fields = constructorFields c
            -- It is no record if the names of the fields are positions.
            names = case fields of
              Field first _ : _
                | first /= "1" ->
                  concatMap (\f -> shortened (fieldName f) ++ " ") fields
              _ -> ""
            con = shortened (constructorName c)
            isFair =
              fairWith
                known
                (leastOfTag (readerLeast reader) count)
                (costOfAll known (map fieldShape fields))
            field = if isFair then covered else uncovered
            charge
              | isFair = pure ()
              | otherwise = spendEmpties (length fields)

    shapeGet :: (Int -> Get Value) -> (Shape -> Get Value) -> Shape -> Get Value
    shapeGet reference part shape = case shape of
      Leaf l -> readLeaf reader l
      Between low high l -> refine (within low high) (readLeaf reader l)
      Ratio inner -> fractionGet (part inner)
      Optional inner -> optionalGet (readTag reader 2) (beside inner)
      -- It shows nothing in a path, in which it is a part of what is around it.
      Tuple ss -> Several <$> fieldsGet (const id) part ss
      List len inner -> Elements len <$> listGet len inner
      NonEmpty len inner
        | readsFirstApart reader ->
          (\first rest -> Elements len (first <> rest))
            <$> elementsGet inner (\_ g -> g) 1 <*> listGet len inner
        | otherwise -> do
          at <- here
          xs <- listGet len inner
          if V.null xs then invalidFrom at "NonEmpty: no elements" else pure (Elements len xs)
      Set len inner ->
        Elements len <$> counted (readLength reader len) (elementsGet inner $! ascending inner)
      Map len k v -> Entries len <$> counted (readMapLength reader len) (entriesGet k v)
      Array i inner -> arrayGet (isPlain i) (part i) (elementsGet inner (\_ g -> g))
      Constant bs ->
        refine
          (\found -> if found == bs then Right (Raw bs) else Left "other bytes than it always has")
          (getByteString (B.length bs))
      Reference i -> reference i
      Opaque _ _ (Just n) -> Raw <$> getByteString n
      Opaque name _ Nothing -> fail ("the format " ++ shortened name ++ " is not described")
      Irregular name -> fail ("the irregular type " ++ shortened name ++ " is not described")
      Packed inner -> inPacked inner
      Unpacked inner -> inPlain inner

    listGet :: Length -> Shape -> Get (V.Vector Value)
    listGet len inner = counted (readLength reader len) (elementsGet inner (\_ g -> g))

    arrayGet :: Bool -> Get Value -> (Int -> Get (V.Vector Value)) -> Get Value
    arrayGet plainIndex !index !elements = do
      low <- index
      high <- index
      at <- here
      let indices = if plainIndex then indicesBetween low high else Nothing
      n <- readLengthAfterBounds reader indices
      xs <- elements n
      if maybe False (/= toInteger n) indices
        then invalidFrom at "an array with another number of elements than its bounds"
        else pure (Indexed low high xs)

    -- Read n elements. The function gets the element before, and the decoder of an element.
    elementsGet ::
      Shape -> (Maybe Value -> Get Value -> Get Value) -> Int -> Get (V.Vector Value)
    elementsGet inner check =
      let !charge = chargeElements [inner]
          element = inElement [inner] inner
       in \n -> charge n >> getSuccessive n (\before -> check before element)

    entriesGet :: Shape -> Shape -> Int -> Get (V.Vector (Value, Value))
    entriesGet k v =
      let !charge = chargeElements [k, v]
          !above = ascending k
          keyGet = inElement [k, v] k
          valueGet = inElement [k, v] v
          entry before = do
            key <- above (fst <$> before) keyGet
            x <- valueGet
            key `seq` x `seq` pure (key, x)
       in \n -> charge n >> getSuccessive n entry

    -- Charge n elements of these shapes: with all of their parts if they have no bytes, otherwise
    -- with their bytes. (Where parts are many, an element counts its own. The product has less than
    -- 31 bits. No element without end becomes a value, so it is not charged.)
    chargeElements :: [Shape] -> Int -> Get ()
    chargeElements shapes =
      let !bytes = costBytes (costOfAll known shapes)
          !parts
            | bytes > 0 = 1
            | otherwise = sum [costParts (costOf known s') | s' <- filter fewParts shapes]
       in \n -> readCharge reader bytes (if parts > 0 && n > 0x800000 then n else n * parts)

    -- Refuse a value that is not above the one before, if the order of its type is known.
    ascending :: Shape -> Maybe Value -> Get Value -> Get Value
    ascending inner
      | isOrdered unordered inner = \before g -> case before of
        Nothing -> g
        Just b -> do
          at <- here
          x <- g
          if compareValues b x == LT then pure x else invalidFrom at "keys that do not ascend"
      | otherwise = \_ g -> g

-- The parts of a shape that are not in its definitions.
ownParts :: Shape -> Int
ownParts shape = case shape of
  Tuple ss -> 1 + sum (map ownParts ss)
  Array i _ -> 1 + 2 * ownParts i
  _ -> 1

-- A length, and the elements. What reads these is made before any value is read. Or GHC would make
-- it for each value, which takes time in proportion to the schema. (Tests "many empty values of a
-- wide type".)
counted :: Get Int -> (Int -> Get a) -> Get a
counted lengthGet !elements = lengthGet >>= elements
{-# NOINLINE counted #-}

-- Fields or parts of a tuple, one after the other. The first argument says how many come after one.
fieldsGet ::
  (Int -> Get Value -> Get Value) -> (Shape -> Get Value) -> [Shape] -> Get (V.Vector Value)
fieldsGet numbered field shapes = fields `seq` (V.fromListN count <$> go (count - 1) fields)
  where
    count = length shapes
    fields = map field shapes
    go :: Int -> [Get Value] -> Get [Value]
    go left gs = case gs of
      [] -> pure []
      g : rest -> (:) <$> numbered left g <*> go (left - 1) rest

optionalGet :: Get Int -> Get Value -> Get Value
optionalGet tagGet g = do
  at <- here
  tag <- tagGet
  case tag of
    0 -> pure (Perhaps Nothing)
    1 ->
      nested
        (OfConstructor "Maybe" "Just" "" [VariablePart])
        ((\x -> Perhaps (Just x)) <$> getPart 0 g)
    _ -> invalidFrom at ("Maybe: there is no constructor " ++ show tag)

fractionGet :: Get Value -> Get Value
fractionGet g = do
  at <- here
  x <- g
  y <- g
  case (x, y) of
    (Whole l n, Whole _ d) -> do
      spendFraction n d
      if d <= 0
        then invalidFrom at "Ratio: the denominator is not positive"
        else
          if gcd n d == 1
            then pure (Fraction l n d)
            else invalidFrom at "Ratio: not in lowest terms"
    _ -> fail "Ratio: not of whole numbers"

-- | Do bounds of this shape say how many indices there are? (The Ix instance of a newtype may be
-- anything.)
isPlain :: Shape -> Bool
isPlain shape = case shape of
  Leaf l -> isWhole l || l `elem` [Unit, Boolean, Character, ScalarCharacter]
  Between {} -> True
  Tuple ss -> all isPlain ss
  _ -> False
