{-# LANGUAGE OverloadedStrings #-}
{-# LANGUAGE PolyKinds #-}
{-# LANGUAGE Trustworthy #-}

-- |
-- Module      : Ashlar.Builder.Decimal
-- Description : Exact decimal numbers with a fraction
--
-- "Ashlar.Get.Decimal" reads them, by the same names: import both qualified.
module Ashlar.Builder.Decimal
  ( fixed,
    scaled,
  )
where

import Ashlar.Internal.Builder.Bytes
import Ashlar.Internal.Builder.Core
import Ashlar.Internal.Builder.Decimal
import Ashlar.Internal.Builder.Hex (replicateWord8, word64DecPadded)
import Ashlar.Internal.Builder.Strict
import Ashlar.Internal.Builder.Strings (char7)
import Ashlar.Internal.Prim.DecimalPlaces
import qualified Data.ByteString as S
import Data.Fixed (Fixed (MkFixed), HasResolution (..))
import Data.Word (Word64)
import Prelude hiding (exponent)

-- | A fixed-point number in decimal, with all of its decimal places and at least one, as 'show'
-- writes it. (For a resolution just above a large power of ten, @base@ rounds the number of places,
-- and 'show' writes one less.)
--
-- >>> import qualified Ashlar.Builder.Decimal as D
-- >>> import Data.Fixed (Centi)
-- >>> toStrictByteString (D.fixed (-12.5 :: Centi))
-- "-12.50"
fixed :: HasResolution a => Fixed a -> Builder
fixed x@(MkFixed n) = fixedPlaces (decimalPlaces (resolution x)) n
{-# INLINE fixed #-}

-- The number is given multiplied by the resolution.
fixedPlaces :: DecimalPlaces -> Integer -> Builder
fixedPlaces (DecimalPlaces unit places power) n = action $ \c k ->
  if unit < small && abs n < small && power == unit && places > 0
    then case fromInteger (abs n) `quotRem` (fromInteger unit :: Word64) of
      (whole, part) ->
        runOn (sign <> word64Dec whole <> char7 '.' <> word64DecPadded places part) c k
    else case abs n `quotRem` unit of
      (whole, part) -> runOn (sign <> integerDec whole <> char7 '.' <> decimals part) c k
  where
    small = 1000000000000000000
    sign = if n < 0 then char7 '-' else mempty
    -- Rounded up, because reading rounds down.
    shown part = negate (negate (part * power) `div` unit)
    decimals part = zeros <> byteString text
      where
        text = toStrictByteString (integerDec (shown part))
        -- One place at least, even for whole numbers.
        zeros = replicateWord8 (places - S.length text) 0x30
{-# NOINLINE fixedPlaces #-}

-- | A number times a power of ten, in decimal. There is always a point. Numbers below 0.1, and from
-- 10,000,000 on, have an exponent. So the text is at most some 25 characters longer than the digits
-- of the number. The same number always has the same text.
--
-- >>> import qualified Ashlar.Builder.Decimal as D
-- >>> toStrictByteString (D.scaled (-1250) 1)
-- "-12500.0"
-- >>> toStrictByteString (D.scaled 25 (-1000000000000))
-- "2.5e-999999999999"
scaled ::
  -- | The number.
  Integer ->
  -- | The exponent of the power of ten.
  Int ->
  Builder
scaled n power = action $ \c k -> runOn decimal c k
  where
    decimal
      | n == 0 = byteString "0.0"
      | before < 0 || before > 7 =
        sign <> first <> char7 '.' <> orZero (S.drop 1 digits) <> exponent
      | before == 0 = sign <> byteString "0." <> byteString digits
      | otherwise =
        case S.splitAt (fromInteger before) digits of
          (whole, part) ->
            sign <> byteString whole
              <> replicateWord8 (fromInteger before - S.length whole) 0x30
              <> char7 '.'
              <> orZero part
    sign = if n < 0 then char7 '-' else mempty
    first = byteString (S.take 1 digits)
    exponent = char7 'e' <> integerDec (before - 1)
    orZero ds = if S.null ds then char7 '0' else byteString ds
    text = toStrictByteString (integerDec (abs n))
    digits = S.dropWhileEnd (== 0x30) text
    -- The number is a fraction with these digits after the point, times this power of ten.
    before = toInteger power + toInteger (S.length text)
