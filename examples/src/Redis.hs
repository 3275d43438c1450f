{-# LANGUAGE DerivingStrategies #-}
{-# LANGUAGE OverloadedStrings #-}

-- |
-- Module      : Redis
-- Description : A client for Redis, in RESP2 and RESP3, with pipelining
--
-- <https://redis.io/docs/latest/develop/reference/protocol-spec/>
module Redis
  ( -- * Connections
    Redis,
    Protocol (..),
    withRedis,
    newRedis,

    -- * Commands
    Command,
    call,
    pipeline,

    -- * Replies
    Reply (..),
    reply,
    command,
  )
where

import Ashlar.Builder
import Ashlar.Get
import Ashlar.Get.Combinators (count, refine)
import Ashlar.Get.Parse (bytes, double, signedDecimal, takeTillByte)
import Control.Applicative ((<|>))
import Control.Exception (throwIO)
import Control.Monad (void)
import Data.ByteString (ByteString)
import qualified Data.ByteString as S
import Wire

-- | A connection, and what is done with messages that no command has asked for.
data Redis = Redis (Wire Reply) ([Reply] -> IO ())

-- | RESP3 has more types of replies than RESP2, and pushes.
data Protocol = RESP2 | RESP3
  deriving stock (Eq, Show)

-- | The name of a command and its arguments.
type Command = [ByteString]

-- | What a server answers.
data Reply
  = Simple ByteString
  | -- | The server has refused the command. The connection is in order.
    Failed ByteString
  | Number Int
  | Bulk ByteString
  | Nil
  | Array [Reply]
  | -- | From here on: RESP3 only.
    Boolean Bool
  | Float Double
  | BigNumber Integer
  | -- | A format of three letters, and the text.
    Verbatim ByteString ByteString
  | Map [(Reply, Reply)]
  | Set [Reply]
  | -- | A message that answers no command.
    Push [Reply]
  deriving stock (Eq, Show)

-- | Connect to a Unix socket. The function gets each push (RESP3), between replies. It must not use
-- the connection.
withRedis :: FilePath -> Protocol -> ([Reply] -> IO ()) -> (Redis -> IO a) -> IO a
withRedis path protocol pushed use = withUnixSocket reply path $ \wire ->
  newRedis wire protocol pushed >>= either throwIO use

-- | Agree on the protocol.
newRedis :: Wire Reply -> Protocol -> ([Reply] -> IO ()) -> IO (Either Failure Redis)
newRedis wire protocol pushed = case protocol of
  RESP2 -> pure (Right redis)
  RESP3 -> do
    answer <- call redis ["HELLO", "3"]
    case answer of
      Right (Map _) -> pure (Right redis)
      Right other -> fmap (const redis) <$> exchange wire (throwIO (ProtocolError (show other)))
      Left e -> pure (Left e)
  where
    redis = Redis wire pushed

-- | Send a command, and wait for the reply.
call :: Redis -> Command -> IO (Either Failure Reply)
call redis c = fmap (foldr const Nil) <$> pipeline redis [c]

-- | Send all the commands, and return their replies in the same order: one round trip.
pipeline :: Redis -> [Command] -> IO (Either Failure [Reply])
pipeline (Redis wire pushed) commands =
  exchange wire . receiveAll wire (foldMap command commands) $
    collect [] (length commands)
  where
    collect done n
      | n == 0 = pure (reverse done)
      | otherwise = do
        r <- receive wire
        case r of
          Push message -> pushed message >> collect done n
          _ -> collect (r : done) (n - 1 :: Int)

-- | A command is an array of strings.
command :: Command -> Builder
command args = counted '*' (length args) <> foldMap bulk args
  where
    bulk s = counted '$' (S.length s) <> byteString s <> "\r\n"
    counted kind n = char7 kind <> intDec n <> "\r\n"

-- | Any reply. Nothing is allocated for what is only announced. The budget limits nested arrays.
reply :: Get Reply
reply =
  label "reply" $
    getWord8 >>= \w -> case toEnum (fromIntegral w) of
      '+' -> Simple <$> line
      '-' -> Failed <$> line
      ':' -> Number <$> number
      '$' -> orNil (fmap Bulk . string)
      '*' -> orNil (fmap Array . replies)
      '_' -> Nil <$ crlf
      '#' -> Boolean <$> refine boolean line
      ',' -> Float <$> refine float line
      '(' -> BigNumber <$> signedDecimal <* crlf
      '!' -> Failed <$> (size >>= string)
      '=' -> uncurry Verbatim <$> (size >>= refine verbatim . string)
      '%' -> Map <$> (size >>= deeper . flip count ((,) <$> reply <*> reply))
      '~' -> Set <$> (size >>= replies)
      '>' -> Push <$> (size >>= replies)
      -- Attributes are additions that a client may ignore.
      '|' -> (size >>= deeper . flip count ((,) <$> reply <*> reply)) *> deeper reply
      c -> fail ("a reply cannot begin with " ++ show c)
  where
    line = takeTillByte 13 <* crlf
    crlf = void (bytes "\r\n")
    number = signedDecimal <* crlf
    size = refine (\n -> if n < 0 then Left "a negative length" else Right n) number
    orNil rest = (Nil <$ bytes "-1\r\n") <|> (size >>= rest)
    string n = getByteStringCopy n <* crlf
    replies n = deeper (count n reply)
    boolean s = case s of
      "t" -> Right True
      "f" -> Right False
      _ -> Left "neither t nor f"
    verbatim s = case S.splitAt 3 s of
      (format, rest) | Just text <- S.stripPrefix ":" rest -> Right (format, text)
      _ -> Left "a verbatim string without a format"
    float s = case s of
      "inf" -> Right (1 / 0)
      "-inf" -> Right (-1 / 0)
      "nan" -> Right (0 / 0)
      _ -> either (Left . summarizeError) Right (runGetWhole double s)
