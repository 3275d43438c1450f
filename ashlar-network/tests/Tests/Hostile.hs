{-# LANGUAGE OverloadedStrings #-}

-- |
-- Module      : Tests.Hostile
-- Description : Peers that send anything
module Tests.Hostile (tests) where

import Ashlar.Network.Internal.Incoming (fetch, heldBytes, newIncoming, passBytes)
import Ashlar.Network.Internal.Link (newLink)
import Ashlar.Network.Messages
import qualified Data.ByteString as S
import Data.IORef
import qualified Data.List as List
import Data.Text (Text)
import Data.Word (Word8)
import System.Mem (getAllocationCounter)
import Test.Tasty
import Test.Tasty.QuickCheck
import Tests.Ends
import Tests.Memory (withinMemory)

tests :: TestTree
tests =
  testGroup
    "hostile peers"
    [ testProperty "every byte changed: an error, or the same messages" . once . ioProperty $ do
        bytes <- recorded defaultOptions texts (\c -> mapM_ (send c) three)
        outs <- sequence [from (changed i w bytes) | i <- offsets bytes, w <- [1, 128, 255]]
        pure . conjoin $
          [ counterexample (show (got, end)) $
              got `List.isPrefixOf` three && (end /= Right () || got == three)
            | (got, end) <- outs
          ],
      testProperty "every byte changed, without checksums: it ends" . once . ioProperty $ do
        let plain = defaultOptions {optionsChecksums = False}
        bytes <- recorded plain texts (\c -> mapM_ (send c) three)
        outs <- sequence [from (changed i w bytes) | i <- offsets bytes, w <- [1, 128, 255]]
        -- There is not more than has been sent.
        pure (conjoin [counterexample (show o) (length (fst o) <= 5) | o <- outs]),
      testProperty "any bytes in place of a handshake" $ \ws -> ioProperty $ do
        (got, end) <- from (S.pack ws)
        pure (got === [] .&&. either (const True) (const False) end),
      testProperty "any bytes after the handshake" $ \ws -> ioProperty $ do
        start <- handshake
        (_, end) <- from (start <> S.pack ws)
        -- Only the mark of the end ends it.
        let marked = S.isInfixOf "\255\255\255\255" (S.pack ws)
        pure (counterexample (show end) (either (const True) (const marked) end)),
      testProperty "a length is not believed" . once . conjoin $
        [ ioProperty $ do
            start <- handshake
            before <- getAllocationCounter
            (_, end) <- fromChunks (start : chunks)
            later <- getAllocationCounter
            pure $
              end === Left "PeerClosed 7"
                .&&. counterexample (show (before - later)) (before - later < 1000000)
          | chunks <- [["\255\255\255\3few"], ["\255\255\255\3", "few"], ["\255\255", "\255\3few"]]
        ],
      testProperty "a message above the limit is refused at once" . once . ioProperty $ do
        start <- handshake
        (transport, _) <- scripted [start <> "\1\4\0\0"] Stays
        end <- ending transport
        (transport', _) <- scripted [start <> "\254\255\255\255"] Stays
        end' <- ending transport'
        pure $
          (end, end')
            === (Left "TooLong 1025 1024", Left "TooLong 4294967294 1024"),
      testProperty "a message of exactly the limit is accepted" . once . ioProperty $ do
        start <- handshake
        (transport, _) <- scripted [start <> "\0\4\0\0" <> "few"] Closes
        end <- ending transport
        pure (end === Left "PeerClosed 7"),
      testProperty "any chunks: what has arrived is there, within its memory" arrived,
      testProperty "a large message in single bytes takes little memory" . once . ioProperty $
        do
          start <- handshake
          let n = 300000 :: Int
          -- With the checksum.
          left <- newIORef (n + 4)
          (peer, _) <- scripted [start, "\224\147\4\0"] Closes
          most <- newIORef 0
          before <- liveBytes
          let next = do
                bs <- transportReceive peer
                k <- readIORef left
                if not (S.null bs)
                  then pure bs
                  else do
                    writeIORef left (k - 1)
                    if k `mod` 50000 == 1
                      then liveBytes >>= \now -> modifyIORef' most (max now)
                      else pure ()
                    pure (if k > 0 then S.singleton 0 else S.empty)
          end <- ending' defaultOptions peer {transportReceive = next}
          peak <- subtract before <$> readIORef most
          pure $
            counterexample (show (end, peak)) (peak > 0 && peak < 1500000)
              .&&. end === Left "InvalidChecksum"
    ]
  where
    offsets bytes = [0 .. S.length bytes - 1]
    changed :: Int -> Word8 -> S.ByteString -> S.ByteString
    changed i w bytes = case S.splitAt i bytes of
      (a, b) -> case S.uncons b of
        Just (x, rest) -> a <> S.cons (x + w) rest
        Nothing -> bytes
    three = ["brick", "", "m\246rtel"] :: [Text]
    texts = fixedType "texts" :: RecordType Text
    handshake = do
      bytes <- recorded defaultOptions texts (const (pure ()))
      pure (S.take (S.length bytes - 4) bytes)
    -- The messages that come from such a peer, and the end.
    from bytes = fromChunks [bytes]
    fromChunks chunks = do
      (transport, _) <- scripted chunks Closes
      got <- newIORef []
      end <- outcome . withConnection defaultOptions number texts transport $ \c ->
        forMessages c (\m -> modifyIORef' got (m :))
      received <- reverse <$> readIORef got
      pure (received, end)
    ending = ending' defaultOptions {optionsMessageLimit = 1024, optionsMessageTime = 5000000}
    ending' options transport =
      outcome . withConnection options number texts transport $ \c ->
        forMessages c (const (pure ()))

-- After each chunk, some of the bytes that have arrived are taken. How many are needed may be any
-- number, but is never believed.
arrived :: [(Positive Int, Word8, NonNegative Int)] -> Property
arrived steps = ioProperty $ do
  (transport, _) <- scripted chunks Closes
  inc <- newLink defaultOptions transport >>= newIncoming
  let go _ [] = pure []
      go before ((chunk, needed, taken) : rest) = do
        fetch inc 0 needed
        held <- heldBytes inc
        inside <- withinMemory held
        let expected = before <> chunk
            n = min taken (S.length expected)
        passBytes inc n
        (((inside, held) === (True, expected)) :) <$> go (S.drop n expected) rest
  conjoin <$> go S.empty [(c, needed, n) | (c, (_, needed, n)) <- zip chunks parts]
  where
    parts = [(n, 50 * fromIntegral w, k) | (Positive n, w, NonNegative k) <- steps]
    chunks = [S.replicate n i | (i, (n, _, _)) <- zip (cycle [0 ..]) parts]
