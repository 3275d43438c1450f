{-# LANGUAGE OverloadedStrings #-}

-- |
-- Module      : Tests.Messages
-- Description : Messages both ways, batches, memory
module Tests.Messages (tests) where

import Ashlar.Codec (encode)
import Ashlar.File.Crc32c (crc32c)
import Ashlar.Network.Messages
import Control.Concurrent
import Control.Exception
import Control.Monad
import qualified Data.ByteString as S
import Data.IORef
import Data.Word (Word16, Word32)
import GHC.Conc (ThreadStatus (..), threadStatus)
import System.IO.Unsafe (unsafePerformIO)
import System.Timeout (timeout)
import Test.Tasty
import Test.Tasty.QuickCheck
import Tests.Countdown
import Tests.Ends
import Tests.Memory (withinMemory)

tests :: TestTree
tests =
  testGroup
    "messages"
    [ testProperty "all arrive in order, both ways" . withMaxSuccess 40 $
        \stream xs ys summed -> ioProperty . withEnds stream $ \a b -> do
          let chosen = defaultOptions {optionsChecksums = summed}
              talk transport messages =
                withConnection chosen described described transport $ \c ->
                  fst <$> both (receiveAll c) (mapM_ (send c) messages >> endSending c)
          (left, right) <- both (talk a xs) (talk b ys)
          pure ((left, right) === ((ys :: [Message], Right ()), (xs :: [Message], Right ()))),
      testProperty "questions and answers, without a flush" . once . conjoin $
        [ ioProperty . withEnds stream $ \a b -> do
            let ask c n = send c (n :: Int) >> receive c
            (answers, _) <-
              both
                (withConnection defaultOptions ints ints a (\c -> mapM (ask c) [1 .. 500]))
                ( withConnection defaultOptions ints ints b $ \c ->
                    forMessages c (\n -> send c (n + 1))
                )
            pure (answers === map (Just . (+ 1)) [1 .. 500])
          | stream <- [Pair, Tcp, Unix, Pipe 1]
        ],
      testProperty "a message does not wait for the value of the next one" . once . ioProperty $ do
        (a, b) <- pipe 1000000
        arrived <- newEmptyMVar
        let waits = unsafePerformIO (2 <$ takeMVar arrived)
        ended <-
          timeout 20000000 $
            both
              (withConnection defaultOptions ints number a (\c -> send c 1 >> send c waits))
              ( withConnection defaultOptions number ints b $ \c -> do
                  first <- receive c
                  putMVar arrived ()
                  (,) first <$> receive c
              )
        pure (fmap snd ended === Just (Just (1 :: Int), Just 2)),
      testProperty "a program that was told of its own deadlock goes on" . once $
        ioProperty . withEnds Tcp $ \a b -> do
          let told = (newEmptyMVar >>= takeMVar) `catch` \BlockedIndefinitelyOnMVar -> pure ()
              ask c n = send c n >> receive c
              peer = withConnection defaultOptions ints ints
          done <- newEmptyMVar
          _ <- forkIO (peer b (\c -> forMessages c (send c . (+ 1))))
          -- (In a thread that nobody else knows, or GHC would not tell it.)
          _ <- forkIO (peer a (\c -> (,) <$> ask c 1 <*> (told >> ask c 3)) >>= putMVar done)
          answers <- takeMVar done
          pure (answers === (Just 2, Just 4)),
      testProperty "10,000 small messages leave in batches" . once . ioProperty $ do
        calls <- newIORef (0 :: Int)
        (a, b) <- pipe 1000000
        let counted = a {transportSend = \bs -> modifyIORef' calls (+ 1) >> transportSend a bs}
        (_, (got, end)) <-
          both
            (withConnection defaultOptions ints number counted $ \c -> mapM_ (send c) numbers)
            (withConnection defaultOptions number ints b receiveAll)
        n <- readIORef calls
        pure (got === numbers .&&. end === Right () .&&. counterexample (show n) (n < 1000)),
      testProperty "what the peer must take at once is at most 128 KiB" . once . ioProperty $ do
        sizes <- newIORef []
        (a, b) <- pipe 100000
        let noted bs = modifyIORef' sizes (sum (map S.length bs) :) >> transportSend a bs
            lengths = [131072, 0, 1000000, 300, 131000, 131073, 40000, 400000]
            messages = map (`S.replicate` 1) lengths
            noting = a {transportSend = noted}
        (_, got) <-
          both
            (withConnection defaultOptions strings number noting $ \c -> mapM_ (send c) messages)
            (withConnection defaultOptions number strings b receiveAll)
        most <- maximum <$> readIORef sizes
        pure (got === (messages, Right ()) .&&. counterexample (show most) (most <= 131072)),
      testProperty "the bytes are those of the messages, wherever a buffer ends" . once . conjoin $
        [ ioProperty $ do
            none <- recorded chosen mixed (\_ -> pure ())
            bytes <- recorded chosen mixed (\c -> mapM_ (send c) messages)
            let framed = S.concat (map (frame summed . encode) messages)
                -- The end of all is there without messages, too.
                handshake = S.take (S.length none - 4) none
            pure . counterexample (show (summed, padding)) $
              S.concat [handshake, framed, S.replicate 4 255] == bytes
          | summed <- [False, True],
            padding <- [32500 .. 32700],
            let chosen = defaultOptions {optionsChecksums = summed}
                messages =
                  [ Bytes (S.replicate padding 1),
                    Words "of some parts" [1 .. 20],
                    Bytes (S.replicate (padding `mod` 40 * 500) 2),
                    Empty
                  ]
        ],
      testProperty "sent bytes lie within their memory" . once . conjoin $
        [ ioProperty $ do
            outside <- newIORef (0 :: Int)
            (a, b) <- pipe 1000000
            let check bs = withinMemory bs >>= \ok -> unless ok (modifyIORef' outside (+ 1))
                looking = a {transportSend = \bs -> mapM_ check bs >> transportSend a bs}
            (_, (got, end)) <-
              both
                (withConnection chosen mixed number looking $ \c -> mapM_ (send c) messages)
                (withConnection defaultOptions number mixed b receiveAll)
            n <- readIORef outside
            pure . counterexample (show (summed, map (S.take 30 . encode) (take 3 messages))) $
              n === 0 .&&. end === Right () .&&. counterexample "other messages" (got == messages)
          | summed <- [False, True],
            let chosen = defaultOptions {optionsChecksums = summed},
            -- A buffer ends in each byte of a message: of one that is inserted, and of a short one.
            messages <-
              [[Bytes (S.replicate k 1), Words "of some parts" [1 .. 20]] | k <- [32730 .. 32770]]
                ++ [Bytes (S.replicate k 1) : replicate 4000 (Number 7) | k <- [0 .. 16]]
        ],
      testProperty "a flush returns when the transport has all bytes" . once . ioProperty $ do
        seen <- newIORef 0
        (a, b) <- pipe 1000000
        let count bs = modifyIORef' seen (+ sum (map S.length bs)) >> transportSend a bs
        (grown, _) <-
          both
            ( withConnection options ints number a {transportSend = count} $ \c -> do
                flush c
                before <- readIORef seen
                forM [1 .. 20 :: Int] $ \n -> do
                  send c n
                  flush c
                  subtract before <$> readIORef seen
            )
            (withConnection defaultOptions number ints b receiveAll)
        pure (grown === map (* 12) [1 .. 20]),
      testProperty "messages of no bytes" . once . conjoin $
        [ ioProperty $ do
            (a, b) <- pipe 100000
            (_, (got, end)) <-
              both
                ( withConnection defaultOptions {optionsChecksums = summed} unit number a $ \c ->
                    replicateM_ 20000 (send c ())
                )
                (withConnection defaultOptions number unit b receiveAll)
            pure (length got === 20000 .&&. end === Right ())
          | summed <- [False, True]
        ],
      testProperty "an end that has ended can receive" . once . ioProperty $ do
        (a, b) <- pipe 100
        (left, right) <-
          both
            ( withConnection defaultOptions number number a $ \c -> do
                send c 1
                endSending c
                late <- outcome (send c 2)
                got <- receiveAll c
                none <- receive c
                pure (late, got, none)
            )
            ( withConnection defaultOptions number number b $ \c -> do
                got <- receiveAll c
                mapM_ (send c) [3, 4, 5]
                pure got
            )
        pure $
          left === (Left "AfterEnd", ([3, 4, 5], Right ()), Nothing)
            .&&. right === ([1], Right ()),
      testProperty "threads share a connection" . once . ioProperty $ do
        (a, b) <- pipe 5000
        got <- newMVar []
        let sender c k = mapM_ (\n -> send c (k, n)) [1 .. 300]
            receiver c = forMessages c (\m -> modifyMVar_ got (pure . (m :)))
        _ <-
          both
            (withConnection defaultOptions pairs number a (\c -> everyone (map (sender c) ks)))
            (withConnection defaultOptions number pairs b (everyone . replicate 3 . receiver))
        all' <- readMVar got
        pure $
          -- Each is there once; of one sender they are nearly in order, as receivers race.
          counterexample (show (length all')) $
            length all' == 1200 && all (\m -> length (filter (== m) all') == 1) (take 50 all'),
      memory,
      leftOver
    ]
  where
    options = defaultOptions {optionsChecksums = False}
    numbers = [1 .. 10000] :: [Int]
    strings = fixedType "strings" :: RecordType S.ByteString
    unit = fixedType "unit" :: RecordType ()
    ks = [1 .. 4] :: [Int]

mixed :: RecordType Message
mixed = described

-- What is sent for a message.
frame :: Bool -> S.ByteString -> S.ByteString
frame summed message = if summed then before <> encode (crc32c before) else before
  where
    before = encode (fromIntegral (S.length message) :: Word32) <> message

ints :: RecordType Int
ints = described

pairs :: RecordType (Int, Int)
pairs = described

-- Run actions at once.
everyone :: [IO ()] -> IO ()
everyone = foldr (\act rest -> void (both act rest)) (pure ())

memory :: TestTree
memory =
  testGroup
    "memory"
    [ testProperty "a message of 64 MiB arrives" . once . ioProperty . withPair $ \x y -> do
        a <- socketTransport x
        b <- socketTransport y
        (_, got) <-
          both
            (withConnection defaultOptions large number a (`send` Countdown 8388000))
            (withConnection defaultOptions number large b receiveAll)
        pure (got === ([Countdown 8388000], Right ())),
      testProperty "the sender of 1 GiB needs little memory" . once . ioProperty $ do
        calls <- newIORef (0 :: Int)
        bytes <- newIORef (0 :: Int)
        most <- newIORef 0
        handshake <- recorded defaultOptions number (const (pure ()))
        (peer, _) <- scripted [handshake] Closes
        before <- liveBytes
        let measured bs = do
              modifyIORef' calls (+ 1)
              modifyIORef' bytes (+ sum (map S.length bs))
              n <- readIORef calls
              when (n `mod` 100 == 0) $ liveBytes >>= \now -> modifyIORef' most (max now)
        withConnection defaultOptions large number peer {transportSend = measured} $ \c ->
          send c (Countdown 134217728)
        sent <- readIORef bytes
        peak <- subtract before <$> readIORef most
        pure (counterexample (show (sent, peak)) (sent > 1073741824 && peak > 0 && peak < 1000000)),
      testProperty "a reader that stalls: the sender waits" . once . ioProperty . withPair $
        \x y -> do
          a <- socketTransport x
          b <- socketTransport y
          sent <- newIORef (0 :: Int)
          stalled <- newEmptyMVar
          let sender = withConnection defaultOptions described number a $ \c ->
                forM_ [1 .. count'] $ \n -> send c n >> writeIORef sent n
              reader = withConnection defaultOptions number described b $ \c -> do
                before <- liveBytes
                takeMVar stalled
                n <- readIORef sent
                now <- liveBytes
                got <- newIORef (0 :: Int, True)
                forMessages c $ \m ->
                  modifyIORef' got (\(k, fine) -> let k' = k + 1 in k' `seq` (k', fine && m == k'))
                (k, fine) <- readIORef got
                pure (n, now - before, k, fine)
              watch n = do
                threadDelay 20000
                now <- readIORef sent
                if now > 0 && now == n then putMVar stalled () else watch now
          ((_, (n, growth, k, fine)), ()) <- both (both sender reader) (watch 0)
          pure . counterexample (show (n, growth)) $
            n < count' && growth < 1000000 && k == count' && fine
    ]
  where
    count' = 200000 :: Int

leftOver :: TestTree
leftOver =
  testGroup
    "no descriptor, thread or buffer is left over"
    [ testProperty "after 200 connections at once" . once . ioProperty . leavesNothing $ do
        done <- newIORef (0 :: Int)
        gate <- newEmptyMVar
        everyone
          [ withTcp $ \x y -> do
              a <- socketTransport x
              b <- socketTransport y
              void $
                both
                  ( withConnection defaultOptions ints ints a $ \c -> do
                      -- All of them are open at the same time.
                      n <- atomicModifyIORef' done (\n -> (n + 1, n + 1))
                      when (n == 200) (putMVar gate ())
                      readMVar gate
                      forM_ [1 .. 10] $ \m -> do
                        send c (k * m)
                        got <- receive c
                        when (got /= Just (k * m + 1)) (fail (show (k, m, got)))
                  )
                  ( withConnection defaultOptions ints ints b $ \c ->
                      forMessages c (send c . (+ 1))
                  )
            | k <- [1 .. 200 :: Int]
          ],
      testProperty "after 100 that fail in every way" . once . ioProperty . leavesNothing $
        forM_ [1 .. 100 :: Int] $ \k -> withEnds (if even k then Tcp else Pair) $ \a b -> do
          let end c = do
                send c (k, k)
                _ <- receive c
                case k `mod` 5 of
                  0 -> throwIO (ErrorCall "the action throws")
                  1 -> transportClose a
                  2 -> void (receiveWith c 1000 (\_ -> throwIO (ErrorCall "the decoder throws")))
                  3 -> void (receiveWith c 0 (const (pure (Right ()))))
                  _ -> myThreadId >>= killThread
              caught :: IO () -> IO ()
              caught act = either ignored id <$> try act
              ignored :: SomeException -> ()
              ignored _ = ()
          both
            (caught (withConnection defaultOptions pairs pairs a end))
            ( caught . withConnection defaultOptions pairs pairs b $ \c ->
                forMessages c (\m -> send c m >> send c m)
            ),
      testProperty "the thread that sends has ended" . once . ioProperty $ do
        seen <- newIORef []
        (a, b) <- pipe 1000
        here <- myThreadId
        let spy bs = do
              me <- myThreadId
              modifyIORef' seen (me :)
              transportSend a bs
        (_, got) <-
          both
            ( withConnection defaultOptions number number a {transportSend = spy} $ \c ->
                -- The answer shows that another thread has sent.
                send c (1 :: Word16) >> void (receive c)
            )
            (withConnection defaultOptions number number b (\c -> receive c <* send c 2))
        others <- filter (/= here) <$> readIORef seen
        status <- mapM threadStatus others
        pure $
          got === Just 1
            .&&. counterexample (show status) (not (null status) && all ended status)
    ]
  where
    ended s = s == ThreadFinished || s == ThreadDied
