-- |
-- Module      : Tests.Utf16
-- Description : Texts in UTF-16, and with short lengths
module Tests.Utf16 (tests) where

import Ashlar.Builder
import Ashlar.Codec
import Ashlar.Codec.Wrappers (Compact (..), UTF16 (..))
import Ashlar.Get (runGetLazy)
import Data.Bits (shiftL, shiftR, (.&.), (.|.))
import qualified Data.ByteString as S
import qualified Data.ByteString.Lazy as L
import Data.Char (chr, ord)
import Data.Either (isLeft)
import qualified Data.Text as T
import qualified Data.Text.Encoding as T
import Data.Word (Word16, Word8)
import Test.Tasty
import Test.Tasty.QuickCheck hiding ((.&.))
import Tests.Everywhere

tests :: TestTree
tests =
  testGroup
    "texts in other formats"
    [ testProperty "UTF-16 of any length" $
        forAll texts $ \s ->
          let units = concatMap unitsOf s
              bytes = lengthOf units <> littleEndian units
              x = UTF16 (T.pack s)
           in throughSinks bytes (put x)
                .&&. encodedSize x === S.length bytes
                .&&. readBack bytes x,
      testProperty "UTF-16 of more units than one foreign call gets" $
        forAll longTexts $ \s ->
          let units = concatMap unitsOf s
              bytes = lengthOf units <> littleEndian units
              x = UTF16 (T.pack s)
           in encode x === bytes .&&. encodeLazy x === L.fromStrict bytes
                .&&. encodedSize x === S.length bytes
                .&&. decode bytes === Right x,
      testProperty "units, in pairs or not" $
        forAll (frequency [(9, anyUnits), (1, afterMany)]) $ \units ->
          let bytes = lengthOf units <> littleEndian units
           in case charactersOf units of
                Just s -> decode bytes === Right (UTF16 (T.pack s))
                Nothing -> property (isLeft (decode bytes :: Either DecodeError UTF16)),
      testProperty "a text with a short length" $
        forAll (oneof [texts, longTexts]) $ \s ->
          let body = T.encodeUtf8 (T.pack s)
              bytes = S.pack (varint (S.length body)) <> body
              x = Compact (T.pack s)
           in (if length s < 300 then throughSinks bytes (put x) else encode x === bytes)
                .&&. encodedSize x === S.length bytes
                .&&. readBack bytes x,
      testProperty "a text with a short length, wherever the free space ends" $
        forAll texts $ \s ->
          forAll (choose (0, 200)) $ \before ->
            let body = T.encodeUtf8 (T.pack s)
                bytes = S.replicate before 7 <> S.pack (varint (S.length body)) <> body
             in throughSinks bytes (foldMap word8 (replicate before 7) <> put (Compact (T.pack s)))
    ]

-- From one chunk, and from two.
readBack :: (Codec a, Eq a, Show a) => S.ByteString -> a -> Property
readBack bytes x =
  decode bytes === Right x .&&. forAll (choose (0, S.length bytes)) inTwo
  where
    inTwo i = runGetLazy get (L.fromChunks [S.take i bytes, S.drop i bytes]) === Right x

-- Mostly of one kind of character, and of lengths around those of words, of copies without a call,
-- and of a varint of one byte.
texts :: Gen String
texts = do
  n <- oneof [choose (0, 20), elements [29 .. 35], elements [61 .. 67], elements [125 .. 130]]
  kind <- elements kinds
  vectorOf n (frequency [(9, kind), (1, oneof kinds)])

longTexts :: Gen String
longTexts = do
  n <- elements [5000, 16383, 16384, 21845, 21846, 32767, 32768, 32769, 65536, 70000]
  few <- choose (0, 3)
  start <- vectorOf few (oneof kinds)
  c <- oneof kinds
  pure (start ++ replicate n c)

kinds :: [Gen Char]
kinds =
  [ choose ('\0', '\x7F'),
    choose ('\x80', '\x7FF'),
    choose ('\x800', '\x7FFF'),
    oneof [choose ('\x8000', '\xD7FF'), choose ('\xE000', '\xFFFF')],
    choose ('\x10000', maxBound)
  ]

anyUnits :: Gen [Word16]
anyUnits = do
  n <- oneof [choose (0, 10), choose (28, 36), choose (60, 70), choose (120, 140)]
  odds <- elements [0, 1, 5]
  concat <$> vectorOf n (frequency [(20, unitsOf <$> oneof kinds), (odds, pure <$> surrogate)])
  where
    surrogate = choose (0xD800, 0xDFFF)

-- With more units than one call gets.
afterMany :: Gen [Word16]
afterMany = (++) <$> (flip replicate 65 <$> choose (32700, 32780)) <*> anyUnits

-- The units of a character that is no surrogate (RFC 2781).
unitsOf :: Char -> [Word16]
unitsOf c
  | n < 0x10000 = [fromIntegral n]
  | otherwise =
    [ 0xD800 .|. fromIntegral ((n - 0x10000) `shiftR` 10),
      0xDC00 .|. fromIntegral ((n - 0x10000) .&. 0x3FF)
    ]
  where
    n = ord c

charactersOf :: [Word16] -> Maybe String
charactersOf units = case units of
  [] -> Just []
  a : rest
    | a < 0xD800 || a > 0xDFFF -> (chr (fromIntegral a) :) <$> charactersOf rest
    | a < 0xDC00,
      b : rest' <- rest,
      b >= 0xDC00 && b <= 0xDFFF ->
      let high = (fromIntegral a - 0xD800) `shiftL` 10
       in (chr (0x10000 + high + fromIntegral b - 0xDC00) :) <$> charactersOf rest'
    | otherwise -> Nothing

lengthOf :: [Word16] -> S.ByteString
lengthOf units = S.pack [fromIntegral (length units `shiftR` (8 * i)) | i <- [0 .. 7]]

littleEndian :: [Word16] -> S.ByteString
littleEndian = S.pack . concatMap (\u -> [fromIntegral u, fromIntegral (u `shiftR` 8)])

varint :: Int -> [Word8]
varint n
  | n < 0x80 = [fromIntegral n]
  | otherwise = fromIntegral (n .&. 0x7F .|. 0x80) : varint (n `shiftR` 7)
