{-# LANGUAGE DerivingStrategies #-}

-- |
-- Module      : Tests.Programs
-- Description : Random builder programs, and what they should write
module Tests.Programs
  ( Program (..),
    build,
    model,
    checkSizes,
  )
where

import Ashlar.Builder
import Ashlar.Builder.Extra (byteStringCopy, byteStringInsert, flush)
import Data.Bits (shiftR)
import qualified Data.ByteString as S
import qualified Data.ByteString.Lazy as L
import qualified Data.ByteString.Short as SBS
import Data.Char (ord)
import Data.Int (Int32)
import qualified Data.Text as T
import qualified Data.Text.Lazy as TL
import Data.Word (Word16, Word64, Word8)
import Test.QuickCheck

-- | A builder as a tree of appends of any shape.
data Program
  = Nothing'
  | Append Program Program
  | Concat [Program]
  | Byte Word8
  | Little Word16
  | Big Int32
  | Wide Word64
  | Fields Word8 Int32 Word64
  | Copied S.ByteString
  | Plain S.ByteString
  | Inserted S.ByteString
  | Chunks [S.ByteString]
  | Short S.ByteString
  | Character Char
  | Characters String
  | TextOf String
  | LazyTextOf [String]
  | Flushed
  | Times Int Program
  deriving stock (Show)

instance Arbitrary Program where
  arbitrary = sized program
  shrink p = case p of
    Append a b -> [a, b] ++ [Append a' b | a' <- shrink a] ++ [Append a b' | b' <- shrink b]
    Concat ps -> ps ++ map Concat (shrink ps)
    Times n a -> a : [Times n' a | n' <- shrink n, n' >= 0]
    Nothing' -> []
    _ -> [Nothing']

program :: Int -> Gen Program
program n
  | n <= 1 = leaf
  | otherwise =
    frequency
      [ (4, Append <$> program (n `div` 2) <*> program (n `div` 2)),
        (2, Append <$> leaf <*> program (n - 1)),
        (1, Concat <$> (choose (0, 5) >>= \k -> vectorOf k (program (n `div` 5)))),
        (1, Times <$> choose (0, 4) <*> program (n `div` 4)),
        (1, leaf)
      ]

leaf :: Gen Program
leaf =
  oneof
    [ pure Nothing',
      Byte <$> arbitrary,
      Little <$> arbitrary,
      Big <$> arbitrary,
      Wide <$> arbitrary,
      Fields <$> arbitrary <*> arbitrary <*> arbitrary,
      Copied <$> bytes,
      Plain <$> bytes,
      Inserted <$> bytes,
      Chunks <$> (choose (0, 4) >>= \k -> vectorOf k bytes),
      Short <$> bytes,
      Character <$> character,
      Characters <$> string,
      TextOf . map notSurrogate <$> string,
      LazyTextOf . map (map notSurrogate) <$> (choose (0, 3) >>= \k -> vectorOf k string),
      pure Flushed
    ]

-- Lengths around those at which the code changes.
bytes :: Gen S.ByteString
bytes = do
  n <- frequency [(6, choose (0, 40)), (1, choose (100, 300)), (1, elements [8191, 8192, 8193])]
  start <- arbitrary
  pure (S.pack (take n (iterate (+ 7) start)))

character :: Gen Char
character =
  oneof
    [ choose ('\0', '\x7F'),
      choose ('\x80', '\x7FF'),
      choose ('\x800', '\xFFFF'),
      choose ('\x10000', '\x10FFFF'),
      elements "\0\x7F\x80\x7FF\x800\xD800\xDFFF\xFFFF\x10000\x10FFFF"
    ]

string :: Gen String
string = do
  n <- choose (0, 30)
  -- Mostly ASCII, for the loops that take several characters at once.
  vectorOf n (frequency [(8, choose (' ', '~')), (1, character)])

-- The character that Data.Text holds in place of this one.
notSurrogate :: Char -> Char
notSurrogate c = if c >= '\xD800' && c <= '\xDFFF' then '\xFFFD' else c

-- | Checks how much random programs write, given the bytes of one: a share of them fills small
-- buffers, and a share exceeds the first buffer of every way to run them.
checkSizes :: Testable p => [Word8] -> p -> Property
checkSizes out =
  checkCoverage
    . cover 25 (length out > 100) "write more than 100 bytes"
    . cover 10 (length out > 4096) "write more than 4096 bytes"

-- | The program as a builder.
build :: Program -> Builder
build p = case p of
  Nothing' -> mempty
  Append a b -> build a <> build b
  Concat ps -> mconcat (map build ps)
  Byte x -> word8 x
  Little x -> word16LE x
  Big x -> int32BE x
  Wide x -> word64LE x
  Fields x y z -> word8 x <> int32BE y <> word64LE z
  Copied bs -> byteStringCopy bs
  Plain bs -> byteString bs
  Inserted bs -> byteStringInsert bs
  Chunks bss -> lazyByteString (L.fromChunks bss)
  Short bs -> shortByteString (SBS.toShort bs)
  Character c -> charUtf8 c
  Characters s -> stringUtf8 s
  TextOf s -> textUtf8 (T.pack s)
  LazyTextOf ss -> lazyTextUtf8 (TL.fromChunks (map T.pack ss))
  Flushed -> flush
  Times n a -> mconcat (replicate n (build a))

-- | The bytes that the program should write.
model :: Program -> [Word8]
model p = case p of
  Nothing' -> []
  Append a b -> model a ++ model b
  Concat ps -> concatMap model ps
  Byte x -> [x]
  Little x -> littleEndian 2 (fromIntegral x)
  Big x -> reverse (littleEndian 4 (fromIntegral x))
  Wide x -> littleEndian 8 (fromIntegral x)
  Fields x y z -> x : model (Big y) ++ model (Wide z)
  Copied bs -> S.unpack bs
  Plain bs -> S.unpack bs
  Inserted bs -> S.unpack bs
  Chunks bss -> concatMap S.unpack bss
  Short bs -> S.unpack bs
  Character c -> utf8 c
  Characters s -> concatMap utf8 s
  TextOf s -> concatMap utf8 s
  LazyTextOf ss -> concatMap utf8 (concat ss)
  Flushed -> []
  Times n a -> concat (replicate n (model a))

littleEndian :: Int -> Integer -> [Word8]
littleEndian n x = [fromInteger (x `shiftR` (8 * i)) | i <- [0 .. n - 1]]

utf8 :: Char -> [Word8]
utf8 c
  | x < 0x80 = [b x]
  | x < 0x800 = [b (0xC0 + x `div` 64), t x]
  | x < 0x10000 = [b (0xE0 + x `div` 4096), t (x `div` 64), t x]
  | otherwise = [b (0xF0 + x `div` 262144), t (x `div` 4096), t (x `div` 64), t x]
  where
    x = ord c
    b = fromIntegral :: Int -> Word8
    t y = b (0x80 + y `mod` 64)
