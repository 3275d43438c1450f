-- |
-- Module      : Tests.Prim
-- Description : Primitives and their loops, against bytestring's
module Tests.Prim (tests) where

import Ashlar.Builder
import Ashlar.Builder.Extra (safeStrategy, toLazyByteStringWith)
import qualified Ashlar.Builder.Prim as P
import qualified Ashlar.Builder.Prim.Unsafe as P
import Ashlar.Builder.Sink
import Control.Exception
import Control.Monad (forM_)
import qualified Data.ByteString as S
import qualified Data.ByteString.Builder as B
import qualified Data.ByteString.Builder.Prim as BP
import qualified Data.ByteString.Builder.Prim.Internal as BP
import qualified Data.ByteString.Lazy as L
import Data.IORef
import Data.Int (Int64)
import Data.Word (Word16, Word64, Word8)
import Foreign (Ptr, allocaBytes, castPtr, fillBytes, nullPtr, plusPtr)
import GHC.Float (castWord32ToFloat, castWord64ToDouble)
import System.IO.Unsafe (unsafePerformIO)
import Test.Tasty hiding (after)
import Test.Tasty.HUnit
import Test.Tasty.QuickCheck
import Tests.Guarded (guardedSpaces)

tests :: TestTree
tests =
  testGroup
    "primitives"
    [ binaryTests,
      bounded "charUtf8" character P.charUtf8 BP.charUtf8,
      decimalTests,
      combinatorTests,
      loopTests,
      sizeTests
    ]

binaryTests :: TestTree
binaryTests =
  testGroup
    "binary numbers"
    [ fixed "word8" whole P.word8 BP.word8,
      fixed "int8" whole P.int8 BP.int8,
      fixed "word16LE" whole P.word16LE BP.word16LE,
      fixed "word32LE" whole P.word32LE BP.word32LE,
      fixed "word64LE" whole P.word64LE BP.word64LE,
      fixed "int16LE" whole P.int16LE BP.int16LE,
      fixed "int32LE" whole P.int32LE BP.int32LE,
      fixed "int64LE" whole P.int64LE BP.int64LE,
      fixed "floatLE" float P.floatLE BP.floatLE,
      fixed "doubleLE" double P.doubleLE BP.doubleLE,
      fixed "word16BE" whole P.word16BE BP.word16BE,
      fixed "word32BE" whole P.word32BE BP.word32BE,
      fixed "word64BE" whole P.word64BE BP.word64BE,
      fixed "int16BE" whole P.int16BE BP.int16BE,
      fixed "int32BE" whole P.int32BE BP.int32BE,
      fixed "int64BE" whole P.int64BE BP.int64BE,
      fixed "floatBE" float P.floatBE BP.floatBE,
      fixed "doubleBE" double P.doubleBE BP.doubleBE,
      fixed "wordHost" whole P.wordHost BP.wordHost,
      fixed "word16Host" whole P.word16Host BP.word16Host,
      fixed "word32Host" whole P.word32Host BP.word32Host,
      fixed "word64Host" whole P.word64Host BP.word64Host,
      fixed "intHost" whole P.intHost BP.intHost,
      fixed "int16Host" whole P.int16Host BP.int16Host,
      fixed "int32Host" whole P.int32Host BP.int32Host,
      fixed "int64Host" whole P.int64Host BP.int64Host,
      fixed "floatHost" float P.floatHost BP.floatHost,
      fixed "doubleHost" double P.doubleHost BP.doubleHost
    ]

-- Primitives that bytestring lacks. Their builders are tested against models.
decimalTests :: TestTree
decimalTests =
  testGroup
    "decimals that bytestring has not as primitives"
    [ manyOf "floatDec" float P.floatDec (Right show),
      manyOf "doubleDec" double P.doubleDec (Right show),
      manyOf "floatScientific" float P.floatScientific (Left (formatFloat scientific)),
      manyOf "doubleScientific" double P.doubleScientific (Left (formatDouble scientific)),
      testProperty "word64DecAtLeast" $
        forAll width $ \n ->
          many (whole :: Gen Word64) (P.word64DecAtLeast n) (Right (padded n . show)),
      testProperty "int64DecAtLeast" $
        forAll width $ \n ->
          many whole (P.int64DecAtLeast n) (Right (signed n))
    ]
  where
    -- Below the width, at it, and above it.
    width = oneof [choose (-2, 24), choose (25, 200)]
    padded n s = replicate (n - length s) '0' ++ s
    signed n x
      | x < 0 = '-' : padded (n - 1) (show (negate (toInteger x)))
      | otherwise = padded n (show (x :: Int64))
    manyOf name gen prim expected = testProperty name (many gen prim expected)
    many :: Show a => Gen a -> P.BoundedPrim a -> Either (a -> Builder) (a -> String) -> Property
    many gen prim expected = withMaxSuccess 50 $
      forAll (scale (`div` 2) (listOf gen)) $ \xs ->
        let bytes = toStrictByteString (foldMap (either id (stringUtf8 .) expected) xs)
         in everywhere "primMapListBounded" (P.primMapListBounded prim xs) bytes
              .&&. everywhere "primBounded" (foldMap (P.primBounded prim) xs) bytes

