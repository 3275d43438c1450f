{-# LANGUAGE DerivingStrategies #-}
{-# LANGUAGE GeneralizedNewtypeDeriving #-}
{-# LANGUAGE OverloadedStrings #-}
-- The name of 'requestBody' is said to mislead, but newer versions set it by another function.
{-# OPTIONS_GHC -Wno-deprecations #-}

-- |
-- Module      : Tests.Model
-- Description : Bodies without a server, against lists of bytes
module Tests.Model (tests) where

import Ashlar.Builder
import Ashlar.Builder.Extra (byteStringInsert, flush)
import Ashlar.Get
import Ashlar.Wai
import Control.Applicative (many)
import Control.Concurrent
import Control.Exception
import Control.Monad (forM_, replicateM_, void, when)
import qualified Data.ByteString as S
import qualified Data.ByteString.Builder as B
import qualified Data.ByteString.Builder.Extra as B
import qualified Data.ByteString.Lazy as L
import Data.IORef
import Data.Int (Int64)
import Data.Word (Word16)
import Foreign (allocaBytes, castPtr)
import Network.Wai (Request (requestBody, requestBodyLength), RequestBodyLength (..), StreamingBody)
import qualified Network.Wai as Wai
import System.Timeout (timeout)
import Test.Tasty
import Test.Tasty.QuickCheck
import Tests.Prompt (Driver, prompt)

tests :: TestTree
tests =
  testGroup
    "without a server"
    [ testProperty "the bytes of all parts, and a flush where one belongs" partsProp,
      testProperty "streamBuilder: bytes and flushes" builderProp,
      testProperty "what was inserted or flushed leaves the server in time" $
        prompt (throughServer streamBuilder),
      testProperty "several threads: each part stays in one piece" threadsProp,
      testProperty "FlushAfter: what was written is flushed while the body waits" afterProp,
      testProperty "FlushAfter: nothing is flushed after the end" (once quietProp),
      testProperty "FlushAfter: the server's exception reaches the next part" (once failedProp),
      testProperty "FlushAfter: a body whose last flush failed does not end as if whole" $
        once lastFlushProp,
      testProperty "FlushAfter: an exception of the body ends the thread" (once killedProp),
      testProperty "a part after the end is refused" lateProp,
      testProperty "an exception in a part: the parts before it are kept" brokenProp,
      testProperty "an exception in a part that has begun ends the body" (once halfSentProp),
      testProperty "an interrupted write ends the body" (once interruptedProp),
      testProperty "decodeBody does not depend on chunks" decodeProp,
      testProperty "foldBody does not depend on chunks" foldProp,
      testProperty "an announced length over the limit: nothing is read" announcedProp,
      testProperty "an exception of a decoder, of a step, of the server" throwProp
    ]

-- A builder, and its bytes up to each flush.
data Piece = Bytes [Int] | Inserted Int | FlushHere
  deriving stock (Eq, Show)

instance Arbitrary Piece where
  arbitrary =
    frequency
      [ (6, Bytes <$> listOf (choose (0, 255))),
        (2, Inserted <$> oneof [choose (0, 100), choose (0, 50000)]),
        (1, pure FlushHere)
      ]
  shrink piece = case piece of
    Bytes ws -> Bytes <$> shrinkList (const []) ws
    Inserted n -> Inserted <$> shrink n
    FlushHere -> []

newtype Part = Part [Piece]
  deriving newtype (Eq, Show, Arbitrary)

partBuilder :: Part -> Builder
partBuilder (Part pieces) = foldMap go pieces
  where
    go piece = case piece of
      Bytes ws -> foldMap (word8 . fromIntegral) ws
      Inserted n -> byteStringInsert (S.replicate n 7)
      FlushHere -> flush

-- A server that, as warp, sends what is in its buffer when that is full, at a flush, and with an
-- inserted ByteString.
throughServer :: (Builder -> StreamingBody) -> Driver Builder
throughServer body consume b = do
  buffered <- newIORef S.empty
  let send = readIORef buffered >>= consume >> writeIORef buffered S.empty
      write = run . B.runBuilder
      run writer = do
        (bs, next) <- allocaBytes 16384 $ \p -> do
          (n, next) <- writer p 16384
          (\bs -> (bs, next)) <$> S.packCStringLen (castPtr p, n)
        modifyIORef' buffered (<> bs)
        case next of
          B.Done -> pure ()
          B.More _ more -> send >> run more
          B.Chunk inserted more -> send >> consume inserted >> run more
  body b write send
  send

-- What a server sees: bytes, and flushes.
data Seen = Saw S.ByteString | Flushed
  deriving stock (Eq, Show)

joined :: [Seen] -> [Seen]
joined seen = case seen of
  Saw a : Saw b : more -> joined (Saw (a <> b) : more)
  Saw a : more | S.null a -> joined more
  a : more -> a : joined more
  [] -> []

partSeen :: Part -> [Seen]
partSeen (Part pieces) = map go pieces
  where
    go piece = case piece of
      Bytes ws -> Saw (S.pack (map fromIntegral ws))
      Inserted n -> Saw (S.replicate n 7)
      FlushHere -> Flushed

-- Run a body, and return what the server saw.
observed :: StreamingBody -> IO [Seen]
observed body = do
  log' <- newIORef []
  body (\b -> push log' (Saw (L.toStrict (B.toLazyByteString b)))) (push log' Flushed)
  joined . reverse <$> readIORef log'

push :: IORef [a] -> a -> IO ()
push ref a = atomicModifyIORef' ref (\as -> (a : as, ()))

partsProp :: Bool -> [Part] -> Property
partsProp each parts = ioProperty $ do
  seen <- observed (streamParts policy (\write -> mapM_ (write . partBuilder) parts))
  pure (seen === joined (concatMap expected parts))
  where
    policy = if each then FlushEachPart else FlushNever
    expected part = partSeen part ++ [Flushed | each]

builderProp :: Part -> Property
builderProp part = ioProperty $ do
  seen <- observed (streamBuilder (partBuilder part))
  pure (seen === joined (partSeen part))

threadsProp :: Property
threadsProp = forAll (elements [FlushNever, FlushEachPart, FlushAfter 0]) $ \policy ->
  ioProperty $ do
    seen <- observed $
      streamParts policy $ \write -> do
        dones <- mapM (\w -> forkDone (replicateM_ 50 (write (run w)))) [1 .. 4]
        mapM_ takeMVar dones
    let bytes = mconcat [bs | Saw bs <- seen]
        groups = chunksOf 3000 bytes
    pure (S.length bytes === 4 * 50 * 3000 .&&. all (\g -> S.all (== S.head g) g) groups)
  where
    run w = foldMap word8 (replicate 3000 w)
    forkDone act = newEmptyMVar >>= \done -> done <$ forkFinally act (\_ -> putMVar done ())
    chunksOf n bs = if S.null bs then [] else S.take n bs : chunksOf n (S.drop n bs)

-- The body ends only after its only part has been flushed.
afterProp :: NonNegative Int -> Property
afterProp (NonNegative time) = ioProperty $ do
  flushed <- newEmptyMVar
  sent <- newIORef mempty
  let write b = modifyIORef' sent (<> L.toStrict (B.toLazyByteString b))
  streamParts
    (FlushAfter (time * 1000 `mod` 20000))
    (\part -> forM_ [1, 2, 3] (\w -> part (word8 w) >> takeMVar flushed))
    write
    (readIORef sent >>= putMVar flushed . S.length)
  readIORef sent >>= \bytes -> pure (bytes === S.pack [1, 2, 3])

quietProp :: Property
quietProp = ioProperty $ do
  flushes <- newIORef (0 :: Int)
  streamParts (FlushAfter 20000) (\part -> part "x") (\_ -> pure ()) (modifyIORef' flushes (+ 1))
  atEnd <- readIORef flushes
  threadDelay 100000
  now <- readIORef flushes
  pure (now === atEnd)

failedProp :: Property
failedProp = ioProperty $ do
  tried <- newEmptyMVar
  ended <-
    try $
      streamParts
        (FlushAfter 1000)
        (\part -> part "a" >> takeMVar tried >> mapM_ (\_ -> part "b" >> yield) [1 :: Int ..])
        (\_ -> pure ())
        (putMVar tried () >> throwIO (userError "gone"))
  pure (either (\e -> e === userError "gone") (\() -> counterexample "no exception" False) ended)

-- The body ends while the flush fails. Should the failure be kept too late, some of these many
-- bodies do not see it.
lastFlushProp :: Property
lastFlushProp = ioProperty $ do
  before <- getNumCapabilities
  done <- newEmptyMVar
  setNumCapabilities (max 2 before)
  _ <- forkOn 1 (mapM lastFlush [1 .. 2000] >>= putMVar done)
  outcomes <- takeMVar done
  setNumCapabilities before
  pure (length (filter (== Right ()) outcomes) === 0)
  where
    lastFlush :: Int -> IO (Either IOException ())
    lastFlush n = do
      failing <- newIORef False
      let waiting = do
            now <- readIORef failing
            if now then spin (n `mod` 200) else yield >> waiting
          spin k = if k == 0 then pure () else readIORef failing >> spin (k - 1 :: Int)
      try $
        streamParts
          (FlushAfter 1)
          (\part -> part "a" >> waiting)
          (\_ -> pure ())
          (writeIORef failing True >> throwIO (userError "gone"))

killedProp :: Property
killedProp = ioProperty $ do
  flushes <- newIORef (0 :: Int)
  ended <-
    try $
      streamParts
        (FlushAfter 20000)
        (\part -> part "a" >> throwIO Overflow)
        (\_ -> pure ())
        (modifyIORef' flushes (+ 1))
  threadDelay 100000
  n <- readIORef flushes
  pure (ended === Left Overflow .&&. n === 0)

lateProp :: Property
lateProp = forAll (elements [FlushNever, FlushEachPart, FlushAfter 0]) $ \policy -> ioProperty $ do
  leaked <- newEmptyMVar
  _ <- observed (streamParts policy (putMVar leaked))
  write <- takeMVar leaked
  late <- try (write "late")
  pure (late === Left BodyEnded)

-- An application that goes on after a broken part: whole parts are there, in order.
brokenProp :: Property
brokenProp = ioProperty $ do
  seen <- observed $
    streamParts FlushNever $ \write -> do
      write "one "
      broken <- try (write ("lost" <> word8 (throw Overflow)))
      when (broken == Left Overflow) $ write "two"
  pure (seen === [Saw "one two"])

halfSentProp :: Property
halfSentProp = ioProperty $ do
  outcomes <- newEmptyMVar
  ended <-
    try . observed . streamParts FlushNever $ \write -> do
      broken <- try (write ("half" <> flush <> word8 (throw Overflow)))
      next <- try (write "two")
      putMVar outcomes (broken, next)
  seen <- takeMVar outcomes
  let whole = either (=== Overflow) (\_ -> property False) ended
  pure (seen === (Left Overflow, Left Overflow) .&&. whole)

-- The server's write waits for a client, and the thread that writes a part is interrupted.
interruptedProp :: Property
interruptedProp = forAll (elements [FlushNever, FlushEachPart, FlushAfter 1000000]) $ \policy ->
  ioProperty $ do
    outcomes <- newEmptyMVar
    ended <-
      try $
        streamParts
          policy
          ( \write -> do
              _ <- write "first"
              slow <- timeout 10000 (write ("slow" <> flush))
              next <- try (write "two")
              putMVar outcomes (slow, next)
          )
          (\_ -> threadDelay 200000)
          (pure ())
    seen <- takeMVar outcomes
    pure (seen === (Nothing, Left BodyBroken) .&&. ended === Left BodyBroken)

-- A request whose body comes in these chunks.
requestOf :: RequestBodyLength -> [S.ByteString] -> IO Request
requestOf size chunks = do
  ref <- newIORef (filter (not . S.null) chunks)
  pure
    Wai.defaultRequest
      { requestBody = atomicModifyIORef' ref (\bss -> (drop 1 bss, mconcat (take 1 bss))),
        requestBodyLength = size
      }

cut :: [Int] -> S.ByteString -> [S.ByteString]
cut sizes bs = case sizes of
  n : more | n < S.length bs -> S.take n bs : cut more (S.drop n bs)
  _ -> [bs]

sizes' :: Gen [Int]
sizes' = oneof [pure (replicate 200 1), listOf (choose (1, 9)), pure []]

-- Several decoders: one that ends early, one that goes back, one that takes all.
decoders :: [Get [Word16]]
decoders =
  [ (: []) <$> getWord16be,
    many getWord16be,
    many (getWord16be <* satisfy (< 128)),
    do n <- getWord8; getByteString (fromIntegral n) >> pure [],
    getWord8 >>= \n -> mapM (const getWord16be) [1 .. n],
    pure []
  ]

decodeProp :: Property
decodeProp =
  forAll (elements [0 .. length decoders - 1]) $ \i ->
    forAll (S.pack <$> resize 30 (listOf (choose (0, 12)))) $ \body ->
      forAll (choose (0, 40)) $ \limit -> forAll sizes' $ \sizes -> ioProperty $ do
        let g = decoders !! i
        whole <- requestOf ChunkedBody [body] >>= decodeBody limit g
        split <- requestOf ChunkedBody (cut sizes body) >>= decodeBody limit g
        let fits = fromIntegral (S.length body) <= limit
            model = either (Left . BodyInvalid) Right (runGetWhole g body)
        pure $
          split === whole
            .&&. if fits
              then whole === model
              else property (either (const True) (const False) whole)

foldProp :: Property
foldProp =
  forAll (S.pack <$> resize 30 (listOf (choose (0, 255)))) $ \body ->
    forAll (choose (0, 40)) $ \limit -> forAll sizes' $ \sizes -> ioProperty $ do
      seen <- newIORef []
      let step n w = n + 1 <$ push seen w
      request <- requestOf ChunkedBody (cut sizes body)
      end <- foldBody limit getWord16be step (0 :: Int) request
      values <- reverse <$> readIORef seen
      let allowed = fromIntegral limit `min` S.length body
          words' = [256 * fromIntegral a + fromIntegral b | (a, b) <- pairs (S.unpack body)]
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
          .&&. values === take count words'
  where
    pairs (a : b : more) = (a, b) : pairs more
    pairs _ = []

announcedProp :: Property
announcedProp = forAll ((,) <$> choose (0, 100) <*> choose (-3, 100)) $ \(n, limit) ->
  ioProperty $ do
    count <- newIORef (0 :: Int)
    request <- requestOf (KnownLength (fromIntegral n)) [S.replicate n 0]
    let counted = request {requestBody = modifyIORef' count (+ 1) >> requestBody request}
    end <- decodeBody (fromIntegral limit :: Int64) (void (many getWord8)) counted
    reads' <- readIORef count
    pure $
      if n > max 0 limit
        then end === Left (BodyTooLarge (fromIntegral limit)) .&&. reads' === 0
        else end === Right ()

throwProp :: Property
throwProp = ioProperty $ do
  decoder <- requestOf ChunkedBody ["a", "b"] >>= try . decodeBody 9 (getWord16be >>= throw')
  step <- requestOf ChunkedBody ["a"] >>= try . foldBody 9 getWord8 (\() _ -> throwIO Overflow) ()
  request <- requestOf ChunkedBody []
  server <- try (decodeBody 9 getWord8 request {requestBody = throwIO Overflow})
  pure $
    conjoin
      [ decoder === (Left Overflow :: Either ArithException (Either BodyError ())),
        step === Left Overflow,
        server === Left Overflow
      ]
  where
    throw' :: Word16 -> Get ()
    throw' _ = throw Overflow
