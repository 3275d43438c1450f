-- |
-- Module      : Tests.Crc32c
-- Description : The checksum, against one bit at a time
module Tests.Crc32c (tests) where

import Ashlar.File.Crc32c
import Ashlar.File.Internal.Crc32c (Method (..), crc32cBy, hasInstruction)
import Data.Bits (complement, shiftR, testBit, xor)
import qualified Data.ByteString as S
import qualified Data.ByteString.Char8 as S8
import Data.Word (Word32)
import System.Info (arch)
import Test.Tasty
import Test.Tasty.QuickCheck

tests :: TestTree
tests =
  testGroup
    "CRC-32C"
    [ testProperty "the vectors of RFC 3720" . once $
        conjoin [counterexample (show v) (crc32c v === c) | (v, c) <- vectors],
      testProperty "every short length, at every alignment" . once $
        conjoin [agree (S.take n (S.drop k noise)) | k <- [0 .. 8], n <- [0 .. 70]],
      testProperty "lengths around those of three streams" . once $
        conjoin
          [ agree (S.take n (S.drop k noise))
            | k <- [0, 1, 7],
              m <- [1024, 3072, 6144, 65536, 68608],
              n <- [m - 9, m - 1, m, m + 1, m + 8]
          ],
      testProperty "any bytes, against the definition" $ \ws -> agree (S.pack ws),
      testProperty "a checksum computed in parts" $ \a b ->
        let (x, y) = (S.pack a, S.pack b)
         in conjoin
              [ crc32cBy m (crc32cBy m 0 x) y === crc32cBy m 0 (x <> y)
                | m <- [Fastest, Tables]
              ],
      testProperty "a checksum in parts, after a long" . forAll (choose (0, S.length noise)) $ \n ->
        let (x, y) = S.splitAt n noise
         in crc32cAfter (crc32c x) y === crc32c noise,
      testProperty ("the instruction is used where there is one: " ++ show hasInstruction) . once $
        ioProperty $ do
          features <- S8.words <$> S.readFile "/proc/cpuinfo"
          -- The module without C does not ask.
          pure (hasInstruction === (any (`elem` features) instruction <$ hasInstruction))
    ]
  where
    agree bytes = conjoin [crc32cBy m 0 bytes === naive bytes | m <- [Fastest, Tables]]

-- What Linux calls the feature of this processor, if the code has a path for it.
instruction :: Maybe S.ByteString
instruction = case arch of
  "x86_64" -> Just (S8.pack "sse4_2")
  "aarch64" -> Just (S8.pack "crc32")
  _ -> Nothing

-- Bytes without a pattern, from a generator of random numbers.
noise :: S.ByteString
noise = fst (S.unfoldrN 70000 (\x -> Just (fromIntegral (x `shiftR` 16), next x)) 1)
  where
    next :: Word32 -> Word32
    next x = 1664525 * x + 1013904223

naive :: S.ByteString -> Word32
naive = complement . S.foldl' byte 0xFFFFFFFF
  where
    byte crc w = iterate bit (crc `xor` fromIntegral w) !! 8
    bit crc = (crc `shiftR` 1) `xor` (if testBit crc 0 then 0x82F63B78 else 0)

vectors :: [(S.ByteString, Word32)]
vectors =
  [ (S.replicate 32 0, 0x8A9136AA),
    (S.replicate 32 0xFF, 0x62A8AB43),
    (S.pack [0 .. 31], 0x46DD794E),
    (S.pack [31, 30 .. 0], 0x113FDB5C),
    (readCommand, 0xD9963A56),
    (S.pack [0x31 .. 0x39], 0xE3069283)
  ]
  where
    readCommand =
      S.pack $
        [0x01, 0xC0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
          ++ [0x14, 0, 0, 0, 0, 0, 0x04, 0, 0, 0, 0, 0x14, 0, 0, 0, 0x18]
          ++ [0x28, 0, 0, 0, 0, 0, 0, 0, 0x02, 0, 0, 0, 0, 0, 0, 0]
