{-# LANGUAGE DefaultSignatures #-}
{-# LANGUAGE MagicHash #-}
{-# LANGUAGE PatternSynonyms #-}
{-# LANGUAGE RoleAnnotations #-}
-- Unfoldings must not be eta-expanded: Note [Generic methods] in "Ashlar.Internal.Codec.Derive".
{-# OPTIONS_GHC -fno-do-lambda-eta-expansion #-}

-- |
-- Module      : Ashlar.Internal.Codec.Class
-- Description : The class of types with a binary format, and how many bytes their values take
--
-- Invariants:
--
-- [INV-C1] @length (encode x) == size x@.
-- [INV-C2] @decode (encode x) == Right x@, if the type calls @x@ valid and @x@ is within the
--   budgets (@defaultBudget@: 100,000 levels, 1,048,576 steps).
-- [INV-C3] Decoding any bytes ends, in time and memory proportional to their number and to the
--   budgets. Checking that a fraction of large 'Integer's is in lowest terms takes steps of the
--   budget, because it takes more than linear time.
-- [INV-C4] The four methods of an instance describe one format, so a type accepts the same
--   bytes wherever it occurs.
--
-- Note [The shape of the class]
-- ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
-- A container reads elements of constant size by their 'layout' and all others by 'get'. If
-- users could write one method by hand and derive the rest, a check in @get@ would be skipped
-- in every container (INV-C4). So users see no methods. They write one value, the 'format' of
-- 'HasFormat', and all four methods follow from it. Only the instances of the library write
-- methods, and they import this module to do so.
--
-- The other methods of 'HasFormat' are hidden too. They carry the derived methods past 'Format':
-- each takes the layout of the instance as an argument and is a recursive function of its own. The
-- first design below says why.
--
-- Tried and dropped:
--
-- * One method that returns a sum of records with size, put and get inside. It is perfect on
--   flat types, but makes the instance of a recursive type a loop breaker: a tree decodes many
--   times slower at -O1. With the layout apart, each of the three functions is a recursive
--   function of its own, and the layout is known when the instance is compiled.
-- * 'format' as a method of 'Codec'. Instances read best, but recursive types with parameters
--   compile much slower.
-- * Instances by DerivingVia alone. Recursive types with parameters encode many times slower,
--   and nothing reports a forgotten @via@.
-- * An associated type for the format. It breaks @deriving newtype@.
-- * Sizes on the type level. They reject @Codec a => Codec (Pair a)@.
-- * A MINIMAL pragma. It cannot say "all methods or none".
--
-- An instance of 'HasFormat' is ignored if 'Codec' is derived where it is not in scope: in another
-- module, or above a splice of Template Haskell that stands between the two. It is ignored, too, if
-- 'Codec' is derived by @deriving newtype@. The compiler cannot find that out: an instance that
-- nobody uses is no error. @formatAgrees@ of "Ashlar.Codec.Laws" can.
module Ashlar.Internal.Codec.Class
  ( Codec (..),
    HasFormat (..),
    Layout (Fix, Var),
    leastSize,

    -- * Formats
    Format (..),
    formatLayout,
    formatSize,
    formatPut,
    formatGet,
    codec,

    -- * Layouts
    mapLayout,
    narrowLayout,
    Plain (..),
    layoutPlain,

    -- * Derived layouts
    Width (..),
    widthOf,
    derivedLayout,
    constantSize,
    isConstant,
    variableLayout,
    enumerated,
    isDerived,
    hasOwnFields,

    -- * Outlines
    layoutOutline,
    varying,
  )
where

import Ashlar.Internal.Builder.Core (Builder)
import Ashlar.Internal.Codec.Fixed
import Ashlar.Internal.Codec.Outline (Outline)
import Ashlar.Internal.Get.Core (Get)
import GHC.Exts (Int (I#), Int#, andI#, (-#), (>#))

-- | Types whose values have a binary format.
--
-- Derive it:
--
-- >>> :set -XDeriveGeneric -XDeriveAnyClass
-- >>> data Shape = Circle Double | Rectangle Double Double deriving (Show, Generic, Codec)
-- >>> decode (encode (Rectangle 1 2)) :: Either DecodeError Shape
-- Right (Rectangle 1.0 2.0)
--
-- The derived format of a type with one constructor is its fields, one after the other. With
-- several constructors, the number of the constructor comes first, counted from 0: one byte for
-- up to 256 constructors, else two, least significant first.
--
-- The methods that Haddock lists are not exported. The functions 'Ashlar.Codec.put',
-- 'Ashlar.Codec.get', 'Ashlar.Codec.size' and 'Ashlar.Codec.layout' are.
--
-- To change the format, write an instance of 'HasFormat' beside it. The class has no methods to
-- override, so a type cannot have one format alone and another in a container.
class Codec a where
  -- | 'Fix' if all values take the same number of bytes, else 'Var'.
  --
  -- If it is @'Fix' f@, then @'put' = 'Ashlar.Codec.Combinators.putFixed' f@,
  -- @'get' = 'Ashlar.Codec.Combinators.getFixed' f@ and
  -- @'size' _ = 'Ashlar.Codec.Combinators.fixedSize' f@. If it is @'Var' n@, every value takes at
  -- least n bytes. A definition must not use the layout of a type that contains this one, or it
  -- loops.
  layout :: Layout a
  default layout :: HasFormat a => Layout a
  layout = ownLayout

  -- | The exact number of bytes that 'put' writes.
  size :: a -> Int
  default size :: HasFormat a => a -> Int
  size = ownSize layout

  -- | Write a value.
  put :: a -> Builder
  default put :: HasFormat a => a -> Builder
  put = ownPut layout

  -- | Read a value. The reader of a recursive type goes through 'Ashlar.Get.deeper' at each
  -- level, so that no input makes it recurse without limit.
  get :: Get a
  default get :: HasFormat a => Get a
  get = ownGet layout

-- No INLINE on the defaults: see Note [Generic methods].

-- | Types and their formats. Every 'GHC.Generics.Generic' type has the derived one. An instance
-- of your own takes its place:
--
-- >>> :set -XDeriveGeneric -XDeriveAnyClass
-- >>> :{
-- newtype Port = Port Word16 deriving (Show, Generic, Codec)
-- instance HasFormat Port where
--   format = satisfying "a privileged port" (\(Port p) -> p >= 1024) derivedFormat
--   {-# INLINE format #-}
-- :}
--
-- >>> decode (encode [Port 8080]) :: Either DecodeError [Port]
-- Right [Port 8080]
-- >>> let privileged = decode (encode [80 :: Word16]) :: Either DecodeError [Port]
-- >>> either (print . errorReason) print privileged
-- Invalid "a privileged port"
--
-- For a type that has a @put@ and a @get@ of @binary@, the instance takes two lines with
-- 'Ashlar.Codec.fromPutGet' or 'Ashlar.Codec.byHand'.
--
-- "Ashlar.Codec.Combinators" has formats that describe both directions at once.
--
-- Write the instance beside the instance of 'Codec', in the module of the type, with no splice of
-- Template Haskell (such as @makeLenses@) between them. It is __silently ignored__ where 'Codec'
-- was derived before such a splice or in another module, also in @instance HasFormat (T Mine)@
-- where @T@ is from there; and where 'Codec' was derived by @deriving newtype@. @formatAgrees@ of
-- "Ashlar.Codec.Laws" finds that out.
class HasFormat a where
  -- | The format. Give it an INLINE pragma: then nothing of the 'Format' is left when the
  -- program runs.
  --
  -- In the format of a recursive type, 'Ashlar.Codec.Combinators.codec' stands for the type
  -- itself. It must be inside a @variant@ or a container. To refine the derived format, use
  -- 'Ashlar.Codec.derivedFormat': @codec@ would be the format that is being defined.
  format :: Format a

  -- The methods of 'Codec', given the layout of the instance, which is 'ownLayout'.

  ownLayout :: Layout a
  ownLayout = formatLayout format

  ownSize :: Layout a -> a -> Int
  ownSize _ = formatSize format

  ownPut :: Layout a -> a -> Builder
  ownPut _ = formatPut format

  ownGet :: Layout a -> Get a
  ownGet _ = formatGet format

-- | How the values of a type are written and read.
data Format a = Format (Layout a) (a -> Int) (a -> Builder) (Get a)

-- Formats cannot be coerced. Otherwise 'HasFormat' derived by newtype or by @via@ would take
-- 'format' and the hidden methods from different instances. (Test "coercing a format".)
type role Format nominal

-- | The 'layout' of a format.
formatLayout :: Format a -> Layout a
formatLayout (Format l _ _ _) = l
{-# INLINE formatLayout #-}

-- | The exact number of bytes that a value takes in a format.
formatSize :: Format a -> a -> Int
formatSize (Format _ n _ _) = n
{-# INLINE formatSize #-}

-- | Write a value in a format.
formatPut :: Format a -> a -> Builder
formatPut (Format _ _ p _) = p
{-# INLINE formatPut #-}

-- | Read a value in a format.
formatGet :: Format a -> Get a
formatGet (Format _ _ _ g) = g
{-# INLINE formatGet #-}

-- | The format of a type that has an instance.
codec :: Codec a => Format a
codec = Format layout size put get
{-# INLINE codec #-}

-- How many bytes the values of a type take.
--
-- Note [Types that contain themselves]
-- ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
-- Whether a type with one constructor has constant size depends on its fields, so its layout asks
-- theirs. In @data Inf = Inf Inf@ that would never end. Nor would it in types that contain each
-- other, or in @data P a = P (P (a, a))@, where each layout asks that of yet another type. Such
-- types have only infinite values, but a program may contain them, and a decoder must end.
--
-- So a layout asks by a function that counts the types that it meets ('_layoutWidth'). A type that
-- meets more than 'mostAsked' has variable size. For any other type GHC computes all this, and the
-- layout is a constant. 'isDerived' recognises a derived layout without asking.
--
-- Nobody needs such types, but the count costs nothing at run time, and the alternatives fail. To
-- find the cycle by name would miss @P@, whose types are all different. A layout that did not ask
-- would give every type that is not an enumeration variable size. (Tests "values nested too deeply"
-- and "types without finite values".)

-- | How many bytes the values of a type take.
data Layout a = Layout
  { _layoutKind :: Kind,
    -- | The 'Width', given how many more types may be asked. The layout of a type that contains
    -- this one calls it.
    _layoutWidth :: Int# -> Width,
    -- | Constant or variable size. 'Layout' has one constructor for both, so that the compiler
    -- sees at once which one it is.
    layoutPlain :: Plain a,
    -- | How the bytes are arranged. 'Nothing' if only the decoder knows. For variable size only.
    layoutOutline :: Maybe Outline
  }

-- | Where a layout comes from.
data Kind
  = -- | The fields of the type.
    Derived
  | -- | The fields of another type, to which this one corresponds.
    Converted
  | -- | A format that somebody wrote.
    Written

-- | Constant or variable size.
data Plain a = Constant (Fixed a) | Variable Int

-- | All values take as many bytes as this format says.
pattern Fix :: Fixed a -> Layout a
pattern Fix f <-
  Layout _ _ (Constant f) _
  where
    Fix f = case fixedSize f of
      I# n -> Layout Written (\asks -> Width asks 1# n) (Constant f) Nothing

-- | The number of bytes depends on the value. It is at least this number. State at least 1 if every
-- value has a byte: with 0, the elements of a container count against the budget of steps
-- ('Ashlar.Codec.decode'), and long containers are refused. Apart from that, the number decides how
-- much memory is allocated in advance. With one that is too large, long containers from a stream
-- wait for bytes that they do not have, or are refused. The law @layoutAgrees@ of
-- "Ashlar.Codec.Laws" finds these.
pattern Var :: Int -> Layout a
pattern Var n <-
  Layout _ _ (Variable n) _
  where
    Var n@(I# n#) = Layout Written (\asks -> Width asks 0# n#) (Variable n) Nothing

{-# COMPLETE Fix, Var #-}

-- | The fewest bytes that a value takes.
leastSize :: Layout a -> Int
leastSize l = case l of
  Fix f -> fixedSize f
  Var n -> n
{-# INLINE leastSize #-}

-- | The answer of a layout: how many more types may be asked; 1 if the size is constant, else 0;
-- the least size. After the first has reached 0, the others mean nothing.
--
-- The numbers are unboxed, so that GHC computes them at once. What it has to compute in a later
-- phase, it copies: twice for each field, so 2^n times for n fields.
data Width = Width Int# Int# Int#

-- | The layout of a type that has the format of another one. The function converts a format of
-- constant size. A derived layout is not forced (Note [Types that contain themselves]).
mapLayout :: (Fixed a -> Fixed b) -> Layout a -> Layout b
mapLayout = mapPlain $ \kind -> case kind of
  Written -> Written
  _ -> Converted
{-# INLINE mapLayout #-}

-- | 'mapLayout' for a format that accepts some of the values of the same type.
narrowLayout :: (Fixed a -> Fixed a) -> Layout a -> Layout a
narrowLayout = mapPlain id
{-# INLINE narrowLayout #-}

mapPlain :: (Kind -> Kind) -> (Fixed a -> Fixed b) -> Layout a -> Layout b
mapPlain kindOf h (Layout kind width plain outline) = Layout (kindOf kind) width mapped outline
  where
    mapped = case plain of
      Constant f -> Constant (h f)
      Variable n -> Variable n
{-# INLINE mapPlain #-}

-- | The size of a derived layout of this function, if it has constant size.
constantSize :: (Int# -> Width) -> Maybe Int
constantSize width = case counted width (mostAsked ()) of
  Width left constant n -> case constant `andI#` (left ># 0#) of
    1# -> Just (I# n)
    _ -> Nothing
{-# INLINE constantSize #-}

-- | Ask a layout, given how many more types may be asked.
widthOf :: Layout a -> Int# -> Width
widthOf (Layout _ width _ _) = width
{-# INLINE widthOf #-}

-- | A derived layout. The first function asks the layouts of the parts. If all have constant size,
-- the second one makes the format from the sum of their sizes.
derivedLayout :: (Int# -> Width) -> (Int -> Fixed a) -> Outline -> Layout a
derivedLayout width formatOf outline = Layout Derived (counted width) plain (Just outline)
  where
    plain = case counted width (mostAsked ()) of
      Width left constant n -> case left ># 0# of
        1# -> case constant of
          1# -> Constant (unlessCutOff (I# n) (formatOf (I# n)))
          _ -> Variable (I# n)
        _ -> Variable 0
    {-# INLINE plain #-}
{-# INLINE derivedLayout #-}

-- How many types a layout may ask. Nobody nests more in one another without a sum or a container
-- between them. A function, so that GHC unfolds it to a literal.
mostAsked :: () -> Int#
mostAsked () = 10000#
{-# INLINE mostAsked #-}

-- | Does 'derivedLayout' of this function have constant size (1) or not (0)?
isConstant :: (Int# -> Width) -> Int#
isConstant width = case counted width (mostAsked ()) of
  Width left constant _ -> constant `andI#` (left ># 0#)
{-# INLINE isConstant #-}

-- Count this type as asked.
counted :: (Int# -> Width) -> Int# -> Width
counted width asks = case asks ># 0# of
  1# -> width (asks -# 1#)
  _ -> Width 0# 0# 0#
{-# INLINE counted #-}

-- | The derived layout of a type that has variable size whatever its parts are.
variableLayout :: Int -> Outline -> Layout a
variableLayout n@(I# n#) outline =
  Layout Derived (\asks -> Width asks 0# n#) (Variable n) (Just outline)
{-# INLINE variableLayout #-}

-- | The derived layout of an enumeration.
enumerated :: Fixed a -> Layout a
enumerated f = case fixedSize f of
  I# n -> Layout Derived (\asks -> Width asks 1# n) (Constant f) Nothing
{-# INLINE enumerated #-}

-- | Is it a derived layout, of this type or of one that corresponds to it?
isDerived :: Layout a -> Bool
isDerived l = case l of
  Layout Written _ _ _ -> False
  _ -> True
{-# INLINE isDerived #-}

-- | Are the bytes those of the type's own fields, one after the other?
hasOwnFields :: Layout a -> Bool
hasOwnFields l = case l of
  Layout Derived _ _ _ -> True
  _ -> False
{-# INLINE hasOwnFields #-}

-- | 'Var' of a format with this outline.
varying :: Int -> Outline -> Layout a
varying n@(I# n#) outline = Layout Written (\asks -> Width asks 0# n#) (Variable n) (Just outline)
{-# INLINE varying #-}
