{-# LANGUAGE DerivingStrategies #-}

-- |
-- Module      : Tests.Actions
-- Description : Random decoders
--
-- A decoder is data, as in binary's own test suite. The library runs it, and so does a naive model
-- on a list of bytes ("Tests.Model").
module Tests.Actions
  ( Action (..),
    Seen (..),
    runAction,
    valueNames,
    checkShares,
  )
where

import Ashlar.Get
import qualified Ashlar.Get.Parse as P
import Control.Applicative (empty, many, (<|>))
import qualified Data.ByteString as S
import qualified Data.ByteString.Lazy as L
import Data.Int (Int64)
import Data.Word (Word8)
import Test.QuickCheck hiding (label, labels, total)

-- | A decoder.
data Action
  = Byte
  | -- | An even byte.
    Even
  | Little16
  | Big32
  | Big64
  | Bytes Int
  | LazyBytes Int
  | Skip Int
  | -- | Up to the byte.
    Till Word8
  | Where
  | AtEnd
  | EndHere
  | Failing
  | Empty
  | Return Int
  | Commit
  | Then Action Action
  | Or Action Action
  | Ahead Action
  | -- | With 'lookAheadM', which goes back if the flag is set.
    AheadM Bool Action
  | -- | With 'lookAheadE', which goes back if the flag is set.
    AheadE Bool Action
  | Attempt Action
  | Without Action
  | Many Action
  | Isolated Int Action
  | AtMost Int Action
  | Matched Action
  | Named Action
  | -- | With '<?>' and one of 'valueNames'.
    Expected Int Action
  | Deeper Action
  | -- | With a budget of levels.
    Budgeted Int Action
  | -- | With a budget of bytes.
    Limited Int Action
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
    Ahead x -> inside Ahead x
    AheadM b x -> inside (AheadM b) x
    AheadE b x -> inside (AheadE b) x
    Attempt x -> inside Attempt x
    Without x -> inside Without x
    Many x -> inside Many x
    Isolated n x -> [Isolated n' x | n' <- shrink n] ++ inside (Isolated n) x
    AtMost n x -> [AtMost n' x | n' <- shrink n] ++ inside (AtMost n) x
    Matched x -> inside Matched x
    Named x -> inside Named x
    Expected n x -> inside (Expected n) x
    Deeper x -> inside Deeper x
    Budgeted n x -> inside (Budgeted n) x
    Limited n x -> [Limited n' x | n' <- shrink n] ++ inside (Limited n) x
    Nothing' -> []
    _ -> [Nothing']
    where
      inside f x = x : map f (shrink x)

action :: Int -> Gen Action
action n
  | n <= 1 = leaf
  | otherwise =
    frequency
      [ (10, Then <$> half <*> half),
        (6, Or <$> half <*> half),
        (1, Ahead <$> half),
        (1, AheadM <$> arbitrary <*> half),
        (1, AheadE <$> arbitrary <*> half),
        (2, Attempt <$> half),
        (1, Without <$> half),
        (2, Many <$> half),
        (2, Isolated <$> choose (-1, 8) <*> half),
        (1, AtMost <$> choose (-1, 8) <*> half),
        (1, Matched <$> half),
        (1, Named <$> half),
        (2, Expected <$> choose (0, length valueNames - 1) <*> half),
        (1, Deeper <$> half),
        (1, Budgeted <$> choose (-1, 2) <*> half),
        (2, Limited <$> choose (-1, 12) <*> half),
        (4, leaf)
      ]
  where
    half = action (n `div` 2)

-- | The names for '<?>'.
valueNames :: [String]
valueNames = ["a", "b", "c"]

leaf :: Gen Action
leaf =
  frequency
    [ (4, pure Byte),
      (2, pure Even),
      (3, pure Little16),
      (2, pure Big32),
      (1, pure Big64),
      (2, Bytes <$> choose (-1, 6)),
      (1, LazyBytes <$> choose (-1, 20)),
      (2, Skip <$> choose (-1, 6)),
      (2, Till <$> choose (0, 3)),
      (2, pure Where),
      (2, pure AtEnd),
      (1, pure EndHere),
      (2, pure Failing),
      (1, pure Empty),
      (2, pure Commit),
      (1, Return <$> arbitrary),
      (1, pure Nothing')
    ]

-- | Checks what random decoders do, given the result of one: a share of them succeeds with a value,
-- and a share fails.
checkShares :: Testable p => Either e [Seen] -> p -> Property
checkShares result =
  checkCoverage
    . cover 25 (either (const False) (not . null) result) "succeed with a value"
    . cover 25 (either (const True) (const False) result) "fail"

-- | The decoder in the library.
runAction :: Action -> Get [Seen]
runAction a = case a of
  Byte -> one (Number . fromIntegral <$> getWord8)
  Even -> one (Number . fromIntegral <$> satisfy even)
  Little16 -> one (Number . fromIntegral <$> getWord16le)
  Big32 -> one (Number . fromIntegral <$> getInt32be)
  Big64 -> one (Number . fromIntegral <$> getWord64be)
  Bytes n -> one (String' . S.unpack <$> getByteString n)
  LazyBytes n -> one (String' . L.unpack <$> getLazyByteString (fromIntegral n))
  Skip n -> [] <$ skip n
  Till w -> one (String' . S.unpack <$> P.takeTill (== w))
  Where -> one (Offset <$> bytesRead)
  AtEnd -> one (End <$> isEmpty)
  EndHere -> [] <$ endOfInput
  Failing -> fail "failing"
  Empty -> empty
  Return n -> one (pure (Number (fromIntegral n)))
  Commit -> [] <$ commit
  Then x y -> (++) <$> runAction x <*> runAction y
  Or x y -> runAction x <|> runAction y
  Ahead x -> lookAhead (runAction x)
  AheadM b x -> concat <$> lookAheadM ((\seen -> if b then Nothing else Just seen) <$> runAction x)
  AheadE b x -> either id id <$> lookAheadE ((if b then Left else Right) <$> runAction x)
  Attempt x -> attempt (runAction x)
  Without x -> [] <$ notFollowedBy (runAction x)
  Many x -> one (Group <$> many (runAction x))
  Isolated n x -> isolate n (runAction x)
  AtMost n x -> isolateAtMost n (runAction x)
  Matched x -> (\(bytes, seen) -> String' (S.unpack bytes) : seen) <$> match (runAction x)
  Named x -> label "named" (runAction x)
  Expected n x -> runAction x <?> (valueNames !! n)
  Deeper x -> deeper (runAction x)
  Budgeted n x -> withBudget defaultBudget {budgetDepth = n} (runAction x)
  Limited n x -> withBudget defaultBudget {budgetBytes = Just n} (runAction x)
  Nothing' -> pure []
  where
    one = fmap (: [])
