{-# LANGUAGE Trustworthy #-}

-- |
-- Module      : Ashlar.Compat.Text.Encoding
-- Description : Data.Text.Encoding, by import
--
-- Every name of "Data.Text.Encoding", in the version of @text@ that is installed.
-- 'encodeUtf8Builder' and 'encodeUtf8BuilderEscaped' make builders of "Ashlar.Builder". Only
-- the line that imports it must change.
--
-- "Ashlar.Builder.Escape" has escapings that are looked up in a table, and are faster.
module Ashlar.Compat.Text.Encoding
  ( module Data.Text.Encoding,

    -- * Builders
    encodeUtf8Builder,
    encodeUtf8BuilderEscaped,
  )
where

import Ashlar.Internal.Builder.Core (Builder)
import Ashlar.Internal.Builder.Loops ()
import Ashlar.Internal.Builder.Strings (textUtf8)
import Ashlar.Internal.Compat.Text
import Ashlar.Internal.Prim.Core (BoundedPrim)
import Data.Text (Text)
import Data.Text.Encoding hiding (encodeUtf8Builder, encodeUtf8BuilderEscaped)
import Data.Word (Word8)

-- | A text in UTF-8: 'Ashlar.Builder.textUtf8'.
encodeUtf8Builder :: Text -> Builder
encodeUtf8Builder t = textUtf8 t
{-# INLINE encodeUtf8Builder #-}

-- | A text in UTF-8. The primitive writes each ASCII character. All others are written as
-- they are.
--
-- >>> import qualified Ashlar.Compat.Text.Encoding as T
-- >>> let pair = const ('\\', 'n') P.>$< P.liftFixedToBounded (P.char7 P.>*< P.char7)
-- >>> let newlines = P.condB (== 10) pair (P.liftFixedToBounded P.word8)
-- >>> toLazyByteString (T.encodeUtf8BuilderEscaped newlines "a\nb")
-- "a\\nb"
--
-- A primitive that copies bytes from 128 on can do the same to bytes that are UTF-8 already:
-- @'Ashlar.Builder.Prim.primMapByteStringBounded' p . 'encodeUtf8'@ writes what
-- @'encodeUtf8BuilderEscaped' p@ does.
encodeUtf8BuilderEscaped :: BoundedPrim Word8 -> Text -> Builder
encodeUtf8BuilderEscaped prim = textEscaped prim
{-# INLINE encodeUtf8BuilderEscaped #-}
