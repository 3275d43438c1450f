{-# LANGUAGE BangPatterns #-}
{-# LANGUAGE PolyKinds #-}
{-# LANGUAGE ScopedTypeVariables #-}
{-# LANGUAGE Trustworthy #-}

-- |
-- Module      : Ashlar.Get.Decimal
-- Description : Decoders for exact decimal numbers with a fraction
--
-- "Ashlar.Builder.Decimal" writes them, by the same names: import both qualified. Whole numbers and
-- floating-point numbers are in "Ashlar.Get.Parse".
module Ashlar.Get.Decimal
  ( fixed,
    scaled,
  )
where

import Ashlar.Internal.Get.Ascii hiding (signed)
import Ashlar.Internal.Get.Core
import Ashlar.Internal.Get.Fail
import Ashlar.Internal.Get.Scan (endsAt)
import Ashlar.Internal.Mem (peekHost)
import Ashlar.Internal.Mem.Cells
import Ashlar.Internal.Prim.DecimalPlaces
import Ashlar.Internal.Prim.ParseFloating (scanNumber)
import Data.ByteString (ByteString)
import qualified Data.ByteString as S
import qualified Data.ByteString.Char8 as C
import Data.Fixed (Fixed (MkFixed), HasResolution (..))
import Data.Word (Word8)
import Foreign.Ptr (Ptr, minusPtr, plusPtr)

-- | A number with an optional sign, and a fraction (a point and digits), which is optional too.
--
-- The number must be exact: digits that the type cannot hold must be 0, or the error is at the
-- first of them that is not. If the resolution is not a power of ten, the number is rounded down,
-- as by 'read'.
--
-- >>> import qualified Ashlar.Get.Decimal as D
-- >>> import Data.Fixed (Centi)
-- >>> runGet D.fixed "-12.5" :: Either DecodeError Centi
-- Right (-12.50)
-- >>> either (putStrLn . summarizeError) print (runGet (D.fixed :: Get Centi) "12.505")
-- at byte 5: more digits than the type can hold
fixed :: forall a. HasResolution a => Get (Fixed a)
fixed = fixedOf (decimalPlaces (resolution (MkFixed 0 :: Fixed a)))
{-# INLINE fixed #-}

-- Computes no power of an exponent that the input chooses.
fixedOf :: DecimalPlaces -> Get (Fixed a)
fixedOf format@(DecimalPlaces unit places _) =
  quickly (slowFixed format) $ \negative n end digitsEnd q ->
    -- A letter that begins an exponent is not part of the number.
    if end == digitsEnd && negate q <= places
      then Just $! MkFixed (signed negative (n * unit `div` 10 ^ negate q))
      else Nothing
{-# NOINLINE fixedOf #-}

slowFixed :: DecimalPlaces -> Get (Fixed a)
slowFixed (DecimalPlaces unit places power) = do
  negative <- minusSign
  whole <- someDigits
  at <- (+ 1) <$> here
  fraction <- fractionDigits
  let (kept, after) = S.splitAt places fraction
      part = toNumber kept * 10 ^ (places - S.length kept) * unit `div` power
  case S.findIndex (/= 48) after of
    Just k -> invalidFrom (at + places + k) "more digits than the type can hold"
    Nothing -> do
      n <- numberOf whole
      pure $! MkFixed (signed negative (n * unit + part))
{-# NOINLINE slowFixed #-}

signed :: Bool -> Integer -> Integer
signed negative n = if negative then negate n else n

-- | A number with an optional sign, an optional fraction (a point and digits), and an optional
-- exponent (@e@ or @E@, an optional sign, and digits). The result is a whole number and a power of
-- ten to multiply it by. It reads the longest prefix that is a number: of @1.e@ only the @1@.
--
-- The power is not computed, so large exponents cost nothing. If it exceeds 'Int', the number is
-- refused. (It is less than the exponent by the digits of the fraction. Zeros at the end of the
-- fraction do not count if the power would be too small with them.)
-- If there are more than 4,096 digits, each is a step of the budget ('Ashlar.Get.budgetSteps'), as
-- in 'fixed'.
--
-- >>> import qualified Ashlar.Get.Decimal as D
-- >>> runGet D.scaled "-12.50e3"
-- Right (-1250,1)
scaled :: Get (Integer, Int)
scaled = quickly slowScaled $ \negative n _ _ q ->
  -- (The exponent of 'scanNumber' stops at a bound, so large ones may be wrong.)
  if abs q < 1000000 then Just (signed negative n, q) else Nothing

slowScaled :: Get (Integer, Int)
slowScaled = do
  at <- here
  negative <- minusSign
  whole <- someDigits
  fraction <- fractionDigits
  (down, ds) <- exponentDigits
  let power = signed down (exponentOf (S.dropWhile (== 48) ds))
      after digits = power - toInteger (S.length digits)
      tooSmall k = k < toInteger (minBound :: Int)
      part = if tooSmall (after fraction) then S.dropWhileEnd (== 48) fraction else fraction
      e = after part
  if tooSmall e || e > toInteger (maxBound :: Int)
    then invalidFrom at "exponent out of range"
    else do
      n <- numberOf (whole <> part)
      let !c = signed negative n
          !e' = fromInteger e
      pure (c, e')
  where
    -- 10^30 does not fit an Int, even if the number of all digits in memory is subtracted.
    exponentOf ds = if S.length ds > 30 then 10 ^ (30 :: Int) else toNumber ds

-- A number of at most 19 digits that lies in one chunk.
quickly ::
  -- Reads all other numbers.
  Get r ->
  -- Makes the result, or 'Nothing' to read the number with the other decoder, from: whether there
  -- is a minus; the digits; where the number ends; where the digits end, before any exponent; the
  -- power of ten of the last digit.
  (Bool -> Integer -> Ptr Word8 -> Ptr Word8 -> Int -> Maybe r) ->
  Get r
quickly slow result = inspect quick >>= maybe slow (\(Quick end r) -> r <$ moveTo end)
  where
    quick c env p = do
      e <- getPtr c endCell
      first <- if p == e then pure 0 else peekHost p
      let start = if isSign first then p `plusPtr` 1 else p
      -- (Strict, or they are boxed.)
      scanNumber start e (pure Nothing) $ \ !end !examined !digitsEnd !x !q -> do
        complete <- if examined == e then endsAt c env e else pure True
        -- 10^19 is less than 2^64.
        pure
          $! if complete && digitsEnd `minusPtr` start <= 19
            then Quick end <$> result (first == 45) (toInteger x) end digitsEnd q
            else Nothing
{-# INLINE quickly #-}

-- Where a number ends, and the result.
data Quick r = Quick !(Ptr Word8) r

-- The number that a few decimal digits stand for, 0 if there are none.
toNumber :: ByteString -> Integer
toNumber = maybe 0 fst . C.readInteger
