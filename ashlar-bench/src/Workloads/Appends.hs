-- |
-- Module      : Workloads.Appends
-- Description : The benchmarks of strict-bytestring-builders
module Workloads.Appends (appendWorkloads, someWords) where

import qualified Ashlar.Builder as A
import qualified Blaze.ByteString.Builder as Blaze
import qualified Data.Binary.Put as Binary
import qualified Data.ByteString as S
import qualified Data.ByteString.Builder as B
import qualified Data.ByteString.Char8 as C
import qualified Data.ByteString.Lazy as L
import qualified Data.List as List
import qualified Data.Serialize.Put as Cereal
import Workload

-- | All of them.
appendWorkloads :: [Workload]
appendWorkloads =
  [ same
      ("averagedAppends-" ++ show n)
      [ ("ashlar", A.toStrictByteString . averaged A.byteString),
        ("bytestring", L.toStrict . B.toLazyByteString . averaged B.byteString),
        ("blaze-builder", Blaze.toByteString . averaged Blaze.fromByteString),
        ("binary", L.toStrict . Binary.runPut . averaged Binary.putByteString),
        ("cereal", Cereal.runPut . averaged Cereal.putByteString)
      ]
      n
    | n <- [1, 100, 10000]
  ]
    ++ [ same
           ("regularConcat-" ++ show n)
           [ ("ashlar", A.toStrictByteString . foldMap A.byteString),
             ("bytestring", L.toStrict . B.toLazyByteString . foldMap B.byteString),
             ("blaze-builder", Blaze.toByteString . foldMap Blaze.fromByteString),
             ("binary", L.toStrict . Binary.runPut . foldMap Binary.putByteString),
             ("cereal", Cereal.runPut . foldMap Cereal.putByteString),
             ("S.concat", S.concat)
           ]
           (someWords n)
         | n <- [100, 10000]
       ]
    ++ [ same
           ("builders by unknown functions, " ++ show n ++ " chunks")
           [ ("ashlar", A.toStrictByteString . byUnknown (<>) mempty A.byteString),
             ("bytestring", L.toStrict . B.toLazyByteString . byUnknown (<>) mempty B.byteString),
             ("blaze-builder", Blaze.toByteString . byUnknown (<>) mempty Blaze.fromByteString)
           ]
           n
         | n <- [1, 100, 10000]
       ]

-- | This many short strings.
someWords :: Int -> [S.ByteString]
someWords n = take n (cycle fiveWords)

-- As many chunks appended to the left as to the right.
averaged :: Monoid m => (S.ByteString -> m) -> Int -> m
averaged f n =
  List.foldl' (<>) mempty (replicate n chunk) <> mconcat (replicate n chunk)
  where
    chunk = (f (word 0) <> f (word 1)) <> f (word 2) <> (f (word 3) <> f (word 4))
    word = (fiveWords !!)
{-# INLINE averaged #-}

-- The same work. Nothing is known of the builders, as in a function over a class.
byUnknown :: (m -> m -> m) -> m -> (S.ByteString -> m) -> Int -> m
byUnknown append empty f n =
  append (List.foldl' append empty (replicate n chunk)) (foldr append empty (replicate n chunk))
  where
    chunk =
      append
        (append (f (word 0)) (f (word 1)))
        (append (f (word 2)) (append (f (word 3)) (f (word 4))))
    word = (fiveWords !!)
{-# NOINLINE byUnknown #-}

fiveWords :: [S.ByteString]
fiveWords = map C.pack ["hello", "asdf", "fsndfn", "dfgknfg", "aaaaaa"]
{-# NOINLINE fiveWords #-}
