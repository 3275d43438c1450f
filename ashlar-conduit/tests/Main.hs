{-# LANGUAGE OverloadedStrings #-}

-- |
-- Module      : Main
-- Description : Conduits against lists of bytes
module Main (main) where

import Ashlar.Builder
import Ashlar.Builder.Extra (flush)
import Ashlar.Codec (get, put)
import Ashlar.Conduit
import Ashlar.Get
import Conduit
import Control.Exception
import Control.Monad.ST (runST)
import qualified Data.ByteString as S
import qualified Data.ByteString.Lazy as L
import Data.IORef
import Data.Word (Word16)
import GHC.Stats (RTSStats (max_live_bytes), getRTSStats, getRTSStatsEnabled)
import System.IO.Unsafe (unsafePerformIO)
import Test.Tasty
import Test.Tasty.QuickCheck
import Tests.Prompt (prompt)
import Tests.Streams

main :: IO ()
main =
  defaultMain $
    testGroup
      "conduit"
      [ testGroup
          "builders"
          [ testProperty "sourceBuilder: the bytes, each time it runs" sourceProp,
            testProperty "sourceBuilder: no further than it is asked" lazyProp,
            testProperty "sourceBuilder: an exception can be caught, after a prefix" thrownProp,
            testProperty "sourceBuilder: what was inserted or flushed arrives in time" $
              prompt (\consume b -> runConduit (sourceBuilder b .| mapM_C consume)),
            testProperty "sourceBuilder: a stream that runs twice is not kept" (once memoryProp),
            testProperty "conduitPut: the bytes of all values" putProp,
            testProperty "conduitPut: in ST" stProp,
            testProperty "conduitPut: a flush passes on what comes before it" flushProp,
            testProperty "conduitPut: what was inserted or flushed arrives in time" $
              prompt (\consume b -> runConduit (yield b .| conduitPut id .| mapM_C consume)),
            testProperty "conduitPut: a value may be endless" (once endlessProp),
            testProperty "conduitPut: chunks are full" fullProp
          ],
        testGroup
          "decoders"
          [ testProperty "sinkGetEither: result, error, leftovers, however cut" sinkProp,
            testProperty "sinkGet: one after another" severalProp,
            testProperty "sinkGet: no empty chunk is left" (once leftProp),
            testProperty "conduitGet: a long chunk is decoded as far as is needed" (once sliceProp),
            testProperty "conduitGetEither: values, error, leftovers, however cut" getProp,
            testProperty "conduitGet: an error is thrown after the values before it" throwsProp,
            testProperty "conduitGet: values come with the chunk that completes them" promptProp,
            testProperty "an exception of a decoder can be caught" decoderThrowsProp,
            testProperty "there and back" roundTripProp
          ]
      ]

sourceProp :: Property
sourceProp = forAll (choose (0, 40000)) $ \n -> ioProperty $ do
  let source = sourceBuilder (numbers n)
      bytes = toLazyByteString (numbers n)
  first <- runConduit (source .| sinkList)
  second <- runConduit (source .| sinkLazy)
  pure (L.fromChunks first === bytes .&&. second === bytes .&&. not (any S.null first))

lazyProp :: Property
lazyProp = forAll (choose (1, 5)) $ \k -> ioProperty $ do
  made <- newIORef (0 :: Int)
  let kilobyte n = byteString (unsafePerformIO (S.replicate 1000 1 <$ writeIORef made n))
  chunks <- runConduit (sourceBuilder (foldMap kilobyte [1 ..]) .| takeC k .| sinkList)
  n <- readIORef made
  pure (length chunks === k .&&. counterexample (show n) (n < 80 * k))

thrownProp :: Property
thrownProp = forAll (choose (0, 100000)) $ \n -> ioProperty $ do
  seen <- newIORef 0
  let source = sourceBuilder (foldMap (const (word8 1)) [1 .. n] <> word8 (throw Overflow))
      caught = (False <$ source) `catchC` \e -> pure (e == Overflow)
  wasThrown <- runConduit (fuseUpstream caught (mapM_C (\bs -> modifyIORef' seen (+ S.length bs))))
  count <- readIORef seen
  -- At most a buffer is lost.
  pure (wasThrown .&&. count <= n .&&. count >= n - 33000)

memoryProp :: Property
memoryProp = ioProperty $ do
  let source = sourceBuilder (numbers 12000000) :: ConduitT () S.ByteString IO ()
  first <- runConduit (source .| lengthCE) :: IO Int
  second <- runConduit (source .| lengthCE) :: IO Int
  enabled <- getRTSStatsEnabled
  most <- if enabled then max_live_bytes <$> getRTSStats else pure maxBound
  pure $
    (first, second) === (48000000, 48000000)
      .&&. counterexample (show most) (most < 16000000)

putProp :: Property
putProp = forAll parts $ \ns -> ioProperty $ do
  chunks <- runConduit (yieldMany ns .| conduitPut (fst . part) .| sinkList)
  pure (S.concat chunks === foldMap (snd . part) ns .&&. not (any S.null chunks))

stProp :: Property
stProp = forAll parts $ \ns ->
  runST (runConduit (yieldMany ns .| conduitPut (fst . part) .| sinkLazy))
    === L.fromStrict (foldMap (snd . part) ns)

-- The consumer sees each chunk before the next value is asked for.
flushProp :: [Word16] -> Property
flushProp ws = ioProperty $ do
  events <- newIORef []
  let note e = modifyIORef' events (e :)
      values = mapM_ (\w -> lift (note (Left w)) >> yield w) ws
      put' w = word16BE w <> flush
  runConduit (values .| conduitPut put' .| mapM_C (note . Right))
  seen <- reverse <$> readIORef events
  pure (seen === concat [[Left w, Right (toStrictByteString (word16BE w))] | w <- ws])

endlessProp :: Property
endlessProp = ioProperty $ do
  let ones = word8 1 <> ones
  n <- runConduit (yieldMany [word8 1, ones] .| conduitPut id .| takeCE 1000000 .| lengthCE)
  pure (n === (1000000 :: Int))

fullProp :: Property
fullProp = forAll (choose (0, 100000)) $ \n -> ioProperty $ do
  chunks <- runConduit (yieldMany [1 .. n] .| conduitPut (word32BE . fromIntegral) .| sinkList)
  pure (length chunks === (4 * n + 32767) `div` 32768)

sinkProp :: Property
sinkProp =
  forAll (elements [0 .. length decoders - 1]) $ \i -> forAll input $ \bytes ->
    forAll chunkSizes $ \sizes -> ioProperty $ do
      let g = decoders !! i
          run :: [S.ByteString] -> IO (Either DecodeError [Word16], S.ByteString)
          run chunks = runConduit (yieldMany chunks .| ((,) <$> sinkGetEither g <*> foldC))
      (result, rest) <- run (cut sizes bytes)
      (whole, _) <- run [bytes]
      pure $
        result === whole .&&. case runGetRest g bytes of
          Right (a, left) -> (result, rest) === (Right a, left)
          Left e -> result === Left e .&&. property (rest `S.isSuffixOf` bytes)

severalProp :: [Word16] -> Property
severalProp ws = forAll chunkSizes $ \sizes -> ioProperty $ do
  let bytes = toStrictByteString (foldMap word16BE ws)
  got <- runConduit (yieldMany (cut sizes bytes) .| mapM (const (sinkGet getWord16be)) ws)
  pure (got === ws)

leftProp :: Property
leftProp = ioProperty $ do
  let untilEnd = nullC >>= \end -> if end then pure [] else (:) <$> sinkGet getWord16be <*> untilEnd
  next <- runConduit (yield "\0\1" .| (sinkGet getWord16be *> await))
  failed <- runConduit (yield "\0\1" .| (sinkGetEither (getWord16be >> noWord) *> await))
  values <- runConduit (yieldMany ["\0\1\0\2", "\0\3"] .| untilEnd)
  pure $
    conjoin [next === Nothing, failed === Nothing, values === [1, 2, 3 :: Word16]]
  where
    noWord = fail "no" :: Get ()

-- The value that throws is in the same chunk.
sliceProp :: Property
sliceProp = ioProperty $ do
  let g = getWord16be >>= \w -> if w == 50000 then throw Overflow else pure w
      bytes = toStrictByteString (foldMap word16BE [1 .. 60000])
  first <- runConduit (yield bytes .| conduitGet g .| takeC 20000 .| sumC)
  pure (first === sum [1 .. 20000])

getProp :: Property
getProp =
  forAll (elements [0 .. length decoders - 1]) $ \i -> forAll input $ \bytes ->
    forAll chunkSizes $ \sizes -> ioProperty $ do
      let g = decoders !! i
          getting = (,) <$> conduitGetEither g <*> foldC
      ((end, rest), values) <-
        runConduit (yieldMany (cut sizes bytes) .| fuseBoth getting sinkList)
      pure ((values, either (Left . place) Right end, rest) === model g bytes)

throwsProp :: [Word16] -> Property
throwsProp ws = forAll chunkSizes $ \sizes -> ioProperty $ do
  let bytes = toStrictByteString (foldMap word16BE ws <> word8 0)
  seen <- newIORef []
  end <-
    try . runConduit $
      yieldMany (cut sizes bytes)
        .| conduitGet getWord16be
        .| mapM_C (\w -> modifyIORef' seen (w :))
  values <- reverse <$> readIORef seen
  pure $
    (values, either (Left . place) Right end)
      === (ws, Left (2 * length ws, MissingInput 2 1))

-- The values of a chunk are passed on before the next chunk is asked for.
promptProp :: [Word16] -> Property
promptProp ws = ioProperty $ do
  events <- newIORef []
  let note e = modifyIORef' events (e :)
      chunk w = lift (note (Left w)) >> yield (toStrictByteString (word16BE w))
  runConduit (mapM_ chunk ws .| conduitGet getWord16be .| mapM_C (note . Right))
  seen <- reverse <$> readIORef events
  pure (seen === concat [[Left w, Right w] | w <- ws])

decoderThrowsProp :: [Word16] -> Property
decoderThrowsProp ws = ioProperty $ do
  seen <- newIORef []
  let bytes = [toStrictByteString (word16BE w) | w <- map (`mod` 9) ws ++ [9]]
      g = getWord16be >>= \w -> if w == 9 then throw Overflow else pure w
      caught = (False <$ conduitGet g) `catchC` \e -> pure (e == Overflow)
  (wasThrown, ()) <-
    runConduit (yieldMany bytes .| fuseBoth caught (mapM_C (\w -> modifyIORef' seen (w :))))
  values <- reverse <$> readIORef seen
  one <- try (runConduit (yieldMany bytes .| sinkGet (throw Overflow :: Get ())))
  pure (wasThrown .&&. values === map (`mod` 9) ws .&&. one === Left Overflow)

roundTripProp :: [Word16] -> Property
roundTripProp ws = forAll chunkSizes $ \sizes -> ioProperty $ do
  bytes <- runConduit (yieldMany ws .| conduitPut put .| foldC)
  got <- runConduit (yieldMany (cut sizes bytes) .| conduitGet get .| sinkList)
  pure (got === ws)
