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

import Ashlar.Internal.Get.Core
import Ashlar.Internal.Get.Encoded
import Ashlar.Internal.Get.Error
import Ashlar.Internal.Get.Scan
import Ashlar.Internal.Prim.Hex (hexSpan, readHex)
import Data.ByteString (ByteString)
import Foreign.Ptr (minusPtr, plusPtr)

-- | The bytes that @n@ hexadecimal digits stand for, two digits a byte, in either case. A negative
-- number fails.
--
-- The error is at the first character that is not a digit, or at the end if the number of digits is
-- odd.
--
-- >>> runGet (getHex 6) "000aFF"
-- Right "\NUL\n\255"
-- >>> either (putStrLn . displayException) print (runGet (getHex 4) "12 4")
-- at byte 2: invalid hexadecimal digit
--   00000000  31 32 20 34                                       |12 4|
--                   ^^
getHex :: Int -> Get ByteString
getHex = getEncoded hex

-- | The bytes that the next hexadecimal digits stand for: all up to the first other character.
-- Fails, after the last digit, if their number is odd.
--
-- >>> runGetRest takeHex "000aFF;00"
-- Right ("\NUL\n\255",";00")
takeHex :: Get ByteString
takeHex = here >>= \at -> takeScanned const () (\_ p e -> scanner p e) >>= decodedFrom hex at
  where
    scanner p e = do
      n <- hexSpan p (e `minusPtr` p)
      pure (Scanned (p `plusPtr` n) ())

-- | The bytes that a string of hexadecimal digits stands for. Errors are those of 'getHex'.
--
-- >>> decodeHex "000aFF"
-- Right "\NUL\n\255"
decodeHex :: ByteString -> Either DecodeError ByteString
decodeHex = decodeEncoded hex

hex :: Encoding
hex = Encoding (`quot` 2) digits "getHex: negative number of digits"
  where
    -- n digits are readable, and half as many bytes writable.
    digits dst src n = do
      let bytes = n `quot` 2
      good <- readHex dst src bytes
      -- If the number of characters is odd, the last one may be another character.
      alone <- if good == 2 * bytes then hexSpan (src `plusPtr` good) (n - good) else pure 0
      pure $! case good + alone of
        i
          | i < n -> Left (Refusal i 1 "invalid hexadecimal digit")
          | good < n -> Left (Refusal n 0 "invalid hexadecimal: an odd number of digits")
          | otherwise -> Right (dst `plusPtr` bytes)
