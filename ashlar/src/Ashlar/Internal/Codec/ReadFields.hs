{-# LANGUAGE MagicHash #-}
{-# LANGUAGE UnboxedSums #-}
{-# LANGUAGE UnboxedTuples #-}

-- |
-- Module      : Ashlar.Internal.Codec.ReadFields
-- Description : Spans of fields of constant size, read with one check
--
-- While GHC inlines a derived instance, these functions assemble the reader of a constructor, from
-- the last field to the first. So they know before each span of fields of constant size how many
-- bytes it takes.
module Ashlar.Internal.Codec.ReadFields
  ( Reading,
    constantFirst,
    variableFirst,
    mapReading,
    readSpan,
    readFields,
    readFieldsApart,
    getNamed,
    getPart,
    getFieldSpan,
    amongElements,
    atElement,
    getElement,
    partsOf,
  )
where

import Ashlar.Internal.Codec.Fixed
import Ashlar.Internal.Get.Budget
import Ashlar.Internal.Get.Core
import Ashlar.Internal.Get.Env
import Ashlar.Internal.Get.Fail
import Ashlar.Internal.Get.Input (demand)
import Ashlar.Internal.Get.Path
import Ashlar.Internal.Mem.Cells
import Data.Word (Word8)
import Foreign.Ptr (nullPtr, plusPtr)
import GHC.Exts
  ( Int (I#),
    Int#,
    Ptr (Ptr),
    RealWorld,
    State#,
    andI#,
    negateInt#,
    (+#),
    (==#),
    (>#),
  )
import GHC.IO (unIO)

-- | The reader of the last fields of a constructor. 'Ashlar.Internal.Codec.Class.Width' says why
-- the numbers are unboxed.
data Reading b a = Reading
  { -- | Are checks calls (1) or inlined (0)?
    readingCalls :: Int#,
    -- | Has one of the fields variable size (1) or none of them (0)?
    readingVariable :: Int#,
    -- | The bytes of the first span: all fields before the first one of variable size.
    readingSpan :: Int#,
    -- | The number of fields.
    readingCount :: Int#,
    -- | The fields as errors show them.
    readingParts :: [Part],
    -- | The reader, given the function to apply to the fields, and the end of the first span. The
    -- span has been demanded, and the cursor is before it. The end may be null if the span has no
    -- bytes. Before a field of variable size, the reader moves the cursor past the span. After the
    -- last span, its caller does.
    readingGet :: b -> Ptr Word8 -> Get a
  }

-- The reader of no fields. It forces the value.
finished :: Int# -> Reading a a
finished calls = Reading calls 0# 0# 0# [] $ \x _ ->
  Get (\p _ _ s -> x `seq` (# s, p, (# x | #) #))
{-# INLINE finished #-}

-- | Add a field of constant size before the others. The function makes the field's representation.
constantFirst :: Fixed x -> (x -> y) -> Reading b a -> Reading (y -> b) a
constantFirst f back after = case fixedSize f of
  -- 'plusSize' cuts off a sum that is too large, and then the check of the span fails. This happens
  -- in a type that contains itself in tuples: the sum rises with each level, and the input chooses
  -- the number of levels.
  I# width
    | I# total <- plusSize (I# width) (I# (readingSpan after)) ->
      after
        { readingSpan = total,
          readingCount = readingCount after +# 1#,
          readingParts = ConstantPart (I# width) (fixedNames f) : readingParts after,
          readingGet =
            refusedIf (isCutOff (I# total)) $
              nothingLeftIf (total ==# 0#) (readingCount after) $
                fieldAt f back total $
                  movedIf
                    (readingVariable after `andI#` (readingSpan after ==# 0#) `andI#` (width ># 0#))
                    (readingGet after)
        }
{-# INLINE constantFirst #-}

-- If the flag is set, fail: the size of the span has been cut off, so the fields would be read at
-- wrong offsets.
refusedIf :: Bool -> (b -> Ptr Word8 -> Get a) -> b -> Ptr Word8 -> Get a
refusedIf it rest = if it then \_ _ -> invalid cutOffMessage else rest
{-# INLINE refusedIf #-}

-- A field that begins n bytes before the end of its span.
fieldAt ::
  Fixed x ->
  (x -> y) ->
  Int# ->
  (b -> Ptr Word8 -> Get a) ->
  (y -> b) ->
  Ptr Word8 ->
  Get a
fieldAt f back before rest = \build end -> Get $ \p0 c env s0 ->
  let next# x p s = x `seq` unGet (rest (build (back x)) end) p c env s
      {-# NOINLINE [0] next# #-}
   in case unGet (fixedRead f (end `plusPtr` I# (negateInt# before))) p0 c env s0 of
        (# s1, p1, (# x | #) #) -> next# x p1 s1
        (# s1, p1, (# | _ #) #) -> (# s1, p1, (# | (##) #) #)
{-# INLINE fieldAt #-}

-- If the flag is 1, this field and those after it in the span have no bytes, so they share one
-- offset. Errors find a field by its offset, so the reader stores the number of fields after it. A
-- null end means that the whole span has no bytes: it ends at the cursor.
nothingLeftIf :: Int# -> Int# -> (b -> Ptr Word8 -> Get a) -> b -> Ptr Word8 -> Get a
nothingLeftIf it count rest = case it of
  0# -> rest
  _ -> \build end -> Get $ \p0 c env s0 -> case partNext c (I# count) s0 of
    (# s1, _ #)
      | end == nullPtr -> unGet (rest build (Ptr p0)) p0 c env s1
      | otherwise -> unGet (rest build end) p0 c env s1
{-# INLINE nothingLeftIf #-}

-- If the flag is 1, move the cursor to the end of the span first: the last field with bytes has
-- been read.
movedIf :: Int# -> (b -> Ptr Word8 -> Get a) -> b -> Ptr Word8 -> Get a
movedIf it rest = case it of
  0# -> rest
  _ -> \build end -> Get $ \_ c env s0 -> case end of
    Ptr p -> unGet (rest build end) p c env s0
{-# INLINE movedIf #-}

-- | Add a field of variable size before the others.
variableFirst :: Get x -> (x -> y) -> Reading b a -> Reading (y -> b) a
variableFirst get back after =
  after
    { readingVariable = 1#,
      readingSpan = 0#,
      readingCount = readingCount after +# 1#,
      readingParts = VariablePart : readingParts after,
      readingGet = \build _ ->
        Get $ \p0 c env s0 ->
          let next# x p s =
                x `seq` unGet (spanThen after (readingGet after (build (back x)))) p c env s
              {-# NOINLINE [0] next# #-}
           in case partNext c (I# (readingCount after)) s0 of
                (# s1, _ #) -> case unGet get p0 c env s1 of
                  (# s2, p2, (# x | #) #) -> next# x p2 s2
                  (# s2, p2, (# | _ #) #) -> (# s2, p2, (# | (##) #) #)
    }
{-# INLINE variableFirst #-}

-- | Change the function that is applied to the fields.
mapReading :: (c -> b) -> Reading b a -> Reading c a
mapReading h reading = reading {readingGet = \build -> readingGet reading (h build)}
{-# INLINE mapReading #-}

-- Store that a part comes next, with n others after it. Untraced runs store the number too: testing
-- for a trace takes longer, and three times the code.
partNext :: Cells -> Int -> State# RealWorld -> (# State# RealWorld, () #)
partNext c count = unIO (putInt c partCell (inPart count))
{-# INLINE partNext #-}

-- Read a span when n fields are left. Only traced runs store the number: that is faster before
-- spans and slower before parts (benchmark "decode Tree").
spanNext :: Int -> Get a -> Get a
spanNext count (Get p) = Get $ \p0 c env s0 ->
  case unIO (whenTraced c (putInt c partCell (spanPart count))) s0 of (# s1, _ #) -> p p0 c env s1
{-# INLINE spanNext #-}

-- Demand the first span, and go on.
spanThen ::
  Reading b a ->
  -- Given the end of the span.
  (Ptr Word8 -> Get r) ->
  Get r
spanThen reading rest = case readingSpan reading of
  0# -> rest nullPtr
  n -> case readingCalls reading of
    1# -> Get $ \p0 c env s0 -> case unGet (spanApart (readingCount reading) n) p0 c env s0 of
      (# s1, p1, (# _ | #) #) -> case Ptr p1 `plusPtr` I# n of
        end -> case readingVariable reading of
          0# -> unGet (rest end `endingAt` end) p1 c env s1
          _ -> unGet (rest end) p1 c env s1
      (# s1, p1, (# | _ #) #) -> (# s1, p1, (# | (##) #) #)
    _ -> spanNext (I# (readingCount reading)) $ case readingVariable reading of
      0# -> consumeShared (I# n) (\p -> rest (p `plusPtr` I# n))
      _ -> shared (demand (I# n)) (I# n) (\p -> rest (p `plusPtr` I# n))
{-# INLINE spanThen #-}

-- Run a reader, and then move the cursor to an address.
endingAt :: Get a -> Ptr Word8 -> Get a
endingAt (Get p) (Ptr end) = Get $ \p0 c env s0 -> case p p0 c env s0 of
  (# s1, _, (# x | #) #) -> (# s1, end, (# x | #) #)
  (# s1, p1, (# | _ #) #) -> (# s1, p1, (# | (##) #) #)
{-# INLINE endingAt #-}

-- Demand a span of n bytes, given how many fields are left. A call, not inlined.
spanApart :: Int# -> Int# -> Get ()
spanApart count n = spanNext (I# count) (need (I# n))
{-# NOINLINE spanApart #-}

-- The same for a span that is a whole value.
placedApart :: Names -> Int# -> Get ()
placedApart names n = insideSpan names (need (I# n))
{-# NOINLINE placedApart #-}

-- | Read fields at an address, without moving the cursor. All must have constant size.
readSpan :: (Reading a a -> Reading b a) -> b -> Ptr Word8 -> Get a
readSpan fields build p = readingGet reading build (p `plusPtr` I# (readingSpan reading))
  where
    reading = fields (finished 0#)
{-# INLINE readSpan #-}

-- | Read the fields of a constructor. The first function makes the names for errors.
readFields :: ([Part] -> Names) -> (Reading a a -> Reading b a) -> b -> Get a
readFields names fields build = case readingVariable reading of
  1# -> nested known (spanThen reading (\end -> readingGet reading build end))
  _ -> case readingSpan reading of
    0# -> readingGet reading build nullPtr
    n -> placed known (I# n) (\p -> readingGet reading build (p `plusPtr` I# n))
  where
    reading = fields (finished 0#)
    known = names (readingParts reading)
{-# INLINE readFields #-}

-- | 'readFields' with calls in place of the checks.
readFieldsApart :: ([Part] -> Names) -> (Reading a a -> Reading b a) -> b -> Get a
readFieldsApart names fields build = case readingVariable reading of
  1# -> nestedApart known (spanThen reading (\end -> readingGet reading build end))
  _ -> case readingSpan reading of
    0# -> readingGet reading build nullPtr
    n -> Get $ \p0 c env s0 -> case unGet (placedApart known n) p0 c env s0 of
      (# s1, p1, (# _ | #) #) -> case Ptr p1 `plusPtr` I# n of
        end ->
          unGet (insideSpan known (readingGet reading build end) `endingAt` end) p1 c env s1
      (# s1, p1, (# | _ #) #) -> (# s1, p1, (# | (##) #) #)
  where
    reading = fields (finished 1#)
    known = names (readingParts reading)
{-# INLINE readFieldsApart #-}

-- | The fields of a constructor as errors show them.
partsOf :: (Reading a a -> Reading b a) -> [Part]
partsOf fields = readingParts (fields (finished 0#))
{-# INLINE partsOf #-}

-- | Read a value of constant size, or the tag of another value. Errors show the names of the
-- format.
getNamed :: Fixed a -> Get a
getNamed f = getInside (fixedNames f) f
{-# INLINE getNamed #-}

-- | Read an element of constant size.
getElement ::
  -- | The number of elements announced.
  Int ->
  -- | The index of this one.
  Int ->
  Fixed a ->
  Get a
getElement n i f = getInside (OfElements i n (ConstantPart (fixedSize f) (fixedNames f))) f
{-# INLINE getElement #-}

getInside :: Names -> Fixed a -> Get a
getInside names f = case fixedSize f of
  -- A format without bytes may still refuse its value, and needs an address for the error.
  I# 0# -> getFixed f
  n -> placed names n (fixedRead f)
{-# INLINE getInside #-}

-- | Read a field of variable size, before n others.
getPart :: Int -> Get a -> Get a
getPart count get = Get $ \p0 c env s0 -> case partNext c count s0 of
  (# s1, _ #) -> case unGet get p0 c env s1 of
    (# s2, p1, (# x | #) #) -> x `seq` (# s2, p1, (# x | #) #)
    (# s2, p1, (# | _ #) #) -> (# s2, p1, (# | (##) #) #)
{-# INLINE getPart #-}

-- | Read a span of fields of constant size, when n fields are left.
getFieldSpan :: Int -> Fixed a -> Get a
getFieldSpan count f = case fixedSize f of
  I# 0# -> getFixed f
  n -> spanNext count (consumeShared n (fixedRead f))
{-# INLINE getFieldSpan #-}

-- | Read inside a container that has announced n elements of variable size. The container counts as
-- a level: otherwise reading @newtype T = T [T]@ would not end.
amongElements :: Int -> Get a -> Get a
amongElements n = nested (OfElements 0 n VariablePart)
{-# INLINE amongElements #-}

-- | Store that the element with this index comes next.
atElement :: Int -> Get ()
atElement i = inspect (\c _ _ -> putInt c partCell (inPart i))
{-# INLINE atElement #-}

-- Read a span of n bytes that is a whole value.
placed :: Names -> Int -> (Ptr Word8 -> Get a) -> Get a
placed names n rest = consumeSharedOr (demandInside names n) n (\p -> insideSpan names (rest p))
{-# INLINE placed #-}

-- Only a failure needs the names. NOINLINE keeps the code that builds them out of the caller: a
-- branch that allocates would make all of the code around it check for heap.
demandInside :: Names -> Int -> Get ()
demandInside names n = insideSpan names (demand n)
{-# NOINLINE demandInside #-}
