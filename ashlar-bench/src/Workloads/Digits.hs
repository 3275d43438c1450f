-- |
-- Module      : Workloads.Digits
-- Description : Whole numbers as text, beside C++
module Workloads.Digits (digitWorkloads, allLengths) where

import qualified Ashlar.Builder as A
import qualified Ashlar.Builder.Prim as AP
import qualified Ashlar.Get as A
import qualified Ashlar.Get.Parse as P
import qualified Data.Attoparsec.ByteString as T
import qualified Data.Attoparsec.ByteString.Char8 as T (decimal, hexadecimal, signed)
import qualified Data.ByteString as S
import qualified Data.ByteString.Builder as B
import qualified Data.ByteString.Builder.Prim as BP
import qualified Data.ByteString.Internal as S
import qualified Data.ByteString.Lazy as L
import qualified Data.ByteString.Unsafe as S
import Data.Int (Int64)
import qualified Data.Vector.Storable as V
import Data.Word (Word64, Word8)
import Foreign.C.Types (CInt (..), CSize (..))
import Foreign.Ptr (Ptr, castPtr)
import Input (right)
import System.IO.Unsafe (unsafePerformIO)
import Workload

-- | All of them. A space follows each number.
digitWorkloads :: [Workload]
digitWorkloads =
  concat
    [ [ items 1000 $
          same
            ("write 1000 Int64 of " ++ name ++ ", decimal")
            [ ("ashlar", A.toStrictByteString . written (spaced AP.int64Dec)),
              ("bytestring", strict . theirs (BP.int64Dec BP.>*< BP.liftFixedToBounded BP.char7)),
              ("std::to_chars", inCpp 10)
            ]
            xs,
        items 1000 $
          same
            ("read 1000 Int64 of " ++ name ++ ", decimal")
            [ ("ashlar", right . A.runGet (added P.signedDecimal (A.skip 1))),
              ("attoparsec", atto (added (T.signed T.decimal) T.anyWord8)),
              ("std::from_chars", fromCpp 10)
            ]
            (inCpp 10 xs),
        items 1000 $
          same
            ("write 1000 Word64 of " ++ name ++ ", hexadecimal")
            [ ("ashlar", A.toStrictByteString . written (spaced (word AP.>$< AP.word64Hex))),
              ( "bytestring",
                strict . theirs ((word BP.>$< BP.word64Hex) BP.>*< BP.liftFixedToBounded BP.char7)
              ),
              ("std::to_chars", inCpp 16)
            ]
            (V.map abs xs),
        items 1000 $
          same
            ("read 1000 Word64 of " ++ name ++ ", hexadecimal")
            [ ("ashlar", right . A.runGet (added P.hexadecimal (A.skip 1))),
              ("attoparsec", atto (added T.hexadecimal T.anyWord8)),
              ("std::from_chars", fromCpp 16)
            ]
            (inCpp 16 (V.map abs xs))
      ]
      | (name, xs) <-
          [ ("1 to 3 digits", V.generate 1000 (\i -> fromIntegral (i * 7919 `mod` 1999) - 999)),
            ("up to 19 digits", V.iterateN 1000 (\x -> x * 6364136223846793005 + 1) 1),
            ("all lengths", allLengths)
          ]
    ]
  where
    strict = L.toStrict . B.toLazyByteString
    atto p = right . T.parseOnly p
    word = fromIntegral :: Int64 -> Word64
    spaced p = p AP.>*< AP.liftFixedToBounded AP.char7

-- | Numbers of all lengths, of both signs.
allLengths :: V.Vector Int64
allLengths = V.generate 1000 (\i -> (if even i then 1 else -1) * 3 ^ (i `mod` 39))
{-# NOINLINE allLengths #-}

written :: AP.BoundedPrim (Int64, Char) -> V.Vector Int64 -> A.Builder
written p v = AP.primUnfoldrBounded p (next v) 0
{-# INLINE written #-}

theirs :: BP.BoundedPrim (Int64, Char) -> V.Vector Int64 -> B.Builder
theirs p v = BP.primUnfoldrBounded p (next v) 0
{-# INLINE theirs #-}

next :: V.Vector Int64 -> Int -> Maybe ((Int64, Char), Int)
next v i = if i < V.length v then Just ((V.unsafeIndex v i, ' '), i + 1) else Nothing
{-# INLINE next #-}

-- The sum of a thousand numbers with a byte after each.
added :: Monad m => m Int64 -> m b -> m Int64
added number between = go (1000 :: Int) 0
  where
    go n acc
      | n == 0 = pure acc
      | otherwise = number >>= \x -> between >> let acc' = acc + x in acc' `seq` go (n - 1) acc'
{-# INLINE added #-}

foreign import ccall unsafe "ashlar_bench_ints_to_chars"
  c_toChars :: Ptr Word8 -> Ptr Int64 -> CSize -> CInt -> IO CSize

foreign import ccall unsafe "ashlar_bench_ints_from_chars"
  c_fromChars :: Ptr Word8 -> CSize -> CSize -> CInt -> IO Int64

inCpp :: CInt -> V.Vector Int64 -> S.ByteString
inCpp base v = unsafePerformIO $
  S.createUptoN (32 * V.length v) $ \p ->
    V.unsafeWith v $ \q -> fromIntegral <$> c_toChars p q (fromIntegral (V.length v)) base

fromCpp :: CInt -> S.ByteString -> Int64
fromCpp base bs = unsafePerformIO $
  S.unsafeUseAsCStringLen bs $ \(p, n) -> c_fromChars (castPtr p) (fromIntegral n) 1000 base
