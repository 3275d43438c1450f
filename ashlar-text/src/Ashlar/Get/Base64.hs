{-# LANGUAGE Trustworthy #-}

-- |
-- Module      : Ashlar.Get.Base64
-- Description : Decoders for bytes in Base64
--
-- Base64 (RFC 4648), which "Ashlar.Builder.Base64" writes: two alphabets, with padding or without.
-- Decoders refuse everything that the builders would not write. 'decodeBase64Lenient' refuses
-- nothing.
--
-- >>> import Ashlar.Get.Base64
-- >>> import Ashlar.Get.Parse (bytes)
-- >>> runGet (bytes "Basic " *> takeBase64) "Basic dXNlcjpwYXNzd29yZA=="
-- Right "user:password"
module Ashlar.Get.Base64
  ( -- * A number of characters
    getBase64,
    getBase64Unpadded,
    getBase64Url,
    getBase64UrlUnpadded,

    -- * As many characters as there are
    takeBase64,
    takeBase64Unpadded,
    takeBase64Url,
    takeBase64UrlUnpadded,

    -- * All of a string
    decodeBase64,
    decodeBase64Unpadded,
    decodeBase64Url,
    decodeBase64UrlUnpadded,
    decodeBase64Lenient,
    decodeBase64UrlLenient,
  )
where

import Ashlar.Internal.Get.Core
import Ashlar.Internal.Get.Encoded
import Ashlar.Internal.Get.Error
import Ashlar.Internal.Get.NextByte
import Ashlar.Internal.Get.Scan
import Ashlar.Internal.Mem
import Ashlar.Internal.Prim.Base64
import Data.Bifunctor (first)
import Data.Bits ((.&.))
import Data.ByteString (ByteString)
import qualified Data.ByteString as S
import qualified Data.ByteString.Internal as S
import Foreign.Ptr (minusPtr, plusPtr)
import System.IO.Unsafe (unsafeDupablePerformIO)

-- | The bytes that @n@ characters of Base64 stand for, with padding. A negative number fails.
--
-- The error is at the first character that is not allowed there, such as white space, or at the end
-- if that is within a group of four. The bits of the last character that belong to no byte must be
-- zero. If they are not, the error is at that character. So each string has one encoding.
--
-- >>> runGet (getBase64 8) "SGVsbG8="
-- Right "Hello"
-- >>> either (putStrLn . displayException) print (runGet (getBase64 8) "SGVs G8=")
-- at byte 4: invalid Base64
--   00000000  53 47 56 73 20 47 38 3d                           |SGVs G8=|
--                         ^^
getBase64 :: Int -> Get ByteString
getBase64 = getEncoded (base64 (Variant Standard True))

-- | 'getBase64' without padding, which it refuses.
getBase64Unpadded :: Int -> Get ByteString
getBase64Unpadded = getEncoded (base64 (Variant Standard False))

-- | 'getBase64' with the alphabet for URLs and names of files.
getBase64Url :: Int -> Get ByteString
getBase64Url = getEncoded (base64 (Variant ForUrls True))

-- | 'getBase64Url' without padding, which it refuses.
getBase64UrlUnpadded :: Int -> Get ByteString
getBase64UrlUnpadded = getEncoded (base64 (Variant ForUrls False))

-- | The bytes that the next characters stand for: all up to the first that is not in the alphabet,
-- and the padding that they need. Errors have the offsets of those of 'getBase64'. Missing padding
-- is an error at the character that is there instead, or 'Ashlar.Get.MissingInput' at the end.
--
-- >>> runGetRest takeBase64 "SGVsbG8=;SGk="
-- Right ("Hello",";SGk=")
takeBase64 :: Get ByteString
takeBase64 = taken (Variant Standard True)

-- | 'takeBase64' without padding. Padding that follows is not read.
takeBase64Unpadded :: Get ByteString
takeBase64Unpadded = taken (Variant Standard False)

-- | 'takeBase64' with the alphabet for URLs and names of files.
takeBase64Url :: Get ByteString
takeBase64Url = taken (Variant ForUrls True)

-- | 'takeBase64Url' without padding, as in JSON Web Tokens.
--
-- >>> runGet ((,) <$> takeBase64UrlUnpadded <* skip 1 <*> takeBase64UrlUnpadded) "eyJ9.-_8"
-- Right ("{\"}","\251\255")
takeBase64UrlUnpadded :: Get ByteString
takeBase64UrlUnpadded = taken (Variant ForUrls False)

-- | The bytes that a string in Base64 stands for, with padding. Errors are those of 'getBase64'.
--
-- >>> decodeBase64 "SGVsbG8="
-- Right "Hello"
-- >>> either errorOffset (const 0) (decodeBase64 "SGVsbG9=")
-- 6
decodeBase64 :: ByteString -> Either DecodeError ByteString
decodeBase64 = decodeEncoded (base64 (Variant Standard True))

-- | 'decodeBase64' without padding, which it refuses.
decodeBase64Unpadded :: ByteString -> Either DecodeError ByteString
decodeBase64Unpadded = decodeEncoded (base64 (Variant Standard False))

-- | 'decodeBase64' with the alphabet for URLs and names of files.
decodeBase64Url :: ByteString -> Either DecodeError ByteString
decodeBase64Url = decodeEncoded (base64 (Variant ForUrls True))

-- | 'decodeBase64Url' without padding, which it refuses.
decodeBase64UrlUnpadded :: ByteString -> Either DecodeError ByteString
decodeBase64UrlUnpadded = decodeEncoded (base64 (Variant ForUrls False))

-- | The bytes that the characters of the alphabet stand for, up to the first valid padding. All
-- other bytes are skipped: line ends, for example. Bits that make no byte are dropped. It never
-- fails.
--
-- Many strings decode to the same bytes, so this is not for tokens that are compared.
--
-- >>> decodeBase64Lenient "SGVs\r\nbG8"
-- "Hello"
decodeBase64Lenient :: ByteString -> ByteString
decodeBase64Lenient = lenient Standard

-- | 'decodeBase64Lenient' with the alphabet for URLs and names of files.
decodeBase64UrlLenient :: ByteString -> ByteString
decodeBase64UrlLenient = lenient ForUrls

taken :: Variant -> Get ByteString
taken v = do
  at <- here
  bs <- takeScanned const () (\_ p e -> alphabetScanner p e)
  case negate (S.length bs) .&. 3 of
    n | n `elem` [1, 2] && variantPadded v -> do
      -- If the padding is missing, that is the error, and not what is wrong with the characters.
      next <- nextCode
      if next == 0x3D then decodedFrom unpadded at bs <* padding n else bs <$ word8 0x3D
    _ -> decodedFrom unpadded at bs
  where
    unpadded = base64 (Variant (variantAlphabet v) False)
    alphabetScanner p e = do
      n <- base64Span (variantAlphabet v) p (e `minusPtr` p)
      pure (Scanned (p `plusPtr` n) ())
    padding :: Int -> Get ()
    padding n = if n == 0 then pure () else word8 0x3D *> padding (n - 1)

base64 :: Variant -> Encoding
base64 v = Encoding decodedUpTo (\dst src n -> first refusal <$> readBase64 v dst src n) negative
  where
    refusal why = case why of
      WrongCharacter i -> Refusal i 1 "invalid Base64"
      UnusedBits i -> Refusal i 1 "invalid Base64: unused bits are not zero"
      CutOff i -> Refusal i 0 "invalid Base64: it ends within a group"
    negative = "getBase64: negative number of characters"

lenient :: Alphabet -> ByteString -> ByteString
lenient alphabet bs = unsafeDupablePerformIO $ do
  -- n characters are readable, and n bytes writable.
  collected <- S.createUptoN (S.length bs) $ \q ->
    withBytesQuick bs (collectLenient alphabet q)
  result <- decodeInto (base64 (Variant alphabet False)) collected
  -- collectLenient leaves nothing to refuse.
  pure $! either (const S.empty) id result
