{-# LANGUAGE ScopedTypeVariables #-}

-- |
-- Module      : Tests.ByteOrders
-- Description : Numbers of 24 bits, and byte order chosen at run time
module Tests.ByteOrders (tests) where

import qualified Ashlar.ByteOrder as O
import Ashlar.Get
import Ashlar.Internal.Prim.Scalar (Scalar (..))
import qualified Ashlar.Internal.Prim.Scalar as P
import Data.Bits (shiftR)
import qualified Data.ByteString as S
import qualified Data.ByteString.Internal as B
import Data.Int (Int32)
import Data.Word (Word32, Word8)
import Foreign.Ptr (plusPtr)
import Foreign.Storable (poke)
import GHC.Float (castDoubleToWord64, castFloatToWord32)
import Test.Tasty
import Test.Tasty.QuickCheck hiding (label)
import Tests.Splits

tests :: TestTree
tests =
  testGroup
    "byte orders"
    [ testGroup
        "24 bits"
        [ number24 "word24LE" P.word24LE getWord24le reverse (`mod` 0x1000000) toInteger,
          number24 "word24BE" P.word24BE getWord24be id (`mod` 0x1000000) toInteger,
          number24 "int24LE" P.int24LE getInt24le reverse signed24 toInteger,
          number24 "int24BE" P.int24BE getInt24be id signed24 toInteger
        ],
      testGroup
        "chosen at run time"
        [ chosen "getWord16" O.getWord16 getWord16le getWord16be id,
          chosen "getWord24" O.getWord24 getWord24le getWord24be id,
          chosen "getWord32" O.getWord32 getWord32le getWord32be id,
          chosen "getWord64" O.getWord64 getWord64le getWord64be id,
          chosen "getInt16" O.getInt16 getInt16le getInt16be id,
          chosen "getInt24" O.getInt24 getInt24le getInt24be id,
          chosen "getInt32" O.getInt32 getInt32le getInt32be id,
          chosen "getInt64" O.getInt64 getInt64le getInt64be id,
          chosen "getFloat" O.getFloat getFloatle getFloatbe castFloatToWord32,
          chosen "getDouble" O.getDouble getDoublele getDoublebe castDoubleToWord64
        ],
      testProperty "both orders in one record" sideBySide
    ]

-- The low 24 bits as a signed number.
signed24 :: Integer -> Integer
signed24 x = if low >= 0x800000 then low - 0x1000000 else low
  where
    low = x `mod` 0x1000000

-- Numbers are written between guards, at every offset. They are read on every split.
number24 ::
  forall a.
  (Arbitrary a, Integral a, Bounded a, Show a) =>
  String ->
  Scalar a ->
  Get a ->
  ([Word8] -> [Word8]) ->
  (Integer -> Integer) ->
  (a -> Integer) ->
  TestTree
number24 name scalar get order kept view =
  testGroup
    name
    [ testProperty "24-bit numbers are written at every offset" $
        forAll numbers $ \x ->
          conjoin
            [ written offset x === replicate offset 0xAA ++ bytesOf x ++ [0xAA]
              | offset <- [0 .. 8]
            ],
      testProperty "24-bit numbers are read on every split" $
        forAll numbers $ \x ->
          onEverySplit (view <$> get) (S.pack (bytesOf x)) (Right (kept (view x))),
      testProperty "any bytes, read as a 24-bit number" $ \bs ->
        onEverySplit get (S.pack bs) (runGet get (S.pack bs))
          .&&. either (Left . errorReason) (Right . view) (runGet get (S.pack bs))
            === ( if length bs < 3
                    then Left (MissingInput 3 (length bs))
                    else Right (kept (bigEndian (order (take 3 bs))))
                )
    ]
  where
    numbers =
      oneof
        [ arbitrary,
          arbitraryBoundedIntegral,
          elements [0, 1, 0x7FFFFF, 0x800000, 0xFFFFFF, 0x1000000, maxBound, minBound]
        ]
    bytesOf x = order [fromInteger (view x `shiftR` k) | k <- [16, 8, 0]]
    bigEndian = foldl (\acc b -> acc * 256 + toInteger b) 0
    written offset x = S.unpack $
      B.unsafeCreate (offset + 4) $ \p -> do
        mapM_ (\i -> poke (p `plusPtr` i) (0xAA :: Word8)) [0 .. offset + 3]
        scalarWrite scalar (p `plusPtr` offset) x

-- The decoder is that of the chosen order, in its errors too.
chosen ::
  (Eq b, Show b) => String -> (O.ByteOrder -> Get a) -> Get a -> Get a -> (a -> b) -> TestTree
chosen name get little big view =
  testProperty name $
    forAll (choose (0, 9) >>= vector) $ \bytes ->
      let bs = S.pack bytes
          same order theirs = onEverySplit (view <$> get order) bs (runGet (view <$> theirs) bs)
       in same O.LittleEndian little .&&. same O.BigEndian big

-- One check covers all fields, whatever their orders. The error is that of the first field that
-- lacks bytes.
sideBySide :: Bool -> Bool -> [Word8] -> Property
sideBySide a b bytes = onEverySplit together bs (runGet apart bs)
  where
    bs = S.pack bytes
    order little = if little then O.LittleEndian else O.BigEndian
    together =
      (,,) . fromIntegral
        <$> O.getWord16 (order a) <*> O.getInt24 (order b) <*> O.getWord32 (order a)
    apart :: Get (Word, Int32, Word32)
    apart = do
      x <- if a then getWord16le else getWord16be
      y <- if b then getInt24le else getInt24be
      z <- if a then getWord32le else getWord32be
      pure (fromIntegral x, y, z)
