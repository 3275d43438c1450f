{-# LANGUAGE BangPatterns #-}
{-# LANGUAGE DerivingStrategies #-}
{-# LANGUAGE OverloadedStrings #-}
-- A schema is compiled once.
{-# OPTIONS_GHC -fno-do-lambda-eta-expansion #-}

-- |
-- Module      : Ashlar.Cli.Transcode.Leaves
-- Description : What has no parts
module Ashlar.Cli.Transcode.Leaves
  ( leafOp,
  )
where

import Ashlar.Builder (Builder, byteString)
import qualified Ashlar.Builder.Prim as P
import Ashlar.Builder.Prim.Unsafe (runB, sizeBound)
import Ashlar.Cli.Json
import Ashlar.Cli.Transcode.Memory
import Ashlar.Cli.Transcode.Run
import Ashlar.Get (runGetWhole)
import Ashlar.Schema
import Ashlar.Schema.Internal.Costs
import Ashlar.Schema.Internal.Types (numberSize)
import Control.Monad (when)
import Data.Bits (unsafeShiftL, unsafeShiftR, (.|.))
import Data.ByteString (ByteString)
import qualified Data.ByteString as B
import Data.Int (Int16, Int32, Int64, Int8)
import qualified Data.List as List
import qualified Data.Vector as V
import Data.Word (Word16, Word32, Word64, Word8)
import Foreign.Ptr (Ptr, castPtr, minusPtr, plusPtr)
import Foreign.Storable (peek, poke)
import GHC.Float (castWord32ToFloat, castWord64ToDouble)

-- | A shape without parts, which is that leaf, and has these bounds if it is a whole number.
leafOp :: ByteString -> Shape -> Leaf -> Integer -> Integer -> Op
leafOp before shape l low high = case l of
  Unit -> literal (before <> "[]")
  Number n -> numberOp before n low high
  Boolean -> constantSize 1 8 truth before
  Float32 -> constantSize 4 (2 + sizeBound P.floatDec) (floating peekFloat P.floatDec) before
  Float64 -> constantSize 8 (2 + sizeBound P.doubleDec) (floating peekDouble P.doubleDec) before
  Utf8 len -> textOp before len
  BigInteger -> integerOp before shape l low high
  BigNatural -> integerOp before shape l low high
  FixedPoint _ -> integerOp before shape l low high
  Date -> integerOp before shape l low high
  Duration -> integerOp before shape l low high
  _ -> byValue before shape l
  where
    truth p q = do
      b <- peek p
      case b of
        0 -> copyLiteral q false
        1 -> copyLiteral q true
        _ -> giveUp
    !false = literalOf "false"
    !true = literalOf "true"
    peekFloat p = castWord32ToFloat <$> peekLE p
    peekDouble p = castWord64ToDouble <$> peekLE p

floating ::
  RealFloat n =>
  (Ptr Word8 -> IO n) ->
  P.BoundedPrim n ->
  Ptr Word8 ->
  Ptr Word8 ->
  IO (Ptr Word8)
floating number prim p q = do
  x <- number p
  if isNaN x || isInfinite x
    then do
      poke q quote
      q' <- runB prim x (q `plusPtr` 1)
      q' `plusPtr` 1 <$ poke q' quote
    else runB prim x q
{-# INLINE floating #-}

quote :: Word8
quote = 0x22

-- | A number of constant size, between two bounds.
numberOp :: ByteString -> Number -> Integer -> Integer -> Op
numberOp before n low high = case n of
  W8 -> signed (fmap fromIntegral . (peekLE :: Ptr Word8 -> IO Word8))
  W16 -> signed (fmap fromIntegral . (peekLE :: Ptr Word8 -> IO Word16))
  W32 -> signed (fmap fromIntegral . (peekLE :: Ptr Word8 -> IO Word32))
  W64 -> constantSize 8 20 (bounded (peekLE :: Ptr Word8 -> IO Word64) P.word64Dec low high) before
  I8 -> signed (fmap fromIntegral . (peekLE :: Ptr Word8 -> IO Int8))
  I16 -> signed (fmap fromIntegral . (peekLE :: Ptr Word8 -> IO Int16))
  I32 -> signed (fmap fromIntegral . (peekLE :: Ptr Word8 -> IO Int32))
  I64 -> signed peekLE
  where
    signed :: (Ptr Word8 -> IO Int64) -> Op
    signed number = constantSize (numberSize n) 20 (bounded number P.int64Dec low high) before
    {-# INLINE signed #-}

bounded ::
  (Integral n, Bounded n) =>
  (Ptr Word8 -> IO n) ->
  P.BoundedPrim n ->
  Integer ->
  Integer ->
  Ptr Word8 ->
  Ptr Word8 ->
  IO (Ptr Word8)
bounded number prim low high
  -- No number is between them.
  | low > toInteger most || high < toInteger least = \_ _ -> giveUp
  | otherwise = \p q -> do
    x <- number p
    if x >= low' && x <= high' then runB prim x q else giveUp
  where
    most = maxBound `asTypeOf` low'
    least = minBound `asTypeOf` low'
    !low' = fromInteger (max (toInteger least) low)
    !high' = fromInteger (min (toInteger most) high)
{-# INLINE bounded #-}

-- | Text in UTF-8. That of printable ASCII without anything to be escaped is copied.
textOp :: ByteString -> Length -> Op
textOp before len next = \s -> do
  start <- input s
  n <- countOf len s
  p <- atHand s n
  q <- reserve s (literalSize before' + n + 1)
  to <- copyLiteral q before'
  plain <- copyPlain to p n
  if plain
    then do
      poke (to `plusPtr` n) quote
      setInput s (p `plusPtr` n)
      setOutput s (to `plusPtr` (n + 1))
      next s
    else do
      setInput s start
      decoded ((p `plusPtr` n) `minusPtr` start) s
      next s
  where
    !before' = literalOf (before <> "\"")
    decoded = valueOf before (Leaf (Utf8 len)) (Utf8 len)

-- | A number of any size, or what is written like one. Those of more than 63 bits are rare.
integerOp :: ByteString -> Shape -> Leaf -> Integer -> Integer -> Op
integerOp before shape l low high next = \s -> do
  start <- input s
  header <- groups s
  -- So the length is an 'Int' on 32 bits.
  when (header > 0x3FFFFFFF) giveUp
  let negative = isSigned && odd header
      n = fromIntegral (if isSigned then header `unsafeShiftR` 1 else header) :: Int
  p <- atHand s n
  magnitude <- if n <= 8 then bytesFrom p n 0 0 else pure maxBound
  -- In the shortest form.
  when (n == 0 && negative) giveUp
  when (n > 0 && magnitude `unsafeShiftR` (8 * (n - 1)) == 0) giveUp
  if magnitude > 0x7FFFFFFFFFFFFFFF
    then setInput s start >> decoded ((p `plusPtr` n) `minusPtr` start) s
    else do
      let x = if negative then negate (fromIntegral magnitude) else fromIntegral magnitude
      when (x < low' || x > high') giveUp
      setInput s (p `plusPtr` n)
      write x s
  next s
  where
    -- The bounds of what has 63 bits. If there is nothing between them, nor is there between these.
    !low' = if low > most then 1 else fromInteger (max low (negate most)) :: Int64
    !high' = if low > most then 0 else fromInteger (max (negate most - 1) (min high most)) :: Int64
    most = toInteger (maxBound :: Int64)
    decoded = valueOf before shape l
    write = integerWrite l before
    isSigned = l /= BigNatural
    bytesFrom :: Ptr Word8 -> Int -> Int -> Word64 -> IO Word64
    bytesFrom p n !i !acc
      | i >= n = pure acc
      | otherwise = do
        b <- peek (p `plusPtr` i) :: IO Word8
        bytesFrom p n (i + 1) (acc .|. (fromIntegral b `unsafeShiftL` (8 * i)))

-- | Write what is written like a number, after some bytes.
type WriteNumber = ByteString -> Int64 -> Run

integerWrite :: Leaf -> WriteNumber
integerWrite l = case l of
  BigInteger -> direct 20 (runB P.int64Dec)
  BigNatural -> direct 20 (runB P.int64Dec)
  Duration -> direct 40 (places 12)
  FixedPoint units
    | Just k <- List.elemIndex units (take 19 (iterate (10 *) 1)), k > 0 -> direct 40 (places k)
  _ -> numberJson l

-- (Functions of their own: GHC 9.0.2 panics where a local one is chosen by a case, and its lambdas
-- are not eta-expanded.)
numberJson :: Leaf -> WriteNumber
numberJson l before = \x -> builderRun (byteString before <> json (Whole l (toInteger x)))
  where
    json = leafJson l
{-# NOINLINE numberJson #-}

direct :: Int -> (Int64 -> Ptr Word8 -> IO (Ptr Word8)) -> WriteNumber
direct bound write before = \x s ->
  reserve s (literalSize before' + bound) >>= (`copyLiteral` before') >>= write x >>= setOutput s
  where
    !before' = literalOf before
{-# NOINLINE direct #-}

-- | Write a number with some decimal places: at most 18.
places :: Int -> Int64 -> Ptr Word8 -> IO (Ptr Word8)
places k x q = do
  q1 <- if x < 0 then q `plusPtr` 1 <$ poke q 0x2D else pure q
  q2 <- runB P.word64Dec (magnitude `quot` units) q1
  poke q2 0x2E
  let go !i !r
        | i <= 0 = pure ()
        | otherwise = do
          let (r', digit) = r `quotRem` 10
          poke (q2 `plusPtr` i) (fromIntegral digit + 0x30 :: Word8)
          go (i - 1) r'
  go k (magnitude `rem` units)
  pure (q2 `plusPtr` (k + 1))
  where
    !units = 10 ^ k :: Word64
    -- (That of the least number, too.)
    magnitude = if x < 0 then negate (fromIntegral x) else fromIntegral x :: Word64

-- | A leaf by way of a value, given how many bytes it has from the cursor on.
valueOf :: ByteString -> Shape -> Leaf -> Int -> Run
valueOf before shape l = \n s -> do
  p <- atHand s n
  bytes <- B.packCStringLen (castPtr p, n)
  case runGetWhole g bytes of
    Left _ -> giveUp
    Right v -> builderRun (byteString before <> json v) s
  setInput s (p `plusPtr` n)
  where
    !g = getValue (Schema shape V.empty)
    json = leafJson l

leafJson :: Leaf -> Value -> Builder
leafJson l = jsonOf (shapesOf (Schema (Leaf l) V.empty)) (Leaf l)

byValue :: ByteString -> Shape -> Leaf -> Op
byValue before shape l next = case l of
  Varint _ -> byGroups
  Zigzag _ -> byGroups
  Bytes len -> byCount len 1
  ByteArray len -> byCount len 1
  Utf16 -> byCount Length64 2
  -- The others have constant size.
  _ -> \s -> write (leastLeaf l) s >> next s
  where
    write = valueOf before shape l
    byGroups = \s -> do
      p <- input s
      e <- inputEnd s
      let go !i
            | i >= 10 || e `minusPtr` p <= i = giveUp
            | otherwise = do
              b <- peek (p `plusPtr` i) :: IO Word8
              if b < 128 then pure (i + 1) else go (i + 1)
      n <- go 0
      write n s
      next s
    byCount len width = \s -> do
      start <- input s
      n <- countOf len s
      p <- input s
      setInput s start
      write ((p `plusPtr` (n * width)) `minusPtr` start) s
      next s
