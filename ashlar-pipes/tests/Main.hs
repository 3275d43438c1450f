{-# LANGUAGE OverloadedStrings #-}

-- |
-- Module      : Main
-- Description : Pipes against lists of bytes
module Main (main) where

import Ashlar.Builder
import Ashlar.Builder.Extra (flush)
import Ashlar.Codec (get, put)
import Ashlar.Get
import Ashlar.Pipes
import Control.Exception
import qualified Data.ByteString as S
import qualified Data.ByteString.Lazy as L
import Data.IORef
import Data.Word (Word16)
import GHC.Stats (RTSStats (max_live_bytes), getRTSStats, getRTSStatsEnabled)
import Pipes
import qualified Pipes.Prelude as P
import System.IO.Unsafe (unsafePerformIO)
import Test.Tasty
import Test.Tasty.QuickCheck
import Tests.Prompt (prompt)
import Tests.Streams

main :: IO ()
main =
  defaultMain $
    testGroup
      "pipes"
      [ testGroup
          "builders"
          [ testProperty "fromBuilder: the bytes, each time it runs" builderProp,
            testProperty "fromBuilder: no further than it is asked" lazyProp,
            testProperty "fromBuilder: an exception is thrown after the bytes before" thrownProp,
            testProperty "fromBuilder: what was inserted or flushed arrives in time" $
              prompt (\consume b -> runEffect (for (fromBuilder b) (lift . consume))),
            testProperty "fromBuilder: a stream that runs twice is not kept" (once memoryProp),
            testProperty "fromValues: the bytes of all values, and the result" valuesProp,
            testProperty "fromValues: a flush passes on what comes before it" flushProp,
            testProperty "fromValues: what was inserted or flushed arrives in time" $
              prompt (\consume b -> runEffect (for (fromValues id (yield b)) (lift . consume))),
            testProperty "fromValues: a value may be endless" (once endlessProp),
            testProperty "fromValues: chunks are full" fullProp
          ],
        testGroup
          "decoders"
          [ testProperty "getFirst: result, error and rest do not depend on chunks" firstProp,
            testProperty "toValues: values, error and rest do not depend on chunks" toValuesProp,
            testProperty "toValues: a long chunk is decoded as far as is needed" (once sliceProp),
            testProperty "toValues: values come with the chunk that completes them" promptProp,
            testProperty "an exception of a decoder comes after the values before it" throwsProp,
            testProperty "there and back" roundTripProp
          ]
      ]

builderProp :: Property
builderProp = forAll (choose (0, 40000)) $ \n -> ioProperty $ do
  let source = fromBuilder (numbers n) :: Producer S.ByteString IO ()
      bytes = toLazyByteString (numbers n)
  first <- P.toListM source
  second <- P.toListM source
  pure (L.fromChunks first === bytes .&&. L.fromChunks second === bytes .&&. not (any S.null first))

lazyProp :: Property
lazyProp = forAll (choose (1, 5)) $ \k -> ioProperty $ do
  made <- newIORef (0 :: Int)
  let kilobyte n = byteString (unsafePerformIO (S.replicate 1000 1 <$ writeIORef made n))
  chunks <- P.toListM (fromBuilder (foldMap kilobyte [1 ..]) >-> P.take k)
  n <- readIORef made
  pure (length chunks === k .&&. counterexample (show n) (n < 80 * k))

thrownProp :: Property
thrownProp = forAll (choose (0, 100000)) $ \n -> ioProperty $ do
  seen <- newIORef 0
  let source = fromBuilder (foldMap (const (word8 1)) [1 .. n] <> word8 (throw Overflow))
  end <- try (runEffect (for source (\bs -> lift (modifyIORef' seen (+ S.length bs)))))
  count <- readIORef seen
  -- At most a buffer is lost.
  pure (end === Left Overflow .&&. count <= n .&&. count >= n - 33000)

memoryProp :: Property
memoryProp = ioProperty $ do
  let source = fromBuilder (numbers 12000000) :: Producer S.ByteString IO ()
      count = P.fold (\n bs -> n + S.length bs) 0 id
  first <- count source
  second <- count source
  enabled <- getRTSStatsEnabled
  most <- if enabled then max_live_bytes <$> getRTSStats else pure maxBound
  pure $
    (first, second) === (48000000, 48000000)
      .&&. counterexample (show most) (most < 16000000)

valuesProp :: Property
valuesProp = forAll parts $ \ns -> ioProperty $ do
  (chunks, r) <- P.toListM' (fromValues (fst . part) ('r' <$ each ns))
  pure $
    S.concat chunks === foldMap (snd . part) ns .&&. not (any S.null chunks) .&&. r === 'r'

-- The consumer sees each chunk before the next value is asked for.
flushProp :: [Word16] -> Property
flushProp ws = ioProperty $ do
  events <- newIORef []
  let note e = modifyIORef' events (e :)
      values = mapM_ (\w -> lift (note (Left w)) >> yield w) ws
  runEffect (for (fromValues (\w -> word16BE w <> flush) values) (lift . note . Right))
  seen <- reverse <$> readIORef events
  pure (seen === concat [[Left w, Right (toStrictByteString (word16BE w))] | w <- ws])

endlessProp :: Property
endlessProp = ioProperty $ do
  let ones = word8 1 <> ones
      chunks = fromValues id (each [word8 1, ones]) >-> P.take 100
  n <- P.sum (chunks >-> P.map S.length)
  pure (n === 100 * 32768)

fullProp :: Property
fullProp = forAll (choose (0, 100000)) $ \n -> ioProperty $ do
  chunks <- P.toListM (fromValues (word32BE . fromIntegral) (each [1 .. n]))
  pure (length chunks === (4 * n + 32767) `div` 32768)

firstProp :: Property
firstProp =
  forAll (elements [0 .. length decoders - 1]) $ \i -> forAll input $ \bytes ->
    forAll chunkSizes $ \sizes -> ioProperty $ do
      let g = decoders !! i
      (result, rest) <- getFirst g ('r' <$ each (cut sizes bytes))
      (left, r) <- P.toListM' rest
      pure $
        r === 'r' .&&. case runGetRest g bytes of
          Right (a, unread) -> (result, S.concat left) === (Right a, unread)
          Left e -> result === Left e .&&. property (S.concat left `S.isSuffixOf` bytes)

-- The value that throws is in the same chunk.
sliceProp :: Property
sliceProp = ioProperty $ do
  let g = getWord16be >>= \w -> if w == 50000 then throw Overflow else pure w
      bytes = toStrictByteString (foldMap word16BE [1 .. 60000])
  first <- P.sum ((() <$ toValues g (yield bytes)) >-> P.take 20000)
  pure (first === sum [1 .. 20000])

toValuesProp :: Property
toValuesProp =
  forAll (elements [0 .. length decoders - 1]) $ \i -> forAll input $ \bytes ->
    forAll chunkSizes $ \sizes -> ioProperty $ do
      let g = decoders !! i
      (values, end) <- P.toListM' (toValues g ('r' <$ each (cut sizes bytes)))
      (outcome, left, r) <- case end of
        Right r -> pure (Right (), [], r)
        Left (e, rest) -> (\(left, r) -> (Left (place e), left, r)) <$> P.toListM' rest
      pure (r === 'r' .&&. (values, outcome, S.concat left) === model g bytes)

-- The values of a chunk are passed on before the next chunk is asked for.
promptProp :: [Word16] -> Property
promptProp ws = ioProperty $ do
  events <- newIORef []
  let note e = modifyIORef' events (e :)
      chunk w = lift (note (Left w)) >> yield (toStrictByteString (word16BE w))
  runEffect (for (() <$ toValues getWord16be (mapM_ chunk ws)) (lift . note . Right))
  seen <- reverse <$> readIORef events
  pure (seen === concat [[Left w, Right w] | w <- ws])

throwsProp :: [Word16] -> Property
throwsProp ws = ioProperty $ do
  seen <- newIORef []
  let bytes = [toStrictByteString (word16BE w) | w <- map (`mod` 9) ws ++ [9]]
      g = getWord16be >>= \w -> if w == 9 then throw Overflow else pure w
  end <-
    try (runEffect (for (() <$ toValues g (each bytes)) (\w -> lift (modifyIORef' seen (w :)))))
  values <- reverse <$> readIORef seen
  one <- try (fst <$> getFirst (throw Overflow :: Get ()) (each bytes))
  pure (end === Left Overflow .&&. values === map (`mod` 9) ws .&&. one === Left Overflow)

roundTripProp :: [Word16] -> Property
roundTripProp ws = forAll chunkSizes $ \sizes -> ioProperty $ do
  bytes <- S.concat <$> P.toListM (fromValues put (each ws))
  got <- P.toListM (() <$ toValues get (each (cut sizes bytes)))
  pure (got === ws)
