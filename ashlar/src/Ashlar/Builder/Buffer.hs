{-# LANGUAGE DerivingStrategies #-}
{-# LANGUAGE Trustworthy #-}

-- |
-- Module      : Ashlar.Builder.Buffer
-- Description : The open buffer of a sink
--
-- Most sinks ("Ashlar.Builder.Sink") have a buffer, and hand out what a builder has written there
-- as ByteStrings, which are not copied. This module is that buffer: its memory, its size, and how
-- much of it has been handed out.
--
-- As an example, a sink that hands each chunk to an action, as 'Ashlar.Builder.toByteStringIOWith'
-- does:
--
-- >>> import Ashlar.Builder.Buffer
-- >>> import Ashlar.Builder.Extra (byteStringInsert, flush)
-- >>> import Ashlar.Builder.Sink
-- >>> import qualified Data.ByteString as S
-- >>> import Data.IORef
-- >>> :{
-- let eachChunk :: (S.ByteString -> IO ()) -> Builder -> IO ()
--     eachChunk consume builder = do
--       first <- newOpen 4096
--       ref <- newIORef first
--       let deliver p = do
--             open <- readIORef ref
--             -- Before the action runs: should it throw, nothing is handed out twice.
--             writeIORef ref $! handedOut open p
--             unless (p == openFrom open) (consume (written open p))
--           sink = Sink $ \request p -> do
--             deliver p
--             case request of
--               More n _ -> do
--                 new <- newOpen (max n 4096)
--                 writeIORef ref new
--                 pure (wholeSpace new)
--               Insert bs -> consume bs >> (`restFrom` p) <$> readIORef ref
--               Flush -> (`restFrom` p) <$> readIORef ref
--       keepAlive ref (runBuilderWith sink (wholeSpace first) builder >>= deliver)
-- in eachChunk print (intDec 7 <> flush <> " bricks, " <> byteStringInsert "mortar" <> ", sand")
-- :}
-- "7"
-- " bricks, "
-- "mortar"
-- ", sand"
--
-- Two rules, which nothing checks:
--
-- * Bytes that were handed out are never written again (INV-B3): others may hold them as a value.
--   The rest of the buffer stays in use. So once 'written' has made a ByteString of some bytes, a
--   sink must return no free space that contains them. Only 'emptied' makes them free again. It is
--   for sinks whose consumers keep nothing.
-- * Addresses do not keep memory alive. Run a builder within 'keepAlive' of what holds the buffer.
--
-- An address that is not in the buffer, or is in the part that was handed out, is refused with
-- 'AddressOutside'. So a mistake here reads nothing outside.
module Ashlar.Builder.Buffer
  ( -- * Buffers
    Open,
    newOpen,
    noBuffer,
    openOn,
    openBuffer,
    openSize,
    openFrom,

    -- * Free space
    wholeSpace,
    restFrom,
    copiedTo,
    insertCopy,

    -- * Handing out
    written,
    handedOut,
    emptied,

    -- * Keeping memory alive
    keepAlive,

    -- * Exceptions
    AddressOutside (..),
  )
where

import Ashlar.Internal.Builder.Core
import Ashlar.Internal.Mem
import Control.Exception (Exception (..), throw, throwIO)
import Data.ByteString (ByteString)
import qualified Data.ByteString as S
import qualified Data.ByteString.Internal as B
import Data.Word (Word8)
import Foreign.ForeignPtr (ForeignPtr)
import Foreign.ForeignPtr.Unsafe (unsafeForeignPtrToPtr)
import Foreign.Ptr (Ptr, minusPtr, nullPtr, plusPtr)

-- | A buffer, and how much of it has been handed out. It is a value: 'handedOut' and 'emptied'
-- return another one on the same memory.
data Open = Open
  { -- | The memory.
    openBuffer :: !(ForeignPtr Word8),
    -- | The bytes of the buffer, including those that were handed out.
    openSize :: !Int,
    -- | The address after what was handed out. At first it is that of the first byte.
    openFrom :: !(Ptr Word8)
  }

-- | A new buffer of this number of bytes. None have been handed out. They are not cleared.
--
-- A negative number is an error.
newOpen :: Int -> IO Open
newOpen n
  | n < 0 = errorWithoutStackTrace "Ashlar.Builder.Buffer.newOpen: a negative number of bytes"
  | otherwise = do
    fp <- newBuffer n
    pure (Open fp n (unsafeForeignPtrToPtr fp))

-- | A buffer of no bytes, which costs nothing: for a sink whose builder has not begun.
noBuffer :: Open
noBuffer = Open B.nullForeignPtr 0 nullPtr

-- | A buffer in memory of your own, that of a mapped file for instance.
--
-- The memory must have as many bytes as the number says. Nothing checks that.
openOn :: ForeignPtr Word8 -> Int -> Open
openOn fp n = Open fp n (unsafeForeignPtrToPtr fp)
{-# INLINE openOn #-}

-- | An address was used with a buffer in which it does not lie, or lies in the part that was handed
-- out.
data AddressOutside = AddressOutside
  { -- | Bytes from the end of what was handed out to the address. Negative if it is before that.
    outsideAfter :: !Int,
    -- | Bytes of the buffer that have not been handed out.
    outsideFree :: !Int
  }
  deriving stock (Eq, Show)

instance Exception AddressOutside where
  displayException (AddressOutside after free) =
    "Ashlar.Builder.Buffer: an address " ++ show after
      ++ " bytes after what was handed out, where the buffer has "
      ++ show free
      ++ " bytes"

-- Is an address outside of the buffer, or before the end of what was handed out (INV-B3)?
outside :: Open -> Ptr Word8 -> Bool
outside open@(Open _ _ from) p = p `minusPtr` from < 0 || p `minusPtr` endOf open > 0
{-# INLINE outside #-}

endOf :: Open -> Ptr Word8
endOf (Open fp size _) = unsafeForeignPtrToPtr fp `plusPtr` size
{-# INLINE endOf #-}

refused :: Open -> Ptr Word8 -> a
refused open@(Open _ _ from) p =
  throw (AddressOutside (p `minusPtr` from) (endOf open `minusPtr` from))
{-# NOINLINE refused #-}

-- | The whole buffer, from its first byte on. Nothing of it may have been handed out: this throws
-- 'AddressOutside' if something has been.
wholeSpace :: Open -> FreeSpace
wholeSpace open = restFrom open (unsafeForeignPtrToPtr (openBuffer open))

-- | The part of the buffer from an address on, to its end.
--
-- The address must lie in the buffer and not before what was handed out, or this throws
-- 'AddressOutside'.
restFrom :: Open -> Ptr Word8 -> FreeSpace
restFrom open@(Open fp size _) p
  | outside open p = refused open p
  | otherwise = FreeSpace p (unsafeForeignPtrToPtr fp `plusPtr` size)
{-# INLINE restFrom #-}

-- | Copy to a new buffer what was written to the old one and has not been handed out. Returns the
-- free space after it.
--
-- The address must lie in the old buffer, and the bytes must fit into the new one, or this throws
-- 'AddressOutside'. The old one must be kept alive.
copiedTo ::
  -- | The new buffer.
  Open ->
  -- | The old one.
  Open ->
  -- | The address up to which the old one has been written.
  Ptr Word8 ->
  IO FreeSpace
copiedTo new open p
  | outside open p = refused open p
  | outside new end = refused new end
  | otherwise = restFrom new end <$ copyRange (openFrom new) (openFrom open) used
  where
    used = p `minusPtr` openFrom open
    end = openFrom new `plusPtr` used

-- | Copy a ByteString to the beginning of free space, and return the space after it: for an
-- inserted ByteString that a sink has no better use for.
--
-- Throws 'SinkRefused' if it does not fit. The memory of the free space must be kept alive. Long
-- strings are copied in steps, so the garbage collector of other threads does not wait for them.
--
-- >>> import Ashlar.Builder.Buffer
-- >>> import Ashlar.Builder.Sink
-- >>> open <- newOpen 8
-- >>> space <- keepAlive open (insertCopy (wholeSpace open) "brick")
-- >>> freeBytes space
-- 3
insertCopy :: FreeSpace -> ByteString -> IO FreeSpace
insertCopy space@(FreeSpace from to) bs
  | S.length bs > freeBytes space = throwIO (SinkRefused (S.length bs) (freeBytes space))
  | otherwise = FreeSpace (from `plusPtr` S.length bs) to <$ withBytes bs (copyRange from)

-- | What was written up to an address and has not been handed out. It shares the memory of the
-- buffer: these bytes must not be written any more, and the string keeps all of the buffer alive.
--
-- The address must lie in the buffer and not before what was handed out, or this throws
-- 'AddressOutside'.
written :: Open -> Ptr Word8 -> ByteString
written open@(Open fp _ from) p
  | outside open p = refused open p
  | otherwise = sliceBuffer fp from p
{-# INLINE written #-}

-- | The same buffer, after the bytes before this address have been handed out.
--
-- The address must lie in the buffer and not before what was handed out, or this throws
-- 'AddressOutside'.
handedOut :: Open -> Ptr Word8 -> Open
handedOut open p
  | outside open p = refused open p
  | otherwise = open {openFrom = p}
{-# INLINE handedOut #-}

-- | The same buffer, all of which is free again. Nobody may hold a ByteString that was handed out,
-- or its bytes will change.
emptied :: Open -> Open
emptied open = open {openFrom = unsafeForeignPtrToPtr (openBuffer open)}
