{-# LANGUAGE Trustworthy #-}

-- |
-- Module      : Ashlar.Builder.Bytestring
-- Description : To and from the builders and primitives of bytestring
--
-- Converts between the builders and primitives of this library and those of
-- "Data.ByteString.Builder".
--
-- >>> import Ashlar.Builder
-- >>> import Ashlar.Builder.Bytestring
-- >>> import qualified Data.ByteString.Builder as B
-- >>> B.toLazyByteString (B.word8 1 <> toBytestringBuilder (word16LE 2) <> B.word8 3)
-- "\SOH\STX\NUL\ETX"
-- >>> toStrictByteString (word8 1 <> fromBytestringBuilder (B.word16LE 2) <> word8 3)
-- "\SOH\STX\NUL\ETX"
--
-- Servers and loggers that take bytestring's builders, such as @warp@ and @fast-logger@, can take
-- ours. Ours can take the output of libraries such as @aeson@ and @blaze-html@.
module Ashlar.Builder.Bytestring
  ( -- * Builders
    toBytestringBuilder,
    fromBytestringBuilder,

    -- * Primitives
    toBytestringFixedPrim,
    fromBytestringFixedPrim,
    toBytestringBoundedPrim,
    fromBytestringBoundedPrim,
  )
where

import Ashlar.Internal.Builder.Core
import Ashlar.Internal.Builder.Lazy
import Ashlar.Internal.Builder.Loops ()
import Ashlar.Internal.Mem.Cells
import Ashlar.Internal.Prim.Core
import qualified Data.ByteString as S
import qualified Data.ByteString.Builder as B
import qualified Data.ByteString.Builder.Internal as B
import qualified Data.ByteString.Builder.Prim.Internal as BP
import qualified Data.ByteString.Lazy as L
import Data.IORef (atomicModifyIORef', newIORef, readIORef)
import Foreign.Ptr (minusPtr)

-- | A builder as one of bytestring's.
--
-- It may be run like any other: more than once, by several threads at once, and any of its steps
-- again. The first 128 KiB are written directly into the memory of each step, the rest as chunks of
-- 32 KiB. A value's exception surfaces in the step that would have used it.
--
-- Each run is a coroutine. Short outputs take a little longer than with bytestring's own builders,
-- long ones less time (benchmarks: docs/benchmarks.md). If the other side takes ByteStrings,
-- 'Ashlar.Builder.toByteStringIOWith' needs no conversion.
--
-- bytestring's @hPutBuilder@ holds the Handle's lock while it runs a builder, so a value that uses
-- the same Handle waits for itself. 'Ashlar.Builder.hPutBuilder' does not.
toBytestringBuilder :: Builder -> B.Builder
toBytestringBuilder b = B.builder $ \next range@(B.BufferRange from to) ->
  runToRequest b (FreeSpace from to) >>= signal b next 0 range

-- Note [Steps that may be run again]
-- ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
-- A suspended builder can be resumed once. A step of bytestring's may be run any number of times,
-- but usually is run once. So:
--
-- 1. The first run of a step resumes the builder in the memory at hand. No byte is copied, and only
--    the next step is allocated.
-- 2. Later runs of the step run the builder again from its beginning, lazily, and drop the bytes
--    before this step. The bytes are the same (INV-B4).
--
-- For the second case the step refers to the whole builder. A builder may refer to a lazy input as
-- long as the output, which must not be kept while it is consumed. So after the first 128 KiB all
-- that follows is one lazy ByteString, made on demand. It can be read more than once, because it
-- keeps what it has made, and it refers to nothing before it. Doing that from the first overflow on
-- is simpler but slower.
--
-- (Tests "every step twice", "by two threads at once", "under another masking state",
-- "the beginning is not kept".)
keptUpTo :: Int
keptUpTo = 131072

-- Tell the caller of a step its outcome. @before@ is the number of bytes of output before the
-- range.
signal :: Builder -> B.BuildStep r -> Int -> B.BufferRange -> BuilderStatus -> IO (B.BuildSignal r)
signal b next before (B.BufferRange from to) outcome = case outcome of
  Completed p -> next (B.BufferRange p to)
  Suspended (PendingRequest request p) _ resume -> case request of
    More n _ -> B.bufferFull n p <$> goOn n 0
    Insert bs -> B.insertChunk p bs <$> goOn 0 (S.length bs)
    Flush -> B.insertChunk p S.empty <$> goOn 0 0
    where
      goOn needed inserted
        -- (The sum could overflow on 32 bits: one string may be inserted again and again.)
        | inserted <= keptUpTo - written = resumable b next needed (written + inserted) resume
        | otherwise = onDemand next (chunksAfter request resume)
        where
          written = before + (p `minusPtr` from)

-- A step whose first run resumes a builder: Note [Steps that may be run again]. If it gets less
-- space than the builder asked for, it asks again.
resumable ::
  Builder ->
  B.BuildStep r ->
  Int ->
  Int ->
  (FreeSpace -> IO BuilderStatus) ->
  IO (B.BuildStep r)
resumable b next needed before resume = do
  ref <- newIORef (Just resume)
  let step range@(B.BufferRange from to)
        | to `minusPtr` from < needed = pure (B.bufferFull needed from step)
        | otherwise = do
          mine <- atomicModifyIORef' ref (\left -> (Nothing, left))
          case mine of
            Just go -> go (FreeSpace from to) >>= signal b next before range
            Nothing -> inserting (L.drop (fromIntegral before) (toLazyByteString b)) next range
  pure step

-- A step that inserts chunks. A reference holds them, or an optimisation might make two lazy
-- ByteStrings of one, and each would resume the same builder.
onDemand :: B.BuildStep r -> L.ByteString -> IO (B.BuildStep r)
onDemand next following = do
  ref <- newIORef following
  pure (\range -> readIORef ref >>= \chunks -> inserting chunks next range)

inserting :: L.ByteString -> B.BuildStep r -> B.BuildStep r
-- (Short chunks are inserted, too: they end at a flush or before an inserted ByteString, and must
-- not wait for what follows.)
inserting chunks = B.runBuilderWith (B.lazyByteStringInsert chunks)

-- | A builder of bytestring's as one of ours.
--
-- Its steps write directly into the buffers at hand. Where it inserts a ByteString or flushes, so
-- does ours.
fromBytestringBuilder :: B.Builder -> Builder
fromBytestringBuilder b = action $ \c k ->
  -- A step writes only in the range it is given, and returns an address in it.
  let go step = do
        p <- getPtr c cursorCell
        e <- getPtr c endCell
        B.fillWithBuildStep step done full insert (B.BufferRange p e)
      done p () = putPtr c cursorCell p
      full p n step = do
        putPtr c cursorCell p
        -- One byte at least, so that every round makes progress.
        _ <- reserve c k (max 1 n)
        go step
      insert p bs step = do
        putPtr c cursorCell p
        ask c k (if S.null bs then Flush else Insert bs)
        go step
   in go (B.runBuilder b)

-- | A primitive as one of bytestring's.
toBytestringFixedPrim :: FixedPrim a -> BP.FixedPrim a
toBytestringFixedPrim prim = BP.fixedPrim (size prim) (runF prim)
{-# INLINE toBytestringFixedPrim #-}

-- | A primitive of bytestring's as one of ours.
fromBytestringFixedPrim :: BP.FixedPrim a -> FixedPrim a
fromBytestringFixedPrim prim = fixedPrim (BP.size prim) (BP.runF prim)
{-# INLINE fromBytestringFixedPrim #-}

-- | A primitive as one of bytestring's.
toBytestringBoundedPrim :: BoundedPrim a -> BP.BoundedPrim a
toBytestringBoundedPrim prim = BP.boundedPrim (sizeBound prim) (runB prim)
{-# INLINE toBytestringBoundedPrim #-}

-- | A primitive of bytestring's as one of ours.
fromBytestringBoundedPrim :: BP.BoundedPrim a -> BoundedPrim a
fromBytestringBoundedPrim prim = boundedPrim (BP.sizeBound prim) (BP.runB prim)
{-# INLINE fromBytestringBoundedPrim #-}
