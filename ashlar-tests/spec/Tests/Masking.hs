{-# LANGUAGE OverloadedStrings #-}

-- |
-- Module      : Tests.Masking
-- Description : Exceptions of values do not change the masking state of a thread
module Tests.Masking (tests) where

import Ashlar.Builder
import Ashlar.Get
import Control.Applicative
import Control.Concurrent
import Control.Concurrent.STM
import Control.Exception
import qualified Data.ByteString.Lazy as L
import Data.Word (Word8)
import Test.Tasty
import Test.Tasty.HUnit

tests :: TestTree
tests =
  testGroup
    "the masking state"
    [ throughSTM "a strict decoder" (runGet bad "\3"),
      throughSTM "in an alternative" (runGet (many (bad <|> pure 1)) "\3"),
      throughSTM
        "in attempt, in lookAhead"
        (runGet (lookAhead (attempt (bad <|> pure 2)) <|> pure 1) "\3"),
      throughSTM "a lazy decoder" (runGetLazy bad "\3"),
      throughSTM
        "a lazy decoder, in alternatives"
        (runGetLazy ((bad <|> pure 1) <|> pure 2) (L.fromChunks ["\0", "\3"])),
      throughSTM "push mode" (pushed bad),
      throughSTM "push mode, in alternatives" (pushed ((bad <|> pure 1) <|> pure 2)),
      throughSTM "lazy output" (L.length (toLazyByteString (word8 1 <> word8 (throw Overflow)))),
      throughSTM
        "lazy output, resumed"
        ( L.length
            (toLazyByteString (foldMap word8 (replicate 100000 1) <> word8 (throw Overflow)))
        ),
      throughSTM "strict output" (toStrictByteString (word8 (throw Overflow)))
    ]

-- It throws where the byte is 3.
bad :: Get Word8
bad = getWord8 >>= \w -> if w == 3 then throw Overflow else bad

pushed :: Get Word8 -> Word8
pushed g = case pushChunk (pushChunk (runGetIncremental g) "\0") "\3" of
  Done _ _ w -> w
  _ -> 0

-- Catches the exception with 'catchSTM', in a thread of its own. GHC 9.0.2 does not restore the
-- masking state there, while 'catch' does.
throughSTM :: String -> a -> TestTree
throughSTM name value = testCase name $ do
  done <- newEmptyMVar
  _ <- forkIOWithUnmask (\unmask -> unmask ((,) <$> caught <*> getMaskingState) >>= putMVar done)
  takeMVar done >>= (@?= (True, Unmasked))
  where
    caught = atomically ((value `seq` pure False) `catchSTM` \e -> pure (e == Overflow))
