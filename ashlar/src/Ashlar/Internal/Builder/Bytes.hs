-- |
-- Module      : Ashlar.Internal.Builder.Bytes
-- Description : Builders that copy or insert strings of bytes, at once or in batches
module Ashlar.Internal.Builder.Bytes
  ( byteString,
    chunk,
    byteStringCopy,
    byteStringInsert,
    byteStringThreshold,
    lazyByteString,
    lazyByteStringCopy,
    lazyByteStringInsert,
    lazyByteStringThreshold,
    announced,
    NextChunk (..),
    nextChunk,
    insertedThen,
    shortByteString,
    flush,
    chunkwise,
    copiedUpTo,
    copyBatches,
    inBatches,
    inBatchesMoving,
    eachFits,
    atOnceOr,
  )
where

import Ashlar.Internal.Builder.Core
import Ashlar.Internal.Mem
import Ashlar.Internal.Mem.Cells
import Ashlar.Internal.Mem.Check
import Data.Bits (finiteBitSize)
import Data.ByteString (ByteString)
import qualified Data.ByteString as S
import qualified Data.ByteString.Internal as B
import qualified Data.ByteString.Lazy as L
import qualified Data.ByteString.Lazy.Internal as L
import Data.ByteString.Short (ShortByteString)
import qualified Data.ByteString.Short.Internal as SBS
import Data.IORef (newIORef, readIORef, writeIORef)
import Data.Int (Int64)
import Data.Primitive.ByteArray (ByteArray (..))
import Data.Word (Word8)
import Foreign.ForeignPtr (plusForeignPtr, touchForeignPtr)
import Foreign.Ptr (Ptr, minusPtr, plusPtr)
import GHC.Exts (Ptr (Ptr), lazy)
import GHC.ForeignPtr (ForeignPtr (ForeignPtr), ForeignPtrContents)
import System.IO.Unsafe (unsafePerformIO)

-- | The length up to which ByteStrings are copied. Longer ones, of 8 KiB and more as in
-- @bytestring@, are handed to the sink whole.
copiedUpTo :: Int
copiedUpTo = 8191

