-- |
-- Module      : Output
-- Description : What the benchmarks need from each library's builder
--
-- The work is written once for all builders. Every measured function is specialised to each of
-- them, so that nothing of this class is left at run time.
module Output (Output (..)) where

import qualified Ashlar.Builder as A
import qualified Ashlar.Builder.Escape as A
import qualified Ashlar.Builder.Extra as A
import qualified Ashlar.Builder.Prim as AP
import qualified Data.Aeson.Encoding as Aeson
import qualified Data.ByteString as S
import qualified Data.ByteString.Builder as B
import qualified Data.ByteString.Builder.Extra as B
import qualified Data.ByteString.Builder.Prim as BP
import qualified Data.ByteString.Lazy as L
import Data.Int (Int64)
import Data.Text (Text)
import Data.Word (Word64, Word8)
import System.IO (Handle)

-- | A library's builder.
class Monoid b => Output b where
  word8 :: Word8 -> b
  word64LE :: Word64 -> b
  int64LE :: Int64 -> b
  doubleLE :: Double -> b
  char7 :: Char -> b
  wordHex :: Word -> b
  integerDec :: Integer -> b
  doubleDec :: Double -> b
  byteString :: S.ByteString -> b
  byteStringInsert :: S.ByteString -> b
  stringUtf8 :: String -> b

  -- | The bytes of a string, each by a primitive.
  mapWord8 :: S.ByteString -> b

  mapLazyWord8 :: L.ByteString -> b

  -- | A list of bytes, in the best way that the library has.
  word8s :: [Word8] -> b

  -- | A string in JSON, with its quotation marks.
  jsonString :: Text -> b

  toStrict :: b -> S.ByteString
  toLazy :: b -> L.ByteString
  toHandle :: Handle -> b -> IO ()

instance Output A.Builder where
  word8 = A.word8
  word64LE = A.word64LE
  int64LE = A.int64LE
  doubleLE = A.doubleLE
  char7 = A.char7
  wordHex = A.wordHex
  integerDec = A.integerDec
  doubleDec = A.doubleDec
  byteString = A.byteString
  byteStringInsert = A.byteStringInsert
  mapWord8 = AP.primMapByteStringFixed AP.word8
  mapLazyWord8 = AP.primMapLazyByteStringFixed AP.word8
  stringUtf8 = A.stringUtf8
  word8s = AP.primMapListFixed AP.word8
  jsonString t = A.char7 '"' <> A.textUtf8Escaped A.jsonEscaping t <> A.char7 '"'
  toStrict = A.toStrictByteString
  toLazy = A.toLazyByteString
  toHandle = A.hPutBuilder

instance Output B.Builder where
  word8 = B.word8
  word64LE = B.word64LE
  int64LE = B.int64LE
  doubleLE = B.doubleLE
  char7 = B.char7
  wordHex = B.wordHex
  integerDec = B.integerDec
  doubleDec = B.doubleDec
  byteString = B.byteString
  byteStringInsert = B.byteStringInsert
  mapWord8 = BP.primMapByteStringFixed BP.word8
  mapLazyWord8 = BP.primMapLazyByteStringFixed BP.word8
  stringUtf8 = B.stringUtf8
  word8s = BP.primMapListFixed BP.word8
  jsonString = Aeson.fromEncoding . Aeson.text
  toStrict = L.toStrict . B.toLazyByteString
  toLazy = B.toLazyByteString
  toHandle = B.hPutBuilder
