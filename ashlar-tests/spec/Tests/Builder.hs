{-# LANGUAGE MagicHash #-}
{-# LANGUAGE OverloadedStrings #-}

-- |
-- Module      : Tests.Builder
-- Description : Builders against a list of bytes, through every sink
module Tests.Builder (tests) where

import Ashlar.Builder
import Ashlar.Builder.Extra
  ( byteStringCopy,
    byteStringInsert,
    flush,
    safeStrategy,
    toLazyByteStringWith,
  )
import Ashlar.Builder.Sink
import Ashlar.Internal.Mem (fillRange)
import Ashlar.Internal.Mem.Check (cellBytes)
import Control.Exception (ErrorCall, bracket, evaluate, try)
import Control.Monad (forM_)
import qualified Data.ByteString as S
import qualified Data.ByteString.Char8 as C
import qualified Data.ByteString.Internal as B
import qualified Data.ByteString.Lazy as L
import qualified Data.ByteString.Short as SBS
import Data.IORef
import Data.List.NonEmpty (NonEmpty (..))
import Data.Semigroup (sconcat, stimes)
import Data.Word (Word8)
import Foreign
  ( Ptr,
    allocaBytes,
    callocBytes,
    castPtr,
    fillBytes,
    free,
    minusPtr,
    peekByteOff,
    plusPtr,
  )
import GHC.Exts (Int (I#), IsList (..), sizeofMutableByteArray#)
import GHC.ForeignPtr (ForeignPtr (..), ForeignPtrContents (..))
import System.IO.Unsafe (unsafePerformIO)
import System.Timeout (timeout)
import Test.Tasty
import Test.Tasty.HUnit
import Test.Tasty.QuickCheck
import Tests.Everywhere (chunksOf, exactly)
import Tests.Programs

tests :: TestTree
tests =
  testGroup
    "Builder"
    [ sinkTests,
      testProperty "ByteStrings of every length" byteStringsOfEveryLength,
      testProperty "copies of more than one foreign call" copiesInSeveralCalls,
      testCase "copies of megabytes" copiesOfMegabytes,
      testCase "a long copy can be interrupted" longCopy,
      testCase "no buffer is written after it was handed out (INV-B3)" notWrittenAgain,
      testCase "a sink that gives too little is refused" sinkRefused,
      testCase "toByteStringIOWith hands on no empty chunk" noEmptyChunk,
      testCase "toByteStringIO: chunks of 32 KiB" chunksOf32KiB,
      testCase "strict output is trimmed" trimmed,
      testProperty "pokeBuilder stops at the end of its memory" pokeOverflow,
      testCase "pokeBuilder of a negative size" pokeNegative,
      testProperty "Show" $ \p ->
        checkSizes (model p) (show (build p) === show (L.pack (model p))),
      testProperty "append is associative, mempty neutral" monoidLaws,
      testProperty "stimes, against the model" $ \(NonNegative n) p ->
        n <= 20 ==> toStrictByteString (stimes (n :: Int) (build p))
          === S.pack (concat (replicate n (model p))),
      testCase "appending forces neither side" forcesNeither,
      testCase "stimes of a negative number" stimesNegative,
      testCase "string and list literals" literals
    ]

-- Every way to run a builder writes the bytes of the model (INV-B4), with buffers of every size
-- from 1 byte up.
sinkTests :: TestTree
sinkTests =
  testGroup
    "sinks, against the model, at every buffer size"
    [ through "toStrictByteString" (\_ b -> toStrictByteString b),
      through "toLazyByteString" (\_ b -> L.toStrict (toLazyByteString b)),
      through "toLazyByteStringWith n n" (\n b -> L.toStrict (lazilyWith n n b)),
      through "toLazyByteStringWith 1 n" (\n b -> L.toStrict (lazilyWith 1 n b)),
      through
        "toByteStringIOWith"
        (\n b -> unsafePerformIO (collected (\put -> toByteStringIOWith n put b))),
      through
        "toBufferIOWith"
        ( \n b ->
            unsafePerformIO
              ( collected
                  (\put -> toBufferIOWith n (\p k -> S.packCStringLen (castPtr p, k) >>= put) b)
              )
        ),
      through "pokeBuilder" (\_ b -> let size = S.length (toStrictByteString b) in poked size b),
      through "a sink of our own" (\n b -> unsafePerformIO (collected (\put -> stutter n put b)))
    ]
  where
    through name run =
      testProperty name $ \p ->
        let expected = S.pack (model p)
         in conjoin
              [ counterexample ("buffer size " ++ show n) (run n (build p) === expected)
                | n <- sizes
              ]
    sizes = [1 .. 20] ++ [31, 32, 33, 63, 64, 65, 127, 128, 129, 4095, 4096, 4097] :: [Int]

collected :: ((S.ByteString -> IO ()) -> IO a) -> IO S.ByteString
collected act = do
  ref <- newIORef []
  _ <- act (\bs -> modifyIORef ref (bs :))
  S.concat . reverse <$> readIORef ref

-- All bytes, in memory of exactly that size.
poked :: Int -> Builder -> S.ByteString
poked size b = unsafePerformIO $
  allocaBytes (max 1 size) $ \p -> do
    n <- pokeBuilder p size b
    S.packCStringLen (castPtr p, n)

-- A sink that grants exactly the request, but at least n bytes. It never grants the rest of a
-- buffer.
stutter :: Int -> (S.ByteString -> IO ()) -> Builder -> IO ()
stutter n put b =
  allocaBytes 4096 $ \buffer -> do
    let taken p = S.packCStringLen (castPtr buffer, p `minusPtr` buffer) >>= put
        sink = Sink $ \request p -> do
          taken p
          case request of
            More least _ -> pure (FreeSpace buffer (buffer `plusPtr` max least (min 4096 n)))
            Insert bs -> put bs >> pure (FreeSpace buffer buffer)
            Flush -> pure (FreeSpace buffer buffer)
    end <- runBuilderWith sink (FreeSpace buffer buffer) b
    taken end

byteStringsOfEveryLength :: Property
byteStringsOfEveryLength = conjoin $ do
  n <- [0 .. 80] ++ [126 .. 130] ++ [4080 .. 4100] ++ [8190 .. 8194]
  let bs = S.pack (take n (iterate (+ 3) 1))
      both = toStrictByteString (word8 9 <> byteString bs <> word8 9)
      expected = S.cons 9 (S.snoc bs 9)
  pure $
    both === expected
      .&&. L.toStrict (lazilyWith 3 5 (word8 9 <> byteString bs <> word8 9)) === expected
      .&&. L.toStrict (toLazyByteString (byteStringCopy bs <> byteStringInsert bs)) === bs <> bs

-- Copies the chunks when they arrive, and compares them with the copies at the end.
notWrittenAgain :: Assertion
notWrittenAgain = do
  ref <- newIORef []
  let big = S.replicate 9000 1
      b = foldMap (\i -> word8 i <> byteString big <> word8 i <> flush) [1 .. 50]
  toByteStringIOWith 64 (\bs -> modifyIORef ref ((bs, S.copy bs) :)) b
  pairs <- readIORef ref
  assertBool "there are chunks" (length pairs >= 100)
  mapM_ (uncurry (@?=)) pairs
  let lazy = L.toChunks (lazilyWith 16 64 b)
      copies = map S.copy lazy
  _ <- evaluate (sum (map S.length copies))
  lazy @?= copies

sinkRefused :: Assertion
sinkRefused = allocaBytes 8 $ \p -> do
  fillBytes p 0x55 8
  let sink = Sink (\_ at -> pure (FreeSpace at (p `plusPtr` 7)))
  result <-
    try (runBuilderWith sink (FreeSpace p (p `plusPtr` 7)) (word64LE 0)) ::
      IO (Either SinkRefused (Ptr Word8))
  either
    (\e -> (refusedNeeded e, refusedGiven e) @?= (8, 7))
    (const (assertFailure "not refused"))
    result
  untouched <- mapM (peekByteOff p) [0 .. 7]
  untouched @?= replicate 8 (0x55 :: Word8)

noEmptyChunk :: Assertion
noEmptyChunk = do
  ref <- newIORef []
  toByteStringIOWith
    4
    (\bs -> modifyIORef ref (S.length bs :))
    (flush <> word8 1 <> flush <> flush <> word32LE 2 <> flush)
  sizes <- readIORef ref
  assertBool (show sizes) (all (> 0) sizes)

-- A call copies 64 KiB. 251 is prime, so bytes at a wrong address differ.
copiesInSeveralCalls :: Property
copiesInSeveralCalls = once . conjoin $ do
  n <- [1984, 1985, 3968, 3969, 5000, 65535, 65536, 65537, 131072, 131073, 200000]
  -- How far the copy is from the original, in a page: Note [Foreign copies].
  before <- [0, 1, 8, 31, 32]
  let bs = varied n
      first = S.replicate before 255
      written = byteStringCopy first <> byteStringCopy bs
  [ exactly written (first <> bs),
    S.concat (chunksOf 300000 written) === first <> bs,
    exactly (byteStringCopy first <> shortByteString (SBS.toShort bs)) (first <> bs)
    ]

-- From 1 MiB on, copies to a little above the source, modulo a page, are made in larger parts.
-- (As a property, all of these strings would be alive at once.)
copiesOfMegabytes :: Assertion
copiesOfMegabytes =
  forM_ [(n, before) | n <- [1048575, 1048576, 2097157], before <- [0, 1, 8, 31, 32]] $
    \(n, before) -> do
      let bs = varied n
          first = S.replicate before 255
          written = byteStringCopy first <> byteStringCopy bs
      assertBool (show (n, before)) (toStrictByteString written == first <> bs)

-- The memory is not touched before it is filled, so filling it takes much longer than a time slice.
longCopy :: Assertion
longCopy = bracket (callocBytes n) free $ \p -> do
  _ <- timeout 1000 (fillRange p 1 n)
  end <- peekByteOff p (n - 1)
  end @?= (0 :: Word8)
  where
    n = 536870912

varied :: Int -> S.ByteString
varied n = S.take n (S.concat (replicate (n `div` 251 + 1) (S.pack [0 .. 250])))

chunksOf32KiB :: Assertion
chunksOf32KiB = do
  ref <- newIORef []
  toByteStringIO
    (\bs -> modifyIORef ref (S.length bs :))
    (foldMap word8 (replicate 40000 7) <> byteString (S.replicate 8192 0))
  sizes <- readIORef ref
  sizes @?= [8192, 40000 - 32768, 32768]

-- At most a quarter of the memory of a strict result is unused, or 144 bytes: a first buffer and
-- the two cells, which are larger in a checked build.
trimmed :: Assertion
trimmed =
  mapM_
    ( \n -> do
        let bs = toStrictByteString (foldMap word8 (replicate n 7))
        S.length bs @?= n
        bs @?= S.replicate n 7
        let memory = memoryOf bs
        assertBool (show (n, memory)) (memory - n <= max (128 + cellBytes 2) (memory `div` 4))
    )
    [ 0,
      1,
      127,
      128,
      129,
      255,
      256,
      257,
      3071,
      3072,
      3073,
      4095,
      4096,
      4097,
      6143,
      6144,
      6145,
      100000
    ]

-- The size of the memory that a ByteString keeps alive.
memoryOf :: S.ByteString -> Int
memoryOf bs = case B.toForeignPtr bs of
  (ForeignPtr _ (PlainPtr memory), _, _) -> I# (sizeofMutableByteArray# memory)
  _ -> maxBound

pokeOverflow :: Program -> Property
pokeOverflow p = forAll (choose (0, S.length expected)) $ \size ->
  size < S.length expected ==> unsafePerformIO $
    allocaBytes (size + 8) $ \memory -> do
      fillBytes memory 0x55 (size + 8)
      result <- try (pokeBuilder memory size (build p)) :: IO (Either BufferOverflow Int)
      written <- S.packCStringLen (castPtr memory, size + 8)
      pure $
        counterexample "no exception" (either (const True) (const False) result)
          .&&. S.drop size written === S.replicate 8 0x55
          .&&. S.take size written === S.take size expected
  where
    expected = S.pack (model p)

pokeNegative :: Assertion
pokeNegative = mapM_ refused [mempty, word8 1, byteStringInsert "1"]
  where
    refused b = do
      result <- allocaBytes 8 (\p -> try (pokeBuilder p (-1) b))
      result @?= Left (BufferOverflow (-1) 0)

monoidLaws :: Program -> Program -> Program -> Property
monoidLaws p q r =
  run ((a <> b) <> c) === run (a <> (b <> c))
    .&&. run (mempty <> a) === run a
    .&&. run (a <> mempty) === run a
    .&&. run (mconcat [a, b, c]) === run (a <> b <> c)
  where
    run = toStrictByteString
    (a, b, c) = (build p, build q, build r)

-- At -O2 rules have removed the empty sides.
forcesNeither :: Assertion
forcesNeither =
  mapM_
    evaluate
    [ mempty <> none,
      none <> mempty,
      mempty <> (none <> mempty),
      (mempty <> none) <> mempty,
      word8 1 <> none,
      none <> word8 1,
      mempty <> none <> word8 1,
      none <> none,
      mconcat [none],
      mconcat [mempty, none, mempty],
      foldMap id [none],
      sconcat (none :| [mempty]),
      mempty <> mconcat [mempty, mempty] <> none
    ]
  where
    none = errorWithoutStackTrace "forced" :: Builder

stimesNegative :: Assertion
stimesNegative = do
  result <-
    try (evaluate (toStrictByteString (stimes (-1 :: Int) (word8 1)))) ::
      IO (Either ErrorCall S.ByteString)
  either (const (pure ())) (const (assertFailure "no exception")) result

literals :: Assertion
literals = do
  toStrictByteString ("abc\0\228\8364\120120" :: Builder)
    @?= C.pack "abc\0" <> "\xC3\xA4\xE2\x82\xAC\xF0\x9D\x94\xB8"
  toStrictByteString (fromList [1, 2, 255]) @?= S.pack [1, 2, 255]

-- Lazy output with buffers of these sizes.
lazilyWith :: Int -> Int -> Builder -> L.ByteString
lazilyWith first next = toLazyByteStringWith (safeStrategy first next) L.empty
