{-# LANGUAGE DerivingStrategies #-}
{-# LANGUAGE Safe #-}

-- |
-- Module      : Ashlar.Codec.Laws.Mutation
-- Description : Random changes of encodings
module Ashlar.Codec.Laws.Mutation
  ( Mutation (..),
    mutate,
  )
where

import Data.Bits (complementBit)
import Data.ByteString (ByteString)
import qualified Data.ByteString as S
import Data.Word (Word8)
import Test.QuickCheck

-- | A change of some bytes. Offsets are taken modulo the length.
data Mutation
  = -- | Replace the byte at an offset.
    Replace Int Word8
  | -- | Flip one bit of the byte at an offset.
    Flip Int Int
  | -- | Insert a byte at an offset.
    InsertByte Int Word8
  | -- | Remove n bytes.
    Remove Int Int
  | -- | Repeat n bytes.
    Repeat Int Int
  | -- | Overwrite eight bytes with a number that is extreme as a length.
    Number Int Integer
  deriving stock (Eq, Show)

instance Arbitrary Mutation where
  arbitrary =
    oneof
      [ Replace <$> offset <*> arbitrary,
        Replace <$> offset <*> elements [0, 1, 2, 0x7F, 0x80, 0xFF],
        Flip <$> offset <*> choose (0, 7),
        InsertByte <$> offset <*> arbitrary,
        Remove <$> offset <*> choose (1, 9),
        Repeat <$> offset <*> choose (1, 17),
        Number
          <$> frequency [(1, pure 0), (1, offset)]
            <*> elements
              [ 0,
                1,
                2,
                -1,
                2 ^ (31 :: Int),
                2 ^ (60 :: Int),
                2 ^ (61 :: Int),
                2 ^ (62 :: Int),
                2 ^ (63 :: Int) - 1,
                2 ^ (63 :: Int)
              ]
      ]
    where
      -- Often near the beginning, where tags and lengths are.
      offset = oneof [choose (0, 15), choose (0, 10000)]

-- | Apply a mutation.
mutate :: Mutation -> ByteString -> ByteString
mutate mutation bs = case mutation of
  Replace i w -> at i (\a b -> a <> S.cons w (S.drop 1 b))
  Flip i k ->
    at i (\a b -> a <> maybe S.empty (\(w, rest) -> S.cons (complementBit w k) rest) (S.uncons b))
  InsertByte i w -> at i (\a b -> a <> S.cons w b)
  Remove i n -> at i (\a b -> a <> S.drop n b)
  Repeat i n -> at i (\a b -> a <> S.take n b <> b)
  Number i n -> at i (\a b -> a <> S.pack (take 8 (littleEndian n)) <> S.drop 8 b)
  where
    at i change = uncurry change (S.splitAt (i `mod` max 1 (S.length bs)) bs)
    littleEndian n = fromInteger (n `mod` 256) : littleEndian (n `div` 256)
