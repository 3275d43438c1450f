{-# LANGUAGE DeriveTraversable #-}
{-# LANGUAGE DerivingStrategies #-}
{-# LANGUAGE Safe #-}

-- |
-- Module      : Ashlar.Compat.Formats
-- Description : The formats of binary, cereal and store for Codec
--
-- Values in the bytes of another library, with the functions of "Ashlar.Codec". The instances of
-- "Ashlar.Compat.Binary", "Ashlar.Compat.Cereal" and "Ashlar.Compat.Store" define the bytes. So a
-- type can have today's format and an old one, and data can move from one to the other:
--
-- >>> :set -XDeriveAnyClass -XDeriveGeneric -XDerivingStrategies
-- >>> import qualified Ashlar.Compat.Binary as Binary
-- >>> :{
-- data Order = Order { item :: Text, count :: Int }
--   deriving stock (Show, Generic)
--   deriving anyclass (Codec, Binary.Binary)
-- :}
--
-- >>> let old = Binary.encode (Order "brick" 12)
-- >>> let read' = fmap fromBinaryFormat (decodeLazy old) :: Either DecodeError Order
-- >>> fmap encode read' == Right (encode (Order "brick" 12))
-- True
--
-- A type that keeps its old format derives it with @DerivingVia@:
--
-- >>> :set -XDerivingVia -XStandaloneDeriving
-- >>> :{
-- data Legacy = Legacy Bool Text
--   deriving stock (Show, Generic)
--   deriving anyclass Binary.Binary
--   deriving Codec via (BinaryFormat Legacy)
-- :}
--
-- >>> toLazyByteString (put (Legacy True "x")) == Binary.encode (Legacy True "x")
-- True
--
-- Codec treats all these values as of variable size. To find the size of a value, it is written to
-- a small buffer. 'Ashlar.Codec.encode' does not ask for the size.
--
-- The instances of these classes do not say whether each value has a byte. So each element of a
-- container counts as one that may have none: a @['BinaryFormat' Int]@ has at most 1,048,576
-- elements, unless 'Ashlar.Get.withBudget' allows more steps. The elements of a @'BinaryFormat'
-- [Int]@ do not count.
--
-- These formats have more than one encoding for some values, as those of the other libraries do:
-- @docs/porting.md@ says what each accepts.
module Ashlar.Compat.Formats
  ( BinaryFormat (..),
    CerealFormat (..),
    StoreFormat (..),
  )
where

import Ashlar.Codec (Codec, HasFormat (format), fromPutGet)
import qualified Ashlar.Compat.Binary as Binary
import qualified Ashlar.Compat.Cereal as Cereal
import qualified Ashlar.Compat.Store as Store
import Ashlar.Put (execPut)

-- | A value in the format of its 'Ashlar.Compat.Binary.Binary' instance.
newtype BinaryFormat a = BinaryFormat {fromBinaryFormat :: a}
  deriving stock (Eq, Ord, Show, Read, Functor, Foldable, Traversable)

instance Binary.Binary a => Codec (BinaryFormat a)

instance Binary.Binary a => HasFormat (BinaryFormat a) where
  format =
    fromPutGet 0 (\(BinaryFormat x) -> execPut (Binary.put x)) (BinaryFormat <$> Binary.get)
  {-# INLINE format #-}

-- | A value in the format of its 'Ashlar.Compat.Cereal.Serialize' instance.
newtype CerealFormat a = CerealFormat {fromCerealFormat :: a}
  deriving stock (Eq, Ord, Show, Read, Functor, Foldable, Traversable)

instance Cereal.Serialize a => Codec (CerealFormat a)

instance Cereal.Serialize a => HasFormat (CerealFormat a) where
  format =
    fromPutGet 0 (\(CerealFormat x) -> execPut (Cereal.put x)) (CerealFormat <$> Cereal.get)
  {-# INLINE format #-}

-- | A value in the format of its 'Ashlar.Compat.Store.Store' instance. It depends on the size of
-- 'Int' and the order of bytes, and so on the machine.
newtype StoreFormat a = StoreFormat {fromStoreFormat :: a}
  deriving stock (Eq, Ord, Show, Read, Functor, Foldable, Traversable)

instance Store.Store a => Codec (StoreFormat a)

instance Store.Store a => HasFormat (StoreFormat a) where
  format = fromPutGet 0 (\(StoreFormat x) -> execPut (Store.poke x)) (StoreFormat <$> Store.peek)
  {-# INLINE format #-}
