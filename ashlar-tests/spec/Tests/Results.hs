{-# LANGUAGE DerivingStrategies #-}
{-# LANGUAGE OverloadedStrings #-}

-- |
-- Module      : Tests.Results
-- Description : Unpinned results, loops over builders, merging of chunks, pokes
module Tests.Results (tests) where

import Ashlar.Builder
import qualified Ashlar.Builder.Combinators as Builder
import Ashlar.Builder.Extra (defragment, defragmentWith)
import Ashlar.Builder.Prim (primMapListFixed)
import Ashlar.Builder.Prim.Unsafe (storableToF)
import Ashlar.Builder.Sink (FreeSpace (..), Sink (..), runBuilderWith)
import Ashlar.Builder.Unsafe
import Control.Exception
import Control.Monad
import qualified Data.ByteString as S
import qualified Data.ByteString.Internal as B
import qualified Data.ByteString.Lazy as L
import qualified Data.ByteString.Lazy.Internal as L (ByteString (..))
import qualified Data.ByteString.Short as SBS
import Data.IORef (modifyIORef, newIORef, readIORef)
import Data.List (intercalate, isInfixOf)
import Data.Primitive.ByteArray
import Data.Semigroup (stimes)
import Foreign hiding (void, with)
import Foreign.ForeignPtr.Unsafe (unsafeForeignPtrToPtr)
import Numeric.Natural (Natural)
import Test.Tasty
import Test.Tasty.HUnit
import Test.Tasty.QuickCheck
import Tests.Everywhere
import Tests.Programs

tests :: TestTree
tests =
  testGroup
    "results, loops and pokes"
    [ testGroup
        "ShortByteString and ByteArray"
        [ testProperty "the bytes of the model" shortAgainstModel,
          testCase "each size at which something changes" shortSizes,
          testCase "an inserted ByteString" shortInserted
        ],
      testGroup
        "loops"
        [ testProperty "intersperse, unwords, unlines" joined,
          testCase "intersperse, unwords and unlines of infinite lists" infiniteLists,
          testCase "viaShow" $
            toStrictByteString (Builder.viaShow (Just ("\228" :: String), 1.5 :: Double))
              @?= "(Just \"\\228\",1.5)",
          testCase "stimes of numbers of every type" stimesOfEveryType
        ],
      testGroup
        "defragment"
        [ testProperty "against the model" defragmentModel,
          testProperty "properties of the chunks" defragmentChunks,
          testCase "which chunks are joined by default" defragmentDefault,
          testCase "shares large chunks, and single small ones" defragmentShares,
          testCase "forces no more than it must" defragmentLazy,
          testCase "empty chunks are left out" defragmentEmpty
        ],
      testGroup
        "pokes"
        [ testProperty "withPtr" pointer,
          testProperty "atCursor: after each string, and back to the beginning" cursors,
          testCase "withPtr of a negative number, and an address outside" pokedOutside,
          testProperty "storable at every address" storableAnywhere,
          testCase "storable: alignment and padding" storableRecords,
          testProperty "storables and storableToF: several in a row, at every address" storableLists
        ]
    ]

shortAgainstModel :: Program -> Property
shortAgainstModel p =
  SBS.unpack (toShortByteString b) === model p .&&. bytesOf (toByteArray b) === model p
  where
    b = build p

bytesOf :: ByteArray -> [Word8]
bytesOf = foldrByteArray (:) []

shortSizes :: Assertion
shortSizes = forM_ sizes $ \n -> do
  let b = foldMap (word8 . fromIntegral) [1 .. n]
      chunked = foldMap (byteString . S.pack . map fromIntegral) (slices 1000 [1 .. n])
      expected = map fromIntegral [1 .. n]
      array = toByteArray b
  sizeofByteArray array @?= n
  bytesOf array @?= expected
  SBS.unpack (toShortByteString b) @?= expected
  SBS.unpack (toShortByteString chunked) @?= expected
  -- A second run does not change the first result.
  bytesOf (toByteArray b) @?= expected
  bytesOf array @?= expected
  where
    sizes =
      [ 0,
        1,
        2,
        127,
        128,
        129,
        3071,
        3072,
        3073,
        4095,
        4096,
        4097,
        6144,
        8192,
        32767,
        32768,
        32769,
        65536,
        70000,
        200000
      ] ::
        [Int]
    slices k xs = if null xs then [] else take k xs : slices k (drop k xs)

shortInserted :: Assertion
shortInserted = do
  let big = S.replicate 9000 3
  SBS.fromShort (toShortByteString (byteString big)) @?= big
  SBS.fromShort (toShortByteString (word8 1 <> byteString big <> word8 2))
    @?= S.cons 1 (S.snoc big 2)
  -- A full buffer is not the result if a slice of it has been handed out.
  let b =
        foldMap word8 (replicate 5000 1) <> build (Inserted "x") <> foldMap word8 (replicate 2500 2)
  SBS.fromShort (toShortByteString b) @?= S.replicate 5000 1 <> "x" <> S.replicate 2500 2

joined :: Property
joined = forAll (resize 7 ((,) <$> arbitrary <*> arbitrary)) $ \(programs, separator) ->
  let bs = map build (programs :: [Program])
      ms = map model programs
   in conjoin
        [ everywhere
            (Builder.intersperse (build separator) bs)
            (S.pack (intercalate (model separator) ms)),
          everywhere (Builder.unwords bs) (S.intercalate " " (map S.pack ms)),
          everywhere (Builder.unlines bs) (S.concat (map ((`S.snoc` 10) . S.pack) ms))
        ]

infiniteLists :: Assertion
infiniteLists = do
  let start n = L.take n . toLazyByteString
  start 100000 (Builder.intersperse ", " (repeat "x")) @?= L.take 100000 (L.cycle "x, ")
  start 100000 (Builder.unwords (repeat "x")) @?= L.take 100000 (L.cycle "x ")
  start 100000 (Builder.unlines (repeat "x")) @?= L.take 100000 (L.cycle "x\n")

stimesOfEveryType :: Assertion
stimesOfEveryType = do
  let b = word8 1 <> "ab"
      expected n = S.concat (replicate n "\1ab")
  toStrictByteString (stimes (0 :: Integer) b) @?= ""
  toStrictByteString (stimes (3 :: Word8) b) @?= expected 3
  toStrictByteString (stimes (255 :: Word8) b) @?= expected 255
  toStrictByteString (stimes (3 :: Natural) b) @?= expected 3
  toStrictByteString (stimes (100000 :: Int32) b) @?= expected 100000
  L.take 300000 (toLazyByteString (stimes (maxBound :: Word64) b))
    @?= L.fromStrict (expected 100000)
  L.take 300000 (toLazyByteString (stimes (2 ^ (100 :: Int) :: Natural) b))
    @?= L.fromStrict (expected 100000)
  forM_ [stimes (-1 :: Integer) b, stimes (minBound :: Int) b, stimes (-1 :: Int) mempty] $ \b' ->
    do
      r <- try (evaluate (toStrictByteString b')) :: IO (Either ErrorCall S.ByteString)
      either (const (pure ())) (const (assertFailure "no exception")) r

-- Adjacent small chunks are merged, as many as fit.
defragmented :: Int -> Int -> [S.ByteString] -> [S.ByteString]
defragmented least most chunks = case filter (not . S.null) chunks of
  [] -> []
  bs : rest
    | S.length bs >= least -> bs : defragmented least most rest
    | otherwise ->
      let fits n =
            all ((< least) . S.length) (take n rest)
              && S.length bs + sum (map S.length (take n rest)) <= most
          k = length (takeWhile fits [1 .. length rest])
       in S.concat (bs : take k rest) : defragmented least most (drop k rest)

inputs :: Gen ([S.ByteString], Int, Int)
inputs = do
  chunks <- listOf (choose (0, 12) >>= \n -> S.pack <$> vectorOf n arbitrary)
  least <- choose (-1, 14)
  most <- choose (-1, 30)
  pure (chunks, least, most)

defragmentModel :: Property
defragmentModel = forAll inputs $ \(chunks, least, most) ->
  L.toChunks (defragmentWith least most (L.fromChunks chunks)) === defragmented least most chunks

defragmentChunks :: Property
defragmentChunks = forAll inputs $ \(chunks, least, most) ->
  let result = L.toChunks (defragmentWith least most (L.fromChunks chunks))
   in S.concat result === S.concat chunks
        .&&. not (any S.null result)
        .&&. all (\bs -> S.length bs <= most || bs `elem` chunks) result

defragmentDefault :: Assertion
defragmentDefault = do
  let sizes = map S.length . L.toChunks . defragment . L.fromChunks . map (`S.replicate` 1)
  sizes (replicate 3000 16) @?= [32768, 15232]
  sizes [4095, 1, 4096, 1, 1] @?= [4096, 4096, 2]
  sizes [100000, 5, 100000] @?= [100000, 5, 100000]
  sizes [] @?= []

address :: S.ByteString -> (Ptr Word8, Int)
address bs = case B.toForeignPtr bs of (fp, off, n) -> (unsafeForeignPtrToPtr fp `plusPtr` off, n)

defragmentShares :: Assertion
defragmentShares = do
  let big = S.replicate 5000 1
      small = S.replicate 10 2
  map address (L.toChunks (defragment (L.fromChunks [big, small, big])))
    @?= map address [big, small, big]

defragmentLazy :: Assertion
defragmentLazy = do
  let unreached = throw (userError "forced")
      big = S.replicate 5000 1
      small = S.replicate 16 2
      firstOf lbs = case lbs of
        L.Chunk bs _ -> S.length bs
        L.Empty -> 0
  -- A large chunk, or a full one, is there before the chunks after it.
  firstOf (defragment (L.Chunk big unreached)) @?= 5000
  firstOf (defragment (foldr L.Chunk unreached (replicate 2048 small))) @?= 32768
  -- After a small chunk, one more is forced, but no others.
  firstOf (defragment (L.Chunk small (L.Chunk big unreached))) @?= 16
  r <-
    try (evaluate (firstOf (defragment (L.Chunk small unreached)))) ::
      IO (Either IOException Int)
  either (const (pure ())) (const (assertFailure "not reached")) r
  L.take 1000000 (defragment (L.cycle (L.fromStrict small))) @?= L.replicate 1000000 2

-- Empty chunks, which only the constructor can make.
defragmentEmpty :: Assertion
defragmentEmpty = do
  let with = foldr L.Chunk L.Empty
  L.toChunks (defragment (with ["", "", ""])) @?= []
  L.toChunks (defragment (with ["", "a", "", "b", ""])) @?= ["ab"]
  L.toChunks (defragmentWith 1 10 (with ["", "a", "", "b", ""])) @?= ["a", "b"]
  L.toChunks (defragmentWith 0 0 (with ["", "a", "", "b", ""])) @?= ["a", "b"]

pointer :: Property
pointer = forAll ((,) <$> listOf arbitrary <*> choose (0, 300)) $ \(ws, more) ->
  let b = withPtr (length ws + more) (\p -> p `plusPtr` length ws <$ pokeArray p ws)
   in everywhere (word8 1 <> b <> word8 2) (S.pack ([1] ++ ws ++ [2]))

pokedOutside :: Assertion
pokedOutside = do
  let returning d n = withPtr n (\p -> pure (p `plusPtr` d))
      run b = try (evaluate (toStrictByteString (word8 0 <> b <> word8 1)))
  run (returning 0 0) >>= either (\e -> assertFailure (show (e :: SomeException))) (@?= "\0\1")
  run (returning 5 4) >>= (@?= Left (PokedOutside 4 5))
  run (returning (-1) 4) >>= (@?= Left (PokedOutside 4 (-1)))
  run (returning 1 0) >>= (@?= Left (PokedOutside 0 1))
  r <- run (returning 0 (-1))
  case r of
    Left (ErrorCall message) -> assertBool message ("withPtr" `isInfixOf` message)
    Right _ -> assertFailure "no exception"

-- The strings are written twice, the second time in place of the first.
cursors :: [[Word8]] -> Property
cursors strings = ioProperty . allocaBytes (n + 1) $ \start -> do
  ends <- newIORef []
  let noted = atCursor (\q -> q <$ modifyIORef ends (q `minusPtr` start :))
      once' = foldMap (\ws -> foldMap word8 ws <> noted) strings
      back = atCursor (\_ -> pure start)
      sink = Sink (\_ _ -> throwIO (ErrorCall "there is space for all"))
      space = FreeSpace start (start `plusPtr` (n + 1))
  end <- runBuilderWith sink space (once' <> back <> once' <> word8 7)
  bytes <- peekArray (end `minusPtr` start) start
  found <- readIORef ends
  pure (bytes === concat strings ++ [7] .&&. reverse found === sums ++ sums)
  where
    n = length (concat strings)
    sums = drop 1 (scanl (+) 0 (map length strings))

storableAnywhere :: Word16 -> Int32 -> Double -> Property
storableAnywhere x y z = conjoin $ do
  offset <- [0, 1, 3, 4, 7]
  let start = S.replicate offset 9
  pure $
    everywhere
      (byteString start <> storable x <> storable y <> storable z <> storable 'x' <> storable True)
      ( start
          <> toStrictByteString
            (build (Little x) <> wordOf y <> wordOf z <> wordOf 'x' <> wordOf True)
      )
  where
    -- The bytes that 'poke' writes into memory of its own.
    wordOf v = byteString (B.unsafeCreate (sizeOf v) (\p -> poke (castPtr p) v))

-- A C structure with padding in its middle and at its end. Its 'poke' insists on the alignment.
data Record = Record !Word8 !Word64 !Word16
  deriving stock (Eq, Show)

instance Storable Record where
  sizeOf _ = 24
  alignment _ = 8
  peek _ = fail "not needed"
  poke p (Record x y z) = do
    unless (alignPtr p 8 == p) $ fail "not aligned"
    pokeByteOff p 0 x
    pokeByteOff p 8 y
    pokeByteOff p 16 z

-- An alignment that is not a power of two.
newtype Odd = Odd Word8

instance Storable Odd where
  sizeOf _ = 3
  alignment _ = 3
  peek _ = fail "not needed"
  poke p (Odd x) = do
    unless ((p `minusPtr` nullPtr) `mod` 3 == 0) $ fail "not aligned"
    pokeByteOff p 1 x

data Huge = Huge

instance Storable Huge where
  sizeOf _ = maxBound
  alignment _ = 8
  peek _ = fail "not needed"
  poke _ _ = pure ()

storableLists :: [Int32] -> [Double] -> Property
storableLists xs ys = forAll (choose (0, 8)) $ \n ->
  let start = S.replicate n 7
      records = [Record 1 0x0202020202020202 0x0303, Record 4 5 6]
   in everywhere
        ( byteString start
            <> storables xs
            <> storables ys
            <> storables (map Odd [5, 6, 7])
            <> storables records
            <> storables ([] :: [Record])
            <> primMapListFixed storableToF xs
            <> primMapListFixed storableToF (map Odd [5, 6, 7])
            <> primMapListFixed storableToF records
        )
        ( toStrictByteString
            ( byteString start
                <> foldMap storable xs
                <> foldMap storable ys
                <> foldMap (storable . Odd) [5, 6, 7]
                <> foldMap storable records
                <> foldMap storable xs
                <> foldMap (storable . Odd) [5, 6, 7]
                <> foldMap storable records
            )
        )

storableRecords :: Assertion
storableRecords = do
  let record = storable (Record 1 0x0202020202020202 0x0303)
      bytes = S.pack ([1] ++ replicate 7 0 ++ replicate 8 2 ++ replicate 2 3 ++ replicate 6 0)
  forM_ [0 .. 17] $ \offset -> do
    let start = S.replicate offset 0xFF
    forM_ [1, 24, 25, 32, 100] $ \size' -> do
      -- The bytes that the memory held before must not show in the padding.
      S.concat (chunksOf size' (byteString start <> record <> storable (Odd 5) <> record))
        @?= start <> bytes <> S.pack [0, 5, 0] <> bytes
      S.concat (chunksOf size' (byteString start <> storable () <> storable (Odd 5)))
        @?= start <> S.pack [0, 5, 0]
  r <- try (evaluate (toStrictByteString (storable Huge))) :: IO (Either ErrorCall S.ByteString)
  either (const (pure ())) (const (assertFailure "no exception")) r
