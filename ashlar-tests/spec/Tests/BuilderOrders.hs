{-# LANGUAGE ScopedTypeVariables #-}

-- |
-- Module      : Tests.BuilderOrders
-- Description : Builders for numbers of 24 bits, and with byte order chosen at run time
module Tests.BuilderOrders (tests) where

import Ashlar.Builder
import qualified Ashlar.Builder.Prim as Prim
import qualified Ashlar.ByteOrder as Order
import Ashlar.Put (Put, execPut, putInt24be, putInt24le, putWord24be, putWord24le)
import qualified Data.ByteString as S
import Data.Int (Int32)
import Data.Word (Word8)
import Test.Tasty
import Test.Tasty.QuickCheck
import Tests.Everywhere

tests :: TestTree
tests =
  testGroup
    "byte orders, in builders"
    [ testGroup
        "24 bits"
        [ number24 "word24BE" word24BE Prim.word24BE putWord24be id,
          number24 "word24LE" word24LE Prim.word24LE putWord24le reverse,
          number24 "int24BE" int24BE Prim.int24BE putInt24be id,
          number24 "int24LE" int24LE Prim.int24LE putInt24le reverse
        ],
      testGroup
        "chosen at run time"
        [ chosen "word16" Order.word16 word16LE word16BE,
          chosen "word24" Order.word24 word24LE word24BE,
          chosen "word32" Order.word32 word32LE word32BE,
          chosen "word64" Order.word64 word64LE word64BE,
          chosen "int16" Order.int16 int16LE int16BE,
          chosen "int24" Order.int24 int24LE int24BE,
          chosen "int32" Order.int32 int32LE int32BE,
          chosen "int64" Order.int64 int64LE int64BE,
          chosen "float" Order.float floatLE floatBE,
          chosen "double" Order.double doubleLE doubleBE
        ],
      testProperty "in both orders side by side" sideBySide
    ]

-- The three bytes, most significant first.
bytes24 :: Integral a => a -> [Word8]
bytes24 x = [fromInteger ((toInteger x `div` 256 ^ i) `mod` 256) | i <- [2, 1, 0 :: Int]]

-- As a builder, a primitive and a put, through every sink. Three of them fill a buffer unevenly.
number24 ::
  (Integral a, Bounded a, Show a) =>
  String ->
  (a -> Builder) ->
  Prim.FixedPrim a ->
  (a -> Put) ->
  ([Word8] -> [Word8]) ->
  TestTree
number24 name builder prim put inOrder =
  testProperty name $
    forAll (vectorOf 3 number) $ \xs ->
      let expected = S.pack (concatMap (inOrder . bytes24) xs)
       in throughSinks expected (foldMap builder xs)
            .&&. throughSinks expected (Prim.primMapListFixed prim xs)
            .&&. throughSinks expected (execPut (mapM_ put xs))
  where
    number = oneof [arbitraryBoundedIntegral, fromIntegral <$> (near :: Gen Int32)]
    -- Where the sign and the ignored bits begin.
    near = (+) <$> elements [0, 0x7FFFFF, 0x800000, 0xFFFFFF, -0x800000] <*> choose (-2, 2)

chosen ::
  (Arbitrary a, Show a) =>
  String ->
  (Order.ByteOrder -> a -> Builder) ->
  (a -> Builder) ->
  (a -> Builder) ->
  TestTree
chosen name ordered little big =
  testProperty name $ \x ->
    throughSinks (toStrictByteString (little x)) (ordered Order.LittleEndian x)
      .&&. throughSinks (toStrictByteString (big x)) (ordered Order.BigEndian x)

sideBySide :: Bool -> Property
sideBySide swapped = property $ \a b c d ->
  throughSinks
    (toStrictByteString (if swapped then bigFirst a b c d else littleFirst a b c d))
    (Order.word16 order a <> Order.word24 other b <> Order.double order c <> int8 d)
  where
    (order, other)
      | swapped = (Order.BigEndian, Order.LittleEndian)
      | otherwise = (Order.LittleEndian, Order.BigEndian)
    littleFirst a b c d = word16LE a <> word24BE b <> doubleLE c <> int8 d
    bigFirst a b c d = word16BE a <> word24LE b <> doubleBE c <> int8 d
