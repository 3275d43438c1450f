{-# LANGUAGE BangPatterns #-}
{-# LANGUAGE DerivingStrategies #-}
{-# LANGUAGE OverloadedStrings #-}
-- A schema is compiled once.
{-# OPTIONS_GHC -fno-do-lambda-eta-expansion #-}

-- |
-- Module      : Ashlar.Schema.Internal.Json.Leaves
-- Description : What has no parts
module Ashlar.Schema.Internal.Json.Leaves
  ( leafOp,
  )
where

import Ashlar.Builder (Builder, byteString)
import qualified Ashlar.Builder.Prim as P
import Ashlar.Get (runGetWhole)
import Ashlar.Internal.Builder.Core (Sink (..), reserve, runOn)
import Ashlar.Internal.Mem hiding (Number)
import Ashlar.Internal.Mem.Cells
import Ashlar.Internal.Prim.Calendar (firstDay, lastDay, writeDay)
import Ashlar.Internal.Prim.Core (runB, sizeBound)
import Ashlar.Schema.Internal.Costs
import Ashlar.Schema.Internal.Decode (getValue)
import Ashlar.Schema.Internal.Json.Run
import Ashlar.Schema.Internal.Json.Values
import Ashlar.Schema.Internal.Schema
import Ashlar.Schema.Internal.Types
import Ashlar.Schema.Internal.Value
import Control.Monad (when)
import Data.Bits (complement, unsafeShiftL, unsafeShiftR, xor, (.&.), (.|.))
import Data.ByteString (ByteString)
import qualified Data.ByteString as B
import Data.Int (Int16, Int32, Int64, Int8)
import qualified Data.List as List
import qualified Data.Vector as V
import Data.Word (Word16, Word32, Word64, Word8)
import Foreign.Ptr (Ptr, castPtr, minusPtr, plusPtr)

-- | A shape without parts, which is that leaf, and has these bounds if it is a whole number.
leafOp :: ByteString -> Shape -> Leaf -> Integer -> Integer -> Op
leafOp before shape l low high = case l of
  Unit -> literal (before <> "[]")
  Number n -> numberOp before n low high
  Boolean -> constantSize 1 5 truth before
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
      b <- peekHost p :: IO Word8
      case b of
        0 -> q `plusPtr` 5 <$ copyLiteral q "false"
        1 -> q `plusPtr` 4 <$ copyLiteral q "true"
        _ -> giveUp
    peekFloat = peekLE :: Ptr Word8 -> IO Float
    peekDouble = peekLE :: Ptr Word8 -> IO Double

floating ::
  RealFloat n =>
  (Ptr Word8 -> IO n) ->
  P.BoundedPrim n ->
  Ptr Word8 ->
  Ptr Word8 ->
  IO (Ptr Word8)
floating peek prim p q = do
  x <- peek p
  if isNaN x || isInfinite x
    then do
      pokeHost q quote
      q' <- runB prim x (q `plusPtr` 1)
      q' `plusPtr` 1 <$ pokeHost q' quote
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
    signed peek = constantSize (numberSize n) 20 (bounded peek P.int64Dec low high) before
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
bounded peek prim low high
  -- No number is between them.
  | low > toInteger most || high < toInteger least = \_ _ -> giveUp
  | otherwise = \p q -> do
    x <- peek p
    if x >= low' && x <= high' then runB prim x q else giveUp
  where
    most = maxBound `asTypeOf` low'
    least = minBound `asTypeOf` low'
    !low' = fromInteger (max (toInteger least) low)
    !high' = fromInteger (min (toInteger most) high)
{-# INLINE bounded #-}

-- | Text in UTF-8. That of printable ASCII without anything to be escaped is copied.
textOp :: ByteString -> Length -> Op
textOp before len next = \c o k -> do
  start <- getPtr c cursorCell
  n <- countOf len c
  p <- atHand c n
  plain <- isPlain p n
  if plain
    then do
      q <- reserve o k (m + n + 1)
      copyLiteral q before'
      let to = q `plusPtr` m
      if n <= 16 then copyShort to p n else copyRange to p n
      pokeHost (to `plusPtr` n) quote
      putPtr c cursorCell (p `plusPtr` n)
      putPtr o cursorCell (to `plusPtr` (n + 1))
      next c o k
    else do
      putPtr c cursorCell start
      decoded ((p `plusPtr` n) `minusPtr` start) c o k
      next c o k
  where
    !before' = before <> "\""
    !m = B.length before'
    decoded = valueOf before (Leaf (Utf8 len)) (Utf8 len)

-- | Are all bytes printable ASCII, and none of them a quotation mark or a backslash?
isPlain :: Ptr Word8 -> Int -> IO Bool
isPlain p n = words8 0
  where
    words8 !i
      | i + 8 > n = bytes i
      | otherwise = do
        w <- peekHost (p `plusPtr` i) :: IO Word64
        if odds w == 0 then words8 (i + 8) else pure False
    bytes !i
      | i >= n = pure True
      | otherwise = do
        b <- peekHost (p `plusPtr` i) :: IO Word8
        if b >= 0x20 && b < 0x7F && b /= quote && b /= 0x5C then bytes (i + 1) else pure False
    -- The highest bits of bytes that are not plain, if no byte has it itself.
    odds w =
      0x8080808080808080
        .&. ( w
                .|. below w 0x2020202020202020
                .|. zero 0x2222222222222222
                .|. zero 0x5C5C5C5C5C5C5C5C
                .|. zero 0x7F7F7F7F7F7F7F7F
            )
      where
        below a b = (a - b) .&. complement a
        zero mask = below (w `xor` mask) 0x0101010101010101
{-# INLINE isPlain #-}

-- | A number of any size, or what is written like one. Those of more than 63 bits are rare.
integerOp :: ByteString -> Shape -> Leaf -> Integer -> Integer -> Op
integerOp before shape l low high next = \c o k -> do
  start <- getPtr c cursorCell
  header <- groups c
  -- So the length is an 'Int' on 32 bits.
  when (header > 0x3FFFFFFF) giveUp
  let negative = isSigned && odd header
      n = fromIntegral (if isSigned then header `unsafeShiftR` 1 else header) :: Int
  p <- atHand c n
  magnitude <- if n <= 8 then bytesFrom p n 0 0 else pure maxBound
  -- In the shortest form.
  when (n == 0 && negative) giveUp
  when (n > 0 && magnitude `unsafeShiftR` (8 * (n - 1)) == 0) giveUp
  if magnitude > 0x7FFFFFFFFFFFFFFF
    then putPtr c cursorCell start >> decoded ((p `plusPtr` n) `minusPtr` start) c o k
    else do
      let x = if negative then negate (fromIntegral magnitude) else fromIntegral magnitude
      when (x < low' || x > high') giveUp
      putPtr c cursorCell (p `plusPtr` n)
      write before x o k
  next c o k
  where
    -- The bounds of what has 63 bits. If there is nothing between them, nor is there between these.
    !low' = if low > most then 1 else fromInteger (max low (negate most)) :: Int64
    !high' = if low > most then 0 else fromInteger (max (negate most - 1) (min high most)) :: Int64
    most = toInteger (maxBound :: Int64)
    decoded = valueOf before shape l
    write = integerWrite l
    isSigned = l /= BigNatural
    bytesFrom :: Ptr Word8 -> Int -> Int -> Word64 -> IO Word64
    bytesFrom p n !i !acc
      | i >= n = pure acc
      | otherwise = do
        b <- peekHost (p `plusPtr` i) :: IO Word8
        bytesFrom p n (i + 1) (acc .|. (fromIntegral b `unsafeShiftL` (8 * i)))

-- | Write what is written like a number, after some bytes.
type WriteNumber = ByteString -> Int64 -> Cells -> Sink -> IO ()

integerWrite :: Leaf -> WriteNumber
integerWrite l = case l of
  BigInteger -> direct 20 (runB P.int64Dec)
  BigNatural -> direct 20 (runB P.int64Dec)
  Date -> dateWrite
  Duration -> direct 40 (places 12)
  FixedPoint units
    | Just k <- List.elemIndex units (take 19 (iterate (10 *) 1)), k > 0 -> direct 40 (places k)
  _ -> numberJson l

-- (Functions of their own: GHC 9.0.2 panics where a local one is chosen by a case, and its lambdas
-- are not eta-expanded.)
numberJson :: Leaf -> WriteNumber
numberJson l before x = runOn (byteString before <> leafJson l (Whole l (toInteger x)))
{-# NOINLINE numberJson #-}

direct :: Int -> (Int64 -> Ptr Word8 -> IO (Ptr Word8)) -> WriteNumber
direct bound write before x o k = do
  q <- reserve o k (B.length before + bound)
  copyLiteral q before
  write x (q `plusPtr` B.length before) >>= putPtr o cursorCell
{-# NOINLINE direct #-}

dateWrite :: WriteNumber
dateWrite before x o k
  | x >= fromIntegral firstDay && x <= fromIntegral lastDay = direct 12 write before x o k
  | otherwise = numberJson Date before x o k
  where
    write n q = do
      pokeHost q quote
      writeDay (fromIntegral n) (q `plusPtr` 1)
      q `plusPtr` 12 <$ pokeHost (q `plusPtr` 11) quote
{-# NOINLINE dateWrite #-}

-- | Write a number with some decimal places: at most 18.
places :: Int -> Int64 -> Ptr Word8 -> IO (Ptr Word8)
places k x q = do
  q1 <- if x < 0 then q `plusPtr` 1 <$ pokeHost q (0x2D :: Word8) else pure q
  q2 <- runB P.word64Dec (magnitude `quot` units) q1
  pokeHost q2 (0x2E :: Word8)
  let go !i !r
        | i <= 0 = pure ()
        | otherwise = do
          let (r', digit) = r `quotRem` 10
          pokeHost (q2 `plusPtr` i) (fromIntegral digit + 0x30 :: Word8)
          go (i - 1) r'
  go k (magnitude `rem` units)
  pure (q2 `plusPtr` (k + 1))
  where
    !units = 10 ^ k :: Word64
    -- (That of the least number, too.)
    magnitude = if x < 0 then negate (fromIntegral x) else fromIntegral x :: Word64

-- | A leaf by way of a value, given how many bytes it has from the cursor on.
valueOf :: ByteString -> Shape -> Leaf -> Int -> Run
valueOf before shape l = \n c o k -> do
  p <- atHand c n
  bytes <- B.packCStringLen (castPtr p, n)
  case runGetWhole g bytes of
    Left _ -> giveUp
    Right v -> runOn (byteString before <> json v) o k
  putPtr c cursorCell (p `plusPtr` n)
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
  _ -> \c o k -> write (leastLeaf l) c o k >> next c o k
  where
    write = valueOf before shape l
    byGroups = \c o k -> do
      p <- getPtr c cursorCell
      e <- getPtr c endCell
      let go !i
            | i >= 10 || e `minusPtr` p <= i = giveUp
            | otherwise = do
              b <- peekHost (p `plusPtr` i) :: IO Word8
              if b < 128 then pure (i + 1) else go (i + 1)
      n <- go 0
      write n c o k
      next c o k
    byCount len width = \c o k -> do
      start <- getPtr c cursorCell
      n <- countOf len c
      p <- getPtr c cursorCell
      putPtr c cursorCell start
      write ((p `plusPtr` (n * width)) `minusPtr` start) c o k
      next c o k
