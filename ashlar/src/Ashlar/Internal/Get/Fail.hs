{-# LANGUAGE UnboxedTuples #-}

-- |
-- Module      : Ashlar.Internal.Get.Fail
-- Description : Decoders that fail, and names for their errors
--
-- A decoder that fails says how many bytes it has examined, and its error shows these bytes. The
-- number must not depend on how the input is cut into chunks (INV-G2).
module Ashlar.Internal.Get.Fail
  ( -- * At the cursor
    failExpecting,
    expected,
    missing,

    -- * With a message
    invalid,
    invalidAt,
    invalidFrom,
    refine,

    -- * Names
    label,
    (<?>),

    -- * Paths of values that are read as one span
    insideSpan,
  )
where

import Ashlar.Internal.Get.Core
import Ashlar.Internal.Get.Env
import Ashlar.Internal.Get.Error
import Ashlar.Internal.Get.Failure
import Ashlar.Internal.Get.Input
import Ashlar.Internal.Get.Path
import Data.Word (Word8)
import GHC.Exts (Ptr (Ptr))
import GHC.IO (unIO)

infix 0 <?>

-- | Fail at the cursor, because something else was expected.
failExpecting ::
  -- | What was expected.
  String ->
  -- | How many bytes the decoder has examined. They must be in the current segment.
  Int ->
  Reason ->
  Get a
failExpecting name n reason = do
  p <- cursor
  at <- here
  inEnv (inTraced (Expecting name at)) (failAt p n reason)
{-# NOINLINE failExpecting #-}

-- | Fail at the cursor, because other bytes should stand there.
expected ::
  -- | Their name.
  String ->
  -- | How many bytes the decoder has examined.
  Int ->
  Get a
expected name n = together n >>= \m -> failExpecting name m Unexpected
{-# NOINLINE expected #-}

-- | Fail at the cursor, because the input ends too early.
missing ::
  -- | How many bytes were needed.
  Int ->
  -- | How many are left. The decoder has examined all of them.
  Int ->
  Get a
missing needed left =
  together left >>= \m -> cursor >>= \p -> failAt p m (MissingInput needed left)
{-# NOINLINE missing #-}

-- Bring n bytes that the input has into one segment, but no more than an error shows. (The decoder
-- may have examined them in more than one segment.) Returns their number.
together :: Int -> Get Int
together n = foundLength <$> lookAt (min 16 n)

-- | Fail with a message about bytes that 'consume' made sure of.
invalidAt ::
  -- | Where they begin: at the address that 'consume' gave, or after it.
  Ptr Word8 ->
  -- | How many they are.
  Int ->
  String ->
  Get a
invalidAt p n message = failAt p n (Invalid message)
{-# INLINE invalidAt #-}

-- | Fail with a message about what was read from this offset on.
invalidFrom :: Int -> String -> Get a
invalidFrom at message = here >>= \reach -> failWith reach at nothingFound (Invalid message)
{-# NOINLINE invalidFrom #-}

-- | Decode a value and convert it. If the conversion returns a message, fail with that
-- ('Ashlar.Get.Invalid') at the offset where the value begins.
--
-- @'refine' 'Right' g == g@, and
-- @'refine' f ('refine' g x) == 'refine' (g 'Control.Monad.>=>' f) x@.
--
-- >>> import Ashlar.Get.Combinators (refine)
-- >>> let even' n = if even n then Right (n `div` 2) else Left "an odd number"
-- >>> runGet (refine even' getWord16be) "\0\6"
-- Right 3
-- >>> let byteAndEven = getWord8 *> refine even' getWord16be
-- >>> either (putStrLn . displayException) print (runGet byteAndEven "\1\0\7")
-- at byte 1: an odd number
--   00000000  01 00 07                                          |...|
--                ^^
refine :: (a -> Either String b) -> Get a -> Get b
refine check g = do
  at <- here
  g >>= \x -> either (invalidFrom at) pure (check x)
{-# INLINE refine #-}

-- | Name what a decoder decodes. Errors anywhere inside have the name in their
-- 'Ashlar.Get.errorLabels'. The name is evaluated only for an error.
--
-- >>> either (print . errorLabels) print (runGet (label "price" getWord32le) "ab")
-- ["price"]
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
(<?>) :: Get a -> String -> Get a
(<?>) = named
{-# INLINE (<?>) #-}

named :: Get a -> String -> Get a
named (Get p) name = Get $ \p0 c env s0 -> case unIO (offsetOf c (Ptr p0)) s0 of
  (# s1, at #) -> p p0 c (inTraced (Expecting name at) env) s1
{-# INLINE [1] named #-}

-- Note [Rules for decoders] in "Ashlar.Internal.Get.Core".
{-# RULES
"named/guarded" forall t names g name.
  named (guardedGet t (Expectation names) g) name =
    guardedGet t (Expectation (names ++ [name])) (named g name)
  #-}

-- | Run a decoder that reads a value, or elements, as one span, which begins at the cursor. Costs
-- nothing unless it fails.
insideSpan :: Names -> Get a -> Get a
insideSpan names = inEnv (inSpanOf names)
{-# INLINE insideSpan #-}

-- The environment inside such a span. NOINLINE: the failing branch of each span has this, and a
-- call takes the least code.
inSpanOf :: Names -> Env -> Env
inSpanOf names env = inTraced (InsideSpan names) env
{-# NOINLINE inSpanOf #-}
