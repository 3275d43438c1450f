{-# LANGUAGE MagicHash #-}
{-# LANGUAGE UnboxedTuples #-}

-- |
-- Module      : Ashlar.Internal.Codec.ReadFields
-- Description : Spans of fields of constant size, read with one check
--
-- How the fields of a constructor are read. It is put together while the compiler
-- inlines a derived instance, from the last field to the first, so that before a
-- span of fields of constant size it is known how many bytes they take.
module Ashlar.Internal.Codec.ReadFields
  ( Reading,
    constantFirst,
    variableFirst,
    mapReading,
    readSpan,
    readFields,
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
import Ashlar.Internal.Mem.Cells
import Data.Word (Word8)
import Foreign.Ptr (nullPtr, plusPtr)
import GHC.Exts (Int (I#), Int#, Ptr, RealWorld, State#, andI#, negateInt#, (+#), (==#), (>#))
import GHC.IO (unIO)

-- | How fields, the last of a constructor, are read. The numbers are unboxed for the
-- reason that is given at 'Ashlar.Internal.Codec.Layout.Width'.
--
-- * Is one of them of variable size (1) or not (0)?
-- * How many bytes the first of them take, up to one of variable size.
-- * How many they are, and what each of them is.
-- * The reader. It is given what is to be applied to the fields, and where the span of the
--   first of them ends. The span is there, and the cursor before it. (If it takes no bytes, the
--   address may be null.) Before a field of variable size the reader moves the cursor after the
--   span; after the last span the cursor is moved by whoever calls the reader.
data Reading b a = Reading Int# Int# Int# [Part] (b -> Ptr Word8 -> Get a)

-- No more fields. The value is forced.
finished :: Reading a a
finished = Reading 0# 0# 0# [] (\x _ -> Get (\_ _ s -> x `seq` (# s, x #)))
{-# INLINE finished #-}

-- | A field of constant size before the others, given what it is to its
-- constructor.
constantFirst :: Fixed x -> (x -> y) -> Reading b a -> Reading (y -> b) a
constantFirst f back (Reading variable n count parts rest) = case fixedSize f of
  -- Cut off if it is too large: then the check of the whole span fails. (The sum of the fields of
  -- a type that contains itself in tuples, say, grows with each level, which the input
  -- may choose the number of.)
  I# width
    | I# total <- plusSize (I# width) (I# n) ->
      Reading
        variable
        total
        (count +# 1#)
        (ConstantPart (I# width) (fixedNames f) : parts)
        $ nothingLeftIf (total ==# 0#) count (fieldAt f back total (movedIf (variable `andI#` (n ==# 0#) `andI#` (width ># 0#)) rest))
{-# INLINE constantFirst #-}

-- A field that stands so far in front of the end of its span.
fieldAt :: Fixed x -> (x -> y) -> Int# -> (b -> Ptr Word8 -> Get a) -> (y -> b) -> Ptr Word8 -> Get a
fieldAt f back before rest = \build end -> Get $ \c env s0 ->
  case unGet (fixedRead f (end `plusPtr` I# (negateInt# before))) c env s0 of
    (# s1, x #) -> x `seq` unGet (rest (build (back x)) end) c env s1
{-# INLINE fieldAt #-}

-- If it is so (1): a field before so many others, at the end of its span or in one that takes no
-- bytes at all, which is where the cursor is. (Which field it is, the offset does not tell.)
nothingLeftIf :: Int# -> Int# -> (b -> Ptr Word8 -> Get a) -> b -> Ptr Word8 -> Get a
nothingLeftIf it count rest = case it of
  0# -> rest
  _ -> \build end -> Get $ \c env s0 -> case partNext c (I# count) s0 of
    (# s1, _ #)
      | end == nullPtr -> case unIO (getPtr c cursorCell) s1 of
        (# s2, p #) -> unGet (rest build p) c env s2
      | otherwise -> unGet (rest build end) c env s1
{-# INLINE nothingLeftIf #-}

-- If it is so (1), move the cursor to the end of the span first: the last field that takes
-- bytes has been read.
movedIf :: Int# -> (b -> Ptr Word8 -> Get a) -> b -> Ptr Word8 -> Get a
movedIf it rest = case it of
  0# -> rest
  _ -> \build end -> Get $ \c env s0 -> case unIO (putPtr c cursorCell end) s0 of
    (# s1, _ #) -> unGet (rest build end) c env s1
{-# INLINE movedIf #-}

-- | A field of variable size before the others.
variableFirst :: Get x -> (x -> y) -> Reading b a -> Reading (y -> b) a
variableFirst get back (Reading variable n count parts rest) =
  Reading 1# 0# (count +# 1#) (VariablePart : parts) $ \build _ ->
    Get $ \c env s0 -> case unGet (getPart (I# count) get) c env s0 of
      (# s1, x #) -> unGet (spanThen variable count n (\end -> rest (build (back x)) end)) c env s1
{-# INLINE variableFirst #-}

-- | Given something else, from which what is to be applied to the fields is made.
mapReading :: (c -> b) -> Reading b a -> Reading c a
mapReading h (Reading variable n count parts rest) = Reading variable n count parts (\build -> rest (h build))
{-# INLINE mapReading #-}

-- A part comes next, with so many behind it. (In every run, traced or not: to find out takes
-- longer, and three times the code.)
partNext :: Cells -> Int -> State# RealWorld -> (# State# RealWorld, () #)
partNext c count = unIO (putInt c partCell (inPart count))
{-# INLINE partNext #-}

-- Read a span, where so many fields are left. (Here it takes longer not to find out: a
-- tree of 10,000 nodes takes 76 µs, and with a write before every span 84 µs; before parts it is
-- the other way round, 78 µs; GHC 9.0.2.)
spanNext :: Int -> Get a -> Get a
spanNext count (Get p) = Get $ \c env s0 -> case unIO (mark c) s0 of
  (# s1, _ #) -> p c env s1
  where
    mark c = whenTraced c (putInt c partCell (inSpan count))
    {-# INLINE mark #-}
{-# INLINE spanNext #-}

-- The span where so many fields are left, of which one is of variable size (1) or none (0), and
-- which takes so many bytes. The reader is given its end.
spanThen :: Int# -> Int# -> Int# -> (Ptr Word8 -> Get a) -> Get a
spanThen variable count n rest = case n of
  0# -> rest nullPtr
  _ -> spanNext (I# count) $ case variable of
    0# -> consumeShared (I# n) (\p -> rest (p `plusPtr` I# n))
    _ -> shared demand (I# n) (\p -> rest (p `plusPtr` I# n))
{-# INLINE spanThen #-}

-- | Read fields at an address, which must all be of constant size, without moving the
-- cursor.
readSpan :: (Reading a a -> Reading b a) -> b -> Ptr Word8 -> Get a
readSpan fields build p = case fields finished of
  Reading _ n _ _ rest -> rest build (p `plusPtr` I# n)
{-# INLINE readSpan #-}

-- | Read the fields of a constructor, given what is to be said of it, which needs to
-- know what its fields are.
readFields :: ([Part] -> Names) -> (Reading a a -> Reading b a) -> b -> Get a
readFields names fields build = case fields finished of
  Reading variable n count parts rest -> case variable of
    1# -> nested (names parts) (spanThen variable count n (\end -> rest build end))
    _ -> case n of
      0# -> rest build nullPtr
      _ -> placed (names parts) (I# n) (\p -> rest build (p `plusPtr` I# n))
{-# INLINE readFields #-}

-- | What the fields of a constructor are.
partsOf :: (Reading a a -> Reading b a) -> [Part]
partsOf fields = case fields finished of
  Reading _ _ _ parts _ -> parts
{-# INLINE partsOf #-}

-- | Read a value of constant size, or the tag of one that is not. If something is wrong
-- with it, this says what its format has to say.
getNamed :: Fixed a -> Get a
getNamed f = getInside (fixedNames f) f
{-# INLINE getNamed #-}

-- | Read an element of constant size.
getElement ::
  -- | How many elements were announced.
  Int ->
  -- | The number of this one.
  Int ->
  Fixed a ->
  Get a
getElement n i f = getInside (OfElements i n (ConstantPart (fixedSize f) (fixedNames f))) f
{-# INLINE getElement #-}

getInside :: Names -> Fixed a -> Get a
getInside names f = case fixedSize f of
  -- Nothing is there; but what reads nothing may refuse it, at an address.
  I# 0# -> getFixed f
  n -> placed names n (fixedRead f)
{-# INLINE getInside #-}

-- | Read a field of variable size, before so many others.
getPart :: Int -> Get a -> Get a
getPart count get = Get $ \c env s0 -> case partNext c count s0 of
  (# s1, _ #) -> case unGet get c env s1 of (# s2, x #) -> x `seq` (# s2, x #)
{-# INLINE getPart #-}

-- | Read a span of fields of constant size, where so many fields are left.
getSpan :: Int -> Fixed a -> Get a
getSpan count f = case fixedSize f of
  I# 0# -> getFixed f
  n -> spanNext count (consumeShared n (fixedRead f))
{-# INLINE getSpan #-}

-- | Inside of a container whose elements are of variable size, which has announced this number of
-- them. It counts as a level: otherwise @newtype T = T [T]@ would be read without end.
amongElements :: Int -> Get a -> Get a
amongElements n = nested (OfElements 0 n VariablePart)
{-# INLINE amongElements #-}

-- | The element with this number comes next.
atElement :: Int -> Get ()
atElement i = Get $ \c _ s -> partNext c i s
{-# INLINE atElement #-}

-- A span of n bytes, and nothing else, inside a value.
placed :: Names -> Int -> (Ptr Word8 -> Get a) -> Get a
placed names n rest = consumeSharedOr (demandInside names) n (\p -> insideSpan names (rest p))
{-# INLINE placed #-}

-- What is said of the value is needed only if something is wrong, and then built by this
-- function: what is built in a branch makes all of the code around it check for heap.
demandInside :: Names -> Cells -> Env -> Int -> IO ()
demandInside names c env n = demand c (inSpanOf names env) n
{-# NOINLINE demandInside #-}
