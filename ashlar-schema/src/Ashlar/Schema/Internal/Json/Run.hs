{-# LANGUAGE BangPatterns #-}
{-# LANGUAGE DerivingStrategies #-}
{-# LANGUAGE OverloadedStrings #-}
-- A schema is compiled once.
{-# OPTIONS_GHC -fno-do-lambda-eta-expansion #-}

-- |
-- Module      : Ashlar.Schema.Internal.Json.Run
-- Description : Closures that read bytes and write others
module Ashlar.Schema.Internal.Json.Run
  ( Run,
    Op,
    Boxed (..),
    done,
    unusual,
    giveUp,
    quickly,
    deeper,
    atHand,
    groups,
    countOf,
    constantSize,
    literal,
    literally,
    copyLiteral,
    comma,
  )
where

import Ashlar.Codec (Get)
import Ashlar.Internal.Builder.Core (FreeSpace (..), Request (..), Sink (..), reserve)
import Ashlar.Internal.Coroutine.Thunk (newThunk, rethrow, tryThunk)
import Ashlar.Internal.Get.Core (cursor, moveTo, step)
import Ashlar.Internal.Get.Env (levelsCell)
import Ashlar.Internal.Mem hiding (Number)
import Ashlar.Internal.Mem.Cells
import Ashlar.Schema.Internal.Types
import Control.Exception (Exception (..), throwIO)
import Control.Monad (when)
import Data.Bits (complement, unsafeShiftL, (.&.), (.|.))
import Data.ByteString (ByteString)
import qualified Data.ByteString as B
import Data.IORef
import Data.Int (Int64)
import Data.Word (Word64, Word8)
import Foreign.ForeignPtr (ForeignPtr)
import Foreign.ForeignPtr.Unsafe (unsafeForeignPtrToPtr)
import Foreign.Ptr (Ptr, minusPtr, plusPtr)

-- | Reads from the cursor of a decoder, and writes to the cursor of a builder.
type Run = Cells -> Cells -> Sink -> IO ()

-- | What is done before something.
type Op = Run -> Run

-- In a box, for arrays.
newtype Boxed = Boxed Run

-- | What is out of the ordinary.
data Unusual = Unusual
  deriving stock (Show)

instance Exception Unusual

giveUp :: IO a
giveUp = throwIO Unusual
{-# NOINLINE giveUp #-}

-- How deep references are nested.
depthCell :: Cell Int
depthCell = Cell 2

-- At a level of references there are at most some hundred levels of the decoder.
mostDeep, levelsForThese :: Int
mostDeep = 250
levelsForThese = 50000

-- | One level of references deeper.
deeper :: Run -> Run
deeper r = \c o k -> do
  depth <- getInt o depthCell
  when (depth >= mostDeep) giveUp
  putInt o depthCell (depth + 1)
  r c o k
  putInt o depthCell depth
{-# INLINE deeper #-}

-- | Write by closures, or do what is done where these give up, or where the decoder's budget allows
-- fewer levels than they may meet: they do not count these.
quickly ::
  -- | The most bytes that may be written.
  Int ->
  Run ->
  Get ByteString ->
  Get ByteString
quickly most write slowly = do
  start <- cursor
  found <- step $ \c _ -> do
    levels <- getInt c levelsCell
    -- (In a traced run it is the complement.)
    if max levels (complement levels) < levelsForThese
      then pure (Left (toException Unusual))
      else newThunk (written most write c) >>= tryThunk
  case found of
    Right bytes -> pure bytes
    Left e
      | Just Unusual <- fromException e -> moveTo start *> slowly
      | otherwise -> step (\_ _ -> rethrow e)

-- | The bytes that are written, in a buffer of their own.
written :: Int -> Run -> Cells -> IO ByteString
written most write c = withCells (cellsUpTo depthCell) $ \o -> do
  buffer <- newBuffer firstBytes
  ref <- newIORef (buffer, firstBytes)
  let start = unsafeForeignPtrToPtr buffer
  putPtr o cursorCell start
  putPtr o endCell (start `plusPtr` firstBytes)
  putInt o depthCell 0
  write c o (growing most ref)
  end <- getPtr o cursorCell
  (final, size) <- readIORef ref
  let from = unsafeForeignPtrToPtr final
      n = end `minusPtr` from
      bytes = sliceBuffer final from end
  when (n > most) giveUp
  -- (Not more than a quarter of the memory is kept unused.)
  if size > firstBytes && size - n > size `quot` 4 then pure $! B.copy bytes else pure bytes
  where
    firstBytes = 512

growing :: Int -> IORef (ForeignPtr Word8, Int) -> Sink
growing most ref = Sink $ \request p -> case request of
  Flush -> enlarged p 0
  More n _ -> enlarged p n
  Insert bs -> do
    FreeSpace q end <- enlarged p (B.length bs)
    withBytes bs (copyRange q)
    pure (FreeSpace (q `plusPtr` B.length bs) end)
  where
    enlarged p n = do
      (buffer, size) <- readIORef ref
      let start = unsafeForeignPtrToPtr buffer
          used = p `minusPtr` start
          size' = max (used + n) (min most (4 * size))
      when (used > most - n) giveUp
      larger <- newBuffer size'
      let start' = unsafeForeignPtrToPtr larger
      keepAlive buffer (keepAlive larger (copyRange start' start used))
      writeIORef ref (larger, size')
      pure (FreeSpace (start' `plusPtr` used) (start' `plusPtr` size'))
{-# NOINLINE growing #-}

-- | The address of the next n bytes. (A sum of lengths may be negative on 32 bits.)
atHand :: Cells -> Int -> IO (Ptr Word8)
atHand c n = do
  p <- getPtr c cursorCell
  e <- getPtr c endCell
  if n >= 0 && e `minusPtr` p >= n then pure p else giveUp
{-# INLINE atHand #-}

-- | Read a number of bytes, and write at most a number of bytes after some that are known.
constantSize :: Int -> Int -> (Ptr Word8 -> Ptr Word8 -> IO (Ptr Word8)) -> ByteString -> Op
constantSize width bound write before next = \c o k -> do
  p <- atHand c width
  q <- reserve o k (n + bound)
  copyLiteral q before
  q' <- write p (q `plusPtr` n)
  putPtr c cursorCell (p `plusPtr` width)
  putPtr o cursorCell q'
  next c o k
  where
    !n = B.length before
{-# INLINE constantSize #-}

copyLiteral :: Ptr Word8 -> ByteString -> IO ()
copyLiteral q bs = withBytesQuick bs $ \p n ->
  if n <= 16 then copyShort q p n else copyRange q p n
{-# INLINE copyLiteral #-}

-- | Write bytes.
literal :: ByteString -> Op
literal bs next
  | B.null bs = next
  | otherwise = \c o k -> literally bs o k >> next c o k

literally :: ByteString -> Cells -> Sink -> IO ()
literally bs o k = do
  q <- reserve o k (B.length bs)
  copyLiteral q bs
  putPtr o cursorCell (q `plusPtr` B.length bs)
{-# INLINE literally #-}

done :: Run
done _ _ _ = pure ()

unusual :: Op
unusual _ = \_ _ _ -> giveUp

comma :: Cells -> Sink -> IO ()
comma o k = do
  q <- reserve o k 1
  pokeHost q (0x2C :: Word8)
  putPtr o cursorCell (q `plusPtr` 1)
{-# INLINE comma #-}

-- | A count, after which the cursor stands.
countOf :: Length -> Cells -> IO Int
countOf len c = case len of
  Length64 -> do
    p <- atHand c 8
    n <- peekLE p :: IO Int64
    when (n < 0 || n > 0x3FFFFFFF) giveUp
    putPtr c cursorCell (p `plusPtr` 8)
    pure (fromIntegral n)
  LengthVarint -> do
    n <- groups c
    when (n > 0x3FFFFFFF) giveUp
    pure (fromIntegral n)
{-# INLINE countOf #-}

-- | A LEB128 number of at most 63 bits in its shortest form, after which the cursor stands.
groups :: Cells -> IO Word64
groups c = do
  p <- getPtr c cursorCell
  e <- getPtr c endCell
  let go :: Int -> Word64 -> IO Word64
      go !i !acc
        | i >= 9 || e `minusPtr` p <= i = giveUp
        | otherwise = do
          b <- peekHost (p `plusPtr` i) :: IO Word8
          let acc' = acc .|. (fromIntegral (b .&. 127) `unsafeShiftL` (7 * i))
          if b >= 128
            then go (i + 1) acc'
            else do
              when (b == 0 && i > 0) giveUp
              putPtr c cursorCell (p `plusPtr` (i + 1))
              pure acc'
  go 0 0
