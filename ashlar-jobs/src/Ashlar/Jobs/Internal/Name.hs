-- |
-- Module      : Ashlar.Jobs.Internal.Name
-- Description : Names that nobody else has
module Ashlar.Jobs.Internal.Name
  ( newName,
    newRunId,
  )
where

import Data.ByteString (ByteString)
import qualified Data.ByteString.Char8 as C
import Data.Text (Text)
import qualified Data.Text as T
import Data.Unique (hashUnique, newUnique)
import GHC.Clock (getMonotonicTimeNSec)
import GHC.Fingerprint (fingerprintString)
import System.Posix.Process (getProcessID)
import System.Posix.Time (epochTime)
import System.Posix.Unistd (getSystemID, nodeName)

-- | The name of a new worker: that of the host, the number of the process, and a number.
newName :: IO Text
newName = do
  host <- nodeName <$> getSystemID
  process <- getProcessID
  n <- hashUnique <$> newUnique
  pure (T.pack (host ++ "-" ++ show process ++ "-" ++ show n))

-- | The name of a new run: 32 hexadecimal digits.
newRunId :: IO ByteString
newRunId = do
  name <- newName
  now <- epochTime
  running <- getMonotonicTimeNSec
  pure (C.pack (show (fingerprintString (show (name, show now, running)))))
