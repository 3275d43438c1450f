-- |
-- Module      : Tests.Splits
-- Description : A decoder on every way to cut its input
module Tests.Splits
  ( onEverySplit,
    fromChunks,
    splits,
    nothingAfter,
  )
where

import Ashlar.Get
import qualified Data.ByteString as S
import qualified Data.ByteString.Lazy as L
import qualified Data.ByteString.Lazy.Internal as L
import Data.IORef
import System.IO.Unsafe (unsafePerformIO)
import Test.QuickCheck hiding (label)
import Tests.Pages

-- | The decoder has this result on the strict input, and on every cut into two and three chunks and
-- into single bytes, as lazy input, with empty chunks between the others, and from a source. It
-- also has it on lazy input of one chunk, whether or not it is known that this is the last, and
-- where the input touches a page that cannot be accessed.
onEverySplit :: (Eq a, Show a) => Get a -> S.ByteString -> Either DecodeError a -> Property
onEverySplit getter input expected =
  counterexample "strict" (runGet getter input === expected)
    .&&. counterexample "one chunk" (runGetLazy getter (L.fromStrict input) === expected)
    .&&. counterexample "one chunk, then a thunk" (orFail L.fromStrict === orFail withThunk)
    .&&. conjoin
      [ counterexample ("beside a page: " ++ show edge) (besidePage edge cut)
        | edge <- [minBound ..],
          cut <- [[input], [S.take half input, S.drop half input]]
      ]
    .&&. conjoin
      [ counterexample (show (map S.length chunks)) $
          runGetLazy getter (L.fromChunks chunks) === expected
            .&&. runGetLazy getter (amongEmpty chunks) === expected
            .&&. fromChunks getter chunks === expected
        | chunks <- splits input
      ]
  where
    half = S.length input `div` 2
    -- The result of a run is compared while the memory is there.
    besidePage edge cut = unsafePerformIO . insidePages edge cut $ \chunks ->
      let result = case chunks of
            [bs] -> runGet getter bs
            _ -> fromChunks getter (filter (not . S.null) chunks)
       in if result == expected then property True else counterexample "another result" False
    orFail asLazy = runGetOrFail getter (asLazy input)
    withThunk bs = L.chunk bs (nothingAfter bs)

-- | The end of lazy input, as a thunk.
nothingAfter :: S.ByteString -> L.ByteString
nothingAfter _ = L.Empty
{-# NOINLINE nothingAfter #-}

-- A lazy ByteString that breaks its invariant.
amongEmpty :: [S.ByteString] -> L.ByteString
amongEmpty = foldr (\bs rest -> emptyChunk (L.Chunk bs (emptyChunk rest))) L.Empty
  where
    emptyChunk = L.Chunk S.empty

-- | The result from a source that returns these chunks, none of them empty, one by one.
fromChunks :: Get a -> [S.ByteString] -> Either DecodeError a
fromChunks getter chunks = unsafePerformIO $ do
  rest <- newIORef chunks
  source <- newSource (atomicModifyIORef rest next)
  getFrom source getter
  where
    next [] = ([], S.empty)
    next (p : ps) = (ps, p)
{-# NOINLINE fromChunks #-}

-- | Every cut into two and three chunks, none of them empty, and into single bytes.
splits :: S.ByteString -> [[S.ByteString]]
splits bs =
  map S.singleton (S.unpack bs) :
    [ filter (not . S.null) [S.take i bs, S.take (j - i) (S.drop i bs), S.drop j bs]
      | i <- [0 .. n],
        j <- [i .. n]
    ]
  where
    n = S.length bs
