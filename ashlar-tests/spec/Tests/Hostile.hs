{-# LANGUAGE AllowAmbiguousTypes #-}
{-# LANGUAGE OverloadedStrings #-}
{-# LANGUAGE ScopedTypeVariables #-}
{-# LANGUAGE TypeApplications #-}

-- |
-- Module      : Tests.Hostile
-- Description : Untrusted input that lies about its length
--
-- The suite runs under the heap limit in the cabal file. An allocation that believes such a length
-- exceeds it.
module Tests.Hostile (tests) where

import Ashlar.Codec
import Ashlar.Codec.Combinators (bijection, both, formatGet)
import Ashlar.Get (runGet)
import Control.Exception (displayException, evaluate)
import Control.Monad (forM_)
import qualified Data.ByteString as S
import qualified Data.ByteString.Lazy as L
import qualified Data.ByteString.Short as SBS
import Data.Int (Int64)
import Data.IntMap (IntMap)
import Data.IntSet (IntSet)
import Data.Map (Map)
import Data.Sequence (Seq)
import Data.Set (Set)
import qualified Data.Text as T
import qualified Data.Text.Lazy as TL
import qualified Data.Vector as V
import qualified Data.Vector.Primitive as P
import qualified Data.Vector.Storable as SV
import qualified Data.Vector.Unboxed as U
import Data.Word (Word8)
import System.Timeout (timeout)
import Test.Tasty
import Test.Tasty.HUnit
import Tests.Derived hiding (first, name)

tests :: TestTree
tests =
  testGroup
    "hostile lengths give an error at once"
    [ hostile @[Int] "list",
      hostile @[()] "list of ()",
      hostile @[[()]] "list of lists",
      hostile @S.ByteString "ByteString",
      hostile @L.ByteString "lazy ByteString",
      hostile @SBS.ShortByteString "ShortByteString",
      hostile @T.Text "Text",
      hostile @TL.Text "lazy Text",
      hostile @(V.Vector Int) "Vector",
      hostile @(V.Vector T.Text) "Vector of Text",
      hostile @(V.Vector ()) "Vector of ()",
      hostile @(V.Vector (V.Vector ())) "Vector of Vectors",
      hostile @(U.Vector Int) "unboxed Vector",
      hostile @(U.Vector ()) "unboxed Vector of ()",
      hostile @(SV.Vector Int) "storable Vector",
      hostile @(SV.Vector Char) "storable Vector of Char",
      hostile @(P.Vector Int) "primitive Vector",
      hostile @(Map Int Int) "Map",
      hostile @(Map () ()) "Map of ()",
      hostile @(Set T.Text) "Set",
      hostile @(IntMap ()) "IntMap",
      hostile @IntSet "IntSet",
      hostile @(Seq Unit) "Seq",
      hostile @(Rose ()) "a derived type",
      testCase "empty elements have one budget for the whole run" budget,
      testCase "empty elements within the budget decode" withinBudget,
      testCase "keys out of order" order,
      testCase "the error says how many elements were announced" announced,
      testCase "formats larger than any memory" perfect,
      testCase "vectors within vectors" nested,
      testCase "invalid values, each with its offset" invalid
    ]

hostile :: forall a. Codec a => String -> TestTree
hostile name =
  testCase name $
    sequence_
      [ atOnce (n, S.length rest, bytewise) (fails (encode n <> rest) bytewise)
        | n <-
            [ -1,
              minBound,
              maxBound,
              maxBound - 7,
              2 ^ (60 :: Int),
              2 ^ (61 :: Int),
              2 ^ (61 :: Int) + 1,
              2 ^ (62 :: Int),
              maxBound `div` 24 + 1
            ] ::
              [Int64],
          rest <- ["", "\1", S.replicate 64 0, S.replicate 1000 1],
          bytewise <- [False, True]
      ]
  where
    fails bs bytewise =
      either (const True) (const False) $
        if bytewise
          then decodeLazy (L.fromChunks (map S.singleton (S.unpack bs))) :: Either DecodeError a
          else decode bs
    atOnce what failed = do
      r <- timeout 120000000 (evaluate failed)
      r == Just True @? show what

budget :: Assertion
budget = do
  let lists = encode (replicate 20 (replicate 100000 ()))
  case decode lists :: Either DecodeError [[()]] of
    Left DecodeError {errorOffset = offset, errorReason = OverBudget _} ->
      assertBool (show offset) (offset > 8)
    other -> assertFailure (show (either displayReason (const "decoded") other))
  where
    displayReason = show . errorReason

withinBudget :: Assertion
withinBudget =
  (length <$> (decode (encode (replicate 1000000 ())) :: Either DecodeError [()])) @?= Right 1000000

-- The number does not depend on how the input is cut. In nested containers, it is that of the
-- innermost one.
announced :: Assertion
announced = do
  says @[Word8] (encode huge) huge
  says @[Word8] (encode huge <> S.replicate 100 0) huge
  says @[Int] (encode (3 :: Int, 0 :: Int, 1 :: Int)) 3
  says @[T.Text] (encode (3 :: Int) <> encode ("" :: T.Text)) 3
  says @[[Word8]] (encode (1 :: Int) <> encode huge) huge
  says @(V.Vector Int) (encode huge) huge
  says @(V.Vector T.Text) (encode huge) huge
  says @(V.Vector (Int, T.Text)) (encode (2 :: Int, 1 :: Int) <> "\1") 2
  says @(U.Vector Int) (encode huge) huge
  says @(SV.Vector Char) (encode huge) huge
  says @(Map Int Int) (encode huge) huge
  says @(Set T.Text) (encode huge) huge
  says @(IntMap Int) (encode huge) huge
  says @IntSet (encode huge) huge
  says @(Seq Int) (encode huge) huge
  -- No number: nothing was announced, or the container is complete.
  says' (decode "" :: Either DecodeError [Word8]) Nothing
  says' (decode (encode ("abc" :: String)) :: Either DecodeError (String, Int)) Nothing
  says' (decode (encode [0, 2 :: Word8]) :: Either DecodeError [Bool]) Nothing
  either
    (takeWhile (/= '\n') . displayException)
    (const "decoded")
    (decode (encode huge) :: Either DecodeError [Word8])
    @?= "at byte 8, in [0]: 1 byte needed, 0 left (" ++ show huge ++ " elements announced)"
  where
    huge = maxBound `div` 2 + 1 :: Int
    says :: forall a. Codec a => S.ByteString -> Int -> Assertion
    says bs n = do
      says' (decode bs :: Either DecodeError a) (Just n)
      says'
        ( decodeLazy (L.fromChunks (map S.singleton (S.unpack bs))) ::
            Either DecodeError a
        )
        (Just n)
      says' (decodeLazy (L.fromChunks [S.take 9 bs, S.drop 9 bs]) :: Either DecodeError a) (Just n)
    says' :: Either DecodeError a -> Maybe Int -> Assertion
    says' r n = either errorAnnounced (const (Just (-1))) r @?= n

-- The size of such a format must not overflow. Otherwise it would pass every check.
perfect :: Assertion
perfect = mapM_ try' [1 .. 70] >> mapM_ towers [1 .. 30] >> mapM_ pairs [1 .. 70]
  where
    -- Pairs within pairs.
    pairs n = missing (() <$ runGet (formatGet (iterate twice (codec :: Format Word8) !! n)) "")
    twice f = bijection (\x -> (x, x)) fst (both f f)
    -- No byte after the end of the input is read, so the error is not after it either.
    towers n = forM_ [0, 1] $ \constructor -> do
      let bs = S.replicate n 2 <> S.singleton constructor <> S.replicate 8 0
      missing (fmap (const ()) (decode bs :: Either DecodeError (Towers Word8)))
      missing (fmap (const ()) (decode bs :: Either DecodeError (Towers Bool)))
      either
        ((<= S.length bs) . fromIntegral . errorOffset)
        (const False)
        (decode bs :: Either DecodeError (Towers Bool))
        @? show n
    try' n = do
      let bs = S.replicate n 1 <> S.singleton 0
      missing (fmap (const ()) (decode bs :: Either DecodeError (Perfect Word8)))
      missing (fmap (const ()) (decode bs :: Either DecodeError (Perfect Bool)))
    missing r = case r of
      Left DecodeError {errorReason = MissingInput _ _} -> pure ()
      other -> assertFailure (show other)

-- Each vector announces the largest number of elements. The next vector is its first element.
nested :: Assertion
nested = do
  let bs = S.concat (replicate 50000 (encode (maxBound :: Int)))
  either errorReason (const TrailingInput) (decode bs :: Either DecodeError Nested)
    @?= MissingInput 8 0

order :: Assertion
order = do
  refused (decode (encode [(2 :: Int, 'a'), (1, 'b')]) :: Either DecodeError (Map Int Char)) 20
  refused (decode (encode [(1 :: Int, 'a'), (1, 'b')]) :: Either DecodeError (Map Int Char)) 20
  refused (decode (encode [(1 :: Int, 'a'), (1, 'b')]) :: Either DecodeError (IntMap Char)) 20
  -- They are decoded in batches.
  forM_ [1, 15, 16, 17, 50, 99] $ \i ->
    refused
      ( decode (encode [(if k == i then 0 else k, 'a') | k <- [0 .. 99 :: Int]]) ::
          Either DecodeError (IntMap Char)
      )
      (8 + 12 * fromIntegral i)
  refused (decode (encode ['b', 'a']) :: Either DecodeError (Set Char)) 12
  refused (decode (encode [1, 3, 2 :: Int]) :: Either DecodeError IntSet) 24
  refused (decode (encode [0 / 0 :: Double, 1]) :: Either DecodeError (Set Double)) 16
  refused (decode (encode [[1], [] :: [Int]]) :: Either DecodeError (Set [Int])) 24

refused :: Either DecodeError a -> Int64 -> Assertion
refused r offset = case r of
  Left DecodeError {errorOffset = at, errorReason = Invalid _} -> at @?= offset
  Left e -> assertFailure (show e)
  Right _ -> assertFailure "decoded"

invalid :: Assertion
invalid = do
  refused (decode "\2" :: Either DecodeError Bool) 0
  refused (decode (encode (7 :: Int) <> "\3") :: Either DecodeError (Int, Bool)) 8
  refused (decode "\0\0\x11\0" :: Either DecodeError Char) 0
  refused (decode "\3" :: Either DecodeError Ordering) 0
  refused (decode "\3" :: Either DecodeError Colour) 0
  refused (decode "\5" :: Either DecodeError Shape) 0
  refused (decode (encode [0, 1, 2 :: Word8]) :: Either DecodeError [Bool]) 10
  refused (decode (encode [0, 1, 2 :: Word8]) :: Either DecodeError (V.Vector Bool)) 10
  refused (decode (encode [0, 1, 2 :: Word8]) :: Either DecodeError (U.Vector Bool)) 10
  mapM_ (\(bs, at) -> refused (decode (encode bs) :: Either DecodeError T.Text) (8 + at)) malformed
  mapM_ (\(bs, at) -> refused (decode (encode bs) :: Either DecodeError TL.Text) (8 + at)) malformed
  where
    malformed =
      [ ("\x80", 0),
        ("\xC0\x80", 0),
        ("\xC1\xBF", 0),
        ("\xE0\x80\x80", 0),
        ("\xED\xA0\x80", 0),
        ("\xF0\x80\x80\x80", 0),
        ("\xF4\x90\x80\x80", 0),
        ("\xF5\x80\x80\x80", 0),
        ("\xFF", 0),
        ("a\xC3", 1),
        ("\xE2\x82", 0),
        ("\xF0\x9F\x98", 0)
      ] ::
        [(S.ByteString, Int64)]
