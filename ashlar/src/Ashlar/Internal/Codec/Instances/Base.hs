{-# LANGUAGE BangPatterns #-}
{-# LANGUAGE DataKinds #-}
{-# LANGUAGE FlexibleContexts #-}
{-# LANGUAGE GADTs #-}
{-# LANGUAGE MagicHash #-}
{-# LANGUAGE TypeOperators #-}
{-# LANGUAGE UndecidableInstances #-}
{-# OPTIONS_GHC -Wno-orphans #-}
-- Unfoldings must not be eta-expanded: Note [Generic methods] in "Ashlar.Internal.Codec.Derive".
{-# OPTIONS_GHC -fno-do-lambda-eta-expansion #-}

-- |
-- Module      : Ashlar.Internal.Codec.Instances.Base
-- Description : Formats of numbers, characters and Bool, and types that have none
--
-- The types whose values all take the same number of bytes, and those that cannot be encoded.
module Ashlar.Internal.Codec.Instances.Base () where

import Ashlar.Internal.Builder.Core (Builder)
import Ashlar.Internal.Codec.Class
import Ashlar.Internal.Codec.Fixed
import Data.Char (chr, ord)
import Data.Int (Int16, Int32, Int64, Int8)
import Data.Word (Word16, Word32, Word64, Word8)
import GHC.Exts (Int (I#), dataToTag#, tagToEnum#)
import GHC.TypeLits (ErrorMessage (..), TypeError)

-- Each instance defines the same four methods for its fixed format. Methods derived through a
-- newtype have no INLINE unfolding, so the rules would not merge their reservations.

instance Codec Word8 where
  layout = Fix fixedWord8
  size _ = fixedSize fixedWord8
  {-# INLINE size #-}
  put = putFixed fixedWord8
  {-# INLINE put #-}
  get = getFixed fixedWord8
  {-# INLINE get #-}

instance Codec Word16 where
  layout = Fix fixedWord16LE
  size _ = fixedSize fixedWord16LE
  {-# INLINE size #-}
  put = putFixed fixedWord16LE
  {-# INLINE put #-}
  get = getFixed fixedWord16LE
  {-# INLINE get #-}

instance Codec Word32 where
  layout = Fix fixedWord32LE
  size _ = fixedSize fixedWord32LE
  {-# INLINE size #-}
  put = putFixed fixedWord32LE
  {-# INLINE put #-}
  get = getFixed fixedWord32LE
  {-# INLINE get #-}

instance Codec Word64 where
  layout = Fix fixedWord64LE
  size _ = fixedSize fixedWord64LE
  {-# INLINE size #-}
  put = putFixed fixedWord64LE
  {-# INLINE put #-}
  get = getFixed fixedWord64LE
  {-# INLINE get #-}

-- | 8 bytes on every machine.
instance Codec Word where
  layout = Fix fixedWord
  size _ = fixedSize fixedWord
  {-# INLINE size #-}
  put = putFixed fixedWord
  {-# INLINE put #-}
  get = getFixed fixedWord
  {-# INLINE get #-}

instance Codec Int8 where
  layout = Fix fixedInt8
  size _ = fixedSize fixedInt8
  {-# INLINE size #-}
  put = putFixed fixedInt8
  {-# INLINE put #-}
  get = getFixed fixedInt8
  {-# INLINE get #-}

instance Codec Int16 where
  layout = Fix fixedInt16LE
  size _ = fixedSize fixedInt16LE
  {-# INLINE size #-}
  put = putFixed fixedInt16LE
  {-# INLINE put #-}
  get = getFixed fixedInt16LE
  {-# INLINE get #-}

instance Codec Int32 where
  layout = Fix fixedInt32LE
  size _ = fixedSize fixedInt32LE
  {-# INLINE size #-}
  put = putFixed fixedInt32LE
  {-# INLINE put #-}
  get = getFixed fixedInt32LE
  {-# INLINE get #-}

instance Codec Int64 where
  layout = Fix fixedInt64LE
  size _ = fixedSize fixedInt64LE
  {-# INLINE size #-}
  put = putFixed fixedInt64LE
  {-# INLINE put #-}
  get = getFixed fixedInt64LE
  {-# INLINE get #-}

-- | 8 bytes on every machine, in two's complement.
instance Codec Int where
  layout = Fix fixedInt
  size _ = fixedSize fixedInt
  {-# INLINE size #-}
  put = putFixed fixedInt
  {-# INLINE put #-}
  get = getFixed fixedInt
  {-# INLINE get #-}

-- | The 4 bytes of an IEEE 754 number.
instance Codec Float where
  layout = Fix fixedFloatLE
  size _ = fixedSize fixedFloatLE
  {-# INLINE size #-}
  put = putFixed fixedFloatLE
  {-# INLINE put #-}
  get = getFixed fixedFloatLE
  {-# INLINE get #-}

-- | The 8 bytes of an IEEE 754 number. A NaN keeps its payload.
instance Codec Double where
  layout = Fix fixedDoubleLE
  size _ = fixedSize fixedDoubleLE
  {-# INLINE size #-}
  put = putFixed fixedDoubleLE
  {-# INLINE put #-}
  get = getFixed fixedDoubleLE
  {-# INLINE get #-}

-- | One byte, 0 or 1. Decoding refuses any other.
instance Codec Bool where
  layout = enumerated fixedBool
  size _ = fixedSize fixedBool
  {-# INLINE size #-}
  put = putFixed fixedBool
  {-# INLINE put #-}
  get = getFixed fixedBool
  {-# INLINE get #-}

-- | The code point in 4 bytes. Decoding refuses numbers above U+10FFFF. It allows surrogates: file
-- names that GHC could not decode contain them.
instance Codec Char where
  layout = Fix fixedChar
  size _ = fixedSize fixedChar
  {-# INLINE size #-}
  put = putFixed fixedChar
  {-# INLINE put #-}
  get = getFixed fixedChar
  {-# INLINE get #-}

-- | No bytes.
instance Codec () where
  layout = Fix (fixedUnit ())
  size _ = fixedSize (fixedUnit ())
  {-# INLINE size #-}
  put = putFixed (fixedUnit ())
  {-# INLINE put #-}
  get = getFixed (fixedUnit ())
  {-# INLINE get #-}

-- One byte, 0 or 1.
fixedBool :: Fixed Bool
fixedBool = fixedChecked fromBool toBool fixedWord8
  where
    -- No branch on the value: it would double all code after it.
    fromBool !b = fromIntegral (I# (dataToTag# b))
    toBool n
      | n <= 1, I# i <- fromIntegral n = Right (tagToEnum# i :: Bool)
      | otherwise = Left (badBool n)

badBool :: Word8 -> String
badBool n = "a Bool is 0 or 1, not " ++ show n
{-# NOINLINE badBool #-}

-- The code point, as 32 bits.
fixedChar :: Fixed Char
fixedChar = fixedChecked (fromIntegral . ord) toChar fixedWord32LE
  where
    toChar n
      | n <= 0x10FFFF = Right (chr (fromIntegral n))
      | otherwise = Left (badChar n)

badChar :: Word32 -> String
badChar n = "a Char is at most 1114111, not " ++ show n
{-# NOINLINE badChar #-}

-- Types that have no format. GHC's own message about them leads nowhere: for a field that is a
-- function it advises to apply the function to more arguments, and to derive the instance apart.
-- (@scripts/mistakes@ compares the messages.)
--
-- The contexts are equations because a deriving clause would take a bare @TypeError@ as the context
-- of the new instance, and report nothing.

-- | Overlappable, so that a program may define an instance for functions that it can enumerate.
instance
  {-# OVERLAPPABLE #-}
  TypeError
    ( 'Text "A function has no format: " ':<>: 'ShowType (a -> b)
        ':$$: 'Text "Leave it out of what is encoded, or encode what it is made of."
    )
    ~ '() =>
  Codec (a -> b)
  where
  layout = never
  size = never
  put = never
  get = never

instance
  TypeError
    ( 'Text "A Builder is output, not a value that could be read back."
        ':$$: 'Text "toStrictByteString runs it. Its bytes, a ByteString, have a format."
    )
    ~ '() =>
  Codec Builder
  where
  layout = never
  size = never
  put = never
  get = never

-- No program that compiles gets here.
never :: a
never = errorWithoutStackTrace "Ashlar.Codec: a type without a format"
