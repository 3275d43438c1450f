-- |
-- Module      : Memory
-- Description : Memory in use while bytes stream through it
module Memory
  ( droppedHalfWay,
    constantMemory,
  )
where

import Ashlar.Builder
import Ashlar.Builder.Extra (byteStringInsert)
import Ashlar.Get
import Control.Exception (evaluate)
import Control.Monad (forM_)
import qualified Data.ByteString as S
import qualified Data.ByteString.Lazy as L
import Data.Word (Word64)
import GHC.Stats (getRTSStats, max_mem_in_use_bytes)
import Measure
import System.IO (IOMode (..), withBinaryFile)
import Test.Tasty.HUnit

-- Otherwise each of them would leave a buffer of 32 KiB, or a thread.
droppedHalfWay :: Assertion
droppedHalfWay = do
  before <- live
  forM_ [1 .. 1000] $ \i -> do
    n <- evaluate (L.length (L.take 50000 (toLazyByteString (numbers i (i + 100000)))))
    n @?= 50000
  after' <- live
  assertBool (show (before, after')) (after' < before + 100000)

-- 400 MB through each. The memory of the whole process stays below 64 MB, which is also the limit
-- that the suite runs under.
constantMemory :: Assertion
constantMemory = do
  lazyOutput 50000000
  insertedOutput 20000
  handleOutput 50000000
  lazyInput 50000000
  used <- max_mem_in_use_bytes <$> getRTSStats
  assertBool (show used) (used < 64000000)

-- Functions of their own, not inlined. A constant list of chunks would be retained.
lazyOutput, insertedOutput, handleOutput, lazyInput :: Word64 -> Assertion
insertedOutput n = L.length (toLazyByteString (go 0)) @?= 40000 * fromIntegral n
  where
    go i
      | i < n = byteStringInsert (S.replicate 40000 (fromIntegral i)) <> go (i + 1)
      | otherwise = mempty
lazyOutput n = L.length (toLazyByteString (numbers 0 n)) @?= 8 * fromIntegral n
handleOutput n = withBinaryFile "/dev/null" WriteMode $ \h ->
  hPutBuilderLen h (numbers 0 n) >>= (@?= 8 * fromIntegral n)
lazyInput n =
  runGetLazy (anyBytes (total (fromIntegral n) 0)) (toLazyByteString (numbers 0 n))
    @?= Right (fromIntegral (n * (n - 1) `div` 2))
  where
    anyBytes = withBudget defaultBudget {budgetBytes = Just maxBound}
{-# NOINLINE lazyOutput #-}
{-# NOINLINE insertedOutput #-}
{-# NOINLINE handleOutput #-}
{-# NOINLINE lazyInput #-}
