{-# LANGUAGE DerivingStrategies #-}

-- |
-- Module      : Tests.Compat.Agree
-- Description : Two libraries on the same bytes
module Tests.Compat.Agree
  ( Outcome (..),
    outcome,
    damaged,
    cutShort,
    rechunked,
    agree,
  )
where

import Control.Exception (ArithException, evaluate, try)
import qualified Data.ByteString.Lazy as L
import Data.Int (Int64)
import System.IO.Unsafe (unsafePerformIO)
import Test.QuickCheck

-- | What became of some bytes: a value, as it is shown, and the number of bytes left over.
data Outcome = Refused | Value String Int64 | Raises
  deriving stock (Eq, Show)

-- | Of a value that may be an exception.
outcome :: Show a => Maybe (a, Int64) -> Outcome
outcome result = case result of
  Nothing -> Refused
  Just (a, left) -> unsafePerformIO $ do
    shown <- try (evaluate (let s = show a in length s `seq` s))
    case shown of
      Right s -> pure (Value s left)
      Left e -> arithmetic e
  where
    arithmetic :: ArithException -> IO Outcome
    arithmetic _ = pure Raises

-- | The bytes of a value with something changed.
damaged :: L.ByteString -> Gen L.ByteString
damaged bytes =
  oneof
    [ cutShort bytes,
      change,
      (bytes <>) . L.pack <$> arbitrary,
      (\front -> L.pack front <> bytes) <$> resize 3 arbitrary,
      L.pack <$> arbitrary
    ]
  where
    change
      | L.null bytes = pure bytes
      | otherwise = do
        i <- choose (0, L.length bytes - 1)
        w <- oneof [arbitrary, elements [0, 1, 2, 3, 127, 128, 255]]
        let (front, behind) = L.splitAt i bytes
        pure (front <> L.cons w (L.drop 1 behind))

-- | The first of the bytes.
cutShort :: L.ByteString -> Gen L.ByteString
cutShort bytes = (`L.take` bytes) <$> choose (0, L.length bytes)

-- | The same bytes in small chunks.
rechunked :: L.ByteString -> Gen L.ByteString
rechunked bytes
  | L.null bytes = pure L.empty
  | otherwise = do
    n <- oneof [choose (1, 3), choose (1, 40)]
    let (front, behind) = L.splitAt n bytes
    (L.fromStrict (L.toStrict front) <>) <$> rechunked behind

-- | Ours is the same as theirs; where theirs is an exception, ours may refuse the bytes; and
-- it may do so if the first argument says so.
agree :: Bool -> Outcome -> Outcome -> Property
agree stricter ours theirs =
  cover 1 (theirs /= Refused) "a value" $
    counterexample ("ours: " ++ show ours ++ "\ntheirs: " ++ show theirs) $
      ours == theirs || (ours == Refused && (theirs == Raises || stricter))
