-- |
-- Module      : Rows.CerealPut
-- Description : The functions of cereal's Put
module Rows.CerealPut (rows) where

import qualified Ashlar.Builder as A (byteString)
import qualified Ashlar.Compat.Cereal.IEEE754 as A
import qualified Ashlar.Compat.Cereal.Put as A
import Builders
import Data.Array (Array, listArray)
import Data.Array.Unboxed (UArray)
import qualified Data.Array.Unboxed as U
import qualified Data.ByteString.Builder as B (byteString)
import qualified Data.IntMap as IntMap
import qualified Data.IntSet as IntSet
import qualified Data.Map as Map
import qualified Data.Sequence as Seq
import qualified Data.Serialize.IEEE754 as B
import Data.Serialize.Put (Put)
import qualified Data.Serialize.Put as B
import qualified Data.Set as Set
import Data.Tree (Tree (..), unfoldTree)
import Data.Word (Word16, Word8)
import Samples (Sample)

is :: Sample a => String -> (a -> A.Put) -> (a -> Put) -> Row
is =
  row
    (through A.execPut A.putBuilder A.runPutLazy ours)
    (through B.execPut B.putBuilder B.runPutLazy theirs)

-- | Of a list that is made into something else. The length of a container is written before it.
from :: (Sample a) => (a -> b) -> String -> (b -> A.Put) -> (b -> Put) -> Row
from f name a b = finite (is name (a . f) (b . f))

rows :: [Row]
rows =
  [ is "flush" (\() -> A.flush) (\() -> B.flush),
    is "putBuilder" (A.putBuilder . A.byteString) (B.putBuilder . B.byteString),
    is
      "runPut"
      (A.putByteString . A.runPut . A.putByteString)
      (B.putByteString . B.runPut . B.putByteString),
    is
      "runPutM"
      (A.putByteString . snd . A.runPutM . A.putByteString)
      (B.putByteString . snd . B.runPutM . B.putByteString),
    is
      "runPutMLazy"
      (A.putLazyByteString . snd . A.runPutMLazy . A.putByteString)
      (B.putLazyByteString . snd . B.runPutMLazy . B.putByteString),
    is
      "runPutMBuilder"
      (A.putBuilder . snd . A.runPutMBuilder . A.putByteString)
      (B.putBuilder . snd . B.runPutMBuilder . B.putByteString),
    is "putTwoOf" (A.putTwoOf A.putWord8 A.putWord16le) (B.putTwoOf B.putWord8 B.putWord16le),
    finite $ is "putListOf" (A.putListOf A.putWord16be) (B.putListOf B.putWord16be),
    is "putMaybeOf" (A.putMaybeOf A.putWord64le) (B.putMaybeOf B.putWord64le),
    is
      "putEitherOf"
      (A.putEitherOf A.putWord8 A.putInt32be)
      (B.putEitherOf B.putWord8 B.putInt32be),
    finite $
      is
        "putNested"
        (A.putNested (A.putWord32be . fromIntegral) . A.putListOf A.putWord16be)
        (B.putNested (B.putWord32be . fromIntegral) . B.putListOf B.putWord16be),
    is
      "putNested with a hole in the size"
      (\n -> A.putNested (\_ -> A.putWord8 n) A.flush)
      (\n -> B.putNested (\_ -> B.putWord8 n) B.flush),
    from Seq.fromList "putSeqOf" (A.putSeqOf A.putWord16le) (B.putSeqOf B.putWord16le),
    from Set.fromList "putSetOf" (A.putSetOf A.putWord16le) (B.putSetOf B.putWord16le),
    from IntSet.fromList "putIntSetOf" (A.putIntSetOf A.putInthost) (B.putIntSetOf B.putInthost),
    from
      Map.fromList
      "putMapOf"
      (A.putMapOf A.putWord16le A.putWord8)
      (B.putMapOf B.putWord16le B.putWord8),
    from
      IntMap.fromList
      "putIntMapOf"
      (A.putIntMapOf A.putInthost A.putWord8)
      (B.putIntMapOf B.putInthost B.putWord8),
    from tree "putTreeOf" (A.putTreeOf A.putWord16le) (B.putTreeOf B.putWord16le),
    from
      array
      "putIArrayOf"
      (A.putIArrayOf A.putInthost A.putWord16le)
      (B.putIArrayOf B.putInthost B.putWord16le),
    from
      unboxed
      "putIArrayOf, unboxed"
      (A.putIArrayOf A.putWord16be A.putWord8)
      (B.putIArrayOf B.putWord16be B.putWord8),
    is "putFloat32le" A.putFloat32le B.putFloat32le,
    is "putFloat32be" A.putFloat32be B.putFloat32be,
    is "putFloat64le" A.putFloat64le B.putFloat64le,
    is "putFloat64be" A.putFloat64be B.putFloat64be,
    is "putByteString" A.putByteString B.putByteString,
    is "putInt16be" A.putInt16be B.putInt16be,
    is "putInt16host" A.putInt16host B.putInt16host,
    is "putInt16le" A.putInt16le B.putInt16le,
    is "putInt32be" A.putInt32be B.putInt32be,
    is "putInt32host" A.putInt32host B.putInt32host,
    is "putInt32le" A.putInt32le B.putInt32le,
    is "putInt64be" A.putInt64be B.putInt64be,
    is "putInt64host" A.putInt64host B.putInt64host,
    is "putInt64le" A.putInt64le B.putInt64le,
    is "putInt8" A.putInt8 B.putInt8,
    is "putInthost" A.putInthost B.putInthost,
    is "putLazyByteString" A.putLazyByteString B.putLazyByteString,
    is "putShortByteString" A.putShortByteString B.putShortByteString,
    is "putWord16be" A.putWord16be B.putWord16be,
    is "putWord16host" A.putWord16host B.putWord16host,
    is "putWord16le" A.putWord16le B.putWord16le,
    is "putWord32be" A.putWord32be B.putWord32be,
    is "putWord32host" A.putWord32host B.putWord32host,
    is "putWord32le" A.putWord32le B.putWord32le,
    is "putWord64be" A.putWord64be B.putWord64be,
    is "putWord64host" A.putWord64host B.putWord64host,
    is "putWord64le" A.putWord64le B.putWord64le,
    is "putWord8" A.putWord8 B.putWord8,
    is "putWordhost" A.putWordhost B.putWordhost
  ]
  where
    array :: [Word16] -> Array Int Word16
    array xs = listArray (-3, length xs - 4) xs
    unboxed :: [Word8] -> UArray Word16 Word8
    unboxed xs = U.listArray (5, fromIntegral (length xs) + 4) xs
    -- Two subtrees, of the rest of the list.
    tree :: [Word16] -> Tree Word16
    tree = unfoldTree $ \xs -> case xs of
      [] -> (9, [])
      x : more -> (x, [drop n more | n <- [length more `div` 2, length more - 1], n > 0])
