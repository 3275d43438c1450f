-- |
-- Module      : FakeServer
-- Description : A server that gives one answer, whatever it is asked
module FakeServer (withAnswer) where

import Ashlar.Get (Get)
import Control.Concurrent (forkIO)
import Control.Concurrent.MVar
import Control.Exception (IOException, bracket, try)
import Data.ByteString (ByteString)
import qualified Data.ByteString as S
import Network.Socket
import Network.Socket.ByteString (recv, sendAll)
import Wire

-- | A server that reads once and answers with these bytes, one at a time if they are few. It closes
-- the connection after them. Was nothing more sent to it?
withAnswer :: Get m -> ByteString -> (Wire m -> IO a) -> IO (a, Bool)
withAnswer get answer use = do
  (ours, theirs) <- socketPair AF_UNIX Stream defaultProtocol
  more <- newEmptyMVar
  _ <- forkIO $ do
    _ <- recv theirs 65536
    -- The client may close the connection before the end.
    rest <- try $ do
      if S.length answer < 1000
        then mapM_ (sendAll theirs . S.singleton) (S.unpack answer)
        else sendAll theirs answer
      shutdown theirs ShutdownSend
      recv theirs 65536
    close theirs
    putMVar more (either (const True :: IOException -> Bool) S.null rest)
  bracket (newWire get ours) closeWire $ \wire -> do
    a <- use wire
    closeWire wire
    (,) a <$> takeMVar more
