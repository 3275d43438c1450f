{-# LANGUAGE DerivingStrategies #-}

-- |
-- Module      : Tests.Actions
-- Description : Random decoders, and what they should return
--
-- As binary's own test suite does it: a decoder as data, run once by the
-- library and once by a naive model on a list of bytes.
module Tests.Actions
  ( Action (..),
    Seen (..),
    runAction,
    modelAction,
  )
where

import Ashlar.Get
import Control.Applicative (many, (<|>))
import qualified Data.ByteString as S
import qualified Data.ByteString.Lazy as L
import Data.Int (Int64)
import Data.Word (Word8)
import Test.QuickCheck hiding (label, labels, total)

-- | A decoder.
data Action
  = Byte
  | Little16
  | Big32
  | Big64
  | Bytes Int
  | LazyBytes Int
  | Skip Int
  | Where
  | AtEnd
  | EndHere
  | Failing
  | Return Int
  | Then Action Action
  | Or Action Action
  | Ahead Action
  | Many Action
  | Isolated Int Action
  | Named Action
  | Nothing'
  deriving stock (Show)

-- | What a decoder saw, in order.
data Seen
  = Number Integer
  | String' [Word8]
  | Offset Int64
  | End Bool
  | Group [[Seen]]
  deriving stock (Eq, Show)

instance Arbitrary Action where
  arbitrary = sized action
  shrink a = case a of
    Then x y -> [x, y] ++ [Then x' y | x' <- shrink x] ++ [Then x y' | y' <- shrink y]
    Or x y -> [x, y] ++ [Or x' y | x' <- shrink x] ++ [Or x y' | y' <- shrink y]
    Ahead x -> x : map Ahead (shrink x)
    Many x -> x : map Many (shrink x)
    Isolated n x -> x : [Isolated n' x | n' <- shrink n] ++ [Isolated n x' | x' <- shrink x]
    Named x -> x : map Named (shrink x)
    Nothing' -> []
    _ -> [Nothing']

action :: Int -> Gen Action
action n
  | n <= 1 = leaf
  | otherwise =
      frequency
        [ (6, Then <$> half <*> half),
          (3, Or <$> half <*> half),
          (1, Ahead <$> half),
          (1, Many <$> half),
          (1, Isolated <$> choose (-1, 8) <*> half),
          (1, Named <$> half),
          (2, leaf)
        ]
  where
    half = action (n `div` 2)

leaf :: Gen Action
leaf =
  frequency
    [ (4, pure Byte),
      (3, pure Little16),
      (2, pure Big32),
      (1, pure Big64),
      (2, Bytes <$> choose (-1, 6)),
      (1, LazyBytes <$> choose (-1, 6)),
      (2, Skip <$> choose (-1, 6)),
      (2, pure Where),
      (2, pure AtEnd),
      (1, pure EndHere),
      (2, pure Failing),
      (1, Return <$> arbitrary),
      (1, pure Nothing')
    ]

-- | Run by the library.
runAction :: Action -> Get [Seen]
runAction a = case a of
  Byte -> one (Number . fromIntegral <$> getWord8)
  Little16 -> one (Number . fromIntegral <$> getWord16le)
  Big32 -> one (Number . fromIntegral <$> getInt32be)
  Big64 -> one (Number . fromIntegral <$> getWord64be)
  Bytes n -> one (String' . S.unpack <$> getByteString n)
  LazyBytes n -> one (String' . L.unpack <$> getLazyByteString (fromIntegral n))
  Skip n -> [] <$ skip n
  Where -> one (Offset <$> bytesRead)
  AtEnd -> one (End <$> isEmpty)
  EndHere -> [] <$ endOfInput
  Failing -> fail "failing"
  Return n -> one (pure (Number (fromIntegral n)))
  Then x y -> (++) <$> runAction x <*> runAction y
  Or x y -> runAction x <|> runAction y
  Ahead x -> lookAhead (runAction x)
  Many x -> one (Group <$> many (runAction x))
  Isolated n x -> isolate n (runAction x)
  Named x -> label "named" (runAction x)
  Nothing' -> pure []
  where
    one = fmap (: [])

-- | Run by the model: labels, the offset at which the input seems to end, the
-- input, and the offset at which to begin.
modelAction :: [Word8] -> Action -> Either DecodeError [Seen]
modelAction input top = fst <$> go [] (length input) 0 top
  where
    total = length input
    go :: [String] -> Int -> Int -> Action -> Either DecodeError ([Seen], Int)
    go labels limit at a = case a of
      Byte -> number 1 id
      Little16 -> number 2 reverse
      Big32 -> do
        (seen, at') <- number 4 id
        pure (map signed seen, at')
      Big64 -> number 8 id
      Bytes n
        | n < 0 -> wrong "getByteString: negative number of bytes"
        | otherwise -> string n
      LazyBytes n
        | n < 0 -> wrong "getLazyByteString: negative number of bytes"
        | otherwise -> string n
      Skip n
        | n < 0 -> wrong "skip: negative number of bytes"
        | otherwise -> (\_ -> ([], at + n)) <$> need n
      Where -> pure ([Offset (fromIntegral at)], at)
      AtEnd -> pure ([End (left == 0)], at)
      EndHere -> if left == 0 then pure ([], at) else Left (DecodeError (fromIntegral at) labels TrailingInput)
      Failing -> wrong "failing"
      Return n -> pure ([Number (fromIntegral n)], at)
      Then x y -> do
        (seen, at') <- go labels limit at x
        (seen', at'') <- go labels limit at' y
        pure (seen ++ seen', at'')
      Or x y -> either (const (go labels limit at y)) Right (go labels limit at x)
      Ahead x -> (\(seen, _) -> (seen, at)) <$> go labels limit at x
      Many x -> pure (manyOf x at [])
      Isolated n x
        | n < 0 -> wrong "isolate: negative number of bytes"
        | otherwise -> do
            (seen, at') <- go labels (min limit (at + n)) at x
            let rest = n - (at' - at)
            if rest == 0
              then pure (seen, at')
              else Left (DecodeError (fromIntegral at') labels (Invalid ("isolate: " ++ show rest ++ " of " ++ show n ++ " bytes were not read")))
      Named x -> go ("named" : labels) limit at x
      Nothing' -> pure ([], at)
      where
        left = max 0 (min limit total - at)
        wrong message = Left (DecodeError (fromIntegral at) labels (Invalid message))
        need n = if n <= left then Right (take n (drop at input)) else Left (DecodeError (fromIntegral at) labels (MissingInput n left))
        number n order = do
          bs <- need n
          pure ([Number (foldl (\acc b -> acc * 256 + fromIntegral b) 0 (order bs))], at + n)
        string n = (\bs -> ([String' bs], at + n)) <$> need n
        signed s = case s of
          Number x | x >= 2 ^ (31 :: Int) -> Number (x - 2 ^ (32 :: Int))
          _ -> s
        manyOf x from acc = case go labels limit from x of
          Right (seen, to) | to /= from -> manyOf x to (seen : acc)
          _ -> ([Group (reverse acc)], from)
