{-# LANGUAGE DerivingStrategies #-}

-- |
-- Module      : Tests.Random
-- Description : Random builders, and what comes out of compressed chunks
module Tests.Random
  ( Piece (..),
    builderOf,
    modelOf,
    Whole (..),
    theirs,
    pulled,
    chunksOf,
    rowOf,
  )
where

import Ashlar.Builder
import Ashlar.Builder.Extra (byteStringInsert)
import qualified Ashlar.Builder.Extra as Extra
import Ashlar.Zlib
import qualified Codec.Compression.GZip as G
import qualified Codec.Compression.Zlib as Z
import qualified Codec.Compression.Zlib.Raw as R
import Control.Exception (try)
import qualified Data.ByteString as S
import qualified Data.ByteString.Char8 as C
import qualified Data.ByteString.Lazy as L
import Data.IORef (atomicModifyIORef', newIORef)
import Data.Semigroup (stimes)
import Data.Word (Word32, Word8)
import Test.QuickCheck

-- | A part of a random builder.
data Piece
  = Number !Word32
  | Copied !S.ByteString
  | Inserted !S.ByteString
  | Many !Int !Word8
  | Flushed
  deriving stock (Eq, Show)

instance Arbitrary Piece where
  arbitrary =
    frequency
      [ (4, Number <$> arbitrary),
        (3, Copied <$> strings 100),
        (1, Inserted <$> strings 100),
        (1, Inserted <$> noise),
        (1, Many <$> choose (0, 200000) <*> arbitrary),
        (1, pure Flushed)
      ]
  shrink piece = case piece of
    Number n -> Number <$> shrink n
    Copied bs -> Copied . S.pack <$> shrink (S.unpack (S.take 100 bs))
    Inserted bs -> Copied (S.take 100 bs) : [Inserted (S.take (S.length bs `div` 2) bs)]
    Many n w -> [Many n' w | n' <- shrink n]
    Flushed -> []

strings :: Int -> Gen S.ByteString
strings n = do
  m <- choose (0, n)
  S.pack <$> vectorOf m arbitrary

-- Bytes that do not compress.
noise :: Gen S.ByteString
noise = do
  n <- choose (0, 200000)
  seed <- arbitrary
  pure (fst (S.unfoldrN n (\x -> Just (fromIntegral (x `div` 65536), next x)) (seed :: Word32)))
  where
    next x = x * 1664525 + 1013904223

builderOf :: [Piece] -> Builder
builderOf = foldMap $ \piece -> case piece of
  Number n -> word32LE n
  Copied bs -> byteString bs
  Inserted bs -> byteStringInsert bs
  Many n w -> stimes n (word8 w)
  Flushed -> Extra.flush

modelOf :: [Piece] -> L.ByteString
modelOf = L.fromChunks . map piece
  where
    piece p = case p of
      Number n -> S.pack (map (fromIntegral . (n `div`)) [1, 256, 65536, 16777216])
      Copied bs -> bs
      Inserted bs -> bs
      Many n w -> S.replicate n w
      Flushed -> S.empty

-- | Any way to compress.
newtype Whole = Whole Params
  deriving stock (Eq, Show)

instance Arbitrary Whole where
  arbitrary = Whole <$> (Params <$> elements [minBound ..] <*> choose (-1, 10))

-- | Decompress by the functions of the package zlib.
theirs :: Format -> L.ByteString -> L.ByteString
theirs format = case format of
  Gzip -> G.decompress
  Zlib -> Z.decompress
  Raw -> R.decompress

-- | What comes out of chunks, and the error that it ends with.
pulled :: Format -> Limit -> [S.ByteString] -> IO (L.ByteString, Maybe ZlibError)
pulled format limit chunks = do
  left <- newIORef (filter (not . S.null) chunks)
  let next = atomicModifyIORef' left (\l -> (drop 1 l, S.concat (take 1 l)))
  pull <- decompressed format limit next
  let go done = do
        outcome <- try pull
        case outcome of
          Left e -> do
            second <- try pull
            pure $ case second of
              Left e' | e' == e -> (whole done, Just e)
              _ -> error "an error that does not stay"
          Right bs
            | S.null bs -> pure (whole done, Nothing)
            | otherwise -> go (bs : done)
      whole = L.fromChunks . reverse
  go []

chunksOf :: Int -> S.ByteString -> [S.ByteString]
chunksOf n bs
  | S.null bs = []
  | otherwise = S.take n bs : chunksOf n (S.drop n bs)

-- | A line of text.
rowOf :: Int -> S.ByteString
rowOf n = C.pack ("row " ++ show n ++ " of some text\n")
