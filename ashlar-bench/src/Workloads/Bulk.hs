-- |
-- Module      : Workloads.Bulk
-- Description : Large vectors, lists, maps and integers
module Workloads.Bulk (bulkWorkloads) where

import qualified Ashlar.Codec as A
import qualified Data.Binary as Binary
import qualified Data.ByteString as S
import qualified Data.ByteString.Lazy as L
import qualified Data.IntMap.Strict as IntMap
import qualified Data.Map.Strict as Map
import qualified Data.Sequence as Seq
import qualified Data.Set as Set
import qualified Data.Store as Store
import qualified Data.Text as T
import qualified Data.Text.Encoding as T
import qualified Data.Vector as V
import qualified Data.Vector.Primitive as P
import qualified Data.Vector.Storable as SV
import qualified Data.Vector.Unboxed as U
import Input (right)
import Workload

-- | All of them.
bulkWorkloads :: [Workload]
bulkWorkloads =
  concat
    [ likeMemory "storable Vector of 1000000 Int" (SV.enumFromTo 1 million),
      likeMemory "primitive Vector of 1000000 Int" (P.enumFromTo 1 million),
      likeMemory "unboxed Vector of 1000000 Int" (U.enumFromTo 1 million),
      likeStore "Vector of 1000000 Int" (V.enumFromTo 1 million),
      likeStore "list of 1000000 Int" [1 .. million],
      likeStore
        "Map Int Int of 100000"
        (Map.fromList [(i * 7919, i) | i <- [1 .. 100000 :: Int]] :: Map.Map Int Int),
      likeStore
        "Map Text Int of 100000"
        (Map.fromList [(T.pack (show i), i) | i <- [1 .. 100000 :: Int]]),
      likeStore
        "IntMap Int of 100000"
        (IntMap.fromList [(i * 7919, i) | i <- [1 .. 100000 :: Int]]),
      likeText
        "Text of 20000 characters, English"
        "Seven days have passed, and there are no news. ",
      likeText
        "Text of 20000 characters, German"
        "J\246rg f\228hrt sehr z\252gig \252ber die Br\252cke. ",
      likeText
        "Text of 20000 characters, Russian"
        "\1042\1089\1077 \1089\1095\1072\1089\1090\1083\1080\1074\1099\1077 \
        \\1089\1077\1084\1100\1080 ",
      likeStore "Set Int of 100000" (Set.fromList [i * 7919 | i <- [1 .. 100000 :: Int]]),
      likeStore "Seq Int of 100000" (Seq.fromList [1 .. 100000 :: Int]),
      likeBinary "list of 1000 small Integers" [i * i * 1000003 | i <- [-500 .. 499 :: Integer]],
      likeBinary "Integer of 1000 digits" (10 ^ (1000 :: Int) `div` 7 :: Integer)
    ]
  where
    million = 1000000 :: Int

-- Compared with a copy of the same bytes into fresh memory.
likeMemory :: (A.Codec a, Store.Store a) => String -> a -> [Workload]
likeMemory name x =
  [ Workload
      ("encode " ++ name)
      [ ("ashlar", apply A.encode x),
        ("memcpy", apply S.copy (A.encode x)),
        ("store", apply Store.encode x)
      ],
    Workload
      ("decode " ++ name)
      [ ("ashlar", apply (\bs -> right (A.decode bs) `asTypeOf` x) (A.encode x)),
        ("memcpy", apply S.copy (A.encode x)),
        ("store", apply (\bs -> right (Store.decode bs) `asTypeOf` x) (Store.encode x))
      ]
  ]
{-# INLINE likeMemory #-}

-- A text that repeats these characters. Compared with text's own UTF-8 functions, without a length.
likeText :: String -> String -> [Workload]
likeText name piece =
  [ Workload
      ("encode " ++ name)
      [ ("ashlar", apply A.encode x),
        ("text's encodeUtf8", apply T.encodeUtf8 x),
        ("store", apply Store.encode x)
      ],
    Workload
      ("decode " ++ name)
      [ ("ashlar", apply (\bs -> right (A.decode bs) `asTypeOf` x) (A.encode x)),
        ("text's decodeUtf8'", apply (right . T.decodeUtf8') (T.encodeUtf8 x)),
        ("store", apply (\bs -> right (Store.decode bs) `asTypeOf` x) (Store.encode x))
      ]
  ]
  where
    x = T.pack (take 20000 (cycle piece))

likeStore :: (A.Codec a, Store.Store a) => String -> a -> [Workload]
likeStore name x =
  [ Workload
      ("encode " ++ name)
      [ ("ashlar", apply A.encode x),
        ("store", apply Store.encode x)
      ],
    Workload
      ("decode " ++ name)
      [ ("ashlar", apply (\bs -> right (A.decode bs) `asTypeOf` x) (A.encode x)),
        ("store", apply (\bs -> right (Store.decode bs) `asTypeOf` x) (Store.encode x))
      ],
    Workload
      ("size of " ++ name)
      [ ("ashlar", apply A.encodedSize x),
        ("its encode", apply A.encode x)
      ]
  ]
{-# INLINE likeStore #-}

likeBinary :: (A.Codec a, Binary.Binary a) => String -> a -> [Workload]
likeBinary name x =
  [ Workload
      ("encode " ++ name)
      [ ("ashlar", apply A.encode x),
        ("binary", apply (L.toStrict . Binary.encode) x)
      ],
    Workload
      ("decode " ++ name)
      [ ("ashlar", apply (\bs -> right (A.decode bs) `asTypeOf` x) (A.encode x)),
        ("binary", apply (\bs -> Binary.decode bs `asTypeOf` x) (Binary.encode x))
      ]
  ]
{-# INLINE likeBinary #-}
