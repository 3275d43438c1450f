{-# LANGUAGE UnboxedTuples #-}

-- |
-- Module      : Ashlar.Internal.Get.Label
-- Description : Names for errors, and isolated stretches
module Ashlar.Internal.Get.Label
  ( label,
    (<?>),
    isolate,

    -- * For other modules
    isolateOr,
  )
where

import Ashlar.Internal.Get.Core
import Ashlar.Internal.Get.Env
import Ashlar.Internal.Get.Error
import Ashlar.Internal.Get.Failure
import Ashlar.Internal.Get.Input
import Ashlar.Internal.Get.Path
import Ashlar.Internal.Mem.Cells
import GHC.IO (unIO)

infix 0 <?>

-- | Name what a decoder decodes, for its errors: they have it in their
-- 'errorLabels', wherever in it they are. The name is not evaluated unless there is
-- one.
--
-- >>> either (print . errorLabels) print (runGet (label "price" getWord32le) "ab")
-- ["price"]
--
-- @since 0.1.0.0
label :: String -> Get a -> Get a
label name (Get p) = Get (\c env -> p c env {envContext = Labelled name (envContext env)})
{-# INLINE label #-}

-- | Name what is expected where a decoder begins. Errors that are right there
-- have it in their 'errorExpected', in place of the names inside; errors
-- behind it are as they were. (The operator is that of parsec and its kin, where it
-- means this; attoparsec has it for what 'label' does.)
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
named (Get p) name = Get $ \c env s0 -> case unIO (position c) s0 of
  (# s1, at #) -> p c env {envContext = Expecting name at (envContext env)} s1
{-# INLINE [1] named #-}

-- Note [Rules for decoders] in "Ashlar.Internal.Get.Core".
{-# RULES
"named/guarded" forall t names g name.
  named (guardedGet t (Expectation names) g) name =
    guardedGet t (Expectation (names ++ [name])) (named g name)
  #-}

-- | @isolate n p@ runs @p@ on the next @n@ bytes alone: to @p@ the input ends
-- there. Fails if @p@ does, if @n@ is negative, or if @p@ leaves bytes over; where the
-- input ends before they do, these are missing.
--
-- >>> runGet (isolate 2 getWord16le) "abc"
-- Right 25185
-- >>> either (print . errorReason) print (runGet (isolate 2 getWord8) "abc")
-- Invalid "isolate: 1 of 2 bytes were not read"
--
-- @since 0.1.0.0
isolate :: Int -> Get a -> Get a
isolate = isolateOr $ \c env left leftOver -> do
  more <- moreInput c (envInput env)
  pure $! if more then leftOver else MissingInput left 0

-- | 'isolate', given what to say where bytes were not read: how many they are, and what
-- is said if they are there.
isolateOr :: (Cells -> Env -> Int -> Reason -> IO Reason) -> Int -> Get a -> Get a
isolateOr reason n (Get p)
  | n < 0 = invalid "isolate: negative number of bytes"
  | otherwise = Get $ \c env s0 -> case unIO (enter c) s0 of
    (# s1, (at, limit) #) -> case p c env s1 of
      (# s2, a #) -> case unIO (leave c env at limit) s2 of (# s3, _ #) -> (# s3, a #)
  where
    enter c = do
      at <- position c
      limit <- getInt c limitCell
      -- Compared so that nothing overflows; the outer limit stays in force.
      setLimit c (if n < limit - at then at + n else limit)
      pure (at, limit)
    leave c env at limit = do
      now <- position c
      setLimit c limit
      let left = n - (now - at)
      if left == 0
        then pure ()
        else do
          why <- reason c env left (Invalid ("isolate: " ++ show left ++ " of " ++ show n ++ " bytes were not read"))
          failWith c env now now nothingFound why
