-- |
-- Module      : Workloads.Vectors
-- Description : A vector of records by its length
--
-- The question from which store came: how fast is a boxed vector of small records?
module Workloads.Vectors (vectorWorkloads) where

import qualified Ashlar.Builder as A
import qualified Ashlar.Builder.Prim as AP
import qualified Ashlar.Codec as A
import qualified Data.Binary as Binary
import qualified Data.ByteString as S
import qualified Data.ByteString.Builder as B
import qualified Data.ByteString.Builder.Prim as BP
import qualified Data.ByteString.Lazy as L
import qualified Data.Serialize as Cereal
import qualified Data.Store as Store
import qualified Data.Vector as V
import Input (right)
import Types
import Workload

-- | All of them.
vectorWorkloads :: [Workload]
vectorWorkloads = concatMap ofLength [1, 10, 100, 1000, 10000, 100000, 1000000]

ofLength :: Int -> [Workload]
ofLength n =
  [ point "Encode a Vector of SomeData" . outputs sizes $
      Workload
        ("encode a Vector of SomeData, length " ++ show n)
        [ ("ashlar", apply A.encode v),
          ("store", apply Store.encode v),
          ("cereal", apply Cereal.encode v),
          ("binary", apply (L.toStrict . Binary.encode) v)
        ],
    point "Decode a Vector of SomeData" $
      same
        ("decode a Vector of SomeData, length " ++ show n)
        [ ("ashlar", \(x, _, _, _) -> right (A.decode x) :: V.Vector SomeData),
          ("store", \(_, x, _, _) -> right (Store.decode x)),
          ("cereal", \(_, _, x, _) -> right (Cereal.decode x)),
          ("binary", \(_, _, _, x) -> Binary.decode (L.fromStrict x))
        ]
        encoded,
    point "Build a Vector of SomeData" $
      same
        ("build a Vector of SomeData, length " ++ show n)
        [ ("ashlar", A.toStrictByteString . V.foldr (\x rest -> ours x <> rest) mempty),
          ("ashlar, foldMap", A.toStrictByteString . foldMap ours),
          ("ashlar, own loop", A.toStrictByteString . looped ours),
          ("ashlar, primUnfoldrFixed", A.toStrictByteString . unfolded),
          ("bytestring", strict . V.foldr (\x rest -> theirs x <> rest) mempty),
          ("bytestring, foldMap", strict . foldMap theirs),
          ("bytestring, own loop", strict . looped theirs),
          ("bytestring, primUnfoldrFixed", strict . theirsUnfolded)
        ]
        v
  ]
  where
    v = someData n
    sizes = zip ["ashlar", "store", "cereal", "binary"] (map S.length [a, b, c, d])
    encoded@(a, b, c, d) =
      (A.encode v, Store.encode v, Cereal.encode v, L.toStrict (Binary.encode v))
    point title = curve title "records" n . items n
    strict = L.toStrict . B.toLazyByteString

ours :: SomeData -> A.Builder
ours (SomeData a b c) = A.int64LE a <> A.word8 b <> A.doubleLE c

theirs :: SomeData -> B.Builder
theirs (SomeData a b c) = B.int64LE a <> B.word8 b <> B.doubleLE c

looped :: Monoid m => (SomeData -> m) -> V.Vector SomeData -> m
looped f v = go 0
  where
    go i
      | i >= V.length v = mempty
      | otherwise = f (V.unsafeIndex v i) <> go (i + 1)
{-# INLINE looped #-}

unfolded :: V.Vector SomeData -> A.Builder
unfolded v =
  AP.primUnfoldrFixed
    (fields AP.>$< (AP.int64LE AP.>*< AP.word8 AP.>*< AP.doubleLE))
    (next v)
    0
  where
    fields (SomeData a b c) = (a, (b, c))

theirsUnfolded :: V.Vector SomeData -> B.Builder
theirsUnfolded v =
  BP.primUnfoldrFixed
    (fields BP.>$< (BP.int64LE BP.>*< BP.word8 BP.>*< BP.doubleLE))
    (next v)
    0
  where
    fields (SomeData a b c) = (a, (b, c))

next :: V.Vector SomeData -> Int -> Maybe (SomeData, Int)
next v i
  | i >= V.length v = Nothing
  | otherwise = Just (V.unsafeIndex v i, i + 1)
{-# INLINE next #-}
