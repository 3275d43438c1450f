{-# LANGUAGE DerivingStrategies #-}
{-# LANGUAGE OverloadedStrings #-}

-- |
-- Module      : Postgres.Protocol
-- Description : The messages of PostgreSQL's protocol, version 3
--
-- <https://www.postgresql.org/docs/current/protocol-message-formats.html>
module Postgres.Protocol
  ( -- * What the server sends
    Message (..),
    ServerError (..),
    message,

    -- * What a client sends
    startup,
    simple,
    parse,
    describe,
    bind,
    execute,
    sync,
    copyData,
    copyDone,
    copyFail,
    terminate,

    -- * Values
    value,
  )
where

import Ashlar.Builder
import qualified Ashlar.Builder.Prim as P
import Ashlar.Builder.Section (lengthPrefixedFixed)
import Ashlar.Get
import Ashlar.Get.Combinators (count, refine)
import Control.Applicative ((<|>))
import Control.Exception (Exception (..))
import Control.Monad (join)
import Data.ByteString (ByteString)
import qualified Data.ByteString.Char8 as C
import Data.Int (Int32)
import Data.Maybe (fromMaybe)

-- | What the server sends. Row contents are decoded later, by whoever knows their types.
data Message
  = -- | 0 lets the client in; other numbers ask for a password.
    Authentication Int32
  | Ready
  | -- | The names of the columns.
    RowDescription [ByteString]
  | NoRows
  | DataRow ByteString
  | -- | What was done, such as @INSERT 0 12@.
    Complete ByteString
  | Refusal ServerError
  | CopyInResponse
  | CopyOutResponse
  | CopyData ByteString
  | CopyDone
  | -- | A step of a prepared query has been taken.
    Step
  | -- | Notices, notifications and changed settings may come at any time.
    Notice
  deriving stock (Eq, Show)

-- | Why the server has refused a command.
data ServerError = ServerError
  { -- | @ERROR@, or @FATAL@ if the server ends the connection.
    severity :: ByteString,
    -- | The five characters of SQLSTATE.
    sqlState :: ByteString,
    errorMessage :: ByteString,
    errorDetail :: Maybe ByteString
  }
  deriving stock (Eq, Show)

instance Exception ServerError where
  displayException e =
    C.unpack (severity e <> " " <> sqlState e <> ": " <> errorMessage e <> detail)
    where
      detail = foldMap (\d -> " (" <> d <> ")") (errorDetail e)

-- | The next message: a letter, a length that counts itself, and the body.
message :: Get Message
message = label "message" $ do
  body <- refine kind getWord8
  n <- refine (\n -> if n < 4 then Left "a length below 4" else Right n) getInt32be
  isolate (fromIntegral n - 4) body
  where
    kind w = case toEnum (fromIntegral w) of
      'R' -> Right (Authentication <$> getInt32be <* getRemainingByteString)
      'S' -> Right (ignored Notice)
      'K' -> Right (ignored Notice)
      'N' -> Right (ignored Notice)
      'A' -> Right (ignored Notice)
      'Z' -> Right (Ready <$ getWord8)
      'T' -> Right (RowDescription <$> counted (getByteStringNul <* skip 18))
      'n' -> Right (pure NoRows)
      'D' -> Right (DataRow <$> getRemainingByteString)
      'C' -> Right (Complete <$> getByteStringNul)
      'I' -> Right (pure (Complete ""))
      'E' -> Right (Refusal <$> serverError)
      'G' -> Right (ignored CopyInResponse)
      'H' -> Right (ignored CopyOutResponse)
      'd' -> Right (CopyData <$> getRemainingByteString)
      'c' -> Right (pure CopyDone)
      '1' -> Right (pure Step)
      '2' -> Right (pure Step)
      't' -> Right (ignored Step)
      c -> Left ("a message cannot begin with " ++ show c)
    ignored m = m <$ getRemainingByteString
    counted g = join (count <$> refine natural getInt16be <*> pure g)
    natural n = if n < 0 then Left "a negative number" else Right (fromIntegral n)

serverError :: Get ServerError
serverError = fields [] >>= \fs -> pure (fromFields (`lookup` fs))
  where
    fields fs = getWord8 >>= \w -> if w == 0 then pure fs else field w >>= \f -> fields (f : fs)
    field w = (,) (toEnum (fromIntegral w)) <$> getByteStringNul
    fromFields at =
      -- The severity in the server's language, and since version 9.6 also in English.
      ServerError (orNone (at 'V' <|> at 'S')) (orNone (at 'C')) (orNone (at 'M')) (at 'D')
    orNone = fromMaybe ""

-- A letter, a length that counts itself, and the body.
framed :: Char -> Builder -> Builder
framed kind body = char7 kind <> sized body

sized :: Builder -> Builder
sized = lengthPrefixedFixed ((+ 4) P.>$< P.int32BE)

text :: ByteString -> Builder
text s = byteString s <> word8 0

-- | The first message, given a user and a database.
startup :: ByteString -> ByteString -> Builder
startup user database =
  sized $
    int32BE 196608
      <> foldMap text ["user", user, "database", database, "client_encoding", "UTF8"]
      <> word8 0

-- | Commands in SQL. All results are text.
simple :: ByteString -> Builder
simple = framed 'Q' . text

-- | Prepare a statement: its name, and the command.
parse :: ByteString -> ByteString -> Builder
parse name sql = framed 'P' (text name <> text sql <> int16BE 0)

-- | Ask for the columns of a statement.
describe :: ByteString -> Builder
describe name = framed 'D' (char7 'S' <> text name)

-- | Give a statement its arguments. All values are binary.
bind :: ByteString -> [Maybe Builder] -> Builder
bind name arguments =
  framed 'B' $
    word8 0 <> text name <> int16BE 1 <> int16BE 1
      <> int16BE (fromIntegral (length arguments))
      <> foldMap value arguments
      <> int16BE 1
      <> int16BE 1

-- | Run what was bound, to its last row.
execute :: Builder
execute = framed 'E' (word8 0 <> int32BE 0)

-- | The end of a series of messages.
sync :: Builder
sync = framed 'S' mempty

-- | Some bytes of a copy.
copyData :: ByteString -> Builder
copyData = framed 'd' . byteString

-- | The end of a copy.
copyDone :: Builder
copyDone = framed 'c' mempty

-- | Give up a copy.
copyFail :: ByteString -> Builder
copyFail = framed 'f' . text

-- | Say goodbye.
terminate :: Builder
terminate = framed 'X' mempty

-- | A value after its length, in an argument or a column. 'Nothing' is @NULL@.
value :: Maybe Builder -> Builder
value = maybe (int32BE (-1)) (lengthPrefixedFixed P.int32BE)
