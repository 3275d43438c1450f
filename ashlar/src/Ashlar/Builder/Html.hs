-- |
-- Module      : Ashlar.Builder.Html
-- Description : Text in an HTML document, in UTF-8
--
-- Text that is to stand between the tags of an HTML document, or in an attribute in
-- quotes. The characters that HTML would take for its own are replaced:
--
-- > <    >    &     "      '
-- > &lt; &gt; &amp; &quot; &#39;
--
-- Control characters are left out (U+0000 to U+001F but for tab, line feed and
-- carriage return; U+007F), because HTML does not allow them. All this is as in
-- @Blaze.ByteString.Builder.Html.Utf8@. It does not make text safe inside a
-- script, a style, a comment or an address.
--
-- >>> textHtmlUtf8 "if (a < b && c) \"ok\""
-- "if (a &lt; b &amp;&amp; c) &quot;ok&quot;"
module Ashlar.Builder.Html
  ( charHtmlUtf8,
    stringHtmlUtf8,
    textHtmlUtf8,
    lazyTextHtmlUtf8,
    byteStringHtmlUtf8,
    lazyByteStringHtmlUtf8,
  )
where

import Ashlar.Builder.Core
import Ashlar.Builder.Primitive
import Ashlar.Mem
import Ashlar.Mem.Cells
import qualified Ashlar.Mem.Text as Mem
import Ashlar.Prim.Bounded
import Ashlar.Prim.Html (escapeBound, escapes, mayEscape, writeEscape)
import qualified Ashlar.Prim.Html as P
import Data.ByteString (ByteString)
import qualified Data.ByteString as S
import qualified Data.ByteString.Lazy as L (ByteString)
import qualified Data.ByteString.Lazy.Internal as L (foldrChunks)
import qualified Data.Text as T
import qualified Data.Text.Lazy as TL
import Data.Word (Word8)
import Foreign.Ptr (Ptr, minusPtr, plusPtr)

-- | A character: 0 to 6 bytes.
--
-- >>> foldMap charHtmlUtf8 "<\0>"
-- "&lt;&gt;"
--
-- @since 0.1.0.0
charHtmlUtf8 :: Char -> Builder
charHtmlUtf8 c = primBounded P.charHtmlUtf8 c
{-# INLINE [0] charHtmlUtf8 #-}

-- See Note [Fusing reservations].
{-# RULES
"charHtmlUtf8" [~0] forall c. charHtmlUtf8 c = primBounded P.charHtmlUtf8 c
  #-}

-- | The characters of a string. The string is forced as the output gets there, and
-- may be infinite.
--
-- @since 0.1.0.0
stringHtmlUtf8 :: String -> Builder
stringHtmlUtf8 str = action $ \c k ->
  -- The cursor stays in a register for as long as the buffer lasts.
  let enter s = do
        p <- getPtr c cursorCell
        e <- getPtr c endCell
        go s p e
      go [] p _ = putPtr c cursorCell p
      go (x : xs) p e
        | e `minusPtr` p >= bound = do
            p' <- runB P.charHtmlUtf8 x p
            go xs p' e
        | otherwise = do
            putPtr c cursorCell p
            _ <- reserve c k bound
            enter (x : xs)
      bound = sizeBound P.charHtmlUtf8
   in enter str

-- | A strict text.
--
-- @since 0.1.0.0
textHtmlUtf8 :: T.Text -> Builder
textHtmlUtf8 t = action $ \c k ->
  stretches c k (Mem.lengthUnits t) $ \p off n -> do
    let units = Mem.wholeUnits t off n
    Stretch units <$> Mem.writeEscaped mayEscape (writeEscape escapes) p t off units

-- | A lazy text. Its chunks are forced one by one, as the output gets there.
--
-- @since 0.1.0.0
lazyTextHtmlUtf8 :: TL.Text -> Builder
lazyTextHtmlUtf8 = TL.foldrChunks (\t rest -> textHtmlUtf8 t `append` rest) empty

-- | Text that is UTF-8 already. It is not checked to be: bytes from 0x80 on are
-- copied.
--
-- >>> byteStringHtmlUtf8 "\xC3\xA4 & \xC3\xB6"
-- "\195\164 &amp; \195\182"
--
-- @since 0.1.0.0
byteStringHtmlUtf8 :: ByteString -> Builder
byteStringHtmlUtf8 bs = action $ \c k ->
  stretches c k (S.length bs) $ \p off n ->
    -- Bytes of the string are read and nothing else; nothing here can throw.
    withBytesQuick bs $ \src _ ->
      Stretch n <$> copyEscaped mayEscape (writeEscape escapes) (peekHost . plusPtr src) (peekHost . plusPtr src) p off n

-- | Text that is UTF-8 already, chunk by chunk.
--
-- @since 0.1.0.0
lazyByteStringHtmlUtf8 :: L.ByteString -> Builder
lazyByteStringHtmlUtf8 = L.foldrChunks (\bs rest -> byteStringHtmlUtf8 bs `append` rest) empty

-- How many units of the input were written, and the address behind their bytes.
data Stretch = Stretch !Int !(Ptr Word8)

-- Write so many units of input, stretch by stretch. The function is given an address,
-- the offset of the next unit, and a number of units that it may write: for each, the room for
-- any character is there. It writes one at least.
stretches :: Cells -> Sink -> Int -> (Ptr Word8 -> Int -> Int -> IO Stretch) -> IO ()
stretches c k n step = go 0
  where
    go off
      | off >= n = pure ()
      | otherwise = do
          -- Two units, because two may be one character.
          p <- reserve c k (2 * escapeBound)
          e <- getPtr c endCell
          Stretch units p' <- step p off (min (n - off) ((e `minusPtr` p) `quot` escapeBound))
          putPtr c cursorCell p'
          go (off + units)
{-# INLINE stretches #-}
