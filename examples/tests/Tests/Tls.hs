{-# LANGUAGE OverloadedStrings #-}
{-# LANGUAGE RankNTypes #-}

-- |
-- Module      : Tests.Tls
-- Description : The calculator over TLS, with the package tls and with OpenSSL at either end
module Tests.Tls (tests) where

import Ashlar.Network.Messages
import Calculator
import Control.Concurrent (threadDelay)
import Control.Concurrent.Async
import Control.Exception hiding (evaluate)
import Control.Monad (void, when)
import qualified Data.ByteString as S
import Data.IORef
import Data.X509.CertificateStore (CertificateStore, readCertificateStore)
import Network.Socket
import Network.TLS (Credential, TLSException, credentialLoadX509)
import System.Exit (ExitCode (..))
import System.IO
import System.IO.Temp (withSystemTempDirectory)
import System.Process
import Test.Tasty
import Test.Tasty.HUnit
import Tls

tests :: TestTree
tests =
  testGroup
    "TLS"
    [ testCase "messages of all sizes, both ways, and nothing of them is to be seen" $
        withCertificate $ \_ credential store -> do
          seen <- newIORef []
          withServer (tlsServer credential) $ \path -> withUnix $ \a -> withUnix $ \b -> do
            -- Somebody who listens stands between the ends.
            bind b (SockAddrUnix (path ++ ".tap"))
            listen b 1
            withAsync (tap seen path b) $ \_ -> do
              connect a (SockAddrUnix (path ++ ".tap"))
              transport <- tlsClient store "localhost" a
              answers <- withCalculator transport (`askAll` questions)
              answers @?= map (Just . evaluate) questions
          bytes <- S.concat <$> readIORef seen
          assertBool "many bytes" (S.length bytes > 200000)
          assertBool "no magic" (not ("ASHMSG" `S.isInfixOf` bytes))
          assertBool "no zeros" (not (S.replicate 100 0 `S.isInfixOf` bytes)),
      testCase "a client of OpenSSL" $
        withCertificate $ \folder credential _ -> withServer (tlsServer credential) $ \path -> do
          let known = ["-CAfile", folder ++ "/certificate", "-verify_return_error"]
          answers <-
            openssl (["s_client", "-unix", path] ++ known) $ \transport ->
              withCalculator transport (`askAll` questions)
          answers @?= map (Just . evaluate) questions,
      testCase "a server of OpenSSL" $
        withCertificate $ \folder _ store -> do
          let files = ["-cert", folder ++ "/certificate", "-key", folder ++ "/key"]
              answering transport =
                withConnection defaultOptions described described transport $ \c ->
                  forMessages c (send c . evaluate)
          port <- freePort
          openssl (["s_server", "-accept", show port, "-naccept", "1"] ++ files) $ \transport ->
            withAsync (answering transport) $ \server -> do
              s <- connected port
              client <- tlsClient store "localhost" s
              answers <- withCalculator client (`askAll` questions)
              answers @?= map (Just . evaluate) questions
              wait server,
      testCase "a server that the client does not know, and one of another name" $
        withCertificate $ \_ credential store -> withCertificate $ \_ _ other ->
          withServer (tlsServer credential) $ \path -> do
            let attempt known name = withUnix $ \s -> do
                  connect s (SockAddrUnix path)
                  r <- try (tlsClient known name s)
                  pure (either refused (const True) r)
                refused :: TLSException -> Bool
                refused _ = False
            outcomes <- sequence [attempt other "localhost", attempt store "example.org"]
            outcomes @?= [False, False]
            fine <- attempt store "localhost"
            fine @?= True,
      testCase "a connection that is cut off" $
        withCertificate $ \_ credential store ->
          withServer (tlsServer credential) $ \path -> withUnix $ \s -> do
            connect s (SockAddrUnix path)
            transport <- tlsClient store "localhost" s
            r <- try . withCalculator transport $ \c -> do
              first <- ask c (Number 1)
              first @?= Just (Result 1)
              transportClose transport
              void (ask c (Number 2))
            case r of
              Left (ConnectionBroken _) -> pure ()
              Left (PeerClosed _) -> pure ()
              other -> assertFailure (show other)
    ]

questions :: [Expression]
questions = map Number ([0 .. 2000] ++ [2 ^ (8 * n) | n <- [100, 5000, 20000, 100000 :: Int]])

-- | With a certificate for localhost, and its key, in a folder.
withCertificate :: (FilePath -> Credential -> CertificateStore -> IO a) -> IO a
withCertificate act = withSystemTempDirectory "tls" $ \folder -> do
  let (certificate, key) = (folder ++ "/certificate", folder ++ "/key")
      made = ["-keyout", key, "-out", certificate, "-days", "2"]
      name = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"]
      key' = ["req", "-x509", "-newkey", "rsa:2048", "-noenc"]
  (code, _, said) <- readProcessWithExitCode "openssl" (key' ++ made ++ name) ""
  when (code /= ExitSuccess) (fail said)
  credential <- credentialLoadX509 certificate key >>= either fail pure
  store <- readCertificateStore certificate >>= maybe (fail "no certificate") pure
  act folder credential store

-- | A calculator's server, and the path of its socket.
withServer :: (Socket -> IO Transport) -> (FilePath -> IO a) -> IO a
withServer over act = withSystemTempDirectory "calculator" $ \folder -> withUnix $ \listener -> do
  bind listener (SockAddrUnix (folder ++ "/socket"))
  listen listener 64
  withAsync (serve over listener) $ \_ -> act (folder ++ "/socket")

withUnix :: (Socket -> IO a) -> IO a
withUnix = bracket (socket AF_UNIX Stream defaultProtocol) close

-- | The end of TLS that OpenSSL's program makes. It reads and writes what is not encrypted.
openssl :: [String] -> (Transport -> IO a) -> IO a
openssl arguments act = withBinaryFile "/dev/null" WriteMode $ \nowhere ->
  withCreateProcess (program nowhere) $ \input output _ _ -> case (input, output) of
    (Just i, Just o) -> do
      mapM_ (`hSetBinaryMode` True) [i, o]
      act
        Transport
          { transportSend = \chunks -> mapM_ (S.hPut i) chunks >> hFlush i,
            transportReceive = S.hGetSome o 32768,
            transportClose = hClose i
          }
    _ -> fail "no pipes"
  where
    program nowhere =
      (proc "openssl" (arguments ++ ["-quiet"]))
        { std_in = CreatePipe,
          std_out = CreatePipe,
          std_err = UseHandle nowhere
        }

-- | Pass on all bytes between a client and the server with a path, and note them.
tap :: IORef [S.ByteString] -> FilePath -> Socket -> IO ()
tap seen path listener = bracket (fst <$> accept listener) close $ \client ->
  withUnix $ \server -> do
    connect server (SockAddrUnix path)
    from <- socketTransport client
    to <- socketTransport server
    let pass a b = do
          bs <- transportReceive a
          modifyIORef' seen (bs :)
          if S.null bs then transportClose b else transportSend b [bs] >> pass a b
    concurrently_ (pass from to) (pass to from)

-- | A port of this host that nobody listens on.
freePort :: IO PortNumber
freePort = bracket (socket AF_INET Stream defaultProtocol) close $ \s -> do
  bind s (loopback 0)
  socketPort s

loopback :: PortNumber -> SockAddr
loopback port = SockAddrInet port (tupleToHostAddress (127, 0, 0, 1))

-- | A connection to a server that is about to start.
connected :: PortNumber -> IO Socket
connected port = go (2000 :: Int)
  where
    go n = do
      s <- socket AF_INET Stream defaultProtocol
      r <- try (connect s (loopback port))
      case r of
        Right () -> pure s
        Left e
          | n == 0 -> throwIO (e :: IOException)
          | otherwise -> close s >> threadDelay 10000 >> go (n - 1)
