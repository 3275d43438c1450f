-- |
-- Module      : Ashlar.Network.Internal.Arriving
-- Description : A message that is decoded as its bytes arrive
--
-- Nothing of it is collected. Its checksum is computed chunk by chunk, and compared at its end.
module Ashlar.Network.Internal.Arriving
  ( receiveArriving,
  )
where

import Ashlar.Codec (DecodeError)
import Ashlar.File.Crc32c (crc32c, crc32cAfter)
import Ashlar.Get (Source, endOfInput, getFrom, newSource)
import Ashlar.Network.Internal.Error
import Ashlar.Network.Internal.Incoming
import Ashlar.Network.Internal.Link
import Control.Concurrent.MVar
import Control.Exception
import Control.Monad (void, when)
import qualified Data.ByteString as S
import Data.IORef (newIORef, readIORef, writeIORef)
import Data.Word (Word32)

-- | Run an action on the next message. 'Nothing' if the peer has said that no more follow.
--
-- An interruption while this waits for the message loses nothing. Afterwards, whatever ends the
-- action early ends the link.
receiveArriving ::
  Incoming ->
  -- | Whether messages have checksums.
  Bool ->
  -- | The limit in bytes.
  Int ->
  (Source -> IO (Either DecodeError r)) ->
  IO (Maybe r)
receiveArriving inc summed limit act = mask $ \unmask -> withMVarMasked (inLock inc) $ \() -> do
  header <- awaitHeader
  let announced = number header :: Word32
      n = fromIntegral announced
  if announced == maxBound
    then pure Nothing
    else do
      usable link
      when (n < 0 || n > min 0x7FFFFF00 limit) $ failWith link (TooLong announced limit)
      passMessage inc 4
      outcome <- try (unmask (decoding n header))
      case outcome of
        Left e -> endWith link (asConnectionError e) >> throwIO e
        Right (Left e) -> failWith link (InvalidMessage e)
        Right (Right r) -> pure (Just r)
  where
    link = inLink inc
    -- The first byte of a message may take any time.
    awaitHeader = do
      bytes <- heldBytes inc
      if S.length bytes >= 4
        then pure (S.take 4 bytes)
        else do
          usable link
          (if S.null bytes then id else inTime) (fetch inc 0 4)
          awaitHeader
    inTime :: IO a -> IO a
    inTime = timed link (optionsMessageTime (linkOptions link)) Receiving
    decoding n header = do
      leftRef <- newIORef n
      sumRef <- newIORef (crc32c header)
      let passed left = 4 + n - left
          -- The bytes at hand: one at least.
          atHand left = do
            usable link
            bytes <- heldBytes inc
            if S.null bytes
              then inTime (fetch inc (passed left) 1) >> atHand left
              else pure bytes
          next = do
            left <- readIORef leftRef
            if left == 0
              then pure S.empty
              else do
                chunk <- S.take left <$> atHand left
                passBytes inc (S.length chunk)
                writeIORef leftRef (left - S.length chunk)
                when summed $ do
                  before <- readIORef sumRef
                  writeIORef sumRef $! crc32cAfter before chunk
                pure chunk
          trailer k = do
            bytes <- atHand 0
            if S.length bytes >= k
              then S.take k bytes <$ passBytes inc k
              else inTime (fetch inc (passed 0) k) >> trailer k
      source <- newSource next
      result <- act source
      -- A decoder that ends before the message does is not the one for it.
      end <- either (pure . Left) (\r -> (r <$) <$> getFrom source endOfInput) result
      when summed . void . either (const (pure ())) (const (compareSum sumRef trailer)) $ end
      pure end
    compareSum sumRef trailer = mask_ $ do
      expected <- number <$> trailer 4
      actual <- readIORef sumRef
      when (actual /= expected) $ failWith link InvalidChecksum
