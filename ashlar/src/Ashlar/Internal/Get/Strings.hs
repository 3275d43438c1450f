{-# LANGUAGE MagicHash #-}
{-# LANGUAGE UnboxedSums #-}
{-# LANGUAGE UnboxedTuples #-}

-- |
-- Module      : Ashlar.Internal.Get.Strings
-- Description : Decoders for strings of various kinds, and for nested parts
module Ashlar.Internal.Get.Strings
  ( -- * Strings of bytes
    getByteStringCopy,
    getShortByteString,
    getByteStringNul,
    getLazyByteStringNul,
    getRemainingByteString,
    getRemainingLazyByteString,

    -- * Text
    getTextUtf8,
    getRemainingTextUtf8,

    -- * Parts with their length before them
    getNested,
  )
where

import Ashlar.Internal.Get.Budget (isolateOr, leftOver)
import Ashlar.Internal.Get.Bytes
import Ashlar.Internal.Get.Core
import Ashlar.Internal.Get.Error
import Ashlar.Internal.Get.Fail
import Ashlar.Internal.Get.Failure (Found, peekFound)
import Ashlar.Internal.Get.Input
import Ashlar.Internal.Get.Limits (asValue)
import Ashlar.Internal.Get.Scan
import Ashlar.Internal.Mem (withBytes)
import Ashlar.Internal.Prim.Text (decodeUtf8At)
import Data.ByteString (ByteString)
import qualified Data.ByteString as S
import qualified Data.ByteString.Lazy as L
import Data.ByteString.Short (ShortByteString)
import qualified Data.ByteString.Short as SBS
import Data.Text (Text)
import Data.Word (Word8)
import Foreign.Ptr (Ptr, minusPtr, plusPtr)
import GHC.Exts (Int (I#))
import GHC.IO (IO (..))

-- | @n@ bytes, copied: the result does not keep the input's memory alive. ('getByteString' returns
-- a slice.) A negative number fails.
getByteStringCopy :: Int -> Get ByteString
getByteStringCopy n = getByteString n >>= \bs -> pure $! S.copy bs

-- | @n@ bytes, copied into memory that is not pinned. A negative number fails.
getShortByteString :: Int -> Get ShortByteString
getShortByteString n = getByteString n >>= \bs -> pure $! SBS.toShort bs

-- | The bytes up to a zero byte, which is read and left out. A slice of the input, if they lie in
-- one chunk. Fails if there is no zero byte.
--
-- >>> runGet ((,) <$> getByteStringNul <*> getWord8) "ab\0c"
-- Right ("ab",99)
getByteStringNul :: Get ByteString
getByteStringNul = do
  at <- here
  bs <- takeTillByte 0
  endNul at bs
  pure bs

-- | 'getByteStringNul' as a lazy 'L.ByteString', whose chunks are slices of those of
-- the input.
getLazyByteStringNul :: Get L.ByteString
getLazyByteStringNul = do
  at <- here
  bs <- chunksBy (\p e -> (\(Scanned q ()) -> q) <$> byteScanner 0 () p e)
  endNul at (L.toStrict (L.take 16 bs))
  pure bs

-- The zero byte after a string.
endNul ::
  -- The offset of the string.
  Int ->
  -- Its first bytes.
  ByteString ->
  Get ()
endNul at start =
  nextCode >>= \i ->
    if i >= 0
      then moveBy 1
      else do
        end <- here
        found <- foundIn start
        failWith end at found (MissingInput (end - at + 1) (end - at))

-- | All that is left (of the innermost 'Ashlar.Get.isolate', too). A slice of the input, if it
-- lies in one chunk.
getRemainingByteString :: Get ByteString
getRemainingByteString = takeScanned const () (\_ _ e -> pure (Scanned e ()))

-- | All that is left (of the innermost 'Ashlar.Get.isolate', too), as slices of the input's
-- chunks. It is there when the input has ended, not before.
getRemainingLazyByteString :: Get L.ByteString
getRemainingLazyByteString = chunksBy (\_ e -> pure e)

-- Slices up to where a scanner stops inside of one, or the input ends.
chunksBy :: (Ptr Word8 -> Ptr Word8 -> IO (Ptr Word8)) -> Get L.ByteString
chunksBy scanner = asValue (go [])
  where
    go acc = moreInput >>= \more -> if more then on acc else finish acc
    on acc = do
      Range p e <- range
      q <- effect (scanner p e)
      bs <- slice (q `minusPtr` p)
      -- L.fromChunks drops empty ones.
      if q == e then go (bs : acc) else finish (bs : acc)
    finish acc = pure $! L.fromChunks (reverse acc)

-- | A text from @n@ bytes of UTF-8. A copy. A negative number fails, and so does anything but UTF-8
-- (RFC 3629: also overlong forms and surrogates). The error is at the first byte that belongs to no
-- character.
--
-- >>> runGet (getTextUtf8 3) "a\xC3\xA4"
-- Right "a\228"
-- >>> either errorOffset (const 0) (runGet (getTextUtf8 3) "ab\xC3")
-- 2
getTextUtf8 :: Int -> Get Text
getTextUtf8 n
  | n < 0 = invalid "getTextUtf8: negative number of bytes"
  | otherwise = consumeShared n (\p -> textAt p n)
-- (A call would be one of a function that is not known, which makes a partial application. GHC 9.10
-- does not inline it by itself.)
{-# INLINE getTextUtf8 #-}

-- | All that is left (of the innermost 'Ashlar.Get.isolate', too) as text, as with 'getTextUtf8'.
getRemainingTextUtf8 :: Get Text
getRemainingTextUtf8 = do
  at <- here
  bs <- getRemainingByteString
  text <- effect . withBytes bs $ \p n -> IO $ \s -> case decodeUtf8At p n s of
    (# s1, (# t | #) #) -> (# s1, Right t #)
    (# s1, (# | good #) #) -> (# s1, Left (I# good) #)
  case text of
    Right t -> pure t
    Left good -> do
      found <- foundIn (S.drop good bs)
      malformed at (S.length bs) good found
{-# NOINLINE getRemainingTextUtf8 #-}

-- The text of n bytes at an address, of which the first is not read yet.
textAt :: Ptr Word8 -> Int -> Get Text
textAt p n = Get $ \p0 c env s -> case decodeUtf8At p n s of
  (# s1, (# t | #) #) -> (# s1, p0, (# t | #) #)
  (# s1, (# | good #) #) -> unGet (malformedAt p n (I# good)) p0 c env s1
{-# INLINE textAt #-}

malformedAt :: Ptr Word8 -> Int -> Int -> Get a
malformedAt p n good = do
  -- No more than n bytes are good.
  found <- effect (peekFound (p `plusPtr` good) (n - good))
  here >>= \at -> malformed at n good found
{-# NOINLINE malformedAt #-}

-- Of n bytes from an offset on, these are good, and those after them are not.
malformed :: Int -> Int -> Int -> Found -> Get a
malformed at n good found = failWith (at + n) (at + good) found (Invalid "invalid UTF-8")
{-# NOINLINE malformed #-}

-- | @getNested len p@ reads a length in bytes with @len@, and then runs @p@ on that many bytes
-- alone, as by 'Ashlar.Get.isolate'.
--
-- If the input ends before the part does, and @p@ does not fail by itself, the error is at the
-- beginning of the part, as with 'getByteString'.
--
-- >>> runGet (getNested (fromIntegral <$> getWord8) getRemainingByteString) "\2abc"
-- Right "ab"
-- >>> let part = getNested (fromIntegral <$> getWord8) getRemainingByteString
-- >>> either (putStrLn . displayException) print (runGet part "\3ab")
-- at byte 1: 3 bytes needed, 2 left
--   00000000  03 61 62                                          |.ab|
--                ^^
getNested :: Get Int -> Get a -> Get a
getNested len p = len >>= \n -> isolateOr (leftOver (\left have -> (n, n - left + have)) n) n p
{-# INLINE getNested #-}
