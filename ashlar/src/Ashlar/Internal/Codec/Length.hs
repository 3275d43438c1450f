-- Unfoldings must not be eta-expanded: see Note [Generic methods].
{-# OPTIONS_GHC -fno-do-lambda-eta-expansion #-}

-- |
-- Module      : Ashlar.Internal.Codec.Length
-- Description : Lengths of containers, and what may be believed of them
--
-- Note [Lengths from strangers]
-- ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
-- A length in the input is eight bytes, and can announce anything. It is never
-- trusted:
--
-- * A negative one, or one that is no 'Int', is refused where it stands.
-- * Memory is allocated for as many elements as could be made from bytes that
--   have arrived ('firstCapacity'), and more only when those have been decoded.
--   So a length that is too large fails where the input ends, with the same
--   error whether the input came in one chunk or in many.
-- * Elements of no size could be announced without end: they are counted
--   against a budget for the whole run ('chargeEmpties').
--
-- The tests "hostile lengths give an error at once" run under a heap limit.
module Ashlar.Internal.Codec.Length
  ( Counted (..),
    lengthFormat,
    putLength,
    getLength,
    lengthSize,
    firstCapacity,
    chargeEmpties,
  )
where

import Ashlar.Internal.Builder.Core (Builder)
import Ashlar.Internal.Codec.Fixed
import Ashlar.Internal.Get.Budget (spendEmpties)
import Ashlar.Internal.Get.Bytes (available)
import Ashlar.Internal.Get.Core

-- | Types whose values are written as a number, and what it is the number of:
-- strings, lists, vectors, maps, sets. The instances of 'Ashlar.Codec.Codec' write the
-- number as a length, 'Ashlar.Codec.Wrappers.Compact' writes it in fewer bytes.
--
-- @since 0.1.0.0
class Counted a where
  -- | The number.
  counted :: a -> Int

  -- | The size of what follows it.
  sizeCounted :: a -> Int

  -- | Write what follows it.
  putCounted :: a -> Builder

  -- | Read what follows a number, which is not negative, and otherwise not to be
  -- believed.
  getCounted :: Int -> Get a

-- | A length: an 'Int', and not negative.
lengthFormat :: Fixed Int
lengthFormat = fixedChecked id (\n -> if n >= 0 then Right n else Left (negativeLength n)) fixedInt
{-# INLINE lengthFormat #-}

negativeLength :: Int -> String
negativeLength n = "negative length " ++ show n
{-# NOINLINE negativeLength #-}

-- | Bytes that a length takes.
lengthSize :: Int
lengthSize = 8
{-# INLINE lengthSize #-}

-- | Write a length.
putLength :: Int -> Builder
putLength n = putFixed lengthFormat n
{-# INLINE putLength #-}

-- | Read a length: not negative, and otherwise not to be believed.
getLength :: Get Int
getLength = getFixed lengthFormat

-- | How many of so many announced elements to allocate memory for at first,
-- given the least number of bytes that one takes.
firstCapacity :: Int -> Int -> Get Int
firstCapacity least n
  | least <= 0 = pure n
  | otherwise = (\bytes -> min n (bytes `quot` least)) <$> available

-- | Count so many elements (not negative) against the budget for elements of
-- no size, if their least size is none.
chargeEmpties :: Int -> Int -> Get ()
chargeEmpties least n
  | least > 0 = pure ()
  | otherwise = spendEmpties n
