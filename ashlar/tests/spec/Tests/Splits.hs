-- |
-- Module      : Tests.Splits
-- Description : A decoder on every way to cut its input
module Tests.Splits
  ( onEverySplit,
    fromPieces,
    splits,
  )
where

import Ashlar.Get
import qualified Data.ByteString as S
import qualified Data.ByteString.Lazy as L
import Data.IORef
import System.IO.Unsafe (unsafePerformIO)
import Test.QuickCheck hiding (label)

-- | The result on the strict input, and on every cut into two and three chunks
-- and byte by byte, as lazy input and from a source, is this one.
onEverySplit :: (Eq a, Show a) => Get a -> S.ByteString -> Either DecodeError a -> Property
onEverySplit getter input expected =
  counterexample "strict" (runGet getter input === expected)
    .&&. conjoin
      [ counterexample (show (map S.length pieces)) $
          runGetLazy getter (L.fromChunks pieces) === expected
            .&&. fromPieces getter pieces === expected
        | pieces <- splits input
      ]

-- | From a source that returns these pieces (not empty) one by one.
fromPieces :: Get a -> [S.ByteString] -> Either DecodeError a
fromPieces getter pieces = unsafePerformIO $ do
  rest <- newIORef pieces
  source <- newSource (atomicModifyIORef rest next)
  getFrom source getter
  where
    next [] = ([], S.empty)
    next (p : ps) = (ps, p)
{-# NOINLINE fromPieces #-}

-- | Every cut into two and three pieces that are not empty, and into bytes.
splits :: S.ByteString -> [[S.ByteString]]
splits bs =
  map S.singleton (S.unpack bs) :
    [ filter (not . S.null) [S.take i bs, S.take (j - i) (S.drop i bs), S.drop j bs]
      | i <- [0 .. n],
        j <- [i .. n]
    ]
  where
    n = S.length bs
