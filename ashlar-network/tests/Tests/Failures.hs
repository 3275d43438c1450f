{-# LANGUAGE DerivingStrategies #-}
{-# LANGUAGE OverloadedStrings #-}

-- |
-- Module      : Tests.Failures
-- Description : Peers that die, stall or close; values that throw
module Tests.Failures
  ( tests,
    child,
  )
where

import Ashlar.Builder (byteString)
import Ashlar.Codec
import Ashlar.File.Crc32c (crc32c)
import Ashlar.Network.Messages
import Control.Concurrent
import Control.Exception
import Control.Monad
import qualified Data.ByteString as S
import Data.IORef
import Data.Text (Text)
import qualified Data.Text as T
import Data.Word (Word16)
import GHC.Conc (BlockReason (..), ThreadStatus (..), threadStatus)
import Network.Socket
import Network.Socket.ByteString (recv, sendAll)
import System.Environment (getExecutablePath)
import System.IO.Unsafe (unsafePerformIO)
import System.Posix.Signals (sigKILL, signalProcess)
import System.Process
import System.Timeout (timeout)
import Test.Tasty
import Test.Tasty.QuickCheck
import Tests.Ends

tests :: TestTree
tests =
  testGroup
    "failures"
    [ testProperty "cut off after each byte" . once . ioProperty $ do
        bytes <- recorded defaultOptions number (\c -> mapM_ (send c) [1, 2, 3])
        let start = S.length bytes - 34
        outs <- forM [0 .. S.length bytes - 1] $ \n -> do
          (peer, _) <- scripted [S.take n bytes] Closes
          got <- newIORef []
          end <- outcome . withConnection defaultOptions number number peer $ \c ->
            forMessages c (\m -> modifyIORef' got (m :))
          received <- reverse <$> readIORef got
          let past = n - start
              ended = either (takeWhile (/= ' ')) (const "") end
          pure $
            if past < 0
              then (received, ended) === ([], "PeerClosed")
              else
                (received, end)
                  === (take (past `div` 10) [1, 2, 3], Left ("PeerClosed " ++ show (past `mod` 10)))
        pure (conjoin outs),
      testProperty "a peer that is killed" . once . ioProperty $ do
        program <- getExecutablePath
        r <- withListener $ \listener port ->
          withCreateProcess (proc program ["child", show port]) $ \_ _ _ process ->
            bracket (fst <$> accept listener) close $ \s -> do
              transport <- socketTransport s
              end <- outcome . withConnection defaultOptions number number transport $ \c -> do
                replicateM_ 1000 (receive c)
                pid <- getPid process
                mapM_ (signalProcess sigKILL) pid
                forMessages c (const (pure ()))
              _ <- waitForProcess process
              pure end
        pure $ case r of
          Left e ->
            counterexample e (e == "ConnectionBroken" || takeWhile (/= ' ') e == "PeerClosed")
          Right () -> counterexample "no error" False,
      testProperty "a peer that half-closes: what it had sent arrives, and this end can send"
        . once
        . ioProperty
        . withTcp
        $ \x y -> do
          b <- socketTransport y
          bytes <- recorded defaultOptions number (\c -> mapM_ (send c) [1, 2, 3])
          gate <- newEmptyMVar
          (rest, (got, end, sent)) <-
            both
              ( do
                  sendAll x (S.take (S.length bytes - 4) bytes)
                  shutdown x ShutdownSend
                  takeMVar gate
                  drained x
              )
              ( withConnection defaultOptions number number b $ \c -> do
                  got <- replicateM 3 (receive c)
                  sent <- outcome (send c 7 >> flush c)
                  putMVar gate ()
                  end <- outcome (receive c)
                  pure (got, end, sent)
              )
          pure $
            (got, end, sent) === (map Just [1, 2, 3], Left "PeerClosed 0", Right ())
              .&&. counterexample (show rest) ("\2\0\0\0\7\0" `S.isInfixOf` rest),
      testProperty "a failed connection stays failed, and is closed" . once . conjoin $
        [ ioProperty $ do
            bytes <- recorded defaultOptions number (const (pure ()))
            (peer, _) <- scripted [S.take (S.length bytes - 4) bytes <> message] Stays
            closed <- newIORef (0 :: Int)
            seen <- newIORef ([], 0)
            let spied = peer {transportClose = modifyIORef' closed (+ 1) >> transportClose peer}
            r <- outcome . withConnection defaultOptions number number spied $ \c -> do
              let uses = [void (receive c), send c 1, void (receive c), flush c, endSending c]
              ends <- mapM outcome uses
              now <- readIORef closed
              writeIORef seen (ends, now)
            got <- readIORef seen
            pure (got === (replicate 5 (Left why), 1) .&&. r === Right ())
          | (message, why) <-
              [ ("\2\0\0\0zzzzzz", "InvalidChecksum"),
                (summed "\1\0\0\0z", "InvalidMessage"),
                (summed "\3\0\0\0zzz", "InvalidMessage")
              ]
        ],
      testProperty "messages that were lost are reported" . once . ioProperty $ do
        bytes <- recorded defaultOptions number (const (pure ()))
        (peer, _) <- scripted [S.take (S.length bytes - 4) bytes] Stays
        broken <- newIORef False
        let breaking chunks = do
              now <- readIORef broken
              if now then ioError (userError "broken") else transportSend peer chunks
            peer' = peer {transportSend = breaking}
        r <- outcome . withConnection defaultOptions number number peer' $ \c -> do
          writeIORef broken True
          send c 1
          -- This ends when the thread that sends has found out, and the action returns.
          void (outcome (receive c))
        pure (r === Left "ConnectionBroken"),
      testProperty "messages that are lost while they are being sent are reported"
        . once
        . ioProperty
        $ do
          bytes <- recorded defaultOptions number (const (pure ()))
          (peer, _) <- scripted [S.take (S.length bytes - 4) bytes <> summed "\1\0\0\0z"] Stays
          shaken <- newIORef False
          sending <- newEmptyMVar
          closed <- newEmptyMVar
          let blocking chunks = do
                now <- readIORef shaken
                if not now
                  then transportSend peer chunks
                  else do
                    putMVar sending ()
                    readMVar closed
                    -- Longer than the action takes to return.
                    threadDelay 100000
                    ioError (userError "closed")
              peer' =
                peer
                  { transportSend = blocking,
                    transportClose = tryPutMVar closed () >> transportClose peer
                  }
          seen <- newIORef Nothing
          r <- outcome . withConnection defaultOptions number number peer' $ \c -> do
            writeIORef shaken True
            send c 1
            takeMVar sending
            outcome (void (receive c)) >>= writeIORef seen . Just
          got <- readIORef seen
          pure ((got, r) === (Just (Left "InvalidMessage"), Left "InvalidMessage")),
      testProperty "a failure while the end waits is not thrown if nothing was lost"
        . once
        . ioProperty
        $ do
          bytes <- recorded defaultOptions number (const (pure ()))
          (peer, _) <- scripted [S.take (S.length bytes - 4) bytes, summed "\1\0\0\0z"] Stays
          shaken <- newIORef False
          arrives <- newEmptyMVar
          let late = do
                now <- readIORef shaken
                when now (takeMVar arrives)
                transportReceive peer
          entered <- newEmptyMVar
          failed <- newEmptyMVar
          -- A message that is being written holds back the flush, and is never complete.
          let value = unsafePerformIO $ do
                putMVar entered ()
                _ <- readMVar failed
                throwIO (ErrorCall "bad")
              peer' = peer {transportReceive = late}
          r <- outcome . withConnection defaultOptions number number peer' $ \c -> do
            writeIORef shaken True
            _ <- forkIO (send c value `catch` \(ErrorCall _) -> pure ())
            takeMVar entered
            me <- myThreadId
            void . forkIO $ do
              blocked BlockedOnMVar me
              putMVar arrives ()
              outcome (void (receive c)) >>= putMVar failed
          why <- readMVar failed
          pure ((why, r) === (Left "InvalidMessage", Right ())),
      testProperty "a connection is used after its end" . once . ioProperty $ do
        (a, b) <- pipe 10
        (kept, _) <-
          both
            (withConnection defaultOptions number number a pure)
            (withConnection defaultOptions number number b (void . receiveAll))
        late <- mapM outcome [send kept 1, void (receive kept), flush kept, endSending kept]
        pure (late === replicate 4 (Left "AfterEnd")),
      testProperty "an action that throws: the peer knows that this is not the end"
        . once
        . ioProperty
        $ do
          (a, b) <- pipe 10
          (left, right) <-
            both
              ( try . withConnection defaultOptions number number a $ \c -> do
                  send c 1
                  flush c
                  throwIO (ErrorCall "bad") :: IO ()
              )
              (outcome (withConnection defaultOptions number number b (`forMessages` ignore)))
          pure (left === Left (ErrorCall "bad") .&&. right === Left "PeerClosed 0"),
      values,
      times,
      closing
    ]
  where
    ignore = const (pure ())
    summed bytes = bytes <> encode (crc32c bytes)
    drained s = recv s 65536 >>= \bs -> if S.null bs then pure bs else (bs <>) <$> drained s

-- | A message whose value throws, or whose size is wrong, if it says so.
data Odd = Fine Int | Throws Int | Lies Int | Short Int | Long Int
  deriving stock (Eq, Show)

instance Codec Odd

instance HasFormat Odd where
  format = byHand 8 sizeOf putOdd (Fine <$> (get >>= \bs -> pure (S.length bs)))
    where
      sizeOf x = 8 + lengthOf x
      lengthOf x = case x of
        Fine n -> n
        Throws n -> n
        Lies n -> n
        Short n -> n + 1
        Long n -> n - 1
      putOdd x = case x of
        Fine n -> put (S.replicate n 0)
        Short n -> put (S.replicate n 0)
        Long n -> put (S.replicate n 0)
        Throws n -> put n <> byteString (S.replicate (n - 1) 0) <> bad
        Lies n -> put (n + 1) <> byteString (S.replicate n 0) <> byteString "?"

-- (The compiler must not see that it throws, or the bytes before it may be left out.)
bad :: Builder
bad = byteString (unsafePerformIO (throwIO (ErrorCall "bad")))
{-# NOINLINE bad #-}

odd' :: RecordType Odd
odd' = fixedType "odd"

values :: TestTree
values =
  testGroup
    "values that throw, and sizes that are wrong"
    [ testProperty "small messages that throw: the connection goes on" $
        goesOn 100 small ["fine", "bad", "fine", "fine"] [Fine 1, Fine 6, Fine 2],
      testProperty "a large message that is too long before it is sent: the connection goes on" $
        goesOn 100000 long ["fine", "WrongSize", "fine"] [Fine 1, Fine 2],
      testProperty "large messages that throw: the connection fails" . once . conjoin $
        [ ioProperty $ do
            (a, b) <- pipe 100000
            rs <- newIORef []
            (_, (got, end)) <-
              both
                ( outcome . withConnection defaultOptions odd' number a $ \c -> do
                    send c (Fine 1)
                    mapM (tried c) [x, Fine 2] >>= writeIORef rs
                )
                (withConnection defaultOptions number odd' b receiveAll)
            results <- readIORef rs
            pure $
              results === expected
                .&&. got === [Fine 1]
                .&&. counterexample (show end) (either (take 10) (const "") end == "PeerClosed")
          | (x, expected) <-
              [ (Throws 200000, ["bad", "ConnectionBroken"]),
                (Lies 200000, ["WrongSize", "WrongSize"]),
                (Short 200000, ["WrongSize", "WrongSize"])
              ]
        ]
    ]
  where
    small = [Fine 1, Throws 5, Lies 5, Fine 2]
    long = [Fine 1, Long 200000, Fine 2]
    -- What becomes of each message, and what arrives.
    goesOn room messages results arrived = once . ioProperty $ do
      (a, b) <- pipe room
      (rs, got) <-
        both
          (withConnection defaultOptions odd' number a (\c -> mapM (tried c) messages))
          (withConnection defaultOptions number odd' b receiveAll)
      pure (rs === results .&&. got === (arrived, Right ()))
    tried c x = do
      r <- try (outcome (send c x))
      pure $ case r of
        Left (ErrorCall e) -> e
        Right (Left e) -> e
        Right (Right ()) -> "fine"

times :: TestTree
times =
  testGroup
    "peers that stall"
    [ testProperty "in the handshake" . once . ioProperty $ do
        ends <- forM ["", "\x89\&ASH"] $ \start -> do
          (peer, _) <- scripted [start] Stays
          -- A scripted peer that stays waits for its end, which an interruption ends, too.
          outcome (withConnection brief number number peer (const (pure ())))
        pure (ends === [Left "TimedOut Handshaking", Left "TimedOut Handshaking"]),
      testProperty "within a message, and not between two" . once . ioProperty . withPair $
        \x y -> do
          a <- socketTransport x
          b <- socketTransport y
          bytes <- recorded defaultOptions number (`send` 7)
          gate <- newEmptyMVar
          let whole = S.take (S.length bytes - 4) bytes
          (_, r) <-
            both
              ( do
                  transportSend a [whole]
                  -- Longer than a message may take.
                  threadDelay 300000
                  transportSend a ["\2\0\0\0\1"]
                  takeMVar gate
              )
              ( do
                  got <- newIORef []
                  end <- outcome . withConnection brief number number b $ \c ->
                    forMessages c (\m -> modifyIORef' got (m :))
                  putMVar gate ()
                  flip (,) end <$> readIORef got
              )
          pure (r === ([7], Left "TimedOut Receiving")),
      testProperty "within a message, while receiving is interrupted" . once . ioProperty $ do
        bytes <- recorded defaultOptions number (`send` 7)
        (peer, _) <- scripted [S.take (S.length bytes - 6) bytes] Stays
        let go c = timeout 20000 (receive c) >>= maybe (go c) pure
        end <-
          timeout 20000000 . outcome $
            withConnection brief {optionsMessageTime = 200000} number number peer go
        pure (end === Just (Left "TimedOut Receiving")),
      testProperty "when they do not receive" . once . ioProperty . withPair $ \x y -> do
        a <- socketTransport x
        b <- socketTransport y
        gate <- newEmptyMVar
        (left, _) <-
          both
            ( outcome (withConnection brief number number a (\c -> forever (send c 1)))
                <* putMVar gate ()
            )
            (outcome (withConnection brief number number b (const (takeMVar gate))))
        pure (left === (Left "TimedOut Sending" :: Either String ())),
      testProperty "an interrupted send ends the connection" . once . ioProperty . withPair $
        \x y -> do
          a <- socketTransport x
          b <- socketTransport y
          gate <- newEmptyMVar
          uses <- newIORef []
          let text = fixedType "text" :: RecordType Text
          (left, right) <-
            both
              ( outcome . withConnection defaultOptions text number a $ \c -> do
                  -- It fits neither the buffer nor the socket, so this thread itself sends it.
                  r <- timeout 1000000 (forever (send c (T.replicate 1000000 "a")))
                  later <- mapM outcome [send c "b", void (receive c)]
                  writeIORef uses (maybe (Left "interrupted") Right r : later)
                  putMVar gate ()
              )
              (withConnection defaultOptions number text b (\c -> takeMVar gate >> receiveAll c))
          seen <- readIORef uses
          pure $
            seen === [Left "interrupted", Left "ConnectionBroken", Left "ConnectionBroken"]
              .&&. left === Left "ConnectionBroken"
              .&&. counterexample (show (snd right)) (snd right /= Right ()),
      testProperty "a wait that is interrupted loses nothing" . once . ioProperty . withPair $
        \x y -> do
          a <- socketTransport x
          b <- socketTransport y
          gate <- newEmptyMVar
          (_, got) <-
            both
              ( withConnection defaultOptions (fixedType "text") number a $ \c -> do
                  takeMVar gate
                  mapM_ (send c) texts
              )
              ( withConnection defaultOptions number (fixedType "text") b $ \c -> do
                  first <- timeout 10000 (receive c)
                  putMVar gate ()
                  rest <- receiveAll c
                  pure (first, rest)
              )
          pure (got === (Nothing, (texts, Right ()))),
      testProperty "an interruption within a message, too" . once . ioProperty $ do
        bytes <- recorded defaultOptions number (\c -> mapM_ (send c) [1, 2])
        gate <- newEmptyMVar
        let (start, rest) = S.splitAt (S.length bytes - 17) bytes
        (peer, _) <- scripted [start] Closes
        feedRest <- newIORef (S.unpack rest)
        opened <- newIORef False
        let next = do
              bs <- transportReceive peer
              if not (S.null bs)
                then pure bs
                else do
                  now <- readIORef opened
                  unless now (takeMVar gate)
                  writeIORef opened True
                  ws <- readIORef feedRest
                  case ws of
                    [] -> pure S.empty
                    w : more -> S.singleton w <$ writeIORef feedRest more
        got <- withConnection defaultOptions number number peer {transportReceive = next} $ \c -> do
          first <- timeout 10000 (receive c)
          putMVar gate ()
          (,) first <$> receiveAll c
        pure (got === (Nothing, ([1, 2 :: Word16], Right ()))),
      testProperty "an interruption while a message is decoded" . once . ioProperty . withPair $
        \x y -> do
          a <- socketTransport x
          b <- socketTransport y
          (_, got) <-
            both
              ( withConnection defaultOptions (fixedType "observed") number a $ \c ->
                  mapM_ (send c . Observed) [1, 2]
              )
              ( withConnection defaultOptions number (fixedType "observed") b $ \c -> do
                  me <- myThreadId
                  writeIORef whenDecoded (writeIORef whenDecoded (pure ()) >> pending me)
                  first <- try (receive c)
                  (,) (first :: Either AsyncException (Maybe Observed)) <$> receiveAll c
              )
          pure (got === (Left UserInterrupt, (map Observed [1, 2], Right ())))
    ]
  where
    -- Returns when the exception has been thrown and waits.
    pending thread = forkIO (throwTo thread UserInterrupt) >>= blocked BlockedOnException
    brief =
      defaultOptions
        { optionsHandshakeTime = 200000,
          optionsMessageTime = 200000,
          optionsSendTime = 200000
        }
    texts = ["brick", "mortar"] :: [Text]

-- | Wait until a thread waits.
blocked :: BlockReason -> ThreadId -> IO ()
blocked why thread = do
  status <- threadStatus thread
  unless (status == ThreadBlocked why) (yield >> blocked why thread)

-- | A number. The action runs when one is decoded.
newtype Observed = Observed Word16
  deriving stock (Eq, Show)

instance Codec Observed

instance HasFormat Observed where
  format = refined (\(Observed n) -> n) observe codec
    where
      observe n = Observed n <$ unsafePerformIO (Right () <$ join (readIORef whenDecoded))
      {-# NOINLINE observe #-}

whenDecoded :: IORef (IO ())
whenDecoded = unsafePerformIO (newIORef (pure ()))
{-# NOINLINE whenDecoded #-}

closing :: TestTree
closing =
  testGroup
    "closing"
    [ testProperty "bytes never get into another connection" . once . ioProperty $ do
        before <- getNumCapabilities
        lost <-
          bracket_ (setNumCapabilities 2) (setNumCapabilities before) $
            replicateM 5000 reused
        pure (S.concat lost === ""),
      testProperty "a slow transport does not delay the end" . once . ioProperty $ do
        bytes <- recorded defaultOptions number (const (pure ()))
        (peer, _) <- scripted [bytes] Stays
        waited <- newIORef False
        let slow = peer {transportClose = threadDelay 30000000 >> writeIORef waited True}
        r <- outcome (withConnection brief number number slow (const (pure ())))
        longer <- readIORef waited
        pure ((r, longer) === (Right (), False)),
      testProperty "a slow transport can be interrupted" . once . ioProperty $ do
        bytes <- recorded defaultOptions number (const (pure ()))
        (peer, _) <- scripted [bytes] Stays
        entered <- newEmptyMVar
        result <- newEmptyMVar
        let slow = peer {transportClose = tryPutMVar entered () >> threadDelay 30000000}
            run = withConnection defaultOptions number number slow (const (pure ()))
        thread <- forkIO (try run >>= putMVar result)
        takeMVar entered >> killThread thread
        r <- takeMVar result
        pure (r === Left ThreadKilled)
    ]
  where
    brief = defaultOptions {optionsSendTime = 100000}
    -- While a thread sends, close the socket, and open others, which get its descriptor. Returns
    -- what they receive.
    reused = withPair $ \x y -> do
      a <- socketTransport x
      b <- socketTransport y
      started <- newEmptyMVar
      let sends = forever (transportSend a ["lost"] >> tryPutMVar started ())
          receives = transportReceive b >>= \bs -> unless (S.null bs) receives
      snd
        <$> both
          (both (broken sends) (broken receives))
          ( takeMVar started >> transportClose a
              >> withPair
                ( \c d -> do
                    -- (What is in flight has time to arrive.)
                    replicateM_ 10 yield
                    shutdown c ShutdownSend
                    shutdown d ShutdownSend
                    (<>) <$> recv c 100 <*> recv d 100
                )
          )
    broken :: IO () -> IO ()
    broken act = act `catch` dropped
    dropped :: IOException -> IO ()
    dropped _ = pure ()

withListener :: (Socket -> PortNumber -> IO r) -> IO r
withListener act = bracket (socket AF_INET Stream 0) close $ \listener -> do
  bind listener (SockAddrInet 0 (tupleToHostAddress (127, 0, 0, 1)))
  listen listener 1
  port <- socketPort listener
  act listener port

-- | The other process: sends numbers for ever.
child :: String -> IO ()
child port = bracket (socket AF_INET Stream 0) close $ \s -> do
  connect s (SockAddrInet (fromIntegral (read port :: Int)) (tupleToHostAddress (127, 0, 0, 1)))
  transport <- socketTransport s
  withConnection defaultOptions number number transport (\c -> mapM_ (send c) (cycle [0 ..]))
