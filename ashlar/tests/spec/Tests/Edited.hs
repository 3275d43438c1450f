-- |
-- Module      : Tests.Edited
-- Description : Bytes that are one edit away from valid ones
--
-- A bit or a byte is changed, a byte is inserted or removed. What is said about the result does not
-- depend on how the decoder is run, and it reads no byte outside of the input.
module Tests.Edited (tests) where

import Ashlar.Codec
import Ashlar.Codec.Laws (Samples)
import Ashlar.Get (endOfInput, getFrom, runGetLazy, withBudget)
import Control.Monad (forM_)
import Data.Bits (complementBit)
import qualified Data.ByteString as S
import qualified Data.ByteString.Lazy as L
import Data.IORef (atomicModifyIORef', newIORef)
import Test.Tasty hiding (after)
import Test.Tasty.HUnit
import Tests.Instances.All
import Tests.Instances.Type
import Tests.Pages

tests :: TestTree
tests =
  testGroup
    "one edit away from the golden bytes"
    [ testGroup
        (sectionName s)
        [ testCase name (mapM_ (answers samples) values)
          | Golden name samples values <- sectionInstances s
        ]
      | s <- sections
    ]

-- All ways to decode what is near the bytes of a value say the same. An answer is the bytes of the
-- value or the error. (The first argument tells the type.)
answers :: Codec a => Samples a -> a -> Assertion
answers _ value = mapM_ sameEverywhere (edits (encode value))
  where
    -- Strict input may have any number of bytes, and the others here may have as many.
    get' = withBudget defaultBudget {budgetBytes = Just maxBound} get <* endOfInput
    -- Errors are equal whatever part of the input they show.
    answer = fmap (encode . (`asTypeOf` value))
    sameEverywhere bs = do
      let expected = answer (decode bs)
          (front, back) = S.splitAt (S.length bs `div` 2) bs
          says how = assertEqual (how ++ ": " ++ show bs) expected
          lazily = answer . runGetLazy get' . L.fromChunks
      says "single bytes" (lazily (map S.singleton (S.unpack bs)))
      says "two chunks" (lazily [front, back])
      chunks <- newIORef (filter (not . S.null) [front, back])
      source <- newSource (atomicModifyIORef' chunks (\l -> (drop 1 l, S.concat (take 1 l))))
      getFrom source get' >>= says "from a source" . answer
      forM_ [minBound ..] $ \edge -> do
        right <- insidePages edge [bs] (same expected . decode . S.concat)
        assertBool ("beside a page, " ++ show edge ++ ": " ++ show bs) right
    same expected result = answer result == expected

-- All strings that are one edit away, if there are not too many.
edits :: S.ByteString -> [S.ByteString]
edits bs
  | S.length bs > 300 = []
  | otherwise =
    bs :
    concat
      [ [before <> S.cons w (S.drop 1 after) | not (S.null after), w <- changed (S.head after)]
          ++ [before <> S.cons w after | w <- [0, 1, 0xFF]]
          ++ [before <> S.drop 1 after | not (S.null after)]
        | i <- [0 .. S.length bs],
          let (before, after) = S.splitAt i bs
      ]
  where
    changed w = [0, 0x7F, 0x80, 0xFF] ++ map (complementBit w) [0 .. 7]
