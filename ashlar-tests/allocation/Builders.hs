{-# LANGUAGE DeriveAnyClass #-}
{-# LANGUAGE DeriveGeneric #-}
{-# LANGUAGE DerivingStrategies #-}

-- |
-- Module      : Builders
-- Description : What writing allocates
module Builders
  ( stringsAsText,
    loopOfWrites,
    ownRecursion,
    varints,
    packedTree,
    packedAfterBit,
    oneNumber,
    shortResponse,
    longOutput,
    loopsOfBuilders,
    putsAsBuilders,
    putsInARow,
    insertedRun,
    passedOn,
  )
where

import Ashlar.Builder
import Ashlar.Builder.Base64 (encodeBase64)
import Ashlar.Builder.Bytestring (toBytestringBuilder)
import Ashlar.Builder.Extra (byteStringInsert, lazyByteStringInsert)
import Ashlar.Builder.Hex (encodeHex)
import Ashlar.Builder.Section (lengthPrefixedVarint)
import Ashlar.Builder.Varint (intVarint)
import Ashlar.Codec
import Ashlar.Codec.Packed (Pack, Packed (..))
import Ashlar.Codec.Wrappers (Varint (..))
import Ashlar.Get.Base64 (decodeBase64)
import Ashlar.Get.Hex (decodeHex)
import Ashlar.Put (Put, execPut, putWord64le, putWord8)
import Control.Exception (evaluate)
import Control.Monad (foldM, forM_, replicateM_, void, when)
import qualified Data.ByteString as S
import qualified Data.ByteString.Builder as B
import qualified Data.ByteString.Lazy as L
import Data.Semigroup (stimes)
import qualified Data.Vector as V
import qualified Data.Vector.Unboxed as U
import Data.Word (Word32, Word64)
import Foreign.Marshal.Alloc (allocaBytes)
import GHC.Generics (Generic)
import Measure
import System.IO (IOMode (WriteMode), withBinaryFile)
import Test.Tasty.HUnit

stringsAsText :: Assertion
stringsAsText =
  forM_ [30, 3000, 300000] $ \n -> do
    let bytes = S.replicate n 77
        base64 = encodeBase64 bytes
        hex = encodeHex bytes
    onlyTheResult (S.length base64) encodeBase64 bytes
    onlyTheResult (S.length hex) encodeHex bytes
    onlyTheResult n decodeBase64 base64
    onlyTheResult n decodeHex hex
  where
    onlyTheResult expected f x = do
      n <- allocatedBy f x
      (n >= expected && n < expected + 512) @? show n ++ " bytes for " ++ show expected
    {-# NOINLINE onlyTheResult #-}

loopOfWrites :: Assertion
loopOfWrites = do
  each <- perElement (allocated . run . fromIntegral)
  -- 8 bytes for each, in buffers of 4096.
  assertBool (show each) (each < 300 * 8 / 4096)
  where
    run :: Word64 -> IO Int
    run n = toBufferIOWith 4096 (\_ _ -> pure ()) (numbers 0 n)
    {-# NOINLINE run #-}

-- Over a vector whose elements are read where they are written, by a function at top level and by
-- a local one. Their output is the same, and as long as that of 'loopOfWrites'.
ownRecursion :: Assertion
ownRecursion = do
  forM_ [run . atTopLevel, run . locally] $ \f -> do
    each <- perElement (\n -> allocated (f (U.generate n fromIntegral)))
    -- An element of the vector, and 8 bytes in buffers of 4096.
    assertBool (show each) (each < 4 + 300 * 8 / 4096)
  where
    run :: Builder -> IO Int
    run = toBufferIOWith 4096 (\_ _ -> pure ())
    {-# NOINLINE run #-}
    atTopLevel v = elementsFrom v 0
    {-# NOINLINE atTopLevel #-}

-- A symbol takes nothing, nor do the two sides of a fork. An asked buffer takes some hundred bytes.
packedTree :: Assertion
packedTree = do
  few <- taken 4
  more <- taken 14
  (more - few < 8192) @? show (more - few) ++ " bytes for 32,736 more nodes"
  where
    taken :: Int -> IO Int
    taken depth = do
      t <- evaluate (treeOf depth)
      allocated (toBufferIOWith 4096 (\_ _ -> pure ()) (put (Packed t)))
    treeOf n = if n == 0 then Tip (n == 0) else Fork (treeOf (n - 1)) (treeOf (n - 1))

-- The bit keeps its byte open until the end, so all numbers stay in memory. Each number has three
-- bytes.
packedAfterBit :: Assertion
packedAfterBit =
  forM_ sinks $ \(name, run) -> do
    few <- taken run 20000
    more <- taken run 320000
    let each = (more - few) `div` 300000
    assertBool (name ++ ": " ++ show each ++ " bytes for each") (each <= 64)
  where
    taken :: (Builder -> IO ()) -> Int -> IO Int
    taken run n = do
      v <- evaluate (U.replicate n (20000 :: Int))
      allocated (run (put (Packed (True, v))))
    sinks :: [(String, Builder -> IO ())]
    sinks =
      [ ("strict", void . evaluate . toStrictByteString),
        ("lazy", void . evaluate . L.length . toLazyByteString),
        ("Handle", \b -> withBinaryFile "/dev/null" WriteMode (`hPutBuilder` b)),
        ("toByteStringIO", toByteStringIO (void . evaluate)),
        ("toBufferIOWith", void . toBufferIOWith 512 (\_ _ -> pure ())),
        ("pokeBuilder", \b -> allocaBytes 1048576 (\p -> void (pokeBuilder p 1048576 b))),
        ("lengthPrefixed", void . evaluate . L.length . toLazyByteString . lengthPrefixedVarint),
        ("bytestring", void . evaluate . L.length . B.toLazyByteString . toBytestringBuilder)
      ]

data Forks = Fork !Forks !Forks | Tip !Bool
  deriving stock (Generic)
  deriving anyclass (Pack)

elementsFrom :: U.Vector Word32 -> Int -> Builder
elementsFrom v i
  | i >= U.length v = mempty
  | otherwise = word32LE (v U.! i) <> word32BE (v U.! i) <> elementsFrom v (i + 1)

locally :: U.Vector Word32 -> Builder
locally v = go 0
  where
    go i
      | i == U.length v = mempty
      | otherwise = let x = U.unsafeIndex v i in word32LE x <> word32BE x <> go (i + 1)
{-# NOINLINE locally #-}

-- Numbers of several bytes, as a loop and as the fields of records.
varints :: Assertion
varints = do
  atMost 0 "a loop" (\n -> pure (numbersFrom 0 n))
  -- On GHC 9.0, two numbers that share a check return their address in a box.
  atMost 16 "records" $ \n -> do
    v <- evaluate (V.generate n (\i -> Varints (Varint i) (Varint (i * 1000))))
    put v <$ V.mapM_ evaluate v
  where
    atMost :: Double -> String -> (Int -> IO Builder) -> Assertion
    atMost most name builder = do
      each <- perElement (\n -> builder n >>= allocated . run)
      -- Less than 10 bytes for each, in buffers of 4096.
      assertBool (show (name, each)) (each < most + 300 * 10 / 4096)
    run :: Builder -> IO Int
    run = toBufferIOWith 4096 (\_ _ -> pure ())
    {-# NOINLINE run #-}

numbersFrom :: Int -> Int -> Builder
numbersFrom i n
  | i >= n = mempty
  | otherwise = intVarint (1000 * i) <> numbersFrom (i + 1) n

data Varints = Varints !(Varint Int) !(Varint Int)
  deriving stock (Generic)
  deriving anyclass (Codec)

-- The cells with the buffer, the result, the sink and its state.
oneNumber :: Assertion
oneNumber = do
  -- With the boxes of the argument and of the length.
  eachAtMost 322 (\i -> S.length (toStrictByteString (intDec i)))
  eachAtMost 322 (\i -> S.length (toStrictByteString (doubleDec (fromIntegral i / 8))))

-- 100 bytes, without a large buffer.
shortResponse :: Assertion
shortResponse =
  eachAtMost 700 $ \i ->
    fromIntegral (L.length (toLazyByteString (word64LE (fromIntegral i) <> body)))
  where
    body = byteString (S.replicate 92 65)
    {-# NOINLINE body #-}

-- The buffers, and the result.
longOutput :: Assertion
longOutput =
  forM_ [10000, 100000, 1000000] $ \n -> do
    bytes <- allocatedBy (toStrictByteString . numbers 0) (fromIntegral n `div` 8)
    assertBool (show (n, bytes)) (bytes < 2 * n + 98304 + n `div` 50)

-- A million rounds, and a list of builders that is evaluated already.
loopsOfBuilders :: Assertion
loopsOfBuilders = do
  bs <- evaluate (replicate 100000 (byteString (S.pack [1, 2, 3])))
  _ <- evaluate (length bs)
  forM_ [stimes (1000000 :: Int) (word8 1), stimes (1000000 :: Integer) (word8 1), mconcat bs] $
    \b -> do
      n <- allocated (run b)
      -- A little for each buffer of 4096 bytes.
      assertBool (show n) (n < 80000)
  where
    run = toBufferIOWith 4096 (\_ _ -> pure ())
    {-# NOINLINE run #-}

data Tree = Leaf | Node Tree !Word64 Tree

-- The left subtree is half as high.
tree :: Int -> Tree
tree n
  | n <= 0 = Leaf
  | otherwise = Node (tree (n `div` 2)) (fromIntegral n) (tree (n - 1))

putTree :: Tree -> Put
putTree t = case t of
  Leaf -> putWord8 0
  Node l x r -> do
    putWord8 1
    putTree l
    putWord64le x
    putTree r

buildTree :: Tree -> Builder
buildTree t = case t of
  Leaf -> word8 0
  Node l x r -> word8 1 <> buildTree l <> word64LE x <> buildTree r

putsAsBuilders :: Assertion
putsAsBuilders = do
  let t = tree 40
      xs = [1 .. 20000] :: [Word64]
  _ <- evaluate (sum xs)
  run "tree" (execPut (putTree t)) (buildTree t)
  run "list" (execPut (mapM_ putWord64le xs)) (foldMap word64LE xs)
  where
    run name p b = do
      n <- written b
      n' <- written p
      (name, n') @?= (name, n)
      expected <- allocated (written b)
      found <- allocated (written p)
      assertBool (show (name, expected, found, n)) (n > 40000 && found <= expected + 200)
    written :: Builder -> IO Int
    written = toBufferIOWith 4096 (\_ _ -> pure ())
    {-# NOINLINE written #-}

-- A million of each. The suite runs with a stack of 1 MB.
putsInARow :: Assertion
putsInARow = do
  row "mapM_" (\n -> mapM_ putWord64le [1 .. n])
  row "forM_" (\n -> forM_ [1 .. n] $ \i -> putWord64le i >> when (i < 0) (putWord8 1))
  row "foldMap" (\n -> foldMap putWord64le [1 .. n])
  row "mconcat" (\n -> mconcat (map putWord64le [1 .. n]))
  row "sequence_" (\n -> sequence_ [putWord64le i | i <- [1 .. n]])
  row "replicateM_" (\n -> replicateM_ (fromIntegral n) (putWord64le 1))
  row "a loop" loop
  row "foldM" (\n -> () <$ foldM (\acc i -> (acc + i) <$ putWord64le acc) 0 [1 .. n])
  where
    row :: String -> (Word64 -> Put) -> Assertion
    row name p = do
      n <- toBufferIOWith 4096 (\_ _ -> pure ()) (execPut (p 1000000))
      (name, n) @?= (name, 8000000)
    loop n = when (n > 0) (putWord64le n >> loop (n - 1))

insertedRun :: Assertion
insertedRun = do
  each <- perElement drained
  assertBool (show each) (each > 0 && each < 1500)
  where
    drained = allocatedBy (L.length . toLazyByteString . run)
    run :: Int -> Builder
    run n = stimes n (byteStringInsert someBytes)
    {-# NOINLINE run #-}

-- The chunks of the input and those of the output.
passedOn :: Assertion
passedOn = do
  each <- perElement drained
  assertBool (show each) (each > 0 && each < 250)
  where
    drained = allocatedBy (L.length . toLazyByteString . run)
    run :: Int -> Builder
    run n = lazyByteStringInsert (L.fromChunks (replicate n someBytes))
    {-# NOINLINE run #-}

someBytes :: S.ByteString
someBytes = S.replicate 10 1
{-# NOINLINE someBytes #-}
