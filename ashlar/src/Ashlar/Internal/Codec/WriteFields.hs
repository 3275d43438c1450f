{-# LANGUAGE MagicHash #-}
{-# LANGUAGE UnboxedTuples #-}
-- Unfoldings must not be eta-expanded: see Note [Generic methods].
{-# OPTIONS_GHC -fno-do-lambda-eta-expansion #-}

-- |
-- Module      : Ashlar.Internal.Codec.WriteFields
-- Description : Spans of fields of constant size, written with one check
--
-- The compiler assembles the writer of a constructor while it inlines a derived instance. It goes
-- from the last field to the first: what it knows of the fields after a field decides about that
-- field, so no code is there twice.
module Ashlar.Internal.Codec.WriteFields
  ( Writing,
    Rest,
    Write,
    Apart (..),
    noFields,
    constantBefore,
    variableBefore,
    tagBefore,
    mapWriting,
    written,
    putShared,
    writeSpan,
  )
where

import Ashlar.Internal.Builder.Core
import Ashlar.Internal.Codec.Fixed
import Data.Word (Word8)
import Foreign.Ptr (plusPtr)
import GHC.Exts
  ( Addr#,
    Int (I#),
    Int#,
    Ptr (Ptr),
    RealWorld,
    State#,
    negateInt#,
    plusAddr#,
    (+#),
    (<=#),
  )
import GHC.IO (IO (..), unIO)

-- | How the last fields of a constructor are written, as a function of these fields and of what is
-- before them:
--
-- * The bytes of the first span: all fields before the first one of variable size. They do not
--   depend on the value, so the compiler sees where the checks are.
--   'Ashlar.Internal.Codec.Class.Width' says why the number is unboxed.
-- * The writer. Its arguments are what is written before the span, the fields of the span that are
--   before these, as a number of bytes and a function that writes them, and then the fields.
data Writing rest f = Writing Int# ((rest -> rest) -> Int# -> Write -> f)

-- | How a span is written, given its end.
type Write = Addr# -> State# RealWorld -> (# State# RealWorld, () #)

-- | What is written: a builder, or one span if all fields have constant size.
--
-- Tried and dropped: a function in place of 'Span', or no constructor for what is not there. GHC
-- 9.6.6 replaces an unused argument by a placeholder. If the argument is a function that returns a
-- state, as builders are, it panics ("expectOnly: cgLit"). Derived instances of types with
-- parameters met this.
class Rest rest where
  noRest :: rest

  -- | Write n bytes with a function, before the rest.
  spanOf :: Int -> Write -> rest -> rest

  before :: Builder -> rest -> rest

instance Rest Builder where
  noRest = empty
  {-# INLINE noRest #-}
  spanOf n write rest = append (ensureShared n (writtenTo n write)) rest
  {-# INLINE spanOf #-}
  before b rest = append b rest
  {-# INLINE before #-}

-- | A builder that has calls in place of the checks of free space.
newtype Apart = Apart {apart :: Builder}

instance Rest Apart where
  noRest = Apart empty
  {-# INLINE noRest #-}
  spanOf n write (Apart rest) = Apart (append (ensureApart n (writtenTo n write)) rest)
  {-# INLINE spanOf #-}
  before b (Apart rest) = Apart (append b rest)
  {-# INLINE before #-}

-- | One span, or none.
data Span = Span Write | NoSpan

instance Rest Span where
  noRest = NoSpan
  {-# INLINE noRest #-}
  spanOf _ write _ = Span write
  {-# INLINE spanOf #-}
  before _ _ = NoSpan
  {-# INLINE before #-}

-- Write n bytes from an address on.
writtenTo :: Int -> Write -> Ptr Word8 -> IO (Ptr Word8)
writtenTo (I# n) write (Ptr p) =
  let end = plusAddr# p n
   in IO (\s -> case write end s of (# s', _ #) -> (# s', Ptr end #))
{-# INLINE writtenTo #-}

-- | No fields.
noFields :: Rest rest => Writing rest rest
noFields = Writing 0# (\left n write -> left (spanEnd n write noRest))
{-# INLINE noFields #-}

-- The end of a span. It may have no bytes.
spanEnd :: Rest rest => Int# -> Write -> rest -> rest
spanEnd n write rest = case n of
  0# -> rest
  _ -> spanOf (I# n) write rest
{-# INLINE spanEnd #-}

nothing :: Write
nothing _ s = (# s, () #)
{-# INLINE nothing #-}

-- | A field of constant size before others.
constantBefore ::
  Rest rest =>
  -- | The most bytes written with one check.
  Int# ->
  Fixed a ->
  (x -> a) ->
  Writing rest f ->
  Writing rest (x -> f)
constantBefore most f field (Writing n go) = case fixedSize f of
  I# width -> case width +# n <=# most of
    1# -> Writing (width +# n) $ \left m write x ->
      go left (m +# width) (\end s -> case write end s of (# s', _ #) -> this x n end s')
    _ -> Writing width $ \left m write x ->
      go
        ( \rest ->
            left $
              spanOf
                (I# (m +# width))
                (\end s -> case write end s of (# s', _ #) -> this x 0# end s')
                rest
        )
        0#
        nothing
  where
    this x following end = case fixedSize f of
      I# width ->
        unIO (fixedWrite f (Ptr (plusAddr# end (negateInt# (width +# following)))) (field x))
    {-# INLINE this #-}
{-# INLINE constantBefore #-}

-- | The number of a constructor, before its fields, in one byte or two.
tagBefore :: Int -> Int -> Writing rest f -> Writing rest f
tagBefore (I# width) tag (Writing n go) = Writing (width +# n) $ \left m write ->
  go left (m +# width) $ \end s -> case write end s of
    (# s', _ #) -> unIO (writeTag (Ptr (plusAddr# end (negateInt# (width +# n))))) s'
  where
    writeTag p = case width of
      1# -> fixedWrite fixedWord8 p (fromIntegral tag)
      _ -> fixedWrite fixedWord16LE p (fromIntegral tag)
    {-# INLINE writeTag #-}
{-# INLINE tagBefore #-}

-- | A field of variable size before others.
variableBefore :: Rest rest => (x -> Builder) -> Writing rest f -> Writing rest (x -> f)
variableBefore field (Writing _ go) = Writing 0# $ \left m write x ->
  go (\rest -> left (spanEnd m write (before (field x) rest))) 0# nothing
{-# INLINE variableBefore #-}

-- | Take the fields in another form.
mapWriting :: (f -> g) -> Writing rest f -> Writing rest g
mapWriting h (Writing n go) = Writing n (\left m write -> h (go left m write))
{-# INLINE mapWriting #-}

-- | Write the fields.
written :: Writing rest f -> f
written (Writing _ go) = go (\rest -> rest) 0# nothing
{-# INLINE written #-}

-- | Write the first span to an address.
writeSpan :: Writing Span (x -> Span) -> x -> Ptr Word8 -> IO ()
writeSpan (Writing n go) x (Ptr p) = case go (\rest -> rest) 0# nothing x of
  Span write -> IO (write (plusAddr# p n))
  NoSpan -> pure ()
{-# INLINE writeSpan #-}

-- | 'putFixed' without copies of its code, for large formats.
putShared :: Fixed a -> a -> Builder
putShared f x = ensureShared (fixedSize f) (\p -> (p `plusPtr` fixedSize f) <$ fixedWrite f p x)
{-# INLINE putShared #-}
