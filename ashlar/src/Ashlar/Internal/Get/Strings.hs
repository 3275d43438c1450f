{-# LANGUAGE DerivingStrategies #-}
{-# LANGUAGE MagicHash #-}
{-# LANGUAGE UnboxedSums #-}
{-# LANGUAGE UnboxedTuples #-}

-- |
-- Module      : Ashlar.Internal.Get.Strings
-- Description : Decoders for strings and for nested parts, and decoders that run on bytes already
-- read
module Ashlar.Internal.Get.Strings
  ( -- * Strings of bytes
    getByteStringCopy,
    getShortByteString,
    getByteStringNul,
    getLazyByteStringNul,
    getRemainingByteString,
    getRemainingLazyByteString,

    -- * Text
    getTextUtf8,
    getRemainingTextUtf8,

    -- * Parts with their length before them
    getNested,
    Span,
    getSpan,
    ownBytes,
    spanBytes,
    inSpan,
    onBytes,
  )
where

import Ashlar.Internal.Get.Budget (deeper, isolateOr, leftOver)
import Ashlar.Internal.Get.Bytes (foundIn, getByteString, slice)
import Ashlar.Internal.Get.Core
import Ashlar.Internal.Get.Env
import Ashlar.Internal.Get.Error
import Ashlar.Internal.Get.Failure
import Ashlar.Internal.Get.Input
import Ashlar.Internal.Get.Limits (asValue, limitsOf, setOver, spend)
import Ashlar.Internal.Get.Path (Context (Top))
import Ashlar.Internal.Get.Record
import Ashlar.Internal.Get.Run (errorOf)
import Ashlar.Internal.Get.Scan
import Ashlar.Internal.Mem (keepAlive, withBytes)
import Ashlar.Internal.Mem.Cells
import Ashlar.Internal.Prim.Text (decodeUtf8At)
import Control.Monad (when)
import Data.ByteString (ByteString)
import qualified Data.ByteString as S
import qualified Data.ByteString.Lazy as L
import Data.ByteString.Short (ShortByteString)
import qualified Data.ByteString.Short as SBS
import Data.IORef (readIORef)
import Data.Text (Text)
import Data.Word (Word8)
import Foreign.Ptr (Ptr, minusPtr, plusPtr)
import GHC.Exts (Int (I#), Ptr (Ptr))
import GHC.IO (IO (..), unIO)

-- | @n@ bytes, copied, so that the result does not keep the input's memory alive. ('getByteString'
-- returns a slice.) A negative number fails.
getByteStringCopy :: Int -> Get ByteString
getByteStringCopy n = getByteString n >>= \bs -> pure $! S.copy bs

-- | @n@ bytes, copied into memory that is not pinned. A negative number fails.
getShortByteString :: Int -> Get ShortByteString
getShortByteString n = getByteString n >>= \bs -> pure $! SBS.toShort bs

-- | The bytes before a zero byte, which is read, too. A slice of the input if they lie in one
-- chunk. Fails if there is no zero byte.
--
-- >>> runGet ((,) <$> getByteStringNul <*> getWord8) "ab\0c"
-- Right ("ab",99)
getByteStringNul :: Get ByteString
getByteStringNul = do
  at <- here
  bs <- takeTillByte 0
  endNul at bs
  pure bs

-- | 'getByteStringNul' as a lazy 'L.ByteString', whose chunks are slices of the input's chunks.
-- Fails if there is no zero byte.
getLazyByteStringNul :: Get L.ByteString
getLazyByteStringNul = do
  at <- here
  bs <- chunksBy (\p e -> (\(Scanned q ()) -> q) <$> byteScanner 0 () p e)
  endNul at (L.toStrict (L.take 16 bs))
  pure bs

-- Read the zero byte after a string.
endNul ::
  -- The offset of the string.
  Int ->
  -- Its first bytes.
  ByteString ->
  Get ()
endNul at start =
  nextCode >>= \i ->
    if i >= 0
      then moveBy 1
      else do
        end <- here
        found <- foundIn start
        failWith end at found (MissingInput (end - at + 1) (end - at))

-- | All bytes up to the end of the input, or of the innermost 'Ashlar.Get.isolate'. A slice of the
-- input if they lie in one chunk.
getRemainingByteString :: Get ByteString
getRemainingByteString = takeScanned const () (\_ _ e -> pure (Scanned e ()))

-- | All bytes up to the end of the input, or of the innermost 'Ashlar.Get.isolate', as slices of
-- the input's chunks. The result is not available before that end has been reached.
getRemainingLazyByteString :: Get L.ByteString
getRemainingLazyByteString = chunksBy (\_ e -> pure e)

-- Slices of the segments, up to where a scanner stops before the end of one, or the input ends.
chunksBy :: (Ptr Word8 -> Ptr Word8 -> IO (Ptr Word8)) -> Get L.ByteString
chunksBy scanner = asValue (go [])
  where
    go acc = moreInput >>= \more -> if more then on acc else finish acc
    on acc = do
      Range p e <- range
      q <- effect (scanner p e)
      bs <- slice (q `minusPtr` p)
      -- L.fromChunks drops empty ones.
      if q == e then go (bs : acc) else finish (bs : acc)
    finish acc = pure $! L.fromChunks (reverse acc)

-- | A text from @n@ bytes of UTF-8, as a copy. A negative number fails, and so do bytes that are
-- not UTF-8 by RFC 3629, such as overlong forms and surrogates. The error is at the first byte that
-- does not belong to a valid character.
--
-- >>> runGet (getTextUtf8 3) "a\xC3\xA4"
-- Right "a\228"
-- >>> either errorOffset (const 0) (runGet (getTextUtf8 3) "ab\xC3")
-- 2
getTextUtf8 :: Int -> Get Text
getTextUtf8 n
  | n < 0 = invalid "getTextUtf8: negative number of bytes"
  | otherwise = consumeShared n (\p -> textAt p n)
-- (Inlined, because a call would be one of an unknown function, which makes a partial application.
-- GHC 9.10 does not inline it by itself.)
{-# INLINE getTextUtf8 #-}

-- | 'getTextUtf8' of all bytes up to the end of the input, or of the innermost
-- 'Ashlar.Get.isolate'.
getRemainingTextUtf8 :: Get Text
getRemainingTextUtf8 = do
  at <- here
  bs <- getRemainingByteString
  text <- effect . withBytes bs $ \p n -> IO $ \s -> case decodeUtf8At p n s of
    (# s1, (# t | #) #) -> (# s1, Right t #)
    (# s1, (# | good #) #) -> (# s1, Left (I# good) #)
  case text of
    Right t -> pure t
    Left good -> do
      found <- foundIn (S.drop good bs)
      malformed at (S.length bs) good found
{-# NOINLINE getRemainingTextUtf8 #-}

-- The text of the n bytes at the address, which is the cursor. Does not move the cursor.
textAt :: Ptr Word8 -> Int -> Get Text
textAt p n = Get $ \p0 c env s -> case decodeUtf8At p n s of
  (# s1, (# t | #) #) -> (# s1, p0, (# t | #) #)
  (# s1, (# | good #) #) -> unGet (malformedAt p n (I# good)) p0 c env s1
{-# INLINE textAt #-}

-- 'malformed' for bytes at the cursor.
malformedAt :: Ptr Word8 -> Int -> Int -> Get a
malformedAt p n good = do
  -- 'good' is at most n.
  found <- effect (peekFound (p `plusPtr` good) (n - good))
  here >>= \at -> malformed at n good found
{-# NOINLINE malformedAt #-}

-- Fail because of n bytes from an offset on, of which the first 'good' bytes are UTF-8.
malformed :: Int -> Int -> Int -> Found -> Get a
malformed at n good found = failWith (at + n) (at + good) found (Invalid "invalid UTF-8")
{-# NOINLINE malformed #-}

-- | @getNested len p@ reads a length in bytes with @len@, and then runs @p@ on that many bytes
-- alone, as by 'Ashlar.Get.isolate'.
--
-- If the input has too few bytes, and @p@ does not fail, the error is at the beginning of the part,
-- as with 'getByteString'.
--
-- >>> runGet (getNested (fromIntegral <$> getWord8) getRemainingByteString) "\2abc"
-- Right "ab"
-- >>> let part = getNested (fromIntegral <$> getWord8) getRemainingByteString
-- >>> either (putStrLn . displayException) print (runGet part "\3ab")
-- at byte 1: 3 bytes needed, 2 left
--   00000000  03 61 62                                          |.ab|
--                ^^
getNested :: Get Int -> Get a -> Get a
getNested len p = len >>= \n -> isolateOr (leftOver (\left have -> (n, n - left + have)) n) n p
{-# INLINE getNested #-}

-- Decoding bytes that have been read, or that were made of such bytes.
--
-- Note [A decoder on other bytes]
-- ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
-- A decoder on other bytes belongs to the run around it, whose levels and steps it uses. Only its
-- input is different, so it has cells of its own. That input is in memory, so the decoder never
-- waits, and has no limit on bytes.
--
-- If the bytes are part of the input, the decoder counts offsets as in the input. So its failures
-- have the right offsets.

-- | Bytes for 'inSpan', and their offset if they are part of the input. Use a span only in the run
-- that it comes from: in another run, errors would have offsets of the wrong input.
data Span = Span !(Maybe Int) !ByteString
  deriving stock (Show)

-- | The next bytes, to be decoded later. A slice or a copy, as with 'Ashlar.Get.getByteString'.
getSpan ::
  -- | How many bytes. A negative number fails.
  Int ->
  Get Span
getSpan n = here >>= \at -> Span (Just at) <$> getByteString n

-- | Bytes that are not part of the input, but were decompressed, decrypted or joined, for example.
ownBytes :: ByteString -> Span
ownBytes = Span Nothing

-- | The bytes.
spanBytes :: Span -> ByteString
spanBytes (Span _ bs) = bs

-- | Run a decoder on bytes that have been read. Bytes that it does not read are ignored: to refuse
-- them, end the decoder with 'Ashlar.Get.endOfInput'.
--
-- The decoder uses the budget of the run. Within another 'inSpan', this is a step and a level, as
-- by 'Ashlar.Get.deeper'. So spans that lead in a circle give an error. A span that is decoded
-- again and again takes its time each time, and no steps: limit how often the input may refer to
-- it, or use 'Ashlar.Get.atOffset', which counts its bytes. Errors have the labels
-- around it, and the offsets of the bytes in the input. Offsets that it jumps to count from the
-- first of the bytes, as if an 'Ashlar.Get.origin' were there. A commit in it gives up only the
-- choices in it. For bytes that are not part of the input ('ownBytes'), the error is at the offset
-- of the decoder around, and its reason has the inner error ('InOwnBytes').
--
-- For a decoder without commits and jumps:
--
-- > getSpan n >>= \s -> inSpan s p  =  isolateAtMost n p <* skip what it leaves
--
-- >>> let names = label "names" (getSpan 6)
-- >>> let name i = skip (fromIntegral i) *> getByteStringNul
-- >>> let entry table = label "entry" (getWord8 >>= \i -> inSpan table (name i))
-- >>> runGet (names >>= \table -> (,) <$> entry table <*> entry table) "ab\0cd\0\3\0"
-- Right ("cd","ab")
-- >>> either (putStrLn . summarizeError) print (runGet (names >>= entry) "ab\0cde\4")
-- at byte 4, in entry: 3 bytes needed, 2 left
--
-- >>> let record = inSpan (ownBytes "\1\2") (label "record" getWord32be)
-- >>> either (putStrLn . displayException) print (runGet (skip 3 *> label "packed" record) "...")
-- at byte 3, in packed: in bytes of their own, at byte 0, in record: 4 bytes needed, 2 left
--   00000000  01 02                                             |..|
--             ^^ ^^
inSpan :: Span -> Get a -> Get a
inSpan (Span at bs) g = do
  nested <- inspect (\c env _ -> limitInner <$> limitsOf c env)
  if nested
    then spend " spans within spans" 1 *> deeper (decodedIn at bs g)
    else decodedIn at bs g

decodedIn :: Maybe Int -> ByteString -> Get a -> Get a
decodedIn at bs g = do
  now <- here
  outcome <- case at of
    Just start ->
      onBytes start (,) (\_ env _ input -> addFrom now env input) g bs
    -- Offsets in the input around it, and its labels, do not concern these bytes.
    Nothing -> onBytes 0 (\_ _ -> (noMarks, Top)) (ownError now) g bs
  either (\() -> failed) pure outcome
  where
    -- The reach is that of the decoder around at least.
    addFrom now env input =
      readIORef (inputFailures input) >>= mapM_ (add now env) . reverse . listed
    add now env f =
      remember
        env
        f {failureReach = max now (failureReach f)}
        (foundLength (failureFound f))
        (pure (failureFound f))
    ownError :: Int -> Cells -> Env -> Cells -> Input -> IO ()
    ownError now c env own input =
      whenTraced c $ errorOf own input >>= record c env now now nothingFound . InOwnBytes . cut
    -- An error is small, so it has eight levels: the outermost one, and the innermost ones.
    cut e = case errorReason e of
      InOwnBytes inner | levels inner >= (8 :: Int) -> e {errorReason = errorReason inner}
      _ -> e
    levels e = case errorReason e of
      InOwnBytes inner -> 1 + levels inner
      _ -> 1

-- | Run a decoder on other bytes: Note [A decoder on other bytes].
onBytes ::
  -- | The offset of the first of the bytes.
  Int ->
  -- | Make marks and context of the decoder, given those around it. Its origin is the first byte.
  (Marks -> Context -> (Marks, Context)) ->
  -- | What to do if the decoder fails, given the cells and the environment around it, its own cells
  -- and its input.
  (Cells -> Env -> Cells -> Input -> IO b) ->
  Get a ->
  ByteString ->
  Get (Either b a)
onBytes start inside refused g bs = inspect $ \c env _ -> do
  input <- strictInput start bs
  limits <- limitsOf c env
  levels <- getInt c levelsCell
  part <- getInt c partCell
  keepAlive (inputSegments input) $
    withCells cellCount $ \own -> do
      enterFirstSegment own start (start + S.length bs) maxBound bs
      putInt own levelsCell levels
      putInt own partCell part
      putInt own stepsCell 0
      putInt own bitsCell 0
      let unlimited =
            (defaultLimits own)
              { limitDepth = limitDepth limits,
                limitSteps = limitSteps limits,
                limitInner = True
              }
          (marks, context) = inside (envMarks env) (envContext env)
          scope = Own (budgetAccount c env) unlimited
          inner = Env input scope marks {markOrigin = start} context
      IO $ \s0 -> case unIO (getPtr own cursorCell) s0 of
        (# s1, Ptr p #) -> case unGet g p own inner s1 of
          (# s2, _, (# a | #) #) -> (# s2, Right a #)
          (# s2, _, (# | _ #) #) -> unIO (Left <$> failing c env own input) s2
  where
    failing c env own input = do
      -- A budget that is used up is that of the decoder around.
      over <- isOver own
      when over $ setOver True c *> setFailures env NoFailures
      refused c env own input
