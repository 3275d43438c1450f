{-# LANGUAGE Trustworthy #-}

-- |
-- Module      : Ashlar.Builder.Extra
-- Description : More control over how builders are run
--
-- The names are those of "Data.ByteString.Builder.Extra", and three more: 'prebuilt', 'defragment'
-- and 'defragmentWith'.
module Ashlar.Builder.Extra
  ( -- * Lazy output with buffers of chosen sizes
    toLazyByteStringWith,
    AllocationStrategy,
    safeStrategy,
    untrimmedStrategy,
    smallChunkSize,
    defaultChunkSize,

    -- * To copy or to insert
    byteStringCopy,
    byteStringInsert,
    byteStringThreshold,
    lazyByteStringCopy,
    lazyByteStringInsert,
    lazyByteStringThreshold,

    -- * Bytes that are kept
    prebuilt,

    -- * Ends of chunks
    flush,

    -- * Merging the chunks of lazy output
    defragment,
    defragmentWith,

    -- * Running step by step
    BufferWriter,
    Next (..),
    runBuilder,

    -- * The machine's own order and size
    intHost,
    int16Host,
    int32Host,
    int64Host,
    wordHost,
    word16Host,
    word32Host,
    word64Host,
    floatHost,
    doubleHost,
  )
where

import Ashlar.Builder.Bytestring (toBytestringBuilder)
import Ashlar.Internal.Builder.Bytes
import Ashlar.Internal.Builder.Core (Builder)
import Ashlar.Internal.Builder.Defragment
import Ashlar.Internal.Builder.Instances ()
import Ashlar.Internal.Builder.Lazy
import Ashlar.Internal.Builder.Numbers
import Ashlar.Internal.Builder.Strict (prebuilt)
import Data.ByteString.Builder.Extra (BufferWriter, Next (..))
import qualified Data.ByteString.Builder.Extra as B
import Data.ByteString.Lazy.Internal (defaultChunkSize, smallChunkSize)

-- | A builder as a function that fills a buffer, given by its address and size. It returns how many
-- bytes it has written, and what to do next. The types are bytestring's own.
--
-- Each function that it returns may be called more than once, and by several threads, as with
-- 'toBytestringBuilder'. A buffer smaller than it asked for makes it ask again.
--
-- A buffer of 4 bytes takes the first 4 of 17, and the next step asks for at least one byte:
--
-- >>> :set -XOverloadedStrings
-- >>> import Ashlar.Builder
-- >>> import Ashlar.Builder.Extra
-- >>> import Foreign (allocaBytes)
-- >>> let step = runBuilder (byteString "copied in batches")
-- >>> (n, next) <- allocaBytes 4 (\p -> step p 4)
-- >>> case next of { More least _ -> (n, least); _ -> (n, 0) }
-- (4,1)
runBuilder :: Builder -> BufferWriter
runBuilder b = B.runBuilder (toBytestringBuilder b)
