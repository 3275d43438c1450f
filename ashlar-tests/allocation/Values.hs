{-# LANGUAGE DeriveAnyClass #-}
{-# LANGUAGE DeriveGeneric #-}
{-# LANGUAGE DerivingStrategies #-}

-- |
-- Module      : Values
-- Description : What values take to encode and decode
module Values
  ( decodeElements,
    encodeElements,
    storableVectors,
    unboxedInside,
    orderedElements,
    decodedSizes,
  )
where

import Ashlar.Codec
import Control.Exception (evaluate)
import qualified Data.ByteString as S
import Data.Int (Int64)
import qualified Data.Map.Strict as Map
import qualified Data.Set as Set
import qualified Data.Text as Text
import qualified Data.Vector as V
import qualified Data.Vector.Storable as SV
import qualified Data.Vector.Unboxed as U
import Data.Word (Word16, Word64, Word8)
import GHC.Generics (Generic)
import Measure
import Test.Tasty.HUnit

-- 32 bytes for the value with its three fields, and 8 for the pointer in the vector. The card table
-- of the array has one more byte for every 128 elements.
decodeElements :: Assertion
decodeElements = do
  each <- perElement elements
  assertBool (show each) (each >= 40 && each < 40.1)
  where
    elements n = do
      bs <- evaluate (encode (vectorOf n))
      allocated (decoded bs)
    decoded :: S.ByteString -> IO Int
    decoded bs =
      either
        (assertFailure . show)
        (evaluate . V.length)
        (decode bs :: Either DecodeError (V.Vector SomeData))
    {-# NOINLINE decoded #-}

-- The result and one per cent.
encodeElements :: Assertion
encodeElements = do
  let n = 10000
  v <- evaluate (vectorOf n)
  bytes <- allocated (encoded v)
  let size' = encodedSize v
  assertBool (show (bytes, size')) (bytes >= size' && bytes <= size' + size' `div` 100)
  where
    encoded :: V.Vector SomeData -> IO S.ByteString
    encoded v = evaluate (encode v)
    {-# NOINLINE encoded #-}

-- A vector of 16 numbers: the result, the buffers and the records of a run. The sample by which the
-- instance looks at the memory of the elements would take more.
storableVectors :: Assertion
storableVectors = do
  let vectors = V.fromList [SV.enumFromTo 1 15, SV.enumFromTo 1 16 :: SV.Vector Word64]
  inputs <- V.mapM (evaluate . encode) vectors
  eachAtMost 850 (\i -> S.length (encode (vectors V.! (i `rem` 2))))
  eachAtMost 550 (\i -> either (const i) SV.length (decoded (inputs V.! (i `rem` 2))))
  where
    decoded :: S.ByteString -> Either DecodeError (SV.Vector Word64)
    decoded = decode

-- 8 bytes for the pointer to the record, 24 for it, 32 for the vector, 24 for its numbers, and what
-- reading it takes. GHC 9.10 sampled the memory of the numbers for each record.
unboxedInside :: Assertion
unboxedInside = do
  each <- perElement $ \n -> do
    bs <- evaluate (encode (V.replicate n (Angles 7 (U.fromList [1, 2, 3, 4]))))
    allocatedBy decoded bs
  assertBool (show each) (each >= 88 && each < 150)
  where
    decoded :: S.ByteString -> Int
    decoded bs = either (const 0) V.length (decode bs :: Either DecodeError (V.Vector Angles))

data Angles = Angles !Word64 !(U.Vector Word16)
  deriving stock (Generic)
  deriving anyclass (Codec)

-- A node takes 40 bytes, 48 with a value; each number 16; and so does the lower bound of a subtree.
orderedElements :: Assertion
orderedElements = do
  set <- perElement $ \n -> do
    bs <- evaluate (encode (Set.fromDistinctAscList [1 .. n]))
    allocatedBy (either (const 0) Set.size . (decode :: Decode (Set.Set Int))) bs
  assertBool ("a set: " ++ show set) (set <= 90)
  pairs <- perElement $ \n -> do
    bs <- evaluate (encode (Map.fromDistinctAscList [(i, i) | i <- [1 .. n]]))
    allocatedBy (either (const 0) Map.size . (decode :: Decode (Map.Map Int Int))) bs
  assertBool ("a map: " ++ show pairs) (pairs <= 114)

type Decode a = S.ByteString -> Either DecodeError a

-- The live bytes while the value is held, without the input. Elements of one byte take the most.
decodedSizes :: Assertion
decodedSizes = do
  small "[Word8]" (map fromIntegral numbered :: [Word8])
  small "[Bool]" (map even numbered)
  small "[[Word8]]" (map (\i -> [fromIntegral i]) numbered :: [[Word8]])
  small "[Maybe Word8]" (map (Just . fromIntegral) numbered :: [Maybe Word8])
  small "[Integer]" (map toInteger numbered)
  small
    "Vector (Bool, Word8)"
    ( V.fromList (map (\i -> (even i, fromIntegral i)) numbered) ::
        V.Vector (Bool, Word8)
    )
  small
    "Map Word16 ()"
    ( Map.fromList (map (\i -> (fromIntegral i, ())) numbered) ::
        Map.Map Word16 ()
    )
  small "Set Word16" (Set.fromList (map fromIntegral numbered) :: Set.Set Word16)
  small "[Text]" (map (Text.pack . show) numbered)
  where
    numbered = [1 .. 20000] :: [Int]
    small :: Codec a => String -> a -> Assertion
    small name x = do
      bs <- evaluate (S.copy (encode x))
      before <- live
      y <- either (assertFailure . show) evaluate (decode bs `asTypeOf` Right x)
      after <- live
      -- Holds all values up to here, so that nothing is freed between the two measurements.
      map encode [x, y] @?= [bs, bs]
      let each = fromIntegral (after - before) / fromIntegral (S.length bs) :: Double
      assertBool (name ++ ": " ++ show each) (each > 1 && each < 128)

vectorOf :: Int -> V.Vector SomeData
vectorOf n = V.generate n (\i -> SomeData (fromIntegral i) (fromIntegral i) (fromIntegral i))
{-# NOINLINE vectorOf #-}

data SomeData = SomeData !Int64 !Word8 !Double
  deriving stock (Generic)
  deriving anyclass (Codec)
