{-# LANGUAGE BangPatterns #-}

-- |
-- Module      : Ashlar.Schema.Internal.Evolution.Extent
-- Description : Copying and leaving out parts that state their length
module Ashlar.Schema.Internal.Evolution.Extent
  ( Run,
    Code (..),
    repeated,
    needed,
    advanced,
    copyFew,
    extent,
    copyBlock,
    tooLong,
    rewriteCount,
    counted,
    negative,
    skipHere,
    groups,
    leb,
  )
where

import Ashlar.Internal.Get.Core
import Ashlar.Internal.Get.Fail (invalidAt)
import Ashlar.Internal.Mem (copyRange, copyShort, peekHost, peekLE, pokeHost, withBytesQuick)
import Ashlar.Internal.Mem.Cells
import Ashlar.Schema.Internal.Evolution.Op
import Ashlar.Schema.Internal.Evolution.Output
import Ashlar.Schema.Internal.Types (Length (..))
import Control.Monad (when)
import Data.Bits (unsafeShiftL, (.&.), (.|.))
import qualified Data.ByteString as B
import Data.Int (Int64)
import Data.Word (Word64, Word8)
import Foreign.Ptr (Ptr, plusPtr)

-- | Read from the cursor, and write to the output.
type Run = Out -> Get ()

-- | A 'Run' in a box: see Note [Compiled once].
data Code = Code Run

{- HLINT ignore Code "Use newtype instead of data" -}

-- | Some steps, n times.
repeated :: Int -> Run -> Run
repeated n element out = go 0
  where
    go !i
      | i >= n = pure ()
      | otherwise = element out >> go (i + 1)
{-# NOINLINE repeated #-}

-- | Make sure of n bytes, and return their address.
needed :: Int -> Get (Ptr Word8)
needed n = need n *> cursor
{-# INLINE needed #-}

-- | Set the cursors of the input and the output.
advanced :: Ptr Word8 -> Out -> Ptr Word8 -> Get ()
advanced p (Out o _ _) q = effect (putPtr o outCursor q) *> moveTo p
{-# INLINE advanced #-}

-- | Short copies without a call.
copyFew :: Ptr Word8 -> Ptr Word8 -> Int -> IO ()
copyFew q p n
  | n == 8 = (peekHost p :: IO Word64) >>= pokeHost q
  | n == 1 = (peekHost p :: IO Word8) >>= pokeHost q
  | n <= 16 = copyShort q p n
  | n <= 32 = copyShort q p 16 >> copyShort (q `plusPtr` (n - 16)) (p `plusPtr` (n - 16)) 16
  | otherwise = copyRange q p n
{-# INLINE copyFew #-}

-- | Copy or leave out n bytes, once they are there.
extent :: Bool -> Out -> Int -> Get ()
extent keep out n = do
  p <- needed n
  if keep
    then do
      q <- reserve True out n
      effect (copyFew q p n)
      advanced (p `plusPtr` n) out (q `plusPtr` n)
    else moveTo (p `plusPtr` n)
{-# INLINE extent #-}

-- | Copy a count of eight bytes, and that many elements of a constant size of at least one byte.
copyBlock :: Int -> Run
copyBlock !width out = do
  p <- needed 8
  n <- effect (peekLE p :: IO Int64)
  when (n < 0) $ invalidAt p 8 (negative n)
  when (n > fromIntegral most) tooLong
  extent True out (8 + fromIntegral n * width)
  where
    most = if width == 1 then maxBound - 16 else (maxBound - 16) `quot` width

-- | Fail because of a length that no input has.
tooLong :: Get a
tooLong = invalid "a length that does not fit"
{-# NOINLINE tooLong #-}

-- | Leave out the old count, which takes h bytes, and write n as the new one.
rewriteCount :: Length -> Out -> Int -> Int -> Get ()
rewriteCount to out@(Out o _ _) h n = do
  q <- reserve False out (B.length bs)
  effect $ do
    withBytesQuick bs (\p k -> copyRange q p k)
    putPtr o outCursor (q `plusPtr` B.length bs)
  skipHere h
  where
    bs = countBytes to n

-- | Leave out bytes.
skipHere :: Int -> Get ()
skipHere h = need h *> moveBy h

-- | A count: how many bytes it takes, and the number. The cursor stays.
counted :: Length -> Int -> Get (Int, Int)
counted len fewest = do
  found@(_, n) <- case len of
    Length64 -> do
      p <- needed 8
      n <- effect (peekLE p :: IO Int64)
      when (n < 0) $ invalidAt p 8 (negative n)
      when (fromIntegral (fromIntegral n :: Int) /= n) $
        invalidAt p 8 "a length that does not fit"
      pure (8, fromIntegral n)
    LengthVarint -> leb "a length that does not fit"
  when (n < fewest) $ invalid "NonEmpty: no elements"
  pure found

-- | The message for a negative length.
negative :: Int64 -> String
negative n = "negative length " ++ show n
{-# NOINLINE negative #-}

-- | The number of bytes of a LEB128 number. The cursor stays.
groups :: Int -> Get Int
groups !i
  | i >= 10 = invalid "a varint of more than 10 bytes"
  | otherwise = do
    p <- needed (i + 1)
    b <- effect (peekHost (p `plusPtr` i) :: IO Word8)
    if b < 128 then pure (i + 1) else groups (i + 1)

-- | A LEB128 number that is not negative: how many bytes it takes, and the number.
leb :: String -> Get (Int, Int)
leb message = go 0 0
  where
    go :: Int -> Word64 -> Get (Int, Int)
    go !i !acc
      | i >= 9 = invalid message
      | otherwise = do
        p <- needed (i + 1)
        b <- effect (peekHost (p `plusPtr` i) :: IO Word8)
        let acc' = acc .|. (fromIntegral (b .&. 127) `unsafeShiftL` (7 * i))
        if b >= 128
          then go (i + 1) acc'
          else
            if b == 0 && i > 0
              then invalid "a varint that is not in its shortest form"
              else
                if acc' > fromIntegral (maxBound `quot` 4 :: Int)
                  then invalid message
                  else pure (i + 1, fromIntegral acc')
