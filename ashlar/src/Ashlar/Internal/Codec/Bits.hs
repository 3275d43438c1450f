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
import Ashlar.Internal.Mem (copyRange, plusCount, pokeHost, withBytes)
import Ashlar.Internal.Mem.Cells
import Control.Exception (throwIO)
import Control.Monad (unless, when)
import Data.Bits
  ( countLeadingZeros,
    countTrailingZeros,
    finiteBitSize,
    unsafeShiftL,
    unsafeShiftR,
    (.&.),
    (.|.),
  )
import qualified Data.ByteString as S
import qualified Data.ByteString.Internal as B
import Data.Word (Word8)
import Foreign.Ptr (Ptr, minusPtr, plusPtr)
import GHC.Exts (Addr#, Int (I#), Int#, RealWorld, State#, (>=#))
import GHC.IO (unIO)

-- Note [Bits and a mark]
-- ~~~~~~~~~~~~~~~~~~~~~~
-- The bits of the open byte are in a cell, and the byte is written when it is full. To add bits is
-- to shift the cell and fill it up, so the cell needs to know how many there are. A 1 before the
-- bits tells: 1, and k bits, from 2^k to 2^(k+1) - 1. While no byte is open, the cell is 256, as if
-- a byte were full. So if the cell is below 256 after the shift, the bits had space, and that is
-- the only test. A decoder has its bits at the top of a word, and a 1 after them. It is 0, or only
-- that 1, if none are left. So if the word is not 0 after a shift, the bits were there.
--
-- This test is inlined. A call takes over at the edges of bytes. By calls for all symbols, a tree
-- of small numbers took 1.6 times as long to write, and 1.3 to read. (Benchmarks "Packed".)

-- | The state of a packed value that is being written: its open byte. These cells are an array of
-- their own, beside those of the builder.
type Pool = Cells

-- The address of the open byte. Nothing has been written there yet.
openCell :: Cell (Ptr Word8)
openCell = Cell 0

-- A 1, and the bits of the open byte; 256 if no byte is open: Note [Bits and a mark].
filledCell :: Cell Int
filledCell = Cell 1

noneOpen :: Int
noneOpen = 256

-- | Write a packed value.
withBits :: (Pool -> Builder) -> Builder
withBits value = action $ \c k -> withCells (cellsUpTo filledCell) $ \pool -> do
  putInt pool filledCell noneOpen
  runOn (value pool) c (keepingOpenByte pool c k)
  filled <- getInt pool filledCell
  unless (filled == noneOpen) $ do
    open <- getPtr pool openCell
    pokeHost open (fromIntegral (filled `unsafeShiftL` (8 - bitsOf filled)) :: Word8)
{-# INLINE withBits #-}

-- The sink of a packed value: Note [Bits among bytes].
keepingOpenByte :: Pool -> Cells -> Sink -> Sink
keepingOpenByte pool c (Sink answer) = Sink $ \request p -> do
  filled <- getInt pool filledCell
  if filled == noneOpen then answer request p else keeping request p
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
putSymbol pool count i
  | count <= 1 = empty
  | otherwise = action $ \c k -> do
    before <- getInt pool filledCell
    let longer = if isPower count then 0 else isAtLeast i (shortCodes count)
        n = bitsOf count + longer
        after = before `unsafeShiftL` n .|. (i + longer * shortCodes count)
    if after < noneOpen then putInt pool filledCell after else filledUp pool after n c k
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

-- Do all symbols have codes of one length?
isPower :: Int -> Bool
isPower n = n .&. (n - 1) == 0
{-# INLINE isPower #-}

-- Complete the open byte, if there is one, and write what is left in bytes of its own. Given what
-- the cell would be, with n bits more than it has.
filledUp :: Pool -> Int -> Int -> Cells -> Sink -> IO ()
filledUp pool after n c k
  | after `unsafeShiftR` n == noneOpen = fresh n
  | otherwise = do
    open <- getPtr pool openCell
    pokeHost open (fromIntegral (after `unsafeShiftR` left) :: Word8)
    -- From here on the byte may be handed out.
    putInt pool filledCell noneOpen
    fresh left
  where
    left = bitsOf after - 8
    -- Write the m lowest bits. A byte that they fill is written at once.
    fresh m = when (m > 0) $ do
      p <- reserve c k 1
      putPtr c cursorCell (p `plusPtr` 1)
      if m >= 8
        then do
          pokeHost p (fromIntegral (after `unsafeShiftR` (m - 8)) :: Word8)
          fresh (m - 8)
        else do
          putPtr pool openCell p
          putInt pool filledCell (1 `unsafeShiftL` m .|. lowest m after)
{-# NOINLINE filledUp #-}

-- What is left of the open byte, from the highest bit of the word on, and a 1, as
-- Note [Bits and a mark] says.
getBitsLeft :: Get Word
getBitsLeft = effectOn (\c -> fromIntegral <$> getInt c bitsCell)
{-# INLINE getBitsLeft #-}

putBitsLeft :: Word -> Get ()
putBitsLeft bits = effectOn (\c -> putInt c bitsCell (fromIntegral bits))
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
  bits <- getBitsLeft
  -- No bit is set but the 1 after them.
  if bits .&. (bits - 1) == 0
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
  | otherwise = do
    bits <- getBitsLeft
    -- A longer code has one bit more than the shorter ones, which are read if both are there.
    let most = if isPower count then width else width + 1
        code = topmost most bits
        shorter = if isPower count then code else code `unsafeShiftR` 1
        longer = if isPower count then 0 else isAtLeast shorter short
    if bits `unsafeShiftL` most /= 0
      then do
        putBitsLeft (bits `unsafeShiftL` (width + longer))
        pure $! shorter + longer * (code - short - shorter)
      else symbolApart count
  where
    width = bitsOf count
    short = shortCodes count
{-# INLINE getSymbol #-}

-- The number of a symbol at the edge of a byte.
symbolApart :: Int -> Get Int
symbolApart (I# n) = Get $ \p0 c env s0 -> case symbol# n p0 c env s0 of
  (# s1, p1, -1# #) -> (# s1, p1, (# | (##) #) #)
  (# s1, p1, i #) -> (# s1, p1, (# I# i | #) #)
{-# INLINE symbolApart #-}

-- The same, or -1 after a failure.
symbol# ::
  Int# ->
  Addr# ->
  Cells ->
  Env ->
  State# RealWorld ->
  (# State# RealWorld, Addr#, Int# #)
symbol# count# p0 c env s0 = case unGet symbol p0 c env s0 of
  (# s1, p1, (# I# i | #) #) -> (# s1, p1, i #)
  (# s1, p1, (# | _ #) #) -> (# s1, p1, -1# #)
  where
    short = shortCodes (I# count#)
    symbol = do
      shorter <- getBits 0 (bitsOf (I# count#))
      if shorter < short
        then pure shorter
        else getBits 0 1 >>= \b -> pure $! 2 * shorter + b - short
{-# NOINLINE symbol# #-}

-- Read n bits (0 < n < 32) after those of a number.
getBits :: Int -> Int -> Get Int
getBits !before !n = do
  bits <- getBitsLeft
  let left = if bits == 0 then 0 else finiteBitSize bits - 1 - countTrailingZeros bits
  if n <= left
    then do
      putBitsLeft (bits `unsafeShiftL` n)
      pure $! before `unsafeShiftL` n .|. topmost n bits
    else do
      next <- getWord8
      putBitsLeft ((2 * fromIntegral next + 1) `unsafeShiftL` (finiteBitSize bits - 9))
      getBits (before `unsafeShiftL` left .|. topmost left bits) (n - left)

-- The n highest bits (n may be 0) of a word.
topmost :: Int -> Word -> Int
topmost n bits = fromIntegral ((bits `unsafeShiftR` 1) `unsafeShiftR` (finiteBitSize bits - 1 - n))
{-# INLINE topmost #-}

lowest :: Int -> Int -> Int
lowest n bits = bits .&. (1 `unsafeShiftL` n - 1)
{-# INLINE lowest #-}

-- | Run a decoder, and use a step if it has read neither bytes nor bits.
chargedIfIdle :: Get a -> Get a
chargedIfIdle g = do
  before <- getBitsLeft
  let idle x = getBitsLeft >>= \now -> if now == before then x <$ chargeRound else pure x
  ifReadsNothing idle g
{-# INLINE chargedIfIdle #-}
