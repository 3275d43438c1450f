{-# LANGUAGE DerivingStrategies #-}
-- Unfoldings must not be eta-expanded: see Note [Generic methods].
{-# OPTIONS_GHC -fno-do-lambda-eta-expansion #-}

-- |
-- Module      : Ashlar.Internal.Codec.Format
-- Description : How the values of a type are written and read, as a value
module Ashlar.Internal.Codec.Format
  ( Format (..),
    codec,
    fixed,
    HasFormat (..),
    ByFormat (..),
    formatLayout,
    formatSize,
    formatPut,
    formatGet,
    bijection,
    refined,
    satisfying,
    constant,
  )
where

import Ashlar.Internal.Builder.Core
import Ashlar.Internal.Codec.Class
import Ashlar.Internal.Codec.Fixed
import Ashlar.Internal.Codec.ReadFields
import Ashlar.Internal.Get.Core
import Ashlar.Internal.Get.Path
import Ashlar.Internal.Get.Refuse

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
  -- stand in a @variant@ somewhere.
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
-- >>> import Ashlar.Codec.Combinators
-- >>> newtype Celsius = Celsius Double deriving Show
-- >>> let celsius = bijection (\(Celsius x) -> x) Celsius codec
-- >>> runGet (formatGet celsius) (encode (21 :: Double))
-- Right (Celsius 21.0)
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
-- >>> import Ashlar.Codec.Combinators
-- >>> let percent = refined id (\n -> if n <= 100 then Right n else Left (show n ++ " percent")) (codec :: Format Word8)
-- >>> toStrictByteString (formatPut percent 50)
-- "2"
-- >>> either (print . errorReason) print (runGet (formatGet percent) "e")
-- Invalid "101 percent"
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
-- >>> import Ashlar.Codec.Combinators
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
