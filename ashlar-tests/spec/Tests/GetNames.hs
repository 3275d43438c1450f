-- The deprecated names are names, too.
{-# OPTIONS_GHC -Wno-deprecations #-}

-- |
-- Module      : Tests.GetNames
-- Description : The names of binary's and cereal's Get, with their types
--
-- Every name that binary 0.8.9 exports from @Data.Binary.Get@, and cereal 0.5.8 from
-- @Data.Serialize.Get@, with its type there. Most of the test is that this module compiles. At
-- run time, each name must have a value.
module Tests.GetNames (tests) where

import qualified Ashlar.Compat.Binary.Get as B
import qualified Ashlar.Compat.Cereal as C
import Control.Applicative ((<|>))
import Control.Exception (evaluate)
import Control.Monad (mzero)
import Data.Array.Unboxed (UArray)
import qualified Data.ByteString as S
import qualified Data.ByteString.Lazy as L
import Data.ByteString.Short (ShortByteString)
import Data.Int (Int16, Int32, Int64, Int8)
import Data.IntMap (IntMap)
import Data.IntSet (IntSet)
import Data.Map (Map)
import Data.Sequence (Seq)
import Data.Set (Set)
import Data.Tree (Tree)
import Data.Word (Word16, Word32, Word64, Word8)
import Test.Tasty
import Test.Tasty.HUnit

tests :: TestTree
tests =
  testCase
    "every name of binary's and cereal's Get, with its type"
    (mapM_ evaluate (concat [binary, cereal, monads]))

-- A name has this type, and a value.
has :: a -> ()
has x = x `seq` ()

-- Methods that the monad must have.
monads :: [()]
monads =
  [ has (mzero :: B.Get ()),
    has ((<|>) :: B.Get a -> B.Get a -> B.Get a),
    has (fail :: String -> B.Get a)
  ]

binary :: [()]
binary =
  [ has (id :: B.ByteOffset -> Int64),
    has (B.Fail :: S.ByteString -> B.ByteOffset -> String -> B.Decoder a),
    has (B.Partial :: (Maybe S.ByteString -> B.Decoder a) -> B.Decoder a),
    has (B.Done :: S.ByteString -> B.ByteOffset -> a -> B.Decoder a),
    has (B.getDoublebe :: B.Get Double),
    has (B.getDoublehost :: B.Get Double),
    has (B.getDoublele :: B.Get Double),
    has (B.getFloatbe :: B.Get Float),
    has (B.getFloathost :: B.Get Float),
    has (B.getFloatle :: B.Get Float),
    has (B.getInt16be :: B.Get Int16),
    has (B.getInt16host :: B.Get Int16),
    has (B.getInt16le :: B.Get Int16),
    has (B.getInt32be :: B.Get Int32),
    has (B.getInt32host :: B.Get Int32),
    has (B.getInt32le :: B.Get Int32),
    has (B.getInt64be :: B.Get Int64),
    has (B.getInt64host :: B.Get Int64),
    has (B.getInt64le :: B.Get Int64),
    has (B.getInt8 :: B.Get Int8),
    has (B.getInthost :: B.Get Int),
    has (B.getLazyByteString :: Int64 -> B.Get L.ByteString),
    has (B.getLazyByteStringNul :: B.Get L.ByteString),
    has (B.getRemainingLazyByteString :: B.Get L.ByteString),
    has (B.getWord16be :: B.Get Word16),
    has (B.getWord16host :: B.Get Word16),
    has (B.getWord16le :: B.Get Word16),
    has (B.getWord32be :: B.Get Word32),
    has (B.getWord32host :: B.Get Word32),
    has (B.getWord32le :: B.Get Word32),
    has (B.getWord64be :: B.Get Word64),
    has (B.getWord64host :: B.Get Word64),
    has (B.getWord64le :: B.Get Word64),
    has (B.getWord8 :: B.Get Word8),
    has (B.getWordhost :: B.Get Word),
    has (B.pushChunk :: B.Decoder a -> S.ByteString -> B.Decoder a),
    has (B.pushChunks :: B.Decoder a -> L.ByteString -> B.Decoder a),
    has (B.pushEndOfInput :: B.Decoder a -> B.Decoder a),
    has (B.runGet :: B.Get a -> L.ByteString -> a),
    has (B.runGetIncremental :: B.Get a -> B.Decoder a),
    has
      ( B.runGetOrFail ::
          B.Get a ->
          L.ByteString ->
          Either (L.ByteString, B.ByteOffset, String) (L.ByteString, B.ByteOffset, a)
      ),
    has
      ( B.runGetState ::
          B.Get a -> L.ByteString -> B.ByteOffset -> (a, L.ByteString, B.ByteOffset)
      ),
    has (B.skip :: Int -> B.Get ()),
    has (B.bytesRead :: B.Get Int64),
    has (B.getByteString :: Int -> B.Get S.ByteString),
    has (B.getBytes :: Int -> B.Get S.ByteString),
    has (B.getShortByteString :: Int -> B.Get ShortByteString),
    has (B.isEmpty :: B.Get Bool),
    has (B.isolate :: Int -> B.Get a -> B.Get a),
    has (B.label :: String -> B.Get a -> B.Get a),
    has (B.lookAhead :: B.Get a -> B.Get a),
    has (B.lookAheadE :: B.Get (Either a b) -> B.Get (Either a b)),
    has (B.lookAheadM :: B.Get (Maybe a) -> B.Get (Maybe a)),
    has (B.remaining :: B.Get Int64)
  ]

cereal :: [()]
cereal =
  [ has (C.Fail :: String -> S.ByteString -> C.Result a),
    has (C.Partial :: (S.ByteString -> C.Result a) -> C.Result a),
    has (C.Done :: a -> S.ByteString -> C.Result a),
    has (fmap :: (a -> b) -> C.Result a -> C.Result b),
    has (show :: C.Result Int -> String),
    -- The other half.
    has (C.putListOf :: C.Putter a -> C.Putter [a]),
    has (C.putFloat32le :: Float -> C.Put),
    has (C.putFloat32be :: Float -> C.Put),
    has (C.putFloat64le :: Double -> C.Put),
    has (C.putFloat64be :: Double -> C.Put),
    has (C.getFloat32le :: C.Get Float),
    has (C.getFloat32be :: C.Get Float),
    has (C.getFloat64le :: C.Get Double),
    has (C.getFloat64be :: C.Get Double),
    has (C.bytesRead :: C.Get Int),
    has (C.ensure :: Int -> C.Get S.ByteString),
    has (C.getByteString :: Int -> C.Get S.ByteString),
    has (C.getBytes :: Int -> C.Get S.ByteString),
    has (C.getEitherOf :: C.Get a -> C.Get b -> C.Get (Either a b)),
    has (C.getIArrayOf :: C.Get Int -> C.Get Word8 -> C.Get (UArray Int Word8)),
    has (C.getInt16be :: C.Get Int16),
    has (C.getInt16le :: C.Get Int16),
    has (C.getInt32be :: C.Get Int32),
    has (C.getInt32le :: C.Get Int32),
    has (C.getInt64be :: C.Get Int64),
    has (C.getInt64le :: C.Get Int64),
    has (C.getInt8 :: C.Get Int8),
    has (C.getIntMapOf :: C.Get Int -> C.Get a -> C.Get (IntMap a)),
    has (C.getIntSetOf :: C.Get Int -> C.Get IntSet),
    has (C.getLazyByteString :: Int64 -> C.Get L.ByteString),
    has (C.getListOf :: C.Get a -> C.Get [a]),
    has (C.getMapOf :: C.Get Int -> C.Get a -> C.Get (Map Int a)),
    has (C.getMaybeOf :: C.Get a -> C.Get (Maybe a)),
    has (C.getNested :: C.Get Int -> C.Get a -> C.Get a),
    has (C.getSeqOf :: C.Get a -> C.Get (Seq a)),
    has (C.getSetOf :: C.Get Int -> C.Get (Set Int)),
    has (C.getShortByteString :: Int -> C.Get ShortByteString),
    has (C.getTreeOf :: C.Get a -> C.Get (Tree a)),
    has (C.getTwoOf :: C.Get a -> C.Get b -> C.Get (a, b)),
    has (C.getWord16be :: C.Get Word16),
    has (C.getWord16host :: C.Get Word16),
    has (C.getWord16le :: C.Get Word16),
    has (C.getWord32be :: C.Get Word32),
    has (C.getWord32host :: C.Get Word32),
    has (C.getWord32le :: C.Get Word32),
    has (C.getWord64be :: C.Get Word64),
    has (C.getWord64host :: C.Get Word64),
    has (C.getWord64le :: C.Get Word64),
    has (C.getWord8 :: C.Get Word8),
    has (C.getWordhost :: C.Get Word),
    has (C.isEmpty :: C.Get Bool),
    has (C.isolate :: Int -> C.Get a -> C.Get a),
    has (C.label :: String -> C.Get a -> C.Get a),
    has (C.lookAhead :: C.Get a -> C.Get a),
    has (C.lookAheadE :: C.Get (Either a b) -> C.Get (Either a b)),
    has (C.lookAheadM :: C.Get (Maybe a) -> C.Get (Maybe a)),
    has (C.remaining :: C.Get Int),
    has (C.runGet :: C.Get a -> S.ByteString -> Either String a),
    has (C.runGetChunk :: C.Get a -> Maybe Int -> S.ByteString -> C.Result a),
    has (C.runGetLazy :: C.Get a -> L.ByteString -> Either String a),
    has (C.runGetLazyState :: C.Get a -> L.ByteString -> Either String (a, L.ByteString)),
    has (C.runGetPartial :: C.Get a -> S.ByteString -> C.Result a),
    has (C.runGetState :: C.Get a -> S.ByteString -> Int -> Either String (a, S.ByteString)),
    has (C.skip :: Int -> C.Get ()),
    has (C.uncheckedLookAhead :: Int -> C.Get S.ByteString),
    has (C.uncheckedSkip :: Int -> C.Get ())
  ]
