{-# LANGUAGE MagicHash #-}
{-# OPTIONS_GHC -Wno-orphans #-}

-- |
-- Module      : Ashlar.Internal.Builder.Constant
-- Description : ByteStrings that are literals
--
-- For GHC 9.6 and later. Its bytestring knows the address and the length of a literal when the
-- program is compiled, so rules treat @byteString "abc"@ as a literal, too: Note [Literals] in
-- "Ashlar.Internal.Builder.Strings". (Inspection tests "ByteStrings that are literals".)
module Ashlar.Internal.Builder.Constant () where

import Ashlar.Internal.Builder.Bytes
import Ashlar.Internal.Builder.Core (Builder)
import Ashlar.Internal.Builder.Strings (literal)
import Data.ByteString.Internal (ByteString (BS))
import GHC.Exts (Addr#, Int (I#), isTrue#, (<=#))
import GHC.ForeignPtr (ForeignPtr (ForeignPtr), ForeignPtrContents (FinalPtr))

-- The memory of a 'FinalPtr' is never freed. Rules need literals: 8191 is @copiedUpTo@, and 32 is
-- the most that 'literal' writes in place, by @copyMedium@.
{-# RULES
"byteString/literal" [~0] forall s n.
  byteString (BS (ForeignPtr s FinalPtr) (I# n)) =
    constant (isTrue# (n <=# 8191#)) (isTrue# (n <=# 32#)) (I# n) s
"constant/copied" [~0] forall fits n s. constant True fits n s = literal fits n s
  #-}

-- A constant string of @n@ bytes. The first argument says whether it is copied and not inserted,
-- the second whether 'literal' may write it in place. GHC knows both if it knows the length.
constant :: Bool -> Bool -> Int -> Addr# -> Builder
constant _ _ n s = chunk (BS (ForeignPtr s FinalPtr) n)
{-# INLINE [0] constant #-}
