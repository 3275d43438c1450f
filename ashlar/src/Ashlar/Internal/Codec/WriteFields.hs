{-# LANGUAGE MagicHash #-}
{-# LANGUAGE UnboxedTuples #-}
-- Unfoldings must not be eta-expanded: Note [Generic methods] in "Ashlar.Internal.Codec.Derive".
{-# OPTIONS_GHC -fno-do-lambda-eta-expansion #-}

-- |
-- Module      : Ashlar.Internal.Codec.WriteFields
-- Description : Spans of fields of constant size, written with one check
--
-- While GHC inlines a derived instance, these functions assemble the writer of a constructor, from
-- the last field to the first. How a field is written depends only on the fields after it, which
-- are known by then, so no code is there twice.
module Ashlar.Internal.Codec.WriteFields
  ( Writing,
    Output,
    Write,
    Apart (..),
    noFields,
    constantBefore,
    variableBefore,
    tagBefore,
    mapWriting,
    writeFields,
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

-- | How to write the last fields of a constructor.
--
-- The number is the size of their first span: all fields before the first one of variable size. It
-- does not depend on the value, so GHC sees where the checks are. It is unboxed: see
-- 'Ashlar.Internal.Codec.Class.Width'.
--
-- The function continues a writer. It takes a function that puts in front of an output what
-- precedes the span; the size of the span's earlier fields, and their writer; then the last fields.
data Writing out f = Writing Int# ((out -> out) -> Int# -> Write -> f)

-- | The writer of a span, given the address of its end.
type Write = Addr# -> State# RealWorld -> (# State# RealWorld, () #)

-- | What the writer of a constructor makes: a builder, or one span if all fields have constant
-- size.
--
-- Tried and dropped: a bare function in place of 'Span', and 'Span' without 'NoSpan'. GHC 9.6.6
-- replaces an unused argument by a placeholder, and panics ("expectOnly: cgLit") if the argument is
-- a function that returns a state, as builders are. Derived instances of types with parameters ran
-- into this.
class Output out where
  noOutput :: out

  -- | Put a span of n bytes in front.
  spanBefore :: Int -> Write -> out -> out

  builderBefore :: Builder -> out -> out

instance Output Builder where
  noOutput = empty
  {-# INLINE noOutput #-}
  spanBefore n write rest = append (ensureShared n (writeAt n write)) rest
  {-# INLINE spanBefore #-}
  builderBefore b rest = append b rest
  {-# INLINE builderBefore #-}

-- | A builder that checks free space by calls, not by inlined code.
newtype Apart = Apart {apart :: Builder}

instance Output Apart where
  noOutput = Apart empty
  {-# INLINE noOutput #-}
  spanBefore n write (Apart rest) = Apart (append (ensureApart n (writeAt n write)) rest)
  {-# INLINE spanBefore #-}
  builderBefore b (Apart rest) = Apart (append b rest)
  {-# INLINE builderBefore #-}

-- | One span, or none.
data Span = Span Write | NoSpan

instance Output Span where
  noOutput = NoSpan
  {-# INLINE noOutput #-}
  spanBefore _ write _ = Span write
  {-# INLINE spanBefore #-}
  builderBefore _ _ = NoSpan
  {-# INLINE builderBefore #-}

-- Write a span of n bytes at an address. Returns its end.
writeAt :: Int -> Write -> Ptr Word8 -> IO (Ptr Word8)
writeAt (I# n) write (Ptr p) =
  let end = plusAddr# p n
   in IO (\s -> case write end s of (# s', _ #) -> (# s', Ptr end #))
{-# INLINE writeAt #-}

-- | No fields.
noFields :: Output out => Writing out out
noFields = Writing 0# (\left n write -> left (spanUnlessEmpty n write noOutput))
{-# INLINE noFields #-}

-- Put a span in front, unless it has no bytes.
spanUnlessEmpty :: Output out => Int# -> Write -> out -> out
spanUnlessEmpty n write rest = case n of
  0# -> rest
  _ -> spanBefore (I# n) write rest
{-# INLINE spanUnlessEmpty #-}

nothing :: Write
nothing _ s = (# s, () #)
{-# INLINE nothing #-}

-- | Add a field of constant size before the others.
constantBefore ::
  Output out =>
  -- | The most bytes written with one check.
  Int# ->
  Fixed a ->
  (x -> a) ->
  Writing out f ->
  Writing out (x -> f)
constantBefore most f field (Writing n go) = case fixedSize f of
  I# width -> case width +# n <=# most of
    1# -> Writing (width +# n) $ \left m write x ->
      go left (m +# width) (\end s -> case write end s of (# s', _ #) -> this x n end s')
    _ -> Writing width $ \left m write x ->
      go
        ( \rest ->
            left $
              spanBefore
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

-- | Add the number of the constructor, in one byte or two, before its fields.
tagBefore :: Int -> Int -> Writing out f -> Writing out f
tagBefore (I# width) tag (Writing n go) = Writing (width +# n) $ \left m write ->
  go left (m +# width) $ \end s -> case write end s of
    (# s', _ #) -> unIO (writeTag (Ptr (plusAddr# end (negateInt# (width +# n))))) s'
  where
    writeTag p = case width of
      1# -> fixedWrite fixedWord8 p (fromIntegral tag)
      _ -> fixedWrite fixedWord16LE p (fromIntegral tag)
    {-# INLINE writeTag #-}
{-# INLINE tagBefore #-}

-- | Add a field of variable size before the others.
variableBefore :: Output out => (x -> Builder) -> Writing out f -> Writing out (x -> f)
variableBefore field (Writing _ go) = Writing 0# $ \left m write x ->
  go (\rest -> left (spanUnlessEmpty m write (builderBefore (field x) rest))) 0# nothing
{-# INLINE variableBefore #-}

-- | Take the fields in another form.
mapWriting :: (f -> g) -> Writing out f -> Writing out g
mapWriting h (Writing n go) = Writing n (\left m write -> h (go left m write))
{-# INLINE mapWriting #-}

-- | Write the fields.
writeFields :: Writing out f -> f
writeFields (Writing _ go) = go (\rest -> rest) 0# nothing
{-# INLINE writeFields #-}

-- | Write the first span to an address.
writeSpan :: Writing Span (x -> Span) -> x -> Ptr Word8 -> IO ()
writeSpan (Writing n go) x (Ptr p) = case go (\rest -> rest) 0# nothing x of
  Span write -> IO (write (plusAddr# p n))
  NoSpan -> pure ()
{-# INLINE writeSpan #-}

-- | 'putFixed' for large formats, whose code must not be copied: see 'ensureShared'.
putShared :: Fixed a -> a -> Builder
putShared f x = ensureShared (fixedSize f) (\p -> (p `plusPtr` fixedSize f) <$ fixedWrite f p x)
{-# INLINE putShared #-}
