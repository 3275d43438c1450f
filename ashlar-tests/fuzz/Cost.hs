{-# OPTIONS_GHC -O1 #-}

-- |
-- Module      : Cost
-- Description : Searches for the inputs that cost most
--
-- The cost of an input is what decoding it allocates, in bytes, which is the same each time. For
-- each target and for four sizes, each twice the one before, the search mutates the most expensive
-- inputs that it knows.
module Cost (costs) where

import Control.Exception (SomeException, try)
import Control.Monad
import Coverage
import Data.Bifunctor (first)
import qualified Data.ByteString as S
import Data.Int (Int64)
import Data.List (sortOn)
import Data.Ord (Down (..))
import GHC.Conc (getAllocationCounter, setAllocationCounter)
import Mutate
import System.IO
import Test.QuickCheck (generate)
import Tests.Fuzz.Target
import Text.Printf (printf)

-- | Print what the worst inputs cost, for each target and way to run it, those first whose cost
-- grows most where the size doubles.
costs ::
  -- | How many inputs are tried for each size.
  Int ->
  [Target] ->
  IO ()
costs tries targets = do
  rows <- forM [(t, way) | t <- targets, way <- [InMemory, InBytes]] $ \(t, way) -> do
    enterTarget (targetName t)
    found <- worst tries way t
    let name = targetName t ++ (if way == InBytes then ", byte by byte" else "")
        row = (name, found)
    hPutStrLn stderr (line row)
    pure row
  putStrLn "factors to 2n, 4n, 8n bytes; bytes allocated for each byte at 8n; name; input at n"
  mapM_ (putStrLn . line) (sortOn (Down . growth . snd) rows)
  where
    growth found = maximum (factors found)
    factors found = zipWith (/) (drop 1 (map fst found)) (map fst found)
    line (name, found) =
      unwords (map (printf "%.2f") (factors found))
        ++ printf " %7.0f " (fst (last found) / fromIntegral largest)
        ++ name
        ++ " "
        ++ take 100 (concatMap (show . snd) (take 1 found))

sizes :: [Int]
sizes = [256, 512, 1024, 2048]

largest :: Int
largest = last sizes

-- The most expensive input of each size, and its cost.
worst :: Int -> Run -> Target -> IO [(Double, S.ByteString)]
worst tries way t = do
  random' <- maybe (pure []) (replicateM 10 . generate) (targetRandom t)
  go (targetSeeds t ++ random' ++ [S.empty]) sizes
  where
    go _ [] = pure []
    go known (size : more) = do
      scaled <- replicateM 10 (oneOf known >>= filled size)
      begin <- forM (map (S.take size) (known ++ scaled)) $ \bs -> (,) <$> cost way t bs <*> pure bs
      best <- search tries size (take 12 (sortOn (Down . fst) begin))
      (map (first fromIntegral) (take 1 best) ++) <$> go (map snd best) more
    search :: Int -> Int -> [(Int64, S.ByteString)] -> IO [(Int64, S.ByteString)]
    search n size best
      | n <= 0 = pure best
      | otherwise = do
        parent <- snd <$> oneOf best
        other <- snd <$> oneOf best
        kind <- below 4
        child <- if kind == 0 then filled size parent else mutated size parent other
        c <- cost way t child
        let least = minimum (map fst best)
            better = length best < 12 || c > least
            known = any ((== c) . fst) best
        search (n - 1) size $
          if better && not known then take 12 (sortOn (Down . fst) ((c, child) : best)) else best

-- A part of the input, repeated up to the size. What was after it comes after it.
filled :: Int -> S.ByteString -> IO S.ByteString
filled size bs = do
  at <- below (S.length bs + 1)
  n <- below 24
  let (before, rest) = S.splitAt at bs
      (part, after) = S.splitAt (n + 1) rest
      times = (size - S.length before - S.length after) `div` max 1 (S.length part)
  pure (S.take size (S.concat (before : replicate times part ++ [after])))

-- What decoding the input allocates, together with its error.
cost :: Run -> Target -> S.ByteString -> IO Int64
cost way t bs = do
  stillAlive
  setAllocationCounter 0
  _ <- try (enterCase bs (decodeFully way t bs)) :: IO (Either SomeException ())
  negate <$> getAllocationCounter
