{-# LANGUAGE OverloadedStrings #-}

-- |
-- Module      : Tests.Http
-- Description : HTTP's chunked transfer coding
module Tests.Http (tests) where

import Ashlar.Builder
import Ashlar.Builder.Http
import Ashlar.Builder.Sink
import Control.Exception (throw, try)
import Control.Monad
import qualified Data.ByteString as S
import qualified Data.ByteString.Char8 as C
import qualified Data.ByteString.Lazy as L
import Data.Char (digitToInt, intToDigit)
import Data.IORef
import Data.Word (Word64)
import Foreign (allocaBytes, castPtr, minusPtr, plusPtr)
import System.IO.Unsafe (unsafePerformIO)
import Test.Tasty
import Test.Tasty.HUnit
import Test.Tasty.QuickCheck
import Tests.Everywhere
import Tests.Programs

tests :: TestTree
tests =
  testGroup
    "chunked transfer coding"
    [ testProperty "a recipient reads what was sent, everywhere" (withMaxSuccess 40 readBack),
      testProperty "through a sink that gives only what it must" stingy,
      testProperty "in memory of its size" inMemory,
      testCase "the bytes of small messages" smallMessages,
      testCase "bodies of every length up to 600" everyLength,
      testCase "large bodies in few chunks" fewChunks,
      testCase "a flush ends the chunk and flushes" flushes,
      testCase "an inserted ByteString is a chunk and is not copied" inserted,
      testCase "an infinite body" infinite,
      testCase "an exception in the body" exceptionInside,
      testCase "interrupted at any moment" interrupted,
      testCase "twice at once" twice
    ]

-- The chunks of a coded body, by the grammar of RFC 9112, section 7.1, in its strictest form: no
-- empty chunk, no leading zeros, nothing after the last chunk.
decoded :: S.ByteString -> Either String [S.ByteString]
decoded input
  | S.null input = Right []
  | otherwise = do
    let (digits, rest) = C.span (`elem` ("0123456789abcdef" :: String)) input
        n = C.foldl' (\acc d -> 16 * acc + digitToInt d) 0 digits
    unless (not (S.null digits) && C.head digits /= '0') $ Left ("chunk size " ++ show digits)
    rest' <- lineEnd rest
    let (body, rest'') = S.splitAt n rest'
    unless (S.length body == n) $ Left "too short"
    (body :) <$> (lineEnd rest'' >>= decoded)
  where
    lineEnd bs =
      maybe (Left ("no line end: " ++ show (S.take 10 bs))) Right (S.stripPrefix "\r\n" bs)

readBack :: Program -> Property
readBack p = everyRun (chunkedTransferEncoding (build p)) $ \sent ->
  (S.concat <$> decoded sent) === Right (S.pack (model p))

-- A sink that always grants exactly the bytes of the request.
stingy :: Program -> Property
stingy p = (S.concat <$> decoded (unsafePerformIO run)) === Right (S.pack (model p))
  where
    run = allocaBytes 1024 $ \buffer -> do
      ref <- newIORef []
      let taken q =
            S.packCStringLen (castPtr buffer, q `minusPtr` buffer) >>= \bs -> modifyIORef ref (bs :)
          sink = Sink $ \request q -> do
            taken q
            case request of
              More n _ ->
                if n > 1024
                  then fail "too much"
                  else pure (FreeSpace buffer (buffer `plusPtr` n))
              Insert bs -> FreeSpace buffer buffer <$ modifyIORef ref (bs :)
              Flush -> pure (FreeSpace buffer buffer)
      runBuilderWith sink (FreeSpace buffer buffer) (chunkedTransferEncoding (build p)) >>= taken
      S.concat . reverse <$> readIORef ref

-- The chunks depend on the memory, so some of it may stay unused.
inMemory :: Program -> Property
inMemory p = unsafePerformIO $
  allocaBytes size $ \memory -> do
    n <- pokeBuilder memory size (chunkedTransferEncoding (build p))
    sent <- S.packCStringLen (castPtr memory, n)
    pure ((S.concat <$> decoded sent) === Right (S.pack (model p)))
  where
    -- Enough for chunks of one byte.
    size = 64 + 20 * length (model p)

smallMessages :: Assertion
smallMessages = do
  let coded b = toStrictByteString (chunkedTransferEncoding b <> chunkedTransferTerminator)
  coded mempty @?= "0\r\n\r\n"
  coded (byteString "") @?= "0\r\n\r\n"
  coded "Hello" @?= "5\r\nHello\r\n0\r\n\r\n"
  coded (build Flushed <> "Hello" <> build Flushed <> build Flushed) @?= "5\r\nHello\r\n0\r\n\r\n"
  coded (byteString (C.replicate 26 'x')) @?= "1a\r\n" <> C.replicate 26 'x' <> "\r\n0\r\n\r\n"
  coded (byteString (S.replicate 8192 1)) @?= "2000\r\n" <> S.replicate 8192 1 <> "\r\n0\r\n\r\n"
  -- Coded twice.
  toStrictByteString
    (chunkedTransferEncoding (chunkedTransferEncoding "abc" <> chunkedTransferTerminator))
    @?= "d\r\n3\r\nabc\r\n0\r\n\r\n\r\n"

everyLength :: Assertion
everyLength = forM_ [0 .. 600] $ \n -> do
  let body = C.pack (take n (cycle (map intToDigit [0 .. 15])))
  forM_ [1, 64, 100, 1000] $ \size -> do
    let one = S.concat (chunksOf size (chunkedTransferEncoding (byteString body)))
        bytewise =
          S.concat (chunksOf size (chunkedTransferEncoding (foldMap word8 (S.unpack body))))
    (S.concat <$> decoded one) @?= Right body
    (S.concat <$> decoded bytewise) @?= Right body

fewChunks :: Assertion
fewChunks = do
  -- One for each buffer: the first, one of 4 KiB, and 25.
  let sent = L.toStrict (toLazyByteString (chunkedTransferEncoding (numbers 0 100000)))
  chunks <- either assertFailure pure (decoded sent)
  S.concat chunks @?= toStrictByteString (numbers 0 100000)
  assertBool (show (map S.length chunks)) (length chunks <= 27)

numbers :: Word64 -> Word64 -> Builder
numbers from to
  | from >= to = mempty
  | otherwise = word64LE from <> numbers (from + 1) to
{-# NOINLINE numbers #-}

flushes :: Assertion
flushes =
  chunksOf
    200
    ( "head"
        <> chunkedTransferEncoding
          ("a" <> build Flushed <> build Flushed <> "bc" <> build Flushed <> "d")
        <> "tail"
    )
    @?= ["head1\r\na\r\n", "2\r\nbc\r\n", "1\r\nd\r\ntail"]

inserted :: Assertion
inserted = do
  let big = S.replicate 10000 7
      chunks = chunksOf 200 (chunkedTransferEncoding ("a" <> byteString big <> "b"))
  chunks @?= ["1\r\na\r\n2710\r\n", big, "\r\n1\r\nb\r\n"]

infinite :: Assertion
infinite = do
  let ones = word8 1 <> ones
      big = byteString (S.replicate 20000 1) <> big
  forM_ [ones, big] $ \body -> do
    let start = L.toStrict (L.take 1000000 (toLazyByteString (chunkedTransferEncoding body)))
    -- The last chunk is cut off.
    length (S.elemIndices 1 start)
      `seq` assertBool "mostly body" (length (S.elemIndices 1 start) > 990000)

exceptionInside :: Assertion
exceptionInside = do
  ref <- newIORef []
  let body = "first" <> build Flushed <> "second" <> word8 (throw (userError "value"))
  r <-
    try (toByteStringIOWith 100 (\bs -> modifyIORef ref (bs :)) (chunkedTransferEncoding body)) ::
      IO (Either IOError ())
  either (\e -> show e @?= "user error (value)") (const (assertFailure "no exception")) r
  readIORef ref >>= (@?= ["5\r\nfirst\r\n"])

interrupted :: Assertion
interrupted =
  interruptedOften
    (chunkedTransferEncoding (numbers 0 300000))
    (bodyOf300000 . decoded . L.toStrict)
  where
    bodyOf300000 chunks = (S.concat <$> chunks) == Right (toStrictByteString (numbers 0 300000))

-- The chunks of two runs that take turns.
twice :: Assertion
twice = do
  let b = chunkedTransferEncoding (numbers 0 20000)
      one = toLazyByteString b
      two = toLazyByteString b
  forM_ (zip (L.toChunks one) (L.toChunks two)) $ \(x, y) ->
    assertBool "not empty" (S.length x > 0 && S.length y > 0)
  forM_ [one, two] $ \sent ->
    (S.concat <$> decoded (L.toStrict sent)) @?= Right (toStrictByteString (numbers 0 20000))
