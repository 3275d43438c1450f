-- |
-- Module      : Tests.Edited
-- Description : Bytes that are one edit away from valid ones
--
-- A bit or a byte is changed, a byte is inserted or removed. What is said about the result does not
-- depend on how the decoder is run, and it reads no byte outside of the input.
module Tests.Edited (tests) where

import Ashlar.Codec
import Ashlar.Codec.Laws (Samples)
import Ashlar.Get
import Ashlar.Get.Feed
import Control.Monad (foldM, forM_, unless)
import Data.Bits (complementBit)
import qualified Data.ByteString as S
import qualified Data.ByteString.Lazy as L
import Data.IORef (atomicModifyIORef', newIORef)
import qualified Data.List as List
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
      forM_ [("single bytes", map S.singleton (S.unpack bs)), ("two chunks", [front, back])] $
        \(name, chunks) -> do
          says name (answer (runGetLazy get' (L.fromChunks chunks)))
          says (name ++ ", to a Decoder") (answer (decoderOf chunks))
          feedOf chunks >>= says (name ++ ", to a Feed") . answer
          -- An empty stream has no values.
          unless (S.null bs) $ says (name ++ ", to a Values") (answer (valuesOf bs chunks))
      chunks <- newIORef (filter (not . S.null) [front, back])
      source <- newSource (atomicModifyIORef' chunks (\l -> (drop 1 l, S.concat (take 1 l))))
      getFrom source get' >>= says "from a source" . answer
      forM_ [minBound ..] $ \edge -> do
        right <- insidePages edge [bs] (same expected . decode . S.concat)
        assertBool ("beside a page, " ++ show edge ++ ": " ++ show bs) right
    same expected result = answer result == expected
    decoderOf chunks =
      case pushEndOfInput (List.foldl' pushChunk (runGetIncremental get') chunks) of
        Done _ _ a -> Right a
        Fail _ _ e -> Left e
        Partial _ -> error "more input was needed after its end"
    feedOf chunks = do
      end <- newFeed get' >>= \start -> foldM feed start chunks >>= feedEndOfInput
      case end of
        FeedDone _ _ a -> pure (Right a)
        FeedFail _ _ e -> pure (Left e)
        FeedPartial _ -> assertFailure "more input was needed after its end"
    -- The only value of a stream.
    valuesOf bs chunks = case (concat (reverse (values : lists)), end) of
      ([a], ValuesDone at) | at == fromIntegral (S.length bs) -> Right a
      ([], ValuesFail rest 0 e) | rest == bs -> Left e
      _ -> error "no single value, or another rest"
      where
        (lists, state) = List.foldl' next ([], runGetValues get') chunks
        (values, end) = feedValuesEnd state
        next (before, now) chunk = let (as, later) = feedValues now chunk in (as : before, later)

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
