-- Unfoldings must not be eta-expanded: see Note [Generic methods].
{-# OPTIONS_GHC -fno-do-lambda-eta-expansion #-}

-- |
-- Module      : Ashlar.Internal.Codec.Format
-- Description : How the values of a type are written and read, as a value
module Ashlar.Internal.Codec.Format
  ( Format,
    codec,
    fixed,
    byHand,
    fromPutGet,
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

import Ashlar.Internal.Builder.Core (Builder)
import Ashlar.Internal.Builder.RunIO (toBufferIOWith)
import Ashlar.Internal.Codec.Class
import Ashlar.Internal.Codec.Fixed
import Ashlar.Internal.Codec.Layout (mapLayout)
import Ashlar.Internal.Codec.ReadFields
import Ashlar.Internal.Get.Budget (chargedIfEmpty, deeper)
import Ashlar.Internal.Get.Core
import Ashlar.Internal.Get.Path
import Ashlar.Internal.Get.Refuse
import System.IO.Unsafe (unsafePerformIO)

-- | A format of variable size from its parts: the least size of a value, its size, how it is
-- written, and how it is read.
--
-- A value counts as a level of nesting, so that no input makes a recursive reader nest without
-- end. That the size is what is written is not checked: 'Ashlar.Codec.encode' does not use it, so
-- a wrong one never gives wrong bytes, but 'Ashlar.Codec.encodedSize' returns it. @exactSize@ of
-- "Ashlar.Codec.Laws" finds that out; 'fromPutGet' computes it.
--
-- @since 0.1.0.0
byHand ::
  -- | No value takes fewer bytes. State at least 1 if every value has a byte: with 0 the elements
  -- of a container count against the budget for elements of no size.
  Int ->
  -- | The exact number of bytes that are written.
  (a -> Int) ->
  (a -> Builder) ->
  Get a ->
  Format a
-- A value that takes no byte, although one was promised, counts as an empty element. Else a
-- container could announce any number of them.
byHand least n p g = Format (Var least) n p (deeper (if least > 0 then chargedIfEmpty g else g))
{-# INLINE byHand #-}

-- | 'byHand' without the size, which is found out by running the builder.
--
-- 'Ashlar.Codec.encode' does not ask for sizes, and costs the same. 'Ashlar.Codec.encodedSize'
-- takes as long as encoding and a buffer of 512 bytes for each such value.
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
--
-- @since 0.1.0.0
fromPutGet ::
  -- | No value takes fewer bytes, as for 'byHand'.
  Int ->
  (a -> Builder) ->
  Get a ->
  Format a
fromPutGet least p = byHand least (\x -> builderSize (p x)) p
{-# INLINE fromPutGet #-}

-- The number of bytes of a builder, written into one small buffer again and again.
builderSize :: Builder -> Int
builderSize b = unsafePerformIO (toBufferIOWith 512 (\_ _ -> pure ()) b)
{-# NOINLINE builderSize #-}

-- | A format from "Ashlar.Codec.Fixed".
--
-- @since 0.1.0.0
fixed :: Fixed a -> Format a
fixed f = Format (Fix f) (\_ -> fixedSize f) (putFixed f) (readFixed f)
{-# INLINE fixed #-}

-- Its errors say what the format has names for.
readFixed :: Fixed a -> Get a
readFixed f = case fixedNames f of
  Nameless -> getFixed f
  _ -> getNamed f
{-# INLINE readFixed #-}

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
bijection there back (Format l n p g) =
  Format (mapLayout (fixedMap there back) l) (\x -> n (there x)) (\x -> p (there x)) $ case l of
    Fix f -> readFixed (fixedMap there back f)
    Var _ -> g >>= \x -> pure $! back x
{-# INLINE bijection #-}

-- | The format of one type for another that corresponds to a part of it. Reading a
-- value outside of that part fails, at its first byte, with the message that the
-- function gives.
--
-- The law is @back (there x) == 'Right' x@. (And @there y == x@ if @back x == 'Right' y@,
-- if each value shall have one encoding.)
--
-- >>> import Ashlar.Codec.Combinators
-- >>> let atMost100 n = if n <= 100 then Right n else Left (show n ++ " percent")
-- >>> let percent = refined id atMost100 (codec :: Format Word8)
-- >>> toStrictByteString (formatPut percent 50)
-- "2"
-- >>> either (print . errorReason) print (runGet (formatGet percent) "e")
-- Invalid "101 percent"
--
-- @since 0.1.0.0
refined :: (b -> a) -> (a -> Either String b) -> Format a -> Format b
refined there back (Format l n p g) =
  Format (mapLayout (fixedChecked there back) l) (\x -> n (there x)) (\x -> p (there x)) $ case l of
    Fix f -> readFixed (fixedChecked there back f)
    Var _ -> refine back g
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
constant x =
  refined (\() -> x) (\y -> if y == x then Right () else Left (show y ++ " instead of " ++ show x))
{-# INLINE constant #-}
