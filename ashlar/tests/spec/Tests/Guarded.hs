-- |
-- Module      : Tests.Guarded
-- Description : No byte is written outside of what was reserved
module Tests.Guarded (guarded) where

import Ashlar.Builder
import Ashlar.Builder.Sink
import Control.Monad (forM_, when)
import qualified Data.ByteString as S
import Data.IORef
import Foreign
import System.IO.Unsafe (unsafePerformIO)
import Test.QuickCheck

-- | The builder writes these bytes, into spaces that are not a byte larger than what
-- it asks for; and the bytes in front of and behind them stay what they were (INV-B1,
-- INV-B2).
guarded :: S.ByteString -> Builder -> Property
guarded expected b = counterexample "in guarded memory" $
  unsafePerformIO $
    allocaBytes size $ \memory -> do
      written <- newIORef []
      damaged <- newIORef False
      open <- newIORef 0
      let start = memory `plusPtr` guard
          -- The guards are compared, and what lies between them taken.
          settle p = do
            given <- readIORef open
            forM_ ([0 .. guard - 1] ++ [guard + given .. size - 1]) $ \i -> do
              w <- peekByteOff memory i
              when (w /= guardByte) $ writeIORef damaged True
            bs <- S.packCStringLen (castPtr start, p `minusPtr` start)
            modifyIORef written (bs :)
          fresh given = do
            fillBytes memory guardByte size
            writeIORef open given
            pure (FreeSpace start (start `plusPtr` given))
          sink = Sink $ \request p -> do
            settle p
            case request of
              More n _ | n <= largest -> fresh n
              More _ _ -> error "more than a primitive needs"
              Insert bs -> modifyIORef written (bs :) >> fresh 0
              Flush -> fresh 0
      first <- fresh 0
      runBuilderWith sink first b >>= settle
      bytes <- S.concat . reverse <$> readIORef written
      harm <- readIORef damaged
      pure (counterexample "a guard was overwritten" (not harm) .&&. bytes === expected)
  where
    guard = 32
    largest = 256
    size = guard + largest + guard
    guardByte = 0xA5 :: Word8
