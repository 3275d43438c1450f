{-# LANGUAGE DerivingStrategies #-}
{-# LANGUAGE OverloadedStrings #-}

-- |
-- Module      : Tests.Resumed
-- Description : Decoders that are interrupted anywhere, or throw inside of alternatives
--
-- "Tests.Exceptions" interrupts where a value waits. Here GHC's limit on allocation interrupts at a
-- random point of the work of random decoders.
module Tests.Resumed (tests) where

import Ashlar.Get
import Control.Applicative
import Control.Concurrent
import Control.Exception
import Control.Monad (join, replicateM_)
import qualified Data.ByteString as S
import qualified Data.ByteString.Lazy as L
import Data.IORef
import Data.Int (Int64)
import System.IO.Unsafe (unsafePerformIO)
import System.Mem (disableAllocationLimit, enableAllocationLimit, setAllocationCounter)
import Test.Tasty
import Test.Tasty.HUnit
import Test.Tasty.QuickCheck hiding (label)
import Tests.Actions

tests :: TestTree
tests =
  testGroup
    "decoders that are interrupted or throw"
    [ testProperty
        "an interrupted decoder goes on where it was, in every driver, for any thread"
        goesOn,
      testCase "an exception inside of an alternative is thrown, not taken for a failure" thrown,
      testCase "a decoder that fails leaves no mask behind" unmasked
    ]

-- The ways to run a decoder as a pure value, on chunks.
drivers :: [(String, Get a -> [S.ByteString] -> Either DecodeError a)]
drivers =
  [ ("strict", \g -> runGet g . S.concat),
    ("lazy", \g -> runGetLazy g . L.fromChunks),
    ("pushed", \g bss -> ended (pushEndOfInput (foldl pushChunk (runGetIncremental g) bss))),
    ("source", \g bss -> unsafePerformIO (sourceFor bss >>= (`getFrom` g))),
    ("attempt", \g bss -> unsafePerformIO (sourceFor bss >>= (`attemptFrom` g)))
  ]
  where
    ended state = case state of
      Done _ _ a -> Right a
      Fail _ _ e -> Left e
      Partial _ -> error "not ended"

sourceFor :: [S.ByteString] -> IO Source
sourceFor bss = do
  chunks <- newIORef bss
  newSource (atomicModifyIORef' chunks (\l -> (drop 1 l, mconcat (take 1 l))))

-- Who forces the value again.
data Resumes = SameThread | OtherThread
  deriving stock (Eq, Show, Enum, Bounded)

goesOn :: Action -> Int -> [Positive (Small Int)] -> [Int] -> Property
goesOn action depth sizes bytes =
  conjoin
    [ counterexample (name ++ ", " ++ show resumes) . ioProperty $ do
        interrupted <- insisting resumes (driver decoder chunks)
        pure (interrupted === driver decoder chunks)
      | (name, driver) <- drivers,
        resumes <- [minBound .. maxBound]
    ]
  where
    decoder = nest (depth `mod` 5)
    chunks = cut sizes (S.pack (map fromIntegral bytes))
    nest n
      | n <= (0 :: Int) = busy *> runAction action
      | otherwise =
        (busy *> nest (n - 1) <* busy) <|> (nest (n - 1) *> empty) <|> runAction action
    -- It allocates.
    busy = replicateM_ 50 (lookAhead (many getWord8))

-- Chunks of these sizes, and the rest.
cut :: [Positive (Small Int)] -> S.ByteString -> [S.ByteString]
cut sizes bs = case sizes of
  Positive (Small n) : more | S.length bs > n -> S.take n bs : cut more (S.drop n bs)
  _ -> [bs | not (S.null bs)]

-- Force a value under a limit on allocation, again and again, until it is there.
insisting :: Resumes -> a -> IO a
insisting resumes a = go (0 :: Int)
  where
    go n
      | n > 200 = evaluate a
      | otherwise =
        limited (4096 * fromIntegral n) a
          >>= either (\AllocationLimitExceeded -> go (n + 1)) pure
    limited k x = case resumes of
      SameThread -> underLimit k x
      OtherThread -> do
        result <- newEmptyMVar
        _ <- forkIO (underLimit k x >>= putMVar result)
        takeMVar result

-- The limit is on inside of the handlers alone. Freezing a deep stack may exceed it a second time:
-- that exception waits until the first one has been caught.
underLimit :: Int64 -> a -> IO (Either AllocationLimitExceeded a)
underLimit bytes a = do
  setAllocationCounter bytes
  r <- try (try (enableAllocationLimit *> evaluate a) <* disableAllocationLimit)
  join r <$ disableAllocationLimit

data Foreign = Foreign
  deriving stock (Eq, Show)

instance Exception Foreign

-- The exception comes from a value, in the middle of whatever may catch a failure.
thrown :: Assertion
thrown = mapM_ check around
  where
    check (name, g) =
      mapM_
        ( \(driver, run) -> do
            outcome <- try (evaluate (run g ["a", "b"]))
            case outcome of
              Left Foreign -> pure ()
              Right r -> assertFailure (driver ++ ", " ++ name ++ ": " ++ show r)
        )
        drivers
    around =
      [ ("<|>", throws <|> pure 1),
        ("many", sum <$> many throws),
        ("optional", maybe 0 id <$> optional throws),
        ("lookAhead", lookAhead throws <|> pure 1),
        ("lookAheadM", maybe 1 id <$> lookAheadM (Just <$> throws)),
        ("attempt", attempt throws <|> pure 1),
        ("notFollowedBy", (1 <$ notFollowedBy throws) <|> pure 1),
        ("isolate", isolate 1 throws <|> pure 1),
        ("label", label "it" throws <|> pure 1),
        ("withBudget", withBudget defaultBudget throws <|> pure 1)
      ]
    throws :: Get Int
    throws = getWord8 >>= \w -> if w == 97 then throw Foreign else pure 0

unmasked :: Assertion
unmasked = do
  let g = (getWord8 *> many getWord16be *> empty) <|> (getWord8 *> lookAhead (attempt empty))
  replicateM_ 3 $
    mapM_
      ( \(name, run) -> do
          outcome <- evaluate (either (const True) (\() -> False) (run g ["ab", "c", "d"]))
          state <- getMaskingState
          (name, outcome, state) @?= (name, True, Unmasked)
      )
      drivers
