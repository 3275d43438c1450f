{-# LANGUAGE DeriveAnyClass #-}
{-# LANGUAGE DeriveGeneric #-}
{-# LANGUAGE DerivingStrategies #-}
{-# LANGUAGE OverloadedStrings #-}

-- |
-- Module      : Tests.Ends
-- Description : Two ends of a stream, and peers that follow a script
module Tests.Ends
  ( -- * Streams
    Stream (..),
    withEnds,
    withPair,
    withTcp,
    withUnixPath,
    pipe,
    both,

    -- * Peers that follow a script
    scripted,
    Ending (..),
    recorded,

    -- * What is left over
    leavesNothing,
    liveBytes,

    -- * Messages
    Message (..),
    number,
    outcome,
    receiveAll,
  )
where

import Ashlar.Codec
import Ashlar.Network.Messages
import Ashlar.Schema (Described)
import Control.Concurrent
import Control.Exception
import qualified Data.ByteString as S
import Data.IORef
import Data.Text (Text)
import qualified Data.Text as T
import Data.Word (Word16)
import GHC.Generics (Generic)
import GHC.Stats (gc, gcdetails_live_bytes, getRTSStats)
import Network.Socket
import System.Directory (getTemporaryDirectory, removeFile)
import System.IO (hClose, openTempFile)
import System.Mem (performGC)
import Test.QuickCheck
import Tests.InUse (inUse)

-- | How two ends are connected.
data Stream
  = Pair
  | Tcp
  | Unix
  | -- | In memory, in chunks of at most this number of bytes.
    Pipe !Int
  deriving stock (Eq, Show)

instance Arbitrary Stream where
  arbitrary = oneof [pure Pair, pure Tcp, pure Unix, pure (Pipe 1), Pipe <$> choose (2, 100000)]

withEnds :: Stream -> (Transport -> Transport -> IO r) -> IO r
withEnds stream act = case stream of
  Pair -> withPair sockets
  Tcp -> withTcp sockets
  Unix -> withUnix sockets
  Pipe n -> pipe n >>= uncurry act
  where
    sockets a b = do
      ta <- socketTransport a
      tb <- socketTransport b
      act ta tb

withPair :: (Socket -> Socket -> IO r) -> IO r
withPair act = bracket (socketPair AF_UNIX Stream 0) closed (uncurry act)
  where
    closed (a, b) = close a >> close b

withTcp :: (Socket -> Socket -> IO r) -> IO r
withTcp = connected AF_INET (SockAddrInet 0 (tupleToHostAddress (127, 0, 0, 1)))

withUnix :: (Socket -> Socket -> IO r) -> IO r
withUnix act = withUnixPath $ \path -> connected AF_UNIX (SockAddrUnix path) act

-- | With a path for a Unix socket, which the action makes.
withUnixPath :: (FilePath -> IO r) -> IO r
withUnixPath = bracket name removeFile
  where
    name = do
      directory <- getTemporaryDirectory
      (path, h) <- openTempFile directory "ashlar-network"
      hClose h
      path <$ removeFile path

connected :: Family -> SockAddr -> (Socket -> Socket -> IO r) -> IO r
connected family address act =
  bracket (socket family Stream 0) close $ \listener -> do
    bind listener address
    listen listener 1
    there <- getSocketName listener
    bracket (socket family Stream 0) close $ \a -> do
      connect a there
      bracket (fst <$> accept listener) close (act a)

-- | Two ends in memory.
pipe :: Int -> IO (Transport, Transport)
pipe n = do
  ab <- newChan
  ba <- newChan
  pure (end ab ba, end ba ab)
  where
    end out inn =
      Transport
        { transportSend = mapM_ (writeList2Chan out . cut),
          transportReceive = do
            bs <- readChan inn
            -- The end stays.
            if S.null bs then bs <$ writeChan inn bs else pure bs,
          transportClose = writeChan out S.empty >> writeChan inn S.empty
        }
    cut bs
      | S.null bs = []
      | otherwise = S.take n bs : cut (S.drop n bs)

-- | Run both, and return when both have ended. If one throws, the other is stopped.
both :: IO a -> IO b -> IO (a, b)
both left right = mask $ \unmask -> do
  result <- newEmptyMVar
  main' <- myThreadId
  thread <- forkIO $ do
    r <- try (unmask right)
    either (\e -> throwTo main' (e :: SomeException)) (const (pure ())) r
    putMVar result r
  a <- unmask left `onException` killThread thread
  r <- unmask (takeMVar result) `onException` killThread thread
  either throwIO (pure . (,) a) r

-- | How a script ends.
data Ending = Closes | Stays
  deriving stock (Eq, Show)

-- | A peer that sends these chunks, whatever it receives. Returns what it has received, too.
scripted :: [S.ByteString] -> Ending -> IO (Transport, IO S.ByteString)
scripted chunks ending = do
  left <- newIORef (filter (not . S.null) chunks)
  got <- newIORef []
  closed <- newEmptyMVar
  let next = do
        now <- readIORef left
        case now of
          bs : rest -> bs <$ writeIORef left rest
          [] -> case ending of
            Closes -> pure S.empty
            Stays -> S.empty <$ readMVar closed
      transport =
        Transport
          { transportSend = \bs -> atomicModifyIORef' got (\all' -> (reverse bs ++ all', ())),
            transportReceive = next,
            transportClose = () <$ tryPutMVar closed ()
          }
  pure (transport, S.concat . reverse <$> readIORef got)

-- | The bytes that an end sends.
recorded :: Codec a => Options -> RecordType a -> (Connection a Word16 -> IO ()) -> IO S.ByteString
recorded options ty act = do
  (a, b) <- pipe 1000000
  seen <- newIORef []
  let a' = a {transportSend = \bs -> modifyIORef' seen (reverse bs ++) >> transportSend a bs}
      other = withConnection options number ty b $ \c -> forMessages c (const (pure ()))
  _ <- both (withConnection options ty number a' act) other
  S.concat . reverse <$> readIORef seen

-- | Whether an action leaves descriptors, threads or memory over. It is run once before, for what
-- is made only once.
leavesNothing :: IO a -> IO Property
leavesNothing act = do
  _ <- act
  before <- withLive
  _ <- act
  settled before 500
  where
    withLive = (,) <$> inUse <*> liveBytes
    -- What ends meanwhile has time to do so.
    settled before@((fds, ts), live) n = do
      now@((fds', ts'), live') <- withLive
      if fds' <= fds && ts' <= ts && live' <= live + 100000
        then pure (property True)
        else
          if n == (0 :: Int)
            then pure (counterexample (show (before, now)) False)
            else threadDelay 10000 >> settled before (n - 1)

-- | How many bytes are in use.
liveBytes :: IO Int
liveBytes = performGC >> fromIntegral . gcdetails_live_bytes . gc <$> getRTSStats

-- | Messages of all sizes.
data Message
  = Empty
  | Number !Int
  | Words Text [Int]
  | Bytes !S.ByteString
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec, Described)

instance Arbitrary Message where
  arbitrary =
    frequency
      [ (2, pure Empty),
        (4, Number <$> arbitrary),
        (4, Words . T.pack <$> arbitrary <*> arbitrary),
        (2, Bytes <$> (S.replicate <$> choose (0, 1000) <*> arbitrary)),
        (1, Bytes <$> (S.replicate <$> choose (32700, 32800) <*> arbitrary)),
        (1, Bytes <$> (S.replicate <$> choose (0, 300000) <*> arbitrary))
      ]
  shrink message = case message of
    Empty -> []
    Number n -> Empty : map Number (shrink n)
    Words t ns ->
      Empty :
      [Words (T.pack s) ns | s <- shrink (T.unpack t)]
        ++ map (Words t) (shrink ns)
    Bytes bs -> Empty : [Bytes (S.take (S.length bs `div` 2) bs)]

-- | A type that does not describe itself.
number :: RecordType Word16
number = fixedType "number"

-- | The error of an action, by name, or its result.
outcome :: IO a -> IO (Either String a)
outcome act = either (Left . name) Right <$> try act
  where
    name :: ConnectionError -> String
    name e = case e of
      InvalidMessage _ -> "InvalidMessage"
      CannotRead _ -> "CannotRead"
      Refused _ -> "Refused"
      InvalidHandshake _ -> "InvalidHandshake"
      ConnectionBroken _ -> "ConnectionBroken"
      _ -> show e

-- | All messages, and how they end.
receiveAll :: Connection a b -> IO ([b], Either String ())
receiveAll c = do
  got <- newIORef []
  end <- outcome (forMessages c (\b -> modifyIORef' got (b :)))
  all' <- readIORef got
  pure (reverse all', end)
