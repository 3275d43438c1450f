{-# LANGUAGE MagicHash #-}

-- |
-- Module      : Ashlar.Internal.Builder.Strings
-- Description : Builders for characters, strings and text in UTF-8, and for literals
--
-- Literals of strings and texts are copied as bytes: Note [Literals].
module Ashlar.Internal.Builder.Strings
  ( charUtf8,
    stringUtf8,
    textUtf8,
    lazyTextUtf8,
    textUnits,
    textChunkwise,
    char7,
    string7,
    char8,
    string8,

    -- * Other strings
    characters,
    asciiLiteral,
    utf8Literal,
    literal,
  )
where

import Ashlar.Internal.Builder.Bytes (copyBatches, inBatches)
import Ashlar.Internal.Builder.Core
import Ashlar.Internal.Builder.Numbers (primStrict)
import Ashlar.Internal.Mem
import Ashlar.Internal.Mem.Cells
import Ashlar.Internal.Prim.Core
import qualified Ashlar.Internal.Prim.Text as Mem
import Ashlar.Internal.Prim.Utf8 (utf8Bound, utf8Write)
import qualified Ashlar.Internal.Prim.Utf8 as P
import qualified Data.Text as T
import qualified Data.Text.Lazy as TL
import Data.Word (Word8)
import Foreign.Ptr (Ptr, minusPtr, plusPtr)
import GHC.Base
  ( build,
    unpackAppendCString#,
    unpackAppendCStringUtf8#,
    unpackCString#,
    unpackCStringUtf8#,
    unpackFoldrCString#,
    unpackFoldrCStringUtf8#,
  )
import GHC.Exts (Addr#, Int (I#), Ptr (Ptr), cstringLength#, isTrue#, (<=#))

-- | A character in UTF-8: 1 to 4 bytes. A surrogate is written as the three
-- bytes its number would have, as "Data.ByteString.Builder" does.
charUtf8 :: Char -> Builder
charUtf8 c = closed (ensureAfter (evaluated c) utf8Bound (`utf8Write` c))
{-# NOINLINE charUtf8 #-}

-- See Note [Fusing reservations] in "Ashlar.Internal.Builder.Core".
{-# RULES
"charUtf8" [2] forall c. charUtf8 c = ensureAfter (evaluated c) utf8Bound (`utf8Write` c)
  #-}

-- | The characters of a string in UTF-8. The string is forced as the output
-- gets there, and may be infinite. A literal is copied as bytes (with optimisation).
stringUtf8 :: String -> Builder
-- See Note [Strings].
stringUtf8 = characters P.charUtf8
{-# NOINLINE [0] stringUtf8 #-}

{-# RULES
"stringUtf8/empty" [~0] stringUtf8 [] = empty
"stringUtf8/ascii" [~0] forall s. stringUtf8 (unpackCString# s) = asciiLiteral s
"stringUtf8/utf8" [~0] forall s. stringUtf8 (unpackCStringUtf8# s) = utf8Literal s
"stringUtf8/build-ascii" [~0] forall s.
  stringUtf8 (build (unpackFoldrCString# s)) =
    asciiLiteral s
"stringUtf8/build-utf8" [~0] forall s.
  stringUtf8 (build (unpackFoldrCStringUtf8# s)) =
    utf8Literal s
"stringUtf8/append-ascii" [~0] forall s rest.
  stringUtf8 (unpackAppendCString# s rest) =
    asciiLiteral s `append` stringUtf8 rest
"stringUtf8/append-utf8" [~0] forall s rest.
  stringUtf8 (unpackAppendCStringUtf8# s rest) =
    utf8Literal s `append` stringUtf8 rest
  #-}

-- | A strict text in UTF-8, whatever encoding this version of @text@ has in memory.
textUtf8 :: T.Text -> Builder
textUtf8 t = textUnits Mem.bytesPerUnit Mem.writeUtf8 t
{-# NOINLINE [0] textUtf8 #-}

-- | Write a text in batches.
textUnits ::
  -- | The most bytes of a unit.
  Int ->
  -- | @write p text off n@ writes @n@ units from unit @off@ on, and returns the number of bytes.
  (Ptr Word8 -> T.Text -> Int -> Int -> IO Int) ->
  T.Text ->
  Builder
textUnits perUnit write t = action $ \c k ->
  inBatches c k (Mem.lengthUnits t) one likely (Mem.unitsThatFit perUnit t) $ \p off n ->
    plusPtr p <$> write p t off n
  where
    likely = max one . Mem.bytesLikely
    one = Mem.bytesForOne perUnit
{-# INLINE textUnits #-}

-- | A lazy text in UTF-8. Its chunks are forced one by one, as the output gets
-- there.
lazyTextUtf8 :: TL.Text -> Builder
lazyTextUtf8 = textChunkwise textUtf8
{-# NOINLINE [0] lazyTextUtf8 #-}

-- | Write each chunk with a builder. The chunks are forced one by one.
textChunkwise :: (T.Text -> Builder) -> TL.Text -> Builder
textChunkwise f = TL.foldrChunks (\t rest -> f t `append` rest) empty
{-# INLINE textChunkwise #-}

{-# RULES
"textUtf8/build-ascii" [~0] forall s.
  textUtf8 (T.pack (build (unpackFoldrCString# s))) =
    asciiLiteral s
"textUtf8/build-utf8" [~0] forall s.
  textUtf8 (T.pack (build (unpackFoldrCStringUtf8# s))) =
    textLiteral s
"lazyTextUtf8/build-ascii" [~0] forall s.
  lazyTextUtf8 (TL.pack (build (unpackFoldrCString# s))) =
    asciiLiteral s
"lazyTextUtf8/build-utf8" [~0] forall s.
  lazyTextUtf8 (TL.pack (build (unpackFoldrCStringUtf8# s))) =
    textLiteral s
  #-}

-- See Note [Fusing reservations].
{-# RULES
"char7" [2] forall c. char7 c = primStrict (toB P.char7) c
"char8" [2] forall c. char8 c = primStrict (toB P.char8) c
  #-}

-- | A character of ASCII: the lowest 7 bits of its number.
char7 :: Char -> Builder
char7 c = closed (primStrict (toB P.char7) c)
{-# NOINLINE char7 #-}

-- | A character of Latin-1 (ISO/IEC 8859-1): the lowest 8 bits of its number.
char8 :: Char -> Builder
char8 c = closed (primStrict (toB P.char8) c)
{-# NOINLINE char8 #-}

-- | The characters of a string, each as by 'char7'. The string is forced as the
-- output gets there, and may be infinite.
--
-- >>> toStrictByteString (string7 "plain")
-- "plain"
string7 :: String -> Builder
string7 = characters (toB P.char7)

-- | The characters of a string, each as by 'char8'. The string is forced as the
-- output gets there, and may be infinite.
string8 :: String -> Builder
string8 = characters (toB P.char8)

-- Note [Strings]
-- ~~~~~~~~~~~~~~
-- The inner loop saves its state on the stack for every character, because evaluating the rest of
-- the string may run any code. So it has little state: the cursor and the end. It stops at the end
-- of the buffer, and an outer loop asks for the next one. This is a little faster for one byte
-- each, and a quarter faster for UTF-8. Checking for the end of the buffer once in four characters
-- was not faster: the time goes into following the list.

-- What is left of a string, and the address after what was written.
data Filled = Filled String !(Ptr Word8)

-- | The characters of a string, each by a primitive.
characters :: BoundedPrim Char -> String -> Builder
characters prim = \str -> action $ \c k ->
  let enter s = do
        p <- getPtr c cursorCell
        end <- getPtr c endCell
        Filled rest p' <- fill s p end
        putPtr c cursorCell p'
        case rest of
          [] -> pure ()
          _ -> reserve c k (sizeBound prim) >> enter rest
   in enter str
  where
    -- Write as many characters as fit between the two addresses.
    fill str p end = case str of
      x : xs | end `minusPtr` p >= sizeBound prim -> do
        -- The bytes that the primitive may take are free.
        p' <- runB prim x p
        fill xs p' end
      _ -> pure (Filled str p)
{-# INLINE characters #-}

-- The bytes of string literals, without a String.
--
-- Note [Literals]
-- ~~~~~~~~~~~~~~~
-- GHC keeps the bytes of a string literal in the program's memory. @"abc"@ stands for
-- @unpackCString# "abc"#@, which makes a list of characters from them. A builder would turn that
-- list into the same bytes again. So for each function that takes a string there are rules that
-- find the address of a literal and copy its bytes.
--
-- 1. The bytes are UTF-8, but U+0000 is @C0 80@, since a zero byte ends the literal. If all
--    characters are ASCII and none is U+0000, the bytes can be copied. GHC marks other literals by
--    @unpackCStringUtf8#@, and these are searched for @C0 80@ while they are written. A surrogate
--    has the three bytes that 'charUtf8' writes for it; @text@ replaces it by U+FFFD, which has
--    three bytes as well. (Whoever calls @unpackCString#@ by hand on bytes above 7F, which GHC
--    never does, gets these bytes.)
-- 2. A literal changes its form. From the beginning of the optimisation until phase 1 it is
--    @build (unpackFoldrCString# "abc"#)@, in case it meets a @foldr@. Rules for that form find it
--    before GHC moves it out of the function around it, and so find the literal of a @Text@, too.
--    In phase 1 it is @unpackCString# "abc"#@ again, or @unpackAppendCString# "abc"# rest@. Rules
--    for these forms find literals that have names.
-- 3. GHC knows the length. So a short literal is a write of fixed size, a few moves of words. It is
--    merged with its neighbours (Note [Fusing reservations] in "Ashlar.Internal.Builder.Core").
-- 4. A literal that stands alone is a call of 'copyLiteral', and takes ten terms of Core. Writing
--    it in place takes a hundred: then a row of a table with three of them runs twice as fast, but
--    a module of 3,000 takes five times as long to compile.
-- 5. The moves are unfolded in phase 0 and no sooner. A reservation is simplified anew with each
--    that it is merged with. If the moves were unfolded sooner, long rows of literals would take
--    twice as long to compile.
--
-- The group "literals" of the tests compares literals with strings that are made at run time, and
-- the inspection tests ("string literals") look for them in Core.

-- Every address below is that of a literal: its bytes stay readable while the program runs. Only
-- the functions for marked literals read the zero byte that ends it.

-- | A literal in ASCII, without U+0000.
asciiLiteral :: Addr# -> Builder
asciiLiteral s = literal False (I# (cstringLength# s)) s
{-# INLINE [0] asciiLiteral #-}

-- | @n@ bytes that are always readable. The first argument says whether rules may write them with
-- 'moves'.
literal :: Bool -> Int -> Addr# -> Builder
literal _ n s = called (copyLiteral s n)
{-# INLINE [0] literal #-}

-- | Call a builder with all its arguments. Without them it would be a partial
-- application, which is built when it is first needed.
called :: Builder -> Builder
called b = Builder (\c k st -> case b of Builder f -> f c k st)
{-# INLINE called #-}

-- A short literal beside a reservation, or beside another short literal, becomes a reservation.
-- Then the rule "ensure/ensure" merges the two.
{-# RULES
"asciiLiteral" [~0] forall s.
  asciiLiteral s =
    literal (isTrue# (cstringLength# s <=# 32#)) (I# (cstringLength# s)) s
"literal/literal" [~0] forall m s n t.
  append (literal True (I# m) s) (literal True (I# n) t) =
    append (ensure (I# m) (moves s (I# m))) (ensure (I# n) (moves t (I# n)))
"literal/literal/rest" [~0] forall m s n t rest.
  append (literal True (I# m) s) (append (literal True (I# n) t) rest) =
    append (ensure (I# m) (moves s (I# m))) (append (ensure (I# n) (moves t (I# n))) rest)
"literal/ensure" [~0] forall m s d n g.
  append (literal True (I# m) s) (ensureAfter d (I# n) g) =
    append (ensure (I# m) (moves s (I# m))) (ensureAfter d (I# n) g)
"literal/ensure/rest" [~0] forall m s d n g rest.
  append (literal True (I# m) s) (append (ensureAfter d (I# n) g) rest) =
    append (ensure (I# m) (moves s (I# m))) (append (ensureAfter d (I# n) g) rest)
"ensure/literal" [~0] forall d m f n t.
  append (ensureAfter d (I# m) f) (literal True (I# n) t) =
    append (ensureAfter d (I# m) f) (ensure (I# n) (moves t (I# n)))
"ensure/literal/rest" [~0] forall d m f n t rest.
  append (ensureAfter d (I# m) f) (append (literal True (I# n) t) rest) =
    append (ensureAfter d (I# m) f) (append (ensure (I# n) (moves t (I# n))) rest)
  #-}

-- | Write a literal of at most 32 bytes, which must be free.
--
-- If GHC knows the length, only the loads and stores for that length are left.
moves :: Addr# -> Int -> Ptr Word8 -> IO (Ptr Word8)
moves s n p = do
  copyMedium p (Ptr s) n
  pure (p `plusPtr` n)
{-# INLINE [0] moves #-}

-- | The first @n@ bytes of a literal.
copyLiteral :: Addr# -> Int -> Builder
copyLiteral s n = action $ \c k -> do
  p <- getPtr c cursorCell
  e <- getPtr c endCell
  if n <= 32 && e `minusPtr` p >= n
    then do
      copyMedium p (Ptr s) n
      putPtr c cursorCell (p `plusPtr` n)
    else copyBatches c k n (\dst off len -> copyRange dst (Ptr s `plusPtr` off) len)
{-# NOINLINE copyLiteral #-}

-- | A literal in UTF-8, in which U+0000 is @C0 80@.
utf8Literal :: Addr# -> Builder
utf8Literal s = markedLiteral False (I# (cstringLength# s)) s
{-# INLINE [0] utf8Literal #-}

-- | 'utf8Literal', with U+FFFD in place of each surrogate, as in a @Text@.
textLiteral :: Addr# -> Builder
textLiteral s = markedLiteral True (I# (cstringLength# s)) s
{-# INLINE [0] textLiteral #-}

-- | A literal of @n@ bytes. The first argument says whether surrogates are
-- replaced.
markedLiteral :: Bool -> Int -> Addr# -> Builder
markedLiteral replace n s = called (copyMarked replace n s)
{-# INLINE [0] markedLiteral #-}

-- Only rules see the length as a constant: cstringLength# is unfolded in phase 0.
{-# RULES
"utf8Literal" [~0] forall s. utf8Literal s = markedLiteral False (I# (cstringLength# s)) s
"textLiteral" [~0] forall s. textLiteral s = markedLiteral True (I# (cstringLength# s)) s
  #-}

-- | 'markedLiteral', out of line.
copyMarked :: Bool -> Int -> Addr# -> Builder
copyMarked replace n s = action $ \c k ->
  let end = Ptr s `plusPtr` n
      -- What lies between the two addresses is to be copied as it is.
      go :: Ptr Word8 -> Ptr Word8 -> IO ()
      go from@(Ptr a) p
        | p >= end = copyUpTo end
        | otherwise = do
          x <- peekHost p :: IO Word8
          -- At the last byte, this is the zero after it.
          y <- peekHost (p `plusPtr` 1) :: IO Word8
          case x of
            -- Its two bytes are in the literal: the zero after the literal is no 0x80.
            0xC0 | y == 0x80 -> instead "\0"# 1 2
            0xED
              | replace && y >= 0xA0 && end `minusPtr` p >= 3 -> instead "\xEF\xBF\xBD"# 3 3
            _ -> go from (p `plusPtr` 1)
        where
          copyUpTo to = runOn (copyLiteral a (to `minusPtr` from)) c k
          -- Write other bytes in place of those of this character.
          instead other len skipped = do
            copyUpTo p
            runOn (copyLiteral other len) c k
            let next = p `plusPtr` skipped
            go next next
   in go (Ptr s) (Ptr s)
{-# NOINLINE copyMarked #-}
