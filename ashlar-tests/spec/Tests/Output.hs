{-# LANGUAGE OverloadedStrings #-}

-- |
-- Module      : Tests.Output
-- Description : Sizes through every way to run a builder; Handles in every state
module Tests.Output (tests) where

import Ashlar.Builder
import Ashlar.Builder.Extra (flush, toLazyByteStringWith, untrimmedStrategy)
import Ashlar.Builder.Prim (primBounded)
import Ashlar.Builder.Prim.Unsafe (boundedPrim)
import Ashlar.Builder.Section (lengthPrefixedWithin)
import Control.Exception
import Control.Monad
import qualified Data.ByteString as S
import qualified Data.ByteString.Builder as B (Builder, hPutBuilder)
import qualified Data.ByteString.Builder.Extra as B (flush)
import qualified Data.ByteString.Lazy as L
import qualified Data.ByteString.Unsafe as S
import Data.IORef
import Data.Semigroup (stimes)
import Data.Word (Word64, Word8)
import Foreign (allocaBytes, castPtr, fillBytes, minusPtr, peekByteOff, plusPtr, poke, pokeByteOff)
import System.Directory (getFileSize, getTemporaryDirectory, removeFile)
import System.IO
import System.IO.Error (isFullError, isIllegalOperation, isResourceVanishedError)
import System.Process (createPipe)
import System.Timeout (timeout)
import Test.Tasty hiding (after)
import Test.Tasty.HUnit
import Tests.Loop

tests :: TestTree
tests =
  testGroup
    "output"
    [ testGroup
        "sizes around every threshold, counted"
        [testCase name (sizes run) | (name, run) <- ways],
      testCase "buffers of no size, or less" noSize,
      testCase "sizes that overflow are not merged" overflowing,
      testCase "a very long row of nothing can be interrupted" longNothing,
      testCase "small chunks between inserted ones share a buffer" sharedBuffer,
      testGroup
        "a Handle with an encoding"
        [testCase (show encoding) (encoded encoding) | encoding <- [latin1, utf8, utf16, utf32]],
      testGroup
        "a Handle's buffering"
        [ testCase (show mode) (buffered mode)
          | mode <- [NoBuffering, LineBuffering, BlockBuffering Nothing, BlockBuffering (Just 10)]
        ],
      testGroup
        "no bytes to a Handle: what was written before is flushed as by bytestring"
        [ testCase (show mode) (mapM_ (noBytes mode) [(mempty, mempty), (flush, B.flush)])
          | mode <- [NoBuffering, LineBuffering, BlockBuffering Nothing]
        ],
      testGroup
        "no bytes to a Handle: what an interrupted write left is flushed as by bytestring"
        [ testCase (show mode) (afterInterruption mode)
          | mode <- [NoBuffering, LineBuffering, BlockBuffering Nothing]
        ],
      testCase "a closed Handle" closed,
      testCase "a Handle for reading" readOnly,
      testCase "a full disk" full,
      testCase "a pipe that nobody reads" brokenPipe,
      testCase "a value that throws: what comes before it is written" written
    ]

-- Each way to run a builder, with the number of bytes that it reports.
ways :: [(String, Builder -> IO (Int, S.ByteString))]
ways =
  [ ("toStrictByteString", \b -> let bs = toStrictByteString b in pure (S.length bs, bs)),
    ( "toLazyByteString",
      \b -> let bs = toLazyByteString b in pure (fromIntegral (L.length bs), L.toStrict bs)
    ),
    ("toByteStringIOWith 4096", chunksOf 4096),
    ("toByteStringIOWith 32768", chunksOf 32768),
    ("toBufferIOWith 4096", buffersOf 4096),
    ("toBufferIOWith 8192", buffersOf 8192),
    ("hPutBuilderLen", \b -> inFile (`hPutBuilderLen` b)),
    ("pokeBuilder", poked)
  ]
  where
    chunksOf n b = do
      bs <- collected (\put -> toByteStringIOWith n put b)
      pure (S.length (snd bs), snd bs)
    buffersOf n b =
      collected (\put -> toBufferIOWith n (\p k -> S.packCStringLen (castPtr p, k) >>= put) b)
    -- Memory of exactly that size, between two bytes that must not change.
    poked b = do
      let size = S.length (toStrictByteString b)
      allocaBytes (size + 2) $ \p -> do
        pokeByteOff p 0 (0x55 :: Word8)
        pokeByteOff p (size + 1) (0x55 :: Word8)
        n <- pokeBuilder (p `plusPtr` 1) size b
        guards <- mapM (peekByteOff p) [0, size + 1]
        guards @?= [0x55, 0x55 :: Word8]
        bs <- S.packCStringLen (castPtr p `plusPtr` 1, size)
        pure (n, bs)

collected :: ((S.ByteString -> IO ()) -> IO a) -> IO (a, S.ByteString)
collected act = do
  ref <- newIORef []
  a <- act (\bs -> modifyIORef ref (bs :))
  bs <- S.concat . reverse <$> readIORef ref
  pure (a, bs)

-- The result of an action on a file, and the contents of the file.
inFile :: (Handle -> IO a) -> IO (a, S.ByteString)
inFile act = do
  dir <- getTemporaryDirectory
  bracket (openBinaryTempFile dir "ashlar") (\(path, h) -> hClose h >> removeFile path) $
    \(path, h) -> do
      a <- act h
      hClose h
      bs <- S.readFile path
      pure (a, bs)

sizes :: (Builder -> IO (Int, S.ByteString)) -> Assertion
sizes run = forEach [n + d | n <- [128, 4096, 8192, 32768, 1048576], d <- [-1, 0, 1]] $ \n -> do
  let bs = S.take n (S.concat (replicate (n `div` 251 + 1) (S.pack [0 .. 250])))
      halves = S.splitAt (n `div` 2) bs
      builders =
        [ ("one ByteString", byteString bs),
          ("two", byteString (fst halves) <> byteString (snd halves)),
          ("a byte before", word8 (S.head bs) <> byteString (S.tail bs)),
          ("a byte after", byteString (S.init bs) <> word8 (S.last bs)),
          ("chunks of 1000", lazyByteString (L.fromChunks (cut 1000 bs))),
          ("bytes", foldMap word8 (S.unpack bs)),
          ("a string", stringUtf8 (map (toEnum . (`mod` 128) . fromIntegral) (S.unpack bs)))
        ]
  forM_ (if n > 100000 then take 5 builders else builders) $ \(name, b) -> do
    (count, out) <- run b
    count @?= n
    assertBool
      (name ++ " of " ++ show n)
      (out == if name == "a string" then S.map (`mod` 128) bs else bs)

cut :: Int -> S.ByteString -> [S.ByteString]
cut n bs
  | S.null bs = []
  | otherwise = S.take n bs : cut n (S.drop n bs)

noSize :: Assertion
noSize = forM_ [0, -1, minBound] $ \n -> do
  let b = word64LE 1 <> byteString "abc" <> byteString (S.replicate 9000 1) <> word8 2
      right = toStrictByteString b
  (_, chunks) <- collected (\put -> toByteStringIOWith n put b)
  chunks @?= right
  (count, parts) <-
    collected (\put -> toBufferIOWith n (\p k -> S.packCStringLen (castPtr p, k) >>= put) b)
  (count, parts) @?= (S.length right, right)

-- A reservation of almost the whole memory, next to another one. It is refused, and nothing is
-- written past the end.
overflowing :: Assertion
overflowing = forM_
  [ word8 1 <> huge,
    huge <> word8 1,
    word8 1 <> huge <> word8 2,
    lengthPrefixedWithin 10 hugePrim mempty
  ]
  $ \b ->
    allocaBytes 16 $ \p -> do
      fillBytes p 0x55 16
      result <- try (pokeBuilder p 1 b) :: IO (Either SomeException Int)
      assertBool "no exception" (either (const True) (const False) result)
      after <- mapM (peekByteOff p) [1 .. 15]
      after @?= replicate 15 (0x55 :: Word8)
  where
    huge = primBounded hugePrim 7
    hugePrim =
      boundedPrim
        maxBound
        (\x p -> poke p (fromIntegral (x :: Word64) :: Word8) >> pure (p `plusPtr` 1))

longNothing :: Assertion
longNothing = do
  let many = 10 ^ (15 :: Int) :: Integer
  result <- timeout 20000 (evaluate (toStrictByteString (stimes many mempty)))
  result @?= Nothing

-- After an inserted ByteString, the rest of the open buffer is still used.
sharedBuffer :: Assertion
sharedBuffer = do
  let big = S.replicate 8192 5
      b = mconcat (replicate 100 (word8 1 <> byteString big))
  ref <- newIORef []
  toByteStringIOWith 4096 (\bs -> modifyIORef ref (bs :)) b
  chunks <- readIORef ref
  forM_ [chunks, L.toChunks (toLazyByteStringWith (untrimmedStrategy 4096 32768) L.empty b)] $
    \bss -> do
      length bss @?= 200
      let single = filter ((== 1) . S.length) bss
      starts <- forM single (\bs -> S.unsafeUseAsCString bs pure)
      length starts @?= 100
      assertBool "in one buffer" (maximum starts `minusPtr` minimum starts < 4096)
      -- All chunks are alive until here.
      sum (map S.length single) @?= 100

-- 'hPutBuf' and 'hPutBuilder', between strings, write the same file.
encoded :: TextEncoding -> Assertion
encoded encoding = do
  (_, one) <- inFile (around (\h -> S.useAsCStringLen raw (uncurry (hPutBuf h))))
  (_, other) <- inFile (around (\h -> hPutBuilder h (byteString raw)))
  other @?= one
  assertBool "the bytes are there" (raw `S.isInfixOf` other)
  where
    raw = S.pack [0xFF, 10, 13, 0, 0xC3]
    around :: (Handle -> IO ()) -> Handle -> IO ()
    around act h = do
      hSetEncoding h encoding
      hSetNewlineMode h (NewlineMode CRLF CRLF)
      hPutStr h "\228\n"
      act h
      hPutStr h "\246\n"
      act h

buffered :: BufferMode -> Assertion
buffered mode = do
  (_, out) <- inFile $ \h -> do
    hSetBuffering h mode
    forM_ [1 .. 20] $ \i -> do
      hPutStr h "a"
      hPutBuilder h (word8 i <> byteString (S.replicate (fromIntegral i * 400) i))
      S.hPut h "b"
  out @?= S.concat ["a" <> S.cons i (S.replicate (fromIntegral i * 400) i) <> "b" | i <- [1 .. 20]]

noBytes :: BufferMode -> (Builder, B.Builder) -> Assertion
noBytes mode (ours, theirs) = do
  mine <- flushedBy (`hPutBuilder` ours)
  his <- flushedBy (`B.hPutBuilder` theirs)
  mine @?= his
  where
    flushedBy :: (Handle -> IO ()) -> IO Integer
    flushedBy put = do
      folder <- getTemporaryDirectory
      let remove (path, h) = hClose h >> removeFile path
      bracket (openBinaryTempFile folder "ashlar") remove $ \(path, h) -> do
        hSetBuffering h mode
        hPutStr h "prompt"
        put h
        getFileSize path

-- A write of three bytes to a full pipe is interrupted. Do they arrive once there is room?
afterInterruption :: BufferMode -> Assertion
afterInterruption mode = do
  mine <- arrived (`hPutBuilder` mempty)
  his <- arrived (`B.hPutBuilder` mempty)
  mine @?= his
  where
    capacity = 65536
    arrived :: (Handle -> IO ()) -> IO Bool
    arrived put = do
      (r, w) <- createPipe
      mapM_ (`hSetBinaryMode` True) [r, w]
      hSetBuffering w mode
      S.hPut w (S.replicate capacity 1) >> hFlush w
      ended <- timeout 100000 (S.hPut w "abc" >> hFlush w)
      ended @?= Nothing
      _ <- S.hGet r capacity
      put w
      hReady r <* mapM_ hClose [w, r]

failsWith :: (IOException -> Bool) -> IO a -> Assertion
failsWith ok act = do
  r <- try act
  case r of
    Left e -> assertBool (show e) (ok e)
    Right _ -> assertFailure "no exception"

small, large :: Builder
small = "abc"
large = byteString (S.replicate 1000000 1) <> word8 2 <> foldMap word8 (replicate 50000 3)

closed :: Assertion
closed = forM_ [small, large] $ \b -> void $
  inFile $ \h -> do
    hClose h
    failsWith isIllegalOperation (hPutBuilder h b)

readOnly :: Assertion
readOnly = forM_ [small, large] $ \b ->
  withFile "/dev/null" ReadMode $ \h -> failsWith isIllegalOperation (hPutBuilder h b)

full :: Assertion
full = forM_ [small, large] $ \b -> do
  h <- openBinaryFile "/dev/full" WriteMode
  failsWith isFullError (hPutBuilder h b >> hFlush h)
  -- The rest of the Handle's own buffer cannot be written either.
  _ <- try (hClose h) :: IO (Either IOException ())
  pure ()

brokenPipe :: Assertion
brokenPipe = forM_ [small, large] $ \b -> do
  (r, w) <- createPipe
  hClose r
  failsWith isResourceVanishedError (hPutBuilder w b >> hFlush w)
  _ <- try (hClose w) :: IO (Either IOException ())
  pure ()

-- Everything before the value is written, unless the value is part of a larger write.
written :: Assertion
written = forEach ((,) <$> lengths <*> [mempty, flush]) $ \(n, end) -> do
  let before = byteString "start" <> foldMap word8 (replicate n 7) <> end
  (_, out) <- inFile $ \h -> do
    r <- try (hPutBuilderLen h (before <> word8 (throw (userError "value")) <> word8 1))
    either (\e -> show (e :: IOException) @?= "user error (value)") (\k -> assertFailure (show k)) r
    S.hPut h "end"
  assertBool (show n) (out == "start" <> S.replicate n 7 <> "end")
  where
    lengths = [0, 1, 100, 32767, 32768, 40000, 100000]
