{-# LANGUAGE BangPatterns #-}
{-# LANGUAGE DerivingStrategies #-}
{-# LANGUAGE FlexibleContexts #-}
{-# LANGUAGE GeneralizedNewtypeDeriving #-}
{-# LANGUAGE MagicHash #-}
{-# LANGUAGE RankNTypes #-}
{-# LANGUAGE RoleAnnotations #-}
{-# LANGUAGE ScopedTypeVariables #-}
{-# LANGUAGE TypeFamilies #-}
{-# LANGUAGE UnboxedTuples #-}
{-# LANGUAGE NoMonoLocalBinds #-}

-- |
-- Module      : Ashlar.Internal.Get.Vectors
-- Description : Mutable state inside a decoder, and many numbers at once, into vectors
--
-- Vectors of numbers in the machine's byte order are copied as memory. In the other byte order,
-- they are swapped by a loop without checks.
--
-- Note [Vectors grow as they arrive]
-- ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
-- The number of elements may be untrusted input. So a vector first has room for the elements that
-- the bytes at hand can contain, and is doubled when these have been decoded. Its memory is
-- proportional to the input that has arrived, and a number that is too large fails where the input
-- ends. (Test "more elements announced than there are bytes".)
module Ashlar.Internal.Get.Vectors
  ( getVectorLE,
    getVectorBE,
    getVectorHost,
    getVectorOf,
    NumberVector,
    NumberElement,

    -- * For other modules
    getEach,
    getInSpans,
    copyToStorable,
    noStorables,
    copyToPrimitive,
    growthOf,
    GetST,
    runGetST,
    liftGet,
    labelST,
    isolateST,
    lookAheadST,
    deeperST,
    consumeST,
    insideSpanST,
  )
where

import Ashlar.Internal.Get.Budget
import Ashlar.Internal.Get.Bytes (available)
import Ashlar.Internal.Get.Choice (lookAhead)
import Ashlar.Internal.Get.Core
import Ashlar.Internal.Get.Fail
import Ashlar.Internal.Get.Path (Names)
import Ashlar.Internal.Mem (Number (..), copyRange, copyToArray)
import Ashlar.Internal.Mem.Check (broken, unsafeGrow, unsafeNew, unsafeWrite)
import Control.Applicative (Alternative)
import Control.Monad (MonadPlus)
import Control.Monad.Primitive (PrimMonad (..), unsafeIOToPrim)
import Data.Int (Int16, Int32, Int64, Int8)
import Data.Primitive.ByteArray (MutableByteArray (..))
import Data.Primitive.Types (Prim)
import qualified Data.Vector as V
import qualified Data.Vector.Generic as G
import qualified Data.Vector.Generic.Mutable as GM
import qualified Data.Vector.Primitive as P
import qualified Data.Vector.Primitive.Mutable as PM
import qualified Data.Vector.Storable as S
import qualified Data.Vector.Storable.Mutable as SM
import qualified Data.Vector.Unboxed as U
import qualified Data.Vector.Unboxed.Base as U
import Data.Word (Word16, Word32, Word64, Word8)
import Foreign.ForeignPtr.Unsafe (unsafeForeignPtrToPtr)
import Foreign.Ptr (Ptr, castPtr, plusPtr)
import Foreign.Storable (peek, sizeOf)
import GHC.ByteOrder (ByteOrder (..), targetByteOrder)
import GHC.Exts (RealWorld, State#, unsafeCoerce#)
import GHC.IO (IO (..))

-- | A number whose format has the same bytes as its memory, in either order: words and integers of
-- 8 to 64 bits, 'Float' and 'Double'. Not 'Int' and 'Word', whose size depends on the machine.
class (Num a, Number a, Prim a, U.Unbox a) => NumberElement a where
  toUnboxed :: P.Vector a -> U.Vector a

instance NumberElement Word8 where toUnboxed = U.V_Word8

instance NumberElement Word16 where toUnboxed = U.V_Word16

instance NumberElement Word32 where toUnboxed = U.V_Word32

instance NumberElement Word64 where toUnboxed = U.V_Word64

instance NumberElement Int8 where toUnboxed = U.V_Int8

instance NumberElement Int16 where toUnboxed = U.V_Int16

instance NumberElement Int32 where toUnboxed = U.V_Int32

instance NumberElement Int64 where toUnboxed = U.V_Int64

instance NumberElement Float where toUnboxed = U.V_Float

instance NumberElement Double where toUnboxed = U.V_Double

-- | A kind of vector: boxed, unboxed, storable or primitive.
class NumberVector v where
  getNumbers :: NumberElement a => ByteOrder -> Int -> Get (v a)

-- | The elements are forced.
instance NumberVector V.Vector where
  getNumbers order = getNumbersBy (\_ -> copySwapping order)
  {-# INLINE getNumbers #-}

instance NumberVector U.Vector where
  getNumbers order n = getNumbers order n >>= \v -> pure $! toUnboxed v
  {-# INLINE getNumbers #-}

instance NumberVector S.Vector where
  getNumbers order
    | order == targetByteOrder = getNumbersBy copyToStorable
    | otherwise = getNumbersBy (\_ -> copySwapping order)
  {-# INLINE getNumbers #-}

instance NumberVector P.Vector where
  getNumbers order
    | order == targetByteOrder = getNumbersBy copyToPrimitive
    | otherwise = getNumbersBy (\_ -> copySwapping order)
  {-# INLINE getNumbers #-}

-- | @n@ numbers, each with the least significant byte first. A negative @n@ fails.
--
-- >>> import qualified Data.Vector.Unboxed as U
-- >>> runGet (getVectorLE 2) "\1\0\2\0" :: Either DecodeError (U.Vector Word16)
-- Right [1,2]
getVectorLE :: (NumberVector v, NumberElement a) => Int -> Get (v a)
getVectorLE = getNumbers LittleEndian
{-# INLINE getVectorLE #-}

-- | @n@ numbers, each with the most significant byte first. A negative @n@ fails.
getVectorBE :: (NumberVector v, NumberElement a) => Int -> Get (v a)
getVectorBE = getNumbers BigEndian
{-# INLINE getVectorBE #-}

-- | @n@ numbers in the byte order of this machine. A negative @n@ fails.
getVectorHost :: (NumberVector v, NumberElement a) => Int -> Get (v a)
getVectorHost = getNumbers targetByteOrder
{-# INLINE getVectorHost #-}

-- | A vector of @n@ values, each of which is forced. A negative @n@ fails.
--
-- Memory is allocated as values are decoded. Values that read nothing count against a budget.
--
-- >>> import qualified Data.Vector as V
-- >>> let text = getNested (fromIntegral <$> getWord8) getRemainingTextUtf8
-- >>> runGet (getVectorOf 2 text) "\1a\2bc" :: Either DecodeError (V.Vector Text)
-- Right ["a","bc"]
getVectorOf :: G.Vector v a => Int -> Get a -> Get (v a)
getVectorOf n p
  | n < 0 = invalid "getVectorOf: negative number of elements"
  | otherwise = getEach n (\_ _ -> chargedIfEmpty p)
{-# INLINE getVectorOf #-}

-- | A vector of n values, each by a decoder that gets its index and the element before.
getEach :: forall v a. G.Vector v a => Int -> (Int -> Maybe a -> Get a) -> Get (v a)
-- It begins with 4 elements. Elements may be vectors themselves: if each had room for all that the
-- input could contain, that would take quadratic memory.
getEach n element = runGetST (unsafeNew (min n 4) >>= fill 0 Nothing)
  where
    -- The first i elements are there.
    fill :: Int -> Maybe a -> G.Mutable v s a -> GetST s (v a)
    fill !i before v
      | i >= n = G.unsafeFreeze v
      | i >= GM.length v = unsafeGrow v (growthOf n i) >>= fill i before
      | otherwise = do
        x <- liftGet (element i before)
        -- i is less than the vector's length.
        x `seq` unsafeWrite v i x
        fill (i + 1) (Just x) v
{-# INLINE getEach #-}

-- A vector of numbers, given a function for 'getInSpans' that takes the size of an element first.
getNumbersBy ::
  forall v a.
  (G.Vector v a, NumberElement a) =>
  (forall s. Int -> Ptr Word8 -> Int -> Int -> G.Mutable v s a -> GetST s ()) ->
  Int ->
  Get (v a)
getNumbersBy copy n
  | n < 0 = invalid "getVector: negative number of elements"
  | otherwise = getInSpans (\_ reading -> reading) G.empty width n (copy width)
  where
    width = sizeOf (0 :: a)
{-# INLINE getNumbersBy #-}

-- | A vector of elements of constant size, read in spans.
getInSpans ::
  G.Vector v a =>
  -- | Add context to the decoder of a span, given the index of its first element.
  (forall s. Int -> GetST s () -> GetST s ()) ->
  -- | The vector without elements. It should be shared: otherwise a single byte of input could
  -- allocate an array.
  v a ->
  -- | The number of bytes of an element, at least 1.
  Int ->
  -- | The number of elements, not negative.
  Int ->
  -- | Copy a span into the vector, which is long enough, given the address of the span, the index
  -- of its first element, and the number of its elements.
  (forall s. Ptr Word8 -> Int -> Int -> G.Mutable v s a -> GetST s ()) ->
  Get (v a)
getInSpans named none width n copy
  | n == 0 = pure none
  | otherwise = do
    announceElements width n
    bytes <- available
    runGetST (unsafeNew (min n (bytes `quot` width)) >>= fill 0)
  where
    -- The first i elements have been read.
    fill i v
      | i >= n = G.unsafeFreeze v
      | i >= GM.length v = unsafeGrow v (growthOf n i) >>= fill i
      | otherwise = do
        bytes <- liftGet available
        -- The elements that are at hand, but at least one, which 'consume' brings into one segment
        -- if it is in two chunks. The product below cannot overflow.
        let m = max 1 (min (GM.length v - i) (bytes `quot` width))
        named i (consumeST (m * width) (\p -> copy p i m v))
        fill (i + m) v
{-# INLINE getInSpans #-}

-- | By how many elements a full vector grows: it doubles, up to its final length
-- (Note [Vectors grow as they arrive]).
growthOf ::
  -- | The final length.
  Int ->
  -- | The length now.
  Int ->
  Int
growthOf n i = min (n - i) (max 4 i)
{-# INLINE growthOf #-}

-- | Copy elements as memory into a storable vector. Given their size, this is a function for
-- 'getInSpans'.
copyToStorable :: S.Storable a => Int -> Ptr Word8 -> Int -> Int -> SM.MVector s a -> GetST s ()
copyToStorable width p i n v
  | lackingSlots "copyToStorable" i n v = pure ()
  | otherwise = case SM.unsafeToForeignPtr0 (SM.unsafeSlice i n v) of
    -- The vector stays alive: it is returned in the end.
    (fp, _) -> unsafeIOToPrim (copyRange (castPtr (unsafeForeignPtrToPtr fp)) p (n * width))
{-# INLINE copyToStorable #-}

-- | The storable vector without elements. 'S.empty' allocates an array wherever it is used: vector
-- inlines it. (Suite @peak@, "Compact (Storable.Vector Int16)".)
noStorables :: S.Storable a => S.Vector a
noStorables = S.unsafeCast noBytes
{-# INLINE noStorables #-}

noBytes :: S.Vector Word8
noBytes = S.empty
{-# NOINLINE noBytes #-}

-- | Copy elements as memory into a primitive vector. Given their size, this is a function for
-- 'getInSpans'.
copyToPrimitive :: P.Prim a => Int -> Ptr Word8 -> Int -> Int -> PM.MVector s a -> GetST s ()
copyToPrimitive width p0 i0 n0 v
  | lackingSlots "copyToPrimitive" i0 n0 v = pure ()
  | otherwise = case PM.unsafeSlice i0 n0 v of
    PM.MVector start _ (MutableByteArray arr) ->
      -- The same array: this runs in the state of the decoder.
      unsafeIOToPrim $
        copyToArray (MutableByteArray (unsafeCoerce# arr)) (start * width) p0 (n0 * width)
{-# INLINE copyToPrimitive #-}

-- A guard that is never true. In a checked build, it throws if the vector lacks some of the n
-- elements from index i on.
lackingSlots :: GM.MVector v a => String -> Int -> Int -> v s a -> Bool
lackingSlots whose i n v =
  broken
    "in slots"
    whose
    (i >= 0 && n >= 0 && n <= GM.length v - i)
    [("index", i), ("elements", n), ("of", GM.length v)]
{-# INLINE lackingSlots #-}

-- Read numbers in this byte order into a vector, one by one.
copySwapping ::
  forall v a s.
  (GM.MVector v a, Number a) =>
  ByteOrder ->
  Ptr Word8 ->
  Int ->
  Int ->
  v s a ->
  GetST s ()
copySwapping order p0 i0 n v = go p0 i0
  where
    end = i0 + n
    -- The element i lies at p, and the vector is long enough.
    go :: Ptr Word8 -> Int -> GetST s ()
    go p i
      | i >= end = pure ()
      | otherwise = do
        x <- unsafeIOToPrim (rd p)
        x `seq` unsafeWrite v i x
        go (p `plusPtr` sizeOf x) (i + 1)
    rd :: Ptr Word8 -> IO a
    rd p
      | order == targetByteOrder = peek (castPtr p)
      | otherwise = peekSwapped p
{-# INLINE copySwapping #-}

-- The type of "Ashlar.Get.ST", and what only the library itself may do with it.

-- | A decoder with mutable state of the state thread @s@.
--
-- 'Control.Applicative.<|>' goes back in the input, but does /not/ undo changes that the failed
-- decoder made to the state.
newtype GetST s a = GetST (Get a)
  deriving newtype (Functor, Applicative, Monad, MonadFail, Alternative, MonadPlus)

-- 'coerce' must not change the state thread.
type role GetST nominal representational

instance PrimMonad (GetST s) where
  type PrimState (GetST s) = s

  -- A run of the decoder is one state thread. State tokens of all types have the same
  -- representation, and the type of this one cannot leave 'runGetST'.
  primitive f = GetST (effect (IO (asRealWorld f)))
  {-# INLINE primitive #-}

asRealWorld :: (State# s -> (# State# s, a #)) -> State# RealWorld -> (# State# RealWorld, a #)
asRealWorld = unsafeCoerce#
{-# INLINE asRealWorld #-}

-- | Turn a decoder with mutable state into a plain one. The state is not visible outside, because
-- @s@ is not known there.
runGetST :: (forall s. GetST s a) -> Get a
runGetST g = case g of GetST get -> get
{-# INLINE runGetST #-}

-- | Turn a plain decoder into one with state.
liftGet :: Get a -> GetST s a
liftGet = GetST
{-# INLINE liftGet #-}

-- A user must not get the 'Get' inside of a 'GetST', and run it elsewhere. So no function lifts any
-- @Get a -> Get b@.

-- | 'Ashlar.Get.label' for a decoder with state.
labelST :: String -> GetST s a -> GetST s a
labelST name (GetST get) = GetST (label name get)
{-# INLINE labelST #-}

-- | 'Ashlar.Get.isolate' for a decoder with state.
isolateST :: Int -> GetST s a -> GetST s a
isolateST n (GetST get) = GetST (isolate n get)
{-# INLINE isolateST #-}

-- | 'Ashlar.Get.lookAhead' for a decoder with state. Changes to the state remain.
lookAheadST :: GetST s a -> GetST s a
lookAheadST (GetST get) = GetST (lookAhead get)
{-# INLINE lookAheadST #-}

-- | 'Ashlar.Get.deeper' for a decoder with state.
deeperST :: GetST s a -> GetST s a
deeperST (GetST get) = GetST (deeper get)
{-# INLINE deeperST #-}

-- | 'insideSpan' for a decoder with state.
insideSpanST :: Names -> GetST s a -> GetST s a
insideSpanST names (GetST get) = GetST (insideSpan names get)
{-# INLINE insideSpanST #-}

-- | 'consume' for decoders with state, under the same conditions.
consumeST :: Int -> (Ptr Word8 -> GetST s a) -> GetST s a
consumeST n rd = GetST (consume n (\p -> case rd p of GetST get -> get))
{-# INLINE consumeST #-}
