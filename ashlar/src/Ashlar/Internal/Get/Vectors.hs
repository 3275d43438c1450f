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
-- Vectors of numbers of fixed size in either byte order. Where the order is the machine's,
-- they are copied as memory, else swapped in a loop without checks.
--
-- Note [Vectors grow as they arrive]
-- ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
-- The number of elements may be untrusted input. Memory is allocated for as many as the bytes at
-- hand could make. It is doubled when those have been decoded and there are more to come. So it is
-- proportional to input that has arrived, and a number that is too large fails where the input
-- ends. (Tests "hostile lengths".)
module Ashlar.Internal.Get.Vectors
  ( getVectorLE,
    getVectorBE,
    getVectorHost,
    getVectorOf,
    NumberVector,
    NumberElement,

    -- * For other modules
    getInSpans,
    copyToStorable,
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
import Ashlar.Internal.Get.Choice (lookAhead)
import Ashlar.Internal.Get.Core
import Ashlar.Internal.Get.Fail
import Ashlar.Internal.Get.Numbers (available)
import Ashlar.Internal.Get.Path (Names)
import Ashlar.Internal.Mem (Number (..), copyRange)
import Ashlar.Internal.Mem.Check (broken)
import qualified Ashlar.Internal.Mem.Slots as Slots
import Control.Applicative (Alternative)
import Control.Monad (MonadPlus)
import Control.Monad.Primitive (PrimMonad (..), unsafeIOToPrim)
import Data.Int (Int16, Int32, Int64, Int8)
import Data.Primitive.Ptr (copyPtrToMutableByteArray)
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

-- | A number whose format has the bytes that it has in memory, in one order or the
-- other: words and integers of 8 to 64 bits, 'Float' and 'Double'. Not 'Int' and 'Word',
-- which do not have the same size on every machine.
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
-- Memory is taken as they are decoded. Those that read nothing are counted against a budget.
--
-- >>> import qualified Data.Vector as V
-- >>> let text = getNested (fromIntegral <$> getWord8) getRemainingTextUtf8
-- >>> runGet (getVectorOf 2 text) "\1a\2bc" :: Either DecodeError (V.Vector Text)
-- Right ["a","bc"]
getVectorOf :: forall v a. G.Vector v a => Int -> Get a -> Get (v a)
getVectorOf n p
  | n < 0 = invalid "getVectorOf: negative number of elements"
  -- Elements may be vectors themselves: if each took memory for all that the input could hold, that
  -- would be quadratic.
  | otherwise = runGetST (Slots.unsafeNew (min n 4) >>= fill 0)
  where
    -- The first i elements are there.
    fill :: Int -> G.Mutable v s a -> GetST s (v a)
    fill i v
      | i >= n = G.unsafeFreeze v
      | i >= GM.length v = Slots.unsafeGrow v (growthOf n i) >>= fill i
      | otherwise = do
        x <- liftGet (chargedIfEmpty p)
        -- i is less than the vector's length.
        x `seq` Slots.unsafeWrite v i x
        fill (i + 1) v
{-# INLINE getVectorOf #-}

-- A vector of numbers by a function as for 'getInSpans', which is given the size of an element
-- first.
getNumbersBy ::
  forall v a.
  (G.Vector v a, NumberElement a) =>
  (forall s. Int -> Ptr Word8 -> Int -> Int -> G.Mutable v s a -> GetST s ()) ->
  Int ->
  Get (v a)
getNumbersBy copy n
  | n < 0 = invalid "getVector: negative number of elements"
  | otherwise = getInSpans (\_ reading -> reading) width n (copy width)
  where
    width = sizeOf (0 :: a)
{-# INLINE getNumbersBy #-}

-- | A vector of elements of constant size, read in spans.
getInSpans ::
  G.Vector v a =>
  -- | Given the index of the first element of a span: what errors say of the span.
  (forall s. Int -> GetST s () -> GetST s ()) ->
  -- | Bytes of an element, more than none.
  Int ->
  -- | Elements, not negative.
  Int ->
  -- | Given the address of a span, the index of its first element, the number of its elements, and
  -- the vector, which is long enough: put them there.
  (forall s. Ptr Word8 -> Int -> Int -> G.Mutable v s a -> GetST s ()) ->
  Get (v a)
getInSpans named width n copy
  -- One for all, or a byte of input could be an array of its own.
  | n == 0 = pure G.empty
  | otherwise = do
    announceElements width n
    bytes <- available
    runGetST (Slots.unsafeNew (min n (bytes `quot` width)) >>= fill 0)
  where
    -- The first i elements have been read.
    fill i v
      | i >= n = G.unsafeFreeze v
      | i >= GM.length v = Slots.unsafeGrow v (growthOf n i) >>= fill i
      | otherwise = do
        bytes <- liftGet available
        -- One element at least: if it is in two chunks, it is brought together. Otherwise no more
        -- than there are, so nothing overflows.
        let m = max 1 (min (GM.length v - i) (bytes `quot` width))
        named i (consumeST (m * width) (\p -> copy p i m v))
        fill (i + m) v
{-# INLINE getInSpans #-}

-- | By how much a vector is to grow: it doubles, and ends at the right size.
growthOf ::
  -- | Its elements in the end.
  Int ->
  -- | Its elements now.
  Int ->
  Int
growthOf n i = min (n - i) (max 4 i)
{-# INLINE growthOf #-}

-- | Copy elements into a storable vector, where they have the same bytes. Given their size, it is a
-- function for 'getInSpans'.
copyToStorable :: S.Storable a => Int -> Ptr Word8 -> Int -> Int -> SM.MVector s a -> GetST s ()
copyToStorable width p i n v
  | lackingSlots "copyToStorable" i n v = pure ()
  | otherwise = case SM.unsafeToForeignPtr0 (SM.unsafeSlice i n v) of
    -- The vector stays alive: it is returned in the end.
    (fp, _) -> unsafeIOToPrim (copyRange (castPtr (unsafeForeignPtrToPtr fp)) p (n * width))
{-# INLINE copyToStorable #-}

-- | Copy elements into a primitive vector, where they have the same bytes. Given their size, it is
-- a function for 'getInSpans'.
copyToPrimitive :: P.Prim a => Int -> Ptr Word8 -> Int -> Int -> PM.MVector s a -> GetST s ()
copyToPrimitive width p0 i0 n0 v
  | lackingSlots "copyToPrimitive" i0 n0 v = pure ()
  | otherwise = case PM.unsafeSlice i0 n0 v of
    PM.MVector start _ arr ->
      -- At most 64 KiB a call: Note [Foreign copies].
      let go p i n
            | n <= most = copyPtrToMutableByteArray arr i (castPtr p `asElementsOf` v) n
            | otherwise = do
              copyPtrToMutableByteArray arr i (castPtr p `asElementsOf` v) most
              go (p `plusPtr` (most * width)) (i + most) (n - most)
          most = max 1 (65536 `quot` width)
       in go p0 start n0
{-# INLINE copyToPrimitive #-}

-- A guard, as 'broken': the vector lacks some of n elements from index i on.
lackingSlots :: GM.MVector v a => String -> Int -> Int -> v s a -> Bool
lackingSlots whose i n v =
  broken
    "in slots"
    whose
    (i >= 0 && n >= 0 && n <= GM.length v - i)
    [("index", i), ("elements", n), ("of", GM.length v)]
{-# INLINE lackingSlots #-}

asElementsOf :: Ptr a -> v a -> Ptr a
asElementsOf p _ = p

-- Read numbers one by one, with their bytes in this order.
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
    -- The elements from i up to the end lie at p, and the vector is long enough.
    go :: Ptr Word8 -> Int -> GetST s ()
    go p i
      | i >= end = pure ()
      | otherwise = do
        x <- unsafeIOToPrim (rd p)
        x `seq` Slots.unsafeWrite v i x
        go (p `plusPtr` sizeOf x) (i + 1)
    rd :: Ptr Word8 -> IO a
    rd p
      | order == targetByteOrder = peek (castPtr p)
      | otherwise = peekSwapped p
{-# INLINE copySwapping #-}

-- Mutable state inside a decoder.
--
-- The type of "Ashlar.Get.ST", and what only the library itself may do with it.

-- | A decoder with mutable state that belongs to the thread of state @s@.
--
-- 'Control.Applicative.<|>' goes back in the input, and does /not/ undo what the failed decoder has
-- written.
newtype GetST s a = GetST (Get a)
  deriving newtype (Functor, Applicative, Monad, MonadFail, Alternative, MonadPlus)

-- The state must not be exchanged for another by coercion.
type role GetST nominal representational

instance PrimMonad (GetST s) where
  type PrimState (GetST s) = s

  -- A run of the decoder is one thread of state. State tokens of all types are the same thing, and
  -- the type of this one cannot leave 'runGetST'.
  primitive f = GetST (effect (IO (asRealWorld f)))
  {-# INLINE primitive #-}

asRealWorld :: (State# s -> (# State# s, a #)) -> State# RealWorld -> (# State# RealWorld, a #)
asRealWorld = unsafeCoerce#
{-# INLINE asRealWorld #-}

-- | A decoder that uses mutable state inside. Nothing of the state is visible from outside, because
-- @s@ is not known there.
runGetST :: (forall s. GetST s a) -> Get a
runGetST g = case g of GetST get -> get
{-# INLINE runGetST #-}

-- | Use a decoder without state among those with state.
liftGet :: Get a -> GetST s a
liftGet = GetST
{-# INLINE liftGet #-}

-- A decoder with state must not be turned into one without, which could be run elsewhere. So there
-- is no function that takes any @Get a -> Get b@.

-- | 'Ashlar.Get.label' for a decoder with state.
labelST :: String -> GetST s a -> GetST s a
labelST name (GetST get) = GetST (label name get)
{-# INLINE labelST #-}

-- | 'Ashlar.Get.isolate' for a decoder with state.
isolateST :: Int -> GetST s a -> GetST s a
isolateST n (GetST get) = GetST (isolate n get)
{-# INLINE isolateST #-}

-- | 'Ashlar.Get.lookAhead' for a decoder with state, whose writes stay.
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

-- | 'consume' with mutable state; it has the same demands.
consumeST :: Int -> (Ptr Word8 -> GetST s a) -> GetST s a
consumeST n rd = GetST (consume n (\p -> case rd p of GetST get -> get))
{-# INLINE consumeST #-}
