{-# LANGUAGE DerivingStrategies #-}
{-# LANGUAGE OverloadedStrings #-}

-- |
-- Module      : Tests.Section
-- Description : Sections with their length before them
module Tests.Section (tests) where

import Ashlar.Builder
import qualified Ashlar.Builder.Prim as Prim
import Ashlar.Builder.Prim.Unsafe
import Ashlar.Builder.Section
import qualified Ashlar.Compat.Varint as C
import qualified Ashlar.Prim.Varint as P
import Control.Concurrent
import Control.Exception (evaluate, throw, try)
import Control.Monad
import Data.Bits (shiftR)
import qualified Data.ByteString as S
import qualified Data.ByteString.Lazy as L
import Data.IORef
import Data.Int (Int8)
import Data.Word (Word16, Word32, Word8)
import Foreign (plusPtr, poke)
import Test.Tasty
import Test.Tasty.HUnit
import Test.Tasty.QuickCheck
import Tests.Everywhere
import Tests.Programs

tests :: TestTree
tests =
  testGroup
    "sections"
    [ testProperty "nested, against the model, everywhere" $ \d ->
        everywhere (document d) (S.pack (bytesOf d)),
      testProperty "nested, in memory of their size" $ \d ->
        exactly (document d) (S.pack (bytesOf d)),
      testCase "bodies of every length around a buffer's end" everyLength,
      testCase "bodies of many buffers" manyBuffers,
      testCase "a flush happens after the section" flushAfter,
      testCase "a large ByteString in a section is not copied" shared,
      testCase "a length that its type does not have" tooLong,
      testCase "at most n bytes" atMost,
      testCase "an infinite body is given up" infiniteBody,
      testCase "an exception in the body" exceptionInside,
      testCase "lazy output stops between sections and goes on" suspended,
      testCase "interrupted at any moment" (interruptedOften (rows 30000) (== rowsModel 30000)),
      testCase "one builder run by two threads at once" twoThreads,
      testCase "a length by the bytes of the part, 200 levels" byBytes
    ]

-- If each level ran the one inside of it twice, this would not end.
byBytes :: Assertion
byBytes = do
  toStrictByteString (levels 200) @?= S.pack (bytesAt 200)
  L.toStrict (toLazyByteString (levels 200)) @?= S.pack (bytesAt 200)
  where
    levels :: Int -> Builder
    levels n
      | n == 0 = word8 7
      | otherwise =
        let bytes = toStrictByteString (levels (n - 1))
         in word32BE (fromIntegral (S.length bytes)) <> byteString bytes
    bytesAt :: Int -> [Word8]
    bytesAt n
      | n == 0 = [7]
      | otherwise =
        let bytes = bytesAt (n - 1)
         in [fromIntegral (length bytes `shiftR` i) | i <- [24, 16, 8, 0]] ++ bytes

-- | Sections within sections, and what is between them.
data Document
  = Part Program
  | Row [Document]
  | Section Prefix Document
  deriving stock (Show)

data Prefix = Fixed32 | Varying | Varint | Prefixed | Within Int
  deriving stock (Show)

instance Arbitrary Document where
  arbitrary = sized go
    where
      go n
        | n <= 1 = Part <$> resize 3 arbitrary
        | otherwise =
          frequency
            [ (1, Part <$> resize (min 10 n) arbitrary),
              (2, Row <$> (choose (0, 4) >>= \k -> vectorOf k (go (n `div` 4)))),
              (4, Section <$> prefix <*> go (n `div` 2))
            ]
      prefix =
        oneof
          [ pure Fixed32,
            pure Varying,
            pure Varint,
            pure Prefixed,
            Within <$> elements [0, 1, 50, 10000]
          ]
  shrink d = case d of
    Part p -> map Part (shrink p)
    Row ds -> ds ++ map Row (shrinkList shrink ds)
    Section p a -> a : map (Section p) (shrink a)

document :: Document -> Builder
document d = case d of
  Part p -> build p
  Row ds -> foldMap document ds
  Section Fixed32 a -> lengthPrefixedFixed word32Prim (document a)
  Section Varying a -> lengthPrefixed (P.varintPrim P.word32Varint) (document a)
  Section Varint a -> lengthPrefixedVarint (document a)
  Section Prefixed a -> lengthPrefixed (P.varintPrim C.prefixVarInt) (document a)
  -- More than the section has.
  Section (Within n) a ->
    lengthPrefixedWithin (n + length (bytesOf a)) (P.varintPrim P.intLEB128) (document a)

bytesOf :: Document -> [Word8]
bytesOf d = case d of
  Part p -> model p
  Row ds -> concatMap bytesOf ds
  Section Fixed32 a -> prefixedBy (\n -> [fromIntegral (n `shiftR` i) | i <- [24, 16, 8, 0]]) a
  Section Varying a -> prefixedBy (varint P.word32Varint) a
  Section Varint a -> prefixedBy (varint P.word64Varint) a
  Section Prefixed a -> prefixedBy (varint C.prefixVarInt) a
  Section (Within _) a -> prefixedBy (varint P.intLEB128) a
  where
    prefixedBy f a = f (length (bytesOf a)) ++ bytesOf a
    -- The formats have tests of their own.
    varint prim n =
      S.unpack (toStrictByteString (Prim.primBounded (P.varintPrim prim) (fromIntegral n)))

word8Prim :: FixedPrim Word8
word8Prim = fixedPrim 1 (flip poke)

word16Prim :: FixedPrim Word16
word16Prim = fixedPrim 2 $ \x p -> do
  poke p (fromIntegral (x `shiftR` 8))
  poke (p `plusPtr` 1) (fromIntegral x :: Word8)

word32Prim :: FixedPrim Word32
word32Prim = fixedPrim 4 $ \x p -> forM_ [0 .. 3] $ \i ->
  poke (p `plusPtr` i) (fromIntegral (x `shiftR` (24 - 8 * i)) :: Word8)

-- At every distance from the end of a buffer, byte by byte and as a whole.
everyLength :: Assertion
everyLength = forM_ [0 .. 140] $ \n -> forM_ [0, 1, 30, 60, 63, 64] $ \before -> do
  let body = S.pack (take n (iterate (+ 7) 3))
      start = S.replicate before 9
      expected = start <> S.pack [fromIntegral n] <> body <> "."
      run b = S.concat (chunksOf 64 (byteString start <> lengthPrefixedFixed word8Prim b <> "."))
  run (byteString body) @?= expected
  run (foldMap word8 (S.unpack body)) @?= expected
  run (build (Inserted body)) @?= expected

manyBuffers :: Assertion
manyBuffers = forM_ [4096, 32768, 200000] $ \n -> do
  let body = foldMap (word8 . fromIntegral) [1 .. n]
      expected =
        S.pack [fromIntegral (n `shiftR` i) | i <- [24, 16, 8, 0]]
          <> S.pack (map fromIntegral [1 .. n :: Int])
  toStrictByteString (lengthPrefixedFixed word32Prim body) @?= expected
  L.toStrict (toLazyByteString (lengthPrefixedFixed word32Prim body)) @?= expected
  S.concat (chunksOf 100 (lengthPrefixedFixed word32Prim body)) @?= expected
  -- In one buffer, where the body moves to its shorter length.
  S.concat (chunksOf 300000 (lengthPrefixedVarint body)) @?= S.pack (groups n) <> S.drop 4 expected
  where
    groups n
      | n < 128 = [fromIntegral n]
      | otherwise = fromIntegral (128 + n `rem` 128) : groups (n `quot` 128)

flushAfter :: Assertion
flushAfter = do
  let flushed = build Flushed
      section = lengthPrefixedFixed word8Prim
  -- In place, and with its second half in another buffer.
  chunksOf 100 ("a" <> section ("b" <> flushed <> "c") <> "d") @?= ["a\2bc", "d"]
  chunksOf 100 ("a" <> section ("b" <> flushed <> section (flushed <> "c") <> "e") <> "d")
    @?= ["a\4b\1ce", "d"]
  let long = S.replicate 190 1
  chunksOf 100 (section (flushed <> byteString long <> flushed) <> "d")
    @?= [S.cons 190 (S.take 99 long), S.drop 99 long, "d"]
  -- Without one, nothing is flushed.
  chunksOf 100 (section "b" <> section "c") @?= ["\1b\1c"]

shared :: Assertion
shared = do
  let big = S.replicate 10000 5
  map S.length (chunksOf 64 ("a" <> lengthPrefixedFixed word32Prim ("b" <> byteString big <> "c")))
    @?= [6, 10000, 1]

tooLong :: Assertion
tooLong = do
  let bytes n = foldMap word8 (replicate n 1)
      word8Section n = lengthPrefixedFixed word8Prim (bytes n)
      int8Section n =
        lengthPrefixedFixed (fixedPrim 1 (\x p -> poke p (fromIntegral (x :: Int8)))) (bytes n)
  S.length (toStrictByteString (word8Section 255)) @?= 256
  refused (word8Section 256) >>= (@?= SectionTooLong 256 255)
  S.length (toStrictByteString (int8Section 127)) @?= 128
  refused (int8Section 128) >>= (@?= SectionTooLong 128 127)
  S.length (toStrictByteString (lengthPrefixedFixed word16Prim (bytes 65535))) @?= 65537
  refused (lengthPrefixedFixed word16Prim (bytes 65536)) >>= (@?= 65535) . sectionLimit
  -- A type with larger numbers than Int, and one without a bound.
  S.length (toStrictByteString (lengthPrefixed (P.varintPrim P.word64Varint) (bytes 300))) @?= 302
  S.length
    ( toStrictByteString
        (lengthPrefixedFixed (fixedPrim 1 (\x p -> poke p (fromInteger x))) (bytes 300))
    )
    @?= 301

-- The exception that ends a run, into a strict ByteString and through small buffers.
refused :: Builder -> IO SectionTooLong
refused b = do
  r <- try (evaluate (toStrictByteString b))
  r' <- try (toByteStringIOWith 16 (\_ -> pure ()) b)
  case (r, r') of
    (Left e, Left e') -> do
      sectionLimit e @?= sectionLimit e'
      pure e
    _ -> assertFailure "no exception"

atMost :: Assertion
atMost = do
  let section n = lengthPrefixedWithin n (P.varintPrim P.intLEB128)
      bytes n = foldMap word8 (replicate n 1)
  forM_ [0, 1, 63, 64, 4096, 5000] $ \n -> do
    toStrictByteString (section n (bytes n))
      @?= toStrictByteString (lengthPrefixed (P.varintPrim P.intLEB128) (bytes n))
    e <- refused (section n (bytes (n + 1)))
    e @?= SectionTooLong (n + 1) n
  refused (section (-1) mempty) >>= (@?= SectionTooLong 0 (-1))
  refused (section minBound mempty) >>= (@?= SectionTooLong 0 minBound)
  -- It does not reserve impossible amounts of memory.
  toStrictByteString (section maxBound "abc") @?= "\3abc"
  -- The type of the primitive also limits the length.
  refused (lengthPrefixedWithin 1000 (toB word8Prim) (bytes 256)) >>= (@?= SectionTooLong 256 255)
  -- It reserves this much in advance, whatever the free space was.
  chunksOf 64 (bytes 50 <> section 60 (bytes 60))
    @?= [S.replicate 50 1, S.cons 60 (S.replicate 60 1)]

infiniteBody :: Assertion
infiniteBody = do
  let ones = word8 1 <> ones
      endless = byteString (S.replicate 9000 1) <> endless
  e <- refused (lengthPrefixedFixed word16Prim ones)
  assertBool (show e) (sectionLength e < 200000)
  e' <- refused (lengthPrefixedFixed word16Prim endless)
  assertBool (show e') (sectionLength e' < 200000)

exceptionInside :: Assertion
exceptionInside = do
  ref <- newIORef []
  let b = "before" <> lengthPrefixedFixed word8Prim ("inside" <> word8 (throw (userError "value")))
  r <-
    try (toByteStringIOWith 8 (\bs -> modifyIORef ref (bs :)) ("12345678" <> b)) ::
      IO (Either IOError ())
  either (\e -> show e @?= "user error (value)") (const (assertFailure "no exception")) r
  -- No byte of the section has been handed out.
  readIORef ref >>= \chunks ->
    assertBool (show chunks) (S.concat (reverse chunks) `S.isPrefixOf` "12345678before")

-- Sections of all lengths up to 300, each with another section inside.
rows :: Int -> Builder
rows n = foldMap row [1 .. n]

row :: Int -> Builder
row i =
  lengthPrefixed (P.varintPrim P.word32Varint) $
    word32LE (fromIntegral i)
      <> lengthPrefixedFixed word16Prim (foldMap word8 (replicate (i `mod` 300) (fromIntegral i)))

rowsModel :: Int -> L.ByteString
rowsModel n = L.fromChunks (map rowModel [1 .. n])

rowModel :: Int -> S.ByteString
rowModel i =
  S.concat
    [ varint (6 + k),
      S.pack [fromIntegral (i `shiftR` s) | s <- [0, 8, 16, 24]],
      S.pack [fromIntegral (k `shiftR` 8), fromIntegral k],
      S.replicate k (fromIntegral i)
    ]
  where
    k = i `mod` 300
    varint x =
      if x < 128
        then S.pack [fromIntegral x]
        else S.pack [fromIntegral (x `mod` 128 + 128), fromIntegral (x `div` 128)]

suspended :: Assertion
suspended = do
  let lazy = toLazyByteString (rows 20000)
  assertBool "many chunks" (length (L.toChunks lazy) > 50)
  assertBool "the bytes" (lazy == rowsModel 20000)
  -- The section is built as a whole, and what follows it only on demand.
  let endless = rows 3000 <> endless
  L.take 600000 (toLazyByteString endless) @?= L.take 600000 (L.cycle (rowsModel 3000))

twoThreads :: Assertion
twoThreads = do
  let b = rows 3000
      expected = L.toStrict (rowsModel 3000)
  dones <- replicateM 2 $ do
    done <- newEmptyMVar
    _ <- forkIO (replicateM 5 (toChunks b) >>= putMVar done)
    pure done
  results <- mapM takeMVar dones
  assertBool "the bytes" (all (all (== expected)) results)
  where
    toChunks b = do
      ref <- newIORef []
      toByteStringIOWith 777 (\bs -> modifyIORef ref (bs :)) b
      S.concat . reverse <$> readIORef ref
