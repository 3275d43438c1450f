{-# LANGUAGE DerivingStrategies #-}
{-# LANGUAGE ScopedTypeVariables #-}

-- |
-- Module      : Ashlar.Internal.Codec.Wrappers.Copied
-- Description : ByteStrings that do not keep the input alive
--
-- Note [Slices and copies]
-- ~~~~~~~~~~~~~~~~~~~~~~~~
-- A ByteString is decoded as a slice of its chunk. A copy of 20 bytes takes 2.6 times as long as a
-- slice, one of 100 bytes too, one of 1,000 bytes 12 times (GHC 9.0.2, a list of them). So a rule
-- that copied what is much smaller than its chunk would slow down the decoding of all strings of a
-- large file, which is where slices pay. Nor could it be a rule about the chunk alone: only the
-- program knows whether it keeps one key of a record or all of it. (Tests "what a decoded string
-- keeps alive".)
module Ashlar.Internal.Codec.Wrappers.Copied
  ( Copied (..),
    Copyable (..),
    copyLazy,
  )
where

import Ashlar.Internal.Codec.Class
import Ashlar.Internal.Codec.Instances.Strings ()
import Ashlar.Internal.Codec.Length
import Ashlar.Internal.Get.Core ()
import qualified Data.ByteString as S
import qualified Data.ByteString.Lazy as L

-- | A ByteString that is copied when it is decoded, so that it does not keep the input's memory
-- alive. It has the format of the ByteString.
--
-- Use it for what outlives the rest of its input by far: the key of a large record, say. A copy
-- takes more time than a slice. @ShortByteString@ and @Text@ are copies anyway.
--
-- >>> import Data.ByteString (ByteString)
-- >>> encode (Copied ("ab" :: ByteString))
-- "\STX\NUL\NUL\NUL\NUL\NUL\NUL\NULab"
-- >>> decode "\STX\NUL\NUL\NUL\NUL\NUL\NUL\NULab" :: Either DecodeError (Copied ByteString)
-- Right (Copied {getCopied = "ab"})
newtype Copied a = Copied {getCopied :: a}
  deriving stock (Eq, Ord, Show)

-- | Strict and lazy ByteStrings.
class (Codec a, Counted a) => Copyable a where
  -- | The same bytes in memory of their own.
  copyOf :: a -> a

instance Copyable S.ByteString where
  copyOf = S.copy

instance Copyable L.ByteString where
  copyOf = copyLazy

-- | The same bytes in one chunk of their own.
copyLazy :: L.ByteString -> L.ByteString
copyLazy lbs = case L.toChunks lbs of
  [bs] -> L.fromStrict (S.copy bs)
  _ -> L.fromStrict (L.toStrict lbs)

instance Copyable a => Codec (Copied a) where
  layout = Var (leastSize (layout :: Layout a))
  size (Copied x) = size x
  put (Copied x) = put x
  get = get >>= \x -> pure $! Copied (copyOf x)

instance Copyable a => Counted (Copied a) where
  counted (Copied x) = counted x
  sizeCounted (Copied x) = sizeCounted x
  putCounted (Copied x) = putCounted x
  getCounted n = getCounted n >>= \x -> pure $! Copied (copyOf x)
