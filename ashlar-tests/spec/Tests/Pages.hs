{-# LANGUAGE DerivingStrategies #-}

-- |
-- Module      : Tests.Pages
-- Description : Memory that begins or ends at a page that cannot be accessed
--
-- A read or a write of one byte too far ends the test program. Sanitizers do not see the loads and
-- stores of code that GHC makes.
module Tests.Pages
  ( Edge (..),
    withPages,
    insidePages,
    pagesTest,
  )
where

import Control.Exception (bracket, evaluate)
import qualified Data.ByteString as S
import qualified Data.ByteString.Unsafe as S
import Foreign
import Foreign.C.Types (CInt (..), CSize (..))
import Test.Tasty (TestTree)
import Test.Tasty.HUnit (testCase, (@?=))

-- | Where the memory touches such a page.
data Edge = AtStart | AtEnd
  deriving stock (Bounded, Enum, Eq, Show)

-- | Run an action on memory of n bytes.
withPages :: Edge -> Int -> (Ptr Word8 -> IO a) -> IO a
withPages edge n act = bracket mapped (`c_free` size) (act . shifted)
  where
    size = fromIntegral n
    mapped = do
      start <- c_new size
      if start == nullPtr then ioError (userError "no memory for a test") else pure start
    shifted start = case edge of
      AtStart -> start
      AtEnd -> start `plusPtr` (fromIntegral (c_size size) - n)

-- | Run a function on a copy of bytes. Its result must be forced to its end by forcing it, and must
-- not hold the copy.
insidePages :: Edge -> [S.ByteString] -> ([S.ByteString] -> r) -> IO r
insidePages edge chunks f = go chunks []
  where
    go [] copies = evaluate (f (reverse copies))
    go (bs : rest) copies =
      withPages edge (S.length bs) $ \p -> do
        S.unsafeUseAsCStringLen bs (\(from, n) -> copyBytes p (castPtr from) n)
        copy <- S.unsafePackCStringLen (castPtr p, S.length bs)
        go rest (copy : copies)

-- | The memory is where it should be.
pagesTest :: TestTree
pagesTest = testCase "memory beside a page" . sequence_ $ do
  edge <- [minBound ..]
  n <- [0, 1, 7, 4095, 4096, 4097]
  pure . withPages edge n $ \p -> do
    let within = [p `plusPtr` (n - 1) | n > 0] ++ [p | n > 0]
        outside = case edge of
          AtStart -> p `plusPtr` (-1)
          AtEnd -> p `plusPtr` n
    mapM c_readable within >>= \rs -> rs @?= map (const 1) within
    c_readable outside >>= \r -> r @?= 0

foreign import ccall unsafe "test_pages_readable" c_readable :: Ptr Word8 -> IO CInt

foreign import ccall unsafe "test_pages_new" c_new :: CSize -> IO (Ptr Word8)

foreign import ccall unsafe "test_pages_free" c_free :: Ptr Word8 -> CSize -> IO ()

foreign import ccall unsafe "test_pages_size" c_size :: CSize -> CSize
