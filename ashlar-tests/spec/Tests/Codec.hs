{-# LANGUAGE AllowAmbiguousTypes #-}
{-# LANGUAGE DerivingStrategies #-}
{-# LANGUAGE GeneralizedNewtypeDeriving #-}
{-# LANGUAGE OverloadedStrings #-}
{-# LANGUAGE ScopedTypeVariables #-}
{-# OPTIONS_GHC -Wno-orphans #-}

-- |
-- Module      : Tests.Codec
-- Description : Particular instances, and running codecs
module Tests.Codec (tests) where

import Ashlar.Builder.Extra (safeStrategy, toLazyByteStringWith)
import Ashlar.Codec
import Ashlar.Codec.Combinators (Layout (..))
import Control.Exception (bracket)
import qualified Data.ByteString as S
import qualified Data.ByteString.Lazy as L
import Data.IORef
import Data.Int
import qualified Data.Map as M
import qualified Data.Set as Set
import qualified Data.Text as T
import qualified Data.Vector as V
import qualified Data.Vector.Storable as SV
import qualified Data.Vector.Unboxed as U
import Data.Word
import Foreign.Ptr (castPtr)
import Foreign.Storable (Storable (..))
import GHC.Float (castWord64ToDouble)
import System.Directory (getTemporaryDirectory, removeFile)
import System.IO
import Test.Tasty
import Test.Tasty.HUnit
import Test.Tasty.QuickCheck hiding (Large, Small)
import Tests.Big
import Tests.Derived hiding (first, name)
import Tests.Failures

tests :: TestTree
tests =
  testGroup
    "Codec"
    [ testCase "260 constructors" manyConstructors,
      testCase "a type without constructors" noConstructors,
      testCase "layouts of fixed and variable types" layouts,
      testCase "NaN keeps its payload" nan,
      testCase "a newtype with another layout in memory" otherLayouts,
      testCase "unboxed vectors have the bytes of lists" unboxed,
      testProperty "long lists" $ \(xs :: [Int]) (ts :: [Bool]) -> longLists xs ts,
      testProperty "maps and sets are valid" validContainers,
      testCase "hEncode and hDecode" handles,
      testCase "values one after another" several
    ]

manyConstructors :: Assertion
manyConstructors = do
  length bigs @?= 260
  mapM_
    ( \(i, b) ->
        encode b @?= S.pack [fromIntegral (i `mod` 256), fromIntegral (i `div` 256 :: Int)]
    )
    (zip [0 ..] bigs)
  mapM_ (\b -> decode (encode b) @?= Right b) bigs
  (decode (S.pack [4, 1]) :: Either DecodeError Big)
    @?= Left
      ( failure
          0
          ["Big"]
          (Invalid "constructor tag 260, but Big has 260 constructors (tags 0 to 259)")
          []
          (S.pack [4, 1])
      )

noConstructors :: Assertion
noConstructors = do
  (decode "" :: Either DecodeError Never) @?= failing 0 (Invalid "Never has no values")
  (decode (encode ([] :: [Never])) :: Either DecodeError [Never]) @?= Right []

layouts :: Assertion
layouts = do
  fixed (layout :: Layout AllFixed) @?= Just 19
  fixed (layout :: Layout (Pair Int)) @?= Just 16
  fixed (layout :: Layout (Pair T.Text)) @?= Nothing
  fixed (layout :: Layout Colour) @?= Just 1
  fixed (layout :: Layout Big) @?= Just 2
  fixed (layout :: Layout Unit) @?= Just 0
  fixed (layout :: Layout (Tree ())) @?= Nothing
  fixed (layout :: Layout (Int, (Word8, Bool))) @?= Just 10
  leastSize (layout :: Layout Record) @?= 4 + 1 + 8 + 1 + 8 + 8 + 8
  where
    fixed l = case l of
      Fix _ -> Just (leastSize l)
      Var _ -> Nothing

-- These have the formats of Word64 and Word16. Their Storable instances have fewer bytes, more
-- bytes, and the same bytes in another order.
newtype Small = Small Word64
  deriving newtype (Eq, Show, Codec)

instance Storable Small where
  sizeOf _ = 1
  alignment _ = 1
  peek p = Small . fromIntegral <$> (peek (castPtr p) :: IO Word8)
  poke p (Small w) = poke (castPtr p) (fromIntegral w :: Word8)

newtype Large = Large Word16
  deriving newtype (Eq, Show, Codec)

instance Storable Large where
  sizeOf _ = 8
  alignment _ = 8
  peek p = Large . fromIntegral <$> (peek (castPtr p) :: IO Word64)
  poke p (Large w) = poke (castPtr p) (fromIntegral w :: Word64)

newtype Swapped = Swapped Word16
  deriving newtype (Eq, Show, Codec)

instance Storable Swapped where
  sizeOf _ = 2
  alignment _ = 2
  peek p = Swapped . byteSwap16 <$> peek (castPtr p)
  poke p (Swapped w) = poke (castPtr p) (byteSwap16 w)

otherLayouts :: Assertion
otherLayouts = do
  same (map Small [1 .. 100])
  same (map Large [1 .. 100])
  same (map Swapped [1 .. 100])
  where
    same :: (Show a, Eq a, Codec a, Storable a) => [a] -> Assertion
    same xs = do
      let v = SV.fromList xs
      encode v @?= encode (V.fromList xs)
      decode (encode v) @?= Right v

nan :: Assertion
nan = do
  let x = castWord64ToDouble 0x7FF80000DEADBEEF
  encode x @?= S.pack [0xEF, 0xBE, 0xAD, 0xDE, 0, 0, 0xF8, 0x7F]
  (encode <$> (decode (encode x) :: Either DecodeError Double)) @?= Right (encode x)

-- With optimisation, rewrite rules replace the loops.
unboxed :: Assertion
unboxed = do
  like [minBound, -1, 0, 1, maxBound :: Int]
  like [minBound, -1, 0, 1, maxBound :: Int8]
  like [minBound, -1, 0, 1, maxBound :: Int16]
  like [minBound, -1, 0, 1, maxBound :: Int32]
  like [minBound, -1, 0, 1, maxBound :: Int64]
  like [0, 1, maxBound :: Word]
  like [0, 1, maxBound :: Word8]
  like [0, 1, maxBound :: Word16]
  like [0, 1, maxBound :: Word32]
  like [0, 1, maxBound :: Word64]
  like [0, 1.5, -1 / 0 :: Float]
  like [0, 1.5, -1 / 0 :: Double]
  where
    like :: (Eq a, Show a, Codec a, U.Unbox a) => [a] -> Assertion
    like xs = do
      let v = U.drop 1 (U.fromList (take 1 xs ++ xs))
      encode v @?= encode xs
      decode (encode xs) @?= Right v
    {-# INLINE like #-}

-- Elements of constant size, validated elements, and elements of variable size. Input in one chunk,
-- and in chunks that divide elements. Output into small buffers.
longLists :: [Int] -> [Bool] -> Property
longLists xs ts = long xs .&&. long ts .&&. long (map show xs)
  where
    long :: (Eq a, Show a, Codec a) => [a] -> Property
    long few =
      let many = if null few then [] else take 300 (cycle few)
          bs = encode many
       in decode bs === Right many
            .&&. decodeLazy (L.fromChunks (chunksOf 13 bs)) === Right many
            .&&. toLazyByteStringWith (safeStrategy 5 11) L.empty (put many) === L.fromStrict bs
    chunksOf n bs = if S.null bs then [] else S.take n bs : chunksOf n (S.drop n bs)

validContainers :: [Int] -> Property
validContainers xs =
  conjoin
    [ counterexample (show n) $
        either (const False) M.valid (decode (encode m) `asTypeOf` Right m)
          && either (const False) Set.valid (decode (encode s) `asTypeOf` Right s)
          && decode (encode m) == Right m
          && decode (encode s) == Right s
      | n <- [0 .. 70],
        let m = M.fromList [(x, x) | x <- take n xs ++ [1000 .. 1000 + n]],
        let s = M.keysSet m
    ]

handles :: Assertion
handles = do
  dir <- getTemporaryDirectory
  let x = [Named "n" (Both Point (Circle 1)) | _ <- [1 .. 5000 :: Int]]
  bracket (openBinaryTempFile dir "ashlar") (\(path, h) -> hClose h >> removeFile path) $
    \(path, h) -> do
      hEncode h x
      hClose h
      bs <- S.readFile path
      bs == encode x @?= True
      r <- withBinaryFile path ReadMode hDecode
      (r == Right x) @?= True
      S.appendFile path "x"
      trailing <- withBinaryFile path ReadMode hDecode :: IO (Either DecodeError [Shape])
      either errorReason (const (Invalid "decoded")) trailing @?= TrailingInput

several :: Assertion
several = do
  rest <-
    newIORef
      ( map
          S.singleton
          (S.unpack (encode (1 :: Int) <> encode ("ab" :: T.Text) <> encode True))
      )
  source <-
    newSource
      ( atomicModifyIORef
          rest
          (\ps -> case ps of p : more -> (more, p); [] -> ([], S.empty))
      )
  decodeFrom source >>= (@?= Right (1 :: Int))
  decodeFrom source >>= (@?= Right ("ab" :: T.Text))
  decodeFrom source >>= (@?= Right True)
  (decodeFrom source :: IO (Either DecodeError Bool)) >>= (@?= failing 19 (MissingInput 1 0))
