{-# LANGUAGE OverloadedStrings #-}
{-# OPTIONS_GHC -Wno-orphans #-}

-- |
-- Module      : Tests.Envelopes
-- Description : Round trips, hostile bytes, and other types
module Tests.Envelopes (tests) where

import Ashlar.Builder (toStrictByteString, word32LE)
import Ashlar.Codec (encode)
import Ashlar.File.Crc32c (crc32c)
import Ashlar.Jobs
import Ashlar.Jobs.Engine
import Ashlar.Jobs.Engine.Memory
import Ashlar.Jobs.Envelope
import Ashlar.Jobs.Internal.Job (seal)
import Ashlar.Jobs.Internal.Parts (Part (..), PartState (..), putParts)
import Control.Exception (throwIO, try)
import Control.Monad (replicateM_)
import Data.Bits (xor)
import qualified Data.ByteString as S
import Data.IORef
import Data.Int (Int64)
import Data.List (isInfixOf)
import qualified Data.List as List
import qualified Data.Text as T
import Data.Word (Word8)
import GHC.Fingerprint (Fingerprint (..))
import Test.QuickCheck hiding (collect, total)
import Test.Tasty
import Test.Tasty.QuickCheck (testProperty)
import Tests.Types

tests :: TestTree
tests =
  testGroup
    "envelopes"
    [ testProperty "decode . encode" $ \e -> decodeEnvelope (encodeEnvelope e) === Right e,
      testProperty "each byte changed is an error" changed,
      testProperty "truncated anywhere, or with more bytes, is an error" truncated,
      testProperty "forged with a right checksum: an error, or canonical" forged,
      testProperty "an envelope of a later version is refused" later,
      testProperty "damaged in the engine: set aside, never a wrong value" damagedBatch,
      testProperty "bytes after the last record: it is set aside alone" moreBytes,
      testProperty "damaged results are an exception" damagedResult,
      testProperty "batches and results of another number are refused" (once mixedUp),
      testProperty "an expansion beyond the limit is refused" bomb,
      testProperty "records without bytes" noBytes,
      testProperty "an older type of arguments is read as today's" (once older),
      testProperty "other arguments: refused, with the path" (once otherArguments),
      testProperty "other results: refused, with the path" (once otherResults),
      testProperty
        "results of a newer type from some batch on: refused there, with the path"
        (once newerResults),
      testProperty "a note with results of another type is not used" (once otherNote),
      testProperty "a collector of another type: refused, with the path" (once otherCollector),
      testProperty "a second submitter takes over" (once second)
    ]

instance Arbitrary Envelope where
  arbitrary = do
    body <- S.pack <$> arbitrary
    compression <- elements ["", "zlib", "zeros"]
    expanded <- arbitrary
    Envelope
      <$> elements [minBound ..]
      <*> (T.pack <$> arbitrary `suchThat` all (`notElem` ['\xd800' .. '\xdfff']))
      <*> (Fingerprint <$> arbitrary <*> arbitrary)
      <*> (Fingerprint <$> arbitrary <*> arbitrary)
      <*> (getNonNegative <$> arbitrary)
      <*> arbitrary
      <*> (getNonNegative <$> arbitrary)
      <*> arbitrary
      <*> pure compression
      <*> pure (if S.null compression then fromIntegral (S.length body) else expanded)
      <*> pure body

isLeft' :: Either a b -> Bool
isLeft' = either (const True) (const False)

flipAt :: Int -> Int -> S.ByteString -> S.ByteString
flipAt i mask bytes = case S.splitAt i bytes of
  (a, b)
    | Just (w, rest) <- S.uncons b -> S.concat [a, S.singleton (w `xor` fromIntegral mask), rest]
  _ -> bytes

changed :: Envelope -> Property
changed e = forAll (choose (1, 255)) $ \mask ->
  conjoin
    [ counterexample (show i) (isLeft' (decodeEnvelope (flipAt i mask bytes)))
      | i <- [0 .. S.length bytes - 1]
    ]
  where
    bytes = encodeEnvelope e

truncated :: Envelope -> Property
truncated e =
  conjoin [property (isLeft' (decodeEnvelope (S.take n bytes))) | n <- [0 .. S.length bytes - 1]]
    .&&. isLeft' (decodeEnvelope (S.snoc bytes 0))
  where
    bytes = encodeEnvelope e

-- Some bytes are changed, and the checksum is made to fit.
forged :: Envelope -> [(NonNegative Int, Int)] -> Property
forged e changes = case decodeEnvelope bytes of
  Left _ -> property True
  Right e' -> encodeEnvelope e' === bytes
  where
    whole = withoutChecksum (encodeEnvelope e)
    whole' = List.foldl' change whole changes
    change b (NonNegative i, m) = flipAt (i `mod` S.length whole) m b
    bytes = whole' <> toStrictByteString (word32LE (crc32c whole'))

later :: Envelope -> Property
later e = decodeEnvelope bytes === Left (LaterEnvelope 2)
  where
    whole = flipAt 8 3 (withoutChecksum (encodeEnvelope e))
    bytes = whole <> toStrictByteString (word32LE (crc32c whole))

-- All results of a job, with one worker.
ran :: (Engine -> Engine) -> Job Row Answer -> [Int64] -> IO [Collected Answer]
ran tampered = ranWith tampered id

-- With a worker that has other limits.
ranBy :: (Job Row Answer -> Job Row Answer) -> Job Row Answer -> [Int64] -> IO [Collected Answer]
ranBy = ranWith id

ranWith ::
  (Engine -> Engine) ->
  (Job Row Answer -> Job Row Answer) ->
  Job Row Answer ->
  [Int64] ->
  IO [Collected Answer]
ranWith tampered worked j input = do
  engine <- tampered . memoryEngine <$> newMemory ReturnAtOnce
  _ <- submitWith (inBatches 100 1000000) engine j $ \n give ->
    mapM_ (give . rowOf) (List.genericDrop n input)
  _ <- worker engine (worked j) (pure . answer)
  results engine j

answersOf :: [Collected Answer] -> [Answer]
answersOf = concatMap (either (const []) id . collectedResults)

damagedBatch :: [Int64] -> Positive Int -> NonNegative Int -> Bool -> Property
damagedBatch input (Positive every) (NonNegative at) cut = ioProperty $ do
  count <- newIORef (0 :: Int)
  let tampered e =
        e
          { engineTake = \run name idle -> do
              taken <- engineTake e run name idle
              n <- atomicModifyIORef' count (\n -> (n + 1, n))
              pure $ case taken of
                Taken d | n `mod` every == 0 -> Taken d {deliveryBytes = broken (deliveryBytes d)}
                _ -> taken
          }
      broken bytes
        | cut = S.take (at `mod` S.length bytes) bytes
        | otherwise = flipAt (at `mod` S.length bytes) 64 bytes
  got <- ran tampered (rows "rows") input
  let expected = map (answer . rowOf) input
      sound c = case collectedResults c of
        Left f -> counterexample (show f) (collectedBatch c `mod` fromIntegral every === 0)
        Right answers ->
          answers
            === take (length answers) (List.genericDrop (collectedFirst c) expected)
              .&&. property (collectedBatch c `mod` fromIntegral every /= 0)
  pure (conjoin (map sound got))

-- The function is not applied to the last record of a batch, and once to each other.
moreBytes :: Int -> NonNegative Int -> NonEmptyList Word8 -> Property
moreBytes size (NonNegative records) (NonEmpty extra) = ioProperty $ do
  memory <- memoryEngine <$> newMemory ReturnAtOnce
  calls <- newIORef []
  let engine = memory {engineAdd = \run new -> engineAdd memory run (longer new)}
      longer new =
        new {newBytes = either (const "") (encodeEnvelope . more) (decodeEnvelope (newBytes new))}
      more e = e {envelopeBody = envelopeBody e <> S.pack extra, envelopeExpanded = expanded e}
      expanded e = envelopeExpanded e + fromIntegral (length extra)
      f row@(Row n _ _) = answer row <$ modifyIORef' calls (n :)
  _ <- submitWith (inBatches size' 1000000) engine (rows "rows") (counting total)
  _ <- worker engine (rows "rows") f
  got <- results engine (rows "rows")
  called <- reverse <$> readIORef calls
  let batches = List.groupBy (\a b -> collectedBatch a == collectedBatch b) got
      lasts = [failedFirst x | Left x <- map (collectedResults . last) batches]
      sound cs = case reverse (map collectedResults cs) of
        Left x : before ->
          conjoin
            [ (failedCount x, failedError x) === (1, "bytes after the last record"),
              [r | Right rs <- reverse before, r <- rs]
                === map (answer . rowOf) [minimum (map collectedFirst cs) .. failedFirst x - 1]
            ]
        other -> counterexample (show other) False
  pure $
    conjoin
      [ conjoin (map sound batches),
        called === [n | n <- [0 .. total - 1], n `notElem` lasts],
        drop (length lasts - 1) lasts === [total - 1 | total > 0]
      ]
  where
    size' = abs size * 50
    total = fromIntegral records

damagedResult :: NonNegative Int -> Property
damagedResult (NonNegative at) = ioProperty $ do
  let tampered e =
        e
          { engineStore = \run name n bytes ->
              engineStore e run name n (if n == 1 then broken bytes else bytes)
          }
      broken bytes = flipAt (at `mod` S.length bytes) 8 bytes
  got <- try (ran tampered (rows "rows") [1 .. 100])
  pure $ case got of
    Left (BadResult 1 _) -> property True
    other -> counterexample (show other) False

-- An engine that returns the wrong batch, or the wrong result.
mixedUp :: Property
mixedUp = ioProperty $ do
  firstBatch <- newIORef Nothing
  firstResult <- newIORef Nothing
  let wrongBatch e =
        e
          { engineTake = \run name idle -> do
              next <- engineTake e run name idle
              before <- readIORef firstBatch
              case (next, before) of
                (Taken d, Nothing) -> next <$ writeIORef firstBatch (Just (deliveryBytes d))
                (Taken d, Just bytes) -> pure (Taken d {deliveryBytes = bytes})
                _ -> pure next
          }
      wrongResult e =
        e
          { engineResult = \run n -> do
              result <- engineResult e run n
              before <- readIORef firstResult
              case (result, before) of
                (Stored _ bytes, Nothing) -> result <$ writeIORef firstResult (Just bytes)
                (Stored p _, Just bytes) -> pure (Stored p bytes)
                _ -> pure result
          }
  batches <- ran wrongBatch (rows "rows") [1 .. 100]
  second' <- try (ran wrongResult (rows "rows") [1 .. 100])
  pure $
    conjoin
      [ map (isLeft' . collectedResults) batches === (False : map (const True) (drop 1 batches)),
        property (length batches > 3),
        second' === Left (BadResult 1 "it has the number 0, and not 1")
      ]

bomb :: Property
bomb = ioProperty $ do
  let j = (rows "rows") {jobCompression = Just zeros}
  got <- ranBy (const j {jobExpansionLimit = 60}) j (replicate 48 0)
  let refused c = case collectedResults c of
        Left f -> "bytes, where 60 are allowed" `isInfixOf` T.unpack (failedError f)
        Right _ -> False
  pure (counterexample (show got) (all refused got .&&. not (null got)))

noBytes :: NonNegative Int -> Property
noBytes (NonNegative n) = ioProperty $ do
  engine <- memoryEngine <$> newMemory ReturnAtOnce
  let units = job "units" :: Job () ()
  m <- submitWith (inBatches 7 1000) engine units (\_ give -> replicateM_ n (give ()))
  _ <- worker engine units pure
  k <- collect engine units (\k c -> pure (k + either (const 0) length (collectedResults c))) 0
  pure (m === fromIntegral n .&&. k === n)

older :: Property
older = ioProperty $ do
  engine <- memoryEngine <$> newMemory ReturnAtOnce
  let old = job "rows" :: Job OldRow Answer
  _ <- submit engine old (\_ give -> mapM_ (give . oldRowOf) [1 .. 100])
  _ <- worker engine (rows "rows") (pure . answer)
  got <- results engine (rows "rows")
  let expected = [answer (Row n name Nothing) | n <- [1 .. 100], let Row _ name _ = rowOf n]
  pure (answersOf got === expected)

-- What a worker of another type is told. The batch is left to others, and that was no attempt.
refusal :: (Engine -> IO Worked) -> IO (String, Property)
refusal wrong = do
  engine <- memoryEngine <$> newMemory ReturnAtOnce
  _ <- submit engine (rows "rows") (\_ give -> mapM_ (give . rowOf) [1 .. 100])
  refused <- try (wrong engine)
  (watched, attempts) <- noting engine
  _ <- worker watched (rows "rows") (pure . answer)
  got <- results engine (rows "rows")
  tried <- attempts
  pure
    ( either (\e -> case e of OtherTypes why -> why; _ -> show e) show refused,
      tried === [1] .&&. answersOf got === map (answer . rowOf) [1 .. 100]
    )

otherArguments :: Property
otherArguments = ioProperty $ do
  let wrong = job "rows" :: Job OtherRow Answer
  (why, ok) <- refusal (\e -> worker e wrong (\_ -> pure (Answer 0 "")))
  pure (counterexample why ("OtherRow.rowName" `isInfixOf` why) .&&. ok)

otherResults :: Property
otherResults = ioProperty $ do
  let wrong = job "rows" :: Job Row OtherAnswer
  (why, ok) <- refusal (\e -> worker e wrong (\_ -> pure (OtherAnswer 0 0)))
  pure (counterexample why ("answerText" `isInfixOf` why) .&&. ok)

-- The worker has done batches of its own type before.
newerResults :: Property
newerResults = ioProperty $ do
  engine <- memoryEngine <$> newMemory ReturnAtOnce
  there <- newIORef 0
  let newer = job "rows" :: Job Row NewAnswer
      f row = let Answer n text = answer row in pure (NewAnswer n text (Just n))
  stopped <- try . submitWith (inBatches 50 1000) engine (rows "rows") $ \_ give ->
    mapM_ (give . rowOf) [0 .. 49] >> throwIO TakenOver
  _ <- submitWith (inBatches 50 1000) engine newer $ \n give ->
    writeIORef there n >> mapM_ (give . rowOf) [n .. 99]
  refused <- try (worker engine (rows "rows") (pure . answer))
  (watched, attempts) <- noting engine
  _ <- worker watched newer f
  got <- collect engine newer (\cs c -> pure (c : cs)) []
  tried <- attempts
  k <- readIORef there
  let expected n =
        let Answer m text = answer (rowOf n)
         in NewAnswer m text (if n < k then Nothing else Just m)
  pure $
    conjoin
      [ stopped === Left TakenOver,
        case refused of
          Left (OtherTypes why) -> counterexample why ("answerCode" `isInfixOf` why)
          other -> counterexample (show other) False,
        counterexample (show tried) (not (null tried) && all (== 1) tried),
        counterexample (show k) (k > 0),
        concatMap (either (const []) id . collectedResults) (reverse got)
          === map expected [0 .. 99]
      ]

-- An engine whose batches have results for their first record, of another type.
otherNote :: Property
otherNote = ioProperty $ do
  noted <- newIORef (0 :: Int)
  let wrong = job "rows" :: Job Row OtherAnswer
      note e =
        seal wrong Parts (envelopeArgument e) (envelopeNumber e) 1 (envelopeFirst e) count $
          putParts [Part 1 (Done (encode (OtherAnswer 0 0))), Part (n - 1) (Waiting 0 False)]
        where
          count = envelopeCount e
          n = fromIntegral count
      tampered e =
        e
          { engineTake = \run name idle -> do
              taken <- engineTake e run name idle
              case taken of
                Taken d
                  | Right batch <- decodeEnvelope (deliveryBytes d),
                    envelopeCount batch > 1 ->
                    Taken d {deliveryNote = note batch} <$ modifyIORef' noted (+ 1)
                _ -> pure taken
          }
  got <- ran tampered (rows "rows") [0 .. 99]
  n <- readIORef noted
  pure (n > 0 .&&. answersOf got === map (answer . rowOf) [0 .. 99])

otherCollector :: Property
otherCollector = ioProperty $ do
  engine <- memoryEngine <$> newMemory ReturnAtOnce
  _ <- submit engine (rows "rows") (\_ give -> mapM_ (give . rowOf) [1 .. 100])
  _ <- worker engine (rows "rows") (pure . answer)
  got <- try (collect engine (job "rows" :: Job Row OtherAnswer) (\n _ -> pure (n + 1)) (0 :: Int))
  pure $ case got of
    Left (OtherTypes why) -> counterexample why ("answerText" `isInfixOf` why)
    other -> counterexample (show other) False

second :: Property
second = ioProperty $ do
  engine <- memoryEngine <$> newMemory ReturnAtOnce
  let options = inBatches 50 1000
      all' = [1 .. 100]
      whole n give = mapM_ (give . rowOf) (List.genericDrop n all')
  first <- try . submitWith options engine (rows "rows") $ \n give -> do
    mapM_ (give . rowOf) (take 50 (List.genericDrop n all'))
    m <- submitWith options engine (rows "rows") whole
    if m == 100 then mapM_ (give . rowOf) (drop 50 all') else pure ()
  _ <- worker engine (rows "rows") (pure . answer)
  got <- results engine (rows "rows")
  pure $
    first === Left TakenOver
      .&&. answersOf got === map (answer . rowOf) all'

withoutChecksum :: S.ByteString -> S.ByteString
withoutChecksum bytes = S.take (S.length bytes - 4) bytes
