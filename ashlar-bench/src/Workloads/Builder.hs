{-# LANGUAGE RankNTypes #-}

-- |
-- Module      : Workloads.Builder
-- Description : Builders, against bytestring's
--
-- The shapes are those of the benchmarks of bytestring, blaze-builder, fast-builder and mason.
module Workloads.Builder (builderWorkloads) where

import qualified Ashlar.Builder as A
import qualified Ashlar.Builder.Prim as AP
import qualified Data.Aeson as Aeson
import qualified Data.ByteString as S
import qualified Data.ByteString.Builder as B
import qualified Data.ByteString.Lazy as L
import Data.Int (Int64)
import qualified Data.Map.Strict as Map
import qualified Data.Text as T
import qualified Data.Vector.Unboxed as U
import Data.Word (Word64)
import Output
import Shapes
import qualified Stored
import System.IO (Handle, IOMode (..), openFile)
import System.IO.Unsafe (unsafePerformIO)
import Workload

-- | All of them.
builderWorkloads :: [Workload]
builderWorkloads =
  concat
    [ [versus "hex: balanced tree of 2000 Words" toStrict hexTree hexTree (balanced 2000)],
      [ versus ("fibonacci: tree of char7, depth " ++ show n) toStrict fibonacci fibonacci n
        | n <- [10, 20]
      ],
      [ versus
          ("appends: 5 short strings, to the right, " ++ show n)
          toStrict
          toTheRight
          toTheRight
          n
        | n <- counts
      ],
      [ versus ("appends: 5 short strings, to the left, " ++ show n) toStrict toTheLeft toTheLeft n
        | n <- counts ++ [200000]
      ],
      [ versus
          ("strings: " ++ show n ++ " of 7 bytes by foldMap")
          toStrict
          folded
          folded
          (strings n 7)
        | n <- [100, 10000]
      ],
      [ versus
          ("strings: 10000 of " ++ show n ++ " bytes by foldMap, lazy")
          drained
          folded
          folded
          (strings 10000 n)
        | n <- [20, 100, 1000]
      ],
      [ versus
          ("inserted: 10000 ByteStrings of " ++ show n ++ " bytes, lazy")
          drained
          (foldMap byteStringInsert)
          (foldMap byteStringInsert)
          (strings 10000 n)
        | n <- [4, 20000]
      ],
      [ versus
          ("inserted: 2000 of " ++ show n ++ " bytes by byteString, lazy")
          drained
          folded
          folded
          (strings 2000 n)
        | n <- [9000, 20000]
      ],
      [ versus
          ("inserted: 2000 of " ++ show n ++ " bytes, a byte between, lazy")
          drained
          foldedWithBytes
          foldedWithBytes
          (strings 2000 n)
        | n <- [9000, 20000]
      ],
      [ versus
          ("own recursion: " ++ show n ++ " elements of a vector, lazy")
          drained
          ownRecursion
          ownRecursion
          (elements n)
        | n <- [100, 10000]
      ],
      [ toNull
          "own recursion: 10000 elements of a vector, Handle"
          ownRecursion
          ownRecursion
          (elements 10000)
      ],
      [ toNull
          "own recursion: 10 elements of a vector, Handle"
          ownRecursion
          ownRecursion
          (elements 10)
      ],
      concat
        [ [ versus (name ++ ", lazy") drained ours theirs n,
            versus (name ++ ", strict") toStrict ours theirs n
          ]
          | (name, ours, theirs, n) <-
              [ ("own recursion: a tree of 2000 bytes", leaves (word8 7), leaves (word8 7), 2000),
                ( "own recursion: a tree of 1000 texts of 7 characters",
                  leaves (jsonString (T.pack "mortar!")),
                  leaves (jsonString (T.pack "mortar!")),
                  1000
                )
              ]
        ],
      [ versus
          "own recursion: 10000 elements of a vector, strict"
          toStrict
          ownRecursion
          ownRecursion
          xs
          `with` ("primUnfoldrFixed", apply (toStrict . unfolded) xs)
        | xs <- [elements 10000]
      ],
      [ versus "mapped: the bytes of 10 KB, lazy" drained mapWord8 mapWord8 (S.replicate 10240 7),
        versus
          "mapped: the bytes of 10 KB in a lazy ByteString, lazy"
          drained
          mapLazyWord8
          mapLazyWord8
          (L.fromStrict (S.replicate 10240 7))
      ],
      [ versus ("bytes: [Word8] of " ++ show n ++ ", strict") toStrict word8s word8s xs
          `with` ("S.pack", apply S.pack xs)
        | n <- [1, 8, 64, 10240],
          let xs = bytes n
      ],
      [ versus "bytes: [Word8] of 10240, lazy" drained word8s word8s xs
          `with` ("L.pack", apply (L.length . L.pack) xs)
        | let xs = bytes 10240
      ],
      [ versus "json: 60 KB, strict" toStrict json json document
          `with` ("aeson", apply (L.toStrict . Aeson.encode) document)
      ],
      [ versus "json: 60 KB, lazy" drained json json document
          `with` ("aeson", apply (L.length . Aeson.encode) document)
      ],
      [toNull "json: 60 KB, Handle" json json document],
      [ toNull
          "string: 1 million characters, ASCII, Handle"
          stringUtf8
          stringUtf8
          (characters ['a' .. 'z'])
      ],
      [ toNull
          "string: 1 million characters, mixed, Handle"
          stringUtf8
          stringUtf8
          (characters "abcdef\228\8364\120120")
      ],
      [ versus "short: one Integer, strict" toStrict integerDec integerDec 123456,
        versus "short: one Double, strict" toStrict doubleDec doubleDec 1234.56,
        versus "short: a map of 10, lazy" drained entries entries squares,
        versus "short: a response of 100 bytes, lazy" drained folded folded (strings 5 20)
      ],
      [toNull "short: a line of 90 bytes, Handle" folded folded (strings 3 30)],
      [ versus
          "stored: 10000 builders in a list, module at -O1"
          toStrict
          (mconcat . fst)
          (mconcat . snd)
          (Stored.ofAshlar 10000, Stored.ofBytestring 10000)
      ],
      [versus "lazy: 64 MB of records" drained records records 4000000],
      [versus "lazy: 64 MB of single numbers" drained numbers numbers 8000000]
    ]
  where
    counts = [1, 100, 10000]
    strings n size = replicate n (S.replicate size 7)
    bytes n = take n (cycle [0 ..])
    elements n = U.generate n fromIntegral
    characters = take 1000000 . cycle
    squares = Map.fromList [(i, i * i) | i <- [1 .. 10]]
    with w other = w {workloadRuns = workloadRuns w ++ [other]}

-- | What 'ownRecursion' writes, by our loop of primitives.
unfolded :: U.Vector Word64 -> A.Builder
unfolded v = AP.primUnfoldrFixed (AP.word8 AP.>*< AP.word64LE) next 0
  where
    next i
      | i >= U.length v = Nothing
      | otherwise = Just ((fromIntegral (v U.! i), v U.! i), i + 1)

-- | The keys and the values of a map.
entries :: Output b => Map.Map Integer Integer -> b
entries = Map.foldrWithKey entry mempty
  where
    entry k v rest = integerDec k <> word8 58 <> integerDec v <> word8 44 <> rest

drained :: Output b => b -> Int64
drained = L.length . toLazy

-- Runs both builders in the same way.
versus ::
  String -> (forall b. Output b => b -> r) -> (a -> A.Builder) -> (a -> B.Builder) -> a -> Workload
versus name run ours theirs x =
  Workload name [("ashlar", apply (run . ours) x), ("bytestring", apply (run . theirs) x)]

toNull :: String -> (a -> A.Builder) -> (a -> B.Builder) -> a -> Workload
toNull name ours theirs x =
  Workload
    name
    [ ("ashlar", applyIO (toHandle devNull . ours) x),
      ("bytestring", applyIO (toHandle devNull . theirs) x)
    ]

devNull :: Handle
devNull = unsafePerformIO (openFile "/dev/null" WriteMode)
{-# NOINLINE devNull #-}
