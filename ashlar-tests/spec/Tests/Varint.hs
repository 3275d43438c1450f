{-# LANGUAGE ScopedTypeVariables #-}

-- |
-- Module      : Tests.Varint
-- Description : Numbers of variable length, against models in Integer
module Tests.Varint (tests, edges) where

import Ashlar.Builder
import Ashlar.Builder.Prim (primBounded)
import Ashlar.Builder.Varint
import qualified Ashlar.Compat.Varint as C
import Ashlar.Prim.Varint (Varint, varintBound, varintPrim, varintSize, zigzag32, zigzag64)
import qualified Ashlar.Prim.Varint as P
import Control.Monad (when)
import Data.Bits (finiteBitSize)
import qualified Data.ByteString as S
import Data.Int (Int32, Int64)
import Data.Word (Word8)
import Test.Tasty
import Test.Tasty.HUnit
import Test.Tasty.QuickCheck
import Tests.Everywhere

tests :: TestTree
tests =
  testGroup
    "numbers of variable length"
    [ testGroup
        "LEB128"
        [ format "word16LEB128" word16LEB128 P.word16LEB128 unsigned,
          format "word32LEB128" word32LEB128 P.word32LEB128 unsigned,
          format "word64LEB128" word64LEB128 P.word64LEB128 unsigned,
          format "wordLEB128" wordLEB128 P.wordLEB128 unsigned,
          format "int16LEB128" int16LEB128 P.int16LEB128 signed,
          format "int32LEB128" int32LEB128 P.int32LEB128 signed,
          format "int64LEB128" int64LEB128 P.int64LEB128 signed,
          format "intLEB128" intLEB128 P.intLEB128 signed
        ],
      testGroup
        "Protocol Buffers"
        [ format "word32Varint" word32Varint P.word32Varint unsigned,
          format "word64Varint" word64Varint P.word64Varint unsigned,
          format "wordVarint" wordVarint P.wordVarint unsigned,
          format "int32Varint" int32Varint P.int32Varint (unsigned . (`mod` 2 ^ (64 :: Int))),
          format "int64Varint" int64Varint P.int64Varint (unsigned . (`mod` 2 ^ (64 :: Int))),
          format "intVarint" intVarint P.intVarint (unsigned . (`mod` 2 ^ (64 :: Int))),
          format "int32Zigzag" int32Zigzag P.int32Zigzag (unsigned . zigzag),
          format "int64Zigzag" int64Zigzag P.int64Zigzag (unsigned . zigzag),
          format "intZigzag" intZigzag P.intZigzag (unsigned . zigzag),
          testProperty "zigzag32" $
            forAll (interesting :: Gen Int32) $
              \x -> toInteger (zigzag32 x) === zigzag (toInteger x),
          testProperty "zigzag64" $
            forAll (interesting :: Gen Int64) $
              \x -> toInteger (zigzag64 x) === zigzag (toInteger x)
        ],
      testGroup
        "VLQ"
        [ format "wordVLQ" (varint C.wordVLQ) C.wordVLQ unsigned,
          format "intVLQ" (varint C.intVLQ) C.intVLQ signAndMagnitude
        ],
      format "prefixVarInt" (varint C.prefixVarInt) C.prefixVarInt prefixed,
      testCase "bytes from the standards" standards,
      testProperty "varints between other builders" neighbours
    ]

-- The bytes of the model, the size, and the bound, for random numbers and for all numbers around
-- powers of two.
format ::
  forall a.
  (Bounded a, Integral a, Show a) =>
  String ->
  (a -> Builder) ->
  Varint a ->
  (Integer -> [Word8]) ->
  TestTree
format name builder prim model =
  testGroup
    name
    [ testProperty "against the model, everywhere" $
        forAll interesting $
          \x -> everywhere (builder x) (expected x),
      testProperty "in memory of their size" $
        forAll interesting $
          \x -> exactly (builder x) (expected x),
      testProperty "as a primitive" $
        forAll interesting $ \x ->
          toStrictByteString (primBounded (varintPrim prim) x) === expected x,
      testCase "size and bound" $ do
        let sizes = map (S.length . expected) edges
        map (varintSize prim) edges @?= sizes
        -- A Word of 32 bits has the bound of one of 64.
        if wide
          then varintBound prim @?= maximum sizes
          else varintBound prim >= maximum sizes @? show (varintBound prim),
      testProperty "bytes around each power of two" $
        once (conjoin [counterexample (show x) (exactly (builder x) (expected x)) | x <- edges])
    ]
  where
    expected = S.pack . model . toInteger

-- | The numbers at which a length may change.
edges :: forall a. (Bounded a, Integral a) => [a]
edges =
  [ fromInteger x
    | k <- [0 .. 64 :: Int],
      d <- [-2 .. 2],
      x <- [2 ^ k + d, negate (2 ^ k) + d],
      x >= toInteger (minBound :: a),
      x <= toInteger (maxBound :: a)
  ]

-- Every length is equally likely.
interesting :: forall a. (Bounded a, Integral a) => Gen a
interesting =
  oneof [elements edges, choose (0, 63 :: Int) >>= \k -> clamp <$> choose (negate (2 ^ k), 2 ^ k)]
  where
    clamp x = fromInteger (max (toInteger (minBound :: a)) (min (toInteger (maxBound :: a)) x))

unsigned :: Integer -> [Word8]
unsigned x
  | x < 128 = [fromInteger x]
  | otherwise = fromInteger (x `mod` 128 + 128) : unsigned (x `div` 128)

signed :: Integer -> [Word8]
signed x
  | x >= -64 && x < 64 = [fromInteger (x `mod` 128)]
  | otherwise = fromInteger (x `mod` 128 + 128) : signed (x `div` 128)

zigzag :: Integer -> Integer
zigzag x = if x >= 0 then 2 * x else -2 * x - 1

signAndMagnitude :: Integer -> [Word8]
signAndMagnitude x
  | m < 64 = [fromInteger (m + sign)]
  | otherwise = fromInteger (128 + sign + m `mod` 64) : unsigned (m `div` 64)
  where
    m = abs x
    sign = if x < 0 then 64 else 0

prefixed :: Integer -> [Word8]
prefixed x
  | x >= 2 ^ (56 :: Int) = 0 : littleEndian 8 x
  | otherwise = littleEndian n ((2 * x + 1) * 2 ^ (n - 1))
  where
    n = until (\k -> x < 2 ^ (7 * k)) (+ 1) 1
    littleEndian k y = [fromInteger (y `div` 256 ^ i `mod` 256) | i <- [0 .. k - 1 :: Int]]

-- Whether a Word has 64 bits.
wide :: Bool
wide = finiteBitSize (0 :: Word) == 64

standards :: Assertion
standards = do
  -- DWARF 5, section 7.6.
  map (bytes . word64LEB128) [2, 127, 128, 129, 12857]
    @?= [[2], [0x7F], [0x80, 1], [0x81, 1], [0xB9, 0x64]]
  map (bytes . int64LEB128) [2, -2, 127, -127, 128, -128, 129, -129]
    @?= [[2], [0x7E], [0xFF, 0], [0x81, 0x7F], [0x80, 1], [0x80, 0x7F], [0x81, 1], [0xFF, 0x7E]]
  -- Wikipedia, "LEB128".
  bytes (word64LEB128 624485) @?= [0xE5, 0x8E, 0x26]
  bytes (int64LEB128 (-123456)) @?= [0xC0, 0xBB, 0x78]
  -- Protocol Buffers, "Encoding".
  bytes (word32Varint 1) @?= [1]
  bytes (word32Varint 150) @?= [0x96, 1]
  bytes (word64Varint 300) @?= [0xAC, 2]
  bytes (int32Varint (-2)) @?= [0xFE, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 1]
  bytes (int64Varint (-1)) @?= replicate 9 0xFF ++ [1]
  map zigzag32 [0, -1, 1, -2, maxBound, minBound] @?= [0, 1, 2, 3, 0xFFFFFFFE, 0xFFFFFFFF]
  bytes (int32Zigzag (-1)) @?= [1]
  -- From the descriptions of mason's formats.
  map (bytes . varint C.intVLQ) [0, 63, -63, 64, -64, -1]
    @?= [[0], [0x3F], [0x7F], [0x80, 1], [0xC0, 1], [0x41]]
  bytes (varint C.intVLQ minBound)
    @?= if wide then 0xC0 : replicate 8 0x80 ++ [2] else [0xC0, 0x80, 0x80, 0x80, 16]
  map (bytes . varint C.prefixVarInt) [0, 1, 127, 128, 16383, 16384]
    @?= [[1], [3], [0xFF], [2, 2], [0xFE, 0xFF], [4, 0, 2]]
  when wide $ bytes (varint C.prefixVarInt (2 ^ (56 :: Int) - 1)) @?= 0x80 : replicate 7 0xFF
  bytes (varint C.prefixVarInt maxBound)
    @?= if wide then 0 : replicate 8 0xFF else [0xF0, 0xFF, 0xFF, 0xFF, 0x1F]
  where
    bytes = S.unpack . toStrictByteString

-- A write may store more bytes than the number takes. The next number must overwrite them.
neighbours :: Property
neighbours = forAll ((,,) <$> interesting <*> interesting <*> interesting) $ \(x, y, z) ->
  let b =
        word64LEB128 x <> word8 7 <> int32LEB128 y <> word16LEB128 3
          <> varint C.prefixVarInt z
          <> word8 8
          <> varint C.intVLQ 5
      expected =
        concat
          [unsigned (toInteger x), [7], signed (toInteger y), [3], prefixed (toInteger z), [8, 5]]
   in everywhere b (S.pack expected) .&&. exactly b (S.pack expected)
