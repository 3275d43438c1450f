{-# LANGUAGE MagicHash #-}
{-# LANGUAGE UnboxedSums #-}
{-# LANGUAGE UnboxedTuples #-}
-- No eta-expansion: Note [Rules for decoders] in "Ashlar.Internal.Get.Core".
{-# OPTIONS_GHC -fno-do-lambda-eta-expansion #-}
-- A loop around foreign calls allocates nothing: Note [Foreign copies] in "Ashlar.Internal.Mem".
{-# OPTIONS_GHC -fno-omit-yields #-}

-- |
-- Module      : Ashlar.Internal.Get.NextByte
-- Description : Decoders that look at the next byte
--
-- Single bytes, literals, and choices that the next byte decides. These never go back, so they keep
-- no input. The exception is a literal in more than one chunk, which is kept while it is compared.
module Ashlar.Internal.Get.NextByte
  ( -- * One byte
    word8,
    notWord8,
    anyWord8,
    satisfy,
    satisfyWith,
    peekWord8,
    peekWord8',

    -- * Literals
    bytes,
    optionBytes,
    endOfLine,

    -- * Choosing by the next byte
    switch,
    optionIf,
    manyWhile,
    skipManyWhile,

    -- * For other modules
    nextCode,
    refused,
  )
where

import Ashlar.Internal.Get.Bytes (available, ifReadsNothing, satisfy, skip)
import Ashlar.Internal.Get.Choice (lookAhead)
import Ashlar.Internal.Get.Core
import Ashlar.Internal.Get.Env
import Ashlar.Internal.Get.Error (hexAndText)
import Ashlar.Internal.Get.Fail
import Ashlar.Internal.Get.Numbers (getWord8)
import Ashlar.Internal.Mem (maxForeignCopy, peekHost, withBytesQuick)
import Ashlar.Internal.Mem.Cells
import Ashlar.Internal.Mem.Check (unsafeIndex)
import Ashlar.Internal.Prim.Bulk (sameBytes)
import Data.Bits (Bits, xor, (.|.))
import Data.ByteString (ByteString)
import qualified Data.ByteString as S
import Data.ByteString.Internal (packChars)
import Data.Word (Word16, Word32, Word64, Word8)
import Foreign.Ptr (minusPtr, plusPtr)
import Foreign.Storable (Storable)
import GHC.Exts
  ( Addr#,
    Int (I#),
    Ptr (Ptr),
    RealWorld,
    State#,
    build,
    cstringLength#,
    unpackFoldrCString#,
  )
import Numeric (showHex)

-- | This byte.
word8 :: Word8 -> Get Word8
word8 w = guardedGet (== w) (Expectation [nameOf w]) (w <$ advance)
{-# INLINE word8 #-}

-- | Any byte but this one.
notWord8 :: Word8 -> Get Word8
notWord8 w = guardedGet (/= w) (Expectation ["a byte other than " ++ nameOf w]) takeByte
{-# INLINE notWord8 #-}

-- | 'getWord8', by the name that attoparsec gives it.
anyWord8 :: Get Word8
anyWord8 = getWord8
{-# INLINE anyWord8 #-}

-- | What a function makes of the next byte, if a predicate holds of that.
--
-- >>> import qualified Ashlar.Get.Parse as P
-- >>> runGet (P.satisfyWith (subtract 48) (<= 9)) "7"
-- Right 7
satisfyWith :: (Word8 -> a) -> (a -> Bool) -> Get a
satisfyWith change f = guardedGet (f . change) (Expectation [acceptedByWith]) (change <$> takeByte)
{-# INLINE satisfyWith #-}

acceptedByWith :: String
acceptedByWith = "a byte that satisfyWith accepts"
{-# NOINLINE acceptedByWith #-}

-- | Fail, because the next byte is refused, or because the input ends here.
refused ::
  -- | A name for what was expected.
  String ->
  Get a
refused name = nextCode >>= \i -> if i < 0 then missing 1 0 else expected name 1
{-# NOINLINE refused #-}

nameOf :: Word8 -> String
nameOf w
  | w >= 32 && w < 127 = show (toEnum (fromIntegral w) :: Char)
  | otherwise = "byte 0x" ++ (if w < 16 then "0" else "") ++ showHex w ""
{-# NOINLINE nameOf #-}

-- | The next byte, which is not read. 'Nothing' at the end of the input.
peekWord8 :: Get (Maybe Word8)
peekWord8 = (\i -> if i < 0 then Nothing else Just (fromIntegral i)) <$> nextCode
{-# INLINE peekWord8 #-}

-- | The next byte, which is not read. Fails at the end of the input.
peekWord8' :: Get Word8
peekWord8' = need 1 *> inspect (\_ _ p -> peekHost p)
{-# INLINE peekWord8' #-}

-- | Exactly these bytes, which are also the result. If a byte of the input differs, the error is at
-- the first of the bytes, and no input after that byte is asked for. It shows at most 32 of the
-- bytes.
--
-- >>> import qualified Ashlar.Get.Parse as P
-- >>> runGet (P.bytes "HTTP/" *> getWord8) "HTTP/1"
-- Right 49
bytes :: ByteString -> Get ByteString
bytes s = s <$ readBytes s
{-# INLINE [1] bytes #-}

-- Note [Literals in a decoder]
-- ~~~~~~~~~~~~~~~~~~~~~~~~~~~~
-- GHC knows the length of a literal, whose bytes lie in the program's memory. So a literal of up to
-- 32 bytes is compared by a few loads of words, inline. A function that takes a string would have
-- to test its length each time, and has more arguments than fit into registers (benchmark "2000
-- literals of 18 bytes").
--
-- The rules match before phase 1. Until then, a literal is a list made by 'build'
-- (Note [Literals] in "Ashlar.Internal.Builder.Strings"), and 'packChars' is not yet unfolded. A
-- literal that is bound to a variable, or that has characters other than U+0001 to U+007F, is
-- compared as any other string. (Inspection test "keywords". Test "literals in the program".)
{-# RULES
"bytes/literal" [~1] forall s.
  bytes (packChars (build (unpackFoldrCString# s))) =
    literalBytes s (packChars (build (unpackFoldrCString# s)))
"optionBytes/literal" [~1] forall s.
  optionBytes (packChars (build (unpackFoldrCString# s))) =
    literalOption s (packChars (build (unpackFoldrCString# s)))
  #-}

-- 'bytes' of a literal, given its address and the same bytes as a string.
literalBytes :: Addr# -> ByteString -> Get ByteString
literalBytes a s = s <$ orElse a () (unequal s) (readBytes s)
{-# INLINE [1] literalBytes #-}

literalOption :: Addr# -> ByteString -> Get Bool
literalOption a s = orElse a True (unequalOption s) (readOption s)
{-# INLINE [1] literalOption #-}

-- Read a literal in place if it is short and the bytes of the input are at hand. Otherwise run
-- another decoder: the first if they are not or differ, the second for a long literal.
orElse :: Addr# -> r -> Get r -> Get r -> Get r
orElse a found other long
  | n <= 32 = inspect (matching (Ptr a) n) >>= \ok -> if ok then found <$ moveBy n else other
  | otherwise = long
  where
    n = I# (cstringLength# a)
{-# INLINE orElse #-}

readBytes :: ByteString -> Get ()
readBytes s = Get (readBytes# s)
{-# INLINE readBytes #-}

-- (A known function that takes all its arguments, so a call allocates nothing.)
readBytes# :: ByteString -> Addr# -> Cells -> Env -> State# RealWorld -> Result ()
readBytes# s p c env s0 = unGet (orSlowly () (unequal s) s) p c env s0
{-# NOINLINE readBytes# #-}

-- 'bytes' that are not at hand, or differ.
unequal :: ByteString -> Get ()
unequal s = Get (unequal# s)
{-# INLINE unequal #-}

-- Where nothing is recorded and all of the bytes are at hand, they differ, and there is nothing to
-- do. So an alternative that is not the one takes some nanoseconds. (Benchmark "five keywords".)
unequal# :: ByteString -> Addr# -> Cells -> Env -> State# RealWorld -> Result ()
unequal# s p c env s0 = unGet known p c env s0
  where
    known = do
      left <- available
      traced <- inspect (\cs _ _ -> isTraced cs)
      if left >= S.length s && not traced then failed else mismatched s
{-# NOINLINE unequal# #-}

-- Read these bytes if all of them are at hand. Otherwise run the slow decoder.
orSlowly :: r -> Get r -> ByteString -> Get r
orSlowly found slowly s =
  inspect (\c env p -> withBytesQuick s (\q n -> matching q n c env p)) >>= \ok ->
    if ok then found <$ moveBy (S.length s) else slowly
{-# INLINE orSlowly #-}

-- | Are exactly these bytes next? If so, read them. If not, read nothing. This fails only where
-- a budget of bytes ends and the input goes on. It does not ask for input after the first byte that
-- differs.
--
-- Unlike @'Control.Applicative.optional' ('bytes' s)@ it does not appear in errors of later
-- decoders.
--
-- >>> import qualified Ashlar.Get.Parse as P
-- >>> runGetRest (P.optionBytes "0x") "0xff"
-- Right (True,"ff")
-- >>> runGetRest (P.optionBytes "0x") "0y"
-- Right (False,"0y")
optionBytes :: ByteString -> Get Bool
optionBytes s = readOption s
{-# INLINE [1] optionBytes #-}

readOption :: ByteString -> Get Bool
readOption s = Get (readOption# s)
{-# INLINE readOption #-}

readOption# :: ByteString -> Addr# -> Cells -> Env -> State# RealWorld -> Result Bool
readOption# s p c env s0 = unGet (orSlowly True (unequalOption s) s) p c env s0
{-# NOINLINE readOption# #-}

-- 'unequal' for 'optionBytes', which records nothing in any run.
unequalOption :: ByteString -> Get Bool
unequalOption s = Get (unequalOption# s)
{-# INLINE unequalOption #-}

unequalOption# :: ByteString -> Addr# -> Cells -> Env -> State# RealWorld -> Result Bool
unequalOption# s p c env s0 = unGet known p c env s0
  where
    known = do
      left <- available
      if left >= S.length s
        then pure False
        else
          lookAhead (compared s) >>= \how -> case how of
            Same -> True <$ skip (S.length s)
            _ -> pure False
{-# NOINLINE unequalOption# #-}

-- Are the n bytes at an address, which must be readable, the next, and all of them at hand?
matching :: Ptr Word8 -> Int -> Cells -> Env -> Ptr Word8 -> IO Bool
matching q n c _ p = do
  e <- getPtr c endCell
  -- If so, n bytes of the input are readable.
  if e `minusPtr` p >= n then equal q p n else pure False
{-# INLINE matching #-}

-- Are the n bytes at two addresses the same? They must be readable at both. Up to 32 bytes are
-- compared as words, of which the last may overlap those before it, as in Note [Short copies].
equal :: Ptr Word8 -> Ptr Word8 -> Int -> IO Bool
equal a b n
  | n > 32 = equalLong a b n
  | n > 24 = nowhere ((.|.) <$> ends 0 8 <*> ends (n - 16) (n - 8))
  | n > 16 = nowhere ((.|.) <$> ends 0 8 <*> words64 (n - 8))
  | n >= 8 = nowhere (ends 0 (n - 8))
  | n >= 4 = nowhere ((.|.) <$> words32 0 <*> words32 (n - 4))
  | n >= 2 = nowhere ((.|.) <$> words16 0 <*> words16 (n - 2))
  | n == 1 = nowhere words8
  | otherwise = pure True
  where
    ends i j = (.|.) <$> words64 i <*> words64 j
    nowhere :: (Num w, Eq w) => IO w -> IO Bool
    nowhere = fmap (== 0)
    {-# INLINE nowhere #-}
    words64 = differs :: Int -> IO Word64
    words32 = differs :: Int -> IO Word32
    words16 = differs :: Int -> IO Word16
    words8 = differs 0 :: IO Word8
    differs :: (Storable w, Bits w) => Int -> IO w
    differs i = xor <$> peekHost (a `plusPtr` i) <*> peekHost (b `plusPtr` i)
    {-# INLINE differs #-}
{-# INLINE equal #-}

equalLong :: Ptr Word8 -> Ptr Word8 -> Int -> IO Bool
equalLong a b left
  | left <= n = sameBytes a b left
  | otherwise = do
    same <- sameBytes a b n
    if same then equalLong (a `plusPtr` n) (b `plusPtr` n) (left - n) else pure False
  where
    n = maxForeignCopy
{-# NOINLINE equalLong #-}

-- 'bytes' that are not at hand, or differ, or are cut off by the end of the input.
mismatched :: ByteString -> Get ()
mismatched s = do
  -- A look-ahead, because the error and the cursor must be at the first byte.
  how <- lookAhead (compared s)
  case how of
    Same -> skip (S.length s)
    Ended n -> missing (S.length s) n
    -- n does not depend on the chunks.
    Differs n -> expected (nameOfAll s) (n + 1)

-- The name of a literal in errors, also in hexadecimal if it is not all printable. If it has more
-- than 32 bytes, the name is a copy of the first 32, so that the others are not kept in memory.
nameOfAll :: ByteString -> String
nameOfAll s
  | S.length s <= 32 = shown s
  | otherwise = start `seq` (shown start ++ ".. (" ++ show (S.length s) ++ " bytes)")
  where
    start = S.copy (S.take 32 s)
    shown part
      | S.all isText part = show part
      | otherwise = hexAndText part
    -- ASCII, with tabs and ends of lines.
    isText w = w >= 32 && w < 127 || w == 9 || w == 10 || w == 13

-- Read bytes as long as they are equal to those of a string.
compared :: ByteString -> Get Compared
compared s = compareOn 0
  where
    compareOn at
      | at >= S.length s = pure Same
      | otherwise = switch (pure (Ended at)) $ \w ->
        if w == unsafeIndex s at then advance *> compareOn (at + 1) else pure (Differs at)

-- All bytes are the same, or the input ends or differs after that many equal bytes.
data Compared = Same | Ended !Int | Differs !Int

-- | A line feed, or carriage return and line feed.
endOfLine :: Get ()
endOfLine =
  guardedGet (\w -> w == 10 || w == 13) (Expectation ["the end of the line"]) takeByte >>= \w ->
    if w == 10 then pure () else () <$ word8 10
{-# INLINE endOfLine #-}

-- | Choose by the next byte, which is not read: @switch end f@ is @end@ at the end of the input,
-- and otherwise @f@ of the byte.
--
-- This never goes back, keeps no input, and does not appear in errors of later decoders.
--
-- >>> import qualified Ashlar.Get.Parse as P
-- >>> let digits = P.takeWhile (\w -> w >= 48 && w <= 57)
-- >>> let negative = getWord8 *> fmap ("minus " <>) digits
-- >>> let token = P.switch (pure "end") (\w -> if w == 45 then negative else digits)
-- >>> runGet token "-12"
-- Right "minus 12"
switch :: Get a -> (Word8 -> Get a) -> Get a
switch end f = nextCode >>= \i -> if i < 0 then end else f (fromIntegral i)
{-# INLINE switch #-}

-- | @optionIf f p@ is @p@ if the predicate holds of the next byte, else 'Nothing'.
--
-- >>> import qualified Ashlar.Get.Parse as P
-- >>> let hyphen = P.optionIf (== 45) getWord8
-- >>> runGet ((,) <$> hyphen <*> getWord8) "-1"
-- Right (Just 45,49)
-- >>> runGet ((,) <$> hyphen <*> getWord8) "1"
-- Right (Nothing,49)
optionIf :: (Word8 -> Bool) -> Get a -> Get (Maybe a)
optionIf f p = switch (pure Nothing) (\w -> if f w then Just <$> p else pure Nothing)
{-# INLINE optionIf #-}

-- | Values as long as a predicate holds of the next byte. Fails if one cannot be decoded, or reads
-- nothing.
--
-- >>> import qualified Ashlar.Get.Parse as P
-- >>> runGet (P.manyWhile (== 1) getWord16be) "\1\2\1\3\4"
-- Right [258,259]
manyWhile :: (Word8 -> Bool) -> Get a -> Get [a]
manyWhile f p = go []
  where
    go acc =
      nextCode >>= \i ->
        if i >= 0 && f (fromIntegral i)
          then readsSome "manyWhile" p >>= \a -> go (a : acc)
          else pure (reverse acc)
{-# INLINE manyWhile #-}

-- | 'manyWhile' without the values, in constant memory: run a decoder as long as a predicate holds
-- of the next byte.
--
-- >>> import qualified Ashlar.Get.Parse as Parse
-- >>> let comment = Parse.skipWhile (/= 10) *> Parse.word8 10
-- >>> runGetRest (Parse.skipManyWhile (== 35) comment) "#one\n#two\nthree"
-- Right ((),"three")
skipManyWhile :: (Word8 -> Bool) -> Get a -> Get ()
skipManyWhile f p = go
  where
    go = switch (pure ()) (\w -> if f w then readsSome "skipManyWhile" p *> go else pure ())
{-# INLINE skipManyWhile #-}

-- Run a decoder, and fail if it has read nothing.
readsSome :: String -> Get a -> Get a
readsSome name = ifReadsNothing (\_ -> invalid (name ++ ": an element that reads nothing"))
{-# INLINE readsSome #-}