-- | The bytes of a strict 'ByteString'.
--
-- Below 8 KiB they are copied. From 8 KiB on they are handed to the sink as they are, as by
-- 'Ashlar.Builder.Extra.byteStringInsert'; in lazy output they become a chunk that shares their
-- memory. To choose, use the functions of "Ashlar.Builder.Extra".
byteString :: ByteString -> Builder
-- 'lazy', so that a constant string is computed once: Note [Builders run once].
byteString bs = closed (chunk (lazy bs))
{-# NOINLINE byteString #-}

{-# RULES
"byteString" [0] forall bs. byteString bs = chunk (lazy bs)
  #-}

-- | 'byteString' of a string that is evaluated, and may be in registers.
chunk :: ByteString -> Builder
chunk bs = takenApart copyOrInsert bs
{-# INLINE chunk #-}

-- 'byteStringCopy' of an evaluated string.
copied :: ByteString -> Builder
copied bs = takenApart copyAll bs
{-# INLINE copied #-}

-- Write a string by a function of its address, owner and length: Note [A string in five registers].
takenApart ::
  (Ptr Word8 -> ForeignPtrContents -> Int -> Cells -> Sink -> IO ()) -> ByteString -> Builder
takenApart write bs = action $ \c k -> case B.toForeignPtr bs of
  (fp, off, n) -> case fp `plusForeignPtr` off of
    ForeignPtr a memory -> write (Ptr a) memory n c k
{-# INLINE takenApart #-}

-- | The bytes of a strict 'ByteString': copied if there are at most as many as the first argument
-- says, else handed to the sink as they are. An empty one is left out.
byteStringThreshold :: Int -> ByteString -> Builder
byteStringThreshold limit bs = action $ \c k ->
  if S.length bs <= min limit copiedUpTo
    then runOn (byteString bs) c k
    else copyOrInsertLong limit bs c k

-- | The bytes of a strict 'ByteString', always copied. So the output does not keep the original's
-- memory alive.
byteStringCopy :: ByteString -> Builder
byteStringCopy bs = closed (copied (lazy bs))
{-# NOINLINE byteStringCopy #-}

{-# RULES
"byteStringCopy" forall bs. byteStringCopy bs = copied (lazy bs)
  #-}

-- | The bytes of a strict 'ByteString', always handed to the sink as they are. An empty one is left
-- out.
--
-- They are handed over, with all bytes before them, before anything after them is evaluated. In
-- lazy output that takes one suspension of the builder: 0.3 to 0.7 µs with GHC 9.0, and 0.2 µs
-- with 9.10. (Copying 9,000 bytes takes 0.3 µs.) Suspending copies the stack. So if a builder is
-- nested to the left, by n appends, each suspension takes time in proportion to n: append to the
-- right.
--
-- >>> :set -XOverloadedStrings
-- >>> import Ashlar.Builder.Extra
-- >>> import qualified Data.ByteString.Lazy as L
-- >>> let x = toLazyByteString (byteStringInsert "ab" <> lazyByteStringInsert x)
-- >>> L.take 5 x
-- "ababa"
byteStringInsert :: ByteString -> Builder
byteStringInsert bs = action $ \c k -> if S.null bs then pure () else ask c k (Insert bs)

-- | The bytes of a lazy 'L.ByteString', each chunk as by 'byteString'. Its
-- chunks are forced one by one, as the output gets there.
--
-- Chunks of 8 KiB and more are handed over before the next one is forced. Lazy output passes them
-- on without suspending the builder for each.
lazyByteString :: L.ByteString -> Builder
lazyByteString = lazyByteStringThreshold copiedUpTo

-- | The bytes of a lazy 'L.ByteString', each chunk as by 'byteStringThreshold'.
lazyByteStringThreshold :: Int -> L.ByteString -> Builder
lazyByteStringThreshold limit chunks = action $ \c k -> do
  let go (L.Chunk bs rest)
        | S.length bs <= limit || S.null bs = runOn (byteStringThreshold limit bs) c k >> go rest
        | otherwise = do
          -- Only the variable holds the rest, so what the sink has taken is not kept alive.
          ref <- newIORef rest
          ask c k (Inserting bs (Following (max 0 limit) ref))
          readIORef ref >>= go
      go L.Empty = pure ()
  go chunks

-- | The bytes of a lazy 'L.ByteString', each chunk as by 'byteStringCopy'.
lazyByteStringCopy :: L.ByteString -> Builder
lazyByteStringCopy = chunkwise copied

-- | The bytes of a lazy 'L.ByteString', each chunk as by 'byteStringInsert'.
lazyByteStringInsert :: L.ByteString -> Builder
lazyByteStringInsert = lazyByteStringThreshold 0

-- | What a sink does with the next chunk after an inserted one.
data NextChunk
  = -- | Hand it over. It is not empty.
    InsertNext !ByteString
  | -- | Copy it. It is not empty, and has no more bytes than are free.
    CopyNext !ByteString
  | -- | Leave what follows to the builder.
    NoNext

-- | Force and take the next chunk after an inserted one.
nextChunk ::
  -- | How many bytes are free for a chunk that is copied.
  Int ->
  Following ->
  IO NextChunk
nextChunk free following = case following of
  NothingFollows -> pure NoNext
  Following limit ref -> do
    let go chunks = case chunks of
          L.Empty -> NoNext <$ writeIORef ref L.Empty
          L.Chunk bs rest
            | S.null bs -> go rest
            | S.length bs > limit -> InsertNext bs <$ writeIORef ref rest
            | S.length bs <= free -> CopyNext bs <$ writeIORef ref rest
            | otherwise -> NoNext <$ writeIORef ref chunks
    readIORef ref >>= go

-- | Lazily, the next chunks that are to be inserted, and then the output of an action. The action
-- runs once, and finds the other chunks in the variable.
insertedThen :: Following -> IO L.ByteString -> IO L.ByteString
insertedThen NothingFollows others = pure (unsafePerformIO others)
insertedThen (Following limit ref) others = do
  following <- readIORef ref
  -- The variable must not keep alive what is passed on.
  writeIORef ref L.Empty
  let go (L.Chunk bs rest) | S.length bs > limit = L.Chunk bs (go rest)
      go rest = unsafePerformIO (writeIORef ref rest >> others)
  pure (go following)

-- | The length of a lazy string, for a format that writes it first. A length that is too large for
-- an 'Int' is an error. On 32 bits the same chunk may occur often enough for that.
announced :: Int64 -> Int
announced n
  | finiteBitSize (0 :: Int) < 64 && n > fromIntegral (maxBound :: Int) = tooLong
  | otherwise = fromIntegral n
  where
    tooLong = errorWithoutStackTrace ("Ashlar: a lazy string of " ++ show n ++ " bytes")
{-# INLINE announced #-}

-- | Write each chunk with a builder. The chunks are forced one by one.
chunkwise :: (ByteString -> Builder) -> L.ByteString -> Builder
chunkwise f = L.foldrChunks (\bs rest -> f bs `append` rest) empty
{-# INLINE chunkwise #-}

-- | The bytes of a 'ShortByteString'. They are copied, whatever their number.
shortByteString :: ShortByteString -> Builder
shortByteString sbs@(SBS.SBS arr) = action $ \c k ->
  -- Offset and length stay within the string, as copyBatches promises.
  copyBatches c k (SBS.length sbs) (\dst off n -> copyFromArray dst (ByteArray arr) off n)

-- | Ask the sink to hand out what was written so far, before anything after it is evaluated. Lazy
-- output ends its chunk here. Output to a Handle is written to the Handle, which is not flushed
-- itself. Inserted ByteStrings need no flush.
flush :: Builder
flush = action (\c k -> ask c k Flush)

-- Note [A string in five registers]
-- ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
-- Most strings are short, and calling the copy takes longer than copying. 'copyOrInsert' has five
-- arguments, as many as GHC passes in registers on x86-64: address, owner of the memory, length,
-- cells, sink. The caller takes the string apart, because there it is often known to be evaluated.
-- The offset that bytestring has before version 0.11 would be a sixth argument, so it is added to
-- the address first. The rare cases are a call of their own, so that 'copyOrInsert' needs no stack
-- and no heap. This makes short strings about twice as fast. Strings of up to 32 bytes are copied
-- without a call of memcpy; with a limit of 16, those of 20 bytes are slower than bytestring's.
-- Also tried: passing the string itself, which must then be entered again. (Benchmark groups
-- "appends" and "strings".)

-- Write the @n@ bytes at an address, given the owner of that memory. 'copyAll' inserts nothing.
copyOrInsert, copyAll :: Ptr Word8 -> ForeignPtrContents -> Int -> Cells -> Sink -> IO ()
copyOrInsert src memory n c k = copyUpTo copiedUpTo src memory n c k
copyAll src memory n c k = copyUpTo maxBound src memory n c k

-- The first number is the largest length that is copied, at most 'copiedUpTo' bytes in each foreign
-- call: Note [Foreign copies] in "Ashlar.Internal.Mem".
copyUpTo :: Int -> Ptr Word8 -> ForeignPtrContents -> Int -> Cells -> Sink -> IO ()
copyUpTo limit src memory n c k = do
  p <- getPtr c cursorCell
  e <- getPtr c endCell
  if n <= e `minusPtr` p && n <= copiedUpTo
    then do
      -- n bytes are free. A copy always returns, so a plain touch keeps the source alive.
      if n <= 32 then copyMedium p src n else copyRange p src n
      touchForeignPtr owner
      putPtr c cursorCell (p `plusPtr` n)
    else copyOrInsertLong limit (B.fromForeignPtr owner 0 n) c k
  where
    owner = foreignPtrTo src memory
{-# INLINE copyUpTo #-}

-- Write a string that does not fit into the buffer, or is to be inserted. The first number is the
-- largest length that is copied. An empty string makes no request.
copyOrInsertLong :: Int -> ByteString -> Cells -> Sink -> IO ()
copyOrInsertLong limit bs c k
  | S.null bs = pure ()
  | S.length bs > limit = ask c k (Insert bs)
  | otherwise = copyBatches c k (S.length bs) $ \dst off n ->
    -- off + n is at most the string's length; copyRange always returns.
    withBytesQuick bs (\src _ -> copyRange dst (src `plusPtr` off) n)
{-# NOINLINE copyOrInsertLong #-}

foreignPtrTo :: Ptr Word8 -> ForeignPtrContents -> ForeignPtr Word8
foreignPtrTo (Ptr a) = ForeignPtr a

-- | Copy bytes in batches that fill each buffer to its end.
copyBatches ::
  Cells ->
  Sink ->
  -- | The number of bytes.
  Int ->
  -- | Copy a batch: its destination, where it fits, its offset within the bytes, and its length.
  (Ptr Word8 -> Int -> Int -> IO ()) ->
  IO ()
copyBatches c k n copy =
  inBatches c k n 1 id (eachFits n n 1) (\p off len -> (p `plusPtr` len) <$ copy p off len)
{-# INLINE copyBatches #-}

-- Long values, written at once or in batches that fit into the free space.

-- | Write units number 0 to @total - 1@ in batches.
--
-- The loop of every builder that writes a known number of units, such as the bytes of a string:
-- reserve space for one unit, see how many fit, write this batch, and continue after it.
inBatches ::
  Cells ->
  Sink ->
  -- | @total@, the number of units.
  Int ->
  -- | The bytes to reserve for a batch: enough for one unit, so that every round makes progress.
  Int ->
  -- | @likely left@ is how many bytes the @left@ units that remain are likely to take. It is not
  -- less than what is reserved.
  (Int -> Int) ->
  -- | @fitting off free@ is the number of units from unit @off@ on that surely fit into @free@
  -- bytes. It must be positive, and at most the number that remains.
  (Int -> Int -> Int) ->
  -- | @write p off n@ writes @n@ units from unit @off@ on at @p@, where they fit as @fitting@ said,
  -- and returns the address after them.
  (Ptr Word8 -> Int -> Int -> IO (Ptr Word8)) ->
  IO ()
inBatches c k total least likely fitting write =
  inBatchesMoving c k total least likely fitting $ \free p off n ->
    within "batch" "inBatches" free (\q -> write q off n) p
{-# INLINE inBatches #-}

-- | 'inBatches' for a write that moves the cursor itself. It is also given the bytes of free space.
inBatchesMoving ::
  Cells ->
  Sink ->
  Int ->
  Int ->
  (Int -> Int) ->
  (Int -> Int -> Int) ->
  (Int -> Ptr Word8 -> Int -> Int -> IO (Ptr Word8)) ->
  IO ()
inBatchesMoving c k total least likely fitting write = go 0
  where
    go off
      | off >= total = pure ()
      | otherwise = do
        p <- reserveFor c k least (likely (total - off))
        e <- getPtr c endCell
        let free = e `minusPtr` p
            n = fitting off free
        check
          "batch"
          "inBatches"
          (0 < n && n <= total - off)
          [("units", n), ("left", total - off), ("free", free)]
        p' <- write free p off n
        putPtr c cursorCell p'
        go (off + n)
{-# INLINE inBatchesMoving #-}

-- | How many units fit, for 'inBatches', where each takes at most the same number of bytes.
eachFits ::
  -- | The most units of a batch.
  Int ->
  -- | The number of units.
  Int ->
  -- | The most bytes of a unit.
  Int ->
  -- | The first unit of the batch.
  Int ->
  -- | The bytes of free space.
  Int ->
  Int
eachFits most total bound off free = min (min most (total - off)) (free `quot` bound)
{-# INLINE eachFits #-}

-- | Write at once if the free space is large enough, and with another builder if it is not.
atOnceOr ::
  -- | The other builder, which writes the same bytes.
  Builder ->
  -- | The bytes of what comes first, such as a length. Not negative.
  Int ->
  -- | Does the rest fit into this number of bytes? It is not negative.
  (Int -> Bool) ->
  -- | Write everything at this address, where it fits, and return the address after it.
  (Ptr Word8 -> IO (Ptr Word8)) ->
  Builder
atOnceOr other first fits write = action $ \c k -> do
  p <- getPtr c cursorCell
  e <- getPtr c endCell
  let free = e `minusPtr` p - first
  if free >= 0 && fits free
    then write p >>= putPtr c cursorCell
    else runOn other c k
{-# INLINE atOnceOr #-}
