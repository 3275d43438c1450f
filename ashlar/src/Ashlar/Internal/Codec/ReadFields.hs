{-# LANGUAGE MagicHash #-}
{-# LANGUAGE UnboxedTuples #-}

-- |
-- Module      : Ashlar.Internal.Codec.ReadFields
-- Description : Spans of fields of constant size, read with one check
--
-- The compiler assembles the reader of a constructor while it inlines a derived instance. It goes
-- from the last field to the first, so before each span of fields of constant size it knows how
-- many bytes they take.
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
    getSpan,
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
import Ashlar.Internal.Get.Input (demand)
import Ashlar.Internal.Get.Label
import Ashlar.Internal.Get.Path
import Ashlar.Internal.Get.Refuse (invalid)
import Ashlar.Internal.Mem.Cells
import Data.Word (Word8)
import Foreign.Ptr (nullPtr, plusPtr)
import GHC.Exts
  ( Addr#,
    Int (I#),
    Int#,
    Ptr (Ptr),
    RealWorld,
    State#,
    andI#,
    negateInt#,
    plusAddr#,
    (+#),
    (==#),
    (>#),
  )
import GHC.IO (unIO)

-- | How the last fields of a constructor are read. 'Ashlar.Internal.Codec.Layout.Width' says why
-- the numbers are unboxed.
--
-- * Whether checks are calls (1) or code (0).
-- * Whether one of the fields has variable size (1) or none (0).
-- * The bytes of the first span: all fields before the first one of variable size.
-- * The number of fields, and what each of them is.
-- * The reader. Its arguments are the function to apply to the fields, and the end of the first
--   span. The span has been demanded, and the cursor is before it. The end may be null if the span
--   has no bytes. Before a field of variable size, the reader moves the cursor past the span. After
--   the last span, its caller does.
data Reading b a = Reading Int# Int# Int# Int# [Part] (b -> Ptr Word8 -> Get a)

-- No more fields. The value is forced.
finished :: Int# -> Reading a a
finished calls = Reading calls 0# 0# 0# [] (\x _ -> Get (\_ _ s -> x `seq` (# s, x #)))
{-# INLINE finished #-}

-- | A field of constant size before the others. The function makes the field's representation.
constantFirst :: Fixed x -> (x -> y) -> Reading b a -> Reading (y -> b) a
constantFirst f back (Reading calls variable n count parts rest) = case fixedSize f of
  -- A sum that is too large is cut off, and the check of the whole span fails. In a type that
  -- contains itself in tuples, the sum grows with each level, and the input chooses the number of
  -- levels.
  I# width
    | I# total <- plusSize (I# width) (I# n) ->
      Reading
        calls
        variable
        total
        (count +# 1#)
        (ConstantPart (I# width) (fixedNames f) : parts)
        $ refusedIf (isCutOff (I# total)) $
          nothingLeftIf (total ==# 0#) count $
            fieldAt f back total $
              movedIf (variable `andI#` (n ==# 0#) `andI#` (width ># 0#)) rest
{-# INLINE constantFirst #-}

-- No field can be read, not even if the span is there: the fields would be read at wrong offsets.
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
fieldAt f back before rest = \build end -> Get $ \c env s0 ->
  case unGet (fixedRead f (end `plusPtr` I# (negateInt# before))) c env s0 of
    (# s1, x #) -> x `seq` unGet (rest (build (back x)) end) c env s1
{-# INLINE fieldAt #-}

-- If the flag is 1: no bytes of the span are left for this field. The offset cannot tell which
-- field it is, so the reader writes down the number of fields after it. A span without bytes ends
-- at the cursor.
nothingLeftIf :: Int# -> Int# -> (b -> Ptr Word8 -> Get a) -> b -> Ptr Word8 -> Get a
nothingLeftIf it count rest = case it of
  0# -> rest
  _ -> \build end -> Get $ \c env s0 -> case partNext c (I# count) s0 of
    (# s1, _ #)
      | end == nullPtr -> case unIO (getPtr c cursorCell) s1 of
        (# s2, p #) -> unGet (rest build p) c env s2
      | otherwise -> unGet (rest build end) c env s1
{-# INLINE nothingLeftIf #-}

-- If the flag is 1, move the cursor to the end of the span first: the last field with bytes has
-- been read.
movedIf :: Int# -> (b -> Ptr Word8 -> Get a) -> b -> Ptr Word8 -> Get a
movedIf it rest = case it of
  0# -> rest
  _ -> \build end -> Get $ \c env s0 -> case unIO (putPtr c cursorCell end) s0 of
    (# s1, _ #) -> unGet (rest build end) c env s1
{-# INLINE movedIf #-}

-- | A field of variable size before the others.
variableFirst :: Get x -> (x -> y) -> Reading b a -> Reading (y -> b) a
variableFirst get back (Reading calls variable n count parts rest) =
  Reading calls 1# 0# (count +# 1#) (VariablePart : parts) $ \build _ ->
    Get $ \c env s0 -> case unGet (getPart (I# count) get) c env s0 of
      (# s1, x #) ->
        unGet (spanThen calls variable count n (\end -> rest (build (back x)) end)) c env s1
{-# INLINE variableFirst #-}

-- | Change what the reader's function is made of.
mapReading :: (c -> b) -> Reading b a -> Reading c a
mapReading h (Reading calls variable n count parts rest) =
  Reading calls variable n count parts (\build -> rest (h build))
{-# INLINE mapReading #-}

-- A part comes next, with n others after it. Untraced runs write the number too: testing for a
-- trace takes longer, and three times the code.
partNext :: Cells -> Int -> State# RealWorld -> (# State# RealWorld, () #)
partNext c count = unIO (putInt c partCell (inPart count))
{-# INLINE partNext #-}

-- Read a span when n fields are left. Only traced runs write the number: that is faster before
-- spans and slower before parts (benchmark "decode Tree").
spanNext :: Int -> Get a -> Get a
spanNext count (Get p) = Get $ \c env s0 -> case unIO (mark c) s0 of
  (# s1, _ #) -> p c env s1
  where
    mark c = whenTraced c (putInt c partCell (inSpan count))
    {-# INLINE mark #-}
{-# INLINE spanNext #-}

-- A span, and what follows it.
spanThen ::
  -- Is the check a call (1) or code (0)?
  Int# ->
  -- Is a field after it of variable size (1) or none (0)?
  Int# ->
  -- The number of fields that are left.
  Int# ->
  -- The bytes that the span takes.
  Int# ->
  -- Given the end of the span.
  (Ptr Word8 -> Get a) ->
  Get a
spanThen calls variable count n rest = case n of
  0# -> rest nullPtr
  _ -> case calls of
    1# -> Get $ \c env s0 -> case spanApart count n c env s0 of
      (# s1, end #) -> case variable of
        0# -> unGet (rest (Ptr end) `endingAt` Ptr end) c env s1
        _ -> unGet (rest (Ptr end)) c env s1
    _ -> spanNext (I# count) $ case variable of
      0# -> consumeShared (I# n) (\p -> rest (p `plusPtr` I# n))
      _ -> shared demand (I# n) (\p -> rest (p `plusPtr` I# n))
{-# INLINE spanThen #-}

-- Move the cursor when all is read.
endingAt :: Get a -> Ptr Word8 -> Get a
endingAt (Get p) end = Get $ \c env s0 -> case p c env s0 of
  (# s1, x #) -> case unIO (putPtr c cursorCell end) s1 of (# s2, _ #) -> (# s2, x #)
{-# INLINE endingAt #-}

-- Demand a span of n bytes when fields are left, and return its end.
spanApart :: Int# -> Int# -> Cells -> Env -> State# RealWorld -> (# State# RealWorld, Addr# #)
spanApart count n c env s0 = case unIO demanded s0 of (# s1, Ptr p #) -> (# s1, plusAddr# p n #)
  where
    demanded = whenTraced c (putInt c partCell (inSpan (I# count))) >> need c env (I# n)
{-# NOINLINE spanApart #-}

-- The same for a span that is a whole value.
placedApart :: Names -> Int# -> Cells -> Env -> State# RealWorld -> (# State# RealWorld, Addr# #)
placedApart names n c env s0 = case unIO (need c (inSpanOf names env) (I# n)) s0 of
  (# s1, Ptr p #) -> (# s1, plusAddr# p n #)
{-# NOINLINE placedApart #-}

-- | Read fields at an address, without moving the cursor. All must have constant size.
readSpan :: (Reading a a -> Reading b a) -> b -> Ptr Word8 -> Get a
readSpan fields build p = case fields (finished 0#) of
  Reading _ _ n _ _ rest -> rest build (p `plusPtr` I# n)
{-# INLINE readSpan #-}

-- | Read the fields of a constructor. Errors say of it what the first function returns, given what
-- its fields are.
readFields :: ([Part] -> Names) -> (Reading a a -> Reading b a) -> b -> Get a
readFields names fields build = case fields (finished 0#) of
  Reading calls variable n count parts rest -> case variable of
    1# -> nested (names parts) (spanThen calls variable count n (\end -> rest build end))
    _ -> case n of
      0# -> rest build nullPtr
      _ -> placed (names parts) (I# n) (\p -> rest build (p `plusPtr` I# n))
{-# INLINE readFields #-}

-- | 'readFields' with calls in place of the checks.
readFieldsApart :: ([Part] -> Names) -> (Reading a a -> Reading b a) -> b -> Get a
readFieldsApart names fields build = case fields (finished 1#) of
  Reading calls variable n count parts rest -> case variable of
    1# -> nestedApart (names parts) (spanThen calls variable count n (\end -> rest build end))
    _ -> case n of
      0# -> rest build nullPtr
      _ -> Get $ \c env s0 -> case placedApart (names parts) n c env s0 of
        (# s1, end #) ->
          unGet (insideSpan (names parts) (rest build (Ptr end)) `endingAt` Ptr end) c env s1
{-# INLINE readFieldsApart #-}

-- | What the fields of a constructor are.
partsOf :: (Reading a a -> Reading b a) -> [Part]
partsOf fields = case fields (finished 0#) of
  Reading _ _ _ _ parts _ -> parts
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
  -- Even a format without bytes may refuse its value, at an address.
  I# 0# -> getFixed f
  n -> placed names n (fixedRead f)
{-# INLINE getInside #-}

-- | Read a field of variable size, before n others.
getPart :: Int -> Get a -> Get a
getPart count get = Get $ \c env s0 -> case partNext c count s0 of
  (# s1, _ #) -> case unGet get c env s1 of (# s2, x #) -> x `seq` (# s2, x #)
{-# INLINE getPart #-}

-- | Read a span of fields of constant size, when n fields are left.
getSpan :: Int -> Fixed a -> Get a
getSpan count f = case fixedSize f of
  I# 0# -> getFixed f
  n -> spanNext count (consumeShared n (fixedRead f))
{-# INLINE getSpan #-}

-- | Inside a container that has announced n elements of variable size. It counts as a level:
-- otherwise reading @newtype T = T [T]@ would not end.
amongElements :: Int -> Get a -> Get a
amongElements n = nested (OfElements 0 n VariablePart)
{-# INLINE amongElements #-}

-- | The element with this index comes next.
atElement :: Int -> Get ()
atElement i = Get $ \c _ s -> partNext c i s
{-# INLINE atElement #-}

-- A span of n bytes that is a whole value.
placed :: Names -> Int -> (Ptr Word8 -> Get a) -> Get a
placed names n rest = consumeSharedOr (demandInside names) n (\p -> insideSpan names (rest p))
{-# INLINE placed #-}

-- Only a failure needs the names. This function builds them then: a branch that allocates would
-- make all of the code around it check for heap.
demandInside :: Names -> Cells -> Env -> Int -> IO ()
demandInside names c env n = demand c (inSpanOf names env) n
{-# NOINLINE demandInside #-}
