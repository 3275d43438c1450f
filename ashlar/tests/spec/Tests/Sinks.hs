-- |
-- Module      : Tests.Sinks
-- Description : One builder through every sink, at many buffer sizes
module Tests.Sinks
  ( throughSinks,
    collected,
    poked,
  )
where

import Ashlar.Builder
import qualified Data.ByteString as S
import qualified Data.ByteString.Lazy as L
import Data.IORef
import Foreign (allocaBytes, castPtr)
import System.IO.Unsafe (unsafePerformIO)
import Test.QuickCheck

-- | The builder writes these bytes, whatever it is run into.
throughSinks :: S.ByteString -> Builder -> Property
throughSinks expected b =
  counterexample "strict" (toStrictByteString b === expected)
    .&&. counterexample "lazy" (L.toStrict (toLazyByteString b) === expected)
    .&&. counterexample "in memory of just that size" (poked (S.length expected) b === expected)
    .&&. conjoin
      [ counterexample ("in buffers of " ++ show n) $
          collected (\put -> toByteStringIOWith n put b) === expected
        | n <- [1 .. 20] ++ [31, 32, 33, 63, 64, 65, 255, 256, 257]
      ]

-- | All that an action hands out.
collected :: ((S.ByteString -> IO ()) -> IO a) -> S.ByteString
collected act = unsafePerformIO $ do
  ref <- newIORef []
  _ <- act (\bs -> modifyIORef ref (bs :))
  S.concat . reverse <$> readIORef ref

-- | All the bytes through memory of just that size.
poked :: Int -> Builder -> S.ByteString
poked size b = unsafePerformIO $ allocaBytes (max 1 size) $ \p -> do
  n <- pokeBuilder p size b
  S.packCStringLen (castPtr p, n)
