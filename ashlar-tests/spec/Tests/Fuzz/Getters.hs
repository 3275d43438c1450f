{-# LANGUAGE DerivingStrategies #-}
{-# LANGUAGE OverloadedStrings #-}
{-# LANGUAGE TypeApplications #-}
-- One copy of the code for all types.
{-# OPTIONS_GHC -fno-specialise -Wno-deprecations #-}

-- |
-- Module      : Tests.Fuzz.Getters
-- Description : Decoders of every kind as targets of the fuzzer
module Tests.Fuzz.Getters (getters) where

import qualified Ashlar.ByteOrder as O
import qualified Ashlar.Compat.Binary.Get as B
import qualified Ashlar.Compat.Cereal as C
import Ashlar.Compat.Varint (intVLQ, prefixVarInt, wordVLQ)
import Ashlar.Get
import Ashlar.Get.Base64
import qualified Ashlar.Get.Decimal as D
import Ashlar.Get.Hex
import Ashlar.Get.Parse hiding (satisfy)
import Ashlar.Get.ST
import qualified Ashlar.Get.Time as Time
import Ashlar.Get.UUID
import Ashlar.Get.Varint
import Control.Applicative (many, (<|>))
import Data.Array.Unboxed (UArray)
import qualified Data.ByteString as S
import Data.Fixed (Centi, Pico, Uni)
import Data.Int (Int16, Int32, Int64, Int8)
import qualified Data.Vector as V
import qualified Data.Vector.Storable as SV
import qualified Data.Vector.Unboxed as U
import Data.Word (Word16, Word32, Word64, Word8)
import Test.QuickCheck.Arbitrary (arbitrary)
import Test.QuickCheck.Gen (unGen)
import Test.QuickCheck.Random (mkQCGen)
import Tests.Actions (runAction)
import Tests.Fuzz.Target
import Prelude hiding (takeWhile)

-- | All of them.
getters :: [Target]
getters = concat [pieces, numbers, varints, asText, parsers, around, compat, programs]

-- The first byte is a length, which may be negative.
counted :: (Int -> Get a) -> Get a
counted g = getInt8 >>= g . fromIntegral

pieces :: [Target]
pieces =
  [ getter "getByteString" (counted getByteString) ["\3abc", "\0", "\255"],
    getter "getByteStringCopy" (counted getByteStringCopy) ["\3abc"],
    getter "getShortByteString" (counted getShortByteString) ["\3abc"],
    getter "getLazyByteString" (counted (getLazyByteString . fromIntegral)) ["\3abc"],
    getter "getByteStringNul" (many getByteStringNul) ["abc\0\0"],
    getter "getLazyByteStringNul" (many getLazyByteStringNul) ["abc\0\0"],
    getter "getRemainingByteString" (getWord8 *> getRemainingByteString) ["abc"],
    getter "getRemainingLazyByteString" (getWord8 *> getRemainingLazyByteString) ["abc"],
    getter "skip" (counted skip *> bytesRead) ["\3abc"],
    getter
      "getTextUtf8"
      (counted getTextUtf8)
      ["\3abc", "\6a\xC3\xA9\xE2\x82\xAC", "\4\xF0\x9F\x98\x80"],
    getter "getRemainingTextUtf8" getRemainingTextUtf8 ["abc", "\xF0\x9F\x98\x80\xC3\xA9"]
  ]

numbers :: [Target]
numbers =
  [ getter "little endian" little [replicate 60 'a'],
    getter "big endian" big [replicate 60 'a'],
    getter "host" host [replicate 60 'a'],
    getter "by order" ((,) <$> ordered O.LittleEndian <*> ordered O.BigEndian) [replicate 88 'a'],
    getter "getVectorLE" (counted (getVectorLE @U.Vector @Word16)) ["\2abcd"],
    getter "getVectorBE" (counted (getVectorBE @SV.Vector @Int32)) ["\2abcdefgh"],
    getter "getVectorHost" (counted (getVectorHost @V.Vector @Double)) ["\1abcdefgh"],
    getter "getVectorOf" (counted (`getVectorOf` frame) :: Get (V.Vector S.ByteString)) ["\2\1a\0"]
  ]
  where
    little = (,,,,) <$> getWord16le <*> getWord24le <*> getInt32le <*> getInt64le <*> floats
    floats = (,,) <$> getFloatle <*> getDoublele <*> getInt24le
    big = (,,,,) <$> getWord16be <*> getWord24be <*> getInt32be <*> getInt64be <*> floatsBE
    floatsBE = (,,) <$> getFloatbe <*> getDoublebe <*> getInt24be
    host = (,,,) <$> getWordhost <*> getInt16host <*> getFloathost <*> getDoublehost
    ordered o = (,,,) <$> O.getWord16 o <*> O.getInt24 o <*> O.getWord64 o <*> O.getDouble o

frame :: Get S.ByteString
frame = getNested (fromIntegral <$> getInt8) getRemainingByteString

varints :: [Target]
varints =
  [ getter "LEB128, 16 bits" ((,) <$> getWord16LEB128 <*> getInt16LEB128) ["\x80\1\1"],
    getter "LEB128, 32 bits" ((,) <$> getWord32LEB128 <*> getInt32LEB128) ["\x80\1\1"],
    getter "LEB128, 64 bits" ((,) <$> getWord64LEB128 <*> getInt64LEB128) [longest ++ "\1"],
    getter "LEB128" ((,) <$> getWordLEB128 <*> getIntLEB128) ["\x80\1\1"],
    getter "varint" ((,,) <$> getWord32Varint <*> getWord64Varint <*> getIntVarint) ["\1\1\1"],
    getter "zigzag" ((,,) <$> getInt32Zigzag <*> getInt64Zigzag <*> getIntZigzag) ["\1\1\1"],
    getter "lenient varint" lenient ["\1\x80\x80\0\1", "\1\1" ++ longest],
    getter "lenient zigzag" lenientZigzag ["\1\x80\x80\0\1"],
    getter "lengthPrefixedVarint" (lengthPrefixedVarint getRemainingByteString) ["\3abc"],
    getter "lengthPrefixedVarintLenient" (lengthPrefixedVarintLenient takeHex) ["\x82\0ab"],
    getter "VLQ" ((,) <$> getVarint wordVLQ <*> getVarint intVLQ) ["\x81\1\1"],
    getter "prefixVarInt" (many (getVarint prefixVarInt)) ["\1\2\4\8", '\0' : replicate 8 'a']
  ]
  where
    longest = replicate 9 '\xFF' ++ "\1"
    lenient = (,,) <$> getWord32VarintLenient <*> getInt64VarintLenient <*> getWordVarintLenient
    lenientZigzag =
      (,,) <$> getInt32ZigzagLenient <*> getInt64ZigzagLenient <*> getIntZigzagLenient

asText :: [Target]
asText =
  [ getter "decimal Word8" (decimal :: Get Word8) decimals,
    getter "decimal Int" (decimal :: Get Int) decimals,
    getter "decimal Word64" (decimal :: Get Word64) decimals,
    getter "decimal Integer" (decimal :: Get Integer) decimals,
    getter "signedDecimal Int16" (signedDecimal :: Get Int16) decimals,
    getter "signedDecimal Int64" (signedDecimal :: Get Int64) decimals,
    getter "signedDecimal Integer" (signedDecimal :: Get Integer) decimals,
    getter "signed" (signed (decimal :: Get Int8)) decimals,
    getter "hexadecimal Word32" (hexadecimal :: Get Word32) ["0", "fFa0"],
    getter "hexadecimal Integer" (hexadecimal :: Get Integer) ["0", replicate 20 'f'],
    getter "double" double fractions,
    getter "float" float fractions,
    getter "fixed Uni" (D.fixed :: Get Uni) fractions,
    getter "fixed Centi" (D.fixed :: Get Centi) fractions,
    getter "fixed Pico" (D.fixed :: Get Pico) fractions,
    getter "scaled" D.scaled fractions,
    getter "day" Time.day ["2024-02-29", "-12345-01-31"],
    getter "timeOfDay" Time.timeOfDay ["23:59:60.5", "00:00"],
    getter "localTime" Time.localTime ["2024-02-29T23:59:60.123456789012", "2024-02-29 00:00"],
    getter "timeZone" Time.timeZone ["Z", "+01:30", "-0130", "+01"],
    getter "zonedTime" Time.zonedTime ["2024-02-29T23:59:60.5+01:00"],
    getter "utcTime" Time.utcTime ["2024-02-29T23:59:60Z", "2024-02-29T23:59:59.25-01:30"],
    getter "uuid" uuid ["123e4567-e89b-12d3-a456-426614174000"],
    getter "getBase64" (counted getBase64) ["\4QUI="],
    getter "getBase64Unpadded" (counted getBase64Unpadded) ["\3QUI"],
    getter "getBase64Url" (counted getBase64Url) ["\4-_8="],
    getter "takeBase64" takeBase64 ["QUJDQUI=", concat (replicate 12 "QUJDQUJDQUJD") ++ "QQ=="],
    getter "takeBase64Unpadded" takeBase64Unpadded ["QUJDQUI", concat (replicate 12 "+/JDQUJD")],
    getter "takeBase64Url" takeBase64Url ["-_JDQUI="],
    getter "takeBase64UrlUnpadded" takeBase64UrlUnpadded ["-_JDQUI"],
    getter "decodeBase64Lenient" lenient ["QU JD\nQUI=", "*Q-U_"],
    getter "getHex" (counted getHex) ["\4aBcD"],
    getter "takeHex" takeHex ["aBcD", concat (replicate 12 "0123456789abcdefABCDEF")]
  ]
  where
    decimals = ["0", "-1", "+65536", "18446744073709551616", replicate 60 '9']
    fractions = ["0", "-1.5", "1e5", "+0.1E-400", "4503599627370497.5", replicate 40 '1' ++ "e-20"]
    lenient = both <$> getRemainingByteString
    both bs = (decodeBase64Lenient bs, decodeBase64UrlLenient bs)

parsers :: [Target]
parsers =
  [ getter "take" takes ["abc  12\r\n\n"],
    getter "bytes" (many (bytes "abcdefgh" <|> bytes "abcd" <|> bytes "a")) ["abcdabcdefgha"],
    getter "optionBytes" ((,) <$> optionBytes "longer than eight" <*> optionBytes "") ["long"],
    getter "json" json ["{\"a\":[1,2.5,null,true,\"x\"],\"b\":{}}", "[[[]],[]]"],
    getter "brackets" (brackets :: Get Int) ["((())())"],
    getter "expression" expression ["1+2*(3-4)", "2^3^2"],
    getter "separated" separated ["1,2;3,4;!1:2:.1|2|"],
    getter "till" ((,,) <$> till <*> some' <*> skipManyTill anyWord8 (word8 59)) ["ab;cd;"],
    getter "many" manies ["aaabbbccc111"],
    getter "scan" (runScanner (0 :: Int) nesting) ["(a(b)c)d"],
    getter "next byte" nexts ["abcd"],
    getter "count" (counted (\n -> count n getWord8 <* skipCount n getWord8)) ["\2abcd"]
  ]
  where
    takes =
      (,,,) <$> takeWhile1 letter <*> (skipSpace *> takeTill (== 13)) <*> (endOfLine *> endOfLine)
        <*> ((,) <$> takeWhile letter <*> takeTillByte 0)
    letter w = w >= 97 && w <= 122
    some' = someTill anyWord8 (word8 0)
    till = manyTill_ anyWord8 (word8 59)
    nesting depth w
      | w == 40 = Just (depth + 1)
      | w == 41 = if depth > 0 then Just (depth - 1) else Nothing
      | otherwise = Just depth
    manies =
      (,,,) <$> many1 (word8 97) <*> many' (word8 98) <*> manyFold (+) 0 (word8 99)
        <*> ((,) <$> manyWhile (== 49) anyWord8 <*> rest)
    rest = skipMany (notWord8 0) *> skipManyWhile (> 9) anyWord8
    nexts =
      (,,,) <$> peekWord8 <*> satisfyWith (+ 1) even <*> peekWord8'
        <*> ((,) <$> switch (pure 0) next <*> optionIf (> 9) decimal')
    next w = if w == 99 then anyWord8 else pure 1
    decimal' = decimal :: Get Int

-- Enough of JSON.
data Json
  = Null
  | Bool Bool
  | Number Double
  | String S.ByteString
  | Array [Json]
  | Object [(S.ByteString, Json)]
  deriving stock (Show)

json :: Get Json
json = deeper $ do
  skipSpace
  w <- peekWord8'
  case w of
    0x22 -> String <$> string
    0x5B -> Array <$> between (word8 0x5B) (token 0x5D) (json `sepBy` token 0x2C)
    0x7B -> Object <$> between (word8 0x7B) (token 0x7D) (pair `sepBy'` token 0x2C)
    _ -> label "atom" (Null <$ bytes "null" <|> Bool <$> truth <|> Number <$> double) <?> "a value"
  where
    token w = skipSpace *> word8 w
    string = word8 0x22 *> takeTillByte 0x22 <* anyWord8
    pair = (,) <$> (skipSpace *> string <* token 0x3A) <*> json
    truth = True <$ bytes "true" <|> False <$ bytes "false"

brackets :: Get Int
brackets = (+ 1) . sum <$> many (deeper (word8 40 *> brackets <* word8 41))

expression :: Get Integer
expression = term `chainl1` ((+) <$ word8 43 <|> (-) <$ word8 45)
  where
    term = chainl power ((*) . (`mod` 1000) <$ word8 42) 1
    power = chainr1 atom (const . (`mod` 1000) <$ word8 94)
    atom = between (word8 40) (word8 41) (deeper expression) <|> decimal

separated :: Get [[Int]]
separated =
  sequence
    [ decimal `sepBy1'` word8 44,
      option [] (word8 59 *> decimal `sepBy1` word8 44),
      (decimal <|> 7 <$ word8 33) `endBy` word8 59,
      decimal `sepEndBy` word8 58,
      either id pure <$> eitherP (decimal `endBy1` word8 46) (0 <$ word8 95),
      choice [decimal `sepEndBy1` word8 124, [] <$ word8 126]
    ]

around :: [Target]
around =
  [ getter "frames" (many frame) ["\3abc\0\1a", "\5\3abc\0"],
    getter "frames in frames" (frames 3) ["\5\3\1a\0\0"],
    getter "isolate" (counted (\n -> isolate n (many getWord16be))) ["\4abcd"],
    getter "isolateAtMost" (counted (\n -> isolateAtMost n (many getWord16be))) ["\4abcde"],
    getter "match" (match (counted skip *> bytesRead)) ["\2ab"],
    getter
      "lookAhead"
      ((,) <$> lookAhead getWord32be <*> ahead <* notFollowedBy (word8 0))
      ["abcdef"],
    getter "commit" (many ((getWord8 *> commit *> word8 97) <|> getWord8 <* word8 98)) ["aabab"],
    getter "satisfy" (many (satisfy even)) ["bdf"],
    getter "isEmpty" ((,) <$> many (isEmpty >>= atEnd) <*> isEmpty) ["ab"],
    getter "ST" inST ["abcd"]
  ]
  where
    frames :: Int -> Get [S.ByteString]
    frames depth
      | depth == 0 = many frame
      | otherwise =
        concat <$> many (getNested (fromIntegral <$> getWord8) (deeper (frames (depth - 1))))
    atEnd end = if end then endOfInput *> getWord8 else getWord8
    inST :: Get Word32
    inST = runGetST (labelST "st" (liftGet getWord8 *> isolateST 3 three))
    three :: GetST s Word32
    three = lookAheadST (liftGet getWord16le) *> deeperST (liftGet getWord24be)
    ahead = (,) <$> lookAheadM (even' <$> getWord8) <*> lookAheadE (odd' <$> getWord16le)
    even' w = if even w then Just w else Nothing
    odd' w = if odd w then Left w else Right w

compat :: [Target]
compat =
  [ getter
      "binary's remaining"
      ((,) <$> B.remaining <*> counted (`B.isolate` B.getRemainingLazyByteString))
      ["\2ab"],
    getter
      "binary's lookAhead"
      ((,) <$> B.lookAheadM (Just <$> B.getWord32le) <*> B.getLazyByteStringNul)
      ["abcdef\0"],
    getter
      "cereal's ensure"
      (counted (\n -> C.ensure n *> C.remaining <* C.uncheckedSkip n))
      ["\2ab"],
    getter "cereal's getListOf" (C.getListOf C.getWord16le) [announced 2 ++ "abcd"],
    getter
      "cereal's getIArrayOf"
      (C.getIArrayOf C.getWord8 C.getWord8 :: Get (UArray Word8 Word8))
      ["\0\1" ++ announced 2 ++ "ab"],
    getter "cereal's containers" containers [concat (replicate 4 (announced 1 ++ "aaaaaaaaa"))],
    getter
      "cereal's sums"
      ((,) <$> C.getMaybeOf C.getWord8 <*> C.getEitherOf C.getWord8 C.getInt8)
      ["\1a\0a"],
    getter "cereal's getTreeOf" (C.getTreeOf C.getWord8) ['a' : announced 1 ++ "b" ++ announced 0],
    getter "cereal's getNested" (C.getNested (fromIntegral <$> C.getWord8) (C.getBytes 2)) ["\2ab"]
  ]
  where
    announced n = replicate 7 '\0' ++ [toEnum n] :: String
    containers =
      (,,,) <$> C.getMapOf C.getWord8 C.getInt64be <*> C.getSeqOf C.getWord8
        <*> C.getSetOf C.getWord8
        <*> C.getIntMapOf (fromIntegral <$> C.getWord8) C.getWord8

-- Decoders that nobody has written.
programs :: [Target]
programs =
  [ getter ("random decoder " ++ show n) (runAction (made n)) ["\0\1\2\3\4\5\6\7"]
    | n <- [1 .. 100]
  ]
  where
    made n = unGen arbitrary (mkQCGen n) 40
