{-# LANGUAGE OverloadedStrings #-}
{-# LANGUAGE Trustworthy #-}

-- |
-- Module      : Ashlar.Builder.Escape
-- Description : Text in which characters are replaced: JSON, HTML and the like
--
-- Builders that write text in UTF-8 and replace some ASCII characters by short strings. An
-- 'Escaping' says which. This module has that of JSON, "Ashlar.Builder.Html" that of HTML.
-- 'escaping' makes others.
--
-- >>> :set -XOverloadedStrings
-- >>> import Ashlar.Builder
-- >>> import Ashlar.Builder.Escape
-- >>> let csv = escaping (\w -> if w == 34 then Just "\"\"" else Nothing)
-- >>> toStrictByteString (char7 '"' <> stringUtf8Escaped csv "6\" nails" <> char7 '"')
-- "\"6\"\" nails\""
--
-- Each character costs one table look-up, whatever is replaced. Characters above 127 cannot be
-- replaced: they are written as they are. So are bytes above 127 in 'byteStringEscaped'.
--
-- >>> toStrictByteString (stringUtf8Escaped csv "\233")
-- "\195\169"
module Ashlar.Builder.Escape
  ( -- * What is replaced
    Escaping,
    escaping,
    jsonEscaping,

    -- * Builders
    charUtf8Escaped,
    textUtf8Escaped,
    lazyTextUtf8Escaped,
    stringUtf8Escaped,
    byteStringEscaped,
    lazyByteStringEscaped,
  )
where

import Ashlar.Internal.Builder.Bytes (chunkwise, eachFits, inBatches)
import Ashlar.Internal.Builder.Core
import Ashlar.Internal.Builder.Loops ()
import Ashlar.Internal.Builder.Strings (textChunkwise, textUnits)
import Ashlar.Internal.Mem (peekHost, withBytesQuick)
import qualified Ashlar.Internal.Prim.Text as Mem
import Ashlar.Internal.Prim.Utf8
import Data.ByteString (ByteString)
import qualified Data.ByteString as S
import qualified Data.ByteString.Char8 as C
import qualified Data.ByteString.Lazy as L (ByteString)
import Data.Char (ord)
import qualified Data.Text as T
import qualified Data.Text.Lazy as TL
import Data.Word (Word8)
import Foreign.Ptr (Ptr, minusPtr, plusPtr)
import Numeric (showHex)

-- | What JSON requires in a string (RFC 8259, section 7): quotation mark, backslash and control
-- characters are replaced by two characters if JSON has such a form, else by @\\u00XX@.
--
-- >>> toStrictByteString (stringUtf8Escaped jsonEscaping "a\"b\n\SOH")
-- "a\\\"b\\n\\u0001"
jsonEscaping :: Escaping
jsonEscaping = escaping $ \w -> case w of
  0x22 -> Just "\\\""
  0x5C -> Just "\\\\"
  0x08 -> Just "\\b"
  0x09 -> Just "\\t"
  0x0A -> Just "\\n"
  0x0C -> Just "\\f"
  0x0D -> Just "\\r"
  _
    | w < 0x20 -> Just (C.pack ("\\u00" ++ (if w < 0x10 then "0" else "") ++ showHex w ""))
    | otherwise -> Nothing
{-# NOINLINE jsonEscaping #-}

-- | A character in UTF-8, or what replaces it: at most 7 bytes.
charUtf8Escaped :: Escaping -> Char -> Builder
charUtf8Escaped escapes x = ensure escapeBound (escapeOrUtf8 escapes x)
{-# INLINE [0] charUtf8Escaped #-}

-- See Note [Fusing reservations] in "Ashlar.Internal.Builder.Core".
{-# RULES
"charUtf8Escaped" [~0] forall escapes x.
  charUtf8Escaped escapes x =
    ensure escapeBound (escapeOrUtf8 escapes x)
  #-}

-- escapeBound is more than utf8Bound.
escapeOrUtf8 :: Escaping -> Char -> Ptr Word8 -> IO (Ptr Word8)
escapeOrUtf8 escapes x p
  | x < '\x80' = escapeWrite escapes p (fromIntegral (ord x))
  | otherwise = utf8Write p x

-- | A strict text in UTF-8, with characters replaced.
--
-- >>> textUtf8Escaped jsonEscaping "C:\\temp\t1"
-- "C:\\\\temp\\t1"
textUtf8Escaped :: Escaping -> T.Text -> Builder
textUtf8Escaped escapes = textUnits escapeBound (Mem.writeEscaped escapes)

-- | A lazy text in UTF-8, with characters replaced. Its chunks are forced one by one,
-- as the output gets there.
lazyTextUtf8Escaped :: Escaping -> TL.Text -> Builder
lazyTextUtf8Escaped escapes = textChunkwise (textUtf8Escaped escapes)

-- | A string in UTF-8, with characters replaced. It is forced as the output gets
-- there, and may be infinite.
stringUtf8Escaped :: Escaping -> String -> Builder
stringUtf8Escaped escapes = foldr (append . charUtf8Escaped escapes) empty

-- | The bytes of a strict 'ByteString'. Those below 128 are replaced as the escaping says, the
-- others are written as they are. For text that is in UTF-8 already, or in another superset of
-- ASCII.
byteStringEscaped :: Escaping -> ByteString -> Builder
byteStringEscaped escapes bs = action $ \c k ->
  inBatches c k total escapeBound (const escapeBound) fitting $ \p off n ->
    -- n bytes of the string, and space for n replacements.
    withBytesQuick bs (\src _ -> each (src `plusPtr` off) (src `plusPtr` (off + n)) p)
  where
    total = S.length bs
    fitting = eachFits total total escapeBound
    each src end p
      | end `minusPtr` src >= 8 = do
        w <- peekHost src
        escapeEight escapes p w >>= each (src `plusPtr` 8) end
      | src < end = peekHost src >>= escapeWrite escapes p >>= each (src `plusPtr` 1) end
      | otherwise = pure p

-- | The bytes of a lazy 'L.ByteString', chunk by chunk, as by 'byteStringEscaped'.
lazyByteStringEscaped :: Escaping -> L.ByteString -> Builder
lazyByteStringEscaped escapes = chunkwise (byteStringEscaped escapes)
