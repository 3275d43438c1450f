{-# LANGUAGE BangPatterns #-}
{-# LANGUAGE PolyKinds #-}
{-# LANGUAGE ScopedTypeVariables #-}

-- |
-- Module      : Ashlar.Internal.Get.Decimal
-- Description : Decoders for exact decimal numbers
--
-- What "Ashlar.Get.Decimal" exports, and decimal digits for other modules. Nothing here computes a
-- power that the input could make large.
module Ashlar.Internal.Get.Decimal
  ( fixed,
    scaled,

    -- * For other modules
    isDigit,
    twoDigits,
    noDigit,
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
import Ashlar.Internal.Prim.Fixed
import Data.ByteString (ByteString)
import qualified Data.ByteString as S
import qualified Data.ByteString.Char8 as C
import Data.Fixed (Fixed (MkFixed), HasResolution (..))
import Data.Maybe (fromMaybe)
import Data.Word (Word64, Word8)
import Foreign.Ptr (minusPtr, plusPtr)
import GHC.IO (IO (..))
import Prelude hiding (takeWhile)

isDigit :: Word8 -> Bool
isDigit w = w - 48 < 10
{-# INLINE isDigit #-}

-- | The number that two digits make.
twoDigits :: Get Int
twoDigits = (\a b -> 10 * value a + value b) <$> digit <*> digit
  where
    digit = guardedGet isDigit (Expectation ["a digit"]) takeByte
    value w = fromIntegral w - 48

-- | Fail, because no digit is next.
noDigit :: Get a
noDigit = refused "a digit"

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
--
-- @since 0.1.0.0
fixed :: forall a. HasResolution a => Get (Fixed a)
fixed = fixedOf (decimalPlaces unit) unit
  where
    unit = resolution (MkFixed 0 :: Fixed a)
{-# INLINE fixed #-}

-- Given the decimal places and the resolution.
fixedOf :: Int -> Integer -> Get (Fixed a)
fixedOf places unit = quickNumber False quickly (slowFixed places unit)
  where
    quickly negative n count
      | count <= places = Just $! MkFixed (signed negative (toInteger n * unit `div` 10 ^ count))
      | otherwise = Nothing
{-# NOINLINE fixedOf #-}

slowFixed :: Int -> Integer -> Get (Fixed a)
slowFixed places unit = do
  negative <- minusSign
  whole <- someDigits
  at <- (+ 1) <$> here
  fraction <- fractionDigits
  let (kept, after) = S.splitAt places fraction
      part = toNumber kept * 10 ^ (places - S.length kept) * unit `div` 10 ^ places
  case S.findIndex (/= 48) after of
    Just k -> invalidFrom (at + places + k) "more digits than the type can hold"
    Nothing -> pure (MkFixed (signed negative (toNumber whole * unit + part)))
{-# NOINLINE slowFixed #-}

signed :: Bool -> Integer -> Integer
signed negative n = if negative then negate n else n

-- | A number with an optional sign, a fraction (a point and digits), and an exponent (@e@ or @E@,
-- an optional sign, and digits), the last two optional: a whole number, and the power of ten that
-- it is to be multiplied by. It takes as much as makes a number: of @1.e@ only the @1@.
--
-- The power is not computed, so large exponents cost nothing. One that is no 'Int' is refused.
--
-- >>> import qualified Ashlar.Get.Decimal as D
-- >>> runGet D.scaled "-12.50e3"
-- Right (-1250,1)
--
-- @since 0.1.0.0
scaled :: Get (Integer, Int)
scaled =
  quickNumber True (\negative n count -> Just (signed negative (toInteger n), negate count)) slowScaled

slowScaled :: Get (Integer, Int)
slowScaled = do
  at <- here
  negative <- minusSign
  whole <- someDigits
  fraction <- fractionDigits
  power <- ifFollows (\i -> i == 101 || i == 69) signedDigitNext (skip 1 *> powerDigits)
  let n = toNumber (whole <> fraction)
      e = fromMaybe 0 power - toInteger (S.length fraction)
  if e < toInteger (minBound :: Int) || e > toInteger (maxBound :: Int)
    then invalidFrom at "exponent out of range"
    else pure (signed negative n, fromInteger e)
  where
    signedDigitNext =
      nextCode >>= \i -> if i == 45 || i == 43 then skip 1 *> digitNext else digitNext
    powerDigits = do
      negative <- minusSign
      ds <- S.dropWhile (== 48) <$> takeWhile isDigit
      -- 10^30 is no Int, even if all digits in memory are subtracted.
      let n = if S.length ds > 30 then 10 ^ (30 :: Int) else toNumber ds
      pure (signed negative n)

-- A number of at most 18 digits that lies in one chunk, or something else, with nothing read. (For
-- the form of the loops see Note [Scanning chunks] in "Ashlar.Internal.Get.Scan".)
quickNumber ::
  -- May an exponent follow? A number that has one is left to the slow way.
  Bool ->
  -- Sign, all digits, and the number of those after the point, to the result, if there is one.
  (Bool -> Word64 -> Int -> Maybe r) ->
  -- The slow way.
  Get r ->
  Get r
quickNumber exponents result (Get slow) = step $ \c env -> do
  p <- getPtr c cursorCell
  e <- getPtr c endCell
  let byteAt q = if q == e then pure 0 else peekHost q :: IO Word8
      notQuick = IO (slow c env)
      digitsFrom q0 n0 next = go q0 n0
        where
          go !q !n
            | q == e = next q n
            | otherwise = do
              -- q is before the end.
              w <- peekHost q
              if isDigit w
                then go (q `plusPtr` 1) (10 * n + fromIntegral (w - 48))
                else next q n
  first <- byteAt p
  let start = if first == 45 || first == 43 then p `plusPtr` 1 else p
      -- 18 digits are less than 2^64, and a point may be among them.
      done q n count
        | q `minusPtr` start > 19 || (q `minusPtr` start > 18 && count == 0) = notQuick
        | otherwise = do
          next <- byteAt q
          ended <- if q == e then endsAt c q else pure True
          if not ended || (exponents && (next == 101 || next == 69))
            then notQuick
            else case result (first == 45) n count of
              Just r -> r <$ putPtr c cursorCell q
              Nothing -> notQuick
  digitsFrom start (0 :: Word64) $ \q n ->
    if q == start
      then notQuick
      else do
        point <- byteAt q
        if point /= 46
          then done q n 0
          else do
            let fraction = q `plusPtr` 1
            -- A point without digits after it is left to the slow way.
            digitsFrom fraction n $ \q' n' ->
              if q' == fraction then notQuick else done q' n' (q' `minusPtr` fraction)
{-# INLINE quickNumber #-}

minusSign :: Get Bool
minusSign = (== Just 45) <$> optionIf (\w -> w == 45 || w == 43) anyWord8

someDigits :: Get ByteString
someDigits = takeWhile isDigit >>= \ds -> if S.null ds then noDigit else pure ds

-- The digits after a point, or none.
fractionDigits :: Get ByteString
fractionDigits =
  fromMaybe S.empty <$> ifFollows (== 46) digitNext (skip 1 *> takeWhile isDigit)

digitNext :: Get Bool
digitNext = (\i -> i >= 48 && i < 58) <$> nextCode

-- What begins with one byte, if something follows that one. Looking for it never fails.
ifFollows :: (Int -> Bool) -> Get Bool -> Get a -> Get (Maybe a)
ifFollows this follows p = do
  i <- nextCode
  found <- if this i then lookAhead (skip 1 *> follows) else pure False
  if found then Just <$> p else pure Nothing

-- The number of decimal digits, 0 for none. (It takes less than quadratic time.)
toNumber :: ByteString -> Integer
toNumber = maybe 0 fst . C.readInteger
