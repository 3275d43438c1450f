-- Unfoldings must not be eta-expanded: Note [Generic methods] in "Ashlar.Internal.Codec.Derive".
{-# OPTIONS_GHC -fno-do-lambda-eta-expansion #-}

-- |
-- Module      : Ashlar.Internal.Codec.Length
-- Description : Lengths of containers and bounds of arrays, which are never trusted; varints
--
-- Note [Untrusted lengths]
-- ~~~~~~~~~~~~~~~~~~~~~~~~
-- A length in the input is eight bytes, and can announce anything. It is never trusted:
--
-- * A length that is negative or no 'Int' is refused at its own offset.
-- * Memory is allocated only for the elements that fit into the bytes that have arrived
--   ('firstCapacity'), and for more once those have been decoded. So a length that is too large
--   fails where the input ends, with the same error for one chunk and for many.
-- * An input could announce any number of empty elements. They count against a budget of the
--   whole run ('chargeEmpties').
--
-- The tests "hostile lengths give an error at once" run under a heap limit.
module Ashlar.Internal.Codec.Length
  ( Counted (..),
    putCompactDefault,
    lengthFormat,
    putLength,
    getLength,
    sizePrefixed,
    putPrefixed,
    getPrefixed,
    lengthSize,
    firstCapacity,
    chargeEmpties,
    varintSize,
    putVarint,
    getVarint,
    getVarintAs,
    compactLength,
    agree,
  )
where

import Ashlar.Internal.Builder.Core
import Ashlar.Internal.Codec.Fixed
import Ashlar.Internal.Get.Budget (announceElements, spendEmpties)
import Ashlar.Internal.Get.Bytes (available)
import Ashlar.Internal.Get.Core
import qualified Ashlar.Internal.Get.Varint as Get
import Ashlar.Internal.Prim.Varint.Groups (writeUnsigned64)
import qualified Ashlar.Internal.Prim.Varint.Type as P
import qualified Ashlar.Prim.Varint as P
import Data.Ix (Ix, inRange, range, rangeSize)
import Data.Word (Word64, Word8)

-- | Types encoded as a count followed by that many elements: strings, lists, vectors, maps, sets.
-- The instances of 'Ashlar.Codec.Codec' write the count as a length of eight bytes,
-- 'Ashlar.Codec.Wrappers.Compact' writes it as a varint.
class Counted a where
  -- | The count.
  counted :: a -> Int

  -- | The size of what follows the count.
  sizeCounted :: a -> Int

  -- | Write what follows the count.
  putCounted :: a -> Builder

  -- | Write the count as a varint, and what follows it.
  putCompact :: a -> Builder
  putCompact x = putCompactDefault x
  {-# INLINE putCompact #-}

  -- | Read what follows the count, given the count. It is not negative, but otherwise untrusted.
  getCounted :: Int -> Get a

-- | The default of 'putCompact'.
putCompactDefault :: Counted a => a -> Builder
putCompactDefault x = append (putVarint (fromIntegral (counted x))) (putCounted x)
{-# INLINE putCompactDefault #-}

-- | A length: an 'Int', and not negative.
lengthFormat :: Fixed Int
lengthFormat = fixedChecked id (\n -> if n >= 0 then Right n else Left (negativeLength n)) fixedInt
{-# INLINE lengthFormat #-}

negativeLength :: Int -> String
negativeLength n = "negative length " ++ show n
{-# NOINLINE negativeLength #-}

-- | The number of bytes of a length.
lengthSize :: Int
lengthSize = 8
{-# INLINE lengthSize #-}

-- | Write a length.
putLength :: Int -> Builder
putLength n = putFixed lengthFormat n
{-# INLINE putLength #-}

-- | Read a length. It is not negative, but otherwise untrusted: Note [Untrusted lengths].
getLength :: Get Int
getLength = getFixed lengthFormat

-- The three functions below are methods of 'Codec' for a container: the number of its elements, and
-- what 'Counted' writes after it. Sets and maps define their methods by them, marked INLINE. So GHC
-- sees the methods of 'Counted' at known types before it specialises. Also tried: instances derived
-- via a newtype. GHC 9.10 then decoded sets and maps with dictionaries. (Allocation test "sets and
-- maps".)

-- | The size of a container.
sizePrefixed :: Counted a => a -> Int
sizePrefixed x = lengthSize + sizeCounted x
{-# INLINE sizePrefixed #-}

-- | Write a container.
putPrefixed :: Counted a => a -> Builder
putPrefixed x = append (putLength (counted x)) (putCounted x)
{-# INLINE putPrefixed #-}

-- | Read a container.
getPrefixed :: Counted a => Get a
getPrefixed = getLength >>= getCounted
{-# INLINE getPrefixed #-}

-- | How many elements to allocate memory for at first: Note [Untrusted lengths].
firstCapacity ::
  -- | The least size of an element.
  Int ->
  -- | The number of elements announced.
  Int ->
  Get Int
firstCapacity least n
  | least <= 0 = pure n
  | otherwise = (\bytes -> min n (bytes `quot` least)) <$> available

-- | If elements may be empty, count them against the budget of steps. Otherwise fail if they take
-- more than the budget's bytes.
chargeEmpties ::
  -- | The least size of an element.
  Int ->
  -- | The number of elements, not negative.
  Int ->
  Get ()
chargeEmpties least n
  | least <= 0 = spendEmpties n
  | n <= 64 = pure ()
  | otherwise = announceElements least n

-- Numbers of variable length in unsigned LEB128 ("Ashlar.Prim.Varint"). Each number has one
-- encoding: reading refuses a zero byte at the end, except in the number 0, and numbers that do not
-- fit 64 bits.

-- | The bytes that a number takes, from 1 to 10.
varintSize :: Word64 -> Int
varintSize = P.varintSize P.word64LEB128
{-# INLINE varintSize #-}

-- | Write a number.
putVarint :: Word64 -> Builder
putVarint n = ensureAfter (evaluated n) 10 (\p -> writeUnsigned64 n p)
{-# INLINE [0] putVarint #-}

-- Adjacent numbers share a check: Note [Fusing reservations] in "Ashlar.Internal.Builder.Core".
{-# RULES
"putVarint" [~0] forall n. putVarint n = ensureAfter (evaluated n) 10 (\p -> writeUnsigned64 n p)
  #-}

-- | Read a number.
getVarint :: Get Word64
getVarint = Get.getVarint P.word64LEB128
{-# INLINE getVarint #-}

-- | Read a number, and convert it. The second function may refuse it. The first function converts
-- the numbers of one byte that the second accepts.
getVarintAs :: (Word8 -> a) -> (Word64 -> Either String a) -> Get a
getVarintAs = Get.getConverted
{-# INLINE getVarintAs #-}

-- | A length as a varint. It is not negative, but otherwise untrusted.
compactLength :: Get Int
compactLength = getVarintAs fromIntegral toLength
  where
    toLength w
      | w <= fromIntegral (maxBound :: Int) = Right (fromIntegral w)
      | otherwise = Left "a length that does not fit"
{-# INLINE compactLength #-}

-- Bounds of arrays in untrusted input.

-- | Do the bounds enclose as many indices as there are elements?
--
-- Note [Untrusted bounds]
-- ~~~~~~~~~~~~~~~~~~~~~~~
-- 'rangeSize' is computed in an Int, and an attacker can choose bounds for which it overflows to
-- any number: ((0, 0), (2^32 - 1, 2^32 - 1)) has the size 0. So 'agree' counts the indices itself,
-- up to one more than there are elements. (These have all been read.) If the upper bound is in
-- range, no dimension is empty, and counting never waits for the next index. If not, there is no
-- index.
agree ::
  Ix i =>
  (i, i) ->
  -- | How many elements there are.
  Int ->
  Bool
agree b@(_, u) n
  | inRange b u = rangeSize b == n && length (take (n + 1) (range b)) == n
  | otherwise = n == 0
{-# INLINE agree #-}
