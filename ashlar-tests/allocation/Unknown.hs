{-# LANGUAGE OverloadedStrings #-}

-- |
-- Module      : Unknown
-- Description : Functions that return builders, called by code that does not know them
--
-- Such a call returns a closure: a word for the code, and one for each argument. A partial
-- application would be two words longer, and the runtime system would have to apply it. GHC makes
-- one if the compiled function also takes what a run needs.
module Unknown (closures) where

import Ashlar.Builder
import qualified Ashlar.Builder.Extra as Extra
import qualified Ashlar.Builder.Prim as Prim
import qualified Ashlar.ByteOrder as Order
import Control.Monad (when)
import Measure
import Test.Tasty.HUnit

closures :: Assertion
closures =
  sequence_
    [ one "word8" word8 1,
      one "int8" int8 1,
      one "word16LE" word16LE 1,
      one "word24LE" word24LE 1,
      one "word32LE" word32LE 1,
      one "word64LE" word64LE 1,
      one "int16LE" int16LE 1,
      one "int24LE" int24LE 1,
      one "int32LE" int32LE 1,
      one "int64LE" int64LE 1,
      one "word16BE" word16BE 1,
      one "word24BE" word24BE 1,
      one "word32BE" word32BE 1,
      one "word64BE" word64BE 1,
      one "int16BE" int16BE 1,
      one "int24BE" int24BE 1,
      one "int32BE" int32BE 1,
      one "int64BE" int64BE 1,
      one "floatLE" floatLE 1,
      one "doubleLE" doubleLE 1,
      one "floatBE" floatBE 1,
      one "doubleBE" doubleBE 1,
      one "word16Host" Extra.word16Host 1,
      one "word32Host" Extra.word32Host 1,
      one "word64Host" Extra.word64Host 1,
      one "wordHost" Extra.wordHost 1,
      one "int16Host" Extra.int16Host 1,
      one "int32Host" Extra.int32Host 1,
      one "int64Host" Extra.int64Host 1,
      one "intHost" Extra.intHost 1,
      one "floatHost" Extra.floatHost 1,
      one "doubleHost" Extra.doubleHost 1,
      one "word8Dec" word8Dec 1,
      one "word16Dec" word16Dec 1,
      one "word32Dec" word32Dec 1,
      one "word64Dec" word64Dec 1,
      one "wordDec" wordDec 1,
      one "int8Dec" int8Dec 1,
      one "int16Dec" int16Dec 1,
      one "int32Dec" int32Dec 1,
      one "int64Dec" int64Dec 1,
      one "intDec" intDec 1,
      one "floatDec" floatDec 1,
      one "doubleDec" doubleDec 1,
      one "word8Hex" word8Hex 1,
      one "word16Hex" word16Hex 1,
      one "word32Hex" word32Hex 1,
      one "word64Hex" word64Hex 1,
      one "wordHex" wordHex 1,
      one "word8HexFixed" word8HexFixed 1,
      one "word16HexFixed" word16HexFixed 1,
      one "word32HexFixed" word32HexFixed 1,
      one "word64HexFixed" word64HexFixed 1,
      one "int8HexFixed" int8HexFixed 1,
      one "int16HexFixed" int16HexFixed 1,
      one "int32HexFixed" int32HexFixed 1,
      one "int64HexFixed" int64HexFixed 1,
      one "floatHexFixed" floatHexFixed 1,
      one "doubleHexFixed" doubleHexFixed 1,
      one "byteString" byteString "text",
      one "byteStringCopy" Extra.byteStringCopy "text",
      one "char7" char7 'a',
      one "char8" char8 'a',
      one "charUtf8" charUtf8 'a',
      two "append" (<>) (word8 1) (word8 2),
      two "word16" Order.word16 Order.BigEndian 1,
      two "word24" Order.word24 Order.BigEndian 1,
      two "word32" Order.word32 Order.BigEndian 1,
      two "word64" Order.word64 Order.BigEndian 1,
      two "int16" Order.int16 Order.BigEndian 1,
      two "int24" Order.int24 Order.BigEndian 1,
      two "int32" Order.int32 Order.BigEndian 1,
      two "int64" Order.int64 Order.BigEndian 1,
      two "float" Order.float Order.BigEndian 1,
      two "double" Order.double Order.BigEndian 1,
      two "primFixed" Prim.primFixed Prim.word8 1,
      two "primBounded" Prim.primBounded Prim.word8Dec 1
    ]
  where
    one :: String -> (a -> Builder) -> a -> Assertion
    one name f x = closure name 2 (\n -> calls f x n)
    two :: String -> (a -> b -> Builder) -> a -> b -> Assertion
    two name f x y = closure name 3 (\n -> calls2 f x y n)
    closure name size' run = do
      each <- perElement (allocatedBy run)
      when (each > 8 * size' + 0.1) $ assertFailure (name ++ ": " ++ show each ++ " bytes")

calls :: (a -> Builder) -> a -> Int -> ()
calls f x n
  | n == 0 = ()
  | otherwise = f x `seq` calls f x (n - 1)
{-# NOINLINE calls #-}

calls2 :: (a -> b -> Builder) -> a -> b -> Int -> ()
calls2 f x y n
  | n == 0 = ()
  | otherwise = f x y `seq` calls2 f x y (n - 1)
{-# NOINLINE calls2 #-}
