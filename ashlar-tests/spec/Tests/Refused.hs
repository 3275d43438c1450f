{-# LANGUAGE OverloadedStrings #-}

-- |
-- Module      : Tests.Refused
-- Description : Bytes that encode no value of a type, each with the offset of the error
module Tests.Refused (tests) where

import Ashlar.Codec
import Ashlar.Codec.Unsafe (AsStorable (..))
import Ashlar.Codec.Wrappers
import Control.Monad (forM_)
import Data.Array (Array)
import Data.Array.Unboxed (UArray)
import Data.Bits (finiteBitSize)
import qualified Data.ByteString as S
import Data.Int
import Data.List.NonEmpty (NonEmpty)
import Data.Ratio (Ratio)
import qualified Data.Text as T
import Data.Time.Calendar (Day (..), DayOfWeek)
import Data.Time.Clock (UTCTime (..))
import Data.Time.Clock.System (SystemTime (..))
import Data.Time.LocalTime (TimeOfDay (..))
import Data.Void (Void)
import Data.Word
import Numeric.Natural (Natural)
import Test.Tasty
import Test.Tasty.HUnit

tests :: TestTree
tests =
  testGroup
    "refused"
    [ testCase "invalid integers of any size" numbers,
      testCase "invalid fractions" fractions,
      testCase "arrays whose bounds lie" arrays,
      testCase "dates and times out of range" times,
      testCase "invalid varints" varints,
      testCase "invalid compact lengths" compact,
      testCase "invalid UTF-16" utf16,
      testCase "other invalid values" others
    ]

-- The bytes are invalid. The error has this offset.
refused :: (Show a) => Either DecodeError a -> Int64 -> Assertion
refused r offset = case r of
  Left (DecodeError {errorOffset = at, errorReason = Invalid _}) -> at @?= offset
  other -> assertFailure (show other)

-- The value exceeds the budget. The error has this offset.
overBudget :: (Show a) => Either DecodeError a -> Int64 -> Assertion
overBudget r offset = case r of
  Left (DecodeError {errorOffset = at, errorReason = OverBudget _}) -> at @?= offset
  other -> assertFailure (show other)

missing :: (Show a) => Either DecodeError a -> Assertion
missing r = case r of
  Left (DecodeError {errorReason = MissingInput _ _}) -> pure ()
  other -> assertFailure (show other)

-- More bytes than there are, or, where an Int has 32 bits, than there can be.
tooLong :: (Show a) => Either DecodeError a -> Assertion
tooLong r = case r of
  Left (DecodeError {errorReason = Invalid _}) | finiteBitSize (0 :: Int) == 32 -> pure ()
  _ -> missing r

numbers :: Assertion
numbers = do
  refused (decode "\2\0" :: Either DecodeError Integer) 1
  refused (decode "\4\1\0" :: Either DecodeError Integer) 1
  refused (decode ("\x12" <> S.replicate 8 1 <> "\0") :: Either DecodeError Integer) 1
  refused (decode "\1" :: Either DecodeError Integer) 1
  refused (decode "\x82\0\1" :: Either DecodeError Integer) 0
  refused (decode "\1\0" :: Either DecodeError Natural) 1
  refused (decode ("\x11" <> S.replicate 16 1 <> "\0") :: Either DecodeError Natural) 1
  tooLong
    ( decode ("\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x7F" <> S.replicate 100 1) ::
        Either DecodeError Natural
    )
  tooLong
    ( decode ("\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\1" <> S.replicate 100 1) ::
        Either DecodeError Integer
    )
  refused
    ( decode ("\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\1" <> S.replicate 100 1) ::
        Either DecodeError Natural
    )
    10

fractions :: Assertion
fractions = do
  refused (decode (encode (1 :: Int8, 0 :: Int8)) :: Either DecodeError (Ratio Int8)) 0
  refused (decode (encode (1 :: Int8, -1 :: Int8)) :: Either DecodeError (Ratio Int8)) 0
  refused (decode (encode (2 :: Int8, 4 :: Int8)) :: Either DecodeError (Ratio Int8)) 0
  refused (decode (encode (0 :: Word, 2 :: Word)) :: Either DecodeError (Ratio Word)) 0
  refused (decode (encode (2 :: Integer, 4 :: Integer)) :: Either DecodeError Rational) 0
  refused (decode (encode (2 :: Integer, 0 :: Integer)) :: Either DecodeError Rational) 0

arrays :: Assertion
arrays = do
  refused
    ( decode (encode ((0, 5) :: (Word8, Word8), "a" :: String)) ::
        Either DecodeError (Array Word8 Char)
    )
    2
  refused
    ( decode (encode ((0, 0) :: (Word8, Word8), "" :: String)) ::
        Either DecodeError (Array Word8 Char)
    )
    2
  refused
    ( decode (encode ((1, 0) :: (Word8, Word8), "a" :: String)) ::
        Either DecodeError (Array Word8 Char)
    )
    2
  refused
    ( decode (encode ((minBound, maxBound) :: (Int, Int), "" :: String)) ::
        Either DecodeError (Array Int Char)
    )
    16
  -- The numbers of elements overflow, to 0 and to the number that is there.
  refused
    ( decode
        ( encode
            ( ((0, 0), (most, most)) :: ((Int, Int), (Int, Int)),
              "" :: String
            )
        ) ::
        Either
          DecodeError
          (Array (Int, Int) Char)
    )
    32
  refused
    ( decode
        (encode (((0, 0), (2, inverse - 1)) :: ((Int, Int), (Int, Int)), "a" :: String)) ::
        Either
          DecodeError
          (Array (Int, Int) Char)
    )
    32
  refused
    ( decode
        (encode (((0, 0), (2, inverse - 1)) :: ((Int, Int), (Int, Int)), [1] :: [Word8])) ::
        Either
          DecodeError
          (UArray (Int, Int) Word8)
    )
    32
  -- One dimension is huge, the other one is empty.
  ( decode (encode (((0, 0), (maxBound, -1)) :: ((Int, Int), (Int, Int)), "" :: String)) ::
      Either DecodeError (Array (Int, Int) Char)
    )
    `returns` ()
  refused
    ( decode (encode (((0, 0), (maxBound, -1)) :: ((Int, Int), (Int, Int)), "a" :: String)) ::
        Either DecodeError (Array (Int, Int) Char)
    )
    32
  -- More empty elements than the budget allows.
  overBudget
    ( decode (encode (0 :: Int, maxBound - 1 :: Int, maxBound :: Int)) ::
        Either DecodeError (Array Int ())
    )
    24
  where
    most = 2 ^ (finiteBitSize (0 :: Int) `div` 2) - 1
    -- Three times this is 1, modulo 2^64 and 2^32.
    inverse = fromInteger (-6148914691236517205)
    returns r () = either (assertFailure . show) (const (pure ())) r

times :: Assertion
times = do
  refused
    ( decode (encode (ModifiedJulianDay 1, 86401 * 10 ^ (12 :: Int) :: Integer)) ::
        Either DecodeError UTCTime
    )
    2
  refused (decode (encode (ModifiedJulianDay 1, -1 :: Integer)) :: Either DecodeError UTCTime) 2
  refused
    ( decode (encode (24 :: Word8, 0 :: Word8, 0 :: Integer)) ::
        Either DecodeError TimeOfDay
    )
    0
  refused
    ( decode (encode (0 :: Word8, 60 :: Word8, 0 :: Integer)) ::
        Either DecodeError TimeOfDay
    )
    1
  refused
    ( decode (encode (0 :: Word8, 0 :: Word8, 61 * 10 ^ (12 :: Int) :: Integer)) ::
        Either DecodeError TimeOfDay
    )
    2
  refused (decode (encode (TimeOfDay 300 0 0)) :: Either DecodeError TimeOfDay) 0
  refused (decode (encode (MkSystemTime 0 2000000000)) :: Either DecodeError SystemTime) 8
  refused (decode "\0" :: Either DecodeError DayOfWeek) 0
  refused (decode "\8" :: Either DecodeError DayOfWeek) 0

varints :: Assertion
varints = do
  refused (decode "\x80\0" :: Either DecodeError (Varint Word)) 0
  refused (decode "\x80\x80\0" :: Either DecodeError (Varint Word)) 0
  refused (decode (S.replicate 9 0xFF <> "\2") :: Either DecodeError (Varint Word64)) 0
  refused (decode (S.replicate 9 0xFF <> "\x81\0") :: Either DecodeError (Varint Word64)) 0
  refused (decode (S.replicate 100 0xFF) :: Either DecodeError (Varint Word64)) 0
  refused (decode "\x80\2" :: Either DecodeError (Varint Word8)) 0
  refused (decode "\x80\1" :: Either DecodeError (Varint Int8)) 0
  refused (decode "\x80\2" :: Either DecodeError (Zigzag Int8)) 0
  missing (decode (S.replicate 9 0xFF) :: Either DecodeError (Varint Word64))

compact :: Assertion
compact = do
  refused (decode (S.replicate 9 0xFF <> "\1") :: Either DecodeError (Compact T.Text)) 0
  forM_
    [ S.replicate 8 0xFF <> "\x7F",
      "\x80\x80\x80\x80\x80\x80\x80\x80\x20",
      "\x81\x80\x80\x80\x80\x80\x80\x80\x20"
    ]
    $ \n -> do
      tooLong (decode n :: Either DecodeError (Compact T.Text))
      tooLong (decode n :: Either DecodeError (Compact [Word64]))
      tooLong (decode n :: Either DecodeError (Compact S.ByteString))

utf16 :: Assertion
utf16 = do
  refused (decode (encode [0xD800 :: Word16]) :: Either DecodeError UTF16) 8
  refused (decode (encode [0xDC00 :: Word16]) :: Either DecodeError UTF16) 8
  refused (decode (encode [0xD800, 0x61 :: Word16]) :: Either DecodeError UTF16) 8
  refused (decode (encode [0xDBFF, 0xDBFF, 0xDC00 :: Word16]) :: Either DecodeError UTF16) 8
  refused (decode (encode [0xDC00, 0xD800 :: Word16]) :: Either DecodeError UTF16) 8
  refused (decode (encode (maxBound :: Int)) :: Either DecodeError UTF16) 8
  missing (decode (encode (maxBound `div` 2 :: Int)) :: Either DecodeError UTF16)

others :: Assertion
others = do
  refused (decode (encode T.empty) :: Either DecodeError (NonEmpty Char)) 0
  refused (decode "" :: Either DecodeError Void) 0
  refused (decode (encode '\xD800') :: Either DecodeError ScalarValue) 0
  refused (decode (encode '\xDFFF') :: Either DecodeError ScalarValue) 0
  refused (decode "\2\0\0\0" :: Either DecodeError (AsStorable Bool)) 0
