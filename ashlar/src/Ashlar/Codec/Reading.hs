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
    readTag,
    partsOf,
    partOf,
  )
where

import Ashlar.Codec.Format
import Ashlar.Codec.Layout
import Ashlar.Get.Core
import Ashlar.Get.Env
import Ashlar.Get.Input (demand)
import Ashlar.Get.Nested
import Ashlar.Get.Place
import Ashlar.Mem.Cells
import Data.Word (Word8)
import Foreign.Ptr (minusPtr, nullPtr, plusPtr)
import GHC.Exts (Int (I#), Int#, Ptr (Ptr), (+#))
import GHC.IO (unIO)

-- | How fields, the last of a constructor, are read. The numbers are unboxed for the
-- reason that is given at 'Width'.
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
finished = Reading 0# 0# 0# [] (\x p off -> moveTo p off *> (pure $! x))
{-# INLINE finished #-}

-- The same, but the cursor stays where it is.
finishedThere :: Reading a a
finishedThere = Reading 0# 0# 0# [] (\x _ _ -> pure $! x)
{-# INLINE finishedThere #-}

-- Put the cursor so far behind an address, where it is.
moveTo :: Ptr Word8 -> Int# -> Get ()
moveTo p off = case off of
  0# -> pure ()
  _ -> step (\c _ -> putPtr c cursorCell (p `plusPtr` I# off))
{-# INLINE moveTo #-}

-- | A field of constant size before the others, given what it is to its
-- constructor.
constantFirst :: Fixed x -> (x -> y) -> Reading b a -> Reading (y -> b) a
constantFirst f back (Reading variable n count parts rest) = case fixedSize f of
  I# width ->
    Reading variable (width +# n) (count +# 1#) (ConstantPart (I# width) (fixedNames f) : parts) $ \build p off -> do
      x <- fixedRead f =<< address width p off
      x `seq` rest (build (back x)) p (off +# width)
  where
    address width p off = case width of
      -- No byte may be needed, and then there is no address.
      0# -> step (\c _ -> (`plusPtr` I# off) <$> getPtr c cursorCell)
      _ -> pure (p `plusPtr` I# off)
    {-# INLINE address #-}
{-# INLINE constantFirst #-}

-- | A field of variable size before the others.
variableFirst :: Get x -> (x -> y) -> Reading b a -> Reading (y -> b) a
variableFirst get back (Reading _ n count parts rest) =
  Reading 1# 0# (count +# 1#) (VariablePart : parts) $ \build p off -> do
    moveTo p off
    putPlace (inPart (I# count))
    x <- get
    x `seq` run count n (\p' -> rest (build (back x)) p' 0#)
{-# INLINE variableFirst #-}

-- | Given something else, from which what is to be applied to the fields is made.
mapReading :: (c -> b) -> Reading b a -> Reading c a
mapReading h (Reading variable n count parts rest) = Reading variable n count parts (\build -> rest (h build))
{-# INLINE mapReading #-}

putPlace :: Place -> Get ()
putPlace place = step (\c _ -> putInt c placeCell place)
{-# INLINE putPlace #-}

-- The run where so many fields are left, which takes so many bytes.
run :: Int# -> Int# -> (Ptr Word8 -> Get a) -> Get a
run count n rest = case n of
  0# -> rest nullPtr
  _ -> putPlace (inRun (I# count)) *> shared demand (I# n) rest
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
      _ -> placed (names parts) (inRun (I# count)) (I# n) (\p -> rest build p 0#)
{-# INLINE readFields #-}

-- | What the fields of a constructor are.
partsOf :: (Reading a a -> Reading b a) -> [Part]
partsOf fields = case fields finishedThere of
  Reading _ _ _ parts _ -> parts
{-# INLINE partsOf #-}

-- | What a field of this layout is.
partOf :: Layout a -> Part
partOf l = case l of
  Fix f -> ConstantPart (fixedSize f) (fixedNames f)
  Var _ -> VariablePart
{-# INLINE partOf #-}

-- | Read a tag, or a value that is no more than that, given what is to be said of the type if
-- it is missing.
readTag :: Names -> Fixed a -> Get a
readTag names f = case fixedSize f of
  I# n -> shared (demandInside names somewhere) (I# n) (\p -> fixedRead f p >>= \x -> x <$ moveTo p n)
{-# INLINE readTag #-}

-- A run of so many bytes, and nothing else, inside a value.
placed :: Names -> Place -> Int -> (Ptr Word8 -> Get a) -> Get a
placed names at n rest = shared (demandInside names at) n (\p -> Get (\c env -> unGet (rest p) c (insideAt names at env)))
{-# INLINE placed #-}

-- What is said of the value is needed only if something is wrong, and then built by this
-- function: what is built in a branch makes all of the code around it check for heap.
demandInside :: Names -> Place -> Cells -> Env -> Int -> IO ()
demandInside names at c env n = demand c (insideAt names at env) n
{-# NOINLINE demandInside #-}

insideAt :: Names -> Place -> Env -> Env
insideAt names at env = env {envContext = InsideAt names at (envContext env)}
{-# INLINE insideAt #-}

-- Make sure of so many bytes, more than none, by this function if need be, and read
-- them with code that is not copied: Note [One copy behind the check]. The cursor
-- is not moved.
shared :: (Cells -> Env -> Int -> IO ()) -> Int -> (Ptr Word8 -> Get a) -> Get a
shared more n rest = Get $ \c env s0 ->
  let read# a s = unGet (rest (Ptr a)) c env s
      {-# NOINLINE read# #-}
   in case unIO (getPtr c cursorCell) s0 of
        (# s1, p@(Ptr a) #) -> case unIO (getPtr c endCell) s1 of
          (# s2, e #)
            | e `minusPtr` p >= n -> read# a s2
            | otherwise -> case unIO (more c env n >> getPtr c cursorCell) s2 of
                (# s3, Ptr a' #) -> read# a' s3
{-# INLINE shared #-}
