{-# LANGUAGE OverloadedStrings #-}
-- The chunks must not become a constant, which would be retained.
{-# OPTIONS_GHC -fno-full-laziness #-}

-- |
-- Module      : Tests.Retention
-- Description : Decoders do not retain the input before their cursor
--
-- Each input is 1200 chunks of 1 MiB, made on demand. If they were retained, they would exceed the
-- suite's heap limit.
module Tests.Retention (tests) where

import Ashlar.Get
import qualified Ashlar.Get.Decimal as D
import qualified Ashlar.Get.Time as T
import Control.Applicative (many, (<|>))
import Control.Monad (replicateM_)
import qualified Data.ByteString as S
import qualified Data.ByteString.Lazy as L
import Data.Fixed (E12, Fixed)
import Data.IORef
import Test.Tasty
import Test.Tasty.HUnit

tests :: TestTree
tests =
  testGroup
    "input that has been passed is not kept"
    [ inBoth
        "many, of what looks ahead"
        (length <$> many (lookAhead getWord16be *> skip mebi))
        chunks,
      inBoth
        "in an isolated part"
        (isolate (chunks * mebi) (length <$> many (label "chunk" (skip mebi))))
        chunks,
      inBoth
        "in an alternative, after a commit"
        ((getWord8 *> commit *> rounds (chunks - 1)) <|> pure 0)
        (chunks - 1),
      inBoth
        "in an alternative inside of attempt, after a commit"
        (attempt ((getWord8 *> commit *> rounds (chunks - 1)) <|> pure 0))
        (chunks - 1),
      inBoth
        "after an alternative that has failed"
        ((getWord32be *> fail "no") <|> rounds chunks)
        chunks,
      -- Each result is a copy of two bytes. A slice would retain its chunk.
      inBoth
        "strings that lie in two chunks keep neither"
        (sum . map S.length <$> (skip (mebi - 1) *> many (getByteString 2 <* skip (mebi - 2))))
        (2 * (chunks - 1)),
      inBoth
        "copies keep no chunk"
        (sum . map S.length <$> many (getByteStringCopy 10 <* skip (mebi - 10)))
        (10 * chunks),
      testGroup
        "values from text keep no chunk"
        [ ofText "a local time" T.localTime "2024-02-29T12:00:00.5",
          ofText "a zoned time" T.zonedTime "+02024-02-29T12:00:00.25+01:00",
          ofText "a time in UTC" T.utcTime "2024-02-29T12:00:00.5Z",
          ofText "a number and a power of ten" (fst <$> D.scaled) "1234567890.1234567890e3",
          ofText "a fixed number" (D.fixed :: Get (Fixed E12)) "1234567890.1234567890"
        ]
    ]
  where
    -- The same chunks, one by one.
    rounds :: Int -> Get Int
    rounds n = n <$ replicateM_ n (skip mebi)

chunks, mebi :: Int
chunks = 1200
mebi = 1048576

-- Each value is evaluated no further than to its constructor.
ofText :: String -> Get a -> S.ByteString -> TestTree
ofText name g text = testCase name $ do
  -- (Made by this action, the chunks are not a part of the test.)
  first <- newIORef 1 >>= readIORef
  runGetLazy (length <$> many one) (L.fromChunks (map chunk [first .. chunks])) @?= Right chunks
  where
    one = (g >>= \a -> a `seq` pure a) <* skip padding
    chunk i = text <> S.replicate padding (fromIntegral (i `mod` 32))
    padding = mebi - S.length text

-- From a source, and from lazy input.
inBoth :: String -> Get Int -> Int -> TestTree
inBoth name g expected = testCase name $ do
  made <- newIORef (0 :: Int)
  source <- newSource $ do
    n <- readIORef made
    writeIORef made (n + 1)
    pure (if n >= chunks then S.empty else S.replicate mebi (fromIntegral n))
  let getter = withBudget defaultBudget {budgetBytes = Just maxBound} g
  getFrom source getter >>= (@?= Right expected)
  runGetLazy getter (L.fromChunks [S.replicate mebi (fromIntegral i) | i <- [1 .. chunks]])
    @?= Right expected
