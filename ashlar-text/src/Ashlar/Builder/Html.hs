{-# LANGUAGE Trustworthy #-}

-- |
-- Module      : Ashlar.Builder.Html
-- Description : Text in an HTML document, in UTF-8
--
-- Text that is to stand between the tags of an HTML document, or in an attribute in
-- quotes. Characters that have a meaning in HTML are replaced (HTML Living Standard,
-- section 13.1.4):
--
-- > <    >    &     "      '
-- > &lt; &gt; &amp; &quot; &#39;
--
-- U+007F is left out, and so are U+0000 to U+001F except tab, line feed and
-- carriage return. All this is as in @Blaze.ByteString.Builder.Html.Utf8@. HTML
-- allows one of the characters that are left out, the form feed, and does not
-- allow U+0080 to U+009F, which are kept. Escaping does not make text safe inside
-- a script, a style, a comment or an address.
--
-- >>> :set -XOverloadedStrings
-- >>> import Ashlar.Builder.Html
-- >>> textHtmlUtf8 "if (a < b && c) \"ok\""
-- "if (a &lt; b &amp;&amp; c) &quot;ok&quot;"
module Ashlar.Builder.Html
  ( charHtmlUtf8,
    stringHtmlUtf8,
    textHtmlUtf8,
    lazyTextHtmlUtf8,
    byteStringHtmlUtf8,
    lazyByteStringHtmlUtf8,
    htmlEscaping,
  )
where

import Ashlar.Builder.Escape
import Ashlar.Internal.Builder.Core
import Ashlar.Internal.Builder.Loops ()
import Data.ByteString (ByteString)
import qualified Data.ByteString.Char8 as C
import qualified Data.ByteString.Lazy as L
import qualified Data.Text as T
import qualified Data.Text.Lazy as TL

-- | What is replaced, for the functions of "Ashlar.Builder.Escape".
htmlEscaping :: Escaping
htmlEscaping = escaping $ \w -> case w of
  0x3C -> Just (C.pack "&lt;")
  0x3E -> Just (C.pack "&gt;")
  0x26 -> Just (C.pack "&amp;")
  0x22 -> Just (C.pack "&quot;")
  0x27 -> Just (C.pack "&#39;")
  0x7F -> Just C.empty
  _
    | w >= 0x20 || w == 0x09 || w == 0x0A || w == 0x0D -> Nothing
    | otherwise -> Just C.empty
{-# NOINLINE htmlEscaping #-}

-- | A character: 0 to 6 bytes.
--
-- >>> foldMap charHtmlUtf8 "<\0>"
-- "&lt;&gt;"
charHtmlUtf8 :: Char -> Builder
charHtmlUtf8 c = charUtf8Escaped htmlEscaping c
{-# INLINE [0] charHtmlUtf8 #-}

-- See Note [Fusing reservations] in "Ashlar.Internal.Builder.Core".
{-# RULES
"charHtmlUtf8" [~0] forall c. charHtmlUtf8 c = charUtf8Escaped htmlEscaping c
  #-}

-- | The characters of a string. The string is forced as the output gets there, and
-- may be infinite.
stringHtmlUtf8 :: String -> Builder
stringHtmlUtf8 = stringUtf8Escaped htmlEscaping

-- | A strict text.
textHtmlUtf8 :: T.Text -> Builder
textHtmlUtf8 = textUtf8Escaped htmlEscaping

-- | A lazy text. Its chunks are forced one by one, as the output gets there.
lazyTextHtmlUtf8 :: TL.Text -> Builder
lazyTextHtmlUtf8 = lazyTextUtf8Escaped htmlEscaping

-- | Text that is UTF-8 already. That is not checked: bytes from 0x80 on are copied.
--
-- >>> byteStringHtmlUtf8 "\xC3\xA4 & \xC3\xB6"
-- "\195\164 &amp; \195\182"
byteStringHtmlUtf8 :: ByteString -> Builder
byteStringHtmlUtf8 = byteStringEscaped htmlEscaping

-- | Text that is UTF-8 already, chunk by chunk.
lazyByteStringHtmlUtf8 :: L.ByteString -> Builder
lazyByteStringHtmlUtf8 = lazyByteStringEscaped htmlEscaping
