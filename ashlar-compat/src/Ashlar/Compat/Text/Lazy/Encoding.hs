{-# LANGUAGE Trustworthy #-}

-- |
-- Module      : Ashlar.Compat.Text.Lazy.Encoding
-- Description : Data.Text.Lazy.Encoding, by import
--
-- Every name of "Data.Text.Lazy.Encoding", in the version of @text@ that is installed.
-- 'encodeUtf8Builder' and 'encodeUtf8BuilderEscaped' make builders of "Ashlar.Builder". Only the
-- line that imports it must change.
--
-- "Ashlar.Builder.Escape" has escapings that are looked up in a table, and are faster.
module Ashlar.Compat.Text.Lazy.Encoding
  ( module Data.Text.Lazy.Encoding,

    -- * Builders
    encodeUtf8Builder,
    encodeUtf8BuilderEscaped,
  )
where

import Ashlar.Internal.Builder.Core (Builder)
import Ashlar.Internal.Builder.Loops ()
import Ashlar.Internal.Builder.Strings (lazyTextUtf8, textChunkwise)
import Ashlar.Internal.Compat.Text
import Ashlar.Internal.Prim.Core (BoundedPrim)
import Data.Text.Lazy (Text)
import Data.Text.Lazy.Encoding hiding (encodeUtf8Builder, encodeUtf8BuilderEscaped)
import Data.Word (Word8)

-- | A lazy text in UTF-8: 'Ashlar.Builder.lazyTextUtf8'. Its chunks are forced one by one, as
-- the output gets there.
encodeUtf8Builder :: Text -> Builder
encodeUtf8Builder t = lazyTextUtf8 t
{-# INLINE encodeUtf8Builder #-}

-- | A lazy text in UTF-8. The primitive writes each ASCII character. All others are written as they
-- are. "Ashlar.Compat.Text.Encoding" has an example.
encodeUtf8BuilderEscaped :: BoundedPrim Word8 -> Text -> Builder
encodeUtf8BuilderEscaped prim = textChunkwise (textEscaped prim)
{-# INLINE encodeUtf8BuilderEscaped #-}
