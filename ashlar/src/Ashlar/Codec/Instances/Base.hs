{-# LANGUAGE DerivingVia #-}
{-# LANGUAGE ScopedTypeVariables #-}
{-# LANGUAGE StandaloneDeriving #-}
{-# OPTIONS_GHC -Wno-orphans #-}

-- |
-- Module      : Ashlar.Codec.Instances.Base
-- Description : Formats of the types of base
--
-- The formats of numbers, characters, and the common data types of @base@.
module Ashlar.Codec.Instances.Base () where

import Ashlar.Codec.Class
import Ashlar.Codec.Elements
import Ashlar.Codec.Fixed
import Data.Char (chr, ord)
import Data.Coerce (coerce)
import Data.Int (Int16, Int32, Int64, Int8)
import Data.Word (Word16, Word32, Word64, Word8)

-- Types with a fixed format: what their instance must be is said once.
class HasFormat a where
  format :: Fixed a

newtype Formatted a = Formatted a

instance HasFormat a => Codec (Formatted a) where
  layout = Fix formatted
  {-# INLINE layout #-}
  size _ = fixedSize (format :: Fixed a)
  {-# INLINE size #-}
  put = putFixed formatted
  {-# INLINE put #-}
  get = getFixed formatted
  {-# INLINE get #-}

formatted :: forall a. HasFormat a => Fixed (Formatted a)
formatted = coerce (format :: Fixed a)
{-# INLINE formatted #-}

instance HasFormat Word8 where
  format = fixedWord8
  {-# INLINE format #-}

deriving via Formatted Word8 instance Codec Word8

instance HasFormat Word16 where
  format = fixedWord16LE
  {-# INLINE format #-}

deriving via Formatted Word16 instance Codec Word16

instance HasFormat Word32 where
  format = fixedWord32LE
  {-# INLINE format #-}

deriving via Formatted Word32 instance Codec Word32

instance HasFormat Word64 where
  format = fixedWord64LE
  {-# INLINE format #-}

deriving via Formatted Word64 instance Codec Word64

instance HasFormat Word where
  format = fixedWord
  {-# INLINE format #-}

deriving via Formatted Word instance Codec Word

instance HasFormat Int8 where
  format = fixedInt8
  {-# INLINE format #-}

deriving via Formatted Int8 instance Codec Int8

instance HasFormat Int16 where
  format = fixedInt16LE
  {-# INLINE format #-}

deriving via Formatted Int16 instance Codec Int16

instance HasFormat Int32 where
  format = fixedInt32LE
  {-# INLINE format #-}

deriving via Formatted Int32 instance Codec Int32

instance HasFormat Int64 where
  format = fixedInt64LE
  {-# INLINE format #-}

deriving via Formatted Int64 instance Codec Int64

instance HasFormat Int where
  format = fixedInt
  {-# INLINE format #-}

deriving via Formatted Int instance Codec Int

instance HasFormat Float where
  format = fixedFloatLE
  {-# INLINE format #-}

deriving via Formatted Float instance Codec Float

instance HasFormat Double where
  format = fixedDoubleLE
  {-# INLINE format #-}

deriving via Formatted Double instance Codec Double

instance HasFormat Bool where
  format = fixedBool
  {-# INLINE format #-}

deriving via Formatted Bool instance Codec Bool

instance HasFormat Char where
  format = fixedChar
  {-# INLINE format #-}

deriving via Formatted Char instance Codec Char

instance HasFormat () where
  format = fixedUnit ()
  {-# INLINE format #-}

deriving via Formatted () instance Codec ()

-- One byte, 0 or 1.
fixedBool :: Fixed Bool
fixedBool = fixedChecked fromBool toBool fixedWord8
  where
    fromBool b = if b then 1 else 0
    toBool n = case n of
      0 -> Right False
      1 -> Right True
      _ -> Left (badBool n)
{-# INLINE fixedBool #-}

badBool :: Word8 -> String
badBool n = "Bool: " ++ show n
{-# NOINLINE badBool #-}

-- The number of the character, as 32 bits. Any 'Char' can be written and read,
-- surrogates too: file names that GHC could not decode contain them.
fixedChar :: Fixed Char
fixedChar = fixedChecked (fromIntegral . ord) toChar fixedWord32LE
  where
    toChar n
      | n <= 0x10FFFF = Right (chr (fromIntegral n))
      | otherwise = Left (badChar n)
{-# INLINE fixedChar #-}

badChar :: Word32 -> String
badChar n = "Char: " ++ show n
{-# NOINLINE badChar #-}

-- Tuples are their elements one after the other; sums have a tag.

instance Codec Ordering

instance Codec a => Codec (Maybe a)

instance (Codec a, Codec b) => Codec (Either a b)

instance (Codec a, Codec b) => Codec (a, b)

instance (Codec a, Codec b, Codec c) => Codec (a, b, c)

instance (Codec a, Codec b, Codec c, Codec d) => Codec (a, b, c, d)

instance (Codec a, Codec b, Codec c, Codec d, Codec e) => Codec (a, b, c, d, e)

instance (Codec a, Codec b, Codec c, Codec d, Codec e, Codec f) => Codec (a, b, c, d, e, f)

instance (Codec a, Codec b, Codec c, Codec d, Codec e, Codec f, Codec g) => Codec (a, b, c, d, e, f, g)

-- The length, and the elements.
instance Codec a => Codec [a] where
  layout = Var 8
  size xs = sizeElements (layout :: Layout a) (length xs) (sum (map size xs))
  put xs = putElements (length xs) xs
  get = getList
  {-# INLINABLE size #-}
  {-# INLINABLE put #-}
  {-# INLINABLE get #-}
