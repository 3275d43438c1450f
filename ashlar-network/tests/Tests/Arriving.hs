{-# LANGUAGE BangPatterns #-}
{-# LANGUAGE DataKinds #-}
{-# LANGUAGE DeriveAnyClass #-}
{-# LANGUAGE DeriveGeneric #-}
{-# LANGUAGE DerivingStrategies #-}
{-# LANGUAGE DuplicateRecordFields #-}
{-# LANGUAGE OverloadedStrings #-}
{-# LANGUAGE TypeApplications #-}
-- The receiver of a gigabyte adds up its words.
{-# OPTIONS_GHC -O1 #-}

-- |
-- Module      : Tests.Arriving
-- Description : Messages that are decoded as their bytes arrive
module Tests.Arriving
  ( tests,
    sendLarge,
    receiveLarge,
  )
where

import Ashlar.Codec
import Ashlar.Get
import Ashlar.Network.Messages
import Ashlar.Schema (Described (..), added)
import Control.Concurrent
import Control.Exception
import Control.Monad
import qualified Data.ByteString as S
import qualified Data.ByteString.Char8 as C
import Data.IORef
import Data.Word (Word64, Word8)
import GHC.Generics (Generic)
import Network.Socket
import System.Environment (getExecutablePath)
import System.Exit (ExitCode (..))
import System.IO (BufferMode (LineBuffering), hSetBuffering, stdout)
import System.Process
import System.Timeout (timeout)
import Test.Tasty
import Test.Tasty.QuickCheck
import Tests.Countdown
import Tests.Ends

tests :: TestTree
tests =
  testGroup
    "messages decoded as they arrive"
    [ testProperty "the same messages as those that are collected" . withMaxSuccess 60 $
        \stream xs summed (InfiniteList ways _) -> ioProperty . withEnds stream $ \a b -> do
          let chosen = defaultOptions {optionsChecksums = summed}
          (_, got) <-
            both
              (withConnection chosen described number a (\c -> mapM_ (send c) xs))
              (withConnection defaultOptions number described b (inWays ways))
          pure (got === (xs :: [Message])),
      testProperty "cut off after each byte" . once . conjoin $
        [ ioProperty $ do
            bytes <- recorded options numbers (\c -> mapM_ (send c) [[1, 2, 3]])
            outs <- forM [0 .. S.length bytes - 1] $ \n -> do
              let peer k = fst <$> scripted (chunksOf k (S.take n bytes)) Closes
              ends <- forM [1, 5, 1000000] $ \k -> do
                transport <- peer k
                outcome (withConnection options number numbers transport arriving)
              transport <- peer 1000000
              whole <- outcome (withConnection options number numbers transport collected)
              pure (ends === replicate 3 whole)
            pure (conjoin outs)
          | options <- bothWays
        ],
      testProperty "every byte changed: an error, or the same message" . once . ioProperty $ do
        bytes <- recorded defaultOptions numbers (`send` [1, 2, 3])
        outs <- forM [(i, w) | i <- [0 .. S.length bytes - 1], w <- [1, 128, 255]] $ \(i, w) -> do
          (peer, _) <- scripted [changed i w bytes] Closes
          outcome (withConnection defaultOptions number numbers peer arriving)
        pure . conjoin $
          [counterexample (show out) (either (const True) (== [[1, 2, 3]]) out) | out <- outs],
      testProperty "a length is not believed, and the limit holds" . once . ioProperty $ do
        whole <- recorded defaultOptions numbers (const (pure ()))
        ends <- forM ["\231\3\0\0", "\232\3\0\0", "\255\255\255\127", "\254\255\255\255"] $ \n -> do
          (peer, _) <- scripted [S.take (S.length whole - 4) whole <> n] Closes
          outcome (withConnection defaultOptions number numbers peer (\c -> limited c 999))
        pure $
          ends
            === map
              Left
              [ "PeerClosed 4",
                "TooLong 1000 999",
                "TooLong 2147483647 999",
                "TooLong 4294967294 999"
              ],
      testProperty "a limit of its own replaces the limit for messages" . once . ioProperty $ do
        (a, b) <- pipe 100
        (_, got) <-
          both
            (withConnection defaultOptions numbers number a (`send` [1 .. 1000]))
            ( withConnection defaultOptions {optionsMessageLimit = 10} number numbers b $ \c ->
                limited c 8008
            )
        pure (got === Just [1 .. 1000]),
      testProperty "a decoder that fails or ends early, an action that throws" . once . conjoin $
        [ ioProperty $ do
            (a, b) <- pipe 3
            (_, (first, later)) <-
              both
                (try (withConnection defaultOptions numbers number a (`send` [1, 2, 3])))
                ( withConnection defaultOptions number numbers b $ \c -> do
                    first <- try (outcome (void (receiveWith c 1000 act)))
                    later <- outcome (void (receive c))
                    pure (first, later)
                ) ::
                IO (Either ConnectionError (), (Outcome, Either String ()))
            pure ((first, later) === (expected, Left why))
          | (act, expected, why) <-
              [ (\s -> getFrom s (fail "no"), Right (Left "InvalidMessage"), "InvalidMessage"),
                (\s -> getFrom s (() <$ getWord8), Right (Left "InvalidMessage"), "InvalidMessage"),
                (\_ -> pure (Right ()), Right (Left "InvalidMessage"), "InvalidMessage"),
                (\s -> getFrom s (skip 33), Right (Left "InvalidMessage"), "InvalidMessage"),
                (\_ -> throwIO (ErrorCall "bad"), Left (ErrorCall "bad"), "ConnectionBroken")
              ]
        ],
      testProperty "the source ends with its message" . once . ioProperty $ do
        (a, b) <- pipe 3
        (_, got) <-
          both
            (withConnection defaultOptions numbers number a (\c -> send c [1] >> send c [2]))
            ( withConnection defaultOptions number numbers b $ \c -> do
                kept <- newIORef undefined
                first <- receiveWith c 1000 (\s -> writeIORef kept s >> getFrom s list)
                late <- readIORef kept >>= \s -> getFrom s isEmpty
                (,,) first late <$> receive c
            )
        pure (got === (Just [1], Right True, Just [2])),
      testProperty "an older type is refused" . once . ioProperty $ do
        (a, b) <- pipe 7
        (_, r) <-
          both
            (outcome (withConnection defaultOptions (described @Old) number a (`send` Old 1)))
            ( outcome . withConnection defaultOptions number (described @New) b $ \c ->
                receiveWith c 1000 (`getFrom` (get :: Get New))
            )
        pure (r === Left "CannotRead"),
      interrupted,
      testProperty "a message of 1 GiB, in constant memory at both ends: processes, TCP" . once $
        ioProperty (twoProcesses gibibyte "0"),
      testProperty "a message of 1 GiB, in constant memory at both ends: processes, Unix" . once $
        ioProperty (withUnixPath (twoProcesses gibibyte))
    ]
  where
    bothWays = [defaultOptions, defaultOptions {optionsChecksums = False}]
    arriving c = go []
      where
        go done = limited c 1000 >>= maybe (pure (reverse done)) (go . (: done))
    collected c = go []
      where
        go done = receive c >>= maybe (pure (reverse done)) (go . (: done))
    limited c n = receiveWith c n (`getFrom` list)
    inWays ways c = case ways of
      way : rest -> do
        next <- if way then receive c else receiveWith c 1000000 (`getFrom` get)
        maybe (pure []) (\m -> (m :) <$> inWays rest c) next
      [] -> pure []
    changed :: Int -> Word8 -> S.ByteString -> S.ByteString
    changed i w bytes = case S.splitAt i bytes of
      (front, back) -> case S.uncons back of
        Just (x, rest) -> front <> S.cons (x + w) rest
        Nothing -> bytes
    chunksOf n bs = if S.null bs then [] else S.take n bs : chunksOf n (S.drop n bs)

-- What comes of an action that receives.
type Outcome = Either ErrorCall (Either String ())

numbers :: RecordType [Word64]
numbers = fixedType "numbers"

list :: Get [Word64]
list = get

newtype Old = Old {item :: Int}
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec, Described)

data New = New {item :: Int, more :: Int}
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec)

instance Described New where
  evolution = [added @"more" (0 :: Int)]

interrupted :: TestTree
interrupted =
  testGroup
    "interruptions"
    [ testProperty "before the message: nothing is lost" . once . ioProperty . withPair $ \x y -> do
        a <- socketTransport x
        b <- socketTransport y
        gate <- newEmptyMVar
        (_, got) <-
          both
            (withConnection defaultOptions numbers number a (\c -> takeMVar gate >> send c [5]))
            ( withConnection defaultOptions number numbers b $ \c -> do
                first <- timeout 10000 (receiveWith c 1000 (`getFrom` list))
                putMVar gate ()
                (,) first <$> receiveWith c 1000 (`getFrom` list)
            )
        pure (got === (Nothing, Just [5])),
      testProperty "within the message: the connection ends" . once . ioProperty $ do
        bytes <- recorded defaultOptions numbers (`send` [1, 2, 3])
        begun <- newEmptyMVar
        (peer, _) <- scripted [S.take (S.length bytes - 12) bytes] Stays
        r <- withConnection defaultOptions number numbers peer $ \c -> do
          done <- newEmptyMVar
          thread <- forkIO $ do
            first <- try . receiveWith c 1000 $ \s -> do
              _ <- getFrom s getWord64le
              putMVar begun ()
              getFrom s getWord64le >> getFrom s getWord64le >> getFrom s getWord64le
            putMVar done first
          takeMVar begun >> killThread thread
          (,) <$> takeMVar done <*> outcome (receive c)
        pure (r === (Left ThreadKilled, Left "ConnectionBroken")),
      testProperty "a peer that stalls within the message" . once . ioProperty $ do
        bytes <- recorded defaultOptions numbers (`send` [1, 2, 3])
        outs <- forM [1, 5, 20, 37, 39] $ \n -> do
          (peer, _) <- scripted [S.take (S.length bytes - 44 + n) bytes] Stays
          let brief = defaultOptions {optionsMessageTime = 50000}
          outcome . withConnection brief number numbers peer $ \c ->
            receiveWith c 1000 (`getFrom` list)
        pure (outs === replicate 5 (Left "TimedOut Receiving")),
      testProperty "what a message was waited for before is not the next one's" waitedBefore
    ]

-- Receiving is interrupted within the first message, and another way of receiving takes it. The
-- second one may then arrive in the time of a message.
waitedBefore :: Property
waitedBefore = once . ioProperty $ do
  none <- recorded defaultOptions numbers (const (pure ()))
  bytes <- recorded defaultOptions numbers (\c -> send c [7] >> send c [8])
  chunks <- newChan
  let width = (S.length bytes - S.length none) `quot` 2
      first = S.length none - 4
      feed from to = writeChan chunks (S.take (to - from) (S.drop from bytes))
      peer =
        Transport
          { transportSend = const (pure ()),
            transportReceive = readChan chunks,
            transportClose = pure ()
          }
  feed 0 (first + 2)
  let options = defaultOptions {optionsMessageTime = 2000000}
  got <- outcome . withConnection options number numbers peer $
    \c -> do
      late <- timeout 1500000 (receive c)
      feed (first + 2) (first + width + 2)
      taken <- receiveWith c 1000 (`getFrom` list)
      _ <- forkIO (threadDelay 1000000 >> feed (first + width + 2) (S.length bytes))
      next <- receive c
      pure (late, taken, next)
  pure (got === Right (Nothing, Just [7], Just [8]))

-- The number of words of eight bytes in 1 GiB.
gibibyte :: Int
gibibyte = 134217728

-- Two processes, each of which may have a heap of 12 MB, and a message of this number of words of
-- eight bytes.
twoProcesses :: Int -> String -> IO Property
twoProcesses n at = do
  program <- getExecutablePath
  let run args = proc program (["+RTS", "-M12m", "-RTS"] ++ args)
  withCreateProcess (run ["receive-large", at]) {std_out = CreatePipe} $ \_ out _ receiver -> do
    lines' <- maybe (fail "no output") pure out
    address <- C.unpack <$> C.hGetLine lines'
    withCreateProcess (run ["send-large", address, show n]) $ \_ _ _ sender -> do
      result <- read . C.unpack <$> C.hGetLine lines'
      codes <- mapM waitForProcess [receiver, sender]
      pure $
        result === (n, toInteger n * (toInteger n + 1) `div` 2)
          .&&. codes === [ExitSuccess, ExitSuccess]

-- | The process that sends: to a port of this host, or to the path of a Unix socket.
sendLarge :: String -> Int -> IO ()
sendLarge address n = bracket (socketFor peer) close $ \s -> do
  connect s peer
  transport <- socketTransport s
  withConnection defaultOptions large number transport $ \c -> do
    send c (Countdown n)
    -- Until the peer has all of it.
    void (receive c)
  where
    peer = case reads address of
      [(port, "")] -> loopback (fromInteger port)
      _ -> SockAddrUnix address

-- | The process that receives, at such an address, and adds all words. Port 0 is any that is free.
receiveLarge :: String -> IO ()
receiveLarge address = bracket (socketFor here) close $ \listener -> do
  bind listener here
  listen listener 1
  hSetBuffering stdout LineBuffering
  there <- getSocketName listener
  putStrLn (case there of SockAddrInet port _ -> show port; _ -> address)
  bracket (fst <$> accept listener) close $ \s -> do
    transport <- socketTransport s
    r <- withConnection defaultOptions number large transport $ \c ->
      receiveWith c maxBound $ \source -> do
        n <- getFrom source (get :: Get Int)
        added' <- foldFrom source (sumOf 8192) (\acc w -> pure $! acc + w) 0
        pure ((,) <$> n <*> added')
    mapM_ print r
  where
    sumOf :: Int -> Get Word64
    sumOf = go 0
      where
        go !acc k = if k == 0 then pure acc else getWord64le >>= \w -> go (acc + w) (k - 1)
    here = if address == "0" then loopback 0 else SockAddrUnix address

socketFor :: SockAddr -> IO Socket
socketFor address = case address of
  SockAddrUnix _ -> socket AF_UNIX Stream 0
  _ -> socket AF_INET Stream 0

loopback :: PortNumber -> SockAddr
loopback port = SockAddrInet port (tupleToHostAddress (127, 0, 0, 1))
