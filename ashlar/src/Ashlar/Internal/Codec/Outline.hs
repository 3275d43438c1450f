{-# LANGUAGE BangPatterns #-}
{-# LANGUAGE MagicHash #-}
{-# LANGUAGE MultiWayIf #-}
{-# LANGUAGE PatternSynonyms #-}
{-# LANGUAGE UnboxedTuples #-}
-- The walk allocates nothing, so GHC would make no point at which it can be interrupted, and at
-- which a collection of garbage can begin. (Test "a walk over many elements can be interrupted".)
{-# OPTIONS_GHC -fno-omit-yields #-}

-- |
-- Module      : Ashlar.Internal.Codec.Outline
-- Description : Where values end, without decoding them
--
-- An outline says how the bytes of a value are arranged, and nothing of what they mean. It is data,
-- and the functions that pass over a value interpret it. So a derived instance gets no code for
-- them: its outline is a few constructors.
--
-- There are two interpreters. A value whose bytes are all in memory is walked over by addresses,
-- some nanoseconds for each part. Any other is passed over by decoders, and so is one with a part
-- that only a decoder knows, with elements of no bytes, or nested too deeply.
--
-- Passing over a value checks lengths and tags, and that the bytes are there. It does not check
-- contents: UTF-8, the order of keys, numbers in their canonical form.
module Ashlar.Internal.Codec.Outline
  ( Outline (..),
    Count (Length, Varint, Doubled, Itself),
    oneOf,
    followedBy,
    compactly,
    skipOutline,
    bytesOfOutline,
    extent,
  )
where

import Ashlar.Internal.Codec.Fixed (plusSize)
import Ashlar.Internal.Codec.Length (getLength, getVarint, lengthSize)
import Ashlar.Internal.Get.Budget
  ( Budget (..),
    chargedIfEmpty,
    deeper,
    defaultBudget,
    spendEmpties,
  )
import Ashlar.Internal.Get.Bytes (getByteString, ifReadsNothing, skip)
import Ashlar.Internal.Get.Choice (match)
import Ashlar.Internal.Get.Core
import Ashlar.Internal.Get.Env (endCell, levelsCell)
import Ashlar.Internal.Get.Numbers (getWord16le, getWord8)
import Ashlar.Internal.Get.Run (inMemory)
import Ashlar.Internal.Mem (peekHost, peekLE)
import Ashlar.Internal.Mem.Cells (getInt, getPtr)
import Ashlar.Internal.Prim.Varint.Groups (readUnsigned)
import Ashlar.Internal.Prim.Varint.Type (Form (Shortest), rangeOf)
import qualified Ashlar.Internal.Prim.Varint.Type as Varint (Decoded (..))
import Control.Monad (replicateM_, unless, when)
import Data.Bits (complement, unsafeShiftR)
import Data.ByteString (ByteString)
import Data.Int (Int64)
import Data.Primitive.SmallArray
  ( SmallArray,
    indexSmallArray,
    sizeofSmallArray,
    smallArrayFromList,
  )
import Data.Word (Word16, Word64, Word8)
import Foreign.Ptr (Ptr, minusPtr, nullPtr, plusPtr)
import GHC.Exts (Addr#, Ptr (Ptr), RealWorld, State#)
import GHC.ForeignPtr (ForeignPtr (..), ForeignPtrContents, unsafeWithForeignPtr)
import GHC.IO (IO (..), unIO)

-- | How the bytes of a value are arranged. Each constructor begins with a number of bytes that
-- precede it, so that adjacent values of constant size are one addition.
--
-- All parts are lazy, because the outline of a recursive type contains itself.
data Outline
  = -- | Nothing else.
    Bytes !Int
  | -- | A count, and that many units of this many bytes.
    Units !Int !Count !Int Outline
  | -- | A count, and that many values.
    Values !Int !Count Outline Outline
  | -- | A tag of one or two bytes, which chooses what follows.
    OneOf !Int !Int (SmallArray Outline)
  | -- | Another value, which counts as a level of nesting.
    Part !Int Outline Outline
  | -- | A value whose arrangement only its decoder knows.
    Decoded !Int (Get ()) Outline

-- | How a count is written. (A number, as GHC before 9.6 does not unpack a field of several
-- constructors, and forces it in each step of a walk.)
newtype Count = Count Int

-- | As a length of eight bytes.
pattern Length :: Count
pattern Length = Count 0

-- | In LEB128.
pattern Varint :: Count
pattern Varint = Count 1

-- | In LEB128, as the double of the count, or that plus 1: the header of an 'Integer'.
pattern Doubled :: Count
pattern Doubled = Count 2

-- | A number in LEB128 that is no count, but the value itself. It counts as 0.
pattern Itself :: Count
pattern Itself = Count 3

-- | An outline after that many bytes. The sum is cut off, so that it is never negative.
after :: Int -> Outline -> Outline
after n o = case o of
  Bytes m -> Bytes (plusSize n m)
  Units m k u rest -> Units (plusSize n m) k u rest
  Values m k x rest -> Values (plusSize n m) k x rest
  OneOf m w xs -> OneOf (plusSize n m) w xs
  Part m x rest -> Part (plusSize n m) x rest
  Decoded m g rest -> Decoded (plusSize n m) g rest

-- | A tag of one or two bytes, which chooses one of these. (Each derived sum calls it.)
oneOf :: Int -> [Outline] -> Outline
oneOf w xs = OneOf 0 w (smallArrayFromList xs)
{-# NOINLINE oneOf #-}

-- | One value after another. Forces the first.
followedBy :: Outline -> Outline -> Outline
followedBy o rest = case o of
  Bytes n -> after n rest
  Units n k u (Bytes m) -> Units n k u (after m rest)
  Values n k x (Bytes m) -> Values n k x (after m rest)
  Decoded n g (Bytes m) -> Decoded n g (after m rest)
  _ -> Part 0 o rest

-- | The same with the count at the beginning in LEB128, given the decoder of all that. An outline
-- that does not show the count is of a type that wraps another, or has a format by hand.
compactly :: Get () -> Outline -> Outline
compactly g o = case o of
  Units n _ u rest -> Units n Varint u rest
  Values n _ x rest -> Values n Varint x rest
  _ -> Decoded 0 g (Bytes 0)

-- | Pass over a value. The input may be a stream.
skipOutline :: Outline -> Get ()
skipOutline o = do
  n <- spanAtHand o
  if n >= 0 then moveBy n else stepOver o
{-# NOINLINE skipOutline #-}

-- | Pass over a value, and return its bytes.
bytesOfOutline :: Outline -> Get ByteString
bytesOfOutline o = do
  n <- spanAtHand o
  if n >= 0 then getByteString n else fst <$> match (stepOver o)
{-# NOINLINE bytesOfOutline #-}

-- The number of bytes of a value, if all of them are at hand, and neither a decoder has to run
-- nor a step of the budget is taken. Otherwise -1.
spanAtHand :: Outline -> Get Int
spanAtHand o = inspect $ \c _ p -> do
  e <- getPtr c endCell
  -- (In a traced run it is the complement.)
  left <- getInt c levelsCell
  walked o (if left < 0 then complement left else left) p e
{-# NOINLINE spanAtHand #-}

-- Pass over a value that may not be at hand, part by part. Parts are not tried with 'spanAtHand':
-- the bytes of one that is cut off would be walked over once for each level.
stepOver :: Outline -> Get ()
stepOver o = case o of
  Bytes n -> skip n
  Units n k u rest -> do
    m <- skip n *> getCount k
    if
        | u == 0 -> spendEmpties m
        | m > maxBound `quot` u -> skip maxBound
        | otherwise -> skip (m * u)
    stepOver rest
  Values n k x rest -> do
    m <- skip n *> getCount k
    when (m > 0) $ deeper (stepOverAll x m)
    stepOver rest
  OneOf n w xs -> do
    tag <- skip n *> if w == 1 then fromIntegral <$> getWord8 else fromIntegral <$> getWord16le
    if tag < sizeofSmallArray xs
      then stepOver (indexSmallArray xs tag)
      else invalid ("constructor tag " ++ show tag ++ " of " ++ show (sizeofSmallArray xs))
  Part n x rest -> skip n *> deeper (stepOver x) *> stepOver rest
  Decoded n g rest -> skip n *> g *> stepOver rest

-- Step over m >= 1 values. If the first takes no bytes, neither do the others.
stepOverAll :: Outline -> Int -> Get ()
stepOverAll x m = do
  empty <- ifReadsNothing (\_ -> True <$ spendEmpties m) (False <$ stepOver x)
  unless empty $ replicateM_ (m - 1) (chargedIfEmpty (stepOver x))

getCount :: Count -> Get Int
getCount k = case k of
  Length -> getLength
  Varint -> getVarint >>= fits
  Doubled -> getVarint >>= \n -> fits (n `unsafeShiftR` 1)
  _ -> 0 <$ getVarint
  where
    fits n
      | n > fromIntegral (maxBound :: Int) = invalid ("length " ++ show n)
      | otherwise = pure (fromIntegral n)

-- | The size of the value that memory begins with: its lengths and tags are right, and its bytes
-- are there. Otherwise, or if only a run within a budget can tell, -1.
--
-- (GHC cannot see whether the walk returns, so it does not drop what keeps the bytes alive.)
extent ::
  Outline ->
  -- | The first byte, and the address after the last.
  Addr# ->
  Addr# ->
  -- | What keeps the bytes alive.
  ForeignPtrContents ->
  Int
extent o a e c = inMemory . unsafeWithForeignPtr (ForeignPtr a c) $ \p ->
  walked o (budgetDepth defaultBudget) p (Ptr e)
{-# NOINLINE extent #-}

-- An address at which no string ends. (The empty string may be at the address 0.)
nowhere :: Ptr Word8
nowhere = nullPtr `plusPtr` (-1)
{-# INLINE nowhere #-}

-- The size of a value, or -1 if the walk ends 'nowhere'.
walked ::
  Outline ->
  -- How many levels may be nested.
  Int ->
  -- The first byte, and the address after the last.
  Ptr Word8 ->
  Ptr Word8 ->
  IO Int
walked o levels p@(Ptr a) (Ptr e) = IO $ \s -> case walk o levels a e s of
  (# s', q #) ->
    let !size = if Ptr q == nowhere then -1 else Ptr q `minusPtr` p
     in (# s', size #)
{-# INLINE walked #-}

-- An action that returns the address after a value, or 'nowhere'. The address is unboxed, or each
-- call would allocate.
type Walk = State# RealWorld -> (# State# RealWorld, Addr# #)

-- The arguments fit the registers, so a step of the loop writes no memory but where it forces what
-- follows. Every read is preceded by a comparison with the end. Nothing is allocated.
walk :: Outline -> Int -> Addr# -> Addr# -> Walk
walk o !levels p# e# = case o of
  Bytes n -> past p n found
  Units n k u rest -> past p n $ \q -> counted k q $ \m r ->
    if
        | u == 0 -> if m == 0 then on rest levels r else refused
        | fits m u (e `minusPtr` r) -> on rest levels (r `plusPtr` (m * u))
        | otherwise -> refused
  Values n k x rest -> past p n $ \q -> counted k q $ \m r ->
    if levels == 0 && m > 0 then refused else thenOn rest (values x m r)
  OneOf n w xs -> past p n $ \q -> past q w $ \r ->
    reading (if w == 1 then fromIntegral <$> tag8 q else fromIntegral <$> tag16 q) $ \tag ->
      if tag < sizeofSmallArray xs then on (indexSmallArray xs tag) levels r else refused
  Part n x rest -> past p n $ \q ->
    if levels == 0
      then refused
      else case rest of
        Bytes 0 -> on x (levels - 1) q
        _ -> thenOn rest (on x (levels - 1) q)
  Decoded {} -> refused
  where
    p = Ptr p#
    e = Ptr e#
    found :: Ptr Word8 -> Walk
    found (Ptr q) s = (# s, q #)
    {-# INLINE found #-}
    refused = found nowhere
    on :: Outline -> Int -> Ptr Word8 -> Walk
    on x left (Ptr q) = walk x left q e#
    {-# INLINE on #-}
    thenOn :: Outline -> Walk -> Walk
    thenOn x m s = case m s of
      (# s', q #) -> if Ptr q == nowhere then refused s' else on x levels (Ptr q) s'
    {-# INLINE thenOn #-}
    reading :: IO a -> (a -> Walk) -> Walk
    reading m next s = case unIO m s of (# s', x #) -> next x s'
    {-# INLINE reading #-}
    -- Go on where n bytes have been passed, if they are there.
    past :: Ptr Word8 -> Int -> (Ptr Word8 -> Walk) -> Walk
    past q n next
      | n <= e `minusPtr` q = next (q `plusPtr` n)
      | otherwise = refused
    {-# INLINE past #-}
    counted :: Count -> Ptr Word8 -> (Int -> Ptr Word8 -> Walk) -> Walk
    counted k q next = case k of
      Length -> past q lengthSize $ \r ->
        reading (fixedCount q) $ \m -> if m < 0 then refused else next m r
      _ -> reading (varintCount k q e) $ \(m, r) -> if r == nowhere then refused else next m r
    {-# INLINE counted #-}
    values :: Outline -> Int -> Ptr Word8 -> Walk
    values x m r s
      | m <= 0 = found r s
      | otherwise = case on x (levels - 1) r s of
        (# s', a #)
          | q == nowhere -> refused s'
          -- Values that have no bytes take a part of the run's budget, as a decoder does.
          | q == r -> refused s'
          | otherwise -> values x (m - 1) q s'
          where
            q = Ptr a
    -- (A division takes as long as all the rest.)
    fits m u left = if u == 1 then m <= left else m <= left `quot` u
    {-# INLINE fits #-}
    tag8 q = peekHost q :: IO Word8
    tag16 q = peekLE q :: IO Word16

-- Read a count of eight bytes, all of which are there. -1 if it is negative or exceeds 'Int'.
fixedCount :: Ptr Word8 -> IO Int
fixedCount p = do
  n <- peekLE p :: IO Int64
  -- On 32 bits a length may be too large for an 'Int'.
  pure $! if n < 0 || n > fromIntegral (maxBound :: Int) then -1 else fromIntegral n
{-# INLINE fixedCount #-}

-- A count in LEB128 between two addresses, and the address after it, or 'nowhere'.
varintCount :: Count -> Ptr Word8 -> Ptr Word8 -> IO (Int, Ptr Word8)
varintCount k p e = do
  found <- readUnsigned Shortest (rangeOf (0 :: Word64)) p (e `minusPtr` p)
  pure $ case found of
    Varint.Decoded width w
      | n <- count w, n <= fromIntegral (maxBound :: Int) -> (fromIntegral n, p `plusPtr` width)
    _ -> (0, nowhere)
  where
    count w = case k of
      Varint -> w
      Doubled -> w `unsafeShiftR` 1
      _ -> 0
{-# INLINE varintCount #-}
