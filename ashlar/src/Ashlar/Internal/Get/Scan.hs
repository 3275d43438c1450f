{-# LANGUAGE BangPatterns #-}
-- No eta-expansion: Note [Rules for decoders] in "Ashlar.Internal.Get.Core".
{-# OPTIONS_GHC -fno-do-lambda-eta-expansion #-}
-- A loop around foreign calls allocates nothing: Note [Foreign copies] in "Ashlar.Internal.Mem".
{-# OPTIONS_GHC -fno-omit-yields #-}

-- |
-- Module      : Ashlar.Internal.Get.Scan
-- Description : Taking and skipping bytes as long as a predicate holds
--
-- These decoders never go back, so they keep no input.
--
-- Note [Scanning chunks]
-- ~~~~~~~~~~~~~~~~~~~~~~
-- A scanner reads memory, with its address in a register, and returns where it stopped. If that is
-- before the end of the chunk, or where the input is known to end, the result is a slice, made
-- without a call. Otherwise a function collects the slices of all chunks in a list, and joins them
-- by one copy at the end. So a token in many small chunks takes time proportional to its length.
-- (Test "a token in many chunks".)
--
-- The end is a free variable of the scanner's loop. So the loop stays local, and GHC compiles it as
-- a join point, together with the code after it. With the end as an argument, GHC floats the loop
-- out as a function, which is called, and returns its results in a box (before 9.4). There are two
-- copies of the loop, one for the first chunk and one for all others, and each contains the
-- predicate. If a single copy takes the predicate as a function, each byte costs a call and a box.
module Ashlar.Internal.Get.Scan
  ( -- * Scanners
    Scanned (..),
    byteScanner,

    -- * Taking
    Range (..),
    range,
    endsAt,
    takeScanned,
    takeWhile,
    takeWhile1,
    takeTill,
    takeTillByte,
    scan,
    runScanner,

    -- * Skipping
    skipWhile,
    skipWhile1,
    skipSpace,
  )
where

import Ashlar.Internal.Get.Bytes (available, slice)
import Ashlar.Internal.Get.Core
import Ashlar.Internal.Get.Env
import Ashlar.Internal.Get.Input (moreInput)
import Ashlar.Internal.Get.Limits (asValue, endsForGood)
import Ashlar.Internal.Get.NextByte (refused)
import Ashlar.Internal.Mem (maxForeignCopy, peekHost)
import Ashlar.Internal.Mem.Cells
import Ashlar.Internal.Prim.Bulk (findByte)
import Data.ByteString (ByteString)
import qualified Data.ByteString as S
import Data.Word (Word8)
import Foreign.Ptr (Ptr, minusPtr, nullPtr, plusPtr)
import Prelude hiding (takeWhile)

-- | Is it known, without asking the source, that the input (or the innermost @isolate@) ends at
-- this address? The address must be in the current segment, or its end. The end of strict input is
-- always known.
endsAt :: Cells -> Env -> Ptr Word8 -> IO Bool
endsAt c env p = do
  limit <- getInt c limitCell
  at <- offsetOf c p
  if limit <= at then endsForGood c env limit else pure False
{-# INLINE endsAt #-}

-- | Where a scanner stopped: the address of the first byte that it does not accept, or the end; and
-- its state there.
data Scanned s = Scanned !(Ptr Word8) s

-- | Take the bytes that a scanner accepts.
takeScanned ::
  -- | The result, given the bytes and the last state.
  (ByteString -> s -> r) ->
  -- | The first state.
  s ->
  -- | The scanner: given a state and a range of addresses, it stops in the range or at its end.
  (s -> Ptr Word8 -> Ptr Word8 -> IO (Scanned s)) ->
  Get r
takeScanned result s0 scanner = do
  Range p e <- range
  Scanned q s <- effect (scanner s0 p e)
  complete <- if q == e then inspect (\c env _ -> endsAt c env e) else pure True
  if complete
    then (\bs -> result bs s) <$> slice (q `minusPtr` p)
    else takeOn scanner s >>= \(Taken bs s') -> pure (result bs s')
{-# INLINE CONLIKE [1] takeScanned #-}

-- The bytes that a scanner accepted, in one string, and its last state.
data Taken s = Taken !ByteString s

-- 'takeScanned' where the scanner accepts all bytes up to the end of the current segment.
takeOn :: (s -> Ptr Word8 -> Ptr Word8 -> IO (Scanned s)) -> s -> Get (Taken s)
takeOn scanner = asValue . go []
  where
    go acc s = do
      acc' <- available >>= takeSlice acc
      more <- moreInput
      if more
        then do
          Range p e <- range
          Scanned q s' <- effect (scanner s p e)
          if q /= e then (`finish` s') <$> takeSlice acc' (q `minusPtr` p) else go acc' s'
        else pure (finish acc' s)
    takeSlice acc n
      | n > 0 = (: acc) <$> slice n
      | otherwise = pure acc
    finish acc = Taken (S.concat (reverse acc))
{-# NOINLINE takeOn #-}

-- | The cursor and the end.
data Range = Range !(Ptr Word8) !(Ptr Word8)

-- | The addresses between which bytes can be read without asking the source.
range :: Get Range
range = inspect (\c _ p -> Range p <$> getPtr c endCell)
{-# INLINE range #-}

-- A scanner that accepts the bytes of which a predicate holds.
whileScanner :: (Word8 -> Bool) -> s -> Ptr Word8 -> Ptr Word8 -> IO (Scanned s)
whileScanner f s start e = go start
  where
    go !p
      | p == e = pure (Scanned p s)
      | otherwise = do
        -- p is before the end.
        w <- peekHost p
        if f w then go (p `plusPtr` 1) else pure (Scanned p s)
{-# INLINE whileScanner #-}

-- | A scanner that accepts all bytes but one.
byteScanner :: Word8 -> s -> Ptr Word8 -> Ptr Word8 -> IO (Scanned s)
byteScanner w s = go
  where
    go p e
      | p == e = pure (Scanned e s)
      | otherwise = do
        let n = min maxForeignCopy (e `minusPtr` p)
        found <- findByte w p n
        if found == nullPtr then go (p `plusPtr` n) e else pure (Scanned found s)

-- A scanner with a state, which stops where the function returns 'Nothing'.
stateScanner :: (s -> Word8 -> Maybe s) -> s -> Ptr Word8 -> Ptr Word8 -> IO (Scanned s)
stateScanner f s0 start e = go s0 start
  where
    go !s !p
      | p == e = pure (Scanned p s)
      | otherwise = do
        -- p is before the end.
        w <- peekHost p
        case f s w of
          Just s' -> go s' (p `plusPtr` 1)
          Nothing -> pure (Scanned p s)
{-# INLINE stateScanner #-}

-- | 'Ashlar.Get.Parse.takeTill' for a given byte. Long strings are searched faster than by
-- @takeTill (== w)@, short ones slower.
takeTillByte :: Word8 -> Get ByteString
takeTillByte w = takeScanned const () (byteScanner w)

-- | Skip bytes as long as a predicate holds.
skipWhile :: (Word8 -> Bool) -> Get ()
skipWhile f = do
  Range p e <- range
  Scanned q () <- effect (whileScanner f () p e)
  moveTo q
  if q /= e then pure () else skipOn (\p' e' -> whileScanner f () p' e')
{-# INLINE skipWhile #-}

-- 'skipWhile' where the cursor is at the end of the current segment.
skipOn :: (Ptr Word8 -> Ptr Word8 -> IO (Scanned ())) -> Get ()
skipOn scanner = go
  where
    go = moreInput >>= \more -> if more then on else pure ()
    on = do
      Range p e <- range
      Scanned q () <- effect (scanner p e)
      moveTo q
      if q /= e then pure () else go
{-# NOINLINE skipOn #-}

acceptedBySkip :: String
acceptedBySkip = "a byte that skipWhile1 accepts"
{-# NOINLINE acceptedBySkip #-}

-- | 'skipWhile' of at least one byte. The error says that a byte was expected that @skipWhile1@
-- accepts: give it a better name with 'Ashlar.Get.<?>'.
skipWhile1 :: (Word8 -> Bool) -> Get ()
skipWhile1 f = guardedGet f (Expectation [acceptedBySkip]) (advance *> skipWhile f)
{-# INLINE skipWhile1 #-}

-- | Skip space, tab, line feed, vertical tab, form feed and carriage return.
skipSpace :: Get ()
skipSpace = skipWhile (\w -> w == 32 || w - 9 < 5)

-- | The bytes up to the first of which a predicate does not hold, or up to the end. There may be
-- none.
--
-- If the bytes lie in one chunk of the input, the result is a slice of it, which keeps the memory
-- of that chunk alive. Otherwise they are copied, in time proportional to their number.
--
-- >>> import qualified Ashlar.Get.Parse as P
-- >>> runGetRest (P.takeWhile (/= 32)) "GET /"
-- Right ("GET"," /")
takeWhile :: (Word8 -> Bool) -> Get ByteString
takeWhile f = takeScanned const () (\s p e -> whileScanner f s p e)
{-# INLINE takeWhile #-}

-- | 'takeWhile' of at least one byte. Fails if the predicate does not hold of the next one.
takeWhile1 :: (Word8 -> Bool) -> Get ByteString
takeWhile1 f = takeWhile f >>= \bs -> if S.null bs then refused acceptedByTake else pure bs
{-# INLINE takeWhile1 #-}

acceptedByTake :: String
acceptedByTake = "a byte that takeWhile1 accepts"
{-# NOINLINE acceptedByTake #-}

-- | The bytes up to the first of which a predicate holds, or up to the end. A slice or a copy, as
-- with 'takeWhile'.
takeTill :: (Word8 -> Bool) -> Get ByteString
takeTill f = takeWhile (not . f)
{-# INLINE takeTill #-}

-- | 'takeWhile' with a state: the bytes up to the first for which the function returns 'Nothing'. A
-- slice or a copy, as with 'takeWhile'.
--
-- >>> import qualified Ashlar.Get.Parse as P
-- >>> let close n = if n > 0 then Just (n - 1) else Nothing
-- >>> let nested n w = case w of { 40 -> Just (n + 1); 41 -> close n; _ -> Just (n :: Int) }
-- >>> runGetRest (P.scan 0 nested) "a(b)c)d"
-- Right ("a(b)c",")d")
scan :: s -> (s -> Word8 -> Maybe s) -> Get ByteString
scan s0 f = takeScanned const s0 (\s p e -> stateScanner f s p e)
{-# INLINE scan #-}

-- | 'scan', also returning the last state.
runScanner :: s -> (s -> Word8 -> Maybe s) -> Get (ByteString, s)
runScanner s0 f = takeScanned (,) s0 (\s p e -> stateScanner f s p e)
{-# INLINE runScanner #-}
