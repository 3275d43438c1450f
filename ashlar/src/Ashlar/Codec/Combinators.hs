{-# LANGUAGE AllowAmbiguousTypes #-}
{-# LANGUAGE DerivingStrategies #-}
{-# LANGUAGE ExistentialQuantification #-}
{-# LANGUAGE ScopedTypeVariables #-}
-- Unfoldings must not be eta-expanded: see Note [Generic methods].
{-# OPTIONS_GHC -fno-do-lambda-eta-expansion #-}

-- |
-- Module      : Ashlar.Codec.Combinators
-- Description : Instances written by hand, once for both directions
--
-- Most instances are derived. This is for those that are not: where the format is
-- given, where not every value that the fields can have is valid, or where numbers of
-- constructors must stay the same while the type changes.
--
-- A 'Format' says how values are written and read, in one expression, so that the two
-- cannot drift apart. Its type's instance is taken from it:
--
-- >>> :set -XDerivingVia
-- >>> :{
-- data Reading = Reading { station :: Text, celsius :: Double }
--   deriving stock Show
--   deriving Codec via ByFormat Reading
-- instance HasFormat Reading where
--   format =
--     record $
--       Reading
--         <$> field "station" station codec
--         <*> field "celsius" celsius (satisfying "colder than can be" (>= -273.15) codec)
--   {-# INLINE format #-}
-- :}
--
-- >>> decode (encode (Reading "Oslo" 4)) :: Either DecodeError Reading
-- Right (Reading {station = "Oslo", celsius = 4.0})
-- >>> either (putStrLn . displayException) print (decode (encode ("Oslo" :: Text, -300 :: Double)) :: Either DecodeError Reading)
-- at byte 12, in celsius: colder than can be
--   00000000  04 00 00 00 00 00 00 00 4f 73 6c 6f 00 00 00 00   |........Oslo....|
--                                                 ^^ ^^ ^^ ^^
--   00000010  00 c0 72 c0                                       |..r.|
--
-- The pragma is what makes it as fast as a derived instance: with it, nothing of the
-- 'Format' is left when the program runs.
--
-- Errors say the path to the field, from the names that are given here.
--
-- Records and variants have the bytes that derived instances have: a record is its
-- fields one after the other; a variant is a tag, which counts the alternatives from 0,
-- in one byte (two for more than 256), and what belongs to the alternative.
--
-- Some of the names are common words ('fixed', 'field', 'end'): import this module qualified,
-- or with a list.
module Ashlar.Codec.Combinators
  ( -- * Formats
    Format,
    codec,
    fixed,

    -- ** From formats to instances
    HasFormat (..),
    ByFormat (..),
    formatLayout,
    formatSize,
    formatPut,
    formatGet,

    -- * Other types, fewer values
    bijection,
    refined,
    satisfying,
    constant,

    -- * Records
    Fields,
    record,
    field,
    both,

    -- * Variants
    Cases,
    Encoding,
    variant,
    constructor,
    alternative,
    retired,
    end,
  )
where

import Ashlar.Builder.Core
import Ashlar.Codec.Class
import Ashlar.Codec.Format
import Ashlar.Codec.Reading
import Ashlar.Codec.Refine
import Ashlar.Get.Core
import Ashlar.Get.Nested
import Ashlar.Get.Place

-- | How the values of a type are written and read.
--
-- @since 0.1.0.0
data Format a = Format (Layout a) (a -> Int) (a -> Builder) (Get a)

-- | 'layout' for a format.
--
-- @since 0.1.0.0
formatLayout :: Format a -> Layout a
formatLayout (Format l _ _ _) = l
{-# INLINE formatLayout #-}

-- | 'size' for a format.
--
-- @since 0.1.0.0
formatSize :: Format a -> a -> Int
formatSize (Format _ n _ _) = n
{-# INLINE formatSize #-}

-- | 'put' for a format.
--
-- @since 0.1.0.0
formatPut :: Format a -> a -> Builder
formatPut (Format _ _ p _) = p
{-# INLINE formatPut #-}

-- | 'get' for a format.
--
-- @since 0.1.0.0
formatGet :: Format a -> Get a
formatGet (Format _ _ _ g) = g
{-# INLINE formatGet #-}

-- | Types with a format that is written by hand.
--
-- @since 0.1.0.0
class HasFormat a where
  -- | The format. Give it an INLINE pragma.
  --
  -- In the format of a recursive type, 'codec' stands for the type itself, and must
  -- stand in a 'variant' somewhere.
  format :: Format a

-- | The instance of a type that has a format, for @deriving Codec via ByFormat T@.
--
-- @since 0.1.0.0
newtype ByFormat a = ByFormat a
  deriving stock (Eq, Ord, Show)

instance HasFormat a => Codec (ByFormat a) where
  layout = formatLayout (bijection unByFormat ByFormat format)
  {-# INLINE layout #-}
  size (ByFormat x) = formatSize format x
  {-# INLINE size #-}
  put (ByFormat x) = formatPut format x
  {-# INLINE put #-}
  get = formatGet (bijection unByFormat ByFormat format)
  {-# INLINE get #-}

unByFormat :: ByFormat a -> a
unByFormat (ByFormat x) = x
{-# INLINE unByFormat #-}

-- | The format of a type that has an instance.
--
-- @since 0.1.0.0
codec :: Codec a => Format a
codec = Format layout size put get
{-# INLINE codec #-}

-- | A format from "Ashlar.Codec.Fixed".
--
-- @since 0.1.0.0
fixed :: Fixed a -> Format a
fixed f = Format (Fix f) (\_ -> fixedSize f) (putFixed f) $ case fixedNames f of
  Nameless -> getFixed f
  _ -> getNamed f
{-# INLINE fixed #-}

-- | The format of one type for another that corresponds to it, one value to one value:
-- @'bijection' there back@, where each function undoes the other.
--
-- @since 0.1.0.0
bijection :: (b -> a) -> (a -> b) -> Format a -> Format b
bijection there back (Format l n p g) = case l of
  Fix f -> fixed (fixedMap there back f)
  Var least -> Format (Var least) (\x -> n (there x)) (\x -> p (there x)) (g >>= \x -> pure $! back x)
{-# INLINE bijection #-}

-- | The format of one type for another that corresponds to a part of it. Reading a
-- value outside of that part fails, at its first byte, with the message that the
-- function gives.
--
-- The law is @back (there x) == 'Right' x@. (And @there y == x@ if @back x == 'Right' y@,
-- if each value shall have one encoding.)
--
-- @since 0.1.0.0
refined :: (b -> a) -> (a -> Either String b) -> Format a -> Format b
refined there back (Format l n p g) = case l of
  Fix f -> fixed (fixedChecked there back f)
  Var least -> Format (Var least) (\x -> n (there x)) (\x -> p (there x)) (refine back g)
{-# INLINE refined #-}

-- | Only the values for which the condition holds; reading others fails with the
-- message. (They are written like all others: 'Ashlar.Codec.encode' does not fail.)
--
-- @since 0.1.0.0
satisfying :: String -> (a -> Bool) -> Format a -> Format a
satisfying message condition = refined id (\x -> if condition x then Right x else Left message)
{-# INLINE satisfying #-}

-- | Always the same value, such as the number of a version; reading another one
-- fails.
--
-- >>> let version = constant (2 :: Word8) codec
-- >>> toStrictByteString (formatPut version ())
-- "\STX"
-- >>> either (print . errorReason) print (runGet (formatGet version) "\3")
-- Invalid "3 instead of 2"
--
-- @since 0.1.0.0
constant :: (Eq a, Show a) => a -> Format a -> Format ()
constant x = refined (\() -> x) (\y -> if y == x then Right () else Left (show y ++ " instead of " ++ show x))
{-# INLINE constant #-}

-- | One value behind another.
--
-- @since 0.1.0.0
both :: Format a -> Format b -> Format (a, b)
both a b = record ((,) <$> field "1" fst a <*> field "2" snd b)
{-# INLINE both #-}

-- Note [Fields read together]
-- ~~~~~~~~~~~~~~~~~~~~~~~~~~~
-- Fields of constant size that stand side by side are written and read with one check.
-- So 'Fields' are what comes up to the last field of variable size (if there is one),
-- and a run of constant size behind it, which grows with each field of constant size.
-- With everything inlined, which of the two constructors it is, and the pairs, are gone
-- after optimisation.
--
-- For errors they also have their names ("Ashlar.Get.Place"), and so a reader is told how
-- many fields are behind it.

-- | Some fields of a record of type @r@, and what is made of them when they are read.
--
-- Put together by '<$>' and '<*>', in the order in which they are written.
--
-- @since 0.1.0.0
data Fields r a
  = -- All of constant size: how many, what is written for a record, and what is made of it.
    forall x. Run Named Int (r -> x) (x -> a) (Fixed x)
  | -- Fields (how many, the least size, size, writer and reader), and then a run.
    forall y x. Then Named Int Int (r -> Int) (r -> Builder) (Int -> Get y) Int (r -> x) (y -> x -> a) (Fixed x)

-- Names of fields, and what these are.
type Named = [(String, Part)]

instance Functor (Fields r) where
  fmap h fields = case fields of
    Run names k there back f -> Run names k there (\x -> h (back x)) f
    Then names m least n p g k there back f -> Then names m least n p g k there (\y x -> h (back y x)) f
  {-# INLINE fmap #-}

instance Applicative (Fields r) where
  pure a = Run [] 0 (\_ -> ()) (\() -> a) (fixedUnit ())
  {-# INLINE pure #-}
  Run names1 k1 there1 back1 f1 <*> Run names2 k2 there2 back2 f2 =
    Run (names1 ++ names2) (k1 + k2) (\r -> (there1 r, there2 r)) (\(x1, x2) -> back1 x1 (back2 x2)) (sideBySide f1 f2)
  Then names1 m least n p g k1 there1 back1 f1 <*> Run names2 k2 there2 back2 f2 =
    Then (names1 ++ names2) m least n p g (k1 + k2) (\r -> (there1 r, there2 r)) (\y (x1, x2) -> back1 y x1 (back2 x2)) (sideBySide f1 f2)
  Run names1 k1 there1 back1 f1 <*> Then names2 m2 least n p g k2 there2 back2 f2 =
    Then
      (names1 ++ names2)
      (k1 + m2)
      (plusSize (fixedSize f1) least)
      (\r -> fixedSize f1 + n r)
      (\r -> append (putFixed f1 (there1 r)) (p r))
      (\behind -> getRun (k1 + m2 + behind) f1 >>= \x1 -> g behind >>= \y -> pure (x1, y))
      k2
      there2
      (\(x1, y) x2 -> back1 x1 (back2 y x2))
      f2
  Then names1 m1 least1 n1 p1 g1 k1 there1 back1 f1 <*> Then names2 m2 least2 n2 p2 g2 k2 there2 back2 f2 =
    Then
      (names1 ++ names2)
      (m1 + k1 + m2)
      (plusSize least1 (plusSize (fixedSize f1) least2))
      (\r -> n1 r + fixedSize f1 + n2 r)
      (\r -> append (p1 r) (append (putFixed f1 (there1 r)) (p2 r)))
      (\behind -> g1 (k1 + m2 + behind) >>= \y1 -> getRun (k1 + m2 + behind) f1 >>= \x1 -> g2 behind >>= \y2 -> pure (y1, x1, y2))
      k2
      there2
      (\(y1, x1, y2) x2 -> back1 y1 x1 (back2 y2 x2))
      f2
  {-# INLINE (<*>) #-}

sideBySide :: Fixed a -> Fixed b -> Fixed (a, b)
sideBySide = fixedPair fst snd (,)
{-# INLINE sideBySide #-}

-- | A field of a record: its name, which errors in it have in their labels, how to get at
-- it, and its format.
--
-- @since 0.1.0.0
field :: String -> (r -> a) -> Format a -> Fields r a
field name from (Format l n p g) = case l of
  Fix f -> Run [(name, ConstantPart (fixedSize f) (fixedNames f))] 1 from id f
  Var least ->
    Then [(name, VariablePart)] 1 least (\r -> n (from r)) (\r -> p (from r)) (\behind -> getPart behind g) 0 (\_ -> ()) (\y () -> y) (fixedUnit ())
{-# INLINE field #-}

-- | A record of fields.
--
-- @since 0.1.0.0
record :: Fields a a -> Format a
record fields = case fields of
  Run names _ there back f -> fixed (fixedNamed (OfFields names) (fixedMap there back f))
  Then names _ least n p g k there back f ->
    Format
      (Var (plusSize least (fixedSize f)))
      (\r -> n r + fixedSize f)
      (\r -> append (p r) (putFixed f (there r)))
      (nested (OfFields names) (g k >>= \y -> getRun k f >>= \x -> pure $! back y x))
{-# INLINE record #-}

-- | What is written for a value of a variant; made by the functions that 'variant'
-- passes.
--
-- @since 0.1.0.0
data Encoding = Encoding Int Int Builder

-- | Alternatives of a variant of type @s@. @m@ is the type of the function that decides
-- between them.
--
-- @since 0.1.0.0
data Cases s m = Cases
  { casesCount :: Int,
    -- | Has none of them anything but its tag?
    casesPlain :: Bool,
    -- | What the function that decides says of a value. The first alternative has the
    -- number that is given, as in the functions below.
    casesEncode :: Int -> m -> s -> Encoding,
    -- | Is this tag, of those that there are, still in use?
    casesCheck :: Int -> Int -> Either String Int,
    -- | The value of an alternative that is nothing but its tag, by its tag.
    casesValue :: Int -> Int -> Either String s,
    -- | What belongs to the alternative that has this tag, in a type of this name.
    casesGet :: String -> Int -> Int -> Get s
  }

-- | A type with several constructors: its name, a function that decides between them,
-- and the alternatives.
--
-- The function is given one argument for each alternative, in their order, and then the
-- value. So the compiler sees whether a constructor has been forgotten.
--
-- >>> :{
-- data Shape = Point | Circle Double | Box Double Double deriving Show
-- shape :: Format Shape
-- shape =
--   variant "Shape" decide $
--     constructor "Point" Point $
--       alternative "Circle" Circle codec $
--         alternative "Box" (uncurry Box) codec end
--   where
--     decide point circle box s = case s of
--       Point -> point
--       Circle r -> circle r
--       Box a b -> box (a, b)
-- :}
--
-- >>> toStrictByteString (formatPut shape (Circle 1))
-- "\SOH\NUL\NUL\NUL\NUL\NUL\NUL\240?"
-- >>> runGet (formatGet shape) "\SOH\NUL\NUL\NUL\NUL\NUL\NUL\240?"
-- Right (Circle 1.0)
--
-- @since 0.1.0.0
variant :: String -> m -> Cases s m -> Format s
variant name decide cases
  | casesPlain cases = fixed (fixedChecked (\s -> tagOf (encoding s)) (casesValue cases 0) tag)
  | otherwise =
      Format
        (Var (fixedSize tag))
        (\s -> case encoding s of Encoding _ n _ -> fixedSize tag + n)
        (\s -> case encoding s of Encoding i _ p -> append (putFixed tag i) p)
        (getNamed tag >>= casesGet cases name 0)
  where
    tag = fixedNamed (OfType name) (tagFor name (casesCount cases) (casesCheck cases 0))
    encoding = casesEncode cases 0 decide
    tagOf (Encoding i _ _) = i
{-# INLINE variant #-}

-- The number of an alternative, of so many, given what to say of it.
tagFor :: String -> Int -> (Int -> Either String Int) -> Fixed Int
tagFor name count check
  | count <= 256 = checked (fixedMap fromIntegral fromIntegral fixedWord8)
  | otherwise = checked (fixedMap fromIntegral fromIntegral fixedWord16LE)
  where
    checked = fixedChecked id (\i -> if i < count then check i else Left (noSuchTag name count i))
    {-# INLINE checked #-}
{-# INLINE tagFor #-}

noSuchTag :: String -> Int -> Int -> String
noSuchTag name count i = "constructor " ++ show i ++ " of " ++ name ++ ", which has " ++ show count
{-# NOINLINE noSuchTag #-}

-- | An alternative without fields: its name, its value, and the alternatives that
-- follow.
--
-- @since 0.1.0.0
constructor :: String -> s -> Cases s m -> Cases s (Encoding -> m)
constructor _ value rest =
  Cases
    { casesCount = 1 + casesCount rest,
      casesPlain = casesPlain rest,
      casesEncode = \i decide -> casesEncode rest (i + 1) (decide (Encoding i 0 empty)),
      casesCheck = \i tag -> casesCheck rest (i + 1) tag,
      casesValue = \i tag -> if tag == i then Right value else casesValue rest (i + 1) tag,
      casesGet = \ty i tag -> if tag == i then pure value else casesGet rest ty (i + 1) tag
    }
{-# INLINE constructor #-}

-- | An alternative with fields: its name, how its value is made of what belongs to it,
-- the format of that, and the alternatives that follow. Several fields are a tuple or
-- a 'record'.
--
-- @since 0.1.0.0
alternative :: String -> (a -> s) -> Format a -> Cases s m -> Cases s ((a -> Encoding) -> m)
alternative con make f rest =
  -- The format is not forced: that of a recursive type asks for its own layout.
  Cases
    { casesCount = 1 + casesCount rest,
      casesPlain = False,
      casesEncode = \i decide -> casesEncode rest (i + 1) (decide (\x -> Encoding i (formatSize f x) (formatPut f x))),
      casesCheck = \i tag -> casesCheck rest (i + 1) tag,
      casesValue = \i tag -> casesValue rest (i + 1) tag,
      casesGet = \name i tag ->
        if tag == i then getAlternative name con f >>= \x -> x `seq` (pure $! make x) else casesGet rest name (i + 1) tag
    }
{-# INLINE alternative #-}

-- What belongs to an alternative, given the names of the type and of this.
getAlternative :: String -> String -> Format a -> Get a
getAlternative name con (Format l _ _ g) = case l of
  Fix f -> getNamed (fixedNamed (OfConstructor name con "" [ConstantPart (fixedSize f) (fixedNames f)]) f)
  Var _ -> nested (OfConstructor name con "" [VariablePart]) (getPart 0 g)
{-# INLINE getAlternative #-}

-- | A tag that is no longer used, so that the alternatives behind it keep theirs.
-- Reading it fails; the message says which it was.
--
-- @since 0.1.0.0
retired :: String -> Cases s m -> Cases s m
retired name rest =
  Cases
    { casesCount = 1 + casesCount rest,
      casesPlain = casesPlain rest,
      casesEncode = \i decide -> casesEncode rest (i + 1) decide,
      casesCheck = \i tag -> if tag == i then Left (isRetired name) else casesCheck rest (i + 1) tag,
      casesValue = \i tag -> casesValue rest (i + 1) tag,
      casesGet = \ty i tag -> casesGet rest ty (i + 1) tag
    }
{-# INLINE retired #-}

isRetired :: String -> String
isRetired name = "constructor " ++ name ++ ", which is no longer in use"
{-# NOINLINE isRetired #-}

-- | There are no more alternatives.
--
-- @since 0.1.0.0
end :: Cases s (s -> Encoding)
end =
  Cases
    { casesCount = 0,
      casesPlain = True,
      casesEncode = \_ decide -> decide,
      casesCheck = \_ tag -> Right tag,
      -- The tag has been checked.
      casesValue = \_ _ -> Left "no such constructor",
      casesGet = \_ _ _ -> invalid "no such constructor"
    }
{-# INLINE end #-}
