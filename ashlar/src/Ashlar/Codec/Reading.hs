{-# LANGUAGE MagicHash #-}
{-# LANGUAGE UnboxedTuples #-}

-- |
-- Module      : Ashlar.Codec.Reading
-- Description : Runs of fields of constant size, read with one check
--
-- How the fields of a constructor are read. It is put together while the compiler
-- inlines a derived instance, from the last field to the first, so that before a
-- run of fields of constant size it is known how many bytes they take.
module Ashlar.Codec.Reading
  ( Reading,
    constantFirst,
    variableFirst,
    mapReading,
    readRun,
    readFields,
    getNamed,
    getPart,
    getRun,
    amongElements,
    atElement,
    getElement,
    partsOf,
  )
where

import Ashlar.Codec.Format
import Ashlar.Get.Core
import Ashlar.Get.Env
import Ashlar.Get.Input (demand)
import Ashlar.Get.Nested
import Ashlar.Get.Place
import Ashlar.Mem.Cells
import Data.Word (Word8)
import Foreign.Ptr (nullPtr, plusPtr)
import GHC.Exts (Int (I#), Int#, Ptr, RealWorld, State#, (+#))
import GHC.IO (unIO)

-- | How fields, the last of a constructor, are read. The numbers are unboxed for the
-- reason that is given at 'Ashlar.Codec.Layout.Width'.
--
-- * Is one of them of variable size (1) or not (0)?
-- * How many bytes the first of them take, up to one of variable size.
-- * How many they are, and what each of them is.
-- * The reader. It is given what is to be applied to the fields, an address, and how
--   far behind it the fields begin. That many bytes are there, and the cursor is
--   at the address. (If there are none, the address may be null.)
data Reading b a = Reading Int# Int# Int# [Part] (b -> Ptr Word8 -> Int# -> Get a)

-- No more fields. The value is forced.
finished :: Reading a a
finished = Reading 0# 0# 0# [] $ \x p off -> Get $ \c _ s0 -> case moveTo c p off s0 of
  (# s1, _ #) -> x `seq` (# s1, x #)
{-# INLINE finished #-}

-- The same, but the cursor stays where it is.
finishedThere :: Reading a a
finishedThere = Reading 0# 0# 0# [] (\x _ _ -> Get (\_ _ s -> x `seq` (# s, x #)))
{-# INLINE finishedThere #-}

-- Put the cursor so far behind an address, where it is.
moveTo :: Cells -> Ptr Word8 -> Int# -> State# RealWorld -> (# State# RealWorld, () #)
moveTo c p off s = case off of
  0# -> (# s, () #)
  _ -> unIO (putPtr c cursorCell (p `plusPtr` I# off)) s
{-# INLINE moveTo #-}

-- | A field of constant size before the others, given what it is to its
-- constructor.
constantFirst :: Fixed x -> (x -> y) -> Reading b a -> Reading (y -> b) a
constantFirst f back (Reading variable n count parts rest) = case fixedSize f of
  -- Cut off if it is too large: then the check of the whole run fails. (The sum of the fields of
  -- a type that contains itself in tuples, say, grows with each level, which the input
  -- may choose the number of.)
  I# width | I# total <- plusSize (I# width) (I# n) ->
    Reading variable total (count +# 1#) (ConstantPart (I# width) (fixedNames f) : parts) $ \build p off ->
      Get $ \c env s0 -> case address c width p off s0 of
        (# s1, q #) -> case unGet (fixedRead f q) c env s1 of
          (# s2, x #) -> x `seq` unGet (rest (build (back x)) p (off +# width)) c env s2
  where
    address c width p off s = case width of
      -- If no byte is needed by the whole run, there is no address.
      0# | p == nullPtr -> unIO ((`plusPtr` I# off) <$> getPtr c cursorCell) s
      _ -> (# s, p `plusPtr` I# off #)
    {-# INLINE address #-}
{-# INLINE constantFirst #-}

-- | A field of variable size before the others.
variableFirst :: Get x -> (x -> y) -> Reading b a -> Reading (y -> b) a
variableFirst get back (Reading _ n count parts rest) =
  Reading 1# 0# (count +# 1#) (VariablePart : parts) $ \build p off ->
    Get $ \c env s0 -> case moveTo c p off s0 of
      (# s1, _ #) -> case putPlace c (inPart (I# count)) s1 of
        (# s2, _ #) -> case unGet get c env s2 of
          (# s3, x #) -> x `seq` unGet (run count n (\p' -> rest (build (back x)) p' 0#)) c env s3
{-# INLINE variableFirst #-}

-- | Given something else, from which what is to be applied to the fields is made.
mapReading :: (c -> b) -> Reading b a -> Reading c a
mapReading h (Reading variable n count parts rest) = Reading variable n count parts (\build -> rest (h build))
{-# INLINE mapReading #-}

putPlace :: Cells -> Place -> State# RealWorld -> (# State# RealWorld, () #)
putPlace c place = unIO $ do
  left <- getInt c depthCell
  if left < 0 then putInt c placeCell place else pure ()
{-# INLINE putPlace #-}

-- The run where so many fields are left, which takes so many bytes.
run :: Int# -> Int# -> (Ptr Word8 -> Get a) -> Get a
run count n rest = case n of
  0# -> rest nullPtr
  _ -> Get $ \c env s0 -> case putPlace c (inRun (I# count)) s0 of
    (# s1, _ #) -> unGet (shared demand (I# n) rest) c env s1
{-# INLINE run #-}

-- | Read fields at an address, which must all be of constant size, without moving the
-- cursor.
readRun :: (Reading a a -> Reading b a) -> b -> Ptr Word8 -> Get a
readRun fields build p = case fields finishedThere of
  Reading _ _ _ _ rest -> rest build p 0#
{-# INLINE readRun #-}

-- | Read the fields of a constructor, given what is to be said of it, which needs to
-- know what its fields are.
readFields :: ([Part] -> Names) -> (Reading a a -> Reading b a) -> b -> Get a
readFields names fields build = case fields finished of
  Reading variable n count parts rest -> case variable of
    1# -> nested (names parts) (run count n (\p -> rest build p 0#))
    _ -> case n of
      0# -> rest build nullPtr 0#
      _ -> placed (names parts) (I# n) (\p -> rest build p 0#)
{-# INLINE readFields #-}

-- | What the fields of a constructor are.
partsOf :: (Reading a a -> Reading b a) -> [Part]
partsOf fields = case fields finishedThere of
  Reading _ _ _ parts _ -> parts
{-# INLINE partsOf #-}

-- | Read a value of constant size, or the tag of one that is not. If something is wrong
-- with it, this says what its format has to say.
getNamed :: Fixed a -> Get a
getNamed f = getInside (fixedNames f) f
{-# INLINE getNamed #-}

-- | Read the element with this number, of constant size.
getElement :: Int -> Fixed a -> Get a
getElement i f = getInside (OfElements i (ConstantPart (fixedSize f) (fixedNames f))) f
{-# INLINE getElement #-}

getInside :: Names -> Fixed a -> Get a
getInside names f = case fixedSize f of
  -- Nothing is there; but what reads nothing may refuse it, at an address.
  I# 0# -> getFixed f
  I# n -> placed names (I# n) $ \p -> Get $ \c env s0 ->
    case unGet (fixedRead f p) c env s0 of
      (# s1, x #) -> case moveTo c p n s1 of
        (# s2, _ #) -> (# s2, x #)
{-# INLINE getInside #-}

-- | Read a field of variable size, before so many others.
getPart :: Int -> Get a -> Get a
getPart count get = Get $ \c env s0 -> case putPlace c (inPart count) s0 of
  (# s1, _ #) -> case unGet get c env s1 of (# s2, x #) -> x `seq` (# s2, x #)
{-# INLINE getPart #-}

-- | Read a run of fields of constant size, where so many fields are left.
getRun :: Int -> Fixed a -> Get a
getRun count f = case fixedSize f of
  I# 0# -> getFixed f
  n -> Get $ \c env s0 -> case putPlace c (inRun count) s0 of
    (# s1, _ #) -> unGet (consumeShared n (fixedRead f)) c env s1
{-# INLINE getRun #-}

-- | Inside of a container whose elements are of variable size. It counts as a level:
-- otherwise @newtype T = T [T]@ would be read without end.
amongElements :: Get a -> Get a
amongElements = nested (OfElements 0 VariablePart)
{-# INLINE amongElements #-}

-- | The element with this number comes next.
atElement :: Int -> Get ()
atElement i = Get $ \c _ s -> putPlace c (inPart i) s
{-# INLINE atElement #-}

-- A run of so many bytes, and nothing else, inside a value.
placed :: Names -> Int -> (Ptr Word8 -> Get a) -> Get a
placed names n rest = shared (demandInside names) n (\p -> insideRun names (rest p))
{-# INLINE placed #-}

-- What is said of the value is needed only if something is wrong, and then built by this
-- function: what is built in a branch makes all of the code around it check for heap.
demandInside :: Names -> Cells -> Env -> Int -> IO ()
demandInside names c env n = demand c (inRunOf names env) n
{-# NOINLINE demandInside #-}
