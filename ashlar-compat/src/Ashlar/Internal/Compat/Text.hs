{-# LANGUAGE BangPatterns #-}

-- |
-- Module      : Ashlar.Internal.Compat.Text
-- Description : Text through a primitive, byte by byte
module Ashlar.Internal.Compat.Text
  ( textEscaped,
  )
where

import Ashlar.Internal.Builder.Core
import Ashlar.Internal.Mem.Cells
import Ashlar.Internal.Prim.Core
import Ashlar.Internal.Prim.Text (lengthUnits)
import Ashlar.Internal.Prim.Utf8 (utf8Write)
import Data.Char (ord)
import Data.Text (Text)
import qualified Data.Text as T
import Data.Text.Unsafe (Iter (..), iter)
import Data.Word (Word8)
import Foreign.Ptr (minusPtr)

-- | A text in UTF-8. The primitive writes each ASCII character. All others are written as
-- they are.
--
-- One check covers as many characters as surely fit into the free space. (A character is one
-- unit of the text's memory or more, and at most @bound@ bytes of output.)
textEscaped :: BoundedPrim Word8 -> Text -> Builder
textEscaped prim = \t -> action $ \c k ->
  let total = lengthUnits t
      go off
        | off >= total = pure ()
        | otherwise = do
          p <- reserveFor c k bound (max bound (total - off))
          e <- getPtr c endCell
          let stop = off + min (total - off) ((e `minusPtr` p) `quot` bound)
          each off stop p
      each !off !stop !p
        | off < stop = case character off of
          Iter x units -> do
            p' <- if x < '\x80' then runB prim (fromIntegral (ord x)) p else utf8Write p x
            each (off + units) stop p'
        | otherwise = putPtr c cursorCell p >> go off
      -- ('iter' reads the unit after one that begins a pair. With text 1.2 such a unit may be the
      -- last: text's rule for literals makes such a text of a string with a surrogate.)
      character off
        | off + 1 == total = Iter (T.last t) 1
        | otherwise = iter t off
   in go 0
  where
    -- No character takes more than 4 bytes in UTF-8.
    bound = max 4 (sizeBound prim)
{-# INLINE textEscaped #-}
