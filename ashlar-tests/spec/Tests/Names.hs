{-# LANGUAGE MagicHash #-}
-- The deprecated names are names, too.
{-# OPTIONS_GHC -Wno-deprecations #-}

-- |
-- Module      : Tests.Names
-- Description : The names of bytestring's modules, with their types
--
-- Every name that bytestring 0.12 exports from @Data.ByteString.Builder@ and its submodules
-- @Extra@, @Prim@ and @Prim.Internal@, with its type there, and those of @Data.Binary.Builder@ of
-- binary 0.8.9. Most of the test is that this module compiles, with
-- any version of bytestring. At run time, each name must have a value.
module Tests.Names (tests) where

import Ashlar.Builder (Builder)
import qualified Ashlar.Builder as A
import qualified Ashlar.Builder.Extra as E
import Ashlar.Builder.Prim (BoundedPrim, FixedPrim, (>$<), (>*<))
import qualified Ashlar.Builder.Prim as P
import qualified Ashlar.Builder.Prim.Unsafe as U
import Ashlar.Codec (encodeLazy)
import qualified Ashlar.Compat.Binary.Builder as B
import Control.Exception (evaluate)
import qualified Data.ByteString as S
import qualified Data.ByteString.Lazy as L
import Data.ByteString.Short (ShortByteString)
import Data.Int (Int16, Int32, Int64, Int8)
import Data.Word (Word16, Word32, Word64, Word8)
import Foreign (Ptr)
import GHC.Exts (Addr#)
import System.IO (Handle)
import Test.Tasty
import Test.Tasty.HUnit
import Test.Tasty.QuickCheck (testProperty, (.&&.), (===))
import Tests.Safe

tests :: TestTree
tests =
  testGroup
    "Names"
    [ testCase "every name of bytestring's modules, with its type" (mapM_ evaluate names),
      testProperty "Safe code derives, encodes and decodes" $ \name n ->
        decoded name n === Right (Order name n)
          .&&. streamed name n === Right (encodeLazy (Order name n))
    ]

-- A name has this type, and a value.
has :: a -> ()
has x = x `seq` ()

names :: [()]
names =
  concat
    [ builder,
      extra,
      prim,
      primUnsafe,
      dataBinaryBuilder,
      binaryBuilders,
      binaryPrims,
      textBuilders,
      textPrims
    ]

builder :: [()]
builder =
  [ has (A.toLazyByteString :: Builder -> L.ByteString),
    has (A.hPutBuilder :: Handle -> Builder -> IO ()),
    has (A.writeFile :: FilePath -> Builder -> IO ()),
    has (A.byteString :: S.ByteString -> Builder),
    has (A.lazyByteString :: L.ByteString -> Builder),
    has (A.shortByteString :: ShortByteString -> Builder),
    has (A.charUtf8 :: Char -> Builder),
    has (A.stringUtf8 :: String -> Builder)
  ]

extra :: [()]
extra =
  [ has (E.toLazyByteStringWith :: E.AllocationStrategy -> L.ByteString -> Builder -> L.ByteString),
    has (E.safeStrategy :: Int -> Int -> E.AllocationStrategy),
    has (E.untrimmedStrategy :: Int -> Int -> E.AllocationStrategy),
    has (E.smallChunkSize :: Int),
    has (E.defaultChunkSize :: Int),
    has (E.byteStringCopy :: S.ByteString -> Builder),
    has (E.byteStringInsert :: S.ByteString -> Builder),
    has (E.byteStringThreshold :: Int -> S.ByteString -> Builder),
    has (E.lazyByteStringCopy :: L.ByteString -> Builder),
    has (E.lazyByteStringInsert :: L.ByteString -> Builder),
    has (E.lazyByteStringThreshold :: Int -> L.ByteString -> Builder),
    has (E.flush :: Builder),
    has (id :: E.BufferWriter -> Ptr Word8 -> Int -> IO (Int, E.Next)),
    has (E.Done :: E.Next),
    has (E.More :: Int -> E.BufferWriter -> E.Next),
    has (E.Chunk :: S.ByteString -> E.BufferWriter -> E.Next),
    has (E.runBuilder :: Builder -> E.BufferWriter)
  ]

prim :: [()]
prim =
  [ has (P.emptyB :: BoundedPrim a),
    has ((>$<) :: (b -> a) -> BoundedPrim a -> BoundedPrim b),
    has ((>$<) :: (b -> a) -> FixedPrim a -> FixedPrim b),
    has ((>*<) :: BoundedPrim a -> BoundedPrim b -> BoundedPrim (a, b)),
    has ((>*<) :: FixedPrim a -> FixedPrim b -> FixedPrim (a, b)),
    has (P.eitherB :: BoundedPrim a -> BoundedPrim b -> BoundedPrim (Either a b)),
    has (P.condB :: (a -> Bool) -> BoundedPrim a -> BoundedPrim a -> BoundedPrim a),
    has (P.primBounded :: BoundedPrim a -> a -> Builder),
    has (P.primMapListBounded :: BoundedPrim a -> [a] -> Builder),
    has (P.primUnfoldrBounded :: BoundedPrim b -> (a -> Maybe (b, a)) -> a -> Builder),
    has (P.primMapByteStringBounded :: BoundedPrim Word8 -> S.ByteString -> Builder),
    has (P.primMapLazyByteStringBounded :: BoundedPrim Word8 -> L.ByteString -> Builder),
    has (P.emptyF :: FixedPrim a),
    has (P.liftFixedToBounded :: FixedPrim a -> BoundedPrim a),
    has (P.primFixed :: FixedPrim a -> a -> Builder),
    has (P.primMapListFixed :: FixedPrim a -> [a] -> Builder),
    has (P.primUnfoldrFixed :: FixedPrim b -> (a -> Maybe (b, a)) -> a -> Builder),
    has (P.primMapByteStringFixed :: FixedPrim Word8 -> S.ByteString -> Builder),
    has (P.primMapLazyByteStringFixed :: FixedPrim Word8 -> L.ByteString -> Builder),
    has (P.charUtf8 :: BoundedPrim Char)
  ]

primUnsafe :: [()]
primUnsafe =
  [ has (U.fixedPrim :: Int -> (a -> Ptr Word8 -> IO ()) -> FixedPrim a),
    has (U.size :: FixedPrim a -> Int),
    has (U.runF :: FixedPrim a -> a -> Ptr Word8 -> IO ()),
    has (U.emptyF :: FixedPrim a),
    has (U.contramapF :: (b -> a) -> FixedPrim a -> FixedPrim b),
    has (U.pairF :: FixedPrim a -> FixedPrim b -> FixedPrim (a, b)),
    has (U.storableToF :: FixedPrim Word32),
    has (U.boundedPrim :: Int -> (a -> Ptr Word8 -> IO (Ptr Word8)) -> BoundedPrim a),
    has (U.boudedPrim :: Int -> (a -> Ptr Word8 -> IO (Ptr Word8)) -> BoundedPrim a),
    has (U.sizeBound :: BoundedPrim a -> Int),
    has (U.runB :: BoundedPrim a -> a -> Ptr Word8 -> IO (Ptr Word8)),
    has (U.emptyB :: BoundedPrim a),
    has (U.contramapB :: (b -> a) -> BoundedPrim a -> BoundedPrim b),
    has (U.pairB :: BoundedPrim a -> BoundedPrim b -> BoundedPrim (a, b)),
    has (U.eitherB :: BoundedPrim a -> BoundedPrim b -> BoundedPrim (Either a b)),
    has (U.condB :: (a -> Bool) -> BoundedPrim a -> BoundedPrim a -> BoundedPrim a),
    has (U.toB :: FixedPrim a -> BoundedPrim a),
    has (U.liftFixedToBounded :: FixedPrim a -> BoundedPrim a),
    has (U.caseWordSize_32_64 :: Int -> Int -> Int)
  ]

dataBinaryBuilder :: [()]
dataBinaryBuilder =
  [ has (B.toLazyByteString :: B.Builder -> L.ByteString),
    has (B.empty :: Builder),
    has (B.singleton :: Word8 -> Builder),
    has (B.fromByteString :: S.ByteString -> Builder),
    has (B.fromLazyByteString :: L.ByteString -> Builder),
    has (B.fromShortByteString :: ShortByteString -> Builder),
    has (B.putWord16be :: Word16 -> Builder),
    has (B.putWord32be :: Word32 -> Builder),
    has (B.putWord64be :: Word64 -> Builder),
    has (B.putInt16be :: Int16 -> Builder),
    has (B.putInt32be :: Int32 -> Builder),
    has (B.putInt64be :: Int64 -> Builder),
    has (B.putWord16le :: Word16 -> Builder),
    has (B.putWord32le :: Word32 -> Builder),
    has (B.putWord64le :: Word64 -> Builder),
    has (B.putInt16le :: Int16 -> Builder),
    has (B.putInt32le :: Int32 -> Builder),
    has (B.putInt64le :: Int64 -> Builder),
    has (B.putWord16host :: Word16 -> Builder),
    has (B.putWord32host :: Word32 -> Builder),
    has (B.putWord64host :: Word64 -> Builder),
    has (B.putInt16host :: Int16 -> Builder),
    has (B.putInt32host :: Int32 -> Builder),
    has (B.putInt64host :: Int64 -> Builder),
    has (B.putWordhost :: Word -> Builder),
    has (B.putInthost :: Int -> Builder),
    has (B.putCharUtf8 :: Char -> Builder),
    has (B.putStringUtf8 :: String -> Builder),
    has (B.append :: Builder -> Builder -> Builder),
    has (B.flush :: Builder)
  ]

binaryBuilders :: [()]
binaryBuilders =
  [ has (A.word8 :: Word8 -> Builder),
    has (A.int8 :: Int8 -> Builder),
    has (A.word16LE :: Word16 -> Builder),
    has (A.int16LE :: Int16 -> Builder),
    has (A.word32LE :: Word32 -> Builder),
    has (A.int32LE :: Int32 -> Builder),
    has (A.word64LE :: Word64 -> Builder),
    has (A.int64LE :: Int64 -> Builder),
    has (A.floatLE :: Float -> Builder),
    has (A.doubleLE :: Double -> Builder),
    has (A.word16BE :: Word16 -> Builder),
    has (A.int16BE :: Int16 -> Builder),
    has (A.word32BE :: Word32 -> Builder),
    has (A.int32BE :: Int32 -> Builder),
    has (A.word64BE :: Word64 -> Builder),
    has (A.int64BE :: Int64 -> Builder),
    has (A.floatBE :: Float -> Builder),
    has (A.doubleBE :: Double -> Builder),
    has (E.wordHost :: Word -> Builder),
    has (E.intHost :: Int -> Builder),
    has (E.word16Host :: Word16 -> Builder),
    has (E.int16Host :: Int16 -> Builder),
    has (E.word32Host :: Word32 -> Builder),
    has (E.int32Host :: Int32 -> Builder),
    has (E.word64Host :: Word64 -> Builder),
    has (E.int64Host :: Int64 -> Builder),
    has (E.floatHost :: Float -> Builder),
    has (E.doubleHost :: Double -> Builder)
  ]

binaryPrims :: [()]
binaryPrims =
  [ has (P.word8 :: FixedPrim Word8),
    has (P.int8 :: FixedPrim Int8),
    has (P.word16LE :: FixedPrim Word16),
    has (P.int16LE :: FixedPrim Int16),
    has (P.word32LE :: FixedPrim Word32),
    has (P.int32LE :: FixedPrim Int32),
    has (P.word64LE :: FixedPrim Word64),
    has (P.int64LE :: FixedPrim Int64),
    has (P.floatLE :: FixedPrim Float),
    has (P.doubleLE :: FixedPrim Double),
    has (P.word16BE :: FixedPrim Word16),
    has (P.int16BE :: FixedPrim Int16),
    has (P.word32BE :: FixedPrim Word32),
    has (P.int32BE :: FixedPrim Int32),
    has (P.word64BE :: FixedPrim Word64),
    has (P.int64BE :: FixedPrim Int64),
    has (P.floatBE :: FixedPrim Float),
    has (P.doubleBE :: FixedPrim Double),
    has (P.wordHost :: FixedPrim Word),
    has (P.intHost :: FixedPrim Int),
    has (P.word16Host :: FixedPrim Word16),
    has (P.int16Host :: FixedPrim Int16),
    has (P.word32Host :: FixedPrim Word32),
    has (P.int32Host :: FixedPrim Int32),
    has (P.word64Host :: FixedPrim Word64),
    has (P.int64Host :: FixedPrim Int64),
    has (P.floatHost :: FixedPrim Float),
    has (P.doubleHost :: FixedPrim Double)
  ]

textBuilders :: [()]
textBuilders =
  [ has (A.char7 :: Char -> Builder),
    has (A.string7 :: String -> Builder),
    has (A.char8 :: Char -> Builder),
    has (A.string8 :: String -> Builder),
    has (A.word8Dec :: Word8 -> Builder),
    has (A.word16Dec :: Word16 -> Builder),
    has (A.word32Dec :: Word32 -> Builder),
    has (A.word64Dec :: Word64 -> Builder),
    has (A.wordDec :: Word -> Builder),
    has (A.int8Dec :: Int8 -> Builder),
    has (A.int16Dec :: Int16 -> Builder),
    has (A.int32Dec :: Int32 -> Builder),
    has (A.int64Dec :: Int64 -> Builder),
    has (A.intDec :: Int -> Builder),
    has (A.integerDec :: Integer -> Builder),
    has (A.floatDec :: Float -> Builder),
    has (A.doubleDec :: Double -> Builder),
    has (A.word8Hex :: Word8 -> Builder),
    has (A.word16Hex :: Word16 -> Builder),
    has (A.word32Hex :: Word32 -> Builder),
    has (A.word64Hex :: Word64 -> Builder),
    has (A.wordHex :: Word -> Builder),
    has (A.word8HexFixed :: Word8 -> Builder),
    has (A.word16HexFixed :: Word16 -> Builder),
    has (A.word32HexFixed :: Word32 -> Builder),
    has (A.word64HexFixed :: Word64 -> Builder),
    has (A.int8HexFixed :: Int8 -> Builder),
    has (A.int16HexFixed :: Int16 -> Builder),
    has (A.int32HexFixed :: Int32 -> Builder),
    has (A.int64HexFixed :: Int64 -> Builder),
    has (A.floatHexFixed :: Float -> Builder),
    has (A.doubleHexFixed :: Double -> Builder),
    has (A.byteStringHex :: S.ByteString -> Builder),
    has (A.lazyByteStringHex :: L.ByteString -> Builder),
    has (A.formatFloat :: A.FloatFormat -> Float -> Builder),
    has (A.formatDouble :: A.FloatFormat -> Double -> Builder),
    has (A.standard :: Int -> A.FloatFormat),
    has (A.standardDefaultPrecision :: A.FloatFormat),
    has (A.scientific :: A.FloatFormat),
    has (A.generic :: A.FloatFormat)
  ]

textPrims :: [()]
textPrims =
  [ has (P.char7 :: FixedPrim Char),
    has (P.char8 :: FixedPrim Char),
    has (P.word8Dec :: BoundedPrim Word8),
    has (P.word16Dec :: BoundedPrim Word16),
    has (P.word32Dec :: BoundedPrim Word32),
    has (P.word64Dec :: BoundedPrim Word64),
    has (P.wordDec :: BoundedPrim Word),
    has (P.int8Dec :: BoundedPrim Int8),
    has (P.int16Dec :: BoundedPrim Int16),
    has (P.int32Dec :: BoundedPrim Int32),
    has (P.int64Dec :: BoundedPrim Int64),
    has (P.intDec :: BoundedPrim Int),
    has (P.word8Hex :: BoundedPrim Word8),
    has (P.word16Hex :: BoundedPrim Word16),
    has (P.word32Hex :: BoundedPrim Word32),
    has (P.word64Hex :: BoundedPrim Word64),
    has (P.wordHex :: BoundedPrim Word),
    has (P.word8HexFixed :: FixedPrim Word8),
    has (P.word16HexFixed :: FixedPrim Word16),
    has (P.word32HexFixed :: FixedPrim Word32),
    has (P.word64HexFixed :: FixedPrim Word64),
    has (P.int8HexFixed :: FixedPrim Int8),
    has (P.int16HexFixed :: FixedPrim Int16),
    has (P.int32HexFixed :: FixedPrim Int32),
    has (P.int64HexFixed :: FixedPrim Int64),
    has (P.floatHexFixed :: FixedPrim Float),
    has (P.doubleHexFixed :: FixedPrim Double),
    has (P.cstring :: Addr# -> Builder),
    has (P.cstringUtf8 :: Addr# -> Builder)
  ]
