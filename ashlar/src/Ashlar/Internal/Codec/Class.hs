{-# LANGUAGE DefaultSignatures #-}
{-# LANGUAGE RoleAnnotations #-}
-- Unfoldings must not be eta-expanded: see Note [Generic methods].
{-# OPTIONS_GHC -fno-do-lambda-eta-expansion #-}

-- |
-- Module      : Ashlar.Internal.Codec.Class
-- Description : The class of types with a binary format
--
-- Invariants:
--
-- [INV-C1] @length (encode x) == size x@.
-- [INV-C2] @decode (encode x) == Right x@, if the type calls @x@ valid and @x@ is within the
--   budgets (@defaultBudget@: 100,000 levels, 1,048,576 steps).
-- [INV-C3] Decoding any bytes ends, in time and memory proportional to their number and to the
--   budgets. Fractions of 'Integer's are the exception: checking that they are in lowest terms
--   takes up to quadratic time.
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
-- next paragraph says why.
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
  )
where

import Ashlar.Internal.Builder.Core (Builder)
import Ashlar.Internal.Codec.Layout
import Ashlar.Internal.Get.Core (Get)

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
  -- If it is @'Fix' f@, then @'put' = 'Ashlar.Codec.Fixed.putFixed' f@,
  -- @'get' = 'Ashlar.Codec.Fixed.getFixed' f@ and
  -- @'size' _ = 'Ashlar.Codec.Fixed.fixedSize' f@. If it is @'Var' n@, every value takes at least
  -- n bytes. It must not ask for the layout of a type that contains this one, or it loops.
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
-- A type with a @put@ and a @get@ of @binary@ takes two lines, by 'Ashlar.Codec.fromPutGet' or
-- 'Ashlar.Codec.byHand'.
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

-- Formats are not coerced: 'HasFormat' derived by newtype or by @via@ would take 'format' and the
-- hidden methods from different instances. (Test "what must not compile".)
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
