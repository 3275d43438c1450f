{-# LANGUAGE OverloadedStrings #-}

-- |
-- Module      : Tests.Commit
-- Description : Which choices a commit gives up, and that their input is released
module Tests.Commit (tests) where

import Ashlar.Builder (toStrictByteString, word8)
import Ashlar.Get
import Control.Applicative
import Control.Monad (forM_)
import qualified Data.ByteString as S
import qualified Data.ByteString.Lazy as L
import Test.Tasty
import Test.Tasty.HUnit

tests :: TestTree
tests =
  testGroup
    "commit"
    [ testCase "the choices that it gives up, and no others" choices,
      testCase "the input is released" releases
    ]

choices :: Assertion
choices = do
  -- Open choices on all levels, including those that began at another offset.
  fails ((commit *> empty) <|> pure ())
  fails (((commit *> empty) <|> pure ()) <|> pure ())
  fails ((getWord8 *> ((commit *> empty) <|> pure ())) <|> pure ())
  fails ((() <$ (commit *> satisfy (== 1))) <|> pure ())
  fails ((commit *> (empty <|> empty)) <|> pure ())
  fails (((commit <|> pure ()) *> empty) <|> pure ())
  fails (() <$ many (getWord8 *> commit *> getWord8 *> getWord8))
  fails ((() <$ many (getWord8 *> commit) *> empty) <|> pure ())
  fails (lookAhead commit *> empty <|> pure ())
  -- In the second alternative it affects the enclosing choices.
  fails ((empty <|> commit *> empty) <|> pure ())
  -- It does not affect later choices, nor those outside of a barrier.
  works (commit *> (empty <|> pure ()))
  works (attempt (commit *> empty) <|> pure ())
  works ((attempt commit *> empty) <|> pure ())
  works (notFollowedBy (commit *> empty))
  works ((notFollowedBy (commit *> empty) *> empty) <|> pure ())
  works (() <$ many (attempt (getWord8 *> commit *> getWord8 *> getWord8)))
  -- It affects those inside of the barrier.
  fails (attempt ((commit *> empty) <|> pure ()))
  fails (commit *> attempt (commit *> empty) <|> pure ())
  where
    fails, works :: Get () -> Assertion
    fails g = forM_ (outcomes g) $ \r -> r @?= False
    works g = forM_ (outcomes g) $ \r -> r @?= True
    outcomes g = [right (runGet g "ab"), right (runGetLazy g (L.fromChunks ["a", "b"]))]
    right = either (const False) (const True)

-- 600 chunks of 1 MiB after a commit inside of three choices. If they were retained, they would
-- exceed the suite's heap limit.
releases :: Assertion
releases = do
  let lazy = L.fromChunks [S.replicate 1048576 (fromIntegral i) | i <- [1 .. 600 :: Int]]
      long = getWord8 *> commit *> (length <$> many (skip 65536))
      g = withBudget manyBytes (((long <|> pure 1) <|> pure 2) <|> pure 3)
      manyBytes = defaultBudget {budgetBytes = Just maxBound}
  runGetLazy g lazy @?= Right (600 * 16 - 1)
  -- The choices outside of a barrier still retain their input.
  let bs = toStrictByteString (foldMap word8 [0 .. 255])
      chunks = L.fromChunks (map S.singleton (S.unpack bs))
      h = (attempt (getWord8 *> commit *> skip 100) *> empty) <|> getByteString 256
  runGetLazy h chunks @?= Right bs
  runGetLazy
    ( lookAhead (((getWord8 *> commit *> skip 100) <|> pure ()) *> getWord8)
        *> getByteString 256
    )
    chunks
    @?= Right bs
  fmap fst (runGetLazy (match (((getWord8 *> commit *> skip 100) <|> pure ()) *> skip 155)) chunks)
    @?= Right bs
