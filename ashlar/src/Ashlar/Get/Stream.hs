{-# LANGUAGE DeriveTraversable #-}
{-# LANGUAGE DerivingStrategies #-}
{-# LANGUAGE Trustworthy #-}

-- |
-- Module      : Ashlar.Get.Stream
-- Description : Many values from lazy input, as a lazy list
--
-- Values that follow one another in a lazy ByteString, decoded on demand, in constant memory.
-- ('Ashlar.Get.hFoldGet' and 'Ashlar.Get.foldFrom' fold the values of a Handle, or of anything else
-- that is read chunk by chunk. "Ashlar.Get.Feed" decodes the values of pushed input.)
--
-- >>> import Ashlar.Get.Stream
-- >>> sum (runGetStream getWord16be "\0\1\0\2\0\3")
-- 6
--
-- Do not interrupt the consumer under GHC's non-moving collector, nor under the compacting one of
-- GHC 9.0: see the known gaps in @docs/safety.md@.
module Ashlar.Get.Stream
  ( Stream (..),
    runGetStream,
    streamToEither,
  )
where

import Ashlar.Internal.Get.Chunks (forceNext, nextOf)
import Ashlar.Internal.Get.Core (Get)
import Ashlar.Internal.Get.Error
import Ashlar.Internal.Get.Source
import qualified Data.ByteString.Lazy as L
import Data.IORef (newIORef)
import System.IO.Unsafe (unsafePerformIO)

-- | The values of a stream, up to its end or to the first error. The functions of 'Foldable' ignore
-- the error.
data Stream a
  = -- | A value, and the stream after it.
    Next a (Stream a)
  | -- | The input ends here.
    End
  | -- | The next value could not be decoded.
    Broken DecodeError
  deriving stock (Eq, Show, Functor, Foldable, Traversable)

-- | All the values, or the error. Decodes the whole stream before it returns.
streamToEither :: Stream a -> Either DecodeError [a]
streamToEither = go []
  where
    go acc stream = case stream of
      Next a later -> go (a : acc) later
      End -> Right (reverse acc)
      Broken e -> Left e

-- | Decode one value after another, on demand, up to the end of the input. Each chunk is forced
-- when the decoder gets there, and released when the decoder has passed it. So this takes constant
-- memory if the values are consumed as they come.
--
-- Each value may take 64 MiB ('Ashlar.Get.budgetBytes'). A value that reads nothing is an error,
-- because the stream would never end.
--
-- >>> import Ashlar.Get.Stream
-- >>> runGetStream getWord16be "\0\1\0\2"
-- Next 1 (Next 2 End)
runGetStream :: Get a -> L.ByteString -> Stream a
runGetStream g lbs = unsafePerformIO $ do
  chunks <- newIORef lbs
  sourceOf (forceNext chunks) (nextOf chunks) >>= following
  where
    following source = do
      next <- getFrom source (nextOrEnd g)
      case next of
        Left e -> pure (Broken e)
        Right Nothing -> pure End
        -- Not the dupable form: the source must not be used by two threads.
        Right (Just a) -> pure (Next a (unsafePerformIO (following source)))
