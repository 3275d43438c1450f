{-# LANGUAGE DataKinds #-}
{-# LANGUAGE DeriveAnyClass #-}
{-# LANGUAGE DeriveGeneric #-}
{-# LANGUAGE DerivingStrategies #-}
{-# LANGUAGE OverloadedStrings #-}
{-# LANGUAGE ScopedTypeVariables #-}
{-# LANGUAGE TypeApplications #-}
-- One copy of the properties for all types.
{-# OPTIONS_GHC -fno-specialise #-}

-- |
-- Module      : Tests.CompatStore
-- Description : The class of Data.Store, against bytes that store has written
--
-- The bytes are those of store 0.7.16 on a 64-bit little-endian machine.
module Tests.CompatStore (tests) where

import Ashlar.Compat.Store
import Ashlar.Get (getRemainingByteString)
import Control.Exception (ErrorCall (..), evaluate, try)
import Data.Array (Array, listArray)
import Data.Array.Unboxed (UArray)
import qualified Data.Array.Unboxed as U
import qualified Data.ByteString as S
import qualified Data.ByteString.Lazy as L
import qualified Data.ByteString.Short as SBS
import qualified Data.ByteString.Unsafe as S
import Data.Complex (Complex (..))
import Data.Either (isLeft)
import Data.Functor.Const (Const (..))
import Data.Functor.Identity (Identity (..))
import Data.IORef (IORef, modifyIORef', newIORef, readIORef)
import Data.Int (Int16, Int32, Int64, Int8)
import Data.IntMap (IntMap)
import qualified Data.IntMap as IntMap
import Data.IntSet (IntSet)
import qualified Data.IntSet as IntSet
import Data.List.NonEmpty (NonEmpty (..))
import Data.Map (Map)
import qualified Data.Map as Map
import Data.Monoid (Sum (..))
import Data.Proxy (Proxy (..))
import Data.Ratio (Ratio, (%))
import Data.Sequence (Seq)
import qualified Data.Sequence as Seq
import Data.Set (Set)
import qualified Data.Set as Set
import qualified Data.Text as T
import qualified Data.Vector as V
import Data.Word (Word16, Word32, Word64, Word8)
import Foreign.C.Types (CBool, CChar, CDouble, CInt, CTime)
import Foreign.Marshal.Utils (fillBytes)
import Foreign.Ptr (FunPtr, IntPtr (..), Ptr, WordPtr (..), castPtrToFunPtr, wordPtrToPtr)
import Foreign.StablePtr (StablePtr, castPtrToStablePtr)
import Foreign.Storable (sizeOf)
import GHC.ByteOrder (ByteOrder (..), targetByteOrder)
import GHC.Fingerprint (Fingerprint (..))
import GHC.Generics (Generic)
import System.IO.Unsafe (unsafePerformIO)
import System.Posix.Types (Fd (..))
import Test.Tasty
import Test.Tasty.HUnit
import Test.Tasty.QuickCheck hiding (getSize)
import Tests.Arbitrary ()

tests :: TestTree
tests =
  testGroup
    "the class Store, as in store"
    [ testGroup "bytes that store has written" (if littleEndian then written else []),
      testGroup "each instance" instances,
      testGroup "refused" refused
    ]
  where
    littleEndian = targetByteOrder == LittleEndian && (maxBound :: Int) > 2 ^ (32 :: Int)

data Shape = Dot | Circle Word16 | Line {_from :: Point, _to :: Point} | Group [Shape]
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Store)

data Point = Point {px :: Word8, py :: Int32}
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Store)

-- By hand, with the names of the class.
data ByHand = ByHand Int [Word8]
  deriving stock (Eq, Show)

instance Store ByHand where
  size = combineSize (\(ByHand n _) -> n) (\(ByHand _ ws) -> ws)
  poke (ByHand n ws) = poke n >> poke ws
  peek = ByHand <$> peek <*> peek

instance Arbitrary ByHand where
  arbitrary = ByHand <$> arbitrary <*> arbitrary

instance Arbitrary Shape where
  arbitrary = sized $ \n ->
    oneof
      [ pure Dot,
        Circle <$> arbitrary,
        Line <$> arbitrary <*> arbitrary,
        Group <$> resize (n `div` 3) arbitrary
      ]

instance Arbitrary Point where
  arbitrary = Point <$> arbitrary <*> arbitrary

is :: (Store a, Eq a, Show a) => String -> a -> [Word8] -> TestTree
is name x bytes = testCase name $ do
  S.unpack (encode x) @?= bytes
  decode (S.pack bytes) @?= Right x

count :: Word8 -> [Word8]
count n = n : replicate (sizeOf (0 :: Int) - 1) 0

written :: [TestTree]
written =
  [ is "list" [1, 2 :: Word8] (count 2 ++ [1, 2]),
    is "String" ("ab" :: String) (count 2 ++ [97, 0, 0, 0, 98, 0, 0, 0]),
    is "Bool" True [1],
    is "Maybe" (Just (5 :: Word16)) [1, 5, 0],
    is "Either" (Right 5 :: Either Int Word16) [1, 5, 0],
    is "()" () [],
    is "ByteString" (S.pack [1, 2]) (count 2 ++ [1, 2]),
    is "lazy ByteString" (L.pack [1, 2]) (count 2 ++ [1, 2]),
    is "Map" (Map.fromList [(1 :: Word8, 2 :: Word8), (3, 4)]) (mark ++ count 2 ++ [1, 2, 3, 4]),
    is "Set" (Set.fromList [1, 2 :: Word8]) (count 2 ++ [1, 2]),
    is "IntMap" (IntMap.fromList [(1, 2 :: Word8), (3, 4)]) $
      mark ++ count 2 ++ count 1 ++ [2] ++ count 3 ++ [4],
    is "IntSet" (IntSet.fromList [1, 2]) (count 2 ++ count 1 ++ count 2),
    is "Seq" (Seq.fromList [1, 2 :: Word8]) (count 2 ++ [1, 2]),
    is "Vector" (V.fromList [1, 2 :: Word8]) (count 2 ++ [1, 2]),
    is "Array" (listArray (0, 1) [7, 8] :: Array Int Word8) (count 0 ++ count 1 ++ [7, 8]),
    is "UArray" (U.listArray (0, 1) [7, 8] :: UArray Int Word8) (count 0 ++ count 1 ++ [7, 8]),
    is "Ratio" (1 % 2 :: Ratio Word8) [1, 2],
    is "NonEmpty" ((1 :: Word8) :| [2]) (1 : count 1 ++ [2]),
    is "Double" (0.5 :: Double) [0, 0, 0, 0, 0, 0, 224, 63],
    is "Complex" (0.5 :+ 1 :: Complex Double) $
      [0, 0, 0, 0, 0, 0, 224, 63] ++ [0, 0, 0, 0, 0, 0, 240, 63],
    is "Sum" (Sum (1 :: Word8)) [1],
    is "Identity" (Identity (1 :: Word8)) [1],
    is "Const" (Const 5 :: Const Word16 Bool) [5, 0],
    is "Fingerprint" (Fingerprint 1 2) [0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 2],
    is "StaticSize" (StaticSize "abc" :: StaticSize 3 S.ByteString) [97, 98, 99],
    is "CInt" (-2 :: CInt) [254, 255, 255, 255],
    is "CDouble" (1 :: CDouble) [0, 0, 0, 0, 0, 0, 240, 63],
    is "CChar" (-2 :: CChar) [254],
    is "CBool" (1 :: CBool) [1],
    is "CTime" (258 :: CTime) [2, 1, 0, 0, 0, 0, 0, 0],
    is "WordPtr" (WordPtr 258) [2, 1, 0, 0, 0, 0, 0, 0],
    is "IntPtr" (IntPtr (-2)) [254, 255, 255, 255, 255, 255, 255, 255],
    is "Ptr" (wordPtrToPtr 258 :: Ptr ()) [2, 1, 0, 0, 0, 0, 0, 0],
    is "FunPtr" (castPtrToFunPtr (wordPtrToPtr 258) :: FunPtr ()) [2, 1, 0, 0, 0, 0, 0, 0],
    testCase "StablePtr" $
      S.unpack (encode (castPtrToStablePtr (wordPtrToPtr 258) :: StablePtr ()))
        @?= [2, 1, 0, 0, 0, 0, 0, 0],
    is "Fd" (Fd 3) [3, 0, 0, 0],
    is "(,,)" (1 :: Word8, 2 :: Word16, 3 :: Word8) [1, 2, 0, 3],
    is "a derived sum" [Dot, Circle 5] (count 2 ++ [0, 1, 5, 0]),
    is "a derived record" (Line (Point 1 2) (Point 3 4)) [2, 1, 2, 0, 0, 0, 3, 4, 0, 0, 0],
    testCase "Text" $
      elem
        (S.unpack (encode ("a\233" :: T.Text)))
        [count 2 ++ [97, 0, 233, 0], count 3 ++ [97, 195, 169]]
        @?= True
  ]
  where
    mark = [10, 75, 148, 72]

-- The value back, the size, and no proper part of the bytes is accepted.
each ::
  forall a. (Store a, Arbitrary a, Eq a, Show a) => String -> Proxy a -> TestTree
each name _ = testProperty name $ \(x :: a) ->
  let bytes = encode x
      back = decode :: S.ByteString -> Either PeekException a
   in conjoin
        [ back bytes === Right x,
          getSize x === S.length bytes,
          property (all (\n -> isLeft (back (S.take n bytes))) (somePrefixes (S.length bytes))),
          property (isLeft (back (bytes <> "\0")))
        ]

-- Lengths of parts: some 50 of them, and the longest.
somePrefixes :: Int -> [Int]
somePrefixes n = [0, max 1 (n `div` 50) .. n - 1] ++ [n - 1 | n > 0]

instances :: [TestTree]
instances =
  [ each "Int" (Proxy @Int),
    each "Word" (Proxy @Word),
    each "Int8" (Proxy @Int8),
    each "Int16" (Proxy @Int16),
    each "Int64" (Proxy @Int64),
    each "Word32" (Proxy @Word32),
    each "Word64" (Proxy @Word64),
    each "Float" (Proxy @Float),
    each "Double" (Proxy @Double),
    each "Char" (Proxy @Char),
    each "Text" (Proxy @T.Text),
    each "ShortByteString" (Proxy @SBS.ShortByteString),
    each "Map" (Proxy @(Map Int String)),
    each "Set" (Proxy @(Set Int16)),
    each "IntMap" (Proxy @(IntMap String)),
    each "IntSet" (Proxy @IntSet),
    each "Seq" (Proxy @(Seq String)),
    each "a derived type" (Proxy @Shape),
    each "by hand" (Proxy @ByHand),
    each "7 parts" (Proxy @(Word8, Int, Char, Bool, String, Word16, Maybe Int))
  ]

refuses :: forall a. Store a => String -> Proxy a -> S.ByteString -> TestTree
refuses name _ bytes =
  testCase name $ isLeft (decode bytes :: Either PeekException a) @?= True

-- The heap of this program is limited.
refused :: [TestTree]
refused =
  [ refuses "a tag" (Proxy @Bool) "\2",
    refuses "a character" (Proxy @Char) (encode (0x110000 :: Word32)),
    refuses "a long list of nothing" (Proxy @[()]) (encode (maxBound :: Int)),
    refuses "a long list" (Proxy @[Word64]) (encode (maxBound :: Int)),
    refuses "a negative length" (Proxy @[Word8]) (encode (-1 :: Int)),
    refuses "keys that do not ascend" (Proxy @(Set Int)) (encode [2, 1 :: Int]),
    refuses "keys that are equal" (Proxy @(Set Int)) (encode [1, 1 :: Int]),
    refuses "a map without its mark" (Proxy @(Map Int Int)) (encode (0 :: Word32, 0 :: Int)),
    refuses "large bounds" (Proxy @(UArray Int Word8)) (encode (0 :: Int, maxBound :: Int)),
    refuses "bounds that overflow" (Proxy @(Array (Int, Int) Word8)) $
      encode ((0, 0) :: (Int, Int), (most, most) :: (Int, Int)),
    refuses "nested values" (Proxy @Shape) $
      S.concat (replicate 300000 ("\3" <> encode (1 :: Int))),
    testCase "StaticSize: a string of another length" $ do
      toStaticSize "ab" @?= (Nothing :: Maybe (StaticSize 3 S.ByteString))
      toStaticSize "abc" @?= (Just (StaticSize "abc") :: Maybe (StaticSize 3 S.ByteString))
      throws (toStaticSizeEx "ab" :: StaticSize 3 S.ByteString)
      throws (encode (StaticSize "ab" :: StaticSize 3 S.ByteString))
      decoded "ab" @?= Nothing
      decoded "abcd" @?= Nothing
      decoded "abc" @?= Just (StaticSize "abc"),
    testCase "peekExBytesFromEnd is the number of bytes left" $ case decode (encode True <> "ab") of
      Left e -> peekExBytesFromEnd e @?= 2
      Right (_ :: Bool) -> assertFailure "read",
    testCase "the exception does not read the input again" $ do
      failsInPlace (pure . decodeWith two)
      failsInPlace (try . decodeIOWith two)
      failsInPlace (try . evaluate . decodeExWith two)
      failsInPlace (try . decodeIOPortionWith two)
      failsInPlace (try . evaluate . decodeExPortionWith two),
    testCase "decoders that fail on parts of parts" partsOfParts
  ]
  where
    two = peek :: Peek (Bool, Bool)
    most = 2 ^ (4 * sizeOf (0 :: Int)) - 1
    decoded bs = either (const Nothing) Just (decode bs) :: Maybe (StaticSize 3 S.ByteString)
    throws x = do
      r <- try (evaluate x)
      case r of
        Left (ErrorCall _) -> pure ()
        Right _ -> assertFailure "a value"

-- The memory of the input is overwritten before anybody looks at the exception.
failsInPlace :: (Eq a, Show a) => (S.ByteString -> IO (Either PeekException a)) -> Assertion
failsInPlace run = do
  expected <- run bytes
  isLeft expected @?= True
  failure <- S.useAsCStringLen bytes $ \(p, n) -> do
    r <- S.unsafePackCStringLen (p, n) >>= run >>= evaluate
    r <$ fillBytes p 0 n
  failure @?= expected
  where
    bytes = "\1\2"

-- A run that fails is repeated, but not each of those that it began.
partsOfParts :: Assertion
partsOfParts = do
  runs <- newIORef (0 :: Int)
  let level = peek >>= next
      next w = if w == 0 then innermost w else getRemainingByteString >>= inner
      innermost w = if counted runs w == 0 then fail "bad leaf" else pure ()
      inner = either (const (fail "bad part")) pure . decodeWith level
  isLeft (decodeWith level (S.replicate 20 1 <> S.singleton 0)) @?= True
  n <- readIORef runs
  assertBool (show n) (n <= 22)

counted :: IORef Int -> Word8 -> Word8
counted runs w = unsafePerformIO (w <$ modifyIORef' runs (+ 1))
