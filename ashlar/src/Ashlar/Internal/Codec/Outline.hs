{-# LANGUAGE BangPatterns #-}
{-# LANGUAGE MagicHash #-}
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
-- some nanoseconds for each part. Any other is passed over by decoders.
--
-- Passing over a value checks lengths and tags, and that the bytes are there. It does not check
-- contents: UTF-8, the order of keys, numbers in their canonical form.
module Ashlar.Internal.Codec.Outline
  ( Outline (..),
    Count (..),
    followedBy,
    compactly,
    skipOutline,
    bytesOfOutline,
    Trust (..),
    endOfOutline,
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
    withBudget,
  )
import Ashlar.Internal.Get.Bytes (getByteString, skip)
import Ashlar.Internal.Get.Choice (match)
import Ashlar.Internal.Get.Core
import Ashlar.Internal.Get.Env (endCell, levelsCell)
import Ashlar.Internal.Get.Numbers (getWord16le, getWord8)
import Ashlar.Internal.Get.Run (inMemory, runGetRest)
import Ashlar.Internal.Mem (peekHost, peekLE, withBytesQuick)
import Ashlar.Internal.Mem.Cells (getInt, getPtr)
import Ashlar.Internal.Prim.Varint.Groups (readUnsigned)
import Ashlar.Internal.Prim.Varint.Type (Form (Shortest), rangeOf)
import qualified Ashlar.Internal.Prim.Varint.Type as Varint (Decoded (..))
import Control.Monad (replicateM_, when)
import Data.Bits (complement, unsafeShiftR)
import Data.ByteString (ByteString)
import qualified Data.ByteString as S
import qualified Data.ByteString.Internal as B
import Data.Int (Int64)
import Data.Primitive.SmallArray (SmallArray, indexSmallArray, sizeofSmallArray)
import Data.Word (Word16, Word64, Word8)
import Foreign.Ptr (Ptr, minusPtr, nullPtr, plusPtr)
import GHC.Exts (Addr#, Ptr (Ptr), RealWorld, State#)
import GHC.ForeignPtr (ForeignPtr (..), ForeignPtrContents (FinalPtr))
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

-- | How a count is written.
data Count
  = -- | As a length of eight bytes.
    Length
  | -- | In LEB128.
    Varint
  | -- | In LEB128, as the double of the count, or that plus 1: the header of an 'Integer'.
    Doubled
  | -- | A number in LEB128 that is no count, but the value itself. The 'Units' after it have 0
    -- bytes.
    Itself

-- | An outline after that many bytes. The sum is cut off, so that it is never negative.
after :: Int -> Outline -> Outline
after n o = case o of
  Bytes m -> Bytes (plusSize n m)
  Units m k u rest -> Units (plusSize n m) k u rest
  Values m k x rest -> Values (plusSize n m) k x rest
  OneOf m w xs -> OneOf (plusSize n m) w xs
  Part m x rest -> Part (plusSize n m) x rest
  Decoded m g rest -> Decoded (plusSize n m) g rest

-- | One value after another. Forces the first.
followedBy :: Outline -> Outline -> Outline
followedBy o rest = case o of
  Bytes n -> after n rest
  Units n k u (Bytes m) -> Units n k u (after m rest)
  Values n k x (Bytes m) -> Values n k x (after m rest)
  Decoded n g (Bytes m) -> Decoded n g (after m rest)
  _ -> Part 0 o rest

-- | The same with the count at the beginning in LEB128.
compactly :: Outline -> Outline
compactly o = case o of
  Units n _ u rest -> Units n Varint u rest
  Values n _ x rest -> Values n Varint x rest
  _ -> o

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
  extent Unseen FinalPtr o (if left < 0 then complement left else left) p e
{-# NOINLINE spanAtHand #-}

-- Pass over a value that may not be at hand, part by part. Parts are not tried with 'spanAtHand':
-- the bytes of one that is cut off would be walked over once for each level.
stepOver :: Outline -> Get ()
stepOver o = case o of
  Bytes n -> skip n
  Units n k u rest -> do
    m <- skip n *> getCount k
    case k of
      Itself -> pure ()
      _
        | u == 0 -> spendEmpties m
        | m > maxBound `quot` u -> skip maxBound
        | otherwise -> skip (m * u)
    stepOver rest
  Values n k x rest -> do
    m <- skip n *> getCount k
    when (m > 0) $ deeper (replicateM_ m (chargedIfEmpty (stepOver x)))
    stepOver rest
  OneOf n w xs -> do
    tag <- skip n *> if w == 1 then fromIntegral <$> getWord8 else fromIntegral <$> getWord16le
    if tag < sizeofSmallArray xs
      then stepOver (indexSmallArray xs tag)
      else invalid ("constructor tag " ++ show tag ++ " of " ++ show (sizeofSmallArray xs))
  Part n x rest -> skip n *> deeper (stepOver x) *> stepOver rest
  Decoded n g rest -> skip n *> g *> stepOver rest

getCount :: Count -> Get Int
getCount k = case k of
  Length -> getLength
  Varint -> getVarint >>= fits
  Doubled -> getVarint >>= \n -> fits (n `unsafeShiftR` 1)
  Itself -> 0 <$ getVarint
  where
    fits n
      | n > fromIntegral (maxBound :: Int) = invalid ("length " ++ show n)
      | otherwise = pure (fromIntegral n)

-- | What is known of bytes that are walked over.
data Trust
  = -- | Nothing. So the walk ends at what takes a part of the run's budget: a decoder, and values
    -- that have no bytes.
    Unseen
  | -- | They are those of a view. Its value was passed over within the budget of one run, or has
    -- constant size, or was encoded here. So this walk has no limits, nor have decoders in it.
    Passed

-- | The offset at which a value ends, if the string begins with one: its lengths and tags are
-- right, and its bytes are there. Otherwise -1.
endOfOutline :: Trust -> Outline -> ByteString -> Int
endOfOutline trust o bs = inMemory $
  -- GHC cannot see whether the walk returns, so it does not drop what keeps the string alive.
  withBytesQuick bs $ \p n -> extent trust contents o levels p (p `plusPtr` n)
  where
    contents = case B.toForeignPtr bs of (ForeignPtr _ c, _, _) -> c
    levels = case trust of
      Unseen -> budgetDepth defaultBudget
      Passed -> maxBound
{-# NOINLINE endOfOutline #-}

-- How many bytes a value has, or -1 if 'walking' ends nowhere.
extent :: Trust -> ForeignPtrContents -> Outline -> Int -> Ptr Word8 -> Ptr Word8 -> IO Int
extent trust c o levels p e = do
  q <- walking trust c o levels p e
  pure $! if q == nowhere then -1 else q `minusPtr` p
{-# INLINE extent #-}

-- An address at which no string ends. (The empty string may be at the address 0.)
nowhere :: Ptr Word8
nowhere = nullPtr `plusPtr` (-1)
{-# INLINE nowhere #-}

-- The address after a value, or 'nowhere'.
walking ::
  Trust ->
  -- What keeps the bytes alive, for decoders.
  ForeignPtrContents ->
  Outline ->
  -- How many levels may be nested.
  Int ->
  -- The first byte, and the address after the last.
  Ptr Word8 ->
  Ptr Word8 ->
  IO (Ptr Word8)
walking trust c o levels (Ptr p) (Ptr e) = IO $ \s -> case walk trust c o levels p e s of
  (# s', q #) -> (# s', Ptr q #)
{-# INLINE walking #-}

-- The address is unboxed in the result, or each call would allocate. Every read is preceded by a
-- comparison with the end. Only decoders allocate.
walk ::
  Trust ->
  ForeignPtrContents ->
  Outline ->
  Int ->
  Addr# ->
  Addr# ->
  State# RealWorld ->
  (# State# RealWorld, Addr# #)
walk trust c o !levels p# e# s0 = case unIO passing s0 of
  (# s1, Ptr q #) -> (# s1, q #)
  where
    p = Ptr p#
    e = Ptr e#
    -- Go on where n bytes have been passed, if they are there.
    past q n next
      | n <= e `minusPtr` q = next (q `plusPtr` n)
      | otherwise = refused
    {-# INLINE past #-}
    on x left q = if q == nowhere then refused else walking trust c x left q e
    {-# INLINE on #-}
    passing = case o of
      Bytes n -> past p n pure
      Units n k u rest -> past p n $ \q -> counted k q $ \m r -> case k of
        Itself -> on rest levels r
        _
          | u == 0 -> if m <= mostEmpty then on rest levels r else refused
          | fits m u (e `minusPtr` r) -> on rest levels (r `plusPtr` (m * u))
          | otherwise -> refused
      Values n k x rest -> past p n $ \q -> counted k q $ \m r ->
        if levels == 0 && m > 0 then refused else values x m r >>= on rest levels
      OneOf n w xs -> past p n $ \q -> past q w $ \r -> do
        tag <- if w == 1 then fromIntegral <$> byteAt q else fromIntegral <$> tag16 q
        if tag < sizeofSmallArray xs then on (indexSmallArray xs tag) levels r else refused
      Part n x rest -> past p n $ \q ->
        if levels == 0
          then refused
          else case rest of
            Bytes 0 -> on x (levels - 1) q
            _ -> walking trust c x (levels - 1) q e >>= on rest levels
      Decoded n g rest -> case trust of
        Unseen -> refused
        Passed -> past p n $ \q@(Ptr a) ->
          -- Both addresses lie in the string.
          case runGetRest
            (withBudget boundless g)
            (B.fromForeignPtr (ForeignPtr a c) 0 (e `minusPtr` q)) of
            Right (_, unread) -> on rest levels (e `plusPtr` negate (S.length unread))
            Left _ -> refused
    counted k q next = do
      (m, r) <- readCount k q e
      if r == nowhere then refused else next m r
    {-# INLINE counted #-}
    values x m r
      | m <= 0 || r == nowhere = pure r
      | otherwise = do
        q <- walking trust c x (levels - 1) r e
        -- If one has no bytes, then all after it are the same.
        if q == r then (if m <= mostEmpty then pure r else refused) else values x (m - 1) q
    -- (A division takes as long as all the rest.)
    fits m u left = if u == 1 then m <= left else m <= left `quot` u
    {-# INLINE fits #-}
    mostEmpty = case trust of
      Unseen -> 0
      Passed -> maxBound
    {-# INLINE mostEmpty #-}
    boundless = defaultBudget {budgetDepth = maxBound, budgetSteps = maxBound}
    tag16 q = peekLE q :: IO Word16
    refused = pure nowhere

-- | Read a count between two addresses. The address after it is 'nowhere' if there is none.
readCount :: Count -> Ptr Word8 -> Ptr Word8 -> IO (Int, Ptr Word8)
readCount k p e = case k of
  Length
    | have < lengthSize -> none
    | otherwise -> do
      n <- peekLE p :: IO Int64
      -- On 32 bits a length may be too large for an 'Int'.
      if n < 0 || n > fromIntegral (maxBound :: Int)
        then none
        else pure (fromIntegral n, p `plusPtr` lengthSize)
  Varint -> varint (\n -> n)
  Doubled -> varint (`unsafeShiftR` 1)
  Itself -> varint (\_ -> 0)
  where
    have = e `minusPtr` p
    none = pure (0, nowhere)
    varint :: (Word64 -> Word64) -> IO (Int, Ptr Word8)
    varint f = do
      found <- readUnsigned Shortest (rangeOf (0 :: Word64)) p have
      case found of
        Varint.Decoded width w
          | f w <= fromIntegral (maxBound :: Int) -> pure (fromIntegral (f w), p `plusPtr` width)
        _ -> none
{-# INLINE readCount #-}

byteAt :: Ptr Word8 -> IO Word8
byteAt = peekHost
{-# INLINE byteAt #-}
