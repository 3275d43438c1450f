{-# LANGUAGE ExistentialQuantification #-}
-- Unfoldings must not be eta-expanded: Note [Generic methods] in "Ashlar.Internal.Codec.Derive".
{-# OPTIONS_GHC -fno-do-lambda-eta-expansion #-}

-- |
-- Module      : Ashlar.Internal.Codec.Format
-- Description : How the values of a type are written and read, as a value; formats of records
module Ashlar.Internal.Codec.Format
  ( Format,
    codec,
    fixed,
    byHand,
    fromPutGet,
    builderSize,
    formatLayout,
    formatSize,
    formatPut,
    formatGet,
    bijection,
    refined,
    satisfying,
    constant,
    Fields,
    record,
    field,
    both,
  )
where

import Ashlar.Internal.Builder.Core
import Ashlar.Internal.Builder.RunIO (toBufferIOWith)
import Ashlar.Internal.Codec.Class
import Ashlar.Internal.Codec.Fixed
import Ashlar.Internal.Codec.ReadFields
import Ashlar.Internal.Get.Budget
import Ashlar.Internal.Get.Core
import Ashlar.Internal.Get.Fail
import Ashlar.Internal.Get.Path
import System.IO.Unsafe (unsafePerformIO)

-- | A format of variable size from its size, writer and reader.
--
-- Each value counts as a level of nesting, so that no input makes a recursive reader recurse
-- without limit. Nothing checks the size. 'Ashlar.Codec.encode' does not use it, so a wrong size
-- never gives wrong bytes, but 'Ashlar.Codec.encodedSize' returns it. @exactSize@ of
-- "Ashlar.Codec.Laws" finds wrong sizes. 'fromPutGet' computes the size for you.
byHand ::
  -- | No value takes fewer bytes. State at least 1 if every value has a byte: with 0, the elements
  -- of a container count against the budget of steps.
  Int ->
  -- | The exact number of bytes that are written.
  (a -> Int) ->
  (a -> Builder) ->
  Get a ->
  Format a
-- A value without bytes counts as an empty element, even if the caller promised a byte. Otherwise a
-- container could announce any number of such values.
byHand least n p g = Format (Var least) n p (deeper (if least > 0 then chargedIfEmpty g else g))
{-# INLINE byHand #-}

-- | 'byHand' without the size: the builder is run to find it.
--
-- 'Ashlar.Codec.encode' does not ask for sizes and costs the same. 'Ashlar.Codec.encodedSize'
-- takes as long as encoding, and a buffer of 512 bytes for each such value.
--
-- >>> :{
-- data Message = Message Word8 Text deriving Show
-- instance Codec Message
-- instance HasFormat Message where
--   format = fromPutGet 9 (\(Message n t) -> put n <> put t) (Message <$> get <*> get)
-- :}
--
-- >>> decode (encode (Message 1 "hello")) :: Either DecodeError Message
-- Right (Message 1 "hello")
-- >>> encodedSize (Message 1 "hello")
-- 14
fromPutGet ::
  -- | No value takes fewer bytes, as for 'byHand'.
  Int ->
  (a -> Builder) ->
  Get a ->
  Format a
fromPutGet least p = byHand least (\x -> builderSize (p x)) p
{-# INLINE fromPutGet #-}

-- | The number of bytes of a builder. It writes into one small buffer again and again.
builderSize :: Builder -> Int
builderSize b = unsafePerformIO (toBufferIOWith 512 (\_ _ -> pure ()) b)
{-# NOINLINE builderSize #-}

-- | The format of a 'Fixed'.
fixed :: Fixed a -> Format a
fixed f = Format (Fix f) (\_ -> fixedSize f) (putFixed f) (readFixed f)
{-# INLINE fixed #-}

-- Errors show the names of the format, if it has any.
readFixed :: Fixed a -> Get a
readFixed f = case fixedNames f of
  Nameless -> getFixed f
  _ -> getNamed f
{-# INLINE readFixed #-}

-- | The format of one type for another whose values correspond to its values one to one. The two
-- functions must undo each other.
--
-- >>> import Ashlar.Codec.Combinators
-- >>> newtype Celsius = Celsius Double deriving Show
-- >>> let celsius = bijection (\(Celsius x) -> x) Celsius codec
-- >>> runGet (formatGet celsius) (encode (21 :: Double))
-- Right (Celsius 21.0)
bijection ::
  -- | For writing.
  (b -> a) ->
  -- | For reading.
  (a -> b) ->
  Format a ->
  Format b
bijection there back (Format l n p g) =
  Format (mapLayout (fixedMap there back) l) (\x -> n (there x)) (\x -> p (there x)) $ case l of
    Fix f -> readFixed (fixedMap there back f)
    Var _ -> g >>= \x -> pure $! back x
{-# INLINE bijection #-}

-- | The format of one type for another that corresponds to some of its values. Reading any other
-- value fails, at its first byte, with the message that the function returns.
--
-- The law of @refined there back@ is @back (there x) == 'Right' x@. If each value shall have one
-- encoding, @back x == 'Right' y@ must also imply @there y == x@.
--
-- >>> import Ashlar.Codec.Combinators
-- >>> let atMost100 n = if n <= 100 then Right n else Left (show n ++ " percent")
-- >>> let percent = refined id atMost100 (codec :: Format Word8)
-- >>> toStrictByteString (formatPut percent 50)
-- "2"
-- >>> either (print . errorReason) print (runGet (formatGet percent) "e")
-- Invalid "101 percent"
refined ::
  -- | For writing.
  (b -> a) ->
  -- | For reading: a value, or what is wrong with it.
  (a -> Either String b) ->
  Format a ->
  Format b
refined = refinedBy mapLayout
{-# INLINE refined #-}

-- 'refined', given how the layout changes with the format of constant size.
refinedBy ::
  ((Fixed a -> Fixed b) -> Layout a -> Layout b) ->
  (b -> a) ->
  (a -> Either String b) ->
  Format a ->
  Format b
refinedBy changed there back (Format l n p g) =
  Format (changed (fixedChecked there back) l) (\x -> n (there x)) (\x -> p (there x)) $ case l of
    Fix f -> readFixed (fixedChecked there back f)
    Var _ -> refine back g
{-# INLINE refinedBy #-}

-- | Only the values for which the condition holds. Reading any other fails with the message, which
-- says what is wrong with the value: @"port below 1024"@, not what was expected. Writing never
-- fails: it writes the others as well.
--
-- >>> import Ashlar.Codec.Combinators
-- >>> let port = satisfying "port below 1024" (>= 1024) (codec :: Format Word16)
-- >>> runGet (formatGet port) (encode (8080 :: Word16))
-- Right 8080
-- >>> either (print . errorReason) print (runGet (formatGet port) (encode (80 :: Word16)))
-- Invalid "port below 1024"
satisfying ::
  -- | What is wrong with other values.
  String ->
  -- | The condition.
  (a -> Bool) ->
  Format a ->
  Format a
satisfying message condition =
  refinedBy narrowLayout id (\x -> if condition x then Right x else Left message)
{-# INLINE satisfying #-}

-- | Always the same value, such as a version number. Reading another value fails.
--
-- >>> import Ashlar.Codec.Combinators
-- >>> let version = constant (2 :: Word8) codec
-- >>> toStrictByteString (formatPut version ())
-- "\STX"
-- >>> either (print . errorReason) print (runGet (formatGet version) "\3")
-- Invalid "3 instead of 2"
constant :: (Eq a, Show a) => a -> Format a -> Format ()
constant x =
  refined (\() -> x) (\y -> if y == x then Right () else Left (show y ++ " instead of " ++ show x))
{-# INLINE constant #-}

-- Note [Fields read together]
-- ~~~~~~~~~~~~~~~~~~~~~~~~~~~
-- Adjacent fields of constant size are written and read with one check. So 'Fields' has two halves:
-- everything up to the last field of variable size, if there is one, and the span after it, to
-- which each field of constant size is added. Everything is inlined, and optimisation removes the
-- constructors and the pairs.
--
-- Errors find a field's name by the number of fields after it ("Ashlar.Internal.Get.Path"). So each
-- reader gets this number.

-- | Some fields of a record of type @r@. Reading them makes an @a@.
--
-- Combine them with '<$>' and '<*>', in the order in which they are written.
data Fields r a
  = -- A span: its fields, their number, what to write for a record, what to make of what was read,
    -- and the format.
    forall x. Span Named Int (r -> x) (x -> a) (Fixed x)
  | -- Fields up to one of variable size (their number, least size, size, writer and reader), then a
    -- span, as above. The names are those of both.
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

-- Fields for errors, each with its name.
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
      (\after -> getFieldSpan (k1 + m2 + after) f1 >>= \x1 -> g after >>= \y -> pure (x1, y))
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
              getFieldSpan (k1 + m2 + after) f1 >>= \x1 ->
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
      (nested (OfFields name names) (g k >>= \y -> getFieldSpan k f >>= \x -> pure $! back y x))
{-# INLINE record #-}

-- | One value after another.
--
-- >>> import Ashlar.Codec.Combinators
-- >>> toStrictByteString (formatPut (both codec codec) (1 :: Word8, 'a'))
-- "\SOHa\NUL\NUL\NUL"
both :: Format a -> Format b -> Format (a, b)
both a b = record "" ((,) <$> field "1" fst a <*> field "2" snd b)
{-# INLINE both #-}
