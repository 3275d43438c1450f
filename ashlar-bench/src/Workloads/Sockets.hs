-- |
-- Module      : Workloads.Sockets
-- Description : Builders to sockets
--
-- A thread at the other end of a pair of sockets takes all bytes. Its time counts for each library.
module Workloads.Sockets (socketWorkloads) where

import qualified Ashlar.Builder as A
import Ashlar.Network.Socket (sendBuilder)
import Control.Concurrent (forkIO)
import Control.Monad (forever, void)
import Data.Aeson (Value)
import qualified Data.ByteString.Builder as B
import Foreign.Marshal.Alloc (allocaBytes)
import Network.Socket
import qualified Network.Socket.ByteString as S
import qualified Network.Socket.ByteString.Lazy as L
import Output
import Shapes (document, json, records)
import System.IO.Unsafe (unsafePerformIO)
import Workload

-- | All of them.
socketWorkloads :: [Workload]
socketWorkloads =
  [ Workload
      "json: 60 KB, socket"
      [ ("ashlar", applyIO (void . sendBuilder end . (json :: Value -> A.Builder)) document),
        ("bytestring, lazy", applyIO (L.sendAll end . toLazy . (json :: Value -> B.Builder)) document),
        ("bytestring, strict", applyIO (S.sendAll end . toStrict . (json :: Value -> B.Builder)) document)
      ],
    Workload
      "records: 10000 of 17 bytes, socket"
      [ ("ashlar", applyIO (void . sendBuilder end . (records :: Int -> A.Builder)) 10000),
        ("bytestring, lazy", applyIO (L.sendAll end . toLazy . (records :: Int -> B.Builder)) 10000),
        ( "bytestring, strict",
          applyIO (S.sendAll end . toStrict . (records :: Int -> B.Builder)) 10000
        )
      ]
  ]

-- A socket whose bytes are thrown away.
end :: Socket
end = unsafePerformIO $ do
  (here, there) <- socketPair AF_UNIX Stream defaultProtocol
  void . forkIO $ allocaBytes 65536 (\p -> forever (recvBuf there p 65536))
  pure here
{-# NOINLINE end #-}
