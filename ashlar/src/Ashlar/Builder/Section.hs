{-# LANGUAGE DerivingStrategies #-}
{-# LANGUAGE ScopedTypeVariables #-}
{-# LANGUAGE Trustworthy #-}

-- |
-- Module      : Ashlar.Builder.Section
-- Description : Sections with their length in front
--
-- Many formats write the length of a part before it, but a builder knows its length only after it
-- has run. Here the part is written first, and then its length is filled in.
--
-- A message of Protocol Buffers inside another, each with its length as a varint:
--
-- >>> :set -XOverloadedStrings
-- >>> import Ashlar.Builder
-- >>> import Ashlar.Builder.Section
-- >>> import Ashlar.Builder.Varint
-- >>> import Data.Word (Word32)
-- >>> :{
-- let field :: Word32 -> Builder -> Builder
--     field number body = word32Varint (number * 8 + 2) <> lengthPrefixedVarint body
-- in field 3 (word8 8 <> word32Varint 150 <> field 2 "testing")
-- :}
-- "\SUB\f\b\150\SOH\DC2\atesting"
module Ashlar.Builder.Section
  ( lengthPrefixed,
    lengthPrefixedFixed,
    lengthPrefixedWithin,
    lengthPrefixedVarint,
    SectionTooLong (..),
  )
where

import Ashlar.Builder.Buffer
import Ashlar.Internal.Builder.Bytes
import Ashlar.Internal.Builder.Core
import Ashlar.Internal.Builder.Loops ()
import Ashlar.Internal.Builder.RunIO (runBuilderWith)
import Ashlar.Internal.Builder.Strict
import Ashlar.Internal.Mem
import Ashlar.Internal.Mem.Cells
import Ashlar.Internal.Prim.Core
import Ashlar.Prim.Varint (varintPrim, word64Varint)
import Control.Exception (Exception (..), throwIO)
import Control.Monad (when)
import Data.Bits (Bits, bitSizeMaybe, finiteBitSize, isSigned, unsafeShiftL)
import qualified Data.ByteString as S
import qualified Data.Foldable as F
import Data.IORef (IORef, newIORef, readIORef, writeIORef)
import Data.Word (Word8)
import Foreign.Ptr (Ptr, minusPtr, nullPtr, plusPtr)

-- | The length of a body, then the body.
--
-- The body runs once and must be finite. Bytes that fit into the open buffer are written there, and
-- moved if the length takes fewer bytes than its bound. Bytes that do not fit are held in memory
-- until the length is known, and then copied once more. So a long body does not run in constant
-- memory.
--
-- Throws 'SectionTooLong' if the length exceeds the largest number of the primitive's type: when
-- the buffer is full, or at the end of the body. The values up to there are evaluated first.
-- Nothing checks that the primitive writes all of its type's numbers in full.
--
-- Sections may be nested. Each level moves a byte at most once. A 'Ashlar.Builder.Extra.flush' in a
-- section takes place after it.
lengthPrefixed ::
  forall n.
  (Integral n, Bits n) =>
  -- | Writes the length.
  BoundedPrim n ->
  -- | The body.
  Builder ->
  Builder
lengthPrefixed prim = section (largest (0 :: n)) 0 (prefixOf prim)
{-# INLINE lengthPrefixed #-}

-- | 'lengthPrefixed' with a length of constant size. Nothing is moved.
--
-- >>> import Ashlar.Builder.Prim.Unsafe (fixedPrim)
-- >>> import Foreign (castPtr, poke)
-- >>> lengthPrefixedFixed (fixedPrim 1 (\n p -> poke p (n :: Word8))) "abc"
-- "\ETXabc"
lengthPrefixedFixed :: (Integral n, Bits n) => FixedPrim n -> Builder -> Builder
lengthPrefixedFixed prim = lengthPrefixed (toB prim)
{-# INLINE lengthPrefixedFixed #-}

-- | 'lengthPrefixed' for bodies of limited length.
--
-- Reserves space for the body beforehand, up to 4 KiB, so that it need not be held elsewhere.
lengthPrefixedWithin ::
  forall n.
  (Integral n, Bits n) =>
  -- | The most bytes of the body. Throws 'SectionTooLong' if it has more; always, if negative.
  Int ->
  -- | Writes the length.
  BoundedPrim n ->
  -- | The body.
  Builder ->
  Builder
lengthPrefixedWithin most prim =
  section (min most (largest (0 :: n))) (max 0 (min 4096 most)) (prefixOf prim)
{-# INLINE lengthPrefixedWithin #-}

-- | 'lengthPrefixed' with the length as a varint of Protocol Buffers, of 1 to 9 bytes.
--
-- 'Ashlar.Get.Varint.lengthPrefixedVarint' decodes such a section.
--
-- >>> lengthPrefixedVarint "abc"
-- "\ETXabc"
-- >>> lengthPrefixedVarint (lengthPrefixedVarint "a" <> lengthPrefixedVarint mempty)
-- "\ETX\SOHa\NUL"
lengthPrefixedVarint :: Builder -> Builder
lengthPrefixedVarint = lengthPrefixed (varintPrim word64Varint)

-- | A section had more bytes than its length can express, or than were allowed.
data SectionTooLong = SectionTooLong
  { -- | Bytes of the section that were counted when it was given up. There may be more.
    sectionLength :: !Int,
    -- | Bytes that it may have.
    sectionLimit :: !Int
  }
  deriving stock (Eq, Show)

instance Exception SectionTooLong where
  displayException (SectionTooLong len limit) =
    "Ashlar.Builder: a section of at least " ++ show len ++ " bytes, where " ++ show limit
      ++ " are allowed"

-- The largest Int that is also a number of the argument's type.
largest :: Bits n => n -> Int
largest zero = case bitSizeMaybe zero of
  Just bits
    | ones < finiteBitSize (0 :: Int) - 1 -> (1 `unsafeShiftL` ones) - 1
    where
      ones = if isSigned zero then bits - 1 else bits
  _ -> maxBound
{-# INLINE largest #-}

-- The most bytes that a length takes, and a function that writes it.
data Prefix = Prefix !Int (Int -> Ptr Word8 -> IO (Ptr Word8))

prefixOf :: Num n => BoundedPrim n -> Prefix
prefixOf prim = Prefix (sizeBound prim) (runB prim . fromIntegral)
{-# INLINE prefixOf #-}

-- Where the bytes of a section are. The flag says whether a flush was asked for.
data State
  = -- | All in the outer buffer, after the space for the length.
    InPlace !Bool
  | -- | The first in the outer buffer, up to an address, and the others elsewhere.
    Collected !Bool !(Ptr Word8) !(IORef Output)

-- Note [Sections in place]
-- ~~~~~~~~~~~~~~~~~~~~~~~~
-- The body is written into the buffer of the outer sink, after space for the longest length. The
-- outer cells do not change until the section is complete. The outer sink gets no request
-- meanwhile, so it keeps its buffer and hands nothing of the section out (INV-B3).
--
-- If the body asks for more than the buffer has, its bytes so far stay, and the others are
-- collected elsewhere ('collectingSink'). At the end the length is written, the bytes in the buffer
-- move down to it, and the others are appended like any 'byteString'.
--
-- Also considered: to run the body twice, first only to count. That evaluates everything twice. And
-- where the bytes depend on the buffers, as in chunked transfer coding, the second run may differ
-- from the count of the first.

-- A section: the most bytes it may have, how many to reserve beforehand, how to write the length,
-- and the body.
section :: Int -> Int -> Prefix -> Builder -> Builder
section limit hint (Prefix bound writeLength) body = action $ \c k -> do
  free <- minusPtr <$> getPtr c endCell <*> getPtr c cursorCell
  -- Not by their sum, which may overflow.
  when (free < bound || free - bound < hint) $
    askMore c k (max 1 bound) (max 1 (if bound <= maxBound - hint then bound + hint else bound))
  p <- getPtr c cursorCell
  e <- getPtr c endCell
  -- At least bound bytes are free.
  let start = p `plusPtr` bound
      -- The sum of lengths stops at maxBound, which therefore counts as too much.
      check n = when (n > limit || n == maxBound) $ throwIO (SectionTooLong n limit)
  ref <- newIORef (InPlace False)
  -- The reference keeps the buffer of the collected bytes alive, however the body ends.
  keepAlive ref $ do
    end <- runBuilderWith (sectionSink check start e ref) (FreeSpace start e) body
    state <- readIORef ref
    (flushed, firstEnd, others) <- case state of
      InPlace flushed -> pure (flushed, end, [])
      Collected flushed firstEnd output ->
        (\o -> (flushed, firstEnd, chunksUpTo end o)) <$> readIORef output
    let first = firstEnd `minusPtr` start
        total = F.foldl' plusCount first (map S.length others)
    check total
    -- It writes at most bound bytes, before the body.
    start' <- writeLength total p
    when (start' /= start) $ moveDown start' start first
    putPtr c cursorCell (start' `plusPtr` first)
    F.traverse_ (\bs -> runOn (byteString bs) c k) others
    when flushed $ ask c k Flush

-- The sink of a body, given where the body begins and the end of the outer buffer:
-- Note [Sections in place].
sectionSink :: (Int -> IO ()) -> Ptr Word8 -> Ptr Word8 -> IORef State -> Sink
sectionSink check start e ref = Sink $ \request p -> do
  state <- readIORef ref
  case (state, request) of
    (InPlace _, Flush) -> do
      writeIORef ref (InPlace True)
      pure (FreeSpace p e)
    (InPlace _, Insert bs) | S.length bs <= copiedUpTo && S.length bs <= e `minusPtr` p -> do
      -- It was just compared with the free space.
      withBytesQuick bs (copyRange p)
      pure (FreeSpace (p `plusPtr` S.length bs) e)
    (InPlace flushed, _) -> do
      check (p `minusPtr` start)
      output <- newIORef noOutput
      writeIORef ref (Collected flushed p output)
      answer (collectingSink output) request nullPtr
    (Collected _ firstEnd output, Flush) -> do
      writeIORef ref (Collected True firstEnd output)
      answer (collectingSink output) Flush p
    (Collected _ firstEnd output, _) -> do
      Output _ count open <- readIORef output
      check
        ((firstEnd `minusPtr` start) `plusCount` (count `plusCount` (p `minusPtr` openFrom open)))
      answer (collectingSink output) request p
  where
    answer (Sink f) = f
