{-# LANGUAGE ExistentialQuantification #-}
-- Unfoldings must not be eta-expanded: see Note [Generic methods].
{-# OPTIONS_GHC -fno-do-lambda-eta-expansion #-}

-- |
-- Module      : Ashlar.Internal.Codec.Record
-- Description : Formats of records
module Ashlar.Internal.Codec.Record
  ( Fields,
    record,
    field,
    both,
  )
where

import Ashlar.Internal.Builder.Core
import Ashlar.Internal.Codec.Class
import Ashlar.Internal.Codec.Fixed
import Ashlar.Internal.Codec.Format
import Ashlar.Internal.Codec.ReadFields
import Ashlar.Internal.Get.Budget
import Ashlar.Internal.Get.Core
import Ashlar.Internal.Get.Path

-- Note [Fields read together]
-- ~~~~~~~~~~~~~~~~~~~~~~~~~~~
-- Adjacent fields of constant size are written and read with one check. So 'Fields' has two halves:
-- everything up to the last field of variable size, if there is one, and the span after it, which
-- grows with each field of constant size. Everything is inlined, and optimisation removes the
-- constructors and the pairs.
--
-- Errors show the names of fields ("Ashlar.Internal.Get.Path"). So a reader is told how many fields
-- follow it.

-- | Some fields of a record of type @r@. Reading them makes an @a@.
--
-- Combine them with '<$>' and '<*>', in the order in which they are written.
data Fields r a
  = -- All of constant size: how many, what is written for a record, and what reading it makes.
    forall x. Span Named Int (r -> x) (x -> a) (Fixed x)
  | -- Fields (how many, their least size, size, writer and reader), then a span.
    forall y x.
    Then
      Named
      Int
      Int
      (r -> Int)
      (r -> Builder)
      (Int -> Get y)
      Int
      (r -> x)
      (y -> x -> a)
      (Fixed x)

-- The names of fields, and what each field is.
type Named = [(String, Part)]

instance Functor (Fields r) where
  fmap h fields = case fields of
    Span names k there back f -> Span names k there (\x -> h (back x)) f
    Then names m least n p g k there back f ->
      Then names m least n p g k there (\y x -> h (back y x)) f
  {-# INLINE fmap #-}

instance Applicative (Fields r) where
  pure a = Span [] 0 (\_ -> ()) (\() -> a) (fixedUnit ())
  {-# INLINE pure #-}
  Span names1 k1 there1 back1 f1 <*> Span names2 k2 there2 back2 f2 =
    Span
      (names1 ++ names2)
      (k1 + k2)
      (\r -> (there1 r, there2 r))
      (\(x1, x2) -> back1 x1 (back2 x2))
      (sideBySide f1 f2)
  Then names1 m least n p g k1 there1 back1 f1 <*> Span names2 k2 there2 back2 f2 =
    Then
      (names1 ++ names2)
      m
      least
      n
      p
      g
      (k1 + k2)
      (\r -> (there1 r, there2 r))
      (\y (x1, x2) -> back1 y x1 (back2 x2))
      (sideBySide f1 f2)
  Span names1 k1 there1 back1 f1 <*> Then names2 m2 least n p g k2 there2 back2 f2 =
    Then
      (names1 ++ names2)
      (k1 + m2)
      (plusSize (fixedSize f1) least)
      (\r -> fixedSize f1 + n r)
      (\r -> append (putFixed f1 (there1 r)) (p r))
      (\after -> getSpan (k1 + m2 + after) f1 >>= \x1 -> g after >>= \y -> pure (x1, y))
      k2
      there2
      (\(x1, y) x2 -> back1 x1 (back2 y x2))
      f2
  Then names1 m1 least1 n1 p1 g1 k1 there1 back1 f1
    <*> Then names2 m2 least2 n2 p2 g2 k2 there2 back2 f2 =
      Then
        (names1 ++ names2)
        (m1 + k1 + m2)
        (plusSize least1 (plusSize (fixedSize f1) least2))
        (\r -> n1 r + fixedSize f1 + n2 r)
        (\r -> append (p1 r) (append (putFixed f1 (there1 r)) (p2 r)))
        ( \after ->
            g1 (k1 + m2 + after) >>= \y1 ->
              getSpan (k1 + m2 + after) f1 >>= \x1 ->
                g2 after >>= \y2 -> pure (y1, x1, y2)
        )
        k2
        there2
        (\(y1, x1, y2) x2 -> back1 y1 x1 (back2 y2 x2))
        f2
  {-# INLINE (<*>) #-}

sideBySide :: Fixed a -> Fixed b -> Fixed (a, b)
sideBySide = fixedPair fst snd (,)
{-# INLINE sideBySide #-}

-- | A field of a record.
field ::
  -- | Its name, which errors show in their path.
  String ->
  -- | Its selector.
  (r -> a) ->
  Format a ->
  Fields r a
field name from (Format l n p g) = case l of
  Fix f -> Span [(name, ConstantPart (fixedSize f) (fixedNames f))] 1 from id f
  Var least ->
    Then
      [(name, VariablePart)]
      1
      least
      (\r -> n (from r))
      (\r -> p (from r))
      (\after -> getPart after g)
      0
      (\_ -> ())
      (\y () -> y)
      (fixedUnit ())
{-# INLINE field #-}

-- | A record: the name of its type, and its fields. Only errors show the name. It may be empty.
--
-- >>> import Ashlar.Codec.Combinators
-- >>> let interval = record "Interval" ((,) <$> field "low" fst codec <*> field "high" snd codec)
-- >>> toStrictByteString (formatPut interval (1 :: Word8, 2 :: Word8))
-- "\SOH\STX"
record :: String -> Fields a a -> Format a
record name fields = case fields of
  Span names _ there back f -> fixed (fixedNamed (OfFields name names) (fixedMap there back f))
  Then names _ least n p g k there back f ->
    Format
      (Var (plusSize least (fixedSize f)))
      (\r -> n r + fixedSize f)
      (\r -> append (p r) (putFixed f (there r)))
      (nested (OfFields name names) (g k >>= \y -> getSpan k f >>= \x -> pure $! back y x))
{-# INLINE record #-}

-- | One value after another.
--
-- >>> import Ashlar.Codec.Combinators
-- >>> toStrictByteString (formatPut (both codec codec) (1 :: Word8, 'a'))
-- "\SOHa\NUL\NUL\NUL"
both :: Format a -> Format b -> Format (a, b)
both a b = record "" ((,) <$> field "1" fst a <*> field "2" snd b)
{-# INLINE both #-}
