{-# LANGUAGE Trustworthy #-}

-- |
-- Module      : Ashlar.Get.UUID
-- Description : Decoders for UUIDs as text
--
-- "Ashlar.Builder.UUID" writes them. The package @ashlar-instances@ has the same for the type of
-- @uuid-types@.
module Ashlar.Get.UUID (uuid) where

import Ashlar.Internal.Get.Ascii (digitValue)
import Ashlar.Internal.Get.Core
import Ashlar.Internal.Get.Env
import Ashlar.Internal.Get.NextByte (word8)
import Ashlar.Internal.Mem.Cells
import Ashlar.Internal.Prim.UUID
import Data.Bits (unsafeShiftL, (.|.))
import Data.Word (Word64)
import Foreign.Ptr (minusPtr, plusPtr)

-- | A UUID as text (RFC 9562): 32 hexadecimal digits in either case, in groups of 8, 4, 4, 4 and
-- 12, with hyphens between them. The result is the first 16 digits and the last 16.
--
-- The error is at the first character that is not allowed there.
--
-- >>> import Ashlar.Get.UUID
-- >>> runGet uuid "00000000-0000-0001-0000-00000000000A"
-- Right (1,10)
uuid :: Get (Word64, Word64)
uuid = step quick >>= maybe slow pure
  where
    quick c _ = do
      p <- getPtr c cursorCell
      e <- getPtr c endCell
      if e `minusPtr` p < uuidBytes
        then pure Nothing
        else do
          -- All of the text is there.
          found <- readUUID p
          found <$ maybe (pure ()) (\_ -> putPtr c cursorCell (p `plusPtr` uuidBytes)) found

-- Read a UUID digit by digit, because it does not lie in one chunk or is invalid.
slow :: Get (Word64, Word64)
slow = do
  high <- digits 8 0 >>= after 4 >>= after 4
  low <- after 4 0 >>= after 12
  pure (high, low)
  where
    after :: Int -> Word64 -> Get Word64
    after n acc = word8 0x2D *> digits n acc
    digits :: Int -> Word64 -> Get Word64
    digits n acc
      | n == 0 = pure acc
      | otherwise = digit >>= \d -> digits (n - 1) (acc `unsafeShiftL` 4 .|. d)
    digit = digitValue <$> guardedGet isHex (Expectation ["a hexadecimal digit"]) takeByte
    isHex w = digitValue w < 16
