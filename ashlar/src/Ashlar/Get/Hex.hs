{-# LANGUAGE Trustworthy #-}

-- |
-- Module      : Ashlar.Get.Hex
-- Description : Decoders for bytes in hexadecimal
--
-- Two digits for each byte, in either case. "Ashlar.Builder.Hex" writes them. A number in
-- hexadecimal is 'Ashlar.Get.Parse.hexadecimal'.
module Ashlar.Get.Hex
  ( getHex,
    takeHex,
    decodeHex,
  )
where

import Ashlar.Internal.Get.Bytes (foundIn, getByteString)
import Ashlar.Internal.Get.Core
import Ashlar.Internal.Get.Error
import Ashlar.Internal.Get.Fail
import Ashlar.Internal.Get.Refuse
import Ashlar.Internal.Get.Run (runGet)
import Ashlar.Internal.Get.Scan
import Ashlar.Internal.Mem
import Ashlar.Internal.Prim.HexBytes
import Data.ByteString (ByteString)
import qualified Data.ByteString as S
import qualified Data.ByteString.Unsafe as S
import Foreign.ForeignPtr.Unsafe (unsafeForeignPtrToPtr)
import Foreign.Ptr (minusPtr, plusPtr)
import System.IO.Unsafe (unsafeDupablePerformIO)

-- | The bytes that @n@ hexadecimal digits stand for, two digits a byte, in either case. A negative
-- number fails.
--
-- The error is at the first character that is no digit, or at the end if the number of digits is
-- odd.
--
-- >>> runGet (getHex 6) "000aFF"
-- Right "\NUL\n\255"
-- >>> either (putStrLn . displayException) print (runGet (getHex 4) "12 4")
-- at byte 2: invalid hexadecimal digit
--   00000000  31 32 20 34                                       |12 4|
--                   ^^
--
-- @since 0.1.0.0
getHex :: Int -> Get ByteString
getHex n
  | n < 0 = invalid "getHex: negative number of digits"
  | otherwise = here >>= \at -> getByteString n >>= decoded at

-- | The bytes that the next hexadecimal digits stand for: all up to the first character that is
-- none. Fails, after the last digit, if their number is odd.
--
-- >>> runGetRest takeHex "000aFF;00"
-- Right ("\NUL\n\255",";00")
--
-- @since 0.1.0.0
takeHex :: Get ByteString
takeHex = here >>= \at -> takeScanned const () (\_ p e -> scanner p e) >>= decoded at
  where
    scanner p e = do
      n <- hexSpan p (e `minusPtr` p)
      pure (Scanned (p `plusPtr` n) ())

-- | The bytes that a string of hexadecimal digits stands for. Errors are as of 'getHex'.
--
-- >>> decodeHex "000aFF"
-- Right "\NUL\n\255"
--
-- @since 0.1.0.0
decodeHex :: ByteString -> Either DecodeError ByteString
decodeHex bs = case unsafeDupablePerformIO (converted bs) of
  Right r -> Right r
  -- Only an error needs a run.
  Left _ -> runGet (getHex (S.length bs)) bs

-- The bytes of digits that have this offset.
decoded :: Int -> ByteString -> Get ByteString
decoded at bs = step $ \c env -> do
  result <- converted bs
  case result of
    Right r -> pure r
    Left i -> do
      let (examined, message)
            | i == S.length bs = (0, "invalid hexadecimal: an odd number of digits")
            | otherwise = (1, "invalid hexadecimal digit")
      found <- foundIn (S.take examined (S.unsafeDrop i bs))
      failWith c env (at + S.length bs) (at + i) found (Invalid message)

-- The bytes of digits, or the index at which they are wrong.
converted :: ByteString -> IO (Either Int ByteString)
converted bs = do
  let n = S.length bs
      bytes = n `quot` 2
  buffer <- newBuffer bytes
  let p = unsafeForeignPtrToPtr buffer
  -- n characters are readable, and half as many bytes writable.
  good <- withBytesQuick bs (\src _ -> readHex p src bytes)
  if good == n
    then pure (Right $! sliceBuffer buffer p (p `plusPtr` bytes))
    else
      if good == 2 * bytes
        then -- The last digit has no other, and may be none.
          withBytesQuick bs (\src _ -> Left . (good +) <$> hexSpan (src `plusPtr` good) 1)
        else pure (Left good)