-- The same combination in both libraries.
combinatorTests :: TestTree
combinatorTests =
  testGroup
    "combinators"
    [ fixed
        "pairs"
        (triple whole whole whole)
        (P.word8 P.>*< P.int32BE P.>*< P.word64LE)
        (BP.word8 BP.>*< BP.int32BE BP.>*< BP.word64LE),
      fixed "a function first" whole ((+ 1) P.>$< P.word16BE) ((+ 1) BP.>$< BP.word16BE),
      fixed "emptyF" whole (P.emptyF :: P.FixedPrim Word8) BP.emptyF,
      bounded "emptyB" whole (P.emptyB :: P.BoundedPrim Word8) BP.emptyB,
      bounded
        "pairs of bounded size"
        (triple character whole character)
        (P.charUtf8 P.>*< P.toB P.int8 P.>*< P.charUtf8)
        (BP.charUtf8 BP.>*< BP.toB BP.int8 BP.>*< BP.charUtf8),
      bounded
        "a function first, bounded"
        whole
        (toEnum . fromIntegral P.>$< P.charUtf8)
        (toEnum . (fromIntegral :: Word16 -> Int) BP.>$< BP.charUtf8),
      bounded
        "eitherB"
        (oneof [Left <$> character, Right <$> whole])
        (P.eitherB P.charUtf8 (P.toB P.word64BE))
        (BP.eitherB BP.charUtf8 (BP.toB BP.word64BE)),
      bounded
        "condB"
        character
        (P.condB (> 'z') P.charUtf8 P.emptyB)
        (BP.condB (> 'z') BP.charUtf8 BP.emptyB),
      bounded
        "liftFixedToBounded"
        whole
        (P.liftFixedToBounded P.word32LE)
        (BP.liftFixedToBounded BP.word32LE),
      bounded
        "a byte escaped"
        whole
        ( P.condB
            (< 128)
            (P.liftFixedToBounded P.word8)
            (P.liftFixedToBounded ((\x -> (92, x)) P.>$< P.word8 P.>*< P.word8))
        )
        ( BP.condB
            (< 128)
            (BP.liftFixedToBounded BP.word8)
            (BP.liftFixedToBounded ((\x -> (92, x)) BP.>$< BP.word8 BP.>*< BP.word8))
        )
    ]

-- The bytes of some values, written in every way, through buffers of every size.
fixed :: Show a => String -> Gen a -> P.FixedPrim a -> BP.FixedPrim a -> TestTree
fixed name gen ours theirs =
  testProperty name $
    withMaxSuccess 20 $
      forAll (scale (`div` 2) (listOf gen)) $ \xs ->
        let expected = L.toStrict (B.toLazyByteString (BP.primMapListFixed theirs xs))
         in P.size ours === BP.size theirs
              .&&. everywhere "primFixed" (foldMap (P.primFixed ours) xs) expected
              .&&. everywhere "primMapListFixed" (P.primMapListFixed ours xs) expected
              .&&. everywhere
                "primMapListFixed, fused"
                (P.primMapListFixed ours (map (xs !!) [0 .. length xs - 1]))
                expected
              .&&. everywhere "primUnfoldrFixed" (P.primUnfoldrFixed ours uncons xs) expected
              .&&. everywhere "primMapListBounded" (P.primMapListBounded (P.toB ours) xs) expected

bounded :: Show a => String -> Gen a -> P.BoundedPrim a -> BP.BoundedPrim a -> TestTree
bounded name gen ours theirs =
  testProperty name $
    withMaxSuccess 50 $
      forAll (scale (`div` 2) (listOf gen)) $ \xs ->
        let expected = L.toStrict (B.toLazyByteString (BP.primMapListBounded theirs xs))
         in P.sizeBound ours === BP.sizeBound theirs
              .&&. everywhere "primBounded" (foldMap (P.primBounded ours) xs) expected
              .&&. everywhere "primMapListBounded" (P.primMapListBounded ours xs) expected
              .&&. everywhere
                "primMapListBounded, fused"
                (P.primMapListBounded ours (map (xs !!) [0 .. length xs - 1]))
                expected
              .&&. everywhere "primUnfoldrBounded" (P.primUnfoldrBounded ours uncons xs) expected

