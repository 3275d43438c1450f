{-# LANGUAGE BangPatterns #-}
{-# LANGUAGE MagicHash #-}
{-# LANGUAGE UnboxedTuples #-}

-- |
-- Module      : Ashlar.Internal.Get.Floating
-- Description : Decoders for floating-point numbers written in ASCII
module Ashlar.Internal.Get.Floating
  ( double,
    float,
  )
where

import Ashlar.Internal.Get.Bytes (skip)
import Ashlar.Internal.Get.Core
import Ashlar.Internal.Get.Env
import Ashlar.Internal.Get.LookAhead (lookAhead)
import Ashlar.Internal.Get.NextByte
import Ashlar.Internal.Get.Scan
import Ashlar.Internal.Mem (peekHost, withBytesQuick)
import Ashlar.Internal.Mem.Cells
import Ashlar.Internal.Prim.NearestBinary
import Ashlar.Internal.Prim.ParseFloating
import Data.ByteString (ByteString)
import qualified Data.ByteString as S
import Data.Maybe (fromMaybe)
import Data.Word (Word64, Word8)
import Foreign.Ptr (minusPtr, plusPtr)
import GHC.Exts (Double (D#), Double#, Float (F#), Float#, RealWorld, State#)
import GHC.Float (castWord32ToFloat, castWord64ToDouble)
import GHC.IO (unIO)
import System.IO.Unsafe (unsafeDupablePerformIO)
import Prelude hiding (takeWhile)

-- | A number with an optional sign, a fraction (a point and digits) and an exponent (@e@
-- or @E@, an optional sign, and digits), the last two optional; rounded correctly, to
-- even where it lies halfway. It takes as much as makes a number: of @1.e@ only the @1@.
-- Neither infinities nor NaN can be written; numbers too large for the type are
-- infinite.
--
-- The time is proportional to the number of bytes, whatever they say, and no number takes more
-- memory than they do.
--
-- >>> import qualified Ashlar.Get.Parse as P
-- >>> runGetRest P.double "-0.25e1;"
-- Right (-2.5,";")
--
-- @since 0.1.0.0
double :: Get Double
double = Get $ \c env s0 -> case quickDouble c s0 of
  (# s1, x #)
    | isNumber (D# x) -> (# s1, D# x #)
    | otherwise -> unGet slowDouble c env s1
{-# INLINE double #-}

-- | 'double' for a 'Float', to which the decimal is rounded at once. Rounding first to a 'Double'
-- gives another number where that is halfway between two floats.
--
-- >>> import qualified Ashlar.Get.Parse as P
-- >>> runGetRest P.float "16777217.0000000001 "
-- Right (1.6777218e7," ")
-- >>> realToFrac (16777217.0000000001 :: Double) :: Float
-- 1.6777216e7
--
-- @since 0.1.0.0
float :: Get Float
float = Get $ \c env s0 -> case quickFloat c s0 of
  (# s1, x #)
    | isNumber (F# x) -> (# s1, F# x #)
    | otherwise -> unGet slowFloat c env s1
{-# INLINE float #-}

-- (A comparison, because 'isNaN' is a foreign call.)
isNumber :: Eq a => a -> Bool
isNumber x = x == x
{-# INLINE isNumber #-}

-- A number that lies in one chunk, or NaN, and nothing is read.
quickDouble :: Cells -> State# RealWorld -> (# State# RealWorld, Double# #)
quickDouble c s0 = case unIO (quick binary64 quotientDouble castWord64ToDouble c) s0 of
  (# s1, D# x #) -> (# s1, x #)
{-# NOINLINE quickDouble #-}

quickFloat :: Cells -> State# RealWorld -> (# State# RealWorld, Float# #)
quickFloat c s0 = case unIO (quick binary32 quotientFloat castToFloat c) s0 of
  (# s1, F# x #) -> (# s1, x #)
{-# NOINLINE quickFloat #-}

castToFloat :: Word64 -> Float
castToFloat = castWord32ToFloat . fromIntegral
{-# INLINE castToFloat #-}

quick ::
  RealFloat a =>
  Binary ->
  -- The number where 'isQuotient' holds.
  (Word64 -> Int -> a) ->
  -- The number of these bits.
  (Word64 -> a) ->
  Cells ->
  IO a
quick b quotient cast c = do
  p <- getPtr c cursorCell
  e <- getPtr c endCell
  first <- if p == e then pure 0 else peekHost p
  let start = if isSign first then p `plusPtr` 1 else p
      notQuick = pure (0 / 0)
  -- (Strict, or they are boxed.)
  scanNumber start e notQuick $ \end examined digitsEnd !x !q -> do
    complete <- if examined == e then endsAt c e else pure True
    if complete
      then do
        putPtr c cursorCell end
        !y <-
          if digitsEnd `minusPtr` start <= 19
            then pure $! if isQuotient b x q then quotient x q else cast (nearest b x q)
            else cast <$> nearestOfDigits b start digitsEnd q
        pure $! if first == 45 then negate y else y
      else notQuick
{-# INLINE quick #-}

isSign :: Word8 -> Bool
isSign w = w == 45 || w == 43
{-# INLINE isSign #-}

-- A number that lies in several chunks, or none.
slowDouble :: Get Double
slowDouble = slow binary64 castWord64ToDouble
{-# NOINLINE slowDouble #-}

slowFloat :: Get Float
slowFloat = slow binary32 castToFloat
{-# NOINLINE slowFloat #-}

slow :: Num a => Binary -> (Word64 -> a) -> Get a
slow b cast = do
  sign <- optionIf isSign anyWord8
  whole <- takeWhile isDigit
  if S.null whole then refused "a digit" else pure ()
  fraction <- ifFollows (== 46) digitNext (skip 1 *> takeWhile isDigit)
  power <- ifFollows (\i -> i == 101 || i == 69) signedDigitNext (skip 1 *> powerDigits)
  let ds = whole <> fromMaybe S.empty fraction
      x = cast (nearestOfBytes b ds (fromMaybe 0 power - maybe 0 S.length fraction))
  pure $! if sign == Just 45 then negate x else x
  where
    -- What begins with one byte, if something follows that one. To look for it never
    -- fails: so errors are the same as when the quick path did not look.
    ifFollows this follows p = do
      i <- nextCode
      found <- if this i then lookAhead (skip 1 *> follows) else pure False
      if found then Just <$> p else pure Nothing
    digitNext = (\i -> i >= 48 && i < 58) <$> nextCode
    signedDigitNext =
      nextCode >>= \i -> if i == 45 || i == 43 then skip 1 *> digitNext else digitNext
    powerDigits = do
      sign <- optionIf isSign anyWord8
      n <- S.foldl' addDigit 0 <$> takeWhile isDigit
      pure (if sign == Just 45 then negate n else n)

isDigit :: Word8 -> Bool
isDigit w = w - 48 < 10
{-# INLINE isDigit #-}

-- The bits of the number that is nearest to these digits times a power of ten.
nearestOfBytes :: Binary -> ByteString -> Int -> Word64
nearestOfBytes b ds q =
  unsafeDupablePerformIO (withBytesQuick ds (\p n -> nearestOfDigits b p (p `plusPtr` n) q))
