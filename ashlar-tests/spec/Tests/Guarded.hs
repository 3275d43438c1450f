-- |
-- Module      : Tests.Guarded
-- Description : No byte is written outside of what was reserved
module Tests.Guarded (guarded, guardedSpaces) where

import Ashlar.Builder
import Ashlar.Builder.Sink
import Control.Monad (forM_, when)
import qualified Data.ByteString as S
import Data.IORef
import Foreign
import System.IO.Unsafe (unsafePerformIO)
import Test.QuickCheck
import Tests.Pages

-- | The builder writes these bytes, into spaces that are not a byte larger than what it asks for.
-- Each space begins or ends at a page that cannot be accessed, and the bytes on its other side stay
-- what they were (INV-B1, INV-B2).
guarded :: S.ByteString -> Builder -> Property
guarded = guardedSpaces 0

-- | 'guarded', with spaces that have at least this size. Of more than 256 bytes it counts as 256.
guardedSpaces :: Int -> S.ByteString -> Builder -> Property
guardedSpaces least expected b =
  conjoin [guardedAt edge (max 0 (min 256 least)) expected b | edge <- [minBound ..]]

guardedAt :: Edge -> Int -> S.ByteString -> Builder -> Property
guardedAt edge least expected b = counterexample ("beside a page: " ++ show (edge, least)) $
  unsafePerformIO $
    withPages edge size $ \memory -> do
      written <- newIORef []
      damaged <- newIORef False
      open <- newIORef 0
      let offsetOf given = case edge of
            AtStart -> 0
            AtEnd -> size - given
          -- The guards are compared, and what lies between them taken.
          settle p = do
            given <- readIORef open
            let offset = offsetOf given
                start = memory `plusPtr` offset
            forM_ ([0 .. offset - 1] ++ [offset + given .. size - 1]) $ \i -> do
              w <- peekByteOff memory i
              when (w /= guardByte) $ writeIORef damaged True
            bs <- S.packCStringLen (castPtr start, p `minusPtr` start)
            modifyIORef written (bs :)
          fresh given = do
            fillBytes memory guardByte size
            writeIORef open given
            let start = memory `plusPtr` offsetOf given
            pure (FreeSpace start (start `plusPtr` given))
          sink = Sink $ \request p -> do
            settle p
            case request of
              More n _ | n <= largest -> fresh (max least n)
              More _ _ -> error "more than a primitive needs"
              Insert bs -> modifyIORef written (bs :) >> fresh least
              Flush -> fresh least
      first <- fresh least
      runBuilderWith sink first b >>= settle
      bytes <- S.concat . reverse <$> readIORef written
      harm <- readIORef damaged
      pure (counterexample "a guard was overwritten" (not harm) .&&. bytes === expected)
  where
    guard = 32
    largest = 256
    size = largest + guard
    guardByte = 0xA5 :: Word8
