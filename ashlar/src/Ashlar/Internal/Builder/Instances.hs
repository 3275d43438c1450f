{-# LANGUAGE TypeFamilies #-}
{-# OPTIONS_GHC -Wno-orphans #-}

-- |
-- Module      : Ashlar.Internal.Builder.Instances
-- Description : Instances of builders that need a way to run them
--
-- The type is below the modules that these instances need. So that nobody misses them,
-- every module that shows the type to users imports this one.
module Ashlar.Internal.Builder.Instances () where

import Ashlar.Internal.Builder.Core
import Ashlar.Internal.Builder.Lazy
import Ashlar.Internal.Builder.Loops (primMapListFixed)
import Ashlar.Internal.Builder.Strings (stringUtf8)
import qualified Ashlar.Internal.Prim.Binary as P
import qualified Data.ByteString.Lazy as L
import Data.String (IsString (..))
import Data.Word (Word8)
import GHC.Exts (IsList (..))

-- | A literal in UTF-8.
instance IsString Builder where
  fromString = stringUtf8
  {-# INLINE fromString #-}

-- | The bytes, as a string literal.
instance Show Builder where
  showsPrec d = showsPrec d . toLazyByteString

-- | The bytes, one by one.
instance IsList Builder where
  type Item Builder = Word8
  fromList = primMapListFixed P.word8
  toList = L.unpack . toLazyByteString
