{-# LANGUAGE BangPatterns #-}
{-# LANGUAGE MagicHash #-}
{-# LANGUAGE Trustworthy #-}
{-# LANGUAGE UnboxedSums #-}
{-# LANGUAGE UnboxedTuples #-}

-- |
-- Module      : Ashlar.Get.Parse
-- Description : Decoders for text protocols and mixed formats
--
-- What a parser of text needs, by the names of attoparsec. These are decoders like those of
-- "Ashlar.Get", and can be mixed with them. Some of the names are also in the Prelude: import this
-- module qualified, or with an import list.
--
-- >>> import Ashlar.Get.Parse (bytes, decimal, endOfLine, skipSpace, takeTill)
-- >>> let version = bytes "HTTP/1." *> (decimal :: Get Word8)
-- >>> let code = skipSpace *> (decimal :: Get Int) <* skipSpace
-- >>> let status = (,,) <$> version <*> code <*> takeTill (== 13) <* endOfLine
-- >>> runGet status "HTTP/1.1 200 OK\r\n"
-- Right (1,200,"OK")
--
-- Strings of bytes are slices of the input, which keep their chunk alive ('Data.ByteString.copy'
-- them if that is not wanted).
--
-- The cost of choices: 'switch', 'optionIf', 'manyWhile' and 'skipManyWhile' only test the next
-- byte. So does optimised 'Control.Applicative.<|>', if its first alternative begins with
-- 'satisfy', 'satisfyWith', 'word8' or 'notWord8', and that refuses the byte. In all other cases
-- 'Control.Applicative.<|>' opens a choice point, which takes a few nanoseconds, and keeps the
-- input from there on until the choice ends.
module Ashlar.Get.Parse
  ( -- * Taking bytes
    takeWhile,
    takeWhile1,
    takeTill,
    takeTillByte,
    scan,
    runScanner,

    -- * Skipping bytes
    skipWhile,
    skipWhile1,
    skipSpace,

    -- * One byte
    word8,
    notWord8,
    anyWord8,
    satisfy,
    satisfyWith,
    peekWord8,
    peekWord8',

    -- * Literals
    bytes,
    optionBytes,
    endOfLine,

    -- * Choosing by the next byte
    switch,
    optionIf,
    manyWhile,
    skipManyWhile,

    -- * Numbers in ASCII
    decimal,
    signedDecimal,
    signed,
    hexadecimal,
    double,
    float,

    -- * Repetition, choice and separators
    module Ashlar.Get.Combinators,
  )
where

import Ashlar.Get.Combinators
import Ashlar.Internal.Get.Ascii
import Ashlar.Internal.Get.Core
import Ashlar.Internal.Get.Env
import Ashlar.Internal.Get.NextByte
import Ashlar.Internal.Get.Scan
import Ashlar.Internal.Mem (peekHost, withBytesQuick)
import Ashlar.Internal.Mem.Cells
import Ashlar.Internal.Prim.NearestBinary
import Ashlar.Internal.Prim.ParseFloating
import Data.ByteString (ByteString)
import qualified Data.ByteString as S
import Data.Word (Word64, Word8)
import Foreign.Ptr (minusPtr, plusPtr)
import GHC.Exts (Addr#, Double (D#), Double#, Float (F#), Float#, Ptr (Ptr), RealWorld, State#)
import GHC.Float (castWord32ToFloat, castWord64ToDouble)
import GHC.IO (unIO)
import System.IO.Unsafe (unsafeDupablePerformIO)
import Prelude hiding (take, takeWhile)

-- | A number in decimal: an optional sign, digits, an optional fraction (a point and digits), and
-- an optional exponent (@e@ or @E@, an optional sign, and digits). It reads the longest prefix that
-- is such a number: of @1.e@ only the @1@.
--
-- The number is rounded correctly, and to even if it lies halfway. Numbers too large for the type
-- become infinite. There is no syntax for infinities and NaN.
--
-- The time is proportional to the number of bytes, whatever they are, and no number takes more
-- memory than its bytes.
--
-- >>> import qualified Ashlar.Get.Parse as P
-- >>> runGetRest P.double "-0.25e1;"
-- Right (-2.5,";")
double :: Get Double
double = Get $ \p c env s0 -> case quickDouble p c env s0 of
  (# s1, p1, x #)
    | isNumber (D# x) -> (# s1, p1, (# D# x | #) #)
    | otherwise -> unGet slowDouble p c env s1
{-# INLINE double #-}

-- | 'double' for a 'Float'. The decimal is rounded to a 'Float' in one step. Rounding it to a
-- 'Double' first would give another number if that is halfway between two floats.
--
-- >>> import qualified Ashlar.Get.Parse as P
-- >>> runGetRest P.float "16777217.0000000001 "
-- Right (1.6777218e7," ")
-- >>> realToFrac (16777217.0000000001 :: Double) :: Float
-- 1.6777216e7
float :: Get Float
float = Get $ \p c env s0 -> case quickFloat p c env s0 of
  (# s1, p1, x #)
    | isNumber (F# x) -> (# s1, p1, (# F# x | #) #)
    | otherwise -> unGet slowFloat p c env s1
{-# INLINE float #-}

-- (A comparison, because 'isNaN' is a foreign call.)
isNumber :: Eq a => a -> Bool
isNumber x = x == x
{-# INLINE isNumber #-}

-- Read a number that lies in one chunk, and return the cursor after it, and the number. Otherwise
-- read nothing, and return NaN.
quickDouble ::
  Addr# -> Cells -> Env -> State# RealWorld -> (# State# RealWorld, Addr#, Double# #)
quickDouble p c env s0 =
  case unIO (quick binary64 quotientDouble castWord64ToDouble c env (Ptr p)) s0 of
    (# s1, Quick (Ptr p1) (D# x) #) -> (# s1, p1, x #)
{-# NOINLINE quickDouble #-}

quickFloat :: Addr# -> Cells -> Env -> State# RealWorld -> (# State# RealWorld, Addr#, Float# #)
quickFloat p c env s0 = case unIO (quick binary32 quotientFloat castToFloat c env (Ptr p)) s0 of
  (# s1, Quick (Ptr p1) (F# x) #) -> (# s1, p1, x #)
{-# NOINLINE quickFloat #-}

-- Where a number ends, and the number.
data Quick a = Quick !(Ptr Word8) !a

castToFloat :: Word64 -> Float
castToFloat = castWord32ToFloat . fromIntegral
{-# INLINE castToFloat #-}

quick ::
  RealFloat a =>
  Binary ->
  -- Make the number from its digits and its power of ten, if 'isQuotient' holds of these.
  (Word64 -> Int -> a) ->
  -- Make the number from its bits.
  (Word64 -> a) ->
  Cells ->
  Env ->
  Ptr Word8 ->
  IO (Quick a)
quick b quotient cast c env p = do
  e <- getPtr c endCell
  first <- if p == e then pure 0 else peekHost p
  let start = if isSign first then p `plusPtr` 1 else p
      notQuick = pure (Quick p (0 / 0))
  -- (Bang patterns, or GHC boxes these.)
  scanNumber start e notQuick $ \ !end !examined !digitsEnd !x !q -> do
    complete <- if examined == e then endsAt c env e else pure True
    if complete
      then do
        !y <-
          if digitsEnd `minusPtr` start <= 19
            then pure $! if isQuotient b x q then quotient x q else cast (nearest b x q)
            else cast <$> nearestOfDigits b start digitsEnd q
        pure $! Quick end (if first == 45 then negate y else y)
      else notQuick
{-# INLINE quick #-}

-- Read a number that may lie in more than one chunk, or fail.
slowDouble :: Get Double
slowDouble = slow binary64 castWord64ToDouble
{-# NOINLINE slowDouble #-}

slowFloat :: Get Float
slowFloat = slow binary32 castToFloat
{-# NOINLINE slowFloat #-}

slow :: Num a => Binary -> (Word64 -> a) -> Get a
slow b cast = do
  negative <- minusSign
  integral <- someDigits
  fraction <- fractionDigits
  (down, ds) <- exponentDigits
  let n = S.foldl' addDigit 0 ds
      q = (if down then negate n else n) - S.length fraction
      x = cast (nearestOfBytes b (integral <> fraction) q)
  pure $! if negative then negate x else x

-- The bits of the number nearest to these digits times a power of ten.
nearestOfBytes :: Binary -> ByteString -> Int -> Word64
nearestOfBytes b ds q =
  unsafeDupablePerformIO (withBytesQuick ds (\p n -> nearestOfDigits b p (p `plusPtr` n) q))
