{-# OPTIONS_GHC -Wno-orphans #-}

-- |
-- Module      : Tests.Arbitrary
-- Description : Instances of QuickCheck for the types of other packages
module Tests.Arbitrary () where

import qualified Data.ByteString as S
import qualified Data.ByteString.Lazy as L
import qualified Data.ByteString.Short as SBS
import qualified Data.Primitive.Types as Prim
import qualified Data.Text as T
import qualified Data.Text.Lazy as TL
import qualified Data.Vector as V
import qualified Data.Vector.Primitive as P
import qualified Data.Vector.Storable as SV
import qualified Data.Vector.Unboxed as U
import Foreign.Storable (Storable)
import Test.QuickCheck

instance Arbitrary S.ByteString where
  arbitrary = S.pack <$> arbitrary

instance Arbitrary L.ByteString where
  arbitrary = L.fromChunks . map S.pack <$> scale (`div` 4) arbitrary

instance Arbitrary SBS.ShortByteString where
  arbitrary = SBS.pack <$> arbitrary

instance Arbitrary T.Text where
  arbitrary = T.pack <$> arbitrary

instance Arbitrary TL.Text where
  arbitrary = TL.fromChunks <$> scale (`div` 4) arbitrary

instance Arbitrary a => Arbitrary (V.Vector a) where
  arbitrary = V.fromList <$> arbitrary

instance (Arbitrary a, U.Unbox a) => Arbitrary (U.Vector a) where
  arbitrary = U.fromList <$> arbitrary

-- A slice, so that the vector does not begin where its memory does.
instance (Arbitrary a, Storable a) => Arbitrary (SV.Vector a) where
  arbitrary = SV.drop 1 . SV.fromList <$> arbitrary

instance (Arbitrary a, Prim.Prim a) => Arbitrary (P.Vector a) where
  arbitrary = P.drop 1 . P.fromList <$> arbitrary
