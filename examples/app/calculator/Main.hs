-- |
-- Module      : Main
-- Description : A calculator, and who asks it
--
-- > calculator-example serve /tmp/calculator.sock &
-- > calculator-example ask /tmp/calculator.sock 'Number 6 :*: Number 7'
--
-- By TLS, with a certificate for localhost:
--
-- > openssl req -x509 -newkey rsa:2048 -noenc -keyout key.pem -out certificate.pem \
-- >   -subj /CN=localhost -addext subjectAltName=DNS:localhost
-- > calculator-example serve-tls certificate.pem key.pem /tmp/calculator.sock &
-- > calculator-example ask-tls certificate.pem /tmp/calculator.sock 'Number 6 :*: Number 7'
module Main (main) where

import Ashlar.Network.Messages (socketTransport)
import Calculator
import Control.Exception (bracket)
import Data.X509.CertificateStore (readCertificateStore)
import Network.Socket
import Network.TLS (credentialLoadX509)
import System.Environment (getArgs)
import System.Exit (die)
import Text.Read (readMaybe)
import Tls

main :: IO ()
main = do
  args <- getArgs
  case args of
    ["serve", path] -> serving socketTransport path
    ["serve-tls", certificate, key, path] -> do
      credential <- credentialLoadX509 certificate key >>= either die pure
      serving (tlsServer credential) path
    ["ask", path, question]
      | Just expression <- readMaybe question -> asking socketTransport path expression
    ["ask-tls", certificate, path, question]
      | Just expression <- readMaybe question -> do
        store <- readCertificateStore certificate >>= maybe (die "no certificate") pure
        asking (tlsClient store "localhost") path expression
    _ ->
      die $
        "usage: calculator-example serve SOCKET, or: ask SOCKET EXPRESSION,\n"
          ++ "or: serve-tls CERTIFICATE KEY SOCKET, or: ask-tls CERTIFICATE SOCKET EXPRESSION"
  where
    serving over path = withUnix $ \listener -> do
      bind listener (SockAddrUnix path)
      listen listener 16
      serve over listener
    asking over path expression = withUnix $ \sock -> do
      connect sock (SockAddrUnix path)
      transport <- over sock
      answer <- withCalculator transport (\c -> ask c expression)
      maybe (die "the server has ended") print answer
    withUnix = bracket (socket AF_UNIX Stream defaultProtocol) close
