{-# LANGUAGE OverloadedStrings #-}

-- |
-- Module      : Tests.Decompress
-- Description : Decompressing: splits, damage, bombs
module Tests.Decompress (tests) where

import Ashlar.Builder
import Ashlar.Get
import Ashlar.Get.Feed (Feed (..), feed, newFeed)
import Ashlar.Zlib
import qualified Codec.Compression.GZip as G
import Control.Applicative ((<|>))
import Control.Concurrent.MVar (newEmptyMVar, putMVar, takeMVar)
import Control.Exception (displayException, evaluate, try)
import Control.Monad (foldM, join)
import Data.Bits (complementBit)
import qualified Data.ByteString as S
import qualified Data.ByteString.Lazy as L
import Data.IORef (atomicModifyIORef', modifyIORef, newIORef, readIORef)
import Data.Int (Int64)
import Data.Maybe (isNothing)
import Data.Word (Word8)
import System.Exit (ExitCode (..))
import System.IO (hClose)
import System.IO.Error (ioeGetErrorString)
import System.IO.Unsafe (unsafeInterleaveIO)
import System.Process
import System.Timeout (timeout)
import Test.Tasty
import Test.Tasty.QuickCheck hiding (label)
import Tests.Random

tests :: TestTree
tests =
  testGroup
    "decompressing"
    [ testProperty "input from which nothing comes out can be interrupted" . once $
        conjoin [interrupted (S.concat (replicate 1000 member)), interrupted zeros],
      testProperty "an interrupted result resumes" . once . ioProperty $ resumed 1000000,
      testProperty "a result resumes where its input was interrupted" . once . ioProperty $ do
        waiting <- newEmptyMVar
        let (start, end) = S.splitAt 5 member
        rest <- unsafeInterleaveIO (takeMVar waiting)
        let result = decompress Gzip free (L.fromStrict start <> L.fromStrict rest)
        stopped <- timeout 50000 (evaluate result)
        putMVar waiting end
        pure (stopped === Nothing .&&. result === Right L.empty),
      testProperty "round trip" . withMaxSuccess 60 $ \(Whole params) pieces (Positive n) ->
        ioProperty $ do
          let bytes = L.toStrict (compress params (builderOf pieces))
              size = if S.length bytes > 10000 then 1000 + n else n
          out <- pulled (paramsFormat params) free (chunksOf size bytes)
          pure $
            out === (modelOf pieces, Nothing)
              .&&. decompress (paramsFormat params) free (L.fromStrict bytes)
              === Right (modelOf pieces),
      testProperty "within a decoder, at every split, and what follows" . once . conjoin $
        [ conjoin
            [ runGetLazy (within' format free) (L.fromChunks [a, b])
                === Right (9, L.fromStrict text, "!", fromIntegral (S.length bytes) + 2)
              | n <- [0 .. S.length input],
                let (a, b) = S.splitAt n input
            ]
            .&&. runGetLazy (within' format free) (L.fromChunks (map S.singleton (S.unpack input)))
            === Right (9, L.fromStrict text, "!", fromIntegral (S.length bytes) + 2)
          | (format, bytes) <- samples,
            let input = "\9" <> bytes <> "!"
        ],
      testProperty "within a decoder: truncated, damaged, too large" . once . conjoin $
        [ conjoin
            [ brief (runGet (within' format free) (S.take n input))
                === Left (fromIntegral n, MissingInput 1 0)
              | n <- [1 .. S.length bytes]
            ]
            .&&. brief (runGet (within' format free {limitBytes = 10}) input)
            === Left (1, Invalid (displayException (TooLarge 10)))
            .&&. brief (runGet (cutOff bytes format) input)
            === Left (fromIntegral (S.length bytes), MissingInput 1 0)
            .&&. brief (runGet ((0 <$ within' format free {limitBytes = 10}) <|> getWord8) input)
            === Right 9
            .&&. brief (runGet (isolate 9 (getDecompressed Zlib free)) "no stream")
            === Left (0, Invalid (displayException (Corrupt "invalid data, or a wrong checksum")))
          | (format, bytes) <- samples,
            let input = "\9" <> bytes <> "!"
        ],
      testProperty "at every split" . once . conjoin $
        [ ioProperty $ do
            outs <- mapM (pulled format free) [[a, b] | n <- offsets, (a, b) <- [S.splitAt n bytes]]
            pure (conjoin (map (=== (L.fromStrict text, Nothing)) outs))
          | (format, bytes) <- samples,
            let offsets = [0 .. S.length bytes]
        ],
      testProperty "truncated after each byte" . once . conjoin $
        [ ioProperty $ do
            outs <- mapM (pulled format free . pure . (`S.take` bytes)) [0 .. S.length bytes - 1]
            pure . conjoin $
              [snd out === Just Truncated .&&. L.isPrefixOf (fst out) whole | out <- outs]
          | let whole = L.fromStrict text,
            (format, bytes) <- samples
        ],
      testProperty "each bit flipped: an error, or the same bytes" . once . conjoin $
        [ case decompress format free (L.fromStrict damaged) of
            Left _ -> property True
            Right out -> counterexample (show (i, bit)) (out === L.fromStrict text)
          | (format, bytes) <- samples,
            format /= Raw,
            i <- [0 .. S.length bytes - 1],
            bit <- [0 .. 7],
            let damaged = S.take i bytes <> flipped bit (S.drop i bytes)
        ],
      testProperty "other bytes are refused" $ \ws ->
        let bytes = L.fromStrict (S.pack ws)
         in conjoin [isLeft (decompress format defaultLimit bytes) | format <- [Gzip, Zlib]],
      testProperty "what is no gzip is named so, at any split" . once . conjoin $
        [ ioProperty $ do
            outs <- mapM (pulled Gzip free) [[bytes], chunksOf 1 bytes]
            pure (outs === [("", Just (Corrupt "it does not begin as gzip does")) | _ <- outs])
          | bytes <- ["b", "brick", "\USbrick", L.toStrict (compress zlib "brick")]
        ],
      testProperty "raw bytes of any kind: within the limit" $ \ws ->
        either (const True) ((<= 1000) . L.length) $
          decompress Raw (Limit 1000 maxBound) (L.fromStrict (S.pack ws)),
      testProperty "bytes after the end" . once . conjoin $
        [ ioProperty $ do
            outs <- mapM (pulled format free) [[bytes <> more], [bytes, more]]
            pure (outs === [(L.fromStrict text, Just TrailingBytes) | _ <- outs])
          | (format, bytes) <- samples,
            more <-
              ["x", "\US", "\USx"] ++ ["\0x", S.replicate 100000 0 <> "\US\139"]
                ++ ["\0" | format /= Gzip]
        ],
      testProperty "zeros after gzip, as the program gzip" . once . ioProperty $ do
        let bytes = L.toStrict (compress gzip (byteString text))
            padded = [(bytes <> S.replicate n 0, n) | n <- [1, 2, 3, 10240, 100000]]
        outs <-
          sequence
            [pulled Gzip free (chunksOf k bs) | (bs, _) <- padded, k <- [1, 1000, 200000]]
        shells <- mapM (\(bs, _) -> gunzipped bs) padded
        pure $
          outs === [(L.fromStrict text, Nothing) | _ <- outs]
            .&&. shells === [(ExitSuccess, text) | _ <- shells],
      testProperty "several members" $ \parts -> ioProperty $ do
        let bytes = S.concat [L.toStrict (compress gzip (byteString (S.pack p))) | p <- parts]
            model = L.pack (concat parts)
        outs <- mapM (\n -> pulled Gzip free (chunksOf n bytes)) [1, 7, 1000000]
        pure . conjoin $
          [ out === if null parts then ("", Just Truncated) else (model, Nothing)
            | out <- outs
          ],
      testProperty "what the program gzip writes" . once . ioProperty $ do
        outs <- mapM through ["printf '' | gzip", rows "-1", rows "-9", twice]
        pure (outs === [Right "", Right manyRows, Right manyRows, Right (manyRows <> manyRows)]),
      limits,
      dictionary,
      testProperty "what was flushed comes out before more is read" . once . conjoin $
        [ ioProperty $ do
            sent <- newIORef []
            withCompressor params (\bs -> modifyIORef sent (bs :)) $ \compressor -> do
              write compressor "brick" >> flush compressor
              flushed <- S.concat . reverse <$> readIORef sent
              steps <- newIORef [pure flushed, ioError (userError "too early")]
              source <-
                decompressSource (paramsFormat params) free . join $
                  atomicModifyIORef' steps (\l -> (drop 1 l, mconcat (take 1 l)))
              r <- getFrom source (getByteString 5)
              pure (r === Right "brick")
          | params <- [gzip, zlib, raw]
        ],
      testProperty "the input's action throws: it can go on" . once . ioProperty $ do
        let bytes = L.toStrict (compress gzip (foldMap word32LE [1 .. 1000]))
            (a, b) = S.splitAt 100 bytes
        steps <- newIORef [pure a, ioError (userError "not now"), pure b]
        source <- decompressed Gzip free $ do
          step <- atomicModifyIORef' steps (\l -> (drop 1 l, take 1 l))
          if null step then pure S.empty else S.concat <$> sequence step
        let go done = do
              r <- try source
              case r of
                Left e -> ioeGetErrorString e `seq` go done
                Right bs
                  | S.null bs -> pure (L.fromChunks (reverse done))
                  | otherwise -> go (bs : done)
        out <- go []
        pure (out === toLazyByteString (foldMap word32LE [1 .. 1000])),
      testProperty "from a source" . withMaxSuccess 30 $ \(Whole params) ns (Positive n) ->
        ioProperty $ do
          let bytes = L.toStrict (compress params (foldMap word32LE ns))
          good <- sourceFrom params (chunksOf n bytes)
          all' <- foldFrom good getWord32le (\acc x -> pure (x : acc)) []
          cut <- sourceFrom params (chunksOf n (S.take (S.length bytes - 1) bytes))
          end <- try (foldFrom cut getWord32le (\k _ -> pure (k + 1)) (0 :: Int))
          pure $
            either (const Nothing) (Just . reverse) all' === Just ns
              .&&. either (=== Truncated) (counterexample "no error" . const False) end,
      testProperty "from a source that is too large" . once . ioProperty $ do
        source <- sourceOf Gzip (Limit 10 200) [L.toStrict (compress gzip "12345678901234567890")]
        r <- try (getFrom source getWord32le)
        pure (either (=== TooLarge 10) (counterexample "no error" . const False) r)
    ]
  where
    sourceFrom params = sourceOf (paramsFormat params) free
    sourceOf format limit chunks = do
      left <- newIORef chunks
      decompressSource format limit $
        atomicModifyIORef' left (\l -> (drop 1 l, S.concat (take 1 l)))
    flipped bit bs = case S.uncons bs of
      Nothing -> bs
      Just (w, rest) -> S.cons (complementBit w bit) rest
    through command = do
      (_, Just o, _, process) <- createProcess (shell command) {std_out = CreatePipe}
      out <- S.hGetContents o
      _ <- waitForProcess process
      pure (decompress Gzip free (L.fromStrict out))
    gunzipped bs =
      withCreateProcess (proc "gzip" ["-dc"]) {std_in = CreatePipe, std_out = CreatePipe} $
        \input out' _ process -> do
          mapM_ (\h -> S.hPut h bs >> hClose h) input
          out <- maybe (pure S.empty) S.hGetContents out'
          code <- waitForProcess process
          pure (code, out)
    rows level = "seq 1 20000 | gzip " ++ level
    twice = "(" ++ rows "-1" ++ "; " ++ rows "-9" ++ ")"
    manyRows = toLazyByteString (foldMap (\n -> intDec n <> "\n") [1 .. 20000])

-- Whatever follows, more of it is never asked for.
dictionary :: TestTree
dictionary =
  testGroup
    "a stream that needs a preset dictionary is refused as such"
    [ testProperty "decompress" . once . conjoin $
        [decompress Zlib free (L.fromChunks (chunks ++ [unread])) === Left why | chunks <- splits],
      testProperty "decompressed" . once . conjoin $
        [ ioProperty ((=== ("", Just why)) <$> pulled Zlib free chunks)
          | chunks <- splits
        ],
      testProperty "getDecompressed" . once . conjoin $
        [ brief (runGetLazy (getDecompressed Zlib free) (L.fromChunks (chunks ++ [unread])))
            === refused
          | chunks <- splits
        ],
      testProperty "getDecompressed, pushed" . once . conjoin $
        [ ioProperty $ do
            begun <- newFeed (getDecompressed Zlib free)
            end <- foldM feed begun chunks
            pure $ case end of
              FeedFail _ _ e -> brief (Left e) === refused
              _ -> counterexample "not refused" False
          | chunks <- splits
        ]
    ]
  where
    bytes = "\x78\xBB\0\0\0\1" <> S.replicate 100 0
    splits = chunksOf 1 bytes : [[a, b] | n <- [0 .. 100], let (a, b) = S.splitAt n bytes]
    unread = error "more was read"
    why = Corrupt "it needs a dictionary"
    refused = Left (0, Invalid (displayException why)) :: Either (Int64, Reason) L.ByteString

limits :: TestTree
limits =
  testGroup
    "limits"
    [ testProperty "a bomb is refused by its ratio" . once . ioProperty $ do
        let bomb = G.compress (L.replicate 200000000 0)
        (out, e) <- pulled Gzip defaultLimit (L.toChunks bomb)
        let most = 67108864 + 200 * L.length bomb
        pure (isOverRatio e .&&. L.length out <= most),
      testProperty "a log of equal lines passes" . once . ioProperty $ do
        let line = "2026-01-01 12:00:00 INFO  the server is well\n"
            rows = mconcat (replicate 860000 line)
            bytes = G.compress rows
        (out, e) <- pulled Gzip defaultLimit (L.toChunks bytes)
        pure $
          (L.length out, e) === (L.length rows, Nothing)
            .&&. counterexample "too easy" (L.length rows > 200 * L.length bytes + 10000000),
      testProperty "many small members are a bomb, too" . once . ioProperty $ do
        let bomb = mconcat (replicate 800 (G.compress (L.replicate 100000 0)))
        ends <-
          sequence
            [ snd <$> pulled Gzip defaultLimit {limitRatio = 100} chunks
              | chunks <- [L.toChunks bomb, [L.toStrict bomb]]
            ]
        pure (conjoin (map isOverRatio ends)),
      testProperty "a limit on the number of bytes" . withMaxSuccess 50 $ \(Whole params) ->
        forAll (choose (0, 100000)) $ \size -> forAll (choose (-2, 2)) $ \more -> ioProperty $ do
          let bytes = compress params (byteString (S.replicate size 120))
              limit = fromIntegral size + more :: Int64
          (out, e) <- pulled (paramsFormat params) (Limit limit maxBound) (L.toChunks bytes)
          pure $
            if more >= 0 || size == 0
              then (L.length out, e) === (fromIntegral size, Nothing)
              else e === Just (TooLarge limit) .&&. property (L.length out <= max 0 limit)
    ]
  where
    isOverRatio e = case e of
      Just (OverRatio _) -> property True
      _ -> counterexample (show e) False

-- After a member, the chunk again and again, hours of it.
interrupted :: S.ByteString -> Property
interrupted chunk = ioProperty $ do
  chunks <- newIORef (member : replicate 10000000 chunk)
  let next = atomicModifyIORef' chunks (\l -> (drop 1 l, S.concat (take 1 l)))
  pull <- decompressed Gzip free next
  ended <- timeout 200000 pull
  pure (ended === Nothing)

resumed :: Int -> IO Property
resumed n = do
  let bytes = compress gzip (byteString (S.replicate n 120))
      result = L.length <$> decompress Gzip free bytes
  _ <- evaluate (L.length bytes)
  stopped <- timeout 1000 (evaluate result)
  -- (A fast machine needs more input.)
  if isNothing stopped then pure (result === Right (fromIntegral n)) else resumed (2 * n)

member, zeros :: S.ByteString
member = L.toStrict (compress gzip mempty)
zeros = S.replicate 32768 0

free :: Limit
free = Limit maxBound maxBound

text :: S.ByteString
text = S.concat (map rowOf [1 .. 20])

samples :: [(Format, S.ByteString)]
samples =
  [ (format, L.toStrict (compress (Params format 6) (byteString text)))
    | format <- [minBound ..]
  ]

isLeft :: Either a b -> Bool
isLeft = either (const True) (const False)

-- A decoder with something before and behind.
within' :: Format -> Limit -> Get (Word8, L.ByteString, S.ByteString, Int64)
within' format limit =
  (,,,) <$> getWord8 <*> getDecompressed format limit <*> getByteString 1 <*> bytesRead

-- The stream, in a part that ends a byte before it does.
cutOff :: S.ByteString -> Format -> Get L.ByteString
cutOff bytes format = getWord8 *> isolate (S.length bytes - 1) (getDecompressed format free)

brief :: Either DecodeError a -> Either (Int64, Reason) a
brief = either (\e -> Left (errorOffset e, errorReason e)) Right
