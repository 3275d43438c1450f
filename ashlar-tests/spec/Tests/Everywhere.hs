-- |
-- Module      : Tests.Everywhere
-- Description : One builder through every sink, at every size of buffer
module Tests.Everywhere
  ( throughSinks,
    everywhere,
    everyRun,
    chunksOf,
    exactly,
    interruptedOften,
  )
where

import Ashlar.Builder
import Control.Exception (evaluate)
import qualified Data.ByteString as S
import qualified Data.ByteString.Lazy as L
import Data.IORef
import Foreign (castPtr)
import System.IO.Unsafe (unsafePerformIO)
import System.Timeout (timeout)
import Test.QuickCheck
import Test.Tasty.HUnit
import Tests.Guarded
import Tests.Pages

-- | The builder, which asks for at most 256 bytes at once, writes these bytes through
-- every sink, and no others anywhere.
throughSinks :: S.ByteString -> Builder -> Property
throughSinks expected b = everywhere b expected .&&. exactly b expected .&&. guarded expected b

-- | The builder writes these bytes, whatever it is run with.
everywhere :: Builder -> S.ByteString -> Property
everywhere b expected = everyRun b (=== expected)

-- | What every way to run the builder makes has this property.
everyRun :: Builder -> (S.ByteString -> Property) -> Property
everyRun b holds =
  conjoin $
    counterexample "toStrictByteString" (holds (toStrictByteString b)) :
    counterexample "toLazyByteString" (holds (L.toStrict (toLazyByteString b))) :
      [ counterexample ("toByteStringIOWith " ++ show n) (holds (S.concat (chunksOf n b)))
        | n <- sizes ++ [127, 128, 129, 255, 256, 257, 4095, 4096, 4097, 32768]
      ]
  where
    -- All up to 80, but not more than some hundreds of chunks, because these take time.
    sizes = filter (\n -> S.length (toStrictByteString b) <= 400 * n) [1 .. 80]

-- | The chunks that are handed on, with buffers of this size. Each is compared with a copy after
-- the run, since no chunk may be written after it was handed on.
chunksOf :: Int -> Builder -> [S.ByteString]
chunksOf n b = unsafePerformIO $ do
  ref <- newIORef []
  toByteStringIOWith n (\bs -> modifyIORef ref ((bs, S.copy bs) :)) b
  pairs <- reverse <$> readIORef ref
  if all (uncurry (==)) pairs
    then pure (map fst pairs)
    else errorWithoutStackTrace "a chunk was written after it was handed on"

-- | The builder writes these bytes into memory of exactly their size, before a page that cannot be
-- accessed.
exactly :: Builder -> S.ByteString -> Property
exactly b expected = unsafePerformIO $
  withPages AtEnd size $ \p -> do
    n <- pokeBuilder p size b
    memory <- S.packCStringLen (castPtr p, size)
    pure (n === size .&&. memory === expected)
  where
    size = S.length expected

-- | Lazy output that is interrupted by timeouts, again and again, is right in the end.
interruptedOften :: Builder -> (L.ByteString -> Bool) -> Assertion
interruptedOften b right = go (0 :: Int)
  where
    lazy = toLazyByteString b
    go tries
      | tries > 100000 = assertFailure "no progress"
      | otherwise = do
        r <- timeout (20 * (1 + tries `div` 50)) (evaluate (L.length lazy))
        case r of
          Nothing -> go (tries + 1)
          Just _ -> assertBool ("after " ++ show tries ++ " interruptions") (right lazy)
