{-# LANGUAGE DerivingStrategies #-}
{-# LANGUAGE OverloadedStrings #-}

-- |
-- Module      : Tests.Sockets
-- Description : Builders to sockets, and decoders from sockets
module Tests.Sockets (tests) where

import Ashlar.Builder
import Ashlar.Builder.Extra (byteStringInsert, flush)
import Ashlar.Get (foldFrom, getByteString, getFrom, getWord32le)
import Ashlar.Network.Internal.Gather
import Ashlar.Network.Internal.Transport (pieces)
import Ashlar.Network.Messages (socketTransport)
import Ashlar.Network.Socket
import Control.Concurrent
import Control.Exception
import qualified Data.ByteString as S
import qualified Data.ByteString.Lazy as L
import Data.Word (Word32, Word8)
import Network.Socket
import Network.Socket.ByteString (recv, sendAll)
import System.IO.Unsafe (unsafePerformIO)
import Test.Tasty
import Test.Tasty.QuickCheck
import Tests.Ends
import Tests.Prompt (prompt)

tests :: TestTree
tests =
  testGroup
    "sockets"
    [ testProperty "a transport does not hold back short packets" . once . ioProperty . withTcp $
        \a _ -> do
          old <- getSocketOption a NoDelay
          _ <- socketTransport a
          new <- getSocketOption a NoDelay
          pure ((old /= 0, new /= 0) === (False, True)),
      testProperty "all bytes arrive, through small buffers" . withMaxSuccess 50 $
        \parts (Positive size) tcp -> ioProperty . (if tcp then withTcp else withPair) $
          \a b -> do
            setSocketOption a SendBuffer 4096
            let builder = foldMap piece (parts :: [(Word8, Int)])
                bytes = toLazyByteString builder
                few = if L.length bytes > 100000 then 1000 + size else size
            (n, got) <- both (sendBuilder a builder <* shutdown a ShutdownSend) (drained few b)
            pure (n === fromIntegral (L.length bytes) .&&. got === bytes),
      testProperty "pieces have the same bytes, and as many of them as fit" $
        \lengths (Positive n) -> do
          let chunks = [S.replicate k w | (NonNegative k, w) <- lengths]
              found = pieces n chunks
              sizes = map (sum . map S.length) found
              ends = scanl (+) 0 (map S.length chunks)
          conjoin
            [ S.concat (concat found) === S.concat chunks,
              counterexample (show sizes) (all (<= n) sizes),
              counterexample (show found) (not (any null found || any (any S.null) found)),
              -- Each ends at its limit, or where a chunk ends.
              conjoin [property (e `elem` ends) | (k, e) <- zip sizes (scanl1 (+) sizes), k < n]
            ],
      testProperty "more parts than one system call takes" . once . ioProperty . withPair $
        \a b -> do
          let parts = [S.replicate 9000 w | w <- take 3000 (cycle [0 ..])]
          (n, got) <-
            both
              (sendBuilder a (foldMap byteString parts) <* shutdown a ShutdownSend)
              (drained 100000 b)
          pure (n === 27000000 .&&. property (got == L.fromChunks parts)),
      testProperty "a flush sends what there is" . once . ioProperty . withPair $ \a b -> do
        gate <- newEmptyMVar
        let waiting = byteString (unsafePerformIO ("mortar" <$ takeMVar gate))
        (n, got) <-
          both (sendBuilder a ("brick" <> flush <> waiting)) (recv b 100 <* putMVar gate ())
        pure ((n, got) === (11, "brick")),
      testProperty "what was inserted or flushed is sent in time" $
        prompt (\consume b -> () <$ gather Reused (mapM_ consume) b),
      testProperty "a value throws: the peer gets a prefix" . once . ioProperty . withPair $
        \a b -> do
          let text = S.replicate 200000 120
          (r, got) <-
            both
              (try (sendBuilder a (byteString text <> throw Bad)) <* shutdown a ShutdownSend)
              (drained 4096 b)
          pure (r === Left Bad .&&. property (got `L.isPrefixOf` L.fromStrict text)),
      testProperty "the peer is gone" . once . ioProperty . withPair $ \a b -> do
        close b
        r <- try (sendBuilder a (byteString (S.replicate 100000 0)))
        pure $ case r of
          Left e -> counterexample (show (e :: IOException)) True
          Right n -> counterexample (show n) False,
      testProperty "a decoder gets values however they are cut" $
        \ws (Positive size) -> ioProperty . withPair $ \a b -> do
          source <- socketSource b
          let bytes = toStrictByteString (foldMap word32LE ws)
              cut bs = if S.null bs then [] else S.take size bs : cut (S.drop size bs)
          (_, got) <-
            both
              (mapM_ (sendAll a) (cut bytes) >> shutdown a ShutdownSend)
              (foldFrom source getWord32le (\acc w -> pure (w : acc)) [])
          pure (either (const Nothing) (Just . reverse) got === Just (ws :: [Word32])),
      testProperty "chunks that were handed out do not change" . once . ioProperty . withPair $
        \a b -> do
          next <- socketChunks b
          let parts = [S.replicate 1000 w | w <- [0 .. 199]]
          chunks <- mapM (\bs -> sendAll a bs >> next) parts
          pure (chunks === parts),
      testProperty "both ways at once" . once . ioProperty . withTcp $ \a b -> do
        source <- socketSource b
        back <- socketSource a
        let text = S.replicate 3000000 7
            answer = getFrom source (getByteString 3000000) >>= either throwIO (echo b)
        (_, got) <-
          both answer (sendBuilder a (byteString text) >> getFrom back (getByteString 3000000))
        pure (property (either (const False) (== text) got)),
      testProperty "an interrupted wait loses nothing" . once . ioProperty . withPair $ \a b -> do
        next <- socketChunks b
        begun <- newEmptyMVar
        done <- newEmptyMVar
        thread <- forkIO ((putMVar begun () >> next >>= putMVar done) `catch` stopped done)
        takeMVar begun
        yield
        killThread thread
        first <- takeMVar done
        sendAll a "brick"
        second <- next
        pure ((first, second) === ("stopped", "brick"))
    ]
  where
    stopped done e = case e of
      ThreadKilled -> putMVar done "stopped"
      _ -> throwIO e
    echo b bs = sendBuilder b (byteString bs)

data Bad = Bad
  deriving stock (Eq, Show)

instance Exception Bad

piece :: (Word8, Int) -> Builder
piece (w, n) = case w `mod` 4 of
  0 -> word8 w
  1 -> mconcat (replicate (abs n) (word32BE (fromIntegral n)))
  2 -> byteStringInsert (S.replicate (abs n * 1000) w)
  _ -> byteString (S.replicate (abs n) w) <> flush

drained :: Int -> Socket -> IO L.ByteString
drained size b = go []
  where
    go done = do
      bs <- recv b size
      if S.null bs then pure (L.fromChunks (reverse done)) else go (bs : done)
