{-# LANGUAGE DeriveAnyClass #-}
{-# LANGUAGE DeriveGeneric #-}
{-# LANGUAGE DerivingStrategies #-}
{-# LANGUAGE OverloadedStrings #-}

-- |
-- Module      : Workloads.Connections
-- Description : Streams, compressed output, messages between programs, bodies of HTTP responses
--
-- Both ends of a connection are threads of this process. So the time is that of both, and of the
-- system between them.
module Workloads.Connections (connectionWorkloads) where

import qualified Ashlar.Builder as A
import Ashlar.Codec (Codec)
import Ashlar.Conduit (conduitGet)
import qualified Ashlar.Get as A
import Ashlar.Network.Messages
import Ashlar.Wai (streamBuilder)
import qualified Ashlar.Zlib as A
import qualified Codec.Compression.GZip as GZip
import Control.Concurrent (forkIO, newEmptyMVar, putMVar, takeMVar)
import Control.Exception (bracket, finally)
import Control.Monad (void)
import Data.Binary (Binary)
import qualified Data.Binary as Binary
import qualified Data.Binary.Get as Binary
import qualified Data.Binary.Put as Binary
import qualified Data.ByteString as S
import qualified Data.ByteString.Builder as B
import qualified Data.ByteString.Char8 as S8
import qualified Data.ByteString.Lazy as L
import Data.Conduit (ConduitT, runConduit, (.|))
import qualified Data.Conduit.List as C
import qualified Data.Conduit.Serialization.Binary as Binary
import Data.IORef
import Data.Text (Text)
import qualified Data.Text as T
import Data.Word (Word32, Word64)
import Foreign.C.String (CString)
import Foreign.Marshal.Alloc (allocaBytes)
import Foreign.Ptr (castPtr)
import GHC.Generics (Generic)
import Input (chunksOf, noDecode)
import Network.HTTP.Types (status200)
import Network.Socket
import qualified Network.Socket.ByteString as N
import Network.Wai (Application, Response, pathInfo, responseBuilder, responseStream)
import Network.Wai.Handler.Warp (defaultSettings, openFreePort, runSettingsSocket)
import Numeric (readHex)
import System.IO (BufferMode (..), Handle, IOMode (..), hClose, hSetBuffering)
import System.IO.Unsafe (unsafePerformIO)
import Workload
import Workloads.Packing (deflated)

-- | All of them.
connectionWorkloads :: [Workload]
connectionWorkloads =
  [ items 2000000 $
      streamed
        "conduit: 2000000 Word32 in chunks of 4 KiB"
        (\acc w -> 31 * acc + fromIntegral w)
        [ ("ashlar", conduitGet A.getWord32le),
          ("binary-conduit", Binary.conduitGet Binary.getWord32le)
        ]
        (inChunks (B.word32LE . fromIntegral) 2000000),
    items 500000 $
      streamed
        "conduit: 500000 messages in chunks of 4 KiB"
        added
        [ ("ashlar", conduitGet ashlarMessage),
          ("binary-conduit", Binary.conduitGet binaryMessage)
        ]
        (inChunks (builderOf . message) 500000),
    zipped lineCount,
    items 100000 $
      exchanged
        "100000 messages over a Unix socket"
        [ ("ashlar", withAshlar defaultOptions),
          ("ashlar, without checksums", withAshlar defaultOptions {optionsChecksums = False}),
          ( "binary, hPutBuilder",
            withHandles (\h -> B.hPutBuilder h . Binary.execPut . Binary.put) binaryMessages
          ),
          ("binary, encode", withHandles (\h -> L.hPut h . Binary.encode) binaryMessages),
          ("binary, in frames", withHandles putFrame binaryFrames)
        ]
        100000,
    served
      "WAI: a body of 10 MB"
      [("ashlar", "ashlar"), ("bytestring, streamed", "streamed"), ("bytestring", "builder")]
      lineCount
  ]

-- The libraries with other results than the first, which is ours.
differing :: Eq a => [(String, IO a)] -> [String]
differing [] = []
differing ((_, ours) : others) = unsafePerformIO $ do
  expected <- ours
  results <- mapM snd others
  pure [library | ((library, _), result) <- zip others results, result /= expected]
{-# NOINLINE differing #-}

-- * Conduits

data Message = Message !Word32 !Word64 !S.ByteString
  deriving stock (Eq, Generic)
  deriving anyclass (Codec, Binary)

-- The message of this number: 28 bytes, on average.
message :: Int -> Message
message i =
  Message (fromIntegral i) (fromIntegral i * 7919) (S.take (8 + i `mod` 9) "a name, and more")

builderOf :: Message -> B.Builder
builderOf (Message a b name) =
  B.word32LE a <> B.word64LE b <> B.word32LE (fromIntegral (S.length name)) <> B.byteString name

ashlarMessage :: A.Get Message
ashlarMessage =
  Message <$> A.getWord32le <*> A.getWord64le <*> (A.getWord32le >>= A.getByteString . fromIntegral)

binaryMessage :: Binary.Get Message
binaryMessage =
  Message
    <$> Binary.getWord32le
    <*> Binary.getWord64le
    <*> (Binary.getWord32le >>= Binary.getByteString . fromIntegral)

added :: Word64 -> Message -> Word64
added acc (Message a b name) = 31 * acc + fromIntegral a + b + fromIntegral (S.length name)

-- What the builders of 0 to n - 1 write, in chunks of 4 KiB.
inChunks :: (Int -> B.Builder) -> Int -> [S.ByteString]
inChunks f n =
  L.toChunks (chunksOf 4096 (L.toStrict (B.toLazyByteString (foldMap f [0 .. n - 1]))))

-- The sums of all values must be equal, and the first values.
streamed ::
  Eq a =>
  String ->
  (Word64 -> a -> Word64) ->
  [(String, ConduitT S.ByteString a IO ())] ->
  [S.ByteString] ->
  Workload
streamed name f decoders chunks =
  (Workload name [(library, applyIO (void . summed d) chunks) | (library, d) <- decoders])
    { workloadWrong = differing [(library, both d) | (library, d) <- decoders]
    }
  where
    summed d bss = runConduit (C.sourceList bss .| d .| C.fold f 0)
    both d = (,) <$> summed d chunks <*> runConduit (C.sourceList chunks .| d .| C.take 10000)
{-# INLINE streamed #-}

-- * Lines of text

-- Lines of 25 bytes, in six pieces each.
linesWith ::
  Monoid b => (Int -> b) -> (Word -> b) -> (Char -> b) -> (S.ByteString -> b) -> Int -> b
linesWith dec hex char bytes n = go 0
  where
    go i
      | i >= n = mempty
      | otherwise =
        dec i <> char ',' <> hex (fromIntegral (scattered i)) <> char ','
          <> bytes (if even i then "delivered" else "ordered")
          <> char '\n'
          <> go (i + 1)
    scattered i = fromIntegral i * 2654435761 :: Word32
{-# INLINE linesWith #-}

ashlarLines :: Int -> A.Builder
ashlarLines = linesWith A.intDec A.wordHex A.char7 A.byteString

bytestringLines :: Int -> B.Builder
bytestringLines = linesWith B.intDec B.wordHex B.char7 B.byteString

lineCount, lineBytes :: Int
lineCount = 400000
lineBytes = fromIntegral (L.length (B.toLazyByteString (bytestringLines lineCount)))

-- * Compressed output

zipped :: Int -> Workload
zipped n =
  (bytesOfText lineBytes (Workload "gzip 10 MB of small pieces" runs))
    { workloadWrong = differing [(library, pure (GZip.decompress (f n))) | (library, f) <- zippers],
      workloadOutputs = [(library, fromIntegral (L.length (f n))) | (library, f) <- zippers]
    }
  where
    zippers =
      [ ("ashlar", A.compress A.gzip . ashlarLines),
        ("bytestring and zlib", GZip.compress . B.toLazyByteString . bytestringLines)
      ]
    runs =
      [(library, apply (L.length . f) n) | (library, f) <- zippers]
        ++ [("calibration, zlib on bytes in memory", apply (deflated 31 lineBytes) inMemory)]
    inMemory = L.toStrict (B.toLazyByteString (bytestringLines n))

-- * Messages

-- Send this many messages to another thread, which does something with each.
type Exchange = (Message -> IO ()) -> Int -> IO ()

exchanged :: String -> [(String, Exchange)] -> Int -> Workload
exchanged name libraries n =
  (Workload name [(library, applyIO (void . summed exchange) n) | (library, exchange) <- libraries])
    { workloadWrong = differing [(library, kept exchange) | (library, exchange) <- libraries]
    }
  where
    summed :: Exchange -> Int -> IO Word64
    summed exchange k = do
      sums <- newIORef 0
      exchange (\m -> modifyIORef' sums (`added` m)) k
      readIORef sums
    kept :: Exchange -> IO [Message]
    kept exchange = do
      ms <- newIORef []
      exchange (\m -> modifyIORef' ms (m :)) n
      readIORef ms

withAshlar :: Options -> Exchange
withAshlar options receiver n = between sender (overConnection none sent (`forMessages` receiver))
  where
    sender = overConnection sent none (\c -> mapM_ (send c . message) [1 .. n])
    overConnection here there act s = do
      transport <- socketTransport s
      withConnection options here there transport act
    sent = fixedType "message" :: RecordType Message
    none = fixedType "none" :: RecordType ()

withHandles ::
  -- | How to write a message.
  (Handle -> Message -> IO ()) ->
  -- | How to do something with each that can be read.
  (Handle -> (Message -> IO ()) -> IO ()) ->
  Exchange
withHandles write readAll receiver n = between sender (overHandle ReadMode (`readAll` receiver))
  where
    sender = overHandle WriteMode (\h -> mapM_ (write h . message) [1 .. n])
    overHandle mode act s = bracket (socketToHandle s mode) hClose $ \h -> do
      -- Our buffers have this size.
      hSetBuffering h (BlockBuffering (Just 32768))
      act h

-- A new decoder for each value, as binary's documentation has it.
binaryMessages :: Handle -> (Message -> IO ()) -> IO ()
binaryMessages h receiver = next
  where
    next = S.hGetSome h 32768 >>= \bs -> if S.null bs then pure () else begin bs
    begin bs = go (Binary.runGetIncremental Binary.get `Binary.pushChunk` bs)
    go decoder = case decoder of
      Binary.Done rest _ m -> receiver m >> if S.null rest then next else begin rest
      Binary.Partial resume -> do
        bs <- S.hGetSome h 32768
        go (resume (if S.null bs then Nothing else Just bs))
      Binary.Fail {} -> noDecode

-- With the length before each message, as our messages have it: so one that is wrong cannot make
-- the next ones wrong.
putFrame :: Handle -> Message -> IO ()
putFrame h m = B.hPutBuilder h (B.word32LE (fromIntegral (L.length bytes))) >> L.hPut h bytes
  where
    bytes = Binary.encode m

binaryFrames :: Handle -> (Message -> IO ()) -> IO ()
binaryFrames h receiver = go
  where
    go = do
      header <- L.hGet h 4
      if L.null header
        then pure ()
        else do
          bytes <- L.hGet h (fromIntegral (Binary.runGet Binary.getWord32le header))
          receiver (Binary.decode bytes)
          go

-- A thread sends, and this one receives.
between :: (Socket -> IO ()) -> (Socket -> IO ()) -> IO ()
between sender receiver = do
  (here, there) <- socketPair AF_UNIX Stream defaultProtocol
  done <- newEmptyMVar
  _ <- forkIO (sender there `finally` putMVar done ())
  receiver here
  takeMVar done

-- * Responses

served :: String -> [(String, String)] -> Int -> Workload
served name libraries n =
  ( bytesOfText
      lineBytes
      (Workload name [(library, applyIO (readResponse ignore) path) | (library, path) <- paths])
  )
    { workloadWrong = differing [(library, body path) | (library, path) <- paths]
    }
  where
    paths = [(library, "/" ++ path ++ "/" ++ show n) | (library, path) <- libraries]
    ignore _ _ = pure ()
    body path = do
      chunks <- newIORef []
      readResponse (\p k -> S.packCStringLen (p, k) >>= \bs -> modifyIORef' chunks (bs :)) path
      withoutFraming . S.concat . reverse <$> readIORef chunks

-- The number of lines is in the path, so that nothing of a body is kept.
application :: Application
application request respond = case pathInfo request of
  [way, n] -> respond (response way (read (T.unpack n)))
  _ -> errorWithoutStackTrace "no such path"
  where
    response :: Text -> Int -> Response
    response way n = case way of
      "ashlar" -> responseStream status200 [] (streamBuilder (ashlarLines n))
      "streamed" -> responseStream status200 [] (\write _ -> write (bytestringLines n))
      _ -> responseBuilder status200 [] (bytestringLines n)

-- A server of this process, which runs to the end.
server :: SockAddr
server = unsafePerformIO $ do
  (_, s) <- openFreePort
  _ <- forkIO (runSettingsSocket defaultSettings s application)
  getSocketName s
{-# NOINLINE server #-}

-- Take all that the server sends.
readResponse :: (CString -> Int -> IO ()) -> String -> IO ()
readResponse take' path = bracket (socket AF_INET Stream defaultProtocol) close $ \s -> do
  connect s server
  N.sendAll s $
    "GET " <> S8.pack path <> " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
  allocaBytes 65536 $ \p -> do
    let go = do
          k <- recvBuf s p 65536
          if k <= 0 then pure () else take' (castPtr p) k >> go
    go

-- The body of a chunked response.
withoutFraming :: S.ByteString -> S.ByteString
withoutFraming = S.concat . go . S.drop 4 . snd . S.breakSubstring "\r\n\r\n"
  where
    go bs = case readHex (S8.unpack digits) of
      [(n, "")] | n > 0 -> S.take n rest : go (S.drop (n + 2) rest)
      [(0, "")] -> []
      _ -> errorWithoutStackTrace "not a chunked response"
      where
        (digits, end) = S8.span (/= '\r') bs
        rest = S.drop 2 end
