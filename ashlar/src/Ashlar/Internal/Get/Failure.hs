{-# LANGUAGE MagicHash #-}

-- |
-- Module      : Ashlar.Internal.Get.Failure
-- Description : What is remembered of failures, and made of them in the end
--
-- Note [The farthest failure]
-- ~~~~~~~~~~~~~~~~~~~~~~~~~~~
-- A decoder that goes back and tries something else fails many times, and in
-- the end reports one error. The last failure is rarely the one to report:
-- @many record <* endOfInput@ fails at the beginning of a broken record,
-- because the input does not end there, and what is wrong is inside the record.
-- So a run, if it is traced (Note [Traced runs]), remembers the failures that got farthest
-- ("reach": where the cursor was), and makes its error from those (Bryan Ford, "Packrat
-- Parsing", 2002, section 3.2.4). What is tried only to look ahead does not count, if it
-- succeeds as a whole.
--
-- Failing must stay cheap, because most failures lead to another alternative.
-- Only one comparison is made for each that got less far; for the others what is
-- at hand is put into a record, and all else waits until a run has failed.
-- Among failures that got equally far the order is: no alternative, unexpected
-- bytes, bytes left over, bytes missing, messages, limits of the run. The last of
-- the highest is the winner ('toError'). So 'Control.Applicative.empty' is neutral and choices are
-- associative, also in their errors.
module Ashlar.Internal.Get.Failure
  ( -- * Failures
    Failures (..),
    noFailures,
    addFailure,
    addsNothing,
    toError,

    -- * What was found
    Found (..),
    nothingFound,
    peekFound,
    foundBytes,
  )
where

import Ashlar.Internal.Get.Error
import Ashlar.Internal.Get.Path
import Ashlar.Internal.Mem (peekLE)
import Data.Bits (shiftL, shiftR, (.|.))
import Data.ByteString (ByteString)
import qualified Data.ByteString as S
import qualified Data.List as List
import Data.Word (Word64, Word8)
import Foreign.Ptr (Ptr, plusPtr)
import Foreign.Storable (peekByteOff)
import GHC.Exts (isTrue#, reallyUnsafePtrEquality#)

-- | The failures that got farthest: the latest of them, and the others.
data Failures = Failures
  { -- | The offset up to which the decoder had come; the same for all of them.
    failureReach :: !Int,
    -- | The offset of what was wrong; not behind the reach.
    failureOffset :: !Int,
    failureFound :: {-# NOUNPACK #-} !Found,
    failureContext :: !Context,
    -- | The place that the context does not have, how far behind the cursor the offset
    -- was, and how many bytes the failure is about: see 'labelsAt'.
    failurePlace :: !Place,
    failureAhead :: !Int,
    failureSize :: !Int,
    failureReason :: !Reason,
    -- | How many failures there are, with this one.
    failureCount :: !Int,
    -- | (Not strict, for 'noFailures'.)
    failureOlder :: Failures
  }

-- | Before anything has failed.
noFailures :: Failures
noFailures = Failures (-1) (-1) nothingFound Top somewhere 0 0 NoAlternative 0 noFailures

-- | Add a failure to those that got equally far; it takes the place of those that
-- got less far. Reach, offset, what was found, context, place, how far ahead it was,
-- how many bytes it is about, and reason are given.
--
-- A loop may fail at the same place any number of times, so their number has a
-- limit. Beyond it, one takes the place of the latest, unless that counts for
-- more.
addFailure :: Int -> Int -> Found -> Context -> Place -> Int -> Int -> Reason -> Failures -> Failures
addFailure reach offset found context place ahead size reason olds
  | reach > failureReach olds = new 1 noFailures
  | failureCount olds < 32 = new (failureCount olds + 1) olds
  | rank latest >= rank olds = latest
  | otherwise = olds
  where
    new = Failures reach offset found context place ahead size reason
    latest = new (failureCount olds) (failureOlder olds)
{-# INLINE addFailure #-}

-- | Would it change nothing to add a failure with this reach and offset, this number
-- of bytes found, this context, place and reason? Context and reason are compared by address,
-- which is enough: this only saves time and memory.
addsNothing :: Int -> Int -> Int -> Context -> Place -> Reason -> Failures -> Bool
addsNothing reach offset found context place reason olds
  | reach == failureReach olds =
    offset == failureOffset olds
      && found <= foundLength (failureFound olds)
      && place == failurePlace olds
      && isTrue# (reallyUnsafePtrEquality# context (failureContext olds))
      && isTrue# (reallyUnsafePtrEquality# reason (failureReason olds))
  | otherwise = reach < failureReach olds
{-# INLINE addsNothing #-}

toList :: Failures -> [Failures]
toList failures = take (failureCount failures) (iterate failureOlder failures)

-- How much a failure counts among those that got equally far.
rank :: Failures -> Int
rank f = case failureReason f of
  NoAlternative -> maybe 0 (const 1) (expectation f)
  Unexpected -> 1
  TrailingInput -> 2
  MissingInput _ _ -> 3
  Invalid _ -> 4
  OverBudget _ -> 5

-- | The error that is made of the failures that got farthest; there must be one.
-- The excerpt is left empty.
toError :: Failures -> DecodeError
toError list =
  DecodeError
    { errorOffset = fromIntegral (failureOffset winner),
      errorLabels = labels winner,
      errorReason = failureReason winner,
      errorAnnounced = case failureReason winner of
        MissingInput _ _ -> announcedElements (failureContext winner)
        _ -> Nothing,
      errorExpected = List.nub [name | f <- reverse peers, Just name <- [expectation f]],
      errorFound = foundBytes (List.maximumBy (\a b -> compare (foundLength a) (foundLength b)) (map failureFound peers)),
      errorExcerpt = noExcerpt
    }
  where
    failures = toList list
    -- The latest of the highest rank. Where nothing is said, labels count.
    winner = List.foldl1' (\best f -> if weight f > weight best then f else best) failures
    weight f = (rank f, if rank f == 0 then length (labels f) else 0)
    -- What it shares its place with. A message stands alone.
    peers = filter (\f -> kind f == kind winner && failureOffset f == failureOffset winner) failures
    kind f = max 3 (rank f)
    labels f = labelsAt (failureContext f) (failurePlace f) (failureAhead f) (failureSize f)

-- What was expected where a failure happened: the outermost name that was given
-- for that place.
expectation :: Failures -> Maybe String
expectation f = go Nothing (failureContext f)
  where
    go found context = case context of
      Top -> found
      Labelled _ outer -> go found outer
      Inside _ _ outer -> go found outer
      InsideRun _ outer -> go found outer
      Expecting name at outer
        | at == failureOffset f -> go (Just name) outer
        | otherwise -> go found outer
      CountedFrom _ outer -> go found outer
      Announced _ outer -> go found outer

-- | Up to 16 bytes: how many, and the bytes, the first in the lowest bits.
data Found = Found {foundLength :: !Int, _foundLow :: !Word64, _foundHigh :: !Word64}

-- | No bytes.
nothingFound :: Found
nothingFound = Found 0 0 0

-- | The first 16 of so many bytes, all of which must be readable.
peekFound :: Ptr Word8 -> Int -> IO Found
peekFound p n
  | n >= 16 = Found 16 <$> peekLE p <*> peekLE (p `plusPtr` 8)
  | n >= 8 = Found n <$> peekLE p <*> bytesUpTo (n - 1) 8 0
  | n > 0 = (\low -> Found n low 0) <$> bytesUpTo (n - 1) 0 0
  | otherwise = pure nothingFound
  where
    -- The bytes from the second number up to the first.
    bytesUpTo :: Int -> Int -> Word64 -> IO Word64
    bytesUpTo i from acc
      | i < from = pure acc
      | otherwise = do
        w <- peekByteOff p i :: IO Word8
        bytesUpTo (i - 1) from (acc `shiftL` 8 .|. fromIntegral w)

-- | The bytes, as a copy.
foundBytes :: Found -> ByteString
foundBytes (Found n low high) = S.pack (take n (bytes low ++ bytes high))
  where
    bytes :: Word64 -> [Word8]
    bytes w = [fromIntegral (w `shiftR` k) | k <- [0, 8 .. 56]]
