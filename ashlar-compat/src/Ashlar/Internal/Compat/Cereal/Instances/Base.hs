{-# LANGUAGE DerivingVia #-}
{-# LANGUAGE GeneralizedNewtypeDeriving #-}
{-# LANGUAGE ScopedTypeVariables #-}
{-# LANGUAGE StandaloneDeriving #-}
{-# LANGUAGE TypeApplications #-}
{-# OPTIONS_GHC -Wno-orphans #-}
-- See Note [Fusing puts] in "Ashlar.Internal.Builder.Put".
{-# OPTIONS_GHC -fno-do-lambda-eta-expansion #-}

-- |
-- Module      : Ashlar.Internal.Compat.Cereal.Instances.Base
-- Description : Types of base in cereal's format
module Ashlar.Internal.Compat.Cereal.Instances.Base () where

import Ashlar.Internal.Builder.Put ()
import Ashlar.Internal.Compat.Binary.Class (Binary)
import qualified Ashlar.Internal.Compat.Binary.Class as B
import Ashlar.Internal.Compat.Binary.Instances.Base ()
import Ashlar.Internal.Compat.Cereal.Class
import Ashlar.Internal.Compat.Elements (getCount)
import Ashlar.Internal.Compat.Generic (levelled)
import Ashlar.Internal.Compat.Numbers (fraction)
import Ashlar.Internal.Get.Core
import Ashlar.Internal.Get.Numbers
import Ashlar.Put
import Data.Coerce (coerce)
import Data.Int (Int16, Int32, Int64, Int8)
import qualified Data.Monoid as Monoid
import Data.Ratio (Ratio, denominator, numerator)
import Data.Word (Word16, Word32, Word64, Word8)
import Numeric.Natural (Natural)

-- | The format that @binary@ has, too.
newtype AsBinary a = AsBinary a

instance Binary a => Serialize (AsBinary a) where
  put (AsBinary x) = B.put x
  get = coerce (B.get @a)
  putList xs = B.putList (coerce xs :: [a])
  getList n = coerce (B.getList @a n)
  isFlat = B.isFlat @a
  {-# INLINE put #-}
  {-# INLINE get #-}
  {-# INLINE putList #-}
  {-# INLINE getList #-}
  {-# INLINE isFlat #-}

deriving via AsBinary () instance Serialize ()

deriving via AsBinary Bool instance Serialize Bool

deriving via AsBinary Ordering instance Serialize Ordering

deriving via AsBinary Word8 instance Serialize Word8

deriving via AsBinary Word16 instance Serialize Word16

deriving via AsBinary Word32 instance Serialize Word32

deriving via AsBinary Word64 instance Serialize Word64

deriving via AsBinary Word instance Serialize Word

deriving via AsBinary Int8 instance Serialize Int8

deriving via AsBinary Int16 instance Serialize Int16

deriving via AsBinary Int32 instance Serialize Int32

deriving via AsBinary Int64 instance Serialize Int64

deriving via AsBinary Int instance Serialize Int

deriving via AsBinary Integer instance Serialize Integer

deriving via AsBinary Natural instance Serialize Natural

deriving via AsBinary Char instance Serialize Char

-- | 8 bytes of IEEE 754, most significant first.
instance Serialize Double where
  put = putDoublebe
  get = getDoublebe
  isFlat = True
  {-# INLINE put #-}
  {-# INLINE get #-}
  {-# INLINE isFlat #-}

-- | 4 bytes of IEEE 754, most significant first.
instance Serialize Float where
  put = putFloatbe
  get = getFloatbe
  isFlat = True
  {-# INLINE put #-}
  {-# INLINE get #-}
  {-# INLINE isFlat #-}

-- | The numerator and the denominator. Reading reduces them to lowest terms. It refuses a
-- denominator of 0, and terms that the type cannot hold.
instance (Serialize a, Integral a) => Serialize (Ratio a) where
  put r = put (numerator r) *> put (denominator r)
  get = do
    n <- get
    get >>= fraction n
  {-# INLINE put #-}
  {-# INLINE get #-}

-- | The number of elements as an 'Int', and the elements.
instance Serialize a => Serialize [a] where
  put = putList
  get = levelled (isFlat @a) (getCount >>= getList)
  {-# INLINE put #-}
  {-# INLINE get #-}

-- | A byte 0; or a byte 1 and the value. Reading takes any other byte as 1.
instance Serialize a => Serialize (Maybe a) where
  put m = case m of
    Nothing -> putWord8 0
    Just x -> putWord8 1 *> put x
  get = getWord8 >>= \w -> if w == 0 then pure Nothing else Just <$> levelled (isFlat @a) get
  {-# INLINE put #-}
  {-# INLINE get #-}

-- | A byte 0 and the value on the left, or a byte 1 and the value on the right. Reading takes
-- any other byte as 1.
instance (Serialize a, Serialize b) => Serialize (Either a b) where
  put e = case e of
    Left x -> putWord8 0 *> put x
    Right y -> putWord8 1 *> put y
  get =
    getWord8 >>= \w ->
      if w == 0
        then Left <$> levelled (isFlat @a) get
        else Right <$> levelled (isFlat @b) get
  {-# INLINE put #-}
  {-# INLINE get #-}

deriving newtype instance Serialize a => Serialize (Monoid.Dual a)

deriving newtype instance Serialize Monoid.All

deriving newtype instance Serialize Monoid.Any

deriving newtype instance Serialize a => Serialize (Monoid.Sum a)

deriving newtype instance Serialize a => Serialize (Monoid.Product a)

deriving newtype instance Serialize a => Serialize (Monoid.First a)

deriving newtype instance Serialize a => Serialize (Monoid.Last a)
