{-# LANGUAGE MagicHash #-}

-- |
-- Module      : Tests.Extra
-- Description : Sizes of buffers, copying and inserting, files
module Tests.Extra (tests) where

import Ashlar.Builder
import Ashlar.Builder.Extra
import Ashlar.Internal.Mem.Check (checkedBuild)
import Control.Exception
import Control.Monad (forM_, replicateM_)
import qualified Data.ByteString as S
import qualified Data.ByteString.Builder as B
import qualified Data.ByteString.Builder.Extra as B
import qualified Data.ByteString.Char8 as C
import qualified Data.ByteString.Internal as I
import qualified Data.ByteString.Lazy as L
import Data.IORef
import Data.Word (Word8)
import Foreign (allocaBytes, castPtr)
import GHC.Exts (Int (I#), sizeofMutableByteArray#)
import GHC.ForeignPtr (ForeignPtr (..), ForeignPtrContents (..))
import System.Directory (getTemporaryDirectory, removeFile)
import System.IO (hClose, openBinaryTempFile)
import System.IO.Unsafe (unsafePerformIO)
import Test.Tasty
import Test.Tasty.HUnit
import Test.Tasty.QuickCheck
import Tests.Programs
import Prelude hiding (writeFile)

tests :: TestTree
tests =
  testGroup
    "extra"
    [ testProperty "both strategies, at all sizes" bothStrategies,
      testProperty "safeStrategy: chunks fill half of their memory" halfFull,
      testCase "untrimmedStrategy: chunks share a buffer" sharedBuffer,
      testCase "a copied chunk's place is used again" placeUsedAgain,
      testCase "a short result is not kept in a large buffer" shortResult,
      testCase "the rest is not forced before its turn" lazyRest,
      testProperty "thresholds, against bytestring's" thresholds,
      testCase "copied or shared" copiedOrShared,
      testCase "runBuilder asks again for what it needs" asksAgain,
      testCase
        "sizes of chunks are those of bytestring"
        ((smallChunkSize, defaultChunkSize) @?= (B.smallChunkSize, B.defaultChunkSize)),
      testCase "writeFile" writesFile,
      testProperty "prebuilt: the same bytes" prebuiltBytes,
      testCase "prebuilt: values are computed once" prebuiltOnce,
      testCase "a constant string is computed once" constantOnce,
      testCase "numbers in a builder: at most once in each run" oftenComputed,
      testCase "a condition that chooses a builder" chosen,
      testCase "prebuilt: an exception comes again" prebuiltThrows
    ]

prebuiltBytes :: Program -> Property
prebuiltBytes p = toStrictByteString (b <> b) === S.pack (model p <> model p)
  where
    b = prebuilt (build p)

-- How often 'counted' has been evaluated.
evaluations :: IORef Int
evaluations = unsafePerformIO (newIORef 0)
{-# NOINLINE evaluations #-}

counted :: Int -> Int
counted n = unsafePerformIO (n <$ modifyIORef' evaluations (+ 1))
{-# NOINLINE counted #-}

kept :: Builder
kept = prebuilt (intDec (counted 42) <> char7 '.')
{-# NOINLINE kept #-}

page :: Builder
page = char7 '<' <> kept <> char7 '>'

constantPage :: Builder
constantPage = char7 '<' <> byteString (countedBytes (S.pack [50, 49])) <> char7 '>'

countedBytes :: S.ByteString -> S.ByteString
countedBytes bs = unsafePerformIO (S.reverse bs <$ modifyIORef' evaluations (+ 1))
{-# NOINLINE countedBytes #-}

constantOnce :: Assertion
constantOnce = timesComputed constantPage (C.pack "<12>") >>= (@?= 1)

timesComputed :: Builder -> S.ByteString -> IO Int
timesComputed b bytes = do
  writeIORef evaluations 0
  replicateM_ 3 (toStrictByteString b @?= bytes)
  readIORef evaluations

prebuiltOnce :: Assertion
prebuiltOnce = timesComputed page (C.pack "<42.>") >>= (@?= 1)

oftenComputed :: Assertion
oftenComputed = do
  n <- timesComputed (intDec (counted 7) <> char7 '.') (C.pack "7.")
  assertBool (show n) (n >= 1 && n <= 3)

-- It may not be looked at before the builder runs.
chosen :: Assertion
chosen = do
  toStrictByteString (digits [1, 2]) @?= C.pack "12"
  r <- try (evaluate (toStrictByteString (digits [100, 200])))
  either (\e -> e @?= Overflow) (const (assertFailure "no exception")) r

digits :: [Int] -> Builder
digits ns = if sum ns > 100 then throw Overflow else foldMap intDec ns
{-# NOINLINE digits #-}

prebuiltThrows :: Assertion
prebuiltThrows = replicateM_ 2 $ do
  r <- try (evaluate (toStrictByteString (word8 1 <> broken)))
  either (\e -> e @?= Overflow) (const (assertFailure "no exception")) r
  where
    broken = prebuilt (word8 2 <> word8 (throw Overflow))

bothStrategies :: Program -> Property
bothStrategies p = forAll size $ \m -> forAll size $ \n ->
  let bytes = S.pack (model p)
      run strategy = L.toStrict (toLazyByteStringWith (strategy m n) (L.pack [1, 2, 3]) (build p))
   in run safeStrategy === bytes <> S.pack [1, 2, 3] .&&. run untrimmedStrategy
        === bytes <> S.pack [1, 2, 3]
  where
    size = oneof [choose (-2, 40), choose (40, 5000)]

-- The memory that a ByteString keeps alive.
memoryOf :: S.ByteString -> Int
memoryOf bs = case I.toForeignPtr bs of
  (ForeignPtr _ (PlainPtr memory), _, _) -> I# (sizeofMutableByteArray# memory)
  _ -> maxBound

-- The chunks that are not inserted. Their bytes have other values.
halfFull :: [NonNegative Int] -> Property
halfFull lengths = forAll (choose (1, 3000)) $ \n ->
  let b =
        mconcat
          [ mconcat (replicate k (word8 1))
              <> if even k then flush else byteStringInsert (S.replicate 10 2)
            | NonNegative k <- lengths
          ]
      chunks =
        filter ((== 1) . S.head) (L.toChunks (toLazyByteStringWith (safeStrategy n n) L.empty b))
   in counterexample (show [(S.length c, memoryOf c) | c <- chunks]) $
        conjoin [2 * S.length c >= memoryOf c | c <- chunks]

sharedBuffer :: Assertion
sharedBuffer = do
  let b = mconcat (replicate 100 (word64LE 1 <> flush))
      chunks = L.toChunks (toLazyByteStringWith (untrimmedStrategy 1000 1000) L.empty b)
  map S.length chunks @?= replicate 100 8
  forM_ chunks $ \c -> memoryOf c @?= 1000

-- 100 chunks of 8 bytes come from one buffer of 24 bytes. The rest of the output fills it.
placeUsedAgain :: Assertion
placeUsedAgain = do
  let b =
        mconcat (replicate 100 (word64LE 1 <> flush)) <> mconcat (replicate 24 (word8 2)) <> word8 3
      chunks = L.toChunks (toLazyByteStringWith (safeStrategy 24 1) L.empty b)
  map S.length chunks @?= replicate 100 8 ++ [24, 1]
  forM_ (take 100 chunks) $ \c -> memoryOf c @?= 8

shortResult :: Assertion
shortResult =
  -- The first buffer and the cells, which are larger in a checked build.
  map memoryOf (L.toChunks (toLazyByteString (word64LE 1)))
    @?= [128 + 2 * (if checkedBuild then 16 else 8)]

lazyRest :: Assertion
lazyRest = do
  let lazy =
        toLazyByteStringWith
          (safeStrategy 16 16)
          (throw (userError "rest"))
          (byteString (S.replicate 40 1))
  L.take 40 lazy @?= L.replicate 40 1
  result <- try (evaluate (L.length lazy))
  either
    (\e -> show (e :: IOException) @?= "user error (rest)")
    (const (assertFailure "no exception"))
    result

thresholds :: [[Word8]] -> Property
thresholds xss = forAll (choose (-1, 20)) $ \n ->
  let bss = map S.pack xss
      both name ours theirs =
        counterexample name $
          L.toStrict (toLazyByteStringWith (safeStrategy 7 7) L.empty ours)
            === L.toStrict (B.toLazyByteString theirs)
   in both
        "byteStringThreshold"
        (foldMap (byteStringThreshold n) bss)
        (foldMap (B.byteStringThreshold n) bss)
        .&&. both "byteStringCopy" (foldMap byteStringCopy bss) (foldMap B.byteStringCopy bss)
        .&&. both "byteStringInsert" (foldMap byteStringInsert bss) (foldMap B.byteStringInsert bss)
        .&&. both
          "lazyByteStringThreshold"
          (lazyByteStringThreshold n (L.fromChunks bss))
          (B.lazyByteStringThreshold n (L.fromChunks bss))
        .&&. both
          "lazyByteStringCopy"
          (lazyByteStringCopy (L.fromChunks bss))
          (B.lazyByteStringCopy (L.fromChunks bss))
        .&&. both
          "lazyByteStringInsert"
          (lazyByteStringInsert (L.fromChunks bss))
          (B.lazyByteStringInsert (L.fromChunks bss))

copiedOrShared :: Assertion
copiedOrShared =
  forM_
    [(n, limit) | n <- [1, 5, 8191, 8192, 8193, 20000], limit <- [0, 4, 5, 6, 8191, 8192, 30000]]
    $ \(n, limit) -> do
      let bs = S.replicate n 7
          shares b =
            any (\c -> I.toForeignPtr c == I.toForeignPtr bs) (L.toChunks (toLazyByteString b))
          lazy = L.fromStrict bs
      map shares [byteString bs, lazyByteString lazy] @?= replicate 2 (n >= 8192)
      map shares [byteStringCopy bs, lazyByteStringCopy lazy] @?= replicate 2 False
      map shares [byteStringInsert bs, lazyByteStringInsert lazy] @?= replicate 2 True
      map shares [byteStringThreshold limit bs, lazyByteStringThreshold limit lazy]
        @?= replicate 2 (n > limit)

asksAgain :: Assertion
asksAgain = allocaBytes 8 $ \p -> do
  let go sizes writer = case sizes of
        [] -> assertFailure "not done"
        size : rest -> do
          (n, next) <- writer p size
          case next of
            Done -> (size, n) @?= (8, 8)
            More least writer' -> do
              (n, least) @?= (0, 8)
              go rest writer'
            Chunk _ _ -> assertFailure "a chunk"
  go [3, 0, 5, 7, 8] (runBuilder (word64LE 7))
  out <- S.packCStringLen (castPtr p, 8)
  out @?= S.pack [7, 0, 0, 0, 0, 0, 0, 0]

writesFile :: Assertion
writesFile = do
  dir <- getTemporaryDirectory
  bracket (openBinaryTempFile dir "ashlar" >>= \(path, h) -> path <$ hClose h) removeFile $
    \path -> do
      S.writeFile path (S.replicate 100000 9)
      let b = foldMap word64LE [0 .. 9999] <> stringUtf8 "\n\228"
      writeFile path b
      out <- S.readFile path
      assertBool "contents" (out == toStrictByteString b)
      -- The bytes that were written before the exception.
      result <- try (writeFile path (b <> word8 (throw (userError "value"))))
      either (\e -> show (e :: IOException) @?= "user error (value)") pure result
      prefix <- S.readFile path
      assertBool "prefix" (prefix `S.isPrefixOf` toStrictByteString b)
