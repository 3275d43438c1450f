{-# LANGUAGE OverloadedStrings #-}

-- |
-- Module      : Tests.OneStep
-- Description : Runs of one step, against the same decoders as the compiler does not know them
--
-- Rules run numbers side by side, tokens, and decoders that read nothing without setting up a run:
-- Note [A run of one step]. They fire where the decoder is known.
module Tests.OneStep (tests) where

import Ashlar.Get
import qualified Ashlar.Get.Parse as P
import Control.Exception (ErrorCall, evaluate, try)
import qualified Data.ByteString as S
import Data.Int (Int16)
import Data.Word (Word16, Word32, Word64, Word8)
import Test.Tasty
import Test.Tasty.HUnit
import Test.Tasty.QuickCheck

tests :: TestTree
tests =
  testGroup
    "runs of one step"
    [ testProperty "adjacent numbers, as in any other run" numbers,
      testProperty "numbers and nothing after them" numbersWhole,
      testProperty "one token, as in any other run" tokens,
      testCase "values are not forced" lazyValues,
      testCase "a predicate that throws" throws
    ]

-- Rules do not find a decoder in here.
unknown :: Get a -> Get a
unknown g = g
{-# NOINLINE unknown #-}

-- All slices of the first 12 bytes of a string.
forSlices :: (S.ByteString -> Property) -> Property
forSlices p = property $ \ws ->
  conjoin [p (S.drop i (S.pack (take n ws))) | n <- [0 .. 12], i <- [0 .. min 2 n]]

numbers :: Property
numbers = forSlices $ \bs ->
  conjoin
    [ runGet getWord8 bs === runGet (unknown getWord8) bs,
      runGet getInt16be bs === runGet (unknown getInt16be) bs,
      runGet pair bs === runGet (unknown pair) bs,
      runGet four bs === runGet (unknown four) bs,
      runGet (getWord8 *> getWord64le) bs === runGet (unknown (getWord8 *> getWord64le)) bs,
      runGet (pure 'a') bs === runGet (unknown (pure 'a')) bs,
      runGet (pure (,,) <*> getWord8 <*> pure 'a' <*> getWord8) bs
        === runGet (unknown ((\a b -> (a, 'a', b)) <$> getWord8 <*> getWord8)) bs
    ]

numbersWhole :: Property
numbersWhole = forSlices $ \bs ->
  conjoin
    [ runGetWhole getWord8 bs === runGetWhole (unknown getWord8) bs,
      runGetWhole pair bs === runGetWhole (unknown pair) bs,
      runGetWhole four bs === runGetWhole (unknown four) bs,
      runGetWhole (pure 'a') bs === runGetWhole (unknown (pure 'a')) bs
    ]

pair :: Get (Word16, Word32)
pair = (,) <$> getWord16le <*> getWord32be

four :: Get (Word8, Int16, Word8, Word64)
four = (,,,) <$> getWord8 <*> getInt16le <*> getWord8 <*> getWord64be

tokens :: Property
tokens = forSlices $ \bytes ->
  let bs = S.map (`mod` 3) bytes
   in conjoin
        [ runGet (P.takeWhile (/= 1)) bs === runGet (unknown (P.takeWhile (/= 1))) bs,
          runGet (P.takeTill (== 2)) bs === runGet (unknown (P.takeTill (== 2))) bs,
          runGet (P.takeTillByte 2) bs === runGet (unknown (P.takeTillByte 2)) bs,
          runGet (P.scan 2 fewer) bs === runGet (unknown (P.scan 2 fewer)) bs,
          runGet (P.runScanner 2 fewer) bs === runGet (unknown (P.runScanner 2 fewer)) bs,
          runGet getRemainingByteString bs === Right bs
        ]
  where
    fewer :: Int -> Word8 -> Maybe Int
    fewer n w
      | w /= 0 = Just n
      | n > 0 = Just (n - 1)
      | otherwise = Nothing

lazyValues :: Assertion
lazyValues = do
  fmap (const ()) (runGet (undefined <$> getWord8) "a") @?= Right ()
  fmap (const ()) (runGet (pure undefined) "a") @?= Right ()
  fmap fst (runGet ((,) <$> getWord8 <*> (undefined <$> getWord8)) "ab") @?= Right 97

throws :: Assertion
throws = do
  r <- try (evaluate (runGet (P.takeWhile (\w -> w < 98 || errorWithoutStackTrace "b")) "aab"))
  either (\e -> show (e :: ErrorCall)) show r @?= "b"
  -- All that it sees is accepted.
  runGet (P.takeWhile (\w -> w < 98 || errorWithoutStackTrace "b")) "aaa" @?= Right "aaa"
