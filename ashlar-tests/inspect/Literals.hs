{-# LANGUAGE OverloadedStrings #-}
{-# OPTIONS_GHC -ddump-simpl -ddump-to-file -dsuppress-all -dsuppress-uniques #-}

-- |
-- Module      : Literals
-- Description : Literals whose Core the tests inspect
--
-- Nothing in this module may make a list of characters, or a @Text@, at run time. The tests search
-- all of its Core.
module Literals
  ( plain,
    notAscii,
    beside,
    between,
    twoOfThem,
    long,
    strictly,
    lazily,
    byHand,
    appended,
    named,
  )
where

import Ashlar.Builder
import qualified Data.Text as T
import Data.Word (Word32, Word8)
import LiteralTable (greeting)

-- | A literal that stands alone.
plain :: Builder
plain = "abc"

-- | U+0000, and characters of two to four bytes.
notAscii :: Builder
notAscii = stringUtf8 "a\0b\228\8364\120120"

-- | One reservation for the literal and its neighbours.
beside :: Word8 -> Word32 -> Builder
beside x y = word8 x <> "name" <> word32LE y

-- | One write for the literal and its neighbour, before an unknown builder.
between :: Builder -> Word8 -> Builder -> Builder
between a x b = a <> word8 x <> stringUtf8 "</td><td>" <> b

-- | Two adjacent literals.
twoOfThem :: Word8 -> Builder
twoOfThem x = ("<a>" <> "a string of thirty-two characters") <> word8 x

-- | Too long to be written in place.
long :: Word8 -> Builder
long x = word8 x <> "a string of more than thirty-two characters" <> word8 x

-- | A text inside of a function.
strictly :: Word8 -> Builder
strictly x = word8 x <> textUtf8 "text" <> textUtf8 "a\0b\228\8364\120120"

-- | The same, lazy.
lazily :: Word8 -> Builder
lazily x = word8 x <> lazyTextUtf8 "text" <> lazyTextUtf8 "a\0b\228\8364\120120"

-- | A text that is packed by hand.
byHand :: Word8 -> Builder
byHand x = word8 x <> textUtf8 (T.pack "text")

-- | Before another string.
appended :: String -> Builder
appended s = stringUtf8 ("text" ++ s) <> stringUtf8 ("\0" ++ s)

-- | A literal with a name, from another module.
named :: Word8 -> Builder
named x = word8 x <> stringUtf8 greeting <> word8 x
