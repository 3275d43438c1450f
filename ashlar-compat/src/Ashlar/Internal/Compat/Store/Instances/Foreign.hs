{-# LANGUAGE DataKinds #-}
{-# LANGUAGE DeriveDataTypeable #-}
{-# LANGUAGE DeriveGeneric #-}
{-# LANGUAGE DerivingStrategies #-}
{-# LANGUAGE FlexibleInstances #-}
{-# LANGUAGE GeneralizedNewtypeDeriving #-}
{-# LANGUAGE MultiParamTypeClasses #-}
{-# LANGUAGE PolyKinds #-}
{-# LANGUAGE ScopedTypeVariables #-}
{-# LANGUAGE StandaloneDeriving #-}
{-# OPTIONS_GHC -Wno-orphans #-}
-- See Note [Fusing puts] in "Ashlar.Internal.Builder.Put".
{-# OPTIONS_GHC -fno-do-lambda-eta-expansion #-}

-- |
-- Module      : Ashlar.Internal.Compat.Store.Instances.Foreign
-- Description : Types of C, addresses and strings of known length in store's format
--
-- Each has the bytes that it has in memory.
module Ashlar.Internal.Compat.Store.Instances.Foreign
  ( StaticSize (..),
    IsStaticSize (..),
    toStaticSizeEx,
  )
where

import Ashlar.Internal.Builder.Bytes (chunk)
import Ashlar.Internal.Builder.Put
import Ashlar.Internal.Compat.Store.Class
import Ashlar.Internal.Compat.Store.Instances.Base ()
import Ashlar.Internal.Get.Core ()
import Ashlar.Internal.Get.Fail
import Ashlar.Internal.Get.Numbers
import Ashlar.Internal.Get.Strings (getByteStringCopy)
import Ashlar.Put
import Data.ByteString (ByteString)
import qualified Data.ByteString as S
import Data.Data (Data)
import Data.Functor.Const (Const (..))
import Data.Maybe (fromMaybe)
import Data.Proxy (Proxy (..))
import Foreign.C.Types
import Foreign.Ptr
import Foreign.StablePtr
import GHC.Fingerprint (Fingerprint (..))
import GHC.Generics (Generic)
import GHC.TypeLits (KnownNat, Nat, natVal)

-- | As the value in it.
deriving newtype instance Store a => Store (Const a b)

-- | 16 bytes, most significant first on every machine.
instance Store Fingerprint where
  size = ConstSize 16
  poke (Fingerprint x y) = putWord64be x *> putWord64be y
  peek = Fingerprint <$> getWord64be <*> getWord64be

deriving newtype instance Store CBool

deriving newtype instance Store CChar

deriving newtype instance Store CClock

deriving newtype instance Store CDouble

deriving newtype instance Store CFloat

deriving newtype instance Store CInt

deriving newtype instance Store CIntMax

deriving newtype instance Store CIntPtr

deriving newtype instance Store CLLong

deriving newtype instance Store CLong

deriving newtype instance Store CPtrdiff

deriving newtype instance Store CSChar

deriving newtype instance Store CSUSeconds

deriving newtype instance Store CShort

deriving newtype instance Store CSigAtomic

deriving newtype instance Store CSize

deriving newtype instance Store CTime

deriving newtype instance Store CUChar

deriving newtype instance Store CUInt

deriving newtype instance Store CUIntMax

deriving newtype instance Store CUIntPtr

deriving newtype instance Store CULLong

deriving newtype instance Store CULong

deriving newtype instance Store CUSeconds

deriving newtype instance Store CUShort

deriving newtype instance Store CWchar

deriving newtype instance Store WordPtr

deriving newtype instance Store IntPtr

-- | The address. It means nothing to another process.
instance Store (Ptr a) where
  size = contramapSize ptrToWordPtr size
  poke p = poke (ptrToWordPtr p)
  peek = wordPtrToPtr <$> peek

-- | The address. It means nothing to another process.
instance Store (FunPtr a) where
  size = contramapSize castFunPtrToPtr size
  poke p = poke (castFunPtrToPtr p)
  peek = castPtrToFunPtr <$> peek

-- | The address. It means nothing to another process.
instance Store (StablePtr a) where
  size = contramapSize castStablePtrToPtr size
  poke p = poke (castStablePtrToPtr p)
  peek = castPtrToStablePtr <$> peek

-- | A value whose format always has this number of bytes.
newtype StaticSize (n :: Nat) a = StaticSize {unStaticSize :: a}
  deriving stock (Eq, Show, Ord, Data, Generic)

-- | Types of which some values have the number of bytes @n@.
class KnownNat n => IsStaticSize n a where
  -- | The value, if it has this number of bytes.
  toStaticSize :: a -> Maybe (StaticSize n a)

instance KnownNat n => IsStaticSize n ByteString where
  toStaticSize bs
    | toInteger (S.length bs) == natVal (Proxy :: Proxy n) = Just (StaticSize bs)
    | otherwise = Nothing

-- | 'toStaticSize' that throws an 'Control.Exception.ErrorCall' where there is another number of
-- bytes.
toStaticSizeEx :: IsStaticSize n a => a -> StaticSize n a
toStaticSizeEx x =
  fromMaybe (errorWithoutStackTrace "toStaticSizeEx: another number of bytes") (toStaticSize x)

-- | The bytes alone. One of another length is refused.
instance KnownNat n => Store (StaticSize n ByteString) where
  size = ConstSize (fromInteger (natVal (Proxy :: Proxy n)))
  poke x@(StaticSize bs)
    | toInteger (S.length bs) == natVal x' = putBuilder (chunk bs)
    | otherwise = errorWithoutStackTrace "StaticSize: another number of bytes"
    where
      x' = sizeOfStatic x
  peek
    | n > toInteger (maxBound :: Int) = invalid "StaticSize: too many bytes"
    | otherwise = StaticSize <$> getByteStringCopy (fromInteger n)
    where
      n = natVal (Proxy :: Proxy n)

sizeOfStatic :: StaticSize n a -> Proxy n
sizeOfStatic _ = Proxy
