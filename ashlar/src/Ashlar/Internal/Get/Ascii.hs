{-# LANGUAGE BangPatterns #-}
{-# LANGUAGE ScopedTypeVariables #-}

-- |
-- Module      : Ashlar.Internal.Get.Ascii
-- Description : Decoders for numbers written in ASCII
--
-- The names are attoparsec's. What differs: an integer that its type cannot hold is an
-- error, and not another number ('double' gives infinity).
--
-- Note [Digits of strangers]
-- ~~~~~~~~~~~~~~~~~~~~~~~~~~
-- Text can hold numbers of any length, so:
--
-- * Up to 18 digits are read in a register. More are read as an 'Integer' by halves,
--   which takes much less than quadratic time, and only where the type could hold the result:
--   a type that cannot hold 2^256 gets no more than 80 digits.
-- * Of a 'Double', 800 digits are looked at, and whether a digit behind them is not 0: no more
--   is needed to round correctly (a number halfway between two doubles has at most
--   767 digits). An exponent of which it is clear that the result is 0 or infinite
--   is not raised to any power. (Test "hostile numbers".)
module Ashlar.Internal.Get.Ascii
  ( decimal,
    signedDecimal,
    signed,
    hexadecimal,
    double,
  )
where

import Ashlar.Internal.Get.Bytes (skip)
import Ashlar.Internal.Get.Core
import Ashlar.Internal.Get.Env
import Ashlar.Internal.Get.LookAhead (lookAhead)
import Ashlar.Internal.Get.NextByte
import Ashlar.Internal.Get.Refuse
import Ashlar.Internal.Get.Scan
import Ashlar.Internal.Mem (peekHost)
import Ashlar.Internal.Mem.Cells
import Data.ByteString (ByteString)
import qualified Data.ByteString as S
import Data.Maybe (fromMaybe)
import Data.Ratio ((%))
import qualified Data.Vector.Primitive as P
import Data.Word (Word64, Word8)
import Foreign.Ptr (Ptr, minusPtr, plusPtr)
import GHC.IO (IO (..))
import Prelude hiding (takeWhile)

isDigit :: Word8 -> Bool
isDigit w = w - 48 < 10
{-# INLINE isDigit #-}

isSign :: Word8 -> Bool
isSign w = w == 45 || w == 43
{-# INLINE isSign #-}

-- The value of a digit, in bases up to 16; 16 if it is none.
digitValue :: Word8 -> Word64
digitValue w
  | w - 48 < 10 = fromIntegral (w - 48)
  | letter - 97 < 6 = fromIntegral (letter - 87)
  | otherwise = 16
  where
    letter = if w - 65 < 26 then w + 32 else w
{-# INLINE digitValue #-}

-- | A number without sign in decimal digits, of which there must be one at least.
-- 'Ashlar.Get.Invalid', at its first digit, if the type cannot hold it.
--
-- >>> import qualified Ashlar.Get.Parse as P
-- >>> runGetRest (P.decimal :: Get Int) "0123x"
-- Right (123,"x")
-- >>> either errorReason (const TrailingInput) (runGet (P.decimal :: Get Word8) "256")
-- Invalid "number out of range"
--
-- @since 0.1.0.0
decimal :: Integral a => Get a
decimal = quickly 10 inRange slowDecimal
{-# INLINE decimal #-}

slowDecimal :: Integral a => Get a
slowDecimal = here >>= \at -> slowDigits 10 >>= largeInRange at id 10
{-# NOINLINE slowDecimal #-}

-- | 'decimal' with an optional sign (@-@ or @+@) before it. All numbers of the type
-- can be read, also 'minBound'. (Not for @Natural@, where a negative number is an
-- arithmetic exception of the value.)
--
-- >>> import qualified Ashlar.Get.Parse as P
-- >>> runGet (P.signedDecimal :: Get Int8) "-128"
-- Right (-128)
--
-- @since 0.1.0.0
signedDecimal :: Integral a => Get a
signedDecimal =
  nextCode >>= \i -> case i of
    45 -> here >>= \at -> skip 1 *> quickly 10 inRangeNegated (slowSigned at negate)
    43 -> here >>= \at -> skip 1 *> quickly 10 inRange (slowSigned at id)
    _ -> decimal
{-# INLINE signedDecimal #-}

-- The offset is that of the sign, which has been read.
slowSigned :: Integral a => Int -> (Integer -> Integer) -> Get a
slowSigned at sign = slowDigits 10 >>= largeInRange at sign 10
{-# NOINLINE slowSigned #-}

-- | A number with an optional sign (@-@ or @+@) before it, given what reads it without. (For
-- @'signed' 'decimal'@ there is 'signedDecimal', which can read 'minBound', and refuses what
-- the type cannot hold.)
--
-- The number is negated as its type does it. So this is not for types without negative
-- numbers: those of fixed size wrap around, as with attoparsec, and a @Natural@ is an
-- arithmetic exception of the value.
--
-- >>> import qualified Ashlar.Get.Parse as P
-- >>> runGet (P.signed P.hexadecimal :: Get Int) "-ff"
-- Right (-255)
-- >>> runGet (P.signed P.decimal :: Get Word8) "-1"
-- Right 255
-- >>> either (print . errorReason) print (runGet (P.signedDecimal :: Get Word8) "-1")
-- Invalid "number out of range"
--
-- @since 0.1.0.0
signed :: Num a => Get a -> Get a
signed p =
  optionIf isSign anyWord8 >>= \sign -> case sign of
    Just 45 -> negate <$> p
    _ -> p
{-# INLINE signed #-}

-- | A number without sign in hexadecimal digits, in either case, of which there must
-- be one at least. 'Ashlar.Get.Invalid', at its first digit, if the type cannot hold it.
--
-- >>> import qualified Ashlar.Get.Parse as P
-- >>> runGet (P.hexadecimal :: Get Word16) "fF0"
-- Right 4080
--
-- @since 0.1.0.0
hexadecimal :: Integral a => Get a
hexadecimal = quickly 16 inRange slowHexadecimal
{-# INLINE hexadecimal #-}

slowHexadecimal :: Integral a => Get a
slowHexadecimal = here >>= \at -> slowDigits 16 >>= largeInRange at id 16
{-# NOINLINE slowHexadecimal #-}

-- Digits in a base (10 or 16) that lie in one chunk, are so few that nothing overflows,
-- and make a number of the type; or else whatever is done instead, with nothing read.
quickly :: Word64 -> (Word64 -> Maybe a) -> Get a -> Get a
quickly base inType (Get slow) = step $ \c env -> do
  p <- getPtr c cursorCell
  e <- getPtr c endCell
  digitRun base p e 0 $ \q w ->
    -- 10^18 and 16^15 are less than 2^63.
    if q /= p && q /= e && q `minusPtr` p < (if base == 10 then 19 else 16)
      then case inType w of
        Just x -> x <$ putPtr c cursorCell q
        Nothing -> IO (slow c env)
      else IO (slow c env)
{-# INLINE quickly #-}

-- Digits in a base up to an end, and their value behind another one. (For the form of
-- the loop see Note [Scanning chunks].)
digitRun :: Word64 -> Ptr Word8 -> Ptr Word8 -> Word64 -> (Ptr Word8 -> Word64 -> IO r) -> IO r
digitRun base start e before done = go start before
  where
    go !p !acc
      | p == e = done p acc
      | otherwise = do
        -- p is before the end.
        v <- value <$> peekHost p
        if v < base then go (p `plusPtr` 1) (acc * base + v) else done p acc
    value w
      | base == 10 = fromIntegral (w - 48)
      | otherwise = digitValue w
{-# INLINE digitRun #-}

-- A number in its type, if that can hold it, without and with a minus.
inRange, inRangeNegated :: Integral a => Word64 -> Maybe a
inRange w
  | x >= 0, fromIntegral x == w = Just x
  | otherwise = Nothing
  where
    x = fromIntegral w
-- Compared as 64 bits in two's complement.
inRangeNegated w
  | x <= 0, fromIntegral x == negate w = Just x
  | otherwise = Nothing
  where
    x = negate (fromIntegral w)
{-# INLINE inRange #-}
{-# INLINE inRangeNegated #-}

-- Digits in a base (10 or 16), at least one, from the first on that is not 0.
slowDigits :: Int -> Get ByteString
slowDigits base = do
  bs <- takeWhile (\w -> digitValue w < fromIntegral base)
  if S.null bs then noDigit else pure (S.dropWhile (== 48) bs)

noDigit :: Get a
noDigit = nextCode >>= \i -> if i < 0 then missing 1 0 else expected "a digit" 1

-- The number of these digits in its type, if that can hold it; else an error at this
-- offset.
largeInRange :: forall a. Integral a => Int -> (Integer -> Integer) -> Int -> ByteString -> Get a
largeInRange at sign base ds
  | S.length ds > 80 && not unbounded = outOfRange
  | toInteger x == n = pure x
  | otherwise = outOfRange
  where
    n = sign (fromDigits base ds)
    x = fromInteger n :: a
    unbounded = toInteger (fromInteger (2 ^ (256 :: Int)) :: a) == 2 ^ (256 :: Int)
    outOfRange = invalidFrom at "number out of range"

-- The number that digits stand for, by halves.
fromDigits :: Int -> ByteString -> Integer
fromDigits base bs
  | n <= 16 = S.foldl' (\acc w -> acc * toInteger base + toInteger (digitValue w)) 0 bs
  | otherwise = fromDigits base high * toInteger base ^ (n - half) + fromDigits base low
  where
    n = S.length bs
    half = n `quot` 2
    (high, low) = S.splitAt half bs

-- | A number with an optional sign, a fraction (a point and digits) and an exponent (@e@
-- or @E@, an optional sign, and digits), the last two optional; rounded correctly, to
-- even where it lies halfway. It takes as much as makes a number: of @1.e@ only the @1@.
-- Neither infinities nor NaN can be written; numbers too large for the type are
-- infinite.
--
-- Numbers of up to 15 digits and a power of ten up to 22 are exact in floating point
-- (William Clinger, "How to read floating point numbers accurately", 1990) and take
-- some nanoseconds; the others are computed as 'Rational', which takes a microsecond
-- or so.
--
-- >>> import qualified Ashlar.Get.Parse as P
-- >>> runGetRest P.double "-0.25e1;"
-- Right (-2.5,";")
--
-- @since 0.1.0.0
double :: Get Double
double = step quickDouble >>= \x -> if isNaN x then slowDouble else pure x
{-# INLINE double #-}

-- A number that lies in one chunk and is exact; or else NaN, and nothing is read.
quickDouble :: Cells -> Env -> IO Double
quickDouble c _ = do
  p <- getPtr c cursorCell
  e <- getPtr c endCell
  first <- byteAt p e
  let start = if isSign first then p `plusPtr` 1 else p
      notQuick = pure (0 / 0)
      done end x scale
        -- At most 19 digits and perhaps a point, so x has not overflowed.
        | end `minusPtr` start > 19 || x > 9007199254740992 || scale > 22 = notQuick
        | otherwise = do
          next <- byteAt end e
          if next == 101 || next == 69
            then notQuick
            else do
              putPtr c cursorCell end
              let y = fromIntegral x / powerOfTen scale
              pure $! if first == 45 then negate y else y
  digitRun 10 start e 0 $ \p1 x1 ->
    if p1 == start || p1 == e
      then notQuick
      else do
        point <- peekHost p1
        if point /= (46 :: Word8)
          then done p1 x1 0
          else do
            let fraction = p1 `plusPtr` 1
            -- "1." and something else is left to the slow path.
            digitRun 10 fraction e x1 $ \p2 x2 ->
              if p2 == fraction || p2 == e then notQuick else done p2 x2 (p2 `minusPtr` fraction)

-- The byte at an address, or 0 at the end.
byteAt :: Ptr Word8 -> Ptr Word8 -> IO Word8
byteAt p e = if p == e then pure 0 else peekHost p
{-# INLINE byteAt #-}

-- 10^n for n from 0 to 22, all of which are exact.
powerOfTen :: Int -> Double
powerOfTen = P.unsafeIndex powersOfTen
{-# INLINE powerOfTen #-}

powersOfTen :: P.Vector Double
powersOfTen = P.generate 23 (\n -> fromInteger (10 ^ n))
{-# NOINLINE powersOfTen #-}

slowDouble :: Get Double
slowDouble = do
  sign <- optionIf isSign anyWord8
  whole <- takeWhile isDigit
  if S.null whole then noDigit else pure ()
  fraction <- ifFollows (== 46) digitNext (skip 1 *> takeWhile isDigit)
  power <- ifFollows (\i -> i == 101 || i == 69) signedDigitNext (skip 1 *> powerDigits)
  pure $! (if sign == Just 45 then negate else id) (toDouble (whole <> fromMaybe S.empty fraction) (fromMaybe 0 power - maybe 0 S.length fraction))
  where
    -- What begins with one byte, if something follows that one. To look for it never
    -- fails: so errors are the same as when the quick path did not look.
    ifFollows this follows p = do
      i <- nextCode
      found <- if this i then lookAhead (skip 1 *> follows) else pure False
      if found then Just <$> p else pure Nothing
    digitNext = (\i -> i >= 48 && i < 58) <$> nextCode
    signedDigitNext = nextCode >>= \i -> if i == 45 || i == 43 then skip 1 *> digitNext else digitNext
    powerDigits = do
      sign <- optionIf isSign anyWord8
      ds <- S.dropWhile (== 48) <$> takeWhile isDigit
      -- Beyond any number of digits that memory can hold.
      let n = if S.length ds > 15 then 10 ^ (15 :: Int) else fromInteger (fromDigits 10 ds)
      pure (if sign == Just 45 then negate n else n :: Int)

-- The number that these digits are, times a power of ten.
toDouble :: ByteString -> Int -> Double
toDouble ds power
  | n == 0 = 0
  | n + power > 310 = 1 / 0
  | n + power < -330 = 0
  -- Not fromInteger, which cuts off instead of rounding.
  | e >= 0 = fromRational (x * 10 ^ e % 1)
  | otherwise = fromRational (x % 10 ^ negate e)
  where
    significant = S.dropWhile (== 48) ds
    n = S.length significant
    -- See Note [Digits of strangers].
    kept
      | n <= 800 = significant
      | S.all (== 48) (S.drop 800 significant) = S.take 800 significant
      | otherwise = S.snoc (S.take 800 significant) 49
    e = power + n - S.length kept
    x = fromDigits 10 kept
