{-# LANGUAGE OverloadedStrings #-}
{-# LANGUAGE TypeApplications #-}

-- |
-- Module      : Conformance.Messages
-- Description : What one end of a connection sends, and what the other end makes of it
module Conformance.Messages (messages) where

import Ashlar.Builder (byteString, toStrictByteString, word16LE, word32LE, word64LE)
import Ashlar.Codec (encode)
import Ashlar.File.Crc32c (crc32c)
import Ashlar.Network.Messages
import Ashlar.Schema (schema, schemaFingerprint)
import Conformance.Case
import Conformance.Line
import Conformance.Types (Channel (..), Empty (..), Order, orders)
import Control.Exception (displayException, try)
import Data.ByteString (ByteString)
import qualified Data.ByteString as B
import Data.IORef (atomicModifyIORef', modifyIORef', newIORef, readIORef)
import Data.Word (Word16, Word32)
import GHC.Fingerprint (Fingerprint (..))

messages :: IO [Entry]
messages = sequence (concat [good, refusedHello, verdicts, damaged, limits])

-- | What the other end makes of a stream, given whether its messages have checksums.
stream :: String -> Bool -> ByteString -> [ByteString] -> IO Entry
stream title = limited title (optionsMessageLimit defaultOptions)

limited :: String -> Int -> Bool -> ByteString -> [ByteString] -> IO Entry
limited title limit checksums s chunks = do
  left <- newIORef [B.concat chunks]
  found <- newIORef []
  let transport =
        Transport
          { transportSend = \_ -> pure (),
            transportReceive = atomicModifyIORef' left $ \now -> case now of
              bs : rest -> (rest, bs)
              [] -> ([], B.empty),
            transportClose = pure ()
          }
      options = defaultOptions {optionsMessageLimit = limit}
      ours = fixedType "number" :: RecordType Word16
  outcome <- try . withConnection options ours anyRecords transport $ \c ->
    forMessages c (\(Line l) -> modifyIORef' found (l :))
  ls <- reverse <$> readIORef found
  pure $
    entry
      title
      [ ("stream", bytes (B.concat chunks)),
        ("schema", bytes s),
        ("checksums", truth checksums),
        ("limit", number limit),
        ("lines", list (map line ls)),
        ( "error",
          case outcome of
            Right () -> nothing
            Left e -> text (displayException (e :: ConnectionError))
        )
      ]

hello :: Bool -> ByteString -> Fingerprint -> ByteString
hello checksums s = helloWith 1 (if checksums then 1 else 0) (size s) s

-- | Given the version, the flags, and the length of the schema.
helloWith :: Word16 -> Word16 -> Word32 -> ByteString -> Fingerprint -> ByteString
helloWith version flags n s (Fingerprint high low) = start <> le32 (crc32c start)
  where
    start =
      toStrictByteString $
        byteString "\x89\&ASHMSG\n" <> word16LE version <> word16LE flags <> word64LE high
          <> word64LE low
          <> word32LE n
          <> byteString s

le32 :: Word32 -> ByteString
le32 = toStrictByteString . word32LE

size :: ByteString -> Word32
size = fromIntegral . B.length

accepted, end :: ByteString
accepted = le32 0
end = le32 maxBound

frame :: Bool -> ByteString -> ByteString
frame checksums m = framed <> (if checksums then le32 (crc32c framed) else B.empty)
  where
    framed = le32 (size m) <> m

orderHello, channelHello :: Bool -> ByteString
orderHello checksums = hello checksums (encode s) (schemaFingerprint s)
  where
    s = schema @Order
channelHello checksums = hello checksums (encode s) (schemaFingerprint s)
  where
    s = schema @Channel

orderSchema, channelSchema :: ByteString
orderSchema = encode (schema @Order)
channelSchema = encode (schema @Channel)

good :: [IO Entry]
good =
  [ stream
      ("no messages" ++ sums c)
      c
      channelSchema
      [ channelHello c,
        accepted,
        end
      ]
    | c <-
        [ False,
          True
        ]
  ]
    ++ [ stream
           ("orders" ++ sums c)
           c
           orderSchema
           ( [ orderHello c,
               accepted
             ]
               ++ map (frame c . encode) orders
               ++ [end]
           )
         | c <- [False, True]
       ]
    ++ [ stream
           ("messages of no bytes" ++ sums c)
           c
           emptySchema
           [ hello c emptySchema emptyPrint,
             accepted,
             frame c (encode Empty),
             frame c "",
             end
           ]
         | c <- [False, True]
       ]
    ++ [ stream
           "what follows the end is not read"
           True
           channelSchema
           [ channelHello True,
             accepted,
             frame True (encode Web),
             end,
             "anything"
           ]
       ]
  where
    sums c = if c then ", with checksums" else ", without checksums"
    emptySchema = encode (schema @Empty)
    emptyPrint = schemaFingerprint (schema @Empty)

refusedHello :: [IO Entry]
refusedHello =
  [ stream "another protocol" True B.empty ["GET / HTTP/1.1\r\nHost: a\r\n\r\n"],
    stream "a wrong byte in the magic" True channelSchema ["\x89\&ASHMSH\n" <> B.drop 8 whole],
    stream
      "a later version"
      True
      channelSchema
      [helloWith 2 1 (size channelSchema) channelSchema fingerprint, accepted, end],
    stream
      "flags that are not known"
      True
      channelSchema
      [helloWith 1 2 (size channelSchema) channelSchema fingerprint, accepted, end],
    stream
      "a schema that is too long"
      True
      channelSchema
      [helloWith 1 1 1048577 channelSchema fingerprint, accepted, end],
    stream
      "a schema that is none"
      True
      "number"
      [hello True "number" (Fingerprint 1 2), accepted, end],
    stream
      "a schema with a byte more"
      True
      (channelSchema <> "\0")
      [hello True (channelSchema <> "\0") fingerprint, accepted, end]
  ]
    ++ [ stream
           ("byte " ++ show i ++ " of the hello is changed")
           True
           channelSchema
           [ B.take i whole,
             B.map (+ 1) (B.take 1 (B.drop i whole)),
             B.drop (i + 1) whole,
             accepted,
             end
           ]
         | i <- [11, 12, 20, 40, B.length whole - 1]
       ]
    ++ [ stream
           ("the first " ++ show n ++ " bytes of the hello")
           True
           channelSchema
           [B.take n whole]
         | n <- [0, 1, 8, 9, 10, 12, 31, 40, B.length whole - 1]
       ]
  where
    whole = channelHello True
    fingerprint = schemaFingerprint (schema @Channel)

verdicts :: [IO Entry]
verdicts =
  [ stream "a refusal" True channelSchema [channelHello True, refusal' "Channel: no"],
    stream
      "a refusal with characters that are not shown"
      True
      channelSchema
      [channelHello True, refusal' "\ESC[31m \xc3\xa4 \xff \n"],
    stream
      "a refusal that is too long"
      True
      channelSchema
      [channelHello True, le32 4097, B.replicate 4097 97],
    stream "a refusal that is cut off" True channelSchema [channelHello True, le32 10, "too"],
    stream "no verdict" True channelSchema [channelHello True],
    stream "half a verdict" True channelSchema [channelHello True, "\0\0"]
  ]
  where
    refusal' why = le32 (size why) <> why

damaged :: [IO Entry]
damaged =
  [ stream
      ("a message of which byte " ++ show i ++ " is changed" ++ sums c)
      c
      channelSchema
      [ start c,
        frame c (encode Web),
        changed i (frame c (encode (Mail 1 True))),
        frame c (encode Web),
        end
      ]
    | (c, positions) <- [(True, [0, 1, 4, 5, 7, 8]), (False, [0, 3, 4, 5, 7])],
      i <- positions
  ]
    ++ [ stream
           ("a stream that ends after " ++ show n ++ " bytes" ++ sums c)
           c
           channelSchema
           [ start c,
             frame c (encode Web),
             B.take n (frame c (encode (Mail 1 True)) <> end)
           ]
         | (c, positions) <- [(True, [0, 1, 4, 8, 11, 12, 15]), (False, [0, 3, 5, 8, 11])],
           n <- positions
       ]
    ++ [ stream
           "a message with a byte more"
           False
           channelSchema
           [ start False,
             frame False (encode Web <> "\0"),
             end
           ],
         stream "a message of no bytes" False channelSchema [start False, frame False "", end],
         stream
           "a message whose value is cut off"
           True
           channelSchema
           [start True, frame True (B.take 2 (encode (Mail 1 True))), end],
         stream
           "a message with a wrong tag"
           True
           channelSchema
           [start True, frame True (encode Web), frame True "\3", frame True (encode Web), end]
       ]
  where
    start c = channelHello c <> accepted
    sums c = if c then ", with checksums" else ", without checksums"
    changed i bs = B.concat [B.take i bs, B.map (+ 1) (B.take 1 (B.drop i bs)), B.drop (i + 1) bs]

limits :: [IO Entry]
limits =
  [ limited
      "a message as large as the limit"
      4
      True
      channelSchema
      [start, frame True (encode (Mail 1 True)), end],
    limited
      "a message larger than the limit"
      3
      True
      channelSchema
      [start, frame True (encode Web), frame True (encode (Mail 1 True)), end],
    stream "a message of 2^31 bytes" True channelSchema [start, le32 0x80000000, "abc"],
    stream "a message of 2^32 - 2 bytes" True channelSchema [start, le32 0xFFFFFFFE, "abc"],
    stream "a message of 64 MiB that is not there" True channelSchema [start, le32 67108864, "abc"],
    stream "a message of 64 MiB and a byte" True channelSchema [start, le32 67108865, "abc"]
  ]
  where
    start = channelHello True <> accepted
