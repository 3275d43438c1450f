-- |
-- Module      : Ashlar.Schema.Internal.Evolution.Whole
-- Description : Leaves that become others without loss
module Ashlar.Schema.Internal.Evolution.Whole
  ( wholeOps,
    textOps,
    lettersOps,
  )
where

import Ashlar.Builder (Builder, byteString, toStrictByteString)
import Ashlar.Codec (Get, put)
import Ashlar.Codec.Wrappers (ScalarValue (..))
import Ashlar.Get.Combinators (refine)
import Ashlar.Schema.Internal.Check (isWhole)
import Ashlar.Schema.Internal.Decode (getValue)
import Ashlar.Schema.Internal.Diff (wholeRange)
import Ashlar.Schema.Internal.Evolution.Leaves (leafOps)
import Ashlar.Schema.Internal.Evolution.Op
import Ashlar.Schema.Internal.Schema
import Ashlar.Schema.Internal.Types
import Ashlar.Schema.Internal.Value
import Data.ByteString (ByteString)
import qualified Data.Text as T
import qualified Data.Vector as V
import GHC.Float (float2Double)

-- | The steps for a number to become a number of another shape, if that has all of its values.
-- Whole numbers may also change their encoding, or become floating-point numbers that are exact for
-- all of them. One whose shape stays is copied, and today's decoder checks its bounds.
wholeOps :: Shape -> Shape -> Maybe [Op]
wholeOps x y = case (x, y) of
  _ | x == y, Just l <- leafOf x -> Just (leafOps True l)
  (Leaf (Number a), Leaf (Number b))
    | fits -> Just [Widen a b]
  (Leaf Float32, Leaf Float64) -> Just [ToDouble]
  (Leaf a, Leaf b)
    | isFloat a, isDouble b -> through asDouble
    where
      asDouble value = case value of
        Binary32 _ f -> Right (Binary64 b (float2Double f))
        _ -> Left "not a number"
  (_, Leaf b)
    | isDouble b, exactTo 53 -> through (fromWhole (Binary64 b . fromInteger))
    | isFloat b, exactTo 24 -> through (fromWhole (Binary32 b . fromInteger))
  _
    | fits, Just b <- leafOf y -> through (fromWhole (Whole b))
    | otherwise -> Nothing
  where
    through f = Just [Through False 1 (rewritten x f)]
    fits = case (rangeOf x, rangeOf y) of
      (Just (k, low, high), Just (k', low', high')) ->
        k == k' && below low' low && above high' high
      _ -> False
    below new old = maybe True (\n -> maybe False (n <=) old) new
    above new old = maybe True (\n -> maybe False (n >=) old) new
    fromWhole f value = case value of
      Whole _ n -> Right (f n)
      _ -> Left "not a number"
    -- Are its values whole numbers of at most that many bits?
    exactTo :: Int -> Bool
    exactTo bits = case rangeOf x of
      Just (Nothing, Just low, Just high) -> low >= negate (2 ^ bits) && high <= 2 ^ bits
      _ -> False
    isFloat l = l == Float32 || l == Float32BE
    isDouble l = l == Float64 || l == Float64BE

-- The kind and the range of a whole number. Numbers that count different things differ in kind.
rangeOf :: Shape -> Maybe (Maybe Leaf, Maybe Integer, Maybe Integer)
rangeOf shape = do
  l <- leafOf shape
  let kind = case l of
        FixedPoint _ -> Just l
        Date -> Just l
        Duration -> Just l
        _ -> Nothing
      (low, high) = wholeRange l
  Just $ case shape of
    Between low' high' _ -> (kind, Just low', Just high')
    _ -> (kind, low, high)

leafOf :: Shape -> Maybe Leaf
leafOf shape = case shape of
  Leaf l | isWhole l -> Just l
  Between _ _ l -> Just l
  _ -> Nothing

-- | The steps for text to become text in another encoding.
textOps :: Leaf -> Leaf -> Maybe [Op]
textOps a b
  | isText a, isText b = Just [Through False 1 (fromText a (putValue . Written b))]
  | otherwise = Nothing

-- | The steps for text to become a list of characters, given how its length is written.
lettersOps :: Leaf -> Length -> Leaf -> Maybe [Op]
lettersOps a n b
  | not (isText a) = Nothing
  | otherwise = case b of
    Character -> Just [Through False 1 (fromText a (letters put))]
    ScalarCharacter -> Just [Through False 1 (fromText a (letters (put . ScalarValue)))]
    _ -> Nothing
  where
    letters f t =
      byteString (countBytes n (T.length t)) <> T.foldr (\c rest -> f c <> rest) mempty t

isText :: Leaf -> Bool
isText l = case l of
  Utf8 _ -> True
  Utf16 -> True
  _ -> False

fromText :: Leaf -> (T.Text -> Builder) -> Get ByteString
fromText a f = toStrictByteString <$> refine encoded (getValue (Schema (Leaf a) V.empty))
  where
    encoded value = case value of
      Written _ t -> Right (f t)
      _ -> Left "not a text"

-- Read a value of the old shape, which decides what is refused, and write it as another one.
rewritten :: Shape -> (Value -> Either String Value) -> Get ByteString
rewritten x f = toStrictByteString . putValue <$> refine f (getValue (Schema x V.empty))
