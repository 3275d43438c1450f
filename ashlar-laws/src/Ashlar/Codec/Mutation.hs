{-# LANGUAGE DerivingStrategies #-}

-- |
-- Module      : Ashlar.Codec.Mutation
-- Description : Changes of encodings, to fuzz decoders with
module Ashlar.Codec.Mutation
  ( Mutation (..),
    mutate,
  )
where

import Data.Bits (complementBit)
import Data.ByteString (ByteString)
import qualified Data.ByteString as S
import Data.Word (Word8)
import Test.QuickCheck

-- | A change of some bytes at an offset, which is taken modulo the length.
--
-- @since 0.1.0.0
data Mutation
  = -- | Put this byte there.
    Replace Int Word8
  | -- | Flip this bit, from 0 to 7.
    Flip Int Int
  | -- | Insert this byte.
    InsertByte Int Word8
  | -- | Remove n bytes.
    Remove Int Int
  | -- | Write the next n bytes twice.
    Repeat Int Int
  | -- | Put a number there, in eight bytes, such as an extreme length.
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
        Number <$> frequency [(1, pure 0), (1, offset)] <*> elements extremes
      ]
    where
      -- Often near the beginning, where tags and lengths are.
      offset = oneof [choose (0, 15), choose (0, 10000)]
      extremes =
        [0, 1, 2, -1] ++ map (2 ^) [31, 60, 61, 62 :: Int] ++ [2 ^ (63 :: Int) - 1, 2 ^ (63 :: Int)]

-- | Change some bytes.
--
-- @since 0.1.0.0
mutate :: Mutation -> ByteString -> ByteString
mutate mutation bs = case mutation of
  Replace i w -> at i (\a b -> a <> S.cons w (S.drop 1 b))
  Flip i k -> at i $ \a b ->
    a <> maybe S.empty (\(w, rest) -> S.cons (complementBit w k) rest) (S.uncons b)
  InsertByte i w -> at i (\a b -> a <> S.cons w b)
  Remove i n -> at i (\a b -> a <> S.drop n b)
  Repeat i n -> at i (\a b -> a <> S.take n b <> b)
  Number i n -> at i (\a b -> a <> S.pack (take 8 (littleEndian n)) <> S.drop 8 b)
  where
    at i change = uncurry change (S.splitAt (i `mod` max 1 (S.length bs)) bs)
    littleEndian n = fromInteger (n `mod` 256) : littleEndian (n `div` 256)
