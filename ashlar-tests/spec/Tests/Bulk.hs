{-# LANGUAGE OverloadedStrings #-}
{-# LANGUAGE RankNTypes #-}
{-# LANGUAGE ScopedTypeVariables #-}

-- |
-- Module      : Tests.Bulk
-- Description : Strings, texts, nested input and vectors of numbers
module Tests.Bulk (tests) where

import Ashlar.Builder (Builder, toStrictByteString)
import qualified Ashlar.Builder as B
import Ashlar.Get
import Control.Exception (evaluate)
import Control.Monad (forM_)
import Data.Bifunctor (first)
import qualified Data.ByteString as S
import qualified Data.ByteString.Internal as BI
import qualified Data.ByteString.Lazy as L
import qualified Data.ByteString.Short as SBS
import Data.Int (Int16, Int32, Int64, Int8)
import qualified Data.Text as T
import qualified Data.Text.Encoding as T
import qualified Data.Vector as V
import qualified Data.Vector.Generic as G
import qualified Data.Vector.Primitive as P
import qualified Data.Vector.Storable as SV
import qualified Data.Vector.Unboxed as U
import Data.Word (Word16, Word32, Word64, Word8)
import Foreign.ForeignPtr.Unsafe (unsafeForeignPtrToPtr)
import Foreign.Ptr (minusPtr, plusPtr)
import Foreign.Storable (sizeOf)
import GHC.ByteOrder (ByteOrder (..), targetByteOrder)
import System.Timeout (timeout)
import Test.Tasty
import Test.Tasty.HUnit
import Test.Tasty.QuickCheck
import Tests.Scan (agrees, agreesAt, failsAt, inChunksOf)

tests :: TestTree
tests =
  testGroup
    "Get, many bytes at once"
    [ testProperty "strings that a zero byte ends" nulTerminated,
      testProperty "short strings, copies, all that is left" strings,
      testCase "a copy shares no memory" copies,
      testCase "the rest of an infinite input, up to a zero byte" infinite,
      testProperty "text, of any bytes" texts,
      testCase "text: the offset of the error" malformed,
      testProperty "getNested" nested,
      testProperty "vectors of Word8" (vectors (0 :: Word8) (const B.word8)),
      testProperty "vectors of Int8" (vectors (0 :: Int8) (const B.int8)),
      testProperty "vectors of Word16" (vectors (0 :: Word16) (order B.word16LE B.word16BE)),
      testProperty "vectors of Int16" (vectors (0 :: Int16) (order B.int16LE B.int16BE)),
      testProperty "vectors of Word32" (vectors (0 :: Word32) (order B.word32LE B.word32BE)),
      testProperty "vectors of Int32" (vectors (0 :: Int32) (order B.int32LE B.int32BE)),
      testProperty "vectors of Word64" (vectors (0 :: Word64) (order B.word64LE B.word64BE)),
      testProperty "vectors of Int64" (vectors (0 :: Int64) (order B.int64LE B.int64BE)),
      testProperty "vectors of Float" (vectors (0 :: Float) (order B.floatLE B.floatBE)),
      testProperty "vectors of Double" (vectors (0 :: Double) (order B.doubleLE B.doubleBE)),
      testCase "long vectors" longVectors,
      testProperty "getVectorOf" vectorsOf,
      testCase "more elements announced than there are bytes" hostile
    ]

small :: Gen S.ByteString
small =
  choose (0, 9) >>= \n ->
    S.pack <$> vectorOf n (elements [0, 1, 65, 0x80, 0xC3, 0xA4, 0xE2, 0xED, 0xF0])

nulTerminated :: Property
nulTerminated = forAllShrink small (map S.pack . shrink . S.unpack) $ \bs ->
  let (string, rest) = S.break (== 0) bs
      wanted = if S.null rest then Left 0 else Right (string, S.drop 1 rest)
   in agreesAt getByteStringNul bs wanted
        .&&. agreesAt getLazyByteStringNul bs (first L.fromStrict <$> wanted)
        -- The offset of the error is where the string starts.
        .&&. agreesAt
          (isolate 1 (skip 1) *> getByteStringNul)
          ("x" <> bs)
          (either (Left . (+ 1)) Right wanted)

strings :: Int -> Property
strings k = forAll small $ \bs ->
  let n = k `mod` 12 - 1
      wanted = if n < 0 || n > S.length bs then Left 0 else Right (S.splitAt n bs)
   in conjoin
        [ agreesAt (getByteStringCopy n) bs wanted,
          agreesAt (getShortByteString n) bs (first SBS.toShort <$> wanted),
          agrees getRemainingByteString bs (Just (bs, "")),
          agrees getRemainingLazyByteString bs (Just (L.fromStrict bs, "")),
          if n < 0 || n > S.length bs
            then property True
            else agrees (isolate n getRemainingByteString) bs (Just (S.splitAt n bs))
        ]

copies :: Assertion
copies = do
  let bs = S.pack [0 .. 99]
      address (fp, offset, _) = unsafeForeignPtrToPtr fp `plusPtr` offset
      from g = either (assertFailure . show) (pure . address . BI.toForeignPtr) (runGet g bs)
  slice <- from (getByteString 100)
  copy <- from (getByteStringCopy 100)
  (copy `minusPtr` slice < 0 || copy `minusPtr` slice >= 100) @? "a slice"

infinite :: Assertion
infinite = do
  let input = L.fromChunks (S.replicate 10 65 : S.pack [66, 0, 67] : repeat "more")
  runGetLazy ((,) <$> getLazyByteStringNul <*> getWord8) input
    @?= Right (L.replicate 10 65 <> "B", 67)
  runGetLazy ((,) <$> getByteStringNul <*> getWord8) input @?= Right (S.replicate 10 65 <> "B", 67)

texts :: Property
texts = forAll anyBytes $ \bs ->
  let wanted = either (const (Left (validPrefix bs))) (\t -> Right (t, "")) (T.decodeUtf8' bs)
   in agreesAt (getTextUtf8 (S.length bs)) bs wanted
        .&&. agreesAt getRemainingTextUtf8 bs wanted
        .&&. agreesAt
          (skip 2 *> getRemainingTextUtf8)
          ("xx" <> bs)
          (either (Left . (+ 2)) Right wanted)
  where
    anyBytes =
      oneof
        [ small,
          T.encodeUtf8 . T.pack
            <$> (choose (0, 4) >>= \n -> vectorOf n (elements "a\228\8364\x10FFFF\xD7FF\xE000")),
          mixed
        ]
    mixed =
      S.append <$> (T.encodeUtf8 . T.pack <$> vectorOf 2 (elements "a\228\8364\x1F600"))
        <*> (S.take 4 <$> small)

-- The longest prefix that text accepts.
validPrefix :: S.ByteString -> Int64
validPrefix bs =
  fromIntegral
    ( last
        [ n
          | n <- [0 .. S.length bs],
            either (const False) (const True) (T.decodeUtf8' (S.take n bs))
        ]
    )

malformed :: Assertion
malformed = do
  failsAt 0 (runGet (getTextUtf8 (-1)) "")
  forM_ bad $ \(bs, at) -> do
    let long = S.replicate 1000 97 <> bs <> "abc"
    failsAt (1000 + at) (runGet getRemainingTextUtf8 long)
    failsAt (1000 + at) (runGetLazy (getTextUtf8 (S.length long)) (inChunksOf 7 long))
  where
    bad =
      [ ("\x80", 0),
        ("\xC0\x80", 0),
        ("\xC1\xBF", 0),
        ("\xE0\x80\x80", 0),
        ("\xED\xA0\x80", 0),
        ("\xF0\x80\x80\x80", 0),
        ("\xF4\x90\x80\x80", 0),
        ("\xF5\x80\x80\x80", 0),
        ("\xFF", 0),
        ("\xC3\xA4\xC3", 2),
        ("\xE2\x82\xAC\xE2\x82", 3),
        ("\xF0\x9F\x98\x80\xF0\x9F\x98", 4)
      ]

nested :: Word8 -> Property
nested w = forAll small $ \bs ->
  let n = fromIntegral w `mod` 12
      wanted = if n > S.length bs then Nothing else Just (S.splitAt n bs)
      len = fromIntegral <$> getWord8
      input = S.cons (fromIntegral n) bs
   in agrees (getNested len (getByteString n)) input wanted
        .&&. agrees (getNested len getRemainingByteString) input wanted
        .&&. agrees (getNested (negate . (+ 1) <$> len) (pure ())) input Nothing

order :: (a -> Builder) -> (a -> Builder) -> ByteOrder -> a -> Builder
order little big wanted = case wanted of
  LittleEndian -> little
  BigEndian -> big

-- Every kind of vector, in every byte order, has the elements that single decoders read.
vectors ::
  forall a.
  (NumberElement a, Arbitrary a, Show a, Eq a) =>
  a ->
  (ByteOrder -> a -> Builder) ->
  Property
vectors zero build = withMaxSuccess 40 $
  forAll (choose (0, 3) >>= \n -> vectorOf n arbitrary) $ \(xs :: [a]) ->
    conjoin
      [ agrees (allKinds getIt (length xs)) input (Just ((xs, xs, xs, xs), "r"))
          -- With too few bytes, the error is where the last whole element ends.
          .&&. agreesAt
            (G.toList <$> (getIt (length xs + 1) :: Get (U.Vector a)))
            body
            (Left (fromIntegral (S.length body)))
          .&&. agreesAt
            (G.toList <$> (getIt (length xs) :: Get (SV.Vector a)))
            (S.take (S.length body - 1) body)
            (if null xs then Right ([], "") else Left (fromIntegral (S.length body - sizeOf zero)))
        | (which, Getter getIt) <-
            [ (LittleEndian, Getter getVectorLE),
              (BigEndian, Getter getVectorBE),
              (targetByteOrder, Getter getVectorHost)
            ],
          let body = toStrictByteString (foldMap (build which) xs)
              input = body <> "r"
      ]
  where
    allKinds :: (forall v. NumberVector v => Int -> Get (v a)) -> Int -> Get ([a], [a], [a], [a])
    allKinds getIt n =
      (,,,)
        <$> lookAhead (G.toList <$> (getIt n :: Get (V.Vector a)))
        <*> lookAhead (G.toList <$> (getIt n :: Get (U.Vector a)))
        <*> lookAhead (G.toList <$> (getIt n :: Get (SV.Vector a)))
        <*> (G.toList <$> (getIt n :: Get (P.Vector a)))

newtype Getter a = Getter (forall v. NumberVector v => Int -> Get (v a))

-- More bytes than one call copies, in one chunk and in chunks of odd sizes.
longVectors :: Assertion
longVectors = do
  let n = 200000
      xs = U.generate n (\i -> fromIntegral i * 0x0102030405060708) :: U.Vector Word64
      little = toStrictByteString (U.foldr (\x rest -> B.word64LE x <> rest) mempty xs)
      big = toStrictByteString (U.foldr (\x rest -> B.word64BE x <> rest) mempty xs)
  forM_ [S.length little, 32752, 4097, 11] $ \size -> do
    runGetLazy (getVectorLE n) (inChunksOf size little) == Right xs @? "unboxed"
    runGetLazy (getVectorLE n) (inChunksOf size little)
      == Right (G.convert xs :: P.Vector Word64) @? "primitive"
    runGetLazy (getVectorLE n) (inChunksOf size little)
      == Right (G.convert xs :: SV.Vector Word64) @? "storable"
    runGetLazy (getVectorBE n) (inChunksOf size big)
      == Right (G.convert xs :: SV.Vector Word64) @? "storable, big-endian"
  runGet (getVectorLE n) little == Right xs @? "one chunk"
  runGet (getVectorBE n) big == Right xs @? "one chunk, big-endian"

vectorsOf :: [[Word8]] -> Property
vectorsOf wss =
  let strings' = map (S.pack . filter (/= 0)) (take 6 (map (take 3) wss))
      input = foldMap (`S.snoc` 0) strings' <> "x"
   in agrees
        (V.toList <$> getVectorOf (length strings') getByteStringNul)
        input
        (Just (strings', "x"))
        .&&. agrees
          (U.toList <$> getVectorOf (S.length input) getWord8)
          input
          (Just (S.unpack input, ""))
        .&&. agrees (V.toList <$> getVectorOf (-1) getWord8) input Nothing

-- The suite has a heap limit.
hostile :: Assertion
hostile =
  forM_ [maxBound, maxBound - 1, quarter, quarter `div` 2 + 1, 2 ^ (30 :: Int)] $ \n -> do
    atOnce 8 (runGet (getVectorLE n :: Get (U.Vector Word64)) (S.replicate 12 0))
    atOnce 12 (runGet (getVectorBE n :: Get (SV.Vector Word32)) (S.replicate 12 0))
    atOnce 12 (runGet (getVectorHost n :: Get (P.Vector Word8)) (S.replicate 12 0))
    let int16s = getVectorLE n :: Get (P.Vector Int16)
    atOnce 12 (runGetLazy (anyBytes int16s) (inChunksOf 5 (S.replicate 13 0)))
    atOnce 12 (runGet (getVectorOf n getInt32be :: Get (V.Vector Int32)) (S.replicate 13 0))
    atOnce 0 (runGet (getVectorOf n (pure 'a') :: Get (U.Vector Char)) "")
    atOnce 0 (runGet (getTextUtf8 n) "abc")
    atOnce 0 (runGet (getShortByteString n) "abc")
    atOnce 0 (runGet (getByteStringCopy n) "abc")
    failsAt 0 (runGet (getVectorLE (negate n) :: Get (U.Vector Word8)) "abc")
  where
    quarter = maxBound `div` 4 + 1
    anyBytes = withBudget defaultBudget {budgetBytes = Just maxBound}
    atOnce :: Int64 -> Either DecodeError a -> Assertion
    atOnce at r = timeout 120000000 (evaluate r) >>= maybe (assertFailure "too long") (failsAt at)
