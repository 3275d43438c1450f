{-# LANGUAGE BangPatterns #-}
{-# LANGUAGE DerivingStrategies #-}
{-# LANGUAGE OverloadedStrings #-}

-- |
-- Module      : Workloads.Tokens
-- Description : Tokens and numbers of text, alone and in rows
module Workloads.Tokens (tokenWorkloads) where

import qualified Ashlar.Builder as B
import qualified Ashlar.Builder.Prim as Prim
import qualified Ashlar.Get as A
import qualified Ashlar.Get.Parse as P
import Control.Monad (replicateM)
import qualified Data.Attoparsec.ByteString as T
import qualified Data.Attoparsec.ByteString.Char8 as T (decimal, double, hexadecimal, signed)
import Data.Bits (unsafeShiftR)
import qualified Data.ByteString as S
import qualified Data.ByteString.Builder as Bytestring
import qualified Data.ByteString.Char8 as C8
import qualified Data.ByteString.Internal as S
import qualified Data.ByteString.Lazy as L
import qualified Data.ByteString.Unsafe as S
import qualified Data.Vector.Storable as V
import Data.Word (Word64, Word8)
import Foreign.C.String (CString)
import Foreign.C.Types (CSize (..))
import Foreign.Ptr (Ptr)
import Input (right)
import System.IO.Unsafe (unsafePerformIO)
import Workload

-- | All of them.
tokenWorkloads :: [Workload]
tokenWorkloads = doubles ++ alone ++ addresses ++ literals

ours :: A.Get a -> S.ByteString -> a
ours g = right . A.runGet g
{-# INLINE ours #-}

atto :: T.Parser a -> S.ByteString -> a
atto p = right . T.parseOnly p
{-# INLINE atto #-}

-- * Floating-point numbers in a row

doubles :: [Workload]
doubles =
  [ reading "1000 doubles of 16 or 17 digits" (map shown long),
    reading "1000 doubles of 3 digits" (map shown short),
    reading "1000 doubles of 25 digits" (map ((<> "12345678") . shown) long),
    writing "write 1000 doubles of 16 or 17 digits" long,
    writing "write 1000 doubles of 3 digits" short
  ]
  where
    reading name texts =
      items 1000 $
        Workload
          name
          [ ("ashlar", apply (ours (added P.double (A.skip 1))) input),
            ("ashlar, 3 digits", apply (ours (added P.double (A.skip 1))) threes),
            ("attoparsec", apply (atto (added T.double T.anyWord8)) input),
            ("std::from_chars", apply fromChars input)
          ]
      where
        input = spaced texts
        threes = spaced (map shown short)
    writing name xs =
      items 1000 $
        Workload
          name
          [ ("ashlar", apply oursWritten vector),
            ("bytestring", apply theirsWritten vector),
            ("std::to_chars", apply toChars vector)
          ]
      where
        vector = V.fromList (take 1000 (cycle xs))
    short = [fromIntegral i / 100 | i <- [101 .. 999 :: Int], i `mod` 10 /= 0]
    spaced = C8.unwords . take 1001 . cycle
    shown = C8.pack . show :: Double -> S.ByteString
    long =
      take 997 . filter (>= 0.1) $
        [fromIntegral (x `unsafeShiftR` 11) / 9007199254740992 | x <- iterate next 12345]
    next x = x * 6364136223846793005 + 1442695040888963407 :: Word64

-- Each with a space after it.
oursWritten :: V.Vector Double -> S.ByteString
oursWritten v = B.toStrictByteString (Prim.primUnfoldrBounded number unfold 0)
  where
    number = Prim.doubleDec Prim.>*< Prim.liftFixedToBounded Prim.char7
    unfold i = if i < V.length v then Just ((V.unsafeIndex v i, ' '), i + 1) else Nothing

theirsWritten :: V.Vector Double -> S.ByteString
theirsWritten =
  L.toStrict . Bytestring.toLazyByteString
    . V.foldr (\x rest -> Bytestring.doubleDec x <> Bytestring.char7 ' ' <> rest) mempty

toChars :: V.Vector Double -> S.ByteString
toChars v = unsafePerformIO $
  S.createUptoN (32 * V.length v) $ \p ->
    V.unsafeWith v $ \q -> fromIntegral <$> c_toChars p q (fromIntegral (V.length v))

-- The sum of a thousand numbers with a byte after each.
fromChars :: S.ByteString -> Double
fromChars bs = unsafePerformIO $
  S.unsafeUseAsCStringLen bs $ \(p, n) -> c_fromChars p (fromIntegral n) 1000

foreign import ccall unsafe "ashlar_bench_to_chars"
  c_toChars :: Ptr Word8 -> Ptr Double -> CSize -> IO CSize

foreign import ccall unsafe "ashlar_bench_from_chars"
  c_fromChars :: CString -> CSize -> CSize -> IO Double

-- A thousand numbers with a byte after each.
added :: Monad m => m Double -> m b -> m Double
added number between = go (1000 :: Int) 0
  where
    go n !acc
      | n == 0 = pure acc
      | otherwise = number >>= \x -> between >> go (n - 1) (acc + x)
{-# INLINE added #-}

-- * One token, in a run of its own

alone :: [Workload]
alone =
  [ ends "decimal" (P.decimal :: A.Get Int) T.decimal "12345",
    ends "signedDecimal" (P.signedDecimal :: A.Get Int) (T.signed T.decimal) "-12345",
    ends "hexadecimal" (P.hexadecimal :: A.Get Int) T.hexadecimal "12aBf",
    ends "double" P.double T.double "12.345",
    ends "takeWhile" (P.takeWhile (/= 32)) (T.takeWhile (/= 32)) "token"
  ]
  where
    ends :: String -> A.Get a -> T.Parser a -> S.ByteString -> Workload
    ends name g p input =
      items 1 $
        Workload
          ("one run: " ++ name ++ " at the end of the input")
          [ ("ashlar", apply (ours g) input),
            ("ashlar, before a space", apply (ours g) (input <> " ")),
            ("attoparsec", apply (atto p) input)
          ]
    {-# INLINE ends #-}

-- * Addresses

data Address = Address !Word8 !Word8 !Word8 !Word8
  deriving stock (Eq, Show)

addresses :: [Workload]
addresses =
  row "<$> and <*>" (applied P.decimal (P.word8 46)) (applied T.decimal (T.word8 46))
    ++ row "do" (bound P.decimal (P.word8 46)) (bound T.decimal (T.word8 46))
  where
    row :: String -> A.Get Address -> T.Parser Address -> [Workload]
    row style g p =
      [ same
          (show n ++ " IPv4 addresses, by " ++ style)
          [ ("ashlar", ours (replicateM n (g <* P.word8 10))),
            ("attoparsec", atto (replicateM n (p <* T.word8 10)))
          ]
          (S.concat (replicate n "192.168.0.17\n"))
        | n <- [1, 1000]
      ]
    {-# INLINE row #-}

applied :: Applicative f => f Word8 -> f b -> f Address
applied number dot =
  Address <$> number <*> (dot *> number) <*> (dot *> number) <*> (dot *> number)
{-# INLINE applied #-}

bound :: Monad m => m Word8 -> m b -> m Address
bound number dot = do
  a <- number
  _ <- dot
  b <- number
  _ <- dot
  c <- number
  _ <- dot
  Address a b c <$> number
{-# INLINE bound #-}

-- * Literals

literals :: [Workload]
literals =
  [ items 2000 $
      Workload
        "2000 literals of 18 bytes"
        [ ("ashlar", apply (ours (counted (P.bytes "supercalifragilist"))) input),
          ("ashlar, skip", apply (ours (counted (A.skip 18))) input),
          ("attoparsec", apply (atto (counted (T.string "supercalifragilist"))) input)
        ]
  ]
  where
    input = S.concat (replicate 2000 "supercalifragilist")

counted :: Monad m => m a -> m Int
counted g = go 0
  where
    go !n
      | n == (2000 :: Int) = pure n
      | otherwise = g >> go (n + 1)
{-# INLINE counted #-}
