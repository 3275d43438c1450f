{-# LANGUAGE BangPatterns #-}
{-# LANGUAGE MagicHash #-}
{-# LANGUAGE UnboxedSums #-}
{-# LANGUAGE UnboxedTuples #-}

-- |
-- Module      : Ashlar.Internal.Codec.Bits
-- Description : Bits among bytes: the symbols of packed values
--
-- Note [Bits among bytes]
-- ~~~~~~~~~~~~~~~~~~~~~~~
-- A packed value has symbols, which take bits, among other parts, which take bytes. Its first bit
-- opens a byte where the output is at that moment, and takes the highest bit of it. The next bits
-- take what is left of that byte, however many bytes were written meanwhile. When it is full, the
-- next bit opens another one. At the end of the value, what is left of the open byte is zero.
--
-- So texts and numbers stay whole bytes, which are copied and read as in any other format, and yet
-- the constructors of a whole tree share their bytes. LZSS and its successors keep their flags in
-- this way. Also considered: one stream of bits (as @flat@ writes), in which each text has to be
-- shifted; all bits before all bytes, which takes two passes and the number of bits.
--
-- A symbol is one of n. It is written in truncated binary: the first u symbols in k bits, the
-- others in k + 1, where k is the logarithm of n rounded down, and u = 2^(k+1) - n. If n is a power
-- of 2, all take k bits. All codes are used, so a symbol cannot be wrong.
--
-- The open byte may have to be kept after the buffer around it is full. So a packed value is
-- written through a sink of its own ('keepingOpenByte'): it hands out what precedes the open byte,
-- and takes the open byte and all after it along to the next buffer. So output stays lazy, and what
-- is kept in memory is what lies between a byte of bits and its eighth bit. Each buffer has space
-- for at least twice as many bytes as are taken along, so writing takes linear time however late
-- the eighth bit comes. (Test "packed values through buffers of any size", allocation test "packed
-- numbers after an open bit".)
module Ashlar.Internal.Codec.Bits
  ( Pool,
    withBits,
    putSymbol,
    getWithBits,
    getSymbol,
    chargedIfIdle,
  )
where

import Ashlar.Internal.Builder.Core
import Ashlar.Internal.Get.Budget (chargeRound)
import Ashlar.Internal.Get.Bytes (ifReadsNothing)
import Ashlar.Internal.Get.Core
import Ashlar.Internal.Get.Env (Env, bitsCell)
import Ashlar.Internal.Get.Numbers (getWord8)
import Ashlar.Internal.Mem (copyRange, peekHost, plusCount, pokeHost, withBytes)
import Ashlar.Internal.Mem.Cells
import Control.Exception (throwIO)
import Control.Monad (unless, when)
import Data.Bits (countLeadingZeros, finiteBitSize, unsafeShiftL, unsafeShiftR, (.&.), (.|.))
import qualified Data.ByteString as S
import qualified Data.ByteString.Internal as B
import Data.Word (Word8)
import Foreign.Ptr (Ptr, minusPtr, plusPtr)
import GHC.Exts (Addr#, Int (I#), Int#, RealWorld, State#, (>=#))
import GHC.IO (unIO)

-- | The state of a packed value that is being written: its open byte. These cells are an array of
-- their own, beside those of the builder.
type Pool = Cells

-- The address of the open byte.
openCell :: Cell (Ptr Word8)
openCell = Cell 0

-- How many bits of it are left, from 0 (no byte is open) to 7.
roomCell :: Cell Int
roomCell = Cell 1

-- | Write a packed value.
withBits :: (Pool -> Builder) -> Builder
withBits value = action $ \c k -> withCells (cellsUpTo roomCell) $ \pool -> do
  putInt pool roomCell 0
  runOn (value pool) c (keepingOpenByte pool c k)
{-# INLINE withBits #-}

-- The sink of a packed value: Note [Bits among bytes].
keepingOpenByte :: Pool -> Cells -> Sink -> Sink
keepingOpenByte pool c (Sink answer) = Sink $ \request p -> do
  room <- getInt pool roomCell
  if room == 0 then answer request p else keeping request p
  where
    keeping request p = case request of
      More n wanted -> moved p n wanted
      Insert bs -> do
        e <- getPtr c endCell
        let n = S.length bs
        FreeSpace q e' <- if e `minusPtr` p >= n then pure (FreeSpace p e) else moved p n n
        -- There are at least n bytes.
        withBytes bs (copyRange q)
        pure (FreeSpace (q `plusPtr` n) e')
      -- Nobody can read the value before its open byte is complete.
      Flush -> FreeSpace p <$> getPtr c endCell
    -- Hand out what precedes the open byte, and continue with it in other free space, with at least
    -- n bytes after what has been written up to p. The sink may use the buffer again, hence the
    -- copy in between. As many bytes as are kept are asked for, if that is more than n, because
    -- they are copied each time. A sink that has fewer may give fewer.
    moved p n wanted = do
      open <- getPtr pool openCell
      let kept = p `minusPtr` open
          needed = plusCount kept n
          grown m = plusCount kept (max kept m)
      copy <- B.create kept (\to -> copyRange to open kept)
      FreeSpace q e <- answer (More (grown n) (grown wanted)) open
      when (e `minusPtr` q < needed) $ throwIO (SinkRefused needed (e `minusPtr` q))
      withBytes copy (copyRange q)
      putPtr pool openCell q
      pure (FreeSpace (q `plusPtr` kept) e)

-- | Write one of some symbols.
putSymbol ::
  Pool ->
  -- | How many symbols there are: at least 1, at most 65,536. A literal, after inlining.
  Int ->
  -- | Its number, from 0 on.
  Int ->
  Builder
putSymbol pool count i = action (putCode pool count i)
{-# INLINE putSymbol #-}

-- The logarithm of a positive number, rounded down. Without branches: GHC copied what follows into
-- each of them, before it knew the number, and compiled a record of ten fields for half a minute.
bitsOf :: Int -> Int
bitsOf n = finiteBitSize n - 1 - countLeadingZeros n
{-# INLINE bitsOf #-}

-- 1 if the first number is at least the second, else 0. No branch, because nothing predicts which
-- symbol comes next: with branches, random symbols take twice as long to write.
isAtLeast :: Int -> Int -> Int
isAtLeast (I# i) (I# n) = I# (i >=# n)
{-# INLINE isAtLeast #-}

-- How many symbols have the shorter code.
shortCodes :: Int -> Int
shortCodes n = 2 `unsafeShiftL` bitsOf n - n
{-# INLINE shortCodes #-}

-- Write a symbol. The highest bit comes first.
putCode :: Pool -> Int -> Int -> Cells -> Sink -> IO ()
putCode pool !count !i c k = unless (count <= 1) $ do
  room <- getInt pool roomCell
  if n <= room
    then do
      open <- getPtr pool openCell
      added open (bits `unsafeShiftL` (room - n))
      putInt pool roomCell (room - n)
    else do
      when (room > 0) $ do
        open <- getPtr pool openCell
        added open (bits `unsafeShiftR` (n - room))
        -- From here on the byte may be handed out.
        putInt pool roomCell 0
      fresh (n - room)
  where
    short = shortCodes count
    longer = isAtLeast i short
    n = bitsOf count + longer
    bits = i + longer * short
    added open b = do
      old <- peekHost open
      pokeHost open (old .|. (fromIntegral b :: Word8))
    -- Write the m lowest bits, in bytes of their own.
    fresh m = do
      p <- reserve c k 1
      putPtr c cursorCell (p `plusPtr` 1)
      if m > 8
        then do
          pokeHost p (fromIntegral (bits `unsafeShiftR` (m - 8)) :: Word8)
          fresh (m - 8)
        else do
          pokeHost p (fromIntegral (bits `unsafeShiftL` (8 - m)) :: Word8)
          putPtr pool openCell p
          putInt pool roomCell (8 - m)
{-# NOINLINE putCode #-}

-- How many bits of the open byte are left to read, and that byte. The cell has 256 * the number +
-- the byte, or 0 if no byte is open.
data BitsLeft = BitsLeft !Int !Int

getBitsLeft :: Get BitsLeft
getBitsLeft = effectOn $ \c ->
  (\n -> BitsLeft (n `unsafeShiftR` 8) (n .&. 255)) <$> getInt c bitsCell
{-# INLINE getBitsLeft #-}

putBitsLeft :: BitsLeft -> Get ()
putBitsLeft (BitsLeft room byte) = effectOn $ \c ->
  putInt c bitsCell (room `unsafeShiftL` 8 .|. byte)
{-# INLINE putBitsLeft #-}

effectOn :: (Cells -> IO a) -> Get a
effectOn f = inspect (\c _ _ -> f c)
{-# INLINE effectOn #-}

-- | Read a packed value. Fails at its end if bits are left there that are not zero.
--
-- It may stand within another one that holds it in the plain format, so the bits of that are put
-- aside, and are back after a failure, too.
getWithBits :: Get a -> Get a
getWithBits value = Get $ \p0 c env s0 -> case unIO (getInt c bitsCell) s0 of
  (# s1, outer #) -> case unIO (putInt c bitsCell 0) s1 of
    (# s2, _ #) -> case unGet (value <* noBitsLeft) p0 c env s2 of
      (# s3, p1, result #) -> case unIO (putInt c bitsCell outer) s3 of
        (# s4, _ #) -> (# s4, p1, result #)
{-# INLINE getWithBits #-}

noBitsLeft :: Get ()
noBitsLeft = do
  BitsLeft room byte <- getBitsLeft
  if lowest room byte == 0
    then pure ()
    else invalid "bits after the last one that are not zero"
{-# NOINLINE noBitsLeft #-}

-- | Read the number of a symbol.
getSymbol ::
  -- | How many symbols there are, as for 'putSymbol'.
  Int ->
  Get Int
getSymbol count
  | count <= 1 = pure 0
  | otherwise = Get $ \p0 c env s0 -> case count of
    I# n -> case symbol# n p0 c env s0 of
      (# s1, p1, -1# #) -> (# s1, p1, (# | (##) #) #)
      (# s1, p1, i #) -> (# s1, p1, (# I# i | #) #)
{-# INLINE getSymbol #-}

-- The number of a symbol, or -1 after a failure.
symbol# ::
  Int# ->
  Addr# ->
  Cells ->
  Env ->
  State# RealWorld ->
  (# State# RealWorld, Addr#, Int# #)
symbol# count# p0 c env s0 = case unGet (symbol (bitsOf n) (shortCodes n)) p0 c env s0 of
  (# s1, p1, (# I# i | #) #) -> (# s1, p1, i #)
  (# s1, p1, (# | _ #) #) -> (# s1, p1, -1# #)
  where
    n = I# count#
{-# NOINLINE symbol# #-}

symbol :: Int -> Int -> Get Int
symbol width short = do
  BitsLeft room byte <- getBitsLeft
  if room > width
    then do
      -- The longer code has width + 1 bits, which are there.
      let code = lowest (width + 1) (byte `unsafeShiftR` (room - width - 1))
          shorter = code `unsafeShiftR` 1
          longer = isAtLeast shorter short
      putBitsLeft (BitsLeft (room - width - longer) byte)
      pure $! shorter + longer * (code - short - shorter)
    else do
      shorter <- getBits 0 width
      if shorter < short
        then pure shorter
        else getBits 0 1 >>= \b -> pure $! 2 * shorter + b - short
{-# INLINE symbol #-}

-- Read n bits (0 < n < 32) after those of a number.
getBits :: Int -> Int -> Get Int
getBits !before !n = do
  BitsLeft room byte <- getBitsLeft
  if n <= room
    then do
      putBitsLeft (BitsLeft (room - n) byte)
      pure $! before `unsafeShiftL` n .|. lowest n (byte `unsafeShiftR` (room - n))
    else do
      next <- getWord8
      putBitsLeft (BitsLeft 8 (fromIntegral next))
      getBits (before `unsafeShiftL` room .|. lowest room byte) (n - room)

lowest :: Int -> Int -> Int
lowest n bits = bits .&. (1 `unsafeShiftL` n - 1)
{-# INLINE lowest #-}

-- | Run a decoder, and use a step if it has read neither bytes nor bits.
chargedIfIdle :: Get a -> Get a
chargedIfIdle g = do
  before <- effectOn (`getInt` bitsCell)
  let idle x = do
        now <- effectOn (`getInt` bitsCell)
        if now == before then x <$ chargeRound else pure x
  ifReadsNothing idle g
{-# INLINE chargedIfIdle #-}
