-- |
-- Module      : Ashlar.Schema.Internal.Evolution.Leaves
-- Description : The steps for values without parts, and newtypes
module Ashlar.Schema.Internal.Evolution.Leaves
  ( leafOps,
    bytesOps,
    copied,
    bounded,

    -- * Newtypes
    peelings,
    peeled,
    unpackedPart,
    noValues,
  )
where

import Ashlar.Schema.Internal.Costs (leastLeaf)
import Ashlar.Schema.Internal.Evolution.Op
import Ashlar.Schema.Internal.Types
import Ashlar.Schema.Internal.Unwrap (cyclic)
import qualified Data.IntSet as IS
import qualified Data.Vector as V

-- | The steps for a newtype of itself, which has no values. Has the new type none either?
noValues :: Bool -> [Op]
noValues exact = [Switch "a newtype of itself" 0 exact []]

-- | Cut off a number of bytes, which may be any in an untrusted schema.
bounded :: Int -> Int
bounded = min (maxBound `quot` 4)

-- | Copy a number of bytes, which may be any.
copied :: Int -> [Op]
copied n = [Copy (bounded n)]

-- | Each definition without newtypes around it. 'Nothing' for a newtype that wraps nothing but
-- itself.
peelings :: V.Vector Definition -> V.Vector (Maybe Shape)
peelings ds = known
  where
    known = V.imap peeling ds
    peeling i d = case d of
      Definition _ Newtype _ [Constructor _ _ [Field _ inner]]
        | IS.member i endless -> Nothing
        | Reference k <- unpackedPart inner -> known V.! k
        | otherwise -> Just (unpackedPart inner)
      _ -> Just (Reference i)
    endless =
      cyclic
        [ (i, [k])
          | (i, Definition _ Newtype _ [Constructor _ _ [Field _ inner]]) <-
              V.toList (V.indexed ds),
            Reference k <- [unpackedPart inner]
        ]

-- | A shape without newtypes around it.
peeled :: V.Vector (Maybe Shape) -> Shape -> Maybe Shape
peeled known shape = case unpackedPart shape of
  Reference i -> known V.! i
  other -> Just other

-- | A program sees an unpacked shape only outside of a packed one, where it changes nothing.
unpackedPart :: Shape -> Shape
unpackedPart shape = case shape of
  Unpacked inner -> unpackedPart inner
  _ -> shape

-- | Copy or leave out a leaf.
leafOps :: Bool -> Leaf -> [Op]
leafOps keep l = case l of
  Unit -> []
  Varint _ -> [Groups keep]
  Zigzag _ -> [Groups keep]
  BigInteger -> [Magnitude keep 1]
  BigNatural -> [Magnitude keep 0]
  FixedPoint _ -> [Magnitude keep 1]
  Date -> [Magnitude keep 1]
  Duration -> [Magnitude keep 1]
  Bytes m -> block m 1
  ByteArray m -> block m 1
  Utf8 m -> block m 1
  Utf16 -> block Length64 2
  _ -> [if keep then Copy (leastLeaf l) else Skip (leastLeaf l)]
  where
    block m width = [Block m (if keep then Just m else Nothing) 0 width]

-- | Strings whose length is written in another way.
bytesOps ::
  -- | May their order change, too?
  Bool ->
  Leaf ->
  Leaf ->
  Maybe [Op]
bytesOps reordered a b = case (a, b) of
  (Bytes m, Bytes n) -> Just [Block m (Just n) 0 1]
  (Bytes m, ByteArray n) | reordered -> Just [Block m (Just n) 0 1]
  (ByteArray m, Bytes n) | reordered -> Just [Block m (Just n) 0 1]
  (ByteArray m, ByteArray n) -> Just [Block m (Just n) 0 1]
  (Utf8 m, Utf8 n) -> Just [Block m (Just n) 0 1]
  _ -> Nothing
