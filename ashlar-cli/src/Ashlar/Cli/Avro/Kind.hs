{-# LANGUAGE OverloadedStrings #-}
{-# LANGUAGE ScopedTypeVariables #-}

-- |
-- Module      : Ashlar.Cli.Avro.Kind
-- Description : What types are in Avro
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
module Ashlar.Cli.Avro.Kind
  ( Kind (..),
    kindOf,
    isIn,
  )
where

import Ashlar.Schema hiding (part, recordOf)
import Ashlar.Schema.Internal.Check (isWhole)
import Ashlar.Schema.Internal.Diff (wholeRange)
import Ashlar.Schema.Internal.Json.Values
import Ashlar.Schema.Internal.Types (fieldShapes)
import Ashlar.Schema.Internal.Unwrap (cyclic, references)
import qualified Data.ByteString as B
import Data.Int (Int32, Int64)
import qualified Data.IntSet as IS
import Data.Text (Text)
import qualified Data.Text as T
import qualified Data.Vector as V

-- | What a shape is in Avro. A schema and a value go by the same answer.
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

-- | The kind of a shape: Note [Types of Avro]. Apply it to the shapes once for many.
kindOf :: Shapes -> Shape -> Kind
kindOf shapes = go
  where
    definitions = schemaDefinitions (shapesSchema shapes)
    -- The definitions that contain themselves.
    recursive =
      cyclic
        [ (i, concatMap references (fieldShapes d))
          | (i, d) <- V.toList (V.indexed definitions)
        ]
    go shape = case bareShape shapes shape of
      Leaf l -> leafKind l (wholeRange l)
      Between low high l -> leafKind l (Just low, Just high)
      Ratio _ -> KText
      Optional inner -> KOptional (isUnion (go inner)) inner
      Tuple ss -> KParts "Tuple" (zip positions ss)
      List _ inner -> KArray inner
      NonEmpty _ inner -> KArray inner
      Set _ inner -> KArray inner
      Map _ k x
        | isName shapes k -> KMap k x
        | otherwise -> KEntries k x
      Array i inner -> KParts "Array" [("from", i), ("to", i), ("elements", List Length64 inner)]
      Constant bs -> fixed (B.length bs)
      Opaque _ _ (Just n) -> fixed n
      Opaque name _ _ -> KUnknown name
      Irregular name -> KUnknown name
      Packed inner -> go inner
      Unpacked inner -> go inner
      Reference i
        | definitionForm d /= Sum -> KRecord i d
        | all (null . constructorFields) cs && not (null cs) -> KEnum i d
        | otherwise -> KUnion (IS.member i recursive) i d
        where
          d = definitions V.! i
          cs = definitionConstructors d
    fixed n = if n == 0 then KNull else KFixed n
    isUnion kind = case kind of
      KOptional _ _ -> True
      KUnion isWrapped _ _ -> not isWrapped
      -- Two of it are one.
      KNull -> True
      _ -> False

positions :: [Text]
positions = map (T.pack . show) [1 :: Int ..]

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
      | low `isIn` (0 :: Int32) && high `isIn` (0 :: Int32) = KInt
      | low `isIn` (0 :: Int64) && high `isIn` (0 :: Int64) = KLong
      | otherwise = KText

-- | Is a number one of a type?
isIn :: forall a. (Bounded a, Integral a) => Integer -> a -> Bool
n `isIn` _ = n >= toInteger (minBound :: a) && n <= toInteger (maxBound :: a)
