-- No eta-expansion: Note [Rules for decoders] in "Ashlar.Internal.Get.Core".
{-# OPTIONS_GHC -fno-do-lambda-eta-expansion #-}

-- |
-- Module      : Ashlar.Internal.Get.Scan
-- Description : Taking and leaving out bytes as long as a predicate holds
--
-- None of it goes back, so none of it keeps input. The loops are in
-- "Ashlar.Internal.Get.Scanner", which needs eta-expansion.
module Ashlar.Internal.Get.Scan
  ( -- * Taking
    takeWhile,
    takeWhile1,
    takeTill,
    takeTillByte,
    scan,
    runScanner,

    -- * Skipping
    skipWhile,
    skipWhile1,
    skipSpace,
  )
where

import Ashlar.Internal.Get.Core
import Ashlar.Internal.Get.NextByte (refused)
import Ashlar.Internal.Get.Scanner
import Data.ByteString (ByteString)
import qualified Data.ByteString as S
import Data.Word (Word8)
import Prelude hiding (takeWhile)

-- | The bytes up to the first of which a predicate does not hold, or up to the end. There may be
-- none.
--
-- If they are in one chunk of the input, the result is a slice of it, which keeps that chunk's
-- memory alive. Otherwise they are copied together, in time proportional to their number.
--
-- >>> import qualified Ashlar.Get.Parse as P
-- >>> runGetRest (P.takeWhile (/= 32)) "GET /"
-- Right ("GET"," /")
--
-- @since 0.1.0.0
takeWhile :: (Word8 -> Bool) -> Get ByteString
takeWhile f = takeScanned const () (\s p e -> whileScanner f s p e)
{-# INLINE takeWhile #-}

-- | 'takeWhile' of at least one byte. Fails if the predicate does not hold of the next one.
--
-- @since 0.1.0.0
takeWhile1 :: (Word8 -> Bool) -> Get ByteString
takeWhile1 f = takeWhile f >>= \bs -> if S.null bs then refused acceptedByTake else pure bs
{-# INLINE takeWhile1 #-}

acceptedByTake :: String
acceptedByTake = "a byte that takeWhile1 accepts"
{-# NOINLINE acceptedByTake #-}

-- | The bytes up to the first of which a predicate holds, or up to the end. A slice of the input,
-- or a copy if they lie in several chunks.
--
-- @since 0.1.0.0
takeTill :: (Word8 -> Bool) -> Get ByteString
takeTill f = takeWhile (not . f)
{-# INLINE takeTill #-}

-- | 'takeWhile' with a state: the bytes up to the one for which the function
-- returns 'Nothing'. (A slice or a copy, as of 'takeTill'.)
--
-- >>> import qualified Ashlar.Get.Parse as P
-- >>> let close n = if n > 0 then Just (n - 1) else Nothing
-- >>> let nested n w = case w of { 40 -> Just (n + 1); 41 -> close n; _ -> Just (n :: Int) }
-- >>> runGetRest (P.scan 0 nested) "a(b)c)d"
-- Right ("a(b)c",")d")
--
-- @since 0.1.0.0
scan :: s -> (s -> Word8 -> Maybe s) -> Get ByteString
scan s0 f = takeScanned const s0 (\s p e -> stateScanner f s p e)
{-# INLINE scan #-}

-- | 'scan', also returning the last state.
--
-- @since 0.1.0.0
runScanner :: s -> (s -> Word8 -> Maybe s) -> Get (ByteString, s)
runScanner s0 f = takeScanned (,) s0 (\s p e -> stateScanner f s p e)
{-# INLINE runScanner #-}
