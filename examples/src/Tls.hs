-- |
-- Module      : Tls
-- Description : Streams of bytes over TLS, by the package tls
--
-- What "Ashlar.Network.Messages" needs of a stream is three functions. These are those of TLS.
module Tls
  ( tlsServer,
    tlsClient,
  )
where

import Ashlar.Network.Messages
import qualified Data.ByteString as S
import qualified Data.ByteString.Char8 as C
import qualified Data.ByteString.Lazy as L
import Data.Default.Class (def)
import Data.IORef
import Data.X509.CertificateStore (CertificateStore)
import Network.Socket (Socket)
import Network.TLS
import Network.TLS.Extra.Cipher (ciphersuite_strong)

-- | The server's end of a socket, with its certificate and key. Shakes hands, as TLS does, and
-- throws a 'TLSException' if that fails. The client may take any time for it, so give it one.
tlsServer :: Credential -> Socket -> IO Transport
tlsServer credential = overTls params
  where
    params =
      def
        { serverShared = def {sharedCredentials = Credentials [credential]},
          serverSupported = supported
        }

-- | The client's end. The server must have a certificate for this name that one in the store has
-- signed.
tlsClient :: CertificateStore -> HostName -> Socket -> IO Transport
tlsClient store name = overTls params
  where
    params =
      (defaultParamsClient name C.empty)
        { clientShared = def {sharedCAStore = store},
          clientSupported = supported
        }

supported :: Supported
supported = def {supportedCiphers = ciphersuite_strong, supportedVersions = [TLS13, TLS12]}

-- The socket is used as 'socketTransport' does, so another thread may close it at any time. The
-- end of TLS (@bye@) is left out: it may wait for the peer, and messages have an end of their own.
overTls :: TLSParams params => params -> Socket -> IO Transport
overTls params sock = do
  plain <- socketTransport sock
  next <- exactly (transportReceive plain)
  let backend =
        Backend
          { backendFlush = pure (),
            backendClose = transportClose plain,
            backendSend = transportSend plain . pure,
            backendRecv = next
          }
  context <- contextNew backend params
  handshake context
  pure
    Transport
      { transportSend = sendData context . L.fromChunks,
        transportReceive = recvData context,
        transportClose = transportClose plain
      }

-- An action that returns exactly n bytes of a stream, or fewer at its end.
exactly :: IO S.ByteString -> IO (Int -> IO S.ByteString)
exactly receiveSome = do
  restRef <- newIORef S.empty
  let go n taken = do
        bs <- readIORef restRef >>= \rest -> if S.null rest then receiveSome else pure rest
        let (now, later) = S.splitAt n bs
        writeIORef restRef later
        if S.null bs || S.length now == n
          then pure (S.concat (reverse (now : taken)))
          else go (n - S.length now) (now : taken)
  pure (`go` [])
