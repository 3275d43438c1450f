{-# LANGUAGE BangPatterns #-}
{-# LANGUAGE RankNTypes #-}
{-# LANGUAGE TypeFamilies #-}
{-# OPTIONS_GHC -Wno-orphans #-}

-- |
-- Module      : Ashlar.Internal.Builder.Loops
-- Description : Many values of one primitive: lists, unfoldings, ByteStrings; instances
--
-- The loops of @Data.ByteString.Builder.Prim@. While the buffer lasts, they keep the cursor and the
-- end of the buffer in registers. They store the cursor in its cell before they ask the sink, and
-- at their end.
--
-- Note [Loops and exceptions]
-- ~~~~~~~~~~~~~~~~~~~~~~~~~~~
-- After an exception in an element, the cell holds the cursor that the loop last stored there. The
-- exception ends the run, and what was handed out before is complete (INV-B4). A driver that saves
-- what was written before an exception misses the bytes after that cursor. If the exception is
-- asynchronous and the run is resumed, the loop continues with its registers.
--
-- The loops store the cursor once for each buffer. Storing it for every element is measurably
-- slower with lists, and much slower in fused loops. (Test "an exception in an element leaves what
-- is complete".)
--
-- Note [Loops over lists]
-- ~~~~~~~~~~~~~~~~~~~~~~~
-- A list is consumed by 'foldr'. So a list made by a function that fuses, such as @[from .. to]@,
-- 'map', 'filter' or a comprehension, is never built in memory. With other lists, most of the time
-- goes into following the list's constructors.
--
-- Also tried: four elements at a time with one check. Lists in the cache were at most a tenth
-- faster, a list of a million elements took 1.4 times as long. (GHC 9.0.2 and 9.10.3. Benchmarks
-- "pack [Word8]".)
module Ashlar.Internal.Builder.Loops
  ( -- * Lists
    primMapListFixed,
    primMapListBounded,

    -- * Unfoldings
    primUnfoldrFixed,
    primUnfoldrBounded,

    -- * ByteStrings
    primMapByteStringFixed,
    primMapByteStringBounded,
    primMapLazyByteStringFixed,
    primMapLazyByteStringBounded,
  )
where

import Ashlar.Internal.Builder.Bytes (chunkwise, eachFits, inBatchesMoving)
import Ashlar.Internal.Builder.Core
import Ashlar.Internal.Builder.Lazy
import Ashlar.Internal.Builder.Strings (stringUtf8)
import Ashlar.Internal.Mem
import Ashlar.Internal.Mem.Cells
import Ashlar.Internal.Prim.Core
import Ashlar.Internal.Prim.Scalar (writeHalf)
import qualified Ashlar.Internal.Prim.Scalar as Scalar
import Data.ByteString (ByteString)
import qualified Data.ByteString as S
import qualified Data.ByteString.Lazy as L
import Data.String (IsString (..))
import Data.Word (Word8)
import Foreign.Ptr (Ptr, minusPtr, plusPtr)
import GHC.Exts (IsList (..), oneShot)

-- | The values of a list, each by a primitive of fixed size.
--
-- The list is forced as the output gets there, and may be infinite.
--
-- >>> toLazyByteString (P.primMapListFixed P.word16BE [1, 2, 3])
-- "\NUL\SOH\NUL\STX\NUL\ETX"
primMapListFixed :: FixedPrim a -> [a] -> Builder
primMapListFixed prim = primMapListBounded (toB prim)
{-# INLINE primMapListFixed #-}

-- | The values of a list, each by a primitive of bounded size.
--
-- The list is forced as the output gets there, and may be infinite.
primMapListBounded :: BoundedPrim a -> [a] -> Builder
primMapListBounded prim = \xs -> eachOf prim (\cons nil -> foldr cons nil xs)
{-# INLINE primMapListBounded #-}

-- The values of a list that is given as its 'foldr'. Note [Loops over lists],
-- Note [Loops and exceptions].
eachOf :: BoundedPrim a -> (forall b. (a -> b -> b) -> b -> b) -> Builder
eachOf prim xs = action $ \c k -> do
  let n = sizeBound prim
      -- The state of the loop is passed from each element to the rest. It is forced, or GHC boxes
      -- the end, which the last step does not need.
      cons x rest = oneShot $ \ !p -> oneShot $ \ !e ->
        if e `minusPtr` p >= n
          then do
            -- n bytes are free.
            p' <- runB prim x p
            rest p' e
          else do
            putPtr c cursorCell p
            q <- reserve c k n
            end <- getPtr c endCell
            q' <- runB prim x q
            rest q' end
      nil !p !_ = putPtr c cursorCell p
  p0 <- getPtr c cursorCell
  e0 <- getPtr c endCell
  xs cons nil p0 e0
{-# INLINE eachOf #-}

-- | The values that a function makes of a state, until it makes 'Nothing', each by
-- a primitive of fixed size.
primUnfoldrFixed :: FixedPrim b -> (a -> Maybe (b, a)) -> a -> Builder
primUnfoldrFixed prim = primUnfoldrBounded (toB prim)
{-# INLINE primUnfoldrFixed #-}

-- | The values that a function makes of a state, until it makes 'Nothing', each by
-- a primitive of bounded size.
--
-- >>> let ones n = if n > 0 then Just ('1', n - 1) else Nothing
-- >>> toLazyByteString (P.primUnfoldrBounded P.charUtf8 ones (5 :: Int))
-- "11111"
primUnfoldrBounded :: BoundedPrim b -> (a -> Maybe (b, a)) -> a -> Builder
primUnfoldrBounded prim next = \start -> eachOf prim $ \cons nil ->
  let go state = case next state of
        Nothing -> nil
        Just (x, state') -> x `cons` go state'
   in go start
{-# INLINE primUnfoldrBounded #-}

-- | The bytes of a strict 'ByteString', each by a primitive of fixed size.
primMapByteStringFixed :: FixedPrim Word8 -> ByteString -> Builder
primMapByteStringFixed prim = mapBytes n total (\c src end p -> four c src end p)
  where
    n = size prim
    -- All bytes are announced, unless their number overflows.
    total left = if n > 0 && left <= maxBound `quot` n then left * n else n
    -- Note [Loops over bytes]. Four at a time is for small primitives, because their code is
    -- repeated five times.
    four c src end p
      | n <= 8 && end `minusPtr` src >= 4 = do
        let write i = peekHost (src `plusPtr` i) >>= \x -> runF prim x (p `plusPtr` (i * n))
        write 0
        write 1
        write 2
        write 3
        four c (src `plusPtr` 4) end (p `plusPtr` (4 * n))
      | otherwise = one c src end p
    {-# NOINLINE four #-}
    one c src end p
      | src == end = putPtr c cursorCell p
      | otherwise = do
        x <- peekHost src
        runF prim x p
        one c (src `plusPtr` 1) end (p `plusPtr` n)
{-# INLINE primMapByteStringFixed #-}

-- | The bytes of a strict 'ByteString', each by a primitive of bounded size.
--
-- >>> let crlf = const (13, 10) P.>$< P.liftFixedToBounded (P.word8 P.>*< P.word8)
-- >>> let newlines = P.condB (== 10) crlf (P.liftFixedToBounded P.word8)
-- >>> toLazyByteString (P.primMapByteStringBounded newlines "a\nb\n")
-- "a\r\nb\r\n"
primMapByteStringBounded :: BoundedPrim Word8 -> ByteString -> Builder
primMapByteStringBounded prim = mapBytes n (const n) (\c src end p -> each c src end p)
  where
    n = sizeBound prim
    each c src end p
      | src == end = putPtr c cursorCell p
      | otherwise = do
        x <- peekHost src
        runB prim x p >>= each c (src `plusPtr` 1) end
    {-# NOINLINE each #-}
{-# INLINE primMapByteStringBounded #-}

-- | The bytes of a lazy 'L.ByteString', each by a primitive of fixed size. Its chunks
-- are forced one by one, as the output gets there.
primMapLazyByteStringFixed :: FixedPrim Word8 -> L.ByteString -> Builder
primMapLazyByteStringFixed prim = chunkwise (primMapByteStringFixed prim)
{-# INLINE primMapLazyByteStringFixed #-}

-- | The bytes of a lazy 'L.ByteString', each by a primitive of bounded size. Its
-- chunks are forced one by one, as the output gets there.
primMapLazyByteStringBounded :: BoundedPrim Word8 -> L.ByteString -> Builder
primMapLazyByteStringBounded prim = chunkwise (primMapByteStringBounded prim)
{-# INLINE primMapLazyByteStringBounded #-}

-- Note [Loops over bytes]
-- ~~~~~~~~~~~~~~~~~~~~~~~
-- The loop over a batch is a function of its own, so that all its state is in registers. If it were
-- inlined into the loop over batches, some of the state might be on the stack.
--
-- At its end the loop stores the cursor in its cell. If it returned the address, GHC would box it
-- there and check the heap in every round, which takes longer than writing a byte.
--
-- (Benchmarks whose names begin with "mapped".)

-- Write each byte with a primitive, in batches of as many as surely fit.
mapBytes ::
  -- | @n@, the most bytes of output for a byte of input.
  Int ->
  -- | The bytes of output that are known to come from this number of bytes of input.
  (Int -> Int) ->
  -- | Write the bytes of input between the first two addresses to the third, where @n@ bytes are
  -- free for each, and store the address after the last in its cell.
  (Cells -> Ptr Word8 -> Ptr Word8 -> Ptr Word8 -> IO ()) ->
  ByteString ->
  Builder
mapBytes n known write = \bs -> action $ \c k ->
  let total = S.length bs
      fitting off free = if n > 0 then eachFits total total n off free else total - off
   in inBatchesMoving c k total n known fitting $ \_ p off len -> do
        -- There is space for each of the len bytes, which lie within the string. The primitive
        -- is not ours, and may not return.
        withBytes bs (\src _ -> write c (src `plusPtr` off) (src `plusPtr` (off + len)) p)
        getPtr c cursorCell
{-# INLINE mapBytes #-}

-- Instances that run builders. They are orphans, because the type is defined below the modules that
-- run it. Every public module that exports the type imports this one, so that users always have the
-- instances.

-- | A literal in UTF-8.
instance IsString Builder where
  fromString = stringUtf8
  {-# INLINE fromString #-}

-- | The bytes, as a string literal.
instance Show Builder where
  showsPrec d = showsPrec d . toLazyByteString

-- | The bytes, one by one.
instance IsList Builder where
  type Item Builder = Word8
  fromList = primMapListFixed (writeHalf Scalar.word8)
  toList = L.unpack . toLazyByteString
