-- No eta-expansion: Note [Rules for decoders] in "Ashlar.Internal.Get.Core".
{-# OPTIONS_GHC -fno-do-lambda-eta-expansion #-}

-- |
-- Module      : Ashlar.Internal.Get.Bytes
-- Description : Decoders for bytes, the offset, and the end of the input
module Ashlar.Internal.Get.Bytes
  ( getByteString,
    getLazyByteString,
    satisfy,
    skip,
    bytesRead,
    isEmpty,
    ifReadsNothing,
    endOfInput,
    available,
    slice,
    foundIn,
  )
where

import Ashlar.Internal.Get.Core
import Ashlar.Internal.Get.Env
import Ashlar.Internal.Get.Error
import Ashlar.Internal.Get.Fail
import Ashlar.Internal.Get.Failure
import Ashlar.Internal.Get.Input
import Ashlar.Internal.Mem (withBytes)
import Ashlar.Internal.Mem.Cells
import Ashlar.Internal.Mem.Check (unsafeDrop, unsafeTake)
import Data.ByteString (ByteString)
import qualified Data.ByteString as S
import qualified Data.ByteString.Lazy as L
import Data.IORef (readIORef)
import Data.Int (Int64)
import Data.Word (Word8)
import Foreign.Ptr (minusPtr)

-- | @n@ bytes. A negative number fails.
--
-- If the bytes lie in one chunk of the input, the result is a slice of it, which keeps the memory
-- of that chunk alive ('Data.ByteString.copy' it if that is not wanted). If not, they are copied
-- into memory that is allocated after all of them have arrived.
getByteString :: Int -> Get ByteString
getByteString n
  | n > 0 = need n *> slice n
  | n == 0 = pure S.empty
  | otherwise = invalid "getByteString: negative number of bytes"

-- | @n@ bytes as a lazy 'L.ByteString', whose chunks are slices of those of the input. A negative
-- number fails.
getLazyByteString :: Int64 -> Get L.ByteString
getLazyByteString n
  | n < 0 = invalid "getLazyByteString: negative number of bytes"
  -- (An Int of 32 bits may not hold the number. No input has as many bytes then.)
  | otherwise = do
    let needed = fromIntegral (min n (fromIntegral (maxBound :: Int)))
        slices left acc
          | left == 0 = pure (L.fromChunks (reverse acc))
          | otherwise = do
            _ <- moreInput
            bs <- available >>= slice . min left
            slices (left - S.length bs) (bs : acc)
    require needed *> slices needed []

-- | The first bytes of a string, for an error about it.
foundIn :: ByteString -> Get Found
foundIn bs = effect (withBytes bs peekFound)

-- | The next n bytes, which must lie between cursor and end.
slice :: Int -> Get ByteString
slice n = do
  bs <- inspect $ \c env p -> do
    start <- getPtr c segmentStartCell
    open <- currentSegment env
    -- The cursor is in the current segment.
    pure $! unsafeTake n (unsafeDrop (p `minusPtr` start) open)
  bs <$ moveBy n
{-# INLINE slice #-}

-- The current segment. (It is boxed already. Not inlined, because the code for both kinds of
-- environment would make 'getByteString' too large to be inlined.)
currentSegment :: Env -> IO ByteString
currentSegment env = case env of
  InputOnly bs -> pure bs
  NoInput -> pure S.empty
  Env input _ _ _ -> segmentCurrent <$> readIORef (inputSegments input)
{-# NOINLINE currentSegment #-}

-- | The next byte, if a predicate holds of it. If not, the error is at this byte, and says that a
-- byte was expected that @satisfy@ accepts: give it a better name with 'Ashlar.Get.<?>'.
--
-- >>> let digit = satisfy (\w -> w >= 48 && w <= 57) <?> "digit"
-- >>> runGet (many digit) "12x"
-- Right [49,50]
-- >>> either (putStrLn . displayException) print (runGet (many digit <* endOfInput) "12x")
-- at byte 2: expected digit or the end of the input
--   00000000  31 32 78                                          |12x|
--                   ^^
satisfy :: (Word8 -> Bool) -> Get Word8
satisfy ok = guardedGet ok (Expectation [acceptedBySatisfy]) takeByte
{-# INLINE satisfy #-}

acceptedBySatisfy :: String
acceptedBySatisfy = "a byte that satisfy accepts"
{-# NOINLINE acceptedBySatisfy #-}

-- | Skip @n@ bytes, in constant memory. A negative number fails.
skip :: Int -> Get ()
skip n
  | n >= 0 = available >>= \left -> if left >= n then moveBy n else skipInput n
  | otherwise = invalid "skip: negative number of bytes"
{-# INLINE skip #-}

-- | The number of bytes from the start of the stream to here, whatever the chunks.
bytesRead :: Get Int64
bytesRead = fromIntegral <$> here

-- | Does the input (or the innermost 'Ashlar.Get.isolate') end here? If no byte is at hand, this
-- asks the source for more.
isEmpty :: Get Bool
isEmpty = available >>= \left -> if left > 0 then pure False else not <$> moreInput

-- | Run a decoder. If it has read nothing, continue with the function, given the value.
ifReadsNothing :: (a -> Get a) -> Get a -> Get a
ifReadsNothing then' g = do
  before <- here
  a <- g
  now <- here
  if now == before then then' a else pure a
{-# INLINE ifReadsNothing #-}

-- | Fail unless 'isEmpty'.
endOfInput :: Get ()
endOfInput = do
  end <- isEmpty
  if end then pure () else failExpecting "the end of the input" 1 TrailingInput

-- | The number of bytes that can be read without asking the source. It depends on how the input is
-- cut into chunks. So it may decide how much memory to allocate, but not what the result is
-- (INV-G2).
available :: Get Int
available = inspect (\c _ p -> (`minusPtr` p) <$> getPtr c endCell)
{-# INLINE available #-}
