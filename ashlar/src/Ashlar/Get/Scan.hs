{-# LANGUAGE BangPatterns #-}

-- |
-- Module      : Ashlar.Get.Scan
-- Description : Decoders that look at one byte after another
--
-- What all parsers of text are made of: taking and skipping bytes as long as a
-- predicate holds, and choosing by the next byte. None of it goes back, so none of it
-- installs a handler or keeps input.
--
-- Note [Scanning chunks]
-- ~~~~~~~~~~~~~~~~~~~~~~
-- A scanner looks at a stretch of memory, with its address in a register, and
-- returns where it stopped. If that is before the end of the chunk, the
-- result is a slice, and all is done in code without a call. Else the rest is
-- out of line: the slices of all chunks are put in a list, and copied together once,
-- at the end. So a token that comes in many small chunks takes time in proportion
-- to its length. (Test "a token in many chunks".)
--
-- The loop has the end as a free variable. So it belongs to the code around it, and the
-- compiler makes it a jump, and what follows a part of it. With the end as an
-- argument it becomes a function of the module, which is called, and returns its
-- results in a box (GHC before 9.4). The two copies of the loop, one for the first chunk
-- and one for all others, are given the predicate each: with one copy behind a function
-- that is passed, each byte costs a call and a box.
module Ashlar.Get.Scan
  ( -- * Taking
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

    -- * One byte
    word8,
    notWord8,
    anyWord8,
    satisfy,
    satisfyWith,
    peekWord8,
    peekWord8',

    -- * Literals
    bytes,
    endOfLine,

    -- * Choosing by the next byte
    switch,
    optionIf,
    manyWhile,

    -- * For other modules
    Scanned (..),
    takeScanned,
    byteScanner,
    nextCode,
  )
where

import Ashlar.Get.Alternative (lookAhead)
import Ashlar.Get.Bytes (skip, slice)
import Ashlar.Get.Core
import Ashlar.Get.Env
import Ashlar.Get.Input
import Ashlar.Get.Mismatch
import Ashlar.Get.Numbers (getWord8)
import Ashlar.Get.Progress
import Ashlar.Mem (peekHost, withBytesQuick)
import Ashlar.Mem.Cells
import Data.ByteString (ByteString)
import qualified Data.ByteString as S
import qualified Data.ByteString.Unsafe as S
import Data.Word (Word8)
import Foreign.C.Types (CInt (..), CSize (..))
import Foreign.Ptr (Ptr, minusPtr, nullPtr, plusPtr)
import GHC.IO (IO (..))
import Numeric (showHex)
import Prelude hiding (takeWhile)

-- | Where a scanner stopped: the address of the first byte that it does not want,
-- or the end; and its state there.
data Scanned s = Scanned !(Ptr Word8) s

-- | Take the bytes that a scanner wants, which is given its state and the range of
-- addresses to look at. It must stop inside the range, or at its end.
takeScanned :: (ByteString -> s -> r) -> s -> (s -> Ptr Word8 -> Ptr Word8 -> IO (Scanned s)) -> Get r
takeScanned result s0 scanner = step $ \c env -> do
  p <- getPtr c cursorCell
  e <- getPtr c endCell
  Scanned q s <- scanner s0 p e
  if q /= e
    then (\bs -> result bs s) <$> slice c env (q `minusPtr` p)
    else takeOn c env scanner s >>= \(Pieces bs s') -> pure (result bs s')
{-# INLINE takeScanned #-}

data Pieces s = Pieces !ByteString s

-- The scanner wants all up to the end of the open segment.
takeOn :: Cells -> Env -> (s -> Ptr Word8 -> Ptr Word8 -> IO (Scanned s)) -> s -> IO (Pieces s)
takeOn c env scanner = whole []
  where
    whole acc s = do
      p <- getPtr c cursorCell
      e <- getPtr c endCell
      acc' <- takePiece acc (e `minusPtr` p)
      more <- moreInput c (envInput env)
      if more
        then do
          p' <- getPtr c cursorCell
          e' <- getPtr c endCell
          Scanned q s' <- scanner s p' e'
          if q /= e' then (`finish` s') <$> takePiece acc' (q `minusPtr` p') else whole acc' s'
        else pure (finish acc' s)
    takePiece acc n
      | n > 0 = (: acc) <$> slice c env n
      | otherwise = pure acc
    finish acc = Pieces (S.concat (reverse acc))
{-# NOINLINE takeOn #-}

-- A scanner that wants bytes of which a predicate holds.
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

-- | A scanner that wants all bytes but one.
byteScanner :: Word8 -> s -> Ptr Word8 -> Ptr Word8 -> IO (Scanned s)
byteScanner w s = go
  where
    go p e
      | p == e = pure (Scanned e s)
      | otherwise = do
          -- See Note [Foreign copies] for the size of a piece.
          let n = min 65536 (e `minusPtr` p)
          found <- memchr p (fromIntegral w) (fromIntegral n)
          if found == nullPtr then go (p `plusPtr` n) e else pure (Scanned found s)

foreign import ccall unsafe "string.h memchr"
  memchr :: Ptr Word8 -> CInt -> CSize -> IO (Ptr Word8)

foreign import ccall unsafe "string.h memcmp"
  memcmp :: Ptr Word8 -> Ptr Word8 -> CSize -> IO CInt

-- | The longest run of bytes of which a predicate holds; it may be empty.
--
-- Where they lie in one chunk of the input, the result is a slice of it, which
-- keeps that chunk's memory alive. Else they are copied together, in time in
-- proportion to their number.
--
-- >>> import qualified Ashlar.Get.Parse as P
-- >>> runGetRest (P.takeWhile (/= 32)) "GET /"
-- Right ("GET"," /")
--
-- @since 0.1.0.0
takeWhile :: (Word8 -> Bool) -> Get ByteString
takeWhile f = takeScanned const () (\s p e -> whileScanner f s p e)
{-# INLINE takeWhile #-}

-- | 'takeWhile' of at least one byte: it fails where the predicate does not hold of
-- the next one.
--
-- @since 0.1.0.0
takeWhile1 :: (Word8 -> Bool) -> Get ByteString
takeWhile1 f = takeWhile f >>= \bs -> if S.null bs then refused else pure bs
{-# INLINE takeWhile1 #-}

-- Fail at the next byte, which is not wanted, or at the end of the input.
refused :: Get a
refused = nextCode >>= \i -> if i < 0 then missing 1 0 else unexpected 1

-- | The bytes up to the first of which a predicate holds, or up to the end.
--
-- @since 0.1.0.0
takeTill :: (Word8 -> Bool) -> Get ByteString
takeTill f = takeWhile (not . f)
{-# INLINE takeTill #-}

-- | The bytes up to the first that is this one, or up to the end. Long stretches
-- are searched faster than by @'takeTill' (== w)@, short ones slower.
--
-- @since 0.1.0.0
takeTillByte :: Word8 -> Get ByteString
takeTillByte w = takeScanned const () (byteScanner w)

-- | 'takeWhile' with a state: the bytes up to the one for which the function
-- returns 'Nothing'.
--
-- >>> import qualified Ashlar.Get.Parse as P
-- >>> let nested n w = case w of { 40 -> Just (n + 1); 41 -> if n > 0 then Just (n - 1) else Nothing; _ -> Just (n :: Int) }
-- >>> runGetRest (P.scan 0 nested) "a(b)c)d"
-- Right ("a(b)c",")d")
--
-- @since 0.1.0.0
scan :: s -> (s -> Word8 -> Maybe s) -> Get ByteString
scan s0 f = takeScanned const s0 (\s p e -> stateScanner f s p e)
{-# INLINE scan #-}

-- | 'scan', also returning the last state.
--
-- @since 0.1.0.0
runScanner :: s -> (s -> Word8 -> Maybe s) -> Get (ByteString, s)
runScanner s0 f = takeScanned (,) s0 (\s p e -> stateScanner f s p e)
{-# INLINE runScanner #-}

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

-- | Leave out bytes as long as a predicate holds.
--
-- @since 0.1.0.0
skipWhile :: (Word8 -> Bool) -> Get ()
skipWhile f = step $ \c env -> do
  p <- getPtr c cursorCell
  e <- getPtr c endCell
  Scanned q () <- whileScanner f () p e
  putPtr c cursorCell q
  if q /= e then pure () else skipOn c env (\p' e' -> whileScanner f () p' e')
{-# INLINE skipWhile #-}

-- The scanner wanted all up to the end of the open segment, where the cursor is.
skipOn :: Cells -> Env -> (Ptr Word8 -> Ptr Word8 -> IO (Scanned ())) -> IO ()
skipOn c env scanner = go
  where
    go = do
      more <- moreInput c (envInput env)
      if more
        then do
          p <- getPtr c cursorCell
          e <- getPtr c endCell
          Scanned q () <- scanner p e
          putPtr c cursorCell q
          if q /= e then pure () else go
        else pure ()
{-# NOINLINE skipOn #-}

-- | 'skipWhile' of at least one byte.
--
-- @since 0.1.0.0
skipWhile1 :: (Word8 -> Bool) -> Get ()
skipWhile1 f = satisfy f *> skipWhile f
{-# INLINE skipWhile1 #-}

-- | Leave out space, tab, line feed, vertical tab, form feed and carriage return.
--
-- @since 0.1.0.0
skipSpace :: Get ()
skipSpace = skipWhile (\w -> w == 32 || w - 9 < 5)

-- | This byte.
--
-- @since 0.1.0.0
word8 :: Word8 -> Get Word8
word8 w = matching id (== w) (expected (nameOf w) 1)
{-# INLINE word8 #-}

-- | Any byte but this one.
--
-- @since 0.1.0.0
notWord8 :: Word8 -> Get Word8
notWord8 w = matching id (/= w) (expected ("a byte other than " ++ nameOf w) 1)
{-# INLINE notWord8 #-}

-- | 'getWord8', by the name that attoparsec gives it.
--
-- @since 0.1.0.0
anyWord8 :: Get Word8
anyWord8 = getWord8
{-# INLINE anyWord8 #-}

-- | A byte of which a predicate holds.
--
-- @since 0.1.0.0
satisfy :: (Word8 -> Bool) -> Get Word8
satisfy f = matching id f (unexpected 1)
{-# INLINE satisfy #-}

-- | A byte, changed by a function, if a predicate then holds of it.
--
-- @since 0.1.0.0
satisfyWith :: (Word8 -> a) -> (a -> Bool) -> Get a
satisfyWith change f = matching change f (unexpected 1)
{-# INLINE satisfyWith #-}

-- A byte that is read only if all is well with it.
matching :: (Word8 -> a) -> (a -> Bool) -> Get a -> Get a
matching change f (Get refuse) = step $ \c env -> do
  p <- need c env 1
  a <- change <$> peekHost p
  if f a then a <$ putPtr c cursorCell (p `plusPtr` 1) else IO (refuse c env)
{-# INLINE matching #-}

-- Move the cursor over a byte that is there.
advance :: Get ()
advance = step $ \c _ -> do
  p <- getPtr c cursorCell
  putPtr c cursorCell (p `plusPtr` 1)
{-# INLINE advance #-}

-- A byte's name in errors.
nameOf :: Word8 -> String
nameOf w
  | w >= 32 && w < 127 = show (toEnum (fromIntegral w) :: Char)
  | otherwise = "byte 0x" ++ (if w < 16 then "0" else "") ++ showHex w ""
{-# NOINLINE nameOf #-}

-- | The next byte, which is not read; 'Nothing' at the end of the input.
--
-- @since 0.1.0.0
peekWord8 :: Get (Maybe Word8)
peekWord8 = (\i -> if i < 0 then Nothing else Just (fromIntegral i)) <$> nextCode
{-# INLINE peekWord8 #-}

-- | The next byte, which is not read. Fails at the end of the input.
--
-- @since 0.1.0.0
peekWord8' :: Get Word8
peekWord8' = step (\c env -> need c env 1 >>= peekHost)
{-# INLINE peekWord8' #-}

-- | The next byte as a number, or -1 at the end of the input.
nextCode :: Get Int
nextCode = step $ \c env -> do
  p <- getPtr c cursorCell
  e <- getPtr c endCell
  if p /= e then codeAt p else codeOn c env
{-# INLINE nextCode #-}

codeAt :: Ptr Word8 -> IO Int
codeAt p = (fromIntegral :: Word8 -> Int) <$> peekHost p
{-# INLINE codeAt #-}

codeOn :: Cells -> Env -> IO Int
codeOn c env = do
  more <- moreInput c (envInput env)
  if more then getPtr c cursorCell >>= codeAt else pure (-1)
{-# NOINLINE codeOn #-}

-- | Exactly these bytes, which are also the result. It fails at the first of them if any
-- is different, without asking for input behind that one.
--
-- >>> import qualified Ashlar.Get.Parse as P
-- >>> runGet (P.bytes "HTTP/" *> getWord8) "HTTP/1"
-- Right 49
--
-- @since 0.1.0.0
bytes :: ByteString -> Get ByteString
bytes s = (\ok -> if ok then pure s else mismatched s) =<< step quick
  where
    n = S.length s
    -- All of it is there, and the same.
    quick c _ = do
      p <- getPtr c cursorCell
      e <- getPtr c endCell
      if e `minusPtr` p < n
        then pure False
        else do
          same <- equal s p n
          if same then True <$ putPtr c cursorCell (p `plusPtr` n) else pure False

-- Are the first bytes of a string those at an address? So many must be readable at both.
equal :: ByteString -> Ptr Word8 -> Int -> IO Bool
equal s p n = withBytesQuick s (\q _ -> go q p n)
  where
    go a b left
      | left <= 65536 = (== 0) <$> memcmp a b (fromIntegral left)
      | otherwise = do
          r <- memcmp a b 65536
          if r == 0 then go (a `plusPtr` 65536) (b `plusPtr` 65536) (left - 65536) else pure False

-- It is different, or lies in several chunks, or the input ends before.
mismatched :: ByteString -> Get ByteString
mismatched s = do
  -- It goes back, so that the error is at the first byte, and so is the cursor.
  compared <- lookAhead (compareOn 0)
  case compared of
    Same -> s <$ skip (S.length s)
    Ended n -> missing (S.length s) n
    -- How many bytes are the same is known whatever the chunks.
    Differs n -> expected (show s) (n + 1)
  where
    compareOn at
      | at >= S.length s = pure Same
      | otherwise = switch (pure (Ended at)) $ \w ->
          if w == S.unsafeIndex s at then advance *> compareOn (at + 1) else pure (Differs at)

data Compared = Same | Ended !Int | Differs !Int

-- | A line feed, or carriage return and line feed.
--
-- @since 0.1.0.0
endOfLine :: Get ()
endOfLine = satisfy (\w -> w == 10 || w == 13) >>= \w -> if w == 10 then pure () else () <$ word8 10
{-# INLINE endOfLine #-}

-- | Choose by the next byte, which is not read: @switch end f@ is @end@ at the end
-- of the input, and else @f@ of the byte. There is no going back: what the byte
-- decides is decided.
--
-- Where it can take the place of 'Control.Applicative.<|>' it is some ten times faster.
--
-- >>> import qualified Ashlar.Get.Parse as P
-- >>> let digits = P.takeWhile (\w -> w >= 48 && w <= 57)
-- >>> let token = P.switch (pure "end") (\w -> if w == 45 then getWord8 *> fmap ("minus " <>) digits else digits)
-- >>> runGet token "-12"
-- Right "minus 12"
--
-- @since 0.1.0.0
switch :: Get a -> (Word8 -> Get a) -> Get a
switch end f = nextCode >>= \i -> if i < 0 then end else f (fromIntegral i)
{-# INLINE switch #-}

-- | @optionIf f p@ is @p@ if the predicate holds of the next byte, else 'Nothing'.
--
-- @since 0.1.0.0
optionIf :: (Word8 -> Bool) -> Get a -> Get (Maybe a)
optionIf f p = switch (pure Nothing) (\w -> if f w then Just <$> p else pure Nothing)
{-# INLINE optionIf #-}

-- | Values as long as a predicate holds of the next byte. If one cannot be decoded,
-- or reads nothing, this fails.
--
-- >>> import qualified Ashlar.Get.Parse as P
-- >>> runGet (P.manyWhile (== 1) getWord16be) "\1\2\1\3\4"
-- Right [258,259]
--
-- @since 0.1.0.0
manyWhile :: (Word8 -> Bool) -> Get a -> Get [a]
manyWhile f p = go []
  where
    go acc = nextCode >>= \i ->
      if i >= 0 && f (fromIntegral i)
        then do
          before <- here
          a <- p
          after <- here
          if after == before then invalid "manyWhile: an element that reads nothing" else go (a : acc)
        else pure (reverse acc)
{-# INLINE manyWhile #-}
