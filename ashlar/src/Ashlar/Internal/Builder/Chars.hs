-- |
-- Module      : Ashlar.Internal.Builder.Chars
-- Description : Builders for characters and strings of one byte each
module Ashlar.Internal.Builder.Chars
  ( char7,
    string7,
    char8,
    string8,

    -- * Other strings
    characters,
  )
where

import Ashlar.Internal.Builder.Core
import Ashlar.Internal.Builder.Prim
import Ashlar.Internal.Mem.Cells
import qualified Ashlar.Internal.Prim.Char as P
import Ashlar.Internal.Prim.Core
import Data.Word (Word8)
import Foreign.Ptr (Ptr, minusPtr)

-- See Note [Fusing reservations].
{-# RULES
"char7" [~0] forall c. char7 c = primStrict (toB P.char7) c
"char8" [~0] forall c. char8 c = primStrict (toB P.char8) c
  #-}

-- | A character of ASCII: the lowest 7 bits of its number.
char7 :: Char -> Builder
char7 c = primStrict (toB P.char7) c
{-# INLINE [0] char7 #-}

-- | A character of Latin-1 (ISO/IEC 8859-1): the lowest 8 bits of its number.
char8 :: Char -> Builder
char8 c = primStrict (toB P.char8) c
{-# INLINE [0] char8 #-}

-- | The characters of a string, each as by 'char7'. The string is forced as the
-- output gets there, and may be infinite.
--
-- >>> toStrictByteString (string7 "plain")
-- "plain"
string7 :: String -> Builder
string7 = characters (toB P.char7)

-- | The characters of a string, each as by 'char8'. The string is forced as the
-- output gets there, and may be infinite.
string8 :: String -> Builder
string8 = characters (toB P.char8)

-- Note [Strings]
-- ~~~~~~~~~~~~~~
-- The inner loop keeps nothing but the cursor. It saves on the stack what it keeps, for every
-- character, because evaluating the rest of the string may run any code. So it ends with the
-- buffer, and an outer loop asks for the next one. This is a little faster for one byte each, and a
-- quarter faster for UTF-8. To check for the end of the buffer once in four characters was not
-- faster: the time goes into following the list.

-- The rest of a string, and the address after what was written.
data Filled = Filled String !(Ptr Word8)

-- | The characters of a string, each by a primitive.
characters :: BoundedPrim Char -> String -> Builder
characters prim = \str -> action $ \c k ->
  let enter s = do
        p <- getPtr c cursorCell
        end <- getPtr c endCell
        Filled rest p' <- fill s p end
        putPtr c cursorCell p'
        case rest of
          [] -> pure ()
          _ -> reserve c k (sizeBound prim) >> enter rest
   in enter str
  where
    -- Write characters from this address up to that one, at most.
    fill str p end = case str of
      x : xs | end `minusPtr` p >= sizeBound prim -> do
        -- The bytes that the primitive may take are free.
        p' <- runB prim x p
        fill xs p' end
      _ -> pure (Filled str p)
{-# INLINE characters #-}
