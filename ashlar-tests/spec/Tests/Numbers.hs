{-# LANGUAGE RankNTypes #-}
{-# LANGUAGE ScopedTypeVariables #-}

-- |
-- Module      : Tests.Numbers
-- Description : Numbers, against bytestring and at every alignment
module Tests.Numbers (tests) where

import qualified Ashlar.Builder as A
import qualified Ashlar.Builder.Extra as A
import qualified Ashlar.Get as A
import Data.Bits (Bits, bit, zeroBits, (.|.))
import qualified Data.ByteString as S
import qualified Data.ByteString.Builder as B
import qualified Data.ByteString.Builder.Extra as B
import qualified Data.ByteString.Lazy as L
import GHC.Float (castDoubleToWord64, castFloatToWord32, castWord32ToFloat, castWord64ToDouble)
import System.Info (arch)
import Test.Tasty
import Test.Tasty.HUnit
import Test.Tasty.QuickCheck hiding (label)

tests :: TestTree
tests =
  testGroup
    "numbers"
    [ number "word8" A.word8 B.word8 A.getWord8 id,
      number "int8" A.int8 B.int8 A.getInt8 id,
      number "word16LE" A.word16LE B.word16LE A.getWord16le id,
      number "word32LE" A.word32LE B.word32LE A.getWord32le id,
      number "word64LE" A.word64LE B.word64LE A.getWord64le id,
      number "int16LE" A.int16LE B.int16LE A.getInt16le id,
      number "int32LE" A.int32LE B.int32LE A.getInt32le id,
      number "int64LE" A.int64LE B.int64LE A.getInt64le id,
      number "floatLE" A.floatLE B.floatLE A.getFloatle castFloatToWord32,
      number "doubleLE" A.doubleLE B.doubleLE A.getDoublele castDoubleToWord64,
      number "word16BE" A.word16BE B.word16BE A.getWord16be id,
      number "word32BE" A.word32BE B.word32BE A.getWord32be id,
      number "word64BE" A.word64BE B.word64BE A.getWord64be id,
      number "int16BE" A.int16BE B.int16BE A.getInt16be id,
      number "int32BE" A.int32BE B.int32BE A.getInt32be id,
      number "int64BE" A.int64BE B.int64BE A.getInt64be id,
      number "floatBE" A.floatBE B.floatBE A.getFloatbe castFloatToWord32,
      number "doubleBE" A.doubleBE B.doubleBE A.getDoublebe castDoubleToWord64,
      number "wordHost" A.wordHost B.wordHost A.getWordhost id,
      number "word16Host" A.word16Host B.word16Host A.getWord16host id,
      number "word32Host" A.word32Host B.word32Host A.getWord32host id,
      number "word64Host" A.word64Host B.word64Host A.getWord64host id,
      number "intHost" A.intHost B.intHost A.getInthost id,
      number "int16Host" A.int16Host B.int16Host A.getInt16host id,
      number "int32Host" A.int32Host B.int32Host A.getInt32host id,
      number "int64Host" A.int64Host B.int64Host A.getInt64host id,
      number "floatHost" A.floatHost B.floatHost A.getFloathost castFloatToWord32,
      number "doubleHost" A.doubleHost B.doubleHost A.getDoublehost castDoubleToWord64,
      testCase "NaN keeps its payload" nanPayload
    ]

-- The bytes are those of bytestring, at every offset from 0 to 15. Reading them returns an equal
-- value, compared through a view that tells NaNs apart.
number ::
  forall a b.
  (Arbitrary a, Show a, Eq b, Show b) =>
  String ->
  (a -> A.Builder) ->
  (a -> B.Builder) ->
  A.Get a ->
  (a -> b) ->
  TestTree
number name ours theirs getter view =
  testProperty (name ++ " at every alignment") $ \(x :: a) ->
    conjoin
      [ let bytes = A.toStrictByteString (A.byteString padding <> ours x)
            padding = S.replicate offset 0xAA
         in bytes === padding <> L.toStrict (B.toLazyByteString (theirs x))
              .&&. (view <$> A.runGet (A.skip offset *> getter <* A.endOfInput) bytes)
                === Right (view x)
        | offset <- [0 .. 15]
      ]

-- The bits of signalling NaNs with a payload. (The x87 makes them quiet.)
nanPayload :: Assertion
nanPayload = do
  let double = castWord64ToDouble 0x7FF00000DEADBEEF
      float = castWord32ToFloat 0x7F80BEEF
      through builder getter = A.runGet getter (A.toStrictByteString builder)
      doubleBack = 0x7FF00000DEADBEEF .|. quiet 51
      floatBack = 0x7F80BEEF .|. quiet 22
      quiet :: Bits a => Int -> a
      quiet n = if arch == "i386" then bit n else zeroBits
  castDoubleToWord64 <$> through (A.doubleLE double) A.getDoublele @?= Right doubleBack
  castDoubleToWord64 <$> through (A.doubleBE double) A.getDoublebe @?= Right doubleBack
  castFloatToWord32 <$> through (A.floatLE float) A.getFloatle @?= Right floatBack
  castFloatToWord32 <$> through (A.floatBE float) A.getFloatbe @?= Right floatBack
