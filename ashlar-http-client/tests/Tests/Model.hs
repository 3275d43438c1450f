{-# LANGUAGE OverloadedStrings #-}

-- |
-- Module      : Tests.Model
-- Description : Bodies without a server, against lists of bytes
module Tests.Model (tests) where

import Ashlar.Builder
import Ashlar.Codec (Codec, HasFormat (..), byHand, encode)
import Ashlar.Get
import Ashlar.HttpClient
import Control.Applicative (many)
import Control.Concurrent (newEmptyMVar, putMVar, readMVar, takeMVar)
import Control.Exception
import Control.Monad (replicateM)
import qualified Data.ByteString as S
import qualified Data.ByteString.Builder as B (toLazyByteString)
import qualified Data.ByteString.Lazy as L
import Data.IORef
import Data.Int (Int64)
import Data.Word (Word16, Word8)
import Network.HTTP.Client (BodyReader, RequestBody (..), Response, httpNoBody)
import System.IO.Unsafe (unsafeInterleaveIO, unsafePerformIO)
import System.Timeout (timeout)
import Test.Tasty
import Test.Tasty.QuickCheck
import Tests.Prompt (Driver, prompt)
import Tests.Server (requestTo, withClient)
import qualified Tests.Server as Server

tests :: TestTree
tests = withResource anyResponse (\_ -> pure ()) $ \response ->
  testGroup
    "without a server"
    [ testProperty "each attempt gets all bytes, whatever became of those before" attemptsProp,
      testProperty "after an exception, a popper throws again and does not end" againProp,
      testProperty "an interrupted popper can be called again" (once interruptedProp),
      testProperty "a popper runs the builder no further than it must" (once lazyProp),
      testProperty "what was inserted or flushed is popped in time" (prompt popping),
      testProperty "bodySized: another length is an exception, and no byte is too many" lengthProp,
      testProperty "bodyEncoded: known lengths" encodedProp,
      testProperty "bodyEncoded: interrupted, and used again" (once resumedProp),
      testProperty "decodeBody does not depend on chunks" (decodeProp response),
      testProperty "foldBody does not depend on chunks" (foldProp response)
    ]

-- Pull at most n chunks of a body that is streamed.
pulled :: Int -> RequestBody -> IO [S.ByteString]
pulled n body = case body of
  RequestBodyStreamChunked with -> gather with
  RequestBodyStream _ with -> gather with
  RequestBodyBS bs -> pure [bs]
  RequestBodyBuilder _ b -> pure [L.toStrict (B.toLazyByteString b)]
  RequestBodyIO act -> act >>= pulled n
  _ -> fail "another body"
  where
    gather with = newIORef [] >>= \ref -> with (go ref n) >> reverse <$> readIORef ref
    go ref left next
      | left == 0 = pure ()
      | otherwise =
        next >>= \bs ->
          if S.null bs then pure () else modifyIORef' ref (bs :) >> go ref (left - 1) next

popping :: Driver Builder
popping consume b = case bodyBuilder b of
  RequestBodyStreamChunked with -> with go
  _ -> fail "another body"
  where
    go next = next >>= \bs -> if S.null bs then pure () else consume bs >> go next

attemptsProp :: [Small Int] -> Property
attemptsProp counts = forAll (choose (0, 40000)) $ \n -> ioProperty $ do
  let body = bodyBuilder (foldMap (word32BE . fromIntegral) [1 .. n])
      whole = toStrictByteString (foldMap (word32BE . fromIntegral) [1 .. n :: Int])
  mapM_ (\(Small k) -> pulled (abs k) body) counts
  chunks <- pulled maxBound body
  repeated <- pulled maxBound body
  pure (S.concat chunks === whole .&&. S.concat repeated === whole .&&. not (any S.null chunks))

-- Bytes, and then a value that throws.
throwing :: Exception e => Int -> e -> Builder
throwing n e = foldMap (const (word8 1)) [1 .. n] <> word8 (throw e)

againProp :: Property
againProp = forAll (choose (0, 100000)) $ \n -> ioProperty $ do
  plain <- outcomes (bodyBuilder (throwing n Overflow))
  io <- outcomes (bodyBuilder (throwing n (userError "not sent")))
  pure $
    plain === replicate 3 (Left (show Overflow))
      .&&. io === replicate 3 (Left (show (BodyException (userError "not sent"))))
  where
    outcomes body = do
      ref <- newIORef []
      case body of
        RequestBodyStreamChunked with -> with $ \next -> do
          let toException' = either (\e -> Left (show (e :: SomeException))) Right
              skipped =
                try next >>= \r -> case r of
                  Right bs | not (S.null bs) -> skipped
                  _ -> pure (toException' r)
          first <- skipped
          more <- replicateM 2 (toException' <$> try next)
          writeIORef ref (first : more)
        _ -> fail "another body"
      readIORef ref

-- The first call waits for a value until it is interrupted. The second goes on.
interruptedProp :: Property
interruptedProp = ioProperty $ do
  gate <- newEmptyMVar
  let value = unsafePerformIO (readMVar gate)
  chunks <- newIORef []
  case bodyBuilder (foldMap word8 (replicate 40000 1) <> word8 value) of
    RequestBodyStreamChunked with -> with $ \next -> do
      let keep = next >>= \bs -> S.length bs <$ modifyIORef' chunks (bs :)
          untilBlocked = timeout 50000 keep >>= maybe (pure ()) (const untilBlocked)
          toTheEnd = keep >>= \n -> if n == 0 then pure () else toTheEnd
      untilBlocked
      putMVar gate 7
      toTheEnd
    _ -> fail "another body"
  bytes <- S.concat . reverse <$> readIORef chunks
  pure (bytes === S.replicate 40000 1 <> "\7")

lazyProp :: Property
lazyProp = ioProperty $ do
  made <- newIORef (0 :: Int)
  let part n = byteString (unsafePerformIO (S.replicate 1000 1 <$ writeIORef made n))
  chunks <- pulled 3 (bodyBuilder (foldMap part [1 ..]))
  n <- readIORef made
  pure (length chunks === 3 .&&. counterexample (show n) (n < 200))

lengthProp :: Property
lengthProp = forAll (choose (0, 70000)) $ \n -> forAll (choose (-3, 3)) $ \off -> ioProperty $ do
  let said = max 0 (n + off)
      body = bodySized (fromIntegral said) (foldMap (const (word8 1)) [1 .. n])
  sent <- newIORef 0
  outcome <- try $ case body of
    RequestBodyStream _ with -> with (summing sent)
    _ -> fail "another body"
  passed <- readIORef sent
  pure $
    passed <= said
      .&&. case outcome of
        Right () -> said === n
        Left (WrongBodyLength announced built) ->
          said =/= n .&&. announced === fromIntegral said .&&. (built > announced) === (n > said)
  where
    summing ref next =
      next >>= \bs ->
        if S.null bs then pure () else modifyIORef' ref (+ S.length bs) >> summing ref next

-- A list of one byte each.
newtype Ones = Ones Int

instance Codec Ones

instance HasFormat Ones where
  format = byHand 0 (\(Ones n) -> n) write (pure (Ones 0))
    where
      write (Ones n) = foldMap (const (word8 1)) [1 .. n]

encodedProp :: Property
encodedProp = forAll (elements [0, 1, 32767, 32768, 32769, 100000]) $ \n -> ioProperty $ do
  let body = bodyEncoded (Ones n)
  chunks <- pulled maxBound body
  pure (lengthOf body === Just (fromIntegral n) .&&. S.concat chunks === encode (Ones n))
  where
    lengthOf :: RequestBody -> Maybe Int64
    lengthOf body = case body of
      RequestBodyBuilder n _ -> Just n
      RequestBodyStream n _ -> Just n
      _ -> Nothing

-- The size, or the last byte, has to be waited for.
resumedProp :: Property
resumedProp = conjoin [resumed (\x -> replicate (fromIntegral x) 7), resumed (\x -> [1, 2, x])]
  where
    resumed :: (Word8 -> [Word8]) -> Property
    resumed list = ioProperty $ do
      waiting <- newEmptyMVar
      x <- unsafeInterleaveIO (takeMVar waiting)
      let body = bodyEncoded (list x)
      stopped <- timeout 20000 (evaluate body >>= pulled maxBound >>= evaluate . S.concat)
      putMVar waiting 3
      chunks <- pulled maxBound body
      pure (stopped === Nothing .&&. S.concat chunks === encode (list x))

-- A response whose body comes in these chunks.
responseOf :: Response () -> [S.ByteString] -> IO (Response BodyReader)
responseOf response chunks = do
  ref <- newIORef (filter (not . S.null) chunks)
  pure (atomicModifyIORef' ref (\bss -> (drop 1 bss, mconcat (take 1 bss))) <$ response)

-- Some response.
anyResponse :: IO (Response ())
anyResponse = byHandServer $ \port -> withClient 0 $ \manager -> do
  request <- requestTo port "/"
  httpNoBody request manager
  where
    byHandServer = Server.byHand (\receive send -> receive >> send "HTTP/1.1 204 \r\n\r\n")

cut :: [Int] -> S.ByteString -> [S.ByteString]
cut sizes bs = case sizes of
  n : more | n < S.length bs -> S.take n bs : cut more (S.drop n bs)
  _ -> [bs]

chunkSizes :: Gen [Int]
chunkSizes = oneof [pure (replicate 200 1), listOf (choose (1, 9)), pure []]

decoders :: [Get [Word16]]
decoders =
  [ (: []) <$> getWord16be,
    many getWord16be,
    many (getWord16be <* satisfy (< 128)),
    do n <- getWord8; getByteString (fromIntegral n) >> pure [],
    getWord8 >>= \n -> mapM (const getWord16be) [1 .. n],
    pure []
  ]

decodeProp :: IO (Response ()) -> Property
decodeProp response =
  forAll (elements [0 .. length decoders - 1]) $ \i ->
    forAll (S.pack <$> resize 30 (listOf (choose (0, 12)))) $ \body ->
      forAll (choose (0, 40)) $ \limit -> forAll chunkSizes $ \sizes -> ioProperty $ do
        let g = decoders !! i
        whole <- response >>= \r -> responseOf r [body] >>= decodeBody limit g
        split <- response >>= \r -> responseOf r (cut sizes body) >>= decodeBody limit g
        pure $
          split === whole
            .&&. if fromIntegral (S.length body) <= limit
              then whole === either (Left . BodyInvalid) Right (runGetWhole g body)
              else property (either (const True) (const False) whole)

foldProp :: IO (Response ()) -> Property
foldProp response =
  forAll (S.pack <$> resize 30 (listOf (choose (0, 255)))) $ \body ->
    forAll (choose (0, 40)) $ \limit -> forAll chunkSizes $ \sizes -> ioProperty $ do
      seen <- newIORef []
      let step n w = n + 1 <$ modifyIORef' seen (w :)
      chunked <- response >>= \r -> responseOf r (cut sizes body)
      end <- foldBody limit getWord16be step (0 :: Int) chunked
      values <- reverse <$> readIORef seen
      let allowed = fromIntegral limit `min` S.length body
          count = allowed `div` 2
          outcome
            | S.length body > fromIntegral limit = Left (Nothing, count)
            | odd (S.length body) =
              Left (Just (fromIntegral (S.length body - 1), MissingInput 2 1), count)
            | otherwise = Right count
          known (e, n) = case e of
            BodyTooLarge _ -> (Nothing, n)
            BodyInvalid why -> (Just (errorOffset why, errorReason why), n)
      pure $
        either (Left . known) Right end === outcome
          .&&. values === take count (pairs (S.unpack body))
  where
    pairs (a : b : more) = 256 * fromIntegral a + fromIntegral b : pairs more
    pairs _ = []
