{-# LANGUAGE MagicHash #-}
{-# LANGUAGE PatternSynonyms #-}

-- |
-- Module      : Ashlar.Internal.Codec.Layout
-- Description : How many bytes the values of a type take
--
-- Note [Types that contain themselves]
-- ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
-- Whether a type with one constructor has constant size depends on its fields, so its layout asks
-- for theirs. In @data Inf = Inf Inf@ that would never end. Nor would it in types that contain each
-- other, or in @data P a = P (P (a, a))@, where each layout asks for that of yet another type. Such
-- types have only infinite values, but a program may contain them, and a decoder must end.
--
-- So 'isDerived' recognises a derived layout without asking anything, and a layout asks by a
-- function that counts the types it meets. A type that meets more than 'mostAsked' has variable
-- size. For any other type GHC computes all this, and the layout is a constant.
--
-- Nobody needs such types, but the count costs nothing at run time, and nothing else ends. Finding
-- the cycle by name would miss @P@, whose types are all different. Asking nothing would give every
-- type that is not an enumeration variable size. (Tests "values nested too deeply" and "types
-- without finite values".)
module Ashlar.Internal.Codec.Layout
  ( Layout (Fix, Var),
    leastSize,
    mapLayout,
    Plain (..),
    layoutPlain,

    -- * Derived layouts
    Width (..),
    widthOf,
    derivedLayout,
    isConstant,
    variableLayout,
    isDerived,
  )
where

import Ashlar.Internal.Codec.Fixed
import GHC.Exts (Int (I#), Int#, andI#, (-#), (>#))

-- | How many bytes the values of a type take.
data Layout a = Layout
  { _layoutKind :: Kind,
    -- | What it asks.
    _layoutWidth :: Int# -> Width,
    -- | The answer. One constructor for all kinds, with the choice in here, lets the compiler see
    -- at once which one it is.
    layoutPlain :: Plain a
  }

data Kind = Derived | Written

-- | Constant or variable size.
data Plain a = Constant (Fixed a) | Variable Int

-- | All values take as many bytes as this format says.
pattern Fix :: Fixed a -> Layout a
pattern Fix f <-
  Layout _ _ (Constant f)
  where
    Fix f = case fixedSize f of I# n -> Layout Written (\asks -> Width asks 1# n) (Constant f)

-- | The number of bytes depends on the value. It is at least this number. State at least 1 if every
-- value has a byte: with 0, the elements of a container count against the budget of steps
-- ('Ashlar.Codec.decode'), and long containers are refused. Apart from that, the number only
-- decides how much memory is allocated in advance, and a wrong one is safe.
pattern Var :: Int -> Layout a
pattern Var n <-
  Layout _ _ (Variable n)
  where
    Var n@(I# n#) = Layout Written (\asks -> Width asks 0# n#) (Variable n)

{-# COMPLETE Fix, Var #-}

-- | The fewest bytes that a value takes.
leastSize :: Layout a -> Int
leastSize l = case l of
  Fix f -> fixedSize f
  Var n -> n
{-# INLINE leastSize #-}

-- | An answer: how many more types may be asked, whether the size is constant (1) or not (0), and
-- the least size. If no more may be asked, the other two are wrong.
--
-- The numbers are unboxed because the compiler computes such numbers at once. What has to wait for
-- a phase of the compiler is there twice for each field, and so 2^n times.
data Width = Width Int# Int# Int#

-- | The layout of a type that is written as another one. The function makes its format if the size
-- is constant. A derived layout stays one, and is not forced
-- (Note [Types that contain themselves]).
mapLayout :: (Fixed a -> Fixed b) -> Layout a -> Layout b
mapLayout h (Layout kind width plain) = Layout kind width $ case plain of
  Constant f -> Constant (h f)
  Variable n -> Variable n
{-# INLINE mapLayout #-}

-- | Ask a type.
widthOf :: Layout a -> Int# -> Width
widthOf (Layout _ width _) = width
{-# INLINE widthOf #-}

-- | The layout of a type, given what it asks its parts. If all of them have constant size, the
-- second function makes the format from the sum of their sizes.
derivedLayout :: (Int# -> Width) -> (Int -> Fixed a) -> Layout a
derivedLayout width format = Layout Derived (counted width) $ case counted width (mostAsked ()) of
  Width left constant n -> case left ># 0# of
    1# -> case constant of
      1# -> Constant (unlessCutOff (I# n) (format (I# n)))
      _ -> Variable (I# n)
    _ -> Variable 0
{-# INLINE derivedLayout #-}

-- Nobody nests more types in one another without a sum or a container between them. It is a
-- function so that it is unfolded to a literal.
mostAsked :: () -> Int#
mostAsked () = 10000#
{-# INLINE mostAsked #-}

-- | Does a layout that asks this have constant size (1) or not (0)?
isConstant :: (Int# -> Width) -> Int#
isConstant width = case counted width (mostAsked ()) of
  Width left constant _ -> constant `andI#` (left ># 0#)
{-# INLINE isConstant #-}

counted :: (Int# -> Width) -> Int# -> Width
counted width asks = case asks ># 0# of
  1# -> width (asks -# 1#)
  _ -> Width 0# 0# 0#
{-# INLINE counted #-}

-- | The layout of a type that has variable size whatever its parts are.
variableLayout :: Int -> Layout a
variableLayout n@(I# n#) = Layout Derived (\asks -> Width asks 0# n#) (Variable n)
{-# INLINE variableLayout #-}

-- | Is it a derived layout?
isDerived :: Layout a -> Bool
isDerived l = case l of
  Layout Derived _ _ -> True
  _ -> False
{-# INLINE isDerived #-}
