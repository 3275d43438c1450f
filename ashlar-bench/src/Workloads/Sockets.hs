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
  [ sent "json: 60 KB, socket" json json document,
    sent "records: 10000 of 17 bytes, socket" records records 10000
  ]

sent :: String -> (a -> A.Builder) -> (a -> B.Builder) -> a -> Workload
sent name a b x =
  Workload
    name
    [ ("ashlar", applyIO (void . sendBuilder end . a) x),
      ("bytestring, lazy", applyIO (L.sendAll end . toLazy . b) x),
      ("bytestring, strict", applyIO (S.sendAll end . toStrict . b) x)
    ]
{-# INLINE sent #-}

-- A socket whose bytes are thrown away.
end :: Socket
end = unsafePerformIO $ do
  (here, there) <- socketPair AF_UNIX Stream defaultProtocol
  void . forkIO $ allocaBytes 65536 (\p -> forever (recvBuf there p 65536))
  pure here
{-# NOINLINE end #-}
