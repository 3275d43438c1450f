{-# LANGUAGE MagicHash #-}

-- |
-- Module      : Ashlar.Internal.Builder.Literal
-- Description : The bytes of string literals, without a String
--
-- Note [Literals]
-- ~~~~~~~~~~~~~~~
-- GHC keeps the bytes of a string literal in the program's memory, and @"abc"@ stands
-- for @unpackCString# "abc"#@, which makes a list of characters of them. For a builder
-- that is a detour: the bytes are what it writes. So for each function that takes a
-- string there are rules (in "Ashlar.Internal.Builder.Strings") that find the address of a
-- literal, and hand it to a function of this module.
--
-- * The bytes are UTF-8, but U+0000 is @C0 80@, since a zero byte ends the literal.
--   Where all characters are ASCII, and none is U+0000, the bytes can be copied. GHC
--   marks other literals by @unpackCStringUtf8#@, and these are searched for @C0 80@
--   while they are written. A surrogate has the three bytes that
--   'Ashlar.Builder.charUtf8' writes for it; @text@ replaces it by U+FFFD, which has
--   three bytes as well. (Whoever calls @unpackCString#@ by hand on bytes above 7F, which
--   GHC never does, gets these bytes.)
-- * A literal has several forms. From the beginning of the optimisation until phase 1 it
--   is @build (unpackFoldrCString# "abc"#)@, in case it meets a @foldr@. Rules for that
--   form find it before the compiler moves it out of the function around it, and so find
--   a @Text@, too. In phase 1 it is @unpackCString# "abc"#@ again, or
--   @unpackAppendCString# "abc"# rest@; these rules find literals that have names.
-- * The compiler knows the length. So a short literal is a write of fixed size, which is
--   merged with those beside it (Note [Fusing reservations] in "Ashlar.Internal.Builder.Core"),
--   and is a few moves of words.
-- * A literal that stands alone is a call of 'copyLiteral', and takes ten terms of Core.
--   To write it in place takes a hundred: then a row of a table with three of them runs
--   twice as fast, but a module of 3,000 takes five times as long to compile.
-- * The moves are unfolded in phase 0 and no sooner. A reservation is simplified anew
--   with each that it is merged with. Unfolded sooner, long rows of literals take twice as
--   long to compile.
--
-- The group "literals" of the tests compares all this with strings that are made at run
-- time, and the inspection tests ("string literals") look for them in Core.
module Ashlar.Internal.Builder.Literal
  ( asciiLiteral,
    utf8Literal,
    textLiteral,
    literal,
  )
where

import Ashlar.Internal.Builder.Bytes (copyBatches)
import Ashlar.Internal.Builder.Core
import Ashlar.Internal.Mem
import Ashlar.Internal.Mem.Cells
import Data.Word (Word8)
import Foreign.Ptr (Ptr, minusPtr, plusPtr)
import GHC.Exts (Addr#, Int (I#), Ptr (Ptr), cstringLength#, isTrue#, (<=#))

-- Every address below is that of a literal: its bytes stay readable for as long as the program
-- runs. Only the functions for marked literals read the zero byte that ends it.

-- | A literal in ASCII, without U+0000.
asciiLiteral :: Addr# -> Builder
asciiLiteral s = literal False (I# (cstringLength# s)) s
{-# INLINE [0] asciiLiteral #-}

-- | @n@ bytes that are always readable. The first argument says whether 'moves' may be used for
-- them.
literal :: Bool -> Int -> Addr# -> Builder
literal _ n s = called (copyLiteral s n)
{-# INLINE [0] literal #-}

-- | Call a builder with all its arguments. Without them it would be a partial
-- application, which is built when it is first needed.
called :: Builder -> Builder
called b = Builder (\c k st -> case b of Builder f -> f c k st)
{-# INLINE called #-}

-- A short literal beside a reservation, or beside another short literal, becomes a
-- reservation, and "ensure/ensure" takes over.
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
-- Where the length is known, what is left of this is the loads and stores for it.
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

-- | A literal.
utf8Literal :: Addr# -> Builder
utf8Literal s = markedLiteral False (I# (cstringLength# s)) s
{-# INLINE [0] utf8Literal #-}

-- | A literal, with U+FFFD in place of each surrogate, as in a @Text@.
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
          -- Other bytes in place of those of this character.
          instead other len skipped = do
            copyUpTo p
            runOn (copyLiteral other len) c k
            let next = p `plusPtr` skipped
            go next next
   in go (Ptr s) (Ptr s)
{-# NOINLINE copyMarked #-}
