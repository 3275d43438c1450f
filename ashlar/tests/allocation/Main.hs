{-# LANGUAGE BangPatterns #-}
{-# LANGUAGE DeriveAnyClass #-}
{-# LANGUAGE DeriveGeneric #-}
{-# LANGUAGE DerivingStrategies #-}

-- |
-- Module      : Main
-- Description : Limits on allocation
--
-- Allocation does not depend on the machine or its load, so it is how the tests check performance.
module Main (main) where

import Ashlar.Builder
import Ashlar.Builder.Base64 (encodeBase64)
import Ashlar.Builder.Extra (byteStringInsert)
import Ashlar.Builder.Hex (encodeHex)
import Ashlar.Builder.Varint (intVarint)
import Ashlar.Codec
import Ashlar.Codec.Wrappers (Varint (..))
import Ashlar.Get
import Ashlar.Get.Base64 (decodeBase64)
import Ashlar.Get.Feed (Values (..), feedValues, feedValuesEnd, runGetValues)
import Ashlar.Get.Hex (decodeHex)
import qualified Ashlar.Get.Parse as Parse
import Ashlar.Put (Put, execPut, putWord64le, putWord8)
import Control.Applicative (empty, many, (<|>))
import Control.Exception (evaluate)
import Control.Monad (foldM, forM_, replicateM_, when)
import qualified Data.ByteString as S
import qualified Data.ByteString.Char8 as C
import qualified Data.ByteString.Lazy as L
import Data.Int (Int64)
import qualified Data.List as List
import qualified Data.Map.Strict as Map
import Data.Semigroup (stimes)
import qualified Data.Set as Set
import qualified Data.Text as Text
import qualified Data.Vector as V
import qualified Data.Vector.Unboxed as U
import Data.Word (Word16, Word32, Word64, Word8)
import GHC.Generics (Generic)
import GHC.Stats (gc, gcdetails_live_bytes, getRTSStats, max_mem_in_use_bytes)
import System.IO (IOMode (..), withBinaryFile)
import System.Mem (getAllocationCounter, performMajorGC, setAllocationCounter)
import Test.Tasty hiding (after)
import Test.Tasty.HUnit

data SomeData = SomeData !Int64 !Word8 !Double
  deriving stock (Generic)
  deriving anyclass (Codec)

main :: IO ()
main =
  defaultMain $
    testGroup
      "allocation"
      [ testCase "decode: 40 bytes for each element" decodeElements,
        testCase "decode: values take less than 128 bytes for each byte of input" decodedSizes,
        testCase "encode: only the result" encodeElements,
        testCase "Base64 and hexadecimal: only the result" stringsAsText,
        testCase "a builder in a loop: only a little for each buffer" loopOfWrites,
        testCase "a user's own recursion: nothing for each element" ownRecursion,
        testCase "varints: nothing for each number" varints,
        testCase "one number, strict: 290 bytes" oneNumber,
        testCase "a short response, lazy: 700 bytes" shortResponse,
        testCase "long strict output: twice its bytes, and 96 KiB" longOutput,
        testCase "stimes and mconcat are loops" loopsOfBuilders,
        testCase "puts: what the builders allocate, and a few words" putsAsBuilders,
        testCase "puts in a row need no stack" putsInARow,
        testCase "a sum in Get: nothing for each element" sumOfNumbers,
        testCase "numbers in the monad: nothing" monadic,
        testCase "pushed values: 80 bytes for each, and 4 KiB for each chunk" pushedValues,
        testCase "lazy output that is dropped halfway leaves nothing" droppedHalfWay,
        testCase "lazy output: 128 bytes for each inserted ByteString" insertedRun,
        testCase "lazy output: stops of a deep builder, in proportion" insertedDeep,
        testCase "a strict run: 200 bytes" strictRuns,
        testCase "a strict run of one step: its result" oneStep,
        testCase "a text: its units and six words" textsRead,
        testCase "lookAhead: nothing" lookAheads,
        testCase "an alternative: 64 bytes for one that may fail" alternatives,
        testCase
          "a choice that the next byte decides: nothing, or six words in a traced run"
          decidedByByte,
        testCase "a floating-point number from text: only the number" numbersFromText,
        testCase "what ends with strict input: as before another byte" atTheEnd,
        testCase "a literal: nothing" literals,
        testCase "an error that is not forced: no second run" errorsUnseen,
        testCase
          "memory in use stays constant: lazy output, Handle output, lazy input"
          constantMemory
      ]

-- The bytes that an action allocates when it runs for the second time.
allocated :: IO a -> IO Int
allocated act = do
  _ <- act
  setAllocationCounter 0
  before <- getAllocationCounter
  _ <- act
  after <- getAllocationCounter
  pure (fromIntegral (before - after))

vectorOf :: Int -> V.Vector SomeData
vectorOf n = V.generate n (\i -> SomeData (fromIntegral i) (fromIntegral i) (fromIntegral i))
{-# NOINLINE vectorOf #-}

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
      n <- allocated (evaluate (f x))
      (n >= expected && n < expected + 512) @? show n ++ " bytes for " ++ show expected
    {-# NOINLINE onlyTheResult #-}

-- 32 bytes for the value with its three fields, and 8 for the pointer in the vector. The card table
-- of the array has one more byte for every 128 elements.
decodeElements :: Assertion
decodeElements = do
  few <- elements 1000
  many' <- elements 101000
  let each = fromIntegral (many' - few) / 100000 :: Double
  assertBool (show each) (each >= 40 && each < 40.1)
  where
    elements n = do
      bs <- evaluate (encode (vectorOf n))
      allocated (decoded bs)
    decoded :: S.ByteString -> IO Int
    decoded bs =
      either
        (assertFailure . show)
        (evaluate . V.length)
        (decode bs :: Either DecodeError (V.Vector SomeData))
    {-# NOINLINE decoded #-}

-- The live bytes while the value is held, without the input. Elements of one byte take the most.
decodedSizes :: Assertion
decodedSizes = do
  small "[Word8]" (map fromIntegral numbered :: [Word8])
  small "[Bool]" (map even numbered)
  small "[[Word8]]" (map (\i -> [fromIntegral i]) numbered :: [[Word8]])
  small "[Maybe Word8]" (map (Just . fromIntegral) numbered :: [Maybe Word8])
  small "[Integer]" (map toInteger numbered)
  small
    "Vector (Bool, Word8)"
    ( V.fromList (map (\i -> (even i, fromIntegral i)) numbered) ::
        V.Vector (Bool, Word8)
    )
  small
    "Map Word16 ()"
    ( Map.fromList (map (\i -> (fromIntegral i, ())) numbered) ::
        Map.Map Word16 ()
    )
  small "Set Word16" (Set.fromList (map fromIntegral numbered) :: Set.Set Word16)
  small "[Text]" (map (Text.pack . show) numbered)
  where
    numbered = [1 .. 20000] :: [Int]
    small :: Codec a => String -> a -> Assertion
    small name x = do
      bs <- evaluate (S.copy (encode x))
      before <- live
      y <- either (assertFailure . show) evaluate (decode bs `asTypeOf` Right x)
      after <- live
      -- Holds all values up to here, so that nothing is freed between the two measurements.
      map encode [x, y] @?= [bs, bs]
      let each = fromIntegral (after - before) / fromIntegral (S.length bs) :: Double
      assertBool (name ++ ": " ++ show each) (each > 1 && each < 128)
    live =
      performMajorGC
        >> fmap (\stats -> fromIntegral (gcdetails_live_bytes (gc stats)) :: Int) getRTSStats
    {-# NOINLINE live #-}

-- The result and one per cent.
encodeElements :: Assertion
encodeElements = do
  let n = 10000
  v <- evaluate (vectorOf n)
  bytes <- allocated (encoded v)
  let size' = encodedSize v
  assertBool (show (bytes, size')) (bytes >= size' && bytes <= size' + size' `div` 100)
  where
    encoded :: V.Vector SomeData -> IO S.ByteString
    encoded v = evaluate (encode v)
    {-# NOINLINE encoded #-}

loopOfWrites :: Assertion
loopOfWrites = do
  few <- allocated (run 1000)
  many' <- allocated (run 1001000)
  -- A million elements of 8 bytes, in buffers of 4096.
  assertBool (show (few, many')) (many' - few < 300 * (8000000 `div` 4096))
  where
    run :: Word64 -> IO Int
    run n = toBufferIOWith 4096 (\_ _ -> pure ()) (numbers 0 n)
    {-# NOINLINE run #-}

-- Over a vector whose elements are read where they are written, by a function at top level and by
-- a local one. Their output is the same, and as long as that of 'loopOfWrites'.
ownRecursion :: Assertion
ownRecursion = do
  forM_ [run . atTopLevel, run . locally] $ \f -> do
    few <- allocated (f (U.generate 1000 fromIntegral))
    many' <- allocated (f (U.generate 101000 fromIntegral))
    -- The vectors, and 100,000 elements of 8 bytes in buffers of 4096.
    assertBool (show (few, many')) (many' - few < 4 * 100000 + 300 * (800000 `div` 4096))
  where
    run :: Builder -> IO Int
    run = toBufferIOWith 4096 (\_ _ -> pure ())
    {-# NOINLINE run #-}
    atTopLevel v = elementsFrom v 0
    {-# NOINLINE atTopLevel #-}

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
    atMost each name builder = do
      few <- builder 1000 >>= allocated . run
      many' <- builder 101000 >>= allocated . run
      -- Less than 10 bytes for each, in buffers of 4096.
      assertBool
        (show (name :: String, few, many'))
        (many' - few < each * 100000 + 300 * (1000000 `div` 4096))
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

-- At most so many bytes for each run.
eachAtMost :: Int -> (Int -> Int) -> Assertion
eachAtMost most f = do
  few <- allocated (times 100)
  more <- allocated (times 10100)
  assertBool (show ((more - few) `div` 10000)) (more - few <= most * 10000)
  where
    times :: Int -> IO ()
    times n
      | n == 0 = pure ()
      | otherwise = f n `seq` times (n - 1)
    {-# NOINLINE times #-}

-- The buffers, and the result.
longOutput :: Assertion
longOutput =
  forM_ [10000, 100000, 1000000] $ \n -> do
    bytes <- allocated (evaluate (toStrictByteString (numbers 0 (fromIntegral n `div` 8))))
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

numbers :: Word64 -> Word64 -> Builder
numbers from to
  | from >= to = mempty
  | otherwise = word64LE from <> numbers (from + 1) to
{-# NOINLINE numbers #-}

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

sumOfNumbers :: Assertion
sumOfNumbers = do
  few <- summed 1000
  many' <- summed 101000
  assertBool (show (few, many')) (many' - few < 1000)
  where
    summed n = do
      bs <- evaluate (toStrictByteString (numbers 0 n))
      allocated (evaluate (runGet (total (fromIntegral n) 0) bs))

total :: Int -> Int64 -> Get Int64
total n acc
  | n == 0 = pure acc
  | otherwise = getInt64le >>= \x -> let acc' = acc + x in acc' `seq` total (n - 1) acc'

-- A number with its box takes 16 bytes, what collects it 32, and the list 24.
pushedValues :: Assertion
pushedValues = do
  few <- pushed 10 4096
  longer <- pushed 10 40960
  more <- pushed 100 4096
  let each = (longer - few) `div` (10 * 9 * 512)
      stop = (more - few) `div` 90 - 512 * each
  assertBool (show (each, stop)) (each <= 80 && stop <= 4096)
  where
    pushed n bytes = do
      chunks <- evaluate (replicate n (S.replicate bytes 7))
      allocated (evaluate (added (runGetValues getWord64le) chunks 0))
    added state chunks acc = case chunks of
      bs : more -> case feedValues state bs of
        (ws, next) -> let acc' = List.foldl' (+) acc ws in acc' `seq` added next more acc'
      [] -> case feedValuesEnd state of
        ([], ValuesDone _) -> acc
        _ -> 0 :: Word64
    {-# NOINLINE added #-}

-- Otherwise each of them would leave a buffer of 32 KiB, or a thread.
droppedHalfWay :: Assertion
droppedHalfWay = do
  before <- live
  forM_ [1 .. 1000] $ \i -> do
    n <- evaluate (L.length (L.take 50000 (toLazyByteString (numbers i (i + 100000)))))
    n @?= 50000
  after' <- live
  assertBool (show (before, after')) (after' < before + 100000)
  where
    live = performMajorGC >> gcdetails_live_bytes . gc <$> getRTSStats

-- The compiler finds no box for any of them.
monadic :: Assertion
monadic = do
  few <- running 1000
  many' <- running 101000
  assertBool (show (few, many')) (many' - few < 1000)
  where
    running n = do
      bs <- evaluate (S.replicate (n * 25) 7)
      allocated (evaluate (runGet (loop n 0) bs))
    loop :: Int -> Int64 -> Get Int64
    loop n acc
      | n == 0 = pure acc
      | otherwise = do
        a <- getInt64le
        b <- getWord8
        c <- getInt64be
        d <- getInt64host
        let acc' = acc + a + fromIntegral b + c * d
        acc' `seq` loop (n - 1) acc'

-- With the 'Right' of the result, and what the result itself takes.
strictRuns :: Assertion
strictRuns = do
  runTakes "pure" 200 (runGet (unknown (pure ())))
  runTakes "a label" 200 (runGet (label "all" (pure ())))
  -- The box of the result.
  runTakes "a number" 216 (runGet (unknown getWord64le))
  runTakes "to the end" 216 (runGetWhole (unknown (getWord64le <* getWord64le)))
  where
    unknown :: Get a -> Get a
    unknown g = g
    {-# NOINLINE unknown #-}

-- The value and 'Right', which 'pure' shares.
oneStep :: Assertion
oneStep = do
  runTakes "pure" 0 (runGet (pure ()))
  runTakes "a number" 32 (runGet getWord64le)
  runTakes "two numbers" 72 (runGet ((,) <$> getWord64le <*> getWord64be))
  runTakes "to the end" 32 (runGetWhole (getWord64le <* getWord64le))
  -- The scanner is called by its address: it has a closure.
  runTakes "a token" 112 (runGet (Parse.takeWhile (== 7)))

runTakes :: String -> Int -> (S.ByteString -> Either DecodeError a) -> Assertion
runTakes name most run = do
  bs <- evaluate (S.replicate 16 7)
  few <- allocated (times run bs 100)
  more <- allocated (times run bs 10100)
  assertBool (show (name, (more - few) `div` 10000)) (more - few <= most * 10000)
  where
    times :: (S.ByteString -> Either DecodeError a) -> S.ByteString -> Int -> IO ()
    times f input n
      | n == 0 = pure ()
      | otherwise = f input `seq` times f input (n - 1)
    {-# NOINLINE times #-}

-- 20 ASCII characters, as bytes or as 16-bit words, in whole words.
textsRead :: Assertion
textsRead = do
  few <- texts 100
  more <- texts 10100
  let each = (more - few) `div` 10000
  assertBool (show each) (each == 24 + 48 || each == 40 + 48)
  where
    texts n = do
      bs <- evaluate (S.replicate (20 * n) 97)
      allocated (evaluate (runGet (loop n) bs))
    loop :: Int -> Get ()
    loop n
      | n == 0 = pure ()
      | otherwise = getTextUtf8 20 >>= \t -> t `seq` loop (n - 1)

lookAheads :: Assertion
lookAheads = do
  few <- looked 1000
  many' <- looked 101000
  assertBool (show (few, many')) (many' - few < 1000)
  where
    looked n = do
      bs <- evaluate (toStrictByteString (numbers 0 n))
      allocated (evaluate (runGet (ahead (fromIntegral n) 0) bs))
    ahead :: Int -> Int64 -> Get Int64
    ahead !n !acc
      | n == 0 = pure acc
      | otherwise = lookAhead getInt64le >>= \x -> skip 8 >> ahead (n - 1) (acc + x)

-- Each has two words. Those of many digits take no Integer, unless they are next to halfway.
numbersFromText :: Assertion
numbersFromText = do
  forM_ ["12.5 ", "-0.12345678901234567 ", "1.7976931348623157e-308 ", "4.35e22 "] $ \s -> do
    atMost 16.1 s Parse.double
    atMost 16.1 s Parse.float
  -- Out of line.
  atMost 100 "0.1234567890123456789012345 " Parse.double
  where
    atMost :: Double -> String -> Get a -> Assertion
    atMost most s g = do
      few <- running (C.pack s) g 100
      many' <- running (C.pack s) g 10100
      let each = fromIntegral (many' - few) / 10000
      assertBool (show (s, each)) (each <= most)
    running s g n = do
      bs <- evaluate (stimes n s)
      allocated (evaluate (runGet (loop g n) bs))
    loop :: Get a -> Int -> Get ()
    loop g n
      | n == 0 = pure ()
      | otherwise = g >>= \x -> skip 1 *> (x `seq` loop g (n - 1))
    {-# INLINE loop #-}

-- The slow path for what may go on in the next chunk is not taken.
atTheEnd :: Assertion
atTheEnd = do
  same "12345" (Parse.decimal :: Get Int)
  same "-12345" (Parse.signedDecimal :: Get Int)
  same "12aBf" (Parse.hexadecimal :: Get Int)
  same "1.5" Parse.double
  same "-12.5e10" Parse.double
  same "1.5" Parse.float
  same "token" (Parse.takeWhile (/= 32))
  same "token" (Parse.takeTillByte 32)
  same "12345;" (isolate 5 (Parse.decimal :: Get Int) <* Parse.word8 59)
  where
    same :: String -> Get a -> Assertion
    same s g = do
      before <- run g (C.pack (s ++ " "))
      end <- run g (C.pack s)
      assertBool (show (s, before, end)) (end <= before)
    run g bs = evaluate bs >>= \bs' -> allocated (evaluate (runGet g bs'))
    {-# NOINLINE run #-}

literals :: Assertion
literals = do
  few <- running 1000
  many' <- running 101000
  assertBool (show (few, many')) (many' - few < 1000)
  where
    running n = do
      bs <- evaluate (stimes n word)
      allocated (evaluate (runGet (loop n) bs))
    word = S.pack [97 .. 114]
    loop :: Int -> Get ()
    loop n
      | n == 0 = pure ()
      | otherwise = Parse.bytes word *> loop (n - 1)

-- There is no handler and no choice point. Only a traced run allocates, when the refused byte is
-- farther than all failures before.
decidedByByte :: Assertion
decidedByByte = do
  untraced <- each runGet loop
  assertBool (show untraced) (untraced < 1)
  farther <- each traced loop
  assertBool (show farther) (farther <= 49)
  -- A failure after all of them.
  nearer <- each traced (\n -> (skip (n + 1) *> empty) <|> loop n)
  assertBool (show nearer) (nearer < 1)
  where
    -- Every run on a lazy ByteString is traced.
    traced p bs = runGetLazy p (L.fromStrict bs)
    each :: (Get () -> S.ByteString -> Either DecodeError ()) -> (Int -> Get ()) -> IO Double
    each run f = do
      few <- running run f 1000
      many' <- running run f 101000
      pure (fromIntegral (many' - few) / 100000)
    running run f n = do
      bs <- evaluate (S.replicate (n + 1) 1)
      allocated (evaluate (run (f n) bs))
    loop :: Int -> Get ()
    loop n
      | n == 0 = pure ()
      | otherwise = unwanted *> skip 1 *> loop (n - 1)
    unwanted :: Get [Word64]
    unwanted = many (Parse.word8 2 *> getWord64le)
    {-# NOINLINE unwanted #-}

-- The closures of the handler. Half of the alternatives fail, each farther than the one before. A
-- run that is not traced records nothing of it.
alternatives :: Assertion
alternatives = do
  few <- tried 1000
  many' <- tried 101000
  let each = fromIntegral (many' - few) / 100000 :: Double
  assertBool (show each) (each <= 64)
  where
    tried n = do
      bs <- evaluate (S.pack (take n (cycle [1, 2])))
      allocated (evaluate (runGet (halves n 0) bs))
    halves :: Int -> Int -> Get Int
    halves n acc
      | n == 0 = pure acc
      | otherwise = half >>= \w -> let acc' = acc + fromIntegral w in acc' `seq` halves (n - 1) acc'
    half = (getWord8 >>= \w -> if odd w then pure w else empty) <|> getWord8
    {-# NOINLINE half #-}

errorsUnseen :: Assertion
errorsUnseen = do
  bs <- evaluate (S.replicate 100000 1)
  unseen <- allocated (look (either (const 0) id) bs)
  seen <- allocated (look (either (fromIntegral . errorOffset) id) bs)
  assertBool (show (unseen, seen)) (unseen > 100000 && 10 * seen >= 19 * unseen)
  where
    look :: (Either DecodeError Int -> Int) -> S.ByteString -> IO Int
    look f bs = evaluate (f (runGet ((length <$> many getWord8) <* skip 1) bs))
    {-# NOINLINE look #-}

-- 400 MB through each. The memory of the whole process stays below 64 MB, which is also the limit
-- that the suite runs under.
-- A suspension for each of them would allocate several times as much.
insertedRun :: Assertion
insertedRun = do
  few <- drained 1000
  many' <- drained 101000
  let each = fromIntegral (many' - few) / 100000 :: Double
  assertBool (show each) (each > 0 && each < 128)
  where
    drained n = allocated (evaluate (L.length (toLazyByteString (run n))))
    run :: Int -> Builder
    run n = stimes n (byteStringInsert someBytes)
    {-# NOINLINE run #-}

-- Each stop copies the stack, which has a frame for each ByteString that is to come.
insertedDeep :: Assertion
insertedDeep = do
  few <- drained 1000
  many' <- drained 10000
  assertBool (show (few, many')) (many' < 20 * few)
  where
    drained n = allocated (evaluate (L.length (toLazyByteString (nested n))))
    nested :: Int -> Builder
    nested n = foldl (<>) mempty (replicate n (byteStringInsert someBytes))
    {-# NOINLINE nested #-}

someBytes :: S.ByteString
someBytes = S.replicate 10 1
{-# NOINLINE someBytes #-}

constantMemory :: Assertion
constantMemory = do
  lazyOutput 50000000
  insertedOutput 20000
  handleOutput 50000000
  lazyInput 50000000
  used <- max_mem_in_use_bytes <$> getRTSStats
  assertBool (show used) (used < 64000000)

-- Functions of their own, not inlined. A constant list of chunks would be retained.
lazyOutput, insertedOutput, handleOutput, lazyInput :: Word64 -> Assertion
insertedOutput n = L.length (toLazyByteString (go 0)) @?= 40000 * fromIntegral n
  where
    go i
      | i < n = byteStringInsert (S.replicate 40000 (fromIntegral i)) <> go (i + 1)
      | otherwise = mempty
lazyOutput n = L.length (toLazyByteString (numbers 0 n)) @?= 8 * fromIntegral n
handleOutput n = withBinaryFile "/dev/null" WriteMode $ \h ->
  hPutBuilderLen h (numbers 0 n) >>= (@?= 8 * fromIntegral n)
lazyInput n =
  runGetLazy (total (fromIntegral n) 0) (toLazyByteString (numbers 0 n))
    @?= Right (fromIntegral (n * (n - 1) `div` 2))
{-# NOINLINE lazyOutput #-}
{-# NOINLINE insertedOutput #-}
{-# NOINLINE handleOutput #-}
{-# NOINLINE lazyInput #-}
