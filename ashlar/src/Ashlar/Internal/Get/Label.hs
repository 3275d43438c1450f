{-# LANGUAGE MagicHash #-}
{-# LANGUAGE UnboxedTuples #-}

-- |
-- Module      : Ashlar.Internal.Get.Label
-- Description : Names for errors
module Ashlar.Internal.Get.Label
  ( label,
    (<?>),

    -- * Paths of values that are read as one span
    insideSpan,
    inSpanOf,
  )
where

import Ashlar.Internal.Get.Core
import Ashlar.Internal.Get.Env
import Ashlar.Internal.Get.Path
import GHC.Exts (Ptr (Ptr))
import GHC.IO (unIO)

infix 0 <?>

-- | Name what a decoder decodes. Errors anywhere inside have the name in their
-- 'Ashlar.Get.errorLabels'. It is evaluated only for an error.
--
-- >>> either (print . errorLabels) print (runGet (label "price" getWord32le) "ab")
-- ["price"]
--
-- @since 0.1.0.0
label :: String -> Get a -> Get a
label name = inEnv (inTraced (Labelled name))
{-# INLINE label #-}

-- | Name what is expected where a decoder begins. Errors at that offset have the name in their
-- 'Ashlar.Get.errorExpected', in place of the names inside. Errors after it are as they were.
--
-- The operator means the same in parsec and its kin. In attoparsec it is 'label'.
--
-- >>> let digit = satisfy (\w -> w >= 48 && w <= 57) <?> "digit"
-- >>> let sign = satisfy (== 45) <?> "sign"
-- >>> let number = optional sign *> some digit
-- >>> either (print . errorExpected) print (runGet number "x")
-- ["sign","digit"]
-- >>> either (print . errorExpected) print (runGet (number <?> "number") "x")
-- ["number"]
-- >>> either (print . errorExpected) print (runGet (number <?> "number") "-x")
-- ["digit"]
--
-- @since 0.1.0.0
(<?>) :: Get a -> String -> Get a
(<?>) = named
{-# INLINE (<?>) #-}

named :: Get a -> String -> Get a
named (Get p) name = Get $ \c env p0 s0 -> case unIO (offsetOf c (Ptr p0)) s0 of
  (# s1, at #) -> p c (inTraced (Expecting name at) env) p0 s1
{-# INLINE [1] named #-}

-- Note [Rules for decoders] in "Ashlar.Internal.Get.Core".
{-# RULES
"named/guarded" forall t names g name.
  named (guardedGet t (Expectation names) g) name =
    guardedGet t (Expectation (names ++ [name])) (named g name)
  #-}

-- | Inside a value, or elements, whose bytes are read as one span. The cursor stands before them.
-- Costs nothing unless something is wrong.
insideSpan :: Names -> Get a -> Get a
insideSpan names = inEnv (inSpanOf names)
{-# INLINE insideSpan #-}

-- | The environment inside such a value.
inSpanOf :: Names -> Env -> Env
inSpanOf names = inTraced (InsideSpan names)
{-# INLINE inSpanOf #-}