uncons :: [a] -> Maybe (a, [a])
uncons [] = Nothing
uncons (x : xs) = Just (x, xs)

-- The builder writes these bytes through buffers of every size, and into memory of exactly that
-- size.
everywhere :: String -> Builder -> S.ByteString -> Property
everywhere name b expected =
  counterexample name $
    conjoin $
      (toStrictByteString b === expected) :
      (exactly (S.length expected) b === expected) :
        [ counterexample ("buffer size " ++ show n) (L.toStrict (lazily n b) === expected)
          | n <- [1 .. 20] ++ [31, 32, 33, 63, 64, 65]
        ]

lazily :: Int -> Builder -> L.ByteString
lazily n = toLazyByteStringWith (safeStrategy n n) L.empty

-- Memory of n bytes. The bytes after it must not change.
exactly :: Int -> Builder -> S.ByteString
exactly n b = unsafePerformIO $
  allocaBytes (n + 16) $ \p -> do
    fillBytes p 0x55 (n + 16)
    written <- pokeBuilder p n b
    after <- S.packCStringLen (castPtr p `plusPtr` n, 16)
    after @?= S.replicate 16 0x55
    S.packCStringLen (castPtr p, written)

loopTests :: TestTree
loopTests =
  testGroup
    "loops"
    [ testGroup
        "bytes of a ByteString, each by a primitive"
        [ mapped
            "primMapByteStringFixed"
            (P.primMapByteStringFixed twice)
            (BP.primMapByteStringFixed twice'),
          mapped
            "primMapByteStringBounded"
            (P.primMapByteStringBounded some)
            (BP.primMapByteStringBounded some'),
          mapped "primMapByteStringFixed emptyF" (P.primMapByteStringFixed P.emptyF) (const mempty),
          mapped
            "primMapByteStringBounded emptyB"
            (P.primMapByteStringBounded P.emptyB)
            (const mempty),
          mappedLazily
            "primMapLazyByteStringFixed"
            (P.primMapLazyByteStringFixed twice)
            (BP.primMapLazyByteStringFixed twice'),
          mappedLazily
            "primMapLazyByteStringBounded"
            (P.primMapLazyByteStringBounded some)
            (BP.primMapLazyByteStringBounded some')
        ],
      testCase "values that need no byte are not forced" notForced,
      testCase "primitives of infinite lists are lazy" infinite,
      testCase "nothing is forced before there is free space for it" onDemand,
      testCase "an exception in an element leaves what is complete" exceptionInElement,
      testCase "300,001 elements by each function for many" manyBytes,
      testCase "sizes that are known are announced" announced
    ]
  where
    twice = (\x -> (x, x + 1)) P.>$< P.word8 P.>*< P.word8
    twice' = (\x -> (x, x + 1)) BP.>$< BP.word8 BP.>*< BP.word8
    -- Zero, one or two bytes.
    some = P.condB (== 0) P.emptyB (P.condB (< 128) (P.toB P.word8) (P.toB twice))
    some' = BP.condB (== 0) BP.emptyB (BP.condB (< 128) (BP.toB BP.word8) (BP.toB twice'))

mapped :: String -> (S.ByteString -> Builder) -> (S.ByteString -> B.Builder) -> TestTree
mapped name ours theirs = testProperty name $ \xs ->
  -- The string does not start at the first byte of its memory.
  let bs = S.drop 1 (S.pack (0 : xs))
      bytes = L.toStrict (B.toLazyByteString (theirs bs))
   in everywhere name (ours bs) bytes
        .&&. conjoin [guardedSpaces n bytes (ours bs) | n <- [1 .. 20]]

mappedLazily :: String -> (L.ByteString -> Builder) -> (L.ByteString -> B.Builder) -> TestTree
mappedLazily name ours theirs = testProperty name $
  forAll (scale (`div` 4) arbitrary) $ \xss ->
    let bs = L.fromChunks (map S.pack xss)
     in everywhere name (ours bs) (L.toStrict (B.toLazyByteString (theirs bs)))

notForced :: Assertion
notForced = do
  toStrictByteString (P.primMapListFixed P.emptyF [undefined, undefined :: Int]) @?= S.empty
  toStrictByteString (P.primMapListBounded P.emptyB (replicate 5 (undefined :: Int))) @?= S.empty
  toStrictByteString
    ( P.primUnfoldrBounded
        P.emptyB
        (\n -> if n > 0 then Just (undefined :: Int, n - 1) else Nothing)
        (9 :: Int)
    )
    @?= S.empty
  toStrictByteString (P.primFixed (P.emptyF P.>*< P.word8) (undefined :: Int, 1)) @?= S.singleton 1

infinite :: Assertion
infinite = do
  let ones = 1 : ones
      first = L.take 300000 . toLazyByteString
      expected = L.replicate 300000 1
  first (P.primMapListFixed P.word8 ones) @?= expected
  first (P.primMapListFixed P.word8 (repeat 1)) @?= expected
  first (P.primMapListBounded (P.toB P.word8) ones) @?= expected
  first (P.primUnfoldrFixed P.word8 (\x -> Just (x, x)) 1) @?= expected
  first (P.primMapLazyByteStringFixed P.word8 (L.cycle (L.replicate 7 1))) @?= expected

-- An element is forced when it is written, and the cells of a list no earlier.
onDemand :: Assertion
onDemand =
  forM_
    [ P.primMapListFixed P.word8,
      P.primMapListBounded (P.toB P.word8),
      foldMap (P.primFixed P.word8)
    ]
    $ \listed -> do
      reached <- newIORef (0 :: Int)
      let mark i = unsafePerformIO (writeIORef reached i >> pure 1)
          cells i = unsafePerformIO (writeIORef reached i >> pure (mark i : cells (i + 1)))
          lazy = lazily 16 (listed (cells 1))
      _ <- evaluate (L.head lazy)
      readIORef reached >>= \n -> assertBool (show n) (n >= 16 && n <= 17)
      _ <- evaluate (L.index lazy 500)
      readIORef reached >>= \n -> assertBool (show n) (n >= 501 && n <= 514)

exceptionInElement :: Assertion
exceptionInElement = do
  let xs = replicate 100 7 ++ throw (userError "element") : replicate 100 7
      builders =
        [ P.primMapListFixed P.word8 xs,
          P.primMapListBounded (P.toB P.word8) xs,
          P.primUnfoldrFixed P.word8 uncons xs,
          P.primMapByteStringFixed
            ((\x -> if x == 8 then throw (userError "element") else x) P.>$< P.word8)
            (S.replicate 100 7 <> S.pack [8, 7])
        ]
  forM_ builders $ \b -> do
    -- With buffers of 16 bytes, 96 bytes have arrived.
    chunks <- newIORef []
    result <- try (toByteStringIOWith 16 (\bs -> modifyIORef chunks (S.copy bs :)) b)
    userErrorOf result
    complete <- S.concat . reverse <$> readIORef chunks
    complete @?= S.replicate 96 7
    let lazy = lazily 16 b
    L.take 96 lazy @?= L.replicate 96 7
    try (evaluate (L.length lazy)) >>= userErrorOf
    try (evaluate (L.length lazy)) >>= userErrorOf

userErrorOf :: Show a => Either IOException a -> Assertion
userErrorOf =
  either
    (\e -> show e @?= "user error (element)")
    (\x -> assertFailure ("no exception, but " ++ show x))

manyBytes :: Assertion
manyBytes = do
  let n = 300001
      numbers = take n (iterate (* 7) 1)
      bs = S.pack (map fromIntegral (numbers :: [Word64]))
      expected = L.toStrict (B.toLazyByteString (BP.primMapListFixed BP.word64LE numbers))
      wide = fromIntegral P.>$< P.word64BE
      expectedWide =
        L.toStrict
          (B.toLazyByteString (BP.primMapByteStringFixed (fromIntegral BP.>$< BP.word64BE) bs))
      both b x = do
        assertBool "strict" (toStrictByteString b == x)
        assertBool "lazy" (toLazyByteString b == L.fromStrict x)
  both (P.primMapListFixed P.word64LE numbers) expected
  both (P.primMapListBounded (P.toB P.word64LE) numbers) expected
  both (P.primMapByteStringFixed wide bs) expectedWide
  both (P.primMapByteStringBounded (P.toB wide) bs) expectedWide

-- The requests that a sink gets when the buffer is full.
announced :: Assertion
announced = do
  let wide = fromIntegral P.>$< P.word64BE :: P.FixedPrim Word8
      firstRequest b = do
        ref <- newIORef Nothing
        let sink = Sink $ \request _ -> do
              case request of
                More n wanted -> writeIORef ref (Just (n, wanted))
                _ -> pure ()
              throwIO (userError "asked")
        _ <-
          try (runBuilderWith sink (FreeSpace nullPtr nullPtr) b) ::
            IO (Either IOException (Ptr Word8))
        readIORef ref
      fifty = S.replicate 50 1
      huge = P.fixedPrim (maxBound `div` 20) (\_ _ -> pure ()) :: P.FixedPrim Word8
  firstRequest (P.primMapByteStringFixed wide fifty) >>= (@?= Just (8, 400))
  firstRequest (P.primMapByteStringBounded (P.toB wide) fifty) >>= (@?= Just (8, 8))
  -- Not the sum, if it does not fit an Int.
  firstRequest (P.primMapByteStringFixed huge fifty)
    >>= (@?= Just (maxBound `div` 20, maxBound `div` 20))

sizeTests :: TestTree
sizeTests =
  testGroup
    "sizes"
    [ testCase "a pair that is too large is refused" $ do
        refused (P.size (anything maxBound P.>*< P.word8))
        refused (P.size (P.word8 P.>*< anything maxBound))
        refused (P.sizeBound (P.toB (anything maxBound) P.>*< P.charUtf8))
        refused (P.size (anything (maxBound `div` 2 + 1) P.>*< anything (maxBound `div` 2 + 1)))
        P.size (anything (maxBound - 1) P.>*< P.word8) @?= maxBound
        result <-
          try
            (evaluate (toStrictByteString (P.primFixed (anything maxBound P.>*< P.word8) ((), 1))))
        either isError (const (assertFailure "written")) result,
      testCase "a negative size is refused" $ do
        refused (P.size (anything (-1)))
        refused (P.sizeBound (P.boundedPrim minBound (\() p -> pure p))),
      localOption (QuickCheckMaxSize 30)
        . testProperty "a list of values, by primitives of several sizes"
        $ \xs ->
          conjoin
            [ everywhere (show n) b bytes
                .&&. conjoin [guardedSpaces (k * n + d) bytes b | k <- [1 .. 9], d <- [-1, 0, 1]]
              | n <- [0, 1, 2, 8, 63, 64, 65, 100],
                let b = P.primMapListFixed (filled n) xs
                    bytes = S.concat (map (S.replicate n) xs)
            ],
      testCase "a primitive of more than a mebibyte" $ do
        let n = 1048576 + 5
            listed = P.primMapListFixed (filled n) [1, 2, 3]
            expected = S.concat (map (S.replicate n) [1, 2, 3])
        forM_
          [ listed,
            foldMap (P.primFixed (filled n)) [1, 2, 3],
            P.primMapByteStringFixed (filled n) (S.pack [1, 2, 3])
          ]
          $ \b -> do
            assertBool "strict" (toStrictByteString b == expected)
            assertBool "lazy" (toLazyByteString b == L.fromStrict expected)
            assertBool "exact" (exactly (3 * n) b == expected)
    ]
  where
    anything n = P.fixedPrim n (\() _ -> pure ())
    filled n = P.fixedPrim n (\x p -> fillBytes p (x :: Word8) n)
    refused n =
      try (evaluate n) >>= either isError (\m -> assertFailure ("not refused: " ++ show m))
    isError :: ErrorCall -> Assertion
    isError _ = pure ()

-- Values, often the least or greatest of their type.
whole :: (Arbitrary a, Bounded a, Num a) => Gen a
whole =
  frequency [(3, arbitrary), (1, elements [minBound, maxBound, 0, 1, minBound + 1, maxBound - 1])]

triple :: Gen a -> Gen b -> Gen c -> Gen (a, (b, c))
triple a b c = (\x y z -> (x, (y, z))) <$> a <*> b <*> c

-- All bit patterns: subnormal numbers, infinities, NaNs with a payload.
float :: Gen Float
float =
  oneof
    [ castWord32ToFloat <$> whole,
      elements
        ( map
            castWord32ToFloat
            [0x80000000, 1, 0x007FFFFF, 0x7F800000, 0xFF800000, 0x7FC00000, 0x7F80BEEF, 0x7F7FFFFF]
        )
    ]

double :: Gen Double
double =
  oneof
    [ castWord64ToDouble <$> whole,
      elements
        ( map
            castWord64ToDouble
            [ 0x8000000000000000,
              1,
              0x000FFFFFFFFFFFFF,
              0x7FF0000000000000,
              0xFFF0000000000000,
              0x7FF8000000000000,
              0x7FF00000DEADBEEF,
              0x7FEFFFFFFFFFFFFF
            ]
        )
    ]

character :: Gen Char
character =
  oneof
    [arbitrary, choose (' ', '~'), elements "\0\x7F\x80\x7FF\x800\xD800\xDFFF\xFFFF\x10000\x10FFFF"]
