{-# LANGUAGE AllowAmbiguousTypes #-}
{-# LANGUAGE DataKinds #-}
{-# LANGUAGE DefaultSignatures #-}
{-# LANGUAGE EmptyCase #-}
{-# LANGUAGE FlexibleContexts #-}
{-# LANGUAGE FlexibleInstances #-}
{-# LANGUAGE MagicHash #-}
{-# LANGUAGE MultiParamTypeClasses #-}
{-# LANGUAGE ScopedTypeVariables #-}
{-# LANGUAGE TypeApplications #-}
{-# LANGUAGE TypeFamilies #-}
{-# LANGUAGE TypeOperators #-}
{-# LANGUAGE UndecidableInstances #-}
-- Unfoldings must not be eta-expanded: see Note [Generic methods].
{-# OPTIONS_GHC -fno-do-lambda-eta-expansion #-}

-- |
-- Module      : Ashlar.Codec.Class
-- Description : The class of types with a binary format, and its derivation
--
-- Invariants:
--
-- [INV-C1] @length (encode x) == size x@.
-- [INV-C2] @decode (encode x) == Right x@, with at most 1,048,576 elements of no
--   size.
-- [INV-C3] Decoding any bytes ends in time and memory proportional to their
--   number.
--
-- Note [The shape of the class]
-- ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
-- Tried and dropped (GHC 9.0.2): one method that returns a sum of records with
-- size, put and get inside is perfect on flat types, but makes the instance of
-- a recursive type a loop breaker, and a tree decodes 20 times slower at -O1.
-- Sizes on the type level reject @Codec a => Codec (Pair a)@. With the layout
-- apart from the three functions, each of them is a recursive function of its
-- own, and the layout a value that is known when the instance is compiled.
module Ashlar.Codec.Class
  ( Codec (..),
    Layout (..),
    leastSize,
    GCodec (..),
    genericLayout,
    genericSize,
    genericPut,
    genericGet,
  )
where

import Ashlar.Builder.Core
import Ashlar.Codec.Format
import Ashlar.Get.Core
import Data.Kind (Type)
import Data.Word (Word8)
import Foreign.Ptr (Ptr, plusPtr)
import GHC.Exts (Int (I#), isTrue#, (+#), (<=#), (==#))
import GHC.Generics

-- | Types whose values have a binary format.
--
-- Derive it:
--
-- >>> :set -XDeriveGeneric -XDeriveAnyClass
-- >>> data Shape = Circle Double | Rectangle Double Double deriving (Show, Generic, Codec)
-- >>> decode (encode (Rectangle 1 2)) :: Either DecodeError Shape
-- Right (Rectangle 1.0 2.0)
--
-- The derived format of a type with one constructor is its fields one after
-- the other; with several, a tag (one byte for up to 256 constructors, else
-- two, least significant first), the number of the constructor from 0 on, and
-- then its fields.
--
-- An instance written by hand must keep these laws: 'get' reads what 'put'
-- wrote, 'size' is the number of bytes that 'put' writes; and if 'layout' is
-- @'Fix' f@, then @'put' = 'putFixed' f@, @'get' = 'getFixed' f@ and
-- @'size' _ = 'fixedSize' f@.
--
-- @since 0.1.0.0
class Codec a where
  -- | 'Fix' if all values take the same number of bytes, else 'Var'. It must not
  -- ask for the layout of a type that contains this one, or it loops. Derived: a
  -- type with several constructors is 'Fix' only if none of them has fields.
  layout :: Layout a
  default layout :: (Generic a, GCodec (Rep a)) => Layout a
  layout = genericLayout

  -- | The exact number of bytes that 'put' writes.
  size :: a -> Int
  default size :: (Generic a, GCodec (Rep a)) => a -> Int
  size = genericSize

  -- | Write a value.
  put :: a -> Builder
  default put :: (Generic a, GCodec (Rep a)) => a -> Builder
  put = genericPut

  -- | Read a value.
  get :: Get a
  default get :: (Generic a, GCodec (Rep a)) => Get a
  get = genericGet

-- | How many bytes the values of a type take.
--
-- @since 0.1.0.0
data Layout a
  = -- | All of them as many as this format says.
    Fix !(Fixed a)
  | -- | It depends on the value; at least so many. State at least 1 if every
    -- value has at least one byte: with 0 the elements of a container count
    -- against the budget for elements of no size ('Ashlar.Codec.decode'), and
    -- long containers are refused. Apart from that the number only decides how
    -- much memory is allocated in advance, and a wrong one is safe.
    Var !Int

-- | The least number of bytes a value takes.
--
-- @since 0.1.0.0
leastSize :: Layout a -> Int
leastSize (Fix f) = fixedSize f
leastSize (Var n) = n
{-# INLINE leastSize #-}

-- Note [Generic methods]
-- ~~~~~~~~~~~~~~~~~~~~~~
-- Everything generic is gone after optimisation (an inspection test looks).
-- It takes:
--
-- * INLINE on every method of the generic classes, and none on the defaults of
--   'Codec': there it costs up to twice the compile time.
-- * The layout of a node as a value. Each product asks for its own: if it is
--   fixed, it is read with one check; if not, its halves ask for theirs.
-- * The constructors of a sum are read with a continuation, which puts together
--   the whole value. A result that is returned through the comparisons of the
--   tag would be boxed once for each.
-- * "Is it an enumeration?" is answered by the shape of the type alone. To ask
--   the fields for their layouts would loop for a recursive type.
-- * The number of constructors is in a class of its own: called at run time
--   from within the class of sums, it keeps all their dictionaries, and 200
--   constructors take 46 s to compile.
-- * What is done for one constructor of a sum is unfolded only in phase 0, after
--   'from' (which is unfolded in phase 1 from GHC 9.2 on). As long as it is but a
--   call, the comparisons of the representation with itself, one within the
--   other, are cheap to copy, and cancel out. Otherwise the compiler makes join
--   points of them, and at -O1 keeps the representation to pass to them.
-- * At phase 0 it is too late for the rules that merge reservations. So the writer
--   merges them itself: it carries the fixed writes that stand at its end until
--   something variable follows ('Pending').
-- * This module and those whose formats it uses are compiled with
--   @-fno-do-lambda-eta-expansion@. GHC would expand the unfoldings of INLINE
--   functions that make builders to functions of the builder's three arguments
--   (9.0.2, 9.6.6 and 9.10.3 do), and a reservation inside a lambda is not seen by
--   the rules. The inspection test "mixedFields" counts one check more without it.

-- | The derived layout, for instances that write only some methods by hand.
--
-- @since 0.1.0.0
genericLayout :: (Generic a, GCodec (Rep a)) => Layout a
genericLayout = case gLayout of
  Fix f -> Fix (fixedMap from to f)
  Var n -> Var n
{-# INLINE genericLayout #-}

-- | The derived size.
--
-- @since 0.1.0.0
genericSize :: (Generic a, GCodec (Rep a)) => a -> Int
genericSize x = gSize (from x)
{-# INLINE genericSize #-}

-- | The derived writer.
--
-- @since 0.1.0.0
genericPut :: (Generic a, GCodec (Rep a)) => a -> Builder
genericPut x = gPut nothing (from x) written
{-# INLINE genericPut #-}

-- | The derived reader.
--
-- @since 0.1.0.0
genericGet :: (Generic a, GCodec (Rep a)) => Get a
genericGet = gGet to
{-# INLINE genericGet #-}

-- Bytes that are still to be written: their number, a constant, and how.
data Pending = Pending !Int (Ptr Word8 -> IO ())

nothing :: Pending
nothing = Pending 0 (\_ -> pure ())
{-# INLINE nothing #-}

-- Write them now.
written :: Pending -> Builder
written (Pending n@(I# n#) write)
  | isTrue# (n# ==# 0#) = empty
  | otherwise = ensure n (\p -> (p `plusPtr` n) <$ write p)
{-# INLINE written #-}

-- One more value; together no more than the rules would merge.
pendingWith :: Pending -> Fixed a -> a -> (Pending -> Builder) -> Builder
pendingWith pending@(Pending n@(I# n#) write) f x k = case fixedSize f of
  I# size#
    | isTrue# (n# +# size# <=# 256#) ->
        k (Pending (n + fixedSize f) (\p -> write p >> fixedWrite f (p `plusPtr` n) x))
    | otherwise -> append (written pending) (k (Pending (fixedSize f) (\p -> fixedWrite f p x)))
{-# INLINE pendingWith #-}

-- | What the methods of 'Codec' are for a representation. The writer is given
-- what is pending before the value, and passes on what is pending after it. The
-- reader applies a function to what it has read, and forces the result.
class GCodec (f :: Type -> Type) where
  gLayout :: Layout (f p)
  gSize :: f p -> Int
  gPut :: Pending -> f p -> (Pending -> Builder) -> Builder
  gGet :: (f p -> a) -> Get a

-- The type itself, and a type's only constructor.
instance GCodec f => GCodec (D1 c f) where
  gLayout = mapLayout unM1 M1 gLayout
  {-# INLINE gLayout #-}
  gSize (M1 x) = gSize x
  {-# INLINE gSize #-}
  gPut pending (M1 x) = gPut pending x
  {-# INLINE gPut #-}
  gGet k = gGet (\x -> k (M1 x))
  {-# INLINE gGet #-}

instance GCodec f => GCodec (C1 c f) where
  gLayout = mapLayout unM1 M1 gLayout
  {-# INLINE gLayout #-}
  gSize (M1 x) = gSize x
  {-# INLINE gSize #-}
  gPut pending (M1 x) = gPut pending x
  {-# INLINE gPut #-}
  gGet k = gGet (\x -> k (M1 x))
  {-# INLINE gGet #-}

-- A field. What is read is forced.
instance Codec a => GCodec (S1 c (K1 i a)) where
  gLayout = mapLayout (unK1 . unM1) (M1 . K1) layout
  {-# INLINE gLayout #-}
  gSize (M1 (K1 x)) = size x
  {-# INLINE gSize #-}
  gPut pending (M1 (K1 x)) k = case layout of
    Fix f -> pendingWith pending f x k
    Var _ -> append (written pending) (append (put x) (k nothing))
  {-# INLINE gPut #-}
  gGet k = get >>= \x -> x `seq` (pure $! k (M1 (K1 x)))
  {-# INLINE gGet #-}

instance GCodec U1 where
  gLayout = Fix (fixedUnit U1)
  {-# INLINE gLayout #-}
  gSize _ = 0
  {-# INLINE gSize #-}
  gPut pending _ k = k pending
  {-# INLINE gPut #-}
  gGet k = pure $! k U1
  {-# INLINE gGet #-}

-- A type without constructors has no bytes, and no bytes are a value of it.
instance GCodec V1 where
  gLayout = Var 0
  {-# INLINE gLayout #-}
  gSize x = case x of {}
  {-# INLINE gSize #-}
  gPut _ x _ = case x of {}
  {-# INLINE gPut #-}
  gGet _ = invalid "a value of a type without constructors"
  {-# INLINE gGet #-}

instance (GCodec f, GCodec g) => GCodec (f :*: g) where
  gLayout = case gLayout of
    Fix f -> case gLayout of
      Fix g -> Fix (fixedPair (\(x :*: _) -> x) (\(_ :*: y) -> y) (:*:) f g)
      Var n -> Var (plusSize (fixedSize f) n)
    Var m -> Var (plusSize m (leastSize (gLayout :: Layout (g p))))
  {-# INLINE gLayout #-}
  gSize (x :*: y) = case gLayout :: Layout ((f :*: g) p) of
    Fix f -> fixedSize f
    Var _ -> gSize x + gSize y
  {-# INLINE gSize #-}
  gPut pending (x :*: y) k = gPut pending x (\pending' -> gPut pending' y k)
  {-# INLINE gPut #-}
  gGet k = case gLayout of
    Fix f -> consumeShared (fixedSize f) (fixedRead f) >>= \xy -> pure $! k xy
    Var _ -> gGet (\x -> x) >>= \x -> gGet (\y -> k (x :*: y))
  {-# INLINE gGet #-}

instance (GSum (f :+: g), GCount (f :+: g), GTagged (IsEnum (f :+: g)) (f :+: g)) => GCodec (f :+: g) where
  gLayout = gTagged @(IsEnum (f :+: g))
  {-# INLINE gLayout #-}
  gSize x = case gTagged @(IsEnum (f :+: g)) of
    Fix f -> fixedSize (f `asFormatOf` x)
    Var tag -> tag + gSumSize x
  {-# INLINE gSize #-}
  gPut pending x k = case gTagged @(IsEnum (f :+: g)) of
    Fix f -> pendingWith pending f x k
    -- A sum is a whole type, so nothing is pending here, and this adds nothing.
    Var _ -> append (written pending) (append (gSumPut (gCount @(f :+: g)) 0 x) (k nothing))
  {-# INLINE gPut #-}
  gGet k = case gTagged @(IsEnum (f :+: g)) of
    Fix f -> getFixed f >>= \x -> pure $! k x
    Var _ -> consumeShared (fixedSize tag) (fixedRead tag) >>= gSumGet k 0
      where
        tag = tagFormat (gCount @(f :+: g))
  {-# INLINE gGet #-}

asFormatOf :: Fixed a -> a -> Fixed a
asFormatOf f _ = f
{-# INLINE asFormatOf #-}

mapLayout :: (b -> a) -> (a -> b) -> Layout a -> Layout b
mapLayout there back l = case l of
  Fix f -> Fix (fixedMap there back f)
  Var n -> Var n
{-# INLINE mapLayout #-}

-- The number of a constructor, of so many.
tagFormat :: Int -> Fixed Int
tagFormat count@(I# n)
  -- Int's own operator is unfolded too late for reservations to meet.
  | isTrue# (n <=# 256#) = checked (fixedMap fromIntegral fromIntegral fixedWord8)
  | otherwise = checked (fixedMap fromIntegral fromIntegral fixedWord16LE)
  where
    checked = fixedChecked id (\i -> if i < count then Right i else Left (tagMessage count i))
    {-# INLINE checked #-}
{-# INLINE tagFormat #-}

tagMessage :: Int -> Int -> String
tagMessage count i = "constructor " ++ show i ++ " of a type that has " ++ show count
{-# NOINLINE tagMessage #-}

-- The number of constructors.
class GCount (f :: Type -> Type) where
  gCount :: Int

instance (GCount f, GCount g) => GCount (f :+: g) where
  gCount = gCount @f + gCount @g
  {-# INLINE gCount #-}

instance GCount (C1 c f) where
  gCount = 1
  {-# INLINE gCount #-}

-- The constructors of a sum; the first of them has the number that is given.
class GSum (f :: Type -> Type) where
  gSumSize :: f p -> Int
  gSumPut :: Int -> Int -> f p -> Builder
  gSumGet :: (f p -> a) -> Int -> Int -> Get a

instance (GSum f, GSum g, GCount f) => GSum (f :+: g) where
  gSumSize x = case x of
    L1 y -> gSumSize y
    R1 y -> gSumSize y
  {-# INLINE gSumSize #-}
  gSumPut count i x = case x of
    L1 y -> gSumPut count i y
    R1 y -> gSumPut count (i + gCount @f) y
  {-# INLINE gSumPut #-}
  gSumGet k i tag
    | tag < i + gCount @f = gSumGet (\x -> k (L1 x)) i tag
    | otherwise = gSumGet (\x -> k (R1 x)) (i + gCount @f) tag
  {-# INLINE gSumGet #-}

instance GCodec f => GSum (C1 c f) where
  gSumSize (M1 x) = gSize x
  {-# INLINE [0] gSumSize #-}
  gSumPut count i (M1 x) = pendingWith nothing (tagFormat count) i (\pending -> gPut pending x written)
  {-# INLINE [0] gSumPut #-}
  gSumGet k _ _ = gGet (\x -> k (M1 x))
  {-# INLINE gSumGet #-}

-- Does no constructor have fields?
type family IsEnum (f :: Type -> Type) :: Bool where
  IsEnum (f :+: g) = And (IsEnum f) (IsEnum g)
  IsEnum (C1 c U1) = 'True
  IsEnum (C1 c f) = 'False

type family And (a :: Bool) (b :: Bool) :: Bool where
  And 'True b = b
  And 'False _ = 'False

-- The layout of a sum.
class GTagged (enum :: Bool) (f :: Type -> Type) where
  gTagged :: Layout (f p)

-- Of a tag alone, if nothing is known of the fields.
instance GCount f => GTagged 'False f where
  gTagged = Var (fixedSize (tagFormat (gCount @f)))
  {-# INLINE gTagged #-}

instance (GCount f, GEnum f) => GTagged 'True f where
  gTagged = Fix (fixedMap (gNumber 0) (gNumbered 0) (tagFormat (gCount @f)))
  {-# INLINE gTagged #-}

-- The number of a constructor without fields, and back.
class GEnum (f :: Type -> Type) where
  gNumber :: Int -> f p -> Int
  gNumbered :: Int -> Int -> f p

instance (GEnum f, GEnum g, GCount f) => GEnum (f :+: g) where
  gNumber i x = case x of
    L1 y -> gNumber i y
    R1 y -> gNumber (i + gCount @f) y
  {-# INLINE gNumber #-}
  gNumbered i tag
    | tag < i + gCount @f = L1 (gNumbered i tag)
    | otherwise = R1 (gNumbered (i + gCount @f) tag)
  {-# INLINE gNumbered #-}

instance GEnum (C1 c U1) where
  gNumber i _ = i
  {-# INLINE gNumber #-}
  gNumbered _ _ = M1 U1
  {-# INLINE gNumbered #-}
