{-# LANGUAGE DeriveAnyClass #-}
{-# LANGUAGE DeriveGeneric #-}
{-# LANGUAGE DerivingStrategies #-}

-- |
-- Module      : Calculator
-- Description : A server and a client that send each other values
--
-- The types are the whole protocol. The handshake compares them, so a client of another version is
-- understood or refused, and never misread.
module Calculator
  ( Expression (..),
    Answer (..),
    evaluate,
    serve,
    withCalculator,
    ask,
    askAll,
  )
where

import Ashlar.Codec (Codec)
import Ashlar.Network.Messages
import Ashlar.Schema (Described)
import Control.Concurrent (forkFinally, threadDelay)
import Control.Concurrent.Async (concurrently)
import Control.Exception (IOException, bracketOnError, try)
import Control.Monad (forM_, forever, replicateM, void)
import GHC.Generics (Generic)
import Network.Socket
import System.Timeout (timeout)

-- | What a client asks.
data Expression
  = Number Integer
  | Expression :+: Expression
  | Expression :*: Expression
  | Expression `Over` Expression
  deriving stock (Eq, Read, Show, Generic)
  deriving anyclass (Codec, Described)

-- | What it gets.
data Answer = Result Integer | DivisionByZero
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec, Described)

-- | The value of an expression.
evaluate :: Expression -> Answer
evaluate = maybe DivisionByZero Result . value
  where
    value expression = case expression of
      Number n -> Just n
      a :+: b -> (+) <$> value a <*> value b
      a :*: b -> (*) <$> value a <*> value b
      a `Over` b -> do
        divisor <- value b
        if divisor == 0 then Nothing else (`div` divisor) <$> value a

-- | Answer all who connect, each in a thread of its own. What a client does wrong ends its
-- connection only.
serve ::
  -- | 'socketTransport', or 'Tls.tlsServer' with a certificate.
  (Socket -> IO Transport) ->
  Socket ->
  IO a
serve over listener = forever . bracketOnError accepted close $ \sock ->
  void (forkFinally (answering sock) (\_ -> close sock))
  where
    -- There may be no descriptor free, or the client may be gone already. Others will come.
    accepted = try (accept listener) >>= either later (pure . fst)
    later :: IOException -> IO Socket
    later _ = threadDelay 100000 >> accepted
    answering sock = do
      -- A client that never shakes hands does not keep its thread.
      transport <- timeout 10000000 (over sock)
      forM_ transport $ \t ->
        withConnection defaultOptions described described t $ \c ->
          forMessages c (send c . evaluate)

-- | A connection to a server.
withCalculator :: Transport -> (Connection Expression Answer -> IO a) -> IO a
withCalculator = withConnection defaultOptions described described

-- | One question, and its answer.
ask :: Connection Expression Answer -> Expression -> IO (Maybe Answer)
ask c expression = send c expression >> receive c

-- | Many, without waiting for each: the answers come in the same order.
askAll :: Connection Expression Answer -> [Expression] -> IO [Maybe Answer]
askAll c expressions =
  snd <$> concurrently (mapM_ (send c) expressions) (replicateM (length expressions) (receive c))
