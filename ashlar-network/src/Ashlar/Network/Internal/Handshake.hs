{-# LANGUAGE OverloadedStrings #-}

-- |
-- Module      : Ashlar.Network.Internal.Handshake
-- Description : What two ends say before the first message
--
-- @format.md@ describes it.
module Ashlar.Network.Internal.Handshake
  ( Hello (..),
    hello,
    receiveHello,
    verdict,
    receiveVerdict,
    magic,
  )
where

import Ashlar.Builder (byteString, toStrictByteString, word16LE, word32LE, word64LE)
import Ashlar.File (RecordType (..))
import Ashlar.File.Crc32c (crc32c)
import Ashlar.Network.Internal.Error
import Ashlar.Network.Internal.Incoming
import Ashlar.Network.Internal.Link
import Control.Monad (unless, when)
import Data.ByteString (ByteString)
import qualified Data.ByteString as S
import Data.Char (isPrint)
import qualified Data.Text as T
import qualified Data.Text.Encoding as T
import qualified Data.Text.Encoding.Error as T
import Data.Word (Word16, Word32)
import GHC.Fingerprint (Fingerprint (..))

-- | What an end says of the messages that it sends.
data Hello = Hello
  { helloChecksums :: !Bool,
    helloFingerprint :: !Fingerprint,
    helloSchema :: !ByteString
  }

magic :: ByteString
magic = "\x89\&ASHMSG\n"

-- | The bytes of a hello.
hello :: Bool -> RecordType a -> ByteString
hello checksums ty = bytes <> toStrictByteString (word32LE (crc32c bytes))
  where
    bytes =
      toStrictByteString $
        byteString magic
          <> word16LE 1
          <> word16LE (if checksums then 1 else 0)
          <> word64LE high
          <> word64LE low
          <> word32LE (fromIntegral (S.length (typeSchema ty)))
          <> byteString (typeSchema ty)
    Fingerprint high low = typeFingerprint ty

-- | Read the peer's. The first bytes that are wrong end it.
receiveHello :: Link -> Incoming -> IO Hello
receiveHello link inc = do
  matching 0
  version <- takeBytes inc 2
  when (number version /= (1 :: Word16)) $ failWith link (UnknownVersion (number version))
  rest <- takeBytes inc 22
  let flags = number (S.take 2 rest) :: Word16
      n = number (S.drop 18 rest) :: Word32
  when (flags > 1) $ invalid ("it has the unknown flags " ++ show flags)
  when (toInteger n > toInteger (optionsSchemaLimit (linkOptions link))) $
    invalid ("its schema has " ++ show n ++ " bytes")
  schema <- takeBytes inc (fromIntegral n)
  check <- takeBytes inc 4
  when (number check /= crc32c (S.concat [magic, version, rest, schema])) $
    invalid "its checksum is wrong"
  let word k = number (S.take 8 (S.drop k rest))
  pure (Hello (flags == 1) (Fingerprint (word 2) (word 10)) schema)
  where
    -- Byte by byte, because a peer of another protocol may have sent less, and wait.
    matching n = unless (n == S.length magic) $ do
      byte <- takeBytes inc 1
      let start = S.take n magic <> byte
      unless (start `S.isPrefixOf` magic) $ do
        more <- heldBytes inc
        failWith link (OtherProtocol (start <> S.take (16 - S.length start) more))
      matching (n + 1)
    invalid = failWith link . InvalidHandshake

-- | Whether this end can read what the peer sends, or why not.
verdict :: Maybe String -> ByteString
verdict why = toStrictByteString (word32LE (fromIntegral (S.length text)) <> byteString text)
  where
    text = maybe "" (S.take verdictLimit . T.encodeUtf8 . T.pack . nonEmpty) why
    nonEmpty w = if null w then "?" else w

-- | Read the peer's.
receiveVerdict :: Link -> Incoming -> IO (Maybe String)
receiveVerdict link inc = do
  n <- number <$> takeBytes inc 4 :: IO Word32
  when (n > fromIntegral verdictLimit) $
    failWith link (InvalidHandshake "its verdict is too long")
  text <- takeBytes inc (fromIntegral n)
  pure (if n == 0 then Nothing else Just (shown text))
  where
    shown = concatMap printable . T.unpack . T.decodeUtf8With T.lenientDecode
    printable c = if isPrint c || c == '\n' then [c] else "?"

-- | The longest refusal, in bytes.
verdictLimit :: Int
verdictLimit = 4096
