-- |
-- Module      : Ashlar.Schema.Internal.Evolution.Whole
-- Description : Numbers that become wider
module Ashlar.Schema.Internal.Evolution.Whole
  ( wholeOps,
  )
where

import Ashlar.Builder (toStrictByteString)
import Ashlar.Codec (Get)
import Ashlar.Internal.Get.Fail (refine)
import Ashlar.Schema.Internal.Check (isWhole)
import Ashlar.Schema.Internal.Decode (getValue)
import Ashlar.Schema.Internal.Diff (wholeRange)
import Ashlar.Schema.Internal.Evolution.Op
import Ashlar.Schema.Internal.Schema
import Ashlar.Schema.Internal.Types
import Ashlar.Schema.Internal.Value
import Data.ByteString (ByteString)
import qualified Data.Vector as V
import GHC.Float (float2Double)

-- | The steps for a number to become a number of another shape, if all of its values are values of
-- that. Whole numbers may be written in another way, too.
wholeOps :: Shape -> Shape -> Maybe [Op]
wholeOps x y = case (x, y) of
  (Leaf (Number a), Leaf (Number b))
    | fits -> Just [Widen a b]
  (Leaf Float32, Leaf Float64) -> Just [ToDouble]
  (Leaf a, Leaf b)
    | isFloat a, isDouble b -> Just [Through (rewritten x asDouble)]
    where
      asDouble value = case value of
        Binary32 _ f -> Right (Binary64 b (float2Double f))
        _ -> Left "not a number"
  _
    | fits, Just b <- leafOf y -> Just [Through (rewritten x (asWhole b))]
    | otherwise -> Nothing
  where
    fits = case (rangeOf x, rangeOf y) of
      (Just (k, low, high), Just (k', low', high')) ->
        k == k' && below low' low && above high' high
      _ -> False
    below new old = maybe True (\n -> maybe False (n <=) old) new
    above new old = maybe True (\n -> maybe False (n >=) old) new
    asWhole b value = case value of
      Whole _ n -> Right (Whole b n)
      _ -> Left "not a number"
    isFloat l = l == Float32 || l == Float32BE
    isDouble l = l == Float64 || l == Float64BE

-- Numbers that count other things are not of one kind.
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

-- The old number decides what is refused.
rewritten :: Shape -> (Value -> Either String Value) -> Get ByteString
rewritten x f = toStrictByteString . putValue <$> refine f (getValue (Schema x V.empty))
