{-# LANGUAGE BangPatterns #-}

-- |
-- Module      : Ashlar.Schema.Internal.Evolution.Extent
-- Description : Copying and leaving out what says how long it is
module Ashlar.Schema.Internal.Evolution.Extent
  ( Run,
    Code (..),
    repeated,
    run,
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
import Ashlar.Internal.Get.Env
import Ashlar.Internal.Get.Input (demand)
import Ashlar.Internal.Get.Fail (invalid, invalidAt)
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
import Foreign.Ptr (Ptr, minusPtr, plusPtr)
import GHC.IO (IO (..))

-- | Read from the cursor, and write to the output.
type Run = Cells -> Env -> Out -> IO ()

-- | In a box: see Note [Compiled once].
data Code = Code Run

{- HLINT ignore Code "Use newtype instead of data" -}

-- | Some steps, n times.
repeated :: Int -> Run -> Run
repeated n element c env out = go 0
  where
    go !i
      | i >= n = pure ()
      | otherwise = element c env out >> go (i + 1)
{-# NOINLINE repeated #-}

-- | A decoder as an action.
run :: Get a -> Cells -> Env -> IO a
run g c env = IO (unGet g c env)
{-# INLINE run #-}

-- Note [Nothing in boxes]
-- ~~~~~~~~~~~~~~~~~~~~~~~
-- What a step does takes a few nanoseconds, so it must not allocate. An address that is either the
-- cursor or what a call returned would be in a box where the two meet: GHC makes that join point
-- after it has unboxed what it can. So the cursor is loaded again there.

-- | 'need', without a box.
needed :: Cells -> Env -> Int -> IO (Ptr Word8)
needed c env n = do
  p <- getPtr c cursorCell
  e <- getPtr c endCell
  when (e `minusPtr` p < n) $ demand c env n
  getPtr c cursorCell
{-# INLINE needed #-}

-- | Move on in the input and the output.
advanced :: Cells -> Ptr Word8 -> Out -> Ptr Word8 -> IO ()
advanced c p (Out o _ _) q = putPtr c cursorCell p >> putPtr o outCursor q
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
extent :: Bool -> Cells -> Env -> Out -> Int -> IO ()
extent keep c env out n = do
  p <- needed c env n
  if keep
    then do
      q <- reserve True c env out n
      copyFew q p n
      advanced c (p `plusPtr` n) out (q `plusPtr` n)
    else putPtr c cursorCell (p `plusPtr` n)
{-# INLINE extent #-}

-- | Copy a count of eight bytes, and as many times a number of bytes, which is at least one.
copyBlock :: Int -> Cells -> Env -> Out -> IO ()
copyBlock !width c env out = do
  p <- needed c env 8
  n <- peekLE p :: IO Int64
  when (n < 0) $ run (invalidAt p 8 (negative n)) c env
  when (n > fromIntegral most) $ tooLong c env
  extent True c env out (8 + fromIntegral n * width)
  where
    most = if width == 1 then maxBound - 16 else (maxBound - 16) `quot` width

-- | Fail because of a length that no input has.
tooLong :: Cells -> Env -> IO ()
tooLong = run (invalid "a length that does not fit")
{-# NOINLINE tooLong #-}

-- | Write a count in another way. The old one takes that many bytes.
rewriteCount :: Length -> Cells -> Env -> Out -> Int -> Int -> IO ()
rewriteCount to c env out@(Out o _ _) h n = do
  q <- reserve False c env out (B.length bs)
  withBytesQuick bs (\p k -> copyRange q p k)
  putPtr o outCursor (q `plusPtr` B.length bs)
  p <- needed c env h
  putPtr c cursorCell (p `plusPtr` h)
  where
    bs = countBytes to n

-- | Leave out bytes.
skipHere :: Int -> Get ()
skipHere h = step $ \c env -> do
  p <- needed c env h
  putPtr c cursorCell (p `plusPtr` h)

-- | A count: how many bytes it takes, and the number. The cursor stays.
counted :: Length -> Int -> Cells -> Env -> IO (Int, Int)
counted len fewest c env = do
  found@(_, n) <- case len of
    Length64 -> do
      p <- needed c env 8
      n <- peekLE p :: IO Int64
      when (n < 0) $ run (invalidAt p 8 (negative n)) c env
      when (fromIntegral (fromIntegral n :: Int) /= n) $
        run (invalidAt p 8 "a length that does not fit") c env
      pure (8, fromIntegral n)
    LengthVarint -> leb c env "a length that does not fit"
  when (n < fewest) $ run (invalid "NonEmpty: no elements") c env
  pure found

-- | The message for a negative length.
negative :: Int64 -> String
negative n = "negative length " ++ show n
{-# NOINLINE negative #-}

-- | The bytes of a LEB128 number. The cursor stays.
groups :: Cells -> Env -> Int -> IO Int
groups c env !i
  | i >= 10 = run (invalid "a varint of more than 10 bytes") c env
  | otherwise = do
    p <- needed c env (i + 1)
    b <- peekHost (p `plusPtr` i) :: IO Word8
    if b < 128 then pure (i + 1) else groups c env (i + 1)

-- | A LEB128 number that is not negative: how many bytes it takes, and the number.
leb :: Cells -> Env -> String -> IO (Int, Int)
leb c env message = go 0 0
  where
    go :: Int -> Word64 -> IO (Int, Int)
    go !i !acc
      | i >= 9 = run (invalid message) c env
      | otherwise = do
        p <- needed c env (i + 1)
        b <- peekHost (p `plusPtr` i) :: IO Word8
        let acc' = acc .|. (fromIntegral (b .&. 127) `unsafeShiftL` (7 * i))
        if b >= 128
          then go (i + 1) acc'
          else
            if b == 0 && i > 0
              then run (invalid "a varint that is not in its shortest form") c env
              else
                if acc' > fromIntegral (maxBound `quot` 4 :: Int)
                  then run (invalid message) c env
                  else pure (i + 1, fromIntegral acc')
