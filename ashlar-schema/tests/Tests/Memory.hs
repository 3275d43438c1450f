-- |
-- Module      : Tests.Memory
-- Description : Does a ByteString lie within its memory?
--
-- A write beyond the end of a buffer may harm nothing that a test looks at. But the bytes that were
-- written there are handed out, in a ByteString that is longer than its memory.
module Tests.Memory (withinMemory) where

import qualified Data.ByteString as S
import Data.ByteString.Internal (toForeignPtr)
import Data.Primitive.ByteArray
  ( MutableByteArray (..),
    getSizeofMutableByteArray,
    mutableByteArrayContents,
  )
import Foreign.ForeignPtr (withForeignPtr)
import Foreign.Ptr (minusPtr, plusPtr)
import GHC.ForeignPtr (ForeignPtr (..), ForeignPtrContents (..))

-- | Of memory that is not the collector's, nothing is known.
withinMemory :: S.ByteString -> IO Bool
withinMemory bytes = case contents of
  PlainPtr array -> within (MutableByteArray array)
  MallocPtr array _ -> within (MutableByteArray array)
  _ -> pure True
  where
    (memory@(ForeignPtr _ contents), from, n) = toForeignPtr bytes
    within array = withForeignPtr memory $ \p -> do
      size <- getSizeofMutableByteArray array
      let before = (p `plusPtr` from) `minusPtr` mutableByteArrayContents array
      pure (before >= 0 && before + n <= size)
