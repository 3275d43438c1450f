-- |
-- Module      : Ashlar.Internal.Builder.Buffer
-- Description : The open buffer of a sink
--
-- The state of most sinks: the buffer that is being written, and how much of it has been handed
-- out. The part that was handed out is never written again (INV-B3). The rest stays in use.
module Ashlar.Internal.Builder.Buffer
  ( Open (..),
    newOpen,
    noBuffer,
    wholeSpace,
    restFrom,
    copiedTo,
    written,
    handedOut,
    emptied,
  )
where

import Ashlar.Internal.Builder.Core
import Ashlar.Internal.Mem
import Ashlar.Internal.Mem.Check
import Data.ByteString (ByteString)
import qualified Data.ByteString.Internal as B
import Data.Word (Word8)
import Foreign.ForeignPtr (ForeignPtr)
import Foreign.ForeignPtr.Unsafe (unsafeForeignPtrToPtr)
import Foreign.Ptr (Ptr, minusPtr, nullPtr, plusPtr)

-- | A buffer, its size, and the address after the part that was handed out. Code that uses its
-- addresses must keep the value alive meanwhile, by 'keepAlive' on what holds it.
data Open = Open
  { openBuffer :: !(ForeignPtr Word8),
    openSize :: !Int,
    openFrom :: !(Ptr Word8)
  }

-- | A new buffer of @n@ bytes (@n@ >= 0).
newOpen :: Int -> IO Open
newOpen n = do
  fp <- newBuffer n
  pure (Open fp n (unsafeForeignPtrToPtr fp))

-- | A buffer of no bytes, which costs nothing.
noBuffer :: Open
noBuffer = Open B.nullForeignPtr 0 nullPtr

-- A guard, as 'broken': an address is in a buffer, and not before what was handed out (INV-B3).
outside :: String -> Open -> Ptr Word8 -> Bool
outside whose (Open fp size from) p =
  broken
    "INV-B1, INV-B3"
    (whose ++ ": an address outside of the open buffer")
    (p `minusPtr` from >= 0 && p `minusPtr` unsafeForeignPtrToPtr fp <= size)
    [("after what was handed out", p `minusPtr` from), ("buffer", size)]
{-# INLINE outside #-}

-- | The whole buffer, from its first byte on.
wholeSpace :: Open -> FreeSpace
wholeSpace open = restFrom open (unsafeForeignPtrToPtr (openBuffer open))

-- | The part of the buffer from an address on. The address must lie inside.
restFrom :: Open -> Ptr Word8 -> FreeSpace
restFrom open@(Open fp size _) p
  | outside "restFrom" open p = FreeSpace p p
  | otherwise = FreeSpace p (unsafeForeignPtrToPtr fp `plusPtr` size)

-- | Copy to a new buffer what was written to the open one up to an address and has not been handed
-- out, and return the space after it. The address must lie inside, the new buffer must have as many
-- bytes, and the caller keeps the open one alive.
copiedTo :: Open -> Open -> Ptr Word8 -> IO FreeSpace
copiedTo new open p
  | outside "copiedTo" open p || outside "copiedTo, new" new end = pure (wholeSpace new)
  | otherwise = restFrom new end <$ copyRange (openFrom new) (openFrom open) used
  where
    used = p `minusPtr` openFrom open
    end = openFrom new `plusPtr` used

-- | What was written up to an address and has not been handed out. The address must
-- lie inside, and these bytes must not be written any more.
written :: Open -> Ptr Word8 -> ByteString
written (Open fp _ from) = sliceBuffer fp from

-- | The same buffer, after the bytes before this address have been handed out.
handedOut :: Open -> Ptr Word8 -> Open
handedOut open p
  | outside "handedOut" open p = open
  | otherwise = open {openFrom = p}

-- | The same buffer, when nobody holds what was handed out any more.
emptied :: Open -> Open
emptied open = open {openFrom = unsafeForeignPtrToPtr (openBuffer open)}
