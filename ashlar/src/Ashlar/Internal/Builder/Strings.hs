{-# LANGUAGE MagicHash #-}

-- |
-- Module      : Ashlar.Internal.Builder.Strings
-- Description : Builders for characters, strings and text in UTF-8
--
-- Literals of strings and texts are copied as bytes: Note [Literals] in
-- "Ashlar.Internal.Builder.Literal".
module Ashlar.Internal.Builder.Strings
  ( charUtf8,
    stringUtf8,
    textUtf8,
    lazyTextUtf8,
    textUnits,
    textChunkwise,
    char7,
    string7,
    char8,
    string8,

    -- * Other strings
    characters,
  )
where

import Ashlar.Internal.Builder.Batches
import Ashlar.Internal.Builder.Core
import Ashlar.Internal.Builder.Literal
import Ashlar.Internal.Builder.Numbers (primStrict)
import Ashlar.Internal.Mem.Cells
import Ashlar.Internal.Prim.Core
import qualified Ashlar.Internal.Prim.Text as Mem
import Ashlar.Internal.Prim.Utf8 (utf8Bound, utf8Write)
import qualified Ashlar.Internal.Prim.Utf8 as P
import qualified Data.Text as T
import qualified Data.Text.Lazy as TL
import Data.Word (Word8)
import Foreign.Ptr (Ptr, minusPtr, plusPtr)
import GHC.Base
  ( build,
    unpackAppendCString#,
    unpackAppendCStringUtf8#,
    unpackCString#,
    unpackCStringUtf8#,
    unpackFoldrCString#,
    unpackFoldrCStringUtf8#,
  )

-- | A character in UTF-8: 1 to 4 bytes. A surrogate is written as the three
-- bytes its number would have, as "Data.ByteString.Builder" does.
charUtf8 :: Char -> Builder
charUtf8 c = ensureAfter (evaluated c) utf8Bound (`utf8Write` c)
{-# INLINE [0] charUtf8 #-}

-- See Note [Fusing reservations].
{-# RULES
"charUtf8" [~0] forall c. charUtf8 c = ensureAfter (evaluated c) utf8Bound (`utf8Write` c)
  #-}

-- | The characters of a string in UTF-8. The string is forced as the output
-- gets there, and may be infinite. A literal is copied as bytes (with optimisation).
stringUtf8 :: String -> Builder
-- See Note [Strings] in "Ashlar.Internal.Builder.Strings".
stringUtf8 = characters P.charUtf8
{-# NOINLINE [0] stringUtf8 #-}

{-# RULES
"stringUtf8/empty" [~0] stringUtf8 [] = empty
"stringUtf8/ascii" [~0] forall s. stringUtf8 (unpackCString# s) = asciiLiteral s
"stringUtf8/utf8" [~0] forall s. stringUtf8 (unpackCStringUtf8# s) = utf8Literal s
"stringUtf8/build-ascii" [~0] forall s.
  stringUtf8 (build (unpackFoldrCString# s)) =
    asciiLiteral s
"stringUtf8/build-utf8" [~0] forall s.
  stringUtf8 (build (unpackFoldrCStringUtf8# s)) =
    utf8Literal s
"stringUtf8/append-ascii" [~0] forall s rest.
  stringUtf8 (unpackAppendCString# s rest) =
    asciiLiteral s `append` stringUtf8 rest
"stringUtf8/append-utf8" [~0] forall s rest.
  stringUtf8 (unpackAppendCStringUtf8# s rest) =
    utf8Literal s `append` stringUtf8 rest
  #-}

-- | A strict text in UTF-8, whatever the version of @text@ keeps in memory.
textUtf8 :: T.Text -> Builder
textUtf8 t = textUnits Mem.bytesPerUnit Mem.writeUtf8 t
{-# NOINLINE [0] textUtf8 #-}

-- | Write a text in batches.
textUnits ::
  -- | The most bytes of a unit.
  Int ->
  -- | @write p text off n@ writes @n@ units from unit @off@ on, and returns the number of bytes.
  (Ptr Word8 -> T.Text -> Int -> Int -> IO Int) ->
  T.Text ->
  Builder
textUnits perUnit write t = action $ \c k ->
  inBatches c k (Mem.lengthUnits t) one likely (Mem.unitsThatFit perUnit t) $ \p off n ->
    plusPtr p <$> write p t off n
  where
    likely = max one . Mem.bytesLikely
    one = Mem.bytesForOne perUnit
{-# INLINE textUnits #-}

-- | A lazy text in UTF-8. Its chunks are forced one by one, as the output gets
-- there.
lazyTextUtf8 :: TL.Text -> Builder
lazyTextUtf8 = textChunkwise textUtf8
{-# NOINLINE [0] lazyTextUtf8 #-}

-- | Each chunk by a builder, forced one by one.
textChunkwise :: (T.Text -> Builder) -> TL.Text -> Builder
textChunkwise f = TL.foldrChunks (\t rest -> f t `append` rest) empty
{-# INLINE textChunkwise #-}

{-# RULES
"textUtf8/build-ascii" [~0] forall s.
  textUtf8 (T.pack (build (unpackFoldrCString# s))) =
    asciiLiteral s
"textUtf8/build-utf8" [~0] forall s.
  textUtf8 (T.pack (build (unpackFoldrCStringUtf8# s))) =
    textLiteral s
"lazyTextUtf8/build-ascii" [~0] forall s.
  lazyTextUtf8 (TL.pack (build (unpackFoldrCString# s))) =
    asciiLiteral s
"lazyTextUtf8/build-utf8" [~0] forall s.
  lazyTextUtf8 (TL.pack (build (unpackFoldrCStringUtf8# s))) =
    textLiteral s
  #-}

-- Builders for characters and strings of one byte each.

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
